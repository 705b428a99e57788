// What docs/ shows of whole arrays, in plain C++; the pages and the reference have parts of this file.
#include <tessera/grid.hpp>
#include <tessera/grid/scratch_bytes.hpp>

#include <cuda_runtime_api.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "device_array.hpp"
#include "gpu.hpp"
#include "views.hpp"

namespace {

using namespace test;
using tessera::plus;
namespace grid = tessera::grid;

/// 6 rows of 50 columns, and what the calls write.
struct DocsGrid : testing::Test {
  void SetUp() override { SKIP_WITHOUT_GPU(); }

  static std::vector<float> numbers() {
    std::vector<float> x;
    for (int i = 0; i < 300; ++i) x.push_back(static_cast<float>(i % 50));
    return x;
  }
  static constexpr std::int64_t rows = 6, columns = 50, n = 300;
  cudaStream_t const stream = nullptr;
};

TEST_F(DocsGrid, Arrays) {
  device_array<float> const values(numbers()), result(1);
  device_array<tessera::indexed<float, std::int64_t>> const places(1);
  device_array<tessera::moments<double>> const spreads(1);
  device_array<tessera::min_max<float>> const extremes(1);
  float const* const in = values.data();
  float* const out = result.data();
  auto* const best = places.data();
  auto* const m = spreads.data();
  auto* const ends = extremes.data();
  device_array<float> const least(1);
  device_array<std::int64_t> const least_at(1);
  float* const value = least.data();
  std::int64_t* const index = least_at.data();
  cudaError_t error = cudaSuccess;
  // [tessera/grid/reduce.hpp, tessera/grid.hpp]
  tessera::grid::workspace memory;            // once, for all calls of a stream
  error = tessera::grid::reduce(in, n, out);  // *out = in[0] + … + in[n − 1]
  error = tessera::grid::reduce(in, n, out, tessera::maximum{}, {stream, memory});
  error = tessera::grid::argmax(in, n, best, {stream, memory});          // indexed<T, std::int64_t>* best
  error = tessera::grid::argmin(in, n, value, index, {stream, memory});  // T*, std::int64_t*
  error = tessera::grid::minmax(in, n, ends, {stream, memory});
  error = tessera::grid::moments(in, n, m, {stream, memory});  // moments<double>* m: count, mean, m2
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(result.to_host()[0], 49.0f);
  EXPECT_EQ(places.to_host()[0].index, 49);
  EXPECT_EQ(least_at.to_host()[0], 0);
  EXPECT_NEAR(spreads.to_host()[0].mean, 24.5, 1e-9);
  EXPECT_EQ(extremes.to_host()[0].min, 0.0f);
}

TEST_F(DocsGrid, Workspaces) {
  device_array<float> const values(numbers()), result(1);
  float const* const in = values.data();
  float* const out = result.data();
  cudaError_t error = cudaSuccess;
  constexpr std::size_t bytes = std::size_t{1} << 16;
  device_array<unsigned char> const free_memory(bytes);
  void* const pointer = free_memory.data();
  // [tessera/grid/workspace.hpp]
  tessera::grid::workspace memory;  // serves any number of calls, one after the other
  error = tessera::grid::reduce(in, n, out, plus{}, {stream, memory});
  error = tessera::grid::reduce(in, n, out, plus{}, stream);  // or the library has one for the stream
  tessera::grid::workspace given(pointer, bytes);             // in memory of yours: it never allocates
  error = tessera::grid::reduce(in, n, out, plus{}, {stream, given});
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(result.to_host()[0], 6 * 25 * 49.0f);
}

TEST_F(DocsGrid, ScratchBytes) {
  device_array<float> const values(numbers()), sums(n);
  device_array<unsigned char> const free_memory(std::size_t{1} << 16);
  float const* const in = values.data();
  float* const out = sums.data();
  void* const pointer = free_memory.data();
  cudaError_t error = cudaSuccess;
  // [tessera/grid/scratch_bytes.hpp]
  // Where a program is planned, for any GPU of sm_90:
  std::size_t const bytes = tessera::grid::scratch_bytes(tessera::grid::call::inclusive_scan, n, sizeof(float), 90);
  // Where it runs:
  tessera::grid::workspace given(pointer, bytes);
  error = tessera::grid::inclusive_scan(in, n, out, tessera::plus{}, {stream, given});
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_LE(bytes, std::size_t{1} << 16);
  EXPECT_EQ(sums.to_host()[n - 1], 6 * 25 * 49.0f);
}

TEST_F(DocsGrid, Executions) {
  device_array<float> const values(numbers()), result(1);
  float const* const in = values.data();
  float* const out = result.data();
  tessera::grid::workspace memory;
  cudaError_t error = cudaSuccess;
  // [tessera/grid/execution.hpp]
  error = tessera::grid::reduce(in, n, out);                            // on the default stream
  error = tessera::grid::reduce(in, n, out, plus{}, stream);            // on a stream
  error = tessera::grid::reduce(in, n, out, plus{}, {stream, memory});  // there, with a workspace of yours
  error = tessera::grid::reduce(in, n, out, plus{}, memory);            // on the default stream, with it
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(result.to_host()[0], 6 * 25 * 49.0f);
}

/// The lines of grid.hpp's head.
TEST_F(DocsGrid, OneCall) {
  device_array<float> const values(numbers()), result(1);
  float const* const in = values.data();
  float* const out = result.data();
  tessera::grid::workspace memory;
  cudaError_t error = tessera::grid::reduce(in, n, out, tessera::plus{}, {stream, memory});
  ASSERT_EQ(error, cudaSuccess);
}

TEST_F(DocsGrid, Rows) {
  device_array<float> const values(numbers()), results(6), tops(6);
  device_array<tessera::indexed<float, int>> const places(6);
  device_array<tessera::moments<float>> const spreads(6);
  float* const data = values.data();
  float* const sums = results.data();
  float* const out = tops.data();
  auto* const best = places.data();
  auto* const m = spreads.data();
  cudaError_t error = cudaSuccess;
  // [tessera/grid/rows.hpp]
  tessera::grid::matrix x{data, rows, columns};  // or {data, rows, columns, stride}
  error = tessera::grid::reduce_rows(x, sums);   // sums[r] = x[r][0] + x[r][1] + …
  error = tessera::grid::reduce_rows(x, out, tessera::maximum{}, stream);
  error = tessera::grid::argmax_rows(x, best, stream);  // indexed<T, int>* best: {value, column}
  error = tessera::grid::moments_rows(x, m, stream);    // moments<float>* m: count, mean, m2
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(results.to_host()[5], 25 * 49.0f);
  EXPECT_EQ(tops.to_host()[2], 49.0f);
  EXPECT_EQ(places.to_host()[3].index, 49);
  EXPECT_NEAR(spreads.to_host()[0].mean, 24.5f, 1e-4f);
}

TEST_F(DocsGrid, Matrices) {
  device_array<float> const values(numbers()), results(6);
  float* const data = values.data();
  std::int64_t const stride = columns;
  {
    tessera::grid::matrix m{data, rows, columns};
    EXPECT_EQ(m.stride, columns);
  }
  // [tessera/grid/matrix.hpp]
  tessera::grid::matrix m{data, rows, columns, stride};
  grid::matrix<float const> const left_half{data, rows, columns / 2, stride};  // a view that only reads
  cudaError_t const error = grid::reduce_rows(left_half, results.data());
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(m.row_count, rows);
  EXPECT_EQ(results.to_host()[0], 12 * 25.0f);
}

TEST_F(DocsGrid, Views) {
  device_array<float> const values(numbers()), results(300), sums(1);
  device_array<int> const numbers_of_rows(std::vector<int>(300, 7)), sorted(300);
  device_array<std::uint64_t> const counts(4);
  test::span<float const> const x{values.data(), 300};
  test::span<float> const y{results.data(), 300}, out{sums.data(), 1};
  test::span<int const> const keys{numbers_of_rows.data(), 300};
  test::mdspan<float const, 2> const x_rows{values.data(), {6, 50}, {50, 1}};
  test::mdspan<float, 2> const mdspan{results.data(), {6, 50}, {50, 1}}, &y_rows = mdspan;
  cudaError_t error = cudaSuccess;
  // [tessera/grid/views.hpp]
  error = tessera::grid::reduce(x, out);                    // reduce(x.data(), x.size(), out)
  error = tessera::grid::inclusive_scan(x, y);              // from x.data(), x.size() to y.data()
  error = tessera::grid::sort_by_key(keys, x, sorted, y);   // n is the size of x
  error = tessera::grid::histogram(x, counts, 0.0f, 1.0f);  // a bin for each element of counts
  error = tessera::grid::softmax_rows(x_rows, y_rows);      // mdspans of rank 2
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  tessera::grid::matrix m(mdspan);
  EXPECT_EQ(m.stride, columns);
  EXPECT_EQ(sums.to_host()[0], 6 * 25 * 49.0f);
  EXPECT_EQ(counts.to_host()[0], 6u);
  grid::workspace memory;
  // On a stream:
  error = tessera::grid::inclusive_scan(x, y, plus{}, tessera::grid::execution{stream, memory});
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(results.to_host()[299], 6 * 25 * 49.0f);
}

TEST_F(DocsGrid, SoftmaxAndNorms) {
  device_array<float> const values(numbers()), results(300), weights(std::vector<float>(50, 1.0f));
  device_array<std::int32_t> const some(std::vector<std::int32_t>(6, 10));
  float *const data = values.data(), *const out_data = results.data();
  float const *const weight = weights.data(), *const bias = nullptr;
  std::int32_t const* const lengths = some.data();
  cudaError_t error = cudaSuccess;
  grid::matrix const out{out_data, rows, columns};
  {
    // [tessera/grid/softmax.hpp]
    tessera::grid::matrix scores{data, rows, columns};
    error = tessera::grid::softmax_rows(scores, out, lengths,
                                        stream);          // of each row's first lengths[row] columns
    error = tessera::grid::softmax_rows(scores, scores);  // in place
    // [end]
    ASSERT_EQ(error, cudaSuccess);
    EXPECT_EQ(results.to_host()[10], 0.0f);
  }
  {
    // [tessera/grid/norm.hpp]
    tessera::grid::matrix x{data, rows, columns};
    error = tessera::grid::layer_norm_rows(x, x, weight, bias, 1e-5, stream);  // in place
    error = tessera::grid::rms_norm_rows(x, out, weight);
    // [end]
    ASSERT_EQ(error, cudaSuccess);
  }
}

TEST_F(DocsGrid, Scans) {
  device_array<float> const values(numbers()), results(300), sum(1);
  device_array<int> const lengths(std::vector<int>{3, 0, 4}), places(4);
  float const* const in = values.data();
  float* const out = results.data();
  float* const all = sum.data();
  int* const offsets = places.data();
  cudaError_t error = cudaSuccess;
  // [tessera/grid/scan.hpp]
  tessera::grid::workspace memory;                    // once, for all calls of a stream
  error = tessera::grid::inclusive_scan(in, n, out);  // out[i] = in[0] + … + in[i]
  error = tessera::grid::exclusive_scan(in, n, out, tessera::plus{}, 100, {stream, memory});
  error = tessera::grid::inclusive_scan(in, n, out, tessera::maximum{}, {true}, {stream, memory});
  error = tessera::grid::exclusive_scan(in, n, out, tessera::plus{}, 0.0f, {false, all}, {stream, memory});
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(results.to_host()[2], 1.0f);
  EXPECT_EQ(sum.to_host()[0], 6 * 25 * 49.0f);
  int* const last = offsets + 3;  // where the last of three segments ends
  error = tessera::grid::exclusive_scan(lengths.data(), 3, offsets, tessera::plus{}, 0, {false, last});
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(places.to_host(), (std::vector<int>{0, 3, 3, 7}));
}

/// The sum and the maximum of each row of a matrix in CSR.
cudaError_t reduce_csr(float const* values, int const* row_offsets, std::int64_t rows, float* sums, float* peaks,
                       cudaStream_t stream) {
  // [tessera/grid/segments.hpp]
  grid::workspace memory;
  cudaError_t error = cudaSuccess;
  error = tessera::grid::reduce_segments(values, row_offsets, rows, sums);
  if (error != cudaSuccess) return error;
  error = tessera::grid::reduce_segments(values, row_offsets, rows, peaks, tessera::maximum{}, {stream, memory});
  // [end]
  return error;
}

/// The sum of each 128 values.
cudaError_t reduce_by_128(float const* values, std::int64_t rows, float* sums) {
  cudaError_t error = cudaSuccess;
  // [tessera/grid/segments.hpp]
  error = tessera::grid::reduce_segments(values, tessera::grid::segments_of_length(128), rows, sums);
  // [end]
  return error;
}

TEST_F(DocsGrid, Segments) {
  device_array<float> const elements(numbers()), results(3), greatest(3);
  device_array<int> const offsets(std::vector<int>{0, 3, 3, 300});
  ASSERT_EQ(reduce_csr(elements.data(), offsets.data(), 3, results.data(), greatest.data(), stream), cudaSuccess);
  EXPECT_EQ(results.to_host(), (std::vector<float>{3, 0, 6 * 25 * 49.0f - 3}));
  EXPECT_EQ(greatest.to_host()[2], 49.0f);
  ASSERT_EQ(reduce_by_128(elements.data(), 2, results.data()), cudaSuccess);
  EXPECT_EQ(results.to_host()[2], 6 * 25 * 49.0f - 3);
}

/// An array in order, where its elements were, pairs, and the array in place.
cudaError_t sort_all(float* in, int const* values, std::int64_t n, float* out, int* indices, float* keys_out,
                     int* values_out, cudaStream_t stream) {
  float const* const keys = in;
  grid::workspace memory;
  cudaError_t error = cudaSuccess;
  // [tessera/grid/sort.hpp]
  error = tessera::grid::sort(in, n, out);
  if (error != cudaSuccess) return error;
  error = tessera::grid::argsort(in, n, indices, tessera::less{}, {stream, memory});
  if (error != cudaSuccess) return error;
  error = tessera::grid::sort_by_key(keys, values, n, keys_out, values_out, tessera::less{}, {stream, memory});
  if (error != cudaSuccess) return error;
  error = tessera::grid::sort(in, n, in, tessera::greater{}, {stream, memory});  // in place
  // [end]
  return error;
}

TEST_F(DocsGrid, Sorts) {
  device_array<float> const elements(std::vector<float>{7, 2, NAN, -1}), sorted(4), keys(4);
  device_array<int> const places(4), names(std::vector<int>{70, 20, 0, -10}), sorted_names(4);
  ASSERT_EQ(sort_all(elements.data(), names.data(), 4, sorted.data(), places.data(), keys.data(), sorted_names.data(),
                     stream),
            cudaSuccess);
  EXPECT_EQ(sorted.to_host()[0], -1.0f);
  EXPECT_TRUE(std::isnan(sorted.to_host()[3]) && std::isnan(elements.to_host()[3]));
  EXPECT_EQ(elements.to_host()[0], 7.0f);
  EXPECT_EQ(places.to_host(), (std::vector<int>{3, 1, 0, 2}));
  EXPECT_EQ(sorted_names.to_host(), (std::vector<int>{-10, 20, 70, 0}));
}

/// Segments in order, and pairs of segments.
cudaError_t sort_rows(int const* in, float const* values, std::int64_t n, int const* offsets, std::int64_t segments,
                      int* out, int* keys_out, float* values_out, cudaStream_t stream) {
  int const* const keys = in;
  grid::workspace memory;
  cudaError_t error = cudaSuccess;
  // [tessera/grid/sort_segments.hpp]
  error = tessera::grid::sort_segments(in, n, offsets, segments, out);
  if (error != cudaSuccess) return error;
  error = tessera::grid::sort_segments_by_key(keys, values, n, offsets, segments, keys_out, values_out,
                                              tessera::greater{}, {stream, memory});
  // [end]
  return error;
}

TEST_F(DocsGrid, SortsOfSegments) {
  device_array<int> const elements(std::vector<int>{7, 2, 5, 9, 1, 4, 3, 8, 6}), sorted(9), keys(9);
  device_array<float> const names(9), sorted_names(9);
  device_array<int> const begins(std::vector<int>{0, 3, 5, 5, 9});
  ASSERT_EQ(sort_rows(elements.data(), names.data(), 9, begins.data(), 4, sorted.data(), keys.data(),
                      sorted_names.data(), stream),
            cudaSuccess);
  EXPECT_EQ(sorted.to_host(), (std::vector<int>{2, 5, 7, 1, 9, 3, 4, 6, 8}));
  EXPECT_EQ(keys.to_host(), (std::vector<int>{7, 5, 2, 9, 1, 8, 6, 4, 3}));
}

TEST_F(DocsGrid, Histograms) {
  device_array<float> const values(numbers());
  device_array<std::uint64_t> const bins(256);
  device_array<grid::out_of_range> const others(1);
  float const* const in = values.data();
  std::uint64_t* const counts = bins.data();
  grid::out_of_range* const outside = others.data();
  grid::workspace memory;
  // [tessera/grid/histogram.hpp]
  float const lower = 0, upper = 256;
  cudaError_t error = cudaSuccess;
  error = tessera::grid::histogram(in, n, counts, 256, lower, upper, outside, {stream, memory});
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(bins.to_host()[49], 6u);
  std::vector<float> between{0, 1, 2.5f};
  while (between.size() < 257) between.push_back(between.back() * 1.03f);
  device_array<float> const ascending(between);
  float const* const edges = ascending.data();
  // [tessera/grid/histogram.hpp]
  error = tessera::grid::histogram(in, n, counts, 256, edges);  // 257 edges on the device
  error = tessera::grid::histogram(in, n, counts, 256, edges, {outside, tessera::grid::last_bin::closed});
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  std::uint64_t counted = others.to_host()[0].below + others.to_host()[0].above;
  for (std::uint64_t count : bins.to_host()) counted += count;
  EXPECT_EQ(counted, static_cast<std::uint64_t>(n));
  EXPECT_EQ(others.to_host()[0].above, 0u);
}

TEST_F(DocsGrid, Selections) {
  device_array<float> const values(numbers()), results(300), rest(300);
  device_array<unsigned char> const marks(std::vector<unsigned char>(300, 1));
  device_array<std::int64_t> const counts(1);
  float *const in = values.data(), *const out = results.data(), *const others = rest.data();
  float* const selected = out;
  auto const* const flags = reinterpret_cast<bool const*>(marks.data());
  std::int64_t* const count = counts.data();
  cudaError_t error = cudaSuccess;
  // [tessera/grid/select.hpp]
  tessera::grid::workspace memory;  // once, for all calls of a stream
  error = tessera::grid::select(in, flags, n, out, count, {stream, memory});
  error = tessera::grid::select(in, flags, n, in, count, {stream, memory});  // in place, as std::remove_if
  error = tessera::grid::partition(in, flags, n, out, count, {stream, memory});
  error = tessera::grid::partition_copy(in, flags, n, selected, others, count, {stream, memory});
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(results.to_host(), numbers());
  EXPECT_EQ(counts.to_host()[0], n);
  EXPECT_TRUE(rest.untouched());
}

/// What runs.hpp gives of n keys and values.
cudaError_t find_runs(int* keys, float* values, std::int64_t n, int* out, float* firsts, int* lengths, float* sums,
                      std::int64_t* count, cudaStream_t stream) {
  cudaError_t error = cudaSuccess;
  // [tessera/grid/runs.hpp]
  tessera::equal_to const equal;
  tessera::grid::workspace memory;                     // once, for all calls of a stream
  error = tessera::grid::unique(keys, n, out, count);  // out may be `keys`
  if (error != cudaSuccess) return error;
  error = tessera::grid::unique_by_key(keys, values, n, out, firsts, count);
  if (error != cudaSuccess) return error;
  error = tessera::grid::run_length_encode(keys, n, out, lengths, count, equal, {stream, memory});
  if (error != cudaSuccess) return error;
  error = tessera::grid::reduce_by_key(keys, values, n, out, sums, count, plus{}, equal, {stream, memory});
  // [end]
  return error;
}

/// The greatest hundred of an array, its median, and three quantiles.
cudaError_t select_some(float const* in, std::int64_t n, float* values, std::int64_t* indices, float* median,
                        float* out, cudaStream_t stream) {
  // [tessera/grid/top_k.hpp]
  double const q[] = {0, 0.5, 1};
  grid::workspace memory;
  cudaError_t error = cudaSuccess;
  error = tessera::grid::top_k(in, n, 100, values, indices, tessera::greater{}, {stream, memory});
  if (error != cudaSuccess) return error;
  error = tessera::grid::nth_element(in, n, n / 2, median);
  if (error != cudaSuccess) return error;
  error = tessera::grid::quantiles(in, n, q, 3, out, tessera::grid::quantile_method::lower);
  // [end]
  return error;
}

TEST_F(DocsGrid, Runs) {
  device_array<int> const keys(std::vector<int>{1, 1, 2, 2, 2, 1, 3, 3}), out(8), lengths(8);
  device_array<float> const values(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}), firsts(8), sums(8);
  device_array<std::int64_t> const count(1);
  ASSERT_EQ(find_runs(keys.data(), values.data(), 8, out.data(), firsts.data(), lengths.data(), sums.data(),
                      count.data(), stream),
            cudaSuccess);
  EXPECT_EQ(count.to_host()[0], 4);
  EXPECT_EQ(out.to_host()[2], 1);
  EXPECT_EQ(firsts.to_host()[1], 3.0f);
  EXPECT_EQ(lengths.to_host()[1], 3);
  EXPECT_EQ(sums.to_host()[3], 15.0f);
}

