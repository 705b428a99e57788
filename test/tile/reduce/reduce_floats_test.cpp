// reduce on float and double, including NaN, infinities and zeros of both signs.
#include "reduce_cases.hpp"

namespace {

using namespace test;

template <class T>
struct ReduceFloat : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(ReduceFloat, Floats);

template <class T>
T sample_zero(random_engine& random) {
  return random() % 2 == 0 ? T(0) : -T(0);
}
template <class T>
T sample_negative_zero(random_engine&) {
  return -T(0);
}

TYPED_TEST(ReduceFloat, Plus) {
  check_reduce_rounding<TypeParam>(tessera::plus{});
}
TYPED_TEST(ReduceFloat, PlusOfZerosKeepsTheSign) {
  check_reduce<TypeParam>(tessera::plus{}, sample_negative_zero<TypeParam>);
  check_reduce<TypeParam>(tessera::plus{}, sample_zero<TypeParam>);
}
TYPED_TEST(ReduceFloat, Multiplies) {
  check_reduce_rounding<TypeParam>(tessera::multiplies{});
}
TYPED_TEST(ReduceFloat, Minimum) {
  check_reduce<TypeParam>(tessera::minimum{});
}
TYPED_TEST(ReduceFloat, MinimumOfSpecialValues) {
  check_reduce<TypeParam>(tessera::minimum{}, sample_special<TypeParam>);
  check_reduce<TypeParam>(tessera::minimum{}, sample_zero<TypeParam>);
}
TYPED_TEST(ReduceFloat, MaximumOfSpecialValues) {
  check_reduce<TypeParam>(tessera::maximum{}, sample_special<TypeParam>);
  check_reduce<TypeParam>(tessera::maximum{}, sample_zero<TypeParam>);
}
TYPED_TEST(ReduceFloat, MinimumNumberOfSpecialValues) {
  check_reduce<TypeParam>(tessera::minimum_number{}, sample_special<TypeParam>);
}
TYPED_TEST(ReduceFloat, MaximumNumberOfSpecialValues) {
  check_reduce<TypeParam>(tessera::maximum_number{}, sample_special<TypeParam>);
}

}  // namespace
