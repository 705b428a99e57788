// Calls by iterators of Thrust, CUB and cuda::, each against the same elements in memory, or a loop.
#include <thrust/device_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#if __has_include(<cuda/iterator>)
#include <cuda/iterator>
#endif

#include <cuda_fp16.h>
#include <cuda/std/tuple>
#if __has_include(<cuda/std/mdspan>)
#include <cuda/std/mdspan>
#include <cuda/std/span>
#endif

#include <tessera/grid/adjacent_difference.cuh>
#include <tessera/grid/computed_rows.cuh>
#include <tessera/grid/histogram.cuh>
#include <tessera/grid/merge.cuh>
#include <tessera/grid/reduce.cuh>
#include <tessera/grid/runs.cuh>
#include <tessera/grid/scan.cuh>
#include <tessera/grid/scan_by_key.cuh>
#include <tessera/grid/scan_segments.cuh>
#include <tessera/grid/search.cuh>
#include <tessera/grid/segments.cuh>
#include <tessera/grid/select.cuh>
#include <tessera/grid/set_operations.cuh>
#include <tessera/grid/top_k.cuh>
#include <tessera/grid/transform.cuh>
#include <tessera/grid/views.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <numeric>
#include <vector>

#include "backend.hpp"
#include "iterators.hpp"
#include "samples.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

using GridIterators = WithWorkspace;

std::int64_t const sizes[] = {0, 1, 33, 4097, 65537, 1000003};

struct is_multiple_of_three {
  TESSERA_FN bool operator()(unsigned x) const { return x % 3 == 0; }
};
struct thrice {
  TESSERA_FN unsigned operator()(unsigned x) const { return 3 * x; }
};
struct product {
  template <class Pair>
  TESSERA_FN unsigned operator()(Pair const& x) const {
    return cuda::std::get<0>(x) * cuda::std::get<1>(x);
  }
};
struct is_even {
  TESSERA_FN bool operator()(unsigned x) const { return x % 2 == 0; }
};
struct spread {
  TESSERA_FN unsigned operator()(std::int64_t i) const { return static_cast<unsigned>(i) * 2654435761u + 12345u; }
};

std::vector<unsigned> values(std::int64_t n) {
  random_engine random(static_cast<std::uint64_t>(n));
  std::vector<unsigned> x(static_cast<std::size_t>(n));
  for (unsigned& value : x) value = sample<unsigned>(random);
  return x;
}

/// The sum of `in`, and what else a reduction gives, against a loop over `expected`.
template <class In>
void check_reductions(grid::workspace& memory, In in, std::vector<unsigned> const& expected) {
  auto const n = static_cast<std::int64_t>(expected.size());
  gpu_array<unsigned> const sum(std::size_t{1});
  gpu_array<tessera::indexed<unsigned, std::int64_t>> const best(std::size_t{1});
  gpu_array<tessera::indexed<unsigned, std::int64_t>> const last(std::size_t{1});
  gpu_array<unsigned> const value(std::size_t{1});
  gpu_array<std::int64_t> const index(std::size_t{1});
  gpu_array<tessera::min_max<unsigned>> const both(std::size_t{1});
  gpu_array<tessera::moments<double>> const moments(std::size_t{1});
  ASSERT_EQ(grid::reduce(in, n, sum.data(), tessera::plus{}, memory), cudaSuccess);
  ASSERT_EQ(grid::argmax(in, n, best.data(), memory), cudaSuccess);
  ASSERT_EQ(grid::argmax(in, n, last.data(), grid::ties::last, memory), cudaSuccess);
  ASSERT_EQ(grid::argmin(in, n, value.data(), index.data(), memory), cudaSuccess);
  ASSERT_EQ(grid::minmax(in, n, both.data(), memory), cudaSuccess);
  ASSERT_EQ(grid::moments(in, n, moments.data(), memory), cudaSuccess);
  EXPECT_EQ(sum.to_host()[0], std::accumulate(expected.begin(), expected.end(), 0u)) << n;
  EXPECT_EQ(moments.to_host()[0].count, static_cast<double>(n));
  if (n == 0) return;
  auto const greatest = std::max_element(expected.begin(), expected.end());
  EXPECT_EQ(best.to_host()[0].index, greatest - expected.begin());
  EXPECT_EQ(last.to_host()[0].index, expected.rend() - std::max_element(expected.rbegin(), expected.rend()) - 1);
  EXPECT_EQ(index.to_host()[0], std::min_element(expected.begin(), expected.end()) - expected.begin());
  EXPECT_EQ(value.to_host()[0], both.to_host()[0].min);
  EXPECT_EQ(both.to_host()[0].max, *greatest);
  EXPECT_EQ(both.to_host()[0].min, *std::min_element(expected.begin(), expected.end()));
}

struct run_of {
  TESSERA_FN unsigned operator()(unsigned i) const { return i / 16; }
};
#if TESSERA_TEST_HAS_PART(0)
/// Keys and values that are computed, in runs of 16.
TEST_F(GridIterators, Runs) {
  thrust::counting_iterator<unsigned> const numbers(0);
  auto const keys = thrust::make_transform_iterator(numbers, run_of{});
  for (std::int64_t n : sizes) {
    if (!is_worth(n)) continue;
    auto const runs = static_cast<std::size_t>((n + 15) / 16);
    gpu_array<unsigned> const keys_out(runs), out(runs);
    gpu_array<std::int64_t> const count(std::size_t{1}), length(std::vector<std::int64_t>{n});
    std::vector<unsigned> pages, firsts, lengths, sums;
    for (unsigned i = 0; i < n; ++i) {
      if (i % 16 == 0) {
        pages.push_back(i / 16);
        firsts.push_back(i);
        lengths.push_back(0);
        sums.push_back(0);
      }
      ++lengths.back();
      sums.back() += i;
    }
    tessera::equal_to const equal;
    ASSERT_EQ(grid::unique(keys, n, keys_out.data(), count.data(), equal, memory), cudaSuccess);
    EXPECT_EQ(count.to_host()[0], static_cast<std::int64_t>(runs));
    EXPECT_EQ(keys_out.to_host(), pages) << n;
    ASSERT_EQ(grid::unique_by_key(keys, numbers, n, keys_out.data(), out.data(), count.data(), equal, memory),
              cudaSuccess);
    EXPECT_EQ(out.to_host(), firsts) << n;
    ASSERT_EQ(grid::run_length_encode(keys, n, keys_out.data(), out.data(), count.data(), equal, memory), cudaSuccess);
    EXPECT_EQ(out.to_host(), lengths) << n;
    ASSERT_EQ(grid::reduce_by_key(keys, numbers, n, keys_out.data(), out.data(), count.data(), tessera::plus{}, equal,
                                  memory),
              cudaSuccess);
    EXPECT_EQ(out.to_host(), sums) << n;
    // Into iterators, with keys that nobody asks for.
    auto const none = thrust::make_discard_iterator();
    auto const in_threes = thrust::make_transform_output_iterator(out.data(), thrice{});
    auto const tripled = [](std::vector<unsigned> x) {
      for (unsigned& value : x) value *= 3;
      return x;
    };
    ASSERT_EQ(grid::reduce_by_key(keys, numbers, n, none, in_threes, count.data(), tessera::plus{}, equal, memory),
              cudaSuccess);
    EXPECT_EQ(out.to_host(), tripled(sums)) << n;
    EXPECT_EQ(count.to_host()[0], static_cast<std::int64_t>(runs));
    ASSERT_EQ(grid::run_length_encode(keys, n, none, in_threes, count.data(), equal, memory), cudaSuccess);
    EXPECT_EQ(out.to_host(), tripled(lengths)) << n;
    auto const some = grid::count_on_device(length.data(), n > 0 ? n + 100 : 0);
    ASSERT_EQ(grid::unique_by_key(keys, numbers, some, thrust::device_ptr<unsigned>(keys_out.data()), in_threes,
                                  count.data(), equal, memory),
              cudaSuccess);
    EXPECT_EQ(out.to_host(), tripled(firsts)) << n;
    EXPECT_EQ(keys_out.to_host(), pages) << n;
    ASSERT_EQ(grid::unique(keys, n, in_threes, count.data(), equal, memory), cudaSuccess);
    EXPECT_EQ(out.to_host(), tripled(pages)) << n;
    // Runs of more than one: all but a last one of a single key.
    auto const many = static_cast<std::size_t>((n + 14) / 16);
    gpu_array<std::int64_t> const offsets(many + 1);
    ASSERT_EQ(grid::non_trivial_runs(keys, n, offsets.data(), in_threes, count.data(), equal, memory), cudaSuccess);
    EXPECT_EQ(count.to_host()[0], static_cast<std::int64_t>(many)) << n;
    auto const begin_of = offsets.to_host();
    auto const length_of = out.to_host();
    for (std::size_t i = 0; i < many; ++i) {
      ASSERT_EQ(begin_of[i], static_cast<std::int64_t>(firsts[i])) << n;
      ASSERT_EQ(length_of[i], 3 * lengths[i]) << n;
    }
  }
}
#endif

