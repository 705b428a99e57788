// reduce, argmin, argmax, minmax and moments of arrays, through the library's plain C++ interface, against sequential
// references.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <tessera/grid/reduce.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "device_array.hpp"
#include "gpu.hpp"
#include "numbers.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;
using tessera::indexed;

std::vector<std::int64_t> const sizes =
    worthwhile({0,    1,    2,    3,    4,    5,     7,     8,     9,     31,     127,     1023,    1024,   1025,
                2047, 4093, 4096, 4097, 8191, 16384, 16411, 65537, 99991, 131072, 1048573, 1048577, 9999991});

/// A value as double, or as it is where it is an integer.
template <class T>
auto plain(T x) {
  if constexpr (is_any_float<T>) {
    return as_double(x);
  } else {
    return x;
  }
}
template <class T>
std::vector<T> random_values(std::int64_t n, std::uint64_t seed) {
  return random_numbers<T>(n, -1, 1, static_cast<unsigned>(seed));
}

template <class T>
bool is_nan(T x) {
  if constexpr (is_any_float<T>) {
    return std::isnan(plain(x));
  } else {
    return false;
  }
}

/// The greater (the lesser) of two as IEEE 754-2019 has it.
template <bool Greater, class T>
T extreme(T a, T b) {
  if (is_nan(a) || is_nan(b)) return is_nan(a) ? a : b;
  auto const x = plain(a), y = plain(b);
  if (x == y) {
    if constexpr (is_any_float<T>) return std::signbit(x) != Greater ? a : b;
    return a;
  }
  return (x < y) != Greater ? a : b;
}
template <bool Greater, class T>
T worst() {
  if constexpr (is_any_float<T>) {
    return rounded<T>(Greater ? -INFINITY : INFINITY);
  } else {
    return Greater ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
  }
}

template <class T>
struct GridReduceOf : WithWorkspace {};
using all_types =
    testing::Types<float, double, __half, __nv_bfloat16, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(GridReduceOf, all_types);

/// What `call(in, n, out, execution)` gives; that it writes nothing else and the same bits twice, with the workspace
/// and without.
template <class Result, class T, class Call>
Result run(device_array<T> const& in, std::size_t offset, grid::workspace& memory, Call call) {
  device_array<Result> const out(1), again(1);
  auto const n = static_cast<std::int64_t>(in.size());
  EXPECT_EQ(call(in.data(), n, out.data(), memory), cudaSuccess);
  EXPECT_EQ(call(in.data(), n, again.data(), nullptr), cudaSuccess);
  Result const result = out.to_host()[0];
  EXPECT_TRUE(same_bits(result, again.to_host()[0])) << "n " << n << ", offset " << offset;
  EXPECT_TRUE(out.guards_intact());
  return result;
}
/// Of values at this offset.
template <class Result, class T, class Call>
Result run(std::vector<T> const& x, std::size_t offset, grid::workspace& memory, Call call) {
  return run<Result>(device_array<T>(x, offset), offset, memory, call);
}

template <class T, class Op>
grid::reduced_t<T, Op> run_reduce(std::vector<T> const& x, std::size_t offset, grid::workspace& memory, Op op,
                                  grid::order how = grid::order::this_device) {
  return run<grid::reduced_t<T, Op>>(x, offset, memory,
                                     [&](T const* in, std::int64_t n, auto* out, grid::execution on) {
                                       return grid::reduce(in, n, out, op, how, on);
                                     });
}

/// How often a value is rounded on its way into a sum of n, at most. A lane adds its elements to four sums (two of 8
/// bytes), as many as its share of the array is, with a step more at its end; then come the trees of a lane, a block,
/// and all blocks.
double roundings(std::int64_t n) {
  double const shares = 264.0 * 512 * 2;
  return std::ceil(static_cast<double>(n) / shares) + 32 + 2 * 12;
}

