// Runs of equal neighbors: their begins, values and lengths; and decoding them.
#pragma once

#include <tessera/block/scan.hpp>
#include <tessera/core/items.hpp>
#include <tessera/group/participants.hpp>
#include <tessera/tile/adjacent.hpp>
#include <tessera/tile/collective.hpp>
#include <tessera/tile/key_votes.hpp>
#include <tessera/tile/partition.hpp>
#include <tessera/tile/requirements.hpp>

TESSERA_NAMESPACE_BEGIN

/// The result of unique: whether a value is the first of its run, the run's number, and the number of runs.
template <class Flags, class Positions>
struct unique_values {
  Flags keep;
  Positions position;
  unsigned count;
};

/// The result of run_length_encode: the value and the length of each run, and the number of runs.
template <class Values, class Lengths>
struct encoded_runs {
  Values value;
  Lengths length;
  unsigned count;
};

/// The result of run_length_decode: values, their offsets from their runs' first values, and the number of values in
/// all runs.
template <class Values, class Offsets>
struct decoded_runs {
  Values value;
  Offsets offset;
  unsigned total;
};

namespace detail {

/// A run's value, and the position at which it begins.
template <class T>
struct run_start {
  T value;
  stl::uint32_t begin;
};

}  // namespace detail

template <class T>
struct is_exchangeable<detail::run_start<T>> : is_exchangeable<T> {};

namespace detail {

/// For each of a lane's values, true if a run begins with it. Not all lanes call `equal`.
template <class Group, class T, unsigned K, class Equal, class Policy>
TESSERA_FN items<bool, K> heads_of_runs(Group group, items<T, K> const& x, Equal const& equal, Policy const& policy) {
  unsigned const first = group.rank() * K;
  bool has_predecessor = false;
  T const predecessor = group.shuffle_up(x[K - 1], 1, has_predecessor);
  items<bool, K> heads{};
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i) {
    if (!detail::position_participates(policy, first + i)) continue;
    if (i > 0) {
      heads[i] = !static_cast<bool>(equal(x[i - 1], x[i]));
    } else {
      heads[i] = !has_predecessor || !static_cast<bool>(equal(predecessor, x[0]));
    }
  }
  group.reconverge();
  return heads;
}

template <class Group, class T, unsigned K, class Equal, class Policy>
TESSERA_FN unique_values<items<bool, K>, items<unsigned, K>> unique_items(Group group, items<T, K> const& x,
                                                                          Equal const& equal, Policy const& policy) {
  auto const heads = detail::heads_of_runs(group, x, equal, policy);
  unsigned own = 0;
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i) own += heads[i] ? 1u : 0u;
  counts_before const counts = detail::sum_counts<K>(group, own);
  unique_values<items<bool, K>, items<unsigned, K>> out{heads, {}, counts.total};
  unsigned through = counts.before;
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i) {
    through += heads[i] ? 1u : 0u;
    out.position[i] = detail::position_participates(policy, group.rank() * K + i) ? through - 1 : counts.total;
  }
  return out;
}

/// Moves the first value of every run to the front, with its position. A run ends where the next one begins.
template <class Group, class T, unsigned K, class Equal, class Policy>
TESSERA_FN encoded_runs<items<T, K>, items<unsigned, K>> encode_runs(Group group, items<T, K> const& x,
                                                                     Equal const& equal, Policy const& policy) {
  unsigned const first = group.rank() * K, end_of_last = detail::positions_of<K>(group, policy);
  auto const place = detail::partition_items(group, detail::heads_of_runs(group, x, equal, policy), policy);
  auto starts = detail::from_words<items<run_start<T>, K>>({});
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i) {
    run_start<T> const start{x[i], first + i};
    detail::copy_bytes(TESSERA_ADDRESS_OF(starts[i]), TESSERA_ADDRESS_OF(start), sizeof(start));
  }
  auto const runs = detail::scatter_items(group, starts, place.position);
  bool has_next = false;
  unsigned const begin_of_next = group.shuffle_down(runs[0].begin, 1, has_next);
  encoded_runs<items<T, K>, items<unsigned, K>> out{x, {}, place.count};
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i) {
    unsigned const run = first + i;
    unsigned const next = i + 1 < K ? runs[i + 1 < K ? i + 1 : i].begin : begin_of_next;
    unsigned const end = run + 1 < place.count ? next : end_of_last;
    out.length[i] = run < place.count ? end - runs[i].begin : 0;
    detail::copy_bytes(TESSERA_ADDRESS_OF(out.value[i]), TESSERA_ADDRESS_OF(runs[i].value), sizeof(T));
  }
  return out;
}

/// The begins of a lane's runs in the decoded sequence, and that sequence's length.
template <unsigned K>
struct begins_of_runs {
  items<unsigned, K> begin;
  unsigned total;
};
template <class Group, unsigned K, class Policy>
TESSERA_FN begins_of_runs<K> add_lengths(Group group, items<unsigned, K> const& length, Policy const& policy) {
  begins_of_runs<K> out{};
  unsigned own = 0;
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i) {
    out.begin[i] = own;
    own += detail::position_participates(policy, group.rank() * K + i) ? length[i] : 0u;
  }
  auto const lanes = detail::scan_lanes<tessera::policy<choice::with_total>, false>(group, own, plus{});
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i) out.begin[i] += lanes.inclusive - own;
  out.total = lanes.total;
  return out;
}

