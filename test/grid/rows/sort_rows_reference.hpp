// What sort_rows owes: each row has the elements of the matrix's, bit by bit, in order.
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

}  // namespace test
