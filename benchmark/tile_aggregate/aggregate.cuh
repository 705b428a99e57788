// Additions to 256 counters of the block in shared memory, by every method. Each lane has a key and a value.
#pragma once

#include "../methods.cuh"
#include "keys.hpp"

#include <cooperative_groups/reduce.h>
#include <tessera/histogram.hpp>

#include <algorithm>
#include <array>

namespace bench {

template <class T>
using counters = std::array<T, key_count>;

/// Each thread makes `keys_per_word × trips` additions. It loads a word of keys one iteration ahead, from a
/// table that stays in the first-level cache.
template <class T, class Method, unsigned N>
__global__ void __launch_bounds__(threads_per_block, 1)
    run_additions(unsigned trips, T const* __restrict__ owns, unsigned const* __restrict__ words, T* results,
                  sm_times* times) {
  __shared__ T counters[key_count];
  for (unsigned i = threadIdx.x; i < key_count; i += blockDim.x) counters[i] = 0;
  tile<N> const lanes = cg::tiled_partition<N>(cg::this_thread_block());
  Method const add{};
  T value = owns[threadIdx.x];
  unsigned next = words[threadIdx.x];
  __syncthreads();

  long long const start = clock64();
#pragma unroll 1
  for (unsigned trip = 1; trip <= trips; ++trip) {
    unsigned const keys = next;
    next = words[(trip * threads_per_block + threadIdx.x) % key_words];
#pragma unroll
    for (unsigned i = 0; i < keys_per_word; ++i) {
      touch(value);
      add(lanes, counters, keys >> 8 * i & 255u, value);
    }
  }
  long long const end = clock64();

  __syncthreads();
  if constexpr (!Method::combines) counters[threadIdx.x] = value;
  for (unsigned i = threadIdx.x; i < key_count; i += blockDim.x) results[blockIdx.x * key_count + i] = counters[i];
  record(start, end, times);
}

/// Floats are small integers, whose sums are exact in any order.
template <class T>
T value_of(unsigned thread) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(thread % 8 + 1);
  } else {
    return own_value<T>(thread);
  }
}

template <class T>
T sum_of(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a + b;
  } else {
    return static_cast<T>(static_cast<unsigned>(a) + static_cast<unsigned>(b));  // wraps around
  }
}

/// The counters of a block, computed by a plain loop.
template <class T, bool Counts, key_law Law>
counters<T> counters_after(unsigned calls) {
  std::vector<unsigned> const& words = words_of_keys(Law);
  counters<T> sums{};
  for (unsigned thread = 0; thread < threads_per_block; ++thread) {
    T const value = Counts ? T{1} : value_of<T>(thread);
    for (unsigned i = 0; i < calls; ++i) {
      unsigned const word = words[(i / keys_per_word * threads_per_block + thread) % key_words];
      T& sum = sums[word >> 8 * (i % keys_per_word) & 255u];
      sum = sum_of(sum, value);
    }
  }
  return sums;
}

template <class T, bool Counts, key_law Law>
counters<T> const& known_counters(unsigned calls) {
  static std::map<unsigned, counters<T>> known;
  auto at = known.find(calls);
  if (at == known.end()) at = known.emplace(calls, counters_after<T, Counts, Law>(calls)).first;
  return at->second;
}

template <class T, class Method, bool Counts, key_law Law>
std::string find_wrong_counter(void const* results, unsigned blocks, unsigned calls) {
  if (!Method::combines) return {};
  counters<T> const& wanted = known_counters<T, Counts, Law>(calls);
  T const* const got = static_cast<T const*>(results);
  for (unsigned i = 0; i < blocks * key_count; ++i) {
    if (got[i] != wanted[i % key_count]) {
      return "counter " + std::to_string(i % key_count) + " of block " + std::to_string(i / key_count) +
             " isn't what the host's loop gives";
    }
  }
  return {};
}

