// The tables of joint_reduce and of predicates, for one type and operator: sizes × lengths × addresses
// modulo 16. Results must agree bit for bit with a reference in the order that joint_reduce.hpp promises.
// If the operator is exactly associative, they must also agree with a loop from left to right.
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

/// Calls with two policies that differ in each kind. The tiles of a warp have ranges of all lengths.
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

/// Combines in the order for operators that commute.
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
  for (std::size_t i = at.vectors; i < at.back; ++i) add((i - at.vectors) / V % N, (i - at.vectors) % V % A, x[i]);
  for (std::size_t i = 0; i < at.vectors; ++i) add(i % N, 0, x[i]);
  for (std::size_t i = at.back; i < at.n; ++i) add((i - at.back + at.vectors) % N, 0, x[i]);
  std::vector<std::optional<R>> lanes;
  for (auto const& of_lane : sums) lanes.push_back(balanced(of_lane, op));
  return balanced(lanes, op);
}

template <unsigned N, class T, class Op, class F, class Policy>
void check_joint_reduce_of(Op op, F f, Policy policy, T (*sample_one)(random_engine&), bool associative) {
  if (testing::Test::HasFailure()) return;
  using R = tessera::detail::range_result_t<Op, decltype(value_of(f, std::declval<T>(), 0)), long long>;
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
          << "tile<" << N << ">, seed " << seed << ", n " << range.n << ", shift " << range.shift << ", rank " << rank
          << ": got " << show(got.to_all) << " and " << show(got.to_leader) << ", expected " << show(*expected);
    }
  }
}

template <class T, class Op, class F = itself, class Policy = tessera::policy<tessera::choice::converged>,
          class Sizes = joint_sizes>
void check_joint_reduce(Op op, F f = {}, T (*sample_one)(random_engine&) = sample<T>, bool associative = true,
                        Policy policy = {}, Sizes of = {}) {
  SKIP_WITHOUT_BACKEND();
  for_each_size(of,
                [&](auto n) { check_joint_reduce_of<decltype(n)::value, T>(op, f, policy, sample_one, associative); });
}

// ---- After a start, in whose type values are combined.

template <class R, class Op, class F, class Start>
struct joint_reduce_after_kernel {
  Op op;
  F f;
  Start start;

  template <class Tile, class T>
  TESSERA_FN reduced<R> operator()(Tile const& tile, range_input<T> in) const {
    if constexpr (std::is_same_v<F, itself>) {
      static_assert(std::is_same_v<decltype(tessera::joint_reduce(tile, in.first, in.n, op, start)), R>);
      return {tessera::joint_reduce(tile, in.first, in.n, op, start),
              tessera::joint_reduce(tile, in.first, in.n, op, start, tessera::to_leader | tessera::converged)};
    } else {
      return {tessera::joint_transform_reduce(tile, in.first, in.n, op, f, start),
              tessera::joint_transform_reduce(tile, in.first, in.n, op, f, start, tessera::to_leader)};
    }
  }
};

template <unsigned N, class R, class T, class Op, class F, class Start>
void check_joint_reduce_after_of(Op op, F f, Start start, T (*sample_one)(random_engine&)) {
  if (testing::Test::HasFailure()) return;
  unsigned const seed = 200 + N;
  random_engine random(seed);
  auto const ranges = make_ranges<N>(random, sample_one);
  auto const lanes = lanes_of<N, range_input<T>>(ranges, [](auto const& one) {
    return range_input<T>{one.memory.data(), one.n};
  });
  auto const out = backend::run<N, reduced<R>>(lanes, joint_reduce_after_kernel<R, Op, F, Start>{op, f, start});
  for (std::size_t tile = 0; tile < ranges.size(); ++tile) {
    auto const& range = ranges[tile];
    std::vector<R> x;
    for (T const& one : range.x) x.push_back(static_cast<R>(value_of(f, one, static_cast<long long>(x.size()))));
    std::optional<R> all = left_to_right(x, op);
    if constexpr (tessera::operator_traits<Op, R>::commutative) all = reduce_model<R, T>(x, range.shift, N, op);
    R const expected = all ? static_cast<R>(op(static_cast<R>(start), *all)) : static_cast<R>(start);
    for (unsigned rank = 0; rank < N; ++rank) {
      auto const& got = out[tile * N + rank];
      ASSERT_TRUE(same(got.to_all, expected) && (rank > 0 || same(got.to_leader, expected)))
          << "tile<" << N << ">, seed " << seed << ", n " << range.n << ", shift " << range.shift << ", rank " << rank
          << ": got " << show(got.to_all) << " and " << show(got.to_leader) << ", expected " << show(expected);
    }
  }
}

