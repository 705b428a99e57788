// Calls by iterators, of structs: each reads its arrays backwards, and writes its results backwards.
#include <thrust/iterator/zip_iterator.h>

#include <cuda/std/tuple>
#include <tessera/grid/merge.cuh>
#include <tessera/grid/reduce.cuh>
#include <tessera/grid/runs.cuh>
#include <tessera/grid/scan.cuh>
#include <tessera/grid/select.cuh>
#include <tessera/grid/set_operations.cuh>
#include <tessera/grid/sort.cuh>
#include <tessera/grid/top_k.cuh>
#include <tessera/grid/transform.cuh>

#include <utility>

#include "backwards.hpp"

namespace oracle::arrays {
namespace {

template <class T>
void select_of(call& c, std::vector<T> const& x) {
  std::vector<char> chosen;
  for (T const& y : x) chosen.push_back(is_odd{}(y));
  index found = 0;
  auto const all = model::partition(x, chosen, found);
  auto const in = read_backwards(c, x);
  auto const count = c.out(std::vector<std::int64_t>{found});
  if (c.what.is("form", "partition")) {
    auto const both = written_backwards(c, all, c.n);
    c.launch = [=, n = c.n](grid::execution on) { return grid::partition(in(), n, both(), count(), is_odd{}, on); };
    return;
  }
  auto const out = written_backwards(c, model::slice(all, 0, found), c.n);
  c.launch = [=, n = c.n](grid::execution on) { return grid::select(in(), n, out(), count(), is_odd{}, on); };
}
template <class T>
void runs_of(call& c, std::vector<T> const& x) {
  auto const ends = model::runs_of(x, both_odd{});
  auto const begins = model::slice(ends, 0, size(ends) - 1);
  std::vector<std::int64_t> lengths;
  for (std::size_t r = 0; r < begins.size(); ++r) lengths.push_back(ends[r + 1] - ends[r]);
  auto const in = read_backwards(c, x);
  auto const keys = written_backwards(c, model::gather(x, begins), size(begins));
  auto const lengths_out = written_backwards(c, lengths, size(begins));
  auto const count = c.out(std::vector<std::int64_t>{size(begins)});
  c.launch = [=, n = c.n](grid::execution on) {
    return grid::run_length_encode(in(), n, keys(), lengths_out(), count(), both_odd{}, on);
  };
}
/// A merge, or the union, the intersection or the difference.
template <class T>
void combine(call& c, std::vector<T> const& x) {
  auto const sorted = [](std::vector<T> const& y) { return model::gather(y, model::argsort(y, first_word_less{})); };
  index const na = c.n / 3, nb = c.n - na;
  auto const a = sorted(model::slice(x, 0, na)), b = sorted(model::slice(x, na, c.n));
  auto const in_a = read_backwards(c, a), in_b = read_backwards(c, b);
  first_word_less const less;
  if (c.what.is("form", "merge")) {
    auto const out = written_backwards(c, model::merge(a, b, less), c.n);
    c.launch = [=](grid::execution on) { return grid::merge(in_a(), na, in_b(), nb, out(), less, on); };
    return;
  }
  std::string const name = c.what["form"];
  auto const places = model::set_places(name, a, b, less);
  auto all = a;
  all.insert(all.end(), b.begin(), b.end());
  auto const out = written_backwards(c, model::gather(all, places), c.n);
  auto const count = c.out(std::vector<std::int64_t>{size(places)});
  c.launch = [=](grid::execution on) {
    return name == "set_union"          ? grid::set_union(in_a(), na, in_b(), nb, out(), count(), less, on)
           : name == "set_intersection" ? grid::set_intersection(in_a(), na, in_b(), nb, out(), count(), less, on)
                                        : grid::set_difference(in_a(), na, in_b(), nb, out(), count(), less, on);
  };
}
template <class T>
void top_k_of(call& c, std::vector<T> const& x) {
  index const k = std::min<index>(c.n, 1 + c.drawn(81, 300));
  auto const falling = [](T const& a, T const& b) { return first_word_less{}(b, a); };
  auto const best = model::slice(model::argsort(x, falling), 0, k);
  auto const in = read_backwards(c, x);
  auto const values = written_backwards(c, model::gather(x, best), k);
  auto const indices = written_backwards(c, as<std::int64_t>(best), k);
  c.launch = [=, n = c.n](grid::execution on) {
    return grid::top_k_by(in(), n, k, values(), indices(), first_word{}, tessera::greater{}, on);
  };
}
/// A struct that takes its first word from another array.
struct with_first_word {
  template <class Pair>
  TESSERA_FN auto operator()(Pair const& x) const {
    auto whole = cuda::std::get<1>(x);
    whole.w[0] = cuda::std::get<0>(x);
    return whole;
  }
};
template <class T, class Op>
void reduce_zipped(call& c, std::vector<T> x, Op const& op) {
  auto const out = c.out(std::vector{model::reduce(x, op)});
  std::vector<std::uint32_t> first;
  for (T& y : x) first.push_back(std::exchange(y.w[0], 0u));
  auto const words = c.in(first);
  auto const rest = c.in(x);
  c.launch = [=, n = c.n](grid::execution on) {
    auto const pairs = thrust::make_zip_iterator(words(), rest());
    return grid::transform_reduce(pairs, n, out(), op, with_first_word{}, on);
  };
}
template <class T>
void by_iterators_of(call& c) {
  auto const x = elements<T>(c, c.n);
  auto const op = joining<T>();
  std::string const form = c.what["form"];
  if (form == "select" || form == "partition") return select_of(c, x);
  if (form == "run_length_encode") return runs_of(c, x);
  if (form == "top_k_by") return top_k_of(c, x);
  if (form == "reduce_zipped") return reduce_zipped(c, x, op);
  if (form == "merge" || form.rfind("set_", 0) == 0) return combine(c, x);
  auto const in = read_backwards(c, x);
  if (form == "reduce") {
    auto const out = written_backwards(c, std::vector{model::reduce(x, op)}, 1);
    c.launch = [=, n = c.n](grid::execution on) { return grid::reduce(in(), n, out(), op, on); };
  } else if (form == "scan") {
    auto const out = written_backwards(c, model::scan(x, op, model::scan_kind::inclusive, false, T{}).out, c.n);
    c.launch = [=, n = c.n](grid::execution on) { return grid::inclusive_scan(in(), n, out(), op, on); };
  } else if (form == "sort") {
    auto const out = c.out(model::gather(x, model::argsort(x, first_word_less{})));
    c.launch = [=, n = c.n](grid::execution on) { return grid::sort(in(), n, out(), first_word_less{}, on); };
  } else {
    auto const out = written_backwards(c, x, c.n);
    c.launch = [=, n = c.n](grid::execution on) {
      return grid::transform(in(), n, out(), tessera::detail::as_it_is{}, on);
    };
  }
}
void by_iterators(call& c) {
  std::string const form = c.what["form"];
  if (form == "reduce_rows" || form == "reduce_segments" || form == "sort_segments") return segments_by_iterators(c);
  with_type(c, numbers{}, [&](auto t) { by_iterators_of<decltype(t)>(c); });
}
registered<> const of_any_iterators{{"by_iterators", by_iterators}};

}  // namespace
}  // namespace oracle::arrays
