// Cross entropy.
#include "ranks.hpp"

#include <tessera/grid/cross_entropy.cuh>
#include <tessera/grid/sharded_rows.cuh>

namespace bench {

void add_losses(std::vector<method>& methods, int ranks) {
  std::int64_t const columns = vocabulary / ranks, n = tokens * columns;
  for (bool with_gradient : {false, true}) {
    std::string const row =
        std::string("cross entropy of 8192 x 131072 bf16 over all") + (with_gradient ? ", gradient in place" : "");
    auto const options_of = [=](grid::matrix<__nv_bfloat16> logits) {
      grid::cross_entropy_options<__nv_bfloat16> options;
      if (with_gradient) options.gradient = logits;
      return options;
    };
    methods.push_back({row, "local", n, [=](rank_data const& r, std::int64_t) {
                         grid::matrix<__nv_bfloat16> const logits{r.logits, tokens, columns};
                         return grid::cross_entropy_rows(logits, r.targets, static_cast<float*>(r.results),
                                                         options_of(logits), {r.on, *r.memory});
                       }});
    methods.push_back({row, "sharded", n, [=](rank_data const& r, std::int64_t) {
                         grid::matrix<__nv_bfloat16> const logits{r.logits, tokens, columns};
                         return grid::cross_entropy_rows(
                             *r.ranks, logits, {r.ranks->index() * columns, columns, vocabulary}, r.targets,
                             static_cast<float*>(r.results), options_of(logits), {r.on, *r.memory});
                       }});
  }
}

}  // namespace bench
