// argmin and argmax of a warp by `redux.sync`: first over the values, then over the indices of the lanes that have the
// best value.
//
//   values     3  1  2  1        indices   4  9  6  7
//   keys       …  p  …  p        unsigned integers in the order of the values; their minimum is found a word at a time
//   best       .  x  .  x
//   of these   .  .  .  x        the minimum of their indices; a vote finds the lane that has it
//   result     1 at 7            a shuffle from that lane
//
// The operator itself would take a dozen instructions on value and index for each of five steps.
#pragma once

#include <tessera/group/warp_group.hpp>
#include <tessera/operators/selection.hpp>
#include <tessera/operators/zip.hpp>
#include <tessera/warp/redux.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// The value and index that argmin and argmax compare, if both have ordered keys: a number of up to 64 bits and an
/// integer.
template <class T, class Index>
struct value_and_index {
  static constexpr bool known =
      (is_integer<T> || stl::is_same_v<T, float> || stl::is_same_v<T, double> || is_half<T>)&&is_integer<Index> &&
      sizeof(T) <= 8 && sizeof(Index) <= 8;
};
template <class X>
struct as_indexed {
  static constexpr bool known = false;
};
template <class T, class Index>
struct as_indexed<indexed<T, Index>> : value_and_index<T, Index> {
  TESSERA_FN static T value(indexed<T, Index> const& x) { return x.value; }
  TESSERA_FN static Index index(indexed<T, Index> const& x) { return x.index; }
};
template <class T, class Index, class... Rest>
struct as_indexed<zipped<T, Index, Rest...>> : value_and_index<T, Index> {
  TESSERA_FN static T value(zipped<T, Index, Rest...> const& x) { return detail::member_of<0>(x); }
  TESSERA_FN static Index index(zipped<T, Index, Rest...> const& x) { return detail::member_of<1>(x); }
};

/// The ordered key of a number: an unsigned integer whose minimum belongs to the number that argmin (argmax) takes.
/// Equal numbers have equal keys, −0 the key of +0, and the key of NaN is the least.
template <bool Greatest, class T>
TESSERA_FN auto ordered_key(T x) {
  using place_t = stl::conditional_t<sizeof(T) == 8, stl::uint64_t, stl::uint32_t>;
  constexpr place_t sign = place_t{1} << (8 * sizeof(place_t) - 1);
  place_t place = 0;
  if constexpr (is_integer<T>) {
    place = static_cast<place_t>(x) ^ (is_signed_integer<T> ? sign : 0);
  } else {
    using bits_t = stl::conditional_t<sizeof(T) == 8, stl::int64_t,
                                      stl::conditional_t<sizeof(T) == 4, stl::int32_t, stl::int16_t>>;
    auto image = detail::ordered_key_of_bits(detail::from_bits<bits_t>(x));
    if (image == -1) image = 0;  // −0
    if (detail::is_nan(x)) image = Greatest ? highest<bits_t>() : lowest<bits_t>();
    place = static_cast<place_t>(image) ^ sign;
  }
  return Greatest ? ~place : place;
}

/// A number with this key: one represents all zeros, and one all NaNs.
template <bool Greatest, class T, class Backend>
TESSERA_FN T number_of_key(Backend place) {
  constexpr Backend sign = Backend{1} << (8 * sizeof(Backend) - 1);
  if (Greatest) place = ~place;
  if constexpr (is_integer<T>) {
    return static_cast<T>(is_signed_integer<T> ? place ^ sign : place);
  } else {
    using bits_t = stl::conditional_t<sizeof(T) == 8, stl::int64_t,
                                      stl::conditional_t<sizeof(T) == 4, stl::int32_t, stl::int16_t>>;
    return detail::from_bits<T>(detail::ordered_key_of_bits(static_cast<bits_t>(place ^ sign)));
  }
}

/// True if this lane is `among` the candidates and has the least of their keys. Called by all lanes.
template <class Group, class Backend>
TESSERA_FN bool is_first(Group group, bool among, Backend place) {
  TESSERA_UNROLL
  for (unsigned w = sizeof(Backend) / 4; w-- > 0;) {
    auto const word = static_cast<stl::uint32_t>(place >> (32 * w));
    auto const least = detail::redux<minimum>(group.tile_mask(), among ? word : ~0u);
    among = among && word == least;
  }
  return among;
}

/// The best value, its index and the members after that, from the lowest lane that has both. An unconditional `redux`
/// over the indices is cheaper than testing for ties.
template <bool Greatest, class Group, class X>
TESSERA_FN X redux_indexed(Group group, X const& x) {
  auto const index = detail::ordered_key<false>(as_indexed<X>::index(x));
  bool is_best = detail::is_first(group, true, detail::ordered_key<Greatest>(as_indexed<X>::value(x)));
  if constexpr (sizeof(index) == 4) is_best = detail::is_first(group, is_best, index);
  unsigned best = group.votes(is_best);
  if constexpr (sizeof(index) > 4) {
    if ((best & (best - 1)) != 0) best = group.votes(detail::is_first(group, is_best, index));
  }
  return group.shuffle(x, detail::lowest_bit(best) % Group::size);
}

}  // namespace detail
TESSERA_NAMESPACE_END
