// Rows whose columns are on several ranks, which are threads here: the local folds and maps by the bodies of the
// kernels on host tiles, the exchange, and what each rank makes of it.
#include <gtest/gtest.h>

#include <tessera/core/comparators.hpp>
#include <tessera/grid/rows/norm_map.hpp>
#include <tessera/grid/rows/row_sampler.hpp>
#include <tessera/grid/sharded/combine_rows.hpp>
#include <tessera/grid/sharded/logit_parts.hpp>
#include <tessera/grid/sharded/map_known_rows.hpp>
#include <tessera/grid/sharded/moment_parts.hpp>
#include <tessera/grid/sharded/sample_agents.hpp>
#include <tessera/grid/sharded/sample_parts.hpp>
#include <tessera/grid/sharded/top_k_rows_agents.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "../rows/rows_on_host.hpp"
#include "cross_entropy_references.hpp"
#include "host_ranks.hpp"
#include "oracle/halves.hpp"
#include "random_cases.hpp"
#include "row_references.hpp"
#include "samples.hpp"

namespace {

using namespace test;
namespace detail = tessera::grid::detail;
using detail::arithmetic_t;
using tessera::detail::convert;
using tessera::grid::shard;

constexpr int rank_counts[] = {1, 2, 3, 4, 8};

/// Where the columns are cut: evenly, in places of their own, with all in one rank, or with none in the first.
std::vector<shard> cut_of(case_draw& from, int columns, int ranks) {
  std::int64_t const kind = from.number(0, 3);
  std::vector<std::int64_t> places{0};
  for (int rank = 1; rank < ranks; ++rank) {
    std::int64_t const place = kind == 0   ? std::int64_t{columns} * rank / ranks
                               : kind == 1 ? from.number(0, columns)
                               : kind == 2 ? (rank <= ranks / 2 ? 0 : columns)
                                           : std::int64_t{columns} * (rank - 1) / (ranks > 1 ? ranks - 1 : 1);
    places.push_back(place);
  }
  std::sort(places.begin(), places.end());
  places.push_back(columns);
  std::vector<shard> all;
  for (int rank = 0; rank < ranks; ++rank) {
    auto const at = static_cast<std::size_t>(rank);
    all.push_back({places[at], places[at + 1] - places[at], columns});
  }
  return all;
}

/// Rows of numbers, as T rounds them.
template <class T>
struct whole_rows {
  using number = arithmetic_t<T>;
  int columns;
  std::vector<std::vector<T>> rows;

  whole_rows(case_draw& from, drawn_values& values, std::int64_t row_count, int columns_) : columns(columns_) {
    (void)from;
    for (std::int64_t r = 0; r < row_count; ++r) {
      rows.emplace_back();
      for (int c = 0; c < columns; ++c) rows.back().push_back(convert<T>(static_cast<number>(values.next())));
    }
  }
  std::int64_t count() const { return static_cast<std::int64_t>(rows.size()); }
  std::vector<double> row(std::int64_t r) const {
    std::vector<double> x;
    for (T const& value : rows[static_cast<std::size_t>(r)]) x.push_back(static_cast<double>(convert<number>(value)));
    return x;
  }
};

/// A rank's columns of them, somewhere in memory.
template <class T>
class own_rows {
 public:
  own_rows(whole_rows<T> const& whole, shard const& part, std::int64_t gap, std::size_t offset)
      : part_(part), rows_(whole.count()), stride_(part.count + gap), memory_(size(), beside()) {
    first_ = memory_.data();
    while (reinterpret_cast<std::uintptr_t>(first_) % 16 != 0) ++first_;
    first_ += offset;
    for (std::int64_t r = 0; r < rows_; ++r)
      std::copy_n(whole.rows[static_cast<std::size_t>(r)].begin() + part.begin, part.count, first_ + r * stride_);
  }
  T* first() { return first_; }
  std::int64_t stride() const { return stride_; }
  double at(std::int64_t r, std::int64_t c) const {
    return static_cast<double>(convert<arithmetic_t<T>>(first_[r * stride_ + c]));
  }
  detail::row_task<T> task(own_rows& to) {
    return {first_, to.first_, stride_, to.stride_, rows_, static_cast<int>(part_.count), nullptr};
  }
  bool is_aligned() const {
    return part_.count % static_cast<std::int64_t>(detail::row_vector_length<T>) == 0 &&
           reinterpret_cast<std::uintptr_t>(first_) % 16 == 0 &&
           stride_ * static_cast<std::int64_t>(sizeof(T)) % 16 == 0;
  }
  bool is_intact() const {
    T const before = beside();
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      std::int64_t const from_first = static_cast<std::int64_t>(i) - (first_ - memory_.data());
      bool const in_row = from_first >= 0 && from_first < rows_ * stride_ && from_first % stride_ < part_.count;
      if (!in_row && std::memcmp(&memory_[i], &before, sizeof(T)) != 0) return false;
    }
    return true;
  }

 private:
  static T beside() { return convert<T>(-77.0f); }
  std::size_t size() const { return static_cast<std::size_t>(rows_ * stride_) + 40; }

  shard part_;
  std::int64_t rows_, stride_;
  std::vector<T> memory_;
  T* first_;
};

/// What fold_matrix_by does, and its store.
template <class T, class Fold, class Store>
cudaError_t fold(own_rows<T>& x, Fold const& by, Store const& store) {
  auto const task = x.task(x);
  auto const values = folded_on_host<detail::fold_tuning::few_short_rows>(task, x.is_aligned(), by);
  for (std::int64_t r = 0; r < task.row_count; ++r) store(r, values[static_cast<std::size_t>(r)]);
  return cudaSuccess;
}

