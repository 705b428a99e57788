// Streams for tests in plain C++, and calls on them that are replayed from a graph.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "device_array.hpp"

namespace test {

/// A stream that doesn't wait for the default one. Declare it before the workspaces that are used on it: they free
/// their memory in its order.
class stream {
 public:
  stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  stream(stream const&) = delete;
  stream& operator=(stream const&) = delete;
  ~stream() { (void)cudaStreamDestroy(stream_); }

  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// What run() did on a stream while that was captured.
class graph {
 public:
  template <class Run>
  graph(cudaStream_t on, Run run) : stream_(on) {
    wait_for_fills();
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    run();
    check(cudaStreamEndCapture(stream_, &graph_));
    check(cudaGraphInstantiate(&executable_, graph_, 0));
  }
  graph(graph const&) = delete;
  graph& operator=(graph const&) = delete;
  ~graph() {
    (void)cudaGraphExecDestroy(executable_);
    (void)cudaGraphDestroy(graph_);
  }

  std::size_t nodes() const {
    std::size_t n = 0;
    check(cudaGraphGetNodes(graph_, nullptr, &n));
    return n;
  }
  /// Doesn't wait for it.
  void replay() const { check(cudaGraphLaunch(executable_, stream_)); }

 private:
  cudaStream_t stream_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace test
