// Calls of as many elements as an earlier call has left: each alone, and a chain of them in a graph.
#include <tessera/grid/adjacent_difference.cuh>
#include <tessera/grid/histogram.cuh>
#include <tessera/grid/merge.cuh>
#include <tessera/grid/reduce.cuh>
#include <tessera/grid/runs.cuh>
#include <tessera/grid/scan.cuh>
#include <tessera/grid/scan_by_key.cuh>
#include <tessera/grid/search.cuh>
#include <tessera/grid/select.cuh>
#include <tessera/grid/set_operations.cuh>
#include <tessera/grid/sort.cuh>
#include <tessera/grid/top_k.cuh>
#include <tessera/grid/transform.cuh>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include "backend.hpp"
#include "samples.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

using GridCounted = WithWorkspace;

struct is_even {
  TESSERA_FN bool operator()(unsigned x) const { return x % 2 == 0; }
};
struct is_valid {
  TESSERA_FN bool operator()(unsigned x) const { return x % 4 != 0; }
};
/// Keeps the first operand that isn't 0: it doesn't commute.
struct take_first {
  TESSERA_FN unsigned operator()(unsigned a, unsigned b) const { return a == 0 ? b : a; }
};

struct half_of {
  TESSERA_FN float operator()(float x) const { return x / 2; }
};
struct as_number {
  TESSERA_FN unsigned operator()(std::int64_t i) const { return static_cast<unsigned>(i); }
};
/// Adds 1 to the elements of an array.
struct one_more {
  unsigned* to;
  TESSERA_FN void operator()(std::int64_t i) const { ++to[i]; }
};

#if TESSERA_TEST_HAS_PART(0)
TEST_F(GridCounted, EachCall) {
  for (std::int64_t at_most : {1, 1000, 100000, 3000000}) {
    if (!test::is_worth(at_most)) continue;
    random_engine random(static_cast<std::uint64_t>(at_most));
    std::vector<unsigned> x(static_cast<std::size_t>(at_most));
    for (unsigned& value : x) value = sample<unsigned>(random);
    gpu_array<unsigned> const in(x), out(x.size() + 1), result(std::size_t{1}), first(std::size_t{1});
    gpu_array<std::int64_t> const found(std::size_t{1}), kept(std::size_t{1});
    for (std::int64_t count :
         {std::int64_t{0}, std::int64_t{1}, at_most / 3, at_most - 1, at_most, at_most + 5, std::int64_t{-7}}) {
      std::int64_t const n = std::min(std::max(count, std::int64_t{0}), at_most);
      gpu_array<std::int64_t> const number(std::vector<std::int64_t>{count});
      auto const some = grid::count_on_device(number.data(), at_most);
      auto const op = tessera::make_operator(take_first{}, 0u);
      ASSERT_EQ(grid::reduce(in.data(), some, result.data(), tessera::plus{}, memory), cudaSuccess);
      ASSERT_EQ(grid::reduce(in.data(), some, first.data(), op, memory), cudaSuccess);
      ASSERT_EQ(grid::count_if(in.data(), some, is_even{}, found.data(), memory), cudaSuccess);
      ASSERT_EQ(grid::inclusive_scan(in.data(), some, out.data(), tessera::plus{}, memory), cudaSuccess);
      unsigned sum = 0, expected_first = 0;
      std::vector<unsigned> even;
      auto const scanned = out.to_host();
      for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
        ASSERT_EQ(scanned[i], sum += x[i]) << i << " of " << count << ", at most " << at_most;
        expected_first = take_first{}(expected_first, x[i]);
        if (is_even{}(x[i])) even.push_back(x[i]);
      }
      EXPECT_EQ(result.to_host()[0], sum) << count << ", at most " << at_most;
      EXPECT_EQ(first.to_host()[0], expected_first) << count << ", at most " << at_most;
      EXPECT_EQ(found.to_host()[0], static_cast<std::int64_t>(even.size()));
      ASSERT_EQ(grid::select(in.data(), some, out.data(), kept.data(), is_even{}, memory), cudaSuccess);
      ASSERT_EQ(kept.to_host()[0], static_cast<std::int64_t>(even.size())) << count << ", at most " << at_most;
      auto const selected = out.to_host();
      ASSERT_TRUE(std::equal(even.begin(), even.end(), selected.begin())) << count << ", at most " << at_most;
    }
  }
}
#endif

