// The GPU's backend in a build without the functions for whole arrays. arrays_gpu.cpp has the one that works.
#include "backend.hpp"

namespace arrays {

tessera::device_info find_gpu() {
  tessera::device_info found = tessera::find_device();
  if (found.usable) found.reason = "built without the functions for whole arrays";
  found.usable = false;
  return found;
}

backend gpu_backend(tessera::device_info const& device) {
  throw gpu_error(device.reason);
}

}  // namespace arrays
