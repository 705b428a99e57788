// What the oracle's programs are made of: the same text runs on host tiles and on the GPU.
//
// A program (see generate.py) is a kernel of a few calls behind each other, and beside each call what the model says of it. All that
// isn't fixed by the program's text comes from a seed: `draws` says what one tile's call draws, to the kernel and to the host alike.
//
//   kernel   for (oracle::call c(e, block, 0, 64, oracle::flow::apart); c.more(); c.next())
//              c.store(tessera::reduce(tile, c.value<float>(values::exact), tessera::plus{}, tessera::where(c.pred())));
//   host     k.each_tile(0, 64, flow::apart, [](oracle::expectation& t) {
//              t.compare(model::reduce(64, t.values<float>(values::exact), ..., model::where(t.preds()))); });
#pragma once

#include <tessera/host/block.hpp>
#include <tessera/host/dim3.hpp>
#include <tessera/host/scratch.hpp>
#include <tessera/host/tile.hpp>
#include <tessera/tessera.hpp>

#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "values.hpp"

namespace oracle {

using tessera::host::dim3;

/// How often a tile makes a call: once; not at all or once, its siblings otherwise; up to three times, its siblings otherwise; two
/// or three times, the whole block alike.
enum class flow { together, some, apart, repeated };
inline constexpr unsigned most_rounds = 3;

/// How what is drawn is drawn: by the hash; or counted up from launch to launch and tile to tile, so that all predicates of a
/// small tile, or all n, are seen.
enum class counting { nothing, masks, numbers };

/// What a kernel is told of a launch.
struct environment {
  u64 seed;
  u64 counted;  // the number of the first tile, where something is counted
  counting what;
  unsigned counted_call;  // the only one that is made where something is counted
  unsigned threads;
  unsigned calls;
  unsigned cell_bytes;    // for each result of a lane
  unsigned memory_bytes;  // for each lane of a call: a tile's memory is that of its lanes, side by side
  int leave_after;        // the call behind which some groups of lanes leave the kernel; −1: nobody does
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
  u64 cells_size(unsigned blocks) const { return u64{blocks} * calls * most_rounds * threads * cell_bytes; }
  u64 memory_size(unsigned blocks) const { return u64{blocks} * calls * threads * memory_bytes; }
};

/// What one tile draws for one round of a call. Kernel and host make the same object.
struct draws {
  environment e;
  unsigned block, which, size, tile, present, round;

