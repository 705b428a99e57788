// Selections and partitions of any type, by any predicate (select.cuh).
#include <tessera/grid/select.cuh>

#include <cstdint>
#include <vector>

#include "backend.hpp"
#include "drawn_arrays.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

using GridSelectAny = WithWorkspace;

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
  ASSERT_EQ(grid::select(in.data(), n, out.data(), count, pred, memory), cudaSuccess);
  ASSERT_EQ(grid::partition(in.data(), n, both.data(), count + 1, pred, memory), cudaSuccess);
  ASSERT_EQ(grid::partition_copy(in.data(), n, first.data(), second.data(), count + 2, pred, memory), cudaSuccess);
  ASSERT_EQ(grid::select(in.data(), n, in.data(), count + 3, pred, memory), cudaSuccess);
  EXPECT_EQ(counts.to_host(), std::vector<std::int64_t>(4, static_cast<std::int64_t>(kept.size())));
  EXPECT_TRUE(same_arrays(out.to_host(), kept) && same_arrays(both.to_host(), all));
  EXPECT_TRUE(same_arrays(first.to_host(), kept) && same_arrays(second.to_host(), others));
  EXPECT_TRUE(same_arrays(in.to_host(), kept)) << "in place";
}

template <class T>
void check_type(grid::workspace& memory) {
  for (std::int64_t n : worthwhile({1, 1000, 8192, 100003, 2000003})) {
    for (unsigned limit : {0u, 6554u, 32768u, 58982u, 65536u})
      if (limit == 32768 || n < 1'000'000 || sizeof(T) <= 4) check_predicate<T>(memory, n, hash_below{limit});
  }
}

#if TESSERA_TEST_HAS_PART(0)
TEST_F(GridSelectAny, Floats) {
  check_type<float>(memory);
}
TEST_F(GridSelectAny, StructsOfThreeBytes) {
  check_type<row<3>>(memory);
}
template <class T>
void check_three_ways(grid::workspace& memory) {
  hash_below const in_first{20000}, in_second{50000};
  for (std::int64_t n : worthwhile({0, 1, 1000, 8192, 100003, 2000003})) {
    SCOPED_TRACE(testing::Message() << n << " of " << sizeof(T) << " bytes");
    auto const x = drawn<T>(n);
    std::vector<T> parts[3];
    for (T const& value : x) parts[in_first(value) ? 0 : in_second(value) ? 1 : 2].push_back(value);
    gpu_array<T> const in(x), first(x.size() + 1), second(x.size() + 1), others(x.size() + 1);
    gpu_array<std::int64_t> const counts(2);
    for (int turn = 0; turn < 2; ++turn) {
      ASSERT_EQ(grid::three_way_partition(in.data(), n, first.data(), second.data(), others.data(), counts.data(),
                                          in_first, in_second, memory),
                cudaSuccess);
      auto const sizes = std::vector<std::int64_t>{static_cast<std::int64_t>(parts[0].size()),
                                                   static_cast<std::int64_t>(parts[1].size())};
      EXPECT_EQ(counts.to_host(), sizes);
      EXPECT_TRUE(same_arrays(first.to_host(), parts[0]) && same_arrays(second.to_host(), parts[1]));
      EXPECT_TRUE(same_arrays(others.to_host(), parts[2]));
    }
  }
}
TEST_F(GridSelectAny, ThreeWays) {
  check_three_ways<float>(memory);
  check_three_ways<row<12>>(memory);
  gpu_array<float> const a(10), b(10), c(10), d(10);
  gpu_array<std::int64_t> const counts(2);
  hash_below const p{1};
  EXPECT_EQ(grid::three_way_partition(a.data(), 10, b.data(), c.data(), b.data(), counts.data(), p, p),
            cudaErrorInvalidValue);
  EXPECT_EQ(grid::three_way_partition(a.data(), 10, a.data(), c.data(), b.data(), counts.data(), p, p),
            cudaErrorInvalidValue);
  EXPECT_EQ(grid::three_way_partition(a.data(), -1, d.data(), c.data(), b.data(), counts.data(), p, p),
            cudaErrorInvalidValue);
}
TEST_F(GridSelectAny, Indices) {
  for (std::int64_t n : worthwhile({1, 1000, 8192, 100003, 2000003}))
    check_predicate<float>(memory, n, is_even_index{});
}
TEST_F(GridSelectAny, Stencils) {
  std::int64_t const n = worthwhile({1000, 70001}).back();
  auto const x = drawn<row<12>>(n);
  auto const s = drawn<double>(n);
  gpu_array<row<12>> const in(x), out(x.size()), both(x.size());
  gpu_array<double> const stencil(s);
  gpu_array<std::int64_t> const counts(2);
  hash_below const half{32768};
  ASSERT_EQ(grid::select(in.data(), stencil.data(), n, out.data(), counts.data(), half, memory), cudaSuccess);
  ASSERT_EQ(grid::partition(in.data(), stencil.data(), n, both.data(), counts.data() + 1, half, memory), cudaSuccess);
  std::vector<row<12>> all, others;
  for (std::size_t i = 0; i < x.size(); ++i) (half(s[i]) ? all : others).push_back(x[i]);
  EXPECT_EQ(counts.to_host(), std::vector<std::int64_t>(2, static_cast<std::int64_t>(all.size())));
  EXPECT_TRUE(same_arrays(out.to_host(), all));
  all.insert(all.end(), others.begin(), others.end());
  EXPECT_TRUE(same_arrays(both.to_host(), all));
}
#endif

#if TESSERA_TEST_HAS_PART(1)
TEST_F(GridSelectAny, OtherNumbers) {
  check_type<double>(memory);
  check_type<char>(memory);
  check_type<short>(memory);
}
#endif

#if TESSERA_TEST_HAS_PART(2)
TEST_F(GridSelectAny, Structs) {
  check_type<row<12>>(memory);
  check_type<matrix>(memory);
  check_type<row<17>>(memory);
  check_type<row<64>>(memory);
}
#endif

}  // namespace
