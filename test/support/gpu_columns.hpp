// Rows whose columns are on several ranks on GPUs (gpu_ranks.hpp), cut in several ways.
#pragma once

#include <tessera/grid/shard.hpp>
#include <tessera/grid/sharded.hpp>

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "gpu_ranks.hpp"
#include "row_cases.hpp"

namespace test {

/// Compares what the ranks of a run have.
class results_of_ranks {
 public:
  /// Waits for all ranks: memory of a GPU is allocated before any of its ranks waits in a kernel.
  void operator()() const { gpu_ranks::meet(); }
  /// All ranks' values have the same bits.
  template <class R>
  void expect_same(std::string const& name, std::vector<R> const& values) {
    std::lock_guard<std::mutex> const lock(mutex_);
    auto const* const bytes = reinterpret_cast<unsigned char const*>(values.data());
    std::vector<unsigned char> const own(bytes, bytes + values.size() * sizeof(R));
    EXPECT_TRUE(bits_.emplace(name, own).first->second == own) << name << " has other bits on another rank";
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::vector<unsigned char>> bits_;
};

/// The columns of a part of rows that follow each other.
template <class T>
std::vector<T> columns_of(std::vector<T> const& x, std::int64_t rows, tessera::grid::shard const& part) {
  std::vector<T> own;
  for (std::int64_t r = 0; r < rows; ++r) {
    auto const begin = x.begin() + r * part.total + part.begin;
    own.insert(own.end(), begin, begin + part.count);
  }
  return own;
}

/// Calls f(ranks, part, in, meet, stream) with each rank's columns of x on its GPU, for several numbers of ranks and
/// cuts. It calls meet() when it has allocated all that it needs.
template <class T, class F>
void with_columns(std::vector<T> const& x, std::int64_t rows, std::int64_t columns, F const& f) {
  for (int count : {1, 2, 3, 4, 8}) {
    if (count > gpu_ranks::most()) continue;
    for (bool even : {true, false}) {
      results_of_ranks meet;
      gpu_ranks::run(count, [&](tessera::grid::communicator& ranks, cudaStream_t on) {
        tessera::grid::shard const part = test::cut_of(ranks, columns, even);
        device_matrix<T> const in({rows, part.count, even ? 0 : 1, even ? 0 : 1}, columns_of(x, rows, part));
        f(ranks, part, in, meet, on);
        meet();  // No memory is freed while a rank waits.
      });
    }
  }
}

struct row_size {
  std::int64_t rows, columns;
};
inline std::vector<row_size> sizes_of_rows() {
  std::vector<row_size> some;
  for (row_size const& size : {row_size{3, 0}, row_size{5, 1}, row_size{300, 40}, row_size{9, 1000}, row_size{70, 4099},
                               row_size{5, 32000}, row_size{3, 262144}})
    if (is_worth(size.rows * size.columns * 2)) some.push_back(size);
  return some;
}

}  // namespace test
