// Plain kernels: each makes one call, as a user would write it, and stores what a lane gets, or a part of it.
//
// generate.py writes their text, with calls of the oracle's table. Two compilers compile it: nvcc to a module (a cubin, or PTX), of
// which each kernel is an entry, and the host's compiler for CPU lanes. `inputs` stands for what the call takes. On CPU lanes it
// draws a value and keeps it in memory; the GPU finds it there. So both make the call with the same bits.
#pragma once

#include <tessera/tessera.hpp>

#include "queues.hpp"
#include "values.hpp"

#if !TESSERA_CUDA
#include "expect.hpp"
#include "host_lanes.hpp"
#endif

/// GPUs before sm_80 have no instructions that reduce; results are the same without.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define PLAIN_HARDWARE tessera::automatic
#else
#define PLAIN_HARDWARE tessera::hardware
#endif

namespace plain {

/// What a kernel gets. A block has memory for each lane's arguments, `cells` for its results, and `memory` for ranges.
struct arguments {
  unsigned char* values;
  unsigned char* cells;
  unsigned char* memory;
  unsigned long long seed;  // of what CPU lanes draw
  unsigned threads;
  unsigned slot_bytes;    // the inputs of one kind: a value of at most 256 bytes for each thread
  unsigned memory_bytes;  // of each lane; a tile's memory is that of its lanes
  unsigned half;          // of a tile's memory
  unsigned rounds;
  unsigned range_begin, out_begin;  // offsets in a tile's memory
  short n_short, length_short;
  int n_int, length_int;
  long long n_long, length_long;
  unsigned numbers[16];  // arguments that are the same for all lanes
};

inline constexpr unsigned most_bytes = 256, cell_bytes = 544, most_rounds = 3;
enum slots : unsigned {
  of_values = 0,
  of_preds = 8,
  of_same = 12,
  of_sources = 20,
  of_places = 21,
  of_diagonals = 22,
  all_slots = 24
};
enum numbers : unsigned { source, delta, offset, mask, first_index };  // an index by its own number follows

#if TESSERA_CUDA
/// What the calls take: the GPU loads it.
class inputs {
 public:
  template <class Block>
  TESSERA_FN inputs(arguments const& a, Block const& block, unsigned size, unsigned round = 0)
      : a_(a), thread_(block.thread_rank()), size_(size), round_(round) {}

  template <class T>
  TESSERA_FN T value(oracle::values, unsigned what = 1) const {
    return lane<T>(of_values + what);
  }
  template <class T, unsigned K>
  TESSERA_FN tessera::items<T, K> items(oracle::values, unsigned what = 1) const {
    return lane<tessera::items<T, K>>(of_values + what);
  }
  template <class T>
  TESSERA_FN T same_value(oracle::values, unsigned what = 3) const {
    return at<T>(of_same + what, 0);
  }
  TESSERA_FN bool pred(unsigned what = 0) const { return lane<bool>(of_preds + what); }
  TESSERA_FN unsigned own_source() const { return lane<unsigned>(of_sources); }
  TESSERA_FN unsigned diagonal(unsigned) const { return lane<unsigned>(of_diagonals); }
  template <unsigned Items>
  TESSERA_FN auto permuted() const {
    if constexpr (Items == 0) {
      return lane<unsigned>(of_places);
    } else {
      return lane<tessera::items<unsigned, Items>>(of_places);
    }
  }
  TESSERA_FN unsigned source() const { return a_.numbers[numbers::source]; }
  TESSERA_FN unsigned delta() const { return a_.numbers[numbers::delta]; }
  TESSERA_FN int offset() const { return static_cast<int>(a_.numbers[numbers::offset]); }
  TESSERA_FN unsigned mask() const { return a_.numbers[numbers::mask]; }
  TESSERA_FN unsigned index(unsigned, unsigned what) const { return a_.numbers[first_index + what]; }
  template <class Integer = int>
  TESSERA_FN Integer n() const {
    return of_width<Integer>(a_.n_short, a_.n_int, a_.n_long);
  }
  template <class Integer = int>
  TESSERA_FN Integer length(unsigned) const {
    return of_width<Integer>(a_.length_short, a_.length_int, a_.length_long);
  }
  TESSERA_FN unsigned count_of_range(unsigned) const {
    return static_cast<unsigned>(a_.length_int < 0 ? 0 : a_.length_int);
  }
  template <class T, unsigned Items>
  TESSERA_FN auto row(unsigned half, bool striped = false) const {
    T const* const from = memory<T>(half * a_.half);
    if constexpr (Items == 0) {
      return T(from[thread_ % size_]);
    } else {
      tessera::items<T, Items> x{};
      for (unsigned i = 0; i < Items; ++i)
        x[i] = from[striped ? i * size_ + thread_ % size_ : thread_ % size_ * Items + i];
      return x;
    }
  }
  template <class T>
  TESSERA_FN T* range() const {
    return memory<T>(a_.range_begin);
  }
  template <class T>
  TESSERA_FN T* out() const {
    return memory<T>(a_.out_begin);
  }
  template <class T>
  TESSERA_FN T* memory(unsigned from = 0) const {
    return reinterpret_cast<T*>(a_.memory + thread_ / size_ * size_ * a_.memory_bytes + from);
  }

