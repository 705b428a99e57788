// The few functions of CUDA's driver that load a module and launch its kernels, found at run time: a host's compiler compiles this
// without CUDA.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace plain {

class driver {
 public:
  using pointer = unsigned long long;

  driver() {
    library_ = dlopen("libcuda.so.1", RTLD_NOW);
    if (library_ == nullptr) return;
    int count = 0;
    works_ = call<int>("cuInit", 0u) == 0 && call<int>("cuDeviceGetCount", &count) == 0 && count > 0;
    if (works_) begin();
  }

  /// Whether there is a GPU.
  bool works() const { return works_; }

  /// Loads a cubin, a fatbin, or PTX.
  void load(std::string const& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot read " + path);
    image_.assign(std::istreambuf_iterator<char>(file), {});  // a string ends with the 0 that PTX needs
    load_again();
  }

  pointer allocate(std::size_t bytes) {
    pointer p = 0;
    check("cuMemAlloc_v2", call<int>("cuMemAlloc_v2", &p, bytes));
    return p;
  }
  void free(pointer p) { check("cuMemFree_v2", call<int>("cuMemFree_v2", p)); }
  void to_gpu(pointer to, void const* from, std::size_t bytes) {
    check("cuMemcpyHtoD_v2", call<int>("cuMemcpyHtoD_v2", to, from, bytes));
  }
  void to_host(void* to, pointer from, std::size_t bytes) {
    check("cuMemcpyDtoH_v2", call<int>("cuMemcpyDtoH_v2", to, from, bytes));
  }

  /// Runs a kernel of the module on one block, and waits.
  void launch(char const* name, unsigned threads, void* argument) {
    void* function = nullptr;
    check("cuModuleGetFunction", call<int>("cuModuleGetFunction", &function, module_, name));
    void* arguments[] = {argument};
    check("cuLaunchKernel",
          call<int>("cuLaunchKernel", function, 1u, 1u, 1u, threads, 1u, 1u, 0u, static_cast<void*>(nullptr),
                    static_cast<void**>(arguments), static_cast<void**>(nullptr)));
    check("cuCtxSynchronize", call<int>("cuCtxSynchronize"));
  }

  /// After an error nothing works until there is a new context, without its memory.
  void begin_again() {
    call<int>("cuCtxDestroy_v2", context_);
    begin();
    load_again();
  }

 private:
  void begin() {
    int device = 0;
    check("cuDeviceGet", call<int>("cuDeviceGet", &device, 0));
    check("cuCtxCreate_v2", call<int>("cuCtxCreate_v2", &context_, 0u, device));
  }
  void load_again() {
    check("cuModuleLoadData", call<int>("cuModuleLoadData", &module_, static_cast<void const*>(image_.c_str())));
  }

  template <class R, class... Arguments>
  R call(char const* name, Arguments... arguments) {
    void* const function = dlsym(library_, name);
    if (function == nullptr) throw std::runtime_error(std::string("the driver has no ") + name);
    return reinterpret_cast<R (*)(Arguments...)>(function)(arguments...);
  }
  void check(char const* what, int status) {
    if (status == 0) return;
    char const* text = "?";
    call<int>("cuGetErrorString", status, &text);
    throw std::runtime_error(std::string(what) + ": " + text);
  }

  void* library_ = nullptr;
  bool works_ = false;
  void* context_ = nullptr;
  void* module_ = nullptr;
  std::string image_;
};

}  // namespace plain
