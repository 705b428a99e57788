// Reading by iterators beside reading by pointers, and chains of calls whose sizes the device knows.
#include "tasks.hpp"

#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <cmath>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <cuda/std/functional>
#include <cuda/std/tuple>
#include <tessera/grid/reduce.cuh>
#include <tessera/grid/scan.cuh>
#include <tessera/grid/select.cuh>
#include <tessera/grid/sort.cuh>

namespace bench {

namespace {

namespace grid = tessera::grid;

struct square {
  TESSERA_FN float operator()(float x) const { return x * x; }
};
struct product {
  template <class Pair>
  TESSERA_FN float operator()(Pair const& x) const {
    return cuda::std::get<0>(x) * cuda::std::get<1>(x);
  }
};
struct is_positive {
  TESSERA_FN bool operator()(float x) const { return x > 0; }
};

/// A sum of `elements` by CUB and by the library, and others.
template <class In>
std::vector<pass> sums(In elements, std::int64_t n, gpu_data<float> const& keeps_alive) {
  gpu_data<float> const theirs(1), ours(1);
  auto const memory = std::make_shared<grid::workspace>();
  std::vector<pass> passes{cub_pass("CUB", [=](void* storage, std::size_t& bytes) {
    return cub::DeviceReduce::Sum(storage, bytes, elements, theirs.data(), n);
  })};
  passes.push_back({"tessera", pass_kind::ours,
                    [=] {
                      (void)keeps_alive;
                      return grid::reduce(elements, n, ours.data(), tessera::plus{}, *memory);
                    },
                    [=] { return compare(ours.get(1), theirs.get(1), 1e-3); }});
  return passes;
}

std::vector<pass> squares(std::int64_t n) {
  auto const in = uniform_floats(n);
  auto passes = sums(thrust::make_transform_iterator(in.data(), square{}), n, in);
  gpu_data<float> const out(1);
  auto const memory = std::make_shared<grid::workspace>();
  passes.push_back({"tessera by a pointer", pass_kind::ours, [=] {
                      return grid::transform_reduce(in.data(), n, out.data(), tessera::plus{}, square{}, *memory);
                    }});
  for (pass& p : read_ceilings(in, n)) passes.push_back(std::move(p));
  return passes;
}

std::vector<pass> products(std::int64_t n) {
  auto const in = uniform_floats(2 * n);
  float const *const a = in.data(), *const b = in.data() + n;
  auto const pairs = thrust::make_zip_iterator(a, b);
  auto passes = sums(thrust::make_transform_iterator(pairs, product{}), n, in);
  for (pass& p : read_ceilings(in, 2 * n)) passes.push_back(std::move(p));
  return passes;
}

/// A permutation in blocks of 1024 elements, so that memory is read once.
std::vector<pass> permuted(std::int64_t n) {
  auto const in = uniform_floats(2 * n);
  std::vector<int> order(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i)
    order[static_cast<std::size_t>(i)] = static_cast<int>(i / 1024 * 1024 + i % 1024 * 677 % 1024);
  gpu_data<int> const map(order);
  float const* const values = in.data();
  auto passes = sums(thrust::make_permutation_iterator(values, map.data()), n, in);
  for (pass& p : read_ceilings(in, 2 * n)) {
    p.run = [map, run = p.run] { return run(); };
    passes.push_back(std::move(p));
  }
  return passes;
}

std::vector<pass> scanned_squares(std::int64_t n) {
  auto const in = uniform_floats(n);
  auto const elements = thrust::make_transform_iterator(in.data(), square{});
  gpu_data<float> const theirs(n), ours(n), others(n);
  auto const memory = std::make_shared<grid::workspace>();
  std::vector<pass> passes{cub_pass("CUB", [=](void* storage, std::size_t& bytes) {
    (void)in;
    return cub::DeviceScan::InclusiveScan(storage, bytes, elements, theirs.data(), cuda::std::plus<>{}, n);
  })};
  passes.push_back({"tessera", pass_kind::ours,
                    [=] { return grid::inclusive_scan(elements, n, ours.data(), tessera::plus{}, *memory); },
                    [=] { return compare(ours.get(n), theirs.get(n), 1e-2); }});
  passes.push_back({"tessera by a pointer", pass_kind::ours, [=] {
                      return grid::transform_inclusive_scan(in.data(), n, others.data(), tessera::plus{}, square{},
                                                            *memory);
                    }});
  for (pass& p : copy_ceilings(in, ours, 4 * n)) passes.push_back(std::move(p));
  return passes;
}

/// Keeps the positive half, sorts it if asked to, scans it and takes its greatest: CUB's calls wait for the number, ours
/// are a graph.
std::vector<pass> chains(std::int64_t n, bool sorts) {
  auto const in = uniform_floats(n);
  gpu_data<float> const kept(n), sums(n), most(1), their_kept(n), their_sums(n), their_most(1),
      their_sorted(sorts ? n : 1);
  gpu_data<std::int64_t> const count(1), their_count(1);
  std::size_t bytes = 0, more = 0;
  check_cuda(cub::DeviceSelect::If(nullptr, bytes, in.data(), their_kept.data(), their_count.data(), n, is_positive{}),
             "asking CUB for its size");
  for (auto const& ask : {0, 1, 2}) {
    more = 0;
    if (ask == 0) check_cuda(cub::DeviceScan::InclusiveSum(nullptr, more, in.data(), sums.data(), n), "the size");
    if (ask == 1) check_cuda(cub::DeviceReduce::Max(nullptr, more, in.data(), most.data(), n), "the size");
    if (ask == 2 && sorts)
      check_cuda(cub::DeviceRadixSort::SortKeys(nullptr, more, in.data(), sums.data(), n), "the size");
    bytes = more > bytes ? more : bytes;
  }
  gpu_data<char> const storage(static_cast<std::int64_t>(bytes));
  std::vector<pass> passes{
      {"CUB, count read back", pass_kind::peer, [=]() -> cudaError_t {
         std::size_t size = bytes;
         cudaError_t error = cub::DeviceSelect::If(storage.data(), size, in.data(), their_kept.data(),
                                                   their_count.data(), n, is_positive{});
         if (error != cudaSuccess) return error;
         std::int64_t some = 0;
         error = cudaMemcpy(&some, their_count.data(), sizeof(some), cudaMemcpyDeviceToHost);
         if (error != cudaSuccess) return error;
         float* const found = sorts ? their_sorted.data() : their_kept.data();
         if (sorts) error = cub::DeviceRadixSort::SortKeys(storage.data(), size, their_kept.data(), found, some);
         if (error != cudaSuccess) return error;
         error = cub::DeviceScan::InclusiveSum(storage.data(), size, found, their_sums.data(), some);
         if (error != cudaSuccess) return error;
         return cub::DeviceReduce::Max(storage.data(), size, found, their_most.data(), some);
       }}};
  auto const memory = std::make_shared<grid::workspace>();
  auto const ours = [=](cudaStream_t stream) -> cudaError_t {
    cudaError_t error = grid::select(in.data(), n, kept.data(), count.data(), is_positive{}, {stream, *memory});
    if (error != cudaSuccess) return error;
    auto const some = grid::count_on_device(count.data(), n);
    if (sorts) error = grid::sort(kept.data(), some, kept.data(), tessera::less{}, {stream, *memory});
    if (error != cudaSuccess) return error;
    error = grid::inclusive_scan(kept.data(), some, sums.data(), tessera::plus{}, {stream, *memory});
    if (error != cudaSuccess) return error;
    return grid::reduce(kept.data(), some, most.data(), tessera::maximum{}, {stream, *memory});
  };
  auto const same = [=]() -> std::string {
    if (count.get(1)[0] != their_count.get(1)[0]) return "keeps another number than CUB";
    if (most.get(1)[0] != their_most.get(1)[0]) return "has another greatest than CUB";
    auto const some = count.get(1)[0];
    return compare(sums.get(some), their_sums.get(some), 1e-2);
  };
  passes.push_back({"tessera", pass_kind::ours, [=] { return ours(nullptr); }, same});
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;  // lives as long as the program
  check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream");
  check_cuda(ours(stream), "the calls");
  check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capturing");
  check_cuda(ours(stream), "the calls");
  check_cuda(cudaStreamEndCapture(stream, &graph), "capturing");
  check_cuda(cudaGraphInstantiate(&executable, graph, 0), "a graph");
  check_cuda(cudaStreamSynchronize(stream), "the calls");
  passes.push_back({"tessera, a graph", pass_kind::ours,
                    [=] {
                      (void)memory;
                      return cudaGraphLaunch(executable, nullptr);
                    },
                    same});
  return passes;
}

}  // namespace

void add_iterators(std::vector<task>& tasks) {
  constexpr std::int64_t n = std::int64_t{1} << 28;
  tasks.push_back({"sum of squares by an iterator", "2^28", 4.0 * n, [] { return squares(n); }});
  tasks.push_back({"sum of zipped products", "2^27", 4.0 * n, [] { return products(n / 2); }});
  tasks.push_back({"sum by a permutation", "2^27", 4.0 * n, [] { return permuted(n / 2); }});
  tasks.push_back({"scan of squares by an iterator", "2^28", 8.0 * n, [] { return scanned_squares(n); }});
  for (int e : {16, 20, 24}) {
    std::int64_t const size = std::int64_t{1} << e;
    tasks.push_back({"select, scan, maximum", power_of_two(e), 14.0 * static_cast<double>(size),
                     [size] { return chains(size, false); }});
    tasks.push_back({"select, sort, scan, maximum", power_of_two(e), 32.0 * static_cast<double>(size),
                     [size] { return chains(size, true); }});
  }
}

}  // namespace bench
