// The kernel that selects in buckets on host tiles: samples that mislead, buckets without room, blocks that stop in
// between.
#include <gtest/gtest.h>

#include <tessera/grid/top_k/least_samples.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "select_on_host.hpp"

namespace {

using namespace test;
using real_shape = detail::top_k_tuning::shape;

// ---- Parts.

/// The least sample of each group, in order, for blocks in which some lanes have none.
template <unsigned Threads, unsigned Groups>
void check_least_samples(unsigned seed, unsigned with_sample) {
  using entry = packed<std::uint32_t>;
  constexpr unsigned count = Groups;
  std::mt19937_64 random(seed);
  std::vector<entry> of_lane;
  for (unsigned i = 0; i < Threads; ++i)
    of_lane.push_back(random() % 100 < with_sample ? entry{random()} : entry::greatest());
  std::vector<std::uint64_t> expected;
  for (unsigned g = 0; g < count; ++g) {
    std::uint64_t least = entry::greatest().word;
    for (unsigned i = 0; i < Threads / count; ++i) least = std::min(least, of_lane[g * (Threads / count) + i].word);
    expected.push_back(least);
  }
  std::sort(expected.begin(), expected.end());
  detail::least_samples<entry> storage{};
  tessera::host::options how;
  how.seed = seed;
  tessera::host::launch_grid(1, Threads, how, [&](tessera::host::block const& block) {
    detail::sort_samples<Threads, Groups>(block, storage, of_lane[block.thread_rank()], 0);
  });
  for (unsigned i = 0; i < count; ++i) ASSERT_EQ(storage.sorted[i].word, expected[i]) << i;
}
TEST(GridBuckets, LeastSamplesOfGroups) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    for (unsigned with_sample : {0, 3, 50, 100}) {
      check_least_samples<64, 64>(seed, with_sample);
      check_least_samples<128, 128>(seed, with_sample);
      check_least_samples<512, 64>(seed, with_sample);
      check_least_samples<512, 128>(seed, with_sample);
    }
  }
}
/// Those of other ranks in groups whose lanes all have one.
template <unsigned Threads, unsigned Groups>
void check_ranked_samples(unsigned seed, unsigned rank) {
  using entry = wide<double>;
  constexpr unsigned count = Groups, lanes = Threads / count;
  std::mt19937_64 random(seed);
  std::vector<entry> of_lane, expected;
  for (unsigned i = 0; i < Threads; ++i) of_lane.push_back(entry::of(random() % 9, i));
  for (unsigned g = 0; g < count; ++g) {
    std::vector<entry> group(of_lane.begin() + g * lanes, of_lane.begin() + (g + 1) * lanes);
    std::sort(group.begin(), group.end());
    expected.push_back(group[rank]);
  }
  std::sort(expected.begin(), expected.end());
  detail::least_samples<entry> storage{};
  tessera::host::options how;
  how.seed = seed;
  tessera::host::launch_grid(1, Threads, how, [&](tessera::host::block const& block) {
    detail::sort_samples<Threads, Groups>(block, storage, of_lane[block.thread_rank()], rank);
  });
  for (unsigned i = 0; i < count; ++i) ASSERT_EQ(storage.sorted[i].index(), expected[i].index()) << i;
}
TEST(GridBuckets, SamplesOfARankInTheirGroups) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    check_ranked_samples<128, 128>(seed, 0);
    for (unsigned rank : {0u, 1u, 3u}) check_ranked_samples<256, 64>(seed, rank);
    for (unsigned rank : {0u, 2u, 3u}) check_ranked_samples<512, 128>(seed, rank);
  }
}

