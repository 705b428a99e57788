// The version of the library: of its headers as macros and a constant, of the compiled library as a call.
#pragma once

#define TESSERA_VERSION_MAJOR 0
#define TESSERA_VERSION_MINOR 1
#define TESSERA_VERSION_PATCH 0
/// One number to compare with in `#if`: 10203 is 1.2.3.
#define TESSERA_VERSION (TESSERA_VERSION_MAJOR * 10000 + TESSERA_VERSION_MINOR * 100 + TESSERA_VERSION_PATCH)

namespace tessera {

/// The version of these headers.
inline constexpr char header_version[] = "0.1.0";

/// The version of the static library that is linked. Another one than `header_version` means that an
/// installed library and its headers got mixed.
const char* version() noexcept;

}  // namespace tessera
