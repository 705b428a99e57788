// Entries of a selection of the first K values, and how two of them are compared.
//
//   top_k(float)                        the float's sort key: equal keys are the same bits, so no position is needed
//   top_k(indexed<float, int>)          64 bits, the sort key above the index
//   top_k(any other T, any order)       the T and its position in the tile or range, which decides between equal values
//
// An entry that doesn't exist, because first(n) or a padded row of items leaves it out, comes after all others.
#pragma once

#include <tessera/core/canonical_key.hpp>
#include <tessera/core/sort_entry.hpp>
#include <tessera/core/sort_key.hpp>
#include <tessera/operators/basic.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// Numbers with their index.
template <class T>
struct indexed_number {
  static constexpr bool known = false, fits_64_bits = false;
};
template <class T, class Index>
struct indexed_number<indexed<T, Index>> {
  static constexpr bool known = is_number<T> && is_integer<Index>;
  static constexpr bool fits_64_bits =
      is_ordered_number<T> && is_integer<Index> && sizeof(T) <= 4 && sizeof(Index) <= 4;
};
template <class Before>
inline constexpr bool is_less_or_greater = stl::is_same_v<Before, less> || stl::is_same_v<Before, greater>;

// ---- Orders

/// The position of an entry that doesn't exist. No value has it, since there are fewer values than positions.
template <class Position>
inline constexpr Position no_position = static_cast<Position>(~Position{0});
/// True if an entry with a position exists.
template <class Entry>
TESSERA_FN bool has_position(Entry const& x) {
  return x.position != no_position<decltype(x.position)>;
}

/// Compares values by `before`; of equal ones the lower position comes first, and entries that don't exist come last. A
/// `before` that isn't cheap isn't called for the value of such an entry, which may be invalid.
template <class Before, bool IsCheap>
struct position_before {
  static constexpr bool is_cheap = IsCheap;
  Before before;

  template <class Entry>
  TESSERA_FN bool operator()(Entry const& a, Entry const& b) const {
    bool const a_exists = detail::has_position(a), b_exists = detail::has_position(b);
    if constexpr (!IsCheap) {
      if (!a_exists || !b_exists) return a_exists && !b_exists;
    }
    bool const first = static_cast<bool>(before(a.key, b.key)), second = static_cast<bool>(before(b.key, a.key));
    bool const in_order = first || (!second && a.position < b.position);
    return a_exists && (!b_exists || in_order);
  }
  /// Compares likewise; if neither exists, the result is `tie`.
  template <class Entry>
  TESSERA_FN bool or_tie(Entry const& a, Entry const& b, bool tie) const {
    return tie ? !(*this)(b, a) : (*this)(a, b);
  }
};
/// Compares indexed numbers by their values, and equal ones by their indices.
template <class Before>
struct indexed_before {
  template <class T, class Index>
  TESSERA_FN bool operator()(indexed<T, Index> const& a, indexed<T, Index> const& b) const {
    Before const before{};
    bool const first = before(a.value, b.value), second = before(b.value, a.value);
    return first || (!second && a.index < b.index);
  }
};

/// True if an entry comes before another.
template <class Entry>
TESSERA_FN bool comes_before(key_order const&, Entry const& a, Entry const& b) {
  return a < b;
}
template <class Before, class Entry>
TESSERA_FN bool comes_before(comparator_order<Before> const& order, Entry const& a, Entry const& b) {
  return order.before(a, b);
}

// ---- Forms: how a lane's values are represented.

/// Numbers by less or greater, as their sort keys.
template <class T, class Before>
class number_selection {
  static constexpr bool is_falling = stl::is_same_v<Before, greater>;

 public:
  static constexpr bool may_branch = false;
  using position_type = stl::uint32_t;
  using entry = sort_key_t<T>;
  static constexpr bool has_digits = is_any_float<T> && sizeof(entry) == 8;

  TESSERA_FN explicit number_selection(Before const&) {}
  TESSERA_FN key_order order() const { return {}; }
  TESSERA_FN entry encode(T const& x, unsigned) const { return detail::sort_key_of<is_falling>(x); }
  TESSERA_FN T decode(entry const& x) const { return detail::number_of_sort_key<is_falling, T>(x); }
  TESSERA_FN static void leave_out(entry& x) { x = ~entry{0}; }
  TESSERA_FN static entry nothing() { return ~entry{0}; }
  /// is_open: true if any value may come before the threshold, because `last` is NaN or doesn't exist. may_come_before:
  /// false only if x doesn't come before `last`.
  TESSERA_FN static bool is_open(entry const& key, T const& last) { return key == nothing() || detail::is_nan(last); }
  TESSERA_FN bool may_come_before(T const& x, T const& last) const {
    return is_falling ? detail::is_less(last, x) : detail::is_less(x, last);
  }
};

