// any_half, a 16-bit float whose format is known when the kernel runs, gives the bits that __half and __nv_bfloat16
// give: its conversions of every pattern of bits, and rows of it through the bodies of the kernels, on host tiles.
#include <tessera/grid/rows/fold_rows.hpp>
#include <tessera/grid/rows/norm_map.hpp>
#include <tessera/grid/rows/softmax_map.hpp>
#include <tessera/host/launch.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "oracle/halves.hpp"

namespace {

using namespace tessera::grid::detail;
using tessera::detail::convert;
using tessera::detail::from_bits;
namespace host = tessera::host;

template <class Half>
class half_rows : public testing::Test {};
using halves = testing::Types<__half, __nv_bfloat16>;
TYPED_TEST_SUITE(half_rows, halves);

template <class Half>
constexpr element_format<any_half> format_of = {std::is_same_v<Half, __nv_bfloat16>};

template <class A, class B>
bool same_bytes(A const& a, B const& b) {
  static_assert(sizeof(A) == sizeof(B));
  return std::memcmp(&a, &b, sizeof(A)) == 0;
}

TYPED_TEST(half_rows, ConvertEveryElement) {
  for (unsigned bits = 0; bits < 1u << 16; ++bits) {
    any_half const x{static_cast<std::uint16_t>(bits)};
    auto const half = from_bits<TypeParam>(x);
    float const number = to_number(x, format_of<TypeParam>);
    ASSERT_TRUE(same_bytes(number, convert<float>(half))) << std::hex << bits;
    ASSERT_TRUE(same_bytes(from_number(number, format_of<TypeParam>), convert<TypeParam>(number))) << std::hex << bits;
  }
}

TYPED_TEST(half_rows, RoundNumbers) {
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32; bits += 0x3ff7) {  // every exponent, halfway and beside
    auto const x = from_bits<float>(static_cast<std::uint32_t>(bits));
    ASSERT_TRUE(same_bytes(from_number(x, format_of<TypeParam>), convert<TypeParam>(x))) << std::hex << bits;
  }
}

TYPED_TEST(half_rows, ConvertVectors) {
  for (unsigned bits = 0; bits < 1u << 16; bits += 8) {
    packed<any_half> x;
    for (unsigned w = 0; w < 4; ++w) x.word[w] = (bits + 2 * w) | (bits + 2 * w + 1) << 16;
    auto const same = from_bits<packed<TypeParam>>(x);
    auto const numbers = unpack<any_half>(x, format_of<TypeParam>);
    ASSERT_TRUE(same_bytes(numbers, unpack<TypeParam>(same))) << std::hex << bits;
    ASSERT_TRUE(same_bytes(pack<any_half>(numbers, format_of<TypeParam>), pack<TypeParam>(numbers)))
        << std::hex << bits;
  }
}

constexpr int row_count = 9, columns = 133, stride = 136;

/// Bytes at a multiple of 16.
template <class T>
struct aligned_rows {
  alignas(16) T x[row_count * stride];
};

/// Rows with gaps: of patterns of bits from all over, or of those of numbers below 8.
std::vector<std::uint16_t> patterns(bool all, bool is_bfloat16) {
  std::vector<std::uint16_t> bits(row_count * stride);
  std::uint16_t const most = all ? 0xffff : is_bfloat16 ? 0x40ff : 0x47ff;
  for (std::size_t i = 0; i < bits.size(); ++i)
    bits[i] = static_cast<std::uint16_t>((i * 40503u + i / 7) & 0xffffu & (most | 0x8000u));
  return bits;
}

/// Runs body(block, task) for rows of T that have these bits; the bits of the result.
template <class Shape, class T, class Body>
std::vector<std::uint16_t> run(std::vector<std::uint16_t> const& bits, element_format<T> format, Body body) {
  aligned_rows<T> in, out;
  std::memcpy(in.x, bits.data(), sizeof in.x);
  std::memcpy(out.x, bits.data(), sizeof out.x);
  constexpr int used = Shape::aligned ? 128 : columns;
  row_task<T> const task{in.x, out.x, stride, stride, row_count, used, nullptr, format};
  constexpr unsigned each = Shape::rows_per_tile * Shape::tiles;
  host::launch_grid((row_count + each - 1) / each, Shape::block_threads, [&](host::block block) { body(block, task); });
  std::vector<std::uint16_t> got(bits.size());
  std::memcpy(got.data(), out.x, sizeof out.x);
  return got;
}

template <class Half, class Shape>
void check_maps() {
  for (bool const all : {false, true}) {
    auto const bits = patterns(all, format_of<Half>.is_bfloat16);
    auto const weight_bits = patterns(false, format_of<Half>.is_bfloat16);
    auto const run_as = [&](auto element, auto format, bool norm) {
      using T = decltype(element);
      aligned_rows<T> weight;
      std::memcpy(weight.x, weight_bits.data(), sizeof weight.x);
      return run<Shape, T>(bits, format, [&](host::block block, row_task<T> const& task) {
        if (norm) {
          map_rows<Shape>(block, task, norm_map<T>{weight.x, weight.x + stride, 1e-5f, true});
        } else {
          map_rows<Shape>(block, task, softmax_map<T>{});
        }
      });
    };
    for (bool const norm : {false, true}) {
      auto const got = run_as(any_half{}, format_of<Half>, norm);
      EXPECT_EQ(got, run_as(Half{}, element_format<Half>{}, norm)) << (norm ? "norm" : "softmax") << all;
      EXPECT_NE(got, bits);
    }
  }
}

TYPED_TEST(half_rows, Maps) {
  check_maps<TypeParam, row_shape<true, 8, 2, 1, 64>>();
  check_maps<TypeParam, row_shape<false, 16, 2, 1, 64>>();
}

/// Stores the sum of a row's elements, rounded.
template <class T>
struct store_in_task {
  row_task<T> task;
  void operator()(std::int64_t row, float sum) const { task.out[row * stride] = from_number(sum, task.format); }
};

template <class Half, class Shape>
void check_sums() {
  auto const bits = patterns(false, format_of<Half>.is_bfloat16);
  struct number_itself {
    float operator()(float x, int) const { return x; }
  };
  auto const run_as = [&](auto element, auto format) {
    using T = decltype(element);
    return run<Shape, T>(bits, format, [](host::block block, row_task<T> const& task) {
      fold_rows<Shape>(block, task, element_fold<T, tessera::plus, number_itself>{}, store_in_task<T>{task});
    });
  };
  auto const got = run_as(any_half{}, format_of<Half>);
  EXPECT_EQ(got, run_as(Half{}, element_format<Half>{}));
  EXPECT_NE(got, bits);
}

TYPED_TEST(half_rows, Sums) {
  check_sums<TypeParam, row_shape<true, 8, 2, 1, 64>>();
  check_sums<TypeParam, row_shape<false, 16, 2, 2, 64>>();
}

}  // namespace
