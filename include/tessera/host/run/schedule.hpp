// The schedule chooses which of the lanes that can run is next. Between collectives the lanes of a GPU run in no
// particular order. A kernel whose result depends on the order is wrong, and different schedules reveal that.
//
//   ascending     the lowest lane that can run: low warps run far ahead of high ones
//   descending    the highest lane that can run
//   random_lane   a random lane: all lanes advance together, in random order
//   random_warp   a random warp, whose lanes run in random order until all of them wait or have exited
//   depth_first   the lane that completes a collective continues at once
//   round_robin   each lane in turn: all lanes advance together, in order
//
// A mistake may be visible under some schedules only: if a barrier is missing before scratch is used again,
// one warp must run ahead of another. So launches rotate through all schedules unless the options name one.
// A schedule and a seed determine the order exactly.
#pragma once

#include <tessera/host/run/exceptions.hpp>

#include <tessera/core/config.hpp>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

TESSERA_NAMESPACE_BEGIN
namespace host {

/// The order in which lanes run: see above.
enum class schedule { ascending, descending, random_lane, random_warp, depth_first, round_robin };

/// All schedules, for tests that try each.
inline constexpr schedule all_schedules[] = {schedule::ascending,   schedule::descending,  schedule::random_lane,
                                             schedule::random_warp, schedule::depth_first, schedule::round_robin};

/// Its name in TESSERA_HOST_SCHEDULE.
inline const char* name_of(schedule order) {
  constexpr const char* names[] = {"ascending",   "descending",  "random_lane",
                                   "random_warp", "depth_first", "round_robin"};
  return names[static_cast<int>(order)];
}

/// Options of a launch. An option that isn't set comes from the environment (TESSERA_HOST_SCHEDULE, TESSERA_HOST_SEED),
/// or else from the number of launches that this thread has made, so that a test suite runs under all schedules.
///     host::options{}.with_schedule(host::schedule::random_warp).with_seed(7)
struct options {
  struct traced_block {
    std::string file;
    unsigned block;
  };
  std::optional<schedule> order;
  std::optional<std::uint64_t> seed;
  std::optional<traced_block> trace;

  options with_schedule(schedule s) const { return {s, seed, trace}; }
  options with_seed(std::uint64_t s) const { return {order, s, trace}; }
  /// Records the actions of one block's lanes in a file NAME.json, for tools/draw_trace and trace viewers.
  /// (TESSERA_HOST_TRACE does that without a change of the program: see trace_file.hpp.)
  options with_trace(std::string file, unsigned block = 0) const {
    return {order, seed, traced_block{std::move(file), block}};
  }
};

namespace detail {

/// The schedule and the seed of a launch, which its report names.
struct lane_order {
  schedule order = schedule::ascending;
  std::uint64_t seed = 0;
};

inline std::optional<schedule> schedule_named(const char* name) {
  for (schedule s : all_schedules)
    if (std::strcmp(name, host::name_of(s)) == 0) return s;
  return std::nullopt;
}

/// Chooses from the options, the environment and the thread's launch count, in this order of preference.
inline lane_order choose_order(const options& wanted, std::uint64_t launch) {
  lane_order chosen;
  const char* const env_seed = std::getenv("TESSERA_HOST_SEED");
  chosen.seed = wanted.seed ? *wanted.seed : env_seed ? std::strtoull(env_seed, nullptr, 0) : launch;
  if (wanted.order) {
    chosen.order = *wanted.order;
  } else if (const char* const name = std::getenv("TESSERA_HOST_SCHEDULE")) {
    std::optional<schedule> const named = detail::schedule_named(name);
    if (!named)
      throw std::invalid_argument(
          std::string("TESSERA_HOST_SCHEDULE: no schedule is called ") + name +
          "; there are ascending, descending, random_lane, random_warp, depth_first, round_robin");
    chosen.order = *named;
  } else {
    chosen.order = all_schedules[chosen.seed % (sizeof all_schedules / sizeof all_schedules[0])];
  }
  return chosen;
}

/// A small random number generator (splitmix64). The same seed gives the same numbers on every platform.
class random_source {
 public:
  explicit random_source(std::uint64_t seed = 0) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// A random number below n.
  unsigned below(unsigned n) { return static_cast<unsigned>(((next() >> 32) * n) >> 32); }

 private:
  std::uint64_t state_;
};

}  // namespace detail
}  // namespace host
TESSERA_NAMESPACE_END
