// Misuse of the library's algorithms, as host tiles report it: what the user wrote, not what it is made of.
#include <tessera/lanes.hpp>
#include <tessera/reduce.hpp>
#include <tessera/vote.hpp>

#include <gtest/gtest.h>

#include "reports.hpp"

namespace {

namespace host = tessera::host;
using host::misuse_kind;
using test::expect_report;
using test::here;

/// A kernel on a tile of 8 that must end in a report that names `parts`.
template <class Kernel>
void expect_report_of_tile(misuse_kind kind, std::vector<std::string> const& parts, Kernel kernel) {
  expect_report(kind, __FILE__, {}, parts,
                [&](host::options const& how) { host::launch_tile<8>(how, kernel); });
}

TEST(HostAlgorithms, TwoReductionsOfOneTile) {
  unsigned sum = 0, greatest = 0;
  expect_report(misuse_kind::divergent_call, __FILE__, {&sum, &greatest},
                {"reduce, int, tessera::plus", "reduce, int, tessera::maximum", "lanes 0-2", "lanes 3-7"},
                [&](host::options const& how) {
                  host::launch_tile<8>(how, [&](auto tile) {
                    if (tile.thread_rank() < 3) return here(sum), tessera::reduce(tile, 1);
                    return here(greatest), tessera::reduce(tile, 1, tessera::maximum{});
                  });
                });
}

TEST(HostAlgorithms, NOfFirstThatIsntUniform) {
  expect_report_of_tile(misuse_kind::mismatched_call, {"reduce, int, tessera::plus"}, [](auto tile) {
    return tessera::reduce(tile, 1, tessera::plus{}, tessera::first(tile.thread_rank() == 4 ? 3 : 2));
  });
}

TEST(HostAlgorithms, ArgumentsOfMovementThatArentUniform) {
  expect_report_of_tile(misuse_kind::mismatched_call, {"broadcast"},
                        [](auto tile) { return tessera::broadcast(tile, 1, tile.thread_rank()); });
  expect_report_of_tile(misuse_kind::mismatched_call, {"butterfly"},
                        [](auto tile) { return tessera::butterfly(tile, 1, tile.thread_rank() % 2); });
  expect_report_of_tile(misuse_kind::mismatched_call, {"shift_up"},
                        [](auto tile) { return tessera::shift_up(tile, 1, tile.thread_rank()); });
  expect_report_of_tile(misuse_kind::mismatched_call, {"shift_down"},
                        [](auto tile) { return tessera::shift_down(tile, 1, tile.thread_rank(), 0); });
}

TEST(HostAlgorithms, LanesThatArentThere) {
  expect_report_of_tile(misuse_kind::source_out_of_range, {"shuffle"},
                        [](auto tile) { return tessera::shuffle(tile, 1, 8); });
  expect_report_of_tile(misuse_kind::source_out_of_range, {"butterfly"},
                        [](auto tile) { return tessera::butterfly(tile, 1, 8); });
}

template <unsigned N>
void expect_broken_promise() {
  unsigned line = 0;
  expect_report(misuse_kind::broken_converged_promise, __FILE__, {&line}, {"reduce", "converged"},
                [&](host::options const& how) {
                  host::launch_block(64, how, [&](host::block block) {
                    auto const tile = tessera::tiled_partition<N>(block);
                    if (block.thread_rank() >= 40) return 0;
                    return here(line), tessera::reduce(tile, 1, tessera::plus{}, tessera::converged);
                  });
                });
}

TEST(HostAlgorithms, BrokenPromises) {
  expect_broken_promise<1>();
  expect_broken_promise<2>();
  expect_broken_promise<8>();
}

}  // namespace
