// The longest run of heads in each row of tosses: a row reduction of one's own, by an operator that doesn't commute.
//
// A part of a row is what joins it to its neighbors: the heads that it begins with, those that it ends with, the longest
// run in it, and its length. transform_reduce_rows makes one of each element and joins them in the row's order.
#include <tessera/grid/rows.cuh>

#include <algorithm>
#include <cstdint>

#include "gpu.hpp"

struct tosses {
  int count, leading, trailing, longest;
};
struct join_tosses {
  TESSERA_FN tosses operator()(tosses const& a, tosses const& b) const {
    int const across = a.trailing + b.leading, longest = a.longest > b.longest ? a.longest : b.longest;
    return {a.count + b.count, a.leading == a.count ? a.count + b.leading : a.leading,
            b.trailing == b.count ? a.trailing + b.count : b.trailing, across > longest ? across : longest};
  }
};
struct one_toss {
  TESSERA_FN tosses operator()(int is_head) const { return {1, is_head, is_head, is_head}; }
};

int main() {
  if (!ladder::choose_gpu()) return ladder::needs_gpu;
  constexpr std::int64_t rows = 500, columns = 3001, n = rows * columns;
  ladder::random_numbers random;
  std::vector<int> in(n), expected(rows), longest(rows);
  for (int& is_head : in) is_head = random.below(8) > 0;
  for (std::size_t row = 0; row < rows; ++row) {
    int run = 0;
    for (std::size_t c = 0; c < columns; ++c) {
      run = in[row * columns + c] != 0 ? run + 1 : 0;
      expected[row] = std::max(expected[row], run);
    }
  }

  ladder::gpu_array<int> const heads(in);
  ladder::gpu_array<tosses> const wholes(rows);
  auto const in_order = tessera::make_operator(join_tosses{}, tosses{});  // the identity: no toss
  ladder::check(tessera::grid::transform_reduce_rows(tessera::grid::matrix{heads.data(), rows, columns}, wholes.data(),
                                                     in_order, one_toss{}));
  std::vector<tosses> const found = wholes.first(rows);
  std::transform(found.begin(), found.end(), longest.begin(), [](tosses const& whole) { return whole.longest; });
  return ladder::report("longest_runs", "500 rows of 3001 tosses", "rows of a matrix",
                        ladder::difference(longest, expected));
}
