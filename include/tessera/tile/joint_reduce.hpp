// The reduction of a range in memory by a group.
#pragma once

#include <tessera/core/accumulator.hpp>
#include <tessera/tile/checked_arguments.hpp>
#include <tessera/tile/collective.hpp>
#include <tessera/tile/ranges.hpp>
#include <tessera/tile/reduce.hpp>
#include <tessera/tile/requirements.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// The type that `apply` returns. It isn't deduced from the body, since nvcc would then compile the body for the host,
/// too, which can't call a kernel's lambda.
template <class Integer, class F, class T, bool WithIndex = stl::is_invocable_v<F const&, T const&, Integer>>
struct applied {
  using type = stl::decay_t<stl::invoke_result_t<F const&, T const&, Integer>>;
};
template <class Integer, class F, class T>
struct applied<Integer, F, T, false> {
  using type = stl::decay_t<stl::invoke_result_t<F const&, T const&>>;
};

/// f(x, index), or f(x) if f takes one argument.
template <class Integer, class F, class T, class Count>
TESSERA_FN typename applied<Integer, F, T>::type apply(F const& f, T const& x, [[maybe_unused]] Count index) {
  if constexpr (stl::is_invocable_v<F const&, T const&, Integer>) {
    return f(x, static_cast<Integer>(index));
  } else {
    return f(x);
  }
}

template <class Integer, class T, class F>
inline constexpr bool takes_element =
    stl::is_invocable_v<F const&, T const&> || stl::is_invocable_v<F const&, T const&, Integer>;

template <class Op, class Term>
inline constexpr bool takes_two = stl::is_invocable_v<Op const&, Term, Term>;

/// True if op combines the results of f.
template <class Integer, class T, class Op, class F>
TESSERA_FN constexpr bool combines_results() {
  if constexpr (stl::is_invocable_v<F const&, T const&, Integer>) {
    return takes_two<Op, stl::invoke_result_t<F const&, T const&, Integer>>;
  } else if constexpr (stl::is_invocable_v<F const&, T const&>) {
    return takes_two<Op, stl::invoke_result_t<F const&, T const&>>;
  } else {
    return false;
  }
}

/// True if op and f seem to be swapped: f combines the results of op, and op doesn't combine those of f.
template <class Integer, class T, class Op, class F>
TESSERA_FN constexpr bool are_swapped() {
  if constexpr (combines_results<Integer, T, Op, F>()) {
    return false;
  } else {
    return combines_results<Integer, T, F, Op>();
  }
}

/// Checks that Group's lanes can call f.
template <class Group, class Integer, class F, class T>
TESSERA_FN auto require_function() {
  if constexpr (stl::is_invocable_v<F const&, T const&, Integer>) {
    require_call<Group, F const, T, Integer>();
  } else if constexpr (stl::is_invocable_v<F const&, T const&>) {
    require_call<Group, F const, T>();
  }
}

/// The number of a lane's accumulators, which are independent until the end: up to 4, in up to 16 registers.
template <class T, class R, class It = T const*>
TESSERA_FN constexpr unsigned accumulator_count() {
  constexpr unsigned words = word_count<R>;
  unsigned count = read_length<T, It> < 4 ? read_length<T, It> : 4;
  while (count > 1 && count * words > 16) count /= 2;
  return count;
}

/// Element j of a vector is added to accumulator j % A.
template <class Policy, class R, class Group, class T, class Count, class It, class Op, class F>
TESSERA_FN R reduce_commuting(Group group, range<T, Count, It> const& r, Op const& op, F f) {
  constexpr unsigned A = accumulator_count<T, R, It>();
  auto sums = detail::from_words<items<R, A>>({});
  TESSERA_UNROLL
  for (unsigned a = 0; a < A; ++a) sums[a] = neutral_of<Op, R>::get(op);

  range_ends<Group, T, Count, It> const ends(group, r);
  for (vector_walk<Group, T, Count, It> walk(group, r); walk.more();) {
    walk.step([&](T const& x, Count index, unsigned j) { sums[j % A] = static_cast<R>(op(sums[j % A], f(x, index))); });
  }
  ends.each([&](T const& x, Count index) { sums[0] = static_cast<R>(op(sums[0], f(x, index))); });

  TESSERA_UNROLL
  for (unsigned apart = 1; apart < A; apart *= 2) {
    TESSERA_UNROLL
    for (unsigned a = 0; a < A; a += 2 * apart) sums[a] = static_cast<R>(op(sums[a], sums[a + apart]));
  }
  return detail::reduce_lanes<Policy>(group, detail::canonicalize_nan<Op>(sums[0]), op);
}

