#include "tasks.hpp"

#include <cuda_bf16.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_scan.cuh>
#if __has_include(<cub/device/device_segmented_scan.cuh>)
#include <cub/device/device_segmented_scan.cuh>
#endif
#include <tessera/grid/scan_rows.cuh>

namespace bench {

namespace {

namespace grid = tessera::grid;

/// Small integers: their sums are exact in any order, as long as they are below 2^24.
gpu_data<float> small_floats(std::int64_t n) {
  auto const ints = weighted_ints(n, std::vector<double>(4, 1)).get(n);
  return gpu_data<float>(std::vector<float>(ints.begin(), ints.end()));
}

struct row_of {
  std::int64_t columns;
  __host__ __device__ std::int64_t operator()(std::int64_t i) const { return i / columns; }
};
#if __has_include(<cub/device/device_segmented_scan.cuh>)
struct times {
  std::int64_t columns;
  __host__ __device__ std::int64_t operator()(std::int64_t row) const { return row * columns; }
};
#endif

/// What one writes by hand with CUB: a block for each row, which walks it by vectors of 16 bytes.
template <int Threads>
__global__ void __launch_bounds__(Threads) block_scan_rows(float const* in, float* out, int columns) {
  using scan = cub::BlockScan<float, Threads, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ typename scan::TempStorage storage;
  auto const* const from = reinterpret_cast<float4 const*>(in + std::int64_t{blockIdx.x} * columns);
  auto* const to = reinterpret_cast<float4*>(out + std::int64_t{blockIdx.x} * columns);
  float before = 0;
  for (int first = 0; first < columns / 4; first += Threads) {
    int const at = first + static_cast<int>(threadIdx.x);
    float4 const x = at < columns / 4 ? from[at] : float4{};
    float items[4] = {x.x, x.y, x.z, x.w}, all = 0;
    scan(storage).InclusiveSum(items, items, all);
    if (at < columns / 4) to[at] = {before + items[0], before + items[1], before + items[2], before + items[3]};
    before += all;
    __syncthreads();
  }
}

std::vector<pass> row_scans(std::int64_t rows, std::int64_t columns) {
  std::int64_t const n = rows * columns;
  gpu_data<float> const in = small_floats(n), theirs(n), ours(n);
  auto const memory = std::make_shared<grid::workspace>();
  auto const keys = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), row_of{columns});
  std::vector<pass> passes{cub_pass("CUB by key", [=](void* storage, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSumByKey(storage, bytes, keys, in.data(), theirs.data(), n);
  })};
#if __has_include(<cub/device/device_segmented_scan.cuh>)
  auto const begins = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), times{columns});
  passes.push_back(cub_pass("CUB segmented", [=](void* storage, std::size_t& bytes) {
    return cub::DeviceSegmentedScan::InclusiveSegmentedSum(storage, bytes, in.data(), theirs.data(), begins, begins + 1,
                                                           rows);
  }));
#endif
  if (columns % 4 == 0) {
    passes.push_back({"a block of CUB a row", pass_kind::peer, [=] {
                        auto const blocks = static_cast<unsigned>(rows);
                        auto const length = static_cast<int>(columns);
                        if (columns >= 1024) {
                          block_scan_rows<256><<<blocks, 256>>>(in.data(), theirs.data(), length);
                        } else {
                          block_scan_rows<32><<<blocks, 32>>>(in.data(), theirs.data(), length);
                        }
                        return cudaGetLastError();
                      }});
  }
  passes.push_back({"tessera", pass_kind::ours,
                    [=] {
                      return grid::inclusive_scan_rows(grid::matrix<float const>{in.data(), rows, columns},
                                                       grid::matrix<float>{ours.data(), rows, columns}, {}, *memory);
                    },
                    [=] { return compare(ours.get(n), theirs.get(n), 1e-3); }});
  for (pass& p : copy_ceilings(in, theirs, 4 * n)) passes.push_back(std::move(p));
  return passes;
}

