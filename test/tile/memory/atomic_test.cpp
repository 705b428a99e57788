// Atomic updates of cells by many lanes at the same time, and by one atomic per tile.
#include <cmath>
#include <limits>

#include "atomic_cases.hpp"
#include "reduce_cases.hpp"

namespace {

using namespace test;

template <class T>
struct cell_input {
  T x;
  unsigned cell;
};

/// Every lane updates its cell, and returns the bits of the cell's previous value.
template <class T, class Op>
struct update_kernel {
  T* cells;
  Op op;

  template <class Tile>
  TESSERA_FN lane_output<T> operator()(Tile const&, cell_input<T> in) const {
    return {tessera::atomic_update(&cells[in.cell], in.x, op)};
  }
};

/// Cells start with each value of `begin`, and many lanes update them. The operator's result doesn't depend
/// on the order.
template <class T, class Op>
void check_updates(Op op, std::vector<T> const& begin, T (*sample_one)(random_engine&)) {
  random_engine random(7);
  std::vector<cell_input<T>> lanes(4 * block_lanes);
  for (auto& lane : lanes) lane = {sample_one(random), static_cast<unsigned>(random() % (4 * begin.size()))};
  std::vector<T> expected;
  for (unsigned i = 0; i < 4; ++i) expected.insert(expected.end(), begin.begin(), begin.end());
  backend::array<T> cells(expected);
  auto const before = backend::run<32, lane_output<T>>(lanes, update_kernel<T, Op>{cells.data(), op});
  for (auto const& lane : lanes) expected[lane.cell] = op(expected[lane.cell], lane.x);
  auto const got = cells.to_host();
  for (unsigned i = 0; i < got.size(); ++i)
    ASSERT_TRUE(same(got[i], expected[i]))
        << "cell " << i << " of " << begin.size() << ": " << show(got[i]) << ", expected " << show(expected[i]);
  // The previous value that a lane gets is the cell's first value or a value between the first and the last.
  for (unsigned i = 0; i < lanes.size(); ++i) {
    T const returned = before[i].x;
    ASSERT_TRUE(same(op(returned, expected[lanes[i].cell]), expected[lanes[i].cell]))
        << "lane " << i << ": " << show(returned);
  }
}

template <class T>
std::vector<T> awkward_floats() {
  T const nan = std::numeric_limits<T>::quiet_NaN();
  T const inf = std::numeric_limits<T>::infinity();
  return {T(0), -T(0), T(1), -T(1), inf, -inf, std::copysign(nan, T(1)), std::copysign(nan, T(-1)), T(-3.5), T(1e-30)};
}

template <class T>
T finite_or_infinite(random_engine& random) {
  for (;;) {
    T const x = sample_special<T>(random);
    if (x == x) return x;
  }
}
template <class T>
T negative(random_engine& random) {
  return -std::abs(finite_or_infinite<T>(random));
}
template <class T>
T zero(random_engine& random) {
  return random() % 2 == 0 ? T(0) : -T(0);
}
template <class T>
T no_number(random_engine& random) {
  return std::copysign(std::numeric_limits<T>::quiet_NaN(), random() % 2 == 0 ? T(1) : T(-1));
}

struct Atomic : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

template <class T>
void check_extremes() {
  for (auto values : {finite_or_infinite<T>, negative<T>, zero<T>, no_number<T>, sample_special<T>}) {
    check_updates<T>(tessera::maximum{}, awkward_floats<T>(), values);
    check_updates<T>(tessera::minimum{}, awkward_floats<T>(), values);
    check_updates<T>(tessera::maximum_number{}, awkward_floats<T>(), values);
    check_updates<T>(tessera::minimum_number{}, awkward_floats<T>(), values);
  }
}

TEST_F(Atomic, ExtremesOfFloats) {
  check_extremes<float>();
}
TEST_F(Atomic, ExtremesOfDoubles) {
  check_extremes<double>();
}
TEST_F(Atomic, Integers) {
  check_updates<int>(tessera::maximum{}, {0, -5, 7}, sample<int>);
  check_updates<unsigned>(tessera::minimum{}, {0u, ~0u, 7u}, sample<unsigned>);
  check_updates<long long>(tessera::minimum{}, {0, -5, 7}, sample<long long>);
  check_updates<unsigned long long>(tessera::bit_or{}, {0, 5}, sample<unsigned long long>);
}
/// The atomic maximum of floats, also of negative ones, by a loop of compare-and-swap.
struct greater_float {
  TESSERA_FN float operator()(float a, float b) const { return a < b ? b : a; }
};

TEST_F(Atomic, ByCompareAndSwap) {
  check_updates<short>(tessera::maximum{}, {0, -5, 7}, sample<short>);
  check_updates<float>(greater_float{}, {-7.0f, 2.0f, -1e30f, 1e-30f},
                       [](random_engine& random) { return -1.0f - static_cast<float>(random() % 1000); });
}

/// The new value is `cell op x` and not `x op cell`: an operator that returns its first operand keeps the
/// cell's first value.
struct first_of_both {
  template <class T>
  TESSERA_FN T operator()(T a, T) const {
    return a;
  }
};
TEST_F(Atomic, TheCellComesFirst) {
  check_updates<int>(first_of_both{}, {0, -5, 7}, sample<int>);
}

/// A lane that increments a counter gets the number of increments before its own.
TEST_F(Atomic, ReturnsThePreviousValue) {
  std::vector<cell_input<unsigned>> const lanes(4 * block_lanes, {1, 0});
  backend::array<unsigned> cells(std::vector<unsigned>{0});
  auto returned =
      backend::run<32, lane_output<unsigned>>(lanes, update_kernel<unsigned, tessera::plus>{cells.data(), {}});
  std::sort(returned.begin(), returned.end(), [](auto a, auto b) { return a.x < b.x; });
  for (unsigned i = 0; i < returned.size(); ++i) ASSERT_EQ(returned[i].x, i);
}

/// −0 + 0 is +0, so a cell that holds −0 shows whether anything was added to it.
struct add_nothing_kernel {
  float* cell;

  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, float x) const {
    tessera::atomic_reduce(tile, cell, x, tessera::plus{}, tessera::first(0));
    return 0;
  }
};
TEST_F(Atomic, WithoutParticipantsTheCellStaysTheSame) {
  backend::array<float> cell(std::vector<float>{-0.0f});
  backend::run<8, unsigned>(std::vector<float>(block_lanes, 1.0f), add_nothing_kernel{cell.data()});
  EXPECT_TRUE(same(cell.to_host()[0], -0.0f));
}

