#include "tasks.hpp"

#include <cmath>
#include <cub/device/device_histogram.cuh>
#include <tessera/grid/histogram.hpp>

namespace bench {

namespace {

namespace grid = tessera::grid;

constexpr int bins = 256;

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
                    [=]() -> std::string {
                      auto const a = ours.get(bins);
                      auto const b = theirs.get(bins);
                      for (std::size_t i = 0; i < bins; ++i) {
                        if (a[i] != static_cast<std::uint64_t>(b[i]))
                          return "counts otherwise than CUB in bin " + std::to_string(i);
                      }
                      return {};
                    }});
  for (pass& p : read_ceilings(reinterpret_cast<float const*>(in.data()), n)) passes.push_back(std::move(p));
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
}

}  // namespace bench
