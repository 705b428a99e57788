// Misuse that only nvcc finds, with the headers included as those of a dependency. check.py treats it like
// cases.cpp. Cases whose message is in one function of the library differ in its types: else each takes a compilation of its own.
#include <tessera/grid/adjacent_difference.cuh>
#include <tessera/grid/computed_rows.cuh>
#include <tessera/grid/copy_batches.cuh>
#include <tessera/grid/cross_entropy.cuh>
#include <tessera/grid/histogram.cuh>
#include <tessera/grid/log_sum_exp_segments.cuh>
#include <tessera/grid/map_rows.cuh>
#include <tessera/grid/merge.cuh>
#include <tessera/grid/quantized_norm.cuh>
#include <tessera/grid/reduce.cuh>
#include <tessera/grid/rows.cuh>
#include <tessera/grid/runs.cuh>
#include <tessera/grid/sample_rows.cuh>
#include <tessera/grid/scan.cuh>
#include <tessera/grid/scan_by_key.cuh>
#include <tessera/grid/scan_rows.cuh>
#include <tessera/grid/search.cuh>
#include <tessera/grid/segments.cuh>
#include <tessera/grid/select.cuh>
#include <tessera/grid/set_operations.cuh>
#include <tessera/grid/softmax_segments.cuh>
#include <tessera/grid/sort_segments.cuh>
#include <tessera/grid/top_k.cuh>
#include <tessera/grid/transform.cuh>
#include <tessera/host/launch.hpp>
#include <tessera/tessera.hpp>

#include <functional>

using namespace tessera;
using warp = cooperative_groups::thread_block_tile<32>;
struct twice {
  TESSERA_FN int operator()(int a) const { return 2 * a; }
};
struct later {
  TESSERA_FN int operator()(int, int b) const { return b; }
};
struct text {
  text(text const& other);
  int length;
};
template <class T>
struct counted {
  T first;
  TESSERA_FN counted operator+(std::int64_t i) const { return {first + static_cast<T>(i)}; }
  TESSERA_FN T operator*() const { return first; }
};

//// good
struct better_as_const {
  int operator()(int a, int b) { return a * b; }
  TESSERA_FN int operator()(int a, int b) const { return a * b; }
};
__device__ int use(warp tile, int x) {
  return reduce(tile, x, better_as_const{});
}

//// operator for the host alone: unplaced, so_mark_it_device
struct of_host {
  int operator()(int a, int b) const { return a * b; }
};
__device__ int use(warp tile, int x) {
  return reduce(tile, x, of_host{});
}

//// the same with an identity: unplaced, so_mark_it_device
struct of_host {
  int operator()(int a, int b) const { return a * b; }
};
__device__ int use(warp tile, int x) {
  return inclusive_scan(tile, x, make_operator(of_host{}, 1));
}

//// the same in a zip: unplaced, so_mark_it_device
struct of_host {
  int operator()(int a, int b) const { return a * b; }
};
__device__ int use(warp tile, int x) {
  return get<1>(reduce(tile, as_zipped(x, x), zip(plus{}, of_host{})));
}

//// function of elements for the host alone: unplaced, so_mark_it_device
struct twice_of_host {
  int operator()(int a) const { return 2 * a; }
};
__device__ int use(warp tile, int const* x) {
  return joint_transform_reduce(tile, x, 100, plus{}, twice_of_host{});
}

//// predicate for the host alone: unplaced, so_mark_it_device
struct twice_of_host {
  int operator()(int a) const { return 2 * a; }
};
__device__ bool use(warp tile, int const* x) {
  return joint_all_of(tile, x, 100, twice_of_host{});
}

//// function of one lane for the host alone: unplaced, so_mark_it_device
struct six_of_host {
  int operator()() const { return 6; }
};
__device__ int use(warp tile) {
  return invoke_one(tile, six_of_host{});
}

//// function of elements of an array for the host alone: unplaced, so_mark_it_device
struct twice_of_host {
  int operator()(int a) const { return 2 * a; }
};
cudaError_t use(int* x) {
  return grid::transform_reduce(x, 3, x, plus{}, twice_of_host{});
}

