// The agent of the greatest k of an array, for k up to some thousand: the array is read once, and what comes first is ranked in buckets.
//
//   samples   of a short array every block takes the same ones itself. Of a long one each block takes a set or several, of each of
//             which all blocks see the least
//   filter    pieces of the array: a block lists the elements up to some sample, in buckets between samples (bucket_list.hpp)
//   rank      when all pieces are filtered, each block takes its part of the entries in the first buckets, up to the one with
//             rank k. It counts for each how many of its bucket come before it, and stores it at that place
//
// Sets and pieces are drawn as tickets. A block waits for sets and pieces only that running blocks have drawn, which wait for nothing
// in between: so all blocks need not run at once, and nothing hangs where other kernels have most of the GPU.
//
// Entries are compared by key and index (top_k_entry.hpp), so that no two are equal: the result doesn't depend on the order in which
// blocks append. The samples mislead where too few elements come before the last sample, or too many before the next one. All blocks see
// that, and select by digits (top_k_agent.hpp).
//
// Sources: R. W. Floyd, R. L. Rivest, "Expected time bounds for selection", 1975 (samples); W. D. Frazer, A. C. McKellar,
// "Samplesort: a sampling approach to minimal storage tree sorting", 1970 (buckets between samples).
#pragma once

#include <tessera/atomic.hpp>
#include <tessera/block_tile.hpp>
#include <tessera/grid/parts/block_protocols.hpp>
#include <tessera/grid/top_k/array_filter.hpp>
#include <tessera/grid/top_k/bucket_list.hpp>
#include <tessera/reduce.hpp>
#include <tessera/scan.hpp>
#include <tessera/vote.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Two entries that are loaded at once.
template <class Entry>
struct alignas(2 * sizeof(Entry)) entry_pair {
  Entry first, second;
};

template <class Shape, class T, class Key, class Entry, class Block>
class bucket_agent {
  static_assert(Shape::template capacity<Entry> % 2 == 0);
  static constexpr unsigned threads = Shape::threads, room = Shape::template capacity<Entry>;
  static constexpr unsigned no_ticket = ~0u;

 public:
  TESSERA_FN bucket_agent(Block const& block, bucket_plan const& plan, top_k_task<T, Key> const& task,
                          bucket_state* state, Entry* lists, bucket_storage<Shape, Entry>& storage)
      : block_(block),
        plan_(plan),
        task_(task),
        state_(state),
        lists_(lists),
        storage_(storage),
        rank_(block.thread_rank()),
        array_(task, plan.share, rank_),
        list_(block, storage, state, lists, plan.buckets, plan.capacity) {}

  /// Returns false, in all threads of all blocks, if the samples misled. Then nothing is stored.
  TESSERA_FN bool run(unsigned most_tickets) {
    draw_ahead();
    list_.begin();
    bool const has_own = plan_.sample_sets == 0;
    if (has_own) take_own_samples();  // while the ticket comes
    unsigned filtered = 0;
    while (next_ticket()) {
      unsigned const ticket = storage_.ticket;
      if (most_tickets-- == 0) return stop(filtered);
      if (ticket < plan_.sample_sets) {
        share_samples(ticket);
      } else {
        if (filtered == 0 && !has_own) take_shared_samples();
        filter(ticket - plan_.sample_sets);
        ++filtered;
      }
    }
    list_.flush();
    block_.sync();
    if (rank_ == 0) end_filter(filtered);
    block_.sync();
    return rank();
  }

 private:
  // ---- Tickets.

