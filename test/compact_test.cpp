// compact for types of 1 to 12 bytes.
#include "compact_cases.hpp"

namespace {

using namespace test;

TEST(Compact, Ints) {
  check_compact_of_sizes<int>();
}
TEST(Compact, TwelveBytesConverged) {
  check_compact_of_sizes<row<12>>(tessera::converged);
}
TEST(Compact, BytesIsolated) {
  check_compact_of_sizes<unsigned char>(tessera::isolated);
}

}  // namespace
