// The scan of a range in memory by a group.
#pragma once

#include <tessera/tile/checked_arguments.hpp>
#include <tessera/tile/joint_reduce.hpp>
#include <tessera/tile/scan.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// op with its operands swapped. A suffix scan is the prefix scan with it from the end of the range.
template <class Op>
struct mirrored {
  Op const& op;
  template <class T>
  TESSERA_FN auto operator()(T const& later, T const& earlier) const {
    return op(earlier, later);
  }
};

/// The operator for the direction of the walk: its first operand is the one met first.
template <bool Suffix, class Op>
TESSERA_FN decltype(auto) in_order_of_walk(Op const& op) {
  if constexpr (Suffix) {
    return mirrored<Op>{op};
  } else {
    return (op);
  }
}

/// The inclusive scan of lanes 0 … owners − 1; the others have no element.
template <class Group, class T, class Op>
TESSERA_FN T scan_owners(Group group, T x, bool owner, Op const& op) {
  TESSERA_UNROLL
  for (unsigned delta = 1; delta < Group::size; delta *= 2) {
    bool has_predecessor = false;
    T const below = group.shuffle_up(x, delta, has_predecessor);
    if (has_predecessor && owner) x = static_cast<T>(op(below, x));
  }
  return x;
}

/// Scans lanes below `owners`; the result of the others is unspecified.
template <class Group, class T, class Op>
TESSERA_FN lane_scan<T> scan_chunk(Group group, T const& x, unsigned owners, Op const& op) {
  bool const owner = group.rank() < owners;
  if constexpr (is_multi_warp<Group>) {
    unsigned const warp = group.warp(), count = owners == 0 ? 1 : (owners + 31) / 32;
    bool const last = group.lane() == (warp + 1 == count ? (owners - 1) % 32 : 31);
    T const local = detail::scan_owners(group.in_warp(), x, owner, op);
    return across_warps<false, true, true, Group, T, Op>{group, last, owner, count, op}(local);
  } else {
    T const up_to_here = detail::scan_owners(group, x, owner, op);
    bool has_predecessor = false;
    T const predecessor = group.shuffle_up(up_to_here, 1, has_predecessor);
    T const all = group.shuffle(up_to_here, owners == 0 ? 0 : owners - 1);
    return {up_to_here, predecessor, has_predecessor, all};
  }
}

/// f(element, index) for a lane's elements if it is an owner, so that f is only called with elements of the range.
template <class R, class T, unsigned K, class Count, class F>
TESSERA_FN items<R, K> transformed(items<T, K> const& x, Count index, [[maybe_unused]] bool owner, F const& f) {
  auto out = detail::from_words<items<R, K>>({});
  TESSERA_UNROLL
  for (unsigned j = 0; j < K; ++j) {
    if constexpr (stl::is_same_v<F, as_it_is>) {
      out[j] = static_cast<R>(x[j]);
    } else {
      if (owner) out[j] = static_cast<R>(f(x[j], index + j));
    }
  }
  return out;
}

/// Scans one chunk of a range, and stores the results. Chunks, lanes and items are numbered in the direction of the
/// walk: with `Suffix`, the predecessor of an element is the one after it in the range.
template <scan_kind Kind, bool Suffix, class R, class Group, class Out, class Op, class F, class Start>
struct chunk_scan {
  static constexpr bool has_start = !stl::is_same_v<Start, no_start>;

  Group group;
  Out const& out;
  Op const& op;
  F const& f;
  Start const& start;
  bool wide;
  R& total;  // of the chunks so far; unspecified before the first
  bool& begun;

