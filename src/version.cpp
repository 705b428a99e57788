#include <tessera/version.hpp>

TESSERA_NAMESPACE_BEGIN

const char* version() noexcept {
  return header_version;
}

TESSERA_NAMESPACE_END
