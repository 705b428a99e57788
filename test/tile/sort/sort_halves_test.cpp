// Sorts and selections of __half and __nv_bfloat16, compared with std::stable_sort.
#include <gtest/gtest.h>

#include "sort_cases.hpp"

namespace {
namespace sort_halves {

using namespace test::sorts;
using tessera::greater;
using tessera::less;

template <class T>
void check_all_values() {
  SKIP_WITHOUT_BACKEND();
  check_whole<T, 32, 4, call::sort, less>();
  check_whole<T, 64, 2, call::sort, greater>();
  check_whole<T, 1, 8, call::stable_sort, less>();
  check_whole<T, 64, 4, call::stable_sort, greater>();
  check_whole<T, 32, 4, call::stable_sort, by_high_bits>();
  check_whole<T, 64, 4, call::sort_by_key, less>();
  check_whole<T, 8, 2, call::stable_sort_by_key, greater>();
  check_whole<T, 32, 4, call::top_k, greater>();
  check_whole<T, 64, 2, call::top_k, less>();
  check_whole<T, 8, 2, call::top_k, by_high_bits>();
}
template <class T>
void check_first_values() {
  SKIP_WITHOUT_BACKEND();
  check_parts<T, 32, 4, call::sort, less>();
  check_parts<T, 64, 2, call::stable_sort, greater>();
  check_parts<T, 8, 3, call::stable_sort_by_key, by_high_bits>();
  check_parts<T, 8, 3, call::top_k, greater>();
}

TEST(SortHalves, AllValuesOfHalf) {
  check_all_values<__half>();
}
TEST(SortHalves, AllValuesOfBfloat16) {
  check_all_values<__nv_bfloat16>();
}
TEST(SortHalves, FirstValuesOfHalf) {
  check_first_values<__half>();
}
TEST(SortHalves, FirstValuesOfBfloat16) {
  check_first_values<__nv_bfloat16>();
}

/// All 2^16 patterns of bits, in tiles that have every 64th of them.
template <class T, call Call, class Before>
void check_all_patterns() {
  SKIP_WITHOUT_BACKEND();
  constexpr unsigned N = 256, K = 4, tiles = (1u << 16) / (N * K);
  std::vector<items<T, K>> x(tiles * N);
  for (unsigned i = 0; i < 1u << 16; ++i) {
    auto const bits = static_cast<std::uint16_t>(i * 40503u);  // the factor is odd: each pattern once
    unsigned const position = i % tiles * N * K + i / tiles;
    x[position / K][position % K] = tessera::detail::from_bits<T>(bits);
  }
  auto const got = test::backend::run<N, ordered_row<T, K>>(x, orders<Call, Before, true>{N * K});
  for (unsigned tile = 0; tile < tiles; ++tile) {
    check_tile<Call, Before, N, K>(&x[tile * N], &got[tile * N], N * K);
    ASSERT_FALSE(testing::Test::HasFatalFailure()) << "tile " << tile;
  }
}
TEST(SortHalves, AllPatternsOfHalf) {
  check_all_patterns<__half, call::sort, less>();
  check_all_patterns<__half, call::stable_sort, greater>();
}
TEST(SortHalves, AllPatternsOfBfloat16) {
  check_all_patterns<__nv_bfloat16, call::sort, greater>();
  check_all_patterns<__nv_bfloat16, call::stable_sort, less>();
}

}  // namespace sort_halves
}  // namespace