/// Scans, selections and searches of `in`.
template <class In>
void check_order(grid::workspace& memory, In in, std::vector<unsigned> const& expected) {
  auto const n = static_cast<std::int64_t>(expected.size());
  gpu_array<unsigned> const out(expected.size() + 1);
  ASSERT_EQ(grid::inclusive_scan(in, n, out.data(), tessera::plus{}, memory), cudaSuccess);
  auto scanned = out.to_host();
  unsigned sum = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(scanned[i], sum += expected[i]) << i << " of " << n;
  ASSERT_EQ(grid::exclusive_scan(in, n, out.data(), tessera::plus{}, 7u, memory), cudaSuccess);
  scanned = out.to_host();
  sum = 7;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(scanned[i], sum) << i << " of " << n;
    sum += expected[i];
  }
  gpu_array<std::int64_t> const count(std::size_t{1});
  ASSERT_EQ(grid::select(in, n, out.data(), count.data(), is_even{}, memory), cudaSuccess);
  std::vector<unsigned> even;
  for (unsigned x : expected)
    if (is_even{}(x)) even.push_back(x);
  ASSERT_EQ(count.to_host()[0], static_cast<std::int64_t>(even.size()));
  auto const selected = out.to_host();
  for (std::size_t i = 0; i < even.size(); ++i) ASSERT_EQ(selected[i], even[i]) << i << " of " << n;
  ASSERT_EQ(grid::count_if(in, n, is_even{}, count.data(), memory), cudaSuccess);
  EXPECT_EQ(count.to_host()[0], static_cast<std::int64_t>(even.size()));
  ASSERT_EQ(grid::find_if(in, n, is_even{}, count.data(), memory), cudaSuccess);
  EXPECT_EQ(count.to_host()[0], std::find_if(expected.begin(), expected.end(), is_even{}) - expected.begin());
}

#if TESSERA_TEST_HAS_PART(0)
TEST_F(GridIterators, ThatCompute) {
  for (std::int64_t n : sizes) {
    auto const x = values(n);
    gpu_array<unsigned> const in(x);
    std::vector<unsigned> counted(x.size()), threefold(x.size()), made(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      counted[i] = 10 + static_cast<unsigned>(i);
      threefold[i] = 3 * x[i];
      made[i] = spread{}(static_cast<std::int64_t>(i));
    }
    check_reductions(memory, thrust::counting_iterator<unsigned>(10), counted);
    check_order(memory, thrust::make_transform_iterator(in.data(), thrice{}), threefold);
    check_reductions(memory, thrust::make_transform_iterator(in.data(), thrice{}), threefold);
    check_order(memory, computed<spread>{}, made);
    gpu_array<unsigned> const sum(std::size_t{1});
    ASSERT_EQ(grid::reduce(thrust::constant_iterator<unsigned>(5), n, sum.data(), tessera::plus{}, memory),
              cudaSuccess);
    EXPECT_EQ(sum.to_host()[0], 5 * static_cast<unsigned>(n));
  }
}

TEST_F(GridIterators, ThatMoveOverMemory) {
  for (std::int64_t n : sizes) {
    auto const x = values(n);
    thrust::device_vector<unsigned> const in(x.begin(), x.end());
    std::vector<unsigned> order(x.size()), permuted(x.size()), products(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      order[i] = static_cast<unsigned>(i * 7919 % x.size());
      permuted[i] = x[order[i]];
      products[i] = x[i] * permuted[i];
    }
    thrust::device_vector<unsigned> const map(order.begin(), order.end());
    std::vector<unsigned> const reversed(x.rbegin(), x.rend());
    check_order(memory, thrust::make_reverse_iterator(in.end()), reversed);
    auto const by_map = thrust::make_permutation_iterator(in.begin(), map.begin());
    check_reductions(memory, by_map, permuted);
    auto const pairs = thrust::make_zip_iterator(in.begin(), by_map);
    gpu_array<unsigned> const sum(std::size_t{1});
    ASSERT_EQ(grid::transform_reduce(pairs, n, sum.data(), tessera::plus{}, product{}, memory), cudaSuccess);
    EXPECT_EQ(sum.to_host()[0], std::accumulate(products.begin(), products.end(), 0u)) << n;
  }
}

/// 31 times the first of a pair and the second, and as often again as the index modulo 7.
struct mixed {
  template <class Pair>
  TESSERA_FN unsigned operator()(Pair const& x, std::int64_t i) const {
    return (*this)(x) * (1 + static_cast<unsigned>(i % 7));
  }
  template <class Pair>
  TESSERA_FN unsigned operator()(Pair const& x) const {
    return 31 * static_cast<unsigned>(cuda::std::get<0>(x)) + static_cast<unsigned>(cuda::std::get<1>(x));
  }
};
struct addition {
  TESSERA_FN unsigned operator()(unsigned a, unsigned b) const { return a + b; }
};

