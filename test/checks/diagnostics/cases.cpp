// Misuse that must not compile, and the compiler's message. check.py compiles each case by itself, after these lines. Only
// `good` must compile.
#include <tessera/atomic.hpp>
#include <tessera/block_tile.hpp>
#include <tessera/cluster_tile.hpp>
#include <tessera/compact.hpp>
#include <tessera/histogram.hpp>
#include <tessera/host/launch.hpp>
#include <tessera/joint.hpp>
#include <tessera/joint_top_k.hpp>
#include <tessera/lanes.hpp>
#include <tessera/load_store.hpp>
#include <tessera/match.hpp>
#include <tessera/merge.hpp>
#include <tessera/radix.hpp>
#include <tessera/reduce.hpp>
#include <tessera/reduce_batch.hpp>
#include <tessera/scan.hpp>
#include <tessera/search.hpp>
#include <tessera/segmented.hpp>
#include <tessera/segmented_sort.hpp>
#include <tessera/sort.hpp>
#include <tessera/top_k.hpp>
#include <tessera/top_k_queue.hpp>
#include <tessera/transpose.hpp>
#include <tessera/vote.hpp>

#include <string>

using namespace tessera;
inline auto const multiply = [](int a, int b) { return a * b; };

//// good
void use(host::tile<8> tile) {
  reduce(tile, 1, multiply);
  reduce(tile, 1, make_operator(multiply, 1), first(3) | converged);
}

//// tile size that is no power of two: a power of two of lanes, from 1 to 1024: write 1, 2, 4, 8
void use(host::block block) {
  tessera::tiled_partition<12>(block);
}

//// tile size above 1024: a power of two of lanes, from 1 to 1024: write 1, 2, 4, 8
void use(host::block block) {
  tessera::tiled_partition<2048>(block);
}

//// part larger than the tile: the tile to divide has fewer than M lanes
void use(host::tile<8> tile) {
  tessera::tiled_partition<16>(tile);
}

//// no tile: A collective's first argument is its tile
void use(host::block) {
  reduce(32, 1);
}

//// no tile in a movement: A collective's first argument is its tile
void use(host::block) {
  shift_up(32, 1, 1);
}

//// no tile in a search: A collective's first argument is its tile
void use(host::block) {
  int numbers[4] = {};
  lower_bound(32, numbers, 4, 1);
}

//// block where every lane of a tile is needed: tessera::this_block_tile<256>(block)
void use(host::block block) {
  rotate(block, 1, 1);
}

//// type that isn't trivially copyable: reduce or move a plain struct of its numbers
void use(host::tile<8> tile) {
  reduce(tile, std::string("x"));
}

//// movement of a type that isn't trivially copyable: reduce or move a plain struct of its numbers
void use(host::tile<8> tile) {
  broadcast(tile, std::string("x"));
}

//// convergence named twice: keep one of adaptive/converged/isolated
void use(host::tile<8> tile) {
  reduce(tile, 1, plus{}, converged | isolated);
}

//// participants named twice: one of everyone/first(n)/where(pred)
void use(host::tile<8> tile) {
  reduce(tile, 1, plus{}, first(2) | where(true));
}

//// method of a vote: leave automatic/shuffles/hardware out
void use(host::tile<8> tile) {
  ballot(tile, true, hardware);
}

//// participants of a movement: only adaptive, converged or isolated make sense
void use(host::tile<8> tile) {
  broadcast(tile, 1, 0, first(3));
}

//// partial reduce without identity: write make_operator(f, identity)
void use(host::tile<8> tile) {
  reduce(tile, 1, multiply, first(3));
}

//// identity of a type that is no number: write make_operator(f, identity)
enum class level { low, high };
void use(host::tile<8> tile) {
  reduce(tile, level::high, minimum{}, first(2));
}

//// operator that can't be called while const: a const operator(), no mutable lambda
void use(host::tile<8> tile) {
  int calls = 0;
  reduce(tile, 1, [calls](int a, int b) mutable { return a + b + calls++; });
}

//// hardware where there is none: no instruction combines this type by this operator: write automatic
void use(host::tile<8> tile) {
  reduce(tile, 1.0, plus{}, hardware);
}

