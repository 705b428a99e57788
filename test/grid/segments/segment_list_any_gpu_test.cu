// Segments that aren't given by offsets, iterators, starts and numbers of segments on the device: against a loop, and beside CUB's
// DeviceSegmentedReduce by begins and ends.
#include <cub/device/device_segmented_reduce.cuh>

#include <tessera/grid/scan_segments.cuh>
#include <tessera/grid/segments.cuh>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "backend.hpp"
#include "iterators.hpp"
#include "memory_of_caller.hpp"
#include "samples.hpp"
#include "segment_lengths.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

using GridSegmentListAny = WithWorkspace;

using best = tessera::indexed<unsigned, std::int64_t>;

/// Segments with these lengths anywhere in an array, so that some overlap and others have gaps between.
struct scattered_segments {
  std::vector<int> begins;
  std::vector<std::int64_t> ends;
  std::int64_t elements = 0;

  explicit scattered_segments(segment_lengths const& what) {
    random_engine random(3);
    for (std::int64_t length : what.lengths) elements = std::max(elements, length);
    elements += 1000;
    for (std::int64_t length : what.lengths) {
      begins.push_back(static_cast<int>(random() % static_cast<std::uint64_t>(elements - length + 1)));
      ends.push_back(begins.back() + length);
    }
  }
};

/// Keeps the first operand that isn't 0: it doesn't commute.
struct take_first {
  TESSERA_FN unsigned operator()(unsigned a, unsigned b) const { return a == 0 ? b : a; }
};
struct spread {
  TESSERA_FN unsigned operator()(std::int64_t i) const {
    unsigned const h = static_cast<unsigned>(i) * 2654435761u;
    return h % 5 == 0 ? h >> 8 : 0;
  }
};
auto const in_order = tessera::make_operator(take_first{}, 0u);

std::vector<unsigned> spread_values(std::int64_t n) {
  std::vector<unsigned> x;
  for (std::int64_t i = 0; i < n; ++i) x.push_back(spread{}(i));
  return x;
}
template <class Op>
unsigned combined(std::vector<unsigned> const& x, std::int64_t begin, std::int64_t length, Op op, unsigned start) {
  for (std::int64_t i = begin; i < begin + length; ++i) start = op(start, x[static_cast<std::size_t>(i)]);
  return start;
}

TEST_F(GridSegmentListAny, BeginsAndEnds) {
  for (auto const& what : all_segment_lengths()) {
    if (!is_worth(what.size() / 4)) continue;
    scattered_segments const scattered(what);
    auto const x = spread_values(scattered.elements);
    std::size_t const count = what.lengths.size();
    gpu_array<unsigned> const in(x), sums(count + 1), firsts(count + 1), started(count + 1), computed_sums(count + 1);
    gpu_array<best> const greatest(count + 1);
    gpu_array<int> const begins(scattered.begins);
    gpu_array<std::int64_t> const ends(scattered.ends);
    auto const segments = grid::segments_between(begins.data(), ends.data());
    ASSERT_EQ(grid::reduce_segments(in.data(), segments, count, sums.data(), tessera::plus{}, memory), cudaSuccess);
    ASSERT_EQ(grid::reduce_segments(in.data(), segments, count, firsts.data(), in_order, memory), cudaSuccess);
    ASSERT_EQ(grid::reduce_segments(in.data(), segments, count, started.data(), tessera::plus{}, 7u, memory),
              cudaSuccess);
    ASSERT_EQ(grid::reduce_segments(computed{spread{}}, segments, count, computed_sums.data(), tessera::plus{}, memory),
              cudaSuccess);
    ASSERT_EQ(grid::argmax_segments(in.data(), segments, count, greatest.data(), memory), cudaSuccess);
    auto const got = sums.to_host(), got_firsts = firsts.to_host(), got_started = started.to_host();
    auto const got_best = greatest.to_host();
    EXPECT_EQ(computed_sums.to_host(), got) << what.name;
    for (std::size_t s = 0; s < count; ++s) {
      std::int64_t const begin = scattered.begins[s], length = what.lengths[s];
      unsigned const sum = combined(x, begin, length, tessera::plus{}, 0u);
      ASSERT_EQ(got[s], sum) << what.name << ", segment " << s;
      ASSERT_EQ(got_started[s], sum + 7u) << what.name << ", segment " << s;
      ASSERT_EQ(got_firsts[s], combined(x, begin, length, take_first{}, 0u)) << what.name << ", segment " << s;
      auto const first = x.begin() + begin;
      std::int64_t const place = length == 0 ? INT64_MAX : std::max_element(first, first + length) - first;
      ASSERT_EQ(got_best[s].index, place) << what.name << ", segment " << s;
      ASSERT_EQ(got_best[s].value, length == 0 ? 0u : first[place]) << what.name << ", segment " << s;
    }
  }
}

