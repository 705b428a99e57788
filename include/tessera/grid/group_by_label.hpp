// Brings equal labels together: the options of group_by_label, which is in group_by_label.cuh.
//
//   tessera::grid::group_options<int> options;
//   options.pad_to = 64;       // each group begins at a multiple
//   options.counts = counts;   // int* on the GPU: the elements of each bin
//   options.inverse = places;  // int* on the GPU: where each element went
//   std::int64_t const places_of_order = tessera::grid::grouped_size(n, bins, options.pad_to);
#pragma once

#include <tessera/core/config.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid {

/// Outputs of group_by_label besides the offsets and the order. Those that are null aren't written.
template <class Index>
struct group_options {
  /// Each group begins at a multiple of it.
  std::int64_t pad_to = 1;
  /// One for each bin: how many elements it has.
  Index* counts = nullptr;
  /// One for each element: where the order has it. −1 if it has no bin.
  Index* inverse = nullptr;
  /// One for every pad_to places of the order, up to the last offset: the bin that they belong to.
  std::int32_t* block_labels = nullptr;
};

/// The number of entries that `order` must have room for: n, or more if groups are padded. The call writes as many as
/// the last offset says. Preconditions: n ≥ 0, bins ≥ 1, pad_to ≥ 1.
constexpr std::int64_t grouped_size(std::int64_t n, std::int64_t bins, std::int64_t pad_to = 1) noexcept {
  return n + (n < bins ? n : bins) * (pad_to - 1);
}

}  // namespace grid
TESSERA_NAMESPACE_END
