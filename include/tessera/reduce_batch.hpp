// reduce_batch: K reductions at once, one of each of a lane's K items.
//
//   rank                     0              1              2              3
//   items                    a0 b0 c0 d0    a1 b1 c1 d1    a2 b2 c2 d2    a3 b3 c3 d3
//   halving, xor 1           a01  c01       b01  d01       a23  c23       b23  d23
//   xor 2, scattered         a0123          b0123          c0123          d0123
//   to_all, in every lane    a0123 b0123 c0123 d0123
//
// A lane keeps every other item, and sends the rest to the lane that keeps those: half the items are left after each
// exchange. Result i has the bits of `reduce` of item i.
//
// Source: R. Rabenseifner, "Optimization of collective reduction operations", 2004 (recursive halving).
#pragma once

#include <tessera/items.hpp>
#include <tessera/reduce.hpp>

namespace tessera {

namespace detail {

/// The first M of K items.
template <unsigned M, class T, unsigned K>
TESSERA_FN items<T, M> first_items(items<T, K> const& x) {
  static_assert(M <= K);
  words<items<T, M>> w;
  if constexpr (sizeof(w) != sizeof(T) * M) w.word[word_count<items<T, M>> - 1] = 0;
  detail::copy_bytes(w.word, &x, sizeof(T) * M);
  return detail::from_words<items<T, M>>(w);
}

/// Every result canonicalize_nan: see `canonicalize_nan`.
template <class Op, class Group, class T, unsigned K>
TESSERA_FN items<T, K> settled_items([[maybe_unused]] Group group, items<T, K> x) {
  if constexpr (Group::size > 1) {
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) x[i] = detail::canonicalize_nan<Op>(x[i]);
  }
  return x;
}

/// ⌈K/N⌉ results a lane: slot s of rank r is result s · N + r. What slots past K hold is unspecified.
///
/// Invariant: before the exchange with `Bit`, slot i is item i · Bit + rank % Bit of the `Bit` lanes that share rank / Bit,
/// combined in rank order. Of an odd number of slots both lanes keep the last.
template <unsigned Bit = 1, class Group, class T, unsigned K, class Op>
TESSERA_FN auto reduce_by_halving(Group group, items<T, K> const& x, Op const& op) {
  if constexpr (Bit >= Group::size) {
    return detail::settled_items<Op>(group, x);
  } else {
    constexpr unsigned half = (K + 1) / 2;
    bool const upper = (group.rank() & Bit) != 0;
    items<T, half> even = detail::first_items<half>(x);
    items<T, half> odd = even;
    TESSERA_UNROLL
    for (unsigned i = 0; i < half; ++i) {
      even[i] = x[2 * i];
      odd[i] = x[2 * i + 1 < K ? 2 * i + 1 : 2 * i];
    }
    items<T, half> kept = detail::select(upper, odd, even);
    items<T, half> const sent = detail::select(upper, even, odd);
    items<T, half> const received = group.shuffle_xor(sent, Bit);
    TESSERA_UNROLL
    for (unsigned i = 0; i < half; ++i)
      kept[i] = detail::combine_pair<operator_traits<Op, T>::commutative>(kept[i], received[i], upper, op);
    return detail::reduce_by_halving<2 * Bit>(group, kept, op);
  }
}

/// All K results in every lane, by K butterflies at once: see `butterfly_reduce`.
template <bool Ordered, class Group, class T, unsigned K, class Op>
TESSERA_FN items<T, K> reduce_by_butterflies(Group group, items<T, K> x, Op const& op) {
  TESSERA_UNROLL
  for (unsigned bit = 1; bit < Group::size; bit *= 2) {
    items<T, K> const received = group.shuffle_xor(x, bit);
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i)
      x[i] = detail::combine_pair<Ordered>(x[i], received[i], (group.rank() & bit) != 0, op);
  }
  return detail::settled_items<Op>(group, x);
}

/// Of all K results those that are the lane's own.
template <class Group, class T, unsigned K>
TESSERA_FN auto own_results(Group group, items<T, K> const& all) {
  constexpr unsigned N = Group::size;
  constexpr unsigned slots = (K + N - 1) / N;
  items<T, slots> own = detail::first_items<slots>(all);
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i) own[i / N] = detail::select(group.rank() == i % N, all[i], own[i / N]);
  return own;
}

