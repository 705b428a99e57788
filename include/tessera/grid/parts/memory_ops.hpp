// Operations on memory that the blocks of a kernel share, and on counters that the warps of a block share. Every
// difference between GPU and host blocks is here, so that agents have none.
//
//   operation                        order with other accesses of the thread
//   load_relaxed, store_relaxed      none: only the word itself is loaded or stored as a whole
//   store_release                    all before it are seen by a thread whose load_acquire sees the word
//   wait_relaxed, wait_acquire       none; all after it see what was written before the store_release, or before the
//                                    fence and the addition, that changed the word
//   fetch_add, fetch_max, exchange,  none: put a fence before, so that others see what was written, and one after, to
//   compare_exchange, count_around,  see what others wrote
//   add_to_global, set_bits,
//   fetch_add_to_shared_if
//   fence, fence_of_block            between accesses before and after it, as the whole GPU or the block sees them
//   barrier_of_block                 all accesses of the block's threads before it are seen by them after it
//   system_memory::…                 as load_relaxed and store_relaxed, as other GPUs and the CPU see them
//
// On the GPU each is one or two instructions, or a loop around one.
//
// Host blocks run one after the other, and the lanes of one take turns, so that a plain access is atomic and in order,
// and nothing changes while a lane waits: a wait is one load.
#pragma once

#include <tessera/core/bits.hpp>
#include <tessera/core/config.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// True if the blocks of a launch run one after the other, as on host tiles, so that no block may wait for another.
inline constexpr bool blocks_take_turns = TESSERA_ARCH == 0;

// ---- Loads and stores of words in global memory.

TESSERA_FN std::uint64_t load_relaxed(std::uint64_t const* from) {
#if TESSERA_ARCH
  std::uint64_t word;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(from) : "memory");
  return word;
#else
  return *from;
#endif
}

TESSERA_FN std::uint32_t load_relaxed(std::uint32_t const* from) {
#if TESSERA_ARCH
  std::uint32_t word;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(word) : "l"(from) : "memory");
  return word;
#else
  return *from;
#endif
}

TESSERA_FN void store_relaxed(std::uint64_t* to, std::uint64_t word) {
#if TESSERA_ARCH
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
#else
  *to = word;
#endif
}
TESSERA_FN void store_relaxed(std::uint32_t* to, std::uint32_t word) {
#if TESSERA_ARCH
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(to), "r"(word) : "memory");
#else
  *to = word;
#endif
}

TESSERA_FN std::uint32_t load_acquire(std::uint32_t const* from) {
#if TESSERA_ARCH
  std::uint32_t word;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(word) : "l"(from) : "memory");
  return word;
#else
  return *from;
#endif
}
TESSERA_FN std::uint64_t load_acquire(std::uint64_t const* from) {
#if TESSERA_ARCH
  std::uint64_t word;
  asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(from) : "memory");
  return word;
#else
  return *from;
#endif
}

TESSERA_FN void store_release(std::uint32_t* to, std::uint32_t word) {
#if TESSERA_ARCH
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(to), "r"(word) : "memory");
#else
  *to = word;
#endif
}

// ---- Waiting for a word that another block stores.

/// Loads a word until is_reached(word) is true. Returns it. On host tiles it loads once.
template <class Word, class Predicate>
TESSERA_FN Word wait_relaxed(Word const* from, Predicate is_reached) {
  Word word;
  do {
    word = detail::load_relaxed(from);
  } while (!is_reached(word) && !blocks_take_turns);
  return word;
}

/// Waits as wait_relaxed does, and then also sees all that was written before the word changed.
template <class Word, class Predicate>
TESSERA_FN Word wait_acquire(Word const* from, Predicate is_reached) {
  Word word;
  do {
    word = detail::load_acquire(from);
  } while (!is_reached(word) && !blocks_take_turns);
  return word;
}

// ---- Atomic updates. Each returns the previous value, but for add_to_global and set_bits.

