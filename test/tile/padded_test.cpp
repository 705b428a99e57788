// Scans of padded block tiles in blocks of any size: the last warp has one lane, lanes don't exist, and the
// last round of a joint scan fills one lane of a warp.
#include <tessera/block_tile.hpp>
#include <tessera/joint_scan.hpp>
#include <tessera/scan.hpp>

#if !TESSERA_CUDA
#include <tessera/host/launch.hpp>
#endif

#include "backend.hpp"

namespace {

using namespace test;

struct Padded : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

/// The map x -> a * x + b modulo 2^32. Composition is associative and doesn't commute.
struct affine {
  unsigned a, b;
};
struct compose {
  TESSERA_FN affine operator()(affine f, affine g) const { return {f.a * g.a, f.b * g.a + g.b}; }
};
TESSERA_FN constexpr affine identity() {
  return {1, 0};
}
TESSERA_FN affine value_of(unsigned rank, unsigned item = 0) {
  return {2 * rank + 3 + 4 * item, 7 * rank + item + 1};
}
TESSERA_FN bool same_map(affine f, affine g) {
  return f.a == g.a && f.b == g.b;
}
TESSERA_FN bool takes_part(unsigned rank) {
  return rank % 3 != 1;
}

/// Combines the values of those lanes from `from` to `to` − 1 that participate, in rank order.
TESSERA_FN affine expected(unsigned from, unsigned to, bool some) {
  affine all = identity();
  for (unsigned r = from; r < to; ++r)
    if (!some || takes_part(r)) all = compose{}(all, value_of(r));
  return all;
}
template <unsigned K>
TESSERA_FN affine expected_items(unsigned from,
                                 unsigned to) {  // combines items `from` to `to` − 1 in blocked order
  affine all = identity();
  for (unsigned i = from; i < to; ++i) all = compose{}(all, value_of(i / K, i % K));
  return all;
}

template <unsigned N>
struct scans_of_structs {
  unsigned threads;

  template <class Block>
  TESSERA_FN unsigned operator()(Block const& block) const {
    using tessera::exclusive_scan, tessera::inclusive_scan, tessera::with_total, tessera::suffix;
    auto const tile = tessera::padded_block_tile<N>(block);
    auto const op = tessera::make_operator(compose{}, identity());
    unsigned const rank = tile.thread_rank();
    affine const x = value_of(rank), start{5, 11};
    unsigned wrong = 0, bit = 0;
    auto const expect = [&](bool good) { wrong |= unsigned{!good} << bit++; };
    expect(same_map(exclusive_scan(tile, x, op), expected(0, rank, false)));
    expect(same_map(inclusive_scan(tile, x, op), expected(0, rank + 1, false)));
    expect(same_map(exclusive_scan(tile, x, op, start), compose{}(start, expected(0, rank, false))));
    expect(same_map(exclusive_scan(tile, x, op, tessera::where(takes_part(rank))), expected(0, rank, true)));
    auto const both = exclusive_scan(tile, x, op, with_total);
    expect(same_map(both.value, expected(0, rank, false)) && same_map(both.total, expected(0, threads, false)));
    auto const back = exclusive_scan(tile, x, op, suffix | with_total);
    expect(same_map(back.value, expected(rank + 1, threads, false)) &&
           same_map(back.total, expected(0, threads, false)));
    expect(same_map(inclusive_scan(tile, x, op, suffix), expected(rank, threads, false)));

    tessera::items<affine, 2> const items{value_of(rank, 0), value_of(rank, 1)};
    auto const in = inclusive_scan(tile, items, op);
    expect(same_map(in[0], expected_items<2>(0, 2 * rank + 1)) && same_map(in[1], expected_items<2>(0, 2 * rank + 2)));
    auto const ex = exclusive_scan(tile, items, op, start);
    expect(same_map(ex[0], compose{}(start, expected_items<2>(0, 2 * rank))) &&
           same_map(ex[1], compose{}(start, expected_items<2>(0, 2 * rank + 1))));
    return wrong;
  }
};

/// Scans of bools: a lane that doesn't exist must not count as false.
TESSERA_FN bool truth_of(unsigned rank, unsigned sparse) {
  return sparse == 0 || rank % sparse != sparse - 1;
}
struct exclusive_or {
  TESSERA_FN bool operator()(bool a, bool b) const { return a != b; }
};
struct both {
  TESSERA_FN bool operator()(bool a, bool b) const { return a && b; }
};

template <unsigned N, class Op, class Reference>
struct scans_of_bools {
  unsigned threads;
  unsigned sparse;
  bool neutral;