/// Sums of two arrays, which are read from elements on that may be at other places of 16 bytes.
template <class A, class B>
void check_zipped(grid::workspace& memory, std::int64_t n, int from_a, int from_b) {
  auto const x = values(2 * n + 32);
  auto const middle = x.begin() + n + 16;
  thrust::device_vector<A> const a(x.begin(), middle);
  thrust::device_vector<B> const b(middle, x.end());
  unsigned sum = 0, weighted = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    cuda::std::tuple<A, B> const pair(static_cast<A>(x[static_cast<std::size_t>(i + from_a)]),
                                      static_cast<B>(middle[i + from_b]));
    sum += mixed{}(pair);
    weighted += mixed{}(pair, i);
  }
  auto const pairs = thrust::make_zip_iterator(a.begin() + from_a, b.begin() + from_b);
  auto const in = thrust::make_transform_iterator(
      thrust::make_zip_iterator(a.data().get() + from_a, b.data().get() + from_b), mixed{});
  static_assert(tessera::detail::computes_from_memory<std::remove_const_t<decltype(pairs)>>);
  static_assert(tessera::detail::computes_from_memory<std::remove_const_t<decltype(in)>>);
  gpu_array<unsigned> const out(std::vector<unsigned>(4, 1u));
  unsigned* const to = out.data();
  ASSERT_EQ(grid::reduce(in, n, to, tessera::plus{}, memory), cudaSuccess);
  ASSERT_EQ(grid::transform_reduce(pairs, n, to + 1, tessera::plus{}, mixed{}, memory), cudaSuccess);
  ASSERT_EQ(grid::reduce(in, n, to + 2, tessera::plus{}, 5u, memory), cudaSuccess);
  ASSERT_EQ(grid::reduce(in, n, to + 3, tessera::make_operator(addition{}, 0u), memory), cudaSuccess);
  EXPECT_EQ(out.to_host(), (std::vector<unsigned>{sum, weighted, sum + 5, sum}))
      << n << " from " << from_a << " and " << from_b;
}

TEST_F(GridIterators, ThatZipArrays) {
  for (std::int64_t n : sizes) {
    if (!is_worth(n)) continue;
    for (int from_a : {0, 3}) {
      for (int from_b : {0, 3, 7}) {
        check_zipped<unsigned, int>(memory, n, from_a, from_b);
        check_zipped<std::uint8_t, std::uint8_t>(memory, n, from_a, from_b);
        check_zipped<std::uint64_t, std::uint16_t>(memory, n, from_a, from_b);
      }
    }
  }
}

struct as_half {
  TESSERA_FN __half operator()(unsigned x) const { return __float2half(static_cast<float>(x % 8)); }
};
/// Halves that are computed from memory are added as floats.
TEST_F(GridIterators, HalvesOfNumbers) {
  for (std::int64_t n : sizes) {
    auto const x = values(n);
    thrust::device_vector<unsigned> const in(x.begin(), x.end());
    gpu_array<float> const sum(std::size_t{1});
    ASSERT_EQ(
        grid::reduce(thrust::make_transform_iterator(in.data(), as_half{}), n, sum.data(), tessera::plus{}, memory),
        cudaSuccess);
    float expected = 0;  // exact below 2^24
    for (unsigned value : x) expected += static_cast<float>(value % 8);
    EXPECT_EQ(sum.to_host()[0], expected) << n;
  }
}
#endif

struct as_odd {
  TESSERA_FN unsigned operator()(unsigned i) const { return 2 * i + 1; }
};
struct page {
  TESSERA_FN int operator()(std::int64_t i) const { return static_cast<int>(i / 100); }
};

#if TESSERA_TEST_HAS_PART(1)
TEST_F(GridIterators, OfKeys) {
  for (std::int64_t n : sizes) {
    auto const x = values(n);
    gpu_array<unsigned> const in(x), out(x.size() + 1);
    auto const threefold = thrust::make_transform_iterator(in.data(), thrice{});
    ASSERT_EQ(grid::inclusive_scan_by_key(computed<page>{}, threefold, n, out.data(), tessera::plus{}, memory),
              cudaSuccess);
    auto const scanned = out.to_host();
    unsigned sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (i % 100 == 0) sum = 0;
      ASSERT_EQ(scanned[i], sum += 3 * x[i]) << i << " of " << n;
    }
    // Into iterators, by keys, and by offsets, begins and ends of the same runs.
    auto const in_threes = thrust::make_transform_output_iterator(out.data(), thrice{});
    std::vector<std::int64_t> begins;
    for (std::int64_t at = 0; at < n; at += 100) begins.push_back(at);
    std::int64_t const runs = static_cast<std::int64_t>(begins.size());
    begins.push_back(n);
    gpu_array<std::int64_t> const offsets(begins), number(std::vector<std::int64_t>{n});
    auto const expect_tripled = [&](unsigned start) {
      auto const got = out.to_host();
      unsigned before = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (i % 100 == 0) before = start;
        ASSERT_EQ(got[i], 3 * before) << i << " of " << n;
        before += x[i];
      }
    };
    tessera::plus const add{};
    ASSERT_EQ(grid::exclusive_scan_by_key(computed<page>{}, in.data(), n, in_threes, add, 7u, memory), cudaSuccess);
    expect_tripled(7);
    auto const some = grid::count_on_device(number.data(), n > 0 ? n + 100 : 0);
    ASSERT_EQ(grid::exclusive_scan_by_key(computed<page>{}, in.data(), some, in_threes, add, memory), cudaSuccess);
    expect_tripled(0);
    ASSERT_EQ(grid::exclusive_scan_segments(in.data(), n, offsets.data(), runs, in_threes, add, 5u, memory),
              cudaSuccess);
    expect_tripled(5);
    auto const windows = grid::segments_between(offsets.data(), offsets.data() + 1);
    ASSERT_EQ(grid::exclusive_scan_segments(in.data(), n, windows, runs, in_threes, add, memory), cudaSuccess);
    expect_tripled(0);
    ASSERT_EQ(grid::inclusive_scan_segments(in.data(), n, offsets.data(), runs,
                                            thrust::device_ptr<unsigned>(out.data()), add, memory),
              cudaSuccess);
    auto const sums = out.to_host();
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(sums[i], x[i] + (i % 100 == 0 ? 0 : sums[i - 1])) << i << " of " << n;
  }
}
#endif

struct as_tenths {
  TESSERA_FN float operator()(unsigned x) const { return static_cast<float>(x % 1000) * 0.1f; }
};
struct last_digit {
  template <class Pair>
  TESSERA_FN int operator()(Pair const& x) const {
    return static_cast<int>(cuda::std::get<0>(x) % 10);
  }
};
struct as_byte {
  TESSERA_FN unsigned char operator()(unsigned x) const { return static_cast<unsigned char>(x); }
};

