// The agent of argmin and argmax, which is argmin of elements that have bits flipped (parts/flipped_bits.hpp).
//
// All lanes of a warp know the best value that the warp has seen. Only if one of a lane's next elements is better
// does the lane look for its index, and the warp combine the new best value: that takes about one instruction for
// each element. The operator on indexed values would take a dozen.
#pragma once

#include <tessera/grid/parts/flipped_bits.hpp>
#include <tessera/grid/reduce/argmin_ties.hpp>
#include <tessera/grid/reduce/reduce_agent.hpp>
#include <tessera/reduce.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Finds the first or the last element of x that is `extreme` or NaN, and the number (argmin_ties.hpp) of its index in
/// the array. x is as visit_share gives it.
template <unsigned Threads, unsigned V, class Elements, class T, class Ties>
TESSERA_FN void find_index(Elements const& x, std::int64_t index, T extreme, Ties const& ties,
                           indexed<T, std::int64_t>& best) {
  unsigned at = 0;
  bool is_found = false;
  TESSERA_UNROLL
  for (unsigned k = x.size(); k-- > 0;) {
    bool is_it = x[k] == extreme || detail::is_nan(x[k]);  // If there is a NaN, it is the extreme.
    if (ties.takes_last()) is_it = is_it && !is_found;
    is_found = is_found || is_it;
    at = is_it ? k : at;
    best.value = is_it ? x[k] : best.value;
  }
  best.index = ties.number(index + at / V * Threads * V + at % V);
}

/// A lane's best element of its share, with bits flipped, and the number of its index.
///
/// With the first of ties, a value that equals the warp's best, but is visited later, has a higher index. A lane's own
/// best may therefore be left out if its warp has a better one. If no value is better than the identity, all are
/// equally bad, and index 0 is the result.
/// With the last of ties, a lane also looks for the index of each value that equals the warp's best.
template <unsigned Threads, unsigned Reads, class Block, class In, class T, class Ties>
TESSERA_FN indexed<T, std::int64_t> argmin_partial(Block const& block, In const& in, std::int64_t n,
                                                   even_share const& share, flipped_bits<T> const& flipped,
                                                   Ties const& ties) {
  using best_t = indexed<T, std::int64_t>;
  auto const warp = tessera::tiled_partition<32>(block);
  best_t best = operator_traits<tessera::argmin, best_t>::identity(tessera::argmin{});
  if (!ties.takes_last() && block.thread_rank() == 0 && block.group_index().x == 0) best.index = 0;
  T bound = best.value;  // no lane of the warp looks for an index unless it has a better value
  auto const look = [&](auto const& elements, std::int64_t index, auto full) {
    auto const x = flipped.each(elements);
    T extreme = x[0];
    TESSERA_UNROLL
    for (unsigned k = 1; k < x.size(); ++k) extreme = minimum{}(extreme, x[k]);
    bool better = tessera::detail::is_less(extreme, bound) || (detail::is_nan(extreme) && !detail::is_nan(bound));
    if (ties.takes_last()) better = tessera::detail::is_at_least(bound, extreme) || detail::is_nan(extreme);
    if constexpr (full) {
      if (!tessera::any_of(warp, better)) return;
    }
    if (better) {
      detail::find_index<Threads, read_length<T, In>>(x, index, extreme, ties, best);
      bound = extreme;
    }
    if constexpr (full) bound = tessera::reduce(warp, bound, minimum{});
  };
  constexpr unsigned parts = sizeof(T) > 4 ? 4 : 2;  // With two parts, registers spill.
  detail::visit_share<Threads, Reads, parts>(block, in, n, share, look);
  return best;
}

/// The agent for reduce_agent.hpp whose partials are values of T, with bits flipped, and their indices. They are
/// combined by argmin.
template <class T>
struct argmin_agent {
  /// Fewer for 16-bit elements, since a vector has more of them: else registers spill.
  template <class>
  static constexpr unsigned bytes = sizeof(T) >= 4 ? reduce_tuning::bytes : reduce_tuning::bytes / 2;

  flipped_bits<T> flipped{};

  template <unsigned Threads, class Block, class In>
  TESSERA_FN indexed<T, std::int64_t> lane_partial(Block const& block, In const& in, std::int64_t n,
                                                   even_share const& share) const {
    return detail::argmin_partial<Threads, detail::reads_of<T, In>(bytes<T>)>(block, in, n, share, flipped,
                                                                              first_of_ties{});
  }
  template <class Out>
  TESSERA_FN Out result(indexed<T, std::int64_t> const& best) const {
    return {flipped(best.value), best.index};
  }
};

/// argmin_agent with a choice among ties, and a result in two places: the value goes to `out`.
template <class T>
struct tied_argmin_agent {
  template <class>
  static constexpr unsigned bytes = argmin_agent<T>::template bytes<T>;

  flipped_bits<T> flipped{};
  chosen_of_ties ties{};
  std::int64_t* index = nullptr;

  template <unsigned Threads, class Block, class In>
  TESSERA_FN indexed<T, std::int64_t> lane_partial(Block const& block, In const& in, std::int64_t n,
                                                   even_share const& share) const {
    return detail::argmin_partial<Threads, detail::reads_of<T, In>(bytes<T>)>(block, in, n, share, flipped, ties);
  }
  TESSERA_FN void finish(indexed<T, std::int64_t> const& best, bool is_empty, T* out) const {
    best_places<T>{out, index}.store(flipped(best.value), is_empty ? INT64_MAX : ties.number(best.index));
  }
};
template <class T>
inline constexpr bool finishes_itself<tied_argmin_agent<T>> = true;

}  // namespace grid::detail
TESSERA_NAMESPACE_END
