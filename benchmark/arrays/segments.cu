#include "segment_offsets.hpp"
#include "tasks.hpp"

#include <cub/device/device_segmented_reduce.cuh>
#include <tessera/grid/log_sum_exp_segments.cuh>
#include <tessera/grid/segments.cuh>
#include <tessera/grid/softmax_segments.cuh>
#include <tessera/grid/top_k_segments.cuh>

#include <algorithm>
#include <cmath>

namespace bench {

namespace {

namespace grid = tessera::grid;

/// By offsets, or by begins and ends.
std::vector<pass> sums(std::int64_t n, std::vector<int> const& from, bool by_bounds) {
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
                      int const* const first = offsets.data();
                      if (by_bounds) {
                        return grid::reduce_segments(floats.data(), grid::segments_between(first, first + 1), segments,
                                                     ours.data(), tessera::plus{}, *memory);
                      }
                      return grid::reduce_segments(floats.data(), first, segments, ours.data(), tessera::plus{},
                                                   *memory);
                    },
                    [=] {
                      return compare(ours.get(segments), theirs.get(segments),
                                     1e-3);  // sums above 2^24 are rounded
                    }});
  for (pass& p : read_ceilings(floats, n)) passes.push_back(std::move(p));
  return passes;
}

std::vector<pass> greatest(std::int64_t n, std::vector<int> const& from) {
  using best = tessera::indexed<float, std::int64_t>;
  auto const segments = static_cast<std::int64_t>(from.size()) - 1;
  gpu_data<float> const floats = uniform_floats(n);
  gpu_data<int> const offsets(from);
  gpu_data<best> const ours(segments);
  gpu_data<cub::KeyValuePair<int, float>> const theirs(segments);
  auto const memory = std::make_shared<grid::workspace>();
  auto const cub_call = [=](void* storage, std::size_t& bytes) {
    return cub::DeviceSegmentedReduce::ArgMax(storage, bytes, floats.data(), theirs.data(), static_cast<int>(segments),
                                              offsets.data(), offsets.data() + 1);
  };
  std::vector<pass> passes{cub_pass("CUB", cub_call)};
  passes.push_back(
      {"tessera", pass_kind::ours,
       [=] { return grid::argmax_segments(floats.data(), offsets.data(), segments, ours.data(), *memory); },
       [=]() -> std::string {
         auto const a = ours.get(segments);
         auto const b = theirs.get(segments);
         for (std::size_t s = 0; s < a.size(); ++s) {
           bool const is_empty = from[s] == from[s + 1];
           if (!is_empty && (a[s].index != b[s].key || a[s].value != b[s].value))
             return "gives another index in segment " + std::to_string(s);
         }
         return {};
       }});
  for (pass& p : read_ceilings(floats, n)) passes.push_back(std::move(p));
  return passes;
}

std::vector<pass> softmax(std::int64_t n, std::vector<int> const& from) {
  auto const segments = static_cast<std::int64_t>(from.size()) - 1;
  gpu_data<float> const floats = uniform_floats(n), ours(n);
  gpu_data<int> const offsets(from);
  auto const memory = std::make_shared<grid::workspace>();
  std::vector<pass> passes;
  passes.push_back(
      {"tessera", pass_kind::ours,
       [=] { return grid::softmax_segments(floats.data(), offsets.data(), segments, ours.data(), *memory); },
       [=]() -> std::string {
         std::size_t const end = static_cast<std::size_t>(from[3]);
         auto const x = floats.get(from[3]), y = ours.get(from[3]);
         for (std::size_t s = 0; s < 3; ++s) {
           double sum = 0;
           auto const first = static_cast<std::size_t>(from[s]), last = static_cast<std::size_t>(from[s + 1]);
           for (std::size_t i = first; i < last && i < end; ++i) sum += std::exp(double{x[i]});
           for (std::size_t i = first; i < last && i < end; ++i) {
             double const expected = std::exp(double{x[i]}) / sum;
             if (!(std::abs(double{y[i]} - expected) <= 1e-5 * expected + 1e-9))
               return "gives " + std::to_string(y[i]) + " at " + std::to_string(i);
           }
         }
         return {};
       }});
  for (pass& p : copy_ceilings(floats, ours, 4 * n)) passes.push_back(std::move(p));
  return passes;
}

