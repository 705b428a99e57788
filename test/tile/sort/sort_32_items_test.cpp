// Sorts and selections of 32 items a lane, compared with std::stable_sort.
#include <gtest/gtest.h>

#include "sort_cases.hpp"

namespace {
namespace sort_32_items {

using namespace test::sorts;
using tessera::greater;
using tessera::less;

#if TESSERA_TEST_HAS_PART(0)
TEST(Sort32Items, Sort) {
  SKIP_WITHOUT_BACKEND();
  check_whole<unsigned, 1, 32, call::sort, less>();
  check_whole<unsigned, 32, 32, call::sort, greater>();
  check_whole<float, 128, 32, call::sort, less>();
  check_parts<unsigned, 4, 32, call::sort, greater>();
}
#endif
#if TESSERA_TEST_HAS_PART(1)
TEST(Sort32Items, StableSort) {
  SKIP_WITHOUT_BACKEND();
  check_whole<__nv_bfloat16, 8, 32, call::stable_sort, less>();
  check_whole<unsigned, 2, 32, call::stable_sort, by_high_bits>();
}
TEST(Sort32Items, ByKey) {
  SKIP_WITHOUT_BACKEND();
  check_whole<unsigned, 16, 32, call::stable_sort_by_key, less>();
}
TEST(Sort32Items, TopK) {
  SKIP_WITHOUT_BACKEND();
  check_whole<unsigned, 64, 32, call::top_k, less>();
}
#endif

}  // namespace sort_32_items
}  // namespace
