// Launchers for rows and segments whose workspace has no room, of calls that only nvcc compiles: they return the error,
// launch nothing, and leave nothing behind. Those that take no memory work without.
#include <tessera/grid/add_norm.cuh>
#include <tessera/grid/cross_entropy.cuh>
#include <tessera/grid/group_by_label.cuh>
#include <tessera/grid/log_sum_exp_segments.cuh>
#include <tessera/grid/map_rows.cuh>
#include <tessera/grid/quantized_norm.cuh>
#include <tessera/grid/route_rows.cuh>
#include <tessera/grid/sample_rows.cuh>
#include <tessera/grid/scan_rows.cuh>
#include <tessera/grid/softmax_segments.cuh>
#include <tessera/grid/sort_rows.cuh>
#include <tessera/grid/top_k_rows.cuh>
#include <tessera/grid/top_k_segments.cuh>

#include <cstdint>
#include <vector>

#include "device_array.hpp"
#include "full_pool.hpp"
#include "gpu.hpp"
#include "rows/row_operations.hpp"

#if CUDART_VERSION >= 12030  // pools of a given size

namespace {

using namespace test;
namespace grid = tessera::grid;

struct GridRowsOutOfMemory : testing::Test {
  void SetUp() override { SKIP_WITHOUT_GPU(); }

  static constexpr std::int64_t n = 600002, rows = 2, columns = 300001;  // rows that several blocks share

