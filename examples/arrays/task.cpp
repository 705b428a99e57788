#include "task.hpp"

#include <cmath>
#include <sstream>

namespace arrays {

namespace {

/// Throws unless the bins can be represented in T, the type that the histogram computes with.
template <class T>
void check_bins(task const& t) {
  T const lower = static_cast<T>(t.lower), upper = static_cast<T>(t.upper);
  bool const possible = t.bins >= 1 && t.bins <= 65536 && lower < upper && std::isfinite(upper - lower) &&
                        std::isfinite(static_cast<T>(t.bins) / (upper - lower));
  if (possible) return;
  std::ostringstream wrong;
  wrong << t.bins << " bins from " << t.lower << " to " << t.upper
        << " aren't possible: there must be 1 to 65536 bins, and the lower bound must be below the upper one";
  throw task_error(wrong.str());
}

}  // namespace

extent extent_of(array const& a) {
  return a.shape.size() == 1 ? extent{1, a.shape[0]} : extent{a.shape[0], a.shape[1]};
}

array zeros_for(task const& t, array const& in) {
  auto const [rows, columns] = extent_of(in);
  std::vector<std::int64_t> shape = in.shape;
  switch (t.what) {
    case operation::softmax:
    case operation::scan:
    case operation::sort:
      return array::zeros(in.type, shape);
    case operation::unique:
      return array::zeros(in.type, {rows * columns});
    case operation::top_k:
      if (t.k < 0 || t.k > columns) throw task_error("--k must be 0 to the number of columns");
      shape.back() = t.k;
      return array::zeros(in.type, shape);
    case operation::quantiles:
      for (double q : t.q) {
        if (!(q >= 0 && q <= 1)) throw task_error("--q takes numbers from 0 to 1");
      }
      if (rows > 0 && columns == 0) throw task_error("a row without columns has no quantiles");
      shape.back() = static_cast<std::int64_t>(t.q.size());
      return array::zeros(in.type, shape);
    case operation::layer_norm:
      if (!(t.epsilon >= 0)) throw task_error("--epsilon must be 0 or more");
      return array::zeros(in.type, shape);
    case operation::histogram:
      in.type == number::float64 ? check_bins<double>(t) : check_bins<float>(t);
      shape.back() = t.bins;
      return array::zeros(number::uint64, shape);
    case operation::sum:
      shape.pop_back();
      return array::zeros(in.type == number::float16 ? number::float32 : in.type, shape);
    case operation::max:
    case operation::argmax:
      if (rows > 0 && columns == 0) throw task_error("a row without columns has no greatest value");
      shape.pop_back();
      return array::zeros(t.what == operation::argmax ? number::int64 : in.type, shape);
  }
  throw std::logic_error("an operation without a result");
}

}  // namespace arrays
