// Finds the bin that a value is in, between edges of any spacing.
//
//   edges         e0              e1  e2                  e3       3 bins: [e0, e1), [e1, e2), [e2, e3)
//   guide    0    |  1  |  2  |  3  |  4  |  5  |  6  |  7  …      interval of x: guide(x)
//   starts   0       0     1     1     3     3     3     3         how many edges are in intervals before
//
// guide(x) never decreases as x grows. So the edges in intervals before that of x are below x, those in intervals
// after it are above x, and x is compared with the edges in its own interval alone: whatever rounding guide() does, the
// bin is exact. The intervals are bits of the exponent and the mantissa of a float, (x − first) · scale + 1. In [1, 2)
// they are of one width; with a larger scale each octave [2^i, 2^(i + 1)) has as many, for edges that become denser
// towards the first. Each block tries some scales and takes that with the fewest comparisons.
//
// Source: H.-C. Chen and Y. Asau, "On generating random variates from an empirical distribution", 1974 (guide tables).
#pragma once

#include <tessera/atomic.hpp>
#include <tessera/core/bits.hpp>
#include <tessera/core/number.hpp>
#include <tessera/core/rounded.hpp>
#include <tessera/grid/histogram/edge_layout.hpp>
#include <tessera/grid/histogram/edge_request.hpp>
#include <tessera/grid/histogram/even_bins.hpp>
#include <tessera/grid/parts/memory_ops.hpp>
#include <tessera/operators.hpp>
#include <tessera/reduce.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The key of a value. T is Edge, or a type whose values Edge has, too.
template <class Edge, class T>
TESSERA_FN edge_key<Edge> key_of(T const& x, [[maybe_unused]] edge_key<Edge> flip) {
  using key = edge_key<Edge>;
  if constexpr (tessera::detail::is_float<key>) {
    return tessera::detail::convert<key>(x);
  } else {
    // Signed integers of T are first those of Edge.
    using bits = typename tessera::detail::unsigned_of<sizeof(Edge)>::type;
    return static_cast<key>(static_cast<bits>(x)) ^ flip;
  }
}

/// guide(x): the interval that x is in. It doesn't decrease as x grows, and is 0 for a NaN.
template <class Key>
struct guide_function {
  Key first;         // The intervals begin here.
  float scale;       // above 0
  unsigned shift;    // An interval has 2^shift floats.
  unsigned lowest;   // 1.0f in intervals
  unsigned highest;  // the last interval

  /// 2^octave_bits octaves with 2^(interval_bits − octave_bits) intervals each, from `first` to `last`.
  TESSERA_FN static guide_function between(Key first, Key last, unsigned interval_bits, unsigned octave_bits) {
    constexpr float most = 3.402823466e38f;
    unsigned const shift = 23 - interval_bits + octave_bits, one = 0x3f800000u;
    float const range = tessera::detail::from_bits<float>(one + (1u << (octave_bits + 23)));
    float const scale = tessera::detail::rounded_divide(range - 1.0f, distance(last, first));
    return {first, scale < most ? scale : most, shift, one >> shift, (1u << interval_bits) - 1};
  }
  TESSERA_FN unsigned operator()(Key x) const {
    float const place = tessera::detail::rounded_fma(distance(x, first), scale, 1.0f);
    stl::uint32_t const bits = tessera::detail::from_bits<stl::uint32_t>(place > 1.0f ? place : 1.0f);
    unsigned const interval = (bits >> shift) - lowest;
    return interval < highest ? interval : highest;
  }

 private:
  /// x − first. Every rounding keeps the order.
  TESSERA_FN static float distance(Key x, Key first) {
    if constexpr (stl::is_same_v<Key, float>) {
      return tessera::detail::rounded_subtract(x, first);
    } else if constexpr (stl::is_same_v<Key, double>) {
      return static_cast<float>(x - first);
    } else {
      return static_cast<float>(x > first ? static_cast<Key>(x - first) : Key{0});
    }
  }
};

