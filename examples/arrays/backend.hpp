// The backends: a task runs on the CPU or on the GPU.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <tessera/device.hpp>

#include "task.hpp"

namespace arrays {

struct backend {
  std::string name;                                                     // "cpu" or "gpu"
  std::string device;                                                   // the GPU's name; empty for the CPU
  std::function<void(task const& t, array const& in, array& out)> run;  // `out` is zeros_for(t, in)
};

/// Thrown when the GPU fails. `what()` names the call and the reason.
struct gpu_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The GPU that this build can use. If there is none, `reason` says why.
tessera::device_info find_gpu();

backend cpu_backend();
/// Precondition: the device is usable.
backend gpu_backend(tessera::device_info const& device);

}  // namespace arrays