TEST_F(DocsGrid, TopK) {
  device_array<float> const elements(numbers()), best(100), middle(1), several(3);
  device_array<std::int64_t> const places(100);
  ASSERT_EQ(select_some(elements.data(), n, best.data(), places.data(), middle.data(), several.data(), stream),
            cudaSuccess);
  EXPECT_EQ(best.to_host()[99], 33.0f);  // six of each number from 49 down
  EXPECT_EQ(places.to_host()[0], 49);
  EXPECT_EQ(middle.to_host()[0], 25.0f);
  EXPECT_EQ(several.to_host(), (std::vector<float>{0, 24, 49}));
}

// ---- docs/how-to/streams-graphs.md

/// The softmax of a matrix and its greatest sum, as a graph that is launched repeatedly.
cudaError_t make_graph(grid::matrix<float> x, float* sums, float* top, cudaStream_t stream, grid::workspace& memory,
                       cudaGraphExec_t* ready) {
  // Once without capture, so that the workspace has its size.
  cudaError_t error = grid::reduce_rows(x, sums, tessera::plus{}, {stream, memory});
  if (error == cudaSuccess) error = grid::reduce(sums, x.row_count, top, tessera::maximum{}, {stream, memory});
  if (error != cudaSuccess) return error;

  cudaGraph_t graph = nullptr;
  error = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  if (error != cudaSuccess) return error;
  error = grid::reduce_rows(x, sums, tessera::plus{}, {stream, memory});
  if (error == cudaSuccess) error = grid::reduce(sums, x.row_count, top, tessera::maximum{}, {stream, memory});
  cudaError_t const ended = cudaStreamEndCapture(stream, &graph);
  if (error == cudaSuccess) error = ended;
  if (error == cudaSuccess) error = cudaGraphInstantiate(ready, graph, 0);
  (void)cudaGraphDestroy(graph);
  return error;
}

