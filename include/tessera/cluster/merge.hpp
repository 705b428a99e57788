// Merges the sorted runs of the blocks of a cluster, by rank: each item counts the items of the other run that come
// before it, and moves to the sum of that number and its own place.
//
//   block            0         1         2         3
//   sorted in each   2 7       1 9       4 5       3 8
//   runs of 2        1 2       7 9       3 4       5 8      7 goes to its place 1 + 1, for one item of 1 9 is less
//   runs of 4        1 2       3 4       5 7       8 9
//
// All items are in the shared memory of the blocks. An item searches the other run in the memory of its blocks; after a
// barrier of the cluster it stores itself at its new place. Of equal items those of the first run come first.
//
// Source: merging by ranks, as in D. E. Knuth, The Art of Computer Programming 3, 5.2.4, and R. Cole, "Parallel merge
// sort", 1988.
#pragma once

#include <tessera/core/items.hpp>
#include <tessera/core/sort_entry.hpp>
#include <tessera/core/words.hpp>
#include <tessera/group/multi_block_group.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// The size of the memory for so many bytes a lane: a power of two, so that sorts of several types share it.
TESSERA_FN constexpr unsigned bytes_of_memory(unsigned bytes) {
  unsigned size = 8;
  while (size < bytes && size < 32) size *= 2;
  return size < bytes ? (bytes + 7) / 8 * 8 : size;
}

/// The bytes of a lane's keys, in whole words, after which its values begin, and those of the memory for both.
template <class Source>
struct bytes_of_items;
template <class T, unsigned K>
struct bytes_of_items<items<T, K>> {
  static constexpr unsigned keys = K * sizeof(words<T>), all = detail::bytes_of_memory(keys);
};
template <class Key, class Value, unsigned K>
struct bytes_of_items<keys_and_values<items<Key, K>, items<Value, K>>> {
  static constexpr unsigned keys = K * sizeof(words<Key>),
                            all = detail::bytes_of_memory(keys + K * sizeof(words<Value>));
};

/// Merges keys, in blocked order of the cluster's lanes. Positions from `limit` on take no part.
template <unsigned Bytes, class Group, class Key, unsigned K, class Before>
class block_merger {
  static constexpr unsigned per_block = K * Group::threads;
  using keys = decltype(stl::declval<Group const&>().backend().template values_of<Key, K, 0, Bytes>());

 public:
  TESSERA_FN block_merger(Group group, Before const& before, unsigned limit)
      : group_(group),
        before_(before),
        limit_(limit),
        first_(group.rank() * K),
        keys_(group.backend().template values_of<Key, K, 0, Bytes>()) {}

  /// Keys with values that move with them; move(i, place) stores value i at a place.
  template <class Load, class Move>
  TESSERA_FN void merge(items<Key, K>& x, Load load, Move move) const {
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      keys_.write_own(first_ + i, x[i]);
      move(i, first_ + i);
    }
    group_.sync();
    TESSERA_LOOP
    for (unsigned run = per_block; run < Group::blocks * per_block; run *= 2) {
      items<unsigned, K> const places = places_of(x, run);
      group_.sync();
      TESSERA_UNROLL
      for (unsigned i = 0; i < K; ++i) {
        keys_.write(places[i], x[i]);
        move(i, places[i]);
      }
      group_.sync();
      TESSERA_UNROLL
      for (unsigned i = 0; i < K; ++i) {
        Key const moved = keys_.read_own(first_ + i);
        detail::assign(x[i], moved);
        load(i, first_ + i);
      }
    }
    group_.in_block().sync();  // what comes next may use the memory
  }

 private:
  /// The new places of a lane's keys in the merge of two runs.
  TESSERA_FN items<unsigned, K> places_of(items<Key, K> const& x, unsigned run) const {
    unsigned const pair = first_ - first_ % (2 * run), other = first_ % (2 * run) < run ? pair + run : pair;
    bool const is_second = other == pair;
    unsigned const left = limit_ > other ? limit_ - other : 0, length = left < run ? left : run;
    items<unsigned, K> before{};
    unsigned step = 1;
    while (2 * step <= run) step *= 2;
    TESSERA_LOOP
    for (; step != 0; step /= 2) {
      TESSERA_UNROLL
      for (unsigned i = 0; i < K; ++i) {
        unsigned const next = before[i] + step;
        if (next > length) continue;
        Key const theirs = keys_.read(other + next - 1);
        bool const precedes = is_second ? !before_(x[i], theirs) : static_cast<bool>(before_(theirs, x[i]));
        if (precedes) before[i] = next;
      }
    }
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      unsigned const place = first_ + i;
      before[i] = place >= limit_ ? place : (is_second ? place - run : place) + before[i];
    }
    return before;
  }

  Group group_;
  Before const& before_;
  unsigned limit_, first_;
  keys keys_;
};

template <class Group, class Key, unsigned K, class Before>
TESSERA_FN void merge_blocks(Group group, items<Key, K>& x, Before const& before, unsigned limit) {
  constexpr unsigned bytes = bytes_of_items<items<Key, K>>::all;
  block_merger<bytes, Group, Key, K, Before> const merger(group, before, limit);
  merger.merge(
      x, [](unsigned, unsigned) {}, [](unsigned, unsigned) {});
}
template <class Group, class Key, class Value, unsigned K, class Before>
TESSERA_FN void merge_blocks(Group group, keys_and_values<items<Key, K>, items<Value, K>>& x, Before const& before,
                             unsigned limit) {
  using bytes = bytes_of_items<keys_and_values<items<Key, K>, items<Value, K>>>;
  block_merger<bytes::all, Group, Key, K, Before> const merger(group, before, limit);
  auto const values = group.backend().template values_of<Value, K, bytes::keys, bytes::all>();
  merger.merge(
      x.keys,
      [&](unsigned i, unsigned place) {
        Value const moved = values.read_own(place);
        detail::assign(x.values[i], moved);
      },
      [&](unsigned i, unsigned place) { values.write(place, x.values[i]); });
}

}  // namespace detail
TESSERA_NAMESPACE_END
