// One call of each kind for whole arrays.
#include <cuda_runtime_api.h>
#include <tessera/grid.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

bool arrays_are_right();

namespace {

namespace grid = tessera::grid;

/// An array in the GPU's memory with the contents of a vector.
template <class T>
class gpu_array {
 public:
  explicit gpu_array(std::vector<T> const& from) : size_(from.size()) {
    if (cudaMalloc(reinterpret_cast<void**>(&data_), size_ * sizeof(T)) != cudaSuccess) data_ = nullptr;
    (void)cudaMemcpy(data_, from.data(), size_ * sizeof(T), cudaMemcpyHostToDevice);
  }
  gpu_array(gpu_array const&) = delete;
  gpu_array& operator=(gpu_array const&) = delete;
  ~gpu_array() { (void)cudaFree(data_); }

  T* data() const { return data_; }
  std::vector<T> get() const {
    std::vector<T> to(size_);
    (void)cudaMemcpy(to.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost);
    return to;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

bool near(float a, double b) {
  return std::abs(static_cast<double>(a) - b) < 1e-5;
}

}  // namespace

bool arrays_are_right() {
  gpu_array<float> const in({0, 1, 2, 3, 4, 5}), out(std::vector<float>(6)), sums(std::vector<float>(3));
  gpu_array<int> const offsets({0, 1, 1, 6});
  gpu_array<std::uint64_t> const counts(std::vector<std::uint64_t>(3));
  grid::matrix<float const> const x{in.data(), 2, 3};
  grid::matrix<float> const y{out.data(), 2, 3};
  grid::workspace memory;

  bool right = grid::reduce(in.data(), 6, sums.data(), tessera::plus{}, memory) == cudaSuccess;
  right = right && sums.get()[0] == 15;
  right = right && grid::reduce_rows(x, sums.data(), tessera::maximum{}, memory) == cudaSuccess;
  right = right && sums.get()[0] == 2 && sums.get()[1] == 5;
  right = right && grid::reduce_segments(in.data(), offsets.data(), 3, sums.data()) == cudaSuccess;
  right = right && sums.get() == std::vector<float>{0, 0, 15};
  right = right && grid::histogram(in.data(), 6, counts.data(), 3, 0.0f, 6.0f) == cudaSuccess;
  right = right && counts.get() == std::vector<std::uint64_t>{2, 2, 2};
  right = right && grid::softmax_rows(x, y) == cudaSuccess;
  right = right && near(out.get()[2], std::exp(2) / (1 + std::exp(1) + std::exp(2)));
  right = right && grid::layer_norm_rows(x, y) == cudaSuccess;
  right = right && near(out.get()[0], -1 / std::sqrt(2.0 / 3 + 1e-5)) && near(out.get()[1], 0);
  return right && grid::reduce(in.data(), -1, sums.data()) == cudaErrorInvalidValue;
}
