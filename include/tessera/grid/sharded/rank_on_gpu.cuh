// A rank as the calls of combine_shards.hpp take it: a communicator on a stream, whose agents are kernels.
#pragma once

#include <cooperative_groups.h>

#include <tessera/grid/parts/arguments.hpp>
#include <tessera/grid/parts/default_stream.hpp>
#include <tessera/grid/parts/launch.cuh>
#include <tessera/grid/parts/workspace_memory.hpp>
#include <tessera/grid/sharded.hpp>
#include <tessera/grid/sharded/fold_agents.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <vector>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

/// A communicator as calls use it.
struct communicator_access {
  static cudaError_t gather(communicator& ranks, void* all, std::size_t bytes, cudaStream_t stream) noexcept {
    return ranks.gather(all, bytes, stream);
  }
  static cudaError_t add_counts(communicator& ranks, std::uint64_t* counts, std::int64_t n,
                                cudaStream_t stream) noexcept {
    return ranks.add_counts(counts, n, stream);
  }
  static cudaError_t swap(communicator& ranks, swapped_piece const* pieces, std::size_t count,
                          cudaStream_t stream) noexcept {
    return ranks.swap(pieces, count, stream);
  }
  static push_links links(communicator const& ranks) noexcept { return ranks.links(); }
  static workspace& scratch(communicator& ranks) noexcept { return ranks.scratch(); }
  static kept_memory& kept(communicator& ranks) noexcept { return ranks.kept(); }
};

inline namespace TESSERA_ARCHS {

template <class Agent>
__global__ void __launch_bounds__(32) one_warp_kernel(aligned<Agent> agent) {
  wait_for_stream();
  agent.value(cooperative_groups::this_thread_block());
}
template <class Agent>
__global__ void __launch_bounds__(256) each_thread_kernel(aligned<Agent> agent) {
  wait_for_stream();
  agent.value(static_cast<std::int64_t>(blockIdx.x) * 256 + threadIdx.x, static_cast<std::int64_t>(gridDim.x) * 256);
}

template <class Agent>
__global__ void __launch_bounds__(Agent::shape::threads) blocks_kernel(aligned<Agent> agent) {
  wait_for_stream();
  __shared__ typename Agent::storage_t storage;
  agent.value(cooperative_groups::this_thread_block(), storage);
}

/// Memory for one exchange: the communicator's, or else some that is freed in the stream's order.
class exchange_memory {
 public:
  exchange_memory(communicator& ranks, std::size_t bytes, cudaStream_t stream) noexcept
      : kept_(communicator_access::kept(ranks), bytes),
        error_(kept_.data() ? cudaSuccess : workspace_memory::allocate(memory_, bytes, stream, 0, false)) {}
  cudaError_t error() const noexcept { return error_; }
  void* data() const noexcept { return kept_.data() ? kept_.data() : memory_.data(); }

 private:
  workspace memory_;
  kept_memory::piece kept_;
  cudaError_t error_;
};

/// A rank as combine_shards.hpp takes it: a communicator on a stream.
class rank_on_gpu {
 public:
  rank_on_gpu(communicator& ranks, cudaStream_t stream) noexcept : ranks_(ranks), stream_(detail::named(stream)) {}

  int index() const noexcept { return ranks_.index(); }
  int count() const noexcept { return ranks_.count(); }
  exchange_memory exchange(std::size_t bytes) const noexcept { return {ranks_, bytes, stream_}; }
  cudaError_t gather(void* all, std::size_t bytes) const noexcept {
    return communicator_access::gather(ranks_, all, bytes, stream_);
  }
  template <class Agent>
  cudaError_t run(Agent const& agent) const noexcept {
    return detail::launch<one_warp_kernel<Agent>>({1, 32}, stream_, agent);
  }
  template <class Agent>
  cudaError_t gather_and_run(void* all, std::size_t bytes, Agent const& agent) const noexcept {
    push_links const links = communicator_access::links(ranks_);
    if (links.window == nullptr || bytes > push_layout::most_bytes) {
      cudaError_t const error = gather(all, bytes);
      return error == cudaSuccess ? run(agent) : error;
    }
    return run(push_agent<system_memory, Agent>{links, static_cast<unsigned char*>(all),
                                                static_cast<std::uint32_t>(bytes), agent});
  }
  /// Memory that the communicator keeps for the next call.
  class scratch_memory {
   public:
    scratch_memory(workspace& kept, std::size_t bytes, cudaStream_t stream) noexcept
        : kept_(kept), error_(kept.reserve(bytes, stream)) {}
    cudaError_t error() const noexcept { return error_; }
    void* data() const noexcept { return kept_.data(); }

   private:
    workspace& kept_;
    cudaError_t error_;
  };
  scratch_memory scratch(std::size_t bytes) const noexcept {
    return {communicator_access::scratch(ranks_), bytes, stream_};
  }
  template <class T>
  cudaError_t write(T* to, T const& value) const noexcept {
    return run(store_agent<T>{to, value});
  }
  cudaError_t read(void* to, void const* from, std::size_t bytes) const noexcept {
    cudaError_t const error = detail::own_status(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_));
    return error == cudaSuccess ? detail::own_status(cudaStreamSynchronize(stream_)) : error;
  }
  cudaError_t swap(std::vector<swapped_piece> const& pieces) const noexcept {
    return communicator_access::swap(ranks_, pieces.data(), pieces.size(), stream_);
  }
  template <class Agent>
  cudaError_t run_on_all(Agent const& agent, std::int64_t n) const noexcept {
    std::int64_t const blocks = detail::ceiling_divide(n, 256);
    return detail::launch<each_thread_kernel<Agent>>({blocks < 1024 ? blocks : 1024, 256}, stream_, agent);
  }
  template <class Agent>
  cudaError_t run_in_blocks(Agent const& agent, std::int64_t n) const noexcept {
    return detail::launch<blocks_kernel<Agent>>({n, Agent::shape::threads}, stream_, agent);
  }

 private:
  communicator& ranks_;
  cudaStream_t stream_;
};

/// The first check of every call.
template <class In>
cudaError_t check_shard(communicator& ranks, In const& in, shard const& part) noexcept {
  cudaError_t const error = ranks.async_error();
  if (error != cudaSuccess) return error;
  return detail::is_shard(part) && detail::is_array(in, part.count) ? cudaSuccess : cudaErrorInvalidValue;
}
template <class In, class Out>
cudaError_t check_shard(communicator& ranks, In const& in, shard const& part, Out* out) noexcept {
  cudaError_t const error = detail::check_shard(ranks, in, part);
  return error == cudaSuccess && !detail::are_apart(in, part.count, out) ? cudaErrorInvalidValue : error;
}

}  // namespace TESSERA_ARCHS

}  // namespace detail

}  // namespace grid
TESSERA_NAMESPACE_END
