// Reordering of a group's items between striped and blocked order.
#pragma once

#include <tessera/block/movement.hpp>
#include <tessera/core/bits.hpp>
#include <tessera/core/items.hpp>
#include <tessera/core/policy.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/group/tuning.hpp>
#include <tessera/tile/collective.hpp>
#include <tessera/tile/item_exchange.hpp>
#include <tessera/tile/pair_neighbors.hpp>
#include <tessera/tile/requirements.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// The exchange of K items of so many bytes: neighbors are paired `pairings` times, and then K >> pairings larger
/// items move.
template <unsigned K, unsigned N, unsigned Bytes>
struct exchange_plan {
  template <unsigned Pairings>
  TESSERA_FN static constexpr unsigned shuffles_with() {
    constexpr bool is_short = Bytes == 1 || Bytes == 2;
    constexpr bool possible =
        Pairings == 0 || (is_short && Bytes << Pairings <= 4 && K >> Pairings << Pairings == K && N >> Pairings != 0);
    if constexpr (possible) {
      return Pairings * detail::shuffles_of_pairing(K * Bytes) +
             exchange_schedule<(K >> Pairings), N, Pairings>::shuffles(Bytes << Pairings);
    } else {
      return ~0u;
    }
  }
  static constexpr unsigned with_none = shuffles_with<0>();
  static constexpr unsigned with_one = shuffles_with<1>();
  static constexpr unsigned with_two = shuffles_with<2>();
  static constexpr unsigned pairings = with_none <= with_one && with_none <= with_two ? 0
                                       : with_one <= with_two                         ? 1
                                                                                      : 2;
  static constexpr unsigned shuffles = shuffles_with<pairings>();

  /// An item as large as one, two or four of the items.
  using packed = items<stl::conditional_t<Bytes << pairings == 4, stl::uint32_t, stl::uint16_t>, (K >> pairings)>;
};

/// The items' bytes as those of other items.
template <class To, class From>
TESSERA_FN To repack(To to, From const& from) {
  static_assert(sizeof(To) == sizeof(From));
  detail::copy_bytes(TESSERA_ADDRESS_OF(to), TESSERA_ADDRESS_OF(from), sizeof(To));
  return to;
}

/// True if the items are an N×N matrix that is best transposed by exchanges of half the items.
template <class Items, unsigned N>
inline constexpr bool is_square = Items::count == N && sizeof(item_t<Items>) >= 4 && detail::transposes_by_exchanges(N);

/// `from` if the mask is all ones, `x` if it is all zeros. It selects bit by bit, since a compiler may turn a
/// conditional into two branches, each with shuffles of its own, which then never meet.
template <class Words>
TESSERA_FN Words blend(stl::uint32_t mask, Words const& from, Words x) {
  TESSERA_UNROLL
  for (unsigned w = 0; w < sizeof(Words) / 4; ++w) x.word[w] ^= (x.word[w] ^ from.word[w]) & mask;
  return x;
}

/// All ones or all zeros. The compiler doesn't know that these are the only values.
TESSERA_FN stl::uint32_t mask_of(bool ones) {
  return detail::opaque(ones ? ~stl::uint32_t{0} : 0u);
}

/// Lane r's item i goes to lane i's item r. Invariant: before the exchange with `Bit`, ranks and items are transposed
/// in all lower bits.
template <unsigned Bit, class T, unsigned K, class Group>
TESSERA_FN void exchange_halves(Group group, words<T> (&x)[K]) {
  stl::uint32_t const upper = detail::mask_of((group.rank() & Bit) != 0);
  TESSERA_UNROLL
  for (unsigned pair = 0; pair < K / 2; ++pair) {
    unsigned const low = pair / Bit * 2 * Bit + pair % Bit, high = low + Bit;
    words<T> const got = group.shuffle_xor(detail::blend(upper, x[low], x[high]), Bit);
    x[low] = detail::blend(upper, got, x[low]);
    x[high] = detail::blend(~upper, got, x[high]);
  }
  if constexpr (2 * Bit < K) detail::exchange_halves<2 * Bit, T>(group, x);
}

template <class T, unsigned K, class Group>
TESSERA_FN items<T, K> transpose_square(Group group, items<T, K> x) {
  words<T> v[K];
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i) v[i] = detail::words_at<T>(TESSERA_ADDRESS_OF(x.item[i]));
  detail::exchange_halves<1, T>(group, v);
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i) detail::copy_bytes(TESSERA_ADDRESS_OF(x.item[i]), v[i].word, sizeof(T));
  return x;
}

/// Several warps: every item goes to its position in blocked order, all at once.
template <class Backend, class T, unsigned K>
TESSERA_FN items<T, K> to_blocked_across_warps(multi_warp_group<Backend> group, items<T, K> const& x) {
  items<unsigned, K> position{};
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i) position[i] = i * Backend::size + group.rank();
  return detail::scatter_items(group, x, position);
}
template <class Backend, class T, unsigned K>
TESSERA_FN items<T, K> to_striped_across_warps(multi_warp_group<Backend> group, items<T, K> const& x) {
  constexpr unsigned N = Backend::size;
  items<unsigned, K> position{};
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i) {
    unsigned const number = group.rank() * K + i;
    position[i] = number % N * K + number / N;
  }
  return detail::scatter_items(group, x, position);
}

template <class Items, class Group>
TESSERA_FN Items to_blocked(Group group, Items const& x) {
  constexpr unsigned bytes = sizeof(item_t<Items>);
  using plan = exchange_plan<Items::count, Group::size, bytes>;
  if constexpr (is_multi_warp<Group>) {
    return detail::to_blocked_across_warps(group, x);
  } else if constexpr (is_square<Items, Group::size>) {
    return detail::transpose_square(group, x);
  } else if constexpr (plan::pairings == 0) {
    return detail::striped_to_blocked<0>(group, x);
  } else {
    auto packed = detail::repack(typename plan::packed{}, x);
    packed = detail::pair_neighbors<bytes>(group, packed, 1);
    if constexpr (plan::pairings == 2) packed = detail::pair_neighbors<2 * bytes>(group, packed, 2);
    return detail::repack(x, detail::striped_to_blocked<plan::pairings>(group, packed));
  }
}

template <class Items, class Group>
TESSERA_FN Items to_striped(Group group, Items const& x) {
  constexpr unsigned bytes = sizeof(item_t<Items>);
  using plan = exchange_plan<Items::count, Group::size, bytes>;
  if constexpr (is_multi_warp<Group>) {
    return detail::to_striped_across_warps(group, x);
  } else if constexpr (is_square<Items, Group::size>) {
    return detail::transpose_square(group, x);
  } else if constexpr (plan::pairings == 0) {
    return detail::blocked_to_striped<0>(group, x);
  } else {
    auto packed = detail::blocked_to_striped<plan::pairings>(group, detail::repack(typename plan::packed{}, x));
    if constexpr (plan::pairings == 2) packed = detail::pair_neighbors<2 * bytes>(group, packed, 2);
    packed = detail::pair_neighbors<bytes>(group, packed, 1);
    return detail::repack(x, packed);
  }
}

template <collective_row const& Collective, class Items, class Tile, class Policy, class Body>
TESSERA_FN Items reorder(Tile const& tile, Policy const& policy, call_site site, Body body) {
  require_items<Items>();
  require_exchangeable<Items>();
  if constexpr (is_items_v<Items>) {  // otherwise the message above suffices
    return detail::collective<Collective, Items>(tile, policy, site, 0, body);
  }
}

}  // namespace detail
TESSERA_NAMESPACE_END
