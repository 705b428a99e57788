// Requirements of match_any, match_all, peers and reduce_by_label, and the groups of any size that they run on.
#pragma once

#include <tessera/block/match.hpp>
#include <tessera/tile/requirements.hpp>
#include <tessera/warp/match.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

template <class Tile, class Key>
TESSERA_FN constexpr void require_match() {
  require_exchangeable<Key>();
  static_assert(has_comparable_bits<Key>,
                "Keys are compared bit for bit: match a number, or a struct of integers without padding.");
}

}  // namespace detail
TESSERA_NAMESPACE_END
