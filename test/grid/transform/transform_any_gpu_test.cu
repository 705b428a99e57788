// transform, tabulate and for_each of arrays of any type, by any function (transform.cuh).
#include <tessera/grid/transform.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "backend.hpp"
#include "drawn_arrays.hpp"
#include "iterators.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

using GridTransformAny = WithWorkspace;

/// An array that begins `offset` elements after a multiple of 256 bytes, and whether elements beside it are as they were.
template <class T>
struct shifted {
  std::vector<T> image;
  std::size_t offset;
  gpu_array<T> memory;

  explicit shifted(std::vector<T> const& x, std::size_t after = 0)
      : image(filled(x, after)), offset(after), memory(image) {}
  explicit shifted(std::size_t n, std::size_t after = 0) : shifted(drawn<T>(static_cast<std::int64_t>(n)), after) {}
  T* data() const { return memory.data() + offset; }

  bool holds(std::vector<T> const& x) const {
    auto expected = image;
    std::copy(x.begin(), x.end(), expected.begin() + static_cast<std::ptrdiff_t>(offset));
    return same_arrays(memory.to_host(), expected);
  }

 private:
  static std::vector<T> filled(std::vector<T> const& x, std::size_t after) {
    auto all = drawn<T>(static_cast<std::int64_t>(x.size() + after) + 5);
    std::copy(x.begin(), x.end(), all.begin() + static_cast<std::ptrdiff_t>(after));
    return all;
  }
};

/// The words of both arguments and the index, as an Out.
template <class Out>
struct mixes {
  template <class T>
  TESSERA_FN Out operator()(T const& x, std::int64_t index) const {
    return (*this)(x, x, index);
  }
  template <class T, class U>
  TESSERA_FN Out operator()(T const& x, U const& y, std::int64_t index) const {
    auto const a = tessera::detail::to_words(x);
    auto const b = tessera::detail::to_words(y);
    auto hash = static_cast<unsigned>(index);
    for (unsigned word : a.word) hash = hash * 0x9e3779b1u + word;
    for (unsigned word : b.word) hash = hash * 0x85ebca6bu + word;
    tessera::detail::words<Out> w;
    for (unsigned& word : w.word) word = (hash = hash * 0x9e3779b1u + 1);
    return tessera::detail::from_words<Out>(w);
  }
};

template <class T, class U, class Out>
void check_transform(std::int64_t n, std::size_t offset) {
  SCOPED_TRACE(testing::Message() << n << " of " << sizeof(T) << " bytes, offset " << offset);
  auto const x = drawn<T>(n);
  auto const y = drawn<U>(n);
  std::vector<Out> one, two;
  for (std::int64_t i = 0; i < n; ++i) {
    auto const at = static_cast<std::size_t>(i);
    one.push_back(mixes<Out>{}(x[at], i));
    two.push_back(mixes<Out>{}(x[at], y[at], i));
  }
  shifted<T> const a(x, offset);
  shifted<U> const b(y, 1);
  shifted<Out> const first(x.size(), offset), second(x.size(), 2), third(x.size());
  ASSERT_EQ(grid::transform(a.data(), n, first.data(), mixes<Out>{}), cudaSuccess);
  ASSERT_EQ(grid::transform(a.data(), b.data(), n, second.data(), mixes<Out>{}), cudaSuccess);
  ASSERT_EQ(grid::transform(grid::inputs(a.data(), b.data()), n, third.data(), mixes<Out>{}), cudaSuccess);
  EXPECT_TRUE(first.holds(one) && second.holds(two) && third.holds(two));
}

TEST_F(GridTransformAny, Transforms) {
  for (std::int64_t n : worthwhile({0, 1, 31, 4095, 4096, 4097, 100003, 3000001}))
    for (std::size_t offset : {0, 1, 3}) {
      if (n > 1000000 && offset == 1) continue;
      check_transform<float, float, float>(n, offset);
      check_transform<char, double, int>(n, offset);
      if (n < 1000000) check_transform<row<12>, short, row<6>>(n, offset);
      if (n < 1000000) check_transform<row<64>, float, double>(n, offset);
    }
}

