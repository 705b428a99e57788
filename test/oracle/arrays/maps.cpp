// Softmax and norms of rows, within the errors of their contracts.
#include <tessera/grid/norm.hpp>
#include <tessera/grid/softmax.hpp>

#include "arrays.hpp"
#include "mapped_rows.hpp"

namespace oracle::arrays {
namespace {

template <bool Logarithm>
void softmax(call& c) {
  with_type(c, floats{}, [&](auto t) {
    using T = decltype(t);
    matrix_of const m(c);
    auto const x = some<T>(c, m.elements(), 0);
    std::vector<std::int32_t> lengths_of_rows;
    if (c.what.is("extra", "more"))
      for (index r = 0; r < m.rows; ++r)
        lengths_of_rows.push_back(static_cast<std::int32_t>(c.drawn(1000 + static_cast<u64>(r), m.columns + 10) - 4));
    auto const [in, out] = mapped(c, m, x, [&](std::vector<long double> const& row, index r) {
      index const length = lengths_of_rows.empty()
                               ? m.columns
                               : std::clamp<index>(lengths_of_rows[static_cast<std::size_t>(r)], 0, m.columns);
      return model::softmax(row, length, Logarithm, arithmetic_of<T>());
    });
    auto const lengths_in = c.what.is("extra", "more") ? c.in(lengths_of_rows) : array<std::int32_t const>();
    c.launch = [=, in = in, out = out](grid::execution on) {
      return Logarithm ? grid::log_softmax_rows(m.view(in()), m.view(out()), lengths_in(), on)
                       : grid::softmax_rows(m.view(in()), m.view(out()), lengths_in(), on);
    };
  });
}
void softmax128(call& c) {
  matrix_of const m(c, 128);
  auto const x = some<__nv_bfloat16>(c, m.elements(), 0);
  auto const [in, out] = mapped(c, m, x, [&](std::vector<long double> const& row, index) {
    return model::softmax(row, 128, false, arithmetic_of<float>());
  });
  c.launch = [=, in = in, out = out](grid::execution on) { return grid::softmax128(out(), in(), m.rows, on); };
}
template <bool Centered>
void norm(call& c) {
  with_type(c, floats{}, [&](auto t) {
    using T = decltype(t);
    matrix_of const m(c);
    bool const scaled = c.what.is("extra", "more");
    auto const x = some<T>(c, m.elements(), 0);
    auto const weights = elements<tessera::plus, T>(c, scaled ? m.columns : 0, 5, true);
    auto const biases = elements<tessera::plus, T>(c, scaled ? m.columns : 0, 6, true);
    double const epsilon = 1e-5;
    auto const [in, out] = mapped(c, m, x, [&](std::vector<long double> const& row, index) {
      return model::norm(row, wide(weights), wide(biases), sizeof(T) == 8 ? epsilon : static_cast<float>(epsilon),
                         Centered, arithmetic_of<T>());
    });
    auto const weight = scaled ? c.in(weights) : array<T const>(), bias = scaled ? c.in(biases) : array<T const>();
    c.launch = [=, in = in, out = out](grid::execution on) {
      return Centered ? grid::layer_norm_rows(m.view(in()), m.view(out()), weight(), bias(), epsilon, on)
                      : grid::rms_norm_rows(m.view(in()), m.view(out()), weight(), bias(), epsilon, on);
    };
  });
}

registered<> const of_maps{{"softmax_rows", softmax<false>},
                           {"log_softmax_rows", softmax<true>},
                           {"softmax128", softmax128},
                           {"layer_norm_rows", norm<true>},
                           {"rms_norm_rows", norm<false>}};

}  // namespace
}  // namespace oracle::arrays
