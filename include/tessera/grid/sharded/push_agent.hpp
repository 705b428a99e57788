// The exchange of a few bytes between ranks whose memory is one NVLink domain: each rank pushes its own into the memory
// of all others, and waits for theirs.
//
//   a rank's window   epoch | addresses of all windows | slots[2][ranks]
//   a slot            word, epoch | word, epoch | …
//
// The epoch counts a rank's exchanges. It is stored beside each word, as one word of 64 bits: who sees the epoch has
// the word, so that there is no fence, and no flag to store after all. Even and odd exchanges have slots of their own.
// A rank pushes into a slot again two exchanges later: it has then had the words of the exchange between, which each
// rank stores after it has read its slots. So nobody waits for having been read. The epoch is in memory, so that a
// graph can be replayed.
//
// The floor is a launch, a load of what is pushed, a store across NVLink, and the load that sees it.
//
// Source: the protocol LL of NCCL, which stores flags beside words.
#pragma once

#include <tessera/grid/parts/memory_ops.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Where the parts of a window are, in bytes.
struct push_layout {
  static constexpr int most_ranks = 128;
  static constexpr stl::size_t addresses = 128;
  static constexpr stl::size_t parts = 4096;       // where slots begin
  static constexpr stl::size_t most_bytes = 2048;  // that a rank pushes
  static constexpr stl::size_t slot_words = most_bytes / sizeof(std::uint32_t);
  static_assert(addresses + most_ranks * sizeof(void*) <= parts, "Addresses end before slots begin.");

  static constexpr stl::size_t bytes(int ranks) {
    return parts + 2 * static_cast<stl::size_t>(ranks) * slot_words * sizeof(std::uint64_t);
  }
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
  TESSERA_FN std::uint64_t* slot(unsigned char* of, std::uint32_t phase, int from) const {
    return reinterpret_cast<std::uint64_t*>(of + push_layout::parts) +
           (phase * static_cast<stl::size_t>(ranks) + static_cast<stl::size_t>(from)) * push_layout::slot_words;
  }
};

/// One warp exchanges `bytes` bytes, up to push_layout::most_bytes: each rank's are at all + rank · bytes. Then it runs
/// `then`. Memory is system_memory, or another in tests.
template <class Memory, class Agent>
struct push_agent {
  push_links links;
  unsigned char* all;
  std::uint32_t bytes;
  Agent then;

  template <class Block>
  TESSERA_FN void operator()(Block const& block) const {
    unsigned const lane = block.thread_rank();
    std::uint32_t const epoch = *links.epoch() + 1, phase = epoch % 2;
    for_each_word(
        lane, [&](int, unsigned i) -> std::uint64_t { return load_word(part(links.rank), i); },
        [&](int peer, unsigned i, std::uint64_t word) {
          Memory::store_relaxed(links.slot(links.window_of(peer), phase, links.rank) + i,
                                std::uint64_t{epoch} << 32 | word);
        });
    detail::barrier_of_block(block);  // nobody waits before all words are stored
    for_each_word(
        lane,
        [&](int peer, unsigned i) -> std::uint64_t {
          return Memory::load_relaxed(links.slot(links.window, phase, peer) + i);
        },
        [&](int peer, unsigned i, std::uint64_t word) {
          store_word(part(peer), i, wait(links.slot(links.window, phase, peer) + i, word, epoch));
        });
    if (lane == 0) *links.epoch() = epoch;
    detail::barrier_of_block(block);
    then(block);
  }

 private:
  TESSERA_FN unsigned char* part(int rank) const { return all + static_cast<stl::size_t>(rank) * bytes; }
  /// Calls use(peer, i, load(peer, i)) for the words of all other ranks, of which each lane takes some. Loads of up to
  /// 8 words don't wait for each other.
  template <class Load, class Use>
  TESSERA_FN void for_each_word(unsigned lane, Load load, Use use) const {
    unsigned const words = (bytes + 3) / 4, pairs = words * static_cast<unsigned>(links.ranks);
    if (pairs <= 32) {
      in_batches<1>(lane, words, pairs, load, use);
    } else {
      in_batches<8>(lane, words, pairs, load, use);
    }
  }
  template <unsigned Batch, class Load, class Use>
  TESSERA_FN void in_batches(unsigned lane, unsigned words, unsigned pairs, Load load, Use use) const {
    TESSERA_LOOP
    for (unsigned first = lane; first < pairs; first += 32 * Batch) {
      std::uint64_t loaded[Batch]{};
      auto const each = [&](unsigned k, auto f) {
        unsigned const at = first + 32 * k, peer = at / words;
        if (at < pairs && static_cast<int>(peer) != links.rank) f(static_cast<int>(peer), at % words);
      };
      TESSERA_UNROLL
      for (unsigned k = 0; k < Batch; ++k) each(k, [&](int peer, unsigned i) { loaded[k] = load(peer, i); });
      TESSERA_UNROLL
      for (unsigned k = 0; k < Batch; ++k) each(k, [&](int peer, unsigned i) { use(peer, i, loaded[k]); });
    }
  }
  /// Word i of a part, whose last one may be shorter.
  TESSERA_FN std::uint32_t load_word(unsigned char const* from, unsigned i) const {
    if (bytes % 4 == 0) return reinterpret_cast<std::uint32_t const*>(from)[i];
    std::uint32_t word = 0;
    for (unsigned b = 0; b < 4 && i * 4 + b < bytes; ++b) word |= std::uint32_t{from[i * 4 + b]} << 8 * b;
    return word;
  }
  TESSERA_FN void store_word(unsigned char* to, unsigned i, std::uint32_t word) const {
    if (bytes % 4 == 0) {
      reinterpret_cast<std::uint32_t*>(to)[i] = word;
    } else {
      for (unsigned b = 0; b < 4 && i * 4 + b < bytes; ++b)
        to[i * 4 + b] = static_cast<unsigned char>(word >> 8 * b & 0xff);
    }
  }
  /// The word at a place, of which `word` was loaded before.
  TESSERA_FN std::uint32_t wait(std::uint64_t const* from, std::uint64_t word, std::uint32_t epoch) const {
    bool is_aborted = false;
    for (unsigned round = 1; static_cast<std::uint32_t>(word >> 32) != epoch && !is_aborted; ++round) {
      word = Memory::load_relaxed(from);
      is_aborted = round % 1024 == 0 && Memory::load_relaxed(links.aborted) != 0;
    }
    return static_cast<std::uint32_t>(word);
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
