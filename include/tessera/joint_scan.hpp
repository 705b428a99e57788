// Scans of a range in memory, by one tile.
//
//   in                         a  b    c   d     | e     f      …      a chunk: N vectors, here of 2 elements
//   each lane, its own         a  ab   c   cd    |
//   before each lane           -       ab        | abcd
//   out, inclusive             a  ab   abc abcd  | abcde abcdef …      with init z: za zab zabc zabcd …
//   out, exclusive             1  a    ab  abc   | abcd  abcde  …      1: the identity; with init z: z za zab …
//
//   with suffix                …  u     v    | w    x   y  z            from the end of the range
//   out, inclusive             …        vwxyz| wxyz xyz yz z            with init t: … wxyzt xyzt yzt zt
//   out, exclusive             …  vwxyz wxyz | xyz  yz  z  1            with init t: …  xyzt  yzt  zt  t
//
// Transform scans combine f(element) in place of each element.
//
// Source: chained scan of blocks, as CUB's BlockScan with a running prefix; within a tile as scan.hpp.
#pragma once

#include <tessera/core/policy.hpp>
#include <tessera/core/scanned.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/operators.hpp>
#include <tessera/tile/joint_scan.hpp>

TESSERA_NAMESPACE_BEGIN

/// out[i] = first[0] op … op first[i], for i from 0 to n − 1; with `suffix`, first[i] op … op first[n − 1].
///
///   tessera::joint_inclusive_scan(tile, row, n, row);                                              // in place
///   int const all = tessera::joint_inclusive_scan(tile, in, n, out, tessera::maximum{}, tessera::with_total);
///   tessera::joint_inclusive_scan(tile, in, n, rest, tessera::plus{}, tessera::suffix);     // rest[0]: the sum of all
///
/// Called by  all lanes of the tile (with `converged`: of the warp), with the same arguments. Tiles of a warp may have
///            ranges of different lengths, under each policy.
/// first, n   a pointer to global, shared or host memory, any trivially copyable T at its natural alignment; any
///            integer. No element if n ≤ 0.
/// out        n elements of T, in place (`first` itself) or apart from the range, or an iterator that writes. `plus`
///            may also widen: integers of 8 and 16 bits to int, bool to unsigned or, if n has 64 bits, to
///            std::uint64_t; sums wrap as these types do. An iterator gets the wider type. A lane sees the elements
///            that other lanes have stored after tile.sync().
/// Returns    nothing; with `with_total` the combination of all elements, in every lane; the identity if n ≤ 0.
/// Order      the range's. The bits are fixed by n, N and the address of `first` modulo 16, and are the same on GPU and
///            host. A chunk is one vector a lane: each lane scans its vector from left to right, the tile scans the
///            vectors as `inclusive_scan` does (N > 32: the last lane with a vector counts as its warp's last), and
///            each element is (chunks before op vectors before) op (its vector up to the element). `suffix` is the
///            mirror image: its bits are those of the scan of the reversed range by op with its operands swapped.
/// Policies   convergence, direction (prefix, suffix), extra (with_total).
/// Cost       for every V · N elements, V = 16 / sizeof(T), and for the elements outside of vectors: log2(N) + 2
///            shuffles of each word of T, and for N > 32 two barriers, a slot and a result a warp (scratch.hpp). Loads
///            of 16 bytes, 4 in flight at a time; stores of 16 bytes if out and first have the same address modulo 16.
///            Tiles of a warp that differ in length wait for the longest.
template <class Tile, class It, class Integer, class Out, class Op = plus, class... Choices>
TESSERA_FN detail::range_total_t<policy<Choices...>, detail::scan_result_t<Out, Op, It, Integer>> joint_inclusive_scan(
    Tile const& tile, It first, Integer n, Out out, Op op = {}, policy<Choices...> policy = {},
    call_site site = call_site::here()) {
  return detail::joint_scan<detail::collectives::joint_inclusive_scan, detail::scan_kind::inclusive,
                            detail::scan_result_t<Out, Op, It, Integer>>(
      tile, detail::reader_of(first), n, out, op, detail::as_it_is{}, detail::no_start{}, site, policy);
}

