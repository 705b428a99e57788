// The elements of segments that come first.
#include <tessera/grid/top_k_segments.cuh>

#include "arrays.hpp"
#include "chosen.hpp"

namespace oracle::arrays {
namespace {

template <class T, class Offset>
void top_k_segments_of(call& c) {
  index const k = std::min<index>(results_of(c), 1 + 4'000'000 / std::max<index>(c.n, 1));
  bool const falling = c.what.is("form", "greater");
  auto const x = elements<T>(c, c.n);
  auto const at = offsets(c, c.n);
  chosen<T, std::int32_t> want;
  for (std::size_t s = 0; s + 1 < at.size(); ++s) {
    auto const segment = model::slice(x, at[s], at[s + 1]);
    want.add(segment, first_places(c, segment, k, falling), falling);
  }
  auto const in = c.in(x);
  auto const begins = c.in(as<Offset>(at));
  auto const values = c.out(want.values);
  auto const indices = c.out(want.indices);
  c.launch = [=, segments = size(at) - 1, options = options_of(c)](grid::execution on) {
    return falling
               ? grid::top_k_segments(in(), begins(), segments, k, values(), indices(), tessera::greater{}, options, on)
               : grid::top_k_segments(in(), begins(), segments, k, values(), indices(), tessera::less{}, options, on);
  };
}
void top_k_segments(call& c) {
  with_type(c, ordered_types{}, [&](auto t) {
    if (c.what.is("index", "wide")) return top_k_segments_of<decltype(t), std::int64_t>(c);
    top_k_segments_of<decltype(t), std::int32_t>(c);
  });
}

registered<false> const of_chosen_segments{{"top_k_segments", top_k_segments}};

}  // namespace
}  // namespace oracle::arrays
