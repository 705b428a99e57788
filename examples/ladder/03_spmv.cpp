// A sparse matrix in CSR times a vector, with 4 to 32 lanes a row.
//
// The four kernels differ in the number of lanes and in nothing else. Try the mean length of a row first.
// Only one lane stores the sum, so `to_leader` asks for it in rank 0 alone. Change the operator: from
// infinity on, with sums for products and tessera::minimum{}, this is a step of a shortest-path search.
#include <tessera/reduce.hpp>

#include "run.hpp"

struct csr {  // row r has elements begins[r] … begins[r + 1] - 1
  unsigned const* begins;
  unsigned const* columns;
  float const* values;
};

template <unsigned Lanes>
struct spmv {
  csr a;
  float const* x;
  float* y;

  template <class Block>
  TESSERA_FN void operator()(Block const& block) const {
    auto const tile = tessera::tiled_partition<Lanes>(block);
    unsigned const row = block.group_index().x * tile.meta_group_size() + tile.meta_group_rank();
    float sum = 0;
    for (unsigned i = a.begins[row] + tile.thread_rank(); i < a.begins[row + 1]; i += tile.size())
      sum += a.values[i] * x[a.columns[i]];
    sum = tessera::reduce(tile, sum, tessera::plus{}, tessera::to_leader);
    if (tile.thread_rank() == 0) y[row] = sum;
  }
};

template <unsigned Lanes>
double try_lanes(csr a, ladder::array<float> const& x, std::vector<float> const& expected) {
  constexpr unsigned threads = 128;
  ladder::array<float> y(x.size());
  ladder::run(static_cast<unsigned>(x.size()) * Lanes / threads, threads, spmv<Lanes>{a, x.data(), y.data()});
  return ladder::difference(y, expected);
}

int main() {
  constexpr unsigned rows = 512;
  ladder::random_numbers random;
  ladder::array<unsigned> begins{0}, columns;
  ladder::array<float> values, x(rows);
  std::vector<float> expected(rows);
  for (float& e : x) e = static_cast<float>(random.below(10));
  for (unsigned r = 0; r < rows; ++r) {
    for (unsigned left = random.below(40); left > 0; --left) {
      columns.push_back(random.below(rows));
      values.push_back(static_cast<float>(random.below(10)));
      expected[r] += values.back() * x[columns.back()];
    }
    begins.push_back(static_cast<unsigned>(columns.size()));
  }
  csr const a{begins.data(), columns.data(), values.data()};
  double const differences[]{try_lanes<4>(a, x, expected), try_lanes<8>(a, x, expected), try_lanes<16>(a, x, expected),
                             try_lanes<32>(a, x, expected)};
  return ladder::report("spmv", "512 rows of 0 to 39 elements", "tiles of 4 to 32", ladder::largest_of(differences));
}
