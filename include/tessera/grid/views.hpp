// Spans and mdspans as arguments of the calls on whole arrays: std::span, cuda::std::span, std::mdspan, and containers
// of the GPU's memory.
//
//   error = tessera::grid::reduce(x, out);                    // reduce(x.data(), x.size(), out)
//   error = tessera::grid::inclusive_scan(x, y);              // from x.data(), x.size() to y.data()
//   error = tessera::grid::sort_by_key(keys, x, sorted, y);   // n is the size of x
//   error = tessera::grid::histogram(x, counts, 0.0f, 1.0f);  // a bin for each element of counts
//   error = tessera::grid::softmax_rows(x_rows, y_rows);      // mdspans of rank 2
//
// Here x is a std::span<float const>, and y a std::span<float>, of memory that the GPU can access.
//
// A view is any object with data() and size(), or an mdspan of rank 1. It stands for its pointer, and where the call by
// pointers has a number after that pointer, for both. (The number of segments is one less than that of offsets.) Other
// views, such as outputs, have at least as many elements as the call reads or writes: their size isn't checked. An
// mdspan of rank 2 stands for a matrix. Everything else is as in the call by pointers, whose header says what it does.
//
// Here a stream and a workspace are written execution{stream, memory}, and options histogram_options{outside, last}: a
// template can't deduce the type of arguments in braces alone.
//
// An mdspan whose elements don't lie side by side, of rank 1 or in the rows of a matrix, is refused:
// cudaErrorInvalidValue.
#pragma once

#include <tessera/grid/adjacent_difference.hpp>
#include <tessera/grid/histogram.hpp>
#include <tessera/grid/merge.hpp>
#include <tessera/grid/norm.hpp>
#include <tessera/grid/parts/views.hpp>
#include <tessera/grid/reduce.hpp>
#include <tessera/grid/rows.hpp>
#include <tessera/grid/runs.hpp>
#include <tessera/grid/scan.hpp>
#include <tessera/grid/scan_by_key.hpp>
#include <tessera/grid/scan_segments.hpp>
#include <tessera/grid/search.hpp>
#include <tessera/grid/segments.hpp>
#include <tessera/grid/select.hpp>
#include <tessera/grid/softmax.hpp>
#include <tessera/grid/sort.hpp>
#include <tessera/grid/sort_segments.hpp>
#include <tessera/grid/top_k.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid {

inline namespace TESSERA_ARCHS {

// Defines an overload of a call that takes views. The arguments by pointers are of these kinds (call_shape).
#define TESSERA_TAKES_VIEWS(CALL, ...)                                                                                \
  template <                                                                                                          \
      class... Arguments,                                                                                             \
      stl::enable_if_t<detail::has_view<detail::call_shape<__VA_ARGS__>, 0, stl::remove_reference_t<Arguments>...>(), \
                       bool> = true>                                                                                  \
  [[nodiscard]] cudaError_t CALL(Arguments&&... arguments) noexcept {                                                 \
    return std::apply([](auto&&... by_pointers) noexcept { return grid::CALL(by_pointers...); },                      \
                      detail::without_views<detail::call_shape<__VA_ARGS__>, 0>(arguments...));                       \
  }

TESSERA_TAKES_VIEWS(adjacent_difference, 'a', 'n', 'a')
TESSERA_TAKES_VIEWS(argmax, 'a', 'n', 'a')
TESSERA_TAKES_VIEWS(argmax_rows, 'a', 'a')
TESSERA_TAKES_VIEWS(argmin, 'a', 'n', 'a')
TESSERA_TAKES_VIEWS(argmin_rows, 'a', 'a')
TESSERA_TAKES_VIEWS(argsort, 'a', 'n', 'a')
TESSERA_TAKES_VIEWS(exclusive_scan, 'a', 'n', 'a')
TESSERA_TAKES_VIEWS(exclusive_scan_by_key, 'a', 'a', 'n', 'a')
TESSERA_TAKES_VIEWS(exclusive_scan_segments, 'a', 'n', 'a', 's', 'a')
TESSERA_TAKES_VIEWS(histogram, 'a', 'n', 'a', 'n', 'a')
TESSERA_TAKES_VIEWS(inclusive_scan, 'a', 'n', 'a')
TESSERA_TAKES_VIEWS(inclusive_scan_by_key, 'a', 'a', 'n', 'a')
TESSERA_TAKES_VIEWS(inclusive_scan_segments, 'a', 'n', 'a', 's', 'a')
TESSERA_TAKES_VIEWS(layer_norm_rows, 'a', 'a', 'a', 'a')
TESSERA_TAKES_VIEWS(log_softmax_rows, 'a', 'a', 'a')
TESSERA_TAKES_VIEWS(lower_bound, 'a', 'n', 'a', 'n', 'a')
TESSERA_TAKES_VIEWS(merge, 'a', 'n', 'a', 'n', 'a')
TESSERA_TAKES_VIEWS(minmax, 'a', 'n', 'a')
TESSERA_TAKES_VIEWS(minmax_rows, 'a', 'a')
TESSERA_TAKES_VIEWS(moments, 'a', 'n', 'a')
TESSERA_TAKES_VIEWS(moments_rows, 'a', 'a')
TESSERA_TAKES_VIEWS(nth_element, 'a', 'n', '-', 'a', 'a')
TESSERA_TAKES_VIEWS(partition, 'a', 'a', 'n', 'a', 'a')
TESSERA_TAKES_VIEWS(partition_copy, 'a', 'a', 'n', 'a', 'a', 'a')
TESSERA_TAKES_VIEWS(quantiles, 'a', 'n', 'a', 'n', 'a')
TESSERA_TAKES_VIEWS(reduce, 'a', 'n', 'a')
TESSERA_TAKES_VIEWS(reduce_by_key, 'a', 'a', 'n', 'a', 'a', 'a')
TESSERA_TAKES_VIEWS(reduce_rows, 'a', 'a')
TESSERA_TAKES_VIEWS(reduce_segments, 'a', 'a', 's', 'a')
TESSERA_TAKES_VIEWS(rms_norm_rows, 'a', 'a', 'a', 'a')
TESSERA_TAKES_VIEWS(run_length_encode, 'a', 'n', 'a', 'a', 'a')
TESSERA_TAKES_VIEWS(select, 'a', 'a', 'n', 'a', 'a')
TESSERA_TAKES_VIEWS(softmax_rows, 'a', 'a', 'a')
TESSERA_TAKES_VIEWS(sort, 'a', 'n', 'a')
TESSERA_TAKES_VIEWS(sort_by_key, 'a', 'a', 'n', 'a', 'a')
TESSERA_TAKES_VIEWS(sort_segments, 'a', 'n', 'a', 's', 'a')
TESSERA_TAKES_VIEWS(sort_segments_by_key, 'a', 'a', 'n', 'a', 's', 'a', 'a')
TESSERA_TAKES_VIEWS(stable_sort, 'a', 'n', 'a')
TESSERA_TAKES_VIEWS(stable_sort_by_key, 'a', 'a', 'n', 'a', 'a')
TESSERA_TAKES_VIEWS(stable_sort_segments, 'a', 'n', 'a', 's', 'a')
TESSERA_TAKES_VIEWS(top_k, 'a', 'n', '-', 'a', 'a')
TESSERA_TAKES_VIEWS(unique, 'a', 'n', 'a', 'a')
TESSERA_TAKES_VIEWS(unique_by_key, 'a', 'a', 'n', 'a', 'a', 'a')
TESSERA_TAKES_VIEWS(upper_bound, 'a', 'n', 'a', 'n', 'a')

#undef TESSERA_TAKES_VIEWS

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