/// What map_known does: in blocks of `Threads` threads a row, or with a warp for each.
template <class Shape, class T, class Map>
void map_known_by(detail::row_task<T> const& task, Map const& map, typename Map::statistic const* statistics,
                  unsigned splits) {
  unsigned const blocks =
      Shape::tiles > 1 ? blocks_for(task.row_count, Shape::tiles) : static_cast<unsigned>(task.row_count) * splits;
  host::launch_grid(blocks, Shape::block_threads,
                    [&](host::block block) { detail::map_known_rows<Shape>(block, task, map, statistics, splits); });
}
template <class T, class Map>
void map_known(case_draw& from, own_rows<T>& in, own_rows<T>& out, Map const& map,
               typename Map::statistic const* statistics) {
  auto const task = in.task(out);
  if (task.column_count == 0) return;
  auto const splits = static_cast<unsigned>(from.number(1, 4));
  bool const aligned = in.is_aligned() && out.is_aligned();
  if (from.chance(50)) {
    if (aligned) return map_known_by<detail::row_shape<true, 64, 2, 1, 64>>(task, map, statistics, splits);
    return map_known_by<detail::row_shape<false, 64, 2, 1, 64>>(task, map, statistics, splits);
  }
  if (aligned) return map_known_by<detail::row_shape<true, 32, 2, 1, 64>>(task, map, statistics, 1);
  map_known_by<detail::row_shape<false, 32, 2, 1, 64>>(task, map, statistics, 1);
}

/// Values of all ranks, which must have the same bits.
template <class R>
class of_all_ranks {
 public:
  of_all_ranks(int ranks, std::int64_t rows) : all_(static_cast<std::size_t>(ranks)) {
    for (auto& values : all_) values.resize(static_cast<std::size_t>(rows));
  }
  R* of(int rank) { return all_[static_cast<std::size_t>(rank)].data(); }
  std::vector<R> const& checked() const {
    for (auto const& values : all_) {
      bool const same = values.empty() || std::memcmp(values.data(), all_[0].data(), values.size() * sizeof(R)) == 0;
      EXPECT_TRUE(same) << "other bits on a rank";
    }
    return all_[0];
  }

 private:
  std::vector<std::vector<R>> all_;
};

template <class R>
struct store_result {
  R* out;
  void operator()(std::int64_t row, R const& value) const { out[row] = value; }
};

TEST(ShardedRowsOnHost, ProductsInOrder) {
  auto const op = tessera::make_operator(matrix_product{}, matrix_one);
  for (std::uint64_t seed = 1; seed < 40; ++seed) {
    case_draw from(seed);
    int const columns = static_cast<int>(from.size(60)), rows = static_cast<int>(from.number(0, 9));
    random_engine random(seed);
    std::vector<std::vector<matrix>> x(static_cast<std::size_t>(rows));
    for (auto& row : x)
      for (int c = 0; c < columns; ++c) row.push_back(sample<matrix>(random));
    auto const product = [&](std::size_t r, shard const& part) {
      matrix all = matrix_one;
      for (std::int64_t c = part.begin; c < part.begin + part.count; ++c)
        all = matrix_product{}(all, x[r][static_cast<std::size_t>(c)]);
      return all;
    };
    for (int ranks : rank_counts) {
      auto const cut = cut_of(from, columns, ranks);
      of_all_ranks<matrix> results(ranks, rows);
      host_ranks all(ranks);
      all.run([&](host_ranks::rank const& rank) {
        shard const part = cut[static_cast<std::size_t>(rank.index())];
        auto const local = [&](matrix* own) {
          EXPECT_GT(part.count, 0);
          for (int r = 0; r < rows; ++r) own[r] = product(static_cast<std::size_t>(r), part);
          return cudaSuccess;
        };
        EXPECT_EQ(detail::combine_rows(rank, detail::gathered_rows<matrix>{nullptr, rows}, part, op,
                                       store_result<matrix>{results.of(rank.index())}, local),
                  cudaSuccess);
      });
      auto const& got = results.checked();
      for (std::size_t r = 0; r < got.size(); ++r) {
        matrix const expected = product(r, {0, columns, columns});
        ASSERT_EQ(std::memcmp(&got[r], &expected, sizeof(matrix)), 0) << "row " << r << " over " << ranks;
      }
    }
  }
}

/// Sums of −0 are −0, those of nothing +0, whoever has no columns.
TEST(ShardedRowsOnHost, Zeros) {
  for (int columns : {0, 1, 3}) {
    for (int ranks : rank_counts) {
      host_ranks all(ranks);
      case_draw from(static_cast<std::uint64_t>(ranks));
      auto const cut = cut_of(from, columns, ranks);
      all.run([&](host_ranks::rank const& rank) {
        float got[2] = {1, 1};
        auto const local = [](float* own) {
          own[0] = own[1] = -0.0f;
          return cudaSuccess;
        };
        EXPECT_EQ(detail::combine_rows(rank, detail::gathered_rows<float>{nullptr, 2},
                                       cut[static_cast<std::size_t>(rank.index())], tessera::plus{},
                                       store_result<float>{got}, local),
                  cudaSuccess);
        EXPECT_TRUE(got[0] == 0 && std::signbit(got[0]) == (columns > 0)) << columns << " over " << ranks;
        EXPECT_EQ(std::signbit(got[1]), columns > 0);
      });
    }
  }
}

/// Stores values and indices apart: bytes between them have no value.
template <class T>
struct store_best {
  T* values;
  int* indices;
  void operator()(std::int64_t row, tessera::indexed<T, int> const& best) const {
    values[row] = best.value;
    indices[row] = best.index;
  }
};

