// All threads of a block, as cooperative_groups' thread_block.
#pragma once

#include <tessera/config.hpp>
#include <tessera/host/dim3.hpp>
#include <tessera/host/kernel_interface.hpp>

namespace tessera::host {

/// What a kernel gets, one for each lane. Members mean what they mean in cooperative_groups.
class block {
 public:
  block(const detail::identity& who, const detail::block_place& place)
      : who_(who), threads_(place.block), grid_(place.grid), index_(place.index) {}

  TESSERA_FN unsigned thread_rank() const { return who_.rank; }
  TESSERA_FN unsigned size() const { return num_threads(); }
  TESSERA_FN unsigned num_threads() const { return static_cast<unsigned>(threads_.volume()); }
  TESSERA_FN dim3 thread_index() const { return threads_.at(who_.rank); }
  TESSERA_FN dim3 group_index() const { return index_; }
  TESSERA_FN dim3 group_dim() const { return threads_; }
  TESSERA_FN dim3 dim_threads() const { return threads_; }
  TESSERA_FN dim3 grid_dim() const { return grid_; }

  /// A barrier of all threads of the block, which also orders memory.
  TESSERA_FN void sync(call_site site = call_site::here()) const {
    detail::request r;
    r.call = {"block.sync", "", 0, false, site};
    detail::meet(who_, r);
  }

  TESSERA_FN const detail::identity& who() const { return who_; }

 private:
  detail::identity who_;
  dim3 threads_;
  dim3 grid_;
  dim3 index_;
};

}  // namespace tessera::host
