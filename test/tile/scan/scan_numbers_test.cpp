// Scans of numbers and bools.
#include "scan_cases.hpp"

namespace {

using namespace test;

struct ScanNumbers : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

TEST_F(ScanNumbers, IntSum) {
  check_scan<int>(tessera::plus{});
}
TEST_F(ScanNumbers, FloatSum) {
  check_scan<float>(tessera::plus{}, sample<float>, false);
}
TEST_F(ScanNumbers, FloatSumOfZerosAndSpecials) {
  check_scan<float>(tessera::plus{}, sample_special<float>, false);
}
TEST_F(ScanNumbers, DoubleSumOfSpecials) {
  check_scan<double>(tessera::plus{}, sample_special<double>, false);
}
TEST_F(ScanNumbers, CountsOfBools) {
  check_scan<bool>(tessera::plus{});
}
TEST_F(ScanNumbers, BoolsByOr) {
  check_scan<bool>(tessera::logical_or{});
}

}  // namespace
