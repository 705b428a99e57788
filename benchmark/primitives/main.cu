// primitives measures the latency and throughput of the instructions that reductions consist of: shuffle,
// vote, match, population count, loads of shared memory, and loads of global memory that hit the
// first-level cache, the second-level cache, or none.
//
// Latency is the number of SM cycles per call of one warp, where each call takes the result of the previous
// one. Throughput is the number of calls by a warp in 100 SM cycles, with 32 warps on one SM and four
// independent chains each.
#include "../passes.hpp"
#include "../report.hpp"

#include <tessera/device.hpp>

#include <cuda_runtime.h>

#include <cstdio>
#include <exception>

namespace bench {

namespace {

constexpr unsigned calls = 1024, chains = 4, most_threads = 1024;
constexpr unsigned far = 1u << 27;  // the words of an array that exceeds the caches

/// The loads follow a table: `table[i]` is the index after i.
struct tables {
  unsigned const *near, *middle, *far;
};

struct nothing {
  static constexpr char const* name = "addition (what a loop takes)";
  __device__ static unsigned call(unsigned x, tables const&, unsigned*) { return x + 1; }
};
struct shuffle_xor {
  static constexpr char const* name = "shuffle";
  __device__ static unsigned call(unsigned x, tables const&, unsigned*) { return __shfl_xor_sync(~0u, x, 1); }
};
struct ballot {
  static constexpr char const* name = "ballot";
  __device__ static unsigned call(unsigned x, tables const&, unsigned*) { return __ballot_sync(~0u, x & 1); }
};
struct any {
  static constexpr char const* name = "any, all";
  __device__ static unsigned call(unsigned x, tables const&, unsigned*) {
    return x ^ static_cast<unsigned>(__any_sync(~0u, static_cast<int>(x & 1)));
  }
};
struct match_equal {
  static constexpr char const* name = "match_any, equal keys";
  __device__ static unsigned call(unsigned x, tables const&, unsigned*) {
    return __match_any_sync(~0u, x & 0x80000000u);
  }
};
struct match_different {
  static constexpr char const* name = "match_any, 32 keys";
  __device__ static unsigned call(unsigned x, tables const&, unsigned*) { return __match_any_sync(~0u, x); }
};
struct redux {
  static constexpr char const* name = "redux";
  __device__ static unsigned call(unsigned x, tables const&, unsigned*) { return __reduce_add_sync(~0u, x); }
};
struct population_count {
  static constexpr char const* name = "population count";
  __device__ static unsigned call(unsigned x, tables const&, unsigned*) { return x + static_cast<unsigned>(__popc(x)); }
};
struct shared_load {
  static constexpr char const* name = "shared load";
  __device__ static unsigned call(unsigned x, tables const&, unsigned* shared) { return shared[x % most_threads]; }
};
struct global_load_near {
  static constexpr char const* name = "global load, L1";
  __device__ static unsigned call(unsigned x, tables const& t, unsigned*) { return __ldca(t.near + x); }
};
struct global_load_middle {
  static constexpr char const* name = "global load, L2";
  __device__ static unsigned call(unsigned x, tables const& t, unsigned*) { return __ldcg(t.middle + x); }
};
struct global_load_far {
  static constexpr char const* name = "global load, memory";
  __device__ static unsigned call(unsigned x, tables const& t, unsigned*) { return __ldcg(t.far + x); }
};

template <class What, unsigned Chains>
__global__ void __launch_bounds__(most_threads)
    run_calls(tables t, unsigned* sink, unsigned long long* begin, unsigned long long* end) {
  __shared__ unsigned shared[most_threads];
  for (unsigned i = threadIdx.x; i < most_threads; i += blockDim.x) shared[i] = i;
  __syncthreads();
  unsigned x[Chains];
  for (unsigned c = 0; c < Chains; ++c) x[c] = threadIdx.x + c * 32 * 33;
  unsigned long long const start = clock64();
#pragma unroll 8
  for (unsigned i = 0; i < calls; ++i) {
#pragma unroll
    for (unsigned c = 0; c < Chains; ++c) x[c] = What::call(x[c], t, shared);
  }
  unsigned long long const stop = clock64();
  unsigned all = 0;
  for (unsigned c = 0; c < Chains; ++c) all ^= x[c];
  sink[blockIdx.x * blockDim.x + threadIdx.x] = all;
  atomicMin(begin, start);
  atomicMax(end, stop);
}

/// A table that visits all of `size` words in an order that neither cache lines nor a prefetcher help with.
__global__ void make_walk(unsigned* table, unsigned size) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x)
    table[i] = (i * 5u + 1013904223u) % size;  // one cycle through all indices, since size is a power of two
}
gpu_data<unsigned> walk(unsigned size) {
  gpu_data<unsigned> table(size);
  make_walk<<<1024, 256>>>(table.data(), size);
  check_cuda(cudaDeviceSynchronize(), "making a walk");
  return table;
}

