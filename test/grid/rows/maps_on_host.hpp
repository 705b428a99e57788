// Maps of rows on host tiles, by each of the agents that store them.
#pragma once

#include <tessera/core/number.hpp>
#include <tessera/grid/rows/map_rows.hpp>
#include <tessera/host/launch.hpp>

#include <cstdint>
#include <cstring>
#include <vector>

namespace test {

using namespace tessera::grid::detail;

/// Rows with gaps between them, from some elements after a multiple of 16 bytes on.
template <class T>
struct rows_of {
  std::int64_t rows, stride;
  int columns;
  std::size_t offset;
  std::vector<T> memory;

  rows_of(std::int64_t rows_, int columns_, std::int64_t stride_, std::size_t offset_)
      : rows(rows_),
        stride(stride_),
        columns(columns_),
        offset(offset_),
        memory(static_cast<std::size_t>(rows_ * stride_) + 40, tessera::detail::convert<T>(-77.0f)) {}
  T* first() {
    auto const ahead = reinterpret_cast<std::uintptr_t>(memory.data()) % 16 / sizeof(T);
    return memory.data() + 16 / sizeof(T) - ahead + offset;
  }
  std::vector<double> row(std::int64_t r) {
    T const* const from = first() + r * stride;
    return std::vector<double>(from, from + columns);
  }
  T& at(std::int64_t r, int c) { return first()[r * stride + c]; }
  bool holds(std::vector<T> const& x) const { return std::memcmp(memory.data(), x.data(), x.size() * sizeof(T)) == 0; }
};

template <class Shape, class Body>
void launch(std::int64_t rows, Body body) {
  constexpr std::int64_t each = Shape::rows_per_tile * Shape::tiles;
  tessera::host::launch_grid(static_cast<unsigned>((rows + each - 1) / each), Shape::block_threads, body);
}

constexpr int ways = 4;

/// Maps rows by one of the agents that store them.
template <class Map, class T>
void map_by(int way, bool aligned, row_task<T> const& task, Map const& map) {
  auto const by_block = [&](auto shape) {
    using storage_t = row_block_storage<arithmetic_t<T>>;
    std::vector<storage_t> storage(static_cast<std::size_t>(task.row_count));
    tessera::host::launch_grid(static_cast<unsigned>(task.row_count), 64, [&](tessera::host::block block) {
      map_block_rows<decltype(shape)>(block, task, map, storage[block.group_index().x]);
    });
  };
  auto const by_tiles = [&](auto shape) {
    using Shape = decltype(shape);
    launch<Shape>(task.row_count, [&](tessera::host::block block) { map_rows<Shape>(block, task, map); });
  };
  if (way == 0) {
    aligned ? by_block(block_shape<true, 4, 64>{}) : by_block(block_shape<false, 4, 64>{});
  } else if (way == 1) {
    aligned ? by_tiles(row_shape<true, 16, 16, 1, 64>{}) : by_tiles(row_shape<false, 16, 16, 1, 64>{});
  } else if (way == 2) {
    by_tiles(row_shape<false, 8, 32, 2, 64>{});
  } else {
    using lanes = block_shape<false, 16, 64>;
    tessera::host::launch_grid(static_cast<unsigned>((task.row_count + 3) / 4), 64,
                               [&](tessera::host::block block) { map_rows_by_lanes<lanes>(block, task, map, 16); });
  }
}

}  // namespace test
