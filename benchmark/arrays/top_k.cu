#include "tasks.hpp"

#include <tessera/grid/top_k.hpp>

#if __has_include(<cub/device/device_topk.cuh>)
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_topk.cuh>
#include <cuda/iterator>
#define BENCH_HAS_TOP_K 1
#else
#define BENCH_HAS_TOP_K 0
#endif

#include <algorithm>

namespace bench {

namespace {

namespace grid = tessera::grid;

#if BENCH_HAS_TOP_K
/// The first k of n pairs, in any order, and any of equal ones.
cudaError_t select_by_cub(void* storage, std::size_t& bytes, gpu_data<float> const& in, std::int64_t n, std::int64_t k,
                          gpu_data<float> const& values, gpu_data<std::int64_t> const& indices) {
  auto const how = cuda::execution::require(cuda::execution::determinism::not_guaranteed,
                                            cuda::execution::output_ordering::unsorted);
  return cub::DeviceTopK::MaxPairs(storage, bytes, in.data(), values.data(), cuda::counting_iterator<std::int64_t>(0),
                                   indices.data(), n, k, how);
}
pass cub_top_k(char const* name, gpu_data<float> const& in, std::int64_t n, std::int64_t k,
               gpu_data<float> const& values, gpu_data<std::int64_t> const& indices) {
  return cub_pass(name, [=](void* storage, std::size_t& bytes) {
    return select_by_cub(storage, bytes, in, n, k, values, indices);
  });
}
/// The same, and a sort of those pairs.
pass cub_sorted_top_k(gpu_data<float> const& in, std::int64_t n, std::int64_t k, gpu_data<float> const& values,
                      gpu_data<std::int64_t> const& indices) {
  gpu_data<float> const selected(k);
  gpu_data<std::int64_t> const positions(k);
  return cub_pass("CUB, and its sort", [=](void* storage, std::size_t& bytes) {
    auto const sort = [&](void* memory, std::size_t& size) {
      return cub::DeviceRadixSort::SortPairsDescending(memory, size, selected.data(), values.data(), positions.data(),
                                                       indices.data(), k);
    };
    std::size_t of_selection = 0, of_sort = 0;
    cudaError_t error = select_by_cub(nullptr, of_selection, in, n, k, selected, positions);
    if (error == cudaSuccess) error = sort(nullptr, of_sort);
    if (error != cudaSuccess) return error;
    of_selection = (of_selection + 255) / 256 * 256;
    if (storage == nullptr) {
      bytes = of_selection + of_sort;
      return cudaSuccess;
    }
    error = select_by_cub(storage, of_selection, in, n, k, selected, positions);
    return error == cudaSuccess ? sort(static_cast<char*>(storage) + of_selection, of_sort) : error;
  });
}
#endif

std::vector<pass> tops(std::int64_t n, std::int64_t k) {
  auto const in = uniform_floats(n);
  gpu_data<float> const values(k), their_values(k);
  gpu_data<std::int64_t> const indices(k), their_indices(k);
  auto const memory = std::make_shared<grid::workspace>();
  std::vector<pass> passes;
#if BENCH_HAS_TOP_K
  // CUB's are in no order. Beside as many as a block doesn't sort stands CUB with a sort.
  bool const many = k > 4096;
  passes.push_back(cub_top_k(many ? "in no order, CUB" : "CUB", in, n, k, their_values, their_indices));
  if (many) passes.push_back(cub_sorted_top_k(in, n, k, their_values, their_indices));
#endif
  passes.push_back(
      {"tessera", pass_kind::ours,
       [=] { return grid::top_k(in.data(), n, k, values.data(), indices.data(), tessera::greater{}, *memory); },
       [=]() -> std::string {
         auto const ours = values.get();
         if (!std::is_sorted(ours.rbegin(), ours.rend())) return "isn't sorted";
#if BENCH_HAS_TOP_K
         auto theirs = their_values.get();
         std::sort(theirs.rbegin(), theirs.rend());
         return compare(ours, theirs, 0);
#else
         return {};
#endif
       }});
  for (pass& p : read_ceilings(in, n)) passes.push_back(std::move(p));
  return passes;
}

std::vector<pass> medians(std::int64_t n) {
  auto const in = uniform_floats(n);
  gpu_data<float> const median(1);
  auto const memory = std::make_shared<grid::workspace>();
  std::int64_t* const no_index = nullptr;
  std::vector<pass> passes;
  passes.push_back({"tessera", pass_kind::ours, [=] {
                      return grid::nth_element(in.data(), n, n / 2, median.data(), no_index, tessera::less{}, *memory);
                    }});
  for (pass& p : read_ceilings(in, n)) passes.push_back(std::move(p));
  return passes;
}

}  // namespace

void add_top_k(std::vector<task>& tasks) {
  for (std::int64_t k : {16, 256, 4096, 65536}) {
    for (int e : {16, 20, 24, 28}) {
      std::int64_t const n = std::int64_t{1} << e;
      if (k == n) continue;
      tasks.push_back({"float top " + std::to_string(k), power_of_two(e), 4.0 * static_cast<double>(n),
                       [=] { return tops(n, k); }});
    }
  }
  for (int e : {20, 24, 28}) {
    std::int64_t const n = std::int64_t{1} << e;
    tasks.push_back({"float median", power_of_two(e), 4.0 * static_cast<double>(n), [=] { return medians(n); }});
  }
}

}  // namespace bench
