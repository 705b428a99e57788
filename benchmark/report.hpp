// What the reports of all programs of this folder share: options, targets, JSON.
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
  std::string commit;  // what was measured
  unsigned rounds;
  bool quick = false;

  explicit report_options(unsigned rounds_);
  /// `names`: what a filter is looked for in, as in "'float sum/8' (WHAT/N/METHOD)".
  void add_to(CLI::App& app, std::string const& names);
};

/// What `name` gives of the results, without the empty ones, in the order of first appearance.
template <class Result, class F>
std::vector<std::string> distinct(std::vector<Result> const& results, F name) {
  std::vector<std::string> names;
  for (Result const& r : results) {
    std::string const n = name(r);
    if (!n.empty() && std::find(names.begin(), names.end(), n) == names.end()) names.push_back(n);
  }
  return names;
}

/// A claim and the ratios that the rounds gave.
struct outcome {
  std::string claim;
  double at_least;
  series reached;

  bool met() const;  // as it is printed
};

void print_targets(std::string const& title, std::vector<outcome> const& outcomes);

/// "PROGRAM on GPU": commit and date last.
void print_machine(std::string const& program, machine const& m, std::string const& between,
                   std::string const& commit);

/// To a precision that is worth storing.
nlohmann::ordered_json to_json(series const& s);
/// What was run, where and when, and the targets.
nlohmann::ordered_json to_json(std::string const& program, machine const& m, report_options const& o,
                               std::vector<outcome> const& outcomes);
/// One member a line, and one element a line of arrays of objects.
void write_json(std::string const& path, nlohmann::ordered_json const& j);

}  // namespace bench