TYPED_TEST(GridReduceOf, Sum) {
  using T = TypeParam;
  using R = grid::reduced_t<T, tessera::plus>;
  for (std::int64_t n : sizes_of<T>(sizes)) {
    auto const x = random_values<T>(n, 1 + static_cast<std::uint64_t>(n));
    std::conditional_t<is_any_float<T>, long double, std::uint64_t> expected = 0;
    long double magnitude = 0;
    for (T value : x) {
      if constexpr (is_any_float<T>) {
        expected += plain(value), magnitude += std::fabs(plain(value));
      } else {
        expected += static_cast<std::uint64_t>(value);
      }
    }
    for (std::size_t offset : {0, 1, 3}) {
      for (auto how : {grid::order::this_device, grid::order::any_device}) {
        R const sum = run_reduce(x, offset, this->memory, tessera::plus{}, how);
        if constexpr (is_any_float<T>) {
          ASSERT_LE(std::fabs(static_cast<double>(sum - expected)),
                    roundings(n) * unit<T> * static_cast<double>(magnitude))
              << "n " << n << ", offset " << offset;
        } else {
          ASSERT_EQ(sum, static_cast<T>(expected)) << "n " << n << ", offset " << offset;
        }
      }
    }
  }
}

TYPED_TEST(GridReduceOf, Product) {
  using T = TypeParam;
  using R = grid::reduced_t<T, tessera::multiplies>;
  for (std::int64_t n : {0, 1, 5, 1025, 65537}) {
    auto x = random_values<T>(n, 7);
    double const factors[] = {1.25, -0.75, 1.375, 0.77575};  // their product is about 1
    if constexpr (is_any_float<T>) {
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = rounded<T>(factors[i % 4]);
    } else {
      for (T& value : x) value = static_cast<T>(value | 1);
    }
    R const product = run_reduce(x, 1, this->memory, std::multiplies<>{});
    if constexpr (is_any_float<T>) {
      long double expected = 1;
      for (T value : x) expected *= plain(value);
      double const smallest = std::numeric_limits<R>::denorm_min();  // what underflows is off by less
      ASSERT_LE(std::fabs(static_cast<double>(product - expected)),
                static_cast<double>(n) * unit<T> * static_cast<double>(std::fabs(expected)) + smallest)
          << "n " << n;
    } else {
      using wide = std::make_unsigned_t<T>;
      wide expected = 1;
      for (T value : x) expected = static_cast<wide>(static_cast<std::uint64_t>(expected) * static_cast<wide>(value));
      ASSERT_EQ(product, static_cast<T>(expected)) << "n " << n;
    }
  }
}

TYPED_TEST(GridReduceOf, MinimumAndMaximum) {
  using T = TypeParam;
  for (std::int64_t n : sizes_of<T>(sizes)) {
    auto x = random_values<T>(n, 3 + static_cast<std::uint64_t>(n));
    for (int special = 0; special < (is_any_float<T> && n > 2 && n < 2000000 ? 4 : 1); ++special) {
      if (special == 1) x[x.size() / 2] = rounded<T>(INFINITY), x[x.size() / 3] = rounded<T>(-INFINITY);
      if (special == 2) x[x.size() - 1] = rounded<T>(NAN);
      if constexpr (is_any_float<T>) {
        for (std::size_t i = 0; special == 3 && i < x.size(); ++i)
          x[i] = rounded<T>((static_cast<double>(i * 7 % 5) - 2) * as_double(smallest<T>()));
      }
      T least = worst<false, T>(), greatest = worst<true, T>();
      for (T value : x) least = extreme<false>(least, value), greatest = extreme<true>(greatest, value);
      for (std::size_t offset : {0, 1}) {
        ASSERT_TRUE(same_number(run_reduce(x, offset, this->memory, tessera::minimum{}), least)) << n;
        ASSERT_TRUE(same_number(run_reduce(x, offset, this->memory, tessera::maximum{}), greatest)) << n;
        auto const both = run<tessera::min_max<T>>(x, offset, this->memory,
                                                   [](T const* in, std::int64_t count, auto* out, grid::execution on) {
                                                     return grid::minmax(in, count, out, on);
                                                   });
        ASSERT_TRUE(same_number(both.min, least) && same_number(both.max, greatest)) << n;
      }
    }
  }
}

