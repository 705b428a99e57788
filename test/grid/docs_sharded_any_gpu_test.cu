// What docs/ shows of arrays that lie on several GPUs; the reference has parts of this file.
#include <tessera/grid/sharded.cuh>
#include <tessera/grid/sharded_select.cuh>
#include <tessera/grid/sharded_sort.cuh>
#include <tessera/grid/sharded_top_k.cuh>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "device_array.hpp"
#include "gpu_ranks.hpp"

namespace {

using namespace test;

struct is_even {
  TESSERA_FN bool operator()(int x) const { return x % 2 == 0; }
};

constexpr std::int64_t total = 100000;

/// One rank's part of 0, 1, 2 … on its GPU.
device_array<int> counted(tessera::grid::shard const& part) {
  std::vector<int> x(static_cast<std::size_t>(part.count));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int>(part.begin) + static_cast<int>(i);
  return device_array<int>(x);
}

TEST(Documents, ShardsOfAnArray) {
  std::int64_t sum = 0;
  for (int rank = 0, ranks = 3; rank < ranks; ++rank) {
    // [tessera/grid/shard.hpp]
    auto const part = tessera::grid::shard_of(total, rank, ranks);  // of one rank
    std::int64_t const begin = part.begin, count = part.count;      // what it loads
    tessera::grid::shard const mine{begin, count, total};           // or cut as you like
    // [end]
    EXPECT_EQ(mine.begin, sum);
    sum += mine.count;
  }
  EXPECT_EQ(sum, total);
}

/// What one rank does: an array over all GPUs, of which it has a part.
cudaError_t sum_over_gpus(ncclComm_t comm, int const* in, int* sum, cudaStream_t stream) {
  tessera::grid::workspace memory;
  cudaError_t error = cudaSuccess;
  // [tessera/grid/sharded.hpp]
  tessera::grid::communicator ranks(comm);                  // an ncclComm_t of yours
  tessera::grid::shard const part = ranks.shard_of(total);  // part.begin, part.count
  error = tessera::grid::reduce(ranks, in, part, sum, tessera::plus{}, {stream, memory});
  if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
  if (error != cudaSuccess) (void)ranks.abort();  // and on all other ranks
  // [end]
  return error;
}

TEST(Documents, SumOverGpus) {
  SKIP_WITHOUT_GPU();
  gpu_ranks::run(gpu_ranks::most(), [&](tessera::grid::communicator& ranks, cudaStream_t stream) {
    device_array<int> const in = counted(ranks.shard_of(total)), sum(1);
    EXPECT_EQ(sum_over_gpus(ranks.get(), in.data(), sum.data(), stream), cudaSuccess);
    EXPECT_EQ(sum.to_host()[0], static_cast<int>(total * (total - 1) / 2 & 0xffffffff));
  });
}

cudaError_t arrays_over_gpus(ncclComm_t comm, int const* in, int* sum, tessera::indexed<int, std::int64_t>* best,
                             int* out, int* values, std::int64_t* indices) {
  cudaError_t error = cudaSuccess;
  // [tessera/grid/sharded.cuh]
  tessera::grid::communicator ranks(comm);
  auto const part = ranks.shard_of(total);
  error = tessera::grid::reduce(ranks, in, part, sum);  // every rank gets the sum of all elements
  if (error != cudaSuccess) return error;
  error = tessera::grid::argmax(ranks, in, part, best);  // best->index is one of the whole array
  if (error != cudaSuccess) return error;
  error = tessera::grid::inclusive_scan(ranks, in, part, out);
  if (error != cudaSuccess) return error;
  // [end]
  if (error != cudaSuccess) return error;
  // [tessera/grid/sharded_top_k.cuh]
  error = tessera::grid::top_k(ranks, in, part, 100, values, indices);  // on every rank
  // [end]
  if (error != cudaSuccess) return error;
  // [tessera/grid/sharded_sort.cuh]
  error = tessera::grid::sort(ranks, in, part, out);  // this rank's places of the sorted array
  // [end]
  return error;
}

cudaError_t quantiles_over_gpus(tessera::grid::communicator& ranks, float const* in, float* median, float* out) {
  auto const part = ranks.shard_of(total);
  cudaError_t error = cudaSuccess;
  // [tessera/grid/sharded_top_k.cuh]
  error = tessera::grid::nth_element(ranks, in, part, total / 2, median);
  if (error != cudaSuccess) return error;
  double const q[] = {0.25, 0.5, 0.75};
  error = tessera::grid::quantiles(ranks, in, part, q, 3, out, tessera::grid::quantile_method::linear);
  // [end]
  return error;
}

cudaError_t pairs_over_gpus(tessera::grid::communicator& ranks, int const* keys, float const* values, int* keys_out,
                            float* values_out) {
  auto const part = ranks.shard_of(total);
  cudaError_t error = cudaSuccess;
  // [tessera/grid/sharded_sort.cuh]
  error = tessera::grid::sort_by_key(ranks, keys, values, part, keys_out, values_out);
  // [end]
  return error;
}

/// The sum of the elements that are selected, which are a sharded array again.
cudaError_t sum_of_selected(tessera::grid::communicator& ranks, int const* in, int* out, int* sum,
                            tessera::grid::shard* selected, cudaStream_t stream) {
  auto const part = ranks.shard_of(total);
  cudaError_t error = cudaSuccess;
  // [tessera/grid/sharded.cuh]
  error = tessera::grid::reduce(ranks, in, part, sum, tessera::plus{}, tessera::grid::order::any_device);
  // [end]
  if (error != cudaSuccess) return error;
  // [tessera/grid/sharded_select.cuh]
  error = tessera::grid::select(ranks, in, part, out, selected, is_even{});  // a shard on the GPU
  if (error != cudaSuccess) return error;
  // The selected elements of all ranks are an array over the ranks, too:
  tessera::grid::shard kept;
  error = cudaMemcpyAsync(&kept, selected, sizeof kept, cudaMemcpyDeviceToHost, stream);
  if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
  if (error == cudaSuccess) error = tessera::grid::reduce(ranks, out, kept, sum);
  // [end]
  return error;
}

/// On the default stream: a GPU for each rank.
TEST(Documents, ArraysOverGpus) {
  SKIP_WITHOUT_GPU();
  int gpus = 0;
  check(cudaGetDeviceCount(&gpus));
  gpu_ranks::run(std::min(gpus, gpu_ranks::most()), [&](tessera::grid::communicator& ranks, cudaStream_t) {
    auto const part = ranks.shard_of(total);
    device_array<int> const in = counted(part), sum(1), out(static_cast<std::size_t>(part.count)), values(100);
    device_array<tessera::indexed<int, std::int64_t>> const best(1);
    device_array<std::int64_t> const indices(100);
    device_array<tessera::grid::shard> const selected(1);
    EXPECT_EQ(
        arrays_over_gpus(ranks.get(), in.data(), sum.data(), best.data(), out.data(), values.data(), indices.data()),
        cudaSuccess);
    device_array<float> const values_in(std::vector<float>(static_cast<std::size_t>(part.count), 3)),
        values_out(static_cast<std::size_t>(part.count));
    EXPECT_EQ(pairs_over_gpus(ranks, in.data(), values_in.data(), out.data(), values_out.data()), cudaSuccess);
    EXPECT_EQ(values_out.to_host()[0], 3);
    device_array<float> const found(4);
    EXPECT_EQ(quantiles_over_gpus(ranks, values_in.data(), found.data(), found.data() + 1), cudaSuccess);
    EXPECT_EQ(found.to_host(), std::vector<float>(4, 3));
    EXPECT_EQ(best.to_host()[0].index, total - 1);
    EXPECT_EQ(indices.to_host()[99], total - 100);
    EXPECT_EQ(sum_of_selected(ranks, in.data(), out.data(), sum.data(), selected.data(), nullptr), cudaSuccess);
    EXPECT_EQ(selected.to_host()[0].total, total / 2);
    EXPECT_EQ(sum.to_host()[0], static_cast<int>(total / 2 * (total / 2 - 1) & 0xffffffff));
  });
}

}  // namespace
