// Coalesced groups of any lanes of a warp: the bits of a tile's first lanes, partitions of partitions, and on host tiles
// what orders memory and what is misuse. The oracle has every collective on them.
#include <tessera/atomic.hpp>
#include <tessera/coalesced_group.hpp>
#include <tessera/compact.hpp>
#include <tessera/histogram.hpp>
#include <tessera/lanes.hpp>
#include <tessera/match.hpp>
#include <tessera/reduce.hpp>
#include <tessera/scan.hpp>
#include <tessera/sort.hpp>
#include <tessera/vote.hpp>

#if !TESSERA_CUDA
#include <tessera/host/launch.hpp>
#include <tessera/host/shared.hpp>
#endif

#include "backend.hpp"

namespace {

using namespace test;
using tessera::plus;

struct CoalescedGroup : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

constexpr unsigned threads = 256;

TESSERA_FN unsigned scrambled(unsigned i) {
  i = (i ^ 0x9e3779b9u) * 0x85ebca6bu;
  i = (i ^ i >> 13) * 0xc2b2ae35u;
  return i ^ i >> 16;
}
/// The lanes of a warp's group: one, all, all but one, the first, the last, one of two, or any.
TESSERA_FN unsigned lanes_of(unsigned seed, unsigned warp) {
  unsigned const h = scrambled(seed * 8 + warp), one = 1u << h % 32;
  switch (seed * 8 + warp) {
    case 0:
      return ~0u;
    case 1:
      return 1;
    case 2:
      return 1u << 31;
    case 3:
      return 0x80000001u;
    case 4:
      return 0x55555555u;
    case 5:
      return 0x0001ffffu;
    case 6:
      return 0xffff8000u;
    default:
      return h % 5 == 0 ? one : h % 5 == 1 ? ~one : h % 5 == 2 ? one - 1 + one : scrambled(h) | one;
  }
}
/// Every order of combination gives other bits.
TESSERA_FN float value_of(unsigned rank) {
  return static_cast<float>(static_cast<int>(scrambled(rank + 77))) / 3;
}
/// The map x -> a * x + b modulo 2^32. Composition is associative and doesn't commute.
struct affine {
  unsigned a, b;
};
struct compose {
  TESSERA_FN affine operator()(affine f, affine g) const { return {f.a * g.a, f.b * g.a + g.b}; }
};
TESSERA_FN affine map_of(unsigned rank) {
  return {2 * rank + 3, 7 * rank + 1};
}
TESSERA_FN bool same(affine f, affine g) {
  return f.a == g.a && f.b == g.b;
}

/// Compares a group with the first lanes of a tile that hold the same values.
struct like_first_lanes {
  unsigned seed;