TEST_F(DocsGrid, InAGraph) {
  device_array<float> const values(numbers()), sums(6), top(1);
  cudaStream_t own = nullptr;
  ASSERT_EQ(cudaStreamCreate(&own), cudaSuccess);
  {
    grid::workspace memory;
    cudaGraphExec_t ready = nullptr;
    grid::matrix<float> const x{values.data(), rows, columns};
    ASSERT_EQ(make_graph(x, sums.data(), top.data(), own, memory, &ready), cudaSuccess);
    ASSERT_EQ(cudaGraphLaunch(ready, own), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(own), cudaSuccess);
    ASSERT_EQ(cudaGraphExecDestroy(ready), cudaSuccess);
  }
  EXPECT_EQ(top.to_host()[0], 25 * 49.0f);
  ASSERT_EQ(cudaStreamDestroy(own), cudaSuccess);
}

// ---- docs/tutorial/whole-arrays.md

/// Where the greatest value of a matrix is, or −1 after an error.
std::int64_t greatest_place(std::vector<float> const& numbers_of_matrix) {
  std::size_t const bytes = numbers_of_matrix.size() * sizeof(float);
  std::int64_t const count = static_cast<std::int64_t>(numbers_of_matrix.size());
  float* in = nullptr;
  tessera::indexed<float, std::int64_t>* best = nullptr;
  if (cudaMalloc(reinterpret_cast<void**>(&in), bytes) != cudaSuccess) return -1;
  if (cudaMallocManaged(reinterpret_cast<void**>(&best), sizeof *best) != cudaSuccess) return -1;
  cudaError_t error = cudaMemcpy(in, numbers_of_matrix.data(), bytes, cudaMemcpyHostToDevice);
  if (error == cudaSuccess) error = grid::argmax(in, count, best);
  if (error == cudaSuccess) error = cudaDeviceSynchronize();
  std::int64_t const place = error == cudaSuccess ? best->index : -1;
  cudaFree(in);
  cudaFree(best);
  return place;
}

