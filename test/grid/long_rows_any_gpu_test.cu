// Matrices of more than 2^31 elements: each is computed, and so is what a call must make of it.
#include <cuda_fp16.h>

#include <tessera/grid/add_norm.cuh>
#include <tessera/grid/cross_entropy.cuh>
#include <tessera/grid/group_by_label.cuh>
#include <tessera/grid/log_sum_exp_segments.cuh>
#include <tessera/grid/map_rows.cuh>
#include <tessera/grid/quantized_norm.cuh>
#include <tessera/grid/route_rows.cuh>
#include <tessera/grid/sample_rows.cuh>
#include <tessera/grid/scan_rows.cuh>
#include <tessera/grid/softmax_segments.cuh>
#include <tessera/grid/sort_rows.cuh>
#include <tessera/grid/top_k_rows.cuh>
#include <tessera/grid/top_k_segments.cuh>
#include <tessera/grid/transform.cuh>

#include <cstdint>
#include <vector>

#include "device_array.hpp"
#include "gpu.hpp"

namespace {

using namespace test;
using namespace tessera::grid;
using std::int64_t;
using std::uint8_t;

/// Short rows, and longer ones.
constexpr int64_t narrow = 256, narrow_rows = (int64_t{1} << 23) + 9, wide = 65536, wide_rows = (int64_t{1} << 15) + 3;
static_assert(narrow * narrow_rows > int64_t{1} << 31 && wide * wide_rows > int64_t{1} << 31);

struct GridLongRows : testing::Test {
  void SetUp() override {
    SKIP_WITHOUT_GPU();
    if (!is_worth(wide * wide_rows)) GTEST_SKIP() << "too narrow_rows for a sanitizer";
  }
  workspace memory;
};

/// An array on the GPU whose element i is of(i).
template <class T, class Of>
void fill(device_array<T> const& array, Of of) {
  ASSERT_EQ(tabulate(array.data(), static_cast<int64_t>(array.size()), of), cudaSuccess);
}

/// Counts the indices for which something isn't right.
template <class IsRight>
struct count_wrong {
  IsRight is_right;
  unsigned long long* wrong;

  __device__ void operator()(int64_t i) const {
    if (!is_right(i)) atomicAdd(wrong, 1ull);
  }
};
/// That is_right(i) for each i below n.
template <class IsRight>
void expect_right(int64_t n, IsRight is_right) {
  device_array<unsigned long long> const wrong(std::vector<unsigned long long>{0});
  ASSERT_EQ(for_each(n, count_wrong<IsRight>{is_right, wrong.data()}), cudaSuccess);
  EXPECT_EQ(wrong.to_host()[0], 0u) << "of " << n;
}

/// An element of a matrix in which each row has every byte in columns / 256 places: those of a byte are 256 apart, and
/// begin at first_place(byte, row). (167 · 23 = 1 modulo 256)
template <class T>
struct permuted {
  int64_t columns;

  TESSERA_FN T operator()(int64_t i) const {
    int64_t const row = i / columns, column = i % columns;
    return static_cast<T>(static_cast<int>((167 * column + row) % 256));
  }
};
TESSERA_FN int64_t first_place(int64_t byte, int64_t row) {
  return (byte - row) * 23 & 255;
}

struct in_order {
  uint8_t const* sorted;
  int64_t columns;

  __device__ bool operator()(int64_t i) const { return sorted[i] == i % columns / (columns / 256); }
};

#if TESSERA_TEST_HAS_PART(0)
TEST_F(GridLongRows, Sorts) {
  if (!has_gib(7)) GTEST_SKIP() << "needs 7 GiB of the GPU's memory";
  for (int64_t columns : {narrow, wide}) {
    int64_t const rows = columns == narrow ? narrow_rows : wide_rows;
    device_array<uint8_t> const x(static_cast<std::size_t>(rows * columns));
    fill(x, permuted<uint8_t>{columns});
    matrix<uint8_t> const all{x.data(), rows, columns};
    ASSERT_EQ(sort_rows(all, all, tessera::less{}, memory), cudaSuccess);
    expect_right(rows * columns, in_order{x.data(), columns});
  }
}
#endif

struct low_byte {
  TESSERA_FN uint8_t operator()(int64_t i) const { return static_cast<uint8_t>(i % 256); }
};
/// What was in the places of the sorted bytes.
template <class T>
struct has_first_places {
  T const* places;

