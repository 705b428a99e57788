// Draws from rows of logits whose columns are on several ranks, and their probabilities, where top_k doesn't leave a
// few columns that could be gathered (sample_agents.hpp).
//
//   maximum    each rank finds that of its columns; all have the row's, and so the weights of row_sampler.hpp
//   cut        top_k and top_p keep the first of the row's order: the last one's key is found digit by digit. Ranks add
//              up, by a digit, the elements (top_k) or weights (top_p) that have the digits so far, and all add up what
//              all have. Of elements equal to the last, ranks of lower columns keep theirs first.
//   mass       the weight of all kept columns, of which min_p is one more filter
//   draw       the unit that is drawn is on one rank: it finds the column, and all get that
//
// All sums are of integers, and decide what those of a whole row decide: ids, logarithms and probabilities have the
// bits of sample_rows.cuh on one GPU. Each rank gathers the sums of all, and does the same with them.
//
// A block has a part of a row; between its passes there are an exchange and a thread for each row. Besides the rank of
// combine_shards.hpp: rank.run_in_blocks(agent, n) runs agent(block, storage) by n blocks of Agent::shape::threads
// threads, each with an Agent::storage_t.
#pragma once

#include <tessera/grid/parts/memory_ops.hpp>
#include <tessera/grid/shard.hpp>
#include <tessera/grid/sharded/combine_rows.hpp>
#include <tessera/grid/sharded/logit_parts.hpp>
#include <tessera/grid/sharded/sampled_row_part.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The greatest element of a part, and its first column in the whole row.
struct part_maximum {
  float value;
  int column;
};
/// A column of the whole row that a rank has drawn, or −1 if another rank has.
struct drawn_column {
  std::int32_t column;
  float log_probability;
};

/// A rank's knowledge of a row.
struct part_state {
  known_row known;
  int first;             // the first column of the greatest element in the whole row
  bool is_empty;         // no column can be drawn
  bool is_greedy;        // `first` is drawn
  std::uint32_t key;     // of the cut that is looked for: the digits so far
  std::uint64_t wanted;  // what those from the cut on add up to, or more: 0 if no cut is looked for
  std::int64_t tie;      // which of the rank's elements equal to the last kept one is that; −1 if none or unknown

  TESSERA_FN bool draws() const { return !is_empty && !is_greedy; }
};

/// The sum of the parts that some ranks have of a row.
TESSERA_FN std::uint64_t sum_of_ranks(gathered_rows<std::uint64_t> const& parts, int first, int last,
                                      std::int64_t row) {
  std::uint64_t sum = 0;
  for (int r = first; r < last; ++r) sum += parts.load(r, row);
  return sum;
}

/// Rows of which a rank has some columns.
template <class T>
struct parts_of_rows {
  T const* logits;
  std::int64_t stride;
  own_columns own;
  int total;  // columns of a whole row
  sample_filters filters;
  part_state* states;
  int rank, ranks;

  TESSERA_FN T const* row(std::int64_t r) const { return logits + r * stride; }
  template <class Shape, class Block>
  TESSERA_FN sampled_row_part<Shape, T, Block> part(Block const& block, sample_storage<Shape>& storage, std::int64_t r,
                                                    known_row const& known) const {
    return {block, storage, row(r), own.count, known, filters.temperature.of(r)};
  }
  /// The known facts of a row after all filters, with the mass of all its parts.
  TESSERA_FN known_row filtered(std::int64_t r, gathered_rows<std::uint64_t> const& masses) const {
    known_row known = states[r].known;
    known.least_weight = filters_of_row(filters, r).least_weight();
    known.mass = detail::sum_of_ranks(masses, 0, ranks, r);
    return known;
  }
};

// ---- The passes of blocks

template <class Shape, class T>
struct maximum_pass {
  using shape = Shape;
  using storage_t = sample_storage<Shape>;
  parts_of_rows<T> rows_of;
  gathered_rows<part_maximum> maxima;

