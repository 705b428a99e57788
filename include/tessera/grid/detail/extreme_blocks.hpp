// What a lane of a grid reduction finds where argmin and argmax are asked for.
//
// A lane compares its best with the best of many elements at once, and only where those have a better one looks which
// it is: about one instruction an element, where the operator on indexed values takes a dozen.
#pragma once

#include <tessera/grid/detail/reduce_blocks.hpp>

namespace tessera::grid::detail {

/// `Arg` is tessera::argmin or argmax, `Extreme` minimum or maximum, `Before` the order in which the best is first.
template <class Arg, class Extreme, class Before>
struct own_of_arg {
  /// Fewer of 16-bit elements, of which there are more: else registers spill.
  template <class T>
  static constexpr unsigned bytes = sizeof(T) >= 4 ? reduce_tuning::bytes : reduce_tuning::bytes / 2;
  static constexpr bool in_pieces = false;

  template <unsigned Threads, class Block, class T>
  TESSERA_FN indexed<T, std::int64_t> get(Block const& block, T const* in, std::int64_t n,
                                          array_cut const& cut) const {
    using best_t = indexed<T, std::int64_t>;
    constexpr unsigned V = vector_length<T>;
    best_t best = operator_traits<Arg, best_t>::identity(Arg{});
    auto const look = [&](auto const& x, std::int64_t index) {
      T extreme = x[0];
      TESSERA_UNROLL
      for (unsigned k = 1; k < x.size(); ++k) extreme = Extreme{}(extreme, x[k]);
      // An element as bad as the identity is still better than no element.
      bool const better = Before{}(best.value, extreme) || (is_nan(extreme) && !is_nan(best.value)) ||
                          best.index == highest<std::int64_t>();
      if (!better) return;
      bool found = false;
      TESSERA_UNROLL
      for (unsigned k = 0; k < x.size(); ++k) {
        if (!found && (x[k] == extreme || (is_nan(extreme) && is_nan(x[k])))) {
          found = true;
          best = {x[k], index + k / V * Threads * V + k % V};
        }
      }
    };
    visit_steps<Threads, vectors_of<T>(bytes<T>), 2>(block, in, n, cut, look);
    return best;
  }
};

using own_of_argmin = own_of_arg<tessera::argmin, minimum, greater_value>;
using own_of_argmax = own_of_arg<tessera::argmax, maximum, less_value>;

}  // namespace tessera::grid::detail
