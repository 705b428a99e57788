// Reductions of arrays of any type by any operator (reduce.cuh): functions of the elements, operators that don't
// commute, structs of odd sizes; and CUB's DeviceReduce beside it.
#include <cub/device/device_reduce.cuh>

#include <tessera/grid/reduce.cuh>
#include <tessera/grid/rows.cuh>
#include <tessera/grid/segments.cuh>

#include <cstdint>
#include <functional>
#include <type_traits>
#include <vector>

#include "backend.hpp"
#include "samples.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

using GridReduceAny = WithWorkspace;

std::int64_t const sizes[] = {0, 1, 2, 3, 31, 33, 1000, 4095, 4097, 65537, 1000003, 6000011};

struct is_odd {
  TESSERA_FN int operator()(unsigned x) const { return static_cast<int>(x % 2); }
};
struct times_index {
  TESSERA_FN unsigned long long operator()(unsigned x, std::int64_t index) const {
    return static_cast<unsigned long long>(x) * static_cast<unsigned long long>(index);
  }
};

TEST_F(GridReduceAny, OfFunctions) {
  for (std::int64_t n : sizes) {
    if (!test::is_worth(n)) continue;
    random_engine random(static_cast<std::uint64_t>(n));
    std::vector<unsigned> x(static_cast<std::size_t>(n) + 1);
    for (auto& value : x) value = sample<unsigned>(random);
    long long odd = 0;
    unsigned long long weighted = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      unsigned const value = x[static_cast<std::size_t>(i) + 1];
      odd += is_odd{}(value);
      weighted += times_index{}(value, i);
    }
    gpu_array<unsigned> const in(x);
    gpu_array<long long> const count(std::size_t{1});
    gpu_array<unsigned long long> const sum(std::size_t{1});
    ASSERT_EQ(grid::transform_reduce(in.data() + 1, n, count.data(), std::plus<>{}, is_odd{}, memory), cudaSuccess);
    ASSERT_EQ(grid::transform_reduce(in.data() + 1, n, sum.data(), tessera::plus{}, times_index{}), cudaSuccess);
    EXPECT_EQ(count.to_host()[0], odd) << n;
    EXPECT_EQ(sum.to_host()[0], weighted) << n;
  }
}

/// Sums bytes by the library's kernel, with the shares for so many multiprocessors; twice, since it must leave the slots as
/// they were.
template <class R>
void expect_sum(grid::workspace& memory, std::vector<unsigned char> const& x, int multiprocessors) {
  using agent = grid::detail::operator_agent<R, tessera::plus, tessera::detail::as_it_is>;
  auto const n = static_cast<std::int64_t>(x.size()) - 1;
  gpu_array<unsigned char> const in(x);
  gpu_array<R> const out(std::size_t{1});
  R expected = 0;
  for (std::size_t i = 1; i < x.size(); ++i) expected += x[i];
  auto const share =
      grid::detail::even_share_of<grid::detail::vectors_of<unsigned char>(agent::template bytes<unsigned char>)>(
          in.data() + 1, n, multiprocessors);
  grid::detail::pooled_workspace const scratch(memory, 0);
  ASSERT_EQ(scratch.error(), cudaSuccess);
  grid::detail::shared_partials<R> const shared{nullptr, nullptr, scratch.slot_words()};
  constexpr auto* kernel = &grid::detail::reduce_kernel<unsigned char const*, agent, tessera::plus, R, R*>;
  for (int run = 0; run < 2; ++run) {
    ASSERT_EQ(grid::detail::launch<kernel>({share.blocks, grid::detail::reduce_tuning::threads}, nullptr, in.data() + 1,
                                           n, share, agent{{}, {}}, tessera::plus{}, shared, out.data()),
              cudaSuccess);
    EXPECT_EQ(out.to_host()[0], expected) << n << " bytes, " << multiprocessors << " multiprocessors";
  }
}

/// Shares for few multiprocessors, and for 248, whose blocks need all slots.
TEST_F(GridReduceAny, Multiprocessors) {
  for (int multiprocessors : {1, 2, 248}) {
    std::int64_t const enough = multiprocessors * std::int64_t{1'572'864};
    bool const is_long = multiprocessors > 2;
    if (is_long && !test::is_worth(enough)) continue;
    for (std::int64_t n : {enough, enough + 49, enough + enough / 3}) {
      if (is_long && n != enough + 49) continue;
      random_engine random(static_cast<std::uint64_t>(n));
      std::vector<unsigned char> x(static_cast<std::size_t>(n) + 1);
      for (auto& value : x) value = static_cast<unsigned char>(random());
      expect_sum<unsigned>(memory, x, multiprocessors);
      if (!is_long) expect_sum<unsigned long long>(memory, x, multiprocessors);
    }
  }
}

