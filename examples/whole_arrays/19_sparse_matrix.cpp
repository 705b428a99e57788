// A sparse matrix in CSR from its entries in any order, duplicates summed: sort_by_key, reduce_by_key, lower_bound.
//
// Finite elements and graphs give entries (row, column, value) in any order, several of them at the same place.
// The key of a place is row * columns + column, in 64 bits: sorted by it, entries are in the order of CSR, and
// those at one place are neighbors. A row begins at the first key that isn't below row * columns. Change plus to
// minimum, in a .cu file with runs.cuh, and it is a graph whose parallel edges leave the shortest one.
#include <tessera/grid/runs.hpp>
#include <tessera/grid/search.hpp>
#include <tessera/grid/segments.hpp>
#include <tessera/grid/sort.hpp>

#include <cstdint>
#include <map>

#include "gpu.hpp"

namespace grid = tessera::grid;

int main() {
  if (!ladder::choose_gpu()) return ladder::needs_gpu;
  constexpr std::int64_t entries = 500'000, rows = 100'000, columns = 100'000;
  ladder::random_numbers random;
  std::vector<std::int64_t> places(entries), row_keys(rows + 1);
  std::vector<float> values(entries);
  std::map<std::int64_t, float> expected;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::int64_t const row = random.below(rows);
    std::int64_t const column = (row + random.below(16)) % columns;  // near the diagonal, often twice
    places[i] = row * columns + column;
    values[i] = static_cast<float>(random.below(10)) - 5;  // integers: no sum is rounded
    expected[places[i]] += values[i];
  }
  for (std::int64_t row = 0; row <= rows; ++row) row_keys[static_cast<std::size_t>(row)] = row * columns;

  ladder::gpu_array<std::int64_t> const entry_key(places), row_key(row_keys), key(entries), count(1);
  ladder::gpu_array<float> const entry(values), value(entries), row_sum(rows);
  ladder::gpu_array<int> const row_begin(rows + 1);
  cudaStream_t const stream = nullptr;
  grid::workspace memory;  // one for all calls, since they are in one stream's order

  // Entries in the order of their places, in place.
  ladder::check(grid::sort_by_key(entry_key.data(), entry.data(), entries, entry_key.data(), entry.data(),
                                  tessera::less{}, stream, &memory));

  // One element for each place. How many there are stays on the GPU: behind them, keys keep the value that they
  // have here, 0x7f7f…, which is above every row's. So the search may go through all keys, and needs no count.
  ladder::check(cudaMemsetAsync(key.data(), 0x7f, entries * sizeof(std::int64_t), stream));
  ladder::check(grid::reduce_by_key(entry_key.data(), entry.data(), entries, key.data(), value.data(),
                                    count.data(), tessera::plus{}, tessera::equal_to{}, stream, &memory));

  // Row r has the elements row_begin[r] … row_begin[r + 1] - 1, also where it has none. Where the last row ends
  // is how many elements there are.
  ladder::check(grid::lower_bound(key.data(), entries, row_key.data(), rows + 1, row_begin.data(),
                                  tessera::less{}, stream));

  // The matrix is complete, and the host hasn't waited yet. Its rows are segments: this is their sums, the
  // product with a vector of ones. (Rung 03 has that with any vector, by a kernel on these arrays.)
  ladder::check(grid::reduce_segments(value.data(), row_begin.data(), rows, row_sum.data(), tessera::plus{},
                                      stream, &memory));

  std::vector<std::int64_t> expected_keys;
  std::vector<float> expected_values, expected_sums(rows);
  std::vector<int> expected_begins(rows + 1);
  for (auto const& [place, sum] : expected) {
    auto const row = static_cast<std::size_t>(place / columns);
    expected_keys.push_back(place);
    expected_values.push_back(sum);
    expected_sums[row] += sum;
    ++expected_begins[row + 1];
  }
  for (std::size_t row = 0; row < rows; ++row) expected_begins[row + 1] += expected_begins[row];
  // Only the check copies the count.
  auto const elements = static_cast<std::size_t>(count.first(1)[0]);
  double const differences[]{ladder::difference(key.first(elements), expected_keys),
                             ladder::difference(value.first(elements), expected_values),
                             ladder::difference(row_begin.first(rows + 1), expected_begins),
                             ladder::difference(row_sum.first(rows), expected_sums)};
  return ladder::report("sparse_matrix", "500000 entries of a 100000 x 100000 matrix", "whole array",
                        ladder::largest_of(differences));
}
