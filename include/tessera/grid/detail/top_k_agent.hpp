// The agent of selections from an array: top_k, nth_element and quantiles.
//
//   phase        items                  what a block does with one                         what the block that ends the phase does
//   sample       of the fine samples    lists those in the coarse window                   takes a finer window from the list
//   filter       pieces of the array    lists the elements in the window, counts those     checks that the wanted rank is listed;
//                                       before it                                          of a short list, leaves few entries
//   count_array  pieces of the array    counts a digit of the elements in the window       narrows the window by that digit
//   count_list   pieces of the list     counts a digit of the listed entries               narrows the window by that digit
//   compact      pieces of the list     lists those in the window in the other list
//   rank_list    32 entries each        counts for each how many come before it, and
//                                       stores it at that place
//
// Nobody waits for the fine window: a block that has no samples to list filters its first piece by the coarse one, until it sees the
// other. What it has found by then waits in its shared memory. And few entries are ranked by the block that ends `filter`, while all
// others leave.
//
// Entries are compared by key and index (top_k_entry.hpp), so that no two are equal: the result doesn't depend on the order in
// which blocks append to a list. Usually the array is read once, by `filter`. If the samples misled, which the block that ends `filter`
// sees, `count_array` reads it once for each digit until few enough elements are left, and `filter` once more.
//
// Sources: R. W. Floyd, R. L. Rivest, "Expected time bounds for selection", 1975 (samples); radix select by digits from the highest
// on: T. Alabi et al., "Fast k-selection algorithms for graphics processing units", 2012.
#pragma once

#include <tessera/atomic.hpp>
#include <tessera/block_tile.hpp>
#include <tessera/grid/detail/even_share.hpp>
#include <tessera/grid/detail/phase_queue.hpp>
#include <tessera/grid/detail/sample_bound.hpp>
#include <tessera/grid/detail/top_k_entry.hpp>
#include <tessera/grid/detail/top_k_list.hpp>
#include <tessera/grid/detail/top_k_state.hpp>
#include <tessera/grid/detail/top_k_tuning.hpp>
#include <tessera/reduce.hpp>
#include <tessera/scan.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Stores an element. T may lack an assignment.
template <class T>
TESSERA_FN void store_element(T* to, T const& x) {
  if constexpr (stl::is_copy_assignable_v<T>) {
    *to = x;
  } else {
    copy_bytes(to, &x, sizeof(T));
  }
}

template <class Shape, class T, class Key, class Entry, class Block>
class top_k_agent {
  static constexpr unsigned threads = Shape::threads;
  static constexpr unsigned room = Shape::template capacity<Entry>;
  static constexpr unsigned V = vector_length<T>;
  using keys = rank_keys_of<T, Key>;
  using key_t = typename keys::key;
  using phase_t = top_k_phase<Entry>;
  using window_t = entry_window<Entry>;

 public:
  TESSERA_FN top_k_agent(Block const& block, select_plan const& plan, top_k_task<T, Key> const& task,
                         top_k_memory<Entry> const& memory, top_k_storage<Shape, Entry>& storage)
      : block_(block),
        plan_(plan),
        task_(task),
        memory_(memory),
        storage_(storage),
        rank_(block.thread_rank()) {
    if (rank_ == 0) {
      storage_.has_left = 0;
      // It comes while the window is found.
      if (TESSERA_ARCH != 0) ticket_ = take_ticket(&memory_.state->queue);
    }
    if (plan_.samples) find_coarse_window();
  }

  /// Draws an item and does it. Returns false, in all threads, if there is none left.
  TESSERA_FN bool run_next(unsigned blocks) {
    if (rank_ == 0) draw();
    block_.sync();
    if (phase().work == select_work::none) {
      if (rank_ == 0) leave(blocks);
      return false;
    }
    run_item(storage_.item);
    block_.sync();
    if (rank_ == 0) {
      storage_.answer = ends_phase(&memory_.state->queue, storage_.done, phase().items);
      storage_.next = phase();
    }
    block_.sync();
    if (storage_.answer != 0) begin_next();
    block_.sync();
    return storage_.has_left == 0;
  }

 private:
  // ---- The queue.

