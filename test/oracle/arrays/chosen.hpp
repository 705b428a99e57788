// The elements of a row or segment that come first, by the model.
#pragma once

#include <tessera/grid/top_k_rows.cuh>

#include <limits>

#include "ordered_rows.hpp"

namespace oracle::arrays {

/// How many results a row has: as many as lanes keep, as chunks keep, more; sometimes more than it has elements.
inline index results_of(call const& c) {
  index const most[] = {8, 64, 400};
  return 1 + c.drawn(71, most[c.drawn(70, 3)]);
}
inline bool takes_higher(call const& c) {
  return c.drawn(72, 2) == 1;
}
inline grid::top_k_rows_options options_of(call const& c) {
  grid::top_k_rows_options options;
  if (takes_higher(c)) options.ties = grid::top_k_ties::higher_column;
  return options;
}

inline bool in_any_order(call const& c) {
  return c.drawn(77, 3) == 0;
}

/// The places of the first k of a row, in order, and −1 where it has no more.
template <class T>
std::vector<index> first_places(call const& c, std::vector<T> const& row, index k, bool falling) {
  std::vector<index> at = ordered_places(row, falling, takes_higher(c));
  at.resize(static_cast<std::size_t>(k), -1);
  return at;
}
/// The elements at these places; where there is none, what comes last of all but NaN.
template <class T>
std::vector<T> elements_at(std::vector<T> const& row, std::vector<index> const& places, bool falling) {
  T rest;
  if constexpr (oracle::model::is_float<T>) {
    float const infinity = std::numeric_limits<float>::infinity();
    rest = static_cast<T>(falling ? -infinity : infinity);
  } else {
    rest = falling ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
  }
  std::vector<T> out;
  for (index const i : places) out.push_back(i < 0 ? rest : row[static_cast<std::size_t>(i)]);
  return out;
}

/// The results of rows, one after the other.
template <class T, class Index>
struct chosen {
  std::vector<T> values;
  std::vector<Index> indices;

  void add(std::vector<T> const& row, std::vector<index> const& places, bool falling) {
    auto const some = elements_at(row, places, falling);
    values.insert(values.end(), some.begin(), some.end());
    for (index const i : places) indices.push_back(static_cast<Index>(i));
  }
};

}  // namespace oracle::arrays
