// The agent of sample_rows and renormalize_rows: a block, or a cluster of blocks, filters a row, and draws one of its
// columns.
//
//   max       the row's greatest element. Each lane keeps those of two of its vectors, and that of all others.
//   list      All elements from a bound on go to shared memory, in order. As many lanes have a greatest element from it
//             on as elements are wanted, or more. Most lanes read nothing again, the others mostly one vector.
//   filter    among the list if it has all that the filters keep; else the row is read again, once for every few
//             thresholds that are tried (find_cut)
//   draw      The kept columns' weights (row_weights.hpp) add up to a mass, of which a random number chooses a unit.
//             The column that has it is found among the list, or by sums of parts of the row.
//
// The row's elements are in one order: greater ones first, of equal ones those of lower columns. Each filter keeps some
// of the first in that order, so that a cut says which: an element, and the last column that keeps it. All decisions
// are by counts and sums of integers: they don't depend on how many threads there are, nor on which way was taken.
//
// A Team of one block, or of several, shares a row (sample_team.hpp). Blocks have a part of its vectors each, exchange
// greatest elements, bounds, sums and lists, and so decide the same. One of them has the drawn column.
//
// A NaN is taken as −∞. Neither is ever kept. A row with +∞ is taken as one of 0 where it has +∞, and −∞ elsewhere.
#pragma once

#include <tessera/core/canonical_key.hpp>
#include <tessera/core/philox.hpp>
#include <tessera/grid/parts/memory_ops.hpp>
#include <tessera/grid/rows/row_fragment.hpp>
#include <tessera/grid/rows/row_weights.hpp>
#include <tessera/grid/rows/sample_team.hpp>
#include <tessera/grid/rows/sample_tuning.hpp>
#include <tessera/grid/rows/sorted_lists.hpp>
#include <tessera/grid/sample_rows.hpp>
#include <tessera/lanes.hpp>
#include <tessera/reduce.hpp>
#include <tessera/scan.hpp>
#include <tessera/vote.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Where the kept elements of a row end: it keeps those above `least`, and of those equal to it, those up to `last`.
struct row_cut {
  float least = -3.40282347e38f;
  int last = INT32_MAX;

  TESSERA_FN bool keeps(float x, int column) const {
    return tessera::detail::ieee_is_less(least, x) || (tessera::detail::ieee_is_equal(x, least) && column <= last);
  }
};

/// An element and its column as an integer: greater for what comes earlier in the row's order.
struct row_place {
  using key = tessera::detail::canonical_key<false>;

  TESSERA_FN static std::uint64_t of(float x, int column) {
    return std::uint64_t{key::of(x)} << 32 | ~static_cast<std::uint32_t>(column);
  }
  TESSERA_FN static float number(std::uint64_t place) { return key::number(static_cast<std::uint32_t>(place >> 32)); }
  TESSERA_FN static int column(std::uint64_t place) { return static_cast<int>(~static_cast<std::uint32_t>(place)); }
  TESSERA_FN static row_cut cut(std::uint64_t place) { return {number(place), column(place)}; }
};

/// An element's key, in the order of elements. The lowest bits of keys of 16-bit floats say no more than the others do,
/// and are left out: those of negative numbers end in ones.
template <class T>
struct row_key {
  static constexpr unsigned unused_bits = stl::is_same_v<T, __nv_bfloat16> ? 16 : stl::is_same_v<T, __half> ? 13 : 0;

  TESSERA_FN static std::uint32_t of(float x) { return row_place::key::of(x) >> unused_bits; }
  TESSERA_FN static float number(std::uint32_t key) {
    std::uint32_t const whole = key << unused_bits;
    constexpr std::uint32_t sign = std::uint32_t{1} << 31;
    return row_place::key::number((whole & sign) != 0 ? whole : whole | ((1u << unused_bits) - 1));
  }
};

/// The filters of one row.
struct filters_of_row {
  float temperature;
  std::int32_t top_k;
  float top_p, min_p;

  TESSERA_FN filters_of_row(sample_filters const& of, std::int64_t row)
      : temperature(of.temperature.of(row)),
        top_k(of.top_k.of(row)),
        top_p(of.top_p.of(row)),
        min_p(of.min_p.of(row)) {}
  TESSERA_FN bool is_greedy() const { return !tessera::detail::ieee_is_less(0.0f, temperature); }

  /// The least mass that has a share of top_p of `mass`: that rounded up, and at least 1.
  TESSERA_FN std::uint64_t wanted_mass(std::uint64_t mass) const {
    auto const share = static_cast<std::uint64_t>(tessera::detail::rounded_multiply(
        tessera::detail::greater_of<number_wins>(top_p, 0.0f), 0x1p32f));  // in units of 2^-32
    std::uint64_t const low = (mass & 0xffffffffu) * share;
    std::uint64_t const wanted = (mass >> 32) * share + (low >> 32) + ((low & 0xffffffffu) != 0 ? 1 : 0);
    return wanted == 0 ? 1 : wanted;
  }
  /// The least weight that has a share of min_p of the greatest's.
  TESSERA_FN std::uint32_t least_weight() const {
    if (!tessera::detail::ieee_is_less(0.0f, min_p)) return 0;
    if (min_p >= 1) return row_weights::one;
    float const weight = tessera::detail::rounded_multiply(min_p, 0x1p31f);
    auto const whole = static_cast<std::uint32_t>(weight);
    return static_cast<float>(whole) < weight ? whole + 1 : whole;
  }
};

