// Stacks for lanes. 32 of them share one mapping, and return to a pool for later launches.
//
//   mapping    [guard][stack 0][guard][stack 1] … [guard][stack 31]      a stack grows down, into its guard
//
// An access to a guard is a fault, which stack_overflow.hpp reports. A guard is twice as large as a stack, so that
// a frame that doesn't fit into the stack ends in it, too.
//
// From Linux 6.13 on a guard is free. Before, each divides the mapping, and a process may have some 65 thousand
// mappings (vm.max_map_count): all pools together have `most_divided` guards, and further stacks have unused memory in
// their place.
#pragma once

#include <tessera/host/run/exceptions.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <new>
#include <tessera/host/run/sanitizer.hpp>
#include <vector>

TESSERA_NAMESPACE_BEGIN
namespace host::detail {

/// The stack of one lane. `token` is ThreadSanitizer's handle for it.
struct stack {
  char* base = nullptr;  // lowest usable byte; the guard ends here
  std::size_t bytes = 0;
  void* token = nullptr;

  char* top() const { return base + bytes; }
};

/// The means by which accesses to guards become faults: pages are marked, or guards are mappings of their own.
enum class guard_kind { marked, divided };

/// Makes every access to these pages a fault, if the system allows it.
class guards {
 public:
  static constexpr unsigned most_divided = 16 * 1024;

  explicit guards(guard_kind kind = guard_kind::marked) : kind_(kind) {}
  guards(const guards&) = delete;
  guards& operator=(const guards&) = delete;
  ~guards() { all_divided() -= divided_; }

  void put(char* at, std::size_t bytes) {
    if (kind_ == guard_kind::marked && mark(at, bytes)) return;
    kind_ = guard_kind::divided;
    if (all_divided()++ < most_divided && mprotect(at, bytes, PROT_NONE) == 0) {
      ++divided_;
    } else {
      --all_divided();
    }
  }
  /// The number of these guards that divide a mapping.
  unsigned divided() const { return divided_; }

 private:
  static bool mark([[maybe_unused]] char* at, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__)
    constexpr int guard_install = 102;  // MADV_GUARD_INSTALL, which older headers don't have
    return madvise(at, bytes, guard_install) == 0;
#else
    return false;
#endif
  }
  static std::atomic<unsigned>& all_divided() {
    static std::atomic<unsigned> count{0};
    return count;
  }

  guard_kind kind_;
  unsigned divided_ = 0;
};

/// The stacks that aren't in use. Each thread has its own pool.
class stack_pool {
 public:
  static constexpr std::size_t stack_bytes = (sanitized ? 256 : 64) * 1024;
  static constexpr std::size_t guard_bytes = 2 * stack_bytes;
  static constexpr std::size_t stacks_together = 32;

  explicit stack_pool(guard_kind kind = guard_kind::marked) : guards_(kind) {}
  stack_pool(const stack_pool&) = delete;
  stack_pool& operator=(const stack_pool&) = delete;
  ~stack_pool() {
    for (char* const mapping : mappings_) munmap(mapping, mapped_bytes);
  }

  /// Returns a stack from the pool, or maps a new one. Throws std::bad_alloc if the system refuses.
  stack take() {
    if (free_.empty()) return make();
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

  /// The number of stacks that this thread has ever used. It stops growing when launches reuse stacks.
  std::size_t mapped() const { return made_; }
  /// The number of its guards that divide a mapping.
  unsigned divided() const { return guards_.divided(); }
  /// True if an address is in a stack's guard.
  bool is_guard(const char* address) const {
    for (const char* const mapping : mappings_)
      if (mapping <= address && address < mapping + mapped_bytes)
        return static_cast<std::size_t>(address - mapping) % lane_bytes < guard_bytes;
    return false;
  }

 private:
  static constexpr std::size_t lane_bytes = guard_bytes + stack_bytes;
  static constexpr std::size_t mapped_bytes = stacks_together * lane_bytes;

  stack make() {
    std::size_t const place = made_ % stacks_together;
    if (place == 0) map();
    char* const guard = mappings_.back() + place * lane_bytes;
    guards_.put(guard, guard_bytes);
    // If all stacks began at the start of a page, their tops would share a few sets of the first-level
    // cache. So each stack begins a little lower than the previous one.
    std::size_t const color = made_ % 16 * 256;
    ++made_;
    return {guard + guard_bytes, stack_bytes - color, make_token()};
  }

  void map() {
    free_.reserve(made_ + stacks_together);  // so that give() can't throw
    mappings_.reserve(mappings_.size() + 1);
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
#if defined(MAP_STACK)
    flags |= MAP_STACK;
#endif
    void* const at = mmap(nullptr, mapped_bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
#if defined(MADV_NOHUGEPAGE)
    madvise(at, mapped_bytes, MADV_NOHUGEPAGE);  // a lane touches a few pages, not megabytes
#endif
    mappings_.push_back(static_cast<char*>(at));
  }

  std::vector<char*> mappings_;
  std::vector<stack> free_;
  guards guards_;
  std::size_t made_ = 0;
};

}  // namespace host::detail
TESSERA_NAMESPACE_END
