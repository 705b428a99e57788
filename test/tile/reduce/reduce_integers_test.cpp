// reduce on integers of 8 to 128 bits and on bool.
#include "reduce_cases.hpp"

namespace {

using namespace test;

template <class T>
struct ReduceInteger : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

using Integers = testing::Types<signed char, unsigned short, int, unsigned, long long, unsigned long long>;
TYPED_TEST_SUITE(ReduceInteger, Integers);

TYPED_TEST(ReduceInteger, PlusWraps) {
  check_reduce<TypeParam>(tessera::plus{});
}
TYPED_TEST(ReduceInteger, Minimum) {
  check_reduce<TypeParam>(tessera::minimum{});
}
TYPED_TEST(ReduceInteger, Maximum) {
  check_reduce<TypeParam>(tessera::maximum{});
}
TYPED_TEST(ReduceInteger, BitAnd) {
  check_reduce<TypeParam>(tessera::bit_and{});
}

struct ReduceIntegers : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

TEST_F(ReduceIntegers, MultipliesWraps) {
  check_reduce<int>(tessera::multiplies{});
}
TEST_F(ReduceIntegers, MultipliesOf16BitsWraps) {
  check_reduce<unsigned short>(tessera::multiplies{});
}
TEST_F(ReduceIntegers, BitOr) {
  check_reduce<unsigned>(tessera::bit_or{});
}
TEST_F(ReduceIntegers, BitOrOf64Bits) {
  check_reduce<unsigned long long>(tessera::bit_or{});
}
TEST_F(ReduceIntegers, BitXorOf8Bits) {
  check_reduce<unsigned char>(tessera::bit_xor{});
}
TEST_F(ReduceIntegers, BitXor) {
  check_reduce<int>(tessera::bit_xor{});
}
TEST_F(ReduceIntegers, LogicalAnd) {
  check_reduce<int>(tessera::logical_and{}, sample_truth<int>);
}
TEST_F(ReduceIntegers, LogicalOr) {
  check_reduce<int>(tessera::logical_or{}, sample_truth<int>);
}

TEST_F(ReduceIntegers, MinimumNumberIsMinimum) {
  check_reduce<short>(tessera::minimum_number{});
}
TEST_F(ReduceIntegers, MaximumNumberIsMaximum) {
  check_reduce<short>(tessera::maximum_number{});
}

}  // namespace
