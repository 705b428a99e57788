// What route_rows and group_by_label give, by plain loops: choices in double, but for ties, and weights in double.
#pragma once

#include <tessera/grid/route_rows.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "samples.hpp"

namespace test {

/// A row's columns as they are ranked: the score of each, without bias and with it.
struct routed_row {
  std::vector<double> scores, ranked;
  std::vector<int> chosen;
  std::vector<double> weights;
  bool is_close = false;  // A group that remains and one that doesn't are nearly equal, of other numbers.
};

/// exp(x); 0 below −87.
inline double exponential(double x) {
  return x < -87 ? 0 : std::exp(x);
}

inline std::vector<double> scores_of(std::vector<float> const& row, tessera::grid::router_scores kind) {
  double const infinity = std::numeric_limits<double>::infinity();
  std::vector<double> x, out;
  double max = -infinity;
  for (float logit : row) {
    x.push_back(std::isnan(logit) ? -infinity : static_cast<double>(logit));
    max = std::max(max, x.back());
  }
  double sum = 0;
  for (double logit : x) {
    if (kind == tessera::grid::router_scores::sigmoid) {
      out.push_back(1 / (1 + exponential(-logit)));
      if (logit < -87) out.back() = 0;
    } else {
      out.push_back(max == infinity ? (logit == infinity ? 1 : 0) : max == -infinity ? 0 : exponential(logit - max));
      sum += out.back();
    }
  }
  if (kind == tessera::grid::router_scores::softmax) {
    for (double& score : out) score = sum > 0 ? score / sum : 0;
  }
  return out;
}

/// `options.bias` is on the host. recorded: k columns, or empty.
inline routed_row routed(std::vector<float> const& row, int k, tessera::grid::route_options const& options,
                         std::vector<int> const& recorded = {}) {
  double const infinity = std::numeric_limits<double>::infinity();
  int const columns = static_cast<int>(row.size());
  routed_row out;
  out.scores = scores_of(row, options.scores);
  bool const by_logits = options.bias == nullptr && options.num_groups == 1;
  for (int c = 0; c < columns; ++c) {
    auto const at = static_cast<std::size_t>(c);
    double x = by_logits ? static_cast<double>(row[at]) : out.scores[at];
    if (options.bias != nullptr) x += static_cast<double>(options.bias[c]);
    out.ranked.push_back(std::isnan(x) ? -infinity : x);
  }
  int const size = columns / options.num_groups;
  std::vector<std::pair<double, int>> groups;  // minus the sum, and the group
  std::vector<std::pair<double, double>> best_two;
  for (int g = 0; g < options.num_groups; ++g) {
    std::vector<double> of_group(out.ranked.begin() + g * size, out.ranked.begin() + (g + 1) * size);
    std::sort(of_group.rbegin(), of_group.rend());
    double const sum = size > 1 ? of_group[0] + of_group[1] : size == 1 ? of_group[0] : 0;
    groups.emplace_back(std::isnan(sum) ? infinity : -sum, g);
    best_two.emplace_back(size > 0 ? of_group[0] : 0, size > 1 ? of_group[1] : 0);
  }
  std::sort(groups.begin(), groups.end());
  for (auto kept = groups.begin(); kept != groups.begin() + options.top_groups; ++kept)
    for (auto other = groups.begin() + options.top_groups; other != groups.end(); ++other) {
      bool const are_alike =
          best_two[static_cast<std::size_t>(kept->second)] == best_two[static_cast<std::size_t>(other->second)];
      out.is_close = out.is_close || (other->first - kept->first < 1e-6 && !are_alike);
    }
  std::vector<std::pair<double, int>> order;
  for (int g = 0; g < options.top_groups; ++g) {
    int const first = groups[static_cast<std::size_t>(g)].second * size;
    for (int c = first; c < first + size; ++c) order.emplace_back(-out.ranked[static_cast<std::size_t>(c)], c);
  }
  std::sort(order.begin(), order.end());
  double sum = 0;
  for (int i = 0; i < k; ++i) {
    auto const at = static_cast<std::size_t>(i);
    int const c = recorded.empty() ? order[at].second : recorded[at];
    out.chosen.push_back(c);
    out.weights.push_back(c >= 0 && c < columns ? out.scores[static_cast<std::size_t>(c)] : 0);
    sum += out.weights.back();
  }
  if (options.renormalize && options.scores == tessera::grid::router_scores::softmax) {
    // Of the chosen logits, which the softmax of the row may round to 0.
    std::vector<float> logits;
    for (int c : out.chosen)
      logits.push_back(c >= 0 && c < columns ? row[static_cast<std::size_t>(c)] : static_cast<float>(-infinity));
    out.weights = scores_of(logits, options.scores);
    sum = 1;
  }
  for (double& weight : out.weights) {
    if (options.renormalize) weight = sum > 0 ? weight / sum : 0;
    weight *= static_cast<double>(options.scale);
  }
  return out;
}

/// Whether a row's results are right: choices up to scores that are too near to each other, if they are computed.
inline void expect_row(std::vector<float> const& row, int k, tessera::grid::route_options const& options,
                       std::vector<int> const& recorded, float const* weights, std::int32_t const* experts) {
  auto const want = routed(row, k, options, recorded);
  if (recorded.empty() && want.is_close) return;
  bool const is_exact = !recorded.empty() || (options.bias == nullptr && options.num_groups == 1);
  std::vector<bool> taken(row.size(), false);
  bool is_same = true;
  for (int i = 0; i < k; ++i) {
    auto const at = static_cast<std::size_t>(i);
    if (experts[i] != want.chosen[at]) {
      ASSERT_FALSE(is_exact) << "rank " << i << ": " << experts[i] << " instead of " << want.chosen[at];
      ASSERT_GE(experts[i], 0);
      ASSERT_LT(experts[i], static_cast<int>(row.size()));
      auto const got = static_cast<std::size_t>(experts[i]), best = static_cast<std::size_t>(want.chosen[at]);
      double const apart = std::abs(want.ranked[got] - want.ranked[best]);
      ASSERT_LT(apart, 1e-6) << "rank " << i << ": " << got << " instead of " << best << ", apart by " << apart
                             << " of " << want.ranked[best];
      is_same = false;
    }
    if (recorded.empty()) {
      ASSERT_FALSE(taken[static_cast<std::size_t>(experts[i])]) << "twice";
      taken[static_cast<std::size_t>(experts[i])] = true;
    }
  }
  for (int i = 0; recorded.empty() && i < k; ++i) {  // equal ones
    auto const rank_of = [&](int c) { return want.ranked[static_cast<std::size_t>(c)]; };
    if (i + 1 < k && rank_of(experts[i]) == rank_of(experts[i + 1])) {
      ASSERT_LT(experts[i], experts[i + 1]);
    }
    for (int c = 0; options.num_groups == 1 && c < experts[i]; ++c) {
      ASSERT_TRUE(taken[static_cast<std::size_t>(c)] || rank_of(c) != rank_of(experts[i])) << c;
    }
  }
  for (int i = 0; is_same && i < k; ++i) {
    double const expected = want.weights[static_cast<std::size_t>(i)];
    ASSERT_NEAR(static_cast<double>(weights[i]), expected, expected * 3e-5 + 1e-30)
        << "rank " << i << ", column " << experts[i];
  }
}

inline std::vector<tessera::grid::route_options> all_options(float const* bias, int columns) {
  std::vector<tessera::grid::route_options> out;
  for (auto const scores : {tessera::grid::router_scores::softmax, tessera::grid::router_scores::sigmoid})
    for (bool const renormalize : {false, true})
      for (float const* const by : {static_cast<float const*>(nullptr), bias})
        for (int const groups : {1, 2, 8}) {
          if (columns % groups != 0) continue;
          tessera::grid::route_options options;
          options.scores = scores;
          options.renormalize = renormalize;
          options.bias = by;
          options.num_groups = groups;
          options.top_groups = (groups + 1) / 2;
          options.scale = groups == 2 ? 2.5f : 1.0f;
          out.push_back(options);
        }
  return out;
}

/// Numbers that are drawn by a row's kind: some have ties, infinities or NaN.
inline std::vector<std::vector<float>> drawn_rows(int rows, int columns, random_engine& random) {
  constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<std::vector<float>> out;
  for (int r = 0; r < rows; ++r) {
    out.emplace_back();
    for (int c = 0; c < columns; ++c) {
      float x = static_cast<float>(static_cast<double>(random() % 200'001) / 20'000 - 5);
      switch (r % 8) {
        case 1:
          x = static_cast<float>(static_cast<int>(random() % 4)) - 1;
          break;
        case 2:
          if (random() % 3 == 0) x = nan;
          break;
        case 3:
          if (random() % 4 != 0) x = -infinity;
          break;
        case 4:
          if (random() % 20 == 0) x = infinity;
          break;
        case 5:
          x = random() % 2 == 0 ? 0.0f : -0.0f;
          break;
        case 6:
          x = random() % 2 == 0 ? -infinity : nan;
          break;
        case 7:
          x *= 30;
          break;
        default:
          break;
      }
      out.back().push_back(x);
    }
  }
  return out;
}

/// What group_by_label gives.
template <class Index>
struct grouped_labels {
  std::vector<Index> offsets, order, counts, inverse;
  std::vector<std::int32_t> block_labels;

  template <class Label>
  grouped_labels(std::vector<Label> const& labels, int bins, std::int64_t pad_to)
      : offsets{0}, inverse(labels.size(), -1) {
    std::vector<std::vector<std::size_t>> groups(static_cast<std::size_t>(bins));
    for (std::size_t i = 0; i < labels.size(); ++i) {
      auto const label = static_cast<std::int64_t>(labels[i]);
      if (label >= 0 && label < bins) groups[static_cast<std::size_t>(label)].push_back(i);
    }
    for (int b = 0; b < bins; ++b) {
      auto const begin = order.size();
      for (std::size_t i : groups[static_cast<std::size_t>(b)]) {
        inverse[i] = static_cast<Index>(order.size());
        order.push_back(static_cast<Index>(i));
      }
      counts.push_back(static_cast<Index>(order.size() - begin));
      while (static_cast<std::int64_t>(order.size()) % pad_to != 0) order.push_back(static_cast<Index>(labels.size()));
      for (auto i = begin; i < order.size(); i += static_cast<std::size_t>(pad_to)) block_labels.push_back(b);
      offsets.push_back(static_cast<Index>(order.size()));
    }
  }
};

/// Labels of a kind, most of them from 0 to bins − 1.
template <class Label>
std::vector<Label> drawn_labels(std::int64_t n, int bins, unsigned kind, random_engine& random) {
  std::vector<Label> out;
  for (std::int64_t i = 0; i < n; ++i) {
    auto const drawn = static_cast<std::int64_t>(random());
    std::int64_t label = (drawn & 0x7fffffff) % bins;
    if (kind == 1) label = label * label / bins;                                 // skewed
    if (kind == 2) label = drawn % 16 == 0 ? label : bins / 2;                   // nearly one bin
    if (kind == 3) label = drawn % 4 == 0 ? -1 : drawn % 4 == 1 ? bins : label;  // some have none
    if (kind == 4) label = -1 - label;
    out.push_back(static_cast<Label>(label));
  }
  return out;
}

}  // namespace test
