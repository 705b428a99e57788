// The kernels of rows that an iterator computes, on host tiles: each element is read, none outside of its row, and results are
// those of a loop, whatever the stride, the number of rows and the neighbors are.
#include <gtest/gtest.h>

#include <tessera/grid/rows/add_norm_map.hpp>
#include <tessera/grid/rows/computed_fold.hpp>
#include <tessera/grid/rows/computed_rows.hpp>
#include <tessera/grid/rows/computed_softmax.hpp>
#include <tessera/grid/rows/norm_map.hpp>
#include <tessera/grid/rows/row_results.hpp>
#include <tessera/host/launch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "iterators.hpp"
#include "row_references.hpp"
#include "samples.hpp"

namespace {

using namespace test;
namespace detail = tessera::grid::detail;
using tuning = tessera::grid::detail::computed_rows_tuning;

constexpr std::int64_t all_columns[] = {0,   1,   2,    7,    8,    9,    63,   64,   65,   100,    255,    511,
                                        512, 513, 1000, 2047, 2048, 2049, 4096, 4097, 5000, 16'384, 16'385, 40'000};

/// What the launcher of computed_launch.cuh runs.
template <class Body>
void run_rows(detail::row_ranges const& ranges, std::int64_t rows, Body const& body, unsigned seed) {
  constexpr unsigned threads = detail::computed_rows_tuning::threads;
  tessera::host::options how;
  how.seed = seed;
  auto const launch = [&](std::int64_t blocks, auto const& kernel) {
    if (blocks > 0) tessera::host::launch_grid(static_cast<unsigned>(blocks), threads, how, kernel);
  };
  auto const blocks_of = [&](unsigned lanes) { return (rows * lanes + threads - 1) / threads; };
  auto const by = [&](auto lanes) {
    launch(blocks_of(lanes), [&](tessera::host::block block) {
      detail::run_computed_rows_agent<decltype(lanes)::value>(block, ranges, rows, body);
    });
  };
  auto const length = ranges.column_count;
  if (length <= tuning::most_by_lane) return by(std::integral_constant<unsigned, 1>{});
  if (length <= tuning::most_by_group) return by(std::integral_constant<unsigned, tuning::group>{});
  if (length <= Body::most_by_warp) return by(std::integral_constant<unsigned, 32>{});
  detail::row_pieces const pieces{ranges, detail::segment_pieces::of<Body>(length)};
  std::int64_t const all = rows * pieces.pieces.count;
  if (pieces.pieces.count == 1) return by(std::integral_constant<unsigned, threads>{});
  std::vector<detail::piece_t<Body>> results(static_cast<std::size_t>(all));
  launch(all, [&](tessera::host::block block) { detail::run_row_pieces_agent(block, pieces, body, results.data()); });
  if constexpr (detail::maps_pieces<Body>) {
    launch(all, [&](tessera::host::block block) { detail::run_map_pieces_agent(block, pieces, body, results.data()); });
  } else {
    launch(blocks_of(32), [&](tessera::host::block block) {
      detail::run_finish_rows_agent(block, pieces, rows, body, results.data());
    });
  }
}

/// Elements of a vector, which counts how often each is read. `at` reports an index outside of the array.
template <class T>
struct counting_reads {
  std::vector<T> const* x;
  std::vector<int>* reads;
  T operator()(std::int64_t i) const {
    ++reads->at(static_cast<std::size_t>(i));
    return x->at(static_cast<std::size_t>(i));
  }
};

/// Rows of a vector, read through an iterator. Elements between rows are read by nobody.
template <class T>
struct row_source {
  std::int64_t rows, columns, stride;
  std::vector<T> x;
  std::vector<int> reads;

  template <class Draw>
  row_source(std::int64_t rows_, std::int64_t columns_, std::int64_t stride_, Draw draw)
      : rows(rows_), columns(columns_), stride(stride_), x(static_cast<std::size_t>(rows_ * stride_), T(99)) {
    reads.resize(x.size());
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < columns; ++c) x[static_cast<std::size_t>(r * stride + c)] = draw(r, c);
    }
  }
  computed<counting_reads<T>> first() { return {{&x, &reads}, 0}; }
  detail::row_ranges ranges() const { return {stride, columns}; }
  std::vector<T> row(std::int64_t r) const {
    return std::vector<T>(x.begin() + r * stride, x.begin() + r * stride + columns);
  }
  std::vector<double> wide_row(std::int64_t r) const {
    return std::vector<double>(x.begin() + r * stride, x.begin() + r * stride + columns);
  }
  /// Each element of a row was read, not more than `most` times but for some in place of those after a row's end.
  void expect_reads(int most, int more) {
    for (std::int64_t i = 0; i < rows * stride; ++i) {
      bool const is_inside = i % stride < columns;
      int const count = reads[static_cast<std::size_t>(i)], allowed = i % stride == columns - 1 ? more : most;
      ASSERT_TRUE(is_inside ? count >= 1 && count <= allowed : count == 0)
          << "element " << i << " of rows of " << columns << " was read " << count << " times";
    }
    std::fill(reads.begin(), reads.end(), 0);
  }
};

