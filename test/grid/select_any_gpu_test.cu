// Selections, partitions and runs of any type, by any predicate, relation and operator (select.cuh, runs.cuh); and CUB beside them.
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_select.cuh>

#include <tessera/grid/runs.cuh>
#include <tessera/grid/select.cuh>

#include <cstdint>
#include <cstring>
#include <vector>

#include "../backend.hpp"
#include "../samples.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

struct GridSelectAny : testing::Test {
  void SetUp() override { SKIP_WITHOUT_GPU(); }
  grid::workspace memory;
};

/// Whether the bits of a value hash to less than a part of all numbers.
struct hash_below {
  unsigned limit;
  template <class T>
  TESSERA_FN bool operator()(T const& x) const {
    auto const w = tessera::detail::to_words(x);
    unsigned hash = 1;
    for (unsigned word : w.word) hash = hash * 0x9e3779b1u + word;
    return hash >> 16 < limit;
  }
};
struct is_even_index {
  template <class T>
  TESSERA_FN bool operator()(T const&, std::int64_t index) const {
    return index % 2 == 0;
  }
};

template <class T>
std::vector<T> drawn(std::int64_t n) {
  random_engine random(static_cast<std::uint64_t>(n));
  std::vector<T> x(static_cast<std::size_t>(n));
  for (auto& value : x) value = sample<T>(random);
  return x;
}

template <class T>
bool same_arrays(std::vector<T> const& got, std::vector<T> const& expected) {
  return got.size() >= expected.size() &&
         (expected.empty() || std::memcmp(got.data(), expected.data(), expected.size() * sizeof(T)) == 0);
}

template <class T, class Pred>
void check_predicate(grid::workspace& memory, std::int64_t n, Pred pred) {
  SCOPED_TRACE(testing::Message() << n << " of " << sizeof(T) << " bytes");
  auto const x = drawn<T>(n);
  std::vector<T> kept, others;
  for (std::int64_t i = 0; i < n; ++i) {
    T const& value = x[static_cast<std::size_t>(i)];
    (tessera::detail::apply<std::int64_t>(pred, value, i) ? kept : others).push_back(value);
  }
  auto all = kept;
  all.insert(all.end(), others.begin(), others.end());
  auto const size = static_cast<std::size_t>(n) + 1;
  gpu_array<T> const in(x), out(size), both(size), first(size), second(size);
  gpu_array<std::int64_t> const counts(4);
  std::int64_t* const count = counts.data();
  ASSERT_EQ(grid::select(in.data(), n, out.data(), count, pred, nullptr, &memory), cudaSuccess);
  ASSERT_EQ(grid::partition(in.data(), n, both.data(), count + 1, pred, nullptr, &memory), cudaSuccess);
  ASSERT_EQ(
      grid::partition_copy(in.data(), n, first.data(), second.data(), count + 2, pred, nullptr, &memory),
      cudaSuccess);
  ASSERT_EQ(grid::select(in.data(), n, in.data(), count + 3, pred, nullptr, &memory), cudaSuccess);
  EXPECT_EQ(counts.to_host(), std::vector<std::int64_t>(4, static_cast<std::int64_t>(kept.size())));
  EXPECT_TRUE(same_arrays(out.to_host(), kept) && same_arrays(both.to_host(), all));
  EXPECT_TRUE(same_arrays(first.to_host(), kept) && same_arrays(second.to_host(), others));
  EXPECT_TRUE(same_arrays(in.to_host(), kept)) << "in place";
}

template <class T>
void check_type(grid::workspace& memory) {
  for (std::int64_t n : worthwhile({1, 1000, 8192, 100003, 2000003})) {
    for (unsigned limit : {0u, 6554u, 32768u, 58982u, 65536u})
      check_predicate<T>(memory, n, hash_below{limit});
    check_predicate<T>(memory, n, is_even_index{});
  }
}

TEST_F(GridSelectAny, Numbers) {
  check_type<float>(memory);
  check_type<double>(memory);
  check_type<char>(memory);
  check_type<short>(memory);
}
TEST_F(GridSelectAny, Structs) {
  check_type<row<3>>(memory);
  check_type<row<12>>(memory);
  check_type<matrix>(memory);
  check_type<row<17>>(memory);
  check_type<row<64>>(memory);
}

