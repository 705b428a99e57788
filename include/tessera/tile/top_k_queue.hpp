// The state that the lanes of a warp (or a smaller tile) keep of a stream: a sorted run of its first values, and in
// each lane a few later values that may belong to them.
//
//   best       P = 2^⌈log2(K)⌉ entries in order, a run as in tile/top_k.hpp
//   threshold  entry K − 1 of them: a value that doesn't come before it is dropped at once
//   pending    Q entries a lane; when a lane's are full, all lanes' are selected and merged into `best`
//
// Source: J. Johnson, M. Douze, H. Jégou, "Billion-scale similarity search with GPUs", 2017 (WarpSelect).
#pragma once

#include <tessera/tile/top_k_by_warps.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// The lanes that share a queue: with several warps, each warp has its own.
template <class Group>
TESSERA_FN auto queue_group(Group group) {
  if constexpr (is_multi_warp<Group>) {
    return group.in_warp();
  } else {
    return group;
  }
}

/// `Lanes` is the number of the tile's lanes that share it, up to 32.
template <unsigned K, class T, class Form, unsigned Lanes>
class queue_state {
  using entry = typename Form::entry;
  static constexpr unsigned P = detail::power_of_two_from(K);

 public:
  /// The number of a lane's entries in `best`, and of its pending ones.
  static constexpr unsigned M = P > Lanes ? P / Lanes : 1, Q = M > 4 ? M : 4;

  TESSERA_FN queue_state() : best_(all_nothing<M>()), pending_(all_nothing<Q>()), threshold_(Form::nothing()) {}

  /// Accepts those of a lane's values that belong to the best, among those whose bits are in `there`. position(i) is
  /// the position of item i.
  template <class Group, unsigned Items, class Position>
  TESSERA_FN void push(Group group, Form const& form, items<T, Items> const& x, stl::uint32_t there,
                       Position position) {
    static_assert(Items <= 32, "top_k_queue::push(tile, x): x has up to 32 items.");
    if (group.all_agree(!has_candidates(form, x, there))) return;
    insert(group, form, x, candidates(form, x, there), position);
  }

  /// Merges the pending entries into the best, and returns those as a run.
  template <class Group>
  TESSERA_FN auto flush(Group group, Form const& form) {
    auto const order = form.order();
    auto run = detail::first_entries<P>(group, order, pending_, Form::nothing());
    using places = typename decltype(run)::places;
    run_merger<stl::remove_const_t<decltype(order)>, Group, entry> const merger(group, order);
    auto others = detail::in_reverse(run.x);
    if constexpr (places::mirror != 0) others = group.shuffle_xor(others, places::mirror);
    merger.keep_first(best_, others);
    merger.template merge_blocks<places, 0>(best_, run.block);
    merger.merge_in_lane(best_);
    TESSERA_UNROLL
    for (unsigned i = 0; i < Q; ++i) detail::assign(pending_[i], Form::nothing());
    count_ = 0;
    entry const last = group.broadcast(best_[(K - 1) % M], places::lane_of((K - 1) / M));
    detail::assign(threshold_, last);
    return sorted_run<entry, M, places>{best_, run.block};
  }

  /// The best of all lanes, placed as the policy says.
  template <class Policy, class Group>
  TESSERA_FN auto best(Group group, Form const& form) {
    auto const run = flush(detail::queue_group(group), form);
    if constexpr (is_multi_warp<Group>) {
      return detail::select_of_warps<K, T, Policy>(group, form, run);
    } else {
      return detail::place_run<K, Policy>(group, detail::decode_run<T>(form, run));
    }
  }

 private:
  /// True if one of a lane's values may belong to the best. It may also be true for a value whose bit isn't in `there`,
  /// which takes fewer tests.
  template <unsigned Items>
  TESSERA_FN bool has_candidates(Form const& form, items<T, Items> const& x, stl::uint32_t there) const {
    if constexpr (Form::may_branch) {
      return candidates(form, x, there) != 0;
    } else {
      T const last = form.decode(threshold_);
      bool any = Form::is_open(threshold_, last);
      TESSERA_UNROLL
      for (unsigned i = 0; i < Items; ++i) any = any | form.may_come_before(x[i], last);
      return any & (there != 0);
    }
  }
  /// The values, among those whose bits are in `there`, that may belong to the best.
  template <unsigned Items>
  TESSERA_FN stl::uint32_t candidates(Form const& form, items<T, Items> const& x, stl::uint32_t there) const {
    T const last = form.decode(threshold_);
    if (Form::is_open(threshold_, last)) return there;
    stl::uint32_t found = 0;
    TESSERA_UNROLL
    for (unsigned i = 0; i < Items; ++i) {
      if (Form::may_branch && (there >> i & 1) == 0) continue;
      found |= stl::uint32_t{form.may_come_before(x[i], last)} << i;
    }
    return found & there;
  }

  /// Appends the values whose bits are in `left`, one of each lane in turn, if they belong to the best.
  template <class Group, unsigned Items, class Position>
  TESSERA_FN void insert(Group group, Form const& form, items<T, Items> const& x, stl::uint32_t left,
                         Position position) {
    TESSERA_LOOP
    while (!group.all_agree(left == 0)) {
      unsigned const i = detail::lowest_bit(left | stl::uint32_t{1} << 31);
      T value = x[0];
      if constexpr (Items > 1) {  // gcc warns of a loop without iterations
        TESSERA_UNROLL
        for (unsigned j = 1; j < Items; ++j) detail::assign(value, detail::select(i == j, x[j], value));
      }
      entry const candidate = form.encode(value, position(i));
      if (left != 0 && detail::comes_before(form.order(), candidate, threshold_)) append(candidate);
      left &= left - 1;
      if (!group.all_agree(count_ < Q)) flush(group, form);
    }
  }

  template <unsigned Count>
  TESSERA_FN static items<entry, Count> all_nothing() {
    auto all = detail::from_words<items<entry, Count>>({});
    TESSERA_UNROLL
    for (unsigned i = 0; i < Count; ++i) detail::assign(all[i], Form::nothing());
    return all;
  }
  TESSERA_FN void append(entry const& added) {
    TESSERA_UNROLL
    for (unsigned i = Q - 1; i > 0; --i) detail::assign(pending_[i], pending_[i - 1]);
    detail::assign(pending_[0], added);
    ++count_;
  }

  items<entry, M> best_;
  items<entry, Q> pending_;
  entry threshold_;
  unsigned count_ = 0;
};

}  // namespace detail
TESSERA_NAMESPACE_END
