// How arrays are cut into shards and chunks.
#include <gtest/gtest.h>

#include <tessera/grid/shard.hpp>

#include <algorithm>
#include <cstdint>

namespace {

namespace detail = tessera::grid::detail;
using tessera::grid::shard;

TEST(Shard, EvenCuts) {
  for (std::int64_t total : {std::int64_t{0}, std::int64_t{1}, std::int64_t{63}, std::int64_t{64}, std::int64_t{1000},
                             std::int64_t{65536}, std::int64_t{100003}, (std::int64_t{1} << 40) + 7}) {
    for (int ranks : {1, 2, 3, 4, 7, 8, 64, 65, 100, 512}) {
      std::int64_t next = 0, least = INT64_MAX, most = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        shard const part = tessera::grid::shard_of(total, rank, ranks);
        ASSERT_EQ(part.begin, next);
        ASSERT_GE(part.count, 0);
        ASSERT_TRUE(detail::is_shard(part) && detail::is_cut_evenly(part, rank, ranks));
        next += part.count;
        least = std::min(least, part.count);
        most = std::max(most, part.count);
      }
      EXPECT_EQ(next, total);
      EXPECT_LE(most - least, total / 64 + 2048 + 64) << total << " over " << ranks;
      detail::part_cut const cut{65, ranks};
      for (int part = 0; part < cut.parts; ++part) {
        int const rank = cut.rank_of(part);
        ASSERT_TRUE(cut.first(rank) <= part && part < cut.first(rank + 1)) << part << " over " << ranks;
        ASSERT_LE(cut.count(rank), cut.most());
      }
    }
  }
  for (shard const& wrong : {shard{-1, 1, 5}, shard{0, -1, 5}, shard{3, 3, 5}, shard{0, 0, -1}, shard{6, 0, 5}})
    EXPECT_FALSE(detail::is_shard(wrong));
  EXPECT_FALSE(detail::is_cut_evenly({0, 100, 1000}, 0, 2));
}

}  // namespace
