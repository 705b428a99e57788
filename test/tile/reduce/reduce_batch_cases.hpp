// The table of `reduce_batch`, for one type and operator: tile sizes × numbers of items × placements ×
// participants. Results must agree bit for bit with `reduce` of each item, and with a reference in the
// order that reduce.hpp promises.
#pragma once

#include <tessera/reduce_batch.hpp>

#include "reduce_cases.hpp"

namespace test {

template <class T, unsigned K>
struct batch_input {
  tessera::items<T, K> x;
  unsigned n;
  bool pred;
};

/// The results of a lane from reduce_batch, for each placement, and from K calls of reduce.
template <class R, unsigned K, unsigned Slots>
struct batch_output {
  tessera::items<R, K> all, leader, separate;
  tessera::items<R, Slots> own;
};

template <class Op, class Policy>
struct batch_kernel {
  Op op;
  Policy policy;
  who participants;

  template <class Tile, class T, unsigned K>
  TESSERA_FN auto operator()(Tile const& tile, batch_input<T, K> const& in) const {
    if constexpr (tessera::operator_traits<Op, T>::has_identity) {
      if (participants == who::first) return reduce_all(tile, in.x, policy | tessera::first(in.n));
      if (participants == who::where) return reduce_all(tile, in.x, policy | tessera::where(in.pred));
    }
    return reduce_all(tile, in.x, policy);
  }

  template <class Tile, class T, unsigned K, class With>
  TESSERA_FN auto reduce_all(Tile const& tile, tessera::items<T, K> const& x, With with) const {
    constexpr unsigned N = tessera::tile_size_v<Tile>;
    using result = decltype(tessera::reduce(tile, x[0], op));
    batch_output<result, K, (K + N - 1) / N> out;
    out.all = tessera::reduce_batch(tile, x, op, with);
    out.leader = tessera::reduce_batch(tile, x, op, with | tessera::to_leader);
    if constexpr (K <= N) {
      out.own[0] = tessera::reduce_batch(tile, x, op, with | tessera::scattered);
    } else {
      out.own = tessera::reduce_batch(tile, x, op, with | tessera::scattered);
    }
    for (unsigned i = 0; i < K; ++i) out.separate[i] = tessera::reduce(tile, x[i], op, with);
    return out;
  }
};

template <class T, unsigned K>
std::vector<batch_input<T, K>> make_batches(unsigned size, random_engine& random, T (*sample_one)(random_engine&)) {
  std::vector<batch_input<T, K>> batches;
  for (auto const& lane : make_lanes<T>(size, random, sample_one)) {
    batches.push_back({{}, lane.n, lane.pred});
    for (T& item : batches.back().x) item = sample_one(random);
  }
  return batches;
}

template <class T, unsigned N, unsigned K, class Op, class Policy>
void check_shape(Op op, Policy policy, T (*sample_one)(random_engine&)) {
  using result = tessera::detail::result_t<Op, T>;
  for (who participants : {who::everyone, who::first, who::where}) {
    if (participants != who::everyone && !tessera::operator_traits<Op, T>::has_identity) return;
    unsigned const seed = 1000 * N + 10 * K + static_cast<unsigned>(participants);
    random_engine random(seed);
    auto const in = make_batches<T, K>(N, random, sample_one);
    auto const out = backend::run<N, batch_output<result, K, (K + N - 1) / N>>(
        in, batch_kernel<Op, Policy>{op, policy, participants});
    for (unsigned base = 0; base < in.size(); base += N) {
      row_name const row{N, seed, participants, false};
      auto const where = [&](unsigned i) {
        return testing::Message() << row << ", K " << K << ", tile " << base / N << ", n " << in[base].n << ", item "
                                  << i;
      };
      for (unsigned i = 0; i < K; ++i) {
        auto const& expected = out[base].separate[i];
        std::vector<lane_input<result>> lanes;
        for (unsigned rank = 0; rank < N; ++rank)
          lanes.push_back({static_cast<result>(in[base + rank].x[i]), in[base + rank].n, in[base + rank].pred});
        auto const tree = tree_of(lanes.data(), 0, N, participants, op);
        ASSERT_TRUE(!tree || same(expected, *tree)) << where(i) << ": " << show(expected) << " is no reduction";
        for (unsigned rank = 0; rank < N; ++rank)
          ASSERT_TRUE(same_bits(out[base + rank].all[i], expected))
              << where(i) << ", rank " << rank << ": got " << show(out[base + rank].all[i]) << ", expected "
              << show(expected);
        ASSERT_TRUE(same_bits(out[base].leader[i], expected))
            << where(i) << ", to_leader: got " << show(out[base].leader[i]) << ", expected " << show(expected);
        ASSERT_TRUE(same_bits(out[base + i % N].own[i / N], expected))
            << where(i) << ", scattered: got " << show(out[base + i % N].own[i / N]) << ", expected " << show(expected);
      }
    }
  }
}

/// Whether a case has this shape. To compile all shapes for each case would take minutes. Host tiles have
/// every third shape and the GPU every twelfth, so that a case has each N and each K (on the GPU, one K for
/// each N). Each case starts at a different `Part`.
template <unsigned Part>
struct shapes {
  template <unsigned N, unsigned K>
  static constexpr bool has() {
    unsigned log2 = 0, index = 0;
    while (1u << log2 < N) ++log2;
    for (unsigned k : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 16u, 31u, 32u, 33u, 64u}) {
      if (k == K) break;
      ++index;
    }
    return (index + log2 + Part) % (TESSERA_CUDA ? 12 : 3) == 0;
  }
};

template <class T, unsigned K, class Shapes, class Op, class Policy, class Sizes>
void check_sizes(Op op, Policy policy, T (*sample_one)(random_engine&), Sizes of) {
  for_each_size(of, [&](auto n) {
    constexpr unsigned N = decltype(n)::value;
    if constexpr (Shapes::template has<N, K>()) check_shape<T, N, K>(op, policy, sample_one);
  });
}

template <class T, unsigned Part, class Op, class Policy, class Sizes = small_sizes>
void check_batches(Op op, Policy policy, T (*sample_one)(random_engine&) = sample<T>, Sizes of = {}) {
  using shapes_of_part = shapes<Part>;
  check_sizes<T, 1, shapes_of_part>(op, policy, sample_one, of);
  check_sizes<T, 2, shapes_of_part>(op, policy, sample_one, of);
  check_sizes<T, 3, shapes_of_part>(op, policy, sample_one, of);
  check_sizes<T, 4, shapes_of_part>(op, policy, sample_one, of);
  check_sizes<T, 5, shapes_of_part>(op, policy, sample_one, of);
  check_sizes<T, 7, shapes_of_part>(op, policy, sample_one, of);
  check_sizes<T, 8, shapes_of_part>(op, policy, sample_one, of);
  check_sizes<T, 16, shapes_of_part>(op, policy, sample_one, of);
  check_sizes<T, 31, shapes_of_part>(op, policy, sample_one, of);
  check_sizes<T, 32, shapes_of_part>(op, policy, sample_one, of);
  check_sizes<T, 33, shapes_of_part>(op, policy, sample_one, of);
  check_sizes<T, 64, shapes_of_part>(op, policy, sample_one, of);
}

}  // namespace test
