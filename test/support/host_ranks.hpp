// Ranks that are threads of the CPU, in place of GPUs: what <tessera/grid/sharded/combine_shards.hpp> runs on. Agents run
// on host tiles, and ranks exchange through each other's memory.
#pragma once

#include <tessera/host/launch.hpp>

#include <condition_variable>
#include <cstddef>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <cuda_runtime_api.h>

namespace test {

/// All ranks, and where they meet.
class host_ranks {
 public:
  explicit host_ranks(int count) : buffers_(static_cast<std::size_t>(count)) {}

  class rank {
   public:
    rank(host_ranks& all, int index) : all_(&all), index_(index) {}
    int index() const { return index_; }
    int count() const { return static_cast<int>(all_->buffers_.size()); }

    class memory {
     public:
      explicit memory(std::size_t bytes) : words_(new std::max_align_t[bytes / sizeof(std::max_align_t) + 1]) {
        std::memset(words_.get(), 0xab, bytes);
      }
      cudaError_t error() const { return cudaSuccess; }
      void* data() const { return words_.get(); }

     private:
      std::unique_ptr<std::max_align_t[]> words_;
    };
    memory exchange(std::size_t bytes) const { return memory(bytes); }

    cudaError_t gather(void* all, std::size_t bytes) const {
      all_->buffers_[static_cast<std::size_t>(index_)] = static_cast<char*>(all);
      all_->meet();
      for (int other = 0; other < count(); ++other) {
        std::size_t const at = static_cast<std::size_t>(other) * bytes;
        if (other != index_)
          std::memcpy(static_cast<char*>(all) + at, all_->buffers_[static_cast<std::size_t>(other)] + at, bytes);
      }
      all_->meet();
      return cudaSuccess;
    }
    template <class Agent>
    cudaError_t run(Agent const& agent) const {
      tessera::host::launch_grid(1, 32, [&](tessera::host::block block) { agent(block); });
      return cudaSuccess;
    }
    template <class Agent>
    cudaError_t run_on_all(Agent const& agent, std::int64_t n) const {
      std::int64_t const threads = n < 7 ? n : 7;
      for (std::int64_t thread = 0; thread < threads; ++thread) agent(thread, threads);
      return cudaSuccess;
    }

   private:
    host_ranks* all_;
    int index_;
  };

  /// Calls f(rank) for all ranks, each in a thread.
  template <class F>
  void run(F const& f) {
    std::vector<std::thread> threads;
    for (int index = 0; index < static_cast<int>(buffers_.size()); ++index)
      threads.emplace_back([&, index] { f(rank(*this, index)); });
    for (std::thread& thread : threads) thread.join();
  }

 private:
  void meet() {
    std::unique_lock<std::mutex> lock(mutex_);
    unsigned const round = round_;
    if (++here_ == buffers_.size()) {
      here_ = 0;
      ++round_;
      changed_.notify_all();
    } else {
      changed_.wait(lock, [&] { return round_ != round; });
    }
  }

  std::vector<char*> buffers_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t here_ = 0;
  unsigned round_ = 0;
};

}  // namespace test
