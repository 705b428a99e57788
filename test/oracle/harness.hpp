// The parts of the oracle's programs. The same text runs on host tiles and on the GPU.
//
// A program (see generate.py) is a kernel with a few consecutive calls, and the model's call for each of
// them. Whatever the program's text doesn't fix is drawn from a seed: `draws` has the values that a tile
// draws for a call, for the kernel and for the host.
//
//   kernel   for (oracle::call c(e, block, 0, 64, oracle::flow::apart); c.more(); c.next())
//              c.store(tessera::reduce(tile, c.value<float>(values::exact), tessera::plus{}, tessera::where(c.pred())));
//   host     k.each_tile(0, 64, flow::apart, [](oracle::expectation& t) {
//              t.compare(model::reduce(64, t.values<float>(values::exact), ..., model::where(t.preds()))); });
#pragma once

#include <algorithm>
#include <tessera/host/block.hpp>
#include <tessera/host/run/dim3.hpp>
#include <tessera/host/scratch.hpp>
#include <tessera/host/tile.hpp>
#include <tessera/tessera.hpp>

#include <cstring>
#include <string>
#include <vector>

#include "model/tile.hpp"
#include "queues.hpp"
#include "values.hpp"

namespace oracle {

using tessera::host::dim3;

/// How often a tile makes a call. `together`: once. `some`: once or never, independent of other tiles.
/// `apart`: up to three times, independent of other tiles. `repeated`: two or three times, the same for the
/// whole block.
enum class flow { together, some, apart, repeated };
inline constexpr unsigned most_rounds = 3;

/// How values are drawn: by the hash, or by counting from launch to launch and from tile to tile, so that
/// all predicates of a small tile, or all n, occur.
enum class counting { nothing, masks, numbers };

/// The parameters of a launch, which the kernel gets.
struct environment {
  u64 seed;
  u64 counted;  // the number of the first tile, when counting
  counting what;
  unsigned counted_call;  // the only call that is made, when counting
  unsigned threads;
  unsigned calls;
  unsigned cell_bytes;    // the bytes for each result of a lane
  unsigned memory_bytes;  // the bytes for each lane of a call; a tile's memory consists of that of its lanes
  int leave_after;        // the call after which some groups of lanes exit; −1 for none
  unsigned leave_group;
  unsigned char* cells;
  unsigned char* memory;

  TESSERA_FN bool leaves(unsigned block, unsigned thread) const {
    return leave_after >= 0 && mixed(seed, 77 + block, thread / leave_group) % 3 == 0;
  }
  TESSERA_FN unsigned char* cell(unsigned block, unsigned which, unsigned round, unsigned thread) const {
    u64 const at = ((u64{block} * calls + which) * most_rounds + round) * threads + thread;
    return cells + at * cell_bytes;
  }
  TESSERA_FN unsigned char* memory_of(unsigned block, unsigned which, unsigned thread) const {
    return memory + ((u64{block} * calls + which) * threads + thread) * memory_bytes;
  }
  /// The lanes of a warp that its coalesced group has: all, one, the first, the last, every other, few, or most.
  TESSERA_FN u32 lanes_of_group(unsigned block, unsigned warp) const {
    u64 const h = mixed(mixed(seed, 97, block), 97, warp);
    u32 const one = u32{1} << (h >> 8) % 32, any = static_cast<u32>(h >> 16), more = static_cast<u32>(h >> 24);
    switch (h % 8) {
      case 0:
        return ~u32{0};
      case 1:
        return one;
      case 2:
        return one | (one - 1);
      case 3:
        return 0 - one;
      case 4:
        return 0x55555555u << (h >> 8) % 2;
      case 5:
        return (any & more) | one;
      case 6:
        return any | more | one;
      default:
        return any | one;
    }
  }
  u64 cells_size(unsigned blocks) const { return u64{blocks} * calls * most_rounds * threads * cell_bytes; }
  u64 memory_size(unsigned blocks) const { return u64{blocks} * calls * threads * memory_bytes; }
};

/// The values that a tile draws for one round of a call. The kernel and the host construct the same object.
struct draws {
  environment e;
  unsigned block, which, size, tile, valid_count, round;
  u32 lanes;  // of a coalesced group, which is tile number `tile` of 32 lanes; 0 if the lanes follow each other

