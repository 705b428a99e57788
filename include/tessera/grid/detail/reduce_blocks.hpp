// An array reduced by the blocks of one kernel; one of them combines what all have found.
//
//   array      | step 0 | step 1 | step 2 | step 3 | step 4 |    a step: some loads of 16 bytes for each lane
//   block          0        1        2        0        1         where operands may change places; else one run each
//   one block  what blocks 0, 1, 2 have found → out              in this order, whoever is ready first
//
// What a lane finds, `Own` says: own.get<Threads>(block, in, n, cut) is its value; those of a block's lanes, combined in
// their order, are the block's. `Own::bytes<T>` are those of a step for each lane.
#pragma once

#include <tessera/block_tile.hpp>
#include <tessera/detail/ranges.hpp>
#include <tessera/grid/detail/arrival.hpp>
#include <tessera/grid/detail/reduce_tuning.hpp>
#include <tessera/grid/detail/slots.hpp>
#include <tessera/joint_reduce.hpp>
#include <tessera/reduce.hpp>
#include <tessera/vote.hpp>

#include <cstdint>

namespace tessera::grid::detail {

using namespace tessera::detail;

/// The vectors of T in so many bytes.
template <class T>
TESSERA_FN constexpr unsigned vectors_of(unsigned bytes) {
  return sizeof(vector<T>) < bytes ? bytes / static_cast<unsigned>(sizeof(vector<T>)) : 1;
}

/// How an array is cut: into steps of this many 16-byte vectors for all lanes of a block, or into one run a block.
///
///   | step 0 | step 1 | step 2 | …  | piece of 4 units | … | 2 units | … | 1 unit | …
///     in turn to blocks that stay    a block each, which begins where one has ended: so that all end at one time
///
/// Source: C. D. Polychronopoulos, D. J. Kuck, "Guided self-scheduling", 1987; here the GPU deals out the pieces.
struct array_cut {
  unsigned blocks;
  unsigned staying;    // the first blocks, and how many there are with a piece of each size
  unsigned step;       // vectors; a multiple of the block's threads
  unsigned unit;       // steps of the smallest pieces; 0 where there are none
  std::int64_t dealt;  // vectors dealt out in turn
  std::int64_t run;    // elements
  bool once;           // whether whole steps are loaded so

