// consumer cpu | gpu: loads two shared objects that were built with versions 0.1.0 and 0.2.0 of tessera so that each could
// use the other's symbols. Exits with 0 if each uses its own, gpu: with 77.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>

#include "report.hpp"

namespace {

report_of_tessera report_of(const char* object) {
  void* const loaded = dlopen(object, RTLD_NOW | RTLD_GLOBAL);
  if (loaded == nullptr) return std::puts(dlerror()), report_of_tessera{"", "", 0, nullptr};
  return reinterpret_cast<report_of_tessera (*)()>(dlsym(loaded, "report"))();
}

bool is_of_version(report_of_tessera const& said, const char* version) {
  std::printf("headers %s, library %s, sum %u: expected %s\n", said.headers, said.library, said.sum, version);
  unsigned const minor = static_cast<unsigned>(version[2] - '0');
  return std::strcmp(said.headers, version) == 0 && std::strcmp(said.library, version) == 0 && said.sum == 8 * minor;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "gpu") == 0) return 77;
  report_of_tessera const first = report_of("./first.so"), second = report_of("./second.so");
  bool const first_is_right = is_of_version(first, "0.1.0"), second_is_right = is_of_version(second, "0.2.0");
  std::puts(first.function == second.function ? "They share a function." : "Each has its own functions.");
  return first_is_right && second_is_right && first.function != second.function ? 0 : 1;
}
