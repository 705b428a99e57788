// Collectives of host tiles with types whose namespace has a function of every name that the headers define, and deleted operators.
#include <tessera/host/launch.hpp>
#include <tessera/host/report/trace.hpp>
#include <tessera/host/scratch.hpp>
#include <tessera/host/shared.hpp>
#include <tessera/tessera.hpp>

#include <gtest/gtest.h>
#include <tuple>
#include <vector>

namespace greedy {
#include "types.hpp"

#include "greedy.hpp"
}  // namespace greedy
namespace modest {  // the same types alone
#include "types.hpp"
}

namespace {

namespace host = tessera::host;
using tessera::items;

struct of_greedy {
  using value = greedy::value;
  using add = greedy::add;
  using last = greedy::last;
  using by_x = greedy::by_x;
  using same_x = greedy::same_x;
  using is_odd = greedy::is_odd;
  using turned = greedy::turned;
};
struct of_modest {
  using value = modest::value;
  using add = modest::add;
  using last = modest::last;
  using by_x = modest::by_x;
  using same_x = modest::same_x;
  using is_odd = modest::is_odd;
  using turned = modest::turned;
};

/// What a lane has got, as numbers.
struct results {
  std::vector<int> all;

  template <class T>
  void add(T const& v) {
    if constexpr (std::is_arithmetic_v<T>) {
      all.push_back(static_cast<int>(v));
    } else {
      all.push_back(v.x);
      all.push_back(v.y);
    }
  }
  template <class T, unsigned K>
  void add(items<T, K> const& list) {
    for (unsigned k = 0; k < K; ++k) add(list[k]);
  }
};

/// A lane of a tile, with its values.
template <class Of, class Tile, class Policy>
struct lane {
  using value = typename Of::value;
  using add = typename Of::add;
  using last = typename Of::last;
  using by_x = typename Of::by_x;
  using same_x = typename Of::same_x;
  using is_odd = typename Of::is_odd;
  using turned = typename Of::turned;

  Tile tile;
  Policy policy;
  results& out;
  value* data;  // 64 values of the tile, with x in order
  value* room;  // for 128
  int rank = static_cast<int>(tile.thread_rank());
  value x{rank * 7 % 13, rank};
  items<value, 3> three{{value{rank % 5, 1}, value{rank * 3 % 7, 2}, value{rank, 3}}};

  void reduce() const {
    auto const summed = tessera::make_operator(add{}, value{0, 0});
    out.add(tessera::reduce(tile, x, add{}, policy));
    out.add(tessera::reduce(tile, x, last{}, policy));
    out.add(tessera::reduce(tile, three, add{}, policy));
    out.add(tessera::reduce(tile, x, summed, policy | tessera::first(5)));
    out.add(tessera::reduce(tile, x, summed, policy | tessera::where(rank % 3 == 0)));
    out.add(tessera::reduce(tile, x, tessera::make_operator(add{}, value{0, 0}, tessera::commutative), policy));
    out.add(tessera::reduce_batch(tile, three, add{}, policy));
    out.add(tessera::reduce_batch(tile, three, summed, policy | tessera::first(3)));
    out.add(tessera::reduce_by_label(tile, rank % 3, x, add{}, policy));
    auto const zipped =
        tessera::reduce(tile, tessera::as_zipped(x, rank), tessera::zip(add{}, tessera::plus{}), policy);
    out.add(tessera::get<0>(zipped));
    out.add(tessera::get<1>(zipped));
    out.add(tessera::segmented_reduce(tile, x, tessera::by_head(rank % 4 == 0), add{}, policy));
    out.add(tessera::segmented_reduce(tile, x, tessera::by_key(value{rank / 3, 0}), add{}, policy));
    out.add(tessera::joint_reduce(tile, data, 50, summed, policy));
    out.add(tessera::joint_transform_reduce(tile, data, 50, summed, turned{}, policy));
  }

