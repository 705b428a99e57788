// The record that a traced launch makes of one block: its collectives as calls, and each call as steps.
//
//   call   reduce, int, tessera::plus  kernel.cpp:12
//     step   shuffle_xor 1             every lane: its value, the lane whose value it gets
//     step   shuffle_xor 2
//     step   shuffle_xor 4
//     step   result                    every lane: what the call returned
//
// Tiles that make the same call at the same time share a step. Lanes of different tiles advance in an
// order that the schedule chooses; only the order of each lane's own steps has a meaning, and the record
// keeps exactly that. trace_json.hpp writes it down.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <tessera/core/config.hpp>
#include <tessera/host/report/report_text.hpp>
#include <tessera/host/run/access_history.hpp>
#include <tessera/host/run/lane.hpp>
#include <tessera/host/run/movement.hpp>
#include <tessera/host/run/request.hpp>
#include <utility>
#include <vector>

TESSERA_NAMESPACE_BEGIN
namespace host::detail {

/// The number of traced launches that run now, on any thread. While it is 0, collectives do nothing for
/// traces.
inline std::atomic<unsigned> launches_traced{0};

/// The largest number of steps that are recorded for a block; further ones are only counted.
inline constexpr unsigned most_traced_steps = 256;

enum class trace_kind : unsigned char { exchange, read, write, atomic, result };

/// One lane of a step.
struct trace_cell {
  bool takes_part = false;
  std::uint16_t begin = 0;  // the lanes [begin, end) of its tile
  std::uint16_t end = 0;
  std::uint16_t source = 0;  // the lane whose value it gets
  unsigned index = 0;        // the index of the element of shared memory
  unsigned count = 0;        // the number of accesses; the first is recorded
};

struct trace_step {
  trace_kind what = trace_kind::exchange;
  primitive kind = primitive::sync;
  unsigned level = 0;
  const char* type = "";  // from type_tag
  unsigned bytes = 0;     // the size of a lane's value; 1 for votes
  unsigned argument = 0;  // mask or delta; the source lane of `shuffle` if `same_source`
  bool same_source = true;
  call_site site{"", "", 0};
  std::vector<trace_cell> lanes;
  std::vector<unsigned char> values;

  const unsigned char* value(unsigned rank) const { return values.data() + std::size_t{rank} * bytes; }
};

/// A collective, or an access of shared memory outside of one (told by `name`).
struct trace_call {
  const char* name;
  const char* detail;
  call_site site;
  unsigned level;  // the level of its first step
  std::vector<trace_step> steps;
};

/// Lanes that ended alike: the call in which they wait, or the reason why they stopped.
struct trace_ending {
  std::string text;
  call_site site;
  bool at_fault;
  std::vector<unsigned> lanes;
};

struct trace_record {
  unsigned size = 0;
  block_context context{};
  call_site launch{"", "", 0};
  std::vector<trace_call> calls;
  unsigned more = 0;    // the number of steps that follow the last recorded one
  std::string failure;  // how the launch failed; empty if it didn't
  std::vector<trace_ending> endings;
};

/// Records one block after another. Each call of a member concerns the block of the last `begin`.
class trace_recorder {
 public:
  /// `file` is where the record of a misuse will be written; empty if it won't be.
  trace_recorder(const call_site& launch, std::string file) : launch_(launch), file_(std::move(file)) {}

  void begin(unsigned size, const block_context& context) {
    record_ = trace_record{};
    record_.size = size;
    record_.context = context;
    record_.launch = launch_;
    places_.assign(size, place{});
    steps_ = 0;
    pending_ = pending{};
  }

  const std::string& file() const { return file_; }
  trace_record take() { return std::move(record_); }

  /// The serial number of the call that a lane begins.
  unsigned begin_call(unsigned rank) { return ++places_[rank].begun; }

  /// Records a rendezvous at which all lanes of `group` have arrived. `lanes` are those of the block.
  void exchange(lane_range group, const request& wanted, const lane* lanes) {
    read_pending();
    if (wanted.call.serial == untraced_call) return;
    for (unsigned r = group.begin; r < group.end; ++r) places_[r].arrived = lanes[r].waiting->call.serial;
    trace_step* const step = step_for({group, 0}, wanted.call, wanted.level, shape_of(wanted));
    if (step == nullptr) return;
    unsigned const tile =
        wanted.kind == primitive::any || wanted.level == block_level ? group.size() : wanted.tile_size();
    for (unsigned base = group.begin; base < group.end; base += tile) {
      unsigned const size = tile < group.end - base ? tile : group.end - base;
      for (unsigned r = 0; r < size; ++r) put_exchange(*step, base, size, r, *lanes[base + r].waiting);
    }
  }

