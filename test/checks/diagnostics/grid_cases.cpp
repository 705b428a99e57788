// Misuse of calls for whole arrays, in plain C++. check.py treats it like cases.cpp.
#include <tessera/grid/adjacent_difference.hpp>
#include <tessera/grid/histogram.hpp>
#include <tessera/grid/merge.hpp>
#include <tessera/grid/norm.hpp>
#include <tessera/grid/reduce.hpp>
#include <tessera/grid/rows.hpp>
#include <tessera/grid/runs.hpp>
#include <tessera/grid/scan.hpp>
#include <tessera/grid/scan_by_key.hpp>
#include <tessera/grid/scan_segments.hpp>
#include <tessera/grid/search.hpp>
#include <tessera/grid/segments.hpp>
#include <tessera/grid/select.hpp>
#include <tessera/grid/softmax.hpp>
#include <tessera/grid/sort.hpp>
#include <tessera/grid/sort_segments.hpp>
#include <tessera/grid/top_k.hpp>

#include <functional>

using namespace tessera;
struct part {
  int a, b;
};
struct join {
  part operator()(part x, part y) const { return {x.a, y.b}; }
};
struct smaller {
  bool operator()(part x, part y) const { return x.a < y.a; }
};

//// good
cudaError_t use(float const* in, float* out, std::int64_t n) {
  return grid::reduce(in, n, out, std::plus<>{});
}

//// array by an operator of one's own: include <tessera/grid/reduce.cuh> in a .cu file
cudaError_t use(part const* in, part* out) {
  return grid::reduce(in, 3, out, make_operator(join{}, part{}));
}

//// array of a type without kernels: include <tessera/grid/reduce.cuh> in a .cu file
cudaError_t use(short const* in, int* out) {
  return grid::reduce(in, 3, out);
}

//// stream in the operator's place: f comes after it, then the execution
cudaError_t use(float const* in, float* out, cudaStream_t stream) {
  return grid::reduce(in, 3, out, stream);
}

//// stream in the place of an operator with an order: f comes after it, then the execution
cudaError_t use(float const* in, float* out, cudaStream_t stream, grid::workspace& memory) {
  return grid::reduce(in, 3, out, stream, grid::order::any_device, memory);
}

//// workspace in the operator's place: a call takes it last
cudaError_t use(float const* in, float* out, grid::workspace& memory) {
  return grid::sort(in, 3, out, memory);
}

//// stream and workspace in the operator's place: no known conversion for argument 4
cudaError_t use(float const* in, float* out, cudaStream_t stream, grid::workspace& memory) {
  return grid::reduce(in, 3, out, {stream, memory});
}

//// address of a workspace: execution
cudaError_t use(float const* in, float* out, cudaStream_t stream, grid::workspace& memory) {
  return grid::reduce(in, 3, out, plus{}, {stream, &memory});
}

//// argmax as an operator: functions of their own
cudaError_t use(grid::matrix<float> in, float* out) {
  return grid::reduce_rows(in, out, argmax{});
}

//// bits of floats: bit_and, bit_or and bit_xor are for integers
cudaError_t use(float const* in, int const* offsets, float* out) {
  return grid::reduce_segments(in, offsets, 3, out, bit_or{});
}

//// argmax of a type without kernels: for other types use grid::transform_reduce of <tessera/grid/reduce.cuh>
cudaError_t use(short const* in, indexed<short, std::int64_t>* out) {
  return grid::argmax(in, 3, out);
}

//// rows by an operator of one's own: include <tessera/grid/rows.cuh> in a .cu file
cudaError_t use(grid::matrix<part> in, part* out) {
  return grid::reduce_rows(in, out, make_operator(join{}, part{}));
}

//// moments of rows of integers: write transform_reduce_rows of <tessera/grid/rows.cuh>
cudaError_t use(grid::matrix<int> in, moments<float>* out) {
  return grid::moments_rows(in, out);
}

//// segments by an operator of one's own: include <tessera/grid/segments.cuh> in a .cu file
cudaError_t use(part const* in, int const* offsets, part* out) {
  return grid::reduce_segments(in, offsets, 3, out, make_operator(join{}, part{}));
}

