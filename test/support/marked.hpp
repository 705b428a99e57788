// Numbers with a mark, which every element and every result has: an operator that meets another value was called with what isn't there.
#pragma once

#include <atomic>

namespace test {

template <unsigned Words>
struct marked {
  int number;
  unsigned mark[Words];

  static marked of(int number) {
    marked out{};
    out.number = number;
    for (unsigned& word : out.mark) word = 0x600d600d;
    return out;
  }
  bool is_marked() const {
    for (unsigned word : mark) {
      if (word != 0x600d600d) return false;
    }
    return true;
  }
};

/// Their sum, which counts operands without a mark.
struct sum_of_marked {
  static inline std::atomic<int> strangers{0};

  template <unsigned Words>
  marked<Words> operator()(marked<Words> const& a, marked<Words> const& b) const {
    if (!a.is_marked() || !b.is_marked()) ++strangers;
    return marked<Words>::of(a.number + b.number);
  }
};

}  // namespace test
