// A tile is N lanes, N a power of two from 1 to 1024, that can exchange values.
//
// On the GPU it is a `cooperative_groups::thread_block_tile<N, Parent>`, on the CPU a `host::tile<N>`. Every function
// of this library that takes a tile takes either.
//
// A collective gets the tile's group from `detail::collective` (tile/collective.hpp), and algorithms are written
// against groups, whose members group/group.hpp lists.
//
// A coalesced group (coalesced_group.hpp), which has any lanes of a warp, is a tile of 32 lanes to most collectives.
// Its lanes are numbered by their ranks in it, and the lanes from size() on don't exist. A block itself, a thread_block
// or a host::block, stands for padded_block_tile<1024>(block).
//
// A cluster_tile (cluster_tile.hpp) has the lanes of several blocks, up to 16384, and takes part in fewer collectives.
//
// A collective in which only a part of the lanes takes the last step (an atomic, a store, a call of the operator) ends
// with reconverge(). Otherwise a warp may arrive diverged at the caller's next barrier, which can pass before all of
// the warp's updates are visible (docs/convergence.md).
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/core/lane_mask.hpp>

TESSERA_NAMESPACE_BEGIN

namespace host {
template <unsigned N>
class tile;
class block;
class coalesced_group;
class cluster;
template <unsigned N, unsigned Threads>
class cluster_tile;
template <unsigned M>
TESSERA_FN tile<M> tiled_partition(const block& parent);
template <unsigned M, unsigned N>
TESSERA_FN tile<M> tiled_partition(const tile<N>& parent);
namespace detail {
template <unsigned N>
TESSERA_FN tile<N> block_tile(const block& whole, bool padded, call_site site);
template <unsigned N, unsigned Threads>
TESSERA_FN cluster_tile<N, Threads> cluster_tile_of(const cluster& whole, call_site site);
template <class Parent, class Label>
TESSERA_FN coalesced_group partition(const Parent& parent, const char* name, Label label, call_site site);
}  // namespace detail
}  // namespace host

template <unsigned N, bool Padded>
class block_tile;
template <unsigned N, unsigned Threads>
class cluster_tile;

namespace detail {

/// `tile_traits<Tile>::size` is the number of lanes; a type that isn't a tile has `is_tile == false`, and a size of 1.
template <class Tile>
struct tile_traits {
  static constexpr bool is_tile = false;
  static constexpr unsigned size = 1;
};

template <unsigned N>
struct tile_traits<host::tile<N>> {
  static constexpr bool is_tile = true;
  static constexpr unsigned size = N;
};

template <unsigned N, bool Padded>
struct tile_traits<block_tile<N, Padded>> {
  static constexpr bool is_tile = true;
  static constexpr unsigned size = N;
};

template <unsigned N, unsigned Threads>
struct tile_traits<cluster_tile<N, Threads>> {
  static constexpr bool is_tile = true;
  static constexpr unsigned size = N;
};
template <unsigned N, unsigned Threads>
struct tile_traits<host::cluster_tile<N, Threads>> {
  static constexpr bool is_tile = true;
  static constexpr unsigned size = N;
};

/// Groups whose size is no constant, by the number of lanes that they may have.
template <unsigned Most>
struct traits_of_any_size {
  static constexpr bool is_tile = true;
  static constexpr unsigned size = Most;
};
template <>
struct tile_traits<host::coalesced_group> : traits_of_any_size<32> {};
template <>
struct tile_traits<host::block> : traits_of_any_size<1024> {};

#if TESSERA_CUDA
template <unsigned N, class Parent>
struct tile_traits<cooperative_groups::thread_block_tile<N, Parent>> {
  static constexpr bool is_tile = true;
  static constexpr unsigned size = N;
};
template <>
struct tile_traits<cooperative_groups::coalesced_group> : traits_of_any_size<32> {};
template <>
struct tile_traits<cooperative_groups::thread_block> : traits_of_any_size<1024> {};
#endif

}  // namespace detail

/// True if a type is a tile, a coalesced group or a block.
template <class Tile>
inline constexpr bool is_tile_v = detail::tile_traits<stl::remove_cv_t<stl::remove_reference_t<Tile>>>::is_tile;

/// Number of lanes of a tile type; 32 for a coalesced group and 1024 for a block, which may have fewer.
template <class Tile>
inline constexpr unsigned tile_size_v = detail::tile_traits<stl::remove_cv_t<stl::remove_reference_t<Tile>>>::size;

