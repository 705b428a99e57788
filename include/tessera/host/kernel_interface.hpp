// The gate between a kernel's tiles and the engine: the only functions that `__host__ __device__` code calls
// and that run on the host only. In a pass for a GPU they call a function that exists nowhere, so that a host
// tile in a kernel doesn't link.
#pragma once

#include <tessera/config.hpp>
#include <tessera/host/engine.hpp>

namespace tessera::host::detail {

#if TESSERA_CUDA
__device__ void a_host_tile_cannot_be_used_in_a_kernel();
#endif

/// Which lane of which block a tile belongs to.
struct identity {
  std::uint64_t block = 0;
  unsigned rank = 0;  // in the block
};

/// The running engine, once it is sure that `who` is its running lane.
inline engine& engine_of(const identity& who, const char* what, const call_site& site) {
  engine* const now = engine::running();
  if (now != nullptr && now->id() == who.block && now->current() == who.rank) return *now;
  auto const object = [&] {
    return std::string(what) + ", at " + describe(site) + "\n  on an object of lane " +
           std::to_string(who.rank);
  };
  if (now == nullptr)
    throw misuse(misuse_kind::foreign_tile, "foreign tile, " + object() + " of a launch that is over");
  now->fail(misuse_kind::foreign_tile, [&] {
    return "lane " + std::to_string(now->current()) + " calls " + object() +
           (now->id() == who.block ? "" : " of another launch or block");
  });
}

/// Brings `wanted` to its rendezvous.
TESSERA_ONE_SIDED
TESSERA_FN void meet([[maybe_unused]] const identity& who, [[maybe_unused]] const request& wanted) {
#if TESSERA_ARCH
  a_host_tile_cannot_be_used_in_a_kernel();
#else
  engine_of(who, wanted.call.name, wanted.call.site).meet(wanted);
#endif
}

/// How many lanes the block has.
TESSERA_ONE_SIDED
TESSERA_FN unsigned lanes_of_block([[maybe_unused]] const identity& who,
                                   [[maybe_unused]] const collective_call& call) {
#if TESSERA_ARCH
  a_host_tile_cannot_be_used_in_a_kernel();
  return 0;
#else
  return engine_of(who, call.name, call.site).size();
#endif
}

/// Stops the lane: there is no lane `source` in its tile.
TESSERA_ONE_SIDED
TESSERA_FN void refuse_source([[maybe_unused]] const identity& who, [[maybe_unused]] const request& wanted,
                              [[maybe_unused]] long long source) {
#if TESSERA_ARCH
  a_host_tile_cannot_be_used_in_a_kernel();
#else
  engine_of(who, wanted.call.name, wanted.call.site).fail(misuse_kind::source_out_of_range, [&] {
    return "lane " + std::to_string(who.rank) + " (rank " +
           std::to_string(who.rank & (wanted.tile_size() - 1)) + " of its tile) asks for lane " +
           std::to_string(source) + " of a tile of " + std::to_string(wanted.tile_size()) + ",\n  in " +
           describe(wanted);
  });
#endif
}

}  // namespace tessera::host::detail
