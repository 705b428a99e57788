// The Map (map_rows.hpp) that quantizes the results of another one: it stores eight bits for each, and the scale of
// every 128 columns.
//
//   a row of 16-bit floats     group 0: columns 0 … 127     group 1: columns 128 … 255     …
//   vectors                    of 16 lanes of a warp        of the next 16
//   greatest magnitude         by 4 exchanges for each vector; all lanes of a group have it
//
// A vector has 4 or 8 columns, and a row's lanes hold neighboring ones. So 32 or 16 lanes of a warp hold a group, if as
// many share the row. If they are fewer, the row has one group.
#pragma once

#include <tessera/core/eight_bits.hpp>
#include <tessera/grid/rows/map_rows.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The columns that have one scale.
inline constexpr int quantized_group = 128;

/// Divides by a number many times: x / by, rounded once, if `by` and 1 / by are normal, |x / by| is below 2^10 and not
/// below 2^-40, or x is 0. A lesser quotient may be off by more. If `by` is infinite, it is NaN.
///
/// Source: P. Markstein, "IA-64 and Elementary Functions", 2000: two corrections of a quotient by its remainder.
struct divisor {
  float by, reciprocal;

  TESSERA_FN static divisor from(float by) { return {by, tessera::detail::normal_reciprocal(by)}; }
  TESSERA_FN float of(float x) const {
    float q = tessera::detail::rounded_multiply(x, reciprocal);
    TESSERA_UNROLL
    for (int i = 0; i < 2; ++i) {
      float const excess = tessera::detail::rounded_fma(q, by, -x);
      q = tessera::detail::rounded_fma(-excess, reciprocal, q);  // The sign of a zero remains.
    }
    return q;
  }
};

/// The scale of a group whose greatest magnitude has these bits: that / Q's greatest number. Magnitudes below 1e-10
/// count as 1e-10, as in vLLM and SGLang; NaN and infinity remain.
template <class Q>
TESSERA_FN float scale_of_group(std::uint32_t magnitude) {
  constexpr float most = tessera::detail::eight_bits<Q>::most;
  auto const least = tessera::detail::from_bits<std::uint32_t>(1e-10f);
  auto const x = tessera::detail::from_bits<float>(magnitude > least ? magnitude : least);
  return magnitude >= 0x7f800000u ? x : divisor{most, 1 / most}.of(x);
}

/// Where quantized rows go: each row's bytes, and its scales.
struct quantized_place {
  unsigned char* bytes = nullptr;
  float* scales = nullptr;
  std::int64_t stride = 0, scales_of_row = 0, scales_of_group = 0;  // the distances of rows, of scales, of groups
};

/// Base is a Map whose numbers are floats.
template <class Base, class Q>
struct quantized_map : Base {
  static constexpr bool takes_many_registers = true;

  quantized_place place;

  TESSERA_FN decltype(auto) base_of(std::int64_t row) const {
    if constexpr (maps_by_row<Base>) {
      return Base::for_row(row);
    } else {
      return static_cast<Base const&>(*this);
    }
  }

  /// The Map of one row.
  template <class RowBase>
  struct of_row : RowBase {
    static constexpr bool stores_results = true;

    quantized_place const& place;
    std::int64_t row;

    /// Stores the vectors that begin below `end`. Called by all lanes of the warp.
    template <class Warp, class Fragment, class Finished>
    TESSERA_FN void store_results(Warp const& warp, Fragment const& fragment, int end, int column_count,
                                  Finished const& by) const {
      constexpr unsigned lanes = quantized_group / Fragment::width;
      static_assert(lanes <= 32);
      unsigned const sharers = fragment.thread_count();
      std::uint32_t most_of_all = 0;
      if (Fragment::vectors <= 2 && sharers < lanes) {  // The row has one group, in all vectors.
        TESSERA_UNROLL
        for (unsigned v = 0; v < Fragment::vectors; ++v)
          most_of_all = of_row::greatest(numbers_of(fragment, v, end, column_count, by), most_of_all);
      }
      TESSERA_UNROLL
      for (unsigned v = 0; v < Fragment::vectors; ++v) {
        auto const y = numbers_of(fragment, v, end, column_count, by);
        std::uint32_t most = of_row::greatest(y, most_of_all);
        TESSERA_UNROLL
        for (unsigned apart = lanes / 2; apart > 0; apart /= 2) {
          std::uint32_t const other = tessera::butterfly(warp, most, apart, converged);
          if (apart < sharers) most = of_row::greater(most, other);
        }
        if (fragment.index(v) < end) store_vector(fragment, v, end, y, most);
      }
    }

   private:
    TESSERA_FN static std::uint32_t greater(std::uint32_t a, std::uint32_t b) { return a > b ? a : b; }
    /// The bits of the greatest magnitude, or `most`. They are greater for a greater one, and greatest for NaN.
    template <unsigned K>
    TESSERA_FN static std::uint32_t greatest(items<float, K> const& y, std::uint32_t most) {
      TESSERA_UNROLL
      for (unsigned j = 0; j < K; ++j)
        most = of_row::greater(most, tessera::detail::from_bits<std::uint32_t>(y[j]) & 0x7fffffffu);
      return most;
    }
    /// The results of vector v; 0 where the row has no column.
    template <class Fragment, class Finished>
    TESSERA_FN items<float, Fragment::width> numbers_of(Fragment const& fragment, unsigned v, int end, int column_count,
                                                        Finished const& by) const {
      if (fragment.index(v) >= end) return {};
      auto y = this->map(fragment, v, by, column_count);
      if (!fragment.all_valid(v)) {
        TESSERA_UNROLL
        for (unsigned j = 0; j < Fragment::width; ++j) y[j] = fragment.is_valid(v, j) ? y[j] : 0;
      }
      return y;
    }
    template <class Fragment>
    TESSERA_FN void store_vector(Fragment const& fragment, unsigned v, int end, items<float, Fragment::width> const& y,
                                 std::uint32_t most) const {
      constexpr int width = static_cast<int>(Fragment::width);
      int const i = fragment.index(v);
      float const scale = detail::scale_of_group<Q>(most);
      if (i % quantized_group == 0)
        place.scales[row * place.scales_of_row + i / quantized_group * place.scales_of_group] = scale;
      auto const divide = divisor::from(scale);
      bool const are_zeros = !tessera::detail::eight_bits<Q>::has_nan && most >= 0x7f800000u;
      items<std::uint32_t, width / 4> words;
      TESSERA_UNROLL
      for (unsigned w = 0; w < width / 4; ++w) {
        auto const word = tessera::detail::eight_bits<Q>::word(divide.of(y[4 * w]), divide.of(y[4 * w + 1]),
                                                               divide.of(y[4 * w + 2]), divide.of(y[4 * w + 3]));
        words[w] = are_zeros ? 0 : word;
      }
      unsigned char* const to = place.bytes + row * place.stride + i;
      if (Fragment::aligned || (i + width <= end && reinterpret_cast<std::uintptr_t>(to) % width == 0)) {
        struct alignas(width) vector {
          unsigned char byte[width];
        };
        vector stored;
        detail::copy_bytes(stored.byte, words.item, width);
        *reinterpret_cast<vector*>(to) = stored;
      } else {
        TESSERA_UNROLL
        for (int j = 0; j < width; ++j) {
          if (i + j < end) to[j] = static_cast<unsigned char>(words[j / 4] >> 8 * (j % 4));
        }
      }
    }
  };

  TESSERA_FN auto for_row(std::int64_t row) const {
    using row_base = stl::decay_t<decltype(base_of(row))>;
    return of_row<row_base>{base_of(row), place, row};
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
