// Calls of tiles of several warps that read or write memory: joint algorithms, compact, histograms, atomics.
#include "../memory/atomic_cases.hpp"
#include "../memory/histogram_cases.hpp"
#include "../reduce/joint_reduce_cases.hpp"
#include "../scan/joint_scan_cases.hpp"
#include "../select/compact_cases.hpp"

namespace {

using namespace test;

struct MultiWarpMemory : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

TEST_F(MultiWarpMemory, JointSumsOfFloats) {
  check_joint_reduce<float>(tessera::plus{}, itself{}, sample<float>, false, tessera::converged, some_large_sizes{});
}
TEST_F(MultiWarpMemory, JointReduceInOrder) {
  check_joint_reduce<digits>(tessera::make_operator(digit_concatenation{}, digits{0, 1}), itself{}, sample<digits>,
                             true, tessera::isolated, sizes<128>{});
}
TEST_F(MultiWarpMemory, JointPredicates) {
  check_predicates<64>();
  check_predicates<512>();
}
TEST_F(MultiWarpMemory, JointScans) {
  check_joint_scans<float>(tessera::plus{}, sample<float>, false, sizes<64, 256>{});
  check_joint_scans<digits>(digit_concatenation{}, sample<digits>, true, sizes<1024>{});
}

TEST_F(MultiWarpMemory, Compact) {
  check_compact_of_sizes<int>(tessera::policy<>{}, large_sizes{});
  check_compact_of_sizes<row<12>>(tessera::isolated, sizes<128>{});
}
TEST_F(MultiWarpMemory, Append) {
  check_append_of_sizes<int, unsigned>(tessera::policy<>{}, large_sizes{});
  check_append_of_sizes<row<12>, unsigned long long>(tessera::converged, sizes<64>{});
}

TEST_F(MultiWarpMemory, HistogramInRegisters) {
  check_bins<64, 16>(tessera::policy<>{});
  check_bins<256, 10>(tessera::policy<>{});
  check_bins<64, 80>(tessera::converged | tessera::scattered);
  check_bins<1024, 40>(tessera::isolated | tessera::scattered);
}
TEST_F(MultiWarpMemory, AggregatedAdd) {
  check_added<64, float>(tessera::policy<>{});
  check_added<128, unsigned long long>(tessera::converged | tessera::hardware);
  check_added<256, int>(tessera::policy<>{} | tessera::shuffles);
  check_added<1024, int>(tessera::policy<>{});
}

TEST_F(MultiWarpMemory, AtomicReduce) {
  for_each_size(large_sizes{}, [](auto n) { check_atomic_reduce<decltype(n)::value>(); });
}

}  // namespace
