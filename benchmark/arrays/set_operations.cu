#include "tasks.hpp"

#include <thrust/execution_policy.h>
#include <thrust/set_operations.h>
#include <tessera/grid/set_operations.cuh>

namespace bench {

namespace {

namespace grid = tessera::grid;

/// Memory for Thrust's calls, which is allocated once.
class kept_memory {
 public:
  using value_type = char;

  explicit kept_memory(std::int64_t bytes) : memory_(bytes) {}
  char* allocate(std::ptrdiff_t) const { return memory_.data(); }
  void deallocate(char*, std::size_t) const {}

 private:
  gpu_data<char> memory_;
};

/// Some bits of a number.
std::uint32_t hashed(std::uint32_t x) {
  x = (x ^ x >> 15) * 0x85ebca6bu;
  return x ^ x >> 13;
}

/// n ascending numbers, from 2i or 2i + 1 for each i: those of two seeds have half of them in common. Where `shared`
/// isn't 1, so many neighbors are equal.
gpu_data<int> ascending(std::int64_t n, std::uint32_t seed, int shared) {
  std::vector<int> x(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] =
        static_cast<int>((2 * i + (hashed(static_cast<std::uint32_t>(i) + seed) & 1)) / static_cast<unsigned>(shared));
  return gpu_data<int>(x);
}

/// A call of Thrust's and ours: theirs(memory, a, b, n, out) returns the end, ours(a, b, n, out, count, memory) an error.
template <class Theirs, class Ours>
std::vector<pass> beside_thrust(std::int64_t n, int shared, Theirs theirs, Ours ours) {
  gpu_data<int> const a = ascending(n, 1, shared), b = ascending(n, 77777, shared), out(2 * n), peer(2 * n);
  gpu_data<std::int64_t> const count(1);
  auto const kept = std::make_shared<kept_memory>(std::int64_t{64} << 20);
  auto const found = std::make_shared<std::int64_t>(0);
  auto const memory = std::make_shared<grid::workspace>();
  std::vector<pass> passes;
  passes.push_back({"CUB by Thrust", pass_kind::peer, [=] {
                      *found = theirs(*kept, a.data(), b.data(), n, peer.data()) - peer.data();
                      return cudaPeekAtLastError();
                    }});
  passes.push_back({"tessera", pass_kind::ours,
                    [=] { return ours(a.data(), b.data(), n, out.data(), count.data(), *memory); },
                    [=] {
                      std::int64_t const results = count.get()[0];
                      if (results != *found) return "finds " + std::to_string(results) + " results";
                      return compare(out.get(results), peer.get(results), 0);
                    }});
  for (pass& p : copy_ceilings(a, peer, 4 * n)) passes.push_back(std::move(p));
  return passes;
}

}  // namespace

void add_set_operations(std::vector<task>& tasks) {
  // The call's bytes for each element of a: it reads both arrays, and stores so many results.
  auto const add = [&](char const* what, double results, auto theirs, auto ours) {
    for (int exponent : {18, 22, 26}) {
      std::int64_t const n = std::int64_t{1} << exponent;
      tasks.push_back({what, power_of_two(exponent) + " and as many", (8 + 4 * results) * static_cast<double>(n),
                       [=] { return beside_thrust(n, 1, theirs, ours); }});
    }
    std::int64_t const n = std::int64_t{1} << 26;
    if (results > 1.4)
      tasks.push_back({what, "2^26 in runs of 16", 16.0 * static_cast<double>(n),
                       [=] { return beside_thrust(n, 32, theirs, ours); }});
  };
  add(
      "set_union of ints", 1.5,
      [](kept_memory& memory, int const* a, int const* b, std::int64_t n, int* out) {
        return thrust::set_union(thrust::cuda::par(memory), a, a + n, b, b + n, out);
      },
      [](int const* a, int const* b, std::int64_t n, int* out, std::int64_t* count, grid::workspace& memory) {
        return grid::set_union(a, n, b, n, out, count, tessera::less{}, memory);
      });
  add(
      "set_intersection of ints", 0.5,
      [](kept_memory& memory, int const* a, int const* b, std::int64_t n, int* out) {
        return thrust::set_intersection(thrust::cuda::par(memory), a, a + n, b, b + n, out);
      },
      [](int const* a, int const* b, std::int64_t n, int* out, std::int64_t* count, grid::workspace& memory) {
        return grid::set_intersection(a, n, b, n, out, count, tessera::less{}, memory);
      });
  add(
      "set_difference of ints", 0.5,
      [](kept_memory& memory, int const* a, int const* b, std::int64_t n, int* out) {
        return thrust::set_difference(thrust::cuda::par(memory), a, a + n, b, b + n, out);
      },
      [](int const* a, int const* b, std::int64_t n, int* out, std::int64_t* count, grid::workspace& memory) {
        return grid::set_difference(a, n, b, n, out, count, tessera::less{}, memory);
      });
  add(
      "set_symmetric_difference of ints", 1,
      [](kept_memory& memory, int const* a, int const* b, std::int64_t n, int* out) {
        return thrust::set_symmetric_difference(thrust::cuda::par(memory), a, a + n, b, b + n, out);
      },
      [](int const* a, int const* b, std::int64_t n, int* out, std::int64_t* count, grid::workspace& memory) {
        return grid::set_symmetric_difference(a, n, b, n, out, count, tessera::less{}, memory);
      });
}

}  // namespace bench
