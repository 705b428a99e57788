// Entries of a sorting network, and how two of them are compared.
//
//   sort(float, less)                 the float's sort key
//   sort(T, before)                   the T
//   stable_sort(T, before)            the T and its position, which decides between equal values
//   sort_by_key(Key, Value, before)   the key's sort key or the key, and the value; if stable, the position, too
#pragma once

#include <tessera/core/items.hpp>
#include <tessera/core/operator_traits.hpp>
#include <tessera/core/sort_key.hpp>
#include <tessera/core/words.hpp>

TESSERA_NAMESPACE_BEGIN

/// A lane's keys and their values, as sort_by_key returns them.
template <class Keys, class Values>
struct keys_and_values {
  Keys keys;
  Values values;
};

namespace detail {

/// Assigns `from` to `to`, in registers: for memory use store_element (load_store.hpp). A type that lanes exchange may
/// lack assignment: then this copies bytes one by one, which compilers get wrong of halves (docs/explanation/
/// compilers-faults.md).
template <class T>
TESSERA_FN void assign(T& to, T const& from) {
  if constexpr (stl::is_copy_assignable<T>::value) {
    to = from;
  } else {
    detail::copy_bytes(TESSERA_ADDRESS_OF(to), TESSERA_ADDRESS_OF(from), sizeof(T));
  }
}

/// As select(), for entries: a network has hundreds of selections, and nvcc compiles a bit cast of a struct without a
/// copy through memory. Sorts of structs compile in half the time.
template <class Entry>
TESSERA_FN Entry select_entry(bool first, Entry const& a, Entry const& b) {
#if TESSERA_BIT_CAST
  if constexpr (stl::is_class_v<Entry> && stl::is_trivially_copyable<Entry>::value && sizeof(Entry) % 4 == 0 &&
                sizeof(Entry) > 8) {
    auto w = compiler::bit_cast<words<Entry>>(a);
    auto const other = compiler::bit_cast<words<Entry>>(b);
    TESSERA_UNROLL
    for (unsigned i = 0; i < word_count<Entry>; ++i) w.word[i] = first ? w.word[i] : other.word[i];
    return compiler::bit_cast<Entry>(w);
  }
#endif
  return detail::select(first, a, b);
}

/// The number 1, computed in a way that the compiler can't see: a block has at least one thread.
TESSERA_FN stl::uint32_t opaque_one() {
  stl::uint32_t one = 1;
#if TESSERA_ARCH
  asm("{ .reg .u32 n; mov.u32 n, %%ntid.x; min.u32 %0, n, 1; }" : "=r"(one));
#endif
  return one;
}
/// `other` if p, else x. A GPU computes selections and comparisons on one pipe, and multiplications on another, which
/// is idle in a network: so this multiplies other by `one`. On an H200 a sort of 32 lanes with 4 keys takes 79 cycles,
/// with minima and maxima 96.
TESSERA_FN stl::uint32_t replace_if(bool p, stl::uint32_t x, stl::uint32_t other, [[maybe_unused]] stl::uint32_t one) {
#if TESSERA_ARCH
  asm("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p mad.lo.u32 %0, %2, %3, 0; }"
      : "+r"(x)
      : "r"(unsigned{p}), "r"(other), "r"(one));
  return x;
#else
  return p ? other : x;
#endif
}

// ---- Orders: how a network compares two entries.

/// Compares sort keys by minimum and maximum.
struct key_order {
  static constexpr bool may_be_wrong = false, is_cheap = true;