  /// Draws a ticket; on a GPU one ahead, whose latency the item before it hides. Called by one thread.
  TESSERA_FN void draw() {
    phase_queue* const queue = &memory_.state->queue;
    if (ticket_ == phase_queue::no_more) ticket_ = take_ticket(queue);
    storage_.is_early = is_early(ticket_) ? 1 : 0;
    bool const is_first = ticket_ < plan_.first_items;
    bool const has_item =
        is_first || storage_.is_early != 0 || wait_for_phase(queue, plan_.first_items, ticket_);
    phase_t& drawn = storage_.phase;
    if (!has_item) {
      drawn.work = select_work::none;
    } else if (storage_.is_early != 0) {
      drawn = whole_array(select_work::filter, plan_.first_items, plan_.share.blocks);
    } else if (is_first) {
      drawn = whole_array(plan_.first, 0, plan_.first_items);
    } else {
      drawn = memory_.state->phase;
    }
    storage_.item = ticket_ - drawn.begin;
    storage_.done = 1;
    // Those that list samples take their first pieces of the array so, before others take a second one.
    bool const draws_ahead = TESSERA_ARCH != 0 && has_item && storage_.is_early == 0;
    ticket_ = draws_ahead ? take_ticket(queue) : phase_queue::no_more;
  }
  /// A phase of all elements.
  TESSERA_FN phase_t whole_array(select_work work, unsigned begin, unsigned items) const {
    return {work,  begin,
            items, Entry::bits,
            0,     {Entry::least(), Entry::greatest()},
            0,     static_cast<std::uint64_t>(task_.n)};
  }
  /// Whether the ticket is one of `filter`, which comes behind `sample` and hasn't begun. On host tiles it has, but half of the blocks
  /// don't look at first.
  TESSERA_FN bool is_early(unsigned ticket) const {
    if (plan_.first != select_work::sample || plan_.appends_often || ticket < plan_.first_items ||
        ticket - plan_.first_items >= plan_.share.blocks)
      return false;
    return TESSERA_ARCH != 0 ? !phase_has_begun(look_at_phases(&memory_.state->queue), ticket)
                             : ticket % 2 == 0;
  }
  /// Draws another item of the phase, if the next ticket is of it: so the block neither ends an item nor asks for the phase. Returns
  /// whether there is one, after a barrier.
  TESSERA_FN bool take_next_item() {
    block_.sync();  // All have seen which item it was.
    if (rank_ == 0) {
      phase_queue* const queue = &memory_.state->queue;
      unsigned const end = phase().begin + phase().items;
      bool const has_room = storage_.staged <= room / 2;
      // On host tiles no ticket was drawn ahead, and none may be drawn in vain.
      if (TESSERA_ARCH == 0 && has_room && queue->tickets < end) ticket_ = take_ticket(queue);
      storage_.answer = ticket_ < end && has_room ? 1 : 0;
      if (storage_.answer != 0) {
        storage_.item = ticket_ - phase().begin;
        ++storage_.done;
        ticket_ = TESSERA_ARCH != 0 ? take_ticket(queue) : phase_queue::no_more;
      }
    }
    block_.sync();
    return storage_.answer != 0;
  }
  /// Waits for the phase of an item that was done before it began.
  TESSERA_FN void join_phase() {
    if (rank_ == 0) {
      if (TESSERA_ARCH != 0) ticket_ = take_ticket(&memory_.state->queue);
      wait_for_phase(&memory_.state->queue, plan_.first_items, phase().begin);
      storage_.phase = memory_.state->phase;
      storage_.is_early = 0;
    }
    block_.sync();
  }

  TESSERA_FN void leave(unsigned blocks) {
    if (!leaves_last(&memory_.state->queue, blocks)) return;
    // Word by word, since an assignment leaves bytes between members as they are.
    static_assert(sizeof(select_state<Entry>) % sizeof(unsigned) == 0);
    auto* const words = reinterpret_cast<unsigned*>(memory_.state);
    for (unsigned i = 0; i < sizeof(select_state<Entry>) / sizeof(unsigned); ++i) words[i] = 0;
  }

  TESSERA_FN void run_item(unsigned item) {
    switch (phase().work) {
      case select_work::rank_array:
        rank_elements(item);
        break;
      case select_work::copy_array:
        copy_elements(item);
        break;
      case select_work::sample:
        list_samples(item);
        break;
      case select_work::filter:
        filter_elements();
        break;
      case select_work::count_array:
        count_elements(item);
        break;
      case select_work::count_list:
        count_listed(item);
        break;
      case select_work::compact:
        compact_listed(item);
        break;
      case select_work::rank_list:
        rank_listed(item);
        break;
      default:
        break;
    }
  }

  /// Called by all threads of the block that ended a phase. `storage_.next` is that phase.
  TESSERA_FN void begin_next() {
    switch (phase().work) {
      case select_work::sample:
        take_fine_window();
        break;
      case select_work::filter:
        if (rank_ == 0) check_window();
        block_.sync();
        if (storage_.next.work == select_work::narrow && !narrow_list()) return;
        break;
      case select_work::count_array:
      case select_work::count_list:
        take_digit();
        break;
      case select_work::compact:
        if (rank_ == 0) {
          storage_.next.list = 1;
          storage_.next.listed = take(memory_.state->appended);
          finish();
        }
        break;
      case select_work::copy_array:
        if (rank_ == 0) finish();
        break;
      default:
        if (rank_ == 0) storage_.next.work = select_work::none;
    }
    if (rank_ != 0) return;
    phase_t& next = storage_.next;
    if (next.work == select_work::none) {
      end_phases(&memory_.state->queue);
      return;
    }
    next.begin = phase().begin + phase().items;
    next.items = items_of(next);
    memory_.state->phase = next;
    begin_phase(&memory_.state->queue, next.begin + next.items);
  }

