// A block's part of a row of logits, of which other ranks have the other columns: what sample_parts.hpp counts, finds
// and writes there, by the weights of row_weights.hpp and in the order of row_sampler.hpp.
//
// Weights are integers, and so are sums of them over ranks: they are those of the whole row.
#pragma once

#include <tessera/grid/rows/row_sampler.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The sums of a part's elements, by a digit of their keys.
struct digit_sums {
  static constexpr int bits = 4, digits = 1 << bits;
  std::uint64_t of[digits];
};

/// The digits of keys of T, the highest in round 0.
template <class T>
struct row_digits {
  static constexpr int bits = 32 - static_cast<int>(row_key<T>::unused_bits);
  static constexpr int rounds = (bits + digit_sums::bits - 1) / digit_sums::bits;

  TESSERA_FN static constexpr int shift_of(int round) { return (rounds - 1 - round) * digit_sums::bits; }
};

template <class Shape, class T, class Block>
class sampled_row_part {
  using team_t = sample_block<Shape, Block>;
  using sampler_t = row_sampler<Shape, T, team_t>;

 public:
  TESSERA_FN sampled_row_part(Block const& block, sample_storage<Shape>& storage, T const* row, int column_count,
                              known_row const& known, float temperature)
      : team_(block, storage), sampler_(team_, row, column_count, known, temperature) {}
  sampled_row_part(sampled_row_part const&) = delete;

  /// The weight of all kept columns.
  TESSERA_FN std::uint64_t mass() const { return sampler_.mass_of_row(); }

  /// Adds up, by their next digit, 1 or the weight of kept elements whose keys begin with the digits of `key` so far.
  /// Every thread gets the sums.
  TESSERA_FN digit_sums sums_of_digits(bool counts, std::uint32_t key, int round) const {
    digit_sums sums{};
    int const shift = row_digits<T>::shift_of(round);
    sampler_.visit_own([&](auto const& x, int column) {
      TESSERA_UNROLL
      for (int j = 0; j < sampler_t::width; ++j) {
        std::uint32_t const own = sampler_t::key_of(x[j]);
        bool const begins = round == 0 || ((own ^ key) >> shift >> digit_sums::bits) == 0;
        if (!begins || !sampler_.cut_.keeps(x[j], column + j)) continue;
        std::uint32_t const digit = own >> shift & (digit_sums::digits - 1), worth = sampler_.worth(counts, x[j]);
        TESSERA_UNROLL
        for (unsigned d = 0; d < digit_sums::digits; ++d) sums.of[d] += digit == d ? worth : 0;
      }
    });
    TESSERA_UNROLL
    for (std::uint64_t& sum : sums.of) sum = tessera::reduce(sampler_.tile_, sum, plus{}, converged);
    return sums;
  }

  /// The column of the kept element that equals x and has `before` such ones before it.
  TESSERA_FN int column_of_tie(std::uint64_t before, float x) const {
    auto const is_tie = [this, x](float y, int column) {
      return tessera::detail::ieee_is_equal(x, y) && sampler_.cut_.keeps(y, column) ? 1u : 0u;
    };
    sampler_.sum_row(is_tie);
    return sampler_.find_column(before, is_tie);
  }

  /// The kept column up to which the part's weights add up to more than `target`, which is less than all of them.
  TESSERA_FN int drawn_column(std::uint64_t target) const {
    mass();
    return sampler_.find_column(target, [this](float x, int column) { return sampler_.kept_weight(x, column); });
  }
  /// The logarithm of a column's probability.
  TESSERA_FN float log_probability(int column) const { return sampler_.log_probability(sampler_.number_at(column)); }

  TESSERA_FN void write_probabilities(T* out) const { sampler_.write_probabilities(out); }
  TESSERA_FN void write_one(T* out, int chosen) const { sampler_.write_one(out, chosen); }

 private:
  team_t team_;
  sampler_t sampler_;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