struct sum_of_three {
  TESSERA_FN float operator()(float a, int b, double c) const { return a + static_cast<float>(b + c); }
};
struct half_of {
  TESSERA_FN double operator()(std::int64_t index) const { return 0.5 * static_cast<double>(index); }
};
struct twice {
  TESSERA_FN int operator()(int x) const { return 2 * x; }
};
TEST_F(GridTransformAny, ThreeInputsTablesAndInPlace) {
  std::int64_t const n = 100001;
  std::vector<float> a;
  std::vector<int> b;
  std::vector<double> c, halves;
  for (int i = 0; i < n; ++i)
    a.push_back(static_cast<float>(i)), b.push_back(i % 7), c.push_back(i % 5), halves.push_back(0.5 * i);
  shifted<float> const x(a), sums(a.size());
  shifted<int> const y(b, 1);
  shifted<double> const z(c), table(a.size(), 1);
  ASSERT_EQ(grid::transform(grid::inputs(x.data(), y.data(), z.data()), n, sums.data(), sum_of_three{}, memory),
            cudaSuccess);
  ASSERT_EQ(grid::tabulate(table.data(), n, half_of{}), cudaSuccess);
  ASSERT_EQ(grid::transform(y.data(), n, y.data(), twice{}), cudaSuccess);
  EXPECT_TRUE(table.holds(halves));
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = sum_of_three{}(a[i], b[i], c[i]);
    b[i] *= 2;
  }
  EXPECT_TRUE(sums.holds(a) && y.holds(b));
}

struct counts_calls {
  unsigned* calls;
  template <class T>
  TESSERA_FN void operator()(T const&, std::int64_t index) const {
    count(index);
  }
  TESSERA_FN void operator()(std::int64_t index) const { count(index); }
  TESSERA_FN void count([[maybe_unused]] std::int64_t index) const {
#if TESSERA_ARCH
    atomicAdd(calls + index, 1);
#endif
  }
};
struct flips {
  template <class T>
  TESSERA_FN void operator()(T& x) const {
    reinterpret_cast<unsigned char&>(x) ^= 0x5a;
  }
};
template <class T>
void check_for_each(std::int64_t n, std::size_t offset) {
  SCOPED_TRACE(testing::Message() << n << " of " << sizeof(T) << " bytes, offset " << offset);
  auto x = drawn<T>(n);
  shifted<T> const in(x, offset);
  std::vector<unsigned> const zeros(x.size()), twos(x.size(), 2);
  shifted<unsigned> const calls(zeros);
  ASSERT_EQ(grid::for_each(in.data(), n, counts_calls{calls.data()}), cudaSuccess);
  ASSERT_EQ(grid::for_each(n, counts_calls{calls.data()}), cudaSuccess);
  EXPECT_TRUE(in.holds(x) && calls.holds(twos));
  ASSERT_EQ(grid::for_each(in.data(), n, flips{}), cudaSuccess);
  for (auto& value : x) flips{}(value);
  EXPECT_TRUE(in.holds(x));
}
TEST_F(GridTransformAny, ForEach) {
  for (std::int64_t n : worthwhile({0, 1, 31, 4097, 100003, 3000001}))
    for (std::size_t offset : {0, 1, 3}) {
      check_for_each<float>(n, offset);
      check_for_each<char>(n, offset);
      if (n < 1000000) check_for_each<row<12>>(n, offset);
    }
}

struct index_over_3 {
  TESSERA_FN int operator()(std::int64_t i) const { return static_cast<int>(i / 3); }
};
TEST_F(GridTransformAny, Iterators) {
  std::int64_t const n = 70001;
  gpu_array<int> const out(2 * n), calls(std::vector<int>(n, 0));
  computed<index_over_3> const in{{}, 0};
  ASSERT_EQ(grid::transform(in, n, strided<int, 2>{out.data()}, twice{}, memory), cudaSuccess);
  ASSERT_EQ(grid::for_each(in, n, counts_calls{reinterpret_cast<unsigned*>(calls.data())}), cudaSuccess);
  auto const got = out.to_host();
  for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(got[static_cast<std::size_t>(2 * i)], 2 * (i / 3)) << i;
  EXPECT_EQ(calls.to_host(), std::vector<int>(n, 1));
}

