// The segments of a tile's lanes: given by their first lanes, by their last lanes, or as runs of equal keys.
//
//   rank          0  1  2  3  4  5  6  7
//   by_head       .  .  x  .  .  x  x  .      segments 0-1, 2-4, 5, 6-7: lanes before the first head form one
//   by_tail       .  x  .  .  x  x  .  .      the same segments: lanes after the last tail form one
//   by_key        a  a  b  b  b  a  c  c      the same segments
#pragma once

#include <tessera/core/config.hpp>

TESSERA_NAMESPACE_BEGIN

/// Segments that begin in the lanes with `flag`; a plain bool means the same.
struct by_head {
  bool flag;
  TESSERA_FN constexpr explicit by_head(bool head) : flag(head) {}
};

/// Segments that end in the lanes with `flag`.
struct by_tail {
  bool flag;
  TESSERA_FN constexpr explicit by_tail(bool tail) : flag(tail) {}
};

/// Segments of neighbors whose keys have the same bits. Key: any number, or a struct of integers without padding.
template <class Key>
struct by_key {
  Key key;
  TESSERA_FN constexpr explicit by_key(Key k) : key(k) {}
};

TESSERA_NAMESPACE_END