  TESSERA_FN u64 hash(unsigned what) const { return mixed(mixed(e.seed, block * 64 + which, tile * 4 + round), what); }
  TESSERA_FN u64 hash(unsigned what, unsigned rank, unsigned item) const { return mixed(hash(what), rank + 1, item); }
  TESSERA_FN unsigned below(unsigned what, unsigned n) const { return static_cast<unsigned>(hash(what) % n); }
  /// The number of this tile, when counting.
  TESSERA_FN u64 count() const { return e.counted + (u64{block} * ((e.threads + size - 1) / size) + tile); }

  TESSERA_FN unsigned rounds(flow how) const {
    if (e.what != counting::nothing) return which == e.counted_call ? 1 : 0;
    switch (how) {
      case flow::together:
        return 1;
      case flow::some:
        return below(1000, 2);
      case flow::apart:
        return below(1000, most_rounds + 1);
      default:
        return 2 + static_cast<unsigned>(mixed(e.seed, 1001, which) % 2);
    }
  }

  template <class T>
  TESSERA_FN T value(unsigned rank, values which_values, unsigned item = 0, unsigned what = 1) const {
    u64 const h = hash(what, below(4 * what + 100, 16) == 0 ? 0 : rank,
                       item);  // sometimes all lanes have the same value
    T const x = sampler<T>::of(h, below(4 * what + 101, 8), which_values);
    if constexpr (is_half<T>) {
      if (which_values == values::exact && !counts(rank, item)) {
        float const as_float = static_cast<float>(x);
        if (as_float - as_float == 0.0f) return T(as_float * 0.0f);
      }
    }
    return x;
  }
  /// Whether a half whose sums must be exact isn't zero. At most 64 values of a range, each of at most 3,
  /// have a sum within 256, up to which bfloat16 represents all integers.
  TESSERA_FN bool counts(unsigned rank, unsigned item) const {
    return rank % 64 == below(70, 64) && rank < 4096 && item % 4 == 0;
  }
  template <class T, unsigned K>
  TESSERA_FN tessera::items<T, K> items(unsigned rank, values which_values, unsigned what = 1) const {
    tessera::items<T, K> x{};
    for (unsigned k = 0; k < K; ++k) x[k] = value<T>(rank, which_values, k, what);
    return x;
  }
  /// A predicate that holds in no lane, all, one, all but one, the first or the last lanes, half of them,
  /// few, or most.
  TESSERA_FN bool pred(unsigned rank, unsigned what = 0) const {
    if (e.what == counting::masks && what == 0) return rank < 64 && (count() >> rank & 1u) != 0;
    unsigned const one = below(21 + 4 * what, valid_count);
    switch (below(20 + 4 * what, 10)) {
      case 0:
        return false;
      case 1:
        return true;
      case 2:
        return rank == one;
      case 3:
        return rank != one;
      case 4:
        return rank <= one;
      case 5:
        return rank >= one;
      case 6:
        return hash(22 + 4 * what, rank, 0) % 32 == 0;
      case 7:
        return hash(22 + 4 * what, rank, 0) % 32 != 0;
      default:
        return hash(22 + 4 * what, rank, 0) % 2 == 0;
    }
  }
  /// n of first(n): around 0, around the number of existing lanes, around the tile's size, or any.
  TESSERA_FN int n() const {
    if (e.what == counting::numbers) return static_cast<int>(count() % (size + 2));
    int const edges[8] = {0,
                          1,
                          static_cast<int>(size) - 1,
                          static_cast<int>(size),
                          static_cast<int>(size) + 1,
                          static_cast<int>(valid_count) - 1,
                          -3,
                          5000};
    unsigned const at = below(30, 12);
    return at < 8 ? edges[at] : static_cast<int>(below(31, size + 1));
  }
  /// The rank of an existing lane.
  TESSERA_FN unsigned source() const { return below(40, valid_count); }
  TESSERA_FN unsigned source(unsigned rank) const { return static_cast<unsigned>(hash(41, rank, 0) % valid_count); }
  /// The distance of a shift or rotation.
  TESSERA_FN unsigned delta() const {
    unsigned const edges[6] = {0, 1, size / 2, size - 1, size, size + 3};
    unsigned const at = below(42, 8);
    return at < 6 ? edges[at] : below(43, size);
  }
  TESSERA_FN int offset() const { return below(44, 2) == 0 ? static_cast<int>(delta()) : -static_cast<int>(delta()); }
  /// The mask of a butterfly, below the size.
  TESSERA_FN unsigned mask() const { return below(45, size); }
  TESSERA_FN unsigned index(unsigned of, unsigned what) const { return below(46 + what, of); }
  /// A lane's diagonal of a merge of so many elements: either end, or any.
  TESSERA_FN unsigned diagonal(unsigned rank, unsigned all) const {
    u64 const h = hash(53, rank, 0);
    return h % 8 == 0 ? 0 : h % 8 == 1 ? all : static_cast<unsigned>(h / 8 % (all + 1));
  }

