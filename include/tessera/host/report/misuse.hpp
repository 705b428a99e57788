// The exception that a launch throws when a kernel breaks the rules for lanes.
#pragma once

#include <tessera/core/config.hpp>

#include <stdexcept>
#include <string>

TESSERA_NAMESPACE_BEGIN
namespace host {

/// The rule that lanes broke.
enum class misuse_kind {
  divergent_call,            // lanes of one tile are in different collectives, or in one collective at two places
  mismatched_call,           // lanes make the same call with different types, sizes or uniform arguments
  exited_lane,               // a collective waits for a lane that has left the kernel
  source_out_of_range,       // a shuffle reads a lane that the tile doesn't have
  broken_converged_promise,  // a call promised `converged`, but a lane of the warp doesn't make it
  incomplete_group,          // a collective's tile reaches past the end of the block
  foreign_tile,              // a lane uses a tile, block or shared array of another lane or another launch
  nested_launch,             // a kernel launches another
  deadlock,                  // collectives wait for each other
  shared_race,               // no sync orders two accesses to shared memory, at least one of which is a write
  uninitialized_read,        // a lane reads shared memory that no lane has written
  order_not_strict,          // by a comparator, two values each come before the other
  wrong_argument,            // a range is null, misaligned, unsorted or overlaps another; a position comes twice
  index_out_of_range,        // an index lies outside of a shared array, or a tile outside of its scratch
};

/// The name of a kind in reports.
inline const char* name_of(misuse_kind kind) {
  switch (kind) {
    case misuse_kind::divergent_call:
      return "divergent call";
    case misuse_kind::mismatched_call:
      return "mismatched call";
    case misuse_kind::exited_lane:
      return "exited lane";
    case misuse_kind::source_out_of_range:
      return "source lane out of range";
    case misuse_kind::broken_converged_promise:
      return "broken converged promise";
    case misuse_kind::incomplete_group:
      return "incomplete group";
    case misuse_kind::foreign_tile:
      return "foreign tile";
    case misuse_kind::nested_launch:
      return "nested launch";
    case misuse_kind::deadlock:
      return "deadlock";
    case misuse_kind::shared_race:
      return "race in shared memory";
    case misuse_kind::uninitialized_read:
      return "uninitialized read of shared memory";
    case misuse_kind::order_not_strict:
      return "order that isn't strict";
    case misuse_kind::wrong_argument:
      return "wrong argument";
    case misuse_kind::index_out_of_range:
      return "index out of range";
  }
  return "misuse";
}

/// A report of misuse. The message says what is wrong, where each lane of the block is, and how to replay
/// the launch.
class misuse : public std::logic_error {
 public:
  misuse(misuse_kind kind, const std::string& message) : std::logic_error(message), kind_(kind) {}
  misuse_kind kind() const noexcept { return kind_; }

 private:
  misuse_kind kind_;
};

}  // namespace host
TESSERA_NAMESPACE_END
