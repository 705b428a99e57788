// Shared memory: what the shape that a launcher chooses needs for each size of elements, against what a block of each architecture can
// have. Nothing runs here; that small shapes give right results is shown by the tests of the agents.
#include <gtest/gtest.h>

#include <tessera/core/comparators.hpp>
#include <tessera/grid/scan/scan_agent.hpp>
#include <tessera/grid/segments/segment_agent.hpp>
#include <tessera/grid/segments/segmented_scan_agent.hpp>
#include <tessera/grid/select/runs_agent.hpp>
#include <tessera/grid/select/select_agent.hpp>
#include <tessera/grid/select/set_agent.hpp>
#include <tessera/grid/sort/merge_agent.hpp>
#include <tessera/grid/sort/sort_long_segments_agent.hpp>
#include <tessera/grid/top_k/top_k_tuning.hpp>
#include <tessera/host/launch.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace {

namespace detail = tessera::grid::detail;
using detail::tile_kind;
using detail::tile_tuning;

/// KiB of shared memory that a block can have: the programming guide's table of compute capabilities.
struct architecture {
  unsigned number, kibibytes;
};
constexpr architecture architectures[] = {{700, 96},   {720, 96},  {750, 64},  {800, 163},  {860, 99},
                                          {870, 163},  {890, 99},  {900, 227}, {1000, 227}, {1030, 227},
                                          {1100, 227}, {1200, 99}, {1210, 99}};

template <unsigned Bytes>
struct alignas(Bytes % 16 == 0  ? 16
               : Bytes % 8 == 0 ? 8
               : Bytes % 4 == 0 ? 4
               : Bytes % 2 == 0 ? 2
                                : 1) element {
  unsigned char byte[Bytes];
};

/// All documented sizes: up to 1024 bytes of what is selected, up to 4096 of what is scanned.
using selected_sizes = std::integer_sequence<unsigned, 1, 2, 3, 4, 6, 8, 12, 16, 17, 20, 24, 32, 36, 48, 64, 80, 96,
                                             128, 192, 256, 320, 384, 448, 512, 640, 768, 896, 1000, 1024>;
using long_sizes = std::integer_sequence<unsigned, 1280, 1400, 1408, 1536, 2048, 2560, 3072, 4096>;

struct take_first {
  template <class T>
  T operator()(T const& a, T const&) const {
    return a;
  }
};

struct shape_size {
  char const* call;
  unsigned key, value;  // bytes
  std::size_t storage;
};

/// The block's shared memory of each call's kernel of a kind.
template <tile_kind Kind>
class sizes_of_kind {
 public:
  sizes_of_kind() {
    add_sizes(selected_sizes{});
    add_long_sizes(selected_sizes{});
    add_long_sizes(long_sizes{});
  }
  std::vector<shape_size> const& all() const { return all_; }

 private:
  /// The block that run_in_tiles() launches, of launch_tiles.cuh.
  template <template <class> class Storage, class Large, class Shape>
  void add_tiles(char const* call, std::size_t key, std::size_t value) {
    constexpr bool is_large = Kind == tile_kind::large;
    unsigned const warps = is_large ? Large::warps : detail::warps_of_small_tiles<Large, Storage<Large>>(Kind);
    add(call, key, value, warps > 0 ? detail::bytes_of_block<Storage<Large>>(warps) : sizeof(Storage<Shape>));
  }

