// Row operations for map_rows whose results are exact, if sums of the elements are; and what they make of a row.
#pragma once

#include <tessera/grid/rows/caller_map.hpp>
#include <tessera/operators.hpp>

#include <vector>

namespace test {

/// The sum, where it is greater; the column is added.
struct above_sum {
  TESSERA_FN tessera::plus first_operator() const { return {}; }
  template <class N>
  TESSERA_FN N first(N x, int) const {
    return x;
  }
  template <class N>
  TESSERA_FN N result(N x, int column, N sum) const {
    return (x < sum ? sum : x) + static_cast<N>(column % 4);
  }
};
/// Swaps the least and the greatest.
struct swap_ends {
  TESSERA_FN tessera::minimum first_operator() const { return {}; }
  TESSERA_FN tessera::maximum second_operator() const { return {}; }
  template <class N>
  TESSERA_FN N first(N x, int) const {
    return x;
  }
  template <class N>
  TESSERA_FN N second(N x, int) const {
    return x;
  }
  template <class N>
  TESSERA_FN N result(N x, int, N least, N greatest) const {
    return x == greatest ? least : x == least ? greatest : x;
  }
};
/// The greatest number below the greatest one: the second reduction needs the result of the first.
struct next_greatest {
  TESSERA_FN tessera::maximum first_operator() const { return {}; }
  TESSERA_FN tessera::maximum second_operator() const { return {}; }
  template <class N>
  TESSERA_FN N first(N x, int) const {
    return x;
  }
  template <class N>
  TESSERA_FN N second(N x, int, N greatest) const {
    return x < greatest ? x : N(-1000);
  }
  template <class N>
  TESSERA_FN N result(N x, int, N greatest, N next) const {
    return x < greatest ? next : x;
  }
};

/// What an operation makes of a row of numbers. reduce(terms, op) combines terms one after the other.
template <class Operation, class N, class Reduce>
std::vector<N> mapped(Operation const& f, std::vector<N> const& row, Reduce reduce) {
  namespace rows = tessera::grid::detail;
  auto const of_each = [&](auto function) {
    std::vector<N> out;
    for (N const x : row) out.push_back(function(x, static_cast<int>(out.size())));
    return out;
  };
  N const first = reduce(of_each([&](N x, int column) { return f.first(x, column); }), f.first_operator());
  if constexpr (!rows::has_second_reduction<Operation>) {
    return of_each([&](N x, int column) { return f.result(x, column, first); });
  } else {
    auto const term = [&](N x, int column) {
      if constexpr (rows::second_needs_first<Operation, N>) {
        return f.second(x, column, first);
      } else {
        return f.second(x, column);
      }
    };
    N const second = reduce(of_each(term), f.second_operator());
    return of_each([&](N x, int column) { return f.result(x, column, first, second); });
  }
}

}  // namespace test