  TESSERA_FN unsigned items_of(phase_t const& phase) const {
    auto const pieces = [&](unsigned each) {
      return static_cast<unsigned>((phase.listed + each - 1) / each);
    };
    switch (phase.work) {
      case select_work::filter:
      case select_work::count_array:
        return plan_.share.blocks;
      case select_work::count_list:
      case select_work::compact:
        return pieces(listed_per_item(phase));
      case select_work::rank_list:
        return pieces(Shape::entries_per_item);
      default:
        return 0;
    }
  }
  /// Where entries are counted so many that there aren't many more items than blocks. Where they are compacted as many as can wait
  /// to be appended.
  TESSERA_FN unsigned listed_per_item(phase_t const& phase) const {
    if (phase.work == select_work::compact) return room;
    std::uint64_t const each = (phase.listed + 4 * plan_.blocks - 1) / (4 * plan_.blocks);
    return each > Shape::listed_per_item ? static_cast<unsigned>(each) : Shape::listed_per_item;
  }

  template <class Word>
  TESSERA_FN static Word take(Word& word) {
    Word const was = word;
    word = 0;
    return was;
  }

  // ---- Entries.

  TESSERA_FN key_t flip() const { return static_cast<key_t>(task_.flip); }
  TESSERA_FN Entry entry_of(std::int64_t index) const {
    return Entry::of(keys::of(task_.key(task_.in[index]), flip()), static_cast<std::uint64_t>(index));
  }
  TESSERA_FN Entry* staged() const { return storage_.entries(); }
  TESSERA_FN auto list_of(Entry* list, std::uint64_t capacity, bool tells_least = false) const {
    return top_k_list<Shape, Entry, Block>(block_, storage_, memory_.state, list, capacity, tells_least);
  }
  TESSERA_FN std::uint64_t begin_of(unsigned item) const {
    return static_cast<std::uint64_t>(item) * listed_per_item(phase());
  }
  /// Calls visit(entry, i) for this lane's indices i from `begin` on, of the entries get(i). Some are loaded before the first of them
  /// is visited: a visit may store.
  template <class Index, class Get, class Visit>
  TESSERA_FN void visit_loaded(Index begin, Index end, Get get, Visit visit) const {
    constexpr unsigned at_once = 64 / sizeof(Entry);
    for (Index first = begin; first < end; first += at_once * threads) {
      Entry loaded[at_once];
      TESSERA_UNROLL
      for (unsigned u = 0; u < at_once; ++u) {
        Index const i = first + rank_ + u * threads;
        loaded[u] = get(i < end ? i : first);
      }
      TESSERA_UNROLL
      for (unsigned u = 0; u < at_once; ++u) {
        Index const i = first + rank_ + u * threads;
        if (i < end) visit(loaded[u], i);
      }
    }
  }
  /// Loads the entries get(0) … get(count − 1) to the block's storage.
  template <class Get>
  TESSERA_FN void stage(unsigned count, Get get) const {
    visit_loaded(0u, count, get, [&](Entry const& e, unsigned i) { staged()[i] = e; });
  }
  /// Calls visit(entry) for this lane's entries of an item of the list.
  template <class Visit>
  TESSERA_FN void visit_listed(unsigned item, Visit visit) const {
    Entry const* const list = memory_.list(phase().list);
    std::uint64_t end = begin_of(item + 1);
    if (end > phase().listed) end = phase().listed;
    visit_loaded(
        begin_of(item), end, [&](std::uint64_t i) { return list[i]; },
        [&](Entry const& e, std::uint64_t) { visit(e); });
  }
  /// The index of element k of a visit.
  TESSERA_FN static std::int64_t index_of(std::int64_t index, unsigned k) {
    return index + static_cast<std::int64_t>(k / V * threads * V + k % V);
  }
  /// The phase of the item that this block has drawn.
  TESSERA_FN phase_t const& phase() const { return storage_.phase; }
  TESSERA_FN auto tile() const { return tessera::this_block_tile<threads>(block_); }

  // ---- Samples.

  /// Gives a window in shared memory bounds at samples of these ranks, from 1 on; 0: that bound stays. each(visit) calls visit(e) for a
  /// lane's samples.
  template <class Each>
  TESSERA_FN void narrow_window(window_t& window, sample_ranks const& ranks, unsigned samples,
                                common_bits<Entry> const& known, Each each) const {
    TESSERA_LOOP
    for (unsigned i = 0; i < 2; ++i) {
      bool const upper = i != 0;
      unsigned const rank = upper ? ranks.upper : ranks.lower;
      if (rank == 0) continue;
      Entry const bound = find_bound<threads>(block_, storage_.samples, {rank, samples, ranks.slack, upper},
                                              known, plan_.index_bits, each);
      if (rank_ == 0) (upper ? window.upper : window.lower) = bound;
    }
  }

