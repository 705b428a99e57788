// Stacks for lanes. Each is mapped once, with a guard page below it, and returns to a pool for later
// launches.
#pragma once

#include <tessera/host/exceptions.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <new>
#include <tessera/host/sanitizer.hpp>
#include <vector>

TESSERA_NAMESPACE_BEGIN
namespace host::detail {

/// The stack of one lane. `token` is ThreadSanitizer's handle for it.
struct stack {
  char* base = nullptr;  // lowest usable byte; the guard page ends here
  std::size_t bytes = 0;
  void* token = nullptr;

  char* top() const { return base + bytes; }
};

/// The stacks that aren't in use. Each thread has its own pool.
class stack_pool {
 public:
  static constexpr std::size_t stack_bytes = (sanitized ? 256 : 64) * 1024;

  stack_pool() = default;
  stack_pool(const stack_pool&) = delete;
  stack_pool& operator=(const stack_pool&) = delete;
  ~stack_pool() {
    for (const stack& s : free_) munmap(s.base - guard_bytes(), mapped_bytes());
  }

  /// Returns a stack from the pool, or maps a new one. Throws std::bad_alloc if the system refuses.
  stack take() {
    if (free_.empty()) return map();
    stack s = free_.back();
    free_.pop_back();
    s.token = make_token();
    return s;
  }

  /// Returns a stack to the pool. Frames that are left on it are discarded.
  void give(const stack& s) {
    detail::forget_frames(s.base, stack_bytes);
    detail::drop_token(s.token);
    free_.push_back(s);
  }

  /// The number of stacks that this thread has ever mapped. It stops growing when launches reuse stacks.
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
    // If all stacks began at the start of a page, their tops would share a few sets of the first-level
    // cache. So each stack begins a little lower than the previous one.
    std::size_t const color = (mapped_ % 16) * 256;
    ++mapped_;
    return {static_cast<char*>(at) + guard_bytes(), stack_bytes - color, make_token()};
  }

  std::vector<stack> free_;
  std::size_t mapped_ = 0;
};

}  // namespace host::detail
TESSERA_NAMESPACE_END
