// The members of the library's structs in a trace, found by the name of their type.
//
//   tessera::indexed<float, int>                      float at byte 0, int at byte 4
//   tessera::zipped<char, tessera::moments<double> >  char at byte 0, tessera::moments<double> at byte 8
//
// A struct with a member of any other type has none.
#pragma once

#include <cstdlib>
#include <string>
#include <tessera/core/config.hpp>
#include <vector>

TESSERA_NAMESPACE_BEGIN
namespace host::detail {

/// "float" and "tessera::items<int, 3>" of "tessera::indexed<float, tessera::items<int, 3> >".
inline std::vector<std::string> arguments_of(const std::string& type) {
  std::vector<std::string> found;
  std::size_t const first = type.find('<');
  if (first == std::string::npos) return found;
  std::size_t begin = first + 1;
  int depth = 0;
  for (std::size_t at = begin; at < type.size(); ++at) {
    bool const ends = depth == 0 && (type[at] == ',' || type[at] == '>');
    if (ends) {
      std::size_t const from = type.find_first_not_of(' ', begin), to = type.find_last_not_of(' ', at - 1);
      found.push_back(type.substr(from, to + 1 - from));
      begin = at + 1;
      if (type[at] == '>') break;
    }
    depth += type[at] == '<' ? 1 : type[at] == '>' ? -1 : 0;
  }
  return found;
}

/// The types of a struct's members, or of a list's values; empty if the type isn't known. Some compilers omit default
/// template arguments, others write them.
inline std::vector<std::string> types_of_members(const std::string& type) {
  auto const is = [&](const char* name) { return type.rfind(std::string("tessera::") + name + "<", 0) == 0; };
  std::vector<std::string> of = detail::arguments_of(type);
  if (of.empty()) return {};
  if (is("items") || is("selection"))
    return std::vector<std::string>(std::strtoul(of.back().c_str(), nullptr, 10), of[0]);
  if (is("min_max") || is("affine_map")) return {of[0], of[0]};
  if (is("moments")) return {of[0], of[0], of[0]};
  if (is("exp_sum")) {
    of.insert(of.begin(), of[0]);
    if (of.back() == "void") of.pop_back();
    return of;
  }
  if (is("indexed") && of.size() == 1) of.push_back("int");
  return is("indexed") || is("zipped") ? of : std::vector<std::string>{};
}

struct type_layout {
  unsigned size = 0;  // 0 if the type isn't known
  unsigned align = 1;
};

struct traced_member {
  std::string type;
  unsigned offset, size;
};

inline type_layout layout_of(const std::string& type);

/// The members of a type, and its layout in `whole`.
inline std::vector<traced_member> members_of(const std::string& type, type_layout& whole) {
  std::vector<traced_member> found;
  unsigned end = 0;
  for (const std::string& member : detail::types_of_members(type)) {
    type_layout const its = detail::layout_of(member);
    if (its.size == 0) return {};
    unsigned const offset = (end + its.align - 1) / its.align * its.align;
    found.push_back({member, offset, its.size});
    end = offset + its.size;
    if (its.align > whole.align) whole.align = its.align;
  }
  whole.size = (end + whole.align - 1) / whole.align * whole.align;
  return found;
}

inline type_layout layout_of(const std::string& type) {
  struct number {
    const char* name;
    unsigned size;
  };
  constexpr number numbers[] = {{"bool", 1},
                                {"char", 1},
                                {"signed char", 1},
                                {"unsigned char", 1},
                                {"short", sizeof(short)},
                                {"short int", sizeof(short)},
                                {"unsigned short", sizeof(short)},
                                {"short unsigned int", sizeof(short)},
                                {"int", sizeof(int)},
                                {"unsigned", sizeof(int)},
                                {"unsigned int", sizeof(int)},
                                {"long", sizeof(long)},
                                {"long int", sizeof(long)},
                                {"unsigned long", sizeof(long)},
                                {"long unsigned int", sizeof(long)},
                                {"long long", sizeof(long long)},
                                {"long long int", sizeof(long long)},
                                {"unsigned long long", sizeof(long long)},
                                {"long long unsigned int", sizeof(long long)},
                                {"float", sizeof(float)},
                                {"double", sizeof(double)}};
  for (const number& each : numbers)
    if (type == each.name) return {each.size, each.size};
  type_layout whole;
  detail::members_of(type, whole);
  return whole;
}

}  // namespace host::detail
TESSERA_NAMESPACE_END