/// A number in [0, 1) as bits. What is below is 0, what is above the greatest.
TESSERA_FN std::uint64_t bits_of_uniform(float u) {
  if (u >= 1) return ~std::uint64_t{0};
  return u > 0 ? static_cast<std::uint64_t>(tessera::detail::rounded_multiply(u, 0x1p64f)) : 0;
}

/// The known facts of a row of which a block has a part, as ranks have (sharded/sampled_row_part.hpp).
struct known_row {
  float max;         // of the whole row, as its elements count
  bool is_infinite;  // the row has +∞
  row_cut cut;       // `last` is one of the part's columns
  std::uint32_t least_weight;
  std::uint64_t mass;  // of the whole row
};

template <class Shape, class T, class Block>
class sampled_row_part;

/// The sums of items.
struct sum_of_items {
  template <class X, unsigned K>
  TESSERA_FN items<X, K> operator()(items<X, K> const& a, items<X, K> const& b) const {
    items<X, K> sums;
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) sums[i] = a[i] + b[i];
    return sums;
  }
};

template <class Shape, class T, class Team>
class row_sampler {
  template <class, class, class>
  friend class sampled_row_part;
  static constexpr unsigned threads = Shape::threads, warps = threads / 32, capacity = Shape::capacity;
  static constexpr int width = static_cast<int>(row_vector_length<T>);
  static constexpr float infinity = stl::numeric_limits<float>::infinity();
  using storage_t = sample_storage<Shape>;

 public:
  /// Reads the row. Called by all threads of the team, as all functions are.
  TESSERA_FN row_sampler(Team const& team, T const* row, int column_count)
      : row_sampler(team, row, column_count, unread{}) {
    visit_at_once([&](auto const& x, int column) {
      float greatest = -infinity;
      TESSERA_UNROLL
      for (int j = 0; j < width; ++j) greatest = tessera::detail::greater_of<number_wins>(x[j], greatest);
      keep_greatest({greatest, column});
    });
    max_ = combined(tessera::reduce(tile_, first_.greatest, maximum{}, converged), maximum{});
    if (max_ == infinity) {
      is_infinite_ = true;
      first_.greatest = viewed(first_.greatest);
      second_.greatest = viewed(second_.greatest);
      others_ = viewed(others_);
      max_ = 0;
    }
  }

  /// Samples a part of a row, with what is known of the row. Reads nothing.
  TESSERA_FN row_sampler(Team const& team, T const* row, int column_count, known_row const& known, float temperature)
      : row_sampler(team, row, column_count, unread{}) {
    max_ = known.max;
    is_infinite_ = known.is_infinite;
    weights_ = row_weights(known.max, temperature);
    cut_ = known.cut;
    least_weight_ = known.least_weight;
    mass_ = known.mass;
    keeps_all_ = false;
  }

  /// True if no column can be drawn.
  TESSERA_FN bool is_empty() const { return max_ == -infinity; }
  /// The greatest element; −∞ if there is none.
  TESSERA_FN float greatest() const { return is_infinite_ ? infinity : max_; }

  /// The first column of the greatest element.
  TESSERA_FN int first_greatest() const {
    int first = INT32_MAX;
    visit_from(max_, [&](auto const& x, int column) {
      TESSERA_UNROLL
      for (int j = 0; j < width; ++j)
        first = tessera::detail::ieee_is_equal(x[j], max_) && column + j < first ? column + j : first;
    });
    return combined(tessera::reduce(tile_, first, minimum{}, converged), minimum{});
  }

  /// Finds out what the filters keep of a row that isn't empty. The temperature is above 0. With `for_draw` it returns
  /// false in blocks that draw() can do without.
  TESSERA_FN bool filter(filters_of_row const& by, bool for_draw) {
    weights_ = row_weights(max_, by.temperature);
    bool const has_k = by.top_k > 0 && by.top_k < columns_, has_p = by.top_p < 1;
    auto const k = static_cast<unsigned>(has_k ? by.top_k : 0);
    std::uint32_t const least_weight = by.least_weight();
    if (columns_ <= static_cast<int>(capacity)) {
      list_from(row_cut{}.least);
    } else if (has_k ? k <= Shape::most_wanted : has_p || least_weight > 0) {
      if (!list_from(bound_of(has_k ? k : Shape::most_wanted), for_draw ? k : 0)) return false;
    }
    if (is_whole_) keep_listed(listed_);
    constexpr int by_count = 0, by_mass = 1, end = 2;
    TESSERA_LOOP
    for (int filter = has_k ? by_count : has_p ? by_mass : end; filter <= end; ++filter) {  // One code for all.
      if (filter == by_mass && !has_p) continue;
      if (filter == end && least_weight > 0) keep_from(least_weight);
      if (filter != by_count) mass_ = is_listed_ ? mass_of_listed(kept_) : mass_of_row();
      if (filter == end) break;
      bool const counts = filter == by_count;
      std::uint64_t const wanted = counts ? k : by.wanted_mass(mass_);
      unsigned const most = is_listed_ ? kept_ : listed_;
      if (is_listed_ || (listed_ > 0 && (counts ? listed_ : mass_of_listed(listed_)) >= wanted)) {
        auto const first = static_cast<unsigned>(wanted < most ? wanted : most);
        keep_listed(counts ? first
                           : tessera::count_if(tile_, rank_ < most && up_to_own_ - own_weight_ < wanted, converged));
      } else {
        drop_list();
        cut_ = find_cut(counts, wanted);
      }
    }
    return true;
  }