  /// Draws the next ticket, which comes while the block goes on. A block does so when it has loaded what it has drawn: by then all others
  /// have drawn something.
  TESSERA_FN void draw_ahead() {
    if (rank_ == 0 && drawn_ == no_ticket) drawn_ = tessera::atomic_update(&state_->tickets, 1u);
  }
  /// Takes the next ticket. Returns whether it is one of a set or a piece.
  TESSERA_FN bool next_ticket() {
    block_.sync();  // All have seen the last one.
    draw_ahead();
    if (rank_ == 0) {
      storage_.ticket = drawn_;
      drawn_ = no_ticket;
    }
    block_.sync();
    return storage_.ticket < plan_.sample_sets + plan_.share.blocks;
  }
  /// Says that so many pieces are filtered, and waits until all are. Called by one thread, behind a barrier.
  TESSERA_FN void end_filter(unsigned filtered) const {
#if TESSERA_ARCH
    __threadfence();
    if (filtered != 0) tessera::atomic_update(&state_->filtered, filtered);
    detail::wait_until(&state_->filtered, [&](unsigned all) { return all == plan_.share.blocks; });
#else
    state_->filtered += filtered;
#endif
  }
  /// A test on host tiles lets other blocks go on.
  TESSERA_FN bool stop(unsigned filtered) {
    list_.flush();
    block_.sync();
    if (rank_ == 0) {
      state_->filtered += filtered;
      state_->tickets = storage_.ticket;
    }
    return true;
  }

  // ---- Samples.

  /// The entry of a sample, of all that are taken.
  TESSERA_FN Entry sample(unsigned number) const {
    return array_.entry_of(detail::sample_position(task_.n, number, plan_.samples_log2, coarse_salt));
  }
  /// A sample for each lane, as far as they go. Every block takes the same ones.
  TESSERA_FN void take_own_samples() const {
    unsigned const number = sample_groups::first_of(rank_, threads);
    detail::sort_least_samples<threads>(
        block_, storage_.samples, number >> plan_.samples_log2 == 0 ? sample(number) : Entry::greatest());
  }
  /// Those of a set. Samples with neighboring numbers are in different sets.
  TESSERA_FN void share_samples(unsigned set) {
    unsigned const count = (1u << plan_.samples_log2) / shared_sample_sets;
    auto least = Entry::greatest();
    for (unsigned i = rank_; i < count; i += threads) {
      Entry const e = sample(i * shared_sample_sets + set);
      if (e < least) least = e;
    }
    draw_ahead();
    std::uint64_t const posted =
        ~tessera::reduce(tessera::this_block_tile<threads>(block_), least.word, minimum{});
    if (rank_ == 0) detail::publish_word(&state_->samples[set], posted != 0 ? posted : 1);
  }
  /// Waits for the least ones of all sets.
  TESSERA_FN void take_shared_samples() const {
    constexpr unsigned each = shared_sample_sets / threads > 0 ? shared_sample_sets / threads : 1,
                       stride = each * threads / shared_sample_sets;
    static_assert(threads % shared_sample_sets == 0 || shared_sample_sets % threads == 0);
    auto least = Entry::greatest();
    if (rank_ % stride == 0) {
      TESSERA_UNROLL
      for (unsigned j = 0; j < each; ++j) {
        unsigned const set = sample_groups::set_of(rank_ / stride * each + j, shared_sample_sets);
        Entry const e{~detail::wait_for_word(&state_->samples[set])};
        if (e < least) least = e;
      }
    }
    detail::sort_least_samples<threads>(block_, storage_.samples, least);
  }

  // ---- The array.

  TESSERA_FN void filter(unsigned piece) {
    entry_window<Entry> const window{Entry::least(), storage_.samples.sorted[plan_.buckets - 1]};
    array_.filter(
        piece, window, [&](Entry const& e) { list_.append(e); }, [&] { draw_ahead(); });
    block_.sync();
    if (!list_.has_many()) return;
    list_.flush();
    block_.sync();
    list_.begin();
  }

  // ---- Ranks.

