// Calls of grid/*.cuh in as many bytes of the caller's memory as scratch_bytes says: those that the library lacks,
// and some with results and functions of a user's.
#include <tessera/grid/add_norm.cuh>
#include <tessera/grid/copy_batches.cuh>
#include <tessera/grid/cross_entropy.cuh>
#include <tessera/grid/histogram.cuh>
#include <tessera/grid/map_rows.cuh>
#include <tessera/grid/quantized_norm.cuh>
#include <tessera/grid/reduce.cuh>
#include <tessera/grid/route_rows.cuh>
#include <tessera/grid/rows.cuh>
#include <tessera/grid/runs.cuh>
#include <tessera/grid/sample_rows.cuh>
#include <tessera/grid/scan.cuh>
#include <tessera/grid/scan_rows.cuh>
#include <tessera/grid/search.cuh>
#include <tessera/grid/select.cuh>
#include <tessera/grid/set_operations.cuh>
#include <tessera/grid/sort_rows.cuh>
#include <tessera/grid/start_on_device.hpp>
#include <tessera/grid/top_k_rows.cuh>
#include <tessera/grid/transform.cuh>

#include <array>
#include <cstdint>

#include "gpu.hpp"
#include "rows/row_operations.hpp"
#include "scratch_on_gpu.hpp"

#if TESSERA_TEST_HAS_PART(0)
#include <tessera/grid/top_k.cuh>
#endif

