// The bodies of the kernels that scan rows and columns, on host tiles: against loops, and the bits of float sums.
#include <gtest/gtest.h>

#include <tessera/grid/rows/row_arguments.hpp>
#include <tessera/grid/rows/scan_columns.hpp>
#include <tessera/grid/rows/scan_rows.hpp>
#include <tessera/host/launch.hpp>
#include <tessera/operators.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "marked.hpp"
#include "samples.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;
namespace detail = tessera::grid::detail;
namespace host = tessera::host;

/// Rows with a gap after each, so many times T's alignment after a multiple of 64 bytes.
template <class T>
struct table {
  std::vector<unsigned char> memory;
  std::int64_t row_count, stride;
  int columns;
  T* first;

  table(std::int64_t rows, int columns_, std::int64_t gap, unsigned offset)
      : memory((static_cast<std::size_t>(rows * (columns_ + gap)) + offset) * sizeof(T) + 64, 0xa5),
        row_count(rows),
        stride(columns_ + gap),
        columns(columns_) {
    auto at = reinterpret_cast<std::uintptr_t>(memory.data());
    first = reinterpret_cast<T*>((at + 63) / 64 * 64 + offset * alignof(T));
  }
  T& at(std::int64_t r, std::int64_t c) { return first[r * stride + c]; }
  bool is_aligned(bool suffix) const {
    return detail::has_aligned_rows(grid::matrix<T>{first, row_count, columns, stride}) &&
           (!suffix || columns * sizeof(T) % 16 == 0);
  }
  /// True if the gaps are as they were.
  bool intact() const {
    for (std::int64_t r = 0; r < row_count; ++r) {
      auto const* const bytes = reinterpret_cast<unsigned char const*>(first + r * stride + columns);
      for (std::size_t i = 0; i < static_cast<std::size_t>(stride - columns) * sizeof(T); ++i)
        if (bytes[i] != 0xa5) return false;
    }
    return true;
  }
};

template <unsigned N>
using number = std::integral_constant<unsigned, N>;

/// Stages of a block's warps, or none.
template <bool Staged, class Task>
using stage_of =
    std::conditional_t<Staged,
                       detail::row_stage<detail::scan_rows_shape<typename Task::T, typename Task::R>::stage_bytes>,
                       detail::no_stage>;

/// How a scan is run: down the columns, in one kernel or two, in chunks of so many tiles.
struct way {
  bool down = false, shared = false;
  int chunk_tiles = 1;

  template <class Cut>
  Cut cut(Cut of_line) const {
    of_line.chunk_tiles = std::max<decltype(of_line.chunk_tiles)>(of_line.chunk_tiles, chunk_tiles);
    of_line.chunks = static_cast<int>(Cut::ceiling(of_line.tiles, of_line.chunk_tiles));
    return of_line;
  }
};

