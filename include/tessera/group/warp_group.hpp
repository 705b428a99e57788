// A group of up to 32 lanes on the GPU, which exchanges by the warp's shuffles and votes.
//
// `Mask` selects the lanes of the warp that an exchange waits for. Data stays within the tile in any case:
//
//   whole_warp   the constant full mask: all tiles of the warp exchange at once
//   own_lanes    the tile's lanes; the hardware then runs the tiles of one warp one after another
//   either_mask  one of the two, by a value, which is a constant in each of the two branches in tile/collective.hpp
#pragma once

#include <tessera/core/lane_mask.hpp>
#include <tessera/core/words.hpp>
#include <tessera/group/group.hpp>
#include <tessera/group/tuning.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// True if an algorithm may use the instructions of a GPU's warp on this group.
template <class Group>
inline constexpr bool is_warp = false;

/// The group for exchanges that must not wait for other tiles of the warp, even if the warp had converged: after a call
/// of the user's function, which may itself wait for another tile.
template <class Group>
TESSERA_FN Group apart_from_others(Group group) {
  return group;
}

#if TESSERA_CUDA

struct whole_warp {
  static constexpr bool is_whole = true;
};
struct own_lanes {
  static constexpr bool is_whole = false;
};
struct either_mask {
  bool is_whole;
};

TESSERA_FN unsigned lane_of_warp() {
  unsigned lane = 0;
#if TESSERA_ARCH
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
#endif
  return lane;
}

template <unsigned N, class Mask>
class warp_group {
 public:
  static constexpr unsigned size = N;
  static constexpr bool may_be_partial = false;

  TESSERA_FN explicit warp_group(Mask exchanging = {}) : exchanging_(exchanging) {}

  TESSERA_FN unsigned rank() const { return lane_of_warp() % N; }
  TESSERA_FN unsigned valid_count() const { return N; }
  /// The tile's lanes, all of which exist.
  TESSERA_FN lane_mask<N> valid_lanes() const { return lane_mask<N>::full(); }

  template <class T>
  TESSERA_FN T shuffle(T const& x, unsigned source) const {
    return detail::by_words(x, [&](unsigned w) { return __shfl_sync(mask(), w, static_cast<int>(source), N); });
  }
  template <class T>
  TESSERA_FN T shuffle_xor(T const& x, unsigned lane_bits) const {
    return detail::by_words(x, [&](unsigned w) { return __shfl_xor_sync(mask(), w, static_cast<int>(lane_bits), N); });
  }
  template <class T>
  TESSERA_FN T shuffle_up(T const& x, unsigned delta) const {
    return detail::by_words(x, [&](unsigned w) { return __shfl_up_sync(mask(), w, delta, N); });
  }
  template <class T>
  TESSERA_FN T shuffle_down(T const& x, unsigned delta) const {
    return detail::by_words(x, [&](unsigned w) { return __shfl_down_sync(mask(), w, delta, N); });
  }

  /// x of lane rank() − delta or rank() + delta; the instruction itself tells whether that lane is in range.
  template <class T>
  TESSERA_FN T shuffle_up(T const& x, unsigned delta, bool& in_range) const {
    return shuffle_in_range<false>(x, delta, in_range);
  }
  template <class T>
  TESSERA_FN T shuffle_down(T const& x, unsigned delta, bool& in_range) const {
    return shuffle_in_range<true>(x, delta, in_range);
  }

  TESSERA_FN lane_mask<N> ballot(bool pred) const {
    return lane_mask<N>::from_word(__ballot_sync(mask(), pred) >> first_lane());
  }
  TESSERA_FN bool any(bool mine) const { return ballot(mine).any(); }
  TESSERA_FN unsigned count(bool mine) const { return ballot(mine).count(); }
  /// The x of one lane, the same for all.
  template <class T>
  TESSERA_FN T broadcast(T const& x, unsigned source) const {
    return shuffle(x, source);
  }
  /// The lanes with the same bits.
  template <class T>
  TESSERA_FN lane_mask<N> match(T const& x) const {
    words<T> const w = detail::to_words(x);
    unsigned same = ~0u;
    TESSERA_UNROLL
    for (unsigned i = 0; i < word_count<T>; ++i) same &= match_word(w.word[i]);
    return lane_mask<N>::from_word(same);
  }