  /// Where the value at a position goes, of so many: a permutation, which may be the identity or the reverse.
  TESSERA_FN unsigned permuted(unsigned position, unsigned all) const {
    unsigned const at = below(50, 5);
    unsigned factor = at == 0 || all == 1 ? 1 : at == 1 ? all - 1 : 1 + below(51, all - 1);
    while (!have_no_common_divisor(factor, all)) ++factor;
    return static_cast<unsigned>((u64{factor} * position + below(52, at == 0 ? 1 : all)) % all);
  }
  TESSERA_FN static bool have_no_common_divisor(unsigned a, unsigned b) {
    while (b != 0) {
      unsigned const rest = a % b;
      a = b;
      b = rest;
    }
    return a == 1;
  }

  // A range in the tile's memory, for joint algorithms. The first half has the elements, and the second
  // half gets the output.
  TESSERA_FN unsigned half() const { return e.memory_bytes * valid_count / 2; }
  /// The offsets of the range and of its output, which have the type's alignment.
  TESSERA_FN unsigned range_begin(unsigned align) const { return 16 + below(60, 64) * align % 64; }
  TESSERA_FN unsigned out_begin(unsigned align) const { return half() + 16 + below(61, 64) * align % 64; }
  /// The number of elements, of `bytes` bytes each: none, few, around whole vectors and rounds of the tile,
  /// or many.
  TESSERA_FN int length(unsigned bytes) const {
    unsigned const most = (half() - 16 - 64 - 16) / bytes, vector = 16 % bytes == 0 ? 16 / bytes : 1;
    unsigned const edges[8] = {0,          1, size, size * vector, size * vector + vector, size + 2, 2 * size * vector,
                               32 * vector};
    unsigned const at = below(62, 14);
    if (at == 13) return -2;
    unsigned const n = at < 8 ? edges[at] + below(63, 3) - (edges[at] > 0 ? 1 : 0) : below(64, most + 1);
    return static_cast<int>(n < most ? n : most);
  }
  TESSERA_FN unsigned count_of_range(unsigned bytes) const {
    int const n = length(bytes);
    return n < 0 ? 0 : static_cast<unsigned>(n);
  }
};

/// The rounds of a call in the kernel, for one thread.
class call {
 public:
  template <class Block>
  TESSERA_FN call(environment const& e, Block const& block, unsigned which, unsigned size, flow how,
                  bool coalesced = false)
      : thread_(block.thread_rank()), at_(drawn_of(e, block.group_index().x, which, size, thread_ / size, coalesced)) {
    u32 const lane = u32{1} << thread_ % 32;
    rank_ = coalesced ? tessera::detail::bits_set(at_.lanes & (lane - 1)) : thread_ % size;
    rounds_ = coalesced && (at_.lanes & lane) == 0 ? 0 : at_.rounds(how);
  }

