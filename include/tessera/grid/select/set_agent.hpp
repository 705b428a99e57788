// The agent of set operations on sorted arrays: what a warp of the kernel of set_operations.cuh does with its part of
// each tile (tile_loop.hpp).
//
//   a             1 1 1 3 | 3 5         tiles of both arrays together end at balanced places: of a run of equal
//   b             1 1 2 3 | 3 3 4       elements, both parts have equally many of a and of b, as far as there are
//                                       (here tile 0 has 4 of both, and not 4 and 3)
//   union         1 1 1 2 3 | 3 3 4 5   so each part's result is that of the whole
//
//   ends       The warp that looks back searches for a tile's ends, two tiles ahead; or a kernel before has found them.
//   load       The tile's elements of a, followed by those of b, into shared memory.
//   scan       Each lane searches for its own part of the tile, which ends where the next lane's begins; the last lane
//              has none. It combines its part in registers. A scan of the warp counts the results, which go into the
//              warp's own part of shared memory.
//   store      The warp stores them after those of the warps before it. Values are found by the places of their keys.
//
// Source: S. Baxter, "Modern GPU", 2013: balanced path.
#pragma once

#include <tessera/core/exchangeable.hpp>
#include <tessera/grid/parts/look_back.hpp>
#include <tessera/grid/parts/tile_loop.hpp>
#include <tessera/grid/select/compaction.hpp>
#include <tessera/grid/select/set_tuning.hpp>
#include <tessera/grid/sort/sorted_pair.hpp>
#include <tessera/search.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

enum class set_operation { set_union, intersection, difference, symmetric_difference };

/// Values of type V that belong to the keys. Results of an intersection or a difference are all of a.
template <class V, class A = V const*, class B = V const*, class Out = V*>
struct set_values {
  A a;
  B b;
  Out out;
};
template <class A, class B, class Out>
struct set_values<void, A, B, Out> {};

/// out[0], out[1] …: the results, which are counted. `ends`: of each tile, where it begins in a and whether it has
/// one element more of b, and of one after the last; null if blocks find them.
template <set_operation Operation, class T, class V, class Before, class A = T const*, class B = T const*,
          class Out = T*, class Values = set_values<V>>
struct set_task {
  using element = T;
  using value = V;
  static constexpr set_operation operation = Operation;

  sorted_pair<T, Before, A, B> in;
  Out out;
  std::int64_t* count;
  Values values;
  std::int64_t* ends;

  TESSERA_FN void set_numbers(std::int64_t of_a, std::int64_t of_b) {
    in.na = of_a;
    in.nb = of_b;
  }
};

/// How many elements of both arrays come before a place.
template <class Integer>
struct set_cut {
  Integer a, b;
};

/// How many of n > 0 sorted elements come before x, which equals the last one. The search goes back from there, in
/// steps that grow from First by a factor: seldom are many elements equal. lower(first, n, x) finishes it.
template <unsigned First, unsigned Factor, class It, class Integer, class T, class Before, class Lower>
TESSERA_FN Integer lower_from_end(It const& first, Integer n, T const& x, Before const& before, Lower lower) {
  Integer step = First, equal = 0;  // the element `equal` places before the last one doesn't come before x
  TESSERA_LOOP
  while (step < n && !tessera::detail::is_before(before, tessera::detail::read_element(first, n - 1 - step), x)) {
    equal = step;
    step *= Factor;
  }
  Integer const begin = step < n ? n - step : 0;
  return begin + lower(tessera::detail::advanced(first, begin), static_cast<Integer>(n - 1 - equal - begin), x);
}

