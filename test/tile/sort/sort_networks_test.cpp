// The networks of tiles by the zero-one principle: a network that puts all sequences of zeros and ones in order puts everything in
// order. A value of 64 bits has a position of 64 sequences, which are sorted at a time: their minimum is `and`, their maximum `or`.
#include <tessera/merge.hpp>
#include <tessera/sort.hpp>
#include <tessera/top_k.hpp>

#include <gtest/gtest.h>

#include "all_true.hpp"

namespace {
namespace zero_one {

using namespace test;
namespace detail = tessera::detail;
using tessera::items;

/// Bit s is what sequence s of 64 has at one position.
using bits = std::uint64_t;

struct bit_order {
  static constexpr bool may_be_wrong = false, is_cheap = true;

  TESSERA_FN void put_in_order(bits& low, bits& high) const {
    bits const a = low, b = high;
    low = a & b;
    high = a | b;
  }
  template <bool>
  TESSERA_FN bits keep(bool upper, bits mine, bits theirs, std::uint32_t) const {
    return upper ? mine | theirs : mine & theirs;
  }
  TESSERA_FN bits earlier(bits a, bits b) const { return a & b; }
};

using policy = std::decay_t<decltype(tessera::isolated)>;

/// Calls body(group) with the tile's group, as a collective does.
template <class Tile, class Body>
TESSERA_FN auto on_group(Tile const& tile, Body body) {
  return detail::collective<detail::collectives::sort, bits, tessera::less>(tile, policy{}, tessera::call_site::here(),
                                                                            0, body);
}

TESSERA_FN unsigned ones_of(unsigned sequence) {
  unsigned ones = 0;
  for (; sequence != 0; sequence &= sequence - 1) ++ones;
  return ones;
}

/// All sequences of `All` zeros and ones, of which bit p is at position p.
template <unsigned All>
struct all_sequences {
  static constexpr unsigned count = 1u << All, blocks = (count + 63) / 64;

  TESSERA_FN static unsigned sequence(unsigned block, unsigned s) { return (block * 64 + s) % count; }
  TESSERA_FN static bits at(unsigned block, unsigned position) {
    bits x = 0;
    for (unsigned s = 0; s < 64; ++s) x |= bits{sequence(block, s) >> position & 1} << s;
    return x;
  }
  /// What is there after a sort of positions below n.
  TESSERA_FN static bits sorted(unsigned block, unsigned position, unsigned n) {
    bits x = 0;
    for (unsigned s = 0; s < 64; ++s) {
      unsigned const of = sequence(block, s), ones = zero_one::ones_of(of & ((1u << n) - 1));
      x |= bits{position < n ? (position + ones >= n ? 1u : 0u) : of >> position & 1} << s;
    }
    return x;
  }
};

/// Sorts all sequences, the tiles side by side; with `Partial`, of all or the first n below that.
template <unsigned K, bool Partial>
struct sorts_all_sequences {
  unsigned tiles;

  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned number) const {
    constexpr unsigned N = tessera::tile_size_v<Tile>, all = N * K;
    using sequences = all_sequences<all>;
    unsigned const first = tile.thread_rank() * K;
    bool right = true;
    for (unsigned block = number; block < sequences::blocks; block += tiles) {
      items<bits, K> x{};
      for (unsigned i = 0; i < K; ++i) x[i] = sequences::at(block, first + i);
      for (unsigned n = Partial ? 0 : all; n < (Partial ? all : all + 1); ++n) {
        auto const sorted = zero_one::on_group(tile, [&](detail::group_of<Tile, policy> group) {
          bit_order const order{};
          return detail::bitonic_sorter<Partial, bit_order, decltype(group), bits, K>(group, order, n).sort(x);
        });
        for (unsigned i = 0; i < K; ++i) right = right && sorted[i] == sequences::sorted(block, first + i, n);
      }
    }
    return right ? 1u : 0u;
  }
};

/// Selects the first P of all sequences.
template <unsigned P, unsigned K>
struct selects_of_all_sequences {
  unsigned tiles;

  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned number) const {
    constexpr unsigned N = tessera::tile_size_v<Tile>, all = N * K;
    using sequences = all_sequences<all>;
    bool right = true;
    for (unsigned block = number; block < sequences::blocks; block += tiles) {
      items<bits, K> x{};
      for (unsigned i = 0; i < K; ++i) x[i] = sequences::at(block, tile.thread_rank() * K + i);
      auto const run = zero_one::on_group(tile, [&](detail::group_of<Tile, policy> group) {
        return detail::first_entries<P>(group, bit_order{}, x, ~bits{0});
      });
      constexpr unsigned M = decltype(run.x)::count;
      for (unsigned i = 0; i < M; ++i) {
        unsigned const position = run.block * M + i;
        right =
            right && position < P && run.x[i] == (position < all ? sequences::sorted(block, position, all) : ~bits{0});
      }
    }
    return right ? 1u : 0u;
  }
};

