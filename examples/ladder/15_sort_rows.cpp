// Each row of a matrix in order, whatever its width: sort.
//
// A tile of 32 lanes takes a row of up to 256 elements, 8 a lane, in registers. `first(n)` says how many there
// are, so the rest needs no padding with some greatest value: what lies behind the row stays there. Change `less`
// to `greater`, sort to sort_by_key with the columns as values, or `each`: longer rows want more items or lanes.
#include <tessera/sort.hpp>

#include <algorithm>

#include "run.hpp"

struct sort_rows {
  static constexpr unsigned lanes = 32, each = 8;
  float* matrix;            // row r begins at matrix[r * pitch]
  unsigned const* columns;  // and has so many elements
  unsigned rows, pitch;

  template <class Block>
  TESSERA_FN void operator()(Block const& block) const {
    auto const tile = tessera::tiled_partition<lanes>(block);
    unsigned const row = block.group_index().x * tile.meta_group_size() + tile.meta_group_rank();
    if (row >= rows) return;
    unsigned const n = columns[row], mine = tile.thread_rank() * each;  // lane 0 has the first 8, and so on
    float* const own = matrix + row * pitch + mine;
    tessera::items<float, each> x{};
    for (unsigned i = 0; i < each; ++i) {
      if (mine + i < n) x[i] = own[i];
    }
    x = tessera::sort(tile, x, tessera::less{}, tessera::first(n));
    for (unsigned i = 0; i < each; ++i) {
      if (mine + i < n) own[i] = x[i];
    }
  }
};

int main() {
  constexpr unsigned rows = 300, pitch = sort_rows::lanes * sort_rows::each, threads = 128;
  ladder::random_numbers random;
  ladder::array<float> matrix(rows * pitch);
  ladder::array<unsigned> columns(rows);
  for (float& x : matrix) x = static_cast<float>(random.below(1000)) - 500;
  for (unsigned r = 0; r < rows; ++r) columns[r] = r % (pitch + 1);
  std::vector<float> expected(matrix.begin(), matrix.end());
  for (unsigned r = 0; r < rows; ++r)
    std::sort(expected.begin() + r * pitch, expected.begin() + r * pitch + columns[r]);

  ladder::run(ladder::parts(rows * sort_rows::lanes, threads), threads,
              sort_rows{matrix.data(), columns.data(), rows, pitch});
  return ladder::report("sort_rows", "300 rows of 0 to 256 columns", "tile of 32, 8 each",
                        ladder::difference(matrix, expected));
}