  template <class Block>
  TESSERA_FN void operator()(Block const& block, sample_storage<Shape>& storage) const {
    std::int64_t const r = block.group_index().x;
    sample_block<Shape, Block> const team(block, storage);
    row_sampler<Shape, T, sample_block<Shape, Block>> const sampler(team, rows_of.row(r), rows_of.own.count);
    int const first = sampler.is_empty() ? 0 : sampler.first_greatest();
    if (block.thread_rank() == 0)
      maxima.store(rows_of.rank, r, part_maximum{sampler.greatest(), rows_of.own.begin + first});
  }
};

/// The kept weights of each part: before min_p, or after it.
template <class Shape, class T>
struct mass_pass {
  using shape = Shape;
  using storage_t = sample_storage<Shape>;
  parts_of_rows<T> rows_of;
  gathered_rows<std::uint64_t> masses;
  bool after_all;

  template <class Block>
  TESSERA_FN void operator()(Block const& block, sample_storage<Shape>& storage) const {
    std::int64_t const r = block.group_index().x;
    std::uint64_t mass = 0;
    if (rows_of.states[r].draws()) {
      known_row known = rows_of.states[r].known;
      if (after_all) known.least_weight = filters_of_row(rows_of.filters, r).least_weight();
      mass = rows_of.part(block, storage, r, known).mass();
    }
    if (block.thread_rank() == 0) masses.store(rows_of.rank, r, mass);
  }
};

template <class Shape, class T>
struct digit_pass {
  using shape = Shape;
  using storage_t = sample_storage<Shape>;
  parts_of_rows<T> rows_of;
  gathered_rows<digit_sums> sums;
  bool counts;
  int round;

  template <class Block>
  TESSERA_FN void operator()(Block const& block, sample_storage<Shape>& storage) const {
    std::int64_t const r = block.group_index().x;
    part_state const& state = rows_of.states[r];
    digit_sums own{};
    if (state.wanted > 0) own = rows_of.part(block, storage, r, state.known).sums_of_digits(counts, state.key, round);
    if (block.thread_rank() == 0) sums.store(rows_of.rank, r, own);
  }
};

/// Finds the last kept column on the rank that has it.
template <class Shape, class T>
struct tie_pass {
  using shape = Shape;
  using storage_t = sample_storage<Shape>;
  parts_of_rows<T> rows_of;

  template <class Block>
  TESSERA_FN void operator()(Block const& block, sample_storage<Shape>& storage) const {
    std::int64_t const r = block.group_index().x;
    known_row const known = rows_of.states[r].known;
    std::int64_t const tie = rows_of.states[r].tie;
    if (tie < 0) return;
    int const last =
        rows_of.part(block, storage, r, known).column_of_tie(static_cast<std::uint64_t>(tie), known.cut.least);
    detail::barrier_of_block(block);
    if (block.thread_rank() == 0) rows_of.states[r].known.cut.last = last;
  }
};

/// Finds the column of the unit that is drawn on the rank that has it.
template <class Shape, class T>
struct draw_pass {
  using shape = Shape;
  using storage_t = sample_storage<Shape>;
  parts_of_rows<T> rows_of;
  gathered_rows<std::uint64_t> masses;
  gathered_rows<drawn_column> drawn;
  sample_options options;
  std::uint64_t const* seeds;

  template <class Block>
  TESSERA_FN void operator()(Block const& block, sample_storage<Shape>& storage) const {
    std::int64_t const r = block.group_index().x;
    drawn_column found{-1, 0};
    if (rows_of.states[r].draws()) {
      known_row const known = rows_of.filtered(r, masses);
      std::uint64_t const random = options.uniforms != nullptr
                                       ? detail::bits_of_uniform(options.uniforms[r])
                                       : tessera::detail::random_bits(seeds[r], options.step.of(r));
      std::uint64_t const target = detail::high_product(known.mass, random),
                          before = detail::sum_of_ranks(masses, 0, rows_of.rank, r);
      if (target >= before && target - before < masses.load(rows_of.rank, r)) {
        auto const part = rows_of.part(block, storage, r, known);
        int const column = part.drawn_column(target - before);
        found = {rows_of.own.begin + column, part.log_probability(column)};
      }
    }
    if (block.thread_rank() == 0) drawn.store(rows_of.rank, r, found);
  }
};

