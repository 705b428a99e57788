// How a selection from an array is planned: samples, windows, memory, and the numbers that were chosen.
//
//   λ = t · samples / n      of the samples so many are expected before rank t: their number has a Poisson distribution, nearly
//   window                   from one sample to another, so that with a probability of 10^-5 fewer samples than the first, and with
//                            one of 10^-5 as many as the second are before rank t
//
// Samples are drawn at positions that n alone decides. For any array the probabilities are those, were the positions drawn at random.
// If a window misses its rank, the kernel counts digits of the whole array instead.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/grid/reduce/even_share.hpp>

#include <cmath>
#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// A block of the kernel.
template <unsigned Threads, unsigned StorageBytes, unsigned DigitBits, unsigned SamplesPerLane>
struct top_k_shape {
  static constexpr unsigned threads = Threads;
  /// Shared memory for entries: of those that are ranked, or wait to be appended.
  static constexpr unsigned storage_bytes = StorageBytes;
  static constexpr unsigned digit_bits = DigitBits, digits = 1u << DigitBits;
  /// Every block takes the same coarse samples, and finds the same window.
  static constexpr unsigned samples_per_lane = SamplesPerLane, coarse_samples = Threads * SamplesPerLane;
  /// Entries that a block ranks in one item: Threads / entries_per_item lanes for each. The greatest 16, 256, 4096 of 2^20 floats take
  /// 9.9, 10.0, 14.3 µs with 16, 10.2, 10.0, 13.4 with 32, 10.7, 10.8, 13.7 with 64 (H200).
  static constexpr unsigned entries_per_item = 32;
  /// Entries of a list that a block counts or compacts in one item.
  static constexpr unsigned listed_per_item = 8 * Threads;
  /// Bytes of loads that a lane has outstanding.
  static constexpr unsigned bytes = 64;

  template <class Entry>
  static constexpr unsigned capacity = StorageBytes / sizeof(Entry);
  /// Up to so many results are ranked by the blocks. More are sorted by other kernels.
  template <class Entry>
  static constexpr unsigned most_ranked = capacity<Entry> / 4 * 3;
  /// A block ranks so many by itself, each by a lane: it is done before other blocks have read that it should be they.
  static constexpr unsigned most_ranked_at_once = Threads;
  /// Vectors that a lane loads in a step: no more elements than registers have room for.
  template <class T>
  static constexpr unsigned vectors = detail::vectors_of<T>(sizeof(T) < 4 ? bytes * sizeof(T) / 4 : bytes);
  template <class T>
  static constexpr std::int64_t elements_of_step = std::int64_t{Threads} * vectors<T>* vector_length<T>;
};

struct top_k_tuning {
  /// With 52 KiB, and what collectives of a block take, every GPU from sm_75 on has room for a block, and those with 164 KB for two.
  using shape = top_k_shape<512, 52 * 1024, 11, 4>;
  static constexpr std::size_t most_shared_bytes = 57 * 1024;
  static constexpr unsigned blocks_per_multiprocessor = 2;
  /// From so many elements on a second, finer sample is worth a phase of its own; from an eighth on, if a block's storage is likely to
  /// have no room for the elements in the coarse window.
  static constexpr std::int64_t fine_sample_from = std::int64_t{1} << 22;
  /// There are at most 2^18 fine samples, and fewer if a block's storage couldn't hold those in the coarse window. Before they were
  /// selected in buckets, the greatest 16 of 2^28 floats took 288 µs with them, 289 with 2^17 and 293 with 2^19 (H200); the greatest 256
  /// took 296, 308 and 299.
  static constexpr unsigned most_fine_log2 = 18;
  static constexpr std::int64_t longest_array = std::int64_t{1} << 40;
  static constexpr std::int64_t longest_part = std::int64_t{1}
                                               << 31;  // of a block, so that its counts fit in 32 bits

  // Selections in buckets. All times are those of the greatest 16, 256, 4096 of n floats in µs (H200).
  /// From so many elements on, blocks share samples: 2^20: 11.8, 11.3, 16.5 with, 9.9, 9.8, 13.2 without; 2^21: 12.3, 12.3, 15.2 with,
  /// 22.5, 22.7, 23.4 without.
  static constexpr std::int64_t shared_samples_from = std::int64_t{1} << 21;
  /// At most so many are expected before the wanted rank. With 4, 2^16: 8.6, 9.3, 17.6 instead of 8.6, 9.0, 13.7.
  static constexpr double most_samples_before = 8;
};

/// Coarse and fine samples are at different positions.
inline constexpr unsigned coarse_salt = 0, fine_salt = 0x10000000;