  TESSERA_FN void sync() const { __syncwarp(mask()); }
  /// Reconverges the lanes after a branch that only a part of them took: see tile.hpp.
  TESSERA_FN void reconverge() const {
    if constexpr (N > 1) __syncwarp(mask());
  }

  /// True if all 32 lanes have the same bits.
  template <class T>
  TESSERA_FN bool all_match([[maybe_unused]] T const& x) const {
    static_assert(N == 32);
    int same = 1;
#if TESSERA_ARCH
    words<T> const w = detail::to_words(x);
    TESSERA_UNROLL
    for (unsigned i = 0; i < word_count<T>; ++i) {
      int here = 0;
      __match_all_sync(mask(), w.word[i], &here);
      same &= here;
    }
#endif
    return same != 0;
  }
  /// True if all lanes that exchange together, of this tile and others, pass true.
  TESSERA_FN bool all_agree(bool mine) const {
    return __all_sync(mask(), mine) != 0;
  }

  /// The lanes of the warp that an exchange waits for.
  TESSERA_FN unsigned mask() const {
    return exchanging_.is_whole ? ~0u : tile_mask();
  }
  /// The mask of the tile's own lanes in the warp, for an instruction that combines over its mask.
  TESSERA_FN unsigned tile_mask() const {
    if constexpr (N == 32) {
      return ~0u;
    } else {
      return detail::low_bits(N) << first_lane();
    }
  }
  /// The tile's own lanes that pass true; other tiles of the warp may be elsewhere.
  TESSERA_FN unsigned votes(bool mine) const {
    return __ballot_sync(tile_mask(), mine);
  }

 private:
  template <bool Down, class T>
  TESSERA_FN T shuffle_in_range([[maybe_unused]] T const& x, [[maybe_unused]] unsigned delta, bool& in_range) const {
    if constexpr (N == 2) {  // the instruction's predicate has a higher latency
      in_range = Down ? delta < N - rank() : delta <= rank();
      return Down ? shuffle_down(x, delta) : shuffle_up(x, delta);
    } else {
      unsigned is_in_range = 0;
      T const moved = detail::by_words(x, [&]([[maybe_unused]] unsigned w) {
        unsigned out = 0;
#if TESSERA_ARCH
        if constexpr (Down) {
          asm volatile("{ .reg .pred p; shfl.sync.down.b32 %0|p, %2, %3, %4, %5; selp.u32 %1, 1, 0, p; }"
                       : "=r"(out), "=r"(is_in_range)
                       : "r"(w), "r"(delta), "n"((32 - N) << 8 | 31), "r"(mask()));
        } else {
          asm volatile("{ .reg .pred p; shfl.sync.up.b32 %0|p, %2, %3, %4, %5; selp.u32 %1, 1, 0, p; }"
                       : "=r"(out), "=r"(is_in_range)
                       : "r"(w), "r"(delta), "n"((32 - N) << 8), "r"(mask()));
        }
#endif
        return out;
      });
      in_range = is_in_range != 0;
      return moved;
    }
  }

