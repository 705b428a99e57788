// What a sort of segments copies to where it is sorted, on the CPU: the elements of all segments, each once, and no other.
#include <gtest/gtest.h>

#include <tessera/grid/segments/segment_input.hpp>

#include <cstdint>
#include <vector>

#include "iterators.hpp"
#include "run_each_segment.hpp"
#include "samples.hpp"

namespace {

using namespace test;
namespace detail = tessera::grid::detail;

struct counting_reads {
  std::vector<int>* reads;
  unsigned operator()(std::int64_t i) const {
    ++reads->at(static_cast<std::size_t>(i));
    return static_cast<unsigned>(i) * 2654435761u;
  }
};
constexpr unsigned untouched = 77;

template <class Offset>
void check_offsets(Offset first, Offset end, std::int64_t n) {
  std::vector<int> reads(static_cast<std::size_t>(n));
  std::vector<unsigned> out(reads.size(), untouched);
  computed<counting_reads> const in{{&reads}};
  Offset const middle = (first + end) / 2;
  std::vector<Offset> const offsets{first, middle, middle, end};
  detail::segment_input_task<computed<counting_reads>> const task{
      in, reinterpret_cast<detail::opaque_t<unsigned>*>(out.data()), detail::segment_offsets::of(offsets.data()), 3};
  for (std::int64_t block = 0; block * detail::sort_input_tuning::of_block < n; ++block) {
    for (unsigned rank = 0; rank < detail::sort_input_tuning::threads; ++rank)
      detail::run_segment_input_agent(rank, block, task);
  }
  for (std::int64_t i = 0; i < n; ++i) {
    auto const at = static_cast<std::size_t>(i);
    bool const is_inside = i >= static_cast<std::int64_t>(first) && i < static_cast<std::int64_t>(end);
    ASSERT_EQ(reads[at], is_inside ? 1 : 0) << i;
    ASSERT_EQ(out[at], is_inside ? static_cast<unsigned>(i) * 2654435761u : untouched) << i;
  }
}
TEST(GridSegmentInput, ByOffsets) {
  for (int n : {0, 1, 255, 4096, 4097, 20'000}) {
    check_offsets<int>(0, n, n);
    if (n < 2) continue;
    check_offsets<std::int64_t>(1, n - 1, n);
    check_offsets<unsigned>(static_cast<unsigned>(n) / 2, static_cast<unsigned>(n), n);
    check_offsets<int>(1, 1, n);
  }
}

TEST(GridSegmentInput, IntoAnArrayWithoutGaps) {
  std::vector<int> begins, ends;
  std::vector<std::int64_t> places;
  int at = 0;
  std::int64_t place = 0;
  for (int length : {0, 1, 8, 9, 64, 65, 700, 2048, 2049, 17'000, 40'000, 3}) {
    at += length % 3 + 1;
    begins.insert(begins.begin(), at);
    ends.insert(ends.begin(), at += length);
  }
  for (std::size_t s = 0; s < begins.size(); ++s) {
    places.push_back(place);
    place += ends[s] - begins[s];
  }
  std::vector<int> reads(static_cast<std::size_t>(at) + 1);
  std::vector<unsigned> out(static_cast<std::size_t>(place) + 1, untouched);
  detail::segment_copy<detail::gathered_segments<computed<counting_reads>>> const body{
      {{{&reads}}, reinterpret_cast<detail::opaque_t<unsigned>*>(out.data()), places.data()}};
  run_each_segment(tessera::grid::segments_between(begins.data(), ends.data()),
                   static_cast<std::int64_t>(begins.size()), 2, 5, 3, body);
  std::size_t next = 0;
  for (std::size_t s = 0; s < begins.size(); ++s) {
    for (int i = begins[s]; i < ends[s]; ++i) {
      ASSERT_EQ(out[next++], static_cast<unsigned>(i) * 2654435761u) << i;
      ASSERT_EQ(reads[static_cast<std::size_t>(i)], 1) << i;
      reads[static_cast<std::size_t>(i)] = 0;
    }
  }
  EXPECT_EQ(out[next], untouched);
  for (int count : reads) ASSERT_EQ(count, 0);
}

}  // namespace
