#include "tally.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace tally {

void file_count::add(slice_count const& next) {
  text<unsigned> const& t = next.seen;
  seen = join{}(seen, text<std::uint64_t>{t.bytes, t.lines, t.words, t.longest, t.first_line, t.last_line,
                                          t.starts_in_word, t.ends_in_word});
  for (unsigned byte = 0; byte < 256; ++byte) bytes[byte] += next.bytes[byte];
}

tallier::tallier(backend const& where, listener to)
    : to_(std::move(to)), filling_(where.make_batch()), counting_(where.make_batch()) {}

void tallier::add(std::string const& name) {
  if (filling_->full()) next_batch();
  if (name == "-") {
    filling_->end_file(name, read_all(STDIN_FILENO));
    return;
  }
  int const file = open(name.c_str(), O_RDONLY | O_CLOEXEC);
  int const error = file < 0 ? errno : read_all(file);
  if (file >= 0) close(file);
  filling_->end_file(name, error);
}

void tallier::finish() {
  next_batch();
  next_batch();
}

/// Returns 0, or `errno` if the file could not be read to its end.
int tallier::read_all(int file) {
  for (;;) {
    if (filling_->full()) next_batch();
    ssize_t const got = read(file, filling_->free_space(), filling_->free_bytes());
    if (got == 0) return 0;
    if (got > 0) {
      filling_->add(static_cast<std::size_t>(got));
      to_.read(static_cast<std::size_t>(got));
    } else if (errno != EINTR) {
      return errno;
    }
  }
}

void tallier::next_batch() {
  filling_->start();
  counting_->finish();
  hand_on(*counting_);
  counting_->clear();
  std::swap(filling_, counting_);
}

void tallier::hand_on(batch const& counted) {
  unsigned next = 0;
  auto const add_until = [&](unsigned end) {
    for (; next < end; ++next) so_far_.add(counted.count(next));
  };
  for (ending const& file : counted.endings()) {
    add_until(file.slices);
    if (file.error == 0) {
      to_.counted(file.name, so_far_);
    } else {
      to_.failed(file.name, file.error);
    }
    so_far_ = {};
  }
  add_until(counted.slices());
}

}  // namespace tally
