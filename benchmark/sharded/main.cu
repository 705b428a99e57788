// sharded measures calls on arrays that several GPUs hold, beside the same calls on one GPU's part alone and NCCL's own.
//
// Each rank is a thread with a GPU. Calls are captured into a graph of several, which all ranks launch at once; a row's time is that of
// the slowest rank, divided by the calls, and the median of the rounds.
#include "../report.hpp"
#include "ranks.hpp"

#include <pthread.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace grid = tessera::grid;
using bench::check;
using bench::method;
using bench::rank_data;
using bench::tokens;
using bench::vocabulary;

__global__ void fill_kernel(float* x, std::int64_t n, std::uint64_t seed) {
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += static_cast<std::int64_t>(gridDim.x) * blockDim.x) {
    std::uint64_t bits = (static_cast<std::uint64_t>(i) + seed) * 0x9e3779b97f4a7c15u;
    bits = (bits ^ bits >> 29) * 0xbf58476d1ce4e5b9u;
    x[i] = static_cast<float>(static_cast<std::uint32_t>(bits >> 32)) * 0x1p-32f;
  }
}

__global__ void fill_rows_kernel(__nv_bfloat16* logits, std::int64_t n, int* targets) {
  std::int64_t const first = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (std::int64_t i = first; i < n; i += static_cast<std::int64_t>(gridDim.x) * blockDim.x)
    logits[i] = __float2bfloat16(static_cast<float>(static_cast<std::uint32_t>(i) * 2654435761u >> 20) / 512 - 4);
  if (first < tokens)
    targets[first] =
        static_cast<int>(static_cast<std::uint64_t>(first) * 40503 % static_cast<std::uint64_t>(vocabulary));
}

