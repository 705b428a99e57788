// Movement: values of other lanes of the tile, for any trivially copyable type.
//
//   rank                0 1 2 3 4 5 6 7
//   x                   a b c d e f g h
//   shuffle(x, 7-rank)  h g f e d c b a
//   broadcast(x, 2)     c c c c c c c c
//   shift_up(x, 2)      a b a b c d e f      lanes 0, 1: their own
//   shift_up(x, 2, z)   z z a b c d e f
//   shift_down(x, 2)    c d e f g h g h      lanes 6, 7: their own
//   butterfly(x, 1)     b a d c f e h g
//
// Each is called by all lanes of the tile (with `converged`: of the warp) and costs one shuffle of each 32-bit word
// of the type, no barrier. Policies: convergence. Source: the warp shuffles of the CUDA C++ Programming Guide.
#pragma once

#include <tessera/detail/collective.hpp>
#include <tessera/detail/requirements.hpp>
#include <tessera/policy.hpp>
#include <tessera/tile.hpp>

namespace tessera {

namespace detail {

/// T, but not deduced from this argument.
template <class T>
struct same {
  using type = T;
};
template <class T>
using same_t = typename same<T>::type;

template <class Tile, class T, class Policy, class Body>
TESSERA_FN T move(Tile const& tile, Policy const& policy, const char* name, call_site site, unsigned uniform,
                  Body body) {
  require_tile<Tile>();
  require_exchangeable<T>();
  require_policy<Policy, policy_kind::convergence>();
  return detail::collective(tile, policy, collective_name<T>{name, site}, uniform, body);
}

}  // namespace detail

/// x of lane `source`, which may differ from lane to lane. Precondition: source < N.
template <class Tile, class T, class Policy = policy<>>
TESSERA_FN T shuffle(Tile const& tile, T x, unsigned source, Policy policy = {},
                     call_site site = call_site::here()) {
  return detail::move<Tile, T>(tile, policy, "shuffle", site, 0,
                               [&](auto lanes) { return lanes.shuffle(x, source); });
}

/// x of lane `source`, the same lane for all. Precondition: source < N, uniform over the tile.
template <class Tile, class T, class Policy = policy<>>
TESSERA_FN T broadcast(Tile const& tile, T x, unsigned source = 0, Policy policy = {},
                       call_site site = call_site::here()) {
  return detail::move<Tile, T>(tile, policy, "broadcast", site, source,
                               [&](auto lanes) { return lanes.shuffle(x, source); });
}

/// x of lane rank − delta; lanes 0 … delta − 1 keep their own. Any delta, uniform over the tile.
template <class Tile, class T, class Policy = policy<>, stl::enable_if_t<is_policy_v<Policy>, int> = 0>
TESSERA_FN T shift_up(Tile const& tile, T x, unsigned delta, Policy policy = {},
                      call_site site = call_site::here()) {
  return shift_up(tile, x, delta, x, policy, site);
}

/// x of lane rank − delta; `fill` in lanes 0 … delta − 1. Any delta, uniform over the tile.
template <class Tile, class T, class Policy = policy<>>
TESSERA_FN T shift_up(Tile const& tile, T x, unsigned delta, detail::same_t<T> fill, Policy policy = {},
                      call_site site = call_site::here()) {
  return detail::move<Tile, T>(tile, policy, "shift_up", site, delta, [&](auto lanes) {
    T const moved = lanes.shuffle_up(x, delta % lanes.size);
    return lanes.rank() < delta ? fill : moved;
  });
}

/// x of lane rank + delta; lanes N − delta … N − 1 keep their own. Any delta, uniform over the tile.
template <class Tile, class T, class Policy = policy<>, stl::enable_if_t<is_policy_v<Policy>, int> = 0>
TESSERA_FN T shift_down(Tile const& tile, T x, unsigned delta, Policy policy = {},
                        call_site site = call_site::here()) {
  return shift_down(tile, x, delta, x, policy, site);
}

/// x of lane rank + delta; `fill` in lanes N − delta … N − 1. Any delta, uniform over the tile.
template <class Tile, class T, class Policy = policy<>>
TESSERA_FN T shift_down(Tile const& tile, T x, unsigned delta, detail::same_t<T> fill, Policy policy = {},
                        call_site site = call_site::here()) {
  return detail::move<Tile, T>(tile, policy, "shift_down", site, delta, [&](auto lanes) {
    T const moved = lanes.shuffle_down(x, delta % lanes.size);
    return lanes.size - lanes.rank() <= delta ? fill : moved;
  });
}

/// x of lane rank ^ mask. Precondition: mask < N, uniform over the tile.
template <class Tile, class T, class Policy = policy<>>
TESSERA_FN T butterfly(Tile const& tile, T x, unsigned mask, Policy policy = {},
                       call_site site = call_site::here()) {
  return detail::move<Tile, T>(tile, policy, "butterfly", site, mask, [&](auto lanes) {
    if constexpr (detail::is_warp<decltype(lanes)>) {
      return lanes.shuffle_xor(x, mask);
    } else {
      return lanes.shuffle(x, lanes.rank() ^ mask);  // reports a lane that isn't there
    }
  });
}

}  // namespace tessera
