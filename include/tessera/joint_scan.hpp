// Scans of a range in memory, by one tile.
//
//   in                         a  b    c   d     | e     f      …      a chunk: N vectors, here of 2 elements
//   each lane, its own         a  ab   c   cd    |
//   before each lane           -       ab        | abcd
//   out, inclusive             a  ab   abc abcd  | abcde abcdef …      init z: za zab zabc zabcd …
//   out, exclusive             1  a    ab  abc   | abcd  abcde  …      1: the identity; init z: z za zab …
//
//   with suffix                …  u     v    | w    x   y  z            from the end of the range
//   out, inclusive             …        vwxyz| wxyz xyz yz z            init t: … wxyzt xyzt yzt zt
//   out, exclusive             …  vwxyz wxyz | xyz  yz  z  1            init t: …  xyzt  yzt  zt  t
//
// Transform scans combine f of each element in its place.
//
// Source: chained scan of blocks, as CUB's BlockScan with a running prefix; within a tile as scan.hpp.
#pragma once

#include <tessera/detail/joint_scan.hpp>
#include <tessera/operators.hpp>
#include <tessera/policy.hpp>
#include <tessera/scanned.hpp>
#include <tessera/tile.hpp>

TESSERA_NAMESPACE_BEGIN

/// out[i] = first[0] op … op first[i], for i from 0 to n − 1; with `suffix`, first[i] op … op first[n − 1]. Nothing where n ≤ 0.
///
///   tessera::joint_inclusive_scan(tile, row, n, row);                                              // in place
///   int const all = tessera::joint_inclusive_scan(tile, in, n, out, tessera::maximum{}, tessera::with_total);
///   tessera::joint_inclusive_scan(tile, in, n, rest, tessera::plus{}, tessera::suffix);            // rest[0]: the sum of all
///
/// Called by  all lanes of the tile (with `converged`: of the warp), with the same arguments. Tiles of a warp may have
///            ranges of different lengths, under each policy.
/// first, n   a pointer to global, shared or host memory, any trivially copyable T at its natural alignment; any integer.
/// out        n elements of T, or of int where T is an integer of 8 or 16 bits and op is plus: sums wrap as these do. Of unsigned where T is
///            bool and op is plus, a count; where n has 64 bits also of std::uint64_t. `first` itself, or apart from the range. A lane sees what other lanes have stored after tile.sync().
/// Returns    nothing; with `with_total` all elements combined, in every lane: the identity where n ≤ 0.
/// Order      that of the range. Bits are fixed by n, N and the address of `first` modulo 16, the same on GPU and host: of a
///            chunk each lane scans its vector from left to right, the tile scans the vectors as `inclusive_scan` (N > 32: the
///            last lane with a vector counts as its warp's last), and each element is (chunks before op vectors before) op its vector's up to itself.
///            With `suffix` the mirror image of it: what is after the vectors comes first, then they from the last to the first,
///            which lane 0 begins, each from right to left, and each element is its vector's from itself on op (vectors after
///            op chunks after). The bits are those of the scan of the reversed range by op with its operands swapped.
/// Policies   convergence, direction (prefix, suffix), extra (with_total).
/// Cost       log2(N) + 2 shuffles of each word of T for every V · N elements, V = 16 / sizeof(T), and as many for the
///            elements before and after the vectors (N > 32: as 32 lanes, two barriers, and a slot and a result a warp, scratch.hpp);
///            loads of 16 bytes, 4 on their way at a time; stores of 16 bytes where out and first are as far from multiples of 16
///            bytes. Tiles of a warp that differ in length wait for the longest.
template <class Tile, class T, class Integer, class R, class Op = plus, class... Choices>
TESSERA_FN detail::range_total_t<policy<Choices...>, R> joint_inclusive_scan(
    Tile const& tile, T const* first, Integer n, R* out, Op op = {}, policy<Choices...> policy = {},
    call_site site = call_site::here()) {
  return detail::joint_scan<detail::collectives::joint_inclusive_scan, detail::scan_kind::inclusive>(
      tile, first, n, out, op, detail::as_it_is{}, detail::no_start{}, site, policy);
}

/// The same with a start: out[i] = init op first[0] op … op first[i]; with `suffix`, first[i] op … op first[n − 1] op init. Any
/// operator. The total doesn't contain the start, so that of a sequence in pieces one call of op carries it on:
///
///   carry = op(carry, tessera::joint_inclusive_scan(tile, piece, n, out, op, carry, tessera::with_total));
///
/// With `suffix` from the last piece to the first, and the carry on the right: carry = op(total, carry). The carry has the same
/// bits in every lane, on GPU and host, and stays equal to init where n ≤ 0.
template <class Tile, class T, class Integer, class R, class Op, class Init, class Policy = policy<>>
TESSERA_FN detail::range_total_t<Policy, R> joint_inclusive_scan(Tile const& tile, T const* first, Integer n,
                                                                 R* out, Op op, Init init, Policy policy = {},
                                                                 call_site site = call_site::here()) {
  return detail::joint_scan<detail::collectives::joint_inclusive_scan, detail::scan_kind::inclusive>(
      tile, first, n, out, op, detail::as_it_is{}, detail::start_of<Op, R>(init), site, policy);
}

