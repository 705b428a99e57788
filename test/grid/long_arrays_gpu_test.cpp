// Arrays of more than 2^32 elements: what a launcher gives of a short array, which the other tests hold against references,
// it gives of every copy of it in a long one.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <tessera/grid.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "device_array.hpp"
#include "gpu.hpp"
#include "numbers.hpp"

namespace {

using namespace test;
using namespace tessera::grid;
using tessera::indexed;
using tessera::min_max;

constexpr std::int64_t columns = 1000,
                       rows = 4096;                       // of the short one: enough for the shape that long ones have
constexpr std::int64_t count = 1049, n = rows * columns;  // copies; elements of each
static_assert(n * count - 3 > (std::int64_t{1} << 32));

/// That `count` arrays of the GPU's memory, one after the other, are copies of `one`, to which change(one) is applied after each.
template <class T, class Change>
void expect_copies(T const* data, std::vector<T> one, Change change) {
  T* some = nullptr;  // pinned: twice as fast
  check(cudaMallocHost(reinterpret_cast<void**>(&some), one.size() * sizeof(T)));
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    check(cudaMemcpy(some, data + static_cast<std::size_t>(i) * one.size(), one.size() * sizeof(T), cudaMemcpyDefault));
    wrong += std::memcmp(some, one.data(), one.size() * sizeof(T)) != 0;
    change(one);
  }
  check(cudaFreeHost(some));
  EXPECT_EQ(wrong, 0) << "copies of " << count;
}
template <class T>
void expect_copies(T const* data, std::vector<T> const& one) {
  expect_copies(data, one, [](std::vector<T>&) {});
}

