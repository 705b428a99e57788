// The kernel of grid scans on host tiles: blocks in any order, a few threads each.
#include <gtest/gtest.h>

#include <tessera/grid/scan/scan_agent.hpp>
#include <tessera/host/launch.hpp>
#include <tessera/operators.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "marked.hpp"
#include "samples.hpp"

namespace {

using namespace test;
namespace detail = tessera::grid::detail;
constexpr unsigned warps = 3;

/// What is asked for besides the operator.
template <class R>
struct request {
  bool suffix = false, exclusive = false;
  std::optional<R> start;
};

/// Scans in[0 … n − 1] into `out`, in so many blocks, and returns the total.
template <detail::tile_kind Kind, class R, class T, class Out, class Op, class F>
R scan_by(T const* in, Out* out, std::int64_t n, Op const& op, F const& f, request<R> const& what, unsigned blocks,
          unsigned seed, std::vector<std::uint64_t>& words) {
  using shape = detail::scan_shape<T, R, Kind>;
  std::int64_t const tiles = shape::tile_count(n, warps);
  constexpr bool is_each = Kind == detail::tile_kind::each;
  if (is_each || tiles == 1) blocks = static_cast<unsigned>(tiles);
  if (words.empty()) words.resize(is_each ? detail::tile_each_words<R>(tiles) : detail::look_back_words<R>(tiles));
  auto total = tessera::detail::from_words<R>({});
  auto const start = what.start ? detail::optional_value<R>::some(*what.start) : detail::optional_value<R>::none();
  detail::look_back_memory const memory{tiles > 1 ? words.data() : nullptr, words.size()};
  // Blocks take turns. They may have fewer warps than the storage is for.
  detail::scan_storage<R, shape, is_each ? warps : warps + 2> storage;
  tessera::host::options how;
  how.seed = seed;
  auto const run = [&](auto suffix) {
    detail::scan_task<T const*, Out*, R, Op, F, decltype(suffix)> const task{
        in, out, n, op, f, start, &total, what.exclusive, suffix};
    tessera::host::launch_grid(blocks, 32 * (is_each ? warps : warps + 1), how, [&](tessera::host::block block) {
      detail::run_scan_agent<shape>(block, task, memory, {static_cast<unsigned>(tiles), warps}, blocks, storage);
    });
  };
  if (what.suffix) {
    run(detail::direction<Op, R, true>());
  } else {
    run(detail::direction<Op, R, false>());
  }
  return total;
}

/// The same by both kinds of kernel, if there are tiles for both: the one that leaves its results is drawn.
template <class R, class T, class Out, class Op, class F>
R scan(T const* in, Out* out, std::int64_t n, Op const& op, F const& f, request<R> const& what, unsigned blocks,
       unsigned seed, std::vector<std::uint64_t>& words) {
  using each = detail::scan_shape<T, R, detail::tile_kind::each>;
  if (seed % 2 == 0 && each::tile_count(n, warps) <= detail::most_tiles_each<warps>)
    return scan_by<detail::tile_kind::each, R>(in, out, n, op, f, what, blocks, seed, words);
  return scan_by<detail::tile_kind::least, R>(in, out, n, op, f, what, blocks, seed, words);
}

/// The same by a loop. `identity` is the first result of an exclusive scan without a start.
template <class R, class T, class Op, class F>
std::vector<R> expected_scan(std::vector<T> const& x, Op const& op, F const& f, request<R> const& what,
                             R const& identity, std::optional<R>& total) {
  auto const n = static_cast<std::int64_t>(x.size());
  std::vector<R> out(x.size(), identity);
  std::optional<R> sum = what.start;
  for (std::int64_t k = 0; k < n; ++k) {
    std::int64_t const i = what.suffix ? n - 1 - k : k;
    auto const at = static_cast<std::size_t>(i);
    R const own = static_cast<R>(f(x[at], i));
    R const all = !sum ? own : what.suffix ? static_cast<R>(op(own, *sum)) : static_cast<R>(op(*sum, own));
    R const result = what.exclusive ? (sum ? *sum : identity) : all;
    std::memcpy(&out[at], &result, sizeof(R));
    sum.emplace(all);
  }
  total.reset();
  if (sum) total.emplace(*sum);
  return out;
}

struct as_it_is {
  template <class T>
  T operator()(T const& x, std::int64_t) const {
    return x;
  }
};

/// Every direction and kind, with and without a start, at `offset` elements behind a multiple of 16 bytes, in place or not.
template <class R, class T, class Op, class F>
void check(std::int64_t n, Op const& op, F const& f, R const& identity, unsigned seed) {
  random_engine random(static_cast<std::uint64_t>(n) + seed);
  unsigned const offset = seed % 5;
  std::vector<T> memory(static_cast<std::size_t>(n) + offset);
  for (auto& value : memory) value = sample<T>(random);
  std::vector<T> const x(memory.begin() + offset, memory.end());
  R const start = static_cast<R>(f(sample<T>(random), 0));
  for (bool suffix : {false, true})
    for (bool exclusive : {false, true})
      for (bool has_start : {false, true}) {
        request<R> what{suffix, exclusive, {}};
        if (has_start) what.start.emplace(start);
        std::optional<R> total;
        auto const expected = expected_scan<R>(x, op, f, what, identity, total);
        std::vector<R> out(x.size() + 2, start);
        std::vector<std::uint64_t> words;
        R const all = scan<R>(memory.data() + offset, out.data() + 1, n, op, f, what, 1 + seed % 3, seed, words);
        ASSERT_TRUE(same_bits(all, *total)) << n << " of " << sizeof(T) << " bytes, seed " << seed;
        for (std::size_t i = 0; i < x.size(); ++i)
          ASSERT_TRUE(same_bits(out[i + 1], expected[i]))
              << i << " of " << n << ", " << sizeof(T) << " bytes, seed " << seed << ", suffix " << suffix
              << ", exclusive " << exclusive << ", start " << has_start;
        ASSERT_TRUE(same_bits(out.front(), start) && same_bits(out.back(), start));
      }
}

TEST(GridScanOnHost, Integers) {
  for (std::int64_t n : {1, 2, 31, 1023, 1024, 1025, 5000, 40000}) {
    for (unsigned seed = 0; seed < 3; ++seed) {
      check<unsigned, unsigned>(n, tessera::plus{}, as_it_is{}, 0u, seed);
      check<std::int64_t, std::int64_t>(n, tessera::maximum{}, as_it_is{}, INT64_MIN, seed);
    }
  }
  check<char, char>(9000, tessera::plus{}, as_it_is{}, char{0}, 1);
  check<short, short>(9000, tessera::bit_xor{}, as_it_is{}, short{0}, 3);
}

TEST(GridScanOnHost, InOrder) {
  auto const product = tessera::make_operator(matrix_product{}, matrix_one);
  auto const join_digits = tessera::make_operator(digit_concatenation{}, digits{0, 1});
  for (std::int64_t n : {1, 64, 255, 256, 257, 3000, 9000}) {
    for (unsigned seed = 0; seed < 2; ++seed) {
      check<matrix, matrix>(n, product, as_it_is{}, matrix_one, seed);
      check<digits, digits>(n, join_digits, as_it_is{}, digits{0, 1}, seed);
    }
  }
}

/// Sizes that vectors don't divide, and ones that a row can't hold.
TEST(GridScanOnHost, Structs) {
  for (std::int64_t n : {1, 100, 2100}) {
    check<row<3>, row<3>>(n, compose_rows<3>{}, as_it_is{}, row<3>{}, 1);
    check<row<6>, row<6>>(n, compose_rows<6>{}, as_it_is{}, row<6>{}, 2);
    check<row<12>, row<12>>(n, compose_rows<12>{}, as_it_is{}, row<12>{}, 3);
    check<row<17>, row<17>>(n, compose_rows<17>{}, as_it_is{}, row<17>{}, 1);
    check<row<64>, row<64>>(n, compose_rows<64>{}, as_it_is{}, row<64>{}, 1);
  }
}

/// Lanes keep results for which shared memory has no room. Of those that are long and whose elements are short, a row has one.
TEST(GridScanOnHost, LongElements) {
  static_assert(!detail::scan_shape<row<1024>, row<1024>, detail::tile_kind::least>::in_shared);
  for (std::int64_t n : {1, 97, 300})
    for (unsigned seed = 0; seed < 2; ++seed) {
      check<row<1024>, row<1024>>(n, compose_rows<1024>{}, as_it_is{}, row<1024>{}, seed);
      auto const widen = [](unsigned char x, std::int64_t i) {
        row<960> out{};
        out.scale_and_offset[i % 960] = x;
        return out;
      };
      check<row<960>, unsigned char>(n, compose_rows<960>{}, widen, row<960>{}, seed);
    }
}

/// Functions of the elements and their indices, with results of another type.
TEST(GridScanOnHost, Functions) {
  auto const f = [](unsigned x, std::int64_t i) { return std::uint64_t{x} * 3 + static_cast<std::uint64_t>(i); };
  for (std::int64_t n : {1, 1000, 9001}) check<std::uint64_t, unsigned>(n, tessera::plus{}, f, std::uint64_t{0}, 2);
}

/// The bits of a float scan depend on its length and its kernel alone, and are as near the exact sums as scan.hpp
/// says.
TEST(GridScanOnHost, Floats) {
  for (std::int64_t n : {1, 1000, 3000, 50001}) {
    random_engine random(static_cast<std::uint64_t>(n));
    std::vector<float> x(static_cast<std::size_t>(n));
    for (auto& value : x) value = sample<float>(random);
    for (bool suffix : {false, true}) {
      request<float> what;
      what.suffix = suffix;
      std::vector<float> firsts[2];  // of each kind
      for (unsigned seed = 0; seed < 4; ++seed) {
        auto& first = firsts[seed % 2];
        std::vector<float> memory(x.size() + seed);
        std::copy(x.begin(), x.end(), memory.begin() + seed);
        std::vector<std::uint64_t> words;
        float* const at = memory.data() + seed;  // in place
        scan<float>(at, at, n, tessera::plus{}, as_it_is{}, what, 1 + seed, seed, words);
        std::vector<float> const out(memory.begin() + seed, memory.end());
        if (first.empty()) first = out;
        ASSERT_EQ(std::memcmp(out.data(), first.data(), out.size() * sizeof(float)), 0) << n << ", " << seed;
      }
      double exact = 0, size = 0;
      for (std::int64_t k = 0; k < n; ++k) {
        auto const i = static_cast<std::size_t>(suffix ? n - 1 - k : k);
        exact += x[i];
        size += std::fabs(x[i]);
        double const bound = (static_cast<double>(n) / (32 * 1024) + 26) * std::ldexp(size, -24);
        for (auto const& first : firsts) ASSERT_NEAR(first[i], exact, bound) << i;
      }
    }
  }
}

/// Sums of elements that are all −0 are −0.
TEST(GridScanOnHost, NegativeZeros) {
  std::vector<float> x(3000, -0.0f), out(3000, 1.0f);
  std::vector<std::uint64_t> words;
  scan<float>(x.data(), out.data(), 3000, tessera::plus{}, as_it_is{}, request<float>{}, 2, 0, words);
  for (float value : out) ASSERT_TRUE(value == 0 && std::signbit(value));
}

/// An operator meets elements, results and the start, and nothing else: of 8 bytes, and of 16, whose rows are transposed.
template <unsigned Words>
void check_operands(unsigned seed) {
  using number = marked<Words>;
  auto const op = tessera::make_operator(sum_of_marked{}, number::of(0));
  sum_of_marked::strangers = 0;
  for (std::int64_t n : {1, 100, 9000})
    for (bool suffix : {false, true})
      for (bool exclusive : {false, true})
        for (bool has_start : {false, true}) {
          std::vector<number> const x(static_cast<std::size_t>(n), number::of(1));
          std::vector<number> out(x.size());
          std::vector<std::uint64_t> words;
          request<number> const what{suffix, exclusive,
                                     has_start ? std::optional<number>(number::of(5)) : std::nullopt};
          number const all = scan<number>(x.data(), out.data(), n, op, as_it_is{}, what, 2, seed, words);
          EXPECT_EQ(all.number, n + (has_start ? 5 : 0));
          EXPECT_EQ(sum_of_marked::strangers, 0)
              << n << ", suffix " << suffix << ", exclusive " << exclusive << ", start " << has_start;
        }
}
TEST(GridScanOnHost, OperatorsMeetNothingElse) {
  for (unsigned const seed : {0u, 1u}) {
    check_operands<1>(seed);
    check_operands<3>(seed);
  }
}

/// Words are used again by the next launch, and by the launch of another type.
TEST(GridScanOnHost, LaunchesShareWords) {
  std::vector<std::uint64_t> words(4096);
  for (unsigned launch = 0; launch < 6; ++launch) {
    std::vector<unsigned> x(2000 + 1500 * launch, launch), out(x.size());
    scan<unsigned>(x.data(), out.data(), static_cast<std::int64_t>(x.size()), tessera::plus{}, as_it_is{},
                   request<unsigned>{}, 3, launch, words);
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(out[i], launch * (i + 1));
    std::vector<digits> y(700 * (launch + 1), digits{launch, 10}), joined(y.size());
    scan<digits>(y.data(), joined.data(), static_cast<std::int64_t>(y.size()), digit_concatenation{}, as_it_is{},
                 request<digits>{}, 2, launch, words);
    unsigned long long number = 0;
    for (auto const& result : joined) ASSERT_EQ(result.value, number = number * 10 + launch);
  }
  EXPECT_EQ(words[0], std::uint64_t{12} << 32);
}

}  // namespace
