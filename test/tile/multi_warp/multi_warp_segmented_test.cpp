// Segmented scans and reductions of tiles of several warps.
#include "../scan/segmented_cases.hpp"

namespace {

using namespace test;

struct MultiWarpSegmented : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

TEST_F(MultiWarpSegmented, FloatSum) {
  for_each_size(some_large_sizes{}, [](auto n) {
    check_segments<decltype(n)::value, given_by::heads, float>(tessera::plus{}, tessera::policy<>{});
  });
  check_segments<512, given_by::tails, float>(tessera::plus{}, tessera::isolated | tessera::suffix);
}
TEST_F(MultiWarpSegmented, Digits) {
  auto const op = tessera::make_operator(digit_concatenation{}, digits{0, 1});
  check_segments<64, given_by::keys, digits>(op, tessera::policy<>{} | tessera::suffix);
  check_segments<128, given_by::tails, digits>(op, tessera::policy<>{});
  check_segments<1024, given_by::keys, digits>(op, tessera::policy<>{});
}
TEST_F(MultiWarpSegmented, CountsOfBools) {
  check_segments<256, given_by::heads, bool>(tessera::plus{}, tessera::converged | tessera::suffix);
}

}  // namespace