  TESSERA_FN u64 hash(unsigned what) const {
    return mixed(mixed(e.seed, block * 64 + which, tile * 4 + round), what);
  }
  TESSERA_FN u64 hash(unsigned what, unsigned rank, unsigned item) const {
    return mixed(hash(what), rank + 1, item);
  }
  TESSERA_FN unsigned below(unsigned what, unsigned n) const { return static_cast<unsigned>(hash(what) % n); }
  /// The number of this tile where launches count.
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
    u64 const h =
        hash(what, below(4 * what + 100, 16) == 0 ? 0 : rank, item);  // now and then all lanes hold the same
    T const x = sampler<T>::of(h, below(4 * what + 101, 8), which_values);
    if constexpr (is_half<T>) {
      if (which_values == values::exact && !counts(rank, item)) {
        float const as_float = static_cast<float>(x);
        if (as_float - as_float == 0.0f) return T(as_float * 0.0f);
      }
    }
    return x;
  }
  /// Which halves of those whose sums are to be exact aren't zeros: at most 64 of a range, of at most 3, stay within the 256 to which
  /// a bfloat16 counts.
  TESSERA_FN bool counts(unsigned rank, unsigned item) const {
    return rank % 64 == below(70, 64) && rank < 4096 && item % 4 == 0;
  }
  template <class T, unsigned K>
  TESSERA_FN tessera::items<T, K> items(unsigned rank, values which_values) const {
    tessera::items<T, K> x{};
    for (unsigned k = 0; k < K; ++k) x[k] = value<T>(rank, which_values, k);
    return x;
  }
  /// A predicate: of none, all, one, all but one, the first or the last lanes, half of them, few or most.
  TESSERA_FN bool pred(unsigned rank, unsigned what = 0) const {
    if (e.what == counting::masks && what == 0) return rank < 64 && (count() >> rank & 1u) != 0;
    unsigned const one = below(21 + 4 * what, present);
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
  /// n of first(n): around nothing, the lanes that there are, and the tile's size, or any.
  TESSERA_FN int n() const {
    if (e.what == counting::numbers) return static_cast<int>(count() % (size + 2));
    int const edges[8] = {0,
                          1,
                          static_cast<int>(size) - 1,
                          static_cast<int>(size),
                          static_cast<int>(size) + 1,
                          static_cast<int>(present) - 1,
                          -3,
                          5000};
    unsigned const at = below(30, 12);
    return at < 8 ? edges[at] : static_cast<int>(below(31, size + 1));
  }
  /// A rank of a lane that there is.
  TESSERA_FN unsigned source() const { return below(40, present); }
  TESSERA_FN unsigned source(unsigned rank) const {
    return static_cast<unsigned>(hash(41, rank, 0) % present);
  }
  /// A distance of a shift or rotation.
  TESSERA_FN unsigned delta() const {
    unsigned const edges[6] = {0, 1, size / 2, size - 1, size, size + 3};
    unsigned const at = below(42, 8);
    return at < 6 ? edges[at] : below(43, size);
  }
  TESSERA_FN int offset() const {
    return below(44, 2) == 0 ? static_cast<int>(delta()) : -static_cast<int>(delta());
  }
  /// A mask of a butterfly, below the size.
  TESSERA_FN unsigned mask() const { return below(45, size); }
  TESSERA_FN unsigned index(unsigned of, unsigned what) const { return below(46 + what, of); }

  // A range in the tile's memory, for joint algorithms: the elements lie in the first half, what is written in the second.
  TESSERA_FN unsigned half() const { return e.memory_bytes * present / 2; }
  /// Where the range begins: anywhere with the type's alignment. What is written lies in the second half, likewise.
  TESSERA_FN unsigned range_begin(unsigned align) const { return 16 + below(60, 64) * align % 64; }
  TESSERA_FN unsigned out_begin(unsigned align) const { return half() + 16 + below(61, 64) * align % 64; }
  /// How many elements of so many bytes: none, few, around whole vectors and rounds of the tile, or many.
  TESSERA_FN int length(unsigned bytes) const {
    unsigned const room = (half() - 16 - 64 - 16) / bytes, vector = 16 % bytes == 0 ? 16 / bytes : 1;
    unsigned const edges[8] = {
        0, 1, size, size * vector, size * vector + vector, size + 2, 2 * size * vector, 32 * vector};
    unsigned const at = below(62, 14);
    if (at == 13) return -2;
    unsigned const n = at < 8 ? edges[at] + below(63, 3) - (edges[at] > 0 ? 1 : 0) : below(64, room + 1);
    return static_cast<int>(n < room ? n : room);
  }
  TESSERA_FN unsigned count_of_range(unsigned bytes) const {
    int const n = length(bytes);
    return n < 0 ? 0 : static_cast<unsigned>(n);
  }
};

/// One thread's rounds of a call, in the kernel.
class call {
 public:
  template <class Block>
  TESSERA_FN call(environment const& e, Block const& block, unsigned which, unsigned size, flow how)
      : thread_(block.thread_rank()),
        rank_(thread_ % size),
        at_{e, block.group_index().x, which, size, thread_ / size, present_of(e, size, thread_ / size), 0},
        rounds_(at_.rounds(how)) {}

  TESSERA_FN static unsigned present_of(environment const& e, unsigned size, unsigned tile) {
    return e.threads - tile * size < size ? e.threads - tile * size : size;
  }

  TESSERA_FN bool more() const { return at_.round < rounds_; }
  TESSERA_FN void next() { ++at_.round; }

  template <class T>
  TESSERA_FN T value(values which, unsigned what = 1) const {
    return at_.value<T>(rank_, which, 0, what);
  }
  template <class T, unsigned K>
  TESSERA_FN tessera::items<T, K> items(values which) const {
    return at_.items<T, K>(rank_, which);
  }
  /// The same in all lanes.
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
  TESSERA_FN unsigned rank() const { return rank_; }
  template <class T>
  TESSERA_FN T* range() const {
    return memory<T>(at_.range_begin(alignof(T)));
  }
  template <class T>
  TESSERA_FN T* out() const {
    return memory<T>(at_.out_begin(alignof(T)));
  }
  TESSERA_FN int length(unsigned bytes) const { return at_.length(bytes); }
  TESSERA_FN draws const& drawn() const { return at_; }

