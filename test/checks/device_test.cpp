#include <tessera/device.hpp>

#include <cstring>

#include "gpu.hpp"

// A usable device has all fields. Otherwise there is a reason.
TEST(device, is_usable_or_has_a_reason) {
  tessera::device_info const device = tessera::find_device();
  if (device.usable) {
    EXPECT_GE(device.index, 0);
    EXPECT_GE(device.arch, 50);
    EXPECT_STRNE(device.name, "");
    EXPECT_STREQ(device.reason, "");
  } else {
    EXPECT_STRNE(device.reason, "");
    EXPECT_EQ(device.index < 0, device.arch == 0);
    EXPECT_EQ(device.index < 0, std::strlen(device.name) == 0);
  }
}

TEST(device, is_the_same_in_a_second_call) {
  tessera::device_info const first = tessera::find_device();
  tessera::device_info const second = tessera::find_device();
  EXPECT_EQ(first.usable, second.usable);
  EXPECT_EQ(first.index, second.index);
  EXPECT_EQ(first.arch, second.arch);
  EXPECT_STREQ(first.name, second.name);
  EXPECT_STREQ(first.reason, second.reason);
}
