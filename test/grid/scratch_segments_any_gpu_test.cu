// Calls of segments in as many bytes of the caller's memory as scratch_bytes says, however the segments are given.
#include <tessera/grid/log_sum_exp_segments.cuh>
#include <tessera/grid/scan_segments.cuh>
#include <tessera/grid/segment_list.hpp>
#include <tessera/grid/segments.cuh>
#include <tessera/grid/softmax_segments.cuh>
#include <tessera/grid/sort_segments.cuh>
#include <tessera/grid/top_k_segments.cuh>

#include <algorithm>
#include <cstdint>

#include "gpu.hpp"
#include "scratch_on_gpu.hpp"

namespace {

using namespace scratch;

/// Reads one length again and again.
struct same_length {
  using value_type = int64_t;
  int64_t length;

  TESSERA_FN int64_t operator*() const { return length; }
  TESSERA_FN same_length operator+(int64_t) const { return *this; }
};
auto fifths(int64_t n) {
  return grid::segments_of_lengths(same_length{n / 5});
}
auto ones() {
  return grid::segments_of_lengths(same_length{1});
}
grid::array_sizes five_segments(int64_t) {
  return {5, 5};
}
grid::array_sizes ones_of(int64_t n) {
  return {n, n};
}
grid::array_sizes five_listed(int64_t n) {
  return {n, 5};
}
grid::array_sizes two_listed(int64_t n) {
  return {n, 2};
}
/// The two segments, by begins and ends.
auto windows(arrays const& a) {
  return grid::segments_between(a.offsets, a.offsets + 1);
}

scratch_case const segment_calls[] = {
#if TESSERA_TEST_HAS_PART(0)
    {call::softmax_segments, "floats", two_segments, sizeof(float),
     [](arrays const& a, int64_t, grid::execution on) {
       return grid::softmax_segments(a.in<float>(), a.offsets, 2, a.to<float>(), on);
     }},
    {call::log_softmax_segments, "doubles in windows that the device counts", two_segments, sizeof(double),
     [](arrays const& a, int64_t, grid::execution on) {
       return grid::log_softmax_segments(a.in<double>(), windows(a), a.all(2), a.to<double>(), on);
     }},
    {call::top_k_segments, "floats in windows", two_segments, sizeof(float),
     [](arrays const& a, int64_t, grid::execution on) {
       return grid::top_k_segments(a.in<float>(), windows(a), 2, 5, a.to<float>(), nullptr, tessera::less{}, {}, on);
     }},
    {call::top_k_segments, "doubles of many lengths", ones_of, sizeof(double),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::top_k_segments(a.in<double>(), ones(), n, 1, a.to<double>(), nullptr, tessera::less{}, {}, on);
     }},
    {call::log_sum_exp_segments, "floats in windows", two_segments, sizeof(float),
     [](arrays const& a, int64_t, grid::execution on) {
       return grid::log_sum_exp_segments(a.in<float>(), windows(a), 2, a.to<float>(), on);
     }},
    {call::log_sum_exp_segments, "doubles of many lengths", ones_of, sizeof(double),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::log_sum_exp_segments(a.in<double>(), ones(), n, a.to<double>(), on);
     }},
    {call::softmax_segments, "floats of many lengths", ones_of, sizeof(float),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::softmax_segments(a.in<float>(), ones(), n, a.to<float>(), on);
     }},
