#include "tasks.hpp"

#include <cuda_bf16.h>
#include <cub/device/device_for.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <tessera/grid/group_by_label.cuh>
#include <tessera/grid/route_rows.cuh>

#include <algorithm>
#include <numeric>

namespace bench {

namespace {

namespace grid = tessera::grid;

constexpr int k = 8;

gpu_data<__nv_bfloat16> logits_of(std::int64_t n) {
  std::vector<__nv_bfloat16> out;
  for (float x : uniform_floats(n).get(n)) out.push_back(__float2bfloat16(8 * x));
  return gpu_data<__nv_bfloat16>(out);
}

/// Describes the first row whose columns aren't the k greatest.
std::string mistake(std::vector<__nv_bfloat16> const& logits, int columns, std::vector<int> const& experts) {
  std::vector<int> order(static_cast<std::size_t>(columns));
  for (std::size_t r = 0; r * k < experts.size(); ++r) {
    auto const logit = [&](int c) {
      return __bfloat162float(logits[r * static_cast<std::size_t>(columns) + static_cast<std::size_t>(c)]);
    };
    std::iota(order.begin(), order.end(), 0);
    std::partial_sort(order.begin(), order.begin() + k, order.end(),
                      [&](int a, int b) { return logit(a) != logit(b) ? logit(a) > logit(b) : a < b; });
    if (!std::equal(order.begin(), order.begin() + k, experts.begin() + static_cast<std::ptrdiff_t>(r * k)))
      return "gives other columns in row " + std::to_string(r);
  }
  return {};
}
std::string mistake(std::vector<int> const& labels, std::vector<int> const& order) {
  std::vector<int> want(labels.size());
  std::iota(want.begin(), want.end(), 0);
  std::stable_sort(want.begin(), want.end(), [&](int a, int b) {
    return labels[static_cast<std::size_t>(a)] < labels[static_cast<std::size_t>(b)];
  });
  return order == want ? "" : "gives another order";
}

enum class router { softmax, deepseek };

std::vector<pass> routes(std::int64_t rows, int columns, router kind, bool groups) {
  std::int64_t const n = rows * k;
  auto const logits = logits_of(rows * columns);
  gpu_data<float> const weights(n), bias(std::vector<float>(static_cast<std::size_t>(columns), 0.25f));
  gpu_data<int> const experts(n), order(n), offsets(columns + 1);
  auto const memory = std::make_shared<grid::workspace>();
  grid::route_options options;
  options.renormalize = true;
  if (kind == router::deepseek) {
    options.scores = grid::router_scores::sigmoid;
    options.bias = bias.data();
    options.num_groups = 8;
    options.top_groups = 4;
    options.scale = 2.5f;
  }
  std::vector<pass> passes;
  passes.push_back({"tessera", pass_kind::ours,
                    [=] {
                      (void)bias.data();  // lives as long as the pass
                      grid::matrix<__nv_bfloat16 const> const x{logits.data(), rows, columns};
                      if (!groups) return grid::route_rows(x, k, weights.data(), experts.data(), options, *memory);
                      return grid::route_rows(x, k, weights.data(), experts.data(), offsets.data(), order.data(),
                                              options, {}, *memory);
                    },
                    [=]() -> std::string {
                      auto const chosen = experts.get(n);
                      std::string wrong;
                      if (kind == router::softmax) wrong = mistake(logits.get(rows * columns), columns, chosen);
                      return wrong.empty() && groups ? mistake(chosen, order.get(n)) : wrong;
                    }});
  if (groups) {
    passes.push_back(
        {"tessera in two launches", pass_kind::ours, [=] {
           (void)bias.data();
           grid::matrix<__nv_bfloat16 const> const x{logits.data(), rows, columns};
           cudaError_t const error = grid::route_rows(x, k, weights.data(), experts.data(), options, *memory);
           if (error != cudaSuccess) return error;
           return grid::group_by_label(experts.data(), n, columns, offsets.data(), order.data(), {}, *memory);
         }});
  }
  for (pass& p : read_ceilings(logits, rows * columns / 2)) passes.push_back(std::move(p));
  return passes;
}

/// offsets[b]: how many of n sorted labels are below b.
struct begin_of_label {
  int const* labels;
  std::int64_t n;
  int* offsets;

  __device__ void operator()(int b) const {
    std::int64_t low = 0, high = n;
    while (low < high) {
      std::int64_t const middle = low + (high - low) / 2;
      if (labels[middle] < b) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    offsets[b] = static_cast<int>(low);
  }
};

/// CUB's sort gives the order, and a search the offsets, which group_by_label gives, too.
std::vector<pass> labels(std::int64_t n, int bins) {
  auto const in = weighted_ints(n, std::vector<double>(static_cast<std::size_t>(bins), 1));
  std::vector<int> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  gpu_data<int> const indices(all), sorted(n), theirs(n), ours(n), offsets(bins + 1), their_offsets(bins + 1);
  auto const memory = std::make_shared<grid::workspace>();
  int bits = 1;
  while ((1 << bits) < bins) ++bits;
  auto const sort = [=](void* storage, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(storage, bytes, in.data(), sorted.data(), indices.data(), theirs.data(),
                                           static_cast<int>(n), 0, bits);
  };
  auto const sort_and_search = [=](void* storage, std::size_t& bytes) {
    cudaError_t const error = sort(storage, bytes);
    if (error != cudaSuccess || storage == nullptr) return error;
    return cub::DeviceFor::Bulk(bins + 1, begin_of_label{sorted.data(), n, their_offsets.data()});
  };
  std::vector<pass> passes{cub_pass("CUB, and a search", sort_and_search), cub_pass("sort alone, by CUB", sort)};
  passes.push_back({"tessera", pass_kind::ours,
                    [=] { return grid::group_by_label(in.data(), n, bins, offsets.data(), ours.data(), {}, *memory); },
                    [=]() -> std::string {
                      if (offsets.get(bins + 1) != their_offsets.get(bins + 1)) return "gives other offsets";
                      return ours.get(n) == theirs.get(n) ? "" : "gives another order";
                    }});
  for (pass& p : copy_ceilings(in, ours, 4 * n)) passes.push_back(std::move(p));
  return passes;
}

}  // namespace

void add_routes(std::vector<task>& tasks) {
  auto const add = [&](std::string const& what, router kind, bool groups) {
    for (auto const [rows, columns] :
         {std::pair{1, 256}, {64, 256}, {1024, 256}, {8192, 256}, {8192, 64}, {65'536, 256}}) {
      double const bytes = rows * (2.0 * columns + (groups ? 12 : 8) * k);
      tasks.push_back({what, std::to_string(rows) + " x " + std::to_string(columns), bytes,
                       [=, r = rows, c = columns] { return routes(r, c, kind, groups); }});
    }
  };
  add("route bf16 rows, softmax, top 8", router::softmax, false);
  add("route and group bf16 rows, softmax, top 8", router::softmax, true);
  add("route bf16 rows, sigmoid, bias and groups, top 8", router::deepseek, false);
  add("route and group bf16 rows, sigmoid, bias and groups, top 8", router::deepseek, true);
  for (int bins : {8, 256}) {
    for (int e : {9, 12, 16, 20, 24, 27}) {
      std::int64_t const n = std::int64_t{1} << e;
      tasks.push_back({"group by " + std::to_string(bins) + " labels", power_of_two(e), 8.0 * static_cast<double>(n),
                       [=] { return labels(n, bins); }});
    }
  }
}

}  // namespace bench
