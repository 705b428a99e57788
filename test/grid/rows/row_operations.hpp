// Row operations of a user's own for map_rows, and what they make of a row, sequentially and in long double.
#pragma once

#include <tessera/operators.hpp>

#include <cmath>
#include <cstddef>
#include <vector>

namespace test {

/// Each row divided by its length.
template <class N>
struct l2_normalize {
  TESSERA_FN tessera::plus first_operator() const { return {}; }
  TESSERA_FN N first(N x, int) const { return x * x; }
  TESSERA_FN N result(N x, int, N squares) const { return x / static_cast<N>(sqrt(squares)); }

  static std::vector<double> expected(std::vector<double> const& x) {
    long double squares = 0;
    for (long double const e : x) squares += e * e;
    std::vector<double> y;
    for (double const e : x) y.push_back(static_cast<double>(e / std::sqrt(squares)));
    return y;
  }
};

/// Each row scaled to 0 … 1; the column is added, so that it is seen.
template <class N>
struct min_max_scale {
  TESSERA_FN tessera::minimum first_operator() const { return {}; }
  TESSERA_FN N first(N x, int) const { return x; }
  TESSERA_FN tessera::maximum second_operator() const { return {}; }
  TESSERA_FN N second(N x, int) const { return x; }
  TESSERA_FN N result(N x, int column, N least, N greatest) const {
    return (x - least) / (greatest - least) + static_cast<N>(column % 3);
  }

  static std::vector<double> expected(std::vector<double> const& x) {
    double least = x[0], greatest = x[0];
    for (double const e : x) {
      if (std::isnan(e)) return std::vector<double>(x.size(), e);
      least = e < least ? e : least;
      greatest = e > greatest ? e : greatest;
    }
    std::vector<double> y;
    for (std::size_t c = 0; c < x.size(); ++c)
      y.push_back((x[c] - least) / (greatest - least) + static_cast<double>(c % 3));
    return y;
  }
};

/// Each row's distance to its mean, divided by the mean distance. The second reduction needs the first one's result.
template <class N>
struct mean_distance {
  N columns;
  TESSERA_FN tessera::plus first_operator() const { return {}; }
  TESSERA_FN N first(N x, int) const { return x; }
  TESSERA_FN tessera::plus second_operator() const { return {}; }
  TESSERA_FN N second(N x, int, N sum) const { return x < sum / columns ? sum / columns - x : x - sum / columns; }
  TESSERA_FN N result(N x, int, N sum, N distances) const { return (x - sum / columns) * columns / distances; }

  static std::vector<double> expected(std::vector<double> const& x) {
    auto const n = static_cast<long double>(x.size());
    long double sum = 0, distances = 0;
    for (long double const e : x) sum += e;
    for (long double const e : x) distances += std::abs(e - sum / n);
    std::vector<double> y;
    for (double const e : x) y.push_back(static_cast<double>((e - sum / n) * n / distances));
    return y;
  }
};

}  // namespace test