/// As above, with a start: out[i] = init op first[0] op … op first[i]; with `suffix`, first[i] op … op first[n − 1] op
/// init. Any operator. The total doesn't contain the start, so one call of op carries it on from piece to piece of a
/// sequence:
///
///   carry = op(carry, tessera::joint_inclusive_scan(tile, piece, n, out, op, carry, tessera::with_total));
///
/// With `suffix` the pieces are taken from the last to the first, and the carry is on the right: carry = op(total,
/// carry). The carry has the same bits in every lane, on GPU and host, and stays equal to init if n ≤ 0.
template <class Tile, class It, class Integer, class Out, class Op, class Init, class Policy = policy<>>
TESSERA_FN detail::range_total_t<Policy, detail::scan_result_t<Out, Op, It, Integer>> joint_inclusive_scan(
    Tile const& tile, It first, Integer n, Out out, Op op, Init init, Policy policy = {},
    call_site site = call_site::here()) {
  return detail::joint_scan<detail::collectives::joint_inclusive_scan, detail::scan_kind::inclusive,
                            detail::scan_result_t<Out, Op, It, Integer>>(
      tile, detail::reader_of(first), n, out, op, detail::as_it_is{},
      detail::start_of<Op, detail::scan_result_t<Out, Op, It, Integer>>(init), site, policy);
}

/// out[i] = first[0] op … op first[i − 1], for i from 0 to n − 1; out[0] is the operator's identity. With `suffix`,
/// first[i + 1] op … op first[n − 1]; out[n − 1] is the identity. Otherwise as joint_inclusive_scan.
template <class Tile, class It, class Integer, class Out, class Op = plus, class... Choices>
TESSERA_FN detail::range_total_t<policy<Choices...>, detail::scan_result_t<Out, Op, It, Integer>> joint_exclusive_scan(
    Tile const& tile, It first, Integer n, Out out, Op op = {}, policy<Choices...> policy = {},
    call_site site = call_site::here()) {
  return detail::joint_scan<detail::collectives::joint_exclusive_scan, detail::scan_kind::exclusive,
                            detail::scan_result_t<Out, Op, It, Integer>>(
      tile, detail::reader_of(first), n, out, op, detail::as_it_is{}, detail::no_start{}, site, policy);
}

/// As above, with a start: out[0] = init, out[i] = init op first[0] op … op first[i − 1]; with `suffix`, out[n − 1] =
/// init, out[i] = first[i + 1] op … op first[n − 1] op init. Any operator. The total doesn't contain the start.
template <class Tile, class It, class Integer, class Out, class Op, class Init, class Policy = policy<>>
TESSERA_FN detail::range_total_t<Policy, detail::scan_result_t<Out, Op, It, Integer>> joint_exclusive_scan(
    Tile const& tile, It first, Integer n, Out out, Op op, Init init, Policy policy = {},
    call_site site = call_site::here()) {
  return detail::joint_scan<detail::collectives::joint_exclusive_scan, detail::scan_kind::exclusive,
                            detail::scan_result_t<Out, Op, It, Integer>>(
      tile, detail::reader_of(first), n, out, op, detail::as_it_is{},
      detail::start_of<Op, detail::scan_result_t<Out, Op, It, Integer>>(init), site, policy);
}

