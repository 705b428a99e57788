// What the program does with the rows of an array.
#pragma once

#include <stdexcept>

#include "npy.hpp"

namespace rows {

enum class operation { sum, max, argmax, softmax, layer_norm, histogram };

struct task {
  operation what = operation::sum;
  double epsilon = 1e-5;    // of layer_norm
  std::int64_t bins = 256;  // of histogram: even ones, over [lower, upper)
  double lower = 0, upper = 1;
};

/// The task can't be done, whatever is in the array; `what()` says why.
struct task_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An array as rows: one dimension is one row.
struct extent {
  std::int64_t rows, columns;
};
extent extent_of(array const& a);

/// Whether a row gives a row of as many values.
inline bool maps_rows(operation what) {
  return what == operation::softmax || what == operation::layer_norm;
}

/// Room for what the task gives of an array, in zeros:
///
///   sum                  float32 for float16, else of the same type; the shape without its last dimension
///   max                  of the same type, argmax int64; the same shape
///   softmax, layer_norm  of the same type and shape
///   histogram            uint64; the shape with `bins` for its last dimension
///
/// Throws task_error where there is none.
array room_for(task const& t, array const& in);

}  // namespace rows
