// The parts of a workspace, for the code that allocates one and for scratch_bytes.
//
//   counters | slots | tagged words | data
//   1 KiB    | 31 KiB| of 8 bytes   | at a multiple of 256 bytes
#pragma once

#include <tessera/core/config.hpp>

#include <cstddef>
#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

struct workspace_layout {
  static constexpr std::size_t counter_bytes = 1024;
  static constexpr std::size_t slot_bytes = 31 * 1024;
  static constexpr std::size_t zero_bytes = counter_bytes + slot_bytes;
  /// A workspace, and its data, begin at a multiple of so many bytes.
  static constexpr std::size_t line = 256;

  /// The number of tagged words of a workspace that needs so many, rounded up to a whole line.
  static constexpr std::size_t tagged(std::size_t words) { return (words + 31) / 32 * 32; }
  /// The bytes before the data: those that are 0 in a new workspace.
  static constexpr std::size_t cleared(std::size_t words) { return zero_bytes + tagged(words) * sizeof(std::uint64_t); }
  /// The bytes of the whole workspace.
  static constexpr std::size_t total(std::size_t words, std::size_t bytes) { return cleared(words) + bytes; }
};

/// The most words of a block's partial that goes through slots, a slot for each. Longer ones are in the data.
inline constexpr unsigned most_slot_words = 4;
constexpr std::size_t partial_bytes(std::int64_t blocks, std::size_t bytes_of_one) {
  return bytes_of_one <= 4 * most_slot_words ? 0 : static_cast<std::size_t>(blocks) * bytes_of_one;
}

/// A number of bytes, rounded up to a multiple of 256.
constexpr std::size_t on_lines(std::size_t bytes) {
  return (bytes + workspace_layout::line - 1) / workspace_layout::line * workspace_layout::line;
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
