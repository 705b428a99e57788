// Histograms in registers and in memory.
#include "histogram_cases.hpp"

namespace {

using namespace test;

struct Histogram : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

TEST_F(Histogram, InRegisters) {
  check_bins<1, 1>(tessera::policy<>{});
  check_bins<4, 3>(tessera::converged | tessera::to_all);
  check_bins<8, 16>(tessera::policy<>{});
  check_bins<32, 10>(tessera::policy<>{});
  check_bins<2, 5>(tessera::policy<tessera::choice::scattered>{});
  check_bins<8, 3>(tessera::policy<tessera::choice::scattered>{});
  check_bins<16, 16>(tessera::converged | tessera::scattered);
  check_bins<32, 20>(tessera::isolated | tessera::scattered);
  check_bins<32, 40>(tessera::adaptive | tessera::scattered);
}

TEST_F(Histogram, Ints) {
  check_all_added<int>();
  check_all_added<int>(tessera::converged | tessera::shuffles);
}
TEST_F(Histogram, FloatsOfWholeNumbers) {
  check_all_added<float>();
  check_all_added<float>(tessera::converged);
  check_all_added<float>(tessera::isolated | tessera::hardware);
}
TEST_F(Histogram, Longs) {
  check_all_added<unsigned long long>();
}

}  // namespace
