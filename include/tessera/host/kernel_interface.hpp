// The interface between a kernel's tiles and the engine: the only host functions that `__host__ __device__` code calls.
// Compiled for a GPU they call a function without a definition, so that a kernel with a host tile doesn't link.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/host/engine.hpp>

TESSERA_NAMESPACE_BEGIN
namespace host::detail {

#if TESSERA_CUDA
__device__ void a_host_tile_cannot_be_used_in_a_kernel();
#endif

/// The lane and the run of a block that an object belongs to.
struct lane_id {
  std::uint64_t block = 0;
  unsigned rank = 0;  // in the block
};

/// Returns the running engine, after checking that `id` is its running lane.
inline engine& engine_of(const lane_id& id, const char* what, const call_site& site) {
  engine* const now = engine::running();
  if (now != nullptr && now->id() == id.block && now->current() == id.rank) return *now;
  auto const object = [&] {
    return std::string(what) + ", at " + detail::describe(site) + "\n  on an object of lane " + std::to_string(id.rank);
  };
  if (now == nullptr)
    throw misuse(misuse_kind::foreign_tile, "foreign tile, " + object() + " of a launch that has ended");
  now->fail(misuse_kind::foreign_tile, site, [&] {
    return "lane " + std::to_string(now->current()) + " calls " + object() +
           (now->id() == id.block ? "" : " of another launch or block");
  });
}

/// Posts `wanted` at its rendezvous, and returns after all lanes of the group have arrived.
TESSERA_ONE_SIDED
TESSERA_FN void arrive_and_wait([[maybe_unused]] const lane_id& id, [[maybe_unused]] const request& wanted) {
#if TESSERA_ARCH
  a_host_tile_cannot_be_used_in_a_kernel();
#else
  detail::engine_of(id, wanted.call.name, wanted.call.site).arrive_and_wait(wanted);
#endif
}

/// True if this or another thread's launch is traced. Otherwise this test is all that a collective does for traces.
TESSERA_ONE_SIDED
TESSERA_FN bool is_any_launch_traced() {
#if TESSERA_ARCH
  return false;
#else
  return launches_traced.load(std::memory_order_relaxed) != 0;
#endif
}

/// Numbers the call that the running lane begins, if its launch is traced; otherwise returns 0.
TESSERA_ONE_SIDED
TESSERA_FN unsigned begin_traced_call() {
#if TESSERA_ARCH
  a_host_tile_cannot_be_used_in_a_kernel();
  return 0;
#else
  engine* const now = engine::running();
  return now == nullptr || now->trace() == nullptr ? 0 : now->trace()->begin_call(now->current());
#endif
}

/// Records the result of the running lane's call, if its launch is traced.
TESSERA_ONE_SIDED
TESSERA_FN void trace_result([[maybe_unused]] const collective_call& call, [[maybe_unused]] unsigned level,
                             [[maybe_unused]] const char* type, [[maybe_unused]] std::size_t bytes,
                             [[maybe_unused]] const void* value) {
#if !TESSERA_ARCH
  engine* const now = engine::running();
  if (now != nullptr && now->trace() != nullptr) now->trace()->result(now->current(), call, level, type, bytes, value);
#endif
}

/// The number of lanes of the block.
TESSERA_ONE_SIDED
TESSERA_FN unsigned lanes_of_block([[maybe_unused]] const lane_id& id, [[maybe_unused]] const collective_call& call) {
#if TESSERA_ARCH
  a_host_tile_cannot_be_used_in_a_kernel();
  return 0;
#else
  return detail::engine_of(id, call.name, call.site).size();
#endif
}

/// Stops the lane, because its tile has no lane `source`.
TESSERA_ONE_SIDED
TESSERA_FN void refuse_source([[maybe_unused]] const lane_id& id, [[maybe_unused]] const request& wanted,
                              [[maybe_unused]] long long source) {
#if TESSERA_ARCH
  a_host_tile_cannot_be_used_in_a_kernel();
#else
  detail::engine_of(id, wanted.call.name, wanted.call.site)
      .fail(misuse_kind::source_out_of_range, wanted.call.site, [&] {
        return "lane " + std::to_string(id.rank) + " (rank " + std::to_string(wanted.rank_of(id.rank)) + " of its " +
               (wanted.is_coalesced() ? "coalesced group" : "tile") + ") asks for lane " + std::to_string(source) +
               " of a " + (wanted.is_coalesced() ? "group" : "tile") + " of " + std::to_string(wanted.lane_count()) +
               ",\n  in " + detail::describe(wanted);
      });
#endif
}

/// Stops the lane, because a comparator isn't a strict order.
TESSERA_ONE_SIDED
TESSERA_FN void refuse_order([[maybe_unused]] const lane_id& id, [[maybe_unused]] const collective_call& call) {
#if TESSERA_ARCH
  a_host_tile_cannot_be_used_in_a_kernel();
#else
  detail::engine_of(id, call.name, call.site).fail(misuse_kind::order_not_strict, call.site, [&] {
    return "lane " + std::to_string(id.rank) + ": before(a, b) and before(b, a) are both true of two values, in " +
           call.name + ", at " + detail::describe(call.site) + ":\n  write a strict order, as a < b, not a <= b";
  });
#endif
}

/// Stops the lane, because an argument of the call has this fault.
TESSERA_ONE_SIDED
TESSERA_FN void refuse_argument([[maybe_unused]] const lane_id& id, [[maybe_unused]] const collective_call& call,
                                [[maybe_unused]] const char* fault) {
#if TESSERA_ARCH
  a_host_tile_cannot_be_used_in_a_kernel();
#else
  detail::engine_of(id, call.name, call.site).fail(misuse_kind::wrong_argument, call.site, [&] {
    return "lane " + std::to_string(id.rank) + " passes " + fault + ", in " + call.name + ", at " +
           detail::describe(call.site);
  });
#endif
}

}  // namespace host::detail
TESSERA_NAMESPACE_END