  TESSERA_FN bool fold(unsigned from, unsigned to) const {
    bool all = neutral;
    for (unsigned r = from; r < to; ++r) all = Reference{}(all, truth_of(r, sparse));
    return all;
  }
  template <class Block>
  TESSERA_FN unsigned operator()(Block const& block) const {
    using tessera::exclusive_scan, tessera::inclusive_scan, tessera::with_total, tessera::suffix;
    auto const tile = tessera::padded_block_tile<N>(block);
    unsigned const rank = tile.thread_rank(), some = threads / 2 + 1;
    bool const x = truth_of(rank, sparse);
    unsigned wrong = 0, bit = 0;
    auto const expect = [&](bool good) { wrong |= unsigned{!good} << bit++; };
    expect(inclusive_scan(tile, x, Op{}) == fold(0, rank + 1));
    expect(inclusive_scan(tile, x, Op{}, suffix) == fold(rank, threads));
    auto const total = exclusive_scan(tile, x, Op{}, with_total);
    expect(total.value == fold(0, rank) && total.total == fold(0, threads));
    auto const back = exclusive_scan(tile, x, Op{}, suffix | with_total);
    expect(back.value == fold(rank + 1, threads) && back.total == fold(0, threads));
    auto const first = inclusive_scan(tile, x, Op{}, suffix | with_total | tessera::first(some));
    expect(first.value == fold(rank, some > rank ? some : rank) && first.total == fold(0, some));
    auto const items = inclusive_scan(tile, tessera::items<bool, 1>{x}, Op{}, with_total);
    expect(items.value[0] == fold(0, rank + 1) && items.total == fold(0, threads));
    auto const shuffled = inclusive_scan(tile, x, Op{}, suffix | with_total | tessera::shuffles);
    expect(shuffled.value == fold(rank, threads) && shuffled.total == fold(0, threads));
    auto const items_back = exclusive_scan(tile, tessera::items<bool, 1>{x}, Op{}, suffix | with_total);
    expect(items_back.value[0] == fold(rank + 1, threads) && items_back.total == fold(0, threads));
    return wrong;
  }
};

template <class Kernel>
void expect_none_wrong(unsigned threads, unsigned N, Kernel const& kernel) {
  auto const wrong = backend::run_block<unsigned>(threads, kernel);
  for (unsigned thread = 0; thread < threads; ++thread)
    ASSERT_EQ(wrong[thread], 0u) << "block of " << threads << " in a tile of " << N << ", thread " << thread
                                 << ": a bit for each call that is wrong";
}

/// The last warp has one lane, two, all but one, or all. The number of warps may be above a power of two.
template <unsigned N, class F>
void for_each_block_size(F f) {
  for (unsigned const threads : {1u,   2u,   31u,  32u,  33u,  34u,  40u,  63u,  64u,  65u,  66u,  96u,   97u,
                                 128u, 129u, 161u, 225u, 256u, 257u, 321u, 512u, 513u, 801u, 993u, 1023u, 1024u})
    if (threads <= N) f(threads);
}

template <unsigned N>
void check_padded_structs() {
  for_each_block_size<N>([](unsigned threads) { expect_none_wrong(threads, N, scans_of_structs<N>{threads}); });
}
TEST_F(Padded, ScansInBlocksOfAnySize) {
  for_each_size(some_large_sizes{}, [](auto n) { check_padded_structs<n>(); });
  check_padded_structs<128>();
}

template <unsigned N, class Op, class Reference>
void check_bools(bool neutral) {
  for_each_block_size<N>([&](unsigned threads) {
    for (unsigned const sparse : {0u, 5u, 33u})
      expect_none_wrong(threads, N, scans_of_bools<N, Op, Reference>{threads, sparse, neutral});
  });
}
TEST_F(Padded, LanesThatDoNotExistDoNotVote) {
  check_bools<256, tessera::logical_and, both>(true);
  check_bools<256, tessera::bit_xor, exclusive_or>(false);
  check_bools<64, tessera::minimum, both>(true);
}

/// The tile's lanes store the number of wrong results of a joint scan of n elements.
template <unsigned N, class T>
struct joint_scan_of {
  T const* in;
  T* out;
  unsigned n;

  template <class Block>
  TESSERA_FN unsigned operator()(Block const& block) const {
    auto const tile = tessera::tiled_partition<N>(block);
    tessera::joint_exclusive_scan(tile, in, n, out, tessera::plus{}, T{1});
    tile.sync();
    unsigned wrong = 0;
    T sum = T{1};
    for (unsigned i = 0; i < n; ++i) {
      wrong += out[i] != sum;
      sum = tessera::plus{}(sum, in[i]);
    }
    return wrong;
  }
};
template <unsigned N, class T>
void check_joint() {
  for (unsigned n = 1; n < 20 * N; n += n % 11 == 0 ? 7 : 1) {
    std::vector<T> in(n);
    for (unsigned i = 0; i < n; ++i) in[i] = static_cast<T>(i % 50);
    typename backend::template array<T> from(in), to(in);
    auto const wrong = backend::run_block<unsigned>(N, joint_scan_of<N, T>{from.data(), to.data(), n});
    for (unsigned thread = 0; thread < N; ++thread) ASSERT_EQ(wrong[thread], 0u) << n << " elements by a tile of " << N;
  }
}
TEST_F(Padded, JointScansWhoseLastRoundFillsOneLaneOfAWarp) {
  check_joint<64, double>();
  check_joint<64, unsigned char>();
}

}  // namespace
