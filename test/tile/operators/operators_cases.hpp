// The table of an operator whose results are compared with a reference of a different kind, such as a sort,
// or a sum in a wider type.
#pragma once

#include "reduce_cases.hpp"

namespace test {

template <class T>
constexpr T infinity_of = std::numeric_limits<T>::infinity();

/// The result of a lane: after(reduction, x).
template <class Op, class After>
struct reduce_then {
  Op op;
  After after;
  who participants;

  template <class Tile, class T>
  TESSERA_FN auto operator()(Tile const& tile, lane_input<T> in) const {
    return after(reduce_kernel<Op, tessera::policy<>>{op, {}, participants}(tile, in).x, in.x);
  }
};

template <unsigned N, class Out, class T, class MakeKernel, class Check>
void check_tiles_of(T (*sample_one)(random_engine&), MakeKernel make_kernel, Check check) {
  for (who participants : {who::everyone, who::first, who::where}) {
    if (testing::Test::HasFailure()) return;
    unsigned const seed = 2000 * N + static_cast<unsigned>(participants);
    random_engine random(seed);
    auto const lanes = make_lanes<T>(N, random, sample_one);
    auto const out = backend::run<N, Out>(lanes, make_kernel(participants));
    for (unsigned base = 0; base < lanes.size(); base += N) {
      std::vector<T> values;
      for (unsigned rank = 0; rank < N; ++rank) {
        if (takes_part(lanes[base + rank], rank, participants)) values.push_back(lanes[base + rank].x);
      }
      for (unsigned rank = 0; rank < N && !testing::Test::HasFailure(); ++rank) {
        auto const where = testing::Message() << row_name{N, seed, participants, false} << ", tile " << base / N
                                              << ", rank " << rank << ", " << values.size() << " values";
        SCOPED_TRACE(where);
        check(values, lanes[base + rank].x, out[base + rank], out[base]);
      }
    }
  }
}

/// Runs make_kernel(participants) for tiles within a warp and all participants, and calls for each lane
///
///   check(values of the participants in rank order, the lane's x, the lane's result, rank 0's result)
template <class Out, class T, class MakeKernel, class Check>
void check_tiles(T (*sample_one)(random_engine&), MakeKernel make_kernel, Check check) {
  for_each_size(small_sizes{},
                [&](auto n) { check_tiles_of<decltype(n)::value, Out>(sample_one, make_kernel, check); });
}

}  // namespace test
