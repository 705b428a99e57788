// log_sum_exp with payloads: weighted sums, compared with those in long double, and results that must be
// exact.
#include <tessera/joint_reduce.hpp>
#include <tessera/reduce_batch.hpp>
#include <tessera/scan.hpp>

#include "operators_cases.hpp"

namespace {

using namespace test;
using tessera::as_exp_sum;
using tessera::exp_sum;
using tessera::items;
using tessera::log_sum_exp;

/// The numbers of a payload.
struct complex_number {
  float re, im;
  TESSERA_FN friend complex_number operator*(complex_number z, float by) { return {z.re * by, z.im * by}; }
  TESSERA_FN friend complex_number operator+(complex_number a, complex_number b) { return {a.re + b.re, a.im + b.im}; }
};
template <class V>
std::vector<long double> numbers_of(V const& v) {
  return {v};
}
template <class V, unsigned D>
std::vector<long double> numbers_of(items<V, D> const& v) {
  return {v.begin(), v.end()};
}
std::vector<long double> numbers_of(complex_number const& v) {
  return {v.re, v.im};
}

template <class V>
V payload_of(random_engine& random) {
  std::uniform_real_distribution<float> some(-2, 2);
  if constexpr (std::is_floating_point_v<V>) {
    return some(random);
  } else if constexpr (std::is_same_v<V, complex_number>) {
    return {some(random), some(random)};
  } else {
    V out;
    for (auto& one : out) one = payload_of<typename V::value_type>(random);
    return out;
  }
}

template <class T, class V>
exp_sum<T, V> small(random_engine& random) {
  T const x = std::uniform_real_distribution<T>(-4, 4)(random);
  return as_exp_sum(x, payload_of<V>(random));
}
/// Every third value is −∞, with NaN as its payload.
template <class T, class V>
exp_sum<T, V> often_masked(random_engine& random) {
  if (random() % 3 != 0) return small<T, V>(random);
  V nothing{};
  if constexpr (std::is_floating_point_v<V>) nothing = std::numeric_limits<V>::quiet_NaN();
  if constexpr (std::is_same_v<V, complex_number>) nothing.im = infinity_of<float>;
  return as_exp_sum(-infinity_of<T>, nothing);
}
template <class T, class V>
exp_sum<T, V> masked(random_engine& random) {
  return as_exp_sum(-infinity_of<T>, payload_of<V>(random));
}

template <class T, class V>
struct attention {
  exp_sum<T, V> row;
  V mean;
  T value;
};
struct attention_of {
  template <class T, class V>
  TESSERA_FN attention<T, V> operator()(exp_sum<T, V> const& row, exp_sum<T, V> const&) const {
    return {row, row.mean(), row.value()};
  }
};

/// Each of up to 10 combinations has an error of at most 8u relative to the magnitudes of its terms;
/// operators_moments_test.cpp derives this.
template <class T, class V>
void check_attention(std::vector<exp_sum<T, V>> const& values, exp_sum<T, V> const&, attention<T, V> const& got,
                     attention<T, V> const& of_rank_0) {
  ASSERT_TRUE(same_bits(got, of_rank_0));
  if (&got != &of_rank_0) return;
  long double max = -infinity_of<long double>, sum = 0;
  for (auto const& x : values) max = std::max(max, static_cast<long double>(x.max));
  ASSERT_EQ(got.row.max, static_cast<T>(max));
  std::vector<long double> weighted(numbers_of(V{}).size()), magnitude(weighted.size());
  for (auto const& x : values) {
    if (std::isinf(x.max)) continue;
    long double const weight = std::exp(x.max - max);
    sum += weight;
    for (std::size_t d = 0; d < weighted.size(); ++d) {
      weighted[d] += weight * numbers_of(x.weighted)[d];
      magnitude[d] += weight * std::fabs(numbers_of(x.weighted)[d]);
    }
  }
  constexpr bool of_doubles = std::is_same_v<T, double> && std::is_same_v<tessera::detail::item_t<V>, double>;
  long double const unit =
      (of_doubles ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon()) / 2;
  long double const bound = 80 * unit;
  for (std::size_t d = 0; d < weighted.size(); ++d) {
    ASSERT_LE(std::fabs(numbers_of(got.row.weighted)[d] - weighted[d]), bound * magnitude[d]) << d;
    if (sum == 0) {
      ASSERT_EQ(numbers_of(got.mean)[d], 0);
      ASSERT_FALSE(std::signbit(numbers_of(got.mean)[d]));
    } else {
      ASSERT_LE(std::fabs(numbers_of(got.mean)[d] - weighted[d] / sum), 3 * bound * magnitude[d] / sum) << d;
    }
  }
  if (sum == 0) {
    ASSERT_EQ(got.value, -infinity_of<T>);
    ASSERT_EQ(got.row.sum, 0);
  }
}

auto const attention_kernel = [](who participants) {
  return reduce_then<log_sum_exp, attention_of>{{}, {}, participants};
};

template <class T, class V, unsigned... N>
void check_rows(sizes<N...> of) {
  for (auto sample_one : {small<T, V>, often_masked<T, V>, masked<T, V>}) {
    for_each_size(of, [&](auto n) {
      check_tiles_of<decltype(n)::value, attention<T, V>>(sample_one, attention_kernel, check_attention<T, V>);
    });
  }
}

struct Payload : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

TEST_F(Payload, OneFloat) {
  check_rows<float, float>(small_sizes{});
}
TEST_F(Payload, ThreeDoubles) {
  check_rows<double, items<double, 3>>(small_sizes{});
}
TEST_F(Payload, SeventeenFloats) {
  check_rows<float, items<float, 17>>(sizes<8, 32, 64, 256>{});
}
TEST_F(Payload, AStruct) {
  check_rows<float, complex_number>(sizes<1, 4, 32, 128>{});
}
TEST_F(Payload, FloatsOfSeveralWarps) {
  check_rows<float, items<float, 2>>(large_sizes{});
}

// ---- Scans and batches: their results must be those of `reduce` of the same lanes.

template <class V>
struct same_as_reduce {
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, lane_input<exp_sum<float, V>> in) const {
    using sum = exp_sum<float, V>;
    auto const near = [](float a, float b) {
      float const off = a - b;
      return a == b || (off < 1e-4f && off > -1e-4f);
    };
    unsigned right = 0;
    auto const scanned = tessera::inclusive_scan(tile, in.x, log_sum_exp{}, tessera::with_total);
    auto const up_to_here = tessera::exclusive_scan(tile, in.x, log_sum_exp{});
    sum const mine = log_sum_exp{}(up_to_here, in.x);
    right |= near(mine.sum, scanned.value.sum) && near(mine.mean()[1], scanned.value.mean()[1]) ? 1 : 0;
    sum const all = tessera::reduce(tile, in.x, log_sum_exp{});
    right |= near(all.mean()[0], scanned.total.mean()[0]) && all.max == scanned.total.max ? 2 : 0;
    auto const batch = tessera::reduce_batch(tile, items<sum, 2>{{in.x, mine}}, log_sum_exp{});
    right |= near(batch[0].mean()[1], all.mean()[1]) && batch[0].max == all.max ? 4 : 0;
    auto const from_start = tessera::inclusive_scan(tile, in.x, log_sum_exp{}, as_exp_sum(100.0f, V{}));
    right |= from_start.max == 100.0f && near(from_start.sum, 1) ? 8 : 0;
    return right;
  }
};
template <unsigned N>
void check_laws() {
  using V = items<float, 2>;
  random_engine random(N);
  auto const out = backend::run<N, unsigned>(make_lanes(N, random, often_masked<float, V>), same_as_reduce<V>{});
  for (unsigned i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], 15u) << "N " << N << ", lane " << i;
}
TEST_F(Payload, InScansAndBatches) {
  check_laws<1>();
  check_laws<8>();
  check_laws<32>();
  check_laws<64>();
  check_laws<512>();
}

