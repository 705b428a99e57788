// The agent that copies many buffers: what a warp of the kernel of copy_batches.cuh does.
//
//   list       Each warp looks at the sizes of its groups of up to 32 buffers, and puts long ones on a list.
//   copy       It copies its short buffers together, and those of some thousand bytes one after the other.
//   share      All warps take chunks of the buffers on the list, by tickets, until nothing is left.
//
//   buffer     |..|................|................|.....|       vectors of 16 bytes of the destination
//   lanes       0         1                2           3          by bytes or words at the ends, else by 16 bytes
//
// Short buffers have a lane for each vector: a scan of the numbers of vectors, and a search in it by shuffles. A vector
// whose source isn't aligned as its destination is combined from two; nothing outside the buffers is read.
//
// Whoever puts a buffer on the list takes chunks of it until there are none, so all are copied, whatever other blocks
// do. A warp that finds nothing to do waits for a while until all blocks have made their lists, and no longer: blocks
// may begin at any time.
#pragma once

#include <tessera/core/tile.hpp>
#include <tessera/grid/copy/copy_tuning.hpp>
#include <tessera/grid/parts/look_back.hpp>
#include <tessera/lanes.hpp>
#include <tessera/scan.hpp>
#include <tessera/tile/load_store.hpp>
#include <tessera/vote.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// sizes[i] elements of `scale` bytes each are copied from sources[i] to destinations[i].
template <class Size>
struct copy_task {
  void const* const* sources;
  void* const* destinations;
  Size const* sizes;
  std::int64_t count;
  unsigned scale;
  unsigned of_group;  // the buffers of a group, 1 … 32
};

/// The blocks' part of the workspace: a list with an entry of two tagged words for each long buffer, its number and the
/// tickets of its chunks; and how many blocks have made their part of it, 0 before the kernel and after it.
struct copy_memory {
  look_back_memory list;
  unsigned* ready;

  static constexpr std::uint64_t words = look_back_memory::header_words + 2 * copy_tuning::most_shared;

  TESSERA_FN std::uint64_t* entry(unsigned number) const {
    return list.words + look_back_memory::header_words + 2 * std::uint64_t{number};
  }
};

/// One buffer, whose vectors are those of the destination. Its places are numbers of Count, a signed integer.
template <class Count>
struct copied_buffer {
  unsigned char const* from;
  unsigned char* to;
  Count bytes;

  TESSERA_FN static unsigned after_vector(void const* p) {
    return static_cast<unsigned>(reinterpret_cast<stl::uintptr_t>(p) % 16);
  }
  TESSERA_FN Count vector_count() const {
    return bytes == 0 ? 0 : (static_cast<Count>(after_vector(to)) + bytes + 15) / 16;
  }
  /// The place of a vector's first byte in the buffer. That of the first vector may be negative.
  TESSERA_FN Count begin_of(Count vector) const { return 16 * vector - static_cast<Count>(after_vector(to)); }
  /// The distance of all vectors' sources from the multiples of 16 bytes before them.
  TESSERA_FN unsigned shift() const { return (after_vector(from) + 16 - after_vector(to)) % 16; }

  /// The vectors whose sources are within the buffer by whole vectors.
  struct range {
    Count begin, end;
  };
  TESSERA_FN range whole_vectors() const {
    auto const at = static_cast<Count>(after_vector(to)), d = static_cast<Count>(shift());
    Count const last = bytes + at - (d == 0 ? 16 : 32 - d);
    return {(at + d + 15) / 16, last < 0 ? 0 : last / 16 + 1};
  }
};

/// A vector between its load and its store.
class moved_vector {
  using wide = tessera::detail::wide_row<unsigned char, 16>;

 public:
  /// Loads one of whole_vectors().
  template <class Count>
  TESSERA_FN void load_whole(copied_buffer<Count> const& b, Count vector) {
    unsigned char const* const from = b.from + b.begin_of(vector);
    unsigned const d = b.shift();
    if (d == 0) {
      word_ = tessera::detail::to_words(wide::load_aligned(from));
    } else {
      word_ = tessera::detail::to_words(wide::load_shifted(from, d));
    }
  }
  template <class Count>
  TESSERA_FN void store_whole(copied_buffer<Count> const& b, Count vector) const {
    wide::store_aligned(b.to + b.begin_of(vector), tessera::detail::from_words<items<unsigned char, 16>>(word_));
  }