/// A graph of `calls` calls.
class captured {
 public:
  captured(rank_data const& r, method const& m, int calls) {
    check(m.call(r, m.n));  // so that the workspace has grown
    check(cudaStreamSynchronize(r.on));
    check(cudaStreamBeginCapture(r.on, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < calls; ++i) check(m.call(r, m.n));
    cudaGraph_t graph = nullptr;
    check(cudaStreamEndCapture(r.on, &graph));
    check(cudaGraphInstantiate(&executable_, graph, 0));
    check(cudaGraphDestroy(graph));
  }
  captured(captured const&) = delete;
  captured& operator=(captured const&) = delete;
  ~captured() { (void)cudaGraphExecDestroy(executable_); }
  void launch(cudaStream_t on) const { check(cudaGraphLaunch(executable_, on)); }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

/// Measures all methods on one rank. The slowest rank's time counts.
void measure(rank_data const& r, std::vector<method>& methods, unsigned rounds, pthread_barrier_t& all,
             std::mutex& mutex) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  for (method& m : methods) {
    int const calls = m.n <= (std::int64_t{1} << 22) ? 20 : 4;
    if (m.prepare) m.prepare(r, m.n);
    std::unique_ptr<captured> const graph(m.is_captured ? new captured(r, m, calls) : nullptr);
    auto const run = [&] {
      if (graph) return graph->launch(r.on);
      for (int i = 0; i < calls; ++i) check(m.call(r, m.n));
    };
    run();
    for (unsigned round = 0; round < rounds; ++round) {
      check(cudaStreamSynchronize(r.on));
      pthread_barrier_wait(&all);
      check(cudaEventRecord(begin, r.on));
      run();
      check(cudaEventRecord(end, r.on));
      check(cudaStreamSynchronize(r.on));
      float ms = 0;
      check(cudaEventElapsedTime(&ms, begin, end));
      std::lock_guard<std::mutex> const lock(mutex);
      if (m.times.size() <= round) m.times.resize(round + 1);
      m.times[round] = std::max(m.times[round], 1000.0 * static_cast<double>(ms) / calls);
    }
    pthread_barrier_wait(&all);
  }
  check(cudaEventDestroy(begin));
  check(cudaEventDestroy(end));
}

void run_rank(int rank, int count, ncclUniqueId const& id, std::vector<method>& methods, std::int64_t most,
              std::int64_t rows, unsigned rounds, grid::exchange by, pthread_barrier_t& all, std::mutex& mutex) {
  int devices = 1;
  check(cudaGetDeviceCount(&devices));
  check(cudaSetDevice(rank % devices));
  rank_data r{};
  check(ncclCommInitRank(&r.comm, count, id, rank));
  check(cudaStreamCreateWithFlags(&r.on, cudaStreamNonBlocking));
  check(cudaMalloc(&r.in, static_cast<std::size_t>(most + most / 32 + 4096) * sizeof(float)));
  check(cudaMalloc(&r.out, static_cast<std::size_t>(most) * sizeof(float)));
  check(cudaMalloc(&r.results, 65536));
  fill_kernel<<<1024, 256>>>(r.in, most + most / 32 + 4096, static_cast<std::uint64_t>(rank) << 40);
  check(cudaGetLastError());
  if (rows > 0) {
    check(cudaMalloc(&r.logits, static_cast<std::size_t>(rows) * sizeof(__nv_bfloat16)));
    check(cudaMalloc(&r.targets, tokens * sizeof(int)));
    fill_rows_kernel<<<1024, 256>>>(r.logits, rows, r.targets);
    check(cudaGetLastError());
  }
  check(cudaDeviceSynchronize());
  {
    grid::communicator ranks(r.comm, by);
    grid::workspace memory;
    r.ranks = &ranks;
    r.memory = &memory;
    if (rank == 0)
      std::printf("%d ranks on %d GPUs; %s\n", count, std::min(devices, count),
                  ranks.has_links() ? "pushes" : "NCCL alone");
    measure(r, methods, rounds, all, mutex);
  }
  check(ncclCommDestroy(r.comm));
  for (void* memory : {static_cast<void*>(r.in), static_cast<void*>(r.out), r.results, static_cast<void*>(r.logits),
                       static_cast<void*>(r.targets)})
    check(cudaFree(memory));
  check(cudaStreamDestroy(r.on));
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Measures tessera's calls over several GPUs, the same calls on each GPU alone, and NCCL's own.");
  bench::report_options options(5);
  options.add_to(app, "rows");
  int count = 0;
  app.add_option("--ranks", count, "How many ranks; all GPUs have one by default");
  bool by_nccl = false;
  app.add_flag("--nccl", by_nccl, "NCCL moves all bytes, also where ranks could exchange a few by themselves");
  CLI11_PARSE(app, argc, argv);
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("no GPU\n");
    return 77;
  }
  if (count == 0) count = devices;
  std::vector<method> methods;
  for (int log_n : {10, 16, 20, 24, 26, 28}) bench::add_calls(methods, log_n);
  int const log_sorted = count == 2 ? 28 : 30;
  bench::add_sorts(methods, log_sorted, count);
  if (vocabulary % count == 0) bench::add_losses(methods, count);
  methods.erase(std::remove_if(methods.begin(), methods.end(),
                               [&](method const& m) {
                                 return (m.row + "/" + m.name).find(options.filter) == std::string::npos ||
                                        (options.quick && m.n > (1 << 24));
                               }),
                methods.end());
  std::int64_t most = 1, rows = 0;  // elements of arrays, and of rows
  for (method const& m : methods) {
    std::int64_t& elements = m.row.find("cross entropy") == 0 ? rows : most;
    elements = std::max(elements, m.n);
  }
  try {
    bench::machine const machine = bench::gpu(0).describe();
    bench::print_machine("sharded", machine, "", options.commit);
    ncclUniqueId id;
    check(ncclGetUniqueId(&id));
    pthread_barrier_t all;  // of the ranks' threads
    pthread_barrier_init(&all, nullptr, static_cast<unsigned>(count));
    std::mutex mutex;
    std::vector<std::thread> threads;
    for (int rank = 0; rank < count; ++rank) {
      threads.emplace_back([&, rank] {
        try {
          run_rank(rank, count, id, methods, most, rows, options.rounds,
                   by_nccl ? grid::exchange::nccl : grid::exchange::nvlink, all, mutex);
        } catch (std::exception const& error) {
          std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
          std::_Exit(1);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    pthread_barrier_destroy(&all);
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    std::string row;
    double local = 0;
    for (method const& m : methods) {
      if (m.row != row) std::printf("\n%s a rank\n", (row = m.row).c_str());
      if (m.name == "local") local = m.median();
      std::printf("  %-34s %9.2f us  %6.3f of local speed  %+8.2f us\n", m.name.c_str(), m.median(),
                  m.median() > 0 ? local / m.median() : 0, m.median() - local);
      rows.push_back({{"row", m.row}, {"method", m.name}, {"n", m.n}, {"us", m.times}});
    }
    auto const time_of = [&](std::string const& what, std::string const& name) -> method const* {
      for (method const& m : methods)
        if (m.row == what && m.name == name) return &m;
      return nullptr;
    };
    std::vector<bench::outcome> outcomes;
    auto const expect = [&](std::string const& claim, double at_least, method const* theirs, method const* ours,
                            double more) {
      if (theirs == nullptr || ours == nullptr) return;
      bench::outcome o{claim, at_least, {}};
      for (std::size_t i = 0; i < ours->times.size(); ++i)
        o.reached.values.push_back((theirs->times[i] + more) / ours->times[i]);
      outcomes.push_back(o);
    };
    method const *const sum = time_of("float sum 2^20", "sharded"), *const alone = time_of("float sum 2^20", "local");
    int const most_more = count == 2 ? 5 : 6;
    expect("float sum 2^20 a rank: local + " + std::to_string(most_more) + " us / sharded", 1, alone, sum, most_more);
    expect("float sum 2^28 a rank: local / sharded", 0.98, time_of("float sum 2^28", "local"),
           time_of("float sum 2^28", "sharded"), 0);
    std::string const sort = "float sort of 2^" + std::to_string(log_sorted);
    expect(sort + ": one GPU / all", count == 2 ? 1.6 : 3, time_of(sort + " over all", "local"),
           time_of(sort + " over all", "sharded"), 0);
    for (char const* const kind : {"", ", gradient in place"}) {
      std::string const row = std::string("cross entropy of 8192 x 131072 bf16 over all") + kind;
      expect(row + ": local / sharded", 0.9, time_of(row, "local"), time_of(row, "sharded"), 0);
    }
    bench::print_targets("targets reached", outcomes);
    if (!options.json.empty()) {
      auto j = bench::to_json("sharded", machine, options, outcomes);
      j["ranks"] = count;
      j["rows"] = rows;
      bench::write_json(options.json, j);
    }
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
