// The backend of a group of several warps on the GPU: named barriers and slots of shared memory. See
// group/multi_warp_group.hpp.
//
// A block has 16 hardware barriers. Barrier 0 is used by __syncthreads and by a tile that is the whole block.
// Tiles that are parts of a block have barriers of their own, numbered level by level, so that tiles of different sizes
// nest:
//
//   block of 257 to 512     512 0      256 1 2      128 3 … 6     64 7 … 14
//   block of 513 to 1024   1024 0      512 1 2      256 3 … 6    128 7 … 14    64: none left
//
// If these don't suffice for all tiles of a size, those tiles synchronize as cooperative_groups does.
// `TESSERA_FIRST_BARRIER` (1) and `TESSERA_LAST_BARRIER` (15) bound the barriers that the library uses, so that the
// kernel can have the others.
//
// Source: PTX ISA, "bar".
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/core/library_memory.hpp>
#include <tessera/core/policy.hpp>
#include <tessera/core/scratch.hpp>
#include <tessera/core/thread.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/group/multi_warp_group.hpp>
#include <tessera/group/shared_words.hpp>
#include <tessera/group/warp_group.hpp>

#if TESSERA_CUDA

#ifndef TESSERA_FIRST_BARRIER
#define TESSERA_FIRST_BARRIER 1
#endif
#ifndef TESSERA_LAST_BARRIER
#define TESSERA_LAST_BARRIER 15
#endif

TESSERA_NAMESPACE_BEGIN

namespace detail {

static_assert(TESSERA_FIRST_BARRIER >= 1 && TESSERA_LAST_BARRIER <= 15,
              "TESSERA_FIRST_BARRIER ... TESSERA_LAST_BARRIER: barriers 1 ... 15 can be had; 0 is __syncthreads's.");

/// The part of a type that one shared-memory bank holds.
template <class T>
using unit_t = stl::conditional_t<sizeof(T) % 4 == 0, stl::uint32_t,
                                  stl::conditional_t<sizeof(T) % 2 == 0, stl::uint16_t, stl::uint8_t>>;
template <class T>
inline constexpr unsigned unit_count = sizeof(T) / sizeof(unit_t<T>);

/// The slots of one tile, one for each warp: contiguous values, since all lanes of a warp read the same ones.
template <class T>
struct packed_slots {
  using unit = unit_t<T>;
  unsigned address;

  TESSERA_FN void write(unsigned slot, T const& x) const {
    unit units[unit_count<T>];
    detail::copy_bytes(units, TESSERA_ADDRESS_OF(x), sizeof(T));
    detail::store_shared(address_of(slot), units);
  }
  TESSERA_FN T read(unsigned slot) const { return read_row<1>(slot)[0]; }
  /// Reads the slot if `reads`, else returns x.
  TESSERA_FN T read_or(T const& x, bool reads, unsigned slot) const {
    unit units[unit_count<T>];
    detail::copy_bytes(units, TESSERA_ADDRESS_OF(x), sizeof(T));
    detail::load_shared_or_keep(reads, units, address_of(slot));
    T out = x;
    detail::copy_bytes(TESSERA_ADDRESS_OF(out), units, sizeof(T));
    return out;
  }
  /// Reads Count neighboring slots, beginning at `slot`, a multiple of Count.
  template <unsigned Count>
  TESSERA_FN items<T, Count> read_row(unsigned slot) const {
    unit units[Count * unit_count<T>];
    detail::load_shared(units, address_of(slot));
    auto out = detail::from_words<items<T, Count>>({});
    detail::copy_bytes(TESSERA_ADDRESS_OF(out), units, sizeof(out));
    return out;
  }

 private:
  TESSERA_FN unsigned address_of(unsigned slot) const { return address + slot * static_cast<unsigned>(sizeof(T)); }
};

/// The slots of one tile, several for each warp. Unit u of slot s is at unit number u · stride + s after `address`, so
/// that lanes that access neighboring slots use different banks. A unit is one bank's word, or two of them: for access
/// patterns without conflicts either way, such as raking, this halves the number of accesses.
template <class T, unsigned UnitBytes>
struct slot_array {
  using part = unit_t<T>;
  static constexpr unsigned parts = UnitBytes / sizeof(part);
  unsigned address;
  unsigned stride;

