// A tile of CPU lanes: same members and meanings as cooperative_groups::thread_block_tile<N>, for every power
// of two from 1 to 1024.
//
// Tiles of a block are N consecutive ranks each, whichever tile they were made from. Every member that says
// "collective" must be called by all lanes of the tile, at the same source line; else the launch throws
// host::misuse.
#pragma once

#include <tessera/config.hpp>
#include <tessera/detail/words.hpp>
#include <tessera/host/backend.hpp>
#include <tessera/host/block.hpp>
#include <tessera/host/group.hpp>

namespace tessera::host {

template <unsigned N>
class tile {
  static_assert(N >= 1 && N <= 1024 && (N & (N - 1)) == 0,
                "host::tile<N>: N must be a power of two from 1 to 1024; for other numbers of lanes take the "
                "next power of two "
                "and let only some of its lanes take part.");

 public:
  TESSERA_FN tile(const detail::identity& who, unsigned parent_rank, unsigned parent_size,
                  bool padded = false)
      : who_(who), parent_rank_(parent_rank), parent_size_(parent_size), padded_(padded) {}

  TESSERA_FN static constexpr unsigned size() { return N; }
  TESSERA_FN static constexpr unsigned num_threads() { return N; }
  TESSERA_FN unsigned thread_rank() const { return who_.rank & (N - 1); }
  /// Which of its parent's tiles this is, and how many there are. The parent is what tiled_partition was
  /// called with.
  TESSERA_FN unsigned meta_group_rank() const { return parent_rank_ / N; }
  TESSERA_FN unsigned meta_group_size() const { return (parent_size_ + N - 1) / N; }

  /// Collective. A barrier, which also orders memory.
  TESSERA_FN void sync(call_site site = call_site::here()) const {
    collective_call here = call("tile.sync", site);
    here.padded = padded_;
    detail::meet(who_, detail::request_of<N>(here, detail::primitive::sync));
  }

  /// Collective. The value of lane `source`, which must be in the tile. T: any trivially copyable type, here
  /// and below.
  template <class T>
  TESSERA_FN T shfl(T x, long long source, call_site site = call_site::here()) const {
    return detail::exchange_from<N>(who_, call("tile.shfl", site), x, source);
  }
  /// Collective. The value of the lane `delta` below; the lane's own where there is none.
  template <class T>
  TESSERA_FN T shfl_up(T x, unsigned delta, call_site site = call_site::here()) const {
    return detail::exchange<N>(who_, call("tile.shfl_up", site), detail::primitive::shuffle_up, x, delta);
  }
  /// Collective. The value of the lane `delta` above; the lane's own where there is none.
  template <class T>
  TESSERA_FN T shfl_down(T x, unsigned delta, call_site site = call_site::here()) const {
    return detail::exchange<N>(who_, call("tile.shfl_down", site), detail::primitive::shuffle_down, x, delta);
  }
  /// Collective. The value of lane `thread_rank() ^ mask`; the lane's own where there is none.
  template <class T>
  TESSERA_FN T shfl_xor(T x, unsigned mask, call_site site = call_site::here()) const {
    return detail::exchange<N>(who_, call("tile.shfl_xor", site), detail::primitive::shuffle_xor, x, mask);
  }

  /// Collective. Does any lane vote true? Do all?
  TESSERA_FN bool any(bool mine, call_site site = call_site::here()) const {
    return detail::vote<N>(who_, call("tile.any", site), mine).any();
  }
  TESSERA_FN bool all(bool mine, call_site site = call_site::here()) const {
    return detail::vote<N>(who_, call("tile.all", site), mine).all();
  }
  /// Collective. The lanes that vote true, lane 0 in bit 0.
  TESSERA_FN unsigned ballot(bool mine, call_site site = call_site::here()) const {
    static_assert(N <= 32,
                  "ballot() gives one word: for a tile above 32 lanes use tessera::ballot(tile, predicate).");
    return detail::vote<N>(who_, call("tile.ballot", site), mine).word();
  }

  /// Collective. The lanes that hold the same value, bit for bit.
  template <class T>
  TESSERA_FN unsigned match_any(T value, call_site site = call_site::here()) const {
    return match(value, call("tile.match_any", site));
  }
  /// Collective. Every lane, and `same` set to 1, where all hold the same value, bit for bit; else none and
  /// 0.
  template <class T>
  TESSERA_FN unsigned match_all(T value, int& same, call_site site = call_site::here()) const {
    unsigned const everyone = tessera::detail::low_bits(N);
    same = match(value, call("tile.match_all", site)) == everyone ? 1 : 0;
    return same != 0 ? everyone : 0u;
  }

  /// The lanes, for the collective that `call` describes: what tessera's algorithms work on. Several warps meet here first, so
  /// that a lane that brings another call is told so at once. `TakesPadded`: lanes may be missing at the tile's end.
  template <bool TakesPadded = false, class Policy = policy<>>
  TESSERA_FN auto group(collective_call call, [[maybe_unused]] Policy const& how = {}) const {
    call.padded = TakesPadded && padded_;
    host::group<N> const all{who_, call};
    if constexpr (N <= 32) {
      return all;
    } else {
      all.ballot(true);
      auto const memory = detail::memory_of(how);
      detail::require_room(who_, call, N, memory.threads);
      return tessera::detail::multi_warp_group(
          detail::backend<N, std::remove_const_t<decltype(memory)>>(who_, call, memory));
    }
  }

  TESSERA_FN const detail::identity& who() const { return who_; }

 private:
  template <class T>
  TESSERA_FN unsigned match(T value, const collective_call& call) const {
    static_assert(N <= 32,
                  "match_any() and match_all() give one word: they are for tiles of up to 32 lanes.");
    static_assert(tessera::detail::has_comparable_bits<T>,
                  "Matching compares bit for bit: pass a number, or a type without padding.");
    return detail::match<N>(who_, call, value).word();
  }
  TESSERA_FN static collective_call call(const char* name, const call_site& site) {
    return {name, "", 0, false, site};
  }

  detail::identity who_;
  unsigned parent_rank_;  // this lane's rank in the parent
  unsigned parent_size_;
  bool padded_;
};

/// The whole block as a tile of N; `padded`: the block may have fewer lanes.
TESSERA_ONE_SIDED
template <unsigned N>
TESSERA_FN tile<N> block_tile(const block& whole, bool padded, [[maybe_unused]] call_site site) {
#if !TESSERA_ARCH
  if (padded ? whole.size() > N : whole.size() != N)
    detail::engine_of(whole.who(), "the block as a tile", site).fail(misuse_kind::incomplete_group, [&] {
      return "lane " + std::to_string(whole.thread_rank()) + " takes a block of " +
             std::to_string(whole.size()) + " threads as a tile of " + std::to_string(N) + ", at " +
             detail::describe(site);
    });
#endif
  return {whole.who(), whole.thread_rank(), N, padded};
}

/// The lane's tile of M: of a block, or of a tile of at least M. Not a barrier. Where the block ends within
/// the tile, the tile may be had but makes no collective.
template <unsigned M>
TESSERA_FN tile<M> tiled_partition(const block& parent) {
  return {parent.who(), parent.thread_rank(), parent.size()};
}
template <unsigned M, unsigned N>
TESSERA_FN tile<M> tiled_partition(const tile<N>& parent) {
  static_assert(M <= N,
                "tiled_partition<M>(tile): a tile can only be split into tiles of at most its own size.");
  return {parent.who(), parent.thread_rank(), N};
}

}  // namespace tessera::host
