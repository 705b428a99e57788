// The agent that keeps some of an array's elements, in order: what a warp of the kernels of select.cuh and of unique
// does with its part of each tile (tile_loop.hpp).
//
//   warp 0            warp 1            warp 2            in      a B c D  e F g h  I J k l      capitals are kept
//   before 0          2                 3                 out     B D F I J
//
//   scan         Each lane marks its elements (marks.hpp); scans of the warp count them. Kept elements go into the
//                warp's own part of shared memory by their ranks in the warp.
//   store        The warp stores what it staged, line by line, after what the warps before it keep.
//
// The paired arrays say what else is stored: the others of a partition, or the values that belong to the keys.
//
// The floor for 2^28 floats by flags of a byte, half of which are kept: a read of 1.25 GiB and a write of 0.5 GiB,
// 420 µs at the speed of a copy on an H200. For each tile a barrier; for 24 elements a lane has 12 shuffles (one more
// for each row if heads of runs are kept), and a store to and a load from shared memory for each that is kept. Where
// all are kept, the stores meet in no bank. Stores to memory are of whole lines: a warp touches kept / 8 + 2 sectors.
// By rank from registers it would be up to four times as many, one for each item of a row.
//
// In place, no load may find what a tile has stored:
//   elements      A tile stores no element after its own end, and only after the counts of all tiles before it, and
//                 its own, are known. By then those tiles have their elements in registers: that is what `wait` is
//                 for. Tiles that are loaded meanwhile, the block's next one too, come later in the array.
//   shifted rows  A row at no multiple of 16 bytes is loaded with up to 15 bytes before and after it, which other
//                 tiles may store to. None of them get into its elements.
//   predecessors  The element before a tile's first may be overwritten, but by itself alone: elements move to another
//                 place only from after that, so from a tile that waits for this one. The elements before the first
//                 ones of other warps are the tile's.
//   copies        Beyond the array's end lanes have copies of the last element, and don't keep them.
#pragma once

#include <tessera/grid/parts/counted.hpp>
#include <tessera/grid/parts/look_back.hpp>
#include <tessera/grid/parts/tile_loop.hpp>
#include <tessera/grid/select/compaction.hpp>
#include <tessera/grid/select/marks.hpp>
#include <tessera/reduce.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Nothing but the kept elements is stored.
struct unpaired {};

/// The elements that aren't kept, in order. `out` may be null if others_are_optional: a kernel that stores them keeps
/// elements alone, too.
template <class T, class Out = T*>
struct paired_others {
  Out out;
  std::int64_t const* kept;  // null, or the others begin *kept elements after `out`; a single tile doesn't read it
};

/// True if one kernel serves selections and partitions. With elements of 8 bytes or more it would spill.
template <class T>
inline constexpr bool others_are_optional = sizeof(T) < 8;

/// The values of the kept elements, which are keys.
template <class V, class In = V const*, class Out = V*>
struct paired_values {
  In in;
  Out out;
};

/// A selection: the elements that are kept of in[0 … n − 1] become out[0], out[1] …, and are counted.
template <class T, class Mark, class Paired, class In = T const*, class Out = T*>
struct select_task {
  In in;
  std::int64_t n;
  Out out;
  std::int64_t* count;  // null if it isn't asked for
  Mark mark;
  Paired paired;
  bool in_place;  // whether an output is an input
};

template <class Paired>
inline constexpr bool is_paired_others = false;
template <class T, class Out>
inline constexpr bool is_paired_others<paired_others<T, Out>> = true;

template <class T, class Mark, class Paired>
struct select_traits {
  template <tile_kind Kind>
  using shape = tile_shape<Kind, typename marked_arrays<Mark, T>::type, array_types<T>>;
  static constexpr bool has_others = is_paired_others<Paired>;
  static constexpr bool has_values = false;
  using value_type = char;
};
template <class T, class Mark, class V, class In, class Out>
struct select_traits<T, Mark, paired_values<V, In, Out>> {
  template <tile_kind Kind>
  using shape = tile_shape<Kind, typename marked_arrays<Mark, T, V>::type, array_types<T, V>>;
  static constexpr bool has_others = false;
  static constexpr bool has_values = true;
  using value_type = V;
};