  template <class Key>
  TESSERA_FN void put_in_order(Key& low, Key& high) const {
    Key const a = low, b = high;
    low = b < a ? b : a;
    high = b < a ? a : b;
  }
  /// The entry that a lane keeps of its own and its partner's: the later one if `upper`. With `AmongMany` the lane has
  /// other entries to compare meanwhile, so that throughput counts and not latency; `one` is 1.
  template <bool AmongMany, class Key>
  TESSERA_FN Key keep(bool upper, Key const& mine, Key const& theirs, [[maybe_unused]] stl::uint32_t one) const {
    bool const is_earlier = mine < theirs;
    if constexpr (sizeof(Key) == 8) {
      return is_earlier == upper ? theirs : mine;
    } else if constexpr (AmongMany) {
      return detail::replace_if(is_earlier == upper, mine, theirs, one);
    } else {
      Key const least = is_earlier ? mine : theirs, greatest = is_earlier ? theirs : mine;
      return upper ? greatest : least;
    }
  }
  template <class Key>
  TESSERA_FN Key earlier(Key const& a, Key const& b) const {
    return b < a ? b : a;
  }
};

/// Compares entries by a comparator. Equal entries stay where they are.
template <class Before>
struct comparator_order {
  static constexpr bool may_be_wrong = !Before::is_cheap, is_cheap = Before::is_cheap;
  Before before;

  /// False if two entries each come before the other, or one before itself.
  template <class Entry>
  TESSERA_FN bool is_strict(Entry const& a, Entry const& b) const {
    return !before(a, a) && !(before(a, b) && before(b, a));
  }

  template <class Entry>
  TESSERA_FN void put_in_order(Entry& low, Entry& high) const {
    bool const swap = before(high, low);
    Entry const a = detail::select_entry(swap, high, low), b = detail::select_entry(swap, low, high);
    detail::assign(low, a);
    detail::assign(high, b);
  }
  template <bool, class Entry>
  TESSERA_FN Entry keep(bool upper, Entry const& mine, Entry const& theirs, stl::uint32_t) const {
    bool swap = false;
    if constexpr (Before::is_cheap) {  // if equal, the lower lane's comes first, in both lanes
      swap = before.or_tie(mine, theirs, !upper) == upper;
    } else {  // one call, with the same arguments in both lanes
      swap = before(detail::select_entry(upper, mine, theirs), detail::select_entry(upper, theirs, mine));
    }
    return detail::select_entry(swap, theirs, mine);
  }
  template <class Entry>
  TESSERA_FN Entry earlier(Entry const& a, Entry const& b) const {
    return keep<false>(false, a, b, 1);
  }
};

// ---- Fields: how the compared value is represented.

/// Represents the value by its sort key.
template <class T, class Before>
struct key_field {
  static constexpr bool is_key = true, is_cheap = true;
  static constexpr bool is_falling = stl::is_same_v<Before, greater>;
  using type = sort_key_t<T>;

  TESSERA_FN explicit key_field(Before const&) {}
  TESSERA_FN type encode(T const& x) const { return detail::sort_key_of<is_falling>(x); }
  TESSERA_FN T decode(type x) const { return detail::number_of_sort_key<is_falling, T>(x); }
  TESSERA_FN bool before(type a, type b) const { return a < b; }
  /// True if a comes before b; if they are equal, `tie`.
  TESSERA_FN bool before_or_tie(type a, type b, bool tie) const {
    if constexpr (sizeof(type) == 4) {
      // One 64-bit comparison, whose lower half is the same for all items of a lane.
      return (stl::uint64_t{a} << 32 | (tie ? 0u : 1u)) < (stl::uint64_t{b} << 32 | (tie ? 1u : 0u));
    } else {
      return tie ? a <= b : a < b;
    }
  }
};

/// Represents the value by itself.
template <class T, class Before>
struct plain_field {
  static constexpr bool is_key = false;
  static constexpr bool is_cheap = (stl::is_same_v<Before, less> || stl::is_same_v<Before, greater>)&&is_number<T>;
  using type = T;

  TESSERA_FN explicit plain_field(Before const& before) : before_(before) {}
  TESSERA_FN T encode(T const& x) const { return x; }
  TESSERA_FN T decode(T const& x) const { return x; }
  TESSERA_FN bool before(T const& a, T const& b) const { return static_cast<bool>(before_(a, b)); }
  TESSERA_FN bool before_or_tie(T const& a, T const& b, bool tie) const { return tie ? !before(b, a) : before(a, b); }