/// Writes the probabilities of the rank's columns.
template <class Shape, class T>
struct probability_pass {
  using shape = Shape;
  using storage_t = sample_storage<Shape>;
  parts_of_rows<T> rows_of;
  gathered_rows<std::uint64_t> masses;
  T* out;
  std::int64_t out_stride;

  template <class Block>
  TESSERA_FN void operator()(Block const& block, sample_storage<Shape>& storage) const {
    std::int64_t const r = block.group_index().x;
    part_state const& state = rows_of.states[r];
    T* const to = out + r * out_stride;
    auto const part = rows_of.part(block, storage, r, rows_of.filtered(r, masses));
    if (state.draws()) {
      part.write_probabilities(to);
    } else {
      part.write_one(to, state.is_empty ? -1 : state.first - rows_of.own.begin);
    }
  }
};

// ---- Between them: a thread for each row

template <class T>
struct begin_rows_agent {
  parts_of_rows<T> rows_of;
  gathered_rows<part_maximum> maxima;

  TESSERA_FN void operator()(std::int64_t thread, std::int64_t threads) const {
    constexpr float infinity = stl::numeric_limits<float>::infinity();
    for (std::int64_t r = thread; r < maxima.row_count; r += threads) {
      part_maximum best = maxima.load(0, r);
      for (int of = 1; of < rows_of.ranks; ++of)
        if (tessera::detail::ieee_is_less(best.value, maxima.load(of, r).value)) best = maxima.load(of, r);
      bool const is_infinite = best.value == infinity;
      rows_of.states[r] = {{is_infinite ? 0.0f : best.value, is_infinite, {}, 0, 0},
                           best.column,
                           best.value == -infinity,
                           filters_of_row(rows_of.filters, r).is_greedy(),
                           0,
                           0,
                           -1};
    }
  }
};

/// Says what a filter wants: top_k a number of elements, top_p a share of the masses.
template <class T>
struct want_agent {
  parts_of_rows<T> rows_of;
  gathered_rows<std::uint64_t> masses;
  bool counts;

  TESSERA_FN void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t r = thread; r < masses.row_count; r += threads) {
      filters_of_row const by(rows_of.filters, r);
      part_state& state = rows_of.states[r];
      bool const has = counts ? by.top_k > 0 && by.top_k < rows_of.total : by.top_p < 1;
      state.key = 0;
      state.tie = -1;
      state.wanted = !has || !state.draws() ? 0
                     : counts               ? static_cast<std::uint64_t>(by.top_k)
                                            : by.wanted_mass(detail::sum_of_ranks(masses, 0, rows_of.ranks, r));
    }
  }
};

/// Takes a digit of each cut; after the last one the cut.
template <class T>
struct narrow_rows_agent {
  parts_of_rows<T> rows_of;
  gathered_rows<digit_sums> sums;
  bool counts;
  int round;

  TESSERA_FN void operator()(std::int64_t thread, std::int64_t threads) const {
    using digits = row_digits<T>;
    for (std::int64_t r = thread; r < sums.row_count; r += threads) {
      part_state& state = rows_of.states[r];
      if (state.wanted == 0) continue;
      int digit = digit_sums::digits - 1;
      std::uint64_t sum = sum_of(r, digit);
      for (; digit > 0 && sum < state.wanted; sum = sum_of(r, --digit)) state.wanted -= sum;
      if (sum < state.wanted) {  // all elements are fewer
        state.wanted = 0;
        continue;
      }
      state.key |= static_cast<std::uint32_t>(digit) << digits::shift_of(round);
      if (round + 1 == digits::rounds) cut(r, state, row_key<T>::number(state.key), digit);
    }
  }