//// offsets that are no integers: offsets are integers of 32 or 64 bits
cudaError_t use(float const* in, float const* offsets, float* out) {
  return grid::reduce_segments(in, offsets, 3, out);
}

//// a scan by an operator of one's own: include <tessera/grid/scan.cuh> in a .cu file
cudaError_t use(part const* in, part* out) {
  return grid::inclusive_scan(in, 3, out, join{});
}

//// an exclusive scan that has nothing to begin with: write exclusive_scan(in, n, out, op, start)
cudaError_t use(part const* in, part* out) {
  return grid::exclusive_scan(in, 3, out, join{});
}

//// softmax of integers: convert the elements
cudaError_t use(grid::matrix<int> x) {
  return grid::softmax_rows(x, x);
}

//// softmax into another type: elements of one type
cudaError_t use(grid::matrix<float> x, grid::matrix<double> out) {
  return grid::softmax_rows(x, out);
}

//// norm into what it reads only: those of out not const
cudaError_t use(grid::matrix<float const> x) {
  return grid::layer_norm_rows(x, x);
}

//// histogram between edges of another type: include <tessera/grid/histogram.cuh> in a .cu file
cudaError_t use(float const* in, double const* edges, std::uint64_t* counts) {
  return grid::histogram(in, 3, counts, 5, edges);
}

//// histogram between edges that lack some elements: or one that has all of their values
cudaError_t use(int const* in, float const* edges, std::uint64_t* counts) {
  return grid::histogram(in, 3, counts, 5, edges);
}

//// histogram between edges with ints for its counts: counts points to std::uint64_t
cudaError_t use(int const* in, int* counts) {
  return grid::histogram(in, 3, counts, 5, in);
}

//// selection of a type without kernels: include <tessera/grid/select.cuh> in a .cu file
cudaError_t use(part const* in, bool const* flags, part* out, std::int64_t* count) {
  return grid::select(in, flags, 3, out, count);
}

//// flags that are floats: flags are integers
cudaError_t use(float const* in, float const* flags, float* out, std::int64_t* count) {
  return grid::partition(in, flags, 3, out, count);
}

//// unique of a type without kernels: include <tessera/grid/runs.cuh> in a .cu file
cudaError_t use(short const* in, short* out, std::int64_t* count) {
  return grid::unique(in, 3, out, count);
}

//// stream in the relation's place: it comes after the count
cudaError_t use(int const* in, int* out, std::int64_t* count, cudaStream_t stream) {
  return grid::unique(in, 3, out, count, stream);
}

//// lengths that are no integers: lengths are integers of 32 or 64 bits
cudaError_t use(int const* in, int* out, float* lengths, std::int64_t* count) {
  return grid::run_length_encode(in, 3, out, lengths, count);
}

//// products by key: include <tessera/grid/runs.cuh> in a .cu file
cudaError_t use(int const* keys, int* out, std::int64_t* count) {
  return grid::reduce_by_key(keys, keys, 3, out, out, count, multiplies{});
}

//// scan by key by an operator of one's own: include <tessera/grid/scan_by_key.cuh> in a .cu file
cudaError_t use(int const* keys, part const* in, part* out) {
  return grid::inclusive_scan_by_key(keys, in, 3, out, join{});
}

//// scan by keys without kernels: include <tessera/grid/scan_by_key.cuh> in a .cu file
cudaError_t use(short const* keys, float const* in, float* out) {
  return grid::exclusive_scan_by_key(keys, in, 3, out);
}

//// exclusive scan by key without identity and start: begins with the operator's identity
cudaError_t use(int const* keys, part const* in, part* out) {
  return grid::exclusive_scan_by_key(keys, in, 3, out, join{});
}

//// equality of no keys: equal(a, b) says whether two keys are equal
cudaError_t use(int const* keys, float const* in, float* out) {
  return grid::inclusive_scan_by_key(keys, in, 3, out, plus{}, join{});
}

//// scan of segments by an operator of one's own: include <tessera/grid/scan_segments.cuh> in a .cu file
cudaError_t use(part const* in, int const* offsets, part* out) {
  return grid::inclusive_scan_segments(in, 3, offsets, 2, out, join{});
}

//// offsets of a scan that are no integers: offsets are integers of 32 or 64 bits
cudaError_t use(float const* in, float const* offsets, float* out) {
  return grid::exclusive_scan_segments(in, 3, offsets, 2, out);
}

