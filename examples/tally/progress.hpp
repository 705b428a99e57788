// A progress bar on standard error. It appears if that is a terminal and the work takes over a second.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace tally {

class progress {
 public:
  /// `total` is the number of bytes to read, or 0 if it is unknown.
  explicit progress(std::uint64_t total);
  progress(progress const&) = delete;
  progress& operator=(progress const&) = delete;
  ~progress() { hide(); }

  void advance(std::size_t bytes);
  /// Removes the bar. Must be called before anything else is printed; the bar reappears by itself.
  void hide();

 private:
  using clock = std::chrono::steady_clock;

  void show(clock::time_point now);

  bool is_terminal_;
  bool shown_ = false;
  std::uint64_t total_;
  std::uint64_t done_ = 0;
  clock::time_point began_ = clock::now();
  clock::time_point next_show_ = began_ + std::chrono::seconds(1);
};

}  // namespace tally