  template <class T, unsigned K, class Count>
  TESSERA_FN void operator()(items<T, K> const& loaded, Count index, unsigned owners) const {
    bool const owner = group.rank() < owners;
    auto x = detail::transformed<R>(loaded, index, owner, f);
    TESSERA_UNROLL
    for (unsigned j = 1; j < K; ++j) {
      R& item = x[detail::in_direction<Suffix, K>(j)];
      if (owner) item = detail::join<Suffix>(x[detail::in_direction<Suffix, K>(j - 1)], item, op);
    }
    auto const chunk = detail::scan_chunk(group, x[detail::in_direction<Suffix, K>(K - 1)], owners,
                                          detail::in_order_of_walk<Suffix>(op));
    bool predecessor = chunk.has_predecessor;  // true if an element precedes this lane's first; its prefix
    R before = chunk.predecessor;
    R const all = chunk.total;

    if (owner) {
      R carry = total;
      bool carried = begun;
      if constexpr (has_start) {
        carry = start;
        if (begun) carry = detail::join<Suffix>(start, total, op);
        carried = true;
      }
      if (predecessor && carried) before = detail::join<Suffix>(carry, before, op);
      before = detail::select(predecessor, before, carry);
      predecessor = predecessor || carried;
      TESSERA_UNROLL
      for (unsigned k = 0; k < K; ++k) {
        unsigned const j = K - 1 - k;
        R& item = x[detail::in_direction<Suffix, K>(j)];
        if (Kind == scan_kind::inclusive || j > 0) {
          if constexpr (Kind == scan_kind::exclusive) item = x[detail::in_direction<Suffix, K>(j - 1)];
          if (predecessor) item = detail::join<Suffix>(before, item, op);
        } else if constexpr (has_start) {
          item = before;
        } else if constexpr (Kind == scan_kind::exclusive) {
          item = detail::select(predecessor, before, operator_traits<Op, R>::identity(op));
        }
        item = detail::canonicalize_nan<Op>(item);
      }
      if constexpr (stl::is_pointer_v<Out>) {
        detail::store_items(out + index, x, wide);
      } else {
        TESSERA_UNROLL
        for (unsigned j = 0; j < K; ++j) detail::write_element(out, index + j, x[j]);
      }
    }
    if (owners > 0) {
      if (begun) total = detail::join<Suffix>(total, all, op);
      total = detail::select(begun, total, all);
      begun = true;
    }
  }
};

/// Returns the total without a start.
template <scan_kind Kind, bool Suffix, class R, class Group, class T, class Count, class It, class Out, class Op,
          class F, class Start>
TESSERA_FN R scan_range(Group group, range<T, Count, It> const& r, Out const& out, Op const& op, F const& f,
                        Start const& start) {
  bool wide = false;
  if constexpr (stl::is_pointer_v<Out>) wide = detail::at_sixteen_bytes(out + r.front);
  R total = detail::from_words<R>({});
  bool begun = false;
  detail::walk_in_order<Suffix>(
      group, r, chunk_scan<Kind, Suffix, R, Group, Out, Op, F, Start>{group, out, op, f, start, wide, total, begun});
  return detail::canonicalize_nan<Op>(total);
}

/// The return type of a scan of a range: the total's, or void.
template <class Policy, class R, class = void>
struct range_total {
  using type = void;
};
template <class Policy, class R>
struct range_total<Policy, R, stl::enable_if_t<is_policy_v<Policy>>> {
  using type = stl::conditional_t<gives_total<Policy>, R, void>;
};
template <class Policy, class R>
using range_total_t = typename range_total<Policy, R>::type;

/// The type of a scan's results: that of the elements that `out` points to, or for an iterator that of a reduction. For
/// pointers nothing else is looked at here: nvcc would take the place of what it looks at for the call's.
template <class Op, class T, class Integer, class F, bool = takes_element<Integer, T, F>>
struct scan_term {
  using type = int;  // A static assertion refuses the call.
};
template <class Op, class T, class Integer, class F>
struct scan_term<Op, T, Integer, F, true> {
  using type = range_result_t<Op, typename applied<Integer, F, T>::type, Integer>;
};
template <class Out, class Op, class It, class Integer, class F>
struct scan_result : scan_term<Op, value_of<It>, Integer, F> {};
template <class R, class Op, class It, class Integer, class F>
struct scan_result<R*, Op, It, Integer, F> {
  using type = R;
};
template <class Out, class Op, class It, class Integer, class F = as_it_is>
using scan_result_t = typename scan_result<Out, Op, It, Integer, F>::type;

