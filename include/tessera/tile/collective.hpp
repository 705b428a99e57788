// The one entry of all collectives, and the only place that knows the convergence policies.
//
// On the GPU, tiles below 32 lanes that name only their own lanes in a shuffle run one after another. With the constant
// full mask, all tiles of the warp run at once, but the whole warp must have converged. So `adaptive` reads
// `__activemask()`: lanes that see the full mask saw it in one execution of one instruction, hence all 32 of them take
// the fast branch together. Any lane that doesn't see it names its own tile. The mask never decides who is a member.
#pragma once

#include <tessera/core/policy.hpp>
#include <tessera/core/scanned.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/core/type_name.hpp>
#include <tessera/group/coalesced_warp_group.hpp>
#include <tessera/group/gpu_backend.hpp>
#include <tessera/group/gpu_cluster.hpp>
#include <tessera/group/participants.hpp>
#include <tessera/group/warp_group.hpp>
#include <tessera/tile/requirements.hpp>

#if TESSERA_CUDA && defined(TESSERA_CHECK) && !defined(__CUDACC_RTC__)
#include <cstdio>
#endif

TESSERA_NAMESPACE_BEGIN
namespace detail {

#if TESSERA_CUDA && defined(TESSERA_CHECK)
/// Traps if the caller's scratch ends before this lane's tile does.
template <unsigned N, class Policy>
TESSERA_FN void check_memory([[maybe_unused]] const char* name, [[maybe_unused]] call_site site) {
#if TESSERA_ARCH
  using memory = chosen_memory<Policy>;
  if constexpr (N > 32 && !stl::is_same_v<memory, choice::library_memory>) {
    constexpr unsigned capacity = stl::remove_pointer_t<decltype(memory::scratch)>::threads;
    unsigned const thread = thread_of_block();
    if (thread / N * N + N <= capacity || thread % N >= 32) return;  // another warp's trap may precede the message
    if (thread % N == 0)
      printf(
          "tessera: scratch too small: %s(..., shared(scratch)) at %s:%u in tile %u of %u lanes, block (%u, "
          "%u, %u): the scratch is for %u threads; write scratch<T, %u>\n",
          name, site.file, site.line, thread / N, N, blockIdx.x, blockIdx.y, blockIdx.z, capacity, threads_of_block());
    __syncwarp();  // else the trap may precede the message
    __trap();
  }
#endif
}

/// Traps unless all lanes that the block has in this warp have converged.
TESSERA_FN void check_converged([[maybe_unused]] const char* name, [[maybe_unused]] unsigned tile_size,
                                [[maybe_unused]] call_site site) {
#if TESSERA_ARCH
  unsigned const thread = thread_of_block();
  unsigned const warp_start = thread & ~31u;
  unsigned const here = __activemask();
  unsigned const all = detail::low_bits(threads_of_block() - warp_start);
  if (here == all) return;
  if (thread - warp_start == detail::lowest_bit(here)) {
    printf(
        "tessera: broken promise: %s(..., converged) at %s:%u in tile %u of %u lanes, block (%u, %u, %u): "
        "of the lanes %#010x of its warp only %#010x are here; write adaptive, or call it with the whole "
        "warp\n",
        name, site.file, site.line, thread / tile_size, tile_size, blockIdx.x, blockIdx.y, blockIdx.z, all, here);
  }
  __syncwarp(here);  // else the trap may precede the message
  __trap();
#endif
}
#else
TESSERA_FN void check_converged(const char*, unsigned, call_site) {}
template <unsigned N, class Policy>
TESSERA_FN void check_memory(const char*, call_site) {}
#endif

#if TESSERA_CUDA
/// The mask under which the lanes of a GPU tile of up to 32 exchange.
template <unsigned N, class Convergence>
using mask_kind = stl::conditional_t<
    N == 32 || stl::is_same_v<Convergence, choice::converged>, whole_warp,
    stl::conditional_t<N == 1 || stl::is_same_v<Convergence, choice::isolated>, own_lanes, either_mask>>;
#endif

/// Declared for its return type, group_of; never called.
template <class Tile, class Policy>
TESSERA_FN auto group_like([[maybe_unused]] Tile const& tile, [[maybe_unused]] Policy const& policy) {
  if constexpr (!is_tile_v<Tile>) {
    return no_group<Tile>{};
  } else if constexpr (on_host<Tile> && is_thread_block<Tile>) {
    return detail::group_like(host::detail::block_tile<1024>(tile, true, {}), policy);
  } else if constexpr (on_host<Tile>) {
    return tile.group({}, policy);
  } else {
#if TESSERA_CUDA
    constexpr unsigned N = tile_size_v<Tile>;
    if constexpr (is_coalesced<Tile>) {
      return detail::group_of_mask(tile);
    } else if constexpr (is_cluster<Tile>) {
      return tile.group();
    } else if constexpr (N > 32) {
      return multi_warp_group(detail::backend_of(tile, policy));
    } else {
      return warp_group<N, mask_kind<N, chosen_convergence<Policy>>>();
    }
#endif
  }
}

/// The group that a collective with this policy runs on, which its body takes as a parameter. It is one named type for
/// each tile and policy because NVRTC takes a lambda with an `auto` parameter for a host function.
template <class Tile, class Policy>
using group_of = decltype(detail::group_like(stl::declval<Tile const&>(), stl::declval<Policy const&>()));

/// The part of a collective's result that a host tile's trace shows: for a scan the lane's value.
template <class Result>
TESSERA_FN Result const& result_to_trace(Result const& result) {
  return result;
}
template <class X, class T>
TESSERA_FN X const& result_to_trace(scanned<X, T> const& result) {
  return result.value;
}

#if TESSERA_CUDA
/// Calls a body, which holds copies of the call's arguments: a reference to one would keep it in memory. (Host code
/// may name the function only if its type isn't deduced.)
template <class Body, class Group>
__device__ __noinline__ stl::invoke_result_t<Body&, Group&> run_not_inlined(Body body, Group group) {
  return body(group);
}
#endif

/// The one entry of all collectives: checks the call against its row in the table, and runs `body(group)` with the
/// tile's group, which exchanges as the policy says.
///
/// Collective  its row in tile/collectives.hpp.
/// Types       the types of its arguments, for a host tile's reports.
/// uniform     an argument that must be the same in all lanes, as must n of first(n). Host tiles report lanes that
///             differ.
TESSERA_ONE_SIDED
template <collective_row const& Collective, class... Types, class Tile, class Policy, class Body>
TESSERA_FN auto collective([[maybe_unused]] Tile const& tile, [[maybe_unused]] Policy const& policy,
                           [[maybe_unused]] call_site site, [[maybe_unused]] stl::uint64_t uniform, Body body) {
  require_call_of<Collective, Tile, Policy>();
  constexpr bool converged = stl::is_same_v<chosen_convergence<Policy>, choice::converged>;
  if constexpr (!is_tile_v<Tile>) {
    return;  // the message above suffices
  } else if constexpr (on_host<Tile> && is_thread_block<Tile>) {
    return detail::collective<Collective, Types...>(host::detail::block_tile<1024>(tile, true, site), policy, site,
                                                    uniform, body);
  } else if constexpr (on_host<Tile>) {
    constexpr bool takes_padded = Collective.is(collectives::padded_tiles) && !is_striped<Policy>;
    auto const group = tile.template group<takes_padded>(
        {Collective.name, type_names<Types...>(), uniform ^ detail::uniform_of(policy), converged, site}, policy);
    if constexpr (tile_size_v<Tile> == 1) group.sync();  // no exchange, but the promised barrier
    if constexpr (stl::is_void_v<decltype(body(group))>) {
      body(group);
    } else {
      auto result = body(group);
      if (!stl::is_same_v<chosen_placement<Policy>, choice::to_leader> || tile.thread_rank() == 0)
        tile.trace_result(Collective.name, type_names<Types...>(), site, detail::result_to_trace(result));
      return result;
    }
  } else {
#if TESSERA_CUDA
    constexpr unsigned N = tile_size_v<Tile>;
    if constexpr (is_coalesced<Tile>) {
      return body(detail::group_of_mask(tile));
    } else if constexpr (is_cluster<Tile>) {
      return body(tile.group());
    } else {
      if constexpr (converged) detail::check_converged(Collective.name, N, site);
      detail::check_memory<N, Policy>(Collective.name, site);
      if constexpr (N > 32) {
        return body(multi_warp_group(detail::backend_of(tile, policy)));
      } else {
        using mask = mask_kind<N, chosen_convergence<Policy>>;
        if constexpr (stl::is_same_v<mask, either_mask>) {
          if (__activemask() == ~0u) return body(warp_group<N, mask>(mask{true}));
          if constexpr (Collective.is(collectives::large)) {
            return detail::run_not_inlined(body, warp_group<N, mask>(mask{false}));
          } else {
            return body(warp_group<N, mask>(mask{false}));
          }
        } else {
          return body(warp_group<N, mask>());
        }
      }
    }
#endif
  }
}

}  // namespace detail
TESSERA_NAMESPACE_END
