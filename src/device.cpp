// find_device() of a build without CUDA. device.cu has that of a build with it.
#include <tessera/device.hpp>

TESSERA_NAMESPACE_BEGIN

device_info find_device() noexcept {
  device_info none;
  none.reason = "built without CUDA";
  return none;
}

TESSERA_NAMESPACE_END
