// What a selection has to give, by std::stable_sort; and arrays that are hard for it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#if __has_include(<cuda_fp16.h>) && __has_include(<cuda_bf16.h>)
#include "numbers.hpp"
#define TEST_HAS_HALVES 1
#else  // host tiles need no CUDA
#define TEST_HAS_HALVES 0
#endif

namespace test {

#if !TEST_HAS_HALVES
template <class T>
double as_double(T x) {
  return static_cast<double>(x);
}
template <class T>
T rounded(double x) {
  return static_cast<T>(x);
}
#endif

/// Indices in the order of a stable sort: NaNs last, −0 equal to 0. Comparisons are those of the language.
template <class T>
std::vector<std::int64_t> sorted_indices(std::vector<T> const& in, bool falling) {
  using number = std::conditional_t<std::is_integral_v<T>, T, double>;
  struct element {  // each value is converted once, and near its index
    number value;
    std::int64_t index;
  };
  std::vector<element> elements(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    elements[i].index = static_cast<std::int64_t>(i);
    if constexpr (std::is_integral_v<T>) {
      elements[i].value = in[i];
    } else {
      elements[i].value = as_double(in[i]);
    }
  }
  std::stable_sort(elements.begin(), elements.end(), [&](element const& i, element const& j) {
    auto const a = i.value, b = j.value;
    if constexpr (!std::is_integral_v<T>) {
      if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
    }
    return falling ? a > b : a < b;
  });
  std::vector<std::int64_t> order(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) order[i] = elements[i].index;
  return order;
}

/// Arrays that make a selection's samples mislead it, its elements tie, or its keys wrap.
enum class values {
  uniform,
  narrow,  // many bits in common
  few,     // distinct values
  constant,
  rising,
  falling,
  specials,  // NaNs of both signs, infinities, zeros, denormals, extremes
  nans,
  any_bits,
};
inline constexpr values all_values[] = {values::uniform,  values::narrow, values::few,
                                        values::constant, values::rising, values::falling,
                                        values::specials, values::nans,   values::any_bits};

inline std::string name_of(values how) {
  constexpr char const* names[] = {"uniform", "narrow",   "few",  "constant", "rising",
                                   "falling", "specials", "NaNs", "any bits"};
  return names[static_cast<int>(how)];
}

template <class T>
T from_random_bits(std::uint64_t bits) {
  T x;
  std::memcpy(static_cast<void*>(&x), &bits, sizeof(T));
  return x;
}

template <class T>
T number_from(double x) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::int64_t>(x));
  } else {
    return rounded<T>(x);
  }
}

template <class T>
T special(std::uint64_t which) {
  if constexpr (std::is_integral_v<T>) {
    T const some[] = {std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), T(0), T(1), T(-1)};
    return some[which % 5];
  } else {
    double const inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    double const some[] = {0.0, -0.0, inf, -inf, nan, -nan, 1.0, -1.0, 5e-324, 1e-45, -1e-45, 6e-8, 65504.0, 1.7e308};
    return rounded<T>(some[which % 14]);
  }
}

template <class T>
std::vector<T> draw_values(values how, std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> even(0, 1);
  std::vector<T> out;
  out.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    double const place = static_cast<double>(i) / static_cast<double>(n), u = even(random);
    switch (how) {
      case values::uniform:
        out.push_back(number_from<T>((u - 0.5) * 2000));
        break;
      case values::narrow:
        out.push_back(number_from<T>(100000 + 100 * u));
        break;
      case values::few:
        out.push_back(number_from<T>(static_cast<double>(random() % 5)));
        break;
      case values::constant:
        out.push_back(number_from<T>(7));
        break;
      case values::rising:
        out.push_back(number_from<T>(place * 30000 - 9000));
        break;
      case values::falling:
        out.push_back(number_from<T>(9000 - place * 30000));
        break;
      case values::specials:
        out.push_back(special<T>(random()));
        break;
      case values::nans:
        out.push_back(special<T>(4 + random() % 2));
        break;
      case values::any_bits:
        out.push_back(from_random_bits<T>(random()));
        break;
    }
  }
  return out;
}

}  // namespace test
