// Segmented scans and reductions, segments given by heads, tails and keys, against a walk over each segment.
#include <tessera/segmented.hpp>

#include "scan_cases.hpp"

namespace {

using namespace test;

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

/// The tree of a segment's reduction: that of a backward scan, from its first lane.
template <class R, class Op>
std::optional<R> from_head(row_of<R> const& x, std::size_t from, std::size_t width, Op op) {
  if (from >= x.size()) return std::nullopt;
  if (width == 1) return x[from];
  return join(from_head(x, from, width / 2, op), from_head(x, from + width / 2, width / 2, op), op, false);
}

template <unsigned N, given_by By, class T, class Op, class Policy>
void check_segments(Op op, Policy policy) {
  using R = tessera::detail::result_t<Op, T>;
  constexpr bool backwards = std::is_same_v<typename Policy::direction, tessera::choice::suffix>;
  for (who participants : {who::everyone, who::first, who::where}) {
    random_engine random(100 * N + static_cast<unsigned>(participants));
    std::vector<segment_input<T>> lanes;
    for (auto const& lane : make_lanes<T>(N, random, sample<T>))
      lanes.push_back({lane.x, lane.n, lane.pred, false, 0});
    for (unsigned base = 0; base < lanes.size(); base += N) {
      auto const one_in = 1 + random() % 6;  // from a segment a lane to hardly any
      for (unsigned rank = 0; rank < N; ++rank) {
        lanes[base + rank].flag = random() % one_in == 0;
        lanes[base + rank].key = static_cast<long long>(random() % one_in)
                                 << 32;  // differ in the upper word only
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
          return By == given_by::heads   ? here.flag
                 : By == given_by::tails ? before.flag
                                         : before.key != here.key;
        };
        while (end < N && !ends_before(end)) ++end;
        row_of<R> row;
        for (unsigned rank = first; rank < end; ++rank) {
          auto const& lane = lanes[base + rank];
          bool const in =
              participants == who::everyone || (participants == who::first ? rank < lane.n : lane.pred);
          row.push_back(in ? std::optional<R>(static_cast<R>(lane.x)) : std::nullopt);
        }
        auto const reduced = from_head(row, 0, N, op);
        if (backwards) std::reverse(row.begin(), row.end());
        std::optional<R> total, before;
        for (unsigned i = 0; i < row.size(); ++i) {
          unsigned const rank = backwards ? end - 1 - i : first + i;
          auto const up_to_here = kogge_stone(row, static_cast<long>(i), static_cast<long>(N), op, backwards);
          auto const& got = out[base + rank];
          auto const where = [&] {
            return ::testing::Message()
                   << "N " << N << ", participants " << static_cast<int>(participants) << ", tile "
                   << base / N << ", segment " << first << " to " << end - 1 << ", rank " << rank;
          };
          ASSERT_TRUE(same(got.inclusive, up_to_here.value_or(identity)))
              << where() << ": inclusive " << show(got.inclusive) << ", expected "
              << show(up_to_here.value_or(identity));
          ASSERT_TRUE(same(got.exclusive, before.value_or(identity)))
              << where() << ": exclusive " << show(got.exclusive) << ", expected "
              << show(before.value_or(identity));
          ASSERT_TRUE(same(got.reduced, reduced.value_or(identity)))
              << where() << ": reduced " << show(got.reduced) << ", expected "
              << show(reduced.value_or(identity));
          before = up_to_here;
          total = up_to_here;
        }
        for (unsigned rank = first; rank < end; ++rank)
          ASSERT_TRUE(same(out[base + rank].total, total.value_or(identity)))
              << "N " << N << ", rank " << rank;
        first = end;
      }
    }
  }
}

template <class T, class Op>
void check_all(Op op) {
  auto const size = [&](auto n) {
    constexpr unsigned N = decltype(n)::value;
    check_segments<N, given_by::heads, T>(op, tessera::policy<>{});
    check_segments<N, given_by::tails, T>(op, tessera::converged | tessera::suffix);
    check_segments<N, given_by::keys, T>(op, tessera::isolated | tessera::prefix);
  };
  size(std::integral_constant<unsigned, 1>{});
  size(std::integral_constant<unsigned, 2>{});
  size(std::integral_constant<unsigned, 4>{});
  size(std::integral_constant<unsigned, 8>{});
  size(std::integral_constant<unsigned, 16>{});
  size(std::integral_constant<unsigned, 32>{});
}

struct Segmented : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

TEST_F(Segmented, FloatSum) {
  check_all<float>(tessera::plus{});
}
TEST_F(Segmented, Digits) {
  check_all<digits>(tessera::make_operator(digit_concatenation{}, digits{0, 1}));
}
TEST_F(Segmented, CountOfTruths) {
  check_all<bool>(tessera::plus{});
}

/// Row 15 of the documents: a segment that sits on no power of two is whole all the same.
struct middle_segment {
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned x) const {
    unsigned const rank = tile.thread_rank();
    return tessera::segmented_reduce(tile, x, rank == 1 || rank == 3, tessera::plus{}, tessera::to_leader);
  }
};

TEST_F(Segmented, LanesOneAndTwo) {
  std::vector<unsigned> in(block_lanes);
  for (unsigned i = 0; i < block_lanes; ++i) in[i] = 1u << (i % 8);
  auto const out = backend::run<8, unsigned>(in, middle_segment{});
  for (unsigned base = 0; base < block_lanes; base += 8) {
    EXPECT_EQ(out[base], 1u);
    EXPECT_EQ(out[base + 1], 2u + 4u);
    EXPECT_EQ(out[base + 3], 8u + 16u + 32u + 64u + 128u);
  }
}

}  // namespace
