// What a lane of a grid reduction finds where moments are asked for.
//
// A lane sums distances from the first of some elements, and their squares, in double, and adds these elements'
// moments to its own by welford: one division for many elements, and no cancellation, since that first one is itself
// among them.
//
// Source: T. F. Chan, G. H. Golub, R. J. LeVeque, "Algorithms for computing the sample variance", 1983 (shifted data,
// pairwise).
#pragma once

#include <tessera/grid/detail/reduce_blocks.hpp>

namespace tessera::grid::detail {

struct own_of_moments {
  template <class T>
  static constexpr unsigned bytes = reduce_tuning::bytes / 2;
  static constexpr bool in_pieces = false;

  template <unsigned Threads, class Block, class T>
  TESSERA_FN tessera::moments<double> get(Block const& block, T const* in, std::int64_t n,
                                          array_cut const& cut) const {
    tessera::moments<double> all{0, 0, 0};
    auto const add = [&](auto const& x, std::int64_t, auto) {
      constexpr double count = stl::remove_reference_t<decltype(x)>::count;
      double const first = in_double(x[0]);
      double sum = 0, squares = rounded_subtract(first, first);
      TESSERA_UNROLL
      for (unsigned k = 1; k < x.size(); ++k) {
        double const distance = rounded_subtract(in_double(x[k]), first);
        sum = rounded_add(sum, distance);
        squares = rounded_fma(distance, distance, squares);
      }
      double const apart = rounded_multiply(sum, 1 / count);
      double const m2 = rounded_fma(-sum, apart, squares);
      // Of an infinity the mean alone may be infinite; NaN stays NaN when parts of the array are combined.
      double const mean = is_nan(m2) ? m2 : rounded_add(first, apart);
      all = welford{}(all, {count, mean, m2});
    };
    visit_steps<Threads, vectors_of<T>(bytes<T>), 1>(block, in, n, cut, add);
    return all;
  }

 private:
  template <class T>
  TESSERA_FN static double in_double(T x) {
    if constexpr (is_half<T>) {
      return static_cast<double>(static_cast<float>(x));
    } else {
      return static_cast<double>(x);
    }
  }
};

}  // namespace tessera::grid::detail
