// The version of the library: of its headers as macros and a constant, and of the compiled library as a function.
#pragma once

#include <tessera/core/config.hpp>  // TESSERA_VERSION_MAJOR, TESSERA_VERSION_MINOR, TESSERA_VERSION_PATCH

/// One number to compare with in `#if`: 10203 is 1.2.3.
#define TESSERA_VERSION (TESSERA_VERSION_MAJOR * 10000 + TESSERA_VERSION_MINOR * 100 + TESSERA_VERSION_PATCH)

TESSERA_NAMESPACE_BEGIN

/// The version of these headers.
inline constexpr char header_version[] =
    TESSERA_TEXT(TESSERA_VERSION_MAJOR.TESSERA_VERSION_MINOR.TESSERA_VERSION_PATCH);

/// The version of the linked static library, equal to that of the headers. Versions differ in the function's name, so a
/// program that mixes an installed library with other headers doesn't link.
TESSERA_API const char* version() noexcept;

TESSERA_NAMESPACE_END
