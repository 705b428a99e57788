// Each row standardized: less its mean, divided by its standard deviation. A row operation of one's own.
//
// The second reduction takes the first one's result, so that squares are summed about the mean. map_rows picks the
// threads for rows of any length, and reads each element once while a row fits in registers. Change `result`, or the
// operators: maximum and minimum for other scales, make_operator for one of your own.
#include <tessera/grid/map_rows.cuh>

#include <cmath>
#include <cstdint>

#include "gpu.hpp"

struct standardize {
  float columns;

  TESSERA_FN tessera::plus first_operator() const { return {}; }
  TESSERA_FN float first(float x, int) const { return x; }
  TESSERA_FN tessera::plus second_operator() const { return {}; }
  TESSERA_FN float second(float x, int, float sum) const { return (x - sum / columns) * (x - sum / columns); }
  TESSERA_FN float result(float x, int, float sum, float squares) const {
    return (x - sum / columns) / sqrtf(squares / columns);
  }
};

int main() {
  if (!ladder::choose_gpu()) return ladder::needs_gpu;
  constexpr std::int64_t rows = 300, columns = 1001, n = rows * columns;
  ladder::random_numbers random;
  std::vector<float> in(n), expected(n);
  for (float& x : in) x = static_cast<float>(random.below(1000));
  for (std::size_t row = 0; row < n; row += columns) {
    double sum = 0, squares = 0;
    for (std::size_t c = 0; c < columns; ++c) sum += in[row + c];
    for (std::size_t c = 0; c < columns; ++c) squares += std::pow(in[row + c] - sum / columns, 2);
    for (std::size_t c = 0; c < columns; ++c)
      expected[row + c] = static_cast<float>((in[row + c] - sum / columns) / std::sqrt(squares / columns));
  }

  ladder::gpu_array<float> const x(in);
  tessera::grid::matrix const all{x.data(), rows, columns};
  ladder::check(tessera::grid::map_rows(all, all, standardize{static_cast<float>(columns)}));  // in place
  return ladder::report("standardize", "300 rows of 1001 columns", "rows of a matrix",
                        ladder::difference(x.first(n), expected), 1e-5);
}
