// The agent that fills an array with 0, 1, 2, …
#pragma once

#include <tessera/core/config.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

struct iota_tuning {
  static constexpr unsigned threads = 256, items = 16;  // of a block; of a thread
};

/// out[i] = i for the elements of one block's part. Called by each thread of the block.
template <class T>
TESSERA_FN void run_iota_agent(unsigned rank, std::int64_t block, T* out, std::int64_t n) {
  std::int64_t const first = block * (iota_tuning::threads * iota_tuning::items) + rank;
  TESSERA_UNROLL
  for (unsigned k = 0; k < iota_tuning::items; ++k) {
    std::int64_t const i = first + k * iota_tuning::threads;
    if (i < n) out[i] = static_cast<T>(i);
  }
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