  /// Calls use(column, a function that gives the logarithm of its probability) in one thread.
  template <class Use>
  TESSERA_FN void draw(std::uint64_t random, Use use) const {
    std::uint64_t const target = detail::high_product(mass_, random);
    if (is_listed_) {
      draw_listed(target, use);
    } else {
      int const column = find_column(target, [this](float x, int c) { return kept_weight(x, c); });
      if (rank_ == 0 && column >= 0) use(column, [&] { return log_probability(number_at(column)); });
    }
  }

  /// Writes the probabilities of all columns: 0 of those that aren't kept. `out` may be the row itself.
  TESSERA_FN void write_probabilities(T* out) const {
    float const share = tessera::detail::rounded_divide(0x1p31f, static_cast<float>(mass_));
    bool const is_filtered = least_weight_ > 0;
    write(out, [&](float x, int column) {
      bool const is_kept = cut_.keeps(x, column) && (!is_filtered || weights_(x) >= least_weight_);
      return is_kept ? tessera::detail::rounded_multiply(weights_.number(x), share) : 0.0f;
    });
  }
  /// Writes 1 for one column and 0 for the others; a negative column is none.
  TESSERA_FN void write_one(T* out, int chosen) const {
    write(out, [&](float, int column) { return column == chosen ? 1.0f : 0.0f; });
  }

 private:
  /// A row of which nothing is known yet.
  struct unread {};
  TESSERA_FN row_sampler(Team const& team, T const* row, int column_count, unread)
      : team_(team),
        storage_(team.storage()),
        tile_(team.tile()),
        warp_(team.template part<32>()),
        rank_(tile_.thread_rank()),
        lane_(rank_ % 32),
        row_(row),
        columns_(column_count),
        vectors_(column_count > 0 ? detail::vector_count(row, column_count) : 0),
        begin_(part_of(vectors_, team.rank(), team.blocks())),
        end_(part_of(vectors_, team.rank() + 1, team.blocks())) {}

  /// The values that the blocks have of x, combined.
  template <class X, class Op>
  TESSERA_FN X combined(X const& x, Op const& op) const {
    if constexpr (Team::is_alone) {
      return x;
    } else {
      team_.all_gather(x);
      X all = team_.template value_of<X>(0);
      for (unsigned b = 1; b < team_.blocks(); ++b) all = op(all, team_.template value_of<X>(b));
      return all;
    }
  }

  // ---- The row. Its vectors are cut into a part for each block, begin_..end_. Each part, or others, are cut into one
  //      for each warp.

  TESSERA_FN static int part_of(int vectors, unsigned part, unsigned parts) {
    return static_cast<int>(static_cast<std::int64_t>(vectors) * part / parts);
  }
  TESSERA_FN static int part_begin(unsigned part, int begin, int end) {
    return begin + part_of(end - begin, part, warps);
  }
  TESSERA_FN float viewed(float x) const { return !is_infinite_ ? x : x == infinity ? 0.0f : -infinity; }

  TESSERA_FN int part_begin() const { return part_begin(rank_ / 32, begin_, end_); }
  TESSERA_FN int part_end() const { return part_begin(rank_ / 32 + 1, begin_, end_); }
  TESSERA_FN int column_of(int vector) const { return vector * width - detail::shift_of(row_); }