 private:
  template <class T>
  TESSERA_FN T const& at(unsigned slot, unsigned which) const {
    return reinterpret_cast<T const*>(a_.values + slot * a_.slot_bytes)[which];
  }
  template <class T>
  TESSERA_FN T lane(unsigned slot) const {
    unsigned const from = round_ == 0 ? thread_ : (thread_ + 5 * round_) % a_.threads;
    return at<T>(slot, from);
  }
  template <class Integer>
  TESSERA_FN static Integer of_width(short narrow, int plain, long long wide) {
    if constexpr (sizeof(Integer) == 2) {
      return static_cast<Integer>(narrow);
    } else if constexpr (sizeof(Integer) == 4) {
      return static_cast<Integer>(plain);
    } else {
      return static_cast<Integer>(wide);
    }
  }

  arguments const& a_;
  unsigned thread_, size_, round_;
};
#else
/// What the calls take: a CPU lane draws it, and leaves it for the GPU.
class inputs {
 public:
  inputs(arguments& a, tessera::host::block const& block, unsigned size, unsigned round = 0)
      : a_(a), thread_((block.thread_rank() + 5 * round) % a.threads), rank_(thread_ % size), at_(draws_of(a, size)) {
    place_ = block.thread_rank();
  }

  /// The draws of all tiles: the first one's.
  static oracle::draws draws_of(arguments const& a, unsigned size) {
    oracle::environment e{};
    e.seed = a.seed;
    e.threads = a.threads;
    e.memory_bytes = a.memory_bytes;
    return {e, 0, 0, size, 0, a.threads < size ? a.threads : size, 0, 0};
  }

