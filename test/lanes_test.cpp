// shuffle, broadcast, shift_up, shift_down and butterfly: each lane's value, by formula, for types of 1 to 64 bytes.
#include <tessera/lanes.hpp>

#include "backend.hpp"
#include "samples.hpp"

namespace {

using namespace test;

struct moved_from {
  unsigned shuffle, broadcast, up, up_filled, down, down_filled, butterfly;
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

}  // namespace
