// Scans of rows and columns on the GPU: against loops, in every place and number, by CUB, in graphs; and refusals.
#include <tessera/grid/scan_rows.cuh>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "gpu.hpp"
#include "row_cases.hpp"

#if TESSERA_TEST_HAS_PART(3)
#include <cub/device/device_scan.cuh>
#endif

namespace {

using namespace test;
namespace grid = tessera::grid;
namespace detail = tessera::grid::detail;

/// Maps x → scale · x + offset of integers that wrap, one for each two words; of a single word the later one wins. They
/// don't commute, and have no identity here.
template <unsigned Words>
struct maps {
  unsigned word[Words];
};
struct compose {
  template <unsigned Words>
  TESSERA_FN maps<Words> operator()(maps<Words> const& x, maps<Words> const& y) const {
    maps<Words> out = y;
    for (unsigned i = 0; i + 1 < Words; i += 2) {
      out.word[i] = x.word[i] * y.word[i];
      out.word[i + 1] = x.word[i + 1] * y.word[i] + y.word[i + 1];
    }
    return out;
  }
};

/// Random bytes. Scales are odd, so that no product becomes 0.
template <class T>
std::vector<T> random_elements(std::size_t n, unsigned seed) {
  std::size_t const words = (n * sizeof(T) + 3) / 4;
  auto bits = random_numbers<unsigned>(static_cast<std::int64_t>(words), 0, 0, seed);
  if (!std::is_integral_v<T>)
    for (auto& word : bits) word |= 1;
  std::vector<T> out(n);
  if (n > 0) std::memcpy(out.data(), bits.data(), n * sizeof(T));
  return out;
}

/// Rows of the GPU's memory with gaps between them.
template <class T>
class placed_rows {
 public:
  placed_rows(layout where, std::vector<T> const& dense, T const& gap)
      : where_(where), gap_(gap), data_(spread(where, dense, gap), static_cast<std::size_t>(where.offset)) {}

  grid::matrix<T> view() const { return {data_.data(), where_.rows, where_.columns, where_.stride()}; }
  std::vector<T> to_host() const {
    auto const all = data_.to_host();
    std::vector<T> dense;
    bool intact = data_.guards_intact();
    for (std::int64_t i = 0; i < where_.extent(); ++i) {
      T const& x = all[static_cast<std::size_t>(i)];
      if (i % where_.stride() < where_.columns) {
        dense.push_back(x);
      } else {
        intact = intact && same_bits(x, gap_);
      }
    }
    EXPECT_TRUE(intact) << "something was written beside the rows, " << where_.text();
    return dense;
  }

 private:
  static std::vector<T> spread(layout where, std::vector<T> const& dense, T const& gap) {
    std::vector<T> all(static_cast<std::size_t>(where.extent()), gap);
    for (std::int64_t r = 0; r < where.rows; ++r)
      for (std::int64_t c = 0; c < where.columns; ++c)
        all[static_cast<std::size_t>(r * where.stride() + c)] = dense[static_cast<std::size_t>(r * where.columns + c)];
    return all;
  }

