// tile_reduce: one reduction of a tile in registers, by tessera and by its peers, side by side in one run.
//
// Own harness rather than Google Benchmark: the time comes from the SMs' clocks, all methods of a row take turns within
// every round, and what is claimed is a ratio of two methods within a round.
#include "../measure.hpp"
#include "chains.hpp"
#include "commit.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <tessera/device.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using bench::result;
using bench::series;

constexpr unsigned widths[] = {2, 4, 8, 16, 32};
constexpr unsigned warps_per_sm = bench::blocks_per_sm * bench::threads_per_block / bench::warp_lanes;

struct options {
  std::string json;
  std::string filter;
  std::string commit = TESSERA_COMMIT;
  unsigned rounds = 21;
  bool quick = false;

  unsigned calls() const { return quick ? 400 : 2000; }
};

// ---- Running

std::string name_of(bench::chain const& c) {
  return c.what + "/" + std::to_string(c.width) + "/" + c.method;
}

/// All results, of one type, operator and width after the other.
std::vector<result> measure_all(bench::gpu& gpu, std::vector<bench::chain> const& chains, options const& o) {
  std::vector<result> results;
  std::vector<bench::chain const*> left;
  for (auto const& c : chains) {
    if (name_of(c).find(o.filter) != std::string::npos) left.push_back(&c);
  }
  while (!left.empty()) {
    auto const beside = [&, first = left.front()](auto* c) {
      return c->what == first->what && c->width == first->width;
    };
    auto const end = std::stable_partition(left.begin(), left.end(), beside);
    for (result& r : gpu.measure({left.begin(), end}, o.rounds, o.calls())) results.push_back(std::move(r));
    left.erase(left.begin(), end);
  }
  return results;
}

// ---- Tables

/// Values in the order of first appearance.
template <class F>
std::vector<std::string> distinct(std::vector<result> const& results, F name) {
  std::vector<std::string> names;
  for (result const& r : results) {
    std::string const n = name(r);
    if (!n.empty() && std::find(names.begin(), names.end(), n) == names.end()) names.push_back(n);
  }
  return names;
}

result const* find(std::vector<result> const& results, std::string const& what, std::string const& method,
                   unsigned width) {
  for (result const& r : results) {
    if (r.chain->what == what && r.chain->method == method && r.chain->width == width) return &r;
  }
  return nullptr;
}

/// The fastest peer.
result const* best_peer(std::vector<result> const& results, std::string const& what, unsigned width) {
  result const* best = nullptr;
  for (result const& r : results) {
    if (r.chain->what != what || r.chain->width != width || r.chain->kind != bench::kind::peer) continue;
    if (!best || r.throughput.median() < best->throughput.median()) best = &r;
  }
  return best;
}

void print_head(std::string const& title) {
  std::printf("\n%-26s", title.c_str());
  for (unsigned n : widths) std::printf("%16s", ("N=" + std::to_string(n)).c_str());
}

/// Rows: methods. Cells: throughput / latency. Last: the greatest spread of the row's throughputs and latencies.
void print_table(std::vector<result> const& results, std::string const& what) {
  print_head(what);
  std::printf("%16s\n", "spread");
  auto const methods =
      distinct(results, [&](result const& r) { return r.chain->what == what ? r.chain->method : ""; });
  for (std::string const& method : methods) {
    std::printf("%-26s", method.c_str());
    double throughput = 0, latency = 0;
    for (unsigned n : widths) {
      result const* r = find(results, what, method, n);
      if (!r) {
        std::printf("%16s", "-");
        continue;
      }
      char cell[32];
      std::snprintf(cell, sizeof cell, "%.2f / %.1f", r->throughput.median(), r->latency_ns.median());
      std::printf("%16s", cell);
      throughput = std::max(throughput, r->throughput.spread());
      latency = std::max(latency, r->latency_ns.spread());
    }
    char cell[32];
    std::snprintf(cell, sizeof cell, "%.1f%% / %.1f%%", 100 * throughput, 100 * latency);
    std::printf("%16s\n", cell);
  }
}

