// The kernels of each_segment.cuh on host tiles.
#pragma once

#include <gtest/gtest.h>

#include <tessera/grid/segments/each_segment.hpp>
#include <tessera/host/launch.hpp>

#include <cstdint>
#include <vector>

namespace test {

/// A list with room for `capacity` pieces, whose results have so many bytes each.
class listed_pieces {
 public:
  listed_pieces(unsigned capacity, std::size_t result)
      : capacity_(capacity),
        entries_(capacity + 1, 0x123456789abcdef),
        done_(capacity + 1, 77),
        results_((capacity + 1) * result / sizeof(std::uint64_t) + 1) {}

  tessera::grid::detail::piece_list list() {
    return {&listed_, {counters_, counters_ + 1}, entries_.data(), results_.data(), done_.data(), capacity_};
  }
  /// True if the counters are as they were.
  bool is_clear() const { return listed_ == 0 && counters_[0] == 0 && counters_[1] == 0; }

 private:
  unsigned capacity_;
  std::uint64_t listed_ = 0;
  unsigned counters_[2] = {};
  std::vector<std::uint64_t> entries_;
  std::vector<unsigned> done_;
  std::vector<std::uint64_t> results_;
};

/// Calls body for each of `count` segments, and checks that the kernels leave the counters as they were. The list of
/// pieces has room for `capacity`.
template <class Segments, class Body>
void run_each_segment(Segments const& segments, std::int64_t count, unsigned blocks, unsigned capacity, unsigned seed,
                      Body const& body) {
  namespace detail = tessera::grid::detail;
  listed_pieces pieces(capacity, detail::bytes_of_piece<Body>);
  detail::piece_list const list = pieces.list();
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
  EXPECT_TRUE(pieces.is_clear());
}

}  // namespace test
