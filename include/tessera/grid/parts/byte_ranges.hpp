// Tests if arrays of several types that a call reads and writes overlap.
#pragma once

#include <tessera/grid/parts/arguments.hpp>

#include <cstdint>
#include <initializer_list>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Memory that a call reads or writes.
struct byte_range {
  char const* begin = nullptr;
  std::int64_t size = 0;

  template <class T>
  static byte_range of(T const* p, std::int64_t n) noexcept {
    return {reinterpret_cast<char const*>(p), p ? n * static_cast<std::int64_t>(sizeof(T)) : 0};
  }
  bool overlaps(byte_range const& other) const noexcept {
    return detail::overlap(begin, size, other.begin, other.size);
  }
};

/// True if a range that is written overlaps another one.
inline bool any_overlap(std::initializer_list<byte_range> written, std::initializer_list<byte_range> read) noexcept {
  for (byte_range const& w : written) {
    for (byte_range const& other : written) {
      if (&other != &w && w.overlaps(other)) return true;
    }
    for (byte_range const& r : read) {
      if (w.overlaps(r)) return true;
    }
  }
  return false;
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
