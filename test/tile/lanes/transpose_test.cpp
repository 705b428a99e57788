// striped_to_blocked, blocked_to_striped and transpose for types of 1 to 12 bytes. Host tiles have many K,
// and the GPU fewer, because its compiler is slow.
#include "transpose_cases.hpp"

namespace {

using namespace test;

template <class T, unsigned K, class Policy = tessera::policy<>>
void check_items(Policy policy = {}) {
  for_each_size(small_sizes{}, [&](auto n) { check_size<T, K, decltype(n)::value>(policy); });
}

template <class T, unsigned... K>
void check_all() {
  SKIP_WITHOUT_BACKEND();
  (check_items<T, K>(), ...);
}

#if TESSERA_CUDA

TEST(Transpose, Words) {
  check_all<unsigned, 1, 3, 6, 8, 24>();
}
TEST(Transpose, WordsOfAWarp) {
  SKIP_WITHOUT_BACKEND();
  check_size<unsigned, 5, 32>(tessera::isolated);
  check_size<unsigned, 32, 32>(tessera::converged);
  check_size<unsigned, 33, 32>(tessera::adaptive);
  check_size<unsigned, 48, 32>(tessera::adaptive);
}
TEST(Transpose, Bytes) {
  check_all<unsigned char, 2, 6, 16>();
}
TEST(Transpose, BytesOfAWarp) {
  SKIP_WITHOUT_BACKEND();
  check_size<unsigned char, 5, 32>(tessera::adaptive);
  check_size<unsigned char, 32, 32>(tessera::adaptive);
  check_size<unsigned char, 64, 8>(tessera::converged);
}
TEST(Transpose, Shorts) {
  check_all<short, 2, 8>();
}
TEST(Transpose, Structs) {
  check_all<row<3>, 5>();
  check_all<row<12>, 4>();
}

#else

TEST(Transpose, Words) {
  check_all<unsigned, 1, 2, 3, 4, 5, 6, 7, 8, 12, 15, 16, 20>();
}
TEST(Transpose, ManyWords) {
  check_all<unsigned, 24, 28, 31, 32, 33, 40, 48, 96>();
}
TEST(Transpose, Bytes) {
  check_all<unsigned char, 1, 2, 3, 4, 5, 6, 8, 12, 16, 20, 32, 64>();
}
TEST(Transpose, Shorts) {
  check_all<short, 1, 2, 4, 6, 7, 8, 12, 32, 66>();
}
TEST(Transpose, Bools) {
  check_all<bool, 8>();
}
TEST(Transpose, Doubles) {
  check_all<double, 1, 5, 16>();
}
TEST(Transpose, StructsOfThreeBytes) {
  check_all<row<3>, 4, 9, 48>();
}
TEST(Transpose, StructsOf12Bytes) {
  check_all<row<12>, 2, 5>();
}
TEST(Transpose, WordsConverged) {
  SKIP_WITHOUT_BACKEND();
  check_items<unsigned, 12>(tessera::converged);
}
TEST(Transpose, LargerTiles) {
  SKIP_WITHOUT_BACKEND();
  check_size<unsigned, 5, 64>(tessera::adaptive);
  check_size<unsigned, 12, 128>(tessera::adaptive);
  check_size<unsigned char, 16, 128>(tessera::adaptive);
}
TEST(Transpose, BytesIsolated) {
  SKIP_WITHOUT_BACKEND();
  check_items<unsigned char, 12>(tessera::isolated);
}

#endif

TEST(TransposeMatrix, OfOneElement) {
  check_matrix<int, 1, 1>();
}
TEST(TransposeMatrix, TwoByTwo) {
  check_matrix<long long, 2, 2>();
}
TEST(TransposeMatrix, FourByFourBytes) {
  check_matrix<signed char, 4, 4>();
}
TEST(TransposeMatrix, EightByEightShorts) {
  check_matrix<short, 8, 8>();
}
TEST(TransposeMatrix, EightByEightBytes) {
  check_matrix<unsigned char, 8, 8>();
}
TEST(TransposeMatrix, SixteenByThree) {
  check_matrix<float, 3, 16>();
}
TEST(TransposeMatrix, ThirtyTwoByThirtyTwo) {
  check_matrix<int, 32, 32>();
}

}  // namespace
