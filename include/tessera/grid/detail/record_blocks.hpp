// argmin and argmax of long arrays of small elements: many blocks of a few steps improve one record.
//
//   record    the best value's place in the order and its index, as one 64-bit word: an atomic minimum, in any order
//   block     knows the record as it was when its first loads were on their way: seldom finds better, and where it
//             doesn't, it neither looks for an index nor posts anything
//
// The word is kept as its complement, so that 0 is no record. All blocks before the last one count themselves in; that
// one, which is started when all others have been, waits for them. On host tiles, which take turns, the last to arrive
// goes on.
#pragma once

#include <tessera/block_tile.hpp>
#include <tessera/detail/ranges.hpp>
#include <tessera/detail/redux_indexed.hpp>
#include <tessera/grid/detail/arrival.hpp>
#include <tessera/grid/detail/reduce_blocks.hpp>
#include <tessera/grid/detail/reduce_tuning.hpp>
#include <tessera/grid/detail/slots.hpp>
#include <tessera/reduce.hpp>

#include <cstdint>

namespace tessera::grid::detail {

/// Whether a record holds the place and the index of any of n elements of T.
template <class T>
constexpr bool fits_record(std::int64_t n) {
  return sizeof(T) <= 4 && n <= UINT32_MAX;
}

/// What the blocks of a kernel share, 0 before and after it.
struct shared_record {
  std::uint64_t* complement;
  unsigned* counter;

  TESSERA_FN std::uint64_t now() const {
#if TESSERA_ARCH
    return ~look_at(complement);
#else
    return ~*complement;
#endif
  }
  TESSERA_FN void improve(std::uint64_t record) const {
#if TESSERA_ARCH
    atomicMax(reinterpret_cast<unsigned long long*>(complement), static_cast<unsigned long long>(~record));
    __threadfence();  // before this block counts itself in
#else
    if (record < now()) *complement = ~record;
#endif
  }
  /// Called by one thread of each block: true in the block that goes on, when all are in.
  TESSERA_FN bool count_in([[maybe_unused]] unsigned which, unsigned blocks) const {
#if TESSERA_ARCH
    if (which != blocks - 1) {
      asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(counter) : "memory");
      return false;
    }
    unsigned in = 0;
    do {
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(in) : "l"(counter) : "memory");
    } while (in != blocks - 1);
    *counter = 0;
    return true;
#else
    return is_last_arrival(counter, blocks);
#endif
  }
};

/// The vectors of a lane: vector u begins at first + u · Apart, and is `worst` where there is none. has(u): whether there is.
template <unsigned Vectors, unsigned Apart, class T, class Count, class Has>
TESSERA_FN auto load_step(range<T, Count> const& r, T const* first, bool whole, bool once, Has has,
                          T const& worst) {
  words<vector<T>> loaded[Vectors];
  auto const load_as = [&](auto how) {
    TESSERA_UNROLL
    for (unsigned u = 0; u < Vectors; ++u) loaded[u] = r.template load_vector<how.value>(first + u * Apart);
  };
  if (whole && once) {
    load_as(stl::integral_constant<wanted, wanted::once>{});
  } else if (whole) {
    load_as(stl::integral_constant<wanted, wanted::as_usual>{});
  } else {
    vector<T> nothing;
    TESSERA_UNROLL
    for (unsigned k = 0; k < vector_length<T>; ++k) nothing[k] = worst;
    TESSERA_UNROLL
    for (unsigned u = 0; u < Vectors; ++u) {
      loaded[u] = to_words(nothing);
      if (has(u)) loaded[u] = r.load_vector(first + u * Apart);
    }
  }
  words<items<T, Vectors * vector_length<T>>> all;
  copy_bytes(all.word, loaded, sizeof(all));
  return from_words<items<T, Vectors * vector_length<T>>>(all);
}

/// How an array is cut: a step is so many vectors for each thread of a block, and a block has so many steps in a row.
struct record_cut {
  unsigned blocks, steps_a_block, steps;
  bool once;  // whether whole steps are loaded so
};

/// Of more than no elements.
template <unsigned Threads, unsigned Vectors, class T>
inline record_cut cut_for_record(T const* in, std::int64_t n, std::int64_t places) {
  constexpr std::int64_t step = Threads * Vectors * vector_length<T>;
  std::int64_t const steps = (n + step - 1) / step;
  std::int64_t each = steps / places;
  if (each > reduce_tuning::most_record_steps) each = reduce_tuning::most_record_steps;
  if (each < 1) each = 1;
  return {static_cast<unsigned>((steps + each - 1) / each), static_cast<unsigned>(each),
          static_cast<unsigned>(steps), is_wanted_once(in, n)};
}