/// The column of the whole row: the lowest of equal values, or the first NaN.
template <class T>
void check_argmax(std::uint64_t seed) {
  using number = arithmetic_t<T>;
  using best = tessera::indexed<number, int>;
  case_draw from(seed);
  int const columns = static_cast<int>(from.size(300));
  drawn_values values(from, {1e4, 1e-3, 1e-4});
  whole_rows<T> const whole(from, values, from.number(1, 6), columns);
  int const ranks = from.one_of({1, 2, 3, 4, 8});
  auto const cut = cut_of(from, columns, ranks);
  of_all_ranks<number> greatest(ranks, whole.count());
  of_all_ranks<int> places(ranks, whole.count());
  host_ranks all(ranks);
  all.run([&](host_ranks::rank const& rank) {
    shard const part = cut[static_cast<std::size_t>(rank.index())];
    own_rows<T> x(whole, part, 1, 1);
    auto const local = [&](best* own) {
      auto const from_begin = [&](number value, int column) {
        return best{value, static_cast<int>(part.begin) + column};
      };
      detail::element_fold<T, tessera::argmax, decltype(from_begin)> const by{{}, from_begin};
      return fold(x, by, store_result<best>{own});
    };
    EXPECT_EQ(detail::combine_rows(rank, detail::gathered_rows<best>{nullptr, whole.count()}, part, tessera::argmax{},
                                   store_best<number>{greatest.of(rank.index()), places.of(rank.index())}, local),
              cudaSuccess);
  });
  (void)greatest.checked();
  auto const& got = places.checked();
  for (std::int64_t r = 0; r < whole.count(); ++r) {
    auto const row = whole.row(r);
    int expected = INT32_MAX;
    for (int c = columns - 1; c >= 0; --c) {
      double const x = row[static_cast<std::size_t>(c)];
      double const than = expected == INT32_MAX ? 0 : row[static_cast<std::size_t>(expected)];
      if (expected == INT32_MAX || std::isnan(x) || (!std::isnan(than) && x >= than)) expected = c;
    }
    ASSERT_EQ(got[static_cast<std::size_t>(r)], expected) << values.text() << ", seed " << seed;
  }
}
TEST(ShardedRowsOnHost, Argmax) {
  for (std::uint64_t seed = 1; seed < 60; ++seed) {
    check_argmax<float>(seed);
    check_argmax<double>(seed);
    check_argmax<__half>(seed);
    check_argmax<__nv_bfloat16>(seed);
  }
}

struct drawn_losses {
  loss_choice how;
  bool has_64_bits;
  std::vector<std::int32_t> targets;
  std::vector<std::int64_t> long_targets;

  drawn_losses(case_draw& from, std::int64_t rows, int columns) : has_64_bits(from.chance(50)) {
    how.smoothing = from.one_of({0.0, 0.0, 0.125, 1.0, 0.5});
    how.z_loss = from.one_of({0.0, 0.0, 0x1p-13, 0.5});
    how.cap = from.one_of({0.0, 0.0, 30.0, 2.5});
    how.factor = from.one_of({1.0, 1.0, 1 / 128.0, -3.0});
    if (from.chance(20)) how.ignored = from.number(-1, 3);
    for (std::int64_t r = 0; r < rows; ++r) {
      long_targets.push_back(from.chance(75) && columns > 0
                                 ? from.number(0, columns - 1)
                                 : from.one_of<std::int64_t>({-100, -1, columns, columns + 1, INT32_MAX, -2}));
      targets.push_back(static_cast<std::int32_t>(long_targets.back()));
    }
  }
  detail::row_targets of_rows() const {
    return {has_64_bits ? static_cast<void const*>(long_targets.data()) : targets.data(), has_64_bits, how.ignores,
            how.ignored};
  }
};

