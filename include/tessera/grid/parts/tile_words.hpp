// The number of tagged words that a launch with a look-back takes of its workspace, exactly and at most.
#pragma once

#include <tessera/core/config.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The number of tiles of a group: a warp polls all of them at once.
inline constexpr unsigned tiles_of_group = 32;
/// The words before those of tiles: the number of the launch, and the blocks that have left.
inline constexpr unsigned look_back_header_words = 2;

/// The number of tagged words that a launch of `tiles` tiles needs to publish values of so many words.
constexpr std::uint64_t look_back_words_of(std::int64_t tiles, std::uint64_t words) {
  auto const count = static_cast<std::uint64_t>(tiles);
  std::uint64_t const groups = (count + tiles_of_group - 1) / tiles_of_group;
  return look_back_header_words + (count + groups) * words;
}

/// The number of tagged words for blocks of one tile each (tile_each.hpp). One more word for each tile says whether it
/// is late.
constexpr std::uint64_t tile_each_words_of(std::int64_t tiles, std::uint64_t words) {
  return look_back_header_words + static_cast<std::uint64_t>(tiles) * (words + 1);
}

/// The fewest elements of a whole tile of any kernel with a look-back, on any GPU. `longest` is the number of bytes of
/// the longest of an element, its key, its value and its result. Launchers assert that no tile has fewer.
constexpr std::int64_t least_tile_elements(std::int64_t longest) {
  if (longest <= 16) return longest <= 2 ? 3700 : 11000 / longest;
  std::int64_t const fitting = 7168 / longest;
  return fitting < 32 ? 32 : fitting > 192 ? 192 : fitting;
}
constexpr std::int64_t most_tiles(std::int64_t n, std::int64_t longest) {
  return n / detail::least_tile_elements(longest) + 1;
}
/// The most tagged words of a launch for n elements. Up to 256 blocks have one tile each.
constexpr std::uint64_t most_tile_words(std::int64_t n, std::int64_t longest, std::uint64_t words) {
  std::int64_t const tiles = detail::most_tiles(n, longest);
  std::uint64_t const by_loop = detail::look_back_words_of(tiles, words),
                      by_each = detail::tile_each_words_of(tiles < 256 ? tiles : 256, words);
  return by_loop > by_each ? by_loop : by_each;
}

/// The bytes of the longest element of a tile's shape.
template <class Shape, class = void>
inline constexpr unsigned longest_of = Shape::element_bytes;
template <class Shape>
inline constexpr unsigned longest_of<Shape, stl::void_t<decltype(Shape::widest)>> = Shape::widest;
/// True if tiles of so many warps have no fewer elements than least_tile_elements.
template <class Shape>
constexpr bool has_planned_tiles(unsigned warps) {
  constexpr std::int64_t n = std::int64_t{1} << 40;
  return Shape::tile_count(n, warps) <= detail::most_tiles(n, longest_of<Shape>);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
