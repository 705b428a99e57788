// Quantized norms of rows, within the errors of their contracts.
#include <cuda_fp8.h>
#include <tessera/grid/quantized_norm.cuh>

#include "normed_rows.hpp"

namespace oracle::arrays {
namespace {

/// Bytes of Q: the number of each, and the greatest.
template <class Q>
struct bytes_of {
  static constexpr bool is_integer = std::is_same_v<Q, std::int8_t>;
  static constexpr long double most = is_integer ? 127 : 448;

  static long double number(std::int8_t byte) {
    if (is_integer) return byte;
    int const code = byte & 0x7f, exponent = code >> 3, mantissa = code & 7;
    if (code == 0x7f) return std::nanl("");
    long double const x = exponent == 0 ? std::ldexp(mantissa, -9) : std::ldexp(8 + mantissa, exponent - 10);
    return byte < 0 ? -x : x;
  }
  /// The greatest distance of a number from what is rounded to it.
  static long double rounding(long double number) {
    return is_integer ? 0.5L : std::max(std::abs(number) / 16, 0x1p-10L);
  }
  /// The byte of a number.
  static std::int8_t nearest(long double x) {
    if (std::isnan(x)) return is_integer ? 0 : 0x7f;
    std::int8_t best = 0;
    for (int code = -128; code < 128; ++code) {
      auto const byte = static_cast<std::int8_t>(code);
      if (std::abs(number(byte) - x) < std::abs(number(best) - x)) best = byte;
    }
    return best;
  }
};

/// The scale of each group, and the bytes by it: those that are as near as the norm's error lets them be.
template <class T, class Q, bool Adds, bool ByRow>
void quantized_norm_of(call& c, bool centered) {
  using bytes = bytes_of<Q>;
  normed_rows<T> const rows(c, Adds, centered);
  auto const m = rows.m;
  bool const by_groups = !ByRow && c.drawn(81, 2) == 1;
  index const width = ByRow ? std::max<index>(m.columns, 1) : 128, groups = (m.columns + width - 1) / width,
              apart = m.rows + c.drawn(82, 5),
              count = m.rows == 0 ? 0
                      : by_groups ? (groups - 1) * apart + m.rows
                                  : groups * m.rows;
  auto scales = poisoned<float>(groups == 0 ? 0 : count);
  auto const initial_scales = scales;
  std::vector<model::near> near_scales(scales.size(), model::near{0, -1}), nears(rows.x.size(), model::near{0, -1});
  std::vector<long double> scale_at(rows.x.size());
  auto want = poisoned<std::int8_t>(size(rows.x));
  auto const initial = want;
  for (index r = 0; r < m.rows; ++r) {
    auto const y = rows.of(wide(m.row(rows.sums, r)));
    for (index g = 0; g < groups; ++g) {
      long double most = 1e-10L, error = 0;
      for (index i = g * width; i < std::min(m.columns, (g + 1) * width); ++i) {
        auto const& one = y[static_cast<std::size_t>(i)];
        if (!(std::abs(one.value) <= most)) most = std::isnan(most) ? most : std::abs(one.value);
        error = std::max(error, one.error);
      }
      auto const at = static_cast<std::size_t>(by_groups ? g * apart + r : r * groups + g);
      near_scales[at] = {most / bytes::most, error / bytes::most};
      scales[at] = static_cast<float>(near_scales[at].value);
      for (index i = g * width; i < std::min(m.columns, (g + 1) * width); ++i) {
        auto const to = static_cast<std::size_t>(r * m.stride + i);
        nears[to] = y[static_cast<std::size_t>(i)];
        nears[to].error += error;  // of the scale
        scale_at[to] = near_scales[at].value;
        want[to] = bytes::nearest(std::isfinite(most) ? nears[to].value / scale_at[to] : std::nanl(""));
      }
    }
  }
  std::function<bool(std::int8_t const&, std::int8_t const&, std::size_t)> const is_right =
      [nears, scale_at](std::int8_t const& got, std::int8_t const& expected, std::size_t i) {
        long double const q = bytes::number(got), scale = scale_at[i];
        if (nears[i].error < 0 || std::isnan(scale))
          return got == expected || (std::isnan(q) && std::isnan(bytes::number(expected)));
        return std::abs(q * scale - nears[i].value) <= bytes::rounding(q) * scale * 1.001L + 2 * nears[i].error;
      };
  std::function<bool(float const&, float const&, std::size_t)> const is_scale =
      [near_scales](float const& got, float const& expected, std::size_t i) {
        return near_scales[i].error < 0 ? same(got, expected) : is_near(got, expected, near_scales[i], 2);
      };
  auto const q = c.over(initial, want, is_right);
  auto const scales_out = c.over(initial_scales, scales, is_scale);
  auto const in = c.in(rows.x);
  auto const residual = Adds ? c.over(rows.residual, rows.sums) : array<T>();
  auto const weight = rows.in_if(c, rows.weights), bias = rows.in_if(c, rows.biases);
  c.launch = [=](grid::execution on) {
    auto const run = [&](auto const& to) {
      if constexpr (Adds) {
        return centered ? grid::add_layer_norm_rows(m.view(in()), m.view(residual()), to, weight(), bias(), epsilon, on)
                        : grid::add_rms_norm_rows(m.view(in()), m.view(residual()), to, weight(), bias(), epsilon, on);
      } else {
        return centered ? grid::layer_norm_rows(m.view(in()), to, weight(), bias(), epsilon, on)
                        : grid::rms_norm_rows(m.view(in()), to, weight(), bias(), epsilon, on);
      }
    };
    auto const to = m.view(reinterpret_cast<Q*>(q()));
    if constexpr (ByRow) {
      return run(grid::quantized{to, scales_out(), grid::scale_per_row});
    } else {
      return run(grid::quantized{to, scales_out(), by_groups ? apart : 0});
    }
  };
}
/// A type of results, and a residual or none, for each type of elements: more would take long to compile.
template <bool ByRow>
void quantized_norm(call& c) {
  bool const centered = c.drawn(83, 2) == 1;
  if (c.what.is("type", "float")) return quantized_norm_of<float, std::int8_t, false, ByRow>(c, centered);
  quantized_norm_of<__nv_bfloat16, __nv_fp8_e4m3, true, ByRow>(c, centered);
}
void quantized_norms(call& c) {
  c.what.is("extra", "rows") ? quantized_norm<true>(c) : quantized_norm<false>(c);
}

registered<false> const of_quantized_rows{{"quantized_norms", quantized_norms}};

}  // namespace
}  // namespace oracle::arrays
