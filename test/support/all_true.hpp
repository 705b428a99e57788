// Kernels that find out in each lane whether everything is right there.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "backend.hpp"

namespace test {

/// Runs kernel(tile, 0u) on tiles of N lanes, so many lanes in all. It gives 1 in each.
template <unsigned N, class Kernel>
void check_all_true(Kernel kernel, std::size_t lanes = 1024) {
  std::vector<unsigned> const nothing(lanes);
  for (unsigned right : backend::run<N, unsigned>(nothing, kernel)) ASSERT_EQ(right, 1u) << "N " << N;
}
/// The same, of the lanes of one block.
template <unsigned N, class Kernel>
void check_all_true_in_block(Kernel kernel) {
  check_all_true<N>(kernel, block_lanes_of(N));
}
/// The same as the first on tiles of each of these sizes.
template <unsigned... N, class Kernel>
void check_all_true_on(Kernel kernel) {
  for_each_size(sizes<N...>{}, [&](auto n) { check_all_true<decltype(n)::value>(kernel); });
}

}  // namespace test
