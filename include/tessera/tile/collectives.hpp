// The table of collectives: what each of them accepts. `collective` (tile/collective.hpp) checks every call against
// its row.
//
//   struct NAME : described<POLICIES, STORAGE, LANES> { NAME in the reports };
//
//   POLICIES  the kinds of policy that the call accepts; any other fails to compile
//   STORAGE   how the call uses shared(scratch) and fresh(scratch) if the tile has several warps:
//               no_storage    it takes neither
//               shared_only   shared(scratch) alone: it exchanges several times, or has no trailing barrier to omit
//               shared_fresh  both: it exchanges once
//   LANES     whole_tiles: every lane exists; padded_tiles: lanes may be missing at the end, as in a padded block tile
//
// A collective that exchanges under some policies only defines `exchanges`: a call without an exchange doesn't take a
// scratch.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/core/policy.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

enum class storage_use { none, shared, shared_or_fresh };

/// One row of the table. `Policies` has a bit for each policy_kind.
template <unsigned Policies, storage_use Storage, bool Padded>
struct described {
  static constexpr unsigned policies = Policies;
  static constexpr storage_use storage = Storage;
  static constexpr bool padded = Padded;
  static constexpr bool scatters = false;    // true if it takes `scattered`
  static constexpr bool takes_where = true;  // false if it takes first(n) but not where(pred)
  static constexpr bool is_large = false;    // true if the code for tiles that run alone isn't inlined

  /// True if a call with this policy exchanges between warps.
  template <class Policy>
  static constexpr bool exchanges = true;
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
inline constexpr bool padded_tiles = true;
inline constexpr bool whole_tiles = false;

// Reductions: reduce.hpp, reduce_batch.hpp, atomic.hpp

struct reduce : described<convergence | placement | participants | method, shared_fresh, padded_tiles> {
  TESSERA_FN static constexpr const char* name() { return "reduce"; }
};
struct reduce_batch : described<convergence | placement | participants | method, shared_fresh, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "reduce_batch"; }
  static constexpr bool scatters = true;
};
struct atomic_reduce : described<convergence | participants | method, shared_fresh, padded_tiles> {
  TESSERA_FN static constexpr const char* name() { return "atomic_reduce"; }
};

// Scans: scan.hpp, segmented.hpp

struct inclusive_scan
    : described<convergence | participants | method | direction | extra, shared_only, padded_tiles> {
  TESSERA_FN static constexpr const char* name() { return "inclusive_scan"; }
};
struct exclusive_scan
    : described<convergence | participants | method | direction | extra, shared_only, padded_tiles> {
  TESSERA_FN static constexpr const char* name() { return "exclusive_scan"; }
};
struct segmented_inclusive_scan
    : described<convergence | participants | direction | extra, shared_only, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "segmented_inclusive_scan"; }
};
struct segmented_exclusive_scan
    : described<convergence | participants | direction | extra, shared_only, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "segmented_exclusive_scan"; }
};
struct segmented_reduce : described<convergence | placement | participants, shared_only, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "segmented_reduce"; }
};

// Neighbors: adjacent_difference.hpp, is_sorted.hpp

struct adjacent_difference : described<convergence | direction, shared_fresh, padded_tiles> {
  TESSERA_FN static constexpr const char* name() { return "adjacent_difference"; }
};
struct is_sorted : described<convergence | placement | participants, shared_only, padded_tiles> {
  TESSERA_FN static constexpr const char* name() { return "is_sorted"; }
};

// Order: sort.hpp, merge.hpp

struct sort : described<convergence | participants | order, shared_only, padded_tiles> {
  static constexpr bool is_large = true;
  TESSERA_FN static constexpr const char* name() { return "sort"; }
  static constexpr bool takes_where = false;
};
struct stable_sort : described<convergence | participants | order, shared_only, padded_tiles> {
  static constexpr bool is_large = true;
  TESSERA_FN static constexpr const char* name() { return "stable_sort"; }
  static constexpr bool takes_where = false;
};
struct sort_by_key : described<convergence | participants | order, shared_only, padded_tiles> {
  static constexpr bool is_large = true;
  TESSERA_FN static constexpr const char* name() { return "sort_by_key"; }
  static constexpr bool takes_where = false;
};
struct stable_sort_by_key : described<convergence | participants | order, shared_only, padded_tiles> {
  static constexpr bool is_large = true;
  TESSERA_FN static constexpr const char* name() { return "stable_sort_by_key"; }
  static constexpr bool takes_where = false;
};