/// out[i] = first[0] op … op first[i − 1], for i from 0 to n − 1; out[0] is the operator's identity. With `suffix`,
/// first[i + 1] op … op first[n − 1]; out[n − 1] is the identity. As joint_inclusive_scan in all else.
template <class Tile, class T, class Integer, class R, class Op = plus, class... Choices>
TESSERA_FN detail::range_total_t<policy<Choices...>, R> joint_exclusive_scan(
    Tile const& tile, T const* first, Integer n, R* out, Op op = {}, policy<Choices...> policy = {},
    call_site site = call_site::here()) {
  return detail::joint_scan<detail::collectives::joint_exclusive_scan, detail::scan_kind::exclusive>(
      tile, first, n, out, op, detail::as_it_is{}, detail::no_start{}, site, policy);
}

/// The same with a start: out[0] = init, out[i] = init op first[0] op … op first[i − 1]; with `suffix`, out[n − 1] = init,
/// out[i] = first[i + 1] op … op first[n − 1] op init. Any operator. The total doesn't contain the start.
template <class Tile, class T, class Integer, class R, class Op, class Init, class Policy = policy<>>
TESSERA_FN detail::range_total_t<Policy, R> joint_exclusive_scan(Tile const& tile, T const* first, Integer n,
                                                                 R* out, Op op, Init init, Policy policy = {},
                                                                 call_site site = call_site::here()) {
  return detail::joint_scan<detail::collectives::joint_exclusive_scan, detail::scan_kind::exclusive>(
      tile, first, n, out, op, detail::as_it_is{}, detail::start_of<Op, R>(init), site, policy);
}

/// out[i] = f(first[0]) op … op f(first[i]), for i from 0 to n − 1; with `suffix`, f(first[i]) op … op f(first[n − 1]). Nothing
/// where n ≤ 0. f takes (x), or (x, index) with the index in the range, of n's type, counted from its begin in both directions.
///
///   tessera::joint_transform_inclusive_scan(tile, lengths, n, ends, tessera::plus{},
///                                           [](unsigned char length) { return 4u + length; });
///
/// f          is called once for each element, in some lane. What it gives may be of another type than the elements: out
///            points to elements of that type (to unsigned where that is bool and op is plus: a count).
/// out        in place where the types are the same.
/// Arguments  in std::transform_inclusive_scan's order, and joint_transform_reduce's: op, then f, then a start.
/// Order      as joint_inclusive_scan's of the elements: V is 16 / sizeof(T) of what is read, not of what f gives.
/// Cost       as joint_inclusive_scan, but the shuffles are of each word of what f gives; stores of 16 bytes where what f
///            gives of a vector fills some, and out + (the elements before the vectors) lies at a multiple of them.
///
/// As joint_inclusive_scan in all else.
template <class Tile, class T, class Integer, class R, class Op, class F, class... Choices>
TESSERA_FN detail::range_total_t<policy<Choices...>, R> joint_transform_inclusive_scan(
    Tile const& tile, T const* first, Integer n, R* out, Op op, F f, policy<Choices...> policy = {},
    call_site site = call_site::here()) {
  return detail::joint_scan<detail::collectives::joint_transform_inclusive_scan,
                            detail::scan_kind::inclusive>(tile, first, n, out, op, f, detail::no_start{},
                                                          site, policy);
}

/// The same with a start: out[i] = init op f(first[0]) op … op f(first[i]); with `suffix`, f(first[i]) op … op
/// f(first[n − 1]) op init. Any operator. The total doesn't contain the start.
template <class Tile, class T, class Integer, class R, class Op, class F, class Init, class Policy = policy<>>
TESSERA_FN detail::range_total_t<Policy, R> joint_transform_inclusive_scan(
    Tile const& tile, T const* first, Integer n, R* out, Op op, F f, Init init, Policy policy = {},
    call_site site = call_site::here()) {
  return detail::joint_scan<detail::collectives::joint_transform_inclusive_scan,
                            detail::scan_kind::inclusive>(tile, first, n, out, op, f,
                                                          detail::start_of<Op, R>(init), site, policy);
}

/// out[i] = f(first[0]) op … op f(first[i − 1]), for i from 0 to n − 1; out[0] is the operator's identity. With `suffix`,
/// f(first[i + 1]) op … op f(first[n − 1]); out[n − 1] is the identity. As joint_transform_inclusive_scan in all else.
template <class Tile, class T, class Integer, class R, class Op, class F, class... Choices>
TESSERA_FN detail::range_total_t<policy<Choices...>, R> joint_transform_exclusive_scan(
    Tile const& tile, T const* first, Integer n, R* out, Op op, F f, policy<Choices...> policy = {},
    call_site site = call_site::here()) {
  return detail::joint_scan<detail::collectives::joint_transform_exclusive_scan,
                            detail::scan_kind::exclusive>(tile, first, n, out, op, f, detail::no_start{},
                                                          site, policy);
}

/// The same with a start: out[0] = init, out[i] = init op f(first[0]) op … op f(first[i − 1]); with `suffix`,
/// out[n − 1] = init, out[i] = f(first[i + 1]) op … op f(first[n − 1]) op init. Any operator. (The start is
/// the last argument before the policy, as of every scan here; std::transform_exclusive_scan has it before op.)
template <class Tile, class T, class Integer, class R, class Op, class F, class Init, class Policy = policy<>>
TESSERA_FN detail::range_total_t<Policy, R> joint_transform_exclusive_scan(
    Tile const& tile, T const* first, Integer n, R* out, Op op, F f, Init init, Policy policy = {},
    call_site site = call_site::here()) {
  return detail::joint_scan<detail::collectives::joint_transform_exclusive_scan,
                            detail::scan_kind::exclusive>(tile, first, n, out, op, f,
                                                          detail::start_of<Op, R>(init), site, policy);
}

TESSERA_NAMESPACE_END
