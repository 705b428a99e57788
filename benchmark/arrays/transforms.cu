#include "tasks.hpp"

#include <cub/device/device_for.cuh>
#if __has_include(<cub/device/device_transform.cuh>)
#include <cub/device/device_transform.cuh>
#include <cuda/std/tuple>
#endif
#include <tessera/grid/transform.cuh>

namespace bench {

namespace {

namespace grid = tessera::grid;

struct scaled {
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return x * T(2) + T(1);
  }
};
struct triad {
  __host__ __device__ float operator()(float a, float b) const { return a + 3 * b; }
};
struct scales {
  __host__ __device__ void operator()(float& x) const { x *= 0.5f; }
};
/// Counts elements above a limit that none has: a read of the array.
struct counts_above {
  float limit;
  unsigned* count;
  __host__ __device__ void operator()(float x) const {
    if (x > limit) ++*count;
  }
};

std::vector<pass> maps(std::int64_t n) {
  gpu_data<float> const in = uniform_floats(n), theirs(n), ours(n);
  std::vector<pass> passes;
#if __has_include(<cub/device/device_transform.cuh>)
  passes.push_back(
      {"CUB", pass_kind::peer, [=] { return cub::DeviceTransform::Transform(in.data(), theirs.data(), n, scaled{}); }});
#endif
  passes.push_back({"tessera", pass_kind::ours, [=] { return grid::transform(in.data(), n, ours.data(), scaled{}); },
                    [=] { return compare(ours.get(), theirs.get(), 0); }});
  for (pass& p : copy_ceilings(in, theirs, 4 * n)) passes.push_back(std::move(p));
  return passes;
}

std::vector<pass> triads(std::int64_t n) {
  gpu_data<float> const a = uniform_floats(n), b = uniform_floats(n), theirs(n), ours(n);
  std::vector<pass> passes;
#if __has_include(<cub/device/device_transform.cuh>)
  passes.push_back({"CUB", pass_kind::peer, [=] {
                      return cub::DeviceTransform::Transform(cuda::std::make_tuple(a.data(), b.data()), theirs.data(),
                                                             n, triad{});
                    }});
#endif
  passes.push_back({"tessera", pass_kind::ours,
                    [=] { return grid::transform(a.data(), b.data(), n, ours.data(), triad{}); },
                    [=] { return compare(ours.get(), theirs.get(), 0); }});
  return passes;
}

std::vector<pass> reads(std::int64_t n) {
  gpu_data<float> const in = uniform_floats(n);
  gpu_data<unsigned> const count(1);
  counts_above const f{2, count.data()};
  std::vector<pass> passes{{"CUB", pass_kind::peer, [=] { return cub::DeviceFor::ForEachCopyN(in.data(), n, f); }}};
  passes.push_back(
      {"tessera", pass_kind::ours, [=] { return grid::for_each(static_cast<float const*>(in.data()), n, f); }});
  for (pass& p : read_ceilings(in, n)) passes.push_back(std::move(p));
  return passes;
}

std::vector<pass> changes(std::int64_t n) {
  gpu_data<float> const theirs = uniform_floats(n), ours = uniform_floats(n);
  return {{"CUB", pass_kind::peer, [=] { return cub::DeviceFor::ForEachN(theirs.data(), n, scales{}); }},
          {"tessera", pass_kind::ours, [=] { return grid::for_each(ours.data(), n, scales{}); }}};
}

}  // namespace

void add_transforms(std::vector<task>& tasks) {
  for (int e : {16, 20, 24, 28}) {
    std::int64_t const n = std::int64_t{1} << e;
    auto const bytes = 4 * static_cast<double>(n);
    tasks.push_back({"transform of floats", power_of_two(e), 2 * bytes, [=] { return maps(n); }});
    tasks.push_back({"transform of two arrays", power_of_two(e), 3 * bytes, [=] { return triads(n); }});
  }
  std::int64_t const n = std::int64_t{1} << 28;
  tasks.push_back({"for_each of floats", "2^28", 4.0 * n, [=] { return reads(n); }});
  tasks.push_back({"for_each of floats", "2^28, changed", 8.0 * n, [=] { return changes(n); }});
}

}  // namespace bench