#if TESSERA_TEST_HAS_PART(1)
TEST_F(GridIterators, OfHistograms) {
  using counts_t = std::vector<std::uint64_t>;
  for (std::int64_t n : sizes) {
    auto const x = values(n);
    thrust::device_vector<unsigned> const in(x.begin(), x.end());
    std::vector<float> const tenths = [&] {
      std::vector<float> out;
      for (unsigned value : x) out.push_back(as_tenths{}(value));
      return out;
    }();
    gpu_array<float> const stored(tenths);
    auto const by_function = thrust::make_transform_iterator(in.begin(), as_tenths{});
    gpu_array<std::uint64_t> const counts(std::size_t{20}), expected(std::size_t{20});
    gpu_array<grid::out_of_range> const outside(std::size_t{1}), expected_outside(std::size_t{1});
    auto const same = [&] {
      EXPECT_EQ(counts.to_host(), expected.to_host()) << n;
      EXPECT_EQ(outside.to_host()[0].above, expected_outside.to_host()[0].above) << n;
    };
    ASSERT_EQ(grid::histogram(stored.data(), n, expected.data(), 20, 0, 70, expected_outside.data(), memory),
              cudaSuccess);
    ASSERT_EQ(grid::histogram(by_function, n, counts.data(), 20, 0, 70, outside.data(), memory), cudaSuccess);
    same();
    // Edges by a contiguous iterator.
    std::vector<float> at;
    for (int i = 0; i <= 20; ++i) at.push_back(static_cast<float>(i * i) * 0.2f);
    thrust::device_vector<float> const edges(at.begin(), at.end());
    float const* const pointer = thrust::raw_pointer_cast(edges.data());
    ASSERT_EQ(grid::histogram(stored.data(), n, expected.data(), 20, pointer, expected_outside.data(), memory),
              cudaSuccess);
    ASSERT_EQ(grid::histogram(by_function, n, counts.data(), 20, edges.begin(), outside.data(), memory), cudaSuccess);
    same();
    ASSERT_EQ(grid::histogram(stored.data(), n, counts.data(), 20, edges.begin(), outside.data(), memory), cudaSuccess);
    same();
    // Weights by another iterator: each element counts its own index.
    gpu_array<std::uint64_t> const sums(std::size_t{20});
    ASSERT_EQ(grid::histogram_weighted(by_function, thrust::counting_iterator<unsigned>(0), n, sums.data(), 20,
                                       edges.begin(), {}, memory),
              cudaSuccess);
    counts_t weighted(20);
    for (std::size_t i = 0; i < x.size(); ++i) {
      auto const bin = std::upper_bound(at.begin(), at.end(), tenths[i]) - at.begin();
      if (bin >= 1 && bin <= 20) weighted[static_cast<std::size_t>(bin) - 1] += i;
    }
    EXPECT_EQ(sums.to_host(), weighted) << n;
    // Of pairs, by a function.
    gpu_array<std::uint64_t> const digits(std::size_t{10});
    auto const pairs = thrust::make_zip_iterator(in.begin(), by_function);
    ASSERT_EQ(grid::histogram_by(pairs, n, digits.data(), 10, last_digit{}, {}, memory), cudaSuccess);
    counts_t expected_digits(10);
    for (unsigned value : x) ++expected_digits[value % 10];
    EXPECT_EQ(digits.to_host(), expected_digits) << n;
    // Channels of interleaved bytes that are computed.
    std::int64_t const pixels = n / 4;
    gpu_array<std::uint64_t> const red(std::size_t{256}), blue(std::size_t{16});
    auto const bytes = thrust::make_transform_iterator(in.begin(), as_byte{});
    ASSERT_EQ(
        grid::histogram_channels<4>(bytes, pixels, {{red.data(), 256, 0, 256}, {blue.data(), 16, 0, 256}}, memory),
        cudaSuccess);
    counts_t expected_red(256), expected_blue(16);
    for (std::size_t i = 0; i + 3 < x.size(); i += 4) {
      ++expected_red[x[i] % 256];
      ++expected_blue[x[i + 1] % 256 / 16];
    }
    EXPECT_EQ(red.to_host(), expected_red) << n;
    EXPECT_EQ(blue.to_host(), expected_blue) << n;
  }
}
#endif

#if TESSERA_TEST_HAS_PART(2)
/// Contiguous iterators take the path of pointers: where an operator's kernels are in the library, no other is made.
TEST_F(GridIterators, ThatAreContiguous) {
  static_assert(!tessera::detail::is_computed<thrust::device_ptr<unsigned>>);
  static_assert(!tessera::detail::is_computed<thrust::device_ptr<unsigned const>>);
  static_assert(!tessera::detail::is_computed<thrust::device_vector<unsigned>::iterator>);
  static_assert(!tessera::detail::is_computed<thrust::device_vector<unsigned>::const_iterator>);
  static_assert(tessera::detail::is_computed<thrust::counting_iterator<unsigned>>);
  static_assert(tessera::detail::is_computed<thrust::reverse_iterator<unsigned const*>>);
  auto const x = values(4097);
  thrust::device_vector<unsigned> const in(x.begin(), x.end());
  check_reductions(memory, in.begin(), x);
  check_order(memory, in.data(), x);
}

TEST_F(GridIterators, ThatWrite) {
  for (std::int64_t n : sizes) {
    auto const x = values(n);
    gpu_array<unsigned> const in(x);
    gpu_array<unsigned> const out(2 * x.size() + 2);
    ASSERT_EQ(grid::inclusive_scan(in.data(), n, thrust::make_transform_output_iterator(out.data(), thrice{}),
                                   tessera::plus{}, memory),
              cudaSuccess);
    auto written = out.to_host();
    unsigned sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(written[i], 3 * (sum += x[i])) << i << " of " << n;
    gpu_array<std::int64_t> const count(std::size_t{1});
    ASSERT_EQ(grid::select(in.data(), n, strided<unsigned, 2>{out.data()}, count.data(), is_even{}, memory),
              cudaSuccess);
    written = out.to_host();
    std::size_t kept = 0;
    for (unsigned value : x) {
      if (!is_even{}(value)) continue;
      ASSERT_EQ(written[2 * kept++], value) << n;
    }
    EXPECT_EQ(count.to_host()[0], static_cast<std::int64_t>(kept));
    // Both parts by iterators, one of them in threes; the others alone, with n on the device.
    gpu_array<unsigned> const others(x.size() + 1);
    gpu_array<std::int64_t> const number(std::vector<std::int64_t>{n});
    std::vector<unsigned> odd;
    for (unsigned value : x)
      if (!is_even{}(value)) odd.push_back(value);
    auto const expect_others = [&](unsigned times) {
      auto const got = others.to_host();
      EXPECT_EQ(count.to_host()[0], static_cast<std::int64_t>(kept));
      for (std::size_t i = 0; i < odd.size(); ++i) ASSERT_EQ(got[i], times * odd[i]) << i << " of " << n;
    };
    ASSERT_EQ(grid::partition_copy(in.data(), n, strided<unsigned, 2>{out.data()},
                                   thrust::make_transform_output_iterator(others.data(), thrice{}), count.data(),
                                   is_even{}, memory),
              cudaSuccess);
    expect_others(3);
    written = out.to_host();
    kept = 0;
    for (unsigned value : x) {
      if (!is_even{}(value)) continue;
      ASSERT_EQ(written[2 * kept++], value) << n;
    }
    ASSERT_EQ(grid::partition_copy(in.data(), in.data(), grid::count_on_device(number.data(), n > 0 ? n + 9 : 0),
                                   thrust::make_discard_iterator(), others.data(), count.data(), is_even{}, memory),
              cudaSuccess);
    expect_others(1);
    // Into three iterators: threes, of the others what is even, and the rest.
    gpu_array<std::int64_t> const counts(std::size_t{2});
    std::vector<unsigned> threes, even, rest;
    for (unsigned value : x) (value % 3 == 0 ? threes : is_even{}(value) ? even : rest).push_back(value);
    ASSERT_EQ(grid::three_way_partition(in.data(), n, strided<unsigned, 2>{out.data()},
                                        thrust::make_transform_output_iterator(others.data(), thrice{}),
                                        thrust::make_discard_iterator(), counts.data(), is_multiple_of_three{},
                                        is_even{}, memory),
              cudaSuccess);
    EXPECT_EQ(counts.to_host(), (std::vector<std::int64_t>{static_cast<std::int64_t>(threes.size()),
                                                           static_cast<std::int64_t>(even.size())}));
    written = out.to_host();
    for (std::size_t i = 0; i < threes.size(); ++i) ASSERT_EQ(written[2 * i], threes[i]) << n;
    written = others.to_host();
    for (std::size_t i = 0; i < even.size(); ++i) ASSERT_EQ(written[i], 3 * even[i]) << n;
    // By flags that are computed, and only their number.
    ASSERT_EQ(grid::select(in.data(), thrust::make_transform_iterator(in.data(), is_even{}), n,
                           thrust::make_discard_iterator(), count.data(), memory),
              cudaSuccess);
    EXPECT_EQ(count.to_host()[0], static_cast<std::int64_t>(kept));
  }
}

