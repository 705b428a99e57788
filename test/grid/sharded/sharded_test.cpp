// Calls over several ranks, which are threads here: the exchange, and the agents on host tiles. The local steps are
// sequential loops.
#include <gtest/gtest.h>

#include <tessera/core/comparators.hpp>
#include <tessera/grid/sharded/combine_shards.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <mutex>
#include <vector>

#include "host_ranks.hpp"
#include "host_shards.hpp"
#include "samples.hpp"

namespace {

using namespace test;
namespace detail = tessera::grid::detail;
using tessera::grid::shard;

TEST(ShardedOnHost, ReducesInOrder) {
  auto const op = tessera::make_operator(matrix_product{}, matrix_one);
  for (std::int64_t total : {0, 1, 5, 64, 700}) {
    std::vector<matrix> x(static_cast<std::size_t>(total));
    random_engine random(static_cast<std::uint64_t>(total));
    matrix expected = matrix_one;
    for (auto& value : x) {
      value = sample<matrix>(random);
      expected = matrix_product{}(expected, value);
    }
    for_all_cuts(total, [&](host_ranks::rank const& rank, shard const& part) {
      matrix got{};
      auto const local = [&](matrix* own) {
        *own = matrix_one;
        for (std::int64_t i = 0; i < part.count; ++i)
          *own = matrix_product{}(*own, x[static_cast<std::size_t>(part.begin + i)]);
        return cudaSuccess;
      };
      EXPECT_EQ(detail::combine_shards<matrix>(rank, part, &got, op, local), cudaSuccess);
      EXPECT_TRUE(same_bits(got, expected)) << total << " over " << rank.count();
    });
  }
}

/// Sums of −0 are −0, those of nothing +0, whoever has no elements.
TEST(ShardedOnHost, Zeros) {
  for (std::int64_t total : {0, 1, 3, 100}) {
    float const expected = total == 0 ? 0.0f : -0.0f;
    for_all_cuts(total, [&](host_ranks::rank const& rank, shard const& part) {
      float got = 1;
      auto const local = [](float* own) {
        *own = -0.0f;
        return cudaSuccess;
      };
      EXPECT_EQ(detail::combine_shards<float>(rank, part, &got, tessera::plus{}, local), cudaSuccess);
      EXPECT_TRUE(same_bits(got, expected)) << total << " over " << rank.count();
    });
  }
}

/// The bits of a sum in chunks are the same on any number of ranks; shards of another cut are refused.
TEST(ShardedOnHost, ChunksHaveTheBitsOfOneRank) {
  for (std::int64_t total : {0, 1, 63, 64, 65, 1000, 70000}) {
    std::vector<float> x(static_cast<std::size_t>(total));
    random_engine random(static_cast<std::uint64_t>(total) + 9);
    for (float& value : x)
      value = std::ldexp(static_cast<float>(random() % 2001) - 1000, static_cast<int>(random() % 20));
    std::vector<float> results;
    for (int ranks : {1, 2, 3, 4, 5, 8, 16, 65, 70}) {
      host_ranks all(ranks);
      all.run([&](host_ranks::rank const& rank) {
        shard const part = tessera::grid::shard_of(total, rank.index(), ranks);
        float got = 1;
        auto const local = [&](std::int64_t first, int rows, std::int64_t columns, float* own) {
          EXPECT_LE(first + rows * columns, part.count);
          for (int row = 0; row < rows; ++row) {
            float sum = -0.0f;
            for (std::int64_t i = 0; i < columns; ++i)
              sum += x[static_cast<std::size_t>(part.begin + first + row * columns + i)];
            own[row] = sum;
          }
          return cudaSuccess;
        };
        EXPECT_EQ(detail::combine_chunks<float>(rank, part, &got, tessera::plus{}, local), cudaSuccess);
        static std::mutex mutex;
        std::lock_guard<std::mutex> const lock(mutex);
        results.push_back(got);
      });
    }
    for (float const& result : results) EXPECT_TRUE(same_bits(result, results[0])) << total;
    double exact = 0;
    for (float value : x) exact += value;
    EXPECT_NEAR(results[0], exact, 1e-2 * (1 + std::fabs(exact)));
  }
  host_ranks all(2);
  all.run([&](host_ranks::rank const& rank) {
    float got = 1;
    shard const part = rank.index() == 0 ? shard{0, 10, 1000} : shard{10, 990, 1000};
    auto const local = [](std::int64_t, int, std::int64_t, float*) { return cudaSuccess; };
    EXPECT_EQ(detail::combine_chunks<float>(rank, part, &got, tessera::plus{}, local), cudaErrorInvalidValue);
  });
}

/// Products of matrices in chunks, of which a lane combines several.
TEST(ShardedOnHost, ChunksInOrder) {
  auto const op = tessera::make_operator(matrix_product{}, matrix_one);
  std::vector<matrix> x(1000);
  random_engine random(4);
  matrix expected = matrix_one;
  for (auto& value : x) {
    value = sample<matrix>(random);
    expected = matrix_product{}(expected, value);
  }
  for (int ranks : {1, 3}) {
    host_ranks all(ranks);
    all.run([&](host_ranks::rank const& rank) {
      shard const part = tessera::grid::shard_of(1000, rank.index(), ranks);
      matrix got{};
      auto const local = [&](std::int64_t first, int count, std::int64_t length, matrix* own) {
        for (int chunk = 0; chunk < count; ++chunk) {
          own[chunk] = matrix_one;
          for (std::int64_t i = 0; i < length; ++i)
            own[chunk] =
                matrix_product{}(own[chunk], x[static_cast<std::size_t>(part.begin + first + chunk * length + i)]);
        }
        return cudaSuccess;
      };
      EXPECT_EQ(detail::combine_chunks<matrix>(rank, part, &got, op, local), cudaSuccess);
      EXPECT_TRUE(same_bits(got, expected)) << ranks;
    });
  }
}

/// Indices are those of the whole array, and of equal values the first wins.
TEST(ShardedOnHost, Argmin) {
  using best = tessera::indexed<int, std::int64_t>;
  for (std::int64_t total : {0, 1, 10, 300}) {
    std::vector<int> x(static_cast<std::size_t>(total));
    random_engine random(static_cast<std::uint64_t>(total) + 1);
    for (int& value : x) value = static_cast<int>(random() % 5);
    auto const first = std::min_element(x.begin(), x.end());
    for_all_cuts(total, [&](host_ranks::rank const& rank, shard const& part) {
      best got{};
      auto const local = [&](best* own) {
        auto const begin = x.begin() + part.begin;
        auto const found = std::min_element(begin, begin + part.count);
        *own = {*found, found - begin};
        return rank.run(detail::shift_index_agent<int>{own, part.begin});
      };
      EXPECT_EQ(detail::combine_shards<best>(rank, part, &got, tessera::argmin{}, local), cudaSuccess);
      EXPECT_EQ(got.value, total == 0 ? std::numeric_limits<int>::max() : *first);
      EXPECT_EQ(got.index, total == 0 ? INT64_MAX : first - x.begin());
    });
  }
}

/// Products of matrices: the carry and the total are combined in order, from either end, with and without a start.
TEST(ShardedOnHost, Scans) {
  auto const op = tessera::make_operator(matrix_product{}, matrix_one);
  matrix const start{3, 1, 4, 1};
  for (std::int64_t total : {0, 1, 7, 200}) {
    std::vector<matrix> x(static_cast<std::size_t>(total));
    random_engine random(static_cast<std::uint64_t>(total) + 2);
    for (auto& value : x) value = sample<matrix>(random);
    for (bool suffix : {false, true}) {
      for (unsigned kind = 0; kind < 3; ++kind) {
        bool const has_start = kind > 0;
        std::vector<matrix> expected(x.size());
        matrix so_far = has_start ? start : matrix_one;
        for (std::int64_t i = 0; i < total; ++i) {
          auto const at = static_cast<std::size_t>(suffix ? total - 1 - i : i);
          so_far = suffix ? matrix_product{}(x[at], so_far) : matrix_product{}(so_far, x[at]);
          expected[at] = so_far;
        }
        for_all_cuts(total, [&](host_ranks::rank const& rank, shard const& part) {
          matrix all = start;
          auto const reduce = [&](matrix* own) {
            *own = matrix_one;
            for (std::int64_t i = 0; i < part.count; ++i)
              *own = matrix_product{}(*own, x[static_cast<std::size_t>(part.begin + i)]);
            return cudaSuccess;
          };
          auto const scan = [&](matrix* carry) {
            matrix sum = *carry;
            for (std::int64_t i = 0; i < part.count; ++i) {
              auto const at = static_cast<std::size_t>(part.begin + (suffix ? part.count - 1 - i : i));
              sum = suffix ? matrix_product{}(x[at], sum) : matrix_product{}(sum, x[at]);
              EXPECT_TRUE(same_bits(sum, expected[at])) << at << " of " << total << " over " << rank.count();
            }
            return cudaSuccess;
          };
          // The total may be where the start is.
          cudaError_t const error =
              kind == 2 ? detail::scan_shards<matrix>(rank, part, op, tessera::grid::start_on_device(&all), true,
                                                      suffix, &all, reduce, scan)
                        : detail::scan_shards<matrix>(rank, part, op, start, has_start, suffix, &all, reduce, scan);
          EXPECT_EQ(error, cudaSuccess);
          EXPECT_TRUE(same_bits(all, so_far));
        });
      }
    }
  }
}

TEST(ShardedOnHost, Selections) {
  for (std::int64_t total : {0, 3, 100}) {
    for_all_cuts(total, [&](host_ranks::rank const& rank, shard const& part) {
      auto const selected_before = [](std::int64_t i) { return (i + 2) / 3; };  // of 0, 3, 6 …
      std::int64_t const count = selected_before(part.begin + part.count) - selected_before(part.begin);
      shard got;
      auto const select = [&](std::int64_t* own) {
        *own = count;
        return cudaSuccess;
      };
      EXPECT_EQ(detail::select_shards(rank, &got, select), cudaSuccess);
      EXPECT_EQ(got.begin, selected_before(part.begin));
      EXPECT_EQ(got.count, count);
      EXPECT_EQ(got.total, selected_before(total));
    });
  }
}

/// Many exchanges by pushes, of sizes that are no multiple of a word, too, with ranks that hurry and ranks that don't.
struct no_agent {
  template <class Block>
  void operator()(Block const&) const {}
};
TEST(ShardedOnHost, PushesReuseTheirSlots) {
  for (int ranks : {1, 2, 3, 8}) {
    host_ranks all(ranks, true);
    all.run([&](host_ranks::rank const& rank) {
      for (unsigned round = 0; round < 100; ++round) {
        std::size_t const bytes = 1 + round * 7 % 50;
        std::vector<unsigned char> memory(bytes * static_cast<std::size_t>(ranks) + 1, 0xee);
        std::fill_n(memory.begin() + static_cast<std::ptrdiff_t>(bytes) * rank.index(), bytes,
                    static_cast<unsigned char>(round * 10 + static_cast<unsigned>(rank.index())));
        EXPECT_EQ(rank.gather_and_run(memory.data(), bytes, no_agent{}), cudaSuccess);
        for (std::size_t i = 0; i < memory.size() - 1; ++i)
          ASSERT_EQ(memory[i], static_cast<unsigned char>(round * 10 + i / bytes)) << "round " << round;
        ASSERT_EQ(memory.back(), 0xee);
        if (round % 5 == static_cast<unsigned>(rank.index()) % 5) std::this_thread::yield();
      }
    });
  }
}

/// An error of a local step is the call's.
TEST(ShardedOnHost, Errors) {
  host_ranks all(1);
  all.run([&](host_ranks::rank const& rank) {
    float got = 1;
    auto const fails = [](auto...) { return cudaErrorLaunchFailure; };
    EXPECT_EQ(detail::combine_shards<float>(rank, {0, 5, 5}, &got, tessera::plus{}, fails), cudaErrorLaunchFailure);
    EXPECT_EQ(detail::combine_chunks<float>(rank, {0, 5, 5}, &got, tessera::plus{}, fails), cudaErrorLaunchFailure);
    EXPECT_EQ(detail::scan_shards<float>(rank, {0, 5, 5}, tessera::plus{}, 0.0f, false, false, nullptr, fails, fails),
              cudaErrorLaunchFailure);
    shard selected{1, 2, 3};
    EXPECT_EQ(detail::select_shards(rank, &selected, fails), cudaErrorLaunchFailure);
    EXPECT_EQ(detail::top_k_shards<float>(rank, {0, 5, 5}, 2, &got, nullptr, tessera::less{}, fails),
              cudaErrorLaunchFailure);
    EXPECT_EQ(got, 1);
    EXPECT_EQ(selected.total, 3);
  });
}

}  // namespace
