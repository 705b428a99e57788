// The code of docs/operators.md, docs/memory.md and docs/how-to/coalesced-groups.md, on host tiles and on the GPU. test/docs/pages_test.py checks
// that a tested file contains each of their snippets.
#include <tessera/tessera.hpp>

#include <algorithm>
#include <cmath>

#include "backend.hpp"

namespace docs {

using namespace tessera;

// ---- docs/operators.md

/// Returns the operators' results as a list of numbers, which the test checks.
template <class Tile>
TESSERA_FN items<float, 9> operators(Tile const& tile, float x, int i) {
  auto const best = tessera::reduce(tile, with_index(x, i), argmax{});
  auto const ends = tessera::reduce(tile, as_min_max(x), minmax{});
  auto const spread = tessera::reduce(tile, as_moments(x), welford{});
  auto const row = tessera::reduce(tile, as_exp_sum(x), log_sum_exp{});
  auto const top = tessera::reduce(tile, as_largest<3>(x), largest{});
  float const softmax = row.share(x);

  float const of_all[] = {static_cast<float>(best.index),
                          ends.max - ends.min,
                          spread.mean,
                          spread.variance(),
                          spread.sample_variance(),
                          spread.standard_deviation(),
                          row.value(),
                          softmax,
                          top[0] + top[1] + top[2]};
  return as_items(of_all);
}

/// The operator multiplies modulo 7. It commutes, and its identity is 1.
template <class Tile>
TESSERA_FN unsigned own_operators(Tile const& tile, unsigned x) {
  auto const times = [](unsigned a, unsigned b) { return a * b % 7; };
  unsigned const in_order = tessera::reduce(tile, x, times);
  unsigned const of_some =
      tessera::reduce(tile, x, make_operator(times, 1u), where(x > 2));
  unsigned const as_it_comes =
      tessera::reduce(tile, x, make_operator(times, 1u, commutative));
  return 100 * in_order + 10 * of_some + as_it_comes;
}

/// Each lane has four values.
template <class Tile>
TESSERA_FN float of_several(Tile const& tile, float const* in) {
  float x[4];
  for (unsigned i = 0; i < 4; ++i) x[i] = in[4 * tile.thread_rank() + i];
  return tessera::reduce(tile, as_items(x), maximum{});
}

/// A decayed sum of the lanes' values.
template <class Tile>
TESSERA_FN float decayed_sum(Tile const& tile, float x, float decay, float start) {
  float const y =
      tessera::inclusive_scan(tile, as_affine(decay, x), affine{})(start);
  return y;
}

/// One row of attention: the keys' values, of D numbers each, are weighted with the softmax of the keys'
/// scores.
template <unsigned D, class Tile>
TESSERA_FN items<float, D> attention(Tile const& tile, float const* scores,
                                     float const* values, int keys) {
  auto const row = tessera::joint_transform_reduce(
      tile, scores, keys, log_sum_exp{}, [=](float score, int key) {
        items<float, D> value;
        for (unsigned d = 0; d < D; ++d) value[d] = values[D * key + d];
        return as_exp_sum(score, value);
      });
  return row.mean();
}

// ---- docs/how-to/coalesced-groups.md

/// The sum of the lanes' values above a limit, and which part of it a lane has.
template <class Tile>
TESSERA_FN float part_of_large(Tile const& tile, float x, float limit) {
  auto const group = tessera::binary_partition(tile, x > limit);
  if (!(x > limit)) return 0;
  return x / tessera::reduce(group, x);
}

/// Where a lane's `length` elements begin in its row's part of an array.
template <class Tile>
TESSERA_FN unsigned begin_in_row(Tile const& tile, int row, unsigned length) {
  auto const group = tessera::labeled_partition(tile, row);
  return tessera::exclusive_scan(group, length);
}

// ---- docs/memory.md

/// Appends the values above a limit, from all tiles of all blocks.
template <class Tile>
TESSERA_FN unsigned keep_large(Tile const& tile, float x, float limit, float* out,
                               unsigned* counter) {
  auto const [begin, count] = tessera::compact(tile, x, x > limit, out, counter);
  return count == 0 ? 0 : begin + count;
}

/// Finds the longest of some words, which is packed into 8 bytes, with a custom operator.
struct alignas(8) longest {
  unsigned length, word;
};
TESSERA_FN longest note_longest(longest* cell, unsigned length, unsigned word) {
  return atomic_update(cell, longest{length, word}, [](longest a, longest b) {
    return b.length > a.length ? b : a;
  });
}

/// Inserts a key into a table of 64 slots by linear probing, unless the table has it. Returns its slot.
TESSERA_FN unsigned insert(unsigned* table, unsigned key) {
  unsigned const empty = 0;
  for (unsigned slot = key % 64;; slot = (slot + 1) % 64) {
    unsigned const held = atomic_compare_exchange(&table[slot], empty, key);
    if (held == empty || held == key) return slot;
  }
}

/// Pushes a node to the front of a list.
TESSERA_FN void push(int* first, int* next, int node) {
  next[node] = atomic_exchange(first, node);
}

/// Computes the ends of n rows of these lengths. Each row is padded to a multiple of four, and the first
/// one begins at `start`.
template <class Tile>
TESSERA_FN void row_ends(Tile const& tile, unsigned char const* lengths, int n,
                         unsigned* ends, unsigned start) {
  tessera::joint_transform_inclusive_scan(
      tile, lengths, n, ends, plus{},
      [](unsigned char length) { return (length + 3u) / 4 * 4; }, start);
}

/// A recurrence over a sequence that comes in pieces, from the first step or from the last.
template <class Tile>
TESSERA_FN affine_map<float> next_piece(Tile const& tile,
                                        affine_map<float> const* steps, int n,
                                        affine_map<float>* out,
                                        affine_map<float> carry) {
  auto const all = tessera::joint_inclusive_scan(tile, steps, n, out, affine{},
                                                 carry, with_total);
  return affine{}(carry, all);
}
template <class Tile>
TESSERA_FN affine_map<float> previous_piece(Tile const& tile,
                                            affine_map<float> const* steps, int n,
                                            affine_map<float>* out,
                                            affine_map<float> carry) {
  using map = affine_map<float>;
  auto const last_first = make_operator(
      [](map step, map later) { return affine{}(later, step); }, map{1, 0});
  auto const all = tessera::joint_inclusive_scan(tile, steps, n, out, last_first,
                                                 carry, suffix | with_total);
  return last_first(all, carry);
}

}  // namespace docs