  /// The steps of a block: the vector that its first one starts with, where they end, and how far apart they are.
  struct some_steps {
    std::int64_t begin, end, stride;
  };
  TESSERA_FN some_steps steps_of(unsigned which) const {
    if (which < staying)
      return {static_cast<std::int64_t>(which) * step, dealt, static_cast<std::int64_t>(staying) * step};
    constexpr unsigned largest = 1u << (reduce_tuning::piece_sizes - 1);
    unsigned const units = largest >> (which / staying - 1);  // of this block's piece
    std::int64_t const before =
        static_cast<std::int64_t>(2 * (largest - units)) * staying + which % staying * units;
    std::int64_t const vectors = static_cast<std::int64_t>(unit) * step, begin = dealt + before * vectors;
    return {begin, begin + units * vectors, step};
  }
};

/// Whether blocks with pieces can hand on values of R: there are two slots for each then.
template <class R>
inline constexpr bool fits_pieces = word_count<R> <= 2;

/// Blocks that run at once.
constexpr unsigned most_places(int multiprocessors) {
  unsigned const places = static_cast<unsigned>(multiprocessors) * reduce_tuning::blocks_a_multiprocessor;
  return places < reduce_tuning::most_places ? places : reduce_tuning::most_places;
}

/// Whether the cache had better keep something else: of an array that it has no room for, whose lines aren't shared by
/// loads of two warps.
template <class T>
inline bool is_wanted_once(T const* in, std::int64_t n) {
  return n > reduce_tuning::cached_bytes / static_cast<std::int64_t>(sizeof(T)) &&
         reinterpret_cast<std::uintptr_t>(in) % line_bytes == 0;
}

/// Any n from 0 on. Every block has a run that isn't empty, but block 0 where n is 0; and a step, but where `in` lies off
/// 16 bytes and the last one is of one vector. `Vectors` a lane and step, at most; pieces only where they are asked for,
/// of arrays that are long enough.
template <unsigned Vectors, class T>
inline array_cut cut_array(T const* in, std::int64_t n, int multiprocessors, bool in_pieces) {
  using tuning = reduce_tuning;
  constexpr std::int64_t V = vector_length<T>;
  constexpr std::int64_t least = tuning::bytes_a_block / (V * static_cast<std::int64_t>(sizeof(T)));
  constexpr std::int64_t most = tuning::threads * Vectors;
  std::int64_t const vectors = (n + V - 1) / V;
  std::int64_t const places = most_places(multiprocessors);
  std::int64_t step = (vectors + places - 1) / places;
  if (step < least) step = least;
  if (step > most) step = most;
  step = (step + tuning::threads - 1) / tuning::threads * tuning::threads;
  std::int64_t const steps = (n / V + step - 1) / step;
  std::int64_t const staying = steps < 1 ? 1 : steps < places ? steps : places;
  std::int64_t const unit = in_pieces ? steps / places / tuning::steps_a_unit : 0;
  std::int64_t const blocks = unit > 0 ? places * (1 + tuning::piece_sizes) : staying;
  std::int64_t const units = (1 << tuning::piece_sizes) - 1;  // 4 + 2 + 1, say, for each place
  return {static_cast<unsigned>(blocks), static_cast<unsigned>(staying),         static_cast<unsigned>(step),
          static_cast<unsigned>(unit),   (steps - places * units * unit) * step, (n + blocks - 1) / blocks,
          is_wanted_once(in, n)};
}

/// The elements that a block has of an array, in steps: calls visit(x, index, whole) with items x of a lane, of which x[k]
/// is element index + k / V · Threads · V + k % V of the array, V being the elements of a vector. Indices rise from call
/// to call, any lane's. `whole` is a constant: whether all lanes of the block make this call.
///
/// A whole step is visited in `Parts`, where they divide it: one part's loads are on their way while another is visited.
template <unsigned Threads, unsigned Vectors, unsigned Parts, class Block, class T, class Visit>
TESSERA_FN void visit_steps(Block const& block, T const* in, std::int64_t n, array_cut const& cut,
                            Visit visit) {
  constexpr unsigned V = vector_length<T>, parts = Vectors % Parts == 0 ? Parts : 1, U = Vectors / parts;
  unsigned const rank = block.thread_rank(), which = block.group_index().x;
  auto const r = range_of(in, static_cast<stl::uint64_t>(n));
  if (which == 0 && rank < r.front)
    visit(items<T, 1>{{in[rank]}}, static_cast<std::int64_t>(rank), stl::false_type{});

  auto const [begin, last, stride] = cut.steps_of(which);
  std::int64_t first = begin, end = static_cast<std::int64_t>(r.vectors);
  if (end > last) end = last;
  auto const index_of = [&](std::int64_t step) { return r.front + (step + rank) * V; };
  auto const is_whole = [&](std::int64_t step) {
    return end - step >= cut.step && cut.step == Threads * Vectors;
  };
  words<vector<T>> loaded[parts][U];
  auto const load = [&](unsigned part, std::int64_t step) {
    T const* const from = in + index_of(step) + part * U * Threads * V;
    auto const load_as = [&](auto how) {
      TESSERA_UNROLL
      for (unsigned u = 0; u < U; ++u)
        loaded[part][u] = r.template load_vector<how.value>(from + u * Threads * V);
    };
    if (cut.once) {
      load_as(stl::integral_constant<wanted, wanted::once>{});
    } else {
      load_as(stl::integral_constant<wanted, wanted::as_usual>{});
    }
  };
  bool whole = is_whole(first);
  if (whole) {
    TESSERA_UNROLL
    for (unsigned part = 0; part < parts; ++part) load(part, first);
  }
  while (whole) {
    std::int64_t const index = index_of(first);
    first += stride;
    whole = is_whole(first);
    TESSERA_UNROLL
    for (unsigned part = 0; part < parts; ++part) {
      words<items<T, U * V>> here;
      if constexpr (sizeof(vector<T>) % 4 == 0) {
        copy_bytes(here.word, loaded[part], sizeof(here));
      } else {  // they don't fill their words
        auto* const bytes = reinterpret_cast<unsigned char*>(here.word);
        TESSERA_UNROLL
        for (unsigned u = 0; u < U; ++u)
          copy_bytes(bytes + u * sizeof(vector<T>), loaded[part][u].word, sizeof(vector<T>));
      }
      visit(from_words<items<T, U * V>>(here), index + part * U * Threads * V, stl::true_type{});
      if (whole) load(part, first);
    }
  }
  for (; first < end; first += stride) {  // less than a whole step
    std::int64_t const index = index_of(first), left = end - first;
    unsigned const here = left < cut.step ? static_cast<unsigned>(left) : cut.step;
    words<vector<T>> some[Vectors];
    TESSERA_UNROLL
    for (unsigned u = 0; u < Vectors; ++u) {
      if (rank + u * Threads < here) some[u] = r.load_vector(in + index + u * Threads * V);
    }
    TESSERA_UNROLL
    for (unsigned u = 0; u < Vectors; ++u) {
      if (rank + u * Threads < here)
        visit(from_words<vector<T>>(some[u]), index + u * Threads * V, stl::false_type{});
    }
  }
  if (which == cut.blocks - 1 && rank < r.back) {
    std::int64_t const index = static_cast<std::int64_t>(r.back_index()) + rank;
    visit(items<T, 1>{{in[index]}}, index, stl::false_type{});
  }
}

/// f of all elements combined by an operator: its results are of type R.
template <class R, class Op, class F>
struct own_of_operator {
  /// Fewer of elements of 16 bits and less, which aren't widened, and of results of 16 bytes: else registers spill.
  template <class T>
  static constexpr unsigned bytes = sizeof(R) > 8                   ? reduce_tuning::bytes / 2
                                    : sizeof(T) >= 4 || is_float<R> ? reduce_tuning::bytes
                                                                    : reduce_tuning::bytes / 4;
  /// Not where each block has a run.
  static constexpr bool in_pieces = operator_traits<Op, R>::commutative && fits_pieces<R>;
  Op op;
  F f;

