// Compares striped_to_blocked and blocked_to_striped with CUB's WarpExchange, which goes through shared
// memory.
#include <tessera/transpose.hpp>

#include <cub/warp/warp_exchange.cuh>

#include "backend.hpp"
#include "samples.hpp"

namespace {

using namespace test;
namespace cg = cooperative_groups;
using tessera::items;

template <bool ToBlocked>
struct ours {
  template <class Tile, class Items>
  TESSERA_FN Items operator()(Tile const& tile, Items x) const {
    if constexpr (ToBlocked) {
      return tessera::striped_to_blocked(tile, x);
    } else {
      return tessera::blocked_to_striped(tile, x);
    }
  }
};

template <bool ToBlocked>
struct cubs {
  template <unsigned N, class T, unsigned K>
  __device__ items<T, K> operator()(cg::thread_block_tile<N, cg::thread_block> const& tile, items<T, K> x) const {
    using exchange = cub::WarpExchange<T, static_cast<int>(K), static_cast<int>(N)>;
    __shared__ typename exchange::TempStorage scratch[block_lanes / N];
    exchange warp(scratch[tile.meta_group_rank()]);
    items<T, K> out = x;
    if constexpr (ToBlocked) {
      warp.StripedToBlocked(x.item, out.item);
    } else {
      warp.BlockedToStriped(x.item, out.item);
    }
    return out;
  }
};

template <bool ToBlocked, class T, unsigned K, unsigned N>
void check_way(std::vector<items<T, K>> const& in) {
  auto const mine = gpu_backend::run<N, items<T, K>>(in, ours<ToBlocked>{});
  auto const peer = gpu_backend::run<N, items<T, K>>(in, cubs<ToBlocked>{});
  for (unsigned lane = 0; lane < in.size(); ++lane) {
    ASSERT_TRUE(same_bits(mine[lane], peer[lane]))
        << (ToBlocked ? "to blocked" : "to striped") << ", N " << N << ", K " << K << ", lane " << lane;
  }
}

template <class T, unsigned K, unsigned N>
void check() {
  SKIP_WITHOUT_GPU();
  random_engine random(K);
  std::vector<items<T, K>> in(4 * block_lanes);
  for (auto& lane : in) {
    for (T& x : lane) x = sample<T>(random);
  }
  check_way<true, T, K, N>(in);
  check_way<false, T, K, N>(in);
}

TEST(TransposePeers, FourIntsOn32Lanes) {
  check<int, 4, 32>();
}
TEST(TransposePeers, SevenDoublesOn16Lanes) {
  check<double, 7, 16>();
}
TEST(TransposePeers, SixteenBytesOn32Lanes) {
  check<unsigned char, 16, 32>();
}
TEST(TransposePeers, SixteenBytesOn8Lanes) {
  check<unsigned char, 16, 8>();
}
TEST(TransposePeers, TwelveShortsOn4Lanes) {
  check<short, 12, 4>();
}

}  // namespace
