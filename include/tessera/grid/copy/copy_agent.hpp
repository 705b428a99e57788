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

using byte_vector = tessera::detail::wide_row<unsigned char, 16>;

/// One buffer, whose vectors are those of the destination. Its places are numbers of Count, a signed integer.
template <class Count>
struct copied_buffer {
  unsigned char const* from;
  unsigned char* to;
  Count bytes;

  TESSERA_FN Count vector_count() const {
    return bytes == 0 ? 0 : (static_cast<Count>(byte_vector::distance(to)) + bytes + 15) / 16;
  }
  /// The place of a vector's first byte in the buffer. That of the first vector may be negative.
  TESSERA_FN Count begin_of(Count vector) const { return 16 * vector - static_cast<Count>(byte_vector::distance(to)); }
};

/// A vector that is whole in the destination, and its source.
struct copied_vector {
  using value = tessera::detail::words<items<unsigned char, 16>>;

  unsigned char const* from;
  unsigned char* to;

  TESSERA_FN bool is_aligned() const { return byte_vector::distance(from) == 0; }
  TESSERA_FN value load_aligned() const { return tessera::detail::to_words(byte_vector::load_aligned(from)); }
  TESSERA_FN value load_shifted() const {
    return tessera::detail::to_words(byte_vector::load_shifted(from, byte_vector::distance(from)));
  }
  TESSERA_FN value load() const { return is_aligned() ? load_aligned() : load_shifted(); }
  TESSERA_FN void store(value const& x) const {
    byte_vector::store_aligned(to, tessera::detail::from_words<items<unsigned char, 16>>(x));
  }
};
/// Such vectors, one after the other.
struct copied_vectors {
  using item = copied_vector;

  unsigned char const* from;
  unsigned char* to;

  TESSERA_FN item operator[](std::int64_t i) const { return {from + 16 * i, to + 16 * i}; }
};

/// A word or a byte.
struct copied_unit {
  using value = std::uint32_t;

  unsigned char const* from;
  unsigned char* to;
  bool is_word;

  TESSERA_FN value load() const { return is_word ? *reinterpret_cast<std::uint32_t const*>(from) : *from; }
  TESSERA_FN void store(value x) const {
    if (is_word) {
      tessera::detail::store_unit(to, x);
    } else {
      tessera::detail::store_unit(to, static_cast<unsigned char>(x));
    }
  }
};
/// The units before and after whole vectors: words if addresses and sizes are multiples of 4. Numbers of bytes are of
/// type Count.
template <class Count>
struct copied_units {
  using item = copied_unit;

  unsigned char const* from;  // of the first of them
  unsigned char* to;
  Count front, gap;  // the bytes before the vectors, and in them
  Count bytes;       // before and after them

  TESSERA_FN bool has_words() const {
    return (reinterpret_cast<stl::uintptr_t>(from) | reinterpret_cast<stl::uintptr_t>(to) |
            static_cast<stl::uintptr_t>(bytes)) %
               4 ==
           0;
  }
  TESSERA_FN std::int64_t count() const { return has_words() ? bytes / 4 : bytes; }
  TESSERA_FN item operator[](std::int64_t i) const {
    bool const is_word = has_words();
    std::int64_t const byte = is_word ? 4 * i : i, place = byte < front ? byte : byte + gap;
    return {from + place, to + place, is_word};
  }
};

/// Vectors begin … end − 1 of a buffer, as whole vectors and the units before and after them. A vector is whole if all
/// aligned vectors that its source touches are within the buffer.
template <class Count, class Small = Count>
struct copied_range {
  Count vector_count;
  copied_vectors vectors;
  copied_units<Small> units;