/// Stores a row's result, and finds rows that are stored twice.
template <class R>
struct store_once {
  std::vector<R>* out;
  std::vector<int>* stores;
  void operator()(std::int64_t row, R const& x) const {
    out->at(static_cast<std::size_t>(row)) = x;
    ++stores->at(static_cast<std::size_t>(row));
  }
};

template <class T, class R, class Op, class F>
std::vector<R> reduced_rows(row_source<T>& in, Op const& op, F const& f, unsigned seed) {
  std::vector<R> out(static_cast<std::size_t>(in.rows));
  std::vector<int> stores(out.size());
  using source = decltype(in.first());
  using body = detail::computed_reduction<source, R, Op, detail::row_term<T, F>, store_once<R>>;
  run_rows(in.ranges(), in.rows, body{{in.first(), {&out, &stores}, op, {f}, {}}}, seed);
  for (int count : stores) EXPECT_EQ(count, 1);
  return out;
}

/// The same by fragments, as operators that commute have it.
template <class T, class R, class Op, class F>
std::vector<R> folded_rows(row_source<T>& in, Op const& op, F const& f, unsigned seed) {
  std::vector<R> out(static_cast<std::size_t>(in.rows));
  std::vector<int> stores(out.size());
  using source = decltype(in.first());
  using body = detail::computed_fold<source, detail::computed_element_fold<T, Op, F>, store_once<R>>;
  run_rows(in.ranges(), in.rows, body{in.first(), {op, f}, {&out, &stores}, in.columns}, seed);
  for (int count : stores) EXPECT_EQ(count, 1);
  return out;
}

/// Keeps the first operand that isn't 0: it doesn't commute.
struct take_first {
  unsigned operator()(unsigned a, unsigned b) const { return a == 0 ? b : a; }
};
struct number_itself {
  template <class A>
  A operator()(A x, int) const {
    return x;
  }
};
struct with_column {
  tessera::indexed<unsigned, int> operator()(unsigned x, int column) const { return {x, column}; }
};
struct above_its_column {
  unsigned operator()(unsigned x, int column) const { return x > static_cast<unsigned>(column) ? 1u : 0u; }
};
/// Finds columns that aren't there.
struct within_columns {
  std::int64_t columns;
  bool* is_outside;
  unsigned operator()(unsigned x, int column) const {
    if (column < 0 || column >= columns) *is_outside = true;
    return x;
  }
};
std::int64_t rows_for(std::int64_t columns) {
  return columns <= 64 ? 70 : columns <= 2048 ? 19 : 2;
}

