// Every collective with a promise that a GPU build with TESSERA_CHECK verifies. Its report must name the call's line in
// this file. check_sites.py looks for the names of other files in the PTX.
#include <tessera/tessera.hpp>

namespace {

using namespace tessera;

__device__ auto tile() {
  return tessera::tiled_partition<8>(cooperative_groups::this_thread_block());
}

}  // namespace

#define KERNEL(name, ...)                               \
  extern "C" __global__ void at_##name(float* data) {   \
    auto const t = tile();                              \
    [[maybe_unused]] float const x = data[threadIdx.x]; \
    data[threadIdx.x] = __VA_ARGS__;                    \
  }
// Each collective once: examples.py writes them.
#define CALL(name, ...)                                             \
  extern "C" __global__ void at_##name(int* data) {                 \
    auto const tile = ::tile();                                     \
    [[maybe_unused]] float const x = static_cast<float>(data[0]);   \
    [[maybe_unused]] unsigned const u = static_cast<unsigned>(data[1]); \
    [[maybe_unused]] int *const in = data, *const out = data + 64;  \
    static_cast<void>(__VA_ARGS__);                                 \
  }
#include "sites_of_examples.hpp"

// Other forms of the calls.
KERNEL(exclusive_scan_from, tessera::exclusive_scan(t, x, plus{}, 3.0f, converged))
KERNEL(aggregated_count, (aggregated_add(t, data, 1, converged), x))
KERNEL(inclusive_scan_from, tessera::inclusive_scan(t, x, plus{}, 1, converged))
KERNEL(shift_up_fill, shift_up(t, x, 1, 0.0f, converged))
KERNEL(shift_down_fill, shift_down(t, x, 1, 0.0f, converged))
KERNEL(joint_inclusive_scan_from, (joint_inclusive_scan(t, data, 5, data, plus{}, 1, converged), x))
KERNEL(joint_transform_exclusive_scan_from,
       (joint_transform_exclusive_scan(
            t, data, 5, data, plus{}, [](float y) { return 2 * y; }, 1, converged),
        x))
KERNEL(joint_exclusive_scan_from, (joint_exclusive_scan(t, data, 5, data, plus{}, 1, converged), x))
