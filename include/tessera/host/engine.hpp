// The engine: runs the lanes of one block as fibers on the calling thread, and lets them meet.
//
// A lane that comes to a collective leaves its request and waits; the last to arrive does the whole
// collective's work, copying straight between the lanes' stacks, and all can run again: one switch a lane and
// collective. Which one runs next is up to the schedule.
//
// A lane that breaks a rule stops where it is. The others run on until nothing moves, and then one report
// covers all of them. Lanes of a failed launch are abandoned, not unwound (a collective may be called from a
// `noexcept` function): what they own is lost, and their stacks return to the pool.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <tessera/config.hpp>
#include <tessera/host/dim3.hpp>
#include <tessera/host/lane.hpp>
#include <tessera/host/misuse.hpp>
#include <tessera/host/movement.hpp>
#include <tessera/host/report.hpp>
#include <tessera/host/request.hpp>
#include <tessera/host/run_queue.hpp>
#include <tessera/host/schedule.hpp>
#include <tessera/host/shared_array.hpp>
#include <utility>
#include <vector>

namespace tessera::host::detail {

/// The kernel of a launch, its type forgotten: `call(object, rank)` runs one lane.
struct lane_body {
  void* object;
  void (*call)(void* object, unsigned rank);
};

class engine {
 public:
  static constexpr unsigned max_lanes = 1024;

  engine() : lanes_(std::make_unique<lane[]>(max_lanes)) {}

  /// This thread's engine, made at its first launch.
  static engine& of_thread() {
    static thread_local engine here;
    return here;
  }
  /// The engine whose lane is calling; null outside a launch.
  static engine*& running() {
    static thread_local engine* now = nullptr;
    return now;
  }

  /// Runs `body` once a lane, `size` lanes. Throws what the kernel threw, else the misuse.
  void run_block(dim3 block, dim3 grid, dim3 index, lane_order order, std::uint64_t seed_of_block,
                 lane_body body) {
    size_ = static_cast<unsigned>(block.volume());
    place_ = {block, grid, index, order};
    body_ = body;
    id_ = next_id();
    tick_ = 0;
    queue_.reset({order.order, seed_of_block});
    // depth_first takes the newest first, and so begins with lane 0 like the others
    for (unsigned r = size_; r-- > 0;) queue_.push(r);
    thread_.adopt_thread();
    first_entry_ = true;
    running() = this;
    unsigned const first = queue_.pop();
    current_ = first;
    if (born(first)) thread_.switch_to(lanes_[first].flow);
    running() = nullptr;
    finish();
  }

  /// Launches this thread has made before this one.
  std::uint64_t count_launch() { return launches_++; }
  std::uint64_t id() const { return id_; }
  unsigned size() const { return size_; }
  unsigned current() const { return current_; }
  const block_place& place() const { return place_; }
  /// How many stacks this thread has mapped so far.
  std::size_t stacks_mapped() const { return stacks_.mapped(); }

  /// The running lane brings `wanted` to its rendezvous, and returns when everyone has come.
  void meet(const request& wanted) {
    lane& me = lanes_[current_];
    unsigned const rank = current_;
    unsigned const level = wanted.meeting_level();
    lane_range const group = group_of(rank, level, size_);
    meeting& here = meetings_[slot(rank, level)];

    if (wanted.level != block_level && !wanted.call.padded && (rank | (wanted.tile_size() - 1)) >= size_)
      fail(misuse_kind::incomplete_group, [&] {
        return "lane " + std::to_string(rank) + " calls " + describe(wanted) +
               "\n  on a tile that reaches past the last lane of the block, " + std::to_string(size_ - 1);
      });
    me.waiting = &wanted;
    if (here.arrived == 0) {
      here.first = rank;
    } else {
      const request& first = *lanes_[here.first].waiting;
      if (!same_call(first, wanted) || !same_form(first, wanted)) here.broken = true;
    }
    ++here.arrived;
    if (here.arrived == group.size() && !here.broken && uniform_in_tiles(group, wanted)) {
      resolve(here, group, wanted);
      wake(group, rank);
    } else {
      me.state = lane_state::waiting;
    }
    go_on();
  }

