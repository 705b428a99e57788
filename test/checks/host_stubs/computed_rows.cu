// Launchers of rows that iterators compute, and that a row operation maps: see meson.build.
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <tessera/grid/add_norm.cuh>
#include <tessera/grid/computed_rows.cuh>
#include <tessera/grid/map_rows.cuh>

namespace grid = tessera::grid;

struct square {
  TESSERA_FN float operator()(float x) const { return x * x; }
};

struct scale_by_sum {
  TESSERA_FN tessera::plus first_operator() const { return {}; }
  TESSERA_FN float first(float x, int) const { return x; }
  TESSERA_FN float result(float x, int, float sum) const { return x / sum; }
};

struct arrays {
  int height, width;
  float const* in;
  grid::matrix<float> y, z;
  float* out;
  tessera::indexed<float, int>* best;
  tessera::min_max<float>* extremes;
  tessera::moments<float>* moments;
};

void compute(arrays const& a) {
  auto const x = grid::matrix_of(thrust::make_transform_iterator(a.in, square{}), a.height, a.width);
  (void)grid::reduce_rows(x, a.out);
  (void)grid::transform_reduce_rows(x, a.out, tessera::plus{}, square{});
  (void)grid::argmin_rows(x, a.best);
  (void)grid::argmax_rows(x, a.best);
  (void)grid::minmax_rows(x, a.extremes);
  (void)grid::moments_rows(x, a.moments);
  grid::matrix<float const> const stored{a.in, a.height, a.width};
  auto const any = thrust::make_discard_iterator();
  auto const reduce_into_any = [&](auto const& rows) {
    (void)grid::reduce_rows(rows, any);
    (void)grid::transform_reduce_rows(rows, any, tessera::plus{}, square{});
    (void)grid::argmin_rows(rows, any);
    (void)grid::argmax_rows(rows, any);
    (void)grid::minmax_rows(rows, any);
    (void)grid::moments_rows(rows, any);
  };
  reduce_into_any(x);
  reduce_into_any(stored);
  (void)grid::softmax_rows(x, a.y);
  (void)grid::log_softmax_rows(x, a.y);
  (void)grid::layer_norm_rows(x, a.y);
  (void)grid::rms_norm_rows(x, a.y);
  (void)grid::add_rms_norm_rows(x, a.y, a.z);
  (void)grid::map_rows(stored, a.y, scale_by_sum{});
}