  template <class Block>
  TESSERA_FN unsigned operator()(Block const& block) const {
    using tessera::first, tessera::with_total, tessera::suffix;
    auto const tile = tessera::tiled_partition<32>(block);
    unsigned const lane = tile.thread_rank(), lanes = lanes_of(seed, block.thread_rank() / 32);
    auto const set = tessera::lane_mask<32>::from_word(lanes);
    unsigned const n = set.count(), rank = set.rank_of(lane);
    bool const in = set.test(lane);
    auto const composed = tessera::make_operator(compose{}, affine{1, 0});

    float const y = value_of(lane);
    float const sum = tessera::reduce(tile, y, plus{}, first(n));
    affine const map = tessera::reduce(tile, map_of(lane), composed, first(n));
    auto const of_rank = [&](auto x) { return tessera::shuffle(tile, x, rank % 32); };
    float const prefix = of_rank(tessera::inclusive_scan(tile, y, plus{}, first(n)));
    float const after = of_rank(tessera::exclusive_scan(tile, y, plus{}, first(n) | suffix));
    affine const maps = of_rank(tessera::inclusive_scan(tile, map_of(lane), composed, first(n)));
    int const sorted = of_rank(tessera::sort(tile, static_cast<int>(scrambled(lane)), tessera::less{}, first(n)));

    auto const group = tessera::binary_partition(tile, in);
    if (!in) return 0;
    unsigned wrong = 0, bit = 0;
    auto const expect = [&](bool good) { wrong |= unsigned{!good} << bit++; };
    float const x = value_of(rank);
    expect(group.size() == n && group.thread_rank() == rank);
    expect(tessera::reduce(group, x) == sum);
    float const of_leader = tessera::reduce(group, x, plus{}, tessera::to_leader);
    expect(rank != 0 || tessera::detail::same_bits(sum, of_leader));
    expect(same(tessera::reduce(group, map_of(rank), composed), map));
    auto const scan = tessera::inclusive_scan(group, x, plus{}, with_total);
    expect(tessera::detail::same_bits(scan.value, prefix));
    expect(tessera::detail::same_bits(tessera::exclusive_scan(group, x, plus{}, suffix), after));
    expect(same(tessera::inclusive_scan(group, map_of(rank), composed), maps));
    expect(tessera::reduce(group, rank) == n * (n - 1) / 2);
    expect(tessera::inclusive_scan(group, rank) == rank * (rank + 1) / 2);
    expect(tessera::ballot(group, rank % 3 == 1).word() == (0x92492492u & tessera::detail::low_bits(n)));
    expect(tessera::exclusive_scan(group, rank % 3 == 1) == (rank + 1) / 3);
    expect(tessera::reduce(group, rank % 2 == 0) == (n + 1) / 2);
    expect(tessera::any_of(group, rank == n - 1));
    expect(tessera::all_of(group, rank < n));
    expect(tessera::elect(group) == (rank == 0));
    expect(tessera::elect(group, tessera::where(rank >= n / 2)) == (rank == n / 2));
    expect(tessera::shuffle(group, rank, n - 1 - rank) == n - 1 - rank);
    expect(tessera::broadcast(group, rank, n - 1) == n - 1);
    expect(tessera::shift_up(group, rank, 1, 99u) == (rank == 0 ? 99 : rank - 1));
    expect(tessera::shift_down(group, rank, 3, 99u) == (rank + 3 < n ? rank + 3 : 99));
    expect(tessera::match_any(group, rank % 4).word() == (0x11111111u << rank % 4 & tessera::detail::low_bits(n)));
    expect(tessera::match_all(group, 7));
    expect(tessera::match_all(group, rank) == (n == 1));
    expect(tessera::peers(group, rank / 2).leader == rank / 2 * 2);
    expect(tessera::reduce_by_label(group, rank / 2, rank) == (rank / 2 * 2 + 1 < n ? rank / 2 * 4 + 1 : rank / 2 * 2));
    expect(tessera::sort(group, static_cast<int>(scrambled(rank))) == sorted);
    expect(tessera::invoke_one(group, [&] { return rank + 5; }) == 5);
    return wrong;
  }
};

template <class Kernel>
void expect_none_wrong(Kernel const& kernel, unsigned seed) {
  auto const wrong = backend::run_block<unsigned>(threads, kernel);
  for (unsigned thread = 0; thread < threads; ++thread)
    ASSERT_EQ(wrong[thread], 0u) << "lanes " << std::hex << lanes_of(seed, thread / 32) << std::dec << ", thread "
                                 << thread << ": a bit for each call that is wrong";
}

TEST_F(CoalescedGroup, GivesWhatTheFirstLanesOfATileGet) {
  for (unsigned seed = 0; seed < 40; ++seed) expect_none_wrong(like_first_lanes{seed}, seed);
}

/// All groups of a partition make the same calls, and a group is divided again.
struct partitions {
  unsigned labels;

