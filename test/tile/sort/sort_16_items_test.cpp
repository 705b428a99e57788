// Sorts and selections of 16 items a lane, compared with std::stable_sort.
#include <gtest/gtest.h>

#include "sort_cases.hpp"

namespace {
namespace sort_16_items {

using namespace test::sorts;
using tessera::greater;
using tessera::less;

#if TESSERA_TEST_HAS_PART(0)
TEST(Sort16Items, Sort) {
  SKIP_WITHOUT_BACKEND();
  check_whole<unsigned, 1, 16, call::sort, less>();
  check_whole<unsigned, 8, 16, call::sort, greater>();
  check_whole<unsigned, 32, 16, call::sort, less>();
  check_whole<float, 256, 16, call::sort, greater>();
  check_whole<unsigned, 1024, 16, call::sort, less>();
  check_parts<unsigned, 32, 16, call::sort, less>();
}
#endif
#if TESSERA_TEST_HAS_PART(1)
TEST(Sort16Items, StableSort) {
  SKIP_WITHOUT_BACKEND();
  check_whole<float, 32, 16, call::stable_sort, greater>();
  check_whole<unsigned, 4, 16, call::stable_sort, by_high_bits>();
}
TEST(Sort16Items, ByKey) {
  SKIP_WITHOUT_BACKEND();
  check_whole<__half, 16, 16, call::sort_by_key, less>();
  check_whole<float, 128, 16, call::stable_sort_by_key, less>();
}
TEST(Sort16Items, TopK) {
  SKIP_WITHOUT_BACKEND();
  check_whole<unsigned, 64, 16, call::top_k, greater>();
  check_whole<__nv_bfloat16, 32, 16, call::top_k, less>();
}
#endif

}  // namespace sort_16_items
}  // namespace
