// Every launcher of grid/ launches kernels and queries the current device by these functions.
#pragma once

#ifndef __CUDACC__
#error "tessera: headers that end in .cuh have kernels: include them in a .cu file, for nvcc or clang."
#endif

#include <tessera/core/bits.hpp>
#include <tessera/grid/parts/cuda_status.hpp>
#include <tessera/grid/parts/driver_function.hpp>

#include <cuda_runtime.h>

#include <atomic>
#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

inline namespace TESSERA_ARCHS {

/// The numbers of threads that run a kernel, and their groups.
struct launch_shape {
  std::int64_t blocks;
  unsigned threads;           // of a block
  unsigned shared_bytes = 0;  // of a block, dynamic ones
  unsigned cluster = 1;       // blocks of a cluster
};

/// A kernel's parameter of a user's type, or of one that holds a user's. nvcc reads parameters of alignment 1 in
/// pieces of 16 bits, and puts them at odd offsets: where one follows a packed struct of 9 bytes, that is a
/// misaligned address.
template <class T>
struct alignas(alignof(T) < 16 ? 16 : alignof(T)) aligned {
  T value;
  aligned(T const& x) : value(x) {}
};

/// A reader or writer (core/iterators.hpp) as a kernel's parameter, and the one that a parameter is.
template <class In>
using reader_parameter = stl::conditional_t<stl::is_pointer_v<In>, In, aligned<In>>;
template <class T>
TESSERA_FN T* reader_in(T* const& parameter) {
  return parameter;
}
template <class In>
TESSERA_FN In const& reader_in(aligned<In> const& parameter) {
  return parameter.value;
}

/// True if a kernel may have a parameter of this type.
template <class T>
inline constexpr bool is_parameter = alignof(T) >= 4 || alignof(T) == sizeof(T);

/// The first statement of every kernel: CUDA may have begun it while the kernel before it in its stream still ran, so
/// that its blocks are there when that one ends. Waits until it has, and all that it stored can be seen. Called by
/// all threads.
__device__ inline void wait_for_stream() {
#if TESSERA_ARCH >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// The library's knowledge of a kernel: a bit of each device.
struct kernel_devices {
  std::atomic<std::uint64_t> waiting{0}, others{0};  // whose code of the kernel waits, and whose doesn't
  std::atomic<std::uint64_t> allowed{0};             // that have set the kernel's limit of shared memory
};

template <auto* Kernel>
kernel_devices& devices_of() noexcept {
  static kernel_devices devices;
  return devices;
}

/// Asks whether the current device's code of a kernel waits: only code for sm_90 and later can, as only that is for
/// clusters. The answer is remembered.
inline cudaError_t query_waiting(void const* kernel, kernel_devices& devices, bool& waits) noexcept {
  int device = 0;
  cudaError_t error = detail::own_status(cudaGetDevice(&device));
  std::uint64_t const bit = device < 64 ? std::uint64_t{1} << device : 0;
  waits = (devices.waiting.load(std::memory_order_relaxed) & bit) != 0;
  if (error != cudaSuccess || waits || (devices.others.load(std::memory_order_relaxed) & bit) != 0) return error;
  cudaFuncAttributes attributes{};
  error = detail::own_status(cudaFuncGetAttributes(&attributes, kernel));
  waits = error == cudaSuccess && attributes.ptxVersion >= 90;
  if (error == cudaSuccess) (waits ? devices.waiting : devices.others).fetch_or(bit, std::memory_order_relaxed);
  return error;
}

/// Asks whether the current device, of a compute capability, has a kernel's code for clusters: a build for older
/// architectures runs on newer ones, too. The answer is remembered.
template <auto* Kernel>
cudaError_t query_cluster_code(int major, bool& has_code) noexcept {
  has_code = false;
  if (major < 9) return cudaSuccess;
  return detail::query_waiting(reinterpret_cast<void const*>(Kernel), devices_of<Kernel>(), has_code);
}

/// Asks the current device for attributes: query_device(attribute, value, attribute, value, …). Every launcher asks
/// here.
template <class... More>
cudaError_t query_device(cudaDeviceAttr attribute, int& value, More&&... more) noexcept {
  int device = 0;
  cudaError_t error = detail::own_status(cudaGetDevice(&device));
  if (error == cudaSuccess) error = detail::own_status(cudaDeviceGetAttribute(&value, attribute, device));
  if constexpr (sizeof...(More) > 0) {
    if (error == cudaSuccess) error = detail::query_device(more...);
  }
  return error;
}

/// Sets the limit that cudaFuncSetAttribute sets, by the driver's own function, which leaves the last error as it is.
inline bool set_most_shared_bytes_by_driver(void const* kernel, int bytes) noexcept {
  constexpr int max_dynamic_shared_bytes = 8;  // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
  using set_attribute_t = int (*)(cudaFunction_t, int, int);
  void* const entry = detail::driver_function("cuFuncSetAttribute");
  cudaFunction_t function{};
  return entry != nullptr && cudaGetFuncBySymbol(&function, kernel) == cudaSuccess &&
         reinterpret_cast<set_attribute_t>(entry)(function, max_dynamic_shared_bytes, bytes) == 0;
}

/// Lets each block of a kernel have so many bytes of dynamic shared memory. cudaFuncSetAttribute clears the caller's
/// last error, even if it succeeds (CUDA 13.0): while one is pending, the driver's function is called instead.
inline cudaError_t set_most_shared_bytes(void const* kernel, int bytes) noexcept {
  if (cudaPeekAtLastError() != cudaSuccess && detail::set_most_shared_bytes_by_driver(kernel, bytes))
    return cudaSuccess;
  return detail::own_status(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
}

/// Lets each block of a kernel have all the dynamic shared memory that the current device can give it. Threads that
/// launch a kernel with different numbers of bytes share its limit, and so they all set the same one. The devices
/// that have it are remembered; `again`: the device has forgotten it, as after cudaDeviceReset.
inline cudaError_t allow_shared_bytes(void const* kernel, kernel_devices& devices, bool again) noexcept {
  int device = 0, most = 0;
  cudaError_t error = detail::own_status(cudaGetDevice(&device));
  std::uint64_t const bit = device < 64 ? std::uint64_t{1} << device : 0;
  if (error != cudaSuccess || (!again && (devices.allowed.load(std::memory_order_relaxed) & bit) != 0)) return error;
  cudaFuncAttributes attributes{};
  error = detail::own_status(cudaFuncGetAttributes(&attributes, kernel));
  if (error == cudaSuccess) error = detail::query_device(cudaDevAttrMaxSharedMemoryPerBlockOptin, most);
  if (error == cudaSuccess)
    error = detail::set_most_shared_bytes(kernel, most - static_cast<int>(attributes.sharedSizeBytes));
  if (error == cudaSuccess) devices.allowed.fetch_or(bit, std::memory_order_relaxed);
  return error;
}

/// Launches a kernel with the parameters at these addresses. All kernels share this function, since a part of the
/// library has hundreds.
inline cudaError_t launch_at(void const* kernel, kernel_devices& devices, launch_shape const& shape,
                             cudaStream_t stream, void** parameters) noexcept {
  bool waits = false;
  cudaError_t error = detail::query_waiting(kernel, devices, waits);
  if (error == cudaSuccess && shape.shared_bytes > 0) error = detail::allow_shared_bytes(kernel, devices, false);
  if (error != cudaSuccess) return error;
  cudaLaunchAttribute attributes[2]{};
  unsigned count = 0;
  if (shape.cluster > 1) {
    attributes[count].id = cudaLaunchAttributeClusterDimension;
    attributes[count].val.clusterDim.x = shape.cluster;
    attributes[count].val.clusterDim.y = 1;
    attributes[count].val.clusterDim.z = 1;
    ++count;
  }
  if (waits) {
    attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[count].val.programmaticStreamSerializationAllowed = 1;
    ++count;
  }
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(shape.blocks));
  config.blockDim = dim3(shape.threads);
  config.dynamicSmemBytes = shape.shared_bytes;
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = count;
  error = detail::own_status(cudaLaunchKernelExC(&config, kernel, parameters));
  if (error == cudaErrorInvalidValue && shape.shared_bytes > 0 &&  // the device was reset
      detail::allow_shared_bytes(kernel, devices, true) == cudaSuccess)
    error = detail::own_status(cudaLaunchKernelExC(&config, kernel, parameters));
  return error;
}

/// Launches with arguments, which are converted to the kernel's parameters. (cudaLaunchKernelEx would take their
/// addresses by `&`, which a function object may overload.)
template <class... Parameters, class... Arguments>
cudaError_t launch_with(void (*kernel)(Parameters...), kernel_devices& devices, launch_shape const& shape,
                        cudaStream_t stream, Arguments const&... arguments) noexcept {
  static_assert((is_parameter<Parameters> && ...), "Write aligned<T>.");
  auto const start = [&](Parameters const&... parameters) {
    void* addresses[] = {const_cast<void*>(static_cast<void const*>(TESSERA_ADDRESS_OF(parameters)))...};
    return detail::launch_at(reinterpret_cast<void const*>(kernel), devices, shape, stream, addresses);
  };
  return start(static_cast<Parameters>(arguments)...);
}

/// Launches a kernel, whose first statement is wait_for_stream(), with arguments that are converted to its
/// parameters; if there are no blocks, it does nothing. Returns the status of this launch, and of no earlier call but
/// for an error from which the context doesn't recover, such as that of a kernel that has trapped.
template <auto* Kernel, class... Arguments>
cudaError_t launch(launch_shape const& shape, cudaStream_t stream, Arguments const&... arguments) noexcept {
  if (shape.blocks == 0) return cudaSuccess;
  if (shape.blocks > INT32_MAX) return cudaErrorInvalidValue;
  return detail::launch_with(Kernel, detail::devices_of<Kernel>(), shape, stream, arguments...);
}

/// a / b, rounded up.
inline std::int64_t ceiling_divide(std::int64_t a, std::int64_t b) noexcept {
  return (a + b - 1) / b;
}

}  // namespace TESSERA_ARCHS

}  // namespace grid::detail
TESSERA_NAMESPACE_END