  /// The running lane has broken a rule, which `text()` tells: it stops here for good. (A text made earlier
  /// would be lost with the lane's stack.)
  template <class Text>
  [[noreturn]] void fail(misuse_kind kind, Text text) {
    lanes_[current_].state = lane_state::faulted;
    faults_.push_back({kind, current_, text()});
    go_on();
    std::abort();  // nothing runs a faulted lane again
  }

  /// The newest tick of memory order. An access at tick t of lane a happens before what lane b does now if,
  /// and only if, both joined a sync after t: groups are nested, so that sync was of the smallest group with
  /// both or of a larger one.
  std::uint64_t tick() const { return tick_; }
  bool happens_before(unsigned a, std::uint64_t t, unsigned b) const {
    if (a == b) return true;
    unsigned const apart = a ^ b;
    for (unsigned level = 32u - tessera::detail::compiler::leading_zeros(apart); level <= block_level;
         ++level)
      if (meetings_[slot(b, level)].synced > t) return true;
    return false;
  }

  /// How many shared arrays the running lane has declared.
  unsigned arrays_declared() const { return lanes_[current_].shared_arrays; }
  /// The running lane's next shared array: the k-th it declares is the block's k-th.
  shared_array& declare_shared(const array_form& form) {
    unsigned const k = lanes_[current_].shared_arrays++;
    if (k == arrays_.size()) arrays_.push_back(std::make_unique<shared_array>(form, current_));
    shared_array& array = *arrays_[k];
    if (!(array.form() == form))
      fail(same_place(array.form().site, form.site) ? misuse_kind::mismatched_call
                                                    : misuse_kind::divergent_call,
           [&] {
             return "lane " + std::to_string(current_) + " declares " + describe(form) + ",\n  where lane " +
                    std::to_string(array.declared_by()) + " declared " + describe(array.form());
           });
    return array;
  }

  /// Slots that the library itself keeps in the block's shared memory, by their key.
  shared_array& slots(std::uint64_t key, const array_form& form) {
    for (auto& [k, array] : slots_)
      if (k == key && array->form() == form) return *array;
    slots_.emplace_back(key, std::make_unique<shared_array>(form, current_));
    return *slots_.back().second;
  }

 private:
  /// Where the lanes of one group meet.
  struct meeting {
    unsigned arrived = 0;
    unsigned first = 0;
    bool broken = false;
    std::uint64_t synced = 0;  // tick of the last sync of exactly this group
  };

  // Level L has 1024 >> L groups of 2^L lanes: level 0 begins at 0, level 1 at 1024, … The block is the last.
  static unsigned slot(unsigned rank, unsigned level) { return 2048u - (2048u >> level) + (rank >> level); }

  static std::uint64_t next_id() {
    static std::atomic<std::uint64_t> launches{0};
    return ++launches;
  }

  /// Each tile must agree in its uniform argument. (A promise gathers several tiles, else the tile is the group.)
  bool uniform_in_tiles(lane_range group, const request& wanted) {
    unsigned const low = wanted.tile_size() - 1;
    for (unsigned r = group.begin; r < group.end; ++r) {
      unsigned const leader = wanted.level == block_level ? group.begin : r & ~low;
      if (lanes_[r].waiting->call.uniform != lanes_[leader].waiting->call.uniform) {
        meetings_[slot(group.begin, wanted.meeting_level())].broken = true;
        return false;
      }
    }
    return true;
  }

  void resolve(meeting& here, lane_range group, const request& wanted) {
    here.arrived = 0;
    if (wanted.kind == primitive::sync) {
      here.synced = ++tick_;
      return;
    }
    unsigned const size = wanted.kind == primitive::any ? group.size() : wanted.tile_size();
    for (unsigned base = group.begin; base < group.end; base += size)
      move(wanted.kind, size < group.end - base ? size : group.end - base,
           [tile = &lanes_[base]](unsigned r) -> const request& { return *tile[r].waiting; });
  }

