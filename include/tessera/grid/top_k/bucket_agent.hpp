// The agent of the selections from an array: the array is read once, and what is between two bounds is kept in buckets.
//
//   samples   of a short array every block takes the same ones itself. Of a long one each block takes a set or several,
//             of each of which all blocks see one
//   filter    pieces of the array: a block counts the elements before the lower bound, if there is one, and lists those
//             up to the upper one, in buckets between samples (bucket_list.hpp)
//   rank      the first k: when all pieces are filtered, each block takes its part of the entries in the first buckets,
//             up to the one with rank k. It counts for each how many of its bucket come before it, and stores it at
//             that place
//             one rank: the last block to filter a piece finds it in its bucket (select_in_block.hpp)
//             the first k, many: kernels follow that sort the list (sort_entries.hpp)
//
// Sets and pieces are drawn as tickets. A block waits for sets and pieces only that running blocks have drawn, which
// wait for nothing in between: so all blocks need not run at once, and nothing hangs where other kernels have most of
// the GPU.
//
// Entries are compared by key and index (top_k_entry.hpp), so that no two are equal: the result doesn't depend on the
// order in which blocks append. The samples mislead where the wanted rank isn't between the bounds, or a bucket up to
// its own has no room for its entries. All blocks see that, and select by digits (digit_agent.hpp). Elements that a
// block's storage holds are ranked without samples.
//
// Sources: R. W. Floyd, R. L. Rivest, "Expected time bounds for selection", 1975 (samples); W. D. Frazer, A. C.
// McKellar, "Samplesort: a sampling approach to minimal storage tree sorting", 1970 (buckets between samples); J. W.
// Tukey, "The ninther, a technique for low-effort robust (resistant) location in large samples", 1978 (medians of
// medians).
#pragma once

#include <tessera/atomic.hpp>
#include <tessera/block_tile.hpp>
#include <tessera/grid/parts/block_protocols.hpp>
#include <tessera/grid/parts/memory_ops.hpp>
#include <tessera/grid/parts/phase_queue.hpp>
#include <tessera/grid/top_k/array_filter.hpp>
#include <tessera/grid/top_k/bucket_list.hpp>
#include <tessera/grid/top_k/select_in_block.hpp>
#include <tessera/reduce.hpp>
#include <tessera/scan.hpp>
#include <tessera/vote.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class Shape, class T, class Key, class Entry, class Block>
class bucket_agent {
  static constexpr unsigned threads = Shape::threads;
  static constexpr unsigned no_ticket = ~0u;

 public:
  TESSERA_FN bucket_agent(Block const& block, select_plan const& plan, top_k_task<T, Key> const& task,
                          top_k_memory<Entry> const& memory, top_k_storage<Shape, Entry>& storage)
      : block_(block),
        plan_(plan),
        task_(task),
        state_(memory.buckets),
        left_(memory.left),
        storage_(storage),
        rank_(block.thread_rank()),
        steps_left_(plan.steps_at_once),
        array_(task, plan.share, rank_),
        to_{storage.samples.sorted + plan.lower,
            plan.stride,
            plan.buckets,
            memory.buckets->counts,
            memory.lists,
            plan.capacity},
        list_(block, storage, to_),
        ranker_(block, plan, task, storage) {}

  /// Returns false, in all threads of all blocks, if the samples misled. Then nothing is stored.
  TESSERA_FN bool run(unsigned most_tickets) {
    if (plan_.ranks_array) return rank_array();
    draw_ahead();
    list_.begin();
    bool const has_own = plan_.sample_sets == 0;
    if (has_own) take_own_samples();  // while the ticket comes
    if (rank_ == 0) storage_.filtered = 0;
    while (next_ticket()) {
      unsigned const ticket = storage_.ticket;
      if (blocks_take_turns && most_tickets-- == 0) return stop();
      if (ticket < plan_.sample_sets) {
        share_sample(ticket);
      } else {
        if (storage_.filtered == 0 && !has_own) take_shared_samples();
        add_before(filter(ticket - plan_.sample_sets));
        if (rank_ == 0) ++storage_.filtered;
      }
    }
    list_.flush();
    detail::barrier_of_block(block_);
    if (rank_ == 0)
      storage_.answer = detail::wait_for_items(&state_->filtered, storage_.filtered, plan_.share.blocks) ? 1 : 0;
    detail::barrier_of_block(block_);
    return finish(storage_.answer != 0);
  }

