// reduce on structs of 3 to 64 bytes, with operators that don't commute; minmax.
#include "reduce_cases.hpp"

namespace {

using namespace test;

struct ReduceStruct : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

TEST_F(ReduceStruct, MatrixProductWithoutIdentity) {
  check_reduce<matrix>(matrix_product{});
}
TEST_F(ReduceStruct, MatrixProduct) {
  check_reduce<matrix>(tessera::make_operator(matrix_product{}, matrix_one));
}
TEST_F(ReduceStruct, Brackets) {
  check_reduce<brackets>(tessera::make_operator(bracket_concatenation{}, brackets{0, 0}));
}
TEST_F(ReduceStruct, Digits) {
  check_reduce<digits>(tessera::make_operator(digit_concatenation{}, digits{0, 1}));
}
TEST_F(ReduceStruct, ThreeBytes) {
  check_reduce<row<3>>(compose_rows<3>{});
}
TEST_F(ReduceStruct, SixBytes) {
  check_reduce<row<6>>(compose_rows<6>{});
}
TEST_F(ReduceStruct, TwelveBytes) {
  check_reduce<row<12>>(compose_rows<12>{});
}
TEST_F(ReduceStruct, ThirtySevenBytes) {
  check_reduce<row<37>>(compose_rows<37>{});
}
TEST_F(ReduceStruct, SixtyFourBytes) {
  check_reduce<row<64>>(compose_rows<64>{});
}

// The library doesn't know what a type's own operators mean, so it keeps the order of their operands.
struct multiplied_matrix : matrix {
  TESSERA_FN friend multiplied_matrix operator*(multiplied_matrix x, multiplied_matrix y) {
    return {matrix_product{}(x, y)};
  }
};
TEST_F(ReduceStruct, ATypesOwnProductKeepsItsOrder) {
  check_reduce<multiplied_matrix>(tessera::multiplies{});
  check_reduce<multiplied_matrix>(std::multiplies<>{});
}
struct keyed {
  int key, payload;
  TESSERA_FN friend bool operator<(keyed a, keyed b) { return a.key < b.key; }
};
keyed often_tied(random_engine& random) {
  return {static_cast<int>(random() % 3), static_cast<int>(random())};
}
TEST_F(ReduceStruct, ATypesOwnLessKeepsTheFirst) {
  check_reduce(tessera::minimum{}, often_tied);
  check_reduce(tessera::maximum{}, often_tied);
}
enum class level { low = -3, middle = 1, high = 9 };
level some_level(random_engine& random) {
  level const levels[] = {level::low, level::middle, level::high};
  return levels[random() % 3];
}
TEST_F(ReduceStruct, Enumerators) {
  check_reduce(tessera::maximum{}, some_level);
}

// Functions in the value's namespace with names that the library uses internally. It must not call them.
namespace users {
struct number {
  float x;
};
template <class T>
TESSERA_FN T select(bool, T const&, T const& b) {
  return b;
}
template <class T>
TESSERA_FN bool is_nan(T const&) {
  return true;
}
template <class T>
TESSERA_FN T by_words(T const& x, int) {
  return x;
}
struct last {
  TESSERA_FN number operator()(number, number b) const { return b; }
};
}  // namespace users
TEST_F(ReduceStruct, NamesInTheUsersNamespace) {
  check_reduce<users::number>(users::last{});
}

// An operator of another type converts its operands, as it does when called directly.
TEST_F(ReduceStruct, AnOperatorOnAnotherType) {
  check_reduce<short>(std::plus<int>{});
}

// A custom operator that commutes is reduced by a shorter algorithm.
struct add_modulo_97 {
  TESSERA_FN unsigned operator()(unsigned a, unsigned b) const { return (a + b) % 97; }
};
unsigned below_97(random_engine& random) {
  return static_cast<unsigned>(random() % 97);
}
TEST_F(ReduceStruct, CustomCommutativeOperator) {
  check_reduce<unsigned>(tessera::make_operator(add_modulo_97{}, 0u, tessera::commutative), below_97);
}

// An operator whose identity isn't zero: it returns the first of two values that isn't all ones.
struct first_unmarked {
  TESSERA_FN unsigned operator()(unsigned a, unsigned b) const { return a == ~0u ? b : a; }
};
unsigned often_marked(random_engine& random) {
  return random() % 3 == 0 ? ~0u : static_cast<unsigned>(random());
}
TEST_F(ReduceStruct, IdentityThatIsNotZero) {
  check_reduce<unsigned>(tessera::make_operator(first_unmarked{}, ~0u), often_marked);
}

tessera::min_max<float> one_value(random_engine& random) {
  return tessera::as_min_max(sample_special<float>(random));
}
TEST_F(ReduceStruct, Minmax) {
  check_reduce(tessera::minmax{}, one_value);
}

}  // namespace