  __device__ bool operator()(int64_t i) const { return places[i] == first_place(i % narrow, i / narrow); }
};

#if TESSERA_TEST_HAS_PART(6)
TEST_F(GridLongRows, SortsByKey) {
  if (!has_gib(5)) GTEST_SKIP() << "needs 5 GiB of the GPU's memory";
  device_array<uint8_t> const keys(narrow * narrow_rows), values(narrow * narrow_rows);
  fill(keys, permuted<uint8_t>{narrow});
  fill(values, low_byte{});
  matrix<uint8_t> const k{keys.data(), narrow_rows, narrow}, v{values.data(), narrow_rows, narrow};
  ASSERT_EQ(sort_rows_by_key(k, v, k, v, tessera::less{}, memory), cudaSuccess);
  expect_right(narrow * narrow_rows, in_order{keys.data(), narrow});
  expect_right(narrow * narrow_rows, has_first_places<uint8_t>{values.data()});
}

TEST_F(GridLongRows, Argsorts) {
  if (!has_gib(12)) GTEST_SKIP() << "needs 12 GiB of the GPU's memory";
  device_array<uint8_t> const x(narrow * narrow_rows);
  device_array<std::int32_t> const places(narrow * narrow_rows);
  fill(x, permuted<uint8_t>{narrow});
  ASSERT_EQ(argsort_rows(matrix<uint8_t const>{x.data(), narrow_rows, narrow}, places.data(), tessera::less{}),
            cudaSuccess);
  expect_right(narrow * narrow_rows, has_first_places<std::int32_t>{places.data()});
}

/// Of equal bytes the lower place comes first.
struct has_wide_places {
  std::int32_t const* places;

  __device__ bool operator()(int64_t i) const {
    int64_t const row = i / wide, at = i % wide, each = wide / 256;
    return places[i] == first_place(at / each, row) + 256 * (at % each);
  }
};
TEST_F(GridLongRows, ArgsortsThoseThatNoBlockHolds) {
  if (!has_gib(30)) GTEST_SKIP() << "needs 30 GiB of the GPU's memory";
  device_array<uint8_t> const x(wide * wide_rows);
  device_array<std::int32_t> const places(wide * wide_rows);
  fill(x, permuted<uint8_t>{wide});
  ASSERT_EQ(argsort_rows(matrix<uint8_t const>{x.data(), wide_rows, wide}, places.data(), tessera::less{}, memory),
            cudaSuccess);
  expect_right(wide * wide_rows, has_wide_places{places.data()});
}
#endif

/// The greatest bytes of each row come from the lowest places.
struct greatest {
  uint8_t const* values;
  std::int32_t const* places;
  int64_t columns, k;

  __device__ bool operator()(int64_t i) const {
    int64_t const row = i / k, at = i % k, each = columns / 256, byte = 255 - at / each;
    return values[i] == byte && places[i] == first_place(byte, row) + 256 * (at % each);
  }
};
/// An order without keys.
struct own_greater {
  __host__ __device__ bool operator()(uint8_t a, uint8_t b) const { return a > b; }
};

/// run(x, rows, columns, k, values, places) selects from the rows of a matrix.
template <class Run>
void expect_greatest(int64_t rows, int64_t columns, std::vector<int64_t> const& ks, Run run) {
  device_array<uint8_t> const x(static_cast<std::size_t>(rows * columns));
  fill(x, permuted<uint8_t>{columns});
  for (int64_t k : ks) {
    device_array<uint8_t> const values(static_cast<std::size_t>(rows * k));
    device_array<std::int32_t> const places(static_cast<std::size_t>(rows * k));
    ASSERT_EQ(run(matrix<uint8_t const>{x.data(), rows, columns}, k, values.data(), places.data()), cudaSuccess);
    expect_right(rows * k, greatest{values.data(), places.data(), columns, k});
  }
}

#if TESSERA_TEST_HAS_PART(1)
TEST_F(GridLongRows, TopK) {
  if (!has_gib(3)) GTEST_SKIP() << "needs 3 GiB of the GPU's memory";
  auto const run = [&](auto const& x, int64_t k, uint8_t* values, std::int32_t* places) {
    return top_k_rows(x, k, values, places, tessera::greater{}, {}, memory);
  };
  expect_greatest(narrow_rows, narrow, {2}, run);
  expect_greatest(wide_rows, wide, {2, 300}, run);
  expect_greatest(narrow_rows, narrow, {2}, [&](auto const& x, int64_t k, uint8_t* values, std::int32_t* places) {
    return top_k_rows(x, k, values, places, own_greater{}, {}, memory);
  });
}
#endif

#if TESSERA_TEST_HAS_PART(7)
TEST_F(GridLongRows, TopKOfSegments) {
  if (!has_gib(3)) GTEST_SKIP() << "needs 3 GiB of the GPU's memory";
  expect_greatest(wide_rows, wide, {2}, [&](auto const& x, int64_t k, uint8_t* values, std::int32_t* places) {
    return top_k_segments(x.data, segments_of_length(wide), wide_rows, k, values, places, tessera::greater{}, {},
                          memory);
  });
}
#endif

/// The row's number, from 1 on, or the column's from 0 on.
struct row_number {
  TESSERA_FN uint8_t operator()(int64_t i) const { return static_cast<uint8_t>(i / wide + 1); }
};
struct column_number {
  TESSERA_FN uint8_t operator()(int64_t i) const { return static_cast<uint8_t>(i % wide); }
};
struct is_sum_of_row {
  uint8_t const* sums;