/// The block's shared memory. A block of fewer warps has no more than theirs of the last array.
template <class Task, class Shape, unsigned MostWarps = Shape::warps>
struct select_storage;
template <class T, class Mark, class Paired, class In, class Out, class Shape, unsigned MostWarps>
struct select_storage<select_task<T, Mark, Paired, In, Out>, Shape, MostWarps> {
  using traits = select_traits<T, Mark, Paired>;
  using values_t = shared_elements<Shape, typename traits::value_type>;
  static constexpr unsigned most_warps = MostWarps;
  struct of_warp_t {
    shared_elements<Shape, T> staged[2];
    stl::conditional_t<traits::has_values, values_t, nothing> values[2];
  };

  unsigned kept[2][MostWarps];  // how many elements each warp keeps
  unsigned unused;
  tile_loop_storage<std::uint64_t, MostWarps> loop;
  of_warp_t part[MostWarps];
};

template <class Shape, class Block, class Task, class Storage>
class select_agent;

template <class Shape, class Block, class T, class Mark, class Paired, class In, class Out, class Storage>
class select_agent<Shape, Block, select_task<T, Mark, Paired, In, Out>, Storage> {
  using task_t = select_task<T, Mark, Paired, In, Out>;
  using traits = select_traits<T, Mark, Paired>;
  using V = typename traits::value_type;
  using warp_t = decltype(tessera::tiled_partition<32>(stl::declval<Block const&>()));
  static constexpr unsigned K = Shape::K, row_count = Shape::row_count;

 public:
  TESSERA_FN select_agent(Block const& block, task_t const& task, tile_cut cut, Storage& storage)
      : warp_(tessera::tiled_partition<32>(block)),
        thread_(block.thread_rank()),
        task_(task),
        cut_(cut),
        storage_(storage) {}

  TESSERA_FN void store_count_of_none() const {
    if (thread_ == 0 && task_.count != nullptr) *task_.count = 0;
  }

  // The phases of a tile: see tile_loop.hpp.

  TESSERA_FN void load(unsigned tile) {
    if (tile >= cut_.tiles) return;
    std::int64_t const first = index_of(tile);
    loaded_.load(task_.in, task_.n, first);
    marks_.load(warp_, task_.mark, task_.in, task_.n, first);
    if constexpr (traits::has_values) values_.load(task_.paired.in, task_.n, first);
  }

  TESSERA_FN std::uint64_t scan(unsigned tile, unsigned half) {
    std::uint32_t const kept = marks_.bits(warp_, task_.mark, loaded_, task_.n, index_of(tile));
    if (task_.in_place) {
      loaded_.wait(storage_.unused);
      if constexpr (traits::has_values) values_.wait(storage_.unused);
    }
    warp_.sync();  // All lanes have waited, and have stored what was staged before.
    warp_ranks<K, row_count> const ranks(warp_, kept);
    auto& staged = detail::cleared_elements<Shape>(storage_.part[warp_rank()].staged[half], kept_[half]);
    [[maybe_unused]] auto& values =
        detail::cleared_elements<Shape>(storage_.part[warp_rank()].values[half], kept_values_[half]);
    auto const stage_kept = [&] {
      TESSERA_UNROLL
      for (unsigned r = 0; r < row_count; ++r) {
        std::uint32_t const of_row = kept >> (r * K);
        detail::stage_row<K>(staged, loaded_.row(r), of_row, ranks.before(r));
        if constexpr (traits::has_values) detail::stage_row<K>(values, values_.row(r), of_row, ranks.before(r));
      }
    };
    if constexpr (traits::has_others) {
      if (!stores_others()) {
        stage_kept();
      } else {
        TESSERA_UNROLL
        for (unsigned r = 0; r < row_count; ++r) stage_both(staged, r, kept >> (r * K), ranks);
      }
    } else {
      stage_kept();
    }
    if (warp_.thread_rank() == 0) storage_.kept[half][warp_rank()] = ranks.total();
    return ranks.total();
  }

  TESSERA_FN void store(unsigned tile, unsigned half, optional_value<std::uint64_t> const& before_warp) const {
    unsigned const lane = warp_.thread_rank(), kept = storage_.kept[half][warp_rank()];
    auto const before = static_cast<std::int64_t>(before_warp.value());
    auto const& staged = detail::choose_object<Shape::in_shared>(storage_.part[warp_rank()].staged[half], kept_[half]);
    staged.store(tessera::detail::advanced(task_.out, before), 0, kept, lane);
    if constexpr (traits::has_values)
      detail::choose_object<Shape::in_shared>(storage_.part[warp_rank()].values[half], kept_values_[half])
          .store(tessera::detail::advanced(task_.paired.out, before), 0, kept, lane);
    if constexpr (traits::has_others) {
      if (stores_others()) {
        std::int64_t const others = begin_of_warp(tile) - before + begin_of_others(half);
        staged.store(tessera::detail::advanced(task_.paired.out, others), kept, elements_of_warp(tile) - kept, lane);
      }
    }
    if (has_last_element(tile) && lane == 0 && task_.count != nullptr) *task_.count = before + kept;
  }

