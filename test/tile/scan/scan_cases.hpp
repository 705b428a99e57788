// The tables of scans, for one type and operator: sizes × participants × kinds × policies, compared with a
// reference.
//
// The reference combines in the order that scan.hpp promises: a lane's items from left to right, the lanes
// of a warp by Kogge and Stone's tree, and before them the previous warps, as aligned blocks that double in
// size, each by the tree of `reduce`; of many warps these are combined first. The prefix is the left operand
// (with `suffix`, the right operand). If the operator is exactly associative, the reference is itself compared
// with a loop over the items.
#pragma once

#include <tessera/scan.hpp>

#include "reduce_cases.hpp"

namespace test {

template <class T, unsigned K>
tessera::items<T, K> sample_items(random_engine& random) {
  tessera::items<T, K> out;
  for (T& item : out) item = sample<T>(random);
  return out;
}

/// A tile's items for the reference. The items of a lane that doesn't participate are empty.
template <class R>
using row_of = std::vector<std::optional<R>>;

/// Combines a and b, or returns the one that isn't empty. `swapped` says that the scan is a suffix scan, in
/// which b comes first in rank order.
template <class R, class Op>
std::optional<R> join(std::optional<R> const& a, std::optional<R> const& b, Op op, bool swapped) {
  if (!a || !b) return a ? a : b;
  return static_cast<R>(swapped ? op(*b, *a) : op(*a, *b));
}

/// Combines the `width` values that end at `end` by the tree.
template <class R, class Op>
std::optional<R> kogge_stone(row_of<R> const& x, long end, long width, Op op, bool swapped) {
  if (end < 0) return std::nullopt;
  if (width == 1) return x[static_cast<std::size_t>(end)];
  return join(kogge_stone(x, end - width / 2, width / 2, op, swapped), kogge_stone(x, end, width / 2, op, swapped), op,
              swapped);
}

/// Combines values first … first + width − 1 by the balanced tree.
template <class R, class Op>
std::optional<R> tree(row_of<R> const& x, std::size_t first, std::size_t width, Op op, bool swapped) {
  if (width == 1) return x[first];
  return join(tree(x, first, width / 2, op, swapped), tree(x, first + width / 2, width / 2, op, swapped), op, swapped);
}

/// What the blocks of 1, 2, 4, … warps before `warp` come to, in front of `value`.
template <class R, class Op>
std::optional<R> after_blocks(row_of<R> const& of_warps, std::size_t warp, std::optional<R> value, Op op,
                              bool swapped) {
  for (std::size_t block = 1; block <= warp; block *= 2) {
    std::size_t const first = warp / (2 * block) * (2 * block);
    if (warp & block) value = join(tree(of_warps, first, block, op, swapped), value, op, swapped);
  }
  return value;
}

/// Combines each lane's value with those of all previous lanes: with those of its warp, then with the blocks of warps before it,
/// which `first_warp` says are combined with each other first, except in the last lane.
template <class R, class Op>
row_of<R> scan_of_lanes(row_of<R> const& x, Op op, bool swapped, bool first_warp) {
  row_of<R> out, of_warps;
  for (std::size_t lane = 0; lane < x.size(); ++lane) {
    std::size_t const warp = lane / 32;
    row_of<R> const own(x.begin() + static_cast<long>(32 * warp), x.begin() + static_cast<long>(lane) + 1);
    auto const value = kogge_stone(own, static_cast<long>(lane % 32), 32, op, swapped);
    bool const is_last = lane % 32 == 31;
    if (is_last) of_warps.push_back(value);
    if (first_warp && !is_last)
      out.push_back(join(after_blocks(of_warps, warp, std::optional<R>(), op, swapped), value, op, swapped));
    else
      out.push_back(after_blocks(of_warps, warp, value, op, swapped));
  }
  return out;
}

template <class R>
struct scan_reference {
  row_of<R> inclusive, exclusive;
  std::optional<R> total;
};

/// The scan of one tile. x holds K items per lane, in the order of the scan (reversed for `suffix`).
template <class R, class Op>
scan_reference<R> scan_in_order(row_of<R> const& x, unsigned K, Op op, bool swapped, std::optional<R> const& init) {
  std::size_t const lanes = x.size() / K;
  row_of<R> own = x, totals(lanes);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i % K != 0) own[i] = join(own[i - 1], own[i], op, swapped);
    if (i % K == K - 1) totals[i / K] = own[i];
  }
  scan_reference<R> out;
  std::optional<R> before = init;
  row_of<R> const scanned = scan_of_lanes(
      totals, op, swapped, tessera::detail::scans_totals_in_first_warp(static_cast<unsigned>(lanes / 32)));
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    auto const up_to_here = scanned[lane];
    for (unsigned i = 0; i < K; ++i) {
      std::size_t const at = lane * K + i;
      out.exclusive.push_back(i == 0 ? before : join(before, own[at - 1], op, swapped));
      out.inclusive.push_back(i == K - 1 ? join(init, up_to_here, op, swapped) : join(before, own[at], op, swapped));
    }
    before = join(init, up_to_here, op, swapped);
    out.total = up_to_here;
  }
  return out;
}

