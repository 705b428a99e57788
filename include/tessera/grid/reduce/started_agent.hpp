// The agent of a reduction with a start. It works as that of reduce_agent.hpp; as the last step, the block that has the
// total combines it with the start. Elements are combined in the start's type, or in optional terms of that type if the
// operator has no identity (core/accumulator.hpp).
#pragma once

#include <tessera/core/accumulator.hpp>
#include <tessera/grid/parts/reduced.hpp>
#include <tessera/grid/reduce/reduce_agent.hpp>
#include <tessera/grid/start_on_device.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The type that elements are combined in after a start.
template <class Start>
struct start_type {
  using type = Start;
};
template <class T>
struct start_type<device_start<T>> {
  using type = T;
};
template <class Start, class Op>
using started_t = reduced<typename start_type<Start>::type, Op>;

/// A start of type R as a kernel takes it: a value, or a pointer to one on the device.
template <class R, class Start>
R start_in(Start const& start) noexcept {
  return tessera::detail::convert<R>(start);
}
template <class, class T>
device_start<T> start_in(device_start<T> const& start) noexcept {
  return start;
}
template <class R>
TESSERA_FN R value_of_start(R const& start) {
  return start;
}
template <class R, class T>
TESSERA_FN R value_of_start(device_start<T> const& start) {
  return tessera::detail::convert<R>(*start.value);
}

/// f of an element, as a term of the accumulation.
template <class R, class Accumulation, class F>
struct as_accumulated {
  F f;
  template <class T>
  TESSERA_FN typename Accumulation::term operator()(T const& x, std::int64_t index) const {
    return Accumulation::of(tessera::detail::convert<R>(tessera::detail::apply<std::int64_t>(f, x, index)));
  }
};

/// The agent that combines f(x) of all elements after a start, by Op, a normalized_t on R.
template <class R, class Op, class F, class Start>
struct started_agent {
  using accumulation = tessera::detail::accumulation<Op, R>;
  using term = typename accumulation::term;
  using op = typename accumulation::op;
  using without_start = operator_agent<term, op, as_accumulated<R, accumulation, F>>;
  template <class T>
  static constexpr unsigned bytes = without_start::template bytes<T>;
  without_start agent;
  Start start;

  template <unsigned Threads, class Block, class In>
  TESSERA_FN term lane_partial(Block const& block, In const& in, std::int64_t n, even_share const& share) const {
    return agent.template lane_partial<Threads>(block, in, n, share);
  }
  /// Stores the start op `all`; the start if there is no element.
  template <class Out>
  TESSERA_FN void finish(term const& all, bool is_empty, Out const& out) const {
    R result = detail::value_of_start<R>(start);
    if (!is_empty) result = tessera::detail::canonicalize_nan<Op>(accumulation::join(result, all, agent.op));
    using stored = tessera::detail::written_t<Out, R>;
    tessera::detail::write_element(out, 0, tessera::detail::convert<stored>(result));
  }
};
template <class R, class Op, class F, class Start>
inline constexpr bool finishes_itself<started_agent<R, Op, F, Start>> = true;

}  // namespace grid::detail
TESSERA_NAMESPACE_END
