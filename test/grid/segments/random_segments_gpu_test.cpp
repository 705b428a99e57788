// Random segments through grid::reduce_segments.
#include <tessera/grid/segments.hpp>

#include "drawn_offsets.hpp"
#include "random_gpu.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;
using GridRandomSegments = GridRandom;

template <class T, class Offset>
void check_segments(GridRandom& test, std::uint64_t seed) {
  case_draw from(seed);
  std::string text;
  auto const begins = drawn_offsets<Offset>(from, most_elements(from.chance(10) ? 1 << 20 : 1 << 15), text);
  auto const offset = static_cast<std::size_t>(from.chance(50) ? 0 : from.number(0, 40));
  text += ", " + std::to_string(sizeof(T)) + " bytes, offset " + std::to_string(offset);
  auto const x = drawn<T>(from, static_cast<std::int64_t>(begins.back()), text);
  SCOPED_TRACE(text);
  device_array<T> const in(x, offset);
  device_array<Offset> const offsets(begins);
  auto const segments = static_cast<std::int64_t>(begins.size()) - 1;
  auto const reduced = [&](auto op) {
    using out_t = grid::reduced_t<T, decltype(op)>;
    return test.results<out_t>(segments, [&](out_t* out, grid::execution on) {
      return grid::reduce_segments(in.data(), offsets.data(), segments, out, op, on);
    });
  };
  auto const sums = reduced(tessera::plus{});
  auto const products = reduced(tessera::multiplies{});
  auto const least = reduced(tessera::minimum{});
  auto const greatest = reduced(tessera::maximum{});
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (std::size_t s = 0; s < sums.size() && !testing::Test::HasFailure(); ++s) {
    auto const begin = static_cast<std::size_t>(begins[s]), end = static_cast<std::size_t>(begins[s + 1]);
    SCOPED_TRACE("segment " + std::to_string(s) + ", elements " + std::to_string(begin) + " to " + std::to_string(end));
    if constexpr (is_any_float<T>) {
      auto const length = static_cast<double>(end - begin);
      auto const values = as_doubles(x.data() + begin, static_cast<std::int64_t>(end - begin));
      constexpr arithmetic how = arithmetic_of<computed_in<T>>();
      auto const sum = expected_sum(values, length / 512 + 80, how);
      auto const product = expected_product(values, length, how);
      EXPECT_TRUE(sum.allows(as_double(sums[s]))) << "sum " << as_double(sums[s]) << ", not " << sum.value;
      EXPECT_TRUE(product.allows(as_double(products[s])))
          << "product " << as_double(products[s]) << ", not " << product.value;
      EXPECT_TRUE((expectation{expected_extreme(values, false, inf)}).allows(as_double(least[s])))
          << "minimum " << as_double(least[s]);
      EXPECT_TRUE((expectation{expected_extreme(values, true, -inf)}).allows(as_double(greatest[s])))
          << "maximum " << as_double(greatest[s]);
    } else {
      using U = std::make_unsigned_t<T>;
      U sum = 0, product = 1;
      T low = std::numeric_limits<T>::max(), high = std::numeric_limits<T>::lowest();
      for (std::size_t i = begin; i < end; ++i) {
        sum += static_cast<U>(x[i]);
        product *= static_cast<U>(x[i]);
        low = std::min(low, x[i]);
        high = std::max(high, x[i]);
      }
      EXPECT_EQ(sums[s], static_cast<T>(sum));
      EXPECT_EQ(products[s], static_cast<T>(product));
      EXPECT_EQ(least[s], low);
      EXPECT_EQ(greatest[s], high);
    }
  }
  EXPECT_TRUE(all_same_bits(in.to_host(), x) && all_same_bits(offsets.to_host(), begins)) << "arguments have changed";
}

TEST_F(GridRandomSegments, Segments) {
  each_random_case(0.15, [&](std::uint64_t seed) {
    switch (seed % 8) {
      case 0:
        return check_segments<float, std::int32_t>(*this, seed);
      case 1:
        return check_segments<double, std::int64_t>(*this, seed);
      case 2:
        return check_segments<__half, std::int32_t>(*this, seed);
      case 3:
        return check_segments<__nv_bfloat16, std::int64_t>(*this, seed);
      case 4:
        return check_segments<std::int32_t, std::int64_t>(*this, seed);
      case 5:
        return check_segments<std::uint32_t, std::uint32_t>(*this, seed);
      case 6:
        return check_segments<std::int64_t, std::int32_t>(*this, seed);
      default:
        return check_segments<std::uint64_t, std::uint64_t>(*this, seed);
    }
  });
}

}  // namespace
