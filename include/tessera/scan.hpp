// Scans: for each lane, the values of the lanes before it combined in rank order, with its own or without.
//
//   rank                    0    1    2    3
//   x                       a    b    c    d
//   inclusive_scan          a    ab   abc  abcd
//   exclusive_scan          1    a    ab   abc      1: the identity
//   exclusive_scan, init z  z    za   zab  zabc
//   inclusive_scan, init z  za   zab  zabc zabcd
//   inclusive, suffix       abcd bcd  cd   d        with init z: abcdz bcdz cdz dz
//   exclusive, suffix       bcd  cd   d    1        with init z: bcdz cdz dz z
//
// Source: W. D. Hillis and G. L. Steele, "Data parallel algorithms", 1986 (Kogge and Stone's adder), in the form of CUB's
// WarpScan, so that a float scan has CUB's bits. Truth values: one ballot and a population count.
#pragma once

#include <tessera/detail/warp_scan.hpp>
#include <tessera/reduce.hpp>

namespace tessera {

/// What a scan returns under `with_total`: the lane's value (or items), and all participants combined, in every lane.
/// The total doesn't contain a given start.
template <class X, class T = detail::item_t<X>>
struct scanned {
  X value;
  T total;
};

namespace detail {

template <class Policy>
inline constexpr bool is_suffix = stl::is_same_v<typename Policy::direction, choice::suffix>;
template <class Policy>
inline constexpr bool gives_total = stl::is_same_v<typename Policy::extra, choice::with_total>;

/// The value of the lane that is `delta` lanes back on the way of the scan, and whether there is one.
template <bool Suffix, class Group, class T>
TESSERA_FN T from_predecessor(Group group, T const& x, unsigned delta, bool& has_predecessor) {
  if constexpr (Suffix) {
    return group.shuffle_down(x, delta, has_predecessor);
  } else {
    return group.shuffle_up(x, delta, has_predecessor);
  }
}

/// x and what lies behind it on the way of the scan, in rank order.
template <bool Suffix, class T, class Op>
TESSERA_FN T join(T const& predecessor, T const& x, Op const& op) {
  if constexpr (Suffix) {
    return static_cast<T>(op(x, predecessor));
  } else {
    return static_cast<T>(op(predecessor, x));
  }
}

/// Each lane's x combined with all behind it. Invariant: before the step with `delta`, a lane holds the values of the
/// `delta` lanes that end with itself, or of all there are.
template <bool Suffix = false, class Group, class T, class Op>
TESSERA_FN T inclusive_scan_lanes(Group group, T x, Op const& op) {
  TESSERA_UNROLL
  for (unsigned delta = 1; delta < Group::size; delta *= 2) {
    if constexpr (has_scan_step<Group, T, Op>) {
      x = detail::add_predecessor<Suffix>(group, x, delta);
    } else {
      bool has_predecessor = false;
      T next =
          detail::from_predecessor<Suffix>(group, x, delta, has_predecessor);  // its own where there is none
      if (has_predecessor) next = detail::join<Suffix>(next, x, op);
      x = next;
    }
  }
  if constexpr (Group::size > 1) x = detail::canonicalize_nan<Op>(x);
  return x;
}

/// The inclusive scan of the lane behind, from this lane's; `there` is false where there is none.
template <bool Suffix, class Group, class T, class Op>
TESSERA_FN T exclusive_of([[maybe_unused]] Group group, T const& inclusive, [[maybe_unused]] T const& x,
                          [[maybe_unused]] Op const& op, bool& has_predecessor) {
  if constexpr (stl::is_same_v<Op, plus> && is_integer<T>) {  // no need to ask
    has_predecessor = true;
    using wide = wrapping_t<T>;
    return static_cast<T>(static_cast<wide>(inclusive) - static_cast<wide>(x));
  } else {
    return detail::from_predecessor<Suffix>(group, inclusive, 1, has_predecessor);
  }
}

/// What a scan of one value a lane gives: the lane's own combined with all behind it; of the lane behind the same, if
/// `there` is one; and all lanes' values combined. The last two only where they are wanted.
template <class T>
struct lane_scan {
  T inclusive;
  T predecessor;
  bool has_predecessor;
  T total;
};

/// The totals of a tile's warps, scanned: what this lane needs of them.
template <class T>
struct warps_scan {
  T before;   // of the warps before this one; unspecified in the first
  T through;  // in a lane that is `closing`: of those and this one
  T total;
};

/// Totals `first` … `last − 1` of K, by the tree of `reduce` without the others; anything where there are none.
template <class T, unsigned K, class Op>
TESSERA_FN T combine_range(items<T, K> x, unsigned first, unsigned last, Op const& op) {
  TESSERA_UNROLL
  for (unsigned width = 1; width < K; width *= 2) {
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; i += 2 * width) {
      if (i + width <= first) {
        x[i] = x[i + width];
      } else if (i + width < last) {
        x[i] = static_cast<T>(op(x[i], x[i + width]));
      }
    }
  }
  return x[0];
}

/// Invariant: before the step with `delta`, a lane holds the values from its aligned group of `delta` lanes' first up to its
/// own (with `Suffix`, from its own to the last).
/// Of lanes behind `end` nothing is taken.
template <bool Suffix, class Group, class T, class Op>
TESSERA_FN T scan_groups(Group group, T x, unsigned end, Op const& op) {
  unsigned const rank = group.rank();
  TESSERA_UNROLL
  for (unsigned delta = 1; delta < Group::size; delta *= 2) {
    unsigned const base = rank & ~(2 * delta - 1);
    unsigned const source = Suffix ? base + delta : base + delta - 1;
    T const other = group.shuffle(x, source);
    if (((rank & delta) == 0) == Suffix && source <= end) x = detail::join<Suffix>(other, x, op);
  }
  return x;
}

/// The scan of the first `count` warps' totals: `own` is this warp's, at the lane that is `last` in it in scan direction. Of few
/// warps each combines what it needs; of many the first does so for all.
///
/// A `closing` lane needs the totals through its own warp, the others those before it. `OneLane`: a warp may have one lane only,
/// which is the closing one, and the first; it needs both.
template <bool Suffix, bool WantsTotal, bool OneLane, class Group, class T, class Op>
TESSERA_FN warps_scan<T> scan_totals(Group group, T const& own, bool last, bool ends_warp,
                                     [[maybe_unused]] bool is_only_lane, unsigned count, Op const& op) {
  constexpr unsigned warps = Group::warps;
  unsigned const warp = group.warp();
  using slots_t = slots_of<Group, T>;
  if constexpr (scans_in_every_warp(warps, word_count<T>)) {
    if (!group.is_partial()) {
      auto const all =
          group.all_gather(own, last, warp, [&](slots_t slots) { return slots.template read_row<warps>(0); });
      unsigned const from = Suffix ? (ends_warp ? warp : warp + 1) : 0;
      unsigned const to = Suffix || warp >= count ? count : (ends_warp ? warp + 1 : warp);
      T const through = detail::combine_range(all, from, to, op);
      T before = through;
      if constexpr (OneLane) {
        if (is_only_lane)
          before = detail::combine_range(all, Suffix ? warp + 1 : 0, Suffix ? count : warp, op);
      }
      if constexpr (WantsTotal) return {before, through, detail::combine_range(all, 0, count, op)};
      return {before, through, through};
    }
  }
  // What is read behind the barriers is found before them.
  unsigned const previous = Suffix ? warp + 1 : warp - 1;
  unsigned const needed = ends_warp ? warp : previous;
  unsigned const from = detail::opaque(needed < count ? needed : 0);
  auto const scanned = group.combine_in_first_warp(own, last, warp, [&](slots_t slots, slots_t out) {
    unsigned const of = group.lane() % warps, end = count - 1;
    T total = slots.read(of < end ? of : end);
    if (count > 1) total = detail::scan_groups<Suffix>(group.template part<warps>(), total, end, op);
    if (group.lane() < count) out.write(of, total);
  });
  T const through = scanned.read(from);
  T before = through;
  if constexpr (OneLane) {
    if (is_only_lane && previous < count) before = scanned.read(previous);
  }
  if constexpr (WantsTotal) return {before, through, scanned.read(Suffix ? 0 : count - 1)};
  return {before, through, through};
}

/// Several warps: each scans its lanes, and puts behind them what the warps before it come to.
template <bool Suffix, bool WantsPredecessor, bool WantsTotal, class Group, class T, class Op>
TESSERA_FN lane_scan<T> scan_warps(Group group, T const& x, Op const& op) {
  auto const in_warp = group.in_warp();
  bool const last = group.lane() == (Suffix ? 0 : group.last_lane());
  bool const first_warp = group.warp() == (Suffix ? group.valid_warps() - 1 : 0);
  // The last lane gets what the warps up to its own come to by the tree of `reduce`; of two warps that is what it gets anyway.
  bool const ends_warp = last && Group::warps > 2;
  T const local = detail::inclusive_scan_lanes<Suffix>(in_warp, x, op);
  bool const is_only_lane = ends_warp && group.lane() == (Suffix ? group.last_lane() : 0);
  auto const warps = detail::scan_totals<Suffix, WantsTotal, Group::may_be_partial>(
      group, local, last, ends_warp, is_only_lane, group.valid_warps(), op);
  T value = warps.through;
  if (!ends_warp) {
    value = local;
    if (!first_warp) value = detail::join<Suffix>(warps.before, local, op);
  }
  value = detail::canonicalize_nan<Op>(value);
  lane_scan<T> out{value, value, true, warps.total};
  if constexpr (WantsPredecessor) {
    out.predecessor = detail::exclusive_of<Suffix>(in_warp, value, x, op, out.has_predecessor);
    if (!out.has_predecessor) {  // the warp's first lane on the way
      out.predecessor = warps.before;
      out.has_predecessor = !first_warp;
    }
  }
  return out;
}

/// With a slot for each lane: the first warp scans. Each of its lanes has as many neighbors as there are warps, and goes
/// through them one after the other, behind what the lanes before it come to. (Twice, four at a time, so that few are held.)
template <bool Suffix, bool WantsPredecessor, bool WantsTotal, class Group, class T, class Op>
TESSERA_FN lane_scan<T> scan_by_one_warp(Group group, T const& x, Op const& op) {
  constexpr unsigned warps = Group::warps, near = warps < 4 ? warps : 4, rows = warps / near;
  auto const position = [](unsigned i, unsigned of) { return Suffix ? of - 1 - i : i; };
  unsigned const rank = group.rank(), own = raking_slot(rank);
  using slots_t = slots_of<Group, T>;
  auto const scanned =
      group.template combine_in_first_warp<32, 32>(x, true, own, [&](slots_t slots, slots_t out) {
        unsigned const first = raking_slot(group.lane() * warps);
        auto row = slots.template read_row<near>(first ^ near * position(0, rows));
        T total = row[position(0, near)];
        TESSERA_UNROLL
        for (unsigned i = 1; i < warps; ++i) {
          if (i % near == 0) row = slots.template read_row<near>(first ^ near * position(i / near, rows));
          total = detail::join<Suffix>(total, row[position(i % near, near)], op);
        }
        total = detail::inclusive_scan_lanes<Suffix>(group.in_warp(), total, op);
        bool has_predecessor = false;
        T before = detail::from_predecessor<Suffix>(group.in_warp(), total, 1, has_predecessor);
        TESSERA_UNROLL
        for (unsigned r = 0; r < rows; ++r) {
          unsigned const at = first ^ near * position(r, rows);
          if (rows > 1) row = slots.template read_row<near>(at);
          TESSERA_UNROLL
          for (unsigned i = 0; i < near; ++i) {
            T& item = row[position(i, near)];
            if (has_predecessor || r + i > 0) item = detail::join<Suffix>(before, item, op);
            before = item;
            item = detail::canonicalize_nan<Op>(item);
          }
          out.write_row(at, row);
        }
      });
  T const value = scanned.read(own);
  lane_scan<T> out{value, value, rank != (Suffix ? Group::size - 1 : 0), value};
  if constexpr (WantsPredecessor)
    out.predecessor = scanned.read(raking_slot(out.has_predecessor ? (Suffix ? rank + 1 : rank - 1) : rank));
  if constexpr (WantsTotal) out.total = scanned.read(raking_slot(Suffix ? 0 : Group::size - 1));
  return out;
}

/// The scan by the policy's way and method.
template <class Policy, bool WantsPredecessor, class Group, class T, class Op>
TESSERA_FN lane_scan<T> scan_lanes(Group group, T const& x, Op const& op) {
  constexpr bool Suffix = is_suffix<Policy>, WantsTotal = gives_total<Policy>;
  if constexpr (is_multi_warp<Group>) {
    constexpr bool by_shuffles = stl::is_same_v<typename Policy::method, choice::shuffles>;
    if constexpr (Group::template has_result_a_lane<T> && !by_shuffles &&
                  scans_by_one_warp(Group::warps, word_count<T>)) {
      if (!group.is_partial())
        return detail::scan_by_one_warp<Suffix, WantsPredecessor, WantsTotal>(group, x, op);
    }
    return detail::scan_warps<Suffix, WantsPredecessor, WantsTotal>(group, x, op);
  } else {
    T const value = detail::inclusive_scan_lanes<Suffix>(group, x, op);
    lane_scan<T> out{value, value, false, value};
    if constexpr (WantsPredecessor)
      out.predecessor = detail::exclusive_of<Suffix>(group, value, x, op, out.has_predecessor);
    if constexpr (WantsTotal) out.total = group.shuffle(value, Suffix ? 0 : Group::size - 1);
    return out;
  }
}

/// Which lanes take part; a vote where the policy is `where(pred)`.
template <class Group, class Policy>
TESSERA_FN lane_mask<Group::size> participants_of([[maybe_unused]] Group group,
                                                  [[maybe_unused]] Policy const& policy) {
  using mask = lane_mask<Group::size>;
  if constexpr (stl::is_same_v<typename Policy::participants, choice::first>) {
    return mask::prefix(policy.n) & group.valid_lanes();
  } else if constexpr (stl::is_same_v<typename Policy::participants, choice::where>) {
    return group.ballot(policy.pred);
  } else {
    return group.valid_lanes();
  }
}

/// The lanes that come before `rank` on the way of the scan, and it too where `with_own`.
template <bool Suffix, unsigned N>
TESSERA_FN lane_mask<N> predecessors(unsigned rank, bool with_own) {
  if constexpr (Suffix) {
    return ~lane_mask<N>::prefix(with_own ? rank : rank + 1);
  } else {
    return lane_mask<N>::prefix(with_own ? rank + 1 : rank);
  }
}

/// No start was given: the scan starts with the identity.
struct no_start {};

enum class scan_kind { inclusive, exclusive };

/// Truth values: every lane sees all of them, and combines those that it needs.
template <scan_kind Kind, class Policy, class Op, class Group, class Start>
TESSERA_FN auto scan_votes(Group group, bool x, Policy const& policy, [[maybe_unused]] Start start) {
  constexpr unsigned N = Group::size;
  using result = result_t<Op, bool>;
  bool const in = participates(policy, group.rank());
  // Those that take no part vote for what changes nothing; the vote of a lane that doesn't exist isn't counted.
  lane_mask<N> const votes = group.ballot(in ? x : operator_traits<Op, bool>::identity(Op{}));
  lane_mask<N> const valid = group.valid_lanes();
  result value = combine_votes<Op>(
      votes, valid & predecessors<is_suffix<Policy>, N>(group.rank(), Kind == scan_kind::inclusive));
  if constexpr (!stl::is_same_v<Start, no_start>) value = detail::join<is_suffix<Policy>>(start, value, Op{});
  return scanned<result>{value, combine_votes<Op>(votes, valid)};
}

/// The scan of K items a lane: a lane scans its own, the tile scans the lanes' totals, and each item gets what lies
/// behind its lane.
template <scan_kind Kind, class Policy, class Group, class T, unsigned K, class Op, class Start>
TESSERA_FN scanned<items<T, K>> scan_items(Group group, items<T, K> x, Op const& op, Policy const& policy,
                                           [[maybe_unused]] Start start) {
  constexpr bool suffix = is_suffix<Policy>;
  constexpr bool inclusive = Kind == scan_kind::inclusive;
  constexpr bool has_start = !stl::is_same_v<Start, no_start>;
  constexpr bool partial = !everyone_participates<Policy>;
  // The i-th item of a lane on the way of the scan.
  auto const position = [](unsigned i) { return suffix ? K - 1 - i : i; };

  if constexpr (partial) {
    using neutral = neutral_element<operator_traits<Op, T>, T, Op>;
    bool const in = participates(policy, group.rank());
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) x[i] = detail::select(in, x[i], neutral::get(op));
  }
  TESSERA_UNROLL
  for (unsigned i = 1; i < K; ++i)
    x[position(i)] = detail::join<suffix>(x[position(i - 1)], x[position(i)], op);
  constexpr bool wants_predecessor = !inclusive || K > 1;
  auto const of_lanes = detail::scan_lanes<Policy, wants_predecessor>(group, x[position(K - 1)], op);
  T up_to_here = of_lanes.inclusive;
  if constexpr (has_start && inclusive) {
    up_to_here = detail::canonicalize_nan<Op>(detail::join<suffix>(start, up_to_here, op));
  }

