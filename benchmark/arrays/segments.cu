#include "tasks.hpp"

#include <algorithm>
#include <cmath>
#include <cub/device/device_segmented_reduce.cuh>
#include <random>
#include <tessera/grid/segments.hpp>

namespace bench {

namespace {

namespace grid = tessera::grid;

/// The offsets of n elements in segments of this mean length. The lengths have the tail of Zipf's law with
/// exponent 2.2: one in k^1.2 segments is longer than k times the least length.
std::vector<int> zipf_offsets(std::int64_t n, int mean) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(1e-9, 1);
  std::vector<double> ends(static_cast<std::size_t>(n / mean));
  double end = 0;
  for (double& e : ends) e = end += std::min(std::pow(uniform(random), -1 / 1.2), 1e6);
  std::vector<int> offsets{0};
  for (double e : ends) offsets.push_back(static_cast<int>(e / end * static_cast<double>(n)));
  offsets.back() = static_cast<int>(n);
  return offsets;
}

/// A million segments of 64 elements, with a segment in the middle that is as long as all of them.
std::vector<int> offsets_of_a_giant(std::int64_t n) {
  std::vector<int> offsets{0};
  std::int64_t const small = n / 128;
  for (std::int64_t s = 0; s < small; ++s) {
    if (s == small / 2) offsets.push_back(offsets.back() + static_cast<int>(n / 2));
    offsets.push_back(offsets.back() + 64);
  }
  return offsets;
}

std::vector<pass> sums(std::int64_t n, std::vector<int> const& from) {
  auto const segments = static_cast<std::int64_t>(from.size()) - 1;
  auto const ints =
      weighted_ints(n, std::vector<double>(4, 1)).get(n);  // sums of small integers are exact in any order
  gpu_data<float> const floats(std::vector<float>(ints.begin(), ints.end()));
  gpu_data<int> const offsets(from);
  gpu_data<float> const theirs(segments), ours(segments);
  auto const memory = std::make_shared<grid::workspace>();
  auto const cub_call = [=](void* storage, std::size_t& bytes) {
    return cub::DeviceSegmentedReduce::Sum(storage, bytes, floats.data(), theirs.data(),
                                           static_cast<int>(segments), offsets.data(), offsets.data() + 1);
  };
  std::vector<pass> passes{cub_pass("CUB", cub_call)};
  passes.push_back({"tessera", pass_kind::ours,
                    [=] {
                      return grid::reduce_segments(floats.data(), offsets.data(), segments, ours.data(),
                                                   tessera::plus{}, nullptr, memory.get());
                    },
                    [=] {
                      return compare(ours.get(segments), theirs.get(segments),
                                     1e-3);  // sums above 2^24 are rounded
                    }});
  for (pass& p : read_ceilings(floats.data(), n)) passes.push_back(std::move(p));
  return passes;
}

}  // namespace

void add_segments(std::vector<task>& tasks) {
  constexpr std::int64_t n = std::int64_t{1} << 27;
  for (int mean : {8, 64, 1024}) {
    tasks.push_back({"float segment sum", "mean " + std::to_string(mean), 4.0 * n,
                     [=] { return sums(n, zipf_offsets(n, mean)); }});
  }
  tasks.push_back(
      {"float segment sum", "64, one giant", 4.0 * n, [=] { return sums(n, offsets_of_a_giant(n)); }});
}

}  // namespace bench