  /// Records a rendezvous of a coalesced group. Its rank r is lane members[r], of `count`.
  void exchange_in_coalesced_group(rendezvous_lanes group, const unsigned* members, unsigned count,
                                   const request& wanted, const lane* lanes) {
    read_pending();
    for (unsigned i = 0; i < count; ++i) places_[members[i]].arrived = lanes[members[i]].waiting->call.serial;
    trace_step* const step = step_for(group, wanted.call, coalesced_level, shape_of(wanted));
    if (step == nullptr) return;
    for (unsigned i = 0; i < count; ++i) {
      const request& lane = *lanes[members[i]].waiting;
      unsigned const source = detail::source_of(lane.kind, i, lane.argument, count);
      put(*step, members[i], group.range.begin, group.range.end, members[source]);
      put_value(*step, members[i], lane);
    }
  }

  /// Records the result of the call that the lane made last.
  void result(unsigned rank, const collective_call& call, unsigned level, const char* type, std::size_t bytes,
              const void* value) {
    read_pending();
    trace_step shape;
    shape.what = trace_kind::result;
    shape.level = level;
    shape.type = type;
    shape.bytes = static_cast<unsigned>(bytes);
    shape.site = call.site;
    places_[rank].arrived = places_[rank].begun;
    trace_step* const step = step_for({{rank, rank + 1}, 0}, call, level, shape);
    if (step == nullptr) return;
    lane_range const tile = detail::group_of(rank, level == coalesced_level ? warp_level : level, record_.size);
    put(*step, rank, tile.begin, tile.end, rank);
    std::memcpy(&step->values[std::size_t{rank} * shape.bytes], value, bytes);
    places_[rank].serial = 0;  // the call has ended
  }

  /// Records an access of shared memory. The value is read when the lane has made the access.
  void access(unsigned rank, access_kind kind, const char* type, std::size_t bytes, unsigned index,
              const call_site& site, const void* address) {
    read_pending();
    trace_step shape;
    shape.what = kind == access_kind::read    ? trace_kind::read
                 : kind == access_kind::write ? trace_kind::write
                                              : trace_kind::atomic;
    shape.level = block_level;
    shape.type = type;
    shape.bytes = static_cast<unsigned>(bytes);
    shape.site = site;
    if (trace_cell* const again = last_cell(rank, shape)) {
      ++again->count;
      return;
    }
    place& lane = places_[rank];
    lane.arrived = is_within_call(lane, site) ? lane.serial : 0;
    collective_call outside;
    outside.site = site;
    trace_step* const step = step_for({{rank, rank + 1}, 0}, outside, block_level, shape);
    if (step == nullptr) return;
    trace_cell& cell = put(*step, rank, rank, rank + 1, rank);
    cell.index = index;
    pending_ = {places_[rank].call, places_[rank].step - 1, rank, address};
  }

  /// Ends the record of the block. `failure` describes how the launch failed.
  void end(std::string failure, std::vector<trace_ending> endings) {
    read_pending();
    record_.failure = std::move(failure);
    record_.endings = std::move(endings);
  }

 private:
  static constexpr std::size_t none = ~std::size_t{0};

  /// The position of a lane in the record.
  struct place {
    unsigned begun = 0;       // the serial number of the call that it began last
    unsigned serial = 0;      // the serial number of `call`
    unsigned arrived = 0;     // the serial number of the call that its next step belongs to
    std::size_t call = none;  // its last call in the record
    std::size_t step = 0;     // the step that follows its last one in that call
    unsigned more = 0;        // the number of its steps that weren't recorded
  };
  /// A value that a lane is about to access.
  struct pending {
    std::size_t call = none;
    std::size_t step = 0;
    unsigned rank = 0;
    const void* address = nullptr;
  };

  static trace_step shape_of(const request& wanted) {
    trace_step shape;
    shape.kind = wanted.kind;
    shape.level = wanted.is_coalesced() ? coalesced_level : wanted.level;
    shape.type = wanted.type;
    bool const votes = wanted.kind == primitive::ballot || wanted.kind == primitive::any;
    shape.bytes = votes ? 1 : wanted.bytes;
    shape.argument = votes ? 0 : wanted.argument;
    shape.site = wanted.call.site;
    return shape;
  }
  static bool same_shape(const trace_step& a, const trace_step& b) {
    return a.what == b.what && a.kind == b.kind && a.level == b.level && a.bytes == b.bytes &&
           detail::same_text(a.type, b.type) && (a.kind == primitive::shuffle || a.argument == b.argument) &&
           detail::same_source_line(a.site, b.site);
  }

  /// Reads the value of the last access, which the lane has made by now.
  void read_pending() {
    if (pending_.address == nullptr) return;
    trace_step& step = record_.calls[pending_.call].steps[pending_.step];
    std::memcpy(&step.values[std::size_t{pending_.rank} * step.bytes], pending_.address, step.bytes);
    pending_.address = nullptr;
  }

  /// The lane's last cell, if its last step was an access like this one.
  trace_cell* last_cell(unsigned rank, const trace_step& shape) {
    place const& lane = places_[rank];
    if (lane.call == none || lane.step == 0 || lane.more != 0) return nullptr;
    trace_step& last = record_.calls[lane.call].steps[lane.step - 1];
    return same_shape(last, shape) ? &last.lanes[rank] : nullptr;
  }

