// Set operations on sorted arrays, for nvcc: union, intersection, difference and symmetric difference, of keys alone or
// with their values.
//
//   a                       1 1 1 3 5
//   b                       1 1 2 3 3
//   set_union               1 1 1 2 3 3 5      count: 7; of m and n equal elements, max(m, n)
//   set_intersection        1 1 3              count: 3; min(m, n)
//   set_difference          1 5                count: 2; max(m - n, 0)
//   set_symmetric_difference
//                           1 2 3 5            count: 4; the difference of m and n
//
//   tessera::grid::workspace memory;                                       // once, for all calls of a stream
//   error = tessera::grid::set_union(a, na, b, nb, out, count, tessera::less{}, {stream, memory});
//   error = tessera::grid::set_difference_by_key(keys, values, n, gone, gone_count, keys_out, values_out, count);
//
// All of them
//   take      a, b: na and nb elements, each from 0 to 2^40 or a count_on_device, sorted by `before`: pointers to
//             memory that the GPU can access, or random-access iterators (core/iterators.hpp), of one type of elements.
//             That is any trivially copyable type of up to 128 bytes. What happens if they aren't sorted is undefined,
//             as it is in the standard library.
//   out       memory for all results, which begins in neither array, or an iterator that writes. There are at most
//             na + nb of a union or of a symmetric difference, the lesser of na and nb of an intersection, and na of a
//             difference.
//   count     On the GPU: the number of results, a std::int64_t that overlaps no input or output.
//   before    a strict weak order: before(x, y), a function object or a lambda, in CUDA `__host__ __device__`.
//             `less` by default, NaN last. Elements are equal if neither comes before the other.
//   order     sorted, and stable, as std::set_union and its like: of equal elements that both arrays have, those of a
//             are taken; if one array has more of them, its last ones remain.
//   return    as all calls on arrays: docs/reference/arrays.md. The number of results isn't known at the call, so not
//             every overlap is detected.
//   cost      one read of each element, and one write of each result. One launch, or two for more than a few million
//             elements: the first then finds where tiles begin. A workspace then has 8 bytes for each tile (some
//             thousand elements), and 16 more for the look-back.
//
// By key: each element of a has a value, and in a union or symmetric difference each of b. A result has the value of
// the element that it is. Values are of any trivially copyable type; pointers or iterators, as elements.
//
// Source: balanced path, grid/select/set_agent.hpp; a look-back over the counts of tiles, grid/parts/look_back.hpp.
#pragma once

#include <tessera/core/comparators.hpp>
#include <tessera/grid/execution.hpp>
#include <tessera/grid/parts/arguments.hpp>
#include <tessera/grid/parts/counted.hpp>
#include <tessera/grid/parts/default_stream.hpp>
#include <tessera/grid/parts/launch_tiles.cuh>
#include <tessera/grid/select/set_agent.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

