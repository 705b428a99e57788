// The parts of a report's text.
#pragma once

#include <string>
#include <tessera/core/config.hpp>
#include <tessera/host/report/misuse.hpp>
#include <tessera/host/run/dim3.hpp>
#include <tessera/host/run/lane.hpp>
#include <tessera/host/run/schedule.hpp>
#include <vector>

TESSERA_NAMESPACE_BEGIN
namespace host::detail {

/// A rule that one lane broke by itself.
struct fault {
  misuse_kind kind;
  unsigned lane;
  std::string what;
  call_site site;
};

struct block_context {
  dim3 block;
  dim3 grid;
  dim3 index;
  lane_order order;
};

/// Formats sorted lanes: "lane 5", "lanes 0-3, 8, 9".
inline std::string list_lanes(const std::vector<unsigned>& lanes) {
  std::string text = lanes.size() == 1 ? "lane " : "lanes ";
  for (std::size_t i = 0; i < lanes.size();) {
    std::size_t last = i;
    while (last + 1 < lanes.size() && lanes[last + 1] == lanes[last] + 1) ++last;
    if (last == i + 1) last = i;  // write "8, 9" rather than "8-9"
    if (i != 0) text += ", ";
    text += std::to_string(lanes[i]);
    if (last != i) text += "-" + std::to_string(lanes[last]);
    i = last + 1;
  }
  return text;
}

/// Says where the launch is recorded, or else which command records it.
inline std::string trace_line(const std::string& recorded_in) {
  if (!recorded_in.empty()) return "  recorded in " + recorded_in + ", for tools/draw_trace\n";
  return "  draw it: TESSERA_HOST_TRACE=misuse.json ./program ...; tools/draw_trace misuse.json\n";
}

inline std::string replay_line(lane_order order) {
  return std::string("  replay with TESSERA_HOST_SCHEDULE=") + host::name_of(order.order) +
         " TESSERA_HOST_SEED=" + std::to_string(order.seed);
}

inline std::string describe(dim3 d) {
  return std::to_string(d.x) + "x" + std::to_string(d.y) + "x" + std::to_string(d.z);
}

}  // namespace host::detail
TESSERA_NAMESPACE_END
