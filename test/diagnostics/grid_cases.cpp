// Misuse of calls for whole arrays, in plain C++. check.py treats it like cases.cpp.
#include <tessera/grid/histogram.hpp>
#include <tessera/grid/norm.hpp>
#include <tessera/grid/reduce.hpp>
#include <tessera/grid/rows.hpp>
#include <tessera/grid/segments.hpp>
#include <tessera/grid/softmax.hpp>
#include <tessera/grid/top_k.hpp>

#include <functional>

using namespace tessera;
struct part {
  int a, b;
};
struct join {
  part operator()(part x, part y) const { return {x.a, y.b}; }
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
cudaError_t use(short const* in, short* out) {
  return grid::reduce(in, 3, out);
}

//// stream in the operator's place: functions of their own
cudaError_t use(float const* in, float* out, cudaStream_t stream) {
  return grid::reduce(in, 3, out, stream);
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

//// histogram of a type without kernels: include <tessera/grid/histogram.cuh> in a .cu file
cudaError_t use(short const* in, std::uint64_t* counts) {
  return grid::histogram(in, 3, counts, 5, 0, 10);
}

//// top_k of a type without kernels: include <tessera/grid/top_k.cuh> in a .cu file
cudaError_t use(short const* in, short* values, std::int64_t* indices) {
  return grid::top_k(in, 3, 2, values, indices);
}

//// top_k by an order of one's own: before is tessera::greater{} or tessera::less{}
cudaError_t use(float const* in, float* values, std::int64_t* indices) {
  return grid::top_k(in, 3, 2, values, indices, [](float a, float b) { return a * a < b * b; });
}
