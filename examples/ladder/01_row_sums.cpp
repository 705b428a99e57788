// The sum of each row, whatever its width: reduce.
//
// A tile of 8 lanes takes a row, and each lane adds up every eighth element. tessera::reduce(tile, x) then
// adds up the lanes' sums, and every lane gets the result. Change `lanes` to any power of two from 1 to 1024:
// long rows want more lanes, short rows fewer.
#include <tessera/reduce.hpp>

#include "run.hpp"

struct row_sums {
  static constexpr unsigned lanes = 8;
  float const* in;          // row r begins at in[r * pitch]
  unsigned const* columns;  // and has so many elements
  unsigned rows, pitch;
  float* out;

  template <class Block>
  TESSERA_FN void operator()(Block const& block) const {
    auto const tile = tessera::tiled_partition<lanes>(block);
    unsigned const row = block.group_index().x * tile.meta_group_size() + tile.meta_group_rank();
    if (row >= rows) return;
    float sum = 0;
    for (unsigned i = tile.thread_rank(); i < columns[row]; i += tile.size()) sum += in[row * pitch + i];
    sum = tessera::reduce(tile, sum);
    if (tile.thread_rank() == 0) out[row] = sum;
  }
};

int main() {
  constexpr unsigned rows = 1000, pitch = 97, threads = 128;
  ladder::random_numbers random;
  ladder::array<float> in(rows * pitch), out(rows);
  ladder::array<unsigned> columns(rows);
  for (float& x : in) x = static_cast<float>(random.below(100));
  for (unsigned r = 0; r < rows; ++r) columns[r] = 1 + r % pitch;
  ladder::run(ladder::parts(rows * row_sums::lanes, threads), threads,
              row_sums{in.data(), columns.data(), rows, pitch, out.data()});

  std::vector<float> expected(rows);
  for (unsigned r = 0; r < rows; ++r) {
    for (unsigned i = 0; i < columns[r]; ++i) expected[r] += in[r * pitch + i];
  }
  return ladder::report("row_sums", "1000 rows of 1 to 97 columns", "tile of 8", ladder::difference(out, expected));
}
