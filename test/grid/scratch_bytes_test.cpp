// scratch_bytes without CUDA: what it says of each kind of call, and that the shapes of kernels have no shorter tiles
// than it counts. What calls take in fact is seen by the tests scratch_status, without a GPU, and scratch_bytes_gpu.
#include <tessera/grid/scratch_bytes.hpp>

#ifdef CUDART_VERSION
#error "Programs plan memory where there is no CUDA."
#endif

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>

#include <tessera/grid/scan/scan_agent.hpp>
#include <tessera/grid/segments/segmented_scan_agent.hpp>
#include <tessera/grid/select/repeats_agent.hpp>
#include <tessera/grid/select/runs_agent.hpp>
#include <tessera/grid/select/select_agent.hpp>
#include <tessera/grid/select/set_agent.hpp>
#include <tessera/grid/select/three_way_agent.hpp>

namespace {

namespace grid = tessera::grid;
namespace detail = tessera::grid::detail;
using grid::call;

constexpr std::size_t zeros = detail::workspace_layout::zero_bytes;
constexpr std::int64_t million = 1 << 20;

TEST(ScratchBytes, AreNoneWhereACallTakesNone) {
  for (call const what :
       {call::adjacent_difference, call::for_each, call::lower_bound, call::merge, call::renormalize_rows,
        call::sample_rows, call::softmax128, call::tabulate, call::transform, call::upper_bound, call::top_k_rows,
        call::kth_value_rows, call::median_rows, call::argsort_rows})
    EXPECT_EQ(grid::scratch_bytes(what, million, 4, 90), 0u);
  for (std::int64_t const n : {-1, 0})
    for (call const what : {call::sort, call::argsort, call::inclusive_scan, call::reduce, call::top_k,
                            call::moments_rows, call::softmax_rows, call::copy_batches, call::reduce_segments,
                            call::argmin_segments, call::softmax_segments, call::quantiles})
      EXPECT_EQ(grid::scratch_bytes(what, n, 4, 90), 0u) << "call " << static_cast<int>(what) << " of " << n;
  EXPECT_EQ(grid::scratch_bytes(call::reduce, 512, 4), 0u) << "one block";
  EXPECT_EQ(grid::scratch_bytes(call::inclusive_scan, 2749, 4), 0u) << "one tile";
  EXPECT_EQ(grid::scratch_bytes(call::sort_segments, 1024, 4), 0u) << "no long segment";
  EXPECT_EQ(grid::scratch_bytes(call::softmax_rows, {1000, 8192}, 4, 90), 0u) << "a block holds a row";
  EXPECT_EQ(grid::scratch_bytes(call::sort_rows_by_key, {1000, 512}, {4, 8}), 0u) << "a warp holds a row";
  EXPECT_EQ(grid::scratch_bytes(call::sort_rows_by_key, {1000, 1024}, {2, 8}), 0u) << "of halves";
  EXPECT_EQ(grid::scratch_bytes(call::argsort_rows, {1000, 4096}, 8), 0u) << "a block sorts a row";
  EXPECT_EQ(grid::scratch_bytes(call::top_k_rows, {1000, million}, 8), 0u);
  EXPECT_EQ(grid::scratch_bytes(call::reduce_rows, {257, million}, 4, 90), 0u) << "a block has a row";
  EXPECT_EQ(grid::scratch_bytes(call::reduce_rows, {2, 4096}, 4, 90), 0u) << "a row has one part";
}

TEST(ScratchBytes, OfSortsOfRowsThatABlockHolds) {
  EXPECT_EQ(grid::scratch_bytes(call::sort_rows, {1000, 8186}, 4), 0u) << "a block holds a row";
  EXPECT_GT(grid::scratch_bytes(call::sort_rows, {1000, 8187}, 4), 0u) << "unless rows begin elsewhere";
  for (std::int64_t columns : {510, 768, 1022, 1536, 2046})
    EXPECT_EQ(grid::scratch_bytes(call::sort_rows, {1000, columns}, 8), 0u) << columns << " of 8 bytes";
  for (std::int64_t columns : {511, 767, 1023, 1535, 2047})
    EXPECT_GT(grid::scratch_bytes(call::sort_rows, {1000, columns}, 8), 0u) << columns << " of 8 bytes";
}

TEST(ScratchBytes, OfShortRowsInAnOrderOfYourOwn) {
  grid::type_sizes const by_own{4, 8, 4};
  EXPECT_EQ(grid::scratch_bytes(call::sort_rows, {1000, 100}, 4), 0u);
  EXPECT_GE(grid::scratch_bytes(call::sort_rows, {1000, 100}, by_own), zeros + 1000 * 100 * 4);
  EXPECT_GE(grid::scratch_bytes(call::sort_rows_by_key, {1000, 100}, by_own), zeros + 1000 * 100 * (4 + 8));
  EXPECT_EQ(grid::scratch_bytes(call::top_k_rows, {1000, 256}, {20, 20, 20}), 0u) << "a warp holds a row";
}

/// Of labels, GPUs with fewer multiprocessors may have more parts, and so may fewer labels and bins.
TEST(ScratchBytes, ServeFewerMultiprocessorsLabelsAndBins) {
  for (std::int64_t n : {5000, 70000, 3 * 1000 * 1000, 9100000, 15000000, 21300000, 400 * 1000 * 1000})
    for (std::int64_t bins : {1, 64, 65, 300, 814, 878, 938, 961, 1024})
      for (std::int64_t most : {84, 144, 160, 248}) {
        std::int64_t const planned = detail::most_group_counts(n, bins, most);
        for (std::int64_t multiprocessors : {std::int64_t{1}, most / 3, most - 36, most - 12, most})
          for (std::int64_t blocks : {1, 2})
            for (std::int64_t of : {n, n / 2, n - 1})
              for (std::int64_t in : {bins, bins / 2 + 1, bins * 7 / 8 + 1}) {
                std::int64_t const parts = detail::group_parts(of, in, multiprocessors, blocks);
                ASSERT_LE(parts > 1 ? parts * in : 0, planned) << n << ", " << bins << ", " << multiprocessors;
              }
      }
}

TEST(ScratchBytes, CountWhatACallHas) {
  for (grid::type_sizes const types : {grid::type_sizes{4, 4}, grid::type_sizes{8, 1}, grid::type_sizes{2, 12}}) {
    // Keys, values and columns, and in the sort of columns keys and columns again.
    std::size_t const all = 1000 * 5000 * (2 * types.element + types.value + 8);
    EXPECT_GE(grid::scratch_bytes(call::sort_rows_by_key, {1000, 5000}, types), zeros + all);
    EXPECT_LE(grid::scratch_bytes(call::sort_rows_by_key, {1000, 5000}, types), zeros + all + all / 32 + million);
  }
  for (std::size_t const index : {0, 4, 8}) {
    // Elements, and in their sort elements and columns.
    std::size_t const all = 1000 * 5000 * (2 * 2 + (index == 8 ? 8 : 4));
    std::size_t const bytes = grid::scratch_bytes(call::argsort_rows, {1000, 5000}, {2, index});
    EXPECT_GE(bytes, zeros + all);
    EXPECT_LE(bytes, zeros + all + all / 16 + million);
  }
  for (call const what : {call::top_k_rows, call::kth_value_rows, call::median_rows, call::argsort_rows}) {
    // Elements and columns, and in their sort again; parts of rows are first gathered.
    std::size_t const all = 1000 * 5000 * (20 + 4);
    for (std::size_t const by_range : {0, 1}) {
      if (by_range > 0 && what == call::argsort_rows) continue;  // which has no options
      std::size_t const bytes = grid::scratch_bytes(what, {1000, 5000}, {20, by_range * 20, 20});
      EXPECT_GE(bytes, zeros + (2 + by_range) * all);
      EXPECT_LE(bytes, zeros + (2 + by_range) * all + all / 8 + million);
    }
  }
  EXPECT_EQ(grid::scratch_bytes(call::histogram, {million, 256}, 4), zeros);
  EXPECT_EQ(grid::scratch_bytes(call::find_if, million, 4), zeros);
  // Parts of rows: of 16 KiB, but at most 1024.
  EXPECT_EQ(grid::scratch_bytes(call::reduce_rows, {2, 5 * 4096 + 1}, 4, 90), zeros + 2 * 6 * 32);
  EXPECT_EQ(grid::scratch_bytes(call::reduce_rows, {1, 1 << 26}, 4, 90), zeros + 1024 * 32);
  EXPECT_EQ(grid::scratch_bytes(call::softmax_rows, {3, 1 << 17}, 4, 80), zeros + 3 * 8 * 32) << "in passes";
  EXPECT_EQ(grid::scratch_bytes(call::softmax_rows, {3, (1 << 17) + 1}, 8, 80), zeros + 3 * 129 * 32) << "read twice";
  // The list of long segments' pieces: 8 bytes each, and for reductions a result and 4 bytes more.
  EXPECT_EQ(grid::scratch_bytes(call::argmax_segments, million, 4), zeros + 32768 * (8 + 16 + 4));
  EXPECT_EQ(grid::scratch_bytes(call::log_softmax_segments, 1, 8), zeros + 1024 * (8 + 16 + 4));
  EXPECT_EQ(grid::scratch_bytes(call::top_k_segments, 100, 8), 0u) << "by digits";
  EXPECT_EQ(grid::scratch_bytes(call::top_k_segments, {100, 100}, 8), zeros + 808);
  EXPECT_EQ(grid::scratch_bytes(call::top_k_segments, 100, 4), zeros + 8192 * (8 + 64 * 8 + 4))
      << "up to 4 MiB of results";
  EXPECT_EQ(grid::scratch_bytes(call::top_k_segments, {2, 2}, 4), zeros + 2 * 1024 * (8 + 64 * 8 + 4) + 24);
  EXPECT_EQ(grid::scratch_bytes(call::log_sum_exp_segments, 1, 4), zeros + 1024 * (8 + 8 + 4));
  EXPECT_EQ(grid::scratch_bytes(call::softmax_segments, 1, 0), zeros + 1024 * (8 + 16 + 4)) << "of any elements";
  EXPECT_EQ(grid::scratch_bytes(call::reduce_segments, 300, 4, {90, 100}), zeros + 32768 * (8 + 4 + 4));
  EXPECT_EQ(grid::scratch_bytes(call::reduce_segments, 2, 4, {90, 144}), zeros + 2 * 1024 * 32) << "two rows";
  // By lengths, where each of 100 segments begins, and where the last one ends: 808 bytes. The list of a scan, whose
  // segments are one piece each, has 1024.
  EXPECT_EQ(grid::scratch_bytes(call::softmax_segments, {100, 100}, 4), zeros + 32768 * (8 + 8 + 4) + 808);
  EXPECT_EQ(grid::scratch_bytes(call::inclusive_scan_segments, {1000, 100}, 4), zeros + 1024 + 808);
  EXPECT_EQ(grid::scratch_bytes(call::sort_segments_by_key, {1000, 100}, {4, 8}), zeros + 262144 + 13312 + 808)
      << "copies, and begins twice; the list of pieces is full";
  EXPECT_EQ(grid::scratch_bytes(call::argmin_segments, {million, million}, 4),
            grid::scratch_bytes(call::inclusive_scan, million, 8) + 32768 * (8 + 16 + 4) + 8 * (million + 1));
  EXPECT_EQ(grid::scratch_bytes(call::reduce, million, 4), zeros) << "slots";
  EXPECT_EQ(grid::scratch_bytes(call::argmin, million, 8), zeros) << "slots";
  EXPECT_EQ(grid::scratch_bytes(call::histogram_weighted, {million, 1000}, {4, 4}), zeros + 1003 * 12);
  EXPECT_EQ(grid::scratch_bytes(call::transform_reduce, million, {4, 0, 24}, {90, 144}), zeros + 2 * 144 * 28);
  EXPECT_EQ(grid::scratch_bytes(call::transform_reduce, million, {4, 0, 24}, {90, 16}), zeros + 2 * 132 * 28)
      << "order::any_device";
  EXPECT_EQ(grid::scratch_bytes(call::partition, 1000, 8), zeros) << "one tile, but more blocks may count";
  EXPECT_EQ(grid::scratch_bytes(call::reduce_segments, million, 4, {90, 100}), zeros + 32768 * (8 + 4 + 4));
  // 256 blocks with a tile each: two words each, and two. In a loop 382 tiles and 12 groups have one word each. Of
  // doubles they are 763 and 24, with two.
  EXPECT_EQ(grid::scratch_bytes(call::inclusive_scan, million, 4), zeros + 8 * (2 * 256 + 2 + 30));
  EXPECT_EQ(grid::scratch_bytes(call::inclusive_scan, million, 8), zeros + 8 * (2 * (763 + 24) + 2 + 24));
  EXPECT_EQ(grid::scratch_bytes(call::inclusive_scan_by_key, million, {4, 4}), zeros + 8 * (2 * (382 + 12) + 2 + 10));
  EXPECT_EQ(grid::scratch_bytes(call::copy_batches, 100, 1), zeros + 8 * 4);
  EXPECT_EQ(grid::scratch_bytes(call::group_by_label, {4096, 256}, 4), 0u) << "one block";
  EXPECT_EQ(grid::scratch_bytes(call::group_by_label, {65536, 256}, 4), zeros + 8 * (32 * 256 + 32));
  EXPECT_EQ(grid::scratch_bytes(call::route_rows, {100, 256}, 2, {90, 100}), zeros + 8 * (100 * 64 + 32));
  EXPECT_EQ(grid::scratch_bytes(call::route_rows, {8192, 256}, 2, {90, 100}), zeros + 8 * (64 * 256 + 32));
  // 102401 tiles: their ends, and two words for each and for a group of them.
  EXPECT_EQ(grid::scratch_bytes(call::set_union, {1000, 281600000}, 4),
            zeros + 8 * (102401u + 1) + detail::workspace_layout::tagged(2 + 2 * (102401 + 3201)) * 8);
}

TEST(ScratchBytes, HaveTheWordsOfBlocksWithATileEach) {
  // As many tiles as blocks may have one each of: then each has a word more.
  std::int64_t const n = 40 * detail::least_tile_elements(4);
  EXPECT_EQ(detail::most_tiles(n, 4), 41);
  EXPECT_EQ(detail::most_tiles(n - 1, 4), 40);
  EXPECT_EQ(detail::most_tile_words(n, 4, 1), 2u + 41 * 2);
  EXPECT_EQ(detail::most_tile_words(n, 4, 100), 2u + (41 + 2) * 100);
}

TEST(ScratchBytes, OfASortAreItsArraysOnceMore) {
  for (std::size_t const key : {1, 2, 4, 8, 12, 100, 1000})
    for (std::size_t const value : {0, 4, 8, 12, 1000}) {
      std::size_t const arrays = 4 * static_cast<std::size_t>(million) * (key + value);
      std::size_t const bytes = grid::scratch_bytes(call::sort_by_key, 4 * million, {key, value}, 90);
      EXPECT_GE(bytes, arrays);
      bool const is_long = key > 500 || value > 500;  // which take CUB shared memory's place in global memory
      EXPECT_LE(bytes, is_long ? 5 * arrays / 2 : arrays + arrays / (key <= 2 ? 4 : 8)) << key << ", " << value;
      EXPECT_GE(grid::scratch_bytes(call::argsort, 4 * million, {key, value}, 90), bytes + arrays);
    }
  // Keys with a bool each, and these once more.
  std::size_t const optional = sizeof(std::optional<int>), keys = static_cast<std::size_t>(million) * optional;
  EXPECT_EQ(grid::scratch_bytes(call::sort_by_key, million, {4, 4, optional}, 90),
            grid::scratch_bytes(call::sort_by_key, million, {optional, 4}, 90) + keys);
  EXPECT_EQ(grid::scratch_bytes(call::argsort, million, {4, 4, optional}, 90),
            grid::scratch_bytes(call::argsort, million, {optional, 4}, 90));
  // Counts of digits and where these begin, tickets, and what two passes' blocks look back at, for 10240 keys 1 KiB.
  EXPECT_EQ(grid::scratch_bytes(call::sort, 10240000, {4, 0, 4}, 90),
            (32 << 10) + 4 * 10240000 + 2 * 4096 + 256 + 2 * 1024 * 1000);
}

call const all_calls[] = {call::reduce,        call::moments,        call::transform_reduce,
                          call::reduce_rows,   call::softmax_rows,   call::sort,
                          call::argsort,       call::inclusive_scan, call::reduce_segments,
                          call::sort_segments, call::top_k,          call::quantiles};

TEST(ScratchBytes, OfAnyGpuAreNoFewerThanOfAKind) {
  for (call const what : all_calls)
    for (std::size_t const size : {2, 4, 8, 40})
      for (grid::array_sizes const& sizes : {grid::array_sizes(3, million), grid::array_sizes(5 * million, 10000)}) {
        std::size_t const any = grid::scratch_bytes(what, sizes, size);
        for (int const sm : {75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121}) {
          std::size_t const of_kind = grid::scratch_bytes(what, sizes, size, sm);
          EXPECT_LE(of_kind, any) << "sm_" << sm << ", call " << static_cast<int>(what);
          EXPECT_LE(grid::scratch_bytes(what, sizes, size, {sm, 10}), of_kind) << "sm_" << sm;
        }
        EXPECT_EQ(grid::scratch_bytes(what, sizes, size, {0, 248}), any);
      }
}

/// What is planned of entries depends on no GPU: neither on how the array is shared, nor on the blocks.
TEST(ScratchBytes, OfASelectionDependOnNoGpu) {
  using entry = detail::packed_entry<detail::rank_keys<std::uint16_t>>;
  for (std::int64_t const n : {std::int64_t{100}, million, 100 * million, std::int64_t{1} << 36})
    for (std::int64_t const target : {std::int64_t{0}, n / 1000, n / 2, n - 1})
      for (bool const single : {false, true}) {
        std::size_t const most = detail::most_selection_bytes(n, target, single, 2, {90, 144});
        for (int const multiprocessors : {1, 20, 132, 248}) {
          auto const* const in = static_cast<std::uint16_t const*>(nullptr);
          auto const share = detail::even_share_of<2>(in, n, multiprocessors);
          auto const plan = detail::plan_selection<detail::top_k_tuning::shape, entry>(
              n, target, single, share, std::int64_t{share.step} * 8, detail::resident_blocks(multiprocessors));
          std::size_t const bytes = detail::selection_bytes<entry>(plan);
          bool const sorts = plan.wanted == detail::wanted_ranks::unsorted;
          EXPECT_TRUE(sorts ? bytes < most : bytes == most) << n << ", " << target;
        }
      }
}

TEST(ScratchBytes, OfAQuantileSufficeForTheRanksBeside) {
  for (std::int64_t const n : {million, 64 * million})
    for (std::int64_t rank = n / 1000; rank < n / 1000 + 500; ++rank) {
      std::size_t const bytes = grid::scratch_bytes(call::quantiles, {n, rank}, 4);
      for (std::int64_t const beside : {rank - 1, rank, rank + 1})
        EXPECT_GE(bytes, grid::scratch_bytes(call::nth_element, {n, beside}, 4));
    }
}

// ---- Shapes of kernels. Launchers assert the same of theirs.

template <unsigned Size>
struct bytes_of {
  unsigned char byte[Size];
};
template <class Shape>
constexpr bool is_planned = detail::has_planned_tiles<Shape>(Shape::warps);
template <template <detail::tile_kind> class Shape>
constexpr bool are_planned = is_planned<Shape<detail::tile_kind::large>>&&
    is_planned<Shape<detail::tile_kind::small_tile>>&& is_planned<Shape<detail::tile_kind::least>>;

template <class T, class R>
struct shapes_of {
  template <detail::tile_kind Kind>
  using scan = detail::scan_shape<T, R, Kind>;
  template <detail::tile_kind Kind>
  using segments = detail::segmented_scan_shape<T, R, detail::offset_source<>, Kind>;
  template <detail::tile_kind Kind>
  using by_key = detail::segmented_scan_shape<T, T, detail::key_source<R, tessera::equal_to>, Kind>;
  static constexpr bool scans =
      are_planned<scan> && is_planned<scan<detail::tile_kind::each>> && are_planned<segments> && are_planned<by_key>;
};
template <class T, class V>
struct selections_of {
  template <detail::tile_kind Kind>
  using pairs = detail::tile_shape<Kind, detail::array_types<T, V, int>, detail::array_types<T, V>>;
  template <detail::tile_kind Kind>
  using runs = typename detail::run_values<V, V, tessera::plus, V>::template shape<T, Kind>;
  template <detail::tile_kind Kind>
  using lengths = typename detail::run_lengths<void>::template shape<T, Kind>;
  static constexpr bool all = are_planned<pairs> && are_planned<runs> && are_planned<lengths>;
};
template <class T, class... Others>
constexpr bool scans_with = (shapes_of<T, Others>::scans && ...);
template <class T, class... Others>
constexpr bool selections_with = (selections_of<T, Others>::all && ...);
template <class... T>
constexpr bool all_scans = (scans_with<T, bytes_of<1>, bytes_of<4>, bytes_of<8>, bytes_of<24>, bytes_of<100>> && ...);
template <class... T>
constexpr bool all_selections =
    (selections_with<T, bytes_of<1>, bytes_of<4>, bytes_of<8>, bytes_of<24>, bytes_of<100>> && ...);
template <class... T>
constexpr bool all_sets = (is_planned<detail::set_shape<T>> && ...) && (is_planned<detail::set_shape<T, int>> && ...);

TEST(ScratchBytes, HaveTheTilesOfAllShapes) {
  static_assert(all_scans<bytes_of<1>, bytes_of<2>, bytes_of<3>, bytes_of<4>, bytes_of<6>, bytes_of<8>, bytes_of<12>,
                          bytes_of<16>, bytes_of<17>, bytes_of<48>, bytes_of<256>, bytes_of<4096>>);
  static_assert(all_selections<bytes_of<1>, bytes_of<2>, bytes_of<3>, bytes_of<4>, bytes_of<6>, bytes_of<8>,
                               bytes_of<12>, bytes_of<16>, bytes_of<17>, bytes_of<48>, bytes_of<256>, bytes_of<1024>>);
  static_assert(all_sets<bytes_of<1>, bytes_of<2>, bytes_of<4>, bytes_of<8>, bytes_of<12>, bytes_of<16>, bytes_of<20>,
                         bytes_of<30>, bytes_of<60>, bytes_of<100>, bytes_of<128>>);
}

}  // namespace
