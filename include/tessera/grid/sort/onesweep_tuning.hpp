// Shapes of the blocks of a radix sort (onesweep_agent.hpp).
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/grid/parts/workspace_layout.hpp>

#include <cstddef>
#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The digits of a pass.
struct radix_digits {
  static constexpr unsigned bits = 8, count = 1u << bits;
};

/// A block that ranks the digits of a tile: each of so many threads has so many keys. blocks: as many of them as have
/// room on a multiprocessor. look_back_batch: the words of tiles before that a thread loads before it looks at the
/// first.
template <unsigned Threads, unsigned Items, unsigned Blocks = 1, unsigned LookBackBatch = 4>
struct radix_shape {
  static_assert(Threads % 32 == 0 && Threads >= radix_digits::count, "Each digit has a thread.");
  static constexpr unsigned threads = Threads, items = Items, blocks = Blocks, warps = Threads / 32;
  static constexpr unsigned elements = Threads * Items;
  static constexpr unsigned look_back_batch = LookBackBatch;
};

/// The most bytes of a value that blocks sort in shared memory. Longer ones go from place to place.
inline constexpr unsigned most_sorted_value = 16;

/// The shape of passes, by the bytes of keys and values: so many of whichever is longer fit into 48 KiB.
constexpr unsigned sorted_bytes(unsigned key, unsigned value) {
  return value > key && value <= most_sorted_value ? value : key;
}
constexpr unsigned onesweep_items(unsigned key, unsigned value) {
  unsigned const bytes = detail::sorted_bytes(key, value);
  return bytes > 4 ? 80 / bytes : value > 0 ? 16 : 20;
}
inline constexpr unsigned onesweep_threads = 512;
template <unsigned Key, unsigned Value>
using onesweep_shape = radix_shape<onesweep_threads, detail::onesweep_items(Key, Value), 2, (Value > 0 ? 1 : 4)>;
/// The elements of a tile of that shape.
constexpr unsigned onesweep_tile(unsigned key, unsigned value) {
  return onesweep_threads * detail::onesweep_items(key, value);
}

/// The shape of passes over few tiles of that one, where a pass takes as long as one tile does.
using short_onesweep_shape = radix_shape<onesweep_threads, 4, 2, 8>;
/// The most elements that such passes sort.
constexpr std::int64_t short_onesweep_most(unsigned tile) {
  return tile > 2 * short_onesweep_shape::elements ? std::int64_t{64} * tile : 0;
}

/// The temporary memory of passes over at most n elements: `cleared` bytes come first and are cleared, then the others.
/// A pass has one of two arrays of words. `tile`: of the shape for many elements. Fewer elements never take more.
struct onesweep_layout {
  std::size_t counts, numbers, begins, words;
  unsigned arrays;

  constexpr onesweep_layout(std::int64_t n, unsigned places, unsigned word_bytes, unsigned tile)
      : counts(detail::on_lines(std::size_t{places} * radix_digits::count * word_bytes)),
        numbers(detail::on_lines((places + 1) * sizeof(unsigned))),
        begins(counts),
        words(detail::on_lines(most_tiles(n, tile) * radix_digits::count * word_bytes)),
        arrays(places > 1 ? 2 : 1) {}

  constexpr std::size_t cleared() const { return counts + numbers; }
  constexpr std::size_t total() const { return cleared() + begins + arrays * words; }

 private:
  static constexpr std::size_t tiles(std::int64_t n, unsigned tile) {
    return static_cast<std::size_t>((n + tile - 1) / tile);
  }
  static constexpr std::size_t most_tiles(std::int64_t n, unsigned tile) {
    std::int64_t const most_short = detail::short_onesweep_most(tile);
    std::size_t const short_tiles = tiles(n < most_short ? n : most_short, short_onesweep_shape::elements);
    return tiles(n, tile) > short_tiles ? tiles(n, tile) : short_tiles;
  }
};
/// The bytes of a word that counts up to n elements, beside two bits.
constexpr unsigned onesweep_word(std::int64_t n) {
  return n < std::int64_t{1} << 30 ? 4 : 8;
}
/// The bytes of that memory.
constexpr std::size_t onesweep_bytes(std::int64_t n, std::size_t key, std::size_t value) {
  unsigned const places = static_cast<unsigned>(key);
  unsigned const tile = detail::onesweep_tile(places, static_cast<unsigned>(value));
  return onesweep_layout(n, places, detail::onesweep_word(n), tile).total();
}

/// The shapes of one block that sorts all: for few elements, and for more.
using small_sort_shape = radix_shape<256, 4>;
using block_sort_shape = radix_shape<512, 8>;

/// The bytes that a sort by passes takes of the workspace's data: that memory, a second buffer of each array, and one
/// more for keys if sorted keys aren't stored.
constexpr std::size_t radix_sort_bytes(std::int64_t n, std::size_t key, std::size_t value, bool stores_keys) {
  auto const count = static_cast<std::size_t>(n);
  return detail::onesweep_bytes(n, key, value) + (stores_keys ? 1 : 2) * detail::on_lines(count * key) +
         detail::on_lines(count * value);
}

/// The kernel that counts the digits of all places.
struct digit_counts_tuning {
  static constexpr unsigned threads = 256, items = 16, blocks_per_multiprocessor = 8;
  static constexpr unsigned of_block = threads * items;
  /// Counters of a digit, to which different lanes add.
  static constexpr unsigned copies(unsigned places) { return places <= 4 ? 2 : 1; }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
