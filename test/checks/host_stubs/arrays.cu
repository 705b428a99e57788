// Launchers of arrays and of segments: see meson.build.
#include <tessera/grid/copy_batches.cuh>
#include <tessera/grid/log_sum_exp_segments.cuh>
#include <tessera/grid/set_operations.cuh>
#include <tessera/grid/softmax_segments.cuh>
#include <tessera/grid/sort.cuh>
#include <tessera/grid/transform.cuh>

namespace grid = tessera::grid;

struct negate {
  TESSERA_FN int operator()(int x) const { return -x; }
};
struct ignore {
  TESSERA_FN void operator()(int) const {}
};

struct by_lowest_bits {
  TESSERA_FN bool operator()(int x, int y) const { return (x & 7) < (y & 7); }
};

struct arrays {
  int const* in;
  int n;
  int* out;
  std::int64_t const* offsets;
  float const* scores;
  float* weights;
  std::int64_t* count;
  void const* const* sources;
  void* const* destinations;
};

void combine_sets(arrays const& a) {
  (void)grid::set_union(a.in, a.n, a.in, a.n, a.out, a.count);
  (void)grid::set_intersection(a.in, a.n, a.in, a.n, a.out, a.count);
  (void)grid::set_difference(a.in, a.n, a.in, a.n, a.out, a.count);
  (void)grid::set_symmetric_difference(a.in, a.n, a.in, a.n, a.out, a.count);
  (void)grid::set_union_by_key(a.in, a.in, a.n, a.in, a.in, a.n, a.out, a.out, a.count);
  (void)grid::set_intersection_by_key(a.in, a.in, a.n, a.in, a.n, a.out, a.out, a.count);
  (void)grid::set_difference_by_key(a.in, a.in, a.n, a.in, a.n, a.out, a.out, a.count);
  (void)grid::set_symmetric_difference_by_key(a.in, a.in, a.n, a.in, a.in, a.n, a.out, a.out, a.count);
}

void sort(arrays const& a) {
  (void)grid::stable_sort(a.in, a.n, a.out, by_lowest_bits{});
  (void)grid::stable_sort_by_key(a.in, a.scores, a.n, a.out, a.weights, by_lowest_bits{});
  (void)grid::argsort(a.in, a.n, a.out, by_lowest_bits{});
}

void map(arrays const& a) {
  (void)grid::transform(a.in, a.n, a.out, negate{});
  (void)grid::tabulate(a.out, a.n, negate{});
  (void)grid::for_each(a.in, a.n, ignore{});
  (void)grid::copy_batches(a.sources, a.destinations, a.offsets, a.n);
  (void)grid::softmax_segments(a.scores, a.offsets, a.n, a.weights);
  (void)grid::log_softmax_segments(a.scores, a.offsets, a.n, a.weights);
  (void)grid::log_sum_exp_segments(a.scores, a.offsets, a.n, a.weights);
}
