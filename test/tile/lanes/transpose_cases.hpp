// The tables of striped_to_blocked, blocked_to_striped and transpose, for one type, K and size, compared
// with their definitions.
#pragma once

#include <tessera/transpose.hpp>

#include "backend.hpp"
#include "samples.hpp"

namespace test {

using tessera::items;

/// x in both orders, and each of these converted back.
template <class T, unsigned K>
struct both_ways {
  items<T, K> blocked, striped, blocked_again;
};

template <class Policy>
struct both_ways_kernel {
  Policy policy;

  template <class Tile, class T, unsigned K>
  TESSERA_FN both_ways<T, K> operator()(Tile const& tile, items<T, K> x) const {
    items<T, K> const striped = tessera::blocked_to_striped(tile, x, policy);
    return {tessera::striped_to_blocked(tile, x, policy), striped, tessera::striped_to_blocked(tile, striped, policy)};
  }
};

template <class T, unsigned K>
std::vector<items<T, K>> random_lanes(unsigned seed, unsigned lanes) {
  random_engine random(seed);
  std::vector<items<T, K>> in(lanes);
  for (auto& lane : in) {
    for (T& x : lane) x = sample<T>(random);
  }
  return in;
}

/// The bytes of the elements of a tile's lanes. A lane has K elements of `bytes` bytes, at a distance of
/// `stride` bytes.
struct held {
  void const* first_lane;
  unsigned stride, K, bytes;

  char const* element(unsigned lane, unsigned item) const {
    return static_cast<char const*>(first_lane) + lane * stride + item * bytes;
  }
};

/// Checks that element e of N·K, which is item e % K of lane e / K in `blocked`, is item e / N of lane e %
/// N in `striped`.
void check_same_elements(held blocked, held striped, unsigned N, const char* what) {
  unsigned const K = blocked.K;
  for (unsigned lane = 0; lane < block_lanes_of(N); lane += N) {
    for (unsigned e = 0; e < N * K; ++e) {
      char const* const one = blocked.element(lane + e / K, e % K);
      char const* const other = striped.element(lane + e % N, e / N);
      ASSERT_TRUE(std::memcmp(one, other, blocked.bytes) == 0)
          << what << ", " << blocked.bytes << " bytes, N " << N << ", K " << K << ", element " << e;
    }
  }
}

template <class T, unsigned K, unsigned N, class Policy>
void check_size(Policy policy) {
  auto const in = random_lanes<T, K>(64 * K + N, block_lanes_of(N));
  auto const out = backend::run<N, both_ways<T, K>>(in, both_ways_kernel<Policy>{policy});
  held const x{in.data(), sizeof(in[0]), K, sizeof(T)};
  auto const results = [](auto const& of_first_lane) {
    return held{&of_first_lane, sizeof(both_ways<T, K>), K, sizeof(T)};
  };
  check_same_elements(results(out[0].blocked), x, N, "striped_to_blocked");
  check_same_elements(x, results(out[0].striped), N, "blocked_to_striped");
  check_same_elements(results(out[0].blocked_again), results(out[0].striped), N, "there and back");
}

// ---- The transposition of a matrix with N rows.

template <class T, unsigned K>
struct transposed {
  items<T, K> once, twice;
};

struct transpose_kernel {
  template <class Tile, class T, unsigned K>
  TESSERA_FN transposed<T, K> operator()(Tile const& tile, items<T, K> x) const {
    items<T, K> const once = tessera::transpose(tile, x);
    return {once, tessera::transpose(tile, once)};
  }
};

template <class T, unsigned K, unsigned N>
void check_matrix() {
  SKIP_WITHOUT_BACKEND();
  auto const in = random_lanes<T, K>(K, block_lanes_of(N));
  auto const out = backend::run<N, transposed<T, K>>(in, transpose_kernel{});
  for (unsigned start = 0; start < in.size(); start += N) {
    for (unsigned row = 0; row < N; ++row) {
      for (unsigned column = 0; column < K; ++column) {
        T const x = in[start + row][column];
        unsigned const e = column * N + row;
        ASSERT_TRUE(same_bits(out[start + e / K].once[e % K], x)) << "row " << row << ", column " << column;
        if (K != N) continue;
        ASSERT_TRUE(same_bits(out[start + row].twice[column], x)) << row << ", " << column;
      }
    }
  }
}

}  // namespace test