/// The last of equal values, and results in two arrays, however segments are given.
TEST_F(GridSegmentListAny, LastOfEqualValues) {
  for (auto const& what : all_segment_lengths()) {
    if (!is_worth(what.size() / 4)) continue;
    auto const count = static_cast<std::int64_t>(what.lengths.size());
    std::size_t const room = what.lengths.size() + 1;
    auto const x = spread_values(what.items() + 1);
    gpu_array<unsigned> const in(x), values(std::vector<unsigned>(room, 9u));
    gpu_array<std::int64_t> const indices(std::vector<std::int64_t>(room, -5)), lengths(what.lengths);
    gpu_array<int> const offsets(what.offsets<int>(0));
    gpu_array<best> const together(room), greatest(room);
    auto const adjoining = grid::segments_of_lengths(lengths.data());
    ASSERT_EQ(grid::argmin_segments(in.data(), offsets.data(), count, values.data(), indices.data(), grid::ties::last,
                                    memory),
              cudaSuccess);
    ASSERT_EQ(grid::argmin_segments(in.data(), adjoining, count, together.data(), grid::ties::last, memory),
              cudaSuccess);
    auto const got = values.to_host();
    auto const got_indices = indices.to_host();
    auto const got_together = together.to_host();
    EXPECT_EQ(grid::argmin_segments(in.data(), offsets.data(), count, values.data(),
                                    reinterpret_cast<std::int64_t*>(values.data()), grid::ties::last, memory),
              count == 0 ? cudaSuccess : cudaErrorInvalidValue);
    std::int64_t begin = 0;
    for (std::size_t s = 0; s + 1 < room; ++s) {
      std::int64_t const length = what.lengths[s];
      std::int64_t place = length == 0 ? INT64_MAX : 0;
      for (std::int64_t i = 1; i < length; ++i)
        if (x[static_cast<std::size_t>(begin + i)] <= x[static_cast<std::size_t>(begin + place)]) place = i;
      ASSERT_EQ(got_indices[s], place) << what.name << ", segment " << s;
      ASSERT_EQ(got_together[s].index, place) << what.name << ", segment " << s;
      ASSERT_EQ(got[s], length == 0 ? UINT_MAX : x[static_cast<std::size_t>(begin + place)]) << what.name;
      begin += length;
    }
    ASSERT_EQ(got_indices[room - 1], -5) << what.name << ": beyond the segments";
    ASSERT_EQ(grid::argmax_segments(in.data(), offsets.data(), count, values.data(), indices.data(), memory),
              cudaSuccess);
    ASSERT_EQ(grid::argmax_segments(in.data(), offsets.data(), count, greatest.data(), memory), cudaSuccess);
    auto const of_two = indices.to_host();
    auto const of_one = greatest.to_host();
    for (std::size_t s = 0; s + 1 < room; ++s) ASSERT_EQ(of_two[s], of_one[s].index) << what.name << ", segment " << s;
  }
}