TEST(GridComputedRows, Reductions) {
  for (std::int64_t columns : all_columns) {
    random_engine random(static_cast<std::uint64_t>(columns));
    auto const draw = [&](std::int64_t, std::int64_t) {
      auto const x = static_cast<unsigned>(random());
      return x % 5 == 0 ? x % 30'000 : 0u;
    };
    row_source<unsigned> in(rows_for(columns), columns, columns + columns % 3, draw);
    auto const seed = static_cast<unsigned>(columns);
    auto const sums = reduced_rows<unsigned, unsigned>(in, tessera::plus{}, number_itself{}, seed);
    in.expect_reads(1, 1);
    auto const in_order = tessera::make_operator(take_first{}, 0u);
    auto const firsts = reduced_rows<unsigned, unsigned>(in, in_order, number_itself{}, seed);
    in.expect_reads(1, 1);
    auto const best =
        reduced_rows<unsigned, tessera::indexed<unsigned, int>>(in, tessera::argmax{}, with_column{}, seed);
    auto const above = reduced_rows<unsigned, unsigned>(in, tessera::plus{}, above_its_column{}, seed);
    EXPECT_EQ((folded_rows<unsigned, unsigned>(in, tessera::plus{}, number_itself{}, seed)), sums);
    EXPECT_EQ((folded_rows<unsigned, unsigned>(in, tessera::plus{}, above_its_column{}, seed)), above);
    bool is_outside = false;
    EXPECT_EQ((folded_rows<unsigned, unsigned>(in, tessera::plus{}, within_columns{columns, &is_outside}, seed)), sums);
    EXPECT_FALSE(is_outside) << columns;
    auto const folded =
        folded_rows<unsigned, tessera::indexed<unsigned, int>>(in, tessera::argmax{}, with_column{}, seed);
    for (std::int64_t r = 0; r < in.rows; ++r) {
      auto const row = in.row(r);
      auto const at = static_cast<std::size_t>(r);
      unsigned sum = 0, first = 0, count = 0;
      for (std::size_t c = 0; c < row.size(); ++c) {
        sum += row[c];
        first = take_first{}(first, row[c]);
        count += row[c] > c ? 1 : 0;
      }
      ASSERT_EQ(sums[at], sum) << columns << ", row " << r;
      ASSERT_EQ(firsts[at], first) << columns << ", row " << r;
      ASSERT_EQ(above[at], count) << columns << ", row " << r;
      if (row.empty()) continue;
      auto const greatest = std::max_element(row.begin(), row.end());
      ASSERT_EQ(best[at].value, *greatest) << columns << ", row " << r;
      ASSERT_EQ(best[at].index, greatest - row.begin()) << columns << ", row " << r;
      ASSERT_EQ(folded[at].index, best[at].index) << columns << ", row " << r;
      ASSERT_EQ(folded[at].value, best[at].value) << columns << ", row " << r;
    }
  }
}

/// Rows of numbers, some of which have −0 only, a NaN, or infinities.
template <class T>
auto drawn_numbers(std::int64_t columns) {
  return [random = random_engine(static_cast<std::uint64_t>(columns) + 1), columns](std::int64_t r,
                                                                                    std::int64_t c) mutable {
    T const infinite = std::numeric_limits<T>::infinity();
    auto const x = static_cast<T>(random() % 40'000) / T(1000) - T(20);
    auto const special =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(r) * 37 % static_cast<std::uint64_t>(columns));
    if (r % 11 == 3) return T(-0.0);
    if (r % 11 == 5 && c == special) return std::numeric_limits<T>::quiet_NaN();
    if (r % 11 == 7 && c == special) return infinite;
    if (r % 11 == 9) return -infinite;
    return x;
  };
}

/// The rows of one matrix among others, with another stride.
template <class T>
row_source<T> one_row_of(row_source<T> const& in, std::int64_t row) {
  return row_source<T>(2, in.columns, in.columns + 5, [&](std::int64_t r, std::int64_t c) {
    return r == 0 ? T(3) : in.x[static_cast<std::size_t>(row * in.stride + c)];
  });
}