  TESSERA_FN static draws drawn_of(environment const& e, unsigned block, unsigned which, unsigned size, unsigned tile,
                                   bool coalesced) {
    u32 const lanes = coalesced ? e.lanes_of_group(block, tile) : 0;
    unsigned const count = coalesced ? tessera::detail::bits_set(lanes) : valid_count_of(e, size, tile);
    return {e, block, which, size, tile, count, 0, lanes};
  }

  TESSERA_FN static unsigned valid_count_of(environment const& e, unsigned size, unsigned tile) {
    return e.threads - tile * size < size ? e.threads - tile * size : size;
  }

  TESSERA_FN bool more() const { return at_.round < rounds_; }
  TESSERA_FN void next() { ++at_.round; }

  template <class T>
  TESSERA_FN T value(values which, unsigned what = 1) const {
    return at_.value<T>(rank_, which, 0, what);
  }
  template <class T, unsigned K>
  TESSERA_FN tessera::items<T, K> items(values which, unsigned what = 1) const {
    return at_.items<T, K>(rank_, which, what);
  }
  /// A value that is the same in all lanes.
  template <class T>
  TESSERA_FN T same_value(values which, unsigned what = 3) const {
    return at_.value<T>(0, which, 0, what);
  }
  TESSERA_FN bool pred(unsigned what = 0) const { return at_.pred(rank_, what); }
  TESSERA_FN int n() const { return at_.n(); }
  TESSERA_FN unsigned source() const { return at_.source(); }
  TESSERA_FN unsigned own_source() const { return at_.source(rank_); }
  TESSERA_FN unsigned delta() const { return at_.delta(); }
  TESSERA_FN int offset() const { return at_.offset(); }
  TESSERA_FN unsigned mask() const { return at_.mask(); }
  TESSERA_FN unsigned index(unsigned of, unsigned what) const { return at_.index(of, what); }
  TESSERA_FN unsigned diagonal(unsigned all) const { return at_.diagonal(rank_, all); }
  TESSERA_FN unsigned rank() const { return rank_; }
  /// Where the lane's values go, Items of them or with 0 one that is no item.
  template <unsigned Items>
  TESSERA_FN auto permuted() const {
    if constexpr (Items == 0) {
      return at_.permuted(rank_, at_.valid_count);
    } else {
      tessera::items<unsigned, Items> to{};
      for (unsigned i = 0; i < Items; ++i) to[i] = at_.permuted(rank_ * Items + i, at_.valid_count * Items);
      return to;
    }
  }
  template <class T>
  TESSERA_FN T* range() const {
    return memory<T>(at_.range_begin(alignof(T)));
  }
  template <class T>
  TESSERA_FN T* out() const {
    return memory<T>(at_.out_begin(alignof(T)));
  }
  TESSERA_FN int length(unsigned bytes) const { return at_.length(bytes); }
  TESSERA_FN unsigned count_of_range(unsigned bytes) const { return at_.count_of_range(bytes); }
  /// The lane's value or items of an array in either half of the tile's memory.
  template <class T, unsigned Items>
  TESSERA_FN auto row(unsigned half, bool striped = false) const {
    T const* const from = memory<T>(half * at_.half());
    if constexpr (Items == 0) {
      return T(from[rank_]);
    } else {
      auto x = items<T, Items>(values::any);
      for (unsigned i = 0; i < Items; ++i) x[i] = from[striped ? i * at_.size + rank_ : rank_ * Items + i];
      return x;
    }
  }
  TESSERA_FN draws const& drawn() const { return at_; }

