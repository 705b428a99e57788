// Tests of the model of calls on whole arrays: the pictures in the headers' comments, and small examples that a reader can check.
#include "halves.hpp"
#include "model/arrays.hpp"
#include "model/halves.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

namespace {

using namespace oracle::model::arrays;
using oracle::model::arrays::index;  // not that of <strings.h>
using std::string;

array<string> letters(string const& text) {
  array<string> out;
  for (char const c : text) out.emplace_back(1, c);
  return out;
}
string joined(array<string> const& x) {
  string out;
  for (auto const& one : x) out += (out.empty() ? "" : " ") + one;
  return out;
}
struct append {
  string operator()(string const& a, string const& b) const { return a + b; }
};
auto const text = tessera::make_operator(append{}, string("."));
array<index> const picture{0, 3, 5, 5, 9};  // of segments.hpp
float const nan = std::nanf("");
constexpr float inf = std::numeric_limits<float>::infinity();

TEST(ArraysModel, ReduceCombinesInOrder) {
  EXPECT_EQ(reduce(letters("abcd"), append{}), "abcd");
  EXPECT_EQ(reduce(array<int>{}, tessera::plus{}), 0);
  EXPECT_EQ(reduce(array<int>{}, tessera::minimum{}), INT32_MAX);
  EXPECT_TRUE(std::signbit(reduce(array<float>{-0.0f, -0.0f}, tessera::plus{})));
  EXPECT_FALSE(std::signbit(reduce(array<float>{}, tessera::plus{})));
  EXPECT_TRUE(std::signbit(reduce(array<float>{0.0f, -0.0f}, tessera::minimum{})));
  EXPECT_TRUE(std::isnan(reduce(array<float>{1, nan, 2}, tessera::maximum{})));
  EXPECT_EQ(reduce(array<__half>(4096, __half(1.0f)), tessera::plus{}), 4096.0f);
}
TEST(ArraysModel, ReduceFromAStartIsInTheStartsType) {
  EXPECT_EQ(reduce_from(letters("bcd"), append{}, string("a")), "abcd");
  EXPECT_EQ(reduce_from(array<int>{INT32_MAX, INT32_MAX}, tessera::plus{}, 0.5), 2.0 * INT32_MAX + 0.5);
}
TEST(ArraysModel, Segments) {
  EXPECT_EQ(joined(reduce_segments(letters("abcdefghi"), picture, text)), "abc de . fghi");
  EXPECT_EQ(
      joined(scan_segments(letters("abcdefghi"), picture, text, scan_kind::inclusive, string(), letters("---------"))),
      "a ab abc d de f fg fgh fghi");
  EXPECT_EQ(joined(scan_segments(letters("abc"), {1, 2}, text, scan_kind::exclusive_from, string("s"), letters("---"))),
            "- s -");
}
TEST(ArraysModel, SetOperations) {
  array<int> const a{1, 1, 1, 3, 5}, b{1, 1, 2, 3, 3};
  auto const places = [&](char const* of) { return set_places(of, a, b, std::less<>{}); };
  EXPECT_EQ(places("set_union"), (array<index>{0, 1, 2, 7, 3, 9, 4}));
  EXPECT_EQ(places("set_intersection"), (array<index>{0, 1, 3}));
  EXPECT_EQ(places("set_difference"), (array<index>{2, 4}));
  EXPECT_EQ(places("set_symmetric_difference"), (array<index>{2, 7, 9, 4}));
}
TEST(ArraysModel, Scans) {
  array<int> const x{3, 1, 4, 1, 5};
  auto const scanned = [&](scan_kind kind, bool suffix) { return scan(x, tessera::plus{}, kind, suffix, 100).out; };
  EXPECT_EQ(scanned(scan_kind::inclusive, false), (array<int>{3, 4, 8, 9, 14}));
  EXPECT_EQ(scanned(scan_kind::exclusive, false), (array<int>{0, 3, 4, 8, 9}));
  EXPECT_EQ(scanned(scan_kind::exclusive_from, false), (array<int>{100, 103, 104, 108, 109}));
  EXPECT_EQ(scanned(scan_kind::inclusive, true), (array<int>{14, 11, 10, 6, 5}));
  EXPECT_EQ(scan(x, tessera::plus{}, scan_kind::exclusive_from, false, 100).total, 114);
  EXPECT_EQ(joined(scan(letters("abc"), text, scan_kind::exclusive_from, true, string("s")).out), "bcs cs s");
  EXPECT_EQ(joined(scan(letters("abc"), text, scan_kind::exclusive, false, string()).out), ". a ab");
}
TEST(ArraysModel, RunsAndPartitions) {
  auto const keys = letters("aabbbacc");
  EXPECT_EQ(runs_of(keys, std::equal_to<>{}), (array<index>{0, 2, 5, 6, 8}));
  EXPECT_EQ(runs_of(array<float>{nan, nan, -0.0f, 0.0f}, equal{}), (array<index>{0, 2, 4}));
  EXPECT_EQ(runs_of(array<int>{}, equal{}), (array<index>{0}));
  index count = 0;
  EXPECT_EQ(joined(partition(letters("abcdefgh"), {0, 1, 0, 0, 1, 1, 0, 1}, count)), "b e f h a c d g");
  EXPECT_EQ(count, 4);
}
TEST(ArraysModel, Orders) {
  array<float> const x{7, 2, nan, -1};
  EXPECT_EQ(argsort(x, before{}), (array<index>{3, 1, 0, 2}));
  EXPECT_EQ(argsort(x, before{true}), (array<index>{0, 1, 3, 2}));
  EXPECT_EQ(argsort(array<float>{0.0f, -0.0f, nan, nan}, before{}), (array<index>{0, 1, 2, 3}));
  EXPECT_EQ(gather(array<int>{7, 2, 5, 9, 1, 4, 3, 8, 6},
                   argsort_segments(array<int>{7, 2, 5, 9, 1, 4, 3, 8, 6}, picture, before{})),
            (array<int>{2, 5, 7, 1, 9, 3, 4, 6, 8}));
  EXPECT_TRUE(same_but_for_ties(array<int>{1, 1, 2}, array<int>{10, 11, 12}, array<int>{11, 10, 12}));
  EXPECT_FALSE(same_but_for_ties(array<int>{1, 1, 2}, array<int>{10, 11, 12}, array<int>{10, 12, 11}));
  EXPECT_FALSE(same_but_for_ties(array<int>{1, 1}, array<int>{10, 11}, array<int>{10, 10}));
  EXPECT_EQ(merge(array<int>{1, 4, 5, 7}, array<int>{2, 4, 6}, before{}), (array<int>{1, 2, 4, 4, 5, 6, 7}));
  array<int> const sorted{1, 3, 3, 3, 7, 9};
  EXPECT_EQ(bound(sorted, 3, false), 1);
  EXPECT_EQ(bound(sorted, 3, true), 4);
  EXPECT_EQ(bound(sorted, 10, true), 6);
}
TEST(ArraysModel, Quantiles) {
  auto const half = place_of(0.5, 4);
  EXPECT_EQ(half.lower, 1);
  EXPECT_EQ(half.higher, 2);
  EXPECT_EQ(nearest(half), 2);
  EXPECT_EQ(nearest(place_of(0.5, 2)), 0);
  EXPECT_EQ(place_of(1, 5).lower, 4);
}
TEST(ArraysModel, ExtremesAndMoments) {
  auto const first = best<float, int>({1, 5, 2, 5}, true);
  EXPECT_EQ(first.value, 5);
  EXPECT_EQ(first.index, 1);
  EXPECT_EQ((best<float, int>({1, nan, 7, nan}, true).index), 1);
  EXPECT_EQ((best<float, int>({0.0f, -0.0f}, false).index), 0);
  EXPECT_EQ((best<float, int>({1, 5, 2, 5}, true, true).index), 3);
  EXPECT_EQ((best<float, int>({1, nan, 7, nan, 8}, false, true).index), 3);
  EXPECT_EQ((best<float, int>({1, 0.0f, -0.0f}, false, true).index), 2);
  EXPECT_EQ((best<int, int>({}, false).index), INT32_MAX);
  auto const m = moments_of(array<int>{1, 2, 3, 6});
  EXPECT_EQ(m.mean, 3);
  EXPECT_EQ(m.m2, 14);
}
TEST(ArraysModel, Histograms) {
  auto const h = histogram<int, std::int64_t>({3, 0, 9, 2, 2, -1, 5}, 4, 0, 8);
  EXPECT_EQ(h.counts, (array<std::uint64_t>{1, 3, 1, 0}));
  EXPECT_EQ(h.outside[0], 1u);
  EXPECT_EQ(h.outside[1], 1u);
  EXPECT_EQ(histogram<float>({nan, -0.0f, 1.0f}, 2, 0.0f, 1.0f).outside[2], 1u);
  EXPECT_EQ(histogram<float>({nan, -0.0f, 1.0f}, 2, 0.0f, 1.0f, true).counts, (array<std::uint64_t>{1, 1}));
  auto const between = histogram_between<int, int>({3, 0, 9, 2, 2, -1, 5}, {0, 2, 2, 9}, false);
  EXPECT_EQ(between.counts, (array<std::uint64_t>{1, 0, 4}));
  EXPECT_EQ(between.outside[1], 1u);
  EXPECT_EQ((histogram_between<int, int>({3, 9}, {0, 2, 9}, true).counts), (array<std::uint64_t>{0, 2}));
  EXPECT_EQ(differences(array<int>{3, 1, 4, 1, 5}), (array<int>{3, -2, 3, -3, 4}));
}
TEST(ArraysModel, RowsOfSoftmaxAndNorms) {
  arithmetic const in{0x1p-24, 0x1p-149};
  auto const value = [](array<near> const& x, std::size_t i) { return static_cast<float>(x[i].value); };
  EXPECT_NEAR(value(softmax({0, 0, 1}, 3, false, in), 2), 0.576f, 1e-3);
  EXPECT_EQ(value(softmax({0, 0, 1}, 2, false, in), 0), 0.5f);
  EXPECT_EQ(value(softmax({0, 0, 1}, 2, false, in), 2), 0.0f);
  EXPECT_EQ(value(softmax({0, 0, 1}, 2, true, in), 2), -inf);
  EXPECT_EQ(value(softmax({-inf, -inf}, 2, false, in), 0), 0.0f);
  EXPECT_EQ(value(softmax({inf, 0, inf}, 3, false, in), 0), 0.5f);
  EXPECT_EQ(value(softmax({inf, 0, inf}, 3, true, in), 1), -inf);
  EXPECT_TRUE(std::isnan(value(softmax({nan, 0}, 2, false, in), 1)));
  EXPECT_NEAR(static_cast<double>(log_sum_exp({0, 0, 1}, in).value), 1.5514, 1e-4);
  EXPECT_EQ(log_sum_exp({}, in).value, -inf);
  EXPECT_EQ(log_sum_exp({-inf, inf, 0}, in).value, inf);
  EXPECT_TRUE(std::isnan(log_sum_exp({nan, inf}, in).value));
  EXPECT_NEAR(value(norm({1, 2, 3, 4}, {}, {}, 0, true, in), 0), -1.342f, 1e-3);
  EXPECT_NEAR(value(norm({1, 2, 3, 4}, {}, {}, 0, false, in), 3), 1.461f, 1e-3);
  EXPECT_NEAR(value(norm({1, 2, 3, 4}, {2, 2, 2, 2}, {1, 1, 1, 1}, 0, true, in), 0), -1.683f, 1e-3);
}

}  // namespace
