// What norms of rows, or of sums of rows, must give.
#pragma once

#include "mapped_rows.hpp"

namespace oracle::arrays {

inline constexpr double epsilon = 1e-5;

/// The rows of a call, what is added to them, and the parameters of their norm.
template <class T>
struct normed_rows {
  matrix_of m;
  std::vector<T> x, residual, sums, weights, biases;
  bool centered;

  normed_rows(call const& c, bool adds, bool centered_) : m(c), centered(centered_) {
    bool const scaled = c.drawn(80, 2) == 1;
    x = some<T>(c, m.elements(), 0);
    residual = some<T>(c, m.elements(), 1);
    sums = adds ? residual : x;  // the gaps of the residual stay
    for (index r = 0; r < (adds ? m.rows : 0); ++r) {
      for (index i = r * m.stride; i < r * m.stride + m.columns; ++i) {
        using N = oracle::model::arithmetic_t<T>;
        auto const at = static_cast<std::size_t>(i);
        sums[at] = static_cast<T>(static_cast<N>(x[at]) + static_cast<N>(residual[at]));
      }
    }
    weights = elements<tessera::plus, T>(c, scaled ? m.columns : 0, 5, true);
    biases = elements<tessera::plus, T>(c, scaled ? m.columns : 0, 6, true);
  }
  /// The results of a row of the sums.
  std::vector<model::near> of(std::vector<long double> const& row) const {
    return model::norm(row, wide(weights), wide(biases), sizeof(T) == 8 ? epsilon : static_cast<float>(epsilon),
                       centered, arithmetic_of<T>());
  }
  array<T const> in_if(call& c, std::vector<T> const& some_of) const {
    return some_of.empty() ? array<T const>() : c.in(some_of);
  }
};

}  // namespace oracle::arrays
