// The table of segmented scans and reductions, for one type and operator: sizes × participants, with
// segments by heads, tails and keys. The reference scans each segment by itself.
#pragma once

#include <tessera/segmented.hpp>

#include "scan_cases.hpp"

namespace test {

/// A lane's value with its flag (a head or a tail) and its key.
template <class T>
struct segment_input {
  T x;
  unsigned n;
  bool pred, flag;
  long long key;
};

template <class R>
struct segment_output {
  R inclusive, exclusive, total, reduced;
};

enum class given_by { heads, tails, keys };

template <given_by By, class Op, class Policy>
struct segment_kernel {
  Op op;
  Policy policy;
  who participants;

  template <class Tile, class T, class R = tessera::detail::result_t<Op, T>>
  TESSERA_FN segment_output<R> operator()(Tile const& tile, segment_input<T> in) const {
    if (participants == who::first) return call<R>(tile, in, policy | tessera::first(in.n));
    if (participants == who::where) return call<R>(tile, in, policy | tessera::where(in.pred));
    return call<R>(tile, in, policy);
  }
  template <class R, class Tile, class T, class P>
  TESSERA_FN segment_output<R> call(Tile const& tile, segment_input<T> in, P p) const {
    if constexpr (By == given_by::heads) {
      return all<R>(tile, in.x, in.flag, p);
    } else if constexpr (By == given_by::tails) {
      return all<R>(tile, in.x, tessera::by_tail(in.flag), p);
    } else {
      return all<R>(tile, in.x, tessera::by_key(in.key), p);
    }
  }
  template <class R, class Tile, class T, class Segments, class P>
  TESSERA_FN segment_output<R> all(Tile const& tile, T const& x, Segments segments, P p) const {
    using without_direction = tessera::policy<typename P::convergence, typename P::participants>;
    without_direction plain{};
    if constexpr (std::is_same_v<typename P::participants, tessera::choice::first>) plain.n = p.n;
    if constexpr (std::is_same_v<typename P::participants, tessera::choice::where>) plain.pred = p.pred;
    auto const both = tessera::segmented_exclusive_scan(tile, x, segments, op, p | tessera::with_total);
    return {tessera::segmented_inclusive_scan(tile, x, segments, op, p), both.value, both.total,
            tessera::segmented_reduce(tile, x, segments, op, plain)};
  }
};

/// The inclusive scan of a segment, in the order of the scan. `first` is the index in the tile, in that
/// order, where the segment begins. The lanes of a warp are combined by Kogge and Stone's tree, and so are
/// the results of the warps' last lanes.
template <class R, class Op>
row_of<R> scan_of_segment(row_of<R> const& x, std::size_t first, Op op, bool swapped) {
  row_of<R> out, of_warps;
  std::size_t begin = 0;  // where the segment's part in this warp begins
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::size_t const at_rank = first + i;
    if (at_rank % 32 == 0) begin = i;
    row_of<R> const part(x.begin() + static_cast<long>(begin), x.begin() + static_cast<long>(i) + 1);
    auto const in_warp = kogge_stone(part, static_cast<long>(part.size()) - 1, 32, op, swapped);
    long const before = static_cast<long>(of_warps.size()) - 1;
    if (at_rank % 32 == 31) {
      of_warps.push_back(in_warp);
      out.push_back(kogge_stone(of_warps, before + 1, 32, op, swapped));
    } else {
      out.push_back(join(kogge_stone(of_warps, before, 32, op, swapped), in_warp, op, swapped));
    }
  }
  return out;
}

