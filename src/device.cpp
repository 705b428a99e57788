// find_device() of a build without CUDA; device.cu has the other.
#include <tessera/device.hpp>

namespace tessera {

device_info find_device() noexcept {
  device_info none;
  none.reason = "built without CUDA";
  return none;
}

}  // namespace tessera
