// The state in which each lane of a failed launch ended, for its trace.
#pragma once

#include <string>
#include <tessera/host/report/report_text.hpp>
#include <tessera/host/report/trace.hpp>
#include <tessera/host/run/lane.hpp>
#include <vector>

TESSERA_NAMESPACE_BEGIN
namespace host::detail {

/// Adds lane `rank` to the ending that equals `ending`, or adds that ending.
inline void add_ending(std::vector<trace_ending>& endings, trace_ending ending, unsigned rank) {
  for (trace_ending& other : endings) {
    if (other.text == ending.text && other.at_fault == ending.at_fault &&
        detail::same_source_line(other.site, ending.site)) {
      other.lanes.push_back(rank);
      return;
    }
  }
  ending.lanes.push_back(rank);
  endings.push_back(ending);
}

inline trace_ending ending_of(const lane& of) {
  if (of.state == lane_state::exited) return {"left the kernel", {"", "", 0}, false, {}};
  if (of.state == lane_state::waiting) {
    const request& r = *of.waiting;
    return {
        "waiting in " + std::string(r.call.name) + detail::describe_uniform(r.call.uniform), r.call.site, false, {}};
  }
  return {"not started", {"", "", 0}, false, {}};
}

inline const fault* fault_of(unsigned rank, const std::vector<fault>& faults) {
  for (const fault& found : faults)
    if (found.lane == rank) return &found;
  return nullptr;
}

/// True if other lanes wait for a lane that has left.
inline bool is_missed(const lane* lanes, unsigned size, unsigned rank) {
  if (lanes[rank].state != lane_state::exited) return false;
  for (unsigned r = 0; r < size; ++r)
    if (lanes[r].state == lane_state::waiting && detail::lanes_of_rendezvous(r, *lanes[r].waiting, size).contains(rank))
      return true;
  return false;
}

/// The endings after a misuse. The lanes that broke a rule by themselves are at fault; if there are none, the lanes
/// that have left although others wait for them; if there are none, the lanes that wait.
inline std::vector<trace_ending> endings_of(const lane* lanes, unsigned size, const std::vector<fault>& faults) {
  std::vector<trace_ending> endings;
  bool has_missed_lanes = false;
  for (unsigned r = 0; r < size; ++r) has_missed_lanes = has_missed_lanes || detail::is_missed(lanes, size, r);
  for (unsigned r = 0; r < size; ++r) {
    trace_ending ending = detail::ending_of(lanes[r]);
    if (const fault* const broke = detail::fault_of(r, faults))
      ending = {std::string("stopped: ") + host::name_of(broke->kind), broke->site, true, {}};
    else
      ending.at_fault = faults.empty() &&
                        (has_missed_lanes ? detail::is_missed(lanes, size, r) : lanes[r].state == lane_state::waiting);
    detail::add_ending(endings, ending, r);
  }
  return endings;
}

/// The endings after lane `thrower` threw.
inline std::vector<trace_ending> endings_after_throw(const lane* lanes, unsigned size, unsigned thrower) {
  std::vector<trace_ending> endings;
  for (unsigned r = 0; r < size; ++r)
    detail::add_ending(
        endings, r == thrower ? trace_ending{"threw an exception", {"", "", 0}, true, {}} : detail::ending_of(lanes[r]),
        r);
  return endings;
}

}  // namespace host::detail
TESSERA_NAMESPACE_END
