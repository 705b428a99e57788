// match_any, match_all, peers and reduce_by_label, for keys of 1 to 16 bytes.
#include "match_cases.hpp"

namespace {

using namespace test;

TEST(Match, Bytes) {
  check_matches<unsigned char>();
}
TEST(Match, IntsConverged) {
  check_matches<int>(tessera::converged);
}
TEST(Match, FloatsByTheirBits) {
  check_matches<float>(tessera::isolated);
}
TEST(Match, SixteenBytes) {
  check_matches<wide_key>();
}

}  // namespace
