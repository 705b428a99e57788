// What reductions, softmax and norms come to, in long double, and how far off their headers allow results to be. Nothing
// here needs CUDA.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace test {

/// The type that results are computed in: a rounding's error relative to its result, and what is the least.
struct arithmetic {
  double unit, least, least_normal, most;
};
template <class T>
constexpr arithmetic arithmetic_of() {
  using limits = std::numeric_limits<T>;
  return {static_cast<double>(limits::epsilon()) / 2, static_cast<double>(limits::denorm_min()),
          static_cast<double>(limits::min()), static_cast<double>(limits::max())};
}

/// A number, and how far from it a result may be. `any`: outside of the range in which something is promised.
struct expectation {
  double value;
  double error = 0;
  bool any = false;

  /// Zeros differ by their signs where no error is allowed.
  bool allows(double result) const {
    if (any) return true;
    if (std::isnan(value)) return std::isnan(result);
    if (std::isinf(value)) return result == value;
    if (error == 0) return result == value && std::signbit(result) == std::signbit(value);
    return std::abs(result - value) <= error;
  }
};

/// A sum whose rounding errors are added up, too.
class exact_sum {
 public:
  void add(long double x) {
    long double const sum = sum_ + x;
    lost_ += std::abs(sum_) >= std::abs(x) ? (sum_ - sum) + x : (x - sum) + sum_;
    sum_ = sum;
  }
  long double value() const { return std::isfinite(sum_) ? sum_ + lost_ : sum_; }

 private:
  long double sum_ = 0, lost_ = 0;
};

inline expectation expected_sum(std::vector<double> const& x, double units, arithmetic in) {
  exact_sum all;
  long double absolute = 0;
  bool all_negative_zeros = !x.empty();
  for (double value : x) {
    all.add(value);
    absolute += std::abs(value);
    all_negative_zeros = all_negative_zeros && value == 0 && std::signbit(value);
  }
  if (all_negative_zeros) return {-0.0};
  if (x.empty()) return {0.0};
  long double const sum = all.value();
  bool const overflows = std::isfinite(sum) && absolute >= in.most;
  if (!std::isfinite(sum)) return {static_cast<double>(sum)};
  // Where all are zeros, but not −0 all of them, the sum is +0.
  return {static_cast<double>(sum), static_cast<double>(units * in.unit * absolute), overflows};
}

inline expectation expected_product(std::vector<double> const& x, double units, arithmetic in) {
  long double log_up = 0, log_down = 0;
  bool nan = false, odd = false;
  for (double value : x) {
    nan = nan || std::isnan(value);
    odd = odd || value == 0 || std::isinf(value);
    long double const log = std::log2(std::abs(static_cast<long double>(value)));
    (log > 0 ? log_up : log_down) += log;
  }
  if (nan) return {std::nan("")};
  bool const out_of_range = odd || log_up >= std::log2(in.most) - 1 || log_down <= std::log2(in.least_normal) + 1;
  long double product = 1;
  if (!out_of_range) {
    for (double value : x) product *= value;
  }
  double const value = static_cast<double>(product);
  return {value, std::abs(value) * units * in.unit * 1.01, out_of_range};
}

/// The least, or the greatest: a NaN where there is one, −0 before +0. `none`: of nothing.
inline double expected_extreme(std::vector<double> const& x, bool greatest, double none) {
  double best = none;
  for (double value : x) {
    if (std::isnan(value)) return value;
    bool const better = greatest ? value > best || (value == best && std::signbit(best))
                                 : value < best || (value == best && std::signbit(value));
    if (better) best = value;
  }
  return best;
}

/// Count, mean and the sum of squared distances.
struct expected_moments {
  long double mean = 0, m2 = 0;
  double greatest = 0;  // |x|
  double deviation = 0;

