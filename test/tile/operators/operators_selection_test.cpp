// smallest and largest, compared with a sort: equal values, NaN, zeros of both signs, and fewer values than
// K.
#include "operators_cases.hpp"

namespace {

using namespace test;
using tessera::detail::is_nan;

struct Selection : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

/// Whether a comes before b: NaN is first, then values in order, −0 before +0, and equal indexed values by
/// their index.
template <bool Greatest>
struct stands_before {
  template <class T>
  bool operator()(T a, T b) const {
    if (is_nan(a) || is_nan(b)) return is_nan(a) && !is_nan(b);
    if (a != b) return (a < b) != Greatest;
    if constexpr (std::is_floating_point_v<T>) {
      return std::signbit(a) != std::signbit(b) && std::signbit(a) != Greatest;
    } else {
      return false;
    }
  }
  template <class T>
  bool operator()(tessera::indexed<T> a, tessera::indexed<T> b) const {
    if (is_nan(a.value) != is_nan(b.value)) return is_nan(a.value);
    if (!is_nan(a.value) && a.value != b.value) return (a.value < b.value) != Greatest;
    return a.index < b.index;
  }
};

/// Compares all sizes, participants and policies with the tree and with the sorted participants.
template <class T, unsigned K, class Op>
void check_selection(Op op, tessera::selection<T, K> (*sample_one)(random_engine&)) {
  constexpr bool greatest = std::is_same_v<Op, tessera::largest>;
  check_reduce(op, sample_one);
  check_tiles<lane_output<tessera::selection<T, K>>>(
      sample_one,
      [&](who participants) {
        return reduce_kernel<Op, tessera::policy<>>{op, {}, participants};
      },
      [&](std::vector<tessera::selection<T, K>> const& given, auto const&, auto const& got, auto const&) {
        std::vector<T> sorted;
        for (auto const& one : given) sorted.push_back(one[0]);
        std::sort(sorted.begin(), sorted.end(), stands_before<greatest>{});
        auto const none = tessera::operator_traits<Op, tessera::selection<T, K>>::identity(op);
        for (unsigned i = 0; i < K; ++i) {
          ASSERT_TRUE(same(got.x[i], i < sorted.size() ? sorted[i] : none[i]))
              << "place " << i << ": " << show(got.x[i]);
        }
      });
}

template <unsigned K>
tessera::selection<float, K> least_float(random_engine& random) {
  return tessera::as_smallest<K>(sample_special<float>(random));
}
tessera::selection<double, 3> greatest_double(random_engine& random) {
  return tessera::as_largest<3>(sample_special<double>(random));
}
tessera::selection<short, 2> greatest_short(random_engine& random) {
  return tessera::as_largest<2>(static_cast<short>(random() % 7));
}
tessera::indexed<float> often_tied(random_engine& random) {
  float const values[] = {
      -1.0f, -0.0f, 0.0f, 2.5f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()};
  return tessera::with_index(values[random() % 6], static_cast<int>(random() >> 34));
}
tessera::selection<tessera::indexed<float>, 4> least_indexed(random_engine& random) {
  return tessera::as_smallest<4>(often_tied(random));
}
tessera::selection<tessera::indexed<float>, 3> greatest_indexed(random_engine& random) {
  return tessera::as_largest<3>(often_tied(random));
}

TEST_F(Selection, FourSmallestFloats) {
  check_selection(tessera::smallest{}, least_float<4>);
}
TEST_F(Selection, SmallestFloat) {
  check_selection(tessera::smallest{}, least_float<1>);
}
TEST_F(Selection, ThreeLargestDoubles) {
  check_selection(tessera::largest{}, greatest_double);
}
TEST_F(Selection, TwoLargestShorts) {
  check_selection(tessera::largest{}, greatest_short);
}
TEST_F(Selection, FourSmallestWithTheirIndices) {
  check_selection(tessera::smallest{}, least_indexed);
}
TEST_F(Selection, ThreeLargestWithTheirIndices) {
  check_selection(tessera::largest{}, greatest_indexed);
}

TEST(Selections, OfAnySizeMergeInOrder) {
  using namespace tessera;
  selection<int, 4> const four = smallest{}(selection<int, 4>{1, 4, 7, 9}, selection<int, 4>{2, 3, 5, 8});
  EXPECT_EQ(four[0] * 1000 + four[1] * 100 + four[2] * 10 + four[3], 1234);
  selection<int, 3> const three = largest{}(selection<int, 3>{9, 4, 1}, selection<int, 3>{8, 7, 6});
  EXPECT_EQ(three[0] * 100 + three[1] * 10 + three[2], 987);
  EXPECT_EQ((smallest{}(selection<int, 2>{5, 6}, selection<int, 2>{3, 9})[1]), 5);
  EXPECT_TRUE(std::signbit(smallest{}(as_smallest<2>(0.0f), as_smallest<2>(-0.0f))[0]));
  EXPECT_FALSE(std::signbit(largest{}(as_largest<2>(-0.0f), as_largest<2>(0.0f))[0]));
}

TEST(Selections, CommuteWhereTiesAreEqual) {
  using namespace tessera;
  static_assert(operator_traits<smallest, selection<float, 4>>::commutative);
  static_assert(operator_traits<largest, selection<indexed<int>, 4>>::commutative);
  static_assert(!operator_traits<largest, selection<indexed<float>, 4>>::commutative);
  static_assert(!operator_traits<smallest, selection<matrix, 2>>::has_identity);
  static_assert(std::is_trivially_copyable_v<selection<float, 3>> && sizeof(selection<float, 3>) == 12);
}

}  // namespace
