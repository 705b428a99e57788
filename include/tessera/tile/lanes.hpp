// Movement between lanes beyond the members of a group.
#pragma once

#include <tessera/core/items.hpp>
#include <tessera/core/policy.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/tile/collective.hpp>
#include <tessera/tile/requirements.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

template <collective_row const& Collective, class T, class Tile, class Policy, class Body>
TESSERA_FN T move(Tile const& tile, Policy const& policy, call_site site, stl::uint64_t uniform, Body body) {
  require_exchangeable<T>();
  return detail::collective<Collective, T>(tile, policy, site, uniform, body);
}

/// Reports a source that a coalesced group doesn't have. (A tile reports its own.)
template <class Tile, class Group>
TESSERA_FN void require_source([[maybe_unused]] Group group, [[maybe_unused]] unsigned source) {
  if constexpr (is_coalesced<Tile> && on_host<Tile>) group.require_source(source);
}

/// The x of lane rank ^ mask. A host tile reports a lane that doesn't exist.
template <class Group, class T>
TESSERA_FN T from_partner(Group group, T const& x, unsigned mask) {
  if constexpr (is_warp<Group>) {
    return group.shuffle_xor(x, mask);
  } else {
    return group.shuffle(x, group.rank() ^ mask);
  }
}

template <class T>
TESSERA_FN T in_reverse(T const& x) {
  return x;
}
template <class T, unsigned K>
TESSERA_FN items<T, K> in_reverse(items<T, K> const& x) {
  items<T, K> out = x;
  TESSERA_UNROLL
  for (unsigned k = 0; k < K; ++k)
    detail::copy_bytes(TESSERA_ADDRESS_OF(out.item[k]), TESSERA_ADDRESS_OF(x.item[K - 1 - k]), sizeof(T));
  return out;
}

}  // namespace detail
TESSERA_NAMESPACE_END