/// The first or the last of the greatest (the least) values; that NaN where there is one.
template <bool Greater, bool Last = false, class T>
indexed<T, std::int64_t> first_extreme(std::vector<T> const& x) {
  indexed<T, std::int64_t> best{worst<Greater, T>(), INT64_MAX};
  for (std::size_t i = 0; i < x.size(); ++i) {
    auto const value = plain(x[i]), so_far = plain(best.value);
    bool const ties = is_nan(x[i]) ? is_nan(best.value) : value == so_far;
    bool const worse = !is_nan(x[i]) && (is_nan(best.value) || (Greater ? value < so_far : value > so_far));
    if (best.index != INT64_MAX && (worse || (!Last && ties))) continue;
    best = {x[i], static_cast<std::int64_t>(i)};
  }
  return best;
}

/// Of each kind of ties into two arrays, and of the last into one place.
template <bool Greater, class T>
void check_ties(std::vector<T> const& x, device_array<T> const& in, std::size_t offset,
                indexed<T, std::int64_t> const& first, grid::workspace& memory, char const* what) {
  auto const last = first_extreme<Greater, true>(x);
  device_array<T> const values(3);
  device_array<std::int64_t> const indices(3);
  device_array<indexed<T, std::int64_t>> const out(1);
  auto const n = static_cast<std::int64_t>(x.size());
  T const* const begin = in.data();
  auto const arg = [&](auto... places) {
    return Greater ? grid::argmax(begin, n, places..., memory) : grid::argmin(begin, n, places..., memory);
  };
  ASSERT_EQ(arg(values.data(), indices.data()), cudaSuccess);
  ASSERT_EQ(arg(values.data() + 1, indices.data() + 1, grid::ties::first), cudaSuccess);
  ASSERT_EQ(arg(values.data() + 2, indices.data() + 2, grid::ties::last), cudaSuccess);
  ASSERT_EQ(arg(out.data(), grid::ties::last), cudaSuccess);
  auto const got = values.to_host();
  auto const at = indices.to_host();
  auto const one = out.to_host()[0];
  for (std::size_t i = 0; i < 3; ++i) {
    auto const& best = i == 2 ? last : first;
    ASSERT_EQ(at[i], best.index) << what << ", n " << n << ", offset " << offset << ", call " << i;
    ASSERT_TRUE(same_number(got[i], best.value)) << what << ", n " << n << ", call " << i;
  }
  ASSERT_EQ(one.index, last.index) << what << ", n " << n << ", offset " << offset;
  ASSERT_TRUE(same_number(one.value, last.value)) << what << ", n " << n;
}

/// By both calls, several times.
template <class T>
void check_arg(std::vector<T> const& x, grid::workspace& memory, char const* what, int times = 1) {
  auto const least = first_extreme<false>(x), greatest = first_extreme<true>(x);
  device_array<T> const arrays[] = {device_array<T>(x), device_array<T>(x, 1)};
  std::size_t const odd = x.size() % 2;
  check_ties<false>(x, arrays[odd], odd, least, memory, what);
  check_ties<true>(x, arrays[odd], odd, greatest, memory, what);
  for (int time = 0; time < 2 * times; ++time) {
    auto const offset = static_cast<std::size_t>(time % 2);
    auto const low = run<indexed<T, std::int64_t>>(
        arrays[offset], offset, memory,
        [](T const* in, std::int64_t n, auto* out, grid::execution on) { return grid::argmin(in, n, out, on); });
    auto const high = run<indexed<T, std::int64_t>>(
        arrays[offset], offset, memory,
        [](T const* in, std::int64_t n, auto* out, grid::execution on) { return grid::argmax(in, n, out, on); });
    ASSERT_EQ(low.index, least.index) << what << ", n " << x.size() << ", offset " << offset;
    ASSERT_EQ(high.index, greatest.index) << what << ", n " << x.size() << ", offset " << offset;
    ASSERT_TRUE(same_number(low.value, least.value)) << what << ", n " << x.size();
    ASSERT_TRUE(same_number(high.value, greatest.value)) << what << ", n " << x.size();
  }
}

