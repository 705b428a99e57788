// Calls of as many elements as the device knows, of structs: what comes after the first ones is as it was, or of sorts anything.
#include <tessera/grid/adjacent_difference.cuh>
#include <tessera/grid/merge.cuh>
#include <tessera/grid/reduce.cuh>
#include <tessera/grid/runs.cuh>
#include <tessera/grid/scan.cuh>
#include <tessera/grid/select.cuh>
#include <tessera/grid/set_operations.cuh>
#include <tessera/grid/sort.cuh>
#include <tessera/grid/top_k.cuh>

#include "arrays.hpp"
#include "functions_of_structs.hpp"

namespace oracle::arrays {
namespace {

/// The number on the device, as `spread` says: it may be above at_most.
index number_of(call const& c) {
  if (c.what.is("spread", "none")) return 0;
  return c.what.is("spread", "all") ? c.n + c.drawn(94, 2) * 5 : c.drawn(95, c.n + 1);
}

/// Outputs for at most c.n elements, which begin with these.
template <class T>
array<T> out_of(call& c, std::vector<T> const& first) {
  auto want = poisoned<T>(c.n);
  std::copy(first.begin(), first.end(), want.begin());
  return c.out(want);
}
template <class T>
array<T> sorted_out_of(call& c, std::vector<T> const& first) {
  auto want = poisoned<T>(c.n);
  std::copy(first.begin(), first.end(), want.begin());
  return c.judged<T>(poisoned<T>(c.n), want, [first](std::vector<T> const& got) {
    for (std::size_t i = 0; i < first.size(); ++i)
      if (!same(got[i], first[i])) return false;
    return true;
  });
}

/// A merge or an intersection of as many elements of a as the device knows, and all of b, or the other way.
template <class T>
void counted_pair(call& c, std::vector<T> const& now) {
  first_word_less const less;
  auto const sorted = [&](std::vector<T> const& y) { return model::gather(y, model::argsort(y, less)); };
  auto const first = sorted(now), other = sorted(elements<T>(c, c.n / 2, 1));
  auto longer = first;
  longer.resize(static_cast<std::size_t>(c.n));
  bool const swapped = c.drawn(96, 2) != 0, merges = c.what.is("form", "merge");
  auto const &a = swapped ? other : first, &b = swapped ? first : other;
  auto const in = c.in(longer), in_other = c.in(other);
  auto const on_device = c.in(std::vector<std::int64_t>{size(first)});
  auto want = merges ? model::merge(a, b, less) : std::vector<T>();
  if (!merges) {
    auto all = a;
    all.insert(all.end(), b.begin(), b.end());
    want = model::gather(all, model::set_places("set_intersection", a, b, less));
  }
  auto whole = poisoned<T>(c.n + size(other));
  std::copy(want.begin(), want.end(), whole.begin());
  auto const out = c.out(whole);
  auto const count = merges ? array<std::int64_t>{nullptr} : c.out(std::vector<std::int64_t>{size(want)});
  c.launch = [=, n = c.n, others = size(other)](grid::execution on) {
    auto const some = grid::count_on_device(on_device(), n);
    if (merges) {
      return swapped ? grid::merge(in_other(), others, in(), some, out(), less, on)
                     : grid::merge(in(), some, in_other(), others, out(), less, on);
    }
    return swapped ? grid::set_intersection(in_other(), others, in(), some, out(), count(), less, on)
                   : grid::set_intersection(in(), some, in_other(), others, out(), count(), less, on);
  };
}

/// The first words of structs.
template <class T>
struct first_words {
  using value_type = std::uint32_t;
  using difference_type = std::int64_t;
  T const* in;

