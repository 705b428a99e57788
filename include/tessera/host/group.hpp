// The group of a host tile, the interface that algorithms are written against: shuffles, votes and barriers. Each of
// them carries the algorithm's description, so that lanes in different calls don't exchange values unnoticed.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/core/exchangeable.hpp>
#include <tessera/core/lane_mask.hpp>
#include <tessera/group/group.hpp>
#include <tessera/host/kernel_interface.hpp>

TESSERA_NAMESPACE_BEGIN
namespace host {

namespace detail {

TESSERA_FN constexpr unsigned log2_of(unsigned n) {
  unsigned level = 0;
  while ((1u << level) < n) ++level;
  return level;
}

template <unsigned N>
TESSERA_FN request request_of(const detail::collective_call& call, primitive kind, unsigned argument = 0) {
  request r;
  r.call = call;
  r.kind = kind;
  r.level = detail::log2_of(N);
  r.argument = argument;
  return r;
}

/// Gives every lane the x of another lane of its tile, by `source_of` in movement.hpp.
template <unsigned N, class T>
TESSERA_FN T exchange(const lane_id& id, const detail::collective_call& call, primitive kind, T x, unsigned argument) {
  static_assert(is_exchangeable_v<T>,
                "Lanes exchange trivially copyable types only: pass the members that matter, one by one.");
  T result = x;
  request r = detail::request_of<N>(call, kind, argument);
  r.type = type_tag<T>();
  r.bytes = static_cast<unsigned>(sizeof(T));
  r.in = TESSERA_ADDRESS_OF(x);
  r.out = TESSERA_ADDRESS_OF(result);
  detail::arrive_and_wait(id, r);
  return result;
}

template <unsigned N, class T>
TESSERA_FN T exchange_from(const lane_id& id, const detail::collective_call& call, T x, long long source) {
  if (source < 0 || source >= static_cast<long long>(N)) {
    request r = detail::request_of<N>(call, primitive::shuffle);
    r.type = type_tag<T>();
    r.bytes = static_cast<unsigned>(sizeof(T));
    detail::refuse_source(id, r, source);
  }
  return detail::exchange<N>(id, call, primitive::shuffle, x, static_cast<unsigned>(source));
}

template <unsigned N>
TESSERA_FN lane_mask<N> mask_of(const stl::uint32_t* words) {
  lane_mask<N> mask{};
  for (unsigned w = 0; w < lane_mask<N>::word_count; ++w) mask.set_word(w, words[w]);
  return mask;
}

/// The lanes whose x has the same bits as the calling lane's.
template <unsigned N, class T>
TESSERA_FN lane_mask<N> match(const lane_id& id, const detail::collective_call& call, T x) {
  stl::uint32_t words[lane_mask<N>::word_count] = {};
  request r = detail::request_of<N>(call, primitive::match);
  r.type = type_tag<T>();
  r.bytes = static_cast<unsigned>(sizeof(T));
  r.in = TESSERA_ADDRESS_OF(x);
  r.out = words;
  detail::arrive_and_wait(id, r);
  return detail::mask_of<N>(words);
}

/// The lanes that vote true.
template <unsigned N>
TESSERA_FN lane_mask<N> vote(const lane_id& id, const detail::collective_call& call, bool mine) {
  stl::uint32_t words[lane_mask<N>::word_count] = {};
  request r = detail::request_of<N>(call, primitive::ballot, mine ? 1u : 0u);
  r.out = words;
  detail::arrive_and_wait(id, r);
  return detail::mask_of<N>(words);
}

/// True if any lane of the rendezvous votes true: any of the tile, or any of the warp if the call promises `converged`.
template <unsigned N>
TESSERA_FN bool any(const lane_id& id, const detail::collective_call& call, bool mine) {
  bool result = false;
  request r = detail::request_of<N>(call, primitive::any, mine ? 1u : 0u);
  r.out = TESSERA_ADDRESS_OF(result);
  detail::arrive_and_wait(id, r);
  return result;
}

}  // namespace detail

/// The lanes of one tile during one collective; `tile.group(call)` returns it. Every exchange, vote and
/// barrier is a rendezvous of the tile, or of the whole warp if the call promises `converged`. All lanes
/// must make the same call.
template <unsigned N>
class group {
 public:
  static constexpr unsigned size = N;

  TESSERA_FN group(const detail::lane_id& id, const detail::collective_call& call) : id_(id), call_(call) {}