// ---- Exact results.

TEST(LogSumExpPayload, OfKnownValues) {
  auto const half = log_sum_exp{}(as_exp_sum(20000.0f, 1.0f), as_exp_sum(20000.0f, 4.0f));
  EXPECT_EQ(half.max, 20000.0f);
  EXPECT_EQ(half.weighted, 5.0f);
  EXPECT_EQ(half.mean(), 2.5f);
  EXPECT_EQ(half.share(20000.0f), 0.5f);
  auto const alone = log_sum_exp{}(as_exp_sum(-infinity_of<double>, std::nan("")), as_exp_sum(-7.0, -0.0));
  EXPECT_EQ(alone.mean(), 0);
  EXPECT_TRUE(std::signbit(alone.weighted)) << "-inf changes nothing";
  auto const none = log_sum_exp{}(as_exp_sum(-infinity_of<float>, 1.0f), as_exp_sum(-infinity_of<float>, 2.0f));
  EXPECT_EQ(none.mean(), 0.0f);
  EXPECT_EQ(none.value(), -infinity_of<float>);
  auto const infinite = log_sum_exp{}(log_sum_exp{}(as_exp_sum(infinity_of<float>, 3.0f), as_exp_sum(1.0f, 100.0f)),
                                      as_exp_sum(infinity_of<float>, 5.0f));
  EXPECT_EQ(infinite.mean(), 4.0f);
  auto const no_number = log_sum_exp{}(as_exp_sum(std::nanf(""), 1.0f), as_exp_sum(2.0f, 2.0f));
  EXPECT_TRUE(std::isnan(no_number.max) && std::isnan(no_number.sum) && std::isnan(no_number.mean()));
}