  template <unsigned... Bytes>
  void add_sizes(std::integer_sequence<unsigned, Bytes...>) {
    (add_selections<Bytes>(), ...);
    (add_pairs<Bytes, 1>(), ...);
    (add_pairs<Bytes, 4>(), ...);
    (add_pairs<Bytes, 8>(), ...);
    (add_pairs<Bytes, 16>(), ...);
    (add_pairs<Bytes, 1024>(), ...);
    (add_pairs<1, Bytes>(), ...);
    (add_pairs<4, Bytes>(), ...);
    (add_pairs<8, Bytes>(), ...);
    (add_pairs<1024, Bytes>(), ...);
  }
  template <unsigned... Bytes>
  void add_long_sizes(std::integer_sequence<unsigned, Bytes...>) {
    (add_scans<Bytes>(), ...);
    (add_segmented_scan<Bytes, detail::key_source<element<Bytes>, tessera::equal_to>>("by key", Bytes), ...);
    (add_segmented_scan<4, detail::key_source<element<Bytes>, tessera::equal_to>>("by key", Bytes), ...);
    (add_segmented_scan<Bytes, detail::key_source<int, tessera::equal_to>>("by key", 4), ...);
    (add_segmented_scan<Bytes, detail::key_source<char, tessera::equal_to>>("by key", 1), ...);
    (add_segmented_scan<Bytes, detail::offset_source<>>("of segments", 4), ...);
  }

  template <unsigned Bytes>
  void add_scans() {
    add_scan<element<Bytes>, element<Bytes>>();
    add_scan<char, element<Bytes>>();
    add_scan<element<Bytes>, int>();
  }
  template <class T, class R>
  void add_scan() {
    using each = detail::scan_shape<T, R, tile_kind::each>;
    add_tiles<detail::storage_of<detail::scan_storage, R>::template with, detail::scan_shape<T, R, tile_kind::large>,
              detail::scan_shape<T, R, Kind>>("scan", sizeof(T), sizeof(R));
    add("scan of a short array", sizeof(T), sizeof(R), sizeof(detail::scan_storage<R, each>));
  }
  template <unsigned Bytes, class Source>
  void add_segmented_scan(char const* call, unsigned key) {
    using T = element<Bytes>;
    using task = detail::segmented_scan_task<T, T, take_first, take_first, Source, bool>;
    add_tiles<detail::storage_of<detail::segmented_scan_storage, task>::template with,
              detail::segmented_scan_shape<T, T, Source, tile_kind::large>,
              detail::segmented_scan_shape<T, T, Source, Kind>>(call, key, Bytes);
  }
  template <unsigned Bytes>
  void add_selections() {
    using T = element<Bytes>;
    using by_stencil = detail::if_stencil<char, take_first>;
    add_selection<T, detail::if_element<take_first>, detail::unpaired>("select", 0);
    add_selection<T, by_stencil, detail::unpaired>("select by a stencil", 1);
    add_selection<T, by_stencil, detail::paired_others<T>>("partition", 1);
    add_selection<T, detail::if_stencil<element<1024>, take_first>, detail::unpaired>("select", 1024);
    add_runs<T, detail::run_lengths<int>>("run_length_encode", 4);
  }
  template <unsigned Key, unsigned Value>
  void add_pairs() {
    using K = element<Key>;
    using V = element<Value>;
    add_selection<K, detail::if_head<tessera::equal_to>, detail::paired_values<V>>("unique_by_key", Value);
    add_runs<K, detail::run_values<V, V, take_first, V>>("reduce_by_key", Value);
  }
  template <class T, class Mark, class Paired>
  void add_selection(char const* call, unsigned value) {
    using traits = detail::select_traits<T, Mark, Paired>;
    add_tiles<detail::storage_of<detail::select_storage, detail::select_task<T, Mark, Paired>>::template with,
              typename traits::template shape<tile_kind::large>, typename traits::template shape<Kind>>(call, sizeof(T),
                                                                                                        value);
  }
  template <class T, class Sums>
  void add_runs(char const* call, unsigned value) {
    add_tiles<detail::storage_of<detail::runs_storage, detail::runs_task<T, tessera::equal_to, Sums>>::template with,
              detail::runs_shape<T, Sums, tile_kind::large>, detail::runs_shape<T, Sums, Kind>>(call, sizeof(T), value);
  }

  void add(char const* call, std::size_t key, std::size_t value, std::size_t storage) {
    all_.push_back({call, static_cast<unsigned>(key), static_cast<unsigned>(value), storage});
  }

