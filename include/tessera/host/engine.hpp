// The engine runs the lanes of one block as fibers on the calling thread, and performs their collectives.
//
// A lane that reaches a collective posts its request and waits at a rendezvous. The last lane to arrive
// does the work of the whole collective by copying values between the lanes' stacks; then all of them can
// run again. So a collective costs one switch of stacks per lane. The schedule chooses which lane runs
// next.
//
// A lane that breaks a rule stops there. The others run until none of them can continue, and then one report covers all
// lanes. The lanes of a failed launch are abandoned without unwinding, because a collective may be called from a
// `noexcept` function: objects that they own are leaked, and their stacks return to the pool.
#pragma once

#include <tessera/host/run/exceptions.hpp>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <tessera/core/config.hpp>
#include <tessera/host/report/misuse.hpp>
#include <tessera/host/report/report.hpp>
#include <tessera/host/report/trace.hpp>
#include <tessera/host/report/trace_ending.hpp>
#include <tessera/host/run/dim3.hpp>
#include <tessera/host/run/lane.hpp>
#include <tessera/host/run/movement.hpp>
#include <tessera/host/run/request.hpp>
#include <tessera/host/run/run_queue.hpp>
#include <tessera/host/run/schedule.hpp>
#include <tessera/host/run/scratch_history.hpp>
#include <tessera/host/run/stack_overflow.hpp>
#include <tessera/host/run/warp_clocks.hpp>
#include <tessera/host/shared_array.hpp>
#include <utility>
#include <vector>

TESSERA_NAMESPACE_BEGIN
namespace host::detail {

/// The type-erased kernel of a launch: `call(object, rank)` runs one lane.
struct lane_body {
  void* object;
  void (*call)(void* object, unsigned rank);
};

class engine {
 public:
  static constexpr unsigned max_lanes = 1024;

  engine() : lanes_(std::make_unique<lane[]>(max_lanes)) {}

  /// The calling thread's engine, which is constructed at the thread's first launch.
  static engine& of_thread() {
    static thread_local engine here;
    return here;
  }
  /// The engine that runs the calling lane; null outside of a launch.
  static engine*& running() {
    static thread_local engine* now = nullptr;
    return now;
  }

  /// Runs `body` once for each lane of `block`. Throws the kernel's exception, or else the misuse that was found.
  void run_block(dim3 block, dim3 grid, dim3 index, lane_order order, std::uint64_t seed_of_block, lane_body body) {
    size_ = static_cast<unsigned>(block.volume());
    context_ = {block, grid, index, order};
    body_ = body;
    thrown_by_ = run_queue::none;
    id_ = next_id();
    tick_ = 0;
    clocks_.end();
    queue_.reset({order.order, seed_of_block});
    if (trace_ != nullptr) trace_->begin(size_, context_);
    // depth_first takes the newest lane first: pushed last, lane 0 runs first.
    for (unsigned r = size_; r-- > 0;) queue_.push(r);
    thread_.adopt_thread();
    first_entry_ = true;
    running() = this;
    unsigned const first = queue_.pop();
    current_ = first;
    if (ensure_started(first)) thread_.switch_to(lanes_[first].flow);
    running() = nullptr;
    finish();
  }

  /// The number of launches that this thread has made before this one.
  std::uint64_t next_launch_number() { return launches_++; }
  std::uint64_t id() const { return id_; }
  unsigned size() const { return size_; }
  unsigned current() const { return current_; }
  const block_context& context() const { return context_; }
  /// The number of stacks that this thread has mapped so far.
  std::size_t stacks_mapped() const { return stacks_.mapped(); }

  /// The recorder of the blocks that run next; null for none.
  void trace_into(trace_recorder* recorder) { trace_ = recorder; }
  trace_recorder* trace() const { return trace_; }

  /// The running lane posts `wanted` at its rendezvous. Returns after all lanes of the group have arrived.
  void arrive_and_wait(const request& wanted) {
    lane& me = lanes_[current_];
    unsigned const rank = current_;
    unsigned const level = wanted.rendezvous_level();
    lane_range const group = detail::group_of(rank, level, size_);
    rendezvous& point = rendezvous_[rendezvous_index(rank, level)];

    if (wanted.level != block_level && !wanted.call.padded && (rank | (wanted.tile_size() - 1)) >= size_)
      fail(misuse_kind::incomplete_group, wanted.call.site, [&] {
        return "lane " + std::to_string(rank) + " calls " + detail::describe(wanted) +
               "\n  on a tile that reaches past the last lane of the block, " + std::to_string(size_ - 1);
      });
    me.waiting = &wanted;
    if (wanted.is_coalesced()) return arrive_in_coalesced_group(group, wanted);
    if (point.arrived == 0) {
      point.first = rank;
    } else {
      const request& first = *lanes_[point.first].waiting;
      if (!detail::same_call(first, wanted) || !detail::same_signature(first, wanted)) point.broken = true;
    }
    ++point.arrived;
    if (point.arrived == group.size() && !point.broken && uniform_in_tiles(group, wanted)) {
      if (trace_ != nullptr) trace_->exchange(group, wanted, lanes_.get());
      resolve(point, group, wanted);
      wake(group, rank);
    } else {
      me.state = lane_state::waiting;
    }
    run_next();
  }

