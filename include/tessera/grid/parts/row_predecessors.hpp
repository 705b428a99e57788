// Rows of an array's elements in registers, as a warp's lanes have them, and the element before each lane's first.
//
//   a row               lane 0   lane 1   lane 2   …       lane 31
//   elements            a b      c d      e f              y z
//   predecessor         .        b        d                x       lane 0: the last one of the row before
#pragma once

#include <tessera/grid/parts/tile_loop.hpp>
#include <tessera/grid/parts/unaligned_rows.hpp>
#include <tessera/lanes.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class T, unsigned K, unsigned Rows>
class rows_with_predecessors {
 public:
  /// Loads the warp's rows, side by side in the array. `own` is the index of the lane's first element of row 0. The
  /// last lane loads the element before all of them.
  template <class Warp, class In>
  TESSERA_FN void load(Warp const& warp, In const& in, std::int64_t n, std::int64_t own) {
    loaded_.load(in, n, own);
    if (warp.thread_rank() != 31) return;
    T const x = tessera::detail::read_element(in, detail::nearest_index(own - 31 * std::int64_t{K} - 1, n));
    before_ = tessera::detail::to_words(x);
  }

  TESSERA_FN items<T, K> row(unsigned r) const { return loaded_.row(r); }

  /// The element before the lane's first one of row r; that itself, if it is the array's first. Called by the whole
  /// warp.
  template <class Warp>
  TESSERA_FN T predecessor(Warp const& warp, unsigned r) const {
    // The last lane offers the element before the row, and the others the one before the next lane's.
    auto before = before_;
    if (r > 0) before = last_of(r - 1);
    auto const offered = tessera::detail::select(warp.thread_rank() == 31, before, last_of(r));
    return tessera::shuffle(warp, tessera::detail::from_words<T>(offered), (warp.thread_rank() + 31) % 32,
                            tessera::converged);
  }

 private:
  TESSERA_FN tessera::detail::words<T> last_of(unsigned r) const {
    auto const row = loaded_.row(r);
    return tessera::detail::to_words(row[K - 1]);
  }

  tile_rows<T, K, Rows> loaded_;
  tessera::detail::words<T> before_{};
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
