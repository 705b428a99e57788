// Rows of logits whose columns are on several ranks: what a rank says of its own columns, what is stored of a row after
// the exchange, and the gradient of a rank's columns.
//
//   a row          2   1  |  3   1        rank 0 | rank 1; the target is column 2
//   max            2      |  3
//   sum            1+1/e  |  1+1/e²       Σ exp(x − max)
//   target         −0     |  3            the target's logit, of whoever has it: they are added up
//   total          3      |  4            Σ x, for label smoothing alone
//
// A log-sum-exp takes the first two numbers, a loss three, and one with label smoothing four.
#pragma once

#include <tessera/grid/rows/cross_entropy_map.hpp>
#include <tessera/grid/rows/log_sum_exp_fold.hpp>

#include <cstddef>
#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class T>
struct logit_part {
  T max, sum, target, total;

  TESSERA_FN logit_sums<T> sums() const { return {max, sum, total}; }
};

/// Combines what two ranks say of a row. A sum with −0 is the other number.
struct join_logit_parts {
  template <class T>
  TESSERA_FN logit_part<T> operator()(logit_part<T> const& a, logit_part<T> const& b) const {
    logit_sums<T> const both = join_logits{}(a.sums(), b.sums());
    return {both.max, both.sum, tessera::detail::rounded_add(a.target, b.target), both.total};
  }
};

/// The first `per_row` numbers of a logit_part for each row and rank (Parts of combine_rows.hpp).
template <class Number>
struct gathered_logits {
  using value = logit_part<Number>;

  Number* all;
  std::int64_t row_count;
  int per_row;

  std::size_t bytes() const {
    return static_cast<std::size_t>(row_count) * static_cast<std::size_t>(per_row) * sizeof(Number);
  }
  TESSERA_FN Number* of(int rank) const { return all + rank * row_count * per_row; }
  TESSERA_FN value load(int rank, std::int64_t row) const {
    Number const* const of_row = of(rank) + row * per_row;
    return {of_row[0], of_row[1], per_row > 2 ? of_row[2] : -Number(0), per_row > 3 ? of_row[3] : -Number(0)};
  }
  TESSERA_FN void store(int rank, std::int64_t row, value const& x) const { store_at(of(rank), row, x); }
  TESSERA_FN void store_at(Number* first, std::int64_t row, value const& x) const {
    Number* const of_row = first + row * per_row;
    of_row[0] = x.max;
    of_row[1] = x.sum;
    if (per_row > 2) of_row[2] = x.target;
    if (per_row > 3) of_row[3] = x.total;
  }
};

/// The columns of whole rows that a rank has.
struct own_columns {
  int begin = 0, count = 0;

  static constexpr int elsewhere = 3 << 29;  // beyond all columns

  TESSERA_FN bool have(int column) const { return column >= begin && column - begin < count; }
  /// A target's column among a rank's own ones; `elsewhere` if another rank has it. What is no column stays so.
  TESSERA_FN int own(int target) const { return have(target) ? target - begin : target < 0 ? target : elsewhere; }
};

/// Stores a rank's part of a row that has been reduced by logits_fold.
template <class T, template <class> class Cap>
struct store_logit_part {
  using number = arithmetic_t<T>;

  number* out;  // the rank's own
  gathered_logits<number> parts;
  T const* in;
  std::int64_t in_stride;
  Cap<T> cap;
  row_targets targets;
  int column_count;  // of whole rows
  own_columns columns_of_rank;

  TESSERA_FN void operator()(std::int64_t row, logit_sums<number> const& all) const {
    number x = -number(0);
    if (parts.per_row > 2) {
      int const target = targets.column(row, column_count);
      if (columns_of_rank.have(target))
        x = cap(detail::to_number(in[row * in_stride + (target - columns_of_rank.begin)], element_format<T>{}));
    }
    parts.store_at(out, row, {all.max, all.sum, x, all.total});
  }
};

/// Stores what is wanted of a row after the exchange, and its sums for the gradient, unless that is null.
template <class T>
struct store_whole_losses {
  using number = arithmetic_t<T>;

  row_losses<T> losses;
  logit_sums<number>* sums;

  TESSERA_FN void operator()(std::int64_t row, logit_part<number> const& all) const {
    if (sums) sums[row] = all.sums();
    if (losses.what == row_result::log_sum_exp) {
      losses.out[row] = all.sums().log_sum_exp();
    } else {
      losses.store(row, all.sums(), losses.targets.column(row, losses.column_count), all.target);
    }
  }
};

/// Stores the statistic of softmax_map.
template <class Number>
struct store_exp_sums {
  exp_sum<Number>* out;

  TESSERA_FN void operator()(std::int64_t row, logit_part<Number> const& all) const { out[row] = {all.max, all.sum}; }
};

/// Maps a rank's logits to the gradient of their row's loss, by the sums of the whole row (map_known_rows.hpp).
template <class T, template <class> class Cap>
struct shard_gradient_map {
  using number = arithmetic_t<T>;
  using statistic = logit_sums<number>;

  cross_entropy_map<T, Cap> of_whole_rows;
  own_columns columns_of_rank;

  /// The Map of one row: its target is one of the rank's columns, or elsewhere.
  struct of_row : cross_entropy_map<T, Cap>::of_row {
    own_columns columns_of_rank;

    TESSERA_FN auto finish(statistic const& own, statistic const& all) const {
      auto finished = cross_entropy_map<T, Cap>::of_row::finish(own, all);
      finished.target = columns_of_rank.own(finished.target);
      return finished;
    }
  };
  TESSERA_FN of_row for_row(std::int64_t row) const { return {of_whole_rows.for_row(row), columns_of_rank}; }
};

}  // namespace grid::detail

template <class T>
struct operator_traits<grid::detail::join_logit_parts, grid::detail::logit_part<T>> {
  static constexpr bool has_identity = true;
  static constexpr bool commutative = true;
  template <class Op>
  TESSERA_FN static grid::detail::logit_part<T> identity(Op const&) {
    return {detail::lowest<T>(), T(0), -T(0), -T(0)};
  }
};

TESSERA_NAMESPACE_END
