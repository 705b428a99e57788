// Scans each row of a matrix, or each column: the kernels, for nvcc.
//
//   x                     3 1 4 1 5      inclusive_scan_rows   3 4 8 9 14     exclusive_scan_rows   0 3 4 8 9
//                         1 1 2 0 1                            1 2 4 4 5                            0 1 2 4 4
//
//   tessera::grid::matrix x{data, rows, columns};      // or {data, rows, columns, stride}
//   error = tessera::grid::inclusive_scan_rows(x, y);  // y[r][c] = x[r][0] + … + x[r][c]
//   error = tessera::grid::inclusive_scan_columns(x, y, tessera::plus{}, stream);            // down each column
//   error = tessera::grid::inclusive_scan_rows(x, x, tessera::maximum{}, {stream, memory});  // in place
//   // The next chunk of a long recurrence, h → a · h + b: one carry of each row, which stays on the device.
//   error = tessera::grid::inclusive_scan_rows(maps, states, tessera::affine{}, {false, carries, carries}, stream);
//
// The options in braces are `suffix`, carry_in and carry_out: see scan_rows_options.
//
// All of them
//   take      in: a matrix in the GPU's memory, of any number of rows, 0 to 2^30 columns, any stride and alignment. T:
//             any trivially copyable type of up to 4096 bytes. out: a matrix as large, of T, or of the type that values
//             are combined in; `in` itself, or apart from it. op: any operator. It need not commute, and needs an
//             identity only where an exclusive scan has no carry.
//   combine   in the type reduced_t<T, Op>: sums of 16-bit floats as float, of integers of 8 and 16 bits as int.
//             A result is converted to out's type, once: such an integer wraps, a 16-bit float is rounded.
//   give      bits that depend on the row's elements, its carry, its number of columns, and the types alone (of a
//             column: on its number of rows in place of that). Not on the other rows, their number, strides,
//             alignments, timing or the GPU.
//   error     A float sum is off by at most (n / 2^14 + 300) · u · Σ|x|, where n is the row's or column's length, and u
//             is 2^-24, or 2^-53 for doubles.
//   zeros     A float sum of elements that are all −0 is −0. The first result of an exclusive scan without a carry is
//             the identity, +0.
//   calls     op is called with elements, results and carries, and beyond a row's end with copies of its last element
//             (of a suffix scan: its first), whose results are dropped.
//   return    as all calls on arrays: docs/reference/arrays.md; and cudaErrorInvalidValue if a stride is less than the
//             columns, or an exclusive scan has neither a carry nor an identity.
//   cost      one read and one write of each element, and one launch. Blocks share up to 64 rows of more than 28 Ki
//             floats, and up to 2048 columns of more than 896 rows of them: these are read twice, by two launches (of
//             columns three), and a workspace has up to 256 values for each. All are moved by vectors of 16 bytes but
//             for rows of up to 512 floats, or as many bytes, that have gaps between them and don't all begin at
//             multiples of 16 bytes.
#pragma once

#include <cooperative_groups.h>

#include <tessera/grid/execution.hpp>
#include <tessera/grid/matrix.hpp>
#include <tessera/grid/parts/default_stream.hpp>
#include <tessera/grid/parts/instantiations.hpp>
#include <tessera/grid/parts/launch.cuh>
#include <tessera/grid/parts/pooled_workspace.hpp>
#include <tessera/grid/parts/tile_tuning.hpp>
#include <tessera/grid/reduce.hpp>
#include <tessera/grid/rows/row_arguments.hpp>
#include <tessera/grid/rows/scan_columns.hpp>
#include <tessera/grid/rows/scan_rows.hpp>
#include <tessera/operators.hpp>

#include <cuda_runtime_api.h>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid {

/// Options of a scan of rows or columns. R is the type in which values are combined: reduced_t<T, Op>.
template <class R>
struct scan_rows_options {
  /// From each row's end: y[r][c] = x[r][c] op … op x[r][columns − 1], or without x[r][c]. A carry comes last.
  bool suffix = false;
  /// The values before each row's first element, on the device: a value for each row (of columns: for each column).
  /// Null: there is no carry.
  R const* carry_in = nullptr;
  /// The place for each row's total with its carry, which is the carry of the next chunk. It may be carry_in. Of a row
  /// without elements it is the carry, or else the identity; without both it stays as it is. Null: it isn't stored.
  R* carry_out = nullptr;
};

