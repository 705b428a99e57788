// Tests of the model: the pictures in the headers' comments, and small examples that a reader can check.
//
// Lanes have letters, and the operators concatenate them, with or without brackets that show the order.
#include "model.hpp"
#include "halves.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace {

using namespace oracle;
using namespace oracle::model;
using std::string;
template <class T>
using vector = list<T>;

/// The lanes a, b, c for "abc".
vector<string> letters(string const& text) {
  vector<string> out;
  for (char c : text) out.push_back(string(1, c));
  return out;
}

/// Lanes with two letters each.
vector<tessera::items<string, 2>> pairs(string const& text) {
  vector<tessera::items<string, 2>> out;
  for (size_t i = 0; i < text.size(); i += 2) out.push_back({{text.substr(i, 1), text.substr(i + 1, 1)}});
  return out;
}

/// The lanes whose letter is x.
vector<char> flags(string const& text) {
  vector<char> out;
  for (char c : text) out.push_back(c == 'x');
  return out;
}

string const nothing = "1";  // the identity in the pictures

algebra<string> const joined{[](string const& a, string const& b) { return a + b; }, nothing, false};
algebra<string> const bracketed{[](string const& a, string const& b) { return "(" + a + b + ")"; }, nothing, false};

template <unsigned K>
string text_of(tessera::items<string, K> const& x) {
  string out;
  for (auto const& item : x) out += (out.empty() ? "" : ",") + item;
  return out;
}
/// The results of the lanes, joined; a dot stands for an unspecified result.
template <class R>
string text_of(lanes<R> const& x) {
  string out;
  for (auto const& result : x) out += (out.empty() ? "" : " ") + (result ? text_of(*result) : string("."));
  return out;
}
string text_of(vector<maybe<string>> const& x) {
  string out;
  for (auto const& result : x) out += (out.empty() ? "" : " ") + (result ? *result : string("."));
  return out;
}
string text_of(lane_set const& set) {
  string out;
  for (size_t r = 0; r < set.size(); ++r)
    if (set[r]) out += std::to_string(r);
  return out;
}
template <class T>
vector<T> values_of(lanes<T> const& x) {
  vector<T> out;
  for (auto const& result : x) out.push_back(result.value());
  return out;
}

how to_leader(how who) {
  who.to = placement::to_leader;
  return who;
}
how scattered(how who) {
  who.to = placement::scattered;
  return who;
}
how suffix(how who) {
  who.suffix = true;
  return who;
}

TEST(Model, ReduceIsABalancedTreeOverNeighbors) {
  EXPECT_EQ(text_of(reduce(4, letters("abcd"), bracketed, everyone(4))), "((ab)(cd)) ((ab)(cd)) ((ab)(cd)) ((ab)(cd))");
  EXPECT_EQ(text_of(reduce(8, letters("abcdefgh"), bracketed, to_leader(everyone(8)))),
            "(((ab)(cd))((ef)(gh))) . . . . . . .");
  EXPECT_EQ(text_of(reduce(2, pairs("abcd"), bracketed, everyone(2))), "((ab)(cd)) ((ab)(cd))");
}
TEST(Model, ReduceSkipsLanesThatDontParticipate) {
  EXPECT_EQ(text_of(reduce(4, letters("abcd"), bracketed, where(flags("x.xx")))), "(a(cd)) (a(cd)) (a(cd)) (a(cd))");
  EXPECT_EQ(text_of(reduce(4, letters("abcd"), bracketed, first(4, 3))), "((ab)c) ((ab)c) ((ab)c) ((ab)c)");
  EXPECT_EQ(text_of(reduce(2, letters("ab"), bracketed, first(2, -1))), "1 1");
  EXPECT_EQ(text_of(reduce(8, letters("abc"), bracketed, everyone(3))),
            "((ab)c) ((ab)c) ((ab)c)");  // three lanes exist
}
TEST(Model, ReduceOfItemsGoesFromLeftToRightInALane) {
  vector<tessera::items<string, 3>> const x{{{"a", "b", "c"}}, {{"d", "e", "f"}}};
  EXPECT_EQ(text_of(reduce(2, x, bracketed, everyone(2))), "(((ab)c)((de)f)) (((ab)c)((de)f))");
}

