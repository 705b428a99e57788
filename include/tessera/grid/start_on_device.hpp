// The start of a reduction or a scan, where an earlier call has left it on the device: chunks of a stream of elements
// are chained without the CPU, in one stream or graph.
//
//   auto const carry = tessera::grid::start_on_device(so_far);  // float* so_far
//   error = tessera::grid::inclusive_scan(in, n, out, tessera::plus{}, carry, {false, so_far}, {stream, memory});
//   auto const best = tessera::grid::start_on_device(greatest);  // float* greatest
//   error = tessera::grid::reduce(in, n, greatest, tessera::maximum{}, best, {stream, memory});
//
// It stands in place of a start in calls of <tessera/grid/scan.cuh> and <tessera/grid/reduce.cuh>: reduce,
// transform_reduce, inclusive_scan, exclusive_scan, transform_inclusive_scan and transform_exclusive_scan.
//
// Type    of a scan's start that of its total. A reduction combines elements in its start's type.
// Place   the call may store its total, or a reduction its result, where the start is: that is the next chunk's start.
//         A scan doesn't write other results there: cudaErrorInvalidValue.
// Cost    one load, which each block of a scan waits for when it begins.
#pragma once

#include <tessera/core/config.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid {

/// A value on the device that a call begins with.
template <class T>
struct device_start {
  T const* value;
};

/// What `value` points to when a call's kernel begins.
///
/// value   on the device, or in memory that it can address, at a multiple of its alignment; not null
template <class T>
device_start<T> start_on_device(T const* value) noexcept {
  return {value};
}

}  // namespace grid
TESSERA_NAMESPACE_END
