// Scans of more types of numbers, and with operators other than plus.
#include "scan_cases.hpp"

namespace {

using namespace test;

struct ScanMoreNumbers : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

TEST_F(ScanMoreNumbers, ShortMaximum) {
  check_scan<short>(tessera::maximum{});
}
TEST_F(ScanMoreNumbers, LongSum) {
  check_scan<unsigned long long>(tessera::plus{});
}
TEST_F(ScanMoreNumbers, FloatMinimumWithNan) {
  check_scan<float>(tessera::minimum{}, sample_special<float>);
}
TEST_F(ScanMoreNumbers, BoolsByXor) {
  check_scan<bool>(tessera::bit_xor{});
}
TEST_F(ScanMoreNumbers, BoolsByAnd) {
  check_scan<bool>(tessera::logical_and{}, sample_truth<bool>);
}

}  // namespace
