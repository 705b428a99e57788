// The text of a recorded value: a number if its type is one, items<T, K> as a list, the library's structs with their
// members in braces, else the bytes in hexadecimal.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <tessera/core/config.hpp>
#include <tessera/host/report/trace_struct.hpp>

TESSERA_NAMESPACE_BEGIN
namespace host::detail {

/// True if `type` consists of the words of integer types: "long unsigned int".
inline bool is_integer_name(const std::string& type) {
  constexpr const char* words[] = {"unsigned", "signed", "long", "short", "int", "char"};
  std::size_t at = 0;
  while (at < type.size()) {
    std::size_t length = 0;
    for (const char* word : words)
      if (type.compare(at, std::strlen(word), word) == 0) length = std::strlen(word);
    at += length;
    if (length == 0 || (at < type.size() && type[at++] != ' ')) return false;
  }
  return !type.empty();
}

inline std::string integer_text(const unsigned char* bytes, unsigned size, bool is_signed) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, size);  // of little-endian hosts, as GPUs are
  if (!is_signed) return std::to_string(word);
  unsigned const unused = 64 - 8 * size;
  return std::to_string(static_cast<std::int64_t>(word << unused) >> unused);
}

/// The digits that show the number exactly.
inline std::string float_text(double x, bool is_float) {
  char text[40];
  for (int digits = 1; digits <= (is_float ? 9 : 17); ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, x);
    double const back = std::strtod(text, nullptr);
    if (is_float ? static_cast<float>(back) == static_cast<float>(x) : back == x) break;
  }
  return text;
}

inline std::string hex_text(const unsigned char* bytes, unsigned size) {
  std::string text = "0x";
  char digits[3];
  for (unsigned i = size; i-- > 0;) {
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(bytes[i]));
    text += digits;
  }
  return text;
}

/// "0x21" for "0x00000021".
inline std::string without_zeros(const std::string& hex) {
  std::size_t const digit = hex.find_first_not_of('0', 2);
  return "0x" + (digit == std::string::npos ? "0" : hex.substr(digit));
}

template <class T>
T number_of(const unsigned char* bytes) {
  T x;
  std::memcpy(&x, bytes, sizeof x);
  return x;
}

std::string value_text(const std::string& type, const unsigned char* bytes, unsigned size);

/// "1, 2, 3" for the type "tessera::items<int, 3>"; the type of an item ends at the last comma.
inline std::string items_text(const std::string& type, const unsigned char* bytes, unsigned size) {
  constexpr const char* name = "tessera::items<";
  std::size_t const comma = type.rfind(',');
  unsigned const count = static_cast<unsigned>(std::strtoul(type.c_str() + comma + 1, nullptr, 10));
  if (count == 0 || size % count != 0) return detail::hex_text(bytes, size);
  std::string const item = type.substr(std::strlen(name), comma - std::strlen(name));
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += (i == 0 ? "" : ",") + detail::value_text(item, bytes + i * (size / count), size / count);
  return text;
}

/// "{0.5,7}" for the type "tessera::indexed<float, int>", and nothing for a type whose members aren't known.
inline std::string members_text(const std::string& type, const unsigned char* bytes, unsigned size) {
  type_layout whole;
  std::string text;
  for (const traced_member& member : detail::members_of(type, whole)) {
    std::string const its = detail::value_text(member.type, bytes + member.offset, member.size);
    bool const is_list = member.type.rfind("tessera::items<", 0) == 0;
    text += (text.empty() ? "{" : ",") + (is_list ? "{" + its + "}" : its);
  }
  return text.empty() || whole.size != size ? std::string() : text + "}";
}

inline std::string value_text(const std::string& type, const unsigned char* bytes, unsigned size) {
  if (type == "bool" && size == 1) return bytes[0] != 0 ? "1" : "0";
  if (type == "float" && size == 4)
    return detail::float_text(static_cast<double>(detail::number_of<float>(bytes)), true);
  if (type == "double" && size == 8) return detail::float_text(detail::number_of<double>(bytes), false);
  if (size <= 8 && detail::is_integer_name(type))
    return detail::integer_text(bytes, size, type.find("unsigned") == std::string::npos);
  if (type.rfind("tessera::items<", 0) == 0) return detail::items_text(type, bytes, size);
  if (type.rfind("tessera::lane_mask<", 0) == 0) return detail::without_zeros(detail::hex_text(bytes, size));
  std::string const members = detail::members_text(type, bytes, size);
  return members.empty() ? detail::hex_text(bytes, size) : members;
}

}  // namespace host::detail
TESSERA_NAMESPACE_END
