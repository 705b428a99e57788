// The inputs of a plain kernel on CPU lanes, which draws them. See plain.hpp.
#pragma once

#include <cstring>
#include <vector>

#include "expect.hpp"

namespace plain {

struct arguments;

/// A kernel: its name, its text, and how it is launched.
struct kernel {
  char const* name;
  char const* text;
  unsigned size, threads;
  unsigned memory_bytes;
  bool has_buffer;  // whether the second half of a tile's memory is unspecified after the call
  void (*run)(arguments&, tessera::host::block const&);
  void (*prepare)(oracle::draws const&, unsigned char*);
};

/// All kernels. Each translation unit adds its own, under the name of its module.
struct module {
  char const* name;
  std::vector<kernel> kernels;
};
std::vector<module>& modules();
struct add_module {
  add_module(char const* name, std::initializer_list<kernel> kernels) { modules().push_back({name, kernels}); }
};

}  // namespace plain
