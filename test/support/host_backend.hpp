// Runs the cases' kernels on host tiles. This is `backend` in a C++ file; reduce_half_cases.hpp uses it
// together with the GPU.
#pragma once

#include <tessera/host/block.hpp>
#include <tessera/host/tile.hpp>

#include <vector>

namespace test {

/// Runs body(tile, lane, context) in `lanes` lanes, in blocks of block_lanes_of(N). backend.cpp compiles it
/// once per size.
template <unsigned N>
void run_on_host(unsigned lanes, void (*body)(tessera::host::tile<N>, unsigned lane, void* context), void* context);

/// Runs body(block, context) in each thread of one block.
void run_block_on_host(tessera::host::dim3 threads, void (*body)(tessera::host::block, void* context), void* context);

/// An array in the host's memory with the contents of a vector. It corresponds to gpu_array on the GPU.
template <class T>
class host_array {
 public:
  explicit host_array(std::vector<T> const& from) : data_(from) {}

  T* data() { return data_.data(); }
  std::vector<T> to_host() const { return data_; }

 private:
  std::vector<T> data_;
};

struct host_backend {
  template <class T>
  using array = host_array<T>;

  static bool usable() { return true; }

  /// The results of kernel(block) for each thread of one block.
  template <class Out, class Kernel>
  static std::vector<Out> run_block(tessera::host::dim3 threads, Kernel kernel) {
    struct context_t {
      Out* out;
      Kernel* kernel;
    };
    std::vector<Out> out(threads.volume());
    context_t context{out.data(), &kernel};
    run_block_on_host(
        threads,
        [](tessera::host::block block, void* erased) {
          auto const& c = *static_cast<context_t*>(erased);
          c.out[block.thread_rank()] = (*c.kernel)(block);
        },
        &context);
    return out;
  }

  /// The results of kernel(tile<N>, in[lane]) for each lane.
  template <unsigned N, class Out, class In, class Kernel>
  static std::vector<Out> run(std::vector<In> const& in, Kernel kernel) {
    struct context_t {
      In const* in;
      Out* out;
      Kernel* kernel;
    };
    std::vector<Out> out(in.size());
    context_t context{in.data(), out.data(), &kernel};
    run_on_host<N>(
        static_cast<unsigned>(in.size()),
        [](tessera::host::tile<N> tile, unsigned lane, void* erased) {
          auto const& c = *static_cast<context_t*>(erased);
          c.out[lane] = (*c.kernel)(tile, c.in[lane]);
        },
        &context);
    return out;
  }
};

}  // namespace test