template <bool Staged, class Task>
void scan_rows_on_host(Task const& task, way how) {
  using R = typename Task::R;
  using shape = detail::scan_rows_shape<typename Task::T, R>;
  constexpr unsigned threads = 64;
  std::vector<stage_of<Staged, Task>> stages(2 * shape::most_warps);
  std::memset(static_cast<void*>(stages.data()), 0xa5, stages.size() * sizeof(stages[0]));
  if (task.column_count <= shape::part_elements) {
    bool const narrow = task.column_count <= shape::step_elements,
               in_two = !narrow && shape::steps > 2 && task.column_count <= 2 * shape::step_elements;
    constexpr unsigned of_two = shape::steps > 2 ? shape::steps / 2 : 1;
    auto const of = detail::lanes_of_rows::of(narrow ? shape::lanes.lanes_for(task.column_count) : 32);
    std::int64_t const rows = of.row_count * (narrow ? shape::steps : in_two ? of_two : 1) * (threads / 32);
    host::launch_grid(static_cast<unsigned>((task.row_count + rows - 1) / rows), threads, [&](host::block block) {
      auto const scan_by = [&](auto steps, auto rows_of_step) {
        if constexpr (Staged) {
          detail::scan_neighboring_rows<steps, rows_of_step>(block, task, of, stages.data());
        } else {
          detail::scan_short_rows<steps, rows_of_step>(block, task, of);
        }
      };
      if (narrow) {
        scan_by(number<1>{}, number<shape::steps>{});
      } else if (in_two) {
        scan_by(number<2>{}, number<of_two>{});
      } else {
        scan_by(number<shape::steps>{}, number<1>{});
      }
    });
    return;
  }
  auto const cut = how.cut(shape::lanes.cut_of(task.column_count));
  using storage_t = detail::scan_rows_storage<R, shape::most_warps>;
  std::vector<tessera::detail::words<R>> totals(static_cast<std::size_t>(task.row_count * cut.chunks));
  auto* const values = reinterpret_cast<R*>(totals.data());
  bool const shared = how.shared && cut.chunks > 1;
  storage_t storage;
  auto second = task;
  if (shared) {
    R* const carries = task.carry_in != nullptr ? values + task.row_count * (cut.chunks - 1) : nullptr;
    host::launch_grid(static_cast<unsigned>(task.row_count * (cut.chunks - 1)), cut.warps * 32,
                      [&](host::block block) { detail::total_chunks(block, task, cut, values, carries, storage); });
    second.carry_in = carries;
  }
  host::launch_grid(static_cast<unsigned>(task.row_count * (shared ? cut.chunks : 1)), cut.warps * 32,
                    [&](host::block block) {
                      if (cut.tiles == 1) return detail::scan_medium_rows(block, task, cut, storage, stages.data());
                      detail::scan_long_rows(block, second, cut, shared ? static_cast<R const*>(values) : nullptr,
                                             storage, stages.data());
                    });
}

template <class Task>
void scan_columns_on_host(Task const& task, way how) {
  using R = typename Task::R;
  using shape = detail::scan_columns_shape<typename Task::T, R>;
  auto const cut = how.cut(shape::lanes.cut_of(task.row_count));
  auto const strips = static_cast<unsigned>((task.column_count + 31) / 32);
  detail::scan_columns_storage<R, shape::most_warps> storage;
  std::vector<tessera::detail::words<R>> totals(static_cast<std::size_t>(task.column_count * cut.chunks));
  auto* const values = reinterpret_cast<R*>(totals.data());
  bool const shared = how.shared && cut.chunks > 1;
  auto second = task;
  if (shared) {
    R* const carries = task.carry_in != nullptr ? values + task.column_count * (cut.chunks - 1) : nullptr;
    host::launch_grid(strips * static_cast<unsigned>(cut.chunks - 1), cut.warps * 32, [&](host::block block) {
      detail::total_column_chunks(block, task, cut, values, carries, storage);
    });
    second.carry_in = carries;
    host::launch_grid(strips, 32,
                      [&](host::block block) { detail::prefix_column_chunks(block, second, cut.chunks - 1, values); });
  }
  host::launch_grid(strips * static_cast<unsigned>(shared ? cut.chunks : 1), cut.warps * 32, [&](host::block block) {
    detail::scan_columns(block, second, cut, shared ? static_cast<R const*>(values) : nullptr, storage);
  });
}

template <bool Suffix, bool Exclusive, class R, class T, class Out, class Op>
void scan(table<T>& in, table<Out>& out, Op const& op, R const* carry_in, R* carry_out, way how) {
  detail::matrix_scan_task<T, Out, R, Op, Suffix, Exclusive> const task{in.first,
                                                                        out.first,
                                                                        in.stride,
                                                                        out.stride,
                                                                        in.row_count,
                                                                        in.columns,
                                                                        in.is_aligned(Suffix),
                                                                        out.is_aligned(Suffix),
                                                                        carry_in,
                                                                        carry_out,
                                                                        op};
  if (how.down) {
    if (in.columns > 0) scan_columns_on_host(task, how);
  } else if (in.row_count > 0) {
    if constexpr (detail::scan_rows_shape<T, R>::stage_bytes > 0) {
      if (detail::is_staged(task)) return scan_rows_on_host<true>(task, how);
    }
    scan_rows_on_host<false>(task, how);
  }
}