  /// A small group compares every lane's word, unless all words are the same. A larger one uses the instruction, whose
  /// time grows with the number of different words.
  TESSERA_FN unsigned match_word(unsigned word) const {
    if constexpr (detail::matches_by_shuffles(N)) {
      bool const as_first = __shfl_sync(mask(), word, 0, N) == word;
      if constexpr (N > 4) {
        if (all_agree(as_first)) return detail::low_bits(N);
      }
      unsigned same = as_first ? 1u : 0u;
      TESSERA_UNROLL
      for (unsigned lane = 1; lane < N; ++lane) {
        unsigned const theirs = __shfl_sync(mask(), word, static_cast<int>(lane), N);
        same |= static_cast<unsigned>(theirs == word) << lane;
      }
      return same;
    } else {
#if TESSERA_ARCH
      return __match_any_sync(mask(), word) >> first_lane();
#else
      return 0;
#endif
    }
  }

  /// The position of the tile's first lane in its warp.
  TESSERA_FN unsigned first_lane() const {
    if constexpr (N == 32) {
      return 0;
    } else {
      return lane_of_warp() & ~(N - 1);
    }
  }

  Mask exchanging_;
};

template <unsigned N, class Mask>
inline constexpr bool is_warp<warp_group<N, Mask>> = true;

template <unsigned N>
TESSERA_FN warp_group<N, own_lanes> apart_from_others(warp_group<N, either_mask>) {
  return warp_group<N, own_lanes>();
}

/// The group of a block's last warp, if only its first `count` lanes exist. A lane that doesn't exist votes false, and
/// a lane that reads from it gets its own value.
template <unsigned N>
class partial_warp_group {
  static_assert(N == 32);

 public:
  static constexpr unsigned size = N;
  static constexpr bool may_be_partial = true;

  TESSERA_FN explicit partial_warp_group(unsigned count) : count_(count) {}

  TESSERA_FN unsigned rank() const { return lane_of_warp(); }
  TESSERA_FN unsigned valid_count() const { return count_; }
  TESSERA_FN lane_mask<N> valid_lanes() const { return lane_mask<N>::prefix(count_); }
  TESSERA_FN unsigned tile_mask() const { return detail::low_bits(count_); }
  TESSERA_FN unsigned votes(bool mine) const { return __ballot_sync(tile_mask(), mine); }

  template <class T>
  TESSERA_FN T shuffle(T const& x, unsigned source) const {
    unsigned const from = source < count_ ? source : rank();
    return detail::by_words(x, [&](unsigned w) { return __shfl_sync(tile_mask(), w, static_cast<int>(from)); });
  }
  template <class T>
  TESSERA_FN T shuffle_xor(T const& x, unsigned lane_bits) const {
    return shuffle(x, rank() ^ lane_bits);
  }
  template <class T>
  TESSERA_FN T shuffle_up(T const& x, unsigned delta, bool& in_range) const {
    in_range = delta <= rank();
    return shuffle(x, in_range ? rank() - delta : rank());
  }
  template <class T>
  TESSERA_FN T shuffle_down(T const& x, unsigned delta, bool& in_range) const {
    in_range = delta < count_ - rank();
    return shuffle(x, in_range ? rank() + delta : rank());
  }
  template <class T>
  TESSERA_FN T shuffle_up(T const& x, unsigned delta) const {
    return shuffle(x, rank() - delta);
  }
  template <class T>
  TESSERA_FN T shuffle_down(T const& x, unsigned delta) const {
    return shuffle(x, rank() + delta);
  }
  TESSERA_FN lane_mask<32> ballot(bool pred) const {
    return lane_mask<32>::from_word(__ballot_sync(tile_mask(), pred));
  }
  TESSERA_FN void sync() const { __syncwarp(tile_mask()); }
  TESSERA_FN void reconverge() const { sync(); }

 private:
  unsigned count_;
};
template <unsigned N>
inline constexpr bool is_warp<partial_warp_group<N>> = true;

static_assert(is_group<warp_group<32, whole_warp>> && is_group<warp_group<8, own_lanes>> &&
                  is_group<warp_group<8, either_mask>> && is_group<partial_warp_group<32>>,
              "A warp's lanes are a group: see group/group.hpp.");

#endif

}  // namespace detail
TESSERA_NAMESPACE_END
