#include "segment_offsets.hpp"
#include "tasks.hpp"

#include <cub/device/device_segmented_reduce.cuh>
#include <tessera/grid/segments.hpp>

namespace bench {

namespace {

namespace grid = tessera::grid;

std::vector<pass> sums(std::int64_t n, std::vector<int> const& from) {
  auto const segments = static_cast<std::int64_t>(from.size()) - 1;
  auto const ints =
      weighted_ints(n, std::vector<double>(4, 1)).get(n);  // sums of small integers are exact in any order
  gpu_data<float> const floats(std::vector<float>(ints.begin(), ints.end()));
  gpu_data<int> const offsets(from);
  gpu_data<float> const theirs(segments), ours(segments);
  auto const memory = std::make_shared<grid::workspace>();
  auto const cub_call = [=](void* storage, std::size_t& bytes) {
    return cub::DeviceSegmentedReduce::Sum(storage, bytes, floats.data(), theirs.data(), static_cast<int>(segments),
                                           offsets.data(), offsets.data() + 1);
  };
  std::vector<pass> passes{cub_pass("CUB", cub_call)};
  passes.push_back({"tessera", pass_kind::ours,
                    [=] {
                      return grid::reduce_segments(floats.data(), offsets.data(), segments, ours.data(),
                                                   tessera::plus{}, *memory);
                    },
                    [=] {
                      return compare(ours.get(segments), theirs.get(segments),
                                     1e-3);  // sums above 2^24 are rounded
                    }});
  for (pass& p : read_ceilings(floats, n)) passes.push_back(std::move(p));
  return passes;
}

}  // namespace

void add_segments(std::vector<task>& tasks) {
  constexpr std::int64_t n = std::int64_t{1} << 27;
  for (int mean : {8, 64, 1024}) {
    tasks.push_back(
        {"float segment sum", "mean " + std::to_string(mean), 4.0 * n, [=] { return sums(n, zipf_offsets(n, mean)); }});
  }
  tasks.push_back({"float segment sum", "64, one giant", 4.0 * n, [=] { return sums(n, offsets_of_a_giant(n)); }});
}

}  // namespace bench