//// bounds by another order: include <tessera/grid/search.cuh> in a .cu file
cudaError_t use(float const* sorted, float const* needles, int* out) {
  return grid::lower_bound(sorted, 3, needles, 2, out, greater{});
}

//// bounds that are no integers: out has integers of 32 or 64 bits
cudaError_t use(float const* sorted, float const* needles, float* out) {
  return grid::upper_bound(sorted, 3, needles, 2, out);
}

//// stream in the order's place: the execution comes after it
cudaError_t use(float const* sorted, float const* needles, int* out, cudaStream_t stream) {
  return grid::upper_bound(sorted, 3, needles, 2, out, stream);
}

//// merge of a type without kernels: include <tessera/grid/merge.cuh> in a .cu file
cudaError_t use(short const* a, short const* b, short* out) {
  return grid::merge(a, 3, b, 2, out);
}

//// stream in the place of a merge's order: the execution comes after it
cudaError_t use(float const* a, float const* b, float* out, cudaStream_t stream) {
  return grid::merge(a, 3, b, 2, out, stream);
}

//// difference of a type without kernels: include <tessera/grid/adjacent_difference.cuh> in a .cu file
cudaError_t use(short const* in, short* out) {
  return grid::adjacent_difference(in, 3, out);
}

//// stream in the place of a difference's function: the execution comes after it
cudaError_t use(float const* in, float* out, cudaStream_t stream) {
  return grid::adjacent_difference(in, 3, out, stream);
}

//// sort in an order of one's own: include <tessera/grid/sort.cuh> in a .cu file
cudaError_t use(part const* in, part* out) {
  return grid::sort(in, 3, out, smaller{});
}

//// stream in the place of the order: before(a, b) says whether element a comes first
cudaError_t use(float const* in, float* out, cudaStream_t stream) {
  return grid::sort(in, 3, out, stream);
}

//// sort with values of another size: include <tessera/grid/sort.cuh> in a .cu file
cudaError_t use(float const* keys, short const* values, float* keys_out, short* values_out) {
  return grid::sort_by_key(keys, values, 3, keys_out, values_out);
}

//// argsort of a type without kernels: include <tessera/grid/sort.cuh> in a .cu file
cudaError_t use(short const* in, int* indices) {
  return grid::argsort(in, 3, indices);
}

//// indices that are no integers: indices are integers of 32 or 64 bits
cudaError_t use(float const* in, float* indices) {
  return grid::argsort(in, 3, indices);
}

//// sort of segments in an order of one's own: include <tessera/grid/sort_segments.cuh> in a .cu file
cudaError_t use(part const* in, int const* offsets, part* out) {
  return grid::sort_segments(in, 9, offsets, 3, out, smaller{});
}

//// sort of segments with offsets that are no integers: offsets are integers of 32 or 64 bits
cudaError_t use(float const* in, float const* offsets, float* out) {
  return grid::sort_segments(in, 9, offsets, 3, out);
}

//// top_k of a type without kernels: include <tessera/grid/top_k.cuh> in a .cu file
cudaError_t use(short const* in, short* values, std::int64_t* indices) {
  return grid::top_k(in, 3, 2, values, indices);
}

//// top_k by an order of one's own: before is tessera::greater{} or tessera::less{}
cudaError_t use(float const* in, float* values, std::int64_t* indices) {
  return grid::top_k(in, 3, 2, values, indices, [](float a, float b) { return a * a < b * b; });
}

//// histogram of integers of 128 bits: elements are integers of up to 64 bits
cudaError_t use(__int128 const* in, std::uint64_t* counts) {
  return grid::histogram(in, 9, counts, 4, 0, 8);
}

//// histogram of a struct: grid::histogram_by of <tessera/grid/histogram.cuh> counts others
cudaError_t use(part const* in, std::uint64_t* counts) {
  return grid::histogram(in, 9, counts, 4, 0, 8);
}

//// selection by a predicate in plain C++: include <tessera/grid/select.cuh> in a .cu file
struct is_even {
  bool operator()(int x) const { return x % 2 == 0; }
};
cudaError_t use(int const* in, int* out, std::int64_t* count) {
  return grid::select(in, 3, out, count, is_even{});
}

