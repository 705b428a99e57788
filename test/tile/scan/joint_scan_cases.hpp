// The table of joint_inclusive_scan and joint_exclusive_scan, for one type and operator: sizes × lengths ×
// addresses modulo 16 of input and output. Results must agree bit for bit with a reference in the order
// that joint_scan.hpp promises. If the operator is exactly associative, they must also agree with a loop
// from left to right.
#pragma once

#include <tessera/joint_scan.hpp>

#include <utility>

#include "joint_cases.hpp"

namespace test {

template <class T>
struct scan_input {
  T const* first;
  T* in_place;
  T *inclusive, *exclusive, *started;
  long long n;
  T start;
};

template <class T>
struct totals {
  T of_exclusive, of_started;
};

/// Calls each scan with a different policy. The tiles of a warp have ranges of all lengths.
template <class Op, class Direction>
struct joint_scan_kernel {
  Op op;
  Direction direction;

  template <class Tile, class T>
  TESSERA_FN totals<T> operator()(Tile const& tile, scan_input<T> in) const {
    using tessera::with_total;
    tessera::joint_inclusive_scan(tile, in.first, in.n, in.inclusive, op, direction);
    tessera::joint_inclusive_scan(tile, in.in_place, static_cast<unsigned>(in.n < 0 ? 0 : in.n), in.in_place, op,
                                  tessera::isolated | direction);
    if constexpr (tessera::operator_traits<Op, T>::has_identity) {
      return {tessera::joint_exclusive_scan(tile, in.first, in.n, in.exclusive, op,
                                            with_total | tessera::converged | direction),
              tessera::joint_exclusive_scan(tile, in.first, in.n, in.started, op, in.start,
                                            with_total | tessera::isolated | direction)};
    } else {
      tessera::joint_exclusive_scan(tile, in.first, in.n, in.started, op, in.start, tessera::converged | direction);
      return {};
    }
  }
};

template <class T>
struct scanned_range {
  std::vector<std::optional<T>> inclusive, exclusive;
  std::optional<T> total;
};

/// Combines each lane's value with those of all previous lanes: within a warp by Kogge and Stone's tree, and before that the blocks
/// of warps before it, which are combined with each other first where the first warp does it, but for a warp's last lane.
template <class T, class Op>
void scan_lanes_of_chunk(std::vector<std::optional<T>>& x, unsigned N, Op op) {
  for (std::size_t delta = 1; delta < 32; delta *= 2) {
    for (std::size_t lane = x.size(); lane-- > 0;) {
      if (lane % 32 >= delta) x[lane] = join(x[lane - delta], x[lane], op);
    }
  }
  std::vector<std::optional<T>> of_warps;
  for (std::size_t warp = 0; 32 * warp < x.size(); ++warp)
    of_warps.push_back(x[std::min(32 * warp + 31, x.size() - 1)]);
  auto const after_blocks = [&](std::size_t warp, std::optional<T> value) {
    for (std::size_t size = 1; size <= warp; size *= 2) {
      auto const first = of_warps.begin() + static_cast<long>(warp / (2 * size) * (2 * size));
      if (warp & size) value = join(balanced(std::vector(first, first + static_cast<long>(size)), op), value, op);
    }
    return value;
  };
  for (std::size_t lane = 0; lane < x.size(); ++lane) {
    bool const last = lane % 32 == 31 || lane + 1 == x.size();
    if (last || !tessera::detail::scans_totals_in_first_warp(N / 32)) {
      x[lane] = after_blocks(lane / 32, x[lane]);
    } else {
      x[lane] = join(after_blocks(lane / 32, std::nullopt), x[lane], op);
    }
  }
}

/// Scans in the order that joint_scan.hpp promises. Appends to `out` the results for x[begin] to x[end −
/// 1], in chunks of K elements for each of N lanes.
template <class T, class Op>
void model_chunks(std::vector<T> const& x, std::size_t begin, std::size_t end, std::size_t K, unsigned N,
                  std::optional<T> const& start, Op op, scanned_range<T>& out) {
  std::optional<T> const none;
  for (std::size_t chunk = begin; chunk < end; chunk += K * N) {
    std::size_t const owners = std::min<std::size_t>(N, (end - chunk) / K);
    std::vector<std::vector<std::optional<T>>> own(owners);
    std::vector<std::optional<T>> up_to(owners);
    for (std::size_t lane = 0; lane < owners; ++lane) {
      for (std::size_t j = 0; j < K; ++j)
        own[lane].push_back(join(j == 0 ? none : own[lane][j - 1], std::optional<T>(x[chunk + lane * K + j]), op));
      up_to[lane] = own[lane].back();
    }
    scan_lanes_of_chunk(up_to, N, op);
    auto const carry = join(start, out.total, op);
    for (std::size_t lane = 0; lane < owners; ++lane) {
      auto const before = join(carry, lane == 0 ? none : up_to[lane - 1], op);
      for (std::size_t j = 0; j < K; ++j) {
        out.inclusive.push_back(join(before, own[lane][j], op));
        out.exclusive.push_back(join(before, j == 0 ? none : own[lane][j - 1], op));
      }
    }
    out.total = join(out.total, up_to.back(), op);
  }
}

/// The reference for values of T, which were made from elements of type From. The size of From determines
/// the vectors. A scan with `suffix` is the same of the mirrored range, with swapped operands.
template <class T, class From = T, class Op>
scanned_range<T> scan_model(std::vector<T> x, unsigned shift, unsigned N, std::optional<T> start, Op op,
                            bool suffix = false) {
  range_parts<From> at(x.size(), shift);
  auto const in_order = [&](T const& a, T const& b) { return static_cast<T>(suffix ? op(b, a) : op(a, b)); };
  if (suffix) {
    std::reverse(x.begin(), x.end());
    at.vectors = at.n - std::exchange(at.back, at.n - at.vectors);
  }
  scanned_range<T> out;
  model_chunks(x, 0, at.vectors, 1, N, start, in_order, out);
  model_chunks(x, at.vectors, at.back, elements_of_16_bytes<From>, N, start, in_order, out);
  model_chunks(x, at.back, at.n, 1, N, start, in_order, out);
  if (suffix) {
    std::reverse(out.inclusive.begin(), out.inclusive.end());
    std::reverse(out.exclusive.begin(), out.exclusive.end());
  }
  return out;
}

template <class T>
bool all_same(std::vector<T> const& got, std::vector<std::optional<T>> const& expected) {
  if (got.size() != expected.size()) return false;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!expected[i] || !same(got[i], *expected[i])) return false;
  }
  return true;
}

