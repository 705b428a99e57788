// The agent of route_rows: what a tile of up to a warp does with a row.
//
//   load      Lane l holds columns l · E … l · E + E − 1. The next row's loads are issued before a row is worked on.
//   score     softmax or sigmoid of the logits, only where choices or weights need it; groups are ranked
//   sort      Each lane sorts its keys by a network, the best first. No two keys are equal: they hold their columns.
//   choose    k times, the tile finds the greatest of all lanes' first keys, and the lane that had it drops it. Of a
//             whole warp, up to 8 lanes are found first whose columns may be chosen: then few keys are sorted.
//   weigh     One lane for each chosen column: the tile's rows are weighed together.
//
//   a tile of 32 lanes, k = 7: 4 rows at once
//   lane           0 … 6   7   8 … 14   15   16 … 22   23   24 … 30   31
//   weighs         row 0       row 1         row 2          row 3
//
// A key is 16 bits of a 16-bit logit, if logits are what is ranked, or else 32 bits of a float; and its column, the
// lower the greater.
//
// Every result is computed from its row alone, in one order: sums of a row by one tree over columns, sums of weights
// by one over ranks.
#pragma once

#include <tessera/grid/parts/memory_ops.hpp>
#include <tessera/grid/route_rows.hpp>
#include <tessera/grid/rows/group_agent.hpp>
#include <tessera/grid/rows/route_scores.hpp>
#include <tessera/grid/rows/route_tuning.hpp>
#include <tessera/grid/rows/row_fragment.hpp>
#include <tessera/lanes.hpp>
#include <tessera/reduce.hpp>
#include <tessera/vote.hpp>
#include <tessera/warp/sort_network.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Logits, and where the results go.
template <class T>
struct route_task {
  T const* logits;
  std::int64_t stride, row_count;
  int column_count, k;
  int slot_count;   // the least power of two that isn't below k
  int tile_rows;    // of a tile, one after the other: at most its lanes / slots
  bool is_aligned;  // Rows begin at multiples of 16 bytes.
  route_options options;
  float* weights;
  std::int32_t* experts;

  /// True if columns are ranked by their logits: their scores are in the same order.
  TESSERA_FN bool ranks_logits() const { return options.bias == nullptr && options.num_groups == 1; }
  TESSERA_FN bool is_softmax() const { return options.scores == router_scores::softmax; }
  /// True if the sum of all columns' exponentials is needed.
  TESSERA_FN bool needs_sum() const {
    return is_softmax() && (!options.renormalize || (!ranks_logits() && options.recorded == nullptr));
  }
};

/// Two 16-bit floats as signed integers in the order of numbers; NaN as −∞, and −0 as +0.
template <class T>
TESSERA_FN std::uint32_t ordered_pair(std::uint32_t pair) {
  constexpr std::uint32_t infinity = stl::is_same_v<T, __half> ? 0x7c00u : 0x7f80u;
#if TESSERA_ARCH >= 800
  constexpr std::uint32_t one = stl::is_same_v<T, __half> ? 0x3c003c00u : 0x3f803f80u, zero = 0,
                          lowest = (0x80008000u | infinity) | infinity << 16;
  if constexpr (stl::is_same_v<T, __half>) {
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(pair) : "r"(pair), "r"(one), "r"(zero));
    asm("max.f16x2 %0, %1, %2;" : "=r"(pair) : "r"(pair), "r"(lowest));
  } else {
    asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(pair) : "r"(pair), "r"(one), "r"(zero));
    asm("max.bf16x2 %0, %1, %2;" : "=r"(pair) : "r"(pair), "r"(lowest));
  }
#else
  std::uint32_t cleaned = 0;
  TESSERA_UNROLL
  for (unsigned shift = 0; shift < 32; shift += 16) {
    std::uint32_t const bits = pair >> shift & 0xffffu;
    bool const is_nan = (bits & 0x7fffu) > infinity;
    cleaned |= (is_nan ? 0x8000u | infinity : bits == 0x8000u ? 0u : bits) << shift;
  }
  pair = cleaned;
