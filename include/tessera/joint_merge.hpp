// joint_merge: merges two sorted ranges in memory into one, by one tile.
//
//   a    1 3 5 7        b    2 3 9
//   out  1 2 3 3 5 7 9             of equal elements those of a come first
//
// Source: merge path, see tile/joint_merge.hpp.
#pragma once

#include <tessera/core/comparators.hpp>
#include <tessera/core/policy.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/tile/joint_merge.hpp>

TESSERA_NAMESPACE_BEGIN

/// Merges a[0] … a[na − 1] and b[0] … b[nb − 1] to out[0] … out[na + nb − 1].
///
///   tessera::joint_merge(tile, a, na, b, nb, out);
///
/// Called by  all lanes of the tile (with `converged`: of the warp), with the same arguments. Tiles of a warp may have
///            ranges of different lengths, under each policy.
/// a, b       pointers to global, shared or host memory; any trivially copyable T at its natural alignment. Or
///            random-access iterators (core/iterators.hpp) of such a T.
///            Precondition: both ranges are sorted by `before`; otherwise the order of the result is unspecified.
///            Elements that lanes of this tile have written must be ordered by tile.sync().
/// na, nb     any integers; ≤ 0 means no elements. Their sum fits into the wider of their types.
/// out        na + nb elements, apart from both ranges, or an iterator that writes. A lane sees what other lanes have
///            stored after tile.sync().
/// before     a strict weak order of T: `less` by default.
/// Order      stable: of equal elements those of a come first, and each range keeps its order.
/// Policies   convergence, memory.
/// Cost       for every N·M elements, where M = 16 / sizeof(T), at least two: a search of log2(N·M) steps of two loads,
///            M dependent loads a lane, stores (of 16 bytes if `out` is a multiple of 16), and one shuffle. N > 32: two
///            barriers, and a slot a warp of an element count (scratch.hpp).
template <class Tile, class A, class IntegerA, class B, class IntegerB, class Out, class Before = less,
          class Policy = policy<>>
TESSERA_FN void joint_merge(Tile const& tile, A a, IntegerA na, B b, IntegerB nb, Out out, Before before = {},
                            Policy policy = {}, call_site site = call_site::here()) {
  detail::joint_merge_of(tile, detail::reader_of(a), na, detail::reader_of(b), nb, out, before, policy, site);
}

TESSERA_NAMESPACE_END
