// What launchers of kernels on rows ask of the device.
#pragma once

#include <tessera/grid/detail/launch.cuh>
#include <tessera/grid/detail/row_tuning.hpp>

#include <cstdint>

namespace tessera::grid::detail {

/// What a launcher asks of the current device.
struct row_device {
  int multiprocessors = 1;
  bool has_clusters = false;
  cudaError_t error;

  row_device() noexcept {
    int major = 0;
    error = ask_device(cudaDevAttrMultiProcessorCount, multiprocessors);
    if (error == cudaSuccess) error = ask_device(cudaDevAttrComputeCapabilityMajor, major);
    has_clusters = major >= 9;
  }
};

/// a / b, up.
inline std::int64_t ceiling(std::int64_t a, std::int64_t b) noexcept {
  return (a + b - 1) / b;
}

/// How many blocks share a row where there are few, and each of them has at least a step of so many vectors.
inline std::int64_t splits_of(std::int64_t rows, std::int64_t vectors, std::int64_t step,
                              row_device const& device) noexcept {
  std::int64_t const steps = ceiling(vectors, step);
  std::int64_t const enough = ceiling(fold_tuning::blocks_a_multiprocessor * device.multiprocessors, rows);
  return enough < steps ? enough : steps;
}

}  // namespace tessera::grid::detail