/// Computes the same by a loop from item to item.
template <class R, class Op>
scan_reference<R> scan_by_walk(row_of<R> const& x, Op op, bool swapped, std::optional<R> const& init) {
  scan_reference<R> out;
  std::optional<R> before = init;
  for (auto const& item : x) {
    out.exclusive.push_back(before);
    before = join(before, item, op, swapped);
    out.inclusive.push_back(before);
    out.total = join(out.total, item, op, swapped);
  }
  return out;
}

template <class X>
struct scan_shape {
  static constexpr unsigned K = 1;
  static X const& item(X const& x, unsigned) { return x; }
};
template <class T, unsigned Count>
struct scan_shape<tessera::items<T, Count>> {
  static constexpr unsigned K = Count;
  static T const& item(tessera::items<T, Count> const& x, unsigned i) { return x[i]; }
};

/// The type of the results for X: an integer if bools are added.
template <class Op, class X>
struct scan_result {
  using type = tessera::detail::result_t<Op, X>;
};
template <class Op, class T, unsigned K>
struct scan_result<Op, tessera::items<T, K>> {
  using type = tessera::items<tessera::detail::result_t<Op, T>, K>;
};
template <class Op, class X>
using scan_result_t = typename scan_result<Op, X>::type;

enum class scan_call { inclusive, exclusive, exclusive_with_init, inclusive_with_init };

template <class X, class R>
struct scan_output {
  X value;
  R total;
};

template <scan_call Call, class Op, class Policy, class R>
struct scan_kernel {
  Op op;
  Policy policy;
  R init;
  who participants;

  template <class Tile, class X>
  TESSERA_FN scan_output<scan_result_t<Op, X>, R> operator()(Tile const& tile, lane_input<X> in) const {
    if constexpr (tessera::operator_traits<Op, tessera::detail::item_t<X>>::has_identity) {
      if (participants == who::first) return call(tile, in.x, policy | tessera::first(in.n));
      if (participants == who::where) return call(tile, in.x, policy | tessera::where(in.pred));
    }
    return call(tile, in.x, policy);
  }

  template <class Tile, class X, class P>
  TESSERA_FN scan_output<scan_result_t<Op, X>, R> call(Tile const& tile, X const& x, P p) const {
    if constexpr (std::is_same_v<typename P::extra, tessera::choice::with_total>) {
      auto const out = scan(tile, x, p);
      return {out.value, out.total};
    } else {
      return {scan(tile, x, p), init};
    }
  }
  template <class Tile, class X, class P>
  TESSERA_FN auto scan(Tile const& tile, X const& x, P p) const {
    if constexpr (Call == scan_call::inclusive) {
      return tessera::inclusive_scan(tile, x, op, p);
    } else if constexpr (Call == scan_call::inclusive_with_init) {
      return tessera::inclusive_scan(tile, x, op, init, p);
    } else if constexpr (Call == scan_call::exclusive) {
      return tessera::exclusive_scan(tile, x, op, p);
    } else {
      return tessera::exclusive_scan(tile, x, op, init, p);
    }
  }
};

/// Describes a row of the table, for the message of a failure.
struct scan_row {
  row_name name;
  scan_call call;
  bool backwards, with_total;
};

