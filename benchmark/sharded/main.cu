// sharded measures calls on arrays that several GPUs hold, beside the same calls on one GPU's part alone and NCCL's own.
//
// Each rank is a thread with a GPU. Calls are captured into a graph of several, which all ranks launch at once; a row's time is that of
// the slowest rank, divided by the calls, and the median of the rounds.
#include "../report.hpp"

#include <tessera/grid/cross_entropy.cuh>
#include <tessera/grid/sharded.cuh>
#include <tessera/grid/sharded_rows.cuh>
#include <tessera/grid/sharded_sort.cuh>
#include <tessera/grid/sharded_top_k.cuh>

#include <cuda_bf16.h>
#include <pthread.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace grid = tessera::grid;

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}
void check(ncclResult_t status) {
  if (status != ncclSuccess) throw std::runtime_error(ncclGetErrorString(status));
}

/// What a rank has: `most` floats, results, and a stream.
struct rank_data {
  grid::communicator* ranks;
  ncclComm_t comm;
  cudaStream_t on;
  float *in, *out;
  grid::workspace* memory;
  void* results;
  __nv_bfloat16* logits = nullptr;  // the rank's columns of all rows; gradients replace them
  int* targets = nullptr;           // columns of whole rows
};
constexpr std::int64_t tokens = 8192, vocabulary = 131072;

/// One method of a row: a call on n elements of each rank.
struct method {
  std::string row, name;
  std::int64_t n;
  std::function<cudaError_t(rank_data const&, std::int64_t)> call;
  bool is_captured = true;
  std::function<void(rank_data const&, std::int64_t)> prepare = {};  // what all its calls begin with
  std::vector<double> times = {};                                    // µs of a call, one for each round
  double median() const {
    std::vector<double> sorted = times;
    std::sort(sorted.begin(), sorted.end());
    return sorted.empty() ? 0 : sorted[sorted.size() / 2];
  }
};

__global__ void fill_kernel(float* x, std::int64_t n, std::uint64_t seed) {
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += static_cast<std::int64_t>(gridDim.x) * blockDim.x) {
    std::uint64_t bits = (static_cast<std::uint64_t>(i) + seed) * 0x9e3779b97f4a7c15u;
    bits = (bits ^ bits >> 29) * 0xbf58476d1ce4e5b9u;
    x[i] = static_cast<float>(static_cast<std::uint32_t>(bits >> 32)) * 0x1p-32f;
  }
}

grid::shard part_of(rank_data const& r, std::int64_t n) {
  return {r.ranks->index() * n, n, r.ranks->count() * n};
}
/// Cut as order::any_device wants it; its number of elements differs from n by little.
grid::shard even_part_of(rank_data const& r, std::int64_t n) {
  return r.ranks->shard_of(r.ranks->count() * n);
}

