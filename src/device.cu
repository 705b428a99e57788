// find_device() of a build with CUDA. device.cpp has that of a build without.
#include <tessera/device.hpp>
#include <tessera/grid/parts/cuda_status.hpp>

#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstring>

TESSERA_NAMESPACE_BEGIN

namespace {

using grid::detail::own_status;

// It is compiled for the same architectures as every kernel of the library: if it loads, they do.
__global__ void probe() {}

// The message for a GPU that this build has no code for. It names the architectures: "… (built for sm_80, sm_90)".
struct no_code_message {
  char text[256] = "no code for this GPU (built for";

  no_code_message() noexcept {
    char const* separator = " ";
    for (int arch : {__CUDA_ARCH_LIST__}) {
      std::size_t const used = std::strlen(text);
      std::snprintf(text + used, sizeof text - used, "%ssm_%d", separator, arch / 10);
      separator = ", ";
    }
    std::strncat(text, ")", sizeof text - std::strlen(text) - 1);
  }
};

char const* reason_for(cudaError_t error) noexcept {
  static no_code_message const no_code;
  switch (error) {
    case cudaErrorInsufficientDriver:
      return "no CUDA driver, or one too old for this build";
    case cudaErrorStubLibrary:
      return "no CUDA driver (only its stub library)";
    case cudaErrorNoDevice:
      return "no GPU";
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorInvalidKernelImage:
    case cudaErrorUnsupportedPtxVersion:
      return no_code.text;
    default:
      return cudaGetErrorString(error);
  }
}

device_info describe(int index) noexcept {
  device_info device;
  device.index = index;
  cudaDeviceProp properties;
  cudaError_t error = own_status(cudaGetDeviceProperties(&properties, index));
  if (error == cudaSuccess) {
    device.arch = 10 * properties.major + properties.minor;
    std::snprintf(device.name, sizeof device.name, "%s", properties.name);
    error = own_status(cudaSetDevice(index));
  }
  cudaFuncAttributes attributes;
  if (error == cudaSuccess) error = own_status(cudaFuncGetAttributes(&attributes, probe));
  device.usable = error == cudaSuccess;
  if (!device.usable) device.reason = reason_for(error);
  return device;
}

}  // namespace

device_info find_device() noexcept {
  device_info found;
  int count = 0;
  int current = 0;
  cudaError_t error = own_status(cudaGetDeviceCount(&count));
  if (error == cudaSuccess && count == 0) error = cudaErrorNoDevice;
  if (error == cudaSuccess) error = own_status(cudaGetDevice(&current));
  if (error != cudaSuccess) {
    found.reason = reason_for(error);
  } else {
    for (int index = 0; index < count && !found.usable; ++index) {
      device_info const device = describe(index);
      if (device.usable || index == 0) found = device;
    }
    (void)own_status(cudaSetDevice(current));
  }
  return found;
}

TESSERA_NAMESPACE_END
