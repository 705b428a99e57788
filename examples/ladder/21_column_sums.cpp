// The sum of each column of a row-major matrix, by a strided iterator: joint_reduce.
//
// A call on a range takes any iterator in place of a pointer: an object with *(it + i), which gives element i. Here that
// is element i of a column, `stride` numbers after the one before. A tile of 32 lanes takes a column, and each lane has
// several reads in flight. In a .cu file grid::reduce of <tessera/grid/reduce.cuh> takes the same iterator. Change
// operator* to return the square, and these are the columns' norms.
#include <tessera/joint.hpp>

#include <cstdint>

#include "run.hpp"

/// The elements of an array that are `stride` apart, as of one column. Thrust and cuda:: have such an iterator, too.
struct strided {
  float const* first;
  std::int64_t stride;

  TESSERA_FN strided operator+(std::int64_t i) const { return {first + i * stride, stride}; }
  TESSERA_FN float operator*() const { return *first; }
};

struct column_sums {
  static constexpr unsigned lanes = 32;
  float const* in;
  unsigned rows, columns;
  float* out;

  template <class Block>
  TESSERA_FN void operator()(Block const& block) const {
    auto const tile = tessera::tiled_partition<lanes>(block);
    unsigned const column = block.group_index().x * tile.meta_group_size() + tile.meta_group_rank();
    if (column >= columns) return;
    float const sum = tessera::joint_reduce(tile, strided{in + column, columns}, rows);
    if (tile.thread_rank() == 0) out[column] = sum;
  }
};

int main() {
  constexpr unsigned rows = 1000, columns = 37, threads = 128;
  ladder::random_numbers random;
  ladder::array<float> in(rows * columns), out(columns);
  for (float& x : in) x = static_cast<float>(random.below(100));
  ladder::run(ladder::parts(columns * column_sums::lanes, threads), threads,
              column_sums{in.data(), rows, columns, out.data()});

  std::vector<float> expected(columns);
  for (unsigned i = 0; i < rows * columns; ++i) expected[i % columns] += in[i];
  return ladder::report("column_sums", "1000 rows of 37 columns", "tile of 32", ladder::difference(out, expected));
}
