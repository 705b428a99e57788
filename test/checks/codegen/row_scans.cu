// Scans of rows that begin anywhere, in both directions: check_loops.py looks through their kernels. A warp whose part of a row isn't
// whole must not be taken for one that has it all.
#include <tessera/grid/scan_rows.cuh>

namespace grid = tessera::grid;

template <class T>
cudaError_t scan(grid::matrix<T> x, bool suffix) {
  return grid::inclusive_scan_rows(x, x, tessera::plus{}, {suffix});
}
template cudaError_t scan<int>(grid::matrix<int>, bool);
template cudaError_t scan<short>(grid::matrix<short>, bool);
