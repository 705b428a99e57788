// examples/tally/count.hpp on host tiles, compared with a count byte by byte, for every tile size, block
// size and order of lanes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <tessera/host/launch.hpp>
#include <vector>

#include "../../examples/tally/count.hpp"

namespace {

namespace host = tessera::host;
using tally::piece;
using tally::slice_count;
using text = tally::text<unsigned>;

// ---- The reference, and the comparison

slice_count count_by_hand(std::string const& s) {
  slice_count c{};
  text& t = c.seen;
  unsigned line = 0;
  bool inside = false;
  for (char const letter : s) {
    unsigned const byte = static_cast<unsigned char>(letter);
    ++c.bytes[byte];
    bool const in_word = std::string(" \t\n\v\f\r").find(letter) == std::string::npos;
    if (t.bytes == 0) t.starts_in_word = in_word;
    if (in_word && !inside) ++t.words;
    inside = in_word;
    ++t.bytes;
    if (letter != '\n') {
      ++line;
    } else {
      if (t.lines == 0) t.first_line = line;
      ++t.lines;
      t.longest = std::max(t.longest, line);
      line = 0;
    }
  }
  if (t.lines == 0) t.first_line = line;
  t.longest = std::max(t.longest, line);
  t.last_line = line;
  t.ends_in_word = inside;
  return c;
}

std::string describe(text const& t) {
  auto const flag = [](bool on) { return on ? " yes" : " no"; };
  return "bytes " + std::to_string(t.bytes) + ", lines " + std::to_string(t.lines) + ", words " +
         std::to_string(t.words) + ", longest " + std::to_string(t.longest) + ", first line " +
         std::to_string(t.first_line) + ", last line " + std::to_string(t.last_line) + ", starts in word" +
         flag(t.starts_in_word) + ", ends in word" + flag(t.ends_in_word);
}

std::string describe(slice_count const& c) {
  std::string all = describe(c.seen);
  for (unsigned byte = 0; byte < 256; ++byte)
    if (c.bytes[byte] != 0) all += ", " + std::to_string(byte) + ":" + std::to_string(c.bytes[byte]);
  return all;
}

// ---- Inputs

using bytes = std::vector<std::string>;

/// Random characters of an alphabet. A character is the more probable the more often the alphabet contains
/// it.
std::string draw(std::mt19937& random, std::size_t size, std::string const& alphabet) {
  std::string s(size, '\0');
  for (char& letter : s) letter = alphabet[random() % alphabet.size()];
  return s;
}

std::string every_byte() {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  return all;
}

bytes const alphabets = {"a",
                         "\n",
                         " ",
                         "a\n",
                         "a ",
                         " \n",
                         "ab \n",
                         "ab\r\n \t\v\f",
                         std::string(200, 'a') + "\n",
                         std::string(50, 'a') + " \n",
                         std::string(100, ' ') + "a",
                         every_byte()};

/// Lengths on both sides of every boundary of words, pieces, steps of each tile size, and parts.
std::vector<unsigned> const lengths = {0,   1,   2,    3,    4,    5,    15,   16,   17,
                                       31,  32,  33,   63,   64,   65,   96,   127,  128,
                                       129, 511, 1023, 1024, 1025, 2047, 2048, 2049, 3000};

bytes random_inputs(unsigned seed) {
  std::mt19937 random(seed);
  bytes inputs;
  for (std::string const& alphabet : alphabets)
    for (unsigned length : lengths) inputs.push_back(draw(random, length, alphabet));
  return inputs;
}

/// One newline, space or letter at a single position, at and around each boundary.
bytes lonely_inputs(unsigned length) {
  bytes inputs;
  for (unsigned at = 0; at < length; ++at) {
    unsigned const in_piece = at % piece::bytes;
    if (in_piece > 1 && in_piece < piece::bytes - 1) continue;
    for (char const odd : {'\n', ' ', 'a'})
      for (char const rest : {'\n', ' ', 'a'}) {
        inputs.push_back(std::string(length, rest));
        inputs.back()[at] = odd;
      }
  }
  return inputs;
}

/// After the end of the text, the last piece has bytes that must not be counted.
std::vector<piece> in_pieces(std::string const& s) {
  std::vector<piece> pieces(s.size() / piece::bytes + 1);
  std::string padded = s;
  while (padded.size() < pieces.size() * piece::bytes) padded += padded.size() % 2 == 0 ? '\n' : 'x';
  std::copy(padded.begin(), padded.end(), reinterpret_cast<char*>(pieces.data()));
  return pieces;
}

// ---- One tile

/// Counters that lanes add to without checks.
struct plain_histogram {
  unsigned* counters;

