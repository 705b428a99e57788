// Selects from rows that the blocks of a cluster hold in registers, after one read, with few exchanges between blocks.
//
//   bound     Each warp takes a share of k in proportion to its share of the row, rounded up. It finds the least key up
//             to which it has so many vectors; a vector counts by its least key. The greatest of these keys over all
//             warps has k or more entries up to it.
//   list      Each block lists its entries up to the bound, and tells the others how many they are.
//   sort      It sorts them: a chunk by counting in each warp, then chunks by binary searches in each other.
//   merge     Each block stores its list into the memory of all others. An entry's rank is the sum of its places in
//             all lists. Results by column are the first k once more, sorted and merged by their columns.
//
//   k = 3     warp 0            warp 1                           least keys of vectors, and what is listed
//   vectors   7 3 | 9 1 | 4 8   2 6 | 5 5 | 0 9                  3 1 4 and 2 5 0: the second of each is 3 and 2
//   bound 3   3 1               2 0                              four entries here, often more
//
// If k is more than half of the row's vectors, all entries are listed. If more are up to the bound than a list has room
// for, as when many are equal, the agent selects nothing, and the row is read by digits instead (top_k_digit_rows.hpp).
//
// A Team has two blocks or more, the members of one in top_k_digit_rows.hpp, and these:
//
//   warp()                            this thread's
//   held()                            this block's top_k_held_storage
//   begin(), all_gather(x, number), value_of(block, number)      those of a Cluster of row_block.hpp, of 32-bit words
//   send(word, i)                     stores a word as word i of this block's list in the memory of all other blocks
//   wait_for_words(n, i)              returns once n words have come from the other blocks since the last call; i
//                                     counts the calls, from 0
//
// Source: bounds by least keys of parts are those of top_k_stream_rows.hpp.
#pragma once

#include <tessera/grid/parts/memory_ops.hpp>
#include <tessera/grid/rows/row_block.hpp>
#include <tessera/grid/rows/sorted_lists.hpp>
#include <tessera/grid/rows/top_k_row.hpp>
#include <tessera/lanes.hpp>
#include <tessera/operators.hpp>
#include <tessera/reduce.hpp>
#include <tessera/scan.hpp>
#include <tessera/vote.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class Shape>
struct top_k_held_storage {
  static constexpr unsigned warps = Shape::threads / 32;

  std::uint64_t listed[Shape::room];
  std::uint64_t list[most_cluster_blocks][Shape::room];  // the sorted list of each block
  std::uint32_t bound[warps];
  std::uint32_t count;
};

template <class Shape, class Bits, class Team>
class top_k_held_rows_agent {
  using task_t = top_k_rows_task<Bits>;
  using row_t = top_k_row<Bits>;
  using keys = rank_keys_of_bits<Bits>;
  using key = typename keys::key;
  static_assert(sizeof(key) == 4, "A key and a place are a word.");
  static constexpr unsigned threads = Shape::threads, warps = threads / 32, room = Shape::room,
                            width = row_vector_length<Bits>, items = Shape::items, vectors = items / width;
  static constexpr key all = ~key{0};  // a bound of all entries, and the key of an item that isn't one
  static_assert(room == 64 * warps && warps % 4 == 0,
                "A warp sorts a chunk of up to 64, and four are searched at once.");

 public:
  TESSERA_FN top_k_held_rows_agent(Team const& team, task_t const& task)
      : team_(team), task_(task), own_(team.held()), thread_(team.tile().thread_rank()) {}

  /// False if row `number` has too many entries up to the bound.
  TESSERA_FN bool run(std::int64_t number, bool by_column) const {
    row_t const row = detail::top_k_row_of(task_, number);
    int const shift = detail::shift_of(row.first), first = vector_of(0) * static_cast<int>(width) - shift,
              apart = static_cast<int>(all_threads() * width);
    key held[items];
    detail::visit_lane_items<vectors>(
        row, first, apart, [&](unsigned i, Bits x) { held[i] = raw(x); }, [&](unsigned i) { held[i] = all; });
    if (thread_ == 0) own_.count = 0;
    team_.begin();
    if (team_.rank() == 0) detail::store_no_top_k(task_, row, thread_, threads);
    if (row.k == 0) return true;
    unsigned const row_vectors = (static_cast<unsigned>(row.length + shift) + width - 1) / width;
    key const bound = bound_of(row, row_vectors, held);
    list(row, bound, first, apart, held);
    detail::barrier_of_block(team_.tile());
    unsigned const count = own_.count;
    team_.all_gather(count, 1);
    unsigned others = 0, most = count;
    for (unsigned b = 0; b < team_.blocks(); ++b) {
      unsigned const of_block = team_.value_of(b, 1);
      if (b != team_.rank()) others += of_block;
      most = of_block > most ? of_block : most;
    }
    if (most > room) return false;
    sort(count, [&](std::uint64_t listed) { return entry_of(listed); });
    team_.wait_for_words(others, 0);
    if (by_column) {
      store_by_column(row, count, most);
    } else {
      for_first(row, count, most, [&](unsigned, unsigned place, std::uint64_t e) {
        detail::store_top_k(task_, row, static_cast<int>(place), static_cast<std::uint32_t>(e));
      });
    }
    return true;
  }

