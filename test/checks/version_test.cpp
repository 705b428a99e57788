#include <tessera/version.hpp>

#include <gtest/gtest.h>

#include <string>

TEST(version, is_the_projects) {
  EXPECT_STREQ(tessera::header_version, PROJECT_VERSION);
}

TEST(version, of_the_library_is_that_of_its_headers) {
  EXPECT_STREQ(tessera::version(), tessera::header_version);
}

TEST(version, numbers_are_those_of_the_text) {
  std::string const text = std::to_string(TESSERA_VERSION_MAJOR) + "." + std::to_string(TESSERA_VERSION_MINOR) + "." +
                           std::to_string(TESSERA_VERSION_PATCH);
  EXPECT_EQ(text, tessera::header_version);
}

TEST(version, compares_as_one_number) {
  EXPECT_EQ(TESSERA_VERSION / 10000, TESSERA_VERSION_MAJOR);
  EXPECT_EQ(TESSERA_VERSION / 100 % 100, TESSERA_VERSION_MINOR);
  EXPECT_EQ(TESSERA_VERSION % 100, TESSERA_VERSION_PATCH);
}