  TESSERA_FN bool rank() const {
    constexpr unsigned each = Shape::entries_per_item;
    auto const warp = tessera::tiled_partition<most_buckets>(block_);
    std::uint64_t const count = warp.thread_rank() < plan_.buckets ? state_->counts[warp.thread_rank()] : 0,
                        through = tessera::inclusive_scan(warp, count), before = through - count;
    bool const is_wanted = before <= plan_.target;
    bool const found = tessera::all_of(warp, !is_wanted || count <= plan_.capacity) &&
                       tessera::any_of(warp, through > plan_.target);
    unsigned const wanted = is_wanted && found ? static_cast<unsigned>(count) : 0;
    unsigned const items_through = tessera::inclusive_scan(warp, (wanted + each - 1) / each);
    unsigned const items = tessera::broadcast(warp, items_through, most_buckets - 1);
    block_.sync();
    if (rank_ < most_buckets) leave();
    for (unsigned item = block_.group_index().x; item < items; item += plan_.blocks) {
      unsigned const b = tessera::ballot(warp, items_through <= item).count();
      unsigned const first = b == 0 ? 0 : tessera::broadcast(warp, items_through, b - 1);
      rank_entries<threads / each>(lists_ + b * plan_.capacity, tessera::broadcast(warp, wanted, b),
                                   (item - first) * each, tessera::broadcast(warp, before, b));
    }
    return found;
  }
  /// The last block to leave makes the state 0 again. Called by the first warp, when the block has read all of it.
  TESSERA_FN void leave() const {
    auto const warp = tessera::tiled_partition<most_buckets>(block_);
    unsigned const is_last = rank_ == 0 && detail::is_last_block(&state_->left, plan_.blocks) ? 1 : 0;
    if (tessera::broadcast(warp, is_last, 0) == 0) return;
    state_->counts[rank_] = 0;
    for (unsigned i = rank_; i < shared_sample_sets; i += most_buckets) state_->samples[i] = 0;
    if (rank_ == 0) state_->tickets = state_->filtered = 0;
  }
  /// Ranks the entries of a bucket from `first` on that the block has lanes for, each by some lanes, and stores those that are wanted.
  template <unsigned Lanes>
  TESSERA_FN void rank_entries(Entry const* bucket, unsigned count, unsigned first,
                               std::uint64_t before) const {
    unsigned const which = first + rank_ / Lanes, lane = rank_ % Lanes;
    Entry const own = bucket[which < count ? which : 0];
    Entry* const staged = storage_.entries();
    unsigned less = 0;
    TESSERA_LOOP
    for (unsigned begin = 0; begin < count; begin += room) {
      unsigned const here = count - begin < room ? count - begin : room;
      block_.sync();  // Nobody reads what was there.
      for (unsigned i = rank_; i < here; i += threads) staged[i] = bucket[begin + i];
      if (rank_ == 0 && here % 2 != 0) staged[here] = Entry::greatest();
      block_.sync();
      for (unsigned i = lane; 2 * i < here; i += Lanes) {
        auto const two = reinterpret_cast<entry_pair<Entry> const*>(staged)[i];
        less += (two.first < own ? 1u : 0u) + (two.second < own ? 1u : 0u);
      }
    }
    std::uint64_t const rank = before + tessera::reduce(tessera::tiled_partition<Lanes>(block_), less);
    if (lane != 0 || which >= count || rank > plan_.target) return;
    if (task_.values != nullptr) detail::store_element(task_.values + rank, task_.in[own.index()]);
    if (task_.indices != nullptr) task_.indices[rank] = static_cast<std::int64_t>(own.index());
  }

  Block const& block_;
  bucket_plan const& plan_;
  top_k_task<T, Key> const& task_;
  bucket_state* state_;
  Entry* lists_;
  bucket_storage<Shape, Entry>& storage_;
  unsigned rank_;
  array_filter<Shape, T, Key, Entry> array_;
  bucket_list<Shape, Entry, Block> list_;
  unsigned drawn_ = no_ticket;  // the first thread's next one
};

/// Runs the agent. Returns false, in all threads of all blocks, if the samples misled.
///
/// Called by  all Shape::threads threads of each of `plan.blocks` blocks. A host test may let a block draw `most_tickets` only.
template <class Shape, class T, class Key, class Entry, class Block>
TESSERA_FN bool run_bucket_agent(Block const& block, bucket_plan const& plan, top_k_task<T, Key> const& task,
                                 bucket_state* state, Entry* lists, bucket_storage<Shape, Entry>& storage,
                                 unsigned most_tickets = ~0u) {
  return bucket_agent<Shape, T, Key, Entry, Block>(block, plan, task, state, lists, storage)
      .run(most_tickets);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
