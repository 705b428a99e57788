// The shares of an array that the blocks of a kernel read, each element once, and a block's walk over its share.
//
//   | step 0 | step 1 | step 2 | …      for blocks 0, 1, 2, … in turn
//
// A step is the same number of 16-byte vectors for each thread of a block. An operator whose operands can't change
// places gets one run of neighboring elements for each block instead.
#pragma once

#include <tessera/grid/parts/vectors.hpp>
#include <tessera/grid/reduce/reduce_tuning.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The share of each block.
struct even_share {
  unsigned blocks;
  unsigned step;     // vectors; a multiple of the block's threads
  std::int64_t run;  // elements of a block's run
  bool streaming;    // true if full steps are loaded with load_streaming

  /// The steps of a block, in vectors: the first vector of the first step, and the distance from a step to the next.
  struct step_range {
    std::int64_t begin, stride;
  };
  TESSERA_FN step_range steps_of(unsigned which) const {
    return {std::int64_t{which} * step, std::int64_t{blocks} * step};
  }
};

/// The number of blocks that run at once.
constexpr unsigned resident_blocks(int multiprocessors) {
  unsigned const blocks = static_cast<unsigned>(multiprocessors) * reduce_tuning::blocks_per_multiprocessor;
  return blocks < reduce_tuning::most_resident_blocks ? blocks : reduce_tuning::most_resident_blocks;
}

/// The number of reads by In of T that a lane has outstanding, where they may have so many bytes; at least one.
template <class T, class In>
TESSERA_FN constexpr unsigned reads_of(unsigned bytes) {
  if constexpr (tessera::detail::is_zipped_memory<In>) {
    constexpr unsigned size = sizeof(read_vector<T, In>);
    return size < bytes ? bytes / size : 1;
  } else if constexpr (reads_elements<In>) {
    constexpr unsigned size = sizeof(T) < 4 ? 4 : static_cast<unsigned>(sizeof(T)),
                       most = reduce_tuning::bytes_of_readers;
    return size < bytes ? (bytes < most ? bytes : most) / size : 1;
  } else {
    return detail::vectors_of<T>(bytes);
  }
}

/// True if an array is loaded with load_streaming: if the cache has no room for it, and two warps never load parts of
/// one line.
template <class In>
inline bool is_streamed(In const& in, std::int64_t n) {
  if constexpr (reads_elements<In>) {
    return false;
  } else {
    return n > reduce_tuning::cached_bytes / static_cast<std::int64_t>(sizeof(*in)) &&
           reinterpret_cast<std::uintptr_t>(in) % line_bytes == 0;
  }
}

/// The share of each block of an array of any n ≥ 0 elements, with at most `Vectors` vectors for each lane and step.
///
/// No block's run is empty, except block 0's if n is 0. Nor has any block no steps, unless `in` isn't at a multiple
/// of 16 bytes and the last step would be one vector.
template <unsigned Vectors, class In>
inline even_share even_share_of(In const& in, std::int64_t n, int multiprocessors) {
  using tuning = reduce_tuning;
  using T = value_of<In>;
  constexpr std::int64_t V = read_length<T, In>;
  constexpr std::int64_t least = tuning::bytes_per_block / (V * static_cast<std::int64_t>(sizeof(T)));
  constexpr std::int64_t most = tuning::threads * Vectors;
  std::int64_t const vectors = (n + V - 1) / V;
  std::int64_t const resident = detail::resident_blocks(multiprocessors);
  std::int64_t step = (vectors + resident - 1) / resident;
  if (step < least) step = least;
  if (step > most) step = most;
  step = (step + tuning::threads - 1) / tuning::threads * tuning::threads;
  std::int64_t const steps = (n / V + step - 1) / step;
  std::int64_t const blocks = steps < 1 ? 1 : steps < resident ? steps : resident;
  return {static_cast<unsigned>(blocks), static_cast<unsigned>(step), (n + blocks - 1) / blocks,
          detail::is_streamed(in, n)};
}

/// Visits the elements of a block's share, in steps: calls visit(x, index, full) with items x of a lane, of which
/// x[k] is element index + k / V · Threads · V + k % V of the array, V being the elements of a vector (read_length). A
/// lane's indices rise from call to call. `full` is a constant: true if all lanes of the block make this call.
///
/// A full step is loaded and visited in `Parts`, if they divide it: the loads of one part are outstanding while another
/// part is visited. Block 0 visits the elements before the first vector, and the last block those after the last
/// vector.
template <unsigned Threads, unsigned Vectors, unsigned Parts, class Block, class In, class Visit>
TESSERA_FN void visit_share(Block const& block, In const& in, std::int64_t n, even_share const& share, Visit visit) {
  using T = value_of<In>;
  constexpr unsigned V = read_length<T, In>, stride = Threads * V;
  using vector_t = items<T, V>;
  constexpr unsigned parts = Vectors % Parts == 0 ? Parts : 1, part_vectors = Vectors / parts;
  unsigned const rank = block.thread_rank(), which = block.group_index().x;
  auto const r = detail::range_of(in, static_cast<stl::uint64_t>(n));
  if (which == 0 && rank < r.front)
    visit(items<T, 1>{{tessera::detail::read_element(in, rank)}}, static_cast<std::int64_t>(rank), stl::false_type{});

  auto const [begin, step_stride] = share.steps_of(which);
  std::int64_t first = begin;
  auto const end = static_cast<std::int64_t>(r.vectors);
  auto const index_of = [&](std::int64_t step) { return r.front + (step + rank) * V; };
  auto const is_full = [&](std::int64_t step) { return end - step >= share.step && share.step == Threads * Vectors; };
  words<vector_t> loaded[parts][part_vectors];
  auto const load_part = [&](unsigned part, std::int64_t step) {
    In const from =
        tessera::detail::advanced(tessera::detail::advanced(in, index_of(step)), part * part_vectors * stride);
    if (!reads_elements<In> && share.streaming) {
      detail::load_vectors<stride, load_streaming>(r, from, loaded[part]);
    } else {
      detail::load_vectors<stride, load_default>(r, from, loaded[part]);
    }
  };
  bool full = is_full(first);
  if (full) {
    TESSERA_UNROLL
    for (unsigned part = 0; part < parts; ++part) load_part(part, first);
  }
  while (full) {
    std::int64_t const index = index_of(first);
    first += step_stride;
    full = is_full(first);
    TESSERA_UNROLL
    for (unsigned part = 0; part < parts; ++part) {
      visit(detail::elements_of(loaded[part]), index + part * part_vectors * stride, stl::true_type{});
      if (full) load_part(part, first);
    }
  }
  for (; first < end; first += step_stride) {  // steps that aren't full
    std::int64_t const index = index_of(first), left = end - first;
    unsigned const here = left < share.step ? static_cast<unsigned>(left) : share.step;
    auto const exists = [&](unsigned u) { return rank + u * Threads < here; };
    words<vector_t> existing[Vectors];
    detail::load_existing_vectors<stride>(r, tessera::detail::advanced(in, index), exists, existing);
    TESSERA_UNROLL
    for (unsigned u = 0; u < Vectors; ++u) {
      if (exists(u)) visit(detail::from_words<vector_t>(existing[u]), index + u * stride, stl::false_type{});
    }
  }
  if (which == share.blocks - 1 && rank < r.back) {
    std::int64_t const index = static_cast<std::int64_t>(r.back_index()) + rank;
    visit(items<T, 1>{{tessera::detail::read_element(in, index)}}, index, stl::false_type{});
  }
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
