// The GPU's backend. It copies a batch to the GPU, counts it, and copies the counts back. All of this
// happens on the batch's own stream, so that the program can read the next batch at the same time.
#include <cooperative_groups.h>
#include <cuda_runtime_api.h>

#include <nv/target>

#include "backend.hpp"
#include "count.hpp"

namespace tally {

namespace {

constexpr unsigned threads = 256;
constexpr std::size_t bytes = 256 * batch::slice_bytes;
constexpr unsigned max_slices = 4096;

/// The counters of a block, in shared memory.
struct histogram {
  unsigned* counters;

  TESSERA_FN void add([[maybe_unused]] unsigned byte) const {
    NV_IF_TARGET(NV_IS_DEVICE, (atomicAdd(&counters[byte], 1u);))
  }
  TESSERA_FN unsigned& operator[](unsigned byte) const { return counters[byte]; }
};

__global__ void __launch_bounds__(threads)
    count_slices(piece const* pieces, slice const* slices, slice_count* counts) {
  __shared__ unsigned counters[256];
  __shared__ text<unsigned> texts[threads / 32];
  unsigned const i = blockIdx.x;
  count_slice(cooperative_groups::this_thread_block(), pieces, slices[i], histogram{counters}, texts,
              counts[i]);
}

void check(cudaError_t error, char const* what) {
  if (error != cudaSuccess) throw gpu_error(std::string(what) + ": " + cudaGetErrorString(error));
}

template <class T>
array<T> make_pinned(std::size_t size) {
  void* memory = nullptr;
  check(cudaMallocHost(&memory, size * sizeof(T)), "allocating pinned memory");
  return {static_cast<T*>(memory), [](T* p) { cudaFreeHost(p); }};
}

template <class T>
array<T> make_on_device(std::size_t size) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, size * sizeof(T)), "allocating GPU memory");
  return {static_cast<T*>(memory), [](T* p) { cudaFree(p); }};
}

struct stream {
  cudaStream_t handle = nullptr;

  stream() { check(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking), "making a stream"); }
  stream(stream const&) = delete;
  stream& operator=(stream const&) = delete;
  ~stream() { cudaStreamDestroy(handle); }
};

class gpu_batch : public batch {
 public:
  gpu_batch()
      : batch(bytes, max_slices, make_pinned<piece>(bytes / piece::bytes), make_pinned<slice>(max_slices),
              make_pinned<slice_count>(max_slices)),
        device_pieces_(make_on_device<piece>(bytes / piece::bytes)),
        device_slices_(make_on_device<slice>(max_slices)),
        device_counts_(make_on_device<slice_count>(max_slices)) {}
  gpu_batch(gpu_batch const&) = delete;
  gpu_batch& operator=(gpu_batch const&) = delete;
  // The members free the memory next, so no copy or kernel may still use it.
  ~gpu_batch() override { cudaStreamSynchronize(stream_.handle); }

  void start() override {
    if (slices() == 0) return;
    copy(device_pieces_.get(), pieces(), bytes_used(), cudaMemcpyHostToDevice);
    copy(device_slices_.get(), slice_list(), slices() * sizeof(slice), cudaMemcpyHostToDevice);
    count_slices<<<slices(), threads, 0, stream_.handle>>>(device_pieces_.get(), device_slices_.get(),
                                                           device_counts_.get());
    check(cudaGetLastError(), "starting the kernel");
    copy(count_list(), device_counts_.get(), slices() * sizeof(slice_count), cudaMemcpyDeviceToHost);
  }
  void finish() override { check(cudaStreamSynchronize(stream_.handle), "counting"); }

 private:
  void copy(void* to, void const* from, std::size_t size, cudaMemcpyKind kind) {
    check(cudaMemcpyAsync(to, from, size, kind, stream_.handle), "copying");
  }

  array<piece> device_pieces_;
  array<slice> device_slices_;
  array<slice_count> device_counts_;
  stream stream_;
};

}  // namespace

backend gpu_backend(tessera::device_info const& device) {
  check(cudaSetDevice(device.index), "choosing the GPU");
  return {"gpu", device.name, [] { return std::make_unique<gpu_batch>(); }};
}

}  // namespace tally
