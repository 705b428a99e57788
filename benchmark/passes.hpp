// A pass is one call that processes arrays in the GPU's memory. A program measures the passes of each task
// in turn: tessera's, those of peers, and the ceilings, which are plain kernels that only move the same
// bytes.
#pragma once

#include "gpu_data.hpp"
#include "measure.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bench {

enum class pass_kind { ours, peer, ceiling };

struct pass {
  std::string method;
  pass_kind kind;
  std::function<cudaError_t()> run;  // runs on the default stream
  /// Checks the result of the last run. Returns an empty string if it is right, or else a description of
  /// the error.
  std::function<std::string()> mismatch = [] { return std::string(); };
};

/// Passes over the same arrays, which live as long as the passes.
struct task {
  std::string what;  // the table
  std::string size;  // the column of the table
  double bytes;      // the number of bytes that must be read and written
  std::function<std::vector<pass>()> make;
};

/// A claim: `theirs` takes at least `at_least` times as long as `ours`. "CUB*" is the fastest whose name
/// begins with CUB.
struct pass_target {
  std::string what, size;
  double at_least;
  std::string theirs, ours;
};

struct pass_program {
  std::string name;
  std::string purpose;  // the first sentence of --help
  std::vector<task> tasks;
  std::vector<pass_target> targets;
};

/// Reads the options, measures, and prints tables and targets. Returns the exit status: 1 if a result is
/// wrong, 77 if there is no GPU.
///
/// In each round every pass runs in turn, once or as often as fits into 0.3 ms. A cell shows the GB/s of
/// the task's bytes, and in brackets the µs per call.
int run(pass_program const& p, int argc, char** argv);

// ---- Arrays

/// Random floats from −1 to 1, which are the same in every run.
gpu_data<float> uniform_floats(std::int64_t n);
/// Random integers. The probability of value i is proportional to `weights[i]`.
gpu_data<int> weighted_ints(std::int64_t n, std::vector<double> const& weights);

/// A pass by CUB, `call(storage, bytes)`. Its temporary storage is allocated in advance.
template <class Call>
pass cub_pass(char const* name, Call call) {
  std::size_t bytes = 0;
  check_cuda(call(nullptr, bytes), "asking CUB for its size");
  gpu_data<char> const storage(static_cast<std::int64_t>(bytes));
  return {name, pass_kind::peer, [=] {
            std::size_t size = bytes;
            return call(storage.data(), size);
          }};
}

// ---- Ceilings

/// Several plain kernels that only read n floats.
std::vector<pass> read_ceilings(float const* in, std::int64_t n);
/// The same of an array that lives as long as the passes: n · 4 bytes of it.
template <class T>
std::vector<pass> read_ceilings(gpu_data<T> const& in, std::int64_t n) {
  auto passes = read_ceilings(reinterpret_cast<float const*>(in.data()), n);
  for (pass& p : passes) p.run = [in, run = p.run] { return run(); };
  return passes;
}
/// Reads n floats and writes one float for every `columns`, which are the bytes that a row reduction moves.
pass read_and_write_rows(float const* in, gpu_data<float> const& out, std::int64_t n, int columns);
/// A device-to-device copy, and plain kernels that do the same.
std::vector<pass> copy_ceilings(void const* in, void* out, std::int64_t bytes);
/// The same of arrays that live as long as the passes.
template <class T, class Out>
std::vector<pass> copy_ceilings(gpu_data<T> const& in, gpu_data<Out> const& out, std::int64_t bytes) {
  auto passes = copy_ceilings(static_cast<void const*>(in.data()), static_cast<void*>(out.data()), bytes);
  for (pass& p : passes) p.run = [in, out, run = p.run] { return run(); };
  return passes;
}

}  // namespace bench