#if TESSERA_TEST_HAS_PART(0)
/// Sums in either order are exact where all sums are, and have the bits of a call with the number in place if it is
/// at_most.
TEST_F(GridCounted, Orders) {
  for (std::int64_t at_most : {1, 1000, 3000000}) {
    if (!test::is_worth(at_most)) continue;
    random_engine random(static_cast<std::uint64_t>(at_most));
    std::vector<float> x(static_cast<std::size_t>(at_most)), whole(x.size());
    for (float& value : x) value = static_cast<float>(sample<unsigned>(random)) * 0x1p-31f;
    for (float& value : whole) value = static_cast<float>(static_cast<int>(sample<unsigned>(random) % 9) - 4);
    gpu_array<float> const in(x), exact(whole), sum(std::size_t{2}), expected(std::size_t{2});
    gpu_array<tessera::moments<double>> const moments(std::size_t{2});
    for (auto how : {grid::order::this_device, grid::order::any_device}) {
      for (std::int64_t count :
           {std::int64_t{0}, std::int64_t{1}, at_most / 3, at_most, at_most + 5, std::int64_t{-7}}) {
        std::int64_t const n = std::min(std::max(count, std::int64_t{0}), at_most);
        gpu_array<std::int64_t> const number(std::vector<std::int64_t>{count});
        auto const some = grid::count_on_device(number.data(), at_most);
        ASSERT_EQ(grid::reduce(exact.data(), some, sum.data(), tessera::plus{}, how, memory), cudaSuccess);
        ASSERT_EQ(grid::transform_reduce(exact.data(), some, sum.data() + 1, tessera::plus{}, half_of{}, how, memory),
                  cudaSuccess);
        auto const of_all = std::accumulate(whole.begin(), whole.begin() + n, 0.0f);
        EXPECT_EQ(sum.to_host(), (std::vector<float>{of_all, of_all / 2})) << count << ", at most " << at_most;
        ASSERT_EQ(grid::moments(in.data(), some, moments.data(), how, memory), cudaSuccess);
        EXPECT_EQ(moments.to_host()[0].count, static_cast<double>(n));
        if (n < at_most) continue;
        ASSERT_EQ(grid::reduce(in.data(), some, sum.data(), tessera::plus{}, how, memory), cudaSuccess);
        ASSERT_EQ(grid::reduce(in.data(), n, expected.data(), tessera::plus{}, how, memory), cudaSuccess);
        EXPECT_EQ(sum.to_host()[0], expected.to_host()[0]) << at_most;
        ASSERT_EQ(grid::moments(in.data(), n, moments.data() + 1, how, memory), cudaSuccess);
        auto const both = moments.to_host();
        EXPECT_TRUE(both[0].mean == both[1].mean && both[0].m2 == both[1].m2) << at_most;
      }
    }
  }
}
#endif

/// The first elements of an array on the GPU.
template <class T>
std::vector<T> first_of(gpu_array<T> const& x, std::size_t n) {
  auto all = x.to_host();
  all.resize(n);
  return all;
}
std::int64_t size_of(std::vector<unsigned> const& x) {
  return static_cast<std::int64_t>(x.size());
}