//// policy in the operator's place: the operator comes before the policy: write
void use(host::tile<8> tile) {
  reduce(tile, 1, converged);
}

//// policy in the order's place: tessera::greater{}, which top_k takes by itself
void use(host::tile<8> tile) {
  top_k<3>(tile, 1, first(5));
}

//// commutative in the identity's place: the identity is missing: write make_operator(f, identity, commutative)
void use(host::tile<8> tile) {
  reduce(tile, 1, make_operator(multiply, commutative));
}

//// operator in the policy's place: a policy is made of choices joined with |
void use(host::tile<8> tile) {
  reduce(tile, 1, plus{}, plus{});
}

//// operator on items: op(a, b) must take two values of x's type
void use(host::tile<8> tile) {
  reduce(tile, items<int, 2>{1, 2}, [](items<int, 2> a, items<int, 2>) { return a; });
}

//// scattered reduction of one value: write reduce_batch(tile, items, op, scattered)
void use(host::tile<8> tile) {
  reduce(tile, 1, plus{}, scattered);
}

//// batch that is no items: write items<float, 2>{a, b}, or as_items(x) for a C array
void use(host::tile<8> tile) {
  float x[2] = {1, 2};
  reduce_batch(tile, x);
}

//// batch by hardware where there is none: no instruction combines this type by this operator: write automatic
void use(host::tile<8> tile) {
  reduce_batch(tile, items<double, 2>{1, 2}, plus{}, hardware);
}

//// partial batch without identity: write make_operator(f, identity)
void use(host::tile<8> tile) {
  reduce_batch(tile, items<int, 2>{1, 2}, multiply, scattered | first(3));
}

//// n that is no integer: n is an integer
void use(host::tile<8> tile) {
  reduce(tile, 1, plus{}, first(2.5));
}

//// host tile of an odd size: power of two
void use(host::block block) {
  host::tiled_partition<3>(block);
}

//// transpose of a C array: write as_items(x) for a C array
void use(host::tile<8> tile) {
  float x[4] = {};
  transpose(tile, x);
}

//// exchange between C arrays: write as_items(x) for a C array
void use(host::tile<8> tile) {
  float x[4] = {};
  exchange_items(tile, x, 1, 0, 3);
}

//// zip of fewer operators than members: for zip as_zipped
void use(host::tile<8> tile) {
  reduce(tile, as_zipped(1, 2), zip(plus{}));
}

//// welford of a number: alone, for welford as_moments(x)
void use(host::tile<8> tile) {
  reduce(tile, 1.0f, welford{});
}

//// moments of integers: T is float or double: write as_moments(static_cast<float>(x))
void use(host::tile<8> tile) {
  reduce(tile, as_moments(1), welford{});
}

//// log_sum_exp of a number: alone, for log_sum_exp as_exp_sum(x)
void use(host::tile<8> tile) {
  reduce(tile, 1.0f, log_sum_exp{});
}

//// scan of numbers by log_sum_exp: alone, for log_sum_exp as_exp_sum(x)
void use(host::tile<8> tile) {
  exclusive_scan(tile, items<float, 2>{1, 2}, log_sum_exp{}, first(5) | with_total);
}

//// range of numbers by log_sum_exp: alone, for log_sum_exp as_exp_sum(x)
void use(host::tile<8> tile, float const* x) {
  joint_reduce(tile, x, 5, log_sum_exp{});
}

//// exponents of integers: T is float or double: write as_exp_sum(static_cast<float>(x))
void use(host::tile<8> tile) {
  reduce(tile, as_exp_sum(1), log_sum_exp{});
}

//// more values selected than an operator should: K is 1, 2, 3 or 4
void use(host::tile<8> tile) {
  reduce(tile, as_smallest<5>(1), smallest{});
}

//// selection of a type without an order: x is a number, or a number with its index
struct point {
  int x, y;
};
void use(host::tile<8> tile) {
  reduce(tile, as_largest<2>(point{1, 2}), largest{});
}

//// range reduced without identity: write make_operator(f, identity), or make_operator(f, identity, commutative)
void use(host::tile<8> tile, int const* x) {
  joint_reduce(tile, x, 5, multiply);
}

