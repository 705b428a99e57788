// What the cross entropy of a row of logits comes to, in long double, and how far off cross_entropy.cuh allows results to
// be. Nothing here needs CUDA.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "row_references.hpp"

namespace test {

/// The options of cross_entropy_rows, without what is an array.
struct loss_choice {
  double smoothing = 0, z_loss = 0, cap = 0, factor = 1;
  std::int64_t ignored = -100;
  bool ignores = true;
  double columns_per_rounding = 512;  // of sums: cross_entropy.cuh
};

/// One row. `in` says in what it is computed.
class expected_loss {
 public:
  expected_loss(std::vector<double> const& row, std::int64_t target, loss_choice const& how, arithmetic in)
      : x_(row), how_(how), in_(in), n_(static_cast<double>(row.size())) {
    for (double x : row) {
      tangent_.push_back(how.cap > 0 ? std::tanh(static_cast<long double>(x) / how.cap) : 0);
      capped_.push_back(how.cap > 0 && x != -inf ? how.cap * tangent_.back() : x);
      has_nan_ = has_nan_ || std::isnan(x);
      max_ = std::max(max_, capped_.back());
    }
    for (long double x : capped_) sum_ += std::exp(apart(x));
    log_sum_ = std::log(sum_);
    lse_ = has_nan_ ? nan : sum_ == 0 ? -inf : max_ == inf ? inf : max_ + log_sum_;
    column_ = target >= 0 && target < static_cast<std::int64_t>(row.size()) ? static_cast<int>(target) : -1;
    is_ignored_ = how.ignores && target == how.ignored;
  }

  expectation lse() const {
    // Half a unit of each exponential's argument, four of the exponential, and the rounding of sums.
    return {static_cast<double>(lse_), std::isfinite(lse_) ? lse_error() : 0};
  }
  expectation loss() const {
    if (is_ignored_) return {0.0};
    if (column_ < 0 || has_nan_) return {nan};
    auto const c = static_cast<std::size_t>(column_);
    long double loss = 0;
    double error = 0;
    bool overflows = max_ - capped_[static_cast<std::size_t>(column_)] > in_.most / 2;
    if (how_.smoothing < 1) {
      loss += (1 - static_cast<long double>(how_.smoothing)) * surprise(c);
      error += surprise_error(c);
    }
    if (how_.smoothing > 0) {
      long double all = 0, size = 0;
      for (std::size_t i = 0; i < x_.size(); ++i) {
        all += surprise(i);
        size += std::abs(capped_[i]);
      }
      loss += how_.smoothing * all / n_;
      overflows = overflows || size > in_.most / 2;
      error += how_.smoothing *
               (lse_error() +
                in_.unit * static_cast<double>((24 + std::log2(n_) + n_ / how_.columns_per_rounding) * size / n_ +
                                               4 * std::abs(max_)));
    }
    if (how_.z_loss != 0) {
      loss += how_.z_loss * lse_ * lse_;
      error += std::abs(how_.z_loss) * static_cast<double>(std::abs(lse_)) *
               (2 * lse_error() + 4 * in_.unit * static_cast<double>(std::abs(lse_)));
    }
    error += 3 * in_.unit * static_cast<double>(std::abs(loss)) + in_.least;
    return {static_cast<double>(loss), std::isfinite(loss) ? error : 0,
            std::isfinite(loss) && (overflows || std::abs(loss) > in_.most / 4)};
  }
  /// At column i.
  expectation gradient(std::size_t i) const {
    if (is_ignored_) return {0.0};
    if (column_ < 0 || has_nan_ || std::isnan(how_.factor)) return {nan};
    long double const p = std::exp(-surprise(i));
    long double const by_z = how_.z_loss != 0 && p > 0 ? 1 + 2 * how_.z_loss * lse_ : 1;
    long double const q = (static_cast<int>(i) == column_ ? 1 - static_cast<long double>(how_.smoothing) : 0) +
                          static_cast<long double>(how_.smoothing) / n_;
    long double const of_p = p > 0 ? p * by_z : 0, slope = how_.cap > 0 && x_[i] == -inf ? 0
                                                           : how_.cap > 0                ? 1 - tangent_[i] * tangent_[i]
                                                                                         : 1;
    long double const value = how_.factor * (of_p - q) * slope;
    if (!std::isfinite(value)) return {static_cast<double>(value)};
    double const distance = std::isfinite(apart(capped_[i])) ? static_cast<double>(-apart(capped_[i])) : 0;
    double const z_error = how_.z_loss != 0 ? 2 * std::abs(how_.z_loss) * lse_error() : 0;
    double const relative = (distance + 16 + sum_units()) * in_.unit + 2 * cap_error();
    double const error = static_cast<double>(p) * (relative * (1 + static_cast<double>(std::abs(by_z))) + z_error) +
                         4 * in_.unit * static_cast<double>(q);
    double const of_slope = how_.cap > 0 ? 16 * in_.unit * static_cast<double>(std::abs(of_p - q)) : 0;
    return {static_cast<double>(value), std::abs(how_.factor) * (error + of_slope) + 3 * in_.least,
            std::abs(value) > in_.most / 4};
  }

 private:
  static constexpr double inf = std::numeric_limits<double>::infinity();
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();

  long double apart(long double x) const {
    if (max_ == -inf) return -inf;
    if (max_ == inf) return x == inf ? 0 : -inf;
    return x - max_;
  }
  /// −log p of a column.
  long double surprise(std::size_t i) const { return sum_ == 0 ? inf : log_sum_ - apart(capped_[i]); }

  double cap_error() const { return how_.cap > 0 ? 8 * in_.unit * how_.cap : 0; }
  /// Units that a sum of exponentials is off by, relative to it: the mean of |x − max| that it weighs is log n at most.
  double sum_units() const { return 12 + 2 * std::log(n_ + 1) + n_ / how_.columns_per_rounding; }
  double lse_error() const {
    double const most = std::max(std::isfinite(max_) ? std::abs(static_cast<double>(max_)) : 0.0,
                                 std::isfinite(lse_) ? std::abs(static_cast<double>(lse_)) : 0.0);
    return in_.unit * (sum_units() + 3 * most) + cap_error() + in_.least;
  }
  double surprise_error(std::size_t i) const {
    double const distance = std::isfinite(apart(capped_[i])) ? static_cast<double>(-apart(capped_[i])) : 0;
    return in_.unit * (sum_units() + 2 * distance + 2 * std::abs(static_cast<double>(std::log(std::max(sum_, 1.0L))))) +
           2 * cap_error() + in_.least;
  }

  std::vector<double> x_;
  loss_choice how_;
  arithmetic in_;
  double n_;
  std::vector<long double> tangent_, capped_;
  long double max_ = -inf, sum_ = 0, log_sum_ = 0, lse_ = 0;
  bool has_nan_ = false, is_ignored_ = false;
  int column_ = -1;
};

/// How far off a result in T may be, if its number may be so far off.
template <class T>
expectation rounded_result(expectation x) {
  if constexpr (tessera::detail::is_half<T>) {
    bool const is_half = std::is_same_v<T, __half>;
    double const unit = is_half ? 0x1p-11 : 0x1p-8;
    if (x.value == 0 && x.error == 0) return x;
    x.error = (x.error + unit * std::abs(x.value)) * (1 + unit) + (is_half ? 0x1p-24 : 0x1p-133);
    x.any = x.any || (is_half && std::abs(x.value) > 65000);
  }
  return x;
}

}  // namespace test