TEST_F(DocsGrid, GreatestPlace) {
  EXPECT_EQ(greatest_place(numbers()), 49);
}

/// The numbers whose flags are set; none after an error.
std::vector<float> marked_numbers(float const* in, bool const* flags, std::int64_t n, float* out, std::int64_t* count) {
  std::int64_t kept = 0;
  cudaError_t error = grid::select(in, flags, n, out, count);
  if (error == cudaSuccess) error = cudaMemcpy(&kept, count, sizeof kept, cudaMemcpyDeviceToHost);
  std::vector<float> marked(static_cast<std::size_t>(kept));
  if (error == cudaSuccess)
    error = cudaMemcpy(marked.data(), out, marked.size() * sizeof(float), cudaMemcpyDeviceToHost);
  return error == cudaSuccess ? marked : std::vector<float>{};
}

TEST_F(DocsGrid, MarkedNumbers) {
  std::vector<unsigned char> marks(300, 0);
  marks[7] = marks[199] = 1;
  device_array<float> const values(numbers()), results(300);
  device_array<unsigned char> const flags(marks);
  device_array<std::int64_t> const counts(1);
  EXPECT_EQ(
      marked_numbers(values.data(), reinterpret_cast<bool const*>(flags.data()), 300, results.data(), counts.data()),
      (std::vector<float>{7, 49}));
}

