// The agent that copies many buffers: what a warp of the kernel of copy_batches.cuh does.
//
//   list       A first kernel reads all sizes, and numbers the chunks of long buffers, in the order in which its warps
//              get there. The list has the number of the first chunk of each group of 32 buffers.
//   copy       Each warp copies its short buffers together, and those of some thousand bytes one after the other.
//   share      All warps draw the chunks by tickets.
//
//   buffer     |..|................|................|.....|       vectors of 16 bytes of the destination
//   lanes       0         1                2           3
//
// Short buffers have a lane for each vector: a scan of the numbers of vectors, and a search in it by shuffles. A vector
// whose source isn't aligned as its destination is combined from two loads; nothing outside the buffers is read. Where
// a vector isn't whole, its units have a lane each: words if addresses and sizes are multiples of 4, else bytes.
#pragma once

#include <tessera/core/iterators.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/grid/copy/copy_tuning.hpp>
#include <tessera/grid/parts/memory_ops.hpp>
#include <tessera/grid/parts/ticket_queue.hpp>
#include <tessera/lanes.hpp>
#include <tessera/reduce.hpp>
#include <tessera/scan.hpp>
#include <tessera/search.hpp>
#include <tessera/tile/load_store.hpp>
#include <tessera/vote.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// sizes[i] elements of `scale` bytes each are copied from sources[i] to destinations[i]. These are readers of pointers
/// and integers.
template <class Sources, class Destinations, class Sizes>
struct copy_task {
  Sources sources;
  Destinations destinations;
  Sizes sizes;
  std::int64_t n;
  unsigned scale;
  unsigned of_group;  // the buffers of a group, 1 … 32
};

/// The list of the groups of 32 buffers that include long ones. An entry has the group's number in its low 32 bits, and
/// the number of the group's first chunk in its high ones, so that entries are in ascending order. The counters are 0
/// before the first kernel and after the second.
struct copy_list {
  std::uint64_t* entries;  // one for each group at most
  std::uint64_t* listed;   // low 32 bits: how many entries there are; high: how many chunks
  ticket_queue<> chunks;

  static constexpr std::int64_t group = copy_tuning::group;
  static constexpr unsigned chunks_from = 32;  // the first bit of the high number

  TESSERA_FN static unsigned upper(std::uint64_t x) { return static_cast<unsigned>(x >> chunks_from); }
  TESSERA_FN static std::uint64_t pair(unsigned high, std::uint64_t low) {
    return std::uint64_t{high} << chunks_from | low;
  }
  TESSERA_FN static copy_list of(void* entries, unsigned* counters) {
    return {
        static_cast<std::uint64_t*>(entries), reinterpret_cast<std::uint64_t*>(counters), {counters + 2, counters + 3}};
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
  /// True if addresses and size are multiples of 4.
  TESSERA_FN bool has_words() const {
    return (reinterpret_cast<stl::uintptr_t>(from) | reinterpret_cast<stl::uintptr_t>(to) |
            static_cast<stl::uintptr_t>(bytes)) %
               4 ==
           0;
  }
};

/// Vectors begin … end − 1 of a buffer, as whole vectors and the units (words or bytes) before and after them. A vector
/// is whole if all aligned vectors that its source touches are within the buffer.
template <class Count>
class copied_range {
  using wide = tessera::detail::wide_row<unsigned char, 16>;

 public:
  using vector_t = tessera::detail::words<items<unsigned char, 16>>;

  TESSERA_FN copied_range(copied_buffer<Count> const& b, Count begin, Count end) : buffer_(b) {
    auto const at = static_cast<Count>(b.after_vector(b.to)), d = static_cast<Count>(b.shift());
    Count const needed = d == 0 ? 16 : 32 - d;  // the bytes from a whole vector's first one on
    Count const first = (at + d + 15) / 16, last = (b.bytes + at - needed) / 16;
    Count const from = first > begin ? first : begin, to = last + 1 < end ? last + 1 : end;
    Count const limit = b.begin_of(end) < b.bytes ? b.begin_of(end) : b.bytes;
    begin_ = b.begin_of(begin) > 0 ? b.begin_of(begin) : 0;
    vector_ = from;
    vectors_ = b.bytes + at >= needed && from < to ? to - from : 0;
    ends_ = limit > begin_ ? limit - begin_ - 16 * vectors_ : 0;
    front_ = vectors_ > 0 ? b.begin_of(from) - begin_ : ends_;
  }

