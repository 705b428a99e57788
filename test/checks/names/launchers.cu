// Launchers of whole arrays with types whose namespace has a function of every name that the headers define, and deleted operators.
// Compiled only.
#include <tessera/grid/adjacent_difference.cuh>
#include <tessera/grid/histogram.cuh>
#include <tessera/grid/merge.cuh>
#include <tessera/grid/reduce.cuh>
#include <tessera/grid/rows.cuh>
#include <tessera/grid/runs.cuh>
#include <tessera/grid/scan.cuh>
#include <tessera/grid/scan_by_key.cuh>
#include <tessera/grid/scan_rows.cuh>
#include <tessera/grid/scan_segments.cuh>
#include <tessera/grid/search.cuh>
#include <tessera/grid/segments.cuh>
#include <tessera/grid/select.cuh>
#include <tessera/grid/set_operations.cuh>
#include <tessera/grid/sort.cuh>
#include <tessera/grid/sort_segments.cuh>
#include <tessera/grid/top_k.cuh>
#include <tessera/grid/transform.cuh>

namespace greedy {
#include "types.hpp"

#include "greedy.hpp"
}  // namespace greedy

namespace grid = tessera::grid;
using namespace greedy;
using tessera::commutative;
using tessera::make_operator;

struct arrays {
  value const* in;
  int n;
  value* out;
  int const* offsets;
  int* numbers;
  std::int64_t *count, *indices;
  std::uint64_t* counts;
};

value const zero{0, 0};

void combine(arrays const& a) {
  (void)grid::reduce(a.in, a.n, a.out, make_operator(add{}, zero));
  (void)grid::reduce(a.in, a.n, a.out, make_operator(add{}, zero, commutative));
  (void)grid::transform_reduce(a.in, a.n, a.numbers, tessera::plus{}, x_of{});
  (void)grid::reduce_rows(grid::matrix<value const>(a.in, a.n, a.n), a.out, make_operator(add{}, zero));
  (void)grid::reduce_segments(a.in, a.offsets, a.n, a.out, make_operator(add{}, zero));
  (void)grid::reduce_by_key(a.in, a.in, a.n, a.out, a.out, a.count, add{}, same_x{});
}

void scan(arrays const& a) {
  (void)grid::inclusive_scan(a.in, a.n, a.out, add{});
  (void)grid::exclusive_scan(a.in, a.n, a.out, add{}, zero);
  (void)grid::transform_inclusive_scan(a.in, a.n, a.out, add{}, turned{});
  (void)grid::inclusive_scan_by_key(a.in, a.in, a.n, a.out, add{}, same_x{});
  (void)grid::exclusive_scan_by_key(a.in, a.in, a.n, a.out, add{}, zero, same_x{});
  (void)grid::inclusive_scan_segments(a.in, a.n, a.offsets, a.n, a.out, add{});
  (void)grid::inclusive_scan_rows(grid::matrix<value const>(a.in, a.n, a.n), grid::matrix<value>(a.out, a.n, a.n),
                                  add{});
  (void)grid::exclusive_scan_columns(grid::matrix<value const>(a.in, a.n, a.n), grid::matrix<value>(a.out, a.n, a.n),
                                     make_operator(add{}, zero));
  (void)grid::adjacent_difference(a.in, a.n, a.out, add{});
}

void transform(arrays const& a) {
  (void)grid::transform(a.in, a.n, a.out, turned{});
  (void)grid::transform(a.in, a.in, a.n, a.out, add{});
  (void)grid::transform(grid::inputs(a.in), a.n, a.numbers, x_of{});
  (void)grid::for_each(a.in, a.n, x_of{});
}

void find(arrays const& a) {
  (void)grid::find_if(a.in, a.n, is_odd{}, a.count);
  (void)grid::count_if(a.in, a.n, is_odd{}, a.count);
  (void)grid::mismatch(a.in, a.in, a.n, a.count, same_x{});
  (void)grid::lower_bound(a.in, a.n, a.in, a.n, a.indices, by_x{});
  (void)grid::histogram_by(a.in, a.n, a.counts, 10, x_of{});
  (void)grid::top_k_by(a.in, a.n, 10, a.out, a.indices, x_of{});
}

void choose(arrays const& a) {
  (void)grid::select(a.in, a.n, a.out, a.count, is_odd{});
  (void)grid::select(a.in, a.in, a.n, a.out, a.count, is_odd{});
  (void)grid::partition_copy(a.in, a.n, a.out, a.out, a.count, is_odd{});
  (void)grid::three_way_partition(a.in, a.n, a.out, a.out, a.out, a.count, is_odd{}, is_odd{});
  (void)grid::unique(a.in, a.n, a.out, a.count, same_x{});
  (void)grid::non_trivial_runs(a.in, a.n, a.numbers, a.indices, a.count, same_x{});
  (void)grid::run_length_encode(a.in, a.n, a.out, a.numbers, a.count, same_x{});
}

void sort(arrays const& a) {
  (void)grid::sort(a.in, a.n, a.out, by_x{});
  (void)grid::argsort(a.in, a.n, a.indices, by_x{});
  (void)grid::sort_by_key(a.numbers, a.in, a.n, a.numbers, a.out);
  (void)grid::sort_segments(a.in, a.n, a.offsets, a.n, a.out, by_x{});
  (void)grid::merge(a.in, a.n, a.in, a.n, a.out, by_x{});
  (void)grid::set_union(a.in, a.n, a.in, a.n, a.out, a.count, by_x{});
  (void)grid::set_symmetric_difference_by_key(a.in, a.in, a.n, a.in, a.in, a.n, a.out, a.out, a.count, by_x{});
}