/// Called by     all threads of a block of Threads, in a grid of cut.blocks.
/// known         shared by the block.
/// Cost          each element is read once; for each step a `reduce` of the block, of one word, and for one that improves
///               the record one more.
template <class Arg, unsigned Threads, unsigned Vectors, class Block, class T>
TESSERA_FN void improve_record(Block const& block, T const* in, std::int64_t n, record_cut const& cut,
                               std::uint64_t& known, shared_record const& shared,
                               indexed<T, std::int64_t>* out) {
  static_assert(Threads > 32, "A warp has no barrier, behind which all threads know the record.");
  constexpr bool greatest = stl::is_same_v<Arg, tessera::argmax>;
  using extreme_t = stl::conditional_t<greatest, maximum, minimum>;
  constexpr unsigned V = vector_length<T>, step_vectors = Threads * Vectors;
  auto const tile = tessera::this_block_tile<Threads>(block);
  unsigned const rank = block.thread_rank(), which = block.group_index().x;
  auto const r = range_of(in, static_cast<stl::uint64_t>(n));

  std::uint64_t record = ~std::uint64_t{0};  // the best that this block knows
  bool improved = false;
  for (unsigned i = 0; i < cut.steps_a_block; ++i) {
    unsigned const step = which * cut.steps_a_block + i;
    if (step >= cut.steps) break;
    std::int64_t const begin = std::int64_t{step} * step_vectors,
                       left = static_cast<std::int64_t>(r.vectors) - begin;
    unsigned const here = left >= step_vectors ? step_vectors : left > 0 ? static_cast<unsigned>(left) : 0;
    auto const first = static_cast<std::uint32_t>(r.front + (begin + rank) * V);  // index of this lane's
    auto const has = [&](unsigned u) { return rank + u * Threads < here; };
    auto const x = load_step<Vectors, Threads * V>(r, in + first, here == step_vectors, cut.once, has,
                                                   operator_traits<extreme_t, T>::identity(extreme_t{}));
    // Elements at the array's ends, which fill no vector.
    auto const each_end = [&](auto visit) {
      if (step == 0 && rank < r.front) visit(rank);
      if (step == cut.steps - 1 && rank < r.back) visit(static_cast<std::uint32_t>(r.back_index()) + rank);
    };
    if (i == 0 && rank == 0) known = shared.now();

    auto tree = x;
    T const extreme = combine_tree(tree, extreme_t{});
    stl::uint32_t place = ordered_key<greatest>(extreme);
    each_end([&](std::uint32_t at) { place = minimum{}(place, ordered_key<greatest>(in[at])); });
    stl::uint32_t const best = tessera::reduce(tile, place, minimum{});
    if (i == 0) record = known;
    auto const lowest = step == 0 ? 0 : static_cast<std::uint32_t>(r.front + begin * V);
    if ((std::uint64_t{best} << 32 | lowest) < record) {
      std::uint32_t index = UINT32_MAX;
      if (place == best) {
        TESSERA_UNROLL
        for (unsigned k = Vectors * V; k-- > 0;) {
          bool const is_it = x[k] == extreme || is_nan(x[k]);  // where there is a NaN, it is one
          if (is_it && has(k / V)) index = first + k / V * Threads * V + k % V;
        }
        if (ordered_key<greatest>(extreme) != best) index = UINT32_MAX;
        each_end([&](std::uint32_t at) {
          if (ordered_key<greatest>(in[at]) == best) index = minimum{}(index, at);
        });
      }
      record = std::uint64_t{best} << 32 | tessera::reduce(tile, index, minimum{});
      improved = true;
    }
  }

  if (rank != 0) return;
  if (improved) shared.improve(record);
  if (shared.count_in(which, cut.blocks)) {
    record = shared.now();
    auto const index = static_cast<std::uint32_t>(record);
    T value = number_of_key<greatest, T>(static_cast<std::uint32_t>(record >> 32));
    if (value == T{} || is_nan(value)) value = in[index];  // these share a place
    *out = {value, index};
    *shared.complement = 0;
  }
}

}  // namespace tessera::grid::detail
