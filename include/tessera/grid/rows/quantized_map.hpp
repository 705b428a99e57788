// The Maps (map_rows.hpp) that quantize the results of another one: they store eight bits for each, and the scale of
// every 128 columns, or of each row.
//
//   a row of 16-bit floats     group 0: columns 0 … 127     group 1: columns 128 … 255     …
//   vectors                    of 16 lanes of a warp        of the next 16
//   greatest magnitude         by 4 exchanges for each vector; all lanes of a group have it
//
// A vector has 4 or 8 columns, and a row's lanes hold neighboring ones. So 32 or 16 lanes of a warp hold a group, if as
// many share the row. If they are fewer, the row has one group. The greatest magnitude of a row takes one more
// reduction, and its results are computed twice.
#pragma once

#include <tessera/core/eight_bits.hpp>
#include <tessera/grid/rows/map_rows.hpp>
#include <tessera/operators/welford.hpp>

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

/// The bits of the greatest magnitude, or `most`. They are greater for a greater one, and greatest for NaN.
template <unsigned K>
TESSERA_FN std::uint32_t greatest_magnitude(items<float, K> const& y, std::uint32_t most) {
  TESSERA_UNROLL
  for (unsigned j = 0; j < K; ++j) {
    std::uint32_t const magnitude = tessera::detail::from_bits<std::uint32_t>(y[j]) & 0x7fffffffu;
    most = most > magnitude ? most : magnitude;
  }
  return most;
}

/// The results of vector v by a Map of one row; 0 where the row has no column.
template <class RowMap, class Fragment, class Finished>
TESSERA_FN items<float, Fragment::width> results_of(RowMap const& map, Fragment const& fragment, unsigned v, int end,
                                                    int column_count, Finished const& by) {
  if (fragment.index(v) >= end) return {};
  auto y = map.map(fragment, v, by, column_count);
  if (!fragment.all_valid(v)) {
    TESSERA_UNROLL
    for (unsigned j = 0; j < Fragment::width; ++j) y[j] = fragment.is_valid(v, j) ? y[j] : 0;
  }
  return y;
}

/// Makes the compiler compute again what it has computed of a fragment's places: it would keep all, and spill.
template <class Fragment>
TESSERA_FN void forget_places(Fragment& fragment) {
  fragment.begin = static_cast<int>(tessera::detail::opaque(static_cast<std::uint32_t>(fragment.begin)));
}

/// Stores vector v of a row by its scale. If that is NaN or infinite, `most` is, too: the bits of a magnitude.
template <class Q, class Fragment>
TESSERA_FN void store_quantized(Fragment const& fragment, unsigned v, int end, items<float, Fragment::width> const& y,
                                float scale, std::uint32_t most, unsigned char* row) {
  constexpr int width = static_cast<int>(Fragment::width);
  int const i = fragment.index(v);
  auto const divide = divisor::from(scale);
  bool const are_zeros = !tessera::detail::eight_bits<Q>::has_nan && most >= 0x7f800000u;
  items<std::uint32_t, width / 4> words;
  TESSERA_UNROLL
  for (unsigned w = 0; w < width / 4; ++w) {
    auto const word = tessera::detail::eight_bits<Q>::word(divide.of(y[4 * w]), divide.of(y[4 * w + 1]),
                                                           divide.of(y[4 * w + 2]), divide.of(y[4 * w + 3]));
    words[w] = are_zeros ? 0 : word;
  }
  unsigned char* const to = row + i;
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

/// Quantizes by groups. Base is a Map whose numbers are floats.
template <class Base, class Q>
struct quantized_map : Base {
  static constexpr bool takes_many_registers = true;

  quantized_place place;

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
      RowBase const& map = *this;
      std::uint32_t most_of_all = 0;
      if (Fragment::vectors <= 2 && sharers < lanes) {  // The row has one group, in all vectors.
        TESSERA_UNROLL
        for (unsigned v = 0; v < Fragment::vectors; ++v)
          most_of_all =
              detail::greatest_magnitude(detail::results_of(map, fragment, v, end, column_count, by), most_of_all);
      }
      TESSERA_UNROLL
      for (unsigned v = 0; v < Fragment::vectors; ++v) {
        auto const y = detail::results_of(map, fragment, v, end, column_count, by);
        std::uint32_t most = detail::greatest_magnitude(y, most_of_all);
        TESSERA_UNROLL
        for (unsigned apart = lanes / 2; apart > 0; apart /= 2) {
          std::uint32_t const other = tessera::butterfly(warp, most, apart, converged);
          if (apart < sharers) most = most > other ? most : other;
        }
        int const i = fragment.index(v);
        if (i >= end) continue;
        float const scale = detail::scale_of_group<Q>(most);
        if (i % quantized_group == 0)
          place.scales[row * place.scales_of_row + i / quantized_group * place.scales_of_group] = scale;
        detail::store_quantized<Q>(fragment, v, end, y, scale, most, place.bytes + row * place.stride);
      }
    }
  };

  TESSERA_FN auto for_row(std::int64_t row) const {
    using row_base = stl::decay_t<decltype(detail::map_of_row(static_cast<Base const&>(*this), row))>;
    return of_row<row_base>{detail::map_of_row(static_cast<Base const&>(*this), row), place, row};
  }
};