/// The entry of a rank among entries in memory, and among those that a block's storage holds.
template <class Entry, class Shape>
void check_selection_in_block(unsigned seed, std::size_t count, unsigned key_bits) {
  std::mt19937_64 random(seed);
  std::vector<Entry> x;
  for (std::size_t i = 0; i < count; ++i)
    x.push_back(Entry::of(static_cast<typename Entry::key>(random() >> (64 - key_bits) & ~0u), i * 3));
  auto sorted = x;
  std::sort(sorted.begin(), sorted.end());
  std::shuffle(x.begin(), x.end(), random);
  auto const storage = std::make_unique<detail::top_k_storage<Shape, Entry>>();
  tessera::host::options how;
  how.seed = seed;
  bool const fits = count <= Shape::template beside_counts<Entry>;
  if (fits) std::copy(x.begin(), x.end(), storage->beside_counts());
  for (std::size_t rank : {std::size_t{0}, count / 3, count - 1}) {
    for (bool known : {false, true}) {
      detail::entry_window<Entry> const window{known ? sorted.front() : Entry::least(),
                                               known ? sorted.back() : Entry::greatest()};
      auto const got =
          tessera::host::launch_grid(1, Shape::threads, how, [&](tessera::host::block const& block) -> std::uint64_t {
            return detail::select_in_block(block, *storage, fits ? storage->beside_counts() : x.data(), count, rank,
                                           window)
                .index();
          });
      ASSERT_EQ(got[0], sorted[rank].index()) << rank << " of " << count << ' ' << known;
    }
  }
}
TEST(GridBuckets, SelectionInABlock) {
  unsigned seed = 30;
  for (std::size_t count : {1u, 2u, 50u, 120u, 121u, 1000u, 5000u}) {
    for (unsigned key_bits : {1u, 9u, 32u}) {
      check_selection_in_block<packed<float>, small_shape>(++seed, count, key_bits);
      check_selection_in_block<wide<float>, small_shape>(++seed, count, key_bits);
      check_selection_in_block<wide<double>, small_shape>(++seed, count, key_bits);
      if (HasFailure()) return;
    }
  }
  check_selection_in_block<packed<float>, real_shape>(1, 9000, 4);
}

TEST(GridBuckets, ShuffledNumbers) {
  for (unsigned log2 = 0; log2 <= 18; ++log2) {
    std::vector<bool> seen(1u << log2);
    for (unsigned i = 0; i < 1u << log2; ++i) {
      unsigned const number = detail::shuffled_number(i, log2);
      ASSERT_LT(number, 1u << log2);
      ASSERT_FALSE(seen[number]) << number << " comes twice of 2^" << log2;
      seen[number] = true;
    }
  }
}
/// In an array that is in order, whatever rank is sought: as many groups' samples are before it as the bounds have, and
/// groups that have a bucket's bounds aren't far apart.
TEST(GridBuckets, SamplesOfSortedArrays) {
  for (std::int64_t n :
       {std::int64_t{10007}, std::int64_t{1} << 20, std::int64_t{1} << 22, (std::int64_t{1} << 28) + 5}) {
    for (int step = 0; step <= 100; ++step) {
      std::int64_t const target = (n - 1) / 100 * step;
      auto const share = detail::even_share_of<4>(static_cast<float const*>(nullptr), n, 132);
      auto const plan = detail::plan_selection<real_shape, packed<float>>(n, target, true, share, 8192, 264);
      unsigned const samples = 1u << plan.samples_log2, groups = plan.groups(), m = samples / groups;
      std::vector<std::int64_t> chosen;
      for (unsigned g = 0; g < groups; ++g) {
        std::vector<std::int64_t> group;
        for (unsigned i = 0; i < m; ++i) {
          unsigned const number = plan.sample_sets == 0 ? i * groups + g : g * m + i;
          group.push_back(
              detail::sample_position(n, detail::shuffled_number(number, plan.samples_log2), plan.samples_log2));
        }
        std::nth_element(group.begin(), group.begin() + plan.sample_rank, group.end());
        chosen.push_back(group[plan.sample_rank]);
      }
      std::sort(chosen.begin(), chosen.end());
      auto const before = std::lower_bound(chosen.begin(), chosen.end(), target) - chosen.begin();
      ASSERT_GE(before, plan.lower) << "rank " << target << " of " << n;
      ASSERT_LT(before, plan.upper()) << "rank " << target << " of " << n;
      std::int64_t begin = plan.lower == 0 ? 0 : chosen[plan.lower - 1];
      for (unsigned b = 0; b < plan.buckets && begin <= target; ++b) {
        unsigned const upper = plan.lower + (b + 1) * plan.stride;
        std::int64_t const end = upper <= chosen.size() ? chosen[upper - 1] : n;
        ASSERT_LE(static_cast<std::uint64_t>(end - begin), plan.capacity) << "rank " << target << " of " << n;
        begin = end;
      }
    }
  }
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
      detail::bucket_lists<entry> to{splitters, 1, buckets, nullptr, nullptr, 0};
      ASSERT_EQ(detail::bucket_of(entry{word}, to), before) << word << ' ' << buckets;
      if (buckets > 10) continue;
      to.stride = 3;
      before = 0;
      for (unsigned b = 0; b + 1 < buckets; ++b) before += splitters[3 * b + 2].word < word ? 1u : 0u;
      ASSERT_EQ(detail::bucket_of(entry{word}, to), before) << word << ' ' << buckets;
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
    float, double, std::int32_t, std::uint32_t, std::uint64_t, std::int8_t>;
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
      if (sizeof(TypeParam) == 8 && k > 48) continue;
      expect_top<fitting<TypeParam>>(x, k, seed % 2 == 0, seed, with);
      if (this->HasFailure()) return;
    }
  }
}

