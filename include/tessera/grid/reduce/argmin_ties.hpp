// Which of equal values argmin takes: of equal ones it prefers the lower number, which an index has.
#pragma once

#include <tessera/operators.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The first of them: its number is the index.
struct first_of_ties {
  TESSERA_FN static constexpr bool takes_last() { return false; }
  template <class Index>
  TESSERA_FN static constexpr Index number(Index index) {
    return index;
  }
};

/// The first or the last, whose number is the index's complement. The number's number is the index again.
struct chosen_of_ties {
  bool last;

  TESSERA_FN bool takes_last() const { return last; }
  template <class Index>
  TESSERA_FN Index number(Index index) const {
    return last ? static_cast<Index>(~index) : index;
  }
};

/// Where a value and its index are stored: in two arrays, say.
template <class T>
struct best_places {
  T* value;
  std::int64_t* index;

  TESSERA_FN void store(T const& x, std::int64_t i) const {
    *value = x;
    *index = i;
  }
};

/// Both in one place.
template <class T>
struct best_place {
  indexed<T, std::int64_t>* out;

  TESSERA_FN void store(T const& x, std::int64_t i) const { *out = {x, i}; }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
