// The parts that the reports of all programs share: options, targets and JSON.
#pragma once

#include "measure.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace bench {

struct report_options {
  std::string json;
  std::string filter;
  std::string commit;  // the commit that was measured
  unsigned rounds;
  bool quick = false;

  explicit report_options(unsigned rounds_);
  /// `names` describes for --help which names a filter selects from, as in "'float sum/8' (WHAT/N/METHOD)".
  void add_to(CLI::App& app, std::string const& names);
};

/// The distinct nonempty names that `name(result)` returns, in the order of their first occurrence.
template <class Result, class F>
std::vector<std::string> distinct(std::vector<Result> const& results, F name) {
  std::vector<std::string> names;
  for (Result const& r : results) {
    std::string const n = name(r);
    if (!n.empty() && std::find(names.begin(), names.end(), n) == names.end()) names.push_back(n);
  }
  return names;
}

/// A claim, and the ratio in each round.
struct outcome {
  std::string claim;
  double at_least;
  series reached;

  bool met() const;  // compares the ratio as it is printed
};

void print_targets(std::string const& title, std::vector<outcome> const& outcomes);

/// Prints "PROGRAM on GPU", with the commit and the date at the end.
void print_machine(std::string const& program, machine const& m, std::string const& between, std::string const& commit);

/// The values, rounded to the precision of the measurement.
nlohmann::ordered_json to_json(series const& s);
/// The program, the machine, the date and the targets.
nlohmann::ordered_json to_json(std::string const& program, machine const& m, report_options const& o,
                               std::vector<outcome> const& outcomes);
/// Writes one member per line, and one element per line for arrays of objects.
void write_json(std::string const& path, nlohmann::ordered_json const& j);

}  // namespace bench
