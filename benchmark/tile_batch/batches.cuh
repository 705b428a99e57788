// K sums of a tile: the subject of a chain, and its methods.
#pragma once

#include "../methods.cuh"

#include <cooperative_groups/reduce.h>
#include <tessera/reduce.hpp>
#include <tessera/reduce_batch.hpp>

namespace bench {

/// The lanes that get the K results.
enum class results {
  scattered,  // lane i gets result i
  to_all,
  total,  // all lanes get all results, and use their sum
};

/// The value is a lane's K items. Scattered, the result replaces item 0, and the others stay the same. To
/// all, each result replaces its item.
template <class T, unsigned K, results Results>
struct batch : plain_subject<T> {
  using value = tessera::items<T, K>;
  static constexpr bool all = Results == results::to_all;
  static constexpr bool changes = all;
  static constexpr unsigned least_threads = all ? 0 : K > 16 ? 1024 : 1536;

  static T weight(unsigned rank, unsigned width) {
    bool const has_result = Results != results::scattered || rank < K;
    unsigned const summed = Results == results::total ? K * width : width;
    return has_result ? weight_value<T>(0.5f / static_cast<float>(summed)) : T{};
  }
  BENCH_FN static value start(T own) {
    value x;
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) x[i] = update(own, static_cast<T>(i + 1), own);
    return x;
  }
  BENCH_FN static auto alone(value x) {
    touch(x);
    if constexpr (all) {
      return x;
    } else {
      return x[0];
    }
  }
  BENCH_FN static value next(value x, T result, T weight, T own) {
    x[0] = update(result, weight, own);
    return x;
  }
  BENCH_FN static value next(value x, value const& result, T weight, T own) {
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) x[i] = update(result[i], weight, own);
    return x;
  }
  template <std::size_t N>
  static auto expected(std::array<value, N> const& x) {
    value sums = x[0];
    for (std::size_t lane = 1; lane < N; ++lane) {
      for (unsigned i = 0; i < K; ++i) sums[i] = update(sums[i], T{1}, x[lane][i]);
    }
    std::array<std::conditional_t<all, value, T>, N> result{};
    for (unsigned lane = 0; lane < N; ++lane) {
      if constexpr (all) {
        result[lane] = sums;
      } else if (Results == results::total) {
        for (unsigned i = 0; i < K; ++i) result[lane] = update(result[lane], T{1}, sums[i]);
      } else if (lane < K) {
        result[lane] = sums[lane];
      }
    }
    return result;
  }
};

template <class... Choices>
struct our_batch : for_all_lanes {
  template <unsigned N, class X>
  __device__ auto operator()(tile<N> const& lanes, X const& x) const {
    return tessera::reduce_batch(lanes, x, tessera::plus{}, tessera::policy<Choices...>{});
  }
};

/// Makes one reduction for each item.
template <class Reduce, results Results>
struct each : for_all_lanes {
  template <unsigned N, class T, unsigned K>
  __device__ auto operator()(tile<N> const& lanes, tessera::items<T, K> x) const {
#pragma unroll
    for (unsigned i = 0; i < K; ++i) x[i] = Reduce{}(lanes, x[i]);
    if constexpr (Results == results::to_all) {
      return x;
    } else {
      T own = x[0];
#pragma unroll
      for (unsigned i = 1; i < K; ++i) {
        if constexpr (Results == results::total) own += x[i];
        if (Results == results::scattered && threadIdx.x % N == i) own = x[i];
      }
      return own;
    }
  }
};

struct our_sum {
  template <unsigned N, class T>
  __device__ T operator()(tile<N> const& lanes, T x) const {
    return tessera::reduce(lanes, x);
  }
};
struct cooperative_groups_sum {
  template <unsigned N, class T>
  __device__ T operator()(tile<N> const& lanes, T x) const {
    return cg::reduce(lanes, x, cg::plus<T>{});
  }
};

/// Adds the chains of one method on 8 and on 32 lanes.
template <class Subject, class Method>
void add_8_and_32(std::vector<chain>& chains, std::string const& what, char const* method, bench::kind kind) {
  chains.push_back(make_chain<Subject, Method, 8>(what, method, kind));
  chains.push_back(make_chain<Subject, Method, 32>(what, method, kind));
}

}  // namespace bench
