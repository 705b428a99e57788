// What docs/ shows of whole arrays of a user's types, operators and functions; the reference has parts of this file.
#include <cuda_fp8.h>

#include <tessera/atomic.hpp>
#include <tessera/grid/add_norm.cuh>
#include <tessera/grid/adjacent_difference.cuh>
#include <tessera/grid/computed_rows.cuh>
#include <tessera/grid/copy_batches.cuh>
#include <tessera/grid/cross_entropy.cuh>
#include <tessera/grid/histogram.cuh>
#include <tessera/grid/log_sum_exp_segments.cuh>
#include <tessera/grid/map_rows.cuh>
#include <tessera/grid/merge.cuh>
#include <tessera/grid/quantized_norm.cuh>
#include <tessera/grid/reduce.cuh>
#include <tessera/grid/route_rows.cuh>
#include <tessera/grid/rows.cuh>
#include <tessera/grid/runs.cuh>
#include <tessera/grid/sample_rows.cuh>
#include <tessera/grid/scan.cuh>
#include <tessera/grid/scan_by_key.cuh>
#include <tessera/grid/scan_rows.cuh>
#include <tessera/grid/scan_segments.cuh>
#include <tessera/grid/search.cuh>
#include <tessera/grid/segments.cuh>
#include <tessera/grid/select.cuh>
#include <tessera/grid/set_operations.cuh>
#include <tessera/grid/softmax_segments.cuh>
#include <tessera/grid/sort_rows.cuh>
#include <tessera/grid/sort_segments.cuh>
#include <tessera/grid/top_k_rows.cuh>
#include <tessera/grid/top_k_segments.cuh>
#include <tessera/grid/transform.cuh>

#include <cmath>
#include <cstdint>
#include <vector>

#include "device_array.hpp"
#include "gpu.hpp"

#if TESSERA_TEST_HAS_PART(1) || TESSERA_TEST_HAS_PART(2)  // with CUB's headers, which take seconds
#include <thrust/iterator/transform_iterator.h>

#include <tessera/grid/sort.cuh>
#include <tessera/grid/top_k.cuh>
#endif

