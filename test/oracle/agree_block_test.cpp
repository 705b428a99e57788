// Compares the model with the library on host tiles that are the block, padded or with a scratch.
#include "agree.hpp"

namespace {

using namespace oracle::test;
namespace model = oracle::model;

/// A tile of N in a block with fewer threads.
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
  EXPECT_PADDED(model::reduce(N, f, algebra_for<affine>(compose{}), all), tessera::reduce(tile, f[r], compose{}));
  EXPECT_PADDED(model::reduce(N, k, sum, model::where(in)),
                tessera::reduce(tile, k[r], written, tessera::where(in[r] != 0)));
  EXPECT_PADDED(model::exclusive_scan(N, x, sum, all).value, tessera::exclusive_scan(tile, x[r], written));
  EXPECT_PADDED(model::inclusive_scan(N, f, affines, all).value, tessera::inclusive_scan(tile, f[r], composed));
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
  EXPECT_PADDED(model::all_of(N, in, model::where(in)), tessera::all_of(tile, in[r] != 0, tessera::where(in[r] != 0)));
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
  how const all = everyone(threads);
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
#define EXPECT_SHARED(expected, ...)                                                                          \
  expect_agreement(expected,                                                                                  \
                   on_tile([&](auto tile, [[maybe_unused]] unsigned r, auto policy) { return __VA_ARGS__; }), \
                   #__VA_ARGS__, N)
  EXPECT_SHARED(model::reduce(N, x, sum, all), tessera::reduce(tile, x[r], written, policy));
  EXPECT_SHARED(model::reduce(N, k, sum, all), tessera::reduce(tile, k[r], written, policy));
  EXPECT_SHARED(model::exclusive_scan(N, x, sum, all).value, tessera::exclusive_scan(tile, x[r], written, policy));
  EXPECT_SHARED(model::exclusive_scan(N, x, sum, suffix(all)).value,
                tessera::exclusive_scan(tile, x[r], written, policy | tessera::suffix));
  EXPECT_SHARED(model::exclusive_scan(N, k, sum, all).value, tessera::exclusive_scan(tile, k[r], written, policy));
  EXPECT_SHARED(model::inclusive_scan(N, f, affines, all).value, tessera::inclusive_scan(tile, f[r], composed, policy));
  EXPECT_SHARED(model::inclusive_scan(N, f, affines, suffix(all)).total,
                tessera::inclusive_scan(tile, f[r], composed, policy | tessera::suffix | tessera::with_total).total);
  if (threads < N) return;
  EXPECT_SHARED(model::inclusive_scan(N, x, sum, all).value, tessera::inclusive_scan(tile, x[r], written, policy));
  EXPECT_SHARED(model::inclusive_scan(N, x, sum, all).total,
                tessera::inclusive_scan(tile, x[r], written, policy | tessera::with_total).total);
  EXPECT_SHARED(model::inclusive_scan(N, k, sum, all).value, tessera::inclusive_scan(tile, k[r], written, policy));
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
