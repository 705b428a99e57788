#include "tasks.hpp"

#include <algorithm>
#include <cmath>
#include <cub/device/device_histogram.cuh>
#include <cuda/std/array>
#include <random>
#include <tessera/grid/histogram.cuh>

namespace bench {

namespace {

namespace grid = tessera::grid;

constexpr int bins = 256;

std::string counts_differ(std::vector<std::uint64_t> const& ours, std::vector<int> const& theirs) {
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (ours[i] != static_cast<std::uint64_t>(theirs[i]))
      return "counts otherwise than CUB in bin " + std::to_string(i);
  }
  return {};
}

std::vector<pass> histograms(std::int64_t n, std::vector<double> const& weights) {
  auto const in = weighted_ints(n, weights);
  gpu_data<int> const theirs(bins);
  gpu_data<std::uint64_t> const ours(bins);
  auto const memory = std::make_shared<grid::workspace>();
  auto const cub_call = [=](void* storage, std::size_t& bytes) {
    return cub::DeviceHistogram::HistogramEven(storage, bytes, in.data(), theirs.data(), bins + 1, 0, bins,
                                               static_cast<int>(n));
  };
  std::vector<pass> passes{cub_pass("CUB", cub_call)};
  passes.push_back({"tessera", pass_kind::ours,
                    [=] { return grid::histogram(in.data(), n, ours.data(), bins, 0, bins, nullptr, *memory); },
                    [=] { return counts_differ(ours.get(bins), theirs.get(bins)); }});
  for (pass& p : read_ceilings(in, n)) passes.push_back(std::move(p));
  return passes;
}

/// 256 bins between uneven edges from −1 to 1: at random distances, or at squares.
std::vector<float> uneven_edges(bool random) {
  std::mt19937 source(1);
  std::vector<float> edges{-1};
  for (int i = 1; i < bins; ++i) {
    float const u = static_cast<float>(i) / bins;
    edges.push_back(random ? std::uniform_real_distribution<float>(-1, 1)(source) : 2 * u * u - 1);
  }
  edges.push_back(1);
  std::sort(edges.begin(), edges.end());
  return edges;
}

std::vector<pass> histograms_between(std::int64_t n, std::vector<float> const& between) {
  auto const in = uniform_floats(n);
  gpu_data<float> const edges(between);
  gpu_data<int> const theirs(bins);
  gpu_data<std::uint64_t> const ours(bins);
  auto const memory = std::make_shared<grid::workspace>();
  auto const cub_call = [=](void* storage, std::size_t& bytes) {
    return cub::DeviceHistogram::HistogramRange(storage, bytes, in.data(), theirs.data(), bins + 1, edges.data(),
                                                static_cast<int>(n));
  };
  std::vector<pass> passes{cub_pass("CUB", cub_call)};
  passes.push_back({"tessera", pass_kind::ours,
                    [=] { return grid::histogram(in.data(), n, ours.data(), bins, edges.data(), nullptr, *memory); },
                    [=] { return counts_differ(ours.get(bins), theirs.get(bins)); }});
  for (pass& p : read_ceilings(in, n)) passes.push_back(std::move(p));
  return passes;
}

/// Sums of n weights in 256 bins between uneven edges. Nothing of CUB's does that.
std::vector<pass> weighted_histograms(std::int64_t n) {
  auto const both = uniform_floats(2 * n);
  gpu_data<float> const edges(uneven_edges(true)), sums(bins);
  auto const memory = std::make_shared<grid::workspace>();
  std::vector<pass> passes = read_ceilings(both, 2 * n);
  passes.push_back({"tessera", pass_kind::ours, [=] {
                      return grid::histogram_weighted(both.data(), both.data() + n, n, sums.data(), bins, edges.data(),
                                                      nullptr, *memory);
                    }});
  return passes;
}

/// Three of four channels of n pixels of bytes, 256 bins each.
std::vector<pass> histograms_of_channels(std::int64_t n) {
  auto const words = uniform_floats(n);
  auto const* const in = reinterpret_cast<std::uint8_t const*>(words.data());
  gpu_data<int> const theirs(3 * bins);
  gpu_data<std::uint64_t> const ours(3 * bins);
  auto const memory = std::make_shared<grid::workspace>();
  auto const cub_call = [=](void* storage, std::size_t& bytes) {
    (void)words;
    using three = cuda::std::array<int, 3>;
    cuda::std::array<int*, 3> const counts{theirs.data(), theirs.data() + bins, theirs.data() + 2 * bins};
    three const levels{bins + 1, bins + 1, bins + 1}, lower{0, 0, 0}, upper{bins, bins, bins};
    return cub::DeviceHistogram::MultiHistogramEven<4, 3>(storage, bytes, in, counts, levels, lower, upper,
                                                          static_cast<int>(n));
  };
  std::vector<pass> passes{cub_pass("CUB", cub_call)};
  passes.push_back({"tessera", pass_kind::ours,
                    [=] {
                      (void)words;
                      return grid::histogram_channels<4>(in, n,
                                                         {{ours.data(), bins, 0, bins},
                                                          {ours.data() + bins, bins, 0, bins},
                                                          {ours.data() + 2 * bins, bins, 0, bins}},
                                                         *memory);
                    },
                    [=] { return counts_differ(ours.get(3 * bins), theirs.get(3 * bins)); }});
  for (pass& p : read_ceilings(words, n)) passes.push_back(std::move(p));
  return passes;
}

}  // namespace

void add_histograms(std::vector<task>& tasks) {
  constexpr std::int64_t n = std::int64_t{1} << 28;
  std::vector<double> const uniform(bins, 1);
  std::vector<double> zipf, constant(bins, 0);
  for (int i = 0; i < bins; ++i) zipf.push_back(std::pow(1 + i, -1.2));
  constant[77] = 1;
  auto const add = [&](char const* size, std::vector<double> const& weights) {
    tasks.push_back({"histogram, 256 bins", size, 4.0 * n, [=] { return histograms(n, weights); }});
  };
  add("uniform", uniform);
  add("Zipf 1.2", zipf);
  add("constant", constant);
  for (bool random : {true, false}) {
    tasks.push_back({"histogram, 256 uneven edges", random ? "random" : "squares", 4.0 * n,
                     [=] { return histograms_between(n, uneven_edges(random)); }});
  }
  tasks.push_back({"histogram, weights, 256 edges", "2^27", 4.0 * n, [=] { return weighted_histograms(n / 2); }});
  tasks.push_back({"histograms of 3 of 4 channels", "bytes", 4.0 * n, [=] { return histograms_of_channels(n); }});
}

}  // namespace bench