template <class T, class Method, bool Counts, key_law Law, unsigned N>
chain make_additions(std::string what, std::string method, bench::kind kind) {
  chain c{};
  c.what = std::move(what);
  c.method = std::move(method);
  c.kind = kind;
  c.width = N;
  c.in_a_row = keys_per_word;
  c.own_bytes = threads_per_block * sizeof(T);
  c.weight_bytes = key_words * sizeof(unsigned);
  c.result_bytes = key_count * sizeof(T);
  static_assert(key_words * sizeof(unsigned) <= most_bytes);
  c.kernel = reinterpret_cast<void const*>(&run_additions<T, Method, N>);
  c.launch = [](chain_launch const& l) {
    run_additions<T, Method, N><<<l.blocks, l.threads>>>(l.trips, static_cast<T const*>(l.own),
                                                         static_cast<unsigned const*>(l.weight),
                                                         static_cast<T*>(l.results), l.times);
  };
  c.fill = [](void* own, void* weight) {
    for (unsigned thread = 0; thread < threads_per_block; ++thread) static_cast<T*>(own)[thread] = value_of<T>(thread);
    std::vector<unsigned> const& words = words_of_keys(Law);
    std::copy(words.begin(), words.end(), static_cast<unsigned*>(weight));
  };
  c.mismatch = find_wrong_counter<T, Method, Counts, Law>;
  return c;
}

// ---- Methods

template <bool Counts, class... Choices>
struct our_addition : for_all_lanes {
  template <unsigned N, class T>
  __device__ void operator()(tile<N> const& lanes, T* counters, unsigned key, [[maybe_unused]] T value) const {
    constexpr tessera::policy<Choices...> policy{};
    if constexpr (Counts) {
      tessera::aggregated_add(lanes, counters, key, policy);
    } else {
      tessera::aggregated_add(lanes, counters, key, value, policy);
    }
  }
};

template <bool Counts>
struct one_atomic_a_lane : for_all_lanes {
  template <unsigned N, class T>
  __device__ void operator()(tile<N> const&, T* counters, unsigned key, T value) const {
    atomicAdd(&counters[key], Counts ? T{1} : value);
  }
};

/// The aggregated atomics of the CUDA C++ Programming Guide.
template <bool Counts>
struct labeled_partition : for_all_lanes {
  template <unsigned N, class T>
  __device__ void operator()(tile<N> const& lanes, T* counters, unsigned key, T value) const {
    cg::coalesced_group const same = cg::labeled_partition(lanes, key);
    T sum;
    if constexpr (Counts) {
      sum = static_cast<T>(same.num_threads());
    } else {
      sum = cg::reduce(same, value, cg::plus<T>{});
    }
    if (same.thread_rank() == 0) atomicAdd(&counters[key], sum);
  }
};

/// Uses the key in one instruction, to measure the loop.
struct no_addition {
  static constexpr bool combines = false;
  template <unsigned N, class T>
  __device__ void operator()(tile<N> const&, T*, unsigned key, T& value) const {
    reinterpret_cast<unsigned&>(value) ^= key;
  }
};

// ---- Chains

template <class T, bool Counts, key_law Law, unsigned N>
void add_width(std::vector<chain>& chains, std::string const& what) {
  namespace choice = tessera::choice;
  auto const add = [&](auto method, char const* name, bench::kind kind) {
    chains.push_back(make_additions<T, decltype(method), Counts, Law, N>(what, name, kind));
  };
  add(our_addition<Counts, choice::adaptive>{}, "tessera adaptive", kind::ours);
  add(our_addition<Counts, choice::converged>{}, "tessera converged", kind::ours);
  add(our_addition<Counts, choice::converged, choice::shuffles>{}, "converged | shuffles", kind::ours);
  add(our_addition<Counts, choice::converged, choice::hardware>{}, "converged | hardware", kind::ours);
  add(one_atomic_a_lane<Counts>{}, "atomicAdd", kind::peer);
  add(labeled_partition<Counts>{}, "cg::labeled_partition", kind::peer);
  add(no_addition{}, "loop only", kind::loop);
}

template <class T, bool Counts, key_law Law>
void add_law(std::vector<chain>& chains, std::string const& what) {
  add_width<T, Counts, Law, 8>(chains, what);
  add_width<T, Counts, Law, 32>(chains, what);
}

template <class T, bool Counts>
void add_additions(std::vector<chain>& chains, std::string const& what) {
  add_law<T, Counts, key_law::equal>(chains, what + ", all equal");
  add_law<T, Counts, key_law::zipf>(chains, what + ", Zipf 1.2");
  add_law<T, Counts, key_law::uniform>(chains, what + ", uniform");
}

}  // namespace bench
