// The sum, the greatest element, the scan and the ten greatest of an array that lies on several GPUs.
//
//   sharded                             one process with a thread for each GPU; --ranks N for so many
//   mpirun -n N sharded --id FILE       one process for each GPU, also by srun, or with RANK and WORLD_SIZE set by hand;
//                                       through FILE, which isn't there yet, rank 0 tells the others how to reach it
//   … --rounds N                        makes the calls N times
//   … --fail R                          rank R exits between two calls: the others notice, and exit with 3
#include <tessera/grid/sharded.cuh>
#include <tessera/grid/sharded_top_k.cuh>

#include <algorithm>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "../whole_arrays/gpu.hpp"
#include "ranks.hpp"

namespace {

namespace grid = tessera::grid;
using ladder::check, ladder::gpu_array, sharded::finish;

constexpr std::int64_t n = 1'000'003, k = 10;
constexpr int another_failed = 3;  // exit status

struct options {
  char const* id = nullptr;
  int ranks = 0, rounds = 1, fail = -1;
};

/// What one rank does, with its part of the array. Returns an exit status.
int compute(grid::communicator& ranks, cudaStream_t stream, options const& how) {
  // The whole array, and what is to be computed of it. (The numbers are so small that sums are exact.)
  std::vector<float> x(n), sums(n);
  ladder::random_numbers random;
  for (float& value : x) value = static_cast<float>(random.below(16));
  std::partial_sum(x.begin(), x.end(), sums.begin());
  std::vector<std::int64_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  auto const before = [&](std::int64_t i, std::int64_t j) { return x[i] > x[j] || (x[i] == x[j] && i < j); };
  std::partial_sort(order.begin(), order.begin() + k, order.end(), before);

  grid::shard const part = ranks.shard_of(n);
  auto const here = [&](std::vector<float> const& all) {
    return std::vector<float>(all.begin() + part.begin, all.begin() + part.begin + part.count);
  };
  gpu_array<float> const in(here(x)), sum(1), scanned(in.size()), values(k);
  gpu_array<tessera::indexed<float, std::int64_t>> const best(1);
  gpu_array<std::int64_t> const indices(k);
  for (int round = 0; round < how.rounds; ++round) {
    cudaError_t error =
        grid::reduce(ranks, in.data(), part, sum.data(), tessera::plus{}, grid::order::any_device, stream);
    if (error == cudaSuccess) error = grid::argmax(ranks, in.data(), part, best.data(), stream);
    if (!finish(ranks, error, stream)) return another_failed;
    if (ranks.index() == how.fail) return 1;
    error = grid::inclusive_scan(ranks, in.data(), part, scanned.data(), tessera::plus{}, stream);
    if (error == cudaSuccess)
      error = grid::top_k(ranks, in.data(), part, k, values.data(), indices.data(), tessera::greater{}, stream);
    if (!finish(ranks, error, stream)) return another_failed;
    if (round == 0 && how.rounds > 1) std::printf("rank %d begins another round\n", ranks.index()), std::fflush(stdout);
  }
  using whole = std::vector<std::int64_t>;
  double const differences[] = {
      ladder::difference(sum.first(1), std::vector<float>{sums.back()}),
      ladder::difference(whole{best.first(1)[0].index}, whole{order[0]}),
      ladder::difference(scanned.first(in.size()), here(sums)),
      ladder::difference(indices.first(k), whole(order.begin(), order.begin() + k)),
  };
  double const largest = ladder::largest_of(differences);
  if (ranks.index() != 0 && largest == 0) return 0;
  std::string const input = std::to_string(n) + " floats over " + std::to_string(ranks.count()) + " ranks";
  return ladder::report("sharded", input.c_str(), "sum, argmax, scan, top-k", largest);
}

/// Joins the other ranks, and computes with them. Returns an exit status.
int run(ncclUniqueId const& id, int rank, int count, int gpu, options const& how) {
  check(cudaSetDevice(gpu));
  ncclComm_t comm = nullptr;
  ncclResult_t const joined = sharded::join(comm, id, rank, count);
  if (joined == ncclInvalidUsage) return ladder::needs_gpu;  // NCCL wants a GPU for each rank
  if (joined != ncclSuccess) return another_failed;
  if (rank == 0 && how.id) (void)std::remove(how.id);
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  int status = 0;
  {
    grid::communicator ranks(comm);
    status = compute(ranks, stream, how);
    if (rank == how.fail && how.id) std::_Exit(status);  // goes away at once, as if it had crashed
  }
  if (status == 0) (void)ncclCommDestroy(comm);
  check(cudaStreamDestroy(stream));
  return status;
}

}  // namespace

int main(int count, char** arguments) {
  options how;
  for (int i = 1; i + 1 < count; i += 2) {
    std::string const name = arguments[i];
    if (name == "--id") how.id = arguments[i + 1];
    if (name == "--ranks") how.ranks = std::atoi(arguments[i + 1]);
    if (name == "--rounds") how.rounds = std::atoi(arguments[i + 1]);
    if (name == "--fail") how.fail = std::atoi(arguments[i + 1]);
  }
  if (!ladder::choose_gpu()) return ladder::needs_gpu;
  int gpus = 0;
  check(cudaGetDeviceCount(&gpus));
  sharded::connect_early();
  ncclUniqueId id{};
  if (how.id) {
    int const rank = sharded::rank_of_process(), ranks = sharded::number_of_processes();
    if (sharded::share(id, how.id, rank == 0)) return run(id, rank, ranks, sharded::rank_on_node() % gpus, how);
    std::fprintf(stderr, "rank %d: no id by way of %s\n", rank, how.id);
    return another_failed;
  }
  if (ncclGetUniqueId(&id) != ncclSuccess) return 1;
  std::vector<int> statuses(static_cast<std::size_t>(how.ranks > 0 ? how.ranks : gpus));
  std::vector<std::thread> threads;
  for (int rank = 0, ranks = static_cast<int>(statuses.size()); rank < ranks; ++rank)
    threads.emplace_back(
        [&, rank, ranks] { statuses[static_cast<std::size_t>(rank)] = run(id, rank, ranks, rank % gpus, how); });
  for (std::thread& thread : threads) thread.join();
  return *std::max_element(statuses.begin(), statuses.end());
}
