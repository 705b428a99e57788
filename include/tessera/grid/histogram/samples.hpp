// Readers for the kernels of histograms: they convert enumerators to integers, and group interleaved values into
// pixels.
#pragma once

#include <tessera/core/iterators.hpp>
#include <tessera/grid/histogram/channel_bins.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Reads a reader's elements, each converted to Number.
template <class In, class Number>
struct converted_samples {
  using value_type = Number;
  using difference_type = stl::int64_t;

  In in;

  TESSERA_FN converted_samples operator+(stl::int64_t i) const { return {tessera::detail::advanced(in, i)}; }
  TESSERA_FN Number operator*() const { return static_cast<Number>(tessera::detail::read_element(in, 0)); }
};

/// Reads each `Channels` elements of a reader as one pixel.
template <class In, class Number, unsigned Channels>
struct pixel_samples {
  using value_type = pixel<Number, Channels>;
  using difference_type = stl::int64_t;

  In in;

  TESSERA_FN pixel_samples operator+(stl::int64_t i) const { return {tessera::detail::advanced(in, Channels * i)}; }
  TESSERA_FN value_type operator*() const {
    value_type out;
    TESSERA_UNROLL
    for (unsigned c = 0; c < Channels; ++c) out.value[c] = static_cast<Number>(tessera::detail::read_element(in, c));
    return out;
  }
};

/// A reader of in's elements as Number, which has their size.
template <class Number, class In>
TESSERA_FN auto samples_of(In const& in) {
  if constexpr (stl::is_pointer_v<In>) {
    return reinterpret_cast<Number const*>(in);
  } else {
    return converted_samples<In, Number>{in};
  }
}
template <class Number, unsigned Channels, class In>
TESSERA_FN auto pixels_of(In const& in) {
  if constexpr (stl::is_pointer_v<In>) {
    return reinterpret_cast<pixel<Number, Channels> const*>(in);
  } else {
    return pixel_samples<In, Number, Channels>{in};
  }
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
