// The plan of a selection from an array: its samples, the bounds and buckets between them, and memory.
//
//   G groups of samples      64 for the first k, else 128. Each gives one of its m samples: the one whose rank among m
//                            is, in proportion, the wanted rank among n. It is before the wanted rank if more samples
//                            than that are: a probability p.
//   N                        So many of these G are before the wanted rank. It has a binomial distribution of G and p.
//   bounds                   Of the G in their order those with the numbers `lower` and `upper`, where N < lower and
//                            N ≥ upper have a probability of 10^-5 each.
//
//   rank wanted       before the lower bound    between the bounds         after the upper bound
//   one               counted                   kept, in buckets           –
//   first k           –                         kept, in buckets           –              there is no lower bound
//   first k, many     –                         kept, in one list          –
//
// The median of samples tells nearly as much as all of them do: between the bounds are 1.5 / √(G m) of the elements
// around a median, where bounds from all samples would have 1.1 / √(G m) between them.
//
// Samples are at positions that n alone decides. For any array the probabilities are those, were the positions drawn at
// random. If bounds miss a rank, or a bucket has no room, digits are counted instead (digit_agent.hpp).
#pragma once

#include <tessera/grid/top_k/top_k_tuning.hpp>

#include <cmath>
#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// A warp sees all buckets at once.
inline constexpr unsigned most_buckets = 32;
/// About so many buckets are around one rank. Each needs some times the room for the entries that are expected in it,
/// and more room the fewer samples it lies between.
inline constexpr unsigned buckets_around = 31;

/// The ranks that are wanted.
enum class wanted_ranks : unsigned {
  first,    // 0 … target, in their order
  one,      // target
  unsorted  // 0 … target and others, in any order: kernels that sort them follow
};

struct select_plan {
  even_share share;  // of the array, among pieces
  unsigned blocks;
  wanted_ranks wanted;
  bool ranks_array;       // whether all elements are ranked: a block's storage holds them
  bool lists_array;       // of those that are sorted: whether all elements are
  std::uint64_t target;   // the last rank that is wanted, from 0 on
  unsigned index_bits;    // of an entry's index, so many are used
  unsigned sample_sets;   // 0: every block takes all samples itself
  unsigned samples_log2;  // 2^samples_log2 samples
  unsigned sample_rank;   // of a group's samples the one of this rank is taken, from 0 on
  unsigned lower;         // so many of the groups' samples are up to the lower bound; 0: there is none
  unsigned stride;        // a bucket is between samples that are so far apart
  unsigned buckets;
  unsigned steps_at_once;   // after so many a block appends what waits, if that is much
  std::uint64_t capacity;   // of each bucket
  std::uint64_t most_left;  // digits are counted until so many entries are left, at most

  TESSERA_FN unsigned groups() const {
    return wanted == wanted_ranks::first ? sample_groups::of_first : sample_groups::most;
  }
  /// The number of the groups' samples up to the upper bound. If there aren't so many, there is no such bound.
  TESSERA_FN unsigned upper() const { return lower + buckets * stride; }
  /// Entries in the workspace's memory. Those that are sorted take two lists.
  std::uint64_t entries() const {
    std::uint64_t const kept = buckets * capacity, most = kept < most_left ? most_left : kept;
    return wanted == wanted_ranks::unsorted ? 2 * most : most;
  }
};

/// Very long arrays have more samples of the first ranks, so that a bucket, all of whose entries are compared
/// with each other, has no more than so many on average. A sample's number times n fits into 64 bits.
inline constexpr std::int64_t most_in_bucket = 1 << 14;
inline constexpr unsigned most_samples_log2 = 22;

inline unsigned bits_of_index(std::int64_t n) {
  unsigned bits = 0;
  while ((n - 1) >> bits != 0) ++bits;
  return bits;
}

/// The probability with which a bound may be wrong.
inline constexpr double bound_risk = 1e-5;

