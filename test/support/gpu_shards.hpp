// Arrays over ranks on GPUs (gpu_ranks.hpp), cut in several ways.
#pragma once

#include <tessera/grid/shard.hpp>
#include <tessera/grid/sharded.hpp>

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "device_array.hpp"
#include "gpu_ranks.hpp"
#include "samples.hpp"

namespace test {

template <class T>
std::vector<T> drawn(std::int64_t n, unsigned seed) {
  std::vector<T> x(static_cast<std::size_t>(n));
  random_engine random(seed);
  for (T& value : x) value = sample<T>(random);
  return x;
}

/// The sizes of arrays.
inline constexpr std::int64_t sizes_of_shards[] = {0, 1, 1000, 70001, 3000000};

/// Calls f(ranks, part, in, stream) with each rank's part of x on its GPU, for several numbers of ranks and cuts.
template <class T, class F>
void with_shards(std::vector<T> const& x, F const& f) {
  auto const total = static_cast<std::int64_t>(x.size());
  for (int count : {1, 2, 3, 4, 8}) {
    if (count > gpu_ranks::most()) continue;
    for (bool even : {true, false}) {
      gpu_ranks::run(count, [&](tessera::grid::communicator& ranks, cudaStream_t on) {
        tessera::grid::shard const part = test::cut_of(ranks, total, even);
        auto const begin = x.begin() + part.begin;
        device_array<T> const in(std::vector<T>(begin, begin + part.count));
        f(ranks, part, in.data(), on);
      });
    }
  }
}

template <class T>
T value_of(device_array<T> const& one, cudaStream_t on) {
  check(cudaStreamSynchronize(on));
  return one.to_host()[0];
}

/// Values of all ranks and runs, which must have the same bits.
template <class T>
class same_everywhere {
 public:
  void add(T const& value) {
    std::lock_guard<std::mutex> const lock(mutex_);
    if (!has_) first_ = value;
    has_ = true;
    EXPECT_TRUE(same_bits(value, first_)) << "other bits on another rank";
  }

 private:
  std::mutex mutex_;
  T first_{};
  bool has_ = false;
};

}  // namespace test