template <unsigned N, given_by By, class T, class Op, class Policy>
void check_segments(Op op, Policy policy) {
  using R = tessera::detail::result_t<Op, T>;
  constexpr bool backwards = std::is_same_v<typename Policy::direction, tessera::choice::suffix>;
  for (who participants : {who::everyone, who::first, who::where}) {
    random_engine random(100 * N + static_cast<unsigned>(participants));
    std::vector<segment_input<T>> lanes;
    for (auto const& lane : make_lanes<T>(N, random, sample<T>)) lanes.push_back({lane.x, lane.n, lane.pred, false, 0});
    for (unsigned base = 0; base < lanes.size(); base += N) {
      unsigned const often[] = {1, 2, 3, 4, 5, 6, 50, 1000};  // from one segment per lane to almost none
      auto const one_in = often[random() % (N > 32 ? 8 : 6)];
      for (unsigned rank = 0; rank < N; ++rank) {
        lanes[base + rank].flag = random() % one_in == 0;
        // Keys differ in the upper word only. In large tiles, neighbors often have the same key.
        bool const stays = N > 32 && rank > 0 && random() % one_in != 0;
        lanes[base + rank].key = stays ? lanes[base + rank - 1].key : static_cast<long long>(random() % one_in) << 32;
      }
    }
    auto const out =
        backend::run<N, segment_output<R>>(lanes, segment_kernel<By, Op, Policy>{op, policy, participants});
    R const identity = tessera::operator_traits<Op, R>::identity(op);

    for (unsigned base = 0; base < lanes.size(); base += N) {
      for (unsigned first = 0; first < N;) {
        unsigned end = first + 1;
        auto const ends_before = [&](unsigned rank) {
          auto const &before = lanes[base + rank - 1], &here = lanes[base + rank];
          return By == given_by::heads ? here.flag : By == given_by::tails ? before.flag : before.key != here.key;
        };
        while (end < N && !ends_before(end)) ++end;
        row_of<R> row;
        for (unsigned rank = first; rank < end; ++rank) {
          auto const& lane = lanes[base + rank];
          bool const in = participants == who::everyone || (participants == who::first ? rank < lane.n : lane.pred);
          row.push_back(in ? std::optional<R>(static_cast<R>(lane.x)) : std::nullopt);
        }
        std::size_t const start[] = {first, N - end};  // for the scan forwards and backwards
        row_of<R> const reversed(row.rbegin(), row.rend());
        auto const reduced = scan_of_segment(reversed, start[1], op, true).back();
        if (backwards) row = reversed;
        row_of<R> const scanned = scan_of_segment(row, start[backwards ? 1 : 0], op, backwards);
        std::optional<R> total, before;
        for (unsigned i = 0; i < row.size(); ++i) {
          unsigned const rank = backwards ? end - 1 - i : first + i;
          auto const up_to_here = scanned[i];
          auto const& got = out[base + rank];
          auto const where = [&] {
            return ::testing::Message() << "N " << N << ", participants " << static_cast<int>(participants) << ", tile "
                                        << base / N << ", segment " << first << " to " << end - 1 << ", rank " << rank;
          };
          ASSERT_TRUE(same(got.inclusive, up_to_here.value_or(identity)))
              << where() << ": inclusive " << show(got.inclusive) << ", expected "
              << show(up_to_here.value_or(identity));
          ASSERT_TRUE(same(got.exclusive, before.value_or(identity)))
              << where() << ": exclusive " << show(got.exclusive) << ", expected " << show(before.value_or(identity));
          ASSERT_TRUE(same(got.reduced, reduced.value_or(identity)))
              << where() << ": reduced " << show(got.reduced) << ", expected " << show(reduced.value_or(identity));
          before = up_to_here;
          total = up_to_here;
        }
        for (unsigned rank = first; rank < end; ++rank)
          ASSERT_TRUE(same(out[base + rank].total, total.value_or(identity))) << "N " << N << ", rank " << rank;
        first = end;
      }
    }
  }
}

template <class T, class Op, class Sizes = small_sizes>
void check_segments_of(Op op, Sizes of = {}) {
  for_each_size(of, [&](auto n) {
    constexpr unsigned N = decltype(n)::value;
    check_segments<N, given_by::heads, T>(op, tessera::policy<>{});
    check_segments<N, given_by::tails, T>(op, tessera::converged | tessera::suffix);
    check_segments<N, given_by::keys, T>(op, tessera::isolated | tessera::prefix);
  });
}

}  // namespace test