/// Numbers of up to 32 bits with their indices: the key above the index.
template <class X, class Before>
class indexed_selection;
template <class T, class Index, class Before>
class indexed_selection<indexed<T, Index>, Before> {
  static constexpr bool is_falling = stl::is_same_v<Before, greater>;

 public:
  static constexpr bool may_branch = false;
  using position_type = stl::uint32_t;
  using entry = stl::uint64_t;
  static constexpr bool has_digits = is_any_float<T>;

  TESSERA_FN explicit indexed_selection(Before const&) {}
  TESSERA_FN key_order order() const { return {}; }

  TESSERA_FN entry encode(indexed<T, Index> const& x, unsigned) const {
    return entry{key_of(x.value)} << 32 | detail::sort_key_of<false>(x.index);
  }
  TESSERA_FN indexed<T, Index> decode(entry const& x) const {
    return {number_of(static_cast<stl::uint32_t>(x >> 32)),
            detail::number_of_sort_key<false, Index>(static_cast<stl::uint32_t>(x))};
  }
  TESSERA_FN static void leave_out(entry& x) { x = ~entry{0}; }
  TESSERA_FN static entry nothing() { return ~entry{0}; }
  TESSERA_FN static bool is_open(entry const& key, indexed<T, Index> const& last) {
    return key == nothing() || detail::is_nan(last.value);
  }
  TESSERA_FN bool may_come_before(indexed<T, Index> const& x, indexed<T, Index> const& last) const {
    return is_falling ? !detail::is_less(x.value, last.value) : !detail::is_less(last.value, x.value);
  }

 private:
  TESSERA_FN static stl::uint32_t key_of(T const& x) {
    if constexpr (is_any_float<T>) {
      return canonical_key<is_falling>::of(detail::convert<float>(x));
    } else {
      return detail::sort_key_of<is_falling>(x);
    }
  }
  TESSERA_FN static T number_of(stl::uint32_t key) {
    if constexpr (is_any_float<T>) {
      return detail::convert<T>(canonical_key<is_falling>::number(key));
    } else {
      return detail::number_of_sort_key<is_falling, T>(key);
    }
  }
};

/// Values of any type, with their positions.
template <class T, class Before, bool IsCheap, class Position>
class position_selection {
 public:
  static constexpr bool may_branch = !IsCheap;
  using position_type = Position;
  using entry = stable_entry<T, Position>;
  static constexpr bool has_digits = false;

  TESSERA_FN explicit position_selection(Before const& before) : before_(before) {}
  TESSERA_FN auto order() const { return comparator_order<position_before<Before, IsCheap>>{{before_}}; }
  TESSERA_FN entry encode(T const& x, Position position) const { return {x, position}; }
  TESSERA_FN T decode(entry const& x) const { return x.key; }
  TESSERA_FN static void leave_out(entry& x) { x.position = no_position<Position>; }
  TESSERA_FN static entry nothing() {
    entry x = detail::from_words<entry>({});
    x.position = no_position<Position>;
    return x;
  }
  TESSERA_FN static bool is_open(entry const& last, T const&) { return !detail::has_position(last); }
  TESSERA_FN bool may_come_before(T const& x, T const& last) const { return static_cast<bool>(before_(x, last)); }

 private:
  Before before_;
};

/// The form for values of T in the order of Before. Positions, if needed, have a type that can number all values.
template <class T, class Position = stl::uint32_t, class Before>
TESSERA_FN auto selection_form(Before const& before) {
  if constexpr (has_sort_key<T, Before>) {
    return number_selection<T, Before>(before);
  } else if constexpr (indexed_number<T>::known && is_less_or_greater<Before>) {
    if constexpr (indexed_number<T>::fits_64_bits) {
      return indexed_selection<T, Before>(before);
    } else {
      return position_selection<T, indexed_before<Before>, true, Position>({});
    }
  } else {
    constexpr bool is_cheap = is_less_or_greater<Before> && is_number<T>;
    return position_selection<T, Before, is_cheap, Position>(before);
  }
}

}  // namespace detail
TESSERA_NAMESPACE_END
