// The main() of all tests. It prints which GPU is used, and fails if no case ran, as with a misspelled
// filter.
#include <cstdio>

#include "gpu.hpp"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);

  tessera::device_info const& gpu = test::gpu();
  if (gpu.usable)
    std::printf("GPU %d: %s, sm_%d\n", gpu.index, gpu.name, gpu.arch);
  else
    std::printf("GPU cases are skipped: %s\n", gpu.reason);

  int const status = RUN_ALL_TESTS();
  if (testing::UnitTest::GetInstance()->test_to_run_count() == 0 && !GTEST_FLAG_GET(list_tests)) {
    std::fprintf(stderr, "no case ran: does --gtest_filter name any? --gtest_list_tests lists them\n");
    return 1;
  }
  return status;
}