 private:
  TESSERA_FN unsigned all_threads() const { return team_.blocks() * threads; }
  /// The number in the row of this thread's vector v. Each 32 vectors go to a warp of the next block, so that even a
  /// short row is spread over all blocks.
  TESSERA_FN int vector_of(unsigned v) const {
    return static_cast<int>(((v * warps + thread_ / 32) * team_.blocks() + team_.rank()) * 32 + thread_ % 32);
  }
  /// An element's raw key minus `begin`. It is the rank key, except for −0 and NaNs.
  TESSERA_FN key raw(Bits x) const { return keys::raw_from_begin(x, task_.order); }

  /// A key up to which the row has k entries. It isn't below the raw key of any element with this rank key.
  TESSERA_FN key bound_of(row_t const& row, unsigned row_vectors, key const (&held)[items]) const {
    auto const warp = team_.warp();
    if (2 * static_cast<unsigned>(row.k) > row_vectors) {
      detail::barrier_of_block(team_.tile());  // the count is 0
      return all;
    }
    // The least keys of a lane's vectors, in order.
    key least[vectors];
    TESSERA_UNROLL
    for (unsigned i = 0; i < items; ++i)
      least[i / width] = i % width == 0 ? held[i] : minimum{}(least[i / width], held[i]);
    TESSERA_UNROLL
    for (unsigned i = 0; i + 1 < vectors; ++i) {
      TESSERA_UNROLL
      for (unsigned v = 0; v + 1 < vectors - i; ++v) {
        key const a = least[v], b = least[v + 1];
        least[v] = minimum{}(a, b);
        least[v + 1] = maximum{}(a, b);
      }
    }
    unsigned of_warp = 0;  // vectors of the row
    TESSERA_UNROLL
    for (unsigned v = 0; v < vectors; ++v)
      of_warp += static_cast<unsigned>(
          detail::within(static_cast<int>(row_vectors) - (vector_of(v) - static_cast<int>(warp.thread_rank())), 32));
    unsigned const wanted = (static_cast<unsigned>(row.k) * of_warp + row_vectors - 1) / row_vectors;
    key bound = 0;
    TESSERA_LOOP
    for (unsigned taken = 0; taken < wanted;) {
      bound = tessera::reduce(warp, least[0], minimum{}, converged);
      bool const is_least = least[0] == bound;
      taken += tessera::ballot(warp, is_least, converged).count();
      TESSERA_UNROLL
      for (unsigned v = 0; v < vectors; ++v) {
        if (is_least) least[v] = v + 1 < vectors ? least[v + 1] : all;
      }
    }
    if (warp.thread_rank() == 0) own_.bound[thread_ / 32] = bound;
    detail::barrier_of_block(team_.tile());
    bound = detail::combine_values<32>(warp, maximum{}, warps, [&](unsigned w) { return own_.bound[w]; });
    team_.all_gather(bound, 0);
    bound = detail::combine_values<most_cluster_blocks>(warp, maximum{}, team_.blocks(),
                                                        [&](unsigned b) { return team_.value_of(b, 0); });
    return keys::from_begin(bound, task_.order);
  }