/// One row of ratios: `of` and `to` find the two results of a width.
template <class Of, class To>
void print_ratios(std::string const& title, Of of, To to) {
  std::printf("%-26s", title.c_str());
  for (unsigned n : widths) {
    result const* a = of(n);
    result const* b = to(n);
    if (a && b)
      std::printf("%16.2f", ratio(*a, *b).median());
    else
      std::printf("%16s", "-");
  }
  std::printf("\n");
}

void print_ratios(std::vector<result> const& results, std::string const& what) {
  auto const method = [&](char const* name) {
    return [&results, &what, name](unsigned n) { return find(results, what, name, n); };
  };
  auto const peer = [&](unsigned n) { return best_peer(results, what, n); };
  print_head(what + ", ratios");
  std::printf("\n");
  print_ratios("cg::reduce / adaptive", method("cg::reduce"), method("tessera adaptive"));
  print_ratios("CUB to all / adaptive", method("CUB + broadcast"), method("tessera adaptive"));
  print_ratios("by hand / converged", method("hand-written"), method("tessera converged"));
  print_ratios("best peer / converged", peer, method("tessera converged"));
  print_ratios("best peer / adaptive", peer, method("tessera adaptive"));
}

// ---- Targets

struct target {
  std::string claim;
  double wanted;
  series reached;  // of each round
  bool met() const { return reached.median() >= wanted; }
};

std::vector<target> find_targets(std::vector<result> const& results) {
  std::vector<target> targets;
  auto const add = [&](std::string const& what, unsigned n, double wanted, result const* ours,
                       result const* theirs) {
    if (!ours || !theirs) return;
    std::string const claim =
        what + ", N=" + std::to_string(n) + ": " + theirs->chain->method + " / " + ours->chain->method;
    targets.push_back({claim, wanted, ratio(*theirs, *ours)});
  };
  struct {
    unsigned width;
    double wanted;
  } const over_cg[] = {{2, 12}, {4, 4.3}, {8, 2.3}, {16, 1.5}};
  std::string const sum = "float sum";
  for (auto const [n, wanted] : over_cg) {
    add(sum, n, wanted, find(results, sum, "tessera adaptive", n), find(results, sum, "cg::reduce", n));
  }
  for (unsigned n : widths) {
    add(sum, n, 0.97, find(results, sum, "tessera converged", n), find(results, sum, "hand-written", n));
  }
  for (std::string const what : {"float sum", "int sum", "double sum"}) {
    add(what, 32, 0.98, find(results, what, "tessera adaptive", 32), best_peer(results, what, 32));
  }
  return targets;
}

void print_targets(std::vector<target> const& targets) {
  std::printf("\n%-62s%10s%10s%20s\n", "targets, throughput", "at least", "is", "quartiles");
  for (target const& t : targets) {
    char quartiles[32];
    std::snprintf(quartiles, sizeof quartiles, "%.3f - %.3f", t.reached.quantile(0.25),
                  t.reached.quantile(0.75));
    std::printf("%-62s%10.2f%10.3f%20s  %s\n", t.claim.c_str(), t.wanted, t.reached.median(), quartiles,
                t.met() ? "reached" : "NOT REACHED");
  }
  auto const met = std::count_if(targets.begin(), targets.end(), [](target const& t) { return t.met(); });
  std::printf("%td of %zu targets reached\n", met, targets.size());
}

// ---- The report

std::string now() {
  std::time_t const t = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&t));
  return text;
}

/// To a precision that is worth storing.
nlohmann::ordered_json to_json(series const& s) {
  nlohmann::ordered_json j;
  for (double value : s.values) j.push_back(std::round(value * 1e4) / 1e4);
  return j;
}