/// The balanced place at or after a place of the merge path. lower(first, n, x), upper(first, n, x): how many of n
/// sorted elements come before x, and don't come after it.
///
/// `total` elements equal to b's next one come before the place. Half of them are to be of b, or more if a has too few
/// partners, as far as b has them. If one of a lacks its partner then, that partner comes before the place, too.
template <class A, class B, class Integer, class Before, class Lower, class Upper>
TESSERA_FN set_cut<Integer> balanced(A const& a, B const& b, Integer nb, set_cut<Integer> const& at,
                                     Before const& before, Lower lower, Upper upper) {
  if (at.b >= nb) return at;
  auto const x = tessera::detail::read_element(b, at.b);
  bool const has_a = at.a > 0 && !tessera::detail::is_before(before, tessera::detail::read_element(a, at.a - 1), x);
  bool const has_b = at.b > 0 && !tessera::detail::is_before(before, tessera::detail::read_element(b, at.b - 1), x);
  if (!has_a && !has_b) return at;
  Integer const of_a = has_a ? static_cast<Integer>(at.a - lower(a, at.a, x)) : Integer{0};
  Integer const of_b = has_b ? static_cast<Integer>(at.b - lower(b, at.b, x)) : Integer{0};
  Integer const total = of_a + of_b, begin_b = at.b - of_b;
  Integer const wanted = total / 2 > of_b ? total / 2 : of_b;
  Integer const most = nb - begin_b < wanted + 1 ? nb - begin_b : static_cast<Integer>(wanted + 1);
  // In a run of both arrays all that may be wanted exist: the last one of them tells.
  Integer const rest = most - of_b;
  bool const exist = !tessera::detail::is_before(before, x, tessera::detail::read_element(b, at.b + rest - 1));
  Integer const existing =
      exist ? most : static_cast<Integer>(of_b + upper(tessera::detail::advanced(b, at.b), rest, x));
  Integer const taken_b = wanted < existing ? wanted : existing, taken_a = total - taken_b;
  bool const lacks_partner = taken_a == taken_b + 1 && taken_b < existing;
  return {static_cast<Integer>(at.a - of_a + taken_a),
          static_cast<Integer>(begin_b + taken_b + (lacks_partner ? 1 : 0))};
}

/// The tiles of a task, of so many elements each.
template <class Pair>
struct set_tiles {
  Pair const& in;
  unsigned elements;

  TESSERA_FN std::int64_t diagonal(std::int64_t tile) const {
    std::int64_t const all = in.na + in.nb;
    return tile * elements < all ? tile * elements : all;
  }
  /// Where a tile begins, as one number. Called by a whole tile of lanes; every lane gets it.
  template <class Tile>
  TESSERA_FN std::int64_t find_begin(Tile const& lanes, std::int64_t tile) const {
    return balanced_begin(lanes, tile, detail::find_on_diagonal<0>(lanes, in, diagonal(tile)));
  }
  /// Likewise, if so many elements of a come before the tile on the merge path.
  template <class Tile>
  TESSERA_FN std::int64_t balanced_begin(Tile const& lanes, std::int64_t tile, std::int64_t of_a) const {
    std::int64_t const before_it = diagonal(tile);
    auto const lower = [&](auto const& first, std::int64_t n, auto const& x) {
      return detail::lower_from_end<set_tuning::first_step_of_end, set_tuning::factor_of_end>(
          first, n, x, in.before, [&](auto const& from, std::int64_t count, auto const& value) {
            return tessera::lower_bound(lanes, from, count, value, in.before, tessera::isolated);
          });
    };
    auto const upper = [&](auto const& first, std::int64_t n, auto const& x) {
      return tessera::upper_bound(lanes, first, n, x, in.before, tessera::isolated);
    };
    auto const cut =
        detail::balanced(in.a, in.b, in.nb, set_cut<std::int64_t>{of_a, before_it - of_a}, in.before, lower, upper);
    return cut.a << 1 | (cut.a + cut.b - before_it);
  }
  TESSERA_FN set_cut<std::int64_t> cut(std::int64_t tile, std::int64_t found) const {
    std::int64_t const of_a = found >> 1;
    return {of_a, diagonal(tile) + (found & 1) - of_a};
  }
};

/// Finds where each of `count` tiles begins, and one after the last, and keeps it. Called by the blocks of a grid that
/// has Lanes threads for each, before the kernel that combines. `found` is shared.
template <unsigned Lanes, class Block, class Task>
TESSERA_FN void find_set_ends(Block const& block, Task const& task, unsigned tile_elements, std::int64_t count,
                              std::int64_t (&found)[2]) {
  set_tiles<decltype(task.in)> const tiles{task.in, tile_elements};
  detail::find_on_diagonals<0, Lanes>(
      block, task.in, count + 1, [&](std::int64_t tile) { return tiles.diagonal(tile); },
      [&](auto const& lanes, std::int64_t tile, std::int64_t of_a) {
        std::int64_t const begin = tiles.balanced_begin(lanes, tile, of_a);
        if (lanes.thread_rank() == 0) task.ends[tile] = begin;
      },
      found);
}

/// The results of a warp in shared memory, which lanes put there one after the other and store side by side.
template <class T, unsigned Count>
class results_of_warp {
  using unit = tessera::detail::unit_of<alignof(T)>;
  static constexpr unsigned units = sizeof(T) / sizeof(unit);
  struct units_of_one {
    unit of[units];
  };