#endif
#if TESSERA_TEST_HAS_PART(1)
    // Results without padding, whose bits are compared.
    {call::argmin_segments, "long integers", two_segments, sizeof(int64_t),
     [](arrays const& a, int64_t, grid::execution on) {
       return grid::argmin_segments(a.in<int64_t>(), a.offsets, 2, a.to<tessera::indexed<int64_t, int64_t>>(), on);
     }},
    {call::argmax_segments, "doubles in windows", two_segments, sizeof(double),
     [](arrays const& a, int64_t, grid::execution on) {
       return grid::argmax_segments(a.in<double>(), windows(a), 2, a.to<tessera::indexed<double, int64_t>>(), on);
     }},
    {call::reduce_segments, "floats in windows", two_segments, sizeof(float),
     [](arrays const& a, int64_t, grid::execution on) {
       return grid::reduce_segments(a.in<float>(), windows(a), 2, a.to<float>(), tessera::plus{}, on);
     }},
    {call::reduce_segments, "integers after a start", two_segments, sizeof(int),
     [](arrays const& a, int64_t, grid::execution on) {
       return grid::reduce_segments(a.in<int>(), a.offsets, 2, a.to<int>(), tessera::plus{}, 7, on);
     }},
    {call::argmin_segments, "doubles of 5 lengths", five_segments, sizeof(double),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::argmin_segments(a.in<double>(), fifths(n), 5, a.to<tessera::indexed<double, int64_t>>(), on);
     }},
    {call::reduce_segments, "doubles of many lengths", ones_of, sizeof(double),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::reduce_segments(a.in<double>(), ones(), n, a.to<double>(), tessera::plus{}, on);
     }},
    {call::reduce_segments, "integers of many lengths that the device counts", ones_of, sizeof(int),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::reduce_segments(a.in<int>(), ones(), a.all(n), a.to<int>(), tessera::plus{}, on);
     }},
    {call::reduce_segments, "floats of one length", [](int64_t) { return grid::array_sizes(5); }, sizeof(float),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::reduce_segments(a.in<float>(), grid::segments_of_length(n / 5), 5, a.to<float>(), tessera::plus{},
                                    on);
     }},
    {call::inclusive_scan_segments, "integers of 5 lengths", five_listed, sizeof(int),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::inclusive_scan_segments(a.in<int>(), n, fifths(n), 5, a.to<int>(), tessera::plus{}, on);
     }},
    {call::exclusive_scan_segments, "integers in windows", two_listed, sizeof(int),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::exclusive_scan_segments(a.in<int>(), n, windows(a), 2, a.to<int>(), tessera::plus{}, 7, on);
     }},
    {call::inclusive_scan_segments, "integers of one length", ones_of, sizeof(int),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::inclusive_scan_segments(a.in<int>(), n, grid::segments_of_length(1), n, a.to<int>(),
                                            tessera::plus{}, on);
     }},
    {call::sort_segments, "integers of 5 lengths", five_listed, sizeof(int),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::sort_segments(a.in<int>(), n, fifths(n), 5, a.to<int>(), tessera::greater{}, on);
     }},
    {call::stable_sort_segments, "doubles in windows, in place", two_listed, sizeof(double),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::stable_sort_segments(a.to<double>(), n, windows(a), 2, a.to<double>(), tessera::greater{}, on);
     }},
    {call::sort_segments_by_key,
     "integers with doubles in windows",
     two_listed,
     {sizeof(int), sizeof(double)},
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::sort_segments_by_key(a.in<int>(), a.beside<double>(), n, windows(a), 2, a.to<int>(),
                                         a.also_to<double>(), tessera::greater{}, on);
     }},
#endif
};

TEST(GridScratchSegmentsAny, SufficeForEachCall) {
  SKIP_WITHOUT_GPU();
  check_all_scratch(segment_calls);
}

/// Calls that cut the caller's memory and others, one after the other in one workspace.
TEST(GridScratchSegmentsAny, ShareAWorkspace) {
  SKIP_WITHOUT_GPU();
  int64_t const n = 100003;
  arrays_on_gpu const data(n);
  arrays const a = data.get();
  test::stream const on;
  std::size_t most = 0;
  for (scratch_case const& c : segment_calls) most = std::max(most, c.bytes(n, test::gpu().arch));
  given_memory const memory(most);
  grid::workspace given = memory.as_workspace();
  for (scratch_case const& c : segment_calls) {
    data.prepare(on);
    ASSERT_EQ(c.run(a, n, static_cast<cudaStream_t>(on)), cudaSuccess) << c;
    auto const expected = data.results(on);
    data.prepare(on);
    ASSERT_EQ(c.run(a, n, {on, given}), cudaSuccess) << c;
    EXPECT_EQ(data.results(on), expected) << c;
  }
  EXPECT_TRUE(memory.guards_intact());
}

}  // namespace
