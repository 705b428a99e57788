// The elements of a row: the type that they are computed in, and how they are converted to it and rounded back.
//
//   T              computed in   element_format<T> says
//   __half         float         nothing
//   __nv_bfloat16  float         nothing
//   any_half       float         which of the two it is, when the kernel runs
//   others         T             nothing
//
// The library's kernels of 16-bit floats are for any_half: one serves both formats. All threads take the same branch
// for each vector, so that it costs an instruction or two, where a selection would cost two for each element.
#pragma once

#include <tessera/core/bits.hpp>
#include <tessera/core/items.hpp>
#include <tessera/core/number.hpp>
#include <tessera/grid/parts/vectors.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// A 16-bit float whose format is known when the kernel runs.
struct any_half {
  std::uint16_t bits;
};

/// The format of T's elements, by which they are converted when the kernel runs.
template <class T>
struct element_format {
  using type = T;
};
template <>
struct element_format<any_half> {
  bool is_bfloat16 = false;
};

/// True for all three types of 16-bit floats.
template <class T>
inline constexpr bool has_16_bits = tessera::detail::is_half<T> || stl::is_same_v<T, any_half>;

/// The type that elements are computed in: float for the 16-bit floats.
template <class T>
using arithmetic_t = stl::conditional_t<has_16_bits<T>, float, T>;

/// The elements of a vector in the type that they are computed in.
template <class T>
using numbers_t = items<arithmetic_t<T>, row_vector_length<T>>;

/// f(format of the type that any_half stands for). Half and Bfloat16 are parameters, since their headers may be
/// missing where this is only declared.
template <class F, class Half = __half, class Bfloat16 = __nv_bfloat16>
TESSERA_FN auto with_half_type(element_format<any_half> format, F f) {
  if (format.is_bfloat16) return f(element_format<Bfloat16>{});
  return f(element_format<Half>{});
}

/// Converts an element to the type that it is computed in.
template <class T>
TESSERA_FN arithmetic_t<T> to_number(T const& x, [[maybe_unused]] element_format<T> format) {
  if constexpr (stl::is_same_v<T, any_half>) {
    return detail::with_half_type(format, [&](auto known) {
      return tessera::detail::convert<float>(tessera::detail::from_bits<typename decltype(known)::type>(x));
    });
  } else {
    return tessera::detail::convert<arithmetic_t<T>>(x);
  }
}
/// Rounds a number to an element.
template <class T>
TESSERA_FN T from_number(arithmetic_t<T> const& x, [[maybe_unused]] element_format<T> format) {
  if constexpr (stl::is_same_v<T, any_half>) {
    return detail::with_half_type(format, [&](auto known) {
      return tessera::detail::from_bits<T>(tessera::detail::convert<typename decltype(known)::type>(x));
    });
  } else {
    return tessera::detail::convert<T>(x);
  }
}

/// Rounds two floats to 16 bits each, to nearest, ties to even. The first goes to the lower half.
template <class T>
TESSERA_FN std::uint32_t rounded_pair(float low, float high) {
  std::uint32_t both = 0;
#if TESSERA_ARCH >= 800
  if constexpr (stl::is_same_v<T, __half>) {
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  } else {
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  }
#else
  T const pair[2] = {tessera::detail::convert<T>(low), tessera::detail::convert<T>(high)};
  tessera::detail::copy_bytes(TESSERA_ADDRESS_OF(both), pair, 4);
#endif
  return both;
}

/// Converts a vector of numbers to the elements' type.
template <class T>
TESSERA_FN packed<T> pack(numbers_t<T> const& x, [[maybe_unused]] element_format<T> format = {}) {
  if constexpr (stl::is_same_v<T, any_half>) {
    return detail::with_half_type(format, [&](auto known) {
      return tessera::detail::from_bits<packed<T>>(detail::pack<typename decltype(known)::type>(x));
    });
  } else if constexpr (tessera::detail::is_half<T>) {
    packed<T> out;
    TESSERA_UNROLL
    for (unsigned w = 0; w < 4; ++w) out.word[w] = detail::rounded_pair<T>(x[2 * w], x[2 * w + 1]);
    return out;
  } else {
    return tessera::detail::to_words(x);
  }
}
template <class T>
TESSERA_FN numbers_t<T> unpack(packed<T> const& x, [[maybe_unused]] element_format<T> format = {}) {
  if constexpr (stl::is_same_v<T, any_half>) {
    return detail::with_half_type(format, [&](auto known) {
      using half = typename decltype(known)::type;
      return detail::unpack<half>(tessera::detail::from_bits<packed<half>>(x));
    });
  } else if constexpr (stl::is_same_v<T, __nv_bfloat16>) {  // A bfloat16 is the upper half of a float.
    numbers_t<T> out{};
    TESSERA_UNROLL
    for (unsigned w = 0; w < 4; ++w) {
      out[2 * w] = tessera::detail::from_bits<float>(x.word[w] << 16);
      out[2 * w + 1] = tessera::detail::from_bits<float>(x.word[w] & 0xffff0000u);
    }
    return out;
  } else if constexpr (tessera::detail::is_half<T>) {
    auto const elements = tessera::detail::from_words<row_vector<T>>(x);
    numbers_t<T> out{};
    TESSERA_UNROLL
    for (unsigned j = 0; j < row_vector_length<T>; ++j) out[j] = tessera::detail::convert<float>(elements[j]);
    return out;
  } else {
    return tessera::detail::from_words<row_vector<T>>(x);
  }
}

/// True where the greater ones of two words of 16-bit floats are one instruction.
template <class T>
inline constexpr bool has_packed_maximum = TESSERA_ARCH >= 800 && has_16_bits<T>;

/// The greater float of each half of two words; NaN if one of them is.
template <class T>
TESSERA_FN std::uint32_t packed_maximum(std::uint32_t a, [[maybe_unused]] std::uint32_t b) {
#if TESSERA_ARCH >= 800
  if constexpr (stl::is_same_v<T, __nv_bfloat16>) {
    asm("max.NaN.bf16x2 %0, %1, %2;" : "=r"(a) : "r"(a), "r"(b));
  } else {
    asm("max.NaN.f16x2 %0, %1, %2;" : "=r"(a) : "r"(a), "r"(b));
  }
#endif
  return a;
}
/// The word of two floats −∞.
template <class T>
inline constexpr std::uint32_t packed_lowest = stl::is_same_v<T, __nv_bfloat16> ? 0xff80ff80u : 0xfc00fc00u;

}  // namespace grid::detail
TESSERA_NAMESPACE_END
