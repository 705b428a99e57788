// reduce on 128-bit integers and on bool.
#include "reduce_cases.hpp"

namespace {

using namespace test;
using tessera::detail::int128;
using tessera::detail::uint128;

struct ReduceWide : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

TEST_F(ReduceWide, Plus) {
  check_reduce<int128>(tessera::plus{});
}
TEST_F(ReduceWide, PlusUnsigned) {
  check_reduce<uint128>(tessera::plus{});
}
TEST_F(ReduceWide, Multiplies) {
  check_reduce<int128>(tessera::multiplies{});
}
TEST_F(ReduceWide, Minimum) {
  check_reduce<int128>(tessera::minimum{});
}
TEST_F(ReduceWide, Maximum) {
  check_reduce<int128>(tessera::maximum{});
}
TEST_F(ReduceWide, MinimumUnsigned) {
  check_reduce<uint128>(tessera::minimum{});
}
TEST_F(ReduceWide, BitXor) {
  check_reduce<uint128>(tessera::bit_xor{});
}

struct ReduceBool : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

TEST_F(ReduceBool, LogicalAnd) {
  check_reduce<bool>(tessera::logical_and{});
}
TEST_F(ReduceBool, LogicalOr) {
  check_reduce<bool>(tessera::logical_or{});
}
TEST_F(ReduceBool, BitAnd) {
  check_reduce<bool>(tessera::bit_and{});
}
TEST_F(ReduceBool, BitOr) {
  check_reduce<bool>(tessera::bit_or{});
}
TEST_F(ReduceBool, BitXor) {
  check_reduce<bool>(tessera::bit_xor{});
}
TEST_F(ReduceBool, PlusCounts) {
  check_reduce<bool>(tessera::plus{});
}
TEST_F(ReduceBool, PlusCountsByShuffles) {
  check_reduce_policy<backend, bool>(tessera::plus{}, tessera::policy<>{} | tessera::shuffles, sample<bool>, true);
}
TEST_F(ReduceBool, MultipliesIsAnd) {
  check_reduce<bool>(tessera::multiplies{});
}
TEST_F(ReduceBool, Minimum) {
  check_reduce<bool>(tessera::minimum{});
}
TEST_F(ReduceBool, Maximum) {
  check_reduce<bool>(tessera::maximum{});
}

}  // namespace