namespace {

using namespace test;

/// The map y → a · y + b, with integers that wrap.
struct part {
  unsigned a = 1, b = 0;
};
struct join {
  TESSERA_FN part operator()(part const& f, part const& g) const { return {f.a * g.a, f.b * g.a + g.b}; }
};
struct my_struct {
  int color;
};
struct point {
  float x, y;
};
struct nearer {
  TESSERA_FN bool operator()(point const& a, point const& b) const {
    return a.x * a.x + a.y * a.y < b.x * b.x + b.y * b.y;
  }
};

#if TESSERA_TEST_HAS_PART(0)
/// How many values are above t, by any function of the elements. (In a function of its own: a private one, as a test's, can't have
/// such a lambda.)
cudaError_t count_above(float const* in, std::int64_t n, float t, int* count) {
  // [tessera/grid/reduce.cuh]
  // With nvcc's --extended-lambda; without it write a functor.
  cudaError_t const error = tessera::grid::transform_reduce(in, n, count, tessera::plus{},
                                                            [=] __host__ __device__(float x) { return x > t ? 1 : 0; });
  // [end]
  return error;
}
#endif

#if TESSERA_TEST_HAS_PART(3)
/// The same of each row.
cudaError_t count_above_of_rows(tessera::grid::matrix<float const> x, float t, int* counts) {
  // [tessera/grid/rows.cuh]
  cudaError_t const error = tessera::grid::transform_reduce_rows(
      x, counts, tessera::plus{}, [=] __host__ __device__(float v) { return v > t ? 1 : 0; });
  // [end]
  return error;
}

/// Segments as they come.
cudaError_t reduce_pieces(float const* in, int const* begins, int const* ends, int const* lengths, std::int64_t count,
                          float* sums, tessera::indexed<float, std::int64_t>* best, cudaStream_t stream,
                          tessera::grid::workspace& memory) {
  cudaError_t error = cudaSuccess;
  // [tessera/grid/segment_list.hpp]
  auto const windows = tessera::grid::segments_between(begins, ends);
  error = tessera::grid::reduce_segments(in, windows, count, sums, tessera::plus{}, {stream, memory});
  auto const pieces = tessera::grid::segments_of_lengths(lengths);
  error = tessera::grid::reduce_segments(in, pieces, count, sums, tessera::plus{}, {stream, memory});
  auto const rows = tessera::grid::segments_of_length(128);
  error = tessera::grid::argmax_segments(in, rows, count, best, {stream, memory});
  // [end]
  if (error != cudaSuccess) return error;
  int const* const offsets = lengths;  // 4, 9: one segment
  std::int64_t const segments = count - 1;
  // [tessera/grid/segments.cuh]
  error = tessera::grid::reduce_segments(in, tessera::grid::segments_between(begins, ends), segments, sums);
  error = tessera::grid::argmax_segments(in, offsets, segments, best);  // indexed<T, std::int64_t>* best
  // [end]
  return error;
}

/// The softmax of segments by offsets, and in place of windows.
cudaError_t soften(float* scores, int const* offsets, std::int64_t segments, float* out, int const* begins,
                   int const* ends, cudaStream_t stream, tessera::grid::workspace& memory) {
  cudaError_t error = cudaSuccess;
  auto const windows = tessera::grid::segments_between(begins, ends);
  // [tessera/grid/softmax_segments.cuh]
  error = tessera::grid::softmax_segments(scores, offsets, segments, out, {stream, memory});
  error = tessera::grid::log_softmax_segments(scores, windows, segments, scores);
  // [end]
  return error;
}

/// The first of each segment.
cudaError_t first_of_segments(float const* scores, int const* offsets, std::int64_t segments, float* values,
                              std::int32_t* indices, int const* begins, int const* ends,
                              tessera::grid::top_k_rows_options const& options, cudaStream_t stream,
                              tessera::grid::workspace& memory) {
  cudaError_t error = cudaSuccess;
  auto const windows = tessera::grid::segments_between(begins, ends);
  // [tessera/grid/top_k_segments.cuh]
  error = tessera::grid::top_k_segments(scores, offsets, segments, 8, values, indices);
  error = tessera::grid::top_k_segments(scores, windows, segments, 8, nullptr, indices, tessera::less{}, options,
                                        {stream, memory});
  // [end]
  return error;
}

/// The log-sum-exp of segments by offsets, and of windows.
cudaError_t sum_exponentials(float const* scores, int const* offsets, std::int64_t segments, float* sums,
                             int const* begins, int const* ends, cudaStream_t stream,
                             tessera::grid::workspace& memory) {
  cudaError_t error = cudaSuccess;
  auto const windows = tessera::grid::segments_between(begins, ends);
  // [tessera/grid/log_sum_exp_segments.cuh]
  error = tessera::grid::log_sum_exp_segments(scores, offsets, segments, sums, {stream, memory});
  error = tessera::grid::log_sum_exp_segments(scores, windows, segments, sums);
  // [end]
  return error;
}
#endif

#if TESSERA_TEST_HAS_PART(7)
/// An order of floats that a program may want.
struct nearer_to_one {
  __host__ __device__ bool operator()(float a, float b) const { return fabsf(a - 1) < fabsf(b - 1); }
};

/// The greatest and the least of each row.
cudaError_t best_of_rows(float const* data, std::int64_t rows, std::int64_t columns, float* values,
                         std::int32_t* indices, tessera::grid::top_k_rows_options const& options, cudaStream_t stream,
                         tessera::grid::workspace& memory) {
  cudaError_t error = cudaSuccess;
  // [tessera/grid/top_k_rows.cuh]
  tessera::grid::matrix x{data, rows, columns};              // or {data, rows, columns, stride}
  error = tessera::grid::top_k_rows(x, 8, values, indices);  // the 8 greatest of each row
  error = tessera::grid::top_k_rows(x, 8, nullptr, indices, tessera::less{}, options, {stream, memory});
  error = tessera::grid::kth_value_rows(x, 2, values, indices);  // the third least
  error = tessera::grid::median_rows(x, values, nullptr);
  error = tessera::grid::top_k_rows(x, 8, values, indices, nearer_to_one{}, options, {stream, memory});  // your own
  // [end]
  return error;
}

/// The rows in order, and their columns.
cudaError_t order_of_rows(float const* in, float* out, std::int64_t rows, std::int64_t columns, std::int32_t* indices,
                          tessera::grid::matrix<int const> values, tessera::grid::matrix<int> values_out,
                          cudaStream_t stream, tessera::grid::workspace& memory) {
  cudaError_t error = cudaSuccess;
  // [tessera/grid/sort_rows.cuh]
  tessera::grid::matrix<float const> x{in, rows, columns};  // or {in, rows, columns, stride}
  tessera::grid::matrix<float> y{out, rows, columns};
  error = tessera::grid::sort_rows(x, y, {}, {stream, memory});  // y may be x
  error = tessera::grid::argsort_rows(x, indices, tessera::greater{});
  error = tessera::grid::sort_rows_by_key(x, values, y, values_out, {}, {stream, memory});  // or in place
  error = tessera::grid::sort_rows(x, y, nearer_to_one{}, {stream, memory});                // your own order
  // [end]
  return error;
}
#endif

#if TESSERA_TEST_HAS_PART(4)
/// A column of each row of logits.
cudaError_t draw_columns(tessera::grid::matrix<float const> logits, float const* temperatures,
                         std::uint64_t const* seeds, std::uint64_t step, std::int32_t* ids, cudaStream_t stream) {
  // [tessera/grid/sample_rows.hpp]
  tessera::grid::sample_options options;
  options.temperature = temperatures;  // float const* on the GPU: one for each row
  options.top_k = 50;                  // or one for all
  options.top_p = 0.9f;
  options.step = step;  // the number of the draw, std::uint64_t
  // [end]
  return tessera::grid::sample_rows(logits, seeds, ids, options, stream);
}
cudaError_t draw_columns(tessera::grid::matrix<float const> logits, std::uint64_t const* seeds, std::int32_t* ids,
                         tessera::grid::matrix<float> probabilities, cudaStream_t stream) {
  cudaError_t error = cudaSuccess;
  // [tessera/grid/sample_rows.cuh]
  tessera::grid::sample_options options;  // sample_rows.hpp
  options.top_k = 50;
  options.top_p = 0.9f;
  error = tessera::grid::sample_rows(logits, seeds, ids, options, stream);
  error = tessera::grid::renormalize_rows(logits, probabilities, options, stream);  // what they are drawn by
  // [end]
  return error;
}

/// The experts of each token as DeepSeek-V3 chooses them.
cudaError_t choose_experts(tessera::grid::matrix<float const> logits, float const* bias, int k, float* weights,
                           std::int32_t* experts, cudaStream_t stream) {
  // [tessera/grid/route_rows.hpp]
  tessera::grid::route_options options;
  options.scores = tessera::grid::router_scores::sigmoid;
  options.bias = bias;  // float const* on the GPU: one for each column
  options.num_groups = 8;
  options.top_groups = 4;
  options.renormalize = true;
  options.scale = 2.5f;
  // [end]
  return tessera::grid::route_rows(logits, k, weights, experts, options, stream);
}
cudaError_t choose_and_group(tessera::grid::matrix<float const> logits, int k, float* weights, std::int32_t* experts,
                             int* offsets, int* order, cudaStream_t stream, tessera::grid::workspace& memory) {
  cudaError_t error = cudaSuccess;
  // [tessera/grid/route_rows.cuh]
  tessera::grid::route_options options;  // route_rows.hpp
  options.renormalize = true;
  error = tessera::grid::route_rows(logits, k, weights, experts, options, stream);
  // And the order in which tokens' choices are grouped by expert, as group_by_label(experts, …) gives it:
  error = tessera::grid::route_rows(logits, k, weights, experts, offsets, order, options, {}, {stream, memory});
  // [end]
  return error;
}
cudaError_t group_with_padding(int const* labels, std::int64_t n, int bins, int* offsets, int* order, int* counts,
                               int* places) {
  // [tessera/grid/group_by_label.hpp]
  tessera::grid::group_options<int> options;
  options.pad_to = 64;       // each group begins at a multiple
  options.counts = counts;   // int* on the GPU: the elements of each bin
  options.inverse = places;  // int* on the GPU: where each element went
  std::int64_t const places_of_order = tessera::grid::grouped_size(n, bins, options.pad_to);
  // [end]
  EXPECT_EQ(places_of_order, 7 + 3 * 63);
  return tessera::grid::group_by_label(labels, n, bins, offsets, order, options);
}
cudaError_t group(int const* labels, std::int64_t n, int bins, int* offsets, int* order, int* counts,
                  cudaStream_t stream, tessera::grid::workspace& memory) {
  cudaError_t error = cudaSuccess;
  // [tessera/grid/group_by_label.cuh]
  tessera::grid::group_options<int> options;  // group_by_label.hpp
  options.counts = counts;
  error = tessera::grid::group_by_label(labels, n, bins, offsets, order, options, {stream, memory});
  // [end]
  return error;
}
#endif

#if TESSERA_TEST_HAS_PART(0)
/// For each value, how many before it are above t: where it goes if those are to be packed.
cudaError_t offsets_of_those_above(float const* in, std::int64_t n, float t, int* offsets) {
  // [tessera/grid/scan.cuh]
  cudaError_t const error = tessera::grid::transform_exclusive_scan(
      in, n, offsets, tessera::plus{}, [=] __host__ __device__(float x) { return x > t ? 1 : 0; }, 0);
  // [end]
  return error;
}

/// Counts structs by their color.
cudaError_t count_colors(my_struct const* in, std::int64_t n, std::uint64_t* counts) {
  cudaError_t error = cudaSuccess;
  // [tessera/grid/histogram.cuh]
  error = tessera::grid::histogram_by(in, n, counts, 5, [] __device__(my_struct const& x) { return x.color; });
  // [end]
  return error;
}

/// Counts the values of two of four channels: pixels of four bytes.
cudaError_t count_channels(std::uint8_t const* in, std::int64_t n, std::uint64_t* red, std::uint64_t* green) {
  cudaError_t error = cudaSuccess;
  // [tessera/grid/histogram.cuh]
  error = tessera::grid::histogram_channels<4>(in, n, {{red, 256, 0, 256}, {green, 256, 0, 256}});
  // [end]
  return error;
}

/// The same between edges.
cudaError_t count_channels_between(float const* in, std::int64_t n, std::uint64_t* red, float const* red_edges,
                                   std::uint64_t* green, float const* green_edges) {
  cudaError_t error = cudaSuccess;
  // [tessera/grid/histogram.cuh]
  tessera::grid::histogram_channel_edges<float> const channels[] = {{red, 5, red_edges}, {green, 9, green_edges}};
  error = tessera::grid::histogram_channels<4>(in, n, channels);
  // [end]
  return error;
}

/// Where two arrays differ first, and whether they don't.
cudaError_t compare(float const* a, float const* b, std::int64_t n, std::int64_t* first, bool* are_equal,
                    cudaStream_t stream, tessera::grid::workspace& memory) {
  cudaError_t error = cudaSuccess;
  // [tessera/grid/search.cuh]
  error = tessera::grid::mismatch(a, b, n, first, tessera::equal_to{}, {stream, memory});
  error = tessera::grid::equal(a, b, n, are_equal, tessera::equal_to{}, {stream, memory});  // bool* are_equal
  // [end]
  return error;
}

/// Adds the weights of the values in each bin.
cudaError_t add_weights(float const* in, float const* weights, std::int64_t n, double* sums, float const* edges) {
  cudaError_t error = cudaSuccess;
  // [tessera/grid/histogram.cuh]
  error = tessera::grid::histogram_weighted(in, weights, n, sums, 256, edges);
  // [end]
  return error;
}

/// The first value above t, and how many are.
cudaError_t find_above(float const* in, std::int64_t n, float t, std::int64_t* first, std::int64_t* count,
                       cudaStream_t stream, tessera::grid::workspace& memory) {
  cudaError_t error = cudaSuccess;
  // [tessera/grid/search.cuh]
  auto const is_large = [=] __host__ __device__(float x) { return x > t; };
  error = tessera::grid::find_if(in, n, is_large, first, {stream, memory});  // std::int64_t* first
  // [end]
  if (error != cudaSuccess) return error;
  // [tessera/grid/search.cuh]
  error = tessera::grid::count_if(in, n, is_large, count, {stream, memory});  // std::int64_t* count
  // [end]
  return error;
}
#endif

#if TESSERA_TEST_HAS_PART(1)
struct is_valid {
  TESSERA_FN bool operator()(unsigned x) const { return x % 4 != 0; }
};
/// What is kept of n elements, in order, its running sums, and the greatest of it.
cudaError_t keep_and_sum(unsigned const* x, std::int64_t n, unsigned* kept, std::int64_t* count, unsigned* sums,
                         unsigned* greatest, cudaStream_t stream, tessera::grid::workspace& memory) {
  cudaError_t error = cudaSuccess;
  // [tessera/grid/count_on_device.hpp]
  error = tessera::grid::select(x, n, kept, count, is_valid{}, {stream, memory});  // std::int64_t* count
  if (error != cudaSuccess) return error;
  auto const some = tessera::grid::count_on_device(count, n);  // at most n
  error = tessera::grid::sort(kept, some, kept, tessera::less{}, {stream, memory});
  if (error != cudaSuccess) return error;
  error = tessera::grid::inclusive_scan(kept, some, sums, tessera::plus{}, {stream, memory});
  if (error != cudaSuccess) return error;
  error = tessera::grid::reduce(kept, some, greatest, tessera::maximum{}, {stream, memory});
  // [end]
  return error;
}

/// The next chunk of a sequence: its running sums after those of the chunks before, and the greatest of all so far.
cudaError_t next_chunk(float const* in, std::int64_t n, float* out, float* so_far, float* greatest, cudaStream_t stream,
                       tessera::grid::workspace& memory) {
  cudaError_t error = cudaSuccess;
  // [tessera/grid/start_on_device.hpp]
  auto const carry = tessera::grid::start_on_device(so_far);  // float* so_far
  error = tessera::grid::inclusive_scan(in, n, out, tessera::plus{}, carry, {false, so_far}, {stream, memory});
  if (error != cudaSuccess) return error;
  auto const best = tessera::grid::start_on_device(greatest);  // float* greatest
  error = tessera::grid::reduce(in, n, greatest, tessera::maximum{}, best, {stream, memory});
  // [end]
  return error;
}

/// Functions of elements.
struct square {
  TESSERA_FN float operator()(float x) const { return x * x; }
};
struct times {
  TESSERA_FN float operator()(float x, float y) const { return x * y; }
};
struct blend {
  TESSERA_FN float operator()(float x, float y, float part) const { return x + part * (y - x); }
};
struct twice_index {
  TESSERA_FN float operator()(std::int64_t i) const { return 2.0f * static_cast<float>(i); }
};
/// Adds elements above 1 to a sum, and each multiple of 3 to a count.
struct visit {
  float* sum;
  TESSERA_FN void operator()(float x) const {
    if (x > 1) tessera::atomic_update(sum, x, tessera::plus{});
  }
};
struct visit_index {
  int* count;
  TESSERA_FN void operator()(std::int64_t i) const {
    if (i % 3 == 0) tessera::atomic_update(count, 1);
  }
};
TEST(DocsGridTransform, BatchedCopies) {
  SKIP_WITHOUT_GPU();
  device_array<char> const from(std::vector<char>{'a', 'b', 'c', 'd', 'e'}), to(std::vector<char>(5, '.'));
  device_array<void const*> const all_sources(std::vector<void const*>{from.data(), from.data() + 3});
  device_array<void*> const all_destinations(std::vector<void*>{to.data() + 2, to.data()});
  device_array<int> const all_sizes(std::vector<int>{3, 1});
  auto* const sources = all_sources.data();
  auto* const destinations = all_destinations.data();
  auto* const sizes = all_sizes.data();
  int const count = 2;
  cudaStream_t const stream = nullptr;
  tessera::grid::workspace memory;
  cudaError_t error = cudaSuccess;
  // [tessera/grid/copy_batches.cuh]
  error = tessera::grid::copy_batches(sources, destinations, sizes, count, {stream, memory});
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(to.to_host(), (std::vector<char>{'d', '.', 'a', 'b', 'c'}));
}
TEST(DocsGridTransform, Functions) {
  SKIP_WITHOUT_GPU();
  std::int64_t const n = 4;
  device_array<float> const first(std::vector<float>{1, 2, 3, 4}), second(std::vector<float>{5, 6, 7, 8}),
      parts(std::vector<float>{0, 1, 0, 1}), results(4), sums(std::vector<float>{0});
  device_array<int> const counts(std::vector<int>{0});
  float const *const in = first.data(), *const a = in, *const b = second.data(), *const c = parts.data();
  float *const out = results.data(), *const sum = sums.data();
  int* const count = counts.data();
  cudaStream_t const stream = nullptr;
  cudaError_t error = cudaSuccess;
  // [tessera/grid/transform.cuh]
  error = tessera::grid::transform(in, n, out, square{}, stream);  // out[i] = f(in[i])
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(results.to_host(), (std::vector<float>{1, 4, 9, 16}));
  // [tessera/grid/transform.cuh]
  error = tessera::grid::transform(a, b, n, out, times{}, stream);  // out[i] = f(a[i], b[i])
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(results.to_host(), (std::vector<float>{5, 12, 21, 32}));
  // [tessera/grid/transform.cuh]
  error = tessera::grid::transform(tessera::grid::inputs(a, b, c), n, out, blend{}, stream);
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(results.to_host(), (std::vector<float>{1, 6, 3, 8}));
  // [tessera/grid/transform.cuh]
  error = tessera::grid::tabulate(out, n, twice_index{}, stream);  // out[i] = f(i)
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(results.to_host(), (std::vector<float>{0, 2, 4, 6}));
  // [tessera/grid/transform.cuh]
  error = tessera::grid::for_each(in, n, visit{sum}, stream);  // f(in[i])
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(sums.to_host()[0], 9.0f);
  // [tessera/grid/transform.cuh]
  error = tessera::grid::for_each(n, visit_index{count}, stream);  // f(i)
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(counts.to_host()[0], 2);
}

/// Selects points near the origin, and those with small distances.
cudaError_t select_near(point const* points, float const* distances, std::int64_t n, float limit, point* out,
                        std::int64_t* count, cudaStream_t stream, tessera::grid::workspace& memory) {
  cudaError_t error = cudaSuccess;
  // [tessera/grid/select.cuh]
  auto const is_near = [=] __host__ __device__(point p) { return p.x * p.x + p.y * p.y < limit; };
  auto const is_below = [=] __host__ __device__(float d) { return d < limit; };
  error = tessera::grid::select(points, n, out, count, is_near, {stream, memory});
  // By another array:
  error = tessera::grid::select(points, distances, n, out, count, is_below, {stream, memory});
  error = tessera::grid::partition(points, n, out, count, is_near, {stream, memory});
  // [end]
  return error;
}

/// Parts points near the origin from those left of it, and both from the others.
cudaError_t part_points(point const* points, std::int64_t n, float limit, point* a, point* b, point* others,
                        std::int64_t* counts, cudaStream_t stream, tessera::grid::workspace& memory) {
  auto const is_near = [=] __host__ __device__(point p) { return p.x * p.x + p.y * p.y < limit; };
  auto const is_left = [=] __host__ __device__(point p) { return p.x < 0; };
  cudaError_t error = cudaSuccess;
  // [tessera/grid/select.cuh]
  // Into three arrays, whose first two are counted:
  error = tessera::grid::three_way_partition(points, n, a, b, others, counts, is_near, is_left, {stream, memory});
  // [end]
  return error;
}

/// The structs with the greatest colors.
cudaError_t top_colors(my_struct const* in, std::int64_t n, std::int64_t k, my_struct* values, std::int64_t* indices) {
  cudaError_t error = cudaSuccess;
  // [tessera/grid/top_k.cuh]
  auto const color = [] __host__ __device__(my_struct const& x) { return x.color; };
  error = tessera::grid::top_k_by(in, n, k, values, indices, color);
  // [end]
  return error;
}

/// One point of each run in the same column, and the parts of runs of cells.
cudaError_t reduce_cells(point const* points, int const* cells, part const* parts, std::int64_t n, point* out,
                         int* cells_out, part* wholes, std::int64_t* count, cudaStream_t stream,
                         tessera::grid::workspace& memory) {
  cudaError_t error = cudaSuccess;
  // [tessera/grid/runs.cuh]
  auto const same_x = [] __host__ __device__(point a, point b) { return a.x == b.x; };
  tessera::equal_to const equal;
  error = tessera::grid::unique(points, n, out, count, same_x, {stream, memory});
  error = tessera::grid::reduce_by_key(cells, parts, n, cells_out, wholes, count, join{}, equal, {stream, memory});
  // [end]
  return error;
}

/// Where several neighbors are in the same column.
cudaError_t find_columns(point const* points, std::int64_t n, int* offsets, int* lengths, std::int64_t* count,
                         cudaStream_t stream, tessera::grid::workspace& memory) {
  auto const same_x = [] __host__ __device__(point a, point b) { return a.x == b.x; };
  cudaError_t error = cudaSuccess;
  // [tessera/grid/runs.cuh]
  error = tessera::grid::non_trivial_runs(points, n, offsets, lengths, count, same_x, {stream, memory});
  // [end]
  return error;
}
#endif

/// Keys on one page of 16.
struct same_page {
  TESSERA_FN bool operator()(int a, int b) const { return a / 16 == b / 16; }
};
struct differ {
  TESSERA_FN bool operator()(int a, int b) const { return a != b; }
};
/// Of intervals by where they begin, also beside a place.
struct interval {
  int begin, end;
};
struct starts_before {
  TESSERA_FN bool operator()(interval const& a, int b) const { return a.begin < b; }
  TESSERA_FN bool operator()(interval const& a, interval const& b) const { return a.begin < b.begin; }
};

struct DocsGridAny : testing::Test {
  void SetUp() override { SKIP_WITHOUT_GPU(); }
  cudaStream_t const stream = nullptr;
  tessera::grid::workspace memory;
};

#if TESSERA_TEST_HAS_PART(0)
TEST_F(DocsGridAny, Arrays) {
  std::int64_t const n = 100;
  float const t = 49;
  device_array<float> const numbers(std::vector<float>(100, 50.0f));
  device_array<int> const results(1);
  device_array<part> const maps(std::vector<part>(100, part{2, 1})), wholes(1);
  auto const* const in = numbers.data();
  auto const* const parts = maps.data();
  int* const count = results.data();
  part* const whole = wholes.data();
  cudaError_t error = count_above(in, n, t, count);
  // [tessera/grid/reduce.cuh]
  // A struct by an operator of one's own, which need not commute:
  auto const in_order = tessera::make_operator(join{}, part{});
  if (error == cudaSuccess) error = tessera::grid::reduce(parts, n, whole, in_order, {stream, memory});
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(results.to_host()[0], 100);
  ASSERT_EQ(tessera::grid::reduce(parts, n, whole, tessera::make_operator(join{}, part{}), {stream, memory}),
            cudaSuccess);
}

TEST_F(DocsGridAny, Starts) {
  std::int64_t const n = 100;
  device_array<int> const numbers(std::vector<int>(100, 50));
  device_array<double> const result(1);
  device_array<part> const maps(std::vector<part>(100, part{2, 1})), composed(1);
  auto const* const counts = numbers.data();
  auto const* const parts = maps.data();
  double* const sum = result.data();
  part* const whole = composed.data();
  cudaError_t error = cudaSuccess;
  // [tessera/grid/reduce.cuh]
  // From a start, in whose type elements are combined: ints as doubles.
  error = tessera::grid::reduce(counts, n, sum, tessera::plus{}, 0.5, {stream, memory});
  // By an operator of one's own without an identity:
  if (error == cudaSuccess) error = tessera::grid::reduce(parts, n, whole, join{}, part{}, {stream, memory});
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(result.to_host()[0], 5000.5);
}
#endif

#if TESSERA_TEST_HAS_PART(7)
TEST_F(DocsGridAny, FirstOfRows) {
  device_array<float> const x(std::vector<float>{3, 9, 2, 9, 7, 8, 1, 6, 0, 5, 1, 4, 5, 2, 3, 6}), values(16);
  device_array<std::int32_t> const indices(16),
      numbers(std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7});
  ASSERT_EQ(best_of_rows(x.data(), 2, 8, values.data(), indices.data(), {}, stream, memory), cudaSuccess);
  EXPECT_EQ(values.to_host()[0], 1.0f);
  EXPECT_EQ(values.to_host()[1], 2.0f);
  tessera::grid::matrix const labels{numbers.data(), 2, 8};
  ASSERT_EQ(order_of_rows(x.data(), values.data(), 2, 8, indices.data(), labels, labels, stream, memory), cudaSuccess);
  EXPECT_EQ(values.to_host()[0], 1.0f);
  EXPECT_EQ(indices.to_host()[0], 1);
  EXPECT_EQ(numbers.to_host()[0], 6);
}
#endif

