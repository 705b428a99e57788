// Rows whose elements an iterator computes, for nvcc: reductions, softmax and norms, without a matrix in between.
//
//   // Row r begins at squares + r * stride:
//   auto const squares = thrust::make_transform_iterator(x, square{});
//   auto const rows = tessera::grid::matrix_of(squares, height, width);  // or (…, width, stride)
//   error = tessera::grid::reduce_rows(rows, sums, tessera::plus{}, {stream, memory});
//   error = tessera::grid::argmax_rows(rows, best);  // indexed<float, int>* best
//   error = tessera::grid::softmax_rows(rows, tessera::grid::matrix{y, height, width});
//
// matrix_of(first, rows, columns[, stride]) gives
//   matrix             of a pointer, or of a contiguous iterator (core/iterators.hpp). Calls of rows.hpp, rows.cuh,
//                      softmax.hpp and norm.hpp then run as for a pointer.
//   computed_matrix    of any other random-access iterator. The calls below take it, and those of add_norm.cuh.
//
// Calls with a computed_matrix
//   take      any number of rows, up to 2^30 columns, any stride of at least the columns. The element's type T is the
//             iterator's value_type. Sums of 16-bit floats are computed in float. Results go to a pointer or an
//             iterator.
//   read      elements of the rows alone, in any order. One may be read again in place of elements after a row's end.
//             Softmax and norms read rows of more than 4096 columns twice (2048 of doubles, 8192 of 16-bit floats).
//   give      the results of the calls by pointers, with their rules for NaN, infinities, −0, and rows without columns.
//             The bits of a row's result depend on its elements, its number of columns and the types alone: on no
//             stride, neighbor, stream or GPU, but for softmax of floats, whose exponential is the architecture's.
//             Those of float sums differ from the bits by a pointer.
//   error     A float sum is off by at most (columns / 32 + 16) · 2^-24 · Σ|x| up to 2048 columns, and by
//             (columns / 2^18 + 128) · 2^-24 · Σ|x| for more; of doubles with 2^-53. Softmax, norms and moments have
//             the errors of softmax.hpp, norm.hpp and rows.hpp.
//   return    as all calls on arrays (docs/reference/arrays.md), and cudaErrorInvalidValue if the stride is less than
//             the columns or, for softmax and norms, sizes differ. What an iterator reads isn't checked.
//   cost      one launch and no workspace for rows of up to 16384 columns: a lane takes a row of up to 8 columns,
//             8 lanes one of up to 64, a warp one of up to 2048 (softmax: 512 of floats), a block a longer one. For
//             more columns, two launches, in which a block takes 16384 columns, or a 1024th of the row if that is
//             more. The workspace then has a value for each of these blocks (scratch_bytes.hpp).
#pragma once

#include <tessera/grid/matrix.hpp>
#include <tessera/grid/norm.hpp>
#include <tessera/grid/rows.cuh>
#include <tessera/grid/rows/computed_fold.hpp>
#include <tessera/grid/rows/computed_launch.cuh>
#include <tessera/grid/rows/computed_softmax.hpp>
#include <tessera/grid/rows/norm_map.hpp>
#include <tessera/grid/softmax.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid {

/// A view of rows whose elements an iterator reads, or to which one writes. Made by matrix_of.
template <class It>
struct computed_matrix {
  It first;
  std::int64_t row_count;
  std::int64_t column_count;
  std::int64_t stride;
};

/// Rows of `column_count` elements, of which row r begins at first + r · stride.
template <class It>
auto matrix_of(It const& first, std::int64_t row_count, std::int64_t column_count, std::int64_t stride) noexcept {
  auto const reader = tessera::detail::reader_of(first);
  if constexpr (stl::is_pointer_v<It>) {
    return matrix<stl::remove_volatile_t<stl::remove_pointer_t<It>>>(
        const_cast<stl::remove_volatile_t<stl::remove_pointer_t<It>>*>(first), row_count, column_count, stride);
  } else if constexpr (stl::is_pointer_v<decltype(reader)> && tessera::detail::is_reader<It>) {
    auto* const pointer = tessera::detail::address_of(first);
    return matrix<stl::remove_pointer_t<decltype(tessera::detail::address_of(first))>>(pointer, row_count, column_count,
                                                                                       stride);
  } else {
    return computed_matrix<stl::remove_const_t<decltype(reader)>>{reader, row_count, column_count, stride};
  }
}
/// A matrix with a stride of `column_count`.
template <class It>
auto matrix_of(It const& first, std::int64_t row_count, std::int64_t column_count) noexcept {
  return grid::matrix_of(first, row_count, column_count, column_count);
}

