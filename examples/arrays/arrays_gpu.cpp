// The GPU's backend, which calls the library's functions for whole arrays. It is plain C++ without a kernel
// of its own.
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <tessera/grid/histogram.hpp>
#include <tessera/grid/norm.hpp>
#include <tessera/grid/rows.hpp>
#include <tessera/grid/runs.hpp>
#include <tessera/grid/scan.hpp>
#include <tessera/grid/softmax.hpp>
#include <tessera/grid/sort.hpp>
#include <tessera/grid/top_k.hpp>

#include "backend.hpp"
#include "half.hpp"

namespace arrays {

namespace {

namespace grid = tessera::grid;

void check(cudaError_t error, char const* what) {
  if (error != cudaSuccess) throw gpu_error(std::string(what) + ": " + cudaGetErrorString(error));
}

/// An allocation in the GPU's memory.
class device_memory {
 public:
  explicit device_memory(std::size_t bytes) : bytes_(bytes) {
    if (bytes > 0) check(cudaMalloc(&memory_, bytes), "allocating GPU memory");
  }
  device_memory(device_memory const&) = delete;
  device_memory& operator=(device_memory const&) = delete;
  ~device_memory() { (void)cudaFree(memory_); }

  template <class T>
  T* as() const {
    return static_cast<T*>(memory_);
  }
  void copy_from(void const* host) {
    if (bytes_ > 0) check(cudaMemcpy(memory_, host, bytes_, cudaMemcpyHostToDevice), "copying to the GPU");
  }
  void copy_to(void* host) const {
    if (bytes_ > 0) check(cudaMemcpy(host, memory_, bytes_, cudaMemcpyDeviceToHost), "working on the GPU");
  }

 private:
  void* memory_ = nullptr;
  std::size_t bytes_;
};

/// Stores the column of each row's greatest value.
template <class T>
void argmax(grid::matrix<T const> in, array& out) {
  using best = tessera::indexed<T, int>;
  device_memory found(static_cast<std::size_t>(in.row_count) * sizeof(best));
  check(grid::argmax_rows(in, found.as<best>()), "argmax_rows");
  std::vector<best> at(static_cast<std::size_t>(in.row_count));
  found.copy_to(at.data());
  for (std::size_t r = 0; r < at.size(); ++r) out.as<std::int64_t>()[r] = at[r].index;
}

template <class T>
void histogram(task const& t, grid::matrix<T const> in, std::uint64_t* counts) {
  using bound = std::conditional_t<std::is_same_v<T, double>, double, float>;
  grid::workspace memory;
  for (std::int64_t r = 0; r < in.row_count; ++r) {
    check(grid::histogram(in.data + r * in.column_count, in.column_count, counts + r * t.bins, t.bins,
                          static_cast<bound>(t.lower), static_cast<bound>(t.upper), nullptr, memory),
          "histogram");
  }
}

/// The elements of `in` that differ from the one before them. Returns how many.
template <class T>
std::int64_t unique_elements(T const* in, std::int64_t n, T* out) {
  auto const bytes = static_cast<std::size_t>(n) * sizeof(T);
  device_memory all(bytes), kept(bytes), count(sizeof(std::int64_t));
  all.copy_from(in);
  check(grid::unique(all.as<T>(), n, kept.as<T>(), count.as<std::int64_t>()), "unique");
  std::int64_t elements = 0;
  count.copy_to(&elements);
  kept.copy_to(out);
  return elements;
}

/// The same of an array. The library has no `unique` of float16, which is made float32 for it.
template <class T>
void unique(array const& from, array& to) {
  auto const [rows, columns] = extent_of(from);
  auto const n = static_cast<std::size_t>(rows * columns);
  if constexpr (std::is_same_v<T, __half>) {
    std::vector<float> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = float_of_half(from.as<std::uint16_t>()[i]);
    to.shorten(unique_elements(values.data(), rows * columns, values.data()));
    for (std::size_t i = 0; i < to.data.size() / 2; ++i) to.as<std::uint16_t>()[i] = half_of_float(values[i]);
  } else {
    to.shorten(unique_elements(from.as<T>(), rows * columns, to.as<T>()));
  }
}

/// One call for each row, of those that work on an array.
template <class T>
void each_row(task const& t, grid::matrix<T const> in, T* out) {
  grid::workspace memory;
  auto const count = static_cast<std::int64_t>(t.q.size());
  for (std::int64_t r = 0; r < in.row_count; ++r) {
    T const* const row = in.data + r * in.column_count;
    T* const whole = out + r * in.column_count;
    if (t.what == operation::scan)
      check(grid::inclusive_scan(row, in.column_count, whole, tessera::plus{}, memory), "inclusive_scan");
    if (t.what == operation::sort)
      check(grid::sort(row, in.column_count, whole, tessera::less{}, memory), "sort");
    if (t.what == operation::top_k)
      check(grid::top_k(row, in.column_count, t.k, out + r * t.k, nullptr, tessera::greater{}, memory),
            "top_k");
    if (t.what == operation::quantiles)
      check(grid::quantiles(row, in.column_count, t.q.data(), count, out + r * count,
                            grid::quantile_method::lower, memory),
            "quantiles");
  }
}

template <class T>
void run(task const& t, array const& from, array& to) {
  auto const [rows, columns] = extent_of(from);
  device_memory values(from.data.size());
  values.copy_from(from.data.data());
  grid::matrix<T> const in{values.as<T>(), rows, columns};
  if (t.what == operation::argmax) return argmax<T>(in, to);
  if (t.what == operation::unique) return unique<T>(from, to);
  if (t.what == operation::softmax || t.what == operation::layer_norm) {  // in place
    check(t.what == operation::softmax ? grid::softmax_rows(in, in)
                                       : grid::layer_norm_rows(in, in, nullptr, nullptr, t.epsilon),
          t.what == operation::softmax ? "softmax_rows" : "layer_norm_rows");
    return values.copy_to(to.data.data());
  }
  device_memory results(to.data.size());
  if (t.what == operation::sum) {
    check(grid::reduce_rows(in, results.as<grid::reduced_t<T, tessera::plus>>()), "reduce_rows");
  } else if (t.what == operation::max) {
    check(grid::reduce_rows(in, results.as<T>(), tessera::maximum{}), "reduce_rows");
  } else if (t.what != operation::histogram) {
    each_row<T>(t, in, results.as<T>());
  } else {
    histogram<T>(t, in, results.as<std::uint64_t>());
  }
  results.copy_to(to.data.data());
}

void run_on_gpu(task const& t, array const& in, array& out) {
  if (in.type == number::float64) {
    run<double>(t, in, out);
  } else if (in.type == number::float32) {
    run<float>(t, in, out);
  } else {
    run<__half>(t, in, out);
  }
}

}  // namespace

tessera::device_info find_gpu() {
  return tessera::find_device();
}

backend gpu_backend(tessera::device_info const& device) {
  check(cudaSetDevice(device.index), "choosing the GPU");
  return {"gpu", device.name, run_on_gpu};
}

}  // namespace arrays