/// Adds x to a word of global or shared memory.
TESSERA_FN std::uint32_t fetch_add(std::uint32_t* cell, std::uint32_t x) {
#if TESSERA_ARCH
  return atomicAdd(cell, x);
#else
  std::uint32_t const held = *cell;
  *cell = held + x;
  return held;
#endif
}
TESSERA_FN std::uint64_t fetch_add(std::uint64_t* cell, std::uint64_t x) {
#if TESSERA_ARCH
  return atomicAdd(reinterpret_cast<unsigned long long*>(cell), static_cast<unsigned long long>(x));
#else
  std::uint64_t const held = *cell;
  *cell = held + x;
  return held;
#endif
}

TESSERA_FN std::uint64_t fetch_max(std::uint64_t* cell, std::uint64_t x) {
#if TESSERA_ARCH
  return atomicMax(reinterpret_cast<unsigned long long*>(cell), static_cast<unsigned long long>(x));
#else
  std::uint64_t const held = *cell;
  if (held < x) *cell = x;
  return held;
#endif
}

TESSERA_FN std::uint32_t exchange(std::uint32_t* cell, std::uint32_t x) {
#if TESSERA_ARCH
  return atomicExch(cell, x);
#else
  std::uint32_t const held = *cell;
  *cell = x;
  return held;
#endif
}

/// Stores x if the word is `expected`.
TESSERA_FN std::uint64_t compare_exchange(std::uint64_t* cell, std::uint64_t expected, std::uint64_t x) {
#if TESSERA_ARCH
  return atomicCAS(reinterpret_cast<unsigned long long*>(cell), static_cast<unsigned long long>(expected),
                   static_cast<unsigned long long>(x));
#else
  std::uint64_t const held = *cell;
  if (held == expected) *cell = x;
  return held;
#endif
}

/// Counts from 0 to `last`, and from there to 0 again.
TESSERA_FN std::uint32_t count_around(std::uint32_t* cell, std::uint32_t last) {
#if TESSERA_ARCH
  return atomicInc(cell, last);
#else
  std::uint32_t const held = *cell;
  *cell = held >= last ? 0 : held + 1;
  return held;
#endif
}

/// Adds x to a word of shared memory if `adds`, without a branch. Returns the previous value, or 0.
TESSERA_FN std::uint32_t fetch_add_to_shared_if(bool adds, std::uint32_t* cell, std::uint32_t x) {
#if TESSERA_ARCH
  std::uint32_t held;
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; mov.u32 %0, 0; @p atom.shared.add.u32 %0, [%2], %3; }"
               : "=&r"(held)
               : "r"(static_cast<unsigned>(adds)), "r"(static_cast<unsigned>(__cvta_generic_to_shared(cell))), "r"(x)
               : "memory");
  return held;
#else
  return adds ? detail::fetch_add(cell, x) : 0;
#endif
}

/// Adds x to a word of global memory, and waits for nothing.
TESSERA_FN void add_to_global(std::uint32_t* cell, std::uint32_t x) {
#if TESSERA_ARCH
  asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(cell), "r"(x) : "memory");
#else
  *cell += x;
#endif
}

TESSERA_FN void add_to_global(std::uint64_t* cell, std::uint64_t x) {
#if TESSERA_ARCH
  asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" ::"l"(cell), "l"(x) : "memory");
#else
  *cell += x;
#endif
}

/// Sets bits of a word of global or shared memory, and waits for nothing.
TESSERA_FN void set_bits(std::uint32_t* cell, std::uint32_t bits) {
#if TESSERA_ARCH
  atomicOr(cell, bits);
#else
  *cell |= bits;
#endif
}

// ---- Fences.

TESSERA_FN void fence() {
#if TESSERA_ARCH
  __threadfence();
#endif
}
TESSERA_FN void fence_of_block() {
#if TESSERA_ARCH
  __threadfence_block();
#endif
}

// ---- The block's barrier.

/// Waits for all threads of the block, whose barrier 0 this is, by `barrier.sync` as cooperative_groups does: warps may
/// wait at different instructions, which `synccheck` would report for `bar.sync`, that is for `__syncthreads()`. But
/// ptxas with -O0 or -Ofast-compile lets threads of a diverged warp pass `barrier.sync` before all of their warp have
/// come. So each warp meets first.
///
/// Called by  all threads of the block; all of a warp at one place
template <class Block>
TESSERA_FN void barrier_of_block([[maybe_unused]] Block const& block) {
#if TESSERA_ARCH
  __syncwarp();
  asm volatile("barrier.sync 0;" ::: "memory");
#else
  block.sync();
#endif
}