TEST(Model, ReduceBatch) {
  auto const all = reduce_batch(2, pairs("abcd"), joined, everyone(2));
  EXPECT_EQ(text_of(all[0]), "ac bd");
  EXPECT_EQ(text_of(all[1]), "ac bd");
  auto const dealt = reduce_batch(4, pairs("abcdefgh"), joined, scattered(everyone(4)));
  EXPECT_EQ(text_of(dealt[0]) + "|" + text_of(dealt[1]) + "|" + text_of(dealt[2]), "aceg|bdfh|.");
  vector<tessera::items<string, 3>> const x{{{"a", "b", "c"}}, {{"d", "e", "f"}}};
  auto const more = reduce_batch(2, x, joined, scattered(everyone(2)));
  EXPECT_EQ(text_of(more[0]) + "|" + text_of(more[1]), "ad cf|be .");
}

TEST(Model, ScansOfAFewLanes) {
  auto const x = letters("abcd");
  EXPECT_EQ(text_of(inclusive_scan(4, x, joined, everyone(4)).value), "a ab abc abcd");
  EXPECT_EQ(text_of(exclusive_scan(4, x, joined, everyone(4)).value), "1 a ab abc");
  EXPECT_EQ(text_of(exclusive_scan(4, x, joined, string("z"), everyone(4)).value), "z za zab zabc");
  EXPECT_EQ(text_of(inclusive_scan(4, x, joined, suffix(everyone(4))).value), "abcd bcd cd d");
  EXPECT_EQ(text_of(exclusive_scan(4, x, joined, suffix(everyone(4))).value), "bcd cd d 1");
  EXPECT_EQ(text_of(exclusive_scan(4, x, joined, string("z"), suffix(everyone(4))).value), "bcdz cdz dz z");
  EXPECT_EQ(text_of(exclusive_scan(4, x, joined, string("z"), everyone(4)).total), "abcd abcd abcd abcd");
}
TEST(Model, ScansOfParticipants) {
  auto const x = letters("abcd");
  EXPECT_EQ(text_of(inclusive_scan(4, x, joined, where(flags(".x.x"))).value), "1 b b bd");
  EXPECT_EQ(text_of(exclusive_scan(4, x, joined, where(flags(".x.x"))).value), "1 1 b b");
  EXPECT_EQ(text_of(inclusive_scan(4, x, joined, suffix(where(flags(".xx.")))).value), "bc bc c 1");
  EXPECT_EQ(text_of(exclusive_scan(4, x, joined, string("z"), first(4, 0)).value), "z z z z");
}
TEST(Model, AScanTakesStepsOfOneTwoFour) {
  EXPECT_EQ(text_of(inclusive_scan(8, letters("abcdefgh"), bracketed, everyone(8)).value),
            "a (ab) (a(bc)) ((ab)(cd)) (a((bc)(de))) ((ab)((cd)(ef))) ((a(bc))((de)(fg))) (((ab)(cd))((ef)(gh)))");
}
TEST(Model, ScansOfItems) {
  auto const x = pairs("abcdef");
  EXPECT_EQ(text_of(inclusive_scan(4, x, joined, everyone(3)).value), "a,ab abc,abcd abcde,abcdef");
  EXPECT_EQ(text_of(exclusive_scan(4, x, joined, everyone(3)).value), "1,a ab,abc abcd,abcde");
  EXPECT_EQ(text_of(inclusive_scan(4, x, joined, suffix(everyone(3))).value), "abcdef,bcdef cdef,def ef,f");
  EXPECT_EQ(text_of(exclusive_scan(4, x, joined, string("z"), suffix(everyone(3))).value),
            "bcdefz,cdefz defz,efz fz,z");
}
TEST(Model, ScansOfSeveralWarps) {
  // 96 lanes of a tile of 128, three warps: a letter in the first, last and middle lanes of each.
  vector<string> x(96);
  x[0] = "a", x[31] = "b", x[32] = "c", x[40] = "d", x[63] = "e", x[64] = "f", x[95] = "g";
  algebra<string> const op{[](string const& a, string const& b) {
                             return a.empty() ? b : b.empty() ? a : "(" + a + b + ")";
                           },
                           string(), false};
  auto const up_to = inclusive_scan(128, x, op, everyone(96)).value;
  EXPECT_EQ(*up_to[31], "(ab)");
  EXPECT_EQ(*up_to[32], "((ab)c)");
  EXPECT_EQ(*up_to[40], "((ab)(cd))");
  EXPECT_EQ(*up_to[63], "((ab)((cd)e))");
  EXPECT_EQ(*up_to[64], "(((ab)((cd)e))f)");
  EXPECT_EQ(*up_to[95], "(((ab)((cd)e))(fg))");
  auto const from = inclusive_scan(128, x, op, suffix(everyone(96))).value;
  EXPECT_EQ(*from[95], "g");
  EXPECT_EQ(*from[63], "(e(fg))");
  EXPECT_EQ(*from[31], "((b((cd)e))(fg))");
  EXPECT_EQ(*from[0], "(((ab)((cd)e))(fg))");  // all lanes, in the order of reduce
}