/// out[i] = f(first[0]) op … op f(first[i]), for i from 0 to n − 1; with `suffix`, f(first[i]) op … op f(first[n − 1]).
/// f takes (x), or (x, index) with the element's index in the range, of n's type, in either direction.
///
///   tessera::joint_transform_inclusive_scan(tile, lengths, n, ends, tessera::plus{},
///                                           [](unsigned char length) { return 4u + length; });
///
/// f          is called once for each element, by one lane. Its result may have another type than the elements: out
///            points to elements of that type (to unsigned if it is bool and op is plus: a count).
/// out        in place if the types are the same.
/// Arguments  in the order of std::transform_inclusive_scan and joint_transform_reduce: op, then f, then a start.
/// Order      as for joint_inclusive_scan of the elements: V is 16 / sizeof(T) of the elements read, not of f's
///            results.
/// Cost       as for joint_inclusive_scan, with shuffles of f's results; stores of 16 bytes if the results of a vector
///            fill 16 bytes and out is aligned to them.
///
/// Otherwise as joint_inclusive_scan.
template <class Tile, class It, class Integer, class Out, class Op, class F, class... Choices>
TESSERA_FN detail::range_total_t<policy<Choices...>, detail::scan_result_t<Out, Op, It, Integer, F>>
joint_transform_inclusive_scan(Tile const& tile, It first, Integer n, Out out, Op op, F f,
                               policy<Choices...> policy = {}, call_site site = call_site::here()) {
  return detail::joint_scan<detail::collectives::joint_transform_inclusive_scan, detail::scan_kind::inclusive,
                            detail::scan_result_t<Out, Op, It, Integer, F>>(tile, detail::reader_of(first), n, out, op,
                                                                            f, detail::no_start{}, site, policy);
}

/// As above, with a start: out[i] = init op f(first[0]) op … op f(first[i]); with `suffix`, f(first[i]) op … op
/// f(first[n − 1]) op init. Any operator. The total doesn't contain the start.
template <class Tile, class It, class Integer, class Out, class Op, class F, class Init, class Policy = policy<>>
TESSERA_FN detail::range_total_t<Policy, detail::scan_result_t<Out, Op, It, Integer, F>> joint_transform_inclusive_scan(
    Tile const& tile, It first, Integer n, Out out, Op op, F f, Init init, Policy policy = {},
    call_site site = call_site::here()) {
  return detail::joint_scan<detail::collectives::joint_transform_inclusive_scan, detail::scan_kind::inclusive,
                            detail::scan_result_t<Out, Op, It, Integer, F>>(
      tile, detail::reader_of(first), n, out, op, f,
      detail::start_of<Op, detail::scan_result_t<Out, Op, It, Integer, F>>(init), site, policy);
}

/// out[i] = f(first[0]) op … op f(first[i − 1]), for i from 0 to n − 1; out[0] is the operator's identity. With
/// `suffix`, f(first[i + 1]) op … op f(first[n − 1]); out[n − 1] is the identity. Otherwise as
/// joint_transform_inclusive_scan.
template <class Tile, class It, class Integer, class Out, class Op, class F, class... Choices>
TESSERA_FN detail::range_total_t<policy<Choices...>, detail::scan_result_t<Out, Op, It, Integer, F>>
joint_transform_exclusive_scan(Tile const& tile, It first, Integer n, Out out, Op op, F f,
                               policy<Choices...> policy = {}, call_site site = call_site::here()) {
  return detail::joint_scan<detail::collectives::joint_transform_exclusive_scan, detail::scan_kind::exclusive,
                            detail::scan_result_t<Out, Op, It, Integer, F>>(tile, detail::reader_of(first), n, out, op,
                                                                            f, detail::no_start{}, site, policy);
}

/// As above, with a start: out[0] = init, out[i] = init op f(first[0]) op … op f(first[i − 1]); with `suffix`, out[n −
/// 1] = init, out[i] = f(first[i + 1]) op … op f(first[n − 1]) op init. Any operator. (The start is the last argument
/// before the policy, as in every scan here; std::transform_exclusive_scan has it before op.)
template <class Tile, class It, class Integer, class Out, class Op, class F, class Init, class Policy = policy<>>
TESSERA_FN detail::range_total_t<Policy, detail::scan_result_t<Out, Op, It, Integer, F>> joint_transform_exclusive_scan(
    Tile const& tile, It first, Integer n, Out out, Op op, F f, Init init, Policy policy = {},
    call_site site = call_site::here()) {
  return detail::joint_scan<detail::collectives::joint_transform_exclusive_scan, detail::scan_kind::exclusive,
                            detail::scan_result_t<Out, Op, It, Integer, F>>(
      tile, detail::reader_of(first), n, out, op, f,
      detail::start_of<Op, detail::scan_result_t<Out, Op, It, Integer, F>>(init), site, policy);
}

TESSERA_NAMESPACE_END
