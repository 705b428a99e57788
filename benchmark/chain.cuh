// The kernel of every chain, and its plain host loop.
#pragma once

#include "chain.hpp"
#include "subjects.cuh"

#include <cooperative_groups.h>

#include <array>
#include <map>
#include <string>
#include <type_traits>
#include <utility>

namespace bench {

namespace cg = cooperative_groups;

template <unsigned N>
using tile = cg::thread_block_tile<N, cg::thread_block>;

/// Threads of one block run `in_a_row × trips` collectives each.
template <class Subject, class Method, unsigned N, class T = typename Subject::value>
__global__ void __launch_bounds__(threads_per_block)
    run_chain(unsigned trips, T const* __restrict__ owns, T const* __restrict__ weights, T* results,
              sm_times* times) {
  tile<N> const lanes = cg::tiled_partition<N>(cg::this_thread_block());
  Method const collective{};
  T const own = owns[threadIdx.x];
  T const weight = weights[threadIdx.x];
  T x = own;

  long long const start = clock64();
#pragma unroll 1
  for (unsigned trip = 0; trip < trips; ++trip) {
#pragma unroll
    for (unsigned i = 0; i < Subject::in_a_row; ++i) x = update(collective(lanes, x), weight, own);
  }
  long long const end = clock64();

  results[blockIdx.x * threads_per_block + threadIdx.x] = x;
  if (threadIdx.x % warp_lanes == 0) {
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    atomicMax(&times[sm].not_start, ~static_cast<unsigned long long>(start));
    atomicMax(&times[sm].end, static_cast<unsigned long long>(end));
    atomicAdd(&times[sm].warps, 1u);
  }
}

template <class T>
using block_values = std::array<T, threads_per_block>;

/// What the threads of a block begin with. Lanes that don't use the result have weight zero: they begin anew each time.
template <class Subject, unsigned N, bool LeaderOnly, class T = typename Subject::value>
void fill_block(T* own, T* weight) {
  for (unsigned thread = 0; thread < threads_per_block; ++thread) {
    own[thread] = own_value<T>(thread);
    weight[thread] = LeaderOnly && thread % N != 0 ? T{} : weight_value<T>(Subject::scale(N));
  }
}

/// What they end with, by a plain loop: a tile's result is ((x0 x1) (x2 x3)) … of its lanes.
template <class Subject, class Method, unsigned N, class T = typename Subject::value>
block_values<T> end_of_block(unsigned calls) {
  constexpr unsigned combined = Method::combines ? N : 1;
  typename Subject::op const op{};
  block_values<T> own, weight;
  fill_block<Subject, N, Method::leader_only>(own.data(), weight.data());
  block_values<T> x = own;
  for (unsigned i = 0; i < calls; ++i) {
    for (unsigned first = 0; first < threads_per_block; first += combined) {
      T tree[combined];
      for (unsigned lane = 0; lane < combined; ++lane) tree[lane] = x[first + lane];
      for (unsigned count = combined / 2; count > 0; count /= 2) {
        for (unsigned j = 0; j < count; ++j) tree[j] = op(tree[2 * j], tree[2 * j + 1]);
      }
      for (unsigned lane = first; lane < first + combined; ++lane)
        x[lane] = update(tree[0], weight[lane], own[lane]);
    }
  }
  return x;
}

template <class Subject, class Method, unsigned N>
std::string find_mismatch(void const* results, unsigned blocks, unsigned calls) {
  using T = typename Subject::value;
  static std::map<unsigned, block_values<T>> known;  // by calls
  auto at = known.find(calls);
  if (at == known.end()) {
    at = known.emplace(calls, end_of_block<Subject, Method, N>(calls)).first;
  }
  T const* const got = static_cast<T const*>(results);
  for (unsigned thread = 0; thread < blocks * threads_per_block; ++thread) {
    if (!agree(got[thread], at->second[thread % threads_per_block])) {
      return "thread " + std::to_string(thread % threads_per_block) + " of block " +
             std::to_string(thread / threads_per_block) + " ends with another value than the host's loop";
    }
  }
  return {};
}

/// The chain of one method as a value.
template <class Subject, class Method, unsigned N, class T = typename Subject::value>
chain make_chain(std::string what, std::string method, bench::kind kind) {
  chain c{};
  c.what = std::move(what);
  c.method = std::move(method);
  c.kind = kind;
  c.width = N;
  c.in_a_row = Subject::in_a_row;
  c.value_size = sizeof(T);
  c.kernel = reinterpret_cast<void const*>(&run_chain<Subject, Method, N>);
  c.launch = [](chain_launch const& l) {
    run_chain<Subject, Method, N><<<l.blocks, l.threads>>>(l.trips, static_cast<T const*>(l.own),
                                                           static_cast<T const*>(l.weight),
                                                           static_cast<T*>(l.results), l.times);
  };
  c.fill = [](void* own, void* weight) {
    fill_block<Subject, N, Method::leader_only>(static_cast<T*>(own), static_cast<T*>(weight));
  };
  c.mismatch = find_mismatch<Subject, Method, N>;
  return c;
}

}  // namespace bench
