// The GPU that runs the kernels of this build, for host code in plain C++, compiled with or without CUDA.
#pragma once

#include <tessera/core/config.hpp>

TESSERA_NAMESPACE_BEGIN

/// The result of `find_device`.
struct device_info {
  bool usable = false;      ///< There is a GPU, and this build holds code for it.
  int index = -1;           ///< The device's number for `cudaSetDevice`; −1 where there is none.
  int arch = 0;             ///< Its architecture, 90 for sm_90; 0 where there is none.
  char name[256] = "";      ///< Its name; empty where there is none.
  const char* reason = "";  ///< Why `usable` is false, to be shown to the user; lives as long as the program.
};

/// Returns the first GPU that can run this build's kernels. If there is none, `reason` tells what is missing: CUDA in
/// the build, a driver, a device, or code for it; in the last case `index`, `arch` and `name` are the first GPU's.
///
/// Doesn't print, leaves the current device as it is, and doesn't disturb later CUDA calls. The first call starts the
/// driver (about 0.2 s with a GPU); later ones take microseconds. Nothing is cached.
TESSERA_API device_info find_device() noexcept;

TESSERA_NAMESPACE_END
