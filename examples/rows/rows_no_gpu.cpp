// The GPU's backend of a build without launchers of whole arrays; rows_gpu.cpp has the other.
#include "backend.hpp"

namespace rows {

tessera::device_info find_gpu() {
  tessera::device_info found = tessera::find_device();
  if (found.usable) found.reason = "built without the functions on whole arrays";
  found.usable = false;
  return found;
}

backend gpu_backend(tessera::device_info const& device) {
  throw gpu_error(device.reason);
}

}  // namespace rows
