// The tasks of `arrays`, one function for each file.
#pragma once

#include "../passes.hpp"

namespace bench {

void add_whole_arrays(std::vector<task>& tasks);
void add_histograms(std::vector<task>& tasks);
void add_computed_rows(std::vector<task>& tasks);
void add_iterators(std::vector<task>& tasks);  // and sizes on the device
void add_routes(std::vector<task>& tasks);     // of mixtures of experts, and labels
void add_rows(std::vector<task>& tasks);
void add_row_scans(std::vector<task>& tasks);        // and of columns
void add_samples(std::vector<task>& tasks);          // of rows of logits
void add_row_tops(std::vector<task>& tasks);         // and sorts of rows
void add_searches(std::vector<task>& tasks);         // bounds, merges, adjacent differences
void add_segmented_scans(std::vector<task>& tasks);  // by key and by offsets
void add_segments(std::vector<task>& tasks);
void add_scans(std::vector<task>& tasks);
void add_selections(std::vector<task>& tasks);
void add_runs(std::vector<task>& tasks);
void add_set_operations(std::vector<task>& tasks);
void add_maps(std::vector<task>& tasks);  // softmax and norms
void add_losses(std::vector<task>& tasks);
void add_sorts(std::vector<task>& tasks);
void add_top_k(std::vector<task>& tasks);  // and medians
void add_copies_of_batches(std::vector<task>& tasks);
void add_transforms(std::vector<task>& tasks);  // and for_each

inline std::string power_of_two(int exponent) {
  return "2^" + std::to_string(exponent);
}

/// Describes the first result that differs from the peer's by more than `relative` times the peer's.
template <class T>
std::string compare(std::vector<T> const& ours, std::vector<T> const& theirs, double relative) {
  for (std::size_t i = 0; i < ours.size(); ++i) {
    double const a = static_cast<double>(ours[i]), b = static_cast<double>(theirs[i]);
    if (!((a > b ? a - b : b - a) <= relative * (b < 0 ? -b : b) + relative * 1e-3))
      return "gives " + std::to_string(a) + " at " + std::to_string(i) + ", the first method " + std::to_string(b);
  }
  return {};
}

}  // namespace bench
