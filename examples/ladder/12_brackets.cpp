// Whether brackets match, by an operator of one's own that doesn't commute.
//
// A piece of text leaves some brackets unmatched; how many, of two neighbors, says it of both together.
// operator_traits tells the library what it can't see: the identity, and that "()" isn't ")(". Change the
// operator: any function of two neighbors will do, if it doesn't matter which are joined first.
#include <tessera/joint.hpp>

#include "run.hpp"

struct unmatched {
  unsigned closing, opening;  // as in ")))((": the closing ones come first
};

struct join {
  TESSERA_FN unmatched operator()(unmatched a, unmatched b) const {
    unsigned const pairs = a.opening < b.closing ? a.opening : b.closing;
    return {a.closing + b.closing - pairs, a.opening + b.opening - pairs};
  }
};

template <>
struct tessera::operator_traits<join, unmatched> {
  static constexpr bool has_identity = true, commutative = false;
  template <class Op>
  TESSERA_FN static unmatched identity(Op) {
    return {0, 0};
  }
};

struct brackets {
  char const* text;
  unsigned length;
  unmatched* out;

  template <class Block>
  TESSERA_FN void operator()(Block const& block) const {
    auto const tile = tessera::tiled_partition<16>(block);
    unsigned const line = block.group_index().x * tile.meta_group_size() + tile.meta_group_rank();
    auto const of_character = [](char c) { return unmatched{c == ')', c == '('}; };
    unmatched const all = tessera::joint_transform_reduce(tile, text + line * length, length, join{}, of_character);
    if (tile.thread_rank() == 0) out[line] = all;
  }
};

int main() {
  constexpr unsigned lines = 200, length = 75, threads = 160;
  ladder::random_numbers random;
  ladder::array<char> text(lines * length);
  ladder::array<unmatched> out(lines);
  for (char& c : text) c = "()x"[random.below(3)];
  ladder::run(lines * 16 / threads, threads, brackets{text.data(), length, out.data()});

  std::vector<unsigned> got, expected;
  for (unsigned line = 0; line < lines; ++line) {
    unsigned closing = 0, opening = 0;
    for (unsigned i = line * length; i < (line + 1) * length; ++i) {
      if (text[i] == '(') ++opening;
      if (text[i] == ')') opening > 0 ? --opening : ++closing;
    }
    expected.insert(expected.end(), {closing, opening});
    got.insert(got.end(), {out[line].closing, out[line].opening});
  }
  return ladder::report("brackets", "200 lines of 75 characters", "tile of 16", ladder::difference(got, expected));
}