//// partition by a stencil in plain C++: include <tessera/grid/select.cuh> in a .cu file
struct is_even {
  bool operator()(int x) const { return x % 2 == 0; }
};
cudaError_t use(int const* in, int* out, std::int64_t* count) {
  return grid::partition(in, in, 3, out, count, is_even{});
}

//// selection with an int for its count: count points to a std::int64_t
cudaError_t use(int const* in, bool const* flags, int* out, int* count) {
  return grid::select(in, flags, 3, out, count);
}

//// histogram with ints for its counts: counts points to std::uint64_t
cudaError_t use(int const* in, int* counts) {
  return grid::histogram(in, 3, counts, 5, 0, 10);
}

//// sum of shorts into a short: write int* for the result
cudaError_t use(short const* in, short* out) {
  return grid::reduce(in, 3, out);
}

//// sum of chars into a char, by the name of another library and with an order: write int* for the result
cudaError_t use(signed char const* in, signed char* out) {
  return grid::reduce(in, 3, out, std::plus<>{}, grid::order::any_device);
}

//// sum of rows of unsigned shorts into unsigned ints: write int* for the result
cudaError_t use(grid::matrix<unsigned short const> in, unsigned* out) {
  return grid::reduce_rows(in, out);
}

//// sums of segments of chars into chars: write int* for the result
cudaError_t use(char const* in, int const* offsets, char* out, cudaStream_t stream) {
  return grid::reduce_segments(in, offsets, 3, out, plus{}, stream);
}

//// sums of shorts by key into shorts: write int* for the result
cudaError_t use(int const* keys, short const* values, int* out, short* sums, std::int64_t* count) {
  return grid::reduce_by_key(keys, values, 3, out, sums, count);
}

//// how many bools are true in an int: write std::uint64_t* for the result
cudaError_t use(bool const* in, int* out) {
  return grid::reduce(in, 3, out);
}

//// sum of halves into a half: write float* for the result
cudaError_t use(__half const* in, __half* out) {
  return grid::reduce(in, 3, out);
}

//// sum of floats into a double: The result has the type of the elements
cudaError_t use(float const* in, double* out) {
  return grid::reduce(in, 3, out);
}

//// scan of shorts into ints: A scan stores elements of the type that it reads
cudaError_t use(short const* in, int* out) {
  return grid::inclusive_scan(in, 3, out);
}

//// exclusive scan of floats into doubles: A scan stores elements of the type that it reads
cudaError_t use(float const* in, double* out, cudaStream_t stream) {
  return grid::exclusive_scan(in, 3, out, plus{}, 1.0f, stream);
}

//// scan by key of shorts into ints: A scan stores elements of the type that it reads
cudaError_t use(int const* keys, short const* in, int* out) {
  return grid::inclusive_scan_by_key(keys, in, 3, out);
}

//// exclusive scan by key into what can't be written: A scan stores elements of the type that it reads
cudaError_t use(int const* keys, float const* in) {
  return grid::exclusive_scan_by_key(keys, in, 3, in);
}

//// scan of segments of shorts into ints: A scan stores elements of the type that it reads
cudaError_t use(short const* in, int const* offsets, int* out) {
  return grid::inclusive_scan_segments(in, 3, offsets, 2, out);
}

//// exclusive scan of segments of floats into ints: A scan stores elements of the type that it reads
cudaError_t use(float const* in, int const* offsets, int* out) {
  return grid::exclusive_scan_segments(in, 3, offsets, 2, out, plus{}, 1.0f);
}

//// argmin with an index of 32 bits: out points to an indexed<T, std::int64_t>
cudaError_t use(float const* in, indexed<float, int>* out) {
  return grid::argmin(in, 3, out);
}

//// argmax into an index alone: out points to an indexed<T, std::int64_t>
cudaError_t use(float const* in, int* out, cudaStream_t stream) {
  return grid::argmax(in, 3, out, stream);
}

//// argmax of rows with an index of 64 bits: out points to indexed<T, int>
cudaError_t use(grid::matrix<float const> in, indexed<float, std::int64_t>* out) {
  return grid::argmax_rows(in, out);
}

