// joint_inclusive_scan and joint_exclusive_scan of structs, by operators that don't commute.
#include "joint_scan_cases.hpp"

namespace {

using namespace test;
using tessera::make_operator;

TEST(JointScan, StructsOf12Bytes) {
  check_joint_scans<row<12>>(make_operator(compose_rows<12>{}, row<12>{{1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0}}));
}
/// The addresses may also not be multiples of the size; then there are no vectors.
TEST(JointScan, StructsOf4BytesWithoutIdentity) {
  check_joint_scans<row<4>>(compose_rows<4>{});
}
TEST(JointScan, StructsOf16BytesWithoutIdentity) {
  check_joint_scans<digits>(digit_concatenation{});
}

// ---- The operator gets elements only, and nothing of the lanes past the end of the range.

/// The product of odd numbers is odd, and so never 0.
struct odd {
  unsigned value;
};
struct product_of_odds {
  int* met_nothing;
  TESSERA_FN odd operator()(odd a, odd b) const {
    if (a.value == 0 || b.value == 0) *met_nothing = 1;
    return {a.value * b.value};
  }
};
struct odd_ranges {
  product_of_odds op;
  template <class Tile>
  TESSERA_FN int operator()(Tile const& tile, std::pair<odd*, long long> in) const {
    tessera::joint_inclusive_scan(tile, in.first, in.second, in.first, op);
    tile.sync();
    tessera::joint_exclusive_scan(tile, in.first, in.second, in.first, op, odd{3});
    return 0;
  }
};
TEST(JointScan, CombinesElementsOnly) {
  SKIP_WITHOUT_BACKEND();
  random_engine random(1);
  auto const ranges =
      make_ranges<8, odd>(random, [](random_engine& bits) { return odd{static_cast<unsigned>(bits()) | 1u}; });
  auto const lanes = lanes_of<8, std::pair<odd*, long long>>(
      ranges, [](auto const& one) { return std::pair(one.memory.data(), one.n); });
  placed_values<int> const met_nothing({0}, 0);
  backend::run<8, int>(lanes, odd_ranges{{met_nothing.data()}});
  EXPECT_EQ(met_nothing.to_host()[0], 0);
}

}  // namespace