#endif
  std::uint32_t const negative = pair >> 15 & 0x00010001u;
  return pair ^ negative * 0x7fffu;
}

/// The two greatest numbers of a group's columns.
struct best_two {
  float first, second;

  TESSERA_FN void add(float x) {
    float const less = tessera::detail::ieee_is_less(x, first) ? x : first;
    second = greater_of(less, second);
    first = greater_of(x, first);
  }
  TESSERA_FN void add(best_two const& other) {
    add(other.first);
    second = greater_of(other.second, second);
  }
  TESSERA_FN static float greater_of(float a, float b) { return tessera::detail::ieee_is_less(b, a) ? a : b; }
};

/// IsNarrow   whether keys have 32 bits: T has 16, and logits are ranked
template <class Shape, class T, bool IsNarrow, class Tile>
class row_router {
  static constexpr unsigned columns_of_lane = Shape::column_count, lanes = Shape::threads, width = row_vector_length<T>,
                            vectors = columns_of_lane / width;
  static_assert(columns_of_lane % width == 0 && lanes <= 32);
  static_assert(!IsNarrow || sizeof(T) == 2);
  using key = stl::conditional_t<IsNarrow, std::int32_t, std::uint64_t>;
  using numbers = items<float, columns_of_lane>;
  using orders = items<std::uint32_t, columns_of_lane>;
  using keys = items<key, columns_of_lane>;
  struct loaded {
    packed<T> vector[vectors];
  };

 public:
  TESSERA_FN row_router(Tile const& tile, route_task<T> const& task)
      : tile_(tile), task_(task), rank_(tile.thread_rank()), first_(static_cast<int>(rank_ * columns_of_lane)) {}

  /// Routes tile_rows rows from `row` on, as far as they exist.
  TESSERA_FN void run(std::int64_t row) const {
    auto const slot_count = static_cast<unsigned>(task_.slot_count);
    int const own_row = static_cast<int>(rank_ / slot_count), slot = static_cast<int>(rank_ % slot_count);
    bool const is_weighed = own_row < task_.tile_rows && row + own_row < task_.row_count && slot < task_.k;
    std::int64_t const at = is_weighed ? (row + own_row) * task_.k + slot : 0;
    std::int32_t column = -1;
    route_maximum own_max{0};
    float own_scale = 0;
    bool const chooses = task_.options.recorded == nullptr;
    if (chooses || task_.needs_sum()) {
      constexpr bool keeps_bias = columns_of_lane <= 8;  // more would spill
      numbers bias{};
      if constexpr (keeps_bias) bias = load_bias();
      orders codes{};
      if constexpr (IsNarrow) {
        TESSERA_UNROLL
        for (unsigned j = 0; j < columns_of_lane; ++j) codes[j] = tessera::detail::opaque(code(j));
      }
      loaded next = load(row);
      TESSERA_LOOP
      for (int r = 0; r < task_.tile_rows; ++r) {
        loaded const now = next;
        if (r + 1 < task_.tile_rows) next = load(row + r + 1);
        route_maximum max{0};
        float scale = 0;
        if constexpr (IsNarrow) {
          if (task_.needs_sum()) measure(logits_of(now), max, scale);
          choose(narrow_keys(now, codes), r, column);
        } else {
          numbers const x = logits_of(now);
          if (task_.needs_sum()) measure(x, max, scale);
          if constexpr (!keeps_bias) bias = load_bias();
          if (chooses) choose_by_order(orders_of(x, bias, max, scale), r, column);
        }
        if (own_row == r) {
          own_max = max;
          own_scale = scale;
        }
      }
    }
    if (!chooses && is_weighed) column = task_.options.recorded[at];
    bool const exists = is_weighed && column >= 0 && column < task_.column_count;
    float const weight = weigh(exists ? logit(row + own_row, column) : lowest(), exists, own_max, own_scale);
    if (!is_weighed) return;
    task_.weights[at] = weight;
    task_.experts[at] = column;
  }

