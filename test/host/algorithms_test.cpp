// Misuse of the library's algorithms. The reports of host tiles must name the user's call, and not the
// exchanges within it.
#include <tessera/joint.hpp>
#include <tessera/lanes.hpp>
#include <tessera/reduce.hpp>
#include <tessera/transpose.hpp>
#include <tessera/vote.hpp>

#include <gtest/gtest.h>

#include "reports.hpp"

namespace {

namespace host = tessera::host;
using host::misuse_kind;
using test::expect_report;
using test::here;

/// The kernel, on a tile of 8, must be reported, and the report must contain `parts`.
template <class Kernel>
void expect_report_of_tile(misuse_kind kind, std::vector<std::string> const& parts, Kernel kernel) {
  expect_report(kind, __FILE__, {}, parts, [&](host::options const& how) { host::launch_tile<8>(how, kernel); });
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

TEST(HostAlgorithms, RangesThatArentUniform) {
  std::vector<int> const range{1, 2, 3, 4};
  std::vector<int> out(4);
  int const* const values = range.data();
  int* const results = out.data();
  expect_report_of_tile(misuse_kind::mismatched_call, {"joint_reduce, int, tessera::plus"}, [=](auto tile) {
    return tessera::joint_reduce(tile, values, tile.thread_rank() == 4 ? 1000000000 : 2);
  });
  expect_report_of_tile(misuse_kind::mismatched_call, {"joint_all_of, int"}, [=](auto tile) {
    int const* const first = values + tile.thread_rank() / 4;
    return tessera::joint_all_of(tile, first, 2, [](int x) { return x > 0; });
  });
  expect_report_of_tile(misuse_kind::mismatched_call, {"joint_inclusive_scan, int"}, [=](auto tile) {
    tessera::joint_inclusive_scan(tile, values, 2, results + tile.thread_rank() / 4);
    return 0;
  });
}

TEST(HostAlgorithms, ArgumentsOfShufflesThatArentUniform) {
  expect_report_of_tile(misuse_kind::mismatched_call, {"broadcast"},
                        [](auto tile) { return tessera::broadcast(tile, 1, tile.thread_rank()); });
  expect_report_of_tile(misuse_kind::mismatched_call, {"butterfly"},
                        [](auto tile) { return tessera::butterfly(tile, 1, tile.thread_rank() % 2); });
  expect_report_of_tile(misuse_kind::mismatched_call, {"shift_up"},
                        [](auto tile) { return tessera::shift_up(tile, 1, tile.thread_rank()); });
  expect_report_of_tile(misuse_kind::mismatched_call, {"shift_down"},
                        [](auto tile) { return tessera::shift_down(tile, 1, tile.thread_rank(), 0); });
  expect_report_of_tile(misuse_kind::mismatched_call, {"rotate"},
                        [](auto tile) { return tessera::rotate(tile, 1, static_cast<int>(tile.thread_rank())); });
  for (unsigned different : {0u, 1u, 2u}) {
    expect_report_of_tile(misuse_kind::mismatched_call, {"exchange_items"}, [different](auto tile) {
      unsigned argument[] = {1, 1, 1};
      if (tile.thread_rank() == 5) argument[different] = 2;
      return tessera::exchange_items(tile, tessera::items<int, 3>{{1, 2, 3}}, argument[0], argument[1], argument[2])[0];
    });
  }
}

TEST(HostAlgorithms, SourceLanesThatDontExist) {
  expect_report_of_tile(misuse_kind::source_out_of_range, {"shuffle"},
                        [](auto tile) { return tessera::shuffle(tile, 1, 8); });
  expect_report_of_tile(misuse_kind::source_out_of_range, {"butterfly"},
                        [](auto tile) { return tessera::butterfly(tile, 1, 8); });
  expect_report_of_tile(misuse_kind::source_out_of_range, {"exchange_items"}, [](auto tile) {
    return tessera::exchange_items(tile, tessera::items<int, 2>{{1, 2}}, 9, 0, 1)[0];
  });
}

TEST(HostAlgorithms, HalfATileShuffles) {
  expect_report_of_tile(misuse_kind::divergent_call, {"transpose", "blocked_to_striped"}, [](auto tile) {
    tessera::items<char, 8> const x{};
    return tile.thread_rank() < 4 ? tessera::transpose(tile, x)[0] : tessera::blocked_to_striped(tile, x)[0];
  });
  expect_report_of_tile(misuse_kind::exited_lane, {"reverse", "lanes 4-7"},
                        [](auto tile) { return tile.thread_rank() < 4 ? tessera::reverse(tile, 1) : 0; });
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