  std::vector<shape_size> all_;
};

void expect_room(std::vector<shape_size> const& sizes, std::size_t room, unsigned architecture) {
  for (auto const& size : sizes)
    EXPECT_LE(size.storage, room) << size.call << " of " << size.key << " and " << size.value << " bytes, sm_"
                                  << architecture / 10;
}

/// Code for an architecture runs on it and on all later ones, whose shared memory may be smaller.
TEST(GridSharedMemory, EveryGpuHasRoomForSmallTiles) {
  auto const small = sizes_of_kind<tile_kind::small_tile>().all();
  auto const least = sizes_of_kind<tile_kind::least>().all();
  EXPECT_GT(small.size(), 500u);
  for (auto const oldest : architectures)
    for (auto const device : architectures) {
      if (device.number < oldest.number) continue;
      bool const is_least = tile_tuning::small_from(oldest.number) == tile_kind::least;
      expect_room(is_least ? least : small, device.kibibytes * 1024, device.number);
    }
  expect_room(least, tile_tuning::limit(tile_kind::least), 0);
  expect_room(small, tile_tuning::limit(tile_kind::small_tile), 0);
}

/// Launchers ask whether the device has room for these.
TEST(GridSharedMemory, TheGpusWithMostHaveRoomForLargeTiles) {
  expect_room(sizes_of_kind<tile_kind::large>().all(), 227 * 1024, 900);
}

/// Small tiles have up to 32 KiB of elements, and fewer where shared memory has no room for two halves.
TEST(GridSharedMemory, WarpsOfSmallTiles) {
  using floats = detail::scan_shape<float, float, tile_kind::large>;
  using doubles = detail::scan_shape<double, double, tile_kind::large>;
  constexpr auto warps_of = [](auto shape, auto r, tile_kind kind) {
    using shape_t = decltype(shape);
    return detail::warps_of_small_tiles<shape_t, detail::scan_storage<decltype(r), shape_t>>(kind);
  };
  EXPECT_EQ(warps_of(floats{}, 0.0f, tile_kind::small_tile), 9u);
  EXPECT_EQ(warps_of(floats{}, 0.0f, tile_kind::least), 9u);
  EXPECT_EQ(warps_of(doubles{}, 0.0, tile_kind::small_tile), 15u);
  EXPECT_EQ(warps_of(doubles{}, 0.0, tile_kind::least), 15u);
  using row = element<256>;
  using rows = detail::scan_shape<row, row, tile_kind::large>;
  EXPECT_EQ(warps_of(rows{}, row{}, tile_kind::small_tile), 5u);
  EXPECT_EQ(warps_of(rows{}, row{}, tile_kind::least), 3u);
}

/// The most bytes of results for which shared memory has room, as the table in tile_tuning.hpp says.
template <unsigned Bytes, tile_kind Kind>
constexpr bool is_scan_in_shared = detail::scan_shape<element<Bytes>, element<Bytes>, Kind>::in_shared;
template <unsigned Bytes, tile_kind Kind>
constexpr bool is_segmented_scan_in_shared =
    detail::segmented_scan_shape<element<Bytes>, element<Bytes>, detail::offset_source<>, Kind>::in_shared;

TEST(GridSharedMemory, WhichElementsLanesKeep) {
  EXPECT_TRUE((is_scan_in_shared<3156, tile_kind::large> && !is_scan_in_shared<3160, tile_kind::large>));
  EXPECT_TRUE((is_scan_in_shared<1404, tile_kind::small_tile> && !is_scan_in_shared<1408, tile_kind::small_tile>));
  EXPECT_TRUE((is_scan_in_shared<920, tile_kind::least> && !is_scan_in_shared<924, tile_kind::least>));
  EXPECT_TRUE(
      (is_segmented_scan_in_shared<3248, tile_kind::large> && !is_segmented_scan_in_shared<3256, tile_kind::large>));
  EXPECT_TRUE((is_segmented_scan_in_shared<1440, tile_kind::small_tile> &&
               !is_segmented_scan_in_shared<1448, tile_kind::small_tile>));
  EXPECT_TRUE(
      (is_segmented_scan_in_shared<944, tile_kind::least> && !is_segmented_scan_in_shared<952, tile_kind::least>));
}