  /// The tile's memory, as T from a multiple of 16 bytes on.
  template <class T>
  TESSERA_FN T* memory(unsigned offset = 0) const {
    return reinterpret_cast<T*>(at_.e.memory_of(at_.block, at_.which, at_.tile * at_.size) + offset);
  }

  template <class R>
  TESSERA_FN void store(R const& result) const {
    // In pieces of R's alignment: ptxas 13.0 stores the low byte of a product of halves converted to an integer.
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

/// What every byte of the results and of the memory holds before a launch.
inline constexpr unsigned char poison = 0xcd;

/// What is wrong: the first of it, in words.
struct failure {
  std::string what;
  unsigned which = 0, block = 0, tile = 0, round = 0, lane = 0;
};

/// A launch that is over, and what was found of it.
struct checks {
  environment e;  // cells and memory: the host's copies
  unsigned first_block = 0, last_block = 0;
  u64 done = 0;      // lanes whose result was compared
  u64 executed = 0;  // bit i: call i was made by some tile
  std::vector<failure> failures;
};

/// One tile's round of a call, on the host.
class expectation {
 public:
  expectation(checks& all, draws at) : all_(all), at_(at) {}

  unsigned size() const { return at_.size; }
  unsigned lanes() const { return at_.present; }
  draws const& drawn() const { return at_; }

  template <class T>
  std::vector<T> values_of(values which, unsigned what = 1) const {
    std::vector<T> x;
    for (unsigned r = 0; r < at_.present; ++r) x.push_back(at_.value<T>(r, which, 0, what));
    return x;
  }
  template <class T, unsigned K>
  std::vector<tessera::items<T, K>> items_of(values which) const {
    std::vector<tessera::items<T, K>> x;
    for (unsigned r = 0; r < at_.present; ++r) x.push_back(at_.items<T, K>(r, which));
    return x;
  }
  template <class T>
  T same_value(values which, unsigned what = 3) const {
    return at_.value<T>(0, which, 0, what);
  }
  std::vector<char> preds(unsigned what = 0) const {
    std::vector<char> p;
    for (unsigned r = 0; r < at_.present; ++r) p.push_back(at_.pred(r, what));
    return p;
  }
  std::vector<unsigned> sources() const {
    std::vector<unsigned> s;
    for (unsigned r = 0; r < at_.present; ++r) s.push_back(at_.source(r));
    return s;
  }

  /// From here on results of so many values are compared within the error of their arithmetic: see `near`.
  void within_error_of(unsigned n) { combined_ = n; }

  /// What the lanes got.
  template <class R>
  std::vector<R> results() const {
    std::vector<R> all(at_.present);
    for (unsigned r = 0; r < at_.present; ++r) std::memcpy(static_cast<void*>(&all[r]), cell(r), sizeof(R));
    return all;
  }
  /// What the tile's memory begins with.
  template <class R>
  R held() const {
    R x{};
    std::memcpy(static_cast<void*>(&x), memory(), sizeof(R));
    return x;
  }
  /// What was checked of all lanes' results together.
  void that(bool right, char const* otherwise) {
    all_.done += at_.present;
    if (!right) fail(0, otherwise);
  }

  /// Each lane's result; a lane without one may hold anything.
  template <class R>
  void compare(std::vector<std::optional<R>> const& expected) {
    for (unsigned r = 0; r < at_.present; ++r) {
      unsigned char const* const from = cell(r);
      for (unsigned i = sizeof(R); i < all_.e.cell_bytes; ++i) {
        if (from[i] != poison) return fail(r, "bytes behind the result were written");
      }
      ++all_.done;
      if (!expected[r]) continue;
      R got = *expected[r];
      std::memcpy(static_cast<void*>(&got), from, sizeof(R));
      if (!agrees(got, *expected[r]))
        return fail(r, "got " + shown(got) + ", expected " + shown(*expected[r]));
    }
  }
  /// The tile's memory from `offset` on, as T, and what is to be there; none: anything.
  template <class T>
  void compare_memory(std::vector<std::optional<T>> const& expected, unsigned offset = 0) {
    for (unsigned i = 0; i < expected.size(); ++i) {
      ++all_.done;
      if (!expected[i]) continue;
      T got = *expected[i];
      std::memcpy(static_cast<void*>(&got), memory() + offset + i * sizeof(T), sizeof(T));
      if (!agrees(got, *expected[i]))
        return fail(
            0, "memory[" + std::to_string(i) + "]: got " + shown(got) + ", expected " + shown(*expected[i]));
    }
  }
  /// Results that lie in slots: R[slots] of each lane, some of which may hold anything.
  template <class R>
  void compare_slots(std::vector<std::vector<std::optional<R>>> const& expected) {
    for (unsigned r = 0; r < at_.present; ++r) {
      ++all_.done;
      for (unsigned i = 0; i < expected[r].size(); ++i) {
        if (!expected[r][i]) continue;
        R got = *expected[r][i];
        std::memcpy(static_cast<void*>(&got), cell(r) + i * sizeof(R), sizeof(R));
        if (!agrees(got, *expected[r][i]))
          return fail(r, "slot " + std::to_string(i) + ": got " + shown(got) + ", expected " +
                             shown(*expected[r][i]));
      }
    }
  }
  /// That these bytes of the tile's memory weren't written.
  void untouched(unsigned from, unsigned to) {
    for (unsigned i = from; i < to; ++i)
      if (memory()[i] != poison) return fail(0, "byte " + std::to_string(i) + " of the memory was written");
  }
  unsigned memory_bytes() const { return all_.e.memory_bytes * at_.present; }
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
    return all_.e.cell(at_.block, at_.which, at_.round, at_.tile * at_.size + r);
  }

  template <class R>
  bool agrees(R const& got, R const& expected) const {
    return combined_ == 0 ? same(got, expected) : near(got, expected, combined_);
  }

  checks& all_;
  draws at_;
  unsigned combined_ = 0;  // 0: bit for bit
};

/// Goes through the tiles that make call `which`, and their rounds; sees that the others wrote nothing.
void each_tile(checks& k, unsigned which, unsigned size, flow how, void (*check)(expectation&));

/// The same before the launch, to fill memory: `fill(at, memory)` for each tile.
void each_memory(environment const& e, unsigned blocks, unsigned which, unsigned size,
                 void (*fill)(draws const& at, unsigned char* memory));

/// Of how many threads a program's blocks may be: `exactly`, or any multiple up to the most.
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

/// Runs kernel(block, environment) on host tiles: the engine is compiled once, in main.cpp.
void launch_on_host(launch const& how, void (*kernel)(tessera::host::block const&, environment const&));

/// What is tried in all ways, of one call: lanes of the tiles whose every predicate mask is, or whose every n is; 0: none.
struct tried {
  unsigned mask_lanes, first_lanes;
};

struct program {
  char const* name;
  char const* text;
  block_rule blocks;
  unsigned
      room;  // threads of its least scratch, where blocks may be larger: those are to be reported; 0: none
  unsigned calls, cell_bytes, memory_bytes;
  int leave_after;
  unsigned leave_group;
  unsigned sweep;  // 1: every block size; 2: those around whole warps
  void (*run)(launch const&);
  void (*prepare)(environment const&, unsigned blocks);
  void (*check)(checks&);
  std::vector<std::vector<unsigned short>> features;  // of each call
  std::vector<tried> all_of;                          // of each call
};

/// All programs; each translation unit adds its own.
std::vector<program>& programs();
struct add_programs {
  explicit add_programs(std::initializer_list<program> more) { programs().insert(programs().end(), more); }
};

#if TESSERA_CUDA
template <class Program>
__global__ void __launch_bounds__(1024) program_kernel([[maybe_unused]] environment e) {
#if TESSERA_ARCH  // else the host's compiler would make code of all that is called
  Program::kernel(cooperative_groups::this_thread_block(), e);
#endif
}
/// Waits, and throws what is wrong.
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
  launch_on_host(how,
                 [](tessera::host::block const& block, environment const& e) { Program::kernel(block, e); });
}
#define ORACLE_KERNEL static
#define ORACLE_SCRATCH(name, type, threads) tessera::host::scratch<type, threads> name(block)
#endif

}  // namespace oracle
