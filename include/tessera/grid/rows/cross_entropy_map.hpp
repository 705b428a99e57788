// The cross entropy of rows of logits: what is stored of each row after a Fold (fold_rows.hpp) of its logits, and the
// Map (map_rows.hpp) to their gradient.
//
//   a row     x0  x1  x2  x3  x4     target 2
//   fold      The row is reduced, and whoever has the result reads x2.
//   map       Every lane maps its logits to the gradient. The lane that holds x2 stores the row's loss, too: it has x2
//             in registers, so that the gradient may overwrite the logits. The lane that holds x0 stores that of a row
//             whose target isn't a column.
//
// Operations that a compiler could contract are rounded explicitly: a row has the same bits in all kernels with the
// same lanes.
#pragma once

#include <tessera/grid/rows/log_sum_exp_fold.hpp>
#include <tessera/grid/rows/map_rows.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Targets of 32 or 64 bits, and the one whose row is left out.
struct row_targets {
  void const* data = nullptr;
  bool has_64_bits = false;
  bool may_be_ignored = false;
  std::int64_t ignored = 0;

  static constexpr int none = -1;  // not a column
  static constexpr int left_out = -2;

  /// A target as loaded. Its load is issued early and overlaps with others; a thread waits for it only when it uses the
  /// target.
  struct loaded {
    std::int64_t of_64_bits;
    std::int32_t of_32_bits;
  };
  TESSERA_FN loaded load(std::int64_t row) const {
    if (has_64_bits) return {static_cast<std::int64_t const*>(data)[row], 0};
    return {0, static_cast<std::int32_t const*>(data)[row]};
  }
  /// The target's column, or one of these.
  TESSERA_FN int column(std::int64_t row, int column_count) const { return column(load(row), column_count); }
  TESSERA_FN int column(loaded const& from, int column_count) const {
    std::int64_t const target = has_64_bits ? from.of_64_bits : from.of_32_bits;
    if (may_be_ignored && target == ignored) return left_out;
    return target >= 0 && target < column_count ? static_cast<int>(target) : none;
  }
};

/// The outputs of a row.
enum class row_result { log_sum_exp, log_probability, cross_entropy };

/// How the loss of a row follows from the sums of its logits and from its target's logit.
template <class T>
struct row_losses {
  using number = arithmetic_t<T>;

  row_result what = row_result::log_sum_exp;
  number* out = nullptr;  // one for each row
  number* lse = nullptr;  // null: isn't stored
  row_targets targets;
  number smoothing = 0, z_loss = 0;
  int column_count = 0;

  /// −log of the probability of a logit.
  TESSERA_FN static number surprise(logit_sums<number> const& all, number x) {
    if (all.sum == number(0)) return tessera::detail::highest<number>();
    return tessera::detail::rounded_add(tessera::detail::logarithm(all.sum), tessera::detail::distance(all.max, x));
  }
  /// −log of the probabilities of all logits, their mean.
  TESSERA_FN number mean_surprise(logit_sums<number> const& all) const {
    constexpr number highest = tessera::detail::highest<number>();
    auto const n = static_cast<number>(column_count);
    if (all.max == highest) return all.sum == n ? tessera::detail::logarithm(n) : highest;
    return surprise(all, all.total / n);
  }
  /// Σ q · −log p, where the target's q is 1 − smoothing more than that of the others, smoothing / columns.
  TESSERA_FN number loss(logit_sums<number> const& all, number x) const {
    number loss = 0;
    if (smoothing < number(1)) loss = tessera::detail::rounded_multiply(number(1) - smoothing, surprise(all, x));
    if (smoothing > number(0)) loss = tessera::detail::rounded_fma(smoothing, mean_surprise(all), loss);
    if (z_loss != number(0)) {
      number const of_all = all.log_sum_exp();
      loss = tessera::detail::rounded_fma(tessera::detail::rounded_multiply(z_loss, of_all), of_all, loss);
    }
    return loss;
  }

