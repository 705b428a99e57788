// The Map (map_rows.hpp) of a norm of the sum of two matrices, which is stored besides.
//
//   in         x0 x1 x2 x3
//   residual   r0 r1 r2 r3     before
//   residual   s0 s1 s2 s3     after: x + r, rounded to an element
//   out        the norm of s0 s1 s2 s3
//
// Each lane reads what it needs of the residual each time it has loaded its vectors of `in`, and stores the sums only
// where it stores its results: a row that is read twice is added twice, to the same sums.
#pragma once

#include <tessera/grid/rows/computed_fragment.hpp>
#include <tessera/grid/rows/map_rows.hpp>
#include <tessera/grid/rows/norm_map.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class T>
struct add_norm_map {
  using number = arithmetic_t<T>;
  using statistic = typename norm_map<T>::statistic;
  using value = statistic;
  using combine = welford;
  static constexpr bool counts_elements = true;

  norm_map<T> norm;
  T* residual = nullptr;
  std::int64_t stride = 0;

  TESSERA_FN welford combining() const { return {}; }

  /// The Map of one row, or of a part of one. Norm is a norm_map of its columns.
  template <class Norm>
  struct of_columns {
    using statistic = typename norm_map<T>::statistic;
    using value = statistic;
    using combine = welford;
    static constexpr bool counts_elements = true;

    Norm norm;
    T* residual;

    TESSERA_FN welford combining() const { return {}; }

    template <class Fragment>
    TESSERA_FN statistic of_fragment(Fragment& fragment) const {
      add(fragment);
      return norm.of_fragment(fragment);
    }
    template <class Tile, class Fragment>
    TESSERA_FN statistic measure(Tile const& tile, Fragment& fragment, int elements) const {
      add(fragment);
      return norm.measure(tile, fragment, elements);
    }
    template <class Fragment>
    TESSERA_FN void prepare(Fragment& fragment, statistic const&) const {
      add(fragment);
    }
    TESSERA_FN auto finish(statistic const& own, statistic const& all) const { return norm.finish(own, all); }
    template <class Fragment, class Finished>
    TESSERA_FN auto map(Fragment const& fragment, unsigned v, Finished const& by, int column_count) const {
      return norm.map(fragment, v, by, column_count);
    }
    /// Stores the sums.
    template <class Fragment, class Finished>
    TESSERA_FN void store_row(Fragment const& fragment, Finished const&) const {
      TESSERA_UNROLL
      for (unsigned v = 0; v < Fragment::vectors; ++v) {
        if (!fragment.has_valid(v)) continue;
        int const i = fragment.index(v);
        if constexpr (Fragment::aligned) {
          detail::store_packed(residual + i, fragment.data[v]);
        } else {
          detail::store_part(residual + i, i, fragment.limit, fragment.data[v]);
        }
      }
    }
    template <unsigned Threads, unsigned Vectors, class Finished>
    TESSERA_FN void store_row(computed_fragment<T, Threads, Vectors> const& fragment, Finished const&) const {
      TESSERA_UNROLL
      for (unsigned v = 0; v < Vectors; ++v) {
        auto const sums = tessera::detail::from_words<row_vector<T>>(fragment.data[v]);
        TESSERA_UNROLL
        for (unsigned j = 0; j < fragment.width; ++j)
          if (fragment.is_valid(v, j)) residual[fragment.index(v, j)] = sums[j];
      }
    }

   private:
    /// Adds the residual to the fragment's elements. Registers suffice for a few vectors of it at a time.
    template <class Fragment>
    TESSERA_FN void add(Fragment& fragment) const {
      constexpr unsigned vectors = Fragment::vectors, at_once = vectors > 4 ? 1 : vectors;
      TESSERA_UNROLL
      for (unsigned first = 0; first < vectors; first += at_once) {
        packed<T> beside[at_once];
        TESSERA_UNROLL
        for (unsigned v = 0; v < at_once; ++v) {
          if (fragment.has_valid(first + v)) beside[v] = residual_at(fragment, first + v);
        }
        TESSERA_UNROLL
        for (unsigned v = 0; v < at_once; ++v) {
          if (!fragment.has_valid(first + v)) continue;
          auto x = detail::unpack<T>(fragment.data[first + v], fragment.format);
          auto const r = detail::unpack<T>(beside[v], fragment.format);
          TESSERA_UNROLL
          for (unsigned j = 0; j < Fragment::width; ++j) x[j] = tessera::detail::rounded_add(x[j], r[j]);
          fragment.data[first + v] = detail::pack<T>(x, fragment.format);
        }
      }
    }
    /// The residual's elements of vector v's columns; 0 where there are none.
    template <class Fragment>
    TESSERA_FN packed<T> residual_at(Fragment const& fragment, unsigned v) const {
      T const* const from = residual + fragment.index(v);
      if constexpr (Fragment::aligned) {
        return detail::load_packed(from);
      } else {
        if (fragment.all_valid(v) && detail::shift_of(from) == 0) return detail::load_packed(from);
        packed<T> out{};
        TESSERA_UNROLL
        for (unsigned j = 0; j < Fragment::width; ++j) {
          if (!fragment.is_valid(v, j)) continue;
          T const element = from[j];
          detail::copy_bytes(reinterpret_cast<unsigned char*>(out.word) + j * sizeof(T), TESSERA_ADDRESS_OF(element),
                             sizeof(T));
        }
        return out;
      }
    }
    template <unsigned Threads, unsigned Vectors>
    TESSERA_FN packed<T> residual_at(computed_fragment<T, Threads, Vectors> const& fragment, unsigned v) const {
      auto x = tessera::detail::from_words<row_vector<T>>({});
      TESSERA_UNROLL
      for (unsigned j = 0; j < fragment.width; ++j)
        if (fragment.is_valid(v, j)) x[j] = residual[fragment.index(v, j)];
      return tessera::detail::to_words(x);
    }
  };
  using of_row = of_columns<norm_map<T> const&>;

  TESSERA_FN of_row for_row(std::int64_t row) const { return {norm, residual + row * stride}; }
  /// The Map of the columns of a computed row from this one on (computed_softmax.hpp).
  TESSERA_FN of_columns<norm_map<T>> for_part(std::int64_t row, std::int64_t column) const {
    return {norm.from_column(column), residual + row * stride + column};
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
