// The softmax of each row: joint calls.
//
// In a joint call all lanes of the tile walk over a range in memory together: joint_reduce combines its
// elements, joint_transform_reduce what a function gives of each. softmax_row takes a tile of any size, and may
// be called from any kernel. Change the function: x * x gives a sum of squares. Rung 07 needs one pass.
#include <tessera/joint.hpp>

#include <cmath>

#include "run.hpp"

/// Called by all lanes of the tile, with the same arguments.
template <class Tile>
TESSERA_FN void softmax_row(Tile const& tile, float const* x, unsigned columns, float* out) {
  float const greatest = tessera::joint_reduce(tile, x, columns, tessera::maximum{});
  float const sum = tessera::joint_transform_reduce(tile, x, columns, tessera::plus{},
                                                    [=](float v) { return std::exp(v - greatest); });
  for (unsigned i = tile.thread_rank(); i < columns; i += tile.size()) out[i] = std::exp(x[i] - greatest) / sum;
}

struct softmax {
  static constexpr unsigned lanes = 32;
  float const* in;
  unsigned rows, columns;
  float* out;

  template <class Block>
  TESSERA_FN void operator()(Block const& block) const {
    auto const tile = tessera::tiled_partition<lanes>(block);
    unsigned const row = block.group_index().x * tile.meta_group_size() + tile.meta_group_rank();
    if (row < rows) softmax_row(tile, in + row * columns, columns, out + row * columns);
  }
};

int main() {
  constexpr unsigned rows = 200, columns = 129, threads = 128;
  ladder::random_numbers random;
  ladder::array<float> in(rows * columns), out(rows * columns);
  for (float& x : in) x = static_cast<float>(random.below(2000)) * 0.01f - 10.0f;
  ladder::run(ladder::parts(rows * softmax::lanes, threads), threads, softmax{in.data(), rows, columns, out.data()});

  std::vector<double> expected(rows * columns);
  for (unsigned r = 0; r < rows; ++r) {
    double sum = 0;
    for (unsigned i = r * columns; i < (r + 1) * columns; ++i) sum += std::exp(double(in[i]));
    for (unsigned i = r * columns; i < (r + 1) * columns; ++i) expected[i] = std::exp(double(in[i])) / sum;
  }
  return ladder::report("softmax", "200 rows of 129 columns", "tile of 32", ladder::difference(out, expected), 1e-6);
}
