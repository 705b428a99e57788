// Marks of the elements of a tile that are kept: those with a predicate, those whose counterparts in another array have
// it, or the heads of runs.
//
//   mark              what it asks                            loads besides the elements
//   if_element        pred(x), or pred(x, index)              nothing
//   if_stencil        pred(s), or pred(s, index)              as many elements of the other array
//   if_head           !equal(predecessor, x)                  the element before those of each warp
//
// tile_marks<Mark, T, K, Rows> holds what a lane has loaded for that. `first` is the index of the lane's first
// element of row 0.
#pragma once

#include <tessera/grid/parts/shared_operators.hpp>
#include <tessera/grid/parts/tile_loop.hpp>
#include <tessera/grid/select/compaction.hpp>
#include <tessera/lanes.hpp>
#include <tessera/tile/joint_reduce.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class Pred>
struct if_element {
  Pred pred;
};
template <class S, class Pred, class In = S const*>
struct if_stencil {
  In stencil;
  Pred pred;
};
template <class Equal>
struct if_head {
  Equal equal;
};

/// The predicate of flags.
struct is_not_zero {
  template <class T>
  TESSERA_FN bool operator()(T const& x) const {
    return x != T(0);
  }
};

/// The arrays that are loaded for one of T and others, if its elements are marked so.
template <class Mark, class... T>
struct marked_arrays {
  using type = array_types<T...>;
};
template <class S, class Pred, class In, class... T>
struct marked_arrays<if_stencil<S, Pred, In>, T...> {
  using type = array_types<T..., S>;
};

/// A bit for each of a lane's elements that has the predicate. Elements may be copies beyond the array's end.
template <unsigned K, unsigned Rows, class T, class Pred>
TESSERA_FN std::uint32_t bits_of_predicate(tile_rows<T, K, Rows> const& loaded, Pred const& pred, std::int64_t n,
                                           std::int64_t first) {
  std::uint32_t bits = 0;
  TESSERA_UNROLL
  for (unsigned r = 0; r < Rows; ++r) {
    auto const x = loaded.row(r);
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      std::int64_t const index = first + static_cast<std::int64_t>(r * 32 * K + i);
      bool const has =
          static_cast<bool>(tessera::detail::apply<std::int64_t>(pred, x[i], detail::nearest_index(index, n)));
      bits |= (has ? 1u : 0u) << (r * K + i);
    }
  }
  return bits;
}

template <class Mark, class T, unsigned K, unsigned Rows>
class tile_marks;

template <class Pred, class T, unsigned K, unsigned Rows>
class tile_marks<if_element<Pred>, T, K, Rows> {
 public:
  template <class Warp, class In>
  TESSERA_FN void load(Warp const&, if_element<Pred> const&, In const&, std::int64_t, std::int64_t) const {}

  template <class Warp>
  TESSERA_FN std::uint32_t bits(Warp const&, if_element<Pred> const& mark, tile_rows<T, K, Rows> const& loaded,
                                std::int64_t n, std::int64_t first) const {
    return detail::bits_of_predicate(loaded, mark.pred, n, first) & detail::bits_within<K, Rows>(n, first);
  }
};

template <class S, class Pred, class Stencil, class T, unsigned K, unsigned Rows>
class tile_marks<if_stencil<S, Pred, Stencil>, T, K, Rows> {
 public:
  template <class Warp, class In>
  TESSERA_FN void load(Warp const&, if_stencil<S, Pred, Stencil> const& mark, In const&, std::int64_t n,
                       std::int64_t first) {
    stencil_.load(mark.stencil, n, first);
  }

  template <class Warp>
  TESSERA_FN std::uint32_t bits(Warp const&, if_stencil<S, Pred, Stencil> const& mark, tile_rows<T, K, Rows> const&,
                                std::int64_t n, std::int64_t first) const {
    return detail::bits_of_predicate(stencil_, mark.pred, n, first) & detail::bits_within<K, Rows>(n, first);
  }

 private:
  tile_rows<S, K, Rows> stencil_;
};

/// The predecessor of a warp's first element is loaded; those of other rows are in the last lane's registers.
template <class Equal, class T, unsigned K, unsigned Rows>
class tile_marks<if_head<Equal>, T, K, Rows> {
 public:
  template <class Warp, class In>
  TESSERA_FN void load(Warp const& warp, if_head<Equal> const&, In const& in, std::int64_t n, std::int64_t first) {
    if (warp.thread_rank() != 0 || first == 0 || first > n) return;
    T const before = tessera::detail::read_element(in, first - 1);
    before_ = tessera::detail::to_words(before);
  }

  template <class Warp>
  TESSERA_FN std::uint32_t bits(Warp const& warp, if_head<Equal> const& mark, tile_rows<T, K, Rows> const& loaded,
                                std::int64_t n, std::int64_t first) const {
    return detail::with_equality(mark.equal, [&](auto const& equal) { return heads(warp, equal, loaded, n, first); }) &
           detail::bits_within<K, Rows>(n, first);
  }

 private:
  template <class Warp, class Chosen>
  TESSERA_FN std::uint32_t heads(Warp const& warp, Chosen const& equal, tile_rows<T, K, Rows> const& loaded,
                                 std::int64_t n, std::int64_t first) const {
    std::uint32_t heads = 0;
    auto before_row = before_;
    TESSERA_UNROLL
    for (unsigned r = 0; r < Rows; ++r) {
      auto const x = loaded.row(r);
      T const of_lane_before = tessera::rotate(warp, x[K - 1], -1, tessera::converged);
      auto const last = tessera::detail::to_words(of_lane_before);  // in lane 0: of this row
      auto const predecessor =
          tessera::detail::from_words<T>(tessera::detail::select(warp.thread_rank() == 0, before_row, last));
      before_row = last;
      heads |= heads_of_row(equal, x, predecessor, n, first + static_cast<std::int64_t>(r * 32 * K)) << (r * K);
    }
    return heads;
  }
  template <class Chosen>
  TESSERA_FN static std::uint32_t heads_of_row(Chosen const& equal, items<T, K> const& x, T const& predecessor,
                                               std::int64_t n, std::int64_t first) {
    bool const has_predecessor = first > 0 && first < n;  // else the lane may have none to compare with
    std::uint32_t heads = !has_predecessor || !static_cast<bool>(equal(predecessor, x[0])) ? 1 : 0;
    TESSERA_UNROLL
    for (unsigned i = 1; i < K; ++i) heads |= (static_cast<bool>(equal(x[i - 1], x[i])) ? 0u : 1u) << i;
    return heads;
  }

  tessera::detail::words<T> before_{};
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