template <class T, template <class> class Cap>
void check_losses(case_draw& from, std::string const& text, whole_rows<T> const& whole, drawn_losses const& drawn,
                  Cap<T> const& cap) {
  using number = arithmetic_t<T>;
  using sums_t = detail::logit_sums<number>;
  std::int64_t const rows = whole.count();
  int const ranks = from.one_of({1, 2, 3, 4, 8});
  bool const in_place = from.chance(50);
  auto const gap = from.number(0, 3);
  auto const offset = static_cast<std::size_t>(from.number(0, 2));
  auto const seed = from.bits();
  auto const cut = cut_of(from, whole.columns, ranks);
  of_all_ranks<number> losses(ranks, rows), lses(ranks, rows);
  auto const smoothing = static_cast<number>(drawn.how.smoothing);
  std::vector<std::vector<double>> gradient(static_cast<std::size_t>(rows),
                                            std::vector<double>(static_cast<std::size_t>(whole.columns), -55));
  host_ranks all(ranks);
  all.run([&](host_ranks::rank const& rank) {
    shard const part = cut[static_cast<std::size_t>(rank.index())];
    own_rows<T> x(whole, part, gap, offset), apart(whole, part, gap + 1, offset);
    detail::row_losses<T> of_row;
    of_row.what = detail::row_result::cross_entropy;
    of_row.out = losses.of(rank.index());
    of_row.lse = lses.of(rank.index());
    of_row.targets = drawn.of_rows();
    of_row.smoothing = smoothing;
    of_row.z_loss = static_cast<number>(drawn.how.z_loss);
    of_row.column_count = whole.columns;
    detail::own_columns const columns{static_cast<int>(part.begin), static_cast<int>(part.count)};
    std::vector<sums_t> sums(static_cast<std::size_t>(rows));
    detail::gathered_logits<number> const parts{nullptr, rows, smoothing > 0 ? 4 : 3};
    auto const local = [&](number* own) {
      return fold(x, detail::logits_fold<T, Cap>{cap, smoothing > 0},
                  detail::store_logit_part<T, Cap>{own, parts, x.first(), x.stride(), cap, of_row.targets,
                                                   whole.columns, columns});
    };
    EXPECT_EQ(detail::combine_rows(rank, parts, part, detail::join_logit_parts{},
                                   detail::store_whole_losses<T>{of_row, sums.data()}, local),
              cudaSuccess);
    auto& to = in_place ? x : apart;
    detail::shard_gradient_map<T, Cap> const map{{{cap, smoothing > 0},
                                                  of_row,
                                                  smoothing / static_cast<number>(whole.columns),
                                                  static_cast<number>(drawn.how.factor),
                                                  nullptr},
                                                 columns};
    case_draw of_rank(seed + static_cast<std::uint64_t>(rank.index()));
    map_known(of_rank, x, to, map, sums.data());
    EXPECT_TRUE(x.is_intact() && apart.is_intact());
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < part.count; ++c)
        gradient[static_cast<std::size_t>(r)][static_cast<std::size_t>(part.begin + c)] = to.at(r, c);
  });
  auto const& loss = losses.checked();
  auto const& lse = lses.checked();
  arithmetic const in = arithmetic_of<number>();
  for (std::int64_t r = 0; r < rows; ++r) {
    auto const at = static_cast<std::size_t>(r);
    loss_choice how = drawn.how;  // 4 roundings for each rank, too
    how.columns_per_rounding = whole.columns / (whole.columns / 512.0 + 4 * ranks);
    std::int64_t const target = drawn.has_64_bits ? drawn.long_targets[at] : drawn.targets[at];
    expected_loss const expected(whole.row(r), target, how, in);
    ASSERT_TRUE(expected.loss().allows(loss[at]))
        << "loss " << loss[at] << ", not " << expected.loss().value << " to within " << expected.loss().error
        << ", target " << target << " over " << ranks << text;
    ASSERT_TRUE(expected.lse().allows(lse[at])) << "lse " << lse[at] << ", not " << expected.lse().value << text;
    for (std::size_t c = 0; c < gradient[at].size(); ++c) {
      auto const slope = rounded_result<T>(expected.gradient(c));
      ASSERT_TRUE(slope.allows(gradient[at][c]))
          << "gradient " << gradient[at][c] << " of row " << r << ", column " << c << ", target " << target << ", not "
          << slope.value << " to within " << slope.error << " over " << ranks << text;
    }
  }
}

/// Draws some rows of at most `most` columns, and calls check(from, text, rows).
template <class T, class Check>
void with_rows(std::uint64_t seed, int most, Check const& check) {
  case_draw from(seed);
  auto const in = arithmetic_of<arithmetic_t<T>>();
  int columns = static_cast<int>(from.size(most));
  if (from.chance(30)) columns -= columns % 64;  // aligned ones
  drawn_values values(from, {in.most, in.least_normal, in.least});
  whole_rows<T> const whole(from, values, from.number(0, 6), columns);
  check(from, "; " + std::to_string(columns) + " columns, " + values.text() + ", seed " + std::to_string(seed), whole);
}

template <class T>
void check_cross_entropy(std::uint64_t seed) {
  with_rows<T>(seed, 700, [](case_draw& from, std::string const& text, whole_rows<T> const& whole) {
    drawn_losses const drawn(from, whole.count(), whole.columns);
    using number = arithmetic_t<T>;
    std::string const how = text + ", smoothing " + std::to_string(drawn.how.smoothing) + ", z " +
                            std::to_string(drawn.how.z_loss) + ", cap " + std::to_string(drawn.how.cap);
    if (drawn.how.cap == 0) return check_losses<T>(from, how, whole, drawn, detail::no_cap<T>{});
    detail::soft_cap<T> const cap{static_cast<number>(drawn.how.cap), static_cast<number>(1 / drawn.how.cap)};
    check_losses<T>(from, how, whole, drawn, cap);
  });
}
TEST(ShardedRowsOnHost, CrossEntropy) {
  for (std::uint64_t seed = 1; seed < 76 && !HasFailure(); ++seed) {
    check_cross_entropy<float>(seed);
    check_cross_entropy<double>(seed);
    check_cross_entropy<__half>(seed);
    check_cross_entropy<__nv_bfloat16>(seed);
  }
}