//// argmin of rows into values: out points to indexed<T, int>
cudaError_t use(grid::matrix<float const> in, float* out) {
  return grid::argmin_rows(in, out);
}

//// both extremes into elements: out points to a min_max<T>
cudaError_t use(float const* in, float* out) {
  return grid::minmax(in, 3, out);
}

//// both extremes of rows into elements: out points to a min_max<T>
cudaError_t use(grid::matrix<float const> in, float* out) {
  return grid::minmax_rows(in, out);
}

//// moments in float: out points to a tessera::moments<double>
cudaError_t use(float const* in, moments<float>* out) {
  return grid::moments(in, 3, out, grid::order::any_device);
}

//// moments of rows in double: elements than doubles to tessera::moments<float>
cudaError_t use(grid::matrix<float const> in, moments<double>* out) {
  return grid::moments_rows(in, out);
}

//// unique with an int for its count: write std::int64_t* for the pointer
cudaError_t use(int const* in, int* out, int* count) {
  return grid::unique(in, 3, out, count);
}

//// unique by key with an unsigned for its count: write std::int64_t* for the pointer
cudaError_t use(int const* keys, float const* in, int* out, float* firsts, unsigned* count) {
  return grid::unique_by_key(keys, in, 3, out, firsts, count, equal_to{});
}

//// run lengths with an int for their number: write std::int64_t* for the pointer
cudaError_t use(int const* in, int* out, int* lengths, int* count, cudaStream_t stream) {
  return grid::run_length_encode(in, 3, out, lengths, count, equal_to{}, stream);
}

//// sums by key with an int for their number: write std::int64_t* for the pointer
cudaError_t use(int const* keys, float const* in, int* out, float* sums, int* count) {
  return grid::reduce_by_key(keys, in, 3, out, sums, count);
}

//// top_k with indices of 32 bits: write std::int64_t* for the pointer
cudaError_t use(float const* in, float* values, int* indices) {
  return grid::top_k(in, 3, 2, values, indices);
}

//// top_k with indices of 32 bits alone: write std::int64_t* for the pointer
cudaError_t use(float const* in, int* indices) {
  return grid::top_k(in, 3, 2, nullptr, indices, less{});
}

//// top_k with values of another type: values have the type of the elements
cudaError_t use(float const* in, double* values) {
  return grid::top_k(in, 3, 2, values, nullptr);
}

//// element of a rank with an index of 32 bits: write std::int64_t* for the pointer
cudaError_t use(float const* in, float* value, int* index) {
  return grid::nth_element(in, 3, 1, value, index);
}

//// element of a rank into a double: values have the type of the elements
cudaError_t use(float const* in, double* value) {
  return grid::nth_element(in, 3, 1, value);
}

//// good, halves without their header
cudaError_t use(grid::matrix<__half const> in, int const* offsets, float* out) {
  if (grid::reduce(in.data, 3, out) != cudaSuccess) return cudaErrorUnknown;
  if (grid::reduce_rows(in, out) != cudaSuccess) return cudaErrorUnknown;
  return grid::reduce_segments(in.data, offsets, 3, out, multiplies{});
}

//// good, pointers that are null, and results of an operator for one type
cudaError_t use(float const* in, short const* shorts, float* values, std::int64_t* indices, void* memory) {
  if (grid::top_k(in, 3, 2, nullptr, indices) != cudaSuccess) return cudaErrorUnknown;
  if (grid::top_k(in, 3, 2, 0, indices, greater{}) != cudaSuccess) return cudaErrorUnknown;
  if (grid::top_k(in, 3, 2, values, NULL) != cudaSuccess) return cudaErrorUnknown;
  if (grid::nth_element(in, 3, 2, nullptr, indices) != cudaSuccess) return cudaErrorUnknown;
  if (grid::unique(in, 3, values, nullptr) != cudaSuccess) return cudaErrorUnknown;
  if (grid::reduce(in, 3, nullptr, plus{}, nullptr) != cudaSuccess) return cudaErrorUnknown;
  return grid::moments(in, 3, static_cast<moments<double>*>(memory), nullptr);
}

//// start that has a fraction, of a scan of an array of integers: can't hold this start: write
cudaError_t use(int const* in, int* out) {
  return tessera::grid::exclusive_scan(in, 9, out, tessera::plus{}, 0.5f);
}
