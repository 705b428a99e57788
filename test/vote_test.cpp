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

}  // namespace