TEST(GridComputedRows, FloatSums) {
  for (std::int64_t columns : all_columns) {
    row_source<float> in(rows_for(columns), columns, columns + 1, drawn_numbers<float>(columns));
    auto const seed = static_cast<unsigned>(columns);
    auto const sums = folded_rows<float, float>(in, tessera::plus{}, number_itself{}, seed);
    double const units = columns <= 2048 ? static_cast<double>(columns) / 32 + 16 : 128;
    for (std::int64_t r = 0; r < in.rows; ++r) {
      auto const want = expected_sum(in.wide_row(r), units, arithmetic_of<float>());
      ASSERT_TRUE(want.allows(sums[static_cast<std::size_t>(r)])) << columns << ", row " << r;
    }
    std::int64_t const last = in.rows - 1;
    auto alone = one_row_of(in, last);
    auto const again = folded_rows<float, float>(alone, tessera::plus{}, number_itself{}, seed + 1);
    ASSERT_EQ(std::memcmp(&again[1], &sums[static_cast<std::size_t>(last)], sizeof(float)), 0) << columns;
  }
}

template <class T>
std::vector<tessera::moments<T>> moments_of(row_source<T>& in, unsigned seed) {
  using R = tessera::moments<T>;
  std::vector<R> out(static_cast<std::size_t>(in.rows));
  std::vector<int> stores(out.size());
  using source = decltype(in.first());
  using body = detail::computed_fold<source, detail::norm_map<T>, store_once<R>>;
  run_rows(in.ranges(), in.rows, body{in.first(), {}, {&out, &stores}, in.columns}, seed);
  for (int count : stores) EXPECT_EQ(count, 1);
  return out;
}

/// Results of type R, stored into every second element of an array by references that are proxies.
template <class R, class Fold, class T>
std::vector<R> folded_into_proxies(row_source<T>& in, Fold const& fold, unsigned seed) {
  R const untouched{};
  std::vector<R> out(2 * static_cast<std::size_t>(in.rows), untouched), dense;
  using source = decltype(in.first());
  using body = detail::computed_fold<source, Fold, detail::store_as<R, strided<R, 2>>>;
  run_rows(in.ranges(), in.rows, body{in.first(), fold, {{out.data()}}, in.columns}, seed);
  for (std::size_t i = 0; i < out.size(); i += 2) {
    dense.push_back(out[i]);
    EXPECT_EQ(std::memcmp(&out[i + 1], &untouched, sizeof(R)), 0);
  }
  return dense;
}
template <class R>
bool same_arrays(std::vector<R> const& a, std::vector<R> const& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(R)) == 0;
}

/// The bits of results are those that go to memory, converted where the type is another.
TEST(GridComputedRows, ResultsIntoProxies) {
  for (std::int64_t columns : all_columns) {
    auto const seed = static_cast<unsigned>(columns);
    row_source<float> in(rows_for(columns), columns, columns + 2, drawn_numbers<float>(columns));
    using sum_fold = detail::computed_element_fold<float, tessera::plus, number_itself>;
    ASSERT_TRUE(same_arrays(folded_into_proxies<float>(in, sum_fold{}, seed),
                            folded_rows<float, float>(in, tessera::plus{}, number_itself{}, seed)))
        << columns;
    ASSERT_TRUE(same_arrays(folded_into_proxies<tessera::moments<float>>(in, detail::norm_map<float>{}, seed),
                            moments_of(in, seed)))
        << columns;
    row_source<unsigned> numbers(rows_for(columns), columns, columns, [](std::int64_t r, std::int64_t c) {
      return static_cast<unsigned>(r * 7919 + c * 104729) % 60'000u;
    });
    using best_fold = detail::computed_element_fold<unsigned, tessera::argmax, with_column>;
    using short_best = tessera::indexed<unsigned short, int>;
    auto const best = folded_into_proxies<short_best>(numbers, best_fold{}, seed);
    auto const expected =
        folded_rows<unsigned, tessera::indexed<unsigned, int>>(numbers, tessera::argmax{}, with_column{}, seed);
    for (std::size_t r = 0; columns > 0 && r < best.size(); ++r) {
      ASSERT_EQ(best[r].value, expected[r].value) << columns << ", row " << r;
      ASSERT_EQ(best[r].index, expected[r].index) << columns << ", row " << r;
    }
  }
}

