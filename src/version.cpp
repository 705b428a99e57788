#include <tessera/version.hpp>

namespace tessera {

const char* version() noexcept {
  return header_version;
}

}  // namespace tessera
