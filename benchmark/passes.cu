#include "passes.hpp"

#include "measure.hpp"
#include "report.hpp"

#include <tessera/device.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <optional>
#include <stdexcept>

namespace bench {

// ---- Arrays

namespace {

/// A hash of 32 bits (the finalizer of MurmurHash3).
__device__ unsigned mixed(std::uint64_t i) {
  unsigned x = static_cast<unsigned>(i) ^ static_cast<unsigned>(i >> 32) * 0x9e3779b9u;
  x = (x ^ x >> 16) * 0x85ebca6bu;
  x = (x ^ x >> 13) * 0xc2b2ae35u;
  return x ^ x >> 16;
}

__global__ void fill_uniform(float* out, std::int64_t n) {
  std::int64_t const step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step)
    out[i] = static_cast<float>(static_cast<int>(mixed(static_cast<std::uint64_t>(i)))) * 0x1p-31f;
}

/// Stores in each element the first i whose below[i] is above a random number.
__global__ void fill_weighted(int* out, std::int64_t n, unsigned const* below, int values) {
  std::int64_t const step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    unsigned const x = mixed(static_cast<std::uint64_t>(i));
    int first = 0, last = values - 1;
    while (first < last) {
      int const middle = (first + last) / 2;
      if (x < below[middle]) {
        last = middle;
      } else {
        first = middle + 1;
      }
    }
    out[i] = first;
  }
}

}  // namespace

gpu_data<float> uniform_floats(std::int64_t n) {
  gpu_data<float> out(n);
  fill_uniform<<<1024, 256>>>(out.data(), n);
  check_cuda(cudaDeviceSynchronize(), "filling an array");
  return out;
}

gpu_data<int> weighted_ints(std::int64_t n, std::vector<double> const& weights) {
  double all = 0, sum = 0;
  for (double w : weights) all += w;
  std::vector<unsigned> below;
  for (double w : weights) {
    sum += w;
    below.push_back(static_cast<unsigned>(std::min(sum / all * 0x1p32, 0x1p32 - 1)));
  }
  gpu_data<unsigned> const table(below);
  gpu_data<int> out(n);
  fill_weighted<<<1024, 256>>>(out.data(), n, table.data(), static_cast<int>(below.size()));
  check_cuda(cudaDeviceSynchronize(), "filling an array");
  return out;
}

// ---- Ceilings