/// What is written of a best element: its index.
struct index_of_best {
  TESSERA_FN std::int64_t operator()(tessera::indexed<unsigned, std::int64_t> const& best) const { return best.index; }
};

TEST_F(GridIterators, ThatWriteOneResult) {
  for (std::int64_t n : sizes) {
    if (!is_worth(n)) continue;
    auto const x = values(n);
    gpu_array<unsigned> const in(x), out(std::vector<unsigned>(8, 7u));
    gpu_array<std::int64_t> const count(std::vector<std::int64_t>{n}), index(std::size_t{1});
    auto const in_threes = [&](int i) { return thrust::make_transform_output_iterator(out.data() + i, thrice{}); };
    auto const some = grid::count_on_device(count.data(), n > 0 ? n + 3 : 0);
    tessera::plus const add{};
    ASSERT_EQ(grid::reduce(in.data(), n, in_threes(0), add, memory), cudaSuccess);
    ASSERT_EQ(grid::reduce(in.data(), n, in_threes(1), add, grid::order::any_device, memory), cudaSuccess);
    ASSERT_EQ(grid::reduce(in.data(), n, in_threes(2), add, 5u, memory), cudaSuccess);
    ASSERT_EQ(grid::reduce(thrust::make_transform_iterator(in.data(), thrice{}), some, in_threes(3)), cudaSuccess);
    ASSERT_EQ(grid::transform_reduce(in.data(), n, in_threes(4), add, thrice{}, memory), cudaSuccess);
    ASSERT_EQ(grid::reduce(in.data(), n, thrust::device_ptr<unsigned>(out.data() + 5), add, memory), cudaSuccess);
    ASSERT_EQ(grid::reduce(in.data(), some, strided<unsigned, 2>{out.data() + 6}, add, memory), cudaSuccess);
    auto const index_out = thrust::make_transform_output_iterator(index.data(), index_of_best{});
    ASSERT_EQ(grid::argmax(in.data(), n, index_out, memory), cudaSuccess);
    ASSERT_EQ(grid::argmin(in.data(), some, thrust::make_discard_iterator(), memory), cudaSuccess);
    ASSERT_EQ(grid::minmax(in.data(), n, thrust::make_discard_iterator(), memory), cudaSuccess);
    ASSERT_EQ(grid::moments(in.data(), n, thrust::make_discard_iterator(), memory), cudaSuccess);
    unsigned const sum = std::accumulate(x.begin(), x.end(), 0u);
    EXPECT_EQ(out.to_host(), (std::vector<unsigned>{3 * sum, 3 * sum, 3 * (sum + 5), 9 * sum, 9 * sum, sum, sum, 7u}));
    if (n > 0) {
      EXPECT_EQ(index.to_host()[0], std::max_element(x.begin(), x.end()) - x.begin());
    }
  }
}

/// Needles that count find where each page begins.
TEST_F(GridIterators, OfSortedArrays) {
  for (std::int64_t n : sizes) {
    std::int64_t const pages = n / 100 + 2;
    gpu_array<std::int64_t> const begins(static_cast<std::size_t>(pages));
    gpu_array<int> const twice(2 * static_cast<std::size_t>(pages));
    ASSERT_EQ(grid::lower_bound(computed<page>{}, n, thrust::counting_iterator<int>(0), pages, begins.data(),
                                tessera::less{}, memory),
              cudaSuccess);
    ASSERT_EQ(
        grid::upper_bound(computed<page>{}, n, thrust::counting_iterator<int>(0), pages,
                          thrust::make_transform_output_iterator(twice.data(), thrice{}), tessera::less{}, memory),
        cudaSuccess);
    auto const found = begins.to_host();
    auto const ends = twice.to_host();
    for (std::size_t i = 0; i < found.size(); ++i) {
      auto const k = static_cast<std::int64_t>(i);
      ASSERT_EQ(found[i], std::min(n, 100 * k)) << i << " of " << n;
      ASSERT_EQ(ends[i], 3 * std::min(n, 100 * (k + 1))) << i << " of " << n;
    }
    auto const x = values(n);
    gpu_array<unsigned> const in(x), out(2 * x.size() + 2);
    ASSERT_EQ(grid::adjacent_difference(thrust::make_transform_iterator(in.data(), thrice{}), n,
                                        strided<unsigned, 2>{out.data()}, tessera::minus{}, memory),
              cudaSuccess);
    auto const differences = out.to_host();
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(differences[2 * i], 3 * (x[i] - (i > 0 ? x[i - 1] : 0))) << i << " of " << n;
  }
}

TEST_F(GridIterators, OfMerges) {
  for (std::int64_t n : sizes) {
    auto x = values(n);
    std::sort(x.begin(), x.end());
    thrust::device_vector<unsigned> const in(x.begin(), x.end());
    std::vector<unsigned> odd(x.size()), expected(2 * x.size());
    for (std::size_t i = 0; i < x.size(); ++i) odd[i] = 2 * static_cast<unsigned>(i) + 1;
    std::merge(x.begin(), x.end(), odd.begin(), odd.end(), expected.begin());
    auto const odd_numbers = thrust::make_transform_iterator(thrust::counting_iterator<unsigned>(0), as_odd{});
    thrust::device_vector<unsigned> out(expected.size() + 1);
    ASSERT_EQ(grid::merge(in.begin(), n, odd_numbers, n, out.begin(), tessera::less{}, memory), cudaSuccess);
    std::vector<unsigned> merged(expected.size());
    thrust::copy(out.begin(), out.begin() + 2 * n, merged.begin());
    ASSERT_EQ(merged, expected) << n;
    gpu_array<unsigned> const apart(2 * expected.size() + 2);
    ASSERT_EQ(grid::merge(in.begin(), n, odd_numbers, n, strided<unsigned, 2>{apart.data()}, tessera::less{}, memory),
              cudaSuccess);
    auto const written = apart.to_host();
    for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(written[2 * i], expected[i]) << i << " of " << n;
    ASSERT_EQ(grid::merge(in.begin(), n, in.begin(), n, out.begin(), tessera::less{}, memory), cudaSuccess);
    thrust::copy(out.begin(), out.begin() + 2 * n, merged.begin());
    std::merge(x.begin(), x.end(), x.begin(), x.end(), expected.begin());
    ASSERT_EQ(merged, expected) << n;
  }
}

