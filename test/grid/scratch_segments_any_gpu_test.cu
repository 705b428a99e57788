// Calls of segments in as many bytes of the caller's memory as scratch_bytes says, however the segments are given.
#include <tessera/grid/segment_list.hpp>
#include <tessera/grid/segments.cuh>
#include <tessera/grid/softmax_segments.cuh>

#include <cstdint>

#include "gpu.hpp"
#include "scratch_on_gpu.hpp"

namespace {

using namespace scratch;

/// The two segments, by begins and ends.
auto windows(arrays const& a) {
  return grid::segments_between(a.offsets, a.offsets + 1);
}

scratch_case const segment_calls[] = {
    {call::argmin_segments, "floats", two_segments, sizeof(float),
     [](arrays const& a, int64_t, grid::execution on) {
       return grid::argmin_segments(a.in<float>(), a.offsets, 2, a.to<tessera::indexed<float, int64_t>>(), on);
     }},
    {call::argmax_segments, "doubles in windows", two_segments, sizeof(double),
     [](arrays const& a, int64_t, grid::execution on) {
       return grid::argmax_segments(a.in<double>(), windows(a), 2, a.to<tessera::indexed<double, int64_t>>(), on);
     }},
    {call::softmax_segments, "floats", two_segments, sizeof(float),
     [](arrays const& a, int64_t, grid::execution on) {
       return grid::softmax_segments(a.in<float>(), a.offsets, 2, a.to<float>(), on);
     }},
    {call::log_softmax_segments, "doubles in windows that the device counts", two_segments, sizeof(double),
     [](arrays const& a, int64_t, grid::execution on) {
       return grid::log_softmax_segments(a.in<double>(), windows(a), a.all(2), a.to<double>(), on);
     }},
    {call::reduce_segments, "floats in windows", two_segments, sizeof(float),
     [](arrays const& a, int64_t, grid::execution on) {
       return grid::reduce_segments(a.in<float>(), windows(a), 2, a.to<float>(), tessera::plus{}, on);
     }},
    {call::reduce_segments, "integers after a start", two_segments, sizeof(int),
     [](arrays const& a, int64_t, grid::execution on) {
       return grid::reduce_segments(a.in<int>(), a.offsets, 2, a.to<int>(), tessera::plus{}, 7, on);
     }},
};

TEST(GridScratchSegmentsAny, SufficeForEachCall) {
  SKIP_WITHOUT_GPU();
  check_all_scratch(segment_calls);
}

}  // namespace
