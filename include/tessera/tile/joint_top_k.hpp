// The first values of a range in memory, found by a queue into which a group's lanes push the elements that they load.
#pragma once

#include <tessera/tile/checked_arguments.hpp>
#include <tessera/tile/joint_reduce.hpp>
#include <tessera/tile/ranges.hpp>
#include <tessera/tile/top_k_queue.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// A lane's vectors of one step: as many as are in flight, limited to 32 elements and to 128 bytes of values.
template <class T, class R, class It>
TESSERA_FN constexpr unsigned vectors_of_push() {
  constexpr unsigned length = read_length<T, It>;
  unsigned vectors = vectors_in_flight<T, It>;
  while (vectors > 1 && (vectors * length > 32 || vectors * length * sizeof(R) > 128)) vectors /= 2;
  return vectors;
}

/// Pushes all elements of a range. `value` gives an element's value; its position is its index.
template <class Queue, class R, class Group, class Form, class T, class Count, class It, class Value>
class range_pusher {
  static constexpr unsigned N = Group::size, V = read_length<T, It>, D = vectors_of_push<T, R, It>();
  using vector_t = items<T, V>;
  using position_t = typename Form::position_type;

 public:
  TESSERA_FN range_pusher(Queue& queue, Group group, Form const& form, range<T, Count, It> const& r, Value const& value)
      : queue_(queue), group_(group), form_(form), range_(r), value_(value) {}

  /// Pushes all elements from the first to the last, so that the queue keeps the first of equal ones. The elements
  /// before and after the vectors are pushed by the same code.
  TESSERA_FN void push_all() {
    TESSERA_LOOP
    for (unsigned end = 0; end < 2; ++end) {
      push_elements(end == 0 ? 0 : range_.back_index(), end == 0 ? range_.front : range_.back);
      if (end == 0) push_vectors();
    }
  }

 private:
  /// Pushes `count` elements from `first` on, one a lane at a time.
  TESSERA_FN void push_elements(Count first, unsigned count) {
    unsigned const rank = group_.rank();
    TESSERA_LOOP
    for (unsigned from = 0; detail::any_tile(group_, from < count); from += N) {
      bool const exists = from + rank < count;
      Count const index = first + from + rank;
      auto x = detail::from_words<items<R, 1>>({});
      if (exists) detail::assign(x[0], value_(detail::from_words<T>(range_.load(index)), index));
      queue_.push(detail::queue_group(group_), form_, x, exists ? 1u : 0u,
                  [&](unsigned) { return static_cast<position_t>(index); });
    }
  }

  /// Pushes the vectors, D a lane at a time.
  TESSERA_FN void push_vectors() {
    unsigned const rank = group_.rank();
    Count left = range_.vectors, index = range_.front + rank * V;
    TESSERA_LOOP
    while (detail::any_tile(group_, left > 0)) {
      unsigned const here = left < D * N ? static_cast<unsigned>(left) : D * N;
      auto x = detail::from_words<items<R, D * V>>({});
      stl::uint32_t const there = load(x, index, here > rank ? here - rank : 0);
      queue_.push(detail::queue_group(group_), form_, x, there,
                  [&](unsigned i) { return static_cast<position_t>(index) + i / V * N * V + i % V; });
      left -= here;
      index += D * N * V;
    }
  }

  /// Loads the lane's next vectors, every N-th of `count`, as values. Returns a bit for each that exists.
  TESSERA_FN stl::uint32_t load(items<R, D * V>& x, Count index, unsigned count) const {
    constexpr stl::uint32_t of_vector = ~stl::uint32_t{0} >> (32 - V);
    words<vector_t> loaded[D] = {};
    TESSERA_UNROLL
    for (unsigned u = 0; u < D; ++u) {
      if (u * N < count)
        loaded[u] = range_.load_vector(detail::advanced(detail::advanced(range_.first, index), u * N * V));
    }
    stl::uint32_t there = 0;
    TESSERA_UNROLL
    for (unsigned u = 0; u < D; ++u) {
      if (u * N < count) {
        auto const elements = detail::from_words<vector_t>(loaded[u]);
        TESSERA_UNROLL
        for (unsigned j = 0; j < V; ++j) detail::assign(x[u * V + j], value_(elements[j], index + (u * N * V + j)));
        there |= of_vector << (u * V);
      }
    }
    return there;
  }

  Queue& queue_;
  Group group_;
  Form const& form_;
  range<T, Count, It> const& range_;
  Value const& value_;
};

/// The first K of the values of a range's elements.
template <unsigned K, collective_row const& Collective, class Tile, class It, class Integer, class Before, class F,
          class Policy>
TESSERA_FN auto joint_select(Tile const& tile, It const& first, Integer n, Before const& before, F const& f,
                             Policy const& policy, call_site site) {
  using T = value_of<It>;
  require_range<Tile, T, Integer>();
  static_assert(takes_element<Integer, T, F>,
                "f(x) or f(x, index) takes an element, and its index in the range, and can be called while const.");
  require_function<Tile, Integer, F, T>();
  using R = typename applied<Integer, F, T>::type;
  using comparator = canonical_comparator_t<Before, R>;
  require_exchangeable<R>();
  require_selection_order<Tile, Before, R>();
  static_assert(K >= 1 && K <= 1024, "joint_top_k<K>(tile, first, n): K is 1 ... 1024.");
  auto const count = detail::count_of(n);
  using count_type = count_t<Integer>;
  auto const form = detail::selection_form<R, count_type>(detail::canonical_comparator<R>(before));
  using form_t = stl::remove_const_t<decltype(form)>;
  return detail::collective<Collective, T, comparator>(
      tile, policy, site, detail::uniform_of_range(first, count), [&](group_of<Tile, Policy> group) {
        if constexpr (meets_by_exchange<decltype(group)>)
          group.ballot(true);  // reports lanes that differ before memory is read
        detail::require_elements(group, first, count);
        constexpr unsigned lanes = tile_size_v<Tile> < 32 ? tile_size_v<Tile> : 32;
        using queue_t = queue_state<K, R, form_t, lanes>;
        auto const r = detail::range_of(first, count);
        auto const value = [&](T const& x, count_type index) -> R { return detail::apply<Integer>(f, x, index); };
        queue_t queue;
        range_pusher<queue_t, R, decltype(group), form_t, T, count_type, It, decltype(value)> pusher(queue, group, form,
                                                                                                     r, value);
        pusher.push_all();
        return queue.template best<Policy>(group, form);
      });
}

}  // namespace detail

// The call without K, or with K after the range.
template <class Tile, class First, class Integer, class... Rest>
TESSERA_FN detail::anything joint_top_k(Tile const&, First const&, Integer, Rest const&...) {
  static_assert(detail::never<Tile>,
                "joint_top_k<K>(tile, first, n): K is a constant: write tessera::joint_top_k<5>(tile, first, n).");
  return {};
}
TESSERA_NAMESPACE_END