struct row {
  char const* name;
  series latency, throughput;  // cycles per call; calls by a warp in 100 cycles
};

class meter {
 public:
  meter() : near_(walk(1u << 12)), middle_(walk(1u << 22)), far_(walk(far)), sink_(most_threads * 2), clock_(2) {}

  template <class What>
  row measure(unsigned rounds) {
    row r{What::name, {}, {}};
    for (unsigned i = 0; i <= rounds; ++i) {
      double const alone = cycles<What, 1>(1, 32);
      double const crowd = cycles<What, chains>(1, most_threads);
      if (i == 0) continue;  // in the first round the caches are cold
      r.latency.values.push_back(alone / calls);
      r.throughput.values.push_back(100.0 * calls * chains * (most_threads / 32) / crowd);
    }
    return r;
  }

 private:
  template <class What, unsigned Chains>
  double cycles(unsigned blocks, unsigned threads) {
    unsigned long long const start[2] = {~0ull, 0};
    check_cuda(cudaMemcpy(clock_.data(), start, sizeof start, cudaMemcpyHostToDevice), "clearing the clocks");
    run_calls<What, Chains><<<blocks, threads>>>({near_.data(), middle_.data(), far_.data()}, sink_.data(),
                                                 clock_.data(), clock_.data() + 1);
    check_cuda(cudaGetLastError(), What::name);
    auto const read = clock_.get(2);
    return static_cast<double>(read[1] - read[0]);
  }

  gpu_data<unsigned> near_, middle_, far_, sink_;
  gpu_data<unsigned long long> clock_;
};

template <class... What>
std::vector<row> measure_all(meter& m, report_options const& o) {
  std::vector<row> rows;
  auto const wanted = [&](char const* name) { return std::string(name).find(o.filter) != std::string::npos; };
  ((wanted(What::name) ? rows.push_back(m.measure<What>(o.rounds)) : void()), ...);
  return rows;
}

void print(machine const& m, std::vector<row> const& rows, report_options const& o) {
  print_machine("primitives", m, "", o.commit);
  std::printf(
      "Latency: cycles a call, one warp. Throughput: calls of a warp in 100 cycles of an SM with 32 "
      "warps.\n");
  std::printf("Medians of %u rounds.\n\n%-30s%12s%14s\n", o.rounds, "", "latency", "throughput");
  for (row const& r : rows) std::printf("%-30s%12.1f%14.1f\n", r.name, r.latency.median(), r.throughput.median());
  if (o.json.empty()) return;
  auto j = to_json("primitives", m, o, {});
  for (row const& r : rows)
    j["results"].push_back(
        {{"what", r.name}, {"latency_cycles", to_json(r.latency)}, {"throughput", to_json(r.throughput)}});
  write_json(o.json, j);
}

int run_primitives(int argc, char** argv) {
  report_options o(11);
  CLI::App app{"Measures the instructions that reductions consist of. Exits with 77 if there is no GPU."};
  o.add_to(app, "'match_any'");
  CLI11_PARSE(app, argc, argv);
  if (o.quick) o.rounds = 3;
  tessera::device_info const device = tessera::find_device();
  if (!device.usable) {
    std::fprintf(stderr, "primitives: skipped: %s\n", device.reason);
    return 77;
  }
  try {
    check_cuda(cudaSetDevice(device.index), "choosing the GPU");
    bench::gpu gpu(device.index);
    gpu.warm_up();
    meter m;
    auto const rows =
        measure_all<nothing, shuffle_xor, ballot, any, match_equal, match_different, redux, population_count,
                    shared_load, global_load_near, global_load_middle, global_load_far>(m, o);
    print(gpu.describe(), rows, o);
  } catch (std::exception const& e) {
    std::fprintf(stderr, "primitives: %s\n", e.what());
    return 1;
  }
  return 0;
}

}  // namespace

}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_primitives(argc, argv);
}
