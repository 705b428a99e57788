// How ranks meet, and how each notices that another is missing: with time limits, so that nothing waits forever.
#pragma once

#include <tessera/grid/sharded.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <string>
#include <thread>

namespace sharded {

using namespace std::chrono_literals;
using timer = std::chrono::steady_clock;
constexpr auto limit_of_start = 60s, limit_of_calls = 10s;

/// Hands rank 0's id to the others by a file, which gets its name once all of it is written.
inline bool share(ncclUniqueId& id, std::string const& file, bool is_first) {
  if (is_first) {
    std::string const unfinished = file + ".new";
    return ncclGetUniqueId(&id) == ncclSuccess &&
           std::ofstream(unfinished, std::ios::binary).write(id.internal, sizeof id.internal).flush() &&
           std::rename(unfinished.c_str(), file.c_str()) == 0;
  }
  for (auto const end = timer::now() + limit_of_start; timer::now() < end; std::this_thread::sleep_for(10ms))
    if (std::ifstream(file, std::ios::binary).read(id.internal, sizeof id.internal)) return true;
  return false;
}

/// The first of these variables that is set.
inline int number_in(std::initializer_list<char const*> variables, int otherwise) {
  for (char const* const name : variables)
    if (char const* const text = std::getenv(name)) return std::atoi(text);
  return otherwise;
}

/// What Open MPI, MPICH and its like, torchrun or Slurm says of this process.
inline int rank_of_process() {
  return number_in({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "RANK", "SLURM_PROCID"}, 0);
}
inline int number_of_processes() {
  return number_in({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "WORLD_SIZE", "SLURM_NTASKS"}, 1);
}
inline int rank_on_node() {
  return number_in({"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "LOCAL_RANK", "SLURM_LOCALID"}, rank_of_process());
}

/// Lets NCCL connect the ranks when they join: otherwise it does so in the first call, and waits there on the CPU.
inline void connect_early() {
  (void)setenv("NCCL_RUNTIME_CONNECT", "0", 0);
}

/// Joins the other ranks, without a wait inside NCCL.
inline ncclResult_t join(ncclComm_t& comm, ncclUniqueId const& id, int rank, int count) {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  ncclResult_t state = ncclCommInitRankConfig(&comm, count, id, rank, &config);
  for (auto const end = timer::now() + limit_of_start; state == ncclInProgress && timer::now() < end;) {
    std::this_thread::sleep_for(1ms);
    ncclResult_t const asked = ncclCommGetAsyncError(comm, &state);
    if (asked != ncclSuccess) state = asked;
  }
  if (state == ncclSuccess) return state;
  std::fprintf(stderr, "rank %d can't join: %s\n", rank, ncclGetErrorString(state));
  if (comm != nullptr) (void)ncclCommAbort(comm);
  return state;
}

/// Waits for the stream until the time is up or NCCL has an error: then a rank is missing.
inline bool finish(tessera::grid::communicator& ranks, cudaError_t error, cudaStream_t stream) {
  auto const end = timer::now() + limit_of_calls;
  while (error == cudaSuccess && (error = cudaStreamQuery(stream)) == cudaErrorNotReady) {
    std::this_thread::sleep_for(100us);
    error = timer::now() < end ? ranks.async_error() : cudaErrorTimeout;
  }
  if (error == cudaSuccess) return true;
  std::fprintf(stderr, "rank %d: %s; NCCL: %s\n", ranks.index(), cudaGetErrorString(error),
               ncclGetErrorString(ranks.status()));
  (void)ranks.abort();
  return false;
}

}  // namespace sharded
