#include "tasks.hpp"

#include <cub/device/device_reduce.cuh>
#include <tessera/grid/reduce.hpp>

namespace bench {

namespace {

namespace grid = tessera::grid;

std::vector<pass> sums(std::int64_t n) {
  auto const in = uniform_floats(n);
  gpu_data<float> const theirs(1), ours(1);
  auto const memory = std::make_shared<grid::workspace>();
  std::vector<pass> passes{cub_pass("CUB", [=](void* storage, std::size_t& bytes) {
    return cub::DeviceReduce::Sum(storage, bytes, in.data(), theirs.data(), n);
  })};
  passes.push_back({"tessera", pass_kind::ours,
                    [=] { return grid::reduce(in.data(), n, ours.data(), tessera::plus{}, *memory); },
                    [=]() -> std::string {
                      // The terms are about 0.5, and their sum grows as the root of n. The results of two orders may
                      // differ by that.
                      double const apart = static_cast<double>(ours.get(1)[0]) - static_cast<double>(theirs.get(1)[0]);
                      bool const near = apart * apart <= 1e-12 * static_cast<double>(n);
                      return near ? "" : "is " + std::to_string(apart) + " from CUB's sum";
                    }});
  passes.push_back({"tessera, no workspace", pass_kind::ours,
                    [=] { return grid::reduce(in.data(), n, ours.data(), tessera::plus{}); }});
  for (pass& p : read_ceilings(in, n)) passes.push_back(std::move(p));
  return passes;
}

std::vector<pass> maxima(std::int64_t n) {
  auto const in = uniform_floats(n);
  gpu_data<float> const their_value(1);
  gpu_data<std::int64_t> const their_index(1);
  gpu_data<tessera::indexed<float, std::int64_t>> const ours(1);
  auto const memory = std::make_shared<grid::workspace>();
  std::vector<pass> passes{cub_pass("CUB", [=](void* storage, std::size_t& bytes) {
    return cub::DeviceReduce::ArgMax(storage, bytes, in.data(), their_value.data(), their_index.data(), n);
  })};
  passes.push_back({"tessera", pass_kind::ours, [=] { return grid::argmax(in.data(), n, ours.data(), *memory); },
                    [=]() -> std::string {
                      return ours.get(1)[0].index == their_index.get(1)[0] ? "" : "finds another index than CUB";
                    }});
  for (pass& p : read_ceilings(in, n)) passes.push_back(std::move(p));
  return passes;
}

}  // namespace

void add_whole_arrays(std::vector<task>& tasks) {
  for (int e = 12; e <= 28; e += 2) {
    std::int64_t const n = std::int64_t{1} << e;
    tasks.push_back({"float sum", power_of_two(e), 4.0 * static_cast<double>(n), [n] { return sums(n); }});
  }
  for (int e : {20, 24, 28}) {
    std::int64_t const n = std::int64_t{1} << e;
    tasks.push_back({"float argmax", power_of_two(e), 4.0 * static_cast<double>(n), [n] { return maxima(n); }});
  }
}

}  // namespace bench