  TESSERA_FN unsigned first_sample() const { return sample_groups::first_of(rank_, threads); }

  /// The coarse window, which every block finds by itself.
  TESSERA_FN void find_coarse_window() {
    constexpr unsigned samples = Shape::coarse_samples, each = Shape::samples_per_lane;
    unsigned log2 = 0;
    while (1u << log2 < samples) ++log2;
    Entry own[each];
    TESSERA_UNROLL
    for (unsigned j = 0; j < each; ++j)
      own[j] = entry_of(sample_position(task_.n, first_sample() + j * threads, log2, coarse_salt));
    auto const each_own = [&](auto visit) {
      TESSERA_UNROLL
      for (unsigned j = 0; j < each; ++j) visit(own[j]);
    };
    if (rank_ == 0) storage_.coarse = {Entry::least(), Entry::greatest()};
    narrow_window(storage_.coarse, plan_.coarse, samples, {Entry::least(), Entry::bits}, each_own);
  }

  TESSERA_FN void list_samples(unsigned item) {
    window_t const window = storage_.coarse;
    auto list = list_of(memory_.first_list, room);
    list.begin();
    unsigned before = 0;
    unsigned const end = 1u << plan_.fine_log2;
    Entry own[Shape::samples_per_lane];  // All are loaded before the first is appended.
    auto const number = [&](unsigned j) { return item * Shape::coarse_samples + j * threads + rank_; };
    TESSERA_UNROLL
    for (unsigned j = 0; j < Shape::samples_per_lane; ++j)
      own[j] =
          entry_of(sample_position(task_.n, number(j) < end ? number(j) : 0, plan_.fine_log2, fine_salt));
    TESSERA_UNROLL
    for (unsigned j = 0; j < Shape::samples_per_lane; ++j) {
      if (number(j) >= end) continue;
      if (own[j] < window.lower) ++before;
      if (window.has(own[j])) list.append(own[j]);
    }
    add_before(before);
    list.end();
  }

  /// A window between listed samples. If they don't reach so far, or are too many, the coarse window's bounds remain.
  TESSERA_FN void take_fine_window() {
    select_state<Entry>& state = *memory_.state;
    std::uint64_t const listed = state.appended, before = state.before;
    if (rank_ == 0) storage_.next.window = storage_.coarse;
    if (listed <= room) {
      auto const samples = static_cast<unsigned>(listed);
      stage(samples, [&](unsigned i) { return memory_.first_list[i]; });
      block_.sync();
      auto const each_own = [&](auto visit) {
        for (unsigned i = first_sample(); i < samples; i += threads) visit(staged()[i]);
      };
      auto const listed_rank = [&](unsigned rank) {
        return rank > before && rank - before <= listed ? static_cast<unsigned>(rank - before) : 0u;
      };
      sample_ranks const& ranks = plan_.fine;
      narrow_window(storage_.next.window, {listed_rank(ranks.lower), listed_rank(ranks.upper), ranks.slack},
                    samples, {Entry::least(), Entry::bits}, each_own);
    }
    block_.sync();
    if (rank_ != 0) return;
    state.appended = state.before = 0;
    storage_.next.work = select_work::filter;
  }

  /// Adds up how many elements the lanes have seen before the window.
  TESSERA_FN void add_before(unsigned own) {
    if (!plan_.single) return;
    std::uint64_t const all = tessera::reduce(tile(), std::uint64_t{own});
    if (rank_ == 0 && all != 0) tessera::atomic_update(&memory_.state->before, all);
  }

  // ---- Phases that read the array.

  /// Filters the item, and all others that the block draws in this phase.
  TESSERA_FN void filter_elements() {
    // Where digits of the list may be counted, those above its least key aren't.
    auto list = list_of(memory_.first_list, plan_.capacity, !plan_.ranked || plan_.capacity > room);
    list.begin();
    bool is_early = storage_.is_early != 0, goes_on = true;
    unsigned before = 0;
    TESSERA_LOOP
    while (goes_on) {
      before += filter_by_window(storage_.item, list);
      block_.sync();
      if (is_early) {
        is_early = false;
        join_phase();
        if (storage_.is_full != 0) {
          block_.sync();
          list.begin();  // Entries were lost: once more, by the window that is known now.
          before = 0;
          continue;
        }
        before += list.keep(phase().window);
      }
      goes_on = take_next_item();
    }
    add_before(before);
    list.end();
  }

