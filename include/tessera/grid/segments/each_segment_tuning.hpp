// The numbers of each_segment.hpp.
//
// The floor of a call is its bytes by the bandwidth of the memory: the elements of all segments, 8 to 16 bytes for the
// bounds of each, and its results. A lane has 16 to 64 bytes outstanding. So a multiprocessor needs all its warps, a
// warp takes a segment of most_by_group elements in one or two steps of its groups, and a segment that would keep one
// warp for longer than a block keeps for most others is the work of a block.
#pragma once

#include <tessera/core/config.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

struct each_segment_tuning {
  static constexpr unsigned threads = 256;
  static constexpr unsigned blocks_per_multiprocessor = 4;
  /// As many as have registers for values of so many bytes.
  template <stl::size_t Bytes>
  static constexpr unsigned blocks_for = Bytes > 16                     ? 1
                                         : Bytes > 8 || 16 % Bytes != 0 ? 3
                                                                        : blocks_per_multiprocessor;
  /// The lanes of a group, and the most elements of a segment that is the work of one. Others are the work of a warp,
  /// of up to most_by_warp elements, or of a block.
  static constexpr unsigned group = 8;
  static constexpr std::int64_t most_by_group = 64;
  static constexpr std::int64_t most_by_warp = 2048;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