  void wake(lane_range group, unsigned last) {
    for (unsigned r = group.begin; r < group.end; ++r) {
      lane& one = lanes_[r];
      one.state = lane_state::running;
      one.last_name = one.waiting->call.name;
      one.last_site = one.waiting->call.site;
      one.waiting = nullptr;
      if (r != last) queue_.push(r);
    }
    queue_.push(last);  // the newest: depth_first lets it go on
  }

  /// Gives way to whoever is next; returns when the lane is chosen again.
  void go_on() {
    lane& me = lanes_[current_];
    unsigned const next = queue_.pop();
    if (next == current_) return;
    me.flow.switch_to(flow_of(next));
  }
  fiber& flow_of(unsigned next) {
    if (next == run_queue::none) return thread_;
    current_ = next;
    return born(next) ? lanes_[next].flow : thread_;
  }

  /// Gives the lane its stack, if it has none yet. False where there is none to be had: the launch ends.
  bool born(unsigned r) {
    lane& one = lanes_[r];
    if (one.state != lane_state::unborn) return true;
    try {
      one.frames = stacks_.take();
    } catch (...) {
      thrown_ = std::current_exception();
      return false;
    }
    one.state = lane_state::running;
    one.flow.prepare(one.frames, &engine::lane_main);
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
      if (!thrown_) thrown_ = std::current_exception();
    }
  }
  [[noreturn]] void exit() {
    lane& me = lanes_[current_];
    me.state = lane_state::exited;
    // The stack is in use until the switch is done: it returns to the pool when the next lane exits.
    if (retired_.base != nullptr) stacks_.give(retired_);
    retired_ = me.frames;
    me.frames = stack{};
    me.flow.leave_for(flow_of(queue_.pop()));
  }

  /// Back on the thread's own stack: nothing can run any more.
  void finish() {
    std::exception_ptr const thrown = std::move(thrown_);
    thrown_ = nullptr;
    bool done = true;
    for (unsigned r = 0; r < size_; ++r) done = done && lanes_[r].state == lane_state::exited;
    std::unique_ptr<misuse> report;
    if (!thrown && !done)
      report = std::make_unique<misuse>(make_report(lanes_.get(), size_, place_, faults_));
    clear();
    if (thrown) std::rethrow_exception(thrown);
    if (report) throw misuse(*report);
  }
  void clear() {
    if (retired_.base != nullptr) stacks_.give(retired_);
    retired_ = stack{};
    for (unsigned r = 0; r < size_; ++r) {
      lane& one = lanes_[r];
      if (one.frames.base != nullptr) stacks_.give(one.frames);
      one.frames = stack{};
      one.state = lane_state::unborn;
      one.waiting = nullptr;
      one.last_name = nullptr;
      one.shared_arrays = 0;
    }
    arrays_.clear();
    slots_.clear();
    faults_.clear();
    for (unsigned level = 0; level <= block_level; ++level)
      for (unsigned s = slot(0, level); s <= slot(size_ - 1, level); ++s) meetings_[s] = meeting{};
  }

  std::unique_ptr<lane[]> lanes_;
  meeting meetings_[2048];
  run_queue queue_;
  fiber thread_;
  unsigned current_ = 0;
  unsigned size_ = 0;
  std::uint64_t tick_ = 0;
  std::uint64_t id_ = 0;
  std::uint64_t launches_ = 0;
  bool first_entry_ = false;
  lane_body body_{};
  block_place place_{};
  stack retired_{};
  std::exception_ptr thrown_;
  std::vector<fault> faults_;
  std::vector<std::unique_ptr<shared_array>> arrays_;
  std::vector<std::pair<std::uint64_t, std::unique_ptr<shared_array>>> slots_;
  stack_pool stacks_;
};

}  // namespace tessera::host::detail
