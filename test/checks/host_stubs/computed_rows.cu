// Launchers of rows that iterators compute, and that a row operation maps: see meson.build.
#include <thrust/iterator/transform_iterator.h>

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
  grid::matrix<float> y;
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
  (void)grid::softmax_rows(x, a.y);
  (void)grid::log_softmax_rows(x, a.y);
  (void)grid::layer_norm_rows(x, a.y);
  (void)grid::rms_norm_rows(x, a.y);
  (void)grid::map_rows(grid::matrix<float const>{a.in, a.height, a.width}, a.y, scale_by_sum{});
}
