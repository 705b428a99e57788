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

/// A type without a default constructor.
struct explicit_number {
  unsigned value;
  explicit_number() = delete;
  TESSERA_FN explicit constexpr explicit_number(unsigned x) : value(x) {}
};

struct scan_of_explicit_numbers {
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned x) const {
    auto const add = [](explicit_number a, explicit_number b) { return explicit_number(a.value + b.value); };
    explicit_number const both[] = {explicit_number(x), explicit_number(1)};
    return tessera::inclusive_scan(tile, explicit_number(x), add).value +
           1000 * tessera::reduce(tile, tessera::as_items(both), add).value;
  }
};

TEST_F(ScanStructs, TypeWithoutDefaultConstructor) {
  std::vector<unsigned> in(block_lanes, 2);
  auto const out = backend::run<8, unsigned>(in, scan_of_explicit_numbers{});
  for (unsigned i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], 2 * (i % 8 + 1) + 24000) << i;
}

}  // namespace