TEST(Model, Segments) {
  auto const x = letters("abcdefgh");
  auto const heads = by_head(flags("..x..xx."));
  EXPECT_EQ(text_of(segmented_inclusive_scan(8, x, heads, joined, everyone(8)).value), "a ab c cd cde f g gh");
  EXPECT_EQ(text_of(segmented_exclusive_scan(8, x, heads, joined, everyone(8)).value), "1 a 1 c cd 1 1 g");
  EXPECT_EQ(text_of(segmented_inclusive_scan(8, x, heads, joined, suffix(everyone(8))).value), "ab b cde de e f gh h");
  EXPECT_EQ(text_of(segmented_reduce(8, x, heads, joined, everyone(8))), "ab ab cde cde cde f gh gh");
  EXPECT_EQ(text_of(segmented_reduce(8, x, heads, joined, to_leader(everyone(8)))), "ab . cde . . f gh .");
  EXPECT_EQ(text_of(segmented_reduce(8, x, heads, joined, first(8, 4))), "ab ab cd cd cd 1 1 1");
  EXPECT_EQ(by_tail(flags(".x..xx..")), flags("x.x..xx."));
  EXPECT_EQ(by_key(vector<int>{7, 7, 3, 3, 3, 7, 1, 1}), flags("x.x..xx."));
}

TEST(Model, Shuffles) {
  auto const x = letters("abcdefgh");
  EXPECT_EQ(text_of(shuffle(8, x, {7, 6, 5, 4, 3, 2, 1, 0})), "h g f e d c b a");
  EXPECT_EQ(text_of(broadcast(8, x, 2)), "c c c c c c c c");
  EXPECT_EQ(text_of(shift_up(8, x, 2)), "a b a b c d e f");
  EXPECT_EQ(text_of(shift_up(8, x, 2, vector<string>(8, "z"))), "z z a b c d e f");
  EXPECT_EQ(text_of(shift_down(8, x, 2)), "c d e f g h g h");
  EXPECT_EQ(text_of(shift_down(8, x, 9)), "a b c d e f g h");
  EXPECT_EQ(text_of(rotate(8, x, 2)), "c d e f g h a b");
  EXPECT_EQ(text_of(rotate(8, x, -2)), "g h a b c d e f");
  EXPECT_EQ(text_of(reverse(8, x)), "h g f e d c b a");
  EXPECT_EQ(text_of(butterfly(8, x, 1)), "b a d c f e h g");
}
TEST(Model, ShufflesOfItems) {
  auto const x = pairs("abcdefgh");
  EXPECT_EQ(text_of(butterfly(4, x, 1)), "c,d a,b g,h e,f");
  EXPECT_EQ(text_of(reverse(4, x)), "h,g f,e d,c b,a");
  EXPECT_EQ(text_of(exchange_items(4, x, 1, 0, 1)), "d,b c,a h,f g,e");
  EXPECT_EQ(text_of(exchange_items(4, x, 0, 0, 1)), "a,b c,d e,f g,h");
  EXPECT_EQ(text_of(striped_to_blocked(4, pairs("aebfcgdh"))), "a,b c,d e,f g,h");
  EXPECT_EQ(text_of(blocked_to_striped(4, x)), "a,e b,f c,g d,h");
  EXPECT_EQ(text_of(transpose(4, x)), "a,c e,g b,d f,h");
}

