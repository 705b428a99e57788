// The kernel of scans by key and of segments on host tiles: blocks in any order, a few threads each.
#include <gtest/gtest.h>

#include <tessera/grid/detail/segmented_scan_agent.hpp>
#include <tessera/host/launch.hpp>
#include <tessera/operators.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "../samples.hpp"

namespace {

using namespace test;
namespace detail = tessera::grid::detail;
constexpr unsigned threads = 64;

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
template <class R, class T, class Source, class Op>
void scan(T const* in, std::int64_t n, T* out, Source const& source, Op const& op, request<R> const& what,
          unsigned blocks, unsigned seed, std::vector<std::uint64_t>& words) {
  using shape = detail::segmented_scan_shape<T, R, Source>;
  using task_t = detail::segmented_scan_task<T, R, Op, convert_t<T, R>, Source>;
  std::int64_t const tiles = shape::tile_count(n, threads);
  if (tiles == 1) blocks = 1;
  if (words.empty()) words.resize(detail::look_back_words<detail::open_run<R>>(tiles));
  auto const start =
      what.start ? detail::optional_value<R>::some(*what.start) : detail::optional_value<R>::none();
  task_t const task{in, out, n, source, op, {}, start, what.exclusive};
  detail::look_back_memory const memory{tiles > 1 ? words.data() : nullptr, words.size()};
  typename detail::segmented_scan_agent<threads, tessera::host::block, task_t>::storage_t storage{};
  tessera::host::options how;
  how.seed = seed;
  tessera::host::launch_grid(blocks, threads, how, [&](tessera::host::block block) {
    detail::run_segmented_scan_agent<threads>(block, task, memory, blocks, storage);
  });
}

/// The same by a loop, of segments that begin where `heads` says.
template <class R, class T, class Op>
std::vector<T> expected_scan(std::vector<T> const& x, std::vector<bool> const& heads, Op const& op,
                             request<R> const& what, R const& identity) {
  std::vector<T> out(x);
  std::optional<R> sum;
  for (std::size_t i = 0; i < x.size(); ++i) {
    R const own = convert_t<T, R>{}(x[i]);
    if (heads[i]) {
      sum.reset();
      if (what.exclusive && what.start) sum.emplace(*what.start);
    }
    R const before = sum ? *sum : identity;
    R const through = sum ? static_cast<R>(op(*sum, own)) : own;
    T const result = static_cast<T>(what.exclusive ? before : through);
    std::memcpy(&out[i], &result, sizeof(T));
    sum.emplace(through);
  }
  return out;
}

/// Lengths of runs around a mean, or of a law that gives many short ones and some long ones.
std::vector<std::int64_t> lengths_of(std::int64_t n, unsigned mean, random_engine& random) {
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
  std::vector<T> memory;  // the elements begin behind `offset` others
  std::size_t offset;
  std::vector<T> x;
  std::vector<std::int64_t> lengths;
  std::vector<bool> heads;
  R start;

  drawn_array(std::int64_t n, unsigned mean, unsigned seed)
      : memory(static_cast<std::size_t>(n) + seed % 5),
        offset(seed % 5),
        start(tessera::detail::from_words<R>({})) {
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

/// Keys that are equal in all but the lowest bit are one run.
template <class Key>
struct equal_pages {
  bool operator()(Key a, Key b) const { return a / 2 == b / 2; }
};

template <class R, class Key, class T, class Op>
void check_keys(std::int64_t n, unsigned mean, Op const& op, R const& identity, unsigned seed) {
  drawn_array<R, T> const drawn(n, mean, seed);
  std::vector<Key> keys(seed % 3);
  unsigned number = 0;
  for (std::int64_t length : drawn.lengths) {
    ++number;
    for (std::int64_t i = 0; i < length; ++i) keys.push_back(static_cast<Key>(number * 2 + (i * i) % 3 % 2));
  }
  detail::key_source<Key, equal_pages<Key>> const source{keys.data() + seed % 3, {}};
  for (bool exclusive : {false, true})
    for (bool has_start : {false, true}) {
      request<R> const what{exclusive, has_start ? std::optional<R>(drawn.start) : std::nullopt};
      auto const expected = expected_scan<R>(drawn.x, drawn.heads, op, what, identity);
      std::vector<T> out(drawn.x.size() + 2, static_cast<T>(drawn.start));
      std::vector<std::uint64_t> words;
      scan<R>(drawn.memory.data() + drawn.offset, n, out.data() + 1, source, op, what, 1 + seed % 3, seed,
              words);
      expect_scanned<R>(out, expected, static_cast<T>(drawn.start), "by key");
    }
}

template <class R, class Offset, class T, class Op>
void check_offsets(std::int64_t n, unsigned mean, Op const& op, R const& identity, unsigned seed) {
  drawn_array<R, T> drawn(n, mean, seed);
  random_engine random(seed * 5 + mean);
  // Some elements before the first segment and behind the last belong to none, and some segments are empty.
  std::int64_t const before = static_cast<std::int64_t>(random() % 3) * static_cast<std::int64_t>(seed % 2);
  std::vector<Offset> offsets;
  std::int64_t end = std::min(before, n);
  std::int64_t const begin = end;
  for (std::int64_t length : drawn.lengths) {
    if (end + length > n) break;
    std::uint64_t const empty = random() % 7 == 0 ? random() % (seed % 3 == 2 ? 300 : 4) : 0;
    for (std::uint64_t i = 0; i <= empty; ++i) offsets.push_back(static_cast<Offset>(end));
    end += length;
  }
  offsets.push_back(static_cast<Offset>(end));
  std::vector<bool> heads(static_cast<std::size_t>(n));
  for (Offset o : offsets)
    if (static_cast<std::int64_t>(o) < n) heads[static_cast<std::size_t>(o)] = true;
  auto const segments = static_cast<std::int64_t>(offsets.size()) - 1;
  detail::offset_source<Offset> const source{offsets.data(), segments};
  for (bool exclusive : {false, true})
    for (bool has_start : {false, true}) {
      request<R> const what{exclusive, has_start ? std::optional<R>(drawn.start) : std::nullopt};
      std::vector<T> const inside(drawn.x.begin() + begin, drawn.x.begin() + end);
      auto const results = expected_scan<R>(
          inside, std::vector<bool>(heads.begin() + begin, heads.begin() + end), op, what, identity);
      std::vector<T> expected(drawn.x.size(), static_cast<T>(drawn.start));
      for (std::size_t i = 0; i < results.size(); ++i)
        std::memcpy(&expected[static_cast<std::size_t>(begin) + i], &results[i], sizeof(T));
      std::vector<T> out(drawn.x.size() + 2, static_cast<T>(drawn.start));
      std::vector<std::uint64_t> words;
      scan<R>(drawn.memory.data() + drawn.offset, n, out.data() + 1, source, op, what, 1 + seed % 3, seed,
              words);
      expect_scanned<R>(out, expected, static_cast<T>(drawn.start), "segments");
    }
}

/// By keys and by offsets of two types each.
template <class R, class T, class Op>
void check(std::int64_t n, unsigned mean, Op const& op, R const& identity, unsigned seed) {
  check_keys<R, std::uint32_t, T>(n, mean, op, identity, seed);
  check_keys<R, std::uint64_t, T>(n, mean, op, identity, seed);
  check_offsets<R, std::int32_t, T>(n, mean, op, identity, seed);
  check_offsets<R, std::int64_t, T>(n, mean, op, identity, seed);
}

TEST(GridScanByKeyOnHost, Integers) {
  for (std::int64_t n : {1, 2, 63, 1023, 1024, 1025, 6144, 30000})
    for (unsigned mean : {1u, 7u, 100u, 20000u})
      for (unsigned seed = 0; seed < 3; ++seed) {
        check<unsigned, unsigned>(n, mean, tessera::plus{}, 0u, seed);
        if (n < 10000) check<std::int64_t, std::int64_t>(n, mean, tessera::maximum{}, INT64_MIN, seed);
      }
}

TEST(GridScanByKeyOnHost, OtherKeys) {
  for (std::int64_t n : {1, 500, 9000}) {
    check_keys<unsigned, std::uint8_t, unsigned>(n, 5, tessera::plus{}, 0u, 1);
    check_keys<unsigned, std::uint16_t, unsigned>(n, 40, tessera::plus{}, 0u, 2);
    check_keys<char, std::uint8_t, char>(n, 40, tessera::plus{}, char{0}, 2);
    check_offsets<char, std::int32_t, char>(n, 40, tessera::plus{}, char{0}, 1);
    check<short, short>(n, 3, tessera::bit_xor{}, short{0}, 3);
  }
}

TEST(GridScanByKeyOnHost, InOrder) {
  auto const product = tessera::make_operator(matrix_product{}, matrix_one);
  auto const join_digits = tessera::make_operator(digit_concatenation{}, digits{0, 1});
  for (std::int64_t n : {1, 64, 255, 3000, 9000})
    for (unsigned mean : {2u, 50u, 5000u}) {
      check<matrix, matrix>(n, mean, product, matrix_one, mean % 3);
      check<digits, digits>(n, mean, join_digits, digits{0, 1}, mean % 3 + 1);
    }
}

/// Sizes that vectors don't divide, and ones that a row can't hold.
TEST(GridScanByKeyOnHost, Structs) {
  for (std::int64_t n : {1, 100, 1100}) {
    check<row<3>, row<3>>(n, 9, tessera::make_operator(compose_rows<3>{}, row<3>{}), row<3>{}, 1);
    check<row<6>, row<6>>(n, 9, tessera::make_operator(compose_rows<6>{}, row<6>{}), row<6>{}, 2);
    check<row<12>, row<12>>(n, 9, tessera::make_operator(compose_rows<12>{}, row<12>{}), row<12>{}, 3);
    check<row<17>, row<17>>(n, 9, tessera::make_operator(compose_rows<17>{}, row<17>{}), row<17>{}, 1);
    check<row<64>, row<64>>(n, 9, tessera::make_operator(compose_rows<64>{}, row<64>{}), row<64>{}, 1);
  }
}

/// The bits of a float scan depend on the elements and the heads alone, and are as near the exact sums as scan_by_key.hpp says.
TEST(GridScanByKeyOnHost, Floats) {
  for (std::int64_t n : {1, 1000, 3000, 40001}) {
    std::vector<float> by_key, by_offset;
    drawn_array<float, float> const drawn(n, 3000, 5);
    std::vector<std::uint32_t> keys;
    std::vector<std::int32_t> offsets;
    for (std::int64_t length : drawn.lengths) {
      offsets.push_back(static_cast<std::int32_t>(keys.size()));
      keys.resize(keys.size() + static_cast<std::size_t>(length), static_cast<std::uint32_t>(offsets.size()));
    }
    offsets.push_back(static_cast<std::int32_t>(n));
    auto const check_bits = [&](auto const& source, std::vector<float>& first) {
      for (unsigned seed = 0; seed < 4; ++seed) {
        std::vector<float> memory(drawn.x.size() + seed);
        std::copy(drawn.x.begin(), drawn.x.end(), memory.begin() + seed);
        std::vector<std::uint64_t> words;
        float* const at = memory.data() + seed;  // in place
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
    };
    check_bits(detail::key_source<std::uint32_t, tessera::equal_to>{keys.data(), {}}, by_key);
    check_bits(
        detail::offset_source<std::int32_t>{offsets.data(), static_cast<std::int64_t>(offsets.size()) - 1},
        by_offset);
  }
}

/// Sums of elements that are all −0 are −0.
TEST(GridScanByKeyOnHost, NegativeZeros) {
  std::vector<float> x(3000, -0.0f), out(3000, 1.0f);
  std::vector<int> keys(3000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<int>(i / 1100);
  std::vector<std::uint64_t> words;
  scan<float>(x.data(), 3000, out.data(), detail::key_source<int, tessera::equal_to>{keys.data(), {}},
              tessera::plus{}, request<float>{}, 2, 0, words);
  for (float value : out) ASSERT_TRUE(value == 0 && std::signbit(value));
}

/// Segments that are all empty, of an array of any size: nothing is stored.
TEST(GridScanByKeyOnHost, NoElements) {
  for (std::int64_t n : {1, 10, 20000}) {
    std::vector<int> x(static_cast<std::size_t>(n), 7), out(x);
    std::vector<std::int64_t> const offsets(500, n / 2);
    std::vector<std::uint64_t> words;
    scan<int>(x.data(), n, out.data(), detail::offset_source<std::int64_t>{offsets.data(), 499},
              tessera::plus{}, request<int>{}, 3, 0, words);
    EXPECT_EQ(out, x);
  }
}

/// Words are used again by the next launch, by other types, and where fewer elements are scanned than n says.
TEST(GridScanByKeyOnHost, LaunchesShareWords) {
  std::vector<std::uint64_t> words(8192);
  for (unsigned launch = 0; launch < 6; ++launch) {
    std::vector<unsigned> x(4000 + 1500 * launch, launch), out(x.size(), 77);
    auto const n = static_cast<std::int64_t>(x.size());
    std::vector<int> const keys(x.size(), 3);
    scan<unsigned>(x.data(), n, out.data(), detail::key_source<int, tessera::equal_to>{keys.data(), {}},
                   tessera::plus{}, request<unsigned>{}, 3, launch, words);
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(out[i], launch * (i + 1));
    std::vector<int> const offsets{100, static_cast<int>(n - 300 * launch)};
    std::fill(out.begin(), out.end(), 77u);
    scan<unsigned>(x.data(), n, out.data(), detail::offset_source<int>{offsets.data(), 1}, tessera::plus{},
                   request<unsigned>{}, 2, launch, words);
    for (std::size_t i = 0; i < x.size(); ++i) {
      bool const inside = i >= 100 && static_cast<int>(i) < offsets[1];
      ASSERT_EQ(out[i], inside ? launch * (i - 99) : 77u) << i;
    }
  }
  EXPECT_EQ(words[0], std::uint64_t{12} << 32);
}

}  // namespace
