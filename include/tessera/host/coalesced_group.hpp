// Any lanes of a warp of CPU lanes: the counterpart of cooperative_groups::coalesced_group, with the members that it
// has there. tessera::binary_partition and tessera::labeled_partition return it (coalesced_group.hpp).
//
// All lanes of the group must call each member marked "Collective" at the same source line; otherwise the launch throws
// host::misuse. Lanes of the warp that aren't in the group may be anywhere.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/core/lane_mask.hpp>
#include <tessera/core/policy.hpp>
#include <tessera/core/words.hpp>
#include <tessera/host/group.hpp>

TESSERA_NAMESPACE_BEGIN
namespace host {

class coalesced_group {
 public:
  TESSERA_FN coalesced_group(const detail::lane_id& id, stl::uint32_t lanes, unsigned meta_rank, unsigned meta_size)
      : id_(id), lanes_(lanes), meta_rank_(meta_rank), meta_size_(meta_size) {}

  TESSERA_FN unsigned size() const { return num_threads(); }
  TESSERA_FN unsigned num_threads() const { return tessera::detail::bits_set(lanes_); }
  /// The number of the group's lanes before this one.
  TESSERA_FN unsigned thread_rank() const { return tessera::detail::bits_set(lanes_ & lanes_before()); }
  /// The group's index among those that its partition made, and their number.
  TESSERA_FN unsigned meta_group_rank() const { return meta_rank_; }
  TESSERA_FN unsigned meta_group_size() const { return meta_size_; }

  /// Collective. A barrier of the lanes. It also orders their accesses to memory.
  TESSERA_FN void sync(call_site site = call_site::here()) const { as_group("group.sync", site).sync(); }

  /// Collective. The value of the lane of rank `source`, which must exist. Here and below, T is any trivially copyable
  /// type.
  template <class T>
  TESSERA_FN T shfl(T x, unsigned source, call_site site = call_site::here()) const {
    auto const group = as_group("group.shfl", site);
    group.require_source(source);
    return group.shuffle(x, source);
  }
  /// Collective. The value of the lane `delta` ranks before or after, or the lane's own if no such lane exists.
  template <class T>
  TESSERA_FN T shfl_up(T x, unsigned delta, call_site site = call_site::here()) const {
    return as_group("group.shfl_up", site).shuffle_up(x, delta);
  }
  template <class T>
  TESSERA_FN T shfl_down(T x, unsigned delta, call_site site = call_site::here()) const {
    return as_group("group.shfl_down", site).shuffle_down(x, delta);
  }

  /// Collective. `any`: true if any lane votes true; `all`: true if all lanes do.
  TESSERA_FN bool any(bool mine, call_site site = call_site::here()) const {
    return as_group("group.any", site).any(mine);
  }
  TESSERA_FN bool all(bool mine, call_site site = call_site::here()) const {
    return !as_group("group.all", site).any(!mine);
  }
  /// Collective. The ranks that vote true; rank 0 is bit 0.
  TESSERA_FN unsigned ballot(bool mine, call_site site = call_site::here()) const {
    return as_group("group.ballot", site).ballot(mine).word();
  }
  /// Collective. The ranks whose value has the same bits as the calling lane's.
  template <class T>
  TESSERA_FN unsigned match_any(T value, call_site site = call_site::here()) const {
    static_assert(tessera::detail::has_comparable_bits<T>,
                  "Matching compares bits: pass a number, or a struct of integers without padding.");
    return as_group("group.match_any", site).match(value).word();
  }

  /// The group for the collective that `call` describes, which tessera's algorithms are written against.
  template <bool TakesPadded = false, class Policy = policy<>>
  TESSERA_FN auto group(detail::collective_call call, [[maybe_unused]] Policy const& how = {}) const {
    call.lanes = lanes_;
    if (detail::is_any_launch_traced()) call.serial = detail::begin_traced_call();
    return host::group<32>(id_, call);
  }

  /// Records the result of this lane's last call, if the launch is traced.
  template <class T>
  TESSERA_FN void trace_result([[maybe_unused]] const char* name, [[maybe_unused]] const char* types,
                               [[maybe_unused]] const call_site& site, [[maybe_unused]] const T& value) const {
    if constexpr (std::is_trivially_copyable_v<T>)
      if (detail::is_any_launch_traced())
        detail::trace_result({name, types, 0, false, site}, detail::coalesced_level, detail::type_tag<T>(), sizeof(T),
                             TESSERA_ADDRESS_OF(value));
  }

  TESSERA_FN const detail::lane_id& id() const { return id_; }
  /// The group's lanes, as bits of its warp.
  TESSERA_FN stl::uint32_t lanes() const { return lanes_; }

 private:
  TESSERA_FN host::group<32> as_group(const char* name, const call_site& site) const {
    detail::collective_call call{name, "", 0, false, site};
    call.lanes = lanes_;
    return host::group<32>(id_, call);
  }
  TESSERA_FN stl::uint32_t lanes_before() const { return tessera::detail::low_bits(id_.rank % 32); }

  detail::lane_id id_;
  stl::uint32_t lanes_;
  unsigned meta_rank_;
  unsigned meta_size_;
};

namespace detail {

/// A set of ranks of a coalesced group, or of a tile, as lanes of its warp.
TESSERA_FN stl::uint32_t lanes_of_ranks(const coalesced_group& parent, lane_mask<32> ranks) {
  auto const all = lane_mask<32>::from_word(parent.lanes());
  auto lanes = lane_mask<32>{};
  for (unsigned const rank : ranks) lanes.set(all.nth(rank));
  return lanes.word();
}
template <class Tile>
TESSERA_FN stl::uint32_t lanes_of_ranks(const Tile& parent, lane_mask<Tile::size()> ranks) {
  return ranks.word() << (parent.id().rank % 32 - parent.thread_rank());
}

/// The group of the lanes of `parent` that have the calling lane's label.
template <class Parent, class Label>
TESSERA_FN coalesced_group partition(const Parent& parent, const char* name, Label label, call_site site) {
  auto const group = parent.group(collective_call{name, "", 0, false, site});
  auto const same = group.match(label);
  auto const leaders = group.ballot(same.first() == group.rank());
  return {parent.id(), detail::lanes_of_ranks(parent, same), leaders.rank_of(same.first()), leaders.count()};
}

}  // namespace detail
}  // namespace host
TESSERA_NAMESPACE_END
