// Norms of sums of rows, which the residual takes, within the errors of their contracts.
#include <tessera/grid/add_norm.cuh>

#include "normed_rows.hpp"

namespace oracle::arrays {
namespace {

template <bool Centered>
void add_norm(call& c) {
  with_type(c, types<float, double, __half, __nv_bfloat16>{}, [&](auto t) {
    using T = decltype(t);
    normed_rows<T> const rows(c, true, Centered);
    auto const m = rows.m;
    auto const [in, out] = mapped(
        c, m, rows.x, [&](std::vector<long double> const&, index r) { return rows.of(wide(m.row(rows.sums, r))); });
    auto const residual = c.over(rows.residual, rows.sums);
    auto const weight = rows.in_if(c, rows.weights), bias = rows.in_if(c, rows.biases);
    c.launch = [=, in = in, out = out](grid::execution on) {
      return Centered ? grid::add_layer_norm_rows(m.view(in()), m.view(residual()), m.view(out()), weight(), bias(),
                                                  epsilon, on)
                      : grid::add_rms_norm_rows(m.view(in()), m.view(residual()), m.view(out()), weight(), bias(),
                                                epsilon, on);
    };
  });
}

registered<false> const of_normed_rows{{"add_layer_norm_rows", add_norm<true>}, {"add_rms_norm_rows", add_norm<false>}};

}  // namespace
}  // namespace oracle::arrays
