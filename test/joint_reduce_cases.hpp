// The table of joint_reduce, for one type and operator: sizes × lengths × addresses modulo 16, bit for bit against the order
// that joint_reduce.hpp promises; operators that are exactly associative also from left to right.
#pragma once

#include <tessera/joint_reduce.hpp>

#include "joint_cases.hpp"

namespace test {

template <class T>
struct range_input {
  T const* first;
  long long n;
};

template <class R>
struct reduced {
  R to_all, to_leader;
};

struct itself {
  template <class T>
  TESSERA_FN T operator()(T x) const {
    return x;
  }
};

template <class F, class T>
auto value_of(F f, T x, long long index) {
  if constexpr (std::is_invocable_v<F, T, long long>) {
    return f(x, index);
  } else {
    return f(x);
  }
}

/// Two policies that differ in each kind. The tiles of a warp have ranges of all lengths.
template <class R, class Op, class F, class Policy>
struct joint_reduce_kernel {
  Op op;
  F f;
  Policy policy;

  template <class Tile, class T>
  TESSERA_FN reduced<R> operator()(Tile const& tile, range_input<T> in) const {
    if constexpr (std::is_same_v<F, itself>) {
      return {tessera::joint_reduce(tile, in.first, in.n, op),
              tessera::joint_reduce(tile, in.first, in.n, op, tessera::to_leader | policy)};
    } else {
      return {tessera::joint_transform_reduce(tile, in.first, in.n, op, f),
              tessera::joint_transform_reduce(tile, in.first, in.n, op, f, tessera::to_leader | policy)};
    }
  }
};

/// The order for operators that commute.
template <class R, class T, class Op>
std::optional<R> reduce_model(std::vector<R> const& x, unsigned shift, unsigned N, Op op) {
  constexpr std::size_t V = elements_of_16_bytes<T>;
  constexpr std::size_t words = (sizeof(R) + 3) / 4;
  constexpr std::size_t most = words > 8 ? 1 : words > 4 ? 2 : 4;
  constexpr std::size_t A = std::min(V, most);
  range_parts<T> const at(x.size(), shift);
  std::vector<std::vector<std::optional<R>>> sums(N, std::vector<std::optional<R>>(A));
  auto const add = [&](std::size_t lane, std::size_t a, R const& value) {
    sums[lane][a] = join(sums[lane][a], std::optional<R>(value), op);
  };
  for (std::size_t i = at.vectors; i < at.back; ++i)
    add((i - at.vectors) / V % N, (i - at.vectors) % V % A, x[i]);
  for (std::size_t i = 0; i < at.vectors; ++i) add(i % N, 0, x[i]);
  for (std::size_t i = at.back; i < at.n; ++i) add((i - at.back + at.vectors) % N, 0, x[i]);
  std::vector<std::optional<R>> lanes;
  for (auto const& of_lane : sums) lanes.push_back(balanced(of_lane, op));
  return balanced(lanes, op);
}

template <unsigned N, class T, class Op, class F, class Policy>
void check_joint_reduce_of(Op op, F f, Policy policy, T (*sample_one)(random_engine&), bool associative) {
  if (testing::Test::HasFailure()) return;
  using R = decltype(value_of(f, std::declval<T>(), 0));
  using traits = tessera::operator_traits<Op, R>;
  unsigned const seed = 100 + N;
  random_engine random(seed);
  auto const ranges = make_ranges<N>(random, sample_one);
  auto const lanes = lanes_of<N, range_input<T>>(ranges, [](auto const& one) {
    return range_input<T>{one.memory.data(), one.n};
  });
  auto const out = backend::run<N, reduced<R>>(lanes, joint_reduce_kernel<R, Op, F, Policy>{op, f, policy});
  for (std::size_t tile = 0; tile < ranges.size(); ++tile) {
    auto const& range = ranges[tile];
    std::vector<R> x;
    for (T const& one : range.x) x.push_back(value_of(f, one, static_cast<long long>(x.size())));
    std::optional<R> expected = left_to_right(x, op);
    if constexpr (traits::commutative) {
      auto const in_order = reduce_model<R, T>(x, range.shift, N, op);
      ASSERT_TRUE(!associative || !expected || same(*in_order, *expected)) << "the model is wrong";
      expected = in_order;
    }
    if (!expected) expected = traits::identity(op);
    for (unsigned rank = 0; rank < N; ++rank) {
      auto const& got = out[tile * N + rank];
      ASSERT_TRUE(same(got.to_all, *expected) && (rank > 0 || same(got.to_leader, *expected)))
          << "tile<" << N << ">, seed " << seed << ", n " << range.n << ", shift " << range.shift << ", rank "
          << rank << ": got " << show(got.to_all) << " and " << show(got.to_leader) << ", expected "
          << show(*expected);
    }
  }
}

template <class T, class Op, class F = itself, class Policy = tessera::policy<tessera::choice::converged>>
void check_joint_reduce(Op op, F f = {}, T (*sample_one)(random_engine&) = sample<T>, bool associative = true,
                        Policy policy = {}) {
  SKIP_WITHOUT_BACKEND();
  check_joint_reduce_of<1, T>(op, f, policy, sample_one, associative);
  check_joint_reduce_of<2, T>(op, f, policy, sample_one, associative);
  check_joint_reduce_of<4, T>(op, f, policy, sample_one, associative);
  check_joint_reduce_of<8, T>(op, f, policy, sample_one, associative);
  check_joint_reduce_of<16, T>(op, f, policy, sample_one, associative);
  check_joint_reduce_of<32, T>(op, f, policy, sample_one, associative);
}

}  // namespace test
