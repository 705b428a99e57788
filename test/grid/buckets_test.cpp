// The kernel that selects in buckets on host tiles: samples that mislead, buckets without room, blocks that stop in between.
#include <gtest/gtest.h>

#include <tessera/grid/top_k/least_samples.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "select_on_host.hpp"

namespace {

using namespace test;
using real_shape = detail::top_k_tuning::shape;

// ---- Parts.

/// The least sample of each group, in order, for blocks in which some lanes have none.
template <unsigned Threads>
void check_least_samples(unsigned seed, unsigned with_sample) {
  using entry = packed<std::uint32_t>;
  constexpr unsigned count = detail::sample_groups::count;
  std::mt19937_64 random(seed);
  std::vector<entry> of_lane;
  for (unsigned i = 0; i < Threads; ++i)
    of_lane.push_back(random() % 100 < with_sample ? entry{random()} : entry::greatest());
  std::vector<std::uint64_t> expected;
  for (unsigned g = 0; g < count; ++g) {
    std::uint64_t least = entry::greatest().word;
    for (unsigned i = 0; i < Threads / count; ++i)
      least = std::min(least, of_lane[g * (Threads / count) + i].word);
    expected.push_back(least);
  }
  std::sort(expected.begin(), expected.end());
  detail::least_samples<entry> storage{};
  tessera::host::options how;
  how.seed = seed;
  tessera::host::launch_grid(1, Threads, how, [&](tessera::host::block const& block) {
    detail::sort_least_samples<Threads>(block, storage, of_lane[block.thread_rank()]);
  });
  for (unsigned i = 0; i < count; ++i) ASSERT_EQ(storage.sorted[i].word, expected[i]) << i;
}
TEST(GridBuckets, LeastSamplesOfGroups) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    for (unsigned with_sample : {0, 3, 50, 100}) {
      check_least_samples<64>(seed, with_sample);
      check_least_samples<128>(seed, with_sample);
      check_least_samples<512>(seed, with_sample);
    }
  }
}
/// Each thread has a sample of its own, and samples with neighboring numbers are in different groups.
TEST(GridBuckets, FirstSamples) {
  for (unsigned threads : {64u, 128u, 512u}) {
    std::vector<unsigned> group_of(threads, threads);
    for (unsigned i = 0; i < threads; ++i) {
      unsigned const number = detail::sample_groups::first_of(i, threads);
      ASSERT_LT(number, threads);
      ASSERT_EQ(group_of[number], threads) << "two threads have one";
      group_of[number] = i / (threads / detail::sample_groups::count);
    }
    for (unsigned i = 1; i < threads; ++i) EXPECT_NE(group_of[i], group_of[i - 1]);
  }
}
/// So are neighboring sets of shared samples, of which a group has as many as any other.
TEST(GridBuckets, SetsOfSamples) {
  constexpr unsigned sets = detail::shared_sample_sets, each = sets / detail::sample_groups::count;
  std::vector<unsigned> group_of(sets, sets);
  for (unsigned i = 0; i < sets; ++i) {
    unsigned const set = detail::sample_groups::set_of(i, sets);
    ASSERT_LT(set, sets);
    ASSERT_EQ(group_of[set], sets) << "it comes twice";
    group_of[set] = i / each;
  }
  for (unsigned i = 1; i < sets; ++i) EXPECT_NE(group_of[i], group_of[i - 1]);
}
TEST(GridBuckets, OfEntries) {
  using entry = packed<float>;
  std::mt19937_64 random(2);
  for (unsigned buckets = 1; buckets <= detail::most_buckets; ++buckets) {
    entry splitters[detail::most_buckets];
    for (entry& e : splitters) e = {random() % 1000};
    std::sort(std::begin(splitters), std::end(splitters));
    for (std::uint64_t word = 0; word < 1001; ++word) {
      unsigned before = 0;
      for (unsigned b = 0; b + 1 < buckets; ++b) before += splitters[b].word < word ? 1u : 0u;
      ASSERT_EQ(detail::bucket_of(entry{word}, splitters, buckets), before) << word << ' ' << buckets;
    }
  }
}

// ---- Selections.

template <class T>
class GridBucketsOf : public testing::Test {};
using bucket_types = testing::Types<
#if TEST_HAS_HALVES
    __half, __nv_bfloat16,
