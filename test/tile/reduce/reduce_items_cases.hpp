// The table of `reduce` of K items per lane, for one type, operator and K: tile sizes × participants. The
// reference combines each lane's items from left to right, and then the lanes by the tree of
// reduce_cases.hpp.
#pragma once

#include "reduce_cases.hpp"

namespace test {

template <class T, unsigned K>
struct items_input {
  tessera::items<T, K> x;
  unsigned n;
  bool pred;
};

template <class Op, class Policy>
struct reduce_items_kernel {
  Op op;
  Policy policy;
  who participants;

  template <class Tile, class T, unsigned K>
  TESSERA_FN auto operator()(Tile const& tile, items_input<T, K> const& in) const {
    using output = lane_output<decltype(tessera::reduce(tile, in.x, op))>;
    if constexpr (tessera::operator_traits<Op, T>::has_identity) {
      if (participants == who::first) {
        return output{tessera::reduce(tile, in.x, op, policy | tessera::first(in.n))};
      }
      if (participants == who::where) {
        return output{tessera::reduce(tile, in.x, op, policy | tessera::where(in.pred))};
      }
    }
    return output{tessera::reduce(tile, in.x, op, policy)};
  }
};

template <class T, unsigned K>
std::vector<items_input<T, K>> make_items(unsigned size, random_engine& random, T (*sample_one)(random_engine&)) {
  std::vector<items_input<T, K>> lanes;
  for (auto const& lane : make_lanes<T>(size, random, sample_one)) {
    lanes.push_back({{}, lane.n, lane.pred});
    for (T& item : lanes.back().x) item = sample_one(random);
  }
  return lanes;
}

/// Combines each lane's items to one value, from left to right.
template <class R, class T, unsigned K, class Op>
std::vector<lane_input<R>> combine_items(std::vector<items_input<T, K>> const& in, Op op) {
  std::vector<lane_input<R>> lanes;
  for (auto const& lane : in) {
    R total = static_cast<R>(lane.x[0]);
    for (unsigned i = 1; i < K; ++i) total = op(total, static_cast<R>(lane.x[i]));
    lanes.push_back({total, lane.n, lane.pred});
  }
  return lanes;
}

template <unsigned N, unsigned K, class T, class Op, class Policy>
void check_items_size(Op op, Policy policy, T (*sample_one)(random_engine&)) {
  using result = tessera::detail::result_t<Op, T>;
  constexpr bool partial = tessera::operator_traits<Op, T>::has_identity;
  for (who participants : {who::everyone, who::first, who::where}) {
    if (testing::Test::HasFailure() || (!partial && participants != who::everyone)) return;
    unsigned const seed = 1000 * N + 10 * K + static_cast<unsigned>(participants);
    random_engine random(seed);
    auto const in = make_items<T, K>(N, random, sample_one);
    auto const out =
        backend::run<N, lane_output<result>>(in, reduce_items_kernel<Op, Policy>{op, policy, participants});
    check_results<result>({N, seed, participants, false}, combine_items<result>(in, op), out, op, false);
  }
}

template <unsigned K, class T, class Op, class Policy = tessera::policy<>, class Sizes = small_sizes>
void check_items(Op op, T (*sample_one)(random_engine&) = sample<T>, Policy policy = {}, Sizes of = {}) {
  for_each_size(of, [&](auto n) { check_items_size<decltype(n)::value, K>(op, policy, sample_one); });
}

}  // namespace test
