// What docs/ shows of whole arrays, in plain C++; the pages and the reference have parts of this file.
#include <tessera/grid.hpp>

#include <cuda_runtime_api.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "../gpu.hpp"
#include "device_array.hpp"

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
  cudaError_t error = cudaSuccess;
  // [tessera/grid/reduce.hpp, tessera/grid.hpp]
  tessera::grid::workspace memory;            // once, for all calls of a stream
  error = tessera::grid::reduce(in, n, out);  // *out = in[0] + … + in[n − 1]
  error = tessera::grid::reduce(in, n, out, tessera::maximum{}, stream, &memory);
  error = tessera::grid::argmax(in, n, best, stream, &memory);  // indexed<T, std::int64_t>* best
  error = tessera::grid::minmax(in, n, ends, stream, &memory);
  error = tessera::grid::moments(in, n, m, stream, &memory);  // moments<double>* m: count, mean, m2
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(result.to_host()[0], 49.0f);
  EXPECT_EQ(places.to_host()[0].index, 49);
  EXPECT_NEAR(spreads.to_host()[0].mean, 24.5, 1e-9);
  EXPECT_EQ(extremes.to_host()[0].min, 0.0f);
}

TEST_F(DocsGrid, Workspaces) {
  device_array<float> const values(numbers()), result(1);
  float const* const in = values.data();
  float* const out = result.data();
  cudaError_t error = cudaSuccess;
  // [tessera/grid/workspace.hpp]
  tessera::grid::workspace memory;  // serves any number of calls, one after the other
  error = tessera::grid::reduce(in, n, out, plus{}, stream, &memory);
  error = tessera::grid::reduce(in, n, out, plus{}, stream);  // or the call makes one for itself
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
  cudaError_t error = tessera::grid::reduce(in, n, out, tessera::plus{}, stream, &memory);
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
  EXPECT_EQ(m.rows, rows);
  EXPECT_EQ(results.to_host()[0], 12 * 25.0f);
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

/// The sum and the maximum of each row of a matrix in CSR.
cudaError_t reduce_csr(float const* values, int const* row_offsets, std::int64_t rows, float* sums,
                       float* peaks, cudaStream_t stream) {
  // [tessera/grid/segments.hpp]
  grid::workspace memory;
  cudaError_t error = cudaSuccess;
  error = tessera::grid::reduce_segments(values, row_offsets, rows, sums);
  if (error != cudaSuccess) return error;
  error =
      tessera::grid::reduce_segments(values, row_offsets, rows, peaks, tessera::maximum{}, stream, &memory);
  // [end]
  return error;
}

TEST_F(DocsGrid, Segments) {
  device_array<float> const elements(numbers()), results(3), greatest(3);
  device_array<int> const offsets(std::vector<int>{0, 3, 3, 300});
  ASSERT_EQ(reduce_csr(elements.data(), offsets.data(), 3, results.data(), greatest.data(), stream),
            cudaSuccess);
  EXPECT_EQ(results.to_host(), (std::vector<float>{3, 0, 6 * 25 * 49.0f - 3}));
  EXPECT_EQ(greatest.to_host()[2], 49.0f);
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
  error = tessera::grid::histogram(in, n, counts, 256, lower, upper, outside, stream, &memory);
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(bins.to_host()[49], 6u);
  EXPECT_EQ(others.to_host()[0].above, 0u);
}

/// The greatest hundred of an array, its median, and three quantiles.
cudaError_t select_some(float const* in, std::int64_t n, float* values, std::int64_t* indices, float* median,
                        float* out, cudaStream_t stream) {
  // [tessera/grid/top_k.hpp]
  double const q[] = {0, 0.5, 1};
  grid::workspace memory;
  cudaError_t error = cudaSuccess;
  error = tessera::grid::top_k(in, n, 100, values, indices, tessera::greater{}, stream, &memory);
  if (error != cudaSuccess) return error;
  error = tessera::grid::nth_element(in, n, n / 2, median);
  if (error != cudaSuccess) return error;
  error = tessera::grid::quantiles(in, n, q, 3, out, tessera::grid::quantile_method::lower);
  // [end]
  return error;
}

TEST_F(DocsGrid, Selections) {
  device_array<float> const elements(numbers()), best(100), middle(1), several(3);
  device_array<std::int64_t> const places(100);
  ASSERT_EQ(
      select_some(elements.data(), n, best.data(), places.data(), middle.data(), several.data(), stream),
      cudaSuccess);
  EXPECT_EQ(best.to_host()[99], 34.0f);  // six of each number from 49 down
  EXPECT_EQ(places.to_host()[0], 49);
  EXPECT_EQ(middle.to_host()[0], 25.0f);
  EXPECT_EQ(several.to_host(), (std::vector<float>{0, 24, 49}));
}

// ---- docs/how-to/streams-graphs.md

/// The softmax of a matrix and the greatest of its sums, as a graph that is launched again and again.
cudaError_t make_graph(grid::matrix<float> x, float* sums, float* top, cudaStream_t stream,
                       grid::workspace& memory, cudaGraphExec_t* ready) {
  // Once without capture, so that the workspace has its size.
  cudaError_t error = grid::reduce_rows(x, sums, tessera::plus{}, stream, &memory);
  if (error == cudaSuccess) error = grid::reduce(sums, x.rows, top, tessera::maximum{}, stream, &memory);
  if (error != cudaSuccess) return error;

  cudaGraph_t graph = nullptr;
  error = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  if (error != cudaSuccess) return error;
  error = grid::reduce_rows(x, sums, tessera::plus{}, stream, &memory);
  if (error == cudaSuccess) error = grid::reduce(sums, x.rows, top, tessera::maximum{}, stream, &memory);
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

}  // namespace