  /// Lists the item's elements in the window. Returns how many of the lane's are before it.
  template <class List>
  TESSERA_FN unsigned filter_by_window(unsigned item, List& list) {
    bool const is_first = plan_.first == select_work::filter && phase().begin == 0;
    bool is_early = storage_.is_early != 0;
    // Not in registers: it is seldom needed.
    window_t const* window = is_first || is_early ? &storage_.coarse : &storage_.phase.window;
    raw_window raw = raw_window::of(*window);
    unsigned look = 0, before = 0;

    auto const list_some = [&](std::uint64_t maybe, std::int64_t index) {
      before += list_matches(list, maybe, index, *window);
    };
    visit_ends(item, list_some);
    visit_steps(item, [&](auto const& x, std::int64_t index, std::uint64_t valid) {
      if (raw.first != 0) before += count_before(x, raw.first, valid);
      std::uint64_t const maybe = raw_matches(x, raw) & valid;
      if (maybe != 0) list_some(maybe, index);
      if (plan_.appends_often) list.make_room();
      if (!is_early) return true;
      if (list.is_full()) return false;
      if (phase_has_begun(look, phase().begin)) {
        is_early = false;
        window = &memory_.state->phase.window;
        raw = raw_window::of(*window);
      }
      look = look_at_phases(&memory_.state->queue);  // for the next step, so that nobody waits for it
      return true;
    });
    return before;
  }

  /// A window as raw keys have it: elements in it are at most `width` from `first`.
  struct raw_window {
    key_t first, width;

    TESSERA_FN static raw_window of(window_t const& window) {
      key_t const first = keys::least_of(window.lower.rank_key()), last = window.upper.rank_key();
      return {first, static_cast<key_t>(last - first)};
    }
    TESSERA_FN key_t distance(key_t raw) const {
      return static_cast<key_t>(raw - static_cast<key_t>(first + keys::begin));
    }
  };
  /// Those of the elements that may be in the window, a bit for each: seldom any. Few instructions for an element.
  template <class Elements>
  TESSERA_FN std::uint64_t raw_matches(Elements const& x, raw_window const& window) const {
    key_t nearest = static_cast<key_t>(~key_t{0});
    TESSERA_UNROLL
    for (unsigned k = 0; k < x.size(); ++k) {
      key_t const distance = window.distance(keys::raw(task_.key(x[k]), flip()));
      nearest = distance < nearest ? distance : nearest;
    }
    std::uint64_t maybe = 0;
    if (nearest > window.width) return maybe;
    TESSERA_UNROLL
    for (unsigned k = 0; k < x.size(); ++k) {
      if (window.distance(keys::raw(task_.key(x[k]), flip())) <= window.width) maybe |= std::uint64_t{1} << k;
    }
    return maybe;
  }
  /// How many of the valid elements are before the window by their raw keys.
  template <class Elements>
  TESSERA_FN unsigned count_before(Elements const& x, key_t first, std::uint64_t valid) const {
    constexpr auto all = ~std::uint64_t{0};
    unsigned before = 0;
    TESSERA_UNROLL
    for (unsigned k = 0; k < x.size(); ++k) {
      key_t const key = static_cast<key_t>(keys::raw(task_.key(x[k]), flip()) - keys::begin);
      if (valid == all) {
        before += key < first ? 1u : 0u;
      } else {
        before += key < first && (valid >> k & 1) != 0 ? 1u : 0u;
      }
    }
    return before;
  }
  /// Calls visit(1, index) for this lane's element at the ends of the array, which fill no vector, if the piece has them.
  template <class Visit>
  TESSERA_FN void visit_ends(unsigned item, Visit visit) const {
    auto const r = range_of(task_.in, static_cast<stl::uint64_t>(task_.n));
    bool const has_front = item == 0 && rank_ < r.front;
    unsigned const behind = rank_ - r.front;
    bool const has_back = item == plan_.share.blocks - 1 && rank_ >= r.front && behind < r.back;
    if (has_front || has_back)
      visit(std::uint64_t{1},
            has_front ? std::int64_t{rank_} : static_cast<std::int64_t>(r.back_index()) + behind);
  }
  /// Calls visit(elements, index, valid) for this lane's elements of each step of a piece: element k is the array's
  /// index_of(index, k), if bit k of `valid` is set. All threads make the same calls, until one returns false.
  template <class Visit>
  TESSERA_FN void visit_steps(unsigned item, Visit visit) const {
    constexpr unsigned vectors = Shape::template vectors<T>, stride = threads * V;
    static_assert(vectors * V <= 64);
    auto const r = range_of(task_.in, static_cast<stl::uint64_t>(task_.n));
    auto const [begin, last, distance] = plan_.share.steps_of(item);
    std::int64_t const all = static_cast<std::int64_t>(r.vectors), end = last < all ? last : all;
    TESSERA_LOOP
    for (std::int64_t first = begin; first < end; first += distance) {
      std::int64_t const index = r.front + (first + rank_) * V;
      T const* const from = task_.in + index;
      std::int64_t const left = end - first;
      unsigned const here = left < plan_.share.step ? static_cast<unsigned>(left) : plan_.share.step;
      words<vector<T>> loaded[vectors];
      std::uint64_t valid = ~std::uint64_t{0};
      if (here < threads * vectors) {
        unsigned const own = rank_ < here ? (here - rank_ - 1) / threads + 1 : 0;  // vectors that exist
        valid = own * V < 64 ? (std::uint64_t{1} << own * V) - 1 : valid;
        T const* const some = task_.in + (r.front + first * V);  // is loaded instead of those that don't
        TESSERA_UNROLL
        for (unsigned u = 0; u < vectors; ++u) loaded[u] = r.load_vector(u < own ? from + u * stride : some);
      } else if (plan_.share.streaming) {
        load_vectors<stride, load_streaming>(r, from, loaded);
      } else {
        load_vectors<stride, load_default>(r, from, loaded);
      }
      if (!visit(elements_of<T>(loaded), index, valid)) return;
    }
  }