/// The probability that more than `rank` of m samples are among the first `share` of the elements: by the binomial
/// distribution for few samples; else by Poisson's if few of them are expected there, and by the normal distribution if
/// many are.
inline double sample_probability(double share, double m, double rank) {
  if (share <= 0) return 0;
  if (share > 0.5) return 1 - detail::sample_probability(1 - share, m, m - 1 - rank);
  double const expected = share * m;
  bool const is_binomial = m <= 64;
  if (!is_binomial && expected > 64)
    return std::erfc((rank + 0.5 - expected) / std::sqrt(2 * expected * (1 - share))) / 2;
  double probability = is_binomial ? std::pow(1 - share, m) : std::exp(-expected), left = 1 - probability;
  for (double r = 1; r <= rank; ++r)
    left -= probability *= is_binomial ? (m - r + 1) / r * share / (1 - share) : expected / r;
  return left > 0 ? left : 0;
}

/// The least number that N reaches or exceeds with at most the risk, for so many groups of this probability each.
inline unsigned groups_before(unsigned groups, double probability) {
  if (probability >= 1) return groups + 1;
  double of_r = std::pow(1 - probability, groups), left = 1 - of_r;
  unsigned r = 1;
  for (; left > bound_risk && r <= groups; ++r)
    left -= of_r *= (groups - r + 1.0) / r * probability / (1 - probability);
  return r;
}

/// The samples' numbers: their sets, and the rank of that which a group gives.
template <class Shape, class Entry>
inline void plan_samples(select_plan& plan, std::int64_t n, std::int64_t shared_samples_from) {
  static_assert(Shape::template capacity<Entry> >= Shape::threads, "no element is sampled twice");
  auto const log2_of = [](std::int64_t most) {
    unsigned log2 = 0;
    while (std::int64_t{2} << log2 <= most) ++log2;
    return log2;
  };
  plan.samples_log2 = log2_of(Shape::threads);
  if (plan.wanted != wanted_ranks::first) {
    if (n < shared_samples_from) return;
    std::int64_t const most = std::int64_t{sample_groups::most} * Shape::template beside_counts<Entry>;
    if (n / 16 < sample_groups::most) return;
    plan.sample_sets = sample_groups::most;
    plan.samples_log2 = log2_of(n / 16 < most ? n / 16 : most);
    return;
  }
  constexpr std::int64_t most_shared = std::int64_t{Shape::threads} * top_k_tuning::sets_of_first;
  if (n >= shared_samples_from && n >= most_shared) {
    plan.sample_sets = top_k_tuning::sets_of_first;
    plan.samples_log2 = log2_of(most_shared);
  }
  while (n >> plan.samples_log2 > most_in_bucket && plan.samples_log2 < most_samples_log2) ++plan.samples_log2;
  double const wanted = static_cast<double>(plan.target) + 0.5;
  while (std::ldexp(wanted / static_cast<double>(n), static_cast<int>(plan.samples_log2)) >
             top_k_tuning::most_samples_before &&
         1u << plan.samples_log2 > plan.sample_sets)
    --plan.samples_log2;
}