  TESSERA_FN void write(unsigned slot, T const& x) const {
    words<T> const w = detail::to_words(x);
    TESSERA_UNROLL
    for (unsigned u = 0; u < sizeof(T) / UnitBytes; ++u) {
      part unit[parts];
      detail::copy_bytes(unit, reinterpret_cast<char const*>(w.word) + u * UnitBytes, UnitBytes);
      detail::store_shared(address_of(u, slot), unit);
    }
  }
  /// The slots from `slot` on, at an address that is computed once.
  TESSERA_FN slot_array from(unsigned slot) const { return {detail::opaque(address + slot * UnitBytes), stride}; }
  TESSERA_FN T read(unsigned slot) const { return read_row<1>(slot)[0]; }
  /// Reads Count neighboring slots, beginning at `slot`, a multiple of Count. With `Conditional` only if `reads`;
  /// otherwise the values are unspecified.
  template <unsigned Count, bool Conditional = false>
  TESSERA_FN items<T, Count> read_row(unsigned slot, [[maybe_unused]] bool reads = true) const {
    auto out = detail::from_words<items<T, Count>>({});
    TESSERA_UNROLL
    for (unsigned u = 0; u < sizeof(T) / UnitBytes; ++u) {
      part units[parts * Count];
      if constexpr (Conditional) {
        detail::load_shared_if(reads, units, address_of(u, slot));
      } else {
        detail::load_shared(units, address_of(u, slot));
      }
      TESSERA_UNROLL
      for (unsigned i = 0; i < Count; ++i)
        detail::copy_bytes(reinterpret_cast<char*>(TESSERA_ADDRESS_OF(out.item[i])) + u * UnitBytes,
                           TESSERA_ADDRESS_OF(units[parts * i]), UnitBytes);
    }
    return out;
  }

 private:
  TESSERA_FN unsigned address_of(unsigned u, unsigned slot) const { return address + (u * stride + slot) * UnitBytes; }
};

/// The slots of a tile of N, beginning at `address`, Row a warp.
template <unsigned N, class T, unsigned Row, bool ForRaking = false>
TESSERA_FN auto slots_at(unsigned address) {
  if constexpr (Row == 1) {
    return packed_slots<T>{address};
  } else {
    constexpr unsigned unit = ForRaking && sizeof(T) % 8 == 0 ? 8 : sizeof(unit_t<T>);
    return slot_array<T, unit>{address, N / 32 * Row};
  }
}

/// The address of a byte of one of the library's arrays; see library_memory.hpp.
template <unsigned N, unsigned Inputs, unsigned Outputs>
TESSERA_FN unsigned library_address([[maybe_unused]] unsigned at) {
#if TESSERA_ARCH
  alignas(16) __shared__ unsigned char bytes[Inputs + Outputs];
  return detail::shared_address(bytes + at);
#else
  return 0;
#endif
}
/// The temporary storage that the library declares if the caller gives no scratch.
template <class Layout>
struct library_storage {
  static constexpr bool has_trailing_barrier = Layout::has_trailing_barrier;
  static constexpr unsigned least_row_with_result = Layout::least_row_with_result;
  static constexpr unsigned most_moved = Layout::most_moved;
  template <class T>
  static constexpr unsigned row = Layout::template row<T>;