/// Where sample i of 2^log2 is: in the i-th of equal pieces of the array, at a position that a hash of i says.
TESSERA_FN std::int64_t sample_position(std::int64_t n, unsigned i, unsigned log2, unsigned salt) {
  auto const size = static_cast<std::uint64_t>(n);
  std::uint32_t hash = (i + salt) * 0x9e3779b1u;
  hash = (hash ^ hash >> 16) * 0x85ebca6bu;
  hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
  hash ^= hash >> 16;
  std::uint64_t const width = size >> log2;  // below 2^32
  return static_cast<std::int64_t>((i * size >> log2) + (width * hash >> 32));
}

/// What a phase does with an item.
enum class select_work : unsigned {
  rank_array,   // ranks elements of an array that a block's storage holds
  copy_array,   // lists all elements
  sample,       // lists the fine samples in the coarse window
  filter,       // lists the elements in the window
  count_array,  // counts a digit of the elements
  count_list,   // counts a digit of the listed entries
  compact,      // lists the listed entries in the window in the other list
  narrow,       // no phase: the block that ended `filter` leaves few of the list
  rank_list,    // ranks listed entries
  none
};

/// The samples between which the wanted rank is sought: their ranks among the samples, from 1 on. 0: there is no such bound.
struct sample_ranks {
  unsigned lower, upper;
  unsigned slack;  // a bound may be off by so many samples
};

struct select_plan {
  select_work first;
  unsigned first_items;
  even_share share;
  unsigned blocks;
  unsigned fine_log2;  // 2^fine_log2 fine samples
  sample_ranks coarse, fine;
  bool samples;             // whether blocks begin with a coarse window
  std::uint64_t target;     // the last rank that is wanted, from 0 on
  bool single;              // whether it is the only one
  bool ranked;              // whether blocks rank what is left; else it is sorted by other kernels
  std::uint64_t most_kept;  // entries that may be left for that
  std::uint64_t capacity;   // of the first list. The second has room for `most_kept`.
  unsigned index_bits;
  bool
      appends_often;  // whether a piece is likely to have more elements in the window than can wait to be appended
};

/// The probability with which a bound may be wrong.
inline constexpr double bound_risk = 1e-5;

/// The deviation of the number of samples before a rank.
inline double sample_deviation(double expected, double samples) {
  double const rest = 1 - expected / samples;
  return std::sqrt(expected * (rest > 0 ? rest : 0));
}
/// The least r such that r samples or more are before the rank with no more than that probability. Many are distributed normally.
inline double rank_above(double expected, double samples) {
  if (expected > 64) return std::ceil(expected + 4.5 * detail::sample_deviation(expected, samples) + 3);
  double probability = std::exp(-expected), left = 1 - probability;
  double r = 1;
  for (; left > bound_risk; ++r) left -= probability *= expected / r;
  return r;
}
/// The greatest r such that fewer than r samples are before the rank with no more than that probability; 0 if there is none.
inline double rank_below(double expected, double samples) {
  if (expected > 64) return std::floor(expected - 4.5 * detail::sample_deviation(expected, samples) - 3);
  double probability = std::exp(-expected), less = probability;
  double r = 0;
  for (; less <= bound_risk; less += probability *= expected / r) ++r;
  return r;
}

/// The ranks between which the window's bounds are taken from so many samples. `expected`: of samples before the wanted rank.
inline sample_ranks sample_ranks_around(double lower_expected, double upper_expected, double samples,
                                        bool single) {
  double const lower = single ? detail::rank_below(lower_expected, samples) : 0,
               upper = detail::rank_above(upper_expected, samples);
  return {lower >= 1 ? static_cast<unsigned>(lower) : 0u,
          upper <= samples ? static_cast<unsigned>(upper) : 0u,
          static_cast<unsigned>(detail::sample_deviation(upper_expected, samples) / 4)};
}

/// How many of n elements a window by these samples has, at most, unless the samples are most unlikely.
inline std::uint64_t window_capacity(sample_ranks const& ranks, double samples, std::int64_t n) {
  auto const spread = [](double rank) { return 6 * std::sqrt(rank) + 6; };
  double const slack = ranks.slack;
  double lower = ranks.lower == 0 ? 0 : ranks.lower - slack - spread(ranks.lower);
  double upper = ranks.upper == 0 ? samples : ranks.upper + slack + spread(ranks.upper);
  if (lower < 0) lower = 0;
  if (upper > samples) upper = samples;
  return static_cast<std::uint64_t>((upper - lower) / samples * static_cast<double>(n)) + 1;
}

/// So many entries more than are wanted may be ranked: to find a bound nearer to them takes longer.
template <class Wanted>
TESSERA_FN constexpr Wanted wanted_slack(Wanted wanted) {
  return wanted / 8 + 24;
}

inline unsigned bits_of_index(std::int64_t n) {
  unsigned bits = 0;
  while ((n - 1) >> bits != 0) ++bits;
  return bits;
}