  /// Lists those of the elements in the window. Returns how many are before it.
  template <class List>
  TESSERA_FN unsigned list_matches(List& list, std::uint64_t maybe, std::int64_t index,
                                   window_t const& window) const {
    unsigned before = 0;
    TESSERA_LOOP
    while (maybe != 0) {
      unsigned const k = lowest_bit(maybe);
      maybe &= maybe - 1;
      Entry const e = entry_of(index_of(index, k));
      if (e < window.lower) ++before;
      if (window.has(e)) list.append(e);
    }
    return before;
  }
  TESSERA_FN static unsigned lowest_bit(std::uint64_t word) {
#if TESSERA_ARCH
    return static_cast<unsigned>(__ffsll(static_cast<long long>(word)) - 1);
#else
    return tessera::detail::compiler::trailing_zeros(word);
#endif
  }

  /// Calls visit(entry) for this lane's elements of a piece: a vector at a time, which takes few registers.
  template <class Visit>
  TESSERA_FN void visit_entries(unsigned item, Visit visit) const {
    auto const r = range_of(task_.in, static_cast<stl::uint64_t>(task_.n));
    visit_ends(item, [&](std::uint64_t, std::int64_t index) { visit(entry_of(index)); });
    auto const [begin, last, stride] = plan_.share.steps_of(item);
    std::int64_t const vectors = static_cast<std::int64_t>(r.vectors), end = last < vectors ? last : vectors;
    for (std::int64_t first = begin; first < end; first += stride) {
      std::int64_t const step = end - first < plan_.share.step ? end - first : plan_.share.step;
      for (std::int64_t v = rank_; v < step; v += threads) {
        std::int64_t const index = r.front + (first + v) * V;
        auto const x = from_words<vector<T>>(r.load_vector(task_.in + index));
        TESSERA_UNROLL
        for (unsigned k = 0; k < V; ++k)
          visit(Entry::of(keys::of(task_.key(x[k]), flip()), static_cast<std::uint64_t>(index + k)));
      }
    }
  }
  TESSERA_FN void copy_elements(unsigned item) {
    visit_entries(item, [&](Entry const& e) { memory_.first_list[e.index()] = e; });
  }

  /// Whether the wanted rank is in the list. If it isn't, or the list had no room, digits of the array are counted.
  /// Called by one thread.
  TESSERA_FN void check_window() {
    select_state<Entry>& state = *memory_.state;
    phase_t& next = storage_.next;
    next.before = take(state.before);
    next.listed = take(state.appended);
    next.list = 0;
    bool const is_first = plan_.first == select_work::filter && phase().begin == 0;
    if (is_first) next.window = storage_.coarse;
    std::uint64_t const least = ~take(state.greatest_left);
    bool const found = next.before <= plan_.target && plan_.target < next.before + next.listed;
    if (!found || next.listed > plan_.capacity) {
      next.work = select_work::count_array;
      next.window = {Entry::least(), Entry::greatest()};
      next.bits = Entry::bits;
      next.before = 0;
    } else if (is_worth_narrowing(next)) {
      next.work = select_work::narrow;
    } else if (next.listed <= plan_.most_kept) {
      finish();
    } else {
      Entry const lower = Entry::of(static_cast<key_t>(least), 0);
      next.work = select_work::count_list;
      if (next.window.lower < lower) next.window.lower = lower;
      next.bits = differing_bits(next.window.lower, next.window.upper);
    }
  }

  // ---- The block that ends `filter`.