template <class T>
void check_softmax(std::uint64_t seed) {
  with_rows<T>(seed, 700, [](case_draw& from, std::string const& text, whole_rows<T> const& whole) {
    using number = arithmetic_t<T>;
    std::int64_t const rows = whole.count();
    int const ranks = from.one_of({1, 2, 3, 4, 8});
    bool const logarithms = from.chance(50), in_place = from.chance(50);
    auto const cut = cut_of(from, whole.columns, ranks);
    auto const random = from.bits();
    of_all_ranks<tessera::exp_sum<number>> sums(ranks, rows);
    of_all_ranks<number> lses(ranks, rows);
    arithmetic const in = arithmetic_of<number>();
    host_ranks all(ranks);
    all.run([&](host_ranks::rank const& rank) {
      shard const part = cut[static_cast<std::size_t>(rank.index())];
      own_rows<T> x(whole, part, 1, 1), apart(whole, part, 0, 0);
      detail::gathered_logits<number> const parts{nullptr, rows, 2};
      auto* const own_sums = sums.of(rank.index());
      auto const local = [&](number* own) {
        return fold(x, detail::logits_fold<T, detail::no_cap>{},
                    detail::store_logit_part<T, detail::no_cap>{own, parts, x.first(), x.stride(), {}, {}, 0, {}});
      };
      detail::row_losses<T> of_row;
      of_row.out = lses.of(rank.index());
      EXPECT_EQ(detail::combine_rows(rank, parts, part, detail::join_logit_parts{},
                                     detail::store_whole_losses<T>{of_row, nullptr}, local),
                cudaSuccess);
      EXPECT_EQ(detail::combine_rows(rank, parts, part, detail::join_logit_parts{},
                                     detail::store_exp_sums<number>{own_sums}, local),
                cudaSuccess);
      case_draw of_rank(random + static_cast<std::uint64_t>(rank.index()));
      auto& to = in_place ? x : apart;
      map_known(of_rank, x, to, detail::softmax_map<T>{logarithms}, own_sums);
      EXPECT_TRUE(x.is_intact() && apart.is_intact());
      for (std::int64_t r = 0; r < rows; ++r) {
        auto const row = whole.row(r);
        auto const expected = expected_softmax(row, whole.columns, logarithms);
        double greatest = -std::numeric_limits<double>::infinity();
        for (double value : row) greatest = std::max(greatest, value);
        for (std::int64_t c = 0; c < part.count; ++c) {
          auto const at = static_cast<std::size_t>(part.begin + c);
          double const distance = std::isfinite(greatest) ? std::abs(row[at] - greatest) : 0;
          bool const finite = std::isfinite(expected[at]);
          double const more = 4 * ranks * in.unit * (logarithms ? 1 : expected[at]);
          expectation const allowed = rounded_result<T>(
              {expected[at], finite ? softmax_error(expected[at], distance, logarithms, in) + more : 0,
               finite && distance > in.most / 2});
          // A logarithm of 0 or a softmax of 1 needn't be exact, but zeros have one sign.
          bool const good = allowed.error == 0 && finite ? to.at(r, c) == expected[at] : allowed.allows(to.at(r, c));
          if (!good) {
            ADD_FAILURE() << to.at(r, c) << ", not " << expected[at] << " to within " << allowed.error << ", row " << r
                          << ", column " << at << " over " << ranks << (logarithms ? ", logarithm" : "") << text;
            return;
          }
        }
      }
    });
    (void)sums.checked();
    auto const& lse = lses.checked();
    for (std::int64_t r = 0; r < rows; ++r) {
      loss_choice how;
      how.columns_per_rounding = whole.columns / (whole.columns / 512.0 + 4 * ranks);
      auto const expected = expected_loss(whole.row(r), 0, how, in).lse();
      ASSERT_TRUE(expected.allows(lse[static_cast<std::size_t>(r)]))
          << "lse " << lse[static_cast<std::size_t>(r)] << ", not " << expected.value << text;
    }
  });
}
TEST(ShardedRowsOnHost, Softmax) {
  for (std::uint64_t seed = 1; seed < 120 && !HasFailure(); ++seed) {
    check_softmax<float>(seed);
    check_softmax<double>(seed);
    check_softmax<__half>(seed);
    check_softmax<__nv_bfloat16>(seed);
  }
}

template <class T>
void check_norm(std::uint64_t seed) {
  with_rows<T>(seed, 700, [](case_draw& from, std::string const& text, whole_rows<T> const& whole) {
    using number = arithmetic_t<T>;
    using moments_t = tessera::moments<number>;
    std::int64_t const rows = whole.count();
    int const ranks = from.one_of({1, 2, 3, 4, 8});
    bool const centered = from.chance(50), in_place = from.chance(50), has_weight = from.chance(50);
    auto const epsilon = static_cast<number>(from.one_of({0x1p-17, 0.0, 1.0}));
    auto const cut = cut_of(from, whole.columns, ranks);
    auto const random = from.bits();
    std::vector<T> weight, bias;
    for (int c = 0; c < whole.columns; ++c) {
      weight.push_back(convert<T>(static_cast<number>(from.real(-2, 2))));
      bias.push_back(convert<T>(static_cast<number>(from.real(-1, 1))));
    }
    of_all_ranks<moments_t> results(ranks, rows);
    arithmetic const in = arithmetic_of<number>();
    host_ranks all(ranks);
    all.run([&](host_ranks::rank const& rank) {
      shard const part = cut[static_cast<std::size_t>(rank.index())];
      own_rows<T> x(whole, part, 1, 1), apart(whole, part, 0, 0);
      moments_t* const moments = results.of(rank.index());
      auto const local = [&](moments_t* own) {
        return fold(x, detail::norm_map<T>{nullptr, nullptr, 0, centered}, store_result<moments_t>{own});
      };
      detail::store_whole_moments<number> const store{moments, static_cast<number>(whole.columns)};
      EXPECT_EQ(detail::combine_rows(rank, detail::gathered_rows<moments_t>{nullptr, rows}, part, tessera::welford{},
                                     store, local),
                cudaSuccess);
      case_draw of_rank(random + static_cast<std::uint64_t>(rank.index()));
      auto& to = in_place ? x : apart;
      // Weights at any address, as in the middle of an array.
      detail::norm_map<T> const map{has_weight ? weight.data() + part.begin : nullptr,
                                    has_weight ? bias.data() + part.begin : nullptr, epsilon, centered};
      auto const task = x.task(to);
      if (task.column_count > 0)
        map_known_by<detail::row_shape<false, 64, 2, 1, 64>>(task, map, moments,
                                                             static_cast<unsigned>(of_rank.number(1, 3)));
      EXPECT_TRUE(x.is_intact() && apart.is_intact());
      for (std::int64_t r = 0; r < rows; ++r) {
        auto const row = whole.row(r);
        expected_norm const expected(row, static_cast<double>(epsilon), centered, in);
        for (std::int64_t c = 0; c < part.count; ++c) {
          auto const at = static_cast<std::size_t>(part.begin + c);
          double const w = has_weight ? static_cast<double>(convert<number>(weight[at])) : 1,
                       b = has_weight ? static_cast<double>(convert<number>(bias[at])) : 0;
          auto const allowed = rounded_result<T>(expected.of(row[at], w, b, 4 + 4 * ranks + whole.columns / 64.0, in));
          bool const good = allowed.error == 0 ? to.at(r, c) == allowed.value : allowed.allows(to.at(r, c));
          if (!good && !allowed.any) {
            ADD_FAILURE() << to.at(r, c) << ", not " << allowed.value << " to within " << allowed.error << ", row " << r
                          << ", column " << at << " over " << ranks << (centered ? ", centered" : "") << text;
            return;
          }
        }
      }
    });
    for (auto const& moments : results.checked()) EXPECT_EQ(moments.count, static_cast<number>(whole.columns));
  });
}
TEST(ShardedRowsOnHost, Norms) {
  for (std::uint64_t seed = 1; seed < 120 && !HasFailure(); ++seed) {
    check_norm<float>(seed);
    check_norm<double>(seed);
    check_norm<__half>(seed);
    check_norm<__nv_bfloat16>(seed);
  }
}

