#include "output.hpp"

#include <algorithm>
#include <iostream>

namespace tally {

std::vector<byte_count> most_frequent(file_count const& count) {
  std::vector<byte_count> found;
  for (unsigned byte = 0; byte < 256; ++byte)
    if (count.bytes[byte] != 0) found.push_back({byte, count.bytes[byte]});
  std::stable_sort(found.begin(), found.end(), [](byte_count a, byte_count b) { return a.count > b.count; });
  if (found.size() > 8) found.resize(8);
  return found;
}

std::string hex(unsigned byte) {
  char const* const digits = "0123456789abcdef";
  return {'0', 'x', digits[byte / 16], digits[byte % 16]};
}

namespace {

/// The name on one line: a newline becomes \n, and a backslash \\.
std::string on_one_line(std::string const& name) {
  std::string line;
  for (char c : name) line += c == '\n' ? "\\n" : c == '\\' ? "\\\\" : std::string(1, c);
  return line;
}

class text_lines : public output {
 public:
  text_lines(bool several_files, bool histogram) : several_files_(several_files), histogram_(histogram) {}

  void begin(backend const& where) override {
    std::cout << "backend " << where.name << (where.device.empty() ? "" : " ") << where.device << std::endl;
  }
  void counted(std::string const& name, file_count const& count) override {
    if (several_files_) std::cout << "file " << on_one_line(name) << '\n';
    std::cout << "bytes " << count.seen.bytes << '\n'
              << "lines " << count.seen.lines << '\n'
              << "words " << count.seen.words << '\n'
              << "longest " << count.seen.longest << '\n'
              << "top";
    for (byte_count const& b : most_frequent(count)) std::cout << ' ' << hex(b.byte) << ':' << b.count;
    std::cout << '\n';
    if (histogram_)
      for (unsigned byte = 0; byte < 256; ++byte) std::cout << hex(byte) << ' ' << count.bytes[byte] << '\n';
    std::cout << std::flush;
  }
  void failed(std::string const&, std::string const&) override {}
  void end() override {}

 private:
  bool several_files_;
  bool histogram_;
};

}  // namespace

std::unique_ptr<output> text_output(bool several_files, bool histogram) {
  return std::make_unique<text_lines>(several_files, histogram);
}

}  // namespace tally
