// joint_reduce and joint_transform_reduce of numbers, and joint_any_of, joint_all_of and joint_none_of.
#include <cstdint>
#include <functional>
#include <type_traits>

#include "joint_reduce_cases.hpp"

namespace {

using namespace test;

TEST(JointReduce, IntegersOf8Bits) {
  check_joint_reduce<signed char>(tessera::plus{});
}
TEST(JointReduce, IntegersOf16Bits) {
  check_joint_reduce<unsigned short>(tessera::maximum{});
}
TEST(JointReduce, IntegersOf32Bits) {
  check_joint_reduce<int>(tessera::plus{});
}
TEST(JointReduce, Floats) {
  check_joint_reduce<float>(tessera::plus{}, itself{}, sample<float>, false);
}
TEST(JointReduce, FloatsIsolated) {
  check_joint_reduce<float>(tessera::plus{}, itself{}, sample_special<float>, false, tessera::isolated);
}
TEST(JointReduce, FloatMinimum) {
  check_joint_reduce<float>(tessera::minimum{}, itself{}, sample_special<float>);
}
TEST(JointReduce, Doubles) {
  check_joint_reduce<double>(tessera::plus{}, itself{}, sample_special<double>, false);
}

struct square {
  TESSERA_FN float operator()(float x) const { return x * x; }
};
/// The compiler must not contract the product with the sum.
TEST(JointTransformReduce, SumOfSquares) {
  check_joint_reduce<float>(tessera::plus{}, square{}, sample<float>, false);
}

struct add_index {
  TESSERA_FN tessera::indexed<float, long long> operator()(float x, long long i) const {
    return tessera::with_index(x, i);
  }
};
TEST(JointTransformReduce, IndexOfTheGreatest) {
  check_joint_reduce<float>(tessera::argmax{}, add_index{}, sample_special<float>);
}

// ---- After a start.

TEST(JointReduceAfter, HasTheTypeOfTheStart) {
  check_joint_reduce_after<double, int>(tessera::plus{}, 0.5);
  check_joint_reduce_after<long long, int>(tessera::maximum{}, 7LL);
  check_joint_reduce_after<int, signed char>(tessera::plus{}, short{-1});
  check_joint_reduce_after<float, float>(tessera::plus{}, -0.0f);
}
TEST(JointReduceAfter, OfFunctions) {
  check_joint_reduce_after<double, float>(tessera::plus{}, 1.0, square{});
}

// ---- bool, and the types of n.

struct count_kernel {
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, range_input<bool> in) const {
    return tessera::joint_reduce(tile, in.first, static_cast<int>(in.n));
  }
};
TEST(JointReduce, CountsBools) {
  SKIP_WITHOUT_BACKEND();
  for (unsigned n : {0u, 1u, 15u, 16u, 300u, 1000u}) {
    std::vector<unsigned char> x(n);
    unsigned expected = 0;
    for (unsigned i = 0; i < n; ++i) expected += x[i] = i * i % 7 == 1;
    placed_values<unsigned char> const memory(x, n % 5);
    std::vector<range_input<bool>> const lanes(block_lanes, {reinterpret_cast<bool const*>(memory.data()), n});
    for (unsigned got : backend::run<16, unsigned>(lanes, count_kernel{})) ASSERT_EQ(got, expected) << n;
  }
}

struct lengths_kernel {
  int n;
  template <class Tile>
  TESSERA_FN int operator()(Tile const& tile, range_input<int> in) const {
    int const expected = tessera::joint_reduce(tile, in.first, n);
    unsigned const natural = n < 0 ? 0u : static_cast<unsigned>(n);
    return tessera::joint_reduce(tile, in.first, static_cast<signed char>(n)) == expected &&
           tessera::joint_reduce(tile, in.first, static_cast<short>(n)) == expected &&
           tessera::joint_reduce(tile, in.first, static_cast<long>(n)) == expected &&
           tessera::joint_reduce(tile, in.first, static_cast<unsigned char>(natural)) == expected &&
           tessera::joint_reduce(tile, in.first, natural) == expected &&
           tessera::joint_reduce(tile, in.first, static_cast<unsigned long long>(natural)) == expected;
  }
};
TEST(JointReduce, LengthsOfEveryType) {
  SKIP_WITHOUT_BACKEND();
  std::vector<int> x(100);
  for (unsigned i = 0; i < 100; ++i) x[i] = static_cast<int>(i * i);
  placed_values<int> const memory(x, 1);
  for (int n : {-100, -1, 0, 1, 100}) {
    std::vector<range_input<int>> const lanes(block_lanes, {memory.data(), n});
    for (int got : backend::run<8, int>(lanes, lengths_kernel{n})) ASSERT_EQ(got, 1) << n;
  }
}

TEST(JointPredicates, AnyAllNone) {
  SKIP_WITHOUT_BACKEND();
  for_each_size(joint_sizes{}, [](auto n) { check_predicates<decltype(n)::value>(); });
}

/// Sums of short integers are int, as in C++, and counts are as long as n.
TEST(JointReduce, SumsOfShortIntegersAndCounts) {
  using tessera::detail::range_result_t;
  static_assert(std::is_same_v<range_result_t<tessera::plus, unsigned char, int>, int>);
  static_assert(std::is_same_v<range_result_t<std::plus<>, short, int>, int>);
  static_assert(std::is_same_v<range_result_t<std::plus<char>, char, int>, char>);
  static_assert(std::is_same_v<range_result_t<tessera::maximum, char, int>, char>);
  static_assert(std::is_same_v<range_result_t<tessera::plus, unsigned, long long>, unsigned>);
  static_assert(std::is_same_v<range_result_t<tessera::plus, bool, int>, unsigned>);
  static_assert(std::is_same_v<range_result_t<tessera::plus, bool, long long>, std::uint64_t>);
  check_joint_reduce<unsigned char>(tessera::plus{});
}

}  // namespace
