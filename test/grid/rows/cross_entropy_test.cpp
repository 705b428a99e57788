// The cross entropy of rows, its gradient and the log-sum-exp through the bodies of the kernels, on host tiles, against
// sums in long double.
#include <tessera/grid/rows/cross_entropy_map.hpp>
#include <tessera/grid/rows/fold_rows.hpp>
#include <tessera/grid/rows/log_sum_exp_fold.hpp>
#include <tessera/host/launch.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "cross_entropy_references.hpp"
#include "oracle/halves.hpp"
#include "random_cases.hpp"
#include "rows_on_host.hpp"
#include "with_type_of.hpp"

namespace {

using namespace test;
using namespace tessera::grid::detail;
using tessera::detail::convert;
namespace host = tessera::host;

template <class Shape, class Body>
void launch(std::int64_t rows, Body body) {
  constexpr std::int64_t each = Shape::rows_per_tile * Shape::tiles;
  host::launch_grid(static_cast<unsigned>((rows + each - 1) / each), Shape::block_threads, body);
}

/// Rows of logits with gaps between them, from some elements after a multiple of 16 bytes on; their targets, factors
/// and results.
template <class T>
struct rows_of_logits {
  using number = arithmetic_t<T>;
  static T gap() { return convert<T>(-77.0f); }
  std::int64_t rows, stride;
  int columns;
  std::size_t offset;
  std::vector<T> memory;
  bool has_64_bits;
  std::vector<std::int32_t> targets;
  std::vector<std::int64_t> long_targets;
  std::vector<number> factors, loss, lse;
  loss_choice how;

  rows_of_logits(std::int64_t rows_, int columns_, std::int64_t stride_, std::size_t offset_)
      : rows(rows_),
        stride(stride_),
        columns(columns_),
        offset(offset_),
        memory(static_cast<std::size_t>(rows_ * stride_) + 40, gap()),
        has_64_bits(columns_ % 2 == 0),
        targets(static_cast<std::size_t>(rows_)),
        long_targets(targets.size()),
        factors(targets.size(), number(1)),
        loss(targets.size(), number(-77)),
        lse(targets.size(), number(-77)) {}

  T* first() {
    auto const ahead = reinterpret_cast<std::uintptr_t>(memory.data()) % 16 / sizeof(T);
    return memory.data() + 16 / sizeof(T) - ahead + offset;
  }
  T& at(std::int64_t r, int c) { return first()[r * stride + c]; }
  void set(std::int64_t r, int c, double x) { at(r, c) = convert<T>(static_cast<number>(x)); }
  double get(std::int64_t r, int c) { return static_cast<double>(convert<number>(at(r, c))); }
  std::vector<double> row(std::int64_t r) {
    std::vector<double> x;
    for (int c = 0; c < columns; ++c) x.push_back(get(r, c));
    return x;
  }
  void set_target(std::int64_t r, std::int64_t to) {
    targets[static_cast<std::size_t>(r)] = static_cast<std::int32_t>(to);
    long_targets[static_cast<std::size_t>(r)] = to;
  }
  /// Whether what is beside the rows is as it was.
  bool is_intact() {
    auto const before = first() - memory.data();
    for (std::size_t i = 0; i < memory.size(); ++i) {
      std::int64_t const from_first = static_cast<std::int64_t>(i) - before;
      bool const in_row = from_first >= 0 && from_first < rows * stride && from_first % stride < columns;
      T const as_made = gap();
      if (!in_row && std::memcmp(&memory[i], &as_made, sizeof(T)) != 0) return false;
    }
    return true;
  }

