// The lanes of a tile of up to 32 on the GPU: the warp's shuffles and votes.
//
// `Mask` says which lanes of the warp an exchange waits for. Data stays within the tile under either:
//
//   whole_warp   the constant full mask: all tiles of the warp exchange at once
//   own_lanes    the tile's lanes; the hardware then runs the tiles of one warp one after another
#pragma once

#include <tessera/detail/words.hpp>
#include <tessera/lane_mask.hpp>

namespace tessera::detail {

/// Whether an algorithm may use the instructions of a GPU's warp on these lanes.
template <class Lanes>
inline constexpr bool is_warp = false;

#if TESSERA_CUDA

struct whole_warp {};
struct own_lanes {};

TESSERA_FN unsigned lane_of_warp() {
  unsigned lane = 0;
#if TESSERA_ARCH
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
#endif
  return lane;
}

template <unsigned N, class Mask>
class warp_lanes {
 public:
  static constexpr unsigned size = N;

  TESSERA_FN unsigned rank() const { return lane_of_warp() % N; }

  template <class T>
  TESSERA_FN T shuffle(T const& x, unsigned source) const {
    return detail::by_words(x,
                            [&](unsigned w) { return __shfl_sync(mask(), w, static_cast<int>(source), N); });
  }
  template <class T>
  TESSERA_FN T shuffle_xor(T const& x, unsigned lane_bits) const {
    return detail::by_words(
        x, [&](unsigned w) { return __shfl_xor_sync(mask(), w, static_cast<int>(lane_bits), N); });
  }
  template <class T>
  TESSERA_FN T shuffle_up(T const& x, unsigned delta) const {
    return detail::by_words(x, [&](unsigned w) { return __shfl_up_sync(mask(), w, delta, N); });
  }
  template <class T>
  TESSERA_FN T shuffle_down(T const& x, unsigned delta) const {
    return detail::by_words(x, [&](unsigned w) { return __shfl_down_sync(mask(), w, delta, N); });
  }

  TESSERA_FN lane_mask<N> ballot(bool pred) const {
    return lane_mask<N>::from_word(__ballot_sync(mask(), pred) >> first_lane());
  }
  TESSERA_FN void sync() const { __syncwarp(mask()); }

  /// The mask of the tile's own lanes in the warp: what an instruction that combines over its mask needs.
  TESSERA_FN unsigned tile_mask() const {
    if constexpr (N == 32) {
      return ~0u;
    } else {
      return low_bits(N) << first_lane();
    }
  }

 private:
  TESSERA_FN unsigned mask() const {
    if constexpr (stl::is_same_v<Mask, whole_warp>) {
      return ~0u;
    } else {
      return tile_mask();
    }
  }
  /// Where the tile starts in its warp.
  TESSERA_FN unsigned first_lane() const {
    if constexpr (N == 32) {
      return 0;
    } else {
      return lane_of_warp() & ~(N - 1);
    }
  }
};

template <unsigned N, class Mask>
inline constexpr bool is_warp<warp_lanes<N, Mask>> = true;

#endif

}  // namespace tessera::detail
