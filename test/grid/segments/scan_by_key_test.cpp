// The kernel of scans by key on host tiles.
#include <gtest/gtest.h>

#include <tessera/core/comparators.hpp>

#include "marked.hpp"
#include "segmented_scan_cases.hpp"

namespace {

using namespace test;
using namespace test::segmented_scans;

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
      scan<R>(drawn.memory.data() + drawn.offset, n, out.data() + 1, source, op, what, 1 + seed % 3, seed, words);
      expect_scanned<R>(out, expected, static_cast<T>(drawn.start), "by key");
    }
}

/// Keys of two sizes.
struct check_both_keys {
  template <class R, class Op>
  void operator()(std::int64_t n, unsigned mean, Op const& op, R const& identity, unsigned seed) const {
    check_keys<R, std::uint32_t, R>(n, mean, op, identity, seed);
    check_keys<R, std::uint64_t, R>(n, mean, op, identity, seed);
  }
};

TEST(GridScanByKeyOnHost, AllKinds) {
  for_all_kinds(check_both_keys{});
}
TEST(GridScanByKeyOnHost, Structs) {
  for_structs(check_both_keys{});
}

/// Keys of which a vector has more than of the elements, and fewer.
TEST(GridScanByKeyOnHost, SmallKeys) {
  for (std::int64_t n : {1, 500, 9000}) {
    check_keys<unsigned, std::uint8_t, unsigned>(n, 5000, tessera::plus{}, 0u, 1);
    check_keys<unsigned, std::uint16_t, unsigned>(n, 40, tessera::plus{}, 0u, 2);
    check_keys<matrix, std::uint8_t, matrix>(n, 5000, tessera::make_operator(matrix_product{}, matrix_one), matrix_one,
                                             0);
  }
}

TEST(GridScanByKeyOnHost, Floats) {
  for (std::int64_t n : {1, 1000, 3000, 40001}) {
    drawn_array<float, float> const drawn(n, 3000, 5);
    std::vector<std::uint32_t> keys;
    for (std::size_t i = 0, key = 0; i < drawn.x.size(); ++i)
      keys.push_back(static_cast<std::uint32_t>(key += drawn.heads[i] ? 1 : 0));
    check_float_sums(drawn, detail::key_source<std::uint32_t, tessera::equal_to>{keys.data(), {}});
  }
}

/// Sums of elements that are all −0 are −0.
TEST(GridScanByKeyOnHost, NegativeZeros) {
  std::vector<float> x(3000, -0.0f), out(3000, 1.0f);
  std::vector<int> keys(3000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<int>(i / 1100);
  std::vector<std::uint64_t> words;
  scan<float>(x.data(), 3000, out.data(), detail::key_source<int, tessera::equal_to>{keys.data(), {}}, tessera::plus{},
              request<float>{}, 2, 0, words);
  for (float value : out) ASSERT_TRUE(value == 0 && std::signbit(value));
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
    scan<unsigned>(x.data(), n, out.data(), detail::offset_source<>{detail::segment_offsets::of(offsets.data()), 1},
                   tessera::plus{}, request<unsigned>{}, 2, launch, words);
    for (std::size_t i = 0; i < x.size(); ++i) {
      bool const inside = i >= 100 && static_cast<int>(i) < offsets[1];
      ASSERT_EQ(out[i], inside ? launch * (i - 99) : 77u) << i;
    }
  }
  EXPECT_EQ(words[0], std::uint64_t{12} << 32);
}

TEST(GridScanByKeyOnHost, OperatorsMeetNothingElse) {
  using number = marked<1>;
  auto const op = tessera::make_operator(sum_of_marked{}, number::of(0));
  sum_of_marked::strangers = 0;
  std::vector<number> const x(9000, number::of(1));
  std::vector<int> keys(x.size());
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<int>(i / 2500);
  for (bool exclusive : {false, true}) {
    std::vector<number> out(x.size());
    std::vector<std::uint64_t> words;
    scan<number>(x.data(), 9000, out.data(), detail::key_source<int, tessera::equal_to>{keys.data(), {}}, op,
                 request<number>{exclusive, std::nullopt}, 2, 0, words);
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(out[i].number, static_cast<int>(i % 2500) + (exclusive ? 0 : 1)) << i;
    EXPECT_EQ(sum_of_marked::strangers, 0) << "exclusive " << exclusive;
  }
}

}  // namespace
