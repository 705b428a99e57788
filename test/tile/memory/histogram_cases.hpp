// The tables of histograms in registers and of aggregated_add, for one size, number of bins and type of
// counter. Keys are equal, skewed, uniform, or out of range.
#pragma once

#include <tessera/histogram.hpp>

#include "reduce_cases.hpp"

namespace test {

inline constexpr unsigned counters = 40;

template <unsigned Bins, class Policy>
struct bins_kernel {
  Policy policy;
  who participants;

  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, lane_input<int> in) const {
    if (participants == who::first) return mixed(tile, in.x, policy | tessera::first(in.n));
    if (participants == who::where) return mixed(tile, in.x, policy | tessera::where(in.pred));
    return mixed(tile, in.x, policy);
  }
  /// Combines all counts that the lane gets into one number.
  template <class Tile, class P>
  TESSERA_FN static unsigned mixed(Tile const& tile, int key, P p) {
    auto const counts = tessera::histogram<Bins>(tile, key, p);
    unsigned mix = 0;
    if constexpr (std::is_same_v<std::remove_const_t<decltype(counts)>, unsigned>) {
      mix = counts;
    } else {
      for (unsigned i = 0; i < counts.size(); ++i) mix = mix * 33 + counts[i];
    }
    return mix;
  }
};

template <unsigned N, unsigned Bins, class Policy>
void check_bins(Policy policy) {
  constexpr bool scattered = std::is_same_v<typename Policy::placement, tessera::choice::scattered>;
  for (who participants : {who::everyone, who::first, who::where}) {
    random_engine random(N + Bins);
    auto const lanes = make_lanes<int>(N, random, [](random_engine& r) {
      return r() % 8 == 0 ? static_cast<int>(r()) : static_cast<int>(r() % (Bins + 1));
    });
    auto const out = backend::run<N, unsigned>(lanes, bins_kernel<Bins, Policy>{policy, participants});
    for (unsigned base = 0; base < lanes.size(); base += N) {
      std::vector<unsigned> counts((Bins + N - 1) / N * N, 0);
      for (unsigned rank = 0; rank < N; ++rank) {
        int const key = lanes[base + rank].x;
        if (takes_part(lanes[base + rank], rank, participants) && key >= 0 && key < static_cast<int>(Bins))
          ++counts[static_cast<unsigned>(key)];
      }
      for (unsigned rank = 0; rank < N; ++rank) {
        unsigned mix = 0;
        if (scattered) {
          for (unsigned bin = rank; bin < counts.size(); bin += N) mix = mix * 33 + counts[bin];
        } else {
          for (unsigned bin = 0; bin < Bins; ++bin) mix = mix * 33 + counts[bin];
        }
        ASSERT_EQ(out[base + rank], mix) << "N " << N << ", bins " << Bins << ", rank " << rank;
      }
    }
  }
}

/// Each key has two counters: one adds up values, the other counts lanes.
template <class T, class Policy>
struct aggregate_kernel {
  T* values;
  unsigned* lanes;
  Policy policy;
  who participants;

  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, lane_input<unsigned> in) const {
    if (participants == who::first) return add(tile, in, policy | tessera::first(in.n));
    if (participants == who::where) return add(tile, in, policy | tessera::where(in.pred));
    return add(tile, in, policy);
  }
  template <class Tile, class P>
  TESSERA_FN unsigned add(Tile const& tile, lane_input<unsigned> in, P p) const {
    tessera::aggregated_add(tile, values, in.x % counters, static_cast<T>(in.x / counters % 100), p);
    tessera::aggregated_add(tile, lanes, in.x % counters, p);
    return 0;
  }
};

/// The keys of a tile, which are all equal, mostly equal, skewed, or uniform.
inline unsigned some_key(random_engine& random, unsigned kind) {
  unsigned const uniform = static_cast<unsigned>(random() % counters);
  unsigned const skewed =
      static_cast<unsigned>(static_cast<double>(counters) * std::pow(static_cast<double>(random() % 1000) / 1000, 4));
  unsigned const keys[] = {11, random() % 10 == 0 ? uniform : 11, skewed, uniform};
  return keys[kind];
}

template <unsigned N, class T, class Policy>
void check_added(Policy policy) {
  for (who participants : {who::everyone, who::first, who::where}) {
    random_engine random(N);
    auto lanes = make_lanes<unsigned>(N, random, sample<unsigned>);
    std::vector<T> values(counters, T(1));
    std::vector<unsigned> count(counters, 2);
    backend::array<T> value_cells(values);
    backend::array<unsigned> lane_cells(count);
    for (unsigned i = 0; i < lanes.size(); ++i) {
      auto& lane = lanes[i];
      lane.x = some_key(random, i / N % 4) + counters * static_cast<unsigned>(random() % 100);
      if (!takes_part(lane, i % N, participants)) continue;
      values[lane.x % counters] += static_cast<T>(lane.x / counters % 100);
      ++count[lane.x % counters];
    }
    backend::run<N, unsigned>(lanes,
                              aggregate_kernel<T, Policy>{value_cells.data(), lane_cells.data(), policy, participants});
    ASSERT_EQ(value_cells.to_host(), values) << "N " << N << ", participants " << static_cast<int>(participants);
    ASSERT_EQ(lane_cells.to_host(), count) << "N " << N << ", participants " << static_cast<int>(participants);
  }
}

template <class T, class Policy = tessera::policy<>, class Sizes = sizes<1, 2, 8, 16, 32>>
void check_all_added(Policy policy = {}, Sizes of = {}) {
  for_each_size(of, [&](auto n) { check_added<decltype(n)::value, T>(policy); });
}

}  // namespace test
