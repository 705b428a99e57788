// The task of the program: an operation and its parameters.
#pragma once

#include <stdexcept>

#include "npy.hpp"

namespace arrays {

enum class operation {
  sum,
  max,
  argmax,
  softmax,
  layer_norm,
  histogram,
  scan,
  sort,
  top_k,
  quantiles,
  unique
};

struct task {
  operation what = operation::sum;
  double epsilon = 1e-5;                         // for layer_norm
  std::int64_t bins = 256;                       // for histogram: the number of even bins over [lower, upper)
  double lower = 0, upper = 1;                   // for histogram
  std::int64_t k = 10;                           // for top_k
  std::vector<double> q{0, 0.25, 0.5, 0.75, 1};  // for quantiles
};

/// Thrown when the task isn't possible, whatever the array's values are. `what()` says why.
struct task_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The rows and columns of an array. An array of one dimension is a single row.
struct extent {
  std::int64_t rows, columns;
};
extent extent_of(array const& a);

/// Whether the result of a row is a row of the same length.
inline bool maps_rows(operation what) {
  return what == operation::softmax || what == operation::layer_norm || what == operation::scan ||
         what == operation::sort;
}

/// Makes an array of zeros for the task's results:
///
///   sum                  the input's type, or float32 for float16; the input's shape without its last dimension
///   max, argmax          the input's type, int64 for argmax; the input's shape without its last dimension
///   softmax, layer_norm  the input's type and shape
///   scan, sort           the input's type and shape
///   top_k, quantiles     the input's type; the input's shape with k, or the number of quantiles, as its last dimension
///   histogram            uint64; the input's shape with `bins` as its last dimension
///   unique               the input's type; one dimension, as long as the input: the backend shortens it
///
/// Throws task_error if the task isn't possible.
array zeros_for(task const& t, array const& in);

}  // namespace arrays