/// Decodes each lane's values at positions `from`, from + 1, …: position p belongs to the last run that begins at or
/// before p. An empty run begins where the next one does, so it is never the last.
///
/// Up to 32 lanes: a binary search for the lane that has the run, then over the lane's runs in turn.
template <unsigned Out, class Group, class T, unsigned K>
TESSERA_FN items<run_start<T>, Out> find_runs(Group group, items<T, K> const& value, items<unsigned, K> const& begin,
                                              unsigned from) {
  auto found = detail::from_words<items<run_start<T>, Out>>({});
  TESSERA_UNROLL
  for (unsigned j = 0; j < Out; ++j) {
    unsigned lane = 0;  // invariant: the run is in lanes lane … lane + 2 · step − 1
    TESSERA_UNROLL
    for (unsigned step = Group::size / 2; step > 0; step /= 2) {
      bool has_begun = group.shuffle(begin[0], lane + step) <= from + j;
      if constexpr (Group::may_be_partial) has_begun = has_begun && lane + step < group.valid_count();
      lane += has_begun ? step : 0u;
    }
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      run_start<T> const run{group.shuffle(value[i], lane), group.shuffle(begin[i], lane)};
      auto const better = detail::select(i == 0 || run.begin <= from + j, run, found[j]);
      detail::copy_bytes(TESSERA_ADDRESS_OF(found[j]), TESSERA_ADDRESS_OF(better), sizeof(run));
    }
  }
  return found;
}

/// The number of the first `count` slots whose runs begin at or before `position`. The begins are in order.
template <class Slots>
TESSERA_FN unsigned count_begun(Slots const& storage, unsigned count, unsigned position) {
  unsigned low = 0;
  while (low < count) {  // invariant: those before `low` have begun, those from `count` on have not
    unsigned const middle = (low + count) / 2;
    bool const has_begun = storage.read(middle).begin <= position;
    low = has_begun ? middle + 1 : low;
    count = has_begun ? count : middle;
  }
  return low;
}

/// Several warps: windows of runs are written one after the other, and each lane searches them.
template <unsigned Out, class Backend, class T, unsigned K>
TESSERA_FN items<run_start<T>, Out> find_runs(multi_warp_group<Backend> group, items<T, K> const& value,
                                              items<unsigned, K> const& begin, unsigned from) {
  using Group = multi_warp_group<Backend>;
  using run_t = run_start<T>;
  constexpr unsigned row = Group::template row_of_items<run_t, K>, window = Group::warps * row;
  constexpr unsigned rounds = Group::size * K / window;
  auto found = detail::from_words<items<run_t, Out>>({});
  unsigned const first = group.rank() * K, all = group.valid_count() * K;
  TESSERA_LOOP
  for (unsigned round = 0; round < rounds; ++round) {
    auto const storage = group.backend().template inputs<run_t, row>();
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i)
      if ((first + i) / window == round) storage.write((first + i) % window, run_t{value[i], begin[i]});
    group.sync();
    unsigned const before = round * window < all ? round * window : all;
    unsigned const written = all - before < window ? all - before : window;
    TESSERA_UNROLL
    for (unsigned j = 0; j < Out; ++j) {
      unsigned const begun = detail::count_begun(storage, written, from + j);
      if (begun == 0) continue;
      run_t const run = storage.read(begun - 1);
      detail::copy_bytes(TESSERA_ADDRESS_OF(found[j]), TESSERA_ADDRESS_OF(run), sizeof(run));
    }
    if (round + 1 < rounds) group.sync();
  }
  group.trailing_barrier();
  group.reconverge();  // lanes diverged in the searches
  return found;
}

template <unsigned Out, class Group, class T, unsigned K, class Policy>
TESSERA_FN decoded_runs<items<T, Out>, items<unsigned, Out>> decode_runs(Group group, items<T, K> const& value,
                                                                         items<unsigned, K> const& length,
                                                                         unsigned from, Policy const& policy) {
  auto const runs = detail::add_lengths(group, length, policy);
  unsigned const first = from + group.rank() * Out;
  auto const found = detail::find_runs<Out>(group, value, runs.begin, first);
  decoded_runs<items<T, Out>, items<unsigned, Out>> out{detail::from_words<items<T, Out>>({}), {}, runs.total};
  TESSERA_UNROLL
  for (unsigned j = 0; j < Out; ++j) {
    detail::copy_bytes(TESSERA_ADDRESS_OF(out.value[j]), TESSERA_ADDRESS_OF(found[j].value), sizeof(T));
    out.offset[j] = first + j - found[j].begin;
  }
  return out;
}

template <class Tile, class Equal, class T>
TESSERA_FN auto require_equality() {
  static_assert(!is_policy_v<Equal>,
                "Arguments in the wrong order: the equality comes before the policy: write unique(tile, x, "
                "tessera::equal_to{}, policy).");
  static_assert(stl::is_invocable_v<Equal const&, T const&, T const&>,
                "equal(a, b) takes two values of x's type and says whether they are equal; it must be callable "
                "while const: write a const operator(), no mutable lambda.");
  if constexpr (stl::is_invocable_v<Equal const&, T const&, T const&>) require_call<Tile, Equal const, T, T>();
}
template <unsigned K, class Values, class Lengths>
TESSERA_FN constexpr void require_runs() {
  static_assert(K >= 1, "run_length_decode<K>(tile, value, length): a lane gets K values, 1 or more.");
  static_assert(stl::is_same_v<Lengths, of_each_value_t<Values, unsigned>>,
                "run_length_decode(tile, value, length): write an unsigned for a value, and items<unsigned, K> "
                "for items<T, K>.");
}

/// K values of a lane: one value, or items.
template <class T, unsigned K>
using decoded_t = stl::conditional_t<K == 1, T, items<T, K>>;

}  // namespace detail
TESSERA_NAMESPACE_END
