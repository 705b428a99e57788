// Collectives whose last step only some lanes do, each followed by a barrier of the caller. check_tails.py checks that the warp
// reconverges in between.
#include <tessera/atomic.hpp>
#include <tessera/compact.hpp>
#include <tessera/histogram.hpp>
#include <tessera/joint.hpp>
#include <tessera/vote.hpp>

#include "tiles.cuh"

namespace {

/// A function with a branch and a store. Only some lanes of the warp call it.
template <class T>
struct mark {
  T* at;
  __device__ int operator()() const {
    *at = T{1};
    return 1;
  }
};
template <class T>
struct mark_only {
  T* at;
  __device__ void operator()() const { *at = T{1}; }
};

}  // namespace

#define TAIL(name, T, ...)                                                                      \
  extern "C" __global__ void name(T* cells, T const* in, int const* keys, T* out, unsigned n) { \
    unsigned const thread = threadIdx.x;                                                        \
    [[maybe_unused]] T const x = in[thread];                                                    \
    [[maybe_unused]] int const key = keys[thread];                                              \
    [[maybe_unused]] bool const some = key % 3 != 0;                                            \
    __VA_ARGS__;                                                                                \
    __syncthreads();                                                                            \
    out[thread] = cells[thread];                                                                \
  }

using ull = unsigned long long;

TAIL(compact_32, int, compact(tile<32>(), x, some, cells))
TAIL(compact_8, int, compact(tile<8>(), x, some, cells))
TAIL(compact_8_converged, int, compact(tile<8>(), x, some, cells, converged))
TAIL(compact_8_isolated, int, compact(tile<8>(), x, some, cells, isolated))
TAIL(compact_first_32, int, compact(tile<32>(), x, some, cells, first(n)))
TAIL(compact_block_64, double, compact(block<64>(), x, some, cells))
TAIL(compact_where_block_128, int, compact(block<128>(), x, some, cells, where(key > 3)))
TAIL(compact_appending_32, int, compact(tile<32>(), x, some, cells, cells + 99))
TAIL(compact_appending_8, int, compact(tile<8>(), x, some, cells, cells + 99, where(key > 3)))
TAIL(compact_appending_block_64, double, compact(block<64>(), x, some, cells, reinterpret_cast<unsigned*>(cells + 99)))
TAIL(compact_padded_256, int, compact(padded<256>(), x, some, cells))

TAIL(add_32, int, aggregated_add(tile<32>(), cells, key, x))
TAIL(add_one_32, unsigned, aggregated_add(tile<32>(), cells, key, where(some)))
TAIL(add_float_32, float, aggregated_add(tile<32>(), cells, key, x))
TAIL(add_8, int, aggregated_add(tile<8>(), cells, key, x, where(some)))
TAIL(add_by_groups_32, int, aggregated_add(tile<32>(), cells, key, x, shuffles))
TAIL(add_by_groups_8, double, aggregated_add(tile<8>(), cells, key, x, shuffles | first(n)))
TAIL(add_lane_by_lane_32, ull, aggregated_add(tile<32>(), cells, key, x, hardware | where(some)))
TAIL(add_block_64, ull, aggregated_add(block<64>(), cells, key, x, where(some)))
TAIL(add_tile_128, ull, aggregated_add(tile<128>(), cells, key, x, where(some)))

TAIL(atomic_reduce_32, int, atomic_reduce(tile<32>(), cells, x))
TAIL(atomic_reduce_8, float, atomic_reduce(tile<8>(), cells, x, maximum{}))
TAIL(atomic_reduce_where_32, float, atomic_reduce(tile<32>(), cells, x, plus{}, where(some)))
TAIL(atomic_reduce_block_256, double, atomic_reduce(block<256>(), cells, x))
TAIL(atomic_reduce_padded_256, int, atomic_reduce(padded<256>(), cells, x, minimum{}, first(n)))

TAIL(invoke_one_32, int, invoke_one(tile<32>(), mark_only<int>{cells}))
TAIL(invoke_one_alone_8, int, invoke_one(tile<8>(), mark_only<int>{cells}))
TAIL(invoke_one_block_64, int, invoke_one(block<64>(), mark_only<int>{cells}))
TAIL(invoke_one_to_leader_alone_8, int, invoke_one(tile<8>(), mark<int>{cells}, to_leader))
TAIL(invoke_one_to_leader_32, int, invoke_one(tile<32>(), mark<int>{cells}, to_leader))
TAIL(invoke_one_to_leader_block_64, int, invoke_one(block<64>(), mark<int>{cells}, to_leader))

TAIL(joint_scan_32, float, joint_inclusive_scan(tile<32>(), in, n, cells))
TAIL(joint_scan_8, int, joint_exclusive_scan(tile<8>(), in, n, cells))
TAIL(joint_scan_block_64, double, joint_inclusive_scan(block<64>(), in, n, cells))
