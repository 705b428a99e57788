// The counts of a part of a text. They suffice to compute the counts of two adjacent parts together.
//
//         ┌ first_line ┐                       ┌─ last_line ─┐
//   part  . . . . . . . \n . . . \n . . . . \n . . . . . . . .
//
// `join` is an associative operator with the identity `text{}`. It doesn't commute.
#pragma once

#include <tessera/core/config.hpp>

namespace tally {

/// `Count` has 32 bits for the counts of a tile, and 64 bits for those of a file.
template <class Count>
struct text {
  Count bytes;
  Count lines;    // the number of newlines
  Count words;    // the number of words, including those that the ends of the part cut off
  Count longest;  // the bytes of the longest line without its newline, including the lines that are cut off
  Count first_line;  // the bytes before the first newline, or all bytes if there is none
  Count last_line;   // the bytes after the last newline, or all bytes if there is none
  bool starts_in_word;
  bool ends_in_word;
};

/// The counts of part `a` followed by part `b`.
struct join {
  template <class Count>
  TESSERA_FN text<Count> operator()(text<Count> a, text<Count> b) const {
    Count const seam = a.last_line + b.first_line;  // the line that continues from a to b
    Count const longer = a.longest < b.longest ? b.longest : a.longest;
    text<Count> both;
    both.bytes = a.bytes + b.bytes;
    both.lines = a.lines + b.lines;
    both.words = a.words + b.words - (a.ends_in_word && b.starts_in_word ? 1u : 0u);
    both.longest = longer < seam ? seam : longer;
    both.first_line = a.lines == 0 ? seam : a.first_line;
    both.last_line = b.lines == 0 ? seam : b.last_line;
    both.starts_in_word = a.bytes == 0 ? b.starts_in_word : a.starts_in_word;
    both.ends_in_word = b.bytes == 0 ? a.ends_in_word : b.ends_in_word;
    return both;
  }
};

/// Whether the byte is not white space: space, \t, \n, \v, \f or \r.
TESSERA_FN bool in_word(unsigned byte) {
  return byte != ' ' && byte - '\t' >= 5u;
}

}  // namespace tally
