// A pass: one call that goes over arrays in the GPU's memory. A program of passes measures those of one task side by side:
// tessera's, a peer's, and plain kernels that do no more than to move the same bytes, the ceilings.
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
  std::function<cudaError_t()> run;  // on the default stream
  /// After a run: empty where its result is right, else what is wrong.
  std::function<std::string()> mismatch = [] { return std::string(); };
};

/// Passes over one lot of arrays, which live as long as the passes do.
struct task {
  std::string what;  // a table
  std::string size;  // its column
  double bytes;      // that must be read and written
  std::function<std::vector<pass>()> make;
};

/// `theirs` takes at least so many times what `ours` does. "CUB*": the fastest of those whose names begin so.
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

/// Reads the options, measures, prints tables and targets. Returns what main() returns: 1 where a result is wrong, 77 without a GPU.
///
/// Each round makes one run of every pass after the other, or as many in a row as take a tenth of a millisecond. Cells: GB/s of the
/// task's bytes, in brackets µs a call.
int run(pass_program const& p, int argc, char** argv);

// ---- Arrays

/// Floats from −1 to 1, always the same.
gpu_data<float> uniform_floats(std::int64_t n);
/// Integers by `weights`: value i as often as its weight says.
gpu_data<int> weighted_ints(std::int64_t n, std::vector<double> const& weights);

/// A call of CUB's, `call(storage, bytes)`, which takes its memory in advance.
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

/// Plain kernels that only read n floats, in several ways.
std::vector<pass> read_ceilings(float const* in, std::int64_t n);
/// Reads n floats and writes one for every `columns`: what a row reduction moves.
pass read_and_write_rows(float const* in, gpu_data<float> const& out, std::int64_t n, int columns);
/// A device-to-device copy, and plain kernels that do the same.
std::vector<pass> copy_ceilings(void const* in, void* out, std::int64_t bytes);

}  // namespace bench
