// Launchers of rows whose columns lie on several GPUs: see meson.build.
#include <tessera/grid/sharded_rows.cuh>
#include <tessera/grid/sharded_sample_rows.cuh>

#include <cuda_bf16.h>

namespace grid = tessera::grid;

struct square {
  TESSERA_FN float operator()(float x) const { return x * x; }
};

struct rows {
  grid::communicator& ranks;
  grid::matrix<float> x;
  grid::shard part;
  float* out;
};

void reductions(rows const& a, tessera::indexed<float, int>* best, tessera::min_max<float>* both,
                grid::detail::moments_of_rows_t<float>* moments, int* places) {
  (void)grid::reduce_rows(a.ranks, a.x, a.part, a.out);
  (void)grid::transform_reduce_rows(a.ranks, a.x, a.part, a.out, tessera::plus{}, square{});
  (void)grid::argmin_rows(a.ranks, a.x, a.part, best);
  (void)grid::argmax_rows(a.ranks, a.x, a.part, best);
  (void)grid::minmax_rows(a.ranks, a.x, a.part, both);
  (void)grid::moments_rows(a.ranks, a.x, a.part, moments);
  (void)grid::top_k_rows(a.ranks, a.x, a.part, 4, a.out, places);
}

void losses(rows const& a, grid::matrix<__nv_bfloat16> logits, std::int64_t const* targets) {
  (void)grid::log_sum_exp_rows(a.ranks, logits, a.part, a.out);
  (void)grid::log_probability_rows(a.ranks, logits, a.part, targets, a.out);
  (void)grid::cross_entropy_rows(a.ranks, logits, a.part, targets, a.out);
}

void maps(rows const& a) {
  (void)grid::softmax_rows(a.ranks, a.x, a.part, a.x);
  (void)grid::log_softmax_rows(a.ranks, a.x, a.part, a.x);
  (void)grid::layer_norm_rows(a.ranks, a.x, a.part, a.x);
  (void)grid::rms_norm_rows(a.ranks, a.x, a.part, a.x);
}

void drawn(rows const& a, std::uint64_t const* seeds, std::int32_t* ids) {
  (void)grid::sample_rows(a.ranks, a.x, a.part, seeds, ids);
  (void)grid::renormalize_rows(a.ranks, a.x, a.part, a.x);
}
