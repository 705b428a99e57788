// The kernel of grid reductions on host tiles: blocks in any order, a few threads each.
#include <gtest/gtest.h>

#include <tessera/grid/reduce/argmin_agent.hpp>
#include <tessera/grid/reduce/moments_agent.hpp>
#include <tessera/grid/reduce/packed_argmin_agent.hpp>
#include <tessera/grid/reduce/reduce_agent.hpp>
#include <tessera/host/launch.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "samples.hpp"

namespace {

using namespace test;
namespace detail = tessera::grid::detail;
constexpr unsigned threads = 64;

/// The share of blocks of 64 threads that take 64 vectors at a time, in turn.
detail::even_share share_for(std::int64_t n, unsigned blocks) {
  return {blocks, threads, (n + blocks - 1) / blocks, blocks % 2 == 0};
}

template <class R, class Out = R, class T, class Agent, class Op>
Out run(T const* in, std::int64_t n, detail::even_share const& share, Agent const& agent, Op const& op, unsigned seed) {
  std::vector<R> partials(share.blocks);
  unsigned counter = 0;
  Out out{};
  tessera::host::options how;
  how.seed = seed;
  tessera::host::launch_grid(share.blocks, threads, how, [&](tessera::host::block block) {
    detail::run_reduce_agent<threads>(block, in, n, share, agent, op,
                                      detail::shared_partials<R>{partials.data(), &counter, nullptr}, &out);
  });
  EXPECT_EQ(counter, 0u);
  return out;
}
template <class R, class T, class Agent, class Op>
R run(std::vector<T> const& x, unsigned blocks, Agent const& agent, Op const& op, unsigned seed) {
  auto const n = static_cast<std::int64_t>(x.size());
  return run<R>(x.data(), n, share_for(n, blocks), agent, op, seed);
}

TEST(GridReduceOnHost, Sums) {
  for (std::int64_t n : {0, 1, 5, 255, 256, 1000, 5003}) {
    random_engine random(static_cast<std::uint64_t>(n));
    std::vector<unsigned> x(static_cast<std::size_t>(n));
    unsigned expected = 0;
    for (auto& value : x) expected += value = sample<unsigned>(random);
    for (unsigned blocks : {1u, 3u}) {
      using agent = detail::operator_agent<unsigned, tessera::plus, tessera::detail::as_it_is>;
      EXPECT_EQ(run<unsigned>(x, blocks, agent{{}, {}}, tessera::plus{}, 1), expected) << n;
    }
  }
}

/// Whatever the share, each element is visited once, at its index, in rising order by each lane.
template <class T, unsigned Bytes, unsigned Parts>
void check_share(std::int64_t n, int multiprocessors) {
  constexpr unsigned block_threads = detail::reduce_tuning::threads, vectors = detail::vectors_of<T>(Bytes);
  constexpr unsigned V = tessera::detail::vector_length<T>;
  std::vector<T> x(static_cast<std::size_t>(n) + 1);
  random_engine random(static_cast<std::uint64_t>(n));
  for (T& element : x) {
    std::uint64_t const bits = random();
    std::memcpy(&element, &bits, sizeof(T) < 8 ? sizeof(T) : 8);
  }
  detail::even_share const share = detail::even_share_of<vectors>(x.data() + 1, n, multiprocessors);
  std::vector<int> visits(static_cast<std::size_t>(n));
  tessera::host::launch_grid(share.blocks, block_threads, [&](tessera::host::block block) {
    std::int64_t last = -1;
    detail::visit_share<block_threads, vectors, Parts>(
        block, x.data() + 1, n, share, [&](auto const& some, std::int64_t index, auto) {
          for (unsigned k = 0; k < some.size(); ++k) {
            std::int64_t const at = index + k / V * block_threads * V + k % V;
            EXPECT_GT(at, last);
            last = at;
            ++visits[static_cast<std::size_t>(at)];
            EXPECT_EQ(std::memcmp(&some[k], &x[static_cast<std::size_t>(at) + 1], sizeof(T)), 0) << at;
          }
        });
  });
  for (std::size_t i = 0; i < visits.size(); ++i)
    ASSERT_EQ(visits[i], 1) << "element " << i << " of " << n << ", " << sizeof(T) << " bytes each, " << multiprocessors
                            << " multiprocessors";
}

template <unsigned Size>
struct some_bytes {
  unsigned char byte[Size];
};

TEST(GridReduceOnHost, Shares) {
  for (std::int64_t n : {0, 1, 3, 4095, 16385, 65537}) {
    for (int multiprocessors : {1, 3}) {
      check_share<char, 32, 2>(4 * n, multiprocessors);
      check_share<unsigned short, 32, 2>(2 * n, multiprocessors);
      check_share<unsigned short, 64, 1>(n, multiprocessors);
      check_share<float, 128, 2>(n, multiprocessors);
      check_share<double, 64, 1>(n, multiprocessors);
      check_share<some_bytes<3>, 128, 2>(n, multiprocessors);
      check_share<some_bytes<6>, 128, 2>(n, multiprocessors);
      check_share<some_bytes<12>, 128, 2>(n, multiprocessors);
      check_share<some_bytes<17>, 128, 2>(n, multiprocessors);
    }
  }
  for (std::int64_t n : {std::int64_t{1}, std::int64_t{1} << 20, (std::int64_t{1} << 40) - 1}) {
    auto const share = detail::even_share_of<8>(static_cast<float const*>(nullptr), n, 10000);
    EXPECT_LE(share.blocks, detail::reduce_tuning::most_resident_blocks);
    EXPECT_GE(share.run * share.blocks, n);
  }
}

/// Arrays of which each block has many steps, with some left.
TEST(GridReduceOnHost, LongShares) {
  constexpr std::int64_t step = detail::reduce_tuning::threads * 2, resident = detail::resident_blocks(1);
  for (std::int64_t vectors : {40 * resident * step, 40 * resident * step + 3 * step - 1})
    check_share<unsigned short, 32, 2>(8 * vectors + 3, 1);
  check_share<unsigned short, 32, 1>(8 * 40 * resident * step + 9, 1);
}

TEST(GridReduceOnHost, InOrder) {
  std::vector<matrix> x(700);
  random_engine random(3);
  matrix expected = matrix_one;
  for (auto& value : x) {
    value = sample<matrix>(random);
    expected = matrix_product{}(expected, value);
  }
  auto const op = tessera::make_operator(matrix_product{}, matrix_one);
  using agent = detail::operator_agent<matrix, decltype(op), tessera::detail::as_it_is>;
  for (unsigned seed = 0; seed < 3; ++seed) {
    matrix const got = run<matrix>(x, 4, agent{op, {}}, op, seed);
    EXPECT_EQ(std::memcmp(&got, &expected, sizeof got), 0);
  }
}

/// The first of the best values, or the first NaN, of arrays with ties in blocks of one and a half to three whole steps.
template <bool Greatest, class T>
std::int64_t first_best(std::vector<T> const& x, std::size_t offset) {
  std::size_t first = offset;
  for (std::size_t i = offset + 1; i < x.size(); ++i) {
    bool const better = Greatest ? x[i] > x[first] : x[i] < x[first];
    if (x[first] == x[first] && (better || x[i] != x[i])) first = i;
  }
  return static_cast<std::int64_t>(first - offset);
}
/// The last that ties with it.
template <class T>
std::int64_t last_tied(std::vector<T> const& x, std::size_t offset, std::int64_t first) {
  T const best = x[static_cast<std::size_t>(first) + offset];
  std::size_t last = x.size() - 1;
  while (x[last] != best && !(best != best && x[last] != x[last])) --last;
  return static_cast<std::int64_t>(last - offset);
}
template <bool Greatest, class T>
void check_arg(T (*sample_one)(random_engine&)) {
  using agent = detail::argmin_agent<T>;
  using best_t = tessera::indexed<T, std::int64_t>;
  constexpr unsigned vectors = detail::vectors_of<T>(agent::template bytes<T>);
  constexpr std::int64_t step = threads * vectors * tessera::detail::vector_length<T>;
  for (unsigned seed = 0; seed < 12; ++seed) {
    random_engine random(seed);
    unsigned const blocks = 1 + seed % 3, offset = seed % 2;
    std::int64_t const n = blocks * step * (3 + seed % 4) / 2 + static_cast<std::int64_t>(random() % 70);
    std::vector<T> x(static_cast<std::size_t>(n) + offset);
    for (T& value : x) value = sample_one(random);
    std::int64_t const first = first_best<Greatest>(x, offset);
    detail::even_share const share{blocks, threads * vectors, n, false};
    auto const best =
        run<best_t>(x.data() + offset, n, share, agent{detail::flipped_bits<T>::of(Greatest)}, tessera::argmin{}, seed);
    ASSERT_EQ(best.index, first) << "of " << n << " in " << blocks << " blocks";
    T const value = x[static_cast<std::size_t>(first) + offset];
    ASSERT_EQ(std::memcmp(&best.value, &value, sizeof value), 0) << "of " << n << " in " << blocks << " blocks";
    for (bool last : {false, true}) {
      std::int64_t const expected = last ? last_tied(x, offset, first) : first;
      std::int64_t index = -1;
      T const got = run<best_t, T>(x.data() + offset, n, share,
                                   detail::tied_argmin_agent<T>{detail::flipped_bits<T>::of(Greatest), {last}, &index},
                                   tessera::argmin{}, seed);
      ASSERT_EQ(index, expected) << "of " << n << " in " << blocks << " blocks, last " << last;
      ASSERT_EQ(std::memcmp(&got, &x[static_cast<std::size_t>(expected) + offset], sizeof got), 0) << n;
    }
  }
}
/// The same by a packed argmin, which blocks of one to three steps improve in any order.
template <bool Greatest, class T>
void check_packed(T (*sample_one)(random_engine&)) {
  constexpr unsigned vectors = 2;
  constexpr std::int64_t step = threads * vectors * tessera::detail::vector_length<T>;
  for (unsigned seed = 0; seed < 24; ++seed) {
    random_engine random(seed);
    std::size_t const offset = seed % 5;
    std::int64_t const n = 1 + static_cast<std::int64_t>(random() % (5 * step));
    std::vector<T> x(static_cast<std::size_t>(n) + offset);
    for (T& value : x) value = sample_one(random);
    auto const steps = static_cast<unsigned>((n + step - 1) / step), each = 1 + seed % 3;
    detail::packed_argmin_share const share{(steps + each - 1) / each, each, steps, seed % 2 == 0};
    std::uint64_t complement = 0;
    unsigned counter = 0;
    std::vector<std::uint64_t> known(share.blocks);
    tessera::indexed<T, std::int64_t> best{};
    tessera::host::options how;
    how.seed = seed;
    tessera::host::launch_grid(share.blocks, threads, how, [&](tessera::host::block block) {
      detail::run_packed_argmin_agent<threads, vectors>(
          block, x.data() + offset, n, detail::flipped_bits<T>::of(Greatest), share, known[block.group_index().x],
          {&complement, &counter}, detail::first_of_ties{}, detail::best_place<T>{&best});
    });
    std::int64_t const first = first_best<Greatest>(x, offset);
    ASSERT_EQ(best.index, first) << "of " << n << " in " << share.blocks << " blocks";
    ASSERT_EQ(std::memcmp(&best.value, &x[static_cast<std::size_t>(first) + offset], sizeof best.value), 0)
        << "of " << n << " in " << share.blocks << " blocks";
    ASSERT_EQ(complement, 0u);
    ASSERT_EQ(counter, 0u);
    for (bool last : {false, true}) {
      std::int64_t const expected = last ? last_tied(x, offset, first) : first;
      T value{};
      std::int64_t index = -1;
      tessera::host::launch_grid(share.blocks, threads, how, [&](tessera::host::block block) {
        detail::run_packed_argmin_agent<threads, vectors>(
            block, x.data() + offset, n, detail::flipped_bits<T>::of(Greatest), share, known[block.group_index().x],
            {&complement, &counter}, detail::chosen_of_ties{last}, detail::best_places<T>{&value, &index});
      });
      ASSERT_EQ(index, expected) << "of " << n << " in " << share.blocks << " blocks, last " << last;
      ASSERT_EQ(std::memcmp(&value, &x[static_cast<std::size_t>(expected) + offset], sizeof value), 0) << n;
    }
  }
}
template <class T>
T one_of_few(random_engine& random) {
  return static_cast<T>(random() % 3);
}
template <class T>
T rarely_better(random_engine& random) {
  return static_cast<T>(random() % 500 == 0 ? random() % 100 : 50);
}
template <class T>
T the_least(random_engine&) {
  return tessera::detail::lowest<T>();
}
template <class T>
T the_greatest(random_engine&) {
  return tessera::detail::highest<T>();
}
template <class T>
T with_nan(random_engine& random) {
  return random() % 1500 == 0 ? std::numeric_limits<T>::quiet_NaN() : sample<T>(random);
}
template <class T>
T a_zero(random_engine& random) {
  return random() % 2 == 0 ? T{0} : -T{0};
}
template <class T, class Check>
void each_sample(Check check) {
  for (auto* sample_one : {sample<T>, one_of_few<T>, rarely_better<T>, the_least<T>, the_greatest<T>})
    check(sample_one);
  if constexpr (std::is_floating_point_v<T>) {
    for (auto* sample_one : {with_nan<T>, a_zero<T>}) check(sample_one);
  }
}
template <class T>
void check_args() {
  each_sample<T>([](auto* sample_one) {
    check_arg<false>(sample_one);
    check_arg<true>(sample_one);
  });
}
template <class T>
void check_packeds() {
  each_sample<T>([](auto* sample_one) {
    check_packed<false>(sample_one);
    check_packed<true>(sample_one);
  });
}
TEST(GridReduceOnHost, ArgminAndArgmax) {
  check_args<float>();
  check_args<short>();
  check_args<std::uint64_t>();
}

/// Of no elements the index is the greatest.
TEST(GridReduceOnHost, TiesOfNothing) {
  for (bool last : {false, true}) {
    std::int64_t index = -1;
    float const value = run<tessera::indexed<float, std::int64_t>, float>(
        static_cast<float const*>(nullptr), 0, share_for(0, 1),
        detail::tied_argmin_agent<float>{detail::flipped_bits<float>::of(true), {last}, &index}, tessera::argmin{}, 1);
    EXPECT_EQ(index, INT64_MAX);
    EXPECT_EQ(value, -std::numeric_limits<float>::infinity());
  }
}

TEST(GridReduceOnHost, PackedArgminAndArgmax) {
  check_packeds<float>();
  check_packeds<short>();
  check_packeds<std::uint32_t>();
}

TEST(GridReduceOnHost, Moments) {
  std::vector<float> x(3000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 7919 % 1000);
  for (unsigned seed = 0; seed < 3; ++seed) {
    auto const m = run<tessera::moments<double>>(x, 3, detail::moments_agent{}, tessera::welford{}, seed);
    EXPECT_EQ(m.count, 3000);
    EXPECT_NEAR(m.mean, 499.5, 1e-10);
    EXPECT_NEAR(m.variance(), (1000.0 * 1000 - 1) / 12, 1e-6);
  }
}

/// Signed integers as the bits of unsigned ones.
template <class T>
void check_moments_of_bits() {
  using bits = std::make_unsigned_t<T>;
  std::vector<T> x(3000);
  std::vector<bits> same(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<T>(static_cast<T>(i * 7919 % 1000) - 500);
    same[i] = static_cast<bits>(x[i]);
  }
  auto const expected = run<tessera::moments<double>>(x, 3, detail::moments_agent{}, tessera::welford{}, 1);
  auto const got = run<tessera::moments<double>>(same, 3, detail::moments_agent{true}, tessera::welford{}, 1);
  EXPECT_NEAR(got.mean, -0.5, 1e-10);
  EXPECT_EQ(std::memcmp(&got, &expected, sizeof got), 0);
}
TEST(GridReduceOnHost, MomentsOfSignedIntegers) {
  check_moments_of_bits<std::int32_t>();
  check_moments_of_bits<std::int64_t>();
}

/// The second of two: an operator that doesn't commute, whose identity is no value of the arrays here.
struct last_one {
  TESSERA_FN int operator()(int a, int b) const { return b == 0 ? a : b; }
};
struct with_number {
  template <class Index>
  TESSERA_FN tessera::zipped<float, int> operator()(float x, Index i) const {
    return tessera::as_zipped(x, static_cast<int>(i) + 1);
  }
};

TEST(GridReduceOnHost, SumsOfNegativeZerosAndOfNothing) {
  auto const is_negative_zero = [](float x) { return x == 0 && std::signbit(x); };
  for (std::int64_t n : {0, 1, 2, 5, 63, 64, 255, 1000, 5003}) {
    std::vector<float> x(static_cast<std::size_t>(n), -0.0f);
    for (unsigned blocks : {1u, 3u}) {
      using agent = detail::operator_agent<float, tessera::plus, tessera::detail::as_it_is>;
      float const sum = run<float>(x, blocks, agent{{}, {}}, tessera::plus{}, 1);
      EXPECT_EQ(is_negative_zero(sum), n > 0) << n << " in " << blocks << " blocks";
      // The same beside an operator that doesn't commute, whose warps have a part of the array each, or none.
      auto const op = tessera::zip(tessera::plus{}, tessera::make_operator(last_one{}, 0));
      using both = tessera::zipped<float, int>;
      using agent_of_both = detail::operator_agent<both, std::decay_t<decltype(op)>, with_number>;
      both const sums = run<both>(x, blocks, agent_of_both{op, {}}, op, 1);
      EXPECT_EQ(is_negative_zero(tessera::get<0>(sums)), n > 0) << n << " in order, " << blocks << " blocks";
      EXPECT_EQ(tessera::get<1>(sums), n) << blocks << " blocks";
    }
  }
}

TEST(GridReduceOnHost, MomentsOfInfinities) {
  for (double special : {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                         std::numeric_limits<double>::quiet_NaN()}) {
    for (std::size_t n : {1u, 2u, 5u, 700u, 3000u}) {
      for (std::size_t at : {std::size_t{0}, n / 3, n - 1}) {
        std::vector<float> x(n, 1.5f);
        x[at] = static_cast<float>(special);
        for (unsigned blocks : {1u, 3u}) {
          auto const m = run<tessera::moments<double>>(x, blocks, detail::moments_agent{}, tessera::welford{}, 1);
          EXPECT_EQ(m.count, static_cast<double>(n));
          EXPECT_TRUE(std::isnan(m.mean)) << special << " at " << at << " of " << n;
          EXPECT_TRUE(std::isnan(m.m2)) << special << " at " << at << " of " << n;
        }
      }
    }
  }
}

}  // namespace