  __device__ bool operator()(int64_t i) const {
    return sums[i] == static_cast<uint8_t>((i % wide + 1) * (i / wide + 1));
  }
};
struct is_sum_of_column {
  uint8_t const* sums;

  __device__ bool operator()(int64_t i) const { return sums[i] == static_cast<uint8_t>((i / wide + 1) * (i % wide)); }
};

#if TESSERA_TEST_HAS_PART(2)
TEST_F(GridLongRows, Scans) {
  if (!has_gib(3)) GTEST_SKIP() << "needs 3 GiB of the GPU's memory";
  device_array<uint8_t> const x(wide * wide_rows);
  matrix<uint8_t> const all{x.data(), wide_rows, wide};
  fill(x, row_number{});
  ASSERT_EQ(inclusive_scan_rows(all, all, tessera::plus{}, memory), cudaSuccess);
  expect_right(wide * wide_rows, is_sum_of_row{x.data()});
  fill(x, column_number{});
  ASSERT_EQ(inclusive_scan_columns(all, all, tessera::plus{}, memory), cudaSuccess);
  expect_right(wide * wide_rows, is_sum_of_column{x.data()});
}
#endif

/// 1 and -1 alternately, and their sums from the first column on.
constexpr int64_t longest = int64_t{1} << 30;
struct alternating {
  TESSERA_FN std::int8_t operator()(int64_t i) const { return (i / longest + i % longest) % 2 == 0 ? 1 : -1; }
};
struct is_alternating_sum {
  std::int8_t const* sums;

  __device__ bool operator()(int64_t i) const {
    return sums[i] == (i % longest % 2 != 0 ? 0 : i / longest % 2 == 0 ? 1 : -1);
  }
};

#if TESSERA_TEST_HAS_PART(2)
TEST_F(GridLongRows, ScansOfTheLongestRows) {
  if (!has_gib(4)) GTEST_SKIP() << "needs 4 GiB of the GPU's memory";
  device_array<std::int8_t> const x(3 * longest);
  fill(x, alternating{});
  matrix<std::int8_t> const all{x.data(), 3, longest};
  ASSERT_EQ(inclusive_scan_rows(all, all, tessera::plus{}, memory), cudaSuccess);
  expect_right(3 * longest, is_alternating_sum{x.data()});
}
#endif

/// Of each row one logit is 60, and all others are -60: its probability is 1.
TESSERA_FN int64_t peak_of(int64_t row) {
  return (7919 * row + 5) % wide;
}
struct peaked {
  TESSERA_FN __half operator()(int64_t i) const { return __half(i % wide == peak_of(i / wide) ? 60.0f : -60.0f); }
};
/// The peak, but in odd rows the column after it.
struct target_of {
  TESSERA_FN std::int32_t operator()(int64_t row) const {
    return static_cast<std::int32_t>((peak_of(row) + row % 2) % wide);
  }
};
TESSERA_FN bool is_about(float x, float expected) {
  return x > expected - 0.001f && x < expected + 0.001f;
}
struct all_are_about {
  float const* values;
  float even, odd;