 private:
  TESSERA_FN std::uint64_t sum_of(std::int64_t r, int digit) const {
    std::uint64_t sum = 0;
    for (int of = 0; of < rows_of.ranks; ++of) sum += sums.load(of, r).of[digit];
    return sum;
  }
  /// Keeps those above x, and of those equal to it as many as are wanted, from the first rank on.
  TESSERA_FN void cut(std::int64_t r, part_state& state, float x, int digit) const {
    std::uint64_t const worth = counts ? 1 : row_weights(state.known.max, rows_of.filters.temperature.of(r))(x);
    std::uint64_t before = (state.wanted - 1) / worth;  // of equal ones, the last one
    bool is_before = true;
    for (int of = 0; of < rows_of.rank && is_before; ++of) {
      std::uint64_t const ties = sums.load(of, r).of[digit] / worth;
      is_before = ties <= before;
      before -= is_before ? ties : 0;
    }
    bool const has_last = is_before && before < sums.load(rows_of.rank, r).of[digit] / worth;
    // If an earlier filter has dropped some that equal x, the last one that it keeps isn't before the last one here.
    state.known.cut = {x, is_before ? INT32_MAX : -1};
    state.tie = has_last ? static_cast<std::int64_t>(before) : -1;
  }
};

/// Stores what was drawn.
template <class T, class Index>
struct store_drawn_agent {
  parts_of_rows<T> rows_of;
  gathered_rows<drawn_column> drawn;
  Index* ids;
  float* logprobs;  // may be null

  TESSERA_FN void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t r = thread; r < drawn.row_count; r += threads) {
      part_state const& state = rows_of.states[r];
      drawn_column found{-1, -stl::numeric_limits<float>::infinity()};
      if (state.draws()) {
        for (int of = 0; of < rows_of.ranks; ++of)
          if (drawn.load(of, r).column >= 0) found = drawn.load(of, r);
      } else if (!state.is_empty) {
        found = {state.first, 0};
      }
      ids[r] = static_cast<Index>(found.column);
      if (logprobs != nullptr) logprobs[r] = found.log_probability;
    }
  }
};

// ---- As each rank makes the calls

/// Values of R of all ranks and rows, in memory for an exchange.
template <class R, class Rank>
class exchanged_rows {
 public:
  exchanged_rows(Rank const& rank, std::int64_t row_count) noexcept
      : rank_(rank),
        memory_(rank.exchange(static_cast<std::size_t>(rank.count()) * gathered_rows<R>{nullptr, row_count}.bytes())),
        rows_{static_cast<R*>(memory_.data()), row_count} {}
  cudaError_t error() const noexcept { return memory_.error(); }
  gathered_rows<R> const& values() const noexcept { return rows_; }
  /// Runs a pass that stores this rank's values, and gathers those of all.
  template <class Pass>
  cudaError_t fill(Pass const& pass) const noexcept {
    cudaError_t const error = rank_.run_in_blocks(pass, rows_.row_count);
    return error == cudaSuccess ? rank_.gather(rows_.all, rows_.bytes()) : error;
  }

 private:
  Rank const& rank_;
  decltype(stl::declval<Rank const&>().exchange(std::size_t{})) memory_;
  gathered_rows<R> rows_;
};

/// Cuts all rows by top_k (counts) or top_p.
template <class Shape, class T, class Rank>
cudaError_t cut_rows(Rank const& rank, parts_of_rows<T> const& rows_of,
                     exchanged_rows<std::uint64_t, Rank> const& masses, bool counts) noexcept {
  std::int64_t const row_count = masses.values().row_count;
  exchanged_rows<digit_sums, Rank> const sums(rank, row_count);
  cudaError_t error = sums.error();
  if (error == cudaSuccess && !counts) error = masses.fill(mass_pass<Shape, T>{rows_of, masses.values(), false});
  if (error == cudaSuccess) error = rank.run_on_all(want_agent<T>{rows_of, masses.values(), counts}, row_count);
  for (int round = 0; error == cudaSuccess && round < row_digits<T>::rounds; ++round) {
    error = sums.fill(digit_pass<Shape, T>{rows_of, sums.values(), counts, round});
    if (error == cudaSuccess)
      error = rank.run_on_all(narrow_rows_agent<T>{rows_of, sums.values(), counts, round}, row_count);
  }
  return error == cudaSuccess ? rank.run_in_blocks(tie_pass<Shape, T>{rows_of}, row_count) : error;
}

