// scratch_bytes and what calls take of a workspace, on GPUs of any number of multiprocessors and any shared memory: with
// a CUDA that launches nothing, so that none of them is needed, nor the memory (fake_cuda.hpp).
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>

#include "fake_cuda.hpp"
#include "scratch_calls.hpp"

namespace {

using namespace scratch;

arrays const somewhere_apart{somewhere<void>(1),
                             somewhere<void>(2),
                             somewhere<void>(3),
                             somewhere<void>(4),
                             somewhere<std::int64_t>(5),
                             somewhere<int>(6),
                             nullptr,
                             nullptr,
                             nullptr,
                             nullptr};

/// That each call runs in as many bytes as scratch_bytes says, for arrays of many sizes, and that those aren't far too
/// many.
void check_cases(int multiprocessors, int kibibytes, grid::gpu_architecture const& gpu) {
  for (scratch_case const& c : library_calls) {
    for (std::int64_t const n :
         {std::int64_t{1}, std::int64_t{1000}, std::int64_t{5000}, std::int64_t{100003}, std::int64_t{1} << 20,
          std::int64_t{1} << 24, (std::int64_t{1} << 28) + 1, (std::int64_t{1} << 32) + 5}) {
      auto const run = [&](std::size_t bytes) {
        fake = {};
        fake.multiprocessors = multiprocessors;
        fake.shared_bytes = kibibytes * 1024;
        fake.has_memory = false;
        grid::workspace memory(bytes > 0 ? somewhere<void>(8) : nullptr, bytes);
        cudaError_t const status = c.run(somewhere_apart, n, memory);
        EXPECT_EQ(fake.allocated, 0);
        bool const may_have_begun = c.what == call::partition || c.what == call::quantiles;
        EXPECT_TRUE(status == cudaSuccess || fake.launches == 0 || may_have_begun)
            << c << " of " << n << " in " << bytes << " bytes";
        return status;
      };
      std::size_t const bytes = c.bytes(n, gpu);
      if (run(std::numeric_limits<std::size_t>::max() / 2) != cudaSuccess) continue;  // too long for the call
      EXPECT_EQ(run(bytes), cudaSuccess) << c << " of " << n << ": " << bytes << " bytes on " << multiprocessors
                                         << " multiprocessors of " << kibibytes << " KiB";
      // Far more than it takes are few beside the arrays.
      if (gpu.architecture == 90 && bytes > std::size_t{1} << 20 && run(bytes / 3) == cudaSuccess) {
        EXPECT_LT(bytes, static_cast<std::size_t>(n) / 32) << c << " of " << n;
      }
    }
  }
}

TEST(GridScratch, SufficesOnGpusOfTheArchitecture) {
  for (int const multiprocessors : {1, 78, 132, 144}) check_cases(multiprocessors, 227, 90);
  check_cases(132, 227, {90, 132});
}

TEST(GridScratch, SufficesOnAnyGpu) {
  for (int const kibibytes : {99, 227}) check_cases(16, kibibytes, {});
  check_cases(192, 99, 120);
  check_cases(248, 227, {});
}

}  // namespace
