// The paid orders, the largest first, and how many of them make up half of all that was paid: one CUDA graph.
//
// How many orders are paid is known on the GPU alone. Each call that follows takes its number from there
// (count_on_device), so that the CPU neither waits nor launches anything between select and find_if. The same graph
// serves the next day, of which another part is paid, and takes as long as that needs. In your own .cu file, predicates
// and functions may be lambdas.
#include <tessera/grid/reduce.cuh>
#include <tessera/grid/scan.cuh>
#include <tessera/grid/search.cuh>
#include <tessera/grid/select.cuh>
#include <tessera/grid/sort.cuh>

#include <algorithm>
#include <cstdint>
#include <functional>

#include "gpu.hpp"

namespace grid = tessera::grid;

/// Prices are positive, and what isn't paid is 0.
struct is_paid {
  TESSERA_FN bool operator()(unsigned price) const { return price > 0; }
};
/// The sum so far is half of the total, which is on the GPU, or more.
struct is_half {
  unsigned const* total;
  TESSERA_FN bool operator()(unsigned sum) const { return sum >= *total - *total / 2; }
};

int main() {
  if (!ladder::choose_gpu()) return ladder::needs_gpu;
  constexpr std::int64_t n = 1'000'003;
  ladder::gpu_array<unsigned> const orders(n), paid(n), sums(n), total(1);
  ladder::gpu_array<std::int64_t> const count(1), halfway(1);
  grid::workspace memory;  // one for all calls, since they are in one stream's order
  cudaStream_t stream = nullptr;
  ladder::check(cudaStreamCreate(&stream));

  auto const enqueue = [&] {
    grid::execution const on{stream, memory};
    ladder::check(grid::select(orders.data(), n, paid.data(), count.data(), is_paid{}, on));
    auto const some = grid::count_on_device(count.data(), n);  // at most n
    ladder::check(grid::sort(paid.data(), some, paid.data(), tessera::greater{}, on));
    ladder::check(grid::inclusive_scan(paid.data(), some, sums.data(), tessera::plus{}, on));
    ladder::check(grid::reduce(paid.data(), some, total.data(), tessera::plus{}, on));
    ladder::check(grid::find_if(sums.data(), some, is_half{total.data()}, halfway.data(), on));
  };
  ladder::check(cudaMemset(orders.data(), 0, n * sizeof(unsigned)));
  enqueue();  // allocates what the graph needs
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t day = nullptr;
  ladder::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  enqueue();
  ladder::check(cudaStreamEndCapture(stream, &graph));
  ladder::check(cudaGraphInstantiate(&day, graph, 0));

  ladder::random_numbers random;
  double difference = 0;
  for (unsigned part : {2u, 10u}) {  // of the orders, one in so many is paid
    std::vector<unsigned> prices(n), expected, expected_sums;
    for (unsigned& price : prices) price = random.below(part) == 0 ? 1 + random.below(1000) : 0;
    ladder::check(cudaMemcpyAsync(orders.data(), prices.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice, stream));
    ladder::check(cudaGraphLaunch(day, stream));
    ladder::check(cudaStreamSynchronize(stream));

    std::copy_if(prices.begin(), prices.end(), std::back_inserter(expected), is_paid{});
    std::sort(expected.begin(), expected.end(), std::greater<>{});
    for (unsigned price : expected) expected_sums.push_back(price + (expected_sums.empty() ? 0 : expected_sums.back()));
    unsigned const all = expected_sums.back();
    auto const place = std::find_if(expected_sums.begin(), expected_sums.end(), is_half{&all}) - expected_sums.begin();
    std::vector<std::int64_t> const numbers{count.first(1)[0], halfway.first(1)[0]},
        expected_numbers{static_cast<std::int64_t>(expected.size()), place};
    double const differences[]{difference, ladder::difference(numbers, expected_numbers),
                               ladder::difference(paid.first(expected.size()), expected),
                               ladder::difference(sums.first(expected.size()), expected_sums)};
    difference = ladder::largest_of(differences);
  }
  ladder::check(cudaGraphExecDestroy(day));
  ladder::check(cudaGraphDestroy(graph));
  memory.release();  // before its stream ends
  ladder::check(cudaStreamDestroy(stream));
  return ladder::report("largest_orders", "1000003 orders, half or a tenth of them paid", "whole array", difference);
}
