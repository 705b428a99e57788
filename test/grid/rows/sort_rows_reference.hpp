// What sort_rows owes: each row has the elements of the matrix's, bit by bit, in order. What sort_rows_by_key owes: the
// rows of a stable sort of keys and values, bit by bit.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "top_k_rows_reference.hpp"

namespace test {

template <class T>
std::uint64_t bits_of_number(T const& x) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof(T));
  return bits;
}

/// Expects that `out` has the sorted rows of `in`, and `nothing` between them.
template <class T>
void expect_sorted_rows(T const* in, T const* out, std::int64_t rows, std::int64_t columns, std::int64_t in_stride,
                        std::int64_t out_stride, bool falling, T nothing, std::string const& what) {
  for (std::int64_t r = 0; r < rows; ++r) {
    std::vector<std::uint64_t> before, after;
    for (std::int64_t c = 0; c < columns; ++c) {
      before.push_back(bits_of_number(in[r * in_stride + c]));
      after.push_back(bits_of_number(out[r * out_stride + c]));
      if (c > 0) {
        ASSERT_FALSE(top_k_before(out[r * out_stride + c], out[r * out_stride + c - 1], falling))
            << what << ", row " << r << ", column " << c;
      }
    }
    std::sort(before.begin(), before.end());
    std::sort(after.begin(), after.end());
    ASSERT_EQ(before, after) << what << ", row " << r;
    for (std::int64_t c = columns; c < out_stride && r + 1 < rows; ++c)
      ASSERT_EQ(bits_of_number(out[r * out_stride + c]), bits_of_number(nothing)) << what << ", after row " << r;
  }
}

/// Matrices of sort_rows_by_key: keys and values, and those that they go to, or the same. Gaps hold `nothing`.
template <class Key, class Value>
struct sort_pairs_case {
  std::int64_t rows, columns, key_gap = 0, value_gap = 0, key_out_gap = 0, value_out_gap = 0;
  bool falling = false;
  int kind = 0;  // of keys: see top_k_numbers
  unsigned seed = 1;

  std::string text() const {
    return std::to_string(rows) + " rows of " + std::to_string(columns) + " + " + std::to_string(key_gap) + ", " +
           std::to_string(value_gap) + ", kind " + std::to_string(kind) + (falling ? ", greater" : ", less");
  }
  /// A matrix with a gap, of which x are the elements.
  template <class T>
  std::vector<T> with_gaps(std::vector<T> const& x, std::int64_t gap, T nothing) const {
    std::vector<T> out(static_cast<std::size_t>(rows * (columns + gap)), nothing);
    for (std::int64_t r = 0; r < rows; ++r)
      std::copy_n(x.begin() + r * columns, columns, out.begin() + r * (columns + gap));
    return out;
  }
  std::vector<Key> keys() const { return top_k_numbers<Key>(rows * columns, kind, seed); }
  /// Each element's value tells its column, as far as it has bits for it.
  std::vector<Value> values() const {
    std::vector<Value> out(static_cast<std::size_t>(rows * columns));
    for (std::size_t i = 0; i < out.size(); ++i) {
      unsigned char bytes[sizeof(Value)];
      for (std::size_t b = 0; b < sizeof(Value); ++b)
        bytes[b] = static_cast<unsigned char>(b < 4 ? i * 0x01000193u >> (8 * b) : i * 31 + b);
      std::memcpy(static_cast<void*>(&out[i]), bytes, sizeof(Value));
    }
    return out;
  }
  static Key no_key() { return top_k_number<Key>(77); }
  static Value no_value() {
    Value out;
    std::memset(static_cast<void*>(&out), 0x5a, sizeof(Value));
    return out;
  }
  /// Expects the rows of a stable sort of x and v, and nothing in gaps.
  void expect(std::vector<Key> const& x, std::vector<Value> const& v, std::vector<Key> const& keys_out,
              std::int64_t key_stride, std::vector<Value> const& values_out, std::int64_t value_stride) const {
    auto sorted_keys = x;
    auto sorted_values = v;
    for (std::int64_t r = 0; r < rows; ++r) {
      std::vector<std::int64_t> order(static_cast<std::size_t>(columns));
      for (std::int64_t c = 0; c < columns; ++c) order[static_cast<std::size_t>(c)] = r * columns + c;
      std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
        return top_k_before<Key>(x[static_cast<std::size_t>(a)], x[static_cast<std::size_t>(b)], falling);
      });
      for (std::int64_t c = 0; c < columns; ++c) {
        auto const at = static_cast<std::size_t>(r * columns + c),
                   from = static_cast<std::size_t>(order[static_cast<std::size_t>(c)]);
        sorted_keys[at] = x[from];
        sorted_values[at] = v[from];
      }
    }
    ASSERT_EQ(first_other(with_gaps(sorted_keys, key_stride - columns, no_key()), keys_out), -1) << "keys, " << text();
    ASSERT_EQ(first_other(with_gaps(sorted_values, value_stride - columns, no_value()), values_out), -1)
        << "values, " << text();
  }

 private:
  /// The first index at which a and b have other bits; −1: none.
  template <class T>
  static std::int64_t first_other(std::vector<T> const& a, std::vector<T> const& b) {
    if (a.size() != b.size()) return 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (std::memcmp(static_cast<void const*>(&a[i]), static_cast<void const*>(&b[i]), sizeof(T)) != 0)
        return static_cast<std::int64_t>(i);
    return -1;
  }
};

/// Values of a size that no number has, and of one that no tile moves.
struct three_bytes {
  unsigned char x[3];
};
struct twenty_bytes {
  float x[5];
};

}  // namespace test