namespace {

/// The cache is filled with another array before a pass over more bytes than this.
constexpr double exceeds_cache = 200e6;

/// Reads the array, with Depth loads of 16 bytes per thread in flight. The compiler doesn't know that the
/// sum is never stored.
template <int Depth>
__global__ void __launch_bounds__(512) read_all(float4 const* in, std::int64_t n, float* out) {
  std::int64_t const step = std::int64_t{gridDim.x} * 512 * Depth;
  float sum = 0;
  for (std::int64_t i = std::int64_t{blockIdx.x} * 512 * Depth + threadIdx.x; i < n; i += step) {
    float4 x[Depth];
#pragma unroll
    for (int d = 0; d < Depth; ++d) x[d] = i + d * 512 < n ? __ldcs(in + i + d * 512) : float4{};
#pragma unroll
    for (int d = 0; d < Depth; ++d) sum += x[d].x + x[d].y + x[d].z + x[d].w;
  }
  if (sum == 1234.5f) *out = sum;
}

/// Reads like read_all<4>, and writes a float for every row that ends in the block's part.
__global__ void __launch_bounds__(512) read_all_write_rows(float4 const* in, std::int64_t n, float* out, int columns) {
  std::int64_t const first = std::int64_t{blockIdx.x} * 512 * 4;
  std::int64_t const i = first + threadIdx.x;
  float4 x[4];
  float sum = 0;
#pragma unroll
  for (int d = 0; d < 4; ++d) x[d] = i + d * 512 < n ? __ldcs(in + i + d * 512) : float4{};
#pragma unroll
  for (int d = 0; d < 4; ++d) sum += x[d].x + x[d].y + x[d].z + x[d].w;
  std::int64_t const begin = first * 4 / columns;
  auto const rows = static_cast<int>((min(first + 512 * 4, n)) * 4 / columns - begin);
  for (int r = static_cast<int>(threadIdx.x); r < rows; r += 512) out[begin + r] = sum;
}

template <int Depth>
__global__ void __launch_bounds__(512) copy_all(float4 const* in, float4* out, std::int64_t n) {
  std::int64_t const first = std::int64_t{blockIdx.x} * 512 * Depth + threadIdx.x;
  float4 x[Depth];
#pragma unroll
  for (int d = 0; d < Depth; ++d) x[d] = first + d * 512 < n ? __ldcs(in + first + d * 512) : float4{};
#pragma unroll
  for (int d = 0; d < Depth; ++d) {
    if (first + d * 512 < n) __stcs(out + first + d * 512, x[d]);
  }
}

template <int Depth>
pass read_pass(float const* in, std::int64_t n, int blocks_per_sm) {
  int device = 0, sms = 0;
  check_cuda(cudaGetDevice(&device), "asking for the device");
  check_cuda(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device), "asking for multiprocessors");
  std::int64_t const vectors = n / 4, most = (vectors + 512 * Depth - 1) / (512 * Depth);
  auto const blocks = static_cast<unsigned>(
      blocks_per_sm == 0 ? most : std::min<std::int64_t>(most, std::int64_t{sms} * blocks_per_sm));
  gpu_data<float> const out(1);
  std::string const name = "read, " + std::to_string(Depth) + " loads" + (blocks_per_sm ? ", stays" : "");
  return {name, pass_kind::ceiling, [=] {
            read_all<Depth><<<std::max(blocks, 1u), 512>>>(reinterpret_cast<float4 const*>(in), vectors, out.data());
            return cudaGetLastError();
          }};
}
template <int Depth>
pass copy_pass(void const* in, void* out, std::int64_t bytes) {
  std::int64_t const vectors = bytes / 16;
  auto const blocks = static_cast<unsigned>((vectors + 512 * Depth - 1) / (512 * Depth));
  return {"copy, " + std::to_string(Depth) + " loads", pass_kind::ceiling, [=] {
            copy_all<Depth><<<blocks, 512>>>(static_cast<float4 const*>(in), static_cast<float4*>(out), vectors);
            return cudaGetLastError();
          }};
}

}  // namespace

std::vector<pass> read_ceilings(float const* in, std::int64_t n) {
  return {read_pass<4>(in, n, 4), read_pass<8>(in, n, 2), read_pass<4>(in, n, 0), read_pass<8>(in, n, 0)};
}

pass read_and_write_rows(float const* in, gpu_data<float> const& out, std::int64_t n, int columns) {
  std::int64_t const vectors = n / 4;
  auto const blocks = static_cast<unsigned>((vectors + 512 * 4 - 1) / (512 * 4));
  return {"as much moved", pass_kind::ceiling, [=] {
            read_all_write_rows<<<blocks, 512>>>(reinterpret_cast<float4 const*>(in), vectors, out.data(), columns);
            return cudaGetLastError();
          }};
}

std::vector<pass> copy_ceilings(void const* in, void* out, std::int64_t bytes) {
  return {{"copy by cudaMemcpyAsync", pass_kind::ceiling,
           [=] { return cudaMemcpyAsync(out, in, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToDevice); }},
          copy_pass<1>(in, out, bytes),
          copy_pass<4>(in, out, bytes)};
}

// ---- Measuring

namespace {

struct pass_result {
  std::string what, size, method;
  pass_kind kind;
  double bytes;
  series microseconds;

  double gigabytes_per_second() const { return bytes * 1e-3 / microseconds.median(); }
};

class stopwatch {
 public:
  stopwatch() {
    check_cuda(cudaEventCreate(&begin_), "making an event");
    check_cuda(cudaEventCreate(&end_), "making an event");
  }
  stopwatch(stopwatch const&) = delete;
  stopwatch& operator=(stopwatch const&) = delete;
  ~stopwatch() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }

