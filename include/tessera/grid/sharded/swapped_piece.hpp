// A piece that a rank sends another one, and the one that it gets in return.
#pragma once

#include <tessera/core/config.hpp>

#include <cstddef>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Bytes that a rank sends to a peer, and gets from it: both may be 0. Several pieces of one peer follow each other.
struct swapped_piece {
  int peer;
  void const* from;
  std::size_t sent;
  void* to;
  std::size_t got;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
