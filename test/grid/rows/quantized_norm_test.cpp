// Quantized norms through the bodies of the kernels, on host tiles: the bits that a model gives of the numbers that the
// norm's Map has, and a model of e4m3 that searches the table of its numbers.
#include <tessera/grid/rows/add_norm_map.hpp>
#include <tessera/grid/rows/fold_rows.hpp>
#include <tessera/grid/rows/quantized_map.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "maps_on_host.hpp"
#include "oracle/halves.hpp"
#include "random_cases.hpp"
#include "rows_on_host.hpp"
#include "with_type_of.hpp"

namespace {

using namespace test;
using tessera::detail::convert;
using tessera::detail::from_bits;
namespace host = tessera::host;
using e4m3 = __nv_fp8_e4m3;

/// The number of each code below 0x7f, by the format's definition.
double e4m3_number(int code) {
  int const exponent = code >> 3, mantissa = code & 7;
  return exponent == 0 ? std::ldexp(mantissa, -9) : std::ldexp(8 + mantissa, exponent - 10);
}
/// The code of the nearest number, of two the even one.
unsigned model_of(e4m3*, float x) {
  if (std::isnan(x)) return 0x7f;
  double const magnitude = std::abs(static_cast<double>(x));
  int best = 0;
  for (int code = 1; code < 0x7f; ++code) {
    double const distance = std::abs(e4m3_number(code) - magnitude), least = std::abs(e4m3_number(best) - magnitude);
    if (distance < least || (distance == least && code % 2 == 0)) best = code;
  }
  return static_cast<unsigned>(best) | (std::signbit(x) ? 0x80u : 0u);
}
unsigned model_of(std::int8_t*, float x) {
  return std::isnan(x) ? 0u : static_cast<unsigned>(static_cast<int>(std::nearbyint(x))) & 0xffu;
}

TEST(EightBits, RoundToE4m3) {
  auto const check_bits = [](std::uint32_t bits) {
    float const x = from_bits<float>(bits);
    ASSERT_EQ(tessera::detail::e4m3_bits(x), model_of(static_cast<e4m3*>(nullptr), x)) << std::hexfloat << x;
  };
  for (std::uint64_t bits = 0; bits < 0x100000000u; bits += 99991) check_bits(static_cast<std::uint32_t>(bits));
  for (int code = 0; code < 0x7e; ++code) {  // at the numbers, halfway between two, and beside both
    for (double const x : {e4m3_number(code), (e4m3_number(code) + e4m3_number(code + 1)) / 2}) {
      auto const bits = from_bits<std::uint32_t>(static_cast<float>(x));
      for (std::uint32_t const near_it : {bits == 0 ? 0u : bits - 1, bits, bits + 1}) {
        check_bits(near_it);
        check_bits(near_it | 0x80000000u);
      }
    }
  }
  EXPECT_EQ(tessera::detail::e4m3_pair(-1.0f, 448.0f), 0x7eb8u);
  EXPECT_EQ(tessera::detail::e4m3_bits(std::numeric_limits<float>::infinity()), 0x7eu);
}

TEST(EightBits, RoundToIntegers) {
  for (int i = -127 * 64; i <= 127 * 64; ++i) {
    float const x = static_cast<float>(i) / 64;
    ASSERT_EQ(tessera::detail::integer_byte(x), model_of(static_cast<std::int8_t*>(nullptr), x)) << x;
  }
  EXPECT_EQ(tessera::detail::eight_bits<std::int8_t>::word(1, -1, 127, -127), 0x817fff01u);
}

/// Quotients have the bits of a division.
TEST(EightBits, Divide) {
  case_draw from(1);
  for (int i = 0; i < 2000000; ++i) {
    float const by = std::ldexp(static_cast<float>(from.real(1, 2)), static_cast<int>(from.number(-41, 118)));
    float x = by * static_cast<float>(from.chance(50) ? from.real(-448, 448) : from.real(-1, 1));
    if (i % 64 == 0) x = by * static_cast<float>(from.number(-448, 448)) / 2;
    float const got = divisor::from(by).of(x), want = x / by;
    ASSERT_EQ(from_bits<std::uint32_t>(got), from_bits<std::uint32_t>(want)) << std::hexfloat << x << " / " << by;
  }
  float const greatest = (std::numeric_limits<float>::max)();
  EXPECT_EQ(divisor::from(greatest / 448).of(-greatest), -448.0f);
  EXPECT_TRUE(std::signbit(divisor::from(2).of(-0.0f)) && !std::signbit(divisor::from(2).of(0.0f)));
  EXPECT_TRUE(std::isnan(divisor::from(std::numeric_limits<float>::infinity()).of(1)));
}

/// The numbers that quantized_map quantizes.
template <class Base>
struct kept_map : quantized_map<Base, std::int8_t> {
  float* kept;
  std::int64_t kept_stride;

