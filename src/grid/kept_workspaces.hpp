// The workspaces that the library keeps for streams: a part of workspace.cpp. See grid/parts/kept_workspace.hpp.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/grid/parts/kept_workspace.hpp>

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
    std::lock_guard<std::mutex> const lock(guard_);
    unsigned of_context = 0;
    for (unsigned i = 0; i < count_; ++i) {
      entry& e = entries_[i];
      if (e.context != context) continue;
      if (e.stream == stream) return lend(e);
      ++of_context;
    }
    if (of_context >= workspace::kept_streams || count_ == most_entries) return nullptr;
    entry& made = entries_[count_++];
    made.context = context;
    made.stream = stream;
    return lend(made);
  }
  void give_back(workspace const* lent) {
    std::lock_guard<std::mutex> const lock(guard_);
    for (unsigned i = 0; i < count_; ++i) {
      if (&entries_[i].memory == lent) entries_[i].is_lent = false;
    }
  }

 private:
  struct entry {
    unsigned long long context = 0, stream = 0;
    bool is_lent = false;
    workspace memory;
  };
  /// After cudaDeviceReset a device has another context, and what the one before had is lost.
  static constexpr unsigned most_entries = 4 * workspace::kept_streams;

  static workspace* lend(entry& e) {
    if (e.is_lent) return nullptr;
    e.is_lent = true;
    return &e.memory;
  }

  std::mutex guard_;
  unsigned count_ = 0;
  entry entries_[most_entries];
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