 private:
  // ---- Tickets.

  /// Draws the next ticket, which comes while the block goes on. A block does so when it has loaded what it has drawn:
  /// by then all others have drawn something.
  TESSERA_FN void draw_ahead() {
    if (rank_ == 0 && drawn_ == no_ticket) drawn_ = state_->tickets().draw();
  }
  /// Takes the next ticket. Returns whether it is one of a set or a piece.
  TESSERA_FN bool next_ticket() {
    detail::barrier_of_block(block_);  // All have seen the last one.
    draw_ahead();
    if (rank_ == 0) {
      storage_.ticket = drawn_;
      drawn_ = no_ticket;
    }
    detail::barrier_of_block(block_);
    return storage_.ticket < plan_.sample_sets + plan_.share.blocks;
  }
  /// A test on host tiles lets other blocks go on.
  TESSERA_FN bool stop() {
    list_.flush();
    detail::barrier_of_block(block_);
    if (rank_ == 0) {
      state_->filtered += storage_.filtered;
      state_->drawn = storage_.ticket;
    }
    return true;
  }

  // ---- Samples.

  /// The entry of a sample, of all that are taken.
  TESSERA_FN Entry sample(unsigned number) const {
    unsigned const log2 = plan_.samples_log2;
    return array_.entry_of(detail::sample_position(task_.n, detail::shuffled_number(number, log2), log2));
  }
  /// A sample for each lane, as far as they go: first one for each group. Every block takes the same ones.
  TESSERA_FN void take_own_samples() const {
    unsigned const groups = plan_.groups(), lanes = threads / groups, number = rank_ % lanes * groups + rank_ / lanes;
    sort_samples(number >> plan_.samples_log2 == 0 ? sample(number) : Entry::greatest(), plan_.sample_rank);
  }
  TESSERA_FN void sort_samples(Entry const& own, unsigned rank) const {
    if (plan_.groups() == sample_groups::most) {
      detail::sort_samples<threads, sample_groups::most>(block_, storage_.samples, own, rank);
    } else {
      detail::sort_samples<threads, sample_groups::of_first>(block_, storage_.samples, own, rank);
    }
  }
  /// The sample of a set.
  TESSERA_FN void share_sample(unsigned set) {
    unsigned const count = (1u << plan_.samples_log2) / plan_.sample_sets;
    Entry chosen;
    if (plan_.sample_rank == 0) {
      auto least = Entry::greatest();
      for (unsigned i = rank_; i < count; i += threads) least = lesser_entry{}(least, sample(set * count + i));
      draw_ahead();
      chosen = least_of_block(least);
    } else {
      Entry* const staged = storage_.beside_counts();
      detail::visit_entries<threads>(
          rank_, count, [&](unsigned i) { return sample(set * count + i); },
          [&](Entry const& e, unsigned i) { staged[i] = e; });
      draw_ahead();
      detail::barrier_of_block(block_);
      chosen = detail::select_in_block(block_, storage_, static_cast<Entry const*>(staged), count, plan_.sample_rank,
                                       {Entry::least(), Entry::greatest()});
    }
    if (rank_ != 0) return;
    for (unsigned i = 0; i < Entry::words; ++i) {
      std::uint64_t const word = ~chosen.word_at(i);
      detail::publish_word(&state_->samples[set * Entry::words + i], word != 0 ? word : 1);
    }
  }
  /// The least of all lanes' entries: word by word, which takes no shared memory for whole entries.
  TESSERA_FN Entry least_of_block(Entry const& own) const {
    std::uint64_t words[Entry::words];
    bool is_least = true;
    TESSERA_UNROLL
    for (unsigned i = 0; i < Entry::words; ++i) {
      words[i] = tessera::reduce(tessera::this_block_tile<threads>(block_),
                                 is_least ? own.word_at(i) : ~std::uint64_t{0}, minimum{});
      is_least = is_least && own.word_at(i) == words[i];
    }
    return Entry::from_words(words);
  }
  /// Waits for those of all sets: a group of lanes has some of them.
  TESSERA_FN void take_shared_samples() const {
    unsigned const groups = plan_.groups(), lanes = threads / groups, each = plan_.sample_sets / groups;
    auto own = Entry::greatest();
    for (unsigned j = rank_ % lanes; j < each; j += lanes) {
      unsigned const set = rank_ / lanes * each + j;
      std::uint64_t words[Entry::words];
      TESSERA_UNROLL
      for (unsigned i = 0; i < Entry::words; ++i)
        words[i] = ~detail::wait_for_word(&state_->samples[set * Entry::words + i]);
      own = lesser_entry{}(own, Entry::from_words(words));
    }
    sort_samples(own, 0);
  }