namespace {

using namespace test;

struct Docs : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

struct operators_kernel {
  template <class Tile>
  TESSERA_FN auto operator()(Tile const& tile, float x) const {
    return docs::operators(tile, x, static_cast<int>(tile.thread_rank()));
  }
};
TEST_F(Docs, ResultsOfOperators) {
  std::vector<float> in;
  for (unsigned i = 0; i < block_lanes; ++i)
    in.push_back(i % 4 == 0 ? 2.0f : i % 4 == 3 ? 6.0f : 4.0f);
  auto const out =
      backend::run<4, tessera::items<float, 9>>(in, operators_kernel{});
  double const sum = std::exp(2.0) + 2 * std::exp(4.0) + std::exp(6.0);
  for (unsigned i = 0; i < out.size(); ++i) {
    double const expected[] = {
        3, 4, 4, 2, 8.0 / 3, std::sqrt(2.0), std::log(sum), std::exp(in[i]) / sum,
        14};
    for (unsigned k = 0; k < 9; ++k)
      ASSERT_NEAR(out[i][k], expected[k], 1e-5) << "lane " << i << ", " << k;
  }
}

struct own_operators_kernel {
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned x) const {
    return docs::own_operators(tile, x);
  }
};
TEST_F(Docs, CustomOperators) {
  std::vector<unsigned> in;
  for (unsigned i = 0; i < block_lanes; ++i) in.push_back(i % 4 + 1);
  for (unsigned got : backend::run<4, unsigned>(in, own_operators_kernel{}))
    ASSERT_EQ(got, 100 * (24u % 7) + 10 * (12u % 7) + 24u % 7);
}

