// Random arrays through grid::histogram.
#include <tessera/grid/histogram.hpp>

#include "histogram_reference.hpp"
#include "random_gpu.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;
using GridRandomHistogram = GridRandom;

/// Random bounds, the lower one first.
template <class T>
std::pair<bound_of<T>, bound_of<T>> drawn_bounds(case_draw& from) {
  using bound = bound_of<T>;
  if constexpr (std::is_integral_v<T>) {
    auto const low = std::numeric_limits<T>::lowest(), high = std::numeric_limits<T>::max();
    if (from.chance(20)) return {static_cast<bound>(low), static_cast<bound>(high)};
    if (from.chance(30)) return {bound{0}, static_cast<bound>(from.number(1, 100))};
    auto a = static_cast<bound>(static_cast<T>(from.bits())), b = static_cast<bound>(static_cast<T>(from.bits()));
    if (a == b) b = static_cast<bound>(a == static_cast<bound>(low) ? a + 1 : a - 1);
    return {std::min(a, b), std::max(a, b)};
  } else {
    double const low = from.real(-6, 4), high = low + from.one_of({1e-3, 0.5, 3.0, 10.0});
    if (from.chance(20)) return {static_cast<bound>(-1e30), static_cast<bound>(1e30)};
    return {static_cast<bound>(low), static_cast<bound>(high)};
  }
}

template <class T>
void check_histogram(GridRandom& test, std::uint64_t seed) {
  case_draw from(seed);
  std::int64_t const n = from.size(most_elements(from.chance(10) ? 1 << 24 : 1 << 17)),
                     bins = std::max<std::int64_t>(from.size(65536), 1);
  auto const offset = static_cast<std::size_t>(from.chance(50) ? 0 : from.number(0, 40));
  auto const [lower, upper] = drawn_bounds<T>(from);
  bool const with_outside = from.chance(70);
  std::string text = std::to_string(n) + " of " + std::to_string(sizeof(T)) + " bytes, offset " +
                     std::to_string(offset) + ", " + std::to_string(bins) + " bins over [" + std::to_string(lower) +
                     ", " + std::to_string(upper) + ")" + (with_outside ? ", outside" : "");
  auto const x = drawn<T>(from, n, text);
  SCOPED_TRACE(text);
  device_array<T> const in(x, offset);
  device_array<grid::out_of_range> const outside(std::size_t{1});
  auto const low = lower, high = upper;
  auto const counts = test.results<std::uint64_t>(bins, [&](std::uint64_t* out, grid::execution on) {
    return grid::histogram(in.data(), n, out, bins, low, high, with_outside ? outside.data() : nullptr, on);
  });
  auto const expected = expected_histogram(x, bins, low, high);
  for (std::size_t b = 0; b < counts.size(); ++b) ASSERT_EQ(counts[b], expected.counts[b]) << "bin " << b;
  if (with_outside) {
    auto const apart = outside.to_host()[0];
    EXPECT_EQ(apart.below, expected.below);
    EXPECT_EQ(apart.above, expected.above);
    EXPECT_EQ(apart.nan, expected.nan);
    EXPECT_TRUE(outside.guards_intact());
  }
  EXPECT_TRUE(all_same_bits(in.to_host(), x)) << "the array has changed";
}

TEST_F(GridRandomHistogram, Histograms) {
  each_random_case(0.1, [&](std::uint64_t seed) {
    switch (seed % 9) {
      case 0:
        return check_histogram<float>(*this, seed);
      case 1:
        return check_histogram<double>(*this, seed);
      case 2:
        return check_histogram<__half>(*this, seed);
      case 3:
        return check_histogram<__nv_bfloat16>(*this, seed);
      case 4:
        return check_histogram<std::int32_t>(*this, seed);
      case 5:
        return check_histogram<std::uint32_t>(*this, seed);
      case 6:
        return check_histogram<std::int64_t>(*this, seed);
      case 7:
        return check_histogram<std::uint64_t>(*this, seed);
      default:
        return check_histogram<std::uint8_t>(*this, seed);
    }
  });
}

}  // namespace
