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

/// Adds the arrays of calls that exchange a value of so many bytes: once for each warp, with results, and as many as there is room
/// for.
template <unsigned N, bool IsBlock, unsigned Bytes>
void add_arrays(arrays& all) {
  using layout = library_layout_of<N, IsBlock>;
  using T = value<Bytes>;
  using of_warps = typename layout::template array<T, 1>;
  using of_lanes = typename layout::template array<T, layout::template row<T>>;
  all.insert({of_warps::inputs + of_warps::outputs, false});
  if (Bytes <= layout::most_moved) all.insert({of_lanes::inputs + of_lanes::outputs, false});
  if (!of_warps::has_room) all.insert({layout::template output_array<T>::bytes, true});

  constexpr unsigned lanes = IsBlock ? N : 1024;
  EXPECT_GE(of_warps::inputs, lanes / 32 * Bytes);
  EXPECT_GE(of_lanes::inputs, lanes / 32 * layout::template row<T> * Bytes);
  EXPECT_EQ(of_warps::has_room, Bytes <= 32);
  EXPECT_GE(of_warps::has_room ? of_warps::outputs : layout::template output_array<T>::bytes,
            lanes / 32 * Bytes);
  // The parts of a tile begin where 16 bytes do, or its values are smaller.
  EXPECT_EQ(of_warps::template inputs_of<N> % 16, 0u);
  EXPECT_EQ(of_warps::template outputs_of<N> % 16, 0u);
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
  EXPECT_EQ((arrays_up_to<1024, true, 32>()),
            (arrays{{512, false}, {2048, false}, {5120, false}, {17408, false}}));
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
template <unsigned N, unsigned ItemBytes, unsigned Threads>
void check_scratch_of() {
  using layout = tessera::detail::scratch_layout<ItemBytes, Threads>;
  constexpr unsigned tiles = Threads / N, of_tile = layout::template results_of<N>;
  EXPECT_EQ(layout::template inputs_of<N> % 16, 0u);
  EXPECT_EQ(layout::inputs % 16, 0u);
  EXPECT_GE(of_tile, N / 32 * ItemBytes);
  EXPECT_LE(layout::inputs + tiles * of_tile, layout::bytes);
  for (unsigned bytes = 1; bytes <= ItemBytes; ++bytes) {
    unsigned const unit = bytes % 4 == 0 ? 4 : bytes % 2 == 0 ? 2 : 1;
    unsigned access = unit;  // what is as large as two or four words is accessed at once
    while (unit == 4 && access < 16 && N / 32 * bytes % (2 * access) == 0) access *= 2;
    EXPECT_EQ(of_tile % access, 0u) << "tiles of " << N << ", items of " << ItemBytes << " bytes, results of "
                                    << bytes;
  }
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
