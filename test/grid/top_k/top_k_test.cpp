// The kernels of top_k, nth_element and quantiles on host tiles: blocks that take turns, samples that mislead, lists
// without room.
#include <gtest/gtest.h>

#include <tessera/grid/top_k/quantile.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "iterators.hpp"
#include "select_on_host.hpp"

namespace {

using namespace test;

// ---- Quantiles.

TEST(GridQuantiles, PlacesAreBetweenRanks) {
  auto const expect = [](double q, std::int64_t n, std::int64_t rank, double fraction) {
    auto const place = detail::quantile_place_of(q, n);
    EXPECT_EQ(place.rank, rank) << q << " of " << n;
    EXPECT_DOUBLE_EQ(place.fraction, fraction) << q << " of " << n;
  };
  expect(0, 1, 0, 0);
  expect(1, 1, 0, 0);
  expect(0, 5, 0, 0);
  expect(0.25, 5, 1, 0);
  expect(0.375, 5, 1, 0.5);
  expect(1, 5, 4, 0);
  expect(0.5, 1000000, 499999, 0.5);
  std::int64_t const most = std::int64_t{1} << 40;
  expect(1, most, most - 1, 0);
  EXPECT_LE(detail::quantile_place_of(std::nextafter(1.0, 0.0), most).rank, most - 1);
}

template <class T>
void expect_between(T lower, T upper) {
  long double const a = lower, b = upper;
  for (double fraction : {0.0001, 0.25, 0.5, 2.0 / 3, 0.9999}) {
    T const got = detail::interpolated(lower, upper, fraction);
    long double const exact = a * (1 - static_cast<long double>(fraction)) + b * fraction;
    long double const least = std::numeric_limits<T>::denorm_min(),
                      bound = std::max(std::fabs(a), std::fabs(b)) * (3 * 0x1p-53L + (sizeof(T) == 4 ? 0x1p-24L : 0)) +
                              2 * least;
    EXPECT_LE(std::fabs(got - exact), bound) << lower << ' ' << upper << ' ' << fraction;
    EXPECT_TRUE(lower <= got && got <= upper) << lower << ' ' << upper << ' ' << fraction;
  }
}
template <class T>
void check_interpolation() {
  T const most = std::numeric_limits<T>::max(), least = std::numeric_limits<T>::denorm_min(),
          infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  T const some[] = {-most, -3, -1, -least, T(-0.0), 0, least, T(0.1), 1, T(1) + 3 * least, 5, most / 3, most};
  for (T lower : some)
    for (T upper : some)
      if (lower <= upper) expect_between(lower, upper);
  EXPECT_EQ(detail::interpolated(infinity, infinity, 0.3), infinity);
  EXPECT_EQ(detail::interpolated(T(-2), infinity, 0.3), infinity);
  EXPECT_EQ(detail::interpolated(T(2), infinity, 0.7), infinity);
  EXPECT_EQ(detail::interpolated(-infinity, T(-2), 0.7), -infinity);
  EXPECT_EQ(detail::interpolated(-infinity, T(2), 0.3), -infinity);
  EXPECT_TRUE(std::isnan(detail::interpolated(-infinity, infinity, 0.5)));
  EXPECT_TRUE(std::isnan(detail::interpolated(T(1), nan, 0.5)));
  EXPECT_TRUE(std::isnan(detail::interpolated(nan, nan, 0.5)));
  EXPECT_EQ(detail::interpolated(T(1), T(2), 0.25), T(1.25));
}
TEST(GridQuantiles, LieBetweenTwoElements) {
  check_interpolation<float>();
  check_interpolation<double>();
}

// ---- Keys.

template <class T>
class GridSelectKeys : public testing::Test {};
using key_types = testing::Types<
#if TEST_HAS_HALVES
    __half, __nv_bfloat16,
#endif
    float, double, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, std::int8_t, std::uint8_t, std::int16_t,
    std::uint16_t>;
TYPED_TEST_SUITE(GridSelectKeys, key_types);

TYPED_TEST(GridSelectKeys, AreInTheOrderOfTheNumbers) {
  using T = TypeParam;
  using keys = detail::rank_keys<T>;
  for (values how : {values::specials, values::any_bits, values::uniform}) {
    std::vector<T> const x = draw_values<T>(how, 120, 3);
    for (bool falling : {false, true}) {
      auto const order = keys::template order_of<T>(falling);
      for (T a : x) {
        auto const key = keys::of(a, order);
        auto const plain = static_cast<typename keys::key>(keys::raw(a, order) - order.begin);
        EXPECT_LE(keys::least_of(key, order), plain);
        EXPECT_LE(plain, key);
        for (T b : x) {
          bool const before = falling ? tessera::greater{}(a, b) : tessera::less{}(a, b);
          EXPECT_EQ(key < keys::of(b, order), before) << as_double(a) << ' ' << as_double(b);
        }
      }
    }
  }
}

TEST(GridSelectEntries, AreNumbersOfDigits) {
  std::mt19937_64 random(1);
  auto const check = [&](auto of) {
    using entry = decltype(of(0u, std::uint64_t{0}));
    for (int i = 0; i < 2000; ++i) {
      std::uint64_t const mask = ~std::uint64_t{0} >> random() % 64 & 0xffffffff;
      auto const a = of(static_cast<std::uint32_t>(random() & mask), random() & mask),
                 b = of(static_cast<std::uint32_t>(random() & mask), random() & mask);
      unsigned const low = detail::differing_bits(a, b);
      EXPECT_TRUE(a.agrees(b, low));
      EXPECT_TRUE(low == 0 || !a.agrees(b, low - 1));
      entry rebuilt = entry::least();
      for (unsigned bits = entry::bits; bits > 0;) {
        unsigned const width = bits < 11 ? bits : 11, digit = a.digit(bits - width, width);
        if (!a.agrees(b, bits - width) && a.agrees(b, bits)) {
          EXPECT_EQ(a < b, digit < b.digit(bits - width, width));
        }
        bits -= width;
        rebuilt = rebuilt.with_digit(bits, digit);
        EXPECT_TRUE(rebuilt.agrees(a, bits));
        EXPECT_FALSE(a < rebuilt.cleared(bits));
        EXPECT_FALSE(rebuilt.filled(bits) < a);
        EXPECT_FALSE(a < a.cleared(bits) || a.filled(bits) < a);
      }
      EXPECT_FALSE(rebuilt < a || a < rebuilt);
      EXPECT_EQ(rebuilt.index(), a.index());
      EXPECT_EQ(rebuilt.rank_key(), a.rank_key());
    }
  };
  check([](std::uint32_t key, std::uint64_t index) { return packed<float>::of(key, index & 0xffffffff); });
  check([](std::uint32_t key, std::uint64_t index) { return wide<float>::of(key, index); });
  check([](std::uint32_t key, std::uint64_t index) { return wide<double>::of(std::uint64_t{key} << 17, index); });
#if TEST_HAS_HALVES
  check([](std::uint32_t key, std::uint64_t index) {
    return packed<__half>::of(key & 0xffff0000, index << 8 & 0xffffffffff);
  });
#endif
}

// ---- Selections.

template <class T>
class GridSelect : public testing::Test {};
TYPED_TEST_SUITE(GridSelect, selected_types);

TYPED_TEST(GridSelect, TheFirstOfEverySize) {
  using T = TypeParam;
  unsigned seed = 0;
  for (std::int64_t n : {1, 2, 31, 33, 64, 65, 127, 128, 129, 500, 3001}) {
    for (values how : all_values) {
      ++seed;
      auto const x = draw_values<T>(how, static_cast<std::size_t>(n), seed);
      for (std::int64_t k : {std::int64_t{1}, std::int64_t{20}, n / 3, n - 1, n}) {
        if (k < 1 || k > n) continue;
        SCOPED_TRACE(name_of(how));
        expect_top<fitting<T>>(x, k, seed % 2 == 0, seed);
        if (this->HasFailure()) return;
      }
    }
  }
}

TYPED_TEST(GridSelect, OneRank) {
  using T = TypeParam;
  unsigned seed = 100;
  for (std::int64_t n : {1, 2, 127, 129, 1000, 5003}) {
    for (values how : all_values) {
      ++seed;
      auto const x = draw_values<T>(how, static_cast<std::size_t>(n), seed);
      for (std::int64_t rank : {std::int64_t{0}, n / 100, n / 2, n - 1 - n / 50, n - 1}) {
        SCOPED_TRACE(name_of(how));
        expect_rank<fitting<T>>(x, rank, seed % 2 == 0, seed);
        if (this->HasFailure()) return;
      }
    }
  }
}

/// Of a long array blocks share samples, each of which is that of some rank in its set.
TYPED_TEST(GridSelect, SharedSamples) {
  using T = TypeParam;
  setup with;
  with.shared_samples_from = 1;
  unsigned seed = 200;
  for (std::int64_t n : {1100, 5000, 30011}) {
    for (values how : {values::uniform, values::few, values::rising, values::any_bits}) {
      ++seed;
      auto const x = draw_values<T>(how, static_cast<std::size_t>(n), seed);
      SCOPED_TRACE(name_of(how));
      expect_top<fitting<T>>(x, n / 10, false, seed, with);
      for (std::int64_t rank : {std::int64_t{0}, n / 500, n / 2, n - n / 7, n - 1})
        expect_rank<fitting<T>>(x, rank, seed % 2 == 0, seed, with);
      if (this->HasFailure()) return;
    }
  }
}

/// Digits alone, where blocks take turns in each phase.
TYPED_TEST(GridSelect, ByDigits) {
  using T = TypeParam;
  unsigned seed = 250;
  for (values how : all_values) {
    for (std::int64_t n : {300, 3001}) {
      auto const x = draw_values<T>(how, static_cast<std::size_t>(n), ++seed);
      bool const falling = seed % 2 == 0;
      auto const order = sorted_indices(x, falling);
      SCOPED_TRACE(name_of(how));
      for (std::int64_t k : {1, 40}) {
        auto const got = select_by_digits<fitting<T>>(x, k - 1, false, falling, seed);
        for (std::size_t i = 0; i < got.indices.size(); ++i) ASSERT_EQ(got.indices[i], order[i]) << i;
      }
      for (std::int64_t rank : {std::int64_t{0}, n / 2, n - 1}) {
        auto const got = select_by_digits<fitting<T>>(x, rank, true, falling, seed);
        ASSERT_EQ(got.indices[0], order[static_cast<std::size_t>(rank)]) << rank << " of " << n;
      }
    }
  }
}

/// Entries of two words for keys of one, as for more than 2^32 elements.
TEST(GridSelectOnHost, WideEntriesOfShortKeys) {
  unsigned seed = 300;
  for (values how : all_values) {
    auto const x = draw_values<float>(how, 2000, ++seed);
    SCOPED_TRACE(name_of(how));
    expect_top<wide<float>>(x, 17, true, seed);
    expect_top<wide<float>>(x, 700, false, seed);
    expect_rank<wide<float>>(x, 1000, false, seed);
  }
}

/// Entries of NaNs have the key of the words that fill a list, and the last of 2^13 has their index's bits, too.
TEST(GridSelectOnHost, NansThatAreSorted) {
  setup with;
  with.shared_samples_from = 1;
  with.change = [](auto& plan) {
    EXPECT_FALSE(plan.lists_array);
    plan.capacity += 50;
  };
  unsigned seed = 350;
  for (std::size_t n : {8191u, 8192u}) {
    std::vector<double> x(n, std::numeric_limits<double>::quiet_NaN());
    std::vector<float> y(n, std::numeric_limits<float>::quiet_NaN());
    for (std::size_t i = 0; i < n / 20; ++i) x[19 * i] = y[19 * i] = static_cast<float>(i % 7);
    for (std::int64_t k : {600, 1000}) {
      expect_top<wide<double>>(x, k, false, ++seed, with);
      expect_top<packed<float>>(y, k, false, ++seed, with);
    }
  }
}

/// Bounds that miss the wanted rank on either side, and lists without room: the digits of the array are counted.
TEST(GridSelectOnHost, BoundsThatMislead) {
  std::vector<change> const changes = {
      {"too low",
       [](auto& plan) {
         plan.lower = 0;
         plan.stride = plan.buckets = 1;
       },
       misleads::always},
      {"too high",
       [](auto& plan) {
         if (plan.wanted == detail::wanted_ranks::one) plan.lower = plan.groups() - 1;
         plan.stride = plan.groups();
         plan.buckets = 1;
       },
       misleads::sometimes},
      {"none",
       [](auto& plan) {
         plan.lower = 0;
         plan.stride = plan.groups() + 1;
         plan.buckets = 1;
         plan.capacity = 20000;
       },
       misleads::never},
      {"no room", [](auto& plan) { plan.capacity = 1; }, misleads::always},
  };
  unsigned seed = 400;
  for (change const& c : changes) {
    bool misled = false;
    for (std::int64_t shared_from : {std::int64_t{1}, std::int64_t{1} << 22}) {
      for (values how : {values::uniform, values::few, values::constant, values::nans, values::narrow}) {
        setup with;
        with.change = [&](auto& plan) {
          std::uint64_t const room = plan.capacity;
          c.of(plan);
          // What is sorted is listed by digits, too.
          if (plan.wanted != detail::wanted_ranks::unsorted) return;
          plan.lists_array = false;
          if (plan.capacity < room) plan.capacity = plan.most_left = plan.target + 1;
        };
        with.shared_samples_from = shared_from;
        auto const x = draw_values<float>(how, 9000, ++seed);
        SCOPED_TRACE(std::string(name_of(how)) + ", " + c.name);
        for (std::int64_t rank : {4500, 8900}) {
          bool const this_one = expect_rank<packed<float>>(x, rank, seed % 2 == 0, seed, with).misled;
          misled = misled || this_one;
          if (c.when != misleads::sometimes) {
            EXPECT_EQ(this_one, c.when == misleads::always) << rank;
          }
        }
        expect_top<packed<float>>(x, 1500, seed % 2 == 0, seed, with);
        if (testing::Test::HasFailure()) return;
      }
    }
    EXPECT_EQ(misled, c.when != misleads::never) << c.name;
  }
}

/// Ranks at the bounds and around them, for bounds between all samples.
TEST(GridSelectOnHost, RanksAtTheBounds) {
  std::vector<std::int32_t> x;
  for (std::int32_t i = 0; i < 300; ++i) x.push_back(i);
  for (unsigned lower : {1u, 30u}) {
    setup with;
    with.change = [&](auto& plan) {
      plan.lower = lower;
      plan.stride = 2;
      plan.buckets = 3;
      plan.capacity = 300;
    };
    unsigned found = 0;
    for (std::int64_t rank = 0; rank < 300; rank += 2)
      found += expect_rank<packed<std::int32_t>>(x, rank, false, 1, with).misled ? 0 : 1;
    EXPECT_GE(found, 8u);
    EXPECT_LE(found, 24u);
  }
}

/// Samples mislead neither where elements tie nor where they are in order: the array is read once.
TEST(GridSelectOnHost, ReadsOnce) {
  constexpr std::int64_t n = 40009;
  setup with;
  for (values how : all_values) {
    auto const x = draw_values<float>(how, n, 11);
    for (std::int64_t shared_from : {1, 1 << 22}) {
      with.shared_samples_from = shared_from;
      SCOPED_TRACE(name_of(how));
      EXPECT_FALSE((expect_top<packed<float>>(x, 1000, true, 3, with).misled));
      for (std::int64_t rank : {n / 1000, n / 2})
        EXPECT_FALSE((expect_rank<packed<float>>(x, rank, true, 3, with).misled)) << rank;
    }
  }
}

/// Blocks of the GPU's size.
TEST(GridSelectOnHost, InTheShapeOfTheGpu) {
  using real = detail::top_k_tuning::shape;
  unsigned seed = 600;
  for (values how : {values::uniform, values::few}) {
    auto const x = draw_values<float>(how, 30000, ++seed);
    setup with;
    with.blocks = 2;
    expect_top<packed<float>, real>(x, 5, true, seed, with);
    expect_top<packed<float>, real>(x, 9000, false, seed, with);
    expect_rank<packed<float>, real>(x, 15000, false, seed, with);
    with.change = [](auto& plan) { plan.stride = plan.buckets = plan.lower = 1; };
    EXPECT_TRUE((expect_rank<packed<float>, real>(x, 14000, true, seed, with).misled));
    with.change = [](auto&) {};
    with.shared_samples_from = 1;
    EXPECT_FALSE((expect_rank<packed<float>, real>(x, 14000, true, seed, with).misled));
    std::vector<double> const doubles(x.begin(), x.begin() + 9000);
    expect_top<wide<double>, real>(doubles, 3000, false, seed, with);
  }
}

/// The samples are the least elements, or the greatest.
TEST(GridSelectOnHost, ArraysThatHideFromSamples) {
  constexpr std::int64_t n = 70000;
  unsigned seed = 500;
  for (float sampled : {-1.0f, 2000.0f}) {
    auto x = draw_values<float>(values::few, n, ++seed);
    for (unsigned log2 = 6; log2 <= 12; ++log2) {
      for (unsigned i = 0; i < 1u << log2; ++i)
        x[static_cast<std::size_t>(detail::sample_position(n, i, log2))] = sampled;
    }
    for (std::int64_t shared_from : {1, 1 << 22}) {
      setup with;
      with.shared_samples_from = shared_from;
      expect_top<packed<float>>(x, 50, true, seed, with);
      expect_top<packed<float>>(x, 9000, true, seed, with);
      expect_rank<packed<float>>(x, n / 2, true, seed, with);
    }
  }
}

/// Elements at any address, of which the first and the last fill no vector.
TEST(GridSelectOnHost, Misaligned) {
  auto const all = draw_values<float>(values::few, 2010, 1);
  for (std::size_t offset : {1, 2, 3}) {
    std::vector<float> const x(all.begin() + static_cast<std::ptrdiff_t>(offset), all.end());
    auto const expected = sorted_indices(x, true);
    auto const got =
        select<packed<float>>(all.data() + offset, static_cast<std::int64_t>(x.size()), 99, false, true, 7);
    for (std::size_t i = 0; i < 100; ++i) ASSERT_EQ(got.indices[i], expected[i]);
  }
}

struct record {
  unsigned char name[5];
  std::int16_t score;
};
struct score_of {
  TESSERA_FN std::int16_t operator()(record const& x) const { return x.score; }
};

TEST(GridSelectOnHost, StructsByAFunction) {
  std::mt19937_64 random(5);
  std::vector<record> x(3000);
  std::vector<std::int16_t> scores;
  for (record& one : x) {
    one = {{static_cast<unsigned char>(random()), 2, 3, 4, 5}, static_cast<std::int16_t>(random() % 900 - 450)};
    scores.push_back(one.score);
  }
  auto const expected = sorted_indices(scores, true);
  using entry = detail::packed_entry<detail::rank_keys<std::int16_t>>;
  for (std::int64_t k : {1, 40, 900}) {
    auto const got = select<entry>(x.data(), 3000, k - 1, false, true, 7, {}, score_of{});
    for (std::size_t i = 0; i < static_cast<std::size_t>(k); ++i) {
      ASSERT_EQ(got.indices[i], expected[i]);
      ASSERT_EQ(std::memcmp(&got.values[i], &x[static_cast<std::size_t>(expected[i])], sizeof(record)), 0);
    }
  }
}

/// Every element by an iterator, and results to others: as long as a few pieces, ranked by the blocks or sorted, and the median.
TEST(GridSelectOnHost, ByAnIterator) {
  using reader = strided<float const, 1>;
  using by_reader = detail::key_by_reader<reader, as_it_is, strided<float, 1>, strided<std::int64_t, 1>>;
  for (std::size_t n : {std::size_t{1}, std::size_t{33}, std::size_t{3000}, std::size_t{20011}}) {
    std::mt19937_64 random(n);
    std::vector<float> x(n);
    for (float& value : x) value = static_cast<float>(random() % 5000);
    auto const count = static_cast<std::int64_t>(n);
    for (unsigned seed : {7u, 8u}) {
      for (std::int64_t last : {std::int64_t{0}, std::min(count, std::int64_t{99}) - 1, count - 1}) {
        auto const got =
            select<packed<float>, small_shape, float>(x.data(), count, last, false, true, seed, {}, by_reader{});
        expect_first(x, got, true, seed);
      }
      auto const median =
          select<packed<float>, small_shape, float>(x.data(), count, count / 2, true, false, seed, {}, by_reader{});
      EXPECT_EQ(median.indices[0], sorted_indices(x, false)[n / 2]) << n;
      EXPECT_EQ(median.values[0], x[static_cast<std::size_t>(median.indices[0])]) << n;
    }
  }
}

TEST(GridSelectOnHost, Drawn) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    std::mt19937_64 random(seed);
    std::int64_t const n = 1 + static_cast<std::int64_t>(random() % (seed % 5 == 0 ? 20000 : 2500));
    auto const how = all_values[random() % std::size(all_values)];
    auto const x = draw_values<float>(how, static_cast<std::size_t>(n), seed);
    std::int64_t const place = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
    setup with;
    with.blocks = 1 + static_cast<unsigned>(random() % 9);
    with.shared_samples_from = random() % 2 == 0 ? 1 : 1 << 22;
    SCOPED_TRACE(name_of(how));
    expect_top<packed<float>>(x, 1 + place % (seed % 3 == 0 ? n : 50), random() % 2 == 0, seed, with);
    expect_rank<packed<float>>(x, place, random() % 2 == 0, seed, with);
    if (HasFailure()) return;
  }
}

}  // namespace
