// Movement between all lanes of a tile of 256, beside how the library did it when a tile had one slot a warp.
#include "blocks.cuh"
#include "chains.hpp"

#include <tessera/lanes.hpp>
#include <tessera/transpose.hpp>

namespace bench {

namespace {

/// Item i of lane r comes from here.
struct place {
  unsigned lane, item;
};
struct shuffled {
  template <unsigned N, unsigned K>
  BENCH_FN static place source(unsigned lane, unsigned item) {
    return {(5 * lane + 3) % N, item};
  }
  template <class Tile, class X>
  __device__ static X move(Tile const& tile, X const& x) {
    return tessera::shuffle(tile, x, (5 * tile.thread_rank() + 3) % Tile::size());
  }
};
struct rotated {
  template <unsigned N, unsigned K>
  BENCH_FN static place source(unsigned lane, unsigned item) {
    return {(lane + 3) % N, item};
  }
  template <class Tile, class X>
  __device__ static X move(Tile const& tile, X const& x) {
    return tessera::rotate(tile, x, 3);
  }
};
struct transposed {
  template <unsigned N, unsigned K>
  BENCH_FN static place source(unsigned lane, unsigned item) {
    unsigned const number = lane * K + item;
    return {number % N, number / N};
  }
  template <class Tile, class X>
  __device__ static X move(Tile const& tile, X const& x) {
    return tessera::transpose(tile, x);
  }
};

/// The value is a lane's K items. The update replaces the first item that the lane gets.
template <class Move, unsigned K>
struct movement : plain_subject<unsigned> {
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
        place const from = Move::template source<static_cast<unsigned>(N), K>(lane, i);
        result[lane][i] = x[from.lane][from.item];
      }
    }
    return result;
  }
};

template <class Move>
struct our_movement : on_block {
  template <class Tile, class X>
  __device__ X operator()(Tile const& tile, X const& x) const {
    return Move::move(tile, x);
  }
};

/// One slot a warp: windows of as many ranks as there are warps are written one after the other, and lanes read from the window
/// that has their source. Two barriers a window and item.
template <class Move>
struct movement_in_rounds : on_block {
  template <class Tile, unsigned K>
  __device__ tessera::items<unsigned, K> operator()(Tile const& tile, tessera::items<unsigned, K> x) const {
    constexpr unsigned N = Tile::size(), window = N / warp_lanes;
    __shared__ unsigned slots[window];
    unsigned const rank = tile.thread_rank();
    tessera::items<unsigned, K> result = x;
    TESSERA_UNROLL
    for (unsigned item = 0; item < K; ++item) {
      TESSERA_LOOP
      for (unsigned round = 0; round < N / window; ++round) {
        if (rank / window == round) slots[rank % window] = x[item];
        tile.sync();
        TESSERA_UNROLL
        for (unsigned i = 0; i < K; ++i) {
          place const from = Move::template source<N, K>(rank, i);
          if (from.item == item && from.lane / window == round) result[i] = slots[from.lane % window];
        }
        tile.sync();
      }
    }
    return result;
  }
};

template <class Move, unsigned K>
void add_movement(std::vector<chain>& chains, char const* what) {
  using subject = movement<Move, K>;
  add_sizes<subject, our_movement<Move>, blocks::of_tile, 256, 256>(chains, what, "tessera, block tile", kind::ours);
  add_sizes<subject, movement_in_rounds<Move>, blocks::of_tile, 256, 256>(chains, what, "a slot a warp", kind::peer);
}

}  // namespace

void add_movements(std::vector<chain>& chains) {
  add_movement<shuffled, 1>(chains, "shuffle");
  add_movement<rotated, 1>(chains, "rotate");
  add_movement<transposed, 4>(chains, "transpose of 4 items");
}

}  // namespace bench
