// The static assertions on collectives' arguments, and their messages.
#pragma once

#include <tessera/core/exchangeable.hpp>
#include <tessera/core/items.hpp>
#include <tessera/core/policy.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/operators/basic.hpp>
#include <tessera/tile/collectives.hpp>
#include <tessera/tile/gpu_call.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// T in a context from which it isn't deduced.
template <class T>
struct same {
  using type = T;
};
template <class T>
using same_t = typename same<T>::type;

/// The group of a first argument that isn't a tile. A class, so that this is the first of all messages: the call's body
/// may need what the group hasn't.
template <class Tile>
struct no_group {
  static_assert(is_tile_v<Tile>,
                "A collective's first argument is its tile, a cooperative_groups::thread_block_tile<N> or a "
                "host::tile<N>: "
                "write auto tile = tessera::tiled_partition<32>(block).");
  static constexpr unsigned size = 1;
};
template <class Tile>
TESSERA_FN constexpr void require_tile() {
  static_assert(sizeof(no_group<Tile>) > 0);
}

template <class T>
TESSERA_FN constexpr void require_exchangeable() {
  static_assert(is_exchangeable_v<T>,
                "Lanes exchange trivially copyable values only: reduce or move a plain struct of its numbers, or "
                "specialize tessera::is_exchangeable.");
}

/// Checks values that an algorithm replaces, in addition to moving them.
template <class T>
TESSERA_FN constexpr void require_assignable() {
  static_assert(stl::is_copy_assignable_v<T> || !is_exchangeable_v<T>,  // which has its own message
                "Values of this type can't be assigned, perhaps since a member is const or a reference: leave "
                "const out of the struct, or copy it into one without.");
}

template <class Items>
TESSERA_FN constexpr void require_items() {
  static_assert(is_items_v<Items>, "A lane brings its items here, an items<T, K>: write as_items(x) for a C array.");
}

/// True if the collective accepts choices of this kind, or the policy names none.
template <collective_row const& Collective, class Policy, policy_kind Kind>
inline constexpr bool honors = !choices_of<Policy>::template names<Kind> || Collective.takes(Kind);

/// Checks that the collective accepts every choice that the policy names, except memory.
template <collective_row const& Collective, class Policy>
TESSERA_FN constexpr void require_policy() {
  static_assert(!is_scratch<Policy>,
                "A scratch in the policy's place: write shared(s), as in reduce(tile, x, tessera::plus{}, "
                "tessera::shared(s)).");
  static_assert(is_policy_v<Policy> || is_scratch<Policy>,
                "A collective's last argument is its policy: a policy is made of choices joined with |, as in "
                "converged | first(n).");
  static_assert(honors<Collective, Policy, policy_kind::placement>,
                "Every lane gets its own result here: leave to_all/to_leader/scattered out of the policy.");
  static_assert(honors<Collective, Policy, policy_kind::participants>,
                "Every lane takes part here: leave first(n) and where(pred) out of the policy; only adaptive, "
                "converged or isolated make sense, and for adjacent_difference prefix or suffix.");
  static_assert(honors<Collective, Policy, policy_kind::method>,
                "There is one method for this: leave automatic/shuffles/hardware out of the policy.");
  static_assert(honors<Collective, Policy, policy_kind::direction>,
                "prefix and suffix are for scans and adjacent_difference: leave them out of the policy.");
  static_assert(honors<Collective, Policy, policy_kind::extra>, "with_total is for scans: leave it out of the policy.");
  static_assert(honors<Collective, Policy, policy_kind::order>,
                "blocked and striped are for sorts, merges, load and store: leave them out of the policy; "
                "striped_to_blocked(tile, items) reorders items.");
  static_assert(Collective.is(collectives::scatters) || !stl::is_same_v<chosen_placement<Policy>, choice::scattered>,
                "scattered is for batches: write reduce_batch(tile, items, op, scattered), or here to_all or "
                "to_leader.");
  static_assert(!Collective.is(collectives::first_only) || !stl::is_same_v<chosen_participants<Policy>, choice::where>,
                "Sorts and the like take the first values of a tile: write first(n), and compact(tile, x, pred, "
                "out) or a comparator that has the others last in place of where(pred).");
}