/// Too few elements before the last sample, too many before a splitter, and samples that tell little.
TEST(GridBuckets, SamplesThatMislead) {
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
        with.change = c.of;
        with.shared_samples_from = shared_from;
        std::size_t const n = shared_from == 1 ? 17000 : 9000;
        auto const x = draw_values<float>(how, n, ++seed);
        SCOPED_TRACE(std::string(name_of(how)) + ", " + c.name);
        for (std::int64_t k : {5, 95}) {
          auto const got = expect_top<packed<float>>(x, k, seed % 2 == 0, seed, with);
          if (k == 95) misled = misled || got.misled;
          if (c.when == misleads::always && k == 95) {
            EXPECT_TRUE(got.misled);
          }
          if (testing::Test::HasFailure()) return;
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
    with.change = [&](auto& plan) { plan.buckets = buckets; };
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
        EXPECT_FALSE((expect_top<packed<float>>(x, k, true, 3, with).misled)) << k;
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
        x[static_cast<std::size_t>(detail::sample_position(n, i, log2))] = sampled;
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
      for (std::int64_t k : {5, 4500, 4992}) expect_top<packed<float>, real_shape>(x, k, seed % 2 == 0, seed, with);
      if (testing::Test::HasFailure()) return;
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
    if (HasFailure()) return;
  }
}

// ---- The plan.

template <class Entry>
void check_plans(std::int64_t room) {
  for (std::int64_t n : {room + 1, std::int64_t{1} << 16, (std::int64_t{1} << 21) - 1, std::int64_t{1} << 21,
                         std::int64_t{1} << 28, std::int64_t{1} << 40}) {
    auto const share = detail::even_share_of<4>(static_cast<float const*>(nullptr), n, 132);
    for (std::int64_t target : {0, 15, 255, 2495, 4095, 4991}) {
      if (target >= room / 4 * 3) continue;
      auto const plan = detail::plan_selection<real_shape, Entry>(n, target, false, share, 8192, 264);
      EXPECT_EQ(plan.wanted, detail::wanted_ranks::first);
      EXPECT_EQ(plan.sample_sets, n < std::int64_t{1} << 21 ? 0u : detail::top_k_tuning::sets_of_first);
      double const samples = static_cast<double>(std::int64_t{1} << plan.samples_log2),
                   expected = static_cast<double>(target + 1) / static_cast<double>(n) * samples;
      EXPECT_LE(expected, 8.1);
      EXPECT_LE(samples, static_cast<double>(n));
      EXPECT_LE(plan.samples_log2, detail::most_samples_log2);
      EXPECT_TRUE(target > 15 || n >> plan.samples_log2 <= detail::most_in_bucket || n > std::int64_t{1} << 36);
      EXPECT_GE(plan.samples_log2, plan.sample_sets != 0 ? 8u : 0u);
      EXPECT_GE(plan.buckets, 1u);
      EXPECT_LT(plan.buckets, detail::most_buckets) << "the risk is greater than planned";
      EXPECT_LE(plan.capacity, static_cast<std::uint64_t>(n));
      EXPECT_LE(static_cast<double>(plan.buckets * plan.capacity * 8), std::max(5e6, static_cast<double>(n) / 32));
      if (plan.capacity < static_cast<std::uint64_t>(n)) {
        EXPECT_GE(static_cast<double>(plan.capacity) * samples, 15.9 * static_cast<double>(n));
      }
    }
  }
  auto const share = detail::even_share_of<4>(static_cast<float const*>(nullptr), 100000, 132);
  auto const plan_of = [&](std::int64_t n, std::int64_t target) {
    return detail::plan_selection<real_shape, Entry>(n, target, false, share, 8192, 264);
  };
  EXPECT_TRUE(plan_of(room, 5).ranks_array);
  EXPECT_FALSE(plan_of(room + 1, 5).ranks_array);
  EXPECT_EQ(plan_of(100000, room / 4 * 3).wanted, detail::wanted_ranks::unsorted);
}
TEST(GridBuckets, Plans) {
  check_plans<packed<float>>(6656);
  check_plans<wide<double>>(3328);
}