  template <class Block>
  TESSERA_FN unsigned operator()(Block const& block) const {
    auto const tile = tessera::tiled_partition<16>(block);
    unsigned const lane = tile.thread_rank(), label = lane * lane % labels;
    unsigned wrong = 0, bit = 0;
    auto const expect = [&](bool good) { wrong |= unsigned{!good} << bit++; };
    unsigned size = 0, rank = 0, sum = 0, odd = 0, distinct = 0, number = 0;
    for (unsigned l = 0; l < 16; ++l) {
      unsigned const other = l * l % labels;
      bool is_first = true;
      for (unsigned before = 0; before < l; ++before) is_first = is_first && before * before % labels != other;
      distinct += unsigned{is_first};
      size += unsigned{other == label};
      rank += unsigned{other == label && l < lane};
      sum += other == label ? l : 0;
      odd += other == label && l % 2 == lane % 2 ? l : 0;
    }
    for (unsigned l = 16; l-- > 0;) {  // the leaders before this lane's
      if (l * l % labels != label) continue;
      number = 0;
      for (unsigned before = 0; before < l; ++before) {
        bool is_first = true;
        for (unsigned k = 0; k < before; ++k) is_first = is_first && k * k % labels != before * before % labels;
        number += unsigned{is_first};
      }
    }
    auto const group = tessera::labeled_partition(tile, label);
    expect(group.size() == size && group.thread_rank() == rank);
    expect(group.meta_group_size() == distinct && group.meta_group_rank() == number);
    expect(tessera::reduce(group, lane) == sum);
    auto const half = tessera::binary_partition(group, lane % 2 != 0);
    expect(tessera::reduce(half, lane) == odd);
    expect(tessera::reduce(half, static_cast<float>(lane)) == static_cast<float>(odd));
    group.sync();
    return wrong;
  }
};

TEST_F(CoalescedGroup, ArePartitionsOfTilesAndOfEachOther) {
  for (unsigned labels : {1u, 2u, 3u, 5u, 7u, 16u}) {
    auto const wrong = backend::run_block<unsigned>(64, partitions{labels});
    for (unsigned thread = 0; thread < 64; ++thread)
      ASSERT_EQ(wrong[thread], 0u) << labels << " labels, thread " << thread;
  }
}

#if TESSERA_CUDA

/// The lanes of a branch, as coalesced_threads() finds them.
struct lanes_of_a_branch {
  unsigned seed;

  template <class Block>
  TESSERA_FN unsigned operator()([[maybe_unused]] Block const& block) const {
    unsigned wrong = 0;
#if TESSERA_ARCH
    unsigned const lanes = lanes_of(seed, threadIdx.x / 32);
    if ((lanes >> threadIdx.x % 32 & 1u) != 0) {
      auto const group = cooperative_groups::coalesced_threads();
      unsigned const rank = group.thread_rank(), n = group.size();
      wrong |= unsigned{tessera::inclusive_scan(group, rank) != rank * (rank + 1) / 2};
      wrong |= unsigned{tessera::reduce(group, 1.0f) != static_cast<float>(n)} << 1;
    }
#endif
    return wrong;
  }
};
TEST_F(CoalescedGroup, MayBeTheLanesOfABranch) {
  for (unsigned seed = 0; seed < 10; ++seed) expect_none_wrong(lanes_of_a_branch{seed}, seed);
}

#else

using tessera::host::launch_block;
using tessera::host::misuse;
using tessera::host::misuse_kind;

/// This operator isn't associative, so the result depends on the order of combination.
struct mix {
  unsigned operator()(unsigned a, unsigned b) const { return 2654435761u * a + (b ^ a >> 3); }
};

/// A group of host lanes with the members that the GPU's has for its scans by ranks.
struct lanes_by_number {
  static constexpr unsigned size = 32;
  tessera::host::group<32> group;
  unsigned lanes, lane;

