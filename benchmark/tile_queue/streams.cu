// Each warp streams 2^16 floats: 16 a lane at a time, by 4 loads of 16 bytes.
#include "streams.hpp"

#include <cooperative_groups.h>
#include <tessera/top_k_queue.hpp>

#include <algorithm>
#include <functional>

namespace bench {

namespace {

constexpr unsigned stream_length = 1 << 16, threads = 256, together = 16;

/// Calls visit(items<float, 16>) with all floats of this warp's stream.
template <class Visit>
__device__ void read_stream(float const* in, Visit visit) {
  unsigned const warp = (blockIdx.x * threads + threadIdx.x) / 32, lane = threadIdx.x % 32;
  auto const* const stream = reinterpret_cast<float4 const*>(in + std::size_t{warp} * stream_length);
  for (unsigned from = 0; from < stream_length / 4; from += 32 * together / 4) {
    tessera::items<float, together> x;
#pragma unroll
    for (unsigned i = 0; i < together / 4; ++i) {
      float4 const four = __ldcs(stream + from + 32 * i + lane);
      x[4 * i] = four.x;
      x[4 * i + 1] = four.y;
      x[4 * i + 2] = four.z;
      x[4 * i + 3] = four.w;
    }
    visit(x);
  }
}

template <unsigned K>
__global__ void __launch_bounds__(threads) keep_greatest(float const* in, float* out) {
  auto const tile = tessera::tiled_partition<32>(cooperative_groups::this_thread_block());
  tessera::top_k_queue<K, float> queue;
  read_stream(in, [&](tessera::items<float, together> const& x) { queue.push(tile, x, tessera::converged); });
  float const best = queue.best(tile, tessera::scattered | tessera::converged);
  unsigned const warp = (blockIdx.x * threads + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (lane < K) out[warp * K + lane] = best;
}

__global__ void __launch_bounds__(threads) only_read(float const* in, float* out) {
  float greatest = 0;
  read_stream(in, [&](tessera::items<float, together> const& x) {
#pragma unroll
    for (float y : x) greatest = fmaxf(greatest, y);
  });
  if (greatest == 2.0f) out[0] = greatest;  // never: the stream has values up to 1
}

template <unsigned K>
task stream_of() {
  int device = 0, multiprocessors = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  unsigned const blocks = static_cast<unsigned>(multiprocessors) * 4, warps = blocks * threads / 32;
  std::int64_t const n = std::int64_t{warps} * stream_length;
  return {"greatest of 2^16 floats a warp", "K = " + std::to_string(K), 4.0 * static_cast<double>(n), [=] {
            auto const in = uniform_floats(n);
            auto const out = gpu_data<float>(std::int64_t{warps} * K);
            pass ours{"tessera top_k_queue", pass_kind::ours, [=] {
                        keep_greatest<K><<<blocks, threads>>>(in.data(), out.data());
                        return cudaGetLastError();
                      }};
            ours.mismatch = [=] {
              auto const got = out.get();
              auto const all = in.get();
              for (unsigned const warp : {0u, warps / 2, warps - 1}) {
                auto const begin = all.begin() + std::ptrdiff_t{warp} * stream_length;
                std::vector<float> best(begin, begin + stream_length);
                std::partial_sort(best.begin(), best.begin() + K, best.end(), std::greater<float>());
                if (!std::equal(best.begin(), best.begin() + K, got.begin() + std::ptrdiff_t{warp} * K))
                  return "warp " + std::to_string(warp) + " has other values than std::partial_sort";
              }
              return std::string();
            };
            return std::vector<pass>{ours, {"reading alone", pass_kind::ceiling, [=] {
                                              only_read<<<blocks, threads>>>(in.data(), out.data());
                                              return cudaGetLastError();
                                            }}};
          }};
}

}  // namespace

void add_streams(std::vector<task>& tasks) {
  tasks.push_back(stream_of<8>());
  tasks.push_back(stream_of<32>());
}

}  // namespace bench
