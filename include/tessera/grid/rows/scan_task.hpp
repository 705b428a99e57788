// The task of a scan of rows or columns: the matrices, the carries and the operator.
#pragma once

#include <tessera/core/sort_entry.hpp>
#include <tessera/grid/parts/as_result.hpp>
#include <tessera/grid/parts/look_back.hpp>
#include <tessera/tile/joint_scan.hpp>
#include <tessera/tile/load_store.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

using tessera::detail::assign;
using tessera::detail::from_words;
using tessera::detail::in_direction;
using tessera::detail::to_words;

/// A scan of each row, or of each column. Suffix: from the end on. Exclusive: a result leaves out its own element.
template <class T_, class Out_, class R_, class Op_, bool Suffix, bool Exclusive>
struct matrix_scan_task {
  using T = T_;
  using Out = Out_;
  using R = R_;
  using Op = Op_;
  static constexpr bool suffix = Suffix, exclusive = Exclusive;

  T const* in;
  Out* out;
  std::int64_t in_stride, out_stride, row_count;
  int column_count;
  bool in_aligned, out_aligned;  // whether all rows are at multiples of 16 bytes; with Suffix their ends, too
  R const* carry_in;             // of each row or column; may be null
  R* carry_out;                  // may be null
  Op op;

  /// The operator, whose first operand is what comes first in the direction of the scan.
  TESSERA_FN decltype(auto) join() const { return tessera::detail::in_order_of_walk<Suffix>(op); }
  TESSERA_FN optional_value<R> carry(std::int64_t which) const {
    if (carry_in == nullptr) return optional_value<R>::none();
    return optional_value<R>::some(carry_in[which]);
  }
  TESSERA_FN void store_carry(std::int64_t which, R const& all) const {
    tessera::detail::store_element(carry_out + which, tessera::detail::canonicalize_nan<Op>(all));
  }
  /// The carry of a row or column without elements.
  TESSERA_FN void store_carry_of_none(std::int64_t which) const {
    optional_value<R> const before = carry(which);
    if (before.exists || operator_traits<Op, R>::has_identity)
      tessera::detail::store_element(carry_out + which, before.exists ? before.value() : identity());
  }
  /// The first result of an exclusive scan without a carry, whose operator has an identity.
  TESSERA_FN R identity() const {
    if constexpr (operator_traits<Op, R>::has_identity) {
      return operator_traits<Op, R>::identity(op);
    } else {
      return detail::from_words<R>({});
    }
  }
  TESSERA_FN Out result(R const& x) const {
    return tessera::detail::convert<Out>(tessera::detail::canonicalize_nan<Op>(x));
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