  row_losses<T> losses(row_result what) {
    row_losses<T> of;
    of.what = what;
    of.out = loss.data();
    of.lse = what == row_result::cross_entropy ? lse.data() : nullptr;
    of.targets = {has_64_bits ? static_cast<void const*>(long_targets.data()) : targets.data(), has_64_bits,
                  how.ignores, how.ignored};
    of.smoothing = static_cast<number>(how.smoothing);
    of.z_loss = static_cast<number>(how.z_loss);
    of.column_count = columns;
    return of;
  }
  row_task<T> task(rows_of_logits& to) { return {first(), to.first(), stride, to.stride, rows, columns, nullptr}; }
};

/// Calls f(cap) with no_cap or soft_cap.
template <class T, class F>
void with_cap(double cap, F f) {
  if (cap == 0) return f(no_cap<T>{});
  f(soft_cap<T>{static_cast<arithmetic_t<T>>(cap), static_cast<arithmetic_t<T>>(1 / cap)});
}

template <template <class> class Cap, class T>
cross_entropy_map<T, Cap> map_of(rows_of_logits<T>& x, Cap<T> const& cap) {
  using number = arithmetic_t<T>;
  auto const smoothing = static_cast<number>(x.how.smoothing);
  return {{cap, x.how.smoothing > 0},
          x.losses(row_result::cross_entropy),
          smoothing / static_cast<number>(x.columns),
          static_cast<number>(x.how.factor),
          x.factors.data()};
}
template <template <class> class Cap, class T>
store_losses<T, Cap> store_of(rows_of_logits<T>& x, row_losses<T> const& losses, Cap<T> const& cap) {
  return {losses.out, x.first(), x.stride, cap, losses};
}

/// The number of each way to reduce rows, and to map them.
constexpr int fold_ways = 5, map_ways = 8;

template <template <class> class Cap, class T>
void fold_by(int way, rows_of_logits<T>& x, row_result what, Cap<T> const& cap) {
  logits_fold<T, Cap> const fold{cap, x.how.smoothing > 0};
  auto const store = store_of(x, x.losses(what), cap);
  auto const task = x.task(x);
  if (way < 2) {
    using shape = row_shape<false, 64, 1, 1, 64>;
    unsigned const splits = way == 0 ? 1 : 3, blocks = static_cast<unsigned>(x.rows) * splits;
    using value = logit_sums<arithmetic_t<T>>;
    unsigned const part_count = row_parts::of<shape, T>(x.columns).count;
    std::vector<value> parts(static_cast<std::size_t>(x.rows) * part_count);
    std::vector<unsigned> counters(static_cast<std::size_t>(x.rows));
    std::vector<part_storage<shape, value>> storage(blocks);
    host::launch_grid(blocks, 64, [&](host::block block) {
      fold_large_rows<shape>(block, task, fold, splits, parts.data(), counters.data(), storage[block.group_index().x],
                             store);
    });
  } else if (way == 2) {
    using shape = row_shape<false, 32, 2, 1, 64>;
    launch<shape>(x.rows, [&](host::block block) { fold_medium_rows<shape>(block, task, fold, store); });
  } else if (way == 3) {
    using shape = row_shape<false, 16, 24, 2, 64>;
    launch<shape>(x.rows, [&](host::block block) { fold_rows<shape>(block, task, fold, store); });
  } else {
    using shape = row_shape<false, 32, 12, 1, 64>;
    launch<shape>(x.rows, [&](host::block block) { fold_rows<shape>(block, task, fold, store); });
  }
}

template <template <class> class Cap, class T>
void map_by(int way, rows_of_logits<T>& x, rows_of_logits<T>& gradient, Cap<T> const& cap) {
  using number = arithmetic_t<T>;
  auto const map = map_of(x, cap);
  auto const task = x.task(gradient);
  if (way == 0) {
    using shape = row_shape<false, 64, 1, 1, 64>;
    unsigned const splits = 3, blocks = static_cast<unsigned>(x.rows) * splits;
    unsigned const part_count = row_parts::of<shape, T>(x.columns).count;
    std::vector<logit_sums<number>> parts(static_cast<std::size_t>(x.rows) * part_count);
    std::vector<part_storage<shape, logit_sums<number>>> storage(blocks);
    host::launch_grid(blocks, 64, [&](host::block block) {
      measure_parts<shape>(block, task, map, splits, parts.data(), storage[block.group_index().x]);
    });
    // One block after the other may overwrite the logits of its own part.
    host::launch_grid(blocks, 64,
                      [&](host::block block) { map_rows_again<shape>(block, task, map, parts.data(), splits); });
  } else if (way == 1) {
    using shape = row_shape<false, 16, 24, 1, 64>;
    launch<shape>(x.rows, [&](host::block block) { map_rows<shape>(block, task, map); });
  } else if (way == 2) {
    using shape = row_shape<false, 64, 6, 1, 64>;
    launch<shape>(x.rows, [&](host::block block) { map_rows<shape>(block, task, map); });
  } else if (way == 3) {
    using shape = block_shape<false, 3, 128>;
    std::vector<row_block_storage<number>> storage(static_cast<std::size_t>(x.rows));
    host::launch_grid(static_cast<unsigned>(x.rows), 128, [&](host::block block) {
      map_block_rows<shape>(block, task, map, storage[block.group_index().x]);
    });
  } else if (way == 4) {
    using shape = block_shape<false, 24, 128>;
    host::launch_grid(static_cast<unsigned>((x.rows + 7) / 8), 128,
                      [&](host::block block) { map_rows_by_lanes<shape>(block, task, map, 16); });
  } else if (way == 5) {
    using shape = row_shape<false, 4, 96, 2, 64>;
    launch<shape>(x.rows, [&](host::block block) { map_rows<shape>(block, task, map); });
  } else if (way == 6) {
    map_by_host_clusters<block_shape<false, 2, 64>, 64>(task, map, 4);
  } else {
    map_in_host_passes<block_shape<false, 2, 64>>(task, map, 4, 64);
  }
}
constexpr int most_columns = 64 * 6 * 2 - 8;  // of doubles, in every way

template <class T>
void expect_losses(rows_of_logits<T>& x, std::vector<std::vector<double>> const& logits, std::string const& text,
                   rows_of_logits<T>* gradient = nullptr) {
  arithmetic const in = arithmetic_of<arithmetic_t<T>>();
  for (std::int64_t r = 0; r < x.rows && !testing::Test::HasFailure(); ++r) {
    auto const at = static_cast<std::size_t>(r);
    loss_choice how = x.how;
    how.columns_per_rounding = 64;  // tiles are small here
    how.factor *= static_cast<double>(x.factors[at]);
    std::int64_t const target = x.has_64_bits ? x.long_targets[at] : x.targets[at];
    expected_loss const expected(logits[at], target, how, in);
    auto const loss = expected.loss(), lse = expected.lse();
    ASSERT_TRUE(loss.allows(x.loss[at])) << "loss " << x.loss[at] << " of row " << r << ", target " << target
                                         << ", not " << loss.value << " to within " << loss.error << text;
    ASSERT_TRUE(lse.allows(x.lse[at])) << "lse " << x.lse[at] << " of row " << r << ", not " << lse.value << text;
    if (!gradient) continue;
    for (int c = 0; c < x.columns; ++c) {
      auto const slope = rounded_result<T>(expected.gradient(static_cast<std::size_t>(c)));
      ASSERT_TRUE(slope.allows(gradient->get(r, c)))
          << "gradient " << gradient->get(r, c) << " of row " << r << ", column " << c << ", target " << target
          << ", not " << slope.value << " to within " << slope.error << text;
    }
  }
}

template <class T>
std::vector<std::vector<double>> rows_in(rows_of_logits<T>& x) {
  std::vector<std::vector<double>> all;
  for (std::int64_t r = 0; r < x.rows; ++r) all.push_back(x.row(r));
  return all;
}

template <class T>
std::string text_of(rows_of_logits<T> const& x, std::string const& how) {
  return "; " + std::to_string(x.rows) + " x " + std::to_string(x.columns) + ", stride " + std::to_string(x.stride) +
         ", offset " + std::to_string(x.offset) + ", smoothing " + std::to_string(x.how.smoothing) + ", z " +
         std::to_string(x.how.z_loss) + ", cap " + std::to_string(x.how.cap) + ", factor " +
         std::to_string(x.how.factor) + ", " + how;
}

/// By way `fold_way` without a gradient, and by `map_way` with one, in place or not.
template <class T>
void check(rows_of_logits<T>& x, int fold_way, int map_way, bool in_place, std::string const& text) {
  auto const logits = rows_in(x);
  with_cap<T>(x.how.cap, [&](auto const& cap) {
    std::string const reduced = text_of(x, text + ", reduced in way " + std::to_string(fold_way));
    fold_by(fold_way, x, row_result::cross_entropy, cap);
    expect_losses(x, logits, reduced);
    if (x.columns == 0 || testing::Test::HasFailure()) return;
    for (auto& loss : x.loss) loss = -77;
    for (auto& lse : x.lse) lse = -77;
    rows_of_logits<T> apart(x.rows, x.columns, x.stride + 1, x.offset + 1);
    rows_of_logits<T>& gradient = in_place ? x : apart;
    map_by(map_way, x, gradient, cap);
    expect_losses(x, logits, text_of(x, text + ", mapped in way " + std::to_string(map_way)), &gradient);
    EXPECT_TRUE(gradient.is_intact());
  });
}

template <class T>
void check_random(std::uint64_t seed) {
  case_draw from(seed);
  int const columns = static_cast<int>(from.size(most_columns));
  rows_of_logits<T> x(from.number(1, 9), columns, columns + (from.chance(50) ? from.number(0, 5) : 0),
                      static_cast<std::size_t>(from.number(0, 3)));
  auto const in = arithmetic_of<arithmetic_t<T>>();
  drawn_values values(from, {in.most, in.least_normal, in.least});
  x.how.smoothing = from.one_of({0.0, 0.0, 0.1, 1.0, 0.5});
  x.how.z_loss = from.one_of({0.0, 0.0, 1e-4, 0.5});
  x.how.cap = from.one_of({0.0, 0.0, 30.0, 2.5});
  x.how.factor = from.one_of({1.0, 1.0, 1 / 128.0, -3.0});
  x.how.smoothing = static_cast<double>(static_cast<float>(x.how.smoothing));
  x.how.z_loss = static_cast<double>(static_cast<float>(x.how.z_loss));
  if (from.chance(20)) x.how.ignored = from.number(-1, 3);
  for (std::int64_t r = 0; r < x.rows; ++r) {
    for (int c = 0; c < columns; ++c) x.set(r, c, values.next());
    x.set_target(r, from.chance(75) && columns > 0 ? from.number(0, columns - 1)
                                                   : from.one_of<std::int64_t>({-100, -1, columns, columns + 1, -2}));
    x.factors[static_cast<std::size_t>(r)] = static_cast<arithmetic_t<T>>(from.one_of({1.0, 0.25, 0.0, 2.0}));
  }
  check(x, static_cast<int>(from.number(0, fold_ways - 1)), static_cast<int>(from.number(0, map_ways - 1)),
        from.chance(50), values.text());
}

/// Aligned rows.
template <class T>
void check_aligned(std::uint64_t seed) {
  case_draw from(seed);
  constexpr int width = static_cast<int>(row_vector_length<T>);
  int const columns = width * static_cast<int>(from.number(1, 63));
  rows_of_logits<T> x(from.number(1, 5), columns, columns + width * from.number(0, 2), 0);
  x.how.smoothing = from.one_of({0.0, 0.25});
  x.how.cap = from.one_of({0.0, 20.0});
  for (std::int64_t r = 0; r < x.rows; ++r) {
    for (int c = 0; c < columns; ++c) x.set(r, c, from.real(-6, 6));
    x.set_target(r, from.number(-1, columns - 1));
  }
  auto const logits = rows_in(x);
  bool const in_place = from.chance(50);
  rows_of_logits<T> apart(x.rows, columns, x.stride, 0);
  rows_of_logits<T>& gradient = in_place ? x : apart;
  with_cap<T>(x.how.cap, [&](auto const& cap) {
    auto const task = x.task(gradient);
    auto const map = map_of(x, cap);
    auto const store = store_of(x, x.losses(row_result::cross_entropy), cap);
    if (from.chance(50)) {
      using shape = row_shape<true, 64, 1, 1, 64>;
      launch<shape>(x.rows, [&](host::block block) { fold_rows<shape>(block, task, map.fold, store); });
      expect_losses(x, logits, text_of(x, "reduced, aligned"));
    }
    if (from.chance(50)) {
      using shape = row_shape<true, 8, 8, 1, 64>;
      launch<shape>(x.rows, [&](host::block block) { map_rows<shape>(block, task, map); });
    } else {
      using shape = block_shape<true, 1, 64>;
      std::vector<row_block_storage<arithmetic_t<T>>> storage(static_cast<std::size_t>(x.rows));
      host::launch_grid(static_cast<unsigned>(x.rows), 64, [&](host::block block) {
        map_block_rows<shape>(block, task, map, storage[block.group_index().x]);
      });
    }
    expect_losses(x, logits, text_of(x, "mapped, aligned"), &gradient);
  });
  EXPECT_TRUE(gradient.is_intact());
}

TEST(GridCrossEntropyOnHost, AlignedRows) {
  each_random_case(
      0.03, [](std::uint64_t seed) { with_type_of(seed, [&](auto zero) { check_aligned<decltype(zero)>(seed); }); });
}
TEST(GridCrossEntropyOnHost, RandomRows) {
  each_random_case(
      0.1, [](std::uint64_t seed) { with_type_of(seed, [&](auto zero) { check_random<decltype(zero)>(seed); }); });
}

/// Every way, at every place of the target in a row.
TEST(GridCrossEntropyOnHost, EveryTarget) {
  for (int const columns : {1, 2, 5, 8, 67}) {
    for (int way = 0; way < map_ways; ++way) {
      rows_of_logits<float> x(columns + 2, columns, columns + 1, static_cast<std::size_t>(way % 4));
      for (std::int64_t r = 0; r < x.rows; ++r) {
        for (int c = 0; c < columns; ++c) x.at(r, c) = static_cast<float>((r * 31 + c * 17) % 23) / 4.0f - 2.5f;
        x.set_target(r, r - 1);
      }
      check(x, way % fold_ways, way, way % 2 == 0, "every target");
      if (HasFailure()) return;
    }
  }
}

TEST(GridCrossEntropyOnHost, SpecialLogits) {
  float const inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  for (int const columns : {1, 3, 8, 40}) {
    for (int way = 0; way < map_ways; ++way) {
      for (double const smoothing : {0.0, 0.125}) {
        for (double const z : {0.0, 0.25}) {
          for (double const cap : {0.0, 20.0}) {
            rows_of_logits<float> x(9, columns, columns, 1);
            for (std::int64_t r = 0; r < x.rows; ++r) {
              for (int c = 0; c < columns; ++c) x.at(r, c) = static_cast<float>((r + c * 7) % 5);
              x.set_target(r, columns / 2);
            }
            for (int c = 0; c < columns; ++c) {
              x.at(0, c) = -inf;
              x.at(1, c) = inf;
              if (c != columns / 2) x.at(2, c) = -inf;
              x.at(5, c) = c % 2 ? 3e38f : -3e38f;
            }
            x.at(3, columns / 2) = -inf;
            x.at(4, columns - 1) = inf;
            x.at(6, 0) = nan;
            x.at(7, columns - 1) = nan;
            x.set_target(7, -100);
            x.set_target(8, columns);
            x.how = {smoothing, z, cap, 0.5};
            check(x, way % fold_ways, way, way % 2 == 1, "special logits");
            if (HasFailure()) return;
          }
        }
      }
    }
  }
}

/// The other results of a reduction.
TEST(GridCrossEntropyOnHost, LogSumExpAndLogProbability) {
  for (int const columns : {0, 1, 7, 300}) {
    for (int way = 0; way < fold_ways; ++way) {
      rows_of_logits<double> x(5, columns, columns + 2, 1);
      for (std::int64_t r = 0; r < x.rows; ++r) {
        for (int c = 0; c < columns; ++c) x.at(r, c) = static_cast<double>((r * 5 + c * 3) % 11);
        x.set_target(r, r == 4 ? -100 : r);
      }
      x.how.ignores = false;
      auto const logits = rows_in(x);
      fold_by(way, x, row_result::log_sum_exp, no_cap<double>{});
      auto const lse = x.loss;
      fold_by(way, x, row_result::log_probability, no_cap<double>{});
      for (std::int64_t r = 0; r < x.rows; ++r) {
        auto const at = static_cast<std::size_t>(r);
        expected_loss const expected(logits[at], x.long_targets[at], x.how, arithmetic_of<double>());
        ASSERT_TRUE(expected.lse().allows(lse[at])) << columns << " columns, way " << way << ": " << lse[at];
        ASSERT_TRUE(expected.loss().allows(-x.loss[at])) << columns << " columns, way " << way << ": " << x.loss[at];
      }
    }
  }
}

}  // namespace
