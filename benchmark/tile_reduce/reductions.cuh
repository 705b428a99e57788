// Reductions of a tile: the operators, the subjects, and the methods of tessera and by hand.
//
// The hand-written methods and the host's reference use the operators of this header. tessera,
// cooperative_groups and CUB use their own.
#pragma once

#include "../methods.cuh"

#include <tessera/reduce.hpp>

namespace bench {

// ---- Operators

struct add {
  template <class T>
  BENCH_FN T operator()(T a, T b) const {
    return a + b;
  }
  BENCH_FN int operator()(int a, int b) const {  // wraps around
    return static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
  }
};

struct least {
  BENCH_FN int operator()(int a, int b) const { return a < b ? a : b; }
  BENCH_FN float operator()(float a, float b) const { return fminf(a, b); }
};

struct both {
  BENCH_FN bool operator()(bool a, bool b) const { return a && b; }
};

struct either_bits {
  BENCH_FN std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a | b; }
};

/// The usual hand-written operator, which ignores NaN.
struct lowest {
  BENCH_FN indexed operator()(indexed a, indexed b) const {
    return b.value < a.value || (b.value == a.value && b.index < a.index) ? b : a;
  }
};

struct product {
  BENCH_FN matrix operator()(matrix const& a, matrix const& b) const {
    return {{a.m[0] * b.m[0] + a.m[1] * b.m[2], a.m[0] * b.m[1] + a.m[1] * b.m[3], a.m[2] * b.m[0] + a.m[3] * b.m[2],
             a.m[2] * b.m[1] + a.m[3] * b.m[3]}};
  }
};

// ---- Subjects

/// The values of a tile are reduced by Op. `Sums` says that the result grows with the number of lanes.
/// `InARow` is the number of collectives in one iteration of the loop.
template <class T, class Op, bool Sums = false, unsigned InARow = 1>
struct reduction : plain_subject<T> {
  static constexpr unsigned in_a_row = InARow;

  static T weight(unsigned /*rank*/, unsigned width) {
    return weight_value<T>(Sums ? 0.5f / static_cast<float>(width) : 0.5f);
  }
  /// Every lane gets ((x0 x1) (x2 x3)) …
  template <std::size_t N>
  static std::array<T, N> expected(std::array<T, N> tree) {
    for (std::size_t count = N / 2; count > 0; count /= 2) {
      for (std::size_t j = 0; j < count; ++j) tree[j] = Op{}(tree[2 * j], tree[2 * j + 1]);
    }
    T const all = tree[0];
    tree.fill(all);
    return tree;
  }
};

// ---- Methods

template <class Op, class... Choices>
struct ours : for_all_lanes {
  template <unsigned N, class T>
  __device__ T operator()(tile<N> const& lanes, T x) const {
    return tessera::reduce(lanes, x, Op{}, tessera::policy<Choices...>{});
  }
};

/// The xor butterfly with the full mask, which makes one `__shfl_xor_sync` for each 32 bits.
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

/// The same for operators that don't commute: the lower lane's value is the first operand.
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

}  // namespace bench