  template <class T>
  T value(oracle::values which, unsigned what = 1) const {
    return kept(of_values + what, at_.value<T>(thread_, which, 0, what));
  }
  template <class T, unsigned K>
  tessera::items<T, K> items(oracle::values which, unsigned what = 1) const {
    return kept(of_values + what, at_.items<T, K>(thread_, which, what));
  }
  template <class T>
  T same_value(oracle::values which, unsigned what = 3) const {
    return kept(of_same + what, at_.value<T>(0, which, 0, what), true);
  }
  bool pred(unsigned what = 0) const { return kept(of_preds + what, at_.pred(rank_, what)); }
  unsigned own_source() const { return kept(of_sources, at_.source(rank_)); }
  unsigned diagonal(unsigned all) const { return kept(of_diagonals, at_.diagonal(rank_, all)); }
  template <unsigned Items>
  auto permuted() const {
    if constexpr (Items == 0) {
      return kept(of_places, at_.permuted(rank_, at_.valid_count));
    } else {
      tessera::items<unsigned, Items> to{};
      for (unsigned i = 0; i < Items; ++i) to[i] = at_.permuted(rank_ * Items + i, at_.valid_count * Items);
      return kept(of_places, to);
    }
  }
  unsigned source() const { return a_.numbers[numbers::source] = at_.source(); }
  unsigned delta() const { return a_.numbers[numbers::delta] = at_.delta(); }
  int offset() const { return static_cast<int>(a_.numbers[numbers::offset] = static_cast<unsigned>(at_.offset())); }
  unsigned mask() const { return a_.numbers[numbers::mask] = at_.mask(); }
  unsigned index(unsigned of, unsigned what) const { return a_.numbers[first_index + what] = at_.index(of, what); }
  template <class Integer = int>
  Integer n() const {
    int const n = std::is_unsigned_v<Integer> && at_.n() < 0 ? 0 : at_.n();
    a_.n_short = static_cast<short>(n);
    a_.n_long = a_.n_int = n;
    return static_cast<Integer>(n);
  }
  template <class Integer = int>
  Integer length(unsigned bytes) const {
    int const n = std::is_unsigned_v<Integer> && at_.length(bytes) < 0 ? 0 : at_.length(bytes);
    a_.length_short = static_cast<short>(n);
    a_.length_long = a_.length_int = n;
    return static_cast<Integer>(n);
  }
  unsigned count_of_range(unsigned bytes) const {
    length(bytes);
    return at_.count_of_range(bytes);
  }
  template <class T, unsigned Items>
  auto row(unsigned half, bool striped = false) const {
    a_.half = at_.half();
    T const* const from = memory<T>(half * at_.half());
    unsigned const rank = place_ % at_.size;
    if constexpr (Items == 0) {
      return T(from[rank]);
    } else {
      tessera::items<T, Items> x{};
      for (unsigned i = 0; i < Items; ++i) x[i] = from[striped ? i * at_.size + rank : rank * Items + i];
      return x;
    }
  }
  template <class T>
  T* range() const {
    return memory<T>(a_.range_begin = at_.range_begin(alignof(T)));
  }
  template <class T>
  T* out() const {
    return memory<T>(a_.out_begin = at_.out_begin(alignof(T)));
  }
  template <class T>
  T* memory(unsigned from = 0) const {
    return reinterpret_cast<T*>(a_.memory + place_ / at_.size * at_.size * a_.memory_bytes + from);
  }

 private:
  template <class T>
  T kept(unsigned slot, T const& x, bool same = false) const {
    static_assert(sizeof(T) <= most_bytes);
    std::memcpy(a_.values + slot * a_.slot_bytes + (same ? 0 : thread_ * sizeof(T)), &x, sizeof x);
    return x;
  }

  arguments& a_;
  unsigned thread_, rank_, place_;  // the thread whose values are drawn, and the thread itself
  oracle::draws at_;
};
#endif

/// Stores a lane's result in its cell.
template <class Block, class R>
TESSERA_FN void store(arguments const& a, Block const& block, R const& result, unsigned round = 0) {
  static_assert(sizeof(R) <= cell_bytes && cell_bytes % alignof(R) == 0 && std::is_trivially_copyable_v<R>);
  unsigned char* const cell = a.cells + (round * a.threads + block.thread_rank()) * cell_bytes;
  *reinterpret_cast<R*>(cell) = result;
}

// ---- Parts of a result

template <unsigned N>
TESSERA_FN unsigned count_of(tessera::lane_mask<N> const& x) {
  return x.count();
}
template <unsigned N>
TESSERA_FN unsigned count_of(tessera::peer_group<N> const& x) {
  return x.count();
}
template <class T, unsigned K>
TESSERA_FN T first_of(tessera::items<T, K> const& x) {
  return x[0];
}
template <class T, unsigned K>
TESSERA_FN T last_of(tessera::items<T, K> const& x) {
  return x[K - 1];
}

}  // namespace plain

#if TESSERA_CUDA
#define PLAIN_KERNEL(name, ...) extern "C" __global__ void __VA_ARGS__ name(plain::arguments const a)
#if defined(__CUDACC_DEBUG__)  // without optimizations a lane takes many registers
#define PLAIN_BOUNDS(threads) __launch_bounds__(threads)
#else
#define PLAIN_BOUNDS(threads)
#endif
#define PLAIN_BLOCK auto const block = cooperative_groups::this_thread_block()
#define PLAIN_SCRATCH(name, type, threads) __shared__ tessera::scratch<type, threads> name
#else
#define PLAIN_KERNEL(name, ...) static void name(plain::arguments& a, tessera::host::block const& block)
#define PLAIN_BLOCK static_cast<void>(block)
#define PLAIN_SCRATCH(name, type, threads) tessera::host::scratch<type, threads> name(block)
#endif