/// Every direction and kind, with and without a carry, against a loop.
template <class R, class T, class Out = T, class Op>
void check(std::int64_t rows, int columns, std::int64_t gap, unsigned offset, bool in_place, way how, Op const& op,
           std::optional<R> identity) {
  random_engine random(static_cast<std::uint64_t>(rows * 7919 + columns) + offset);
  std::int64_t const lines = how.down ? columns : rows, length = how.down ? rows : columns;
  table<T> x(rows, columns, gap, offset);
  for (std::int64_t r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) x.at(r, c) = sample<T>(random);
  std::vector<R> carries;
  for (std::int64_t i = 0; i < lines + 1; ++i) carries.push_back(detail::as_result<R>{}(sample<T>(random)));

  auto const run = [&](auto suffix, auto exclusive, bool carried) {
    if (exclusive && !carried && !identity) return;
    table<T> in = x;
    in.first = reinterpret_cast<T*>(in.memory.data() + (reinterpret_cast<unsigned char*>(x.first) - x.memory.data()));
    table<Out> out(rows, columns, in_place || gap == 0 ? gap : gap + 1, in_place ? offset : offset + 1);
    std::vector<R> left = carries;
    R* const carry = carried ? left.data() : nullptr;  // replaced by the total
    std::vector<R> total = carries;
    R* const to = carried ? carry : total.data();
    if constexpr (std::is_same_v<T, Out>) {
      if (in_place) {
        scan<suffix, exclusive, R>(in, in, op, carry, to, how);
      } else {
        scan<suffix, exclusive, R>(in, out, op, carry, to, how);
      }
    } else {
      scan<suffix, exclusive, R>(in, out, op, carry, to, how);
    }
    auto const where = [&] {
      return testing::Message() << rows << " × " << columns << " of " << sizeof(T) << " bytes, gap " << gap
                                << ", offset " << offset << ", suffix " << suffix << ", exclusive " << exclusive
                                << ", carry " << carried << ", down " << how.down << ", shared " << how.shared
                                << ", chunks of " << how.chunk_tiles;
    };
    for (std::int64_t line = 0; line < lines; ++line) {
      std::optional<R> sum;
      if (carried) sum.emplace(carries[static_cast<std::size_t>(line)]);
      for (std::int64_t k = 0; k < length; ++k) {
        std::int64_t const i = suffix ? length - 1 - k : k;
        std::int64_t const r = how.down ? i : line, c = how.down ? line : i;
        R const own = detail::as_result<R>{}(x.at(r, c));
        R const all = !sum ? own : suffix ? static_cast<R>(op(own, *sum)) : static_cast<R>(op(*sum, own));
        Out const expected = tessera::detail::convert<Out>(exclusive ? (sum ? *sum : *identity) : all);
        Out got = out.at(r, c);
        if constexpr (std::is_same_v<T, Out>) {
          if (in_place) got = in.at(r, c);
        }
        ASSERT_TRUE(same_bits(got, expected)) << where() << ": row " << r << ", column " << c;
        sum.emplace(all);
      }
      R const& got = to[line];
      if (!sum && identity) sum.emplace(*identity);
      if (!sum) sum.emplace(carries[static_cast<std::size_t>(line)]);
      ASSERT_TRUE(same_bits(got, *sum)) << where() << ": total of " << line;
    }
    ASSERT_TRUE(same_bits(to[lines], carries.back())) << where();
    ASSERT_TRUE(in.intact() && (in_place || out.intact())) << where();
  };
  for (bool carried : {false, true}) {
    run(std::false_type{}, std::false_type{}, carried);
    run(std::false_type{}, std::true_type{}, carried);
    run(std::true_type{}, std::false_type{}, carried);
    run(std::true_type{}, std::true_type{}, carried);
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// Rows of all sizes up to some tiles.
template <class R, class T, class Out = T, class Op>
void check_rows(Op const& op, std::optional<R> identity) {
  using shape = detail::scan_rows_shape<T, R>;
  int const step = shape::step_elements, part = shape::part_elements, tile = part * static_cast<int>(shape::most_warps);
  bool const same = std::is_same_v<T, Out>;
  unsigned seed = 0;
  for (int columns : {0,        1,    2,        3,        5,
                      7,        8,    16,       31,       64,
                      step - 1, step, step + 1, 2 * step, 2 * step + 1,
                      part - 3, part, part + 1, 2 * part, tile,
                      tile + 1}) {
    if (columns < 0 || columns > 9000) continue;
    std::int64_t const rows = columns > part ? 2 : 1 + static_cast<std::int64_t>(seed % 5) * 9;
    check<R, T, Out>(rows, columns, seed % 3 == 0 ? 0 : seed % 4, seed % 3, same && seed % 2 == 0, {}, op, identity);
    if (testing::Test::HasFatalFailure()) return;
    ++seed;
  }
  for (unsigned trial = 0; trial < 4; ++trial) {
    bool const shared = trial % 2 != 0;
    int const columns = (trial < 2 ? 3 : 5) * tile - 5, chunk_tiles = trial < 2 ? 1 : 2;
    if (columns > 21000 || (trial < 2 && columns > 13000)) continue;
    check<R, T, Out>(2, columns, 0, shared ? 0 : 1, same && shared, {false, shared, chunk_tiles}, op, identity);
    if (testing::Test::HasFatalFailure()) return;
  }
}

template <class R, class T, class Out = T, class Op>
void check_columns(Op const& op, std::optional<R> identity) {
  using shape = detail::scan_columns_shape<T, R>;
  int const part = static_cast<int>(shape::rows_of_lane), tile = part * static_cast<int>(shape::most_warps);
  bool const same = std::is_same_v<T, Out>;
  unsigned seed = 0;
  for (int rows : {0, 1, 2, part - 1, part, part + 1, tile - 1, tile, tile + 1, 3 * tile + part + 1, 5 * tile - 1}) {
    for (bool shared : {false, true}) {
      int const columns = seed % 3 == 0 ? 1 : seed % 3 == 1 ? 32 : 45;
      check<R, T, Out>(rows, columns, seed % 2, seed % 3, same && seed % 2 == 0,
                       {true, shared, rows > 4 * tile ? 2 : 1}, op, identity);
      if (testing::Test::HasFatalFailure()) return;
      ++seed;
    }
  }
  check<R, T, Out>(19 * tile + 1, 33, 1, 2, same, {true, true, 1}, op, identity);  // many chunks
}

TEST(GridScanRowsOnHost, Integers) {
  check_rows<int, int>(tessera::plus{}, 0);
  check_rows<std::int64_t, std::int64_t>(tessera::plus{}, 0);
  check_rows<int, short>(tessera::plus{}, 0);
  check_rows<int, short, int>(tessera::plus{}, 0);
  check_rows<int, signed char, int>(tessera::plus{}, 0);
  check_rows<unsigned, unsigned>(tessera::maximum{}, 0u);
}

TEST(GridScanRowsOnHost, InOrder) {
  check_rows<matrix, matrix>(matrix_product{}, {});
  check_rows<digits, digits>(tessera::make_operator(digit_concatenation{}, digits{0, 1}), digits{0, 1});
  check_rows<brackets, brackets>(bracket_concatenation{}, {});
}

TEST(GridScanRowsOnHost, StructsOfAnySize) {
  check_rows<row<3>, row<3>>(compose_rows<3>{}, {});
  check_rows<row<12>, row<12>>(compose_rows<12>{}, {});
  check_rows<row<64>, row<64>>(compose_rows<64>{}, {});
}

TEST(GridScanRowsOnHost, Columns) {
  check_columns<int, int>(tessera::plus{}, 0);
  check_columns<int, short>(tessera::plus{}, 0);
  check_columns<matrix, matrix>(matrix_product{}, {});
  check_columns<row<3>, row<3>>(compose_rows<3>{}, {});
  check_columns<row<64>, row<64>>(compose_rows<64>{}, {});
  check_columns<row<600>, row<600>>(compose_rows<600>{}, {});
}

/// The operator meets elements and results only.
TEST(GridScanRowsOnHost, CallsOfTheOperator) {
  using number = marked<1>;
  for (int columns : {1, 5, 64, 65, 127, 300, 700}) {
    for (bool down : {false, true}) {
      std::int64_t const rows = down ? columns : 3;
      int const width = down ? 35 : columns;
      table<number> in(rows, width, 1, 1), out(rows, width, 0, 0);
      for (std::int64_t r = 0; r < rows; ++r)
        for (int c = 0; c < width; ++c) in.at(r, c) = number::of(static_cast<int>(r) + c);
      sum_of_marked::strangers = 0;
      scan<false, false, number>(in, out, sum_of_marked{}, static_cast<number const*>(nullptr),
                                 static_cast<number*>(nullptr), {down, false});
      scan<true, false, number>(in, out, sum_of_marked{}, static_cast<number const*>(nullptr),
                                static_cast<number*>(nullptr), {down, true});
      EXPECT_EQ(sum_of_marked::strangers, 0) << columns;
    }
  }
}

// ---- Floats: the order of scan_rows.hpp, by loops.

/// A sum so far, if there is one.
struct sum_so_far {
  bool exists = false;
  float value = 0;
};
float joined(sum_so_far const& a, float b) {
  return a.exists ? a.value + b : b;
}
sum_so_far after(sum_so_far const& a, float b) {
  return {true, joined(a, b)};
}

/// Hillis and Steele's scan.
void scan_lanes(std::vector<float>& x, std::size_t lanes) {
  for (std::size_t delta = 1; delta < lanes; delta *= 2)
    for (std::size_t i = x.size(); i-- > delta;) x[i] = x[i - delta] + x[i];
}

/// The scan of a part that begins at x, after `before`; `before` becomes the total.
void scan_part(float const* x, std::size_t n, std::size_t width, std::size_t lanes, sum_so_far& before, float* out) {
  for (std::size_t step = 0; step < n; step += lanes * width) {
    std::vector<float> own(lanes * width), of_lane(lanes);
    for (std::size_t i = 0; i < own.size(); ++i) {
      float const value = step + i < n ? x[step + i] : 0.0f;
      own[i] = i % width == 0 ? value : own[i - 1] + value;
    }
    for (std::size_t lane = 0; lane < lanes; ++lane) of_lane[lane] = own[lane * width + width - 1];
    scan_lanes(of_lane, lanes);
    for (std::size_t i = 0; i < own.size() && step + i < n; ++i) {
      std::size_t const lane = i / width;
      sum_so_far lanes_before = before;
      if (lane > 0) lanes_before = after(before, of_lane[lane - 1]);
      out[step + i] = joined(lanes_before, own[i]);
    }
    before = after(before, of_lane[lanes - 1]);
  }
}

TEST(GridScanRowsOnHost, LanesOfRows) {
  for (unsigned lanes = 1; lanes <= 32; ++lanes) {
    auto const of = detail::lanes_of_rows::of(lanes);
    for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(of.row_of(lane), lane / lanes) << lanes;
  }
}

std::vector<float> in_documented_order(std::vector<float> const& x) {
  using shape = detail::scan_rows_shape<float, float>;
  std::size_t const width = shape::width, part = shape::part_elements;
  std::vector<float> out(x.size());
  sum_so_far before;
  if (x.size() <= static_cast<std::size_t>(shape::step_elements)) {
    scan_part(x.data(), x.size(), width, shape::lanes.lanes_for(static_cast<int>(x.size())), before, out.data());
    return out;
  }
  if (x.size() <= part) {
    scan_part(x.data(), x.size(), width, 32, before, out.data());
    return out;
  }
  auto const cut = shape::lanes.cut_of(static_cast<int>(x.size()));
  std::size_t const tile = cut.warps * part;
  sum_so_far in_chunk;
  for (std::size_t t = 0; t * tile < x.size(); ++t) {
    if (t != 0 && t % static_cast<std::size_t>(cut.chunk_tiles) == 0) {
      before = after(before, in_chunk.value);
      in_chunk = {};
    }
    std::vector<float> of_warp(32, 0.0f);
    for (std::size_t w = 0; w < cut.warps; ++w) {
      std::size_t const first = t * tile + w * part;
      if (first >= x.size()) break;
      sum_so_far all;
      scan_part(x.data() + first, std::min(part, x.size() - first), width, 32, all, out.data() + first);
      of_warp[w] = all.value;
    }
    scan_lanes(of_warp, 32);
    for (std::size_t w = 0; w < cut.warps; ++w) {
      sum_so_far all_before = before;
      if (in_chunk.exists) all_before = after(all_before, in_chunk.value);
      if (w > 0) all_before = after(all_before, of_warp[w - 1]);
      for (std::size_t i = t * tile + w * part; i < x.size() && i < t * tile + (w + 1) * part; ++i)
        out[i] = joined(all_before, out[i]);
    }
    in_chunk = after(in_chunk, of_warp[cut.warps - 1]);
  }
  return out;
}

TEST(GridScanRowsOnHost, BitsOfFloatsDependOnTheRowAlone) {
  for (int columns : {1, 9, 16, 100, 128, 129, 400, 512, 513, 1500, 4096, 4097, 13000}) {
    random_engine random(static_cast<std::uint64_t>(columns));
    std::vector<float> x(static_cast<std::size_t>(columns));
    for (float& value : x)
      value = std::ldexp(std::uniform_real_distribution<float>(-1, 1)(random), static_cast<int>(random() % 30));
    auto const expected = in_documented_order(x);
    double sum = 0, size = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      sum += static_cast<double>(x[i]);
      size += std::fabs(static_cast<double>(x[i]));
      ASSERT_NEAR(expected[i], sum, 64 * 0x1p-24 * size) << i;
    }
    for (unsigned trial = 0; trial < 6; ++trial) {
      std::int64_t const rows = columns > 600 ? 1 + trial % 2 : 1 + trial * 5, which = rows / 2;
      table<float> in(rows, columns, trial % 4, trial % 5), out(rows, columns, trial % 3, trial / 2);
      for (std::int64_t r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c)
          in.at(r, c) = r == which ? x[static_cast<std::size_t>(c)] : std::numeric_limits<float>::quiet_NaN();
      scan<false, false, float>(in, out, tessera::plus{}, static_cast<float const*>(nullptr),
                                static_cast<float*>(nullptr), {false, trial % 2 != 0});
      for (int c = 0; c < columns; ++c)
        ASSERT_TRUE(same_bits(out.at(which, c), expected[static_cast<std::size_t>(c)]))
            << columns << " columns, column " << c << ", trial " << trial;
      // The scan of the mirrored row from its end.
      for (int c = 0; c < columns; ++c) in.at(which, columns - 1 - c) = x[static_cast<std::size_t>(c)];
      scan<true, false, float>(in, out, tessera::plus{}, static_cast<float const*>(nullptr),
                               static_cast<float*>(nullptr), {false, trial % 2 != 0});
      for (int c = 0; c < columns; ++c)
        ASSERT_TRUE(same_bits(out.at(which, columns - 1 - c), expected[static_cast<std::size_t>(c)]))
            << columns << " columns, column " << c << " from the end, trial " << trial;
    }
  }
}

TEST(GridScanRowsOnHost, BitsOfColumnsDependOnTheColumnAlone) {
  for (int rows : {5, 130, 700}) {
    random_engine random(static_cast<std::uint64_t>(rows));
    std::vector<float> x(static_cast<std::size_t>(rows)), expected;
    for (float& value : x)
      value = std::ldexp(std::uniform_real_distribution<float>(-1, 1)(random), static_cast<int>(random() % 30));
    for (unsigned trial = 0; trial < 6; ++trial) {
      int const columns = 1 + static_cast<int>(trial) * 13, which = columns / 2;
      table<float> in(rows, columns, trial % 4, trial % 5), out(rows, columns, trial % 3, trial / 2);
      for (std::int64_t r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c)
          in.at(r, c) = c == which ? x[static_cast<std::size_t>(r)] : std::numeric_limits<float>::infinity();
      scan<false, false, float>(in, out, tessera::plus{}, static_cast<float const*>(nullptr),
                                static_cast<float*>(nullptr), {true, trial % 2 != 0});
      std::vector<float> got;
      for (std::int64_t r = 0; r < rows; ++r) got.push_back(out.at(r, which));
      if (trial == 0) expected = got;
      ASSERT_EQ(std::memcmp(got.data(), expected.data(), got.size() * sizeof(float)), 0) << rows << ", trial " << trial;
    }
    double sum = 0, size = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      sum += static_cast<double>(x[i]);
      size += std::fabs(static_cast<double>(x[i]));
      ASSERT_NEAR(expected[i], sum, 64 * 0x1p-24 * size) << i;
    }
  }
}

