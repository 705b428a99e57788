// The methods: what a chain calls. Each is a function object of a tile and the lane's value.
#pragma once

#include "chain.cuh"

#include <tessera/reduce.hpp>

#include <vector>

namespace bench {

/// A method that combines all lanes of the tile, and gives every lane the result.
struct for_all_lanes {
  static constexpr bool combines = true;
  static constexpr bool leader_only = false;
};

// As far as the compiler knows, these change their value; there is no instruction.
__device__ inline void touch(float& x) {
  asm volatile("" : "+f"(x));
}
__device__ inline void touch(double& x) {
  asm volatile("" : "+d"(x));
}
__device__ inline void touch(int& x) {
  asm volatile("" : "+r"(x));
}
__device__ inline void touch(unsigned& x) {
  asm volatile("" : "+r"(x));
}
__device__ inline void touch(std::uint64_t& x) {
  asm volatile("" : "+l"(x));
}
__device__ inline void touch(__half2& x) {
  asm volatile("" : "+r"(reinterpret_cast<unsigned&>(x)));
}
__device__ inline void touch(bool& x) {
  int word = x;
  touch(word);
  x = word != 0;
}
__device__ inline void touch(indexed& x) {
  touch(x.value);
  touch(x.index);
}
__device__ inline void touch(matrix& x) {
  for (unsigned& entry : x.m) touch(entry);
}

/// No collective: what a chain costs by itself. The compiler can't melt its updates into one.
struct loop_only {
  static constexpr bool combines = false;
  static constexpr bool leader_only = false;
  template <unsigned N, class T>
  __device__ T operator()(tile<N> const&, T x) const {
    touch(x);
    return x;
  }
};

template <class Op, class... Choices>
struct ours : for_all_lanes {
  template <unsigned N, class T>
  __device__ T operator()(tile<N> const& lanes, T x) const {
    return tessera::reduce(lanes, x, Op{}, tessera::policy<Choices...>{});
  }
};

/// The xor butterfly over all lanes of the warp, by one `__shfl_xor_sync` of each 32 bits.
template <class T>
__device__ T from_other_lane(T x, int bit, int width) {
  return __shfl_xor_sync(0xffffffffu, x, bit, width);
}
__device__ inline indexed from_other_lane(indexed x, int bit, int width) {
  return {from_other_lane(x.value, bit, width), from_other_lane(x.index, bit, width)};
}
__device__ inline matrix from_other_lane(matrix const& x, int bit, int width) {
  matrix y;
  for (int i = 0; i < 4; ++i) y.m[i] = from_other_lane(x.m[i], bit, width);
  return y;
}

template <class Op>
struct hand_written : for_all_lanes {
  template <unsigned N, class T>
  __device__ T operator()(tile<N> const&, T x) const {
#pragma unroll
    for (int bit = 1; bit < static_cast<int>(N); bit *= 2) {
      x = Op{}(x, from_other_lane(x, bit, static_cast<int>(N)));
    }
    return x;
  }
};

/// The same for operators that don't commute: the lower lane's value goes first.
template <class Op>
struct hand_written_in_order : for_all_lanes {
  template <unsigned N, class T>
  __device__ T operator()(tile<N> const&, T x) const {
#pragma unroll
    for (int bit = 1; bit < static_cast<int>(N); bit *= 2) {
      T const other = from_other_lane(x, bit, static_cast<int>(N));
      bool const upper = (threadIdx.x & static_cast<unsigned>(bit)) != 0;
      T const first = upper ? other : x;
      T const second = upper ? x : other;
      x = Op{}(first, second);
    }
    return x;
  }
};

/// Adds the chains of one method, of every width.
template <class Subject, class Method>
void add_widths(std::vector<chain>& chains, char const* what, char const* method, bench::kind kind) {
  chains.push_back(make_chain<Subject, Method, 2>(what, method, kind));
  chains.push_back(make_chain<Subject, Method, 4>(what, method, kind));
  chains.push_back(make_chain<Subject, Method, 8>(what, method, kind));
  chains.push_back(make_chain<Subject, Method, 16>(what, method, kind));
  chains.push_back(make_chain<Subject, Method, 32>(what, method, kind));
}

}  // namespace bench
