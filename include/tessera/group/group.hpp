// A group is the interface that every algorithm is written against: the lanes of one tile during one collective, and
// how they exchange.
//
//   size, may_be_partial          number of lanes, a power of two; whether lanes may be missing at the end
//   rank()                        this lane's number, from 0
//   valid_count(), valid_lanes()  the lanes that exist: 0 … valid_count() − 1
//   shuffle(x, source)            x of lane `source`
//   shuffle_xor(x, bits)          x of lane rank() ^ bits
//   shuffle_up(x, delta, b)       x of lane rank() − delta, or the lane's own if there is none; b tells which
//   shuffle_down(x, delta, b)     likewise for lane rank() + delta
//   ballot(pred)                  the lanes with pred; a lane that doesn't exist has none
//   sync(), reconverge()          a barrier that orders memory; bringing the lanes of a warp together again
//
// Every member that exchanges is collective: all lanes call it, with arguments of the same type.
//
//   warp_group<N, Mask>        up to 32 lanes of a GPU's warp, which exchange under the full mask or the tile's own
//   partial_warp_group<32>     a warp whose last lanes don't exist
//   coalesced_warp_group<32>   any lanes of a warp, as one whose last ranks don't exist
//   multi_warp_group<Backend>  several warps, through memory; on the GPU and on host tiles
//   host::group<N>             up to 32 lanes of a host tile; also the warps of a larger one
//
// Groups whose lanes all exist also have any, count, broadcast, match, all_match and all_agree; groups of several warps
// also have in_warp(), warp(), all_gather, combine_in_first_warps, and their backend's storage.
//
// multi_block_group<Backend>, several blocks of a cluster, has none of the members that move values between any lanes:
// see group/multi_block_group.hpp.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/core/lane_mask.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

template <class G, class = void>
inline constexpr bool is_group = false;
template <class G>
inline constexpr bool is_group<
    G, stl::void_t<decltype(stl::declval<G const&>().rank()), decltype(stl::declval<G const&>().valid_count()),
                   decltype(stl::declval<G const&>().shuffle(0, 0u)),
                   decltype(stl::declval<G const&>().shuffle_xor(0, 0u)),
                   decltype(stl::declval<G const&>().shuffle_up(0, 0u, stl::declval<bool&>())),
                   decltype(stl::declval<G const&>().shuffle_down(0, 0u, stl::declval<bool&>())),
                   decltype(stl::declval<G const&>().sync()), decltype(stl::declval<G const&>().reconverge())>> =
    stl::is_same_v<decltype(stl::declval<G const&>().ballot(true)), lane_mask<G::size>>&&
        stl::is_same_v<decltype(stl::declval<G const&>().valid_lanes()), lane_mask<G::size>>&&
            stl::is_same_v<decltype(G::may_be_partial), bool const>;

}  // namespace detail
TESSERA_NAMESPACE_END
