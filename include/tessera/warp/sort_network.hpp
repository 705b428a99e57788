// Sorting networks over the items of one lane: which two items are compared, and in which order.
//
//   items     0 1 2 3          `odd_even_sort`: 0-1 2-3, 0-2 1-3, 1-2
//                              `bitonic_merge`: 0-2 1-3, 0-1 2-3, for items that rise then fall, or fall then rise
//
// The lower item of a pair gets the earlier one, so an item that comes after all others stays at the end.
//
// Source: K. E. Batcher, "Sorting networks and their applications", 1968; D. E. Knuth, The Art of Computer Programming
// 3, 5.3.4 (merge exchange, for any number of items).
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/core/items.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

TESSERA_FN constexpr unsigned power_of_two_from(unsigned n) {
  unsigned power = 1;
  while (power < n) power *= 2;
  return power;
}
TESSERA_FN constexpr unsigned exponent_of(unsigned power) {
  unsigned exponent = 0;
  while ((1u << exponent) < power) ++exponent;
  return exponent;
}

struct compared_pair {
  unsigned low = 0, high = 0;
};
template <unsigned K>
struct pair_list {
  compared_pair of[K * K / 2 + 1] = {};
  unsigned count = 0;

  TESSERA_FN constexpr void add(unsigned low, unsigned high) {
    of[count].low = low;
    of[count].high = high;
    ++count;
  }
};

/// Sorts K items: (log2(K)² + log2(K)) / 4 comparisons an item, the fewest known for K up to 8.
template <unsigned K>
struct odd_even_sort {
  TESSERA_FN static constexpr pair_list<K> pairs() {
    pair_list<K> list;
    for (unsigned run = 1; run < K; run *= 2) {
      for (unsigned apart = run; apart > 0; apart /= 2) {
        for (unsigned from = apart % run; from + apart < K; from += 2 * apart) {
          for (unsigned i = from; i < from + apart && i + apart < K; ++i) {
            if (i / (2 * run) == (i + apart) / (2 * run)) list.add(i, i + apart);
          }
        }
      }
    }
    return list;
  }
};

/// Sorts K items, a power of two, that rise and then fall in a cyclic sense: log2(K) / 2 comparisons an item.
template <unsigned K>
struct bitonic_merge {
  static_assert((K & (K - 1)) == 0);
  TESSERA_FN static constexpr pair_list<K> pairs() {
    pair_list<K> list;
    for (unsigned apart = K / 2; apart > 0; apart /= 2) {
      for (unsigned i = 0; i < K; ++i) {
        if ((i & apart) == 0) list.add(i, i + apart);
      }
    }
    return list;
  }
};

/// The network as compile-time constants, so that no index is computed at run time.
template <class Network>
struct compiled_network {
  static constexpr auto list = Network::pairs();
  template <unsigned Index>
  static constexpr unsigned low = list.of[Index].low;
  template <unsigned Index>
  static constexpr unsigned high = list.of[Index].high;
};

template <class Network, class Items, class Exchange, stl::size_t... Index>
TESSERA_FN void run_network(Items& x, Exchange const& exchange, stl::index_sequence<Index...>) {
  using network = compiled_network<Network>;
  (exchange(x[network::template low<Index>], x[network::template high<Index>], network::template high<Index>), ...);
}
/// Calls exchange(low, high, index of high) for each pair of items that the network compares.
template <class Network, class Items, class Exchange>
TESSERA_FN void run_network([[maybe_unused]] Items& x, [[maybe_unused]] Exchange const& exchange) {
  detail::run_network<Network>(x, exchange, stl::make_index_sequence<compiled_network<Network>::list.count>{});
}

}  // namespace detail
TESSERA_NAMESPACE_END