#if TESSERA_TEST_HAS_PART(0)
TEST_F(GridCounted, PartitionsAndSearches) {
  for (std::int64_t at_most : {1, 1000, 3000000}) {
    if (!test::is_worth(at_most)) continue;
    random_engine random(static_cast<std::uint64_t>(at_most));
    std::vector<unsigned> x(static_cast<std::size_t>(at_most));
    for (unsigned& value : x) value = sample<unsigned>(random);
    gpu_array<unsigned> const in(x), out(x.size()), more(x.size()), rest(x.size());
    gpu_array<std::int64_t> const found(std::size_t{2});
    gpu_array<unsigned char> const are_equal(std::size_t{1});  // a bool
    for (std::int64_t count : {std::int64_t{0}, std::int64_t{1}, at_most / 3, at_most, at_most + 5}) {
      gpu_array<std::int64_t> const number(std::vector<std::int64_t>{count});
      auto const some = grid::count_on_device(number.data(), at_most);
      std::vector<unsigned> const now(x.begin(), x.begin() + std::min(count, at_most));
      std::vector<unsigned> even, valid, others;
      for (unsigned value : now) {
        (is_even{}(value) ? even : others).push_back(value);
        if (!is_even{}(value) && is_valid{}(value)) valid.push_back(value);
      }
      auto parted = even;
      parted.insert(parted.end(), others.begin(), others.end());
      ASSERT_EQ(grid::partition(in.data(), some, out.data(), found.data(), is_even{}, memory), cudaSuccess);
      EXPECT_EQ(found.to_host()[0], size_of(even)) << count << ", at most " << at_most;
      EXPECT_EQ(first_of(out, now.size()), parted) << count << ", at most " << at_most;
      ASSERT_EQ(
          grid::partition_copy(in.data(), in.data(), some, out.data(), more.data(), found.data(), is_even{}, memory),
          cudaSuccess);
      EXPECT_EQ(first_of(out, even.size()), even) << count << ", at most " << at_most;
      EXPECT_EQ(first_of(more, others.size()), others) << count << ", at most " << at_most;
      ASSERT_EQ(grid::three_way_partition(in.data(), some, out.data(), more.data(), rest.data(), found.data(),
                                          is_even{}, is_valid{}, memory),
                cudaSuccess);
      EXPECT_EQ(found.to_host(), (std::vector<std::int64_t>{size_of(even), size_of(valid)})) << count;
      EXPECT_EQ(first_of(more, valid.size()), valid) << count << ", at most " << at_most;
      std::int64_t const first = std::find_if(now.begin(), now.end(), is_even{}) - now.begin();
      ASSERT_EQ(grid::find_if(in.data(), some, is_even{}, found.data(), memory), cudaSuccess);
      EXPECT_EQ(found.to_host()[0], first) << count << ", at most " << at_most;
      ASSERT_EQ(grid::mismatch(in.data(), in.data(), some, found.data(), tessera::equal_to{}, memory), cudaSuccess);
      EXPECT_EQ(found.to_host()[0], size_of(now));
      ASSERT_EQ(grid::equal(in.data(), in.data(), some, reinterpret_cast<bool*>(are_equal.data()), tessera::equal_to{},
                            memory),
                cudaSuccess);
      EXPECT_EQ(are_equal.to_host()[0], 1);
    }
  }
}

/// Extremes and moments; what follows one array.
TEST_F(GridCounted, ExtremesAndNeighbors) {
  using best = tessera::indexed<unsigned, std::int64_t>;
  for (std::int64_t at_most : {1, 1000, 3000000}) {
    if (!test::is_worth(at_most)) continue;
    random_engine random(static_cast<std::uint64_t>(at_most));
    std::vector<unsigned> x(static_cast<std::size_t>(at_most));
    for (unsigned& value : x) value = sample<unsigned>(random) % 10000;
    gpu_array<unsigned> const in(x), out(x.size()), value(std::size_t{1}), indices(x.size());
    gpu_array<best> const least(std::size_t{1}), greatest(std::size_t{1});
    gpu_array<tessera::min_max<unsigned>> const both(std::size_t{1});
    gpu_array<tessera::moments<double>> const moments(std::size_t{1});
    gpu_array<std::int64_t> const index(std::size_t{1});
    for (std::int64_t count : {std::int64_t{0}, std::int64_t{1}, at_most / 3, at_most, at_most + 5}) {
      gpu_array<std::int64_t> const number(std::vector<std::int64_t>{count});
      auto const some = grid::count_on_device(number.data(), at_most);
      std::vector<unsigned> const now(x.begin(), x.begin() + std::min(count, at_most));
      ASSERT_EQ(grid::argmin(in.data(), some, least.data(), memory), cudaSuccess);
      ASSERT_EQ(grid::argmax(in.data(), some, greatest.data(), memory), cudaSuccess);
      ASSERT_EQ(grid::argmax(in.data(), some, value.data(), index.data(), grid::ties::last, memory), cudaSuccess);
      ASSERT_EQ(grid::argmax(in.data(), some, greatest.data(), grid::ties::first, memory), cudaSuccess);
      ASSERT_EQ(grid::minmax(in.data(), some, both.data(), memory), cudaSuccess);
      ASSERT_EQ(grid::moments(in.data(), some, moments.data(), memory), cudaSuccess);
      EXPECT_EQ(moments.to_host()[0].count, static_cast<double>(now.size()));
      if (!now.empty()) {
        EXPECT_EQ(least.to_host()[0].index, std::min_element(now.begin(), now.end()) - now.begin()) << count;
        EXPECT_EQ(greatest.to_host()[0].index, std::max_element(now.begin(), now.end()) - now.begin()) << count;
        EXPECT_EQ(index.to_host()[0], now.rend() - std::max_element(now.rbegin(), now.rend()) - 1) << count;
        EXPECT_EQ(both.to_host()[0].min, *std::min_element(now.begin(), now.end()));
        EXPECT_EQ(both.to_host()[0].max, *std::max_element(now.begin(), now.end()));
      }
      ASSERT_EQ(cudaMemset(out.data(), 0xcd, x.size() * sizeof(unsigned)), cudaSuccess);
      ASSERT_EQ(grid::adjacent_difference(in.data(), some, out.data(), tessera::minus{}, memory), cudaSuccess);
      std::vector<unsigned> differences(x.size(), 0xcdcdcdcdu);
      std::adjacent_difference(now.begin(), now.end(), differences.begin());
      EXPECT_EQ(out.to_host(), differences) << count << ", at most " << at_most;
      ASSERT_EQ(cudaMemset(indices.data(), 0xcd, x.size() * sizeof(unsigned)), cudaSuccess);
      ASSERT_EQ(grid::tabulate(indices.data(), some, as_number{}, memory), cudaSuccess);
      ASSERT_EQ(grid::for_each(some, one_more{indices.data()}, memory), cudaSuccess);
      auto const numbered = indices.to_host();
      for (std::size_t i = 0; i < numbered.size(); ++i)
        ASSERT_EQ(numbered[i], i < now.size() ? static_cast<unsigned>(i) + 1 : 0xcdcdcdcdu) << i << " of " << count;
    }
  }
}

