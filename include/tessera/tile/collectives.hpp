// The table of collectives: what each of them accepts. `collective` (tile/collective.hpp) checks every call against
// its row.
//
//   NAME{"NAME in reports", POLICIES, STORAGE, LANES | MORE}
//
//   POLICIES  the kinds of policy that the call accepts; any other fails to compile
//   STORAGE   how the call uses shared(scratch) and fresh(scratch) if the tile has several warps:
//               no_storage    it takes neither
//               shared_only   shared(scratch) alone: it exchanges several times, or has no trailing barrier to omit
//               shared_fresh  both: it exchanges once
//   LANES     whole_tiles: every lane exists; padded_tiles: lanes may be missing at the end, as in a padded block tile
//   MORE      scatters              it takes the policy `scattered`
//             first_only            it takes first(n), but not where(pred)
//             large                 its code for tiles that run alone isn't inlined
//             exchanges_with_where  only with where(pred) lanes exchange: else the call takes no scratch
//             exchanges_to_all      likewise with all policies but to_leader
//             any_lanes             it takes coalesced groups, as those with padded_tiles do
//             clusters              it takes cluster tiles
//
// The table of policies in the documentation, the tests `policies`, `callables` and `codegen_sites` and the oracle are
// held against it.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/core/policy.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

enum class storage_use { none, shared, shared_or_fresh };

/// A row of the table. `policies` has a bit for each policy_kind, `properties` one for each word of LANES and MORE.
struct collective_row {
  char const* name;
  unsigned policies;
  storage_use storage;
  unsigned properties;

  TESSERA_FN constexpr bool takes(policy_kind kind) const {
    return (policies >> static_cast<unsigned>(kind) & 1u) != 0;
  }
  TESSERA_FN constexpr bool is(unsigned property) const { return (properties & property) != 0; }
};