/// Two sorted parts of `Half` positions with any number of ones each.
template <unsigned Half>
struct sorted_halves {
  static constexpr unsigned count = (Half + 1) * (Half + 1), blocks = (count + 63) / 64;

  TESSERA_FN static unsigned ones(unsigned block, unsigned s, unsigned half) {
    unsigned const pair = (block * 64 + s) % count;
    return half == 0 ? pair / (Half + 1) : pair % (Half + 1);
  }
  TESSERA_FN static bits at(unsigned block, unsigned half, unsigned position) {
    bits x = 0;
    for (unsigned s = 0; s < 64; ++s) x |= bits{position + ones(block, s, half) >= Half ? 1u : 0u} << s;
    return x;
  }
  TESSERA_FN static bits merged(unsigned block, unsigned position) {
    bits x = 0;
    for (unsigned s = 0; s < 64; ++s)
      x |= bits{position + ones(block, s, 0) + ones(block, s, 1) >= 2 * Half ? 1u : 0u} << s;
    return x;
  }
};

/// Merges all sorted parts, of K items a lane each.
template <unsigned K>
struct merges_all_parts {
  unsigned tiles;

  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned number) const {
    using parts = sorted_halves<tessera::tile_size_v<Tile> * K>;
    unsigned const rank = tile.thread_rank();
    bool right = true;
    for (unsigned block = number; block < parts::blocks; block += tiles) {
      items<bits, K> a{}, b{};
      for (unsigned i = 0; i < K; ++i) {
        a[i] = parts::at(block, 0, rank * K + i);
        b[i] = parts::at(block, 1, rank * K + i);
      }
      auto const merged = zero_one::on_group(tile, [&](detail::group_of<Tile, policy> group) {
        bit_order const order{};
        return detail::bitonic_merger<bit_order, decltype(group), bits, K>(group, order).merge(a, b);
      });
      for (unsigned i = 0; i < 2 * K; ++i) right = right && merged[i] == parts::merged(block, rank * 2 * K + i);
    }
    return right ? 1u : 0u;
  }
};
/// Sorts all halves that are sorted: the last step of the network, since the steps before leave them as they are.
template <unsigned K>
struct joins_all_halves {
  unsigned tiles;

  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned number) const {
    constexpr unsigned N = tessera::tile_size_v<Tile>, half = N * K / 2;
    using halves = sorted_halves<half>;
    unsigned const first = tile.thread_rank() * K;
    bool right = true;
    for (unsigned block = number; block < halves::blocks; block += tiles) {
      items<bits, K> x{};
      for (unsigned i = 0; i < K; ++i)
        x[i] = halves::at(block, first < half ? 0 : 1, first < half ? first + i : first + i - half);
      auto const sorted = zero_one::on_group(tile, [&](detail::group_of<Tile, policy> group) {
        bit_order const order{};
        return detail::bitonic_sorter<false, bit_order, decltype(group), bits, K>(group, order, N * K).sort(x);
      });
      for (unsigned i = 0; i < K; ++i) right = right && sorted[i] == halves::merged(block, first + i);
    }
    return right ? 1u : 0u;
  }
};

/// The same sequences as keys, which a network of minima and maxima takes, and by a comparator.
template <unsigned K>
struct sorts_all_keys {
  unsigned tiles;

  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned number) const {
    constexpr unsigned all = tessera::tile_size_v<Tile> * K;
    unsigned const first = tile.thread_rank() * K;
    bool right = true;
    for (unsigned of = number; of < 1u << all; of += tiles) {
      items<unsigned, K> x{}, flags{};
      for (unsigned i = 0; i < K; ++i) {
        x[i] = of >> (first + i) & 1;
        flags[i] = x[i] << 8 | (first + i);
      }
      auto const keys = tessera::sort(tile, x, tessera::less{}, policy{});
      auto const falling = tessera::sort(tile, x, tessera::greater{}, policy{});
      auto const by_flag = tessera::sort(
          tile, flags, [](unsigned a, unsigned b) { return a >> 8 < b >> 8; }, policy{});
      unsigned const ones = zero_one::ones_of(of);
      for (unsigned i = 0; i < K; ++i) {
        unsigned const expected = first + i + ones >= all ? 1 : 0;
        right = right && keys[i] == expected && by_flag[i] >> 8 == expected &&
                falling[i] == (first + i < ones ? 1u : 0u) && (of >> (by_flag[i] & 0xff) & 1) == expected;
      }
    }
    return right ? 1u : 0u;
  }
};

