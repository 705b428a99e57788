// What the blocks of a selection share: the phase they are in, lists of entries, and each block's shared memory.
#pragma once

#include <tessera/grid/parts/phase_queue.hpp>
#include <tessera/grid/parts/vectors.hpp>
#include <tessera/grid/top_k/sample_bound.hpp>
#include <tessera/grid/top_k/top_k_entry.hpp>
#include <tessera/grid/top_k/top_k_tuning.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Entries from `lower` to `upper`.
template <class Entry>
struct entry_window {
  Entry lower, upper;

  TESSERA_FN bool has(Entry const& e) const { return !(e < lower) && !(upper < e); }
};

/// A phase, as all blocks see it.
template <class Entry>
struct top_k_phase {
  select_work work;
  unsigned begin, items;  // its first ticket, and how many items it has
  unsigned bits;          // The lowest bits of `upper` that aren't known yet. A digit below them is counted.
  unsigned list;          // which list is read: 0 or 1
  entry_window<Entry> window;
  std::uint64_t before;  // entries before the digits that are known; of a single rank, before the list
  std::uint64_t listed;  // entries of the list
};

/// What the blocks of a kernel share, in the workspace's counters: 0 before the kernel, and after it.
template <class Entry>
struct select_state {
  phase_queue queue;
  top_k_phase<Entry> phase;     // from the second on
  std::uint64_t appended;       // entries of the list that this phase makes; more than fit are counted, too
  std::uint64_t before;         // elements before the window
  std::uint64_t greatest_left;  // the complement of the least listed key
};

/// What later kernels know of the entries that are left.
struct select_result {
  std::uint64_t listed;
  unsigned list;
};

/// The workspace's memory.
template <class Entry>
struct top_k_memory {
  select_state<Entry>* state;
  std::uint64_t* counts;  // of digits; 0 before the kernel, and after it
  select_result* result;
  Entry *first_list, *second_list;

  TESSERA_FN Entry* list(unsigned which) const { return which == 0 ? first_list : second_list; }
};

/// A block's shared memory.
template <class Shape, class Entry>
struct top_k_storage {
  union room {
    unsigned counts[Shape::digits];
    alignas(16) unsigned char entries[Shape::storage_bytes];
  } shared;
  sample_digits samples;
  top_k_phase<Entry> phase, next;
  entry_window<Entry> coarse;
  std::uint64_t base;   // where this block's entries go in a list
  unsigned staged;      // entries that wait to be appended
  unsigned is_full;     // whether there was no room for an entry in the list
  unsigned has_left;    // whether the block has left the queue
  unsigned item, done;  // the item, and how many of its phase were done since the block said so
  unsigned answer;

  TESSERA_FN Entry* entries() { return reinterpret_cast<Entry*>(shared.entries); }
};

/// Stores an element. T may lack an assignment.
template <class T>
TESSERA_FN void store_element(T* to, T const& x) {
  if constexpr (stl::is_copy_assignable_v<T>) {
    *to = x;
  } else {
    detail::copy_bytes(to, TESSERA_ADDRESS_OF(x), sizeof(T));
  }
}

/// The arrays of a selection. `key(x)` is a number that says where x stands.
template <class T, class Key>
struct top_k_task {
  T const* in;
  std::int64_t n;
  T* values;              // or null
  std::int64_t* indices;  // or null
  Key key;
  std::uint64_t flip;  // of rank_keys: the order
};

/// The rank keys of what `key` gives.
template <class T, class Key>
using rank_keys_of =
    rank_keys<stl::remove_cv_t<stl::remove_reference_t<stl::invoke_result_t<Key const&, T const&>>>>;

}  // namespace grid::detail
TESSERA_NAMESPACE_END