/// The statistic of a row's elements, and the greatest magnitude of its results.
template <class First>
struct measured_results {
  First first;
  float second;
};
/// Combines those of two parts of a row.
template <class Combine>
struct join_measured_results {
  Combine combine;

  template <class First>
  TESSERA_FN measured_results<First> operator()(measured_results<First> const& a,
                                                measured_results<First> const& b) const {
    return {static_cast<First>(combine(a.first, b.first)), maximum{}(a.second, b.second)};
  }
};

/// Quantizes by one scale for each row.
template <class Base, class Q>
struct row_quantized_map : Base {
  using first_result = typename Base::statistic;
  using statistic = measured_results<first_result>;
  using value = statistic;
  using combine = join_measured_results<typename Base::combine>;
  static constexpr bool takes_many_registers = true, measures_twice = true;
  static constexpr unsigned reductions = reductions_of_map<Base> + 1;

  quantized_place place;
  first_result const* firsts = nullptr;

  TESSERA_FN combine combining() const { return {Base::combining()}; }

  /// The Map of one row.
  template <class RowBase>
  struct of_row : RowBase {
    using statistic = measured_results<first_result>;
    using value = statistic;
    using combine = join_measured_results<typename Base::combine>;
    static constexpr bool stores_results = true;

    quantized_place const& place;
    std::int64_t row;
    first_result const* firsts;

    template <class OfElements>
    struct finished {
      OfElements of_elements;
      float scale;
    };

    TESSERA_FN combine combining() const { return {RowBase::combining()}; }

    template <class Fragment>
    TESSERA_FN statistic of_fragment(Fragment& fragment) const {
      if (!firsts) return {RowBase::of_fragment(fragment), 0};
      auto own = operator_traits<combine, statistic>::identity(combining());
      RowBase::prepare(fragment, firsts[row]);
      own.second = greatest(fragment, firsts[row]);
      return own;
    }
    template <class Tile, class Fragment>
    TESSERA_FN statistic measure(Tile const& tile, Fragment& fragment, int elements) const {
      first_result const first = RowBase::measure(tile, fragment, elements);
      float const most = greatest(fragment, first);
      if constexpr (Fragment::vectors > 1) detail::forget_places(fragment);
      return {first, detail::reduce_row(tile, most, maximum{}, reductions_of_map<Base>)};
    }
    template <class Fragment>
    TESSERA_FN void prepare(Fragment& fragment, statistic const& all) const {
      RowBase::prepare(fragment, all.first);
    }
    TESSERA_FN auto finish(statistic const&, statistic const& all) const {
      first_result const first = firsts ? firsts[row] : all.first;
      auto const of_elements = RowBase::finish(first, first);
      auto const most = tessera::detail::from_bits<std::uint32_t>(all.second);
      return finished<stl::decay_t<decltype(of_elements)>>{of_elements, detail::scale_of_group<Q>(most)};
    }
    /// Stores the vectors that begin below `end`.
    template <class Warp, class Fragment, class Finished>
    TESSERA_FN void store_results(Warp const&, Fragment const& fragment, int end, int column_count,
                                  Finished const& by) const {
      RowBase const& map = *this;
      TESSERA_UNROLL
      for (unsigned v = 0; v < Fragment::vectors; ++v) {
        if (fragment.index(v) >= end) continue;
        if (fragment.index(v) == 0) place.scales[row * place.scales_of_row] = by.scale;
        detail::store_quantized<Q>(fragment, v, end, map.map(fragment, v, by.of_elements, column_count), by.scale,
                                   tessera::detail::from_bits<std::uint32_t>(by.scale),
                                   place.bytes + row * place.stride);
      }
    }

   private:
    /// The greatest magnitude of a lane's results in a row of such a statistic.
    template <class Fragment>
    TESSERA_FN float greatest(Fragment const& fragment, first_result const& first) const {
      RowBase const& map = *this;
      auto const by = RowBase::finish(first, first);
      std::uint32_t most = 0;
      TESSERA_UNROLL
      for (unsigned v = 0; v < Fragment::vectors; ++v)
        most =
            detail::greatest_magnitude(detail::results_of(map, fragment, v, fragment.limit, fragment.limit, by), most);
      return tessera::detail::from_bits<float>(most);
    }
  };

  TESSERA_FN auto for_row(std::int64_t row) const {
    using row_base = stl::decay_t<decltype(detail::map_of_row(static_cast<Base const&>(*this), row))>;
    return of_row<row_base>{detail::map_of_row(static_cast<Base const&>(*this), row), place, row, firsts};
  }
};

}  // namespace grid::detail

template <class Combine, class First>
struct operator_traits<grid::detail::join_measured_results<Combine>, grid::detail::measured_results<First>> {
  static constexpr bool has_identity = true;
  static constexpr bool commutative = false;
  TESSERA_FN static grid::detail::measured_results<First> identity(
      grid::detail::join_measured_results<Combine> const& join) {
    return {operator_traits<Combine, First>::identity(join.combine), 0};
  }
};

TESSERA_NAMESPACE_END
