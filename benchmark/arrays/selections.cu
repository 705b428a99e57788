#include "tasks.hpp"

#include <cub/device/device_partition.cuh>
#include <cub/device/device_select.cuh>
#include <tessera/grid/select.cuh>
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

struct is_below {
  float limit;
  __host__ __device__ bool operator()(float x) const { return x < limit; }
};

/// What a call selects: the elements, and how many.
struct selected {
  gpu_data<float> out;
  gpu_data<std::int64_t> count;
  explicit selected(std::int64_t n) : out(n), count(1) {}

  std::string mismatch(selected const& theirs) const {
    std::int64_t const kept = count.get()[0];
    if (kept != theirs.count.get()[0]) return "selects " + std::to_string(kept) + " elements";
    return compare(out.get(kept), theirs.out.get(kept), 0);
  }
};

/// Floats from −1 to 1, of which so many percent are selected.
struct selection {
  std::int64_t n;
  int percent;

  is_below predicate() const { return {static_cast<float>(percent) / 50 - 1}; }
  double kept() const { return static_cast<double>(n) * percent / 100; }
};

/// Kernels that move as many bytes.
void add_copies(std::vector<pass>& passes, gpu_data<float> const& in, gpu_data<float> const& out,
                double bytes) {
  for (pass& p : copy_ceilings(in.data(), out.data(), static_cast<std::int64_t>(bytes / 2) / 16 * 16))
    passes.push_back(std::move(p));
}

std::vector<pass> selects(selection const& what) {
  auto const in = uniform_floats(what.n);
  selected const theirs(what.n), ours(what.n);
  auto const pred = what.predicate();
  auto const n = what.n;
  auto const memory = std::make_shared<grid::workspace>();
  std::vector<pass> passes{cub_pass("CUB", [=](void* storage, std::size_t& bytes) {
    return cub::DeviceSelect::If(storage, bytes, in.data(), theirs.out.data(), theirs.count.data(), n, pred);
  })};
  passes.push_back({"tessera", pass_kind::ours,
                    [=] {
                      return grid::select(in.data(), n, ours.out.data(), ours.count.data(), pred, nullptr,
                                          memory.get());
                    },
                    [=] { return ours.mismatch(theirs); }});
  add_copies(passes, in, gpu_data<float>(n), 4 * (static_cast<double>(n) + what.kept()));
  return passes;
}

/// CUB turns the others around, so that only the selected ones are compared.
std::vector<pass> partitions(selection const& what, bool into_two) {
  auto const in = uniform_floats(what.n);
  selected const theirs(what.n), ours(what.n);
  gpu_data<float> const others(into_two ? what.n : 1);
  auto const pred = what.predicate();
  auto const n = what.n;
  auto const memory = std::make_shared<grid::workspace>();
  std::vector<pass> passes{cub_pass("CUB", [=](void* storage, std::size_t& bytes) {
    return cub::DevicePartition::If(storage, bytes, in.data(), theirs.out.data(), theirs.count.data(), n,
                                    pred);
  })};
  passes.push_back({"tessera", pass_kind::ours,
                    [=] {
                      return into_two ? grid::partition_copy(in.data(), n, ours.out.data(), others.data(),
                                                             ours.count.data(), pred, nullptr, memory.get())
                                      : grid::partition(in.data(), n, ours.out.data(), ours.count.data(),
                                                        pred, nullptr, memory.get());
                    },
                    [=] { return ours.mismatch(theirs); }});
  add_copies(passes, in, gpu_data<float>(n), 8 * static_cast<double>(n));
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
                                           nullptr, memory.get());
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
                        return grid::nth_element(in.data(), n, n / 2, median.data(), no_index,
                                                 tessera::less{}, nullptr, memory.get());
                      }});
    for (pass& p : read_ceilings(in.data(), n)) passes.push_back(std::move(p));
    return passes;
  }

}  // namespace

void add_selections(std::vector<task>& tasks) {
  for (int e : {28, 24}) {
    for (int percent : {10, 50, 90}) {
      selection const what{std::int64_t{1} << e, percent};
      auto const n = static_cast<double>(what.n);
      std::string const size = std::to_string(percent) + " %" + (e == 28 ? "" : ", " + power_of_two(e));
      tasks.push_back({"float select", size, 4 * (n + what.kept()), [=] { return selects(what); }});
      tasks.push_back({"float partition_copy", size, 8 * n, [=] { return partitions(what, true); }});
      tasks.push_back({"float partition", size, 8 * n, [=] { return partitions(what, false); }});
    }
  }
  for (std::int64_t k : {16, 256, 4096}) {
    for (int e : {16, 20, 24, 28}) {
      std::int64_t const n = std::int64_t{1} << e;
      tasks.push_back({"float top " + std::to_string(k), power_of_two(e), 4.0 * static_cast<double>(n),
                       [=] { return tops(n, k); }});
    }
  }
  for (int e : {20, 28}) {
    std::int64_t const n = std::int64_t{1} << e;
    tasks.push_back(
        {"float median", power_of_two(e), 4.0 * static_cast<double>(n), [=] { return medians(n); }});
  }
}

}  // namespace bench
