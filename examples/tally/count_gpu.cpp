// The GPU's backend in a build without CUDA. count_gpu.cu has the one that counts.
#include "backend.hpp"

namespace tally {

backend gpu_backend(tessera::device_info const& device) {
  throw gpu_error(device.reason);
}

}  // namespace tally
