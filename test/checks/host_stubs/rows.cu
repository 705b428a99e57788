// Launchers of rows: see meson.build.
#include <tessera/grid/add_norm.cuh>
#include <tessera/grid/cross_entropy.cuh>
#include <tessera/grid/quantized_norm.cuh>
#include <tessera/grid/scan_rows.cuh>

namespace grid = tessera::grid;

struct arrays {
  grid::matrix<float> x, y;
  float* out;
  std::int32_t const* tokens;
};

void norm(arrays const& a) {
  (void)grid::add_layer_norm_rows(a.x, a.x, a.y, a.out, a.out);
  (void)grid::add_rms_norm_rows(a.x, a.x, a.y, a.out);
}

void quantized_norm(arrays const& a, grid::quantized<std::int8_t> const& q) {
  (void)grid::layer_norm_rows(a.x, q, a.out, a.out);
  (void)grid::rms_norm_rows(a.x, q, a.out);
  (void)grid::add_layer_norm_rows(a.x, a.y, q);
  (void)grid::add_rms_norm_rows(a.x, a.y, q);
}

void row_quantized_norm(arrays const& a, grid::quantized<std::int8_t, grid::scale_per_row_t> const& q) {
  (void)grid::rms_norm_rows(a.x, q, a.out);
  (void)grid::add_layer_norm_rows(a.x, a.y, q);
}

void cross_entropy(arrays const& a) {
  (void)grid::log_sum_exp_rows(a.x, a.out);
  (void)grid::log_probability_rows(a.x, a.tokens, a.out);
  (void)grid::cross_entropy_rows(a.x, a.tokens, a.out);
}

void scan(arrays const& a) {
  (void)grid::inclusive_scan_rows(a.x, a.y);
  (void)grid::exclusive_scan_rows(a.x, a.y, tessera::plus{}, {false, a.out});
  (void)grid::inclusive_scan_columns(a.x, a.y);
  (void)grid::exclusive_scan_columns(a.x, a.y);
}
