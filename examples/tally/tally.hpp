// Reads files, has them counted, and hands on what was found in each.
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
  std::uint64_t bytes[256] = {};  // how many there are of each

  /// Appends the next slice.
  void add(slice_count const& next);
};

/// What a tally tells: each may be empty but `counted`.
struct listener {
  std::function<void(std::string const& name, file_count const& count)> counted;
  std::function<void(std::string const& name, int error)> failed;  // `errno` of the failure
  std::function<void(std::size_t bytes)> read;                     // so many more bytes
};

/// Two batches: one is filled while the other is counted. Files come out in the order in which they were
/// added; memory doesn't depend on how many or how large they are.
class tallier {
 public:
  tallier(backend const& where, listener to);

  /// Reads a file to its end; "-" is standard input.
  void add(std::string const& name);
  /// Returns when all files have been handed on.
  void finish();

 private:
  int read_all(int file);
  void next_batch();
  void hand_on(batch const& counted);

  listener to_;
  std::unique_ptr<batch> filling_;
  std::unique_ptr<batch> counting_;
  file_count so_far_;  // of the file that the next counted slice belongs to
};

}  // namespace tally