#if TESSERA_TEST_HAS_PART(0)
TEST_F(DocsGridAny, Scans) {
  std::int64_t const n = 100;
  float const t = 49;
  device_array<float> const numbers(std::vector<float>(100, 50.0f));
  device_array<int> const places(100);
  device_array<part> const maps(std::vector<part>(100, part{2, 1})), composed(100);
  auto const* const in = numbers.data();
  auto const* const parts = maps.data();
  int* const offsets = places.data();
  part* const products = composed.data();
  cudaError_t error = offsets_of_those_above(in, n, t, offsets);
  // [tessera/grid/scan.cuh]
  // A struct by an operator of one's own, which needs no identity, and need not commute:
  if (error == cudaSuccess) error = tessera::grid::inclusive_scan(parts, n, products, join{}, {stream, memory});
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(places.to_host()[70], 70);
  EXPECT_EQ(composed.to_host()[2].b, 7u);
}
#endif

#if TESSERA_TEST_HAS_PART(4)
TEST_F(DocsGridAny, Draws) {
  device_array<float> const numbers(std::vector<float>{0, 9, 0, 0, 0, 0}), temperatures(std::vector<float>{0, 1}),
      shares(6);
  device_array<std::uint64_t> const seeds(std::vector<std::uint64_t>{1, 2});
  device_array<std::int32_t> const ids(2);
  tessera::grid::matrix<float const> const logits(numbers.data(), 2, 3);
  tessera::grid::matrix<float> const probabilities(shares.data(), 2, 3);
  ASSERT_EQ(draw_columns(logits, temperatures.data(), seeds.data(), 3, ids.data(), nullptr), cudaSuccess);
  EXPECT_EQ(ids.to_host()[0], 1);
  ASSERT_EQ(draw_columns(logits, seeds.data(), ids.data(), probabilities, nullptr), cudaSuccess);
  EXPECT_NEAR(shares.to_host()[4], 1.0f / 3, 1e-6f);
}