template <class T>
void check_moments() {
  for (std::int64_t columns : all_columns) {
    row_source<T> in(rows_for(columns), columns, columns + 1, drawn_numbers<T>(columns));
    auto const got = moments_of(in, static_cast<unsigned>(columns));
    in.expect_reads(1, 1000);
    for (std::int64_t r = 0; r < in.rows; ++r) {
      auto const row = in.wide_row(r);
      expected_moments const want(row);
      auto const& m = got[static_cast<std::size_t>(r)];
      ASSERT_EQ(m.count, static_cast<T>(columns));
      if (!std::isfinite(static_cast<double>(want.mean))) {
        ASSERT_TRUE(std::isnan(m.mean) && std::isnan(m.m2)) << columns << ", row " << r;
        continue;
      }
      double const units = 16 + 4 * std::log2(static_cast<double>(columns) + 1) + static_cast<double>(columns) / 2048;
      double const error = units * arithmetic_of<T>().unit * want.greatest;
      ASSERT_NEAR(m.mean, static_cast<double>(want.mean), error) << columns << ", row " << r;
      double const deviation = columns == 0 ? 0 : std::sqrt(static_cast<double>(m.m2) / static_cast<double>(columns));
      ASSERT_NEAR(deviation, want.deviation, error) << columns << ", row " << r;
      if (r % 11 == 3) {
        ASSERT_EQ(m.m2, T(0));
      }
    }
    std::int64_t const last = in.rows - 1;
    auto alone = one_row_of(in, last);
    auto const again = moments_of(alone, 7);
    ASSERT_EQ(std::memcmp(&again[1], &got[static_cast<std::size_t>(last)], sizeof(again[1])), 0) << columns;
  }
}
TEST(GridComputedRows, Moments) {
  check_moments<float>();
  check_moments<double>();
}

/// Softmax into every second element of an array, by references that are proxies.
template <class T>
std::vector<T> mapped_rows(row_source<T>& in, std::int64_t out_stride, std::int32_t const* lengths, bool logarithms,
                           unsigned seed) {
  std::vector<T> out(2 * static_cast<std::size_t>(in.rows * out_stride) + 2, T(77));
  using source = decltype(in.first());
  using body = detail::computed_softmax<T, source, strided<T, 2>, detail::row_places>;
  run_rows(in.ranges(), in.rows, body{in.first(), {out.data()}, {logarithms}, {in.stride, out_stride, lengths}}, seed);
  std::vector<T> dense(static_cast<std::size_t>(in.rows * out_stride));
  for (std::size_t i = 0; i < out.size(); ++i) {
    bool const is_result = i % 2 == 0 && i / 2 < dense.size();
    if (is_result) dense[i / 2] = out[i];
    if (!is_result) {
      EXPECT_EQ(out[i], T(77));
    }
  }
  return dense;
}

