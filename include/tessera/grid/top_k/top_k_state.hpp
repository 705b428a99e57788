// The memory of a selection: the arrays, what blocks have counted, and each block's shared memory.
#pragma once

#include <tessera/grid/parts/phase_queue.hpp>
#include <tessera/grid/parts/top_k_entry.hpp>
#include <tessera/grid/parts/vectors.hpp>
#include <tessera/grid/top_k/bucket_plan.hpp>
#include <tessera/grid/top_k/least_samples.hpp>
#include <tessera/tile/load_store.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The rank keys of what `key` gives.
template <class T, class Key>
using rank_keys_of = rank_keys<stl::remove_cv_t<stl::remove_reference_t<stl::invoke_result_t<Key const&, T const&>>>>;

/// A selection's key of elements that an iterator reads, or whose results go to iterators.
template <class In, class Key, class Values, class Indices>
struct key_by_reader {
  Key key;
  template <class T>
  TESSERA_FN auto operator()(T const& x) const {
    return key(x);
  }
};

/// The reader of a selection's elements, and the writers of its results.
template <class T, class Key>
struct selection_iterators {
  using reader = T const*;
  using values = T*;
  using indices = std::int64_t*;
};
template <class T, class In, class Key, class Values, class Indices>
struct selection_iterators<T, key_by_reader<In, Key, Values, Indices>> {
  using reader = In;
  using values = Values;
  using indices = Indices;
};
template <class T, class Key>
using selection_reader_t = typename selection_iterators<T, Key>::reader;
template <class T, class Key>
using selection_values_t = typename selection_iterators<T, Key>::values;
template <class T, class Key>
using selection_indices_t = typename selection_iterators<T, Key>::indices;

/// False for a null pointer.
template <class Out>
TESSERA_FN constexpr bool is_given(Out const& out) {
  if constexpr (stl::is_pointer_v<Out>) return out != nullptr;
  return true;
}

/// The arrays of a selection. `key(x)` is the number by which x is ordered.
template <class T, class Key>
struct top_k_task {
  selection_reader_t<T, Key> in;
  std::int64_t n;
  selection_values_t<T, Key> values;    // or null
  selection_indices_t<T, Key> indices;  // or null
  Key key;
  typename rank_keys_of<T, Key>::order order;
};

/// The state of the selection in buckets, in the workspace's slots: 0 before the kernel, and after it.
struct bucket_state {
  std::uint64_t counts[most_buckets];  // entries of each bucket; more than fit are counted, too
  std::uint64_t before;                // elements before the lower bound
  /// The complement of each set's sample, word by word; 0: it isn't known yet.
  std::uint64_t samples[2 * top_k_tuning::sets_of_first];
  unsigned drawn;     // tickets
  unsigned filtered;  // pieces of the array
  unsigned left;      // blocks that need the state no more

  TESSERA_FN ticket_queue<> tickets() { return {&drawn, &left}; }
};

/// The work of a phase of the selection by digits on an item.
enum class digit_work : unsigned {
  count,  // counts a digit of the elements of a piece of the array
  list,   // lists those in the window
  rank,   // ranks 32 listed entries
  none
};

/// A phase, as all blocks see it.
template <class Entry>
struct digit_phase {
  digit_work work;
  unsigned begin, items;       // its first ticket, and how many items it has
  unsigned bits;               // The lowest bits of `upper` that aren't known yet. A digit below them is counted.
  entry_window<Entry> window;  // of the elements that may have the wanted rank
  std::uint64_t before;        // elements before the digits that are known
};

/// The state of the selection by digits, in the workspace's counters: 0 before the kernel, and after it.
template <class Entry>
struct digit_state {
  phase_queue queue;
  digit_phase<Entry> phase;  // from the second on
  std::uint64_t listed;      // entries
};

/// The workspace's memory.
template <class Entry>
struct top_k_memory {
  bucket_state* buckets;
  digit_state<Entry>* digits;
  std::uint64_t* counts;  // of a digit; 0 before the kernel, and after it
  std::uint64_t* left;    // how many entries are left to kernels that sort them
  Entry* lists;
};

/// A digit that reaches some rank, how many entries have a lower one, and how many have this one.
struct found_digit {
  unsigned digit;
  std::uint64_t before, inside;
};

/// A block's shared memory.
template <class Shape, class Entry>
struct top_k_storage {
  alignas(16) unsigned char bytes[Shape::storage_bytes];
  least_samples<Entry> samples;
  entry_window<Entry> window;  // of the elements that are kept: here, where it takes no registers
  // A list's entries that wait:
  std::uint64_t begins[most_buckets];
  unsigned counts[most_buckets];
  unsigned staged;  // so many wait, and more than fit
  unsigned full;    // a bit for each bucket that is known to have lost entries
  unsigned ticket, answer;
  unsigned filtered;  // pieces, by this block
  found_digit found;
  Entry chosen;
  digit_phase<Entry> phase;

  /// The bytes: entries that wait, or that are ranked; or counts of a digit, and entries after them.
  TESSERA_FN Entry* entries() { return reinterpret_cast<Entry*>(bytes); }
  TESSERA_FN unsigned* digit_counts() { return reinterpret_cast<unsigned*>(bytes); }
  TESSERA_FN Entry* beside_counts() {
    static_assert(Shape::digits * sizeof(unsigned) % 16 == 0);
    return reinterpret_cast<Entry*>(bytes + Shape::digits * sizeof(unsigned));
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
