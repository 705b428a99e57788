// Scans of a range in memory, by one tile.
//
//   in                         a  b    c   d     | e     f      …      a chunk: N vectors, here of 2 elements
//   each lane, its own         a  ab   c   cd    |
//   before each lane           -       ab        | abcd
//   out, inclusive             a  ab   abc abcd  | abcde abcdef …
//   out, exclusive             1  a    ab  abc   | abcd  abcde  …      1: the identity; init z: z za zab …
//
// Source: chained scan of blocks, as CUB's BlockScan with a running prefix; within a tile as scan.hpp.
#pragma once

#include <tessera/joint_reduce.hpp>
#include <tessera/scan.hpp>

namespace tessera {

namespace detail {

/// Each lane's x combined with those of all lanes below. Only of owners, lanes 0 … owners − 1: the others hold nothing.
template <class Lanes, class T, class Op>
TESSERA_FN T scan_owners(Lanes lanes, T x, bool owner, Op const& op) {
  TESSERA_UNROLL
  for (unsigned delta = 1; delta < Lanes::size; delta *= 2) {
    bool there = false;
    T const below = lanes.shuffle_up(x, delta, there);
    if (there && owner) x = static_cast<T>(op(below, x));
  }
  return x;
}

/// The scan of the first `owners` lanes, with all of it that scan_range needs; what the others get is nothing to use.
template <class Lanes, class T, class Op>
TESSERA_FN lane_scan<T> scan_chunk(Lanes lanes, T const& x, unsigned owners, Op const& op) {
  bool const owner = lanes.rank() < owners;
  if constexpr (is_multi_warp<Lanes>) {
    unsigned const warp = lanes.warp(), count = owners == 0 ? 1 : (owners + 31) / 32;
    bool const last = lanes.lane() == (warp + 1 == count ? (owners - 1) % 32 : 31);
    T const local = detail::scan_owners(lanes.in_warp(), x, owner, op);
    bool const alone = last && lanes.lane() == 0;
    auto const warps = detail::scan_totals<false, true, true>(lanes, local, last, last, alone, count, op);
    T value = last ? warps.through : local;
    if (owner && !last && warp > 0) value = static_cast<T>(op(warps.before, local));
    bool there = false;
    T const behind = lanes.in_warp().shuffle_up(value, 1, there);
    return {value, detail::select(there, behind, warps.before), there || warp > 0, warps.total};
  } else {
    T const up_to_here = detail::scan_owners(lanes, x, owner, op);
    bool there = false;
    T const behind = lanes.shuffle_up(up_to_here, 1, there);
    T const all = lanes.shuffle(up_to_here, owners == 0 ? 0 : owners - 1);
    return {up_to_here, behind, there, all};
  }
}

/// Returns the total, without a start.
template <scan_kind Kind, class R, class Lanes, class T, class Count, class Op, class Start>
TESSERA_FN R scan_range(Lanes lanes, range<T, Count> const& r, R* out, Op const& op,
                        [[maybe_unused]] Start const& start) {
  constexpr bool has_start = !stl::is_same_v<Start, no_start>;
  bool const wide = detail::at_sixteen_bytes(out + r.front);
  R total = detail::from_words<R>({});  // of the chunks so far; nothing before the first
  bool begun = false;
  detail::walk_in_order(lanes, r, [&](auto const& loaded, Count index, unsigned owners) {
    auto x = detail::as_results<Op>(loaded);
    constexpr unsigned K = decltype(x)::count;
    bool const owner = lanes.rank() < owners;
    TESSERA_UNROLL
    for (unsigned j = 1; j < K; ++j) {
      if (owner) x[j] = static_cast<R>(op(x[j - 1], x[j]));
    }
    auto const chunk = detail::scan_chunk(lanes, x[K - 1], owners, op);
    bool behind = chunk.there;  // whether there is anything before this lane's first element, and what
    R before = chunk.behind;
    R const all = chunk.total;

    if (owner) {
      R carry = total;
      bool carried = begun;
      if constexpr (has_start) {
        carry = start;
        if (begun) carry = static_cast<R>(op(start, total));
        carried = true;
      }
      if (behind && carried) before = static_cast<R>(op(carry, before));
      before = detail::select(behind, before, carry);
      behind = behind || carried;
      TESSERA_UNROLL
      for (unsigned k = 0; k < K; ++k) {
        unsigned const j = K - 1 - k;
        if (Kind == scan_kind::inclusive || j > 0) {
          if constexpr (Kind == scan_kind::exclusive) x[j] = x[j - 1];
          if (behind) x[j] = static_cast<R>(op(before, x[j]));
        } else if constexpr (has_start) {
          x[j] = before;
        } else if constexpr (Kind == scan_kind::exclusive) {
          x[j] = detail::select(behind, before, operator_traits<Op, R>::identity(op));
        }
        x[j] = detail::settled<Op>(x[j]);
      }
      detail::store_items(out + index, x, wide);
    }
    if (owners > 0) {
      if (begun) total = static_cast<R>(op(total, all));
      total = detail::select(begun, total, all);
      begun = true;
    }
  });
  return detail::settled<Op>(total);
}

template <scan_kind Kind, class Tile, class T, class Integer, class R, class Op, class Start, class Policy>
TESSERA_FN auto joint_scan(Tile const& tile, T const* first, Integer n, R* out, Op const& op,
                           Start const& start, const char* name, call_site site, Policy const& policy) {
  using combine_t = canonical_t<Op, T>;
  constexpr bool has_identity = operator_traits<combine_t, R>::has_identity;
  require_range<Tile, T, Integer>();
  require_policy<Policy, policy_kind::convergence, policy_kind::extra>();
  require_operator<Tile, combine_t, T, Policy>();
  static_assert(
      stl::is_same_v<R, result_t<combine_t, T>>,
      "A scan's out points to elements of the type of first, or to unsigned where bool is counted.");
  static_assert(
      Kind == scan_kind::inclusive || !stl::is_same_v<Start, no_start> || has_identity,
      "joint_exclusive_scan(tile, first, n, out, op) starts with the operator's identity, and this operator "
      "has none: write joint_exclusive_scan(tile, first, n, out, op, init), or make_operator(f, identity).");
  static_assert(
      !gives_total<Policy> || has_identity,
      "with_total gives the operator's identity where the range is empty, and this operator has none: write "
      "make_operator(f, identity).");
  combine_t const combine = detail::canonical<T>(op);
  auto const count = count_of(n);
  auto const uniform = detail::uniform_of_range(first, count) ^ 3 * detail::uniform_of_range(out, count);
  return detail::collective(
      tile, policy, collective_name<T, combine_t>{name, site}, uniform, [&](auto lanes) {
        if constexpr (meets_by_exchange<decltype(lanes)>) lanes.ballot(true);  // a rendezvous
        auto const r = detail::range_of(first, count);
        [[maybe_unused]] R const total = detail::scan_range<Kind>(lanes, r, out, combine, start);
        lanes.reconverge();
        if constexpr (gives_total<Policy>)
          return detail::select(r.empty(), operator_traits<combine_t, R>::identity(combine), total);
      });
}

}  // namespace detail

/// out[i] = first[0] op … op first[i], for i from 0 to n − 1; nothing where n ≤ 0.
///
///   tessera::joint_inclusive_scan(tile, row, n, row);                                              // in place
///   int const all = tessera::joint_inclusive_scan(tile, in, n, out, tessera::maximum{}, tessera::with_total);
///
/// Called by  all lanes of the tile (with `converged`: of the warp), with the same arguments. Tiles of a warp may have
///            ranges of different lengths, under each policy.
/// first, n   a pointer to global, shared or host memory, any trivially copyable T at its natural alignment; any integer.
/// out        n elements of T (of unsigned where T is bool and op is plus: a count). `first` itself, or apart from the
///            range. A lane sees what other lanes have stored after tile.sync().
/// Returns    nothing; with `with_total` all elements combined, in every lane: the identity where n ≤ 0.
/// Order      that of the range. Bits are fixed by n, N and the address of `first` modulo 16, the same on GPU and host: of a
///            chunk each lane scans its vector from left to right, the tile scans the vectors as `inclusive_scan` (N > 32: the
///            last lane with a vector counts as its warp's last), and each element is (chunks before op vectors before) op its vector's up to itself.
/// Policies   convergence, extra (with_total).
/// Cost       log2(N) + 2 shuffles of each word of T for every V · N elements, V = 16 / sizeof(T), and as many for the
///            elements before and after the vectors (N > 32: as 32 lanes, and two barriers); loads of 16 bytes, 4 on their way at a time; stores of 16 bytes
///            where out and first are as far from multiples of 16 bytes. Tiles of a warp that differ in length wait for the
///            longest.
template <class Tile, class T, class Integer, class R, class Op = plus, class Policy = policy<>>
TESSERA_FN auto joint_inclusive_scan(Tile const& tile, T const* first, Integer n, R* out, Op op = {},
                                     Policy policy = {}, call_site site = call_site::here()) {
  return detail::joint_scan<detail::scan_kind::inclusive>(tile, first, n, out, op, detail::no_start{},
                                                          "joint_inclusive_scan", site, policy);
}

/// out[i] = first[0] op … op first[i − 1], for i from 0 to n − 1; out[0] is the operator's identity. As
/// joint_inclusive_scan in all else.
template <class Tile, class T, class Integer, class R, class Op = plus, class... Choices>
TESSERA_FN auto joint_exclusive_scan(Tile const& tile, T const* first, Integer n, R* out, Op op = {},
                                     policy<Choices...> policy = {}, call_site site = call_site::here()) {
  return detail::joint_scan<detail::scan_kind::exclusive>(tile, first, n, out, op, detail::no_start{},
                                                          "joint_exclusive_scan", site, policy);
}

/// The same with a start: out[0] = init, out[i] = init op first[0] op … op first[i − 1]. Any operator. The total doesn't
/// contain the start.
template <class Tile, class T, class Integer, class R, class Op, class Init, class Policy = policy<>>
TESSERA_FN auto joint_exclusive_scan(Tile const& tile, T const* first, Integer n, R* out, Op op, Init init,
                                     Policy policy = {}, call_site site = call_site::here()) {
  static_assert(
      stl::is_convertible<Init, R>::value,
      "joint_exclusive_scan(tile, first, n, out, op, init, policy): init is a value of out's type.");
  return detail::joint_scan<detail::scan_kind::exclusive>(tile, first, n, out, op, static_cast<R>(init),
                                                          "joint_exclusive_scan", site, policy);
}

}  // namespace tessera
