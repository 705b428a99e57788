// What launchers return, and what they leave as CUDA's last error: with a CUDA whose calls fail as they are told.
//
// The linker gives the library's calls to the functions below (`--wrap` in meson.build), which launch nothing. So each
// call of each launcher fails once, which no GPU does, and none is needed.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <tessera/device.hpp>
#include <tessera/grid.hpp>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>

namespace {

struct fake_cuda {
  cudaError_t last = cudaSuccess;  // what cudaGetLastError gives
  int calls = 0, failing = 0;      // the call with this number fails, from 1 on
  cudaError_t failure = cudaErrorUnknown;
  std::string failed;  // its name
  int launches = 0, allocations = 0;

  cudaError_t call(char const* name) {
    if (++calls != failing) return cudaSuccess;
    failed = name;
    return last = failure;
  }
} cuda;

}  // namespace

extern "C" {
cudaError_t __wrap_cudaPeekAtLastError() {
  return cuda.last;
}
cudaError_t __wrap_cudaGetLastError() {
  cudaError_t const last = cuda.last;
  cuda.last = cudaSuccess;
  return last;
}
cudaError_t __wrap_cudaGetDeviceCount(int* count) {
  *count = 1;
  return cuda.call("cudaGetDeviceCount");
}
cudaError_t __wrap_cudaGetDevice(int* device) {
  *device = 0;
  return cuda.call("cudaGetDevice");
}
cudaError_t __wrap_cudaSetDevice(int) {
  return cuda.call("cudaSetDevice");
}
cudaError_t __wrap_cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  std::memset(properties, 0, sizeof *properties);
  properties->major = 9;
  return cuda.call("cudaGetDeviceProperties");
}
cudaError_t __wrap_cudaGetDeviceProperties_v2(cudaDeviceProp* properties, int device) {
  return __wrap_cudaGetDeviceProperties(properties, device);
}
cudaError_t __wrap_cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  *value = attribute == cudaDevAttrMultiProcessorCount            ? 132
           : attribute == cudaDevAttrComputeCapabilityMajor       ? 9
           : attribute == cudaDevAttrMaxSharedMemoryPerBlockOptin ? 227 * 1024
                                                                  : 0;
  return cuda.call("cudaDeviceGetAttribute");
}
cudaError_t __wrap_cudaFuncGetAttributes(cudaFuncAttributes* attributes, void const*) {
  *attributes = {};
  attributes->ptxVersion = 90;
  return cuda.call("cudaFuncGetAttributes");
}
cudaError_t __wrap_cudaFuncSetAttribute(void const*, cudaFuncAttribute, int) {
  return cuda.call("cudaFuncSetAttribute");
}
cudaError_t __wrap_cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
  *status = cudaStreamCaptureStatusNone;
  return cuda.call("cudaStreamIsCapturing");
}
cudaError_t __wrap_cudaMallocAsync(void** memory, std::size_t bytes, cudaStream_t) {
  cudaError_t const error = cuda.call("cudaMallocAsync");
  if (error != cudaSuccess) return error;
  *memory = std::malloc(bytes);
  ++cuda.allocations;
  return cudaSuccess;
}
cudaError_t __wrap_cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t) {
  cudaError_t const error = cuda.call("cudaMemsetAsync");
  if (error == cudaSuccess) std::memset(memory, value, bytes);
  return error;
}
cudaError_t __wrap_cudaFreeAsync(void* memory, cudaStream_t) {
  std::free(memory);
  --cuda.allocations;
  return cuda.call("cudaFreeAsync");
}
cudaError_t __wrap_cudaLaunchKernelExC(cudaLaunchConfig_t const*, void const*, void**) {
  ++cuda.launches;
  return cuda.call("cudaLaunchKernelExC");
}
}