 private:
  Before before_;
};

/// True if equal values have the same bits, so that their order can't be observed. For floats it is false: −0 equals
/// +0.
template <class T>
inline constexpr bool equal_is_identical = !is_any_float<T>;

template <bool Stable, class T, class Before>
using sort_field = stl::conditional_t<has_sort_key<T, Before> && (!Stable || equal_is_identical<T>),
                                      key_field<T, Before>, plain_field<T, Before>>;

/// The keys of numbers in sorts by digits: equal numbers have the same key if their order can be observed.
template <bool Stable, class T, class Before>
struct digit_key {
  static constexpr bool is_falling = stl::is_same_v<Before, greater>;
  static constexpr bool has_number = !Stable || equal_is_identical<T>;
  using type = sort_key_t<T>;

  TESSERA_FN static type of(T const& x) {
    type const key = detail::sort_key_of<is_falling>(x);
    if constexpr (has_number) {
      return key;
    } else {
      using image = float_image<T>;
      return image::key_of_equal(static_cast<typename image::bits>(key));
    }
  }
  /// The number of a key, if `has_number`.
  TESSERA_FN static T number_of(type key) { return detail::number_of_sort_key<is_falling, T>(key); }
};

// ---- Entries.

template <class Key, class Position = stl::uint32_t>
struct stable_entry {
  Key key;
  Position position;
};
template <class Key, class Value>
struct pair_entry {
  Key key;
  Value value;
};
template <class Key, class Value>
struct stable_pair_entry {
  Key key;
  stl::uint32_t position;
  Value value;
};

}  // namespace detail

template <class Key, class Position>
struct is_exchangeable<detail::stable_entry<Key, Position>> : is_exchangeable<Key> {};
template <class Key, class Value>
struct is_exchangeable<detail::pair_entry<Key, Value>>
    : stl::bool_constant<is_exchangeable_v<Key> && is_exchangeable_v<Value>> {};
template <class Key, class Value>
struct is_exchangeable<detail::stable_pair_entry<Key, Value>>
    : stl::bool_constant<is_exchangeable_v<Key> && is_exchangeable_v<Value>> {};

namespace detail {

/// Compares entries by their key; of equal ones the lower position comes first, if they have positions.
template <class Field, bool Stable>
struct entry_before {
  static constexpr bool is_cheap = Field::is_cheap;
  Field field;

  template <class Entry>
  TESSERA_FN bool operator()(Entry const& a, Entry const& b) const {
    if constexpr (Stable) {
      bool const first = field.before(a.key, b.key), second = field.before(b.key, a.key);
      return first || (!second && a.position < b.position);
    } else {
      return field.before(a.key, b.key);
    }
  }
  /// Compares likewise; if the keys are equal and have no positions, the result is `tie`.
  template <class Entry>
  TESSERA_FN bool or_tie(Entry const& a, Entry const& b, [[maybe_unused]] bool tie) const {
    if constexpr (Stable) {
      return (*this)(a, b);
    } else {
      return field.before_or_tie(a.key, b.key, tie);
    }
  }
};
/// Compares likewise, but positions with the bit `excluded` belong to values that take no part: they come after all
/// others, in the order of their positions, and are never compared.
template <class Before>
struct counted_before {
  static constexpr stl::uint32_t excluded = stl::uint32_t{1} << 31;
  static constexpr bool is_cheap = Before::is_cheap;
  Before before;

  template <class Entry>
  TESSERA_FN bool operator()(Entry const& a, Entry const& b) const {
    if (((a.position | b.position) & excluded) != 0) return a.position < b.position;
    return before(a, b);
  }
  template <class Entry>
  TESSERA_FN bool or_tie(Entry const& a, Entry const& b, bool) const {
    return (*this)(a, b);
  }
};
/// Compares values that have no position.
template <class Field>
struct value_before {
  static constexpr bool is_cheap = Field::is_cheap;
  Field field;

