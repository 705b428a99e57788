// The numbers that tune sample_rows and renormalize_rows. No result depends on them.
#pragma once

#include <tessera/core/config.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// threads      that share a row: a block
/// capacity     how many of the greatest elements a block lists in shared memory; at most its threads
/// vectors      how many vectors a lane loads before it waits
template <unsigned Threads, unsigned Capacity, unsigned Vectors>
struct sample_shape {
  static constexpr unsigned threads = Threads, capacity = Capacity, vectors = Vectors;
  static_assert(Capacity <= Threads, "A thread ranks at most one listed element.");
  /// A list is tried for as many elements as this: each lane's greatest tells too few of more of them.
  static constexpr unsigned most_wanted = Capacity * 3 / 4;
};

struct sample_tuning {
  using small = sample_shape<256, 256, 2>;
  using large = sample_shape<1024, 512, 4>;
  static constexpr int large_columns = 8192;  // from here on a row has the large shape
  static constexpr int pivots = 2;            // of a pass that searches for a threshold among all columns
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