namespace {

namespace grid = tessera::grid;

/// An array that nobody reads.
template <class T>
T* somewhere(std::uintptr_t at) {
  return reinterpret_cast<T*>(at << 40);
}

struct launcher {
  char const* name;
  std::function<cudaError_t(grid::workspace*)> run;
};

template <class T>
grid::matrix<T> rows_of(std::int64_t rows, std::int64_t columns, std::uintptr_t at) {
  return {somewhere<T>(at), rows, columns};
}

/// Each launcher in each way that it has: one block, many, few and long rows, clusters, two reads.
launcher const launchers[] = {
    {"reduce, one block",
     [](auto* memory) {
       return grid::reduce(somewhere<float>(1), 100, somewhere<float>(2), tessera::plus{}, nullptr, memory);
     }},
    {"reduce",
     [](auto* memory) {
       return grid::reduce(somewhere<float>(1), 1 << 24, somewhere<float>(2), tessera::maximum{}, nullptr,
                           memory);
     }},
    {"argmax by a record",
     [](auto* memory) {
       return grid::argmax(somewhere<float>(1), 1 << 24, somewhere<tessera::indexed<float, std::int64_t>>(2),
                           nullptr, memory);
     }},
    {"argmin of doubles",
     [](auto* memory) {
       return grid::argmin(somewhere<double>(1), 1 << 20,
                           somewhere<tessera::indexed<double, std::int64_t>>(2), nullptr, memory);
     }},
    {"moments",
     [](auto* memory) {
       return grid::moments(somewhere<float>(1), 1 << 20, somewhere<tessera::moments<double>>(2), nullptr,
                            memory);
     }},
    {"reduce_rows, short ones",
     [](auto* memory) {
       return grid::reduce_rows(rows_of<float>(1000, 64, 1), somewhere<float>(2), tessera::plus{}, nullptr,
                                memory);
     }},
    {"reduce_rows, few and long ones",
     [](auto* memory) {
       return grid::reduce_rows(rows_of<float>(3, 1 << 20, 1), somewhere<float>(2), tessera::plus{}, nullptr,
                                memory);
     }},
    {"moments_rows",
     [](auto* memory) {
       return grid::moments_rows(rows_of<float>(3, 1 << 20, 1), somewhere<tessera::moments<float>>(2),
                                 nullptr, memory);
     }},
    {"softmax_rows, short ones",
     [](auto* memory) {
       return grid::softmax_rows(rows_of<float>(1000, 64, 1), rows_of<float>(1000, 64, 2), nullptr, nullptr,
                                 memory);
     }},
    {"softmax_rows, clusters",
     [](auto* memory) {
       return grid::softmax_rows(rows_of<float>(1000, 1 << 16, 1), rows_of<float>(1000, 1 << 16, 2), nullptr,
                                 nullptr, memory);
     }},
    {"log_softmax_rows, two reads",
     [](auto* memory) {
       return grid::log_softmax_rows(rows_of<float>(3, 1 << 20, 1), rows_of<float>(3, 1 << 20, 2), nullptr,
                                     nullptr, memory);
     }},
    {"softmax128",
     [](auto* memory) {
       return grid::softmax128(somewhere<__nv_bfloat16>(2), somewhere<__nv_bfloat16>(1), 1000, nullptr,
                               memory);
     }},
    {"layer_norm_rows, two reads",
     [](auto* memory) {
       return grid::layer_norm_rows(rows_of<float>(3, 1 << 20, 1), rows_of<float>(3, 1 << 20, 2), nullptr,
                                    nullptr, 1e-5, nullptr, memory);
     }},
    {"rms_norm_rows, short ones",
     [](auto* memory) {
       return grid::rms_norm_rows(rows_of<float>(100, 100, 1), rows_of<float>(100, 100, 2), nullptr, nullptr,
                                  1e-5, nullptr, memory);
     }},
    {"reduce_segments",
     [](auto* memory) {
       return grid::reduce_segments(somewhere<float>(1), somewhere<int>(2), 1000, somewhere<float>(3),
                                    tessera::plus{}, nullptr, memory);
     }},
    {"histogram",
     [](auto* memory) {
       return grid::histogram(somewhere<float>(1), 1 << 20, somewhere<std::uint64_t>(2), 256, 0.0f, 1.0f,
                              nullptr, nullptr, memory);
     }},
    {"top_k, one block",
     [](auto* memory) {
       return grid::top_k(somewhere<float>(1), 100, 10, somewhere<float>(2), somewhere<std::int64_t>(3),
                          tessera::greater{}, nullptr, memory);
     }},
    {"top_k",
     [](auto* memory) {
       return grid::top_k(somewhere<int>(1), 1 << 22, 100, somewhere<int>(2), somewhere<std::int64_t>(3),
                          tessera::less{}, nullptr, memory);
     }},
    {"top_k that sorts",
     [](auto* memory) {
       return grid::top_k(somewhere<double>(1), 1 << 16, 20000, somewhere<double>(2),
                          somewhere<std::int64_t>(3), tessera::greater{}, nullptr, memory);
     }},
    {"nth_element",
     [](auto* memory) {
       return grid::nth_element(somewhere<__half>(1), 1 << 20, 1 << 19, somewhere<__half>(2),
                                somewhere<std::int64_t>(3), tessera::less{}, nullptr, memory);
     }},
    {"quantiles",
     [](auto* memory) {
       double const q[] = {0.25, 0.75};
       return grid::quantiles(somewhere<float>(1), 1 << 20, q, 2, somewhere<float>(2),
                              grid::quantile_method::lower, nullptr, memory);
     }},
    {"histogram in slices",
     [](auto* memory) {
       return grid::histogram(somewhere<int>(1), 1 << 20, somewhere<std::uint64_t>(2), 65536, 0, 1 << 20,
                              nullptr, nullptr, memory);
     }},
};

constexpr cudaError_t of_the_caller = cudaErrorInvalidPitchValue;

/// What a launcher does without: it goes on where these fail.
bool may_fail(std::string const& name) {
  return name == "cudaFreeAsync" || name == "cudaStreamIsCapturing" || name == "cudaFuncGetAttributes";
}

TEST(GridStatus, AnEarlierErrorIsNeitherReturnedNorCleared) {
  for (auto const& [name, run] : launchers) {
    for (bool const with_memory : {false, true}) {
      grid::workspace memory;
      cuda = {};
      cuda.last = of_the_caller;
      for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(run(with_memory ? &memory : nullptr), cudaSuccess) << name;
        EXPECT_EQ(cuda.last, of_the_caller) << name;
      }
      EXPECT_GE(cuda.launches, 2) << name;
      EXPECT_EQ(memory.release(), cudaSuccess);
      EXPECT_EQ(cuda.last, of_the_caller) << name;
      EXPECT_EQ(cuda.allocations, 0) << name;
    }
  }
}