  /// The lane's number in the tile; in a coalesced group among the group's lanes.
  TESSERA_FN unsigned rank() const {
    unsigned const lane = id_.rank & (N - 1);
    return call_.lanes == 0 ? lane : tessera::detail::bits_set(call_.lanes & tessera::detail::low_bits(lane));
  }
  /// The number of lanes that exist is below N in most coalesced groups, and if the block ends within a padded tile.
  static constexpr bool may_be_partial = N > 1;
  TESSERA_FN unsigned valid_count() const {
    if (call_.lanes != 0) return tessera::detail::bits_set(call_.lanes);
    if (!call_.padded) return N;
    unsigned const left = detail::lanes_of_block(id_, call_) - (id_.rank & ~(N - 1));
    return left < N ? left : N;
  }
  TESSERA_FN lane_mask<N> valid_lanes() const { return lane_mask<N>::prefix(valid_count()); }

  /// The value of lane `source`, which must be below N.
  template <class T>
  TESSERA_FN T shuffle(T x, unsigned source) const {
    return detail::exchange_from<N>(id_, call_, x, static_cast<long long>(source));
  }
  /// The value of lane `rank() ^ mask`, or the lane's own if no such lane exists.
  template <class T>
  TESSERA_FN T shuffle_xor(T x, unsigned mask) const {
    return detail::exchange<N>(id_, call_, detail::primitive::shuffle_xor, x, mask);
  }
  /// The value of lane `rank() - delta`, or the lane's own if no such lane exists.
  template <class T>
  TESSERA_FN T shuffle_up(T x, unsigned delta) const {
    return detail::exchange<N>(id_, call_, detail::primitive::shuffle_up, x, delta);
  }
  /// The value of lane `rank() + delta`, or the lane's own if no such lane exists.
  template <class T>
  TESSERA_FN T shuffle_down(T x, unsigned delta) const {
    return detail::exchange<N>(id_, call_, detail::primitive::shuffle_down, x, delta);
  }
  /// As above; `in_range` tells whether the source lane exists.
  template <class T>
  TESSERA_FN T shuffle_up(T x, unsigned delta, bool& in_range) const {
    in_range = delta <= rank();
    return shuffle_up(x, delta);
  }
  template <class T>
  TESSERA_FN T shuffle_down(T x, unsigned delta, bool& in_range) const {
    in_range = delta < valid_count() - rank();
    return shuffle_down(x, delta);
  }
  /// The lanes whose x has the same bits as the calling lane's.
  template <class T>
  TESSERA_FN lane_mask<N> match(T x) const {
    return detail::match<N>(id_, call_, x);
  }
  /// The lanes that vote true.
  TESSERA_FN lane_mask<N> ballot(bool mine) const { return detail::vote<N>(id_, call_, mine); }
  TESSERA_FN bool any(bool mine) const { return ballot(mine).any(); }
  TESSERA_FN unsigned count(bool mine) const { return ballot(mine).count(); }
  /// The value of lane `source`, which is the same for all lanes.
  template <class T>
  TESSERA_FN T broadcast(T x, unsigned source) const {
    return shuffle(x, source);
  }
  /// True if x has the same bits in all lanes.
  template <class T>
  TESSERA_FN bool all_match(T x) const {
    return match(x) == valid_lanes();
  }
  /// True if `mine` is true in all lanes of the rendezvous, which may be those of several tiles of a warp.
  TESSERA_FN bool all_agree(bool mine) const { return !detail::any<N>(id_, call_, !mine); }
  /// A barrier of the lanes. It also orders their accesses to memory.
  TESSERA_FN void sync() const { detail::arrive_and_wait(id_, detail::request_of<N>(call_, detail::primitive::sync)); }
  /// Reports a source that doesn't exist.
  TESSERA_FN void require_source(unsigned source) const {
    if (source >= valid_count())
      detail::refuse_source(id_, detail::request_of<N>(call_, detail::primitive::shuffle), source);
  }
  /// Reports a comparator that isn't a strict order.
  TESSERA_FN void require_strict_order(bool strict) const {
    if (!strict) detail::refuse_order(id_, call_);
  }
  /// Reports an argument with this fault unless it `holds`.
  TESSERA_FN void require_argument(bool holds, const char* fault) const {
    if (!holds) detail::refuse_argument(id_, call_, fault);
  }
  /// Does nothing: host lanes have no divergence to undo.
  TESSERA_FN void reconverge() const {}

 private:
  detail::lane_id id_;
  detail::collective_call call_;
};

static_assert(tessera::detail::is_group<group<8>> && tessera::detail::is_group<group<32>>,
              "A host tile's lanes are a group: see group/group.hpp.");

}  // namespace host
TESSERA_NAMESPACE_END