void add_methods(std::vector<method>& methods, int log_n) {
  std::int64_t const n = std::int64_t{1} << log_n;
  std::string const size = "2^" + std::to_string(log_n);
  auto const add = [&](std::string const& what, std::string const& name, auto call) {
    methods.push_back({what + " " + size, name, n, call});
  };
  add("float sum", "local", [](rank_data const& r, std::int64_t count) {
    return grid::reduce(r.in, count, static_cast<float*>(r.results), tessera::plus{}, {r.on, *r.memory});
  });
  add("float sum", "sharded", [](rank_data const& r, std::int64_t count) {
    return grid::reduce(*r.ranks, r.in, part_of(r, count), static_cast<float*>(r.results), tessera::plus{},
                        {r.on, *r.memory});
  });
  add("float sum", "sharded, any_device", [](rank_data const& r, std::int64_t count) {
    return grid::reduce(*r.ranks, r.in, even_part_of(r, count), static_cast<float*>(r.results), tessera::plus{},
                        grid::order::any_device, {r.on, *r.memory});
  });
  add("float sum", "local, ncclAllReduce", [](rank_data const& r, std::int64_t count) {
    auto* const sum = static_cast<float*>(r.results);
    cudaError_t const error = grid::reduce(r.in, count, sum, tessera::plus{}, {r.on, *r.memory});
    check(ncclAllReduce(sum, sum, 1, ncclFloat, ncclSum, r.comm, r.on));
    return error;
  });
  add("float sum", "ncclAllGather of 32 bytes alone", [](rank_data const& r, std::int64_t) {
    check(ncclAllGather(static_cast<char*>(r.results) + 32 * r.ranks->index(), r.results, 32, ncclInt8, r.comm, r.on));
    return cudaSuccess;
  });
  if (log_n != 20 && log_n != 26 && log_n != 28) return;
  add("float argmax", "local", [](rank_data const& r, std::int64_t count) {
    return grid::argmax(r.in, count, static_cast<tessera::indexed<float, std::int64_t>*>(r.results), {r.on, *r.memory});
  });
  add("float argmax", "sharded", [](rank_data const& r, std::int64_t count) {
    return grid::argmax(*r.ranks, r.in, part_of(r, count),
                        static_cast<tessera::indexed<float, std::int64_t>*>(r.results), {r.on, *r.memory});
  });
  add("float scan", "local", [](rank_data const& r, std::int64_t count) {
    return grid::inclusive_scan(r.in, count, r.out, tessera::plus{}, {r.on, *r.memory});
  });
  add("float scan", "sharded", [](rank_data const& r, std::int64_t count) {
    return grid::inclusive_scan(*r.ranks, r.in, part_of(r, count), r.out, tessera::plus{}, {r.on, *r.memory});
  });
  add("top 64", "local", [](rank_data const& r, std::int64_t count) {
    return grid::top_k(r.in, count, 64, r.out, static_cast<std::int64_t*>(r.results), tessera::greater{},
                       {r.on, *r.memory});
  });
  add("top 64", "sharded", [](rank_data const& r, std::int64_t count) {
    return grid::top_k(*r.ranks, r.in, part_of(r, count), 64, r.out, static_cast<std::int64_t*>(r.results),
                       tessera::greater{}, {r.on, *r.memory});
  });
}

/// Sends each rank its share of n elements of r.in, and gets as many of each: the rank's own are left out. Pieces begin
/// `skipped` elements after a multiple of 16 bytes.
void swap_shares(rank_data const& r, std::int64_t n, std::int64_t skipped = 0) {
  int const ranks = r.ranks->count();
  std::int64_t const share = n / ranks;
  check(ncclGroupStart());
  for (int peer = 0; peer < ranks; ++peer) {
    if (peer == r.ranks->index()) continue;
    std::int64_t const at = peer * share + skipped;
    check(ncclSend(r.in + at, static_cast<std::size_t>(share), ncclFloat, peer, r.comm, r.on));
    check(ncclRecv(r.out + at, static_cast<std::size_t>(share), ncclFloat, peer, r.comm, r.on));
  }
  check(ncclGroupEnd());
}

/// The library's sort with another number of parts.
cudaError_t sort_in_parts(rank_data const& r, std::int64_t n, int parts) {
  using run = grid::detail::key_run<float>;
  grid::execution const on{r.on, *r.memory};
  return grid::detail::sort_in_stream<tessera::less>(
      *r.ranks, part_of(r, n), parts, run{r.out},
      [&](run to) { return grid::sort(r.in, n, to.keys, tessera::less{}, on); },
      [&](run a, std::int64_t na, run b, std::int64_t nb, run to) {
        return grid::merge(a.keys, na, b.keys, nb, to.keys, tessera::less{}, on);
      },
      on);
}

/// Merges a rank's n sorted elements of r.out as it does those of all ranks: there and back between two places.
cudaError_t merge_shares(rank_data const& r, std::int64_t n) {
  cudaError_t error = cudaSuccess;
  float *from = r.out, *to = r.out + n;
  for (std::int64_t length = n / r.ranks->count(); length < n; length *= 2) {
    for (std::int64_t at = 0; error == cudaSuccess && at < n; at += 2 * length) {
      std::int64_t const of_a = std::min(length, n - at), of_b = std::min(length, n - at - of_a);
      error = grid::merge(from + at, of_a, from + at + of_a, of_b, to + at, tessera::less{}, {r.on, *r.memory});
    }
    std::swap(from, to);
  }
  return error;
}

