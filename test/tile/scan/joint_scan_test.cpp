// joint_inclusive_scan and joint_exclusive_scan of numbers.
#include "joint_scan_cases.hpp"

namespace {

using namespace test;

TEST(JointScan, IntegersOf8Bits) {
  check_joint_scans<signed char>(tessera::plus{});
}
TEST(JointScan, IntegersOf32Bits) {
  check_joint_scans<int>(tessera::plus{});
}
TEST(JointScan, Floats) {
  check_joint_scans<float>(tessera::plus{}, sample<float>, false);
}
TEST(JointScan, Doubles) {
  check_joint_scans<double>(tessera::plus{}, sample_special<double>, false);
}
// ---- Scans of bool count.

struct count_scan_kernel {
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, std::pair<bool const*, unsigned*> in) const {
    return tessera::joint_exclusive_scan(tile, in.first, 1000, in.second, tessera::plus{}, tessera::with_total);
  }
};
TEST(JointScan, CountsBools) {
  SKIP_WITHOUT_BACKEND();
  std::vector<unsigned char> x(1000);
  for (unsigned i = 0; i < x.size(); ++i) x[i] = i * i % 7 == 1;
  placed_values<unsigned char> const memory(x, 3);
  std::vector<std::unique_ptr<placed_values<unsigned>>> counts;
  std::vector<std::pair<bool const*, unsigned*>> lanes;
  for (unsigned tile = 0; tile < block_lanes / 8; ++tile) {
    counts.push_back(std::make_unique<placed_values<unsigned>>(std::vector<unsigned>(x.size()), tile % 4));
    lanes.insert(lanes.end(), 8, {reinterpret_cast<bool const*>(memory.data()), counts.back()->data()});
  }
  auto const totals_of_lanes = backend::run<8, unsigned>(lanes, count_scan_kernel{});
  for (unsigned tile = 0; tile < counts.size(); ++tile) {
    auto const got = counts[tile]->to_host();
    unsigned count = 0;
    for (unsigned i = 0; i < x.size(); ++i) {
      ASSERT_EQ(got[i], count) << i;
      count += x[i];
    }
    ASSERT_EQ(totals_of_lanes[tile * 8 + 5], count);
  }
}

/// Sums of bytes that no byte holds.
struct sums_of_bytes {
  unsigned char const* in;
  int* out;

  template <class Tile>
  TESSERA_FN int operator()(Tile const& tile, int) const {
    return tessera::joint_inclusive_scan(tile, in, 100, out, tessera::plus{}, tessera::with_total);
  }
};
TEST(JointScan, BytesIntoInts) {
  SKIP_WITHOUT_BACKEND();
  backend::array<unsigned char> in(std::vector<unsigned char>(100, 200));
  backend::array<int> out(std::vector<int>(100));
  auto const totals = backend::run<8, int>(std::vector<int>(block_lanes_of(8)), sums_of_bytes{in.data(), out.data()});
  for (int total : totals) EXPECT_EQ(total, 20000);
  std::vector<int> const sums = out.to_host();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(sums[static_cast<std::size_t>(i)], 200 * (i + 1));
}

}  // namespace
