// The kernels of calls on segments that aren't given by offsets, on host tiles: gaps, overlaps, any order, lists of long
// segments without room.
#include <gtest/gtest.h>

#include <tessera/grid/rows/row_results.hpp>
#include <tessera/grid/segments/copy_each_segment.hpp>
#include <tessera/grid/segments/reduce_each_segment.hpp>
#include <tessera/grid/segments/scan_each_segment.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "iterators.hpp"
#include "run_each_segment.hpp"
#include "samples.hpp"

namespace {

using namespace test;
namespace detail = tessera::grid::detail;

/// Begins and ends in an array of so many elements.
struct drawn_segments {
  std::vector<int> begins;
  std::vector<std::int64_t> ends;
  static constexpr int elements = 60'000;

  drawn_segments(std::size_t count, unsigned seed) {
    random_engine random(seed);
    int const most[] = {0, 1, 7, 8, 9, 63, 64, 65, 248, 249, 256, 257, 300, 2047, 2048, 2049, 16385, 50'000};
    for (std::size_t s = 0; s < count; ++s) {
      int const length = most[random() % (seed % 3 == 0 ? 18 : seed % 3 == 1 ? 8 : 12)];
      begins.push_back(static_cast<int>(random() % static_cast<unsigned>(elements - length + 1)));
      ends.push_back(begins.back() + length - (random() % 16 == 0 ? 2 * length : 0));  // some end before they begin
    }
  }
  auto list() const { return tessera::grid::segments_between(begins.data(), ends.data()); }
};

template <class R, class In, class Segments, class Op, class F, class Start>
std::vector<R> reduced(In in, Segments const& segments, std::size_t count, unsigned blocks, unsigned capacity,
                       unsigned seed, Op const& op, F const& f, Start const& start, R const& poison) {
  std::vector<R> out(count, poison);
  run_each_segment(segments, static_cast<std::int64_t>(count), blocks, capacity, seed,
                   detail::segment_reduction<In, R, Op, F, Start>{in, out.data(), op, f, start});
  return out;
}

brackets bracket(unsigned x) {
  return x % 2 != 0 ? brackets{1, 0} : brackets{0, 1};
}
std::vector<brackets> some_brackets(std::size_t n) {
  random_engine random(n);
  std::vector<brackets> x(n);
  for (auto& b : x) b = bracket(static_cast<unsigned>(random()));
  return x;
}

/// Computes its elements.
struct bracket_reader {
  brackets const* at;
  brackets operator*() const { return *at; }
  bracket_reader operator+(std::int64_t n) const { return {at + n}; }
};

/// In order, by an operator that doesn't commute; with and without a start, by a pointer and by a reader.
TEST(GridSegmentListOnHost, InOrder) {
  auto const x = some_brackets(drawn_segments::elements);
  bracket_concatenation const join;
  auto const op = tessera::make_operator(join, brackets{0, 0});
  unsigned seed = 0;
  for (std::size_t count : {1u, 2u, 7u, 31u, 100u, 600u}) {
    for (unsigned capacity : {0u, 2u, 1000u, 1u}) {
      ++seed;
      drawn_segments const segments(count, seed);
      unsigned const blocks = 1 + seed % 4;
      brackets const start{seed % 3, 2};
      auto const plain = reduced(x.data(), segments.list(), count, blocks, capacity, seed, op,
                                 tessera::detail::as_it_is{}, detail::no_segment_start{}, brackets{9, 9});
      auto const started = reduced(bracket_reader{x.data()}, segments.list(), count, blocks, capacity, seed, op,
                                   tessera::detail::as_it_is{}, detail::segment_start<brackets>{start}, brackets{9, 9});
      for (std::size_t s = 0; s < count; ++s) {
        brackets all{0, 0};
        for (std::int64_t i = segments.begins[s]; i < segments.ends[s]; ++i)
          all = join(all, x[static_cast<std::size_t>(i)]);
        brackets const after = join(start, all);
        ASSERT_TRUE(plain[s].closed == all.closed && plain[s].opened == all.opened) << s << " of " << count;
        ASSERT_TRUE(started[s].closed == after.closed && started[s].opened == after.opened) << s << " of " << count;
      }
    }
  }
}

/// The bits of a sum depend on the segment alone: neither on how many blocks there are, nor on the list's room.
TEST(GridSegmentListOnHost, BitsOfSums) {
  random_engine random(3);
  std::vector<float> x(drawn_segments::elements);
  for (auto& value : x) value = static_cast<float>(random() % 100'000) * 1e-5f;
  std::size_t const count = 90;
  drawn_segments const segments(count, 3);
  auto const sums = [&](unsigned blocks, unsigned capacity) {
    return reduced(x.data(), segments.list(), count, blocks, capacity, blocks, tessera::plus{},
                   tessera::detail::as_it_is{}, detail::no_segment_start{}, -1.0f);
  };
  auto const expected = sums(1, 100);
  for (unsigned blocks : {1u, 3u, 90u})
    for (unsigned capacity : {0u, 1u, 100u})
      EXPECT_EQ(std::memcmp(sums(blocks, capacity).data(), expected.data(), count * sizeof(float)), 0);
  // Into every second element of an array, by references that are proxies.
  for (unsigned capacity : {0u, 1u, 100u}) {
    std::vector<float> apart(2 * count, -1.0f);
    detail::store_as<float, strided<float, 2>> const store{{apart.data()}};
    run_each_segment(segments.list(), static_cast<std::int64_t>(count), 3, capacity, 1,
                     detail::segment_reduction<float const*, float, tessera::plus, tessera::detail::as_it_is,
                                               detail::no_segment_start, decltype(store)>{x.data(), store, {}, {}, {}});
    for (std::size_t s = 0; s < count; ++s) {
      ASSERT_TRUE(same_bits(apart[2 * s], expected[s])) << s;
      ASSERT_EQ(apart[2 * s + 1], -1.0f) << s;
    }
  }
  for (std::size_t s = 0; s < count; ++s) {
    double exact = 0;
    for (std::int64_t i = segments.begins[s]; i < segments.ends[s]; ++i)
      exact += static_cast<double>(x[static_cast<std::size_t>(i)]);
    auto const length = static_cast<double>(segments.ends[s] - segments.begins[s]);
    ASSERT_LE(std::abs(static_cast<double>(expected[s]) - exact), (length / 32 + 16) * 0x1p-24 * exact);
  }
}

/// One block keeps more long segments than it has room for, some of them at a time.
TEST(GridSegmentListOnHost, ManyLongOnesThatAreNotListed) {
  std::size_t const count = 900;
  std::vector<unsigned> const x(drawn_segments::elements, 1);
  std::vector<int> begins, ends;
  for (std::size_t s = 0; s < count; ++s) {
    begins.push_back(static_cast<int>(s * 37 % 50'000));
    ends.push_back(begins.back() + (s % 11 == 0 ? 5 : 2049 + static_cast<int>(s % 7)));
  }
  auto const sums = reduced(x.data(), tessera::grid::segments_between(begins.data(), ends.data()), count, 1, 3, 1,
                            tessera::plus{}, tessera::detail::as_it_is{}, detail::no_segment_start{}, 7u);
  for (std::size_t s = 0; s < count; ++s) ASSERT_EQ(sums[s], static_cast<unsigned>(ends[s] - begins[s])) << s;
}

TEST(GridSegmentListOnHost, SumsOfNegativeZerosAndOfNothing) {
  std::vector<float> const x(drawn_segments::elements, -0.0f);
  std::size_t const count = 200;
  drawn_segments const segments(count, 6);
  auto const sums = reduced(x.data(), segments.list(), count, 2, 10, 1, tessera::plus{}, tessera::detail::as_it_is{},
                            detail::no_segment_start{}, -1.0f);
  for (std::size_t s = 0; s < count; ++s) {
    ASSERT_EQ(sums[s], 0.0f);
    ASSERT_EQ(std::signbit(sums[s]), segments.begins[s] < segments.ends[s]) << "segment " << s;
  }
  auto const started = reduced(x.data(), segments.list(), count, 2, 10, 1, tessera::plus{}, tessera::detail::as_it_is{},
                               detail::segment_start<float>{-0.0f}, -1.0f);
  for (std::size_t s = 0; s < count; ++s) ASSERT_TRUE(started[s] == 0.0f && std::signbit(started[s])) << s;
}

/// The lowest index in the segment of equal values; the first NaN; the identity of an empty segment.
TEST(GridSegmentListOnHost, ArgminAndArgmax) {
  random_engine random(8);
  std::vector<float> x(drawn_segments::elements);
  for (auto& value : x) value = static_cast<float>(random() % 100'000);
  for (unsigned i = 0; i < 4; ++i) x[random() % x.size()] = std::numeric_limits<float>::quiet_NaN();
  std::size_t const count = 300;
  drawn_segments const segments(count, 9);
  using best = tessera::indexed<float, std::int64_t>;
  auto const check = [&](auto op, float nothing, auto is_better) {
    auto const out = reduced(x.data(), segments.list(), count, 3, 20, 1, op, detail::as_indexed_element{},
                             detail::no_segment_start{}, best{-1.0f, -1});
    for (std::size_t s = 0; s < count; ++s) {
      best expected{nothing, INT64_MAX};
      for (std::int64_t i = segments.begins[s]; i < segments.ends[s]; ++i) {
        float const value = x[static_cast<std::size_t>(i)];
        if (std::isnan(expected.value)) break;
        if (expected.index == INT64_MAX || std::isnan(value) || is_better(value, expected.value))
          expected = {value, i - segments.begins[s]};
      }
      ASSERT_EQ(out[s].index, expected.index) << "segment " << s;
      ASSERT_TRUE(out[s].value == expected.value || std::isnan(expected.value)) << "segment " << s;
    }
  };
  float const infinite = std::numeric_limits<float>::infinity();
  check(tessera::argmin{}, infinite, [](float a, float b) { return a < b; });
  check(tessera::argmax{}, -infinite, [](float a, float b) { return a > b; });
}

/// The first or the last of equal values and of NaNs, in one array or two; of an empty segment the identity.
TEST(GridSegmentListOnHost, ArgminAndArgmaxWithChosenTies) {
  random_engine random(8);
  std::vector<float> x(drawn_segments::elements);
  for (auto& value : x) value = static_cast<float>(random() % 7) - 3;
  for (unsigned i = 0; i < 40; ++i) x[random() % x.size()] = std::numeric_limits<float>::quiet_NaN();
  std::size_t const count = 300;
  drawn_segments const segments(count, 9);
  using best = tessera::indexed<float, std::int64_t>;
  float const infinite = std::numeric_limits<float>::infinity();
  auto const check = [&](auto op, bool last, float nothing) {
    using op_t = decltype(op);
    std::vector<best> together(count, best{-1.0f, -1});
    std::vector<float> values(count, -1.0f);
    std::vector<std::int64_t> indices(count, -1);
    detail::chosen_of_ties const chosen{last};
    auto const run = [&](auto const& store) {
      using store_t = std::decay_t<decltype(store)>;
      run_each_segment(
          segments.list(), static_cast<std::int64_t>(count), 3, 20, 1,
          detail::segment_reduction<float const*, best, op_t, detail::as_numbered_element, detail::no_segment_start,
                                    store_t>{x.data(), store, op, detail::as_numbered_element{chosen}, {}});
    };
    run(detail::store_numbered_best<detail::best_place<float>>{{together.data()}, chosen});
    run(detail::store_numbered_best<detail::best_places<float>>{{values.data(), indices.data()}, chosen});
    for (std::size_t s = 0; s < count; ++s) {
      best expected{nothing, INT64_MAX};
      for (std::int64_t i = segments.begins[s]; i < segments.ends[s]; ++i) {
        float const value = x[static_cast<std::size_t>(i)];
        bool const is_first = expected.index == INT64_MAX, is_best = std::isnan(expected.value);
        bool const ties = !is_first && (is_best ? std::isnan(value) : value == expected.value);
        bool const beats =
            is_first ||
            (!is_best && (std::isnan(value) || (nothing > 0 ? value < expected.value : value > expected.value)));
        if (beats || (ties && last)) expected = {value, i - segments.begins[s]};
      }
      ASSERT_EQ(indices[s], expected.index) << "segment " << s << ", last " << last;
      ASSERT_EQ(together[s].index, expected.index) << "segment " << s;
      ASSERT_TRUE(values[s] == expected.value || (std::isnan(values[s]) && std::isnan(expected.value)));
      ASSERT_EQ(std::memcmp(&values[s], &together[s].value, sizeof(float)), 0);
    }
  };
  for (bool last : {false, true}) {
    check(tessera::argmin{}, last, infinite);
    check(tessera::argmax{}, last, -infinite);
  }
}

/// Copies of segments that lie one after the other, and back to where they were, among elements of none.
TEST(GridSegmentListOnHost, CopiesAndBack) {
  using bytes = detail::opaque_t<short>;
  std::size_t const count = 70;
  std::vector<short> x;
  std::vector<int> begins, ends;
  std::vector<std::int64_t> places;
  std::vector<short> expected;
  random_engine random(4);
  for (std::size_t s = 0; s < count; ++s) {
    x.insert(x.end(), random() % 3, static_cast<short>(-1));
    int const length =
        s == 9 || s == 50 ? 40'000 : static_cast<int>(random() % 5 == 0 ? random() % 3000 : random() % 90);
    begins.push_back(static_cast<int>(x.size()));
    for (int i = 0; i < length; ++i) x.push_back(static_cast<short>(random() % 30'000));
    ends.push_back(static_cast<int>(x.size()));
    places.push_back(static_cast<std::int64_t>(expected.size()));
    expected.insert(expected.end(), x.end() - length, x.end());
  }
  auto const segments = tessera::grid::segments_between(begins.data(), ends.data());
  auto const copied = [&](std::vector<short> const& from, std::vector<short> to, bool back) {
    run_each_segment(
        segments, static_cast<std::int64_t>(count), 3, 6, 2,
        detail::segment_copy<detail::placed_segments<bytes>>{
            {reinterpret_cast<bytes const*>(from.data()), reinterpret_cast<bytes*>(to.data()), places.data(), back}});
    return to;
  };
  EXPECT_EQ(copied(x, std::vector<short>(expected.size(), -7), false), expected);
  std::vector<short> without(x.size(), -7), again = x;
  for (auto& value : again) value = static_cast<short>(value == -1 ? -7 : value);
  EXPECT_EQ(copied(expected, without, true), again);
}

/// Scans by an operator that doesn't commute, of segments with gaps between, the last one first.
template <class Kind>
void check_scans(Kind const& kind, bool inclusive, brackets start, bool in_place) {
  bracket_concatenation const join;
  auto x = some_brackets(20'000);
  random_engine random(6);
  std::vector<int> begins, ends;
  for (int at = 3; at < 16'000;) {
    int const length = static_cast<int>(random() % 8 == 0 ? random() % 3000 : random() % 100);
    begins.insert(begins.begin(), at);
    ends.insert(ends.begin(), at += length);
    at += static_cast<int>(random() % 2);
  }
  auto const segments = tessera::grid::segments_between(begins.data(), ends.data());
  auto const op = tessera::make_operator(join, brackets{0, 0});
  std::vector<brackets> out(x.size(), brackets{9, 9}), expected = in_place ? x : out;
  for (std::size_t s = 0; s < begins.size(); ++s) {
    brackets all = start;
    for (auto i = static_cast<std::size_t>(begins[s]); i < static_cast<std::size_t>(ends[s]); ++i) {
      brackets const before = all;
      all = join(all, x[i]);
      expected[i] = inclusive ? all : before;
    }
  }
  brackets* const to = in_place ? x.data() : out.data();
  run_each_segment(
      segments, static_cast<std::int64_t>(begins.size()), 3, 4, 3,
      detail::segment_scan<brackets const*, brackets*, std::decay_t<decltype(op)>, Kind>{x.data(), to, op, kind});
  ASSERT_EQ(std::memcmp(to, expected.data(), x.size() * sizeof(brackets)), 0);
}
TEST(GridSegmentListOnHost, Scans) {
  for (bool in_place : {false, true}) {
    check_scans(detail::inclusive_kind{}, true, {0, 0}, in_place);
    check_scans(detail::exclusive_kind{}, false, {0, 0}, in_place);
    check_scans(detail::exclusive_from_kind<brackets>{{2, 1}}, false, {2, 1}, in_place);
  }
}

/// Takes ints.
struct int_writer {
  int* at;
  struct place {
    int* to;
    TESSERA_FN void operator=(int x) const { *to = x; }
  };
  place operator*() const { return {at}; }
  int_writer operator+(std::int64_t n) const { return {at + n}; }
};

/// Sums of shorts are ints if an iterator takes them, whoever scans the segment.
TEST(GridSegmentListOnHost, ScansOfShortsIntoAnIterator) {
  std::vector<short> const x(3000, 1000);
  std::vector<int> const begins{0, 0, 0, 0}, ends{200, 256, 257, 2900};
  for (std::size_t s = 0; s < begins.size(); ++s) {
    std::vector<int> out(3000, -1);
    detail::segment_scan<short const*, int_writer, tessera::plus, detail::inclusive_kind> const body{
        x.data(), {out.data()}, {}, {}};
    run_each_segment(tessera::grid::segments_between(begins.data() + s, ends.data() + s), 1, 1, 10, 1, body);
    for (int i = 0; i < ends[s]; ++i) ASSERT_EQ(out[static_cast<std::size_t>(i)], 1000 * (i + 1)) << ends[s];
  }
}

TEST(GridSegmentListOnHost, OfOneLength) {
  auto const x = some_brackets(20'000);
  bracket_concatenation const join;
  for (std::int64_t length : {0, 1, 5, 64, 65, 2500}) {
    std::size_t const count = length > 64 ? 8 : 300;
    auto const out = reduced(x.data(), tessera::grid::segments_of_length(length), count, 2, 3, 5,
                             tessera::make_operator(join, brackets{0, 0}), tessera::detail::as_it_is{},
                             detail::no_segment_start{}, brackets{9, 9});
    for (std::size_t s = 0; s < count; ++s) {
      brackets all{0, 0};
      for (std::int64_t i = 0; i < length; ++i)
        all = join(all, x[s * static_cast<std::size_t>(length) + static_cast<std::size_t>(i)]);
      ASSERT_TRUE(out[s].closed == all.closed && out[s].opened == all.opened) << s << " of length " << length;
    }
  }
}

}  // namespace