TEST_F(GridTransformAny, CountsOnTheDevice) {
  std::int64_t const most = 70001;
  for (std::int64_t n : {std::int64_t{0}, std::int64_t{1}, std::int64_t{5000}, most, most + 5}) {
    std::int64_t const end = std::min(n, most);
    auto const x = drawn<int>(most), y = drawn<int>(most + 1);
    gpu_array<std::int64_t> const count(std::vector<std::int64_t>{n});
    auto const some = grid::count_on_device(count.data(), most);
    gpu_array<int> const in(x), other(y), changed(x);
    shifted<int> const one(x.size()), two(x.size());
    gpu_array<unsigned> const calls(std::vector<unsigned>(x.size(), 0));
    ASSERT_EQ(grid::transform(in.data(), some, one.data(), twice{}, memory), cudaSuccess);
    ASSERT_EQ(grid::transform(in.data(), other.data(), some, two.data(), mixes<int>{}, memory), cudaSuccess);
    ASSERT_EQ(grid::for_each(in.data(), some, counts_calls{calls.data()}, memory), cudaSuccess);
    ASSERT_EQ(grid::for_each(changed.data(), some, flips{}, memory), cudaSuccess);
    std::vector<int> doubled, mixed, flipped = x;
    for (std::int64_t i = 0; i < end; ++i) {
      auto const at = static_cast<std::size_t>(i);
      doubled.push_back(twice{}(x[at]));
      mixed.push_back(mixes<int>{}(x[at], y[at], i));
      flips{}(flipped[at]);
    }
    EXPECT_TRUE(one.holds(doubled) && two.holds(mixed)) << n;
    EXPECT_TRUE(same_arrays(changed.to_host(), flipped)) << n;
    auto const visits = calls.to_host();
    for (std::int64_t i = 0; i < most; ++i) ASSERT_EQ(visits[static_cast<std::size_t>(i)], i < end ? 1u : 0u) << i;
  }
  gpu_array<std::int64_t> const count(std::vector<std::int64_t>{1});
  gpu_array<int> const x(10);
  auto const some = grid::count_on_device(count.data(), 1);
  EXPECT_EQ(grid::transform(x.data(), some, count.data(), half_of{}), cudaErrorInvalidValue) << "its own count";
  EXPECT_EQ(grid::transform(x.data(), grid::count_on_device(nullptr, 1), x.data(), twice{}), cudaErrorInvalidValue);
}

TEST_F(GridTransformAny, BadArgumentsTouchNothing) {
  gpu_array<int> const x(std::vector<int>(100, 1));
  gpu_array<double> const wide(100);
  int const* const none = nullptr;
  EXPECT_EQ(grid::transform(none, 3, x.data(), twice{}), cudaErrorInvalidValue);
  EXPECT_EQ(grid::transform(x.data(), -1, x.data(), twice{}), cudaErrorInvalidValue);
  EXPECT_EQ(grid::transform(x.data(), 50, x.data() + 1, twice{}), cudaErrorInvalidValue);
  EXPECT_EQ(grid::transform(x.data(), 20, reinterpret_cast<double*>(x.data()), twice{}), cudaErrorInvalidValue);
  EXPECT_EQ(grid::transform(wide.data(), none, 20, x.data(), mixes<int>{}), cudaErrorInvalidValue);
  EXPECT_EQ(grid::tabulate(x.data(), -1, twice{}), cudaErrorInvalidValue);
  EXPECT_EQ(grid::for_each(none, 3, counts_calls{nullptr}), cudaErrorInvalidValue);
  EXPECT_EQ(grid::for_each(-1, counts_calls{nullptr}), cudaErrorInvalidValue);
  EXPECT_EQ(grid::transform(none, 0, x.data(), twice{}), cudaSuccess);
  EXPECT_EQ(x.to_host(), std::vector<int>(100, 1));
}

}  // namespace
