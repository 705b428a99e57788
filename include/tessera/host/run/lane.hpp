// The engine's record of one lane of the running block.
#pragma once

#include <tessera/host/run/fiber.hpp>
#include <tessera/host/run/request.hpp>
#include <tessera/host/run/stack.hpp>

TESSERA_NAMESPACE_BEGIN
namespace host::detail {

enum class lane_state : unsigned char { not_started, running, waiting, faulted, exited };

struct lane {
  lane_state state = lane_state::not_started;
  const request* waiting = nullptr;  // the request that it waits with, which lies on the lane's stack
  const char* last_name = nullptr;   // the last collective that it completed, for reports
  call_site last_site{"", "", 0};
  unsigned shared_arrays = 0;  // the number of arrays that it has declared
  stack frames;
  fiber flow;
};

/// The lanes [begin, end) of the block.
struct lane_range {
  unsigned begin;
  unsigned end;

  unsigned size() const { return end - begin; }
  bool contains(unsigned r) const { return begin <= r && r < end; }
};

/// The lanes that share a rendezvous with `rank` at this level: 2^level lanes (fewer at the end of the
/// block), or the whole block.
inline lane_range group_of(unsigned rank, unsigned level, unsigned block_size) {
  unsigned const begin = (rank >> level) << level;
  unsigned const end = begin + (1u << level);
  return {begin, end < block_size ? end : block_size};
}

}  // namespace host::detail
TESSERA_NAMESPACE_END