  template <class RowBase>
  struct of_row : RowBase {
    static constexpr bool stores_results = true;
    float* to;
    template <class Warp, class Fragment, class Finished>
    void store_results(Warp const&, Fragment const& fragment, int end, int column_count, Finished const& by) const {
      for (unsigned v = 0; v < Fragment::vectors; ++v) {
        if (fragment.index(v) >= end) continue;
        auto const y = this->map(fragment, v, by, column_count);
        for (unsigned j = 0; j < Fragment::width; ++j) {
          int const c = fragment.index(v) + static_cast<int>(j);
          if (c < end) to[c] = y[j];
        }
      }
    }
  };
  auto for_row(std::int64_t row) const {
    using row_base = std::decay_t<decltype(map_of_row(static_cast<Base const&>(*this), row))>;
    return of_row<row_base>{map_of_row(static_cast<Base const&>(*this), row), kept + row * kept_stride};
  }
};

constexpr int shapes = 6;

/// The most vectors of a row that a shape holds.
int capacity(int shape) {
  constexpr int of[shapes] = {256, 128, 64, 2, 1000, 1000};
  return of[shape];
}

/// Maps rows by agents and shapes as map_launch.cuh does. Shape 4 reads rows twice, or three times; 5 maps in passes.
template <bool Aligned, class T, class Map>
void map_rows_by(int shape, row_task<T> const& task, Map const& map) {
  auto const count = static_cast<unsigned>(task.row_count);
  if (shape == 0) {
    std::vector<row_block_storage<float>> storage(count);
    host::launch_grid(count, 64, [&](host::block block) {
      map_block_rows<block_shape<Aligned, 4, 64>>(block, task, map, storage[block.group_index().x]);
    });
  } else if (shape == 1) {
    using warps = row_shape<Aligned, 32, 4, 1, 64>;
    launch<warps>(task.row_count, [&](host::block block) { map_rows<warps>(block, task, map); });
  } else if (shape == 2) {
    unsigned lanes = 4;
    while (static_cast<int>(2 * lanes) < vectors_of_columns<T>(task.column_count)) lanes *= 2;
    host::launch_grid(
        count, 64, [&](host::block block) { map_rows_by_lanes<block_shape<Aligned, 2, 64>>(block, task, map, lanes); });
  } else if (shape == 3) {
    using pairs = row_shape<Aligned, 2, Aligned ? 1 : 2, 4, 64>;
    launch<pairs>(task.row_count, [&](host::block block) { map_rows<pairs>(block, task, map); });
  } else if (shape == 5) {
    map_in_host_passes<block_shape<false, 8, 512>>(task, map, 2, 64);
  } else {
    using again = row_shape<false, 64, 2, 1, 64>;
    constexpr unsigned splits = 3;
    using statistic = typename Map::statistic;
    unsigned const parts_of_row = row_parts::of<again, T>(task.column_count).count;
    std::vector<statistic> parts(count * parts_of_row);
    std::vector<part_storage<again, statistic>> storage(count * splits);
    auto of_rows = map;
    auto const measure = [&] {
      host::launch_grid(count * splits, 64, [&](host::block block) {
        measure_parts<again>(block, task, of_rows, splits, parts.data(), storage[block.group_index().x]);
      });
    };
    measure();
    auto const map_again = [&] {
      host::launch_grid(count * splits, 64,
                        [&](host::block block) { map_rows_again<again>(block, task, of_rows, parts.data(), splits); });
    };
    if constexpr (measures_twice<Map>) {
      std::vector<typename Map::first_result> firsts(count);
      host::launch_grid(count, 32, [&](host::block block) {
        join_first_results(block, map, parts.data(), parts_of_row, task.row_count, firsts.data());
      });
      of_rows.firsts = firsts.data();
      measure();
      map_again();
    } else {
      map_again();
    }
  }
}

struct bytes_of_rows {
  std::int64_t stride;
  std::vector<unsigned char> memory;
  std::size_t offset;