TEST(GridStatus, AFailureIsReturnedAndNotLeftBehind) {
  for (auto const& [name, run] : launchers) {
    for (bool const with_memory : {false, true}) {
      for (cudaError_t const before : {cudaSuccess, of_the_caller}) {
        for (int failing = 1;; ++failing) {
          cudaError_t status = cudaSuccess;
          cuda = {};
          cuda.last = before;
          cuda.failing = failing;
          {
            grid::workspace memory;
            status = run(with_memory ? &memory : nullptr);
          }
          if (cuda.failed.empty()) break;
          EXPECT_EQ(cuda.last, cudaSuccess) << name << ": " << cuda.failed << " fails";
          EXPECT_EQ(status, may_fail(cuda.failed) ? cudaSuccess : cuda.failure)
              << name << ": " << cuda.failed << " fails";
          EXPECT_EQ(cuda.allocations, 0) << name << ": " << cuda.failed << " fails";
        }
        EXPECT_EQ(cuda.last, before) << name;
      }
    }
  }
}

TEST(GridStatus, BadArgumentsLeaveTheLastErrorAlone) {
  cuda = {};
  cuda.last = of_the_caller;
  float* const x = somewhere<float>(1);
  EXPECT_EQ(grid::reduce(x, -1, somewhere<float>(2)), cudaErrorInvalidValue);
  EXPECT_EQ(grid::reduce_rows(grid::matrix<float>{x, 3, 4, 3}, somewhere<float>(2)), cudaErrorInvalidValue);
  EXPECT_EQ(grid::softmax_rows(rows_of<float>(3, 4, 1), grid::matrix<float>{x + 1, 3, 4}),
            cudaErrorInvalidValue);
  EXPECT_EQ(grid::histogram(x, 10, somewhere<std::uint64_t>(2), 0, 0.0f, 1.0f), cudaErrorInvalidValue);
  EXPECT_EQ(grid::reduce_segments(x, somewhere<int>(2), -1, somewhere<float>(3)), cudaErrorInvalidValue);
  EXPECT_EQ(grid::top_k(x, 10, 11, somewhere<float>(2), somewhere<std::int64_t>(3)), cudaErrorInvalidValue);
  EXPECT_EQ(grid::nth_element(x, 10, 10, somewhere<float>(2)), cudaErrorInvalidValue);
  EXPECT_EQ(cuda.last, of_the_caller);
  EXPECT_EQ(cuda.calls, 0);
}

TEST(GridStatus, FindDevice) {
  cuda = {};
  cuda.last = of_the_caller;
  EXPECT_TRUE(tessera::find_device().usable);
  EXPECT_EQ(cuda.last, of_the_caller);
  int const calls = cuda.calls;
  for (int failing = 1; failing <= calls; ++failing) {
    cuda = {};
    cuda.last = of_the_caller;
    cuda.failing = failing;
    EXPECT_EQ(tessera::find_device().usable, failing == calls) << "the last call sets the device back";
    EXPECT_EQ(cuda.last, cudaSuccess) << cuda.failed << " fails";
  }
}

}  // namespace
