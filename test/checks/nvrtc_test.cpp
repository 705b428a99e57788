// Compiles the headers at run time, by NVRTC. (This needs no GPU: the test inspects the PTX, and doesn't
// run it.)
#include <nvrtc.h>

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

std::string compile(char const* source, bool& ok) {
  nvrtcProgram program;
  EXPECT_EQ(nvrtcCreateProgram(&program, source, "kernel.cu", 0, nullptr, nullptr), NVRTC_SUCCESS);
  std::vector<char const*> const options = {"-std=c++17", "-arch=compute_90", "-I" TESSERA_INCLUDE, "-I" CUDA_INCLUDE,
                                            "-I" CUDA_INCLUDE "/cccl"};
  ok = nvrtcCompileProgram(program, static_cast<int>(options.size()), options.data()) == NVRTC_SUCCESS;
  std::size_t size = 0;
  ok ? nvrtcGetPTXSize(program, &size) : nvrtcGetProgramLogSize(program, &size);
  std::string text(size, ' ');
  ok ? nvrtcGetPTX(program, text.data()) : nvrtcGetProgramLog(program, text.data());
  nvrtcDestroyProgram(&program);
  return text;
}

TEST(Nvrtc, CompilesAllDeviceHeaders) {
  bool ok = false;
  std::string const text = compile(R"(
    #include <tessera/tessera.hpp>
    extern "C" __global__ void sums(float* x) {
      auto const tile = tessera::tiled_partition<8>(cooperative_groups::this_thread_block());
      x[threadIdx.x] = tessera::reduce(tile, x[threadIdx.x], tessera::plus{}, tessera::converged);
    }
  )",
                                   ok);
  ASSERT_TRUE(ok) << text;
  unsigned shuffles = 0;
  for (std::size_t at = text.find("shfl.sync"); at != std::string::npos; at = text.find("shfl.sync", at + 1))
    ++shuffles;
  EXPECT_EQ(shuffles, 3u) << text;
}

TEST(Nvrtc, CompilesCollectivesOnClusters) {
  bool ok = false;
  std::string const text = compile(R"(
    #include <tessera/tessera.hpp>
    extern "C" __global__ void totals(float* x) {
      auto const tile = tessera::this_cluster_tile<8192>(cooperative_groups::this_cluster());
      auto const scan = tessera::inclusive_scan(tile, x[threadIdx.x], tessera::plus{}, tessera::with_total);
      float const sorted = tessera::sort(tile, scan.value);
      x[threadIdx.x] = sorted + static_cast<float>(tessera::count_if(tile, scan.total > 1));
    }
  )",
                                   ok);
  ASSERT_TRUE(ok) << text;
  EXPECT_NE(text.find("st.async"), std::string::npos) << text;
}

}  // namespace