  TESSERA_FN plus join() const { return {}; }

 private:
  TESSERA_FN unsigned warp_rank() const { return thread_ / 32; }
  TESSERA_FN bool stores_others() const {
    if constexpr (others_are_optional<T> && stl::is_pointer_v<decltype(task_.paired.out)>) {
      return task_.paired.out != nullptr;
    } else {
      return true;
    }
  }

  /// The index of the first element of the warp's part, how many elements that has, and the index of the lane's first
  /// one.
  TESSERA_FN std::int64_t begin_of_warp(unsigned tile) const {
    return std::int64_t{tile * cut_.warps + warp_rank()} * Shape::warp_elements;
  }
  TESSERA_FN unsigned elements_of_warp(unsigned tile) const {
    std::int64_t const left = task_.n - begin_of_warp(tile);
    constexpr std::int64_t all = Shape::warp_elements;
    return left < 0 ? 0 : static_cast<unsigned>(left < all ? left : all);
  }
  /// True if the array's last element is in the warp's part.
  TESSERA_FN bool has_last_element(unsigned tile) const {
    std::int64_t const left = task_.n - begin_of_warp(tile);
    return left > 0 && left <= static_cast<std::int64_t>(Shape::warp_elements);
  }
  TESSERA_FN std::int64_t index_of(unsigned tile) const { return begin_of_warp(tile) + warp_.thread_rank() * K; }

  /// Puts a row's kept elements by their ranks, and the others after all that the warp keeps. Last of them are those
  /// beyond the array's end.
  template <class Staged>
  TESSERA_FN void stage_both(Staged& staged, unsigned row, std::uint32_t kept,
                             warp_ranks<K, row_count> const& ranks) const {
    auto const x = loaded_.row(row);
    unsigned const place = row * 32 * K + warp_.thread_rank() * K;
    unsigned rank = ranks.before(row);
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      bool const is_kept = (kept >> i & 1) != 0;
      staged.put(is_kept ? rank : ranks.total() + place + i - rank, x[i]);
      rank += is_kept ? 1 : 0;
    }
  }

  /// The offset of the others from paired.out. A single tile knows by itself how many elements are
  /// kept.
  TESSERA_FN std::int64_t begin_of_others(unsigned half) const {
    if (task_.paired.kept == nullptr) return 0;
    if (cut_.tiles > 1) return *task_.paired.kept;
    unsigned const lane = warp_.thread_rank();
    return tessera::reduce(warp_, lane < cut_.warps ? storage_.kept[half][lane] : 0u, plus{}, tessera::converged);
  }

  warp_t warp_;
  unsigned thread_;
  task_t const& task_;
  tile_cut cut_;
  Storage& storage_;

  tile_rows<T, K, row_count> loaded_;
  tile_marks<Mark, T, K, row_count> marks_;
  tile_rows<V, (traits::has_values ? K : 1), (traits::has_values ? row_count : 1)> values_;
  lane_element<Shape, T> kept_[2];
  lane_element<Shape, V> kept_values_[2];
};

/// Keeps some elements of an array, and stores how many.
///
/// Called by     all threads of a block of cut.warps + 1 warps, one of `blocks` blocks. memory.words may be null if
///               there is one tile.
/// given         the task; or a counted_task, whose cut is that of at_most elements
/// Cost          one read of each element, and one write of each that is kept; for each tile a barrier and a look-back.
template <class Shape, class Block, class Given, class Storage>
TESSERA_FN void run_select_agent(Block const& block, Given const& given, look_back_memory const& memory, tile_cut cut,
                                 unsigned blocks, Storage& storage) {
  auto const& task = detail::task_now(given);
  detail::cut_now<Shape, Given>(task.n, cut);
  select_agent<Shape, Block, task_of<Given>, Storage> agent(block, task, cut, storage);
  if (task.n == 0) {
    agent.store_count_of_none();
  } else {
    detail::run_tiles(block, memory, cut, blocks, optional_value<std::uint64_t>::some(0), storage.loop, agent);
  }
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