//// exclusive scan of a range without identity: write joint_exclusive_scan(tile, first, n, out, op, init)
void use(host::tile<8> tile, int const* x, int* out) {
  joint_exclusive_scan(tile, x, 5, out, multiply);
}

//// length of a range that is no integer: n is an integer
void use(host::tile<8> tile, int const* x) {
  joint_reduce(tile, x, 5.0);
}

//// participants of a range: leave first(n) and where(pred) out
void use(host::tile<8> tile, int const* x) {
  joint_reduce(tile, x, 5, plus{}, first(3));
}

//// floats of a range after an int: write a start of a wider type (0.0f for floats
void use(host::tile<8> tile, float const* x) {
  joint_reduce(tile, x, 5, plus{}, 0);
}

//// start of a range before the operator: write joint_reduce(tile, first, n, op, init)
void use(host::tile<8> tile, int const* x) {
  joint_reduce(tile, x, 5, 0, plus{});
}

//// keys without by_key: for runs of equal keys write by_key(key)
void use(host::tile<8> tile) {
  segmented_reduce(tile, 1, 7);
}

//// array that decays: write as_items(x)
void use(host::tile<8> tile) {
  float x[2] = {1, 2};
  reduce(tile, x, maximum{});
}

//// struct that isn't aligned to its size: write struct alignas(8) for one of 8 bytes
struct pair_of_floats {
  float x, y;
};
void use(pair_of_floats* cell) {
  atomic_update(cell, pair_of_floats{1, 2}, [](pair_of_floats, pair_of_floats b) { return b; });
}

//// counters of one byte: counters are integers or floats of 4 or 8 bytes
void use(host::tile<8> tile, unsigned char* counters) {
  aggregated_add(tile, counters, 1);
}

//// exclusive scan without identity: write exclusive_scan(tile, x, op, init)
void use(host::tile<8> tile) {
  exclusive_scan(tile, 1, multiply);
}

//// two memories: one of shared(scratch)/fresh(scratch)
void use(host::block block) {
  host::scratch<int, 64> scratch(block);
  reduce(this_block_tile<64>(block), 1, plus{}, shared(scratch) | fresh(scratch));
}

//// scratch smaller than the tile: many Threads as the tile has lanes
void use(host::block block) {
  host::scratch<float, 64> scratch(block);
  reduce(this_block_tile<256>(block), 1.0f, plus{}, shared(scratch));
}

//// merge of two types: values of one type, or items<T, K> of one type and one K
void use(host::tile<8> tile) {
  merge(tile, 1, 2.0f);
}

//// merge by keys with more values: as many values as keys
void use(host::tile<8> tile) {
  merge_by_key(tile, 1, items<int, 2>{1, 2}, 3, items<int, 2>{3, 4});
}

//// striped where all values are one a lane: blocked and striped are for sorts, merges, load and store
void use(host::tile<8> tile) {
  reduce(tile, 1, plus{}, striped);
}

//// store of another type: first points to values of x's type
void use(host::tile<8> tile, float* out) {
  store(tile, 1, out, 5);
}

//// load of a type without a default: write load<K>(tile, first, n, fill)
struct no_default {
  int x;
  no_default(int y) : x(y) {}
};
void use(host::tile<8> tile, no_default const* x) {
  load<2>(tile, x, 5);
}

//// merge of ranges of two types: a, b and out point to values of one type
void use(host::tile<8> tile, int const* a, float* out) {
  joint_merge(tile, a, 5, a, 5, out);
}

//// scratch of the block's size, smaller than a padded tile: many Threads as the tile has lanes
void use(host::block block) {
  host::scratch<double, 64> scratch(block);
  inclusive_scan(padded_block_tile<1024>(block), 1.0, plus{}, shared(scratch));
}

//// fresh scratch of a scan: write shared(scratch)
void use(host::block block) {
  host::scratch<int, 64> scratch(block);
  auto const tile = this_block_tile<64>(block);
  exclusive_scan(tile, 1, plus{}, where(true) | fresh(scratch));
}

//// fresh scratch of a match_all: write shared(scratch)
void use(host::block block) {
  host::scratch<int, 64> scratch(block);
  auto const tile = this_block_tile<64>(block);
  match_all(tile, 1, where(true) | fresh(scratch));
}