template <class T>
void check_softmax(bool logarithms, bool with_lengths) {
  for (std::int64_t columns : all_columns) {
    if (columns == 0) continue;  // The launcher returns.
    row_source<T> in(rows_for(columns), columns, columns + 1, drawn_numbers<T>(columns));
    std::vector<std::int32_t> lengths;
    for (std::int64_t r = 0; r < in.rows; ++r) {
      std::int64_t const some[] = {columns, 0, -3, columns / 2, columns - 1, columns + 9, 1};
      lengths.push_back(static_cast<std::int32_t>(some[(r + columns / 3) % 7]));
    }
    auto const* const given = with_lengths ? lengths.data() : nullptr;
    std::int64_t const out_stride = columns + 2;
    auto const got = mapped_rows(in, out_stride, given, logarithms, static_cast<unsigned>(columns));
    if (!with_lengths)
      in.expect_reads(columns > detail::computed_softmax<T, T*, T*, detail::row_places>::most_by_warp * 8 ? 2 : 1,
                      2000);
    for (std::int64_t r = 0; r < in.rows; ++r) {
      auto const row = in.wide_row(r);
      std::int64_t const length = with_lengths ? lengths[static_cast<std::size_t>(r)] : columns;
      auto const want = expected_softmax(row, length, logarithms);
      double max = -std::numeric_limits<double>::infinity();
      for (std::int64_t c = 0; c < std::min(length, columns); ++c)
        max = std::max(max, row[static_cast<std::size_t>(c)]);
      for (std::int64_t c = 0; c < out_stride; ++c) {
        auto const result = static_cast<double>(got[static_cast<std::size_t>(r * out_stride + c)]);
        if (c >= columns) {
          ASSERT_EQ(result, 77) << "between rows";
          continue;
        }
        double const value = want[static_cast<std::size_t>(c)];
        if (std::isnan(value)) {
          ASSERT_TRUE(std::isnan(result)) << columns << ", row " << r << ", column " << c;
        } else if (std::isinf(value)) {
          ASSERT_EQ(result, value) << columns << ", row " << r << ", column " << c;
        } else {
          double const apart = std::isinf(max) || c >= length ? 0 : max - row[static_cast<std::size_t>(c)];
          ASSERT_NEAR(result, value, softmax_error(value, apart, logarithms, arithmetic_of<T>()))
              << columns << ", row " << r << ", column " << c << ", length " << length;
        }
      }
    }
    std::int64_t const last = in.rows - 1;
    auto alone = one_row_of(in, last);
    std::int32_t const own[2] = {3, lengths[static_cast<std::size_t>(last)]};
    auto const again = mapped_rows(alone, columns, with_lengths ? own : nullptr, logarithms, 5);
    ASSERT_EQ(std::memcmp(&again[static_cast<std::size_t>(columns)], &got[static_cast<std::size_t>(last * out_stride)],
                          static_cast<std::size_t>(columns) * sizeof(T)),
              0)
        << columns;
  }
}
TEST(GridComputedRows, Softmax) {
  check_softmax<float>(false, false);
  check_softmax<double>(true, false);
}
TEST(GridComputedRows, SoftmaxWithLengths) {
  check_softmax<float>(true, true);
  check_softmax<double>(false, true);
}

/// The norms of rows, into a proxy's array, and whether nothing between them was written.
template <class T, class Map>
std::vector<T> normed_rows(row_source<T>& in, Map const& map, unsigned seed) {
  std::int64_t const out_stride = in.columns + 2;
  std::vector<T> out(2 * static_cast<std::size_t>(in.rows * out_stride), T(77)), dense;
  using source = decltype(in.first());
  using by_columns = detail::computed_map<T, detail::norm_map<T>, source, strided<T, 2>, detail::row_places>;
  using by_rows = detail::computed_map_by_row<T, detail::add_norm_map<T>, source, strided<T, 2>>;
  using body = std::conditional_t<std::is_same_v<Map, detail::norm_map<T>>, by_columns, by_rows>;
  run_rows(in.ranges(), in.rows, body{in.first(), {out.data()}, map, {in.stride, out_stride, nullptr}}, seed);
  for (std::size_t i = 0; i < out.size(); ++i) {
    bool const is_result = i % 2 == 0 && static_cast<std::int64_t>(i / 2) % out_stride < in.columns;
    if (is_result) dense.push_back(out[i]);
    if (!is_result) {
      EXPECT_EQ(out[i], T(77));
    }
  }
  return dense;
}

