// A sparse matrix in CSR from its entries in any order, duplicates summed: sort_by_key, reduce_by_key, exclusive_scan.
//
// Finite elements and graphs give entries (row, column, value) in any order, several of them at the same place.
// The key of a place is row * columns + column, in 64 bits: sorted by it, entries are in the order of CSR, and
// those at one place are neighbors. A row begins behind all elements of the rows above it. Change plus to
// minimum, in a .cu file with runs.cuh, and it is a graph whose parallel edges leave the shortest one.
#include <tessera/grid/histogram.hpp>
#include <tessera/grid/runs.hpp>
#include <tessera/grid/scan.hpp>
#include <tessera/grid/segments.hpp>
#include <tessera/grid/sort.hpp>

#include <cstdint>
#include <map>

#include "gpu.hpp"

namespace grid = tessera::grid;

int main() {
  if (!ladder::choose_gpu()) return ladder::needs_gpu;
  constexpr std::int64_t entries = 500'000, rows = 50'000, columns = 100'000;
  ladder::random_numbers random;
  std::vector<std::int64_t> places(entries);
  std::vector<float> values(entries);
  std::map<std::int64_t, float> expected;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::int64_t const row = random.below(rows);
    std::int64_t const column = (row + random.below(16)) % columns;  // near the diagonal, often twice
    places[i] = row * columns + column;
    values[i] = static_cast<float>(random.below(10)) - 5;  // integers: no sum is rounded
    expected[places[i]] += values[i];
  }

  ladder::gpu_array<std::int64_t> const entry_key(places), key(entries), count(1);
  ladder::gpu_array<float> const entry(values), value(entries), row_sum(rows);
  ladder::gpu_array<std::uint64_t> const row_begin(rows + 1);
  cudaStream_t const stream = nullptr;
  grid::workspace memory;  // one for all calls, since they are in one stream's order

  // Entries in the order of their places, in place.
  ladder::check(grid::sort_by_key(entry_key.data(), entry.data(), entries, entry_key.data(), entry.data(),
                                  tessera::less{}, {stream, memory}));

  // One element for each place. How many there are stays on the GPU: behind them, keys keep the value that they
  // have here, -1, which is in no row. So all keys may be counted below, and that needs no count.
  ladder::check(cudaMemsetAsync(key.data(), 0xff, entries * sizeof(std::int64_t), stream));
  ladder::check(grid::reduce_by_key(entry_key.data(), entry.data(), entries, key.data(), value.data(), count.data(),
                                    tessera::plus{}, tessera::equal_to{}, {stream, memory}));

  // How many elements each row has: those whose key is in [row * columns, (row + 1) * columns), bins of one width.
  // Their exclusive scan, in place, says where rows begin: row r has the elements row_begin[r] … row_begin[r + 1]
  // - 1, also where it has none. With a 0 behind the counts, the last offset is how many elements there are. (More
  // than 65536 rows are more bins than a histogram has: lower_bound of each row's first key finds where it begins.)
  ladder::check(cudaMemsetAsync(row_begin.data() + rows, 0, sizeof(std::uint64_t), stream));
  ladder::check(grid::histogram(key.data(), entries, row_begin.data(), rows, std::int64_t{0}, rows * columns, nullptr,
                                {stream, memory}));
  ladder::check(grid::exclusive_scan(row_begin.data(), rows + 1, row_begin.data(), tessera::plus{}, {stream, memory}));

  // The matrix is complete, and the host hasn't waited yet. Its rows are segments: this is their sums, the
  // product with a vector of ones. (Rung 03 has that with any vector, by a kernel on these arrays.)
  ladder::check(
      grid::reduce_segments(value.data(), row_begin.data(), rows, row_sum.data(), tessera::plus{}, {stream, memory}));

  std::vector<std::int64_t> expected_keys;
  std::vector<float> expected_values, expected_sums(rows);
  std::vector<std::uint64_t> expected_begins(rows + 1);
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
  return ladder::report("sparse_matrix", "500000 entries of a 50000 x 100000 matrix", "whole array",
                        ladder::largest_of(differences));
}
