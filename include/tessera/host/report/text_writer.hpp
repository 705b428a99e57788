// Writes text piece by piece. (Concatenated strings take several times as long to compile, and every program that
// launches host tiles compiles the code that writes their traces.)
#pragma once

#include <cstdio>
#include <string>
#include <tessera/core/config.hpp>

TESSERA_NAMESPACE_BEGIN
namespace host::detail {

class text_writer {
 public:
  text_writer& operator<<(const char* text) {
    text_.append(text);
    return *this;
  }
  text_writer& operator<<(const std::string& text) {
    text_.append(text);
    return *this;
  }
  text_writer& operator<<(unsigned long long number) {
    char digits[24];
    std::snprintf(digits, sizeof digits, "%llu", number);
    return *this << digits;
  }
  text_writer& operator<<(unsigned long number) { return *this << static_cast<unsigned long long>(number); }
  text_writer& operator<<(unsigned number) { return *this << static_cast<unsigned long long>(number); }

  const std::string& text() const { return text_; }
  operator const std::string&() const { return text_; }

 private:
  std::string text_;
};

}  // namespace host::detail
TESSERA_NAMESPACE_END
