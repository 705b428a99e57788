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
  /// "12", "12.5": a coordinate, with one decimal unless it is whole.
  text_writer& operator<<(double x) {
    double const tenths = x < 0 ? x * 10 - 0.5 : x * 10 + 0.5;
    long long const rounded = static_cast<long long>(tenths);
    char digits[32];
    std::snprintf(digits, sizeof digits, rounded % 10 == 0 ? "%.0f" : "%.1f",
                  static_cast<double>(rounded) / 10);
    return *this << digits;
  }

  const std::string& text() const { return text_; }
  operator const std::string&() const { return text_; }

 private:
  std::string text_;
};

}  // namespace host::detail
TESSERA_NAMESPACE_END