TEST(LogSumExpPayload, CommutesAndHasAnIdentity) {
  using V = items<float, 3>;
  using traits = tessera::operator_traits<log_sum_exp, exp_sum<float, V>>;
  static_assert(traits::commutative && traits::has_identity);
  static_assert(!tessera::operator_traits<log_sum_exp, exp_sum<float, complex_number>>::commutative);
  static_assert(tessera::is_exchangeable_v<exp_sum<float, V>> && sizeof(exp_sum<float, V>) == 20);
  static_assert(std::is_trivially_copyable_v<exp_sum<float, V>>);
  auto const nothing = traits::identity(log_sum_exp{});
  EXPECT_TRUE(same_bits(log_sum_exp{}(nothing, nothing), nothing));
  EXPECT_EQ(nothing.mean()[2], 0.0f);
  random_engine random(4);
  for (int i = 0; i < 500; ++i) {
    auto a = small<float, V>(random);
    auto const b = often_masked<float, V>(random);
    if (i % 5 == 0) a.max = b.max;
    if (i % 7 == 0) a.weighted[1] = -0.0f;
    EXPECT_TRUE(same_bits(log_sum_exp{}(a, b), log_sum_exp{}(b, a)));
    EXPECT_TRUE(same_bits(log_sum_exp{}(nothing, a), a));
    EXPECT_TRUE(same_bits(log_sum_exp{}(a, nothing), a));
  }
}

// ---- A row of attention over keys in memory, as in docs/operators.md.

struct attention_row {
  float const* scores;
  float const* values;
  int keys;

  template <class Tile>
  TESSERA_FN float operator()(Tile const& tile, unsigned) const {
    auto const row = tessera::joint_transform_reduce(tile, scores, keys, log_sum_exp{}, value_of{values});
    return row.mean()[1];
  }

  struct value_of {
    float const* values;
    TESSERA_FN auto operator()(float score, int key) const {
      return as_exp_sum(score, items<float, 2>{{values[2 * key], values[2 * key + 1]}});
    }
  };
};
TEST_F(Payload, OfARange) {
  random_engine random(5);
  std::vector<float> scores(333), values(666);
  for (float& x : scores) x = std::uniform_real_distribution<float>(-30, 30)(random);
  for (float& x : values) x = std::uniform_real_distribution<float>(-1, 1)(random);
  backend::array<float> const_scores(scores), const_values(values);
  long double sum = 0, weighted = 0;
  for (unsigned i = 0; i < scores.size(); ++i) {
    sum += std::exp(static_cast<long double>(scores[i]));
    weighted += std::exp(static_cast<long double>(scores[i])) * values[2 * i + 1];
  }
  auto const out = backend::run<32, float>(std::vector<unsigned>(block_lanes),
                                           attention_row{const_scores.data(), const_values.data(), 333});
  for (float got : out) ASSERT_NEAR(got, static_cast<double>(weighted / sum), 1e-5);
}

}  // namespace
