// The main() of all tests, which fails if no case ran, as with a misspelled filter.
#include <gtest/gtest.h>

#include <cstdio>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  int const status = RUN_ALL_TESTS();
  if (testing::UnitTest::GetInstance()->test_to_run_count() == 0 && !GTEST_FLAG_GET(list_tests)) {
    std::fprintf(stderr, "no case ran: does --gtest_filter name any? --gtest_list_tests lists them\n");
    return 1;
  }
  return status;
}
