// Scans of tiles of several warps with the caller's scratch.
#include <tessera/core/scratch.hpp>
#include <tessera/group/tuning.hpp>

#include "scan_cases.hpp"

#if !TESSERA_CUDA
#include <tessera/host/scratch.hpp>
#endif

namespace {

using namespace test;
using tessera::items;
using tessera::suffix;
using tessera::with_total;

template <unsigned N>
inline constexpr unsigned threads_of = N < 512 ? 512 : N;

/// The results of all lanes of a block that is divided into tiles.
template <unsigned N, scan_call Call, class X, class Op, class Policy, class R>
struct through_scratch {
  Op op;
  Policy policy;
  R init;
  who participants;
  lane_input<X> const* in;

  template <class Block>
  TESSERA_FN auto operator()(Block const& block) const {
    constexpr unsigned threads = threads_of<N>;
#if TESSERA_ARCH
    __shared__ tessera::scratch<R, threads> scratch;
#elif TESSERA_CUDA  // nvcc's host pass compiles the kernel, but never runs it
    tessera::scratch<R, threads> scratch;
#else
    tessera::host::scratch<R, threads> scratch(block);
#endif
    auto const memory = policy | tessera::shared(scratch);
    scan_kernel<Call, Op, decltype(memory), R> const kernel{op, memory, init, participants};
    auto const tile = tessera::tiled_partition<N>(block);
    auto const first = kernel(tile, in[block.thread_rank()]);
    auto const again = kernel(tile, in[block.thread_rank()]);  // while other lanes still read the first call's results
    return tessera::detail::same_bits(first, again) ? first : decltype(first){};
  }
};

template <unsigned N, scan_call Call, class X, class Op, class Policy>
void check_size(Op op, Policy policy, X (*sample_one)(random_engine&), bool associative) {
  using T = tessera::detail::item_t<X>;
  using R = tessera::detail::result_t<Op, T>;
  using output = scan_output<scan_result_t<Op, X>, R>;
  constexpr bool backwards = std::is_same_v<typename Policy::direction, tessera::choice::suffix>;
  constexpr bool total = std::is_same_v<typename Policy::extra, tessera::choice::with_total>;
  constexpr bool has_identity = tessera::operator_traits<Op, T>::has_identity;
  for (who participants : {who::everyone, who::first, who::where}) {
    if (testing::Test::HasFailure() || (!has_identity && participants != who::everyone)) return;
    unsigned const seed = 1000 * N + 10 * static_cast<unsigned>(Call) + static_cast<unsigned>(participants);
    random_engine random(seed);
    auto lanes = make_lanes<X>(N, random, sample_one);
    while (lanes.size() < threads_of<N>) {
      auto const more = make_lanes<X>(N, random, sample_one);
      lanes.insert(lanes.end(), more.begin(), more.end());
    }
    lanes.resize(threads_of<N>);
    R const init = static_cast<R>(scan_shape<X>::item(sample_one(random), 0));
    backend::array<lane_input<X>> in(lanes);
    auto const out = backend::run_block<output>(
        threads_of<N>, through_scratch<N, Call, X, Op, Policy, R>{op, policy, init, participants, in.data()});
    check_scan_results<X, R>({{N, seed, participants, false}, Call, backwards, total}, lanes, init, out, op,
                             associative);
  }
}
template <scan_call Call, class X, unsigned... N, class Op, class Policy = tessera::policy<>>
void check(Op op, Policy policy = {}, X (*sample_one)(random_engine&) = sample<X>, bool associative = true) {
  for_each_size(sizes<N...>{},
                [&](auto n) { check_size<decltype(n)::value, Call>(op, policy, sample_one, associative); });
}
constexpr auto inclusive = scan_call::inclusive, exclusive = scan_call::exclusive,
               exclusive_with_init = scan_call::exclusive_with_init;

struct ScanScratch : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

TEST_F(ScanScratch, SumsOfFloats) {
  check<inclusive, float, 64, 128, 256, 512, 1024>(tessera::plus{}, tessera::policy<>{}, sample<float>, false);
  check<exclusive, float, 64, 256>(tessera::plus{}, suffix | with_total, sample_special<float>, false);
}
TEST_F(ScanScratch, SumsOfDoublesWithNan) {
  check<exclusive_with_init, double, 128, 512>(tessera::plus{}, tessera::policy<>{} | with_total,
                                               sample_special<double>, false);
}
TEST_F(ScanScratch, BytesAndCounts) {
  check<inclusive, unsigned char, 512>(tessera::maximum{}, tessera::policy<>{} | with_total);
  check<exclusive, bool, 128>(tessera::plus{}, tessera::policy<>{});
}
TEST_F(ScanScratch, StringsOfDigits) {
  auto const append = tessera::make_operator(digit_concatenation{}, digits{0, 1});
  check<exclusive, digits, 64, 256>(append, tessera::policy<>{} | with_total);
  check<inclusive, digits, 128>(append, suffix | with_total);
}
TEST_F(ScanScratch, MatricesWithoutIdentity) {
  check<exclusive_with_init, matrix, 128>(matrix_product{}, tessera::policy<>{} | suffix);
}

items<float, 3> three_floats(random_engine& random) {
  items<float, 3> out;
  for (float& item : out) item = sample<float>(random);
  return out;
}
TEST_F(ScanScratch, SeveralItems) {
  check<inclusive, items<float, 3>, 128, 512>(tessera::plus{}, tessera::policy<>{} | with_total, three_floats, false);
}

}  // namespace
