// top_k of other numbers, and of structs by a function (top_k.cuh).
#include <tessera/grid/top_k.cuh>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "backend.hpp"
#include "top_k_reference.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

using GridTopKAny = WithWorkspace;

struct record {
  unsigned char name[5];
  std::int16_t score;
};

struct score_of {
  __host__ __device__ std::int16_t operator()(record const& x) const { return x.score; }
};

template <class T>
void check_numbers(grid::workspace& memory) {
  for (std::int64_t n : {1, 100, 8193, 100003, 5000001}) {
    if (!is_worth(n)) continue;
    auto const x = draw_values<T>(values::any_bits, static_cast<std::size_t>(n), 1);
    for (bool falling : {false, true}) {
      auto const order = sorted_indices(x, falling);
      std::int64_t const k = n < 5000 ? n : 5000;
      gpu_array<T> const in(x), value(1);
      gpu_array<std::int64_t> const indices(static_cast<std::size_t>(k));
      T* const no_values = nullptr;
      std::int64_t* const no_index = nullptr;
      ASSERT_EQ(falling ? grid::top_k(in.data(), n, k, no_values, indices.data(), tessera::greater{}, memory)
                        : grid::top_k(in.data(), n, k, no_values, indices.data(), tessera::less{}, memory),
                cudaSuccess);
      auto const got = indices.to_host();
      for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], order[i]) << i << " of " << n;
      ASSERT_EQ(falling ? grid::nth_element(in.data(), n, n / 2, value.data(), no_index, tessera::greater{}, memory)
                        : grid::nth_element(in.data(), n, n / 2, value.data(), no_index, tessera::less{}, memory),
                cudaSuccess);
      EXPECT_EQ(value.to_host()[0], x[static_cast<std::size_t>(order[static_cast<std::size_t>(n / 2)])]);
    }
  }
}

#if TESSERA_TEST_HAS_PART(0)
TEST_F(GridTopKAny, Bytes) {
  check_numbers<std::uint8_t>(memory);
}
TEST_F(GridTopKAny, StructsByAFunction) {
  std::mt19937_64 random(5);
  for (std::int64_t n : {1, 1000, 100003, 5000001}) {
    if (!is_worth(n)) continue;
    std::vector<record> x(static_cast<std::size_t>(n));
    std::vector<std::int16_t> scores;
    for (record& one : x) {
      one = {{static_cast<unsigned char>(random()), 2, 3, 4, 5}, static_cast<std::int16_t>(random() % 900 - 450)};
      scores.push_back(one.score);
    }
    auto const order = sorted_indices(scores, true);
    for (std::int64_t k : {std::int64_t{1}, std::int64_t{100}, std::int64_t{7000}}) {
      if (k > n) continue;
      gpu_array<record> const in(x), values(static_cast<std::size_t>(k));
      gpu_array<std::int64_t> const indices(static_cast<std::size_t>(k));
      ASSERT_EQ(grid::top_k_by(in.data(), n, k, values.data(), indices.data(), score_of{}, tessera::greater{}, memory),
                cudaSuccess);
      auto const places = indices.to_host();
      auto const elements = values.to_host();
      for (std::size_t i = 0; i < places.size(); ++i) {
        ASSERT_EQ(places[i], order[i]) << i << " of " << n;
        ASSERT_EQ(elements[i].score, scores[static_cast<std::size_t>(order[i])]);
        ASSERT_EQ(elements[i].name[0], x[static_cast<std::size_t>(order[i])].name[0]);
      }
    }
  }
}
#endif

#if TESSERA_TEST_HAS_PART(1)
TEST_F(GridTopKAny, Shorts) {
  check_numbers<std::int16_t>(memory);
}

/// Keeps its place on the GPU for so many cycles.
__global__ void stay(long long cycles) {
  long long const begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

/// Blocks begin late and in any order, since kernels of another stream have the GPU: nothing hangs, and the results are the same.
TEST_F(GridTopKAny, BesideKernelsThatFillTheGpu) {
  int multiprocessors = 0, threads = 0;
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, gpu().index));
  check(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, gpu().index));
  cudaStream_t streams[2];
  for (auto& one : streams) check(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
  {
    grid::workspace own;
    for (std::int64_t n : {100000, 5000001}) {
      if (!is_worth(n)) continue;
      auto const x = draw_values<float>(values::uniform, static_cast<std::size_t>(n), 1);
      auto const order = sorted_indices(x, true);
      gpu_array<float> const in(x);
      for (std::int64_t k : {16, 9000}) {
        gpu_array<std::int64_t> const indices(static_cast<std::size_t>(k));
        float* const no_values = nullptr;
        for (int turn = 0; turn < 20; ++turn) {
          int const blocks = multiprocessors * threads / 1024 * (1 + turn % 3) - turn % 7;
          stay<<<static_cast<unsigned>(blocks), 1024, 0, streams[0]>>>(100000 * (1 + turn % 5));
          ASSERT_EQ(grid::top_k(in.data(), n, k, no_values, indices.data(), tessera::greater{}, {streams[1], own}),
                    cudaSuccess);
          check(cudaStreamSynchronize(streams[1]));
          auto const got = indices.to_host();
          ASSERT_TRUE(std::equal(got.begin(), got.end(), order.begin())) << k << " of " << n << ", turn " << turn;
        }
      }
    }
  }
  for (auto& one : streams) check(cudaStreamDestroy(one));
}

/// A selection is the same every time.
TEST_F(GridTopKAny, ManyTimes) {
  std::int64_t const n = 300007, k = 50;
  if (!is_worth(n)) GTEST_SKIP() << "too many for a sanitizer";
  auto const x = draw_values<float>(values::few, static_cast<std::size_t>(n), 1);
  auto const order = sorted_indices(x, true);
  gpu_array<float> const in(x);
  float* const no_values = nullptr;
  for (int turn = 0; turn < 100; ++turn) {
    gpu_array<std::int64_t> const indices(static_cast<std::size_t>(k));
    for (int i = 0; i < 1000; ++i)
      ASSERT_EQ(grid::top_k(in.data(), n, k, no_values, indices.data(), tessera::greater{}, memory), cudaSuccess);
    auto const got = indices.to_host();
    ASSERT_TRUE(std::equal(got.begin(), got.end(), order.begin())) << turn;
  }
}
#endif

}  // namespace