  layout where_;
  T gap_;
  device_array<T> data_;
};

/// What a case asks for.
struct scan_case {
  bool down = false, exclusive = false, suffix = false, carried = false;
  std::string text() const {
    return std::string(down ? ", columns" : ", rows") + (exclusive ? ", exclusive" : "") + (suffix ? ", suffix" : "") +
           (carried ? ", carried" : "");
  }
};

template <class T, class Out, class Op, class R>
cudaError_t scan(scan_case what, grid::matrix<T> in, grid::matrix<Out> out, Op op, R const* carry_in, R* carry_out,
                 grid::execution on = {}) {
  grid::scan_rows_options<R> const options{what.suffix, carry_in, carry_out};
  if (what.down)
    return what.exclusive ? grid::exclusive_scan_columns(in, out, op, options, on)
                          : grid::inclusive_scan_columns(in, out, op, options, on);
  return what.exclusive ? grid::exclusive_scan_rows(in, out, op, options, on)
                        : grid::inclusive_scan_rows(in, out, op, options, on);
}

/// The results of one line, and its total, by a loop.
template <class R, class T, class Op>
std::optional<R> scan_line(std::vector<T> const& x, std::int64_t first, std::int64_t stride, std::int64_t length,
                           scan_case what, Op const& op, std::optional<R> sum, std::optional<R> const& identity,
                           std::vector<R>& out) {
  for (std::int64_t k = 0; k < length; ++k) {
    auto const at = static_cast<std::size_t>(first + (what.suffix ? length - 1 - k : k) * stride);
    R const own = detail::as_result<R>{}(x[at]);
    R const all = !sum ? own : what.suffix ? static_cast<R>(op(own, *sum)) : static_cast<R>(op(*sum, own));
    R const result = what.exclusive ? (sum ? *sum : *identity) : all;
    std::memcpy(&out[at], &result, sizeof(R));
    sum.emplace(all);
  }
  return sum ? sum : identity;
}

/// All ways to scan a matrix: inclusive or not, from either end, with carries or not, along rows or columns.
template <class R, class T, class Out = T, class Op>
void check_against_loops(layout where, Op op, std::optional<R> identity, grid::workspace& memory) {
  auto const count = static_cast<std::size_t>(where.rows * where.columns);
  auto const seed = static_cast<unsigned>(count + static_cast<std::size_t>(where.offset));
  auto const x = random_elements<T>(count, seed);
  T const gap = random_elements<T>(1, 99)[0];
  for (unsigned bits = 0; bits < 16; ++bits) {
    scan_case const what{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0};
    if (what.exclusive && !what.carried && !identity) continue;
    std::int64_t const lines = what.down ? where.columns : where.rows;
    std::vector<R> carries;
    for (T const& value : random_elements<T>(static_cast<std::size_t>(lines), seed + 1))
      carries.push_back(detail::as_result<R>{}(value));
    placed_rows<T> const in(where, x, gap);
    layout apart = where;
    apart.offset = (where.offset + 1) % 7;
    placed_rows<Out> const out(
        apart, std::vector<Out>(count, tessera::detail::convert<Out>(carries.empty() ? R{} : carries[0])),
        tessera::detail::convert<Out>(detail::as_result<R>{}(gap)));
    device_array<R> const carry(carries), totals(carries);
    R* const to = what.carried ? carry.data() : totals.data();
    bool const in_place = std::is_same_v<T, Out> && bits % 3 == 0;
    auto const on = bits % 2 == 0 ? grid::execution(memory) : grid::execution();
    cudaError_t status = cudaErrorUnknown;
    if constexpr (std::is_same_v<T, Out>) {
      status =
          scan(what, in.view(), in_place ? in.view() : out.view(), op, what.carried ? carry.data() : nullptr, to, on);
    } else {
      status = scan(what, in.view(), out.view(), op, what.carried ? carry.data() : nullptr, to, on);
    }
    ASSERT_EQ(status, cudaSuccess) << where.text() << what.text();
    std::vector<Out> got = out.to_host();
    if constexpr (std::is_same_v<T, Out>) {
      if (in_place) got = in.to_host();
    }
    auto const sums = what.carried ? carry.to_host() : totals.to_host();
    std::vector<R> expected(count, tessera::detail::from_words<R>({}));
    for (std::int64_t line = 0; line < lines; ++line) {
      std::optional<R> start;
      auto const at = static_cast<std::size_t>(line);
      if (what.carried) start.emplace(carries[at]);
      auto const sum =
          what.down ? scan_line<R>(x, line, where.columns, where.rows, what, op, start, identity, expected)
                    : scan_line<R>(x, line * where.columns, 1, where.columns, what, op, start, identity, expected);
      ASSERT_TRUE(same_bits(sums[at], sum ? *sum : carries[at])) << where.text() << what.text() << ", total " << line;
    }
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_TRUE(same_bits(got[i], tessera::detail::convert<Out>(expected[i])))
          << where.text() << what.text() << ", element " << i;
  }
}

/// Layouts for all kernels: short rows, long ones, few of them, few columns; each aligned or not.
std::vector<layout> layouts() {
  std::vector<layout> all = {
      {5, 0},           {0, 5},        {1, 1},     {37, 3},         {300, 4},     {129, 16},  {70, 17, 3},
      {33, 64, 0, 1},   {19, 100, 28}, {9, 128},   {9, 129, 0, 2},  {7, 300, 4},  {5, 512},   {5, 513, 3, 1},
      {3, 1000},        {140, 1024},   {3, 4096},  {2, 4097, 0, 3}, {3, 9000, 1}, {70, 5000}, {2, 40000},
      {1, 40003, 0, 1}, {1, 1200007},  {2000, 33}, {5000, 3, 2, 1}, {1, 32768}};
  std::vector<layout> some;
  for (layout const& where : all)
    if (is_worth(where.rows * where.columns)) some.push_back(where);
  return some;
}

template <class R, class T, class Out = T, class Op>
void check_all(Op op, std::optional<R> identity) {
  SKIP_WITHOUT_GPU();
  grid::workspace memory;
  for (layout const where : layouts()) {
    check_against_loops<R, T, Out>(where, op, identity, memory);
    if (testing::Test::HasFatalFailure()) return;
  }
}

#if TESSERA_TEST_HAS_PART(0)
TEST(GridScanRowsAny, Integers) {
  check_all<int, int>(tessera::plus{}, 0);
}
#endif

// ---- Bits of float sums

#if TESSERA_TEST_HAS_PART(5)
/// The bits of a row, or column, scanned alone.
std::vector<float> scanned_alone(std::vector<float> const& x, bool down) {
  auto const n = static_cast<std::int64_t>(x.size());
  device_array<float> const in(x), out(x.size());
  grid::matrix<float> const from = down ? grid::matrix<float>{in.data(), n, 1} : grid::matrix<float>{in.data(), 1, n};
  grid::matrix<float> const to = down ? grid::matrix<float>{out.data(), n, 1} : grid::matrix<float>{out.data(), 1, n};
  EXPECT_EQ(down ? grid::inclusive_scan_columns(from, to) : grid::inclusive_scan_rows(from, to), cudaSuccess);
  return out.to_host();
}

TEST(GridScanRowsAny, BitsDoNotDependOnOtherRowsOrPlaces) {
  SKIP_WITHOUT_GPU();
  for (std::int64_t length : {1, 7, 16, 100, 128, 500, 512, 600, 4096, 10000, 40000}) {
    if (!is_worth(length * 100)) continue;
    for (bool down : {false, true}) {
      std::vector<float> x;
      for (float value : random_numbers<float>(length, -1, 1, 5)) x.push_back(value * (value > 0.3f ? 1e5f : 1.0f));
      auto const alone = scanned_alone(x, down);
      for (std::int64_t lines : {1, 2, 67, 133}) {
        for (std::int64_t offset : {0, 1, 3}) {
          layout const where = down ? layout{length, lines, offset, offset} : layout{lines, length, offset, offset};
          auto dense = random_numbers<float>(length * lines, -1, 1, 6);
          std::int64_t const which = lines / 2;
          auto const at = [&](std::int64_t i) {
            return static_cast<std::size_t>(down ? i * lines + which : which * length + i);
          };
          for (std::int64_t i = 0; i < length; ++i) dense[at(i)] = x[static_cast<std::size_t>(i)];
          placed_rows<float> const in(where, dense, -77.0f),
              out({where.rows, where.columns, where.gap, 2 * offset}, std::vector<float>(dense.size()), -77.0f);
          ASSERT_EQ(scan({down}, in.view(), out.view(), tessera::plus{}, static_cast<float const*>(nullptr),
                         static_cast<float*>(nullptr)),
                    cudaSuccess);
          auto const got = out.to_host();
          for (std::int64_t i = 0; i < length; ++i)
            ASSERT_TRUE(same_bits(got[at(i)], alone[static_cast<std::size_t>(i)]))
                << where.text() << (down ? ", columns" : "") << ", element " << i;
        }
      }
      double sum = 0, size = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        sum += static_cast<double>(x[i]);
        size += std::fabs(static_cast<double>(x[i]));
        ASSERT_LE(std::fabs(static_cast<double>(alone[i]) - sum), 40 * 0x1p-24 * size) << length << ": " << i;
      }
    }
  }
}
#endif

