// ballot, any_of, all_of, none_of, count_if, elect and invoke_one, with every policy that they take.
#include "vote_cases.hpp"

namespace {

using namespace test;

TEST(Vote, Adaptive) {
  check_votes_of_sizes(tessera::policy<>{});
}
TEST(Vote, Converged) {
  check_votes_of_sizes(tessera::converged | tessera::to_leader);
}
TEST(Vote, Isolated) {
  check_votes_of_sizes(tessera::to_all | tessera::isolated);
}

TEST(Vote, OneLaneIsElected) {
  SKIP_WITHOUT_BACKEND();
  check_elections<1>(tessera::policy<>{});
  check_elections<4>(tessera::policy<>{});
  check_elections<8>(tessera::converged);
  check_elections<16>(tessera::isolated);
  check_elections<32>(tessera::policy<>{});
}

#if TESSERA_CUDA
/// Two tiles of a warp take a lock, each in invoke_one, and release it after the call. (Lanes on a CPU don't take turns in f.)
struct takes_a_lock {
  int *lock, *gave_up, *count;

  template <class Tile>
  TESSERA_FN int operator()(Tile const& tile, int) const {
#if TESSERA_ARCH
    tessera::invoke_one(tile, [&] {
      for (int tries = 0; atomicCAS(lock, 0, 1) != 0; ++tries) {
        if (tries == 1 << 20) {
          atomicAdd(gave_up, 1);
          break;
        }
      }
      __threadfence();
    });
    if (tile.thread_rank() == 0) {
      *static_cast<int volatile*>(count) = *static_cast<int volatile*>(count) + 1;
      __threadfence();
      atomicExch(lock, 0);
    }
#endif
    return 0;
  }
};
TEST(Vote, InvokedFunctionsMayWaitForEachOther) {
  SKIP_WITHOUT_BACKEND();
  backend::array<int> memory(std::vector<int>(3));
  std::vector<int> const in(block_lanes_of(8));
  backend::run<8, int>(in, takes_a_lock{memory.data(), memory.data() + 1, memory.data() + 2});
  EXPECT_EQ(memory.to_host(), (std::vector<int>{0, 0, static_cast<int>(in.size() / 8)}));
}
#endif

}  // namespace