/// Reduces one chunk of a range in order, and combines it with the chunks before it.
template <class Policy, class R, class Group, class Op, class F>
struct chunk_reduction {
  Group group;
  Op const& op;
  F const& f;
  R const& neutral;
  R& total;

  template <class T, unsigned K, class Count>
  TESSERA_FN void operator()(items<T, K> const& x, Count index, unsigned owners) const {
    R own = neutral;
    if (group.rank() < owners) {
      own = f(x[0], index);
      TESSERA_UNROLL
      for (unsigned j = 1; j < K; ++j) own = static_cast<R>(op(own, f(x[j], index + j)));
    }
    R const all = detail::reduce_lanes<Policy>(group, own, op);
    if (owners > 0) total = static_cast<R>(op(total, all));
  }
};

template <class Policy, class R, class Group, class T, class Count, class It, class Op, class F>
TESSERA_FN R reduce_in_order(Group group, range<T, Count, It> const& r, Op const& op, F f) {
  R const neutral = neutral_of<Op, R>::get(op);
  R total = neutral;
  detail::walk_in_order(group, r, chunk_reduction<Policy, R, Group, Op, F>{group, op, f, neutral, total});
  return total;
}

/// The identity function.
struct as_it_is {
  template <class T>
  TESSERA_FN T operator()(T const& x) const {
    return x;
  }
};

template <class Tile, class T, class Integer>
TESSERA_FN constexpr void require_range() {
  static_assert(stl::is_integral_v<Integer>, "n is an integer, the number of elements from first on.");
  static_assert(is_exchangeable_v<T>,
                "A tile walks ranges of trivially copyable values only; or specialize tessera::is_exchangeable.");
}

/// The type of f(x) or f(x, index), with messages if F or Op aren't what joint_transform_reduce takes.
template <class T, class Integer, class Op, class F>
struct range_term {
  static_assert(!are_swapped<Integer, T, Op, F>(),
                "joint_transform_reduce: op comes before f, as in std::transform_reduce: write "
                "joint_transform_reduce(tile, first, n, op, f).");
  static_assert(takes_element<Integer, T, F>,
                "f(x) or f(x, index) takes an element, and its index in the range, and can be called while const.");
  using type = decltype(detail::apply<Integer>(stl::declval<F const&>(), stl::declval<T const&>(), Integer{}));
};

/// The elements' values combined; unspecified if there is none.
template <class Policy, class R, class Group, class T, class Count, class It, class Op, class F>
TESSERA_FN R reduce_range(Group group, range<T, Count, It> const& r, Op const& op, F const& value) {
  if constexpr (operator_traits<Op, R>::commutative) {
    return detail::reduce_commuting<Policy, R>(group, r, op, value);
  } else {
    return detail::reduce_in_order<Policy, R>(group, r, op, value);
  }
}

template <collective_row const& Collective, class Tile, class It, class Integer, class Op, class F, class Policy>
TESSERA_FN auto joint_reduce_of(Tile const& tile, It const& first, Integer n, Op const& op, F const& f, call_site site,
                                Policy const& policy) {
  using T = value_of<It>;
  require_range<Tile, T, Integer>();
  require_function<Tile, Integer, F, T>();
  using term = typename range_term<T, Integer, Op, F>::type;
  using combine_t = operator_for<Op, term>;
  using result = range_result_t<Op, term, Integer>;
  require_exchangeable<term>();
  require_operator<Tile, combine_t, term, Policy>();
  static_assert(operator_traits<combine_t, result>::has_identity ||
                    !stl::is_invocable_v<combine_t const&, result const&, result const&>,  // which has its own message
                "joint_reduce gives the operator's identity where the range is empty, and this operator has none: "
                "write make_operator(f, identity), or make_operator(f, identity, commutative), which is faster.");
  auto const combine = detail::to_operator<term>(op);
  auto const count = detail::count_of(n);
  using group_t = group_of<Tile, Policy>;
  return detail::collective<Collective, T, combine_t>(
      tile, policy, site, detail::uniform_of_range(first, count), [&](group_t group) -> result {
        if constexpr (meets_by_exchange<decltype(group)>)
          group.ballot(true);  // reports lanes that differ before memory is read
        detail::require_elements(group, first, count);
        auto const r = detail::range_of(first, count);
        auto const value = [&](T const& x, count_t<Integer> index) {
          return static_cast<result>(detail::apply<Integer>(f, x, index));
        };
        result const all = detail::reduce_range<Policy, result>(group, r, combine, value);
        return detail::select(r.empty(), operator_traits<combine_t, result>::identity(combine), all);
      });
}