  void scan() const {
    auto const summed = tessera::make_operator(add{}, value{0, 0});
    out.add(tessera::inclusive_scan(tile, x, add{}, policy));
    out.add(tessera::inclusive_scan(tile, three, add{}, policy));
    out.add(tessera::exclusive_scan(tile, x, summed, policy));
    out.add(tessera::exclusive_scan(tile, x, last{}, value{9, 8}, policy | tessera::suffix));
    auto const scanned = tessera::inclusive_scan(tile, x, summed, policy | tessera::with_total | tessera::first(7));
    out.add(scanned.value);
    out.add(scanned.total);
    out.add(tessera::segmented_inclusive_scan(tile, x, tessera::by_tail(rank % 4 == 0), add{}, policy));
    out.add(tessera::segmented_exclusive_scan(tile, x, tessera::by_key(rank / 5), summed, policy));
    tessera::joint_inclusive_scan(tile, data, 50, room, add{}, policy);
    add_room(50);
    tessera::joint_exclusive_scan(tile, data, 50, room, summed, policy);
    add_room(50);
    tessera::joint_transform_inclusive_scan(tile, data, 50, room, add{}, turned{}, policy);
    add_room(50);
  }

  void sort() const {
    out.add(tessera::sort(tile, x, by_x{}, policy));
    out.add(tessera::stable_sort(tile, three, by_x{}, policy));
    out.add(tessera::sort_by_key(tile, x, rank, by_x{}, policy).keys);
    out.add(tessera::stable_sort_by_key(tile, rank % 5, x, tessera::less{}, policy).values);
    out.add(tessera::merge(tile, value{rank / 2, 1}, value{rank / 3, 2}, by_x{}, policy));
    out.add(tessera::merge(tile, items<value, 2>{{value{2 * rank, 0}, value{2 * rank + 1, 0}}}, 9,
                           items<value, 2>{{value{3 * rank, 1}, value{3 * rank + 2, 1}}}, 7, by_x{}, policy));
    out.add(tessera::top_k<2>(tile, three, by_x{}, policy));
    out.add(tessera::nth_element(tile, x, 1, by_x{}, policy));
    out.add(tessera::is_sorted(tile, x, by_x{}, policy));
    tessera::joint_merge(tile, data, 20, data + 3, 30, room, by_x{}, policy);
    add_room(50);
    if (rank == 0)
      for (int i = 0; i < 40; ++i) room[i] = value{i * 7 % 11, i};
    tile.sync();
    tessera::joint_stable_sort(tile, room, 40, room + 64, by_x{}, policy);
    add_room(40);
    out.add(tessera::joint_top_k<3>(tile, data, 50, by_x{}, policy));
    tessera::top_k_queue<3, value, by_x, tessera::tile_size_v<Tile>> queue;
    queue.push(tile, x, policy);
    out.add(queue.best(tile, policy));
  }

  void search() const {
    value const key{rank / 2, 0};
    value const common{5, 0};
    out.add(tessera::lower_bound(tile, data, 50, common, by_x{}, policy));
    out.add(tessera::upper_bound(tile, data, 50, common, by_x{}, policy));
    out.add(tessera::binary_search(tile, data, 50, common, by_x{}, policy));
    out.add(tessera::find_if(tile, data, 50, is_odd{}, policy));
    out.add(tessera::joint_any_of(tile, data, 50, is_odd{}, policy));
    out.add(tessera::match_any(tile, key, policy).count());
    out.add(tessera::match_all(tile, key, policy));
    out.add(tessera::peers(tile, key, policy).rank);
    out.add(tessera::adjacent_difference(tile, x, add{}, policy));
    out.add(tessera::unique(tile, three, same_x{}, policy).count);
    out.add(tessera::run_length_encode(tile, three, same_x{}, policy).count);
    out.add(tessera::run_length_decode<2>(tile, x, 2u, policy).value);
    out.add(tessera::compact(tile, x, rank % 2 == 0, room, policy));
    out.add(tessera::scatter(tile, x, static_cast<unsigned>(tile.size() - 1 - rank), policy));
  }