/// True if a call with this policy exchanges between warps.
template <collective_row const& Collective, class Policy>
inline constexpr bool exchanges = Collective.is(collectives::exchanges_with_where)
                                      ? stl::is_same_v<chosen_participants<Policy>, choice::where>
                                      : !Collective.is(collectives::exchanges_to_all) ||
                                            !stl::is_same_v<chosen_placement<Policy>, choice::to_leader>;

/// Checks that the call exchanges through memory if the policy gives it a scratch, and that the scratch is large
/// enough.
template <collective_row const& Collective, unsigned N, class Policy>
TESSERA_FN constexpr void require_storage() {
  using memory = chosen_memory<Policy>;
  if constexpr (!stl::is_same_v<memory, choice::library_memory>) {
    static_assert(Collective.storage != storage_use::none,
                  "This call exchanges through the library's own memory: leave shared(scratch) and "
                  "fresh(scratch) out of the policy.");
    static_assert(N > 32,
                  "A tile of up to 32 lanes exchanges by shuffles and needs no memory: leave shared(scratch) and "
                  "fresh(scratch) out of the policy.");
    static_assert(N <= 32 || exchanges<Collective, Policy>,
                  "With this policy the call exchanges nothing between warps: leave shared(scratch) and fresh(scratch) "
                  "out of it.");
    static_assert(N <= 32 || stl::remove_pointer_t<decltype(memory::scratch)>::threads >= N,
                  "shared(scratch): the scratch is too small for this tile: write scratch<T, Threads> with at least as "
                  "many Threads as the tile has lanes (a padded tile of any block, too), and as the block has "
                  "threads.");
    static_assert(N <= 32 || memory::has_trailing_barrier || Collective.storage != storage_use::shared,
                  "fresh(scratch): this call exchanges more than once through the scratch, or has no barrier at its "
                  "end to leave out: write shared(scratch). Calls that take fresh(scratch): reduce, reduce_batch, "
                  "atomic_reduce, the votes, elect, invoke_one, compact, and the movements of lanes.hpp.");
  }
}

/// Checks a call against the table of collectives: its tile and its policy.
template <collective_row const& Collective, class Tile, class Policy>
TESSERA_FN constexpr void require_call_of() {
  require_tile<Tile>();
  require_policy<Collective, Policy>();
  require_storage<Collective, tile_size_v<Tile>, Policy>();
  static_assert(Collective.is(collectives::padded_tiles) || !is_thread_block<Tile>,
                "A block itself may have any number of threads, and takes no part in this call "
                "(docs/reference/policies.md has those that it takes part in, as a padded block tile): write auto tile "
                "= tessera::this_block_tile<256>(block) for a block of 256 threads, or tiled_partition<32>(block) for "
                "warps.");
  static_assert(Collective.is(collectives::padded_tiles) || !is_padded<Tile> || is_thread_block<Tile>,
                "A padded block tile, whose last lanes may be missing, takes no part in this call "
                "(docs/reference/policies.md has those that it takes part in): launch blocks of N threads and write "
                "this_block_tile<N>(block).");
  static_assert(!is_thread_block<Tile> || !is_striped<Policy>,
                "A block itself has no striped order, since its size is no constant: leave striped out of the policy, "
                "or write this_block_tile<256>(block) for a block of 256 threads.");
  static_assert(!is_padded<Tile> || is_thread_block<Tile> || !is_striped<Policy>,
                "A padded block tile has no striped order, whose rows would have gaps: leave striped out of the "
                "policy, or launch blocks of N threads and write this_block_tile<N>(block).");
  static_assert(Collective.is(collectives::padded_tiles | collectives::any_lanes) || !is_coalesced<Tile>,
                "A coalesced_group, which may have any lanes of its warp, takes no part in this call "
                "(docs/reference/policies.md has those that it takes part in): write auto tile = "
                "tessera::tiled_partition<32>(block), call with all its lanes, and name those that contribute: "
                "reduce_batch(tile, items, tessera::plus{}, tessera::where(pred)).");
  static_assert(Collective.is(collectives::clusters) || !is_cluster<Tile>,
                "A cluster tile, whose lanes are those of several blocks, takes no part in this call "
                "(docs/reference/policies.md has those that it takes part in): write auto tile = "
                "tessera::this_block_tile<1024>(block), and call it with the lanes of the block; in place of ballot "
                "write count_if, or exclusive_scan of the predicate.");
  static_assert(!is_cluster<Tile> || stl::is_same_v<chosen_memory<Policy>, choice::library_memory>,
                "A cluster tile exchanges through the library's own memory: leave shared(scratch) and fresh(scratch) "
                "out of the policy.");
  static_assert(!is_cluster<Tile> || !is_striped<Policy>,
                "A cluster tile has no striped order, whose rows would cross the blocks: leave striped out of the "
                "policy.");
  static_assert(!is_coalesced<Tile> || !is_striped<Policy>,
                "A coalesced_group has no striped order, since its size is no constant: leave striped out of the "
                "policy.");
  static_assert(!is_coalesced<Tile> || !stl::is_same_v<chosen_convergence<Policy>, choice::converged>,
                "A coalesced_group exchanges by its own lanes, wherever the others of the warp are: leave converged "
                "out of the policy.");
}