#if TESSERA_TEST_HAS_PART(1)
TEST(GridScanRowsAny, MapsInOrder) {
  check_all<maps<4>, maps<4>>(compose{}, {});
}

/// Chunks of rows follow each other by carries on the GPU, as in a graph.
TEST(GridScanRowsAny, ChunksOfARecurrenceInAGraph) {
  SKIP_WITHOUT_GPU();
  std::int64_t const rows = 50, columns = 20000, length = 5000;
  using matrix = maps<4>;
  auto const x = random_elements<matrix>(static_cast<std::size_t>(rows * columns), 3);
  device_array<matrix> const in(x), whole(x.size()), parts(x.size()),
      carries(std::vector<matrix>(static_cast<std::size_t>(rows), matrix{{1, 0, 1, 0}}));
  grid::matrix<matrix> const from{in.data(), rows, columns}, to{whole.data(), rows, columns};
  ASSERT_EQ(grid::inclusive_scan_rows(from, to, compose{}), cudaSuccess);
  stream const s;
  grid::workspace memory;
  graph const captured(s, [&] {
    for (std::int64_t first = 0; first < columns; first += length) {
      ASSERT_EQ(grid::inclusive_scan_rows(grid::matrix<matrix>{in.data() + first, rows, length, columns},
                                          grid::matrix<matrix>{parts.data() + first, rows, length, columns}, compose{},
                                          {false, carries.data(), carries.data()}, {s, memory}),
                cudaSuccess);
    }
  });
  captured.replay();
  check(cudaStreamSynchronize(s));
  EXPECT_TRUE(all_same_bits(parts.to_host(), whole.to_host()));
}
#endif