/// The columns of a part of a row in order: of equal ones, and of NaNs, which come last, the lower first.
template <class T, class Before>
std::vector<std::int64_t> order_of(std::vector<T> const& row, shard const& part, Before const& before) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(part.count));
  std::iota(order.begin(), order.end(), part.begin);
  auto const at = [&](std::int64_t column) { return row[static_cast<std::size_t>(column)]; };
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return before(at(a), at(b)); });
  return order;
}

/// Stores the first k of a rank's rows as top_k_rows does, with its own columns.
template <class T, class Before>
void store_top_k(whole_rows<T> const& whole, shard const& part, std::int64_t k, T rest, Before const& before, T* values,
                 std::int32_t* columns) {
  for (std::int64_t r = 0; r < whole.count(); ++r) {
    auto const& row = whole.rows[static_cast<std::size_t>(r)];
    auto const order = order_of(row, part, before);
    for (std::int64_t i = 0; i < k; ++i) {
      bool const exists = i < part.count;
      std::int64_t const column = exists ? order[static_cast<std::size_t>(i)] : -1;
      columns[r * k + i] = exists ? static_cast<std::int32_t>(column - part.begin) : -1;
      values[r * k + i] = exists ? row[static_cast<std::size_t>(column)] : rest;
    }
  }
}

template <class T, class Index, class Before>
void check_top_k(std::uint64_t seed, Before const& before) {
  with_rows<T>(seed, 150, [&](case_draw& from, std::string const& text, whole_rows<T> const& whole) {
    int const ranks = from.one_of({1, 2, 3, 4, 8});
    std::int64_t const k = from.number(0, 40), rows = whole.count();
    auto const cut = cut_of(from, whole.columns, ranks);
    T const rest = convert<T>(arithmetic_t<T>(-5));
    bool const has_values = from.chance(80);
    host_ranks all(ranks);
    all.run([&](host_ranks::rank const& rank) {
      shard const part = cut[static_cast<std::size_t>(rank.index())];
      std::vector<T> values(static_cast<std::size_t>(rows * k) + 1, convert<T>(arithmetic_t<T>(77)));
      std::vector<Index> indices(values.size(), -7);
      auto const local = [&](T* own, std::int32_t* columns) {
        EXPECT_GT(part.count, 0);
        store_top_k(whole, part, k, rest, before, own, columns);
        return cudaSuccess;
      };
      EXPECT_EQ(detail::top_k_of_whole_rows(rank, rows, part, k, has_values ? values.data() : nullptr, indices.data(),
                                            before, rest, local),
                cudaSuccess);
      EXPECT_EQ(indices.back(), -7);
      for (std::int64_t r = 0; r < rows; ++r) {
        auto const& row = whole.rows[static_cast<std::size_t>(r)];
        auto const order = order_of(row, {0, whole.columns, whole.columns}, before);
        for (std::int64_t i = 0; i < k; ++i) {
          auto const at = static_cast<std::size_t>(r * k + i);
          bool const exists = i < whole.columns;
          std::int64_t const column = exists ? order[static_cast<std::size_t>(i)] : -1;
          T const expected = exists ? row[static_cast<std::size_t>(column)] : rest;
          bool const good =
              indices[at] == column && (!has_values || std::memcmp(&values[at], &expected, sizeof(T)) == 0);
          if (!good) {
            ADD_FAILURE() << "column " << indices[at] << ", not " << column << ", result " << i << " of " << k
                          << ", row " << r << " over " << ranks << text;
            return;
          }
        }
      }
    });
  });
}
TEST(ShardedRowsOnHost, TopK) {
  using tessera::greater;
  using tessera::less;
  for (std::uint64_t seed = 1; seed < 76 && !HasFailure(); ++seed) {
    check_top_k<float, std::int64_t>(seed, tessera::detail::canonical_comparator_t<greater, float>{});
    check_top_k<double, std::int32_t>(seed, tessera::detail::canonical_comparator_t<less, double>{});
    check_top_k<__half, std::int32_t>(seed, tessera::detail::canonical_comparator_t<greater, __half>{});
    check_top_k<__nv_bfloat16, std::int64_t>(seed, tessera::detail::canonical_comparator_t<less, __nv_bfloat16>{});
  }
}

