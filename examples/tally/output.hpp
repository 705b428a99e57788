// How the counts are printed on standard output.
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

/// `key value` lines; with several files, a line `file NAME` before those of each.
std::unique_ptr<output> text_output(bool several_files, bool histogram);
/// One JSON object; with several files, it has an array `files` of one object each.
std::unique_ptr<output> json_output(bool several_files);

struct byte_count {
  unsigned byte;
  std::uint64_t count;
};

/// The eight most frequent bytes, ties by lower byte; fewer where fewer occur.
std::vector<byte_count> most_frequent(file_count const& count);

/// "0x0a"
std::string hex(unsigned byte);

}  // namespace tally
