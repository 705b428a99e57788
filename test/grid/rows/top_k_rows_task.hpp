// The task of a case of top_k_rows, as a launcher makes it, for host blocks.
#pragma once

#include <tessera/grid/rows/top_k_row.hpp>

#include <cstdint>
#include <vector>

#include "top_k_rows_reference.hpp"

namespace test {

/// A Task for the rows of `c` from `first` on, of elements as `order` has them. Arrays for each row may be null.
template <class Task, class T>
Task task_of_case(top_k_rows_case const& c, T const* first, std::vector<T>& values, std::vector<std::int64_t>& indices,
                  std::int32_t const* k_of_row, std::int32_t const* begins, std::int32_t const* lengths,
                  typename Task::keys::order const& order, decltype(Task::missing) const& missing) {
  using bits = decltype(Task::missing);
  using tessera::grid::detail::top_k_part;
  unsigned place_bits = 0;
  while (std::int64_t{1} << place_bits < c.columns) ++place_bits;
  return {reinterpret_cast<bits const*>(first),
          c.stride(),
          c.rows,
          static_cast<int>(c.columns),
          static_cast<int>(c.k),
          c.only_last ? top_k_part::last
          : c.median  ? top_k_part::median
                      : top_k_part::all,
          static_cast<int>(c.results()),
          reinterpret_cast<bits*>(values.data()),
          indices.data(),
          true,
          c.results() + c.value_gap,
          c.results() + c.index_gap,
          k_of_row,
          begins,
          lengths,
          order,
          c.higher_column ? (std::uint32_t{1} << place_bits) - 1 : 0,
          place_bits,
          missing};
}

}  // namespace test
