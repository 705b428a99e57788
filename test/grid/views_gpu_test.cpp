// Every call that takes views, against the same call by pointers and numbers.
#include <tessera/grid/views.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "device_array.hpp"
#include "views.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

template <class T>
bool are_same(T const& a, T const& b) {
  return test::same_bits(a, b);
}
template <class T, class Index>  // which may have padding
bool are_same(tessera::indexed<T, Index> const& a, tessera::indexed<T, Index> const& b) {
  return test::same_bits(a.value, b.value) && a.index == b.index;
}

/// Outputs of a call by views and of one by pointers.
template <class T>
struct two_outputs {
  device_array<T> by_view, by_pointer;

  explicit two_outputs(std::size_t n) : by_view(std::vector<T>(n)), by_pointer(std::vector<T>(n)) {}
  T* pointer() const { return by_pointer.data(); }
  test::span<T> view() const { return {by_view.data(), by_view.size()}; }
  test::mdspan<T, 2> rows(int count) const {
    int const columns = static_cast<int>(by_view.size()) / count;
    return {by_view.data(), {count, columns}, {columns, 1}};
  }
  grid::matrix<T> matrix(std::int64_t count) const {
    return {pointer(), count, static_cast<std::int64_t>(by_pointer.size()) / count};
  }
  void expect_same(char const* call) const {
    auto const a = by_view.to_host(), b = by_pointer.to_host();
    std::vector<T> const untouched(a.size());
    bool same = true, written = false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      same = same && are_same(a[i], b[i]);
      written = written || !are_same(a[i], untouched[i]);
    }
    EXPECT_TRUE(same && written) << call;
  }
};

struct GridViews : WithWorkspace {
  static constexpr std::size_t size = 6000, segment_count = 6, row_count = 6;
  static constexpr std::int64_t n = size, segments = segment_count, rows = row_count, columns = n / rows;

  static std::vector<float> numbers() {
    std::vector<float> x;
    for (std::size_t i = 0; i < size; ++i) x.push_back(static_cast<float>((i + 1) * 7919 % 1000) * 0.25f - 20);
    return x;
  }
  static std::vector<int> sorted_keys() {
    std::vector<int> x;
    for (std::size_t i = 0; i < size; ++i) x.push_back(static_cast<int>(i / 10));
    return x;
  }

  /// Nothing is allocated where there is no GPU.
  struct inputs {
    device_array<float> x{numbers()};
    device_array<int> keys{sorted_keys()};
    device_array<int> offsets{std::vector<int>{0, 10, 10, 1000, 3000, 5990, 6000}};
    device_array<float> weights{std::vector<float>(columns, 2.0f)};

    test::span<float const> x_view() const { return {x.data(), size}; }
    test::span<int const> keys_view() const { return {keys.data(), size}; }
    test::span<int const> offsets_view() const { return {offsets.data(), segment_count + 1}; }
    test::mdspan<float const, 2> x_rows() const {
      return {x.data(), {static_cast<int>(rows), static_cast<int>(columns)}, {static_cast<long>(columns), 1}};
    }
    grid::matrix<float const> x_matrix() const { return {x.data(), rows, columns}; }
  };
};