TYPED_TEST(GridReduceOf, ArgminAndArgmax) {
  using T = TypeParam;
  for (std::int64_t n : sizes_of<T>(sizes)) {
    auto x = random_values<T>(n, 5 + static_cast<std::uint64_t>(n));
    check_arg(x, this->memory, "random");
    if (n == 0 || testing::Test::HasFatalFailure()) continue;
    std::mt19937_64 random(static_cast<std::uint64_t>(n));
    if constexpr (is_any_float<T>) {
      for (int i = 0; i < 3; ++i) x[random() % x.size()] = rounded<T>(NAN);
      check_arg(x, this->memory, "with NaN");
    }
    for (T& value : x) value = rounded<T>(static_cast<double>(random() % 3));
    check_arg(x, this->memory, "ties");
    if (n > 2000000) continue;  // long arrays have no branch of their own for what follows
    std::fill(x.begin(), x.end(), worst<true, T>());
    check_arg(x, this->memory, "all the least");
    std::fill(x.begin(), x.end(), worst<false, T>());
    check_arg(x, this->memory, "all the greatest");
    if constexpr (is_any_float<T>) {
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = rounded<T>(i % 5 == 4 ? 0.0 : -0.0);
      check_arg(x, this->memory, "zeros of both signs");
      for (T& value : x) value = rounded<T>(static_cast<double>(random() % 5) * as_double(smallest<T>()));
      for (std::size_t i = 0; i < x.size(); i += 3) x[i] = rounded<T>(-as_double(x[i]));
      check_arg(x, this->memory, "denormals");
      for (int i = 0; i < 3; ++i) {
        x[random() % x.size()] = rounded<T>(INFINITY);
        x[random() % x.size()] = rounded<T>(-INFINITY);
      }
      check_arg(x, this->memory, "infinities");
    } else {
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(i);
      check_arg(x, this->memory, "rising");
    }
  }
}

TYPED_TEST(GridReduceOf, Moments) {
  using T = TypeParam;
  for (std::int64_t n : sizes_of<T>(sizes)) {
    auto x = random_values<T>(n, 11 + static_cast<std::uint64_t>(n));
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
      for (T& value : x) value += T(1e6);
    }
    long double mean = 0, m2 = 0;
    for (T value : x) mean += plain(value);
    mean /= n > 0 ? static_cast<long double>(n) : 1;
    for (T value : x) m2 += (plain(value) - mean) * (plain(value) - mean);
    for (std::size_t offset : {0, 1}) {
      auto const got = run<tessera::moments<double>>(
          x, offset, this->memory, [](T const* in, std::int64_t count, auto* out, grid::execution on) {
            return grid::moments(in, count, out, on);
          });
      ASSERT_EQ(got.count, static_cast<double>(n));
      double const deviation = n > 0 ? static_cast<double>(std::sqrt(m2 / static_cast<long double>(n))) : 0;
      double const epsilon = std::numeric_limits<double>::epsilon();
      double const away = std::fabs(static_cast<double>(mean)) + deviation;  // means are rounded at this size
      ASSERT_NEAR(got.mean, static_cast<double>(mean), 64 * epsilon * away) << n;
      ASSERT_NEAR(got.m2, static_cast<double>(m2), 64 * epsilon * static_cast<double>(n) * deviation * away) << n;
    }
  }
  if constexpr (is_any_float<T>) {
    auto x = random_values<T>(5000, 1);
    x[1234] = rounded<T>(INFINITY);
    auto const got = run<tessera::moments<double>>(x, 0, this->memory,
                                                   [](T const* in, std::int64_t count, auto* out, grid::execution on) {
                                                     return grid::moments(in, count, out, grid::order::any_device, on);
                                                   });
    ASSERT_TRUE(std::isnan(got.m2) && !std::isfinite(got.mean));
  }
}

using GridReduce = WithWorkspace;