 public:
  TESSERA_FN void put(unsigned rank, T const& x) {
    auto const stored = tessera::detail::from_bits<units_of_one>(x);
    TESSERA_UNROLL
    for (unsigned i = 0; i < units; ++i) unit_[rank * units + i] = stored.of[i];
  }
  /// Stores `count` results. Called by the whole warp.
  template <class Out>
  TESSERA_FN void store(Out const& out, unsigned count, unsigned lane) const {
    if constexpr (stl::is_pointer_v<Out>) {
      detail::store_by_lines(reinterpret_cast<unit*>(out), count * units, lane, [&](unsigned i) { return unit_[i]; });
    } else {
      TESSERA_LOOP
      for (unsigned i = lane; i < count; i += 32) tessera::detail::write_element(out, i, get(i));
    }
  }

 private:
  TESSERA_FN T get(unsigned rank) const {
    units_of_one stored;
    TESSERA_UNROLL
    for (unsigned i = 0; i < units; ++i) stored.of[i] = unit_[rank * units + i];
    return tessera::detail::from_bits<T>(stored);
  }

  unit unit_[Count * units];
};

/// The block's shared memory.
template <class Task, class Shape, unsigned MostWarps = Shape::warps>
struct set_storage {
  using T = typename Task::element;
  static constexpr bool has_values = !stl::is_void_v<typename Task::value>;
  static constexpr unsigned most_warps = MostWarps;
  struct of_warp_t {
    results_of_warp<T, Shape::warp_elements> keys[2];
    std::uint16_t places[2][has_values ? Shape::warp_elements : 1];
    set_cut<std::int64_t> origin[2];  // of its tile's windows
    unsigned of_a[2], count[2];       // how many elements the window of a has; the warp's results
  };
  static constexpr unsigned window_bytes = (MostWarps * Shape::warp_elements + 1) * sizeof(T);

  set_cut<std::int64_t> ends[2][2];  // where a tile begins and ends
  tile_loop_storage<std::uint64_t, MostWarps> loop;
  alignas(16) alignas(T) unsigned char windows[2][window_bytes];
  of_warp_t part[MostWarps];

  TESSERA_FN T* window(unsigned half) { return reinterpret_cast<T*>(windows[half]); }
};

template <class Shape, class Block, class Task, class Storage>
class set_agent {
  using T = typename Task::element;
  using warp_t = decltype(tessera::tiled_partition<32>(stl::declval<Block const&>()));
  using word_t = tessera::detail::words<T>;
  static constexpr unsigned items = Shape::items, threads = 32 * Storage::most_warps;  // those that scan
  static constexpr bool has_values = !stl::is_void_v<typename Task::value>;
  static_assert(Storage::most_warps * Shape::warp_elements <= 65536, "16 bits have a place.");

 public:
  TESSERA_FN set_agent(Block const& block, Task const& task, tile_cut cut, Storage& storage)
      : warp_(tessera::tiled_partition<32>(block)),
        thread_(block.thread_rank()),
        task_(task),
        cut_(cut),
        storage_(storage),
        tiles_{task.in, Shape::tile_elements(cut.warps)} {}

  // The phases of a tile: see tile_loop.hpp.

  TESSERA_FN void look_ahead(unsigned tile, unsigned half) const {
    unsigned const lane = warp_.thread_rank(), which = lane / 16;
    std::int64_t found = 0;
    if (task_.ends != nullptr) {
      found = task_.ends[tile + which];
    } else {
      found = tiles_.find_begin(tessera::tiled_partition<16>(warp_), std::int64_t{tile} + which);
    }
    if (lane % 16 == 0) storage_.ends[half][which] = tiles_.cut(std::int64_t{tile} + which, found);
    warp_.sync();
  }

  TESSERA_FN void load(unsigned tile) {
    if (tile >= cut_.tiles) return;
    unsigned const half = turn_;
    turn_ ^= 1;
    auto const begin = storage_.ends[half][0], end = storage_.ends[half][1];
    unsigned const most = Shape::tile_elements(cut_.warps) + 1;
    of_a_ = detail::elements_between(begin.a, end.a, task_.in.na, most);
    of_b_ = detail::elements_between(begin.b, end.b, task_.in.nb, most - of_a_);
    if constexpr (has_values) origin_ = begin;
    if (of_a_ + of_b_ > (items - 1) * threads) {
      load_windows<true>(half, begin);
    } else {
      load_windows<false>(half, begin);
    }
  }