  explicit expected_moments(std::vector<double> const& x) {
    auto const n = static_cast<long double>(x.size());
    if (x.empty()) return;
    exact_sum distances, squares;  // from the first: of values that are all the same none is lost
    for (double value : x) {
      distances.add(static_cast<long double>(value) - x[0]);
      greatest = std::max(greatest, std::abs(value));
    }
    mean = x[0] + distances.value() / n;
    for (double value : x) {
      if (!std::isfinite(value)) mean = std::numeric_limits<long double>::quiet_NaN();
    }
    for (double value : x) squares.add((value - mean) * (value - mean));
    m2 = squares.value();
    deviation = static_cast<double>(std::sqrt(m2 / n));
  }
};

/// exp(x) / Σ exp, or its logarithm, of the first `length` of a row; beyond it 0 or −∞. Of −∞ only 0 or −∞.
inline std::vector<double> expected_softmax(std::vector<double> const& row, std::int64_t length, bool logarithms) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  auto const n = static_cast<std::size_t>(std::clamp<std::int64_t>(length, 0, static_cast<std::int64_t>(row.size())));
  double max = -inf;
  bool has_nan = false;
  for (std::size_t i = 0; i < n; ++i) {
    has_nan = has_nan || std::isnan(row[i]);
    max = std::max(max, row[i]);
  }
  auto const apart = [&](double x) -> long double {
    if (max == -inf) return -inf;
    if (max == inf) return x == inf ? 0 : -inf;
    return static_cast<long double>(x) - max;
  };
  long double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += std::exp(apart(row[i]));
  std::vector<double> out(row.size());
  for (std::size_t i = 0; i < row.size(); ++i) {
    long double const part = i >= n || (sum == 0 && !has_nan) ? -inf
                             : has_nan                        ? std::nan("")
                                                              : apart(row[i]) - std::log(sum);
    out[i] = static_cast<double>(logarithms ? part : std::exp(part));
  }
  return out;
}
/// As softmax.hpp says, of a result in full precision; `distance` is |x − max|.
inline double softmax_error(double expected, double distance, bool logarithm, arithmetic in) {
  return logarithm ? 12 * in.unit * (1 + distance + std::abs(expected))
                   : (distance + 12) * in.unit * expected + 3 * in.least;
}

/// A row as a norm sees it.
struct expected_norm {
  long double mean = 0;
  double scale = 0;
  double greatest = 0;  // result
  bool in_range = true;

  expected_norm(std::vector<double> const& row, double epsilon, bool centered, arithmetic in) {
    auto const n = static_cast<long double>(row.size());
    long double squares = 0, distance = 0, sum = 0;
    for (double x : row) sum += std::abs(static_cast<long double>(x));
    if (centered) mean = expected_moments(row).mean;
    for (double x : row) {
      squares += (x - mean) * (x - mean);
      distance = std::max(distance, std::abs(x - mean));
    }
    long double const variance = squares / n + static_cast<long double>(epsilon);
    scale = static_cast<double>(1 / std::sqrt(variance));
    greatest = scale > 0 ? static_cast<double>(distance * (1 / std::sqrt(variance))) : 0;
    if (std::isfinite(squares)) in_range = squares < in.most / 2 && sum < in.most / 2 && variance >= in.least_normal;
  }
  /// Of element x, with a weight and a bias; `k` as norm.hpp has it.
  expectation of(double x, double weight, double bias, double k, arithmetic in) const {
    auto const before = static_cast<double>((x - mean) * static_cast<long double>(scale));
    double const expected = before * weight + bias;
    double const error = in.unit * ((10 + k / 2) * greatest + k * std::abs(static_cast<double>(mean)) * scale) +
                         in.least * (1 + k * scale);
    // The reference itself is rounded, too.
    double const rounded = in.unit * (std::abs(before * weight) + 2 * std::abs(expected)) + in.least;
    return {expected, error * std::abs(weight) * 1.01 + rounded, !in_range};
  }
};

}  // namespace test
