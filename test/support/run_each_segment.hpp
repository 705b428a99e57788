// The kernels of each_segment.cuh on host tiles.
#pragma once

#include <gtest/gtest.h>

#include <tessera/grid/segments/each_segment.hpp>
#include <tessera/host/launch.hpp>

#include <cstdint>
#include <vector>

namespace test {

/// Calls body for each of `count` segments, and checks that both kernels leave the counters as they were. The list of
/// pieces has room for `capacity`.
template <class Segments, class Body>
void run_each_segment(Segments const& segments, std::int64_t count, unsigned blocks, unsigned capacity, unsigned seed,
                      Body const& body) {
  namespace detail = tessera::grid::detail;
  constexpr std::size_t piece_bytes = detail::bytes_of_piece<Body>;
  std::uint64_t listed = 0;
  unsigned counters[2] = {};
  std::vector<std::uint64_t> entries(capacity + 1, 0x123456789abcdef);
  std::vector<unsigned> done(capacity + 1, 77);
  std::vector<tessera::items<char, 64>> results(capacity + 1);  // of up to 64 bytes each
  static_assert(piece_bytes <= 64);
  detail::piece_list const list{&listed, {counters, counters + 1}, entries.data(), results.data(), done.data(),
                                capacity};
  detail::each_segment_storage storage;  // blocks take turns
  detail::listed_pieces_storage listed_storage;
  tessera::host::options how;
  how.seed = seed;
  tessera::host::launch_grid(blocks, detail::each_segment_tuning::threads, how, [&](tessera::host::block block) {
    detail::run_each_segment_agent(block, block.group_index().x, blocks, segments, count, list, storage, body);
  });
  tessera::host::launch_grid(blocks, detail::each_segment_tuning::threads, how, [&](tessera::host::block block) {
    detail::run_listed_pieces_agent<false>(block, blocks, segments, list, listed_storage, body);
  });
  if constexpr (detail::maps_pieces<Body>) {
    tessera::host::launch_grid(blocks, detail::each_segment_tuning::threads, how, [&](tessera::host::block block) {
      detail::run_listed_pieces_agent<true>(block, blocks, segments, list, listed_storage, body);
    });
  }
  EXPECT_TRUE(listed == 0 && counters[0] == 0 && counters[1] == 0);
}

}  // namespace test
