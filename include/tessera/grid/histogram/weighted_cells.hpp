// Sums of weights in bins, which are the same in whatever order the weights come.
//
//   weight     0.75    0.5    −0.3125            peak 0.75: below 2^0
//   as fixed   24      16     −10                multiples of the unit 2^-5, exact in 64 bits
//   sum        30 · 2^-5 = 0.9375
//
// Floats become multiples of one unit, which is so small that 64 bits hold n of the largest weight: sums of integers
// have one value, whereas sums of floats depend on their order. Integers are added as they are, modulo 2^64.
//
// In shared memory a sum is two words, since additions of 64 bits are a loop there: the lower word's carry goes with
// the upper one.
#pragma once

#include <tessera/atomic.hpp>
#include <tessera/core/bits.hpp>
#include <tessera/core/number.hpp>
#include <tessera/grid/parts/memory_ops.hpp>
#include <tessera/operators.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The weights that a bin has got besides finite ones: bits of a word.
inline constexpr unsigned has_infinity = 1, has_negative_infinity = 2, has_nan = 4;

/// Weights of an integer type: themselves.
template <class W, bool Float = tessera::detail::is_any_float<W>>
struct fixed_weights {
  static constexpr bool needs_peak = false;

  TESSERA_FN static fixed_weights of(stl::uint64_t, stl::int64_t) { return {}; }
  TESSERA_FN stl::uint64_t fixed(W w) const { return static_cast<stl::uint64_t>(static_cast<stl::int64_t>(w)); }
  TESSERA_FN static unsigned special(W) { return 0; }
  template <class Sum>
  TESSERA_FN Sum sum(stl::uint64_t total, unsigned) const {
    return static_cast<Sum>(total);
  }
};

/// Floats as multiples of 2^-places, rounded to nearest.
template <class W>
struct fixed_weights<W, true> {
  using number = stl::conditional_t<stl::is_same_v<W, double>, double, float>;
  using bits = typename tessera::detail::unsigned_of<sizeof(number)>::type;
  static constexpr bool needs_peak = true;
  static constexpr int mantissa = sizeof(number) == 8 ? 52 : 23;
  static constexpr int bias = sizeof(number) == 8 ? 1023 : 127;
  static constexpr bits most = static_cast<bits>(~bits{0} >> 1);
  static constexpr bits infinity = static_cast<bits>(static_cast<bits>(2 * bias + 1) << mantissa);

  int places;

  TESSERA_FN static bits magnitude(W w) {
    return tessera::detail::from_bits<bits>(tessera::detail::convert<number>(w)) & most;
  }
  /// For n weights whose finite magnitudes are up to `peak`.
  TESSERA_FN static fixed_weights of(stl::uint64_t peak, stl::int64_t n) {
    int const exponent = static_cast<int>(peak >> mantissa);
    int doublings = 0;
    while (doublings < 62 && (stl::int64_t{1} << doublings) < n) ++doublings;
    return {62 - doublings - ((exponent == 0 ? 1 : exponent) - bias + 1)};
  }
  TESSERA_FN stl::uint64_t fixed(W w) const {
    bits const b = tessera::detail::from_bits<bits>(tessera::detail::convert<number>(w)), size = b & most;
    int const exponent = static_cast<int>(size >> mantissa);
    stl::uint64_t digits = size & ((bits{1} << mantissa) - 1);
    if (exponent != 0) digits |= stl::uint64_t{1} << mantissa;
    int const up = (exponent == 0 ? 1 : exponent) - bias - mantissa + places;
    stl::uint64_t x = 0;
    if (up >= 0) {
      x = digits << up;
    } else if (up >= -mantissa - 1) {
      x = (digits + (stl::uint64_t{1} << (-up - 1))) >> -up;
    }
    return b == size ? x : 0 - x;
  }
  /// The bit of the weight's kind, or 0 if it is finite.
  TESSERA_FN static unsigned special(W w) {
    bits const b = tessera::detail::from_bits<bits>(tessera::detail::convert<number>(w)), size = b & most;
    return size < infinity ? 0 : size > infinity ? has_nan : b == size ? has_infinity : has_negative_infinity;
  }
  template <class Sum>
  TESSERA_FN Sum sum(stl::uint64_t total, unsigned specials) const {
    constexpr float inf = tessera::detail::infinity;
    if (specials == has_infinity) return static_cast<Sum>(inf);
    if (specials == has_negative_infinity) return static_cast<Sum>(-inf);
    if (specials != 0) return static_cast<Sum>(tessera::detail::nan);
    double const x = static_cast<double>(static_cast<stl::int64_t>(total));
    int const half = -places / 2;
    return static_cast<Sum>(x * power_of_two(half) * power_of_two(-places - half));
  }

 private:
  /// 2^k, for k from −1022 to 1023.
  TESSERA_FN static double power_of_two(int k) {
    return tessera::detail::from_bits<double>(static_cast<stl::uint64_t>(k + 1023) << 52);
  }
};

/// The sums of a block, in its shared memory: three words for each cell.
struct weighted_cells {
  unsigned* low;
  unsigned size;

  TESSERA_FN unsigned* high() const { return low + size; }
  TESSERA_FN unsigned* special() const { return low + 2 * size; }

  template <class Block>
  TESSERA_FN void clear(Block const& block) const {
    for (unsigned i = block.thread_rank(); i < 3 * size; i += block.size()) low[i] = 0;
  }
  TESSERA_FN void add(unsigned cell, stl::uint64_t x) const {
    auto const lower = static_cast<unsigned>(x);
    unsigned const held = detail::fetch_add(low + cell, lower);
    unsigned const upper = static_cast<unsigned>(x >> 32) + (held + lower < lower ? 1u : 0u);
    if (upper != 0) static_cast<void>(detail::fetch_add(high() + cell, upper));
  }
  TESSERA_FN void add_special(unsigned cell, unsigned specials) const {
    tessera::atomic_update(special() + cell, specials, tessera::bit_or{});
  }
  TESSERA_FN stl::uint64_t total(unsigned cell) const { return stl::uint64_t{high()[cell]} << 32 | low[cell]; }
};

/// The sums of all blocks while they are added: of the bins, and the numbers of elements below, above and NaN.
struct weighted_totals {
  stl::uint64_t* total;  // bins + 3
  unsigned* special;     // bins + 3
  unsigned bins;

  template <class Warp>
  TESSERA_FN void clear(Warp const& warp) const {
    for (unsigned i = warp.thread_rank(); i < bins + 3; i += warp.size()) {
      total[i] = 0;
      special[i] = 0;
    }
  }
  /// Adds the sums of a block. Called by all of its threads.
  template <class Block, class Search>
  TESSERA_FN void add(Block const& block, weighted_cells const& cells, Search const& search) const {
    for (unsigned i = block.thread_rank(); i < cells.size; i += block.size()) {
      unsigned const bin = search.of_cell(i);
      if (bin >= bins + 3) continue;
      if (cells.total(i) != 0) detail::fetch_add(total + bin, cells.total(i));
      if (cells.special()[i] != 0) tessera::atomic_update(special + bin, cells.special()[i], tessera::bit_or{});
    }
  }
};

/// Adds a weight in the cell of its element: outside the bins, which begin after cell `below`, 1.
template <class Fixed, class W>
TESSERA_FN void add_weight(weighted_cells const& cells, unsigned cell, bool in_bin, Fixed const& fixed, W const& w) {
  unsigned const specials = in_bin ? Fixed::special(w) : 0;
  if (specials != 0) {
    cells.add_special(cell, specials);
  } else {
    cells.add(cell, in_bin ? fixed.fixed(w) : 1);
  }
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