// ---- Exchanges.

/// Every lane exchanges its value for the cell's. No value is lost, and none is returned twice.
template <class T>
struct exchange_kernel {
  T* cell;
  template <class Tile>
  TESSERA_FN lane_output<T> operator()(Tile const&, T x) const {
    return {tessera::atomic_exchange(cell, x)};
  }
};
/// Every lane replaces its first value by its second, if the cell holds the first. Returns whether it did.
template <class T>
struct compare_exchange_kernel {
  T* cell;
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const&, std::pair<T, T> in) const {
    return same_word(tessera::atomic_compare_exchange(cell, in.first, in.second), in.first) ? 1 : 0;
  }
  TESSERA_FN static bool same_word(T const& a, T const& b) { return tessera::detail::same_bits(a, b); }
};

struct alignas(8) labeled_float {
  float x;
  int label;
};
template <class T>
T numbered(unsigned i) {
  if constexpr (std::is_same_v<T, labeled_float>) {
    return {static_cast<float>(i), static_cast<int>(7 * i)};
  } else {
    return static_cast<T>(i);
  }
}

template <class T>
void check_exchange() {
  std::vector<T> lanes;
  for (unsigned i = 0; i < 4 * block_lanes; ++i) lanes.push_back(numbered<T>(i + 1));
  backend::array<T> cell(std::vector<T>{numbered<T>(0)});
  auto const returned = backend::run<32, lane_output<T>>(lanes, exchange_kernel<T>{cell.data()});
  std::vector<T> all{cell.to_host()[0]};
  for (auto const& one : returned) all.push_back(one.x);
  std::vector<bool> seen(lanes.size() + 1);
  for (T const& one : all) {
    for (unsigned i = 0; i < seen.size(); ++i) {
      if (same_bits(one, numbered<T>(i))) {
        ASSERT_FALSE(seen[i]) << show(one) << " came twice";
        seen[i] = true;
      }
    }
  }
  for (unsigned i = 0; i < seen.size(); ++i) ASSERT_TRUE(seen[i]) << i << " was lost";
}
/// All lanes try to replace the same value of one cell. Exactly one succeeds.
template <class T>
void check_compare_exchange() {
  T const empty = numbered<T>(0);
  std::vector<std::pair<T, T>> lanes;
  for (unsigned i = 0; i < 4 * block_lanes; ++i) lanes.push_back({empty, numbered<T>(i + 1)});
  backend::array<T> cell(std::vector<T>{empty});
  auto const first = backend::run<8, unsigned>(lanes, compare_exchange_kernel<T>{cell.data()});
  ASSERT_EQ(std::count(first.begin(), first.end(), 1u), 1);
  auto const winner = std::find(first.begin(), first.end(), 1u) - first.begin();
  ASSERT_TRUE(same_bits(cell.to_host()[0], lanes[static_cast<std::size_t>(winner)].second));
  for (auto const& returned : backend::run<8, unsigned>(lanes, compare_exchange_kernel<T>{cell.data()}))
    ASSERT_EQ(returned, 0u) << "the cell isn't empty any more";
  ASSERT_TRUE(same_bits(cell.to_host()[0], lanes[static_cast<std::size_t>(winner)].second));
}

TEST_F(Atomic, Exchange) {
  check_exchange<unsigned short>();
  check_exchange<int>();
  check_exchange<float>();
  check_exchange<unsigned long long>();
  check_exchange<labeled_float>();
}
TEST_F(Atomic, CompareExchange) {
  check_compare_exchange<short>();
  check_compare_exchange<float>();
  check_compare_exchange<unsigned>();
  check_compare_exchange<double>();
  check_compare_exchange<labeled_float>();
}
TEST_F(Atomic, CompareExchangeComparesBits) {
  backend::array<float> cells(std::vector<float>{-0.0f});
  auto returned = backend::run<8, unsigned>(std::vector<std::pair<float, float>>(block_lanes, {0.0f, 1.0f}),
                                            compare_exchange_kernel<float>{cells.data()});
  EXPECT_EQ(std::count(returned.begin(), returned.end(), 1u), 0) << "-0 isn't +0";
  float const nan = std::numeric_limits<float>::quiet_NaN();
  backend::array<float> no_number(std::vector<float>{nan});
  returned = backend::run<8, unsigned>(std::vector<std::pair<float, float>>(block_lanes, {nan, 1.0f}),
                                       compare_exchange_kernel<float>{no_number.data()});
  EXPECT_EQ(std::count(returned.begin(), returned.end(), 1u), 1) << "a NaN is itself";
}

TEST_F(Atomic, OnePerTile) {
  check_atomic_reduce<1>();
  check_atomic_reduce<2>();
  check_atomic_reduce<8>();
  check_atomic_reduce<32>();
}

}  // namespace
