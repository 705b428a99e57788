// The bytes that a selection takes of the workspace's data, exactly and at most.
#pragma once

#include <tessera/grid/parts/top_k_entry.hpp>
#include <tessera/grid/parts/workspace_layout.hpp>
#include <tessera/grid/sort/cub_bytes.hpp>
#include <tessera/grid/top_k/bucket_plan.hpp>

#include <cstddef>
#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The workspace's data begins with result_bytes bytes: the number of entries that are left, and at value_offset a
/// value for an interpolation. The lists of entries follow, and temporary storage for a sort of them.
inline constexpr std::size_t result_bytes = 256, value_offset = 128;

/// The bytes of all but the last part.
template <class Entry>
std::size_t selection_bytes(select_plan const& plan) {
  return detail::on_lines(result_bytes + plan.entries() * sizeof(Entry));
}

/// The bytes of a selection of the ranks 0 … target of n, or only of `target` if `single`, on any GPU: the number of
/// entries that are planned doesn't depend on that of blocks.
template <class Entry>
std::size_t most_selection_bytes(std::int64_t n, std::int64_t target, bool single, gpu_of_plan const& gpu) {
  auto const plan = detail::plan_selection<top_k_tuning::shape, Entry>(n, target, single, even_share{}, 1, 1);
  std::size_t const lists = detail::selection_bytes<Entry>(plan);
  if (plan.wanted != wanted_ranks::unsorted) return lists;
  return lists + detail::cub_radix_bytes(static_cast<std::int64_t>(plan.capacity), 8 * Entry::words, 0, gpu);
}
/// most_selection_bytes with the entries for keys of key_bytes bytes.
inline std::size_t most_selection_bytes(std::int64_t n, std::int64_t target, bool single, std::int64_t key_bytes,
                                        gpu_of_plan const& gpu) {
  using packed = packed_entry<rank_keys<std::uint32_t>>;
  bool const is_packed = key_bytes < 4 || (key_bytes == 4 && n <= std::int64_t{1} << packed::index_bits);
  return is_packed ? detail::most_selection_bytes<packed>(n, target, single, gpu)
                   : detail::most_selection_bytes<indexed_key_entry<rank_keys<std::uint64_t>>>(n, target, single, gpu);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