/// The bounds between which elements are kept, and the buckets of these. A step has so many elements, of which a
/// block's storage has room for `room`.
inline void plan_buckets(select_plan& plan, std::int64_t n, std::int64_t step, std::int64_t room) {
  double const size = static_cast<double>(n), share = (static_cast<double>(plan.target) + 0.5) / size;
  unsigned const samples = 1u << plan.samples_log2, most_groups = plan.groups(),
                 groups = samples < most_groups ? samples : most_groups;
  double const m = samples / groups;
  if (plan.wanted != wanted_ranks::first) plan.sample_rank = static_cast<unsigned>(share * m);
  auto const probability = [&](double of) { return detail::sample_probability(of < 1 ? of : 1, m, plan.sample_rank); };
  unsigned const upper = detail::groups_before(groups, probability(share));
  double kept = 1;  // the share of the elements between the bounds
  double capacity = size;
  if (plan.wanted == wanted_ranks::first) {
    plan.stride = 1;
    plan.buckets = upper < most_buckets ? upper : most_buckets;
    kept = static_cast<double>(plan.buckets) / samples;
    // As many elements as between two samples are expected. One of the first has more than 16 times that in one of 10^6
    // cases.
    capacity = 16 * size / samples;
  } else if (plan.wanted == wanted_ranks::one) {
    plan.lower = groups + 1 - detail::groups_before(groups, 1 - probability(share));
    unsigned const gaps = upper - plan.lower;
    plan.stride = (gaps + buckets_around - 1) / buckets_around;
    plan.buckets = (gaps + plan.stride - 1) / plan.stride;
    // Gaps between neighboring samples are about exponentially distributed, and the sums of some of them as those of a
    // Poisson process.
    double const around = std::sqrt(share * (1 - share) / m) / 4 + 0.25 / m, from = share > around ? share - around : 0,
                 to = share + around < 1 ? share + around : 1;
    double const gap = (to - from) / ((probability(to) - probability(from)) * groups);
    kept = gaps * gap;
    capacity = (15 + 3.0 * plan.stride) * gap * size + 64;
  } else {
    plan.stride = upper;
    plan.buckets = 1;
    // The least share such that the bound is beyond it only if fewer of the groups' samples are before it than the risk
    // has.
    double to = 1;
    for (double from = share; to - from > to / 64;) {
      double const middle = (from + to) / 2, before = probability(middle);
      (detail::groups_before(groups, 1 - before) + upper <= groups + 1 ? to : from) = middle;
    }
    kept = to;
    capacity = to * size;
    // A list of the array is in order of indices: it is sorted by keys alone, in half of the passes. Where blocks don't
    // share samples, the array is so short that a pass over all of it takes little more time than over a part.
    plan.lists_array = plan.sample_sets == 0 || capacity >= size / 2;
    if (plan.lists_array) capacity = size;
  }
  constexpr double most = UINT32_MAX / 2;  // of entries whose digits one block counts
  if (plan.wanted == wanted_ranks::one && capacity > most) capacity = most;
  plan.capacity = static_cast<std::uint64_t>(capacity < size ? capacity : size);
  if (plan.wanted == wanted_ranks::unsorted && plan.capacity <= plan.target) plan.capacity = plan.target + 1;
  double const steps = static_cast<double>(room) / 2 / (kept * static_cast<double>(step));
  plan.steps_at_once = steps < 1 ? 1 : steps < 1e6 ? static_cast<unsigned>(steps) : 1000000;
}

/// The plan to find the elements of ranks 0 … target of n, or if `single` only that of rank target.
///
/// share  of the array, among pieces. A step has `step` elements.
template <class Shape, class Entry>
inline select_plan plan_selection(std::int64_t n, std::int64_t target, bool single, even_share const& share,
                                  std::int64_t step, unsigned blocks,
                                  std::int64_t shared_samples_from = top_k_tuning::shared_samples_from) {
  constexpr std::int64_t room = Shape::template capacity<Entry>, each = Shape::entries_per_item;
  select_plan plan{};
  plan.share = share;
  plan.target = static_cast<std::uint64_t>(target);
  plan.index_bits = detail::bits_of_index(n);
  plan.ranks_array = n <= room;
  std::int64_t useful = blocks;
  if (plan.ranks_array) {
    plan.wanted = single ? wanted_ranks::one : wanted_ranks::first;
    useful = (n + each - 1) / each;
  } else {
    plan.wanted = single                                        ? wanted_ranks::one
                  : target < Shape::template most_ranked<Entry> ? wanted_ranks::first
                                                                : wanted_ranks::unsorted;
    detail::plan_samples<Shape, Entry>(plan, n, shared_samples_from);
    detail::plan_buckets(plan, n, step, room);
    plan.most_left = plan.wanted == wanted_ranks::unsorted ? plan.capacity : static_cast<std::uint64_t>(room);
    if (plan.wanted != wanted_ranks::first) useful = std::int64_t{plan.sample_sets} + share.blocks;
  }
  plan.blocks = useful < blocks ? static_cast<unsigned>(useful) : blocks;
  return plan;
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