  TESSERA_FN packed<T> load(int vector) const {
    return detail::load_part(row_ + column_of(vector), column_of(vector), columns_);
  }
  /// The elements of a vector as they count. One that isn't in the row is −∞.
  TESSERA_FN numbers_t<T> numbers_of(packed<T> const& data, int column) const {
    auto x = detail::unpack<T>(data);
    if (column < 0 || column + width > columns_) {
      TESSERA_UNROLL
      for (int j = 0; j < width; ++j) x[j] = column + j >= 0 && column + j < columns_ ? x[j] : -infinity;
    }
    return numbers_as_they_count(x);
  }
  TESSERA_FN numbers_t<T> numbers_as_they_count(numbers_t<T> x) const {
    if (is_infinite_) {
      TESSERA_UNROLL
      for (int j = 0; j < width; ++j) x[j] = viewed(x[j]);
    }
    return x;
  }
  TESSERA_FN float number_at(int column) const { return viewed(detail::to_number(row_[column], element_format<T>{})); }
  /// Calls f(elements, column of the first) for the lane's vectors from `begin` to `end`: each 32nd. The code of f is
  /// there once, and some vectors are on their way.
  template <class F>
  TESSERA_FN void visit(int begin, int end, F f) const {
    constexpr int ahead = 2;
    packed<T> next[ahead]{};
    int const first = begin + static_cast<int>(lane_);
    TESSERA_LOOP
    for (int vector = first - 32 * ahead; vector < end; vector += 32) {
      packed<T> const now = next[0];
      TESSERA_UNROLL
      for (int i = 0; i + 1 < ahead; ++i) next[i] = next[i + 1];
      if (vector + 32 * ahead < end) next[ahead - 1] = load(vector + 32 * ahead);
      if (vector >= first) f(numbers_of(now, column_of(vector)), column_of(vector));
    }
  }
  template <class F>
  TESSERA_FN void visit_own(F f) const {
    visit(part_begin(), part_end(), f);
  }
  /// The first vector of a lane of this warp, and how far its vectors are apart. Groups of 32 neighboring ones go to
  /// different blocks, so that all blocks have some of every part of the row.
  TESSERA_FN int first_vector(unsigned lane) const {
    return static_cast<int>((rank_ / 32 * team_.blocks() + team_.rank()) * 32 + lane);
  }
  TESSERA_FN int vectors_apart() const { return static_cast<int>(threads * team_.blocks()); }
  /// Visits this lane's vectors, with many on their way. The code of f, which is short, is there as many times.
  template <class F>
  TESSERA_FN void visit_at_once(F f) const {
    constexpr int count = static_cast<int>(Shape::vectors);
    int const first_whole = detail::shift_of(row_) > 0 ? 1 : 0,
              after_whole = (detail::shift_of(row_) + columns_) / width;
    int const first = first_vector(lane_), apart = vectors_apart();
    TESSERA_LOOP
    for (int at = first; at < vectors_; at += apart * count) {
      packed<T> data[count];
      auto const is_whole = [&](int i) { return at + apart * i >= first_whole && at + apart * i < after_whole; };
      TESSERA_UNROLL
      for (int i = 0; i < count; ++i)
        if (is_whole(i)) data[i] = detail::load_packed(row_ + column_of(at + apart * i));
      TESSERA_UNROLL
      for (int i = 0; i < count; ++i)
        if (is_whole(i)) f(numbers_as_they_count(detail::unpack<T>(data[i])), column_of(at + apart * i));
    }
    TESSERA_LOOP
    for (int edge = 0; edge < 2; ++edge) {  // The row may have its first and its last vector in part.
      int const vector = edge == 0 ? 0 : vectors_ - 1;
      bool const is_part = vector < first_whole || vector >= after_whole, is_again = edge > vector;
      if (is_part && !is_again && vector >= first && (vector - first) % apart == 0)
        f(numbers_of(load(vector), column_of(vector)), column_of(vector));
    }
  }

  /// A vector's greatest element, and the column of its first one.
  struct vector_maximum {
    float greatest = -infinity;
    int column = 0;
  };
  TESSERA_FN void keep_greatest(vector_maximum const& of) {
    bool const is_first = tessera::detail::ieee_is_less(first_.greatest, of.greatest),
               is_second = tessera::detail::ieee_is_less(second_.greatest, of.greatest);
    others_ = tessera::detail::greater_of<number_wins>(others_, is_second ? second_.greatest : of.greatest);
    second_ = is_first ? first_ : is_second ? of : second_;
    first_ = is_first ? of : first_;
  }
  /// Visits the vectors that may have elements from a bound on: of a lane the one or two with its greatest, or all. The
  /// warp shares those of a lane that has all, if few lanes have.
  template <class F>
  TESSERA_FN void visit_from(float bound, F f) const {
    bool const has_all = tessera::detail::ieee_is_at_least(others_, bound);
    auto const have_all = tessera::ballot(warp_, has_all, converged);
    bool const are_shared = have_all.count() <= sample_tuning::most_shared_lanes;
    if (has_all && !are_shared) visit_at_once(f);
    TESSERA_LOOP
    for (unsigned i = 0; i < 2 && !has_all; ++i) {
      vector_maximum const of = i == 0 ? first_ : second_;
      if (!tessera::detail::ieee_is_at_least(of.greatest, bound)) break;
      f(numbers_of(detail::load_part(row_ + of.column, of.column, columns_), of.column), of.column);
    }
    if (!are_shared) return;
    for (unsigned const lane : have_all) {
      TESSERA_LOOP
      for (int at = first_vector(lane) + static_cast<int>(lane_) * vectors_apart(); at < vectors_;
           at += 32 * vectors_apart())
        f(numbers_of(load(at), column_of(at)), column_of(at));
    }
  }

  template <class F>
  TESSERA_FN void write(T* out, F f) const {
    visit_own([&](auto const& x, int column) {
      numbers_t<T> y{};
      TESSERA_UNROLL
      for (int j = 0; j < width; ++j) y[j] = f(x[j], column + j);
      detail::store_part(out + column, column, columns_, detail::pack<T>(y));
    });
  }

  /// The weight of an element that is kept, and 0 of others.
  TESSERA_FN std::uint32_t kept_weight(float x, int column) const {
    if (!cut_.keeps(x, column)) return 0;
    std::uint32_t const weight = weights_(x);
    return weight >= least_weight_ ? weight : 0;
  }
  TESSERA_FN std::uint64_t mass_of_row() const {
    if (keeps_all_) return sum_row([this](float x, int) { return weights_(x); });
    return sum_row([this](float x, int column) { return kept_weight(x, column); });
  }