//// the same of rows: unplaced, so_mark_it_device
struct twice_of_host {
  int operator()(int a) const { return 2 * a; }
};
cudaError_t use(int* x) {
  return grid::transform_reduce_rows(grid::matrix<int>{x, 3, 3}, x, plus{}, twice_of_host{});
}

//// predicate of elements of an array for the host alone: unplaced, so_mark_it_device
struct twice_of_host {
  int operator()(int a) const { return 2 * a; }
};
cudaError_t use(int* x, std::int64_t* out) {
  return grid::find_if(x, 3, twice_of_host{}, out);
}

//// transform of an array for the host alone: unplaced, so_mark_it_device
struct twice_of_host {
  int operator()(int a) const { return 2 * a; }
};
cudaError_t use(int* x) {
  return grid::transform(x, 3, x, twice_of_host{});
}

//// transform by a function of too many elements: f takes an element of each input
struct sum_of_four {
  TESSERA_FN int operator()(int a, int b, int c, int d) const { return a + b + c + d; }
};
cudaError_t use(int* x, cudaStream_t stream) {
  return grid::transform(x, x, 3, x, sum_of_four{}, stream);
}

//// for_each by a function of other elements: f takes an element, or an element and its index
struct of_text {
  TESSERA_FN void operator()(text&) const {}
};
cudaError_t use(int* x) {
  return grid::for_each(x, 3, of_text{});
}

//// order of an array for the host alone: unplaced, so_mark_it_device
struct both_of_host {
  bool operator()(int a, int b) const { return a < b; }
};
cudaError_t use(int* x) {
  return grid::lower_bound(x, 3, x, 3, x, both_of_host{});
}

//// order of a merge for the host alone: unplaced, so_mark_it_device
struct both_of_host {
  bool operator()(int a, int b) const { return a < b; }
};
cudaError_t use(int* x) {
  return grid::merge(x, 3, x, 3, x, both_of_host{});
}

//// difference for the host alone: unplaced, so_mark_it_device
struct both_of_host {
  int operator()(int a, int b) const { return a - b; }
};
cudaError_t use(int* x) {
  return grid::adjacent_difference(x, 3, x, both_of_host{});
}

//// equality of keys for the host alone: unplaced, so_mark_it_device
struct both_of_host {
  bool operator()(int a, int b) const { return a == b; }
};
cudaError_t use(int* x) {
  return grid::inclusive_scan_by_key(x, x, 3, x, plus{}, both_of_host{});
}

//// no predicate: pred(x) or pred(x, index) takes an element
cudaError_t use(int* x, std::int64_t* out) {
  return grid::count_if(x, 3, out, out);
}

//// sum of shorts into a short, with reduce.cuh: write int* for the result
cudaError_t use(short* x, cudaStream_t stream) {
  return grid::reduce(x, 3, x, plus{}, stream);
}

//// sums of segments of chars into chars, with segments.cuh: write int* for the result
cudaError_t use(char* x, unsigned* offsets) {
  return grid::reduce_segments(x, offsets, 3, x);
}

//// sums of rows of signed chars into signed chars, with rows.cuh: write int* for the result
cudaError_t use(signed char* x) {
  return grid::reduce_rows(grid::matrix<signed char>{x, 3, 3}, x);
}

//// scan of shorts into ints, with scan.cuh: A scan stores elements of the type that it reads
cudaError_t use(short* x, int* out) {
  return grid::exclusive_scan(x, 3, out);
}

//// scan of rows of floats into doubles: out has the elements' type, or the one that they are combined in
cudaError_t use(float* x, double* out) {
  return grid::inclusive_scan_rows(grid::matrix<float>{x, 3, 3}, grid::matrix<double>{out, 3, 3});
}

//// exclusive scan of columns that has nothing to begin with: give a carry in the options
cudaError_t use(int* x) {
  return grid::exclusive_scan_columns(grid::matrix<int>{x, 3, 3}, grid::matrix<int>{x, 3, 3}, later{});
}

//// runs of as many shorts as the device knows into ints: keys_out has the type of the keys
cudaError_t use(short* x, std::int64_t* count, int* out) {
  return grid::unique(x, grid::count_on_device(count, 3), out, count);
}

//// count with an int for its result: write std::int64_t* for the pointer
cudaError_t use(int* x, int* out) {
  return grid::count_if(x, 3, twice{}, out);
}

