// Scratch memory that the caller gives to host tiles of several warps; see tessera/core/scratch.hpp.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/core/scratch.hpp>
#include <tessera/core/scratch_layout.hpp>
#include <tessera/host/shared.hpp>

TESSERA_NAMESPACE_BEGIN
namespace host {

namespace detail {

template <unsigned Bytes, unsigned Threads, bool HasTrailingBarrier>
struct caller_memory {
  using layout = tessera::detail::scratch_layout<Bytes, Threads>;
  static constexpr unsigned threads = Threads;
  static constexpr bool has_trailing_barrier = HasTrailingBarrier;
  static constexpr unsigned least_row_with_result = 32;
  static constexpr unsigned most_moved = layout::most_moved;
  template <class T>
  static constexpr unsigned row = layout::template row<T>;
  template <class T, unsigned Row>
  static constexpr bool has_inputs = layout::template has_inputs<T, Row>;
  template <class T>
  static constexpr bool has_results = layout::template has_results<T>;
  unsigned key;

  /// The byte at which the inputs (use 0) or the results of a tile of N begin on the GPU.
  template <unsigned N>
  TESSERA_FN static constexpr unsigned begin_of(unsigned tile, unsigned use) {
    return use == 0 ? tile * layout::template inputs_of<N> : layout::inputs + tile * layout::template results_of<N>;
  }
};

}  // namespace detail

/// The host's `__shared__ tessera::scratch<T, Threads>`. All lanes of the block declare the same ones in the same
/// order, as with host::shared. The declaration is not a barrier. (Values of different sizes, and results, have
/// separate memory here. On the GPU they share the scratch's bytes: calls that would use the same bytes without a
/// barrier between them are reported.)
template <class T, unsigned Threads>
class scratch {
  static_assert(Threads >= 64 && Threads <= 1024 && Threads % 32 == 0,
                "scratch<T, Threads>: Threads is a block's size in whole warps: 64, 96, ... 1024.");

 public:
  static constexpr unsigned threads = Threads;

  explicit scratch(const block& where, call_site site = call_site::here())
      : declared_(where, Threads, site),
        key_(detail::engine_of(where.id(), "the declaration of a scratch", site).arrays_declared()) {}

  template <bool HasTrailingBarrier>
  TESSERA_FN detail::caller_memory<sizeof(T), Threads, HasTrailingBarrier> memory() const {
    return {key_};
  }

 private:
  shared<T> declared_;
  unsigned key_;
};

}  // namespace host
TESSERA_NAMESPACE_END
