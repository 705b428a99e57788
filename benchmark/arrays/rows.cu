#include "tasks.hpp"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_segmented_reduce.cuh>
#include <tessera/grid/rows.hpp>

namespace bench {

namespace {

namespace grid = tessera::grid;

struct times {
  int columns;
  __host__ __device__ int operator()(int row) const { return row * columns; }
};

template <class Op>
std::vector<pass> rows(int count, int columns, Op op) {
  std::int64_t const n = std::int64_t{count} * columns;
  auto const in = uniform_floats(n);
  gpu_data<float> const theirs(count), ours(count);
  auto const memory = std::make_shared<grid::workspace>();
  auto const begins = thrust::make_transform_iterator(thrust::counting_iterator<int>(0), times{columns});
  auto const cub_call = [=](void* storage, std::size_t& bytes) {
    if constexpr (std::is_same_v<Op, tessera::plus>) {
      return cub::DeviceSegmentedReduce::Sum(storage, bytes, in.data(), theirs.data(), count, begins, begins + 1);
    } else {
      return cub::DeviceSegmentedReduce::Max(storage, bytes, in.data(), theirs.data(), count, begins, begins + 1);
    }
  };
  std::vector<pass> passes{cub_pass("CUB by offsets", cub_call)};
  passes.push_back({"tessera", pass_kind::ours,
                    [=] {
                      grid::matrix<float const> const x{in.data(), count, columns};
                      return grid::reduce_rows(x, ours.data(), op, *memory);
                    },
                    [=] { return compare(ours.get(count), theirs.get(count), 1e-2); }});
  passes.push_back(read_and_write_rows(in.data(), gpu_data<float>(count), n, columns));
  for (pass& p : read_ceilings(in, n)) passes.push_back(std::move(p));
  return passes;
}

}  // namespace

void add_rows(std::vector<task>& tasks) {
  auto const add = [&](char const* what, auto op) {
    for (int columns :
         {8, 16, 24, 25, 32, 61, 64, 100, 128, 256, 501, 512, 1000, 1001, 1024, 2048, 3001, 4096, 16384, 65536}) {
      int const count = (1 << 27) / columns;
      tasks.push_back({what, std::to_string(columns), 4.0 * count * columns, [=] { return rows(count, columns, op); }});
    }
  };
  add("float row max", tessera::maximum{});
  add("float row sum", tessera::plus{});
}

}  // namespace bench