//// search with an unsigned for its result: write std::int64_t* for the pointer
cudaError_t use(int* x, unsigned* out, cudaStream_t stream) {
  return grid::find_if(x, 3, twice{}, out, stream);
}

//// selection by a number with indices of 16 bits: write std::int64_t* for the pointer
cudaError_t use(int* x, short* indices) {
  return grid::top_k_by(x, 3, 2, x, indices, twice{});
}

//// histogram by a function with ints for its counts: counts points to std::uint64_t
cudaError_t use(int* x, int* counts) {
  return grid::histogram_by(x, 3, counts, 5, twice{});
}

//// histogram of floats' weights in ints: those of floats float or double
cudaError_t use(int* x, float* weights, int* sums) {
  return grid::histogram_weighted(x, weights, 3, sums, 5, 0, 10);
}

//// sums of segments of one length of shorts into shorts: write int* for the result
cudaError_t use(short* x, short* sums) {
  return grid::reduce_segments(x, grid::segments_of_length(5), 3, sums);
}

//// argmax of segments into their elements: std::int64_t
cudaError_t use(float* x, int* offsets, tessera::indexed<float, int>* best) {
  return grid::argmax_segments(x, offsets, 3, best);
}

//// segments between floats: begins and ends are integers of 32 or 64 bits
cudaError_t use(int* x, float* begins, float* ends, int* sums) {
  return grid::reduce_segments(x, grid::segments_between(begins, ends), 3, sums);
}

//// segments of short lengths: lengths are integers of 32 or 64 bits
cudaError_t use(int* x, short* lengths, int* sums) {
  return grid::reduce_segments(x, grid::segments_of_lengths(lengths), 3, sums);
}

//// softmax of segments of integers: for float, double, __half and __nv_bfloat16
cudaError_t use(int* x, int* offsets) {
  return grid::softmax_segments(x, offsets, 3, x);
}

//// log-sum-exp of segments of integers: for float, double, __half and __nv_bfloat16: convert the elements
cudaError_t use(int* x, int* offsets, int* out) {
  return grid::log_sum_exp_segments(x, offsets, 3, out);
}

//// log-sum-exp of integers: alone, convert the elements
cudaError_t use(grid::matrix<int> x, int* out) {
  return grid::log_sum_exp_rows(x, out);
}

//// cross entropy of targets of 16 bits: alone, Targets and tokens are std::int32_t or std::int64_t
cudaError_t use(grid::matrix<float> x, short* targets, float* loss) {
  return grid::cross_entropy_rows(x, targets, loss);
}

//// a row operation without a result: grid::map_rows: a row operation has a const function result(x, column, first)
struct without_result {
  __host__ __device__ plus first_operator() const { return {}; }
  __host__ __device__ float first(float x, int) const { return x; }
};
cudaError_t use(grid::matrix<float> x, grid::matrix<float> y, grid::workspace& memory, cudaStream_t stream) {
  return grid::map_rows(x, y, without_result{}, {stream, memory});
}

//// draws from rows of doubles: grid::sample_rows is for float, __half and __nv_bfloat16
cudaError_t use(grid::matrix<double> logits, std::uint64_t* seeds, int* ids) {
  return grid::sample_rows(logits, seeds, ids);
}

//// columns as unsigned integers: ids are of std::int32_t or std::int64_t
cudaError_t use(grid::matrix<float> logits, std::uint64_t* seeds, unsigned* ids) {
  return grid::sample_rows(logits, seeds, ids);
}

//// probabilities of another type: logits and out have elements of one type
cudaError_t use(grid::matrix<float> logits, grid::matrix<double> out) {
  return grid::renormalize_rows(logits, out);
}

//// histogram of more channels than there are: no more of them are counted
cudaError_t use(int* x, std::uint64_t* counts) {
  return grid::histogram_channels<1>(x, 3, {{counts, 2, 0, 10}, {counts + 2, 2, 0, 10}});
}

//// no difference: op(own, predecessor) takes two elements
cudaError_t use(int* x, cudaStream_t stream) {
  return grid::adjacent_difference(x, 3, x, stream);
}

//// array reduced without identity: write make_operator(f, identity)
cudaError_t use(int* x) {
  return grid::reduce(x, 3, x, later{});
}