  /// Loads any vector, as far as the buffer has it.
  template <class Count>
  TESSERA_FN void load(copied_buffer<Count> const& b, Count vector) {
    auto const whole = b.whole_vectors();
    if (vector >= whole.begin && vector < whole.end) {
      load_whole(b, vector);
    } else if (has_words(b)) {
      load_units<std::uint32_t>(b, vector);
    } else {
      load_units<std::uint8_t>(b, vector);
    }
  }
  template <class Count>
  TESSERA_FN void store(copied_buffer<Count> const& b, Count vector) const {
    Count const begin = b.begin_of(vector);
    if (begin >= 0 && begin + 16 <= b.bytes) {
      store_whole(b, vector);
    } else if (has_words(b)) {
      store_units<std::uint32_t>(b, vector);
    } else {
      store_units<std::uint8_t>(b, vector);
    }
  }

 private:
  template <class Unit>
  struct units {
    Unit of[16 / sizeof(Unit)];
  };

  template <class Count>
  TESSERA_FN static bool has_words(copied_buffer<Count> const& b) {
    return (reinterpret_cast<stl::uintptr_t>(b.from) | reinterpret_cast<stl::uintptr_t>(b.to) |
            static_cast<stl::uintptr_t>(b.bytes)) %
               4 ==
           0;
  }
  template <class Unit, class Count>
  TESSERA_FN void load_units(copied_buffer<Count> const& b, Count vector) {
    Count const begin = b.begin_of(vector);
    units<Unit> x{};
    TESSERA_UNROLL
    for (unsigned i = 0; i < 16 / sizeof(Unit); ++i) {
      Count const at = begin + static_cast<Count>(i * sizeof(Unit));
      if (at >= 0 && at < b.bytes) x.of[i] = *reinterpret_cast<Unit const*>(b.from + at);
    }
    tessera::detail::copy_bytes(word_.word, TESSERA_ADDRESS_OF(x), 16);
  }
  template <class Unit, class Count>
  TESSERA_FN void store_units(copied_buffer<Count> const& b, Count vector) const {
    Count const begin = b.begin_of(vector);
    units<Unit> x;
    tessera::detail::copy_bytes(TESSERA_ADDRESS_OF(x), word_.word, 16);
    TESSERA_UNROLL
    for (unsigned i = 0; i < 16 / sizeof(Unit); ++i) {
      Count const at = begin + static_cast<Count>(i * sizeof(Unit));
      if (at >= 0 && at < b.bytes) tessera::detail::store_unit(b.to + at, x.of[i]);
    }
  }

  tessera::detail::words<items<unsigned char, 16>> word_;
};

template <class Block, class Size>
class copy_agent {
  using warp_t = decltype(tessera::tiled_partition<32>(stl::declval<Block const&>()));
  using tuning = copy_tuning;
  using buffer_t = copied_buffer<std::int64_t>;
  using short_buffer = copied_buffer<std::int32_t>;  // up to small_bytes
  static constexpr std::int64_t chunk_vectors = tuning::chunk_bytes / 16;

 public:
  TESSERA_FN copy_agent(Block const& block, copy_task<Size> const& task, copy_memory const& memory)
      : block_(block), warp_(tessera::tiled_partition<32>(block)), task_(task), memory_(memory) {}

  /// Called by all threads of a block of `warps` warps, block `which` of `blocks`.
  TESSERA_FN void run(unsigned which, unsigned blocks, unsigned warps) {
    std::int64_t const first = std::int64_t{which} * warps + block_.thread_rank() / 32;
    std::int64_t const stride = std::int64_t{blocks} * warps;
    tag_ = static_cast<unsigned>(detail::load_relaxed(memory_.list.words) >> 32) + 1;
    std::int64_t const groups = (task_.count - 1) / task_.of_group + 1;
    TESSERA_LOOP
    for (std::int64_t group = first; group < groups; group += stride) list_long(group);
    block_.sync();
    if (block_.thread_rank() == 0) {
      detail::fence();
      detail::fetch_add(memory_.ready, 1u);
    }
    TESSERA_LOOP
    for (std::int64_t group = first; group < groups; group += stride) copy_group(group);
    wait_for_lists(blocks);
    share(static_cast<unsigned>(first));
    block_.sync();
    if (block_.thread_rank() != 0 || !memory_.list.tickets().is_last_to_leave(blocks)) return;
    *memory_.ready = 0;
    detail::begin_next_launch(memory_.list, tag_);
  }

