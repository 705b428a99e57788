// Reductions of zipped arrays, on host tiles: vectors of each array are loaded, whatever their alignment and sizes.
#include <gtest/gtest.h>

#include <tessera/grid/parts/memory_iterators.hpp>
#include <tessera/grid/reduce/reduce_agent.hpp>
#include <tessera/host/launch.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <vector>

#include "iterators.hpp"
#include "samples.hpp"

namespace {

using namespace test;
namespace detail = tessera::grid::detail;
using tessera::detail::computes_from_memory;
using tessera::detail::memory_of;
using tessera::detail::zipped_memory;
constexpr unsigned threads = 64;

struct pair_of_words {  // aligned to half its size
  std::uint32_t low, high;
  operator std::uint64_t() const { return low + (std::uint64_t{high} << 32); }
};
struct twelve_bytes {
  std::uint32_t word[3];
};

template <class It, class F>
struct transformed {
  using value_type = decltype(std::declval<F const&>()(*std::declval<It const&>()));
  It first;
  F f;
  It const& base() const { return first; }
  F functor() const { return f; }
  value_type operator*() const { return f(*first); }
  transformed operator+(std::int64_t i) const { return {first + i, f}; }
};
template <class It, class F>
transformed(It, F) -> transformed<It, F>;

/// A number of all members, in their order.
struct mixed {
  template <class First, class... T>
  std::uint64_t operator()(std::tuple<First, T...> const& x) const {
    std::uint64_t sum = 0;
    std::apply([&](auto const&... y) { ((sum = sum * 1000003 + static_cast<std::uint64_t>(y)), ...); }, x);
    return sum;
  }
};
struct plus_one {
  std::uint64_t operator()(std::uint64_t x) const { return x + 1; }
};

template <class T>
using zip_of = zipping<T const*, T const*>;
static_assert(std::is_same_v<decltype(memory_of(zip_of<float>{})), zipped_memory<float, float>>);
static_assert(std::is_same_v<decltype(memory_of(transformed<zip_of<int>, mixed>{})), zipped_memory<int, int>>);
static_assert(std::is_same_v<decltype(memory_of(transformed<transformed<int*, plus_one>, plus_one>{})), int const*>);
static_assert(zipped_memory<float, float>::length == 4 && zipped_memory<double, char>::length == 2);
static_assert(zipped_memory<float, char>::length == 4 && zipped_memory<char, std::int16_t>::length == 8);
// Vectors of pairs of 12 or 16 bytes, or of too many arrays, and arrays that aren't in memory or are volatile:
static_assert(!computes_from_memory<zip_of<twelve_bytes>> && !computes_from_memory<zip_of<long double>>);
static_assert(!computes_from_memory<zipping<int*, int*, int*, int*, int*, int*, int*, int*, int*>>);
static_assert(!computes_from_memory<zipping<int*, strided<int, 2>>> && !computes_from_memory<strided<int, 2>>);
static_assert(!computes_from_memory<zipping<int*, int volatile*>> && !computes_from_memory<int*>);

/// n elements that begin `shift` bytes after a multiple of 16.
template <class T>
class shifted {
 public:
  shifted(std::int64_t n, unsigned shift, random_engine& random)
      : bytes_(16 + shift + static_cast<std::size_t>(n) * sizeof(T)) {
    first_ = bytes_.data();
    while (reinterpret_cast<std::uintptr_t>(first_) % 16 != shift) ++first_;
    for (std::int64_t i = 0; i < n; ++i) {
      std::uint64_t const bits = random();
      std::memcpy(first_ + i * static_cast<std::int64_t>(sizeof(T)), &bits, sizeof(T) < 8 ? sizeof(T) : 8);
    }
  }
  T const* data() const { return reinterpret_cast<T const*>(first_); }