 private:
  TESSERA_FN static constexpr float lowest() { return -tessera::detail::highest<float>(); }

  TESSERA_FN T const* row_at(std::int64_t row) const {
    return task_.logits + (row < task_.row_count ? row : task_.row_count - 1) * task_.stride;
  }
  TESSERA_FN float logit(std::int64_t row, int column) const {
    return detail::route_logit(detail::to_number(row_at(row)[column], element_format<T>{}));
  }
  /// This lane's logits. Those beyond the row are 0, and so is a row that doesn't exist its last one.
  TESSERA_FN loaded load(std::int64_t row) const {
    T const* const from = row_at(row);
    loaded out{};
    TESSERA_UNROLL
    for (unsigned v = 0; v < vectors; ++v) {
      int const begin = first_ + static_cast<int>(v * width);
      if (task_.is_aligned) {
        out.vector[v] = detail::load_part(from + begin, begin, task_.column_count);
      } else {
        row_vector<T> elements{};
        TESSERA_UNROLL
        for (unsigned j = 0; j < width; ++j) {
          if (begin + static_cast<int>(j) < task_.column_count) elements[j] = from[begin + static_cast<int>(j)];
        }
        out.vector[v] = detail::to_words(elements);
      }
    }
    return out;
  }
  TESSERA_FN numbers load_bias() const {
    numbers bias{};
    if (task_.options.bias == nullptr) return bias;
    TESSERA_UNROLL
    for (unsigned j = 0; j < columns_of_lane; ++j) {
      if (is_column(j)) bias[j] = task_.options.bias[first_ + static_cast<int>(j)];
    }
    return bias;
  }
  TESSERA_FN bool is_column(unsigned j) const { return first_ + static_cast<int>(j) < task_.column_count; }

  /// The logits; −∞ for NaN, and beyond the row.
  TESSERA_FN numbers logits_of(loaded const& row) const {
    numbers x;
    TESSERA_UNROLL
    for (unsigned v = 0; v < vectors; ++v) {
      auto const y = detail::unpack<T>(row.vector[v]);
      TESSERA_UNROLL
      for (unsigned j = 0; j < width; ++j) x[v * width + j] = detail::route_logit(y[j]);
    }
    return without_missing(x, lowest());
  }
  /// With `neutral` for what lies beyond the row.
  template <class X>
  TESSERA_FN items<X, columns_of_lane> without_missing(items<X, columns_of_lane> x, X neutral) const {
    if (is_column(columns_of_lane - 1)) return x;
    TESSERA_UNROLL
    for (unsigned j = 0; j < columns_of_lane; ++j) x[j] = is_column(j) ? x[j] : neutral;
    return x;
  }

  /// The row's maximum, and the factor that makes scores of exponentials.
  TESSERA_FN void measure(numbers const& x, route_maximum& max, float& scale) const {
    float top = x[0];
    TESSERA_UNROLL
    for (unsigned j = 1; j < columns_of_lane; ++j) top = x[j] > top ? x[j] : top;
    max.max = tessera::reduce(tile_, top, maximum{}, converged);
    numbers e;
    TESSERA_UNROLL
    for (unsigned j = 0; j < columns_of_lane; ++j) e[j] = max.exponential(x[j]);
    TESSERA_UNROLL
    for (unsigned apart = 1; apart < columns_of_lane; apart *= 2) {
      TESSERA_UNROLL
      for (unsigned j = 0; j + apart < columns_of_lane; j += 2 * apart)
        e[j] = tessera::detail::rounded_add(e[j], e[j + apart]);
    }
    float const sum = tessera::reduce(tile_, e[0], plus{}, converged);
    scale = max.is_lowest() ? 0.0f : tessera::detail::rounded_divide(1.0f, sum);
  }
  TESSERA_FN float score(float x, route_maximum const& max, float scale) const {
    if (!task_.is_softmax()) return detail::route_sigmoid(x);
    return tessera::detail::rounded_multiply(max.exponential(x), scale);
  }

