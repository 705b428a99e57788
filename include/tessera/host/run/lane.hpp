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

/// The lanes of the block that share a rendezvous: a range of lanes, and of a coalesced group only some of the range.
struct rendezvous_lanes {
  lane_range range;
  std::uint32_t lanes;  // of a coalesced group, as bits from the range's first lane on; else 0

  bool contains(unsigned r) const {
    return range.contains(r) && (lanes == 0 || (lanes >> (r - range.begin) & 1u) != 0);
  }

  class iterator {
   public:
    iterator(const rendezvous_lanes& all, unsigned at) : all_(all), at_(at) { skip(); }
    unsigned operator*() const { return at_; }
    iterator& operator++() {
      ++at_;
      skip();
      return *this;
    }
    bool operator!=(const iterator& other) const { return at_ != other.at_; }

   private:
    void skip() {
      while (at_ < all_.range.end && !all_.contains(at_)) ++at_;
    }

    const rendezvous_lanes& all_;
    unsigned at_;
  };
  iterator begin() const { return {*this, range.begin}; }
  iterator end() const { return {*this, range.end}; }
};

/// The lanes that share the rendezvous of lane `rank`, which waits with this request.
inline rendezvous_lanes lanes_of_rendezvous(unsigned rank, const request& wanted, unsigned block_size) {
  return {detail::group_of(rank, wanted.rendezvous_level(), block_size), wanted.call.lanes};
}

}  // namespace host::detail
TESSERA_NAMESPACE_END