/// Plans for 2^fine_log2 fine samples. Whether a block's storage can hold those in the coarse window.
template <class Shape, class Entry>
inline bool fits_list(select_plan& plan, std::int64_t n, double share) {
  constexpr double coarse = Shape::coarse_samples;
  double const fine = static_cast<double>(std::int64_t{1} << plan.fine_log2);
  plan.fine = detail::sample_ranks_around(share * fine, share * fine, fine, plan.single);
  double const lower = plan.fine.lower * coarse / fine,
               upper = (plan.fine.upper == 0 ? fine : plan.fine.upper) * coarse / fine;
  plan.coarse = detail::sample_ranks_around(lower, upper, coarse, plan.single);
  std::int64_t const samples = std::int64_t{1} << plan.fine_log2;
  return detail::window_capacity(plan.coarse, coarse, samples) <= Shape::template capacity<Entry> &&
         samples <= n / 16;
}

/// The samples of a long array: coarse ones, and from some length on fine ones.
template <class Shape, class Entry>
inline void plan_samples(select_plan& plan, std::int64_t n, std::int64_t fine_sample_from) {
  constexpr double coarse = Shape::coarse_samples;
  double const share = (static_cast<double>(plan.target) + 0.5) / static_cast<double>(n);
  plan.samples = true;
  plan.first = select_work::filter;
  plan.first_items = plan.share.blocks;
  plan.coarse = detail::sample_ranks_around(share * coarse, share * coarse, coarse, plan.single);
  plan.capacity = detail::window_capacity(plan.coarse, coarse, n);
  double const in_window = (plan.coarse.upper == 0 ? coarse : plan.coarse.upper) - plan.coarse.lower;
  bool const is_long_list =
      plan.ranked && in_window / coarse * static_cast<double>(n) > Shape::template capacity<Entry>;
  if (n < (is_long_list ? fine_sample_from / 8 : fine_sample_from)) return;

  plan.fine_log2 = top_k_tuning::most_fine_log2;
  while (!detail::fits_list<Shape, Entry>(plan, n, share) &&
         (1u << plan.fine_log2) > Shape::template capacity<Entry>)
    --plan.fine_log2;
  double const fine = static_cast<double>(std::int64_t{1} << plan.fine_log2);
  plan.first = select_work::sample;
  plan.first_items = ((1u << plan.fine_log2) + Shape::coarse_samples - 1) / Shape::coarse_samples;
  plan.capacity = detail::window_capacity(plan.fine, fine, n);
}

/// The plan to find the elements of ranks 0 … target of n, or if `single` only that of rank target.
///
/// share  of the array, among blocks and pieces.
template <class Shape, class Entry>
inline select_plan plan_selection(std::int64_t n, std::int64_t target, bool single, even_share const& share,
                                  unsigned resident,
                                  std::int64_t fine_sample_from = top_k_tuning::fine_sample_from) {
  constexpr std::int64_t room = Shape::template capacity<Entry>;
  select_plan plan{};
  plan.share = share;
  plan.target = static_cast<std::uint64_t>(target);
  plan.single = single;
  plan.index_bits = detail::bits_of_index(n);
  plan.ranked = single || n <= room || target < Shape::template most_ranked<Entry>;
  plan.most_kept = static_cast<std::uint64_t>(plan.ranked ? room : target + 1 + room / 2);
  auto const all = static_cast<std::uint64_t>(n);
  std::uint64_t items = static_cast<std::uint64_t>(room) / Shape::entries_per_item;
  if (n <= room) {
    plan.first = select_work::rank_array;
    plan.first_items = static_cast<unsigned>((n + Shape::entries_per_item - 1) / Shape::entries_per_item);
    plan.most_kept = plan.capacity = 0;
    items = plan.first_items;
  } else {
    detail::plan_samples<Shape, Entry>(plan, n, fine_sample_from);
    if (!plan.ranked && plan.capacity >= all / 2) {
      plan.samples = false;
      plan.first = select_work::copy_array;
      plan.first_items = share.blocks;
      plan.capacity = plan.most_kept = all;
    }
    if (plan.most_kept > all) plan.most_kept = all;
    if (plan.capacity > all) plan.capacity = all;
    if (plan.capacity < plan.most_kept) plan.capacity = plan.most_kept;
    bool const is_ranked_by_one = plan.samples && (single || plan.target + detail::wanted_slack(target + 1) <
                                                                 Shape::most_ranked_at_once);
    if (items < share.blocks || is_ranked_by_one) items = share.blocks;
  }
  plan.appends_often = plan.capacity / share.persistent > static_cast<std::uint64_t>(room) / 2;
  plan.blocks = items < resident ? static_cast<unsigned>(items) : resident;
  return plan;
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
