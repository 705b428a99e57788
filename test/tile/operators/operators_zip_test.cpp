// zip, each of whose members is compared with a reduce of its own; argmin, argmax and minmax with payloads.
#include <functional>

#include "reduce_cases.hpp"

namespace {

using namespace test;
using tessera::as_zipped;
using tessera::zip;
using tessera::zipped;

TEST(Zipped, IsAPlainTuple) {
  using triple = zipped<char, short, int>;
  static_assert(std::is_trivially_copyable_v<triple> && std::is_aggregate_v<triple>);
  static_assert(sizeof(triple) == 8);  // without padding
  static_assert(std::tuple_size_v<triple> == 3 && std::is_same_v<std::tuple_element_t<1, triple>, short>);
  static_assert(tessera::get<2>(as_zipped('a', 2.0, 7)) == 7);

  auto z = as_zipped(1, 2.5f, 'c');
  tessera::get<1>(z) += 1;
  auto const [number, fraction, letter] = z;
  EXPECT_EQ(number, 1);
  EXPECT_EQ(fraction, 3.5f);
  EXPECT_EQ(letter, 'c');
  auto& [n, f, l] = z;
  n = 9;
  f = 0;
  l = 'd';
  EXPECT_EQ(tessera::get<0>(z), 9);
  EXPECT_EQ(tessera::get<2>(z), 'd');
}

TEST(Zipped, ZipHasTheTraitsOfItsOperators) {
  using tessera::operator_traits;
  auto const sums = zip(std::plus<>{}, tessera::multiplies{});
  using pair = zipped<float, int>;
  static_assert(operator_traits<decltype(sums), pair>::has_identity &&
                operator_traits<decltype(sums), pair>::commutative);
  auto const [zero, one] = operator_traits<std::remove_const_t<decltype(sums)>, pair>::identity(sums);
  EXPECT_EQ(zero, 0.0f);
  EXPECT_FALSE(std::signbit(zero));
  EXPECT_EQ(one, 1);

  auto const f = [](int a, int) { return a; };
  auto const mixed = zip(tessera::plus{}, f);
  static_assert(!operator_traits<decltype(mixed), pair>::has_identity &&
                !operator_traits<decltype(mixed), pair>::commutative);
  auto const ordered = zip(tessera::plus{}, tessera::make_operator(f, 0));
  static_assert(operator_traits<decltype(ordered), pair>::has_identity &&
                !operator_traits<decltype(ordered), pair>::commutative);
  static_assert(!std::is_invocable_v<decltype(sums), zipped<int>, zipped<int>>);
}

struct Zip : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

/// One value in eight is a NaN with some payload.
double often_nan(random_engine& random) {
  if (random() % 8 != 0) return sample_special<double>(random);
  return tessera::detail::from_bits<double>(std::uint64_t{0x7ff8000000000000} | random() % 1000);
}

template <class Zipped>
struct zip_and_each {
  Zipped together, apart;
};

/// Calls one reduce of a tuple, and one reduce of each of its members.
template <class Op>
struct zip_kernel {
  Op op;
  who participants;

