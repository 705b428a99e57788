// The agent that parts an array's elements among three others, in order: what a warp of the kernel of
// three_way_partition does with its part of each tile (tile_loop.hpp).
//
//   in          a B c D E f g H        capitals have the first predicate, vowels the second
//   first       B D E H
//   second      a                      elements with both predicates are among the first
//   others      c f g
//
// As in select_agent.hpp, but for two counts, which one look-back adds up: they say where a warp's elements go in all
// three arrays. Each warp stages its elements in shared memory, those of the first array, of the second, and the
// others one after the other, and stores them line by line.
//
// The floor is a read and a write of each element, at the speed of a copy.
#pragma once

#include <tessera/grid/parts/look_back.hpp>
#include <tessera/grid/parts/tile_loop.hpp>
#include <tessera/grid/select/compaction.hpp>
#include <tessera/grid/select/marks.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// How many elements have gone to the first array, and to the second.
struct two_counts {
  std::uint64_t first, second;
};
struct add_counts {
  TESSERA_FN two_counts operator()(two_counts const& a, two_counts const& b) const {
    return {a.first + b.first, a.second + b.second};
  }
};

/// A partition of in[0 … n − 1] into arrays or iterators. counts[0] and counts[1] are the numbers of elements of the
/// first and of the second.
template <class In, class InFirst, class InSecond, class First = value_of<In>*, class Second = First,
          class Others = First>
struct three_way_task {
  using element = value_of<In>;

  In in;
  std::int64_t n;
  First first;
  Second second;
  Others others;
  std::int64_t* counts;
  InFirst in_first;
  InSecond in_second;

  template <tile_kind Kind>
  using shape = tile_shape<Kind, array_types<element>, array_types<element>>;
};

/// The block's shared memory. A block of fewer warps has no more than theirs of the last array.
template <class Task, class Shape, unsigned MostWarps = Shape::warps>
struct three_way_storage {
  static constexpr unsigned most_warps = MostWarps;
  struct of_warp_t {
    shared_elements<Shape, typename Task::element> staged[2];
  };

  unsigned kept[2][MostWarps][2];  // how many elements of each warp go to the first array, and to the second
  tile_loop_storage<two_counts, MostWarps> loop;
  of_warp_t part[MostWarps];
};

template <class Shape, class Block, class Task, class Storage>
class three_way_agent {
  using T = typename Task::element;
  using warp_t = decltype(tessera::tiled_partition<32>(stl::declval<Block const&>()));
  static constexpr unsigned K = Shape::K, row_count = Shape::row_count;

 public:
  TESSERA_FN three_way_agent(Block const& block, Task const& task, tile_cut cut, Storage& storage)
      : warp_(tessera::tiled_partition<32>(block)),
        thread_(block.thread_rank()),
        task_(task),
        cut_(cut),
        storage_(storage) {}

  TESSERA_FN void store_counts_of_none() const {
    if (thread_ < 2) task_.counts[thread_] = 0;
  }

  // The phases of a tile: see tile_loop.hpp.

  TESSERA_FN void load(unsigned tile) {
    if (tile < cut_.tiles) loaded_.load(task_.in, task_.n, index_of(tile));
  }

  TESSERA_FN two_counts scan(unsigned tile, unsigned half) {
    std::int64_t const own = index_of(tile);
    std::uint32_t const within = detail::bits_within<K, row_count>(task_.n, own);
    std::uint32_t const first = detail::bits_of_predicate(loaded_, task_.in_first, task_.n, own) & within;
    std::uint32_t const second = detail::bits_of_predicate(loaded_, task_.in_second, task_.n, own) & within & ~first;
    warp_.sync();  // All lanes have stored what was staged before.
    warp_ranks<K, row_count> const of_first(warp_, first), of_second(warp_, second);
    unsigned const firsts = of_first.total(), seconds = of_second.total();
    auto& staged = detail::cleared_elements<Shape>(storage_.part[warp_rank()].staged[half], kept_[half]);
    TESSERA_UNROLL
    for (unsigned r = 0; r < row_count; ++r) {
      auto const x = loaded_.row(r);
      unsigned const place = (r * 32 + warp_.thread_rank()) * K;  // in the warp's part
      unsigned before_first = of_first.before(r), before_second = of_second.before(r);
      TESSERA_UNROLL
      for (unsigned i = 0; i < K; ++i) {
        bool const is_first = (first >> (r * K + i) & 1) != 0, is_second = (second >> (r * K + i) & 1) != 0;
        // Last of the others are copies beyond the array's end.
        unsigned const other = firsts + seconds + (place + i - before_first - before_second);
        staged.put(is_first ? before_first : is_second ? firsts + before_second : other, x[i]);
        before_first += is_first ? 1 : 0;
        before_second += is_second ? 1 : 0;
      }
    }
    if (warp_.thread_rank() == 0) {
      storage_.kept[half][warp_rank()][0] = firsts;
      storage_.kept[half][warp_rank()][1] = seconds;
    }
    return {firsts, seconds};
  }

  TESSERA_FN void store(unsigned tile, unsigned half, optional_value<two_counts> const& before_warp) const {
    unsigned const lane = warp_.thread_rank();
    unsigned const firsts = storage_.kept[half][warp_rank()][0], seconds = storage_.kept[half][warp_rank()][1];
    auto const before = before_warp.value();
    auto const first = static_cast<std::int64_t>(before.first), second = static_cast<std::int64_t>(before.second);
    auto const& staged = detail::choose_object<Shape::in_shared>(storage_.part[warp_rank()].staged[half], kept_[half]);
    staged.store(tessera::detail::advanced(task_.first, first), 0, firsts, lane);
    staged.store(tessera::detail::advanced(task_.second, second), firsts, seconds, lane);
    staged.store(tessera::detail::advanced(task_.others, begin_of_warp(tile) - first - second), firsts + seconds,
                 elements_of_warp(tile) - firsts - seconds, lane);
    std::int64_t const left = task_.n - begin_of_warp(tile);
    bool const has_last_element = left > 0 && left <= static_cast<std::int64_t>(Shape::warp_elements);
    if (has_last_element && lane == 0) {
      task_.counts[0] = first + firsts;
      task_.counts[1] = second + seconds;
    }
  }

  TESSERA_FN add_counts join() const { return {}; }

 private:
  TESSERA_FN unsigned warp_rank() const { return thread_ / 32; }
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
  TESSERA_FN std::int64_t index_of(unsigned tile) const { return begin_of_warp(tile) + warp_.thread_rank() * K; }

  warp_t warp_;
  unsigned thread_;
  Task const& task_;
  tile_cut cut_;
  Storage& storage_;

  tile_rows<T, K, row_count> loaded_;
  lane_element<Shape, T> kept_[2];
};

/// Called as run_select_agent.
template <class Shape, class Block, class Given, class Storage>
TESSERA_FN void run_three_way_agent(Block const& block, Given const& given, look_back_memory const& memory,
                                    tile_cut cut, unsigned blocks, Storage& storage) {
  auto const& task = detail::task_now(given);
  detail::cut_now<Shape, Given>(task.n, cut);
  three_way_agent<Shape, Block, task_of<Given>, Storage> agent(block, task, cut, storage);
  if (task.n == 0) {
    agent.store_counts_of_none();
  } else {
    detail::run_tiles(block, memory, cut, blocks, optional_value<two_counts>::some({0, 0}), storage.loop, agent);
  }
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