 private:
  std::vector<unsigned char> bytes_;
  unsigned char* first_;
};

template <class R, class In, class Op, class F>
R reduce(In const& in, std::int64_t n, unsigned blocks, Op const& op, F const& f) {
  std::vector<R> partials(blocks);
  unsigned counter = 0;
  R out{};
  detail::even_share const share{blocks, threads, (n + blocks - 1) / blocks, false};
  detail::operator_agent<R, Op, F> const agent{op, f};
  tessera::host::launch_grid(blocks, threads, {}, [&](tessera::host::block block) {
    detail::run_reduce_agent<threads>(block, in, n, share, agent, op,
                                      detail::shared_partials<R>{partials.data(), &counter, nullptr}, &out);
  });
  return out;
}

/// x → a x + b, modulo 2³². They don't commute.
struct linear {
  std::uint32_t a, b;
};
struct compose {
  linear operator()(linear const& f, linear const& g) const { return {f.a * g.a, g.a * f.b + g.b}; }
};
template <class F>
struct as_linear {
  F f;
  template <class X>
  linear operator()(X const& x) const {
    auto const y = f(x);
    return {static_cast<std::uint32_t>(y) | 1, static_cast<std::uint32_t>(y >> 32)};
  }
};

template <class... T, std::size_t... Index>
void check_arrays(std::int64_t n, std::array<unsigned, sizeof...(T)> const& shifts, std::index_sequence<Index...>) {
  random_engine random(static_cast<std::uint64_t>(n));
  std::tuple<shifted<T>...> const arrays{shifted<T>(n, shifts[Index], random)...};
  auto const zip = std::apply([](auto const&... x) { return zipping<T const*...>{{x.data()...}}; }, arrays);
  transformed const in{zip, mixed{}};
  std::uint64_t sum = 0;
  linear whole{1, 0};
  for (std::int64_t i = 0; i < n; ++i) {
    sum += *(in + i);
    whole = compose{}(whole, as_linear<mixed>{}(*(zip + i)));
  }
  auto const memory = memory_of(in);
  static_assert(std::is_same_v<decltype(memory), zipped_memory<T...> const>);
  auto const f = tessera::detail::function_on_memory(in);
  auto const op = tessera::make_operator(compose{}, linear{1, 0});
  for (unsigned blocks : {1u, 3u}) {
    EXPECT_EQ(reduce<std::uint64_t>(memory, n, blocks, tessera::plus{}, f), sum) << n;
    auto const composed = reduce<linear>(memory, n, blocks, op, as_linear<decltype(f)>{f});
    EXPECT_EQ(composed.a, whole.a) << n;
    EXPECT_EQ(composed.b, whole.b) << n;
  }
}

/// Arrays that begin so many bytes after multiples of 16.
template <class... T>
void check(std::int64_t n, std::array<unsigned, sizeof...(T)> const& shifts) {
  check_arrays<T...>(n, shifts, std::index_sequence_for<T...>{});
}

std::int64_t const sizes[] = {0, 1, 3, 4, 5, 63, 255, 256, 257, 1000, 5003};

TEST(GridReduceZipped, OfOneSize) {
  for (std::int64_t n : sizes) {
    for (std::array<unsigned, 2> shifts : {std::array{0u, 0u}, {8u, 8u}, {8u, 0u}, {0u, 8u}}) {
      check<std::uint8_t, std::uint8_t>(n, shifts);
      check<std::uint16_t, std::int16_t>(n, shifts);
      check<float, std::uint32_t>(n, shifts);
      check<std::uint64_t, std::int64_t>(n, shifts);
    }
    check<std::uint8_t, std::uint8_t>(n, {3, 3});
    check<std::uint8_t, std::uint8_t>(n, {3, 4});
    check<std::uint32_t, int>(n, {4, 4});
    check<std::uint32_t, int>(n, {4, 12});
  }
}

TEST(GridReduceZipped, OfSeveralSizes) {
  for (std::int64_t n : sizes) {
    check<std::uint8_t, std::uint64_t>(n, {0, 0});
    check<std::uint8_t, std::uint64_t>(n, {1, 8});  // both at the second element of a vector
    check<std::uint8_t, std::uint64_t>(n, {1, 0});
    check<std::uint16_t, std::uint32_t, std::uint8_t>(n, {2, 4, 1});
    check<std::uint16_t, std::uint32_t, std::uint8_t>(n, {10, 4, 13});
    check<std::uint16_t, std::uint32_t, std::uint8_t>(n, {10, 4, 2});
    check<int>(n, {12});
  }
}

/// Structs that aren't aligned to their size.
TEST(GridReduceZipped, OfStructs) {
  for (std::int64_t n : sizes) {
    for (unsigned shift : {0u, 4u, 8u, 12u}) check<pair_of_words, std::uint64_t>(n, {shift, 8});
  }
}

/// Whatever the share, each element is visited once, at its index.
template <class A, class B>
void check_share(std::int64_t n, unsigned shift_a, unsigned shift_b) {
  constexpr unsigned block_threads = detail::reduce_tuning::threads;
  using memory_t = zipped_memory<A, B>;
  using element = typename memory_t::value_type;
  constexpr unsigned reads = detail::reads_of<element, memory_t>(detail::reduce_tuning::bytes);
  random_engine random(static_cast<std::uint64_t>(n));
  shifted<A> const a(n, shift_a, random);
  shifted<B> const b(n, shift_b, random);
  memory_t const in = memory_of(zipping<A const*, B const*>{{a.data(), b.data()}});
  EXPECT_EQ(in.is_aligned(), shift_a / sizeof(A) % memory_t::length == shift_b / sizeof(B) % memory_t::length);
  if (in.is_aligned()) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.data() + in.front()) % (memory_t::length * sizeof(A)), 0u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b.data() + in.front()) % (memory_t::length * sizeof(B)), 0u);
  }
  detail::even_share const share = detail::even_share_of<reads>(in, n, 2);
  EXPECT_FALSE(share.streaming);
  std::vector<int> visits(static_cast<std::size_t>(n));
  tessera::host::launch_grid(share.blocks, block_threads, [&](tessera::host::block block) {
    std::int64_t last = -1;
    detail::visit_share<block_threads, reads, 2>(block, in, n, share, [&](auto const& x, std::int64_t index, auto) {
      constexpr unsigned V = memory_t::length;
      for (unsigned k = 0; k < x.size(); ++k) {
        std::int64_t const i = index + k / V * block_threads * V + k % V;
        ++visits.at(static_cast<std::size_t>(i));
        ASSERT_GT(i, last);
        last = i;
        ASSERT_EQ(tessera::detail::member_of<0>(x[k]), a.data()[i]);
        ASSERT_EQ(tessera::detail::member_of<1>(x[k]), b.data()[i]);
      }
    });
  });
  for (int count : visits) ASSERT_EQ(count, 1);
}

TEST(GridReduceZipped, Shares) {
  for (std::int64_t n : {1, 7, 4097, 30011, 70001}) {
    check_share<std::uint32_t, std::uint32_t>(n, 0, 0);
    check_share<std::uint32_t, int>(n, 12, 12);
    check_share<std::uint32_t, int>(n, 12, 4);
    check_share<std::uint8_t, std::uint16_t>(n, 5, 10);
    check_share<std::uint8_t, std::uint16_t>(n, 5, 4);
  }
}

/// A function of a function of elements in memory.
TEST(GridReduceZipped, TransformedTwice) {
  random_engine random(1);
  shifted<std::uint32_t> const x(1000, 4, random);
  transformed const in{transformed{zipping<std::uint32_t const*>{{x.data()}}, mixed{}}, plus_one{}};
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < 1000; ++i) sum += std::uint64_t{x.data()[i]} + 1;
  auto const f = tessera::detail::function_on_memory(in);
  EXPECT_EQ(reduce<std::uint64_t>(memory_of(in), 1000, 3, tessera::plus{}, f), sum);
}

}  // namespace
