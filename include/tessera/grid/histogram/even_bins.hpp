// Finds the even bin that a value is in.
//
//   lower                               upper
//     |    0    |    1    |    2    |    3    |        4 bins over [lower, upper)
//  below                                    above      cells 4 and 5; a NaN is in cell 6
//
//   auto bins = bins_of<float>::over(4, lower, upper);
//   if (bins.count == 0) return cudaErrorInvalidValue;      // no such bins
//   auto at = bins.place(x);                                // one of `bins.cells()` cells:
//   ++cells[at.inside ? at.cell : bins.outside(x)];
//   counts[bins.of_cell(i)] += cells[i];
//
// Source of the division by multiplication: T. Granlund and P. L. Montgomery, "Division by invariant integers using
// multiplication", 1994.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/core/number.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

inline constexpr unsigned most_bins = 65536;

/// Even bins count integers of up to 32 bits, bool among them, and of 64; and floats. A function of the caller's counts
/// anything else.
template <class T>
inline constexpr bool is_narrow_integer = (tessera::detail::is_integer<T> && sizeof(T) <= 4) || stl::is_same_v<T, bool>;
template <class T>
inline constexpr bool is_wide_integer = tessera::detail::is_integer<T> && sizeof(T) == 8;
template <class T>
inline constexpr bool is_binned_float =
    stl::is_same_v<T, float> || stl::is_same_v<T, double> || tessera::detail::is_half<T>;
template <class T>
inline constexpr bool has_even_bins = is_narrow_integer<T> || is_wide_integer<T> || is_binned_float<T>;

/// The type of `lower` and `upper`: for integers of up to 32 bits one that also holds their highest value + 1; for
/// 16-bit floats float; else T itself. What isn't counted has any.
template <class T>
using bound_t = stl::conditional_t<
    is_narrow_integer<T>, std::int64_t,
    stl::conditional_t<tessera::detail::is_half<T>, float, stl::conditional_t<has_even_bins<T>, T, double>>>;

/// True if integer bounds enclose only values of T, and at least one.
template <class T>
TESSERA_FN constexpr bool encloses(bound_t<T> lower, bound_t<T> upper) {
  if constexpr (is_narrow_integer<T>) {
    return lower < upper && lower >= (stl::numeric_limits<T>::min)() &&
           upper <= stl::int64_t{(stl::numeric_limits<T>::max)()} + 1;
  } else {
    return lower < upper;
  }
}

/// floor(numerator · 2^64 / denominator), for a numerator below the denominator.
TESSERA_FN constexpr stl::uint64_t fraction_of(stl::uint64_t numerator, stl::uint64_t denominator) {
  stl::uint64_t quotient = 0;
  for (unsigned bit = 0; bit < 64; ++bit) {
    bool const carry = numerator >> 63 != 0;
    numerator <<= 1;
    bool const fits = carry || numerator >= denominator;
    if (fits) numerator -= denominator;
    quotient = quotient << 1 | (fits ? 1u : 0u);
  }
  return quotient;
}

/// A product of 64 and 32 bits, and the order of such products.
struct product {
  stl::uint64_t high;  // above the lowest 32 bits
  stl::uint32_t low;

  TESSERA_FN product(stl::uint64_t a, stl::uint32_t b) {
    stl::uint64_t const lower = (a & 0xffffffffu) * b;
    high = (a >> 32) * b + (lower >> 32);
    low = static_cast<stl::uint32_t>(lower);
  }
  TESSERA_FN bool is_below(product const& other) const {
    return high < other.high || (high == other.high && low < other.low);
  }
};

/// floor(d · fraction / 2^64)
TESSERA_FN unsigned scaled(stl::uint32_t d, stl::uint64_t fraction) {
#if TESSERA_ARCH
  stl::uint32_t const low = __umulhi(d, static_cast<stl::uint32_t>(fraction));
#else
  stl::uint64_t const low = stl::uint64_t{d} * (fraction & 0xffffffffu) >> 32;
#endif
  return static_cast<unsigned>((stl::uint64_t{d} * (fraction >> 32) + low) >> 32);
}

/// The integer part of x if x ≥ 0; else any number below 2^32.
template <class T>
TESSERA_FN unsigned integer_part(T x) {
#if TESSERA_ARCH
  if constexpr (sizeof(T) == 4) {
    return __float2uint_rz(x);  // 0 of NaN and negative numbers
  } else {
    return __double2uint_rz(x);
  }
#else
  return x >= 0 && x < T{4294967296} ? static_cast<unsigned>(x) : 0;
#endif
}

/// The cell of a value that is inside the bounds; any number for one that isn't.
struct place {
  bool inside;
  unsigned cell;
};

/// Floats: floor((x − lower) · (count / (upper − lower))), each step rounded to the precision that is calculated in
/// (float for floats of 16 bits), and at most count − 1.
template <class T>
struct even_bins {
  using number = bound_t<T>;

  unsigned count;
  number lower, upper, scale;

  static even_bins over(stl::int64_t bins, number lower, number upper) {
    constexpr number most = (stl::numeric_limits<number>::max)();
    even_bins out{0, lower, upper, 0};
    if (bins < 1 || bins > stl::int64_t{most_bins} || !(lower < upper) || !(upper - lower <= most)) return out;
    out.scale = static_cast<number>(bins) / (upper - lower);
    if (out.scale <= most) out.count = static_cast<unsigned>(bins);
    return out;
  }