//// fresh scratch of a match_any: write shared(scratch)
void use(host::block block) {
  host::scratch<int, 64> scratch(block);
  auto const tile = this_block_tile<64>(block);
  match_any(tile, 1, fresh(scratch));
}

//// sort of segments of items: zip each with its segment's number
void use(host::tile<8> tile) {
  segmented_sort(tile, items<int, 2>{}, true);
}

//// fresh scratch of a segmented reduction: write shared(scratch)
void use(host::block block) {
  host::scratch<int, 64> scratch(block);
  auto const tile = this_block_tile<64>(block);
  segmented_reduce(tile, 1, true, plus{}, fresh(scratch));
}

//// fresh scratch of a transpose: write shared(scratch)
void use(host::block block) {
  host::scratch<int, 64> scratch(block);
  auto const tile = this_block_tile<64>(block);
  striped_to_blocked(tile, items<int, 2>{1, 2}, fresh(scratch));
}

//// fresh scratch of a reduction by label: write shared(scratch)
void use(host::block block) {
  host::scratch<int, 64> scratch(block);
  auto const tile = this_block_tile<64>(block);
  reduce_by_label(tile, 1, 1, plus{}, fresh(scratch));
}

//// fresh scratch of a joint reduction: write shared(scratch)
void use(host::block block) {
  host::scratch<int, 64> scratch(block);
  auto const tile = this_block_tile<64>(block);
  joint_reduce(tile, static_cast<int const*>(nullptr), 0, plus{}, fresh(scratch));
}

//// fresh scratch of a joint scan: write shared(scratch)
void use(host::block block) {
  host::scratch<int, 64> scratch(block);
  auto const tile = this_block_tile<64>(block);
  joint_inclusive_scan(tile, static_cast<int const*>(nullptr), 0, static_cast<int*>(nullptr), plus{}, fresh(scratch));
}

//// scratch for a block that is no whole warps: Threads is a block's size in whole warps: 64, 96
void use(host::block block) {
  host::scratch<int, 100> scratch(block);
}

//// start of an inclusive scan of another type: init, the start of a scan, is a value of x's type
void use(host::tile<8> tile) {
  inclusive_scan(tile, 1, plus{}, "one");
}

//// start of an inclusive scan before the operator: op comes before init
void use(host::tile<8> tile) {
  inclusive_scan(tile, 1, 5, plus{});
}

//// counter of two bytes: the counter is an unsigned or another integer of 4 or 8 bytes
void use(host::tile<8> tile, int* out, unsigned short* counter) {
  compact(tile, 1, true, out, counter);
}

//// counter by value: the counter is an unsigned or another integer of 4 or 8 bytes
void use(host::tile<8> tile, int* out, unsigned counter) {
  compact(tile, 1, true, out, counter);
}

//// participants of appending named by placement: Every lane gets its own result here
void use(host::tile<8> tile, int* out, unsigned* counter) {
  compact(tile, 1, true, out, counter, to_leader);
}

//// exchange of a struct of 12 bytes: a trivially copyable value of 2, 4 or 8 bytes
struct three_floats {
  float x, y, z;
};
void use(three_floats* cell) {
  atomic_exchange(cell, three_floats{});
}

//// compare and exchange of one byte: a trivially copyable value of 2, 4 or 8 bytes
void use(char* cell) {
  atomic_compare_exchange(cell, 'a', 'b');
}

//// payload that is an integer: write static_cast<float>(payload)
void use(host::tile<8> tile) {
  reduce(tile, as_exp_sum(1.0f, 2), log_sum_exp{});
}

//// payload without a product: a struct V with V{}, v * float and v + v
struct pair_of_floats {
  float x, y;
};
void use(host::tile<8> tile) {
  reduce(tile, as_exp_sum(1.0f, pair_of_floats{1, 2}), log_sum_exp{});
}

//// transform scan with the function first: write joint_transform_inclusive_scan(tile, first, n, out, op, f)
void use(host::tile<8> tile, int const* x, int* out) {
  joint_transform_inclusive_scan(
      tile, x, 5, out, [](int y) { return 2 * y; }, plus{});
}

