// A linear recurrence, y[i] = a[i] * y[i - 1] + b[i], as a scan.
//
// A step is a function of y. Two steps, one after the other, are a function of the same kind, so composing
// them is an associative operator: make_operator(compose, the empty step). A round takes 32 steps and starts
// from the last y of the round before. Change the step: a state of two numbers and a 2x2 matrix make a filter
// of second order.
#include <tessera/lanes.hpp>
#include <tessera/scan.hpp>

#include "run.hpp"

struct step {  // y becomes a * y + b
  float a, b;
};

struct compose {
  TESSERA_FN step operator()(step first, step then) const { return {then.a * first.a, then.a * first.b + then.b}; }
};

struct recurrence {
  step const* steps;
  unsigned sequences, n;
  float* y;

  template <class Block>
  TESSERA_FN void operator()(Block const& block) const {
    auto const tile = tessera::tiled_partition<32>(block);
    unsigned const which = block.group_index().x * tile.meta_group_size() + tile.meta_group_rank();
    if (which >= sequences) return;
    constexpr step nothing{1, 0};
    auto const in_order = tessera::make_operator(compose{}, nothing);
    float last = 0;
    for (unsigned begin = 0; begin < n; begin += tile.size()) {
      unsigned const i = begin + tile.thread_rank();
      step const mine = i < n ? steps[which * n + i] : nothing;
      step const so_far = tessera::inclusive_scan(tile, mine, in_order, step{0, last});
      if (i < n) y[which * n + i] = so_far.b;
      last = tessera::broadcast(tile, so_far.b, tile.size() - 1);
    }
  }
};

int main() {
  constexpr unsigned sequences = 50, n = 301, threads = 128;
  ladder::random_numbers random;
  ladder::array<step> steps(sequences * n);
  ladder::array<float> y(sequences * n);
  for (step& s : steps) {
    s.a = static_cast<float>(random.below(200)) * 0.01f - 1;
    s.b = static_cast<float>(random.below(200)) * 0.01f - 1;
  }
  ladder::run(ladder::parts(sequences * 32, threads), threads, recurrence{steps.data(), sequences, n, y.data()});

  std::vector<double> expected(sequences * n);
  for (unsigned i = 0; i < sequences * n; ++i)
    expected[i] = steps[i].a * (i % n == 0 ? 0 : expected[i - 1]) + steps[i].b;
  return ladder::report("recurrence", "50 sequences of 301 steps", "tile of 32", ladder::difference(y, expected), 1e-5);
}
