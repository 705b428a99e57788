// What the tally knows of a stretch of text: enough to say the same of two stretches side by side.
//
//            ┌ first_line ┐                       ┌─ last_line ─┐
//   stretch  . . . . . . . \n . . . \n . . . . \n . . . . . . . .
//
// Texts are a monoid: `join` is associative, `text{}` its identity. It doesn't commute.
#pragma once

#include <tessera/config.hpp>

namespace tally {

/// `Count` is 32-bit for what one tile sees, 64-bit for a file.
template <class Count>
struct text {
  Count bytes;
  Count lines;       // newlines
  Count words;       // runs of bytes that aren't white space, those cut off by an end of the stretch too
  Count longest;     // of all lines, the two cut off too; none has its newline counted
  Count first_line;  // bytes before the first newline; all where there is none
  Count last_line;   // bytes after the last newline; all where there is none
  bool starts_in_word;
  bool ends_in_word;
};

/// The text of stretch `a` followed by stretch `b`.
struct join {
  template <class Count>
  TESSERA_FN text<Count> operator()(text<Count> a, text<Count> b) const {
    Count const seam = a.last_line + b.first_line;  // the line that goes on from a to b
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

/// Whether the byte is none of space, \t, \n, \v, \f and \r.
TESSERA_FN bool in_word(unsigned byte) {
  return byte != ' ' && byte - '\t' >= 5u;
}

}  // namespace tally
