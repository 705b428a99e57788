// reduce with every combination of policies, 3 × 2 × 3 × 2, at every size.
#include "reduce_cases.hpp"

namespace {

using namespace test;
using tessera::operator|;

struct ReducePolicies : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }

  template <class T, class Op, class Method>
  static void check_all(Op op, Method method) {
    check_method<T>(op, tessera::adaptive | tessera::to_all | method);
    check_method<T>(op, tessera::converged | tessera::to_all | method);
    check_method<T>(op, tessera::isolated | tessera::to_all | method);
    check_method<T>(op, tessera::to_leader | tessera::adaptive | method);
    check_method<T>(op, tessera::to_leader | method | tessera::converged);
    check_method<T>(op, method | tessera::to_leader | tessera::isolated);
  }

  template <class T, class Op, class Policy>
  static void check_method(Op op, Policy policy) {
    check_reduce_policy<backend, T>(op, policy, sample<T>, !std::is_floating_point_v<T>);
  }
};

TEST_F(ReducePolicies, FloatPlusAutomatic) {
  check_all<float>(tessera::plus{}, tessera::automatic);
}
TEST_F(ReducePolicies, FloatMinimumByHardware) {
  check_all<float>(tessera::minimum{}, tessera::hardware);
}
TEST_F(ReducePolicies, IntPlusByHardware) {
  check_all<int>(tessera::plus{}, tessera::hardware);
}
TEST_F(ReducePolicies, IntPlusByShuffles) {
  check_all<int>(tessera::plus{}, tessera::shuffles);
}
TEST_F(ReducePolicies, MatrixProductAutomatic) {
  check_all<matrix>(tessera::make_operator(matrix_product{}, matrix_one), tessera::automatic);
}

}  // namespace