struct memory_kernel {
  float* floats;
  unsigned* words;
  docs::longest* cell;
  int* nodes;
  unsigned char* bytes;

  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned i) const {
    float const most = docs::of_several(tile, floats);
    auto const mean = docs::attention<2>(tile, floats, floats + 32, 16);
    unsigned right = most == 31.0f ? 1 : 0;
    right |= mean[0] > 13.9f && mean[0] < 15.1f && mean[1] > 0.999999f &&
                     mean[1] < 1.000001f
                 ? 2
                 : 0;
    docs::keep_large(tile, static_cast<float>(i), 63.5f, floats + 64, words);
    docs::note_longest(cell, i * 37 % 128, i);
    right |= docs::insert(words + 1, i % 50 + 1) < 64 ? 4 : 0;
    docs::push(nodes, nodes + 1, static_cast<int>(i));
    if (i < 8) docs::row_ends(tile, bytes, 5, words + 65, 100);
    return right;
  }
};
TEST_F(Docs, Memory) {
  // 32 values, followed by the values of 16 keys (the key's number, and 1), followed by 64 cells.
  std::vector<float> numbers(128, -1.0f);
  for (unsigned i = 0; i < 32; ++i) numbers[i] = static_cast<float>(i);
  for (unsigned key = 0; key < 16; ++key) {
    numbers[32 + 2 * key] = static_cast<float>(key);
    numbers[33 + 2 * key] = 1;
  }
  backend::array<float> floats(numbers);
  backend::array<unsigned> words(std::vector<unsigned>(70, 0));
  backend::array<docs::longest> cell(std::vector<docs::longest>{{0, 0}});
  backend::array<int> nodes(std::vector<int>(129, -1));
  backend::array<unsigned char> bytes(std::vector<unsigned char>{1, 4, 5, 0, 16});
  std::vector<unsigned> in;
  for (unsigned i = 0; i < 128; ++i) in.push_back(i);
  for (unsigned right : backend::run<8, unsigned>(
           in, memory_kernel{floats.data(), words.data(), cell.data(), nodes.data(),
                             bytes.data()}))
    ASSERT_EQ(right, 7u);

  auto kept = floats.to_host();
  std::sort(kept.begin() + 64, kept.end());
  for (unsigned i = 0; i < 64; ++i)
    ASSERT_EQ(kept[64 + i], static_cast<float>(64 + i));
  auto const got = words.to_host();
  ASSERT_EQ(got[0], 64u);
  std::vector<unsigned> keys;
  for (unsigned slot = 0; slot < 64; ++slot) {
    if (got[1 + slot] != 0) keys.push_back(got[1 + slot]);
  }
  std::sort(keys.begin(), keys.end());
  ASSERT_EQ(keys.size(), 50u);
  for (unsigned i = 0; i < 50; ++i) ASSERT_EQ(keys[i], i + 1);
  std::vector<unsigned> const ends(got.begin() + 65, got.end());
  ASSERT_EQ(ends, (std::vector<unsigned>{104, 108, 116, 116, 132}));
  ASSERT_EQ(cell.to_host()[0].length, 127u);
  auto const list = nodes.to_host();
  std::vector<bool> seen(128);
  unsigned length = 0;
  for (int node = list[0]; node >= 0;
       node = list[static_cast<std::size_t>(node) + 1], ++length) {
    ASSERT_FALSE(seen[static_cast<std::size_t>(node)]);
    seen[static_cast<std::size_t>(node)] = true;
  }
  ASSERT_EQ(length, 128u);
}

struct groups_kernel {
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned lane) const {
    unsigned const rank = lane % 8;
    bool const right = docs::part_of_large(tile, static_cast<float>(rank), 5.0f) ==
                       (rank > 5 ? static_cast<float>(rank) / 13 : 0.0f);
    return docs::begin_in_row(tile, static_cast<int>(rank % 2), rank) +
           (right ? 0 : 100);
  }
};
TEST_F(Docs, CoalescedGroups) {
  std::vector<unsigned> lanes(block_lanes);
  for (unsigned i = 0; i < block_lanes; ++i) lanes[i] = i;
  unsigned const begin[] = {0, 0, 0, 1, 2, 4, 6, 9};
  auto const got = backend::run<8, unsigned>(lanes, groups_kernel{});
  for (unsigned i = 0; i < block_lanes; ++i) ASSERT_EQ(got[i], begin[i % 8]);
}

struct recurrence_kernel {
  static constexpr int n = 45;
  docs::affine_map<float> const* steps;
  docs::affine_map<float>*forward, *backward;
  template <class Tile>
  TESSERA_FN float operator()(Tile const& tile, float x) const {
    auto carry = tessera::as_affine(0.0f, 1.0f), later = carry;
    for (int at = 0; at < n; at += 15)
      carry = docs::next_piece(tile, steps + at, 15, forward + at, carry);
    for (int at = n - 15; at >= 0; at -= 15)
      later = docs::previous_piece(tile, steps + at, 15, backward + at, later);
    return docs::decayed_sum(tile, x, 2.0f, 1.0f) + 1000 * carry.b +
           1000000 * later.b;
  }
};
TEST_F(Docs, Recurrences) {
  constexpr unsigned n = recurrence_kernel::n;
  using map = docs::affine_map<float>;
  std::vector<map> steps;
  for (unsigned i = 0; i < n; ++i)
    steps.push_back({i % 3 == 0 ? 0.0f : 1.0f, static_cast<float>(i % 5)});
  std::vector<map> const zeros(n);
  backend::array<map> in(steps), forward(zeros), backward(zeros);
  auto const got = backend::run<8, float>(
      std::vector<float>(block_lanes, 1.0f),
      recurrence_kernel{in.data(), forward.data(), backward.data()});
  auto const up = forward.to_host(), down = backward.to_host();
  float y = 1, h = 1, g = 1;
  for (unsigned i = 0; i < n; ++i) {
    h = steps[i](h), g = steps[n - 1 - i](g);
    ASSERT_EQ(up[i].b, h) << i;
    ASSERT_EQ(down[n - 1 - i].b, g) << i;
  }
  for (unsigned lane = 0; lane < 8; ++lane) {
    y = 2 * y + 1;
    ASSERT_EQ(got[lane], y + 1000 * h + 1000000 * g);
  }
}

}  // namespace
