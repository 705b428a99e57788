// Sorts, and the steps that they are made of.
#include "ranks.hpp"

#include <tessera/grid/sharded_sort.cuh>

#include <utility>

namespace bench {

namespace {

/// Sends each rank its share of n elements of r.in, and gets as many of each: the rank's own are left out. Pieces begin
/// `skipped` elements after a multiple of 16 bytes.
void swap_shares(rank_data const& r, std::int64_t n, std::int64_t skipped = 0) {
  int const ranks = r.ranks->count();
  std::int64_t const share = n / ranks;
  check(ncclGroupStart());
  for (int peer = 0; peer < ranks; ++peer) {
    if (peer == r.ranks->index()) continue;
    std::int64_t const at = peer * share + skipped;
    check(ncclSend(r.in + at, static_cast<std::size_t>(share), ncclFloat, peer, r.comm, r.on));
    check(ncclRecv(r.out + at, static_cast<std::size_t>(share), ncclFloat, peer, r.comm, r.on));
  }
  check(ncclGroupEnd());
}

/// Merges a rank's n sorted elements of r.out as it does those of all ranks: there and back between two places.
cudaError_t merge_shares(rank_data const& r, std::int64_t n) {
  cudaError_t error = cudaSuccess;
  float *from = r.out, *to = r.out + n;
  for (std::int64_t length = n / r.ranks->count(); length < n; length *= 2) {
    for (std::int64_t at = 0; error == cudaSuccess && at < n; at += 2 * length) {
      std::int64_t const of_a = std::min(length, n - at), of_b = std::min(length, n - at - of_a);
      error = grid::merge(from + at, of_a, from + at + of_a, of_b, to + at, tessera::less{}, {r.on, *r.memory});
    }
    std::swap(from, to);
  }
  return error;
}

}  // namespace

void add_sorts(std::vector<method>& methods, int log_total, int ranks) {
  std::int64_t const total = std::int64_t{1} << log_total, n = total / ranks;
  auto const add = [&, row = "float sort of 2^" + std::to_string(log_total) + " over all"](
                       std::string const& name, std::int64_t count, auto call, auto prepare) {
    methods.push_back({row, name, count, call, false, prepare});
  };
  auto const nothing = [](rank_data const&, std::int64_t) {};
  auto const local = [](rank_data const& r, std::int64_t count) {
    return grid::sort(r.in, count, r.out, tessera::less{}, {r.on, *r.memory});
  };
  add("local", total, local, nothing);
  add(
      "sharded", n,
      [](rank_data const& r, std::int64_t count) {
        return grid::sort(*r.ranks, r.in, part_of(r, count), r.out, tessera::less{}, {r.on, *r.memory});
      },
      nothing);
  add("a rank's part alone", n, local, nothing);
  add(
      "its cuts alone", n,
      [](rank_data const& r, std::int64_t count) {
        grid::detail::shard_cuts cuts{r.ranks->count()};
        return grid::detail::find_cuts<false>(grid::detail::rank_on_gpu(*r.ranks, r.on), part_of(r, count), r.out,
                                              cuts);
      },
      [=](rank_data const& r, std::int64_t count) { check(local(r, count)); });
  add("its merges alone", n, merge_shares, [](rank_data const& r, std::int64_t count) {
    std::int64_t const share = count / r.ranks->count();
    for (std::int64_t at = 0; at + share <= count; at += share)
      check(grid::sort(r.in + at, share, r.out + at, tessera::less{}, {r.on, *r.memory}));
  });
  for (int skipped : {0, 1})
    add(
        std::string("NCCL's exchange of it alone") + (skipped > 0 ? ", 4 bytes on" : ""), n,
        [=](rank_data const& r, std::int64_t count) {
          swap_shares(r, count, skipped);
          return cudaSuccess;
        },
        nothing);
}

}  // namespace bench