  template <unsigned N, class T, unsigned Row, bool ForRaking>
  TESSERA_FN auto inputs(unsigned tile) const {
    using array = typename Layout::template array<T, Row>;
    return detail::slots_at<N, T, Row, ForRaking>(
        detail::library_address<N, array::inputs, array::outputs>(tile * array::template inputs_of<N>));
  }
  template <unsigned N, class T, unsigned Row>
  TESSERA_FN auto outputs(unsigned tile) const {
    using array = typename Layout::template array<T, Row>;
    if constexpr (array::has_room) {
      return detail::slots_at<N, T, 1>(detail::library_address<N, array::inputs, array::outputs>(
          array::inputs + tile * array::template outputs_of<N>));
    } else {
      using own = typename Layout::template output_array<T>;
      return detail::slots_at<N, T, 1>(detail::library_address<N, 0, own::bytes>(tile * own::template bytes_of<N>));
    }
  }
};

/// The caller's scratch: see core/scratch_layout.hpp.
template <class Scratch, bool HasTrailingBarrier>
struct caller_storage {
  using layout = typename Scratch::layout;
  static constexpr bool has_trailing_barrier = HasTrailingBarrier;
  static constexpr unsigned least_row_with_result = 32;
  static constexpr unsigned most_moved = layout::most_moved;
  template <class T>
  static constexpr unsigned row = layout::template row<T>;

  Scratch* memory;

  template <unsigned N, class T, unsigned Row, bool ForRaking>
  TESSERA_FN auto inputs(unsigned tile) const {
    detail::require_scratch_room<layout::template has_inputs<T, Row>>();
    return detail::slots_at<N, T, Row, ForRaking>(
        detail::shared_address(memory->bytes + tile * layout::template inputs_of<N>));
  }
  template <unsigned N, class T, unsigned Row>
  TESSERA_FN auto outputs(unsigned tile) const {
    detail::require_scratch_room<layout::template has_results<T>>();
    return detail::slots_at<N, T, 1>(
        detail::shared_address(memory->bytes + layout::inputs + tile * layout::template results_of<N>));
  }
};
template <class Tile, class Policy>
TESSERA_FN auto storage_of([[maybe_unused]] Policy const& policy) {
  using memory = chosen_memory<Policy>;
  if constexpr (stl::is_same_v<memory, choice::library_memory>) {
    return library_storage<library_layout_of<tile_size_v<Tile>, is_block_tile<Tile>>>{};
  } else {
    return caller_storage<stl::remove_pointer_t<decltype(memory::scratch)>, memory::has_trailing_barrier>{
        policy.scratch};
  }
}

/// Lanes of a tile wait for each other at the whole block's barrier, or at one of the tile's own. A warp may reach the
/// former diverged, since sm_70, but must have converged before the latter: see docs/convergence.md.
struct whole_block {
  static constexpr bool is_block = true;
  TESSERA_FN constexpr bool can_count() const { return true; }

  TESSERA_FN void wait() const {
#if TESSERA_ARCH
    __syncthreads();
#endif
  }
  TESSERA_FN unsigned count([[maybe_unused]] bool mine) const {
#if TESSERA_ARCH
    return static_cast<unsigned>(__syncthreads_count(mine));
#else
    return 0;
#endif
  }
};

/// Not inlined: few kernels need it, and inlining it would slow down the others.
template <class Tile>
__device__ __noinline__ void wait_as_group(Tile tile) {
  tile.sync();
}

template <class Tile>
class part_of_block {
  static constexpr unsigned N = tile_size_v<Tile>;
  static constexpr unsigned most = TESSERA_LAST_BARRIER - TESSERA_FIRST_BARRIER + 1;

 public:
  static constexpr bool is_block = false;

  TESSERA_FN explicit part_of_block(Tile const& tile) : tile_(&tile) {
    unsigned const tiles = (threads_of_block() + N - 1) / N;
    unsigned const level =
        tiles <= 1 ? 1 : 2u << detail::highest_bit(tiles - 1);  // tiles, rounded up to a power of two
    unsigned const number = level - 1 + thread_of_block() / N;
    id_ = number == 0 ? 0 : TESSERA_FIRST_BARRIER + number - 1;
    constexpr bool always = 2 * (1024 / N) - 2 <= most;  // in a block of 1024
    all_have_one_ = always || level - 1 + tiles - 1 <= most;
  }
  TESSERA_FN bool can_count() const { return all_have_one_; }

