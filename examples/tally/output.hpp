// Prints the counts on standard output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tally.hpp"

namespace tally {

class output {
 public:
  virtual ~output() = default;
  virtual void begin(backend const& where) = 0;
  virtual void counted(std::string const& name, file_count const& count) = 0;
  virtual void failed(std::string const& name, std::string const& why) = 0;
  virtual void end() = 0;
};

/// Prints lines of `key value`. With several files, a line `file NAME` precedes the lines of each file.
std::unique_ptr<output> text_output(bool several_files, bool histogram);
/// Prints one JSON object. With several files, it has an array `files` with one object for each file.
std::unique_ptr<output> json_output(bool several_files);

struct byte_count {
  unsigned byte;
  std::uint64_t count;
};

/// The eight most frequent bytes, or fewer if fewer occur. Of equally frequent bytes the lower one comes
/// first.
std::vector<byte_count> most_frequent(file_count const& count);

/// The byte as two hexadecimal digits: "0x0a".
std::string hex(unsigned byte);

}  // namespace tally