/// Two sorted arrays, of which one or both are as long as the device knows.
TEST_F(GridCounted, SortedArrays) {
  for (std::int64_t at_most : {1, 1000, 70000, 3000000}) {
    if (!test::is_worth(at_most)) continue;
    random_engine random(static_cast<std::uint64_t>(at_most));
    std::vector<unsigned> a(static_cast<std::size_t>(at_most)), b(a.size() / 2 + 1);
    for (unsigned& value : a) value = sample<unsigned>(random) % 100000;
    for (unsigned& value : b) value = sample<unsigned>(random) % 100000;
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    std::size_t const room = a.size() + b.size();
    gpu_array<unsigned> const in_a(a), in_b(b), out(room);
    gpu_array<std::int64_t> const found(std::size_t{1}), places(b.size());
    auto const nb = static_cast<std::int64_t>(b.size());
    tessera::less const less;
    for (std::int64_t count : {std::int64_t{0}, std::int64_t{1}, at_most / 3, at_most, at_most + 5}) {
      gpu_array<std::int64_t> const number(std::vector<std::int64_t>{count}),
          other(std::vector<std::int64_t>{count / 2});
      auto const of_a = grid::count_on_device(number.data(), at_most), of_b = grid::count_on_device(other.data(), nb);
      std::vector<unsigned> const now(a.begin(), a.begin() + std::min(count, at_most)),
          now_b(b.begin(), b.begin() + std::min(count / 2, nb));
      std::vector<unsigned> expected(now.size() + now_b.size());
      std::merge(now.begin(), now.end(), now_b.begin(), now_b.end(), expected.begin());
      ASSERT_EQ(grid::merge(in_a.data(), of_a, in_b.data(), of_b, out.data(), less, memory), cudaSuccess);
      EXPECT_EQ(first_of(out, expected.size()), expected) << count << ", at most " << at_most;
      expected.clear();
      std::set_union(now.begin(), now.end(), b.begin(), b.end(), std::back_inserter(expected));
      ASSERT_EQ(grid::set_union(in_a.data(), of_a, in_b.data(), nb, out.data(), found.data(), less, memory),
                cudaSuccess);
      EXPECT_EQ(found.to_host()[0], size_of(expected)) << count << ", at most " << at_most;
      EXPECT_EQ(first_of(out, expected.size()), expected) << count << ", at most " << at_most;
      expected.clear();
      std::set_difference(now.begin(), now.end(), now_b.begin(), now_b.end(), std::back_inserter(expected));
      ASSERT_EQ(grid::set_difference(in_a.data(), of_a, in_b.data(), of_b, out.data(), found.data(), less, memory),
                cudaSuccess);
      EXPECT_EQ(found.to_host()[0], size_of(expected)) << count << ", at most " << at_most;
      EXPECT_EQ(first_of(out, expected.size()), expected) << count << ", at most " << at_most;
      ASSERT_EQ(cudaMemset(places.data(), 0, b.size() * sizeof(std::int64_t)), cudaSuccess);
      ASSERT_EQ(grid::lower_bound(in_a.data(), of_a, in_b.data(), of_b, places.data(), less, memory), cudaSuccess);
      auto const bounds = places.to_host();
      for (std::size_t i = 0; i < b.size(); ++i)
        ASSERT_EQ(bounds[i],
                  i < now_b.size() ? std::lower_bound(now.begin(), now.end(), b[i]) - now.begin() : std::int64_t{0})
            << i << " of " << count << ", at most " << at_most;
    }
    EXPECT_EQ(grid::merge(in_a.data(), grid::count_on_device(nullptr, at_most), in_b.data(), nb, out.data()),
              cudaErrorInvalidValue);
  }
}
#endif

