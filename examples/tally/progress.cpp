#include "progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace tally {

namespace {

constexpr int width = 60;

}  // namespace

progress::progress(std::uint64_t total) : is_terminal_(isatty(STDERR_FILENO) == 1), total_(total) {}

void progress::advance(std::size_t bytes) {
  done_ += bytes;
  if (!is_terminal_) return;
  clock::time_point const now = clock::now();
  if (now >= next_show_) show(now);
}

void progress::hide() {
  if (shown_) std::fprintf(stderr, "\r%*s\r", width, "");
  shown_ = false;
}

void progress::show(clock::time_point now) {
  double const seconds = std::chrono::duration<double>(now - began_).count();
  double const megabytes = static_cast<double>(done_) / 1e6;
  char text[2 * width];
  if (total_ > 0) {
    constexpr unsigned cells = 30;
    // A file may grow while it is read.
    std::uint64_t const percent = std::min<std::uint64_t>(100, done_ / (total_ / 100 + 1));
    char bar[cells + 1] = {};
    for (unsigned i = 0; i < cells; ++i) bar[i] = i < percent * cells / 100 ? '#' : '.';
    std::snprintf(text, sizeof text, "[%s] %3d %%  %.0f MB/s", bar, static_cast<int>(percent),
                  megabytes / seconds);
  } else {
    std::snprintf(text, sizeof text, "%.0f MB  %.0f MB/s", megabytes, megabytes / seconds);
  }
  std::fprintf(stderr, "\r%-*.*s", width, width, text);
  std::fflush(stderr);
  shown_ = true;
  next_show_ = now + std::chrono::milliseconds(100);
}

}  // namespace tally