namespace detail {

template <class Group>
inline constexpr bool on_host = false;
template <>
inline constexpr bool on_host<host::block> = true;
template <unsigned N>
inline constexpr bool on_host<host::tile<N>> = true;
template <>
inline constexpr bool on_host<host::coalesced_group> = true;
template <>
inline constexpr bool on_host<host::cluster> = true;
template <unsigned N, unsigned Threads>
inline constexpr bool on_host<host::cluster_tile<N, Threads>> = true;

/// True if a type of tile has the lanes of several blocks.
template <class Tile>
inline constexpr bool is_cluster = false;
template <unsigned N, unsigned Threads>
inline constexpr bool is_cluster<cluster_tile<N, Threads>> = true;
template <unsigned N, unsigned Threads>
inline constexpr bool is_cluster<host::cluster_tile<N, Threads>> = true;

/// True if a type of tile has any lanes of a warp.
template <class Tile>
inline constexpr bool is_coalesced = false;
template <>
inline constexpr bool is_coalesced<host::coalesced_group> = true;
#if TESSERA_CUDA
template <>
inline constexpr bool is_coalesced<cooperative_groups::coalesced_group> = true;
#endif

/// True if a type is the block itself, and no tile of it.
template <class Tile>
inline constexpr bool is_thread_block = false;
template <>
inline constexpr bool is_thread_block<host::block> = true;
#if TESSERA_CUDA
template <>
inline constexpr bool is_thread_block<cooperative_groups::thread_block> = true;
#endif

/// True if a type of tile is always the whole block; true if lanes may be missing at its end.
template <class Tile>
inline constexpr bool is_block_tile = is_thread_block<Tile>;
template <unsigned N, bool Padded>
inline constexpr bool is_block_tile<block_tile<N, Padded>> = true;
template <class Tile>
inline constexpr bool is_padded = is_thread_block<Tile>;
template <unsigned N>
inline constexpr bool is_padded<block_tile<N, true>> = true;

}  // namespace detail

#if defined(__cpp_concepts) && __cpp_concepts >= 201907L
/// As a concept, from C++20 on.
template <class T>
concept tile = is_tile_v<T>;
#endif

/// The calling lane's tile of M consecutive lanes of `group`, a block or a tile: M lanes from rank M·k.
///
///   rank in a block or tile   0 1 2 3 4 5 6 7
///   tiled_partition<4>        0 1 2 3|0 1 2 3
///
/// Called by all lanes of the group together. No exchange.
TESSERA_ONE_SIDED
template <unsigned M, class Group>
TESSERA_FN auto tiled_partition(Group const& group) {
  static_assert(M >= 1 && M <= 1024 && (M & (M - 1)) == 0,
                "tiled_partition<M>: a tile has a power of two of lanes, from 1 to 1024: write 1, 2, 4, 8, ... 1024.");
  if constexpr (is_tile_v<Group>) {
    static_assert(M <= tile_size_v<Group>, "tiled_partition<M>: the tile to divide has fewer than M lanes.");
  }
  static_assert(
      !detail::is_cluster<Group>,
      "tiled_partition<M>(group): a cluster tile has lanes of several blocks: write tiled_partition<M>(block), "
      "of the block.");
  static_assert(!detail::is_coalesced<Group>,
                "tiled_partition<M>(group): a coalesced group has no tiles, since its lanes may be any: write "
                "labeled_partition(group, group.thread_rank() / M).");
  if constexpr (detail::is_coalesced<Group> || detail::is_cluster<Group>) {
    return group;  // the message above suffices
  } else if constexpr (detail::on_host<Group>) {
    return host::tiled_partition<M>(group);
  } else {
#if TESSERA_CUDA
    return cooperative_groups::tiled_partition<M>(group);
#else
    static_assert(detail::on_host<Group>, "tiled_partition<M>(group): the group is a host::block or a host::tile<N>.");
#endif
  }
}

namespace detail {

/// The extents of the grid of a block's kernel, in blocks.
TESSERA_ONE_SIDED
template <class Block>
TESSERA_FN auto grid_extents([[maybe_unused]] Block const& block) {
  if constexpr (on_host<Block>) {
    return block.grid_dim();
  } else {
#if TESSERA_ARCH
    return ::dim3(gridDim);
#elif TESSERA_CUDA
    return ::dim3(1, 1, 1);
#endif
  }
}

}  // namespace detail

/// The number of the calling thread in its grid, as cooperative_groups::this_grid().thread_rank(): blocks in the order
/// of group_index(), x first, and the threads of each by rank. `block` is a cooperative_groups::thread_block or a
/// host::block.
///
///   for (auto i = tessera::grid_rank(block); i < n; i += tessera::grid_size(block)) out[i] = f(in[i]);
///
/// Called by  any thread. No exchange.
template <class Block>
TESSERA_FN stl::uint64_t grid_rank(Block const& block) {
  auto const extents = detail::grid_extents(block);
  auto const at = block.group_index();
  stl::uint64_t const row = stl::uint64_t{at.z} * extents.y + at.y;
  return (row * extents.x + at.x) * block.size() + block.thread_rank();
}

/// The number of threads in the grid: the stride of such a loop.
template <class Block>
TESSERA_FN stl::uint64_t grid_size(Block const& block) {
  auto const extents = detail::grid_extents(block);
  return stl::uint64_t{extents.x} * extents.y * extents.z * block.size();
}

TESSERA_NAMESPACE_END