  bytes_of_rows(std::int64_t rows, std::int64_t stride_, std::size_t offset_)
      : stride(stride_), memory(static_cast<std::size_t>(rows * stride_) + 80, 0x55) {
    offset = 64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64 + offset_;
  }
  unsigned char* first() { return memory.data() + offset; }
};

/// Compares the rows of `in` by `base`, quantized by rows or groups, with those of `sums` by `norm`.
template <class Q, bool ByRow, class T, class Base>
void check_scales(case_draw& from, int shape, bool aligned, rows_of<T>& in, Base const& base, rows_of<T>& sums,
                  norm_map<T> const& norm) {
  using map_t = std::conditional_t<ByRow, row_quantized_map<Base, Q>, quantized_map<Base, Q>>;
  std::int64_t const rows = in.rows;
  int const columns = in.columns, width_of_group = ByRow ? columns : 128;
  int const groups = (columns + width_of_group - 1) / width_of_group;
  auto const map_by_shape = [&](rows_of<T>& x, auto const& map) {
    row_task<T> const task{x.first(), nullptr, x.stride, 0, rows, columns, nullptr};
    aligned ? map_rows_by<true>(shape, task, map) : map_rows_by<false>(shape, task, map);
  };
  std::vector<float> kept(static_cast<std::size_t>(rows * columns));
  map_by_shape(sums, kept_map<norm_map<T>>{{norm, {}}, kept.data(), columns});

  constexpr int width = static_cast<int>(row_vector_length<T>);
  bool const by_groups = !ByRow && from.chance(50);
  std::int64_t const gap = aligned ? width * from.number(0, 2) : from.number(0, 5);
  bytes_of_rows q(rows, columns + gap,
                  static_cast<std::size_t>(aligned ? width * from.number(0, 2) : from.number(0, 9)));
  std::int64_t const apart = by_groups ? rows + from.number(0, 3) : 1;
  std::vector<float> scales(static_cast<std::size_t>((rows + 3) * groups), -5.0f), want_scales = scales;
  map_by_shape(in, map_t{base, {q.first(), scales.data(), q.stride, by_groups ? 1 : groups, apart}});

  std::vector<unsigned char> want = std::vector<unsigned char>(q.memory.size(), 0x55);
  for (std::int64_t r = 0; r < rows; ++r) {
    for (int g = 0; g < groups; ++g) {
      int const begin = width_of_group * g, end = std::min(columns, begin + width_of_group);
      float most = 1e-10f;
      for (int c = begin; c < end; ++c) {
        float const y = std::abs(kept[static_cast<std::size_t>(r * columns + c)]);
        if (!(y <= most)) most = std::isnan(most) ? most : y;
      }
      float const scale = most / (std::is_same_v<Q, e4m3> ? 448.0f : 127.0f);
      want_scales[static_cast<std::size_t>(by_groups ? g * apart + r : r * groups + g)] = scale;
      for (int c = begin; c < end; ++c) {
        float const y = std::isfinite(scale) ? kept[static_cast<std::size_t>(r * columns + c)] / scale : std::nanf("");
        want[q.offset + static_cast<std::size_t>(r * q.stride + c)] =
            static_cast<unsigned char>(model_of(static_cast<Q*>(nullptr), y));
      }
    }
  }
  for (std::size_t i = 0; i < scales.size(); ++i)
    ASSERT_TRUE(std::isnan(want_scales[i]) ? std::isnan(scales[i]) : scales[i] == want_scales[i])
        << "scale " << i << ": " << scales[i] << ", not " << want_scales[i];
  for (std::size_t i = 0; i < want.size(); ++i)
    ASSERT_EQ(int{q.memory[i]}, int{want[i]}) << "byte " << static_cast<std::int64_t>(i - q.offset);
}

template <class Q, class T, class Base>
void check_case(case_draw& from, int shape, bool aligned, rows_of<T>& in, Base const& base, rows_of<T>& sums,
                norm_map<T> const& norm) {
  from.chance(50) ? check_scales<Q, true>(from, shape, aligned, in, base, sums, norm)
                  : check_scales<Q, false>(from, shape, aligned, in, base, sums, norm);
}

template <class T>
void check(std::uint64_t seed) {
  case_draw from(seed);
  constexpr int width = static_cast<int>(row_vector_length<T>);
  int const shape = static_cast<int>(from.number(0, shapes - 1)), most = capacity(shape);
  bool const aligned = shape < 4 && from.chance(50);
  int const vectors = static_cast<int>(from.number(1, from.chance(30) && most > 16 ? 16 : most));
  int const columns = vectors * width - (aligned ? 0 : static_cast<int>(from.number(0, width - 1)));
  auto const gap = [&] { return aligned ? width * from.number(0, 2) : from.number(0, 5); };
  auto const offset = [&] { return aligned ? std::size_t{0} : static_cast<std::size_t>(from.number(0, 3)); };
  std::int64_t const rows = from.number(1, 5);
  rows_of<T> in(rows, columns, columns + gap(), offset()), residual(rows, columns, columns + gap(), offset());
  std::vector<T> parameters(static_cast<std::size_t>(columns) + 16, convert<T>(0.75f));
  T* weight = parameters.data();
  while (reinterpret_cast<std::uintptr_t>(weight) % 16 != 0) ++weight;
  for (int c = 0; c < columns; ++c) weight[c] = convert<T>(static_cast<float>(from.real(-1.5, 1.5)));
  if (from.chance(20)) {  // a group of zeros, or of what counts as zeros
    float const tiny = from.chance(50) ? 0.0f : 1e-20f;
    for (int c = 0; c < columns && c < 128; ++c) weight[c] = convert<T>(c % 2 == 0 ? tiny : -tiny);
  }
  if (from.chance(10)) weight[from.number(0, columns - 1)] = convert<T>(from.chance(50) ? std::nanf("") : HUGE_VALF);
  bool const is_special = from.chance(10);
  double const around = from.chance(20) ? 50 : 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      in.at(r, c) =
          convert<T>(is_special && from.chance(1) ? HUGE_VALF : static_cast<float>(around + from.real(-4, 4)));
      residual.at(r, c) = convert<T>(static_cast<float>(from.real(-4, 4)));
    }
  }
  norm_map<T> const norm{from.chance(70) ? weight : nullptr, from.chance(20) ? weight : nullptr, 1e-5f,
                         from.chance(50)};
  SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns) + ", shape " + std::to_string(shape) +
               (aligned ? ", aligned" : ""));
  bool const is_integer = from.chance(50);
  if (from.chance(50))
    return is_integer ? check_case<std::int8_t>(from, shape, aligned, in, norm, in, norm)
                      : check_case<e4m3>(from, shape, aligned, in, norm, in, norm);
  rows_of<T> sums = residual, summed = in;
  for (std::int64_t r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c)
      summed.at(r, c) = sums.at(r, c) = convert<T>(convert<float>(in.at(r, c)) + convert<float>(residual.at(r, c)));
  }
  add_norm_map<T> const map{norm, residual.first(), residual.stride};
  is_integer ? check_case<std::int8_t>(from, shape, aligned, in, map, summed, norm)
             : check_case<e4m3>(from, shape, aligned, in, map, summed, norm);
  EXPECT_TRUE(residual.holds(sums.memory)) << "the sums";
}

TEST(GridQuantizedNormOnHost, GivesWhatTheModelGives) {
  each_random_case(0.05, [](std::uint64_t seed) {
    with_type_of(seed, [&](auto zero) {
      using T = decltype(zero);
      check<std::conditional_t<std::is_same_v<T, double>, float, T>>(seed);
    });
  });
}

}  // namespace
