#include "report.hpp"

#include "commit.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <stdexcept>

namespace bench {

namespace {

std::string now() {
  std::time_t const t = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&t));
  return text;
}

}  // namespace

report_options::report_options(unsigned rounds_) : commit(TESSERA_COMMIT), rounds(rounds_) {}

void report_options::add_to(CLI::App& app, std::string const& names) {
  app.add_option("--json", json, "Write all measurements to this file");
  app.add_option("--filter", filter, "Measure only what has this in its name, as in " + names);
  app.add_option("--rounds", rounds, "The number of measurements")->capture_default_str()->check(CLI::PositiveNumber);
  app.add_option("--commit", commit, "The commit that is measured")->capture_default_str()->envname("TESSERA_COMMIT");
  app.add_flag("--quick", quick, "Run three shorter rounds, to try it out");
}

bool outcome::met() const {
  return std::round(1000 * reached.median()) / 1000 >= at_least;
}

void print_targets(std::string const& title, std::vector<outcome> const& outcomes) {
  std::size_t longest = 60;
  for (outcome const& t : outcomes) longest = std::max(longest, t.claim.size());
  int const column = static_cast<int>(longest) + 2;
  std::printf("\n%-*s%10s%10s%20s\n", column, title.c_str(), "at least", "is", "quartiles");
  for (outcome const& t : outcomes) {
    char quartiles[32];
    std::snprintf(quartiles, sizeof quartiles, "%.3f - %.3f", t.reached.quantile(0.25), t.reached.quantile(0.75));
    std::printf("%-*s%10.2f%10.3f%20s  %s\n", column, t.claim.c_str(), t.at_least, t.reached.median(), quartiles,
                t.met() ? "reached" : "NOT REACHED");
  }
  auto const met = std::count_if(outcomes.begin(), outcomes.end(), [](outcome const& t) { return t.met(); });
  std::printf("%td of %zu targets reached\n", met, outcomes.size());
}

void print_machine(std::string const& program, machine const& m, std::string const& between,
                   std::string const& commit) {
  std::printf("%s on %s, %u SMs%s; driver %s; runtime %s; %s; commit %s; %s\n", program.c_str(), m.gpu.c_str(), m.sms,
              between.c_str(), m.driver.c_str(), m.runtime.c_str(), m.compiler.c_str(), commit.c_str(), now().c_str());
}

nlohmann::ordered_json to_json(series const& s) {
  nlohmann::ordered_json j;
  for (double value : s.values) j.push_back(std::round(value * 1e4) / 1e4);
  return j;
}

nlohmann::ordered_json to_json(std::string const& program, machine const& m, report_options const& o,
                               std::vector<outcome> const& outcomes) {
  nlohmann::ordered_json j;
  j["benchmark"] = program;
  j["date"] = now();
  j["commit"] = o.commit;
  j["gpu"] = {{"name", m.gpu}, {"sms", m.sms}, {"driver", m.driver}};
  j["runtime"] = m.runtime;
  j["compiler"] = m.compiler;
  j["rounds"] = o.rounds;
  for (outcome const& t : outcomes) {
    j["targets"].push_back(
        {{"claim", t.claim}, {"at_least", t.at_least}, {"is", t.reached.median()}, {"reached", t.met()}});
  }
  return j;
}

void write_json(std::string const& path, nlohmann::ordered_json const& j) {
  std::ofstream file(path);
  char const* separator = "{\n";
  for (auto const& [key, value] : j.items()) {
    file << separator << '"' << key << "\": ";
    separator = ",\n";
    if (!value.is_array() || value.empty() || !value[0].is_object()) {
      file << value.dump();
      continue;
    }
    for (std::size_t i = 0; i < value.size(); ++i) file << (i == 0 ? "[\n" : ",\n") << value[i].dump();
    file << "\n]";
  }
  file << "\n}\n";
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path);
}

}  // namespace bench