/// `count` arrays of the GPU's memory, one after the other.
template <class T>
class copies {
 public:
  /// Of so many zeros.
  explicit copies(std::size_t size) : size_(size) {
    check(cudaMalloc(&memory_, bytes()));
    check(cudaMemset(memory_, 0, bytes()));
  }
  explicit copies(std::vector<T> const& one) : copies(one.size()) {
    check(cudaMemcpy(memory_, one.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
    for (std::size_t done = size_ * sizeof(T); done < bytes(); done *= 2)
      check(cudaMemcpy(static_cast<char*>(memory_) + done, memory_, std::min(done, bytes() - done),
                       cudaMemcpyDeviceToDevice));
  }
  copies(copies const&) = delete;
  copies& operator=(copies const&) = delete;
  ~copies() { (void)cudaFree(memory_); }

  T* data() const { return static_cast<T*>(memory_); }
  void expect_each_is(std::vector<T> const& one) const {
    ASSERT_EQ(one.size(), size_);
    expect_copies(data(), one);
  }

 private:
  std::size_t bytes() const { return size_ * count * sizeof(T); }

  void* memory_ = nullptr;
  std::size_t size_;
};

struct GridLongArrays : testing::Test {
  void SetUp() override {
    SKIP_WITHOUT_GPU();
    if (!is_worth(n * count)) GTEST_SKIP() << "too many for a sanitizer";
  }
  workspace memory;
};

/// call(rows, in, out) gives the results R of each copy of `one`, `size` of them, that it gives of `one` itself.
template <class R, class T, class Call>
void expect_of_each(std::vector<T> const& one, copies<T> const& in, std::int64_t size, Call call) {
  device_array<T> const short_in(one);
  device_array<R> const short_out(static_cast<std::size_t>(size));
  copies<R> const out(static_cast<std::size_t>(size));
  ASSERT_EQ(call(rows, short_in.data(), short_out.data()), cudaSuccess);
  ASSERT_EQ(call(rows * count, in.data(), out.data()), cudaSuccess);
  out.expect_each_is(short_out.to_host());
}

TEST_F(GridLongArrays, Reductions) {
  if (!has_gib(9)) GTEST_SKIP() << "needs 9 GiB of the GPU's memory";
  constexpr std::int64_t size = (std::int64_t{1} << 32) + 5, middle = size / 2, late = size - size / 50;
  copies<__half> const in(static_cast<std::size_t>(n));
  __half const one(1.0f);
  for (std::int64_t where : {middle, late, size - 2})
    check(cudaMemcpy(in.data() + where, &one, sizeof(one), cudaMemcpyHostToDevice));
  device_array<float> const sum(1);
  device_array<indexed<__half, std::int64_t>> const best(1), least(1);
  device_array<min_max<__half>> const both(1);
  device_array<tessera::moments<double>> const moments_of_all(1);
  EXPECT_EQ(reduce(in.data(), size, sum.data(), tessera::plus{}, memory), cudaSuccess);
  EXPECT_EQ(argmax(in.data() + late + 1, size - late - 1, best.data(), memory), cudaSuccess);
  EXPECT_EQ(argmin(in.data(), size, least.data(), memory), cudaSuccess);
  device_array<__half> const value(2);
  device_array<std::int64_t> const index(2);
  EXPECT_EQ(argmax(in.data(), size, value.data(), index.data(), ties::last, memory), cudaSuccess);
  EXPECT_EQ(argmin(in.data() + 1, UINT32_MAX, value.data() + 1, index.data() + 1, ties::last, memory), cudaSuccess);
  EXPECT_EQ(minmax(in.data(), size, both.data(), memory), cudaSuccess);
  EXPECT_EQ(moments(in.data(), size, moments_of_all.data(), memory), cudaSuccess);
  EXPECT_EQ(sum.to_host()[0], 3.0f);
  EXPECT_EQ(best.to_host()[0].index, size - 2 - late - 1);
  EXPECT_EQ(least.to_host()[0].index, 0);
  EXPECT_EQ(index.to_host()[0], size - 2);
  EXPECT_EQ(index.to_host()[1], std::int64_t{UINT32_MAX} - 1);
  EXPECT_EQ(as_double(both.to_host()[0].min), 0);
  EXPECT_EQ(as_double(both.to_host()[0].max), 1);
  EXPECT_EQ(moments_of_all.to_host()[0].count, static_cast<double>(size));
  EXPECT_EQ(argmax(in.data() + 1, size - 1, best.data(), memory), cudaSuccess);
  EXPECT_EQ(best.to_host()[0].index, middle - 1);
  __half const two(2.0f);
  check(cudaMemcpy(in.data() + late, &two, sizeof(two), cudaMemcpyHostToDevice));
  for (std::int64_t so_many : {std::int64_t{UINT32_MAX} - 1, std::int64_t{UINT32_MAX}, std::int64_t{UINT32_MAX} + 1}) {
    EXPECT_EQ(argmax(in.data() + 1, so_many, best.data(), memory), cudaSuccess);
    EXPECT_EQ(best.to_host()[0].index, late - 1) << "of " << so_many;
  }
}

TEST_F(GridLongArrays, Rows) {
  if (!has_gib(18)) GTEST_SKIP() << "needs 18 GiB of the GPU's memory";
  auto const one = random_numbers<float>(n, -9, 9, 1);
  copies<float> const in(one);
  auto const of = [](std::int64_t so_many, float const* data) { return matrix<float const>{data, so_many, columns}; };
  expect_of_each<float>(one, in, rows, [&](std::int64_t so_many, float const* x, float* out) {
    return reduce_rows(of(so_many, x), out, tessera::plus{}, memory);
  });
  expect_of_each<float>(one, in, rows, [&](std::int64_t so_many, float const* x, float* out) {
    return reduce_rows(of(so_many, x), out, tessera::maximum{}, memory);
  });
  expect_of_each<indexed<float, int>>(one, in, rows, [&](std::int64_t so_many, float const* x, auto* out) {
    return argmin_rows(of(so_many, x), out, memory);
  });
  expect_of_each<indexed<float, int>>(one, in, rows, [&](std::int64_t so_many, float const* x, auto* out) {
    return argmax_rows(of(so_many, x), out, memory);
  });
  expect_of_each<min_max<float>>(one, in, rows, [&](std::int64_t so_many, float const* x, auto* out) {
    return minmax_rows(of(so_many, x), out, memory);
  });
  expect_of_each<tessera::moments<float>>(one, in, rows, [&](std::int64_t so_many, float const* x, auto* out) {
    return moments_rows(of(so_many, x), out, memory);
  });
}

/// As many rows as elements: each is its own maximum.
TEST_F(GridLongArrays, ManyRows) {
  if (!has_gib(18)) GTEST_SKIP() << "needs 18 GiB of the GPU's memory";
  auto const one = random_numbers<__half>(n, -9, 9, 2);
  copies<__half> const in(one), out(one.size());
  ASSERT_EQ(reduce_rows(matrix<__half const>{in.data(), n * count, 1}, out.data(), tessera::maximum{}, memory),
            cudaSuccess);
  out.expect_each_is(one);
}

TEST_F(GridLongArrays, Softmax) {
  if (!has_gib(18)) GTEST_SKIP() << "needs 18 GiB of the GPU's memory";
  using T = __nv_bfloat16;
  auto const one = random_numbers<T>(n, -9, 9, 3);
  copies<T> const in(one);
  auto const of = [](std::int64_t so_many, auto* data) { return matrix{data, so_many, columns}; };
  expect_of_each<T>(one, in, n, [&](std::int64_t so_many, T const* x, T* y) {
    return softmax_rows(of(so_many, x), of(so_many, y), nullptr, memory);
  });
  std::vector<std::int32_t> lengths(rows);
  for (std::size_t r = 0; r < lengths.size(); ++r) lengths[r] = static_cast<std::int32_t>(r * 7 % (columns + 2));
  copies<std::int32_t> const all_lengths(lengths);
  expect_of_each<T>(one, in, n, [&](std::int64_t so_many, T const* x, T* y) {
    return log_softmax_rows(of(so_many, x), of(so_many, y), all_lengths.data(), memory);
  });
  expect_of_each<T>(one, in, n, [&](std::int64_t so_many, T const* x, T* y) {
    return softmax128(y, x, so_many * columns / 128, memory);
  });
}

/// In place.
TEST_F(GridLongArrays, Norms) {
  if (!has_gib(9)) GTEST_SKIP() << "needs 9 GiB of the GPU's memory";
  using T = __half;
  auto const one = random_numbers<T>(n, -9, 9, 4);
  device_array<T> const weight(random_numbers<T>(columns, 0.5, 1.5, 5)), bias(random_numbers<T>(columns, -1, 1, 6));
  device_array<T> const few(one);
  copies<T> const all(one);
  auto const of = [](std::int64_t so_many, T* data) { return matrix<T>{data, so_many, columns}; };
  for (auto [x, so_many] : {std::pair{few.data(), rows}, std::pair{all.data(), rows * count}}) {
    ASSERT_EQ(layer_norm_rows(of(so_many, x), of(so_many, x), weight.data(), bias.data(), 1e-5, memory), cudaSuccess);
    ASSERT_EQ(rms_norm_rows(of(so_many, x), of(so_many, x), weight.data(), bias.data(), 1e-5, memory), cudaSuccess);
  }
  all.expect_each_is(few.to_host());
}

/// Offsets of 32 bits that mean what they say only if they are unsigned: of two elements each at both ends of the longest array.
constexpr std::int64_t last_unsigned = (std::int64_t{1} << 32) - 1;
device_array<std::uint32_t> far_offsets() {
  return device_array<std::uint32_t>(std::vector<std::uint32_t>{0, 5, static_cast<std::uint32_t>(last_unsigned - 2),
                                                                static_cast<std::uint32_t>(last_unsigned)});
}

/// Small integers, whose sums are exact.
TEST_F(GridLongArrays, Segments) {
  if (!has_gib(9)) GTEST_SKIP() << "needs 9 GiB of the GPU's memory";
  std::vector<__half> one;
  for (std::int64_t i = 0; i < n; ++i) one.push_back(rounded<__half>(static_cast<double>(i * 7919 % 5)));
  std::vector<std::int64_t> offsets{0};
  std::vector<float> sums;
  for (std::int64_t r = 0; r < rows; ++r) {
    std::int64_t const length = r % 2 == 0 ? r % columns : 2 * columns - offsets.back() % (2 * columns);
    std::int64_t const end = r == rows - 1 ? n : std::min(n, offsets.back() + length);
    float sum = 0;
    for (std::int64_t i = offsets.back(); i < end; ++i) sum += static_cast<float>(i * 7919 % 5);
    sums.push_back(sum);
    offsets.push_back(end);
  }
  std::vector<std::int64_t> all_offsets;
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t r = 0; r < rows; ++r) all_offsets.push_back(i * n + offsets[static_cast<std::size_t>(r)]);
  }
  all_offsets.push_back(n * count);
  copies<__half> const in(one);
  copies<float> const out(rows);
  device_array<std::int64_t> const begins(all_offsets);
  ASSERT_EQ(reduce_segments(in.data(), begins.data(), rows * count, out.data(), tessera::plus{}, memory), cudaSuccess);
  out.expect_each_is(sums);

