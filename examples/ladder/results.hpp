// What all rungs share, whether they have a kernel or call functions for whole arrays: input that looks random, the comparison
// of results, and the line that a program prints.
#pragma once

#include <cstddef>
#include <cstdio>
#include <limits>
#include <vector>

namespace ladder {

/// Numbers that look random, the same in every run.
struct random_numbers {
  unsigned state = 1;
  unsigned below(unsigned n) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % n;
  }
};

/// The largest difference between two lists of numbers.
template <class A, class B>
double difference(A const& a, B const& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    double const x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
    double const apart = x < y ? y - x : x - y;
    if (apart > largest || apart != apart) largest = apart;  // once it is NaN, it stays NaN
  }
  return largest;
}

/// The worst of some differences: NaN if there is one.
template <std::size_t N>
double largest_of(double const (&differences)[N]) {
  std::vector<double> const none(N);
  return difference(std::vector<double>(differences, differences + N), none);
}

/// Prints a program's line, and returns its exit status: 1 where the difference is too large.
inline int print_line(char const* name, char const* input, char const* how, char const* where, double difference,
                      double allowed) {
  bool const ok = difference <= allowed;  // not so if it is NaN
  std::printf("%-17s  %-45s  %-22s  %-4s  %s: largest difference %.2g\n", name, input, how, where, ok ? "ok" : "WRONG",
              difference);
  return ok ? 0 : 1;
}

}  // namespace ladder