TEST_F(DocsGridAny, Routers) {
  device_array<float> const logits(std::vector<float>{0, 2, -1, 1}), weights(2), many(std::vector<float>(64, 1.0f)),
      bias(std::vector<float>(64, 0.0f)), even(8);
  device_array<int> const experts(8), offsets(5), order(300), labels(std::vector<int>{1, 0, 2, 1, -1, 0, 1}), counts(3),
      places(7);
  tessera::grid::matrix<float const> const rows(logits.data(), 1, 4), flat(many.data(), 1, 64);
  ASSERT_EQ(choose_and_group(rows, 2, weights.data(), experts.data(), offsets.data(), order.data(), nullptr, memory),
            cudaSuccess);
  EXPECT_EQ(experts.to_host()[0], 1);
  EXPECT_EQ(experts.to_host()[1], 3);
  EXPECT_NEAR(weights.to_host()[0], 0.73f, 5e-3f);
  EXPECT_EQ(offsets.to_host(), (std::vector<int>{0, 0, 1, 1, 2}));
  EXPECT_EQ(order.to_host()[1], 1);
  ASSERT_EQ(choose_experts(flat, bias.data(), 8, even.data(), experts.data(), nullptr), cudaSuccess);
  EXPECT_EQ(experts.to_host()[7], 7);
  EXPECT_NEAR(even.to_host()[7], 2.5f / 8, 1e-6f);
  ASSERT_EQ(group(labels.data(), 7, 3, offsets.data(), order.data(), counts.data(), nullptr, memory), cudaSuccess);
  EXPECT_EQ(order.to_host()[5], 2);
  EXPECT_EQ(counts.to_host()[1], 3);
  ASSERT_EQ(group_with_padding(labels.data(), 7, 3, offsets.data(), order.data(), counts.data(), places.data()),
            cudaSuccess);
  EXPECT_EQ(offsets.to_host()[3], 192);
  EXPECT_EQ(places.to_host()[0], 64);
}
#endif

