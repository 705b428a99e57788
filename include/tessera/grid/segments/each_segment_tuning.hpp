// The numbers of each_segment.hpp.
//
// The least time of a call is its bytes divided by the memory's bandwidth: the elements of all segments, 8 to 16 bytes
// for the bounds of each, and the results. A lane has 16 to 64 bytes outstanding, so a multiprocessor needs all its
// warps. A group of lanes reads most_by_group elements in one or two steps. A segment goes to a block if one warp would
// need longer for it than a block needs for most other segments.
#pragma once

#include <tessera/core/config.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

struct each_segment_tuning {
  static constexpr unsigned threads = 256;
  static constexpr unsigned blocks_per_multiprocessor = 4;
  /// The number of blocks of a multiprocessor that have enough registers for values of `Bytes` bytes.
  template <stl::size_t Bytes>
  static constexpr unsigned blocks_for = Bytes > 16                     ? 1
                                         : Bytes > 8 || 16 % Bytes != 0 ? 3
                                                                        : blocks_per_multiprocessor;
  /// A group of `group` lanes processes a segment of up to most_by_group elements, a warp one of up to most_by_warp,
  /// and a block a longer one.
  static constexpr unsigned group = 8;
  static constexpr std::int64_t most_by_group = 64;
  static constexpr std::int64_t most_by_warp = 2048;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
