// The agent of a radix sort of so few elements that one block sorts them, digit by digit, in its shared memory.
//
//   load      keys and their positions
//   place     each digit, the lowest first: rank, scatter both in shared memory, and load them from there
//   store     keys in order, and the values at the positions
//
// The outputs may be the inputs, but for values of more than most_sorted_value bytes.
#pragma once

#include <tessera/grid/parts/memory_ops.hpp>
#include <tessera/grid/sort/onesweep_agent.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The memory of such a block.
template <class Shape, class Bits, class V>
struct block_sort_storage {
  static constexpr bool has_values = !stl::is_same_v<V, keys_alone>;
  using position = std::uint16_t;
  static_assert(Shape::elements <= 1u << 16, "Positions have 16 bits.");

  struct sorted_t {
    Bits keys[Shape::elements];
    position positions[has_values ? Shape::elements : 1];
  };
  union {
    digit_tables<Shape> tables;
    sorted_t sorted;
  };
  digit_totals totals;
};

template <class Shape, class Task, class Block>
class block_sort_agent;
template <class Shape, class Bits, key_form Form, class V, class Values, class Block>
class block_sort_agent<Shape, onesweep_task<Bits, Form, V, Values>, Block> {
  using task_t = onesweep_task<Bits, Form, V, Values>;
  using position_t = typename block_sort_storage<Shape, Bits, V>::position;
  static constexpr unsigned items = Shape::items, threads = Shape::threads, places = sizeof(Bits);
  static constexpr unsigned numbers = task_t::has_values ? items : 1;

 public:
  using storage_t = block_sort_storage<Shape, Bits, V>;

  TESSERA_FN block_sort_agent(Block const& block, task_t const& task, storage_t& storage)
      : block_(block), task_(task), storage_(storage), rank_(block.thread_rank()) {}

  /// Sorts n elements, as many as the shape has or fewer.
  TESSERA_FN void run(unsigned n) const {
    digit_ranker<Shape, Block> const ranker(block_, rank_, storage_.tables, storage_.totals);
    unsigned const first = ranker.first_position();
    Bits keys[items];
    position_t positions[numbers];
    TESSERA_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      unsigned const at = first + 32 * i;
      keys[i] = task_.coding.key_of(at < n ? task_.keys[at] : task_.coding.greatest());
      if constexpr (task_t::has_values) positions[i] = static_cast<position_t>(at);
    }
    TESSERA_LOOP
    for (unsigned place = 0; place < places; ++place) {
      if (place > 0) load_sorted(first, keys, positions);
      packed_ranks<items> ranks;
      ranker.rank(keys, digit_at_place<Bits, Form>(task_.coding, place), ranks, [](unsigned) {});
      detail::barrier_of_block(block_);
      scatter(ranks, keys, positions);
      detail::barrier_of_block(block_);
    }
    store(n);
  }

 private:
  using keys_t = Bits[items];
  using positions_t = position_t[numbers];

  TESSERA_FN void scatter(packed_ranks<items> const& ranks, keys_t const& keys,
                          [[maybe_unused]] positions_t const& positions) const {
    TESSERA_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      storage_.sorted.keys[ranks[i]] = keys[i];
      if constexpr (task_t::has_values) storage_.sorted.positions[ranks[i]] = positions[i];
    }
  }
  /// A barrier follows, since the tables are in the same memory.
  TESSERA_FN void load_sorted(unsigned first, keys_t& keys, [[maybe_unused]] positions_t& positions) const {
    TESSERA_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      keys[i] = storage_.sorted.keys[first + 32 * i];
      if constexpr (task_t::has_values) positions[i] = storage_.sorted.positions[first + 32 * i];
    }
    detail::barrier_of_block(block_);
  }
  TESSERA_FN void store(unsigned n) const {
    if constexpr (task_t::sorts_values) {
      store_values(n);
    } else if constexpr (task_t::has_values) {
      TESSERA_LOOP
      for (unsigned at = rank_; at < n; at += threads) task_.values_out[at] = value_of_place(at);
    }
    if (task_.keys_out == nullptr) return;
    TESSERA_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      unsigned const at = i * threads + rank_;
      if (at < n) task_.keys_out[at] = task_.coding.bits_of(storage_.sorted.keys[at]);
    }
  }
  TESSERA_FN void store_values(unsigned n) const {
    V values[items];
    TESSERA_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      if (i * threads + rank_ < n) values[i] = value_of_place(i * threads + rank_);
    }
    detail::barrier_of_block(block_);  // all have read their values
    TESSERA_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      if (i * threads + rank_ < n) task_.values_out[i * threads + rank_] = values[i];
    }
  }
  TESSERA_FN V value_of_place(unsigned at) const { return *(task_.values + storage_.sorted.positions[at]); }

  Block const& block_;
  task_t const& task_;
  storage_t& storage_;
  unsigned rank_;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