  /// The sum of a measure over the row. `parts` and `blocks` get those of each warp's and each block's part.
  template <class Measure>
  TESSERA_FN std::uint64_t sum_row(Measure measure) const {
    std::uint64_t const own = sum_parts(begin_, end_, measure);
    if constexpr (Team::is_alone) {
      return own;
    } else {
      std::uint64_t const all = combined(own, plus{});
      if (rank_ < team_.blocks()) storage_.blocks[rank_] = team_.template value_of<std::uint64_t>(rank_);
      detail::barrier_of_block(tile_);
      return all;
    }
  }

  /// The sum of a measure over vectors of the row. `parts` gets that of each warp's part.
  template <class Measure>
  TESSERA_FN std::uint64_t sum_parts(int begin, int end, Measure measure) const {
    std::uint64_t own = 0;
    visit(part_begin(rank_ / 32, begin, end), part_begin(rank_ / 32 + 1, begin, end), [&](auto const& x, int column) {
      TESSERA_UNROLL
      for (int j = 0; j < width; ++j) own += measure(x[j], column + j);
    });
    std::uint64_t const part = tessera::reduce(warp_, own, plus{}, converged);
    detail::barrier_of_block(tile_);  // Nobody reads what was there.
    if (lane_ == 0) storage_.parts[rank_ / 32] = part;
    detail::barrier_of_block(tile_);
    return tessera::reduce(warp_, lane_ < warps ? storage_.parts[lane_] : 0, plus{}, converged);
  }

  /// The first column up to which a measure's sum is above `target`, which is less than the sum of all; −1 if another
  /// block has it. `parts` and `blocks` have the sums of sum_row.
  template <class Measure>
  TESSERA_FN int find_column(std::uint64_t target, Measure measure) const {
    if constexpr (!Team::is_alone) {
      if (narrow(lane_ < team_.blocks() ? storage_.blocks[lane_] : 0, target) != team_.rank()) return -1;
    }
    int begin = begin_, end = end_;
    for (;;) {
      // invariant: the column is in the vectors from begin to end, `target` is relative to them, `parts` has their sums
      unsigned const which = narrow(lane_ < warps ? storage_.parts[lane_] : 0, target);
      int const from = begin;
      begin = part_begin(which, from, end);
      end = part_begin(which + 1, from, end);
      if (end - begin <= 32) break;
      sum_parts(begin, end, measure);
    }
    items<std::uint32_t, static_cast<unsigned>(width)> each{};
    int const vector = begin + static_cast<int>(lane_), first = column_of(vector);
    std::uint64_t own = 0;
    if (vector < end) {
      auto const x = numbers_of(load(vector), first);
      TESSERA_UNROLL
      for (int j = 0; j < width; ++j) own += each[j] = measure(x[j], first + j);
    }
    unsigned const which = narrow(own, target);
    int column = first;
    bool found = false;
    TESSERA_UNROLL
    for (int j = 0; j < width; ++j) {
      found = found || target < each[j];
      column += found ? 0 : 1;
      target -= found ? 0 : each[j];
    }
    return tessera::shuffle(warp_, column, which, converged);
  }
  /// The first lane up to which the sum of the lanes' values is above `target`, from which it takes what is before.
  TESSERA_FN unsigned narrow(std::uint64_t own, std::uint64_t& target) const {
    std::uint64_t const sum = tessera::inclusive_scan(warp_, own, plus{}, converged);
    unsigned const which = tessera::count_if(warp_, sum <= target, converged);
    target -= tessera::shuffle(warp_, sum - own, which, converged);
    return which;
  }

  // ---- The list: the first elements in the row's order.

  /// A bound that the greatest elements of so many lanes reach, and not many more: each block has one for its share,
  /// and the least counts. −∞ is never above it.
  TESSERA_FN float bound_of(unsigned of_row) const {
    using key = row_place::key;
    unsigned const wanted = (of_row + team_.blocks() - 1) / team_.blocks();
    unsigned const most = wanted + wanted / 8 + 4;
    std::uint32_t const own = key::of(first_.greatest);
    std::uint32_t low = tessera::reduce(tile_, own, minimum{}, converged), high = key::of(max_) + 1;
    while (high - low > 1) {
      // invariant: at least `wanted` lanes reach low, and fewer reach high
      std::uint32_t const middle = low + (high - low) / 2;
      unsigned const reach = tessera::count_if(tile_, own >= middle, converged);
      (reach >= wanted ? low : high) = middle;
      if (reach >= wanted && reach <= most) break;
    }
    return combined(tessera::detail::greater_of<number_wins>(key::number(low), row_cut{}.least), minimum{});
  }