  device_array<std::int64_t> const three(std::vector<std::int64_t>{0, 5, n * count - 3, n * count});
  device_array<__half> const most(3);
  __half const seven(7.0f);
  check(cudaMemcpy(in.data() + n * count - 4, &seven, sizeof(seven), cudaMemcpyHostToDevice));
  ASSERT_EQ(reduce_segments(in.data(), three.data(), 3, most.data(), tessera::maximum{}, memory), cudaSuccess);
  EXPECT_EQ(as_double(most.to_host()[1]), 7);

  check(cudaMemcpy(in.data() + last_unsigned - 1, &seven, sizeof(seven), cudaMemcpyHostToDevice));
  auto const four = far_offsets();
  ASSERT_EQ(reduce_segments(in.data(), four.data(), 3, most.data(), tessera::maximum{}, memory), cudaSuccess);
  EXPECT_EQ(as_double(most.to_host()[1]), 4);
  EXPECT_EQ(as_double(most.to_host()[2]), 7);
}

/// Of equal elements the first come first: the index of a rank is known.
template <class T>
void expect_selections(T const* in, std::int64_t size, std::vector<std::int64_t> const& ones, execution on) {
  auto const known = static_cast<std::int64_t>(ones.size());
  for (std::int64_t more : {std::int64_t{3}, std::int64_t{20000}}) {
    device_array<std::int64_t> const indices(static_cast<std::size_t>(known + more));
    T* const no_values = nullptr;
    EXPECT_EQ(top_k(in, size, known + more, no_values, indices.data(), tessera::greater{}, on), cudaSuccess);
    std::vector<std::int64_t> expected = ones;
    for (std::int64_t i = 0; i < more; ++i) expected.push_back(i);  // There are no ones so early.
    EXPECT_EQ(indices.to_host(), expected);
  }
  device_array<std::int64_t> const index(1);
  T* const no_value = nullptr;
  std::int64_t const rank = ones[1] - 1;  // As many zeros are before ones[1], and this one is just after it.
  EXPECT_EQ(nth_element(in, size, rank, no_value, index.data(), tessera::less{}, on), cudaSuccess);
  EXPECT_EQ(index.to_host()[0], ones[1] + 1);
  EXPECT_EQ(nth_element(in, size, size - 1, no_value, index.data(), tessera::less{}, on), cudaSuccess);
  EXPECT_EQ(index.to_host()[0], ones.back());
}

