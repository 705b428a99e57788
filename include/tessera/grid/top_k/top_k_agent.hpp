// The agent of the selections from an array that aren't made in buckets (bucket_agent.hpp): of single ranks, entries of two words and
// more results; and of those whose samples misled there.
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
// Few entries are ranked by the block that ends `filter`, while all others leave.
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
#include <tessera/grid/parts/phase_queue.hpp>
#include <tessera/grid/reduce/even_share.hpp>
#include <tessera/grid/top_k/array_filter.hpp>
#include <tessera/grid/top_k/sample_bound.hpp>
#include <tessera/grid/top_k/top_k_entry.hpp>
#include <tessera/grid/top_k/top_k_list.hpp>
#include <tessera/grid/top_k/top_k_state.hpp>
#include <tessera/grid/top_k/top_k_tuning.hpp>
#include <tessera/reduce.hpp>
#include <tessera/scan.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class Shape, class T, class Key, class Entry, class Block>
class top_k_agent {
  static constexpr unsigned threads = Shape::threads;
  static constexpr unsigned room = Shape::template capacity<Entry>;
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
        rank_(block.thread_rank()),
        array_(task, plan.share, rank_) {
    if (rank_ == 0) {
      storage_.has_left = 0;
      // It comes while the window is found.
      if (TESSERA_ARCH != 0) ticket_ = detail::take_ticket(&memory_.state->queue);
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
      storage_.answer = detail::ends_phase(&memory_.state->queue, storage_.done, phase().items);
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
    if (ticket_ == phase_queue::no_more) ticket_ = detail::take_ticket(queue);
    bool const is_first = ticket_ < plan_.first_items;
    bool const has_item = is_first || detail::wait_for_phase(queue, plan_.first_items, ticket_);
    phase_t& drawn = storage_.phase;
    if (!has_item) {
      drawn.work = select_work::none;
    } else if (is_first) {
      drawn = whole_array(plan_.first, plan_.first_items);
    } else {
      drawn = memory_.state->phase;
    }
    storage_.item = ticket_ - drawn.begin;
    storage_.done = 1;
    ticket_ = TESSERA_ARCH != 0 && has_item ? detail::take_ticket(queue) : phase_queue::no_more;
  }
  /// The first phase: of all elements.
  TESSERA_FN phase_t whole_array(select_work work, unsigned items) const {
    return {work,  0,
            items, Entry::bits,
            0,     {Entry::least(), Entry::greatest()},
            0,     static_cast<std::uint64_t>(task_.n)};
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
      if (TESSERA_ARCH == 0 && has_room && queue->tickets < end) ticket_ = detail::take_ticket(queue);
      storage_.answer = ticket_ < end && has_room ? 1 : 0;
      if (storage_.answer != 0) {
        storage_.item = ticket_ - phase().begin;
        ++storage_.done;
        ticket_ = TESSERA_ARCH != 0 ? detail::take_ticket(queue) : phase_queue::no_more;
      }
    }
    block_.sync();
    return storage_.answer != 0;
  }

  TESSERA_FN void leave(unsigned blocks) {
    if (!detail::leaves_last(&memory_.state->queue, blocks)) return;
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
      detail::end_phases(&memory_.state->queue);
      return;
    }
    next.begin = phase().begin + phase().items;
    next.items = items_of(next);
    memory_.state->phase = next;
    detail::begin_phase(&memory_.state->queue, next.begin + next.items);
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
      Entry const bound = detail::find_bound<threads>(
          block_, storage_.samples, {rank, samples, ranks.slack, upper}, known, plan_.index_bits, each);
      if (rank_ == 0) (upper ? window.upper : window.lower) = bound;
    }
  }

  /// The coarse window, which every block finds by itself.
  TESSERA_FN void find_coarse_window() {
    constexpr unsigned samples = Shape::coarse_samples, each = Shape::samples_per_lane;
    unsigned log2 = 0;
    while (1u << log2 < samples) ++log2;
    Entry own[each];
    TESSERA_UNROLL
    for (unsigned j = 0; j < each; ++j)
      own[j] = array_.entry_of(detail::sample_position(task_.n, rank_ + j * threads, log2, coarse_salt));
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
      own[j] = array_.entry_of(
          detail::sample_position(task_.n, number(j) < end ? number(j) : 0, plan_.fine_log2, fine_salt));
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
        for (unsigned i = rank_; i < samples; i += threads) visit(staged()[i]);
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
    bool const is_first = plan_.first == select_work::filter && phase().begin == 0;
    unsigned before = 0;
    do {
      // Not in registers: it is seldom needed.
      window_t const& window = is_first ? storage_.coarse : storage_.phase.window;
      before += array_.filter(
          storage_.item, window, [&](Entry const& e) { list.append(e); },
          [&] {
            if (plan_.appends_often) list.make_room();
          });
    } while (take_next_item());
    add_before(before);
    list.end();
  }
  TESSERA_FN void copy_elements(unsigned item) {
    array_.visit_entries(item, [&](Entry const& e) { memory_.first_list[e.index()] = e; });
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
      next.bits = detail::differing_bits(next.window.lower, next.window.upper);
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
        detail::end_phases(&memory_.state->queue);
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
      for (unsigned i = rank_; i < listed; i += threads) visit(staged()[i]);
    };
    auto least = static_cast<key_t>(~key_t{0});
    each_own([&](Entry const& e) { least = e.rank_key() < least ? e.rank_key() : least; });
    Entry const first = Entry::of(tessera::reduce(tile(), least, minimum{}), 0);
    unsigned const bits = detail::differing_bits(first, window.upper);
    narrow_window(window, {plan_.single ? wanted : 0, wanted, detail::wanted_slack(wanted)}, listed,
                  {first.cleared(bits), bits}, each_own);
  }

  // ---- Digits.

  TESSERA_FN void clear_counts() {
    for (unsigned i = rank_; i < Shape::digits; i += threads) storage_.shared.counts[i] = 0;
    block_.sync();
  }
  /// Where the digit that is counted begins, and how many bits it has.
  TESSERA_FN unsigned digit_end() const {
    return detail::skip_empty_bits<Entry>(phase().bits, plan_.index_bits);
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
    array_.visit_entries(item, [&](Entry const& e) { count(e); });
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
    stage(count, [&](unsigned i) { return array_.entry_of(i); });
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
    if (task_.values != nullptr) detail::store_element(task_.values + place, task_.in[index]);
    if (task_.indices != nullptr) task_.indices[place] = static_cast<std::int64_t>(index);
  }

  Block const& block_;
  select_plan const& plan_;
  top_k_task<T, Key> const& task_;
  top_k_memory<Entry> const& memory_;
  top_k_storage<Shape, Entry>& storage_;
  unsigned rank_;
  array_filter<Shape, T, Key, Entry> array_;
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