/// Compares the results of tiles of `is.name.size` lanes with the reference.
template <class X, class R, class Op>
void check_scan_results(scan_row is, std::vector<lane_input<X>> const& lanes, R const& init,
                        std::vector<scan_output<scan_result_t<Op, X>, R>> const& out, Op op, bool associative) {
  using shape = scan_shape<X>;
  using out_shape = scan_shape<scan_result_t<Op, X>>;
  constexpr unsigned K = shape::K;
  unsigned const N = is.name.size;
  for (unsigned base = 0; base < lanes.size(); base += N) {
    row_of<R> row;
    for (unsigned rank = 0; rank < N; ++rank) {
      for (unsigned i = 0; i < K; ++i) {
        bool const in = takes_part(lanes[base + rank], rank, is.name.participants);
        row.push_back(in ? std::optional<R>(static_cast<R>(shape::item(lanes[base + rank].x, i))) : std::nullopt);
      }
    }
    if (is.backwards) std::reverse(row.begin(), row.end());
    std::optional<R> start;
    if (is.call == scan_call::exclusive_with_init || is.call == scan_call::inclusive_with_init) start = init;
    auto const reference = scan_in_order(row, K, op, is.backwards, start);
    auto const walk = scan_by_walk(row, op, is.backwards, start);
    auto const or_identity = [&](std::optional<R> const& x) {
      if constexpr (tessera::operator_traits<Op, R>::has_identity) {
        return x ? *x : static_cast<R>(tessera::operator_traits<Op, R>::identity(op));
      } else {
        return *x;
      }
    };
    for (unsigned e = 0; e < N * K; ++e) {
      unsigned const at = is.backwards ? N * K - 1 - e : e;
      unsigned const rank = at / K;
      auto const pick = [&](scan_reference<R> const& from) {
        bool const inclusive = is.call == scan_call::inclusive || is.call == scan_call::inclusive_with_init;
        return or_identity(inclusive ? from.inclusive[e] : from.exclusive[e]);
      };
      R const expected = pick(reference);
      if (associative) {
        ASSERT_TRUE(same(pick(walk), expected)) << "the reference disagrees with itself";
      }
      R const got = out_shape::item(out[base + rank].value, at % K);
      ASSERT_TRUE(same(got, expected)) << is.name << ", kind " << static_cast<int>(is.call)
                                       << (is.backwards ? ", suffix" : "") << ", tile " << base / N << ", rank " << rank
                                       << ", item " << at % K << ", n " << lanes[base].n << ": got " << show(got)
                                       << ", expected " << show(expected);
      if (is.with_total) {
        ASSERT_TRUE(same(out[base + rank].total, or_identity(reference.total)))
            << is.name << ", total in rank " << rank << ": got " << show(out[base + rank].total);
      }
    }
  }
}

/// Checks the rows of one size, kind and policy.
template <unsigned N, scan_call Call, class Backend, class X, class Op, class Policy>
void check_scan_size(Op op, Policy policy, X (*sample_one)(random_engine&), bool associative) {
  using T = tessera::detail::item_t<X>;
  using R = tessera::detail::result_t<Op, T>;
  constexpr bool backwards = std::is_same_v<typename Policy::direction, tessera::choice::suffix>;
  constexpr bool with_total = std::is_same_v<typename Policy::extra, tessera::choice::with_total>;
  constexpr bool has_identity = tessera::operator_traits<Op, T>::has_identity;

  for (who participants : {who::everyone, who::first, who::where}) {
    if (testing::Test::HasFailure() || (!has_identity && participants != who::everyone)) return;
    unsigned const seed = 1000 * N + 10 * static_cast<unsigned>(Call) + static_cast<unsigned>(participants);
    random_engine random(seed);
    auto const lanes = make_lanes<X>(N, random, sample_one);
    R const init = static_cast<R>(scan_shape<X>::item(sample_one(random), 0));
    auto const out = Backend::template run<N, scan_output<scan_result_t<Op, X>, R>>(
        lanes, scan_kernel<Call, Op, Policy, R>{op, policy, init, participants});
    check_scan_results<X, R>({{N, seed, participants, false}, Call, backwards, with_total}, lanes, init, out, op,
                             associative);
  }
}

template <scan_call Call, class Backend, class X, class Op, class Policy, class Sizes>
void check_scan_call(Op op, Policy policy, X (*sample_one)(random_engine&), bool associative, Sizes of) {
  for_each_size(
      of, [&](auto n) { check_scan_size<decltype(n)::value, Call, Backend>(op, policy, sample_one, associative); });
}

/// Checks the table of one operator on X: the three calls, each with a different policy.
template <class X, class Backend = backend, class Op, class Sizes = small_sizes>
void check_scan(Op op, X (*sample_one)(random_engine&) = sample<X>, bool associative = true, Sizes of = {}) {
  using tessera::converged, tessera::isolated, tessera::suffix, tessera::with_total;
  check_scan_call<scan_call::inclusive, Backend>(op, tessera::policy<>{}, sample_one, associative, of);
  check_scan_call<scan_call::inclusive, Backend>(op, converged | suffix | with_total, sample_one, associative, of);
  if constexpr (tessera::operator_traits<Op, tessera::detail::item_t<X>>::has_identity) {
    check_scan_call<scan_call::exclusive, Backend>(op, tessera::adaptive | with_total, sample_one, associative, of);
    check_scan_call<scan_call::exclusive, Backend>(op, isolated | suffix, sample_one, associative, of);
  }
  check_scan_call<scan_call::exclusive_with_init, Backend>(op, converged | with_total, sample_one, associative, of);
  check_scan_call<scan_call::exclusive_with_init, Backend>(op, suffix | tessera::shuffles, sample_one, associative, of);
}

}  // namespace test
