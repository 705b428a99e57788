// reduce of several items per lane.
#include "reduce_items_cases.hpp"

namespace {

using namespace test;

struct ReduceItems : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

TEST_F(ReduceItems, SumsOfFloats) {
  check_items<2, float>(tessera::plus{});
  check_items<5, float>(tessera::plus{});
}
TEST_F(ReduceItems, SumsOfIntegers) {
  check_items<3, int>(tessera::plus{});
}
TEST_F(ReduceItems, OneItem) {
  check_items<1, int>(tessera::minimum{}, sample<int>, tessera::isolated);
}
TEST_F(ReduceItems, ProductsOfMatricesDontCommute) {
  check_items<4, matrix>(tessera::make_operator(matrix_product{}, matrix_one));
}
TEST_F(ReduceItems, StringsOfDigitsAreInBlockedOrder) {
  check_items<7, digits>(digit_concatenation{});
}
TEST_F(ReduceItems, RowsOfThreeBytes) {
  check_items<8, row<3>>(compose_rows<3>{}, sample<row<3>>, tessera::converged);
}
TEST_F(ReduceItems, SumsOfDoublesWithNan) {
  check_items<3, double>(tessera::plus{}, sample_special<double>, tessera::converged);
}
TEST_F(ReduceItems, SumsOfBoolsAreCounts) {
  check_items<1, bool>(tessera::plus{});
  check_items<3, bool>(tessera::plus{});
  check_items<9, bool>(tessera::plus{}, sample<bool>, tessera::shuffles);
}
TEST_F(ReduceItems, LogicalOrOfBools) {
  check_items<3, bool>(tessera::logical_or{});
}

}  // namespace