  /// Measures `calls` calls in a row, and returns the microseconds per call. `before` runs first and isn't
  /// measured.
  double time(pass const& p, int calls, std::function<void()> const& before) {
    before();
    check_cuda(cudaEventRecord(begin_), "recording an event");
    for (int i = 0; i < calls; ++i) check_cuda(p.run(), p.method.c_str());
    check_cuda(cudaEventRecord(end_), "recording an event");
    check_cuda(cudaEventSynchronize(end_), p.method.c_str());
    float ms = 0;
    check_cuda(cudaEventElapsedTime(&ms, begin_, end_), "reading events");
    return 1e3 * static_cast<double>(ms) / calls;
  }

 private:
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

/// Reads the array with default loads, since the streaming loads of read_all would not replace what the
/// cache holds.
__global__ void read_plainly(float const* in, std::int64_t n, float* out) {
  std::int64_t const step = std::int64_t{gridDim.x} * blockDim.x;
  float sum = 0;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) sum += in[i];
  if (sum == 1234.5f) *out = sum;
}

/// Fills the second-level cache with another array. Otherwise the cache would hold a part of the array that
/// depends on the loads of the previous pass, and make the next pass faster by up to 4 % on an H200.
class other_array {
 public:
  void read() const {
    read_plainly<<<2048, 512>>>(floats_.data(), n, out_.data());
    check_cuda(cudaGetLastError(), "filling the cache");
  }

 private:
  static constexpr std::int64_t n = std::int64_t{1} << 26;
  gpu_data<float> const floats_ = uniform_floats(n), out_{1};
};

void measure(task const& t, report_options const& o, std::vector<pass_result>& results) {
  bool const cold = t.bytes > exceeds_cache;
  std::optional<other_array> other;
  if (cold) other.emplace();
  auto const before = [&] {
    if (other) other->read();
  };
  std::vector<pass> const passes = t.make();
  stopwatch watch;
  std::vector<int> calls;
  std::vector<pass_result> found;
  for (pass const& p : passes) {
    watch.time(p, 1, before);
    std::string const wrong = p.mismatch();
    if (!wrong.empty()) throw std::runtime_error(t.what + ", " + t.size + ": " + p.method + " " + wrong);
    double const one = watch.time(p, 3, before);
    calls.push_back(cold ? 1 : static_cast<int>(std::clamp((o.quick ? 100 : 300) / one, 1.0, 100.0)));
    found.push_back({t.what, t.size, p.method, p.kind, t.bytes, {}});
  }
  for (unsigned round = 0; round < o.rounds; ++round) {
    for (std::size_t i = 0; i < passes.size(); ++i)
      found[i].microseconds.values.push_back(watch.time(passes[i], calls[i], before));
  }
  results.insert(results.end(), found.begin(), found.end());
}

// ---- The report

pass_result const* find(std::vector<pass_result> const& results, std::string const& what, std::string const& size,
                        std::string const& method) {
  bool const any = method.back() == '*';
  std::string const name = any ? method.substr(0, method.size() - 1) : method;
  pass_result const* best = nullptr;
  for (pass_result const& r : results) {
    if (r.what != what || r.size != size) continue;
    if (any ? r.method.compare(0, name.size(), name) != 0 : r.method != name) continue;
    if (!best || r.microseconds.median() < best->microseconds.median()) best = &r;
  }
  return best;
}

void print_table(std::vector<pass_result> const& results, std::string const& what) {
  auto const of_what = [&](auto member) {
    return distinct(results, [&](pass_result const& r) { return r.what == what ? r.*member : std::string(); });
  };
  auto const sizes = of_what(&pass_result::size), methods = of_what(&pass_result::method);
  std::printf("\n%-26s", what.c_str());
  for (auto const& size : sizes) std::printf("%17s", size.c_str());
  std::printf("\n");
  for (auto const& method : methods) {
    std::printf("%-26s", method.c_str());
    for (auto const& size : sizes) {
      char cell[32] = "-";
      if (auto const* r = find(results, what, size, method)) {
        double const us = r->microseconds.median();
        std::snprintf(cell, sizeof cell, "%.0f (%.*f)", r->gigabytes_per_second(),
                      us < 100    ? 2
                      : us < 1000 ? 1
                                  : 0,
                      us);
      }
      std::printf("%17s", cell);
    }
    std::printf("\n");
  }
}

