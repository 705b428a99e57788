// The kernel of every chain, and a plain loop on the host that computes the same.
//
// A *subject* defines what a chain computes, which is the same for all methods:
//
//   value, parameter                the type of a lane's value, and that of `own` and `weight`
//   in_a_row                        the number of collectives in one iteration of the loop
//   own(thread, N), weight(rank, N) the parameters of a thread
//   start(own)                      the first value of a thread
//   expected(values)                the collective's results for a tile's N lanes, computed on the host
//   alone(x)                        what replaces the result in a chain without a collective
//   next(x, result, weight, own)    the next value of a thread
//   changes                         false if a part of the value never changes
//   least_threads                   how many threads must fit on an SM, which bounds the registers; or 0
//
// A *method* is a function object that takes a tile and the lane's value on the GPU; see methods.cuh.
#pragma once

#include "chain.hpp"
#include "subjects.cuh"

#include <cooperative_groups.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <string>
#include <type_traits>
#include <utility>

namespace bench {

namespace cg = cooperative_groups;

template <unsigned N>
using tile = cg::thread_block_tile<N, cg::thread_block>;

/// Records the start and end of a warp by the SM's clock. All threads call it.
__device__ inline void record(long long start, long long end, sm_times* times) {
  if (threadIdx.x % warp_lanes == 0) {
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    atomicMax(&times[sm].not_start, ~static_cast<unsigned long long>(start));
    atomicMax(&times[sm].end, static_cast<unsigned long long>(end));
    atomicAdd(&times[sm].warps, 1u);
  }
}

/// Makes the compiler assume that x has changed, by a branch that is never taken. (An empty `asm` doesn't
/// deceive ptxas.)
template <class T, unsigned K>
__device__ void seem_to_change(tessera::items<T, K>& x, unsigned trip) {
  if (trip != gridDim.z + 0x7fffffffu) return;
#pragma unroll 1
  for (; trip != 0; trip /= 2) {
#pragma unroll
    for (unsigned i = 0; i < K; ++i) x[i] = update(x[i], x[i], x[0]);
  }
}

/// The kernel of a chain: each of a block's Threads threads or fewer calls `in_a_row × trips` collectives.
template <class Subject, class Method, unsigned N, unsigned Threads, class Value = typename Subject::value,
          class Parameter = typename Subject::parameter>
__global__ void __launch_bounds__(Threads, std::max(Subject::least_threads / Threads, 1u))
    run_chain(unsigned trips, Parameter const* __restrict__ owns, Parameter const* __restrict__ weights, Value* results,
              sm_times* times) {
  auto const lanes = Method::template make_tile<N>();
  Method const collective{};
  Parameter const own = owns[threadIdx.x];
  Parameter const weight = weights[threadIdx.x];
  Value x = Subject::start(own);

  long long const start = clock64();
#pragma unroll 1
  for (unsigned trip = 0; trip < trips; ++trip) {
#pragma unroll
    for (unsigned i = 0; i < Subject::in_a_row; ++i) {
      if constexpr (Method::combines) {
        x = Subject::next(x, collective(lanes, x), weight, own);
      } else {
        x = Subject::next(x, Subject::alone(x), weight, own);
      }
    }
    if constexpr (!Subject::changes) seem_to_change(x, trip);
  }
  long long const end = clock64();

  results[blockIdx.x * Threads + threadIdx.x] = x;
  record(start, end, times);
}

template <class T, unsigned Threads>
using block_values = std::array<T, Threads>;

/// Fills the parameters of a block's threads. Lanes that don't use the result have weight zero, so that
/// each iteration sets them to their own value.
template <class Subject, unsigned N, unsigned Threads, bool LeaderOnly, class Parameter = typename Subject::parameter>
void fill_block(Parameter* own, Parameter* weight) {
  for (unsigned thread = 0; thread < Threads; ++thread) {
    own[thread] = Subject::own(thread, N);
    weight[thread] = LeaderOnly && thread % N != 0 ? Parameter{} : Subject::weight(thread % N, N);
  }
}

/// The last values of a block's threads, computed by a plain loop.
template <class Subject, unsigned N, unsigned Threads, bool Combines, bool LeaderOnly>
block_values<typename Subject::value, Threads> end_of_block(unsigned calls) {
  using value = typename Subject::value;
  block_values<typename Subject::parameter, Threads> own, weight;
  fill_block<Subject, N, Threads, LeaderOnly>(own.data(), weight.data());
  block_values<value, Threads> x;
  for (unsigned thread = 0; thread < Threads; ++thread) x[thread] = Subject::start(own[thread]);
  for (unsigned i = 0; i < calls; ++i) {
    for (unsigned first = 0; first < Threads; first += N) {
      std::array<value, N> before;
      for (unsigned lane = 0; lane < N; ++lane) before[lane] = x[first + lane];
      auto results = Subject::expected(before);
      for (unsigned lane = 0; lane < N; ++lane) {
        if constexpr (!Combines) results[lane] = Subject::alone(before[lane]);
        x[first + lane] = Subject::next(before[lane], results[lane], weight[first + lane], own[first + lane]);
      }
    }
  }
  return x;
}

/// The same, computed once for each number of calls.
template <class Subject, unsigned N, unsigned Threads, bool Combines, bool LeaderOnly>
auto const& known_end_of_block(unsigned calls) {
  static std::map<unsigned, block_values<typename Subject::value, Threads>> known;
  auto at = known.find(calls);
  if (at == known.end())
    at = known.emplace(calls, end_of_block<Subject, N, Threads, Combines, LeaderOnly>(calls)).first;
  return at->second;
}

template <class Subject, class Method, unsigned N, unsigned Threads>
std::string find_mismatch(void const* results, unsigned blocks, unsigned calls) {
  using value = typename Subject::value;
  auto const& wanted = known_end_of_block<Subject, N, Threads, Method::combines, Method::leader_only>(calls);
  value const* const got = static_cast<value const*>(results);
  auto const same = [](value const& a, value const& b) {
    if constexpr (Method::exact) {
      return std::memcmp(&a, &b, sizeof(value)) == 0;
    } else {
      return agree(a, b);
    }
  };
  for (unsigned thread = 0; thread < blocks * Threads; ++thread) {
    if (!same(got[thread], wanted[thread % Threads])) {
      return "thread " + std::to_string(thread % Threads) + " of block " + std::to_string(thread / Threads) +
             " ends with " + (Method::exact ? "other bits" : "another value") + " than the host's loop";
    }
  }
  return {};
}

/// Makes the chain of one method.
template <class Subject, class Method, unsigned N, unsigned Threads = threads_per_block>
chain make_chain(std::string what, std::string method, bench::kind kind) {
  using value = typename Subject::value;
  using parameter = typename Subject::parameter;
  static_assert(Threads * sizeof(value) <= most_bytes && Threads * sizeof(parameter) <= most_bytes);
  chain c{};
  c.what = std::move(what);
  c.method = std::move(method);
  c.kind = kind;
  c.width = N;
  c.threads = Threads;
  c.in_a_row = Subject::in_a_row;
  c.own_bytes = c.weight_bytes = Threads * sizeof(parameter);
  c.result_bytes = Threads * sizeof(value);
  c.kernel = reinterpret_cast<void const*>(&run_chain<Subject, Method, N, Threads>);
  c.launch = [](chain_launch const& l) {
    run_chain<Subject, Method, N, Threads><<<l.blocks, l.threads>>>(l.trips, static_cast<parameter const*>(l.own),
                                                                    static_cast<parameter const*>(l.weight),
                                                                    static_cast<value*>(l.results), l.times);
  };
  c.fill = [](void* own, void* weight) {
    fill_block<Subject, N, Threads, Method::leader_only>(static_cast<parameter*>(own), static_cast<parameter*>(weight));
  };
  c.mismatch = find_mismatch<Subject, Method, N, Threads>;
  return c;
}

}  // namespace bench
