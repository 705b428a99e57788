// Compares the model with the library on host tiles, bit for bit.
//
// The floats are such that every other order of combination gives different bits, and one operator doesn't
// commute.
#pragma once

#include "model.hpp"

#include <tessera/host/launch.hpp>
#include <tessera/tessera.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace oracle::test {

using model::algebra_for;
using model::everyone;
using model::how;
using model::placement;
template <class T>
using vector = model::list<T>;

/// Pseudorandom numbers, which are the same in every run.
inline unsigned scrambled(unsigned i) {
  i = (i ^ 0x9e3779b9u) * 0x85ebca6bu;
  i = (i ^ i >> 13) * 0xc2b2ae35u;
  return i ^ i >> 16;
}
template <class T>
T sample(unsigned i) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(static_cast<int>(scrambled(i))) / 3 * (i % 7 == 0 ? static_cast<T>(1e-3) : 1);
  else
    return static_cast<T>(scrambled(i));
}
template <class T>
vector<T> samples(unsigned count, unsigned salt = 0) {
  vector<T> x;
  for (unsigned i = 0; i < count; ++i) x.push_back(sample<T>(i + 5000 * salt));
  return x;
}
template <class T, unsigned K>
vector<tessera::items<T, K>> item_samples(unsigned count) {
  vector<tessera::items<T, K>> x(count);
  for (unsigned i = 0; i < count * K; ++i) x[i / K][i % K] = sample<T>(i);
  return x;
}

/// Encodes the order of combination in a number: every other order gives a different number. 0 is the
/// identity. (The operator isn't associative, like sums of floats.)
using trace = std::uint64_t;
inline trace scramble(trace x) {
  x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
  return (x ^ x >> 32) | 1;
}
struct write_down {
  TESSERA_FN trace operator()(trace a, trace b) const {
    if (a == 0 || b == 0) return a | b;
    return scramble(a * 0x9e3779b97f4a7c15u + (b ^ b << 13));
  }
};
struct write_down_either_way {
  TESSERA_FN trace operator()(trace a, trace b) const {
    if (a == 0 || b == 0) return a | b;
    return scramble((a + b) * 0x9e3779b97f4a7c15u + (a ^ b));
  }
};
inline auto const written = tessera::make_operator(write_down{}, trace{0});
inline auto const written_either_way = tessera::make_operator(write_down_either_way{}, trace{0}, tessera::commutative);

/// The function x → a · x + b of integers. The operator composes functions, and doesn't commute.
struct affine {
  std::uint32_t a, b;
};
struct compose {
  TESSERA_FN affine operator()(affine first, affine then) const {
    return {first.a * then.a, first.b * then.a + then.b};
  }
};
inline auto const composed = tessera::make_operator(compose{}, affine{1, 0});
inline vector<affine> affine_samples(unsigned count) {
  vector<affine> x;
  for (unsigned i = 0; i < count; ++i) x.push_back({scrambled(2 * i) | 1, scrambled(2 * i + 1)});
  return x;
}

/// Random participants, which are not all lanes.
inline vector<char> some(unsigned lanes) {
  vector<char> in;
  for (unsigned r = 0; r < lanes; ++r) in.push_back(scrambled(r + 77) % 3 != 0);
  return in;
}

inline how suffix(how who) {
  who.suffix = true;
  return who;
}
inline how to_leader(how who) {
  who.to = placement::to_leader;
  return who;
}
inline how scattered(how who) {
  who.to = placement::scattered;
  return who;
}

/// The tile sizes of a suite of typed tests: few, since the oracle's programs have every size.
template <unsigned... N>
using types_of = testing::Types<std::integral_constant<unsigned, N>...>;
using sizes = types_of<1, 8, 64>;

/// Checks that each lane's result agrees with the model.
template <class Expected, class Got>
void expect_agreement(Expected const& expected, Got const& got, char const* call, unsigned n) {
  ASSERT_EQ(expected.size(), got.size()) << call << ", " << n << " lanes";
  for (std::size_t r = 0; r < got.size(); ++r) {
    typename Got::value_type const of_lane = got[r];
    EXPECT_TRUE(model::agrees(expected[r], of_lane)) << call << ", " << n << " lanes: lane " << r;
    if (!model::agrees(expected[r], of_lane)) return;
  }
}
/// Checks that the results of a call on a tile of N agree with the model. `call` uses `tile` and `r`, the
/// lane's rank.
#define EXPECT_MODEL(expected, ...)                                                                      \
  expect_agreement(expected,                                                                             \
                   tessera::host::launch_block(N,                                                        \
                                               [&](tessera::host::block const& block) {                  \
                                                 auto const tile = tessera::tiled_partition<N>(block);   \
                                                 [[maybe_unused]] unsigned const r = tile.thread_rank(); \
                                                 return __VA_ARGS__;                                     \
                                               }),                                                       \
                   #__VA_ARGS__, N)

/// Flags of the heads or tails of segments. One in `how_rare` flags is set on average.
inline vector<char> some_flags(unsigned lanes, unsigned how_rare) {
  vector<char> flags;
  for (unsigned r = 0; r < lanes; ++r) flags.push_back(scrambled(r) % how_rare == 0);
  return flags;
}

}  // namespace oracle::test
