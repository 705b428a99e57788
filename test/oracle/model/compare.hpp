// Compares a lane's result with the model's, bit for bit except for the payload of a NaN.
#pragma once

#include "number.hpp"
#include "tile.hpp"
#include "vote.hpp"

#include <tessera/core/items.hpp>
#include <tessera/core/lane_mask.hpp>
#include <tessera/operators.hpp>

#include <cstring>
#include <utility>

namespace oracle::model {

template <class T, class = void>
inline constexpr bool has_equality = false;
template <class T>
inline constexpr bool has_equality<T, std::void_t<decltype(std::declval<T const&>() == std::declval<T const&>())>> =
    true;

/// Floats agree if both are NaN, or if they have the same bits. Structs agree by their operator ==, or by
/// their bytes.
template <class T>
bool agrees(T const& a, T const& b) {
  if constexpr (is_number<T>) {
    if (is_nan(a) || is_nan(b)) return is_nan(a) && is_nan(b);
    if constexpr (is_float<T>)
      return is_negative(a) == is_negative(b) && static_cast<arithmetic_t<T>>(a) == static_cast<arithmetic_t<T>>(b);
    else
      return a == b;
  } else if constexpr (has_equality<T>) {
    return a == b;
  } else {
    return std::memcmp(&a, &b, sizeof(T)) == 0;
  }
}

template <class T, class Index>
bool agrees(tessera::indexed<T, Index> const& a, tessera::indexed<T, Index> const& b) {
  return agrees(a.value, b.value) && agrees(a.index, b.index);
}
template <class T>
bool agrees(tessera::affine_map<T> const& a, tessera::affine_map<T> const& b) {
  return agrees(a.a, b.a) && agrees(a.b, b.b);
}
template <class T>
bool agrees(tessera::moments<T> const& a, tessera::moments<T> const& b) {
  return agrees(a.count, b.count) && agrees(a.mean, b.mean) && agrees(a.m2, b.m2);
}

/// The sums may differ between host and GPU by 4 units in the last place for each combination.
template <class T>
bool agrees(tessera::exp_sum<T> const& a, tessera::exp_sum<T> const& b) {
  if (!agrees(a.max, b.max)) return false;
  T const room = 64 * std::numeric_limits<T>::epsilon() * std::fabs(a.sum);
  return agrees(a.sum, b.sum) || std::fabs(a.sum - b.sum) <= room;
}
template <class T>
bool agrees(tessera::min_max<T> const& a, tessera::min_max<T> const& b) {
  return agrees(a.min, b.min) && agrees(a.max, b.max);
}
template <class T, unsigned K>
bool agrees(tessera::selection<T, K> const& a, tessera::selection<T, K> const& b) {
  for (unsigned i = 0; i < K; ++i)
    if (!agrees(a[i], b[i])) return false;
  return true;
}
template <class... T, std::size_t... I>
bool members_agree(tessera::zipped<T...> const& a, tessera::zipped<T...> const& b, std::index_sequence<I...>);
template <class... T>
bool agrees(tessera::zipped<T...> const& a, tessera::zipped<T...> const& b) {
  return members_agree(a, b, std::index_sequence_for<T...>{});
}
template <class T, unsigned K>
bool agrees(tessera::items<T, K> const& a, tessera::items<T, K> const& b) {
  for (unsigned i = 0; i < K; ++i)
    if (!agrees(a[i], b[i])) return false;
  return true;
}
template <class... T, std::size_t... I>
bool members_agree(tessera::zipped<T...> const& a, tessera::zipped<T...> const& b, std::index_sequence<I...>) {
  return (agrees(tessera::get<I>(a), tessera::get<I>(b)) && ...);
}

/// A set of lanes, as the library's type.
template <unsigned N>
bool agrees(lane_set const& expected, tessera::lane_mask<N> const& got) {
  for (unsigned r = 0; r < N; ++r)
    if ((expected[r] != 0) != got.test(r)) return false;
  return true;
}

/// A result that may be unspecified; then every value agrees.
template <class R, class Got>
bool agrees(maybe<R> const& expected, Got const& got) {
  return !expected || agrees(*expected, got);
}

/// A lane's results, as one value or as items.
template <class R>
bool agrees(list<maybe<R>> const& expected, R const& got) {
  return expected.size() == 1 && agrees(expected[0], got);
}
template <class R, unsigned K>
bool agrees(list<maybe<R>> const& expected, tessera::items<R, K> const& got) {
  if (expected.size() != K) return false;
  for (unsigned i = 0; i < K; ++i)
    if (!agrees(expected[i], got[i])) return false;
  return true;
}

}  // namespace oracle::model