  /// The tile's memory as elements of T. It begins at a multiple of 16 bytes.
  template <class T>
  TESSERA_FN T* memory(unsigned offset = 0) const {
    return reinterpret_cast<T*>(at_.e.memory_of(at_.block, at_.which, at_.tile * at_.size) + offset);
  }

  template <class R>
  TESSERA_FN void store(R const& result) const {
    // Stores words of R's alignment. Of a product of halves that is converted to an integer, ptxas 13.0
    // would store the low byte only.
    using piece = std::conditional_t<alignof(R) == 1, unsigned char,
                                     std::conditional_t<alignof(R) == 2, std::uint16_t, std::uint32_t>>;
    auto* const to = reinterpret_cast<piece*>(at_.e.cell(at_.block, at_.which, at_.round, thread_));
    auto const* const from = reinterpret_cast<unsigned char const*>(&result);
    for (unsigned i = 0; i < sizeof(R) && i < at_.e.cell_bytes; i += sizeof(piece)) {
      piece next;
      memcpy(&next, from + i, sizeof next);
      to[i / sizeof(piece)] = next;
    }
  }

 private:
  unsigned thread_, rank_;
  draws at_;
  unsigned rounds_;
};

// ---- On the host

/// The value of every byte of the results and of the memory before a launch.
inline constexpr unsigned char poison = 0xcd;

/// The first error: a description and its position.
struct failure {
  std::string what;
  unsigned which = 0, block = 0, tile = 0, round = 0, lane = 0;
};

/// A finished launch, and the results of its checks.
struct checks {
  environment e;  // `cells` and `memory` point to copies on the host
  unsigned first_block = 0, last_block = 0;
  u64 done = 0;      // the number of lanes whose result was compared
  u64 executed = 0;  // bit i says whether some tile made call i
  std::vector<failure> failures;
};

/// One round of a tile's call, on the host.
class expectation {
 public:
  expectation(checks& all, draws at) : all_(all), at_(at) {}

  unsigned size() const { return at_.size; }
  unsigned lanes() const { return at_.valid_count; }
  draws const& drawn() const { return at_; }

  template <class T>
  model::list<T> values_of(values which, unsigned what = 1) const {
    model::list<T> x;
    for (unsigned r = 0; r < at_.valid_count; ++r) x.push_back(at_.value<T>(r, which, 0, what));
    return x;
  }
  template <class T, unsigned K>
  model::list<tessera::items<T, K>> items_of(values which, unsigned what = 1) const {
    model::list<tessera::items<T, K>> x;
    for (unsigned r = 0; r < at_.valid_count; ++r) x.push_back(at_.items<T, K>(r, which, what));
    return x;
  }
  template <class T>
  T same_value(values which, unsigned what = 3) const {
    return at_.value<T>(0, which, 0, what);
  }
  model::list<char> preds(unsigned what = 0) const {
    model::list<char> p;
    for (unsigned r = 0; r < at_.valid_count; ++r) p.push_back(at_.pred(r, what));
    return p;
  }
  model::list<unsigned> sources() const {
    model::list<unsigned> s;
    for (unsigned r = 0; r < at_.valid_count; ++r) s.push_back(at_.source(r));
    return s;
  }

  model::list<unsigned> permutation(unsigned items) const {
    model::list<unsigned> to(at_.valid_count * std::max(1u, items));
    for (unsigned i = 0; i < to.size(); ++i) to[i] = at_.permuted(i, static_cast<unsigned>(to.size()));
    return to;
  }

  model::list<unsigned> diagonals(unsigned all) const {
    model::list<unsigned> d;
    for (unsigned r = 0; r < at_.valid_count; ++r) d.push_back(at_.diagonal(r, all));
    return d;
  }

  /// After this, results that combine so many values are compared within the error of their arithmetic; see
  /// `near`.
  void within_error_of(unsigned n) { combined_ = n; }