namespace collectives {

TESSERA_FN constexpr unsigned bit_of(policy_kind kind) {
  return 1u << static_cast<unsigned>(kind);
}
inline constexpr unsigned convergence = collectives::bit_of(policy_kind::convergence);
inline constexpr unsigned placement = collectives::bit_of(policy_kind::placement);
inline constexpr unsigned participants = collectives::bit_of(policy_kind::participants);
inline constexpr unsigned method = collectives::bit_of(policy_kind::method);
inline constexpr unsigned direction = collectives::bit_of(policy_kind::direction);
inline constexpr unsigned extra = collectives::bit_of(policy_kind::extra);
inline constexpr unsigned order = collectives::bit_of(policy_kind::order);
inline constexpr storage_use no_storage = storage_use::none;
inline constexpr storage_use shared_only = storage_use::shared;
inline constexpr storage_use shared_fresh = storage_use::shared_or_fresh;
inline constexpr unsigned whole_tiles = 0, padded_tiles = 1, scatters = 2, first_only = 4, large = 8,
                          exchanges_with_where = 16, exchanges_to_all = 32, any_lanes = 64, clusters = 128;

inline constexpr collective_row  // Reductions: reduce.hpp, reduce_batch.hpp, atomic.hpp
    reduce{"reduce", convergence | placement | participants | method, shared_fresh, padded_tiles | clusters},
    reduce_batch{"reduce_batch", convergence | placement | participants | method, shared_fresh, whole_tiles | scatters},
    atomic_reduce{"atomic_reduce", convergence | participants | method, shared_fresh, padded_tiles};

inline constexpr collective_row  // Scans: scan.hpp, segmented.hpp
    inclusive_scan{"inclusive_scan", convergence | participants | method | direction | extra, shared_only,
                   padded_tiles | clusters},
    exclusive_scan{"exclusive_scan", convergence | participants | method | direction | extra, shared_only,
                   padded_tiles | clusters},
    segmented_inclusive_scan{"segmented_inclusive_scan", convergence | participants | direction | extra, shared_only,
                             whole_tiles},
    segmented_exclusive_scan{"segmented_exclusive_scan", convergence | participants | direction | extra, shared_only,
                             whole_tiles},
    segmented_reduce{"segmented_reduce", convergence | placement | participants, shared_only, whole_tiles};

inline constexpr collective_row  // Neighbors: adjacent_difference.hpp, is_sorted.hpp
    adjacent_difference{"adjacent_difference", convergence | direction, shared_fresh, padded_tiles},
    is_sorted{"is_sorted", convergence | placement | participants, shared_only, padded_tiles};

inline constexpr collective_row  // Order: sort.hpp, segmented_sort.hpp, merge.hpp
    sort{"sort", convergence | participants | order, shared_only, padded_tiles | first_only | large | clusters},
    stable_sort{"stable_sort", convergence | participants | order, shared_only,
                padded_tiles | first_only | large | clusters},
    sort_by_key{"sort_by_key", convergence | participants | order, shared_only,
                padded_tiles | first_only | large | clusters},
    stable_sort_by_key{"stable_sort_by_key", convergence | participants | order, shared_only,
                       padded_tiles | first_only | large | clusters},
    segmented_sort{"segmented_sort", convergence | participants, shared_only, padded_tiles | first_only | large},
    merge{"merge", convergence | order, shared_only, padded_tiles | large},
    merge_by_key{"merge_by_key", convergence | order, shared_only, padded_tiles | large};

inline constexpr collective_row  // Selection: top_k.hpp
    top_k{"top_k", convergence | placement | participants, shared_only, whole_tiles | scatters | first_only},
    top_k_push{"top_k_queue::push", convergence | participants, no_storage, whole_tiles},
    top_k_best{"top_k_queue::best", convergence | placement, shared_only, whole_tiles | scatters},
    nth_element{"nth_element", convergence | participants, shared_only, padded_tiles | first_only | large};

inline constexpr collective_row  // Movement: lanes.hpp, transpose.hpp
    shuffle{"shuffle", convergence, shared_fresh, whole_tiles | any_lanes},
    broadcast{"broadcast", convergence, shared_fresh, padded_tiles},
    shift_up{"shift_up", convergence, shared_fresh, whole_tiles | any_lanes},
    shift_down{"shift_down", convergence, shared_fresh, whole_tiles | any_lanes},
    rotate{"rotate", convergence, shared_fresh, whole_tiles},
    reverse{"reverse", convergence, shared_fresh, whole_tiles},
    butterfly{"butterfly", convergence, shared_fresh, whole_tiles},
    exchange_items{"exchange_items", convergence, shared_fresh, whole_tiles},
    striped_to_blocked{"striped_to_blocked", convergence, shared_only, whole_tiles},
    blocked_to_striped{"blocked_to_striped", convergence, shared_only, whole_tiles},
    transpose{"transpose", convergence, shared_only, whole_tiles};

inline constexpr collective_row  // Votes: vote.hpp
    ballot{"ballot", convergence | placement | participants, shared_fresh, padded_tiles},
    any_of{"any_of", convergence | placement | participants, shared_fresh, padded_tiles | clusters},
    all_of{"all_of", convergence | placement | participants, shared_fresh, padded_tiles | clusters},
    none_of{"none_of", convergence | placement | participants, shared_fresh, padded_tiles | clusters},
    count_if{"count_if", convergence | placement | participants, shared_fresh, padded_tiles | clusters},
    elect{"elect", convergence | participants, shared_fresh, padded_tiles | exchanges_with_where},
    invoke_one{"invoke_one", convergence | placement, shared_fresh, padded_tiles | exchanges_to_all};

inline constexpr collective_row  // Keys: match.hpp, histogram.hpp
    match_any{"match_any", convergence | participants, shared_only, whole_tiles | any_lanes},
    match_all{"match_all", convergence | participants, shared_only, whole_tiles | any_lanes},
    peers{"peers", convergence, shared_only, whole_tiles | any_lanes},
    reduce_by_label{"reduce_by_label", convergence | placement | participants, shared_only, whole_tiles | any_lanes},
    aggregated_add{"aggregated_add", convergence | participants | method, no_storage, whole_tiles | any_lanes},
    histogram{"histogram", convergence | placement | participants, shared_only, whole_tiles | scatters};

inline constexpr collective_row  // Rearrangement: partition.hpp, radix.hpp
    partition{"partition", convergence | participants, shared_only, padded_tiles | first_only},
    scatter{"scatter", convergence, shared_only, padded_tiles},
    radix_rank{"radix_rank", convergence | participants, shared_only, whole_tiles | first_only};

inline constexpr collective_row  // Runs: runs.hpp
    unique{"unique", convergence | participants, shared_only, padded_tiles | first_only},
    run_length_encode{"run_length_encode", convergence | participants, shared_only, padded_tiles | first_only | large},
    run_length_decode{"run_length_decode", convergence | participants, shared_only, padded_tiles | first_only};

inline constexpr collective_row  // Compaction: compact.hpp
    compact{"compact", convergence | participants, shared_fresh, padded_tiles},
    compact_append{"compact", convergence | participants, shared_only, padded_tiles};

inline constexpr collective_row  // Ranges: load_store.hpp, joint_reduce.hpp, search.hpp, joint_scan.hpp
    load{"load", convergence | order, no_storage, padded_tiles},
    store{"store", convergence | order, no_storage, padded_tiles},
    joint_merge{"joint_merge", convergence, shared_only, whole_tiles},
    joint_sort{"joint_sort", convergence, shared_only, whole_tiles},
    joint_stable_sort{"joint_stable_sort", convergence, shared_only, whole_tiles},
    joint_reduce{"joint_reduce", convergence | placement, shared_only, whole_tiles},
    joint_transform_reduce{"joint_transform_reduce", convergence | placement, shared_only, whole_tiles},
    joint_top_k{"joint_top_k", convergence | placement, shared_only, whole_tiles | scatters},
    joint_transform_top_k{"joint_transform_top_k", convergence | placement, shared_only, whole_tiles | scatters},
    joint_any_of{"joint_any_of", convergence | placement, no_storage, whole_tiles},
    joint_all_of{"joint_all_of", convergence | placement, no_storage, whole_tiles},
    joint_none_of{"joint_none_of", convergence | placement, no_storage, whole_tiles},
    lower_bound{"lower_bound", convergence, no_storage, whole_tiles},
    upper_bound{"upper_bound", convergence, no_storage, whole_tiles},
    find_if{"find_if", convergence, no_storage, whole_tiles},
    joint_inclusive_scan{"joint_inclusive_scan", convergence | direction | extra, shared_only, whole_tiles},
    joint_exclusive_scan{"joint_exclusive_scan", convergence | direction | extra, shared_only, whole_tiles},
    joint_transform_inclusive_scan{"joint_transform_inclusive_scan", convergence | direction | extra, shared_only,
                                   whole_tiles},
    joint_transform_exclusive_scan{"joint_transform_exclusive_scan", convergence | direction | extra, shared_only,
                                   whole_tiles};

}  // namespace collectives

}  // namespace detail
TESSERA_NAMESPACE_END