struct reversed_bits {
  TESSERA_FN int operator()(unsigned x) const { return static_cast<int>(~x >> 3); }
};
#if TESSERA_TEST_HAS_PART(1)
/// The first k of fewer elements than k, of none, and of more: by numbers, by a key, and one rank.
TEST_F(GridCounted, FirstOfAll) {
  for (std::int64_t at_most : {1, 1000, 70000, 3000000}) {
    if (!test::is_worth(at_most)) continue;
    random_engine random(static_cast<std::uint64_t>(at_most));
    std::vector<unsigned> x(static_cast<std::size_t>(at_most));
    for (unsigned& value : x) value = sample<unsigned>(random) % 100000;
    gpu_array<unsigned> const in(x);
    for (std::int64_t count : {std::int64_t{0}, std::int64_t{1}, at_most / 3, at_most, at_most + 5}) {
      gpu_array<std::int64_t> const number(std::vector<std::int64_t>{count});
      auto const some = grid::count_on_device(number.data(), at_most);
      std::vector<std::int64_t> falling(static_cast<std::size_t>(std::min(count, at_most)));
      std::iota(falling.begin(), falling.end(), std::int64_t{0});
      auto rising = falling;
      auto const at = [&](std::int64_t i) { return x[static_cast<std::size_t>(i)]; };
      std::stable_sort(falling.begin(), falling.end(), [&](auto a, auto b) { return at(a) > at(b); });
      std::stable_sort(rising.begin(), rising.end(),
                       [&](auto a, auto b) { return reversed_bits{}(at(a)) < reversed_bits{}(at(b)); });
      for (std::int64_t k :
           {std::int64_t{1}, std::min(at_most, std::int64_t{50}), std::min(at_most, std::int64_t{20000})}) {
        std::size_t const room = static_cast<std::size_t>(k);
        gpu_array<unsigned> const values(std::vector<unsigned>(room, 77u));
        gpu_array<std::int64_t> const indices(std::vector<std::int64_t>(room, -7));
        auto const check_results = [&](std::vector<std::int64_t> const& order) {
          auto const got = values.to_host();
          auto const places = indices.to_host();
          for (std::size_t i = 0; i < room; ++i) {
            ASSERT_EQ(places[i], i < order.size() ? order[i] : -7) << i << " of " << k << ", " << count;
            ASSERT_EQ(got[i], i < order.size() ? at(order[i]) : 77u) << i << " of " << k << ", " << count;
          }
        };
        ASSERT_EQ(grid::top_k(in.data(), some, k, values.data(), indices.data(), tessera::greater{}, memory),
                  cudaSuccess);
        check_results(falling);
        ASSERT_EQ(
            grid::top_k_by(in.data(), some, k, values.data(), indices.data(), reversed_bits{}, tessera::less{}, memory),
            cudaSuccess);
        check_results(rising);
      }
      std::int64_t const rank = at_most / 4;
      gpu_array<unsigned> const value(std::vector<unsigned>{77u});
      ASSERT_EQ(grid::nth_element(in.data(), some, rank, value.data(), nullptr, tessera::greater{}, memory),
                cudaSuccess);
      EXPECT_EQ(value.to_host()[0],
                rank < std::min(count, at_most) ? at(falling[static_cast<std::size_t>(rank)]) : 77u);
      EXPECT_EQ(grid::top_k(in.data(), some, at_most + 1, value.data(), nullptr), cudaErrorInvalidValue);
    }
  }
}