  __device__ bool operator()(int64_t row) const { return is_about(values[row], row % 2 == 0 ? even : odd); }
};
struct is_peak {
  std::int32_t const* columns;

  __device__ bool operator()(int64_t row) const { return columns[row] == peak_of(row); }
};
/// The probability of each column; less that of the target for gradients.
struct is_probability {
  __half const* values;
  bool is_gradient;

  __device__ bool operator()(int64_t i) const {
    int64_t const row = i / wide, column = i % wide;
    int const of_target = is_gradient && column == target_of{}(row) ? 1 : 0;
    return is_about(__half2float(values[i]), static_cast<float>((column == peak_of(row) ? 1 : 0) - of_target));
  }
};

#if TESSERA_TEST_HAS_PART(3)
TEST_F(GridLongRows, LossesAndSamples) {
  if (!has_gib(5)) GTEST_SKIP() << "needs 5 GiB of the GPU's memory";
  device_array<__half> const x(wide * wide_rows);
  device_array<float> const out(wide_rows);
  device_array<std::int32_t> const targets(wide_rows), ids(wide_rows);
  device_array<std::uint64_t> const seeds(std::vector<std::uint64_t>(wide_rows, 3));
  fill(x, peaked{});
  fill(targets, target_of{});
  matrix<__half> const logits{x.data(), wide_rows, wide};
  ASSERT_EQ(log_sum_exp_rows(logits, out.data(), memory), cudaSuccess);
  expect_right(wide_rows, all_are_about{out.data(), 60, 60});
  ASSERT_EQ(log_probability_rows(logits, targets.data(), out.data(), memory), cudaSuccess);
  expect_right(wide_rows, all_are_about{out.data(), 0, -120});
  ASSERT_EQ(sample_rows(logits, seeds.data(), ids.data(), {}, memory), cudaSuccess);
  expect_right(wide_rows, is_peak{ids.data()});
  cross_entropy_options<__half> options;
  options.gradient = logits;  // in place
  ASSERT_EQ(cross_entropy_rows(logits, targets.data(), out.data(), options, memory), cudaSuccess);
  expect_right(wide_rows, all_are_about{out.data(), 0, 120});
  expect_right(wide * wide_rows, is_probability{x.data(), true});
}
#endif

#if TESSERA_TEST_HAS_PART(3)
TEST_F(GridLongRows, SoftmaxOfSegments) {
  if (!has_gib(5)) GTEST_SKIP() << "needs 5 GiB of the GPU's memory";
  device_array<__half> const x(wide * wide_rows);
  device_array<float> const out(wide_rows);
  fill(x, peaked{});
  auto const segments = segments_of_length(wide);
  ASSERT_EQ(log_sum_exp_segments(x.data(), segments, wide_rows, out.data(), memory), cudaSuccess);
  expect_right(wide_rows, all_are_about{out.data(), 60, 60});
  ASSERT_EQ(softmax_segments(x.data(), segments, wide_rows, x.data(), memory), cudaSuccess);
  expect_right(wide * wide_rows, is_probability{x.data(), false});
}
#endif

/// The experts of 255 and of 254.
struct are_best_two {
  std::int32_t const* experts;

  __device__ bool operator()(int64_t i) const { return experts[i] == first_place(255 - i % 2, i / 2); }
};

#if TESSERA_TEST_HAS_PART(4)
TEST_F(GridLongRows, Routes) {
  if (!has_gib(5)) GTEST_SKIP() << "needs 5 GiB of the GPU's memory";
  device_array<__half> const x(narrow * narrow_rows);
  device_array<float> const weights(2 * narrow_rows);
  device_array<std::int32_t> const experts(2 * narrow_rows);
  fill(x, permuted<__half>{narrow});
  ASSERT_EQ(
      route_rows(matrix<__half const>{x.data(), narrow_rows, narrow}, 2, weights.data(), experts.data(), {}, memory),
      cudaSuccess);
  expect_right(2 * narrow_rows, are_best_two{experts.data()});
}
#endif

constexpr int64_t labeled = INT32_MAX, bins = 251;
struct label_of {
  TESSERA_FN uint8_t operator()(int64_t i) const { return static_cast<uint8_t>(i % bins); }
};
/// The elements of a bin are b, b + 251, …; the first bins have one more than the others.
struct are_grouped {
  std::int32_t const* order;

