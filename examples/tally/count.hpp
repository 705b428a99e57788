// The counting. The same functions run on GPU tiles and on host tiles.
//
//   slice   |          part of tile 0           |          part of tile 1           | …
//   part    | step | step | step | …                  the tile counts one step after another
//   step    | piece of lane 0 | piece of lane 1 | …   32 bytes per lane
//
// A set of byte positions within a piece is one 32-bit word. Ballots tell the lanes which words and lines
// continue from the previous lane or step. Reductions compute the totals of a part, and one more reduction
// joins the parts' texts in order.
#pragma once

#include <tessera/core/lane_mask.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/lanes.hpp>
#include <tessera/operators.hpp>
#include <tessera/reduce.hpp>
#include <tessera/vote.hpp>

#include "slice.hpp"

namespace tally {

/// A set of bytes of a piece.
using byte_set = tessera::lane_mask<piece::bytes>;

struct piece_marks {
  byte_set newlines;
  byte_set word_bytes;
};

/// Counts the first n bytes of a piece in the histogram, and returns which of them are newlines and which
/// are in words.
template <class Histogram>
TESSERA_FN piece_marks mark(piece const& from, unsigned n, Histogram const& histogram) {
  tessera::stl::uint32_t newlines = 0;
  tessera::stl::uint32_t word_bytes = 0;
  for (unsigned w = 0; w < 8; ++w) {
    tessera::stl::uint32_t const word = from.words[w];
    for (unsigned b = 0; b < 4; ++b) {
      unsigned const byte = word >> (8 * b) & 0xffu;
      unsigned const i = 4 * w + b;
      if (i < n) histogram.add(byte);
      newlines |= tessera::stl::uint32_t{byte == '\n'} << i;
      word_bytes |= tessera::stl::uint32_t{in_word(byte)} << i;
    }
  }
  auto const valid = byte_set::prefix(n);
  return {byte_set::from_word(newlines) & valid, byte_set::from_word(word_bytes) & valid};
}

/// Returns the text of n bytes to every lane, and counts each byte in the histogram.
///
/// Called by     all lanes of the tile, with the same arguments.
/// Precondition  the last piece can be read as a whole; its bytes after the n-th may have any value.
/// Cost          for each step 2 ballots, and 2 shuffles if it has a newline; at the end 4 reductions.
template <class Tile, class Histogram>
TESSERA_FN text<unsigned> count(Tile const& tile, piece const* pieces, unsigned n,
                                Histogram const& histogram) {
  constexpr unsigned lanes = tessera::tile_size_v<Tile>;
  using lane_set = tessera::lane_mask<lanes>;
  unsigned const rank = tile.thread_rank();

  // These differ between lanes: each lane counts its own pieces.
  unsigned lines = 0;
  unsigned words = 0;
  unsigned longest = 0;
  unsigned first_line = n;
  // These are the same in all lanes: the state between two steps.
  unsigned line_start = 0;  // the start of the line that continues into the next step
  bool inside_word = false;

  for (unsigned base = 0; base < n; base += lanes * piece::bytes) {
    unsigned const begin = base + rank * piece::bytes;
    piece_marks const here =
        begin < n ? mark(pieces[begin / piece::bytes], n - begin, histogram) : piece_marks{};

    // A word starts at a byte whose predecessor is in no word. The predecessor of a lane's first byte is in
    // the previous lane or in the previous step.
    lane_set const ends_inside = tessera::ballot(tile, here.word_bytes.test(piece::bytes - 1));
    bool const inside = rank == 0 ? inside_word : ends_inside.test(rank - 1);
    auto const before = byte_set::from_word(here.word_bytes.word() << 1 | (inside ? 1u : 0u));
    words += (here.word_bytes & ~before).count();
    inside_word = ends_inside.test(lanes - 1);

    // A line ends at each newline. It began after the previous newline, which is in this piece, in a lower
    // lane or in an earlier step.
    lane_set const have_newline = tessera::ballot(tile, here.newlines.any());
    if (have_newline.any()) {
      unsigned const after_last = begin + here.newlines.last() + 1;
      unsigned const nearest = (have_newline & lane_set::prefix(rank)).last();  // `lanes` if there is none
      unsigned const in_nearest = tessera::shuffle(tile, after_last, nearest % lanes);
      unsigned start = nearest < lanes ? in_nearest : line_start;
      if (lines == 0 && here.newlines.any()) first_line = begin + here.newlines.first();
      for (unsigned i : here.newlines) {
        unsigned const length = begin + i - start;
        longest = longest < length ? length : longest;
        start = begin + i + 1;
      }
      lines += here.newlines.count();
      line_start = tessera::broadcast(tile, after_last, have_newline.last());
    }
  }

  unsigned char const* const bytes = reinterpret_cast<unsigned char const*>(pieces);
  unsigned const last_line = n - line_start;
  longest = longest < last_line ? last_line : longest;
  text<unsigned> all;
  all.bytes = n;
  all.lines = tessera::reduce(tile, lines);
  all.words = tessera::reduce(tile, words);
  all.longest = tessera::reduce(tile, longest, tessera::maximum{});
  all.first_line = tessera::reduce(tile, first_line, tessera::minimum{});
  all.last_line = last_line;
  all.starts_in_word = n > 0 && in_word(bytes[0]);
  all.ends_in_word = n > 0 && in_word(bytes[n - 1]);
  return all;
}

/// Counts one slice: its text, and the number of bytes of each value.
///
/// Called by   all threads of the block, whose number must be a multiple of 32.
/// histogram   256 counters in shared memory: `add(byte)` is atomic, `histogram[byte]` is a plain access.
/// texts       a text for each tile of the block, in shared memory.
/// Cost        the cost of `count`, one ordered reduction of a 28-byte struct, and 2 barriers.
template <class Block, class Histogram, class Texts>
TESSERA_FN void count_slice(Block const& block, piece const* pieces, slice const& what,
                            Histogram const& histogram, Texts texts, slice_count& result) {
  auto const tile = tessera::tiled_partition<32>(block);
  unsigned const tiles = tile.meta_group_size();
  unsigned const which = tile.meta_group_rank();
  unsigned const rank = tile.thread_rank();

  for (unsigned byte = block.thread_rank(); byte < 256; byte += block.size()) histogram[byte] = 0;
  block.sync();

  // All parts except the last have the same size, which is a number of whole steps.
  unsigned const step = 32 * piece::bytes;
  unsigned const part = (what.bytes + tiles * step - 1) / (tiles * step) * step;
  unsigned const begin = tessera::minimum{}(which * part, what.bytes);
  unsigned const end = tessera::minimum{}(begin + part, what.bytes);
  piece const* const first = pieces + what.first_piece + begin / piece::bytes;
  text<unsigned> const mine = count(tile, first, end - begin, histogram);
  if (rank == 0) texts[which] = mine;
  block.sync();

  if (which == 0) {
    text<unsigned> const of_tile = rank < tiles ? texts[rank] : text<unsigned>{};
    auto const in_order = tessera::make_operator(join{}, text<unsigned>{});
    text<unsigned> const all = tessera::reduce(tile, of_tile, in_order, tessera::to_leader);
    if (rank == 0) result.seen = all;
  }
  for (unsigned byte = block.thread_rank(); byte < 256; byte += block.size())
    result.bytes[byte] = histogram[byte];
}

}  // namespace tally
