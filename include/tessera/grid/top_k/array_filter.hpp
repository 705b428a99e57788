// A block's pass over a piece of an array for the elements in a window of entries.
//
// Elements are compared by raw keys first (top_k_entry.hpp), which takes few instructions. Few may be in the window.
// Their entries are made from the registers that hold their distances from it, since loading them again would wait for
// memory in each step (a median of 2^28 floats took 602 µs with it on an H100, where reading takes 342).
#pragma once

#include <tessera/core/lane_mask.hpp>
#include <tessera/grid/reduce/even_share.hpp>
#include <tessera/grid/top_k/top_k_state.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class Shape, class T, class Key, class Entry>
class array_filter {
  using In = selection_reader_t<T, Key>;
  static constexpr unsigned threads = Shape::threads, V = read_length<T, In>;
  using keys = rank_keys_of<T, Key>;
  using key_t = typename keys::key;
  using window_t = entry_window<Entry>;

 public:
  /// rank  of the thread in its block.
  TESSERA_FN array_filter(top_k_task<T, Key> const& task, even_share const& share, unsigned rank)
      : task_(task), share_(share), rank_(rank) {}

  TESSERA_FN Entry entry_of(std::int64_t index) const {
    if constexpr (reads_elements<In>) {
      return entry_of(tessera::detail::read_element(task_.in, index), static_cast<std::uint64_t>(index));
    } else {
      return entry_of(task_.in[index], static_cast<std::uint64_t>(index));
    }
  }

  /// Calls append(entry) for this lane's elements of a piece that are in the window, and end_step() at the end of each
  /// step. Returns how many of the lane's are before the window.
  ///
  /// Called by  all threads, which make the same calls of end_step.
  template <class Append, class EndStep>
  TESSERA_FN unsigned filter(unsigned piece, window_t const& window, Append append, EndStep end_step) const {
    raw_window const raw = raw_window::of(window, task_.order);
    unsigned before = 0;
    auto const visit_entry = [&](Entry const& e) {
      if (e < window.lower) ++before;
      if (window.has(e)) append(e);
    };
    visit_ends(piece, [&](std::int64_t index) { visit_entry(entry_of(index)); });
    visit_steps(piece, [&](auto const& x, std::int64_t index, std::uint64_t valid) {
      visit_matches(x, index, valid, raw, before, visit_entry);
      end_step();
    });
    return before;
  }

  /// Calls visit(entry) for all of this lane's elements of a piece: a vector at a time, which takes few registers.
  template <class Visit>
  TESSERA_FN void visit_entries(unsigned piece, Visit visit) const {
    auto const r = detail::range_of(task_.in, static_cast<stl::uint64_t>(task_.n));
    visit_ends(piece, [&](std::int64_t index) { visit(entry_of(index)); });
    auto const [begin, stride] = share_.steps_of(piece);
    auto const end = static_cast<std::int64_t>(r.vectors);
    for (std::int64_t first = begin; first < end; first += stride) {
      std::int64_t const step = end - first < share_.step ? end - first : share_.step;
      for (std::int64_t v = rank_; v < step; v += threads) {
        std::int64_t const index = r.front + (first + v) * V;
        auto const x = detail::from_words<items<T, V>>(r.load_vector(tessera::detail::advanced(task_.in, index)));
        TESSERA_UNROLL
        for (unsigned k = 0; k < V; ++k) visit(entry_of(x[k], static_cast<std::uint64_t>(index + k)));
      }
    }
  }

 private:
  TESSERA_FN Entry entry_of(T const& x, std::uint64_t index) const {
    return Entry::of(keys::of(task_.key(x), task_.order), index);
  }

  /// A window as raw keys have it: elements in it are at most `width` from `first`.
  struct raw_window {
    key_t first, width, first_raw;