// ---- Between GPUs.

/// Words that other GPUs and the CPU store and load. As a type: in tests, CPU threads take the place of GPUs.
struct system_memory {
  TESSERA_FN static void store_relaxed(std::uint64_t* to, std::uint64_t word) {
#if TESSERA_ARCH
    asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
#else
    *to = word;
#endif
  }
  TESSERA_FN static std::uint64_t load_relaxed(std::uint64_t const* from) {
#if TESSERA_ARCH
    std::uint64_t word;
    asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(word) : "l"(from) : "memory");
    return word;
#else
    return *from;
#endif
  }
  TESSERA_FN static std::uint32_t load_relaxed(std::uint32_t const* from) {
#if TESSERA_ARCH
    std::uint32_t word;
    asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(word) : "l"(from) : "memory");
    return word;
#else
    return *from;
#endif
  }
};

// ---- Counters of a block.

/// Every stride-th of the counters in shared memory from `first` on, as one lane adds to them.
class strided_counters {
 public:
  TESSERA_FN strided_counters(unsigned* first, unsigned stride) {
#if TESSERA_ARCH
    // The address is a number, so that an addition is two instructions: else a pointer is computed for each.
    first_ = tessera::detail::opaque(static_cast<unsigned>(__cvta_generic_to_shared(first)));
    stride_ = stride * static_cast<unsigned>(sizeof(unsigned));
#else
    first_ = first;
    stride_ = stride;
#endif
  }

  /// Adds 1 to counter i, atomically.
  TESSERA_FN void add_one(unsigned i) const {
#if TESSERA_ARCH
    asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(first_ + i * stride_) : "memory");
#else
    ++first_[static_cast<stl::size_t>(i) * stride_];
#endif
  }

 private:
#if TESSERA_ARCH
  unsigned first_;  // an address
#else
  unsigned* first_;
#endif
  unsigned stride_;  // in bytes on the GPU
};

/// A block's shared memory, by addresses: numbers, so that a step from one edge to the next is one addition.
class shared_memory {
 public:
  TESSERA_FN explicit shared_memory(unsigned* memory) : words_(memory) {}

  /// The address of the first byte.
  TESSERA_FN unsigned begin() const {
#if TESSERA_ARCH
    return static_cast<unsigned>(__cvta_generic_to_shared(words_));
#else
    return 0;
#endif
  }
  template <class T>
  TESSERA_FN T load(unsigned address) const {
    T x;
#if TESSERA_ARCH
    using bits = typename tessera::detail::unsigned_of<sizeof(T)>::type;
    bits loaded;
    if constexpr (sizeof(T) == 8) {
      asm volatile("ld.shared.u64 %0, [%1];" : "=l"(loaded) : "r"(address));
    } else {
      asm volatile("ld.shared.u32 %0, [%1];" : "=r"(loaded) : "r"(address));
    }
    x = tessera::detail::from_bits<T>(loaded);
#else
    tessera::detail::copy_bytes(TESSERA_ADDRESS_OF(x), reinterpret_cast<unsigned char const*>(words_) + address,
                                sizeof(T));
#endif
    return x;
  }
  /// Adds 1 to a counter, atomically.
  TESSERA_FN void add_one(unsigned address) const {
#if TESSERA_ARCH
    asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(address) : "memory");
#else
    ++words_[address / 4];
#endif
  }

 private:
  unsigned* words_;
};

/// Hides from the compiler how p, a pointer into global memory, was computed: so that it isn't computed again at each
/// use.
template <class T>
TESSERA_FN T* opaque_pointer(T* p) {
#if TESSERA_ARCH
  auto address = __cvta_generic_to_global(p);
  asm("" : "+l"(address));
  return static_cast<T*>(__cvta_global_to_generic(address));
#else
  return p;
#endif
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