namespace {

using namespace scratch;

/// A result that no slot has room for.
struct long_sum {
  double parts[3];
};
struct as_long_sum {
  template <class T>
  TESSERA_FN long_sum operator()(T const& x) const {
    return {{static_cast<double>(x), 1, 2}};
  }
};
struct add {
  TESSERA_FN long_sum operator()(long_sum const& a, long_sum const& b) const {
    return {{a.parts[0] + b.parts[0], a.parts[1] + b.parts[1], a.parts[2] + b.parts[2]}};
  }
};
/// A sum that slots have room for, by an operator without an identity.
struct two_sums {
  double parts[2];
};
struct as_two_sums {
  TESSERA_FN two_sums operator()(int x) const { return {{static_cast<double>(x), 1}}; }
};
struct add_two {
  TESSERA_FN two_sums operator()(two_sums const& a, two_sums const& b) const {
    return {{a.parts[0] + b.parts[0], a.parts[1] + b.parts[1]}};
  }
};
grid::array_sizes three_columns(int64_t n) {
  return {n / 3, 3};
}
template <class T>
auto start_of(arrays const& a) {
  return grid::start_on_device(a.beside<T>());
}
auto const added = tessera::make_operator(add{}, long_sum{{0, 0, 0}});

struct is_odd {
  TESSERA_FN bool operator()(int x) const { return x % 2 != 0; }
};
struct never {
  TESSERA_FN bool operator()(int x) const { return x < 0; }
};
struct bin_of {
  __device__ unsigned operator()(int x) const { return static_cast<unsigned>(x) % 256; }
};
struct itself {
  template <class T>
  TESSERA_FN T operator()(T const& x) const {
    return x;
  }
};
struct ignore {
  __device__ void operator()(std::int64_t) const {}
};
struct less_than {
  TESSERA_FN bool operator()(int a, int b) const { return a < b; }
};

/// A third and half of n.
grid::array_sizes two_arrays(int64_t n) {
  return {n / 3, n / 2};
}
grid::array_sizes with_bins(int64_t n) {
  return {n, 1000};
}
grid::array_sizes two_buffers(int64_t) {
  return 2;
}
grid::array_sizes first_tenth(int64_t n) {
  return {n, n / 10};
}

grid::array_sizes rows_of_64(int64_t n) {
  return {n / 64, 64};
}

#if TESSERA_TEST_HAS_PART(0)
scratch_case const any_calls[] = {
    {call::copy_batches, "two buffers", two_buffers, 1,
     [](arrays const& a, int64_t, grid::execution on) {
       return grid::copy_batches(a.sources, a.destinations, a.copied, 2, on);
     }},
    {call::count_if, "integers", n_alone, sizeof(int),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::count_if(a.in<int>(), n, is_odd{}, a.count, on);
     }},
    {call::find_if, "none of integers", n_alone, sizeof(int),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::find_if(a.in<int>(), n, never{}, a.count, on);
     }},
    {call::mismatch, "integers", n_alone, sizeof(int),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::mismatch(a.in<int>(), a.beside<int>(), n, a.count, tessera::equal_to{}, on);
     }},
    {call::equal, "integers", n_alone, sizeof(int),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::equal(a.in<int>(), a.beside<int>(), n, reinterpret_cast<bool*>(a.count), tessera::equal_to{}, on);
     }},
    {call::for_each, "indices", n_alone, sizeof(int),
     [](arrays const&, int64_t n, grid::execution on) { return grid::for_each(n, ignore{}, on); }},
    {call::tabulate, "indices", n_alone, sizeof(int64_t),
     [](arrays const& a, int64_t n, grid::execution on) { return grid::tabulate(a.to<int64_t>(), n, itself{}, on); }},
    {call::transform, "integers", n_alone, sizeof(int),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::transform(a.in<int>(), n, a.to<int>(), itself{}, on);
     }},
    {call::histogram_by, "integers", n_alone, sizeof(int),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::histogram_by(a.in<int>(), n, a.to<std::uint64_t>(), 256, bin_of{}, {}, on);
     }},
    {call::histogram_channels, "pairs of integers", n_alone, sizeof(int),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::histogram_channels<2>(
           a.in<int>(), n, {{a.to<std::uint64_t>(), 256, 0, 1000}, {a.also_to<std::uint64_t>(), 100, 0, 1000}}, on);
     }},
    {call::histogram_weighted,
     "integers by integers",
     with_bins,
     {sizeof(int), sizeof(int)},
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::histogram_weighted(a.in<int>(), a.beside<int>(), n, a.to<int64_t>(), 1000, 0, 1000, {}, on);
     }},
    {call::non_trivial_runs, "integers", n_alone, sizeof(int),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::non_trivial_runs(a.in<int>(), n, a.to<int>(), a.also_to<int>(), a.count, tessera::equal_to{}, on);
     }},
    {call::three_way_partition, "integers", n_alone, sizeof(int),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::three_way_partition(a.in<int>(), n, a.to<int>(), a.also_to<int>(), a.also_to<int>() + n, a.count,
                                        is_odd{}, never{}, on);
     }},
    {call::top_k, "half of as many floats as the device counts", [](int64_t n) { return grid::array_sizes(n, n / 2); },
     sizeof(float),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::top_k(a.in<float>(), a.all(n), n / 2, a.to<float>(), a.also_to<int64_t>(), tessera::greater{}, on);
     }},
    {call::quantiles, "of as many doubles as the device counts",
     [](int64_t n) { return grid::array_sizes(n + 1, n / 2); }, sizeof(double),
     [](arrays const& a, int64_t n, grid::execution on) {
       double const half = 0.5;
       return grid::quantiles(a.in<double>(), a.all(n), &half, 1, a.to<double>(), grid::quantile_method::linear, on);
     }},
    {call::top_k_by, "by integers", first_tenth, sizeof(int),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::top_k_by(a.in<int>(), n, n / 10, a.to<int>(), a.also_to<int64_t>(), itself{}, tessera::less{}, on);
     }},
    {call::transform_reduce,
     "long sums",
     n_alone,
     {sizeof(int), 0, sizeof(long_sum)},
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::transform_reduce(a.in<int>(), n, a.to<long_sum>(), added, as_long_sum{}, on);
     }},
    {call::reduce, "floats after a start", n_alone, sizeof(float),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::reduce(a.in<float>(), n, a.to<float>(), tessera::plus{}, start_of<float>(a), on);
     }},
    {call::transform_reduce,
     "two sums after a start",
     n_alone,
     {sizeof(int), 0, sizeof(two_sums)},
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::transform_reduce(a.in<int>(), n, a.to<two_sums>(), add_two{}, as_two_sums{}, start_of<two_sums>(a),
                                     on);
     }},
    {call::inclusive_scan, "integers after a start", n_alone, sizeof(int),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::inclusive_scan(a.in<int>(), n, a.to<int>(), tessera::plus{}, start_of<int>(a), {}, on);
     }},
    {call::inclusive_scan, "all integers that the device knows", n_alone, sizeof(int),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::inclusive_scan(a.in<int>(), a.all(n), a.to<int>(), tessera::plus{}, on);
     }},
    {call::transform_inclusive_scan,
     "long sums",
     [](int64_t n) { return grid::array_sizes(n / 3); },
     {sizeof(int), 0, sizeof(long_sum)},
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::transform_inclusive_scan(a.in<int>(), n / 3, a.to<long_sum>(), added, as_long_sum{}, on);
     }},
    {call::transform_exclusive_scan, "integers", n_alone, sizeof(int),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::transform_exclusive_scan(a.in<int>(), n, a.to<int>(), tessera::plus{}, itself{}, 0, on);
     }},
    {call::select, "integers by a predicate", n_alone, sizeof(int),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::select(a.in<int>(), n, a.to<int>(), a.count, is_odd{}, on);
     }},
};

