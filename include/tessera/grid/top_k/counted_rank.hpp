// The selection of one rank that follows from the number of elements, as a median's does, where only the device knows
// the number. A selection is planned for a rank. So it is planned for that of at_most elements, among at_most + 1, and
// as many elements that don't exist come first as make it the wanted one:
//
//   in        3 9 2 9 7 . . .       the number is 5, at_most 8; the lower median has rank 2 of 5, and rank 3 of 8
//   elements  – 3 9 2 9 7 + + +     – has the key of what comes first, + of what comes last; by index they come before
//                                   and after all that exist
//
// One more than at_most, since ranks are rounded: they may rise by 2 where the number rises by 1.
#pragma once

#include <tessera/core/iterators.hpp>
#include <tessera/core/number.hpp>
#include <tessera/grid/parts/counted.hpp>
#include <tessera/grid/top_k/counted_top_k.hpp>
#include <tessera/grid/top_k/top_k_state.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// A reader of at_most + 1 elements. rank_of(n) is the rank that is wanted of n: it doesn't fall if n rises.
template <class In, class RankOf>
struct ranked_reader {
  using value_type = tessera::detail::value_of<In>;
  using difference_type = std::int64_t;
  In in;
  device_count n;
  RankOf rank_of;
  std::int64_t begin = 0, end = 0;  // of the elements that exist
  std::int64_t at = 0;

  TESSERA_FN value_type operator*() const {
    if (at < begin) return tessera::detail::lowest<value_type>();
    if (at < end) return tessera::detail::read_element(in, at - begin);
    return detail::number_that_comes_last<value_type>(false);
  }
  TESSERA_FN ranked_reader operator+(std::int64_t i) const { return {in, n, rank_of, begin, end, at + i}; }
};

/// The task of a kernel that has read the number of elements. It stores nothing if there are none.
template <class T, class In, class RankOf, class Key, class Values, class Indices>
TESSERA_FN auto task_now(top_k_task<T, key_by_reader<ranked_reader<In, RankOf>, Key, Values, Indices>> task) {
  auto& in = task.in;
  std::int64_t const n = detail::count_now(in.n);
  in.begin = in.rank_of(in.n.at_most) - in.rank_of(n);
  in.end = in.begin + n;
  if (n == 0) task.values = nullptr;
  return task;
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
