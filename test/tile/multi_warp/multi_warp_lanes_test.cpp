// Votes, match, shuffles and transposition in tiles of several warps. The GPU has fewer sizes, because its
// compiler is slow.
#include "../lanes/lanes_cases.hpp"
#include "../lanes/match_cases.hpp"
#include "../lanes/transpose_cases.hpp"
#include "../lanes/vote_cases.hpp"

namespace {

using namespace test;

struct MultiWarpLanes : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

TEST_F(MultiWarpLanes, Votes) {
  check_votes_of_sizes(tessera::policy<>{}, large_sizes{});
  check_votes_of_sizes(tessera::converged | tessera::to_leader, sizes<128>{});
}
TEST_F(MultiWarpLanes, OneLaneIsElected) {
  check_elections<64>(tessera::policy<>{});
  check_elections<256>(tessera::converged);
  check_elections<1024>(tessera::isolated);
}

TEST_F(MultiWarpLanes, MatchOfInts) {
  check_match<64, int>(tessera::converged);
  check_match<1024, int>(tessera::policy<>{});
}
TEST_F(MultiWarpLanes, MatchOfBytesAndStructs) {
  check_match<128, unsigned char>(tessera::policy<>{});
  check_match<256, wide_key>(tessera::isolated);
}

TEST_F(MultiWarpLanes, ShufflesOfWords) {
  check_movement_of_sizes<unsigned>(tessera::policy<>{},
                                    std::conditional_t<TESSERA_CUDA, some_large_sizes, large_sizes>{});
}
TEST_F(MultiWarpLanes, ShufflesOfBytes) {
  check_movement<64, unsigned char>(tessera::converged);
  check_movement<1024, unsigned char>(tessera::policy<>{});
}
TEST_F(MultiWarpLanes, ShufflesOfShortsAndDoubles) {
  check_movement<128, short>(tessera::isolated);
  check_movement<512, double>(tessera::policy<>{});
}
TEST_F(MultiWarpLanes, ShufflesOfStructs) {
  check_movement<64, row<3>>(tessera::policy<>{});
  check_movement<256, row<12>>(tessera::converged);
  check_movement<1024, row<37>>(tessera::policy<>{});
}
TEST_F(MultiWarpLanes, ExchangesOfItems) {
  check_items_of_size<unsigned char, 7, 64>();
  check_items_of_size<unsigned, 4, 256>();
  check_items_of_size<row<12>, 2, 1024>();
}

TEST_F(MultiWarpLanes, BlockedAndStriped) {
  check_size<unsigned, 5, 64>(tessera::adaptive);
  check_size<unsigned char, 16, 128>(tessera::adaptive);
  check_size<unsigned, 4, 256>(tessera::converged);
  check_size<row<12>, 2, 1024>(tessera::adaptive);
}
TEST_F(MultiWarpLanes, Transpose) {
  check_matrix<short, 4, 512>();
#if !TESSERA_CUDA
  check_matrix<unsigned, 64, 64>();
#endif
}

}  // namespace