/// Even numbers and multiples of 3, of which no memory is read.
struct as_even {
  TESSERA_FN unsigned operator()(unsigned i) const { return 2 * i; }
};
TEST_F(GridIterators, OfSets) {
  thrust::counting_iterator<unsigned> const numbers(0);
  auto const evens = thrust::make_transform_iterator(numbers, as_even{});
  auto const threes = thrust::make_transform_iterator(numbers, thrice{});
  for (std::int64_t n : {0, 1, 33, 4097, 1000003, 3000007}) {
    if (!is_worth(n)) continue;
    std::vector<unsigned> a, b, expected;
    for (unsigned i = 0; i < n; ++i) {
      a.push_back(2 * i);
      b.push_back(3 * i);
    }
    gpu_array<std::int64_t> const count(std::size_t{1});
    thrust::device_vector<unsigned> out(2 * a.size() + 1), values_out(2 * a.size() + 1);
    gpu_array<unsigned> const apart(4 * a.size() + 2);
    auto const check_results = [&](cudaError_t error, bool are_apart) {
      ASSERT_EQ(error, cudaSuccess);
      ASSERT_EQ(count.to_host()[0], static_cast<std::int64_t>(expected.size())) << n;
      std::vector<unsigned> got(expected.size());
      auto const written = apart.to_host();
      if (are_apart) {
        for (std::size_t i = 0; i < got.size(); ++i) got[i] = written[2 * i];
      } else {
        thrust::copy(out.begin(), out.begin() + static_cast<std::int64_t>(got.size()), got.begin());
      }
      EXPECT_EQ(got, expected) << n;
    };
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected));
    check_results(grid::set_union(evens, n, threes, n, out.begin(), count.data(), tessera::less{}, memory), false);
    expected.clear();
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected));
    check_results(grid::set_intersection(evens, n, threes, n, strided<unsigned, 2>{apart.data()}, count.data(),
                                         tessera::less{}, memory),
                  true);
    expected.clear();
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected));
    gpu_array<unsigned> const memory_a(a);
    check_results(
        grid::set_difference_by_key(memory_a.data(), numbers, n, threes, n, strided<unsigned, 2>{apart.data()},
                                    values_out.begin(), count.data(), tessera::less{}, memory),
        true);
    std::vector<unsigned> places(expected.size());
    thrust::copy(values_out.begin(), values_out.begin() + static_cast<std::int64_t>(places.size()), places.begin());
    for (std::size_t i = 0; i < places.size(); ++i) ASSERT_EQ(2 * places[i], expected[i]) << i << " of " << n;
  }
}

#endif

#if TESSERA_TEST_HAS_PART(3)
TEST_F(GridIterators, OfRanks) {
  for (std::int64_t n : sizes) {
    if (n == 0) continue;
    auto const x = values(n);
    gpu_array<unsigned> const in(x);
    std::vector<unsigned> sorted(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) sorted[i] = 3 * x[i];
    std::sort(sorted.rbegin(), sorted.rend());
    auto const threefold = thrust::make_transform_iterator(in.data(), thrice{});
    for (std::int64_t k : {std::int64_t{1}, std::min(n, std::int64_t{20}), n}) {
      gpu_array<unsigned> const best(static_cast<std::size_t>(k));
      gpu_array<std::int64_t> const at(static_cast<std::size_t>(k));
      ASSERT_EQ(grid::top_k(threefold, n, k, best.data(), at.data(), tessera::greater{}, memory), cudaSuccess);
      auto const found = best.to_host();
      auto const indices = at.to_host();
      for (std::size_t i = 0; i < found.size(); ++i) {
        ASSERT_EQ(found[i], sorted[i]) << i << " of " << k << " of " << n;
        ASSERT_EQ(3 * x[static_cast<std::size_t>(indices[i])], found[i]) << i << " of " << k << " of " << n;
      }
      // Only their indices, two apart.
      gpu_array<std::int64_t> const apart(2 * static_cast<std::size_t>(k));
      ASSERT_EQ(
          grid::top_k(threefold, n, k, nullptr, strided<std::int64_t, 2>{apart.data()}, tessera::greater{}, memory),
          cudaSuccess);
      auto const indices_apart = apart.to_host();
      for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(indices_apart[2 * i], indices[i]) << i << " of " << n;
      // By a pointer, to an iterator.
      ASSERT_EQ(grid::top_k(in.data(), n, k, thrust::make_transform_output_iterator(best.data(), thrice{}), at.data(),
                            tessera::less{}, memory),
                cudaSuccess);
      auto const threefold_least = best.to_host();
      auto ascending = x;
      std::sort(ascending.begin(), ascending.end());
      for (std::size_t i = 0; i < found.size(); ++i)
        ASSERT_EQ(threefold_least[i], 3 * ascending[i]) << i << " of " << k << " of " << n;
      ASSERT_EQ(grid::top_k(threefold, n, k, thrust::make_transform_output_iterator(best.data(), thrice{}), at.data(),
                            tessera::greater{}, memory),
                cudaSuccess);
      auto const multiplied = best.to_host();
      for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(multiplied[i], 3 * sorted[i]) << i << " of " << n;
      ASSERT_EQ(grid::top_k_by(computed<spread>{}, n, k, best.data(), at.data(), thrice{}, tessera::less{}, memory),
                cudaSuccess);
      auto const least = best.to_host();
      for (std::size_t i = 1; i < least.size(); ++i) ASSERT_LE(3 * least[i - 1], 3 * least[i]) << i << " of " << n;
    }
    gpu_array<unsigned> const middle(std::size_t{1});
    ASSERT_EQ(grid::nth_element(threefold, n, n / 2, middle.data(), nullptr, tessera::greater{}, memory), cudaSuccess);
    EXPECT_EQ(middle.to_host()[0], sorted[static_cast<std::size_t>(n / 2)]) << n;
    gpu_array<float> const quartiles(std::size_t{2}), expected(std::size_t{2});
    gpu_array<float> const stored([&] {
      std::vector<float> tenths;
      for (unsigned value : x) tenths.push_back(as_tenths{}(value));
      return tenths;
    }());
    double const q[] = {0.25, 0.6};
    ASSERT_EQ(grid::quantiles(thrust::make_transform_iterator(in.data(), as_tenths{}), n, q, 2, quartiles.data(),
                              grid::quantile_method::linear, memory),
              cudaSuccess);
    ASSERT_EQ(grid::quantiles(stored.data(), n, q, 2, expected.data(), grid::quantile_method::linear, memory),
              cudaSuccess);
    EXPECT_EQ(quartiles.to_host(), expected.to_host()) << n;
  }
}

#endif

#if TESSERA_TEST_HAS_PART(4)
/// Outputs that are contiguous are pointers to the calls, which also may be in place.
TEST_F(GridIterators, ThatWriteSideBySide) {
  using iterator = thrust::device_vector<unsigned>::iterator;
  static_assert(tessera::detail::is_contiguous_writer<unsigned, iterator>);
  static_assert(!tessera::detail::is_contiguous_writer<float, iterator>);
  static_assert(!tessera::detail::is_contiguous_writer<unsigned, thrust::discard_iterator<>>);
  auto const x = values(65537);
  auto const n = static_cast<std::int64_t>(x.size());
  thrust::device_vector<unsigned> in(x.begin(), x.end());
  ASSERT_EQ(grid::transform(in.begin(), n, in.begin(), thrice{}, memory), cudaSuccess);
  ASSERT_EQ(grid::inclusive_scan(in.begin(), n, in.begin(), tessera::plus{}, memory), cudaSuccess);
  ASSERT_EQ(grid::adjacent_difference(in.begin(), n, in.begin(), tessera::minus{}, memory), cudaErrorInvalidValue);
  std::vector<unsigned> scanned(x.size());
  thrust::copy(in.begin(), in.end(), scanned.begin());
  unsigned sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(scanned[i], sum += 3 * x[i]) << i;
  gpu_array<std::int64_t> const count(std::size_t{1});
  ASSERT_EQ(grid::select(in.begin(), n, in.begin(), count.data(), is_even{}, memory), cudaSuccess);
  EXPECT_EQ(count.to_host()[0], std::count_if(scanned.begin(), scanned.end(), is_even{}));
}

