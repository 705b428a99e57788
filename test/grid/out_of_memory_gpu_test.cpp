// Launchers whose workspace has no room: they return the error, launch nothing, and leave nothing behind.
#include <tessera/grid.hpp>

#include <cstdint>
#include <vector>

#include "device_array.hpp"
#include "full_pool.hpp"
#include "gpu.hpp"

#if CUDART_VERSION >= 12030  // pools of a given size

namespace {

using namespace test;
namespace grid = tessera::grid;

struct GridOutOfMemory : testing::Test {
  void SetUp() override { SKIP_WITHOUT_GPU(); }

  static constexpr std::int64_t n = 600002, rows = 2, columns = 300001;  // rows that are read twice
};

TEST_F(GridOutOfMemory, Reductions) {
  device_array<float> const in(std::vector<float>(n, 1.0f));
  check_call<float>(
      1, [&](float* out, grid::execution on) { return grid::reduce(in.data(), n, out, tessera::plus{}, on); });
  check_call<tessera::indexed<float, std::int64_t>>(
      1, [&](auto* out, grid::execution on) { return grid::argmax(in.data(), n, out, on); });
  check_call<tessera::min_max<float>>(
      1, [&](auto* out, grid::execution on) { return grid::minmax(in.data(), n, out, on); });
  check_call<tessera::moments<double>>(
      1, [&](auto* out, grid::execution on) { return grid::moments(in.data(), n, out, on); });
}

TEST_F(GridOutOfMemory, Rows) {
  device_array<float> const in(std::vector<float>(n, 1.0f));
  grid::matrix<float const> const x{in.data(), rows, columns};
  check_call<float>(rows,
                    [&](float* out, grid::execution on) { return grid::reduce_rows(x, out, tessera::maximum{}, on); });
  check_call<float>(n, [&](float* out, grid::execution on) {
    return grid::softmax_rows(x, grid::matrix<float>{out, rows, columns}, nullptr, on);
  });
  float const* const none = nullptr;
  check_call<float>(n, [&](float* out, grid::execution on) {
    return grid::layer_norm_rows(x, grid::matrix<float>{out, rows, columns}, none, none, 1e-5, on);
  });
}

TEST_F(GridOutOfMemory, Scans) {
  device_array<float> const in(std::vector<float>(n, 1.0f));
  check_call<float>(
      n, [&](float* out, grid::execution on) { return grid::inclusive_scan(in.data(), n, out, tessera::plus{}, on); });
  check_call<float>(n, [&](float* out, grid::execution on) {
    return grid::exclusive_scan(in.data(), n, out, tessera::maximum{}, 0.0f, {true}, on);
  });
}

TEST_F(GridOutOfMemory, Sorts) {
  device_array<float> const in(std::vector<float>(n, 1.0f)), keys(n);
  device_array<int> const values(std::vector<int>(n, 3));
  device_array<int> const begins(std::vector<int>{0, 7, 7, n});
  check_call<float>(n,
                    [&](float* out, grid::execution on) { return grid::sort(in.data(), n, out, tessera::less{}, on); });
  check_call<int>(n,
                  [&](int* out, grid::execution on) { return grid::argsort(in.data(), n, out, tessera::less{}, on); });
  check_call<float>(n, [&](float* out, grid::execution on) {
    return grid::sort_segments(in.data(), n, begins.data(), 3, out, tessera::less{}, on);
  });
  check_call<int>(n, [&](int* out, grid::execution on) {
    return grid::sort_by_key(in.data(), values.data(), n, keys.data(), out, tessera::less{}, on);
  });
  check_call<int>(n, [&](int* out, grid::execution on) {
    return grid::sort_segments_by_key(in.data(), values.data(), n, begins.data(), 3, keys.data(), out, tessera::less{},
                                      on);
  });
}

TEST_F(GridOutOfMemory, SegmentsAndHistograms) {
  device_array<float> const in(std::vector<float>(n, 1.0f));
  device_array<int> const begins(std::vector<int>{0, 7, 7, n});
  check_call<float>(3, [&](float* out, grid::execution on) {
    return grid::reduce_segments(in.data(), begins.data(), 3, out, tessera::plus{}, on);
  });
  check_call<std::uint64_t>(256, [&](std::uint64_t* out, grid::execution on) {
    return grid::histogram(in.data(), n, out, 256, -2.0f, 2.0f, nullptr, on);
  });
  device_array<float> const edges(std::vector<float>{-1, 0, 3});
  check_call<std::uint64_t>(2, [&](std::uint64_t* out, grid::execution on) {
    return grid::histogram(in.data(), n, out, 2, edges.data(), nullptr, on);
  });
}

TEST_F(GridOutOfMemory, SelectionsAndRuns) {
  device_array<float> const in(std::vector<float>(n, 1.0f)), values(n);
  device_array<char> const flags(std::vector<char>(n, 1));
  device_array<int> const keys(std::vector<int>(n, 5)), some(n), lengths(n);
  check_call<std::int64_t>(1, [&](std::int64_t* count, grid::execution on) {
    return grid::select(in.data(), flags.data(), n, values.data(), count, on);
  });
  check_call<std::int64_t>(1, [&](std::int64_t* count, grid::execution on) {
    return grid::partition(in.data(), flags.data(), n, values.data(), count, on);
  });
  device_array<float> const others(n);
  check_call<std::int64_t>(1, [&](std::int64_t* count, grid::execution on) {
    return grid::partition_copy(in.data(), flags.data(), n, values.data(), others.data(), count, on);
  });
  check_call<std::int64_t>(1, [&](std::int64_t* count, grid::execution on) {
    return grid::unique(keys.data(), n, some.data(), count, tessera::equal_to{}, on);
  });
  check_call<std::int64_t>(1, [&](std::int64_t* count, grid::execution on) {
    return grid::unique_by_key(keys.data(), in.data(), n, some.data(), values.data(), count, tessera::equal_to{}, on);
  });
  check_call<std::int64_t>(1, [&](std::int64_t* count, grid::execution on) {
    return grid::run_length_encode(keys.data(), n, some.data(), lengths.data(), count, tessera::equal_to{}, on);
  });
  check_call<std::int64_t>(1, [&](std::int64_t* count, grid::execution on) {
    return grid::reduce_by_key(keys.data(), in.data(), n, some.data(), values.data(), count, tessera::plus{},
                               tessera::equal_to{}, on);
  });
}

TEST_F(GridOutOfMemory, SegmentedScans) {
  device_array<float> const in(std::vector<float>(n, 1.0f));
  device_array<int> const keys(std::vector<int>(n, 1)), begins(std::vector<int>{0, 7, 7, n});
  check_call<float>(n, [&](float* out, grid::execution on) {
    return grid::inclusive_scan_by_key(keys.data(), in.data(), n, out, tessera::plus{}, on);
  });
  check_call<float>(n, [&](float* out, grid::execution on) {
    return grid::exclusive_scan_segments(in.data(), n, begins.data(), 3, out, tessera::plus{}, on);
  });
}

TEST_F(GridOutOfMemory, TopK) {
  device_array<float> const in(std::vector<float>(n, 1.0f));
  std::int64_t* const no_indices = nullptr;
  for (std::int64_t k : {10, 10000}) {  // without and with kernels that sort
    check_call<float>(static_cast<std::size_t>(k), [&](float* out, grid::execution on) {
      return grid::top_k(in.data(), n, k, out, no_indices, tessera::greater{}, on);
    });
  }
  check_call<float>(1, [&](float* out, grid::execution on) {
    return grid::nth_element(in.data(), n, n / 2, out, no_indices, tessera::less{}, on);
  });
  double const q[] = {0.25, 0.3};
  for (auto method : {grid::quantile_method::lower, grid::quantile_method::linear}) {
    check_call<float>(
        2, [&](float* out, grid::execution on) { return grid::quantiles(in.data(), n, q, 2, out, method, on); });
  }
}

}  // namespace

#endif
