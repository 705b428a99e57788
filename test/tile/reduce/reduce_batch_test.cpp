// reduce_batch on numbers.
#include "reduce_batch_cases.hpp"

namespace {

using namespace test;
using tessera::converged;
using tessera::items;

struct ReduceBatch : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

TEST_F(ReduceBatch, SumsOfFloats) {
  check_batches<float, 10>(tessera::plus{}, converged);
}
TEST_F(ReduceBatch, SumsOfIntegers) {
  check_batches<int, 3>(tessera::plus{}, converged);
}
TEST_F(ReduceBatch, SumsOfShortsByShuffles) {
  check_batches<short, 2>(tessera::plus{}, converged | tessera::shuffles);
}
TEST_F(ReduceBatch, Adaptive) {
  check_shape<float, 8, 5>(tessera::plus{}, tessera::adaptive, sample<float>);
}
TEST_F(ReduceBatch, MinimaOfBytes) {
  check_batches<unsigned char, 4>(tessera::minimum{}, converged);
}

/// A sum of bools is a number.
template <class Policy>
struct count_kernel {
  Policy policy;

  template <class Tile>
  TESSERA_FN items<unsigned, 4> operator()(Tile const& tile, batch_input<bool, 3> in) const {
    auto const all = tessera::reduce_batch(tile, in.x, tessera::plus{}, policy | tessera::first(in.n));
    auto const own = tessera::reduce_batch(tile, in.x, tessera::plus{}, policy | tessera::scattered);
    static_assert(std::is_same_v<decltype(own), unsigned const>);
    return {all[0], all[1], all[2], own};
  }
};

template <unsigned N, class Policy = tessera::policy<>>
void check_counts(Policy policy = {}) {
  random_engine random(N);
  auto const in = make_batches<bool, 3>(N, random, sample<bool>);
  auto const out = backend::run<N, items<unsigned, 4>>(in, count_kernel<Policy>{policy});
  for (unsigned lane = 0; lane < in.size(); ++lane) {
    unsigned const rank = lane % N, base = lane - rank;
    items<unsigned, 3> first{}, all{};
    for (unsigned other = 0; other < N; ++other) {
      for (unsigned i = 0; i < 3; ++i) {
        first[i] += other < in[base].n && in[base + other].x[i] ? 1 : 0;
        all[i] += in[base + other].x[i] ? 1 : 0;
      }
    }
    for (unsigned i = 0; i < 3; ++i)
      ASSERT_EQ(out[lane][i], first[i]) << "N " << N << ", rank " << rank << ", item " << i;
    if (rank < 3) {
      ASSERT_EQ(out[lane][3], all[rank]) << "N " << N << ", rank " << rank;
    }
  }
}

TEST_F(ReduceBatch, SumsOfBoolsAreCounts) {
  check_counts<4>();
  check_counts<32>();
  check_counts<32>(tessera::shuffles);
}

}  // namespace
