// The model against the library on host tiles: a straightforward call of each collective, compared bit for bit.
//
// Floats are such that every other order of combination would give other bits, and one operator doesn't commute.
#include "model.hpp"

#include <tessera/host/launch.hpp>
#include <tessera/tessera.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace {

namespace model = oracle::model;
using model::algebra_for;
using model::everyone;
using model::how;
using model::placement;
using std::vector;

/// Numbers that look random, the same in every run.
unsigned scrambled(unsigned i) {
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

/// Writes down the order of combination, as a number: every other order gives another one. 0 changes nothing. (That it isn't
/// associative shows the order, as it does of sums of floats.)
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
auto const written = tessera::make_operator(write_down{}, trace{0});
auto const written_either_way =
    tessera::make_operator(write_down_either_way{}, trace{0}, tessera::commutative);

/// x to a · x + b: functions of integers, one after the other. Doesn't commute.
struct affine {
  std::uint32_t a, b;
};
struct compose {
  TESSERA_FN affine operator()(affine first, affine then) const {
    return {first.a * then.a, first.b * then.a + then.b};
  }
};
auto const composed = tessera::make_operator(compose{}, affine{1, 0});
vector<affine> affine_samples(unsigned count) {
  vector<affine> x;
  for (unsigned i = 0; i < count; ++i) x.push_back({scrambled(2 * i) | 1, scrambled(2 * i + 1)});
  return x;
}

/// Who takes part: a draw that leaves some out.
vector<char> some(unsigned lanes) {
  vector<char> in;
  for (unsigned r = 0; r < lanes; ++r) in.push_back(scrambled(r + 77) % 3 != 0);
  return in;
}

how suffix(how who) {
  who.suffix = true;
  return who;
}
how to_leader(how who) {
  who.to = placement::to_leader;
  return who;
}
how scattered(how who) {
  who.to = placement::scattered;
  return who;
}
how with_scratch(how who) {
  who.scratch = true;
  return who;
}

/// That each lane got what the model says.
template <class Expected, class Got>
void expect_agreement(Expected const& expected, vector<Got> const& got, char const* call, unsigned n) {
  ASSERT_EQ(expected.size(), got.size()) << call << ", " << n << " lanes";
  for (std::size_t r = 0; r < got.size(); ++r) {
    Got const of_lane = got[r];
    EXPECT_TRUE(model::agrees(expected[r], of_lane)) << call << ", " << n << " lanes: lane " << r;
    if (!model::agrees(expected[r], of_lane)) return;
  }
}
/// That a call on a tile of N, in each of its lanes, gives what the model says: `call` is written once, with `tile` and `r`.
#define EXPECT_MODEL(expected, ...)                                                                      \
  expect_agreement(expected,                                                                             \
                   tessera::host::launch_block(N,                                                        \
                                               [&](tessera::host::block const& block) {                  \
                                                 auto const tile = tessera::tiled_partition<N>(block);   \
                                                 [[maybe_unused]] unsigned const r = tile.thread_rank(); \
                                                 return __VA_ARGS__;                                     \
                                               }),                                                       \
                   #__VA_ARGS__, N)

using sizes = testing::Types<std::integral_constant<unsigned, 1>, std::integral_constant<unsigned, 8>,
                             std::integral_constant<unsigned, 32>, std::integral_constant<unsigned, 64>,
                             std::integral_constant<unsigned, 256>>;
template <class Size>
class Agree : public testing::Test {};
TYPED_TEST_SUITE(Agree, sizes);

TYPED_TEST(Agree, Reduce) {
  constexpr unsigned N = TypeParam::value;
  how const all = everyone(N);
  auto const in = some(N);
  auto const x = samples<float>(N);
  auto const sum = algebra_for<float>(tessera::plus{});
  EXPECT_MODEL(model::reduce(N, x, sum, all), tessera::reduce(tile, x[r]));
  EXPECT_MODEL(model::reduce(N, x, sum, to_leader(all)),
               tessera::reduce(tile, x[r], tessera::plus{}, tessera::to_leader));
  EXPECT_MODEL(model::reduce(N, x, sum, model::where(in)),
               tessera::reduce(tile, x[r], tessera::plus{}, tessera::where(in[r] != 0)));
  EXPECT_MODEL(model::reduce(N, x, sum, model::first(N, N / 2 + 1)),
               tessera::reduce(tile, x[r], tessera::plus{}, tessera::first(N / 2 + 1)));
  EXPECT_MODEL(model::reduce(N, x, sum, model::first(N, 0)),
               tessera::reduce(tile, x[r], tessera::plus{}, tessera::first(0)));
  auto const k = item_samples<float, 3>(N);
  EXPECT_MODEL(model::reduce(N, k, sum, model::where(in)),
               tessera::reduce(tile, k[r], tessera::plus{}, tessera::where(in[r] != 0)));
  auto const f = affine_samples(N);
  EXPECT_MODEL(model::reduce(N, f, algebra_for<affine>(composed), model::where(in)),
               tessera::reduce(tile, f[r], composed, tessera::where(in[r] != 0)));
  EXPECT_MODEL(model::reduce(N, f, algebra_for<affine>(compose{}), all),
               tessera::reduce(tile, f[r], compose{}));
  vector<bool> const b = [&] {
    vector<bool> out;
    for (char c : in) out.push_back(c != 0);
    return out;
  }();
  EXPECT_MODEL(model::reduce(N, b, algebra_for<bool>(tessera::plus{}), all),
               tessera::reduce(tile, bool(b[r])));
}

TYPED_TEST(Agree, ReduceBatch) {
  constexpr unsigned N = TypeParam::value;
  how const all = everyone(N);
  auto const in = some(N);
  auto const x = item_samples<float, 5>(N);
  auto const sum = algebra_for<float>(tessera::plus{});
  EXPECT_MODEL(model::reduce_batch(N, x, sum, all), tessera::reduce_batch(tile, x[r]));
  EXPECT_MODEL(
      model::reduce_batch(N, x, sum, scattered(model::where(in))),
      tessera::reduce_batch(tile, x[r], tessera::plus{}, tessera::scattered | tessera::where(in[r] != 0)));
  EXPECT_MODEL(model::reduce_batch(N, x, sum, to_leader(all)),
               tessera::reduce_batch(tile, x[r], tessera::plus{}, tessera::to_leader));
}

/// Scans of each kind: alone, with a start, with totals.
template <unsigned N, class T, class X, class Op, class Who, class Policy>
void check_scans(vector<X> const& x, Op op, T const& init, Who who, Policy policy, char const* what) {
  SCOPED_TRACE(what);
  auto const a = algebra_for<T>(op);
  EXPECT_MODEL(model::inclusive_scan(N, x, a, who).value, tessera::inclusive_scan(tile, x[r], op, policy(r)));
  EXPECT_MODEL(model::exclusive_scan(N, x, a, who).value, tessera::exclusive_scan(tile, x[r], op, policy(r)));
  EXPECT_MODEL(model::exclusive_scan(N, x, a, init, who).value,
               tessera::exclusive_scan(tile, x[r], op, init, policy(r)));
  EXPECT_MODEL(model::inclusive_scan(N, x, a, who).total,
               tessera::inclusive_scan(tile, x[r], op, policy(r) | tessera::with_total).total);
  EXPECT_MODEL(model::inclusive_scan(N, x, a, who).value,
               tessera::inclusive_scan(tile, x[r], op, policy(r) | tessera::with_total).value);
  EXPECT_MODEL(model::exclusive_scan(N, x, a, init, who).total,
               tessera::exclusive_scan(tile, x[r], op, init, policy(r) | tessera::with_total).total);
}
template <unsigned N, class T, class X, class Op>
void check_all_scans(vector<X> const& x, Op op, T const& init) {
  auto const in = some(N);
  check_scans<N, T>(
      x, op, init, everyone(N), [](unsigned) { return tessera::prefix; }, "everyone");
  check_scans<N, T>(
      x, op, init, suffix(everyone(N)), [](unsigned) { return tessera::suffix; }, "suffix");
  check_scans<N, T>(
      x, op, init, model::where(in), [&](unsigned r) { return tessera::where(in[r] != 0); }, "where");
  check_scans<N, T>(
      x, op, init, suffix(model::where(in)),
      [&](unsigned r) { return tessera::suffix | tessera::where(in[r] != 0); }, "suffix where");
}

TYPED_TEST(Agree, Scans) {
  constexpr unsigned N = TypeParam::value;
  check_all_scans<N, float>(samples<float>(N), tessera::plus{}, 0.7f);
}
TYPED_TEST(Agree, ScansInOrder) {
  constexpr unsigned N = TypeParam::value;
  check_all_scans<N, affine>(affine_samples(N), composed, affine{3, 1});
}
TYPED_TEST(Agree, ScansShowTheirOrder) {
  constexpr unsigned N = TypeParam::value;
  check_all_scans<N, trace>(samples<trace>(N), written, trace{77});
}
TYPED_TEST(Agree, ScansOfItems) {
  constexpr unsigned N = TypeParam::value;
  check_all_scans<N, trace>(item_samples<trace, 3>(N), written, trace{77});
}

/// Runs of neighbors, of which each lane begins one in `how_rare` cases.
vector<char> some_flags(unsigned lanes, unsigned how_rare) {
  vector<char> flags;
  for (unsigned r = 0; r < lanes; ++r) flags.push_back(scrambled(r) % how_rare == 0);
  return flags;
}
TYPED_TEST(Agree, Segments) {
  constexpr unsigned N = TypeParam::value;
  how const all = everyone(N);
  auto const in = some(N);
  auto const x = affine_samples(N);
  auto const a = algebra_for<affine>(composed);
  for (unsigned how_rare : {1u, 2u, 5u, 40u}) {
    SCOPED_TRACE(how_rare);
    auto const flags = some_flags(N, how_rare);
    auto const heads = model::by_head(flags), tails = model::by_tail(flags), runs = model::by_key(flags);
    EXPECT_MODEL(model::segmented_reduce(N, x, heads, a, all),
                 tessera::segmented_reduce(tile, x[r], flags[r] != 0, composed));
    EXPECT_MODEL(model::segmented_reduce(N, x, heads, a, to_leader(model::where(in))),
                 tessera::segmented_reduce(tile, x[r], tessera::by_head(flags[r] != 0), composed,
                                           tessera::to_leader | tessera::where(in[r] != 0)));
    EXPECT_MODEL(model::segmented_inclusive_scan(N, x, heads, a, all).value,
                 tessera::segmented_inclusive_scan(tile, x[r], flags[r] != 0, composed));
    EXPECT_MODEL(
        model::segmented_inclusive_scan(N, x, heads, a, all).total,
        tessera::segmented_inclusive_scan(tile, x[r], flags[r] != 0, composed, tessera::with_total).total);
    EXPECT_MODEL(model::segmented_exclusive_scan(N, x, tails, a, model::where(in)).value,
                 tessera::segmented_exclusive_scan(tile, x[r], tessera::by_tail(flags[r] != 0), composed,
                                                   tessera::where(in[r] != 0)));
    EXPECT_MODEL(
        model::segmented_inclusive_scan(N, x, runs, a, suffix(all)).value,
        tessera::segmented_inclusive_scan(tile, x[r], tessera::by_key(flags[r]), composed, tessera::suffix));
    EXPECT_MODEL(
        model::segmented_exclusive_scan(N, x, runs, a, suffix(model::where(in))).total,
        tessera::segmented_exclusive_scan(tile, x[r], tessera::by_key(flags[r]), composed,
                                          tessera::suffix | tessera::with_total | tessera::where(in[r] != 0))
            .total);
  }
}
TYPED_TEST(Agree, SegmentsOfAWarpShowTheirOrder) {
  constexpr unsigned N = TypeParam::value;
  if (N > 32) return;  // open above
  auto const x = samples<trace>(N);
  for (unsigned how_rare : {2u, 5u, 40u}) {
    auto const flags = some_flags(N, how_rare);
    EXPECT_MODEL(
        model::segmented_reduce(N, x, model::by_head(flags), algebra_for<trace>(written), everyone(N)),
        tessera::segmented_reduce(tile, x[r], flags[r] != 0, written));
  }
}

TYPED_TEST(Agree, Movement) {
  constexpr unsigned N = TypeParam::value;
  auto const x = affine_samples(N);
  auto const fill = affine_samples(2 * N);
  vector<affine> const own_fill(fill.begin() + N, fill.end());
  vector<unsigned> sources;
  for (unsigned r = 0; r < N; ++r) sources.push_back(scrambled(r) % N);
  EXPECT_MODEL(model::shuffle(N, x, sources), tessera::shuffle(tile, x[r], sources[r]));
  EXPECT_MODEL(model::broadcast(N, x, N / 3), tessera::broadcast(tile, x[r], N / 3));
  EXPECT_MODEL(model::reverse(N, x), tessera::reverse(tile, x[r]));
  for (unsigned delta : {0u, 1u, N / 2, N, N + 5}) {
    EXPECT_MODEL(model::shift_up(N, x, delta), tessera::shift_up(tile, x[r], delta));
    EXPECT_MODEL(model::shift_up(N, x, delta, own_fill), tessera::shift_up(tile, x[r], delta, own_fill[r]));
    EXPECT_MODEL(model::shift_down(N, x, delta), tessera::shift_down(tile, x[r], delta));
    EXPECT_MODEL(model::shift_down(N, x, delta, own_fill),
                 tessera::shift_down(tile, x[r], delta, own_fill[r]));
    int const offset = 3 - 2 * static_cast<int>(delta);
    EXPECT_MODEL(model::rotate(N, x, offset), tessera::rotate(tile, x[r], offset));
  }
  auto const k = item_samples<short, 6>(N);
  for (unsigned mask : {0u, 1u, N / 2, N - 1}) {
    if (mask >= N) continue;
    EXPECT_MODEL(model::butterfly(N, x, mask), tessera::butterfly(tile, x[r], mask));
    EXPECT_MODEL(model::butterfly(N, k, mask), tessera::butterfly(tile, k[r], mask));
    EXPECT_MODEL(model::exchange_items(N, k, mask, 1, 4), tessera::exchange_items(tile, k[r], mask, 1, 4));
  }
  EXPECT_MODEL(model::reverse(N, k), tessera::reverse(tile, k[r]));
  EXPECT_MODEL(model::striped_to_blocked(N, k), tessera::striped_to_blocked(tile, k[r]));
  EXPECT_MODEL(model::blocked_to_striped(N, k), tessera::blocked_to_striped(tile, k[r]));
  EXPECT_MODEL(model::transpose(N, k), tessera::transpose(tile, k[r]));
}

TYPED_TEST(Agree, Votes) {
  constexpr unsigned N = TypeParam::value;
  auto const in = some(N), pred = some_flags(N, 3);
  for (how const& who : {everyone(N), model::where(in), model::where(pred), model::first(N, 0)}) {
    EXPECT_MODEL(model::ballot(N, pred, who),
                 tessera::ballot(tile, pred[r] != 0, tessera::where(who.in[r] != 0)));
    EXPECT_MODEL(model::any_of(N, pred, who),
                 tessera::any_of(tile, pred[r] != 0, tessera::where(who.in[r] != 0)));
    EXPECT_MODEL(model::all_of(N, pred, who),
                 tessera::all_of(tile, pred[r] != 0, tessera::where(who.in[r] != 0)));
    EXPECT_MODEL(model::none_of(N, pred, who),
                 tessera::none_of(tile, pred[r] != 0, tessera::where(who.in[r] != 0)));
    EXPECT_MODEL(model::count_if(N, pred, who),
                 tessera::count_if(tile, pred[r] != 0, tessera::where(who.in[r] != 0)));
    EXPECT_MODEL(model::elect(N, who), tessera::elect(tile, tessera::where(who.in[r] != 0)));
  }
  EXPECT_MODEL(model::ballot(N, pred, to_leader(everyone(N))),
               tessera::ballot(tile, pred[r] != 0, tessera::to_leader));
  auto const x = samples<trace>(N);
  EXPECT_MODEL(model::invoke_one(N, x, everyone(N)), tessera::invoke_one(tile, [&] { return x[r]; }));
}

TYPED_TEST(Agree, Match) {
  constexpr unsigned N = TypeParam::value;
  auto const in = some(N);
  vector<int> keys;
  for (unsigned r = 0; r < N; ++r) keys.push_back(static_cast<int>(scrambled(r) % 5));
  EXPECT_MODEL(model::match_any(N, keys, everyone(N)), tessera::match_any(tile, keys[r]));
  EXPECT_MODEL(model::match_any(N, keys, model::where(in)),
               tessera::match_any(tile, keys[r], tessera::where(in[r] != 0)));
  auto const groups = model::peers(N, keys);
  auto const got = tessera::host::launch_block(N, [&](tessera::host::block const& block) {
    auto const tile = tessera::tiled_partition<N>(block);
    return tessera::peers(tile, keys[tile.thread_rank()]);
  });
  for (unsigned r = 0; r < N; ++r) {
    EXPECT_TRUE(model::agrees(groups[r]->mask, got[r].mask)) << r;
    EXPECT_EQ(groups[r]->rank, got[r].rank);
    EXPECT_EQ(groups[r]->leader, got[r].leader);
    EXPECT_EQ(groups[r]->count, got[r].count());
  }
  vector<char> two_of_one(N);
  for (unsigned r = 0; r < N; ++r) two_of_one[r] = keys[r] == 2;
  for (how const& who : {everyone(N), model::where(in), model::where(two_of_one)})
    EXPECT_MODEL(model::match_all(N, keys, who),
                 tessera::match_all(tile, keys[r], tessera::where(who.in[r] != 0)));

  auto const x = samples<trace>(N);
  auto const a = algebra_for<trace>(written);
  EXPECT_MODEL(model::reduce_by_label(N, keys, x, a, everyone(N)),
               tessera::reduce_by_label(tile, keys[r], x[r], written));
  EXPECT_MODEL(model::reduce_by_label(N, keys, x, a, model::where(in)),
               tessera::reduce_by_label(tile, keys[r], x[r], written, tessera::where(in[r] != 0)));
  EXPECT_MODEL(model::reduce_by_label(N, keys, x, a, to_leader(model::where(in))),
               tessera::reduce_by_label(tile, keys[r], x[r], written,
                                        tessera::to_leader | tessera::where(in[r] != 0)));
}

TYPED_TEST(Agree, Memory) {
  constexpr unsigned N = TypeParam::value;
  auto const in = some(N), keep = some_flags(N, 2);
  auto const x = samples<int>(N);
  auto const kept = model::compact(N, x, keep, model::where(in));
  vector<int> out(N);
  EXPECT_MODEL(model::lanes<unsigned>(N, static_cast<unsigned>(kept.size())),
               tessera::compact(tile, x[r], keep[r] != 0, out.data(), tessera::where(in[r] != 0)));
  out.resize(kept.size());
  EXPECT_EQ(out, kept);

  vector<int> keys;
  for (unsigned r = 0; r < N; ++r) keys.push_back(static_cast<int>(scrambled(r) % 14) - 1);
  EXPECT_MODEL(model::histogram(N, 12, keys, everyone(N)), tessera::histogram<12>(tile, keys[r]));
  EXPECT_MODEL(model::histogram(N, 12, keys, scattered(model::where(in))),
               tessera::histogram<12>(tile, keys[r], tessera::scattered | tessera::where(in[r] != 0)));

  for (int& key : keys) ++key;
  vector<int> counters(14, 3);
  auto const sums = model::aggregated_add(N, counters, keys, x, model::where(in));
  auto const counts = model::aggregated_add(N, sums, keys, everyone(N));
  tessera::host::launch_block(N, [&](tessera::host::block const& block) {
    auto const tile = tessera::tiled_partition<N>(block);
    unsigned const r = tile.thread_rank();
    tessera::aggregated_add(tile, counters.data(), keys[r], x[r], tessera::where(in[r] != 0));
    tessera::aggregated_add(tile, counters.data(), keys[r]);
  });
  EXPECT_EQ(counters, counts);

  auto const t = samples<trace>(N);
  trace cell = 9;
  trace expected = model::atomic_reduce(N, cell, t, algebra_for<trace>(written), model::where(in));
  expected = model::atomic_reduce(N, expected, t, algebra_for<trace>(written), model::first(N, 0));
  tessera::host::launch_block(N, [&](tessera::host::block const& block) {
    auto const tile = tessera::tiled_partition<N>(block);
    unsigned const r = tile.thread_rank();
    tessera::atomic_reduce(tile, &cell, t[r], written, tessera::where(in[r] != 0));
    tessera::atomic_reduce(tile, &cell, t[r], written, tessera::first(0));
  });
  EXPECT_EQ(cell, expected);
}

/// A range of count elements, `offset` elements behind a multiple of 16 bytes.
template <class T>
struct range_in_memory {
  range_in_memory(unsigned count, unsigned offset)
      : values(samples<T>(count)), storage(count + offset + 16), count(static_cast<int>(count)) {
    auto const address = [&] { return reinterpret_cast<std::uintptr_t>(first); };
    first = storage.data();
    while (address() % 16 != 0) ++first;
    first += offset;
    for (unsigned i = 0; i < count; ++i) first[i] = values[i];
    address_modulo_16 = address() % 16;
  }
  vector<T> values, storage;
  int count;
  T* first;
  std::size_t address_modulo_16;
};

template <unsigned N, class T>
void check_joint_reduce(unsigned count, unsigned offset) {
  SCOPED_TRACE(std::to_string(count) + " from " + std::to_string(offset));
  range_in_memory<T> const m(count, offset);
  how const all = everyone(N);
  auto const as_trace = [](T x, int) { return static_cast<trace>(x) * 2 + 1; };
  EXPECT_MODEL(model::joint_transform_reduce(N, m.values, m.address_modulo_16,
                                             algebra_for<trace>(written_either_way), as_trace, all),
               tessera::joint_transform_reduce(tile, m.first, m.count, written_either_way, as_trace));
  auto const as_affine = [](T x, int i) {
    return affine{static_cast<std::uint32_t>(x) | 1, static_cast<std::uint32_t>(i)};
  };
  EXPECT_MODEL(
      model::joint_transform_reduce(N, m.values, m.address_modulo_16, algebra_for<affine>(composed),
                                    as_affine, to_leader(all)),
      tessera::joint_transform_reduce(tile, m.first, m.count, composed, as_affine, tessera::to_leader));
  EXPECT_MODEL(model::joint_reduce(N, m.values, m.address_modulo_16, algebra_for<T>(tessera::plus{}), all),
               tessera::joint_reduce(tile, m.first, m.count));
  auto const rare = [](T x, int i) { return i > 3 && static_cast<int>(x) % 50 == 0; };
  EXPECT_MODEL(model::joint_any_of(N, m.values, rare, all),
               tessera::joint_any_of(tile, m.first, m.count, rare));
  EXPECT_MODEL(model::joint_none_of(N, m.values, rare, all),
               tessera::joint_none_of(tile, m.first, m.count, rare));
  auto const often = [](T x, int i) { return i < 3 || static_cast<int>(x) % 50 != 0; };
  EXPECT_MODEL(model::joint_all_of(N, m.values, often, all),
               tessera::joint_all_of(tile, m.first, m.count, often));
}
TYPED_TEST(Agree, JointReduce) {
  constexpr unsigned N = TypeParam::value;
  for (unsigned count : {0u, 1u, 3u, 40u, 9 * N + 5}) {
    check_joint_reduce<N, float>(count, count % 4);
    check_joint_reduce<N, char>(count, 13);
    check_joint_reduce<N, double>(count, 1);
    check_joint_reduce<N, std::uint16_t>(count, 0);
  }
}

template <unsigned N, class T, class Op>
void check_joint_scan(unsigned count, unsigned offset, Op op) {
  SCOPED_TRACE(std::to_string(count) + " from " + std::to_string(offset));
  range_in_memory<T> const m(count, offset);
  auto const a = algebra_for<T>(op);
  T const init = sample<T>(12345);
  auto const check = [&](model::joint_scanned<T> const& expected, auto call) {
    vector<T> out(count + 1);
    auto const totals = tessera::host::launch_block(N, [&](tessera::host::block const& block) {
      return call(tessera::tiled_partition<N>(block), out.data());
    });
    expect_agreement(model::lanes<T>(N, expected.total), totals, "the total", N);
    out.resize(count);
    expect_agreement(model::lanes<T>(expected.out.begin(), expected.out.end()), out, "elements", N);
  };
  {
    SCOPED_TRACE("inclusive");
    check(model::joint_inclusive_scan(N, m.values, m.address_modulo_16, a), [&](auto tile, T* out) {
      return tessera::joint_inclusive_scan(tile, m.first, m.count, out, op, tessera::with_total);
    });
  }
  {
    SCOPED_TRACE("exclusive");
    check(model::joint_exclusive_scan(N, m.values, m.address_modulo_16, a), [&](auto tile, T* out) {
      return tessera::joint_exclusive_scan(tile, m.first, m.count, out, op, tessera::with_total);
    });
  }
  {
    SCOPED_TRACE("with a start");
    check(model::joint_exclusive_scan(N, m.values, m.address_modulo_16, a, init), [&](auto tile, T* out) {
      return tessera::joint_exclusive_scan(tile, m.first, m.count, out, op, init, tessera::with_total);
    });
  }
}
TYPED_TEST(Agree, JointScan) {
  constexpr unsigned N = TypeParam::value;
  for (unsigned count : {0u, 1u, 3u, 40u, 9 * N + 5}) {
    check_joint_scan<N, float>(count, count % 4, tessera::plus{});
    check_joint_scan<N, trace>(count, count % 2, written);
    check_joint_scan<N, std::int16_t>(count, 5, tessera::plus{});
  }
}

/// An operator on values of a small set: reduced, scanned, of some lanes and of none.
template <unsigned N, class T, class Op>
void check_operator_of(vector<T> const& palette, Op op, char const* what) {
  SCOPED_TRACE(what);
  auto const a = algebra_for<T>(op);
  for (unsigned draw = 0; draw < 4; ++draw) {
    vector<T> x;
    for (unsigned r = 0; r < N; ++r) x.push_back(palette[scrambled(r + 1000 * draw) % palette.size()]);
    for (unsigned n : {0u, 1u, 3u, N - 1, N}) {
      SCOPED_TRACE("first(" + std::to_string(n) + ")");
      how const who = model::first(N, n);
      EXPECT_MODEL(model::reduce(N, x, a, who), tessera::reduce(tile, T(x[r]), op, tessera::first(n)));
      EXPECT_MODEL(model::exclusive_scan(N, x, a, who).value,
                   tessera::exclusive_scan(tile, T(x[r]), op, tessera::first(n)));
      EXPECT_MODEL(model::inclusive_scan(N, x, a, suffix(who)).value,
                   tessera::inclusive_scan(tile, T(x[r]), op, tessera::first(n) | tessera::suffix));
      EXPECT_MODEL(model::inclusive_scan(N, x, a, who).total,
                   tessera::inclusive_scan(tile, T(x[r]), op, tessera::first(n) | tessera::with_total).total);
    }
  }
}
template <class T, class Op>
void check_operator(vector<T> const& palette, Op op, char const* what) {
  check_operator_of<8>(palette, op, what);
  check_operator_of<64>(palette, op, what);
}
template <class T>
void check_arithmetic(vector<T> const& palette) {
  check_operator(palette, tessera::plus{}, "plus");
  check_operator(palette, tessera::multiplies{}, "multiplies");
  check_operator(palette, tessera::minimum{}, "minimum");
  check_operator(palette, tessera::maximum{}, "maximum");
  check_operator(palette, tessera::minimum_number{}, "minimum_number");
  check_operator(palette, tessera::maximum_number{}, "maximum_number");
}
template <class T>
void check_bits(vector<T> const& palette) {
  check_operator(palette, tessera::bit_and{}, "bit_and");
  check_operator(palette, tessera::bit_or{}, "bit_or");
  check_operator(palette, tessera::bit_xor{}, "bit_xor");
}
template <class T>
void check_logic(vector<T> const& palette) {
  check_operator(palette, tessera::logical_and{}, "logical_and");
  check_operator(palette, tessera::logical_or{}, "logical_or");
}

TEST(AgreeOperators, OnFloats) {
  float const nan = model::not_a_number<float>(), top = model::highest<float>();
  check_arithmetic<float>({1, -2, 0.0f, -0.0f, 3.5f});
  check_arithmetic<float>({-0.0f});
  check_arithmetic<float>({-0.0f, 0.0f});
  check_arithmetic<float>({1, nan, -0.0f, top, -top});
  check_arithmetic<double>({nan, -1, 0.0, -0.0});
}
TEST(AgreeOperators, OnIntegers) {
  check_arithmetic<int>({1, -2, 1 << 30, 0x7fffffff, -0x7fffffff - 1});
  check_arithmetic<std::uint8_t>({1, 200, 255, 3});
  check_arithmetic<std::int64_t>({1, -1, INT64_MAX, INT64_MIN});
  check_bits<int>({1, -2, 0x55555555, -1});
  check_bits<std::uint16_t>({1, 0xffff, 0xfff0});
  check_logic<int>({1, 0});
}
TEST(AgreeOperators, OnBools) {
  for (vector<bool> const& palette : {vector<bool>{true, false}, vector<bool>{true}, vector<bool>{false}}) {
    check_operator(palette, tessera::plus{}, "plus");
    check_operator(palette, tessera::multiplies{}, "multiplies");
    check_operator(palette, tessera::minimum{}, "minimum");
    check_operator(palette, tessera::maximum{}, "maximum");
    check_bits(palette);
    check_logic(palette);
  }
}
TEST(AgreeOperators, OnIndexedValues) {
  float const nan = model::not_a_number<float>();
  using at = tessera::indexed<float, int>;
  vector<at> const palette{{1, 4},   {1, 2},   {0.0f, 3}, {-0.0f, 9},
                           {nan, 7}, {nan, 6}, {-5, 1},   {model::highest<float>(), 0}};
  vector<at> const numbers{{1, 4}, {1, 2}, {0.0f, 3}, {-0.0f, 9}, {7, 7}};
  for (auto const& from : {palette, numbers}) {
    check_operator(from, tessera::argmin{}, "argmin");
    check_operator(from, tessera::argmax{}, "argmax");
    vector<tessera::min_max<at>> both;
    for (at const& one : from) both.push_back(tessera::as_min_max(one));
    check_operator(both, tessera::minmax{}, "minmax");
    using three = tessera::selection<at, 3>;
    vector<three> least, greatest;
    for (at const& one : from) least.push_back(tessera::as_smallest<3>(one));
    for (at const& one : from) greatest.push_back(tessera::as_largest<3>(one));
    check_operator_of<8>(least, tessera::smallest{}, "smallest");
    check_operator_of<8>(greatest, tessera::largest{}, "largest");
  }
}
TEST(AgreeOperators, OnSelectionsOfNumbers) {
  float const nan = model::not_a_number<float>();
  vector<tessera::selection<float, 4>> least, greatest;
  for (float x : {1.0f, nan, -0.0f, 0.0f, 5.0f, -3.0f}) {
    least.push_back(tessera::as_smallest<4>(x));
    greatest.push_back(tessera::as_largest<4>(x));
  }
  check_operator(least, tessera::smallest{}, "smallest");
  check_operator(greatest, tessera::largest{}, "largest");
}
TEST(AgreeOperators, OnTuples) {
  using tessera::as_zipped;
  float const nan = model::not_a_number<float>();
  vector<tessera::zipped<int, float, bool>> const palette{as_zipped(1, 2.0f, true), as_zipped(5, nan, false),
                                                          as_zipped(-1, -0.0f, false),
                                                          as_zipped(3, 0.0f, true)};
  check_operator(palette, tessera::zip(tessera::plus{}, tessera::maximum{}, tessera::logical_and{}), "zip");
  vector<tessera::zipped<float, int, char>> const named{as_zipped(1.0f, 3, 'a'), as_zipped(1.0f, 2, 'b'),
                                                        as_zipped(-2.0f, 9, 'c')};
  for (unsigned draw = 0; draw < 4; ++draw) {
    constexpr unsigned N = 8;
    vector<tessera::zipped<float, int, char>> x;
    for (unsigned r = 0; r < N; ++r) x.push_back(named[scrambled(r + draw * 77) % named.size()]);
    EXPECT_MODEL(
        model::reduce(N, x, algebra_for<tessera::zipped<float, int, char>>(tessera::argmin{}), everyone(N)),
        tessera::reduce(tile, x[r], tessera::argmin{}));
  }
}
TEST(AgreeOperators, OnMomentsAndExponentials) {
  vector<tessera::moments<float>> moments;
  vector<tessera::exp_sum<float>> sums;
  for (float x : {1.5f, 2.25f, -7.0f, 0.0f, 1e6f}) {
    moments.push_back(tessera::as_moments(x));
    sums.push_back(tessera::as_exp_sum(x));
  }
  check_operator(moments, tessera::welford{}, "welford");
  check_operator(sums, tessera::log_sum_exp{}, "log_sum_exp");
  float const infinity = model::highest<float>();
  check_operator<tessera::exp_sum<float>>({tessera::as_exp_sum(-infinity)}, tessera::log_sum_exp{},
                                          "of -infinity");
  check_operator<tessera::exp_sum<float>>({tessera::as_exp_sum(-infinity), tessera::as_exp_sum(2.0f)},
                                          tessera::log_sum_exp{}, "with -infinity");
}

/// What welford and log_sum_exp come to, by their definitions.
TEST(AgreeOperators, MomentsAndExponentialsByTheirDefinitions) {
  constexpr unsigned N = 32;
  double sum = 0, exponentials = 0, squares = 0;
  vector<double> x;
  for (unsigned r = 0; r < N; ++r) x.push_back((scrambled(r) % 1000) / 37.0 - 9);
  for (double v : x) sum += v;
  for (double v : x) squares += (v - sum / N) * (v - sum / N);
  for (double v : x) exponentials += std::exp(v);
  vector<tessera::moments<double>> of_one;
  vector<tessera::exp_sum<double>> of_exp;
  for (double v : x) {
    of_one.push_back(tessera::as_moments(v));
    of_exp.push_back(tessera::as_exp_sum(v));
  }
  auto const moments =
      *model::reduce(N, of_one, algebra_for<tessera::moments<double>>(tessera::welford{}), everyone(N))[0];
  EXPECT_EQ(moments.count, N);
  EXPECT_NEAR(moments.mean, sum / N, 1e-13);
  EXPECT_NEAR(moments.m2, squares, 1e-10);
  auto const all = *model::reduce(N, of_exp, algebra_for<tessera::exp_sum<double>>(tessera::log_sum_exp{}),
                                  everyone(N))[0];
  EXPECT_NEAR(all.max + std::log(all.sum), std::log(exponentials), 1e-13);
}

/// Ranges of elements whose size doesn't divide 16, or which never lie at a multiple of 16 bytes.
template <unsigned Bytes>
struct element {
  char text[Bytes];
};
TEST(AgreeLayout, OfOddElements) {
  constexpr unsigned N = 4;
  auto const check = [&](auto zero, unsigned address) {
    using T = decltype(zero);
    SCOPED_TRACE(std::to_string(sizeof(T)) + " bytes at " + std::to_string(address));
    alignas(16) static char bytes[20000];
    constexpr unsigned count = 47;
    vector<T> x(count);
    for (unsigned i = 0; i < count; ++i) x[i].text[0] = static_cast<char>(i + 1);
    std::memcpy(bytes + address, x.data(), count * sizeof(T));
    T const* const first = reinterpret_cast<T const*>(bytes + address);
    auto const as_trace = [](T const& e, int) { return static_cast<trace>(e.text[0]) * 2 + 1; };
    EXPECT_MODEL(
        model::joint_transform_reduce(N, x, address, algebra_for<trace>(written_either_way), as_trace,
                                      everyone(N)),
        tessera::joint_transform_reduce(tile, first, static_cast<int>(count), written_either_way, as_trace));
  };
  check(element<12>{}, 4);
  check(element<12>{}, 0);
  check(element<3>{}, 1);
  check(element<32>{}, 8);
  check(element<20>{}, 0);
  check(element<4>{}, 4);
  check(element<8>{}, 8);
  check(element<16>{}, 8);
}

/// The first lanes of a tile of N, in a block of fewer threads.
template <unsigned N>
void check_padded(unsigned threads) {
  SCOPED_TRACE(std::to_string(threads) + " of " + std::to_string(N));
  how const all = everyone(threads);
  auto const in = some(threads);
  auto const x = samples<trace>(threads);
  auto const f = affine_samples(threads);
  auto const k = item_samples<trace, 3>(threads);
  auto const sum = algebra_for<trace>(written);
  auto const affines = algebra_for<affine>(composed);
  auto const on_tile = [&](auto call) {
    return tessera::host::launch_block(threads, [&](tessera::host::block const& block) {
      auto const tile = tessera::padded_block_tile<N>(block);
      return call(tile, tile.thread_rank());
    });
  };
#define EXPECT_PADDED(expected, ...)                                                                       \
  expect_agreement(expected, on_tile([&](auto tile, [[maybe_unused]] unsigned r) { return __VA_ARGS__; }), \
                   #__VA_ARGS__, N)
  EXPECT_PADDED(model::reduce(N, x, sum, all), tessera::reduce(tile, x[r], written));
  EXPECT_PADDED(model::reduce(N, f, algebra_for<affine>(compose{}), all),
                tessera::reduce(tile, f[r], compose{}));
  EXPECT_PADDED(model::reduce(N, k, sum, model::where(in)),
                tessera::reduce(tile, k[r], written, tessera::where(in[r] != 0)));
  EXPECT_PADDED(model::exclusive_scan(N, x, sum, all).value, tessera::exclusive_scan(tile, x[r], written));
  EXPECT_PADDED(model::inclusive_scan(N, f, affines, all).value,
                tessera::inclusive_scan(tile, f[r], composed));
  if (N > 32)
    EXPECT_PADDED(model::inclusive_scan(N, f, affines, all).total,
                  tessera::inclusive_scan(tile, f[r], composed, tessera::with_total).total);
  EXPECT_PADDED(model::exclusive_scan(N, x, sum, model::where(in)).value,
                tessera::exclusive_scan(tile, x[r], written, tessera::where(in[r] != 0)));
  EXPECT_PADDED(model::inclusive_scan(N, x, sum, suffix(all)).value,
                tessera::inclusive_scan(tile, x[r], written, tessera::suffix));
  EXPECT_PADDED(model::exclusive_scan(N, k, sum, all).value, tessera::exclusive_scan(tile, k[r], written));
  EXPECT_PADDED(model::inclusive_scan(N, f, affines, suffix(all)).value,
                tessera::inclusive_scan(tile, f[r], composed, tessera::suffix));
  EXPECT_PADDED(model::exclusive_scan(N, f, affines, affine{3, 1}, all).value,
                tessera::exclusive_scan(tile, f[r], composed, affine{3, 1}));
  EXPECT_PADDED(model::inclusive_scan(N, f, algebra_for<affine>(compose{}), all).value,
                tessera::inclusive_scan(tile, f[r], compose{}));
  EXPECT_PADDED(model::ballot(N, in, all), tessera::ballot(tile, in[r] != 0));
  EXPECT_PADDED(model::all_of(N, in, model::where(in)),
                tessera::all_of(tile, in[r] != 0, tessera::where(in[r] != 0)));
  EXPECT_PADDED(model::count_if(N, in, all), tessera::count_if(tile, in[r] != 0));
  EXPECT_PADDED(model::broadcast(N, x, threads / 2), tessera::broadcast(tile, x[r], threads / 2));
  EXPECT_PADDED(model::elect(N, model::where(in)), tessera::elect(tile, tessera::where(in[r] != 0)));
  vector<trace> const kept = model::compact(N, x, in, all);
  vector<trace> out(threads);
  EXPECT_PADDED(model::lanes<unsigned>(threads, static_cast<unsigned>(kept.size())),
                tessera::compact(tile, x[r], in[r] != 0, out.data()));
  out.resize(kept.size());
  EXPECT_EQ(out, kept);
}
TEST(AgreePadded, Warp) {
  check_padded<32>(20);
}
TEST(AgreePadded, Two) {
  check_padded<64>(44);
}
TEST(AgreePadded, Four) {
  check_padded<128>(90);
}
TEST(AgreePadded, Eight) {
  check_padded<256>(180);
}
TEST(AgreePadded, Whole) {
  check_padded<256>(256);
}
TEST(AgreePadded, Large) {
  check_padded<1024>(700);
}

template <unsigned N>
void check_scratch(unsigned threads) {
  SCOPED_TRACE(std::to_string(threads) + " of " + std::to_string(N));
  how const all = with_scratch(everyone(threads));
  auto const x = samples<trace>(threads);
  auto const f = affine_samples(threads);
  auto const k = item_samples<trace, 3>(threads);
  auto const sum = algebra_for<trace>(written);
  auto const affines = algebra_for<affine>(composed);
  auto const on_tile = [&](auto call) {
    return tessera::host::launch_block(threads, [&](tessera::host::block const& block) {
      tessera::host::scratch<affine, N> scratch(block);
      auto const tile = tessera::padded_block_tile<N>(block);
      return call(tile, tile.thread_rank(), tessera::shared(scratch));
    });
  };
#define EXPECT_SHARED(expected, ...)                                                                       \
  expect_agreement(                                                                                        \
      expected, on_tile([&](auto tile, [[maybe_unused]] unsigned r, auto policy) { return __VA_ARGS__; }), \
      #__VA_ARGS__, N)
  EXPECT_SHARED(model::reduce(N, x, sum, all), tessera::reduce(tile, x[r], written, policy));
  EXPECT_SHARED(model::reduce(N, k, sum, all), tessera::reduce(tile, k[r], written, policy));
  EXPECT_SHARED(model::exclusive_scan(N, x, sum, all).value,
                tessera::exclusive_scan(tile, x[r], written, policy));
  EXPECT_SHARED(model::exclusive_scan(N, x, sum, suffix(all)).value,
                tessera::exclusive_scan(tile, x[r], written, policy | tessera::suffix));
  EXPECT_SHARED(model::exclusive_scan(N, k, sum, all).value,
                tessera::exclusive_scan(tile, k[r], written, policy));
  EXPECT_SHARED(model::inclusive_scan(N, f, affines, all).value,
                tessera::inclusive_scan(tile, f[r], composed, policy));
  EXPECT_SHARED(
      model::inclusive_scan(N, f, affines, suffix(all)).total,
      tessera::inclusive_scan(tile, f[r], composed, policy | tessera::suffix | tessera::with_total).total);
  if (threads < N) return;
  EXPECT_SHARED(model::inclusive_scan(N, x, sum, all).value,
                tessera::inclusive_scan(tile, x[r], written, policy));
  EXPECT_SHARED(model::inclusive_scan(N, x, sum, all).total,
                tessera::inclusive_scan(tile, x[r], written, policy | tessera::with_total).total);
  EXPECT_SHARED(model::inclusive_scan(N, k, sum, all).value,
                tessera::inclusive_scan(tile, k[r], written, policy));
}
TEST(AgreeScratch, Two) {
  check_scratch<64>(64);
}
TEST(AgreeScratch, Four) {
  check_scratch<128>(128);
}
TEST(AgreeScratch, Eight) {
  check_scratch<256>(256);
}
TEST(AgreeScratch, Sixteen) {
  check_scratch<512>(512);
}
TEST(AgreeScratch, All) {
  check_scratch<1024>(1024);
}
TEST(AgreeScratch, FourPadded) {
  check_scratch<128>(90);
}
TEST(AgreeScratch, EightPadded) {
  check_scratch<256>(180);
}

}  // namespace
