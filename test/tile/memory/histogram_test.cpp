// Histograms in registers and in memory.
#include <cmath>

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
/// Two of three lanes have the same key, so that their values are added first. The sum of −0 and −0 is −0,
/// and so must be the cell.
struct negative_zeros {
  double* cells;

  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned i) const {
    tessera::aggregated_add(tile, cells, i % 3 == 2 ? 1 + i % 32 : 0u, -0.0);
    return 0;
  }
};
TEST_F(Histogram, SumsOfNegativeZerosOnly) {
  backend::array<double> cells(std::vector<double>(33, -0.0));
  std::vector<unsigned> in;
  for (unsigned i = 0; i < 128; ++i) in.push_back(i);
  backend::run<32, unsigned>(in, negative_zeros{cells.data()});
  for (double const cell : cells.to_host()) EXPECT_TRUE(cell == 0 && std::signbit(cell));
}
TEST_F(Histogram, Longs) {
  check_all_added<unsigned long long>();
}

}  // namespace
