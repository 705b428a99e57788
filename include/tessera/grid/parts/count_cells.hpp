// The agent of histograms: a block counts its part of the array in shared memory, and adds its counts to the totals.
//
//   cells    | cell 0           | cell 1           | …         `copies` counters each, a power of two up to 32
//            | 0  1  2  …    31 | 0  1  2  …    31 |
//   lane l adds to counter l % copies of a cell
//
// With 32 copies every lane has a bank of its own: whatever the values are, a warp's 32 additions meet neither at a
// bank nor at an address. With fewer, lanes with different cells may meet at a bank. Additions to equal cells are
// combined by the hardware.
//
// Source: V. Podlozhnyuk, "Histogram calculation in CUDA", 2007 (sub-histograms in shared memory).
#pragma once

#include <tessera/atomic.hpp>
#include <tessera/core/bits.hpp>
#include <tessera/grid/parts/memory_ops.hpp>
#include <tessera/grid/parts/vectors.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// A block, as the group of lanes that walks a range.
template <unsigned Threads>
struct block_lanes {
  static constexpr unsigned size = Threads;
  unsigned thread;

  TESSERA_FN unsigned rank() const { return thread % Threads; }  // The compiler sees that it is below size.
};

/// Calls visit(x) for each element of this lane's share of part `which` of `parts` of an array.
///
///   vectors   | step 0 | step 1 | step 2 | step 3 | step 4 |    a step: `vectors_in_flight` vectors for each lane
///   part          0        1        2        0        1          part 0 has the array's ends, too
///
/// Blocks that read side by side are 2 % faster (H200) than blocks that each read one long run.
///
/// Twice  whether visit() is compiled twice, once for full steps, whose loads need no condition: 0.7 % faster.
template <bool Twice, class Group, class T, class In, class Visit>
TESSERA_FN void visit_part(Group group, range<T, stl::uint64_t, In> const& all, unsigned which, unsigned parts,
                           Visit visit) {
  constexpr unsigned step = Group::size * tessera::detail::vectors_in_flight<T, In>;
  auto const visit_step = [&](stl::uint64_t before, unsigned vectors) {
    In const first = tessera::detail::advanced(all.first, all.front + before * all.length);
    range<T, unsigned, In> const here{first, vectors, 0, 0, all.aligned};
    tessera::detail::vector_walk<Group, T, unsigned, In>(group, here).step([&](T const& x, unsigned, unsigned) {
      visit(x);
    });
  };
  stl::uint64_t before = stl::uint64_t{which} * step;
  if constexpr (Twice) {
    for (; before + step <= all.vectors; before += stl::uint64_t{parts} * step)
      visit_step(before, step);  // The compiler knows that this step is full.
    if (before < all.vectors) visit_step(before, static_cast<unsigned>(all.vectors - before));
  } else {
    for (; before < all.vectors; before += stl::uint64_t{parts} * step) {
      stl::uint64_t const left = all.vectors - before;
      visit_step(before, left < step ? static_cast<unsigned>(left) : step);
    }
  }
  if (which == 0) {
    tessera::detail::range_ends<Group, T, stl::uint64_t, In> const ends(group, all);
    ends.each([&](T const& x, stl::uint64_t) { visit(x); });
  }
}

/// The cells that a block counts: all, or `size` of them from `begin` on.
struct cell_slice {
  unsigned begin, size;
  unsigned copies;
};

template <class Block>
TESSERA_FN void clear_cells(Block const& block, unsigned* cells, cell_slice const& slice) {
  for (unsigned i = block.thread_rank(); i < slice.size * slice.copies; i += block.size()) cells[i] = 0;
}

/// The cell of an element.
template <class Bins, class T>
TESSERA_FN unsigned cell_of(Bins const& bins, T const& x) {
  auto const at = bins.place(x);
  unsigned const inside = tessera::detail::opaque(at.cell);  // Without this the selection becomes a branch.
  return at.inside ? inside : bins.outside(x);
}

/// Bins whose elements are in several cells each: each_cell(x, count) calls count(cell) for all of them.
template <class Bins>
inline constexpr bool has_several_cells = false;

/// Counts part `which` of `parts` of an array in `cells`.
///
/// Called by  all threads of the block. The caller has barriers before and after.
/// Sliced     whether other blocks count some of the cells of this part's elements.
/// Cost       one atomic addition in shared memory for each element and cell. The part has at most 2^32 − 1 elements.
template <unsigned Threads, bool Sliced, class Block, class T, class In, class Bins>
TESSERA_FN void count_cells(Block const& block, range<T, stl::uint64_t, In> const& all, unsigned which, unsigned parts,
                            Bins const& bins, unsigned* cells, cell_slice const& slice) {
  block_lanes<Threads> const group{block.thread_rank()};
  strided_counters const own(cells + group.rank() % slice.copies, slice.copies);
  auto const count = [&](unsigned cell) {
    if constexpr (Sliced) {
      cell -= slice.begin;
      if (cell >= slice.size) return;
    }
    own.add_one(cell);
  };
  detail::visit_part<!has_several_cells<Bins>>(group, all, which, parts, [&](T const& x) {
    if constexpr (has_several_cells<Bins>) {
      bins.each_cell(x, count);
    } else {
      count(detail::cell_of(bins, x));
    }
  });
}

/// The totals of a histogram: the `counts` of the bins, and those of elements below them, above them and NaN, if
/// the caller wants them. Bin `bins` is below, the next one above, the one after NaN; others aren't counted.
struct totals {
  stl::uint64_t* counts;
  stl::uint64_t* outside;  // three, or null
  unsigned bins;

  TESSERA_FN void add(unsigned bin, unsigned count) const {
    if (bin < bins) {
      tessera::atomic_update(counts + bin, stl::uint64_t{count});
    } else if (outside != nullptr && bin - bins < 3) {
      tessera::atomic_update(outside + (bin - bins), stl::uint64_t{count});
    }
  }
};

/// Sets all totals to 0. Called by a whole warp.
template <class Warp>
TESSERA_FN void clear_totals(Warp const& warp, totals const& out) {
  for (unsigned i = warp.thread_rank(); i < out.bins; i += warp.size()) out.counts[i] = 0;
  if (out.outside != nullptr && warp.thread_rank() < 3) out.outside[warp.thread_rank()] = 0;
}

/// Adds the block's counts to the totals. Lane i takes cells i, i + size, …, from `first` on, so that not all blocks
/// begin with the same cell. It reads the copies in an order that keeps the lanes of a warp at different banks.
template <class Block, class Bins, class Totals>
TESSERA_FN void add_cells(Block const& block, unsigned const* cells, cell_slice const& slice, unsigned first,
                          Bins const& bins, Totals const& to) {
  for (unsigned i = block.thread_rank(); i < slice.size; i += block.size()) {
    unsigned const cell = i + first < slice.size ? i + first : i + first - slice.size;
    unsigned const turn = i * slice.copies / 32;
    unsigned count = 0;
    for (unsigned c = 0; c < slice.copies; ++c) count += cells[cell * slice.copies + (turn + c) % slice.copies];
    if (count != 0) to.add(bins.of_cell(slice.begin + cell), count);
  }
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
