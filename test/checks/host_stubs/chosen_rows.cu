// Launchers that choose, sort and group: see meson.build.
#include <tessera/grid/group_by_label.cuh>
#include <tessera/grid/route_rows.cuh>
#include <tessera/grid/sample_rows.cuh>
#include <tessera/grid/sort_rows.cuh>
#include <tessera/grid/top_k_rows.cuh>
#include <tessera/grid/top_k_segments.cuh>

namespace grid = tessera::grid;

struct nearer_to_one {
  __host__ __device__ bool operator()(float a, float b) const { return fabsf(a - 1) < fabsf(b - 1); }
};

struct arrays {
  grid::matrix<float> x, y;
  grid::matrix<std::int32_t> labels;
  int n;
  float* values;
  std::int32_t *indices, *offsets, *order;
  std::uint64_t const* seeds;
};

void choose(arrays const& a) {
  (void)grid::top_k_rows(a.x, a.n, a.values, a.indices);
  (void)grid::top_k_rows(a.x, a.n, a.values, a.indices, nearer_to_one{});
  (void)grid::kth_value_rows(a.x, a.n, a.values, a.indices);
  (void)grid::median_rows(a.x, a.values, a.indices);
  (void)grid::median_rows(a.x, a.values, a.indices, nearer_to_one{});
  (void)grid::top_k_segments(a.values, a.offsets, a.n, a.n, a.values, a.indices);
  (void)grid::sample_rows(a.x, a.seeds, a.indices);
  (void)grid::renormalize_rows(a.x, a.y);
}

void sort(arrays const& a) {
  (void)grid::sort_rows(a.x, a.y);
  (void)grid::sort_rows(a.x, a.y, nearer_to_one{});
  (void)grid::argsort_rows(a.x, a.indices);
  (void)grid::sort_rows_by_key(a.x, a.labels, a.y, a.labels);
  (void)grid::sort_rows_by_key(a.x, a.labels, a.y, a.labels, nearer_to_one{});
}

void group(arrays const& a) {
  (void)grid::group_by_label(a.indices, a.n, a.n, a.offsets, a.order);
  (void)grid::route_rows(a.x, a.n, a.values, a.indices);
  (void)grid::route_rows(a.x, a.n, a.values, a.indices, a.offsets, a.order);
}