#if TESSERA_TEST_HAS_PART(3)
TEST_F(DocsGridAny, SegmentsAsTheyCome) {
  device_array<float> const numbers(std::vector<float>(256, 2.0f)), sums(2);
  device_array<int> const begins(std::vector<int>{3, 1}), ends(std::vector<int>{5, 5}), lengths(std::vector<int>{4, 9});
  device_array<tessera::indexed<float, std::int64_t>> const best(2);
  ASSERT_EQ(reduce_pieces(numbers.data(), begins.data(), ends.data(), lengths.data(), 2, sums.data(), best.data(),
                          nullptr, memory),
            cudaSuccess);
  EXPECT_EQ(sums.to_host(), (std::vector<float>{4, 18}));
  device_array<float> const shares(256);
  ASSERT_EQ(soften(numbers.data(), begins.data() + 1, 0, shares.data(), begins.data(), ends.data(), nullptr, memory),
            cudaSuccess);
  ASSERT_EQ(soften(numbers.data(), lengths.data(), 1, shares.data(), begins.data(), ends.data(), nullptr, memory),
            cudaSuccess);
  EXPECT_FLOAT_EQ(shares.to_host()[4], 0.2f);
  device_array<float> const twos(std::vector<float>(256, 2.0f));  // windows of the others hold logarithms now
  ASSERT_EQ(sum_exponentials(twos.data(), lengths.data(), 1, sums.data(), begins.data(), ends.data(), nullptr, memory),
            cudaSuccess);
  EXPECT_FLOAT_EQ(sums.to_host()[0], 2 + std::log(2.0f));
  device_array<std::int32_t> const firsts(16);
  ASSERT_EQ(first_of_segments(twos.data(), lengths.data(), 1, shares.data(), firsts.data(), begins.data(), ends.data(),
                              {}, nullptr, memory),
            cudaSuccess);
  EXPECT_EQ(firsts.to_host()[1], 1);
  EXPECT_EQ(firsts.to_host()[7], -1);
}

TEST_F(DocsGridAny, Rows) {
  float const t = 49;
  device_array<float> const numbers(std::vector<float>(100, 50.0f));
  device_array<int> const results(5);
  device_array<part> const maps(std::vector<part>(100, part{1, 1})), sums(5);
  int* const counts = results.data();
  part* const wholes = sums.data();
  tessera::grid::matrix const x{numbers.data(), 5, 20};
  cudaError_t error = count_above_of_rows(x, t, counts);
  // [tessera/grid/rows.cuh]
  tessera::grid::matrix parts{maps.data(), 5, 20};
  auto const in_order = tessera::make_operator(join{}, part{});
  if (error == cudaSuccess) error = tessera::grid::reduce_rows(parts, wholes, in_order, {stream, memory});
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(results.to_host()[4], 20);
  EXPECT_EQ(sums.to_host()[4].b, 20u);
  ASSERT_EQ(tessera::grid::reduce_rows(parts, wholes, tessera::make_operator(join{}, part{}), {stream, memory}),
            cudaSuccess);
}
#endif

#if TESSERA_TEST_HAS_PART(0)
TEST_F(DocsGridAny, Segments) {
  device_array<part> const maps(std::vector<part>(10, part{1, 1})), sums(2);
  device_array<int> const places(std::vector<int>{0, 4, 10});
  auto const* const parts = maps.data();
  auto const* const offsets = places.data();
  part* const wholes = sums.data();
  std::int64_t const segments = 2;
  cudaError_t error = cudaSuccess;
  // [tessera/grid/segments.cuh]
  auto const in_order = tessera::make_operator(join{}, part{});
  error = tessera::grid::reduce_segments(parts, offsets, segments, wholes, in_order, {stream, memory});
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(sums.to_host()[1].b, 6u);
}

TEST_F(DocsGridAny, Histograms) {
  device_array<my_struct> const structs(std::vector<my_struct>(10, my_struct{3}));
  device_array<std::uint64_t> const bins(5);
  auto const* const in = structs.data();
  std::uint64_t* const counts = bins.data();
  std::int64_t const n = 10;
  cudaError_t const error = count_colors(in, n, counts);
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(bins.to_host()[3], 10u);
}

TEST_F(DocsGridAny, Channels) {
  device_array<std::uint8_t> const pixels(std::vector<std::uint8_t>{1, 2, 3, 4, 1, 7, 3, 4});
  device_array<std::uint64_t> const red(256), green(256);
  ASSERT_EQ(count_channels(pixels.data(), 2, red.data(), green.data()), cudaSuccess);
  EXPECT_EQ(red.to_host()[1], 2u);
  EXPECT_EQ(green.to_host()[2], 1u);
  EXPECT_EQ(green.to_host()[7], 1u);
}

TEST_F(DocsGridAny, ChannelsBetweenEdges) {
  std::vector<float> ascending(10);
  for (std::size_t i = 0; i < ascending.size(); ++i) ascending[i] = static_cast<float>(i * i);
  device_array<float> const pixels(std::vector<float>{1, 2, 3, 4, 5, 70, 3, 4}), edges(ascending);
  device_array<std::uint64_t> const red(5), green(9);
  ASSERT_EQ(count_channels_between(pixels.data(), 2, red.data(), edges.data(), green.data(), edges.data()),
            cudaSuccess);
  EXPECT_EQ(red.to_host(), (std::vector<std::uint64_t>{0, 1, 1, 0, 0}));
  EXPECT_EQ(green.to_host(), (std::vector<std::uint64_t>{0, 1, 0, 0, 0, 0, 0, 0, 1}));
}

