// Reductions: of arrays, segments and rows. nvcc compiles this, too (any_fold.cu), for types and operators of a user's own.
#include "arrays.hpp"
#include "matrices.hpp"

#if TESSERA_CUDA
#include <tessera/grid/log_sum_exp_segments.cuh>
#include <tessera/grid/reduce.cuh>
#include <tessera/grid/rows.cuh>
#include <tessera/grid/segments.cuh>
#else
#include <tessera/grid/reduce.hpp>
#include <tessera/grid/rows.hpp>
#include <tessera/grid/segments.hpp>
#endif

namespace oracle::arrays {
namespace {

grid::order order_of(call const& c) {
  return c.what.is("form", "any_device") ? grid::order::any_device : grid::order::this_device;
}

void reduce(call& c) {
  with_type(c, numbers{}, [&](auto t) {
    with_op<decltype(t)>(c, [&](auto op) {
      auto const x = elements<decltype(op), decltype(t)>(c, c.n);
      auto const in = c.in(x);
      auto const out = c.out(std::vector{model::reduce(x, op)});
      c.launch = [=, n = c.n, how = order_of(c)](grid::execution on) {
        return grid::reduce(in(), n, out(), op, how, on);
      };
    });
  });
}

template <class Offset, class T, class Op>
void reduce_segments_of(call& c, Op op) {
  auto const x = elements<Op, T>(c, c.n);
  auto const at = offsets(c, c.n);
  auto const in = c.in(x);
  auto const begins = c.in(as<Offset>(at));
  auto const out = c.out(model::reduce_segments(x, at, op));
  c.launch = [=, segments = size(at) - 1](grid::execution on) {
    return grid::reduce_segments(in(), begins(), segments, out(), op, on);
  };
}
void reduce_segments(call& c) {
  with_type(c, numbers{}, [&](auto t) {
    with_op<decltype(t)>(c, [&](auto op) {
      if (c.what.is("index", "wide")) return reduce_segments_of<std::int64_t, decltype(t)>(c, op);
      reduce_segments_of<std::int32_t, decltype(t)>(c, op);
    });
  });
}

void reduce_rows(call& c) {
  with_type(c, numbers{}, [&](auto t) {
    with_op<decltype(t)>(c, [&](auto op) {
      matrix_of const m(c);
      auto const x = elements<decltype(op), decltype(t)>(c, m.elements());
      std::vector<decltype(model::reduce(x, op))> rows;
      for (index r = 0; r < m.rows; ++r) rows.push_back(model::reduce(m.row(x, r), op));
      auto const in = c.in(x);
      auto const out = c.out(rows);
      c.launch = [=](grid::execution on) { return grid::reduce_rows(m.view(in()), out(), op, on); };
    });
  });
}

#if TESSERA_CUDA

void transform_reduce(call& c) {
  auto const x = elements<affine>(c, c.n);
  auto const in = c.in(x);
  auto const out = c.out(std::vector{model::reduce(last_words(x), tessera::plus{})});
  c.launch = [=, n = c.n, how = order_of(c)](grid::execution on) {
    return grid::transform_reduce(in(), n, out(), tessera::plus{}, last_word{}, how, on);
  };
}
/// By an operator without an identity, from a value or from what the device has, which the result may replace.
void reduce_from(call& c) {
  with_type(c, numbers{}, [&](auto t) {
    using T = decltype(t);
    oracle::join const op{};
    auto const x = elements<T>(c, c.n);
    T const start = elements<T>(c, 1, 9)[0];
    auto const in = c.in(x);
    auto const out = c.over(std::vector{start}, std::vector{model::reduce_from(x, joining<T>(), start)});
    c.launch = [=, n = c.n, how = order_of(c), on_device = c.what.is("extra", "more")](grid::execution on) {
      if (on_device) return grid::reduce(in(), n, out(), op, grid::start_on_device<T>(out()), how, on);
      return grid::reduce(in(), n, out(), op, start, how, on);
    };
  });
}
void transform_reduce_from(call& c) {
  auto const x = elements<affine>(c, c.n);
  std::uint64_t const start = 17;
  auto const in = c.in(x);
  auto const out = c.out(std::vector{model::reduce_from(last_words(x), tessera::plus{}, start)});
  c.launch = [=, n = c.n, how = order_of(c)](grid::execution on) {
    return grid::transform_reduce(in(), n, out(), tessera::plus{}, last_word{}, start, how, on);
  };
}
void transform_reduce_rows(call& c) {
  matrix_of const m(c);
  auto const x = elements<affine>(c, m.elements());
  std::vector<std::uint32_t> rows;
  for (index r = 0; r < m.rows; ++r) rows.push_back(model::reduce(last_words(m.row(x, r)), tessera::plus{}));
  auto const in = c.in(x);
  auto const out = c.out(rows);
  c.launch = [=](grid::execution on) {
    return grid::transform_reduce_rows(m.view(in()), out(), tessera::plus{}, last_word{}, on);
  };
}

/// Segments by two arrays, the last one first; by lengths; of one length. With a start: extra is `more`.
template <class Place, class T, class Op>
void reduce_segments_listed_of(call& c, Op op) {
  auto const x = elements<Op, T>(c, c.n);
  bool const between = c.what.is("form", "between"), one_length = c.what.is("form", "one_length");
  auto places = offsets(c, c.n);
  index const length = 1 + c.drawn(61, c.what.is("spread", "short") ? 5 : 3000);
  if (!between) places = {0};
  if (one_length) {
    for (index at = length; at <= c.n; at += length) places.push_back(at);
  } else if (!between) {
    for (index const one : lengths(c, c.n, true)) places.push_back(places.back() + one);
  }
  T const start = elements<Op, T>(c, 1, 1).front();
  bool const starts = c.what.is("extra", "more");
  auto want = model::reduce_segments(x, places, op);
  for (auto& one : want) one = starts ? op(start, one) : one;
  std::vector<index> begins(places.begin(), places.end() - 1), ends(places.begin() + 1, places.end()), sizes;
  for (std::size_t s = 0; s < ends.size(); ++s) sizes.push_back(ends[s] - begins[s]);
  if (between) {
    for (auto* const all : {&begins, &ends}) std::reverse(all->begin(), all->end());
    std::reverse(want.begin(), want.end());
  }
  auto const in = c.in(x);
  auto const first = c.in(as<Place>(begins)), last = c.in(as<Place>(ends)), all_sizes = c.in(as<Place>(sizes));
  auto const out = c.out(want);
  c.launch = [=, segments = size(sizes)](grid::execution on) {
    auto const reduced = [&](auto const& by) {
      if (starts) return grid::reduce_segments(in(), by, segments, out(), op, start, on);
      return grid::reduce_segments(in(), by, segments, out(), op, on);
    };
    if (between) return reduced(grid::segments_between(first(), last()));
    if (one_length) return reduced(grid::segments_of_length(length));
    return reduced(grid::segments_of_lengths(all_sizes()));
  };
}
void reduce_segments_listed(call& c) {
  with_type(c, numbers{}, [&](auto t) {
    with_op<decltype(t)>(c, [&](auto op) {
      if (c.what.is("index", "wide")) return reduce_segments_listed_of<std::int64_t, decltype(t)>(c, op);
      reduce_segments_listed_of<std::int32_t, decltype(t)>(c, op);
    });
  });
}

template <class Offset, class T>
void log_sum_exp_segments_of(call& c) {
  auto const x = elements<T>(c, c.n);
  auto const at = offsets(c, c.n);
  constexpr model::arithmetic arithmetic =
      sizeof(T) == 8 ? model::arithmetic{0x1p-53, 0x1p-1074} : model::arithmetic{0x1p-24, 0x1p-149};
  std::vector<model::near> want;
  std::vector<T> rounded;
  for (std::size_t s = 0; s + 1 < at.size(); ++s) {
    want.push_back(model::log_sum_exp({x.begin() + at[s], x.begin() + at[s + 1]}, arithmetic));
    rounded.push_back(static_cast<T>(want.back().value));
  }
  auto const in = c.in(x);
  auto const begins = c.in(as<Offset>(at));
  auto const out =
      c.over<T>(poisoned<T>(size(at) - 1), rounded,
                [want](T const& got, T const& expected, std::size_t s) { return is_near(got, expected, want[s], 0); });
  c.launch = [=, segments = size(at) - 1](grid::execution on) {
    return grid::log_sum_exp_segments(in(), begins(), segments, out(), on);
  };
}
void log_sum_exp_segments(call& c) {
  with_type(c, types<float, double>{}, [&](auto t) {
    if (c.what.is("index", "wide")) return log_sum_exp_segments_of<std::int64_t, decltype(t)>(c);
    log_sum_exp_segments_of<std::int32_t, decltype(t)>(c);
  });
}

registered<false> const of_numbers{{"log_sum_exp_segments", log_sum_exp_segments}};
registered<> const of_fold{{"reduce", reduce},
                           {"reduce_segments", reduce_segments},
                           {"reduce_segments_listed", reduce_segments_listed},
                           {"reduce_rows", reduce_rows},
                           {"transform_reduce", transform_reduce},
                           {"reduce_from", reduce_from},
                           {"transform_reduce_from", transform_reduce_from},
                           {"transform_reduce_rows", transform_reduce_rows}};

#else

template <bool Greatest>
void arg_best(call& c) {
  with_type(c, numbers{}, [&](auto t) {
    auto const x = elements<decltype(t)>(c, c.n);
    auto const in = c.in(x);
    if (!c.what.is("form", "one_place")) {
      bool const last = c.what.is("form", "last");
      auto const best = model::best<decltype(t), std::int64_t>(x, Greatest, last);
      auto const value = c.out(std::vector{best.value});
      auto const index = c.out(std::vector{best.index});
      c.launch = [=, n = c.n, ties = last ? grid::ties::last : grid::ties::first](grid::execution on) {
        return Greatest ? grid::argmax(in(), n, value(), index(), ties, on)
                        : grid::argmin(in(), n, value(), index(), ties, on);
      };
      return;
    }
    auto const out = c.out(std::vector{model::best<decltype(t), std::int64_t>(x, Greatest)});
    c.launch = [=, n = c.n](grid::execution on) {
      return Greatest ? grid::argmax(in(), n, out(), on) : grid::argmin(in(), n, out(), on);
    };
  });
}
void minmax(call& c) {
  with_type(c, numbers{}, [&](auto t) {
    auto const x = elements<decltype(t)>(c, c.n);
    auto const in = c.in(x);
    auto const out = c.out(std::vector{model::extremes(x)});
    c.launch = [=, n = c.n](grid::execution on) { return grid::minmax(in(), n, out(), on); };
  });
}

/// Within an error of the mean and of m2 (of the root of the variance).
template <class T>
bool near_moments(tessera::moments<T> const& got, model::moments const& want, long double mean_error,
                  long double m2_error, long double root_error) {
  if (got.count != static_cast<T>(want.count)) return false;
  if (std::isnan(want.mean)) return got.mean != got.mean && got.m2 != got.m2;
  if (std::abs(got.mean - want.mean) > mean_error) return false;
  long double const n = std::max(want.count, 1.0L);
  return std::abs(got.m2 - want.m2) <= m2_error ||
         std::abs(std::sqrt(got.m2 / n) - std::sqrt(want.m2 / n)) <= root_error;
}
template <class T>
tessera::moments<T> rounded(model::moments const& m) {
  return {static_cast<T>(m.count), static_cast<T>(m.mean), static_cast<T>(m.m2)};
}

void moments(call& c) {
  with_type(c, numbers{}, [&](auto t) {
    auto const x = elements<tessera::plus, decltype(t)>(c, c.n, 0, oracle::model::is_integer<decltype(t)>);
    auto const want = model::moments_of(x);
    using result = tessera::moments<double>;
    auto const in = c.in(x);
    auto const out = c.over<result>(poisoned<result>(1), {rounded<double>(want)},
                                    [want](result const& got, result const&, std::size_t) {
                                      long double const deviation = std::sqrt(want.m2 / std::max(want.count, 1.0L)),
                                                        unit = 64 * 0x1p-52L * (std::abs(want.mean) + deviation);
                                      return near_moments(got, want, unit, unit * want.count * deviation, 0);
                                    });
    c.launch = [=, n = c.n, how = order_of(c)](grid::execution on) { return grid::moments(in(), n, out(), how, on); };
  });
}

template <bool Greatest>
void arg_best_rows(call& c) {
  with_type(c, numbers{}, [&](auto t) {
    using T = decltype(t);
    matrix_of const m(c);
    auto const x = elements<T>(c, m.elements());
    std::vector<tessera::indexed<T, int> > rows;
    for (index r = 0; r < m.rows; ++r) rows.push_back(model::best<T, int>(m.row(x, r), Greatest));
    auto const in = c.in(x);
    auto const out = c.out(rows);
    c.launch = [=](grid::execution on) {
      return Greatest ? grid::argmax_rows(m.view(in()), out(), on) : grid::argmin_rows(m.view(in()), out(), on);
    };
  });
}
void minmax_rows(call& c) {
  with_type(c, numbers{}, [&](auto t) {
    matrix_of const m(c);
    auto const x = elements<decltype(t)>(c, m.elements());
    std::vector<tessera::min_max<decltype(t)> > rows;
    for (index r = 0; r < m.rows; ++r) rows.push_back(model::extremes(m.row(x, r)));
    auto const in = c.in(x);
    auto const out = c.out(rows);
    c.launch = [=](grid::execution on) { return grid::minmax_rows(m.view(in()), out(), on); };
  });
}
void moments_rows(call& c) {
  with_type(c, floats{}, [&](auto t) {
    using T = decltype(t);
    using R = std::conditional_t<std::is_same_v<T, double>, double, float>;
    matrix_of const m(c);
    auto const x = elements<tessera::plus, T>(c, m.elements());
    std::vector<model::moments> want;
    std::vector<tessera::moments<R> > rows;
    std::vector<long double> largest;
    for (index r = 0; r < m.rows; ++r) {
      auto const row = m.row(x, r);
      want.push_back(model::moments_of(row));
      rows.push_back(rounded<R>(want.back()));
      largest.push_back(0);
      for (T const& y : row)
        largest.back() = std::max(largest.back(), std::abs(static_cast<long double>(static_cast<R>(y))));
    }
    auto const in = c.in(x);
    long double const columns = static_cast<long double>(std::max<index>(m.columns, 1));
    long double const unit = (16 + 4 * std::log2(columns) + columns / 2048) * (sizeof(R) == 8 ? 0x1p-53L : 0x1p-24L);
    using result = tessera::moments<R>;
    auto const out =
        c.over<result>(poisoned<result>(m.rows), rows, [=](result const& got, result const&, std::size_t r) {
          return near_moments(got, want[r], unit * largest[r], 0, unit * largest[r]);
        });
    c.launch = [=](grid::execution on) { return grid::moments_rows(m.view(in()), out(), on); };
  });
}

registered<> const of_fold{{"reduce", reduce},
                           {"argmin", arg_best<false>},
                           {"argmax", arg_best<true>},
                           {"minmax", minmax},
                           {"moments", moments},
                           {"reduce_segments", reduce_segments},
                           {"reduce_rows", reduce_rows},
                           {"argmin_rows", arg_best_rows<false>},
                           {"minmax_rows", minmax_rows},
                           {"argmax_rows", arg_best_rows<true>},
                           {"moments_rows", moments_rows}};

#endif

}  // namespace
}  // namespace oracle::arrays