  /// The results of the lanes.
  template <class R>
  model::list<R> results() const {
    model::list<R> all(at_.valid_count);
    for (unsigned r = 0; r < at_.valid_count; ++r) {
      R one{};
      std::memcpy(static_cast<void*>(&one), cell(r), sizeof(R));
      all[r] = one;
    }
    return all;
  }
  /// The contents of the tile's memory before the launch.
  template <class R>
  R held() const {
    R x{};
    std::memcpy(static_cast<void*>(&x), memory(), sizeof(R));
    return x;
  }
  /// Checks a condition on the results of all lanes.
  void that(bool right, char const* otherwise) {
    all_.done += at_.valid_count;
    if (!right) fail(0, otherwise);
  }

  /// Compares each lane's result. A lane without an expected result may have any value.
  template <class R>
  void compare(model::lanes<R> const& expected) {
    for (unsigned r = 0; r < at_.valid_count; ++r) {
      unsigned char const* const from = cell(r);
      for (unsigned i = sizeof(R); i < all_.e.cell_bytes; ++i) {
        if (from[i] != poison) return fail(r, "bytes after the result were written");
      }
      ++all_.done;
      if (!expected[r]) continue;
      R got = *expected[r];
      std::memcpy(static_cast<void*>(&got), from, sizeof(R));
      if (!agrees(got, *expected[r])) return fail(r, "got " + shown(got) + ", expected " + shown(*expected[r]));
    }
  }
  /// Compares the tile's memory from `offset` on, as elements of T. An element without an expected value
  /// may have any value.
  template <class T>
  void compare_memory(model::lanes<T> const& expected, unsigned offset = 0) {
    for (unsigned i = 0; i < expected.size(); ++i) {
      ++all_.done;
      if (!expected[i]) continue;
      T got = *expected[i];
      std::memcpy(static_cast<void*>(&got), memory() + offset + i * sizeof(T), sizeof(T));
      if (!agrees(got, *expected[i]))
        return fail(0, "memory[" + std::to_string(i) + "]: got " + shown(got) + ", expected " + shown(*expected[i]));
    }
  }
  /// Compares several results of each lane, R[slots]. Those without an expected value may have any value.
  template <class R>
  void compare_slots(model::list<model::lanes<R>> const& expected) {
    for (unsigned r = 0; r < at_.valid_count; ++r) {
      ++all_.done;
      for (unsigned i = 0; i < expected[r].size(); ++i) {
        if (!expected[r][i]) continue;
        R got = *expected[r][i];
        std::memcpy(static_cast<void*>(&got), cell(r) + i * sizeof(R), sizeof(R));
        if (!agrees(got, *expected[r][i]))
          return fail(r, "slot " + std::to_string(i) + ": got " + shown(got) + ", expected " + shown(*expected[r][i]));
      }
    }
  }
  /// Checks that these bytes of the tile's memory weren't written.
  void untouched(unsigned from, unsigned to) {
    for (unsigned i = from; i < to; ++i)
      if (memory()[i] != poison) return fail(0, "byte " + std::to_string(i) + " of the memory was written");
  }
  unsigned memory_bytes() const { return all_.e.memory_bytes * at_.valid_count; }
  unsigned char const* memory() const { return all_.e.memory_of(at_.block, at_.which, at_.tile * at_.size); }

  void fail(unsigned lane, std::string what) {
    if (all_.failures.size() < 20)
      all_.failures.push_back({std::move(what), at_.which, at_.block, at_.tile, at_.round, lane});
  }
  bool untouched_cell(unsigned r) const {
    for (unsigned i = 0; i < all_.e.cell_bytes; ++i)
      if (cell(r)[i] != poison) return false;
    return true;
  }

 private:
  unsigned char const* cell(unsigned r) const {
    unsigned const lane = at_.lanes == 0 ? r : tessera::lane_mask<32>::from_word(at_.lanes).nth(r);
    return all_.e.cell(at_.block, at_.which, at_.round, at_.tile * at_.size + lane);
  }