/// Quantiles are those of a call with the number in place, bit for bit. Of no elements nothing is stored.
template <class T>
void check_quantiles(std::int64_t at_most, grid::quantile_method method, grid::workspace& memory) {
  random_engine random(static_cast<std::uint64_t>(at_most));
  std::vector<T> x(static_cast<std::size_t>(at_most));
  for (T& value : x) value = static_cast<T>(static_cast<int>(sample<unsigned>(random) % 100000) - 50000);
  if constexpr (std::is_floating_point_v<T>) {
    for (std::size_t i = 3; i < x.size(); i += 50) x[i] = std::numeric_limits<T>::quiet_NaN();
  }
  double const q[] = {0, 0.1, 0.5, 0.99, 1};
  std::vector<T> const none(std::size(q), T{77});
  gpu_array<T> const in(x), got(none), expected(none);
  for (std::int64_t count :
       {std::int64_t{0}, std::int64_t{1}, at_most / 300, at_most / 3, at_most, at_most + 5, std::int64_t{-7}}) {
    std::int64_t const n = std::min(std::max(count, std::int64_t{0}), at_most);
    gpu_array<std::int64_t> const number(std::vector<std::int64_t>{count});
    auto const some = grid::count_on_device(number.data(), at_most);
    for (auto const* out : {&got, &expected})
      ASSERT_EQ(cudaMemcpy(out->data(), none.data(), sizeof(T) * std::size(q), cudaMemcpyHostToDevice), cudaSuccess);
    ASSERT_EQ(grid::quantiles(in.data(), some, q, std::size(q), got.data(), method, memory), cudaSuccess);
    if (n > 0) {
      ASSERT_EQ(grid::quantiles(in.data(), n, q, std::size(q), expected.data(), method, memory), cudaSuccess);
    }
    auto const a = got.to_host(), b = expected.to_host();
    for (std::size_t i = 0; i < std::size(q); ++i)
      EXPECT_EQ(std::memcmp(&a[i], &b[i], sizeof(T)), 0)
          << "quantile " << q[i] << " of " << count << ", at most " << at_most << ": " << a[i] << ", not " << b[i];
  }
}
TEST_F(GridCounted, Quantiles) {
  using method = grid::quantile_method;
  for (std::int64_t at_most : {1, 1000, 70000, 3000000}) {
    if (!test::is_worth(at_most)) continue;
    for (method by : {method::nearest, method::higher}) check_quantiles<int>(at_most, by, memory);
    for (method by : {method::lower, method::linear}) check_quantiles<float>(at_most, by, memory);
    for (method by : {method::linear, method::midpoint}) check_quantiles<double>(at_most, by, memory);
  }
  double const half = 0.5;
  gpu_array<std::int64_t> const x(std::vector<std::int64_t>{3, 1, 2}), out(std::size_t{1});
  auto const status = [&](grid::device_count n, std::int64_t* to, method by = method::lower) {
    return grid::quantiles(x.data(), n, &half, 1, to, by, memory);
  };
  EXPECT_EQ(status(grid::count_on_device(nullptr, 2), out.data()), cudaErrorInvalidValue);
  EXPECT_EQ(status(grid::count_on_device(x.data(), 0), out.data()), cudaErrorInvalidValue);
  EXPECT_EQ(status(grid::count_on_device(x.data(), -1), out.data()), cudaErrorInvalidValue);
  EXPECT_EQ(status(grid::count_on_device(x.data(), std::int64_t{1} << 40), out.data()), cudaErrorInvalidValue);
  EXPECT_EQ(status(grid::count_on_device(out.data(), 2), out.data()), cudaErrorInvalidValue);
  EXPECT_EQ(status(grid::count_on_device(x.data(), 3), out.data(), method::linear), cudaErrorInvalidValue);
}

