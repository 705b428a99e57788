// Calls in memory of the caller's, for tests with kernels of their own.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <tessera/grid/execution.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "backend.hpp"

namespace test {

/// run(on) in exactly as many bytes as it takes: alone, again, and in a graph between whose launches others use the
/// memory. check_results(how) looks at what it wrote, and clears that.
template <class Run, class Check>
void check_in_memory_of_caller(std::size_t bytes, Run run, Check check_results) {
  constexpr unsigned char others = 0xa5;
  std::vector<unsigned char> const guards(256, others);
  gpu_array<unsigned char> const memory(bytes + guards.size());
  cudaStream_t s{};
  cudaGraph_t graph{};
  cudaGraphExec_t executable{};
  check(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  auto const use_by_others = [&] {
    check(cudaMemset(memory.data(), others, bytes + guards.size()));
    check(cudaDeviceSynchronize());
  };
  auto const check_all = [&](char const* how) {
    check(cudaStreamSynchronize(s));
    auto const left = memory.to_host();
    EXPECT_TRUE(std::equal(guards.begin(), guards.end(), left.end() - 256))
        << how << ": more was written than " << bytes << " bytes";
    check_results(how);
    check(cudaDeviceSynchronize());
  };
  use_by_others();
  {
    tessera::grid::workspace given(memory.data(), bytes);
    for (char const* how : {"alone", "again"}) {
      EXPECT_EQ(run(tessera::grid::execution{s, given}), cudaSuccess) << how;
      check_all(how);
    }
  }
  check(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  {
    tessera::grid::workspace given(memory.data(), bytes);
    EXPECT_EQ(run(tessera::grid::execution{s, given}), cudaSuccess) << "captured";
  }
  check(cudaStreamEndCapture(s, &graph));
  check(cudaGraphInstantiate(&executable, graph, 0));
  for (char const* how : {"in a graph", "in a graph again"}) {
    use_by_others();
    check(cudaGraphLaunch(executable, s));
    check_all(how);
  }
  check(cudaGraphExecDestroy(executable));
  check(cudaGraphDestroy(graph));
  check(cudaStreamDestroy(s));
}

}  // namespace test