  void move() const {
    out.add(tessera::shuffle(tile, x, 1u, policy));
    out.add(tessera::broadcast(tile, x, 2u, policy));
    out.add(tessera::shift_up(tile, x, 1u, policy));
    out.add(tessera::shift_down(tile, x, 2u, value{-1, -2}, policy));
    out.add(tessera::rotate(tile, x, 3, policy));
    out.add(tessera::reverse(tile, three, policy));
    out.add(tessera::butterfly(tile, x, 1u, policy));
    out.add(tessera::striped_to_blocked(tile, three, policy));
    out.add(tessera::blocked_to_striped(tile, three, policy));
    out.add(tessera::load<2>(tile, data, 50, value{7, 7}, policy));
    tessera::store(tile, three, room, 30, policy);
    add_room(30);
    out.add(tessera::invoke_one(
        tile, [&] { return x; }, policy));
  }

  void update() const {
    if (rank == 0) room[0] = room[1] = value{0, 0};
    tile.sync();
    tessera::atomic_update(room, x, add{});
    tessera::atomic_reduce(tile, room + 1, x, add{}, policy);
    add_room(2);
    if (rank == 0) {
      out.add(tessera::atomic_exchange(room, value{1, 2}));
      out.add(tessera::atomic_compare_exchange(room, value{1, 2}, value{3, 4}));
    }
    add_room(1);
  }

 private:
  /// What all lanes have stored.
  void add_room(int count) const {
    tile.sync();
    for (int i = 0; i < count; ++i) out.add(room[i]);
    tile.sync();
  }
};

/// What all lanes of a tile of N get from all calls.
template <unsigned N, class Of, class Policy>
std::vector<std::vector<int>> call_all(Policy policy) {
  using value = typename Of::value;
  std::vector<value> data(64), room(128);
  for (int i = 0; i < 64; ++i) data[static_cast<unsigned>(i)] = value{i / 3, i};
  host::options traced;
  return host::launch_tile<N>(traced, [&](host::tile<N> tile) {
    results out;
    lane<Of, host::tile<N>, Policy> const calls{tile, policy, out, data.data(), room.data()};
    calls.reduce();
    calls.scan();
    calls.sort();
    calls.search();
    calls.move();
    calls.update();
    return out.all;
  });
}

template <unsigned N, class Policy>
void expect_the_same(Policy policy) {
  auto const of_modest_types = call_all<N, of_modest>(policy);
  EXPECT_GT(of_modest_types[0].size(), 300u);
  EXPECT_EQ((call_all<N, of_greedy>(policy)), of_modest_types);
}

TEST(Greedy, PartOfAWarp) {
  expect_the_same<8>(tessera::policy<>{});
}
TEST(Greedy, Warp) {
  expect_the_same<32>(tessera::converged);
}
TEST(Greedy, TwoWarps) {
  expect_the_same<64>(tessera::policy<>{});
}

TEST(Greedy, SharedArraysAndScratch) {
  auto const sums = host::launch_block(64, [](host::block block) {
    host::shared<greedy::value> array(block, 64);
    host::scratch<greedy::value, 64> scratch(block);
    int const rank = static_cast<int>(block.thread_rank());
    array[block.thread_rank()] = greedy::value{rank, 1};
    block.sync();
    greedy::value const neighbor = array[block.thread_rank() ^ 1];
    auto const tile = tessera::this_block_tile<64>(block);
    greedy::value const all = tessera::reduce(tile, neighbor, greedy::add{}, tessera::shared(scratch));
    greedy::value const before = tessera::inclusive_scan(tile, neighbor, greedy::add{}, tessera::shared(scratch));
    return rank < 63 ? all.x : before.x;
  });
  EXPECT_EQ(sums, std::vector<int>(64, 63 * 32));
}

}  // namespace