TEST_F(GridIterators, OfContainersWithoutTheirSize) {
  auto const x = values(4097);
  thrust::device_vector<unsigned> const in(x.begin(), x.end());
  thrust::device_vector<unsigned> out(x.size());
  ASSERT_EQ(grid::inclusive_scan(in, out, tessera::plus{}, memory), cudaSuccess);
  std::vector<unsigned> scanned(x.size()), expected(x.size());
  thrust::copy(out.begin(), out.end(), scanned.begin());
  std::partial_sum(x.begin(), x.end(), expected.begin());
  EXPECT_EQ(scanned, expected);
}

#if __has_include(<cuda/std/mdspan>)
TEST_F(GridIterators, OfSpans) {
  auto const x = values(6000);
  gpu_array<unsigned> const in(x), out(x.size()), sums(std::size_t{60});
  cuda::std::span<unsigned const> const view(in.data(), x.size());
  ASSERT_EQ(grid::inclusive_scan(view, cuda::std::span<unsigned>(out.data(), x.size()), tessera::plus{}, memory),
            cudaSuccess);
  std::vector<unsigned> expected(x.size());
  std::partial_sum(x.begin(), x.end(), expected.begin());
  EXPECT_EQ(out.to_host(), expected);
  check_reductions(memory, view.begin(), x);
  static_assert(!tessera::detail::is_computed<cuda::std::span<unsigned const>::iterator>);

  using rows = cuda::std::extents<int, cuda::std::dynamic_extent, 100>;
  cuda::std::mdspan<unsigned const, rows> const table(in.data(), 60);
  ASSERT_EQ(grid::reduce_rows(table, sums.data(), tessera::plus{}, memory), cudaSuccess);
  unsigned before = 0;
  auto const of_rows = sums.to_host();
  for (std::size_t row = 0; row < 60; ++row) {
    unsigned const until = expected[100 * row + 99];
    EXPECT_EQ(of_rows[row], until - before) << row;
    before = until;
  }
  cuda::std::mdspan<unsigned const, rows, cuda::std::layout_left> const columns(in.data(), 60);
  EXPECT_EQ(grid::reduce_rows(columns, sums.data(), tessera::plus{}, memory), cudaErrorInvalidValue);
}
#endif

#if __has_include(<cuda/iterator>)
TEST_F(GridIterators, OfCuda) {
  for (std::int64_t n : sizes) {
    auto const x = values(n);
    gpu_array<unsigned> const in(x);
    std::vector<unsigned> threefold(x.size()), counted(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      threefold[i] = 3 * x[i];
      counted[i] = static_cast<unsigned>(i);
    }
    check_order(memory, cuda::make_transform_iterator(in.data(), thrice{}), threefold);
    check_reductions(memory, cuda::make_counting_iterator(0u), counted);
  }
}
#endif

#endif

#if TESSERA_TEST_HAS_PART(5)
/// Both parts of a partition by one iterator: in threes, backwards, and nowhere.
TEST_F(GridIterators, ThatWriteParts) {
  for (std::int64_t n : sizes) {
    if (!is_worth(n)) continue;
    auto const x = values(n);
    gpu_array<unsigned> const in(x), out(x.size());
    gpu_array<std::int64_t> const count(std::size_t{1}), number(std::vector<std::int64_t>{n});
    auto const some = grid::count_on_device(number.data(), n > 0 ? n + 9 : 0);
    auto expected = x;
    auto const kept = std::stable_partition(expected.begin(), expected.end(), is_even{}) - expected.begin();
    auto const expect_parts = [&](unsigned times, bool backwards) {
      EXPECT_EQ(count.to_host()[0], kept) << n;
      auto got = out.to_host();
      if (backwards) std::reverse(got.begin(), got.end());
      for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], times * expected[i]) << i << " of " << n;
    };
    auto const in_threes = thrust::make_transform_output_iterator(out.data(), thrice{});
    auto const backwards = thrust::make_reverse_iterator(thrust::device_pointer_cast(out.data() + n));
    auto const flags = thrust::make_transform_iterator(in.data(), is_even{});
    ASSERT_EQ(grid::partition(in.data(), n, in_threes, count.data(), is_even{}, memory), cudaSuccess);
    expect_parts(3, false);
    ASSERT_EQ(grid::partition(in.data(), in.data(), n, backwards, count.data(), is_even{}, memory), cudaSuccess);
    expect_parts(1, true);
    ASSERT_EQ(grid::partition(in.data(), some, backwards, count.data(), is_even{}, memory), cudaSuccess);
    expect_parts(1, true);
    ASSERT_EQ(grid::partition(in.data(), flags, n, in_threes, count.data(), memory), cudaSuccess);
    expect_parts(3, false);
    ASSERT_EQ(grid::partition(in.data(), flags, n, thrust::device_ptr<unsigned>(out.data()), count.data(), memory),
              cudaSuccess);
    expect_parts(1, false);
    ASSERT_EQ(
        grid::partition_copy(in.data(), flags, n, thrust::make_discard_iterator(), in_threes, count.data(), memory),
        cudaSuccess);
    EXPECT_EQ(count.to_host()[0], kept) << n;
    auto const others = out.to_host();
    for (std::int64_t i = kept; i < n; ++i)
      ASSERT_EQ(others[static_cast<std::size_t>(i - kept)], 3 * expected[static_cast<std::size_t>(i)]) << i;
  }
}

/// What a call gives by a pointer, and what it gives to an iterator that writes backwards: the same bits.
template <class R, class Call>
void expect_backwards(std::size_t results, Call const& run, char const* what) {
  gpu_array<R> const out(results), turned(results);
  ASSERT_EQ(run(out.data()), cudaSuccess) << what;
  auto const end = thrust::device_pointer_cast(turned.data() + results);
  ASSERT_EQ(run(thrust::make_reverse_iterator(end)), cudaSuccess) << what;
  auto const expected = out.to_host();
  auto got = turned.to_host();
  std::reverse(got.begin(), got.end());
  ASSERT_EQ(std::memcmp(got.data(), expected.data(), results * sizeof(R)), 0) << what;
}

struct is_large {
  TESSERA_FN int operator()(float x) const { return x > 50 ? 1 : 0; }
};

TEST_F(GridIterators, ThatWriteRows) {
  for (std::int64_t columns : {1, 5, 64, 300, 5000, 70000}) {
    std::size_t const rows = columns > 1000 ? 5 : 200;
    auto const height = static_cast<std::int64_t>(rows);
    auto const drawn = values(height * columns);
    std::vector<float> x;
    for (unsigned value : drawn) x.push_back(as_tenths{}(value));
    gpu_array<unsigned> const raw(drawn);
    gpu_array<float> const in(x);
    auto const check_all = [&](auto const& m) {
      expect_backwards<float>(
          rows, [&](auto out) { return grid::reduce_rows(m, out, tessera::plus{}, memory); }, "reduce");
      expect_backwards<tessera::indexed<float, int>>(
          rows, [&](auto out) { return grid::argmin_rows(m, out, memory); }, "argmin");
      expect_backwards<tessera::indexed<float, int>>(
          rows, [&](auto out) { return grid::argmax_rows(m, out, memory); }, "argmax");
      expect_backwards<tessera::min_max<float>>(
          rows, [&](auto out) { return grid::minmax_rows(m, out, memory); }, "minmax");
      expect_backwards<tessera::moments<float>>(
          rows, [&](auto out) { return grid::moments_rows(m, out, memory); }, "moments");
      expect_backwards<int>(
          rows, [&](auto out) { return grid::transform_reduce_rows(m, out, tessera::plus{}, is_large{}, memory); },
          "transform_reduce");
    };
    check_all(grid::matrix<float const>(in.data(), height, columns));
    check_all(grid::matrix_of(thrust::make_transform_iterator(raw.data(), as_tenths{}), height, columns));
    // Nowhere, and into memory by a contiguous iterator.
    grid::matrix<float const> const m(in.data(), height, columns);
    gpu_array<float> const sums(rows), again(rows);
    ASSERT_EQ(grid::reduce_rows(m, thrust::make_discard_iterator(), tessera::plus{}, memory), cudaSuccess);
    ASSERT_EQ(grid::reduce_rows(m, sums.data(), tessera::plus{}, memory), cudaSuccess);
    ASSERT_EQ(grid::reduce_rows(m, thrust::device_ptr<float>(again.data()), tessera::plus{}, memory), cudaSuccess);
    EXPECT_EQ(again.to_host(), sums.to_host());
  }
}

