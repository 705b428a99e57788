// Measures the time of a collective on host tiles, per lane. It bounds the duration of tests.
#include <tessera/host/launch.hpp>
#include <tessera/reduce.hpp>
#include <tessera/vote.hpp>

#include <benchmark/benchmark.h>

namespace {

constexpr unsigned calls = 100;  // collectives in one launch

/// Launches one tile whose lanes call `calls` collectives. An item is one collective of one lane.
template <unsigned N, class Collective>
void run(benchmark::State& state, Collective collective) {
  for (auto _ : state) {
    auto const out = tessera::host::launch_tile<N>([&](auto tile) {
      unsigned x = tile.thread_rank();
      for (unsigned i = 0; i < calls; ++i) x += collective(tile, x);
      return x;
    });
    benchmark::DoNotOptimize(out.data());
  }
  state.counters["lane"] = benchmark::Counter(
      static_cast<double>(N * calls), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

template <unsigned N>
void ballot(benchmark::State& state) {
  run<N>(state, [](auto const& tile, unsigned x) { return tessera::count_if(tile, x % 2 == 0); });
}
template <unsigned N>
void reduce(benchmark::State& state) {
  run<N>(state, [](auto const& tile, unsigned x) { return tessera::reduce(tile, x); });
}
template <unsigned N>
void empty_launch(benchmark::State& state) {
  for (auto _ : state) {
    auto const out = tessera::host::launch_tile<N>([](auto tile) { return tile.thread_rank(); });
    benchmark::DoNotOptimize(out.data());
  }
}

BENCHMARK(ballot<2>);
BENCHMARK(ballot<8>);
BENCHMARK(ballot<32>);
BENCHMARK(ballot<1024>);
BENCHMARK(reduce<2>);
BENCHMARK(reduce<8>);
BENCHMARK(reduce<32>);
BENCHMARK(reduce<1024>);
BENCHMARK(empty_launch<32>);
BENCHMARK(empty_launch<1024>);

}  // namespace

BENCHMARK_MAIN();