TEST_F(DocsGridAny, Weights) {
  std::vector<float> ascending(257);
  for (std::size_t i = 0; i < ascending.size(); ++i) ascending[i] = static_cast<float>(i * i);
  device_array<float> const values(std::vector<float>{0.5f, 5, 7, 200}), by(std::vector<float>{1, 2, 0.25f, 8});
  device_array<float> const edges(ascending);
  device_array<double> const sums(256);
  ASSERT_EQ(add_weights(values.data(), by.data(), 4, sums.data(), edges.data()), cudaSuccess);
  EXPECT_EQ(sums.to_host()[0], 1);
  EXPECT_EQ(sums.to_host()[2], 2.25);
  EXPECT_EQ(sums.to_host()[14], 8);
}

TEST_F(DocsGridAny, Searches) {
  std::vector<float> numbers(10000);
  numbers[7000] = numbers[9000] = 60;
  device_array<float> const values(numbers);
  device_array<std::int64_t> const places(2);
  std::int64_t* const found = places.data();
  ASSERT_EQ(find_above(values.data(), 10000, 50, found, found + 1, stream, memory), cudaSuccess);
  device_array<std::int64_t> const differs(1);
  device_array<unsigned char> const same(1);
  ASSERT_EQ(compare(values.data(), values.data(), 10000, differs.data(), reinterpret_cast<bool*>(same.data()), stream,
                    memory),
            cudaSuccess);
  EXPECT_EQ(differs.to_host()[0], 10000);
  EXPECT_EQ(same.to_host()[0], 1);
  EXPECT_EQ(places.to_host(), (std::vector<std::int64_t>{7000, 2}));
  device_array<interval> const intervals(std::vector<interval>{{0, 4}, {5, 9}, {5, 7}, {20, 21}});
  device_array<int> const needles(std::vector<int>{5, 30}), results(2);
  interval const* const rows = intervals.data();
  int const* const columns = needles.data();
  int* const out = results.data();
  std::int64_t const n = 4, m = 2;
  cudaError_t error = cudaSuccess;
  // [tessera/grid/search.cuh]
  error = tessera::grid::lower_bound(rows, n, columns, m, out, starts_before{}, stream);
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(results.to_host(), (std::vector<int>{1, 4}));
}

TEST_F(DocsGridAny, DifferencesAndMerges) {
  device_array<int> const numbers(std::vector<int>{3, 1, 4, 1, 5}), results(5);
  int const* const keys = numbers.data();
  int* const starts = results.data();
  std::int64_t n = 5;
  cudaError_t error = cudaSuccess;
  // [tessera/grid/adjacent_difference.cuh]
  error = tessera::grid::adjacent_difference(keys, n, starts, differ{}, stream);
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(results.to_host(), (std::vector<int>{3, 1, 1, 1, 1}));
  device_array<interval> const some(std::vector<interval>{{0, 1}, {5, 1}}), others(std::vector<interval>{{0, 2}}),
      merged(3);
  interval const* const events_a = some.data();
  interval const* const events_b = others.data();
  interval* const all = merged.data();
  std::int64_t const na = 2, nb = 1;
  using happens_before = starts_before;
  // [tessera/grid/merge.cuh]
  error = tessera::grid::merge(events_a, na, events_b, nb, all, happens_before{}, stream);
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(merged.to_host()[1].end, 2);
}
#endif

#if TESSERA_TEST_HAS_PART(1)
TEST_F(DocsGridAny, SelectionsAndRuns) {
  std::vector<point> given;
  for (int i = 0; i < 10; ++i) given.push_back({static_cast<float>(i / 2), 0});
  device_array<point> const points(given), out(10);
  device_array<float> const distances(std::vector<float>(10, 1.0f));
  device_array<part> const maps(std::vector<part>(10, part{1, 1})), wholes(10);
  device_array<int> const cells(std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1, 1, 1}), heads(10);
  device_array<std::int64_t> const count(1);
  ASSERT_EQ(select_near(points.data(), distances.data(), 10, 2.0f, out.data(), count.data(), stream, memory),
            cudaSuccess);
  EXPECT_EQ(count.to_host()[0], 4);
  EXPECT_EQ(out.to_host()[4].x, 2.0f);
  device_array<point> const left(10), others(10);
  device_array<std::int64_t> const counts(2);
  ASSERT_EQ(part_points(points.data(), 10, 2.0f, out.data(), left.data(), others.data(), counts.data(), stream, memory),
            cudaSuccess);
  EXPECT_EQ(counts.to_host()[0], 4);
  device_array<int> const begins(10), sizes(10);
  ASSERT_EQ(find_columns(points.data(), 10, begins.data(), sizes.data(), count.data(), stream, memory), cudaSuccess);
  ASSERT_EQ(reduce_cells(points.data(), cells.data(), maps.data(), 10, out.data(), heads.data(), wholes.data(),
                         count.data(), stream, memory),
            cudaSuccess);
  EXPECT_EQ(count.to_host()[0], 2);
  EXPECT_EQ(wholes.to_host()[1].b, 6u);
}

TEST_F(DocsGridAny, SizesOnTheDevice) {
  device_array<unsigned> const x(std::vector<unsigned>{1, 4, 7, 8, 2}), kept(5), sums(5), greatest(1);
  device_array<std::int64_t> const count(1);
  ASSERT_EQ(keep_and_sum(x.data(), 5, kept.data(), count.data(), sums.data(), greatest.data(), stream, memory),
            cudaSuccess);
  EXPECT_EQ(count.to_host()[0], 3);
  EXPECT_EQ(sums.to_host()[2], 10u);
  EXPECT_EQ(greatest.to_host()[0], 7u);
}

TEST_F(DocsGridAny, StartsOnTheDevice) {
  device_array<float> const x(std::vector<float>{1, 4, 7, 8, 2}), sums(5), so_far(std::vector<float>{0}),
      greatest(std::vector<float>{0});
  for (int chunk = 0; chunk < 2; ++chunk)
    ASSERT_EQ(next_chunk(x.data(), 5, sums.data(), so_far.data(), greatest.data(), stream, memory), cudaSuccess);
  EXPECT_EQ(sums.to_host()[0], 23.0f);
  EXPECT_EQ(so_far.to_host()[0], 44.0f);
  EXPECT_EQ(greatest.to_host()[0], 8.0f);
}
#endif

#if TESSERA_TEST_HAS_PART(2)
TEST_F(DocsGridAny, Sorts) {
  device_array<point> const elements(std::vector<point>{{3, 4}, {1, 1}, {2, 0}}), results(3), more(3);
  device_array<std::int64_t> const places(3);
  device_array<int> const numbers(std::vector<int>{30, 11, 20}), numbers_out(3), bounds(std::vector<int>{0, 3});
  point const* const points = elements.data();
  point *const sorted = results.data(), *const points_out = more.data();
  std::int64_t* const indices = places.data();
  int const *const names = numbers.data(), *const offsets = bounds.data();
  int* const names_out = numbers_out.data();
  std::int64_t const n = 3, segments = 1;
  cudaError_t error = cudaSuccess;
  // [tessera/grid/sort.cuh]
  error = tessera::grid::sort(points, n, sorted, nearer{}, {stream, memory});  // a type and an order of one's own
  error = tessera::grid::argsort(points, n, indices, nearer{}, {stream, memory});
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(places.to_host(), (std::vector<std::int64_t>{1, 2, 0}));
  EXPECT_EQ(results.to_host()[2].y, 4.0f);
  // [tessera/grid/sort_segments.cuh]
  error = tessera::grid::sort_segments(points, n, offsets, segments, sorted, nearer{}, {stream, memory});
  error = tessera::grid::sort_segments_by_key(points, names, n, offsets, segments, points_out, names_out, nearer{},
                                              {stream, memory});
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  auto const* const begins = offsets;
  auto const* const ends = offsets + 1;
  // [tessera/grid/sort_segments.cuh]
  auto const windows = tessera::grid::segments_between(begins, ends);  // or others of segment_list.hpp
  error = tessera::grid::sort_segments(points, n, windows, segments, sorted, nearer{}, {stream, memory});
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(numbers_out.to_host(), (std::vector<int>{11, 20, 30}));
}
#endif

