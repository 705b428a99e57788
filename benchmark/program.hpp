// A benchmark program: its chains, which are measured in turn, and the tables that it prints.
#pragma once

#include "chain.hpp"
#include "measure.hpp"

#include <string>
#include <vector>

namespace bench {

/// May be used as a method's name: the fastest chain of kind `peer`. "CUB*" is the fastest whose name
/// begins with CUB.
inline constexpr char const* best_peer = "best peer";

/// A row with the ratios of two methods' times, one for each width.
struct ratio_row {
  std::string title;
  std::string of, to;
  quantity of_what = quantity::throughput;
};

/// A claim: `theirs` takes at least `at_least` times as long as `ours`.
struct target {
  std::string what;
  unsigned width;
  double at_least;
  std::string theirs, ours;
  quantity of_what = quantity::throughput;
};

/// The unit of the throughput in the tables.
enum class unit { cycles_per_warp, ns_per_tile };

struct program {
  std::string name;     // such as "tile_reduce"
  std::string purpose;  // the first sentence of --help
  std::vector<chain> chains;
  std::vector<ratio_row> ratios;  // printed for every table that has a peer
  std::vector<target> targets;
  bench::unit unit = unit::cycles_per_warp;
};

/// Reads the options, measures, and prints tables, ratios and targets. Returns the exit status: 1 if the
/// results of a method differ from the host's, 77 if there is no GPU.
int run(program const& p, int argc, char** argv);

}  // namespace bench
