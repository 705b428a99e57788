// A tile of CPU lanes. It has the members of cooperative_groups::thread_block_tile<N> with the same
// meaning, for every power of two from 1 to 1024.
//
// A tile of a block is N consecutive ranks, whichever tile it was made from. All lanes of the tile must call each
// member marked "Collective" at the same source line; otherwise the launch throws host::misuse.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/core/words.hpp>
#include <tessera/host/backend.hpp>
#include <tessera/host/block.hpp>
#include <tessera/host/coalesced_group.hpp>
#include <tessera/host/group.hpp>

TESSERA_NAMESPACE_BEGIN
namespace host {

/// N lanes with neighboring ranks, as the calling lane sees them.
template <unsigned N>
class tile {
  static_assert(N >= 1 && N <= 1024 && (N & (N - 1)) == 0,
                "host::tile<N>: N must be a power of two from 1 to 1024; for another number of lanes take the "
                "next power of two "
                "and let only some of its lanes take part.");

 public:
  TESSERA_FN tile(const detail::lane_id& id, unsigned parent_rank, unsigned parent_size, bool padded = false)
      : id_(id), parent_rank_(parent_rank), parent_size_(parent_size), padded_(padded) {}

  TESSERA_FN static constexpr unsigned size() { return N; }
  TESSERA_FN static constexpr unsigned num_threads() { return N; }
  TESSERA_FN unsigned thread_rank() const { return id_.rank & (N - 1); }
  /// The tile's index among its parent's tiles, and their number. The parent is what tiled_partition was
  /// called with.
  TESSERA_FN unsigned meta_group_rank() const { return parent_rank_ / N; }
  TESSERA_FN unsigned meta_group_size() const { return (parent_size_ + N - 1) / N; }

  /// Collective. A barrier of the lanes. It also orders their accesses to memory.
  TESSERA_FN void sync(call_site site = call_site::here()) const {
    detail::collective_call here = call("tile.sync", site);
    here.padded = padded_;
    detail::arrive_and_wait(id_, detail::request_of<N>(here, detail::primitive::sync));
  }

  /// Collective. The value of lane `source`, which must be in the tile. Here and below, T is any trivially
  /// copyable type.
  template <class T>
  TESSERA_FN T shfl(T x, long long source, call_site site = call_site::here()) const {
    return detail::exchange_from<N>(id_, call("tile.shfl", site), x, source);
  }
  /// Collective. The value of lane `thread_rank() - delta`, or the lane's own if no such lane exists.
  template <class T>
  TESSERA_FN T shfl_up(T x, unsigned delta, call_site site = call_site::here()) const {
    return detail::exchange<N>(id_, call("tile.shfl_up", site), detail::primitive::shuffle_up, x, delta);
  }
  /// Collective. The value of lane `thread_rank() + delta`, or the lane's own if no such lane exists.
  template <class T>
  TESSERA_FN T shfl_down(T x, unsigned delta, call_site site = call_site::here()) const {
    return detail::exchange<N>(id_, call("tile.shfl_down", site), detail::primitive::shuffle_down, x, delta);
  }
  /// Collective. The value of lane `thread_rank() ^ mask`, or the lane's own if no such lane exists.
  template <class T>
  TESSERA_FN T shfl_xor(T x, unsigned mask, call_site site = call_site::here()) const {
    return detail::exchange<N>(id_, call("tile.shfl_xor", site), detail::primitive::shuffle_xor, x, mask);
  }

  /// Collective. `any`: true if any lane votes true; `all`: true if all lanes do.
  TESSERA_FN bool any(bool mine, call_site site = call_site::here()) const {
    return detail::vote<N>(id_, call("tile.any", site), mine).any();
  }
  TESSERA_FN bool all(bool mine, call_site site = call_site::here()) const {
    return detail::vote<N>(id_, call("tile.all", site), mine).all();
  }
  /// Collective. The lanes that vote true; lane 0 is bit 0.
  TESSERA_FN unsigned ballot(bool mine, call_site site = call_site::here()) const {
    static_assert(N <= 32, "ballot() gives one word: for a tile above 32 lanes use tessera::ballot(tile, predicate).");
    return detail::vote<N>(id_, call("tile.ballot", site), mine).word();
  }

