// Reductions from a start on host tiles: the accumulator's type is the start's, and the start comes first.
#include <gtest/gtest.h>

#include <tessera/grid/reduce/started_agent.hpp>
#include <tessera/host/launch.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "iterators.hpp"
#include "samples.hpp"

namespace {

using namespace test;
namespace detail = tessera::grid::detail;
constexpr unsigned threads = 64;

/// start op f(x[0]) op … in so many blocks.
template <class Out, class T, class Op, class F, class Start>
Out reduce_after(std::vector<T> const& x, Op const& op, F const& f, Start const& start, unsigned blocks,
                 unsigned seed) {
  using R = detail::started_t<Start, Op>;
  using combine = tessera::detail::normalized_t<Op, R>;
  auto const first = detail::start_in<R>(start);
  using agent_t = detail::started_agent<R, combine, F, std::remove_const_t<decltype(first)>>;
  typename agent_t::op const with{tessera::detail::normalize<R>(op)};
  auto const n = static_cast<std::int64_t>(x.size());
  std::vector<typename agent_t::term> partials(blocks);
  unsigned counter = 0;
  Out result[2]{};
  tessera::host::options how;
  how.seed = seed;
  tessera::host::launch_grid(blocks, threads, how, [&](tessera::host::block block) {
    detail::run_reduce_agent<threads>(
        block, x.data(), n, detail::even_share{blocks, threads, (n + blocks - 1) / blocks, blocks % 2 == 0},
        agent_t{{with, {f}}, first}, with,
        detail::shared_partials<typename agent_t::term>{partials.data(), &counter, nullptr}, strided<Out, 2>{result});
  });
  EXPECT_EQ(counter, 0u);
  return result[0];
}

constexpr std::int64_t sizes[] = {0, 1, 2, 5, 63, 255, 256, 1000, 5003};
constexpr tessera::detail::as_it_is as_it_is{};

TEST(GridReduceStartsOnHost, CountOnce) {
  for (std::int64_t n : sizes) {
    random_engine random(static_cast<std::uint64_t>(n));
    std::vector<unsigned> x(static_cast<std::size_t>(n));
    unsigned sum = 1000, least = 77;
    for (auto& value : x) {
      sum += value = sample<unsigned>(random);
      least = value < least ? value : least;
    }
    for (unsigned blocks : {1u, 3u}) {
      EXPECT_EQ(reduce_after<unsigned>(x, tessera::plus{}, as_it_is, 1000u, blocks, 1), sum) << n;
      EXPECT_EQ(reduce_after<unsigned>(x, tessera::minimum{}, as_it_is, 77u, blocks, 2), least) << n;
    }
  }
}

/// The greatest ints, which a sum of ints would wrap, after starts of wider types.
TEST(GridReduceStartsOnHost, HaveTheTypeOfTheAccumulator) {
  std::vector<int> const ints(1001, std::numeric_limits<int>::max());
  double const sum = 1001.0 * std::numeric_limits<int>::max();
  EXPECT_EQ(reduce_after<double>(ints, tessera::plus{}, as_it_is, 0.5, 3, 1), sum + 0.5);
  EXPECT_EQ(reduce_after<std::int64_t>(ints, tessera::plus{}, as_it_is, std::int64_t{1}, 3, 1),
            static_cast<std::int64_t>(sum) + 1);
  // Chars after a char or a short are added as ints, as everywhere.
  std::vector<signed char> const chars(1001, 127);
  EXPECT_EQ(reduce_after<int>(chars, tessera::plus{}, as_it_is, short{-1}, 2, 1), 127 * 1001 - 1);
  std::vector<float> const floats(1 << 12, 0.1f);
  double exact = 0;
  for (float x : floats) exact += x;
  EXPECT_NEAR(reduce_after<double>(floats, tessera::plus{}, as_it_is, 0.0, 3, 1), exact, 1e-10);
  static_assert(std::is_same_v<detail::started_t<short, tessera::plus>, int>);
  static_assert(std::is_same_v<detail::started_t<short, tessera::maximum>, short>);
  static_assert(std::is_same_v<detail::started_t<bool, tessera::plus>, std::uint64_t>);
}

template <class To, class... From>
constexpr bool holds = (tessera::detail::holds_each<To, From>() && ...);
static_assert(holds<double, float, int, unsigned, short, bool, char>);
static_assert(holds<float, short, unsigned short, char, bool> && holds<long long, unsigned, int, bool>);
static_assert(!holds<int, float> && !holds<int, unsigned> && !holds<unsigned, int> && !holds<int, long long>);
static_assert(!holds<float, int> && !holds<float, double> && !holds<double, long long> && !holds<bool, int>);
static_assert(!holds<unsigned long long, int> && holds<unsigned long long, unsigned, bool>);

/// The second of two: it doesn't commute, and has no identity.
struct last_one {
  TESSERA_FN int operator()(int, int b) const { return b; }
};
/// The first of two, the same.
struct first_one {
  TESSERA_FN int operator()(int a, int) const { return a; }
};

TEST(GridReduceStartsOnHost, NeedNoIdentity) {
  for (std::int64_t n : sizes) {
    random_engine random(static_cast<std::uint64_t>(n));
    std::vector<matrix> x(static_cast<std::size_t>(n));
    std::vector<int> numbers(x.size());
    matrix const start{3, 1, 4, 1};
    matrix expected = start;
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = sample<matrix>(random);
      expected = matrix_product{}(expected, x[i]);
      numbers[i] = static_cast<int>(i) + 1;
    }
    for (unsigned blocks : {1u, 4u}) {
      matrix const got = reduce_after<matrix>(x, matrix_product{}, as_it_is, start, blocks, blocks);
      EXPECT_EQ(std::memcmp(&got, &expected, sizeof got), 0) << n << " in " << blocks << " blocks";
      EXPECT_EQ(reduce_after<int>(numbers, last_one{}, as_it_is, -5, blocks, 1), n == 0 ? -5 : static_cast<int>(n));
      EXPECT_EQ(reduce_after<int>(numbers, first_one{}, as_it_is, -5, blocks, 1), -5);
    }
  }
}

TEST(GridReduceStartsOnHost, OfZerosAndNan) {
  auto const is_negative_zero = [](float x) { return x == 0 && std::signbit(x); };
  for (std::size_t n : {0u, 1u, 700u}) {
    std::vector<float> const zeros(n, -0.0f);
    EXPECT_TRUE(is_negative_zero(reduce_after<float>(zeros, tessera::plus{}, as_it_is, -0.0f, 2, 1))) << n;
    EXPECT_FALSE(is_negative_zero(reduce_after<float>(zeros, tessera::plus{}, as_it_is, 0.0f, 2, 1))) << n;
    float const nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_TRUE(std::isnan(reduce_after<float>(zeros, tessera::maximum{}, as_it_is, nan, 2, 1))) << n;
  }
}

struct with_index {
  TESSERA_FN std::int64_t operator()(int x, std::int64_t index) const { return x * index; }
};
TEST(GridReduceStartsOnHost, OfFunctions) {
  std::vector<int> const x(1000, 2);
  EXPECT_EQ(reduce_after<std::int64_t>(x, tessera::plus{}, with_index{}, std::int64_t{7}, 3, 1), 7 + 999 * 1000);
}

}  // namespace