/// The search of one lane, in the tables of its block. A value's cell is the number of edges that aren't above it: 0 is
/// below the block's bins, bins + 1 above them, and bins + 2 is a NaN's. The guide table has addresses of edges: the
/// address of edge i, a step more than that of edge i − 1, stands for i edges.
template <class Edge>
class edge_search {
 public:
  using key = edge_key<Edge>;

  /// `memory` is layout.bytes(sizeof(key)) of shared memory, at a multiple of 16 bytes.
  TESSERA_FN edge_search(edge_request<Edge> const& what, edge_layout const& layout, unsigned* memory)
      : layout_(layout), request_(what), memory_(memory), edges_(reinterpret_cast<key*>(memory)) {
    guide_words_ = reinterpret_cast<unsigned*>(edges_ + layout.edges() * layout.copies);
    counters_ = guide_words_ + layout.guide_words();
    steps_ = counters_ + layout.counters();
  }

  TESSERA_FN unsigned* counters() const { return counters_; }

  /// Loads the edges, and makes the guide table. Called by all threads of the block; a barrier is needed before
  /// count(). Cost: two barriers.
  template <class Block>
  TESSERA_FN void prepare(Block const& block) {
    load_edges(block);
    detail::barrier_of_block(block);
    count_steps(block);
    detail::barrier_of_block(block);
    unsigned choice = 0, steps = steps_[0];
    TESSERA_LOOP
    for (unsigned c = 1; c < edge_layout::scale_choices; ++c) {
      if (steps_[c] < steps) {
        steps = steps_[c];
        choice = c;
      }
    }
    guide_ = guide_of(choice);
    fill_guide(block);
    find_addresses(block.thread_rank(), steps);
  }

  /// Counts x in its cell.
  ///
  /// Cost  1 + t loads and one atomic addition in shared memory, where intervals have up to 2^t − 1 edges.
  template <class T>
  TESSERA_FN void count(T const& value) const {
    constexpr unsigned words = sizeof(key) / sizeof(unsigned);
    memory_.add_one(address_of(value) / words + to_counter_);
  }
  /// The cell of x.
  template <class T>
  TESSERA_FN unsigned cell_of(T const& value) const {
    return (address_of(value) - memory_.begin() - own_edge_) >> step_bits_;
  }

  TESSERA_FN unsigned cells() const { return layout_.cells(); }
  /// The bin of a cell; after the bins `below`, `above` and `nan`; and bins + 3 for what another block counts.
  TESSERA_FN unsigned of_cell(unsigned cell) const {
    unsigned const all = request_.bins;
    bool const is_first = layout_.begin == 0, is_last = layout_.begin + layout_.bins == all;
    if (cell == layout_.bins + 2) return is_first ? all + 2 : all + 3;
    if (cell == layout_.bins + 1) return !is_last ? all + 3 : nothing_above_ ? all - 1 : all + 1;
    if (cell == 0) return is_first ? all : all + 3;
    return layout_.begin + cell - 1;
  }

 private:
  /// The address of the first edge above x, of those after all, or of a NaN's cell.
  template <class T>
  TESSERA_FN unsigned address_of(T const& value) const {
    key const x = detail::key_of<Edge>(value, request_.flip);
    unsigned at = memory_.template load<unsigned>(own_guide_ + guide_(x) * guide_step_) + own_edge_;
    // Invariant: edges before `at` aren't above x, and those from 2 · (skip + 1 edge) after it on are.
    TESSERA_LOOP
    for (unsigned skip = widest_skip_; skip != 0; skip = (skip - edge_step_) / 2) {
      unsigned const probe = at + skip < end_ ? at + skip : end_;
      if (tessera::detail::is_at_least(x, memory_.template load<key>(probe))) at = probe + edge_step_;
    }
    if (tessera::detail::is_at_least(x, memory_.template load<key>(at))) at += edge_step_;
    if constexpr (tessera::detail::is_float<key>) {
      at = tessera::detail::is_nan(x) ? end_ + edge_step_ : at;
    } else {
      at = at < end_ ? at : end_;  // No integer is above the highest one, which stands after the edges.
    }
    return at;
  }

