// `consumer cpu` and `consumer gpu` exit with 0 if the library works, and with 77 if there is no GPU.
#include <tessera/device.hpp>
#include <tessera/version.hpp>

#include <cstdio>
#include <cstring>

bool arrays_are_right();

int main(int argc, char** argv) {
  if (std::strcmp(tessera::version(), tessera::header_version) != 0) return 1;
  tessera::device_info const gpu = tessera::find_device();
  std::puts(gpu.usable ? gpu.name : gpu.reason);
  bool const asked = argc > 1 && std::strcmp(argv[1], "gpu") == 0;
  if (!asked) return 0;
  if (!gpu.usable) return 77;
  return arrays_are_right() ? 0 : 1;
}
