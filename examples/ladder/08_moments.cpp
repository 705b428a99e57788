// Mean and variance of each row in one pass: welford.
//
// The sum of squares minus the square of the sum would lose every digit of these variances. The tile of 128
// lanes is four warps, and the call is the same. The bits of welford depend on the order, so a joint call
// takes the elements in order. `commutative` says that any order will do, which is faster. Change the
// function: as_moments(std::log(x)).
#include <tessera/joint.hpp>

#include <cmath>

#include "run.hpp"

struct row_moments {
  static constexpr unsigned lanes = 128;
  using moments = tessera::moments<float>;

  float const* in;
  unsigned columns;
  moments* out;

  template <class Block>
  TESSERA_FN void operator()(Block const& block) const {
    auto const tile = tessera::tiled_partition<lanes>(block);
    unsigned const row = block.group_index().x * tile.meta_group_size() + tile.meta_group_rank();
    auto const in_any_order = tessera::make_operator(tessera::welford{}, moments{}, tessera::commutative);
    moments const all = tessera::joint_transform_reduce(tile, in + row * columns, columns, in_any_order,
                                                        [](float x) { return tessera::as_moments(x); });
    if (tile.thread_rank() == 0) out[row] = all;
  }
};

int main() {
  constexpr unsigned rows = 16, columns = 1003, threads = 256;
  ladder::random_numbers random;
  ladder::array<float> in(rows * columns);
  ladder::array<row_moments::moments> out(rows);
  for (float& x : in) x = 10'000.0f + static_cast<float>(random.below(1000)) * 0.001f;
  ladder::run(rows * row_moments::lanes / threads, threads, row_moments{in.data(), columns, out.data()});

  std::vector<double> got, expected;
  for (unsigned r = 0; r < rows; ++r) {
    double mean = 0, squares = 0;
    for (unsigned i = r * columns; i < (r + 1) * columns; ++i) mean += in[i];
    mean /= columns;
    for (unsigned i = r * columns; i < (r + 1) * columns; ++i) squares += (in[i] - mean) * (in[i] - mean);
    expected.insert(expected.end(), {mean / 10'000, squares / columns});
    got.insert(got.end(), {out[r].mean / 10'000, out[r].variance()});
  }
  return ladder::report("moments", "16 rows of 1003 numbers from 10000 to 10001", "tile of 128",
                        ladder::difference(got, expected), 1e-4);
}
