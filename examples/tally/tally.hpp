// Reads files, lets a backend count them, and passes each file's counts to a listener.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "backend.hpp"

namespace tally {

struct file_count {
  text<std::uint64_t> seen{};
  std::uint64_t bytes[256] = {};  // the number of bytes of each value

  /// Appends the next slice.
  void add(slice_count const& next);
};

/// The functions that a tally calls.
struct listener {
  std::function<void(std::string const& name, file_count const& count)> counted;
  std::function<void(std::string const& name, int error)> failed;  // `error` is the `errno` of the failure
  std::function<void(std::size_t bytes)> read;                     // called after reading `bytes` more bytes
};

/// Counts files by two batches: one is filled while the other is counted. The results come in the order in
/// which the files were added. The memory that this takes doesn't depend on the number or size of the
/// files.
class tallier {
 public:
  tallier(backend const& where, listener to);

  /// Reads a file to its end; "-" is standard input.
  void add(std::string const& name);
  /// Returns after the listener has got the results of all files.
  void finish();

 private:
  int read_all(int file);
  void next_batch();
  void hand_on(batch const& counted);

  listener to_;
  std::unique_ptr<batch> filling_;
  std::unique_ptr<batch> counting_;
  file_count so_far_;  // the counts of the file that the next slice belongs to
};

}  // namespace tally