  TESSERA_FN unsigned wanted_of(phase_t const& next) const {
    return static_cast<unsigned>(plan_.target - next.before) + 1;
  }
  /// Whether a block's storage has room for the list, and few of it are wanted.
  TESSERA_FN bool is_worth_narrowing(phase_t const& next) const {
    if (!plan_.ranked || next.listed > room) return false;
    return plan_.single || next.listed <= Shape::most_ranked_at_once ||
           next.listed > 2 * std::uint64_t{wanted_of(next)};
  }
  /// Leaves the entries that are wanted, and few others: in the second list, or if they are few, it ranks them. Returns whether there
  /// is another phase.
  TESSERA_FN bool narrow_list() {
    phase_t& next = storage_.next;
    auto const listed = static_cast<unsigned>(next.listed);
    auto list = list_of(memory_.second_list, plan_.most_kept);
    stage(listed, [&](unsigned i) { return memory_.first_list[i]; });
    list.begin();
    if (rank_ == 0) storage_.staged = listed;
    if (listed > Shape::most_ranked_at_once) find_wanted(next.window, wanted_of(next), listed);
    unsigned const below = list.keep(next.window);
    std::uint64_t const before = next.before + (plan_.single ? tessera::reduce(tile(), below) : 0);
    block_.sync();
    unsigned const left = storage_.staged;
    if (left <= Shape::most_ranked_at_once) {
      if (rank_ == threads - 1) {  // Its warp ranks last, if at all.
        end_phases(&memory_.state->queue);
        storage_.has_left = 1;
        leave(plan_.blocks);
      }
      rank_alone(left, before);
      return false;
    }
    list.end();
    block_.sync();
    if (rank_ == 0) {
      next.list = 1;
      next.listed = take(memory_.state->appended);
      next.before = before;
      finish();
    }
    return true;
  }
  /// Bounds of the entries up to the wanted one, or around it, among those that wait. All of them are in the window.
  TESSERA_FN void find_wanted(window_t& window, unsigned wanted, unsigned listed) {
    auto const each_own = [&](auto visit) {
      for (unsigned i = first_sample(); i < listed; i += threads) visit(staged()[i]);
    };
    sample_ranks const ranks{plan_.single ? wanted : 0, wanted, detail::wanted_slack(wanted)};
    common_bits<Entry> known{Entry::least(), Entry::bits};
    if (plan_.single || !sample_groups::serve<Entry>(wanted)) {
      auto least = static_cast<key_t>(~key_t{0});
      each_own([&](Entry const& e) { least = e.rank_key() < least ? e.rank_key() : least; });
      Entry const first = Entry::of(tessera::reduce(tile(), least, minimum{}), 0);
      unsigned const bits = differing_bits(first, window.upper);
      known = {first.cleared(bits), bits};
    }
    narrow_window(window, ranks, listed, known, each_own);
  }

  // ---- Digits.

  TESSERA_FN void clear_counts() {
    for (unsigned i = rank_; i < Shape::digits; i += threads) storage_.shared.counts[i] = 0;
    block_.sync();
  }
  /// Where the digit that is counted begins, and how many bits it has.
  TESSERA_FN unsigned digit_end() const {
    return skip_empty_bits<Entry>(phase().bits, plan_.index_bits);
  }
  TESSERA_FN unsigned digit_width() const {
    unsigned const bits = digit_end();
    return bits < Shape::digit_bits ? bits : Shape::digit_bits;
  }
  TESSERA_FN void count(Entry const& e) {
    unsigned const width = digit_width(), from = digit_end() - width;
    if (e.agrees(phase().window.upper, phase().bits))
      tessera::atomic_update(&storage_.shared.counts[e.digit(from, width)], 1u);
  }
  TESSERA_FN void add_counts() {
    block_.sync();
    for (unsigned i = rank_; i < Shape::digits; i += threads) {
      unsigned const counted = storage_.shared.counts[i];
      if (counted != 0) tessera::atomic_update(&memory_.counts[i], std::uint64_t{counted});
    }
  }
  TESSERA_FN void count_elements(unsigned item) {
    clear_counts();
    visit_entries(item, [&](Entry const& e) { count(e); });
    add_counts();
  }
  TESSERA_FN void count_listed(unsigned item) {
    clear_counts();
    visit_listed(item, [&](Entry const& e) { count(e); });
    add_counts();
  }