  // ---- Keys. The least is that of no column.

  TESSERA_FN static constexpr key none() { return tessera::detail::lowest<key>(); }

  TESSERA_FN std::uint32_t code(unsigned j) const { return 0xffffu - static_cast<unsigned>(first_) - j; }
  TESSERA_FN static std::int32_t column_of(key best) { return static_cast<std::int32_t>(~best & 0xffff); }

  TESSERA_FN keys narrow_keys(loaded const& row, orders const& codes) const {
    keys out;
    TESSERA_UNROLL
    for (unsigned v = 0; v < vectors; ++v) {
      TESSERA_UNROLL
      for (unsigned w = 0; w < width / 2; ++w) {
        unsigned const j = v * width + 2 * w;
        std::uint32_t const pair = detail::ordered_pair<T>(row.vector[v].word[w]);
        out[j] = static_cast<key>((pair << 16) + codes[j]);
        out[j + 1] = static_cast<key>((pair & 0xffff0000u) | codes[j + 1]);
      }
    }
    return without_missing(out, none());
  }
  /// The keys that the lane's columns are ranked by; 0 if they can't be chosen.
  TESSERA_FN orders orders_of(numbers x, numbers const& bias, route_maximum const& max, float scale) const {
    unsigned kept = ~0u;
    if (!task_.ranks_logits()) {
      TESSERA_UNROLL
      for (unsigned j = 0; j < columns_of_lane; ++j) {
        x[j] = score(x[j], max, scale);
        if (task_.options.bias != nullptr) x[j] = tessera::detail::rounded_add(x[j], bias[j]);
        x[j] = detail::route_logit(x[j]);
      }
      x = without_missing(x, lowest());
      if (task_.options.num_groups > 1) kept = kept_columns(x);
    }
    orders out;
    TESSERA_UNROLL
    for (unsigned j = 0; j < columns_of_lane; ++j) out[j] = (kept >> j & 1u) != 0 ? detail::route_order(x[j]) : 0;
    return without_missing(out, std::uint32_t{0});
  }

  // ---- Groups.

  /// The columns of this lane that are in the best groups: a bit for each.
  TESSERA_FN unsigned kept_columns(numbers const& x) const {
    auto const groups = static_cast<unsigned>(task_.options.num_groups);
    unsigned const size = static_cast<unsigned>(task_.column_count) / groups, of_lanes = size / columns_of_lane;
    if (size % columns_of_lane == 0 && (of_lanes & (of_lanes - 1)) == 0) {  // whole lanes, neighbors of each other
      best_two best{lowest(), lowest()};
      TESSERA_UNROLL
      for (unsigned j = 0; j < columns_of_lane; ++j) best.add(x[j]);
      best = best_of_lanes(best, of_lanes);
      return is_kept(order_of(best, size), rank_ / of_lanes, of_lanes) ? ~0u : 0;
    }
    std::uint32_t order = 0;  // of the group with this lane's number
    TESSERA_LOOP
    for (unsigned g = 0; g < groups; ++g) {
      best_two best{lowest(), lowest()};
      TESSERA_UNROLL
      for (unsigned j = 0; j < columns_of_lane; ++j) {
        unsigned const column = static_cast<unsigned>(first_) + j;
        if (column >= g * size && column < g * size + size) best.add(x[j]);
      }
      best = best_of_lanes(best, lanes);
      if (rank_ == g) order = order_of(best, size);
    }
    auto const kept = tessera::ballot(tile_, is_kept(order, rank_, 1), converged);
    unsigned out = 0;
    TESSERA_UNROLL
    for (unsigned j = 0; j < columns_of_lane; ++j) {
      unsigned const group = (static_cast<unsigned>(first_) + j) / size;
      if (group < groups && kept.test(group)) out |= 1u << j;
    }
    return out;
  }
  /// The two greatest of so many neighboring lanes, a power of two.
  TESSERA_FN best_two best_of_lanes(best_two best, unsigned count) const {
    TESSERA_UNROLL
    for (unsigned bit = 1; bit < lanes; bit *= 2) {
      if (bit < count)
        best.add(best_two{tessera::butterfly(tile_, best.first, bit, converged),
                          tessera::butterfly(tile_, best.second, bit, converged)});
    }
    return best;
  }
  TESSERA_FN static std::uint32_t order_of(best_two const& best, unsigned size) {
    float const sum = tessera::detail::rounded_add(best.first, best.second);
    return detail::route_order(size == 1 ? best.first : detail::route_logit(sum));
  }
  /// True if less than top_groups groups come before the one of this order. Every so many-th lane has one.
  TESSERA_FN bool is_kept(std::uint32_t order, unsigned group, unsigned apart) const {
    auto const groups = static_cast<unsigned>(task_.options.num_groups);
    int before = 0;
    TESSERA_LOOP
    for (unsigned g = 0; g < groups; ++g) {
      std::uint32_t const other = tessera::shuffle(tile_, order, g * apart, converged);
      before += other > order || (other == order && g < group) ? 1 : 0;
    }
    return before < task_.options.top_groups;
  }

