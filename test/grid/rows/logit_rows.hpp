// Rows of logits on the host, at any address and with any gap.
#pragma once

#include <tessera/core/number.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace test {

/// Rows of logits somewhere in memory, in T.
template <class T>
struct logit_rows {
  std::vector<T> memory;
  T* first;
  std::int64_t stride;
  std::vector<std::vector<float>> rows;  // what T makes of the numbers

  logit_rows(std::vector<std::vector<float>> const& x, std::int64_t gap, unsigned offset) {
    stride = static_cast<std::int64_t>(x.empty() ? 0 : x[0].size()) + gap;
    memory.assign(static_cast<std::size_t>(stride) * x.size() + 40, tessera::detail::convert<T>(1000.0f));
    first = memory.data();
    while (reinterpret_cast<std::uintptr_t>(first) % 16 != 0) ++first;
    first += offset;
    for (std::size_t r = 0; r < x.size(); ++r) {
      rows.emplace_back();
      for (std::size_t c = 0; c < x[r].size(); ++c) {
        T const rounded = tessera::detail::convert<T>(x[r][c]);
        first[static_cast<std::int64_t>(r) * stride + static_cast<std::int64_t>(c)] = rounded;
        rows.back().push_back(tessera::detail::convert<float>(rounded));
      }
    }
  }
  unsigned count() const { return static_cast<unsigned>(rows.size()); }
  int columns() const { return static_cast<int>(rows[0].size()); }
  bool is_aligned() const {
    return reinterpret_cast<std::uintptr_t>(first) % 16 == 0 && stride * static_cast<std::int64_t>(sizeof(T)) % 16 == 0;
  }
};

}  // namespace test
