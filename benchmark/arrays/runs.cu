#include "tasks.hpp"

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_select.cuh>
#include <tessera/grid/runs.cuh>
#include <tessera/grid/scan.cuh>

namespace bench {

namespace {

namespace grid = tessera::grid;
constexpr std::int64_t n = std::int64_t{1} << 28;

/// 1 with a probability of 1 / mean.
struct begins_run {
  unsigned mean;
  __host__ __device__ int operator()(float, std::int64_t index) const {
    auto x = static_cast<unsigned>(index) * 0x9e3779b1u;
    x = (x ^ x >> 15) * 0x85ebca6bu;
    return (x ^ x >> 13) % mean == 0 ? 1 : 0;
  }
};

/// Keys in runs of this mean length, and small values, whose sums are exact.
struct keyed_values {
  gpu_data<int> keys, values;

  explicit keyed_values(unsigned mean) : keys(n), values(weighted_ints(n, std::vector<double>(4, 1))) {
    gpu_data<float> const any(n);
    check_cuda(grid::transform_inclusive_scan(any.data(), n, keys.data(), tessera::plus{}, begins_run{mean}),
               "numbering runs");
    check_cuda(cudaDeviceSynchronize(), "numbering runs");
  }
};

/// What a call finds: keys, what belongs to them, and how many.
struct found_runs {
  gpu_data<int> keys, results;
  gpu_data<std::int64_t> count;
  explicit found_runs(bool with_results) : keys(n), results(with_results ? n : 1), count(1) {}

  std::string mismatch(found_runs const& theirs, bool with_results) const {
    std::int64_t const runs = count.get()[0];
    if (runs != theirs.count.get()[0]) return "finds " + std::to_string(runs) + " runs";
    auto const keys_differ = compare(keys.get(runs), theirs.keys.get(runs), 0);
    return with_results && keys_differ.empty() ? compare(results.get(runs), theirs.results.get(runs), 0) : keys_differ;
  }
};

/// CUB's pass, ours, and kernels that move as many bytes.
template <class Cub, class Ours>
std::vector<pass> beside_cub(keyed_values const& given, bool with_results, double bytes, Cub cub_call, Ours ours_call) {
  found_runs const theirs(with_results), ours(with_results);
  auto const memory = std::make_shared<grid::workspace>();
  std::vector<pass> passes{
      cub_pass("CUB", [=](void* storage, std::size_t& size) { return cub_call(storage, size, given, theirs); })};
  passes.push_back({"tessera", pass_kind::ours, [=] { return ours_call(given, ours, *memory); },
                    [=] { return ours.mismatch(theirs, with_results); }});
  gpu_data<char> const from(static_cast<std::int64_t>(bytes / 2)), to(static_cast<std::int64_t>(bytes / 2));
  for (pass& p : copy_ceilings(from, to, static_cast<std::int64_t>(bytes / 2) / 16 * 16))
    passes.push_back(std::move(p));
  return passes;
}

std::vector<pass> uniques(unsigned mean, double bytes) {
  return beside_cub(
      keyed_values(mean), false, bytes,
      [](void* storage, std::size_t& size, keyed_values const& x, found_runs const& to) {
        return cub::DeviceSelect::Unique(storage, size, x.keys.data(), to.keys.data(), to.count.data(), n);
      },
      [](keyed_values const& x, found_runs const& to, grid::execution on) {
        return grid::unique(x.keys.data(), n, to.keys.data(), to.count.data(), tessera::equal_to{}, on);
      });
}

std::vector<pass> run_lengths(unsigned mean, double bytes) {
  return beside_cub(
      keyed_values(mean), true, bytes,
      [](void* storage, std::size_t& size, keyed_values const& x, found_runs const& to) {
        return cub::DeviceRunLengthEncode::Encode(storage, size, x.keys.data(), to.keys.data(), to.results.data(),
                                                  to.count.data(), n);
      },
      [](keyed_values const& x, found_runs const& to, grid::execution on) {
        return grid::run_length_encode(x.keys.data(), n, to.keys.data(), to.results.data(), to.count.data(),
                                       tessera::equal_to{}, on);
      });
}

/// Offsets in place of keys.
std::vector<pass> repeats(unsigned mean, double bytes) {
  return beside_cub(
      keyed_values(mean), true, bytes,
      [](void* storage, std::size_t& size, keyed_values const& x, found_runs const& to) {
        return cub::DeviceRunLengthEncode::NonTrivialRuns(storage, size, x.keys.data(), to.keys.data(),
                                                          to.results.data(), to.count.data(), static_cast<int>(n));
      },
      [](keyed_values const& x, found_runs const& to, grid::execution on) {
        return grid::non_trivial_runs(x.keys.data(), n, to.keys.data(), to.results.data(), to.count.data(),
                                      tessera::equal_to{}, on);
      });
}

std::vector<pass> sums_by_key(unsigned mean, double bytes) {
  return beside_cub(
      keyed_values(mean), true, bytes,
      [](void* storage, std::size_t& size, keyed_values const& x, found_runs const& to) {
        return cub::DeviceReduce::ReduceByKey(storage, size, x.keys.data(), to.keys.data(), x.values.data(),
                                              to.results.data(), to.count.data(), cuda::std::plus<>{}, n);
      },
      [](keyed_values const& x, found_runs const& to, grid::execution on) {
        return grid::reduce_by_key(x.keys.data(), x.values.data(), n, to.keys.data(), to.results.data(),
                                   to.count.data(), tessera::plus{}, tessera::equal_to{}, on);
      });
}

}  // namespace

void add_runs(std::vector<task>& tasks) {
  for (unsigned mean : {1u, 8u, 1000u}) {
    std::string const size = "runs of " + std::to_string(mean);
    double const all = 4.0 * static_cast<double>(n), kept = all / mean;
    tasks.push_back({"unique", size, all + kept, [=] { return uniques(mean, all + kept); }});
    tasks.push_back({"run lengths", size, all + 2 * kept, [=] { return run_lengths(mean, all + 2 * kept); }});
    if (mean > 1)
      tasks.push_back({"runs of more than one", size, all + 2 * kept, [=] { return repeats(mean, all + 2 * kept); }});
    tasks.push_back({"reduce by key", size, 2 * all + 2 * kept, [=] { return sums_by_key(mean, 2 * all + 2 * kept); }});
  }
}

}  // namespace bench
