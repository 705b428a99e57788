// The agent of moments.
//
// A lane visits some elements at a time. It adds up their distances from the first of them and the squares of these, in
// double, and joins the moments that these sums give to its own by welford: that is one division for many elements, and
// nothing cancels, since the first element is itself one of them.
//
// Source: T. F. Chan, G. H. Golub, R. J. LeVeque, "Algorithms for computing the sample variance", 1983 (shifted data,
// pairwise).
#pragma once

#include <tessera/grid/reduce/reduce_agent.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

using tessera::detail::rounded_add;
using tessera::detail::rounded_fma;
using tessera::detail::rounded_multiply;
using tessera::detail::rounded_subtract;

/// The agent for reduce_agent.hpp whose partials are moments, combined by welford.
struct moments_agent {
  template <class T>
  static constexpr unsigned bytes = reduce_tuning::bytes / 2;

  bool are_signed = false;  // whether unsigned elements are the bits of signed ones: both share a kernel

  template <class Out>
  TESSERA_FN Out result(tessera::moments<double> const& all) const {
    return all;
  }
  template <unsigned Threads, class Block, class In>
  TESSERA_FN tessera::moments<double> lane_partial(Block const& block, In const& in, std::int64_t n,
                                                   even_share const& share) const {
    using T = value_of<In>;
    tessera::moments<double> all{0, 0, 0};
    auto const add = [&](auto const& x, std::int64_t, auto) {
      constexpr double count = stl::remove_reference_t<decltype(x)>::count;
      double const first = in_double(x[0]);
      double sum = 0, squares = detail::rounded_subtract(first, first);
      TESSERA_UNROLL
      for (unsigned k = 1; k < x.size(); ++k) {
        double const distance = detail::rounded_subtract(in_double(x[k]), first);
        sum = detail::rounded_add(sum, distance);
        squares = detail::rounded_fma(distance, distance, squares);
      }
      double const mean_distance = detail::rounded_multiply(sum, 1 / count);
      double const m2 = detail::rounded_fma(-sum, mean_distance, squares);
      // If a value is infinite, the mean alone may be infinite. NaN stays NaN when parts of the array are combined.
      double const mean = detail::is_nan(m2) ? m2 : detail::rounded_add(first, mean_distance);
      all = welford{}(all, {count, mean, m2});
    };
    detail::visit_share<Threads, detail::reads_of<T, In>(bytes<T>), 1>(block, in, n, share, add);
    return all;
  }

 private:
  template <class T>
  TESSERA_FN double in_double(T x) const {
    if constexpr (is_half<T>) {
      return tessera::detail::convert<double>(x);
    } else if constexpr (tessera::detail::is_integer<T> && !tessera::detail::is_signed_integer<T>) {
      return are_signed ? static_cast<double>(static_cast<stl::make_signed_t<T>>(x)) : static_cast<double>(x);
    } else {
      return static_cast<double>(x);
    }
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
