// Joint scans with `suffix`, and scans of a sequence in pieces, whose carry goes from piece to piece.
#include <tessera/operators/affine.hpp>

#include "joint_scan_cases.hpp"

namespace {

using namespace test;
using tessera::suffix;
using tessera::with_total;

TEST(JointScanSuffix, IntegersOf8Bits) {
  check_joint_scans<signed char>(tessera::plus{}, sample<signed char>, true, sizes<1, 8, 32>{}, suffix);
}
TEST(JointScanSuffix, Floats) {
  check_joint_scans<float>(tessera::plus{}, sample<float>, false, joint_sizes{}, suffix);
}
TEST(JointScanSuffix, StructsOf12Bytes) {
  check_joint_scans<row<12>>(tessera::make_operator(compose_rows<12>{}, row<12>{{1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0}}),
                             sample<row<12>>, true, sizes<8, 32>{}, suffix);
}
/// The addresses may also not be multiples of the size; then there are no vectors.
TEST(JointScanSuffix, StructsOf4BytesWithoutIdentity) {
  check_joint_scans<row<4>>(compose_rows<4>{}, sample<row<4>>, true, sizes<2, 16>{}, suffix);
}
TEST(JointScanSuffix, OfSeveralWarps) {
  check_joint_scans<digits>(digit_concatenation{}, sample<digits>, true, sizes<64, 512>{}, suffix);
  check_joint_scans<double>(tessera::plus{}, sample_special<double>, false, sizes<128>{}, suffix);
}

// ---- What a function gives: it is told the index in the range, and called with elements only.

struct index_and_value {
  TESSERA_FN digits operator()(unsigned short x, long long i) const {
    return {(x + static_cast<unsigned>(i)) % 10, 10};
  }
};
struct transform_ranges {
  template <class Tile>
  TESSERA_FN int operator()(Tile const& tile, scan_input<digits> in) const {
    auto const* const first = reinterpret_cast<unsigned short const*>(in.first);
    tessera::joint_transform_inclusive_scan(tile, first, in.n, in.inclusive, digit_concatenation{}, index_and_value{},
                                            in.start, suffix);
    tessera::joint_transform_exclusive_scan(tile, first, in.n, in.exclusive, digit_concatenation{}, index_and_value{},
                                            in.start, suffix);
    return 0;
  }
};
TEST(JointScanSuffix, OfAFunction) {
  SKIP_WITHOUT_BACKEND();
  random_engine random(7);
  auto const ranges = make_ranges<8>(random, sample<unsigned short>);
  std::vector<placed_values<digits>> out;
  std::vector<scan_input<digits>> lanes;
  digits const start{7, 10};
  for (auto const& range : ranges) {
    std::size_t const at = out.size();
    for (int i = 0; i < 2; ++i) out.emplace_back(std::vector<digits>(range.x.size()), 0);
    auto const* const first = reinterpret_cast<digits const*>(range.memory.data());
    lanes.insert(lanes.end(), 8, {first, nullptr, out[at].data(), out[at + 1].data(), nullptr, range.n, start});
  }
  backend::run<8, int>(lanes, transform_ranges{});
  for (std::size_t tile = 0; tile < ranges.size(); ++tile) {
    auto const& range = ranges[tile];
    std::vector<digits> terms;
    for (unsigned short x : range.x) terms.push_back(index_and_value{}(x, static_cast<long long>(terms.size())));
    auto const expected = scan_model<digits, unsigned short>(terms, range.shift, 8, start, digit_concatenation{}, true);
    ASSERT_TRUE(all_same(out[2 * tile].to_host(), expected.inclusive)) << range.n;
    ASSERT_TRUE(all_same(out[2 * tile + 1].to_host(), expected.exclusive)) << range.n;
  }
}

// ---- A sequence in pieces

using int_step = tessera::affine_map<int>;

/// What stands later is done first, as of a recurrence from the end.
struct later_first {
  TESSERA_FN int_step operator()(int_step earlier, int_step later) const { return tessera::affine{}(later, earlier); }
};

struct recurrences {
  static constexpr int n = 1003;
  int_step const* steps;
  int_step* forward;   // each tile's n results
  int_step* backward;  // the same

  template <class Tile>
  TESSERA_FN int operator()(Tile const& tile, unsigned number) const {
    int_step* const to_right = forward + number * n;
    int_step* const to_left = backward + number * n;
    int const piece = 90 + static_cast<int>(number);
    auto carry = tessera::as_affine(0, 5);
    for (int at = 0; at < n; at += piece) {
      int const length = at + piece < n ? piece : n - at;
      carry = tessera::affine{}(carry, tessera::joint_inclusive_scan(tile, steps + at, length, to_right + at,
                                                                     tessera::affine{}, carry, with_total));
    }
    auto const from_the_end = tessera::make_operator(later_first{}, tessera::as_affine(1, 0));
    auto behind = tessera::as_affine(0, -3);
    for (int end = n; end > 0; end -= piece) {
      int const length = end > piece ? piece : end, at = end - length;
      behind = later_first{}(tessera::joint_exclusive_scan(tile, steps + at, length, to_left + at, from_the_end, behind,
                                                           suffix | with_total),
                             behind);
    }
    return carry.b ^ ~behind.b ^ carry.a ^ behind.a;
  }
};
TEST(JointScanSuffix, TheCarryGoesFromPieceToPiece) {
  SKIP_WITHOUT_BACKEND();
  constexpr int n = recurrences::n;
  constexpr unsigned tiles = block_lanes / 32;
  random_engine random(3);
  std::vector<int_step> steps;
  for (int i = 0; i < n; ++i) steps.push_back({static_cast<int>(random() % 7) - 3, static_cast<int>(random() % 100)});
  backend::array<int_step> in(steps);
  backend::array<int_step> forward(std::vector<int_step>(tiles * n)), backward(std::vector<int_step>(tiles * n));
  std::vector<unsigned> numbers;
  for (unsigned lane = 0; lane < block_lanes; ++lane) numbers.push_back(lane / 32);
  auto const got = backend::run<32, int>(numbers, recurrences{in.data(), forward.data(), backward.data()});
  auto const to_right = forward.to_host(), to_left = backward.to_host();
  for (unsigned tile = 0; tile < tiles; ++tile) {
    int h = 5, g = -3;
    for (int i = 0; i < n; ++i) {
      h = steps[static_cast<unsigned>(i)](h);
      ASSERT_EQ(to_right[tile * n + static_cast<unsigned>(i)].b, h) << i;
    }
    for (int i = n - 1; i >= 0; --i) {
      ASSERT_EQ(to_left[tile * n + static_cast<unsigned>(i)].b, g) << i;
      g = steps[static_cast<unsigned>(i)](g);
    }
    for (unsigned rank = 0; rank < 32; ++rank) ASSERT_EQ(got[tile * 32 + rank], h ^ ~g);
  }
}

}  // namespace
