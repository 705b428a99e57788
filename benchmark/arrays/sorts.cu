#include "segment_offsets.hpp"
#include "tasks.hpp"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <numeric>
#include <tessera/grid/sort.hpp>
#include <tessera/grid/sort_segments.hpp>

namespace bench {

namespace {

namespace grid = tessera::grid;

template <class T>
std::string same(gpu_data<T> const& ours, gpu_data<T> const& theirs) {
  return ours.get() == theirs.get() ? "" : "gives other elements than CUB";
}

std::vector<pass> keys(std::int64_t n) {
  auto const in = uniform_floats(n);
  gpu_data<float> const theirs(n), ours(n);
  auto const memory = std::make_shared<grid::workspace>();
  std::vector<pass> passes{cub_pass("CUB", [=](void* storage, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(storage, bytes, in.data(), theirs.data(), n);
  })};
  passes.push_back(cub_pass("CUB, 32-bit count", [=](void* storage, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(storage, bytes, in.data(), theirs.data(), static_cast<int>(n));
  }));
  passes.push_back({"tessera", pass_kind::ours,
                    [=] { return grid::sort(in.data(), n, ours.data(), tessera::less{}, *memory); },
                    [=] { return same(ours, theirs); }});
  return passes;
}

std::vector<pass> pairs(std::int64_t n) {
  auto const in = uniform_floats(n);
  std::vector<int> numbers(static_cast<std::size_t>(n));
  std::iota(numbers.begin(), numbers.end(), 0);
  gpu_data<int> const values(numbers), their_values(n), our_values(n), our_indices(n);
  gpu_data<float> const their_keys(n), our_keys(n);
  auto const memory = std::make_shared<grid::workspace>();
  std::vector<pass> passes{cub_pass("CUB", [=](void* storage, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(storage, bytes, in.data(), their_keys.data(), values.data(),
                                           their_values.data(), n);
  })};
  passes.push_back(cub_pass("CUB, 32-bit count", [=](void* storage, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(storage, bytes, in.data(), their_keys.data(), values.data(),
                                           their_values.data(), static_cast<int>(n));
  }));
  passes.push_back({"tessera", pass_kind::ours,
                    [=] {
                      return grid::sort_by_key(in.data(), values.data(), n, our_keys.data(), our_values.data(),
                                               tessera::less{}, *memory);
                    },
                    [=] { return same(our_values, their_values); }});
  passes.push_back({"tessera, argsort", pass_kind::ours,
                    [=] { return grid::argsort(in.data(), n, our_indices.data(), tessera::less{}, *memory); },
                    [=] { return same(our_indices, their_values); }});
  return passes;
}

/// The offsets of n elements in segments of one length.
std::vector<int> even_offsets(std::int64_t n, int length) {
  std::vector<int> offsets;
  for (std::int64_t at = 0; at <= n; at += length) offsets.push_back(static_cast<int>(at));
  return offsets;
}

std::vector<pass> segments_of(std::int64_t n, std::vector<int> const& from) {
  auto const segments = static_cast<std::int64_t>(from.size()) - 1;
  auto const in = uniform_floats(n);
  gpu_data<int> const offsets(from);
  gpu_data<float> const theirs(n), ours(n), copied(n);
  auto const memory = std::make_shared<grid::workspace>();
  std::vector<pass> passes{cub_pass("CUB", [=](void* storage, std::size_t& bytes) {
    return cub::DeviceSegmentedSort::SortKeys(storage, bytes, in.data(), theirs.data(), n, segments, offsets.data(),
                                              offsets.data() + 1);
  })};
  passes.push_back({"tessera", pass_kind::ours,
                    [=] {
                      return grid::sort_segments(in.data(), n, offsets.data(), segments, ours.data(), tessera::less{},
                                                 *memory);
                    },
                    [=] { return same(ours, theirs); }});
  for (pass& p : copy_ceilings(in, copied, 4 * n)) passes.push_back(std::move(p));
  return passes;
}

}  // namespace

void add_sorts(std::vector<task>& tasks) {
  for (int e = 12; e <= 28; e += 4) {
    std::int64_t const n = std::int64_t{1} << e;
    auto const size = static_cast<double>(n);
    tasks.push_back({"float sort", power_of_two(e), 8 * size, [n] { return keys(n); }});
    tasks.push_back({"float sort with int values", power_of_two(e), 16 * size, [n] { return pairs(n); }});
  }
  constexpr std::int64_t n = std::int64_t{1} << 25;
  for (int length : {8, 32, 64, 128, 512, 1024, 4096, 1 << 20})
    tasks.push_back({"float segment sort", std::to_string(length), 8.0 * n,
                     [=] { return segments_of(n, even_offsets(n, length)); }});
  tasks.push_back(
      {"float segment sort", "Zipf, mean 64", 8.0 * n, [=] { return segments_of(n, zipf_offsets(n, 64)); }});
}

}  // namespace bench
