// Independent reductions of a group of up to 32 lanes: exchanges that halve the number of items a lane holds, or
// butterflies.
#pragma once

#include <tessera/group/tuning.hpp>
#include <tessera/warp/reduce.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// Canonicalizes the NaNs of all results.
template <class Op, class Group, class T, unsigned K>
TESSERA_FN items<T, K> canonical_items([[maybe_unused]] Group group, items<T, K> x) {
  if constexpr (Group::size > 1) {
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) x[i] = detail::canonicalize_nan<Op>(x[i]);
  }
  return x;
}

/// Returns ⌈K/N⌉ results a lane: slot s of rank r is result s · N + r. Slots for results past K are unspecified.
///
/// Invariant: before the exchange with `Bit`, slot i is item i · Bit + rank % Bit, combined in rank order over the
/// `Bit` lanes that share rank / Bit. If the number of slots is odd, both lanes keep the last.
template <unsigned Bit = 1, class Group, class T, unsigned K, class Op>
TESSERA_FN auto reduce_by_halving(Group group, items<T, K> const& x, Op const& op) {
  if constexpr (Bit >= Group::size) {
    return detail::canonical_items<Op>(group, x);
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
      kept[i] = detail::combine_pair<lanes_agree_swapped<Op, T>>(kept[i], received[i], upper, op);
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
  return detail::canonical_items<Op>(group, x);
}

/// Selects the lane's own results from all K.
template <class Group, class T, unsigned K>
TESSERA_FN auto own_results(Group group, items<T, K> const& all) {
  constexpr unsigned N = Group::size;
  constexpr unsigned slot_count = (K + N - 1) / N;
  items<T, slot_count> own = detail::first_items<slot_count>(all);
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i) own[i / N] = detail::select(group.rank() == i % N, all[i], own[i / N]);
  return own;
}

/// The method by which a batch is combined, in this pass of the compiler.
template <class Policy, class Group, class T, unsigned K, class Op>
TESSERA_FN constexpr batch_method batch_method_of() {
  using method = chosen_method<Policy>;
  constexpr bool scatter = stl::is_same_v<chosen_placement<Policy>, choice::scattered>;
  constexpr warp_instruction instruction = instruction_for<Op, T>();
  if constexpr (!detail::has_instruction<Group>(instruction) || stl::is_same_v<method, choice::shuffles>) {
    return detail::fastest_batch_method(warp_instruction::none, Group::size, K, sizeof(result_t<Op, T>), scatter);
  } else if constexpr (stl::is_same_v<method, choice::hardware>) {
    return batch_method::instructions;
  } else {
    return detail::fastest_batch_method(instruction, Group::size, K, sizeof(result_t<Op, T>), scatter);
  }
}

/// K results in every lane; with `scattered` the lane's own ⌈K/N⌉.
template <class Policy, class Group, class T, unsigned K, class Op>
TESSERA_FN auto reduce_batch_in_warp(Group group, items<T, K> const& x, Op const& op) {
  constexpr bool scatter = stl::is_same_v<chosen_placement<Policy>, choice::scattered>;
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
      for (unsigned i = 0; i < K; ++i) all[i] = detail::reduce_by_instruction<Op>(group, x[i]);
    } else {
      constexpr bool ordered =
          lanes_agree_swapped<Op, T> || stl::is_same_v<chosen_placement<Policy>, choice::to_leader>;
      all = detail::reduce_by_butterflies<ordered>(group, all, op);
    }
    if constexpr (scatter) {
      return detail::own_results(group, all);
    } else {
      return all;
    }
  }
}

template <class Policy, class Group, class T, unsigned K, class Op>
TESSERA_FN auto reduce_batch_lanes(Group group, items<T, K> const& x, Op const& op) {
  return detail::reduce_batch_in_warp<Policy>(group, x, op);
}

}  // namespace detail
TESSERA_NAMESPACE_END