  template <class T>
  static grid::matrix<T> of_rows(T* data) {
    return {data, rows, columns};
  }
  static std::vector<float> ones() { return std::vector<float>(n, 1.0f); }
};

#if TESSERA_TEST_HAS_PART(0)
struct nearer_to_one {
  __host__ __device__ bool operator()(float a, float b) const { return (a - 1) * (a - 1) < (b - 1) * (b - 1); }
};

TEST_F(GridRowsOutOfMemory, Sorts) {
  device_array<float> const in(ones()), keys(n);
  device_array<int> const values(std::vector<int>(n, 3));
  grid::matrix<float const> const x = of_rows<float const>(in.data());
  check_call<float>(
      n, [&](float* out, grid::execution on) { return grid::sort_rows(x, of_rows(out), tessera::less{}, on); });
  check_call<int>(n, [&](int* out, grid::execution on) {
    return grid::sort_rows_by_key(x, of_rows<int const>(values.data()), of_rows(keys.data()), of_rows(out),
                                  tessera::less{}, on);
  });
  check_call<std::int32_t>(
      n, [&](std::int32_t* out, grid::execution on) { return grid::argsort_rows(x, out, tessera::less{}, on); });
}

/// Of fewer columns: three copies of elements and columns fit into the pool.
TEST_F(GridRowsOutOfMemory, Comparators) {
  constexpr std::int64_t fewer = 100001;
  device_array<float> const in(ones());
  device_array<std::int32_t> const lengths(std::vector<std::int32_t>(rows, 5000));
  grid::matrix<float const> const x{in.data(), rows, fewer};
  check_call<float>(rows * fewer, [&](float* out, grid::execution on) {
    return grid::sort_rows(x, grid::matrix<float>{out, rows, fewer}, nearer_to_one{}, on);
  });
  check_call<std::int32_t>(rows * fewer, [&](std::int32_t* out, grid::execution on) {
    return grid::argsort_rows(x, out, nearer_to_one{}, on);
  });
  check_call<float>(3 * rows, [&](float* out, grid::execution on) {
    grid::top_k_rows_options options;
    options.lengths = lengths.data();
    return grid::top_k_rows(x, 3, out, nullptr, nearer_to_one{}, options, on);
  });
}
#endif

#if TESSERA_TEST_HAS_PART(1)
TEST_F(GridRowsOutOfMemory, Scans) {
  device_array<float> const in(ones());
  grid::matrix<float const> const x = of_rows<float const>(in.data()), upright{in.data(), columns, rows};
  check_call<float>(n,
                    [&](float* out, grid::execution on) { return grid::inclusive_scan_rows(x, of_rows(out), {}, on); });
  check_call<float>(n, [&](float* out, grid::execution on) {
    return grid::exclusive_scan_columns(upright, grid::matrix<float>{out, columns, rows}, {}, on);
  });
}

TEST_F(GridRowsOutOfMemory, Groups) {
  device_array<int> const labels(std::vector<int>(n, 7)), offsets(1001);
  check_call<int>(n, [&](int* order, grid::execution on) {
    return grid::group_by_label(labels.data(), n, 1000, offsets.data(), order, {}, on);
  });
  device_array<float> const in(ones());
  grid::matrix<float const> const logits{in.data(), n / 64, 64};
  device_array<std::int32_t> const experts(n / 32), order(n / 32);
  check_call<float>(2 * (n / 64), [&](float* weights, grid::execution on) {
    return grid::route_rows(logits, 2, weights, experts.data(), offsets.data(), order.data(), {}, {}, on);
  });
}
#endif

#if TESSERA_TEST_HAS_PART(2)
TEST_F(GridRowsOutOfMemory, Losses) {
  device_array<float> const in(ones()), gradient(n);
  device_array<int> const targets(std::vector<int>{5, 300000});
  grid::matrix<float const> const x = of_rows<float const>(in.data());
  check_call<float>(rows, [&](float* out, grid::execution on) { return grid::log_sum_exp_rows(x, out, on); });
  check_call<float>(
      rows, [&](float* out, grid::execution on) { return grid::log_probability_rows(x, targets.data(), out, on); });
  check_call<float>(
      rows, [&](float* out, grid::execution on) { return grid::cross_entropy_rows(x, targets.data(), out, {}, on); });
  check_call<float>(rows, [&](float* out, grid::execution on) {
    grid::cross_entropy_options<float> options;
    options.gradient = of_rows(gradient.data());
    return grid::cross_entropy_rows(x, targets.data(), out, options, on);
  });
}
#endif

#if TESSERA_TEST_HAS_PART(0)
TEST_F(GridRowsOutOfMemory, NormsAndMaps) {
  device_array<float> const in(ones()), residual(ones()), scales((columns + 127) / 128 * rows);
  grid::matrix<float const> const x = of_rows<float const>(in.data());
  grid::matrix<float> const sum = of_rows(residual.data());
  check_call<float>(n, [&](float* out, grid::execution on) {
    return grid::add_rms_norm_rows(x, sum, of_rows(out), nullptr, nullptr, 1e-5, on);
  });
  check_call<float>(n, [&](float* out, grid::execution on) {
    return grid::add_layer_norm_rows(x, sum, of_rows(out), nullptr, nullptr, 1e-5, on);
  });
  check_call<std::int8_t>(n, [&](std::int8_t* out, grid::execution on) {
    grid::quantized const q{of_rows(out), scales.data()};
    return grid::add_rms_norm_rows(x, sum, q, nullptr, nullptr, 1e-5, on);
  });
  check_call<float>(n, [&](float* out, grid::execution on) {
    return grid::map_rows(x, of_rows(out), mean_distance<float>{100}, on);
  });
}
#endif

#if TESSERA_TEST_HAS_PART(1)
TEST_F(GridRowsOutOfMemory, Segments) {
  device_array<float> const in(ones());
  device_array<int> const begins(std::vector<int>{0, 7, 7, n}), lengths(std::vector<int>{7, 0, n - 7});
  check_call<float>(
      n, [&](float* out, grid::execution on) { return grid::softmax_segments(in.data(), begins.data(), 3, out, on); });
  check_call<float>(n, [&](float* out, grid::execution on) {
    return grid::log_softmax_segments(in.data(), begins.data(), 3, out, on);
  });
  check_call<float>(3, [&](float* out, grid::execution on) {
    return grid::log_sum_exp_segments(in.data(), begins.data(), 3, out, on);
  });
  check_call<float>(3 * 5, [&](float* out, grid::execution on) {
    return grid::top_k_segments(in.data(), grid::segments_of_lengths(lengths.data()), 3, 5, out, nullptr,
                                tessera::greater{}, {}, on);
  });
}
#endif

#if TESSERA_TEST_HAS_PART(2)
TEST_F(GridRowsOutOfMemory, CallsThatTakeNone) {
  device_array<float> const in(ones());
  grid::matrix<float const> const x = of_rows<float const>(in.data()), logits{in.data(), n / 64, 64};
  check_call_without_memory<float>(10 * rows, [&](float* out, grid::execution on) {
    return grid::top_k_rows(x, 10, out, nullptr, tessera::greater{}, {}, on);
  });
  check_call_without_memory<std::int32_t>(
      n, [&](std::int32_t* out, grid::execution on) { return grid::argsort_rows(logits, out, tessera::less{}, on); });
  grid::matrix<float const> const sorted{in.data(), n / 4096, 4096};
  check_call_without_memory<std::int32_t>(
      n, [&](std::int32_t* out, grid::execution on) { return grid::argsort_rows(sorted, out, tessera::less{}, on); });
  check_call_without_memory<float>(
      rows, [&](float* out, grid::execution on) { return grid::median_rows(x, out, nullptr, {}, on); });
  device_array<std::uint64_t> const seeds(std::vector<std::uint64_t>(rows, 3));
  check_call_without_memory<std::int32_t>(
      rows, [&](std::int32_t* out, grid::execution on) { return grid::sample_rows(x, seeds.data(), out, {}, on); });
  device_array<std::int32_t> const experts(n / 32);
  check_call_without_memory<float>(2 * (n / 64), [&](float* weights, grid::execution on) {
    return grid::route_rows(logits, 2, weights, experts.data(), {}, on);
  });
}
#endif

}  // namespace

#endif