  /// The loss, and each element of the gradient, of a row whose target is no column.
  TESSERA_FN static number of_no_column(int target) {
    return target == row_targets::left_out ? number(0) : stl::numeric_limits<number>::quiet_NaN();
  }
  /// Stores what is wanted of a row. x is its target's logit, if the target is a column.
  TESSERA_FN void store(std::int64_t row, logit_sums<number> const& all, int target, number x) const {
    number result;
    if (target < 0) {
      result = of_no_column(target);
    } else if (what == row_result::log_probability) {
      result = -surprise(all, x);
    } else {
      result = loss(all, x);
    }
    out[row] = result;
    if (lse) lse[row] = all.log_sum_exp();
  }
};

/// Stores what is wanted of a row that has been reduced by logits_fold.
template <class T, template <class> class Cap>
struct store_losses {
  using number = arithmetic_t<T>;

  number* out;
  T const* in;
  std::int64_t in_stride;
  Cap<T> cap;
  row_losses<T> losses;

  TESSERA_FN void operator()(std::int64_t row, logit_sums<number> const& all) const {
    if (losses.what == row_result::log_sum_exp) {
      out[row] = all.log_sum_exp();
      return;
    }
    int const target = losses.targets.column(row, losses.column_count);
    number x = 0;
    if (target >= 0) x = cap(detail::to_number(in[row * in_stride + target], element_format<T>{}));
    losses.store(row, all, target, x);
  }
};

/// Maps logits to the gradient of their row's loss, and stores the loss.
template <class T, template <class> class Cap>
struct cross_entropy_map {
  using number = arithmetic_t<T>;
  using statistic = logit_sums<number>;
  using value = statistic;
  using combine = join_logits;
  static constexpr unsigned reductions = 3;

  logits_fold<T, Cap> fold;
  row_losses<T> losses;
  number share = 0;                 // smoothing / columns
  number factor = 1;                // of the gradient
  number const* factors = nullptr;  // of each row's; null: ones

  /// The numbers of a row that its gradient and loss are computed from. `top` is the greatest logit, or 0 if that is
  /// −∞, and p · factor = exp(x − top) · scale.
  struct finished {
    number top, sum, total, scale;
    int target;  // row_targets::column
    number factor;
    number share;   // of each column in what the target is, times the factor
    bool is_plain;  // there is a target, and no logit is +∞
  };

  TESSERA_FN join_logits combining() const { return {}; }

  /// The Map of one row.
  struct of_row {
    using statistic = logit_sums<number>;
    using value = statistic;
    using combine = join_logits;

    cross_entropy_map const& all_rows;
    std::int64_t row;
    row_targets::loaded loaded_target;
    number factor_of_row;  // 1 if rows have none

    static constexpr number highest = tessera::detail::highest<number>();

    TESSERA_FN join_logits combining() const { return {}; }
    template <class Fragment>
    TESSERA_FN statistic of_fragment(Fragment const& fragment) const {
      return all_rows.fold.of_fragment(fragment);
    }
    template <class Tile, class Fragment>
    TESSERA_FN statistic measure(Tile const& tile, Fragment const& fragment, int) const {
      return all_rows.fold.of_tile(tile, fragment);
    }
    template <class Fragment>
    TESSERA_FN void prepare(Fragment const&, statistic const&) const {}

