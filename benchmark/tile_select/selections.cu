// The 8 greatest of a warp's floats with their indices, in order: by selection, and by sorting all.
#include "../methods.cuh"
#include "chains.hpp"

#include <tessera/sort.hpp>
#include <tessera/top_k.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace bench {

constexpr unsigned best = 8;

/// The value is a lane's I floats, of which no two in the tile are equal. The lane that gets a result mixes it into its first float.
/// `PerLane` results are in one lane, those that come first in lane 0.
template <unsigned I, unsigned PerLane>
struct selecting : plain_subject<unsigned> {
  using value = tessera::items<float, I>;

  /// A multiplier, whose upper bits are the rank.
  static unsigned weight(unsigned rank, unsigned /*width*/) { return rank << 27 | 0x3779b1u; }
  BENCH_FN static float key_of(unsigned word, unsigned position) {
    return tessera::detail::from_bits<float>((word & 0x7effff00u) | position);  // no NaN and no infinity
  }
  BENCH_FN static unsigned word_of(float key) { return tessera::detail::from_bits<unsigned>(key); }
  BENCH_FN static void mix(value& x, float key, unsigned index) {
    x[0] = tessera::detail::from_bits<float>((word_of(x[0]) ^ word_of(key) ^ index) & 0x7effffffu);
  }

  BENCH_FN static value start(unsigned own) {
    value x;
    TESSERA_UNROLL
    for (unsigned i = 0; i < I; ++i) x[i] = key_of(update(own, i + 1, own), i);
    return x;
  }
  BENCH_FN static value alone(value x) {
    touch(x);
    return x;
  }
  BENCH_FN static value next(value const&, value x, unsigned weight, unsigned own) {
    TESSERA_UNROLL
    for (unsigned i = 0; i < I; ++i) x[i] = key_of(update(word_of(x[i]), weight, own), (weight >> 27) * I + i);
    return x;
  }
  template <std::size_t N>
  static std::array<value, N> expected(std::array<value, N> const& x) {
    std::vector<std::pair<float, unsigned>> all;
    for (value const& lane : x)
      for (float key : lane) all.push_back({key, static_cast<unsigned>(all.size())});
    std::stable_sort(all.begin(), all.end(), [](auto const& a, auto const& b) { return a.first > b.first; });
    std::array<value, N> result = x;
    for (unsigned i = 0; i < best; ++i) mix(result[i / PerLane], all[i].first, all[i].second);
    return result;
  }
};

struct by_top_k : for_all_lanes {
  template <unsigned N, unsigned I>
  __device__ tessera::items<float, I> operator()(tile<N> const& lanes, tessera::items<float, I> x) const {
    unsigned const rank = lanes.thread_rank();
    tessera::items<tessera::indexed<float, unsigned>, I> indexed;
#pragma unroll
    for (unsigned i = 0; i < I; ++i) indexed[i] = tessera::with_index(x[i], rank * I + i);
    auto const one = tessera::top_k<best>(lanes, indexed, tessera::greater{}, tessera::converged | tessera::scattered);
    if (rank < best) selecting<I, 1>::mix(x, one.value, one.index);
    return x;
  }
};
struct by_sort : for_all_lanes {
  template <unsigned N, unsigned I>
  __device__ tessera::items<float, I> operator()(tile<N> const& lanes, tessera::items<float, I> x) const {
    unsigned const rank = lanes.thread_rank();
    tessera::items<unsigned, I> index;
#pragma unroll
    for (unsigned i = 0; i < I; ++i) index[i] = rank * I + i;
    auto const sorted = tessera::sort_by_key(lanes, x, index, tessera::greater{}, tessera::converged);
    if (rank < best / I) {
#pragma unroll
      for (unsigned i = 0; i < I; ++i) selecting<I, I>::mix(x, sorted.keys[i], sorted.values[i]);
    }
    return x;
  }
};

template <unsigned I>
void add_selection(std::vector<chain>& chains) {
  std::string const what = "8 greatest of " + std::to_string(32 * I) + " floats";
  chains.push_back(make_chain<selecting<I, 1>, by_top_k, 32>(what, "tessera top_k", kind::ours));
  chains.push_back(make_chain<selecting<I, I>, by_sort, 32>(what, "tessera sort_by_key", kind::peer));
  chains.push_back(make_chain<selecting<I, 1>, loop_only, 32>(what, "loop only", kind::loop));
}

void add_selections(std::vector<chain>& chains) {
  add_selection<4>(chains);
  add_selection<8>(chains);
}

}  // namespace bench
