// Which columns of a row may be drawn: the options of sample_rows and renormalize_rows, which are in sample_rows.cuh.
//
//   tessera::grid::sample_options options;
//   options.temperature = temperatures;  // float const* on the GPU: one for each row
//   options.top_k = 50;                  // or one for all
//   options.top_p = 0.9f;
//   options.step = step;                 // the number of the draw, std::uint64_t
//
// renormalize_rows takes sample_filters, the part of the options that says which columns are kept.
#pragma once

#include <tessera/core/config.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

TESSERA_NAMESPACE_BEGIN
namespace grid {

/// A number for all rows, or an array on the GPU with one for each row.
template <class T>
struct per_row {
  T value{};
  T const* values = nullptr;

  constexpr per_row() noexcept = default;
  constexpr per_row(T for_all) noexcept : value(for_all) {}
  /// A number of another type, as 0, which is a null pointer, too.
  template <class Number, std::enable_if_t<std::is_arithmetic_v<Number>, bool> = true>
  constexpr per_row(Number for_all) noexcept : value(static_cast<T>(for_all)) {}
  constexpr per_row(T const* for_each) noexcept : values(for_each) {}
  per_row(std::nullptr_t) = delete;

  /// The number of one row. For the GPU, if there is an array.
  TESSERA_FN T of(std::int64_t row) const { return values != nullptr ? values[row] : value; }
};

/// The filters, in the order in which they apply. What isn't given keeps every column.
struct sample_filters {
  /// Logits are divided by it; 0: the greatest is taken.
  per_row<float> temperature = 1.0f;
  /// Keeps so many of the greatest; 0: all.
  per_row<std::int32_t> top_k = 0;
  /// Keeps the fewest of the greatest whose probabilities add up to this share, or more, of what top_k kept.
  per_row<float> top_p = 1.0f;
  /// Keeps those with this share of the greatest's probability, or more.
  per_row<float> min_p = 0.0f;
};

/// The filters, and what else sample_rows reads and writes.
struct sample_options : sample_filters {
  /// The number of the draw: a seed's draws are independent.
  per_row<std::uint64_t> step = std::uint64_t{0};
  /// Null, or a number in [0, 1) for each row, in place of its seed and step.
  float const* uniforms = nullptr;
  /// Null, or an output on the GPU: for each row the log-probability of the drawn column.
  float* logprobs = nullptr;
};

}  // namespace grid
TESSERA_NAMESPACE_END