  TESSERA_FN std::uint64_t scan(unsigned, unsigned half) {
    auto& part = storage_.part[warp_rank()];
    std::uint32_t kept = 0;
    word_t keys[items];
    unsigned places[has_values ? items : 1];
    combine(half, keys, places, kept);
    warp_.sync();  // All lanes have stored what was staged before.
    unsigned const own = tessera::detail::bits_set(kept);
    auto const through = tessera::inclusive_scan(warp_, own, plus{}, tessera::converged | tessera::with_total);
    unsigned rank = through.value - own;
    TESSERA_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      bool const is_kept = (kept >> i & 1) != 0;
      if (!is_kept) continue;
      part.keys[half].put(rank, tessera::detail::from_words<T>(keys[i]));
      if constexpr (has_values) part.places[half][rank] = static_cast<std::uint16_t>(places[i]);
      ++rank;
    }
    if (warp_.thread_rank() == 0) {
      part.count[half] = through.total;
      if constexpr (has_values) {
        part.of_a[half] = of_a_;
        part.origin[half] = origin_;
      }
    }
    return through.total;
  }

  TESSERA_FN void store(unsigned tile, unsigned half, optional_value<std::uint64_t> const& before_warp) const {
    auto const& part = storage_.part[warp_rank()];
    unsigned const lane = warp_.thread_rank(), count = part.count[half];
    auto const before = static_cast<std::int64_t>(before_warp.value());
    part.keys[half].store(tessera::detail::advanced(task_.out, before), count, lane);
    if constexpr (has_values) store_values(part, half, before);
    if (tile + 1 == cut_.tiles && warp_rank() + 1 == cut_.warps && lane == 0) *task_.count = before + count;
  }

  TESSERA_FN plus join() const { return {}; }

 private:
  TESSERA_FN unsigned warp_rank() const { return thread_ / 32; }

  /// Loads elements that are `threads` apart, and the last one twice: lanes look at what follows, too. Fills: of some
  /// threads, the last one may be missing, but no others are.
  template <bool Fills>
  TESSERA_FN void load_windows(unsigned half, set_cut<std::int64_t> const& begin) const {
    unsigned const count = of_a_ + of_b_;
    auto const load = reader_from(begin);
    int const before_b = static_cast<int>(thread_) - static_cast<int>(of_a_);
    T* const to = storage_.window(half) + thread_;
    word_t x[items];
    TESSERA_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      if ((!Fills || i + 1 == items) && thread_ + i * threads >= count) continue;
      x[i] = load(before_b < -static_cast<int>(i * threads), i * threads);
    }
    TESSERA_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      unsigned const place = thread_ + i * threads;
      bool const may_end = !Fills || i + 1 == items;
      if (may_end && place >= count) continue;
      T const loaded = tessera::detail::from_words<T>(x[i]);
      tessera::detail::store_element(to + i * threads, loaded);
      if (may_end && place + 1 == count) tessera::detail::store_element(to + i * threads + 1, loaded);
    }
  }

  /// A function of whether an element is of a, and of its distance from the thread's first one.
  TESSERA_FN auto reader_from(set_cut<std::int64_t> const& begin) const {
    if constexpr (stl::is_pointer_v<decltype(task_.in.a)> && stl::is_pointer_v<decltype(task_.in.b)>) {
      T const* const a = task_.in.a + begin.a + thread_;
      T const* const b = of_b_ > 0 ? task_.in.b + begin.b + thread_ - of_a_ : a;  // b may be null
      return [a, b](bool is_of_a, unsigned i) {
        T const loaded = (is_of_a ? a : b)[i];
        return tessera::detail::to_words(loaded);
      };
    } else {
      auto const in_a = begin.a + thread_, in_b = begin.b + thread_ - of_a_;
      return [this, in_a, in_b](bool is_of_a, unsigned i) {
        T const loaded = is_of_a ? tessera::detail::read_element(task_.in.a, in_a + i)
                                 : tessera::detail::read_element(task_.in.b, in_b + i);
        return tessera::detail::to_words(loaded);
      };
    }
  }

  /// The place of the lane's first element: those of the lanes before it are as many, but for one.
  TESSERA_FN set_cut<unsigned> find_part(T const* windows) const {
    unsigned const all = of_a_ + of_b_;
    unsigned const own = (warp_rank() * 31 + warp_.thread_rank()) * items, diagonal = own < all ? own : all;
    if (diagonal == all) return {of_a_, of_b_};
    unsigned const of_a = detail::find_in_windows(windows, of_a_, of_b_, diagonal, task_.in.before);
    auto const lower = [&](T const* first, unsigned n, T const& x) {
      return detail::lower_from_end<1, 2>(first, n, x, task_.in.before,
                                          [&](T const* from, unsigned count, T const& value) {
                                            return tessera::lower_bound(from, count, value, task_.in.before);
                                          });
    };
    auto const upper = [&](T const* first, unsigned n, T const& x) {
      return tessera::upper_bound(first, n, x, task_.in.before);
    };
    return detail::balanced(windows, windows + of_a_, of_b_, set_cut<unsigned>{of_a, diagonal - of_a}, task_.in.before,
                            lower, upper);
  }

  /// Combines the lane's part. In each step the lesser of both next elements is taken, or two equal ones. Bit i of
  /// `kept` tells whether step i has a result. What is compared where a part has ended isn't used.
  TESSERA_FN void combine(unsigned half, word_t (&keys)[items], unsigned (&places)[has_values ? items : 1],
                          std::uint32_t& kept) const {
    T const* const windows = storage_.window(half);
    unsigned const all = of_a_ + of_b_, lane = warp_.thread_rank();
    auto const begin = find_part(windows);
    unsigned const end_of_a = tessera::shift_down(warp_, begin.a, 1, tessera::converged);
    unsigned const end_of_b = tessera::shift_down(warp_, begin.b, 1, tessera::converged);
    if (all == 0 || lane == 31) return;
    auto const get = [](T const* place) {
      T const x = *place;
      return tessera::detail::to_words(x);
    };
    T const* a = windows + begin.a;
    T const* b = windows + (of_a_ + begin.b);
    T const* const end_a = windows + end_of_a;
    T const* const end_b = windows + (of_a_ + end_of_b);
    word_t next_a = get(a), next_b = get(b);
    TESSERA_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      bool const has_a = a < end_a, has_b = b < end_b;
      bool const takes_a = has_a & !(has_b & is_before(next_b, next_a));
      bool const takes_b = has_b & !(has_a & is_before(next_a, next_b));
      keys[i] = tessera::detail::select(takes_a, next_a, next_b);
      if constexpr (has_values) places[i] = static_cast<unsigned>((takes_a ? a : b) - windows);
      kept |= is_result(takes_a, takes_b) ? 1u << i : 0u;
      if (i + 1 == items) break;
      a += takes_a ? 1 : 0;
      b += takes_b ? 1 : 0;
      next_a = get(a);
      next_b = get(b);
    }
  }
  TESSERA_FN bool is_before(word_t const& x, word_t const& y) const {
    return tessera::detail::is_before(task_.in.before, tessera::detail::from_words<T>(x),
                                      tessera::detail::from_words<T>(y));
  }
  TESSERA_FN static bool is_result(bool takes_a, bool takes_b) {
    if constexpr (Task::operation == set_operation::set_union) {
      return takes_a | takes_b;
    } else if constexpr (Task::operation == set_operation::intersection) {
      return takes_a & takes_b;
    } else if constexpr (Task::operation == set_operation::difference) {
      return takes_a & !takes_b;
    } else {
      return takes_a != takes_b;
    }
  }

  template <class Part>
  TESSERA_FN void store_values(Part const& part, unsigned half, std::int64_t before) const {
    auto const origin = part.origin[half];
    unsigned const of_a = part.of_a[half];
    TESSERA_LOOP
    for (unsigned i = warp_.thread_rank(); i < part.count[half]; i += 32) {
      unsigned const place = part.places[half][i];
      using value = typename Task::value;
      value const x = place < of_a ? tessera::detail::read_element(task_.values.a, origin.a + place)
                                   : tessera::detail::read_element(task_.values.b, origin.b + (place - of_a));
      tessera::detail::store_at(task_.values.out, before + i, x);
    }
  }

  warp_t warp_;
  unsigned thread_;
  Task const& task_;
  tile_cut cut_;
  Storage& storage_;
  set_tiles<decltype(Task::in)> tiles_;

  unsigned turn_ = 0;               // the half of the next tile that is loaded
  unsigned of_a_ = 0, of_b_ = 0;    // how many elements the windows have
  set_cut<std::int64_t> origin_{};  // how many come before them
};

/// Combines two sorted arrays, and stores how many results there are.
///
/// Called by     all threads of a block of cut.warps + 1 warps, one of `blocks` blocks. memory.words may be null if
///               there is one tile.
/// given         the task; or a counted_pair_task, whose cut is that of the most elements
/// Cost          one read of each element, and one write of each result; for each tile a barrier and a look-back.
template <class Shape, class Block, class Given, class Storage>
TESSERA_FN void run_set_agent(Block const& block, Given const& given, look_back_memory const& memory, tile_cut cut,
                              unsigned blocks, Storage& storage) {
  auto const& task = detail::task_now(given);
  detail::cut_now<Shape, Given>(task.in.na + task.in.nb, cut);
  set_agent<Shape, Block, task_of<Given>, Storage> agent(block, task, cut, storage);
  detail::run_tiles(block, memory, cut, blocks, optional_value<std::uint64_t>::some(0), storage.loop, agent);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
