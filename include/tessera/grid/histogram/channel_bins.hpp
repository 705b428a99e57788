// The bins of interleaved values: each channel has its own, and a block counts them all in one pass.
//
//   in        r0 g0 b0 a0 | r1 g1 b1 a1 | …       4 channels, of which the first 3 are counted
//   cells     channel 0 …   | channel 1 …   | channel 2 …
#pragma once

#include <tessera/core/words.hpp>
#include <tessera/grid/histogram/even_bins.hpp>
#include <tessera/grid/parts/count_cells.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

inline constexpr unsigned channel_shift = 24;  // of a bin's number, which has its channel, too

/// The values of all channels at one place.
template <class T, unsigned Channels>
struct pixel {
  T value[Channels];
};

/// The bins of the first Active channels: bins_of<T>, or edges_of_channel<T>.
template <class Bins, unsigned Active>
struct channel_bins {
  Bins channel[Active];
  unsigned first[Active + 1];  // the cell at which a channel begins, and how many there are

  /// Sets `first` from the bins of the channels.
  void number_cells() {
    first[0] = 0;
    for (unsigned c = 0; c < Active; ++c) first[c + 1] = first[c] + channel[c].cells();
  }

  TESSERA_FN unsigned cells() const { return first[Active]; }
  template <class T, unsigned Channels, class Count>
  TESSERA_FN void each_cell(pixel<T, Channels> const& p, Count count) const {
    TESSERA_UNROLL
    for (unsigned c = 0; c < Active; ++c) count(first[c] + detail::cell_of(channel[c], p.value[c]));
  }
  /// The channel, and the bin in it.
  TESSERA_FN unsigned of_cell(unsigned cell) const {
    unsigned found = 0;
    TESSERA_UNROLL
    for (unsigned c = 0; c < Active; ++c) {
      if (cell >= first[c] && cell < first[c + 1]) found = c << channel_shift | channel[c].of_cell(cell - first[c]);
    }
    return found;
  }
};
template <class Bins, unsigned Active>
inline constexpr bool has_several_cells<channel_bins<Bins, Active>> = true;

/// The totals of the channels, to which channel_bins::of_cell() leads.
template <unsigned Active>
struct channel_totals {
  totals channel[Active];

  TESSERA_FN void add(unsigned found, unsigned count) const {
    unsigned const which = found >> channel_shift;
    totals to{nullptr, nullptr, 0};
    TESSERA_UNROLL
    for (unsigned c = 0; c < Active; ++c) {
      to.counts = tessera::detail::select(which == c, channel[c].counts, to.counts);
      to.outside = tessera::detail::select(which == c, channel[c].outside, to.outside);
      to.bins = tessera::detail::select(which == c, channel[c].bins, to.bins);
    }
    to.add(found & 0xffffffu, count);
  }
};
template <class Warp, unsigned Active>
TESSERA_FN void clear_totals(Warp const& warp, channel_totals<Active> const& out) {
  TESSERA_UNROLL
  for (unsigned c = 0; c < Active; ++c) detail::clear_totals(warp, out.channel[c]);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