/// How a batch is combined, in this pass of the compiler.
template <class Policy, class Group, class T, unsigned K, class Op>
TESSERA_FN constexpr batch_method batch_method_of() {
  using method = typename Policy::method;
  constexpr bool scatter = stl::is_same_v<typename Policy::placement, choice::scattered>;
  constexpr warp_instruction instruction = instruction_for<Op, T>();
  if constexpr (!has_instruction<Group>(instruction) || stl::is_same_v<method, choice::shuffles>) {
    return fastest_batch_method(warp_instruction::none, Group::size, K, sizeof(result_t<Op, T>), scatter);
  } else if constexpr (stl::is_same_v<method, choice::hardware>) {
    return batch_method::instructions;
  } else {
    return fastest_batch_method(instruction, Group::size, K, sizeof(result_t<Op, T>), scatter);
  }
}

/// K results in every lane; scattered, the lane's own ⌈K/N⌉.
template <class Policy, class Group, class T, unsigned K, class Op>
TESSERA_FN auto reduce_batch_in_warp(Group group, items<T, K> const& x, Op const& op) {
  constexpr bool scatter = stl::is_same_v<typename Policy::placement, choice::scattered>;
  constexpr batch_method method = batch_method_of<Policy, Group, T, K, Op>();
  require_architecture<Policy, Group, T, Op>();

  auto all = detail::as_results<Op>(x);
  if constexpr (method == batch_method::halving) {
    auto const own = detail::reduce_by_halving(group, all, op);
    if constexpr (scatter) {
      return own;
    } else {
      TESSERA_UNROLL
      for (unsigned i = 0; i < K; ++i) all[i] = group.shuffle(own[i / Group::size], i % Group::size);
      return all;
    }
  } else {
    if constexpr (method == batch_method::instructions) {
      TESSERA_UNROLL
      for (unsigned i = 0; i < K; ++i) all[i] = detail::warp_reduce<Op>(group, x[i]);
    } else {
      constexpr bool ordered = operator_traits<Op, T>::commutative ||
                               stl::is_same_v<typename Policy::placement, choice::to_leader>;
      all = detail::reduce_by_butterflies<ordered>(group, all, op);
    }
    if constexpr (scatter) {
      return detail::own_results(group, all);
    } else {
      return all;
    }
  }
}

/// Several warps: each deals its results out to its lanes; then each lane combines those of one item, 32 items at a time.
template <class Policy, class Group, class T, unsigned K, class Op>
TESSERA_FN auto reduce_batch_warps(Group group, items<T, K> const& x, Op const& op) {
  using result = result_t<Op, T>;
  constexpr bool scatter = stl::is_same_v<typename Policy::placement, choice::scattered>;
  constexpr unsigned warps = Group::warps, rounds = (K + 31) / 32;
  auto const in_warp = group.in_warp();
  unsigned const lane = group.lane();
  auto const of_warp =
      detail::reduce_batch_in_warp<policy<choice::scattered, typename Policy::method>>(in_warp, x, op);
  auto all = detail::as_results<Op>(x);
  auto own = detail::first_items<(K + Group::size - 1) / Group::size>(all);
  TESSERA_UNROLL
  for (unsigned round = 0; round < rounds; ++round) {
    constexpr unsigned row = K > 16 ? 32 : K > 8 ? 16 : K > 4 ? 8 : K > 2 ? 4 : K;
    result const total = detail::canonicalize_nan<Op>(group.template all_gather<row>(
        of_warp[round], lane < row, group.warp() * row + lane,
        [&](slots_of<Group, result> slots) {
          return detail::combine_slots<warps, result>(slots, lane % row, row, warps, op);
        },
        round + 1 < rounds));
    if constexpr (scatter) {
      if (group.warp() == round % warps) own[round / warps] = total;
    } else {
      TESSERA_UNROLL
      for (unsigned i = 32 * round; i < K && i < 32 * round + 32; ++i)
        all[i] = in_warp.shuffle(total, i % 32);
    }
  }
  if constexpr (scatter) {
    return own;
  } else {
    return all;
  }
}

