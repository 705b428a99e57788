// Sorts of many keys by digits, where each warp exchanges neighbors that share one.
#include "sort_by_digits_cases.hpp"

namespace {

using namespace test;
using namespace test::sorts_by_digits;

/// Keys in order, but for Count from place From on, which share a digit. The first `Step` of them come last.
template <unsigned From, unsigned Count, unsigned Step>
struct tied_once {
  TESSERA_FN unsigned operator()(unsigned i) const {
    bool const is_tied = i >= From && i < From + Count;
    return is_tied ? From << 16 | (i - From + Count - Step) % Count : i << 16;
  }
};
/// The same, each but the first coming before all that precede it.
template <unsigned From, unsigned Count>
struct tied_once<From, Count, 0> {
  TESSERA_FN unsigned operator()(unsigned i) const {
    return i >= From && i < From + Count ? From << 16 | (From + Count - 1 - i) : i << 16;
  }
};

template <class Key, unsigned K, class Kind>
struct sorts_pairs {
  template <class Block>
  TESSERA_FN unsigned operator()(Block const& block) const {
    auto const tile = tessera::this_block_tile<1024>(block);
    return wrong_pairs<Key, K>(tile, 1024 * K, Kind{}, tessera::less{}, tessera::policy<>{});
  }
};
template <class Key, unsigned K, class Kind>
void check_pairs(char const* what) {
  auto const wrong = backend::run_block<unsigned>(1024, sorts_pairs<Key, K, Kind>{});
  for (unsigned thread = 0; thread < 1024; ++thread)
    ASSERT_EQ(wrong[thread], 0u) << what << ", thread " << thread;
}

TEST(SortByDigitsTies, FourItems) {
  SKIP_WITHOUT_BACKEND();
  check_pairs<unsigned, 4, random_words>("random");
  check_pairs<unsigned, 4, close_ones>("close_ones");
}
/// A warp has the keys of 128 places.
TEST(SortByDigitsTies, AcrossWarps) {
  SKIP_WITHOUT_BACKEND();
  check_pairs<unsigned, 4, tied_once<255, 2, 1>>("the last and the first");
  check_pairs<unsigned, 4, tied_once<255, 3, 2>>("1 | 2 0");
  check_pairs<unsigned, 4, tied_once<254, 3, 1>>("2 0 | 1");
  check_pairs<unsigned, 4, tied_once<253, 3, 0>>("2 1 0 |");
}
TEST(SortByDigitsTies, LongRunOfAWarp) {
  SKIP_WITHOUT_BACKEND();
  check_pairs<unsigned, 4, tied_once<300, 15, 0>>("15 falling");
}
TEST(SortByDigitsTies, MoreThanAWarpSettles) {
  SKIP_WITHOUT_BACKEND();
  check_pairs<unsigned, 2, tied_ones<14>>("14 tied");
  check_pairs<unsigned, 2, tied_ones<40>>("40 tied");
}
TEST(SortByDigitsTies, LongKeys) {
  SKIP_WITHOUT_BACKEND();
  check_pairs<unsigned long long, 2, close_ones>("close_ones");
}

}  // namespace
