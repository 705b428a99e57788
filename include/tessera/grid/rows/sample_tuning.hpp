// The numbers that tune sample_rows and renormalize_rows. No result depends on them.
#pragma once

#include <tessera/core/config.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// threads    that share a row: a block
/// capacity   how many of the greatest elements a block lists in shared memory; at most its threads
/// vectors    how many vectors a lane loads before it waits for one
/// blocks     that a multiprocessor runs at least
template <unsigned Threads, unsigned Capacity, unsigned Vectors, unsigned Blocks = 1>
struct sample_shape {
  static constexpr unsigned threads = Threads, capacity = Capacity, vectors = Vectors, least_blocks = Blocks;
  static_assert(Capacity <= Threads, "A thread has at most one listed element.");
  /// For so many elements a list is tried. If half of all lanes have one that is at least a bound, all lanes have some
  /// 0.7 each.
  static constexpr unsigned most_wanted = Capacity / 2;
};

struct sample_tuning {
  using usual = sample_shape<256, 256, 4>;
  using large = sample_shape<512, 512, 8>;                // more threads have too few registers
  using part = sample_shape<256, 32, 4>;                  // of a row that several ranks have: nothing is listed
  using shared = sample_shape<256, 256, 4, 3>;            // of a row that the blocks of a cluster share
  static constexpr std::int64_t large_columns = 8192;     // from here on a row has the large shape
  static constexpr std::int64_t columns_of_block = 4096;  // blocks that share a row have as many or more
  static constexpr unsigned pivots = 3;                   // of a pass that searches for a threshold among all columns
  static constexpr unsigned most_shared_lanes = 4;        // of a warp, whose vectors the warp reads again together
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