  __device__ bool operator()(int64_t i) const {
    constexpr int64_t each = labeled / bins, larger_bins = labeled % bins, in_larger = larger_bins * (each + 1);
    if (i < in_larger) return order[i] == i / (each + 1) + bins * (i % (each + 1));
    return order[i] == larger_bins + (i - in_larger) / each + bins * ((i - in_larger) % each);
  }
};

#if TESSERA_TEST_HAS_PART(4)
/// As many as indices of 32 bits can tell.
TEST_F(GridLongRows, Groups) {
  if (!has_gib(12)) GTEST_SKIP() << "needs 12 GiB of the GPU's memory";
  device_array<uint8_t> const labels(labeled);
  device_array<std::int32_t> const offsets(bins + 1), order(labeled);
  fill(labels, label_of{});
  ASSERT_EQ(group_by_label(labels.data(), labeled, static_cast<int>(bins), offsets.data(), order.data(), {}, memory),
            cudaSuccess);
  EXPECT_EQ(offsets.to_host()[bins], labeled);
  expect_right(labeled, are_grouped{order.data()});
}
#endif

/// 1 and -1 like the squares of a chessboard.
TESSERA_FN int sign_of(int64_t i) {
  return (i / wide + i % wide) % 2 == 0 ? 1 : -1;
}
struct chessboard {
  TESSERA_FN __half operator()(int64_t i) const { return __half(static_cast<float>(sign_of(i))); }
};
template <class T>
struct is_chessboard {
  T const* values;
  float unit;

  __device__ bool operator()(int64_t i) const {
    return static_cast<float>(values[i]) == unit * static_cast<float>(sign_of(i));
  }
};

#if TESSERA_TEST_HAS_PART(5)
TEST_F(GridLongRows, NormsOfSums) {
  if (!has_gib(9)) GTEST_SKIP() << "needs 9 GiB of the GPU's memory";
  device_array<__half> const x(wide * wide_rows), residual(wide * wide_rows);
  fill(x, chessboard{});
  fill(residual, chessboard{});
  matrix<__half> const all{x.data(), wide_rows, wide}, sums{residual.data(), wide_rows, wide};
  ASSERT_EQ(add_rms_norm_rows(all, sums, all, nullptr, nullptr, 1e-6, memory), cudaSuccess);
  expect_right(wide * wide_rows, is_chessboard<__half>{residual.data(), 2});
  expect_right(wide * wide_rows, is_chessboard<__half>{x.data(), 1});
}
#endif

#if TESSERA_TEST_HAS_PART(8)
TEST_F(GridLongRows, QuantizedNorms) {
  if (!has_gib(7)) GTEST_SKIP() << "needs 7 GiB of the GPU's memory";
  device_array<__half> const x(wide * wide_rows);
  device_array<std::int8_t> const q(wide * wide_rows);
  device_array<float> const scales(wide / 128 * wide_rows);
  fill(x, chessboard{});
  quantized const to{matrix<std::int8_t>{q.data(), wide_rows, wide}, scales.data()};
  ASSERT_EQ(rms_norm_rows(matrix<__half const>{x.data(), wide_rows, wide}, to, nullptr, nullptr, 1e-6, memory),
            cudaSuccess);
  expect_right(wide * wide_rows, is_chessboard<std::int8_t>{q.data(), 127});
}
#endif

struct distance_from_greatest {
  TESSERA_FN tessera::maximum first_operator() const { return {}; }
  TESSERA_FN float first(float x, int) const { return x; }
  TESSERA_FN float result(float x, int, float most) const { return most - x; }
};
struct is_distance {
  __half const* values;

  __device__ bool operator()(int64_t i) const {
    return __half2float(values[i]) == 255.0f - __half2float(permuted<__half>{wide}(i));
  }
};

#if TESSERA_TEST_HAS_PART(8)
TEST_F(GridLongRows, Maps) {
  if (!has_gib(5)) GTEST_SKIP() << "needs 5 GiB of the GPU's memory";
  device_array<__half> const x(wide * wide_rows);
  fill(x, permuted<__half>{wide});
  matrix<__half> const all{x.data(), wide_rows, wide};
  ASSERT_EQ(map_rows(all, all, distance_from_greatest{}, memory), cudaSuccess);
  expect_right(wide * wide_rows, is_distance{x.data()});
}
#endif

}  // namespace