struct draws {
  std::vector<std::int64_t> ids;
  std::vector<float> logprobs;
};

/// What sample_rows does.
template <class T>
draws drawn_from(T const* first, std::int64_t rows, std::int64_t columns, tessera::grid::sample_options options,
                 std::vector<std::uint64_t> const& seeds) {
  using shape = detail::sample_shape<64, 32, 2>;
  draws out{std::vector<std::int64_t>(static_cast<std::size_t>(rows), -7),
            std::vector<float>(static_cast<std::size_t>(rows), 7)};
  options.logprobs = out.logprobs.data();
  detail::sample_task<T, std::int64_t> const task{first,   columns,      static_cast<int>(columns),
                                                  options, seeds.data(), out.ids.data()};
  std::vector<detail::sample_storage<shape>> storage(static_cast<std::size_t>(rows));
  host::launch_grid(static_cast<unsigned>(rows), shape::threads, [&](host::block block) {
    std::int64_t const row = block.group_index().x;
    detail::sample_block<shape, host::block> const team(block, storage[static_cast<std::size_t>(row)]);
    detail::sample_row<shape>(team, task, row);
  });
  return out;
}

/// The ids and logarithms of whole rows, by the candidates alone.
template <class T>
void check_sample(std::uint64_t seed) {
  with_rows<T>(seed, 300, [](case_draw& from, std::string const& text, whole_rows<T> const& whole) {
    int const ranks = from.one_of({1, 2, 3, 4, 8});
    std::int64_t const rows = whole.count();
    tessera::grid::sample_options options;
    options.temperature = static_cast<float>(from.one_of({0.0, 0.5, 1.0, 3.0}));
    options.top_k = static_cast<std::int32_t>(from.one_of<std::int64_t>({1, 3, 17, 50, 299, 1000}));
    options.top_p = static_cast<float>(from.one_of({1.0, 0.9, 0.3}));
    options.min_p = static_cast<float>(from.one_of({0.0, 0.0, 0.1}));
    bool const is_greedy = options.temperature.value == 0;
    std::int64_t const total = std::max(whole.columns, 1), wanted = is_greedy ? 1 : options.top_k.value,
                       k = std::min(wanted, total);
    std::vector<std::uint64_t> seeds;
    std::vector<T> dense(1);
    for (auto const& row : whole.rows) {
      seeds.push_back(from.bits());
      dense.insert(dense.end() - 1, row.begin(), row.end());
    }
    draws const expected = drawn_from(dense.data(), rows, whole.columns, options, seeds);
    auto const cut = cut_of(from, whole.columns, ranks);
    T const rest = tessera::detail::lowest<T>();
    host_ranks all(ranks);
    all.run([&](host_ranks::rank const& rank) {
      shard const part = cut[static_cast<std::size_t>(rank.index())];
      std::vector<std::int64_t> ids(static_cast<std::size_t>(rows) + 1, -7);
      std::vector<float> logprobs;
      auto const local = [&](T* values, std::int32_t* columns) {
        store_top_k(whole, part, k, rest, tessera::detail::canonical_comparator_t<tessera::greater, T>{}, values,
                    columns);
        for (std::int64_t r = 0; r < rows; ++r) {
          std::vector<std::pair<std::int32_t, T>> pairs;
          for (std::int64_t i = r * k; i < r * k + k; ++i) pairs.emplace_back(columns[i], values[i]);
          std::stable_sort(pairs.begin(), pairs.end(), [](auto const& a, auto const& b) { return a.first < b.first; });
          for (std::int64_t i = 0; i < k; ++i) {
            columns[r * k + i] = pairs[static_cast<std::size_t>(i)].first;
            values[r * k + i] = pairs[static_cast<std::size_t>(i)].second;
          }
        }
        return cudaSuccess;
      };
      auto const sample = [&](T* values, std::int64_t count) {
        draws const got = drawn_from(values, rows, count, options, seeds);
        std::copy(got.ids.begin(), got.ids.end(), ids.begin());
        logprobs = got.logprobs;
        return cudaSuccess;
      };
      EXPECT_EQ(detail::sample_whole_rows(rank, rows, part, k, ids.data(), rest, local, sample), cudaSuccess);
      EXPECT_EQ(ids.back(), -7);
      for (std::size_t r = 0; r < expected.ids.size(); ++r) {
        bool const good = ids[r] == expected.ids[r] && same_bits(logprobs[r], expected.logprobs[r]);
        if (!good) {
          ADD_FAILURE() << "column " << ids[r] << ", not " << expected.ids[r] << "; logarithm " << logprobs[r]
                        << ", not " << expected.logprobs[r] << ", row " << r << ", k " << k << ", temperature "
                        << options.temperature.value << ", top_p " << options.top_p.value << " over " << ranks << text;
          return;
        }
      }
    });
  });
}
TEST(ShardedRowsOnHost, Sample) {
  for (std::uint64_t seed = 1; seed < 76 && !HasFailure(); ++seed) {
    check_sample<float>(seed);
    check_sample<__half>(seed);
    check_sample<__nv_bfloat16>(seed);
  }
}

/// Filters as they come: each a number for all rows, or one for each.
template <class N>
tessera::grid::per_row<N> filter_of(case_draw& from, std::vector<N>& values, std::size_t rows,
                                    std::initializer_list<double> choices) {
  auto const one = [&] { return static_cast<N>(from.one_of<double>(choices)); };
  if (from.one_of({0, 1, 2}) > 0) return one();
  for (std::size_t r = 0; r < rows; ++r) values.push_back(one());
  return values.data();
}

