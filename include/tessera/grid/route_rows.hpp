// How rows of logits choose their columns: the options of route_rows, which is in route_rows.cuh.
//
//   tessera::grid::route_options options;
//   options.scores = tessera::grid::router_scores::sigmoid;
//   options.bias = bias;        // float const* on the GPU: one for each column
//   options.num_groups = 8;
//   options.top_groups = 4;
//   options.renormalize = true;
//   options.scale = 2.5f;
#pragma once

#include <tessera/core/config.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid {

/// The scores that are made of logits.
enum class router_scores {
  softmax,  // of the row
  sigmoid   // of each logit
};

/// How columns are chosen, and what they weigh.
struct route_options {
  router_scores scores = router_scores::softmax;
  /// Null, or a number for each column, which is added to scores to choose, but not to weights.
  float const* bias = nullptr;
  /// Columns form num_groups groups of equal size, side by side. Only columns of the best top_groups can be chosen.
  int num_groups = 1;
  int top_groups = 1;
  /// If true, the weights of a row are divided by their sum.
  bool renormalize = false;
  /// Weights are multiplied by it.
  float scale = 1.0f;
  /// Null, or k columns for each row from an earlier call, on the GPU. They get weights, and no columns are chosen.
  std::int32_t const* recorded = nullptr;
};

}  // namespace grid
TESSERA_NAMESPACE_END
