// How a selection in buckets is planned (bucket_agent.hpp): samples and memory.
#pragma once

#include <tessera/grid/top_k/top_k_tuning.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// A warp sees all buckets at once.
inline constexpr unsigned most_buckets = 32;
/// Sets of samples that blocks share. One of 2^17 samples has one for each lane of a block: the greatest 16, 256, 4096 of 2^28 floats
/// take 251, 252, 258 µs with 2^16 samples, 253, 251, 257 with 2^17, 254, 254, 256 with 2^18, of 2^24 floats 27, 28, 31 with 2^16, 26,
/// 27, 31 with 2^17, 27, 28, 31 with 2^18 (H200).
inline constexpr unsigned shared_sample_sets = 256;

struct bucket_plan {
  even_share share;
  unsigned blocks;
  unsigned sample_sets;   // 0: every block takes all samples itself
  unsigned samples_log2;  // 2^samples_log2 samples
  unsigned buckets;
  std::uint64_t capacity;  // of each bucket
  std::uint64_t target;    // the last rank that is wanted, from 0 on
};

/// Of very long arrays there are more, so that a bucket, all of whose entries are compared with each other, has no more than so many on
/// average. A sample's number times n fits into 64 bits.
inline constexpr std::int64_t most_in_bucket = 1 << 14;
inline constexpr unsigned most_samples_log2 = 22;

/// Whether ranks 0 … target of n elements are selected in buckets. Entries of two words would take registers that the kernel doesn't
/// have.
template <class Shape, class Entry>
constexpr bool has_buckets(std::int64_t n, std::int64_t target) {
  return sizeof(Entry) <= 8 && n > Shape::template capacity<Entry> &&
         target < Shape::template most_ranked<Entry>;
}

/// The plan to find the elements of ranks 0 … target of n. A bucket has as many elements as are between two samples: one of the first
/// has more than 16 times the mean in one of 10^6 cases.
template <class Shape>
inline bucket_plan plan_buckets(std::int64_t n, std::int64_t target, even_share const& share, unsigned blocks,
                                std::int64_t shared_samples_from = top_k_tuning::shared_samples_from) {
  static_assert(Shape::template capacity<std::uint64_t> >= Shape::threads, "no element is sampled twice");
  constexpr std::int64_t most_shared = std::int64_t{Shape::threads} * shared_sample_sets;
  bool const shared = n >= shared_samples_from && n >= most_shared;
  unsigned const sets = shared ? shared_sample_sets : 0;
  unsigned log2 = 0;
  while (std::int64_t{1} << log2 < (shared ? most_shared : std::int64_t{Shape::threads})) ++log2;
  while (n >> log2 > most_in_bucket && log2 < most_samples_log2) ++log2;
  auto const samples = [&] { return static_cast<double>(std::int64_t{1} << log2); };
  auto const expected = [&] {
    return (static_cast<double>(target) + 0.5) / static_cast<double>(n) * samples();
  };
  while (expected() > top_k_tuning::most_samples_before && 1u << log2 > sets) --log2;
  double const above = detail::rank_above(expected(), samples());
  auto const all = static_cast<std::uint64_t>(n), most = 16 * (all >> log2);
  return {share,
          blocks,
          sets,
          log2,
          above < most_buckets ? static_cast<unsigned>(above) : most_buckets,
          most < all ? most : all,
          static_cast<std::uint64_t>(target)};
}

/// The plan where samples misled (top_k_agent.hpp): digits of the array are counted until few elements are left.
template <class Shape, class Entry>
inline select_plan plan_digits(std::int64_t n, std::int64_t target, even_share const& share,
                               unsigned blocks) {
  select_plan plan{};
  plan.share = share;
  plan.blocks = blocks;
  plan.first = select_work::count_array;
  plan.first_items = share.blocks;
  plan.target = static_cast<std::uint64_t>(target);
  plan.ranked = true;
  plan.most_kept = plan.capacity = Shape::template capacity<Entry>;
  plan.index_bits = detail::bits_of_index(n);
  return plan;
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
