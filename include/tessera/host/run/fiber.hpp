// Fibers: flows of control that one thread switches between. Each has its own stack and saved registers.
//
// The floating-point environment and the exceptions being handled belong to the thread and not to a fiber.
// So a fiber must never switch inside a `catch`.
#pragma once

#include <cstddef>
#include <cstring>
#include <tessera/core/config.hpp>
#include <tessera/host/run/sanitizer.hpp>
#include <tessera/host/run/stack.hpp>
#include <tessera/host/run/switch.hpp>

TESSERA_NAMESPACE_BEGIN
namespace host::detail {

/// A flow of control: the thread's own after construction, a lane's after `prepare`.
class fiber {
 public:
  /// Makes this the fiber that runs `entry` on stack `s`. `entry` must never return.
  void prepare(const stack& s, void (*entry)()) {
    base_ = s.base;
    bytes_ = s.bytes;
    token_ = s.token;
    fake_ = nullptr;
#if defined(TESSERA_HOST_UCONTEXT)
    getcontext(&registers_);
    registers_.uc_stack.ss_sp = s.base;
    registers_.uc_stack.ss_size = s.bytes;
    registers_.uc_link = nullptr;
    makecontext(&registers_, entry, 0);
#else
    // The frame that tessera_host_switch pops: zeros for the registers, and `entry` as the return address.
#if defined(__x86_64__)
    constexpr std::size_t frame = 8,
                          address = 6;  // in words; the last one is in the place of a caller's return address
#else
    constexpr std::size_t frame = 20, address = 11;
#endif
    void* words[frame] = {};
    std::memcpy(&words[address], &entry, sizeof entry);
    pointer_ = s.top() - sizeof words;
    std::memcpy(pointer_, words, sizeof words);
#endif
  }

  /// Makes this the calling thread's own flow, which the last lane returns to.
  void adopt_thread() {
    token_ = thread_token();
  }

  /// Switches from this fiber, which must be the running one, to `next`. Returns when another fiber
  /// switches back.
  void switch_to(fiber& next) {
    detail::before_switch(&fake_, next.base_, next.bytes_);
    go(next);
    arrived(fake_);
  }

  /// Switches to `next` for good: this fiber never runs again.
  [[noreturn]] void leave_for(fiber& next) {
    detail::before_switch(nullptr, next.base_, next.bytes_);
    go(next);
    tessera::detail::compiler::never_reached();
  }

  /// A lane must call this first on its new stack.
  static void entered() {
    arrived(nullptr);
  }
  /// The first lane of a launch calls this instead. It was entered from the thread's own flow; AddressSanitizer tells
  /// only here where the thread's stack is.
  static void entered_from(fiber& thread) {
    detail::after_switch(nullptr, &thread.base_, &thread.bytes_);
  }

 private:
  void go(fiber& next) {
    detail::switch_token(next.token_);
#if defined(TESSERA_HOST_UCONTEXT)
    swapcontext(&registers_, &next.registers_);
#else
    tessera_host_switch(&pointer_, next.pointer_);
#endif
  }
  static void arrived(void* fake) {
    const void* base;
    std::size_t bytes;
    detail::after_switch(fake, &base, &bytes);
  }

#if defined(TESSERA_HOST_UCONTEXT)
  ucontext_t registers_{};
#else
  void* pointer_ = nullptr;
#endif
  const void* base_ = nullptr;
  std::size_t bytes_ = 0;
  void* token_ = nullptr;
  void* fake_ = nullptr;
};

}  // namespace host::detail
TESSERA_NAMESPACE_END