  auto out = detail::from_words<scanned<items<T, K>>>({});  // T need not have a default constructor
  out.total = of_lanes.total;
  bool has_predecessor = of_lanes.has_predecessor;
  T predecessor = of_lanes.predecessor;
  if constexpr (has_start && wants_predecessor) {
    predecessor = detail::select(has_predecessor, detail::join<suffix>(start, predecessor, op), start);
    has_predecessor = true;
  }
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i) {
    T& result = out.value[position(i)];
    if constexpr (inclusive) {
      T const mine = x[position(i)];
      if (i == K - 1) {
        result = up_to_here;
      } else {
        result = detail::select(has_predecessor, detail::join<suffix>(predecessor, mine, op), mine);
      }
    } else if (i == 0) {
      if constexpr (has_start) {
        result = predecessor;
      } else {
        result = detail::select(has_predecessor, predecessor, operator_traits<Op, T>::identity(op));
      }
    } else {
      T const mine = x[position(i - 1)];
      result = detail::select(has_predecessor, detail::join<suffix>(predecessor, mine, op), mine);
    }
    if constexpr (Group::size > 1 || K > 1) result = detail::canonicalize_nan<Op>(result);
  }

  // Where nobody takes part, the identity: −0, which stands in for floats, is none.
  if constexpr (partial) {
    if constexpr (!neutral_element<operator_traits<Op, T>, T, Op>::is_identity) {
      auto const taking_part = participants_of(group, policy);
      T const identity = operator_traits<Op, T>::identity(op);
      if constexpr (!has_start) {
        bool const no_predecessors =
            (taking_part & predecessors<suffix, Group::size>(group.rank(), false)).none();
        bool const none_here = no_predecessors && !participates(policy, group.rank());
        TESSERA_UNROLL
        for (unsigned i = 0; i < K; ++i) {
          bool const none = !inclusive && i == 0 ? no_predecessors : none_here;
          out.value[position(i)] = detail::select(none, identity, out.value[position(i)]);
        }
      }
      out.total = detail::select(taking_part.none(), identity, out.total);
    }
  }
  return out;
}

