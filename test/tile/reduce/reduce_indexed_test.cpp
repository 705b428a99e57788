// reduce by argmin and argmax on all kinds of numbers, with equal values and indices, and with payloads.
#include "reduce_cases.hpp"

namespace {

using namespace test;
using tessera::operator|;

struct ReduceIndexed : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

/// Few different values, so that there are ties, with the indices in any order. With NaNs, every fourth
/// value is one.
template <class T, class Index>
tessera::indexed<T, Index> tied(random_engine& random) {
  T const values[] = {static_cast<T>(-2), static_cast<T>(-0.0),          static_cast<T>(0),           static_cast<T>(3),
                      static_cast<T>(5),  tessera::detail::highest<T>(), tessera::detail::lowest<T>()};
  T value = values[random() % 7];
  if (std::is_floating_point_v<T> && random() % 4 == 0) value = std::numeric_limits<T>::quiet_NaN();
  return {value, static_cast<Index>(static_cast<Index>(random() % 100) * (tessera::detail::highest<Index>() / 128))};
}
/// Random values, among which the best is most likely unique.
template <class T, class Index>
tessera::indexed<T, Index> any(random_engine& random) {
  if constexpr (std::is_floating_point_v<T>) {
    return {sample_special<T>(random), sample<Index>(random)};
  } else {
    return {sample<T>(random), sample<Index>(random)};
  }
}

template <class T, class Index>
void check() {
  for (auto* sample_one : {tied<T, Index>, any<T, Index>}) {
    check_reduce(tessera::argmin{}, sample_one);
    check_reduce(tessera::argmax{}, sample_one);
  }
}
TEST_F(ReduceIndexed, Bytes) {
  check<unsigned char, signed char>();
}
TEST_F(ReduceIndexed, Integers) {
  check<int, int>();
}
TEST_F(ReduceIndexed, UnsignedIntegers) {
  check<unsigned, unsigned>();
}
TEST_F(ReduceIndexed, LongIntegers) {
  check<long long, unsigned long long>();
}
TEST_F(ReduceIndexed, Floats) {
  check<float, int>();
}
TEST_F(ReduceIndexed, Doubles) {
  check<double, long long>();
}

/// Equal values with one index and other bits: all lanes hold the lower lane's.
template <class T>
T zero_of_either_sign(random_engine& random) {
  return random() % 2 == 0 ? T(0) : T(-0.0);
}
tessera::indexed<float, int> one_index(random_engine& random) {
  return {zero_of_either_sign<float>(random), 7};
}
tessera::indexed<double, long long> one_long_index(random_engine& random) {
  return {zero_of_either_sign<double>(random), 7};
}
tessera::indexed<float, int> many_nans(random_engine& random) {
  return {tessera::detail::from_bits<float>(static_cast<std::uint32_t>(0x7fc00000u + random() % 4)), 7};
}
tessera::min_max<tessera::indexed<float, int>> both_of_one_index(random_engine& random) {
  return tessera::as_min_max(one_index(random));
}
using zipped_zero = tessera::zipped<tessera::zipped<float, int>, tessera::indexed<float, int>>;
zipped_zero both_zipped(random_engine& random) {
  return tessera::as_zipped(tessera::as_zipped(zero_of_either_sign<float>(random), 7), one_index(random));
}
TEST_F(ReduceIndexed, TiesOfOtherBits) {
  check_reduce(tessera::argmin{}, one_index);
  check_reduce(tessera::argmax{}, one_index);
  check_reduce(tessera::argmin{}, one_long_index);
  check_reduce(tessera::argmax{}, many_nans);
  check_reduce(tessera::minmax{}, both_of_one_index);
  check_reduce(tessera::zip(tessera::argmin{}, tessera::argmax{}), both_zipped);
}

/// redux at every size, in warps with tiles that have ties and tiles that have none.
TEST_F(ReduceIndexed, ByHardware) {
  for (auto* sample_one : {tied<float, int>, any<float, int>}) {
    check_reduce_policy<backend>(tessera::argmin{}, tessera::hardware, sample_one, true);
    check_reduce_policy<backend>(tessera::argmax{}, tessera::hardware | tessera::isolated, sample_one, true);
  }
}

/// Of equal values, the payload of the lowest lane wins.
using labeled = tessera::zipped<float, int, unsigned>;
labeled tied_labeled(random_engine& random) {
  return tessera::as_zipped(static_cast<float>(random() % 3), static_cast<int>(random() % 3),
                            static_cast<unsigned>(random()));
}
TEST_F(ReduceIndexed, Labeled) {
  check_reduce(tessera::argmin{}, tied_labeled);
  check_reduce(tessera::argmax{}, tied_labeled);
}

}  // namespace