#define EXPECT_SAME(outputs, by_view, by_pointer) \
  do {                                            \
    EXPECT_EQ(by_view, cudaSuccess);              \
    EXPECT_EQ(by_pointer, cudaSuccess);           \
    (outputs).expect_same(#by_view);              \
  } while (false)

TEST_F(GridViews, Reductions) {
  inputs const in;
  auto const x = in.x_view();
  float const* const p = in.x.data();
  two_outputs<float> const sum(1);
  two_outputs<tessera::indexed<float, std::int64_t>> const best(1);
  two_outputs<tessera::min_max<float>> const both(1);
  two_outputs<tessera::moments<double>> const m(1);
  EXPECT_SAME(sum, grid::reduce(x, sum.view()), grid::reduce(p, n, sum.pointer()));
  EXPECT_SAME(sum, grid::reduce(x, sum.view(), tessera::maximum{}, memory),
              grid::reduce(p, n, sum.pointer(), tessera::maximum{}, memory));
  EXPECT_SAME(sum, grid::reduce(x, sum.by_view, tessera::plus{}, grid::order::any_device, grid::execution{{}, memory}),
              grid::reduce(p, n, sum.pointer(), tessera::plus{}, grid::order::any_device, memory));
  EXPECT_SAME(best, grid::argmin(x, best.view(), memory), grid::argmin(p, n, best.pointer(), memory));
  EXPECT_SAME(best, grid::argmax(x, best.view(), memory), grid::argmax(p, n, best.pointer(), memory));
  EXPECT_SAME(both, grid::minmax(x, both.view(), memory), grid::minmax(p, n, both.pointer(), memory));
  EXPECT_SAME(m, grid::moments(x, m.view(), memory), grid::moments(p, n, m.pointer(), memory));
  EXPECT_EQ(grid::reduce(test::mdspan<float const, 1>{p, {9}, {2}}, sum.view()), cudaErrorInvalidValue);
}

TEST_F(GridViews, Scans) {
  inputs const in;
  auto const x = in.x_view();
  float const* const p = in.x.data();
  int const* const keys = in.keys.data();
  two_outputs<float> const out(size);
  float* const q = out.pointer();
  EXPECT_SAME(out, grid::inclusive_scan(x, out.view()), grid::inclusive_scan(p, n, q));
  EXPECT_SAME(out, grid::exclusive_scan(x, out.view(), tessera::plus{}, 1.0f, memory),
              grid::exclusive_scan(p, n, q, tessera::plus{}, 1.0f, memory));
  EXPECT_SAME(out, grid::inclusive_scan_by_key(in.keys_view(), x, out.view()),
              grid::inclusive_scan_by_key(keys, p, n, q));
  EXPECT_SAME(out, grid::exclusive_scan_by_key(keys, x, out.view(), tessera::plus{}, 1.0f, memory),
              grid::exclusive_scan_by_key(keys, p, n, q, tessera::plus{}, 1.0f, memory));
  EXPECT_SAME(out, grid::adjacent_difference(x, out.view()), grid::adjacent_difference(p, n, q));
}

TEST_F(GridViews, Segments) {
  inputs const in;
  auto const x = in.x_view();
  auto const ends = in.offsets_view();
  float const* const p = in.x.data();
  int const* const offsets = in.offsets.data();
  two_outputs<float> const out(size), sums(segment_count);
  float *const q = out.pointer(), *const s = sums.pointer();
  EXPECT_SAME(sums, grid::reduce_segments(x, ends, sums.view()), grid::reduce_segments(p, offsets, segments, s));
  EXPECT_SAME(out, grid::inclusive_scan_segments(x, ends, out.view()),
              grid::inclusive_scan_segments(p, n, offsets, segments, q));
  EXPECT_SAME(out, grid::exclusive_scan_segments(x, ends, out.view()),
              grid::exclusive_scan_segments(p, n, offsets, segments, q));
  EXPECT_SAME(out, grid::sort_segments(x, ends, out.view()), grid::sort_segments(p, n, offsets, segments, q));
  EXPECT_SAME(out, grid::stable_sort_segments(x, ends, out.view()),
              grid::stable_sort_segments(p, n, offsets, segments, q));
  two_outputs<int> const keys(size);
  EXPECT_SAME(
      keys, grid::sort_segments_by_key(in.keys_view(), x, ends, keys.view(), out.view(), tessera::greater{}),
      grid::sort_segments_by_key(in.keys.data(), p, n, offsets, segments, keys.pointer(), q, tessera::greater{}));
  out.expect_same("sort_segments_by_key");
}

TEST_F(GridViews, Order) {
  inputs const in;
  auto const x = in.x_view();
  auto const keys = in.keys_view();
  float const* const p = in.x.data();
  int const* const k = in.keys.data();
  two_outputs<float> const out(size), merged(2 * size);
  two_outputs<int> const order(size), sorted_keys(size);
  float* const q = out.pointer();
  EXPECT_SAME(out, grid::sort(x, out.view()), grid::sort(p, n, q));
  EXPECT_SAME(out, grid::stable_sort(x, out.view(), tessera::greater{}, memory),
              grid::stable_sort(p, n, q, tessera::greater{}, memory));
  EXPECT_SAME(order, grid::argsort(x, order.view()), grid::argsort(p, n, order.pointer()));
  EXPECT_SAME(sorted_keys, grid::sort_by_key(keys, x, sorted_keys.view(), out.view(), tessera::greater{}),
              grid::sort_by_key(k, p, n, sorted_keys.pointer(), q, tessera::greater{}));
  EXPECT_SAME(sorted_keys, grid::stable_sort_by_key(keys, x, sorted_keys.view(), out.view(), tessera::greater{}),
              grid::stable_sort_by_key(k, p, n, sorted_keys.pointer(), q, tessera::greater{}));
  EXPECT_EQ(grid::sort(x, out.view()), cudaSuccess);
  EXPECT_EQ(grid::sort(p, n, q), cudaSuccess);
  EXPECT_SAME(merged, grid::merge(out.view(), out.view(), merged.view()), grid::merge(q, n, q, n, merged.pointer()));
  two_outputs<std::int64_t> const found(size);
  EXPECT_SAME(found, grid::lower_bound(out.view(), x, found.view()), grid::lower_bound(q, n, p, n, found.pointer()));
  EXPECT_SAME(found, grid::upper_bound(out.view(), x, found.view()), grid::upper_bound(q, n, p, n, found.pointer()));
}

TEST_F(GridViews, Ranks) {
  inputs const in;
  auto const x = in.x_view();
  float const* const p = in.x.data();
  std::vector<double> const ranks{0.25, 0.5, 1};  // in the memory of the CPU
  two_outputs<float> const best(5), value(1), quantiles(3);
  two_outputs<std::int64_t> const at(5), index(1);
  EXPECT_SAME(best, grid::top_k(x, 5, best.view(), at.view()), grid::top_k(p, n, 5, best.pointer(), at.pointer()));
  at.expect_same("top_k");
  EXPECT_SAME(value, grid::nth_element(x, 700, value.view(), index.view()),
              grid::nth_element(p, n, 700, value.pointer(), index.pointer()));
  EXPECT_SAME(quantiles, grid::quantiles(x, ranks, quantiles.view()),
              grid::quantiles(p, n, ranks.data(), 3, quantiles.pointer()));
}

TEST_F(GridViews, Histograms) {
  inputs const in;
  auto const x = in.x_view();
  float const* const p = in.x.data();
  device_array<float> const edges(std::vector<float>{0, 10, 50, 100, 300});
  two_outputs<std::uint64_t> const counts(4);
  EXPECT_SAME(counts, grid::histogram(x, counts.view(), 0.0f, 300.0f),
              grid::histogram(p, n, counts.pointer(), 4, 0, 300));
  EXPECT_SAME(counts, grid::histogram(x, counts.view(), edges, grid::last_bin::closed, memory),
              grid::histogram(p, n, counts.pointer(), 4, edges.data(), grid::last_bin::closed, memory));
}

TEST_F(GridViews, Selections) {
  inputs const in;
  auto const x = in.x_view();
  auto const flags = in.keys_view();
  float const* const p = in.x.data();
  int const* const f = in.keys.data();
  two_outputs<float> const out(size), others(size);
  two_outputs<std::int64_t> const count(1);
  float* const q = out.pointer();
  EXPECT_SAME(out, grid::select(x, flags, out.view(), count.view()), grid::select(p, f, n, q, count.pointer()));
  EXPECT_SAME(count, grid::partition(x, flags, out.view(), count.view()), grid::partition(p, f, n, q, count.pointer()));
  out.expect_same("partition");
  EXPECT_SAME(out, grid::partition_copy(x, flags, out.view(), others.view(), count.view()),
              grid::partition_copy(p, f, n, q, others.pointer(), count.pointer()));
}

TEST_F(GridViews, Runs) {
  inputs const in;
  auto const x = in.x_view();
  auto const keys = in.keys_view();
  float const* const p = in.x.data();
  int const* const k = in.keys.data();
  two_outputs<int> const runs(size), lengths(size);
  two_outputs<float> const values(size);
  two_outputs<std::int64_t> const count(1);
  EXPECT_SAME(count, grid::unique(keys, runs.view(), count.view()),
              grid::unique(k, n, runs.pointer(), count.pointer()));
  runs.expect_same("unique");
  EXPECT_SAME(values, grid::unique_by_key(keys, x, runs.view(), values.view(), count.view()),
              grid::unique_by_key(k, p, n, runs.pointer(), values.pointer(), count.pointer()));
  EXPECT_SAME(lengths, grid::run_length_encode(keys, runs.view(), lengths.view(), count.view()),
              grid::run_length_encode(k, n, runs.pointer(), lengths.pointer(), count.pointer()));
  EXPECT_SAME(values, grid::reduce_by_key(keys, x, runs.view(), values.view(), count.view()),
              grid::reduce_by_key(k, p, n, runs.pointer(), values.pointer(), count.pointer()));
}

TEST_F(GridViews, Rows) {
  inputs const in;
  auto const x = in.x_rows();
  auto const m = in.x_matrix();
  int const count = static_cast<int>(rows);
  two_outputs<float> const sums(row_count), out(size);
  two_outputs<tessera::indexed<float, int>> const best(row_count);
  two_outputs<tessera::min_max<float>> const both(row_count);
  two_outputs<tessera::moments<float>> const spreads(row_count);
  EXPECT_SAME(sums, grid::reduce_rows(x, sums.view()), grid::reduce_rows(m, sums.pointer()));
  EXPECT_SAME(best, grid::argmin_rows(x, best.view()), grid::argmin_rows(m, best.pointer()));
  EXPECT_SAME(best, grid::argmax_rows(x, best.view()), grid::argmax_rows(m, best.pointer()));
  EXPECT_SAME(both, grid::minmax_rows(x, both.view()), grid::minmax_rows(m, both.pointer()));
  EXPECT_SAME(spreads, grid::moments_rows(x, spreads.view()), grid::moments_rows(m, spreads.pointer()));
  EXPECT_SAME(out, grid::softmax_rows(x, out.rows(count)), grid::softmax_rows(m, out.matrix(rows)));
  EXPECT_SAME(out, grid::log_softmax_rows(x, out.rows(count)), grid::log_softmax_rows(m, out.matrix(rows)));
  EXPECT_SAME(out, grid::layer_norm_rows(x, out.rows(count), in.weights, nullptr, 1e-5),
              grid::layer_norm_rows(m, out.matrix(rows), in.weights.data(), nullptr, 1e-5));
  EXPECT_SAME(out, grid::rms_norm_rows(x, out.rows(count), in.weights),
              grid::rms_norm_rows(m, out.matrix(rows), in.weights.data()));
  test::mdspan<float const, 2> const columns_first{in.x.data(), {10, 20}, {1, 10}};
  EXPECT_EQ(grid::reduce_rows(columns_first, sums.view()), cudaErrorInvalidValue);
}

}  // namespace