//// transform scan into another type: of what f gives
void use(host::tile<8> tile, int const* x, int* out) {
  joint_transform_inclusive_scan(tile, x, 5, out, plus{}, [](int y) { return 2.0 * y; });
}

//// transform scan without identity: joint_transform_exclusive_scan(tile, first, n, out, op, f, init)
void use(host::tile<8> tile, int const* x, int* out) {
  joint_transform_exclusive_scan(tile, x, 5, out, multiply, [](int y) { return 2 * y; });
}

//// start that has a fraction, of a scan of integers: can't hold this start: write
void use(host::tile<8> tile) {
  exclusive_scan(tile, 1, plus{}, 0.5f);
}

//// long start of an inclusive scan of ints: can't hold this start: write
void use(host::tile<8> tile) {
  inclusive_scan(tile, 1, plus{}, 1ll << 40);
}

//// start that has a fraction, of a scan of a range of integers: can't hold this start: write
void use(host::tile<8> tile, int* memory) {
  joint_exclusive_scan(tile, memory, 8, memory, plus{}, 0.5);
}

//// identity that has a fraction, of an operator on integers: write an identity of the values' type
void use(host::tile<8> tile) {
  reduce(tile, 1, make_operator(multiply, 1.0f), first(3));
}

//// starts that literals are
void use(host::tile<8> tile, short* memory) {
  joint_exclusive_scan(tile, memory, 8, memory, plus{}, 0);
  exclusive_scan(tile, 1.0f, plus{}, 0.5);
  inclusive_scan(tile, short{1}, plus{}, 1);
  exclusive_scan(tile, 1.0f, plus{}, 0);
}

//// scratch without shared: write shared(s)
void use(host::block block) {
  host::scratch<float, 64> s(block);
  reduce(this_block_tile<64>(block), 1.0f, plus{}, s);
}

//// scratch of a scan without shared: write shared(s)
void use(host::block block) {
  host::scratch<float, 64> s(block);
  inclusive_scan(this_block_tile<64>(block), 1.0f, plus{}, s);
}

//// memory that is no scratch: alone, shared(s) and fresh(s) take a scratch
void use(host::block block) {
  float s[64];
  reduce(this_block_tile<64>(block), 1.0f, plus{}, shared(s));
}

//// number in the policy's place: alone, a policy is made of choices joined with |
void use(host::tile<8> tile) {
  float const sum = reduce(tile, 1.0f, plus{}, 8);
  (void)sum;
}

//// number in the operator's place: alone, a start comes after the operator
void use(host::tile<8> tile) {
  exclusive_scan(tile, 1.0f, 0.0f);
}

//// start before the operator, as std has them: op comes before init
void use(host::tile<8> tile) {
  exclusive_scan(tile, 1.0f, 0.0f, plus{});
}

//// the same of a range: op comes before init
void use(host::tile<8> tile, float const* x, float* out) {
  joint_exclusive_scan(tile, x, 5, out, 0.0f, plus{});
}

//// argmax of a float: alone, for argmin and argmax write with_index(x, i)
void use(host::tile<8> tile) {
  reduce(tile, 1.0f, argmax{});
}

//// operator on pairs of another library: alone, op(a, b) must take two values of x's type
struct pair_of_key_and_value {
  int key;
  float value;
};
struct greatest_of_pairs {
  pair_of_key_and_value operator()(pair_of_key_and_value const& a, pair_of_key_and_value const&) const { return a; }
};
void use(host::tile<8> tile) {
  reduce(tile, 1.0f, greatest_of_pairs{});
}

//// sum of a struct without +: alone, is the type's own +, *, <, &, | or ^, and x's type has none
struct four_floats {
  float x, y, z, w;
};
void use(host::tile<8> tile, four_floats x) {
  reduce(tile, x);
}

//// scan of a struct without <: alone, is the type's own +, *, <, &, | or ^, and x's type has none
struct four_floats {
  float x, y, z, w;
};
void use(host::tile<8> tile, four_floats x) {
  inclusive_scan(tile, x, maximum{});
}

//// bits of floats: alone, is the type's own +, *, <, &, | or ^, and x's type has none
void use(host::tile<8> tile) {
  reduce(tile, 1.0f, bit_or{});
}

