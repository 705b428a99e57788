// The function that each_segment.hpp calls to scan a segment.
#pragma once

#include <tessera/core/sort_entry.hpp>
#include <tessera/grid/segments/each_segment.hpp>
#include <tessera/joint_scan.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Writes the results of a lane's n neighbors: `first`, and step(j, result j − 1) as result j.
template <unsigned K, class R, class Step, class Write>
TESSERA_FN void write_results(unsigned n, R const& first, Step const& step, Write const& write) {
  R all = first;
  TESSERA_UNROLL
  for (unsigned j = 0; j < K; ++j) {
    if (j >= n) break;
    if (j > 0) tessera::detail::assign(all, step(j, all));
    write(j, all);
  }
}

/// The kinds of scans of segments: by a tile, or of the `n` neighbors x of one lane, which is the first of its segment
/// or has what the lanes before combine to. The result of neighbor j is passed to write(j, result).
struct inclusive_kind {
  template <class Tile, class In, class Out, class Op>
  TESSERA_FN void scan(Tile const& tile, In const& in, std::int64_t n, Out const& out, Op const& op) const {
    tessera::joint_inclusive_scan(tile, in, n, out, op, tessera::converged);
  }
  template <class T, unsigned K, class Op, class Write>
  TESSERA_FN void scan_neighbors(items<T, K> const& x, unsigned n, bool is_first, T const& before, Op const& op,
                                 Write const& write) const {
    auto const step = [&](unsigned j, T const& all) { return static_cast<T>(op(all, x[j])); };
    detail::write_results<K>(n, is_first ? x[0] : step(0, before), step, write);
  }
};
struct exclusive_kind {
  template <class Tile, class In, class Out, class Op>
  TESSERA_FN void scan(Tile const& tile, In const& in, std::int64_t n, Out const& out, Op const& op) const {
    tessera::joint_exclusive_scan(tile, in, n, out, op, tessera::converged);
  }
  template <class T, unsigned K, class Op, class Write>
  TESSERA_FN void scan_neighbors(items<T, K> const& x, unsigned n, bool is_first, T const& before, Op const& op,
                                 Write const& write) const {
    detail::write_results<K>(
        n, is_first ? operator_traits<Op, T>::identity(op) : before,
        [&](unsigned j, T const& all) { return j == 1 && is_first ? x[0] : static_cast<T>(op(all, x[j - 1])); }, write);
  }
};
template <class R>
struct exclusive_from_kind {
  R start;
  template <class Tile, class In, class Out, class Op>
  TESSERA_FN void scan(Tile const& tile, In const& in, std::int64_t n, Out const& out, Op const& op) const {
    tessera::joint_exclusive_scan(tile, in, n, out, op, start, tessera::converged);
  }
  template <class T, unsigned K, class Op, class Write>
  TESSERA_FN void scan_neighbors(items<T, K> const& x, unsigned n, bool is_first, T const& before, Op const& op,
                                 Write const& write) const {
    T const first = static_cast<T>(start);
    detail::write_results<K>(
        n, is_first ? first : static_cast<T>(op(first, before)),
        [&](unsigned j, T const& all) { return static_cast<T>(op(all, x[j - 1])); }, write);
  }
};

template <class In, class Out, class Op, class Kind>
struct segment_scan {
  using T = tessera::detail::value_of<In>;
  using R = tessera::detail::scan_result_t<Out, Op, In, std::int64_t>;  // as in the joint scans

  In in;
  Out out;
  Op op;
  Kind kind;

  static constexpr unsigned blocks_per_multiprocessor = sizeof(T) > 16 ? 1 : sizeof(T) > 8 ? 2 : 3;  // by its registers

  /// Called by all lanes of the warp. A lane scans neighbors.
  template <class Lanes>
  TESSERA_FN void process_by_lanes(Lanes const& lanes, std::int64_t, segment_range const& range, bool) const {
    constexpr unsigned K = each_segment_tuning::most_of_lane;
    auto const part = lanes.part_of(static_cast<unsigned>(range.length));
    std::int64_t const at = range.begin + part.first;
    unsigned const n = part.end - part.first;
    auto x = tessera::detail::from_words<items<R, K>>({});
    TESSERA_UNROLL
    for (unsigned j = 0; j < K; ++j)
      if (j < n) tessera::detail::assign(x[j], static_cast<R>(tessera::detail::read_element(in, at + j)));
    R own = x[0];
    TESSERA_UNROLL
    for (unsigned j = 1; j < K; ++j)
      if (j < n) tessera::detail::assign(own, static_cast<R>(op(own, x[j])));
    kind.scan_neighbors(x, n, lanes.rank == 0, lanes.before(own, op), op, [&](unsigned j, R const& result) {
      tessera::detail::write_element(out, at + j, tessera::detail::canonicalize_nan<Op>(result));
    });
  }
  template <class Tile>
  TESSERA_FN void operator()(Tile const& tile, std::int64_t, segment_range const& range, bool) const {
    kind.scan(tile, tessera::detail::advanced(in, range.begin), range.length,
              tessera::detail::advanced(out, range.begin), op);
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
