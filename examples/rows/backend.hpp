// Where the rows are worked on.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <tessera/device.hpp>

#include "task.hpp"

namespace rows {

struct backend {
  std::string name;                                                     // "cpu" or "gpu"
  std::string device;                                                   // the GPU's name; empty for the CPU
  std::function<void(task const& t, array const& in, array& out)> run;  // `out` is room_for(t, in)
};

/// The GPU failed; `what()` says at which call and why.
struct gpu_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The GPU that this build can work on; `reason` where there is none.
tessera::device_info find_gpu();

backend cpu_backend();
/// Precondition: the device is usable.
backend gpu_backend(tessera::device_info const& device);

}  // namespace rows