#if TESSERA_TEST_HAS_PART(4)
TEST(GridScanRowsAny, LongStructs) {
  SKIP_WITHOUT_GPU();
  grid::workspace memory;
  for (layout const where : {layout{3, 100, 1}, layout{70, 40}, layout{1, 3000}})
    check_against_loops<maps<16>, maps<16>>(where, compose{}, {}, memory);
}
#endif

#if TESSERA_TEST_HAS_PART(2)
TEST(GridScanRowsAny, ShortsIntoInts) {
  check_all<int, short, int>(tessera::plus{}, 0);
}
TEST(GridScanRowsAny, StructsOfTwelveBytes) {
  check_all<maps<3>, maps<3>>(compose{}, {});
}
#endif

#if TESSERA_TEST_HAS_PART(3)
/// Sums of halves are added as floats, and rounded once.
TEST(GridScanRowsAny, Halves) {
  SKIP_WITHOUT_GPU();
  for (layout const where : {layout{50, 33}, layout{20, 1024}, layout{2, 30000, 1, 1}}) {
    auto const x = random_numbers<__half>(where.rows * where.columns, 0, 3, 7);
    std::vector<float> wide;
    for (__half value : x) wide.push_back(__half2float(value));
    placed_rows<__half> const in(where, x, __half(1)), out(where, x, __half(1));
    placed_rows<float> const sums(where, wide, 1.0f);
    ASSERT_EQ(grid::inclusive_scan_rows(in.view(), out.view()), cudaSuccess);
    ASSERT_EQ(grid::inclusive_scan_rows(in.view(), sums.view()), cudaSuccess);
    auto const rounded_sums = out.to_host();
    auto const exact = sums.to_host();
    for (std::size_t i = 0; i < exact.size(); ++i)
      ASSERT_TRUE(same_bits(rounded_sums[i], __float2half(exact[i]))) << where.text() << ": " << i;
  }
}

