// reduce of tiles of several warps.
#include "../reduce/reduce_items_cases.hpp"

namespace {

using namespace test;
using tessera::to_leader;

struct MultiWarpReduce : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

/// Checks the rows of the table for some sizes, with one policy.
template <class T, unsigned... N, class Op, class Policy = tessera::policy<>>
void check_at(Op op, Policy policy = {}, T (*sample_one)(random_engine&) = sample<T>, bool associative = true) {
  check_reduce_policy<backend, T>(op, policy, sample_one, associative, sizes<N...>{});
}

TEST_F(MultiWarpReduce, SumsOfFloats) {
  for (auto values : {sample<float>, sample_special<float>}) {
    check_at<float, 64, 128, 256, 512, 1024>(tessera::plus{}, tessera::policy<>{}, values, false);
    check_at<float, 64, 1024>(tessera::plus{}, tessera::converged | to_leader, values, false);
  }
}
TEST_F(MultiWarpReduce, SumsOfIntegers) {
  check_at<int, 64, 128, 256, 512, 1024>(tessera::plus{});
  check_at<int, 64, 1024>(tessera::plus{}, tessera::shuffles | to_leader);
  check_at<int, 64, 128, 256, 1024>(tessera::plus{}, tessera::policy<>{} | to_leader);
}
TEST_F(MultiWarpReduce, SumsOfDoublesWithNan) {
  check_at<double, 128, 1024>(tessera::plus{}, tessera::policy<>{}, sample_special<double>, false);
  check_at<double, 256, 1024>(tessera::plus{}, tessera::policy<>{} | to_leader, sample<double>, false);
}
TEST_F(MultiWarpReduce, IntegersByTheWarpsInstruction) {
  check_at<int, 64, 512>(tessera::minimum{}, tessera::hardware);
  check_at<unsigned, 256>(tessera::maximum{}, tessera::policy<>{} | to_leader);
  check_at<unsigned, 1024>(tessera::bit_xor{});
  check_at<unsigned long long, 64, 256>(tessera::bit_and{});
}
TEST_F(MultiWarpReduce, MinimumOfSpecialFloats) {
  check_at<float, 128, 1024>(tessera::minimum{}, tessera::policy<>{}, sample_special<float>);
}
TEST_F(MultiWarpReduce, ShortAndChar) {
  check_at<short, 512>(tessera::maximum{});
  check_at<signed char, 64, 1024>(tessera::plus{}, tessera::isolated);
}
TEST_F(MultiWarpReduce, Bools) {
  check_at<bool, 64, 256, 1024>(tessera::plus{});
  check_at<bool, 128>(tessera::logical_and{}, tessera::converged, sample_truth<bool>);
  check_at<bool, 512>(tessera::bit_xor{}, tessera::hardware | to_leader);
  check_at<bool, 256>(tessera::plus{}, tessera::shuffles);
}
TEST_F(MultiWarpReduce, ProductsOfMatricesDontCommute) {
  auto const product = tessera::make_operator(matrix_product{}, matrix_one);
  check_at<matrix, 64, 256, 1024>(product);
  check_at<matrix, 512>(product, tessera::converged | to_leader);
}
TEST_F(MultiWarpReduce, AFunctionWithoutIdentity) {
  check_at<digits, 128, 1024>(digit_concatenation{});
  check_at<digits, 64, 256, 512>(digit_concatenation{}, tessera::shuffles);
}
TEST_F(MultiWarpReduce, StructsOf3And12And32Bytes) {
  check_at<row<3>, 64>(compose_rows<3>{});
  check_at<row<12>, 256, 1024>(compose_rows<12>{});
  check_at<row<32>, 128, 512, 1024>(compose_rows<32>{});
}
TEST_F(MultiWarpReduce, IndexOfTheLeast) {
  check_at<tessera::indexed<float>, 64, 1024>(tessera::argmin{}, tessera::policy<>{}, [](random_engine& random) {
    return tessera::with_index(sample_special<float>(random), static_cast<int>(random() % 100));
  });
  check_at<tessera::zipped<float, int, int>, 256,
           1024>(  // of equal values, the payload of the lowest lane wins
      tessera::argmax{}, tessera::policy<>{}, [](random_engine& random) {
        return tessera::as_zipped(static_cast<float>(random() % 3), static_cast<int>(random() % 3),
                                  sample<int>(random));
      });
}

TEST_F(MultiWarpReduce, SeveralItems) {
  check_items<3, float>(tessera::plus{}, sample<float>, tessera::policy<>{}, sizes<64, 1024>{});
  check_items<2, digits>(digit_concatenation{}, sample<digits>, tessera::policy<>{}, sizes<256>{});
  check_items<5, bool>(tessera::plus{}, sample<bool>, tessera::converged, sizes<128>{});
}

}  // namespace