/// Elements whose vectors don't fill their words, by an operator that commutes.
template <unsigned Size>
struct some_bytes {
  unsigned char byte[Size];
};
struct sum_of_bytes {
  template <unsigned Size>
  TESSERA_FN unsigned operator()(some_bytes<Size> const& x) const {
    unsigned sum = 0;
    for (unsigned char b : x.byte) sum += b;
    return sum;
  }
};
template <unsigned Size>
void check_odd_size(grid::workspace& memory) {
  for (std::int64_t n : sizes) {
    if (!test::is_worth(n)) continue;
    random_engine random(static_cast<std::uint64_t>(n));
    std::vector<some_bytes<Size>> x(static_cast<std::size_t>(n) + 1);
    for (auto& value : x) {
      for (unsigned char& b : value.byte) b = static_cast<unsigned char>(random());
    }
    unsigned expected = 0;
    for (std::size_t i = 1; i < x.size(); ++i) expected += sum_of_bytes{}(x[i]);
    gpu_array<some_bytes<Size>> const in(x);
    gpu_array<unsigned> const sum(std::size_t{1});
    ASSERT_EQ(grid::transform_reduce(in.data() + 1, n, sum.data(), tessera::plus{}, sum_of_bytes{}, memory),
              cudaSuccess);
    EXPECT_EQ(sum.to_host()[0], expected) << n << " of " << Size << " bytes";
  }
}

TEST_F(GridReduceAny, OfOddSizes) {
  check_odd_size<3>(memory);
  check_odd_size<6>(memory);
  check_odd_size<17>(memory);
}

/// Packed structs, in an operator's identity besides: parameters of alignment 1.
#pragma pack(push, 1)
struct packed_sample {
  char kind;
  double value;
};
#pragma pack(pop)
struct sum_of_samples {
  TESSERA_FN packed_sample operator()(packed_sample const& a, packed_sample const& b) const {
    packed_sample c = a;
    c.value = a.value + b.value;
    return c;
  }
};
TEST_F(GridReduceAny, OfPackedStructs) {
  static_assert(sizeof(packed_sample) == 9 && alignof(packed_sample) == 1);
  for (std::int64_t n : {0, 1, 100, 70000}) {
    gpu_array<packed_sample> const in(std::vector<packed_sample>(static_cast<std::size_t>(n) + 1, {1, 2.0})),
        out(std::size_t{1});
    ASSERT_EQ(
        grid::reduce(in.data() + 1, n, out.data(), tessera::make_operator(sum_of_samples{}, packed_sample{}), memory),
        cudaSuccess);
    packed_sample const all = out.to_host()[0];
    EXPECT_EQ(static_cast<double>(all.value), 2.0 * static_cast<double>(n));
  }
}

/// In order, whatever the operator: bit for bit what a loop gives.
template <class T, class Op>
void check_ordered(grid::workspace& memory, Op op, T identity, T (*make)(random_engine&)) {
  auto const combine = tessera::make_operator(op, identity);
  for (std::int64_t n : sizes) {
    if (!test::is_worth(n)) continue;
    random_engine random(static_cast<std::uint64_t>(n));
    std::vector<T> x(static_cast<std::size_t>(n) + 1);
    for (auto& value : x) value = make(random);
    T expected = identity;
    for (std::size_t i = 1; i < x.size(); ++i) expected = op(expected, x[i]);
    gpu_array<T> const in(x), out(std::size_t{1});
    ASSERT_EQ(grid::reduce(in.data() + 1, n, out.data(), combine, memory), cudaSuccess);
    T const got = out.to_host()[0];
    ASSERT_EQ(std::memcmp(&got, &expected, sizeof(T)), 0) << sizeof(T) << " bytes, n " << n;
  }
}

TEST_F(GridReduceAny, InOrder) {
  check_ordered<matrix>(memory, matrix_product{}, matrix_one,
                        [](random_engine& random) { return sample<matrix>(random); });
  check_ordered<brackets>(memory, bracket_concatenation{}, brackets{0, 0}, [](random_engine& random) {
    return random() % 2 != 0 ? brackets{1, 0} : brackets{0, 1};
  });
  check_ordered<row<3>>(memory, compose_rows<3>{}, row<3>{{1, 0, 0}}, [](random_engine& random) {
    return row<3>{{static_cast<unsigned char>(random() | 1), static_cast<unsigned char>(random()), 0}};
  });
  check_ordered<row<10>>(memory, compose_rows<10>{}, row<10>{{1, 0, 1, 0, 1, 0, 1, 0, 1, 0}}, sample<row<10>>);
  check_ordered<row<12>>(memory, compose_rows<12>{}, row<12>{{1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0}}, sample<row<12>>);
}

