#include "tasks.hpp"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_segmented_sort.cuh>
#include <tessera/grid/sort_rows.cuh>
#include <tessera/grid/top_k_rows.cuh>

#if __has_include(<cub/device/device_batched_topk.cuh>)
#include <cub/device/device_batched_topk.cuh>
#include <cuda/iterator>
#define BENCH_HAS_BATCHED_TOP_K 1
#else
#define BENCH_HAS_BATCHED_TOP_K 0
#endif

#if __has_include(<flashinfer/topk.cuh>)
#include <flashinfer/math.cuh>  // topk.cuh uses it
#include <flashinfer/topk.cuh>
#define BENCH_HAS_FLASHINFER 1
#else
#define BENCH_HAS_FLASHINFER 0
#endif

#include <algorithm>

namespace bench {

namespace {

namespace grid = tessera::grid;

#if BENCH_HAS_BATCHED_TOP_K
template <class T>
struct row_at {
  T* first;
  std::int64_t columns;
  __host__ __device__ T* operator()(std::int64_t row) const { return first + row * columns; }
};
struct numbers {
  __host__ __device__ cuda::counting_iterator<std::int32_t> operator()(std::int64_t) const {
    return cuda::counting_iterator<std::int32_t>(0);
  }
};
/// The first k of each row, in any order, and any of equal ones.
template <int Columns>
pass cub_row_tops(gpu_data<float> const& in, std::int64_t rows, int k, gpu_data<float> const& values,
                  gpu_data<std::int32_t> const& indices) {
  return cub_pass("in no order, CUB", [=](void* storage, std::size_t& bytes) {
    auto const how =
        cuda::execution::require(cuda::execution::determinism::not_guaranteed, cuda::execution::tie_break::unspecified,
                                 cuda::execution::output_ordering::unsorted);
    cuda::counting_iterator<std::int64_t> const row(0);
    return cub::DeviceBatchedTopK::MaxPairs(
        storage, bytes, cuda::transform_iterator(row, row_at<float const>{in.data(), Columns}),
        cuda::transform_iterator(row, row_at<float>{values.data(), k}), cuda::transform_iterator(row, numbers{}),
        cuda::transform_iterator(row, row_at<std::int32_t>{indices.data(), k}), cuda::args::constant<Columns>{},
        cuda::args::immediate{static_cast<std::int64_t>(k), cuda::args::bounds<std::int64_t{1}, std::int64_t{64}>()},
        cuda::args::immediate{rows}, how);
  });
}
#endif

#if BENCH_HAS_FLASHINFER
/// The first k of each row, in order or not, by the algorithm that FlashInfer chooses.
pass flashinfer_row_tops(gpu_data<float> const& in, std::int64_t rows, int columns, int k, bool in_order,
                         gpu_data<float> const& values, gpu_data<std::int32_t> const& indices) {
  gpu_data<std::uint32_t> const states(std::vector<std::uint32_t>(1 << 18));  // zeros, as many as its Python has
  return {"FlashInfer", pass_kind::peer, [=] {
            return flashinfer::sampling::TopKDispatch<float, std::int32_t>(
                in.data(), indices.data(), values.data(), static_cast<std::uint32_t>(rows),
                static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(columns),
                reinterpret_cast<flashinfer::sampling::RadixRowState*>(states.data()), in_order, false,
                flashinfer::sampling::TopKTieBreak::None, nullptr, false);
          }};
}
#endif

std::vector<pass> row_tops(std::int64_t rows, int columns, int k) {
  std::int64_t const n = rows * columns;
  auto const in = uniform_floats(n);
  gpu_data<float> const values(rows * k), their_values(rows * k);
  gpu_data<std::int32_t> const indices(rows * k), their_indices(rows * k);
  std::vector<pass> passes;
#if BENCH_HAS_BATCHED_TOP_K
  auto const add_cub = [&](auto size) {
    if constexpr (size() > 0) {
      if (columns == size() && k <= 64)
        passes.push_back(cub_row_tops<size()>(in, rows, k, their_values, their_indices));
    }
  };
  add_cub(std::integral_constant<int, 64>{});
  add_cub(std::integral_constant<int, 256>{});
  add_cub(std::integral_constant<int, 1024>{});
#endif
  passes.push_back(
      {"tessera", pass_kind::ours,
       [=] {
         return grid::top_k_rows(grid::matrix<float const>{in.data(), rows, columns}, k, values.data(), indices.data());
       },
       [=]() -> std::string {
         auto const ours = values.get();
         auto const places = indices.get();
         auto const x = in.get();
         for (std::size_t i = 0; i < ours.size(); ++i) {
           auto const each = static_cast<std::size_t>(k), row = i / each;
           if (i % each > 0 && ours[i - 1] < ours[i]) return "isn't sorted";
           if (x[row * static_cast<std::size_t>(columns) + static_cast<std::size_t>(places[i])] != ours[i])
             return "has another element at " + std::to_string(i);
         }
         return {};
       }});
#if BENCH_HAS_FLASHINFER
  if (columns >= 1024) passes.push_back(flashinfer_row_tops(in, rows, columns, k, true, their_values, their_indices));
#endif
  for (pass& p : read_ceilings(in, n)) passes.push_back(std::move(p));
  return passes;
}

/// The same in any order: of each row the elements of a call that gives them in order.
std::vector<pass> row_tops_in_any_order(std::int64_t rows, int columns, int k) {
  std::int64_t const n = rows * columns;
  auto const in = uniform_floats(n);
  gpu_data<float> const values(rows * k), in_order(rows * k);
  gpu_data<std::int32_t> const indices(rows * k);
  grid::matrix<float const> const x{in.data(), rows, columns};
  (void)grid::top_k_rows(x, k, in_order.data(), nullptr);
  std::vector<pass> passes{{"tessera", pass_kind::ours,
                            [=] {
                              grid::top_k_rows_options options;
                              options.order = grid::top_k_order::any;
                              return grid::top_k_rows(x, k, values.data(), indices.data(), tessera::greater{}, options);
                            },
                            [=]() -> std::string {
                              auto ours = values.get();
                              for (auto row = ours.begin(); row != ours.end(); row += k)
                                std::sort(row, row + k, std::greater<float>());
                              return ours == in_order.get() ? "" : "gives other elements than in order";
                            }}};
#if BENCH_HAS_FLASHINFER
  gpu_data<float> const their_values(rows * k);
  gpu_data<std::int32_t> const their_indices(rows * k);
  passes.push_back(flashinfer_row_tops(in, rows, columns, k, false, their_values, their_indices));
#endif
  for (pass& p : read_ceilings(in, n)) passes.push_back(std::move(p));
  return passes;
}

struct index_in_row {
  int columns;
  __host__ __device__ std::int32_t operator()(std::int64_t i) const { return static_cast<std::int32_t>(i % columns); }
};
struct begins_of {
  int columns;
  __host__ __device__ int operator()(int row) const { return row * columns; }
};

std::vector<pass> row_sorts(std::int64_t rows, int columns) {
  std::int64_t const n = rows * columns;
  auto const in = uniform_floats(n);
  gpu_data<float> const ours(n), theirs(n), copied(n);
  auto const memory = std::make_shared<grid::workspace>();
  auto const begins = thrust::make_transform_iterator(thrust::counting_iterator<int>(0), begins_of{columns});
  std::vector<pass> passes{cub_pass("CUB", [=](void* storage, std::size_t& bytes) {
    return cub::DeviceSegmentedSort::SortKeys(storage, bytes, in.data(), theirs.data(), n, rows, begins, begins + 1);
  })};
  passes.push_back(
      {"tessera", pass_kind::ours,
       [=] {
         return grid::sort_rows(grid::matrix<float const>{in.data(), rows, columns},
                                grid::matrix<float>{ours.data(), rows, columns}, tessera::less{}, *memory);
       },
       [=]() -> std::string { return ours.get() == theirs.get() ? "" : "gives other elements than CUB"; }});
  for (pass& p : copy_ceilings(in, copied, 4 * n)) passes.push_back(std::move(p));
  return passes;
}
/// The columns in order.
std::vector<pass> row_argsorts(std::int64_t rows, int columns) {
  std::int64_t const n = rows * columns;
  auto const in = uniform_floats(n);
  gpu_data<std::int32_t> const places(n);
  gpu_data<float> const copied(n);
  std::vector<pass> passes{
      {"tessera", pass_kind::ours, [=] {
         return grid::argsort_rows(grid::matrix<float const>{in.data(), rows, columns}, places.data());
       }}};
  for (pass& p : copy_ceilings(in, copied, 4 * n)) passes.push_back(std::move(p));
  return passes;
}

/// Rows with a value of 4 bytes for each element, beside CUB's stable sort of segments of pairs.
std::vector<pass> row_pair_sorts(std::int64_t rows, int columns) {
  std::int64_t const n = rows * columns;
  auto const in = uniform_floats(n);
  gpu_data<float> const keys(n), their_keys(n), source(2 * n), copied(2 * n);
  gpu_data<std::int32_t> const numbers(n), values(n), their_values(n);
  (void)grid::tabulate(numbers.data(), n, index_in_row{columns});
  auto const memory = std::make_shared<grid::workspace>();
  auto const begins = thrust::make_transform_iterator(thrust::counting_iterator<int>(0), begins_of{columns});
  std::vector<pass> passes{cub_pass("CUB", [=](void* storage, std::size_t& bytes) {
    return cub::DeviceSegmentedSort::StableSortPairs(storage, bytes, in.data(), their_keys.data(), numbers.data(),
                                                     their_values.data(), n, rows, begins, begins + 1);
  })};
  passes.push_back({"tessera", pass_kind::ours,
                    [=] {
                      return grid::sort_rows_by_key(grid::matrix<float const>{in.data(), rows, columns},
                                                    grid::matrix<std::int32_t const>{numbers.data(), rows, columns},
                                                    grid::matrix<float>{keys.data(), rows, columns},
                                                    grid::matrix<std::int32_t>{values.data(), rows, columns},
                                                    tessera::less{}, *memory);
                    },
                    [=]() -> std::string {
                      if (keys.get() != their_keys.get()) return "gives other keys than CUB";
                      return values.get() == their_values.get() ? "" : "gives other values than CUB";
                    }});
  for (pass& p : copy_ceilings(source, copied, 8 * n)) passes.push_back(std::move(p));
  return passes;
}

}  // namespace

void add_row_tops(std::vector<task>& tasks) {
  auto const add = [&](std::int64_t rows, int columns, int k, std::string const& size) {
    double const bytes =
        4.0 * static_cast<double>(rows) * columns + 8.0 * static_cast<double>(rows) * std::min(k, columns);
    tasks.push_back({"float row top " + std::to_string(k), size, bytes, [=] { return row_tops(rows, columns, k); }});
  };
  for (int columns : {16, 60, 64, 128, 256, 1000, 1024, 4096, 32768, 131072})
    add((1 << 27) / columns, columns, 8, std::to_string(columns));
  for (int columns : {256, 1024, 4096, 32768, 131072}) add((1 << 27) / columns, columns, 64, std::to_string(columns));
  for (int k : {512, 2048}) {
    for (int rows : {1, 16, 64}) {
      for (int columns : {8192, 65536, 131072})
        add(rows, columns, k, std::to_string(rows) + " of " + std::to_string(columns));
      tasks.push_back({"float row top " + std::to_string(k) + " in any order", std::to_string(rows) + " of 131072",
                       static_cast<double>(rows) * (4.0 * 131072 + 8.0 * k),
                       [=] { return row_tops_in_any_order(rows, 131072, k); }});
    }
  }
  for (int columns : {8, 32, 64, 128, 256, 1024, 4096}) {
    std::int64_t const rows = (1 << 26) / columns;
    double const bytes = 8.0 * static_cast<double>(rows) * columns;
    tasks.push_back({"float row sort", std::to_string(columns), bytes, [=] { return row_sorts(rows, columns); }});
    tasks.push_back({"float row argsort", std::to_string(columns), bytes, [=] { return row_argsorts(rows, columns); }});
    tasks.push_back(
        {"float row sort by key", std::to_string(columns), 2 * bytes, [=] { return row_pair_sorts(rows, columns); }});
  }
}

}  // namespace bench
