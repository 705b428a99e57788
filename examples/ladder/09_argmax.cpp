// The first of the greatest elements of each row: argmax, 8 rows at once.
//
// Each lane has a candidate for each of the tile's 8 rows, and reduce_batch combines them in fewer exchanges
// than 8 calls. `scattered` leaves the result of row i in lane i, which stores it. `converged` promises that
// the whole warp makes the call, as it does here, since no lane has left. Change argmax to argmin.
#include <tessera/reduce_batch.hpp>

#include "run.hpp"

struct row_argmax {
  static constexpr unsigned lanes = 8;
  using candidate = tessera::indexed<float>;

  float const* in;
  unsigned columns;
  int* out;

  template <class Block>
  TESSERA_FN void operator()(Block const& block) const {
    auto const tile = tessera::tiled_partition<lanes>(block);
    unsigned const which = block.group_index().x * tile.meta_group_size() + tile.meta_group_rank();
    unsigned const first_row = which * lanes, rank = tile.thread_rank();
    tessera::argmax const best_of;
    tessera::items<candidate, lanes> best;
    for (unsigned r = 0; r < lanes; ++r) {
      float const* const row = in + (first_row + r) * columns;
      best[r] = {row[rank], static_cast<int>(rank)};
      for (unsigned i = rank + lanes; i < columns; i += lanes)
        best[r] = best_of(best[r], tessera::with_index(row[i], static_cast<int>(i)));
    }
    auto const policy = tessera::scattered | tessera::converged;
    out[first_row + rank] = tessera::reduce_batch(tile, best, best_of, policy).index;
  }
};

int main() {
  constexpr unsigned rows = 512, columns = 50, threads = 128;
  ladder::random_numbers random;
  ladder::array<float> in(rows * columns);
  ladder::array<int> out(rows);
  for (float& x : in) x = static_cast<float>(random.below(10));
  ladder::run(rows / threads, threads, row_argmax{in.data(), columns, out.data()});

  std::vector<int> expected(rows);
  for (unsigned r = 0; r < rows; ++r) {
    float const* const row = in.data() + r * columns;
    for (unsigned i = 1; i < columns; ++i) {
      if (row[i] > row[expected[r]]) expected[r] = static_cast<int>(i);
    }
  }
  return ladder::report("argmax", "512 rows of 50 digits, many of them equal", "tile of 8, 8 rows each",
                        ladder::difference(out, expected));
}
