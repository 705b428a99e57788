// Compares the model with the library on host tiles: a simple call of each collective on 1, 8, 32, 64 and
// 256 lanes; where there is no GPU, on 1, 8 and 64, since the oracle's programs have every size.
#include "agree.hpp"

namespace {

using namespace oracle::test;
namespace model = oracle::model;

template <unsigned... N>
using types_of = testing::Types<std::integral_constant<unsigned, N>...>;
#ifdef TESSERA_TEST_MOST_SIZES
using sizes = types_of<1, 8, 64>;
#else
using sizes = types_of<1, 8, 32, 64, 256>;
#endif
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
  EXPECT_MODEL(model::reduce(N, f, algebra_for<affine>(compose{}), all), tessera::reduce(tile, f[r], compose{}));
  vector<bool> const b = [&] {
    vector<bool> out;
    for (char c : in) out.push_back(c != 0);
    return out;
  }();
  EXPECT_MODEL(model::reduce(N, b, algebra_for<bool>(tessera::plus{}), all), tessera::reduce(tile, bool(b[r])));
}

TYPED_TEST(Agree, ReduceBatch) {
  constexpr unsigned N = TypeParam::value;
  how const all = everyone(N);
  auto const in = some(N);
  auto const x = item_samples<float, 5>(N);
  auto const sum = algebra_for<float>(tessera::plus{});
  EXPECT_MODEL(model::reduce_batch(N, x, sum, all), tessera::reduce_batch(tile, x[r]));
  EXPECT_MODEL(model::reduce_batch(N, x, sum, scattered(model::where(in))),
               tessera::reduce_batch(tile, x[r], tessera::plus{}, tessera::scattered | tessera::where(in[r] != 0)));
  EXPECT_MODEL(model::reduce_batch(N, x, sum, to_leader(all)),
               tessera::reduce_batch(tile, x[r], tessera::plus{}, tessera::to_leader));
}

/// Scans of each kind: plain, with an initial value, and with totals.
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
      x, op, init, suffix(model::where(in)), [&](unsigned r) { return tessera::suffix | tessera::where(in[r] != 0); },
      "suffix where");
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

