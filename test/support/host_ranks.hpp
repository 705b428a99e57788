// Ranks that are threads of the CPU, in place of GPUs: what <tessera/grid/sharded/combine_shards.hpp> runs on. Agents run
// on host tiles, and ranks exchange through each other's memory.
#pragma once

#include <tessera/grid/sharded/kept_memory.hpp>
#include <tessera/grid/sharded/push_agent.hpp>
#include <tessera/grid/sharded/swapped_piece.hpp>
#include <tessera/host/launch.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include "meeting.hpp"

namespace test {

/// All ranks, and where they meet.
class host_ranks {
 public:
  /// pushes: ranks write into each other's windows, as GPUs in an NVLink domain do.
  explicit host_ranks(int count, bool pushes = false)
      : buffers_(static_cast<std::size_t>(count)),
        sent_(static_cast<std::size_t>(count)),
        words_(static_cast<std::size_t>(count) * (kept_bytes / sizeof(word))),
        all_(count) {
    for (int of = 0; of < count; ++of)
      kept_.emplace_back(reinterpret_cast<char*>(words_.data()) + static_cast<std::size_t>(of) * kept_bytes,
                         kept_bytes);
    using tessera::grid::detail::push_layout;
    if (pushes) windows_.resize(push_layout::bytes(count) / sizeof(word) * buffers_.size());
    for (int of = 0; pushes && of < count; ++of)
      for (int peer = 0; peer < count; ++peer)
        reinterpret_cast<unsigned char**>(window_of(of) + push_layout::addresses)[peer] = window_of(peer);
  }

  class rank {
   public:
    rank(host_ranks& all, int index) : all_(&all), index_(index) {}
    int index() const { return index_; }
    int count() const { return static_cast<int>(all_->buffers_.size()); }

    /// As exchange_memory of <tessera/grid/sharded.cuh>.
    class memory {
     public:
      memory(tessera::grid::detail::kept_memory& kept, std::size_t bytes)
          : kept_(kept, bytes),
            words_(kept_.data() ? nullptr : new std::max_align_t[bytes / sizeof(std::max_align_t) + 1]) {
        std::memset(data(), 0xab, bytes);
      }
      cudaError_t error() const { return cudaSuccess; }
      void* data() const { return kept_.data() ? kept_.data() : words_.get(); }

     private:
      tessera::grid::detail::kept_memory::piece kept_;
      std::unique_ptr<std::max_align_t[]> words_;
    };
    memory exchange(std::size_t bytes) const { return {all_->kept_[static_cast<std::size_t>(index_)], bytes}; }
    memory scratch(std::size_t bytes) const { return exchange(bytes); }
    template <class T>
    cudaError_t write(T* to, T const& value) const {
      *to = value;
      return cudaSuccess;
    }
    cudaError_t read(void* to, void const* from, std::size_t bytes) const {
      std::memcpy(to, from, bytes);
      return cudaSuccess;
    }
    /// Copies what others have for this rank at once. NCCL moves pieces whose addresses aren't multiples of 16 bytes byte by
    /// byte.
    cudaError_t swap(std::vector<tessera::grid::detail::swapped_piece> const& pieces) const {
      all_->sent_[static_cast<std::size_t>(index_)] = pieces;
      all_->all_.wait();
      std::vector<std::size_t> taken(all_->sent_.size());  // of each peer's pieces
      for (auto const& own : pieces) {
        auto const& theirs = all_->sent_[static_cast<std::size_t>(own.peer)];
        std::size_t& at = taken[static_cast<std::size_t>(own.peer)];
        while (at < theirs.size() && theirs[at].peer != index_) ++at;
        if (at == theirs.size()) {
          ADD_FAILURE() << "rank " << own.peer << " sends less than rank " << index_ << " takes";
          break;
        }
        auto const& sent = theirs[at++];
        EXPECT_EQ(sent.sent, own.got);
        EXPECT_TRUE(own.got == 0 || (is_aligned(sent.from) && is_aligned(own.to)));
        std::memcpy(own.to, sent.from, own.got);
      }
      all_->all_.wait();
      return cudaSuccess;
    }

    cudaError_t gather(void* all, std::size_t bytes) const {
      all_->buffers_[static_cast<std::size_t>(index_)] = static_cast<char*>(all);
      all_->all_.wait();
      for (int other = 0; other < count(); ++other) {
        std::size_t const at = static_cast<std::size_t>(other) * bytes;
        if (other != index_)
          std::memcpy(static_cast<char*>(all) + at, all_->buffers_[static_cast<std::size_t>(other)] + at, bytes);
      }
      all_->all_.wait();
      return cudaSuccess;
    }
    template <class Agent>
    cudaError_t run(Agent const& agent) const {
      tessera::host::launch_grid(1, 32, [&](tessera::host::block block) { agent(block); });
      return cudaSuccess;
    }
    template <class Agent>
    cudaError_t gather_and_run(void* all, std::size_t bytes, Agent const& agent) const {
      unsigned char* const window = all_->windows_.empty() ? nullptr : all_->window_of(index_);
      if (window == nullptr || bytes > tessera::grid::detail::push_layout::most_bytes) {
        gather(all, bytes);
        return run(agent);
      }
      tessera::grid::detail::push_links const links{window, &all_->aborted_, index_, count()};
      return run(tessera::grid::detail::push_agent<shared_with_threads, Agent>{
          links, static_cast<unsigned char*>(all), static_cast<std::uint32_t>(bytes), agent});
    }
    template <class Agent>
    cudaError_t run_on_all(Agent const& agent, std::int64_t n) const {
      std::int64_t const threads = n < 7 ? n : 7;
      for (std::int64_t thread = 0; thread < threads; ++thread) agent(thread, threads);
      return cudaSuccess;
    }
    template <class Agent>
    cudaError_t run_in_blocks(Agent const& agent, std::int64_t n) const {
      std::vector<typename Agent::storage_t> storage(static_cast<std::size_t>(n));
      tessera::host::launch_grid(static_cast<unsigned>(n), Agent::shape::threads,
                                 [&](tessera::host::block block) { agent(block, storage[block.group_index().x]); });
      return cudaSuccess;
    }

   private:
    static bool is_aligned(void const* place) { return reinterpret_cast<std::uintptr_t>(place) % 16 == 0; }

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
  /// Words that other threads store and load.
  struct shared_with_threads {
    static void store_relaxed(std::uint64_t* to, std::uint64_t word) {
      *static_cast<std::uint64_t volatile*>(to) = word;
    }
    template <class Word>
    static Word load_relaxed(Word const* from) {
      thread_local void const* last = nullptr;
      if (from == last) std::this_thread::sleep_for(std::chrono::microseconds(20));  // others may need this core
      last = from;
      return *static_cast<Word const volatile*>(from);
    }
  };
  unsigned char* window_of(int of) {
    std::size_t const bytes = tessera::grid::detail::push_layout::bytes(static_cast<int>(buffers_.size()));
    return reinterpret_cast<unsigned char*>(windows_.data()) + static_cast<std::size_t>(of) * bytes;
  }

  using word = std::uint64_t;  // without padding, which vectors needn't set to 0
  static constexpr std::size_t kept_bytes = std::size_t{1} << 16;

  std::vector<char*> buffers_;
  std::vector<std::vector<tessera::grid::detail::swapped_piece>> sent_;
  std::vector<word> windows_;
  std::vector<word> words_;
  std::vector<tessera::grid::detail::kept_memory> kept_;  // a piece of the words for each rank
  std::uint32_t aborted_ = 0;
  meeting all_;
};

}  // namespace test
