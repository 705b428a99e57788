// A row of attention in one pass: an operator with a vector in it.
//
// log_sum_exp keeps the greatest score, the sum of exp, and the sum of the weighted vectors. It rescales the
// sums when a greater score comes, so that nothing overflows. as_exp_sum(score, value) is the operand of one
// key. Change the score: a bias for distance, or minus infinity to mask a key.
#include <tessera/joint.hpp>

#include <cmath>

#include "run.hpp"

struct attention {
  static constexpr unsigned width = 8;
  using vector = tessera::items<float, width>;

  vector const *queries, *keys, *values;
  unsigned rows, n;
  vector* out;

  template <class Block>
  TESSERA_FN void operator()(Block const& block) const {
    auto const tile = tessera::tiled_partition<32>(block);
    unsigned const row = block.group_index().x * tile.meta_group_size() + tile.meta_group_rank();
    if (row >= rows) return;
    vector const query = queries[row];
    auto const score_of = [&](vector const& key, unsigned k) {
      float score = 0;
      for (unsigned d = 0; d < width; ++d) score += query[d] * key[d];
      return tessera::as_exp_sum(score, values[k]);
    };
    auto const all = tessera::joint_transform_reduce(tile, keys, n, tessera::log_sum_exp{}, score_of);
    if (tile.thread_rank() == 0) out[row] = all.mean();
  }
};

int main() {
  using vector = attention::vector;
  constexpr unsigned width = attention::width, rows = 40, n = 77, threads = 128;
  ladder::random_numbers random;
  ladder::array<vector> queries(rows), keys(n), values(n), out(rows);
  for (auto* vectors : {&queries, &keys, &values}) {
    for (vector& v : *vectors) {
      for (float& x : v) x = static_cast<float>(random.below(400)) * 0.01f - 2.0f;
    }
  }
  ladder::run(ladder::parts(rows * 32, threads), threads,
              attention{queries.data(), keys.data(), values.data(), rows, n, out.data()});

  std::vector<double> got, expected;
  for (unsigned r = 0; r < rows; ++r) {
    double sum = 0, weighted[width]{};
    for (unsigned k = 0; k < n; ++k) {
      double score = 0;
      for (unsigned d = 0; d < width; ++d) score += double(queries[r][d]) * keys[k][d];
      sum += std::exp(score);
      for (unsigned d = 0; d < width; ++d) weighted[d] += std::exp(score) * values[k][d];
    }
    for (double w : weighted) expected.push_back(w / sum);
    got.insert(got.end(), out[r].begin(), out[r].end());
  }
  return ladder::report("attention", "40 queries, 77 keys of 8 numbers", "tile of 32",
                        ladder::difference(got, expected), 1e-5);
}
