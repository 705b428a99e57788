// Random cases: seeds, how long they go on, and what is drawn. Nothing here needs CUDA.
//
//   TESSERA_TEST_SECONDS=600   how long all programs of random cases take together (20)
//   TESSERA_TEST_SEED=7        only the case of this seed: a failing one prints it
//
// Every second seed is the same in each run, 1, 2, 3, …; the others are fresh ones.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace test {

/// What a case is made of. It is all drawn from one seed.
class case_draw {
 public:
  explicit case_draw(std::uint64_t seed) : random_(seed * 0x9e3779b97f4a7c15u + 1) {}

  std::uint64_t bits() { return random_(); }
  /// From low to high, both included.
  std::int64_t number(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(int of_hundred) { return number(0, 99) < of_hundred; }
  double real(double low, double high) { return low + (high - low) * static_cast<double>(random_() >> 11) * 0x1p-53; }
  template <class X>
  X one_of(std::initializer_list<X> some) {
    return some.begin()[number(0, static_cast<std::int64_t>(some.size()) - 1)];
  }
  /// Of all magnitudes up to `most` alike, and often next to a power of two.
  std::int64_t size(std::int64_t most) {
    if (chance(3)) return 0;
    auto const size = static_cast<std::int64_t>(std::exp2(real(0, std::log2(static_cast<double>(most) + 1))));
    if (chance(40)) {
      auto const power = static_cast<std::int64_t>(std::exp2(std::round(std::log2(static_cast<double>(size)))));
      return std::clamp<std::int64_t>(power + number(-1, 1), 0, most);
    }
    return std::min(size, most);
  }

 private:
  std::mt19937_64 random_;
};

/// What floats of some type can hold.
struct float_limits {
  double most, least_normal, least;
};

/// Values of one kind, each as a double that is rounded to the type they are of.
class drawn_values {
 public:
  drawn_values(case_draw& from, float_limits limits) : from_(&from), limits_(limits) {
    kind_ = from.one_of({0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
    center_ = from.one_of({0.0, 0.0, 1.0, -100.0});
  }
  std::string text() const {
    static char const* const names[] = {"uniform",      "of all magnitudes", "denormals", "-0 only",
                                        "zeros",        "some infinities",   "some NaNs", "-inf only",
                                        "all the same", "few different ones"};
    return std::string(names[kind_]) + (center_ != 0 ? " about " + std::to_string(center_) : "");
  }
  bool are_plain() const { return kind_ == 0 || kind_ == 9; }
  double next() {
    constexpr double inf = std::numeric_limits<double>::infinity();
    double const plain = from_->real(-4, 4) + center_;
    switch (kind_) {
      case 1: {  // so that no sum of them overflows
        double const exponent = from_->real(std::log2(limits_.least_normal) + 1, std::log2(limits_.most) - 41);
        return std::exp2(exponent) * (from_->chance(50) ? 1 : -1);
      }
      case 2:
        return limits_.least * static_cast<double>(from_->number(-50, 50));
      case 3:
        return -0.0;
      case 4:
        return from_->chance(50) ? 0.0 : -0.0;
      case 5:
        return from_->chance(1) ? (from_->chance(80) ? inf : -inf) : plain;
      case 6:
        return from_->chance(1) ? std::nan("") : plain;
      case 7:
        return from_->chance(99) || from_->chance(90) ? -inf : plain;
      case 8:
        return center_ + 0.1;
      case 9:
        return static_cast<double>(from_->number(-3, 3));
      default:
        return plain;
    }
  }

 private:
  case_draw* from_;
  float_limits limits_;
  int kind_;
  double center_;
};

/// Calls run(seed) of one case after the other for `share` of the time that there is, until one fails.
template <class Run>
void each_random_case(double share, Run run) {
  auto const run_one = [&](std::uint64_t seed) {
    SCOPED_TRACE("again by TESSERA_TEST_SEED=" + std::to_string(seed) +
                 " --gtest_filter=" + testing::UnitTest::GetInstance()->current_test_info()->test_suite_name() + "." +
                 testing::UnitTest::GetInstance()->current_test_info()->name());
    run(seed);
  };
  if (char const* const given = std::getenv("TESSERA_TEST_SEED")) return run_one(std::strtoull(given, nullptr, 10));
  char const* const given = std::getenv("TESSERA_TEST_SECONDS");
  std::chrono::duration<double> const time{share * (given ? std::atof(given) : 20.0)};
  auto const end = std::chrono::steady_clock::now() + time;
  std::uint64_t const fresh = std::uint64_t{std::random_device{}()} << 20;
  std::uint64_t cases = 0;
  while (!testing::Test::HasFailure() && (cases < 4 || std::chrono::steady_clock::now() < end)) {
    run_one(cases % 2 == 0 ? cases / 2 + 1 : fresh + cases / 2);
    ++cases;
  }
  std::printf("%llu cases, seeds from 1 and from %llu on\n", static_cast<unsigned long long>(cases),
              static_cast<unsigned long long>(fresh));
}

}  // namespace test
