// Entries of an array in buckets: between samples in their order, so that each bucket is ranked by itself.
//
//   splitters          s0         s1      s2              s3      the least samples in their order; the last one is the
//   upper bound bucket          0  |     1    |   2   |       3       |
//   entries       ≤ s0      ≤ s1    ≤ s2        ≤ s3
//
// All blocks append to the buckets, in any order. A block's entries wait in its shared memory, so that one atomic
// update of each bucket's length serves many.
#pragma once

#include <tessera/atomic.hpp>
#include <tessera/grid/parts/memory_ops.hpp>
#include <tessera/grid/top_k/top_k_state.hpp>
#include <tessera/operators.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Buckets in memory, and the samples between them: bucket i ends with sample (i + 1) · stride − 1.
template <class Entry>
struct bucket_lists {
  Entry const* samples;
  unsigned stride, buckets;
  std::uint64_t* counts;  // entries of each bucket; more than fit are counted, too
  Entry* lists;
  std::uint64_t capacity;  // of each bucket

  TESSERA_FN Entry splitter(unsigned bucket) const { return samples[(bucket + 1) * stride - 1]; }
};

/// The bucket of an entry.
template <class Entry>
TESSERA_FN unsigned bucket_of(Entry const& e, bucket_lists<Entry> const& to) {
  unsigned before = 0;  // so many splitters are less than e
  TESSERA_UNROLL
  for (unsigned step = most_buckets / 2; step > 0; step /= 2) {
    if (before + step < to.buckets && to.splitter(before + step - 1) < e) before += step;
  }
  return before;
}

template <class Shape, class Entry, class Block>
class bucket_list {
  static constexpr unsigned threads = Shape::threads, room = Shape::template capacity<Entry>;

 public:
  TESSERA_FN bucket_list(Block const& block, top_k_storage<Shape, Entry>& storage, bucket_lists<Entry> const& to)
      : block_(block), storage_(storage), to_(to) {}

  /// Nothing waits. Called by all threads, before a barrier.
  TESSERA_FN void begin() const {
    unsigned const rank = block_.thread_rank();
    if (rank == 0) storage_.staged = storage_.full = 0;
    if (rank < most_buckets) storage_.counts[rank] = 0;
  }
  /// An entry waits, or is appended at once if the block's storage is full. Called by any lanes.
  TESSERA_FN void append(Entry const& e) const {
    unsigned const place = tessera::atomic_update(&storage_.staged, 1u);
    if (place < room) {
      storage_.entries()[place] = e;
    } else {
      append_at_once(e);
      if (place > UINT32_MAX / 2) tessera::atomic_exchange(&storage_.staged, room);
    }
  }
  /// Appends what waits if that is much. Called by all threads.
  TESSERA_FN void make_room() const {
    detail::barrier_of_block(block_);
    bool const is_much = storage_.staged > room / 2;
    detail::barrier_of_block(block_);  // All threads have seen that.
    if (!is_much) return;
    flush();
    detail::barrier_of_block(block_);
    begin();
    detail::barrier_of_block(block_);
  }

  /// Appends what waits. Called by all threads, after a barrier.
  TESSERA_FN void flush() const {
    unsigned const count = storage_.staged < room ? storage_.staged : room;
    if (count == 0) return;
    unsigned const rank = block_.thread_rank();
    auto const each = [&](auto visit) {
      TESSERA_LOOP
      for (unsigned i = rank; i < count; i += threads) {
        Entry const e = storage_.entries()[i];
        unsigned const b = detail::bucket_of(e, to_);
        visit(e, b, tessera::atomic_update(&storage_.counts[b], 1u));
      }
    };
    each([](Entry const&, unsigned, unsigned) {});
    detail::barrier_of_block(block_);
    if (rank < most_buckets) {
      unsigned& own = storage_.counts[rank];
      if (own != 0) storage_.begins[rank] = tessera::atomic_update(&to_.counts[rank], std::uint64_t{own});
      own = 0;
    }
    detail::barrier_of_block(block_);
    each([&](Entry const& e, unsigned b, unsigned place) { store(e, b, storage_.begins[b] + place); });
  }

 private:
  /// Where samples mislead, that may be any number of entries: those of a bucket that has lost some aren't counted any
  /// more, and where the first bucket has, which is wanted in any case, none are.
  TESSERA_FN void append_at_once(Entry const& e) const {
    unsigned const full = tessera::atomic_update(&storage_.full, 0u);
    if ((full & 1) != 0) return;
    unsigned const b = detail::bucket_of(e, to_);
    if ((full >> b & 1) != 0) return;
    std::uint64_t const place = tessera::atomic_update(&to_.counts[b], std::uint64_t{1});
    store(e, b, place);
    if (place >= to_.capacity) tessera::atomic_update(&storage_.full, 1u << b, bit_or{});
  }
  TESSERA_FN void store(Entry const& e, unsigned bucket, std::uint64_t place) const {
    if (place < to_.capacity) to_.lists[bucket * to_.capacity + place] = e;
  }

  Block const& block_;
  top_k_storage<Shape, Entry>& storage_;
  bucket_lists<Entry> to_;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
