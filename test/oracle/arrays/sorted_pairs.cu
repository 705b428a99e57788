// Rows of keys in order, with their values.
#include <tessera/grid/sort_rows.cuh>

#include "arrays.hpp"
#include "ordered_rows.hpp"

namespace oracle::arrays {
namespace {

template <class Key, class Value>
void sort_rows_by_key_of(call& c) {
  matrix_of const m(c);
  bool const falling = c.what.is("extra", "greater");
  auto const keys = elements<Key>(c, m.elements());
  auto const values = elements<Value>(c, m.elements(), 1);
  auto const initial_keys = c.in_place() ? keys : poisoned<Key>(size(keys));
  auto const initial_values = c.in_place() ? values : poisoned<Value>(size(values));
  auto want_keys = initial_keys;
  auto want_values = initial_values;
  for (index r = 0; r < m.rows; ++r) {
    auto const places = ordered_places(m.row(keys, r), falling);
    auto const sorted = model::gather(m.row(keys, r), places);
    auto const moved = model::gather(m.row(values, r), places);
    std::copy(sorted.begin(), sorted.end(), want_keys.begin() + r * m.stride);
    std::copy(moved.begin(), moved.end(), want_values.begin() + r * m.stride);
  }
  auto const keys_out = c.over(initial_keys, want_keys);
  auto const values_out = c.over(initial_values, want_values);
  auto const keys_in = c.in_place() ? array<Key const>{keys_out.at} : c.in(keys);
  auto const values_in = c.in_place() ? array<Value const>{values_out.at} : c.in(values);
  c.launch = [=](grid::execution on) {
    return falling ? grid::sort_rows_by_key(m.view(keys_in()), m.view(values_in()), m.view(keys_out()),
                                            m.view(values_out()), tessera::greater{}, on)
                   : grid::sort_rows_by_key(m.view(keys_in()), m.view(values_in()), m.view(keys_out()),
                                            m.view(values_out()), tessera::less{}, on);
  };
}
/// Values that a sort carries along, and others that it moves afterwards.
void sort_rows_by_key(call& c) {
  with_type(c, ordered_types{}, [&](auto t) {
    if (c.what.is("index", "wide")) return sort_rows_by_key_of<decltype(t), affine>(c);
    sort_rows_by_key_of<decltype(t), std::int32_t>(c);
  });
}

registered<false> const of_sorted_pairs{{"sort_rows_by_key", sort_rows_by_key}};

}  // namespace
}  // namespace oracle::arrays
