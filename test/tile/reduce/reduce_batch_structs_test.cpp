// reduce_batch on types of 3 to 16 bytes, and with operators that don't commute.
#include "reduce_batch_cases.hpp"

namespace {

using namespace test;
using tessera::converged;

struct ReduceBatchStructs : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

TEST_F(ReduceBatchStructs, ProductsOfMatricesDontCommute) {
  check_batches<matrix, 8>(tessera::make_operator(matrix_product{}, matrix_one), converged);
}
TEST_F(ReduceBatchStructs, RowsOfThreeBytes) {
  check_batches<row<3>, 6>(compose_rows<3>{}, tessera::isolated);
}
tessera::indexed<float> special_with_index(random_engine& random) {
  return tessera::with_index(sample_special<float>(random), static_cast<int>(random() % 100));
}
TEST_F(ReduceBatchStructs, LeastWithIndex) {
  check_shape<tessera::indexed<float>, 8, 7>(tessera::argmin{}, tessera::adaptive, special_with_index);
  check_shape<tessera::indexed<float>, 8, 2>(tessera::argmin{}, tessera::hardware, special_with_index);
  check_shape<tessera::indexed<float>, 32, 2>(tessera::argmax{}, tessera::adaptive, special_with_index);
}
TEST_F(ReduceBatchStructs, SumsOfDoublesWithNan) {
  check_batches<double, 0>(tessera::plus{}, converged, sample_special<double>);
}

}  // namespace
