// Vector clocks of the lanes of each warp, for blocks in which coalesced groups sync.
//
// Tiles nest, so that two lanes are ordered if and only if they both joined one sync. Coalesced groups overlap: if
// lanes 0 and 1 sync, and then lanes 1 and 2, lane 0's actions before that happen before lane 2's after it. So each
// lane keeps, for each lane of its warp, the tick before which all of that lane's actions happen before its own next
// one.
//
// Lanes of different warps need none: a chain of syncs between them has one of several warps, which all lanes of both
// warps join.
//
// Source: C. Fidge, "Timestamps in message-passing systems that preserve the partial ordering", 1988; F. Mattern,
// "Virtual time and global states of distributed systems", 1989.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tessera/core/config.hpp>
#include <tessera/host/run/lane.hpp>
#include <vector>

TESSERA_NAMESPACE_BEGIN
namespace host::detail {

class warp_clocks {
 public:
  /// True from the first sync of a coalesced group in the block on.
  bool are_kept() const { return !known_.empty(); }
  /// Begins with `synced(a, b)`, the tick of the newest sync that lanes a and b have joined.
  template <class Synced>
  void begin(unsigned lanes, Synced synced) {
    known_.assign(std::size_t{lanes} * 32, 0);
    for (unsigned b = 0; b < lanes; ++b)
      for (unsigned a = b & ~31u; a < lanes && a < (b | 31u) + 1; ++a) at(a, b) = synced(a, b);
  }
  void end() { known_.clear(); }

  /// The tick before which all actions of lane a happen before the next one of lane b, which is in the same warp.
  std::uint64_t known(unsigned a, unsigned b) const { return known_[std::size_t{b} * 32 + a % 32]; }

  /// Lanes of one warp sync at this tick: each learns what the others know.
  void sync(const unsigned* members, unsigned count, std::uint64_t tick) {
    std::uint64_t newest[32] = {};
    for (unsigned i = 0; i < count; ++i)
      for (unsigned a = 0; a < 32; ++a) newest[a] = (std::max)(newest[a], known(a, members[i]));
    for (unsigned i = 0; i < count; ++i) newest[members[i] % 32] = tick;
    for (unsigned i = 0; i < count; ++i)
      for (unsigned a = 0; a < 32; ++a) at(a, members[i]) = newest[a];
  }
  /// The lanes of a tile or the block sync.
  void sync_range(lane_range range, std::uint64_t tick) {
    for (unsigned begin = range.begin; begin < range.end;) {
      unsigned const end = (std::min)(range.end, (begin | 31u) + 1);
      unsigned members[32] = {};
      for (unsigned r = begin; r < end; ++r) members[r - begin] = r;
      sync(members, end - begin, tick);
      begin = end;
    }
  }

 private:
  std::uint64_t& at(unsigned a, unsigned b) { return known_[std::size_t{b} * 32 + a % 32]; }

  std::vector<std::uint64_t> known_;
};

}  // namespace host::detail
TESSERA_NAMESPACE_END