#if TESSERA_TEST_HAS_PART(5)
TEST_F(DocsGridAny, ScansOfRows) {
  std::int64_t const rows = 2, columns = 5;
  device_array<float> const numbers(std::vector<float>{3, 1, 4, 1, 5, 1, 1, 2, 0, 1}), sums(10);
  device_array<tessera::affine_map<float>> const steps(
      std::vector<tessera::affine_map<float>>(10, tessera::affine_map<float>{1, 1})),
      after(10), begins(std::vector<tessera::affine_map<float>>(2, tessera::affine_map<float>{1, 0}));
  float* const data = numbers.data();
  auto* const carries = begins.data();
  cudaError_t error = cudaSuccess;
  // [tessera/grid/scan_rows.cuh]
  tessera::grid::matrix x{data, rows, columns};  // or {data, rows, columns, stride}
  // [end]
  tessera::grid::matrix<float> const y{sums.data(), rows, columns};
  tessera::grid::matrix<tessera::affine_map<float>> const maps{steps.data(), rows, columns},
      states{after.data(), rows, columns};
  // [tessera/grid/scan_rows.cuh]
  error = tessera::grid::inclusive_scan_rows(x, y);  // y[r][c] = x[r][0] + … + x[r][c]
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(sums.to_host(), (std::vector<float>{3, 4, 8, 9, 14, 1, 2, 4, 4, 5}));
  // [tessera/grid/scan_rows.cuh]
  error = tessera::grid::inclusive_scan_columns(x, y, tessera::plus{}, stream);  // down each column
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(sums.to_host(), (std::vector<float>{3, 1, 4, 1, 5, 4, 2, 6, 1, 6}));
  // [tessera/grid/scan_rows.cuh]
  error = tessera::grid::inclusive_scan_rows(x, x, tessera::maximum{}, {stream, memory});  // in place
  // The next chunk of a long recurrence, h → a · h + b: one carry of each row, which stays on the device.
  error = tessera::grid::inclusive_scan_rows(maps, states, tessera::affine{}, {false, carries, carries}, stream);
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(numbers.to_host(), (std::vector<float>{3, 3, 4, 4, 5, 1, 1, 2, 2, 2}));
  EXPECT_EQ(begins.to_host()[1].b, 5.0f);
}
#endif

#if TESSERA_TEST_HAS_PART(2)
TEST_F(DocsGridAny, SegmentedScans) {
  device_array<part> const maps(std::vector<part>(10, part{1, 1})), sums(10);
  device_array<int> const pages(std::vector<int>{0, 3, 15, 16, 17, 31, 40, 33, 34, 5}),
      places(std::vector<int>{0, 4, 10});
  int const* const keys = pages.data();
  part const* const parts = maps.data();
  int const* const offsets = places.data();
  std::int64_t const n = 10, segments = 2;
  part* const products = sums.data();
  part* const wholes = sums.data();
  using product = join;
  cudaError_t error = cudaSuccess;
  // [tessera/grid/scan_by_key.cuh]
  error = tessera::grid::inclusive_scan_by_key(keys, parts, n, products, product{}, same_page{}, {stream, memory});
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(sums.to_host()[5].b, 3u);
  EXPECT_EQ(sums.to_host()[9].b, 1u);
  // [tessera/grid/scan_segments.cuh]
  error = tessera::grid::inclusive_scan_segments(parts, n, offsets, segments, wholes, join{}, {stream, memory});
  // [end]
  auto const* const begins = offsets;
  auto const* const ends = offsets + 1;
  // [tessera/grid/scan_segments.cuh]
  auto const windows = tessera::grid::segments_between(begins, ends);  // or others of segment_list.hpp
  error = tessera::grid::inclusive_scan_segments(parts, n, windows, segments, wholes, join{}, {stream, memory});
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(sums.to_host()[9].b, 6u);
}
#endif

#if TESSERA_TEST_HAS_PART(1)
struct distance_of {
  TESSERA_FN float operator()(point const& p) const { return p.x * p.x + p.y * p.y; }
};

TEST_F(DocsGridAny, ComputedSegments) {
  device_array<point> const elements(std::vector<point>{{3, 4}, {1, 1}, {2, 0}});
  device_array<int> const numbers(std::vector<int>{30, 11, 20}), numbers_out(3), bounds(std::vector<int>{0, 3});
  device_array<float> const sorted(3), parts(3), values(std::vector<float>{1, 1, 1});
  point const* const points = elements.data();
  float const* const scores = values.data();
  float *const keys_out = sorted.data(), *const out = parts.data();
  int const *const names = numbers.data(), *const offsets = bounds.data();
  int* const names_out = numbers_out.data();
  std::int64_t const n = 3, segments = 1;
  cudaError_t error = cudaSuccess;
  // [tessera/grid/sort_segments.cuh]
  auto const keys = thrust::make_transform_iterator(points, distance_of{});  // or another random-access iterator
  error = tessera::grid::sort_segments_by_key(keys, names, n, offsets, segments, keys_out, names_out);
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(numbers_out.to_host(), (std::vector<int>{11, 20, 30}));
  EXPECT_EQ(sorted.to_host(), (std::vector<float>{2, 4, 25}));
  // [tessera/grid/softmax_segments.cuh]
  auto const squares = thrust::make_transform_iterator(scores, square{});
  error = tessera::grid::softmax_segments(squares, offsets, segments, out, {stream, memory});
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_FLOAT_EQ(parts.to_host()[2], 1.0f / 3);
}

TEST_F(DocsGridAny, ComputedRows) {
  device_array<float> const numbers(std::vector<float>{1, -2, 0, 3, 1, 1}), results(2), parts(6);
  device_array<tessera::indexed<float, int>> const greatest(2);
  float const* const x = numbers.data();
  float *const sums = results.data(), *const y = parts.data();
  auto* const best = greatest.data();
  std::int64_t const height = 2, width = 3;
  cudaError_t error = cudaSuccess;
  // [tessera/grid/computed_rows.cuh]
  // Row r begins at squares + r * stride:
  auto const squares = thrust::make_transform_iterator(x, square{});
  auto const rows = tessera::grid::matrix_of(squares, height, width);  // or (…, width, stride)
  error = tessera::grid::reduce_rows(rows, sums, tessera::plus{}, {stream, memory});
  error = tessera::grid::argmax_rows(rows, best);  // indexed<float, int>* best
  error = tessera::grid::softmax_rows(rows, tessera::grid::matrix{y, height, width});
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(results.to_host(), (std::vector<float>{5, 11}));
  EXPECT_EQ(greatest.to_host()[0].index, 1);
  EXPECT_NEAR(parts.to_host()[3], 1.0f, 1e-3f);
}

TEST_F(DocsGridAny, TopK) {
  std::vector<my_struct> x;
  for (int i = 0; i < 10; ++i) x.push_back(my_struct{i * 7 % 10});
  device_array<my_struct> const structs(x), best(3);
  device_array<std::int64_t> const places(3);
  ASSERT_EQ(top_colors(structs.data(), 10, 3, best.data(), places.data()), cudaSuccess);
  EXPECT_EQ(best.to_host()[0].color, 9);
  EXPECT_EQ(places.to_host()[1], 4);
}
#endif