    TESSERA_FN finished finish(statistic const&, statistic const& all) const {
      int const target = losses().targets.column(loaded_target, losses().column_count);
      number const scaled = tessera::detail::rounded_multiply(all_rows.factor, factor_of_row);
      number of_p = scaled;  // z · lse² adds 2 · z · lse · p
      if (losses().z_loss != number(0)) {
        number const more = tessera::detail::rounded_multiply(number(2) * losses().z_loss, all.log_sum_exp());
        of_p = tessera::detail::rounded_fma(scaled, more, scaled);
      }
      number const unit = all.max == highest ? number(1) : exponential_unit<T>;
      return {all.max == tessera::detail::lowest<number>() ? number(0) : all.max,
              all.sum,
              all.total,
              all.sum == number(0) ? number(0) : of_p / (all.sum * unit),
              target,
              scaled,
              tessera::detail::rounded_multiply(all_rows.share, scaled),
              target >= 0 && all.max != highest};
    }
    template <class Fragment>
    TESSERA_FN auto map(Fragment const& fragment, unsigned v, finished const& by, int) const {
      auto const x = fragment.numbers(v, tessera::detail::lowest<number>());
      if (!by.is_plain) return of_rare_row(x, by.target - fragment.index(v), by);
      numbers_t<T> y;
      TESSERA_UNROLL
      for (unsigned j = 0; j < Fragment::width; ++j) y[j] = gradient(x[j], by, by.share);
      int const at = by.target - fragment.index(v);
      if (at >= 0 && at < static_cast<int>(Fragment::width))
        put(y, at, gradient(element(x, at), by, share_of_target(by)));
      return y;
    }
    /// Stores the loss, if this lane holds the target's logit, or the row's first one if the target is no column.
    template <class Fragment>
    TESSERA_FN void store_row(Fragment const& fragment, finished const& by) const {
      int const owned = by.target < 0 ? 0 : by.target, after_first = owned - fragment.begin;
      // A lane's vectors are a power of two of elements apart.
      if (after_first < 0 || (after_first & (fragment.apart() - 1)) >= static_cast<int>(Fragment::width)) return;
      bool is_owner = false;
      number x = 0;
      TESSERA_UNROLL
      for (unsigned v = 0; v < Fragment::vectors; ++v) {
        int const at = owned - fragment.index(v);
        if (at < 0 || at >= static_cast<int>(Fragment::width) || !fragment.has_valid(v)) continue;
        x = element(fragment.numbers(v, number(0)), at);
        is_owner = true;
      }
      if (is_owner) losses().store(row, {by.top, by.sum, by.total}, by.target, all_rows.fold.cap(x));
    }

   private:
    TESSERA_FN row_losses<T> const& losses() const { return all_rows.losses; }
    TESSERA_FN static number element(numbers_t<T> const& x, int at) {
      number found = x[0];
      TESSERA_UNROLL
      for (unsigned j = 1; j < row_vector_length<T>; ++j) found = static_cast<int>(j) == at ? x[j] : found;
      return found;
    }
    TESSERA_FN static void put(numbers_t<T>& x, int at, number y) {
      TESSERA_UNROLL
      for (unsigned j = 0; j < row_vector_length<T>; ++j) x[j] = static_cast<int>(j) == at ? y : x[j];
    }
    /// The target's column has this in what the target is, times the factor.
    TESSERA_FN number share_of_target(finished const& by) const {
      return tessera::detail::rounded_multiply(all_rows.share + (number(1) - losses().smoothing), by.factor);
    }
    /// The gradient of a vector of a row that isn't plain. Element `at` is the target's, if it is one of them.
    TESSERA_FN numbers_t<T> of_rare_row(numbers_t<T> const& x, int at, finished const& by) const {
      numbers_t<T> y;
      TESSERA_UNROLL
      for (unsigned j = 0; j < row_vector_length<T>; ++j) {
        number const counts = static_cast<int>(j) == at ? share_of_target(by) : by.share;
        y[j] =
            by.target < 0 ? row_losses<T>::of_no_column(by.target) : (x[j] == highest ? by.scale : number(0)) - counts;
      }
      return y;
    }
    /// (p · scale − counts) · the slope of the cap, at a logit, if none is +∞.
    TESSERA_FN number gradient(number x, finished const& by, number counts) const {
      if constexpr (Cap<T>::exists) {
        Cap<T> const& cap = all_rows.fold.cap;
        number const tangent = cap.tangent(x);
        number const power = detail::scaled_exponential<T>(cap(x, tangent) - by.top);
        return tessera::detail::rounded_multiply(tessera::detail::rounded_fma(power, by.scale, -counts),
                                                 tessera::detail::rounded_fma(-tangent, tangent, number(1)));
      } else {
        return tessera::detail::rounded_fma(detail::scaled_exponential<T>(x - by.top), by.scale, -counts);
      }
    }
  };

  TESSERA_FN of_row for_row(std::int64_t row) const {
    return {*this, row, losses.targets.load(row), factors ? factors[row] : number(1)};
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
