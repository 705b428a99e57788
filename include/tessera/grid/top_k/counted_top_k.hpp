// Selections from as many elements as the device knows. The selection is one of at_most elements, in which those from
// the number on come last, and are neither read nor stored.
//
//   in        3 9 2 9 7 . . .        the number is 5, at_most 8
//   elements  3 9 2 9 7 – – –        – has the key of what comes last, and a greater index than all that exist
#pragma once

#include <tessera/core/iterators.hpp>
#include <tessera/core/number.hpp>
#include <tessera/core/words.hpp>
#include <tessera/grid/parts/counted.hpp>
#include <tessera/grid/top_k/top_k_state.hpp>
#include <tessera/tile/load_store.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class T>
struct counted_element {
  T value;  // zeros if it doesn't exist
  bool exists;
};

/// A reader of at_most elements.
template <class In>
struct counted_reader {
  using value_type = counted_element<tessera::detail::value_of<In>>;
  using difference_type = std::int64_t;
  In in;
  device_count n;
  std::int64_t at = 0;

  TESSERA_FN value_type operator*() const {
    using T = tessera::detail::value_of<In>;
    if (at < detail::count_now(n)) return {tessera::detail::read_element(in, at), true};
    return {tessera::detail::from_words<T>({}), false};
  }
  TESSERA_FN counted_reader operator+(std::int64_t i) const { return {in, n, at + i}; }
};

/// The key of an element, or `last`.
template <class F, class Number>
struct counted_key {
  F key;
  Number last;

  template <class T>
  TESSERA_FN Number operator()(counted_element<T> const& x) const {
    if (x.exists) return key(x.value);
    return last;
  }
};
/// The number that comes last: NaN of floats.
template <class Number>
TESSERA_FN constexpr Number number_that_comes_last(bool falling) {
  if constexpr (tessera::detail::is_float<Number> || tessera::detail::is_half<Number>) {
    using bits = typename tessera::detail::unsigned_of<sizeof(Number)>::type;
    return tessera::detail::from_bits<Number>(static_cast<bits>(static_cast<bits>(~bits{0}) >> 1));
  } else {
    return falling ? (stl::numeric_limits<Number>::lowest)() : (stl::numeric_limits<Number>::max)();
  }
}

/// Stores the values of elements that exist.
template <class Out>
struct counted_values {
  using difference_type = std::int64_t;
  Out out;
  std::int64_t at = 0;

  struct reference {
    counted_values const& to;
    template <class T>
    TESSERA_FN void operator=(counted_element<T> const& x) const {
      if (x.exists && detail::is_given(to.out)) tessera::detail::store_at(to.out, to.at, x.value);
    }
  };
  TESSERA_FN reference operator*() const { return {*this}; }
  TESSERA_FN counted_values operator+(std::int64_t i) const { return {out, at + i}; }
};
/// Stores the indices of elements that exist.
template <class Out>
struct counted_indices {
  using difference_type = std::int64_t;
  Out out;
  device_count n;
  std::int64_t at = 0;

  struct reference {
    counted_indices const& to;
    TESSERA_FN void operator=(std::int64_t index) const {
      if (index < detail::count_now(to.n) && detail::is_given(to.out)) tessera::detail::store_at(to.out, to.at, index);
    }
  };
  TESSERA_FN reference operator*() const { return {*this}; }
  TESSERA_FN counted_indices operator+(std::int64_t i) const { return {out, n, at + i}; }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