template <class T>
void check_norm(bool centered) {
  constexpr arithmetic how = arithmetic_of<T>();
  for (std::int64_t columns : all_columns) {
    if (columns == 0) continue;
    row_source<T> in(rows_for(columns), columns, columns + 1, drawn_numbers<T>(columns));
    std::vector<T> weight, bias;
    for (std::int64_t c = 0; c < columns; ++c) {
      weight.push_back(static_cast<T>(c % 7) - T(2.5));
      bias.push_back(static_cast<T>(c % 5) / 4);
    }
    bool const weighted = columns % 3 != 0, biased = columns % 2 != 0;
    detail::norm_map<T> const map{weighted ? weight.data() : nullptr, biased ? bias.data() : nullptr, T(1e-5),
                                  centered};
    auto const got = normed_rows(in, map, static_cast<unsigned>(columns));
    in.expect_reads(columns > detail::computed_softmax<T, T*, T*, detail::row_places>::most_by_warp * 8 ? 2 : 1, 2000);
    double const k = 4 + static_cast<double>(columns) / 4096;
    for (std::int64_t r = 0; r < in.rows; ++r) {
      auto const row = in.wide_row(r);
      expected_norm const norm(row, static_cast<double>(T(1e-5)), centered, how);
      for (std::size_t c = 0; c < row.size(); ++c) {
        auto const want = norm.of(row[c], weighted ? static_cast<double>(weight[c]) : 1.0,
                                  biased ? static_cast<double>(bias[c]) : 0.0, k, how);
        auto const result = got[static_cast<std::size_t>(r * columns) + c];
        ASSERT_TRUE(want.allows(result)) << columns << ", row " << r << ", column " << c << ": " << result << ", not "
                                         << want.value << " to within " << want.error;
      }
    }
    auto alone = one_row_of(in, in.rows - 1);
    auto const again = normed_rows(alone, map, 5);
    auto const size = static_cast<std::size_t>(columns);
    ASSERT_EQ(std::memcmp(&again[size], &got[static_cast<std::size_t>(in.rows - 1) * size], size * sizeof(T)), 0)
        << columns;
  }
}
TEST(GridComputedRows, LayerNorms) {
  check_norm<float>(true);
  check_norm<double>(true);
}
TEST(GridComputedRows, RmsNorms) {
  check_norm<float>(false);
  check_norm<double>(false);
}

/// The residual takes the sums, and the results have the bits of norms of the sums. Nothing between rows is stored.
template <class T>
void check_added_norm() {
  for (std::int64_t columns : all_columns) {
    if (columns == 0) continue;
    bool const centered = columns % 2 == 0;
    row_source<T> in(rows_for(columns), columns, columns + 1, drawn_numbers<T>(columns));
    row_source<T> residual(in.rows, columns, columns + 3, drawn_numbers<T>(columns + 1));
    auto const sum_of = [&](std::int64_t r, std::int64_t c) {
      return in.x[static_cast<std::size_t>(r * in.stride + c)] +
             residual.x[static_cast<std::size_t>(r * residual.stride + c)];
    };
    row_source<T> sums(in.rows, columns, columns + 3, sum_of);
    std::vector<T> const weight(static_cast<std::size_t>(columns), T(0.75));
    detail::norm_map<T> const norm{weight.data(), nullptr, T(1e-5), centered};
    auto const seed = static_cast<unsigned>(columns);
    auto const want = normed_rows(sums, norm, seed);
    auto const got = normed_rows(in, detail::add_norm_map<T>{norm, residual.x.data(), residual.stride}, seed + 1);
    in.expect_reads(columns > detail::computed_softmax<T, T*, T*, detail::row_places>::most_by_warp * 8 ? 2 : 1, 2000);
    ASSERT_EQ(std::memcmp(got.data(), want.data(), want.size() * sizeof(T)), 0) << columns;
    for (std::size_t i = 0; i < sums.x.size(); ++i) {
      bool const are_nan = std::isnan(residual.x[i]) && std::isnan(sums.x[i]);
      ASSERT_TRUE(are_nan || same_bits(residual.x[i], sums.x[i])) << columns << ", element " << i;
    }
  }
}
TEST(GridComputedRows, NormsOfSums) {
  check_added_norm<float>();
  check_added_norm<double>();
}

/// A matrix in memory is mapped in place through an iterator.
TEST(GridComputedRows, SoftmaxInPlace) {
  for (std::int64_t columns : {9, 100, 3000, 20'000}) {
    row_source<float> in(3, columns, columns, drawn_numbers<float>(columns));
    auto const want = mapped_rows(in, columns, nullptr, false, 3);
    using body = detail::computed_softmax<float, float*, float*, detail::row_places>;
    run_rows(in.ranges(), in.rows, body{in.x.data(), in.x.data(), {false}, {columns, columns, nullptr}}, 4);
    ASSERT_EQ(std::memcmp(in.x.data(), want.data(), want.size() * sizeof(float)), 0) << columns;
  }
}

}  // namespace