  // ---- The choice.

  TESSERA_FN key greatest(key own) const {
    if constexpr (IsNarrow) {
      return tessera::reduce(tile_, own, maximum{}, converged);
    } else {
      auto const high = static_cast<std::uint32_t>(own >> 32);
      std::uint32_t const best = tessera::reduce(tile_, high, maximum{}, converged);
      std::uint32_t const low = high == best ? static_cast<std::uint32_t>(own) : 0;
      return std::uint64_t{best} << 32 | tessera::reduce(tile_, low, maximum{}, converged);
    }
  }
  /// The columns of the k lanes that have the greatest: these hold the k greatest of all. Four lanes share a lane's, so
  /// that each has a quarter of as many as before. k is at most 8.
  TESSERA_FN auto candidates(orders const& order) const {
    constexpr unsigned each = columns_of_lane / 4;
    std::uint32_t greatest = order[0];
    TESSERA_UNROLL
    for (unsigned j = 1; j < columns_of_lane; ++j) greatest = order[j] > greatest ? order[j] : greatest;
    unsigned source = 0;
    bool exists = false;
    TESSERA_LOOP
    for (unsigned i = 0; i < static_cast<unsigned>(task_.k); ++i) {
      std::uint32_t const best = tessera::reduce(tile_, greatest, maximum{}, converged);
      unsigned const lane = tessera::ballot(tile_, greatest == best, converged).first();
      if (rank_ / 4 == i) {
        source = lane;
        exists = best != 0;
      }
      if (rank_ == lane) greatest = 0;
    }
    items<std::uint32_t, each> own{};
    TESSERA_UNROLL
    for (unsigned j = 0; j < columns_of_lane; ++j) {
      std::uint32_t const x = tessera::shuffle(tile_, order[j], source, converged);
      if (exists && rank_ % 4 == j / each) own[j % each] = x;
    }
    items<key, each> out;
    unsigned const first = source * columns_of_lane + rank_ % 4 * each;
    TESSERA_UNROLL
    for (unsigned j = 0; j < each; ++j) out[j] = wide_key(own[j], 0xffffu - first - j);
    return out;
  }
  TESSERA_FN static key wide_key(std::uint32_t order, std::uint32_t code) {
    return order != 0 ? std::uint64_t{order} << 32 | code : 0;
  }
  TESSERA_FN void choose_by_order(orders const& order, int r, std::int32_t& column) const {
    if constexpr (lanes == 32) {
      if (task_.k <= 8) return choose(candidates(order), r, column);
    }
    keys all;
    TESSERA_UNROLL
    for (unsigned j = 0; j < columns_of_lane; ++j) all[j] = wide_key(order[j], code(j));
    choose(all, r, column);
  }

