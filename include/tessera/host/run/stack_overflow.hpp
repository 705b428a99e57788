// Reports which lane has overflowed its stack, before the signal ends the program.
//
// A handler of SIGSEGV and SIGBUS is installed at the first launch, and runs on a stack of its own. Faults that aren't
// a lane's are passed on to the previous handler, or to the system. Sanitizers report such faults themselves.
#pragma once

#include <signal.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <tessera/core/config.hpp>
#include <tessera/host/run/sanitizer.hpp>

TESSERA_NAMESPACE_BEGIN
namespace host::detail {

/// Writes to the standard error stream as a signal handler may: without memory and locks.
inline void write_error(const char* text) {
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) return;
}
inline void write_error(unsigned number) {
  char digits[12] = {};
  char* at = digits + sizeof digits - 1;
  do *--at = static_cast<char>('0' + number % 10);
  while ((number /= 10) != 0);
  detail::write_error(at);
}

/// While one exists, faults on its thread are passed to `report`, which tells whether one was an overflow.
class overflow_watch {
 public:
  using reporter = bool (*)(const char* address);

  explicit overflow_watch(reporter report) {
    if (sanitized) return;
    install(report);
    stack_t before{};
    if (sigaltstack(nullptr, &before) != 0 || (before.ss_flags & SS_DISABLE) == 0) return;  // there is one
    memory_ = std::make_unique<char[]>(bytes);
    stack_t own{};
    own.ss_sp = memory_.get();
    own.ss_size = bytes;
    if (sigaltstack(&own, nullptr) != 0) memory_.reset();
  }
  overflow_watch(const overflow_watch&) = delete;
  overflow_watch& operator=(const overflow_watch&) = delete;
  ~overflow_watch() {
    if (memory_ == nullptr) return;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    none.ss_size = bytes;
    sigaltstack(&none, nullptr);
  }

 private:
  static constexpr std::size_t bytes = 64 * 1024;  // the registers of some CPUs take 11 KiB

  struct handlers {
    reporter report;
    struct sigaction before_segv, before_bus;
  };
  static handlers& all() {
    static handlers here{};
    return here;
  }
  static void install(reporter report) {
    static const bool installed = [report] {
      all().report = report;
      struct sigaction ours {};
      ours.sa_sigaction = &on_fault;
      ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
      sigemptyset(&ours.sa_mask);
      return sigaction(SIGSEGV, &ours, &all().before_segv) == 0 && sigaction(SIGBUS, &ours, &all().before_bus) == 0;
    }();
    static_cast<void>(installed);
  }
  /// Restores the previous handler. After the return the access is repeated, and faults again.
  static void on_fault(int signal, siginfo_t* info, void*) {
    struct sigaction next = signal == SIGBUS ? all().before_bus : all().before_segv;
    if (all().report(static_cast<const char*>(info->si_addr))) {
      next = {};
      next.sa_handler = SIG_DFL;
    }
    sigaction(signal, &next, nullptr);
  }

  std::unique_ptr<char[]> memory_;
};

}  // namespace host::detail
TESSERA_NAMESPACE_END
