#include "tasks.hpp"

#include <algorithm>
#include <cub/device/device_adjacent_difference.cuh>
#include <cub/device/device_merge.cuh>
#if __has_include(<cub/device/device_find.cuh>)
#include <cub/device/device_find.cuh>
#endif
#include <tessera/grid/adjacent_difference.cuh>
#include <tessera/grid/merge.hpp>
#include <tessera/grid/search.cuh>

namespace bench {

namespace {

namespace grid = tessera::grid;

struct is_above {
  float least;
  __host__ __device__ bool operator()(float x) const { return x > least; }
};

/// The place of the only element that is above 1.
std::vector<pass> finds(std::int64_t n, std::int64_t place) {
  gpu_data<float> const in = uniform_floats(n);
  float const two = 2;
  check_cuda(cudaMemcpy(in.data() + place, &two, sizeof two, cudaMemcpyHostToDevice), "marking an element");
  gpu_data<std::int64_t> const theirs(1), ours(1);
  auto const memory = std::make_shared<grid::workspace>();
  std::vector<pass> passes;
#if __has_include(<cub/device/device_find.cuh>)
  passes.push_back(cub_pass("CUB", [=](void* storage, std::size_t& bytes) {
    return cub::DeviceFind::FindIf(storage, bytes, in.data(), theirs.data(), is_above{1}, n);
  }));
#endif
  passes.push_back({"tessera", pass_kind::ours,
                    [=] { return grid::find_if(in.data(), n, is_above{1}, ours.data(), *memory); },
                    [=] { return ours.get(1)[0] == place ? std::string() : std::string("finds another place"); }});
  for (pass& p : read_ceilings(in, n)) passes.push_back(std::move(p));
  return passes;
}

/// Two arrays that differ in their last elements.
std::vector<pass> mismatches(std::int64_t n) {
  gpu_data<float> const a = uniform_floats(n), b = uniform_floats(n);
  float const two = 2;
  check_cuda(cudaMemcpy(b.data() + n - 1, &two, sizeof two, cudaMemcpyHostToDevice), "changing an element");
  gpu_data<std::int64_t> const ours(1);
  auto const memory = std::make_shared<grid::workspace>();
  gpu_data<float> const both(2 * n);
  std::vector<pass> passes{
      {"tessera", pass_kind::ours,
       [=] { return grid::mismatch(a.data(), b.data(), n, ours.data(), tessera::equal_to{}, *memory); },
       [=] { return ours.get(1)[0] == n - 1 ? std::string() : std::string("finds another place"); }}};
  for (pass& p : read_ceilings(both, 2 * n)) passes.push_back(std::move(p));
  return passes;
}

std::vector<pass> bounds(std::int64_t n, std::int64_t count, bool in_order) {
  auto numbers = uniform_floats(n).get();
  std::sort(numbers.begin(), numbers.end());
  gpu_data<float> const sorted(numbers);
  auto some = uniform_floats(count + n).get();  // others than the elements
  some.erase(some.begin(), some.begin() + n);
  if (in_order) std::sort(some.begin(), some.end());
  gpu_data<float> const needles(some);
  gpu_data<int> const theirs(count), ours(count);
  std::vector<pass> passes;
#if __has_include(<cub/device/device_find.cuh>)
  passes.push_back(cub_pass("CUB", [=](void* storage, std::size_t& bytes) {
    return cub::DeviceFind::LowerBound(storage, bytes, sorted.data(), n, needles.data(), count, theirs.data(),
                                       cuda::std::less<>{});
  }));
#endif
  passes.push_back({"tessera", pass_kind::ours,
                    [=] { return grid::lower_bound(sorted.data(), n, needles.data(), count, ours.data()); },
                    [=] {
                      auto const got = ours.get(1000);
                      for (std::size_t i = 0; i < got.size(); ++i)
                        if (got[i] != std::lower_bound(numbers.begin(), numbers.end(), some[i]) - numbers.begin())
                          return "finds another place for needle " + std::to_string(i);
                      return std::string();
                    }});
  return passes;
}

std::vector<pass> merges(std::int64_t n) {
  auto first = uniform_floats(n).get();
  auto second = first;
  for (std::size_t i = 0; i < second.size(); ++i) second[i] = -first[i] / 2;
  std::sort(first.begin(), first.end());
  std::sort(second.begin(), second.end());
  gpu_data<float> const a(first), b(second), theirs(2 * n), ours(2 * n);
  std::vector<pass> passes{cub_pass("CUB", [=](void* storage, std::size_t& bytes) {
    return cub::DeviceMerge::MergeKeys(storage, bytes, a.data(), n, b.data(), n, theirs.data());
  })};
  passes.push_back({"tessera", pass_kind::ours, [=] { return grid::merge(a.data(), n, b.data(), n, ours.data()); },
                    [=] { return compare(ours.get(), theirs.get(), 0); }});
  gpu_data<char> const from(8 * n);
  for (pass& p : copy_ceilings(from, theirs, 8 * n)) passes.push_back(std::move(p));
  return passes;
}

std::vector<pass> differences(std::int64_t n) {
  gpu_data<float> const in = uniform_floats(n), theirs(n), ours(n);
  std::vector<pass> passes{cub_pass("CUB", [=](void* storage, std::size_t& bytes) {
    return cub::DeviceAdjacentDifference::SubtractLeftCopy(storage, bytes, in.data(), theirs.data(), n);
  })};
  passes.push_back({"tessera", pass_kind::ours, [=] { return grid::adjacent_difference(in.data(), n, ours.data()); },
                    [=] { return compare(ours.get(), theirs.get(), 0); }});
  for (pass& p : copy_ceilings(in, theirs, 4 * n)) passes.push_back(std::move(p));
  return passes;
}

}  // namespace

void add_searches(std::vector<task>& tasks) {
  constexpr std::int64_t n = std::int64_t{1} << 27;
  tasks.push_back({"find_if of floats", "at the end", 4.0 * n, [=] { return finds(n, n - 1); }});
  tasks.push_back({"find_if of floats", "in the middle", 2.0 * n, [=] { return finds(n, n / 2); }});
  tasks.push_back({"mismatch of floats", "at the end", 8.0 * n, [=] { return mismatches(n); }});
  tasks.push_back(
      {"lower bounds in 2^24 floats", "2^25 in any order", 8.0 * n / 4, [=] { return bounds(n / 8, n / 4, false); }});
  tasks.push_back(
      {"lower bounds in 2^24 floats", "2^25 in order", 8.0 * n / 4, [=] { return bounds(n / 8, n / 4, true); }});
  for (int log : {20, 22, 24, 26}) {
    std::string const size = "2^" + std::to_string(log);
    std::int64_t const each = std::int64_t{1} << log;
    tasks.push_back(
        {"merge of floats", size + " and " + size, 16.0 * static_cast<double>(each), [=] { return merges(each); }});
  }
  tasks.push_back({"adjacent difference of floats", "2^27", 8.0 * n, [=] { return differences(n); }});
}

}  // namespace bench