TEST_F(GridLongArrays, TopK) {
  constexpr std::int64_t size = (std::int64_t{1} << 32) + 5;
  std::vector<std::int64_t> const ones{1 << 20, size / 2, size - 2};
  auto const check_type = [&](auto one, std::size_t gib) {
    using T = decltype(one);
    if (!has_gib(gib)) return;
    void* memory_of_all = nullptr;
    check(cudaMalloc(&memory_of_all, static_cast<std::size_t>(size) * sizeof(T)));
    auto* const in = static_cast<T*>(memory_of_all);
    check(cudaMemset(in, 0, static_cast<std::size_t>(size) * sizeof(T)));
    for (std::int64_t at : ones) check(cudaMemcpy(in + at, &one, sizeof(T), cudaMemcpyHostToDevice));
    expect_selections(in, size, ones, memory);
    check(cudaFree(in));
  };
  check_type(__half(1.0f), 12);
  check_type(1.0f, 26);
}

TEST_F(GridLongArrays, Histograms) {
  if (!has_gib(5)) GTEST_SKIP() << "needs 5 GiB of the GPU's memory";
  constexpr std::int64_t size = n * count - 3;
  copies<std::uint8_t> const in(std::vector<std::uint8_t>(static_cast<std::size_t>(n), 7));
  device_array<std::uint64_t> const counts(16);
  EXPECT_EQ(histogram(in.data() + 1, size, counts.data(), 16, 0, 16, nullptr, memory), cudaSuccess);
  std::vector<std::uint64_t> expected(16);
  expected[7] = static_cast<std::uint64_t>(size);
  EXPECT_EQ(counts.to_host(), expected);
  // The same bytes in pairs, which are searched.
  device_array<std::uint16_t> const edges(std::vector<std::uint16_t>{0, 0x706, 0x707, 0x708});
  auto const pairs = reinterpret_cast<std::uint16_t const*>(in.data());
  EXPECT_EQ(histogram(pairs, size / 2, counts.data(), 3, edges.data(), nullptr, memory), cudaSuccess);
  EXPECT_EQ(counts.to_host()[2], static_cast<std::uint64_t>(size / 2));
}