  /// Lists all elements from a bound on, if there is room for them. If `enough` isn't 0, and as many were found, block
  /// 0 can finish alone: the other blocks get false, and have no list.
  TESSERA_FN bool list_from(float bound, unsigned enough = 0) {
    begin_list();
    visit_from(bound, [&](auto const& x, int column) {
      put_found(x, column, [&](float y) { return tessera::detail::ieee_is_at_least(y, bound); });
    });
    detail::barrier_of_block(tile_);
    listed_ = gathered();
    if (team_.rank() != 0 && enough > 0 && listed_ >= enough) return false;
    sort_list();
    is_whole_ = listed_ > 0 && bound == row_cut{}.least;
    own_weight_ = rank_ < listed_ ? weights_(row_place::number(storage_.sorted[rank_])) : 0;
    up_to_own_ = tessera::inclusive_scan(tile_, std::uint64_t{own_weight_}, plus{}, converged);
    if (rank_ < capacity) storage_.masses[rank_] = up_to_own_;
    detail::barrier_of_block(tile_);
    return true;
  }
  /// Lists the elements that `is_one` is true of. If there is no room, nothing is listed.
  template <class IsOne>
  TESSERA_FN void list(IsOne is_one) {
    begin_list();
    visit_at_once([&](auto const& x, int column) { put_found(x, column, is_one); });
    detail::barrier_of_block(tile_);
    listed_ = gathered();
    sort_list();
  }
  TESSERA_FN void begin_list() const {
    detail::barrier_of_block(tile_);
    if (rank_ == 0) storage_.count = 0;
    detail::barrier_of_block(tile_);
  }
  template <class IsOne>
  TESSERA_FN void put_found(numbers_t<T> const& x, int column, IsOne is_one) const {
    unsigned found = 0;
    TESSERA_UNROLL
    for (int j = 0; j < width; ++j) found |= is_one(x[j]) ? 1u << j : 0u;
    if (found == 0) return;
    unsigned place = detail::fetch_add(&storage_.count, tessera::detail::bits_set(found));
    TESSERA_UNROLL
    for (int j = 0; j < width; ++j) {
      if ((found >> j & 1) == 0) continue;
      if (place < capacity) found_places()[place] = row_place::of(x[j], column + j);
      ++place;
    }
  }
  /// Where a block puts what it finds.
  TESSERA_FN std::uint64_t* found_places() const { return Team::is_alone ? storage_.listed : storage_.own; }
  /// The number of elements that all blocks have found, which all have in their lists; 0 if there is no room.
  TESSERA_FN unsigned gathered() const {
    unsigned const found = storage_.count;
    if constexpr (Team::is_alone) {
      return found <= capacity ? found : 0;
    } else {
      team_.all_gather(found);
      unsigned before = 0, all = 0;
      for (unsigned b = 0; b < team_.blocks(); ++b) {
        unsigned const of_block = team_.template value_of<unsigned>(b);
        before += b < team_.rank() ? of_block : 0;
        all += of_block <= capacity ? of_block : capacity + 1;
      }
      if (all > capacity) return 0;
      if (rank_ < found) team_.send(storage_.own[rank_], before + rank_);
      team_.wait_for_places(all - found);
      detail::barrier_of_block(tile_);  // the block's own are there, too
      return all;
    }
  }
  /// Sorts the list: each warp 32 elements, whose places among all are then found by binary search.
  TESSERA_FN void sort_list() const {
    constexpr unsigned lists = capacity < 128 ? capacity / 32 : 4;  // that are searched at once
    static_assert(capacity % (32 * lists) == 0, "A list of each warp, and none beyond them.");
    if (rank_ < capacity) {
      unsigned const begin = rank_ / 32 * 32;
      std::uint64_t const own[]{rank_ < listed_ ? ~storage_.listed[rank_] : ~std::uint64_t{0}};  // by rising words
      storage_.listed[rank_] = own[0];
      if (begin < listed_) detail::sort_words_of_warp(warp_, own, storage_.listed + begin, listed_ - begin);
    }
    detail::barrier_of_block(tile_);
    if (rank_ < listed_) {
      std::uint64_t const own = storage_.listed[rank_];
      unsigned place = listed_ <= 32 ? rank_ : 0;
      TESSERA_LOOP
      for (unsigned first = 0; first < listed_ && listed_ > 32; first += 32 * lists)
        detail::add_words_before<32, lists>(own, storage_.listed + first, place);
      storage_.sorted[place] = ~own;
    }
    detail::barrier_of_block(tile_);
  }
  /// Keeps the first `count` of the list.
  TESSERA_FN void keep_listed(unsigned count) {
    is_listed_ = true;
    keeps_all_ = false;
    kept_ = count;
    cut_ = row_place::cut(storage_.sorted[count - 1]);
  }
  TESSERA_FN void drop_list() {
    listed_ = kept_ = 0;
    is_listed_ = is_whole_ = false;
    own_weight_ = 0;
    up_to_own_ = 0;
  }
  /// The mass of the first `count` of the list, for count from 1 on.
  TESSERA_FN std::uint64_t mass_of_listed(unsigned count) const {
    if (least_weight_ == 0) return storage_.masses[count - 1];
    bool const is_kept = rank_ < count && own_weight_ >= least_weight_;
    return tessera::reduce(tile_, is_kept ? std::uint64_t{own_weight_} : 0, plus{}, converged);
  }

  // ---- Filters

  TESSERA_FN void keep_from(std::uint32_t least_weight) {
    least_weight_ = least_weight;
    if (!is_listed_ && listed_ > 0) {
      // Elements after the list may weigh a little more than its last: the polynomial isn't quite monotonic.
      std::uint32_t const last = weights_(row_place::number(storage_.sorted[listed_ - 1]));
      if (last + (last >> 16) + 2 < least_weight) keep_listed(listed_);
    }
    keeps_all_ = false;
  }

  /// An element's part of a sum that `wanted` is of: 1, or its weight.
  TESSERA_FN std::uint32_t worth(bool counts, float x) const { return counts ? 1 : weights_(x); }

