// The file that a traced launch writes: which launch and which block, and when.
//
//   TESSERA_HOST_TRACE=sum.json ./program        the first launch of the process
//   TESSERA_HOST_TRACE_LAUNCH=3                  the third launch instead (from 1)
//   TESSERA_HOST_TRACE_BLOCK=5                   block 5 of its grid instead of block 0
//   host::options{}.with_trace("sum.json", 5)    this launch
//   tools/draw_trace sum.json                    a picture of what was recorded
//
// A launch that ends in an exception or a misuse writes the block that ended so. With TESSERA_HOST_TRACE the first
// misuse of the process replaces the requested launch, whichever launch it is.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <tessera/core/config.hpp>
#include <tessera/host/report/trace.hpp>
#include <tessera/host/report/trace_json.hpp>
#include <tessera/host/run/schedule.hpp>

TESSERA_NAMESPACE_BEGIN
namespace host::detail {

inline bool ends_with(const std::string& text, const char* suffix) {
  std::size_t const length = std::strlen(suffix);
  return text.size() >= length && text.compare(text.size() - length, length, suffix) == 0;
}

/// The state of TESSERA_HOST_TRACE in this process.
struct traced_process {
  std::atomic<unsigned long long> launches{0};
  std::atomic<bool> has_misuse{false};         // the file shows a misuse, and stays
  std::atomic_flag writes = ATOMIC_FLAG_INIT;  // a thread writes the file
};
inline traced_process process_traced;

/// Holds the right to write the file. Threads rarely compete for it, so they may spin.
class writing {
 public:
  writing() {
    while (process_traced.writes.test_and_set(std::memory_order_acquire)) {
    }
  }
  writing(const writing&) = delete;
  writing& operator=(const writing&) = delete;
  ~writing() { process_traced.writes.clear(std::memory_order_release); }
};

/// Throws unless a trace can be written to `file`.
inline void check_trace_file(const std::string& file) {
  if (!detail::ends_with(file, ".json"))
    throw std::invalid_argument("trace: " + file +
                                " doesn't end in .json. tools/draw_trace draws a picture of such a file.");
  std::FILE* const out = std::fopen(file.c_str(), "ab");
  if (out == nullptr) throw std::runtime_error("trace: can't write " + file + ": " + std::strerror(errno));
  std::fclose(out);
}

inline void write_trace(const std::string& file, const trace_record& record) {
  std::string const text = detail::json_of(record);
  std::FILE* const out = std::fopen(file.c_str(), "wb");
  bool const written = out != nullptr && std::fwrite(text.data(), 1, text.size(), out) == text.size();
  if ((out != nullptr && std::fclose(out) != 0) || !written)
    throw std::runtime_error("trace: can't write " + file + ": " + std::strerror(errno));
}

inline unsigned long long number_in_environment(const char* name, unsigned long long otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// The trace of one launch.
class launch_trace {
 public:
  /// The trace that the options or else the environment request; null for none.
  static std::unique_ptr<launch_trace> begin(const options& how, unsigned blocks, const call_site& site) {
    if (how.trace) return std::make_unique<launch_trace>(how.trace->file, how.trace->block, blocks, true, site);
    const char* const file = std::getenv("TESSERA_HOST_TRACE");
    return file == nullptr || file[0] == '\0' ? nullptr : of_environment(file, blocks, site);
  }

  launch_trace(const std::string& file, unsigned long long block, unsigned blocks, bool wanted, const call_site& site,
               bool of_process = false)
      : file_(file), block_(block), wanted_(wanted), of_process_(of_process), recorder_(site, file) {
    detail::check_trace_file(file);
    if (wanted && block >= blocks)
      throw std::invalid_argument("trace: there is no block " + std::to_string(block) + " in a grid of " +
                                  std::to_string(blocks));
    ++launches_traced;
  }
  launch_trace(const launch_trace&) = delete;
  launch_trace& operator=(const launch_trace&) = delete;
  ~launch_trace() { --launches_traced; }

  trace_recorder& recorder() { return recorder_; }
  /// Keeps the record of the block that ran last, if it is the one that was asked for.
  void block_ended(unsigned rank) {
    if (wanted_ && rank == block_) kept_ = recorder_.take();
  }
  /// Writes the file after the launch.
  void write() {
    if (!wanted_) return;
    writing const lock;
    if (!(of_process_ && process_traced.has_misuse)) detail::write_trace(file_, kept_);
  }
  /// Writes the block that ran last, in which the launch failed. Errors in writing must not hide the launch's error.
  void write_failed(bool is_misuse) noexcept {
    if (!wanted_ && !is_misuse) return;
    try {
      writing const lock;
      if (of_process_ && process_traced.has_misuse) return;
      if (of_process_ && is_misuse) process_traced.has_misuse = true;
      detail::write_trace(file_, recorder_.take());
    } catch (...) {
    }
  }

 private:
  static std::unique_ptr<launch_trace> of_environment(const char* file, unsigned blocks, const call_site& site) {
    bool const wanted = ++process_traced.launches == detail::number_in_environment("TESSERA_HOST_TRACE_LAUNCH", 1);
    if (process_traced.has_misuse) return nullptr;
    return std::make_unique<launch_trace>(file, detail::number_in_environment("TESSERA_HOST_TRACE_BLOCK", 0), blocks,
                                          wanted, site, true);
  }

  std::string file_;
  unsigned long long block_;
  bool wanted_;
  bool of_process_;
  trace_recorder recorder_;
  trace_record kept_;
};

}  // namespace host::detail
TESSERA_NAMESPACE_END