struct merge : described<convergence | order, shared_only, padded_tiles> {
  static constexpr bool is_large = true;
  TESSERA_FN static constexpr const char* name() { return "merge"; }
};
struct merge_by_key : described<convergence | order, shared_only, padded_tiles> {
  static constexpr bool is_large = true;
  TESSERA_FN static constexpr const char* name() { return "merge_by_key"; }
};

// Selection: top_k.hpp

struct top_k : described<convergence | placement | participants, shared_only, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "top_k"; }
  static constexpr bool scatters = true;
  static constexpr bool takes_where = false;
};
struct top_k_push : described<convergence | participants, no_storage, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "top_k_queue::push"; }
};
struct top_k_best : described<convergence | placement, shared_only, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "top_k_queue::best"; }
  static constexpr bool scatters = true;
};
struct nth_element : described<convergence | participants, shared_only, padded_tiles> {
  static constexpr bool is_large = true;
  TESSERA_FN static constexpr const char* name() { return "nth_element"; }
  static constexpr bool takes_where = false;
};

// Movement: lanes.hpp, transpose.hpp

struct shuffle : described<convergence, shared_fresh, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "shuffle"; }
};
struct broadcast : described<convergence, shared_fresh, padded_tiles> {
  TESSERA_FN static constexpr const char* name() { return "broadcast"; }
};
struct shift_up : described<convergence, shared_fresh, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "shift_up"; }
};
struct shift_down : described<convergence, shared_fresh, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "shift_down"; }
};
struct rotate : described<convergence, shared_fresh, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "rotate"; }
};
struct reverse : described<convergence, shared_fresh, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "reverse"; }
};
struct butterfly : described<convergence, shared_fresh, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "butterfly"; }
};
struct exchange_items : described<convergence, shared_fresh, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "exchange_items"; }
};
struct striped_to_blocked : described<convergence, shared_only, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "striped_to_blocked"; }
};
struct blocked_to_striped : described<convergence, shared_only, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "blocked_to_striped"; }
};
struct transpose : described<convergence, shared_only, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "transpose"; }
};

// Votes: vote.hpp

struct ballot : described<convergence | placement | participants, shared_fresh, padded_tiles> {
  TESSERA_FN static constexpr const char* name() { return "ballot"; }
};
struct any_of : described<convergence | placement | participants, shared_fresh, padded_tiles> {
  TESSERA_FN static constexpr const char* name() { return "any_of"; }
};
struct all_of : described<convergence | placement | participants, shared_fresh, padded_tiles> {
  TESSERA_FN static constexpr const char* name() { return "all_of"; }
};
struct none_of : described<convergence | placement | participants, shared_fresh, padded_tiles> {
  TESSERA_FN static constexpr const char* name() { return "none_of"; }
};
struct count_if : described<convergence | placement | participants, shared_fresh, padded_tiles> {
  TESSERA_FN static constexpr const char* name() { return "count_if"; }
};
struct elect : described<convergence | participants, shared_fresh, padded_tiles> {
  TESSERA_FN static constexpr const char* name() { return "elect"; }
  template <class Policy>
  static constexpr bool exchanges = stl::is_same_v<chosen_participants<Policy>, choice::where>;
};
struct invoke_one : described<convergence | placement, shared_fresh, padded_tiles> {
  TESSERA_FN static constexpr const char* name() { return "invoke_one"; }
  template <class Policy>
  static constexpr bool exchanges = !stl::is_same_v<chosen_placement<Policy>, choice::to_leader>;
};

// Keys: match.hpp, histogram.hpp