TEST(GridScanRowsOnHost, ZerosAndNaN) {
  for (int columns : {3, 100, 600}) {
    table<float> in(2, columns, 0, 0), out(2, columns, 0, 0);
    for (int c = 0; c < columns; ++c) {
      in.at(0, c) = -0.0f;
      in.at(1, c) = c == 1 ? std::numeric_limits<float>::quiet_NaN() : 1.0f;
    }
    scan<false, false, float>(in, out, tessera::plus{}, static_cast<float const*>(nullptr),
                              static_cast<float*>(nullptr), {});
    for (int c = 0; c < columns; ++c) {
      EXPECT_TRUE(same_bits(out.at(0, c), -0.0f)) << c;
      EXPECT_EQ(std::isnan(out.at(1, c)), c >= 1) << c;
    }
    scan<false, true, float>(in, out, tessera::plus{}, static_cast<float const*>(nullptr), static_cast<float*>(nullptr),
                             {});
    EXPECT_TRUE(same_bits(out.at(0, 0), 0.0f));
    EXPECT_TRUE(same_bits(out.at(0, columns - 1), -0.0f));
  }
}

/// Chunks of a recurrence follow each other by their carries.
TEST(GridScanRowsOnHost, ChunksFollowEachOther) {
  int const columns = 1300;
  std::int64_t const rows = 5;
  random_engine random(1);
  table<digits> x(rows, columns, 0, 0), whole(rows, columns, 0, 0), parts(rows, columns, 0, 0);
  for (std::int64_t r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) x.at(r, c) = sample<digits>(random);
  scan<false, false, digits>(x, whole, digit_concatenation{}, static_cast<digits const*>(nullptr),
                             static_cast<digits*>(nullptr), {});
  std::vector<digits> carry(static_cast<std::size_t>(rows), digits{0, 1});
  int first = 0;
  for (int length : {1, 40, 700, 0, 559}) {
    table<digits> in(rows, 0, columns, 0), out(rows, 0, columns, 0);
    in.columns = out.columns = length;
    in.first = x.first + first;
    out.first = parts.first + first;
    scan<false, false, digits>(in, out, digit_concatenation{}, static_cast<digits const*>(carry.data()), carry.data(),
                               {});
    first += length;
  }
  ASSERT_EQ(first, columns);
  for (std::int64_t r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) ASSERT_TRUE(same_bits(parts.at(r, c), whole.at(r, c))) << r << ", " << c;
    EXPECT_TRUE(same_bits(carry[static_cast<std::size_t>(r)], whole.at(r, columns - 1)));
  }
}

}  // namespace
