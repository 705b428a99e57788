// striped_to_blocked, blocked_to_striped and transpose against their definitions, for types of 1 to 12 bytes: many K on
// host tiles, fewer on the GPU, whose compiler is slow.
#include <tessera/transpose.hpp>

#include "backend.hpp"
#include "samples.hpp"

namespace {

using namespace test;
using tessera::items;

/// What becomes of x both ways, and of what each way gives when it is turned back.
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
    return {tessera::striped_to_blocked(tile, x, policy), striped,
            tessera::striped_to_blocked(tile, striped, policy)};
  }
};

template <class T, unsigned K>
std::vector<items<T, K>> random_lanes(unsigned seed) {
  random_engine random(seed);
  std::vector<items<T, K>> in(block_lanes);
  for (auto& lane : in) {
    for (T& x : lane) x = sample<T>(random);
  }
  return in;
}

/// Bytes of the elements that the lanes of a tile hold, and how they lie: K of `bytes` each, every `stride` bytes.
struct held {
  void const* first_lane;
  unsigned stride, K, bytes;

  char const* element(unsigned lane, unsigned item) const {
    return static_cast<char const*>(first_lane) + lane * stride + item * bytes;
  }
};

/// That element e of N·K, as item e % K of lane e / K in `blocked`, is item e / N of lane e % N in `striped`.
void check_same_elements(held blocked, held striped, unsigned N, const char* what) {
  unsigned const K = blocked.K;
  for (unsigned lane = 0; lane < block_lanes; lane += N) {
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
  auto const in = random_lanes<T, K>(64 * K + N);
  auto const out = backend::run<N, both_ways<T, K>>(in, both_ways_kernel<Policy>{policy});
  held const x{in.data(), sizeof(in[0]), K, sizeof(T)};
  auto const results = [](auto const& of_first_lane) {
    return held{&of_first_lane, sizeof(both_ways<T, K>), K, sizeof(T)};
  };
  check_same_elements(results(out[0].blocked), x, N, "striped_to_blocked");
  check_same_elements(x, results(out[0].striped), N, "blocked_to_striped");
  check_same_elements(results(out[0].blocked_again), results(out[0].striped), N, "there and back");
}

template <class T, unsigned K, class Policy = tessera::policy<>>
void check_items(Policy policy = {}) {
  check_size<T, K, 1>(policy);
  check_size<T, K, 2>(policy);
  check_size<T, K, 4>(policy);
  check_size<T, K, 8>(policy);
  check_size<T, K, 16>(policy);
  check_size<T, K, 32>(policy);
}

template <class T, unsigned... K>
void check_all() {
  SKIP_WITHOUT_BACKEND();
  (check_items<T, K>(), ...);
}

#if TESSERA_CUDA

TEST(Transpose, Words) {
  check_all<unsigned, 1, 3, 6, 8, 24>();
}
TEST(Transpose, WordsOfAWarp) {
  SKIP_WITHOUT_BACKEND();
  check_size<unsigned, 5, 32>(tessera::isolated);
  check_size<unsigned, 32, 32>(tessera::converged);
  check_size<unsigned, 33, 32>(tessera::adaptive);
  check_size<unsigned, 48, 32>(tessera::adaptive);
}
TEST(Transpose, Bytes) {
  check_all<unsigned char, 2, 6, 16>();
}
TEST(Transpose, BytesOfAWarp) {
  SKIP_WITHOUT_BACKEND();
  check_size<unsigned char, 5, 32>(tessera::adaptive);
  check_size<unsigned char, 32, 32>(tessera::adaptive);
  check_size<unsigned char, 64, 8>(tessera::converged);
}
TEST(Transpose, Shorts) {
  check_all<short, 2, 8>();
}
TEST(Transpose, Structs) {
  check_all<row<3>, 5>();
  check_all<row<12>, 4>();
}

#else

TEST(Transpose, Words) {
  check_all<unsigned, 1, 2, 3, 4, 5, 6, 7, 8, 12, 15, 16, 20>();
}
TEST(Transpose, ManyWords) {
  check_all<unsigned, 24, 28, 31, 32, 33, 40, 48, 96>();
}
TEST(Transpose, Bytes) {
  check_all<unsigned char, 1, 2, 3, 4, 5, 6, 8, 12, 16, 20, 32, 64>();
}
TEST(Transpose, Shorts) {
  check_all<short, 1, 2, 4, 6, 7, 8, 12, 32, 66>();
}
TEST(Transpose, Truths) {
  check_all<bool, 8>();
}
TEST(Transpose, Doubles) {
  check_all<double, 1, 5, 16>();
}
TEST(Transpose, StructsOfThreeBytes) {
  check_all<row<3>, 4, 9, 48>();
}
TEST(Transpose, StructsOf12Bytes) {
  check_all<row<12>, 2, 5>();
}
TEST(Transpose, WordsConverged) {
  SKIP_WITHOUT_BACKEND();
  check_items<unsigned, 12>(tessera::converged);
}
TEST(Transpose, LargerTiles) {
  SKIP_WITHOUT_BACKEND();
  check_size<unsigned, 5, 64>(tessera::adaptive);
  check_size<unsigned, 12, 128>(tessera::adaptive);
  check_size<unsigned char, 16, 128>(tessera::adaptive);
}
TEST(Transpose, BytesIsolated) {
  SKIP_WITHOUT_BACKEND();
  check_items<unsigned char, 12>(tessera::isolated);
}

#endif

// ---- A matrix of N rows.

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
  auto const in = random_lanes<T, K>(K);
  auto const out = backend::run<N, transposed<T, K>>(in, transpose_kernel{});
  for (unsigned start = 0; start < block_lanes; start += N) {
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

TEST(TransposeMatrix, OfOneElement) {
  check_matrix<int, 1, 1>();
}
TEST(TransposeMatrix, TwoByTwo) {
  check_matrix<long long, 2, 2>();
}
TEST(TransposeMatrix, FourByFourBytes) {
  check_matrix<signed char, 4, 4>();
}
TEST(TransposeMatrix, EightByEightShorts) {
  check_matrix<short, 8, 8>();
}
TEST(TransposeMatrix, EightByEightBytes) {
  check_matrix<unsigned char, 8, 8>();
}
TEST(TransposeMatrix, SixteenByThree) {
  check_matrix<float, 3, 16>();
}
TEST(TransposeMatrix, ThirtyTwoByThirtyTwo) {
  check_matrix<int, 32, 32>();
}

}  // namespace