  unsigned rank() const { return group.rank(); }
  unsigned valid_count() const { return group.valid_count(); }
  bool is_whole_warp() const { return false; }
  lanes_by_number as_whole_warp() const { return *this; }
  template <bool Down>
  unsigned neighbor() const {
    auto const set = tessera::lane_mask<32>::from_word(lanes);
    auto const before = tessera::lane_mask<32>::prefix(lane), here = tessera::lane_mask<32>::only(lane);
    auto const beyond = Down ? set & ~(before | here) : set & before;
    return beyond.none() ? lane : Down ? beyond.first() : beyond.last();
  }
  template <class T>
  T from_lane(T x, unsigned from) const {
    auto const set = tessera::lane_mask<32>::from_word(lanes);
    EXPECT_TRUE(set.test(from)) << "lane " << from << " isn't in the group";
    return group.shuffle(x, set.rank_of(from));
  }
};

TEST_F(CoalescedGroup, IsScannedByTheGpuInTheHostsOrder) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    auto const wrong = launch_block(32, {}, [&](tessera::host::block const& block) {
      unsigned const lanes = lanes_of(seed, 0), lane = block.thread_rank();
      bool const in = (lanes >> lane & 1u) != 0;
      auto const group = tessera::binary_partition(tessera::tiled_partition<32>(block), in);
      if (!in) return false;
      unsigned const x = scrambled(group.thread_rank());
      unsigned const prefix = tessera::inclusive_scan(group, x, mix{});
      unsigned const suffix = tessera::inclusive_scan(group, x, mix{}, tessera::suffix);
      unsigned const total = tessera::reduce(group, x, mix{});
      lanes_by_number const by_number{group.group({"test", "", 0, false, tessera::call_site::here()}), lanes, lane};
      unsigned const to_the_end = tessera::detail::scan_by_ranks<true>(by_number, x, mix{});
      return prefix != tessera::detail::scan_by_ranks<false>(by_number, x, mix{}) || suffix != to_the_end ||
             (group.thread_rank() == 0 && total != to_the_end);
    });
    for (unsigned lane = 0; lane < 32; ++lane)
      ASSERT_FALSE(wrong[lane]) << "lane " << lane << " of " << std::hex << lanes_of(seed, 0);
  }
}

/// Lane 0 writes, and the last lane reads after a chain of groups has synced, each of which shares a lane with the next;
/// without the `missing` one there is a race.
void pass_along(unsigned missing) {
  launch_block(32, {}, [&](tessera::host::block const& block) {
    tessera::host::shared<int> value(block, 1);
    auto const tile = tessera::tiled_partition<32>(block);
    unsigned const lane = tile.thread_rank();
    if (lane == 0) value[0] = 5;
    for (unsigned link = 0; link < 3; ++link) {
      bool const in = lane == 3 * link || lane == 3 * link + 3;
      auto const group = tessera::binary_partition(tile, in);
      if (in && link != missing) group.sync();
    }
    return lane == 9 ? int(value[0]) : 5;
  });
}
TEST_F(CoalescedGroup, OrdersMemoryThroughChainsOfGroups) {
  EXPECT_NO_THROW(pass_along(3));
  for (unsigned missing = 0; missing < 3; ++missing) {
    try {
      pass_along(missing);
      ADD_FAILURE() << "no race without link " << missing;
    } catch (misuse const& report) {
      EXPECT_EQ(report.kind(), misuse_kind::shared_race) << report.what();
    }
  }
}

template <class F>
std::string report_of(misuse_kind kind, F kernel) {
  try {
    launch_block(32, {}, [&](tessera::host::block const& block) {
      auto const tile = tessera::tiled_partition<32>(block);
      bool const in = tile.thread_rank() % 8 == 3;
      auto const group = tessera::binary_partition(tile, in);
      if (in) kernel(group);
      return 0;
    });
  } catch (misuse const& report) {
    EXPECT_EQ(report.kind(), kind) << report.what();
    return report.what();
  }
  ADD_FAILURE() << "no report";
  return {};
}
template <class Group>
bool is_second(Group const& group) {
  return group.thread_rank() == 2;
}

TEST_F(CoalescedGroup, IsReportedWithItsLanes) {
  auto const diverged = report_of(misuse_kind::divergent_call, [](auto const& group) {
    if (is_second(group))
      tessera::reduce(group, 1);
    else
      tessera::any_of(group, true);
  });
  EXPECT_NE(diverged.find("coalesced group of 4 (lanes 3, 11, 19, 27)"), std::string::npos) << diverged;
  auto const left = report_of(misuse_kind::exited_lane, [](auto const& group) {
    if (!is_second(group)) tessera::reduce(group, 1);
  });
  EXPECT_NE(left.find("lane 19"), std::string::npos) << left;
  auto const absent =
      report_of(misuse_kind::source_out_of_range, [](auto const& group) { tessera::shuffle(group, 1, 4); });
  EXPECT_NE(absent.find("lane 3 (rank 0 of its coalesced group) asks for lane 4 of a group of 4"), std::string::npos)
      << absent;
  report_of(misuse_kind::mismatched_call,
            [](auto const& group) { tessera::reduce(group, 1, plus{}, tessera::first(is_second(group) ? 3 : 2)); });
}

#endif

}  // namespace
