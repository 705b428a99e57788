// Selects from rows that tiles sort as a whole (row_sorter.hpp), where the results are more than a few.
//
// A place is an element's number in the row, or the number counted from the other end if ties go to the higher column.
#pragma once

#include <tessera/grid/parts/memory_ops.hpp>
#include <tessera/grid/rows/row_sorter.hpp>
#include <tessera/grid/rows/top_k_row.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The elements of a row, by place.
template <class Bits>
struct elements_by_place {
  int first, step;  // the number of the element that has place 0, and how far the next one is

  TESSERA_FN elements_by_place(top_k_rows_task<Bits> const& task, top_k_row<Bits> const& row)
      : first(task.mirrored != 0 ? row.length - 1 : 0), step(task.mirrored != 0 ? -1 : 1) {}
  TESSERA_FN int operator[](unsigned place) const { return first + static_cast<int>(place) * step; }
};

/// Where results of a row go: the first one that is stored to to[0].
template <class Bits, class T>
struct results_of_row {
  top_k_row<Bits> row;
  elements_by_place<Bits> elements;
  T* to;

  TESSERA_FN results_of_row(top_k_rows_task<Bits> const& task, top_k_row<Bits> const& its, T* matrix,
                            std::int64_t stride)
      : row(its), elements(task, its), to(detail::opaque_pointer(matrix + its.number * stride)) {}
};

/// Stores result_of(row, element) for the results of sorted rows in the matrix at `to`.
template <class Shape, class T, class Bits, class RowOf, class ResultOf>
TESSERA_FN void store_sorted_results(unsigned thread, top_k_rows_task<Bits> const& task,
                                     row_sort_storage<Shape>& storage, RowOf const& row_of, T* to, std::int64_t stride,
                                     ResultOf const& result_of) {
  using results_t = results_of_row<Bits, T>;
  detail::visit_sorted_places(
      thread, storage, [&](unsigned tile) { return results_t(task, row_of(tile), to, stride); },
      [&](results_t const& r, unsigned, unsigned at, std::uint32_t const& word) {
        unsigned const i = at - static_cast<unsigned>(r.row.from);
        if (i < static_cast<unsigned>(r.row.k - r.row.from))
          r.to[i] = result_of(r.row, r.elements[storage.place_of(word)]);
      });
}

/// Selects from the rows of a block.
///
/// Called by  all threads of the block.
/// storage    memory of the block.
/// Cost       that of sort_row, and one write. The values of the results are read again from the cache.
template <class Shape, class Bits, class Block>
TESSERA_FN void select_from_sorted_rows(Block const& block, top_k_rows_task<Bits> const& task,
                                        row_sort_storage<Shape>& storage) {
  using keys = rank_keys_of_bits<Bits>;
  using row_t = top_k_row<Bits>;
  unsigned const thread = block.thread_rank();
  auto const row_of = [&](unsigned tile) {
    return detail::top_k_row_of(task, std::int64_t{block.group_index().x} * Shape::rows_per_block + tile);
  };
  auto const own = row_of(thread / Shape::lanes);
  detail::store_no_top_k(task, own, thread % Shape::lanes, Shape::lanes);
  if (Shape::lanes > 32 && own.k == 0) return;
  elements_by_place<Bits> const elements(task, own);
  detail::sort_row<Shape>(
      block, storage, static_cast<unsigned>(own.length), [&](unsigned place) { return own.first[elements[place]]; },
      [&](Bits x) { return keys::of(x, task.order) >> keys::shift; });
  if (task.values)
    detail::store_sorted_results(thread, task, storage, row_of, task.values, task.value_stride,
                                 [](row_t const& row, int element) { return row.first[element]; });
  if (!task.indices) return;
  auto const store_columns = [&](auto* to) {
    using index = stl::remove_reference_t<decltype(*to)>;
    detail::store_sorted_results(thread, task, storage, row_of, to, task.index_stride,
                                 [](row_t const& row, int element) { return static_cast<index>(row.begin + element); });
  };
  if (task.wide_indices) {
    store_columns(static_cast<std::int64_t*>(task.indices));
  } else {
    store_columns(static_cast<std::int32_t*>(task.indices));
  }
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
