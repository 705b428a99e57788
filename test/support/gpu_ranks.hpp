// Ranks on GPUs: a thread for each, with its device current and a stream of its own.
#pragma once

#include <tessera/grid/sharded.hpp>

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <thread>
#include <vector>

#include "meeting.hpp"
#include "stream.hpp"

namespace test {

class gpu_ranks {
 public:
  /// Waits until all ranks of this run are here. A rank calls it between its last allocation and its first call: where ranks
  /// share a GPU, an allocation may wait for a kernel that waits for this rank.
  static void meet() { here()->wait(); }
  /// Waits until the streams of all ranks are done, if ranks share a GPU: then a call that allocates may follow others.
  static void wait_where_shared(cudaStream_t stream) {
    if (device_count() == 1) check(cudaStreamSynchronize(stream));
    meet();
  }

  /// The most ranks that there can be here: one a GPU, or 8 where NCCL lets ranks share one
  /// (NCCL_MULTI_RANK_GPU_ENABLE=1, from NCCL 2.30 on).
  static int most() {
    static int const ranks = [] {
      int const devices = device_count();
      if (devices > 1) return devices < 8 ? devices : 8;
      int const same[] = {0, 0};
      ncclComm_t comms[2] = {};
      if (ncclCommInitAll(comms, 2, same) != ncclSuccess) return 1;
      for (ncclComm_t comm : comms) (void)ncclCommDestroy(comm);
      return 8;
    }();
    return ranks;
  }

  /// Calls f(communicator&, cudaStream_t) in a thread for each of `count` ranks, and waits for their streams. NCCL takes a
  /// second to connect ranks: each number of ranks is connected once.
  template <class F>
  static void run(int count, F const& f, tessera::grid::exchange by = tessera::grid::exchange::nvlink) {
    std::vector<ncclComm_t>& comms = connected()[count];
    bool const is_new = comms.empty();
    comms.resize(static_cast<std::size_t>(count));
    ncclUniqueId id;
    ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
    std::vector<std::thread> threads;
    std::atomic<bool> is_aborted{false};
    meeting all(count);
    for (int rank = 0; rank < count; ++rank) {
      threads.emplace_back([&, rank] {
        here() = &all;
        check(cudaSetDevice(rank % device_count()));
        ncclComm_t& comm = comms[static_cast<std::size_t>(rank)];
        if (is_new) EXPECT_EQ(ncclCommInitRank(&comm, count, id, rank), ncclSuccess);
        stream const own;
        tessera::grid::communicator ranks(comm, by);
        EXPECT_EQ(ranks.count(), count);
        f(ranks, static_cast<cudaStream_t>(own));
        check(cudaStreamSynchronize(own));
        if (ranks.get() == nullptr) is_aborted = true;
      });
    }
    for (std::thread& thread : threads) thread.join();
    if (is_aborted) comms.clear();
  }

 private:
  /// Of the run whose rank this thread is.
  static meeting*& here() {
    static thread_local meeting* of_thread = nullptr;
    return of_thread;
  }
  static std::map<int, std::vector<ncclComm_t>>& connected() {
    static std::map<int, std::vector<ncclComm_t>> comms;
    return comms;
  }
  static int device_count() {
    int count = 0;
    check(cudaGetDeviceCount(&count));
    return count > 0 ? count : 1;
  }
};

/// Cut evenly, or unevenly with none on the last rank but one.
inline tessera::grid::shard cut_of(tessera::grid::communicator const& ranks, std::int64_t total, bool even) {
  if (even) return ranks.shard_of(total);
  std::int64_t const third = total / 3;
  int const last = ranks.count() - 1;
  if (last == 0) return {0, total, total};
  if (ranks.index() == 0) return {0, third, total};
  return ranks.index() == last ? tessera::grid::shard{third, total - third, total}
                               : tessera::grid::shard{third, 0, total};
}

}  // namespace test
