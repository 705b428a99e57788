// Sorts of a block by digits: keys that share digits in every way, numbers of all kinds, blocks of any size.
#include "sort_by_digits_cases.hpp"

namespace {

using namespace test;
using namespace test::sorts_by_digits;

/// How many are wrong after sorts with positions, of keys alone, and that needn't be stable.
template <class Key, unsigned K, class Tile, class Policy, class Before>
TESSERA_FN unsigned wrong_places(Tile const& tile, unsigned limit, words_of const& words, Before before,
                                 Policy policy) {
  unsigned wrong = wrong_pairs<Key, K>(tile, limit, words, before, policy);
  keys_at<Key, K> const given(tile.thread_rank() * K, words);
  auto const sorted = tessera::stable_sort_by_key(tile, given.key, given.position, before, policy);
  auto const alone = tessera::stable_sort(tile, given.key, before, policy);
  auto const loose = tessera::sort_by_key(tile, given.key, given.position, before, policy);
  for (unsigned i = 0; i < K; ++i) {
    wrong += tessera::detail::same_bits(alone[i], sorted.keys[i]) ? 0 : 1;
    wrong += before(loose.keys[i], alone[i]) || before(alone[i], loose.keys[i]) ? 1 : 0;
  }
  return wrong;
}

template <unsigned N, class Key, unsigned K>
struct sorts {
  unsigned threads;
  words_of words;

  template <class Block>
  TESSERA_FN unsigned operator()(Block const& block) const {
    unsigned const all = threads * K, some = all - all / 3;
    if (threads == N) {
      auto const tile = tessera::this_block_tile<N>(block);
      return wrong_places<Key, K>(tile, all, words, tessera::less{}, tessera::policy<>{}) +
             wrong_places<Key, K>(tile, some, words, tessera::greater{}, tessera::first(some));
    }
    auto const tile = tessera::padded_block_tile<N>(block);
    return wrong_places<Key, K>(tile, all, words, tessera::less{}, tessera::policy<>{}) +
           wrong_places<Key, K>(tile, 0, words, tessera::less{}, tessera::first(0));
  }
};

template <unsigned N, class Key, unsigned K>
void check_kind(char const* what, unsigned threads, words_of const& words) {
  auto const wrong = backend::run_block<unsigned>(threads, sorts<N, Key, K>{threads, words});
  for (unsigned thread = 0; thread < threads; ++thread)
    ASSERT_EQ(wrong[thread], 0u) << what << ", block of " << threads << ", thread " << thread;
}
template <unsigned N, class Key, unsigned K>
void check_kinds(unsigned threads = N) {
  SKIP_WITHOUT_BACKEND();
  check_kind<N, Key, K>("random", threads, {kind::random});
  check_kind<N, Key, K>("few", threads, {kind::few});
  check_kind<N, Key, K>("close_ones", threads, {kind::close_ones});
  check_kind<N, Key, K>("17 tied", threads, {kind::tied, 0, 17});  // a sort puts as many in order among themselves
  check_kind<N, Key, K>("18 tied", threads, {kind::tied, 0, 18});
  check_kind<N, Key, K>("outlier", threads, {kind::outlier});
  check_kind<N, Key, K>("straddling", threads, {kind::straddling, 32 * K});  // the places of two warps
  check_kind<N, Key, K>("falling", threads, {kind::falling});
  check_kind<N, Key, K>("equal", threads, {kind::equal});
}

#if TESSERA_TEST_HAS_PART(0)
TEST(SortByDigits, Words) {
  check_kinds<256, unsigned, 4>();
}
TEST(SortByDigits, BlocksOfAnySize) {
  check_kinds<256, unsigned, 4>(33);
  check_kinds<256, unsigned, 4>(100);
  check_kinds<256, unsigned, 4>(255);
}
#endif
#if TESSERA_TEST_HAS_PART(1)
TEST(SortByDigits, OneAndThreeItems) {
  check_kinds<128, unsigned, 1>();
  check_kinds<128, unsigned, 3>();
}
#endif
#if TESSERA_TEST_HAS_PART(2)
TEST(SortByDigits, LongKeys) {
  check_kinds<128, unsigned long long, 4>();
}
TEST(SortByDigits, Floats) {
  check_kinds<64, float, 4>();
}
#endif

}  // namespace
