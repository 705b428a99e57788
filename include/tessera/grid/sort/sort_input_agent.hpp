// Agents that copy a sort's inputs to where they are sorted in place: if an iterator reads them, or n is on the device.
//
//   keys          7 2 9             3 elements, at_most is 5
//   keys_out      7 2 9 L L         L is last in every order, and the sort is stable: keys equal to it stay before it
//   values_out    a b c . .
//
// An order of the user's own has no last key. So keys that it compares are copied with a bool: whether they exist.
#pragma once

#include <tessera/core/iterators.hpp>
#include <tessera/core/words.hpp>
#include <tessera/grid/parts/counted.hpp>
#include <tessera/grid/parts/opaque_bytes.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

struct sort_input_tuning {
  static constexpr unsigned threads = 256, items = 16;  // of a block; of a thread
  static constexpr std::int64_t of_block = threads * items;
};

/// A key, or none. None comes after all keys.
template <class T>
struct optional_key {
  opaque_t<T> key;
  bool exists;
};
template <class T, class Before>
struct optional_before {
  Before before;

  TESSERA_FN bool operator()(optional_key<T> const& a, optional_key<T> const& b) const {
    if (!a.exists || !b.exists) return a.exists;
    return static_cast<bool>(before(reinterpret_cast<T const&>(a.key), reinterpret_cast<T const&>(b.key)));
  }
};

/// Makes the key that is sorted of the key that is read.
template <class K, class T>
struct stored_key {
  TESSERA_FN static K of(T const& x) {
    K stored;
    tessera::detail::copy_bytes(&stored, TESSERA_ADDRESS_OF(x), sizeof(T));
    return stored;
  }
};
template <class T>
struct stored_key<optional_key<T>, T> {
  TESSERA_FN static optional_key<T> of(T const& x) { return {stored_key<opaque_t<T>, T>::of(x), true}; }
};

/// Reads 0, 1, 2, …
template <class Index>
struct index_reader {
  Index first;

  TESSERA_FN index_reader operator+(std::int64_t i) const {
    return {static_cast<Index>(first + static_cast<Index>(i))};
  }
  TESSERA_FN Index operator*() const { return first; }
};

/// The values of a sort of keys alone.
struct keys_alone {};

/// n keys and values, and which of them are copied: those that aren't in place. Keys n … at_most − 1 become `last`.
template <class K, class Keys, class V, class Values, class N>
struct sort_input_task {
  Keys keys;
  K* keys_out;
  Values values;
  V* values_out;
  N n;
  K last;
  bool copies_keys, copies_values;
};

/// Copies a thread's part of a block's elements: out[i] becomes element(i) for i below n. A thread loads several before
/// it stores the first.
template <class K, class Element>
TESSERA_FN void copy_thread_part(unsigned rank, std::int64_t block, K* out, std::int64_t n, Element const& element) {
  constexpr unsigned batch = sizeof(K) <= 4 ? 8 : sizeof(K) <= 8 ? 4 : sizeof(K) <= 16 ? 2 : 1;
  TESSERA_LOOP
  for (unsigned first = 0; first < sort_input_tuning::items; first += batch) {
    std::int64_t const at = block * sort_input_tuning::of_block + first * sort_input_tuning::threads + rank;
    K loaded[batch];
    TESSERA_UNROLL
    for (unsigned k = 0; k < batch; ++k) {
      std::int64_t const i = at + k * sort_input_tuning::threads;
      if (i < n) loaded[k] = element(i);
    }
    TESSERA_UNROLL
    for (unsigned k = 0; k < batch; ++k) {
      std::int64_t const i = at + k * sort_input_tuning::threads;
      if (i < n) out[i] = loaded[k];
    }
  }
}

/// Copies a block's keys and values. Called by each thread of the block.
template <class K, class Keys, class V, class Values, class N>
TESSERA_FN void run_sort_input_agent(unsigned rank, std::int64_t block,
                                     sort_input_task<K, Keys, V, Values, N> const& task, std::int64_t at_most) {
  std::int64_t const n = detail::count_now(task.n);
  std::int64_t const begin = block * sort_input_tuning::of_block;
  if (task.copies_keys) {
    detail::copy_thread_part(rank, block, task.keys_out, n, [&](std::int64_t i) {
      return stored_key<K, value_of<Keys>>::of(tessera::detail::read_element(task.keys, i));
    });
  }
  TESSERA_LOOP
  for (std::int64_t i = begin + rank; i < begin + sort_input_tuning::of_block; i += sort_input_tuning::threads) {
    if (i >= n && i < at_most) task.keys_out[i] = task.last;
  }
  if constexpr (!stl::is_same_v<Values, keys_alone>) {
    if (task.copies_values) {
      detail::copy_thread_part(rank, block, task.values_out, n, [&](std::int64_t i) {
        return stored_key<V, value_of<Values>>::of(tessera::detail::read_element(task.values, i));
      });
    }
  }
}

/// Copies the first n sorted keys to the output. Called by each thread of a block.
template <class T, class N>
TESSERA_FN void run_sort_output_agent(unsigned rank, std::int64_t block, optional_key<T> const* sorted,
                                      opaque_t<T>* out, N const& n) {
  detail::copy_thread_part(rank, block, out, detail::count_now(n), [&](std::int64_t i) { return sorted[i].key; });
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
