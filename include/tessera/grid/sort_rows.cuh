// Each row of a matrix in order; the columns of its elements in that order; rows of keys in order, with their values.
//
//   x, keys        sort_rows        argsort_rows      values         sort_rows_by_key
//   3  9  2  7     2  3  7  9       2  0  3  1        a  b  c  d     2  3  7  9       c  a  d  b
//   5  0  5  1     0  1  5  5       1  3  0  2        e  f  g  h     0  1  5  5       f  h  e  g
//
//   tessera::grid::matrix<float const> x{in, rows, columns};  // or {in, rows, columns, stride}
//   tessera::grid::matrix<float> y{out, rows, columns};
//   error = tessera::grid::sort_rows(x, y, {}, {stream, memory});  // y may be x
//   error = tessera::grid::argsort_rows(x, indices, tessera::greater{});
//   error = tessera::grid::sort_rows_by_key(x, values, y, values_out, {}, {stream, memory});  // or in place
//   error = tessera::grid::sort_rows(x, y, nearer_to_one{}, {stream, memory});  // your own order
//
// Takes    x, keys: a matrix in the GPU's memory, of any number of rows, 0 to 2^30 columns, any stride and alignment,
//          of float, double, __half, __nv_bfloat16, bool, and integers of 8 to 64 bits; in an order of your own also of
//          any trivially copyable type of up to 64 bytes. values: as many rows and columns, with any stride, of any
//          trivially copyable type.
// Order    less{} or greater{}, or an alias such as std::greater<>. In both NaNs come last, equal to each other, and −0
//          is equal to 0. argsort_rows and sort_rows_by_key keep the order of equal elements; sort_rows may give zeros,
//          and NaNs, in any order. All bits of each element are kept. An order of your own is a function object,
//          before(a, b), a strict weak ordering; sort_rows, too, keeps the order of its equal elements.
// Gives    the same bits at each call: those of a row depend on its elements alone.
// Returns  as all calls on arrays (docs/reference/arrays.md), and cudaErrorInvalidValue if a stride is less than the
//          columns.
// Cost     of sort_rows up to 8192 columns (2048 of elements of 8 bytes, but of 513 to 766 and of 1025 to 1534 as above
//          these; of rows that don't all begin at multiples of 16 bytes up to 30 columns fewer) one kernel that reads
//          and writes once, without scratch memory; above, sort_segments, after a copy if the rows are another matrix
//          with gaps between them.
//          argsort_rows up to 4096 columns is top_k_rows of all: one kernel that reads and writes once, without scratch
//          memory. Above, sort_segments_by_key, of the columns by a copy of the elements.
//          sort_rows_by_key up to 4096 columns, if keys have up to 4 bytes and values up to 8, one kernel that reads
//          and writes keys and values once, and reads the keys again from the cache, without scratch memory. Else
//          sort_segments_by_key, if no matrix has gaps between its rows and values have 4 or 8 bytes, aligned to as
//          many. Else that of columns by keys, and a kernel that moves the values, after copies of keys with gaps and
//          of values that are sorted in place.
//          By an order of your own all rows, also short ones, are sorted as segments are (sort_segments.cuh), but by
//          argsort_rows, which is top_k_rows in that order, too.
//
// Sources: see tessera/sort.hpp.
#pragma once

#include <tessera/grid/parts/opaque_bytes.hpp>
#include <tessera/grid/rows/sort_short_pairs.hpp>
#include <tessera/grid/rows/sort_short_rows.hpp>
#include <tessera/grid/sort_segments.cuh>
#include <tessera/grid/top_k_rows.cuh>
#include <tessera/grid/transform.cuh>

#include <cuda_runtime_api.h>

#include <cstdint>
#include <type_traits>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

/// Where the rows of a matrix begin, or end: an iterator.
struct row_ends {
  using value_type = std::int64_t;
  std::int64_t first, stride;

  TESSERA_FN row_ends operator+(std::int64_t row) const { return {first + row * stride, stride}; }
  TESSERA_FN std::int64_t operator*() const { return first; }
};

