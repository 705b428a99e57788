// Selects from rows that tiles sort as a whole (row_sorter.hpp): the results are half of the columns, or more.
//
// A place is an element's number in the row, or the number counted from the other end if ties go to the higher column.
#pragma once

#include <tessera/grid/rows/row_sorter.hpp>
#include <tessera/grid/rows/top_k_row.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The number of the element of a row that has a place.
template <class Bits>
TESSERA_FN unsigned element_of_place(top_k_rows_task<Bits> const& task, top_k_row<Bits> const& row, unsigned place) {
  return task.mirrored != 0 ? static_cast<unsigned>(row.length) - 1 - place : place;
}

/// Stores the columns of sorted rows, from row `first` of the matrix on.
template <class Shape, class Index, class Bits, class RowOf>
TESSERA_FN void store_sorted_columns(unsigned thread, top_k_rows_task<Bits> const& task,
                                     row_sort_storage<Shape>& storage, RowOf const& row_of) {
  detail::visit_sorted_places<Shape>(thread, row_of, [&](auto const& row, unsigned, unsigned tile, unsigned at) {
    if (static_cast<int>(at) >= row.k) return;
    unsigned const element = detail::element_of_place(task, row, storage.place(tile, at));
    static_cast<Index*>(task.indices)[row.number * task.index_stride + at] = row.begin + static_cast<int>(element);
  });
}

/// Selects from the rows of a block, all of whose first elements are stored.
///
/// Called by  all threads of the block.
/// storage    memory of the block.
/// Cost       that of sort_row, and one write. The values of the results are read again from the cache.
template <class Shape, class Bits, class Block>
TESSERA_FN void select_from_sorted_rows(Block const& block, top_k_rows_task<Bits> const& task,
                                        row_sort_storage<Shape>& storage) {
  using keys = rank_keys_of_bits<Bits>;
  unsigned const thread = block.thread_rank();
  auto const row_of = [&](unsigned tile) {
    return detail::top_k_row_of(task, std::int64_t{block.group_index().x} * Shape::rows_per_block + tile);
  };
  auto const own = row_of(thread / Shape::lanes);
  detail::store_no_top_k(task, own, thread % Shape::lanes, Shape::lanes);
  if (Shape::lanes > 32 && own.k == 0) return;
  detail::sort_row<Shape>(
      block, storage, static_cast<unsigned>(own.length),
      [&](unsigned place) { return own.first[detail::element_of_place(task, own, place)]; },
      [&](Bits x) { return keys::of(x, task.order) >> keys::shift; });
  if (task.values) {
    detail::visit_sorted_places<Shape>(thread, row_of, [&](auto const& row, unsigned, unsigned tile, unsigned at) {
      if (static_cast<int>(at) < row.k)
        task.values[row.number * task.value_stride + at] =
            row.first[detail::element_of_place(task, row, storage.place(tile, at))];
    });
  }
  if (!task.indices) return;
  if (task.wide_indices) {
    detail::store_sorted_columns<Shape, std::int64_t>(thread, task, storage, row_of);
  } else {
    detail::store_sorted_columns<Shape, std::int32_t>(thread, task, storage, row_of);
  }
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
