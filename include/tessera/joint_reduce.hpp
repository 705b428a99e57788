// joint_reduce and related calls: a range in memory, reduced by one tile.
//
//   every 16 bytes  |         |         |         |         |    elements of 4 bytes, a tile of 2
//   range                 a b   c d e f   g h i j   k l m
//   lane 0                a     c d e f             k   m       vectors 0, 2, …; of the ends a b k l m every second
//   lane 1                  b             g h i j     l         vectors 1, 3, …
//
// A lane combines the elements that it loads, and the tile combines the lanes' results, as `reduce` does. Operators
// that don't commute take the range in its order instead: one vector a lane is combined, then the tile's, then the next
// vectors.
#pragma once

#include <tessera/core/policy.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/operators.hpp>
#include <tessera/tile/joint_reduce.hpp>

TESSERA_NAMESPACE_BEGIN

/// The elements first[0] … first[n − 1] combined by `op`; the identity if n ≤ 0.
///
///   float const sum = tessera::joint_reduce(tile, row, columns);
///   int const least = tessera::joint_reduce(tile, values, n, tessera::minimum{}, tessera::to_leader);
///
/// Called by  all lanes of the tile (with `converged`: of the warp), with the same arguments. Tiles of a warp may have
///            ranges of different lengths, under each policy.
/// first, n   a pointer to global, shared or host memory, any trivially copyable T at its natural alignment; any
///            integer. Elements that lanes of this tile have written must be ordered by tile.sync().
/// Returns    a T, the same bits in every lane; with `to_leader` only in rank 0. `plus` over integers of 8 and 16 bits:
///            an int, as in C++. `plus` over bool: the number of trues, in 32 bits, or in 64 if n has 64.
/// Order      the range's order if `op` doesn't commute. Otherwise it is fixed by n, N and the address modulo 16, and
///            is the same on GPU and host. The range consists of vectors of V = 16 / sizeof(T) elements, from its first
///            multiple of 16 bytes on, and of elements before and after them. (If sizeof(T) doesn't divide 16, V is 1,
///            and every element is a vector.) Lane r combines vectors r, r + N, …, element j of each with accumulator j
///            % A; then, with accumulator 0, elements r, r + N, … of those before and after; then the accumulators as a
///            balanced tree over neighbors; then the tile, as `reduce`. A = min(V, 4); a half or a quarter of it for
///            results that would take more than 16 registers.
/// Policies   convergence, placement.
/// Cost       loads of 16 bytes, 4 in flight at a time, and one `reduce` of the tile. Operators that don't commute: one
///            `reduce` for every V · N elements, so write make_operator(f, identity, commutative) if yours does. Tiles
///            of a warp that differ in length wait for the longest. N > 32: two barriers for each `reduce`, and its
///            slots: one a lane, or one a warp (scratch.hpp).
template <class Tile, class It, class Integer, class Op = plus, class... Choices>
TESSERA_FN auto joint_reduce(Tile const& tile, It first, Integer n, Op op = {}, policy<Choices...> policy = {},
                             call_site site = call_site::here()) {
  return detail::joint_reduce_of<detail::collectives::joint_reduce>(tile, detail::reader_of(first), n, op,
                                                                    detail::as_it_is{}, site, policy);
}

/// As above, after a start: init op first[0] op … op first[n − 1]; init if n ≤ 0. The operator needs no identity.
///
///   double const total = tessera::joint_reduce(tile, values, n, tessera::plus{}, 0.0);  // of ints
///
/// init       a value, the same in every lane
/// Returns    init's type, in which elements are combined, as in Thrust. `plus` after an init of 8 or 16 bits: an int.
///            An init whose type can't hold every element is refused, such as an int for floats.
/// Order      as above, and the start first: init op (all elements). An operator without an identity takes the range's
///            order unless operator_traits says that it commutes.
template <class Tile, class It, class Integer, class Op, class Init, class Policy = policy<>>
TESSERA_FN auto joint_reduce(Tile const& tile, It first, Integer n, Op op, Init init, Policy policy = {},
                             call_site site = call_site::here()) {
  return detail::joint_reduce_after<detail::collectives::joint_reduce>(tile, detail::reader_of(first), n, op,
                                                                       detail::as_it_is{}, init, site, policy);
}

/// Combines f(element) over all elements by `op`; f takes (x), or (x, index) with the element's index in the range, of
/// n's type.
///
///   auto const best = tessera::joint_transform_reduce(tile, row, n, tessera::argmax{},
///                                                     [](float x, int i) { return tessera::with_index(x, i); });
///
/// f is called once for each element, by one lane. Otherwise as `joint_reduce`.
template <class Tile, class It, class Integer, class Op, class F, class... Choices>
TESSERA_FN auto joint_transform_reduce(Tile const& tile, It first, Integer n, Op op, F f,
                                       policy<Choices...> policy = {}, call_site site = call_site::here()) {
  return detail::joint_reduce_of<detail::collectives::joint_transform_reduce>(tile, detail::reader_of(first), n, op, f,
                                                                              site, policy);
}

/// As above, after a start, in whose type f's results are combined: init op f(first[0]) op … op f(first[n − 1]).
/// Otherwise as `joint_reduce` with a start.
template <class Tile, class It, class Integer, class Op, class F, class Init, class Policy = policy<>>
TESSERA_FN auto joint_transform_reduce(Tile const& tile, It first, Integer n, Op op, F f, Init init, Policy policy = {},
                                       call_site site = call_site::here()) {
  return detail::joint_reduce_after<detail::collectives::joint_transform_reduce>(tile, detail::reader_of(first), n, op,
                                                                                 f, init, site, policy);
}

/// True if an element satisfies `pred`; false if n ≤ 0. pred takes (x) or (x, index). After an element satisfies it,
/// pred is called for about 4 · V · N more elements at most.
///
/// Called by  as joint_reduce.
/// Policies   convergence, placement.
/// Cost       loads as joint_reduce; one vote for every 64 bytes a lane, two if tiles share a warp, and one more.
///            N > 32: the barrier and the memory of `any_of` for each.
template <class Tile, class It, class Integer, class Pred, class Policy = policy<>>
TESSERA_FN bool joint_any_of(Tile const& tile, It first, Integer n, Pred pred, Policy policy = {},
                             call_site site = call_site::here()) {
  return detail::joint_any<detail::collectives::joint_any_of>(tile, detail::reader_of(first), n, pred, site, policy);
}

/// True if every element satisfies `pred`; true if n ≤ 0. Otherwise as joint_any_of.
template <class Tile, class It, class Integer, class Pred, class Policy = policy<>>
TESSERA_FN bool joint_all_of(Tile const& tile, It first, Integer n, Pred pred, Policy policy = {},
                             call_site site = call_site::here()) {
  using T = detail::value_of<It>;
  detail::require_function<Tile, Integer, Pred, T>();
  auto const fails = [&](T const& x, Integer index) { return !detail::apply<Integer>(pred, x, index); };
  return !detail::joint_any<detail::collectives::joint_all_of>(tile, detail::reader_of(first), n, fails, site, policy);
}

/// True if no element satisfies `pred`; true if n ≤ 0. Otherwise as joint_any_of.
template <class Tile, class It, class Integer, class Pred, class Policy = policy<>>
TESSERA_FN bool joint_none_of(Tile const& tile, It first, Integer n, Pred pred, Policy policy = {},
                              call_site site = call_site::here()) {
  return !detail::joint_any<detail::collectives::joint_none_of>(tile, detail::reader_of(first), n, pred, site, policy);
}

TESSERA_NAMESPACE_END