  /// True if an access belongs to the lane's collective, since it is made on the same line.
  bool is_within_call(const place& lane, const call_site& site) const {
    return lane.call != none && lane.serial != 0 && detail::same_source_line(record_.calls[lane.call].site, site);
  }

  /// Finds or adds the step that the lanes of `group` make next; null if there are too many steps.
  trace_step* step_for(rendezvous_lanes group, const collective_call& outer, unsigned level, const trace_step& shape) {
    std::size_t const call = call_for(group, outer, level, shape);
    std::size_t step = 0;
    if (call != none) {
      for (unsigned const r : group)
        if (places_[r].call == call && step < places_[r].step) step = places_[r].step;
      std::vector<trace_step>& steps = record_.calls[call].steps;
      while (step < steps.size() && !same_shape(steps[step], shape)) ++step;
      if (step == steps.size() && steps_ < most_traced_steps) add_step(steps, shape);
      if (step < steps.size()) return &enter(group, call, step);
    }
    count_as_more(group);
    return nullptr;
  }
  void add_step(std::vector<trace_step>& steps, const trace_step& shape) {
    steps.push_back(shape);
    steps.back().lanes.resize(record_.size);
    steps.back().values.resize(std::size_t{record_.size} * shape.bytes);
    ++steps_;
  }
  trace_step& enter(rendezvous_lanes group, std::size_t call, std::size_t step) {
    for (unsigned const r : group) {
      places_[r].call = call;
      places_[r].step = step + 1;
      places_[r].serial = places_[r].arrived;
    }
    return record_.calls[call].steps[step];
  }
  void count_as_more(rendezvous_lanes group) {
    unsigned most = 0;
    for (unsigned const r : group)
      if (most < places_[r].more) most = places_[r].more;
    ++most;
    for (unsigned const r : group) places_[r].more = most;
    if (record_.more < most) record_.more = most;
  }

  /// Finds or adds the call that the lanes of `group` make; `none` if a lane's earlier step wasn't
  /// recorded, or nothing more can be.
  std::size_t call_for(rendezvous_lanes group, const collective_call& outer, unsigned level, const trace_step& shape) {
    std::size_t from = 0;
    bool continues = true;
    for (unsigned const r : group) {
      place const& lane = places_[r];
      if (lane.more != 0) return none;
      continues = continues && lane.call != none && lane.arrived != 0 && lane.serial == lane.arrived;
      if (lane.call != none && from <= lane.call) from = lane.call + 1;
    }
    if (continues) return from - 1;
    for (std::size_t call = from; call < record_.calls.size(); ++call)
      if (same_outer_call(record_.calls[call], outer, level, shape)) return call;
    return steps_ == most_traced_steps ? none : insert_call(from, {outer.name, outer.detail, outer.site, level, {}});
  }
  /// Inserts a call, no earlier than at `from`: before calls of later source lines, so that the calls that tiles have
  /// in common remain after it.
  std::size_t insert_call(std::size_t from, const trace_call& call) {
    std::vector<trace_call>& calls = record_.calls;
    while (from < calls.size() && !is_later_line(calls[from].site, call.site)) ++from;
    calls.insert(calls.begin() + static_cast<std::ptrdiff_t>(from), call);
    for (place& lane : places_)
      if (lane.call != none && lane.call >= from) ++lane.call;
    return from;
  }
  static bool is_later_line(const call_site& a, const call_site& b) {
    return a.line > b.line && detail::same_text(a.file, b.file);
  }
  static bool same_outer_call(const trace_call& call, const collective_call& outer, unsigned level,
                              const trace_step& shape) {
    return call.level == level && detail::same_source_line(call.site, outer.site) &&
           detail::same_text(call.name, outer.name) && detail::same_text(call.detail, outer.detail) &&
           (call.name[0] != '\0' || same_shape(call.steps[0], shape));
  }

  trace_cell& put(trace_step& step, unsigned rank, unsigned begin, unsigned end, unsigned source) {
    trace_cell& cell = step.lanes[rank];
    cell = {
        true, static_cast<std::uint16_t>(begin), static_cast<std::uint16_t>(end), static_cast<std::uint16_t>(source), 0,
        1};
    return cell;
  }
  void put_exchange(trace_step& step, unsigned base, unsigned size, unsigned r, const request& lane) {
    put(step, base + r, base, base + size, base + detail::source_of(lane.kind, r, lane.argument, size));
    put_value(step, base + r, lane);
  }
  void put_value(trace_step& step, unsigned rank, const request& lane) {
    if (lane.kind == primitive::shuffle && lane.argument != step.argument) step.same_source = false;
    if (step.bytes == 0) return;
    unsigned char* const to = &step.values[std::size_t{rank} * step.bytes];
    if (lane.in == nullptr)
      *to = lane.argument != 0 ? 1 : 0;
    else
      std::memcpy(to, lane.in, step.bytes);
  }

  call_site launch_;
  std::string file_;
  trace_record record_;
  std::vector<place> places_;
  unsigned steps_ = 0;
  pending pending_;
};

}  // namespace host::detail
TESSERA_NAMESPACE_END