 private:
  TESSERA_FN std::int64_t size_of(std::int64_t number) const {
    return static_cast<std::int64_t>(task_.sizes[number]) * task_.scale;
  }
  TESSERA_FN buffer_t buffer(std::int64_t number) const {
    return {static_cast<unsigned char const*>(task_.sources[number]),
            static_cast<unsigned char*>(task_.destinations[number]), size_of(number)};
  }
  /// The number of the lane's buffer of a group, and whether it has one.
  TESSERA_FN std::int64_t number_of(std::int64_t group) const { return group * task_.of_group + warp_.thread_rank(); }
  TESSERA_FN bool has_buffer(std::int64_t number) const {
    return warp_.thread_rank() < task_.of_group && number < task_.count;
  }

  /// Puts the group's long buffers on the list; those for which that has no room are copied at once.
  TESSERA_FN void list_long(std::int64_t group) {
    std::int64_t const number = number_of(group);
    bool const is_long = has_buffer(number) && size_of(number) > tuning::large_bytes;
    unsigned const slot = is_long ? detail::take_ticket(memory_.list).tile : 0;
    if (is_long && slot < tuning::most_shared) {
      std::uint64_t* const entry = memory_.entry(slot);
      detail::store_relaxed(entry + 1, std::uint64_t{tag_} << 32);
      detail::fence();
      detail::store_relaxed(entry, std::uint64_t{tag_} << 32 | static_cast<std::uint32_t>(number));
    }
    auto left = tessera::ballot(warp_, is_long && slot >= tuning::most_shared, tessera::converged);
    TESSERA_LOOP
    for (; left.any(); left = left & ~lane_mask<32>::prefix(left.first() + 1)) {
      auto const b = buffer(group * task_.of_group + left.first());
      copy_range(b, 0, b.vector_count());
    }
  }

  TESSERA_FN void copy_group(std::int64_t group) const {
    std::int64_t const number = number_of(group);
    buffer_t own{nullptr, nullptr, 0};
    if (has_buffer(number)) own = buffer(number);
    copy_together(own);
    bool const is_alone = own.bytes > tuning::small_bytes && own.bytes <= tuning::large_bytes;
    auto left = tessera::ballot(warp_, is_alone, tessera::converged);
    TESSERA_LOOP
    for (; left.any(); left = left & ~lane_mask<32>::prefix(left.first() + 1)) {
      auto const b = tessera::broadcast(warp_, own, left.first(), tessera::converged);
      copy_range(b, 0, b.vector_count());
    }
  }

  /// Copies the short ones of the lanes' buffers, a lane for each vector.
  TESSERA_FN void copy_together(buffer_t const& own) const {
    short_buffer const mine{own.from, own.to,
                            own.bytes > tuning::small_bytes ? 0 : static_cast<std::int32_t>(own.bytes)};
    auto const vectors = static_cast<unsigned>(mine.vector_count());
    auto const through = tessera::inclusive_scan(warp_, vectors, plus{}, tessera::converged | tessera::with_total);
    unsigned const before = through.value - vectors;
    TESSERA_LOOP
    for (unsigned begin = 0; begin < through.total; begin += 32) {
      unsigned const number = begin + warp_.thread_rank();
      bool const exists = number < through.total;
      unsigned lane = 0;  // how many lanes have only vectors that come before
      TESSERA_UNROLL
      for (unsigned step = 16; step > 0; step /= 2) {
        if (tessera::shuffle(warp_, through.value, lane + step - 1, tessera::converged) <= number) lane += step;
      }
      auto const b = tessera::shuffle(warp_, mine, lane, tessera::converged);
      auto const vector = static_cast<std::int32_t>(number - tessera::shuffle(warp_, before, lane, tessera::converged));
      if (!exists) continue;
      moved_vector x;
      x.load(b, vector);
      x.store(b, vector);
    }
  }