/// Samples are in the array, each in its piece.
TEST(GridSelectPlan, SamplePositions) {
  for (std::int64_t n : {std::int64_t{4096}, std::int64_t{70001}, std::int64_t{1} << 40}) {
    for (unsigned i = 0; i < 4096; ++i) {
      std::int64_t const at = detail::sample_position(n, i, 12);
      EXPECT_GE(at, n * i / 4096);
      EXPECT_LT(at, n * (i + 1) / 4096);
    }
  }
}

/// Against sums over all outcomes.
TEST(GridSelectPlan, ProbabilitiesOfSamples) {
  auto const exact = [](double share, unsigned m, unsigned rank) {
    double sum = 0;
    for (unsigned i = rank + 1; i <= m; ++i)
      sum += std::exp(std::lgamma(m + 1.0) - std::lgamma(i + 1.0) - std::lgamma(m - i + 1.0) + i * std::log(share) +
                      (m - i) * std::log1p(-share));
    return sum;
  };
  for (unsigned m : {1u, 8u, 64u, 512u, 2048u, 4096u}) {
    for (double share : {1e-9, 1e-4, 0.003, 0.1, 0.5, 0.51, 0.9, 0.999, 1 - 1e-7}) {
      for (int off : {-2, 0, 1}) {
        int const rank = static_cast<int>(share * m) + off;
        if (rank < 0 || rank >= static_cast<int>(m)) continue;
        EXPECT_NEAR(detail::sample_probability(share, m, rank), exact(share, m, static_cast<unsigned>(rank)),
                    m <= 64 ? 1e-9 : 0.02)
            << share << ' ' << m << ' ' << rank;
      }
    }
  }
  for (double p : {0.0, 1e-12, 1e-3, 0.2, 0.5, 0.999, 1.0}) {
    unsigned const most = detail::groups_before(64, p);
    ASSERT_GE(most, 1u);
    ASSERT_LE(most, 65u);
    if (most <= 64 && p > 0) {
      EXPECT_LE(exact(p, 64, most - 1), 1.001e-5) << p;
    }
    if (most > 1 && p < 1) {
      EXPECT_GT(exact(p, 64, most - 2), 0.999e-5) << p;
    }
  }
}

TEST(GridSelectPlan, OfLongArrays) {
  using real = detail::top_k_tuning::shape;
  auto const plan_of = [](std::int64_t n, std::int64_t target, bool single) {
    auto const share = detail::even_share_of<4>(static_cast<float const*>(nullptr), n, 132);
    return detail::plan_selection<real, packed<float>>(n, target, single, share, 8192, 264);
  };
  std::int64_t const n = std::int64_t{1} << 28;
  auto const median = plan_of(n, n / 2, true);
  EXPECT_EQ(median.wanted, detail::wanted_ranks::one);
  EXPECT_EQ(median.samples_log2, 19u);
  EXPECT_LE(median.entries(), static_cast<std::uint64_t>(n) / 7);
  EXPECT_GE(median.steps_at_once, 10u) << "of 128 that a block filters";
  auto const all = plan_of(n, n - 1, false);
  EXPECT_TRUE(all.lists_array);
  EXPECT_EQ(all.capacity, static_cast<std::uint64_t>(n));
  auto const tenth = plan_of(n, n / 10, false);
  EXPECT_EQ(tenth.wanted, detail::wanted_ranks::unsorted);
  EXPECT_FALSE(tenth.lists_array);
  EXPECT_LE(static_cast<double>(tenth.capacity), 0.12 * static_cast<double>(n));
  for (std::int64_t size : {std::int64_t{3329}, std::int64_t{6657}, std::int64_t{1} << 20, std::int64_t{1} << 40}) {
    auto const share = detail::even_share_of<4>(static_cast<double const*>(nullptr), size, 132);
    for (std::int64_t target : {std::int64_t{0}, size / 1000, size / 2, size - 1}) {
      for (bool single : {false, true}) {
        auto const plan = detail::plan_selection<real, wide<double>>(size, target, single, share, 4096, 264);
        EXPECT_LE(plan.capacity, static_cast<std::uint64_t>(size));
        EXPECT_LE(plan.buckets, detail::most_buckets);
        EXPECT_GE(plan.buckets, 1u);
        EXPECT_GE(plan.steps_at_once, 1u);
        EXPECT_LT(plan.lower, plan.upper());
        EXPECT_TRUE(plan.wanted != detail::wanted_ranks::unsorted ||
                    plan.most_left > static_cast<std::uint64_t>(target));
        EXPECT_GE(plan.blocks, 1u);
        EXPECT_LE(plan.blocks, 264u);
      }
    }
  }
}

}  // namespace
