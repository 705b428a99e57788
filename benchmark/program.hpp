// A program of this folder: its chains, measured side by side, and what it prints of them.
#pragma once

#include "chain.hpp"
#include "measure.hpp"

#include <string>
#include <vector>

namespace bench {

/// Stands for a method: the fastest chain of kind `peer`. "CUB*": the fastest of those whose names begin so.
inline constexpr char const* best_peer = "best peer";

/// A row of ratios of what two methods take, one of each width.
struct ratio_row {
  std::string title;
  std::string of, to;
  quantity of_what = quantity::throughput;
};

/// A claim: `theirs` takes at least so many times what `ours` does.
struct target {
  std::string what;
  unsigned width;
  double at_least;
  std::string theirs, ours;
  quantity of_what = quantity::throughput;
};

/// What the tables show of the throughput.
enum class unit { cycles_per_warp, ns_per_tile };

struct program {
  std::string name;     // "tile_reduce"
  std::string purpose;  // the first sentence of --help
  std::vector<chain> chains;
  std::vector<ratio_row> ratios;  // of everything that has a peer
  std::vector<target> targets;
  bench::unit unit = unit::cycles_per_warp;
};

/// Reads the options, measures, and prints tables, ratios and targets. Returns what main() returns: 1 where a method
/// computes something else than the host, 77 where there is no GPU.
int run(program const& p, int argc, char** argv);

}  // namespace bench
