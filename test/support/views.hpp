// Arrays and matrices that know their size, as little as calls ask of std::span and std::mdspan.
#pragma once

#include <cstddef>

namespace test {

template <class T>
struct span {
  T* first;
  std::size_t count;

  T* data() const { return first; }
  std::size_t size() const { return count; }
};
template <class T>
span(T*, std::size_t) -> span<T>;

/// An mdspan of any strides.
template <class T, int Rank>
struct mdspan {
  using element_type = T;

  T* first;
  int extents[Rank];
  long strides[Rank];

  static constexpr std::size_t rank() { return Rank; }
  T* data_handle() const { return first; }
  int extent(std::size_t i) const { return extents[i]; }
  long stride(std::size_t i) const { return strides[i]; }
};

}  // namespace test
