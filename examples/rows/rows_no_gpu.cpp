// The GPU's backend of a build without CUDA; rows_gpu.cpp has the other.
#include "backend.hpp"

namespace rows {

backend gpu_backend(tessera::device_info const& device) {
  throw gpu_error(device.reason);
}

}  // namespace rows
