// The arrays of shared memory that tiles of several warps may need: which there are, and how many bytes they have together.
#include <tessera/core/library_memory.hpp>
#include <tessera/core/scratch_layout.hpp>
#include <tessera/host/backend.hpp>
#include <tessera/tile/top_k_queue.hpp>

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace {

using tessera::detail::library_layout_of;

template <unsigned Bytes>
struct value {
  unsigned char byte[Bytes];
};

/// The arrays of one tile size: their bytes, and whether they are those of large results alone.
using arrays = std::set<std::pair<unsigned, bool>>;

unsigned total_of(arrays const& all) {
  unsigned total = 0;
  for (auto const& [bytes, of_results] : all) total += bytes;
  return total;
}

/// What a layout says of calls that exchange a value of so many bytes. (Constants, so that the checks aren't templates, of which
/// each would be compiled a thousand times.)
struct arrays_of_value {
  unsigned lanes, bytes, most_moved;
  unsigned warp_inputs, warp_outputs, lane_inputs, lane_outputs, row, results;
  bool has_room;
  unsigned tile_inputs, tile_outputs;
};
void add_and_check(arrays& all, arrays_of_value at) {
  all.insert({at.warp_inputs + at.warp_outputs, false});
  if (at.bytes <= at.most_moved) all.insert({at.lane_inputs + at.lane_outputs, false});
  if (!at.has_room) all.insert({at.results, true});

  EXPECT_GE(at.warp_inputs, at.lanes / 32 * at.bytes);
  EXPECT_GE(at.lane_inputs, at.lanes / 32 * at.row * at.bytes);
  EXPECT_EQ(at.has_room, at.bytes <= 32);
  EXPECT_GE(at.has_room ? at.warp_outputs : at.results, at.lanes / 32 * at.bytes);
  // The parts of a tile begin where 16 bytes do, or its values are smaller.
  EXPECT_EQ(at.tile_inputs % 16, 0u);
  EXPECT_EQ(at.tile_outputs % 16, 0u);
}
/// Adds the arrays of calls that exchange a value of so many bytes: once for each warp, with results, and as many as there is room
/// for.
template <unsigned N, bool IsBlock, unsigned Bytes>
void add_arrays(arrays& all) {
  using layout = library_layout_of<N, IsBlock>;
  using T = value<Bytes>;
  using of_warps = typename layout::template array<T, 1>;
  using of_lanes = typename layout::template array<T, layout::template row<T>>;
  add_and_check(
      all, {IsBlock ? N : 1024, Bytes, layout::most_moved, of_warps::inputs, of_warps::outputs, of_lanes::inputs,
            of_lanes::outputs, layout::template row<T>, layout::template output_array<T>::bytes, of_warps::has_room,
            of_warps::template inputs_of<N>, of_warps::template outputs_of<N>});
}
template <unsigned N, bool IsBlock, unsigned Step, unsigned... I>
void add_all(arrays& all, std::integer_sequence<unsigned, I...>) {
  (add_arrays<N, IsBlock, Step*(I + 1)>(all), ...);
}
/// The arrays of calls that exchange values of up to `Most` bytes: all sizes up to 32, and above the multiples of 16.
template <unsigned N, bool IsBlock, unsigned Most>
arrays arrays_up_to() {
  arrays all;
  add_all<N, IsBlock, 1>(all, std::make_integer_sequence<unsigned, 32>{});
  add_all<N, IsBlock, 16>(all, std::make_integer_sequence<unsigned, Most / 16>{});
  return all;
}

template <unsigned N>
void check_size() {
  EXPECT_LE((total_of(arrays_up_to<N, true, 32>())), 25088u) << N;
  EXPECT_LE((total_of(arrays_up_to<N, true, 512>())), 45568u) << N;
  EXPECT_LE((total_of(arrays_up_to<N, false, 32>())), 5632u) << N;
}

TEST(LibraryMemory, ArraysOfOneTileSize) {
  EXPECT_EQ((arrays_up_to<1024, true, 32>()), (arrays{{512, false}, {2048, false}, {5120, false}, {17408, false}}));
  EXPECT_EQ((arrays_up_to<64, true, 32>()), (arrays{{320, false}, {1088, false}, {4160, false}}));
  EXPECT_EQ((arrays_up_to<256, false, 32>()), (arrays{{512, false}, {5120, false}}));
  EXPECT_EQ((arrays_up_to<256, false, 128>()), (arrays{{512, false}, {5120, false}, {4096, true}}));
  check_size<64>();
  check_size<128>();
  check_size<256>();
  check_size<512>();
  check_size<1024>();
}

/// Calls of all kinds on tiles of all sizes fit into what a kernel may declare.
TEST(LibraryMemory, ArraysOfAllTileSizes) {
  unsigned const parts = total_of(arrays_up_to<64, false, 32>()) + total_of(arrays_up_to<128, false, 32>()) +
                         total_of(arrays_up_to<256, false, 32>()) + total_of(arrays_up_to<512, false, 32>());
  EXPECT_EQ(parts + total_of(arrays_up_to<1024, true, 32>()), 47616u);
  EXPECT_LE(parts + total_of(arrays_up_to<1024, true, 32>()), 48u * 1024);
}

/// Memory that the user has made smaller.
TEST(LibraryMemory, ArraysOfLessMemory) {
  using little = tessera::detail::library_layout<1024, 4096, 4>;
  EXPECT_EQ((little::array<value<4>, 32>::inputs), 4096u);
  using odd = tessera::detail::library_layout<1024, 8192, 4>;
  EXPECT_EQ((odd::array<value<8>, 32>::inputs), 8192u);
  using none = tessera::detail::library_layout<1024, 0, 4>;
  EXPECT_EQ(none::row<value<4>>, 2u);
  EXPECT_EQ((none::array<value<4>, 2>::inputs), 256u);
  EXPECT_EQ(none::most_moved, 32u);
}

/// In a caller's scratch the results of each tile come after the inputs and end within the scratch. They begin at a multiple of the widest
/// access.
struct scratch_shape {
  unsigned lanes, item_bytes, threads;  // of a tile; of an item; of a block
  unsigned inputs_of_tile, results_of_tile, inputs, bytes;
};
void check_shape(scratch_shape at) {
  unsigned const warps = at.lanes / 32, tiles = at.threads / at.lanes;
  EXPECT_EQ(at.inputs_of_tile % 16, 0u);
  EXPECT_EQ(at.inputs % 16, 0u);
  EXPECT_GE(at.results_of_tile, warps * at.item_bytes);
  EXPECT_LE(at.inputs + tiles * at.results_of_tile, at.bytes);
  for (unsigned bytes = 1; bytes <= at.item_bytes; ++bytes) {
    unsigned const unit = bytes % 4 == 0 ? 4 : bytes % 2 == 0 ? 2 : 1;
    unsigned access = unit;  // what is as large as two or four words is accessed at once
    while (unit == 4 && access < 16 && warps * bytes % (2 * access) == 0) access *= 2;
    EXPECT_EQ(at.results_of_tile % access, 0u)
        << "tiles of " << at.lanes << ", items of " << at.item_bytes << " bytes, results of " << bytes;
  }
}
template <unsigned N, unsigned ItemBytes, unsigned Threads>
void check_scratch_of() {
  using layout = tessera::detail::scratch_layout<ItemBytes, Threads>;
  check_shape({N, ItemBytes, Threads, layout::template inputs_of<N>, layout::template results_of<N>, layout::inputs,
               layout::bytes});
}
template <unsigned... I>
void check_scratch(std::integer_sequence<unsigned, I...>) {
  (check_scratch_of<64, I + 1, 64>(), ...);
  (check_scratch_of<64, I + 1, 96>(), ...);
  (check_scratch_of<64, I + 1, 128>(), ...);
  (check_scratch_of<128, I + 1, 1024>(), ...);
  (check_scratch_of<256, I + 1, 512>(), ...);
  (check_scratch_of<1024, I + 1, 1024>(), ...);
}
TEST(ScratchLayout, AlignsResultsOfEachTile) {
  check_scratch(std::make_integer_sequence<unsigned, 40>{});
}

/// Items of a power of two of bytes leave no byte unused.
TEST(ScratchLayout, HasNoUnusedBytesWhereItemsArePowersOfTwo) {
  EXPECT_EQ((tessera::detail::scratch_layout<4, 256>::bytes), 256u * 4 + 8 * 4);
  EXPECT_EQ((tessera::detail::scratch_layout<16, 1024>::bytes), 1024u * 16 + 32 * 16);
}

/// The library's memory of a tile, where no call takes an array with more inputs than the largest has.
template <unsigned N, bool IsBlock>
struct bounded_memory : tessera::host::detail::library_memory<library_layout_of<N, IsBlock>> {
  template <class T, unsigned Row>
  static constexpr bool has_inputs = library_layout_of<N, IsBlock>::template array<T, Row>::inputs <=
                                     (IsBlock ? 16384u : 4096u);
};
struct entry {
  unsigned key, number;
};
struct lower_key {
  bool operator()(entry const& a, entry const& b) const { return a.key < b.key; }
};
/// Compiles only if the memory suffices.
template <unsigned N, bool IsBlock>
auto best_of_queue(
    tessera::detail::multi_warp_group<tessera::host::detail::backend<N, bounded_memory<N, IsBlock>>> group) {
  auto const form = tessera::detail::selection_form<entry>(lower_key{});
  tessera::detail::queue_state<1024, entry, std::remove_const_t<decltype(form)>, 32> queue;
  return queue.template best<tessera::policy<tessera::choice::scattered>>(group, form);
}
TEST(LibraryMemory, SufficesForTheLargestQueues) {
  EXPECT_TRUE((&best_of_queue<64, true>) != nullptr);
  EXPECT_TRUE((&best_of_queue<1024, true>) != nullptr);
  EXPECT_TRUE((&best_of_queue<64, false>) != nullptr);
  EXPECT_TRUE((&best_of_queue<512, false>) != nullptr);
}

}  // namespace
