// A call on arrays as the tests of scratch_bytes make it.
#pragma once

#include <tessera/grid/count_on_device.hpp>
#include <tessera/grid/execution.hpp>
#include <tessera/grid/matrix.hpp>
#include <tessera/grid/scratch_bytes.hpp>

#include <cstddef>
#include <cstdint>
#include <ostream>

namespace scratch {

namespace grid = tessera::grid;
using grid::call;
using std::int64_t;

/// Arrays of a call, each with room for n elements of 8 bytes, or 1 MiB: inputs are sorted numbers, as integers and as
/// floats.
struct arrays {
  void *first, *second;        // inputs
  void *out, *more;            // outputs
  int64_t* count;              // room for four
  int* offsets;                // 0, n / 3, n: two segments
  int64_t const* many;         // n or more, for calls of as many as the device knows
  void const* const* sources;  // two buffers, for copies to two
  void* const* destinations;
  int64_t const* copied;  // the bytes of each

  template <class T>
  T const* in() const {
    return static_cast<T const*>(first);
  }
  template <class T>
  T const* beside() const {
    return static_cast<T const*>(second);
  }
  template <class T>
  T* to() const {
    return static_cast<T*>(out);
  }
  template <class T>
  T* also_to() const {
    return static_cast<T*>(more);
  }
  grid::device_count all(int64_t n) const { return grid::count_on_device(many, n); }
};

/// `sizes` and `types` are what scratch_bytes is asked about where `run` is called with n.
struct scratch_case {
  grid::call what;
  char const* how;
  grid::array_sizes (*sizes)(int64_t n);
  grid::type_sizes types;
  cudaError_t (*run)(arrays const& a, int64_t n, grid::execution on);

  std::size_t bytes(int64_t n, grid::gpu_architecture const& gpu) const {
    return grid::scratch_bytes(what, sizes(n), types, gpu);
  }
};

inline std::ostream& operator<<(std::ostream& to, scratch_case const& c) {
  return to << "call " << static_cast<int>(c.what) << ", " << c.how;
}

inline grid::array_sizes n_alone(int64_t n) {
  return n;
}
inline grid::array_sizes two_segments(int64_t) {
  return 2;
}
/// Few long rows, or many of 8192 columns.
inline grid::array_sizes few_rows(int64_t n) {
  return {3, n / 3};
}
inline grid::array_sizes many_rows(int64_t n) {
  return {n / 8192, 8192};
}
template <class T>
grid::matrix<T> matrix_at(T* data, grid::array_sizes const& sizes) {
  return {data, sizes.n, sizes.second};
}

}  // namespace scratch
