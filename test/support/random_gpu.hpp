// Random cases on the GPU: memory at any alignment with guards, streams, workspaces, and what earlier calls left.
#pragma once

#include <tessera/grid/execution.hpp>
#include <tessera/grid/matrix.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "device_array.hpp"
#include "gpu.hpp"
#include "numbers.hpp"
#include "random_cases.hpp"
#include "row_cases.hpp"
#include "row_references.hpp"
#include "stream.hpp"

namespace test {

template <class T>
constexpr float_limits limits_of() {
  if constexpr (std::is_same_v<T, __half>) {
    return {65504, 0x1p-14, 0x1p-24};
  } else if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    return {0x1.fep127, 0x1p-126, 0x1p-133};
  } else {
    constexpr auto in = arithmetic_of<T>();
    return {in.most, in.least_normal, in.least};
  }
}
/// What T is computed in.
template <class T>
using computed_in = std::conditional_t<std::is_same_v<T, double>, double, float>;

/// Elements of one kind, and that in words.
template <class T>
std::vector<T> drawn(case_draw& from, std::int64_t n, std::string& text) {
  std::vector<T> x(static_cast<std::size_t>(n));
  if constexpr (is_any_float<T>) {
    drawn_values values(from, limits_of<T>());
    text += ", " + values.text();
    for (T& value : x) value = rounded<T>(values.next());
  } else {
    bool const small = from.chance(50);
    text += small ? ", small numbers" : ", any numbers";
    for (T& value : x) value = small ? static_cast<T>(from.number(0, 5)) : static_cast<T>(from.bits());
  }
  return x;
}
template <class T>
std::vector<double> as_doubles(T const* x, std::int64_t n) {
  std::vector<double> out(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = as_double(x[i]);
  return out;
}

/// A random layout of a matrix of so many rows and columns.
inline layout drawn_layout(case_draw& from, std::int64_t rows, std::int64_t columns) {
  std::int64_t const gap = from.one_of<std::int64_t>({0, 0, 8, from.number(0, 40)});
  return {rows, columns, gap, from.chance(50) ? 0 : from.number(0, 9)};
}
/// Of up to so many elements in all.
inline layout drawn_layout(case_draw& from, std::int64_t most) {
  std::int64_t const columns = from.size(most),
                     rows = from.size(columns > 0 ? std::max<std::int64_t>(most / columns, 1) : 100);
  return drawn_layout(from, rows, columns);
}

/// What a call does with an error of an earlier call that is pending: it returns that if it runs CUB's kernels.
enum class pending_error { ignored, returned, either };

/// Has a stream and a workspace, which all cases share: each must leave it as the next one needs it.
struct GridRandom : testing::Test {
  std::optional<stream> own_stream;  // before the workspace, which frees in its order
  tessera::grid::workspace memory;

  void SetUp() override {
    SKIP_WITHOUT_GPU();
    own_stream.emplace();
  }

  /// call(i, execution) at once and again: without a workspace, then in the stream with one. Neither it nor its kernels
  /// fail, and it leaves CUDA's last error as it is.
  template <class Call>
  void run_twice(Call call, pending_error is = pending_error::ignored) {
    ASSERT_EQ(call(0, nullptr), cudaSuccess);
    check(cudaDeviceSynchronize());
    cudaError_t const left = leave_earlier_error();
    cudaError_t const status = call(1, {*own_stream, memory});
    ASSERT_EQ(cudaGetLastError(), left);
    bool const returns_it = is == pending_error::returned || (is == pending_error::either && status != cudaSuccess);
    ASSERT_EQ(status, returns_it ? left : cudaSuccess) << "with an error of an earlier call's";
    if (returns_it) {
      ASSERT_EQ(call(1, {*own_stream, memory}), cudaSuccess);
    }
    check(cudaDeviceSynchronize());
  }

  /// What call(out, execution) writes, n results: the same bits both times, and nothing beside them.
  template <class Out, class Call>
  std::vector<Out> results(std::int64_t n, Call call, pending_error is = pending_error::ignored) {
    device_array<Out> const out[2] = {device_array<Out>(static_cast<std::size_t>(n), 1),
                                      device_array<Out>(static_cast<std::size_t>(n), 1)};
    run_twice([&](int i, tessera::grid::execution on) { return call(out[i].data(), on); }, is);
    auto const first = out[0].to_host(), second = out[1].to_host();
    EXPECT_TRUE(all_same_bits(first, second)) << "not the same bits twice";
    EXPECT_TRUE(out[0].guards_intact() && out[1].guards_intact()) << "something was written beside the results";
    return first;
  }
};

}  // namespace test
