// A rank, and the methods that are measured on each.
#pragma once

#include <tessera/grid/sharded.hpp>

#include <cuda_bf16.h>
#include <nccl.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

namespace grid = tessera::grid;

inline void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}
inline void check(ncclResult_t status) {
  if (status != ncclSuccess) throw std::runtime_error(ncclGetErrorString(status));
}

/// A rank: `most` floats, results, and a stream.
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

inline grid::shard part_of(rank_data const& r, std::int64_t n) {
  return {r.ranks->index() * n, n, r.ranks->count() * n};
}
/// Cut as order::any_device wants it; its number of elements differs from n by little.
inline grid::shard even_part_of(rank_data const& r, std::int64_t n) {
  return r.ranks->shard_of(r.ranks->count() * n);
}

/// Reductions, scans and selections of 2^log_n elements a rank.
void add_calls(std::vector<method>& methods, int log_n);
/// Sorts of 2^log_total elements: on one GPU, and over all; and what the latter are made of.
void add_sorts(std::vector<method>& methods, int log_total, int ranks);
/// Losses of rows whose columns are over all ranks, beside those of rows that have one rank's columns alone.
void add_losses(std::vector<method>& methods, int ranks);

}  // namespace bench
