// Sizes on the device: calls read their number of elements from where an earlier call has stored it.
//
//   error = tessera::grid::select(x, n, kept, count, is_valid{}, {stream, memory});  // std::int64_t* count
//   auto const some = tessera::grid::count_on_device(count, n);  // at most n
//   error = tessera::grid::sort(kept, some, kept, tessera::less{}, {stream, memory});
//   error = tessera::grid::inclusive_scan(kept, some, sums, tessera::plus{}, {stream, memory});
//   error = tessera::grid::reduce(kept, some, greatest, tessera::maximum{}, {stream, memory});
//
// count_on_device(count, at_most) stands in place of n, and of na, nb or the number of needles or buffers, in all calls
// of <tessera/grid/*.cuh> on arrays of one GPU. It also stands in place of the number of segments in the calls that
// segment_list.hpp names, whose n is an upper bound anyway; rows are segments of one length there. The CPU never waits:
// one graph can hold the whole chain. The static library has no kernels for it.
//
// Number  the kernel reads *count when it begins. A number above at_most is taken as at_most, a negative one as 0.
// Arrays  have at_most elements; the outputs of selections, runs and set operations only as many as are written. Those
//         after the first *count are neither read nor written, except that some sorts (sort.cuh) leave them unspecified
//         in their outputs. find_if and mismatch store *count if they find nothing; top_k stores *count results if that
//         is less than k, and quantiles nothing if it is 0. No output may overlap `count`: cudaErrorInvalidValue.
// Bits    a float sum is combined in an order that depends on at_most and on *count. With order::any_device it has the
//         same bits on all GPUs for the same at_most and *count.
// Cost    one load in each block. The grid is that for at_most elements, and blocks without elements end at once. So a
//         call takes the time of an empty kernel of that grid, and the time for *count elements. Sorts by an order of
//         your own run kernels of CUB that take n from the CPU: they sort at_most elements. top_k and its like read
//         *count elements, one at a time, in loops over at_most. Merges and set operations search for the ends of
//         tiles in each block, also of long arrays.
#pragma once

#include <tessera/core/config.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid {

/// A number on the device, and the most that it can be.
struct device_count {
  std::int64_t const* count;
  std::int64_t at_most;
};

/// The number that `count` will point to when a call's kernel begins.
///
/// count     on the device, or in memory that it can address, at a multiple of 8 bytes; not null
/// at_most   the number that workspaces and grids are made for; not below 0
inline device_count count_on_device(std::int64_t const* count, std::int64_t at_most) noexcept {
  return {count, at_most};
}

}  // namespace grid
TESSERA_NAMESPACE_END