namespace detail {

inline namespace TESSERA_ARCHS {

template <class Rows>
inline constexpr bool is_computed_matrix = false;
template <class It>
inline constexpr bool is_computed_matrix<computed_matrix<It>> = true;

/// Any kind of matrix, as an iterator.
template <class T>
computed_matrix<T*> any_rows(matrix<T> const& m) noexcept {
  return {m.data, m.row_count, m.column_count, m.stride};
}
template <class It>
computed_matrix<It> const& any_rows(computed_matrix<It> const& m) noexcept {
  return m;
}
template <class Rows>
using reader_of_rows = stl::decay_t<decltype(detail::any_rows(stl::declval<Rows const&>()).first)>;

template <class It>
bool is_matrix(computed_matrix<It> const& m) noexcept {
  if constexpr (stl::is_pointer_v<It>) {
    return detail::is_matrix(matrix<stl::remove_pointer_t<It>>(m.first, m.row_count, m.column_count, m.stride));
  } else {
    return m.row_count >= 0 && m.column_count >= 0 && m.column_count <= most_columns && m.stride >= m.column_count &&
           (m.row_count < 2 || m.stride <= (INT64_MAX - m.column_count) / (m.row_count - 1));
  }
}

/// True if the arguments of a reduction are right.
template <class It, class Out>
bool can_fold(computed_matrix<It> const& in, Out const& out) noexcept {
  return detail::is_matrix(in) && detail::is_array(out, in.row_count);
}

/// True of types whose vectors a fragment holds.
template <class T>
inline constexpr bool is_number = stl::is_arithmetic_v<T> || tessera::detail::is_half<T>;

/// Combines the results of f(x, column) for all elements of each row by op, in the row's order if op doesn't commute.
/// Stores results as store_of_rows has them.
template <class R = void, class It, class Out, class Op, class F>
cudaError_t fold_computed(computed_matrix<It> const& in, Out const& out, Op const& op, F const& f,
                          execution on) noexcept {
  using T = value_of<It>;
  using term = stl::remove_cv_t<stl::remove_reference_t<stl::invoke_result_t<F const&, arithmetic_t<T>, int>>>;
  using combine = tessera::detail::normalized_t<Op, term>;
  using value = tessera::detail::range_result_t<combine, term, std::int64_t>;
  static_assert(is_exchangeable_v<T> && is_exchangeable_v<value> && sizeof(T) <= 48 && sizeof(value) <= 48,
                "Elements and results of computed rows are trivially copyable, of up to 48 bytes; or specialize "
                "tessera::is_exchangeable.");
  if constexpr (!can_reduce<combine, value>()) {
    return cudaErrorNotSupported;
  } else {
    if (!detail::can_fold(in, out)) return cudaErrorInvalidValue;
    auto const normal_op = tessera::detail::normalize<term>(op);
    row_ranges const ranges{in.stride, in.column_count};
    using store = store_of_rows<R, Out, value>;
    if constexpr (is_number<T> && operator_traits<combine, value>::commutative) {
      using fold = computed_element_fold<T, stl::decay_t<decltype(normal_op)>, F>;
      return detail::for_each_row(ranges, in.row_count,
                                  computed_fold<It, fold, store>{in.first, {normal_op, f}, {out}, in.column_count}, on);
    } else {
      using body = computed_reduction<It, value, stl::decay_t<decltype(normal_op)>, row_term<T, F>, store>;
      return detail::for_each_row(ranges, in.row_count, body{{in.first, {out}, normal_op, {f}, {}}}, on);
    }
  }
}

/// Reduces f(x, column) of rows of numbers by an operator, neither of which has data. Out is an R*, or an iterator that
/// gets an R for each row.
template <class R, class Op, class F, class It, class Out>
cudaError_t reduce_numbers(computed_matrix<It> const& in, Out const& out, execution on) noexcept {
  detail::require_element<element_t<value_of<It>>>();
  if constexpr (stl::is_pointer_v<Out> && !stl::is_same_v<Out, R*>) {
    return detail::require_result<R, Out>();
  } else {
    return detail::fold_computed<R>(in, detail::writer_of<R>(out), Op{}, F{}, on);
  }
}

/// True if rows that In reads can be mapped to rows that Out writes. If not, a static assertion says so.
template <class In, class Out>
constexpr bool maps_rows() {
  using T = value_of<In>;
  constexpr bool is_float = is_one_of<T, float, double, __half, __nv_bfloat16>;
  constexpr bool one_type = !stl::is_pointer_v<Out> || stl::is_same_v<Out, T*>;
  static_assert(is_float,
                "grid::softmax_rows is for rows of float, double, __half and __nv_bfloat16, as are norms of rows.");
  static_assert(!is_float || one_type, "in and out have elements of one type, those of out not const.");
  return is_float && one_type;
}

template <class In, class Out>
bool can_map(computed_matrix<In> const& in, computed_matrix<Out> const& out) noexcept {
  return detail::is_matrix(in) && detail::is_matrix(out) && in.row_count == out.row_count &&
         in.column_count == out.column_count;
}

/// True if n elements at p, which may be null, can be read while the rows are written.
template <class Out, class T>
bool is_apart_from_rows(computed_matrix<Out> const& out, T const* p, std::int64_t n) noexcept {
  std::int64_t const extent = out.row_count == 0 ? 0 : (out.row_count - 1) * out.stride + out.column_count;
  return p == nullptr || (detail::is_array(p, n) && !detail::overlap(p, n, out.first, extent));
}

/// Maps rows by a Map (map_rows.hpp). The arguments are right.
template <class In, class Out, class Map>
cudaError_t map_computed(computed_matrix<In> const& in, computed_matrix<Out> const& out, Map const& map,
                         std::int32_t const* lengths, execution on) noexcept {
  return detail::for_each_row(
      {in.stride, in.column_count}, in.row_count,
      computed_map<value_of<In>, Map, In, Out, row_places>{in.first, out.first, map, {in.stride, out.stride, lengths}},
      on);
}

template <class In, class Out>
cudaError_t map_computed_by_softmax(computed_matrix<In> const& in, computed_matrix<Out> const& out,
                                    std::int32_t const* lengths, bool logarithms, execution on) noexcept {
  if constexpr (maps_rows<In, Out>()) {
    if (!detail::can_map(in, out)) return cudaErrorInvalidValue;
    if (in.row_count == 0 || in.column_count == 0) return cudaSuccess;
    if (!detail::is_apart_from_rows(out, lengths, in.row_count)) return cudaErrorInvalidValue;
    return detail::map_computed(in, out, softmax_map<value_of<In>>{logarithms}, lengths, on);
  } else {
    return cudaErrorNotSupported;
  }
}

template <class In, class Out, class T = value_of<In>>
cudaError_t map_computed_by_norm(computed_matrix<In> const& in, computed_matrix<Out> const& out, T const* weight,
                                 T const* bias, double epsilon, bool centered, execution on) noexcept {
  if constexpr (maps_rows<In, Out>()) {
    std::int64_t const column_count = in.column_count;
    if (!(epsilon >= 0) || !detail::can_map(in, out) || !detail::is_apart_from_rows(out, weight, column_count) ||
        !detail::is_apart_from_rows(out, bias, column_count))
      return cudaErrorInvalidValue;
    if (column_count == 0) return cudaSuccess;
    norm_map<T> const map{weight, bias, static_cast<arithmetic_t<T>>(epsilon), centered};
    return detail::map_computed(in, out, map, nullptr, on);
  } else {
    return cudaErrorNotSupported;
  }
}

/// The elements of a matrix or a computed_matrix.
template <class Rows>
using element_of_rows = value_of<reader_of_rows<Rows>>;

/// Enables softmax and norms for rows of which some are computed.
template <class In, class Out>
inline constexpr bool is_any_matrix = is_computed_matrix<In>;
template <class T, class Out>
inline constexpr bool is_any_matrix<matrix<T>, Out> = is_computed_matrix<Out>;
template <class T>
inline constexpr bool is_matrix_of_memory = false;
template <class T>
inline constexpr bool is_matrix_of_memory<matrix<T>> = true;
template <class In, class Out>
using if_computed =
    stl::enable_if_t<is_any_matrix<In, Out> && (is_computed_matrix<Out> || is_matrix_of_memory<Out>), bool>;

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// reduce_rows of rows.hpp, of computed rows and by any operator with an identity, which need not commute. out points
/// to reduced_t<T, Op>, or is an iterator that gets one for each row.
template <class It, class Out, class Op = plus, detail::if_result<Out> = true>
[[nodiscard]] cudaError_t reduce_rows(computed_matrix<It> in, Out out, Op op = {}, execution on = {}) noexcept {
  using T = detail::value_of<It>;
  using result = reduced_t<T, Op>;
  if constexpr (stl::is_pointer_v<Out> && !stl::is_same_v<Out, result*>) {
    return detail::require_reduced<T, Op, Out>();
  } else {
    return detail::fold_computed<result>(in, detail::writer_of<result>(out), op, detail::as_number{}, on);
  }
}

/// transform_reduce_rows of rows.cuh, of computed rows. f may be called with a row's last element and its column more
/// than once.
template <class It, class Out, class Op, class F, detail::if_result<Out> = true>
[[nodiscard]] cudaError_t transform_reduce_rows(computed_matrix<It> in, Out out, Op op, F f,
                                                execution on = {}) noexcept {
  using number = detail::arithmetic_t<detail::value_of<It>>;
  static_assert(!tessera::detail::are_swapped<int, number, Op, F>(),
                "grid::transform_reduce_rows: op comes before f, as in std::transform_reduce: write "
                "transform_reduce_rows(in, out, op, f).");
  return detail::fold_computed(in, tessera::detail::address_of(out), op, detail::caller_function<F>{f}, on);
}

/// argmin_rows of rows.hpp, of computed rows. out points to indexed<T, int>, or is an iterator.
template <class It, class Out, detail::if_result<Out> = true>
[[nodiscard]] cudaError_t argmin_rows(computed_matrix<It> in, Out out, execution on = {}) noexcept {
  return detail::reduce_numbers<indexed<detail::value_of<It>, int>, tessera::argmin, detail::as_indexed>(in, out, on);
}

/// argmax_rows of rows.hpp, of computed rows. out points to indexed<T, int>, or is an iterator.
template <class It, class Out, detail::if_result<Out> = true>
[[nodiscard]] cudaError_t argmax_rows(computed_matrix<It> in, Out out, execution on = {}) noexcept {
  return detail::reduce_numbers<indexed<detail::value_of<It>, int>, tessera::argmax, detail::as_indexed>(in, out, on);
}

/// minmax_rows of rows.hpp, of computed rows. out points to min_max<T>, or is an iterator.
template <class It, class Out, detail::if_result<Out> = true>
[[nodiscard]] cudaError_t minmax_rows(computed_matrix<It> in, Out out, execution on = {}) noexcept {
  return detail::reduce_numbers<min_max<detail::value_of<It>>, tessera::minmax, detail::as_extremes>(in, out, on);
}

/// moments_rows of rows.hpp, of computed rows of float, double, __half or __nv_bfloat16. out points to moments<float>,
/// for doubles to moments<double>, or is an iterator.
template <class It, class Out, detail::if_result<Out> = true>
[[nodiscard]] cudaError_t moments_rows(computed_matrix<It> in, Out out, execution on = {}) noexcept {
  using T = detail::value_of<It>;
  using result = detail::moments_of_rows_t<T>;
  if constexpr (!detail::has_moments_of_rows<T>()) {
    return cudaErrorNotSupported;
  } else if constexpr (stl::is_pointer_v<Out> && !stl::is_same_v<Out, result*>) {
    return detail::require_result<result, Out>();
  } else {
    auto const writer = detail::writer_of<result>(out);
    if (!detail::can_fold(in, writer)) return cudaErrorInvalidValue;
    using store = detail::store_as<result, stl::remove_const_t<decltype(writer)>>;
    return detail::for_each_row(
        {in.stride, in.column_count}, in.row_count,
        detail::computed_fold<It, detail::norm_map<T>, store>{in.first, {}, {writer}, in.column_count}, on);
  }
}

/// softmax_rows of softmax.hpp, of computed rows, into computed rows, or both: in and out are a matrix, or what
/// matrix_of gives. Precondition: if `in` is an iterator over the matrix that is written, it computes element (r, c)
/// from element (r, c) of that matrix alone.
template <class In, class Out, detail::if_computed<In, Out> = true>
[[nodiscard]] cudaError_t softmax_rows(In in, Out out, std::int32_t const* lengths = nullptr,
                                       execution on = {}) noexcept {
  return detail::map_computed_by_softmax(detail::any_rows(in), detail::any_rows(out), lengths, false, on);
}

/// log_softmax_rows of softmax.hpp, of computed rows, into computed rows, or both.
template <class In, class Out, detail::if_computed<In, Out> = true>
[[nodiscard]] cudaError_t log_softmax_rows(In in, Out out, std::int32_t const* lengths = nullptr,
                                           execution on = {}) noexcept {
  return detail::map_computed_by_softmax(detail::any_rows(in), detail::any_rows(out), lengths, true, on);
}

/// layer_norm_rows of norm.hpp, of computed rows, into computed rows, or both, as softmax_rows. weight and bias are
/// read as in norm.hpp, by pointers.
template <class In, class Out, detail::if_computed<In, Out> = true>
[[nodiscard]] cudaError_t layer_norm_rows(In in, Out out, detail::element_of_rows<In> const* weight = nullptr,
                                          detail::element_of_rows<In> const* bias = nullptr, double epsilon = 1e-5,
                                          execution on = {}) noexcept {
  return detail::map_computed_by_norm(detail::any_rows(in), detail::any_rows(out), weight, bias, epsilon, true, on);
}

/// rms_norm_rows of norm.hpp, of computed rows, into computed rows, or both.
template <class In, class Out, detail::if_computed<In, Out> = true>
[[nodiscard]] cudaError_t rms_norm_rows(In in, Out out, detail::element_of_rows<In> const* weight = nullptr,
                                        detail::element_of_rows<In> const* bias = nullptr, double epsilon = 1e-5,
                                        execution on = {}) noexcept {
  return detail::map_computed_by_norm(detail::any_rows(in), detail::any_rows(out), weight, bias, epsilon, false, on);
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
