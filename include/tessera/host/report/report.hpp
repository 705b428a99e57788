// The report on a block in which no lane can continue: the fault, with both source lines; where each lane is; and how
// to replay the launch. Lanes are numbered by their rank in the block.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <tessera/host/report/misuse.hpp>
#include <tessera/host/report/report_text.hpp>
#include <tessera/host/run/lane.hpp>
#include <tessera/host/run/request.hpp>
#include <utility>
#include <vector>

TESSERA_NAMESPACE_BEGIN
namespace host::detail {

struct finding {
  misuse_kind kind;
  std::string what;
};

/// Finds the cause in a block in which every lane waits, has stopped, or has exited.
class stuck_block {
 public:
  stuck_block(const lane* lanes, unsigned size) : lanes_(lanes), size_(size) {}

  /// Returns the first that applies: lanes of one tile make different calls; tiles of one warp that
  /// promised `converged` make different calls; a lane has exited; a lane that waits elsewhere breaks a
  /// promise; collectives wait in a cycle.
  finding cause() const {
    if (auto pair = find([&](unsigned a, unsigned b) { return waiting(b) && one_tile(a, b) && differ(a, b); }))
      return difference(*pair, detail::same_call(at(pair->first), at(pair->second)) ? misuse_kind::mismatched_call
                                                                                    : misuse_kind::divergent_call);
    if (auto pair = find([&](unsigned a, unsigned b) { return joined(a, b) && !one_tile(a, b) && differ(a, b); }))
      return difference(*pair, misuse_kind::broken_converged_promise);
    if (auto pair = find([&](unsigned a, unsigned b) { return waits_for(a, b) && !waiting(b); }))
      return missing_lanes(
          *pair, at(pair->first).call.converged ? misuse_kind::broken_converged_promise : misuse_kind::exited_lane);
    if (auto pair = find([&](unsigned a, unsigned b) { return at(a).call.converged && waits_for(a, b); }))
      return missing_lanes(*pair, misuse_kind::broken_converged_promise);
    return cycle();
  }

  /// The states of all lanes, one line for each state.
  std::string all_lanes() const {
    std::vector<std::pair<std::string, std::vector<unsigned>>> states;
    for (unsigned r = 0; r < size_; ++r) {
      std::string state = state_of(r);
      auto const same = std::find_if(states.begin(), states.end(), [&](auto& f) { return f.first == state; });
      if (same != states.end())
        same->second.push_back(r);
      else
        states.push_back({std::move(state), {r}});
    }
    std::string text;
    for (const auto& [state, lanes] : states) text += "    " + detail::list_lanes(lanes) + ": " + state + "\n";
    return text;
  }

  std::string state_of(unsigned r) const {
    if (waiting(r)) return "waiting in " + describe(r);
    std::string text = lanes_[r].state == lane_state::exited ? "exited" : "stopped";
    if (lanes_[r].last_name == nullptr) return text + " before any collective";
    return text + "; its last collective was " + lanes_[r].last_name + ", at " + detail::describe(lanes_[r].last_site);
  }

 private:
  using lane_pair = std::pair<unsigned, unsigned>;

  bool waiting(unsigned r) const { return lanes_[r].state == lane_state::waiting; }
  const request& at(unsigned r) const { return *lanes_[r].waiting; }
  /// Includes the column if another lane waits in another call on the same line.
  std::string describe(unsigned r) const {
    std::string column;
    for (unsigned a = 0; a < size_ && column.empty(); ++a)
      if (waiting(a)) column = detail::describe_column(at(r).call.site, at(a).call.site);
    return detail::describe(at(r)) + column;
  }
  rendezvous_lanes group(unsigned r) const { return detail::lanes_of_rendezvous(r, at(r), size_); }
  /// True if lanes a and b, which both wait, wait in the same tile.
  bool one_tile(unsigned a, unsigned b) const {
    unsigned const level = at(a).level;
    return level == at(b).level && a >> level == b >> level && at(a).call.lanes == at(b).call.lanes;
  }
  /// True if lane b waits at the same rendezvous as lane a.
  bool joined(unsigned a, unsigned b) const {
    return waiting(b) && group(a).contains(b) && at(a).rendezvous_level() == at(b).rendezvous_level() &&
           at(a).call.lanes == at(b).call.lanes;
  }
  /// True if lane a's rendezvous still needs lane b.
  bool waits_for(unsigned a, unsigned b) const { return group(a).contains(b) && !joined(a, b); }
  /// True if the requests of lanes a and b can't belong to one collective.
  bool differ(unsigned a, unsigned b) const {
    return !detail::same_call(at(a), at(b)) || !detail::same_signature(at(a), at(b)) ||
           (one_tile(a, b) && at(a).call.uniform != at(b).call.uniform);
  }