/// The ids, logarithms and probabilities of whole rows, without top_k or with any, by sums over ranks.
template <class T>
void check_parts(std::uint64_t seed) {
  with_rows<T>(seed, 300, [](case_draw& from, std::string const& text, whole_rows<T> const& whole) {
    using shape = detail::sample_shape<64, 32, 2>;
    int const ranks = from.one_of({1, 2, 3, 4, 8});
    std::int64_t const rows = whole.count(), columns = whole.columns;
    auto const row_count = static_cast<std::size_t>(rows);
    tessera::grid::sample_options options;
    std::vector<float> temperatures, top_ps, min_ps;
    std::vector<std::int32_t> top_ks;
    options.temperature = filter_of(from, temperatures, row_count, {0.0, 0.5, 1.0, 1.0, 3.0, 40.0});
    options.top_k = filter_of(from, top_ks, row_count, {0, 0, 0, 1, 3, 17, 50, 299, 1000});
    options.top_p = filter_of(from, top_ps, row_count, {1.0, 1.0, 0.9, 0.5, 0.1, 0.0});
    options.min_p = filter_of(from, min_ps, row_count, {0.0, 0.0, 0.1, 0.7, 1.0});
    std::vector<std::uint64_t> seeds;
    std::vector<T> dense(1);
    for (auto const& row : whole.rows) {
      seeds.push_back(from.bits());
      dense.insert(dense.end() - 1, row.begin(), row.end());
    }
    draws const expected = drawn_from(dense.data(), rows, columns, options, seeds);
    std::vector<T> probabilities(dense.size());
    detail::renormalize_task<T> const task{dense.data(),         columns, static_cast<int>(columns), options,
                                           probabilities.data(), columns};
    std::vector<detail::sample_storage<shape>> storage(row_count);
    if (rows > 0 && columns > 0)
      host::launch_grid(static_cast<unsigned>(rows), shape::threads, [&](host::block block) {
        std::int64_t const row = block.group_index().x;
        detail::sample_block<shape, host::block> const team(block, storage[static_cast<std::size_t>(row)]);
        detail::renormalize_row<shape>(team, task, row);
      });
    auto const cut = cut_of(from, whole.columns, ranks);
    host_ranks all(ranks);
    all.run([&](host_ranks::rank const& rank) {
      shard const part = cut[static_cast<std::size_t>(rank.index())];
      std::vector<T> own(1), out;
      for (auto const& row : whole.rows)
        own.insert(own.end() - 1, row.begin() + part.begin, row.begin() + part.begin + part.count);
      std::vector<std::int64_t> ids(row_count + 1, -7);
      std::vector<float> logprobs(row_count + 1, 7);
      tessera::grid::sample_options of_rank = options;
      of_rank.logprobs = logprobs.data();
      EXPECT_EQ(
          detail::sample_parts<shape>(rank, own.data(), part.count, rows, part, seeds.data(), ids.data(), of_rank),
          cudaSuccess);
      EXPECT_EQ(ids.back(), -7);
      EXPECT_EQ(logprobs.back(), 7);
      for (std::size_t r = 0; r < row_count; ++r) {
        bool const good = ids[r] == expected.ids[r] && same_bits(logprobs[r], expected.logprobs[r]);
        if (!good) {
          ADD_FAILURE() << "column " << ids[r] << ", not " << expected.ids[r] << "; logarithm " << logprobs[r]
                        << ", not " << expected.logprobs[r] << ", row " << r << " over " << ranks << text;
          return;
        }
      }
      // In place.
      EXPECT_EQ(
          detail::renormalize_parts<shape>(rank, own.data(), part.count, rows, part, own.data(), part.count, options),
          cudaSuccess);
      for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t c = 0; c < part.count; ++c) {
          T const got = own[static_cast<std::size_t>(r * part.count + c)],
                  wanted = probabilities[static_cast<std::size_t>(r * columns + part.begin + c)];
          if (!same_bits(got, wanted)) {
            ADD_FAILURE() << "row " << r << ", column " << part.begin + c << " over " << ranks << text;
            return;
          }
        }
      }
    });
  });
}
TEST(ShardedRowsOnHost, SampleByParts) {
  for (std::uint64_t seed = 1; seed < 31 && !HasFailure(); ++seed) {
    check_parts<float>(seed);
    check_parts<__half>(seed + 1000);
    check_parts<__nv_bfloat16>(seed + 2000);
  }
}

/// Own columns, and those of other ranks.
TEST(ShardedRowsOnHost, OwnColumns) {
  detail::own_columns const columns{5, 3};
  for (int column : {0, 4, 8, 9, INT32_MAX}) EXPECT_EQ(columns.own(column), detail::own_columns::elsewhere);
  for (int column : {5, 6, 7}) EXPECT_EQ(columns.own(column), column - 5);
  EXPECT_EQ(columns.own(detail::row_targets::none), detail::row_targets::none);
  EXPECT_EQ(columns.own(detail::row_targets::left_out), detail::row_targets::left_out);
  EXPECT_FALSE((detail::own_columns{0, 0}.have(0)));
}

/// An error of the local step is the call's.
TEST(ShardedRowsOnHost, Errors) {
  host_ranks all(1);
  all.run([](host_ranks::rank const& rank) {
    float got = 1;
    auto const fails = [](float*) { return cudaErrorLaunchFailure; };
    EXPECT_EQ(detail::combine_rows(rank, detail::gathered_rows<float>{nullptr, 1}, {0, 5, 5}, tessera::plus{},
                                   store_result<float>{&got}, fails),
              cudaErrorLaunchFailure);
    EXPECT_EQ(got, 1);
  });
}

}  // namespace