struct match_any : described<convergence | participants, shared_only, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "match_any"; }
};
struct match_all : described<convergence | participants, shared_only, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "match_all"; }
};
struct peers : described<convergence, shared_only, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "peers"; }
};
struct reduce_by_label : described<convergence | placement | participants, shared_only, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "reduce_by_label"; }
};
struct aggregated_add : described<convergence | participants | method, no_storage, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "aggregated_add"; }
};
struct histogram : described<convergence | placement | participants, shared_only, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "histogram"; }
  static constexpr bool scatters = true;
};

// Rearrangement: partition.hpp, radix.hpp

struct partition : described<convergence | participants, shared_only, padded_tiles> {
  TESSERA_FN static constexpr const char* name() { return "partition"; }
  static constexpr bool takes_where = false;
};
struct scatter : described<convergence, shared_only, padded_tiles> {
  TESSERA_FN static constexpr const char* name() { return "scatter"; }
};
struct radix_rank : described<convergence | participants, shared_only, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "radix_rank"; }
  static constexpr bool takes_where = false;
};

// Runs: runs.hpp

struct unique : described<convergence | participants, shared_only, padded_tiles> {
  TESSERA_FN static constexpr const char* name() { return "unique"; }
  static constexpr bool takes_where = false;
};
struct run_length_encode : described<convergence | participants, shared_only, padded_tiles> {
  static constexpr bool is_large = true;
  TESSERA_FN static constexpr const char* name() { return "run_length_encode"; }
  static constexpr bool takes_where = false;
};
struct run_length_decode : described<convergence | participants, shared_only, padded_tiles> {
  TESSERA_FN static constexpr const char* name() { return "run_length_decode"; }
  static constexpr bool takes_where = false;
};

// Compaction: compact.hpp

struct compact : described<convergence | participants, shared_fresh, padded_tiles> {
  TESSERA_FN static constexpr const char* name() { return "compact"; }
};
struct compact_append : described<convergence | participants, shared_only, padded_tiles> {
  TESSERA_FN static constexpr const char* name() { return "compact"; }
};

// Ranges: load_store.hpp, joint_reduce.hpp, search.hpp, joint_scan.hpp

struct load : described<convergence | order, no_storage, padded_tiles> {
  TESSERA_FN static constexpr const char* name() { return "load"; }
};
struct store : described<convergence | order, no_storage, padded_tiles> {
  TESSERA_FN static constexpr const char* name() { return "store"; }
};
struct joint_merge : described<convergence, shared_only, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "joint_merge"; }
};
struct joint_sort : described<convergence, shared_only, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "joint_sort"; }
};
struct joint_stable_sort : described<convergence, shared_only, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "joint_stable_sort"; }
};
struct joint_reduce : described<convergence | placement, shared_only, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "joint_reduce"; }
};
struct joint_transform_reduce : described<convergence | placement, shared_only, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "joint_transform_reduce"; }
};
struct joint_top_k : described<convergence | placement, shared_only, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "joint_top_k"; }
  static constexpr bool scatters = true;
};
struct joint_transform_top_k : described<convergence | placement, shared_only, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "joint_transform_top_k"; }
  static constexpr bool scatters = true;
};
struct joint_any_of : described<convergence | placement, no_storage, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "joint_any_of"; }
};
struct joint_all_of : described<convergence | placement, no_storage, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "joint_all_of"; }
};
struct joint_none_of : described<convergence | placement, no_storage, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "joint_none_of"; }
};
struct lower_bound : described<convergence, no_storage, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "lower_bound"; }
};
struct upper_bound : described<convergence, no_storage, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "upper_bound"; }
};
struct find_if : described<convergence, no_storage, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "find_if"; }
};
struct joint_inclusive_scan : described<convergence | direction | extra, shared_only, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "joint_inclusive_scan"; }
};
struct joint_exclusive_scan : described<convergence | direction | extra, shared_only, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "joint_exclusive_scan"; }
};
struct joint_transform_inclusive_scan : described<convergence | direction | extra, shared_only, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "joint_transform_inclusive_scan"; }
};
struct joint_transform_exclusive_scan : described<convergence | direction | extra, shared_only, whole_tiles> {
  TESSERA_FN static constexpr const char* name() { return "joint_transform_exclusive_scan"; }
};

}  // namespace collectives

}  // namespace detail
TESSERA_NAMESPACE_END