  /// Lists this block's entries up to a bound, in any order, and counts them.
  TESSERA_FN void list(row_t const& row, key bound, int first, int apart, key const (&held)[items]) const {
    static_assert(items <= 32, "A word has a bit for each.");
    auto const warp = team_.warp();
    auto const element_of = [&](unsigned i) {
      return first + static_cast<int>(i / width) * apart + static_cast<int>(i % width);
    };
    std::uint32_t are_listed = 0;
    TESSERA_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      if (held[i] <= bound) are_listed |= 1u << i;
    }
    if (bound == all) {
      TESSERA_UNROLL
      for (unsigned i = 0; i < items; ++i) {
        if (!detail::has_element(row, element_of(i))) are_listed &= ~(1u << i);
      }
    }
    auto const [place, total] =
        tessera::exclusive_scan(warp, tessera::detail::bits_set(are_listed), plus{}, tessera::with_total);
    if (total == 0) return;
    unsigned before = 0;
    if (warp.thread_rank() == 0) before = detail::fetch_add(&own_.count, total);
    unsigned at = tessera::shuffle(warp, before, 0, converged) + place;
    TESSERA_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      if ((are_listed >> i & 1u) == 0) continue;
      if (at < room) own_.listed[at] = std::uint64_t{held[i]} << 32 | static_cast<std::uint32_t>(element_of(i));
      ++at;
    }
  }
  /// The entry of a raw key and an element, which have been listed.
  TESSERA_FN std::uint64_t entry_of(std::uint64_t listed) const {
    return std::uint64_t{keys::from_begin(static_cast<key>(listed >> 32), task_.order)} << 32 |
           (static_cast<std::uint32_t>(listed) ^ task_.mirrored);
  }

  /// Sorts what this block has listed, by words, into its list, and sends them to the others. Few words are in short
  /// chunks, so that more warps sort some.
  template <class WordOf>
  TESSERA_FN void sort(unsigned count, WordOf const& word_of) const {
    if (count <= room / 2) {
      sort_by_chunks<32>(count, word_of);
    } else {
      sort_by_chunks<64>(count, word_of);
    }
    detail::barrier_of_block(team_.tile());
  }
  template <unsigned Chunk, class WordOf>
  TESSERA_FN void sort_by_chunks(unsigned count, WordOf const& word_of) const {
    constexpr unsigned each = Chunk / 32;
    auto const warp = team_.warp();
    unsigned const begin = thread_ / 32 * Chunk, lane = warp.thread_rank();
    std::uint64_t* const of_warp = own_.listed + begin;
    std::uint64_t own[each];
    TESSERA_UNROLL
    for (unsigned i = 0; i < each; ++i) {  // what isn't listed is after all that is
      unsigned const at = lane + 32 * i;
      own[i] = begin + at < count ? word_of(of_warp[at]) : ~std::uint64_t{0};
      of_warp[at] = own[i];
    }
    if (begin < count) detail::sort_words_of_warp(warp, own, of_warp, count - begin);
    detail::barrier_of_block(team_.tile());
    std::uint64_t* const list = own_.list[team_.rank()];
    TESSERA_LOOP
    for (unsigned i = thread_; i < count; i += threads) {
      std::uint64_t const e = own_.listed[i];
      unsigned place = 0;
      TESSERA_LOOP
      for (unsigned c = 0; c < count; c += 4 * Chunk) detail::add_words_before<Chunk, 4>(e, own_.listed + c, place);
      list[place] = e;
      team_.send(e, place);
    }
  }

  /// Calls use(i, place, word) for each word i of this block's list whose place in all blocks' lists is among the first
  /// k. They are the first ones of the list. List b has value_of(b, number) words, no list more than `most`.
  template <class Use>
  TESSERA_FN void for_first(row_t const& row, unsigned count, unsigned most, Use const& use,
                            unsigned number = 1) const {
    unsigned sizes[most_cluster_blocks];
    TESSERA_UNROLL
    for (unsigned b = 0; b < most_cluster_blocks; ++b) sizes[b] = b < team_.blocks() ? team_.value_of(b, number) : 0;
    unsigned const step = 1u << tessera::detail::highest_bit(most), rank = team_.rank();
    TESSERA_LOOP
    for (unsigned i = thread_; i < count && i < static_cast<unsigned>(row.k); i += threads) {
      std::uint64_t const word = own_.list[rank][i];
      unsigned place = 0;
      detail::add_words_before<room, most_cluster_blocks>(
          word, own_.list[0], step, [&](unsigned b) { return sizes[b]; }, place);
      if (place < static_cast<unsigned>(row.k)) use(i, place, word);
    }
  }

  /// Stores the first k by column: lists their elements, and sorts and merges these as the entries before.
  TESSERA_FN void store_by_column(row_t const& row, unsigned count, unsigned most) const {
    if (thread_ == 0) own_.count = 0;
    detail::barrier_of_block(team_.tile());
    for_first(row, count, most, [&](unsigned i, unsigned, std::uint64_t e) {
      own_.listed[i] = static_cast<std::uint32_t>(e) ^ task_.mirrored;
      detail::fetch_add(&own_.count, 1);
    });
    detail::barrier_of_block(team_.tile());
    unsigned const own = own_.count;
    team_.all_gather(own, 2);  // and no block reads the lists of entries any more
    sort(own, [](std::uint64_t element) { return element; });
    team_.wait_for_words(static_cast<unsigned>(row.k) - own, 1);
    for_first(
        row, own, most,
        [&](unsigned, unsigned place, std::uint64_t element) {
          detail::store_element(task_, row, static_cast<int>(place), static_cast<int>(element));
        },
        2);
  }

  Team const& team_;
  task_t const& task_;
  top_k_held_storage<Shape>& own_;
  unsigned thread_;
};

/// Selects from a row of a team, whose threads hold it. Returns false to all threads if more entries are up to the
/// bound than a list holds. Then it has stored only the filler for results that the row doesn't have.
///
/// Called by  all threads of the team.
/// Cost       one read of the row; two exchanges of the cluster, and one of the lists, which have two to three times k
///            words in all, more if k is less than some hundreds. By column, once more an exchange, and one of k words.
template <class Shape, class Bits, class Team>
TESSERA_FN bool select_from_held_row(Team const& team, top_k_rows_task<Bits> const& task, std::int64_t row,
                                     bool by_column = false) {
  return top_k_held_rows_agent<Shape, Bits, Team>(team, task).run(row, by_column);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
