// Names of types in host-tile reports, such as "float, tessera::plus".
#pragma once

#include <tessera/core/config.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

#if !TESSERA_ARCH

template <stl::size_t Length>
struct text {
  char chars[Length + 1];
};

/// The length of the inline namespace's name with its colons if it begins at `at`, else 0.
constexpr stl::size_t length_of_abi(const char* at) {
  constexpr char abi[] = TESSERA_TEXT(TESSERA_ABI) "::";
  stl::size_t i = 0;
  while (abi[i] != '\0' && at[i] == abi[i]) ++i;
  return abi[i] == '\0' ? i : 0;
}

template <class... Types>
constexpr auto spell_types() {
  // g++ gives "… spell_types() [with Types = {float, tessera::plus}]", clang++ "[Types = <float, tessera::plus>]".
  constexpr stl::size_t length = sizeof(__PRETTY_FUNCTION__) - 1;
  constexpr const char* spelled = __PRETTY_FUNCTION__;
  text<length> out{};
  stl::size_t from = 0;
  while (from + 1 < length && !(spelled[from] == '=' && spelled[from + 1] == ' ')) ++from;
  from += 3;
  stl::size_t to = 0;
  while (from + 2 < length) {
    if (spelled[from - 1] == ':')
      from += detail::length_of_abi(spelled + from);  // tessera::v0_1_0::plus is tessera::plus
    out.chars[to++] = spelled[from++];
  }
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

}  // namespace detail
TESSERA_NAMESPACE_END