TEST(GridScratchBytesAny, SufficeForEachCall) {
  SKIP_WITHOUT_GPU();
  check_all_scratch(any_calls);
}
#endif

#if TESSERA_TEST_HAS_PART(6)
scratch_case const set_calls[] = {
    {call::set_union, "integers", two_arrays, sizeof(int),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::set_union(a.in<int>(), n / 3, a.beside<int>(), n / 2, a.to<int>(), a.count, less_than{}, on);
     }},
    {call::set_intersection, "integers", two_arrays, sizeof(int),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::set_intersection(a.in<int>(), n / 3, a.beside<int>(), n / 2, a.to<int>(), a.count, less_than{}, on);
     }},
    {call::set_difference, "integers of 64 bits", two_arrays, sizeof(int64_t),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::set_difference(a.in<int64_t>(), n / 3, a.beside<int64_t>(), n / 2, a.to<int64_t>(), a.count,
                                   tessera::less{}, on);
     }},
    {call::set_symmetric_difference, "integers", two_arrays, sizeof(int),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::set_symmetric_difference(a.in<int>(), n / 3, a.beside<int>(), n / 2, a.to<int>(), a.count,
                                             less_than{}, on);
     }},
    {call::set_union_by_key,
     "integers",
     two_arrays,
     {sizeof(int), sizeof(int)},
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::set_union_by_key(a.in<int>(), a.in<int>(), n / 3, a.beside<int>(), a.beside<int>(), n / 2,
                                     a.to<int>(), a.also_to<int>(), a.count, less_than{}, on);
     }},
    {call::set_intersection_by_key,
     "integers",
     two_arrays,
     {sizeof(int), sizeof(int)},
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::set_intersection_by_key(a.in<int>(), a.in<int>(), n / 3, a.beside<int>(), n / 2, a.to<int>(),
                                            a.also_to<int>(), a.count, less_than{}, on);
     }},
    {call::set_difference_by_key,
     "integers",
     two_arrays,
     {sizeof(int), sizeof(int)},
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::set_difference_by_key(a.in<int>(), a.in<int>(), n / 3, a.beside<int>(), n / 2, a.to<int>(),
                                          a.also_to<int>(), a.count, less_than{}, on);
     }},
    {call::set_symmetric_difference_by_key,
     "integers",
     two_arrays,
     {sizeof(int), sizeof(int)},
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::set_symmetric_difference_by_key(a.in<int>(), a.in<int>(), n / 3, a.beside<int>(), a.beside<int>(),
                                                    n / 2, a.to<int>(), a.also_to<int>(), a.count, less_than{}, on);
     }},
};

TEST(GridScratchBytesAny, SufficeForSetOperations) {
  SKIP_WITHOUT_GPU();
  check_all_scratch(set_calls);
}
#endif

#if TESSERA_TEST_HAS_PART(2)
scratch_case const calls_that_choose[] = {
    {call::renormalize_rows, "floats", few_rows, sizeof(float),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::renormalize_rows(grid::matrix(a.in<float>(), 3, n / 3), grid::matrix(a.to<float>(), 3, n / 3), {},
                                     on);
     }},
    {call::sample_rows, "floats", few_rows, sizeof(float),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::sample_rows(grid::matrix(a.in<float>(), 3, n / 3), a.beside<std::uint64_t>(), a.to<int>(), {}, on);
     }},
    {call::top_k_rows, "ten of each row", few_rows, sizeof(float),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::top_k_rows(matrix_at(a.in<float>(), few_rows(n)), 10, a.to<float>(), nullptr, {}, {}, on);
     }},
    {call::kth_value_rows, "of each row", few_rows, sizeof(float),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::kth_value_rows(matrix_at(a.in<float>(), few_rows(n)), 3, a.to<float>(), nullptr, {}, {}, on);
     }},
    {call::median_rows, "of each row", few_rows, sizeof(float),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::median_rows(matrix_at(a.in<float>(), few_rows(n)), a.to<float>(), nullptr, {}, on);
     }},
    {call::group_by_label, "integers", with_bins, sizeof(int),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::group_by_label(a.in<int>(), n, 1000, a.also_to<int>(), a.to<int>(), {}, on);
     }},
    {call::route_rows, "floats, and grouped", rows_of_64, sizeof(float),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::route_rows(grid::matrix(a.in<float>(), n / 64, 64), 2, a.to<float>(), a.to<int>() + n / 32,
                               a.also_to<int>(), a.also_to<int>() + 65, {}, {}, on);
     }},
};