#if TESSERA_TEST_HAS_PART(5)
TEST(DocsGridSetOperations, OfTwoArrays) {
  SKIP_WITHOUT_GPU();
  std::int64_t const na = 5, nb = 5, n = na, gone_count = nb;
  device_array<int> const first(std::vector<int>{1, 1, 1, 3, 5}), second(std::vector<int>{1, 1, 2, 3, 3}), results(10);
  device_array<float> const values_of_first(std::vector<float>{1, 2, 3, 4, 5}), value_results(5);
  device_array<std::int64_t> const counts(1);
  int const *const a = first.data(), *const b = second.data(), *const keys = a, *const gone = b;
  int *const out = results.data(), *const keys_out = out;
  float const* const values = values_of_first.data();
  float* const values_out = value_results.data();
  std::int64_t* const count = counts.data();
  cudaStream_t const stream = nullptr;
  cudaError_t error = cudaSuccess;
  // [tessera/grid/set_operations.cuh]
  tessera::grid::workspace memory;  // once, for all calls of a stream
  error = tessera::grid::set_union(a, na, b, nb, out, count, tessera::less{}, {stream, memory});
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(counts.to_host()[0], 7);
  auto united = results.to_host();
  united.resize(7);
  EXPECT_EQ(united, (std::vector<int>{1, 1, 1, 2, 3, 3, 5}));
  // [tessera/grid/set_operations.cuh]
  error = tessera::grid::set_difference_by_key(keys, values, n, gone, gone_count, keys_out, values_out, count);
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(counts.to_host()[0], 2);
  EXPECT_EQ(value_results.to_host()[0], 3.0f);
  EXPECT_EQ(value_results.to_host()[1], 5.0f);
}

#endif

#if TESSERA_TEST_HAS_PART(6)
TEST(DocsGridAddNorm, OfARow) {
  SKIP_WITHOUT_GPU();
  device_array<float> const xs(std::vector<float>{1, 0}), carried(std::vector<float>{2, 4}), results(2);
  device_array<float> const ones(std::vector<float>{1, 1});
  std::int64_t const tokens = 1, width = 2;
  float *const data = xs.data(), *const stream_of_layers = carried.data();
  float const *const weight = ones.data(), *const bias = weight;
  cudaStream_t const stream = nullptr;
  tessera::grid::matrix const out{results.data(), tokens, width};
  cudaError_t error = cudaSuccess;
  // [tessera/grid/add_norm.cuh]
  tessera::grid::matrix x{data, tokens, width}, residual{stream_of_layers, tokens, width};
  error = tessera::grid::add_rms_norm_rows(x, residual, x, weight, nullptr, 1e-6, stream);  // x in place
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(carried.to_host(), (std::vector<float>{3, 4}));
  EXPECT_NEAR(xs.to_host()[1], 4 / std::sqrt(12.5f), 1e-5f);
  // [tessera/grid/add_norm.cuh]
  error = tessera::grid::add_layer_norm_rows(x, residual, out, weight, bias);
  // [end]
  ASSERT_EQ(error, cudaSuccess);
}

TEST(DocsGridQuantizedNorm, OfARow) {
  SKIP_WITHOUT_GPU();
  device_array<float> const xs(std::vector<float>{1, 0}), carried(std::vector<float>{2, 4}), one_scale(1);
  device_array<float> const ones(std::vector<float>{1, 1});
  device_array<__nv_fp8_e4m3> const results(2);
  std::int64_t const tokens = 1, width = 2;
  __nv_fp8_e4m3* const bytes = results.data();
  float *const scales = one_scale.data(), *const data = xs.data(), *const other = carried.data();
  float const* const weight = ones.data();
  tessera::grid::matrix const x{data, tokens, width}, residual{other, tokens, width};
  cudaError_t error = cudaSuccess;
  // [tessera/grid/quantized_norm.cuh]
  tessera::grid::matrix q{bytes, tokens, width};  // of __nv_fp8_e4m3 or std::int8_t
  error = tessera::grid::rms_norm_rows(x, tessera::grid::quantized{q, scales}, weight);
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(static_cast<float>(results.to_host()[0]), 448);
  EXPECT_NEAR(one_scale.to_host()[0], std::sqrt(2.0f) / 448, 1e-7f);
  // [tessera/grid/quantized_norm.cuh]
  error = tessera::grid::add_rms_norm_rows(x, residual, tessera::grid::quantized{q, scales}, weight, nullptr, 1e-6);
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(carried.to_host(), (std::vector<float>{3, 4}));
  EXPECT_EQ(static_cast<float>(results.to_host()[1]), 448);
  // [tessera/grid/quantized_norm.cuh]
  error = tessera::grid::rms_norm_rows(x, tessera::grid::quantized{q, scales, tessera::grid::scale_per_row}, weight);
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(static_cast<float>(results.to_host()[0]), 448);
  EXPECT_NEAR(one_scale.to_host()[0], std::sqrt(2.0f) / 448, 1e-7f);
}

#endif

#if TESSERA_TEST_HAS_PART(8)
// [tessera/grid/map_rows.cuh]
struct l2_normalize {
  __host__ __device__ tessera::plus first_operator() const { return {}; }
  __host__ __device__ float first(float x, int) const { return x * x; }
  __host__ __device__ float result(float x, int, float sum) const { return x / sqrtf(sum); }
};
// [end]
TEST(DocsGridMapRows, L2Normalize) {
  SKIP_WITHOUT_GPU();
  device_array<float> const elements(std::vector<float>{3, 4, 0, 5}), results(4);
  tessera::grid::matrix const x{elements.data(), 2, 2}, y{results.data(), 2, 2};
  cudaStream_t const stream = nullptr;
  tessera::grid::workspace memory;
  cudaError_t error = cudaSuccess;
  // [tessera/grid/map_rows.cuh]
  error = tessera::grid::map_rows(x, y, l2_normalize{}, {stream, memory});
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  auto const got = results.to_host();
  EXPECT_NEAR(got[0], 0.6f, 1e-6f);
  EXPECT_NEAR(got[3], 1.0f, 1e-6f);
}

TEST(DocsGridCrossEntropy, OfTwoTokens) {
  SKIP_WITHOUT_GPU();
  device_array<float> const scores(std::vector<float>{0, 0, 1, 0, 0, 1}), results(2), more(2), most(2);
  device_array<int> const columns(std::vector<int>{2, -1});
  std::int64_t const tokens = 2, vocabulary = 3, padding = -1;
  float *const data = scores.data(), *const loss = results.data(), *const sums = more.data(),
               *const logprobs = most.data();
  int const *const targets = columns.data(), *const prompt = targets;
  cudaStream_t const stream = nullptr;
  tessera::grid::workspace memory;
  cudaError_t error = cudaSuccess;
  // [tessera/grid/cross_entropy.cuh]
  tessera::grid::matrix logits{data, tokens, vocabulary};  // or {data, tokens, vocabulary, stride}
  error = tessera::grid::log_sum_exp_rows(logits, sums);
  error = tessera::grid::log_probability_rows(logits, prompt, logprobs, {stream, memory});
  error = tessera::grid::cross_entropy_rows(logits, targets, loss);
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_NEAR(more.to_host()[1], 1.5514f, 1e-4f);
  EXPECT_NEAR(most.to_host()[0], -0.5514f, 1e-4f);
  EXPECT_NEAR(results.to_host()[0], 0.5514f, 1e-4f);
  // [tessera/grid/cross_entropy.cuh]
  tessera::grid::cross_entropy_options<float> options;
  options.ignore_index = padding;
  options.grad_scale = 1.0 / tokens;
  options.gradient = logits;  // in place
  error = tessera::grid::cross_entropy_rows(logits, targets, loss, options, stream);
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  auto const gradient = scores.to_host();
  EXPECT_NEAR(gradient[0], 0.2119f / 2, 1e-4f);
  EXPECT_NEAR(gradient[2], -0.4239f / 2, 1e-4f);
  EXPECT_EQ(gradient[3], 0.0f);
  EXPECT_EQ(results.to_host()[1], 0.0f);
}
#endif

}  // namespace