TEST_F(GridIterators, ThatWriteSegments) {
  tessera::plus const add{};
  for (std::int64_t n : sizes) {
    if (n == 0 || !is_worth(n)) continue;
    auto const x = values(n);
    gpu_array<unsigned> const in(x);
    std::vector<std::int64_t> at{0}, lengths;
    while (at.back() < n) {
      lengths.push_back(std::min<std::int64_t>(n - at.back(), 1 + at.back() * 7919 % 30000));
      at.push_back(at.back() + lengths.back());
    }
    std::size_t const results = lengths.size();
    auto const count = static_cast<std::int64_t>(results);
    gpu_array<std::int64_t> const offsets(at), length(lengths), number(std::vector<std::int64_t>{count});
    auto const each = [&](auto const& segments, auto const& many, char const* what) {
      expect_backwards<unsigned>(
          results, [&](auto out) { return grid::reduce_segments(in.data(), segments, many, out, add, memory); }, what);
      expect_backwards<unsigned>(
          results, [&](auto out) { return grid::reduce_segments(in.data(), segments, many, out, add, 7u, memory); },
          what);
    };
    each(offsets.data(), count, "offsets");
    each(grid::segments_of_lengths(length.data()), count, "lengths");
    each(grid::segments_between(offsets.data(), offsets.data() + 1), count, "begins and ends");
    each(grid::segments_of_length(n / count), count, "one length");
    each(offsets.data(), grid::count_on_device(number.data(), count), "a number on the device");
    auto const threes = thrust::make_transform_iterator(in.data(), thrice{});
    expect_backwards<unsigned>(
        results, [&](auto out) { return grid::reduce_segments(threes, offsets.data(), count, out, add, memory); },
        "computed");
    ASSERT_EQ(grid::reduce_segments(in.data(), offsets.data(), count, thrust::make_discard_iterator(), add, memory),
              cudaSuccess);
    gpu_array<unsigned> const sums(results), again(results);
    ASSERT_EQ(grid::reduce_segments(in.data(), offsets.data(), count, sums.data(), add, memory), cudaSuccess);
    ASSERT_EQ(grid::reduce_segments(in.data(), offsets.data(), count, thrust::device_ptr<unsigned>(again.data()), add,
                                    memory),
              cudaSuccess);
    EXPECT_EQ(again.to_host(), sums.to_host());
  }
}

#endif

// ---- docs/how-to/iterators.md

#if TESSERA_TEST_HAS_PART(4)

struct squared_distance {
  template <class Pair>
  __host__ __device__ float operator()(Pair const& p) const {
    float const d = cuda::std::get<0>(p) - cuda::std::get<1>(p);
    return d * d;
  }
};

/// A column of a row-major matrix.
struct column {
  float const* first;
  std::int64_t columns;
  __host__ __device__ column operator+(std::int64_t i) const { return {first + i * columns, columns}; }
  __host__ __device__ float operator*() const { return *first; }
};

TEST_F(GridIterators, Page) {
  constexpr std::int64_t n = 5000;
  std::vector<float> x(n), y(n);
  float sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i % 7);
    y[i] = static_cast<float>(i % 3);
    sum += (x[i] - y[i]) * (x[i] - y[i]);
  }
  x[1234] = 100;
  sum += (100 - y[1234]) * (100 - y[1234]) - (1234 % 7 - y[1234]) * (1234 % 7 - y[1234]);
  thrust::device_vector<float> const a(x.begin(), x.end()), b(y.begin(), y.end());
  gpu_array<float> const out_memory(std::size_t{1});
  gpu_array<tessera::indexed<float, std::int64_t>> const best(std::size_t{1});
  float* const out = out_memory.data();
  auto* const farthest = best.data();
  cudaError_t error = cudaSuccess;
  auto const pairs = thrust::make_zip_iterator(a.begin(), b.begin());  // two device_vectors
  auto const squares = thrust::make_transform_iterator(pairs, squared_distance{});
  error = tessera::grid::reduce(squares, n, out);
  error = tessera::grid::argmax(squares, n, farthest);  // indexed<float, std::int64_t>*
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(out_memory.to_host()[0], sum);
  EXPECT_EQ(best.to_host()[0].index, 1234);

  constexpr std::int64_t columns = 50, height = n / columns, j = 3;
  float const* const matrix = thrust::raw_pointer_cast(a.data());
  error = tessera::grid::reduce(column{matrix + j, columns}, height, out);
  ASSERT_EQ(error, cudaSuccess);
  float in_column = 0;
  for (std::int64_t i = 0; i < height; ++i) in_column += x[static_cast<std::size_t>(i * columns + j)];
  EXPECT_EQ(out_memory.to_host()[0], in_column);
}

struct squared {
  __host__ __device__ unsigned operator()(unsigned x) const { return x * x; }
};
struct square_root {
  __host__ __device__ double operator()(double x) const { return sqrt(x); }
};

TEST_F(GridIterators, PageOfWriters) {
  gpu_array<unsigned> const in(std::vector<unsigned>{1, 2, 3, 4, 6});
  gpu_array<std::int64_t> const found(std::size_t{1});
  unsigned const* const x = in.data();
  std::int64_t* const count = found.data();
  std::int64_t const n = 5;
  cudaError_t error = cudaSuccess;
  // How many are even, and nothing else:
  error = tessera::grid::select(x, n, thrust::make_discard_iterator(), count, is_even{});
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(found.to_host()[0], 3);

  gpu_array<unsigned> const sums_memory(std::size_t{5});
  unsigned* const sums = sums_memory.data();
  // The sum of each run of equal keys, without the keys:
  auto const none = thrust::make_discard_iterator();
  error = tessera::grid::reduce_by_key(x, x, n, none, sums, count);
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(sums_memory.to_host(), in.to_host());
  EXPECT_EQ(found.to_host()[0], n);

  gpu_array<double> const root_memory(std::size_t{1});
  double* const norm = root_memory.data();
  auto const squares = thrust::make_transform_iterator(x, squared{});
  // The root of the sum of squares:
  auto const root = thrust::make_transform_output_iterator(norm, square_root{});
  error = tessera::grid::reduce(squares, n, root, tessera::plus{}, 0.0);
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_DOUBLE_EQ(root_memory.to_host()[0], std::sqrt(66.0));
}
#endif

}  // namespace
