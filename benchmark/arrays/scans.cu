#include "tasks.hpp"

#include <cmath>
#include <cstring>
#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>
#include <tessera/grid/scan.cuh>

namespace bench {

namespace {

namespace grid = tessera::grid;

/// A linear map of integers that wrap, x → scale · x + offset. Maps don't commute.
struct linear_map {
  std::uint64_t scale, offset;
};
struct compose {
  TESSERA_FN linear_map operator()(linear_map const& f, linear_map const& g) const {
    return {f.scale * g.scale, f.offset * g.scale + g.offset};
  }
};

/// Runs of the library's scan, each of which must have the bits of the first.
template <class T, class Call>
pass same_bits_pass(char const* name, std::int64_t n, gpu_data<T> const& out, Call call,
                    std::function<std::string(std::vector<T> const&)> const& mismatch) {
  auto const first = std::make_shared<std::vector<T>>();
  return {name, pass_kind::ours, call, [=]() -> std::string {
            auto got = out.get(n);
            std::string wrong = mismatch(got);
            if (wrong.empty() && !first->empty() && std::memcmp(got.data(), first->data(), got.size() * sizeof(T)) != 0)
              wrong = "has other bits than before";
            if (first->empty()) *first = std::move(got);
            return wrong;
          }};
}

/// Inclusive scans of `in` by Op, which CUB knows as CubOp, and copies of as many bytes.
template <class T, class Op, class CubOp>
std::vector<pass> scans(std::int64_t n, gpu_data<T> const& in, Op op, CubOp cub_op,
                        std::function<std::string(std::vector<T> const&, std::vector<T> const&)> const& differ) {
  gpu_data<T> const theirs(n), ours(n);
  auto const memory = std::make_shared<grid::workspace>();
  std::vector<pass> passes{cub_pass("CUB", [=](void* storage, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveScan(storage, bytes, in.data(), theirs.data(), cub_op, n);
  })};
  auto const mismatch = [=](std::vector<T> const& got) { return differ(got, theirs.get(n)); };
  passes.push_back(same_bits_pass<T>(
      "tessera", n, ours, [=] { return grid::inclusive_scan(in.data(), n, ours.data(), op, *memory); }, mismatch));
  passes.push_back(same_bits_pass<T>(
      "tessera, no workspace", n, ours, [=] { return grid::inclusive_scan(in.data(), n, ours.data(), op); }, mismatch));
  for (pass& p : copy_ceilings(in, ours, n * static_cast<std::int64_t>(sizeof(T)))) passes.push_back(std::move(p));
  return passes;
}

template <class T>
std::string differ_at_all(std::vector<T> const& ours, std::vector<T> const& theirs) {
  return std::memcmp(ours.data(), theirs.data(), ours.size() * sizeof(T)) == 0 ? "" : "differs from CUB's";
}

std::vector<pass> float_sums(std::int64_t n) {
  // Sums of random terms grow as the root of n, and those of two orders differ by roundings of them. CUB adds its tiles one after the
  // other: its errors grow as the root of their number, n / 2^13, besides.
  auto const near = [n](std::vector<float> const& ours, std::vector<float> const& theirs) -> std::string {
    double const size = static_cast<double>(n);
    double const bound = 1e-6 * std::sqrt(size) + 0x1p-24 * size / std::sqrt(0x1p13) + 1e-5;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      double const apart = static_cast<double>(ours[i]) - static_cast<double>(theirs[i]);
      if (!(apart <= bound && apart >= -bound))
        return "is " + std::to_string(apart) + " from CUB's sum at " + std::to_string(i);
    }
    return {};
  };
  return scans<float>(n, uniform_floats(n), tessera::plus{}, cuda::std::plus<>{}, near);
}

std::vector<pass> long_sums(std::int64_t n) {
  auto const small = weighted_ints(n, std::vector<double>(100, 1)).get(n);
  gpu_data<std::int64_t> const in(std::vector<std::int64_t>(small.begin(), small.end()));
  return scans<std::int64_t>(n, in, tessera::plus{}, cuda::std::plus<>{}, differ_at_all<std::int64_t>);
}

std::vector<pass> maps(std::int64_t n) {
  auto const small = weighted_ints(n, std::vector<double>(100, 1)).get(n);
  std::vector<linear_map> terms;
  for (int value : small)
    terms.push_back({static_cast<std::uint64_t>(2 * value + 1), static_cast<std::uint64_t>(value)});
  return scans<linear_map>(n, gpu_data<linear_map>(terms), compose{}, compose{}, differ_at_all<linear_map>);
}

}  // namespace

void add_scans(std::vector<task>& tasks) {
  for (int e = 12; e <= 28; e += 2) {
    std::int64_t const n = std::int64_t{1} << e;
    tasks.push_back({"float scan", power_of_two(e), 8.0 * static_cast<double>(n), [n] { return float_sums(n); }});
  }
  constexpr std::int64_t n = std::int64_t{1} << 26;
  tasks.push_back({"int64 scan", "2^26", 16.0 * n, [] { return long_sums(n); }});
  tasks.push_back({"16-byte scan", "2^26", 32.0 * n, [] { return maps(n); }});
}

}  // namespace bench