TEST_F(GridSelectAny, Stencils) {
  std::int64_t const n = worthwhile({1000, 70001}).back();
  auto const x = drawn<row<12>>(n);
  auto const s = drawn<double>(n);
  gpu_array<row<12>> const in(x), out(x.size()), both(x.size());
  gpu_array<double> const stencil(s);
  gpu_array<std::int64_t> const counts(2);
  hash_below const half{32768};
  ASSERT_EQ(grid::select(in.data(), stencil.data(), n, out.data(), counts.data(), half, nullptr, &memory),
            cudaSuccess);
  ASSERT_EQ(
      grid::partition(in.data(), stencil.data(), n, both.data(), counts.data() + 1, half, nullptr, &memory),
      cudaSuccess);
  std::vector<row<12>> all, others;
  for (std::size_t i = 0; i < x.size(); ++i) (half(s[i]) ? all : others).push_back(x[i]);
  EXPECT_EQ(counts.to_host(), std::vector<std::int64_t>(2, static_cast<std::int64_t>(all.size())));
  EXPECT_TRUE(same_arrays(out.to_host(), all));
  all.insert(all.end(), others.begin(), others.end());
  EXPECT_TRUE(same_arrays(both.to_host(), all));
}

/// Keys by a relation of one's own, and values by an operator that doesn't commute.
struct same_tens {
  TESSERA_FN bool operator()(int a, int b) const { return a / 10 == b / 10; }
};

template <class V, class Op>
void check_reduce_by_key(grid::workspace& memory, std::int64_t n, unsigned most, Op op) {
  SCOPED_TRACE(testing::Message() << n << " values of " << sizeof(V) << " bytes, runs up to " << most);
  random_engine random(static_cast<std::uint64_t>(n));
  auto const values = drawn<V>(n);
  std::vector<int> keys, heads;
  std::vector<V> expected;
  int key = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (random() % most == 0) key = static_cast<int>(random() % 1000);
    keys.push_back(key);
    if (i > 0 && same_tens{}(keys[i - 1], key)) {
      expected.back() = op(expected.back(), values[i]);
    } else {
      heads.push_back(key);
      expected.push_back(values[i]);
    }
  }
  gpu_array<int> const in(keys), out(keys.size());
  gpu_array<V> const given(values), got(keys.size());
  gpu_array<std::int64_t> const count(1);
  ASSERT_EQ(grid::reduce_by_key(in.data(), given.data(), n, out.data(), got.data(), count.data(), op,
                                same_tens{}, nullptr, &memory),
            cudaSuccess);
  EXPECT_EQ(count.to_host()[0], static_cast<std::int64_t>(heads.size()));
  EXPECT_TRUE(same_arrays(out.to_host(), heads) && same_arrays(got.to_host(), expected));
}

TEST_F(GridSelectAny, ReduceByKey) {
  for (std::int64_t n : worthwhile({1, 511, 4096, 100003, 1000003}))
    for (unsigned most : {1u, 8u, 1000u, 1u << 30}) {
      check_reduce_by_key<matrix>(memory, n, most, matrix_product{});
      check_reduce_by_key<digits>(memory, n, most, digit_concatenation{});
      check_reduce_by_key<row<64>>(memory, n, most, compose_rows<64>{});
    }
}

/// The same as CUB's.
TEST_F(GridSelectAny, AsCub) {
  for (std::int64_t n : worthwhile({1, 5000, 1000003})) {
    random_engine random(static_cast<std::uint64_t>(n));
    std::vector<unsigned> keys(static_cast<std::size_t>(n)), values;
    for (auto& key : keys) {
      key = static_cast<unsigned>(random() % 3);
      values.push_back(static_cast<unsigned>(random()));
    }
    gpu_array<unsigned> const in(keys), given(values), ours(keys.size()), cubs(keys.size()),
        our_sums(keys.size()), cub_sums(keys.size());
    gpu_array<std::int64_t> const counts(2);
    std::size_t bytes = std::size_t{32} << 20;
    gpu_array<char> const scratch(bytes);
    ASSERT_EQ(cub::DeviceReduce::ReduceByKey(scratch.data(), bytes, in.data(), cubs.data(), given.data(),
                                             cub_sums.data(), counts.data(), cuda::std::plus<>{}, n),
              cudaSuccess);
    ASSERT_EQ(grid::reduce_by_key(in.data(), given.data(), n, ours.data(), our_sums.data(), counts.data() + 1,
                                  tessera::plus{}, tessera::equal_to{}, nullptr, &memory),
              cudaSuccess);
    auto const both = counts.to_host();
    ASSERT_EQ(both[0], both[1]);
    auto const size = static_cast<std::size_t>(both[0]);
    auto a = our_sums.to_host(), b = cub_sums.to_host();
    a.resize(size);
    b.resize(size);
    EXPECT_EQ(a, b);
  }
}

}  // namespace
