// What top_k_rows gives, by a stable sort of each row; and rows to select from.
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

#include "numbers.hpp"

namespace test {

/// A case of top_k_rows. `data` is a matrix of `rows` rows, `stride` elements apart.
struct top_k_rows_case {
  std::int64_t rows, columns, k;
  std::int64_t gap = 0;    // between rows
  std::size_t offset = 0;  // of the first row from a multiple of 256 bytes, in elements
  bool falling = true, higher_column = false;
  int kind = 0;          // of numbers: see top_k_numbers
  bool per_row = false;  // k, begin and length are drawn for each row
  std::int64_t value_gap = 0, index_gap = 0;
  bool only_last = false, median = false;        // kth_value_rows, of rank k − 1, and median_rows
  bool in_any_order = false, by_column = false;  // what the options ask for; whether the results come by column

  std::int64_t stride() const { return columns + gap; }
  std::int64_t results() const { return only_last || median ? 1 : k; }
  std::string text() const {
    return std::to_string(rows) + " rows of " + std::to_string(columns) + " + " + std::to_string(gap) + " from " +
           std::to_string(offset) + ", k " + std::to_string(k) + (falling ? ", greater" : ", less") +
           (higher_column ? ", higher" : "") + ", kind " + std::to_string(kind) + (per_row ? ", per row" : "") +
           (only_last ? ", the last"
            : median  ? ", median"
                      : "") +
           (by_column ? ", by column" : "");
  }
};

/// A number of T with the bits of x, or the nearest to x if T is a float.
template <class T>
T top_k_number(double x) {
  if constexpr (is_any_float<T>) {
    return rounded<T>(x);
  } else if constexpr (std::is_same_v<T, bool>) {
    return x > 0;
  } else {
    return static_cast<T>(static_cast<std::int64_t>(x * 1000));
  }
}

/// Numbers of a kind:  0 normal   1 few different ones, with −0, infinities and NaNs of all kinds   2 all equal
///                     3 rising   4 random bits   5 equal but for the lowest bits    6 falling
///                     7 some pairs differ in the lowest bits alone   8 normal, in steps of a 16th
template <class T>
std::vector<T> top_k_numbers(std::int64_t n, int kind, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<T> out(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < out.size(); ++i) {
    double x = normal(random);
    if (kind == 2) x = 1;
    if (kind == 8) x = std::round(x * 16) / 16;
    if (kind == 3) x = static_cast<double>(i % 100000) / 64;
    if (kind == 6) x = -static_cast<double>(i % 100000) / 64;
    if (kind == 1) {
      constexpr double inf = std::numeric_limits<double>::infinity();
      double const some[] = {0.0, -0.0, 1, 2, -3, inf, -inf, std::numeric_limits<double>::quiet_NaN()};
      x = some[random() % (is_any_float<T> ? 8 : 5)];
    }
    out[i] = top_k_number<T>(x);
    if constexpr (!std::is_same_v<T, bool>) {
      auto const bits = random();
      if (kind == 4) std::memcpy(static_cast<void*>(&out[i]), &bits, sizeof(T));
      if (kind == 5) {
        unsigned char bytes[sizeof(T)];
        std::memcpy(bytes, &out[i], sizeof(T));
        T const one = top_k_number<T>(1.5);
        std::memcpy(bytes, &one, sizeof(T));
        bytes[0] = static_cast<unsigned char>(bits);
        std::memcpy(static_cast<void*>(&out[i]), bytes, sizeof(T));
      }
      if constexpr (sizeof(T) >= 4) {
        if (kind == 7) {
          unsigned char bytes[sizeof(T)];
          std::memcpy(bytes, &out[i], sizeof(T));
          if (!is_any_float<T>) std::memcpy(bytes, &bits, sizeof(T));
          for (std::size_t b = 0; b + 2 < sizeof(T); ++b) bytes[b] = 0;
          if (sizeof(T) == 8) bytes[sizeof(T) - 3] = static_cast<unsigned char>(bits >> 8 & 0xf0);
          bytes[0] = static_cast<unsigned char>(bits);
          std::memcpy(&out[i], bytes, sizeof(T));
        }
      }
      if constexpr (is_any_float<T>) {
        if (kind == 1 && as_double(out[i]) != as_double(out[i]) && bits % 2 == 0) {  // a NaN with a sign
          unsigned char bytes[sizeof(T)];
          std::memcpy(bytes, &out[i], sizeof(T));
          bytes[sizeof(T) - 1] = static_cast<unsigned char>(bytes[sizeof(T) - 1] ^ 0x80);
          std::memcpy(static_cast<void*>(&out[i]), bytes, sizeof(T));
        }
      }
    }
  }
  return out;
}

/// True if a comes before b: NaNs last, −0 equal to 0.
template <class T>
bool top_k_before(T a, T b, bool falling) {
  if constexpr (is_any_float<T>) {
    double const x = as_double(a), y = as_double(b);
    if (x != x || y != y) return x == x && y != y;
    return falling ? y < x : x < y;
  } else {
    return falling ? b < a : a < b;
  }
}

template <class T>
struct top_k_rows_result {
  std::vector<T> values;              // row after row, with the gaps of the case
  std::vector<std::int64_t> indices;  // likewise
};

/// The value that follows the results of a row with fewer than k elements.
template <class T>
T top_k_missing(bool falling) {
  if constexpr (is_any_float<T>) {
    double const inf = std::numeric_limits<double>::infinity();
    return rounded<T>(falling ? -inf : inf);
  } else {
    return falling ? std::numeric_limits<T>::lowest() : (std::numeric_limits<T>::max)();
  }
}

/// The results in an order; what isn't written is `nothing` and −7. `missing` follows the results of a short row.
template <class T, class Before>
top_k_rows_result<T> first_of_rows(T const* x, top_k_rows_case const& c, std::int32_t const* k_of_row,
                                   std::int32_t const* begins, std::int32_t const* lengths, T const& nothing,
                                   T const& missing, Before const& before) {
  top_k_rows_result<T> out;
  std::int64_t const results = c.results(), apart = results + c.value_gap, indices_apart = results + c.index_gap;
  out.values.assign(static_cast<std::size_t>(c.rows * apart), nothing);
  out.indices.assign(static_cast<std::size_t>(c.rows * indices_apart), -7);
  for (std::int64_t r = 0; r < c.rows; ++r) {
    auto const within = [](std::int64_t a, std::int64_t most) { return a < 0 ? 0 : a < most ? a : most; };
    std::int64_t const begin = begins ? within(begins[r], c.columns) : 0;
    std::int64_t const length = lengths ? within(lengths[r], c.columns - begin) : c.columns - begin;
    std::int64_t k = k_of_row ? within(k_of_row[r], c.k) : c.k, from = 0;
    if (c.median) k = (length + 1) / 2;
    if (c.only_last || c.median) {
      if (k > length) k = 0;
      from = k > 0 ? k - 1 : 0;
    }
    k = within(k, length);
    std::vector<std::int64_t> columns;
    for (std::int64_t i = 0; i < length; ++i) columns.push_back(begin + i);
    if (c.higher_column) std::reverse(columns.begin(), columns.end());
    T const* const row = x + r * c.stride();
    std::stable_sort(columns.begin(), columns.end(),
                     [&](std::int64_t a, std::int64_t b) { return before(row[a], row[b]); });
    if (c.by_column) std::sort(columns.begin(), columns.begin() + k);
    for (std::int64_t i = 0; i < results; ++i) {
      auto const at = static_cast<std::size_t>(from + i);
      out.values[static_cast<std::size_t>(r * apart + i)] = from + i < k ? row[columns[at]] : missing;
      out.indices[static_cast<std::size_t>(r * indices_apart + i)] = from + i < k ? columns[at] : -1;
    }
  }
  return out;
}

/// The results of numbers.
template <class T>
top_k_rows_result<T> expected_top_k_rows(T const* x, top_k_rows_case const& c, std::int32_t const* k_of_row,
                                         std::int32_t const* begins, std::int32_t const* lengths, T nothing) {
  return first_of_rows(x, c, k_of_row, begins, lengths, nothing, top_k_missing<T>(c.falling),
                       [&](T a, T b) { return top_k_before(a, b, c.falling); });
}

/// A number for each row, from −2 to `most` + 2.
inline std::vector<std::int32_t> drawn_for_rows(std::int64_t rows, std::int64_t most, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<std::int32_t> out(static_cast<std::size_t>(rows));
  for (auto& x : out) x = static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(most + 5)) - 2;
  return out;
}

}  // namespace test
