// The tables of shuffle, broadcast, shifts, rotate, reverse, butterfly and exchange_items, for one type. A
// formula gives each lane's expected value.
#pragma once

#include <tessera/lanes.hpp>

#include "backend.hpp"
#include "samples.hpp"

namespace test {

struct moved_from {
  unsigned shuffle, broadcast, up, up_filled, down, down_filled, ahead, behind, reverse, butterfly;
};

/// Every lane's value encodes its rank in all bytes of T. After each movement the rank is decoded.
template <class T, class Policy>
struct move_kernel {
  Policy policy;
  unsigned delta;

  /// Every other byte has the upper bits of the rank.
  TESSERA_FN static T make(unsigned rank) {
    T out{};
    unsigned char* const bytes = reinterpret_cast<unsigned char*>(&out);
    for (unsigned i = 0; i < sizeof(T); ++i) bytes[i] = static_cast<unsigned char>((i % 2 == 0 ? rank : rank >> 8) + i);
    return out;
  }
  /// The rank, as far as T can hold it, or 9999 if the bytes are not those of one lane.
  TESSERA_FN static unsigned read(T const& x) {
    unsigned char const* const bytes = reinterpret_cast<unsigned char const*>(&x);
    unsigned rank = bytes[0];
    if constexpr (sizeof(T) > 1) rank += static_cast<unsigned char>(bytes[1] - 1) * 256u;
    T const expected = make(rank);
    for (unsigned i = 0; i < sizeof(T); ++i) {
      if (bytes[i] != reinterpret_cast<unsigned char const*>(&expected)[i]) return 9999;
    }
    return rank;
  }