template <class Policy, class Group, class T, unsigned K, class Op>
TESSERA_FN auto reduce_batch_lanes(Group group, items<T, K> const& x, Op const& op) {
  if constexpr (is_multi_warp<Group>) {
    return detail::reduce_batch_warps<Policy>(group, x, op);
  } else {
    return detail::reduce_batch_in_warp<Policy>(group, x, op);
  }
}
/// The results of the lanes that take part: the others hold values that change nothing.
template <class Policy, class Group, class T, unsigned K, class Op>
TESSERA_FN auto reduce_batch_participants(Group group, items<T, K> x, Op const& op, Policy const& policy) {
  if constexpr (everyone_participates<Policy>) {
    return detail::reduce_batch_lanes<Policy>(group, x, op);
  } else {
    using neutral = neutral_element<operator_traits<Op, T>, T, Op>;
    bool const in = participates(policy, group.rank());
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) x[i] = detail::select(in, x[i], neutral::get(op));
    bool nobody = false;
    if constexpr (!neutral::is_identity) nobody = detail::nobody_participates(group, policy);
    auto results = detail::reduce_batch_lanes<Policy>(group, x, op);
    if constexpr (!neutral::is_identity) {
      TESSERA_UNROLL
      for (unsigned i = 0; i < results.size(); ++i)
        results[i] = detail::select(nobody, operator_traits<Op, T>::identity(op), results[i]);
    }
    return results;
  }
}

}  // namespace detail

/// K independent reductions of the tile: result i is that of the lanes' items i, with the bits of `reduce(tile, x[i], op)`.
///
///   float const column = tessera::reduce_batch(tile, tessera::as_items(row), plus{}, scattered);  // float row[32]
///   auto const [sum, squares] = tessera::reduce_batch(tile, tessera::items<float, 2>{x, x * x}).item;
///
/// Called by  all lanes of the tile (with `converged`: of the warp), with one `op` and one policy.
/// x          items<T, K> of any trivially copyable T. The operator is associative; it need not commute.
/// Returns    items<T, K>, the same bits in every lane; with `to_leader` only in rank 0. `scattered`: the lane's own, striped:
///            K ≤ N: a T, result i in rank i, unspecified from rank K on; K > N: items<T, ⌈K/N⌉>, item s of rank r being
///            result s · N + r, unspecified from result K on. bool with `plus` is counted: unsigned in the place of T.
///            With `first(n)` or `where(pred)` the values of the lanes that participate; the identity where there are none.
/// Order      that of `reduce`.
/// Policies   convergence, placement, participants, method.
/// Cost       for T of a word, scattered: ⌈K/2⌉ + ⌈K/4⌉ + … shuffles, log2(N) terms; K − 1 for K = N. To all: K shuffles
///            more, or K · log2(N), the fewer. Smaller T travel together, four bytes a shuffle. As many calls of `op` as the
///            first of these. Truth values K votes; few integers on 32 lanes K `redux.sync`: see tuning.hpp. No barrier, no
///            memory.
template <class Tile, class X, class Op = plus, class Policy = policy<>>
TESSERA_FN auto reduce_batch(Tile const& tile, X x, Op op = {}, Policy policy = {},
                             call_site site = call_site::here()) {
  static_assert(
      is_items_v<X>,
      "reduce_batch(tile, x): x is the lane's items: write items<float, 2>{a, b}, or as_items(x) for a C "
      "array.");
  using T = detail::item_t<X>;
  detail::require_exchangeable<T>();
  using combine_t = detail::normalized_t<Op, T>;
  detail::require_operator<Tile, combine_t, T, Policy>();
  detail::require_instruction<Policy, T, combine_t>();
  combine_t const combine = detail::normalize<T>(op);
  auto const results = detail::collective<detail::collectives::reduce_batch, X, combine_t>(
      tile, policy, site, 0, [&](detail::group_of<Tile, Policy> group) {
        return detail::reduce_batch_participants(group, x, combine, policy);
      });
  if constexpr (stl::is_same_v<typename Policy::placement, choice::scattered> &&
                X::count <= tile_size_v<Tile>) {
    return results[0];
  } else {
    return results;
  }
}

}  // namespace tessera
