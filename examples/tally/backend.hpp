// The backends: the counting runs on the CPU or on the GPU.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <tessera/device.hpp>

#include "batch.hpp"

namespace tally {

struct backend {
  std::string name;    // "cpu" or "gpu"
  std::string device;  // the GPU's name; empty for the CPU
  std::function<std::unique_ptr<batch>()> make_batch;
};

/// The GPU's batches throw this when the GPU fails. `what()` names the call and the reason.
struct gpu_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

backend cpu_backend();
/// Precondition: the device is usable.
backend gpu_backend(tessera::device_info const& device);

}  // namespace tally