  /// Loads the block's edges, and stores after them what no value is at least: NaN, or the highest integer.
  template <class Block>
  TESSERA_FN void load_edges(Block const& block) {
    unsigned const last = layout_.begin + layout_.bins;
    TESSERA_LOOP
    for (unsigned i = block.thread_rank(); i < layout_.edges(); i += block.size()) {
      key edge = after_all();
      if (i <= layout_.bins) edge = detail::key_of<Edge>(request_.edges[layout_.begin + i], request_.flip);
      if (request_.closed && layout_.begin + i == request_.bins) edge = detail::next_key(edge);
      TESSERA_LOOP
      for (unsigned c = 0; c < layout_.copies; ++c) edges_[i * layout_.copies + (i + c) % layout_.copies] = edge;
    }
    if (block.thread_rank() < edge_layout::scale_choices) steps_[block.thread_rank()] = 1;
    if (request_.closed && last == request_.bins) {
      key const edge = detail::key_of<Edge>(request_.edges[last], request_.flip);
      nothing_above_ = !tessera::detail::is_less(edge, detail::next_key(edge));
    }
  }
  TESSERA_FN static key after_all() {
    if constexpr (tessera::detail::is_float<key>) {
      return tessera::detail::number<key>(tessera::detail::nan);
    } else {
      return static_cast<key>(~key{0});
    }
  }
  TESSERA_FN key edge(unsigned i) const { return edges_[i * layout_.copies]; }

  /// Infinite edges are in intervals of their own.
  TESSERA_FN guide_function<key> guide_of(unsigned choice) const {
    unsigned first = 0, last = layout_.bins;
    if constexpr (tessera::detail::is_float<key>) {
      constexpr float inf = tessera::detail::infinity;
      if (!(edge(first) > -inf) && first + 1 < last) ++first;
      if (!(edge(last) < inf) && first + 1 < last) --last;
    }
    return guide_function<key>::between(edge(first), edge(last), layout_.interval_bits, 2 * choice);
  }

  /// Finds for each scale how many comparisons its intervals need: t for up to 2^t − 1 edges in one.
  template <class Block>
  TESSERA_FN void count_steps(Block const& block) {
    auto const warp = tessera::tiled_partition<32>(block);
    TESSERA_LOOP
    for (unsigned c = 0; c < edge_layout::scale_choices; ++c) {
      guide_function<key> const guide = guide_of(c);
      unsigned most = 1;
      TESSERA_LOOP
      for (unsigned i = block.thread_rank(); i <= layout_.bins; i += block.size()) {
        unsigned const interval = guide(edge(i));
        // Edge i and the 2^most − 1 after it are in one interval: that is one edge too many.
        TESSERA_LOOP
        while (i + (1u << most) - 1 <= layout_.bins && guide(edge(i + (1u << most) - 1)) == interval) ++most;
      }
      most = tessera::reduce(warp, most, tessera::maximum{}, converged);
      if (warp.thread_rank() == 0) tessera::atomic_max(steps_ + c, most);
    }
  }