/// Sorts of `total` elements: on one GPU, and over all; and what the latter are made of.
void add_sorts(std::vector<method>& methods, int log_total, int ranks) {
  std::int64_t const total = std::int64_t{1} << log_total, n = total / ranks;
  auto const add = [&, row = "float sort of 2^" + std::to_string(log_total) + " over all"](
                       std::string const& name, std::int64_t count, auto call, auto prepare) {
    methods.push_back({row, name, count, call, false, prepare});
  };
  auto const nothing = [](rank_data const&, std::int64_t) {};
  auto const local = [](rank_data const& r, std::int64_t count) {
    return grid::sort(r.in, count, r.out, tessera::less{}, {r.on, *r.memory});
  };
  add("local", total, local, nothing);
  add(
      "sharded", n,
      [](rank_data const& r, std::int64_t count) {
        return grid::sort(*r.ranks, r.in, part_of(r, count), r.out, tessera::less{}, {r.on, *r.memory});
      },
      nothing);
  for (int parts : {1, 2, 8})
    add(
        "sharded, parts: " + std::to_string(parts), n,
        [=](rank_data const& r, std::int64_t count) { return sort_in_parts(r, count, parts); }, nothing);
  add("a rank's part alone", n, local, nothing);
  add(
      "its cuts alone", n,
      [](rank_data const& r, std::int64_t count) {
        grid::detail::shard_cuts cuts{r.ranks->count(), grid::detail::sort_shards_tuning::parts};
        return grid::detail::find_cuts<false>(grid::detail::rank_on_gpu(*r.ranks, r.on), part_of(r, count), r.out,
                                              cuts);
      },
      [=](rank_data const& r, std::int64_t count) { check(local(r, count)); });
  add("its merges alone", n, merge_shares, [](rank_data const& r, std::int64_t count) {
    std::int64_t const share = count / r.ranks->count();
    for (std::int64_t at = 0; at + share <= count; at += share)
      check(grid::sort(r.in + at, share, r.out + at, tessera::less{}, {r.on, *r.memory}));
  });
  for (int skipped : {0, 1})
    add(
        std::string("NCCL's exchange of it alone") + (skipped > 0 ? ", 4 bytes on" : ""), n,
        [=](rank_data const& r, std::int64_t count) {
          swap_shares(r, count, skipped);
          return cudaSuccess;
        },
        nothing);
  add(
      "NCCL's exchange in 4 parts", n,
      [](rank_data const& r, std::int64_t count) {
        for (int part = 0; part < 4; ++part) swap_shares(r, count / 4);
        return cudaSuccess;
      },
      nothing);
}

__global__ void fill_rows_kernel(__nv_bfloat16* logits, std::int64_t n, int* targets) {
  std::int64_t const first = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (std::int64_t i = first; i < n; i += static_cast<std::int64_t>(gridDim.x) * blockDim.x)
    logits[i] = __float2bfloat16(static_cast<float>(static_cast<std::uint32_t>(i) * 2654435761u >> 20) / 512 - 4);
  if (first < tokens)
    targets[first] =
        static_cast<int>(static_cast<std::uint64_t>(first) * 40503 % static_cast<std::uint64_t>(vocabulary));
}

/// Losses of rows whose columns are over all ranks, beside those of rows that have one rank's columns alone.
void add_losses(std::vector<method>& methods, int ranks) {
  std::int64_t const columns = vocabulary / ranks, n = tokens * columns;
  for (bool with_gradient : {false, true}) {
    std::string const row =
        std::string("cross entropy of 8192 x 131072 bf16 over all") + (with_gradient ? ", gradient in place" : "");
    auto const options_of = [=](grid::matrix<__nv_bfloat16> logits) {
      grid::cross_entropy_options<__nv_bfloat16> options;
      if (with_gradient) options.gradient = logits;
      return options;
    };
    methods.push_back({row, "local", n, [=](rank_data const& r, std::int64_t) {
                         grid::matrix<__nv_bfloat16> const logits{r.logits, tokens, columns};
                         return grid::cross_entropy_rows(logits, r.targets, static_cast<float*>(r.results),
                                                         options_of(logits), {r.on, *r.memory});
                       }});
    methods.push_back({row, "sharded", n, [=](rank_data const& r, std::int64_t) {
                         grid::matrix<__nv_bfloat16> const logits{r.logits, tokens, columns};
                         return grid::cross_entropy_rows(
                             *r.ranks, logits, {r.ranks->index() * columns, columns, vocabulary}, r.targets,
                             static_cast<float*>(r.results), options_of(logits), {r.on, *r.memory});
                       }});
  }
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
  for (int log_n : {10, 16, 20, 24, 26, 28}) add_methods(methods, log_n);
  int const log_sorted = count == 2 ? 28 : 30;
  add_sorts(methods, log_sorted, count);
  if (vocabulary % count == 0) add_losses(methods, count);
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
