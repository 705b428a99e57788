// Names in a trace: of calls and steps, of the launch and of source lines.
#pragma once

#include <string>
#include <tessera/core/config.hpp>
#include <tessera/host/report/text_writer.hpp>
#include <tessera/host/report/trace.hpp>

TESSERA_NAMESPACE_BEGIN
namespace host::detail {

/// "reduce"; "write" for an access of shared memory outside of a collective.
inline std::string call_name(const trace_call& call) {
  if (call.name[0] != '\0') return call.name;
  trace_kind const what = call.steps[0].what;
  return what == trace_kind::read ? "read" : what == trace_kind::write ? "write" : "atomic";
}

/// The level of the tile that makes the call; warps of a large tile have steps of their own.
inline unsigned level_of(const trace_call& call) {
  unsigned level = call.level;
  for (const trace_step& step : call.steps)
    if (step.level != block_level && level < step.level) level = step.level;
  return level;
}

/// "int, plus, tile<8>"; the type of the shared array outside of a collective.
inline std::string call_detail(const trace_call& call) {
  if (call.name[0] == '\0') return "shared<" + detail::readable_type(call.steps[0].type) + ">";
  std::string text = call.detail;
  for (std::size_t at; (at = text.find("tessera::")) != std::string::npos;) text.erase(at, 9);
  if (!text.empty()) text += ", ";
  return text + detail::group_name(detail::level_of(call));
}

/// "xor 4", "up 1", "from 0", "ballot", "barrier", "write".
inline std::string step_name(const trace_step& step) {
  switch (step.what) {
    case trace_kind::read:
      return "read";
    case trace_kind::write:
      return "write";
    case trace_kind::atomic:
      return "atomic";
    case trace_kind::result:
      return "result";
    case trace_kind::exchange:
      break;
  }
  std::string const number = " " + std::to_string(step.argument);
  switch (step.kind) {
    case primitive::sync:
      return "barrier";
    case primitive::shuffle:
      return step.same_source ? "from" + number : "shuffle";
    case primitive::shuffle_xor:
      return "xor" + number;
    case primitive::shuffle_up:
      return "up" + number;
    case primitive::shuffle_down:
      return "down" + number;
    default:
      return detail::name_of(step.kind);
  }
}

inline bool is_shuffle(const trace_step& step) {
  return step.what == trace_kind::exchange &&
         (step.kind == primitive::shuffle || step.kind == primitive::shuffle_xor ||
          step.kind == primitive::shuffle_up || step.kind == primitive::shuffle_down);
}
inline bool is_barrier(const trace_step& step) {
  return step.what == trace_kind::exchange && step.kind == primitive::sync;
}
inline bool is_vote(const trace_step& step) {
  return step.what == trace_kind::exchange && (step.kind == primitive::ballot || step.kind == primitive::any);
}
inline bool is_access(const trace_step& step) {
  return step.what == trace_kind::read || step.what == trace_kind::write || step.what == trace_kind::atomic;
}

/// The kind of a step: a picture has a row of its own for each.
inline const char* kind_of(const trace_step& step) {
  if (detail::is_access(step)) return "memory";
  if (step.what == trace_kind::result) return "result";
  if (detail::is_barrier(step)) return "barrier";
  if (detail::is_vote(step)) return "vote";
  return detail::is_shuffle(step) ? "shuffle" : "match";
}

/// "kernel.cpp:12", with all folders.
inline std::string full_site(const call_site& site) {
  return site.file[0] == '\0' ? "" : detail::describe(site);
}

/// "8 lanes, block (0,0,0) of 1x1x1"
inline std::string block_name(const trace_record& record) {
  dim3 const at = record.context.index, grid = record.context.grid;
  return text_writer() << record.size << (record.size == 1 ? " lane" : " lanes") << ", block (" << at.x << "," << at.y
                       << "," << at.z << ") of " << grid.x << "x" << grid.y << "x" << grid.z;
}

/// "... 3 more steps; a trace shows the first 256"
inline std::string more_steps(const trace_record& record) {
  return text_writer() << "... " << record.more << (record.more == 1 ? " more step" : " more steps")
                       << "; a trace shows the first " << most_traced_steps;
}

}  // namespace host::detail
TESSERA_NAMESPACE_END
