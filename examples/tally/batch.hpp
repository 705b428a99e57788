// A batch holds bytes of one or more files, divided into slices. All slices of a batch are counted
// together, each by one block. A backend derives its own batch, which implements the counting.
//
//   pieces    | file a ......... | file b .. | file c ..................... | free |
//   slices    |  0  |  1  |  2   |  3        |  4  |  5  |  6  |  7 |
//   endings          after 3 ────┘           └── after 4        …  c continues in the next batch
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "slice.hpp"

namespace tally {

/// An array that a backend allocates, with the deleter that frees it.
template <class T>
using array = std::unique_ptr<T[], std::function<void(T*)>>;

/// The end of a file, after this many slices of its batch. `error` is 0, or the `errno` of the failed read.
struct ending {
  unsigned slices;
  std::string name;
  int error;
};

class batch {
 public:
  static constexpr unsigned slice_bytes = 64 * 1024;
  static constexpr unsigned max_endings = 4096;

  virtual ~batch() = default;

  /// Starts to count. Nothing may be added before finish() returns.
  virtual void start() = 0;
  /// Returns after all slices are counted.
  virtual void finish() = 0;

  /// The address where the next bytes of the current file belong, and the number of bytes that fit there.
  char* free_space() { return reinterpret_cast<char*>(pieces_.get()) + used_; }
  std::size_t free_bytes() const;
  /// Adds the next `bytes` bytes, which the caller has stored in the free space.
  void add(std::size_t bytes);
  void end_file(std::string name, int error);
  bool full() const { return free_bytes() == 0 || endings_.size() == max_endings; }
  bool empty() const { return endings_.empty() && slices_used_ == 0; }
  void clear();

  unsigned slices() const { return slices_used_; }
  slice_count const& count(unsigned i) const { return counts_[i]; }
  std::vector<ending> const& endings() const { return endings_; }

 protected:
  /// Arrays of `max_bytes` bytes (a multiple of slice_bytes) and `max_slices` elements.
  batch(std::size_t max_bytes, unsigned max_slices, array<piece> pieces, array<slice> slices,
        array<slice_count> counts);

  std::size_t bytes_used() const { return used_; }
  piece* pieces() { return pieces_.get(); }
  slice* slice_list() { return slices_.get(); }
  slice_count* count_list() { return counts_.get(); }

 private:
  std::size_t max_bytes_;
  unsigned max_slices_;
  array<piece> pieces_;
  array<slice> slices_;
  array<slice_count> counts_;
  std::vector<ending> endings_;
  std::size_t used_ = 0;
  unsigned slices_used_ = 0;
  bool slice_open_ = false;  // whether the last slice belongs to the current file, so that it may grow
};

}  // namespace tally
