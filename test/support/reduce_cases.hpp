// The table of `reduce`, for one type and operator: sizes × participants × policies, compared with a
// reference.
//
// The reference combines the participants by the tree that reduce.hpp promises, which it computes top down.
// If the operator is exactly associative, a loop from left to right must agree, too.
#pragma once

#include <tessera/reduce.hpp>

#include <algorithm>
#include <optional>

#include "backend.hpp"
#include "samples.hpp"

namespace test {

template <class T>
struct lane_input {
  T x;
  unsigned n;
  bool pred;
};

/// A value in a struct, which avoids std::vector<bool>.
template <class T>
struct lane_output {
  T x;
};

enum class who { everyone, first, where };

template <class Op, class Policy>
struct reduce_kernel {
  Op op;
  Policy policy;
  who participants;

  template <class Tile, class T>
  TESSERA_FN lane_output<tessera::detail::result_t<Op, T>> operator()(Tile const& tile, lane_input<T> in) const {
    if constexpr (tessera::operator_traits<Op, T>::has_identity) {
      if (participants == who::first) {
        return {tessera::reduce(tile, in.x, op, policy | tessera::first(in.n))};
      }
      if (participants == who::where) {
        return {tessera::reduce(tile, in.x, op, policy | tessera::where(in.pred))};
      }
    }
    return {tessera::reduce(tile, in.x, op, policy)};
  }
};

template <class T>
bool takes_part(lane_input<T> const& lane, unsigned rank, who participants) {
  if (participants == who::first) return rank < lane.n;
  return participants == who::everyone || lane.pred;
}

/// Combines the participants among `count` lanes from `rank` on, by halves.
template <class T, class Op>
std::optional<T> tree_of(lane_input<T> const* tile, unsigned rank, unsigned count, who participants, Op op) {
  if (count == 1) {
    if (takes_part(tile[rank], rank, participants)) return tile[rank].x;
    return std::nullopt;
  }
  auto const low = tree_of(tile, rank, count / 2, participants, op);
  auto const high = tree_of(tile, rank + count / 2, count / 2, participants, op);
  if (!low || !high) return low ? low : high;
  return op(*low, *high);
}

/// Combines the participants from left to right.
template <class T, class Op>
std::optional<T> sequence_of(lane_input<T> const* tile, unsigned count, who participants, Op op) {
  std::optional<T> total;
  for (unsigned rank = 0; rank < count; ++rank) {
    if (!takes_part(tile[rank], rank, participants)) continue;
    total = total ? op(*total, tile[rank].x) : tile[rank].x;
  }
  return total;
}

/// The least number of tiles of a size.
constexpr unsigned tiles_of(unsigned size) {
  return size <= 128 ? 12 : size <= 256 ? 8 : 4;
}

/// The participants in tiles of `size` lanes: n is 0, 1, N − 1, N, N + 1 or random, and the predicate holds
/// in no lane, all lanes, one lane, or random ones.
template <class T>
std::vector<lane_input<T>> make_lanes(unsigned size, random_engine& random, T (*sample_one)(random_engine&)) {
  std::vector<lane_input<T>> lanes;
  while (lanes.size() < tiles_of(size) * size || lanes.size() % block_lanes_of(size) != 0) {
    unsigned const counts[] = {0, 1, size - 1, size, size + 1, static_cast<unsigned>(random() % (size + 1))};
    unsigned const n = counts[random() % 6];
    unsigned const one = static_cast<unsigned>(random() % size);
    auto const kind = random() % 5;
    for (unsigned rank = 0; rank < size; ++rank) {
      bool const preds[] = {false, true, rank == one, random() % 2 == 0, random() % 2 == 0};
      lanes.push_back({sample_one(random), n, preds[kind]});
    }
  }
  return lanes;
}

/// Describes a row of the table, for the message of a failure.
struct row_name {
  unsigned size;
  unsigned seed;
  who participants;
  bool leader_only;
};
std::ostream& operator<<(std::ostream& out, row_name const& row);

/// Compares the results of tiles of `row.size` lanes with the reference.
template <class T, class Op>
void check_results(row_name row, std::vector<lane_input<T>> const& lanes, std::vector<lane_output<T>> const& out, Op op,
                   bool associative) {
  for (unsigned base = 0; base < lanes.size(); base += row.size) {
    auto expected = tree_of(&lanes[base], 0, row.size, row.participants, op);
    if (associative) {
      auto const sequence = sequence_of(&lanes[base], row.size, row.participants, op);
      ASSERT_TRUE(sequence.has_value() == expected.has_value() && (!sequence || same(*sequence, *expected)))
          << "the reference disagrees with itself: is the operator associative on these values?";
    }
    if constexpr (tessera::operator_traits<Op, T>::has_identity) {
      if (!expected) expected = tessera::operator_traits<Op, T>::identity(op);
    }
    for (unsigned rank = 0; rank < (row.leader_only ? 1 : row.size); ++rank) {
      ASSERT_TRUE(same(out[base + rank].x, *expected))
          << row << ", tile " << base / row.size << ", rank " << rank << ", n " << lanes[base].n << ": got "
          << show(out[base + rank].x) << ", expected " << show(*expected);
      ASSERT_TRUE(same_bits(out[base + rank].x, out[base].x))
          << row << ", tile " << base / row.size << ": lane " << rank << " holds " << show(out[base + rank].x)
          << ", lane 0 other bits: " << show(out[base].x);
    }
  }
}

/// Checks the rows of one size and policy.
template <unsigned N, class Backend, class T, class Op, class Policy>
void check_reduce_size(Op op, Policy policy, T (*sample_one)(random_engine&), bool associative) {
  using result = tessera::detail::result_t<Op, T>;
  constexpr bool partial = tessera::operator_traits<Op, T>::has_identity;
  constexpr bool leader_only = std::is_same_v<typename Policy::placement, tessera::choice::to_leader>;
  for (who participants : {who::everyone, who::first, who::where}) {
    if (testing::Test::HasFailure() || (!partial && participants != who::everyone)) return;
    unsigned const seed = 1000 * N + static_cast<unsigned>(participants);
    random_engine random(seed);
    auto const lanes = make_lanes<T>(N, random, sample_one);
    auto const out =
        Backend::template run<N, lane_output<result>>(lanes, reduce_kernel<Op, Policy>{op, policy, participants});
    if constexpr (std::is_same_v<result, T>) {
      check_results<T>({N, seed, participants, leader_only}, lanes, out, op, associative);
    } else {
      std::vector<lane_input<result>> counts;
      for (auto const& lane : lanes) counts.push_back({static_cast<result>(lane.x), lane.n, lane.pred});
      check_results<result>({N, seed, participants, leader_only}, counts, out, op, associative);
    }
  }
}

template <class Backend, class T, class Op, class Policy, class Sizes = small_sizes>
void check_reduce_policy(Op op, Policy policy, T (*sample_one)(random_engine&), bool associative, Sizes of = {}) {
  for_each_size(of,
                [&](auto n) { check_reduce_size<decltype(n)::value, Backend>(op, policy, sample_one, associative); });
}

/// Checks the table of one operator on T, with the default policy and with one that differs from it in
/// every kind. `associative` says that the operator is exactly associative on these values.
/// (reduce_policies_test.cpp has all policies.)
template <class T, class Backend = backend, class Op, class Sizes = small_sizes>
void check_reduce(Op op, T (*sample_one)(random_engine&) = sample<T>, bool associative = true, Sizes of = {}) {
  check_reduce_policy<Backend>(op, tessera::policy<>{}, sample_one, associative, of);
  check_reduce_policy<Backend>(op, tessera::converged | tessera::shuffles | tessera::to_leader, sample_one, associative,
                               of);
}

/// Checks the table of an operator that rounds, on finite and on special values.
template <class T, class Backend = backend, class Op>
void check_reduce_rounding(Op op) {
  check_reduce<T, Backend>(op, sample<T>, false);
  check_reduce<T, Backend>(op, sample_special<T>, false);
}

}  // namespace test
