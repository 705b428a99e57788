// The table of compact, for one type: sizes × participants. The kept values must be in order, their number
// right, and nothing may be written past them.
#pragma once

#include <tessera/compact.hpp>

#include "reduce_cases.hpp"

namespace test {

/// Every tile has memory for one value per lane and one more. Each lane returns the count that it got.
template <class T, class Policy>
struct compact_kernel {
  T* out;
  Policy policy;
  who participants;

  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, std::pair<lane_input<T>, unsigned> in) const {
    unsigned const number = in.second / tile.size();
    T* const mine = out + number * (tile.size() + 1);
    bool const keep = in.first.pred;
    if (participants == who::first)
      return tessera::compact(tile, in.first.x, keep, mine, policy | tessera::first(in.first.n));
    if (participants == who::where)
      return tessera::compact(tile, in.first.x, keep, mine, policy | tessera::where(in.second % 3 != 0));
    return tessera::compact(tile, in.first.x, keep, mine, policy);
  }
};

template <unsigned N, class T, class Policy>
void check_compact(Policy policy) {
  for (who participants : {who::everyone, who::first, who::where}) {
    random_engine random(N);
    auto const lanes = make_lanes<T>(N, random, sample<T>);
    std::vector<std::pair<lane_input<T>, unsigned>> in;
    for (auto const& lane : lanes) in.push_back({lane, static_cast<unsigned>(in.size())});
    T const mark = sample<T>(random);
    std::vector<T> expected(lanes.size() / N * (N + 1), mark);
    std::vector<unsigned> counts;
    backend::array<T> memory(expected);
    for (unsigned base = 0; base < lanes.size(); base += N) {
      unsigned count = 0;
      for (unsigned rank = 0; rank < N; ++rank) {
        auto const& lane = lanes[base + rank];
        bool const in_it =
            participants == who::everyone || (participants == who::first ? rank < lane.n : (base + rank) % 3 != 0);
        if (lane.pred && in_it) expected[base / N * (N + 1) + count++] = lane.x;
      }
      counts.insert(counts.end(), N, count);
    }
    auto const returned = backend::run<N, unsigned>(in, compact_kernel<T, Policy>{memory.data(), policy, participants});
    ASSERT_EQ(returned, counts) << "N " << N << ", participants " << static_cast<int>(participants);
    auto const got = memory.to_host();
    for (unsigned i = 0; i < got.size(); ++i)
      ASSERT_TRUE(same_bits(got[i], expected[i])) << "N " << N << ", element " << i << ": " << show(got[i]);
  }
}

// ---- Appending: the tiles' ranges are adjacent, from the counter's first value on, in any order; each is
// in rank order.

template <class Counter>
struct reserved_range {
  Counter begin;
  unsigned count;
};

template <class T, class Counter, class Policy>
struct append_kernel {
  T* out;
  Counter* counter;
  Policy policy;
  who participants;

  template <class Tile>
  TESSERA_FN reserved_range<Counter> operator()(Tile const& tile, lane_input<T> in) const {
    auto const returned = [&] {
      if (participants == who::first)
        return tessera::compact(tile, in.x, in.pred, out, counter, policy | tessera::first(in.n));
      if (participants == who::where)
        return tessera::compact(tile, in.x, in.pred, out, counter,
                                policy | tessera::where(tile.thread_rank() % 3 != 0));
      return tessera::compact(tile, in.x, in.pred, out, counter, policy);
    }();
    return {returned.begin, returned.count};
  }
};

/// Checks the results of the tiles from `lanes` on, and the values that they wrote to `got`. All else must
/// hold `mark`.
template <class T, class Counter>
void check_ranges(std::vector<lane_input<T>> const& lanes, unsigned N, who participants, Counter start,
                  std::vector<reserved_range<Counter>> const& returned, Counter end, std::vector<T> const& got,
                  T const& mark) {
  std::vector<bool> written(got.size());
  unsigned total = 0;
  for (unsigned base = 0; base < lanes.size(); base += N) {
    std::vector<T> kept;
    for (unsigned rank = 0; rank < N; ++rank) {
      auto const& lane = lanes[base + rank];
      bool const in = participants == who::everyone || (participants == who::first ? rank < lane.n : rank % 3 != 0);
      if (in && lane.pred) kept.push_back(lane.x);
    }
    Counter const begin = returned[base].begin;
    for (unsigned rank = 0; rank < N; ++rank) {
      ASSERT_EQ(returned[base + rank].count, kept.size()) << "N " << N << ", tile " << base / N;
      ASSERT_EQ(returned[base + rank].begin, begin) << "N " << N << ", tile " << base / N;
    }
    if (kept.empty()) {
      ASSERT_EQ(begin, Counter{0});
    }
    for (std::size_t i = 0; i < kept.size(); ++i) {
      auto const at = static_cast<std::size_t>(begin) + i;
      ASSERT_LT(at, got.size());
      ASSERT_FALSE(written[at]) << "two ranges overlap at " << at;
      written[at] = true;
      ASSERT_TRUE(same_bits(got[at], kept[i])) << "N " << N << ", element " << at << ": " << show(got[at]);
    }
    total += static_cast<unsigned>(kept.size());
  }
  ASSERT_EQ(end, start + static_cast<Counter>(total));
  for (std::size_t i = 0; i < got.size(); ++i) {
    bool const in_ranges = i >= static_cast<std::size_t>(start) && i < static_cast<std::size_t>(end);
    ASSERT_EQ(written[i], in_ranges) << i;
    if (!in_ranges) {
      ASSERT_TRUE(same_bits(got[i], mark)) << "written outside of the ranges, at " << i;
    }
  }
}

template <unsigned N, class T, class Counter, class Policy>
void check_append(Policy policy) {
  for (who participants : {who::everyone, who::first, who::where}) {
    random_engine random(N);
    auto const lanes = make_lanes<T>(N, random, sample<T>);
    T const mark = sample<T>(random);
    Counter const start = 7;
    backend::array<T> memory(std::vector<T>(lanes.size() + 10, mark));
    backend::array<Counter> counter(std::vector<Counter>{start});
    auto const returned = backend::run<N, reserved_range<Counter>>(
        lanes, append_kernel<T, Counter, Policy>{memory.data(), counter.data(), policy, participants});
    check_ranges(lanes, N, participants, start, returned, counter.to_host()[0], memory.to_host(), mark);
    if (testing::Test::HasFailure()) return;
  }
}

template <class T, class Counter, class Policy = tessera::policy<>, class Sizes = mask_sizes>
void check_append_of_sizes(Policy policy = {}, Sizes of = {}) {
  SKIP_WITHOUT_BACKEND();
  for_each_size(of, [&](auto n) { check_append<decltype(n)::value, T, Counter>(policy); });
}

template <class T, class Policy = tessera::policy<>, class Sizes = mask_sizes>
void check_compact_of_sizes(Policy policy = {}, Sizes of = {}) {
  SKIP_WITHOUT_BACKEND();
  for_each_size(of, [&](auto n) { check_compact<decltype(n)::value, T>(policy); });
}

}  // namespace test