/// Arrays of their own.
struct DocsGridSearches : testing::Test {
  void SetUp() override { SKIP_WITHOUT_GPU(); }
  cudaStream_t const stream = nullptr;
};

TEST_F(DocsGridSearches, ScansByKey) {
  device_array<int> const pages(std::vector<int>{3, 3, 8, 8, 8, 3}), values(std::vector<int>{1, 2, 1, 1, 4, 5});
  device_array<int> const results(6);
  std::int64_t const n = 6;
  int const* const keys = pages.data();
  int const* const in = values.data();
  int* const out = results.data();
  tessera::grid::workspace memory;
  cudaError_t error = cudaSuccess;
  // [tessera/grid/scan_by_key.hpp]
  error = tessera::grid::inclusive_scan_by_key(keys, in, n, out);
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(results.to_host(), (std::vector<int>{1, 3, 1, 2, 6, 5}));
  // [tessera/grid/scan_by_key.hpp]
  error = tessera::grid::exclusive_scan_by_key(keys, in, n, out, tessera::plus{}, 100, {stream, memory});
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(results.to_host(), (std::vector<int>{100, 101, 100, 101, 102, 100}));
}

TEST_F(DocsGridSearches, ScansOfSegments) {
  device_array<float> const numbers(std::vector<float>(9, 2.0f)), results(9);
  device_array<int> const begins(std::vector<int>{0, 3, 5, 5, 9});
  std::int64_t const n = 9, rows = 4;
  float const* const values = numbers.data();
  int const* const row_offsets = begins.data();
  float* const sums = results.data();
  tessera::grid::workspace memory;
  cudaError_t error = cudaSuccess;
  // [tessera/grid/scan_segments.hpp]
  error = tessera::grid::inclusive_scan_segments(values, n, row_offsets, rows, sums);
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(results.to_host(), (std::vector<float>{2, 4, 6, 2, 4, 2, 4, 6, 8}));
  // [tessera/grid/scan_segments.hpp]
  error = tessera::grid::exclusive_scan_segments(values, n, row_offsets, rows, sums, tessera::plus{}, 1.0f,
                                                 {stream, memory});
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(results.to_host(), (std::vector<float>{1, 3, 5, 1, 3, 1, 3, 5, 7}));
}

