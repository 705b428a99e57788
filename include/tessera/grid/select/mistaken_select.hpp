// Calls of select, partition and partition_copy that don't compile, and say what to write: by a predicate without
// select.cuh, whose functions are better matches, and with counts of another type.
#pragma once

#include <tessera/grid/execution.hpp>
#include <tessera/grid/parts/other_pointer.hpp>

#include <cuda_runtime_api.h>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

template <class Count>
constexpr cudaError_t no_selection() {
  constexpr bool counts = !is_other_pointer<Count, std::int64_t>;
  static_assert(!counts,
                "grid::select, partition, partition_copy by a predicate: include <tessera/grid/select.cuh> in a .cu "
                "file, or give flags: select(in, flags, n, out, count).");
  static_assert(counts, "grid::select, partition, partition_copy: count points to a std::int64_t on the device.");
  return cudaErrorNotSupported;
}

template <class Pred>
using if_predicate = stl::enable_if_t<stl::is_class_v<Pred> && !is_execution<Pred>, bool>;

}  // namespace detail

template <class T, class Count, class Pred, detail::if_predicate<Pred> = true>
cudaError_t select(T const*, std::int64_t, T*, Count, Pred, execution = {}) {
  return detail::no_selection<Count>();
}
template <class T, class S, class Count, class Pred, detail::if_predicate<Pred> = true>
cudaError_t select(T const*, S const*, std::int64_t, T*, Count, Pred, execution = {}) {
  return detail::no_selection<Count>();
}
template <class T, class Flag, class Count, detail::if_other_pointer<Count, std::int64_t> = true>
cudaError_t select(T const*, Flag const*, std::int64_t, T*, Count, execution = {}) {
  return detail::no_selection<Count>();
}

template <class T, class Count, class Pred, detail::if_predicate<Pred> = true>
cudaError_t partition(T const*, std::int64_t, T*, Count, Pred, execution = {}) {
  return detail::no_selection<Count>();
}
template <class T, class S, class Count, class Pred, detail::if_predicate<Pred> = true>
cudaError_t partition(T const*, S const*, std::int64_t, T*, Count, Pred, execution = {}) {
  return detail::no_selection<Count>();
}
template <class T, class Flag, class Count, detail::if_other_pointer<Count, std::int64_t> = true>
cudaError_t partition(T const*, Flag const*, std::int64_t, T*, Count, execution = {}) {
  return detail::no_selection<Count>();
}

template <class T, class Count, class Pred, detail::if_predicate<Pred> = true>
cudaError_t partition_copy(T const*, std::int64_t, T*, T*, Count, Pred, execution = {}) {
  return detail::no_selection<Count>();
}
template <class T, class S, class Count, class Pred, detail::if_predicate<Pred> = true>
cudaError_t partition_copy(T const*, S const*, std::int64_t, T*, T*, Count, Pred, execution = {}) {
  return detail::no_selection<Count>();
}
template <class T, class Flag, class Count, detail::if_other_pointer<Count, std::int64_t> = true>
cudaError_t partition_copy(T const*, Flag const*, std::int64_t, T*, T*, Count, execution = {}) {
  return detail::no_selection<Count>();
}

}  // namespace grid
TESSERA_NAMESPACE_END