inline namespace TESSERA_ARCHS {

template <class Shape, class Bits>
__global__ void __launch_bounds__(Shape::threads, (sort_rows_tuning::blocks_per_multiprocessor<Shape, Bits>))
    sort_short_rows_kernel(sort_rows_task<Bits> task) {
  wait_for_stream();
  detail::sort_short_rows<Shape>(cooperative_groups::this_thread_block(), task);
}

/// Launches the kernel with tiles of Lanes lanes. False if these don't hold rows of so many vectors, or rows are sorted
/// in less time as segments are.
template <unsigned Lanes, unsigned Vectors, class Bits>
bool launch_short_sort(sort_rows_task<Bits> const& task, std::int64_t row_vectors, cudaStream_t stream,
                       cudaError_t& error) noexcept {
  using tuning = sort_rows_tuning;
  using shape = sort_tile_shape<Lanes, Vectors, (Lanes > tuning::threads ? Lanes : tuning::threads)>;
  if (row_vectors > Lanes * Vectors || !tuning::prefers_tile<shape, Bits>(row_vectors)) return false;
  error = detail::launch<sort_short_rows_kernel<shape, Bits>>(
      {detail::ceiling_divide(task.row_count, shape::rows_per_block), shape::threads}, stream, task);
  return true;
}

/// Copies rows, which don't overlap.
template <class T>
cudaError_t copy_long_rows(matrix<T const> const& x, matrix<T> const& y, cudaStream_t stream) noexcept {
  auto const bytes = [](std::int64_t n) { return static_cast<std::size_t>(n) * sizeof(T); };
  constexpr std::size_t most_pitch = INT32_MAX;  // cudaDeviceProp::memPitch
  if (bytes(x.stride) <= most_pitch && bytes(y.stride) <= most_pitch)
    return detail::own_status(cudaMemcpy2DAsync(y.data, bytes(y.stride), x.data, bytes(x.stride), bytes(x.column_count),
                                                static_cast<std::size_t>(x.row_count), cudaMemcpyDeviceToDevice,
                                                stream));
  cudaError_t error = cudaSuccess;
  for (std::int64_t row = 0; row < x.row_count && error == cudaSuccess; ++row)
    error = detail::own_status(cudaMemcpyAsync(y.data + row * y.stride, x.data + row * x.stride, bytes(x.column_count),
                                               cudaMemcpyDeviceToDevice, stream));
  return error;
}

/// Sorts rows that no tile holds.
template <class T, class Before>
cudaError_t sort_long_rows(matrix<T const> const& x, matrix<T> const& y, Before before, execution on) noexcept {
  std::int64_t const row_count = x.row_count, column_count = x.column_count;
  bool const dense = (x.stride == column_count && y.stride == column_count) || row_count == 1;
  if (dense)
    return grid::sort_segments(x.data, row_count * column_count, grid::segments_of_length(column_count), row_count,
                               y.data, before, on);
  if (x.data != y.data) {
    cudaError_t const error = detail::copy_long_rows(x, y, on.stream);
    if (error != cudaSuccess) return error;
  }
  auto const within = grid::segments_between(row_ends{0, y.stride}, row_ends{column_count, y.stride});
  return grid::sort_segments(static_cast<T const*>(y.data), detail::extent_of(y), within, row_count, y.data, before,
                             on);
}

/// Sorts rows of numbers by the first tile that holds them, if one does.
template <class T, class Before>
cudaError_t sort_number_rows(matrix<T const> const& x, matrix<T> const& y, Before before, execution on) noexcept {
  using bits = typename tessera::detail::unsigned_of<sizeof(T)>::type;
  using tuning = sort_rows_tuning;
  sort_rows_task<bits> const task{reinterpret_cast<bits const*>(x.data),
                                  reinterpret_cast<bits*>(y.data),
                                  x.stride,
                                  y.stride,
                                  x.row_count,
                                  static_cast<int>(x.column_count),
                                  key_coding<bits>::template of<T, is_falling<T, Before>>()};
  constexpr unsigned many = tuning::vectors<bits>, few = many > 1 ? many / 2 : 1, most = tuning::most_vectors<bits>;
  std::int64_t const vectors = x.column_count > 0 ? detail::most_vectors(x, row_vector_length<bits>) : 0;
  cudaError_t error = cudaErrorInvalidValue;
  if (detail::launch_short_sort<1, few>(task, vectors, on.stream, error) ||
      detail::launch_short_sort<2, many>(task, vectors, on.stream, error) ||
      detail::launch_short_sort<4, many>(task, vectors, on.stream, error) ||
      detail::launch_short_sort<8, many>(task, vectors, on.stream, error) ||
      detail::launch_short_sort<16, many>(task, vectors, on.stream, error) ||
      detail::launch_short_sort<32, many>(task, vectors, on.stream, error) ||
      detail::launch_short_sort<32, most>(task, vectors, on.stream, error) ||
      detail::launch_short_sort<128, many>(task, vectors, on.stream, error) ||
      detail::launch_short_sort<256, many>(task, vectors, on.stream, error))
    return error;
  if constexpr (sizeof(bits) <= 4) {
    if (detail::launch_short_sort<256, most>(task, vectors, on.stream, error)) return error;
  }
  return detail::sort_long_rows(x, y, before, on);
}

template <class T, class Before>
cudaError_t sort_matrix(matrix<T const> const& x, matrix<T> const& y, Before before, execution on) noexcept {
  if (!detail::is_matrix(x) || !detail::is_matrix(y) || x.row_count != y.row_count ||
      x.column_count != y.column_count || !detail::same_or_apart<T>(x, y))
    return cudaErrorInvalidValue;
  if (x.row_count == 0 || x.column_count == 0) return cudaSuccess;
  if constexpr (detail::has_number_keys<T, Before>()) {
    return detail::sort_number_rows(x, y, before, on);
  } else {
    return detail::sort_long_rows(x, y, before, on);
  }
}

template <class Shape, class Bits, class Value>
__global__ void __launch_bounds__(Shape::threads, row_sort_tuning::blocks_per_multiprocessor<Shape>)
    sort_short_pairs_kernel(sort_pairs_task<Bits, Value> task) {
  wait_for_stream();
  __shared__ row_sort_storage<Shape> storage;
  detail::sort_short_pairs<Shape>(cooperative_groups::this_thread_block(), task, storage);
}

/// As launch_short_sort, for rows with values.
template <unsigned Lanes, unsigned Items, class Bits, class Value>
bool launch_short_pairs(sort_pairs_task<Bits, Value> const& task, cudaStream_t stream, cudaError_t& error) noexcept {
  using shape = row_sort_tuning::shape<Lanes, Items>;
  if (task.column_count > static_cast<int>(shape::capacity)) return false;
  error = detail::launch<sort_short_pairs_kernel<shape, Bits, Value>>(
      {detail::ceiling_divide(task.row_count, shape::rows_per_block), shape::threads}, stream, task);
  return true;
}

/// True if rows follow each other without gaps.
template <class T>
bool is_dense(matrix<T> const& m) noexcept {
  return m.stride == m.column_count || m.row_count == 1;
}
template <class T>
rows_at<opaque_t<T> const> opaque_rows(matrix<T const> const& m) noexcept {
  return {reinterpret_cast<opaque_t<T> const*>(m.data), m.stride};
}
template <class T>
rows_at<opaque_t<T>> opaque_rows(matrix<T> const& m) noexcept {
  return {reinterpret_cast<opaque_t<T>*>(m.data), m.stride};
}

/// The arguments of sort_rows_by_key.
template <class Key, class Value>
struct rows_by_key {
  matrix<Key const> keys;
  matrix<Value const> values;
  matrix<Key> keys_out;
  matrix<Value> values_out;

  /// A matrix of the same sizes, without gaps.
  template <class T>
  matrix<T> dense(T* data) const {
    return {data, keys.row_count, keys.column_count};
  }
};

/// Sorts the columns by the keys, and moves the values to where they belong.
template <class Key, class Value, class Before>
cudaError_t sort_columns_by_key(rows_by_key<Key, Value> const& m, Before before, execution on) noexcept {
  std::int64_t const row_count = m.keys.row_count, column_count = m.keys.column_count, n = row_count * column_count;
  bool const in_place = m.values.data == m.values_out.data, spare_keys = !detail::is_dense(m.keys_out);
  sorted_pairs_scratch const needed(n, row_count, sizeof(Key), spare_keys, in_place ? sizeof(Value) : 0);
  pooled_workspace const scratch(on, needed.all.bytes, static_cast<std::size_t>(needed.all.words));
  if (scratch.error() != cudaSuccess) return scratch.error();
  auto* const order = scratch.array_after<std::int32_t>(needed.before_order);
  auto const sorted = spare_keys ? m.dense(scratch.array_after<Key>(needed.before_keys)) : m.keys_out;
  auto const held = in_place ? m.dense(scratch.array_after<Value>(needed.before_values)) : m.values_out;
  cudaError_t error = cudaSuccess;
  Key const* from = m.keys.data;
  if (!detail::is_dense(m.keys)) {
    error = detail::copy_long_rows(m.keys, sorted, on.stream);
    from = sorted.data;
  }
  if (error == cudaSuccess && in_place) error = detail::copy_long_rows(m.values, held, on.stream);
  if (error == cudaSuccess)
    error = grid::sort_segments_by_key(from, columns_in_rows<std::int32_t>{column_count, 0}, n,
                                       grid::segments_of_length(column_count), row_count, sorted.data, order, before,
                                       scratch.inside());
  if (error == cudaSuccess && spare_keys)
    error = detail::copy_long_rows(matrix<Key const>(sorted), m.keys_out, on.stream);
  if (error != cudaSuccess) return error;
  auto const values = in_place ? matrix<Value const>(held) : m.values;
  return grid::for_each(n,
                        gather_rows<opaque_t<Value>>{order, column_count, detail::opaque_rows<Value>(values),
                                                     detail::opaque_rows<Value>(m.values_out)},
                        scratch.inside());
}

/// Sorts the columns of rows that no block holds.
template <class T, class Index, class Before>
cudaError_t argsort_long_rows(matrix<T const> const& x, Index* indices, Before before, execution on) noexcept {
  static_assert(argsorted_rows_scratch::most_short == row_sort_tuning::of_4096::capacity);
  std::int64_t const row_count = x.row_count, column_count = x.column_count;
  if (!detail::are_top_k_rows(x, column_count, matrix<T>{nullptr, row_count, column_count},
                              matrix<Index>{indices, row_count, column_count}, {}))
    return cudaErrorInvalidValue;
  if (row_count == 0) return cudaSuccess;
  std::int64_t const n = row_count * column_count;
  argsorted_rows_scratch const needed(n, row_count, sizeof(T), sizeof(Index));
  pooled_workspace const scratch(on, needed.all.bytes, static_cast<std::size_t>(needed.all.words));
  if (scratch.error() != cudaSuccess) return scratch.error();
  matrix<T> const sorted{scratch.array_after<T>(needed.before_keys), row_count, column_count};
  T const* from = x.data;
  if (!detail::is_dense(x)) {
    cudaError_t const error = detail::copy_long_rows(x, sorted, on.stream);
    if (error != cudaSuccess) return error;
    from = sorted.data;
  }
  return grid::sort_segments_by_key(from, columns_in_rows<Index>{column_count, 0}, n,
                                    grid::segments_of_length(column_count), row_count, sorted.data, indices, before,
                                    scratch.inside());
}

/// Sorts rows that no tile holds, or of keys that no word holds.
template <class Key, class Value, class Before>
cudaError_t sort_long_rows_by_key(rows_by_key<Key, Value> const& m, Before before, execution on) noexcept {
  if constexpr (has_value_instantiation<Value>) {
    std::int64_t const row_count = m.keys.row_count, column_count = m.keys.column_count;
    if (detail::is_dense(m.keys) && detail::is_dense(m.values) && detail::is_dense(m.keys_out) &&
        detail::is_dense(m.values_out))
      return grid::sort_segments_by_key(m.keys.data, m.values.data, row_count * column_count,
                                        grid::segments_of_length(column_count), row_count, m.keys_out.data,
                                        m.values_out.data, before, on);
  }
  return detail::sort_columns_by_key(m, before, on);
}

/// The bytes of a matrix. They tell whether it has an element in common with another of as many rows and columns.
template <class T>
matrix<char const> bytes_of_rows(matrix<T> const& m) noexcept {
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  return {reinterpret_cast<char const*>(m.data), m.row_count, m.column_count * size,
          (m.row_count < 2 ? m.column_count : m.stride) * size};
}
template <class A, class B>
bool are_apart_rows(matrix<A> const& a, matrix<B> const& b) noexcept {
  auto const x = detail::bytes_of_rows(a), y = detail::bytes_of_rows(b);
  return x.data != y.data && detail::same_or_apart<char const>(x, y);
}

template <class Key, class Value, class Before>
cudaError_t sort_matrix_by_key(rows_by_key<Key, Value> const& m, Before before, execution on) noexcept {
  auto const is_good = [&](auto const& x) {
    return detail::is_matrix(x) && x.row_count == m.keys.row_count && x.column_count == m.keys.column_count;
  };
  if (!is_good(m.keys) || !is_good(m.values) || !is_good(m.keys_out) || !is_good(m.values_out))
    return cudaErrorInvalidValue;
  if (m.keys.row_count == 0 || m.keys.column_count == 0) return cudaSuccess;
  if (!detail::same_or_apart<Key>(m.keys, m.keys_out) || !detail::same_or_apart<Value>(m.values, m.values_out) ||
      !detail::are_apart_rows(m.keys, m.values_out) || !detail::are_apart_rows(m.values, m.keys_out) ||
      !detail::are_apart_rows(m.keys_out, m.values_out))
    return cudaErrorInvalidValue;
  if constexpr (detail::has_number_keys<Key, Before>() && sizeof(Key) <= 4 &&
                sizeof(Value) <= sorted_pairs_scratch::most_value_bytes) {
    using bits = typename tessera::detail::unsigned_of<sizeof(Key)>::type;
    using value = opaque_t<Value>;
    sort_pairs_task<bits, value> const task{{reinterpret_cast<bits const*>(m.keys.data), m.keys.stride},
                                            detail::opaque_rows<Value>(m.values),
                                            {reinterpret_cast<bits*>(m.keys_out.data), m.keys_out.stride},
                                            detail::opaque_rows<Value>(m.values_out),
                                            m.keys.row_count,
                                            static_cast<int>(m.keys.column_count),
                                            key_coding<bits>::template of<Key, is_falling<Key, Before>>()};
    static_assert(row_sort_tuning::of_4096::capacity == sorted_pairs_scratch::most_short(sizeof(Key)));
    cudaError_t error = cudaErrorInvalidValue;
    if (detail::launch_short_pairs<1, 8>(task, on.stream, error) ||
        detail::launch_short_pairs<2, 8>(task, on.stream, error) ||
        detail::launch_short_pairs<4, 8>(task, on.stream, error) ||
        detail::launch_short_pairs<8, 8>(task, on.stream, error) ||
        detail::launch_short_pairs<16, 8>(task, on.stream, error) ||
        detail::launch_short_pairs<16, 16>(task, on.stream, error) ||
        detail::launch_short_pairs<32, 16>(task, on.stream, error) ||
        detail::launch_short_pairs<32, 32>(task, on.stream, error) ||
        detail::launch_short_pairs<256, 8>(task, on.stream, error) ||
        detail::launch_short_pairs<256, 16>(task, on.stream, error))
      return error;
  }
  return detail::sort_long_rows_by_key(m, before, on);
}

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// The elements of each row in order.
///
/// y  a matrix of as many rows and columns: x itself, or apart from it.
template <class In, class Before = less>
[[nodiscard]] cudaError_t sort_rows(matrix<In> x, matrix<std::remove_const_t<In>> y, Before before = {},
                                    execution on = {}) noexcept {
  using T = std::remove_const_t<In>;
  static_assert(is_exchangeable_v<T> && sizeof(T) <= 64,
                "grid::sort_rows: elements are trivially copyable, of up to 64 bytes.");
  if constexpr (!is_exchangeable_v<T> || sizeof(T) > 64) {
    return cudaErrorNotSupported;
  } else {
    return detail::sort_matrix<T>(x, y, before, on);
  }
}

/// The columns of each row's elements in order, row after row: equal ones in rising order.
///
/// indices  as many std::int32_t or std::int64_t as the matrix has elements.
template <class In, class Index, class Before = less>
[[nodiscard]] cudaError_t argsort_rows(matrix<In> x, Index* indices, Before before = {}, execution on = {}) noexcept {
  using T = std::remove_const_t<In>;
  if constexpr (detail::has_number_keys<T, Before>() && detail::is_one_of<Index, std::int32_t, std::int64_t>) {
    if (x.column_count > detail::argsorted_rows_scratch::most_short)
      return detail::argsort_long_rows<T>(x, indices, before, on);
  }
  return grid::top_k_rows(x, x.column_count, nullptr, indices, before, {}, on);
}

/// The keys of each row in order, and the value of each: those of equal keys stay in the order of `values`.
///
/// keys_out, values_out  matrices of as many rows and columns, each the one that it is made from, or apart from all
///                       others.
template <class In, class ValueIn, class Before = less>
[[nodiscard]] cudaError_t sort_rows_by_key(matrix<In> keys, matrix<ValueIn> values,
                                           matrix<std::remove_const_t<In>> keys_out,
                                           matrix<std::remove_const_t<ValueIn>> values_out, Before before = {},
                                           execution on = {}) noexcept {
  using Key = std::remove_const_t<In>;
  using Value = std::remove_const_t<ValueIn>;
  static_assert(is_exchangeable_v<Key> && sizeof(Key) <= 64,
                "grid::sort_rows_by_key: keys are trivially copyable, of up to 64 bytes.");
  static_assert(is_exchangeable_v<Value>, "grid::sort_rows_by_key: values are trivially copyable.");
  if constexpr (!is_exchangeable_v<Key> || sizeof(Key) > 64 || !is_exchangeable_v<Value>) {
    return cudaErrorNotSupported;
  } else {
    return detail::sort_matrix_by_key<Key, Value>({keys, values, keys_out, values_out}, before, on);
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