TEST(GridScratchBytesAny, SufficeForCallsThatChooseFromRows) {
  SKIP_WITHOUT_GPU();
  check_all_scratch(calls_that_choose);
}
#endif

struct lesser_square {
  __host__ __device__ bool operator()(float a, float b) const { return a * a < b * b; }
};

#if TESSERA_TEST_HAS_PART(3)
scratch_case const sorts_of_rows[] = {
    {call::sort_rows, "each of few rows", few_rows, sizeof(float),
     [](arrays const& a, int64_t n, grid::execution on) {
       auto const to = matrix_at(a.in<float>(), few_rows(n));
       return grid::sort_rows(matrix_at(a.in<float>(), few_rows(n)),
                              grid::matrix<float>{a.to<float>(), to.row_count, to.column_count}, tessera::less{}, on);
     }},
    {call::sort_rows,
     "each of few rows, by an order of the test's own",
     few_rows,
     {sizeof(float), 0, sizeof(float)},
     [](arrays const& a, int64_t n, grid::execution on) {
       auto const to = matrix_at(a.in<float>(), few_rows(n));
       return grid::sort_rows(matrix_at(a.in<float>(), few_rows(n)),
                              grid::matrix<float>{a.to<float>(), to.row_count, to.column_count}, lesser_square{}, on);
     }},
    {call::argsort_rows, "each of few rows", few_rows, sizeof(float),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::argsort_rows(matrix_at(a.in<float>(), few_rows(n)), a.to<int>(), tessera::less{}, on);
     }},
    {call::argsort_rows,
     "each of few rows, by an order of the test's own",
     few_rows,
     {sizeof(float), 0, sizeof(float)},
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::argsort_rows(matrix_at(a.in<float>(), few_rows(n)), a.to<int>(), lesser_square{}, on);
     }},
    {call::top_k_rows,
     "of parts of few rows, by an order of the test's own",
     few_rows,
     {sizeof(float), sizeof(float), sizeof(float)},
     [](arrays const& a, int64_t n, grid::execution on) {
       grid::top_k_rows_options options;
       options.lengths = a.beside<std::int32_t>();
       return grid::top_k_rows(matrix_at(a.in<float>(), few_rows(n)), 10, a.to<float>(), nullptr, lesser_square{},
                               options, on);
     }},
    {call::sort_rows_by_key,
     "pairs of few rows",
     few_rows,
     {sizeof(float), 8},
     [](arrays const& a, int64_t n, grid::execution on) {
       auto const at = few_rows(n);
       grid::matrix const keys = matrix_at(a.in<float>(), at);
       using value = std::array<float, 2>;  // which no sort moves as a word
       grid::matrix<value> const values{a.to<value>(), keys.row_count, keys.column_count};
       return grid::sort_rows_by_key(keys, values, grid::matrix{a.also_to<float>(), keys.row_count, keys.column_count},
                                     values, tessera::less{}, on);
     }},
};

TEST(GridScratchBytesAny, SufficeForSortsOfRows) {
  SKIP_WITHOUT_GPU();
  check_all_scratch(sorts_of_rows);
}
#endif

#if TESSERA_TEST_HAS_PART(1)
scratch_case const calls_on_rows[] = {
    {call::transform_reduce_rows,
     "long sums",
     few_rows,
     {sizeof(float), 0, sizeof(long_sum)},
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::transform_reduce_rows(matrix_at(a.in<float>(), few_rows(n)), a.to<long_sum>(), added, as_long_sum{},
                                          on);
     }},
    {call::inclusive_scan_rows, "few of floats", few_rows, sizeof(float),
     [](arrays const& a, int64_t n, grid::execution on) {
       auto const sizes = few_rows(n);
       return grid::inclusive_scan_rows(matrix_at(a.in<float>(), sizes), matrix_at(a.to<float>(), sizes), {}, on);
     }},
    {call::exclusive_scan_rows, "few of doubles", few_rows, sizeof(double),
     [](arrays const& a, int64_t n, grid::execution on) {
       auto const sizes = few_rows(n);
       return grid::exclusive_scan_rows(matrix_at(a.in<double>(), sizes), matrix_at(a.to<double>(), sizes), {}, on);
     }},
    {call::inclusive_scan_columns, "three of floats", three_columns, sizeof(float),
     [](arrays const& a, int64_t n, grid::execution on) {
       auto const sizes = three_columns(n);
       return grid::inclusive_scan_columns(matrix_at(a.in<float>(), sizes), matrix_at(a.to<float>(), sizes), {}, on);
     }},
    {call::exclusive_scan_columns, "three of two sums", three_columns, sizeof(two_sums),
     [](arrays const& a, int64_t n, grid::execution on) {
       auto const sizes = three_columns(n / 2);
       return grid::exclusive_scan_columns(matrix_at(a.in<two_sums>(), sizes), matrix_at(a.to<two_sums>(), sizes),
                                           tessera::make_operator(add_two{}, two_sums{{0, 0}}), {}, on);
     }},
};

