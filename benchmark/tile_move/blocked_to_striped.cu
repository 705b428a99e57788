// Moves items from blocked to striped order. Each lane has as many items as the tile has lanes.
#include "../methods.cuh"
#include "chains.hpp"

#include <cub/warp/warp_exchange.cuh>
#include <tessera/transpose.hpp>

namespace bench {

namespace {

/// The value is a lane's K items. The update replaces the first item that the lane gets.
template <unsigned K>
struct restriping : plain_subject<unsigned> {
  using value = tessera::items<unsigned, K>;

  static unsigned weight(unsigned /*rank*/, unsigned /*width*/) { return 2654435761u; }
  BENCH_FN static value start(unsigned own) {
    value x;
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) x[i] = update(own, i + 1, own);
    return x;
  }
  BENCH_FN static value alone(value x) {
    touch(x);
    return x;
  }
  BENCH_FN static value next(value const&, value x, unsigned weight, unsigned own) {
    x[0] = update(x[0], weight, own);
    return x;
  }
  template <std::size_t N>
  static std::array<value, N> expected(std::array<value, N> const& x) {
    std::array<value, N> result;
    for (unsigned lane = 0; lane < N; ++lane) {
      for (unsigned i = 0; i < K; ++i) {
        unsigned const number = i * static_cast<unsigned>(N) + lane;
        result[lane][i] = x[number / K][number % K];
      }
    }
    return result;
  }
};

template <class Convergence>
struct our_restriping : for_all_lanes {
  template <unsigned N, class X>
  __device__ X operator()(tile<N> const& lanes, X const& x) const {
    return tessera::blocked_to_striped(lanes, x, tessera::policy<Convergence>{});
  }
};

template <cub::WarpExchangeAlgorithm Algorithm>
struct cub_exchange : for_all_lanes {
  template <unsigned N, unsigned K>
  __device__ tessera::items<unsigned, K> operator()(tile<N> const&, tessera::items<unsigned, K> x) const {
    using exchange = cub::WarpExchange<unsigned, K, N, Algorithm>;
    __shared__ typename exchange::TempStorage storage[threads_per_block / N];
    __syncwarp();  // after the reads of the previous call
    exchange(storage[threadIdx.x / N]).BlockedToStriped(x.item, x.item);
    return x;
  }
};

template <unsigned N>
void add_width(std::vector<chain>& chains) {
  namespace choice = tessera::choice;
  auto const add = [&](auto method, char const* name, bench::kind kind) {
    chains.push_back(make_chain<restriping<N>, decltype(method), N>("N items a lane", name, kind));
  };
  add(our_restriping<choice::adaptive>{}, "tessera adaptive", kind::ours);
  add(our_restriping<choice::converged>{}, "tessera converged", kind::ours);
  add(cub_exchange<cub::WARP_EXCHANGE_SMEM>{}, "CUB, shared memory", kind::peer);
  add(cub_exchange<cub::WARP_EXCHANGE_SHUFFLE>{}, "CUB, shuffles", kind::peer);
  add(loop_only{}, "loop only", kind::loop);
}

}  // namespace

void add_blocked_to_striped(std::vector<chain>& chains) {
  add_width<4>(chains);
  add_width<8>(chains);
  add_width<16>(chains);
  add_width<32>(chains);
}

}  // namespace bench