/// Whether a scan of values of X goes by votes.
template <class Policy, class X, class Op>
inline constexpr bool scans_by_votes =
    stl::is_same_v<X, bool> && !stl::is_same_v<typename Policy::method, choice::shuffles> &&
    instruction_for<Op, bool>() == warp_instruction::vote;

template <class Collective, scan_kind Kind, class Tile, class X, class Op, class Policy, class Start>
TESSERA_FN auto scan(Tile const& tile, X const& x, Op const& op, Policy const& policy, Start const& start,
                     call_site site) {
  using T = item_t<X>;
  using combine_t = normalized_t<Op, T>;
  require_exchangeable<X>();
  require_operator<Tile, combine_t, T, Policy>();
  static_assert(
      Kind == scan_kind::inclusive || !stl::is_same_v<Start, no_start> ||
          operator_traits<combine_t, T>::has_identity,
      "exclusive_scan(tile, x, op) gives the operator's identity to its first lane, and this operator has "
      "none: write exclusive_scan(tile, x, op, init), or make_operator(f, identity).");
  static_assert(
      !stl::is_same_v<typename Policy::method, choice::hardware> || scans_by_votes<Policy, X, combine_t>,
      "A scan has an instruction for truth values only: write automatic, or leave hardware out.");
  combine_t const combine = detail::normalize<T>(op);
  auto const out =
      detail::collective<Collective, X, combine_t>(tile, policy, site, 0, [&](group_of<Tile, Policy> group) {
        if constexpr (scans_by_votes<Policy, X, combine_t>) {
          return scan_votes<Kind, Policy, combine_t>(group, x, policy, start);
        } else {
          using result = result_t<combine_t, T>;
          auto const results = [&] {
            if constexpr (is_items_v<X>) {
              return detail::scan_items<Kind>(group, detail::as_results<combine_t>(x), combine, policy,
                                              start);
            } else {
              auto const one = detail::scan_items<Kind>(group, items<result, 1>{{static_cast<result>(x)}},
                                                        combine, policy, start);
              return scanned<result>{one.value[0], one.total};
            }
          }();
          if constexpr (call_may_branch<combine_t, result>) group.reconverge();  // not all lanes call op
          return results;
        }
      });
  if constexpr (gives_total<Policy>) {
    return out;
  } else {
    return out.value;
  }
}

}  // namespace detail

