// Sorts of many keys by digits, where each warp exchanges neighbors that share one.
#include "sort_by_digits_cases.hpp"

namespace {

using namespace test;
using namespace test::sorts_by_digits;

template <class Key, unsigned K>
struct sorts_pairs {
  words_of words;

  template <class Block>
  TESSERA_FN unsigned operator()(Block const& block) const {
    auto const tile = tessera::this_block_tile<1024>(block);
    return wrong_pairs<Key, K>(tile, 1024 * K, words, tessera::less{}, tessera::policy<>{});
  }
};
template <class Key, unsigned K>
void check_pairs(char const* what, words_of const& words) {
  auto const wrong = backend::run_block<unsigned>(1024, sorts_pairs<Key, K>{words});
  for (unsigned thread = 0; thread < 1024; ++thread) ASSERT_EQ(wrong[thread], 0u) << what << ", thread " << thread;
}

TEST(SortByDigitsTies, FourItems) {
  SKIP_WITHOUT_BACKEND();
  check_pairs<unsigned, 4>("random", {kind::random});
  check_pairs<unsigned, 4>("close_ones", {kind::close_ones});
}
/// A warp has the keys of 128 places.
TEST(SortByDigitsTies, AcrossWarps) {
  SKIP_WITHOUT_BACKEND();
  check_pairs<unsigned, 4>("the last and the first", {kind::tied_once, 255, 2, 1});
  check_pairs<unsigned, 4>("1 | 2 0", {kind::tied_once, 255, 3, 2});
  check_pairs<unsigned, 4>("2 0 | 1", {kind::tied_once, 254, 3, 1});
  check_pairs<unsigned, 4>("2 1 0 |", {kind::tied_once_falling, 253, 3});
}
TEST(SortByDigitsTies, LongRunOfAWarp) {
  SKIP_WITHOUT_BACKEND();
  check_pairs<unsigned, 4>("15 falling", {kind::tied_once_falling, 300, 15});
}
TEST(SortByDigitsTies, MoreThanAWarpSettles) {
  SKIP_WITHOUT_BACKEND();
  check_pairs<unsigned, 2>("14 tied", {kind::tied, 0, 14});
  check_pairs<unsigned, 2>("40 tied", {kind::tied, 0, 40});
}
TEST(SortByDigitsTies, LongKeys) {
  SKIP_WITHOUT_BACKEND();
  check_pairs<unsigned long long, 2>("close_ones", {kind::close_ones});
}

}  // namespace
