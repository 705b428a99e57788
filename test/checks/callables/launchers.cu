// Launchers of whole arrays that take no function, or kernels of their own for numbers: one call of each, as src/grid instantiates
// them. table.py has the calls that take a function. versions.py compiles this by another version of CUDA.
#include <tessera/grid/histogram.cuh>
#include <tessera/grid/reduce.cuh>
#include <tessera/grid/rows.cuh>
#include <tessera/grid/rows/map_launch.cuh>
#include <tessera/grid/rows/norm_map.hpp>
#include <tessera/grid/rows/softmax_map.hpp>
#include <tessera/grid/runs.cuh>
#include <tessera/grid/sort.cuh>
#include <tessera/grid/sort_segments.cuh>
#include <tessera/grid/top_k.cuh>

using namespace tessera::grid;
using namespace tessera::grid::detail;

/// Arrays of n elements, and results.
struct arrays {
  std::int64_t n;
  float const* in;
  float* out;
  std::int32_t const* values;
  std::int32_t* values_out;
  std::uint32_t* positions;
  std::int64_t *indices, *count;
  matrix<float const> rows_in;
  matrix<float> rows_out;
  segment_sort_call segments;
  tessera::indexed<float, std::int64_t>* least;
  tessera::indexed<float, int>* least_of_rows;
  tessera::moments<float>* moments;
  std::uint64_t* counts;
  double const* q;
  execution on;
};

cudaError_t sort_numbers(arrays const& a) {
  (void)sort_by_key_launcher<float>::launch(a.in, a.values, a.n, a.out, a.values_out, tessera::greater{}, a.on);
  (void)argsort_launcher<float>::launch(a.in, a.n, a.positions, tessera::greater{}, a.on);
  (void)sort_number_segments<float, tessera::less>(a.segments, a.on);
  return sort_launcher<float>::launch(a.in, a.n, a.out, tessera::less{}, a.on);
}

cudaError_t select_numbers(arrays const& a) {
  (void)nth_element_launcher<float>::launch(a.in, a.n, a.n / 2, a.out, a.indices, true, a.on);
  (void)quantiles_launcher<float>::launch(a.in, a.n, a.q, a.n, a.out, quantile_method::linear, a.on);
  return top_k_launcher<float>::launch(a.in, a.n, a.n, a.out, a.indices, true, a.on);
}

cudaError_t map_rows(arrays const& a) {
  norm_map<float> const norm{nullptr, nullptr, 1e-5f, true};
  (void)map_matrix(a.rows_in, a.rows_out, nullptr, norm, true, a.on);
  return map_matrix(a.rows_in, a.rows_out, nullptr, softmax_map<float>{false}, true, a.on);
}

cudaError_t reduce_numbers(arrays const& a) {
  (void)arg_array(a.in, a.n, a.least, flipped_bits<float>{}, a.on);
  (void)transform_matrix<fold_tuning::few_short_rows>(a.rows_in, a.least_of_rows, tessera::argmin{}, as_indexed{},
                                                      a.on);
  return fold_matrix<fold_tuning::short_rows>(a.rows_in, a.moments, norm_map<float>{}, a.on);
}

cudaError_t count_numbers(arrays const& a) {
  (void)runs_launcher<float>::launch(a.in, a.n, a.out, a.values_out, a.count, tessera::equal_to{}, a.on);
  (void)unique_launcher<float>::launch(a.in, a.values, a.n, a.out, a.values_out, a.count, tessera::equal_to{}, a.on);
  edge_request<float> const edges{a.in, 10, 0, false};
  return edges_launcher<float, float>::launch(a.in, a.n, a.counts, edges, nullptr, a.on);
}