  TESSERA_FN copied_range(copied_buffer<Count> const& b, Count begin, Count end) {
    Count const at = static_cast<Count>(byte_vector::distance(b.to));
    Count const d = (static_cast<Count>(byte_vector::distance(b.from)) + 16 - at) % 16;  // of vectors' sources
    Count const needed = d == 0 ? 16 : 32 - d;  // the bytes from a whole vector's first one on
    Count const first = (at + d + 15) / 16, last = (b.bytes + at - needed) / 16;
    Count const from = first > begin ? first : begin, to = last + 1 < end ? last + 1 : end;
    Count const limit = b.begin_of(end) < b.bytes ? b.begin_of(end) : b.bytes;
    Count const start = b.begin_of(begin) > 0 ? b.begin_of(begin) : 0;
    vector_count = b.bytes + at >= needed && from < to ? to - from : 0;
    Count const bytes = limit > start ? limit - start - 16 * vector_count : 0;
    Count const front = vector_count > 0 ? b.begin_of(from) - start : bytes;
    vectors = {b.from + (start + front), b.to + (start + front)};
    units = {b.from + start, b.to + start, static_cast<Small>(front), static_cast<Small>(16 * vector_count),
             static_cast<Small>(bytes)};
  }
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
    static_assert(tuning::small_bytes <= UINT16_MAX);
    copied_range<std::int32_t, std::uint16_t> const range(own, 0, own.vector_count());
    copy_all_of<2>(range.vectors, range.vector_count);
    copy_all_of<4>(range.units, static_cast<std::int32_t>(range.units.count()));
  }
  /// Copies the vectors, or the units, of all lanes' buffers, a lane for each. `count` is how many of them `own` has. A
  /// lane loads `Unroll` before it stores the first.
  template <unsigned Unroll, class Items>
  TESSERA_FN void copy_all_of(Items const& own, std::int32_t count) const {
    auto const through = tessera::inclusive_scan(warp_, count, plus{}, tessera::converged | tessera::with_total);
    std::int32_t const before = through.value - count;
    TESSERA_LOOP
    for (std::int32_t begin = 0; begin < through.total; begin += 32 * static_cast<std::int32_t>(Unroll)) {
      typename Items::item one[Unroll];
      bool exists[Unroll];
      typename Items::item::value x[Unroll];
      TESSERA_UNROLL
      for (unsigned u = 0; u < Unroll; ++u) {
        std::int32_t const number = begin + static_cast<std::int32_t>(u * 32 + warp_.thread_rank());
        unsigned lane = 0;  // how many lanes have only earlier items
        TESSERA_UNROLL
        for (unsigned step = 16; step > 0; step /= 2) {
          if (tessera::shuffle(warp_, through.value, lane + step - 1, tessera::converged) <= number) lane += step;
        }
        Items const of = tessera::shuffle(warp_, own, lane, tessera::converged);
        one[u] = of[number - tessera::shuffle(warp_, before, lane, tessera::converged)];
        exists[u] = number < through.total;
      }
      TESSERA_UNROLL
      for (unsigned u = 0; u < Unroll; ++u) {
        if (exists[u]) x[u] = one[u].load();
      }
      TESSERA_UNROLL
      for (unsigned u = 0; u < Unroll; ++u) {
        if (exists[u]) one[u].store(x[u]);
      }
    }
  }

  /// Copies vectors begin … end − 1 of a buffer by the whole warp.
  TESSERA_FN void copy_range(buffer_t const& b, std::int64_t begin, std::int64_t end) const {
    copied_range<std::int64_t> const range(b, begin, end);
    // All vectors of a range are aligned, or none: so no load waits for a branch of its own.
    if (range.vectors[0].is_aligned()) {
      copy_vectors(range, [](copied_vector const& v) { return v.load_aligned(); });
    } else {
      copy_vectors(range, [](copied_vector const& v) { return v.load_shifted(); });
    }
    TESSERA_LOOP
    for (std::int64_t i = warp_.thread_rank(); i < range.units.count(); i += 32)
      range.units[i].store(range.units[i].load());
  }
  template <class Load>
  TESSERA_FN void copy_vectors(copied_range<std::int64_t> const& range, Load const& load) const {
    constexpr unsigned unroll = 4;
    TESSERA_LOOP
    for (std::int64_t i = warp_.thread_rank(); i < range.vector_count; i += 32 * unroll) {
      copied_vector::value x[unroll];
      TESSERA_UNROLL
      for (unsigned u = 0; u < unroll; ++u) {
        // The first one again, in place of one that doesn't exist: so loads have no conditions, and are under way at
        // once.
        std::int64_t const at = i + 32 * u < range.vector_count ? i + 32 * u : i;
        x[u] = load(range.vectors[at]);
      }
      TESSERA_UNROLL
      for (unsigned u = 0; u < unroll; ++u) {
        if (i + 32 * u < range.vector_count) range.vectors[i + 32 * u].store(x[u]);
      }
    }
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