/// Small integers, all of whose sums are exact: CUB's results to the bit.
TEST_F(GridReduceAny, AsCub) {
  for (std::int64_t n : sizes) {
    if (!test::is_worth(n)) continue;
    random_engine random(static_cast<std::uint64_t>(n));
    std::vector<float> x(static_cast<std::size_t>(n) + 1);
    for (auto& value : x) value = static_cast<float>(random() % 3);
    gpu_array<float> const in(x), ours(std::size_t{1}), cubs(std::size_t{1});
    std::size_t bytes = 1 << 20;
    gpu_array<char> const scratch(bytes);
    ASSERT_EQ(cub::DeviceReduce::Sum(scratch.data(), bytes, in.data() + 1, cubs.data(), n), cudaSuccess);
    ASSERT_EQ(grid::reduce(in.data() + 1, n, ours.data(), tessera::plus{}, memory), cudaSuccess);
    EXPECT_EQ(ours.to_host()[0], cubs.to_host()[0]) << n;
    if (n == 0) continue;
    ASSERT_EQ(cub::DeviceReduce::Max(scratch.data(), bytes, in.data() + 1, cubs.data(), n), cudaSuccess);
    ASSERT_EQ(grid::reduce(in.data() + 1, n, ours.data(), tessera::maximum{}, memory), cudaSuccess);
    EXPECT_EQ(ours.to_host()[0], cubs.to_host()[0]) << n;
    ASSERT_EQ(cub::DeviceReduce::Min(scratch.data(), bytes, in.data() + 1, cubs.data(), n), cudaSuccess);
    ASSERT_EQ(grid::reduce(in.data() + 1, n, ours.data(), tessera::minimum{}, memory), cudaSuccess);
    EXPECT_EQ(ours.to_host()[0], cubs.to_host()[0]) << n;
  }
}

struct same_byte {
  TESSERA_FN unsigned char operator()(unsigned char x) const { return x; }
};

/// Truth values are counted.
TEST_F(GridReduceAny, TruthValues) {
  std::vector<char> const ones(100001, 1);
  gpu_array<char> const in(ones);
  gpu_array<std::uint64_t> const count(std::size_t{1});
  auto const* const truths = reinterpret_cast<bool const*>(in.data());
  ASSERT_EQ(grid::reduce(truths, 100001, count.data(), tessera::plus{}, memory), cudaSuccess);
  EXPECT_EQ(count.to_host()[0], 100001u);
}

/// Short integers are added as int, but by an operator for them alone.
TEST_F(GridReduceAny, ShortIntegers) {
  static_assert(std::is_same_v<grid::reduced_t<unsigned char, tessera::plus>, int>);
  static_assert(std::is_same_v<grid::reduced_t<short, std::plus<>>, int>);
  static_assert(std::is_same_v<grid::reduced_t<short, std::plus<short>>, short>);
  static_assert(std::is_same_v<grid::reduced_t<short, tessera::maximum>, short>);
  for (std::int64_t n : {0, 1, 1000, 100000}) {
    gpu_array<unsigned char> const in(std::vector<unsigned char>(static_cast<std::size_t>(n) + 1, 3));
    gpu_array<int> const sum(std::size_t{1});
    ASSERT_EQ(grid::reduce(in.data(), n, sum.data(), tessera::plus{}, memory), cudaSuccess);
    EXPECT_EQ(sum.to_host()[0], 3 * n);
    ASSERT_EQ(grid::transform_reduce(in.data(), n, sum.data(), tessera::plus{}, same_byte{}, memory), cudaSuccess);
    EXPECT_EQ(sum.to_host()[0], 3 * n);
    ASSERT_EQ(
        grid::reduce_rows(grid::matrix<unsigned char const>{in.data(), 1, n}, sum.data(), tessera::plus{}, memory),
        cudaSuccess);
    EXPECT_EQ(sum.to_host()[0], 3 * n);
    gpu_array<std::int64_t> const offsets(std::vector<std::int64_t>{0, n});
    ASSERT_EQ(grid::reduce_segments(in.data(), offsets.data(), 1, sum.data(), tessera::plus{}, memory), cudaSuccess);
    EXPECT_EQ(sum.to_host()[0], 3 * n);
  }
}

}  // namespace
