// Compares the model with the library on host tiles: a simple call of each collective on 1, 8, 32, 64 and
// 256 lanes; where there is no GPU, on 1, 8 and 64, since the oracle's programs have every size.
#include "agree.hpp"

namespace {

using namespace oracle::test;
namespace model = oracle::model;

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

}  // namespace
