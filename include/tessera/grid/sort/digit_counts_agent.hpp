// The agent that counts the digits of all places in one read of the keys, for a radix sort.
//
//   keys        0x0201 0x0203 0x0101
//   counts      place 0: 01 2, 03 1        place 1: 01 1, 02 2        of each block in shared memory, then of all
//   begins      place 0: 01 0, 03 2        place 1: 01 0, 02 1        by the last block: where digits begin
//
// It also clears the words by which the first pass's blocks look back.
#pragma once

#include <tessera/block_tile.hpp>
#include <tessera/grid/parts/block_protocols.hpp>
#include <tessera/grid/parts/counted.hpp>
#include <tessera/grid/parts/memory_ops.hpp>
#include <tessera/grid/sort/digit_ranker.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The memory of a count. Count has 32 or 64 bits.
template <class Count>
struct digit_counts_memory {
  Count* counts;   // of all places and digits; 0 before
  Count* begins;   // the results
  unsigned* left;  // blocks that have counted; 0 before and after
  Count* words;    // a word of each digit and tile, which are cleared
  unsigned elements_of_tile;
};

template <unsigned Places>
struct digit_counts_storage {
  static constexpr unsigned copies = digit_counts_tuning::copies(Places);
  unsigned counts[Places][radix_digits::count][copies];
  unsigned is_last;
};

template <class Bits, key_form Form, class Count, class Block>
class digit_counts_agent {
  using tuning = digit_counts_tuning;
  static constexpr unsigned places = sizeof(Bits), digits = radix_digits::count, threads = tuning::threads;
  using storage_t = digit_counts_storage<places>;
  static_assert(threads == digits, "Each digit has a thread.");

 public:
  TESSERA_FN digit_counts_agent(Block const& block, digit_coding<Bits, Form> const& coding, Bits const* keys,
                                std::int64_t n, digit_counts_memory<Count> const& memory, storage_t& storage)
      : block_(block),
        coding_(coding),
        keys_(keys),
        n_(n),
        memory_(memory),
        storage_(storage),
        rank_(block.thread_rank()) {}

  /// Does the part of block `which` of `blocks`.
  TESSERA_FN void run(unsigned which, unsigned blocks) const {
    clear(which, blocks);
    detail::barrier_of_block(block_);
    count_keys(which, blocks);
    detail::barrier_of_block(block_);
    add_counts();
    detail::barrier_of_block(block_);
    if (rank_ == 0) storage_.is_last = detail::is_last_block(memory_.left, blocks) ? 1 : 0;
    detail::barrier_of_block(block_);
    if (storage_.is_last != 0) make_begins();
  }

 private:
  TESSERA_FN void clear(unsigned which, unsigned blocks) const {
    TESSERA_UNROLL
    for (unsigned p = 0; p < places; ++p) {
      TESSERA_UNROLL
      for (unsigned c = 0; c < storage_t::copies; ++c) storage_.counts[p][rank_][c] = 0;
    }
    std::int64_t const words = (n_ + memory_.elements_of_tile - 1) / memory_.elements_of_tile * digits;
    TESSERA_LOOP
    for (std::int64_t i = std::int64_t{which} * threads + rank_; i < words; i += std::int64_t{blocks} * threads)
      memory_.words[i] = 0;
  }

  TESSERA_FN void count_keys(unsigned which, unsigned blocks) const {
    TESSERA_LOOP
    for (std::int64_t first = std::int64_t{which} * tuning::of_block; first < n_;
         first += std::int64_t{blocks} * tuning::of_block) {
      if (first + tuning::of_block <= n_) {
        count_part<true>(first);
      } else {
        count_part<false>(first);
      }
    }
  }
  template <bool IsFull>
  TESSERA_FN void count_part(std::int64_t first) const {
    Bits const* const keys = keys_ + first;
    auto const n = static_cast<unsigned>(IsFull ? tuning::of_block : n_ - first);
    Bits raw[tuning::items];
    TESSERA_UNROLL
    for (unsigned i = 0; i < tuning::items; ++i) {
      unsigned const at = i * threads + rank_;
      raw[i] = IsFull || at < n ? keys[at] : Bits{};
    }
    TESSERA_UNROLL
    for (unsigned i = 0; i < tuning::items; ++i) {
      if (IsFull || i * threads + rank_ < n) count(coding_.key_of(raw[i]));
    }
  }
  TESSERA_FN void count(Bits key) const {
    TESSERA_UNROLL
    for (unsigned p = 0; p < places; ++p) {
      unsigned const digit = digit_at_place<Bits, Form>(coding_, p)(key);
      detail::fetch_add(&storage_.counts[p][digit][rank_ % storage_t::copies], 1u);
    }
  }

  TESSERA_FN void add_counts() const {
    TESSERA_UNROLL
    for (unsigned p = 0; p < places; ++p) {
      unsigned sum = 0;
      TESSERA_UNROLL
      for (unsigned c = 0; c < storage_t::copies; ++c) sum += storage_.counts[p][rank_][c];
      if (sum != 0) detail::add_to_global(&memory_.counts[p * digits + rank_], Count{sum});
    }
  }
  TESSERA_FN void make_begins() const {
    auto const tile = tessera::this_block_tile<threads>(block_);
    TESSERA_LOOP
    for (unsigned p = 0; p < places; ++p) {
      unsigned const at = p * digits + rank_;
      memory_.begins[at] = tessera::exclusive_scan(tile, detail::load_relaxed(&memory_.counts[at]), plus{});
    }
  }

  Block const& block_;
  digit_coding<Bits, Form> coding_;
  Bits const* keys_;
  std::int64_t n_;
  digit_counts_memory<Count> memory_;
  storage_t& storage_;
  unsigned rank_;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
