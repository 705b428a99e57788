// Segmented scans on host tiles, for the tests of scans by key and of segments: blocks in any order, a few threads each.
#pragma once

#include <gtest/gtest.h>

#include <tessera/grid/segments/segmented_scan_agent.hpp>
#include <tessera/host/launch.hpp>
#include <tessera/operators.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>
#include <vector>

#include "samples.hpp"

namespace test::segmented_scans {

namespace detail = tessera::grid::detail;
inline constexpr unsigned warps = 2;
inline constexpr auto tiles_of_test = detail::tile_kind::least;

/// What is asked for besides the operator.
template <class R>
struct request {
  bool exclusive = false;
  std::optional<R> start;
};

struct convert_to_float {
  template <class T>
  float operator()(T const& x) const {
    return static_cast<float>(x);
  }
};
template <class T, class R>
using convert_t = std::conditional_t<std::is_same_v<T, R>, tessera::detail::as_it_is, convert_to_float>;

/// Scans in[0 … n − 1], whose heads come from `source`, into `out`, in so many blocks.
template <class R, class Exclusive, class T, class Source, class Op>
void scan_as(Exclusive exclusive, T const* in, std::int64_t n, T* out, Source const& source, Op const& op,
             request<R> const& what, unsigned blocks, unsigned seed, std::vector<std::uint64_t>& words) {
  using shape = detail::segmented_scan_shape<T, R, Source, tiles_of_test>;
  using task_t = detail::segmented_scan_task<T, R, Op, convert_t<T, R>, Source, Exclusive>;
  std::int64_t const tiles = shape::tile_count(n, warps);
  if (tiles == 1) blocks = 1;
  if (words.empty()) words.resize(detail::look_back_words<detail::open_run<R>>(tiles));
  auto const start = what.start ? detail::optional_value<R>::some(*what.start) : detail::optional_value<R>::none();
  task_t const task{in, out, n, source, op, {}, start, exclusive};
  detail::look_back_memory const memory{tiles > 1 ? words.data() : nullptr, words.size()};
  detail::segmented_scan_storage<task_t, shape, warps + 2> storage;  // blocks may have fewer warps than it is for
  tessera::host::options how;
  how.seed = seed;
  tessera::host::launch_grid(blocks, 32 * (warps + 1), how, [&](tessera::host::block block) {
    detail::run_segmented_scan_agent<shape>(block, task, memory, {static_cast<unsigned>(tiles), warps}, blocks,
                                            storage);
  });
}

/// The same by the kernel that the launchers take: one for both with keys, two of segments.
template <class R, class T, class Source, class Op>
void scan(T const* in, std::int64_t n, T* out, Source const& source, Op const& op, request<R> const& what,
          unsigned blocks, unsigned seed, std::vector<std::uint64_t>& words) {
  if constexpr (!Source::has_marks) {
    scan_as<R>(what.exclusive, in, n, out, source, op, what, blocks, seed, words);
  } else if (what.exclusive) {
    scan_as<R>(std::true_type{}, in, n, out, source, op, what, blocks, seed, words);
  } else {
    scan_as<R>(std::false_type{}, in, n, out, source, op, what, blocks, seed, words);
  }
}

/// The same by a loop, of segments that begin where `heads` says.
template <class R, class T, class Op>
std::vector<T> expected_scan(std::vector<T> const& x, std::vector<bool> const& heads, Op const& op,
                             request<R> const& what, R const& identity) {
  std::vector<T> out(x);
  R sum = identity;
  bool has_sum = false;
  for (std::size_t i = 0; i < x.size(); ++i) {
    R const own = convert_t<T, R>{}(x[i]);
    if (heads[i]) {
      has_sum = what.exclusive && what.start;
      sum = has_sum ? *what.start : identity;
    }
    R const through = has_sum ? static_cast<R>(op(sum, own)) : own;
    T const result = static_cast<T>(what.exclusive ? sum : through);
    std::memcpy(&out[i], &result, sizeof(T));
    sum = through;
    has_sum = true;
  }
  return out;
}

/// Lengths of runs around a mean, or of a law that gives many short ones and some long ones.
inline std::vector<std::int64_t> lengths_of(std::int64_t n, unsigned mean, random_engine& random) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t left = n; left > 0; left -= lengths.back()) {
    std::int64_t const drawn = random() % 16 == 0 ? static_cast<std::int64_t>(random() % (20 * mean + 1))
                                                  : 1 + static_cast<std::int64_t>(random() % (2 * mean));
    lengths.push_back(std::max(std::int64_t{1}, std::min(left, drawn)));
  }
  return lengths;
}

template <class R, class T>
struct drawn_array {
  std::vector<T> memory;  // the elements begin after `offset` others
  std::size_t offset;
  std::vector<T> x;
  std::vector<std::int64_t> lengths;
  std::vector<bool> heads;
  R start;