  /// The cut after which the kept elements' worth adds up to `wanted` or more; the cut so far if it never does.
  TESSERA_FN row_cut find_cut(bool counts, std::uint64_t wanted) {
    constexpr unsigned pivots = sample_tuning::pivots;
    keeps_all_ = false;
    float low =
        counts ? cut_.least : tessera::detail::greater_of<number_wins>(weights_.first_without_weight(), cut_.least);
    float high = number_of(key_of(max_) + 1);
    unsigned between = ~0u;  // how many elements there are from low to high
    TESSERA_LOOP
    for (unsigned pass = 0; key_of(high) - key_of(low) > 1 && between > capacity; ++pass) {
      // invariant: those below high don't add up to `wanted` without those from high on; with those from low on all do
      items<float, pivots + 1> bounds;
      bounds[0] = low;
      TESSERA_UNROLL
      for (unsigned i = 0; i < pivots; ++i) bounds[i + 1] = pivot(low, high, i, pass);
      items<std::uint64_t, pivots + 1> sums{};
      items<unsigned, pivots + 1> numbers{};
      visit_own([&](auto const& x, int column) {
        TESSERA_UNROLL
        for (int j = 0; j < width; ++j) {
          if (!tessera::detail::ieee_is_at_least(x[j], low) || tessera::detail::ieee_is_at_least(x[j], high)) continue;
          std::uint32_t const own = cut_.keeps(x[j], column + j) ? worth(counts, x[j]) : 0;
          TESSERA_UNROLL
          for (unsigned i = 0; i <= pivots; ++i) {
            bool const reaches = tessera::detail::ieee_is_at_least(x[j], bounds[i]);
            sums[i] += reaches ? own : 0;
            numbers[i] += reaches ? 1u : 0u;
          }
        }
      });
      TESSERA_UNROLL
      for (unsigned i = 0; i <= pivots; ++i) {
        sums[i] = tessera::reduce(tile_, sums[i], plus{}, converged);
        numbers[i] = tessera::reduce(tile_, numbers[i], plus{}, converged);
      }
      sums = combined(sums, sum_of_items{});
      if constexpr (!Team::is_alone) detail::barrier_of_block(tile_);  // All threads have read the sums.
      numbers = combined(numbers, sum_of_items{});
      std::uint64_t above = 0;
      unsigned beyond = 0;
      bool is_found = false;
      TESSERA_UNROLL
      for (unsigned i = pivots + 1; i-- > 0;) {
        std::uint64_t const sum = sums[i];
        unsigned const count = numbers[i];
        if (is_found) continue;
        is_found = sum >= wanted;
        (is_found ? low : high) = bounds[i];
        above = is_found ? above : sum;
        between = count - beyond;
        beyond = count;
      }
      if (!is_found) return cut_;
      wanted -= above;
    }
    return between <= capacity ? cut_in_list(counts, wanted, low, high)
                               : cut_in_ties(counts, wanted, number_of(key_of(low)));
  }
  /// The cut among the elements from `low` to before `high`, for which there is room in the list.
  TESSERA_FN row_cut cut_in_list(bool counts, std::uint64_t wanted, float low, float high) {
    list([&](float x) {
      return tessera::detail::ieee_is_at_least(x, low) && !tessera::detail::ieee_is_at_least(x, high);
    });
    std::uint64_t const place = rank_ < listed_ ? storage_.sorted[rank_] : 0;
    float const x = row_place::number(place);
    std::uint64_t const own = rank_ < listed_ && cut_.keeps(x, row_place::column(place)) ? worth(counts, x) : 0;
    std::uint64_t const sum = tessera::inclusive_scan(tile_, own, plus{}, converged);
    if (sum >= wanted && sum - own < wanted) storage_.place = place;
    detail::barrier_of_block(tile_);
    listed_ = 0;
    return row_place::cut(storage_.place);
  }
  /// The cut among elements that are equal.
  TESSERA_FN row_cut cut_in_ties(bool counts, std::uint64_t wanted, float x) {
    auto const is_tie = [x](float y, int) { return tessera::detail::ieee_is_equal(x, y) ? 1u : 0u; };
    std::uint64_t const before = (wanted - 1) / worth(counts, x), ties = sum_row(is_tie);
    if (before >= ties) return cut_;
    return {x, combined(find_column(before, is_tie), maximum{})};
  }

  TESSERA_FN static std::uint32_t key_of(float x) { return row_key<T>::of(x); }
  TESSERA_FN static float number_of(std::uint32_t key) { return row_key<T>::number(key); }
  /// A number between low and high: every second pass has them equally far apart as numbers, the others as keys.
  TESSERA_FN static float pivot(float low, float high, unsigned i, unsigned pass) {
    constexpr auto steps = static_cast<std::uint32_t>(sample_tuning::pivots + 1);
    std::uint32_t const first = key_of(low), end = key_of(high), step = i + 1;
    std::uint32_t at = first + static_cast<std::uint32_t>(std::uint64_t{end - first} * step / steps);
    if (pass % 2 != 0) {
      float const share = static_cast<float>(step) / static_cast<float>(steps);
      at = key_of(tessera::detail::rounded_add(tessera::detail::rounded_multiply(low, 1 - share),
                                               tessera::detail::rounded_multiply(number_of(end - 1), share)));
    }
    return number_of(at <= first ? first + 1 : at >= end ? end - 1 : at);
  }