  template <class Tile, class A, class B, class C, class Policy>
  TESSERA_FN zip_and_each<zipped<A, B, C>> run(Tile const& tile, zipped<A, B, C> const& x, Policy policy) const {
    using tessera::get;
    return {tessera::reduce(tile, x, op, policy), as_zipped(tessera::reduce(tile, get<0>(x), get<0>(op.ops), policy),
                                                            tessera::reduce(tile, get<1>(x), get<1>(op.ops), policy),
                                                            tessera::reduce(tile, get<2>(x), get<2>(op.ops), policy))};
  }
  template <class Tile, class T>
  TESSERA_FN zip_and_each<T> operator()(Tile const& tile, lane_input<T> in) const {
    if (participants == who::first) return run(tile, in.x, tessera::first(in.n));
    if (participants == who::where) return run(tile, in.x, tessera::where(in.pred));
    return run(tile, in.x, tessera::policy<>{});
  }
};

template <unsigned N, class T, class Op>
void check_members_of(Op op, T (*sample_one)(random_engine&)) {
  for (who participants : {who::everyone, who::first, who::where}) {
    unsigned const seed = 3000 * N + static_cast<unsigned>(participants);
    random_engine random(seed);
    auto const lanes = make_lanes<T>(N, random, sample_one);
    auto const out = backend::run<N, zip_and_each<T>>(lanes, zip_kernel<Op>{op, participants});
    for (unsigned i = 0; i < lanes.size(); ++i) {
      auto const& [together, apart] = out[i];
      using tessera::get;
      ASSERT_TRUE(same_bits(get<0>(together), get<0>(apart)) && same_bits(get<1>(together), get<1>(apart)) &&
                  same_bits(get<2>(together), get<2>(apart)))
          << row_name{N, seed, participants, false} << ", lane " << i << ": " << show(together) << ", apart "
          << show(apart);
    }
  }
}
template <class T, class Op>
void check_members(Op op, T (*sample_one)(random_engine&)) {
  for_each_size(small_sizes{}, [&](auto n) { check_members_of<decltype(n)::value>(op, sample_one); });
}

using float_float_bits = zipped<float, float, unsigned>;
float_float_bits some_numbers(random_engine& random) {
  return as_zipped(random() % 4 == 0 ? -0.0f : sample<float>(random), sample_special<float>(random),
                   sample<unsigned>(random));
}
TEST_F(Zip, HasTheBitsOfAReduceOfEachMember) {
  check_members(zip(std::plus<>{}, tessera::maximum{}, std::bit_xor<unsigned>{}), some_numbers);
}

using double_brackets_long =
    zipped<double, brackets, long long>;  // without padding, so that the bytes of all lanes agree
double_brackets_long some_brackets(random_engine& random) {
  return as_zipped(often_nan(random), sample<brackets>(random), sample<long long>(random));
}
auto const with_brackets =
    zip(tessera::plus{}, tessera::make_operator(bracket_concatenation{}, brackets{0, 0}), tessera::minimum{});
TEST_F(Zip, KeepsTheOrderForAMemberThatNeedsIt) {
  check_members(with_brackets, some_brackets);
}
TEST_F(Zip, CombinesByTheTree) {
  check_reduce(with_brackets, some_brackets, false);
}

using nested = zipped<zipped<int, matrix>, float>;
nested some_nested(random_engine& random) {
  return as_zipped(as_zipped(sample<int>(random), sample<matrix>(random)), sample<float>(random));
}
TEST_F(Zip, OfAZipAndWithoutIdentity) {
  check_reduce(zip(zip(tessera::plus{}, matrix_product{}), tessera::minimum{}), some_nested);
}

// Few values and indices, so that there are ties in both. Of these the first lane's payload wins.
using labeled = zipped<float, int, unsigned>;
labeled some_labeled(random_engine& random) {
  float const values[] = {-2.0f, -0.0f, 0.0f, 3.0f, std::numeric_limits<float>::quiet_NaN()};
  return as_zipped(values[random() % 5], static_cast<int>(random() % 4), static_cast<unsigned>(random()));
}
TEST_F(Zip, ArgminCarriesThePayload) {
  check_reduce(tessera::argmin{}, some_labeled);
}
TEST_F(Zip, ArgmaxCarriesThePayload) {
  check_reduce(tessera::argmax{}, some_labeled);
}
TEST(Arg, OfZippedIsThatOfIndexed) {
  random_engine random(5);
  for (int i = 0; i < 200; ++i) {
    auto const a = some_labeled(random), b = some_labeled(random);
    using tessera::get;
    using tessera::with_index;
    auto const least = tessera::argmin{}(with_index(get<0>(a), get<1>(a)), with_index(get<0>(b), get<1>(b)));
    auto const most = tessera::argmax{}(with_index(get<0>(a), get<1>(a)), with_index(get<0>(b), get<1>(b)));
    auto const [v, index, payload] = tessera::argmin{}(a, b);
    EXPECT_TRUE(same_bits(v, least.value) && index == least.index);
    EXPECT_EQ(payload, same_bits(as_zipped(v, index), as_zipped(get<0>(a), get<1>(a))) ? get<2>(a) : get<2>(b));
    EXPECT_TRUE(same_bits(get<0>(tessera::argmax{}(a, b)), most.value));
    EXPECT_EQ(get<1>(tessera::argmax{}(a, b)), most.index);
  }
  EXPECT_EQ(tessera::get<0>(tessera::argmax{}(as_zipped(3), as_zipped(4))), 4);
}

tessera::min_max<tessera::indexed<float>> some_indexed(random_engine& random) {
  auto const one = some_labeled(random);
  return tessera::as_min_max(tessera::with_index(tessera::get<0>(one), static_cast<int>(random() >> 34)));
}
TEST_F(Zip, MinmaxReturnsBothIndices) {
  check_reduce(tessera::minmax{}, some_indexed);
}
TEST(Minmax, OfIndexedValues) {
  using tessera::as_min_max;
  using tessera::with_index;
  auto const both = tessera::minmax{}(as_min_max(with_index(4, 0)),
                                      tessera::minmax{}(as_min_max(with_index(7, 1)), as_min_max(with_index(4, 2))));
  EXPECT_EQ(both.min.index, 0);
  EXPECT_EQ(both.max.value, 7);
  EXPECT_EQ(both.max.index, 1);
}

}  // namespace
