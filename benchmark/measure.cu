#include "measure.hpp"

#include "gpu_data.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <stdexcept>

namespace bench {

namespace {

struct clock_reading {
  unsigned long long cycles;
  unsigned long long nanoseconds;
};

/// The next tick of the nanosecond timer, which may advance in steps of a microsecond.
__device__ clock_reading next_tick(unsigned long long not_before) {
  auto const timer = [] {
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
  };
  unsigned long long const before = timer();
  unsigned long long now = before;
  while (now == before || now < not_before) now = timer();
  return {static_cast<unsigned long long>(clock64()), now};
}

__global__ void read_clock(unsigned long long nanoseconds, clock_reading* readings) {
  clock_reading const start = next_tick(0);
  readings[0] = start;
  readings[1] = next_tick(start.nanoseconds + nanoseconds);
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + '.' + std::to_string(version % 1000 / 10);
}

/// The version of the driver, such as "580.159.03", or an empty string if the system doesn't tell.
std::string driver_version() {
  int cuda = 0;
  check_cuda(cudaDriverGetVersion(&cuda), "reading the driver's version");
  std::ifstream file("/sys/module/nvidia/version");
  std::string version;
  std::getline(file, version);
  if (version.empty()) {
    // "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.03  …": the first word that starts with a
    // digit
    std::ifstream proc("/proc/driver/nvidia/version");
    for (std::string word; proc >> word && version.empty();) {
      if (word[0] >= '0' && word[0] <= '9') version = word;
    }
  }
  return (version.empty() ? "of unknown version" : version) + ", CUDA " + version_text(cuda);
}

}  // namespace

double series::quantile(double q) const {
  if (values.empty()) return std::nan("");
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  double const at = q * static_cast<double>(sorted.size() - 1);
  auto const below = static_cast<std::size_t>(at);
  std::size_t const above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (at - static_cast<double>(below));
}

double series::spread() const {
  return (quantile(0.75) - quantile(0.25)) / median();
}

series ratio(result const& a, result const& b, quantity q) {
  auto const series_of = [q](result const& r) -> series const& {
    return q == quantity::throughput ? r.throughput : r.latency_cycles;
  };
  series const &of = series_of(a), &to = series_of(b);
  series r;
  for (std::size_t i = 0; i < of.values.size(); ++i) r.values.push_back(of.values[i] / to.values[i]);
  return r;
}

// ---- Memory of the launches

struct gpu::buffers {
  explicit buffers(unsigned sms) : times(sms), results(static_cast<std::int64_t>(sms * bytes_per_sm)) {}

  gpu_data<std::byte> own{most_bytes};
  gpu_data<std::byte> weight{most_bytes};
  gpu_data<sm_times> times;
  gpu_data<std::byte> results;
  gpu_data<clock_reading> readings{2};
};

gpu::gpu(int index) : index_(index) {
  check_cuda(cudaSetDevice(index), "choosing the GPU");
  int sms = 0;
  check_cuda(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, index), "asking for the SMs");
  sms_ = static_cast<unsigned>(sms);
  buffers_ = std::make_unique<buffers>(sms_);
}

gpu::~gpu() = default;

machine gpu::describe() const {
  cudaDeviceProp properties;
  check_cuda(cudaGetDeviceProperties(&properties, index_), "asking for the GPU's name");
  int runtime = 0;
  check_cuda(cudaRuntimeGetVersion(&runtime), "reading the runtime's version");
  std::string const nvcc = std::to_string(__CUDACC_VER_MAJOR__) + '.' + std::to_string(__CUDACC_VER_MINOR__) + '.' +
                           std::to_string(__CUDACC_VER_BUILD__);
  return {properties.name, driver_version(), version_text(runtime), "nvcc " + nvcc, sms_};
}

// ---- Runs

double gpu::run(chain const& c, unsigned blocks, unsigned threads, unsigned calls) {
  buffers_->times.fill(0);
  c.launch({blocks, threads, calls / c.in_a_row, buffers_->own.data(), buffers_->weight.data(),
            buffers_->results.data(), buffers_->times.data()});
  check_cuda(cudaGetLastError(), "launching a chain");
  std::vector<double> cycles;  // for each SM that ran warps
  for (sm_times const& sm : buffers_->times.get()) {
    if (sm.warps == 0) continue;
    auto const taken = static_cast<double>(sm.end - ~sm.not_start);
    cycles.push_back(taken * c.warps() / (static_cast<double>(sm.warps) * calls));
  }
  return series{cycles}.median();
}

void gpu::fill_inputs(chain const& c) {
  std::vector<std::byte> own(c.own_bytes), weight(c.weight_bytes);
  c.fill(own.data(), weight.data());
  buffers_->own.put(own);
  buffers_->weight.put(weight);
}

void gpu::check(chain const& c, unsigned calls) {
  unsigned const blocks = sms_ * c.blocks_per_sm();
  fill_inputs(c);
  for (unsigned const checked : {8u, calls}) {
    buffers_->results.fill(0xA5);
    run(c, blocks, c.threads, checked);
    std::string const wrong =
        c.mismatch(buffers_->results.get(static_cast<std::int64_t>(blocks * c.result_bytes)).data(), blocks, checked);
    if (!wrong.empty()) {
      throw std::runtime_error(c.what + ", " + c.method + ", N = " + std::to_string(c.width) + ", after " +
                               std::to_string(checked) + " collectives: " + wrong);
    }
  }
}

void gpu::launch(chain const& c, unsigned calls) {
  fill_inputs(c);
  run(c, 1, c.threads, calls);
}

std::vector<result> gpu::measure(std::vector<chain const*> const& chains, unsigned rounds, unsigned calls) {
  std::vector<result> results;
  for (chain const* c : chains) {
    check(*c, calls);
    cudaFuncAttributes attributes;
    check_cuda(cudaFuncGetAttributes(&attributes, c->kernel), "asking for a kernel's registers");
    int resident = 0;
    check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, c->kernel, c->threads, 0),
               "asking for a kernel's occupancy");
    results.push_back({c, attributes.numRegs, resident, {}, {}, {}, {}});
  }
  for (unsigned round = 0; round < rounds; ++round) {
    double const mhz = measure_clock(0.3);
    clock_mhz_.values.push_back(mhz);
    for (result& r : results) {
      chain const& c = *r.chain;
      fill_inputs(c);
      unsigned const blocks = std::min(c.blocks_per_sm(), static_cast<unsigned>(r.resident_blocks));
      double const cycles = run(c, sms_ * blocks, c.threads, calls);
      r.throughput.values.push_back(cycles);
      r.throughput_ns.values.push_back(1e3 * cycles / mhz);
      double const alone = run(c, 1, c.warps() * warp_lanes, calls);
      r.latency_cycles.values.push_back(alone);
      r.latency_ns.values.push_back(1e3 * alone / mhz);
    }
  }
  return results;
}

double gpu::measure_clock(double milliseconds) {
  read_clock<<<1, 1>>>(static_cast<unsigned long long>(1e6 * milliseconds), buffers_->readings.data());
  check_cuda(cudaGetLastError(), "launching the clock's kernel");
  std::vector<clock_reading> const r = buffers_->readings.get();
  return 1e3 * static_cast<double>(r[1].cycles - r[0].cycles) /
         static_cast<double>(r[1].nanoseconds - r[0].nanoseconds);
}

void gpu::warm_up() {
  measure_clock(300);
}

}  // namespace bench