/// R is the type of the result.
template <class R, class T, class Op, class Start, class F = itself>
void check_joint_reduce_after(Op op, Start start, F f = {}, T (*sample_one)(random_engine&) = sample<T>) {
  SKIP_WITHOUT_BACKEND();
  for_each_size(joint_sizes{},
                [&](auto n) { check_joint_reduce_after_of<decltype(n)::value, R, T>(op, f, start, sample_one); });
  for_each_size(some_large_sizes{},
                [&](auto n) { check_joint_reduce_after_of<decltype(n)::value, R, T>(op, f, start, sample_one); });
}

// ---- Predicates.

struct answers {
  bool any, all, none, any_indexed, any_converged;
  unsigned asked;
};

/// The predicate holds for elements that are 1. `asked` counts this lane's calls.
struct predicates_kernel {
  template <class Tile>
  TESSERA_FN answers operator()(Tile const& tile, range_input<short> in) const {
    auto const is_one = [](short x) { return x == 1; };
    unsigned asked = 0;
    auto const count = [&asked](short x) {
      ++asked;
      return x == 1;
    };
    short const* const first = in.first;
    auto const at_its_index = [first](short x, long long i) { return x == 1 && first[i] == 1; };
    bool const any = tessera::joint_any_of(tile, first, in.n, count);
    return {any,
            tessera::joint_all_of(tile, first, in.n, is_one),
            tessera::joint_none_of(tile, first, in.n, is_one),
            tessera::joint_any_of(tile, first, in.n, at_its_index),
            tessera::joint_any_of(tile, first, in.n, is_one, tessera::converged),
            asked};
  }
};

template <unsigned N>
void check_predicates() {
  if (testing::Test::HasFailure()) return;
  random_engine random(N);
  auto ranges = make_ranges<N, short>(random, [](random_engine&) -> short { return 0; });
  for (auto& range : ranges) {  // the predicate holds for no element, all, all but one, or one
    auto const kind = random() % 4;
    auto const one = range.x.empty() ? 0 : random() % range.x.size();
    for (std::size_t i = 0; i < range.x.size(); ++i)
      range.x[i] = kind == 1 || (kind == 2 && i != one) || (kind == 3 && i == one);
    range.memory = placed_values<short>(range.x, range.shift);
  }
  auto const lanes = lanes_of<N, range_input<short>>(ranges, [](auto const& range) {
    return range_input<short>{range.memory.data(), range.n};
  });
  auto const out = backend::run<N, answers>(lanes, predicates_kernel{});
  for (std::size_t lane = 0; lane < out.size(); ++lane) {
    auto const& x = ranges[lane / N].x;
    auto const ones = static_cast<std::size_t>(std::count(x.begin(), x.end(), 1));
    answers const got = out[lane];
    ASSERT_TRUE(got.any == (ones > 0) && got.all == (ones == x.size()) && got.none == (ones == 0) &&
                got.any_indexed == got.any && got.any_converged == got.any)
        << "tile<" << N << ">, lane " << lane << ", " << ones << " of " << x.size();
    // An element among the first vectors, which a lane tests together, decides the result.
    std::size_t const front = range_parts<short>(x.size(), ranges[lane / N].shift).vectors;
    std::size_t const at = static_cast<std::size_t>(std::find(x.begin(), x.end(), 1) - x.begin());
    if (at >= front && at + 8 < x.size()) {
      ASSERT_LE(got.asked, ((at - front) / (32 * N) + 1) * 32 + 14) << "N " << N;
    }
  }
}

}  // namespace test
