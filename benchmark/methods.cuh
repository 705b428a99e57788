// The parts that the methods of all programs share.
#pragma once

#include "chain.cuh"

#include <vector>

namespace bench {

/// A method that combines all lanes of the tile, and gives every lane its result.
struct for_all_lanes {
  static constexpr bool combines = true;
  static constexpr bool leader_only = false;
  static constexpr bool exact = false;  // whether floats, too, must have the same bits as on the host
  /// Makes the tile that the method gets. The kernel calls this before the loop.
  template <unsigned N>
  __device__ static tile<N> make_tile() {
    return cg::tiled_partition<N>(cg::this_thread_block());
  }
};

/// Only the tile's first lane gets the result.
struct for_the_leader : for_all_lanes {
  static constexpr bool leader_only = true;
};

/// A chain without a collective, which measures the cost of the loop.
struct loop_only : for_all_lanes {
  static constexpr bool combines = false;
};

/// Adds the chains of one method for every width.
template <class Subject, class Method>
void add_widths(std::vector<chain>& chains, char const* what, char const* method, bench::kind kind) {
  chains.push_back(make_chain<Subject, Method, 2>(what, method, kind));
  chains.push_back(make_chain<Subject, Method, 4>(what, method, kind));
  chains.push_back(make_chain<Subject, Method, 8>(what, method, kind));
  chains.push_back(make_chain<Subject, Method, 16>(what, method, kind));
  chains.push_back(make_chain<Subject, Method, 32>(what, method, kind));
}

}  // namespace bench