  TESSERA_FN Count vectors() const { return vectors_; }
  TESSERA_FN Count units() const { return buffer_.has_words() ? ends_ / 4 : ends_; }

  TESSERA_FN vector_t load_vector(Count i) const {
    unsigned char const* const from = buffer_.from + buffer_.begin_of(vector_ + i);
    unsigned const d = buffer_.shift();
    return d == 0 ? tessera::detail::to_words(wide::load_aligned(from))
                  : tessera::detail::to_words(wide::load_shifted(from, d));
  }
  TESSERA_FN void store_vector(Count i, vector_t const& x) const {
    wide::store_aligned(buffer_.to + buffer_.begin_of(vector_ + i),
                        tessera::detail::from_words<items<unsigned char, 16>>(x));
  }
  TESSERA_FN std::uint32_t load_unit(Count i) const {
    return buffer_.has_words() ? *reinterpret_cast<std::uint32_t const*>(buffer_.from + place_of(4 * i))
                               : buffer_.from[place_of(i)];
  }
  TESSERA_FN void store_unit(Count i, std::uint32_t x) const {
    if (buffer_.has_words()) {
      tessera::detail::store_unit(buffer_.to + place_of(4 * i), x);
    } else {
      tessera::detail::store_unit(buffer_.to + place_of(i), static_cast<unsigned char>(x));
    }
  }

 private:
  /// The place of a byte that is in no whole vector.
  TESSERA_FN Count place_of(Count i) const { return begin_ + (i < front_ ? i : i + 16 * vectors_); }

  copied_buffer<Count> buffer_;
  Count begin_;             // the range's first byte
  Count vector_, vectors_;  // the first whole vector, and their number
  Count front_, ends_;      // the bytes before the whole vectors, and those before and after them
};

/// The chunks of a buffer of more than large_bytes; a shorter one has none.
TESSERA_FN std::int64_t chunk_count(copied_buffer<std::int64_t> const& b) {
  constexpr std::int64_t chunk_vectors = copy_tuning::chunk_bytes / 16;
  return b.bytes > copy_tuning::large_bytes ? (b.vector_count() + chunk_vectors - 1) / chunk_vectors : 0;
}

template <class Block, class Task>
class copy_agent {
  using warp_t = decltype(tessera::tiled_partition<32>(stl::declval<Block const&>()));
  using tuning = copy_tuning;
  using buffer_t = copied_buffer<std::int64_t>;
  using short_buffer = copied_buffer<std::int32_t>;  // up to small_bytes

 public:
  TESSERA_FN copy_agent(Block const& block, Task const& task, copy_list const& list)
      : block_(block), warp_(tessera::tiled_partition<32>(block)), task_(task), list_(list) {}

  /// Lists a group of 32 buffers, if it has long ones. Called by all lanes of a warp.
  TESSERA_FN void list_group(std::int64_t group) const {
    std::int64_t const number = group * copy_list::group + warp_.thread_rank();
    auto const own = static_cast<unsigned>(number < task_.n ? chunks_of(number) : 0);
    unsigned const chunks = tessera::reduce(warp_, own, plus{}, tessera::converged);
    if (chunks == 0 || warp_.thread_rank() != 0) return;
    std::uint64_t const before = detail::fetch_add(list_.listed, copy_list::pair(chunks, 1));
    list_.entries[static_cast<std::uint32_t>(before)] =
        copy_list::pair(copy_list::upper(before), static_cast<std::uint64_t>(group));
  }

  /// Copies the buffers. Called by all threads of a block of `warps` warps, block `which` of `blocks`.
  TESSERA_FN void run(unsigned which, unsigned blocks, unsigned warps) const {
    std::int64_t const stride = std::int64_t{blocks} * warps;
    TESSERA_LOOP
    for (std::int64_t group = std::int64_t{which} * warps + block_.thread_rank() / 32; group * task_.of_group < task_.n;
         group += stride)
      copy_group(group);
    share();
    detail::barrier_of_block(block_);
    if (block_.thread_rank() != 0 || !list_.chunks.is_last_to_leave(blocks)) return;
    *list_.listed = 0;
    list_.chunks.clear();
  }

