// What a launch throws when a kernel breaks the rules that lanes must keep.
#pragma once

#include <stdexcept>
#include <string>

namespace tessera::host {

enum class misuse_kind {
  divergent_call,   // lanes of one tile are in different collectives, or in the same one at two source lines
  mismatched_call,  // the same call, with another type, size, or argument that must be uniform
  exited_lane,      // a collective waits for a lane that has left the kernel
  source_out_of_range,       // a shuffle from a lane that the tile doesn't have
  broken_converged_promise,  // `converged` was promised, and a lane of the warp isn't there
  incomplete_group,          // a collective on a tile that reaches past the end of the block
  foreign_tile,              // a tile, block or shared array of another lane or another launch
  nested_launch,             // a kernel that launches
  deadlock,                  // collectives that wait for each other
  shared_race,         // two accesses to shared memory, at least one a write, that no sync puts in order
  uninitialized_read,  // a read of shared memory that nothing was written to
  index_out_of_range,  // past the end of a shared array
};

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
    case misuse_kind::index_out_of_range:
      return "index out of range";
  }
  return "misuse";
}

/// The report. The message says what is wrong, where every lane of the block is, and how to replay it.
class misuse : public std::logic_error {
 public:
  misuse(misuse_kind kind, const std::string& message) : std::logic_error(message), kind_(kind) {}
  misuse_kind kind() const noexcept { return kind_; }

 private:
  misuse_kind kind_;
};

}  // namespace tessera::host