  template <class R>
  bool agrees(R const& got, R const& expected) const {
    return combined_ == 0 ? same(got, expected) : near(got, expected, combined_);
  }

  checks& all_;
  draws at_;
  unsigned combined_ = 0;  // the number of combined values; 0 means that results are compared bit for bit
};

/// Visits the tiles that make call `which`, and their rounds, and checks that other tiles wrote nothing.
void each_tile(checks& k, unsigned which, unsigned size, flow how, void (*check)(expectation&), bool coalesced = false);

/// Fills memory before the launch, by calling `fill(at, memory)` for each tile.
void each_memory(environment const& e, unsigned blocks, unsigned which, unsigned size,
                 void (*fill)(draws const& at, unsigned char* memory), bool coalesced = false);

/// The coalesced group of the calling lane's warp; another one, which makes no call, if the lane isn't in it.
template <class Block>
TESSERA_FN auto coalesced_group_of(environment const& e, Block const& block) {
  auto const warp = tessera::tiled_partition<32>(block);
  u32 const lanes = e.lanes_of_group(block.group_index().x, block.thread_rank() / 32);
  return tessera::binary_partition(warp, (lanes >> warp.thread_rank() & 1u) != 0);
}

/// The possible numbers of threads of a program's blocks: `exactly`, or any multiple up to the most.
struct block_rule {
  unsigned multiple;
  unsigned most;
  unsigned exactly;
};

struct launch {
  environment e;
  unsigned blocks;
  dim3 threads;
  u64 schedule_seed;
};

/// Runs kernel(block, environment) on host tiles. main.cpp compiles the engine once.
void launch_on_host(launch const& how, void (*kernel)(tessera::host::block const&, environment const&));

/// The exhaustive tests of one call: the size of the tiles for which every predicate mask, or every n, is
/// tested; or 0.
struct tried {
  unsigned mask_lanes, first_lanes;
};

struct program {
  char const* name;
  char const* text;
  block_rule blocks;
  unsigned
      scratch_threads;  // the threads of its smallest scratch, if larger blocks are possible, which must be reported; or 0
  unsigned calls, cell_bytes, memory_bytes;
  int leave_after;
  unsigned leave_group;
  unsigned sweep;  // 1 means every block size, 2 those around whole warps, 3 around every fourth
  void (*run)(launch const&);
  void (*prepare)(environment const&, unsigned blocks);
  void (*check)(checks&);
  std::vector<std::vector<unsigned short>> features;  // one list for each call
  std::vector<tried> all_of;                          // one element for each call
};

/// All programs. Each translation unit adds its own.
std::vector<program>& programs();
struct add_programs {
  explicit add_programs(std::initializer_list<program> more) { programs().insert(programs().end(), more); }
};

#if TESSERA_CUDA
template <class Program>
__global__ void __launch_bounds__(1024) program_kernel([[maybe_unused]] environment e) {
#if TESSERA_ARCH  // otherwise the host's compiler would generate code for all that the kernel calls
  Program::kernel(cooperative_groups::this_thread_block(), e);
#endif
}
/// Waits for the GPU, and throws if a call failed.
void launch_on_gpu(launch const& how, void (*kernel)(environment));
template <class Program>
void run_program(launch const& how) {
  launch_on_gpu(how, program_kernel<Program>);
}
#define ORACLE_KERNEL __device__ static
#define ORACLE_SCRATCH(name, type, threads) __shared__ tessera::scratch<type, threads> name
#else
template <class Program>
void run_program(launch const& how) {
  launch_on_host(how, [](tessera::host::block const& block, environment const& e) { Program::kernel(block, e); });
}
#define ORACLE_KERNEL static
#define ORACLE_SCRATCH(name, type, threads) tessera::host::scratch<type, threads> name(block)
#endif

}  // namespace oracle
