// The log-sum-exp, the cross entropy and its gradient, and the log-probabilities of rows of logits: for nvcc.
//
//   tessera::grid::matrix logits{data, tokens, vocabulary};              // or {data, tokens, vocabulary, stride}
//   error = tessera::grid::log_sum_exp_rows(logits, sums);
//   error = tessera::grid::log_probability_rows(logits, prompt, logprobs, {stream, memory});
//   error = tessera::grid::cross_entropy_rows(logits, targets, loss);
//
//   tessera::grid::cross_entropy_options<float> options;
//   options.ignore_index = padding;
//   options.grad_scale = 1.0 / tokens;
//   options.gradient = logits;                                           // in place
//   error = tessera::grid::cross_entropy_rows(logits, targets, loss, options, stream);
//
//   a row      target   log_sum_exp   cross_entropy   log_probability   gradient
//   0  0  1    2        1.55          0.55            −0.55              0.21  0.21  −0.42
//   0  −∞ 0    0        0.69          0.69            −0.69             −0.5   0      0.5
//   0  0  1    −100     1.55          0               NaN                0     0      0       −100 is ignore_index
//   0  0  1    3        1.55          NaN             NaN                NaN   NaN    NaN     not a column
//
// All of them
//   take      logits: a matrix in the GPU's memory, of float, double, __half or __nv_bfloat16, computed in float, in
//             double for double. Any number of rows, 0 to 2^30 columns, any stride and alignment. Targets and tokens: a
//             std::int32_t or std::int64_t for each row, of any value: nothing is read beside the row.
//   write     a float for each row, a double of doubles, apart from all that is read and from each other. The gradient
//             is the logits themselves (with the same stride unless there is one row), or doesn't overlap them.
//   infinity  as log_softmax_rows has it: −∞ has probability 0. In a row of −∞ only, or without columns, log Σ exp is
//             −∞ and all probabilities are 0. In a row with +∞, log Σ exp is +∞, and those share the probability. A NaN
//             makes all results of its row NaN, unless the row is ignored.
//   error     With u = 2^-24, for doubles 2^-53, and k = 12 + 2 · log(columns) + columns / 512:
//             log Σ exp           u · (k + 3 · (|max| + |result|))
//             log-probability,    u · (k + 2 · |x − max| + 5 · log Σ exp(x − max)), where x is the target's logit; with
//             cross entropy       label smoothing u · (24 + log2(columns) + columns / 512) · the mean of |x| more
//             gradient            u · ((k + |x − max| + 4) · p + 4 · q), where x is the element's logit, p its
//                                 probability, and q what the target is; in 16 bits rounded besides
//             A soft cap adds 8 · u · cap to the error of each logit.
//   give      the bits that reductions of rows give, with a gradient those that maps of rows give: see
//             docs/reference/arrays.md. The two ways differ in the last bits of the loss.
//   return    as all calls on arrays (docs/reference/arrays.md), and cudaErrorInvalidValue if sizes differ, a stride is
//             less than the columns, or an option isn't in its range.
//   cost      one launch. Without a gradient one read of the matrix, and of a sector of each row; with one also one
//             write, as softmax_rows has it. A soft cap takes another exponential and a division for each logit.
//
// A chunk of a fused linear cross entropy: the logits of some tokens are computed by a product of matrices, this call
// replaces them by their gradient, and two products take that to the gradients of activations and weights. No more
// logits than those of a chunk are ever in memory.
//
// Sources: M. Milakov, N. Gimelshein, "Online normalizer calculation for softmax", 2018. C. Szegedy et al., "Rethinking
// the Inception Architecture for Computer Vision", 2016: label smoothing. B. Zoph et al., "ST-MoE", 2022: the z-loss.
#pragma once

#include <tessera/grid/execution.hpp>
#include <tessera/grid/matrix.hpp>
#include <tessera/grid/rows.cuh>
#include <tessera/grid/rows/cross_entropy_map.hpp>
#include <tessera/grid/rows/log_sum_exp_fold.hpp>
#include <tessera/grid/rows/map_launch.cuh>
#include <tessera/grid/rows/row_arguments.hpp>

#include <cmath>
#include <cstdint>
#include <type_traits>

TESSERA_NAMESPACE_BEGIN
namespace grid {

/// How cross_entropy_rows computes, and what it writes besides the loss. Numbers are rounded to the type of the
/// arithmetic.
template <class T>
struct cross_entropy_options {
  using number = detail::arithmetic_t<T>;