  /// Stops the running lane for good, because it broke a rule at `site`. `text()` describes the fault. (It is a
  /// function because a string that the lane owned would leak with the lane's stack.)
  template <class Text>
  [[noreturn]] void fail(misuse_kind kind, const call_site& site, Text text) {
    lanes_[current_].state = lane_state::faulted;
    faults_.push_back({kind, current_, text(), site});
    run_next();
    std::abort();  // unreachable: a faulted lane never runs again
  }

  /// The logical time, which every sync advances. An action of lane a at tick t happens before lane b's present action
  /// if and only if both joined a sync after t. Groups nest, so such a sync was of the smallest group that contains
  /// both, or of a larger one. Coalesced groups don't nest; once one has synced, lanes of one warp have clocks.
  std::uint64_t tick() const { return tick_; }
  bool happens_before(unsigned a, std::uint64_t t, unsigned b) const {
    if (a == b) return true;
    if (clocks_.are_kept() && a / 32 == b / 32) return clocks_.known(a, b) > t;
    for (unsigned level = level_of_both(a, b); level <= block_level; ++level)
      if (rendezvous_[rendezvous_index(b, level)].synced > t) return true;
    return false;
  }

  /// The number of shared arrays that the running lane has declared.
  unsigned arrays_declared() const { return lanes_[current_].shared_arrays; }
  /// Declares the running lane's next shared array. The k-th array that a lane declares is the k-th of the
  /// block.
  shared_array& declare_shared(const array_signature& signature) {
    unsigned const k = lanes_[current_].shared_arrays++;
    if (k == arrays_.size()) arrays_.push_back(std::make_unique<shared_array>(signature, current_));
    shared_array& array = *arrays_[k];
    if (!(array.signature() == signature))
      fail(detail::same_place(array.signature().site, signature.site) ? misuse_kind::mismatched_call
                                                                      : misuse_kind::divergent_call,
           signature.site, [&] {
             array_signature const& first = array.signature();
             return "lane " + std::to_string(current_) + " declares " + detail::describe(signature) +
                    detail::describe_column(signature.site, first.site) + ",\n  where lane " +
                    std::to_string(array.declared_by()) + " declared " + detail::describe(first) +
                    detail::describe_column(first.site, signature.site);
           });
    return array;
  }

  /// The array of slots with this key and signature, which the library keeps in the block's shared memory.
  shared_array& array_of_slots(std::uint64_t key, const array_signature& signature) {
    for (auto& [k, array] : slots_)
      if (k == key && array->signature() == signature) return *array;
    slots_.emplace_back(key, std::make_unique<shared_array>(signature, current_));
    return *slots_.back().second;
  }

  /// The history of the caller's scratch that is the block's shared array with this number, counted from 1, and that
  /// array's signature.
  scratch_history& history_of_scratch(unsigned number) {
    if (number > scratches_.size()) scratches_.resize(number);
    return scratches_[number - 1];
  }
  const array_signature& signature_of_array(unsigned number) const { return arrays_[number - 1]->signature(); }

 private:
  /// The state of one group's rendezvous.
  struct rendezvous {
    unsigned arrived = 0;
    unsigned first = 0;
    bool broken = false;
    std::uint64_t synced = 0;  // the tick of the last sync of exactly this group
  };

  // Level L has 1024 >> L groups of 2^L lanes. Level 0 begins at index 0, level 1 at 1024, and so on; the
  // block is last.
  static unsigned rendezvous_index(unsigned rank, unsigned level) { return 2048u - (2048u >> level) + (rank >> level); }

  /// The level of the smallest group that contains two lanes.
  static unsigned level_of_both(unsigned a, unsigned b) {
    return a == b ? 0 : 32u - tessera::detail::compiler::leading_zeros(a ^ b);
  }

  static std::uint64_t next_id() {
    static std::atomic<std::uint64_t> launches{0};
    return ++launches;
  }

