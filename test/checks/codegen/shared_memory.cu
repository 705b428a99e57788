// Kernels of which check_shared_memory.py adds up the shared memory that the library declares. The comment before a kernel says how
// many bytes that is.
#include <tessera/lanes.hpp>
#include <tessera/reduce.hpp>
#include <tessera/scan.hpp>
#include <tessera/vote.hpp>

#include "tiles.cuh"

namespace {

/// A value of so many bytes, for calls whose memory depends on nothing else.
template <unsigned Bytes>
struct value {
  unsigned word[Bytes / 4];
};
struct later {
  template <class T>
  __device__ T operator()(T const&, T const& b) const {
    return b;
  }
};

/// Moves values of each of these sizes.
template <unsigned... Bytes, class Tile>
__device__ unsigned move(Tile const& tile, unsigned x) {
  return (... + tessera::shuffle(tile, value<Bytes>{{x}}, x).word[0]);
}
/// Calls on one tile size, of values of up to 32 bytes, that take each of its arrays.
template <class Tile>
__device__ unsigned all_calls(Tile const& tile, unsigned x) {
  return move<4, 8, 32>(tile, x) + tessera::shuffle(tile, static_cast<unsigned char>(x), x) +
         tessera::reduce(tile, value<32>{{x}}, later{}).word[0] + tessera::ballot(tile, x % 2 != 0).count();
}

}  // namespace

#define KERNEL(name, ...)                                            \
  extern "C" __global__ void name([[maybe_unused]] unsigned* data) { \
    unsigned const x = data[threadIdx.x];                            \
    data[threadIdx.x] = static_cast<unsigned>(__VA_ARGS__);          \
  }

// ---- One call.

// shared 5120
KERNEL(float_sum_1024, tessera::reduce(block<1024>(), 0.5f * x))
// shared 512
KERNEL(int_sum_1024, tessera::reduce(block<1024>(), x))
// shared 320
KERNEL(float_sum_64, tessera::reduce(block<64>(), 0.5f * x))
// shared 320
KERNEL(ballot_64, tessera::ballot(block<64>(), x != 0).count())
// shared 5120
KERNEL(float_sum_128_in_a_block, tessera::reduce(tile<128>(), 0.5f * x))
// shared 512
KERNEL(float_sum_64_in_a_block, tessera::reduce(tile<64>(), 0.5f * x))
// shared 512
KERNEL(ballot_64_in_a_block, tessera::ballot(tile<64>(), x != 0).count())
// shared 0
KERNEL(sum_32, tessera::reduce(tile<32>(), 0.5f * x))

// ---- Calls on tiles of one size share arrays, whatever they exchange.

// shared 38912
KERNEL(four_shuffles_and_a_scan,
       move<32, 64, 8, 4>(block<1024>(), x) + tessera::inclusive_scan(block<1024>(), value<256>{{x}}, later{}).word[0])
// shared 25088
KERNEL(all_calls_1024, all_calls(block<1024>(), x))
// shared 9216
KERNEL(large_sum_1024, tessera::reduce(block<1024>(), value<64>{{x}}, later{}).word[0])
// shared 5632
KERNEL(all_calls_64_in_a_block, all_calls(tile<64>(), x))
// shared 5120
KERNEL(large_values_64_in_a_block, move<64, 68, 132>(tile<64>(), x))

// ---- Tiles of all sizes.

// shared 47616
KERNEL(tiles_of_all_sizes, all_calls(block<1024>(), x) + all_calls(tile<512>(), x) + all_calls(tile<256>(), x) +
                               all_calls(tile<128>(), x) + all_calls(tile<64>(), x))
