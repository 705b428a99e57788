// Keys of a radix sort of whole arrays: numbers as they lie in memory, the integers that digits are taken from, and
// which of these are equal.
//
//   floats, less    −inf  −1.5  −0  +0  2  +inf  NaN (of either sign)
//   in order        0     …     …   …   …  …     the greatest            every number has its own: all bits come back
//   equal           0     …     one key …  …     one key                 what digits are taken from: the sort is stable
#pragma once

#include <tessera/core/bits.hpp>
#include <tessera/core/canonical_key.hpp>
#include <tessera/core/comparators.hpp>
#include <tessera/core/sort_key.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

using tessera::detail::unsigned_of;

/// The coding of bits of numbers as keys of the same size in ascending order, and back, with the type and the order as
/// data: no branch depends on them. Bits are flipped, all but the sign once more where that is 0 then (floats), and
/// counted from where keys begin. So integers, of which nothing is flipped twice, take no other way.
template <class Bits>
struct key_coding {
  bool is_float;
  Bits flipped, flipped_again, begin, first_nan;

  template <class T, bool Falling>
  static constexpr key_coding of() {
    if constexpr (tessera::detail::is_any_float<T>) {
      using image = tessera::detail::float_image<T>;
      return {true, Falling ? Bits{0} : image::sign, static_cast<Bits>(~image::sign), image::begin, image::first_nan};
    } else {
      constexpr Bits lowest = tessera::detail::is_signed_integer<T> ? sign : Bits{0};
      return {false, Falling ? static_cast<Bits>(~lowest) : lowest, 0, 0, 0};
    }
  }

  TESSERA_FN Bits encode(Bits raw) const {
    return static_cast<Bits>(flip_below(static_cast<Bits>(raw ^ flipped)) - begin);
  }
  TESSERA_FN Bits decode(Bits key) const {
    return static_cast<Bits>(flip_below(static_cast<Bits>(key + begin)) ^ flipped);
  }
  /// The key that equal numbers share.
  TESSERA_FN Bits encode_equal(Bits raw) const {
    Bits const key = encode(raw), lower_zero = static_cast<Bits>(sign - 1 - begin), to_upper_zero = is_float ? 1 : 0,
               last = static_cast<Bits>(first_nan - 1);  // of integers all bits are set
    Bits const number = key == lower_zero ? static_cast<Bits>(key + to_upper_zero) : key;
    return number <= last ? number : static_cast<Bits>(~Bits{0});
  }

 private:
  static constexpr unsigned sign_bit = 8 * sizeof(Bits) - 1;
  static constexpr Bits sign = static_cast<Bits>(Bits{1} << sign_bit);

  /// The bits with those of `flipped_again` flipped if the sign is 0. The same once more gives the bits back.
  TESSERA_FN Bits flip_below(Bits b) const {
    auto const all_if_sign = static_cast<Bits>(static_cast<stl::make_signed_t<Bits>>(b) >> sign_bit);
    return static_cast<Bits>(b ^ (~all_if_sign & flipped_again));
  }
};

/// The form of a number in a radix sort, made when it is loaded: integers by flipping bits, or the integers in order of
/// a float of any type.
enum class key_form { flipped, in_order };

/// The coding of a radix sort in that form: it makes a key_of a number, takes digits of it, and makes bits_of it again.
/// `digits_of` is the same for equal numbers. Which numbers they are of so many bits, and whether they fall, is data,
/// as in key_coding: so integers share a kernel, and floats another. `greatest` are bits of a number whose digits are
/// the greatest.
template <class Bits, key_form Form>
struct digit_coding;

template <class Bits>
struct digit_coding<Bits, key_form::flipped> {
  Bits flipped;

  digit_coding() = default;
  explicit constexpr digit_coding(key_coding<Bits> const& coding) : flipped(coding.flipped) {}

  TESSERA_FN constexpr Bits key_of(Bits raw) const { return static_cast<Bits>(raw ^ flipped); }
  TESSERA_FN constexpr Bits bits_of(Bits key) const { return static_cast<Bits>(key ^ flipped); }
  TESSERA_FN constexpr Bits digits_of(Bits key) const { return key; }
  TESSERA_FN constexpr Bits greatest() const { return static_cast<Bits>(~flipped); }
};

/// The bits that float_image's keys begin from. Of 16 bits there are two kinds of floats, and it is data.
template <class Bits>
struct float_begin {
  static constexpr Bits begin =
      tessera::detail::float_image<stl::conditional_t<sizeof(Bits) == 8, double, float>>::begin;

  float_begin() = default;
  explicit constexpr float_begin(key_coding<Bits> const&) {}
};
template <>
struct float_begin<std::uint16_t> {
  std::uint16_t begin;

  float_begin() = default;
  explicit constexpr float_begin(key_coding<std::uint16_t> const& coding) : begin(coding.begin) {}
};

/// As float_image, with the signs of falling floats `flipped` before and after.
template <class Bits>
struct digit_coding<Bits, key_form::in_order> {
  Bits flipped;
  float_begin<Bits> keys;

  digit_coding() = default;
  explicit constexpr digit_coding(key_coding<Bits> const& coding)
      : flipped(static_cast<Bits>(coding.flipped ^ sign)), keys(coding) {}

  TESSERA_FN constexpr Bits key_of(Bits raw) const {
    Bits const b = static_cast<Bits>(raw ^ flipped);
    return static_cast<Bits>(((b & sign) != 0 ? static_cast<Bits>(~b) : static_cast<Bits>(b | sign)) - keys.begin);
  }
  TESSERA_FN constexpr Bits bits_of(Bits key) const {
    Bits const rotated = static_cast<Bits>(key + keys.begin);
    Bits const b = (rotated & sign) != 0 ? static_cast<Bits>(rotated ^ sign) : static_cast<Bits>(~rotated);
    return static_cast<Bits>(b ^ flipped);
  }
  TESSERA_FN constexpr Bits digits_of(Bits key) const {
    Bits const lower_zero = static_cast<Bits>(sign - 1 - keys.begin);
    Bits const number = key == lower_zero ? static_cast<Bits>(lower_zero + 1) : key;
    Bits const first_nan = static_cast<Bits>(0 - 2 * keys.begin);  // the key after infinity's
    return number < first_nan ? number : static_cast<Bits>(~Bits{0});
  }
  TESSERA_FN static constexpr Bits greatest() { return static_cast<Bits>(~sign); }  // a NaN

 private:
  static constexpr Bits sign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