//// struct with a const member: perhaps since a member is const or a reference
struct fixed {
  int const x;
};
void use(host::tile<8> tile) {
  reduce(tile, fixed{1}, [](fixed a, fixed) { return a; });
}

//// scan of a struct with a const member: perhaps since a member is const or a reference
struct fixed {
  int const x;
};
void use(host::tile<8> tile) {
  inclusive_scan(tile, fixed{1}, [](fixed a, fixed) { return a; });
}

//// K after the value: alone, write tessera::top_k<5>(tile, x)
void use(host::tile<8> tile) {
  int const greatest = top_k(tile, 1, 5);
  (void)greatest;
}

//// K after the range: alone, write tessera::joint_top_k<5>(tile, first, n)
void use(host::tile<8> tile, int const* x) {
  joint_top_k(tile, x, 100, 5);
}

//// load without a number of items: alone, write tessera::load<4>(tile, first, n)
void use(host::tile<8> tile, int const* x) {
  load(tile, x, 5);
}

//// ranks by a digit without its bits: alone, write tessera::radix_rank<4>(tile, digit)
void use(host::tile<8> tile) {
  radix_rank(tile, 5u);
}

//// histogram without a number of bins: alone, write tessera::histogram<256>(tile, key)
void use(host::tile<8> tile) {
  tessera::histogram(tile, 5);
}

//// range by an iterator without +: alone, first is a pointer or a random-access iterator
struct counting_iterator {
  int value;
  int operator*() const { return value; }
  int operator[](int i) const { return value + i; }
};
void use(host::tile<8> tile) {
  int const sum = joint_reduce(tile, counting_iterator{0}, 5);
  (void)sum;
}

//// scan of a container: alone, write begin() or data() of a container
void use(host::tile<8> tile, std::string const& x, int* out) {
  joint_inclusive_scan(tile, x, 5, out);
}

//// lanes as an integer: alone, write ballot(tile, p).word()
void use(host::tile<8> tile) {
  unsigned const lanes = ballot(tile, true);
  (void)lanes;
}

//// compaction into another type: alone, out points to values of x's type
void use(host::tile<8> tile, int* out) {
  compact(tile, 1.0f, true, out);
}

//// hardware of a double's minimum: alone, no instruction combines this type by this operator
void use(host::tile<8> tile) {
  reduce(tile, 1.0, minimum{}, hardware);
}

//// queue of another tile: alone, write top_k_queue<K, T, Before, N> with the tile's size
void use(host::tile<8> tile) {
  top_k_queue<64, float> queue;
  queue.best(tile, to_leader);
}

//// needle that isn't ordered with the elements: takes an element and the key
void use(host::tile<8> tile, std::string const* x) {
  lower_bound(x, 5, 7);
}

//// good, keys of other types of numbers
void use(host::tile<8> tile, double const* x, unsigned const* y) {
  lower_bound(tile, x, 5, 3.0f);
  lower_bound(x, 5, 3);
  upper_bound(tile, y, 5, -1);
}

//// cluster tile of a number of blocks that no cluster has: alone, N lanes are 2, 4, 8 or 16 blocks of Threads threads
void use(host::cluster cluster) {
  this_cluster_tile<1024>(cluster);
}

//// cluster tile of blocks of any size: alone, a block of the cluster has 64, 128, 256, 512 or 1024 threads
void use(host::cluster cluster) {
  this_cluster_tile<1000, 100>(cluster);
}

//// cluster tile in a call that takes none: in place of ballot write count_if
void use(host::cluster cluster) {
  auto const tile = this_cluster_tile<512, 128>(cluster);
  ballot(tile, true);
}

//// cluster tile with a scratch: A cluster tile exchanges through the library's own memory
void use(host::cluster cluster) {
  auto const tile = this_cluster_tile<512, 128>(cluster);
  host::scratch<int, 512> s(cluster.lanes());
  reduce(tile, 1, plus{}, shared(s));
}

//// cluster tile of more lanes than a host has: A cluster of host lanes has up to 1024 of them
void use(host::cluster cluster) {
  this_cluster_tile<2048, 256>(cluster);
}