  TESSERA_FN void wait() const {
#if TESSERA_ARCH
    if (all_have_one_) {
      asm volatile("bar.sync %0, %1;" ::"r"(id_), "n"(N) : "memory");
    } else {
      detail::wait_as_group(*tile_);
    }
#endif
  }
  TESSERA_FN unsigned count([[maybe_unused]] bool mine) const {
    unsigned total = 0;
#if TESSERA_ARCH
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %3, 0; bar.red.popc.u32 %0, %1, %2, p; }"
                 : "=r"(total)
                 : "r"(id_), "n"(N), "r"(unsigned{mine})
                 : "memory");
#endif
    return total;
  }

 private:
  Tile const* tile_;
  unsigned id_;
  bool all_have_one_;
};

template <unsigned N, class Barrier, class Scratch, bool Padded>
class backend {
 public:
  static constexpr unsigned size = N;
  static constexpr bool may_be_partial = Padded, is_block = Barrier::is_block;
  static constexpr bool has_trailing_barrier = Scratch::has_trailing_barrier;
  static constexpr unsigned least_row_with_result = Scratch::least_row_with_result;
  static constexpr unsigned most_moved = Scratch::most_moved;
  template <class T>
  static constexpr unsigned row = Scratch::template row<T>;

  TESSERA_FN backend(Barrier barrier, Scratch scratch)
      : barrier_(barrier), scratch_(scratch), thread_(thread_of_block()) {}

  TESSERA_FN unsigned rank() const { return Barrier::is_block ? thread_ : thread_ % N; }
  TESSERA_FN unsigned valid_count() const { return Padded ? threads_of_block() : N; }
  TESSERA_FN auto in_warp() const {
    if constexpr (Padded) {
      unsigned const before = thread_ & ~31u;
      return partial_warp_group<32>{valid_count() - before < 32 ? valid_count() - before : 32};
    } else {
      return warp_group<32, whole_warp>();
    }
  }
  template <unsigned M>
  TESSERA_FN auto part() const {
    return warp_group<M, whole_warp>();
  }

  TESSERA_FN void barrier() const {
    converge();
    barrier_.wait();
  }
  TESSERA_FN static bool of_warp(bool which, [[maybe_unused]] bool mine) {
#if TESSERA_ARCH
    if constexpr (!Padded) return __any_sync(~0u, mine) != 0;
#endif
    return which;
  }
  TESSERA_FN bool can_count() const {
    return barrier_.can_count();
  }
  TESSERA_FN unsigned barrier_count(bool mine) const {
    converge();
    return barrier_.count(mine);
  }

  template <class T, unsigned Row, bool ForRaking = false>
  TESSERA_FN auto inputs() const {
    return scratch_.template inputs<N, T, Row, ForRaking>(tile());
  }
  template <class T, unsigned Row>
  TESSERA_FN auto outputs() const {
    return scratch_.template outputs<N, T, Row>(tile());
  }

 private:
  TESSERA_FN void converge() const {
    if constexpr (!is_block) in_warp().sync();
  }
  TESSERA_FN unsigned tile() const {
    return Barrier::is_block ? 0 : thread_ / N;
  }

  Barrier barrier_;
  Scratch scratch_;
  unsigned thread_;
};

/// The backend of a GPU tile.
template <class Tile, class Policy>
TESSERA_FN auto backend_of([[maybe_unused]] Tile const& tile, Policy const& policy) {
  constexpr unsigned N = tile_size_v<Tile>;
  auto const scratch = detail::storage_of<Tile>(policy);
  using scratch_t = stl::remove_const_t<decltype(scratch)>;
  if constexpr (is_block_tile<Tile>) {
    return backend<N, whole_block, scratch_t, is_padded<Tile>>(whole_block{}, scratch);
  } else {
    return backend<N, part_of_block<Tile>, scratch_t, false>(part_of_block<Tile>(tile), scratch);
  }
}

using any_storage = library_storage<library_layout_of<256, true>>;
static_assert(is_group<multi_warp_group<backend<256, whole_block, any_storage, true>>> &&
                  is_group<multi_warp_group<backend<256, whole_block, any_storage, false>>>,
              "Several warps are a group: see group/group.hpp.");

}  // namespace detail

TESSERA_NAMESPACE_END

#endif
