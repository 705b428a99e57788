// The choice of argmin among equal values. Each index has a number, and argmin takes the value with the lowest number.
#pragma once

#include <tessera/operators.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Takes the first: the number of an index is the index.
struct first_of_ties {
  TESSERA_FN static constexpr bool takes_last() { return false; }
  template <class Index>
  TESSERA_FN static constexpr Index number(Index index) {
    return index;
  }
};

/// Takes the first or the last. For the last, the number of an index is its complement, and number() of that is the
/// index again.
struct chosen_of_ties {
  bool last;

  TESSERA_FN bool takes_last() const { return last; }
  template <class Index>
  TESSERA_FN Index number(Index index) const {
    return last ? static_cast<Index>(~index) : index;
  }
};

/// Stores a value and its index in two places, such as elements of two arrays.
template <class T>
struct best_places {
  T* value;
  std::int64_t* index;

  TESSERA_FN best_places at(std::int64_t i) const { return {value + i, index + i}; }
  TESSERA_FN void store(T const& x, std::int64_t i) const {
    *value = x;
    *index = i;
  }
};

/// Stores a value and its index in one place.
template <class T>
struct best_place {
  indexed<T, std::int64_t>* out;

  TESSERA_FN best_place at(std::int64_t i) const { return {out + i}; }
  TESSERA_FN void store(T const& x, std::int64_t i) const { *out = {x, i}; }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
