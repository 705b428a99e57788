// Reductions of rows of any length on host tiles, by blocks of 64.
#pragma once

#include <tessera/grid/rows/fold_rows.hpp>
#include <tessera/host/launch.hpp>

#include <cstddef>
#include <vector>

namespace test {

/// Reduces the rows of a task, as `sharing` says. A lane holds so many vectors at once.
template <unsigned Vectors, class T, class Fold, class Store>
void long_rows_by(tessera::grid::detail::row_task<T> const& task, Fold const& fold,
                  tessera::grid::detail::row_sharing<typename Fold::value> const& sharing, Store const& store) {
  using namespace tessera::grid::detail;
  using shape = long_row_shape<Vectors, 64>;
  auto const rows = static_cast<unsigned>(task.row_count);
  unsigned const blocks = sharing.by_warps ? (rows + 1) / 2 : rows * sharing.splits;
  std::vector<row_block_storage<typename Fold::value, 1, 2>> storage(blocks);
  tessera::host::launch_grid(blocks, 64, [&](tessera::host::block block) {
    fold_long_rows<shape>(block, task, fold, sharing, storage[block.group_index().x], store);
  });
}

}  // namespace test