#endif
    float, std::int32_t, std::uint32_t, std::int8_t>;
TYPED_TEST_SUITE(GridBucketsOf, bucket_types);

TYPED_TEST(GridBucketsOf, SharedSamples) {
  unsigned seed = 700;
  setup with;
  with.shared_samples_from = 1;
  for (values how : all_values) {
    auto const x = draw_values<TypeParam>(how, 20011, ++seed);
    SCOPED_TRACE(name_of(how));
    for (std::int64_t k : {1, 11, 96}) {
      with.blocks = 1 + seed % 7;
      expect_top<packed<TypeParam>>(x, k, seed % 2 == 0, seed, with);
      if (this->HasFatalFailure()) return;
    }
  }
}

/// Too few elements before the last sample, too many before a splitter, and samples that tell little.
TEST(GridBuckets, SamplesThatMislead) {
  enum class misleads { always, sometimes, never };
  struct change {
    std::string name;
    std::function<void(detail::bucket_plan&)> of;
    misleads when;
  };
  std::vector<change> const changes = {
      {"one bucket", [](auto& plan) { plan.buckets = 1; }, misleads::sometimes},
      {"no room", [](auto& plan) { plan.capacity = 1; }, misleads::always},
      {"little room", [](auto& plan) { plan.capacity = 20; }, misleads::sometimes},
      {"all buckets", [](auto& plan) { plan.buckets = detail::most_buckets; }, misleads::never},
      {"few samples",
       [](auto& plan) {
         if (plan.sample_sets == 0) plan.samples_log2 = 2;
         plan.capacity = 9000;
       },
       misleads::never},
  };
  unsigned seed = 800;
  for (change const& c : changes) {
    bool misled = false;
    for (std::int64_t shared_from : {std::int64_t{1}, std::int64_t{1} << 21}) {
      for (values how : {values::uniform, values::few, values::constant, values::nans, values::narrow}) {
        setup with;
        with.change_buckets = c.of;
        with.shared_samples_from = shared_from;
        std::size_t const n = shared_from == 1 ? 17000 : 9000;
        auto const x = draw_values<float>(how, n, ++seed);
        SCOPED_TRACE(std::string(name_of(how)) + ", " + c.name);
        for (std::int64_t k : {5, 95}) {
          auto const got = expect_top<packed<float>>(x, k, seed % 2 == 0, seed, with);
          if (k == 95) misled = misled || got.counted_array;
          if (c.when == misleads::always && k == 95) {
            EXPECT_TRUE(got.counted_array);
          }
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
    EXPECT_EQ(misled, c.when != misleads::never) << c.name;
  }
}

/// As many elements as are listed, one more, and others around that.
TEST(GridBuckets, RanksAtTheEndOfTheLastBucket) {
  std::vector<std::int32_t> x;
  for (std::int32_t i = 0; i < 300; ++i) x.push_back(i);
  for (unsigned buckets : {1u, 2u, 5u, 12u}) {
    setup with;
    with.change_buckets = [&](auto& plan) { plan.buckets = buckets; };
    for (std::int64_t k = 1; k <= 96; ++k)
      expect_top<packed<std::int32_t>>(x, k, false, static_cast<unsigned>(k), with);
  }
}

/// Samples mislead neither where elements tie nor where they are in order: the array is read once.
TEST(GridBuckets, ReadOnce) {
  for (values how : all_values) {
    auto const x = draw_values<float>(how, 100003, 12);
    for (std::int64_t shared_from : {1, 1 << 21}) {
      for (std::int64_t k : {1, 16, 96}) {
        setup with;
        with.shared_samples_from = shared_from;
        SCOPED_TRACE(name_of(how));
        EXPECT_FALSE((expect_top<packed<float>>(x, k, true, 3, with).counted_array)) << k;
      }
    }
  }
}

/// The samples are the least elements, or the greatest.
TEST(GridBuckets, ArraysThatHideFromSamples) {
  constexpr std::int64_t n = 70000;
  unsigned seed = 900;
  for (float sampled : {-1.0f, 2000.0f}) {
    auto x = draw_values<float>(values::few, n, ++seed);
    for (unsigned log2 : {6u, 14u}) {
      for (unsigned i = 0; i < 1u << log2; ++i)
        x[static_cast<std::size_t>(detail::sample_position(n, i, log2, detail::coarse_salt))] = sampled;
    }
    for (std::int64_t shared_from : {1, 1 << 21}) {
      setup with;
      with.shared_samples_from = shared_from;
      expect_top<packed<float>>(x, 50, true, seed, with);
      expect_top<packed<float>>(x, 90, false, seed, with);
    }
  }
}

/// Blocks of the GPU's size, with more elements in the window than wait in a block.
TEST(GridBuckets, InTheShapeOfTheGpu) {
  unsigned seed = 950;
  for (values how : {values::uniform, values::few, values::rising}) {
    for (std::size_t n : {6657u, 30000u, 140000u}) {
      auto const x = draw_values<float>(how, n, ++seed);
      setup with;
      with.blocks = 3;
      with.shared_samples_from = 1;
      SCOPED_TRACE(name_of(how));
      for (std::int64_t k : {5, 4500, 4992})
        expect_top<packed<float>, real_shape>(x, k, seed % 2 == 0, seed, with);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(GridBuckets, Drawn) {
  for (unsigned seed = 1; seed <= 150; ++seed) {
    std::mt19937_64 random(seed);
    bool const shared = seed % 3 == 0;
    std::int64_t const n =
        (shared ? 16384 : 129) + static_cast<std::int64_t>(random() % (seed % 5 == 0 ? 20000 : 2500));
    auto const how = all_values[random() % std::size(all_values)];
    auto const x = draw_values<float>(how, static_cast<std::size_t>(n), seed);
    setup with;
    with.blocks = 1 + static_cast<unsigned>(random() % 9);
    with.shared_samples_from = shared ? 1 : 1 << 21;
    SCOPED_TRACE(name_of(how));
    expect_top<packed<float>>(x, 1 + static_cast<std::int64_t>(random() % 96), random() % 2 == 0, seed, with);
    if (HasFatalFailure()) return;
  }
}

// ---- The plan.

TEST(GridBuckets, Plans) {
  for (std::int64_t n : {std::int64_t{6657}, std::int64_t{1} << 16, (std::int64_t{1} << 21) - 1,
                         std::int64_t{1} << 21, std::int64_t{1} << 28, std::int64_t{1} << 40}) {
    auto const share = detail::even_share_of<4, float>(nullptr, n, 132, true);
    for (std::int64_t target : {0, 15, 255, 4095, 4991}) {
      auto const plan = detail::plan_buckets<real_shape>(n, target, share, 264);
      EXPECT_EQ(plan.sample_sets, n < std::int64_t{1} << 21 ? 0u : detail::shared_sample_sets);
      double const samples = static_cast<double>(std::int64_t{1} << plan.samples_log2),
                   expected = static_cast<double>(target + 1) / static_cast<double>(n) * samples;
      EXPECT_LE(expected, 8.1);
      EXPECT_LE(samples, static_cast<double>(n));
      EXPECT_LE(plan.samples_log2, detail::most_samples_log2);
      EXPECT_TRUE(target > 15 || n >> plan.samples_log2 <= detail::most_in_bucket ||
                  n > std::int64_t{1} << 36);
      EXPECT_GE(plan.samples_log2, plan.sample_sets != 0 ? 8u : 0u);
      EXPECT_GE(plan.buckets, 1u);
      EXPECT_LT(plan.buckets, detail::most_buckets) << "the risk is greater than planned";
      EXPECT_LE(plan.capacity, static_cast<std::uint64_t>(n));
      EXPECT_LE(static_cast<double>(plan.buckets * plan.capacity * 8),
                std::max(5e6, static_cast<double>(n) / 32));
      if (plan.capacity < static_cast<std::uint64_t>(n)) {
        EXPECT_GE(static_cast<double>(plan.capacity) * samples, 15.9 * static_cast<double>(n));
      }
      EXPECT_TRUE((detail::has_buckets<real_shape, packed<float>>(n, target)));
      EXPECT_FALSE((detail::has_buckets<real_shape, wide<double>>(n, target)));
    }
  }
  EXPECT_FALSE((detail::has_buckets<real_shape, packed<float>>(6656, 5)));
  EXPECT_FALSE((detail::has_buckets<real_shape, packed<float>>(100000, 4992)));
}

}  // namespace
