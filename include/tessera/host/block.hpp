// All threads of a block: the host's counterpart of cooperative_groups::thread_block.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/host/kernel_interface.hpp>
#include <tessera/host/run/dim3.hpp>

TESSERA_NAMESPACE_BEGIN
namespace host {

/// The argument of a kernel; each lane gets its own. Its members have the meaning that they have in cooperative_groups.
class block {
 public:
  block(const detail::lane_id& id, const detail::block_context& context)
      : id_(id), threads_(context.block), grid_(context.grid), index_(context.index) {}

  TESSERA_FN unsigned thread_rank() const { return id_.rank; }
  TESSERA_FN unsigned size() const { return num_threads(); }
  TESSERA_FN unsigned num_threads() const { return static_cast<unsigned>(threads_.volume()); }
  TESSERA_FN dim3 thread_index() const { return threads_.at(id_.rank); }
  TESSERA_FN dim3 group_index() const { return index_; }
  TESSERA_FN dim3 group_dim() const { return threads_; }
  TESSERA_FN dim3 dim_threads() const { return threads_; }
  TESSERA_FN dim3 grid_dim() const { return grid_; }

  /// A barrier of all threads of the block. It also orders their accesses to memory.
  TESSERA_FN void sync(call_site site = call_site::here()) const {
    detail::request r;
    r.call = {"block.sync", "", 0, false, site};
    detail::arrive_and_wait(id_, r);
  }

  TESSERA_FN const detail::lane_id& id() const { return id_; }

 private:
  detail::lane_id id_;
  dim3 threads_;
  dim3 grid_;
  dim3 index_;
};

}  // namespace host
TESSERA_NAMESPACE_END
