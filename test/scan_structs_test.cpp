// Scans of structs, by operators that don't commute.
#include "scan_cases.hpp"

namespace {

using namespace test;

struct ScanStructs : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

TEST_F(ScanStructs, MatrixProductWithoutIdentity) {
  check_scan<matrix>(matrix_product{});
}
TEST_F(ScanStructs, Digits) {
  check_scan<digits>(tessera::make_operator(digit_concatenation{}, digits{0, 1}));
}
TEST_F(ScanStructs, ThreeBytes) {
  check_scan<row<3>>(compose_rows<3>{});
}

}  // namespace
