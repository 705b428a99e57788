// The memory that a communicator keeps, so that calls needn't allocate what they exchange.
//
//   kept     | losses of all rows | parts of all ranks | free …      a call within a call takes its own piece
//
// The next call, in the stream's order, takes the same memory again.
#pragma once

#include <tessera/core/config.hpp>

#include <cstddef>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Memory from which pieces are taken and given back, the last one first.
class kept_memory {
 public:
  static constexpr std::size_t align = 256;

  kept_memory() = default;
  kept_memory(void* base, std::size_t bytes) noexcept : base_(static_cast<char*>(base)), bytes_(bytes) {}
  void* base() const noexcept { return base_; }

  /// A piece, until it ends.
  class piece {
   public:
    piece(kept_memory& of, std::size_t bytes) noexcept : of_(of), begin_(of.used_) {
      if (bytes > of.bytes_ - begin_) return;
      data_ = of.base_ + begin_;
      std::size_t const end = begin_ + (bytes + align - 1) / align * align;
      of.used_ = end < of.bytes_ ? end : of.bytes_;
    }
    ~piece() { of_.used_ = begin_; }
    piece(piece const&) = delete;
    piece& operator=(piece const&) = delete;

    /// Null if so much isn't left.
    void* data() const noexcept { return data_; }

   private:
    kept_memory& of_;
    std::size_t begin_;
    void* data_ = nullptr;
  };

 private:
  char* base_ = nullptr;
  std::size_t bytes_ = 0, used_ = 0;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