std::vector<pass> log_sum_exp(std::int64_t n, std::vector<int> const& from) {
  auto const segments = static_cast<std::int64_t>(from.size()) - 1;
  gpu_data<float> const floats = uniform_floats(n), ours(segments);
  gpu_data<int> const offsets(from);
  auto const memory = std::make_shared<grid::workspace>();
  std::vector<pass> passes;
  passes.push_back(
      {"tessera", pass_kind::ours,
       [=] { return grid::log_sum_exp_segments(floats.data(), offsets.data(), segments, ours.data(), *memory); },
       [=]() -> std::string {
         auto const x = floats.get(from[3]), sums = ours.get(3);
         for (std::size_t s = 0; s < 3; ++s) {
           double sum = 0;
           for (auto i = static_cast<std::size_t>(from[s]); i < static_cast<std::size_t>(from[s + 1]); ++i)
             sum += std::exp(double{x[i]});
           if (sum > 0 && !(std::abs(double{sums[s]} - std::log(sum)) <= 1e-5 * (1 + std::abs(std::log(sum)))))
             return "gives " + std::to_string(sums[s]) + " for segment " + std::to_string(s);
         }
         return {};
       }});
  for (pass& p : read_ceilings(floats, n)) passes.push_back(std::move(p));
  return passes;
}

std::vector<pass> first_of_each(std::int64_t n, std::vector<int> const& from) {
  constexpr std::int64_t k = 8;
  auto const segments = static_cast<std::int64_t>(from.size()) - 1;
  gpu_data<float> const floats = uniform_floats(n), ours(segments * k);
  gpu_data<int> const offsets(from), indices(segments * k);
  std::vector<pass> passes;
  passes.push_back(
      {"tessera", pass_kind::ours,
       [=] { return grid::top_k_segments(floats.data(), offsets.data(), segments, k, ours.data(), indices.data()); },
       [=]() -> std::string {
         auto const x = floats.get(from[3]), values = ours.get(3 * k);
         for (std::size_t s = 0; s < 3; ++s) {
           std::vector<float> all(x.begin() + from[s], x.begin() + from[s + 1]);
           std::sort(all.rbegin(), all.rend());
           for (std::size_t i = 0; i < k && i < all.size(); ++i)
             if (values[s * k + i] != all[i]) return "gives another value in segment " + std::to_string(s);
         }
         return {};
       }});
  for (pass& p : read_ceilings(floats, n)) passes.push_back(std::move(p));
  return passes;
}

}  // namespace

void add_segments(std::vector<task>& tasks) {
  constexpr std::int64_t n = std::int64_t{1} << 27;
  for (int mean : {8, 64, 1024}) {
    std::string const lengths = "mean " + std::to_string(mean);
    tasks.push_back({"float segment sum", lengths, 4.0 * n, [=] { return sums(n, zipf_offsets(n, mean), false); }});
    tasks.push_back({"float segment sum by begins and ends", lengths, 4.0 * n,
                     [=] { return sums(n, zipf_offsets(n, mean), true); }});
    tasks.push_back({"float segment argmax", lengths, 4.0 * n, [=] { return greatest(n, zipf_offsets(n, mean)); }});
    tasks.push_back({"float segment softmax", lengths, 8.0 * n, [=] { return softmax(n, zipf_offsets(n, mean)); }});
    tasks.push_back(
        {"float segment first 8", lengths, 4.0 * n, [=] { return first_of_each(n, zipf_offsets(n, mean)); }});
    tasks.push_back(
        {"float segment log-sum-exp", lengths, 4.0 * n, [=] { return log_sum_exp(n, zipf_offsets(n, mean)); }});
  }
  tasks.push_back(
      {"float segment sum", "64, one giant", 4.0 * n, [=] { return sums(n, offsets_of_a_giant(n), false); }});
}

}  // namespace bench
