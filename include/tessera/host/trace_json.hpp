// Writes a record in the trace event format of Chrome, which Perfetto and chrome://tracing show: a process for the block, a thread
// for each lane, a slice for each call and in it one for each step, an arrow (a flow) for each value that moves.
//
// A step takes a millisecond of the trace's time, which is the order of steps and not the time that anything took.
#pragma once

#include <cstdio>
#include <string>
#include <tessera/config.hpp>
#include <tessera/host/trace_names.hpp>
#include <tessera/host/trace_value.hpp>

TESSERA_NAMESPACE_BEGIN
namespace host::detail {

inline std::string json_quoted(const std::string& text) {
  std::string out = "\"";
  for (char const c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) out += c;
  }
  return out + "\"";
}

class json_trace {
 public:
  explicit json_trace(const trace_record& record) : record_(record) {}

  std::string text() {
    name("process_name", 0, block_name(record_));
    for (unsigned lane = 0; lane < record_.size; ++lane) name_lane(lane);
    for (const trace_call& call : record_.calls) put_call(call);
    if (record_.more != 0) put_end(more_steps(record_));
    if (!record_.failure.empty()) put_failure();
    return "{\"displayTimeUnit\": \"ms\", \"otherData\": {\"block\": " + json_quoted(block_name(record_)) +
           ", \"launch\": " + json_quoted(full_site(record_.launch)) +
           ", \"schedule\": " + json_quoted(name_of(record_.context.order.order)) +
           ", \"seed\": " + json_quoted(std::to_string(record_.context.order.seed)) +
           ", \"failure\": " + json_quoted(record_.failure) +
           ", \"more_steps\": " + std::to_string(record_.more) + "},\n\"traceEvents\": [\n" + events_ +
           "\n]}\n";
  }

 private:
  static constexpr unsigned step_time = 1000;  // microseconds

  /// Begins an event. `rest` are its further members, each after a comma.
  void event(const char* phase, unsigned lane, unsigned long long time, const std::string& name,
             const std::string& rest) {
    if (!events_.empty()) events_ += ",\n";
    events_ += std::string("{\"ph\": \"") + phase + "\", \"pid\": 0, \"tid\": " + std::to_string(lane) +
               ", \"ts\": " + std::to_string(time) + ", \"name\": " + json_quoted(name) + rest + "}";
  }
  void name(const char* what, unsigned lane, const std::string& text) {
    event("M", lane, 0, what, ", \"args\": {\"name\": " + json_quoted(text) + "}");
  }
  void name_lane(unsigned lane) {
    name("thread_name", lane, "lane " + std::to_string(lane) + " (warp " + std::to_string(lane / 32) + ")");
    event("M", lane, 0, "thread_sort_index", ", \"args\": {\"sort_index\": " + std::to_string(lane) + "}");
  }
  static std::string member(const char* key, const std::string& value) {
    return std::string("\"") + key + "\": " + json_quoted(value);
  }

  void put_call(const trace_call& call) {
    std::string const args = ", \"cat\": \"call\", \"args\": {" + member("source", full_site(call.site)) +
                             ", " + member("detail", call_detail(call)) + "}";
    unsigned long long const duration = step_time * call.steps.size();
    for (unsigned lane = 0; lane < record_.size; ++lane)
      if (takes_part(call, lane))
        event("X", lane, time_, call_name(call), ", \"dur\": " + std::to_string(duration) + args);
    for (const trace_step& step : call.steps) {
      put_step(step);
      time_ += step_time;
    }
  }
  static bool takes_part(const trace_call& call, unsigned lane) {
    for (const trace_step& step : call.steps)
      if (step.lanes[lane].takes_part) return true;
    return false;
  }

  void put_step(const trace_step& step) {
    std::string const type = readable_type(step.type), name = step_name(step);
    for (unsigned lane = 0; lane < record_.size; ++lane) {
      if (!step.lanes[lane].takes_part) continue;
      if (is_barrier(step)) {
        event("i", lane, time_ + step_time / 2, name, ", \"cat\": \"barrier\", \"s\": \"t\"");
        continue;
      }
      std::string const shown = value(step, type, lane);
      event("X", lane, time_ + 50, name,
            ", \"cat\": \"step\", \"dur\": " + std::to_string(step_time - 100) + ", \"args\": {" +
                member("value", shown) + received(step, type, lane) + "}");
      if (is_shuffle(step) && step.lanes[lane].source != lane) put_flow(step.lanes[lane].source, lane, name);
    }
  }
  static std::string value(const trace_step& step, const std::string& type, unsigned lane) {
    return step.bytes == 0
               ? ""
               : value_text(is_vote(step) ? "bool" : type, step.value(lane), step.bytes, ~std::size_t{0});
  }
  static std::string received(const trace_step& step, const std::string& type, unsigned lane) {
    const trace_cell& cell = step.lanes[lane];
    if (is_shuffle(step))
      return ", \"source\": " + std::to_string(cell.source) + ", " +
             member("received", value(step, type, cell.source));
    if (is_access(step))
      return ", \"index\": " + std::to_string(cell.index) + ", \"accesses\": " + std::to_string(cell.count);
    return "";
  }
  void put_flow(unsigned from, unsigned to, const std::string& name) {
    std::string const id = ", \"cat\": \"shuffle\", \"id\": " + std::to_string(++flows_);
    event("s", from, time_ + 100, name, id);
    event("f", to, time_ + step_time - 100, name, id + ", \"bp\": \"e\"");
  }

  void put_failure() {
    for (const trace_ending& ending : record_.endings)
      for (unsigned const lane : ending.lanes)
        event("i", lane, time_, ending.text,
              ", \"cat\": \"end\", \"s\": \"t\", \"args\": {" + member("source", full_site(ending.site)) +
                  ", \"at_fault\": " + (ending.at_fault ? "true" : "false") + "}");
    put_end(record_.failure);
  }
  void put_end(const std::string& text) { event("i", 0, time_, text, ", \"cat\": \"end\", \"s\": \"p\""); }

  const trace_record& record_;
  std::string events_;
  unsigned long long time_ = 0;
  unsigned flows_ = 0;
};

inline std::string json_of(const trace_record& record) {
  return json_trace(record).text();
}

}  // namespace host::detail
TESSERA_NAMESPACE_END