 private:
  TESSERA_FN std::int64_t size_of(std::int64_t number) const {
    return static_cast<std::int64_t>(tessera::detail::read_element(task_.sizes, number)) * task_.scale;
  }
  TESSERA_FN buffer_t buffer(std::int64_t number) const {
    void const* const from = tessera::detail::read_element(task_.sources, number);
    void* const to = tessera::detail::read_element(task_.destinations, number);
    return {static_cast<unsigned char const*>(from), static_cast<unsigned char*>(to), size_of(number)};
  }
  TESSERA_FN std::int64_t chunks_of(std::int64_t number) const {
    return size_of(number) > tuning::large_bytes ? detail::chunk_count(buffer(number)) : 0;
  }

  TESSERA_FN void copy_group(std::int64_t group) const {
    std::int64_t const number = group * task_.of_group + warp_.thread_rank();
    buffer_t own{nullptr, nullptr, 0};
    if (warp_.thread_rank() < task_.of_group && number < task_.n) own = buffer(number);
    bool const is_short = own.bytes <= tuning::small_bytes;
    copy_together({own.from, own.to, is_short ? static_cast<std::int32_t>(own.bytes) : 0});
    auto left = tessera::ballot(warp_, !is_short && own.bytes <= tuning::large_bytes, tessera::converged);
    TESSERA_LOOP
    for (; left.any(); left = left & ~lane_mask<32>::prefix(left.first() + 1)) {
      auto const b = tessera::broadcast(warp_, own, left.first(), tessera::converged);
      copy_range(b, 0, b.vector_count());
    }
  }

  /// Copies the lanes' buffers, a lane for each whole vector, and then a lane for each other unit.
  TESSERA_FN void copy_together(short_buffer const& own) const {
    using range = copied_range<std::int32_t>;
    range const mine(own, 0, own.vector_count());
    for_each_of<2>(
        own, mine.vectors(), [](range const& r, std::int32_t i) { return r.load_vector(i); },
        [](range const& r, std::int32_t i, auto const& x) { r.store_vector(i, x); });
    for_each_of<4>(
        own, mine.units(), [](range const& r, std::int32_t i) { return r.load_unit(i); },
        [](range const& r, std::int32_t i, auto const& x) { r.store_unit(i, x); });
  }
  /// Copies items 0 … count − 1 of each lane's buffer, a lane for each item. A lane loads `Unroll` items before it
  /// stores the first.
  template <unsigned Unroll, class Load, class Store>
  TESSERA_FN void for_each_of(short_buffer const& own, std::int32_t count, Load const& load, Store const& store) const {
    using range = copied_range<std::int32_t>;
    auto const through = tessera::inclusive_scan(warp_, count, plus{}, tessera::converged | tessera::with_total);
    std::int32_t const before = through.value - count;
    TESSERA_LOOP
    for (std::int32_t begin = 0; begin < through.total; begin += 32 * static_cast<std::int32_t>(Unroll)) {
      short_buffer b[Unroll];
      std::int32_t item[Unroll];
      decltype(load(stl::declval<range const&>(), 0)) x[Unroll];
      TESSERA_UNROLL
      for (unsigned u = 0; u < Unroll; ++u) {
        std::int32_t const number = begin + static_cast<std::int32_t>(u * 32 + warp_.thread_rank());
        unsigned lane = 0;  // how many lanes have only earlier items
        TESSERA_UNROLL
        for (unsigned step = 16; step > 0; step /= 2) {
          if (tessera::shuffle(warp_, through.value, lane + step - 1, tessera::converged) <= number) lane += step;
        }
        b[u] = tessera::shuffle(warp_, own, lane, tessera::converged);
        std::int32_t const of_lane = number - tessera::shuffle(warp_, before, lane, tessera::converged);
        item[u] = number < through.total ? of_lane : -1;
      }
      TESSERA_UNROLL
      for (unsigned u = 0; u < Unroll; ++u) {
        if (item[u] >= 0) x[u] = load(range(b[u], 0, b[u].vector_count()), item[u]);
      }
      TESSERA_UNROLL
      for (unsigned u = 0; u < Unroll; ++u) {
        if (item[u] >= 0) store(range(b[u], 0, b[u].vector_count()), item[u], x[u]);
      }
    }
  }

