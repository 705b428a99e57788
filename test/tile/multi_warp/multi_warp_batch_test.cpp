// reduce_batch of tiles of several warps. The GPU has fewer shapes, because its compiler is slow.
#include "../reduce/reduce_batch_cases.hpp"

namespace {

using namespace test;
using tessera::converged;

struct MultiWarpBatch : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

TEST_F(MultiWarpBatch, SumsOfFloats) {
  check_shape<float, 128, 32>(tessera::plus{}, tessera::adaptive, sample<float>);
  check_shape<float, 1024, 8>(tessera::plus{}, converged, sample<float>);
}
TEST_F(MultiWarpBatch, MoreThanAWarpsResults) {
  check_shape<int, 64, 33>(tessera::plus{}, converged, sample<int>);
}
TEST_F(MultiWarpBatch, ProductsOfMatricesDontCommute) {
  check_shape<matrix, 256, 5>(tessera::make_operator(matrix_product{}, matrix_one), converged, sample<matrix>);
}

#if !TESSERA_CUDA

TEST_F(MultiWarpBatch, MoreSumsOfFloats) {
  check_shape<float, 64, 1>(tessera::plus{}, tessera::adaptive, sample<float>);
  check_shape<float, 256, 5>(tessera::plus{}, converged, sample<float>);
  check_shape<float, 512, 3>(tessera::plus{}, converged, sample<float>);
}
TEST_F(MultiWarpBatch, ManyResults) {
  check_shape<int, 512, 64>(tessera::plus{}, converged, sample<int>);
  check_shape<unsigned, 64, 70>(tessera::bit_xor{}, tessera::adaptive, sample<unsigned>);
}
TEST_F(MultiWarpBatch, MinimaOfBytes) {
  check_shape<unsigned char, 256, 16>(tessera::minimum{}, tessera::isolated, sample<unsigned char>);
}
TEST_F(MultiWarpBatch, SumsOfDoublesWithNan) {
  check_shape<double, 512, 4>(tessera::plus{}, tessera::adaptive, sample_special<double>);
}
TEST_F(MultiWarpBatch, MorePairsOfMatrices) {
  check_shape<matrix, 1024, 2>(tessera::make_operator(matrix_product{}, matrix_one), converged, sample<matrix>);
}

#endif

}  // namespace