/// Lengths, offsets and numbers on the device, against the call by offsets.
TEST_F(GridSegmentListAny, LengthsAndNumbersOnTheDevice) {
  for (auto const& what : all_segment_lengths()) {
    if (!is_worth(what.size() / 4)) continue;
    auto const count = static_cast<std::int64_t>(what.lengths.size());
    std::size_t const room = what.lengths.size() + 1;
    gpu_array<unsigned> const in(spread_values(what.items() + 1)), expected(room), out(std::vector<unsigned>(room, 3u));
    gpu_array<int> const offsets(what.offsets<int>(0));
    gpu_array<std::int64_t> const lengths(what.lengths);
    gpu_array<best> const by_lengths(room), by_offsets(room);
    auto const adjoining = grid::segments_of_lengths(lengths.data());
    ASSERT_EQ(grid::reduce_segments(in.data(), offsets.data(), count, expected.data(), tessera::plus{}, memory),
              cudaSuccess);
    ASSERT_EQ(grid::reduce_segments(in.data(), adjoining, count, out.data(), tessera::plus{}, memory), cudaSuccess);
    auto const want = expected.to_host();
    auto got = out.to_host();
    ASSERT_TRUE(std::equal(want.begin(), want.end() - 1, got.begin())) << what.name;
    ASSERT_EQ(grid::argmin_segments(in.data(), adjoining, count, by_lengths.data()), cudaSuccess);
    ASSERT_EQ(grid::argmin_segments(in.data(), offsets.data(), count, by_offsets.data()), cudaSuccess);
    auto const a = by_lengths.to_host(), b = by_offsets.to_host();
    for (std::size_t s = 0; s + 1 < room; ++s) {
      ASSERT_EQ(a[s].index, b[s].index) << what.name << ", segment " << s;
    }
    for (std::int64_t some : {std::int64_t{0}, count / 3, count, count + 9}) {
      gpu_array<std::int64_t> const number(std::vector<std::int64_t>{some});
      auto const known = grid::count_on_device(number.data(), count);
      gpu_array<unsigned> const first(std::vector<unsigned>(room, 5u)), second(std::vector<unsigned>(room, 5u));
      ASSERT_EQ(grid::reduce_segments(in.data(), offsets.data(), known, first.data(), tessera::plus{}, memory),
                cudaSuccess);
      ASSERT_EQ(grid::reduce_segments(in.data(), adjoining, known, second.data(), tessera::plus{}, memory),
                cudaSuccess);
      auto const x = first.to_host();
      EXPECT_EQ(x, second.to_host()) << what.name << ", " << some;
      for (std::size_t s = 0; s < room; ++s) {
        ASSERT_EQ(x[s], static_cast<std::int64_t>(s) < std::min(some, count) ? want[s] : 5u)
            << what.name << ", " << some << ", segment " << s;
      }
    }
  }
}

TEST_F(GridSegmentListAny, OneLength) {
  for (std::int64_t length : {0, 1, 7, 64, 65, 1000, 5000}) {
    std::int64_t const count = length == 0 ? 1000 : 300'001 / length + 3;
    auto const x = spread_values(count * length + 1);
    gpu_array<unsigned> const in(x), out(static_cast<std::size_t>(count)), by_reader(static_cast<std::size_t>(count));
    gpu_array<best> const least(static_cast<std::size_t>(count));
    auto const segments = grid::segments_of_length(length);
    ASSERT_EQ(grid::reduce_segments(in.data(), segments, count, out.data(), in_order, memory), cudaSuccess);
    ASSERT_EQ(grid::reduce_segments(computed{spread{}}, segments, count, by_reader.data(), in_order, memory),
              cudaSuccess);
    ASSERT_EQ(grid::argmin_segments(in.data(), segments, count, least.data(), memory), cudaSuccess);
    auto const got = out.to_host();
    auto const got_least = least.to_host();
    EXPECT_EQ(got, by_reader.to_host()) << length;
    for (std::int64_t s = 0; s < count; ++s) {
      ASSERT_EQ(got[static_cast<std::size_t>(s)], combined(x, s * length, length, take_first{}, 0u)) << s;
      auto const first = x.begin() + s * length;
      ASSERT_EQ(got_least[static_cast<std::size_t>(s)].index,
                length == 0 ? INT64_MAX : std::min_element(first, first + length) - first)
          << s;
    }
  }
}

