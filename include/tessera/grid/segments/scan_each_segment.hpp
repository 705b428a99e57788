// The function that each_segment.hpp calls to scan a segment.
#pragma once

#include <tessera/grid/segments/each_segment.hpp>
#include <tessera/joint_scan.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The kinds of scans of segments.
struct inclusive_kind {
  template <class Tile, class In, class Out, class Op>
  TESSERA_FN void scan(Tile const& tile, In const& in, std::int64_t n, Out const& out, Op const& op) const {
    tessera::joint_inclusive_scan(tile, in, n, out, op, tessera::converged);
  }
};
struct exclusive_kind {
  template <class Tile, class In, class Out, class Op>
  TESSERA_FN void scan(Tile const& tile, In const& in, std::int64_t n, Out const& out, Op const& op) const {
    tessera::joint_exclusive_scan(tile, in, n, out, op, tessera::converged);
  }
};
template <class R>
struct exclusive_from_kind {
  R start;
  template <class Tile, class In, class Out, class Op>
  TESSERA_FN void scan(Tile const& tile, In const& in, std::int64_t n, Out const& out, Op const& op) const {
    tessera::joint_exclusive_scan(tile, in, n, out, op, start, tessera::converged);
  }
};

template <class In, class Out, class Op, class Kind>
struct segment_scan {
  using T = tessera::detail::value_of<In>;

  In in;
  Out out;
  Op op;
  Kind kind;

  static constexpr unsigned blocks_per_multiprocessor = sizeof(T) > 16 ? 1 : sizeof(T) > 8 ? 2 : 3;  // by its registers

  template <class Tile>
  TESSERA_FN void operator()(Tile const& tile, std::int64_t, segment_range const& range, bool) const {
    kind.scan(tile, tessera::detail::advanced(in, range.begin), range.length,
              tessera::detail::advanced(out, range.begin), op);
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