template <unsigned N, class T, class Op, class Direction>
void check_joint_scans_of(Op op, T (*sample_one)(random_engine&), bool associative, Direction direction) {
  if (testing::Test::HasFailure()) return;
  constexpr bool suffix = std::is_same_v<typename Direction::direction, tessera::choice::suffix>;
  using traits = tessera::operator_traits<Op, T>;
  unsigned const seed = 200 + N;
  random_engine random(seed);
  auto const ranges = make_ranges<N>(random, sample_one);

  struct outputs {
    placed_values<T> in_place, inclusive, exclusive, started;
    T start;
  };
  std::vector<outputs> out;
  std::vector<scan_input<T>> lanes;
  for (auto const& range : ranges) {
    auto const random_alignment = [&] {  // most often the alignment of the input
      constexpr unsigned shifts = 16 / alignof(T);
      unsigned const shift = random() % 3 != 0 ? range.shift : static_cast<unsigned>(random() % shifts);
      return placed_values<T>(std::vector<T>(range.x.size()), shift);
    };
    out.push_back({placed_values<T>(range.x, range.shift), random_alignment(), random_alignment(), random_alignment(),
                   sample_one(random)});
    outputs const& to = out.back();
    lanes.insert(lanes.end(), N,
                 {range.memory.data(), to.in_place.data(), to.inclusive.data(), to.exclusive.data(), to.started.data(),
                  range.n, to.start});
  }
  auto const sums = backend::run<N, totals<T>>(lanes, joint_scan_kernel<Op, Direction>{op, direction});

  for (std::size_t tile = 0; tile < ranges.size(); ++tile) {
    auto const& range = ranges[tile];
    auto const where = [&] {
      return "tile<" + std::to_string(N) + ">, seed " + std::to_string(seed) + ", n " + std::to_string(range.n) +
             ", shift " + std::to_string(range.shift);
    };
    std::optional<T> const start = out[tile].start;
    auto plain = scan_model<T>(range.x, range.shift, N, std::nullopt, op, suffix);
    auto const started = scan_model<T>(range.x, range.shift, N, start, op, suffix);
    if (associative) {
      auto sum = std::optional<T>();
      auto started_sum = start;
      for (std::size_t met = 0; met < range.x.size(); ++met) {
        std::size_t const i = suffix ? range.x.size() - 1 - met : met;
        ASSERT_TRUE(same(*started.exclusive[i], *started_sum)) << "the model is wrong";
        std::optional<T> const own = range.x[i];
        sum = suffix ? join(own, sum, op) : join(sum, own, op);
        started_sum = suffix ? join(own, started_sum, op) : join(started_sum, own, op);
        ASSERT_TRUE(same(*plain.inclusive[i], *sum)) << "the model is wrong";
      }
    }
    ASSERT_TRUE(all_same(out[tile].inclusive.to_host(), plain.inclusive)) << where();
    ASSERT_TRUE(all_same(out[tile].in_place.to_host(), plain.inclusive)) << where();
    ASSERT_TRUE(all_same(out[tile].started.to_host(), started.exclusive)) << where();
    if constexpr (traits::has_identity) {
      if (!range.x.empty()) plain.exclusive[suffix ? range.x.size() - 1 : 0] = traits::identity(op);
      ASSERT_TRUE(all_same(out[tile].exclusive.to_host(), plain.exclusive)) << where();
      T const total = plain.total ? *plain.total : traits::identity(op);
      for (unsigned rank = 0; rank < N; ++rank) {
        totals<T> const& got = sums[tile * N + rank];
        ASSERT_TRUE(same(got.of_exclusive, total) && same(got.of_started, total)) << where();
      }
    }
  }
}

template <class T, class Op, class Sizes = joint_sizes, class Direction = tessera::policy<>>
void check_joint_scans(Op op, T (*sample_one)(random_engine&) = sample<T>, bool associative = true, Sizes of = {},
                       Direction direction = {}) {
  SKIP_WITHOUT_BACKEND();
  for_each_size(of,
                [&](auto n) { check_joint_scans_of<decltype(n)::value, T>(op, sample_one, associative, direction); });
}

}  // namespace test
