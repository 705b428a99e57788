// The rays that are bright enough, side by side, with their sum: select, partition_copy, reduce.
//
// A renderer drops rays that carry too little light before it follows the others further. All arrays stay on
// the GPU, and each step is one launch there. The flags are made without a kernel of one's own: they are the
// places of the rays' lights in a sorted array of one limit, 0 before it and 1 behind it. Change the limit, or
// take several, which are classes then. In a .cu file select.cuh has predicates, and needs no flags.
#include <tessera/grid/reduce.hpp>
#include <tessera/grid/search.hpp>
#include <tessera/grid/select.hpp>

#include <cstdint>

#include "gpu.hpp"

namespace grid = tessera::grid;

int main() {
  if (!ladder::choose_gpu()) return ladder::needs_gpu;
  constexpr std::int64_t n = 1'000'003;
  constexpr float limit = 90;
  ladder::random_numbers random;
  std::vector<unsigned> pixels(n);
  std::vector<float> lights(n);
  for (unsigned i = 0; i < n; ++i) {
    pixels[i] = 3 * i;
    lights[i] = static_cast<float>(random.below(100));  // integers whose sums stay below 2^24: no rounding
  }

  ladder::gpu_array<unsigned> const pixel(pixels), kept(n), dropped(n);
  ladder::gpu_array<float> const light(lights), limits(std::vector<float>{limit}), total(1);
  ladder::gpu_array<tessera::indexed<float, std::int64_t>> const brightest(1);
  ladder::gpu_array<int> const flag(n);
  ladder::gpu_array<std::int64_t> const count(1);
  cudaStream_t const stream = nullptr;
  grid::workspace memory;  // one for all calls, since they are in one stream's order

  // flag[i] = light[i] >= limit: the first element of `limits` that is greater has index 0 or, if none is, 1.
  ladder::check(grid::upper_bound(limits.data(), 1, light.data(), n, flag.data(), tessera::less{}, stream));

  // The pixels of both, each in their order: where rays go on, and where new ones may begin.
  ladder::check(
      grid::partition_copy(pixel.data(), flag.data(), n, kept.data(), dropped.data(), count.data(), {stream, memory}));
  // The lights in place, by the same flags: ray i of those that are left is kept[i], light[i].
  ladder::check(grid::select(light.data(), flag.data(), n, light.data(), count.data(), {stream, memory}));

  // How many are left was on the GPU so far. Lengths are arguments of the host, so these 8 bytes are copied,
  // and this is where the host waits.
  std::int64_t const left = count.first(1)[0];
  ladder::check(grid::reduce(light.data(), left, total.data(), tessera::plus{}, {stream, memory}));
  ladder::check(grid::argmax(light.data(), left, brightest.data(), {stream, memory}));

  std::vector<unsigned> expected_kept, expected_dropped;
  std::vector<float> expected_lights, expected_results{0, -1, 0};  // sum, greatest, its index
  for (std::size_t i = 0; i < lights.size(); ++i) {
    if (lights[i] >= limit) {
      if (lights[i] > expected_results[1])
        expected_results = {expected_results[0], lights[i], static_cast<float>(expected_kept.size())};
      expected_results[0] += lights[i];
      expected_kept.push_back(pixels[i]);
      expected_lights.push_back(lights[i]);
    } else {
      expected_dropped.push_back(pixels[i]);
    }
  }
  auto const some = static_cast<std::size_t>(left);
  auto const best = brightest.first(1)[0];
  std::vector<float> const results{total.first(1)[0], best.value, static_cast<float>(best.index)};
  double const differences[]{ladder::difference(kept.first(some), expected_kept),
                             ladder::difference(dropped.first(lights.size() - some), expected_dropped),
                             ladder::difference(light.first(some), expected_lights),
                             ladder::difference(results, expected_results)};
  return ladder::report("bright_rays", "1000003 rays, a tenth of them kept", "whole array",
                        ladder::largest_of(differences));
}