  template <class T>
  TESSERA_FN bool operator()(T const& a, T const& b) const {
    return field.before(a, b);
  }
  template <class T>
  TESSERA_FN bool or_tie(T const& a, T const& b, bool tie) const {
    return field.before_or_tie(a, b, tie);
  }
};

// ---- Forms: how sort_in_form represents a lane's items.

/// The order of entries with positions. With `Counted` some may take no part.
template <bool Counted, class Field>
TESSERA_FN auto order_with_positions(Field const& field) {
  using before = entry_before<Field, true>;
  if constexpr (Counted) {
    return comparator_order<counted_before<before>>{{{field}}};
  } else {
    return comparator_order<before>{{field}};
  }
}

/// Values alone. With `Stable` they have positions if equal values can be distinguished, with `Counted` always.
template <bool Stable, class T, class Before, bool Counted = false>
class value_form {
  using field_t = sort_field<Stable, T, Before>;
  static constexpr bool has_position = Counted || (Stable && !field_t::is_key);

 public:
  static constexpr bool may_branch = !field_t::is_cheap;
  static constexpr bool has_digits = has_sort_key<T, Before> && !Counted;
  using entry = stl::conditional_t<has_position, stable_entry<typename field_t::type>, typename field_t::type>;
  using digits = digit_key<Stable, T, Before>;

  TESSERA_FN explicit value_form(Before const& before) : field_(before) {}

  TESSERA_FN auto order() const {
    if constexpr (has_position) {
      return detail::order_with_positions<Counted>(field_);
    } else if constexpr (field_t::is_key) {
      return key_order{};
    } else {
      return comparator_order<value_before<field_t>>{{field_}};
    }
  }
  template <unsigned K>
  TESSERA_FN entry entry_of(items<T, K> const& x, unsigned i, [[maybe_unused]] unsigned position) const {
    if constexpr (has_position) {
      return {field_.encode(x[i]), position};
    } else {
      return field_.encode(x[i]);
    }
  }
  template <unsigned K>
  TESSERA_FN void store(entry const& from, items<T, K>& to, unsigned i) const {
    if constexpr (has_position) {
      detail::assign(to[i], field_.decode(from.key));
    } else {
      detail::assign(to[i], field_.decode(from));
    }
  }

 private:
  field_t field_;
};

/// Keys with their values.
template <bool Stable, class Key, class Value, class Before, bool Counted = false>
class pair_form {
  static_assert(Stable || !Counted);
  using field_t = sort_field<Stable, Key, Before>;
  using key_t = typename field_t::type;

 public:
  static constexpr bool may_branch = !field_t::is_cheap;
  static constexpr bool has_digits = has_sort_key<Key, Before> && !Counted;
  using entry = stl::conditional_t<Stable, stable_pair_entry<key_t, Value>, pair_entry<key_t, Value>>;
  using digits = digit_key<Stable, Key, Before>;

  TESSERA_FN explicit pair_form(Before const& before) : field_(before) {}

  TESSERA_FN auto order() const {
    if constexpr (Stable) {
      return detail::order_with_positions<Counted>(field_);
    } else {
      return comparator_order<entry_before<field_t, false>>{{field_}};
    }
  }

  template <class Source>
  TESSERA_FN entry entry_of(Source const& x, unsigned i, [[maybe_unused]] unsigned position) const {
    if constexpr (Stable) {
      return {field_.encode(x.keys[i]), position, x.values[i]};
    } else {
      return {field_.encode(x.keys[i]), x.values[i]};
    }
  }
  template <class Source>
  TESSERA_FN void store(entry const& from, Source& to, unsigned i) const {
    detail::assign(to.keys[i], field_.decode(from.key));
    detail::assign(to.values[i], from.value);
  }

 private:
  field_t field_;
};

}  // namespace detail
TESSERA_NAMESPACE_END
