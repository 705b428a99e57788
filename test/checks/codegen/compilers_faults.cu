// Programs without this library that compilers get wrong, as small as they were found to be. check_loops.py must find their forms in
// PTX. docs/explanation/compilers-faults.md says which compilers do it, and what the library does about it.

// The number of lanes of a block of 256 whose key is this lane's. nvcc 13.0 to 13.5 counts the loop over slots from -96 by 32, and
// compares below 160 without a sign: the loop ends after one round of eight, and finds the peers of the first 32 lanes only.
struct mask {
  unsigned words[8];
};

__device__ unsigned load(unsigned address) {
  unsigned x;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(x) : "r"(address) : "memory");
  return x;
}

extern "C" __global__ void count_peers(unsigned* keys) {
  __shared__ unsigned slots[256];
  unsigned const key = keys[threadIdx.x], from = static_cast<unsigned>(__cvta_generic_to_shared(slots));
  slots[threadIdx.x] = key;
  __syncthreads();
  mask same{};
#pragma unroll 1
  for (unsigned slot = 0; slot < 256; slot += 32) {
    unsigned bits = 0;
    for (unsigned i = 0; i < 32; ++i) bits |= unsigned{load(from + 4 * (slot + i)) == key} << i;
#pragma unroll
    for (unsigned w = 0; w < 8; ++w) {
      unsigned const old = same.words[w];
      same.words[w] = w == slot / 32 ? old | bits << (slot % 32) : old;
    }
  }
  unsigned count = 0;
  for (unsigned w = 0; w < 8; ++w) count += __popc(same.words[w]);
  keys[threadIdx.x] = count;
}

// A maximum of 16 bits with 0. ptxas 13.0 to 13.3 may drop a comparison of it with 0.
extern "C" __global__ void bounded(unsigned* counts, short n) {
  counts[threadIdx.x] = n < 0 ? 0u : static_cast<unsigned>(n);
}

// A byte of a number that was just converted. ptxas 13.0 converts the number to an integer of 8 bits, and stores that.
extern "C" __global__ void low_byte(unsigned char* bytes, float x) {
  unsigned short half;
  asm volatile("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(x));
  bytes[threadIdx.x] = static_cast<unsigned char>(half);
}

// A number between 0 and 512 that is compared with 512. ptxas 13.0 makes `VIMNMX.RELU R, P, P, R, 0x200` of it for sm_90: both of its
// predicates are one register, which is true for all numbers above 0.
extern "C" __global__ void clamped(int* counts, int n) {
  int const left = n - static_cast<int>(threadIdx.x), count = left < 0 ? 0 : left < 512 ? left : 512;
  counts[2 * threadIdx.x] = count;
  counts[2 * threadIdx.x + 1] = count == 512 ? 1 : 2;
}
