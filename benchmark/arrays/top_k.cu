#include "tasks.hpp"

#include <tessera/grid/top_k.hpp>

#if __has_include(<cub/device/device_topk.cuh>)
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
pass cub_top_k(gpu_data<float> const& in, std::int64_t n, std::int64_t k, gpu_data<float> const& values,
               gpu_data<std::int64_t> const& indices) {
  return cub_pass("CUB", [=](void* storage, std::size_t& bytes) {
    auto const how = cuda::execution::require(cuda::execution::determinism::not_guaranteed,
                                              cuda::execution::output_ordering::unsorted);
    return cub::DeviceTopK::MaxPairs(storage, bytes, in.data(), values.data(),
                                     cuda::counting_iterator<std::int64_t>(0), indices.data(), n, k, how);
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
  passes.push_back(cub_top_k(in, n, k, their_values, their_indices));
#endif
  passes.push_back({"tessera", pass_kind::ours,
                    [=] {
                      return grid::top_k(in.data(), n, k, values.data(), indices.data(), tessera::greater{},
                                         *memory);
                    },
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
  for (pass& p : read_ceilings(in.data(), n)) passes.push_back(std::move(p));
  return passes;
}

std::vector<pass> medians(std::int64_t n) {
  auto const in = uniform_floats(n);
  gpu_data<float> const median(1);
  auto const memory = std::make_shared<grid::workspace>();
  std::int64_t* const no_index = nullptr;
  std::vector<pass> passes;
  passes.push_back({"tessera", pass_kind::ours, [=] {
                      return grid::nth_element(in.data(), n, n / 2, median.data(), no_index, tessera::less{},
                                               *memory);
                    }});
  for (pass& p : read_ceilings(in.data(), n)) passes.push_back(std::move(p));
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
    tasks.push_back(
        {"float median", power_of_two(e), 4.0 * static_cast<double>(n), [=] { return medians(n); }});
  }
}

}  // namespace bench