TEST_F(GridCounted, RunsAndScansByKey) {
  for (std::int64_t at_most : {1, 1000, 3000000}) {
    if (!test::is_worth(at_most)) continue;
    random_engine random(static_cast<std::uint64_t>(at_most));
    std::vector<unsigned> x, values;
    for (std::int64_t i = 0; i < at_most; ++i) {
      x.push_back(i == 0 || random() % 4 == 0 ? static_cast<unsigned>(i) : x.back());
      values.push_back(sample<unsigned>(random));
    }
    gpu_array<unsigned> const keys(x), in(values), keys_out(x.size()), out(x.size()), offsets(x.size());
    gpu_array<std::int64_t> const found(std::size_t{1});
    for (std::int64_t count : {std::int64_t{0}, std::int64_t{1}, at_most / 3, at_most, at_most + 5}) {
      gpu_array<std::int64_t> const number(std::vector<std::int64_t>{count});
      auto const some = grid::count_on_device(number.data(), at_most);
      std::vector<unsigned> unique, firsts, lengths, sums, scanned, repeats, repeat_lengths;
      for (std::size_t i = 0; i < static_cast<std::size_t>(std::min(count, at_most)); ++i) {
        if (i == 0 || x[i] != x[i - 1]) {
          unique.push_back(x[i]);
          firsts.push_back(values[i]);
          lengths.push_back(0);
          sums.push_back(0);
        }
        ++lengths.back();
        scanned.push_back(sums.back() += values[i]);
      }
      for (std::size_t r = 0, at = 0; r < lengths.size(); at += lengths[r++]) {
        if (lengths[r] < 2) continue;
        repeats.push_back(static_cast<unsigned>(at));
        repeat_lengths.push_back(lengths[r]);
      }
      tessera::equal_to const equal;
      ASSERT_EQ(grid::unique(keys.data(), some, keys_out.data(), found.data(), equal, memory), cudaSuccess);
      EXPECT_EQ(found.to_host()[0], size_of(unique)) << count << ", at most " << at_most;
      EXPECT_EQ(first_of(keys_out, unique.size()), unique) << count << ", at most " << at_most;
      ASSERT_EQ(
          grid::unique_by_key(keys.data(), in.data(), some, keys_out.data(), out.data(), found.data(), equal, memory),
          cudaSuccess);
      EXPECT_EQ(first_of(out, unique.size()), firsts) << count << ", at most " << at_most;
      ASSERT_EQ(grid::run_length_encode(keys.data(), some, keys_out.data(), out.data(), found.data(), equal, memory),
                cudaSuccess);
      EXPECT_EQ(found.to_host()[0], size_of(unique)) << count << ", at most " << at_most;
      EXPECT_EQ(first_of(out, unique.size()), lengths) << count << ", at most " << at_most;
      ASSERT_EQ(grid::reduce_by_key(keys.data(), in.data(), some, keys_out.data(), out.data(), found.data(),
                                    tessera::plus{}, equal, memory),
                cudaSuccess);
      EXPECT_EQ(first_of(out, unique.size()), sums) << count << ", at most " << at_most;
      ASSERT_EQ(grid::non_trivial_runs(keys.data(), some, offsets.data(), out.data(), found.data(), equal, memory),
                cudaSuccess);
      EXPECT_EQ(found.to_host()[0], size_of(repeats)) << count << ", at most " << at_most;
      EXPECT_EQ(first_of(offsets, repeats.size()), repeats) << count << ", at most " << at_most;
      EXPECT_EQ(first_of(out, repeats.size()), repeat_lengths) << count << ", at most " << at_most;
      ASSERT_EQ(grid::inclusive_scan_by_key(keys.data(), in.data(), some, out.data(), tessera::plus{}, memory),
                cudaSuccess);
      EXPECT_EQ(first_of(out, scanned.size()), scanned) << count << ", at most " << at_most;
      for (std::size_t i = 0; i < scanned.size(); ++i) scanned[i] += 9 - values[i];
      ASSERT_EQ(grid::exclusive_scan_by_key(keys.data(), in.data(), some, out.data(), tessera::plus{}, 9u, memory),
                cudaSuccess);
      EXPECT_EQ(first_of(out, scanned.size()), scanned) << count << ", at most " << at_most;
    }
  }
}

TEST_F(GridCounted, Histograms) {
  constexpr std::int64_t at_most = 300000;
  random_engine random(3);
  std::vector<unsigned> x(at_most), weights(at_most);
  for (unsigned& value : x) value = sample<unsigned>(random) % 1000;
  for (unsigned& value : weights) value = sample<unsigned>(random) % 100;
  gpu_array<unsigned> const in(x), by(weights), edges(std::vector<unsigned>{0, 100, 200, 300, 400, 500});
  gpu_array<std::uint64_t> const counts(std::size_t{5}), sums(std::size_t{5});
  for (std::int64_t count : {std::int64_t{0}, std::int64_t{1}, at_most / 3, at_most + 5, std::int64_t{-7}}) {
    std::int64_t const n = std::min(std::max(count, std::int64_t{0}), at_most);
    std::vector<std::uint64_t> expected(5), weighted(5);
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
      if (x[i] >= 500) continue;
      ++expected[x[i] / 100];
      weighted[x[i] / 100] += weights[i];
    }
    gpu_array<std::int64_t> const number(std::vector<std::int64_t>{count});
    auto const some = grid::count_on_device(number.data(), at_most);
    ASSERT_EQ(grid::histogram(in.data(), some, counts.data(), 5, 0, 500, {}, memory), cudaSuccess);
    EXPECT_EQ(counts.to_host(), expected) << count;
    ASSERT_EQ(grid::histogram(in.data(), some, counts.data(), 5, edges.data(), {}, memory), cudaSuccess);
    EXPECT_EQ(counts.to_host(), expected) << count;
    ASSERT_EQ(grid::histogram_weighted(in.data(), by.data(), some, sums.data(), 5, 0, 500, {}, memory), cudaSuccess);
    EXPECT_EQ(sums.to_host(), weighted) << count;
  }
  gpu_array<std::int64_t> const number(std::vector<std::int64_t>{3});
  auto* const among = reinterpret_cast<std::uint64_t*>(number.data());
  EXPECT_EQ(grid::histogram(in.data(), grid::count_on_device(number.data(), 10), among, 1, 0, 500, {}, memory),
            cudaErrorInvalidValue);
}