  template <unsigned Threads, class Block, class T>
  TESSERA_FN R get(Block const& block, T const* in, std::int64_t n, array_cut const& cut) const {
    require_function<Block, std::int64_t, F, T>();
    auto const value = [&](T const& x, std::int64_t index) {
      return static_cast<R>(apply<std::int64_t>(f, x, index));
    };
    if constexpr (operator_traits<Op, R>::commutative) {
      return reduce_steps<Threads>(block, in, n, cut, value);
    } else {
      return reduce_run<Threads>(block, in, n, cut, value);
    }
  }

 private:
  template <unsigned Threads, class Block, class T, class Value>
  TESSERA_FN R reduce_steps(Block const& block, T const* in, std::int64_t n, array_cut const& cut,
                            Value value) const {
    constexpr unsigned V = vector_length<T>, A = accumulator_count<T, R>();
    auto sums = from_words<items<R, A>>({});
    TESSERA_UNROLL
    for (unsigned a = 0; a < A; ++a) sums[a] = neutral_element<operator_traits<Op, R>, R, Op>::get(op);
    auto const add = [&](auto const& x, std::int64_t index, auto) {
      TESSERA_UNROLL
      for (unsigned k = 0; k < x.size(); ++k)
        sums[k % A] = static_cast<R>(op(sums[k % A], value(x[k], index + k / V * Threads * V + k % V)));
    };
    visit_steps<Threads, vectors_of<T>(bytes<T>), 2>(block, in, n, cut, add);
    return combine_tree(sums, op);
  }