/// One copy's elements, of ten so many with a flag, and those with and without it in their order.
struct flagged {
  std::vector<__half> one;
  std::vector<std::uint8_t> flags;
  std::vector<__half> kept, others;
};
flagged flagged_halves(unsigned seed, unsigned of_ten) {
  flagged x{random_numbers<__half>(n, -9, 9, seed), {}, {}, {}};
  for (std::size_t i = 0; i < x.one.size(); ++i) {
    x.flags.push_back(i * 7919 % 10 < of_ten ? 1 : 0);
    (x.flags.back() != 0 ? x.kept : x.others).push_back(x.one[i]);
  }
  return x;
}

/// Of each copy the same is selected; the others of a partition lie after all of that.
TEST_F(GridLongArrays, Selections) {
  if (!has_gib(23)) GTEST_SKIP() << "needs 23 GiB of the GPU's memory";
  constexpr std::int64_t size = n * count;
  auto const [one, flags_of_one, kept, others] = flagged_halves(7, 7);
  copies<__half> const in(one);
  copies<std::uint8_t> const flags(flags_of_one);
  copies<__half> const selected(kept), rejected(others);
  check(cudaMemset(selected.data(), 0, kept.size() * count * sizeof(__half)));
  check(cudaMemset(rejected.data(), 0, others.size() * count * sizeof(__half)));
  device_array<std::int64_t> const counts(1);
  auto const all = static_cast<std::int64_t>(kept.size()) * count;
  ASSERT_EQ(partition_copy(in.data(), flags.data(), size, selected.data(), rejected.data(), counts.data(), memory),
            cudaSuccess);
  EXPECT_EQ(counts.to_host()[0], all);
  selected.expect_each_is(kept);
  rejected.expect_each_is(others);
  ASSERT_EQ(select(in.data(), flags.data(), size, in.data(), counts.data(), memory), cudaSuccess);
  EXPECT_EQ(counts.to_host()[0], all);
}

/// The selected elements of all copies, and after them the others of all copies.
TEST_F(GridLongArrays, Partitions) {
  if (!has_gib(23)) GTEST_SKIP() << "needs 23 GiB of the GPU's memory";
  auto const [one, flags_of_one, kept, others] = flagged_halves(8, 6);
  copies<__half> const in(one), out(one.size());
  copies<std::uint8_t> const flags(flags_of_one);
  device_array<std::int64_t> const counts(1);
  auto const all = static_cast<std::int64_t>(kept.size()) * count;
  ASSERT_EQ(partition(in.data(), flags.data(), n * count, out.data(), counts.data(), memory), cudaSuccess);
  EXPECT_EQ(counts.to_host()[0], all);
  expect_copies(out.data(), kept);
  expect_copies(out.data() + all, others);
}

/// Each copy's sums begin with those of the copies before it. They wrap around.
TEST_F(GridLongArrays, Scans) {
  if (!has_gib(34)) GTEST_SKIP() << "needs 34 GiB of the GPU's memory";
  std::vector<std::uint32_t> one, inclusive, suffix(static_cast<std::size_t>(n));
  std::uint32_t sum = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    one.push_back(static_cast<std::uint32_t>(i * 7919 % 1000003));
    inclusive.push_back(sum += one.back());
  }
  std::uint32_t const start = 12345;
  // The last copy has `start` after it, and the first one count - 1 copies more.
  for (std::size_t i = 0; i < one.size(); ++i)
    suffix[i] = start + sum - inclusive[i] + sum * static_cast<std::uint32_t>(count - 1);
  auto const add = [](std::uint32_t more) {
    return [more](std::vector<std::uint32_t>& x) {
      for (std::uint32_t& value : x) value += more;
    };
  };
  copies<std::uint32_t> const in(one), out(one.size());
  device_array<std::uint32_t> const total(1);
  ASSERT_EQ(inclusive_scan(in.data(), n * count, out.data(), tessera::plus{}, {false, total.data()}, memory),
            cudaSuccess);
  EXPECT_EQ(total.to_host()[0], sum * static_cast<std::uint32_t>(count));
  expect_copies(out.data(), inclusive, add(sum));
  ASSERT_EQ(exclusive_scan(in.data(), n * count, in.data(), tessera::plus{}, start, {true, total.data()}, memory),
            cudaSuccess);
  EXPECT_EQ(total.to_host()[0], start + sum * static_cast<std::uint32_t>(count));
  expect_copies(in.data(), suffix, add(0u - sum));
}