TEST(GridScanRowsAny, AsCubDoes) {
  SKIP_WITHOUT_GPU();
  for (layout const where : {layout{4000, 16}, layout{300, 1000}, layout{3, 100000}}) {
    int const n = static_cast<int>(where.rows * where.columns);
    auto const x = random_numbers<unsigned>(n, 0, 0, 8);
    std::vector<int> keys;
    for (int i = 0; i < n; ++i) keys.push_back(i / static_cast<int>(where.columns));
    device_array<unsigned> const in(x), theirs(x.size()), ours(x.size());
    device_array<int> const of_row(keys);
    std::size_t bytes = 0;
    cub::DeviceScan::InclusiveSumByKey(nullptr, bytes, of_row.data(), in.data(), theirs.data(), n);
    device_array<unsigned char> const temporary(bytes);
    cub::DeviceScan::InclusiveSumByKey(temporary.data(), bytes, of_row.data(), in.data(), theirs.data(), n);
    ASSERT_EQ(grid::inclusive_scan_rows(grid::matrix<unsigned const>{in.data(), where.rows, where.columns},
                                        grid::matrix<unsigned>{ours.data(), where.rows, where.columns}),
              cudaSuccess);
    EXPECT_EQ(ours.to_host(), theirs.to_host()) << where.text();
  }
}

TEST(GridScanRowsAny, RefusesBadArguments) {
  SKIP_WITHOUT_GPU();
  device_array<int> const memory(std::vector<int>(1000, 7)), apart(1000), carry(std::vector<int>(100, 1));
  grid::matrix<int> const x{memory.data(), 10, 50}, y{apart.data(), 10, 50};
  auto const refused = [](cudaError_t status) { return status == cudaErrorInvalidValue; };
  using matrix_t = grid::matrix<int>;
  EXPECT_TRUE(refused(grid::inclusive_scan_rows(x, matrix_t{apart.data(), 10, 49})));
  EXPECT_TRUE(refused(grid::inclusive_scan_rows(x, matrix_t{apart.data(), 9, 50})));
  EXPECT_TRUE(refused(grid::inclusive_scan_rows(x, matrix_t{nullptr, 10, 50})));
  EXPECT_TRUE(refused(grid::inclusive_scan_rows(x, matrix_t{apart.data(), 10, 50, 49})));
  EXPECT_TRUE(refused(grid::exclusive_scan_rows(x, matrix_t{memory.data() + 1, 10, 50})));
  EXPECT_TRUE(refused(grid::inclusive_scan_columns(matrix_t{memory.data(), -1, 50}, matrix_t{apart.data(), -1, 50})));
  EXPECT_TRUE(refused(grid::exclusive_scan_columns(x, matrix_t{memory.data(), 10, 50, 51})));
  auto const with = [&](int const* in, int* out) {
    return grid::inclusive_scan_rows(x, y, tessera::plus{}, {false, in, out});
  };
  EXPECT_TRUE(refused(with(apart.data() + 100, nullptr)));
  EXPECT_TRUE(refused(with(nullptr, apart.data() + 499)));
  EXPECT_TRUE(refused(with(nullptr, memory.data() + 3)));
  EXPECT_TRUE(refused(with(carry.data(), carry.data() + 9)));
  EXPECT_TRUE(refused(with(reinterpret_cast<int const*>(reinterpret_cast<char const*>(carry.data()) + 1), nullptr)));
  EXPECT_EQ(with(carry.data(), carry.data() + 10), cudaSuccess);
  EXPECT_EQ(with(carry.data(), carry.data()), cudaSuccess);
  // Halves of one array, side by side.
  EXPECT_EQ(grid::inclusive_scan_rows(matrix_t{memory.data(), 10, 50, 100}, matrix_t{memory.data() + 50, 10, 50, 100}),
            cudaSuccess);
  // Of another type, no overlap is allowed.
  EXPECT_TRUE(refused(grid::inclusive_scan_rows(grid::matrix<short>{reinterpret_cast<short*>(memory.data()), 10, 20},
                                                matrix_t{memory.data(), 10, 20})));
  // An operator without an identity, and no carry.
  device_array<maps<3>> const some(40);
  grid::matrix<maps<3>> const b{some.data(), 4, 10};
  EXPECT_TRUE(refused(grid::exclusive_scan_rows(b, b, compose{}, {false})));
  EXPECT_TRUE(refused(grid::exclusive_scan_columns(b, b, compose{}, {true})));
  check(cudaDeviceSynchronize());
}
#endif

}  // namespace
