// Scans: of arrays, by key, of segments. nvcc compiles this, too (any_scan.cu), for types and operators of a user's own.
#include "arrays.hpp"

#if TESSERA_CUDA
#include <tessera/grid/scan.cuh>
#include <tessera/grid/scan_by_key.cuh>
#include <tessera/grid/scan_segments.cuh>
#else
#include <tessera/grid/scan.hpp>
#include <tessera/grid/scan_by_key.hpp>
#include <tessera/grid/scan_segments.hpp>
#endif

namespace oracle::arrays {
namespace {

using model::scan_kind;

template <scan_kind Kind, class T, class Op>
void scan_of(call& c, Op op) {
  using R = model::combined_t<T, Op>;
  auto const x = elements<Op, T>(c, c.n);
  R const start = static_cast<R>(elements<Op, T>(c, 1, 9)[0]);
  bool const suffix = c.what.is("form", "suffix");
  auto const want = model::scan(x, op, Kind, suffix, start);
  auto const [in, out] = c.in_and_out(x, want.out);
  auto const total = c.what.is("extra", "more") ? c.out(std::vector<R>{want.total}) : array<R>();
  c.launch = [=, in = in, out = out, n = c.n](grid::execution on) {
    grid::scan_options<R> const options{suffix, total()};
    if constexpr (Kind == scan_kind::inclusive) return grid::inclusive_scan(in(), n, out(), op, options, on);
    if constexpr (Kind == scan_kind::exclusive) return grid::exclusive_scan(in(), n, out(), op, options, on);
    if constexpr (Kind == scan_kind::inclusive_from)
      return grid::inclusive_scan(in(), n, out(), op, start, options, on);
    return grid::exclusive_scan(in(), n, out(), op, start, options, on);
  };
}
template <scan_kind Kind>
void scan(call& c) {
  with_type(c, numbers{}, [&](auto t) {
    using T = decltype(t);
    if constexpr (!oracle::model::is_number<T>) {
      scan_of<Kind, T>(c, joining<T>());
    } else {
      if (c.what.is("op", "minimum")) return scan_of<Kind, T>(c, tessera::minimum{});
      if (c.what.is("op", "maximum")) return scan_of<Kind, T>(c, tessera::maximum{});
      scan_of<Kind, T>(c, tessera::plus{});
    }
  });
}

/// The operator of scans of runs and segments.
template <class T>
auto sum_of() {
  if constexpr (oracle::model::is_number<T>) {
    return tessera::plus{};
  } else {
    return joining<T>();
  }
}

template <scan_kind Kind, class Key, class T>
void scan_by_key_of(call& c) {
  auto const op = sum_of<T>();
  using Op = std::decay_t<decltype(op)>;
  auto const x = elements<Op, T>(c, c.n);
  T const start = elements<Op, T>(c, 1, 9)[0];
  auto const keys = keys_in_runs<Key>(c, c.n);
  auto const [in, out] =
      c.in_and_out(x, model::scan_segments(x, model::runs_of(keys, model::equal{}), op, Kind, start, x));
  auto const by = c.in(keys);
  c.launch = [=, in = in, out = out, n = c.n](grid::execution on) {
    if constexpr (Kind == scan_kind::inclusive) return grid::inclusive_scan_by_key(by(), in(), n, out(), op, on);
    if constexpr (Kind == scan_kind::exclusive) return grid::exclusive_scan_by_key(by(), in(), n, out(), op, on);
    return grid::exclusive_scan_by_key(by(), in(), n, out(), op, start, on);
  };
}
template <scan_kind Kind>
void scan_by_key(call& c) {
  with_type(c, elements_32_64{}, [&](auto t) {
    if (c.what.is("index", "wide")) return scan_by_key_of<Kind, std::int64_t, decltype(t)>(c);
    scan_by_key_of<Kind, std::uint32_t, decltype(t)>(c);
  });
}

template <scan_kind Kind, class Offset, class T>
void scan_segments_of(call& c) {
  auto const op = sum_of<T>();
  using Op = std::decay_t<decltype(op)>;
  auto const x = elements<Op, T>(c, c.n);
  T const start = elements<Op, T>(c, 1, 9)[0];
  auto const at = offsets(c, c.n);
  auto const initial = c.in_place() ? x : poisoned<T>(c.n);
  auto const [in, out] = c.in_and_out(x, model::scan_segments(x, at, op, Kind, start, initial));
  auto const begins = c.in(as<Offset>(at));
  c.launch = [=, in = in, out = out, n = c.n, segments = size(at) - 1](grid::execution on) {
    if constexpr (Kind == scan_kind::inclusive)
      return grid::inclusive_scan_segments(in(), n, begins(), segments, out(), op, on);
    if constexpr (Kind == scan_kind::exclusive)
      return grid::exclusive_scan_segments(in(), n, begins(), segments, out(), op, on);
    return grid::exclusive_scan_segments(in(), n, begins(), segments, out(), op, start, on);
  };
}
template <scan_kind Kind>
void scan_segments(call& c) {
  with_type(c, elements_32_64{}, [&](auto t) {
    if (c.what.is("index", "wide")) return scan_segments_of<Kind, std::int64_t, decltype(t)>(c);
    scan_segments_of<Kind, std::int32_t, decltype(t)>(c);
  });
}

#if TESSERA_CUDA
template <scan_kind Kind>
void transform_scan(call& c) {
  auto const x = elements<affine>(c, c.n);
  std::uint32_t const start = 17;
  bool const suffix = c.what.is("form", "suffix");
  auto const want = model::scan(last_words(x), tessera::plus{}, Kind, suffix, start);
  auto const in = c.in(x);
  auto const out = c.out(want.out), total = c.out(std::vector{want.total});
  c.launch = [=, n = c.n](grid::execution on) {
    grid::scan_options<std::uint32_t> const options{suffix, total()};
    if constexpr (Kind == scan_kind::inclusive)
      return grid::transform_inclusive_scan(in(), n, out(), tessera::plus{}, last_word{}, options, on);
    return grid::transform_exclusive_scan(in(), n, out(), tessera::plus{}, last_word{}, start, options, on);
  };
}
/// From what the device has, which the total replaces.
template <scan_kind Kind>
void carried_scan(call& c) {
  with_type(c, numbers{}, [&](auto t) {
    using T = decltype(t);
    auto const op = joining<T>();
    auto const x = elements<T>(c, c.n);
    T const start = elements<T>(c, 1, 9)[0];
    bool const suffix = c.what.is("form", "suffix");
    auto const want = model::scan(x, op, Kind, suffix, start);
    auto const [in, out] = c.in_and_out(x, want.out);
    auto const carry = c.over(std::vector{start}, std::vector{want.total});
    c.launch = [=, in = in, out = out, n = c.n](grid::execution on) {
      grid::scan_options<T> const options{suffix, carry()};
      auto const from = grid::start_on_device<T>(carry());
      if constexpr (Kind == scan_kind::inclusive_from)
        return grid::inclusive_scan(in(), n, out(), op, from, options, on);
      return grid::exclusive_scan(in(), n, out(), op, from, options, on);
    };
  });
}
/// Segments by two arrays, the last one first; or by lengths.
template <class Place, class T>
void scan_segments_listed_of(call& c) {
  auto const op = sum_of<T>();
  using Op = std::decay_t<decltype(op)>;
  auto const x = elements<Op, T>(c, c.n);
  T const start = elements<Op, T>(c, 1, 9)[0];
  bool const between = c.what.is("form", "between");
  auto at = offsets(c, c.n);
  if (!between) {
    at = {0};
    for (index const one : lengths(c, c.n, true)) at.push_back(at.back() + one);
  }
  std::vector<index> begins(at.begin(), at.end() - 1), ends(at.begin() + 1, at.end()), sizes;
  for (std::size_t s = 0; s < ends.size(); ++s) sizes.push_back(ends[s] - begins[s]);
  for (auto* const all : {&begins, &ends}) std::reverse(all->begin(), all->end());
  auto const initial = c.in_place() ? x : poisoned<T>(c.n);
  auto const [in, out] = c.in_and_out(x, model::scan_segments(x, at, op, scan_kind::exclusive_from, start, initial));
  auto const first = c.in(as<Place>(begins)), last = c.in(as<Place>(ends)), all_sizes = c.in(as<Place>(sizes));
  c.launch = [=, in = in, out = out, n = c.n, segments = size(sizes)](grid::execution on) {
    if (between)
      return grid::exclusive_scan_segments(in(), n, grid::segments_between(first(), last()), segments, out(), op, start,
                                           on);
    return grid::exclusive_scan_segments(in(), n, grid::segments_of_lengths(all_sizes()), segments, out(), op, start,
                                         on);
  };
}
void scan_segments_listed(call& c) {
  with_type(c, elements_32_64{}, [&](auto t) {
    if (c.what.is("index", "wide")) return scan_segments_listed_of<std::int64_t, decltype(t)>(c);
    scan_segments_listed_of<std::int32_t, decltype(t)>(c);
  });
}

registered<> const transformed{{"inclusive_scan_carried", carried_scan<scan_kind::inclusive_from>},
                               {"exclusive_scan_carried", carried_scan<scan_kind::exclusive_from>},
                               {"transform_inclusive_scan", transform_scan<scan_kind::inclusive>},
                               {"transform_exclusive_scan", transform_scan<scan_kind::exclusive_from>},
                               {"scan_segments_listed", scan_segments_listed}};
#endif

registered<> const of_scan{{"inclusive_scan", scan<scan_kind::inclusive>},
                           {"exclusive_scan", scan<scan_kind::exclusive>},
                           {"exclusive_scan_from", scan<scan_kind::exclusive_from>},
                           {"inclusive_scan_from", scan<scan_kind::inclusive_from>},
                           {"inclusive_scan_by_key", scan_by_key<scan_kind::inclusive>},
                           {"exclusive_scan_by_key", scan_by_key<scan_kind::exclusive>},
                           {"exclusive_scan_by_key_from", scan_by_key<scan_kind::exclusive_from>},
                           {"inclusive_scan_segments", scan_segments<scan_kind::inclusive>},
                           {"exclusive_scan_segments", scan_segments<scan_kind::exclusive>},
                           {"exclusive_scan_segments_from", scan_segments<scan_kind::exclusive_from>}};

}  // namespace
}  // namespace oracle::arrays