  /// True if the uniform argument is the same in all lanes of each tile. (With `converged`, several tiles share a
  /// rendezvous; otherwise the group is one tile.)
  bool uniform_in_tiles(lane_range group, const request& wanted) {
    unsigned const low = wanted.tile_size() - 1;
    for (unsigned r = group.begin; r < group.end; ++r) {
      unsigned const leader = wanted.level == block_level ? group.begin : r & ~low;
      if (lanes_[r].waiting->call.uniform != lanes_[leader].waiting->call.uniform) {
        rendezvous_[rendezvous_index(group.begin, wanted.rendezvous_level())].broken = true;
        return false;
      }
    }
    return true;
  }

  /// The running lane arrives at the rendezvous of its coalesced group, some lanes of the range `warp`. There is no
  /// record of a group: the lanes have arrived if all of them wait with the same request.
  void arrive_in_coalesced_group(lane_range warp, const request& wanted) {
    rendezvous_lanes const group{warp, wanted.call.lanes};
    lane& me = lanes_[current_];
    me.state = lane_state::waiting;
    unsigned members[32] = {}, count = 0;
    for (unsigned const r : group) {
      if (lanes_[r].state != lane_state::waiting) return run_next();
      const request& other = *lanes_[r].waiting;
      if (!detail::same_call(other, wanted) || !detail::same_signature(other, wanted) ||
          other.call.uniform != wanted.call.uniform)
        return run_next();
      members[count++] = r;
    }
    if (trace_ != nullptr) trace_->exchange_in_coalesced_group(group, members, count, wanted, lanes_.get());
    if (wanted.kind == primitive::sync)
      sync_coalesced_group(members, count);
    else
      detail::move(wanted.kind, count, [&](unsigned r) -> const request& { return *lanes_[members[r]].waiting; });
    unsigned const last = current_;
    for (unsigned i = 0; i < count; ++i) wake_lane(members[i], last);
    queue_.push(last);  // as the newest lane, so that depth_first lets it continue
    run_next();
  }
  void sync_coalesced_group(const unsigned* members, unsigned count) {
    if (!clocks_.are_kept())
      clocks_.begin(size_, [&](unsigned a, unsigned b) {
        std::uint64_t newest = 0;
        for (unsigned level = level_of_both(a, b); level <= block_level; ++level)
          newest = (std::max)(newest, rendezvous_[rendezvous_index(b, level)].synced);
        return newest;
      });
    clocks_.sync(members, count, ++tick_);
  }

  void resolve(rendezvous& point, lane_range group, const request& wanted) {
    point.arrived = 0;
    if (wanted.kind == primitive::sync) {
      point.synced = ++tick_;
      if (clocks_.are_kept()) clocks_.sync_range(group, tick_);
      return;
    }
    unsigned const size = wanted.kind == primitive::any ? group.size() : wanted.tile_size();
    for (unsigned base = group.begin; base < group.end; base += size)
      detail::move(wanted.kind, size < group.end - base ? size : group.end - base,
                   [tile = &lanes_[base]](unsigned r) -> const request& { return *tile[r].waiting; });
  }

  void wake(lane_range group, unsigned last) {
    for (unsigned r = group.begin; r < group.end; ++r) wake_lane(r, last);
    queue_.push(last);  // as the newest lane, so that depth_first lets it continue
  }
  void wake_lane(unsigned r, unsigned last) {
    lane& waiter = lanes_[r];
    waiter.state = lane_state::running;
    waiter.last_name = waiter.waiting->call.name;
    waiter.last_site = waiter.waiting->call.site;
    waiter.waiting = nullptr;
    if (r != last) queue_.push(r);
  }

  /// Switches to the lane that the schedule chooses. Returns when this lane is chosen again.
  void run_next() {
    lane& me = lanes_[current_];
    unsigned const next = queue_.pop();
    if (next == current_) return;
    me.flow.switch_to(flow_of(next));
  }
  fiber& flow_of(unsigned next) {
    if (next == run_queue::none) return thread_;
    current_ = next;
    return ensure_started(next) ? lanes_[next].flow : thread_;
  }

  /// Gives the lane a stack if it has none yet. Returns false if no stack could be mapped: then the launch
  /// ends.
  bool ensure_started(unsigned r) {
    lane& started = lanes_[r];
    if (started.state != lane_state::not_started) return true;
    try {
      started.frames = stacks_.take();
    } catch (...) {
      thrown_ = std::current_exception();
      return false;
    }
    started.state = lane_state::running;
    started.flow.prepare(started.frames, &engine::lane_main);
    return true;
  }

