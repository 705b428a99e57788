// Stacks for lanes: mapped once, with a guard page below each, and kept in a pool for the next launch.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <new>
#include <tessera/host/sanitizer.hpp>
#include <vector>

namespace tessera::host::detail {

/// One lane's stack. `token` is what ThreadSanitizer knows it by.
struct stack {
  char* base = nullptr;  // lowest usable byte; the guard page ends here
  std::size_t bytes = 0;
  void* token = nullptr;

  char* top() const { return base + bytes; }
};

/// Stacks not in use. One pool a thread of execution.
class stack_pool {
 public:
  static constexpr std::size_t stack_bytes = (sanitized ? 256 : 64) * 1024;

  stack_pool() = default;
  stack_pool(const stack_pool&) = delete;
  stack_pool& operator=(const stack_pool&) = delete;
  ~stack_pool() {
    for (const stack& s : free_) munmap(s.base - guard_bytes(), mapped_bytes());
  }

  /// A stack, from the pool or new. Throws std::bad_alloc where the system gives none.
  stack take() {
    if (free_.empty()) return map();
    stack s = free_.back();
    free_.pop_back();
    s.token = make_token();
    return s;
  }

  /// Back to the pool. Whatever frames were left on it are forgotten.
  void give(const stack& s) {
    forget_frames(s.base, stack_bytes);
    drop_token(s.token);
    free_.push_back(s);
  }

  /// Stacks mapped in all since the thread began: a pool that works stops counting.
  std::size_t mapped() const { return mapped_; }

 private:
  static std::size_t guard_bytes() {
    static const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return page;
  }
  static std::size_t mapped_bytes() { return guard_bytes() + stack_bytes; }

  stack map() {
    free_.reserve(mapped_ + 1);  // so that give() can't throw
    void* const at = mmap(nullptr, mapped_bytes(), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    mprotect(at, guard_bytes(), PROT_NONE);
    // Tops of stacks all lie at the start of a page, and would share a few sets of the first-level cache:
    // each stack begins a little lower than the one before.
    std::size_t const color = (mapped_ % 16) * 256;
    ++mapped_;
    return {static_cast<char*>(at) + guard_bytes(), stack_bytes - color, make_token()};
  }

  std::vector<stack> free_;
  std::size_t mapped_ = 0;
};

}  // namespace tessera::host::detail