std::vector<outcome> outcomes_of(std::vector<pass_target> const& targets, std::vector<pass_result> const& results) {
  std::vector<outcome> outcomes;
  for (pass_target const& t : targets) {
    auto const *theirs = find(results, t.what, t.size, t.theirs), *ours = find(results, t.what, t.size, t.ours);
    if (!theirs || !ours) continue;
    outcome one{t.what + ", " + t.size + ": " + theirs->method + " / " + ours->method, t.at_least, {}};
    for (std::size_t i = 0; i < ours->microseconds.values.size(); ++i)
      one.reached.values.push_back(theirs->microseconds.values[i] / ours->microseconds.values[i]);
    outcomes.push_back(one);
  }
  return outcomes;
}

char const* name_of(pass_kind kind) {
  return kind == pass_kind::ours ? "ours" : kind == pass_kind::peer ? "peer" : "ceiling";
}

void report(pass_program const& p, machine const& m, std::vector<pass_result> const& results, report_options const& o) {
  print_machine(p.name, m, "", o.commit);
  std::printf(
      "Cells show GB/s (microseconds per call), the medians of %u rounds. In each round the methods of a "
      "column run in turn.\n",
      o.rounds);
  for (auto const& what : distinct(results, [](pass_result const& r) { return r.what; })) print_table(results, what);
  auto const outcomes = outcomes_of(p.targets, results);
  if (!outcomes.empty()) print_targets("targets", outcomes);
  if (o.json.empty()) return;
  auto j = to_json(p.name, m, o, outcomes);
  for (pass_result const& r : results) {
    j["results"].push_back({{"what", r.what},
                            {"size", r.size},
                            {"method", r.method},
                            {"kind", name_of(r.kind)},
                            {"bytes", r.bytes},
                            {"gigabytes_per_second", r.gigabytes_per_second()},
                            {"microseconds", to_json(r.microseconds)}});
  }
  write_json(o.json, j);
}

}  // namespace

int run(pass_program const& p, int argc, char** argv) {
  report_options o(11);
  CLI::App app{p.purpose + " Exits with 77 if there is no GPU."};
  o.add_to(app, "'" + p.tasks.front().what + ", " + p.tasks.front().size + "'");
  double seconds = 0;
  app.add_option("--seconds", seconds, "Begin no task after so many, and report what is measured by then");
  CLI11_PARSE(app, argc, argv);
  if (o.quick) o.rounds = 3;

  tessera::device_info const device = tessera::find_device();
  if (!device.usable) {
    std::fprintf(stderr, "%s: skipped: %s\n", p.name.c_str(), device.reason);
    return 77;
  }
  try {
    check_cuda(cudaSetDevice(device.index), "choosing the GPU");
    bench::gpu gpu(device.index);
    gpu.warm_up();
    std::vector<pass_result> results;
    std::size_t left = 0;
    auto const begin = std::chrono::steady_clock::now();
    for (task const& t : p.tasks) {
      if ((t.what + ", " + t.size).find(o.filter) == std::string::npos) continue;
      std::chrono::duration<double> const passed = std::chrono::steady_clock::now() - begin;
      if (seconds > 0 && passed.count() > seconds) {
        ++left;
      } else {
        measure(t, o, results);
      }
    }
    if (left > 0) std::fprintf(stderr, "%s: %zu tasks are left after %.0f s\n", p.name.c_str(), left, seconds);
    if (results.empty()) throw std::runtime_error("nothing has '" + o.filter + "' in its name");
    report(p, gpu.describe(), results, o);
  } catch (std::exception const& e) {
    std::fprintf(stderr, "%s: %s\n", p.name.c_str(), e.what());
    return 1;
  }
  return 0;
}

}  // namespace bench
