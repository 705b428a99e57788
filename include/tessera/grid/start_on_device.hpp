// Starts on the device: a reduction or a scan begins with a value that an earlier call has stored. So the chunks of a
// sequence are chained without the CPU, in one stream or graph.
//
//   auto const carry = tessera::grid::start_on_device(so_far);  // float* so_far
//   error = tessera::grid::inclusive_scan(in, n, out, tessera::plus{}, carry, {false, so_far}, {stream, memory});
//   auto const best = tessera::grid::start_on_device(greatest);  // float* greatest
//   error = tessera::grid::reduce(in, n, greatest, tessera::maximum{}, best, {stream, memory});
//
// start_on_device(value) stands in place of a start in calls of <tessera/grid/scan.cuh> and <tessera/grid/reduce.cuh>:
// reduce, transform_reduce, inclusive_scan, exclusive_scan, transform_inclusive_scan and transform_exclusive_scan.
//
// Type    A scan's start has the type of the scan's total. A reduction combines elements in its start's type.
// Place   A scan may store its total, and a reduction its result, where the start is: the next chunk starts with it.
//         The other results of a scan may not overlap the start: cudaErrorInvalidValue.
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

/// The start that `value` points to when a call's kernel begins.
///
/// value   on the device, or in memory that it can address, at a multiple of its alignment; not null
template <class T>
device_start<T> start_on_device(T const* value) noexcept {
  return {value};
}

}  // namespace grid
TESSERA_NAMESPACE_END