  void add(unsigned byte) const { ++counters[byte]; }
};

template <unsigned N>
void expect_counted_by_tile(std::string const& s, host::options const& how) {
  std::vector<piece> const pieces = in_pieces(s);
  slice_count counted{};
  plain_histogram const histogram{counted.bytes};
  std::vector<text> const texts = host::launch_tile<N>(how, [&](host::tile<N> const& tile) {
    return tally::count(tile, pieces.data(), static_cast<unsigned>(s.size()), histogram);
  });
  std::string const expected = describe(count_by_hand(s));
  for (text const& of_lane : texts) {
    counted.seen = of_lane;
    ASSERT_EQ(describe(counted), expected) << "tile<" << N << ">, " << s.size() << " bytes";
  }
}

template <class Size>
class tally_tile : public testing::Test {};
template <unsigned N>
struct size_of_tile {
  static constexpr unsigned value = N;
};
using sizes = testing::Types<size_of_tile<1>, size_of_tile<2>, size_of_tile<4>, size_of_tile<8>,
                             size_of_tile<16>, size_of_tile<32>>;
TYPED_TEST_SUITE(tally_tile, sizes, );

TYPED_TEST(tally_tile, counts_random_text) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    auto const how = host::options{}.with_schedule(host::all_schedules[seed]).with_seed(seed);
    for (std::string const& s : random_inputs(seed)) {
      expect_counted_by_tile<TypeParam::value>(s, how);
      if (this->HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(tally_tile, counts_what_lies_at_a_border) {
  for (std::string const& s : lonely_inputs(TypeParam::value * piece::bytes + 40)) {
    expect_counted_by_tile<TypeParam::value>(s, host::options{});
    if (this->HasFatalFailure()) return;
  }
}

// ---- Whole blocks, their shared memory checked for races

struct checked_histogram {
  host::shared<unsigned> counters;

  void add(unsigned byte) const { counters[byte].fetch_add(1); }
  auto operator[](unsigned byte) const { return counters[byte]; }
};

void expect_counted_by_block(unsigned threads, std::string const& s, host::options const& how) {
  std::vector<piece> pieces = in_pieces(s);
  pieces.insert(pieces.begin(), piece{});  // the slice begins with the second piece
  tally::slice const what{1, static_cast<unsigned>(s.size())};
  slice_count counted;
  std::fill_n(reinterpret_cast<unsigned char*>(counted.bytes), sizeof counted.bytes,
              static_cast<unsigned char>(0xee));
  host::launch_block(threads, how, [&](host::block const& block) {
    checked_histogram const histogram{host::shared<unsigned>(block, 256)};
    host::shared<text> const texts(block, threads / 32);
    tally::count_slice(block, pieces.data(), what, histogram, texts, counted);
  });
  ASSERT_EQ(describe(counted), describe(count_by_hand(s))) << threads << " threads, " << s.size() << " bytes";
}

class tally_block : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(threads, tally_block, testing::Values(32u, 64u, 96u, 256u, 1024u),
                         testing::PrintToStringParamName());

TEST_P(tally_block, counts_random_slices_in_every_lane_order) {
  unsigned const full_step = GetParam() * piece::bytes;
  for (unsigned seed = 0; seed < 6; ++seed) {
    std::mt19937 random(seed);
    auto const how = host::options{}.with_schedule(host::all_schedules[seed]).with_seed(seed);
    for (std::string const& alphabet : alphabets)
      for (unsigned length : {0u, 1u, 1000u, 1024u, full_step - 1, full_step, full_step + 1}) {
        expect_counted_by_block(GetParam(), draw(random, length, alphabet), how);
        if (HasFatalFailure()) FAIL() << "seed " << seed;
      }
  }
}

TEST_P(tally_block, counts_a_full_slice) {
  std::mt19937 random(7);
  expect_counted_by_block(GetParam(), draw(random, 64 * 1024, alphabets[9]), host::options{});
  expect_counted_by_block(GetParam(), std::string(64 * 1024, 'a'), host::options{});
}

// ---- The join

text seen_in(std::string const& s) {
  return count_by_hand(s).seen;
}

/// All strings of up to `length` characters from "a", " " and "\n".
bytes all_strings(unsigned length) {
  bytes all = {""};
  for (std::size_t from = 0, of_length = 0; of_length < length; ++of_length) {
    std::size_t const to = all.size();
    for (; from < to; ++from)
      for (char const letter : {'a', ' ', '\n'}) all.push_back(all[from] + letter);
  }
  return all;
}

TEST(tally_join, is_the_text_of_both) {
  bytes const strings = all_strings(4);
  for (std::string const& a : strings)
    for (std::string const& b : strings)
      ASSERT_EQ(describe(tally::join{}(seen_in(a), seen_in(b))), describe(seen_in(a + b)))
          << testing::PrintToString(a) << " and " << testing::PrintToString(b);
}

TEST(tally_join, has_the_empty_text_as_identity) {
  for (std::string const& s : all_strings(5)) {
    ASSERT_EQ(describe(tally::join{}(text{}, seen_in(s))), describe(seen_in(s)));
    ASSERT_EQ(describe(tally::join{}(seen_in(s), text{})), describe(seen_in(s)));
  }
}

TEST(tally_join, is_associative) {
  bytes const strings = all_strings(3);
  tally::join const join;
  for (std::string const& a : strings)
    for (std::string const& b : strings)
      for (std::string const& c : strings)
        ASSERT_EQ(describe(join(join(seen_in(a), seen_in(b)), seen_in(c))),
                  describe(join(seen_in(a), join(seen_in(b), seen_in(c)))));
}

TEST(tally_join, needs_more_than_32_bits_for_a_file) {
  using file = tally::text<std::uint64_t>;
  std::uint64_t const huge = std::uint64_t{3} << 32;
  file const line{huge, 0, 1, huge, huge, huge, true, true};
  file const both = tally::join{}(line, line);
  EXPECT_EQ(both.bytes, 2 * huge);
  EXPECT_EQ(both.longest, 2 * huge);
  EXPECT_EQ(both.words, 1u);
}

TEST(tally_words, are_made_of_all_bytes_but_six) {
  for (unsigned byte = 0; byte < 256; ++byte)
    EXPECT_EQ(tally::in_word(byte), byte != 0x20 && (byte < 0x09 || byte > 0x0d)) << byte;
}

}  // namespace