  TESSERA_FN unsigned cells() const { return count + 3; }
  TESSERA_FN detail::place place(T const& value) const {
    number const x = tessera::detail::convert<number>(value);
    unsigned const bin = detail::integer_part((x - lower) * scale), last = count - 1;
    return {x >= lower && x < upper, bin < last ? bin : last};
  }
  TESSERA_FN unsigned outside(T const& value) const {
    number const x = tessera::detail::convert<number>(value);
    return count + (x < lower ? 0u : x >= upper ? 1u : 2u);
  }
  TESSERA_FN unsigned of_cell(unsigned cell) const { return cell; }
};

/// Integers of up to 32 bits: floor((x − lower) · count / (upper − lower)), exactly.
///
/// With d = x − lower ≤ last, w = upper − lower ≤ 2^32, and count = whole · w + rest, that is d · whole + d · rest / w
/// without its fraction. `fraction` is larger than rest · 2^64 / w by 1 at most, so that d · fraction / 2^64 is too
/// large by no more than d / 2^64 < 1 / w, which takes no multiple of 1 / w across the next integer.
template <class T>
struct narrow_bins {
  unsigned count;
  stl::uint32_t first, last;
  stl::uint32_t whole;
  stl::uint64_t fraction;
  T lower;

  static narrow_bins over(stl::int64_t bins, stl::int64_t lower, stl::int64_t upper) {
    if (bins < 1 || bins > stl::int64_t{most_bins} || !detail::encloses<T>(lower, upper)) return {};
    auto const width = static_cast<stl::uint64_t>(upper - lower);
    auto const number = static_cast<stl::uint64_t>(bins);
    stl::uint64_t const rest = number % width;
    return {static_cast<unsigned>(bins),
            static_cast<stl::uint32_t>(lower),
            static_cast<stl::uint32_t>(width - 1),
            static_cast<stl::uint32_t>(number / width),
            rest == 0 ? 0 : detail::fraction_of(rest, width) + 1,
            static_cast<T>(lower)};
  }

  TESSERA_FN unsigned cells() const { return count + 2; }
  TESSERA_FN detail::place place(T x) const {
    stl::uint32_t const d = static_cast<stl::uint32_t>(x) - first;
    return {d <= last, d * whole + detail::scaled(d, fraction)};
  }
  TESSERA_FN unsigned outside(T x) const { return count + (x < lower ? 0u : 1u); }
  TESSERA_FN unsigned of_cell(unsigned cell) const { return cell; }
};

/// Bytes have a cell for each of their values: a bin is computed once for each cell, and not for each element.
template <class T>
struct byte_bins : narrow_bins<T> {
  static byte_bins over(stl::int64_t bins, stl::int64_t lower, stl::int64_t upper) {
    return {narrow_bins<T>::over(bins, lower, upper)};
  }

  TESSERA_FN unsigned cells() const { return 256; }
  TESSERA_FN detail::place place(T x) const { return {true, static_cast<stl::uint8_t>(x)}; }
  TESSERA_FN unsigned of_cell(unsigned cell) const {
    T const x = static_cast<T>(cell);
    detail::place const at = narrow_bins<T>::place(x);
    return at.inside ? at.cell : this->outside(x);
  }
};

/// Integers of 64 bits: the same number, exactly.
///
/// d and w are shifted to 32 bits by `shift` for an estimate: `fraction` = rest · 2^(64 + shift) / w, rounded down.
/// That makes d · rest / w too small by less than 2^-13, since w > 2^(31 + shift), or shift is 0. So the estimate is
/// exact, or too small by one: then d · rest − estimate · w, which is below 2 w, isn't below w.
template <class T>
struct wide_bins {
  unsigned count;
  stl::uint32_t whole, rest, shift;
  T lower;
  stl::uint64_t width, fraction;

  static wide_bins over(stl::int64_t bins, T lower, T upper) {
    if (bins < 1 || bins > stl::int64_t{most_bins} || !detail::encloses<T>(lower, upper)) return {};
    stl::uint64_t const width = static_cast<stl::uint64_t>(upper) - static_cast<stl::uint64_t>(lower);
    auto const number = static_cast<stl::uint64_t>(bins);
    stl::uint64_t const rest = number % width;
    stl::uint32_t shift = 0;
    while ((width - 1) >> shift > 0xffffffffu) ++shift;
    return {static_cast<unsigned>(bins),
            static_cast<stl::uint32_t>(number / width),
            static_cast<stl::uint32_t>(rest),
            shift,
            lower,
            width,
            detail::fraction_of(rest << shift, width)};
  }

  TESSERA_FN unsigned bin(stl::uint64_t d) const {
    unsigned const estimate = detail::scaled(static_cast<stl::uint32_t>(d >> shift), fraction);
    stl::uint64_t const left = d * rest - estimate * width;
    bool one_more = left >= width;
    if (width >> 63 != 0)
      one_more = !product(d, rest).is_below(product(width, estimate + 1));  // The difference has 65 bits.
    return static_cast<unsigned>(d) * whole + estimate + (one_more ? 1u : 0u);
  }
  TESSERA_FN unsigned cells() const { return count + 2; }
  TESSERA_FN detail::place place(T x) const {
    stl::uint64_t const d = static_cast<stl::uint64_t>(x) - static_cast<stl::uint64_t>(lower);
    return {d < width, bin(d)};
  }
  TESSERA_FN unsigned outside(T x) const { return count + (x < lower ? 0u : 1u); }
  TESSERA_FN unsigned of_cell(unsigned cell) const { return cell; }
};

template <class T>
using bins_of =
    stl::conditional_t<is_narrow_integer<T> && sizeof(T) == 1, byte_bins<T>,
                       stl::conditional_t<is_narrow_integer<T>, narrow_bins<T>,
                                          stl::conditional_t<is_wide_integer<T>, wide_bins<T>, even_bins<T>>>>;

}  // namespace grid::detail
TESSERA_NAMESPACE_END
