// The workspaces that the library keeps for streams: a part of workspace.cpp. See grid/parts/kept_workspace.hpp.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/grid/parts/kept_workspace.hpp>

#include <atomic>
#include <mutex>

#include "memory_pool.hpp"

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Never destroyed: a thread may make calls while the program ends.
class kept_workspaces {
 public:
  static kept_workspaces& instance() {
    static auto* const only = new kept_workspaces;
    return *only;
  }

  /// The stream's, which is nobody else's until it is returned; null if there is none.
  workspace* borrow(unsigned long long context, unsigned long long stream) {
    entry* const found = find(context, stream);
    return found == nullptr || found->is_lent.exchange(true, std::memory_order_acquire) ? nullptr : found;
  }
  static void give_back(workspace* lent) { static_cast<entry*>(lent)->is_lent.store(false, std::memory_order_release); }

 private:
  struct entry : workspace {
    unsigned long long context = 0, stream = 0;
    std::atomic<bool> is_lent{false};
  };
  /// After cudaDeviceReset a device has another context, and what the one before had is lost.
  static constexpr unsigned most_entries = 4 * workspace::kept_streams;

  /// The stream's, made at its first call; null if others have all that there may be.
  entry* find(unsigned long long context, unsigned long long stream) {
    std::lock_guard<std::mutex> const lock(guard_);
    unsigned of_context = 0;
    for (unsigned i = 0; i < count_; ++i) {
      entry& e = entries_[i];
      if (e.context != context) continue;
      if (e.stream == stream) return &e;
      ++of_context;
    }
    if (of_context >= workspace::kept_streams || count_ == most_entries) return nullptr;
    entry& made = entries_[count_++];
    made.context = context;
    made.stream = stream;
    return &made;
  }

  std::mutex guard_;
  unsigned count_ = 0;
  entry entries_[most_entries];
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
