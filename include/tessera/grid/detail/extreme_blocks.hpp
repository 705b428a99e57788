// What a lane of a grid reduction finds where argmin and argmax are asked for.
//
// Lanes of a warp know the best that it has seen. Only where one of many elements is better than that, they look which it is,
// and tell each other: about one instruction an element, where the operator on indexed values takes a dozen.
#pragma once

#include <tessera/grid/detail/reduce_blocks.hpp>
#include <tessera/reduce.hpp>

namespace tessera::grid::detail {

/// `Arg` is tessera::argmin or argmax, `Extreme` minimum or maximum, `Before` the order in which the best is first.
template <class Arg, class Extreme, class Before>
struct own_of_arg {
  /// Fewer of 16-bit elements, of which there are more: else registers spill.
  template <class T>
  static constexpr unsigned bytes = sizeof(T) >= 4 ? reduce_tuning::bytes : reduce_tuning::bytes / 2;
  static constexpr bool in_pieces = false;

  /// What is as good as a warp's best, and visited later, has a higher index; so that a lane's best may be left out where the
  /// warp has a better one. Where nothing is better than the identity, all elements are as bad, and the first is the best.
  template <unsigned Threads, class Block, class T>
  TESSERA_FN indexed<T, std::int64_t> get(Block const& block, T const* in, std::int64_t n,
                                          array_cut const& cut) const {
    using best_t = indexed<T, std::int64_t>;
    constexpr unsigned V = vector_length<T>;
    auto const warp = tessera::tiled_partition<32>(block);
    best_t best = operator_traits<Arg, best_t>::identity(Arg{});
    if (block.thread_rank() == 0 && block.group_index().x == 0) best.index = 0;
    T bound = best.value;
    auto const look = [&](auto const& x, std::int64_t index, auto whole) {
      T extreme = x[0];
      TESSERA_UNROLL
      for (unsigned k = 1; k < x.size(); ++k) extreme = Extreme{}(extreme, x[k]);
      bool const better = Before{}(bound, extreme) || (is_nan(extreme) && !is_nan(bound));
      if constexpr (whole) {
        if (!tessera::any_of(warp, better)) return;
      }
      if (better) {
        unsigned at = 0;
        TESSERA_UNROLL
        for (unsigned k = x.size(); k-- > 0;) {
          bool const it = x[k] == extreme || is_nan(x[k]);  // where there is a NaN, it is one
          at = it ? k : at;
          best.value = it ? x[k] : best.value;
        }
        best.index = index + at / V * Threads * V + at % V;
        bound = extreme;
      }
      if constexpr (whole) bound = tessera::reduce(warp, bound, Extreme{});
    };
    visit_steps<Threads, vectors_of<T>(bytes<T>), 2>(block, in, n, cut, look);
    return best;
  }
};

using own_of_argmin = own_of_arg<tessera::argmin, minimum, greater_value>;
using own_of_argmax = own_of_arg<tessera::argmax, maximum, less_value>;

}  // namespace tessera::grid::detail