/// For each lane, the values of lanes 0 … rank combined by `op` in rank order; with `suffix`, those of rank … N − 1.
///
///   unsigned const end = tessera::inclusive_scan(tile, length);
///   auto const [place, all] = tessera::exclusive_scan(tile, keep, plus{}, with_total);   // keep: bool
///
/// Called by  all lanes of the tile (with `converged`: of the warp), with one `op` and one policy.
/// x          any trivially copyable value, or items<T, K> in blocked order. bool with `plus` is counted.
/// Returns    the same type (unsigned for a count); with `with_total` scanned{value, total}. With `first(n)` or
///            `where(pred)` a lane gets what the participants up to it give; the identity where there are none.
/// Order      of one value a lane as CUB's WarpScan, whose bits a float scan has; the last lane's value and the total
///            have the bits of `reduce`. K items: each lane's from left to right (with `suffix` from right to left), then the
///            lanes'. A start stands before all of it: (start op the lanes before) op the lane's own items.
///            N > 32: (the warps before, as `reduce` combines them) op (the warp's own lanes up to this one); in a warp's last
///            lane, all warps up to its own as `reduce` combines them. In a padded tile whose last warp isn't whole, that warp
///            counts as its lanes' scan combines it. With shared(scratch) of the type, 128 to 512 lanes that all exist, and
///            values of up to 512 / N words: N / 32 neighbors at a time from left to right, behind the neighbors before them,
///            which are combined like 32 lanes.
/// Policies   convergence, participants, method, direction (prefix, suffix), extra (with_total).
/// Cost       log2(N) shuffles of each 32-bit word of T and as many calls of `op`, no barrier, no memory; an exclusive
///            scan one more (none for sums of integers), `with_total` one more. K items: 2 (K − 1) calls of `op` and one
///            shuffle more. bool: one vote.
///            N > 32: as 32 lanes, then two barriers, between which one warp scans the warps' totals; 64 · sizeof(T) bytes of
///            shared memory a block. With shared(scratch) and 128 to 512 lanes two barriers, and one warp scans all lanes: the
///            others' part is a store and a load.
template <class Tile, class X, class Op = plus, class... Choices>
TESSERA_FN auto inclusive_scan(Tile const& tile, X x, Op op = {}, policy<Choices...> policy = {},
                               call_site site = call_site::here()) {
  return detail::scan<detail::collectives::inclusive_scan, detail::scan_kind::inclusive>(
      tile, x, op, policy, detail::no_start{}, site);
}