TEST_F(DocsGridSearches, Bounds) {
  device_array<int> const elements(std::vector<int>{1, 3, 3, 3, 7, 9}), keys(std::vector<int>{3, 8, 0, 10});
  device_array<std::int64_t> const results(4);
  std::int64_t const n = 6, count = 4;
  int const* const sorted = elements.data();
  int const* const needles = keys.data();
  std::int64_t* const out = results.data();
  cudaError_t error = cudaSuccess;
  // [tessera/grid/search.hpp]
  error = tessera::grid::lower_bound(sorted, n, needles, count, out);  // std::int64_t* out
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(results.to_host(), (std::vector<std::int64_t>{1, 5, 0, 6}));
  // [tessera/grid/search.hpp]
  error = tessera::grid::upper_bound(sorted, n, needles, count, out, tessera::less{}, stream);
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(results.to_host(), (std::vector<std::int64_t>{4, 5, 0, 6}));
}

TEST_F(DocsGridSearches, Differences) {
  device_array<int> const numbers(std::vector<int>{3, 1, 4, 1, 5}), results(5);
  std::int64_t const n = 5;
  int const* const in = numbers.data();
  int* const out = results.data();
  cudaError_t error = cudaSuccess;
  // [tessera/grid/adjacent_difference.hpp]
  error = tessera::grid::adjacent_difference(in, n, out);  // out[i] = in[i] − in[i − 1]; out[0] = in[0]
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(results.to_host(), (std::vector<int>{3, -2, 3, -3, 4}));
  // [tessera/grid/adjacent_difference.hpp]
  error = tessera::grid::adjacent_difference(in, n, out, tessera::minus{}, stream);
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(results.to_host(), (std::vector<int>{3, -2, 3, -3, 4}));
}

TEST_F(DocsGridSearches, Merges) {
  device_array<int> const some(std::vector<int>{1, 4, 5, 7}), others(std::vector<int>{2, 4, 6}), results(7);
  std::int64_t const na = 4, nb = 3;
  int const* const a = some.data();
  int const* const b = others.data();
  int* const out = results.data();
  cudaError_t error = cudaSuccess;
  // [tessera/grid/merge.hpp]
  error = tessera::grid::merge(a, na, b, nb, out);
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(results.to_host(), (std::vector<int>{1, 2, 4, 4, 5, 6, 7}));
}

}  // namespace