//// floats summed from an int: write a start of a wider type (0.0f for floats
cudaError_t use(float* x, int* out) {
  return grid::reduce(x, 3, out, plus{}, 0);
}

//// floats summed from a double into a float: write a start of the type of *out, as 0.0f
cudaError_t use(float* x) {
  return grid::reduce(x, 3, x, plus{}, 0.0);
}

//// a scan's carry of another type: A start on the device has the type of the scan's total
cudaError_t use(float* x, double* carry) {
  return grid::inclusive_scan(x, 3, x, plus{}, grid::start_on_device(carry));
}

//// rows reduced without identity: write make_operator(f, identity)
cudaError_t use(unsigned* x) {
  return grid::reduce_rows(grid::matrix<unsigned>{x, 3, 3}, x, later{});
}

//// segments reduced without identity: write make_operator(f, identity)
cudaError_t use(std::int64_t* x) {
  return grid::reduce_segments(x, x, 3, x, later{});
}

//// function of elements before the operator: write transform_reduce(in, n, out, op, f)
cudaError_t use(int* x) {
  return grid::transform_reduce(x, 3, x, twice{}, plus{});
}

//// the same of indices, and of an operator of another library: write transform_reduce(in, n, out, op, f)
struct itself {
  TESSERA_FN std::int64_t operator()(std::int64_t a) const { return a; }
};
cudaError_t use(std::int64_t* x) {
  return grid::transform_reduce(x, 3, x, itself{}, std::plus<>{});
}

//// the same of rows: write transform_reduce_rows(in, out, op, f)
cudaError_t use(int* x) {
  return grid::transform_reduce_rows(grid::matrix<int>{x, 3, 3}, x, twice{}, plus{});
}

//// the same by a tile: write joint_transform_reduce(tile, first, n, op, f)
__device__ int use(warp tile, int const* x) {
  return joint_transform_reduce(tile, x, 100, twice{}, plus{});
}

//// no function of elements: op comes before it
cudaError_t use(int* x) {
  return grid::transform_reduce(x, 3, x, plus{}, 3);
}

//// elements that can't be copied as bytes: Elements and results are trivially copyable
cudaError_t use(text* x, int* out) {
  return grid::transform_reduce(x, 3, out, plus{}, [](text const& t) { return t.length; });
}

//// results that have no room in shared memory: results have up to 1024 bytes
struct long_result {
  int value[257];
};
struct either {
  TESSERA_FN long_result operator()(long_result const& a, long_result const&) const { return a; }
};
cudaError_t use(long_result* x) {
  return grid::reduce(x, 3, x + 3, make_operator(either{}, long_result{}));
}

//// scanned elements that are too long: of up to 4096 bytes
struct very_long {
  int value[1025];
};
struct either {
  TESSERA_FN very_long operator()(very_long const& a, very_long const&) const { return a; }
};
cudaError_t use(int* keys, very_long* x) {
  return grid::inclusive_scan_by_key(keys, x, 3, x, either{});
}

//// striped order of a padded tile: A padded block tile has no striped order
__global__ void kernel(int* x) {
  auto const tile = tessera::padded_block_tile<64>(cooperative_groups::this_thread_block());
  *x = tessera::sort(tile, *x, less{}, striped);
}

//// thread_block where every lane of a tile is needed: tessera::this_block_tile<256>(block)
__device__ int use(int x) {
  auto const block = cooperative_groups::this_thread_block();
  return rotate(block, x, 1);
}

//// striped order of a thread_block: A block itself has no striped order
__device__ int use(int x) {
  return tessera::sort(cooperative_groups::this_thread_block(), x, less{}, striped);
}

//// coalesced_group where every lane of a tile is needed: call with all its lanes, and name those that contribute
__device__ int use(int x) {
  auto const lanes = cooperative_groups::coalesced_threads();
  return tessera::rotate(lanes, x, 1);
}

//// coalesced_group that promises a whole warp: leave converged out of the policy
__device__ int use(int x) {
  auto const lanes = cooperative_groups::coalesced_threads();
  return tessera::reduce(lanes, x, plus{}, converged);
}

//// striped order of a coalesced group: A coalesced_group has no striped order
__device__ int use(int x) {
  auto const lanes = cooperative_groups::coalesced_threads();
  return tessera::sort(lanes, x, less{}, striped);
}