  /// Gives each lane of row r its column, of so many keys a lane.
  template <unsigned Each>
  TESSERA_FN void choose(items<key, Each> sorted, int r, std::int32_t& column) const {
    constexpr unsigned usual = 8;  // a k for which there is code of its own
    tessera::detail::run_network<tessera::detail::odd_even_sort<Each>>(sorted, [](key& a, key& b, unsigned) {
      key const low = a < b ? a : b;
      a = a < b ? b : a;
      b = low;
    });
    unsigned const turn = rank_ - static_cast<unsigned>(r * task_.slot_count);
    auto const step = [&](unsigned i) {
      key const best = greatest(sorted[0]);
      if (turn == i) column = column_of(best);
      bool const is_own = sorted[0] == best;
      TESSERA_UNROLL
      for (unsigned j = 0; j + 1 < Each; ++j) sorted[j] = is_own ? sorted[j + 1] : sorted[j];
      sorted[Each - 1] = is_own ? none() : sorted[Each - 1];
    };
    auto const k = static_cast<unsigned>(task_.k);
    if (k == usual) {
      TESSERA_UNROLL
      for (unsigned i = 0; i < usual; ++i) step(i);
    } else {
      TESSERA_LOOP
      for (unsigned i = 0; i < k; ++i) step(i);
    }
  }

  // ---- Weights.

  /// The combined values of the lanes of a row, in the order of their ranks.
  template <class Op>
  TESSERA_FN float of_row(float x, Op op) const {
    TESSERA_UNROLL
    for (unsigned bit = 1; bit < lanes; bit *= 2) {
      if (bit < static_cast<unsigned>(task_.slot_count)) x = op(x, tessera::butterfly(tile_, x, bit, converged));
    }
    return x;
  }
  /// The weight of this lane's column, whose logit is x.
  TESSERA_FN float weigh(float x, bool exists, route_maximum max, float scale) const {
    auto const greater = [](float a, float b) { return best_two::greater_of(a, b); };
    auto const sum_of = [](float a, float b) { return tessera::detail::rounded_add(a, b); };
    bool const renormalizes = task_.options.renormalize;
    if (task_.is_softmax() && renormalizes) {
      max.max = of_row(x, greater);
      scale = max.is_lowest() ? 0.0f : 1.0f;
    }
    float weight = score(x, max, scale);
    weight = exists ? weight : 0.0f;
    if (renormalizes) {
      float const sum = of_row(weight, sum_of);
      weight = sum > 0.0f ? tessera::detail::rounded_divide(weight, sum) : 0.0f;
    }
    return tessera::detail::rounded_multiply(weight, task_.options.scale);
  }

  Tile const& tile_;
  route_task<T> const& task_;
  unsigned rank_;
  int first_;  // this lane's first column
};

/// Routes the rows of a block's tiles, from `row` on.
///
/// Called by  all threads of the block.
template <class Shape, bool IsNarrow, class Block, class T>
TESSERA_FN void route_block(Block const& block, route_task<T> const& task, std::int64_t row) {
  auto const tile = detail::row_tile<Shape::threads>(block);
  std::int64_t const first = row + std::int64_t{block.thread_rank() / Shape::threads} * task.tile_rows;
  row_router<Shape, T, IsNarrow, decltype(tile)>(tile, task).run(first);
}

/// Routes the rows of the block's part, and groups the columns that all parts choose. A part has the rows of the tiles
/// of a block, and Groups::tile is at least what they choose.
///
/// Called by  all threads of each of groups.parts blocks of Groups::threads.
template <class Shape, bool IsNarrow, class Groups, class Block, class T, class Index>
TESSERA_FN void route_and_group_part(Block const& block, route_task<T> const& task,
                                     group_task<std::int32_t, Index> const& groups, look_back_memory const& memory,
                                     void* shared) {
  unsigned const row_count = Groups::threads / Shape::threads * static_cast<unsigned>(task.tile_rows);
  detail::group_part<Groups, 8>(block, groups, memory, shared, [&](unsigned part) {
    detail::route_block<Shape, IsNarrow>(block, task, std::int64_t{part} * row_count);
    detail::barrier_of_block(block);
  });
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
