// How a collective call gets at the lanes of its tile: the one place that knows the convergence policies.
//
// On the GPU, tiles below 32 lanes that name only their own lanes in a shuffle run one after another. With
// the constant full mask, all tiles of the warp run at once; that needs the whole warp to be here. So
// `adaptive` looks: lanes that see the full mask in `__activemask()` saw it in one execution of one
// instruction, hence all 32 of them take the fast branch together; any lane that doesn't see it names its own
// tile. The mask never says who is a member.
#pragma once

#include <tessera/detail/type_name.hpp>
#include <tessera/detail/warp_lanes.hpp>
#include <tessera/detail/warps_place.hpp>
#include <tessera/policy.hpp>
#include <tessera/tile.hpp>

#if TESSERA_CUDA && defined(TESSERA_CHECK) && !defined(__CUDACC_RTC__)
#include <cstdio>
#endif

namespace tessera::detail {

/// What a collective says of itself, for a host tile's reports and for `TESSERA_CHECK`.
template <class... Types>
struct collective_name {
  const char* name;
  call_site site;
};

#if TESSERA_CUDA && defined(TESSERA_CHECK)
/// Traps unless all lanes that the block has in this warp are here.
TESSERA_FN void check_converged([[maybe_unused]] const char* name, [[maybe_unused]] unsigned tile_size,
                                [[maybe_unused]] call_site site) {
#if TESSERA_ARCH
  unsigned const thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  unsigned const warp_start = thread & ~31u;
  unsigned const here = __activemask();
  unsigned const all = low_bits(blockDim.x * blockDim.y * blockDim.z - warp_start);
  if (here == all) return;
  if (thread - warp_start == lowest_bit(here)) {
    printf(
        "tessera: broken promise: %s(..., converged) at %s:%u in tile %u of %u lanes, block (%u, %u, %u): "
        "of the lanes %#010x of its warp only %#010x are here; write adaptive, or call it with the whole "
        "warp\n",
        name, site.file, site.line, thread / tile_size, tile_size, blockIdx.x, blockIdx.y, blockIdx.z, all,
        here);
  }
  __syncwarp(here);  // else the trap may come before the message
  __trap();
#endif
}
#else
TESSERA_FN void check_converged(const char*, unsigned, call_site) {}
#endif

/// What must be the same in all lanes: n of `first(n)`.
template <class Policy>
TESSERA_FN stl::uint64_t uniform_of([[maybe_unused]] Policy const& policy) {
  if constexpr (stl::is_same_v<typename Policy::participants, choice::first>) {
    return policy.n;
  } else {
    return 0;
  }
}

/// Whether no lane contributes; a vote where the policy is `where(pred)`.
template <class Lanes, class Policy>
TESSERA_FN bool nobody_participates([[maybe_unused]] Lanes lanes, Policy const& policy) {
  if constexpr (stl::is_same_v<typename Policy::participants, choice::first>) {
    return policy.n == 0;
  } else {
    return !lanes.any(policy.pred);
  }
}

/// Runs `body(lanes)` with the lanes of the tile, which exchange as the policy says. `uniform` is an argument that must be
/// the same in all of them: a host tile sees to that.
TESSERA_ONE_SIDED
template <bool TakesPadded = false, class Tile, class Policy, class Body, class... Types>
TESSERA_FN auto collective([[maybe_unused]] Tile const& tile, [[maybe_unused]] Policy const& policy,
                           collective_name<Types...> call, [[maybe_unused]] stl::uint64_t uniform,
                           Body body) {
  constexpr bool converged = stl::is_same_v<typename Policy::convergence, choice::converged>;
  static_assert(TakesPadded || !is_padded<Tile>,
                "A padded block tile takes part in reduce, scans, votes, broadcast, elect and invoke_one: "
                "for this call "
                "launch blocks of N threads and write this_block_tile<N>(block).");
  if constexpr (on_host<Tile>) {
    auto const lanes = tile.template lanes<TakesPadded>(
        {call.name, type_names<Types...>(), uniform, converged, call.site}, policy);
    if constexpr (tile_size_v<Tile> == 1) lanes.sync();  // there is no exchange, but a promise to be kept
    return body(lanes);
  } else {
#if TESSERA_CUDA
    constexpr unsigned N = tile_size_v<Tile>;
    constexpr bool isolated = stl::is_same_v<typename Policy::convergence, choice::isolated>;
    if constexpr (converged) check_converged(call.name, N, call.site);
    if constexpr (N > 32) {
      return body(multi_warp_lanes(detail::place_of(tile, policy)));
    } else if constexpr (converged || N == 32) {
      return body(warp_lanes<N, whole_warp>{});
    } else if constexpr (isolated || N == 1) {
      return body(warp_lanes<N, own_lanes>{});
    } else {
      if (__activemask() == ~0u) return body(warp_lanes<N, whole_warp>{});
      return body(warp_lanes<N, own_lanes>{});
    }
#endif
  }
}

}  // namespace tessera::detail
