// Names of types in host-tile reports: "float, tessera::plus".
#pragma once

#include <tessera/config.hpp>

namespace tessera::detail {

#if !TESSERA_ARCH

template <stl::size_t Length>
struct text {
  char chars[Length + 1];
};

template <class... Types>
constexpr auto spell_types() {
  // "… spell_types() [with Types = {float, tessera::plus}]" by g++, "[Types = <float, tessera::plus>]" by
  // clang++
  constexpr stl::size_t length = sizeof(__PRETTY_FUNCTION__) - 1;
  constexpr const char* spelled = __PRETTY_FUNCTION__;
  text<length> out{};
  stl::size_t from = 0;
  while (from + 1 < length && !(spelled[from] == '=' && spelled[from + 1] == ' ')) ++from;
  from += 3;
  for (stl::size_t i = 0; from + i + 2 < length; ++i) out.chars[i] = spelled[from + i];
  return out;
}

template <class... Types>
inline constexpr auto spelled_types = spell_types<Types...>();

#endif

template <class... Types>
TESSERA_FN const char* type_names() {
#if TESSERA_ARCH
  return "";
#else
  return spelled_types<Types...>.chars;
#endif
}

}  // namespace tessera::detail