template <unsigned N, class Kernel>
void check_whole_tiles(Kernel kernel, unsigned lanes) {
  std::vector<unsigned> number(lanes);
  for (unsigned i = 0; i < lanes; ++i) number[i] = i / N;
  for (unsigned right : backend::run<N, unsigned>(number, kernel)) ASSERT_EQ(right, 1u) << "N " << N;
}
/// Runs a kernel on as many tiles of N lanes as there are in `lanes`.
template <class Kernel, unsigned N>
void check_in(unsigned lanes = TESSERA_CUDA ? 16 * 1024 : 1024) {
  check_whole_tiles<N>(Kernel{lanes / N}, lanes);
}

template <unsigned N, unsigned K>
void check_sort() {
  check_in<sorts_all_sequences<K, false>, N>();
}
template <unsigned N, unsigned K>
void check_partial_sort() {
  check_in<sorts_all_sequences<K, true>, N>();
}
template <unsigned N, unsigned K, unsigned... P>
void check_selections(std::integer_sequence<unsigned, P...>) {
  (check_in<selects_of_all_sequences<P, K>, N>(), ...);
}
template <unsigned N, unsigned K>
void check_merge() {
  check_in<merges_all_parts<K>, N>();
}
template <unsigned N, unsigned K>
void check_join() {
  check_in<joins_all_halves<K>, N>();
}
template <unsigned N, unsigned K>
void check_keys() {
  check_in<sorts_all_keys<K>, N>();
}

#if TESSERA_TEST_HAS_PART(0)
TEST(SortNetworks, AllSequencesOfTwoLanes) {
  SKIP_WITHOUT_BACKEND();
  check_sort<2, 1>();
  check_sort<2, 2>();
  check_sort<2, 3>();
  check_sort<2, 4>();
  check_sort<2, 5>();
  check_sort<2, 6>();
  check_sort<2, 7>();
  check_sort<2, 8>();
  check_sort<2, 9>();
  check_sort<2, 10>();
}
TEST(SortNetworks, AllSequencesOfMoreLanes) {
  SKIP_WITHOUT_BACKEND();
  check_sort<4, 1>();
  check_sort<4, 2>();
  check_sort<4, 3>();
  check_sort<4, 4>();
  check_sort<4, 5>();
  check_sort<8, 1>();
  check_sort<8, 2>();
  check_sort<16, 1>();
}
#endif
#if TESSERA_TEST_HAS_PART(1)
TEST(SortNetworks, AllCountsOfAllSequences) {
  SKIP_WITHOUT_BACKEND();
  check_partial_sort<1, 13>();
  check_partial_sort<2, 3>();
  check_partial_sort<2, 7>();
  check_partial_sort<4, 1>();
  check_partial_sort<4, 4>();
  check_partial_sort<8, 2>();
  check_partial_sort<16, 1>();
}
TEST(SortNetworks, AllSortedHalves) {
  SKIP_WITHOUT_BACKEND();
  check_join<32, 1>();
  check_join<32, 3>();
  check_join<32, 4>();
  check_join<64, 1>();
  check_join<64, 2>();
  check_join<128, 1>();
  check_join<256, 1>();
}
TEST(SortNetworks, AllKeysThatAreZeroOrOne) {
  SKIP_WITHOUT_BACKEND();
  check_keys<2, 5>();
  check_keys<4, 3>();
  check_keys<8, 1>();
  check_keys<8, 2>();
  check_keys<16, 1>();
}
#endif
#if TESSERA_TEST_HAS_PART(2)
TEST(MergeNetworks, AllSortedParts) {
  SKIP_WITHOUT_BACKEND();
  check_merge<1, 10>();
  check_merge<2, 5>();
  check_merge<4, 2>();
  check_merge<8, 1>();
  check_merge<16, 3>();
  check_merge<32, 2>();
  check_merge<64, 1>();
  check_merge<128, 1>();
}
TEST(TopKNetworks, AllSequences) {
  SKIP_WITHOUT_BACKEND();
  check_selections<1, 17>(std::integer_sequence<unsigned, 1, 4, 16>{});
  check_selections<2, 9>(std::integer_sequence<unsigned, 1, 2, 8, 16>{});
  check_selections<4, 5>(std::integer_sequence<unsigned, 1, 2, 4, 8, 16>{});
  check_selections<8, 2>(std::integer_sequence<unsigned, 1, 2, 4, 8, 16>{});
  check_selections<16, 1>(std::integer_sequence<unsigned, 1, 2, 4, 8, 16>{});
}
#endif

}  // namespace zero_one
}  // namespace
