// The cases of atomic_reduce, for one tile size.
#pragma once

#include <tessera/atomic.hpp>

#include <algorithm>

#include "backend.hpp"
#include "samples.hpp"

namespace test {

/// Every lane adds to its cell. The values are integers, so that the sum doesn't depend on the order.
struct reduce_into_cells {
  unsigned* cells;

  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned x) const {
    tessera::atomic_update(&cells[0], x);
    tessera::atomic_reduce(tile, &cells[1], x);
    tessera::atomic_reduce(tile, &cells[2], x, tessera::plus{}, tessera::first(3));
    tessera::atomic_reduce(tile, &cells[3], x, tessera::maximum{}, tessera::where(x % 2 == 1));
    tessera::atomic_reduce(tile, &cells[4], x, tessera::minimum{}, tessera::where(false));
    return 0;
  }
};

template <unsigned N>
void check_atomic_reduce() {
  random_engine random(N);
  std::vector<unsigned> x(2 * block_lanes_of(N));
  for (auto& one : x) one = static_cast<unsigned>(random() % 1000);
  backend::array<unsigned> cells(std::vector<unsigned>{1, 2, 3, 4, 5});
  backend::run<N, unsigned>(x, reduce_into_cells{cells.data()});
  std::vector<unsigned> expected{1, 2, 3, 4, 5};
  for (unsigned i = 0; i < x.size(); ++i) {
    expected[0] += x[i];
    expected[1] += x[i];
    if (i % N < 3) expected[2] += x[i];
    if (x[i] % 2 == 1) expected[3] = std::max(expected[3], x[i]);
  }
  EXPECT_EQ(cells.to_host(), expected) << "N " << N;
}

}  // namespace test