/// Flags of the heads or tails of segments. One in `how_rare` flags is set on average.
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
    EXPECT_MODEL(model::segmented_inclusive_scan(N, x, heads, a, all).total,
                 tessera::segmented_inclusive_scan(tile, x[r], flags[r] != 0, composed, tessera::with_total).total);
    EXPECT_MODEL(model::segmented_exclusive_scan(N, x, tails, a, model::where(in)).value,
                 tessera::segmented_exclusive_scan(tile, x[r], tessera::by_tail(flags[r] != 0), composed,
                                                   tessera::where(in[r] != 0)));
    EXPECT_MODEL(model::segmented_inclusive_scan(N, x, runs, a, suffix(all)).value,
                 tessera::segmented_inclusive_scan(tile, x[r], tessera::by_key(flags[r]), composed, tessera::suffix));
    EXPECT_MODEL(model::segmented_exclusive_scan(N, x, runs, a, suffix(model::where(in))).total,
                 tessera::segmented_exclusive_scan(tile, x[r], tessera::by_key(flags[r]), composed,
                                                   tessera::suffix | tessera::with_total | tessera::where(in[r] != 0))
                     .total);
  }
}
TYPED_TEST(Agree, SegmentsOfAWarpShowTheirOrder) {
  constexpr unsigned N = TypeParam::value;
  if (N > 32) return;  // the order is unspecified above 32 lanes
  auto const x = samples<trace>(N);
  for (unsigned how_rare : {2u, 5u, 40u}) {
    auto const flags = some_flags(N, how_rare);
    EXPECT_MODEL(model::segmented_reduce(N, x, model::by_head(flags), algebra_for<trace>(written), everyone(N)),
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
    EXPECT_MODEL(model::shift_down(N, x, delta, own_fill), tessera::shift_down(tile, x[r], delta, own_fill[r]));
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
    EXPECT_MODEL(model::ballot(N, pred, who), tessera::ballot(tile, pred[r] != 0, tessera::where(who.in[r] != 0)));
    EXPECT_MODEL(model::any_of(N, pred, who), tessera::any_of(tile, pred[r] != 0, tessera::where(who.in[r] != 0)));
    EXPECT_MODEL(model::all_of(N, pred, who), tessera::all_of(tile, pred[r] != 0, tessera::where(who.in[r] != 0)));
    EXPECT_MODEL(model::none_of(N, pred, who), tessera::none_of(tile, pred[r] != 0, tessera::where(who.in[r] != 0)));
    EXPECT_MODEL(model::count_if(N, pred, who), tessera::count_if(tile, pred[r] != 0, tessera::where(who.in[r] != 0)));
    EXPECT_MODEL(model::elect(N, who), tessera::elect(tile, tessera::where(who.in[r] != 0)));
  }
  EXPECT_MODEL(model::ballot(N, pred, to_leader(everyone(N))), tessera::ballot(tile, pred[r] != 0, tessera::to_leader));
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
    EXPECT_MODEL(model::match_all(N, keys, who), tessera::match_all(tile, keys[r], tessera::where(who.in[r] != 0)));

  auto const x = samples<trace>(N);
  auto const a = algebra_for<trace>(written);
  EXPECT_MODEL(model::reduce_by_label(N, keys, x, a, everyone(N)),
               tessera::reduce_by_label(tile, keys[r], x[r], written));
  EXPECT_MODEL(model::reduce_by_label(N, keys, x, a, model::where(in)),
               tessera::reduce_by_label(tile, keys[r], x[r], written, tessera::where(in[r] != 0)));
  EXPECT_MODEL(model::reduce_by_label(N, keys, x, a, to_leader(model::where(in))),
               tessera::reduce_by_label(tile, keys[r], x[r], written, tessera::to_leader | tessera::where(in[r] != 0)));
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

/// A range of n elements, which begins `offset` elements after a multiple of 16 bytes.
template <class T>
struct range_in_memory {
  range_in_memory(unsigned elements, unsigned offset)
      : values(samples<T>(elements)), storage(elements + offset + 16), count(static_cast<int>(elements)) {
    auto const address = [&] { return reinterpret_cast<std::uintptr_t>(first); };
    first = storage.data();
    while (address() % 16 != 0) ++first;
    first += offset;
    for (unsigned i = 0; i < elements; ++i) first[i] = values[i];
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
  auto const as_trace = [](T x, auto) { return static_cast<trace>(x) * 2 + 1; };
  EXPECT_MODEL(model::joint_transform_reduce(N, m.values, m.address_modulo_16, algebra_for<trace>(written_either_way),
                                             as_trace, all),
               tessera::joint_transform_reduce(tile, m.first, m.count, written_either_way, as_trace));
  auto const as_affine = [](T x, auto i) {
    return affine{static_cast<std::uint32_t>(x) | 1, static_cast<std::uint32_t>(i)};
  };
  EXPECT_MODEL(model::joint_transform_reduce(N, m.values, m.address_modulo_16, algebra_for<affine>(composed), as_affine,
                                             to_leader(all)),
               tessera::joint_transform_reduce(tile, m.first, m.count, composed, as_affine, tessera::to_leader));
  EXPECT_MODEL(
      model::joint_reduce(N, m.values, m.address_modulo_16, algebra_for<decltype(T{} + T{})>(tessera::plus{}), all),
      tessera::joint_reduce(tile, m.first, m.count));
  auto const rare = [](T x, auto i) { return i > 3 && static_cast<int>(x) % 50 == 0; };
  EXPECT_MODEL(model::joint_any_of(N, m.values, rare, all), tessera::joint_any_of(tile, m.first, m.count, rare));
  EXPECT_MODEL(model::joint_none_of(N, m.values, rare, all), tessera::joint_none_of(tile, m.first, m.count, rare));
  auto const often = [](T x, auto i) { return i < 3 || static_cast<int>(x) % 50 != 0; };
  EXPECT_MODEL(model::joint_all_of(N, m.values, often, all), tessera::joint_all_of(tile, m.first, m.count, often));
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
    auto const totals = tessera::host::launch_block(
        N, [&](tessera::host::block const& block) { return call(tessera::tiled_partition<N>(block), out.data()); });
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

/// Ranges of elements whose size doesn't divide 16, or which are never at a multiple of 16 bytes.
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
    auto const as_trace = [](T const& e, auto) { return static_cast<trace>(e.text[0]) * 2 + 1; };
    EXPECT_MODEL(
        model::joint_transform_reduce(N, x, address, algebra_for<trace>(written_either_way), as_trace, everyone(N)),
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

}  // namespace