TEST(Model, Votes) {
  auto const pred = flags(".x..xx.x");
  EXPECT_EQ(text_of(*ballot(8, pred, everyone(8))[3]), "1457");
  EXPECT_EQ(text_of(*ballot(8, pred, first(8, 5))[3]), "14");
  EXPECT_EQ(count_if(8, pred, everyone(8))[0], 4u);
  EXPECT_EQ(any_of(8, pred, first(8, 1))[0], false);
  EXPECT_EQ(all_of(8, pred, everyone(8))[0], false);
  EXPECT_EQ(all_of(8, pred, first(8, 0))[0], true);
  EXPECT_EQ(none_of(8, pred, first(8, 1))[0], true);
  EXPECT_EQ(values_of(elect(4, where(flags("..xx")))), (vector<bool>{false, false, true, false}));
  EXPECT_EQ(values_of(elect(2, first(2, 0))), (vector<bool>{false, false}));
  EXPECT_EQ(text_of(invoke_one(4, letters("abcd"), everyone(4))), "a a a a");
}

TEST(Model, Match) {
  vector<char> const keys{'a', 'b', 'a', 'a', 'c', 'b', 'c', 'a'};
  string sets, ranks;
  for (auto const& set : match_any(8, keys, everyone(8))) sets += text_of(*set) + " ";
  EXPECT_EQ(sets, "0237 15 0237 0237 46 15 46 0237 ");
  for (auto const& group : peers(8, keys))
    ranks += std::to_string(group->leader) + "," + std::to_string(group->rank) + " ";
  EXPECT_EQ(ranks, "0,0 1,0 0,1 0,2 4,0 1,1 4,1 0,3 ");
  EXPECT_EQ(text_of(*match_any(8, keys, first(8, 3))[7]), "02");
  EXPECT_EQ(match_all(8, keys, everyone(8))[0], false);
  EXPECT_EQ(match_all(8, keys, where(flags("x.xx...x")))[1], true);
  EXPECT_EQ(match_all(8, keys, first(8, 0))[1], true);
}
TEST(Model, ReduceByLabel) {
  vector<char> const keys{'a', 'b', 'a', 'a', 'c', 'b', 'c', 'a'};
  auto const x = letters("01234567");
  EXPECT_EQ(text_of(reduce_by_label(8, keys, x, bracketed, to_leader(everyone(8)))), "((02)(37)) (15) . . (46) . . .");
  EXPECT_EQ(text_of(reduce_by_label(8, keys, x, joined, where(flags(".xxxxx..")))), "1 15 23 23 4 15 1 1");
}

TEST(Model, ReduceByLabelGoesWarpByWarp) {
  vector<string> x(64);
  vector<char> keys(64, 'z');
  for (int r : {3, 5, 6, 40, 50}) keys[r] = 'a', x[r] = string(1, static_cast<char>('0' + r % 10));
  EXPECT_EQ(*reduce_by_label(64, keys, x, bracketed, everyone(64))[50], "(((35)6)(00))");
  keys[6] = 'z', keys[60] = 'a', x[60] = "x";
  EXPECT_EQ(*reduce_by_label(64, keys, x, bracketed, everyone(64))[3], "((35)((00)x))");
}