TEST_F(GridReduce, BitsOfIntegers) {
  auto const x = random_values<std::uint32_t>(10007, 2);
  std::vector<std::int64_t> const y = random_values<std::int64_t>(20011, 3);
  std::uint32_t all = ~0u, any = 0, odd = 0;
  for (auto value : x) all &= value | 0x10, any |= value & ~1u, odd ^= value;
  auto masked = x;
  for (auto& value : masked) value |= 0x10;
  EXPECT_EQ(run_reduce(masked, 1, memory, tessera::bit_and{}), all);
  for (auto& value : masked) value &= ~1u;
  EXPECT_EQ(run_reduce(masked, 0, memory, tessera::bit_or{}), (any | 0x10) & ~1u);
  EXPECT_EQ(run_reduce(x, 3, memory, tessera::bit_xor{}), odd);
  std::int64_t odd_of_y = 0;
  for (auto value : y) odd_of_y ^= value;
  EXPECT_EQ(run_reduce(y, 1, memory, tessera::bit_xor{}), odd_of_y);
}

/// Integers of other names, operators of other spellings.
TEST_F(GridReduce, Spellings) {
  std::vector<long long> const x{5, -3, 9};
  EXPECT_EQ(run_reduce(x, 0, memory, std::plus<>{}), 11);
  EXPECT_EQ(run_reduce(x, 0, memory, std::plus<long long>{}), 11);
  EXPECT_EQ(run_reduce(x, 0, memory, tessera::minimum{}), -3);
  std::vector<unsigned long long> const y{5, 3, 9};
  auto const best = run<indexed<unsigned long long, std::int64_t>>(
      y, 0, memory,
      [](auto* in, std::int64_t n, auto* out, grid::execution on) { return grid::argmax(in, n, out, on); });
  EXPECT_EQ(best.index, 2);
}

/// Blocks that improve one record, each or hardly any of them, in any order: the same result each time.
TEST_F(GridReduce, ArgmaxOfLongArrays) {
  std::int64_t const all = (std::int64_t{5} << 22) + 3, n = is_worth(all) ? all : (std::int64_t{1} << 22) + 3;
  std::vector<float> x(static_cast<std::size_t>(n));
  std::mt19937_64 random(1);
  auto const check_values = [&](char const* what, auto value_at) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(value_at(static_cast<int>(i)));
    if (what == std::string("NaN")) x[x.size() - 70000] = x[x.size() - 2] = NAN;
    check_arg(x, memory, what, n == all ? 5 : 1);
  };
  check_values("rising", [](int i) { return i - (1 << 24); });
  check_values("rising by steps", [](int i) { return i / 30000; });
  check_values("falling", [](int i) { return -i; });
  check_values("constant", [](int) { return -INFINITY; });
  for (char const* what : {"ties", "NaN"}) check_values(what, [&](int) { return random() % 100000; });
}

TEST_F(GridReduce, DenormalsInfinitiesAndNanInSums) {
  float const tiny = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(run_reduce(std::vector<float>(100000, tiny), 0, memory, tessera::plus{}), 100000 * tiny);
  std::vector<float> x(70000, 1.0f);
  x[69999] = INFINITY;
  EXPECT_EQ(run_reduce(x, 0, memory, tessera::plus{}), INFINITY);
  x[3] = -INFINITY;
  EXPECT_TRUE(std::isnan(run_reduce(x, 0, memory, tessera::plus{})));
  EXPECT_TRUE(std::signbit(run_reduce(std::vector<double>(5, -0.0), 0, memory, tessera::plus{})));
  EXPECT_FALSE(std::signbit(run_reduce(std::vector<double>{}, 0, memory, tessera::plus{})));
}

/// 16-bit floats are added as floats: 2^16 ones are more than __half holds.
TEST_F(GridReduce, HalvesInFloat) {
  EXPECT_EQ(run_reduce(std::vector<__half>(70001, __half(1.0f)), 1, memory, tessera::plus{}), 70001.0f);
  EXPECT_EQ(run_reduce(std::vector<__nv_bfloat16>(70001, __nv_bfloat16(1.0f)), 1, memory, tessera::plus{}), 70001.0f);
}

}  // namespace