  /// Copies vectors begin … end − 1 of a buffer by the whole warp.
  TESSERA_FN void copy_range(buffer_t const& b, std::int64_t begin, std::int64_t end) const {
    constexpr unsigned unroll = 4;
    std::int64_t const lane = warp_.thread_rank();
    auto whole = b.whole_vectors();
    if (whole.begin < begin) whole.begin = begin;
    if (whole.end > end) whole.end = end;
    if (whole.end <= whole.begin) whole = {begin, begin};
    TESSERA_LOOP
    for (std::int64_t k = whole.begin + lane; k < whole.end; k += 32 * unroll) {
      moved_vector x[unroll];
      TESSERA_UNROLL
      for (unsigned u = 0; u < unroll; ++u) {
        if (k + 32 * u < whole.end) x[u].load_whole(b, k + 32 * u);
      }
      TESSERA_UNROLL
      for (unsigned u = 0; u < unroll; ++u) {
        if (k + 32 * u < whole.end) x[u].store_whole(b, k + 32 * u);
      }
    }
    // At most a few vectors at either end.
    std::int64_t const front = whole.begin - begin;
    std::int64_t const k = lane < front ? begin + lane : whole.end + (lane - front);
    if (k < end) {
      moved_vector x;
      x.load(b, k);
      x.store(b, k);
    }
  }

  TESSERA_FN void wait_for_lists(unsigned blocks) const {
    TESSERA_LOOP
    for (unsigned poll = 0; poll < tuning::most_polls && detail::load_acquire(memory_.ready) < blocks; ++poll) {
    }
    warp_.sync();
  }

  /// Takes chunks of the buffers on the list. Each warp begins elsewhere.
  TESSERA_FN void share(unsigned which) const {
    auto const taken = static_cast<std::uint32_t>(detail::load_relaxed(memory_.list.words));
    unsigned const known = taken < tuning::most_shared ? taken : tuning::most_shared;
    unsigned const length = tessera::broadcast(warp_, known, 0, tessera::converged);
    TESSERA_LOOP
    for (unsigned base = 0; base < length; base += 32) {
      unsigned const place = base + warp_.thread_rank();
      unsigned const number = place < length ? (place + which) % length : 0;
      bool const is_left = place < length && has_chunks(number);
      auto left = tessera::ballot(warp_, is_left, tessera::converged);
      TESSERA_LOOP
      for (; left.any(); left = left & ~lane_mask<32>::prefix(left.first() + 1))
        take_chunks(tessera::shuffle(warp_, number, left.first(), tessera::converged));
    }
  }
  TESSERA_FN static std::int64_t chunk_count(buffer_t const& b) {
    return (b.vector_count() + chunk_vectors - 1) / chunk_vectors;
  }
  TESSERA_FN bool has_chunks(unsigned number) const {
    std::uint64_t const* const entry = memory_.entry(number);
    std::uint64_t const listed = detail::load_relaxed(entry);
    if (static_cast<unsigned>(listed >> 32) != tag_) return false;  // not there yet: its warp takes all of it
    detail::fence();
    auto const next = static_cast<std::uint32_t>(detail::load_relaxed(entry + 1));
    return next < chunk_count(buffer(static_cast<std::uint32_t>(listed)));
  }
  TESSERA_FN void take_chunks(unsigned number) const {
    std::uint64_t* const entry = memory_.entry(number);
    auto const b = buffer(static_cast<std::uint32_t>(detail::load_relaxed(entry)));
    std::int64_t const chunks = chunk_count(b), vectors = b.vector_count();
    TESSERA_LOOP
    for (;;) {
      std::uint64_t drawn = 0;
      if (warp_.thread_rank() == 0) drawn = detail::fetch_add(entry + 1, std::uint64_t{1});
      auto const chunk = static_cast<std::int64_t>(
          static_cast<std::uint32_t>(tessera::broadcast(warp_, drawn, 0, tessera::converged)));
      if (chunk >= chunks) return;
      std::int64_t const begin = chunk * chunk_vectors, end = begin + chunk_vectors;
      copy_range(b, begin, end < vectors ? end : vectors);
    }
  }

  Block const& block_;
  warp_t warp_;
  copy_task<Size> const& task_;
  copy_memory memory_;
  unsigned tag_ = 0;  // of the launch
};

/// Called by all threads of block `which` of `blocks` blocks of `warps` warps each. count > 0.
template <class Block, class Size>
TESSERA_FN void run_copy_agent(Block const& block, copy_task<Size> const& task, copy_memory const& memory,
                               unsigned which, unsigned blocks, unsigned warps) {
  copy_agent<Block, Size> agent(block, task, memory);
  agent.run(which, blocks, warps);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
