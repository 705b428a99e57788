// The agent of argmin and argmax, which is argmin of elements that have bits flipped (parts/flipped_bits.hpp).
//
// All lanes of a warp know the best value that the warp has seen. Only if one of a lane's next elements is better
// does the lane look for its index, and the warp combine the new best value: that takes about one instruction for
// each element. The operator on indexed values would take a dozen.
#pragma once

#include <tessera/grid/parts/flipped_bits.hpp>
#include <tessera/grid/reduce/reduce_agent.hpp>
#include <tessera/reduce.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The agent for reduce_agent.hpp whose partials are values of T, with bits flipped, and their indices. They are
/// combined by argmin.
template <class T>
struct argmin_agent {
  /// Fewer for 16-bit elements, of which a vector has more: else registers spill.
  template <class>
  static constexpr unsigned bytes = sizeof(T) >= 4 ? reduce_tuning::bytes : reduce_tuning::bytes / 2;

  static constexpr bool is_light = false;
  flipped_bits<T> flipped{};

  /// A value that equals the warp's best, but is visited later, has a higher index. A lane's own best may therefore
  /// be left out if its warp has a better one. If no value is better than the identity, all are equally bad, and
  /// index 0 is the result.
  template <unsigned Threads, class Block, class In>
  TESSERA_FN indexed<T, std::int64_t> lane_partial(Block const& block, In const& in, std::int64_t n,
                                                   even_share const& share) const {
    using best_t = indexed<T, std::int64_t>;
    auto const warp = tessera::tiled_partition<32>(block);
    best_t best = operator_traits<tessera::argmin, best_t>::identity(tessera::argmin{});
    if (block.thread_rank() == 0 && block.group_index().x == 0) best.index = 0;
    T bound = best.value;  // no lane of the warp looks for an index unless it has a better value
    auto const look = [&](auto const& elements, std::int64_t index, auto full) {
      auto const x = flipped.each(elements);
      T extreme = x[0];
      TESSERA_UNROLL
      for (unsigned k = 1; k < x.size(); ++k) extreme = minimum{}(extreme, x[k]);
      bool const better =
          tessera::detail::is_less(extreme, bound) || (detail::is_nan(extreme) && !detail::is_nan(bound));
      if constexpr (full) {
        if (!tessera::any_of(warp, better)) return;
      }
      if (better) {
        find_index<Threads, read_length<T, In>>(x, index, extreme, best);
        bound = extreme;
      }
      if constexpr (full) bound = tessera::reduce(warp, bound, minimum{});
    };
    constexpr unsigned parts = sizeof(T) > 4 ? 4 : 2;  // With two parts, registers spill.
    detail::visit_share<Threads, detail::reads_of<T, In>(bytes<T>), parts>(block, in, n, share, look);
    return best;
  }
  template <class Out>
  TESSERA_FN Out result(indexed<T, std::int64_t> const& best) const {
    return {flipped(best.value), best.index};
  }

 private:
  /// The first of the elements x that is `extreme`, or NaN, and its index in the array. x is as visit_share gives it.
  template <unsigned Threads, unsigned V, class Elements>
  TESSERA_FN static void find_index(Elements const& x, std::int64_t index, T extreme, indexed<T, std::int64_t>& best) {
    unsigned at = 0;
    TESSERA_UNROLL
    for (unsigned k = x.size(); k-- > 0;) {
      bool const is_it = x[k] == extreme || detail::is_nan(x[k]);  // If there is a NaN, it is the extreme.
      at = is_it ? k : at;
      best.value = is_it ? x[k] : best.value;
    }
    best.index = index + at / V * Threads * V + at % V;
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