  /// ε, from 0 to 1, as in PyTorch: q is ε / columns for each column, and 1 − ε more for the target. The loss of a row
  /// with −∞ is then infinite.
  double label_smoothing = 0;
  /// The rows of this target have loss 0 and gradient 0, whatever their logits are.
  std::int64_t ignore_index = -100;
  /// z: z · (log Σ exp)² is added to the loss, and its gradient to the gradient.
  double z_loss = 0;
  /// Logits are replaced by cap · tanh(x / cap), but −∞ by −∞. 0: they aren't. The gradient is that of the logits as
  /// they are given.
  double soft_cap = 0;
  /// The gradient is that of grad_scale · grad_scales[row] · loss[row]. The loss isn't scaled.
  double grad_scale = 1;
  /// A factor for each row, on the GPU; null: ones.
  number const* grad_scales = nullptr;
  /// Null, or log Σ exp of each row, on the GPU.
  number* lse = nullptr;
  /// Empty, or a matrix of the logits' size: may be the logits.
  matrix<T> gradient = {};
};

namespace detail {

inline namespace TESSERA_ARCHS {

template <class T>
constexpr bool require_logits() {
  constexpr bool are_floats = is_one_of<T, float, double, __half, __nv_bfloat16>;
  static_assert(are_floats, "Logits are float, double, __half or __nv_bfloat16: convert the elements.");
  return are_floats;
}
template <class Target>
constexpr bool require_targets() {
  constexpr bool are_columns = std::is_integral_v<Target> && std::is_signed_v<Target> &&
                               (sizeof(Target) == sizeof(std::int32_t) || sizeof(Target) == sizeof(std::int64_t));
  static_assert(are_columns, "Targets and tokens are std::int32_t or std::int64_t: convert them.");
  return are_columns;
}

/// Reduces each row of logits, and stores what `losses` says.
template <template <class> class Cap, class T>
cudaError_t fold_logits(matrix<T const> const& logits, Cap<T> const& cap, row_losses<T> losses, execution on) noexcept {
  losses.column_count = static_cast<int>(logits.column_count);
  logits_fold<T, Cap> const fold{cap, losses.smoothing > 0};
  store_losses<T, Cap> const store{losses.out, logits.data, logits.stride, cap, losses};
  return detail::fold_matrix_by<fold_tuning::short_rows>(logits, fold, store, on);
}

/// The losses of rows of logits, and their gradient, if there is one.
template <template <class> class Cap, class T>
cudaError_t capped_cross_entropy(matrix<T const> const& logits, Cap<T> const& cap, row_losses<T> losses,
                                 cross_entropy_options<T> const& options, execution on) noexcept {
  using number = typename cross_entropy_options<T>::number;
  if (options.gradient.column_count == 0) return detail::fold_logits(logits, cap, losses, on);
  losses.column_count = static_cast<int>(logits.column_count);
  cross_entropy_map<T, Cap> const map{{cap, losses.smoothing > 0},
                                      losses,
                                      losses.smoothing / static_cast<number>(logits.column_count),
                                      static_cast<number>(options.grad_scale),
                                      options.grad_scales};
  return detail::map_matrix(logits, options.gradient, nullptr, map, true, on);
}

/// True if the targets are an array apart from the results.
template <class Target, class R>
bool are_targets(Target const* targets, R const* out, std::int64_t row_count) noexcept {
  return detail::is_array(targets, row_count) && detail::is_array(out, row_count) &&
         !detail::overlap(targets, row_count, out, row_count);
}

/// True if the soft cap is 0 or a number that has an inverse.
template <class Number>
bool is_cap(double cap) noexcept {
  auto const number = static_cast<Number>(cap);
  return cap == 0 || (number > Number(0) && std::isnormal(number) && std::isnormal(Number(1) / number));
}

template <class T, class Target>
bool are_cross_entropy_arguments(matrix<T const> const& logits, Target const* targets,
                                 typename cross_entropy_options<T>::number const* loss,
                                 cross_entropy_options<T> const& options) noexcept {
  using number = typename cross_entropy_options<T>::number;
  std::int64_t const row_count = logits.row_count;
  if (!detail::is_matrix(logits) || !detail::are_targets(targets, loss, row_count)) return false;
  number const* const lse = options.lse;
  number const* const scales = options.grad_scales;
  std::int64_t const lses = lse ? row_count : 0, factors = scales ? row_count : 0;
  if (!detail::is_array(lse, lses) || !detail::is_array(scales, factors)) return false;
  matrix<T> const& gradient = options.gradient;
  if (!detail::is_matrix(gradient)) return false;
  bool const has_gradient = gradient.data != nullptr || gradient.row_count > 0 || gradient.column_count > 0;
  if (has_gradient && (gradient.row_count != row_count || gradient.column_count != logits.column_count ||
                       !detail::same_or_apart<T>(logits, gradient)))
    return false;
  auto const apart = [](auto const* p, std::int64_t n, auto const* q, std::int64_t m) {
    return !detail::overlap(p, n, q, m);
  };
  std::int64_t const in = detail::extent_of(logits), out = detail::extent_of(gradient);
  bool const are_apart = apart(loss, row_count, logits.data, in) && apart(loss, row_count, gradient.data, out) &&
                         apart(lse, lses, logits.data, in) && apart(lse, lses, gradient.data, out) &&
                         apart(lse, lses, loss, row_count) && apart(lse, lses, targets, row_count) &&
                         apart(scales, factors, loss, row_count) && apart(scales, factors, lse, lses) &&
                         apart(scales, factors, gradient.data, out) && apart(targets, row_count, gradient.data, out);
  return are_apart && options.label_smoothing >= 0 && options.label_smoothing <= 1 && std::isfinite(options.z_loss) &&
         detail::is_cap<number>(options.soft_cap);
}

/// Checks the arguments, and calls run(cap, losses).
template <class T, class Target, class Run>
cudaError_t cross_entropy(matrix<T const> const& logits, Target const* targets,
                          typename cross_entropy_options<T>::number* loss, cross_entropy_options<T> const& options,
                          Run const& run) noexcept {
  using number = typename cross_entropy_options<T>::number;
  if (!detail::are_cross_entropy_arguments(logits, targets, loss, options)) return cudaErrorInvalidValue;
  row_losses<T> losses;
  losses.what = row_result::cross_entropy;
  losses.out = loss;
  losses.lse = options.lse;
  losses.targets = {targets, sizeof(Target) == sizeof(std::int64_t)};
  losses.targets.may_be_ignored = true;
  losses.targets.ignored = options.ignore_index;
  losses.smoothing = static_cast<number>(options.label_smoothing);
  losses.z_loss = static_cast<number>(options.z_loss);
  if (options.soft_cap == 0) return run(no_cap<T>{}, losses);
  return run(soft_cap<T>{static_cast<number>(options.soft_cap), static_cast<number>(1 / options.soft_cap)}, losses);
}

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// out[r] = log Σ exp(x[r][·]), without overflow. See above.
template <class In>
[[nodiscard]] cudaError_t log_sum_exp_rows(matrix<In> x, detail::arithmetic_t<std::remove_const_t<In>>* out,
                                           execution on = {}) noexcept {
  using T = std::remove_const_t<In>;
  if constexpr (detail::require_logits<T>()) {
    if (!detail::is_matrix(x)) return cudaErrorInvalidValue;
    detail::row_losses<T> losses;
    losses.out = out;
    return detail::fold_logits(matrix<T const>(x), detail::no_cap<T>{}, losses, on);
  } else {
    return cudaErrorNotSupported;
  }
}

/// out[r] = log of the softmax of x[r] at the column tokens[r]: −∞ if that is −∞, and NaN if there is no such column.
/// These are the log-probabilities of a prompt's tokens. See above.
template <class In, class Token>
[[nodiscard]] cudaError_t log_probability_rows(matrix<In> x, Token const* tokens,
                                               detail::arithmetic_t<std::remove_const_t<In>>* out,
                                               execution on = {}) noexcept {
  using T = std::remove_const_t<In>;
  if constexpr (detail::require_logits<T>() && detail::require_targets<Token>()) {
    if (!detail::is_matrix(x) || !detail::are_targets(tokens, out, x.row_count)) return cudaErrorInvalidValue;
    detail::row_losses<T> losses;
    losses.what = detail::row_result::log_probability;
    losses.out = out;
    losses.targets = {tokens, sizeof(Token) == sizeof(std::int64_t)};
    return detail::fold_logits(matrix<T const>(x), detail::no_cap<T>{}, losses, on);
  } else {
    return cudaErrorNotSupported;
  }
}

/// loss[r] = Σ q · −log of the softmax of logits[r], where q is 1 at the column targets[r] and 0 elsewhere, but for the
/// options. With options.gradient, also the gradient of the loss by the logits, in the same pass: softmax − q. See
/// above.
///
/// targets   a target that is neither a column nor ignore_index makes the loss and the gradient of its row NaN.
template <class In, class Target>
[[nodiscard]] cudaError_t cross_entropy_rows(matrix<In> logits, Target const* targets,
                                             detail::arithmetic_t<std::remove_const_t<In>>* loss,
                                             cross_entropy_options<std::remove_const_t<In>> const& options = {},
                                             execution on = {}) noexcept {
  using T = std::remove_const_t<In>;
  if constexpr (detail::require_logits<T>() && detail::require_targets<Target>()) {
    matrix<T const> const in = logits;
    return detail::cross_entropy<T>(in, targets, loss, options, [&](auto const& cap, auto const& losses) {
      return detail::capped_cross_entropy(in, cap, losses, options, on);
    });
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
