// Runs of equal neighbors: the first value of each (unique), their values and lengths, and decoding them.
//
//   rank                       0      1      2      3
//   x                          a a    a b    b c    c c       blocked order
//   unique: keep               x .    . x    . x    . .
//           position           0 0    0 1    1 2    2 2       count: 3
//   run_length_encode: value   a b    c .    . .    . .       count: 3
//                      length  3 2    3 0    0 0    0 0
//   run_length_decode: value   a a    a b    b c    c c       total: 8
//                      offset  0 1    2 0    1 0    1 2
//
// Sources: heads of segments and a sum of them, G. Blelloch, "Prefix sums and their applications", 1990; CUB's
// BlockRunLengthDecode.
#pragma once

#include <tessera/core/comparators.hpp>
#include <tessera/core/items.hpp>
#include <tessera/core/policy.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/tile/runs.hpp>

TESSERA_NAMESPACE_BEGIN

/// The first value of each run of equal neighbors, and the runs' numbers.
///
///   auto const [keep, position, count] = tessera::unique(tile, key);
///   if (keep) out[position] = key;
///
/// Called by  all lanes of the tile (with `converged`: of the warp), with one `equal` and one policy.
/// x          any trivially copyable T, or items<T, K> in blocked order.
/// equal      an equivalence relation, called for neighbors as equal(predecessor, value).
/// Returns    unique_values{keep, position, count}: true for the first value of a run; the number of the value's run,
///            from 0 on; and the number of runs, in every lane. A value that takes no part has position `count`.
/// Policies   convergence; participants: first(n), where n counts values; memory.
/// Cost       K calls of `equal`, one shuffle of each 32-bit word of T and ⌈log2(K + 1)⌉ votes. N > 32: four barriers,
///            and a slot a warp (scratch.hpp).
template <class Tile, class X, class Equal = equal_to, class Policy = policy<>>
TESSERA_FN auto unique(Tile const& tile, X x, Equal equal = {}, Policy policy = {},
                       call_site site = call_site::here()) {
  using T = detail::item_t<X>;
  using result = unique_values<detail::of_each_value_t<X, bool>, detail::of_each_value_t<X, unsigned>>;
  detail::require_exchangeable<X>();
  detail::require_equality<Tile, Equal, T>();
  return detail::collective<detail::collectives::unique, X, Equal>(
      tile, policy, site, 0, [&](detail::group_of<Tile, Policy> group) {
        auto const out = detail::unique_items(group, detail::as_row(x), equal, policy);
        return result{detail::as_given<X>(out.keep), detail::as_given<X>(out.position), out.count};
      });
}

/// The values and lengths of the runs of equal neighbors, compacted: run p is at position p.
///
///   auto const [value, length, count] = tessera::run_length_encode(tile, key);
///   if (tile.thread_rank() < count) append(value, length);
///
/// Called by, x, equal   as for `unique`.
/// Returns    encoded_runs{value, length, count}: the first value of each run and the run's length, in blocked order,
///            and the number of runs, in every lane. After the runs come the other values in their order, with lengths
///            of 0.
/// Policies   convergence; participants: first(n), where n counts values; the others keep their places, with lengths of
///            0; memory.
/// Cost       as for `unique`, and one `scatter` of a T and a position. N > 32: the barriers of both and two more; a
///            slot a warp, and K slots a lane of a T and a position (scratch.hpp).
template <class Tile, class X, class Equal = equal_to, class Policy = policy<>>
TESSERA_FN auto run_length_encode(Tile const& tile, X x, Equal equal = {}, Policy policy = {},
                                  call_site site = call_site::here()) {
  using T = detail::item_t<X>;
  using result = encoded_runs<X, detail::of_each_value_t<X, unsigned>>;
  detail::require_exchangeable<X>();
  detail::require_equality<Tile, Equal, T>();
  return detail::collective<detail::collectives::run_length_encode, X, Equal>(
      tile, policy, site, 0, [TESSERA_CAPTURES](detail::group_of<Tile, Policy> group) {
        auto const out = detail::encode_runs(group, detail::as_row(x), equal, policy);
        return result{detail::as_given<X>(out.value), detail::as_given<X>(out.length), out.count};
      });
}

/// Decodes runs: K values a lane, beginning with value number `from` of the decoded sequence.
///
///   auto const [value, offset, total] = tessera::run_length_decode<4>(tile, run_value, run_length, from);
///
/// Called by  all lanes of the tile (with `converged`: of the warp), with one `from`. A loop over `from` in steps of
///            N · K, while from < total, decodes all values.
/// value      the runs' values: any trivially copyable T, or items<T, R> in blocked order.
/// length     unsigned, or items<unsigned, R>: the runs' lengths; 0 is allowed. Their sum and from + N · K are below
///            2³².
/// Returns    decoded_runs{value, offset, total}: K values of a lane in blocked order (K = 1, the default: a T, else
///            items<T, K>), their offsets from the begin of their run, and the number of all values, in every lane.
///            From total on, values are unspecified.
/// Policies   convergence; participants: first(n), where n counts runs; the others have no values; memory.
/// Cost       one sum of lengths, and for each of K values log2(N) shuffles of a position and R shuffles of each 32-bit
///            word of T and a position. N > 32: two barriers, and two for each part of the runs that has slots of a T
///            and a position: for all, with R slots a lane (scratch.hpp).
template <unsigned K = 1, class Tile, class Values, class Lengths, class Policy = policy<>>
TESSERA_FN auto run_length_decode(Tile const& tile, Values value, Lengths length, unsigned from, Policy policy = {},
                                  call_site site = call_site::here()) {
  using T = detail::item_t<Values>;
  using values = detail::decoded_t<T, K>;
  using offsets = detail::decoded_t<unsigned, K>;
  detail::require_exchangeable<Values>();
  detail::require_runs<K, Values, Lengths>();
  return detail::collective<detail::collectives::run_length_decode, Values>(
      tile, policy, site, from, [&](detail::group_of<Tile, Policy> group) {
        auto const out = detail::decode_runs<K>(group, detail::as_row(value), detail::as_row(length), from, policy);
        return decoded_runs<values, offsets>{detail::as_given<values>(out.value), detail::as_given<offsets>(out.offset),
                                             out.total};
      });
}

/// As above, beginning with the first value.
template <unsigned K = 1, class Tile, class Values, class Lengths, class... Choices>
TESSERA_FN auto run_length_decode(Tile const& tile, Values value, Lengths length, policy<Choices...> policy = {},
                                  call_site site = call_site::here()) {
  return tessera::run_length_decode<K>(tile, value, length, 0u, policy, site);
}

TESSERA_NAMESPACE_END