  TESSERA_FN value_type operator*() const { return first_word{}(*in); }
  TESSERA_FN first_words operator+(std::int64_t i) const { return {in + i}; }
};
/// Quantiles of as many first words as the device knows: of none nothing is stored.
template <class T>
void counted_quantiles(call& c, array<T const> const& in, array<std::int64_t const> const& on_device,
                       std::vector<T> const& now) {
  using method = grid::quantile_method;
  method const methods[] = {method::lower, method::higher, method::nearest}, how = methods[c.drawn(82, 3)];
  auto const sorted = model::gather(now, model::argsort(now, first_word_less{}));
  std::vector<double> q;
  for (index i = 0; i < (c.n == 0 ? 0 : 1 + c.drawn(83, 4)); ++i)
    q.push_back(static_cast<double>(c.drawn(84 + static_cast<u64>(i), (1 << 10) + 1)) * 0x1p-10);
  auto want = poisoned<std::uint32_t>(size(q));
  for (std::size_t i = 0; i < want.size() && !now.empty(); ++i) {
    auto const at = model::place_of(q[i], size(now));
    want[i] = first_word{}(sorted[how == method::lower    ? at.lower
                                  : how == method::higher ? at.higher
                                                          : model::nearest(at)]);
  }
  auto const out = c.out(want);
  c.launch = [=, n = c.n](grid::execution on) {
    return grid::quantiles(first_words<T>{in()}, grid::count_on_device(on_device(), n), q.data(), size(q), out(), how,
                           on);
  };
}

template <class T>
void counted_of(call& c) {
  auto const x = elements<T>(c, c.n);
  index const number = number_of(c);
  auto const now = model::slice(x, 0, std::min(number, c.n));
  if (c.what.is("form", "merge") || c.what.is("form", "set_intersection")) return counted_pair(c, now);
  auto const in = c.in(x);
  auto const on_device = c.in(std::vector<std::int64_t>{number});
  if (c.what.is("form", "quantiles")) return counted_quantiles(c, in, on_device, now);
  auto const some = [=, n = c.n] { return grid::count_on_device(on_device(), n); };
  if (c.what.is("form", "select") || c.what.is("form", "partition")) {
    std::vector<char> chosen;
    for (T const& y : now) chosen.push_back(is_odd{}(y));
    bool const parts = c.what.is("form", "partition");
    index found = 0;
    auto const all = model::partition(now, chosen, found);
    auto const out = out_of(c, parts ? all : model::slice(all, 0, found));
    auto const count = c.out(std::vector<std::int64_t>{found});
    c.launch = [=](grid::execution on) {
      return parts ? grid::partition(in(), some(), out(), count(), is_odd{}, on)
                   : grid::select(in(), some(), out(), count(), is_odd{}, on);
    };
  } else if (c.what.is("form", "run_length_encode")) {
    auto const ends = model::runs_of(now, both_odd{});
    auto const begins = model::slice(ends, 0, size(ends) - 1);
    std::vector<std::int64_t> lengths;
    for (std::size_t r = 0; r < begins.size(); ++r) lengths.push_back(ends[r + 1] - ends[r]);
    auto const keys = out_of(c, model::gather(now, begins));
    auto const lengths_out = out_of(c, lengths);
    auto const count = c.out(std::vector<std::int64_t>{size(begins)});
    c.launch = [=](grid::execution on) {
      return grid::run_length_encode(in(), some(), keys(), lengths_out(), count(), both_odd{}, on);
    };
  } else if (c.what.is("form", "top_k_by")) {
    index const k = std::min<index>(c.n, 1 + c.drawn(81, 300));
    auto const falling = [](T const& a, T const& b) { return first_word_less{}(b, a); };
    auto const best = model::slice(model::argsort(now, falling), 0, std::min(k, size(now)));
    auto const values = c.out([&] {
      auto want = poisoned<T>(k);
      auto const first = model::gather(now, best);
      std::copy(first.begin(), first.end(), want.begin());
      return want;
    }());
    c.launch = [=](grid::execution on) {
      return grid::top_k_by(in(), some(), k, values(), nullptr, first_word{}, tessera::greater{}, on);
    };
  } else if (c.what.is("form", "adjacent_difference")) {
    auto want = now;
    for (std::size_t i = 1; i < now.size(); ++i) want[i] = joined(now[i], now[i - 1]);
    auto const out = out_of(c, want);
    c.launch = [=](grid::execution on) { return grid::adjacent_difference(in(), some(), out(), join{}, on); };
  } else if (c.what.is("form", "reduce")) {
    auto const op = joining<T>();
    auto const how = c.drawn(97, 2) == 0 ? grid::order::this_device : grid::order::any_device;
    auto const out = c.out(std::vector{model::reduce(now, op)});
    c.launch = [=](grid::execution on) { return grid::reduce(in(), some(), out(), op, how, on); };
  } else if (c.what.is("form", "scan")) {
    auto const op = joining<T>();
    auto const out = out_of(c, model::scan(now, op, model::scan_kind::inclusive, false, T{}).out);
    c.launch = [=](grid::execution on) { return grid::inclusive_scan(in(), some(), out(), op, on); };
  } else {
    auto const places = model::argsort(now, first_word_less{});
    auto const out = sorted_out_of(c, model::gather(now, places));
    auto const indices = sorted_out_of(c, as<std::int64_t>(places));
    c.launch = [=](grid::execution on) {
      cudaError_t const error = grid::sort(in(), some(), out(), first_word_less{}, on);
      return error == cudaSuccess ? grid::argsort(in(), some(), indices(), first_word_less{}, on) : error;
    };
  }
}
void counted(call& c) {
  with_type(c, numbers{}, [&](auto t) { counted_of<decltype(t)>(c); });
}
registered<> const of_any_counted{{"count_on_device", counted}};

}  // namespace
}  // namespace oracle::arrays
