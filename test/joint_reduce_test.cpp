// joint_reduce and joint_transform_reduce of numbers, and joint_any_of, joint_all_of and joint_none_of.
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
/// A product must not be contracted with the sum.
TEST(JointTransformReduce, SumOfSquares) {
  check_joint_reduce<float>(tessera::plus{}, square{}, sample<float>, false);
}

struct place {
  TESSERA_FN tessera::indexed<float, long long> operator()(float x, long long i) const {
    return tessera::with_index(x, i);
  }
};
TEST(JointTransformReduce, IndexOfTheGreatest) {
  check_joint_reduce<float>(tessera::argmax{}, place{}, sample_special<float>);
}

// ---- bool, types of n.

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
    std::vector<range_input<bool>> const lanes(block_lanes,
                                               {reinterpret_cast<bool const*>(memory.data()), n});
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

// ---- Predicates.

struct answers {
  bool any, all, none, any_indexed, any_converged;
  unsigned asked;
};

/// Which elements have it: those that are 1. `asked` counts how often this lane has asked.
struct predicates_kernel {
  template <class Tile>
  TESSERA_FN answers operator()(Tile const& tile, range_input<short> in) const {
    auto const is_one = [](short x) { return x == 1; };
    unsigned asked = 0;
    auto const count = [&asked](short x) {
      ++asked;
      return x == 1;
    };
    short const* const first = in.first;
    auto const at_its_index = [first](short x, long long i) { return x == 1 && first[i] == 1; };
    bool const any = tessera::joint_any_of(tile, first, in.n, count);
    return {any,
            tessera::joint_all_of(tile, first, in.n, is_one),
            tessera::joint_none_of(tile, first, in.n, is_one),
            tessera::joint_any_of(tile, first, in.n, at_its_index),
            tessera::joint_any_of(tile, first, in.n, is_one, tessera::converged),
            asked};
  }
};

template <unsigned N>
void check_predicates() {
  if (testing::Test::HasFailure()) return;
  random_engine random(N);
  auto ranges = make_ranges<N, short>(random, [](random_engine&) -> short { return 0; });
  for (auto& range : ranges) {  // none, all, all but one, one
    auto const kind = random() % 4;
    auto const one = range.x.empty() ? 0 : random() % range.x.size();
    for (std::size_t i = 0; i < range.x.size(); ++i)
      range.x[i] = kind == 1 || (kind == 2 && i != one) || (kind == 3 && i == one);
    range.memory = placed_values<short>(range.x, range.shift);
  }
  auto const lanes = lanes_of<N, range_input<short>>(ranges, [](auto const& range) {
    return range_input<short>{range.memory.data(), range.n};
  });
  auto const out = backend::run<N, answers>(lanes, predicates_kernel{});
  for (std::size_t lane = 0; lane < out.size(); ++lane) {
    auto const& x = ranges[lane / N].x;
    auto const ones = static_cast<std::size_t>(std::count(x.begin(), x.end(), 1));
    answers const got = out[lane];
    ASSERT_TRUE(got.any == (ones > 0) && got.all == (ones == x.size()) && got.none == (ones == 0) &&
                got.any_indexed == got.any && got.any_converged == got.any)
        << "tile<" << N << ">, lane " << lane << ", " << ones << " of " << x.size();
    // An element of the first vectors that a lane asks together decides.
    std::size_t const front = range_parts<short>(x.size(), ranges[lane / N].shift).vectors;
    std::size_t const at = static_cast<std::size_t>(std::find(x.begin(), x.end(), 1) - x.begin());
    if (at >= front && at + 8 < x.size()) {
      ASSERT_LE(got.asked, ((at - front) / (32 * N) + 1) * 32 + 14) << "N " << N;
    }
  }
}
TEST(JointPredicates, AnyAllNone) {
  SKIP_WITHOUT_BACKEND();
  check_predicates<1>();
  check_predicates<2>();
  check_predicates<4>();
  check_predicates<8>();
  check_predicates<16>();
  check_predicates<32>();
}

}  // namespace
