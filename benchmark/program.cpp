#include "program.hpp"

#include "measure.hpp"
#include "report.hpp"

#include <CLI/CLI.hpp>
#include <tessera/device.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <utility>

namespace bench {

namespace {

struct options : report_options {
  bool launch_only = false;

  options() : report_options(21) {}
  unsigned calls() const { return quick ? 400 : 2000; }
};

// ---- Running

std::string name_of(chain const& c) {
  return c.what + "/" + std::to_string(c.width) + "/" + c.method;
}

std::vector<chain const*> wanted(std::vector<chain> const& chains, options const& o) {
  std::vector<chain const*> found;
  for (auto const& c : chains) {
    if (name_of(c).find(o.filter) != std::string::npos) found.push_back(&c);
  }
  if (found.empty()) throw std::runtime_error("nothing has '" + o.filter + "' in its name");
  return found;
}

/// The results of all chains, for one table and width after the other.
std::vector<result> measure_all(gpu& gpu, std::vector<chain> const& chains, options const& o) {
  std::vector<result> results;
  std::vector<chain const*> left = wanted(chains, o);
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

result const* find(std::vector<result> const& results, std::string const& what, std::string const& method,
                   unsigned width) {
  for (result const& r : results) {
    if (r.chain->what == what && r.chain->method == method && r.chain->width == width) return &r;
  }
  return nullptr;
}

/// The fastest peer whose name begins with `prefix`.
result const* find_best_peer(std::vector<result> const& results, std::string const& what, unsigned width,
                             std::string const& prefix = "", quantity q = quantity::throughput) {
  result const* best = nullptr;
  auto const taken = [q](result const& r) {
    return q == quantity::throughput ? r.throughput.median() : r.latency_cycles.median();
  };
  for (result const& r : results) {
    if (r.chain->what != what || r.chain->width != width || r.chain->kind != kind::peer) continue;
    if (r.chain->method.compare(0, prefix.size(), prefix) != 0) continue;
    if (!best || taken(r) < taken(*best)) best = &r;
  }
  return best;
}

/// The result of the method with this name, or of the fastest peer.
result const* find_or_best(std::vector<result> const& results, std::string const& what, std::string const& method,
                           unsigned width, quantity q) {
  if (method == best_peer) return find_best_peer(results, what, width, "", q);
  if (method.back() == '*') return find_best_peer(results, what, width, method.substr(0, method.size() - 1), q);
  return find(results, what, method, width);
}

/// The columns of all tables.
std::vector<unsigned> widths_of(program const& p) {
  std::vector<unsigned> widths;
  for (chain const& c : p.chains) widths.push_back(c.width);
  std::sort(widths.begin(), widths.end());
  widths.erase(std::unique(widths.begin(), widths.end()), widths.end());
  return widths;
}

void print_head(std::string const& title, std::vector<unsigned> const& widths) {
  std::printf("\n%-26s", title.c_str());
  for (unsigned n : widths) std::printf("%16s", ("N=" + std::to_string(n)).c_str());
}

/// Prints a table with a row for each method. A cell is throughput / latency. The last column is the
/// greatest spread of the row's throughputs and latencies.
void print_table(std::vector<result> const& results, std::string const& what, std::vector<unsigned> const& widths,
                 unit u) {
  print_head(what, widths);
  std::printf("%16s\n", "spread");
  auto const methods = distinct(results, [&](result const& r) { return r.chain->what == what ? r.chain->method : ""; });
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
      series const& shown = u == unit::ns_per_tile ? r->throughput_ns : r->throughput;
      double const taken = shown.median(), alone = r->latency_ns.median();
      std::snprintf(cell, sizeof cell, "%.*f / %.*f", taken < 1000 ? 2 : 0, taken, alone < 1000 ? 1 : 0, alone);
      std::printf("%16s", cell);
      throughput = std::max(throughput, shown.spread());
      latency = std::max(latency, r->latency_ns.spread());
    }
    char cell[32];
    std::snprintf(cell, sizeof cell, "%.1f%% / %.1f%%", 100 * throughput, 100 * latency);
    std::printf("%16s\n", cell);
  }
}

void print_ratios(std::vector<ratio_row> const& rows, std::vector<result> const& results, std::string const& what,
                  std::vector<unsigned> const& widths) {
  print_head(what + ", ratios", widths);
  std::printf("\n");
  for (ratio_row const& row : rows) {
    std::printf("%-26s", row.title.c_str());
    for (unsigned n : widths) {
      result const* of = find_or_best(results, what, row.of, n, row.of_what);
      result const* to = find_or_best(results, what, row.to, n, row.of_what);
      if (of && to)
        std::printf("%16.2f", ratio(*of, *to, row.of_what).median());
      else
        std::printf("%16s", "-");
    }
    std::printf("\n");
  }
}

// ---- Targets

/// The outcomes of those targets whose two methods were measured.
std::vector<outcome> outcomes_of(std::vector<target> const& targets, std::vector<result> const& results) {
  std::vector<outcome> outcomes;
  for (target const& t : targets) {
    result const* theirs = find_or_best(results, t.what, t.theirs, t.width, t.of_what);
    result const* ours = find_or_best(results, t.what, t.ours, t.width, t.of_what);
    if (!theirs || !ours) continue;
    std::string const claim = t.what + ", N=" + std::to_string(t.width) +
                              (t.of_what == quantity::latency ? ", latency: " : ": ") + theirs->chain->method + " / " +
                              ours->chain->method;
    outcomes.push_back({claim, t.at_least, ratio(*theirs, *ours, t.of_what)});
  }
  return outcomes;
}

// ---- The report

nlohmann::ordered_json to_json(program const& p, machine const& m, series const& clock,
                               std::vector<result> const& results, std::vector<outcome> const& outcomes,
                               options const& o) {
  nlohmann::ordered_json j = to_json(p.name, m, o, outcomes);
  j["clock_mhz"] = to_json(clock);
  j["collectives"] = o.calls();
  j["warps_per_sm"] = warps_per_sm;
  for (result const& r : results) {
    j["results"].push_back({{"what", r.chain->what},
                            {"width", r.chain->width},
                            {"method", r.chain->method},
                            {"threads", r.chain->threads},
                            {"registers", r.registers},
                            {"throughput_cycles", to_json(r.throughput)},
                            {"latency_cycles", to_json(r.latency_cycles)},
                            {"latency_ns", to_json(r.latency_ns)}});
  }
  return j;
}

void report(program const& p, gpu const& gpu, std::vector<result> const& results, options const& o) {
  machine const m = gpu.describe();
  series const& clock = gpu.clock_mhz();
  char clocks[64];
  std::snprintf(clocks, sizeof clocks, " at %.0f MHz (%.0f to %.0f)", clock.median(), clock.quantile(0),
                clock.quantile(1));
  print_machine(p.name, m, clocks, o.commit);
  std::printf(
      "Cells show throughput in %s (%u warps per SM) / latency in ns (one %s), the medians of %u "
      "rounds.\n"
      "Spread is (third quartile - first quartile) / median, the greatest of the row. The results of all "
      "chains were checked.\n",
      p.unit == unit::ns_per_tile ? "ns per tile and SM" : "SM cycles per warp", warps_per_sm,
      p.unit == unit::ns_per_tile ? "tile" : "warp", o.rounds);

  std::vector<unsigned> const widths = widths_of(p);
  auto const whats = distinct(results, [](result const& r) { return r.chain->what; });
  for (std::string const& what : whats) print_table(results, what, widths, p.unit);
  for (std::string const& what : whats) {
    auto const has_peer = [&](unsigned n) { return find_best_peer(results, what, n) != nullptr; };
    if (std::any_of(widths.begin(), widths.end(), has_peer)) print_ratios(p.ratios, results, what, widths);
  }
  std::vector<outcome> const outcomes = outcomes_of(p.targets, results);
  if (!outcomes.empty()) print_targets("targets, throughput", outcomes);
  for (result const& r : results) {
    if (r.resident_blocks < static_cast<int>(r.chain->blocks_per_sm())) {
      std::printf("note: only %d blocks of %s fit on an SM (%d registers)\n", r.resident_blocks,
                  name_of(*r.chain).c_str(), r.registers);
    }
  }
  if (!o.json.empty()) write_json(o.json, to_json(p, m, clock, results, outcomes, o));
}

/// Launches each chain once, for a profiler, and prints their names in the order of the launches.
void launch_all(gpu& gpu, std::vector<chain> const& chains, options const& o) {
  constexpr unsigned calls = 80;
  for (chain const* c : wanted(chains, o)) {
    std::printf("%u calls of %s in a block of %u\n", calls, name_of(*c).c_str(), c->threads);
    gpu.launch(*c, calls);
  }
}

}  // namespace

int run(program const& p, int argc, char** argv) {
  options o;
  CLI::App app{p.purpose + " Exits with 77 if there is no GPU."};
  o.add_to(app, "'" + p.chains.front().what + "/8' (WHAT/N/METHOD)");
  app.add_flag("--launch-only", o.launch_only,
               "Launch each chain once, in one block, and print its name, for use with a profiler");
  CLI11_PARSE(app, argc, argv);
  if (o.quick) o.rounds = 3;

  tessera::device_info const device = tessera::find_device();
  if (!device.usable) {
    std::fprintf(stderr, "%s: skipped: %s\n", p.name.c_str(), device.reason);
    return 77;
  }
  try {
    bench::gpu gpu(device.index);
    if (o.launch_only) {
      launch_all(gpu, p.chains, o);
      return 0;
    }
    gpu.warm_up();
    report(p, gpu, measure_all(gpu, p.chains, o), o);
  } catch (std::exception const& e) {
    std::fprintf(stderr, "%s: %s\n", p.name.c_str(), e.what());
    return 1;
  }
  return 0;
}

}  // namespace bench