  // ---- The array.

  /// The bounds of a bucket. The lower one is the last entry of the bucket before it, if there is one.
  TESSERA_FN Entry lower_of(unsigned bucket) const {
    if (bucket > 0) return to_.splitter(bucket - 1);
    return plan_.lower > 0 ? storage_.samples.sorted[plan_.lower - 1] : Entry::least();
  }
  TESSERA_FN Entry upper_of(unsigned bucket) const {
    return plan_.lower + (bucket + 1) * plan_.stride <= sample_groups::most ? to_.splitter(bucket) : Entry::greatest();
  }

  /// Returns how many of this lane's elements are before the lower bound.
  TESSERA_FN unsigned filter(unsigned piece) {
    if (rank_ == 0) storage_.window = {lower_of(0), upper_of(plan_.buckets - 1)};
    detail::barrier_of_block(block_);
    return array_.filter(
        piece, storage_.window, [&](Entry const& e) { list_.append(e); },
        [&] {
          draw_ahead();
          if (--steps_left_ != 0) return;
          steps_left_ = plan_.steps_at_once;
          list_.make_room();
        });
  }
  /// Adds up how many elements of a piece the lanes have seen before the lower bound.
  TESSERA_FN void add_before(unsigned own) const {
    if (plan_.lower == 0) return;
    std::uint64_t const all = tessera::reduce(tessera::this_block_tile<threads>(block_), std::uint64_t{own});
    if (rank_ == 0 && all != 0) tessera::atomic_update(&state_->before, all);
  }

  // ---- Ranks.

  /// All elements are in one bucket, which is the array.
  TESSERA_FN bool rank_array() const {
    auto const count = static_cast<unsigned>(task_.n);
    for (unsigned item = block_.group_index().x; item < ranker_.items_of(count); item += plan_.blocks)
      ranker_.rank(
          item, count, [&](unsigned i) { return array_.entry_of(i); }, 0);
    return true;
  }