    TESSERA_FN static raw_window of(window_t const& window, typename keys::order const& order) {
      key_t const first = keys::least_of(window.lower.rank_key(), order), last = window.upper.rank_key();
      return {first, static_cast<key_t>(last - first), static_cast<key_t>(first + order.begin)};
    }
    TESSERA_FN key_t distance(key_t raw) const { return static_cast<key_t>(raw - first_raw); }
  };
  /// Calls visit(entry) for those of the valid elements that may be in the window, which are few. Few instructions for
  /// an element. Adds to `before` how many of the valid ones are before the window by their raw keys: their distances
  /// have wrapped.
  template <class Elements, class Visit>
  TESSERA_FN void visit_matches(Elements const& x, std::int64_t index, std::uint64_t valid, raw_window const& window,
                                unsigned& before, Visit visit) const {
    constexpr unsigned count = Elements::size();
    key_t distance[count], nearest = static_cast<key_t>(~key_t{0});
    TESSERA_UNROLL
    for (unsigned k = 0; k < count; ++k) {
      distance[k] = window.distance(keys::raw(task_.key(x[k]), task_.order));
      nearest = distance[k] < nearest ? distance[k] : nearest;
    }
    auto const those = [&](auto is_one) {
      std::uint64_t bits = 0;
      TESSERA_UNROLL
      for (unsigned k = 0; k < count; ++k) {
        if (is_one(distance[k])) bits |= std::uint64_t{1} << k;
      }
      return bits & valid;
    };
    if (window.first != 0) {
      std::uint64_t const bits = those([&](key_t d) { return d > static_cast<key_t>(~window.first); });
      before += tessera::detail::bits_set(static_cast<std::uint32_t>(bits));
      if constexpr (count > 32) before += tessera::detail::bits_set(static_cast<std::uint32_t>(bits >> 32));
    }
    if (nearest > window.width) return;
    std::uint64_t maybe = those([&](key_t d) { return d <= window.width; });
    TESSERA_LOOP
    while (maybe != 0) {
      unsigned const k = lowest_bit(maybe);
      maybe &= maybe - 1;
      key_t own = distance[0];
      TESSERA_UNROLL
      for (unsigned q = 1; q < count; ++q) own = q == k ? distance[q] : own;
      visit(Entry::of(keys::from_begin(static_cast<key_t>(own + window.first), task_.order),
                      static_cast<std::uint64_t>(index_of(index, k))));
    }
  }
  TESSERA_FN static unsigned lowest_bit(std::uint64_t word) {
    auto const low = static_cast<std::uint32_t>(word);
    return low != 0 ? tessera::detail::lowest_bit(low)
                    : 32 + tessera::detail::lowest_bit(static_cast<std::uint32_t>(word >> 32));
  }

  /// The index of element k of a visit.
  TESSERA_FN static std::int64_t index_of(std::int64_t index, unsigned k) {
    return index + static_cast<std::int64_t>(k / V * threads * V + k % V);
  }
  /// Calls visit(index) for this lane's element at the ends of the array, which fill no vector, if the piece has
  /// them.
  template <class Visit>
  TESSERA_FN void visit_ends(unsigned piece, Visit visit) const {
    auto const r = detail::range_of(task_.in, static_cast<stl::uint64_t>(task_.n));
    bool const has_front = piece == 0 && rank_ < r.front;
    unsigned const back = rank_ - r.front;
    bool const has_back = piece == share_.blocks - 1 && rank_ >= r.front && back < r.back;
    if (has_front || has_back)
      visit(has_front ? std::int64_t{rank_} : static_cast<std::int64_t>(r.back_index()) + back);
  }
  /// Calls visit(elements, index, valid) for this lane's elements of each step of a piece: element k is the array's
  /// index_of(index, k), if bit k of `valid` is set. All threads make the same calls.
  template <class Visit>
  TESSERA_FN void visit_steps(unsigned piece, Visit visit) const {
    constexpr unsigned vectors = Shape::template vectors<T, In>, stride = threads * V;
    static_assert(vectors * V <= 64);
    auto const r = detail::range_of(task_.in, static_cast<stl::uint64_t>(task_.n));
    auto const [begin, distance] = share_.steps_of(piece);
    auto const end = static_cast<std::int64_t>(r.vectors);
    TESSERA_LOOP
    for (std::int64_t first = begin; first < end; first += distance) {
      std::int64_t const index = r.front + (first + rank_) * V;
      In const from = tessera::detail::advanced(task_.in, index);
      std::int64_t const left = end - first;
      unsigned const here = left < share_.step ? static_cast<unsigned>(left) : share_.step;
      words<items<T, V>> loaded[vectors];
      std::uint64_t valid = ~std::uint64_t{0};
      if (here < threads * vectors) {
        unsigned const own = rank_ < here ? (here - rank_ - 1) / threads + 1 : 0;  // vectors that exist
        valid = own * V < 64 ? (std::uint64_t{1} << own * V) - 1 : valid;
        In const present =
            tessera::detail::advanced(task_.in, r.front + first * V);  // is loaded instead of those that don't
        TESSERA_UNROLL
        for (unsigned u = 0; u < vectors; ++u)
          loaded[u] = r.load_vector(u < own ? tessera::detail::advanced(from, u * stride) : present);
      } else if (share_.streaming) {
        detail::load_vectors<stride, load_streaming>(r, from, loaded);
      } else {
        detail::load_vectors<stride, load_default>(r, from, loaded);
      }
      visit(detail::elements_of<T>(loaded), index, valid);
    }
  }

  top_k_task<T, Key> const& task_;
  even_share const& share_;
  unsigned rank_;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