  // ---- The draw

  template <class Use>
  TESSERA_FN void draw_listed(std::uint64_t target, Use use) const {
    constexpr unsigned lanes = 8;
    auto const tile = team_.template part<lanes>();
    if (team_.rank() != 0) return;  // All blocks have the list.
    if (rank_ < kept_) storage_.weights[rank_] = own_weight_ >= least_weight_ ? own_weight_ : 0;
    detail::barrier_of_block(tile_);
    for (unsigned from = 0; from < kept_; from += threads / lanes) {
      unsigned const which = from + rank_ / lanes < kept_ ? from + rank_ / lanes : 0;
      int const column = row_place::column(storage_.sorted[which]);
      std::uint64_t before = 0;
      for (unsigned i = rank_ % lanes; i < kept_; i += lanes) {
        std::uint32_t const weight = storage_.weights[i];
        before += row_place::column(storage_.sorted[i]) < column ? weight : 0;
      }
      before = tessera::reduce(tile, before, plus{}, converged);
      bool const is_drawn = before <= target && target - before < storage_.weights[which];
      if (is_drawn && rank_ % lanes == 0 && from + rank_ / lanes < kept_)
        use(column, [&] { return log_probability(row_place::number(storage_.sorted[which])); });
    }
  }
  TESSERA_FN float log_probability(float x) const {
    double const mass = tessera::detail::rounded_add(detail::log2_of(mass_), -31.0);
    auto const log = static_cast<float>(tessera::detail::rounded_multiply(
        tessera::detail::rounded_add(weights_.exponent(x), -mass), 0.69314718055994531));
    return log < 0 ? log : 0.0f;
  }

  using tile_t = decltype(stl::declval<Team const&>().tile());
  using warp_t = decltype(stl::declval<Team const&>().template part<32>());

  Team const& team_;
  storage_t& storage_;
  tile_t tile_;
  warp_t warp_;
  unsigned rank_, lane_;
  T const* row_;
  int columns_, vectors_, begin_, end_;
  vector_maximum first_, second_;               // of the lane's vectors those with the greatest elements
  float others_ = -infinity, max_ = -infinity;  // the greatest element of its other vectors, and of the row
  bool is_infinite_ = false;
  row_weights weights_{};

  row_cut cut_{};
  std::uint32_t least_weight_ = 0;
  std::uint64_t mass_ = 0;
  bool keeps_all_ = true;   // cut_ and least_weight_ keep every column that weighs anything
  unsigned listed_ = 0;     // how many elements are in storage_.sorted
  bool is_whole_ = false;   // they are all above −∞
  bool is_listed_ = false;  // all kept elements are the first kept_ of them
  unsigned kept_ = 0;
  std::uint32_t own_weight_ = 0;  // of sorted[rank_]
  std::uint64_t up_to_own_ = 0;   // and of all before
};

/// The arguments of a kernel.
template <class T, class Index>
struct sample_task {
  T const* logits;
  std::int64_t stride;
  int column_count;
  sample_options options;
  std::uint64_t const* seeds;
  Index* ids;
};

/// Draws a column of one row.
///
/// Called by  all threads of a team of the grid, which has one for each row.
template <class Shape, class T, class Index, class Team>
TESSERA_FN void sample_row(Team const& team, sample_task<T, Index> const& task, std::int64_t row) {
  auto const& options = task.options;
  auto const store = [&](int column, auto log_probability) {
    task.ids[row] = static_cast<Index>(column);
    if (options.logprobs != nullptr) options.logprobs[row] = log_probability();
  };
  row_sampler<Shape, T, Team> sampler(team, task.logits + row * task.stride, task.column_count);
  filters_of_row const by(options, row);
  bool const is_first = team.rank() == 0 && team.tile().thread_rank() == 0;
  if (sampler.is_empty()) {
    if (is_first) store(-1, [] { return -stl::numeric_limits<float>::infinity(); });
  } else if (by.is_greedy()) {
    int const first = sampler.first_greatest();
    if (is_first) store(first, [] { return 0.0f; });
  } else {
    if (!sampler.filter(by, true)) return;
    std::uint64_t const random = options.uniforms != nullptr
                                     ? detail::bits_of_uniform(options.uniforms[row])
                                     : tessera::detail::random_bits(task.seeds[row], options.step.of(row));
    sampler.draw(random, store);
  }
}

/// The arguments of a kernel that draws nothing.
template <class T>
struct renormalize_task {
  T const* logits;
  std::int64_t stride;
  int column_count;
  sample_filters filters;
  T* out;
  std::int64_t out_stride;
};

/// Writes the probabilities of one row. Called as sample_row.
template <class Shape, class T, class Team>
TESSERA_FN void renormalize_row(Team const& team, renormalize_task<T> const& task, std::int64_t row) {
  T* const out = task.out + row * task.out_stride;
  row_sampler<Shape, T, Team> sampler(team, task.logits + row * task.stride, task.column_count);
  filters_of_row const by(task.filters, row);
  if (sampler.is_empty()) {
    sampler.write_one(out, -1);
  } else if (by.is_greedy()) {
    sampler.write_one(out, sampler.first_greatest());
  } else {
    sampler.filter(by, false);
    sampler.write_probabilities(out);
  }
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
