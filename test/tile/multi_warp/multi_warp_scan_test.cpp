// Scans of tiles of several warps. The GPU has fewer rows, because its compiler is slow.
#include "../scan/scan_cases.hpp"

namespace {

using namespace test;
using tessera::items;
using tessera::suffix;
using tessera::with_total;

struct MultiWarpScan : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

/// Checks the rows of the table for some sizes, with one call and one policy.
template <scan_call Call, class X, unsigned... N, class Op, class Policy = tessera::policy<>>
void check_at(Op op, Policy policy = {}, X (*sample_one)(random_engine&) = sample<X>, bool associative = true) {
  check_scan_call<Call, backend>(op, policy, sample_one, associative, sizes<N...>{});
}
constexpr auto inclusive = scan_call::inclusive, exclusive = scan_call::exclusive,
               exclusive_with_init = scan_call::exclusive_with_init;

TEST_F(MultiWarpScan, SumsOfFloats) {
  check_at<inclusive, float, 64, 128, 256, 512, 1024>(tessera::plus{}, tessera::policy<>{}, sample<float>, false);
  check_at<exclusive, float, 1024>(tessera::plus{}, suffix | with_total, sample_special<float>, false);
  check_at<exclusive_with_init, float, 256>(tessera::plus{}, tessera::converged | suffix, sample<float>, false);
}
TEST_F(MultiWarpScan, SumsOfIntegers) {
  check_at<exclusive, int, 64, 1024>(tessera::plus{}, tessera::policy<>{} | with_total);
  check_at<inclusive, int, 512>(tessera::plus{}, tessera::isolated | suffix | with_total);
}
TEST_F(MultiWarpScan, SumsOfDoublesWithNan) {
  check_at<inclusive, double, 512>(tessera::plus{}, suffix | with_total, sample_special<double>, false);
  check_at<exclusive_with_init, double, 128>(tessera::plus{}, tessera::policy<>{}, sample_special<double>, false);
}
TEST_F(MultiWarpScan, MaximumOfShorts) {
  check_at<inclusive, short, 256>(tessera::maximum{}, tessera::converged | suffix);
}
TEST_F(MultiWarpScan, Bools) {
  check_at<exclusive, bool, 64, 1024>(tessera::plus{}, tessera::policy<>{} | with_total);
  check_at<inclusive, bool, 512>(tessera::logical_and{}, tessera::policy<>{} | suffix, sample_truth<bool>);
  check_at<inclusive, bool, 128>(tessera::plus{}, tessera::shuffles);
}
TEST_F(MultiWarpScan, ProductsOfMatricesDontCommute) {
  check_at<inclusive, matrix, 128>(matrix_product{});
  check_at<exclusive_with_init, matrix, 512>(matrix_product{}, suffix | with_total);
  check_at<exclusive, matrix, 1024>(tessera::make_operator(matrix_product{}, matrix_one),
                                    tessera::policy<>{} | with_total);
}
TEST_F(MultiWarpScan, StringsOfDigits) {
  auto const append = tessera::make_operator(digit_concatenation{}, digits{0, 1});
#if !TESSERA_CUDA
  check_scan<digits>(append, sample<digits>, true, sizes<64>{});
#endif
  check_at<exclusive, digits, 256>(append);
  check_at<inclusive, digits, 1024>(append, suffix | with_total);
}
TEST_F(MultiWarpScan, StructsOf3And32Bytes) {
  check_at<inclusive, row<3>, 1024>(compose_rows<3>{}, tessera::policy<>{} | with_total);
  check_at<exclusive_with_init, row<32>, 1024>(compose_rows<32>{}, tessera::policy<>{} | suffix);
}

TEST_F(MultiWarpScan, SeveralItems) {
  check_at<inclusive, items<float, 3>, 1024>(tessera::plus{}, with_total | tessera::isolated, sample_items<float, 3>,
                                             false);
  check_at<exclusive, items<brackets, 2>, 256>(tessera::make_operator(bracket_concatenation{}, brackets{0, 0}),
                                               tessera::policy<>{} | suffix, sample_items<brackets, 2>);
}

}  // namespace