  template <class Tile>
  TESSERA_FN moved_from operator()(Tile const& tile, char) const {
    unsigned const rank = tile.thread_rank();
    unsigned const size = tile.size();
    T const x = make(rank);
    T const fill = make(77);
    return {read(tessera::shuffle(tile, x, (rank * 3 + delta) % size, policy)),
            read(tessera::broadcast(tile, x, delta % size, policy)),
            read(tessera::shift_up(tile, x, delta, policy)),
            read(tessera::shift_up(tile, x, delta, fill, policy)),
            read(tessera::shift_down(tile, x, delta, policy)),
            read(tessera::shift_down(tile, x, delta, fill, policy)),
            read(tessera::rotate(tile, x, static_cast<int>(delta), policy)),
            read(tessera::rotate(tile, x, -static_cast<int>(delta), policy)),
            read(tessera::reverse(tile, x, policy)),
            read(tessera::butterfly(tile, x, delta % size, policy))};
  }
};

template <unsigned N, class T, class Policy>
void check_movement(Policy policy) {
  constexpr unsigned lanes = block_lanes_of(N), held = sizeof(T) == 1 ? 255 : ~0u;
  for (unsigned delta : {0u, 1u, 2u, 5u, 31u, 32u, 33u, N / 2, N - 1, N, N + 3}) {
    auto const out = backend::run<N, moved_from>(std::vector<char>(lanes), move_kernel<T, Policy>{policy, delta});
    for (unsigned i = 0; i < lanes; ++i) {
      unsigned const rank = i % N;
      moved_from const& got = out[i];
      auto const check = [&](unsigned from, unsigned expected, const char* what) {
        ASSERT_EQ(from, expected & held) << what << ", N " << N << ", delta " << delta << ", rank " << rank;
      };
      check(got.shuffle, (rank * 3 + delta) % N, "shuffle");
      check(got.broadcast, delta % N, "broadcast");
      check(got.up, rank < delta ? rank : rank - delta, "shift_up");
      check(got.up_filled, rank < delta ? 77 : rank - delta, "shift_up with fill");
      check(got.down, rank + delta >= N ? rank : rank + delta, "shift_down");
      check(got.down_filled, rank + delta >= N ? 77 : rank + delta, "shift_down with fill");
      check(got.ahead, (rank + delta) % N, "rotate ahead");
      check(got.behind, (rank + N - delta % N) % N, "rotate back");
      check(got.reverse, N - 1 - rank, "reverse");
      check(got.butterfly, rank ^ (delta % N), "butterfly");
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

template <class T, class Policy = tessera::policy<>, class Sizes = small_sizes>
void check_movement_of_sizes(Policy policy = {}, Sizes of = {}) {
  SKIP_WITHOUT_BACKEND();
  for_each_size(of, [&](auto n) { check_movement<decltype(n)::value, T>(policy); });
}

// ---- Items. Item k of lane r is the number r·K + k.

template <class T, unsigned K>
struct item_moves {
  tessera::items<T, K> butterfly, of_array, reverse, exchange;
  T there_and_back;
};

struct exchange_arguments {
  unsigned mask, i, j;
  int offset;
};

template <class T, unsigned K>
struct move_items_kernel {
  exchange_arguments how;

  template <class Tile>
  TESSERA_FN item_moves<T, K> operator()(Tile const& tile, tessera::items<T, K> x) const {
    return {tessera::butterfly(tile, x, how.mask), tessera::butterfly(tile, x.item, how.mask),
            tessera::reverse(tile, x), tessera::exchange_items(tile, x, how.mask, how.i, how.j),
            tessera::rotate(tile, tessera::rotate(tile, x[0], how.offset), -how.offset)};
  }
};

/// The items of all lanes, numbered consecutively.
template <class T, unsigned K>
std::vector<T> numbered(tessera::items<T, K> const* lane, unsigned lanes) {
  std::vector<T> out;
  for (unsigned r = 0; r < lanes; ++r) out.insert(out.end(), lane[r].begin(), lane[r].end());
  return out;
}

/// The index of the first difference, or a text that says that there is none.
template <class T>
std::string difference(std::vector<T> const& got, std::vector<T> const& expected) {
  for (unsigned i = 0; i < expected.size(); ++i) {
    if (!same_bits(got[i], expected[i]))
      return "item " + std::to_string(i) + " is " + show(got[i]) + ", not " + show(expected[i]);
  }
  return "";
}

template <unsigned N, class T, unsigned K>
void check_items(exchange_arguments how) {
  random_engine random(N);
  std::vector<tessera::items<T, K>> in(block_lanes_of(N));
  for (auto& lane : in) {
    for (T& x : lane) x = sample<T>(random);
  }
  auto const out = backend::run<N, item_moves<T, K>>(in, move_items_kernel<T, K>{how});
  for (unsigned start = 0; start < in.size(); start += N) {
    std::vector<T> const x = numbered(&in[start], N);
    std::vector<T> partners = x, exchanged = x;
    for (unsigned r = 0; r < N; ++r) {
      unsigned const partner = r ^ how.mask;
      for (unsigned k = 0; k < K; ++k) partners[r * K + k] = x[partner * K + k];
      if (r < partner) std::swap(exchanged[r * K + how.i], exchanged[partner * K + how.j]);
    }
    std::vector<T> const backwards(x.rbegin(), x.rend());
    std::vector<item_moves<T, K>> const tile(out.begin() + start, out.begin() + start + N);
    std::vector<T> butterfly, of_array, reverse, exchange;
    for (auto const& lane : tile) {
      butterfly.insert(butterfly.end(), lane.butterfly.begin(), lane.butterfly.end());
      of_array.insert(of_array.end(), lane.of_array.begin(), lane.of_array.end());
      reverse.insert(reverse.end(), lane.reverse.begin(), lane.reverse.end());
      exchange.insert(exchange.end(), lane.exchange.begin(), lane.exchange.end());
    }
    auto const where = [&] {
      return "N " + std::to_string(N) + ", mask " + std::to_string(how.mask) + ", i " + std::to_string(how.i) + ", j " +
             std::to_string(how.j);
    };
    ASSERT_EQ(difference(butterfly, partners), "") << "butterfly, " << where();
    ASSERT_EQ(difference(of_array, partners), "") << "butterfly of an array, " << where();
    ASSERT_EQ(difference(reverse, backwards), "") << "reverse, " << where();
    ASSERT_EQ(difference(exchange, exchanged), "") << "exchange_items, " << where();
    for (unsigned r = 0; r < N; ++r) {
      ASSERT_TRUE(same_bits(tile[r].there_and_back, in[start + r][0])) << "offset " << how.offset;
    }
  }
}

template <class T, unsigned K, unsigned N>
void check_items_of_size() {
  for (unsigned mask : {0u, 1u % N, 2u % N, 31u % N, 32u % N, N / 2, N - 1}) {
    for (unsigned i = 0; i < K; i += 1 + K / 3) {
      for (unsigned j : {0u, K / 2, K - 1})
        check_items<N, T, K>({mask, i, j, static_cast<int>(7 * i) - static_cast<int>(5 * j)});
    }
  }
}

template <class T, unsigned K, class Sizes = sizes<1, 2, 8, 32>>
void check_items_of_sizes(Sizes of = {}) {
  SKIP_WITHOUT_BACKEND();
  for_each_size(of, [&](auto n) { check_items_of_size<T, K, decltype(n)::value>(); });
}

}  // namespace test
