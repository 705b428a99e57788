// Small values handed from every block of a grid to one: each 32-bit word in a 64-bit one whose upper half says that
// it is there.
//
//   slot      block 0 | block 1 | …        1 ‖ bits of the value; 0 before the kernel, and after it
//
// A block neither waits for its store nor counts itself in, as it does in arrival.hpp: whoever collects looks until
// all is there. On an H200 a sum of 2^18 floats takes 2.4 µs so, 3.2 by arrival (kernels of one graph). The block
// with the highest number collects: all others have been started before it, and none of them waits.
#pragma once

#include <tessera/detail/words.hpp>

#include <cstdint>

namespace tessera::grid::detail {

/// Whether values of R go through slots: four words at most.
template <class R>
inline constexpr bool fits_slots = sizeof(R) <= 16;

#if TESSERA_CUDA

/// Called by one thread of block `which`.
template <class R>
__device__ __forceinline__ void post(std::uint64_t* slots, unsigned which, R const& x) {
  constexpr unsigned count = tessera::detail::word_count<R>;
  auto const w = tessera::detail::to_words(x);
  TESSERA_UNROLL
  for (unsigned i = 0; i < count; ++i) {
    std::uint64_t const word = std::uint64_t{1} << 32 | w.word[i];
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(slots + which * count + i), "l"(word)
                 : "memory");
  }
}

__device__ __forceinline__ std::uint64_t look_at(std::uint64_t const* slot) {
  std::uint64_t word;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(slot) : "memory");
  return word;
}

/// visit(value) of what blocks begin … end − 1, at most Most, have posted, in their order. Looks at all of them before
/// it waits for one, and then at all words of that one at a time.
template <unsigned Most, class R, class Visit>
__device__ __forceinline__ void collect(std::uint64_t* slots, unsigned begin, unsigned end, Visit visit) {
  constexpr unsigned count = tessera::detail::word_count<R>;
  std::uint64_t seen[Most][count];
  auto const look = [&](unsigned b) {
    TESSERA_UNROLL
    for (unsigned i = 0; i < count; ++i) seen[b][i] = look_at(slots + (begin + b) * count + i);
  };
  TESSERA_UNROLL
  for (unsigned b = 0; b < Most; ++b) {
    if (begin + b < end) look(b);
  }
  TESSERA_UNROLL
  for (unsigned b = 0; b < Most; ++b) {
    if (begin + b >= end) break;
    auto const is_there = [&] {
      bool all = true;
      TESSERA_UNROLL
      for (unsigned i = 0; i < count; ++i) all = all && seen[b][i] != 0;
      return all;
    };
    while (!is_there()) look(b);
    tessera::detail::words<R> w{};
    TESSERA_UNROLL
    for (unsigned i = 0; i < count; ++i) {
      w.word[i] = static_cast<std::uint32_t>(seen[b][i]);
      asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(slots + (begin + b) * count + i),
                   "l"(std::uint64_t{0})
                   : "memory");
    }
    visit(tessera::detail::from_words<R>(w));
  }
}

#endif

}  // namespace tessera::grid::detail
