// Rows and segments by iterators beside the same by pointers.
#include "tasks.hpp"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <tessera/grid/computed_rows.cuh>
#include <tessera/grid/sort_segments.cuh>

namespace bench {

namespace {

namespace grid = tessera::grid;

struct square {
  TESSERA_FN float operator()(float x) const { return x * x; }
};
struct times {
  int columns;
  TESSERA_FN int operator()(int row) const { return row * columns; }
};

std::vector<pass> sums(int count, int columns) {
  std::int64_t const n = std::int64_t{count} * columns;
  auto const in = uniform_floats(n);
  gpu_data<float> const theirs(count), ours(count), others(count);
  auto const memory = std::make_shared<grid::workspace>();
  auto const elements = thrust::make_transform_iterator(static_cast<float const*>(in.data()), square{});
  auto const begins = thrust::make_transform_iterator(thrust::counting_iterator<int>(0), times{columns});
  std::vector<pass> passes{cub_pass("CUB by offsets", [=](void* storage, std::size_t& bytes) {
    return cub::DeviceSegmentedReduce::Sum(storage, bytes, elements, theirs.data(), count, begins, begins + 1);
  })};
  passes.push_back({"tessera", pass_kind::ours,
                    [=] {
                      (void)in;
                      return grid::reduce_rows(grid::matrix_of(elements, count, columns), ours.data(), tessera::plus{},
                                               *memory);
                    },
                    [=] { return compare(ours.get(count), theirs.get(count), 1e-2); }});
  passes.push_back({"tessera by a pointer", pass_kind::ours, [=] {
                      return grid::transform_reduce_rows(grid::matrix<float const>(in.data(), count, columns),
                                                         others.data(), tessera::plus{}, square{}, *memory);
                    }});
  for (pass& p : read_ceilings(in, n)) passes.push_back(std::move(p));
  return passes;
}

std::vector<pass> moments(int count, int columns) {
  std::int64_t const n = std::int64_t{count} * columns;
  auto const in = uniform_floats(n);
  gpu_data<tessera::moments<float>> const ours(count), others(count);
  auto const memory = std::make_shared<grid::workspace>();
  auto const elements = thrust::make_transform_iterator(static_cast<float const*>(in.data()), square{});
  std::vector<pass> passes{
      {"tessera", pass_kind::ours,
       [=] { return grid::moments_rows(grid::matrix_of(elements, count, columns), ours.data(), *memory); }},
      {"tessera by a pointer, of x", pass_kind::ours, [=] {
         return grid::moments_rows(grid::matrix<float const>(in.data(), count, columns), others.data(), *memory);
       }}};
  for (pass& p : read_ceilings(in, n)) passes.push_back(std::move(p));
  return passes;
}

std::vector<pass> softmax(int count, int columns) {
  std::int64_t const n = std::int64_t{count} * columns;
  auto const in = uniform_floats(n);
  gpu_data<float> const ours(n);
  auto const memory = std::make_shared<grid::workspace>();
  auto const elements = thrust::make_transform_iterator(static_cast<float const*>(in.data()), square{});
  std::vector<pass> passes{
      {"tessera", pass_kind::ours,
       [=] {
         (void)in;
         return grid::softmax_rows(grid::matrix_of(elements, count, columns),
                                   grid::matrix<float>(ours.data(), count, columns), nullptr, *memory);
       }},
      {"tessera by a pointer, of x", pass_kind::ours, [=] {
         return grid::softmax_rows(grid::matrix<float const>(in.data(), count, columns),
                                   grid::matrix<float>(ours.data(), count, columns), nullptr, *memory);
       }}};
  for (pass& p : copy_ceilings(in, ours, 4 * n)) passes.push_back(std::move(p));
  return passes;
}

/// CUB's takes pointers.
std::vector<pass> sorts(int count, int columns) {
  std::int64_t const n = std::int64_t{count} * columns;
  auto const in = uniform_floats(n);
  gpu_data<float> const ours(n), others(n), theirs(n);
  auto const memory = std::make_shared<grid::workspace>();
  auto const elements = thrust::make_transform_iterator(static_cast<float const*>(in.data()), square{});
  std::vector<int> from;
  for (int row = 0; row <= count; ++row) from.push_back(row * columns);
  gpu_data<int> const offsets(from);
  int const* const begins = offsets.data();
  std::vector<pass> passes{cub_pass("CUB, of x", [=](void* storage, std::size_t& bytes) {
    return cub::DeviceSegmentedSort::SortKeys(storage, bytes, in.data(), theirs.data(), n, count, begins, begins + 1);
  })};
  passes.push_back({"tessera", pass_kind::ours, [=] {
                      (void)offsets;
                      return grid::sort_segments(elements, n, begins, count, ours.data(), tessera::less{}, *memory);
                    }});
  passes.push_back({"tessera by a pointer, of x", pass_kind::ours, [=] {
                      return grid::sort_segments(static_cast<float const*>(in.data()), n, begins, count, others.data(),
                                                 tessera::less{}, *memory);
                    }});
  for (pass& p : copy_ceilings(in, ours, 4 * n)) passes.push_back(std::move(p));
  return passes;
}

}  // namespace

void add_computed_rows(std::vector<task>& tasks) {
  for (int columns : {8, 64, 256, 1000, 2048, 4096, 16'384, 1 << 20}) {
    int const count = (1 << 27) / columns;
    double const bytes = 4.0 * count * columns;
    auto const size = std::to_string(columns);
    tasks.push_back({"row sums of squares by an iterator", size, bytes, [=] { return sums(count, columns); }});
    tasks.push_back({"row moments of squares by an iterator", size, bytes, [=] { return moments(count, columns); }});
    tasks.push_back(
        {"row softmax of squares by an iterator", size, 2 * bytes, [=] { return softmax(count, columns); }});
    if (columns <= 4096)
      tasks.push_back(
          {"sort of segments of squares by an iterator", size, 2 * bytes, [=] { return sorts(count, columns); }});
  }
}

}  // namespace bench
