// The table of compact, for one type: sizes × participants. Kept values in order, the number kept, and nothing written past
// them.
#pragma once

#include <tessera/compact.hpp>

#include "reduce_cases.hpp"

namespace test {

/// Every tile has room for one value a lane and one more; what each lane is told.
template <class T, class Policy>
struct compact_kernel {
  T* out;
  Policy policy;
  who participants;

  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, std::pair<lane_input<T>, unsigned> in) const {
    unsigned const number = in.second / tile.size();
    T* const room = out + number * (tile.size() + 1);
    bool const keep = in.first.pred;
    if (participants == who::first)
      return tessera::compact(tile, in.first.x, keep, room, policy | tessera::first(in.first.n));
    if (participants == who::where)
      return tessera::compact(tile, in.first.x, keep, room, policy | tessera::where(in.second % 3 != 0));
    return tessera::compact(tile, in.first.x, keep, room, policy);
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
        bool const in_it = participants == who::everyone ||
                           (participants == who::first ? rank < lane.n : (base + rank) % 3 != 0);
        if (lane.pred && in_it) expected[base / N * (N + 1) + count++] = lane.x;
      }
      counts.insert(counts.end(), N, count);
    }
    auto const told =
        backend::run<N, unsigned>(in, compact_kernel<T, Policy>{memory.data(), policy, participants});
    ASSERT_EQ(told, counts) << "N " << N << ", participants " << static_cast<int>(participants);
    auto const got = memory.to_host();
    for (unsigned i = 0; i < got.size(); ++i)
      ASSERT_TRUE(same_bits(got[i], expected[i])) << "N " << N << ", place " << i << ": " << show(got[i]);
  }
}

template <class T, class Policy = tessera::policy<>, class Sizes = small_sizes>
void check_compact_of_sizes(Policy policy = {}, Sizes of = {}) {
  SKIP_WITHOUT_BACKEND();
  for_each_size(of, [&](auto n) { check_compact<decltype(n)::value, T>(policy); });
}

}  // namespace test
