// The exchange of a few bytes between ranks whose memory is one NVLink domain: each rank pushes its own into the memory
// of all others, and a flag after them, and waits for the flags of all.
//
//   a rank's window   epoch | addresses of all windows | flags[2][ranks] | slots[2][ranks]
//
// The epoch counts a rank's exchanges; flags and slots of even and odd ones differ. A rank pushes into a slot again two
// exchanges later: it has then had the flags of the exchange between, which each rank stores after it has read its
// slots. So nobody waits for having been read. The epoch is in memory, so that a graph can be replayed.
//
// Source: the one-shot all-reduces of TensorRT-LLM and vLLM exchange in this way.
#pragma once

#include <tessera/grid/parts/memory_ops.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Where the parts of a window are, in bytes.
struct push_layout {
  static constexpr int most_ranks = 128;
  static constexpr stl::size_t addresses = 128;
  static constexpr stl::size_t flags = addresses + most_ranks * sizeof(void*);
  static constexpr stl::size_t parts = 4096;
  static constexpr stl::size_t slot_bytes = 2048;  // the most that a rank pushes
  static_assert(flags + 2 * most_ranks * sizeof(std::uint32_t) <= parts, "Flags end before parts begin.");

  static constexpr stl::size_t bytes(int ranks) { return parts + 2 * static_cast<stl::size_t>(ranks) * slot_bytes; }
};

/// This rank's window, and whether it may wait.
struct push_links {
  unsigned char* window = nullptr;         // null: there is no such exchange
  std::uint32_t const* aborted = nullptr;  // not 0: nobody waits
  int rank = 0;
  int ranks = 1;

  TESSERA_FN std::uint32_t* epoch() const { return reinterpret_cast<std::uint32_t*>(window); }
  TESSERA_FN unsigned char* window_of(int peer) const {
    return reinterpret_cast<unsigned char* const*>(window + push_layout::addresses)[peer];
  }
  TESSERA_FN std::uint32_t* flag(unsigned char* of, std::uint32_t phase, int from) const {
    return reinterpret_cast<std::uint32_t*>(of + push_layout::flags) + phase * static_cast<unsigned>(ranks) + from;
  }
  TESSERA_FN unsigned char* slot(unsigned char* of, std::uint32_t phase, int from) const {
    return of + push_layout::parts +
           (phase * static_cast<stl::size_t>(ranks) + static_cast<stl::size_t>(from)) * push_layout::slot_bytes;
  }
};

/// One warp exchanges `bytes` bytes, up to push_layout::slot_bytes: each rank's are at all + rank · bytes. Then it runs
/// `then`.
template <class Memory, class Agent>
struct push_agent {
  push_links links;
  unsigned char* all;
  std::uint32_t bytes;
  Agent then;

  template <class Block>
  TESSERA_FN void operator()(Block const& block) const {
    int const lane = static_cast<int>(block.thread_rank());
    std::uint32_t const epoch = *links.epoch() + 1, phase = epoch % 2;
    for (int peer = 0; peer < links.ranks; ++peer)
      if (peer != links.rank) copy(part(links.rank), links.slot(links.window_of(peer), phase, links.rank), lane);
    Memory::fence();
    block.sync();
    for (int peer = lane; peer < links.ranks; peer += 32)
      if (peer != links.rank) Memory::store_release(links.flag(links.window_of(peer), phase, links.rank), epoch);
    block.sync();  // nobody waits before all flags are stored
    for (int peer = lane; peer < links.ranks; peer += 32)
      if (peer != links.rank) wait(links.flag(links.window, phase, peer), epoch);
    block.sync();
    for (int peer = 0; peer < links.ranks; ++peer)
      if (peer != links.rank) copy(links.slot(links.window, phase, peer), part(peer), lane);
    if (lane == 0) *links.epoch() = epoch;
    block.sync();
    then(block);
  }

 private:
  TESSERA_FN unsigned char* part(int rank) const { return all + static_cast<stl::size_t>(rank) * bytes; }
  TESSERA_FN void copy(unsigned char const* from, unsigned char* to, int lane) const {
    if (bytes % 4 == 0) {
      auto const* const words = reinterpret_cast<std::uint32_t const*>(from);
      for (unsigned i = static_cast<unsigned>(lane); i < bytes / 4; i += 32)
        reinterpret_cast<std::uint32_t*>(to)[i] = words[i];
    } else {
      for (unsigned i = static_cast<unsigned>(lane); i < bytes; i += 32) to[i] = from[i];
    }
  }
  TESSERA_FN void wait(std::uint32_t const* flag, std::uint32_t epoch) const {
    for (unsigned round = 1; Memory::load_acquire(flag) != epoch; ++round)
      if (round % 1024 == 0 && Memory::load_acquire(links.aborted) != 0) return;
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