  /// Each warp looks at all buckets. Returns whether the wanted ranks are in them.
  TESSERA_FN bool finish(bool is_last) const {
    auto const warp = tessera::tiled_partition<most_buckets>(block_);
    std::uint64_t const count = warp.thread_rank() < plan_.buckets ? state_->counts[warp.thread_rank()] : 0,
                        through = state_->before + tessera::inclusive_scan(warp, count), before = through - count;
    bool const is_wanted = before <= plan_.target;
    bool const found = tessera::all_of(warp, !is_wanted || count <= plan_.capacity) &&
                       tessera::any_of(warp, is_wanted && through > plan_.target);
    detail::barrier_of_block(block_);
    if (rank_ < most_buckets) leave();
    if (!found) return false;
    if (plan_.wanted == wanted_ranks::first) {
      rank_buckets(is_wanted ? static_cast<unsigned>(count) : 0, before);
    } else if (is_last && plan_.wanted == wanted_ranks::one) {
      unsigned const b = tessera::ballot(warp, through <= plan_.target).count();
      Entry const e =
          detail::select_in_block(block_, storage_, static_cast<Entry const*>(to_.lists + b * plan_.capacity),
                                  tessera::broadcast(warp, count, b),
                                  plan_.target - tessera::broadcast(warp, before, b), {lower_of(b), upper_of(b)});
      if (rank_ == 0) ranker_.store(plan_.target, e.index());
    } else if (is_last && rank_ == 0) {
      *left_ = count;
    }
    return true;
  }
  /// Each lane of a warp has a bucket, of which so many entries are wanted.
  TESSERA_FN void rank_buckets(unsigned wanted, std::uint64_t before) const {
    auto const warp = tessera::tiled_partition<most_buckets>(block_);
    unsigned const items_through = tessera::inclusive_scan(warp, ranker_.items_of(wanted));
    unsigned const items = tessera::broadcast(warp, items_through, most_buckets - 1);
    for (unsigned item = block_.group_index().x; item < items; item += plan_.blocks) {
      unsigned const b = tessera::ballot(warp, items_through <= item).count();
      unsigned const first = b == 0 ? 0 : tessera::broadcast(warp, items_through, b - 1);
      Entry const* const bucket = to_.lists + b * plan_.capacity;
      ranker_.rank(
          item - first, tessera::broadcast(warp, wanted, b), [&](unsigned i) { return bucket[i]; },
          tessera::broadcast(warp, before, b));
    }
  }
  /// The last block to leave makes the state 0 again. Called by the first warp, when the block has read all of it.
  TESSERA_FN void leave() const {
    auto const warp = tessera::tiled_partition<most_buckets>(block_);
    unsigned const is_last = rank_ == 0 && state_->tickets().is_last_to_leave(plan_.blocks) ? 1 : 0;
    if (tessera::broadcast(warp, is_last, 0) == 0) return;
    state_->counts[rank_] = 0;
    for (unsigned i = rank_; i < plan_.sample_sets * Entry::words; i += most_buckets) state_->samples[i] = 0;
    if (rank_ == 0) {
      state_->before = 0;
      state_->tickets().clear();
      state_->filtered = 0;
    }
  }

  Block const& block_;
  select_plan const& plan_;
  top_k_task<T, Key> const& task_;
  bucket_state* state_;
  std::uint64_t* left_;
  top_k_storage<Shape, Entry>& storage_;
  unsigned rank_;
  unsigned steps_left_;  // until the list makes room
  array_filter<Shape, T, Key, Entry> array_;
  bucket_lists<Entry> to_;
  bucket_list<Shape, Entry, Block> list_;
  entry_ranker<Shape, T, Key, Entry, Block> ranker_;
  unsigned drawn_ = no_ticket;  // the first thread's next one
};

/// Runs the agent. Returns false, in all threads of all blocks, if the samples misled.
///
/// Called by  all Shape::threads threads of each of `plan.blocks` blocks. A host test may let a block draw
/// `most_tickets` only.
template <class Shape, class T, class Key, class Entry, class Block>
TESSERA_FN bool run_bucket_agent(Block const& block, select_plan const& plan, top_k_task<T, Key> const& task,
                                 top_k_memory<Entry> const& memory, top_k_storage<Shape, Entry>& storage,
                                 unsigned most_tickets = ~0u) {
  return bucket_agent<Shape, T, Key, Entry, Block>(block, plan, task, memory, storage).run(most_tickets);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
