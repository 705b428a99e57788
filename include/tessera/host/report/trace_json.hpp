// Writes a record in the trace event format of Chrome, which Perfetto and chrome://tracing show: a
// process for the block, a thread for each lane, a slice for each call and in it one for each step, an
// arrow (a flow) for each value that moves. tools/draw_trace draws a picture of it.
//
// A step takes a millisecond of the trace's time: times show the order of steps, not durations.
#pragma once

#include <string>
#include <tessera/core/config.hpp>
#include <tessera/host/report/text_writer.hpp>
#include <tessera/host/report/trace_names.hpp>
#include <tessera/host/report/trace_value.hpp>

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
    put_head();
    name_all();
    for (const trace_call& call : record_.calls) put_call(call);
    if (record_.more != 0) put_end(detail::more_steps(record_));
    if (!record_.failure.empty()) put_failure();
    out_ << "\n]}\n";
    return out_;
  }

 private:
  static constexpr unsigned step_time = 1000;  // microseconds

  void put_head() {
    out_ << "{\"displayTimeUnit\": \"ms\", \"otherData\": {";
    put("block", detail::block_name(record_));
    put_next("launch", detail::full_site(record_.launch));
    put_next("schedule", host::name_of(record_.context.order.order));
    out_ << ", \"seed\": \"" << static_cast<unsigned long long>(record_.context.order.seed) << "\"";
    put_next("failure", record_.failure);
    out_ << ", \"more_steps\": " << record_.more << "},\n\"traceEvents\": [";
  }
  void put(const char* key, const std::string& value) { out_ << "\"" << key << "\": " << detail::json_quoted(value); }
  void put_next(const char* key, const std::string& value) {
    out_ << ", ";
    put(key, value);
  }

  /// Begins an event; `end` ends it.
  void begin(const char* phase, unsigned lane, unsigned long long time, const std::string& name, const char* category) {
    out_ << (first_ ? "\n" : ",\n") << "{\"ph\": \"" << phase << "\", \"pid\": 0, \"tid\": " << lane
         << ", \"ts\": " << time;
    first_ = false;
    put_next("name", name);
    put_next("cat", category);
  }
  void end() { out_ << "}"; }

  void name_all() {
    name("process_name", 0, detail::block_name(record_));
    for (unsigned lane = 0; lane < record_.size; ++lane) {
      name("thread_name", lane, text_writer() << "lane " << lane << " (warp " << lane / 32 << ")");
      begin("M", lane, 0, "thread_sort_index", "");
      out_ << ", \"args\": {\"sort_index\": " << lane << "}";
      end();
    }
  }
  void name(const char* what, unsigned lane, const std::string& text) {
    begin("M", lane, 0, what, "");
    out_ << ", \"args\": {";
    put("name", text);
    out_ << "}";
    end();
  }

  void put_call(const trace_call& call) {
    std::string const name = detail::call_name(call), source = detail::full_site(call.site),
                      detail = detail::call_detail(call);
    for (unsigned lane = 0; lane < record_.size; ++lane) {
      if (!takes_part(call, lane)) continue;
      begin("X", lane, time_, name, "call");
      out_ << ", \"dur\": " << step_time * call.steps.size() << ", \"args\": {";
      put("source", source);
      put_next("detail", detail);
      out_ << "}";
      end();
    }
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
    type_ = detail::is_vote(step) ? "bool" : detail::readable_type(step.type);
    std::string const name = detail::step_name(step);
    for (unsigned lane = 0; lane < record_.size; ++lane) {
      if (!step.lanes[lane].takes_part) continue;
      if (detail::is_barrier(step)) {
        begin("i", lane, time_ + step_time / 2, name, "barrier");
        out_ << ", \"s\": \"t\", \"args\": {";
        put_shape(step, lane);
        out_ << "}";
        end();
      } else {
        put_slice(step, lane, name);
      }
      if (detail::is_shuffle(step) && step.lanes[lane].source != lane) put_flow(step.lanes[lane].source, lane, name);
    }
  }
  void put_slice(const trace_step& step, unsigned lane, const std::string& name) {
    const trace_cell& cell = step.lanes[lane];
    begin("X", lane, time_ + 50, name, "step");
    out_ << ", \"dur\": " << step_time - 100 << ", \"args\": {";
    put_shape(step, lane);
    put_next("type", type_);
    put_next("value", value(step, lane));
    if (detail::is_shuffle(step)) {
      put_next("received", value(step, cell.source));
      out_ << ", \"from lane\": " << static_cast<unsigned>(cell.source);
    }
    if (detail::is_access(step)) out_ << ", \"index\": " << cell.index << ", \"accesses\": " << cell.count;
    out_ << "}";
    end();
  }
  /// Puts the kind of step, and the lanes of this lane's tile: from the first one to the one after the last.
  void put_shape(const trace_step& step, unsigned lane) {
    const trace_cell& cell = step.lanes[lane];
    put("kind", detail::kind_of(step));
    out_ << ", \"tile\": [" << static_cast<unsigned>(cell.begin) << ", " << static_cast<unsigned>(cell.end) << "]";
  }
  std::string value(const trace_step& step, unsigned lane) const {
    return detail::value_text(type_, step.value(lane), step.bytes);
  }
  /// The flow of a value between two lanes' slices.
  void put_flow(unsigned from, unsigned to, const std::string& name) {
    ++flows_;
    begin("s", from, time_ + 100, name, "shuffle");
    out_ << ", \"id\": " << flows_;
    end();
    begin("f", to, time_ + step_time - 100, name, "shuffle");
    out_ << ", \"id\": " << flows_ << ", \"bp\": \"e\"";
    end();
  }

  void put_failure() {
    for (const trace_ending& ending : record_.endings) {
      for (unsigned const lane : ending.lanes) {
        begin("i", lane, time_, ending.text, "end");
        out_ << ", \"s\": \"t\", \"args\": {\"at_fault\": " << (ending.at_fault ? "true" : "false");
        put_next("source", detail::full_site(ending.site));
        out_ << "}";
        end();
      }
    }
    put_end(record_.failure);
  }
  void put_end(const std::string& text) {
    begin("i", 0, time_, text, "end");
    out_ << ", \"s\": \"p\"";
    end();
  }

  const trace_record& record_;
  text_writer out_;
  std::string type_;  // of the values of the step that is written
  unsigned long long time_ = 0;
  unsigned flows_ = 0;
  bool first_ = true;
};

inline std::string json_of(const trace_record& record) {
  return json_trace(record).text();
}

}  // namespace host::detail
TESSERA_NAMESPACE_END