TEST_F(GridCounted, Refusals) {
  gpu_array<unsigned> const x(std::size_t{10}), out(std::size_t{10});
  gpu_array<std::int64_t> const count(std::vector<std::int64_t>{3});
  auto const some = grid::count_on_device(count.data(), 10);
  EXPECT_EQ(grid::select(x.data(), some, out.data(), count.data(), is_even{}, memory), cudaErrorInvalidValue);
  EXPECT_EQ(grid::reduce(x.data(), grid::count_on_device(nullptr, 10), out.data(), tessera::plus{}, memory),
            cudaErrorInvalidValue);
  EXPECT_EQ(grid::unique(x.data(), some, out.data(), count.data()), cudaErrorInvalidValue);
  EXPECT_EQ(grid::partition(x.data(), some, out.data(), count.data(), is_even{}, memory), cudaErrorInvalidValue);
  EXPECT_EQ(grid::find_if(x.data(), some, is_even{}, count.data(), memory), cudaErrorInvalidValue);
  EXPECT_EQ(grid::reduce(x.data(), grid::count_on_device(count.data(), -1), out.data(), tessera::plus{}, memory),
            cudaErrorInvalidValue);
}

TEST_F(GridCounted, Graph) {
  constexpr std::int64_t n = 200000;
  random_engine random(1);
  gpu_array<unsigned> const in_memory(std::size_t{n}), kept_memory(std::size_t{n}), sums_memory(std::size_t{n});
  gpu_array<unsigned> const greatest_memory(std::size_t{1});
  gpu_array<std::int64_t> const number(std::size_t{1});
  unsigned const* const x = in_memory.data();
  unsigned *const kept = kept_memory.data(), *const sums = sums_memory.data(), *const greatest = greatest_memory.data();
  std::int64_t* const count = number.data();
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  cudaError_t error = cudaSuccess;
  cudaGraph_t graph{};
  cudaGraphExec_t exec{};
  auto const enqueue = [&] {
    error = tessera::grid::select(x, n, kept, count, is_valid{}, {stream, memory});
    if (error != cudaSuccess) return error;
    auto const some = tessera::grid::count_on_device(count, n);  // at most n
    error = tessera::grid::sort(kept, some, kept, tessera::less{}, {stream, memory});
    if (error != cudaSuccess) return error;
    error = tessera::grid::inclusive_scan(kept, some, sums, tessera::plus{}, {stream, memory});
    if (error != cudaSuccess) return error;
    error = tessera::grid::reduce(kept, some, greatest, tessera::maximum{}, {stream, memory});
    return error;
  };
  ASSERT_EQ(enqueue(), cudaSuccess);  // which allocates what the graph needs
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  ASSERT_EQ(enqueue(), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  for (int round = 0; round < 3; ++round) {
    std::vector<unsigned> values(n);
    for (unsigned& value : values) value = sample<unsigned>(random) * (round == 1 ? 4u : 1u);
    ASSERT_EQ(cudaMemcpyAsync(in_memory.data(), values.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice, stream),
              cudaSuccess);
    ASSERT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    values.erase(std::remove_if(values.begin(), values.end(), [](unsigned value) { return !is_valid{}(value); }),
                 values.end());
    std::sort(values.begin(), values.end());
    ASSERT_EQ(number.to_host()[0], static_cast<std::int64_t>(values.size()));
    auto const scanned = sums_memory.to_host(), sorted = kept_memory.to_host();
    unsigned sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(sorted[i], values[i]) << "round " << round;
      ASSERT_EQ(scanned[i], sum += values[i]) << "round " << round;
    }
    EXPECT_EQ(greatest_memory.to_host()[0], values.empty() ? 0 : values.back());
  }
  EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  memory.release();  // before its stream ends
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}
#endif

}  // namespace
