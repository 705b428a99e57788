// Norms of the sum of two matrices through the bodies of the kernels, on host tiles: the sums are those of the elements,
// and the norms have the bits that norm_map gives of them.
#include <tessera/grid/rows/add_norm_map.hpp>
#include <tessera/grid/rows/fold_rows.hpp>
#include <tessera/host/launch.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "maps_on_host.hpp"
#include "oracle/halves.hpp"
#include "random_cases.hpp"
#include "with_type_of.hpp"

namespace {

using namespace test;
using namespace tessera::grid::detail;
using tessera::detail::convert;
namespace host = tessera::host;

template <class T>
void check(std::uint64_t seed) {
  using number = arithmetic_t<T>;
  case_draw from(seed);
  constexpr int width = static_cast<int>(row_vector_length<T>);
  bool const aligned = from.chance(40);
  int const columns = aligned ? width * static_cast<int>(from.number(1, 60))
                              : static_cast<int>(from.number(1, 250 * width > 400 ? 400 : 250 * width));
  auto const gap = [&] { return aligned ? width * from.number(0, 2) : from.number(0, 5); };
  auto const offset = [&] { return aligned ? std::size_t{0} : static_cast<std::size_t>(from.number(0, 3)); };
  std::int64_t const rows = from.number(1, 7);
  rows_of<T> in(rows, columns, columns + gap(), offset()), residual(rows, columns, columns + gap(), offset()),
      apart(rows, columns, columns + gap(), offset());
  rows_of<T> sums = residual;
  bool const in_place = from.chance(50);
  rows_of<T>& out = in_place ? in : apart;
  double const most = from.one_of({1.0, 100.0, 1e-3});
  for (std::int64_t r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      double const special = from.chance(1) ? std::numeric_limits<double>::infinity() : 0;
      in.at(r, c) = convert<T>(static_cast<number>(from.real(-most, most) + (seed % 7 == 0 ? special : 0)));
      residual.at(r, c) = convert<T>(static_cast<number>(from.real(-4, 4)));
      sums.at(r, c) =
          convert<T>(static_cast<number>(convert<number>(in.at(r, c)) + convert<number>(residual.at(r, c))));
    }
  }
  std::vector<T> parameters(static_cast<std::size_t>(2 * columns) + 16, convert<T>(0.75f));
  T* weight = parameters.data();
  while (reinterpret_cast<std::uintptr_t>(weight) % 16 != 0) ++weight;
  for (int c = 0; c < columns; ++c) weight[c] = convert<T>(static_cast<number>(from.real(0.5, 1.5)));
  norm_map<T> const norm{from.chance(50) ? weight : nullptr, nullptr, static_cast<number>(1e-5), from.chance(50)};
  int const way = static_cast<int>(from.number(0, ways - 1));
  SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns) + ", way " + std::to_string(way) +
               (aligned ? ", aligned" : "") + (in_place ? ", in place" : ""));

  // The norm of the sums, at the place of `in`, so that lanes hold the same columns.
  rows_of<T> summed = in, plain = out;
  for (std::int64_t r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) summed.at(r, c) = sums.at(r, c);
  }
  map_by(way, aligned, row_task<T>{summed.first(), plain.first(), in.stride, out.stride, rows, columns, nullptr}, norm);
  add_norm_map<T> const map{norm, residual.first(), residual.stride};
  map_by(way, aligned, row_task<T>{in.first(), out.first(), in.stride, out.stride, rows, columns, nullptr}, map);

  EXPECT_TRUE(residual.holds(sums.memory)) << "the sums";
  for (std::int64_t r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      T const got = out.at(r, c), want = plain.at(r, c);
      bool const are_nan =
          convert<number>(got) != convert<number>(got) && convert<number>(want) != convert<number>(want);
      ASSERT_TRUE(are_nan || std::memcmp(&got, &want, sizeof(T)) == 0)
          << "row " << r << ", column " << c << ": " << static_cast<double>(convert<number>(got)) << ", not "
          << static_cast<double>(convert<number>(want));
      T const filler = convert<T>(-77.0f);
      if (out.stride > columns) {
        ASSERT_EQ(std::memcmp(&out.at(r, columns), &filler, sizeof(T)), 0) << "after row " << r;
      }
    }
  }
}

TEST(GridAddNormOnHost, GivesTheNormOfTheSums) {
  each_random_case(0.05,
                   [](std::uint64_t seed) { with_type_of(seed, [&](auto zero) { check<decltype(zero)>(seed); }); });
}

/// Rows that are read twice.
TEST(GridAddNormOnHost, InTwoReads) {
  using shape = row_shape<false, 64, 1, 1, 64>;
  constexpr unsigned splits = 3;
  int const columns = 901;
  rows_of<float> in(3, columns, columns, 1), residual(3, columns, columns + 2, 2), sums = residual;
  for (std::int64_t r = 0; r < 3; ++r) {
    for (int c = 0; c < columns; ++c) {
      in.at(r, c) = static_cast<float>((r * 31 + c * 17) % 23);
      residual.at(r, c) = static_cast<float>((r * 13 + c * 7) % 29) / 4.0f;
      sums.at(r, c) = in.at(r, c) + residual.at(r, c);
    }
  }
  norm_map<float> const norm{nullptr, nullptr, 1e-5f, true};
  add_norm_map<float> const map{norm, residual.first(), residual.stride};
  row_task<float> const task{in.first(), in.first(), in.stride, in.stride, 3, columns, nullptr};
  std::vector<tessera::moments<float>> parts(3 * row_parts::of<shape, float>(columns).count);
  std::vector<part_storage<shape, tessera::moments<float>>> storage(3 * splits);
  host::launch_grid(3 * splits, 64, [&](host::block block) {
    measure_parts<shape>(block, task, map, splits, parts.data(), storage[block.group_index().x]);
  });
  host::launch_grid(3 * splits, 64,
                    [&](host::block block) { map_rows_again<shape>(block, task, map, parts.data(), splits); });
  EXPECT_TRUE(residual.holds(sums.memory));
  for (std::int64_t r = 0; r < 3; ++r) {
    double mean = 0, squares = 0;
    for (int c = 0; c < columns; ++c) mean += static_cast<double>(sums.at(r, c)) / columns;
    for (int c = 0; c < columns; ++c) squares += std::pow(static_cast<double>(sums.at(r, c)) - mean, 2);
    for (int c = 0; c < columns; ++c)
      ASSERT_NEAR(in.at(r, c), (static_cast<double>(sums.at(r, c)) - mean) / std::sqrt(squares / columns + 1e-5), 1e-5);
  }
}

}  // namespace