  /// Copies vectors begin … end − 1 of a buffer by the whole warp.
  TESSERA_FN void copy_range(buffer_t const& b, std::int64_t begin, std::int64_t end) const {
    constexpr unsigned unroll = 4;
    std::int64_t const lane = warp_.thread_rank();
    copied_range<std::int64_t> const range(b, begin, end);
    TESSERA_LOOP
    for (std::int64_t i = lane; i < range.vectors(); i += 32 * unroll) {
      typename copied_range<std::int64_t>::vector_t x[unroll];
      TESSERA_UNROLL
      for (unsigned u = 0; u < unroll; ++u) {
        if (i + 32 * u < range.vectors()) x[u] = range.load_vector(i + 32 * u);
      }
      TESSERA_UNROLL
      for (unsigned u = 0; u < unroll; ++u) {
        if (i + 32 * u < range.vectors()) range.store_vector(i + 32 * u, x[u]);
      }
    }
    TESSERA_LOOP
    for (std::int64_t i = lane; i < range.units(); i += 32) range.store_unit(i, range.load_unit(i));
  }

  /// Draws chunks of long buffers until there are no more. It requests the next ticket before it copies a chunk.
  TESSERA_FN void share() const {
    std::uint64_t const listed = detail::load_relaxed(list_.listed);
    unsigned const chunks = copy_list::upper(listed);
    if (chunks == 0) return;
    unsigned next = draw();
    TESSERA_LOOP
    for (;;) {
      unsigned const chunk = tessera::broadcast(warp_, next, 0, tessera::converged);
      if (chunk >= chunks) return;
      next = draw();
      copy_chunk(chunk, static_cast<std::uint32_t>(listed));
    }
  }
  TESSERA_FN unsigned draw() const { return warp_.thread_rank() == 0 ? list_.chunks.draw() : 0; }

  TESSERA_FN void copy_chunk(unsigned chunk, unsigned entries) const {
    constexpr std::int64_t vectors = tuning::chunk_bytes / 16;
    std::uint64_t const last = copy_list::pair(chunk, UINT32_MAX);
    unsigned const at = tessera::upper_bound(warp_, list_.entries, entries, last, less{}, tessera::converged) - 1;
    std::uint64_t const entry = list_.entries[at];
    std::int64_t const number = static_cast<std::uint32_t>(entry) * copy_list::group + warp_.thread_rank();
    buffer_t own{nullptr, nullptr, 0};
    if (number < task_.n) own = buffer(number);
    auto const own_chunks = static_cast<unsigned>(detail::chunk_count(own));
    unsigned const through = tessera::inclusive_scan(warp_, own_chunks, plus{}, tessera::converged);
    unsigned const in_group = chunk - copy_list::upper(entry);
    unsigned const lane = tessera::ballot(warp_, through > in_group, tessera::converged).first();
    auto const b = tessera::broadcast(warp_, own, lane, tessera::converged);
    std::int64_t const begin =
        vectors * (in_group - tessera::broadcast(warp_, through - own_chunks, lane, tessera::converged));
    std::int64_t const all = b.vector_count();
    copy_range(b, begin, begin + vectors < all ? begin + vectors : all);
  }

  Block const& block_;
  warp_t warp_;
  Task const& task_;
  copy_list const& list_;
};

/// Lists the long buffers. Called by all threads of block `which` of a grid that has a thread for each buffer.
template <class Block, class Task>
TESSERA_FN void run_copy_list_agent(Block const& block, Task const& task, copy_list const& list, std::int64_t which) {
  std::int64_t const group = (which * block.size() + block.thread_rank()) / copy_list::group;
  copy_agent<Block, Task>(block, task, list).list_group(group);
}

/// Copies. Called by all threads of block `which` of `blocks` blocks of `warps` warps each.
template <class Block, class Task>
TESSERA_FN void run_copy_agent(Block const& block, Task const& task, copy_list const& list, unsigned which,
                               unsigned blocks, unsigned warps) {
  copy_agent<Block, Task>(block, task, list).run(which, blocks, warps);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
