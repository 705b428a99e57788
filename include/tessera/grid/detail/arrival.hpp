// Who is last: how a block knows that all others of its row are ready.
//
// Source: the threadFenceReduction sample of the CUDA toolkit.
#pragma once

#include <tessera/config.hpp>

namespace tessera::grid::detail {

/// Called by one thread of each of so many blocks. Whether all other blocks have called it before: what those threads
/// wrote before their calls can be read after this one. Leaves the counter 0, as it was before the first call.
TESSERA_FN bool is_last_arrival(unsigned* counter, unsigned blocks) {
#if TESSERA_ARCH
  __threadfence();
  bool const last = atomicInc(counter, blocks - 1) == blocks - 1;
  __threadfence();
  return last;
#else
  *counter = *counter == blocks - 1 ? 0 : *counter + 1;  // host tiles take turns
  return *counter == 0;
#endif
}

}  // namespace tessera::grid::detail