/// Scans of segments with gaps between, the last one first; by lengths, of one length and by an iterator, as by offsets.
TEST_F(GridSegmentListAny, Scans) {
  for (auto const& what : all_segment_lengths()) {
    if (!is_worth(what.size() / 4) || what.lengths.empty()) continue;
    auto const n = what.items() + static_cast<std::int64_t>(what.lengths.size());
    auto const count = static_cast<std::int64_t>(what.lengths.size());
    auto const x = spread_values(n);
    std::vector<int> begins, ends;
    std::vector<unsigned> inclusive(x.size(), 3u), exclusive = inclusive;
    int at = 0;
    for (std::int64_t length : what.lengths) {
      begins.push_back(at);
      unsigned first = 0, sum = 5;
      for (int const end = at + static_cast<int>(length); at < end; ++at) {
        auto const i = static_cast<std::size_t>(at);
        exclusive[i] = sum;
        inclusive[i] = first = take_first{}(first, x[i]);
        sum += x[i];
      }
      ends.push_back(at++);
    }
    std::reverse(begins.begin(), begins.end());
    std::reverse(ends.begin(), ends.end());
    gpu_array<unsigned> const in(x), firsts(std::vector<unsigned>(x.size(), 3u)), sums(firsts.to_host());
    gpu_array<int> const first(begins), last(ends), offsets(what.offsets<int>(0));
    gpu_array<std::int64_t> const lengths(what.lengths);
    auto const windows = grid::segments_between(first.data(), last.data());
    ASSERT_EQ(grid::inclusive_scan_segments(in.data(), n, windows, count, firsts.data(), in_order, memory),
              cudaSuccess);
    ASSERT_EQ(
        grid::exclusive_scan_segments(computed{spread{}}, n, windows, count, sums.data(), tessera::plus{}, 5u, memory),
        cudaSuccess);
    EXPECT_EQ(firsts.to_host(), inclusive) << what.name;
    EXPECT_EQ(sums.to_host(), exclusive) << what.name;
    gpu_array<unsigned> const by_offsets(x), by_lengths(x), by_reader(x);
    ASSERT_EQ(grid::exclusive_scan_segments(in.data(), n, offsets.data(), count, by_offsets.data()), cudaSuccess);
    ASSERT_EQ(grid::exclusive_scan_segments(in.data(), n, grid::segments_of_lengths(lengths.data()), count,
                                            by_lengths.data(), tessera::plus{}, memory),
              cudaSuccess);
    ASSERT_EQ(grid::exclusive_scan_segments(computed{spread{}}, n, offsets.data(), count, by_reader.data()),
              cudaSuccess);
    auto const want = by_offsets.to_host();
    EXPECT_EQ(by_lengths.to_host(), want) << what.name;
    EXPECT_EQ(by_reader.to_host(), want) << what.name;
  }
  gpu_array<unsigned> const in(spread_values(9000)), out(spread_values(9000)), some(spread_values(9000));
  ASSERT_EQ(grid::inclusive_scan_segments(in.data(), 9000, grid::segments_of_length(90), 100, out.data()), cudaSuccess);
  auto const got = out.to_host(), x = in.to_host();
  for (std::size_t i = 0; i < 9000; ++i) ASSERT_EQ(got[i], x[i] + (i % 90 == 0 ? 0u : got[i - 1])) << i;
  gpu_array<std::int64_t> const number(std::vector<std::int64_t>{7});
  ASSERT_EQ(
      grid::inclusive_scan_segments(some.data(), 9000, grid::segments_of_length(90),
                                    grid::count_on_device(number.data(), 100), some.data(), tessera::plus{}, memory),
      cudaSuccess);
  auto const got_some = some.to_host();
  for (std::size_t i = 0; i < 9000; ++i) ASSERT_EQ(got_some[i], i < 7 * 90 ? got[i] : x[i]) << i;
}

/// Sums of small integers are exact: CUB's to the bit.
TEST_F(GridSegmentListAny, AsCub) {
  for (auto const& what : all_segment_lengths()) {
    if (what.lengths.empty() || !is_worth(what.size() / 4)) continue;
    scattered_segments const scattered(what);
    random_engine random(6);
    std::vector<float> x(static_cast<std::size_t>(scattered.elements));
    for (auto& value : x) value = static_cast<float>(random() % 3);
    std::size_t const count = what.lengths.size();
    gpu_array<float> const in(x), ours(count), cubs(count);
    gpu_array<int> const begins(scattered.begins), ends(std::vector<int>(scattered.ends.begin(), scattered.ends.end()));
    std::size_t bytes = 1 << 20;
    gpu_array<char> const scratch(bytes);
    ASSERT_EQ(cub::DeviceSegmentedReduce::Sum(scratch.data(), bytes, in.data(), cubs.data(),
                                              static_cast<std::int64_t>(count), begins.data(), ends.data()),
              cudaSuccess);
    ASSERT_EQ(grid::reduce_segments(in.data(), grid::segments_between(begins.data(), ends.data()), count, ours.data(),
                                    tessera::plus{}, memory),
              cudaSuccess);
    EXPECT_EQ(ours.to_host(), cubs.to_host()) << what.name;
  }
}