nlohmann::ordered_json to_json(bench::machine const& m, series const& clock,
                               std::vector<result> const& results, std::vector<target> const& targets,
                               options const& o) {
  nlohmann::ordered_json j;
  j["benchmark"] = "tile_reduce";
  j["date"] = now();
  j["commit"] = o.commit;
  j["gpu"] = {{"name", m.gpu}, {"sms", m.sms}, {"driver", m.driver}};
  j["clock_mhz"] = to_json(clock);
  j["runtime"] = m.runtime;
  j["compiler"] = m.compiler;
  j["rounds"] = o.rounds;
  j["collectives"] = o.calls();
  j["warps_per_sm"] = warps_per_sm;
  for (target const& t : targets) {
    j["targets"].push_back(
        {{"claim", t.claim}, {"at_least", t.wanted}, {"is", t.reached.median()}, {"reached", t.met()}});
  }
  for (result const& r : results) {
    j["results"].push_back({{"what", r.chain->what},
                            {"width", r.chain->width},
                            {"method", r.chain->method},
                            {"registers", r.registers},
                            {"throughput_cycles", to_json(r.throughput)},
                            {"latency_cycles", to_json(r.latency_cycles)},
                            {"latency_ns", to_json(r.latency_ns)}});
  }
  return j;
}

/// One member a line, and one element a line of arrays of objects.
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

void report(bench::gpu const& gpu, std::vector<result> const& results, options const& o) {
  bench::machine const m = gpu.describe();
  series const& clock = gpu.clock_mhz();
  std::printf(
      "tile_reduce on %s, %u SMs at %.0f MHz (%.0f to %.0f); driver %s; runtime %s; %s; commit %s; %s\n",
      m.gpu.c_str(), m.sms, clock.median(), clock.quantile(0), clock.quantile(1), m.driver.c_str(),
      m.runtime.c_str(), m.compiler.c_str(), o.commit.c_str(), now().c_str());
  std::printf(
      "Cells: throughput in SM cycles per warp (%u warps an SM) / latency in ns (one warp); medians of %u "
      "rounds.\n"
      "Spread: (third quartile - first) / median, the greatest of the row. Every chain's result was "
      "checked.\n",
      warps_per_sm, o.rounds);

  auto const whats = distinct(results, [](result const& r) { return r.chain->what; });
  for (std::string const& what : whats) print_table(results, what);
  for (std::string const& what : whats) {
    for (unsigned n : widths) {
      if (!best_peer(results, what, n)) continue;
      print_ratios(results, what);
      break;
    }
  }
  std::vector<target> const targets = find_targets(results);
  if (!targets.empty()) print_targets(targets);
  for (result const& r : results) {
    if (r.resident_blocks < static_cast<int>(bench::blocks_per_sm)) {
      std::printf("note: only %d blocks of %s fit on an SM (%d registers)\n", r.resident_blocks,
                  name_of(*r.chain).c_str(), r.registers);
    }
  }
  if (!o.json.empty()) write_json(o.json, to_json(m, clock, results, targets, o));
}

}  // namespace

int main(int argc, char** argv) {
  options o;
  CLI::App app{
      "Times one reduction of a tile in registers: tessera beside its peers. Exits with 77 where there is no "
      "GPU."};
  app.add_option("--json", o.json, "Write all measurements to this file");
  app.add_option("--filter", o.filter,
                 "Only what has this in its name, as in 'float sum/8' (TYPE OPERATOR/N/METHOD)");
  app.add_option("--rounds", o.rounds, "Measurements of each number")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--commit", o.commit, "What was measured")->capture_default_str()->envname("TESSERA_COMMIT");
  app.add_flag("--quick", o.quick, "Three rounds of shorter chains, to try it out");
  CLI11_PARSE(app, argc, argv);
  if (o.quick) o.rounds = 3;

  tessera::device_info const device = tessera::find_device();
  if (!device.usable) {
    std::fprintf(stderr, "tile_reduce: skipped: %s\n", device.reason);
    return 77;
  }
  try {
    std::vector<bench::chain> chains;
    bench::add_float_sums(chains);
    bench::add_int_sums(chains);
    bench::add_double_sums(chains);
    bench::add_half2_sums(chains);
    bench::add_methods(chains);
    bench::add_operators(chains);
    bench::gpu gpu(device.index);
    gpu.warm_up();
    report(gpu, measure_all(gpu, chains, o), o);
  } catch (std::exception const& e) {
    std::fprintf(stderr, "tile_reduce: %s\n", e.what());
    return 1;
  }
}