template <collective_row const& Collective, scan_kind Kind, class R, class Tile, class It, class Integer, class Out,
          class Op, class F, class Start, class Policy>
TESSERA_FN auto joint_scan(Tile const& tile, It const& first, Integer n, Out const& to, Op const& op, F const& f,
                           Start const& start, call_site site, Policy const& policy) {
  using T = value_of<It>;
  auto const out = detail::writer_for<R>(to);
  static_assert(
      is_reader<Out>,
      "A scan's out is a pointer, or an iterator that writes: joint_inclusive_scan(tile, first, n, out, op).");
  require_range<Tile, T, Integer>();
  static_assert(stl::is_invocable_v<F const&, T const&> || stl::is_invocable_v<F const&, T const&, Integer>,
                "f(x) or f(x, index) takes an element, and its index in the range, and can be called while const; the "
                "operator comes before the function: write joint_transform_inclusive_scan(tile, first, n, out, op, "
                "f).");
  require_function<Tile, Integer, F, T>();
  using term = decltype(detail::apply<Integer>(f, stl::declval<T const&>(), Integer{}));
  using combine_t = operator_for<Op, term>;
  constexpr bool has_identity = operator_traits<combine_t, R>::has_identity;
  require_exchangeable<term>();
  static_assert(stl::is_same_v<F, as_it_is> || stl::is_same_v<combine_t, normalized_t<Op, term>>,
                "op(a, b) must take two values of what f gives; the operator comes before the function: write "
                "joint_transform_inclusive_scan(tile, first, n, out, op, f).");
  require_operator<Tile, combine_t, term, Policy>();
  static_assert(stl::is_same_v<R, result_t<combine_t, term>> || stl::is_same_v<R, range_result_t<Op, term, Integer>>,
                "A scan's out points to elements of the type of first, or of what f gives; to unsigned "
                "where bool is counted; to these or to int where integers of 8 or 16 bits are added.");
  static_assert(Kind == scan_kind::inclusive || !stl::is_same_v<Start, no_start> || has_identity,
                "joint_exclusive_scan(tile, first, n, out, op) starts with the operator's identity, and this operator "
                "has none: write joint_exclusive_scan(tile, first, n, out, op, init) or "
                "joint_transform_exclusive_scan(tile, first, n, out, op, f, init), or make_operator(f, identity).");
  static_assert(!gives_total<Policy> || has_identity,
                "with_total gives the operator's identity where the range is empty, and this operator has none: write "
                "make_operator(f, identity).");
  combine_t const combine = detail::to_operator<term>(op);
  auto const count = detail::count_of(n);
  auto const uniform = detail::uniform_of_ranges(first, out, count);
  using group_t = group_of<Tile, Policy>;
  return detail::collective<Collective, T, combine_t>(
      tile, policy, site, uniform, [&](group_t group) -> range_total_t<Policy, R> {
        if constexpr (meets_by_exchange<decltype(group)>) group.ballot(true);  // a rendezvous
        detail::require_elements(group, first, count);
        detail::require_elements(group, out, count);
        auto const r = detail::range_of(first, count);
        [[maybe_unused]] R const total = [&] {
          if constexpr (stl::is_same_v<F, as_it_is>) {
            return detail::scan_range<Kind, is_suffix<Policy>, R>(group, r, out, combine, f, start);
          } else {
            using Count = count_t<Integer>;
            auto const value = [&](T const& x, Count index) { return detail::apply<Integer>(f, x, index); };
            return detail::scan_range<Kind, is_suffix<Policy>, R>(group, r, out, combine, value, start);
          }
        }();
        group.reconverge();
        if constexpr (gives_total<Policy>)
          return detail::select(r.empty(), operator_traits<combine_t, R>::identity(combine), total);
      });
}

}  // namespace detail
TESSERA_NAMESPACE_END