/// What has static shared memory, of which 48 KiB are there everywhere; sizes are the greatest that the headers allow.
TEST(GridSharedMemory, StaticStorageFitsEverywhere) {
  std::size_t const everywhere = 48 * 1024;
  EXPECT_LE((sizeof(detail::merge_storage<detail::merge_tuning::threads, element<128>>)), everywhere);
  EXPECT_LE((sizeof(detail::merge_storage<detail::merge_tuning::threads, element<4>>)), everywhere);
  EXPECT_LE((sizeof(detail::segment_storage<element<48>, element<48>>)), everywhere);
  EXPECT_LE((sizeof(detail::segment_storage<element<36>, element<36>>)), everywhere);
  EXPECT_LE((sizeof(detail::segment_storage<element<8>, element<8>>)), everywhere);
  EXPECT_LE((sizeof(detail::segment_storage<element<4>, element<4>>)), everywhere);
  EXPECT_LE((sizeof(detail::segment_storage<element<2>, float>)), everywhere);
}

template <unsigned Bytes, class V>
constexpr std::size_t bytes_of_sets =
    sizeof(detail::set_storage<detail::set_task<detail::set_operation::set_union, element<Bytes>, V, tessera::less>,
                               detail::set_shape<element<Bytes>, V>>);
template <unsigned... Bytes>
void expect_room_for_sets(std::integer_sequence<unsigned, Bytes...>) {
  for (std::size_t bytes : {bytes_of_sets<Bytes, void>..., bytes_of_sets<Bytes, element<1024>>...})
    EXPECT_LE(bytes, detail::tile_tuning::limit(tile_kind::least));
  EXPECT_GE((std::min)({detail::set_shape<element<Bytes>>::warps...}), 1u);
}
TEST(GridSharedMemory, SetOperationsFitEverywhere) {
  expect_room_for_sets(std::integer_sequence<unsigned, 1, 2, 3, 4, 6, 8, 12, 16, 20, 32, 48, 64, 96, 128>{});
}

/// Dynamic memory beside the largest array that the collectives of a block of so many threads may have.
TEST(GridSharedMemory, DynamicStorageLeavesRoomForCollectives) {
  std::size_t const least = 64 * 1024;
  using sorts = detail::segment_sort_tuning;
  using sorted =
      tessera::detail::library_layout_of<sorts::threads, true>::array<std::uint32_t, 32 * sorts::block_items>;
  std::size_t const collectives = sorted::inputs + sorted::outputs;
  EXPECT_LE((sizeof(detail::segment_sort_storage<detail::direct_keys<std::uint32_t>>)) + collectives, least);
  EXPECT_LE((sizeof(detail::segment_sort_storage<detail::packed_keys<std::uint32_t>>)) + collectives, least);
  EXPECT_LE((sizeof(detail::segment_sort_storage<detail::direct_keys<std::uint64_t>>)) + collectives, least);
  EXPECT_LE((sizeof(detail::segment_sort_storage<detail::packed_keys<std::uint64_t>>)) + collectives, least);
  using compared = detail::compared_keys<element<64>, element<64>, tessera::less>;
  EXPECT_LE((sizeof(detail::segment_sort_storage<compared>)) + collectives, least);
  // Selections exchange a word a warp, and up to 8 bytes a lane.
  using selections = tessera::detail::library_layout_of<detail::top_k_tuning::shape::threads, true>;
  using words = selections::array<std::uint32_t, 1>;
  using lanes = selections::array<std::uint64_t, 32>;
  EXPECT_LE(detail::top_k_tuning::most_shared_bytes + words::inputs + words::outputs + lanes::inputs + lanes::outputs,
            least);
}

}  // namespace
