// Offsets of segments whose width is known when a kernel runs: one kernel serves those of 32 and those of 64 bits.
#pragma once

#include <tessera/core/config.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Offsets of 32 bits, which are read as unsigned, or of 64. Wide is bool, or true_type or false_type where a kernel
/// has too few registers for both.
template <class Wide>
struct offsets_by_width {
  void const* data;
  Wide is_wide;

  template <class Offset>
  static offsets_by_width of(Offset const* offsets) {
    return {offsets, sizeof(Offset) == 8};
  }

  TESSERA_FN std::int64_t operator[](std::int64_t i) const {
    return is_wide ? static_cast<std::int64_t const*>(data)[i] : static_cast<std::uint32_t const*>(data)[i];
  }

  TESSERA_FN unsigned bytes() const { return is_wide ? 8 : 4; }
};

using segment_offsets = offsets_by_width<bool>;

/// The lower 32 bits of offsets, from one of them on. As little of them is loaded as possible, whatever their width,
/// and the distance of two offsets that are less than 2^32 apart is known from them.
class lower_offsets {
 public:
  TESSERA_FN lower_offsets(segment_offsets const& offsets, std::int64_t first)
      : bytes_of_each_(offsets.bytes()),
        at_(static_cast<unsigned char const*>(offsets.data) + first * bytes_of_each_) {}

  TESSERA_FN std::uint32_t operator[](std::uint32_t i) const {
    return *reinterpret_cast<std::uint32_t const*>(at_ + std::uint64_t{i} * bytes_of_each_);
  }

 private:
  unsigned bytes_of_each_;
  unsigned char const* at_;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