/// The return type of a call that doesn't compile: it converts to anything, so that the message is the only one.
struct anything {
  template <class T>
  TESSERA_FN operator T() const;
};

/// An argument that isn't a pointer, such as an iterator, a container or a span. A call with a pointer prefers the
/// overload for pointers. (With `enable_if` instead, nvcc would report the header's line as the call's in a `call_site`
/// default argument.)
struct no_pointer {
  template <class First>
  TESSERA_FN no_pointer(First const&);
};
template <class Tile>
TESSERA_FN constexpr void require_pointer() {
  static_assert(never<Tile>,
                "first is a pointer to elements in memory: write data() of a container; for an iterator that "
                "computes its elements write their function, joint_transform_reduce(tile, first, n, op, f) with "
                "f(x) or f(x, index).");
}

/// Checks that Op combines values of T on Tile's lanes, and has an identity if Policy leaves lanes out.
template <class Tile, class Op, class T, class Policy>
TESSERA_FN auto require_operator() {
  using given = typename given_operator<Op>::type;
  constexpr bool takes_values = takes_two_of<given, T>;
  constexpr bool is_misplaced = is_policy_v<given> || stl::is_arithmetic_v<given>;
  constexpr bool lacks_own = takes_any_type<given> && !takes_values;
  static_assert(!is_policy_v<given>,
                "Arguments in the wrong order: the operator comes before the policy: write tessera::plus{}, or "
                "another, before it, as in reduce(tile, x, tessera::plus{}, policy).");
  static_assert(!stl::is_arithmetic_v<given>,
                "A number in the operator's place: a start comes after the operator, as in "
                "exclusive_scan(tile, x, tessera::plus{}, start); a reduction takes none.");
  static_assert(!stl::is_pointer<T>::value ||
                    !(stl::is_same_v<given, plus> || stl::is_same_v<given, minimum> || stl::is_same_v<given, maximum>),
                "x is a pointer here, perhaps to a C array's first element: write as_items(x).");
  static_assert(!lacks_own || stl::is_pointer<T>::value,
                "This operator is the type's own +, *, <, &, | or ^, and x's type has none: write a function of "
                "two values, as [](float4 a, float4 b) { ... }, or make_operator(f, identity) of it; or combine "
                "numbers: as_zipped(v.x, v.y) by zip(plus{}, plus{}).");
  static_assert(takes_values || is_misplaced || lacks_own,
                "op(a, b) must take two values of x's type, and op be callable while const: a const operator(), no "
                "mutable lambda; for argmin and argmax write with_index(x, i), for minmax as_min_max(x), for zip "
                "as_zipped(x, y, ...), for welford as_moments(x), for affine as_affine(a, b), for log_sum_exp "
                "as_exp_sum(x), for smallest as_smallest<K>(x), for a C array as_items(x).");
  static_assert(everyone_participates<Policy> || operator_traits<Op, T>::has_identity,
                "first(n) and where(pred) give the operator's identity where no lane takes part, and this "
                "operator has none: "
                "write make_operator(f, identity).");
  require_assignable<T>();
  if constexpr (!everyone_participates<Policy>) require_identity<Op, T>();
  if constexpr (takes_values) require_call<Tile, given const, T, T>();
}

}  // namespace detail
TESSERA_NAMESPACE_END