  /// Collective. The lanes whose value has the same bits as the calling lane's.
  template <class T>
  TESSERA_FN unsigned match_any(T value, call_site site = call_site::here()) const {
    return match(value, call("tile.match_any", site));
  }
  /// Collective. If the value has the same bits in all lanes, returns the mask of all lanes and sets `same`
  /// to 1; otherwise returns 0 and sets `same` to 0.
  template <class T>
  TESSERA_FN unsigned match_all(T value, int& same, call_site site = call_site::here()) const {
    unsigned const everyone = tessera::detail::low_bits(N);
    same = match(value, call("tile.match_all", site)) == everyone ? 1 : 0;
    return same != 0 ? everyone : 0u;
  }

  /// The group of this tile's lanes for the collective that `call` describes; tessera's algorithms are
  /// written against it. The lanes of several warps have a rendezvous here first, so that different calls
  /// are reported at once. `TakesPadded` says that the algorithm supports partial tiles.
  template <bool TakesPadded = false, class Policy = policy<>>
  TESSERA_FN auto group(detail::collective_call call, [[maybe_unused]] Policy const& how = {}) const {
    call.padded = TakesPadded && padded_;
    if (detail::is_any_launch_traced()) call.serial = detail::begin_traced_call();
    if constexpr (N <= 32) {
      return host::group<N>(id_, call);
    } else {
      meet(call);
      auto const memory = detail::memory_of<N>(how);
      detail::require_scratch_size(id_, call, N, memory.threads);
      return tessera::detail::multi_warp_group(
          detail::backend<N, std::remove_const_t<decltype(memory)>>(id_, call, memory));
    }
  }

  /// Records the result of this lane's last call, if the launch is traced.
  template <class T>
  TESSERA_FN void trace_result([[maybe_unused]] const char* name, [[maybe_unused]] const char* types,
                               [[maybe_unused]] const call_site& site, [[maybe_unused]] const T& value) const {
    if constexpr (std::is_trivially_copyable_v<T>)
      if (detail::is_any_launch_traced())
        detail::trace_result({name, types, 0, false, site}, detail::log2_of(N), detail::type_tag<T>(), sizeof(T),
                             TESSERA_ADDRESS_OF(value));
  }

  TESSERA_FN const detail::lane_id& id() const { return id_; }

 private:
  /// A rendezvous of all lanes of the tile that isn't part of an algorithm.
  TESSERA_FN void meet(detail::collective_call call) const {
    call.serial = detail::untraced_call;
    host::group<N>(id_, call).ballot(true);
  }
  template <class T>
  TESSERA_FN unsigned match(T value, const detail::collective_call& call) const {
    static_assert(N <= 32,
                  "match_any() and match_all() give one word: for a tile above 32 lanes use "
                  "tessera::match_any(tile, key) or tessera::match_all(tile, key).");
    static_assert(tessera::detail::has_comparable_bits<T>,
                  "Matching compares bits: pass a number, or a struct of integers without padding.");
    return detail::match<N>(id_, call, value).word();
  }
  TESSERA_FN static detail::collective_call call(const char* name, const call_site& site) {
    return {name, "", 0, false, site};
  }

  detail::lane_id id_;
  unsigned parent_rank_;  // this lane's rank in the parent
  unsigned parent_size_;
  bool padded_;
};

namespace detail {

/// The whole block as a tile of N lanes. If `padded`, the block may have fewer lanes.
TESSERA_ONE_SIDED
template <unsigned N>
TESSERA_FN tile<N> block_tile(const block& whole, bool padded, [[maybe_unused]] call_site site) {
#if !TESSERA_ARCH
  if (padded ? whole.size() > N : whole.size() != N)
    detail::engine_of(whole.id(), "the block as a tile", site).fail(misuse_kind::incomplete_group, site, [&] {
      return "lane " + std::to_string(whole.thread_rank()) + " takes a block of " + std::to_string(whole.size()) +
             " threads as a tile of " + std::to_string(N) + ", at " + detail::describe(site);
    });
#endif
  return {whole.id(), whole.thread_rank(), N, padded};
}

}  // namespace detail

/// The calling lane's tile of M lanes: a part of a block, or of a tile of at least M lanes. This is not a
/// barrier. A tile that reaches past the end of the block can be made, but every collective on it is
/// reported as misuse.
template <unsigned M>
TESSERA_FN tile<M> tiled_partition(const block& parent) {
  return {parent.id(), parent.thread_rank(), parent.size()};
}
template <unsigned M, unsigned N>
TESSERA_FN tile<M> tiled_partition(const tile<N>& parent) {
  static_assert(M <= N, "tiled_partition<M>(tile): a tile can only be split into tiles of at most its own size.");
  return {parent.id(), parent.thread_rank(), N};
}

}  // namespace host
TESSERA_NAMESPACE_END