//// tiles of a coalesced group: labeled_partition(group, group.thread_rank() / M)
__device__ int use(int x) {
  auto const lanes = cooperative_groups::coalesced_threads();
  return tessera::tiled_partition<4>(lanes).thread_rank() + x;
}

//// partition of a tile of several warps: A coalesced group has lanes of one warp
__device__ int use(int x) {
  auto const tile = this_block_tile<64>(cooperative_groups::this_thread_block());
  return tessera::binary_partition(tile, x > 0).thread_rank();
}

//// shared memory that is no scratch: alone, shared(s) and fresh(s) take a scratch
__device__ float use(float x) {
  __shared__ float s[256];
  auto const tile = this_block_tile<256>(cooperative_groups::this_thread_block());
  return reduce(tile, x, plus{}, shared(s));
}

//// scratch in the policy's place: alone, write shared(s)
__device__ float use(float x) {
  __shared__ tessera::scratch<float, 256> s;
  auto const tile = this_block_tile<256>(cooperative_groups::this_thread_block());
  return reduce(tile, x, plus{}, s);
}

//// sum of a float4: alone, is the type's own +, *, <, &, | or ^, and x's type has none
__device__ void use(warp tile, float4 x) {
  reduce(tile, x);
}

//// hardware of a double: alone, no instruction combines this type by this operator
__device__ double use(warp tile, double x) {
  return reduce(tile, x, plus{}, hardware);
}

//// lanes as an integer: alone, write ballot(tile, p).word()
__device__ unsigned use(warp tile, int x) {
  return ballot(tile, x > 0);
}

//// good, predicates with select.cuh
cudaError_t use(int* x, std::int64_t* count, cudaStream_t stream, grid::workspace& memory) {
  cudaError_t error = grid::select(x, 3, x, count, twice{}, stream);
  error = grid::select(x, x, 3, x, count, twice{}, {stream, memory});
  error = grid::select(x, x, 3, x, count, nullptr);
  error = grid::select(x, x, 3, x, count, stream);
  error = grid::partition(x, x, 3, x, count, memory);
  error = grid::partition_copy(x, x, 3, x, x, count, {stream, memory});
  return error;
}

//// good, a shared array of both sides without warnings
#pragma nv_diag_error 20011
#pragma nv_diag_error 20014
template <class Block, class Array>
TESSERA_FN void work(Block const& block, Array& array, int* out) {
  unsigned const rank = block.thread_rank();
  array[rank] = out[rank];
  array[rank] += 2;
  block.sync();
  out[rank] = array[rank ^ 1];
}
__global__ void kernel(int* out) {
  __shared__ int array[64];
  work(cooperative_groups::this_thread_block(), array, out);
}
void use(int* out) {
  host::launch_block(64, [=](host::block block) {
    host::shared<int> array(block, 64);
    work(block, array, out);
    array[0].fetch_add(static_cast<int>(array.size()));
  });
}

//// scan of an array of structs with a const member: perhaps since a member is const or a reference
struct fixed {
  int const x;
};
struct either {
  TESSERA_FN fixed operator()(fixed a, fixed) const { return a; }
};
cudaError_t use(fixed* x) {
  return grid::inclusive_scan(x, 3, x, either{});
}

//// bounds with a number on the device, to floats: out has integers of 32 or 64 bits
cudaError_t use(int const* x, grid::device_count n, float* out) {
  return grid::lower_bound(x, n, x, 5, out);
}

//// a union without one of its numbers: A number of elements is an integer, or count_on_device(count, at_most)
cudaError_t use(int const* a, int const* b, int* out, std::int64_t* count) {
  return grid::set_union(a, b, b, 5, out, count);
}

//// batched copies without their number: A number of elements is an integer, or count_on_device(count, at_most)
cudaError_t use(void const* const* from, void* const* to, int const* sizes, cudaStream_t stream) {
  return grid::copy_batches(from, to, sizes, stream);
}

//// the first k of as many as the device knows, with narrow indices: write std::int64_t*
cudaError_t use(int const* x, grid::device_count n, int* out, int* indices) {
  return grid::top_k(x, n, 5, out, indices);
}

//// argmin of as many as the device knows, into a value alone: out points to an indexed<T, std::int64_t>
cudaError_t use(int const* x, grid::device_count n, int* out) {
  return grid::argmin(x, n, out);
}

