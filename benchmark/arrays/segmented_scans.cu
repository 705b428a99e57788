#include "segment_offsets.hpp"
#include "tasks.hpp"

#include <cub/device/device_scan.cuh>
#if __has_include(<cub/device/device_segmented_scan.cuh>)
#include <cub/device/device_segmented_scan.cuh>
#endif
#include <tessera/grid/scan_by_key.hpp>
#include <tessera/grid/scan_segments.hpp>

namespace bench {

namespace {

namespace grid = tessera::grid;

/// Small integers: their sums are exact in any order, as long as they are below 2^24.
gpu_data<float> small_floats(std::int64_t n) {
  auto const ints = weighted_ints(n, std::vector<double>(4, 1)).get(n);
  return gpu_data<float>(std::vector<float>(ints.begin(), ints.end()));
}

std::vector<pass> sums_by_key(std::int64_t n, std::vector<int> const& offsets) {
  std::vector<int> all_keys(static_cast<std::size_t>(n));
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
    std::fill(all_keys.begin() + offsets[s], all_keys.begin() + offsets[s + 1], static_cast<int>(s));
  gpu_data<float> const in = small_floats(n), theirs(n), ours(n);
  gpu_data<int> const keys(all_keys);
  auto const memory = std::make_shared<grid::workspace>();
  std::vector<pass> passes{cub_pass("CUB", [=](void* storage, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSumByKey(storage, bytes, keys.data(), in.data(), theirs.data(), n);
  })};
  passes.push_back(
      {"tessera", pass_kind::ours,
       [=] { return grid::inclusive_scan_by_key(keys.data(), in.data(), n, ours.data(), tessera::plus{}, *memory); },
       [=] { return compare(ours.get(n), theirs.get(n), 1e-3); }});
  // As many bytes as keys, elements and results are: half of them read, half written.
  gpu_data<char> const from(6 * n), to(6 * n);
  for (pass& p : copy_ceilings(from, to, 6 * n)) passes.push_back(std::move(p));
  return passes;
}

std::vector<pass> sums_of_segments(std::int64_t n, std::vector<int> const& from) {
  auto const segments = static_cast<std::int64_t>(from.size()) - 1;
  gpu_data<float> const in = small_floats(n), theirs(n), ours(n);
  gpu_data<int> const offsets(from);
  auto const memory = std::make_shared<grid::workspace>();
  std::vector<pass> passes;
#if __has_include(<cub/device/device_segmented_scan.cuh>)
  passes.push_back(cub_pass("CUB", [=](void* storage, std::size_t& bytes) {
    return cub::DeviceSegmentedScan::InclusiveSegmentedSum(storage, bytes, in.data(), theirs.data(), offsets.data(),
                                                           offsets.data() + 1, segments);
  }));
#else
  std::vector<int> all_keys(static_cast<std::size_t>(n));
  for (std::size_t s = 0; s + 1 < from.size(); ++s)
    std::fill(all_keys.begin() + from[s], all_keys.begin() + from[s + 1], static_cast<int>(s));
  gpu_data<int> const keys(all_keys);
  passes.push_back(cub_pass("CUB by key", [=](void* storage, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSumByKey(storage, bytes, keys.data(), in.data(), theirs.data(), n);
  }));
#endif
  passes.push_back({"tessera", pass_kind::ours,
                    [=] {
                      return grid::inclusive_scan_segments(in.data(), n, offsets.data(), segments, ours.data(),
                                                           tessera::plus{}, *memory);
                    },
                    [=] { return compare(ours.get(n), theirs.get(n), 1e-3); }});
  for (pass& p : copy_ceilings(in, theirs, 4 * n)) passes.push_back(std::move(p));
  return passes;
}

}  // namespace

void add_segmented_scans(std::vector<task>& tasks) {
  constexpr std::int64_t n = std::int64_t{1} << 27;
  for (int mean : {8, 64, 1024}) {
    std::string const size = "mean " + std::to_string(mean);
    tasks.push_back({"float scan by key", size, 12.0 * n, [=] { return sums_by_key(n, zipf_offsets(n, mean)); }});
    tasks.push_back(
        {"float scan of segments", size, 8.0 * n, [=] { return sums_of_segments(n, zipf_offsets(n, mean)); }});
  }
}

}  // namespace bench
