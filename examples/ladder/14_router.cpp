// The two best of 64 experts for each token, and how much of each: top_k.
//
// A tile of 8 lanes takes a token, and each lane 8 of the experts' scores. top_k<2> of values with_index says which
// experts they are, in every lane and in order; equal scores go to the lower expert. The weights are the softmax
// over these two. Change `chosen` to 4, `lanes` to 16, or sum up the weights of all 64 beforehand.
#include <tessera/top_k.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "run.hpp"

struct router {
  static constexpr unsigned lanes = 8, experts = 64, each = experts / lanes, chosen = 2;
  float const* scores;
  unsigned tokens;
  int* expert;
  float* weight;

  template <class Block>
  TESSERA_FN void operator()(Block const& block) const {
    auto const tile = tessera::tiled_partition<lanes>(block);
    unsigned const token = block.group_index().x * tile.meta_group_size() + tile.meta_group_rank();
    if (token >= tokens) return;
    unsigned const rank = tile.thread_rank();
    tessera::items<tessera::indexed<float>, each> score;
    for (unsigned i = 0; i < each; ++i) {
      unsigned const e = rank * each + i;
      score[i] = tessera::with_index(scores[token * experts + e], static_cast<int>(e));
    }
    auto const best = tessera::top_k<chosen>(tile, score);
    float sum = 0;
    for (unsigned i = 0; i < chosen; ++i) sum += std::exp(best[i].value - best[0].value);
    for (unsigned i = rank; i < chosen; i += lanes) {
      expert[token * chosen + i] = best[i].index;
      weight[token * chosen + i] = std::exp(best[i].value - best[0].value) / sum;
    }
  }
};

int main() {
  constexpr unsigned tokens = 1000, experts = router::experts, threads = 128;
  ladder::random_numbers random;
  ladder::array<float> scores(tokens * experts), weight(tokens * 2);
  ladder::array<int> expert(tokens * 2);
  for (float& s : scores) s = static_cast<float>(random.below(100)) * 0.1f;
  ladder::run(ladder::parts(tokens * router::lanes, threads), threads,
              router{scores.data(), tokens, expert.data(), weight.data()});

  std::vector<int> best(tokens * 2);
  std::vector<double> expected(tokens * 2);
  for (unsigned t = 0; t < tokens; ++t) {
    float const* const s = scores.data() + t * experts;
    std::vector<int> order(experts);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return s[a] > s[b]; });
    best[2 * t] = order[0], best[2 * t + 1] = order[1];
    expected[2 * t] = 1 / (1 + std::exp(double(s[order[1]]) - s[order[0]]));
    expected[2 * t + 1] = 1 - expected[2 * t];
  }
  double const differences[] = {ladder::difference(expert, best), ladder::difference(weight, expected)};
  return ladder::report("router", "1000 tokens, 64 scores each", "tile of 8, 8 each", ladder::largest_of(differences),
                        1e-5);
}