/// The start of a joint reduction, with a message if init isn't one.
template <class Op, class Term, class Init>
TESSERA_FN constexpr bool can_begin() {
  constexpr bool are_swapped =
      !takes_two_of<normalized_t<Op, Term>, Term> && takes_two_of<normalized_t<Init, Term>, Term>;
  static_assert(!is_scratch<Init>,
                "A scratch in the place of init, or of the policy: write shared(s), as in joint_reduce(tile, first, n, "
                "tessera::plus{}, tessera::shared(s)).");
  static_assert(!are_swapped,
                "Arguments in the wrong order: op comes before init: write joint_reduce(tile, first, n, op, init).");
  if constexpr (is_scratch<Init> || are_swapped) {
    return false;
  } else {
    return can_accumulate<Init, Term>();
  }
}

/// joint_transform_reduce after a start.
template <collective_row const& Collective, class Tile, class It, class Integer, class Op, class F, class Init,
          class Policy>
TESSERA_FN auto joint_reduce_after(Tile const& tile, It const& first, Integer n, Op const& op, F const& f,
                                   Init const& init, call_site site, Policy const& policy) {
  using T = value_of<It>;
  require_range<Tile, T, Integer>();
  require_function<Tile, Integer, F, T>();
  using term = typename range_term<T, Integer, Op, F>::type;
  if constexpr (can_begin<Op, term, Init>()) {
    using R = range_result_t<Op, Init, Integer>;
    using combine_t = operator_for<Op, R>;
    using accumulation_t = accumulation<combine_t, R>;
    require_exchangeable<R>();
    require_operator<Tile, combine_t, R, Policy>();
    typename accumulation_t::op const combine{detail::to_operator<R>(op)};
    R const start = detail::convert<R>(init);
    auto const count = detail::count_of(n);
    using group_t = group_of<Tile, Policy>;
    return detail::collective<Collective, T, combine_t>(
        tile, policy, site, detail::uniform_of_range(first, count), [&](group_t group) -> R {
          if constexpr (meets_by_exchange<decltype(group)>) group.ballot(true);  // as above
          detail::require_elements(group, first, count);
          auto const r = detail::range_of(first, count);
          auto const value = [&](T const& x, count_t<Integer> index) {
            return accumulation_t::of(detail::convert<R>(detail::apply<Integer>(f, x, index)));
          };
          auto const all = detail::reduce_range<Policy, typename accumulation_t::term>(group, r, combine, value);
          constexpr bool to_leader = stl::is_same_v<chosen_placement<Policy>, choice::to_leader>;
          R result = start;
          if (!r.empty() && (!to_leader || group.rank() == 0))
            result = detail::canonicalize_nan<combine_t>(accumulation_t::join(start, all, combine));
          if constexpr (to_leader && call_may_branch<combine_t, R>) group.reconverge();
          return result;
        });
  } else {
    return init;
  }
}

/// True if an element satisfies `pred`. The loop ends after the step that finds one.
template <collective_row const& Collective, class Tile, class It, class Integer, class Pred, class Policy>
TESSERA_FN auto joint_any(Tile const& tile, It const& first, Integer n, Pred pred, call_site site,
                          Policy const& policy) {
  using T = value_of<It>;
  require_range<Tile, T, Integer>();
  require_function<Tile, Integer, Pred, T>();
  auto const count = detail::count_of(n);
  return detail::collective<Collective, T>(tile, policy, site, detail::uniform_of_range(first, count),
                                           [&](group_of<Tile, Policy> group) {
                                             if constexpr (meets_by_exchange<decltype(group)>)
                                               group.ballot(true);  // a rendezvous
                                             detail::require_elements(group, first, count);
                                             using walk_t = vector_walk<decltype(group), T, count_t<Integer>, It>;
                                             using ends_t = range_ends<decltype(group), T, count_t<Integer>, It>;
                                             auto const r = detail::range_of(first, count);
                                             bool found = false;
                                             auto const look = [&](T const& x, count_t<Integer> index, unsigned = 0) {
                                               found |= static_cast<bool>(detail::apply<Integer>(pred, x, index));
                                             };
                                             ends_t const ends(group, r);
                                             for (walk_t walk(group, r); detail::any_tile(group, walk.more());) {
                                               walk.step(look);
                                               if (group.any(found)) walk.stop();
                                             }
                                             ends.each(look);
                                             return group.any(found);
                                           });
}

}  // namespace detail
TESSERA_NAMESPACE_END
