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

#include <tessera/core/bits.hpp>
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

/// The sign's bit of signed integers, which are ordered as unsigned ones with it flipped; 0 of others.
template <class T, class Bits = typename tessera::detail::unsigned_of<sizeof(T)>::type>
inline constexpr Bits sign_bit = tessera::detail::is_integer<T>&& tessera::detail::is_signed_integer<T>
                                     ? static_cast<Bits>(Bits{1} << (8 * sizeof(T) - 1))
                                     : Bits{0};

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

/// The least value above x, or x if there is none.
template <class Key>
TESSERA_FN Key next_key(Key x) {
  if constexpr (stl::is_same_v<Key, float> || stl::is_same_v<Key, double>) {
    using bits = typename tessera::detail::unsigned_of<sizeof(Key)>::type;
    if (!(x < tessera::detail::number<Key>(tessera::detail::infinity))) return x;
    bits const b = tessera::detail::from_bits<bits>(x);
    bits const sign = static_cast<bits>(bits{1} << (8 * sizeof(Key) - 1));
    bits const next = (b & ~sign) == 0 ? bits{1} : (b & sign) != 0 ? b - 1 : b + 1;
    return tessera::detail::from_bits<Key>(next);
  } else {
    return x == static_cast<Key>(~Key{0}) ? x : x + 1;
  }
}

/// Floats: floor((x − lower) · (count / (upper − lower))), each step rounded to the precision that is calculated in
/// (float for floats of 16 bits), and at most count − 1.
template <class T>
struct even_bins {
  using number = bound_t<T>;

  unsigned count;
  number lower, upper, scale;

  template <class As = T>
  static even_bins over(stl::int64_t bins, number lower, number upper, bool closed = false) {
    constexpr number most = (stl::numeric_limits<number>::max)();
    even_bins out{0, lower, closed ? detail::next_key(upper) : upper, 0};
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

/// Integers of up to 32 bits: floor((x − lower) · count / (upper − lower)), exactly. For x = upper that is `count`, a
/// cell of its own, which is added to the last bin if that is closed.
///
/// With d = x − lower ≤ last, w = upper − lower ≤ 2^32, and count = whole · w + rest, that is d · whole + d · rest / w
/// without its fraction. `fraction` is larger than rest · 2^64 / w by 1 at most, so that d · fraction / 2^64 is too
/// large by no more than d / 2^64 < 1 / w, which takes no multiple of 1 / w across the next integer.
template <class T>
struct narrow_bins {
  using bits = typename tessera::detail::unsigned_of<sizeof(T)>::type;

  unsigned count;
  unsigned below;  // its cell: after that of upper, if it is in the last bin
  stl::uint32_t last, whole;
  stl::uint64_t fraction;
  stl::uint32_t flip;   // Elements are ordered as unsigned integers with these bits flipped,
  stl::uint32_t lower;  // and so is this.

  /// As  the type of the elements, which has the size of T: signed and unsigned ones share a kernel.
  template <class As = T>
  static narrow_bins over(stl::int64_t bins, stl::int64_t lower, stl::int64_t upper, bool closed = false) {
    if (bins < 1 || bins > stl::int64_t{most_bins} || !detail::encloses<As>(lower, upper)) return {};
    auto const width = static_cast<stl::uint64_t>(upper - lower);
    auto const number = static_cast<stl::uint64_t>(bins);
    stl::uint64_t const rest = number % width;
    unsigned const ends = closed && width <= 0xffffffffu ? 1 : 0;
    return {static_cast<unsigned>(bins),
            static_cast<unsigned>(bins) + ends,
            static_cast<stl::uint32_t>(width - 1 + ends),
            static_cast<stl::uint32_t>(number / width),
            rest == 0 ? 0 : detail::fraction_of(rest, width) + 1,
            detail::sign_bit<As>,
            stl::uint32_t{static_cast<bits>(lower)} ^ detail::sign_bit<As>};
  }

  TESSERA_FN unsigned cells() const { return below + 2; }
  TESSERA_FN detail::place place(T x) const {
    stl::uint32_t const d = ordered(x) - lower;
    return {d <= last, d * whole + detail::scaled(d, fraction)};
  }
  TESSERA_FN unsigned outside(T x) const { return below + (ordered(x) < lower ? 0u : 1u); }
  TESSERA_FN unsigned of_cell(unsigned cell) const { return cell < count ? cell : cell - (below - count); }

 private:
  TESSERA_FN stl::uint32_t ordered(T x) const { return stl::uint32_t{static_cast<bits>(x)} ^ flip; }
};

/// Bytes have a cell for each of their values: a bin is computed once for each cell, and not for each element.
template <class T>
struct byte_bins : narrow_bins<T> {
  template <class As = T>
  static byte_bins over(stl::int64_t bins, stl::int64_t lower, stl::int64_t upper, bool closed = false) {
    return {narrow_bins<T>::template over<As>(bins, lower, upper, closed)};
  }

  TESSERA_FN unsigned cells() const { return 256; }
  TESSERA_FN detail::place place(T x) const { return {true, static_cast<stl::uint8_t>(x)}; }
  TESSERA_FN unsigned of_cell(unsigned cell) const {
    T const x = static_cast<T>(cell);
    detail::place const at = narrow_bins<T>::place(x);
    return narrow_bins<T>::of_cell(at.inside ? at.cell : this->outside(x));
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
  unsigned below;  // as in narrow_bins
  stl::uint32_t whole, rest, shift;
  stl::uint64_t flip, lower, width, last, fraction;

  template <class As = T>
  static wide_bins over(stl::int64_t bins, As lower, As upper, bool closed = false) {
    if (bins < 1 || bins > stl::int64_t{most_bins} || !detail::encloses<As>(lower, upper)) return {};
    stl::uint64_t const width = static_cast<stl::uint64_t>(upper) - static_cast<stl::uint64_t>(lower);
    auto const number = static_cast<stl::uint64_t>(bins);
    stl::uint64_t const rest = number % width;
    stl::uint32_t shift = 0;
    while ((width - 1) >> shift > 0xffffffffu) ++shift;
    unsigned const ends = closed ? 1 : 0;
    return {static_cast<unsigned>(bins),
            static_cast<unsigned>(bins) + ends,
            static_cast<stl::uint32_t>(number / width),
            static_cast<stl::uint32_t>(rest),
            shift,
            detail::sign_bit<As>,
            static_cast<stl::uint64_t>(lower),
            width,
            width - 1 + ends,
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
  TESSERA_FN unsigned cells() const { return below + 2; }
  TESSERA_FN detail::place place(T x) const {
    stl::uint64_t const d = static_cast<stl::uint64_t>(x) - lower;
    return {d <= last, d < width ? bin(d) : count};
  }
  TESSERA_FN unsigned outside(T x) const {
    return below + ((static_cast<stl::uint64_t>(x) ^ flip) < (lower ^ flip) ? 0u : 1u);
  }
  TESSERA_FN unsigned of_cell(unsigned cell) const { return cell < count ? cell : cell - (below - count); }
};

/// Bins of which every block has shared memory for all cells.
template <class Bins>
inline constexpr bool are_few_cells = false;
template <class T>
inline constexpr bool are_few_cells<byte_bins<T>> = true;

template <class T>
using bins_of =
    stl::conditional_t<is_narrow_integer<T> && sizeof(T) == 1, byte_bins<T>,
                       stl::conditional_t<is_narrow_integer<T>, narrow_bins<T>,
                                          stl::conditional_t<is_wide_integer<T>, wide_bins<T>, even_bins<T>>>>;

}  // namespace grid::detail
TESSERA_NAMESPACE_END