TEST(GridScratchBytesAny, SufficeForEachCallOnRows) {
  SKIP_WITHOUT_GPU();
  check_all_scratch(calls_on_rows);
}
#endif

#if TESSERA_TEST_HAS_PART(4)
scratch_case const norms_of_rows[] = {
    {call::add_rms_norm_rows, "few of floats", few_rows, sizeof(float),
     [](arrays const& a, int64_t n, grid::execution on) {
       auto const sizes = few_rows(n);
       return grid::add_rms_norm_rows(matrix_at(a.in<float>(), sizes), matrix_at(a.also_to<float>(), sizes),
                                      matrix_at(a.to<float>(), sizes), nullptr, nullptr, 1e-5, on);
     }},
    {call::add_layer_norm_rows, "few of doubles", few_rows, sizeof(double),
     [](arrays const& a, int64_t n, grid::execution on) {
       auto const sizes = few_rows(n);
       return grid::add_layer_norm_rows(matrix_at(a.in<double>(), sizes), matrix_at(a.also_to<double>(), sizes),
                                        matrix_at(a.to<double>(), sizes), nullptr, nullptr, 1e-5, on);
     }},
    {call::add_rms_norm_rows, "few of floats, quantized", few_rows, sizeof(float),
     [](arrays const& a, int64_t n, grid::execution on) {
       auto const sizes = few_rows(n);
       grid::quantized const q{matrix_at(a.to<std::int8_t>(), sizes), a.to<float>() + n / 2};
       return grid::add_rms_norm_rows(matrix_at(a.in<float>(), sizes), matrix_at(a.also_to<float>(), sizes), q, nullptr,
                                      nullptr, 1e-5, on);
     }},
};

TEST(GridScratchBytesAny, SufficeForNormsOfRows) {
  SKIP_WITHOUT_GPU();
  check_all_scratch(norms_of_rows);
}
#endif

#if TESSERA_TEST_HAS_PART(5)
scratch_case const maps_of_rows[] = {
    {call::log_sum_exp_rows, "few of floats", few_rows, sizeof(float),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::log_sum_exp_rows(matrix_at(a.in<float>(), few_rows(n)), a.to<float>(), on);
     }},
    {call::log_probability_rows, "few of floats", few_rows, sizeof(float),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::log_probability_rows(matrix_at(a.in<float>(), few_rows(n)), a.beside<int>(), a.to<float>(), on);
     }},
    {call::map_rows, "few of doubles, whose second reduction takes the first result", few_rows, sizeof(double),
     [](arrays const& a, int64_t n, grid::execution on) {
       auto const sizes = few_rows(n);
       return grid::map_rows(matrix_at(a.in<double>(), sizes), matrix_at(a.to<double>(), sizes),
                             test::mean_distance<double>{100}, on);
     }},
    {call::cross_entropy_rows, "few of floats", few_rows, sizeof(float),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::cross_entropy_rows(matrix_at(a.in<float>(), few_rows(n)), a.beside<int>(), a.to<float>(), {}, on);
     }},
    {call::cross_entropy_rows, "with a gradient, few of floats", few_rows, sizeof(float),
     [](arrays const& a, int64_t n, grid::execution on) {
       grid::cross_entropy_options<float> options;
       options.gradient = matrix_at(a.also_to<float>(), few_rows(n));
       return grid::cross_entropy_rows(matrix_at(a.in<float>(), few_rows(n)), a.beside<int>(), a.to<float>(), options,
                                       on);
     }},
};

TEST(GridScratchBytesAny, SufficeForMapsOfRows) {
  SKIP_WITHOUT_GPU();
  check_all_scratch(maps_of_rows);
}
#endif

}  // namespace