  /// The first function on a lane's stack.
  static void lane_main() {
    engine& self = *running();
    if (self.first_entry_) {
      self.first_entry_ = false;
      fiber::entered_from(self.thread_);
    } else {
      fiber::entered();
    }
    self.call_body();
    self.exit();
  }
  void call_body() {
    try {
      body_.call(body_.object, current_);
    } catch (...) {
      if (!thrown_) {
        thrown_ = std::current_exception();
        thrown_by_ = current_;
      }
    }
  }
  [[noreturn]] void exit() {
    lane& me = lanes_[current_];
    me.state = lane_state::exited;
    // The stack is in use until the switch is complete, so it returns to the pool when the next lane exits.
    if (retired_.base != nullptr) stacks_.give(retired_);
    retired_ = me.frames;
    me.frames = stack{};
    me.flow.leave_for(flow_of(queue_.pop()));
  }

  /// Ends the launch, on the thread's own stack, after no lane can run any more.
  void finish() {
    std::exception_ptr const thrown = std::move(thrown_);
    thrown_ = nullptr;
    bool done = true;
    for (unsigned r = 0; r < size_; ++r) done = done && lanes_[r].state == lane_state::exited;
    std::unique_ptr<misuse> report;
    if (!thrown && !done)
      report = std::make_unique<misuse>(
          detail::make_report(lanes_.get(), size_, context_, faults_, trace_ != nullptr ? trace_->file() : ""));
    if (trace_ != nullptr) end_trace(thrown != nullptr, report.get());
    clear();
    if (thrown) std::rethrow_exception(thrown);
    if (report) throw misuse(*report);
  }
  void end_trace(bool thrown, const misuse* report) {
    if (thrown)
      trace_->end("exception", detail::endings_after_throw(lanes_.get(), size_, thrown_by_));
    else if (report != nullptr)
      trace_->end(host::name_of(report->kind()), detail::endings_of(lanes_.get(), size_, faults_));
    else
      trace_->end("", {});
  }
  /// Reports the lane whose stack has overflowed, if the address is in a guard of this thread's. Called by a signal
  /// handler.
  static bool report_overflow(const char* address) {
    engine* const self = running();
    if (self == nullptr || !self->stacks_.is_guard(address)) return false;
    const lane& overflowed = self->lanes_[self->current_];
    detail::write_error("tessera: lane ");
    detail::write_error(self->current_);
    detail::write_error(" of a block on CPU lanes has overflowed its stack of ");
    detail::write_error(static_cast<unsigned>(stack_pool::stack_bytes / 1024));
    detail::write_error(" KiB");
    if (overflowed.last_name != nullptr) {
      detail::write_error("\n  after ");
      detail::write_error(overflowed.last_name);
      detail::write_error(", at ");
      detail::write_error(overflowed.last_site.file);
      detail::write_error(":");
      detail::write_error(overflowed.last_site.line);
    }
    detail::write_error("\n  keep large arrays in host::shared or in a std::vector, not in a lane\n");
    return true;
  }
  void clear() {
    if (retired_.base != nullptr) stacks_.give(retired_);
    retired_ = stack{};
    for (unsigned r = 0; r < size_; ++r) {
      lane& finished = lanes_[r];
      if (finished.frames.base != nullptr) stacks_.give(finished.frames);
      finished.frames = stack{};
      finished.state = lane_state::not_started;
      finished.waiting = nullptr;
      finished.last_name = nullptr;
      finished.shared_arrays = 0;
    }
    arrays_.clear();
    slots_.clear();
    scratches_.clear();
    faults_.clear();
    for (unsigned level = 0; level <= block_level; ++level)
      for (unsigned s = rendezvous_index(0, level); s <= rendezvous_index(size_ - 1, level); ++s)
        rendezvous_[s] = rendezvous{};
  }

  std::unique_ptr<lane[]> lanes_;
  rendezvous rendezvous_[2048];
  run_queue queue_;
  fiber thread_;
  unsigned current_ = 0;
  unsigned size_ = 0;
  std::uint64_t tick_ = 0;
  warp_clocks clocks_;
  std::uint64_t id_ = 0;
  std::uint64_t launches_ = 0;
  bool first_entry_ = false;
  lane_body body_{};
  block_context context_{};
  stack retired_{};
  std::exception_ptr thrown_;
  unsigned thrown_by_ = run_queue::none;
  trace_recorder* trace_ = nullptr;
  std::vector<fault> faults_;
  std::vector<std::unique_ptr<shared_array>> arrays_;
  std::vector<std::pair<std::uint64_t, std::unique_ptr<shared_array>>> slots_;
  std::vector<scratch_history> scratches_;
  stack_pool stacks_;
  overflow_watch watch_{&engine::report_overflow};
};

}  // namespace host::detail
TESSERA_NAMESPACE_END