  /// Narrows the window to the digit that the wanted rank has, and if all ranks up to it are wanted, to those before it.
  TESSERA_FN void take_digit() {
    constexpr unsigned each = Shape::digits / threads > 0 ? Shape::digits / threads : 1;
    std::uint64_t own[each], sum = 0;
    TESSERA_UNROLL
    for (unsigned j = 0; j < each; ++j) {
      unsigned const i = rank_ * each + j;
      own[j] = i < Shape::digits ? memory_.counts[i] : 0;
      sum += own[j];
    }
    std::uint64_t before = phase().before + tessera::exclusive_scan(tile(), sum);
    TESSERA_UNROLL
    for (unsigned j = 0; j < each; ++j) {
      if (rank_ * each + j < Shape::digits) memory_.counts[rank_ * each + j] = 0;
    }
    TESSERA_UNROLL
    for (unsigned j = 0; j < each; ++j) {
      if (before <= plan_.target && plan_.target < before + own[j]) narrow(rank_ * each + j, before, own[j]);
      before += own[j];
    }
    block_.sync();
  }
  /// Called by the one thread that has the digit.
  TESSERA_FN void narrow(unsigned digit, std::uint64_t before, std::uint64_t inside) {
    phase_t& next = storage_.next;
    unsigned const from = digit_end() - digit_width();
    Entry const prefix = phase().window.upper.cleared(phase().bits).with_digit(from, digit);
    next.window.upper = prefix.filled(from);
    if (plan_.single) next.window.lower = prefix;
    next.before = before;
    next.bits = from;
    std::uint64_t const left = plan_.single ? inside : before + inside;
    if (phase().work == select_work::count_array) {
      if (left <= plan_.capacity) next.work = select_work::filter;
    } else {
      if (left <= plan_.most_kept) next.work = select_work::compact;
    }
  }

  TESSERA_FN void compact_listed(unsigned item) {
    auto list = list_of(memory_.second_list, plan_.most_kept);
    list.begin();
    visit_listed(item, [&](Entry const& e) {
      if (phase().window.has(e)) list.append(e);
    });
    list.end();
  }

  // ---- Ranks.

  /// The last phase: few entries are ranked, many are left to kernels that sort them. Called by one thread.
  TESSERA_FN void finish() {
    phase_t& next = storage_.next;
    next.work = plan_.ranked ? select_work::rank_list : select_work::none;
    *memory_.result = {next.listed, next.list};
  }

  TESSERA_FN void rank_elements(unsigned item) {
    auto const count = static_cast<unsigned>(task_.n);
    stage(count, [&](unsigned i) { return entry_of(i); });
    rank_staged(item, count, 0);
  }
  TESSERA_FN void rank_listed(unsigned item) {
    auto const count = static_cast<unsigned>(phase().listed);
    Entry const* const list = memory_.list(phase().list);
    stage(count, [&](unsigned i) { return list[i]; });
    rank_staged(item, count, plan_.single ? phase().before : 0);
  }
  /// Ranks an item of the entries in the block's storage, each by a few lanes, and stores those that are wanted.
  TESSERA_FN void rank_staged(unsigned item, unsigned count, std::uint64_t before) {
    block_.sync();
    rank_some<threads / Shape::entries_per_item>(item * Shape::entries_per_item, count, before);
  }
  /// Ranks all of few.
  TESSERA_FN void rank_alone(unsigned count, std::uint64_t before) {
    constexpr unsigned lanes = threads / Shape::entries_per_item > 4 ? 4 : 1;
    if (count <= threads / lanes) {
      rank_some<lanes>(0, count, before);
    } else {
      for (unsigned first = 0; first < count; first += threads) rank_some<1>(first, count, before);
    }
  }
  /// Ranks the entries from `first` on that the block has lanes for.
  template <unsigned Lanes>
  TESSERA_FN void rank_some(unsigned first, unsigned count, std::uint64_t before) {
    unsigned const which = first + rank_ / Lanes;
    Entry const own = staged()[which < count ? which : 0];
    unsigned lower = 0;
    for (unsigned i = rank_ % Lanes; i < count; i += Lanes) lower += staged()[i] < own ? 1u : 0u;
    std::uint64_t const rank = before + tessera::reduce(tessera::tiled_partition<Lanes>(block_), lower);
    if (rank_ % Lanes != 0 || which >= count) return;
    if (plan_.single ? rank == plan_.target : rank <= plan_.target)
      store(plan_.single ? 0 : rank, own.index());
  }
  TESSERA_FN void store(std::uint64_t place, std::uint64_t index) const {
    if (task_.values != nullptr) store_element(task_.values + place, task_.in[index]);
    if (task_.indices != nullptr) task_.indices[place] = static_cast<std::int64_t>(index);
  }

  Block const& block_;
  select_plan const& plan_;
  top_k_task<T, Key> const& task_;
  top_k_memory<Entry> const& memory_;
  top_k_storage<Shape, Entry>& storage_;
  unsigned rank_;
  unsigned ticket_ = phase_queue::no_more;  // the first thread's next one, if it has drawn that
};

/// Runs the agent until there is no more work.
///
/// Called by  all Shape::threads threads of each of `plan.blocks` blocks. A host test may let a block draw `most_items` only.
template <class Shape, class T, class Key, class Entry, class Block>
TESSERA_FN void run_top_k_agent(Block const& block, select_plan const& plan, top_k_task<T, Key> const& task,
                                top_k_memory<Entry> const& memory, top_k_storage<Shape, Entry>& storage,
                                unsigned most_items = ~0u) {
  top_k_agent<Shape, T, Key, Entry, Block> agent(block, plan, task, memory, storage);
  while (most_items > 0 && agent.run_next(plan.blocks)) --most_items;
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
