// shuffle, broadcast, shifts, rotate, reverse, butterfly and exchange_items: each lane's value, by formula, for types of
// 1 to 64 bytes; then the worked examples of the documents that the library is made from.
#include <tessera/lanes.hpp>

#include "backend.hpp"
#include "samples.hpp"

namespace {

using namespace test;

struct moved_from {
  unsigned shuffle, broadcast, up, up_filled, down, down_filled, ahead, behind, reverse, butterfly;
};

/// Every lane's value is its rank, spread over T; what each movement brings is read back.
template <class T, class Policy>
struct move_kernel {
  Policy policy;
  unsigned delta;

  TESSERA_FN static T make(unsigned rank) {
    T out{};
    unsigned char* const bytes = reinterpret_cast<unsigned char*>(&out);
    for (unsigned i = 0; i < sizeof(T); ++i) bytes[i] = static_cast<unsigned char>(rank + i);
    return out;
  }
  /// The rank, or 99 where the bytes aren't of one lane.
  TESSERA_FN static unsigned read(T const& x) {
    unsigned char const* const bytes = reinterpret_cast<unsigned char const*>(&x);
    for (unsigned i = 0; i < sizeof(T); ++i) {
      if (bytes[i] != static_cast<unsigned char>(bytes[0] + i)) return 99;
    }
    return bytes[0];
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
  for (unsigned delta : {0u, 1u, 2u, N / 2, N - 1, N, N + 3}) {
    auto const out =
        backend::run<N, moved_from>(std::vector<char>(block_lanes), move_kernel<T, Policy>{policy, delta});
    for (unsigned i = 0; i < block_lanes; ++i) {
      unsigned const rank = i % N;
      moved_from const& got = out[i];
      ASSERT_EQ(got.shuffle, (rank * 3 + delta) % N) << "N " << N << ", delta " << delta << ", rank " << rank;
      ASSERT_EQ(got.broadcast, delta % N);
      ASSERT_EQ(got.up, rank < delta ? rank : rank - delta)
          << "N " << N << ", delta " << delta << ", rank " << rank;
      ASSERT_EQ(got.up_filled, rank < delta ? 77 : rank - delta);
      ASSERT_EQ(got.down, rank + delta >= N ? rank : rank + delta);
      ASSERT_EQ(got.down_filled, rank + delta >= N ? 77 : rank + delta);
      ASSERT_EQ(got.ahead, (rank + delta) % N) << "N " << N << ", offset " << delta << ", rank " << rank;
      ASSERT_EQ(got.behind, (rank + 2 * N - delta % N) % N)
          << "N " << N << ", offset -" << delta << ", rank " << rank;
      ASSERT_EQ(got.reverse, N - 1 - rank);
      ASSERT_EQ(got.butterfly, rank ^ (delta % N));
    }
  }
}

template <class T, class Policy = tessera::policy<>>
void check_movement_of_all_sizes(Policy policy = {}) {
  SKIP_WITHOUT_BACKEND();
  check_movement<1, T>(policy);
  check_movement<2, T>(policy);
  check_movement<4, T>(policy);
  check_movement<8, T>(policy);
  check_movement<16, T>(policy);
  check_movement<32, T>(policy);
}

TEST(Lanes, Bytes) {
  check_movement_of_all_sizes<unsigned char>();
}
TEST(Lanes, Shorts) {
  check_movement_of_all_sizes<unsigned short>();
}
TEST(Lanes, Words) {
  check_movement_of_all_sizes<unsigned>();
}
TEST(Lanes, WordsConverged) {
  check_movement_of_all_sizes<unsigned>(tessera::converged);
}
TEST(Lanes, WordsIsolated) {
  check_movement_of_all_sizes<unsigned>(tessera::isolated);
}
TEST(Lanes, Doubles) {
  check_movement_of_all_sizes<double>();
}
TEST(Lanes, StructsOfThreeBytes) {
  check_movement_of_all_sizes<row<3>>();
}
TEST(Lanes, StructsOf37Bytes) {
  check_movement_of_all_sizes<row<37>>();
}
TEST(Lanes, StructsOf64Bytes) {
  check_movement_of_all_sizes<row<64>>();
}

// ---- Items. Item k of lane r is number r·K + k.

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

/// The values of all lanes' items, numbered through.
template <class T, unsigned K>
std::vector<T> numbered(tessera::items<T, K> const* lane, unsigned lanes) {
  std::vector<T> out;
  for (unsigned r = 0; r < lanes; ++r) out.insert(out.end(), lane[r].begin(), lane[r].end());
  return out;
}

/// The index of the first difference, or that there is none.
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
  std::vector<tessera::items<T, K>> in(block_lanes);
  for (auto& lane : in) {
    for (T& x : lane) x = sample<T>(random);
  }
  auto const out = backend::run<N, item_moves<T, K>>(in, move_items_kernel<T, K>{how});
  for (unsigned start = 0; start < block_lanes; start += N) {
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
      return "N " + std::to_string(N) + ", mask " + std::to_string(how.mask) + ", i " +
             std::to_string(how.i) + ", j " + std::to_string(how.j);
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
  for (unsigned mask : {0u, 1u % N, 2u % N, N / 2, N - 1}) {
    for (unsigned i = 0; i < K; i += 1 + K / 3) {
      for (unsigned j : {0u, K / 2, K - 1})
        check_items<N, T, K>({mask, i, j, static_cast<int>(7 * i) - static_cast<int>(5 * j)});
    }
  }
}

template <class T, unsigned K>
void check_items_of_all_sizes() {
  SKIP_WITHOUT_BACKEND();
  check_items_of_size<T, K, 1>();
  check_items_of_size<T, K, 2>();
  check_items_of_size<T, K, 8>();
  check_items_of_size<T, K, 32>();
}

TEST(LanesItems, OneByte) {
  check_items_of_all_sizes<unsigned char, 1>();
}
TEST(LanesItems, SevenBytes) {
  check_items_of_all_sizes<unsigned char, 7>();
}
TEST(LanesItems, FourShorts) {
  check_items_of_all_sizes<short, 4>();
}
TEST(LanesItems, EightWords) {
  check_items_of_all_sizes<unsigned, 8>();
}
TEST(LanesItems, ThreeStructsOf12Bytes) {
  check_items_of_all_sizes<row<12>, 3>();
}

// ---- Worked examples.

struct rotate_kernel {
  int offset;

  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, char) const {
    return tessera::rotate(tile, tile.thread_rank(), offset);
  }
};

/// What the first 16 of 128 lanes, in tiles of 16, have.
std::vector<unsigned> rotated_by(int offset) {
  auto out = backend::run<16, unsigned>(std::vector<char>(block_lanes), rotate_kernel{offset});
  out.resize(16);
  return out;
}

TEST(LanesExamples, RotationOf16Lanes) {
  SKIP_WITHOUT_BACKEND();
  using list = std::vector<unsigned>;
  EXPECT_EQ(rotated_by(2), (list{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1}));
  EXPECT_EQ(rotated_by(-2), (list{14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}));
  EXPECT_EQ(rotated_by(0x7ffffffe), rotated_by(-2));
  EXPECT_EQ(rotated_by(-0x7fffffff - 1), rotated_by(0));
}

using four = tessera::items<int, 4>;

struct example_kernel {
  bool exchanges;

  template <class Tile>
  TESSERA_FN four operator()(Tile const& tile, char) const {
    int const first = static_cast<int>(4 * tile.thread_rank());
    four const x{{first, first + 1, first + 2, first + 3}};
    if (exchanges) return tessera::exchange_items(tile, x, 1, 0, 3);
    return tessera::butterfly(tile, x, 1);
  }
};

/// What four lanes have of four items each.
std::vector<int> four_lanes(bool exchanges) {
  auto const out = backend::run<4, four>(std::vector<char>(block_lanes), example_kernel{exchanges});
  return numbered(out.data(), 4);
}

TEST(LanesExamples, ButterflyOfFourItems) {
  SKIP_WITHOUT_BACKEND();
  EXPECT_EQ(four_lanes(false), (std::vector<int>{4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11}));
}
TEST(LanesExamples, ExchangeOfItemZeroWithItemThree) {
  SKIP_WITHOUT_BACKEND();
  EXPECT_EQ(four_lanes(true), (std::vector<int>{7, 1, 2, 3, 4, 5, 6, 0, 15, 9, 10, 11, 12, 13, 14, 8}));
}

}  // namespace
