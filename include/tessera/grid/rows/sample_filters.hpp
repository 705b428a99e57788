// Which columns of a row may be drawn: the options of sample_rows and renormalize_rows.
#pragma once

#include <tessera/core/config.hpp>

#include <cstddef>
#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid {

/// A number for all rows, or an array on the GPU with one for each row.
///
///   options.temperature = 0.7f;
///   options.temperature = temperatures;  // float const*
template <class T>
struct per_row {
  T value{};
  T const* values = nullptr;

  constexpr per_row() noexcept = default;
  constexpr per_row(T for_all) noexcept : value(for_all) {}
  constexpr per_row(T const* for_each) noexcept : values(for_each) {}
  per_row(std::nullptr_t) = delete;

  TESSERA_FN T of(std::int64_t row) const { return values != nullptr ? values[row] : value; }
};

/// The filters, in the order in which they apply. What is not said keeps every column.
struct sample_filters {
  per_row<float> temperature = 1.0f;  ///< logits are divided by it; 0: the greatest is taken
  per_row<std::int32_t> top_k = 0;    ///< keeps so many of the greatest; 0: all
  per_row<float> top_p = 1.0f;        ///< keeps the fewest of the greatest that have this share of the probability left
  per_row<float> min_p = 0.0f;        ///< keeps those with this share of the greatest's probability, or more
};

/// The filters, and what else sample_rows reads and writes.
struct sample_options : sample_filters {
  per_row<std::uint64_t> step = std::uint64_t{0};  ///< the number of the draw: a seed's draws are independent
  float const* uniforms = nullptr;                 ///< a number in [0, 1) for each row, in place of seed and step
  float* logprobs = nullptr;                       ///< gets the logarithm of the probability of what was drawn
};

}  // namespace grid
TESSERA_NAMESPACE_END