  template <class Wanted>
  std::optional<lane_pair> find(Wanted wanted) const {
    for (unsigned a = 0; a < size_; ++a)
      if (waiting(a))
        for (unsigned b = 0; b < size_; ++b)
          if (b != a && wanted(a, b)) return lane_pair{a, b};
    return std::nullopt;
  }

  template <class Wanted>
  std::vector<unsigned> lanes_of(rendezvous_lanes group, Wanted wanted) const {
    std::vector<unsigned> lanes;
    for (unsigned const r : group)
      if (wanted(r)) lanes.push_back(r);
    return lanes;
  }
  std::string describe_group(unsigned r) const {
    unsigned const level = at(r).level;
    if (level == block_level) return "block";
    rendezvous_lanes const tile{detail::group_of(r, level, size_), at(r).call.lanes};
    if (at(r).is_coalesced())
      return detail::group_name(at(r)) + " (" + detail::list_lanes(lanes_of(tile, [](unsigned) { return true; })) + ")";
    return detail::group_name(level) + " number " + std::to_string(r >> level) + " of the block (" +
           detail::list_lanes(lanes_of(tile, [](unsigned) { return true; })) + ")";
  }
  /// "lanes 0-3 wait in …": the lanes that wait with the same request as lane r.
  std::string waiting_like(unsigned r) const {
    auto const lanes = lanes_of(group(r), [&](unsigned b) { return waiting(b) && describe(b) == describe(r); });
    return detail::list_lanes(lanes) + (lanes.size() == 1 ? " waits in " : " wait in ") + describe(r);
  }

  finding difference(lane_pair pair, misuse_kind kind) const {
    auto const [a, b] = pair;
    return {kind, "in " + describe_group(a) + ":\n  " + waiting_like(a) + "\n  " + waiting_like(b)};
  }

  finding missing_lanes(lane_pair pair, misuse_kind kind) const {
    auto const [a, b] = pair;
    auto const alike = lanes_of(group(a), [&, first = a, second = b](unsigned r) {
      return waits_for(first, r) && state_of(r) == state_of(second);
    });
    std::string text = "in " + describe_group(a) + ":\n  " + waiting_like(a);
    if (at(a).call.converged) text += "\n  which promised that the whole warp makes this call together";
    return {kind, text + "\n  " + detail::list_lanes(alike) + ": " + state_of(b)};
  }

  /// Each waiting lane waits for another waiting lane. Follows these from lane to lane until a lane repeats.
  finding cycle() const {
    unsigned r = 0;
    while (!waiting(r)) ++r;
    std::vector<unsigned> path;
    auto seen = path.end();
    while ((seen = std::find_if(path.begin(), path.end(), [&](unsigned p) { return joined(p, r); })) == path.end()) {
      path.push_back(r);
      r = lanes_of(group(r), [&](unsigned b) { return waits_for(r, b); }).front();
    }
    path.erase(path.begin(), seen);
    std::string text = "collectives wait for each other:";
    for (std::size_t i = 0; i < path.size(); ++i) {
      unsigned const here = path[i];
      auto const missing = lanes_of(group(here), [&](unsigned b) { return waits_for(here, b); });
      text += "\n  " + waiting_like(here) + ",\n    for " + detail::list_lanes(missing);
    }
    return {misuse_kind::deadlock, text};
  }

  const lane* lanes_;
  unsigned size_;
};

/// Makes the report. If a lane broke a rule by itself, that is the cause, since other lanes may be waiting for it.
/// `recorded_in` is the file with the trace of the launch; empty if it isn't traced.
inline misuse make_report(const lane* lanes, unsigned size, const block_context& context,
                          const std::vector<fault>& faults, const std::string& recorded_in) {
  stuck_block const block(lanes, size);
  finding const found = faults.empty() ? block.cause() : finding{faults[0].kind, faults[0].what};
  std::string text = std::string(host::name_of(found.kind)) + ", " + found.what + "\n";
  for (std::size_t i = 1; i < faults.size() && i < 4; ++i)
    text += std::string("  and ") + host::name_of(faults[i].kind) + ", " + faults[i].what + "\n";
  if (faults.size() > 4) text += "  and " + std::to_string(faults.size() - 4) + " more\n";
  text += "  block (" + std::to_string(context.index.x) + "," + std::to_string(context.index.y) + "," +
          std::to_string(context.index.z) + ") of " + detail::describe(context.grid) + ", " +
          detail::describe(context.block) + " threads:\n";
  return misuse(found.kind,
                text + block.all_lanes() + detail::trace_line(recorded_in) + detail::replay_line(context.order));
}

}  // namespace host::detail
TESSERA_NAMESPACE_END