TEST(Model, Memory) {
  EXPECT_EQ(compact(8, letters("abcdefgh"), flags(".x..xx.x"), everyone(8)), letters("befh"));
  EXPECT_EQ(compact(8, letters("abcdefgh"), flags(".x..xx.x"), first(8, 5)), letters("be"));
  vector<int> const keys{2, 0, 2, 2, 1, 0, 2, 9};
  slots<unsigned> const expected(8, {2u, 1u, 4u, 0u});
  EXPECT_EQ(histogram(8, 4, keys, everyone(8)), expected);
  auto const dealt = histogram(8, 4, keys, scattered(everyone(8)));
  EXPECT_EQ(dealt[2], (vector<maybe<unsigned>>{4u}));
  EXPECT_EQ(dealt[7], (vector<maybe<unsigned>>{0u}));
  EXPECT_EQ(histogram(2, 3, vector<int>{-1, 2}, scattered(everyone(2)))[0], (vector<maybe<unsigned>>{0u, 1u}));
  EXPECT_EQ(aggregated_add(8, vector<int>(10), keys, vector<int>{1, 2, 3, 4, 5, 6, 7, 8}, everyone(8)),
            (vector<int>{8, 5, 15, 0, 0, 0, 0, 0, 0, 8}));
  EXPECT_EQ(aggregated_add(8, vector<int>(10), keys, first(8, 2)), (vector<int>{1, 0, 1, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(atomic_reduce(4, string("z"), letters("abcd"), bracketed, everyone(4)), "(z((ab)(cd)))");
  EXPECT_EQ(atomic_reduce(4, string("z"), letters("abcd"), bracketed, first(4, 0)), "z");
  EXPECT_EQ(atomic_update(string("z"), string("a"), joined), "za");
}

/// A type of four bytes, which has vectors of 4 elements and 4 accumulators.
struct four_bytes {
  char letter, rest[3];
};
TEST(Model, JointReduceGoesByLanesAndAccumulators) {
  // The range of the picture in the header: a b | c d e f | g h i j | k l m, with two lanes.
  vector<four_bytes> x;
  for (char c = 'a'; c <= 'm'; ++c) x.push_back({c, {}});
  algebra<string> commuting = bracketed;
  commuting.commutes = true;
  auto const letter = [](four_bytes const& e, size_t) { return string(1, e.letter); };
  auto const layout = layout_of<four_bytes>(x.size(), 8);
  EXPECT_EQ(layout.front, 2u);
  EXPECT_EQ(layout.vectors, 2u);
  EXPECT_EQ(layout.back, 3u);
  // A std::string is wide, so each lane has one accumulator. Lane 0 combines c d e f and then a k m, lane 1
  // g h i j and then b l.
  ASSERT_EQ(accumulators_of<string>(4), 2u);
  EXPECT_EQ(*joint_transform_reduce(2, x, 8, commuting, letter, everyone(2))[0],
            "((((((ce)a)k)m)(df))((((gi)b)l)(hj)))");
  EXPECT_EQ(*joint_transform_reduce(2, x, 8, joined, letter, everyone(2))[1], "abcdefghijklm");
  EXPECT_EQ(accumulators_of<float>(4), 4u);
  EXPECT_EQ(accumulators_of<float>(2), 2u);
  EXPECT_EQ(accumulators_of<four_bytes[8]>(16), 2u);
  EXPECT_EQ(accumulators_of<four_bytes[16]>(16), 1u);
  EXPECT_EQ(layout_of<char[12]>(5, 4).vectors, 5u);
}
TEST(Model, JointScan) {
  vector<string> const x = letters("abcdef");
  auto const up_to = joint_inclusive_scan(2, x, 0, joined);
  EXPECT_EQ(up_to.out, (vector<string>{"a", "ab", "abc", "abcd", "abcde", "abcdef"}));
  EXPECT_EQ(*up_to.total, "abcdef");
  EXPECT_EQ(joint_exclusive_scan(2, x, 0, joined).out, (vector<string>{"1", "a", "ab", "abc", "abcd", "abcde"}));
  EXPECT_EQ(joint_exclusive_scan(2, x, 0, joined, string("z")).out[2], "zab");
  EXPECT_EQ(*joint_exclusive_scan(2, x, 0, joined, string("z")).total, "abcdef");
  EXPECT_EQ(*joint_inclusive_scan(2, vector<string>(), 0, joined).total, "1");
  how from_the_end;
  from_the_end.suffix = true;
  auto const from = joint_inclusive_scan(2, x, 0, joined, string("z"), from_the_end);
  EXPECT_EQ(from.out, (vector<string>{"abcdefz", "bcdefz", "cdefz", "defz", "efz", "fz"}));
  EXPECT_EQ(*from.total, "abcdef");
  EXPECT_EQ(joint_exclusive_scan(2, x, 0, joined, from_the_end).out[4], "f");
  // A vector has two doubles. Each of two lanes scans its own vector, and then the lanes scan the vectors.
  auto const chunks = chunks_of<double>(2, 8, 8);
  ASSERT_EQ(chunks.size(), 4u);  // an element, two vectors, a vector, an element
  EXPECT_EQ(chunks[1].size(), 2u);
  EXPECT_EQ(chunks[1][1].first, 3u);
  EXPECT_EQ(chunks[3][0].first, 7u);
}
TEST(Model, JointVotes) {
  vector<int> const x{3, 1, 4};
  auto const is_even = [](int e, size_t) { return e % 2 == 0; };
  EXPECT_EQ(joint_any_of(2, x, is_even, everyone(2))[0], true);
  EXPECT_EQ(joint_all_of(2, x, is_even, everyone(2))[0], false);
  EXPECT_EQ(joint_none_of(2, x, is_even, everyone(2))[1], false);
  EXPECT_EQ(joint_all_of(2, vector<int>(), is_even, everyone(2))[1], true);
}

TEST(Model, OperatorsOnNumbers) {
  EXPECT_EQ(algebra_for<int8_t>(tessera::plus{}).combine(127, 1), -128);
  EXPECT_EQ(algebra_for<bool>(tessera::plus{}).combine(1u, 1u), 2u);
  EXPECT_EQ(algebra_for<uint16_t>(tessera::multiplies{}).combine(0xffff, 0xffff), 1);
  EXPECT_EQ(*algebra_for<int>(tessera::minimum{}).identity, 0x7fffffff);
  EXPECT_EQ(*algebra_for<int64_t>(tessera::maximum{}).identity, INT64_MIN);
  EXPECT_EQ(*algebra_for<uint8_t>(tessera::bit_and{}).identity, 255);
  EXPECT_EQ(*algebra_for<bool>(tessera::minimum{}).identity, true);
  EXPECT_EQ(algebra_for<int>(tessera::logical_and{}).combine(5, 2), 1);
}
TEST(Model, ExtremesOfNanAndSignedZeros) {
  float const nan = not_a_number<float>();
  auto const least = algebra_for<float>(tessera::minimum{});
  auto const greatest = algebra_for<float>(tessera::maximum{});
  EXPECT_TRUE(agrees(least.combine(0.0f, -0.0f), -0.0f));
  EXPECT_TRUE(agrees(greatest.combine(-0.0f, 0.0f), 0.0f));
  EXPECT_TRUE(is_nan(least.combine(1, nan)) && is_nan(greatest.combine(nan, 1)));
  EXPECT_EQ(algebra_for<float>(tessera::minimum_number{}).combine(nan, 1), 1);
  EXPECT_EQ(algebra_for<float>(tessera::maximum_number{}).combine(1, nan), 1);
  EXPECT_TRUE(is_nan(*algebra_for<float>(tessera::maximum_number{}).identity));
}
TEST(Model, ArgminTakesTheFirstNanAndTheLowestIndex) {
  float const nan = not_a_number<float>();
  using at = tessera::indexed<float, int>;
  auto const op = algebra_for<at>(tessera::argmin{});
  EXPECT_EQ(op.combine({1, 7}, {1, 3}).index, 3);
  EXPECT_EQ(op.combine({-0.0f, 7}, {0.0f, 3}).index, 3);
  EXPECT_EQ(op.combine({1, 1}, {nan, 3}).index, 3);
  EXPECT_EQ(op.combine({nan, 4}, {nan, 3}).index, 3);
  EXPECT_EQ(op.combine({1, 1}, {2, 3}).index, 1);
  EXPECT_EQ(algebra_for<at>(tessera::argmax{}).combine({1, 1}, {2, 3}).index, 3);
  auto const both = algebra_for<tessera::min_max<at>>(tessera::minmax{});
  auto const found = both.combine({{2, 0}, {2, 0}}, {{1, 1}, {1, 1}});
  EXPECT_EQ(found.min.index, 1);
  EXPECT_EQ(found.max.index, 0);
}
TEST(Model, SelectionsZipsAndMoments) {
  using three = tessera::selection<int, 3>;
  auto const least = algebra_for<three>(tessera::smallest{});
  three const few = least.combine({{1, 4, 7}}, {{2, 3, 9}});
  EXPECT_TRUE(agrees(few, three{{1, 2, 3}}));
  EXPECT_TRUE(agrees(algebra_for<three>(tessera::largest{}).combine({{7, 4, 1}}, {{9, 3, 2}}), three{{9, 7, 4}}));
  auto const both = algebra_for<tessera::zipped<int, float>>(tessera::zip(tessera::plus{}, tessera::maximum{}));
  EXPECT_TRUE(
      agrees(both.combine(tessera::as_zipped(1, 2.0f), tessera::as_zipped(3, 1.0f)), tessera::as_zipped(4, 2.0f)));
  auto const moments = algebra_for<tessera::moments<float>>(tessera::welford{});
  EXPECT_TRUE(agrees(moments.combine({2, 3, 2}, {2, 5, 2}), tessera::moments<float>{4, 4, 8}));
}

TEST(Model, MomentsAndExponentialsByDefinition) {
  using moments = tessera::moments<float>;
  auto const spread = algebra_by_definition<moments>(tessera::welford{});
  EXPECT_TRUE(agrees(spread.combine({2, 3, 2}, {2, 5, 2}), moments{4, 4, 8}));
  EXPECT_TRUE(agrees(spread.combine({0, 0, 0}, {1, 5, 0}), moments{1, 5, 0}));
  using row = tessera::exp_sum<double, tessera::items<float, 1>>;
  auto const sums = algebra_by_definition<row>(tessera::log_sum_exp{});
  row const both = sums.combine({{2, 1}, {{4}}}, {{3, 1}, {{8}}});
  EXPECT_EQ(both.max, 3);
  EXPECT_DOUBLE_EQ(both.sum, 1 + std::exp(-1.0));
  EXPECT_FLOAT_EQ(both.weighted[0], static_cast<float>(8 + 4 * std::exp(-1.0)));
  EXPECT_FLOAT_EQ(sums.combine(*sums.identity, both).weighted[0], both.weighted[0]);
}
TEST(Model, ExchangesHaveAnOrder) {
  EXPECT_TRUE(follow_each_other<int>(0, {0, 1}, {1, 2}, 2));
  EXPECT_TRUE(follow_each_other<int>(0, {1, 0}, {2, 1}, 2));
  EXPECT_TRUE(follow_each_other<int>(0, {0, 1, 0}, {1, 0, 0}, 0));
  EXPECT_FALSE(follow_each_other<int>(0, {0, 0}, {1, 2}, 2));  // both lanes got the start
  EXPECT_FALSE(follow_each_other<int>(0, {0, 1}, {1, 2}, 1));  // the last value was lost
  EXPECT_FALSE(follow_each_other<int>(0, {2, 1}, {1, 2},
                                      0));  // each lane got the other's value, and none got the start
  EXPECT_EQ(swapped<int>({5, 7}, {5, 6}, {9, 9}), (vector<int>{9, 7}));
}

/// Every 16-bit float converts back to itself. Between it and the next one, numbers round to the nearer
/// one, ties to even.
template <class Half>
void check_rounding(std::uint16_t infinity) {
  for (std::uint16_t i = 0; i < infinity; ++i) {
    Half low, high;
    low.bits = i;
    high.bits = static_cast<std::uint16_t>(i + 1);
    float const x = low;
    ASSERT_EQ(Half(x).bits, i);
    ASSERT_EQ(Half(-x).bits, i | 0x8000u);
    if (high.bits == infinity) continue;
    float const middle = x + (static_cast<float>(high) - x) / 2;
    if (middle == x) continue;  // among the subnormal floats
    ASSERT_EQ(Half(middle).bits, i % 2 == 0 ? i : i + 1);
    ASSERT_EQ(Half(std::nextafter(middle, INFINITY)).bits, i + 1);
    ASSERT_EQ(Half(std::nextafter(middle, 0.0f)).bits, i);
  }
}
TEST(Model, HalvesRoundToNearest) {
  check_rounding<__half>(0x7c00);
  check_rounding<__nv_bfloat16>(0x7f80);
  EXPECT_EQ(static_cast<float>(__half(65519.0f)), 65504.0f);
  EXPECT_EQ(__half(65520.0f).bits, 0x7c00);
  EXPECT_EQ(static_cast<float>(__half(1.5f)), 1.5f);
  EXPECT_EQ(static_cast<float>(__nv_bfloat16(-2.5f)), -2.5f);
}

}  // namespace
