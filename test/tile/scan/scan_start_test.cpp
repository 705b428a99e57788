// Inclusive scans with an initial value: of one value and of several items per lane, and of bools, on tiles
// of one warp and of several warps.
#include <tessera/block_tile.hpp>

#include "scan_cases.hpp"

namespace {

using namespace test;
using tessera::converged;
using tessera::isolated;
using tessera::items;
using tessera::suffix;
using tessera::with_total;

struct ScanStart : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

/// Checks the rows of the table, forwards and backwards.
template <class X, class Op, class Sizes = small_sizes>
void check_start(Op op, X (*sample_one)(random_engine&) = sample<X>, bool associative = true, Sizes of = {}) {
  constexpr auto call = scan_call::inclusive_with_init;
  check_scan_call<call, backend>(op, converged | with_total, sample_one, associative, of);
  check_scan_call<call, backend>(op, isolated | suffix, sample_one, associative, of);
}
auto const append = tessera::make_operator(digit_concatenation{}, digits{0, 1});

TEST_F(ScanStart, Ints) {
  check_start<int>(tessera::plus{});
}
TEST_F(ScanStart, FloatsWithNanAndZeros) {
  check_start<float>(tessera::plus{}, sample_special<float>, false);
}
TEST_F(ScanStart, DoublesWithNan) {
  check_start<double>(tessera::plus{}, sample_special<double>, false);
}
TEST_F(ScanStart, Counts) {
  check_start<bool>(tessera::plus{});
}
TEST_F(ScanStart, Bools) {
  check_start<bool>(tessera::logical_and{}, sample_truth<bool>);
  check_start<bool>(tessera::bit_xor{});
}
TEST_F(ScanStart, MatricesWithoutIdentity) {
  check_start<matrix>(matrix_product{});
}
TEST_F(ScanStart, StringsOfDigits) {
  check_start<digits>(append);
}
TEST_F(ScanStart, ThreeFloats) {
  check_start(tessera::plus{}, sample_items<float, 3>, false);
}
TEST_F(ScanStart, TwoBrackets) {
  check_start(tessera::make_operator(bracket_concatenation{}, brackets{0, 0}), sample_items<brackets, 2>);
}
TEST_F(ScanStart, TwoBools) {
  check_start(tessera::plus{}, sample_items<bool, 2>);
}

TEST_F(ScanStart, OfSeveralWarps) {
  check_start<digits>(append, sample<digits>, true, large_sizes{});
  check_start<float>(tessera::plus{}, sample<float>, false, sizes<64, 256>{});
  check_start<bool>(tessera::plus{}, sample<bool>, true, sizes<128>{});
  check_start(tessera::plus{}, sample_items<float, 3>, false, sizes<512>{});
}

/// In a block of any size, appends the last digits of the ranks to an initial string, or prepends them.
template <unsigned N>
struct padded_scan {
  template <class Block>
  TESSERA_FN scan_output<digits, digits> operator()(Block const& block) const {
    auto const op = tessera::make_operator(digit_concatenation{}, digits{0, 1});
    auto const tile = tessera::padded_block_tile<N>(block);
    digits const x{tile.thread_rank() % 10 + 1, 10};
    auto const up = tessera::inclusive_scan(tile, x, op, digits{5, 10}, with_total | tessera::first(40));
    auto const down = tessera::inclusive_scan(tile, x, op, digits{5, 10}, suffix);
    return {up.value, digit_concatenation{}(up.total, down)};
  }
};
template <unsigned N>
void check_padded(std::initializer_list<unsigned> threads_of) {
  for (unsigned threads : threads_of) {
    auto const out = backend::run_block<scan_output<digits, digits>>(threads, padded_scan<N>{});
    digits up{5, 10}, total{0, 1};
    for (unsigned rank = 0; rank < threads && rank < 40; ++rank)
      total = digit_concatenation{}(total, digits{rank % 10 + 1, 10});
    digits down{5, 10};
    std::vector<digits> from(threads);
    for (unsigned rank = threads; rank-- > 0;)
      from[rank] = down = digit_concatenation{}(digits{rank % 10 + 1, 10}, down);
    for (unsigned rank = 0; rank < threads; ++rank) {
      if (rank < 40) up = digit_concatenation{}(up, digits{rank % 10 + 1, 10});
      ASSERT_TRUE(same(out[rank].value, up)) << "block of " << threads << ", thread " << rank;
      ASSERT_TRUE(same(out[rank].total, digit_concatenation{}(total, from[rank])))
          << "block of " << threads << ", thread " << rank;
    }
  }
}
TEST_F(ScanStart, BlocksOfAnySize) {
  check_padded<64>({1, 5, 31, 32, 40, 63, 64});
  check_padded<256>({1, 31, 32, 34, 64, 66, 100, 160, 255, 256});
  check_padded<1024>({40, 1000, 1024});
}

}  // namespace