namespace detail {

inline namespace TESSERA_ARCHS {

/// A warp's stage for the rows of a task, if they are Staged.
template <bool Staged, class Task>
using stage_of_rows =
    stl::conditional_t<Staged, row_stage<scan_rows_shape<typename Task::T, typename Task::R>::stage_bytes>, no_stage>;

template <bool Staged, unsigned Steps, unsigned Rows, class Task>
__global__ void __launch_bounds__(scan_rows_tuning::short_threads,
                                  scan_rows_shape<typename Task::T, typename Task::R>::least_blocks)
    scan_short_rows_kernel(Task task, lanes_of_rows of) {
  wait_for_stream();
  if constexpr (Staged) {
    __shared__ stage_of_rows<true, Task> stages[scan_rows_tuning::short_threads / 32];
    detail::scan_neighboring_rows<Steps, Rows>(cooperative_groups::this_thread_block(), task, of, stages);
  } else {
    detail::scan_short_rows<Steps, Rows>(cooperative_groups::this_thread_block(), task, of);
  }
}
template <bool Staged, unsigned Warps, class Task>
__global__ void __launch_bounds__(Warps * 32) scan_medium_rows_kernel(Task task, scan_rows_cut cut) {
  wait_for_stream();
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ scan_rows_storage<typename Task::R, Warps> storage;
  detail::scan_medium_rows(cooperative_groups::this_thread_block(), task, cut, storage,
                           reinterpret_cast<stage_of_rows<Staged, Task>*>(shared));
}
template <bool Staged, unsigned Warps, class Task>
__global__ void __launch_bounds__(Warps * 32,
                                  Staged ? scan_rows_shape<typename Task::T, typename Task::R>::least_staged_blocks : 1)
    scan_long_rows_kernel(Task task, scan_rows_cut cut, typename Task::R const* totals) {
  wait_for_stream();
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ scan_rows_storage<typename Task::R, Warps> storage;
  detail::scan_long_rows(cooperative_groups::this_thread_block(), task, cut, totals, storage,
                         reinterpret_cast<stage_of_rows<Staged, Task>*>(shared));
}
template <unsigned Warps, class Task>
__global__ void __launch_bounds__(Warps * 32)
    total_chunks_kernel(Task task, scan_rows_cut cut, typename Task::R* totals, typename Task::R* carries) {
  wait_for_stream();
  __shared__ scan_rows_storage<typename Task::R, Warps> storage;
  detail::total_chunks(cooperative_groups::this_thread_block(), task, cut, totals, carries, storage);
}
template <unsigned Warps, class Task>
__global__ void __launch_bounds__(Warps * 32, scan_columns_shape<typename Task::T, typename Task::R>::least_blocks)
    scan_columns_kernel(Task task, scan_columns_cut cut, typename Task::R const* prefixes) {
  wait_for_stream();
  __shared__ scan_columns_storage<typename Task::R, Warps> storage;
  detail::scan_columns(cooperative_groups::this_thread_block(), task, cut, prefixes, storage);
}
template <unsigned Warps, class Task>
__global__ void __launch_bounds__(Warps * 32)
    total_column_chunks_kernel(Task task, scan_columns_cut cut, typename Task::R* totals, typename Task::R* carries) {
  wait_for_stream();
  __shared__ scan_columns_storage<typename Task::R, Warps> storage;
  detail::total_column_chunks(cooperative_groups::this_thread_block(), task, cut, totals, carries, storage);
}
template <class Task>
__global__ void __launch_bounds__(32) prefix_column_chunks_kernel(Task task, int count, typename Task::R* totals) {
  wait_for_stream();
  detail::prefix_column_chunks(cooperative_groups::this_thread_block(), task, count, totals);
}

/// Kernels that share chunks: `total(totals, carries)` launches the first, `scan(totals, carries)` the others. The
/// carries are copied, since a block may store one that another has yet to read.
template <class R, class Total, class Scan>
cudaError_t scan_in_chunks(std::int64_t line_count, int chunks, bool has_carry, execution on, Total total,
                           Scan scan) noexcept {
  pooled_workspace const scratch(on, static_cast<std::size_t>(line_count * chunks) * sizeof(R), 0, false);
  if (scratch.error() != cudaSuccess) return scratch.error();
  auto* const totals = static_cast<R*>(scratch.data());
  R* const carries = has_carry ? totals + line_count * (chunks - 1) : nullptr;
  cudaError_t const error = total(totals, carries);
  return error == cudaSuccess ? scan(totals, carries) : error;
}

/// Scans each row, through stages if Staged.
template <bool Staged, class Task>
cudaError_t scan_each_row(Task const& task, execution on) noexcept {
  using R = typename Task::R;
  using shape = scan_rows_shape<typename Task::T, R>;
  if (task.row_count == 0 || (task.column_count == 0 && task.carry_out == nullptr)) return cudaSuccess;
  constexpr unsigned threads = scan_rows_tuning::short_threads;
  auto const blocks_of = [&](std::int64_t rows_of_warp) {
    return detail::ceiling_divide(task.row_count, rows_of_warp * (threads / 32));
  };
  if (task.column_count <= shape::step_elements) {
    auto const of = lanes_of_rows::of(shape::lanes.lanes_for(task.column_count));
    return detail::launch<scan_short_rows_kernel<Staged, 1, shape::steps, Task>>(
        {blocks_of(of.row_count * shape::steps), threads}, on.stream, task, of);
  }
  if constexpr (shape::steps > 2) {
    constexpr unsigned of_warp = shape::steps / 2;
    if (task.column_count <= 2 * shape::step_elements)
      return detail::launch<scan_short_rows_kernel<Staged, 2, of_warp, Task>>({blocks_of(of_warp), threads}, on.stream,
                                                                              task, lanes_of_rows::of(32));
  }
  if (task.column_count <= shape::part_elements)
    return detail::launch<scan_short_rows_kernel<Staged, shape::steps, 1, Task>>({blocks_of(1), threads}, on.stream,
                                                                                 task, lanes_of_rows::of(32));
  auto const cut = shape::lanes.cut_of(task.column_count);
  unsigned const stage_bytes = Staged ? cut.warps * static_cast<unsigned>(sizeof(stage_of_rows<Staged, Task>)) : 0;
  if (cut.tiles == 1)
    return detail::launch<scan_medium_rows_kernel<Staged, shape::most_warps, Task>>(
        {task.row_count, cut.warps * 32, stage_bytes}, on.stream, task, cut);
  constexpr auto* kernel = &scan_long_rows_kernel<Staged, shape::most_warps, Task>;
  if (shape::lanes.shared_chunks(task.row_count, task.column_count) == 0)
    return detail::launch<kernel>({task.row_count, cut.warps * 32, 2 * stage_bytes}, on.stream, task, cut,
                                  static_cast<R const*>(nullptr));
  return detail::scan_in_chunks<R>(
      task.row_count, cut.chunks, task.carry_in != nullptr, on,
      [&](R* totals, R* carries) {
        return detail::launch<total_chunks_kernel<shape::most_warps, Task>>(
            {task.row_count * (cut.chunks - 1), cut.warps * 32}, on.stream, task, cut, totals, carries);
      },
      [&](R const* totals, R const* carries) {
        Task second = task;
        second.carry_in = carries;
        return detail::launch<kernel>({task.row_count * cut.chunks, cut.warps * 32, 2 * stage_bytes}, on.stream, second,
                                      cut, totals);
      });
}

template <class Task>
cudaError_t scan_each_column(Task const& task, execution on) noexcept {
  using R = typename Task::R;
  using shape = scan_columns_shape<typename Task::T, R>;
  if (task.column_count == 0 || (task.row_count == 0 && task.carry_out == nullptr)) return cudaSuccess;
  std::int64_t const strips = detail::ceiling_divide(task.column_count, 32);
  auto const cut = shape::lanes.cut_of(task.row_count);
  constexpr auto* kernel = &scan_columns_kernel<shape::most_warps, Task>;
  if (shape::lanes.shared_chunks(task.row_count, task.column_count) == 0)
    return detail::launch<kernel>({strips, cut.warps * 32}, on.stream, task, cut, static_cast<R const*>(nullptr));
  return detail::scan_in_chunks<R>(
      task.column_count, cut.chunks, task.carry_in != nullptr, on,
      [&](R* totals, R* carries) {
        return detail::launch<total_column_chunks_kernel<shape::most_warps, Task>>(
            {strips * (cut.chunks - 1), cut.warps * 32}, on.stream, task, cut, totals, carries);
      },
      [&](R* totals, R const* carries) {
        Task second = task;
        second.carry_in = carries;
        cudaError_t const error =
            detail::launch<prefix_column_chunks_kernel<Task>>({strips, 32}, on.stream, second, cut.chunks - 1, totals);
        if (error != cudaSuccess) return error;
        return detail::launch<kernel>({strips * cut.chunks, cut.warps * 32}, on.stream, second, cut,
                                      static_cast<R const*>(totals));
      });
}

/// The type in which a scan of rows or columns combines elements.
template <class In, class Op>
using row_scanned = reduced_t<stl::remove_const_t<In>, Op>;

/// True if results of scanning elements of T, of type R, can be stored as Out.
template <class T, class Out, class R>
constexpr bool scans_rows_into() {
  constexpr bool possible = stl::is_same_v<Out, T> || stl::is_same_v<Out, R>;
  static_assert(possible,
                "inclusive_scan_rows(in, out, op), exclusive_scan_rows and those of columns: out has the elements' "
                "type, or the one that they are combined in (reduced_t: float for sums of 16-bit floats, int for sums "
                "of shorter integers), and isn't const.");
  return possible;
}

/// True if a scan may read and write these matrices, and `line_count` carries.
template <class T, class Out, class R>
bool can_scan_lines(matrix<T const> const& in, matrix<Out> const& out, scan_rows_options<R> const& options,
                    std::int64_t line_count) noexcept {
  if (!detail::is_matrix(in) || !detail::is_matrix(out) || in.row_count != out.row_count ||
      in.column_count != out.column_count)
    return false;
  std::int64_t const read = detail::extent_of(in), written = detail::extent_of(out);
  if constexpr (stl::is_same_v<T, Out>) {
    if (!detail::same_or_apart(in, out)) return false;
  } else {
    if (detail::overlap(in.data, read, out.data, written)) return false;
  }
  R const* const from = options.carry_in;
  R* const to = options.carry_out;
  if (from != nullptr && (!detail::is_array(from, line_count) || detail::overlap(from, line_count, out.data, written)))
    return false;
  return to == nullptr || (detail::is_array(to, line_count) && !detail::overlap(to, line_count, in.data, read) &&
                           !detail::overlap(to, line_count, out.data, written) &&
                           (from == nullptr || from == to || !detail::overlap(from, line_count, to, line_count)));
}

/// True if each row begins at a multiple of 16 bytes; with `suffix` the end of each row is one.
template <class T>
bool has_aligned_lines(matrix<T> const& m, bool suffix) noexcept {
  return detail::has_aligned_rows(m) && (!suffix || m.column_count * static_cast<std::int64_t>(sizeof(T)) % 16 == 0);
}

/// Scans each row, or each column if Down.
template <bool Exclusive, bool Down, bool Suffix, class T, class Out, class Op, class R>
cudaError_t scan_lines_in_direction(matrix<T const> const& in, matrix<Out> const& out, Op const& op,
                                    scan_rows_options<R> const& options, execution on) noexcept {
  matrix_scan_task<T, Out, R, Op, Suffix, Exclusive> const task{in.data,
                                                                out.data,
                                                                in.stride,
                                                                out.stride,
                                                                in.row_count,
                                                                static_cast<int>(in.column_count),
                                                                detail::has_aligned_lines(in, Suffix),
                                                                detail::has_aligned_lines(out, Suffix),
                                                                options.carry_in,
                                                                options.carry_out,
                                                                op};
  if constexpr (Down) {
    return detail::scan_each_column(task, on);
  } else {
    if constexpr (scan_rows_shape<T, R>::stage_bytes > 0) {
      if (detail::is_staged(task)) return detail::scan_each_row<true>(task, on);
    }
    return detail::scan_each_row<false>(task, on);
  }
}

/// Scans in the direction that the options say. If it is known, MaySuffix is false.
template <bool Exclusive, bool Down, bool MaySuffix, class In, class Out, class Op>
cudaError_t scan_lines(matrix<In> const& in, matrix<Out> const& out, Op const& op,
                       scan_rows_options<row_scanned<In, Op>> const& options, execution on) noexcept {
  using T = stl::remove_const_t<In>;
  using R = row_scanned<In, Op>;
  using combine = tessera::detail::normalized_t<Op, T>;
  static_assert(is_exchangeable_v<T> && is_exchangeable_v<R> && sizeof(T) <= tile_tuning::most_scanned_bytes &&
                    sizeof(R) <= tile_tuning::most_scanned_bytes,
                "Elements and results are trivially copyable, of up to 4096 bytes; or specialize "
                "tessera::is_exchangeable.");
  tessera::detail::require_assignable<R>();
  if constexpr (!scans_rows_into<T, Out, R>() || !can_combine<combine, R>()) {
    return cudaErrorNotSupported;
  } else {
    matrix<T const> const from(in);
    std::int64_t const line_count = Down ? in.column_count : in.row_count;
    if (!detail::can_scan_lines(from, out, options, line_count)) return cudaErrorInvalidValue;
    if (Exclusive && options.carry_in == nullptr && !operator_traits<combine, R>::has_identity)
      return cudaErrorInvalidValue;
    auto const combining = tessera::detail::normalize<R>(op);
    if constexpr (MaySuffix) {
      if (options.suffix)
        return detail::scan_lines_in_direction<Exclusive, Down, true>(from, out, combining, options, on);
    }
    return detail::scan_lines_in_direction<Exclusive, Down, false>(from, out, combining, options, on);
  }
}

/// True if Op can begin an exclusive scan of rows without a carry.
template <class Op, class R>
constexpr bool can_begin_row_scan() {
  constexpr bool possible = operator_traits<Op, R>::has_identity;
  static_assert(possible,
                "exclusive_scan_rows(in, out, op) and exclusive_scan_columns begin with the operator's identity, and "
                "this operator has none: write make_operator(f, identity), or give a carry in the options: "
                "exclusive_scan_rows(in, out, op, {false, carry_in}).");
  return possible;
}
template <bool Down, class In, class Out, class Op>
cudaError_t scan_lines_from_identity(matrix<In> const& in, matrix<Out> const& out, Op const& op,
                                     execution on) noexcept {
  using T = stl::remove_const_t<In>;
  if constexpr (can_begin_row_scan<tessera::detail::normalized_t<Op, T>, row_scanned<In, Op>>()) {
    return detail::scan_lines<true, Down, false>(in, out, op, {}, on);
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// y[r][c] = carry_in[r] op x[r][0] op … op x[r][c]: `in` is x, `out` is y.
template <class In, class Out, class Op>
[[nodiscard]] cudaError_t inclusive_scan_rows(matrix<In> in, matrix<Out> out, Op op,
                                              scan_rows_options<detail::row_scanned<In, Op>> options,
                                              execution on = {}) noexcept {
  return detail::scan_lines<false, false, true>(in, out, op, options, on);
}
template <class In, class Out, class Op = plus>
[[nodiscard]] cudaError_t inclusive_scan_rows(matrix<In> in, matrix<Out> out, Op op = {}, execution on = {}) noexcept {
  return detail::scan_lines<false, false, false>(in, out, op, {}, on);
}

/// y[r][c] = carry_in[r] op x[r][0] op … op x[r][c − 1]; y[r][0] is the carry, or without one the operator's identity.
template <class In, class Out, class Op>
[[nodiscard]] cudaError_t exclusive_scan_rows(matrix<In> in, matrix<Out> out, Op op,
                                              scan_rows_options<detail::row_scanned<In, Op>> options,
                                              execution on = {}) noexcept {
  return detail::scan_lines<true, false, true>(in, out, op, options, on);
}
template <class In, class Out, class Op = plus>
[[nodiscard]] cudaError_t exclusive_scan_rows(matrix<In> in, matrix<Out> out, Op op = {}, execution on = {}) noexcept {
  return detail::scan_lines_from_identity<false>(in, out, op, on);
}

/// y[r][c] = carry_in[c] op x[0][c] op … op x[r][c].
template <class In, class Out, class Op>
[[nodiscard]] cudaError_t inclusive_scan_columns(matrix<In> in, matrix<Out> out, Op op,
                                                 scan_rows_options<detail::row_scanned<In, Op>> options,
                                                 execution on = {}) noexcept {
  return detail::scan_lines<false, true, true>(in, out, op, options, on);
}
template <class In, class Out, class Op = plus>
[[nodiscard]] cudaError_t inclusive_scan_columns(matrix<In> in, matrix<Out> out, Op op = {},
                                                 execution on = {}) noexcept {
  return detail::scan_lines<false, true, false>(in, out, op, {}, on);
}

/// y[r][c] = carry_in[c] op x[0][c] op … op x[r − 1][c]; y[0][c] is the carry, or without one the operator's identity.
template <class In, class Out, class Op>
[[nodiscard]] cudaError_t exclusive_scan_columns(matrix<In> in, matrix<Out> out, Op op,
                                                 scan_rows_options<detail::row_scanned<In, Op>> options,
                                                 execution on = {}) noexcept {
  return detail::scan_lines<true, true, true>(in, out, op, options, on);
}
template <class In, class Out, class Op = plus>
[[nodiscard]] cudaError_t exclusive_scan_columns(matrix<In> in, matrix<Out> out, Op op = {},
                                                 execution on = {}) noexcept {
  return detail::scan_lines_from_identity<true>(in, out, op, on);
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