/// Filters rows, and calls use(rows with their states, masses after all filters). There is a row at least.
template <class Shape, class T, class Rank, class Use>
cudaError_t filter_parts(Rank const& rank, T const* logits, std::int64_t stride, std::int64_t row_count,
                         shard const& part, sample_filters const& filters, Use const& use) noexcept {
  auto const states = rank.exchange(static_cast<std::size_t>(row_count) * sizeof(part_state));
  exchanged_rows<std::uint64_t, Rank> const masses(rank, row_count);
  if (states.error() != cudaSuccess || masses.error() != cudaSuccess)
    return states.error() != cudaSuccess ? states.error() : masses.error();
  parts_of_rows<T> const rows_of{logits,
                                 stride,
                                 {static_cast<int>(part.begin), static_cast<int>(part.count)},
                                 static_cast<int>(part.total),
                                 filters,
                                 static_cast<part_state*>(states.data()),
                                 rank.index(),
                                 rank.count()};
  cudaError_t error = cudaSuccess;
  {
    exchanged_rows<part_maximum, Rank> const maxima(rank, row_count);
    error = maxima.error();
    if (error == cudaSuccess) error = maxima.fill(maximum_pass<Shape, T>{rows_of, maxima.values()});
    if (error == cudaSuccess) error = rank.run_on_all(begin_rows_agent<T>{rows_of, maxima.values()}, row_count);
  }
  bool const may_count = filters.top_k.values != nullptr || filters.top_k.value > 0,
             may_share = filters.top_p.values != nullptr || filters.top_p.value < 1;
  if (error == cudaSuccess && may_count) error = detail::cut_rows<Shape>(rank, rows_of, masses, true);
  if (error == cudaSuccess && may_share) error = detail::cut_rows<Shape>(rank, rows_of, masses, false);
  if (error == cudaSuccess) error = masses.fill(mass_pass<Shape, T>{rows_of, masses.values(), true});
  return error == cudaSuccess ? use(rows_of, masses.values()) : error;
}

template <class Shape, class T, class Index, class Rank>
cudaError_t sample_parts(Rank const& rank, T const* logits, std::int64_t stride, std::int64_t row_count,
                         shard const& part, std::uint64_t const* seeds, Index* ids,
                         sample_options const& options) noexcept {
  if (row_count == 0) return cudaSuccess;
  using masses_t = gathered_rows<std::uint64_t>;
  return detail::filter_parts<Shape>(
      rank, logits, stride, row_count, part, options, [&](parts_of_rows<T> const& rows_of, masses_t const& masses) {
        exchanged_rows<drawn_column, Rank> const drawn(rank, row_count);
        cudaError_t error = drawn.error();
        if (error == cudaSuccess)
          error = drawn.fill(draw_pass<Shape, T>{rows_of, masses, drawn.values(), options, seeds});
        if (error != cudaSuccess) return error;
        return rank.run_on_all(store_drawn_agent<T, Index>{rows_of, drawn.values(), ids, options.logprobs}, row_count);
      });
}

template <class Shape, class T, class Rank>
cudaError_t renormalize_parts(Rank const& rank, T const* logits, std::int64_t stride, std::int64_t row_count,
                              shard const& part, T* out, std::int64_t out_stride,
                              sample_filters const& filters) noexcept {
  if (row_count == 0) return cudaSuccess;
  using masses_t = gathered_rows<std::uint64_t>;
  return detail::filter_parts<Shape>(
      rank, logits, stride, row_count, part, filters, [&](parts_of_rows<T> const& rows_of, masses_t const& masses) {
        return rank.run_in_blocks(probability_pass<Shape, T>{rows_of, masses, out, out_stride}, row_count);
      });
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