  drawn_array(std::int64_t n, unsigned mean, unsigned seed)
      : memory(static_cast<std::size_t>(n) + seed % 5), offset(seed % 5), start(tessera::detail::from_words<R>({})) {
    random_engine random(static_cast<std::uint64_t>(n) * 31 + mean * 7 + seed);
    for (auto& value : memory) value = sample<T>(random);
    x.assign(memory.begin() + static_cast<std::ptrdiff_t>(offset), memory.end());
    lengths = lengths_of(n, mean, random);
    for (std::int64_t length : lengths)
      for (std::int64_t i = 0; i < length; ++i) heads.push_back(i == 0);
    start = convert_t<T, R>{}(sample<T>(random));
  }
};

template <class R, class T>
void expect_scanned(std::vector<T> const& memory, std::vector<T> const& expected, T const& untouched,
                    char const* what) {
  ASSERT_TRUE(same_bits(memory.front(), untouched) && same_bits(memory.back(), untouched)) << what;
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_TRUE(same_bits(memory[i + 1], expected[i]))
        << what << ": " << i << " of " << expected.size() << ", " << sizeof(T) << " bytes";
}

/// The bits of a float scan, in place, depend on the elements and the heads alone, and are as near the exact sums as the
/// contracts say.
template <class Source>
void check_float_sums(drawn_array<float, float> const& drawn, Source const& source) {
  auto const n = static_cast<std::int64_t>(drawn.x.size());
  std::vector<float> first;
  for (unsigned seed = 0; seed < 4; ++seed) {
    std::vector<float> memory(drawn.x.size() + seed);
    std::copy(drawn.x.begin(), drawn.x.end(), memory.begin() + seed);
    std::vector<std::uint64_t> words;
    float* const at = memory.data() + seed;
    scan<float>(at, n, at, source, tessera::plus{}, request<float>{}, 1 + seed, seed, words);
    std::vector<float> const out(memory.begin() + seed, memory.end());
    if (first.empty()) first = out;
    ASSERT_EQ(std::memcmp(out.data(), first.data(), out.size() * sizeof(float)), 0) << n << ", " << seed;
  }
  double exact = 0, size = 0;
  for (std::size_t i = 0; i < drawn.x.size(); ++i) {
    if (drawn.heads[i]) exact = size = 0;
    exact += drawn.x[i];
    size += std::fabs(drawn.x[i]);
    double const bound = (static_cast<double>(n) / (32 * 512) + 32) * std::ldexp(size, -24);
    ASSERT_NEAR(first[i], exact, bound) << i;
  }
}

/// Calls check(drawing of type R, operator, identity, n, mean, seed) for types of all kinds, and operators that don't commute.
template <class Check>
void for_all_kinds(Check check) {
  for (std::int64_t n : {1, 2, 63, 1023, 1024, 1025, 6144, 30000})
    for (unsigned mean : {1u, 7u, 100u, 20000u})
      for (unsigned seed = 0; seed < 3; ++seed) {
        check(n, mean, tessera::plus{}, 0u, seed);
        if (n < 10000) check(n, mean, tessera::maximum{}, std::int64_t{INT64_MIN}, seed);
      }
  auto const product = tessera::make_operator(matrix_product{}, matrix_one);
  auto const join_digits = tessera::make_operator(digit_concatenation{}, digits{0, 1});
  for (std::int64_t n : {1, 64, 255, 3000, 9000})
    for (unsigned mean : {2u, 50u, 5000u}) {
      check(n, mean, product, matrix_one, mean % 3);
      check(n, mean, join_digits, digits{0, 1}, mean % 3 + 1);
    }
}
/// Sizes that vectors don't divide, and ones that a row can't hold.
template <class Check>
void for_structs(Check check) {
  for (std::int64_t n : {1, 100, 1100}) {
    check(n, 9u, tessera::make_operator(compose_rows<3>{}, row<3>{}), row<3>{}, 1u);
    check(n, 9u, tessera::make_operator(compose_rows<6>{}, row<6>{}), row<6>{}, 2u);
    check(n, 9u, tessera::make_operator(compose_rows<12>{}, row<12>{}), row<12>{}, 3u);
    check(n, 9u, tessera::make_operator(compose_rows<17>{}, row<17>{}), row<17>{}, 1u);
    check(n, 9u, tessera::make_operator(compose_rows<64>{}, row<64>{}), row<64>{}, 1u);
    if (n < 1000)  // which lanes keep
      check(n, 9u, tessera::make_operator(compose_rows<1024>{}, row<1024>{}), row<1024>{}, 1u);
    check(n, 3u, tessera::bit_xor{}, short{0}, 3u);
    check(n, 40u, tessera::plus{}, char{0}, 2u);
  }
}

}  // namespace test::segmented_scans