//// rows of an iterator that only goes forward: first is a pointer or a random-access iterator
struct chain {
  int* next;
  TESSERA_FN chain& operator++() { return *this; }
  TESSERA_FN int operator*() const { return *next; }
};
auto use(chain x) {
  return grid::matrix_of(x, 5, 7);
}

//// segments of an iterator that only goes forward, sorted: first is a pointer or a random-access iterator
struct links {
  int* next;
  TESSERA_FN links& operator++() { return *this; }
  TESSERA_FN int operator*() const { return *next; }
};
cudaError_t use(links x, int const* offsets, int* out) {
  return grid::sort_segments(x, 9, offsets, 3, out);
}

//// segments sorted by key into an iterator without memory: A sort works in the memory of its output
cudaError_t use(int const* x, int const* offsets, int* out) {
  return grid::sort_segments_by_key(x, x, 9, offsets, 3, out, counted<int>{0});
}

//// softmax of computed rows of integers: is for rows of float, double, __half and __nv_bfloat16
cudaError_t use(float* out) {
  return grid::softmax_rows(grid::matrix_of(counted<int>{0}, 5, 7), grid::matrix<float>(out, 5, 7));
}

//// softmax of computed rows into another type: in and out have elements of one type
cudaError_t use(double* out) {
  return grid::softmax_rows(grid::matrix_of(counted<float>{0}, 5, 7), grid::matrix<double>(out, 5, 7));
}

//// softmax of computed segments of integers: is for float, double, __half and __nv_bfloat16
cudaError_t use(int const* offsets, int* out) {
  return grid::softmax_segments(counted<int>{0}, offsets, 3, out);
}

//// computed segments sorted into another type: an output has the type of the elements that are sorted into it
cudaError_t use(int const* offsets, long long* out) {
  return grid::sort_segments(counted<int>{0}, 9, offsets, 3, out);
}

//// computed segments sorted with values into another type: an output has the type of the elements that are sorted into it
cudaError_t use(int const* offsets, int* out, float* values) {
  return grid::sort_segments_by_key(counted<int>{0}, counted<int>{0}, 9, offsets, 3, out, values);
}

//// sums of computed rows of shorts, into shorts: write int* for the result
cudaError_t use(short* out) {
  return grid::reduce_rows(grid::matrix_of(counted<short>{0}, 5, 7), out);
}

//// greatest of computed rows, with an index of 64 bits: out points to indexed<T, int>
cudaError_t use(indexed<unsigned, std::int64_t>* out) {
  return grid::argmax_rows(grid::matrix_of(counted<unsigned>{0}, 5, 7), out);
}

//// moments of computed rows of integers: write transform_reduce_rows with as_moments(float(x)) and welford{}
cudaError_t use(moments<float>* out) {
  return grid::moments_rows(grid::matrix_of(counted<int>{0}, 5, 7), out);
}

//// good, rows and segments that are computed
cudaError_t use(float* out, int const* offsets, std::int64_t* names, cudaStream_t stream) {
  auto const rows = grid::matrix_of(counted<float>{0}, 5, 7);
  cudaError_t error = grid::reduce_rows(rows, out, maximum{}, stream);
  error = grid::softmax_rows(rows, grid::matrix{out, 5, 7}, nullptr, stream);
  error = grid::reduce_rows(grid::matrix_of(out, 5, 7), out, plus{}, stream);
  error = grid::softmax_segments(counted<float>{0}, offsets, 3, out, stream);
  error = grid::sort_segments_by_key(counted<float>{0}, counted<std::int64_t>{0}, 9, offsets, 3, out, names);
  return error;
}

//// quantized rows of doubles: grid::quantized: rows of float, __half and __nv_bfloat16 are quantized
cudaError_t use(grid::matrix<double> x, grid::matrix<std::int8_t> q, float* scales) {
  return grid::rms_norm_rows(x, grid::quantized{q, scales});
}

//// quantized rows of 8 bits without a sign: the elements are of __nv_fp8_e4m3 (cuda_fp8.h) or std::int8_t
cudaError_t use(grid::matrix<float> x, grid::matrix<std::uint8_t> q, float* scales) {
  return grid::layer_norm_rows(x, grid::quantized{q, scales});
}