/// A graph holds the scan of the lengths, and its memory.
TEST_F(GridSegmentListAny, InAGraph) {
  SKIP_WITHOUT_GPU();
  gpu_array<unsigned> const in(spread_values(100)), out(std::vector<unsigned>(4, 9u));
  gpu_array<int> const lengths(std::vector<int>{3, 0, 90, 7});
  auto const run = [&](grid::execution on) {
    return grid::reduce_segments(in.data(), grid::segments_of_lengths(lengths.data()), 4, out.data(), tessera::plus{},
                                 on);
  };
  cudaStream_t s{};
  cudaGraph_t graph{};
  cudaGraphExec_t executable{};
  ASSERT_EQ(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(run(s), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(s), cudaSuccess);
  auto const expected = out.to_host();
  ASSERT_EQ(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_EQ(run(s), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(s, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(out.data(), 0, 4 * sizeof(unsigned), s), cudaSuccess);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(cudaGraphLaunch(executable, s), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(s), cudaSuccess);
  EXPECT_EQ(out.to_host(), expected);
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(s), cudaSuccess);
}

TEST_F(GridSegmentListAny, InMemoryOfTheCallers) {
  constexpr std::int64_t count = 10'000;
  std::vector<std::int64_t> all(count, 4);
  all[7] = 9000;
  segment_lengths const what{"short and long", all};
  auto const offsets = what.offsets<int>(0);
  auto const x = spread_values(offsets.back());
  std::vector<unsigned> sums, scanned(x.size());
  for (std::size_t s = 0; s < all.size(); ++s) {
    unsigned sum = 0;
    for (auto i = static_cast<std::size_t>(offsets[s]); i < static_cast<std::size_t>(offsets[s + 1]); ++i)
      scanned[i] = sum += x[i];
    sums.push_back(sum);
  }
  gpu_array<unsigned> const in(x), sums_out(all.size()), scanned_out(x.size());
  gpu_array<std::int64_t> const lengths(all);
  auto const segments = grid::segments_of_lengths(lengths.data());
  cudaDeviceProp gpu{};
  check(cudaGetDeviceProperties(&gpu, test::gpu().index));
  using namespace grid::detail;
  check_in_memory_of_caller(
      located_scratch(count, reduced_scratch(gpu.multiProcessorCount, sizeof(unsigned))).total(),
      [&](grid::execution on) {
        return grid::reduce_segments(in.data(), segments, count, sums_out.data(), tessera::plus{}, on);
      },
      [&](char const* how) {
        EXPECT_EQ(sums_out.to_host(), sums) << how;
        check(cudaMemset(sums_out.data(), 0, sums.size() * sizeof(unsigned)));
      });
  auto const n = static_cast<std::int64_t>(x.size());
  check_in_memory_of_caller(
      located_scratch(count, scanned_scratch(n, sizeof(unsigned), sizeof(unsigned))).total(),
      [&](grid::execution on) {
        return grid::inclusive_scan_segments(in.data(), n, segments, count, scanned_out.data(), tessera::plus{}, on);
      },
      [&](char const* how) {
        EXPECT_EQ(scanned_out.to_host(), scanned) << how;
        check(cudaMemset(scanned_out.data(), 0, x.size() * sizeof(unsigned)));
      });
}

TEST_F(GridSegmentListAny, Refusals) {
  SKIP_WITHOUT_GPU();
  gpu_array<unsigned> const in(std::vector<unsigned>(10, 1u)), out(std::vector<unsigned>(3, 0u));
  gpu_array<int> const places(std::vector<int>{0, 1, 2, 3});
  int const* const nowhere = nullptr;
  auto const between = grid::segments_between(places.data(), places.data() + 1);
  auto const run = [&](auto segments, std::int64_t count, unsigned* to) {
    return grid::reduce_segments(in.data(), segments, count, to, tessera::plus{}, 1u, memory);
  };
  EXPECT_EQ(run(between, -1, out.data()), cudaErrorInvalidValue);
  EXPECT_EQ(run(between, 3, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(run(grid::segments_between(nowhere, places.data()), 3, out.data()), cudaErrorInvalidValue);
  EXPECT_EQ(run(grid::segments_of_lengths(nowhere), 3, out.data()), cudaErrorInvalidValue);
  EXPECT_EQ(run(grid::segments_of_length(-1), 3, out.data()), cudaErrorInvalidValue);
  EXPECT_EQ(run(grid::segments_of_length(INT64_MAX / 2), 3, out.data()), cudaErrorInvalidValue);
  EXPECT_EQ(run(between, 3, reinterpret_cast<unsigned*>(places.data())), cudaErrorInvalidValue);
  EXPECT_EQ(run(grid::segments_between(nowhere, nowhere), 0, nullptr), cudaSuccess);
  EXPECT_EQ(grid::reduce_segments(in.data(), between, grid::count_on_device(nullptr, 3), out.data()),
            cudaErrorInvalidValue);
}

}  // namespace
