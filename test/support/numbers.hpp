// Numbers of all types for tests of whole arrays: conversions, random ones, distances.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <type_traits>
#include <vector>

namespace test {

template <class T>
inline constexpr bool is_half_float = std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>;
template <class T>
inline constexpr bool is_any_float = std::is_floating_point_v<T> || is_half_float<T>;

template <class T>
double as_double(T x) {
  if constexpr (std::is_same_v<T, __half>) {
    return __half2float(x);
  } else if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    return __bfloat162float(x);
  } else {
    return static_cast<double>(x);
  }
}
/// Rounded to nearest, once.
template <class T>
T rounded(double x) {
  if constexpr (std::is_same_v<T, __half>) {
    return __double2half(x);
  } else if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    return __double2bfloat16(x);
  } else {
    return static_cast<T>(x);
  }
}

/// What a number is rounded by at most, relative to it, in what T is computed in.
template <class T>
inline constexpr double unit = std::is_same_v<T, double> ? 0x1p-53 : 0x1p-24;

/// Whether to try a type on arrays of more than three million elements, of which the host takes long to say what to expect: the
/// code has no branch there that depends on the type.
template <class T>
inline constexpr bool has_long_arrays = std::is_same_v<T, float> || std::is_same_v<T, std::uint64_t>;
template <class T>
std::vector<std::int64_t> sizes_of(std::vector<std::int64_t> const& all) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t n : all)
    if (has_long_arrays<T> || n <= 3'000'000) sizes.push_back(n);
  return sizes;
}

/// Whether numbers are the same: any NaN as any other, −0 and +0 as two.
template <class T>
bool same_number(T a, T b) {
  if constexpr (is_any_float<T>) {
    double const x = as_double(a), y = as_double(b);
    return std::isnan(x) ? std::isnan(y) : x == y && std::signbit(x) == std::signbit(y);
  } else {
    return a == b;
  }
}

/// The least denormal of a float: the one whose bits are 1.
template <class T>
T smallest() {
  unsigned char const bytes[sizeof(T)] = {1};
  T x;
  std::memcpy(&x, bytes, sizeof(T));
  return x;
}

/// How many 16-bit floats lie between two: 0 of the same, −0 next to +0.
template <class T>
int steps_between(T a, T b) {
  auto const place = [](T x) {
    std::uint16_t bits;
    std::memcpy(&bits, &x, 2);
    return bits & 0x8000 ? -static_cast<int>(bits & 0x7fff) - 1 : static_cast<int>(bits);
  };
  return std::abs(place(a) - place(b));
}

template <class T>
std::vector<T> random_numbers(std::int64_t n, double low, double high, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<T> x(static_cast<std::size_t>(n));
  if constexpr (is_any_float<T>) {
    std::uniform_real_distribution<double> numbers(low, high);
    for (T& value : x) value = rounded<T>(numbers(random));
  } else {
    for (T& value : x) value = static_cast<T>(random());
  }
  return x;
}

template <class T>
bool all_same_bits(std::vector<T> const& a, std::vector<T> const& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// The index of the first value whose bits differ, or −1.
template <class T>
std::int64_t first_difference(std::vector<T> const& a, std::vector<T> const& b) {
  if (a.size() != b.size()) return 0;
  if (all_same_bits(a, b)) return -1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::memcmp(&a[i], &b[i], sizeof(T)) != 0) return static_cast<std::int64_t>(i);
  }
  return -1;
}

}  // namespace test