/// Runs of one to three keys, the same in each copy, whose first key isn't the last one's.
TEST_F(GridLongArrays, UniqueAndReduceByKey) {
  if (!has_gib(50)) GTEST_SKIP() << "needs 50 GiB of the GPU's memory";
  std::vector<std::uint32_t> keys, values, heads, sums;
  for (std::int64_t i = 0; i < n; ++i) {
    keys.push_back(static_cast<std::uint32_t>(i / 3 + i / 1000));
    values.push_back(static_cast<std::uint32_t>(i * 7919));
    if (i == 0 || keys[static_cast<std::size_t>(i)] != keys[static_cast<std::size_t>(i) - 1]) {
      heads.push_back(keys.back());
      sums.push_back(0);
    }
    sums.back() += values.back();
  }
  copies<std::uint32_t> const all_keys(keys), all_values(values), keys_out(heads.size()), sums_out(heads.size());
  device_array<std::int64_t> const counts(1);
  auto const runs = static_cast<std::int64_t>(heads.size()) * count;
  ASSERT_EQ(reduce_by_key(all_keys.data(), all_values.data(), n * count, keys_out.data(), sums_out.data(),
                          counts.data(), tessera::plus{}, tessera::equal_to{}, memory),
            cudaSuccess);
  EXPECT_EQ(counts.to_host()[0], runs);
  keys_out.expect_each_is(heads);
  sums_out.expect_each_is(sums);
  check(cudaMemset(counts.data(), 0, sizeof(std::int64_t)));
  ASSERT_EQ(unique(all_keys.data(), n * count, all_keys.data(), counts.data(), tessera::equal_to{}, memory),
            cudaSuccess);
  EXPECT_EQ(counts.to_host()[0], runs);
  expect_copies(all_keys.data(), heads);
}

