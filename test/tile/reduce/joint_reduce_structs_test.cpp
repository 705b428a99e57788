// joint_reduce and joint_transform_reduce of structs, with operators that don't commute, and with wide
// results.
#include "joint_reduce_cases.hpp"

namespace {

using namespace test;
using tessera::commutative;
using tessera::make_operator;

/// A result of 12 registers, which is computed from 12 bytes of each element.
struct spread_over_row {
  TESSERA_FN row<48> operator()(short x) const {
    row<48> out{};
    for (unsigned i = 0; i < 48; ++i) out.scale_and_offset[i] = static_cast<unsigned char>(x + static_cast<short>(i));
    return out;
  }
};
struct add_rows {
  TESSERA_FN row<48> operator()(row<48> x, row<48> y) const {
    for (unsigned i = 0; i < 48; ++i)
      x.scale_and_offset[i] = static_cast<unsigned char>(x.scale_and_offset[i] + y.scale_and_offset[i]);
    return x;
  }
};
TEST(JointTransformReduce, WideResults) {
  check_joint_reduce<short>(make_operator(add_rows{}, row<48>{}, commutative), spread_over_row{});
}

// ---- Operators that don't commute.

template <unsigned Bytes>
constexpr row<Bytes> identity_row() {
  row<Bytes> out{};
  for (unsigned i = 0; i < Bytes; i += 2) out.scale_and_offset[i] = 1;
  return out;
}

TEST(JointReduceInOrder, StructsOf2Bytes) {
  check_joint_reduce<row<2>>(make_operator(compose_rows<2>{}, identity_row<2>()));
}
TEST(JointReduceInOrder, StructsOf8Bytes) {
  check_joint_reduce<brackets>(make_operator(bracket_concatenation{}, brackets{0, 0}));
}
TEST(JointReduceInOrder, StructsOf12Bytes) {
  check_joint_reduce<row<12>>(make_operator(compose_rows<12>{}, identity_row<12>()));
}
TEST(JointReduceInOrder, StructsOf16Bytes) {
  check_joint_reduce<matrix>(make_operator(matrix_product{}, matrix_one));
}

/// By operators without an identity.
TEST(JointReduceAfter, InOrder) {
  check_joint_reduce_after<matrix, matrix>(matrix_product{}, matrix{3, 1, 4, 1});
  check_joint_reduce_after<row<12>, row<12>>(compose_rows<12>{}, identity_row<12>());
}

}  // namespace