/// The same with a start: init op x0 op x1 … op x(rank); with `suffix`, x(rank) op … op x(N−1) op init. Any operator; one
/// call of it more for each item.
///
///   unsigned const end = tessera::inclusive_scan(tile, length, plus{}, offset);
///
/// With `first(n)` or `where(pred)` a lane with no participants up to it gets init. The bits are those of init op what the
/// lane gets without a start; of K items, (init op the lanes before) op the lane's own up to this one. The total doesn't
/// contain init.
template <class Tile, class X, class Op, class Init, class Policy = policy<>>
TESSERA_FN auto inclusive_scan(Tile const& tile, X x, Op op, Init init, Policy policy = {},
                               call_site site = call_site::here()) {
  using result = detail::result_t<detail::normalized_t<Op, detail::item_t<X>>, detail::item_t<X>>;
  static_assert(stl::is_convertible<Init, result>::value,
                "inclusive_scan(tile, x, op, init, policy): init is a value of x's type.");
  return detail::scan<detail::collectives::inclusive_scan, detail::scan_kind::inclusive>(
      tile, x, op, policy, static_cast<result>(init), site);
}

/// The same without the lane's own value: rank 0 gets the identity (with `suffix`, rank N − 1). The operator has one.
template <class Tile, class X, class Op = plus, class... Choices>
TESSERA_FN auto exclusive_scan(Tile const& tile, X x, Op op = {}, policy<Choices...> policy = {},
                               call_site site = call_site::here()) {
  return detail::scan<detail::collectives::exclusive_scan, detail::scan_kind::exclusive>(
      tile, x, op, policy, detail::no_start{}, site);
}

/// The same with a start: init op x0 op x1 …; with `suffix`, … op x(N−1) op init. Rank 0 (N − 1) gets init. Any operator.
template <class Tile, class X, class Op, class Init, class Policy = policy<>>
TESSERA_FN auto exclusive_scan(Tile const& tile, X x, Op op, Init init, Policy policy = {},
                               call_site site = call_site::here()) {
  using T = detail::item_t<X>;
  using result = detail::result_t<detail::normalized_t<Op, T>, T>;
  static_assert(stl::is_convertible<Init, result>::value,
                "exclusive_scan(tile, x, op, init, policy): init is a value of x's type.");
  return detail::scan<detail::collectives::exclusive_scan, detail::scan_kind::exclusive>(
      tile, x, op, policy, static_cast<result>(init), site);
}

}  // namespace tessera