/// One run of more than 2^32 keys, and then short ones.
TEST_F(GridLongArrays, Runs) {
  if (!has_gib(18)) GTEST_SKIP() << "needs 18 GiB of the GPU's memory";
  constexpr std::int64_t size = (std::int64_t{1} << 32) + 70001;
  copies<std::uint32_t> const in(static_cast<std::size_t>(size / count + 1));
  std::uint32_t const last[] = {1, 1, 2};
  check(cudaMemcpy(in.data() + size - 3, last, sizeof(last), cudaMemcpyHostToDevice));
  device_array<std::uint32_t> const values(3);
  device_array<std::int64_t> const lengths(3), counts(1);
  ASSERT_EQ(
      run_length_encode(in.data(), size, values.data(), lengths.data(), counts.data(), tessera::equal_to{}, memory),
      cudaSuccess);
  EXPECT_EQ(counts.to_host()[0], 3);
  EXPECT_EQ(values.to_host(), (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(lengths.to_host(), (std::vector<std::int64_t>{size - 3, 2, 1}));
}

/// Segments of every copy: two to four elements of each one, and a long one through all the others.
TEST_F(GridLongArrays, SegmentedScans) {
  if (!has_gib(36)) GTEST_SKIP() << "needs 36 GiB of the GPU's memory";
  std::vector<std::uint32_t> one, keys;
  for (std::int64_t i = 0; i < n; ++i) {
    one.push_back(static_cast<std::uint32_t>(i * 7919 % 5));
    keys.push_back(static_cast<std::uint32_t>(i / 3 + i / 1000));
  }
  copies<std::uint32_t> const in(one), all_keys(keys), out(one.size());
  device_array<std::uint32_t> const few(one), few_keys(keys), few_out(one.size());
  ASSERT_EQ(inclusive_scan_by_key(few_keys.data(), few.data(), n, few_out.data(), tessera::plus{}, memory),
            cudaSuccess);
  ASSERT_EQ(inclusive_scan_by_key(all_keys.data(), in.data(), n * count, out.data(), tessera::plus{}, memory),
            cudaSuccess);
  out.expect_each_is(few_out.to_host());

  device_array<std::int64_t> const begins(std::vector<std::int64_t>{0, 5, n * count - 3, n * count - 1});
  ASSERT_EQ(inclusive_scan_segments(in.data(), n * count, begins.data(), 3, out.data(), tessera::plus{}, memory),
            cudaSuccess);
  std::uint32_t sum = 0, got[2] = {};
  for (std::uint32_t value : one) sum += value;
  sum = sum * static_cast<std::uint32_t>(count);
  for (std::size_t i = 0; i < 5; ++i) sum -= one[i];
  for (std::size_t i = one.size() - 3; i < one.size(); ++i) sum -= one[i];
  check(cudaMemcpy(got, out.data() + n * count - 4, sizeof got, cudaMemcpyDeviceToHost));
  EXPECT_EQ(got[0], sum);
  EXPECT_EQ(got[1], one[one.size() - 3]);

  auto const four = far_offsets();
  ASSERT_EQ(inclusive_scan_segments(in.data(), n * count, four.data(), 3, out.data(), tessera::plus{}, memory),
            cudaSuccess);
  std::uint32_t last[3] = {}, two[2] = {};
  check(cudaMemcpy(two, in.data() + last_unsigned - 2, sizeof two, cudaMemcpyDeviceToHost));
  check(cudaMemcpy(last, out.data() + last_unsigned - 3, sizeof last, cudaMemcpyDeviceToHost));
  sum = 0;
  for (std::int64_t i = 5; i < (last_unsigned - 2) % n; ++i) sum += one[static_cast<std::size_t>(i)];
  std::uint32_t whole = 0;
  for (std::uint32_t value : one) whole += value;
  EXPECT_EQ(last[0], sum + whole * static_cast<std::uint32_t>((last_unsigned - 2) / n));
  EXPECT_EQ(last[1], two[0]);
  EXPECT_EQ(last[2], two[0] + two[1]);
}

TEST_F(GridLongArrays, BoundsAndMerges) {
  if (!has_gib(36)) GTEST_SKIP() << "needs 36 GiB of the GPU's memory";
  constexpr std::int64_t size = n * count;
  copies<std::int32_t> const zeros(static_cast<std::size_t>(n));
  device_array<std::int32_t> const needles(std::vector<std::int32_t>{-1, 0, 1}), ones(std::vector<std::int32_t>(3, 1));
  device_array<std::int64_t> const places(3);
  ASSERT_EQ(upper_bound(zeros.data(), size, needles.data(), 3, places.data()), cudaSuccess);
  EXPECT_EQ(places.to_host(), (std::vector<std::int64_t>{0, size, size}));
  copies<std::int32_t> const merged(static_cast<std::size_t>(n) + 1);
  ASSERT_EQ(merge(ones.data(), 3, zeros.data(), size, merged.data()), cudaSuccess);
  ASSERT_EQ(lower_bound(merged.data(), size + 3, needles.data(), 3, places.data()), cudaSuccess);
  EXPECT_EQ(places.to_host(), (std::vector<std::int64_t>{0, 0, size}));
}

/// An array and its copies: of each element as many as there are copies.
TEST_F(GridLongArrays, Sorts) {
  if (!has_gib(30)) GTEST_SKIP() << "needs 30 GiB of the GPU's memory";
  auto const one = random_numbers<__half>(n, -9, 9, 6);
  auto sorted = one;
  std::sort(sorted.begin(), sorted.end(), [](__half a, __half b) { return as_double(a) < as_double(b); });
  copies<__half> const in(one), out(one.size());
  ASSERT_EQ(sort(in.data(), n * count, out.data(), tessera::less{}, memory), cudaSuccess);
  std::vector<__half> some(static_cast<std::size_t>(n));
  for (std::int64_t i : {std::int64_t{0}, count / 2, count - 1}) {
    check(cudaMemcpy(some.data(), out.data() + i * n, some.size() * sizeof(__half), cudaMemcpyDefault));
    for (std::int64_t k = 0; k < n; ++k)
      ASSERT_EQ(as_double(some[static_cast<std::size_t>(k)]),
                as_double(sorted[static_cast<std::size_t>((i * n + k) / count)]));
  }
  ASSERT_EQ(argsort(in.data(), std::int64_t{INT32_MAX} + 2, reinterpret_cast<std::int32_t*>(out.data())),
            cudaErrorInvalidValue);
}

/// In place. The value of a key is its index in its copy: those of equal keys come copy after copy, each in order.
TEST_F(GridLongArrays, SortsByKey) {
  if (!has_gib(52)) GTEST_SKIP() << "needs 52 GiB of the GPU's memory";
  auto const one = random_numbers<__half>(n, -9, 9, 9);
  std::vector<std::uint32_t> numbers(one.size());
  std::iota(numbers.begin(), numbers.end(), 0u);
  auto places = numbers;
  auto const key_of = [&](std::uint32_t place) { return as_double(one[place]); };
  std::stable_sort(places.begin(), places.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return key_of(a) < key_of(b); });
  copies<__half> const keys(one);
  copies<std::uint32_t> const values(numbers);
  ASSERT_EQ(sort_by_key(keys.data(), values.data(), n * count, keys.data(), values.data(), tessera::less{}, memory),
            cudaSuccess);
  std::vector<__half> some_keys(one.size());
  std::vector<std::uint32_t> some_values(one.size());
  for (std::int64_t i : {std::int64_t{0}, count / 2, count - 1}) {
    check(cudaMemcpy(some_keys.data(), keys.data() + i * n, some_keys.size() * sizeof(__half), cudaMemcpyDefault));
    check(cudaMemcpy(some_values.data(), values.data() + i * n, some_values.size() * sizeof(std::uint32_t),
                     cudaMemcpyDefault));
    std::int64_t begin = -1, end = -1;  // of the keys equal to this one, in a sorted copy
    for (std::int64_t k = 0; k < n; ++k) {
      std::int64_t const place = (i * n + k) / count;
      double const key = key_of(places[static_cast<std::size_t>(place)]);
      ASSERT_EQ(as_double(some_keys[static_cast<std::size_t>(k)]), key);
      if (place >= end) {
        auto const group = std::equal_range(places.begin(), places.end(), places[static_cast<std::size_t>(place)],
                                            [&](std::uint32_t a, std::uint32_t b) { return key_of(a) < key_of(b); });
        begin = group.first - places.begin();
        end = group.second - places.begin();
      }
      std::int64_t const index = (i * n + k - begin * count) % (end - begin);
      ASSERT_EQ(some_values[static_cast<std::size_t>(k)], places[static_cast<std::size_t>(begin + index)]);
    }
  }
}

/// Each copy's segments, and one segment across 2^32.
TEST_F(GridLongArrays, SortsOfSegments) {
  if (!has_gib(40)) GTEST_SKIP() << "needs 40 GiB of the GPU's memory";
  auto const one = random_numbers<__half>(n, -9, 9, 7);
  std::vector<std::int64_t> offsets;
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int64_t r = 0; r < rows; ++r) offsets.push_back(i * n + r * columns + r % 7);
  offsets.push_back(n * count);
  auto sorted = one;
  auto const by_value = [](__half a, __half b) { return as_double(a) < as_double(b); };
  for (std::int64_t r = 0; r < rows; ++r)
    std::sort(sorted.begin() + r * columns + r % 7,
              sorted.begin() + (r + 1 < rows ? (r + 1) * columns + (r + 1) % 7 : n), by_value);
  copies<__half> const in(one), out(one.size());
  device_array<std::int64_t> const begins(offsets);
  ASSERT_EQ(sort_segments(in.data(), n * count, begins.data(), rows * count, out.data(), tessera::less{}, memory),
            cudaSuccess);
  out.expect_each_is(sorted);

  std::int64_t const begin = (std::int64_t{1} << 32) - 100000;
  device_array<std::int64_t> const two(std::vector<std::int64_t>{begin, n * count});
  std::vector<__half> last(static_cast<std::size_t>(n * count - begin)), got(last.size());
  check(cudaMemcpy(last.data(), in.data() + begin, last.size() * sizeof(__half), cudaMemcpyDefault));
  std::sort(last.begin(), last.end(), by_value);
  ASSERT_EQ(sort_segments(in.data(), n * count, two.data(), 1, out.data(), tessera::less{}, memory), cudaSuccess);
  check(cudaMemcpy(got.data(), out.data() + begin, got.size() * sizeof(__half), cudaMemcpyDefault));
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(as_double(got[i]), as_double(last[i]));

  device_array<std::uint32_t> const of_32_bits(
      std::vector<std::uint32_t>{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(last_unsigned)});
  last.resize(static_cast<std::size_t>(last_unsigned - begin));
  got.resize(last.size());
  check(cudaMemcpy(last.data(), in.data() + begin, last.size() * sizeof(__half), cudaMemcpyDefault));
  std::sort(last.begin(), last.end(), by_value);
  ASSERT_EQ(sort_segments(in.data(), n * count, of_32_bits.data(), 1, out.data(), tessera::less{}, memory),
            cudaSuccess);
  check(cudaMemcpy(got.data(), out.data() + begin, got.size() * sizeof(__half), cudaMemcpyDefault));
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(as_double(got[i]), as_double(last[i]));
}

}  // namespace
