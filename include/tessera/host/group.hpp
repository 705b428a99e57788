// What algorithms use of a host tile: movement, votes and barriers that carry what the algorithm says of
// itself.
#pragma once

#include <tessera/config.hpp>
#include <tessera/detail/group.hpp>
#include <tessera/exchangeable.hpp>
#include <tessera/host/kernel_interface.hpp>
#include <tessera/lane_mask.hpp>

namespace tessera::host {

namespace detail {

TESSERA_FN constexpr unsigned log2_of(unsigned n) {
  unsigned level = 0;
  while ((1u << level) < n) ++level;
  return level;
}

template <unsigned N>
TESSERA_FN request request_of(const collective_call& call, primitive kind, unsigned argument = 0) {
  request r;
  r.call = call;
  r.kind = kind;
  r.level = log2_of(N);
  r.argument = argument;
  return r;
}

/// A value each: what lane `source_of(…)` of the tile holds.
template <unsigned N, class T>
TESSERA_FN T exchange(const identity& who, const collective_call& call, primitive kind, T x,
                      unsigned argument) {
  static_assert(is_exchangeable_v<T>,
                "Lanes exchange trivially copyable types only: pass the members that matter, one by one.");
  T result = x;
  request r = request_of<N>(call, kind, argument);
  r.type = type_tag<T>();
  r.bytes = static_cast<unsigned>(sizeof(T));
  r.in = &x;
  r.out = &result;
  meet(who, r);
  return result;
}

template <unsigned N, class T>
TESSERA_FN T exchange_from(const identity& who, const collective_call& call, T x, long long source) {
  if (source < 0 || source >= static_cast<long long>(N)) {
    request r = request_of<N>(call, primitive::shuffle);
    r.type = type_tag<T>();
    r.bytes = static_cast<unsigned>(sizeof(T));
    refuse_source(who, r, source);
  }
  return exchange<N>(who, call, primitive::shuffle, x, static_cast<unsigned>(source));
}

template <unsigned N>
TESSERA_FN lane_mask<N> mask_of(const stl::uint32_t* words) {
  lane_mask<N> mask{};
  for (unsigned w = 0; w < lane_mask<N>::word_count; ++w) mask.set_word(w, words[w]);
  return mask;
}

/// The lanes whose x has the same bits.
template <unsigned N, class T>
TESSERA_FN lane_mask<N> match(const identity& who, const collective_call& call, T x) {
  stl::uint32_t words[lane_mask<N>::word_count] = {};
  request r = request_of<N>(call, primitive::match);
  r.type = type_tag<T>();
  r.bytes = static_cast<unsigned>(sizeof(T));
  r.in = &x;
  r.out = words;
  meet(who, r);
  return mask_of<N>(words);
}

/// Everyone's vote.
template <unsigned N>
TESSERA_FN lane_mask<N> vote(const identity& who, const collective_call& call, bool mine) {
  stl::uint32_t words[lane_mask<N>::word_count] = {};
  request r = request_of<N>(call, primitive::ballot, mine ? 1u : 0u);
  r.out = words;
  meet(who, r);
  return mask_of<N>(words);
}

/// Whether any lane that meets here votes true: of the tile, or where `converged` is promised of the warp.
template <unsigned N>
TESSERA_FN bool any(const identity& who, const collective_call& call, bool mine) {
  bool result = false;
  request r = request_of<N>(call, primitive::any, mine ? 1u : 0u);
  r.out = &result;
  meet(who, r);
  return result;
}

}  // namespace detail

/// The lanes of one tile during one collective: from `tile.lanes(call)`. Every member is a rendezvous of the
/// tile (of the whole warp, where the call promises `converged`), to which all lanes must bring the same
/// call.
template <unsigned N>
class group {
 public:
  static constexpr unsigned size = N;

  TESSERA_FN group(const detail::identity& who, const collective_call& call) : who_(who), call_(call) {}

  TESSERA_FN unsigned rank() const { return who_.rank & (N - 1); }
  /// How many lanes are there: fewer than N at the end of a padded tile.
  static constexpr bool may_be_partial = N > 1;
  TESSERA_FN unsigned valid_count() const {
    if (!call_.padded) return N;
    unsigned const left = detail::lanes_of_block(who_, call_) - (who_.rank & ~(N - 1));
    return left < N ? left : N;
  }
  TESSERA_FN lane_mask<N> valid_lanes() const { return lane_mask<N>::prefix(valid_count()); }

  /// The value of lane `source`, which must be below N.
  template <class T>
  TESSERA_FN T shuffle(T x, unsigned source) const {
    return detail::exchange_from<N>(who_, call_, x, static_cast<long long>(source));
  }
  /// The value of lane `rank() ^ mask`; the lane's own where there is none.
  template <class T>
  TESSERA_FN T shuffle_xor(T x, unsigned mask) const {
    return detail::exchange<N>(who_, call_, detail::primitive::shuffle_xor, x, mask);
  }
  /// The value of lane `rank() - delta`; the lane's own where there is none.
  template <class T>
  TESSERA_FN T shuffle_up(T x, unsigned delta) const {
    return detail::exchange<N>(who_, call_, detail::primitive::shuffle_up, x, delta);
  }
  /// The value of lane `rank() + delta`; the lane's own where there is none.
  template <class T>
  TESSERA_FN T shuffle_down(T x, unsigned delta) const {
    return detail::exchange<N>(who_, call_, detail::primitive::shuffle_down, x, delta);
  }
  /// The same two, which say whether there is such a lane.
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
  /// The lanes with the same bits.
  template <class T>
  TESSERA_FN lane_mask<N> match(T x) const {
    return detail::match<N>(who_, call_, x);
  }
  /// The lanes that vote true.
  TESSERA_FN lane_mask<N> ballot(bool mine) const { return detail::vote<N>(who_, call_, mine); }
  TESSERA_FN bool any(bool mine) const { return ballot(mine).any(); }
  TESSERA_FN unsigned count(bool mine) const { return ballot(mine).count(); }
  /// The value of one lane, the same for all.
  template <class T>
  TESSERA_FN T broadcast(T x, unsigned source) const {
    return shuffle(x, source);
  }
  /// Whether all lanes have the same bits.
  template <class T>
  TESSERA_FN bool all_match(T x) const {
    return match(x).all();
  }
  /// Whether all lanes that exchange together, of this tile and others, say `mine`.
  TESSERA_FN bool all_agree(bool mine) const { return !detail::any<N>(who_, call_, !mine); }
  /// A barrier, which also orders memory.
  TESSERA_FN void sync() const { detail::meet(who_, detail::request_of<N>(call_, detail::primitive::sync)); }
  /// Host lanes are never in parts of a warp.
  TESSERA_FN void reconverge() const {}

 private:
  detail::identity who_;
  collective_call call_;
};

static_assert(tessera::detail::is_group<group<8>> && tessera::detail::is_group<group<32>>,
              "A host tile's lanes are a group: see detail/group.hpp.");

}  // namespace tessera::host
