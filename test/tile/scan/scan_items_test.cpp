// Scans of several items per lane, and identities between collectives.
#include <tessera/lanes.hpp>
#include <tessera/segmented.hpp>

#include "scan_cases.hpp"

namespace {

using namespace test;
using tessera::items;

struct ScanItems : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

TEST_F(ScanItems, FourInts) {
  check_scan(tessera::plus{}, sample_items<int, 4>);
}
TEST_F(ScanItems, ThreeFloats) {
  check_scan(tessera::plus{}, sample_items<float, 3>, false);
}
TEST_F(ScanItems, TwoBrackets) {
  check_scan(tessera::make_operator(bracket_concatenation{}, brackets{0, 0}), sample_items<brackets, 2>);
}
TEST_F(ScanItems, TwoBools) {
  check_scan(tessera::plus{}, sample_items<bool, 2>);
}

/// Identities that hold bit for bit for all values. Each result is 1 if the identity holds.
struct scan_laws {
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, lane_input<digits> in) const {
    auto const op = tessera::make_operator(digit_concatenation{}, digits{0, 1});
    unsigned const last = tile.size() - 1;
    auto const equal = [](digits a, digits b) { return a.value == b.value && a.shift == b.shift; };
    digits const up = tessera::inclusive_scan(tile, in.x, op);
    digits const before = tessera::exclusive_scan(tile, in.x, op);
    digits const down = tessera::inclusive_scan(tile, in.x, op, tessera::suffix);
    digits const all = tessera::reduce(tile, in.x, op);
    unsigned ok = 0;
    ok |= equal(tessera::broadcast(tile, up, last), all) ? 1 : 0;
    ok |= equal(tessera::broadcast(tile, down, 0), all) ? 2 : 0;
    ok |= equal(before, tessera::shift_up(tile, up, 1, digits{0, 1})) ? 4 : 0;
    // A suffix scan equals a prefix scan of the reversed values by the reversed operator.
    auto const backwards =
        tessera::make_operator([](digits a, digits b) { return digit_concatenation{}(b, a); }, digits{0, 1});
    digits const reversed = tessera::shuffle(tile, in.x, last - tile.thread_rank());
    digits const mirrored = tessera::inclusive_scan(tile, reversed, backwards);
    ok |= equal(down, tessera::shuffle(tile, mirrored, last - tile.thread_rank())) ? 8 : 0;
    // A segmented scan with one segment equals a scan.
    ok |= equal(up, tessera::segmented_inclusive_scan(tile, in.x, tile.thread_rank() == 0, op)) ? 16 : 0;
    ok |= equal(before, tessera::segmented_exclusive_scan(tile, in.x, false, op)) ? 32 : 0;
    ok |= equal(all, tessera::segmented_reduce(tile, in.x, tessera::by_tail(false), op)) ? 64 : 0;
    return ok;
  }
};

template <unsigned N>
void check_laws() {
  random_engine random(N);
  auto const out = backend::run<N, unsigned>(make_lanes<digits>(N, random, sample<digits>), scan_laws{});
  for (unsigned i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], 127u) << "N " << N << ", lane " << i;
}

TEST_F(ScanItems, Identities) {
  check_laws<1>();
  check_laws<2>();
  check_laws<4>();
  check_laws<8>();
  check_laws<16>();
  check_laws<32>();
}

}  // namespace
