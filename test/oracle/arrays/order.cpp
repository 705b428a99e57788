// Sorts, selections by rank, searches, merges, histograms and differences. nvcc compiles this, too (any_order.cu), for structs.
#include "arrays.hpp"

#if TESSERA_CUDA
#include <tessera/grid/adjacent_difference.cuh>
#include <tessera/grid/histogram.cuh>
#include <tessera/grid/merge.cuh>
#include <tessera/grid/search.cuh>
#include <tessera/grid/set_operations.cuh>
#include <tessera/grid/top_k.cuh>

#include "functions_of_structs.hpp"
#else
#include <tessera/grid/adjacent_difference.hpp>
#include <tessera/grid/histogram.hpp>
#include <tessera/grid/merge.hpp>
#include <tessera/grid/search.hpp>
#include <tessera/grid/sort.hpp>
#include <tessera/grid/sort_segments.hpp>
#include <tessera/grid/top_k.hpp>
#endif

namespace oracle::arrays {
namespace {

/// How many of n a selection takes, as `spread` says.
index rank_of(call const& c) {
  std::string const& spread = c.what["spread"];
  if (spread == "none") return 0;
  if (spread == "one") return std::min<index>(1, c.n);
  if (spread == "some") return std::min<index>(c.n, 2 + c.drawn(81, 200));
  if (spread == "many") return std::min<index>(c.n, 4000 + c.drawn(81, 4000));
  return std::min<index>(c.n, 20'000);
}

#if TESSERA_CUDA

constexpr index struct_bins = 900;  // first_word is above some of the time

void merge(call& c) {
  with_type(c, numbers{}, [&](auto t) {
    using T = decltype(t);
    auto const sorted = [](std::vector<T> const& x) { return model::gather(x, model::argsort(x, first_word_less{})); };
    index const na = c.n / 3;
    auto const a = sorted(elements<T>(c, na)), b = sorted(elements<T>(c, c.n - na, 1));
    auto const in_a = c.in(a), in_b = c.in(b);
    auto const out = c.out(model::merge(a, b, first_word_less{}));
    c.launch = [=, n = c.n](grid::execution on) {
      return grid::merge(in_a(), na, in_b(), n - na, out(), first_word_less{}, on);
    };
  });
}

/// Set operations: one call of keys alone, and one with values. Those of b aren't read by all of them.
struct unite {
  static constexpr char const* name = "set_union";
  template <class... Arguments>
  cudaError_t keys(Arguments... arguments) const {
    return grid::set_union(arguments...);
  }
  template <class T, class V, class... More>
  cudaError_t pairs(T a, V values_a, index na, T b, V values_b, index nb, More... more) const {
    return grid::set_union_by_key(a, values_a, na, b, values_b, nb, more...);
  }
};
struct intersect {
  static constexpr char const* name = "set_intersection";
  template <class... Arguments>
  cudaError_t keys(Arguments... arguments) const {
    return grid::set_intersection(arguments...);
  }
  template <class T, class V, class... More>
  cudaError_t pairs(T a, V values_a, index na, T b, V, index nb, More... more) const {
    return grid::set_intersection_by_key(a, values_a, na, b, nb, more...);
  }
};
struct subtract {
  static constexpr char const* name = "set_difference";
  template <class... Arguments>
  cudaError_t keys(Arguments... arguments) const {
    return grid::set_difference(arguments...);
  }
  template <class T, class V, class... More>
  cudaError_t pairs(T a, V values_a, index na, T b, V, index nb, More... more) const {
    return grid::set_difference_by_key(a, values_a, na, b, nb, more...);
  }
};
struct exclude {
  static constexpr char const* name = "set_symmetric_difference";
  template <class... Arguments>
  cudaError_t keys(Arguments... arguments) const {
    return grid::set_symmetric_difference(arguments...);
  }
  template <class T, class V, class... More>
  cudaError_t pairs(T a, V values_a, index na, T b, V values_b, index nb, More... more) const {
    return grid::set_symmetric_difference_by_key(a, values_a, na, b, values_b, nb, more...);
  }
};
template <class Operation>
void set_operation(call& c) {
  with_type(c, numbers{}, [&](auto t) {
    using T = decltype(t);
    auto const sorted = [](std::vector<T> const& x) { return model::gather(x, model::argsort(x, first_word_less{})); };
    index const na = c.n / 3, nb = c.n - na;
    auto const a = sorted(elements<T>(c, na)), b = sorted(elements<T>(c, nb, 1));
    auto const places = model::set_places(Operation::name, a, b, first_word_less{});
    auto all = a;
    all.insert(all.end(), b.begin(), b.end());
    auto const in_a = c.in(a), in_b = c.in(b);
    auto const out = c.out(model::gather(all, places));
    auto const count = c.out(std::vector<std::int64_t>{size(places)});
    if (!c.what.is("extra", "more")) {
      c.launch = [=](grid::execution on) {
        return Operation{}.keys(static_cast<T const*>(in_a()), na, static_cast<T const*>(in_b()), nb, out(), count(),
                                first_word_less{}, on);
      };
      return;
    }
    std::vector<std::int32_t> numbers_of_all(static_cast<std::size_t>(c.n));
    for (std::size_t i = 0; i < numbers_of_all.size(); ++i) numbers_of_all[i] = static_cast<std::int32_t>(i * 7);
    auto const values = c.in(numbers_of_all);
    auto const values_out = c.out(model::gather(numbers_of_all, places));
    c.launch = [=](grid::execution on) {
      auto const* const v = static_cast<std::int32_t const*>(values());
      return Operation{}.pairs(static_cast<T const*>(in_a()), v, na, static_cast<T const*>(in_b()), v + na, nb, out(),
                               values_out(), count(), first_word_less{}, on);
    };
  });
}
void adjacent_difference(call& c) {
  with_type(c, numbers{}, [&](auto t) {
    auto const x = elements<decltype(t)>(c, c.n);
    auto want = x;
    for (std::size_t i = 1; i < x.size(); ++i) want[i] = joined(x[i], x[i - 1]);
    auto const in = c.in(x);
    auto const out = c.out(want);
    c.launch = [=, n = c.n](grid::execution on) { return grid::adjacent_difference(in(), n, out(), join{}, on); };
  });
}
void histogram_by(call& c) {
  with_type(c, numbers{}, [&](auto t) {
    auto const x = elements<decltype(t)>(c, c.n);
    std::vector<std::uint64_t> bins(struct_bins), outside(3);
    for (auto const& y : x) ++(first_word{}(y) < struct_bins ? bins[first_word{}(y)] : outside[1]);
    auto const in = c.in(x);
    auto const counts = c.out(bins), others = c.out(outside);
    c.launch = [=, n = c.n](grid::execution on) {
      return grid::histogram_by(in(), n, counts(), struct_bins, first_word{},
                                reinterpret_cast<grid::out_of_range*>(others()), on);
    };
  });
}
/// The first words of structs are elements, the second ones weights: whole numbers, whose sums are exact.
void histogram_weighted(call& c) {
  with_type(c, numbers{}, [&](auto t) {
    auto const x = elements<decltype(t)>(c, c.n);
    index const bins = 1 + c.drawn(87, 1000), upper = std::int64_t{1} << 31;
    std::vector<std::uint32_t> first;
    std::vector<float> weights;
    std::vector<double> want(static_cast<std::size_t>(bins));
    for (auto const& y : x) {
      first.push_back(y.w[0]);
      weights.push_back(static_cast<float>(y.w[1] % 1000) - 300);
      if (first.back() < upper) want[static_cast<std::size_t>(first.back() * bins / upper)] += weights.back();
    }
    auto const in = c.in(first);
    auto const by = c.in(weights);
    auto const sums = c.out(want);
    c.launch = [=, n = c.n](grid::execution on) {
      return grid::histogram_weighted(in(), by(), n, sums(), bins, 0, upper, nullptr, on);
    };
  });
}
/// The words of structs are channels, the first two of which are counted.
void histogram_channels(call& c) {
  with_type(c, numbers{}, [&](auto t) {
    using T = decltype(t);
    constexpr unsigned channels = sizeof(T) / sizeof(std::uint32_t);
    auto const x = elements<T>(c, c.n);
    std::vector<std::uint32_t> first, second;
    for (auto const& y : x) {
      first.push_back(y.w[0]);
      second.push_back(y.w[1]);
    }
    index const bins = 1 + c.drawn(87, 1000), upper = std::int64_t{1} << 31;
    auto const want = model::histogram(first, bins, index{0}, upper);
    auto const other = model::histogram(second, index{10}, index{5}, upper, true);
    auto const in = c.in(x);
    auto const counts = c.out(want.counts), others = c.out(other.counts);
    auto const outside = c.out(std::vector<std::uint64_t>(want.outside, want.outside + 3));
    c.launch = [=, n = c.n](grid::execution on) {
      return grid::histogram_channels<channels>(
          reinterpret_cast<std::uint32_t const*>(in()), n,
          {{counts(), bins, 0, upper, reinterpret_cast<grid::out_of_range*>(outside())},
           {others(), 10, 5, upper, grid::last_bin::closed}},
          on);
    };
  });
}
void top_k_by(call& c) {
  with_type(c, numbers{}, [&](auto t) {
    auto const x = elements<decltype(t)>(c, c.n);
    index const k = rank_of(c);
    auto const best =
        model::slice(model::argsort(x, [](auto const& a, auto const& b) { return first_word_less{}(b, a); }), 0, k);
    auto const in = c.in(x);
    auto const values = c.out(model::gather(x, best));
    auto const indices = c.out(best);
    c.launch = [=, n = c.n](grid::execution on) {
      return grid::top_k_by(in(), n, k, values(), indices(), first_word{}, tessera::greater{}, on);
    };
  });
}

registered<> const of_order{{"merge", merge},
                            {"set_union", set_operation<unite>},
                            {"set_intersection", set_operation<intersect>},
                            {"set_difference", set_operation<subtract>},
                            {"set_symmetric_difference", set_operation<exclude>},
                            {"adjacent_difference", adjacent_difference},
                            {"histogram_by", histogram_by},
                            {"histogram_channels", histogram_channels},
                            {"histogram_weighted", histogram_weighted},
                            {"top_k_by", top_k_by}};

#else

/// Calls f(before, the model's) for the order that the call names.
template <class F>
void with_order(call& c, F f) {
  if (c.what.is("form", "greater")) return f(tessera::greater{}, model::before{true});
  f(tessera::less{}, model::before{false});
}

/// An array in order, out of place or in place; if not `stable`, equal elements in any order.
template <class T, class Key>
std::pair<array<T const>, array<T> > sorted_array(call& c, std::vector<T> const& x, std::vector<index> const& at,
                                                  std::vector<Key> const& keys, bool stable,
                                                  std::vector<T> const& initial) {
  auto want = initial;
  for (std::size_t i = 0; i < at.size(); ++i)
    if (at[i] >= 0) want[i] = x[static_cast<std::size_t>(at[i])];
  if (stable) {
    if (!c.in_place()) return {c.in(x), c.over(initial, want)};
    auto const both = c.over(x, want);
    return {{both.at}, both};
  }
  auto const judge = [want, keys](std::vector<T> const& got) { return model::same_but_for_ties(keys, want, got); };
  if (!c.in_place()) return {c.in(x), c.judged<T>(initial, want, judge)};
  auto const both = c.judged<T>(x, want, judge);
  return {{both.at}, both};
}

template <bool Stable>
void sort(call& c) {
  with_type(c, numbers{}, [&](auto t) {
    with_order(c, [&](auto before, auto order) {
      auto const x = elements<decltype(t)>(c, c.n);
      auto const at = model::argsort(x, order);
      auto const [in, out] =
          sorted_array(c, x, at, model::gather(x, at), Stable, c.in_place() ? x : poisoned<decltype(t)>(c.n));
      c.launch = [=, in = in, out = out, n = c.n](grid::execution on) {
        return Stable ? grid::stable_sort(in(), n, out(), before, on) : grid::sort(in(), n, out(), before, on);
      };
    });
  });
}
template <bool Stable, class Value, class T>
void sort_by_key_of(call& c) {
  with_order(c, [&](auto before, auto order) {
    auto const x = elements<T>(c, c.n);
    auto const values = elements<Value>(c, c.n, 3);
    auto const at = model::argsort(x, order);
    auto const keys = model::gather(x, at);
    auto const [in, out] = sorted_array(c, x, at, keys, Stable, c.in_place() ? x : poisoned<T>(c.n));
    auto const [values_in, values_out] =
        sorted_array(c, values, at, keys, Stable, c.in_place() ? values : poisoned<Value>(c.n));
    c.launch = [=, in = in, out = out, values_in = values_in, values_out = values_out, n = c.n](grid::execution on) {
      return Stable ? grid::stable_sort_by_key(in(), values_in(), n, out(), values_out(), before, on)
                    : grid::sort_by_key(in(), values_in(), n, out(), values_out(), before, on);
    };
  });
}
template <bool Stable>
void sort_by_key(call& c) {
  with_type(c, numbers{}, [&](auto t) {
    if (c.what.is("index", "wide")) return sort_by_key_of<Stable, std::uint64_t, decltype(t)>(c);
    sort_by_key_of<Stable, std::int32_t, decltype(t)>(c);
  });
}
template <class Index, class T>
void argsort_of(call& c) {
  with_order(c, [&](auto before, auto order) {
    auto const x = elements<T>(c, c.n);
    auto const in = c.in(x);
    auto const out = c.out(as<Index>(model::argsort(x, order)));
    c.launch = [=, n = c.n](grid::execution on) { return grid::argsort(in(), n, out(), before, on); };
  });
}
void argsort(call& c) {
  with_type(c, numbers{}, [&](auto t) {
    if (c.what.is("index", "wide")) return argsort_of<std::int64_t, decltype(t)>(c);
    argsort_of<std::uint32_t, decltype(t)>(c);
  });
}

enum class moved { keys, keys_stably, values };

template <moved What, class Offset, class T>
void sort_segments_of(call& c) {
  using Value = std::conditional_t<sizeof(Offset) == 8, std::uint64_t, float>;
  with_order(c, [&](auto before, auto order) {
    auto const x = elements<T>(c, c.n);
    auto const values = elements<Value>(c, What == moved::values ? c.n : 0, 3);
    auto const begin = offsets(c, c.n);
    auto at = model::argsort_segments(x, begin, order);
    auto const keys = model::gather(x, at);
    std::fill(at.begin(), at.begin() + begin.front(), -1);  // in no segment
    std::fill(at.begin() + begin.back(), at.end(), -1);
    auto const [in, out] = sorted_array(c, x, at, keys, What != moved::keys, c.in_place() ? x : poisoned<T>(c.n));
    if (What != moved::values) at.clear();
    auto const [values_in, values_out] =
        sorted_array(c, values, at, keys, true, c.in_place() ? values : poisoned<Value>(size(values)));
    auto const begins = c.in(as<Offset>(begin));
    c.launch = [=, in = in, out = out, values_in = values_in, values_out = values_out, n = c.n,
                segments = size(begin) - 1](grid::execution on) {
      if constexpr (What == moved::keys) return grid::sort_segments(in(), n, begins(), segments, out(), before, on);
      if constexpr (What == moved::keys_stably)
        return grid::stable_sort_segments(in(), n, begins(), segments, out(), before, on);
      return grid::sort_segments_by_key(in(), values_in(), n, begins(), segments, out(), values_out(), before, on);
    };
  });
}
template <moved What>
void sort_segments(call& c) {
  with_type(c, numbers{}, [&](auto t) {
    if (c.what.is("index", "wide")) return sort_segments_of<What, std::int64_t, decltype(t)>(c);
    sort_segments_of<What, std::int32_t, decltype(t)>(c);
  });
}

void top_k(call& c) {
  with_type(c, numbers{}, [&](auto t) {
    with_order(c, [&](auto before, auto order) {
      auto const x = elements<decltype(t)>(c, c.n);
      index const k = rank_of(c);
      auto const best = model::slice(model::argsort(x, order), 0, k);
      auto const in = c.in(x);
      auto const values = c.what.is("extra", "indices") ? array<decltype(t)>() : c.out(model::gather(x, best));
      auto const indices = c.what.is("extra", "values") ? array<index>() : c.out(best);
      c.launch = [=, n = c.n](grid::execution on) { return grid::top_k(in(), n, k, values(), indices(), before, on); };
    });
  });
}
void nth_element(call& c) {
  with_type(c, numbers{}, [&](auto t) {
    with_order(c, [&](auto before, auto order) {
      auto const x = elements<decltype(t)>(c, c.n);
      index const rank = c.what.is("spread", "one") ? 0 : c.what.is("spread", "some") ? c.drawn(82, c.n) : c.n - 1;
      auto const at = model::slice(model::argsort(x, order), rank, rank + 1);
      auto const in = c.in(x);
      auto const value = c.out(model::gather(x, at));
      auto const place = c.out(at);
      c.launch = [=, n = c.n](grid::execution on) {
        return grid::nth_element(in(), n, rank, value(), place(), before, on);
      };
    });
  });
}

/// Between two elements, `part` from the first on, and how far off it may be.
template <class T>
model::near between(T a, T b, double part) {
  auto const x = static_cast<long double>(static_cast<oracle::model::arithmetic_t<T> >(a));
  auto const y = static_cast<long double>(static_cast<oracle::model::arithmetic_t<T> >(b));
  if (part == 0 || x == y) return {x, 0};
  if (std::isnan(y)) return {y, 0};
  if (std::isinf(x) && std::isinf(y)) return {std::nanl(""), 0};
  if (std::isinf(x)) return {x, 0};
  return {std::isinf(y) ? y : x + static_cast<long double>(part) * (y - x),
          3 * 0x1p-53L * std::max(std::abs(x), std::abs(y))};
}
void quantiles(call& c) {
  with_type(c, numbers{}, [&](auto t) {
    using T = decltype(t);
    using method = grid::quantile_method;
    std::string const& form = c.what["form"];
    method const how = form == "lower"     ? method::lower
                       : form == "higher"  ? method::higher
                       : form == "linear"  ? method::linear
                       : form == "nearest" ? method::nearest
                                           : method::midpoint;
    auto const x = elements<T>(c, c.n);
    auto const sorted = model::gather(x, model::argsort(x, model::before{}));
    std::vector<double> q;
    std::vector<T> want;
    std::vector<model::near> nears;
    for (index i = 0; i < (c.n == 0 ? 0 : 1 + c.drawn(83, 4)); ++i) {
      q.push_back(c.drawn(84 + static_cast<u64>(i), 5) == 0
                      ? 1
                      : static_cast<double>(c.drawn(94 + static_cast<u64>(i), 1 << 20)) * 0x1p-20);
      auto const at = model::place_of(q.back(), c.n);
      T const a = sorted[at.lower], b = sorted[at.higher];
      want.push_back(how == method::lower ? a : how == method::higher ? b : sorted[model::nearest(at)]);
      if constexpr (oracle::model::is_float<T>) {
        double const part = how == method::linear || at.part == 0 ? at.part : 0.5;
        nears.push_back(between(a, b, part));
        if (how == method::linear || how == method::midpoint)
          want.back() = static_cast<T>(static_cast<oracle::model::arithmetic_t<T> >(nears.back().value));
      }
    }
    auto const in = c.in(x);
    std::function<bool(T const&, T const&, std::size_t)> near;
    if constexpr (oracle::model::is_float<T>) {
      if (how == method::linear || how == method::midpoint)
        near = [nears](T const& got, T const& expected, std::size_t i) { return is_near(got, expected, nears[i], 1); };
    }
    auto const out = c.over(poisoned<T>(size(want)), want, near);
    c.launch = [=, n = c.n](grid::execution on) {
      return grid::quantiles(in(), n, q.data(), static_cast<index>(q.size()), out(), how, on);
    };
  });
}

/// Bounds that some elements are outside of.
template <class T, class Bound>
std::pair<Bound, Bound> bounds_of(call const& c) {
  if (c.what.is("values", "few")) {  // of floats 0, 1 and 2: one may be the upper bound
    return {Bound(0), static_cast<Bound>(oracle::model::is_float<T> ? 1 + c.drawn(85, 2) : 3 + c.drawn(85, 30))};
  }
  if constexpr (oracle::model::is_float<T>) {
    Bound const scale = sizeof(T) == 2 || c.what.is("values", "special") ? 1 : Bound(1.5e7);
    return {scale * -100, scale * (1 + static_cast<Bound>(c.drawn(85, 150)))};
  } else if constexpr (sizeof(T) == 1) {
    return {static_cast<Bound>(c.drawn(85, 20)), static_cast<Bound>(256 - c.drawn(86, 20))};
  } else {
    T const most = std::numeric_limits<T>::max();
    return {static_cast<Bound>(most / 8), static_cast<Bound>(most / 4 * 3)};
  }
}
/// Edges are elements: equal ones, infinities and zeros of both signs are among them.
template <class T, class Bound>
void histogram_between(call& c, std::vector<T> const& x, index bins, grid::last_bin last) {
  using ordered = std::conditional_t<oracle::model::is_float<T>, Bound, T>;
  auto edges = elements<T>(c, bins + 1, 1);
  for (T& edge : edges) {
    if (oracle::model::is_nan(static_cast<ordered>(edge))) edge = T(1);
  }
  std::stable_sort(edges.begin(), edges.end(),
                   [](T const& a, T const& b) { return static_cast<ordered>(a) < static_cast<ordered>(b); });
  std::vector<ordered> at;
  for (T const& edge : edges) at.push_back(static_cast<ordered>(edge));
  auto const want = model::histogram_between(x, at, last == grid::last_bin::closed);
  auto const in = c.in(x), between = c.in(edges);
  auto const counts = c.out(want.counts);
  auto const outside = c.what.is("extra", "more") ? c.out(std::vector<std::uint64_t>(want.outside, want.outside + 3))
                                                  : array<std::uint64_t>();
  c.launch = [=, n = c.n](grid::execution on) {
    return grid::histogram(in(), n, counts(), bins, between(), {reinterpret_cast<grid::out_of_range*>(outside()), last},
                           on);
  };
}
void histogram(call& c) {
  with_type(c,
            types<std::uint8_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double, __half,
                  __nv_bfloat16>{},
            [&](auto t) {
              using T = decltype(t);
              using Bound = std::conditional_t<oracle::model::is_float<T>, std::conditional_t<sizeof(T) == 2, float, T>,
                                               std::conditional_t<sizeof(T) <= 4, std::int64_t, T> >;
              auto const x = elements<T>(c, c.n);
              index const bins = c.what.is("spread", "one")    ? 1
                                 : c.what.is("spread", "some") ? 2 + c.drawn(87, 300)
                                                               : 300 + c.drawn(87, 65'236);
              bool const closed = c.what.is("form", "even_closed") || c.what.is("form", "edges_closed");
              auto const last = closed ? grid::last_bin::closed : grid::last_bin::half_open;
              if (c.what.is("form", "edges") || c.what.is("form", "edges_closed"))
                return histogram_between<T, Bound>(c, x, bins, last);
              auto const [lower, upper] = bounds_of<T, Bound>(c);
              auto const want = model::histogram(x, bins, lower, upper, closed);
              auto const in = c.in(x);
              auto const counts = c.out(want.counts);
              auto const outside = c.what.is("extra", "more")
                                       ? c.out(std::vector<std::uint64_t>(want.outside, want.outside + 3))
                                       : array<std::uint64_t>();
              c.launch = [=, lower = lower, upper = upper, n = c.n](grid::execution on) {
                return grid::histogram(in(), n, counts(), bins, lower, upper,
                                       {reinterpret_cast<grid::out_of_range*>(outside()), last}, on);
              };
            });
}

template <bool Upper, class Index, class T>
void bound_of(call& c) {
  auto const x = elements<T>(c, c.n);
  auto const sorted = model::gather(x, model::argsort(x, model::before{}));
  auto const needles = elements<T>(c, c.what.is("spread", "few") ? c.drawn(88, 10) : std::min<index>(c.n, 50'000) + 3,
                                   c.drawn(89, 2) == 0 ? 0 : 1);
  std::vector<Index> want;
  for (T const& needle : needles) want.push_back(static_cast<Index>(model::bound(sorted, needle, Upper)));
  auto const in = c.in(sorted), by = c.in(needles);
  auto const out = c.out(want);
  c.launch = [=, n = c.n, count = size(needles)](grid::execution on) {
    return Upper ? grid::upper_bound(in(), n, by(), count, out(), tessera::less{}, on)
                 : grid::lower_bound(in(), n, by(), count, out(), tessera::less{}, on);
  };
}
template <bool Upper>
void bound(call& c) {
  with_type(c, elements_32_64{}, [&](auto t) {
    if (c.what.is("index", "wide")) return bound_of<Upper, std::int64_t, decltype(t)>(c);
    bound_of<Upper, std::uint32_t, decltype(t)>(c);
  });
}
void merge(call& c) {
  with_type(c, elements_32_64{}, [&](auto t) {
    using T = decltype(t);
    auto const sorted = [](std::vector<T> const& x) { return model::gather(x, model::argsort(x, model::before{})); };
    index const na = c.drawn(90, c.n + 1);
    auto const a = sorted(elements<T>(c, na)), b = sorted(elements<T>(c, c.n - na, 1));
    auto const in_a = c.in(a), in_b = c.in(b);
    auto const out = c.out(model::merge(a, b, model::before{}));
    c.launch = [=, n = c.n](grid::execution on) {
      return grid::merge(in_a(), na, in_b(), n - na, out(), tessera::less{}, on);
    };
  });
}
void adjacent_difference(call& c) {
  with_type(c, elements_32_64{}, [&](auto t) {
    auto const x = elements<decltype(t)>(c, c.n);
    auto const in = c.in(x);
    auto const out = c.out(model::differences(x));
    c.launch = [=, n = c.n](grid::execution on) {
      return grid::adjacent_difference(in(), n, out(), tessera::minus{}, on);
    };
  });
}

registered<> const of_order{{"sort", sort<false>},
                            {"stable_sort", sort<true>},
                            {"sort_by_key", sort_by_key<false>},
                            {"stable_sort_by_key", sort_by_key<true>},
                            {"argsort", argsort},
                            {"sort_segments", sort_segments<moved::keys>},
                            {"stable_sort_segments", sort_segments<moved::keys_stably>},
                            {"sort_segments_by_key", sort_segments<moved::values>},
                            {"top_k", top_k},
                            {"nth_element", nth_element},
                            {"quantiles", quantiles},
                            {"histogram", histogram},
                            {"lower_bound", bound<false>},
                            {"upper_bound", bound<true>},
                            {"merge", merge},
                            {"adjacent_difference", adjacent_difference}};

#endif

}  // namespace
}  // namespace oracle::arrays