/// One thread a column, as one writes it by hand.
__global__ void __launch_bounds__(256)
    walk_columns(float const* in, float* out, std::int64_t rows, std::int64_t columns) {
  std::int64_t const c = std::int64_t{blockIdx.x} * 256 + threadIdx.x;
  float sum = 0;
  if (c >= columns) return;
#pragma unroll 8
  for (std::int64_t r = 0; r < rows; ++r) {
    sum += in[r * columns + c];
    out[r * columns + c] = sum;
  }
}

std::vector<pass> column_scans(std::int64_t rows, std::int64_t columns) {
  std::int64_t const n = rows * columns;
  gpu_data<float> const in = small_floats(n), theirs(n), ours(n);
  auto const memory = std::make_shared<grid::workspace>();
  std::vector<pass> passes{{"a thread a column", pass_kind::peer, [=] {
                              walk_columns<<<static_cast<unsigned>((columns + 255) / 256), 256>>>(
                                  in.data(), theirs.data(), rows, columns);
                              return cudaGetLastError();
                            }}};
  passes.push_back({"tessera", pass_kind::ours,
                    [=] {
                      return grid::inclusive_scan_columns(grid::matrix<float const>{in.data(), rows, columns},
                                                          grid::matrix<float>{ours.data(), rows, columns}, {}, *memory);
                    },
                    [=] { return compare(ours.get(n), theirs.get(n), 1e-3); }});
  for (pass& p : copy_ceilings(in, theirs, 4 * n)) passes.push_back(std::move(p));
  return passes;
}

/// Recurrences of any type, with a carry a row, and copies of as many bytes.
template <class T, class Op>
std::vector<pass> recurrences(std::int64_t rows, std::int64_t columns, Op op) {
  std::int64_t const n = rows * columns, bytes = n * static_cast<std::int64_t>(sizeof(T));
  gpu_data<T> const in(n), out(n);
  using R = grid::reduced_t<T, Op>;
  gpu_data<R> const carries(rows);
  check_cuda(cudaMemset(in.data(), 0, static_cast<std::size_t>(bytes)), "clearing");
  check_cuda(cudaMemset(carries.data(), 0, static_cast<std::size_t>(rows) * sizeof(R)), "clearing");
  auto const memory = std::make_shared<grid::workspace>();
  std::vector<pass> passes{{"tessera", pass_kind::ours, [=] {
                              return grid::inclusive_scan_rows(grid::matrix<T const>{in.data(), rows, columns},
                                                               grid::matrix<T>{out.data(), rows, columns}, op,
                                                               {false, carries.data(), carries.data()}, *memory);
                            }}};
  for (pass& p : copy_ceilings(in, out, bytes)) passes.push_back(std::move(p));
  return passes;
}

}  // namespace

void add_row_scans(std::vector<task>& tasks) {
  constexpr std::int64_t n = std::int64_t{1} << 27;
  for (std::int64_t columns : {16, 17, 64, 100, 256, 1000, 1024, 4096, 10001, 32768, 131072}) {
    std::int64_t const rows = n / columns;
    tasks.push_back({"float row scan", std::to_string(columns), 8.0 * static_cast<double>(rows * columns),
                     [=] { return row_scans(rows, columns); }});
  }
  for (std::int64_t rows : {1, 4, 32, 128})
    tasks.push_back(
        {"float scan of few rows", std::to_string(rows), 8.0 * n, [=] { return row_scans(rows, n / rows); }});
  for (std::int64_t columns : {32, 1024, 4096, 32768})
    tasks.push_back(
        {"float column scan", std::to_string(columns), 8.0 * n, [=] { return column_scans(n / columns, columns); }});
  for (std::int64_t columns : {256, 4096}) {
    using map = tessera::affine_map<float>;
    tasks.push_back({"affine row scan", std::to_string(columns), 8.0 * n,
                     [=] { return recurrences<map>(n / 2 / columns, columns, tessera::affine{}); }});
    tasks.push_back({"bfloat16 row scan", std::to_string(columns), 4.0 * n,
                     [=] { return recurrences<__nv_bfloat16>(n / columns, columns, tessera::plus{}); }});
  }
}

}  // namespace bench
