// What the methods of all programs share.
#pragma once

#include "chain.cuh"

#include <vector>

namespace bench {

/// A method that combines all lanes of the tile, and gives every lane its result.
struct for_all_lanes {
  static constexpr bool combines = true;
  static constexpr bool leader_only = false;
};

/// No collective: what a chain costs by itself.
struct loop_only {
  static constexpr bool combines = false;
  static constexpr bool leader_only = false;
};

/// Adds the chains of one method, of every width.
template <class Subject, class Method>
void add_widths(std::vector<chain>& chains, char const* what, char const* method, bench::kind kind) {
  chains.push_back(make_chain<Subject, Method, 2>(what, method, kind));
  chains.push_back(make_chain<Subject, Method, 4>(what, method, kind));
  chains.push_back(make_chain<Subject, Method, 8>(what, method, kind));
  chains.push_back(make_chain<Subject, Method, 16>(what, method, kind));
  chains.push_back(make_chain<Subject, Method, 32>(what, method, kind));
}

}  // namespace bench