inline namespace TESSERA_ARCHS {

template <class Shape, class Given>
__global__ void __launch_bounds__((Shape::warps + 1) * 32, Shape::blocks_per_multiprocessor)
    set_kernel(Given given, look_back_memory memory, tile_cut cut) {
  wait_for_stream();
  extern __shared__ __align__(16) unsigned char shared[];
  detail::run_set_agent<Shape>(cooperative_groups::this_thread_block(), given, memory, cut, gridDim.x,
                               *reinterpret_cast<set_storage<task_of<Given>, Shape>*>(shared));
}

template <class Task>
__global__ void __launch_bounds__(set_tuning::threads_of_ends)
    set_ends_kernel(Task task, unsigned tile_elements, std::int64_t tiles) {
  wait_for_stream();
  __shared__ std::int64_t found[2];
  detail::find_set_ends<set_tuning::lanes_of_end>(cooperative_groups::this_thread_block(), task, tile_elements, tiles,
                                                  found);
}

/// Launches the kernels. The arguments are right.
template <class Task, class NA, class NB>
cudaError_t run_set_operation(Task task, NA const& na, NB const& nb, execution on) noexcept {
  using shape = set_shape<typename Task::element, typename Task::value>;
  using storage_t = set_storage<Task, shape>;
  static_assert(sizeof(storage_t) <= tile_tuning::limit(tile_kind::least), "Fewer warps.");
  static_assert(detail::has_planned_tiles<shape>(shape::warps),
                "Shorter tiles than scratch_bytes plans for: see least_tile_elements.");
  std::int64_t const tiles = shape::tile_count(task.in.na + task.in.nb, shape::warps);
  auto const run = [&](look_back_memory const& memory) {
    auto const given = detail::with_counts(task, na, nb);
    return detail::with_tile_loop<shape, storage_t>(tiles, shape::warps, [&](launch_shape const& blocks, tile_cut cut) {
      return detail::launch<set_kernel<shape, stl::remove_const_t<decltype(given)>>>(blocks, on.stream, given, memory,
                                                                                     cut);
    });
  };
  if (tiles == 1) return run({nullptr, 0});
  bool const finds_ends = !is_on_device<NA> && !is_on_device<NB> && tiles > set_tuning::own_ends;
  pooled_workspace const scratch(on, finds_ends ? detail::set_end_bytes(tiles) : 0,
                                 detail::look_back_words<std::uint64_t>(tiles));
  if (scratch.error() != cudaSuccess) return scratch.error();
  if (finds_ends) {
    task.ends = static_cast<std::int64_t*>(scratch.data());
    constexpr unsigned ends_of_block = set_tuning::threads_of_ends / set_tuning::lanes_of_end;
    cudaError_t const error =
        detail::launch<set_ends_kernel<Task>>({tiles / ends_of_block + 1, set_tuning::threads_of_ends}, on.stream, task,
                                              shape::tile_elements(shape::warps), tiles);
    if (error != cudaSuccess) return error;
  }
  return run({scratch.tagged(), scratch.tagged_size()});
}

/// True if results can be stored at `out` while n elements at `in` are read.
template <class In, class Out>
bool are_apart_for_sets(In const& in, std::int64_t n, Out const& out, std::int64_t results,
                        std::int64_t const* count) noexcept {
  return detail::is_array(in, n) && detail::is_array(out, results) && !detail::begins_within(out, in, n) &&
         !detail::overlap(in, n, count, 1) && !detail::overlap(out, detail::sure_results(results), count, 1);
}

/// The most results.
template <set_operation Operation>
constexpr std::int64_t most_results(std::int64_t na, std::int64_t nb) {
  return Operation == set_operation::intersection ? (na < nb ? na : nb)
         : Operation == set_operation::difference ? na
                                                  : na + nb;
}

/// True if there are no values, or they can be read and stored.
template <set_operation Operation, class Pair, class Out, class NA, class NB>
bool are_values(set_values<void> const&, Pair const&, Out const&, std::int64_t const*, NA const&, NB const&) noexcept {
  return true;
}
template <set_operation Operation, class V, class A, class B, class ValuesOut, class Pair, class Out, class NA,
          class NB>
bool are_values(set_values<V, A, B, ValuesOut> const& values, Pair const& in, Out const& out, std::int64_t const* count,
                NA const& number_a, NB const& number_b) noexcept {
  constexpr bool of_a_alone = Operation == set_operation::intersection || Operation == set_operation::difference;
  std::int64_t const results = detail::most_results<Operation>(in.na, in.nb), nb = of_a_alone ? 0 : in.nb;
  bool are_the_same = false;
  if constexpr (stl::is_pointer_v<Out> && stl::is_pointer_v<ValuesOut>)
    are_the_same = results > 0 && static_cast<void const*>(out) == values.out;
  return detail::are_apart_for_sets(values.a, in.na, values.out, results, count) &&
         detail::are_apart_for_sets(values.b, nb, values.out, results, count) &&
         !detail::begins_within(out, values.a, in.na) && !detail::begins_within(out, values.b, nb) &&
         !detail::begins_within(values.out, in.a, in.na) && !detail::begins_within(values.out, in.b, in.nb) &&
         !are_the_same && detail::is_count(number_a, values.out, detail::sure_results(results)) &&
         detail::is_count(number_b, values.out, detail::sure_results(results));
}

/// The values of a union or a symmetric difference, or of the others, which have those of a alone.
template <class A, class B, class Out>
auto set_values_of(A const& a, B const& b, Out const& out) {
  using V = value_of<A>;
  static_assert(stl::is_same_v<V, value_of<B>>, "grid::set_union_by_key and its like: all values have one type.");
  static_assert(is_exchangeable_v<V>,
                "grid::set_union_by_key and its like: values are trivially copyable; or specialize "
                "tessera::is_exchangeable.");
  return set_values<V, tessera::detail::reader_t<A>, tessera::detail::reader_t<B>, writer_t<V, Out>>{
      tessera::detail::reader_of(a), tessera::detail::reader_of(b), detail::writer_of<V>(out)};
}
template <class A, class Out>
auto set_values_of(A const& a, Out const& out) {
  return detail::set_values_of(a, static_cast<value_of<A> const*>(nullptr), out);
}

template <set_operation Operation, class V, class A, class NA, class B, class NB, class Out, class Values, class Before>
cudaError_t combine_sets(A const& first, NA const& given_a, B const& second, NB const& given_b, Out const& to,
                         std::int64_t* count, Values const& values, Before const& before, execution on) noexcept {
  auto const number_a = detail::count_as_given(given_a);
  auto const number_b = detail::count_as_given(given_b);
  std::int64_t const na = detail::most_of(number_a), nb = detail::most_of(number_b);
  using T = value_of<A>;
  static_assert(is_exchangeable_v<T> && sizeof(T) <= 128,
                "grid::set_union and its like: elements are trivially copyable, of up to 128 bytes; or specialize "
                "tessera::is_exchangeable.");
  constexpr bool are_alike = stl::is_same_v<T, value_of<B>>;
  static_assert(are_alike, "grid::set_union and its like: both arrays have elements of one type.");
  constexpr bool possible = stl::is_invocable_v<Before const&, T const&, T const&>;
  static_assert(possible,
                "grid::set_union and its like: before(x, y) takes two elements and says whether x comes before y, and "
                "can be called while const; the execution comes after it: set_union(a, na, b, nb, out, count, "
                "tessera::less{}, stream).");
  if constexpr (possible && are_alike) {
    if (na < 0 || nb < 0 || na > INT64_MAX - nb || count == nullptr || !detail::is_array(count, 1))
      return cudaErrorInvalidValue;
    auto const a = tessera::detail::reader_of(first);
    auto const b = tessera::detail::reader_of(second);
    auto const out = detail::writer_of<T>(to);
    using pair_t = sorted_pair<T, Before, stl::decay_t<decltype(a)>, stl::decay_t<decltype(b)>>;
    using task_t = set_task<Operation, T, V, Before, stl::decay_t<decltype(a)>, stl::decay_t<decltype(b)>,
                            stl::decay_t<decltype(out)>, Values>;
    std::int64_t const results = detail::most_results<Operation>(na, nb);
    pair_t const in{a, na, b, nb, before};
    if (!detail::are_apart_for_sets(a, na, out, results, count) ||
        !detail::are_apart_for_sets(b, nb, out, results, count) ||
        !detail::are_values<Operation>(values, in, out, count, number_a, number_b) ||
        !detail::is_count(number_a, out, detail::sure_results(results)) ||
        !detail::is_count(number_b, out, detail::sure_results(results)) || !detail::is_count(number_a, count, 1) ||
        !detail::is_count(number_b, count, 1))
      return cudaErrorInvalidValue;
    return detail::run_set_operation(task_t{in, out, count, values, nullptr}, number_a, number_b, on);
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// The elements of a, and those of b that have no equal one in a: of m and n equal ones, all m of a and the last n - m
/// of b.
template <class A, class NA, class B, class NB, class Out, class Before = less>
[[nodiscard]] cudaError_t set_union(A a, NA na, B b, NB nb, Out out, std::int64_t* count, Before before = {},
                                    execution on = {}) noexcept {
  return detail::combine_sets<detail::set_operation::set_union, void>(a, na, b, nb, out, count,
                                                                      detail::set_values<void>{}, before, on);
}

/// The elements of a that have an equal one in b: of m and n equal ones, the first min(m, n) of a.
template <class A, class NA, class B, class NB, class Out, class Before = less>
[[nodiscard]] cudaError_t set_intersection(A a, NA na, B b, NB nb, Out out, std::int64_t* count, Before before = {},
                                           execution on = {}) noexcept {
  return detail::combine_sets<detail::set_operation::intersection, void>(a, na, b, nb, out, count,
                                                                         detail::set_values<void>{}, before, on);
}

/// The elements of a that have no equal one in b: of m and n equal ones, the last m - n of a.
template <class A, class NA, class B, class NB, class Out, class Before = less>
[[nodiscard]] cudaError_t set_difference(A a, NA na, B b, NB nb, Out out, std::int64_t* count, Before before = {},
                                         execution on = {}) noexcept {
  return detail::combine_sets<detail::set_operation::difference, void>(a, na, b, nb, out, count,
                                                                       detail::set_values<void>{}, before, on);
}

/// The elements of either array that have no equal one in the other: of m and n equal ones, the last m - n of a or the
/// last n - m of b.
template <class A, class NA, class B, class NB, class Out, class Before = less>
[[nodiscard]] cudaError_t set_symmetric_difference(A a, NA na, B b, NB nb, Out out, std::int64_t* count,
                                                   Before before = {}, execution on = {}) noexcept {
  return detail::combine_sets<detail::set_operation::symmetric_difference, void>(
      a, na, b, nb, out, count, detail::set_values<void>{}, before, on);
}

/// As set_union, with values: values_out[i] is the value of the element that became keys_out[i].
template <class A, class ValuesA, class NA, class B, class ValuesB, class NB, class Out, class ValuesOut,
          class Before = less>
[[nodiscard]] cudaError_t set_union_by_key(A a, ValuesA values_a, NA na, B b, ValuesB values_b, NB nb, Out keys_out,
                                           ValuesOut values_out, std::int64_t* count, Before before = {},
                                           execution on = {}) noexcept {
  return detail::combine_sets<detail::set_operation::set_union, detail::value_of<ValuesA>>(
      a, na, b, nb, keys_out, count, detail::set_values_of(values_a, values_b, values_out), before, on);
}

/// As set_intersection, with the values of a.
template <class A, class ValuesA, class NA, class B, class NB, class Out, class ValuesOut, class Before = less>
[[nodiscard]] cudaError_t set_intersection_by_key(A a, ValuesA values_a, NA na, B b, NB nb, Out keys_out,
                                                  ValuesOut values_out, std::int64_t* count, Before before = {},
                                                  execution on = {}) noexcept {
  return detail::combine_sets<detail::set_operation::intersection, detail::value_of<ValuesA>>(
      a, na, b, nb, keys_out, count, detail::set_values_of(values_a, values_out), before, on);
}

/// As set_difference, with the values of a.
template <class A, class ValuesA, class NA, class B, class NB, class Out, class ValuesOut, class Before = less>
[[nodiscard]] cudaError_t set_difference_by_key(A a, ValuesA values_a, NA na, B b, NB nb, Out keys_out,
                                                ValuesOut values_out, std::int64_t* count, Before before = {},
                                                execution on = {}) noexcept {
  return detail::combine_sets<detail::set_operation::difference, detail::value_of<ValuesA>>(
      a, na, b, nb, keys_out, count, detail::set_values_of(values_a, values_out), before, on);
}

/// As set_symmetric_difference, with values.
template <class A, class ValuesA, class NA, class B, class ValuesB, class NB, class Out, class ValuesOut,
          class Before = less>
[[nodiscard]] cudaError_t set_symmetric_difference_by_key(A a, ValuesA values_a, NA na, B b, ValuesB values_b, NB nb,
                                                          Out keys_out, ValuesOut values_out, std::int64_t* count,
                                                          Before before = {}, execution on = {}) noexcept {
  return detail::combine_sets<detail::set_operation::symmetric_difference, detail::value_of<ValuesA>>(
      a, na, b, nb, keys_out, count, detail::set_values_of(values_a, values_b, values_out), before, on);
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