  /// Stores for each interval the address of the first edge that isn't in an interval before.
  template <class Block>
  TESSERA_FN void fill_guide(Block const& block) {
    unsigned const copies = layout_.guide_copies();
    TESSERA_LOOP
    for (unsigned i = block.thread_rank(); i < layout_.intervals(); i += block.size()) {
      unsigned const address = memory_.begin() + edges_before(i) * layout_.copies * static_cast<unsigned>(sizeof(key));
      TESSERA_LOOP
      for (unsigned c = 0; c < copies; ++c) guide_words_[i * copies + (i + c) % copies] = address;
    }
  }
  TESSERA_FN unsigned edges_before(unsigned interval) const {
    unsigned low = 0, high = layout_.bins + 1;
    TESSERA_LOOP
    while (low < high) {
      unsigned const middle = (low + high) / 2;
      if (guide_(edge(middle)) < interval) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  TESSERA_FN void find_addresses(unsigned rank, unsigned steps) {
    constexpr unsigned key_bytes = sizeof(key), word_bytes = sizeof(unsigned);
    unsigned const begin = memory_.begin();
    own_edge_ = rank % layout_.copies * key_bytes;
    edge_step_ = layout_.copies * key_bytes;
    while (1u << step_bits_ < edge_step_) ++step_bits_;
    end_ = begin + (layout_.bins + 1) * edge_step_ + own_edge_;
    widest_skip_ = ((1u << (steps - 1)) - 1) * edge_step_;
    guide_step_ = layout_.guide_copies() * word_bytes;
    own_guide_ = begin + layout_.edges() * edge_step_ + rank % layout_.guide_copies() * word_bytes;
    to_counter_ =
        begin + layout_.edges() * edge_step_ + layout_.guide_words() * word_bytes - begin / (key_bytes / word_bytes);
  }

  edge_layout layout_;
  edge_request<Edge> request_;
  shared_memory memory_;
  key* edges_;
  unsigned* guide_words_;
  unsigned* counters_;
  unsigned* steps_;
  guide_function<key> guide_{};
  bool nothing_above_ = false;  // The last edge is the highest value, and in the last bin.

  // Addresses, and distances between them, of this lane's copies.
  unsigned own_guide_ = 0, guide_step_ = 0;
  unsigned own_edge_ = 0, edge_step_ = 0;  // own_edge_ is a distance from copy 0.
  unsigned step_bits_ = 0;                 // edge_step_ is 2^step_bits_.
  unsigned end_ = 0;                       // of what stands after the edges
  unsigned widest_skip_ = 0;               // 2^(t − 1) − 1 edges
  unsigned to_counter_ = 0;
};

/// Bins that are searched for among all edges in the GPU's memory, by halves.
template <class T, class Edge>
struct searched_edges {
  unsigned count;
  edge_request<Edge> request;

  TESSERA_FN unsigned cells() const { return count + 3; }
  TESSERA_FN detail::place place(T const& x) const { return {true, bin_of(x)}; }
  TESSERA_FN unsigned outside(T const&) const { return 0; }
  TESSERA_FN unsigned of_cell(unsigned cell) const { return cell; }
  /// The bin of x; after the bins `below`, `above` and `nan`.
  TESSERA_FN unsigned bin_of(T const& value) const {
    auto const x = detail::key_of<Edge>(value, request.flip);
    unsigned low = 0, high = request.bins + 1;
    TESSERA_LOOP
    while (low < high) {
      unsigned const middle = (low + high) / 2;
      auto const edge = detail::key_of<Edge>(request.edges[middle], request.flip);
      if (tessera::detail::is_less(x, edge) || (request.closed && middle == request.bins && x == edge)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    if constexpr (tessera::detail::is_float<edge_key<Edge>>) {
      if (tessera::detail::is_nan(x)) return request.bins + 2;
    }
    return low == 0 ? request.bins : low <= request.bins ? low - 1 : request.bins + 1;
  }
};

/// Elements of one byte have a cell for each of their values: a bin is searched once for each cell, and not for each
/// element.
template <class T, class Edge>
struct byte_edges : searched_edges<T, Edge> {
  TESSERA_FN unsigned cells() const { return 256; }
  TESSERA_FN detail::place place(T const& x) const { return {true, static_cast<stl::uint8_t>(x)}; }
  TESSERA_FN unsigned of_cell(unsigned cell) const { return this->bin_of(static_cast<T>(cell)); }
};
template <class T, class Edge>
inline constexpr bool are_few_cells<byte_edges<T, Edge>> = true;
template <class T, class Edge>
using edges_of_channel = stl::conditional_t<sizeof(T) == 1, byte_edges<T, Edge>, searched_edges<T, Edge>>;

}  // namespace grid::detail
TESSERA_NAMESPACE_END
