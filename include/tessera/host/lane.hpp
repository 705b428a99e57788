// One lane of a running block, as the engine keeps it.
#pragma once

#include <tessera/host/fiber.hpp>
#include <tessera/host/request.hpp>
#include <tessera/host/stack.hpp>

namespace tessera::host::detail {

enum class lane_state : unsigned char { unborn, running, waiting, faulted, exited };

struct lane {
  lane_state state = lane_state::unborn;
  const request* waiting = nullptr;  // what it brought to the rendezvous that it waits in; lies on its stack
  const char* last_name = nullptr;   // the last collective that it got through, for reports
  call_site last_site{"", "", 0};
  unsigned shared_arrays = 0;  // how many it has declared
  stack frames;
  fiber flow;
};

/// Those who must arrive at one level: 2^level lanes, or fewer at the end of a block; or the block.
struct lane_range {
  unsigned begin;
  unsigned end;

  unsigned size() const { return end - begin; }
  bool contains(unsigned r) const { return begin <= r && r < end; }
};

inline lane_range group_of(unsigned rank, unsigned level, unsigned block_size) {
  unsigned const begin = (rank >> level) << level;
  unsigned const end = begin + (1u << level);
  return {begin, end < block_size ? end : block_size};
}

}  // namespace tessera::host::detail