  /// In order: each warp takes a part of the block's run.
  template <unsigned Threads, class Block, class T, class Value>
  TESSERA_FN R reduce_run(Block const& block, T const* in, std::int64_t n, array_cut const& cut,
                          Value value) const {
    constexpr unsigned warps = Threads / 32;
    auto const warp = tessera::tiled_partition<32>(block);
    std::int64_t const begin = block.group_index().x * cut.run;
    std::int64_t const in_run = n - begin < cut.run ? n - begin : cut.run;
    std::int64_t const part = (in_run + warps - 1) / warps;
    std::int64_t const from = begin + block.thread_rank() / 32 * part;
    std::int64_t const left = begin + in_run - from;
    auto const of_part = [&](T const& x, std::int64_t index) { return value(x, from + index); };
    R const own = tessera::joint_transform_reduce(warp, in + from, left < part ? left : part, op, of_part,
                                                  tessera::converged);
    // A warp without elements has the identity, which may turn what others have into something else: −0 into +0.
    bool const has_own = warp.thread_rank() == 0 && left > 0;
    return select(has_own, own, neutral_element<operator_traits<Op, R>, R, Op>::get(op));
  }
};

/// What blocks hand to the one that combines it: memory that a kernel's blocks share.
template <class R>
struct shared_parts {
  R* parts;              // one a block, where they don't fit slots
  unsigned* counter;     // 0 before the kernel, and after it
  std::uint64_t* slots;  // so are these: one a block and word
};

/// A block's value, which its leader has, handed to the block that combines all of them: true in that one. Called by all
/// threads.
template <class Tile, class R>
TESSERA_FN bool hand_on(Tile const& tile, unsigned which, unsigned blocks, R const& mine,
                        shared_parts<R> const& shared) {
  bool const leads = tile.thread_rank() == 0;
  if constexpr (TESSERA_ARCH != 0 && fits_slots<R>) {
#if TESSERA_ARCH
    if (leads) post(shared.slots, which, mine);
#endif
    return which == blocks - 1;
  } else {
    bool last = false;
    if (leads) {
      shared.parts[which] = mine;
      last = is_last_arrival(shared.counter, blocks);
    }
    return tessera::any_of(tile, last);
  }
}

/// A lane's share of all blocks' values, in the block that combines them: some in a row.
template <unsigned Threads, class R, class Op>
TESSERA_FN R collect_share(unsigned rank, unsigned blocks, Op const& op, shared_parts<R> const& shared) {
  unsigned const each = (blocks + Threads - 1) / Threads, begin = rank * each;
  unsigned const end = begin + each < blocks ? begin + each : blocks;
  R own = neutral_element<operator_traits<Op, R>, R, Op>::get(op);
  if constexpr (TESSERA_ARCH != 0 && fits_slots<R>) {
#if TESSERA_ARCH
    constexpr unsigned most_blocks = fits_pieces<R> ? reduce_tuning::most_blocks : reduce_tuning::most_places;
    constexpr unsigned most = (most_blocks + Threads - 1) / Threads;
    collect<most, R>(shared.slots, begin, end, [&](R const& x) { own = static_cast<R>(op(own, x)); });
#endif
  } else {
    for (unsigned i = begin; i < end; ++i) own = static_cast<R>(op(own, shared.parts[i]));
  }
  return own;
}

/// Called by     all threads of a block of Threads, in a grid of cut.blocks.
/// Cost          each element is read once; a block one `reduce`, and what hands its result on; one block one more.
template <unsigned Threads, class Block, class T, class Own, class Op, class R, class Out>
TESSERA_FN void reduce_blocks(Block const& block, T const* in, std::int64_t n, array_cut const& cut,
                              Own const& own, Op const& op, shared_parts<R> const& shared, Out* out) {
  auto const tile = tessera::this_block_tile<Threads>(block);
  unsigned const rank = block.thread_rank(), which = block.group_index().x;
  R mine = own.template get<Threads>(block, in, n, cut);
  TESSERA_LOOP  // by the second time its instructions are in the cache
      for (bool of_all = cut.blocks == 1;; of_all = true) {
    R const all = tessera::reduce(tile, mine, op, tessera::to_leader);
    if (of_all) {
      if (rank == 0)
        *out = tessera::detail::convert<Out>(
            select(n == 0, static_cast<R>(operator_traits<Op, R>::identity(op)), all));
      return;
    }
    if (!hand_on(tile, which, cut.blocks, all, shared)) return;
    mine = collect_share<Threads>(rank, cut.blocks, op, shared);
  }
}

}  // namespace tessera::grid::detail
