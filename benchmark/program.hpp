// A program of this folder: its chains, measured side by side, and what it prints of them.
#pragma once

#include "chain.hpp"

#include <string>
#include <vector>

namespace bench {

/// Stands for a method: the fastest chain of kind `peer`.
inline constexpr char const* best_peer = "best peer";

/// A row of ratios of two methods' throughputs, one of each width.
struct ratio_row {
  std::string title;
  std::string of, to;
};

/// A claim: the throughput of `theirs` is at least so many times that of `ours`.
struct target {
  std::string what;
  unsigned width;
  double at_least;
  std::string theirs, ours;
};

struct program {
  std::string name;     // "tile_reduce"
  std::string purpose;  // the first sentence of --help
  std::vector<chain> chains;
  std::vector<ratio_row> ratios;  // of everything that has a peer
  std::vector<target> targets;
};

/// Reads the options, measures, and prints tables, ratios and targets. Returns what main() returns: 1 where a method
/// computes something else than the host, 77 where there is no GPU.
int run(program const& p, int argc, char** argv);

}  // namespace bench
