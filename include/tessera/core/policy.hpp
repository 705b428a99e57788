// Policies: who takes part in a collective, where its result goes, how the lanes exchange.
//
//   reduce(tile, x, plus{}, converged | to_leader | first(n))
//
// A policy is a set of choices, at most one of each kind; the default of each kind is listed first:
//
//   kind          choices                        meaning
//   convergence   adaptive converged isolated    which lanes of the warp make this call together
//   placement     to_all to_leader scattered     who gets the result
//   participants  everyone first(n) where(pred)  which lanes of the tile contribute
//   method        automatic shuffles hardware    how the lanes exchange
//   direction     prefix suffix                  which lanes a scan combines: those before a lane or after it
//   extra         value_only with_total          what a scan returns
//   order         blocked striped                which of the tile's items a lane holds
//   memory        (own) shared(s) fresh(s)       where tiles of several warps exchange
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/core/count.hpp>

TESSERA_NAMESPACE_BEGIN

template <class... Choices>
struct policy;
template <class T, unsigned Threads>
struct scratch;
namespace host {
template <class T, unsigned Threads>
class scratch;
}

namespace detail {

/// The kinds of choices: a policy names each kind at most once.
enum class policy_kind { convergence, placement, participants, method, direction, extra, order, memory };

template <class T>
inline constexpr bool is_scratch = false;
template <class T, unsigned Threads>
inline constexpr bool is_scratch<scratch<T, Threads>> = true;
template <class T, unsigned Threads>
inline constexpr bool is_scratch<host::scratch<T, Threads>> = true;

/// The choice of kind `K` among `Choices`, or `Default` if there is none.
template <policy_kind K, class Default, class... Choices>
struct find_choice {
  using type = Default;
};
template <policy_kind K, class Default, class Choice, class... Rest>
struct find_choice<K, Default, Choice, Rest...>
    : stl::conditional_t<Choice::kind == K, find_choice<K, Choice>, find_choice<K, Default, Rest...>> {};

template <class Choice, class... Others>
inline constexpr bool same_kind_as_any = ((Choice::kind == Others::kind) || ...);

template <class... Choices>
struct kinds_differ {
  static constexpr bool value = true;
};
template <class Choice, class... Rest>
struct kinds_differ<Choice, Rest...> {
  static constexpr bool value = !same_kind_as_any<Choice, Rest...> && kinds_differ<Rest...>::value;
};

}  // namespace detail

/// The choices themselves. Users write the objects below (`converged`, `first(n)`, …) and join them with `|`.
namespace choice {

struct adaptive {
  static constexpr auto kind = detail::policy_kind::convergence;
};
struct converged {
  static constexpr auto kind = detail::policy_kind::convergence;
};
struct isolated {
  static constexpr auto kind = detail::policy_kind::convergence;
};

struct to_all {
  static constexpr auto kind = detail::policy_kind::placement;
};
struct to_leader {
  static constexpr auto kind = detail::policy_kind::placement;
};
struct scattered {
  static constexpr auto kind = detail::policy_kind::placement;
};

struct everyone {
  static constexpr auto kind = detail::policy_kind::participants;
};
struct first {
  static constexpr auto kind = detail::policy_kind::participants;
  unsigned n;
};
struct where {
  static constexpr auto kind = detail::policy_kind::participants;
  bool pred;
};

struct automatic {
  static constexpr auto kind = detail::policy_kind::method;
};
struct shuffles {
  static constexpr auto kind = detail::policy_kind::method;
};
struct hardware {
  static constexpr auto kind = detail::policy_kind::method;
};

struct prefix {
  static constexpr auto kind = detail::policy_kind::direction;
};
struct suffix {
  static constexpr auto kind = detail::policy_kind::direction;
};

/// The library's own shared memory.
struct library_memory {
  static constexpr auto kind = detail::policy_kind::memory;
};
template <class Scratch>
struct shared {
  static constexpr auto kind = detail::policy_kind::memory;
  static constexpr bool has_trailing_barrier = true;
  Scratch* scratch;
};
template <class Scratch>
struct fresh {
  static constexpr auto kind = detail::policy_kind::memory;
  static constexpr bool has_trailing_barrier = false;
  Scratch* scratch;
};

struct value_only {
  static constexpr auto kind = detail::policy_kind::extra;
};
struct with_total {
  static constexpr auto kind = detail::policy_kind::extra;
};

struct blocked {
  static constexpr auto kind = detail::policy_kind::order;
};
struct striped {
  static constexpr auto kind = detail::policy_kind::order;
};

}  // namespace choice

/// A set of choices. `policy<>{}` is all defaults.
template <class... Choices>
struct policy : Choices... {
  static_assert(detail::kinds_differ<Choices...>::value,
                "A policy names one kind twice: keep one of adaptive/converged/isolated, one of "
                "to_all/to_leader/scattered, one of everyone/first(n)/where(pred), one of automatic/shuffles/hardware, "
                "one of prefix/suffix, one of value_only/with_total, one of blocked/striped, one of "
                "shared(scratch)/fresh(scratch).");

  using convergence =
      typename detail::find_choice<detail::policy_kind::convergence, choice::adaptive, Choices...>::type;
  using placement = typename detail::find_choice<detail::policy_kind::placement, choice::to_all, Choices...>::type;
  using participants =
      typename detail::find_choice<detail::policy_kind::participants, choice::everyone, Choices...>::type;
  using method = typename detail::find_choice<detail::policy_kind::method, choice::automatic, Choices...>::type;
  using direction = typename detail::find_choice<detail::policy_kind::direction, choice::prefix, Choices...>::type;
  using extra = typename detail::find_choice<detail::policy_kind::extra, choice::value_only, Choices...>::type;
  using order = typename detail::find_choice<detail::policy_kind::order, choice::blocked, Choices...>::type;
  using memory = typename detail::find_choice<detail::policy_kind::memory, choice::library_memory, Choices...>::type;

  /// True if the policy names a choice of kind `K`.
  template <detail::policy_kind K>
  static constexpr bool names = ((Choices::kind == K) || ...);
};

/// The choices of both policies.
template <class... A, class... B>
TESSERA_FN constexpr policy<A..., B...> operator|([[maybe_unused]] policy<A...> a, [[maybe_unused]] policy<B...> b) {
  return {static_cast<A>(a)..., static_cast<B>(b)...};
}

/// Only the tile's own lanes need to have converged. The call tests once if the whole warp has, and is faster then.
inline constexpr policy<choice::adaptive> adaptive{};
/// The caller promises that all lanes of the warp make this call together. Host tiles check it, as does a GPU build
/// that defines `TESSERA_CHECK`.
inline constexpr policy<choice::converged> converged{};
/// The exchange names only the tile's own lanes, even if the whole warp has converged.
inline constexpr policy<choice::isolated> isolated{};

/// Every lane gets the result, the same bits.
inline constexpr policy<choice::to_all> to_all{};
/// Rank 0 gets the result; in other lanes it is unspecified.
inline constexpr policy<choice::to_leader> to_leader{};
/// Lane i gets result i of a batch.
inline constexpr policy<choice::scattered> scattered{};

/// All lanes contribute.
inline constexpr policy<choice::everyone> everyone{};

/// Lanes 0 … n − 1 contribute, in sorts the first n values: none if n ≤ 0, all if n is greater than their number.
/// Uniform over the tile.
template <class Integer>
TESSERA_FN constexpr policy<choice::first> first(Integer n) {
  static_assert(stl::is_integral_v<Integer>,
                "first(n): n is an integer, the number of lanes that contribute, in sorts of values.");
  constexpr unsigned all = 1u << 30;  // sorts count values, of which a tile may have more than lanes
  auto const count = detail::count_of(n);
  if constexpr (sizeof(Integer) > sizeof(unsigned)) {
    return {{count < all ? static_cast<unsigned>(count) : all}};
  } else {
    return {{count}};
  }
}

/// Lanes with `pred` contribute; there may be none.
TESSERA_FN constexpr policy<choice::where> where(bool pred) {
  return {{pred}};
}

/// The method that was measured to be the fastest for this width, operator, type and architecture (see tuning.hpp).
inline constexpr policy<choice::automatic> automatic{};
/// Exchange by shuffles.
inline constexpr policy<choice::shuffles> shuffles{};
/// Combine by the warp's own instruction (`redux.sync`, votes); fails to compile if there is none.
inline constexpr policy<choice::hardware> hardware{};

/// A scan combines, for each lane, the values of the lanes before it.
inline constexpr policy<choice::prefix> prefix{};
/// A scan combines, for each lane, the values of the lanes after it (still in rank order).
inline constexpr policy<choice::suffix> suffix{};

namespace detail {

/// The policy of shared(scratch) or fresh(scratch), with a message if the argument isn't a scratch.
template <template <class> class Choice, class Scratch>
TESSERA_FN constexpr auto memory_policy([[maybe_unused]] Scratch& memory) {
  static_assert(is_scratch<Scratch>,
                "shared(s) and fresh(s) take a scratch, no other memory: write __shared__ "
                "tessera::scratch<float, 256> s; for values of 4 bytes in a block of up to 256 threads, on host "
                "tiles host::scratch<float, 256> s(block).");
  if constexpr (is_scratch<Scratch>) {
    return policy<Choice<Scratch>>{{&memory}};
  } else {
    return policy<>{};
  }
}

}  // namespace detail

/// A tile of several warps exchanges through the caller's memory, a `scratch<T, Threads>` in shared memory: see
/// scratch.hpp.
template <class Scratch>
TESSERA_FN constexpr auto shared(Scratch& scratch) {
  return detail::memory_policy<choice::shared>(scratch);
}

/// As `shared`; in addition the caller promises that no other collective of the tile uses this memory before the next
/// barrier, which saves one barrier. Host tiles check it.
template <class Scratch>
TESSERA_FN constexpr auto fresh(Scratch& scratch) {
  return detail::memory_policy<choice::fresh>(scratch);
}

/// A scan returns the lane's value.
inline constexpr policy<choice::value_only> value_only{};
/// A scan returns the lane's value and the total of all participants, as `scanned<T>`.
inline constexpr policy<choice::with_total> with_total{};

/// Items in blocked order: item i of lane r is number r · K + i of the tile's.
inline constexpr policy<choice::blocked> blocked{};
/// Items in striped order: item i of lane r is number i · N + r of the tile's.
inline constexpr policy<choice::striped> striped{};

/// True if T is a policy.
template <class T>
inline constexpr bool is_policy_v = false;
template <class... Choices>
inline constexpr bool is_policy_v<policy<Choices...>> = true;

namespace detail {

/// The choices of a policy, or of a type derived from one. Any other type has no choices, so that the message of
/// `require_policy` is the only one.
template <class Policy, class = void>
struct choices {
  using type = policy<>;
};
template <class Policy>
struct choices<Policy, stl::void_t<typename Policy::convergence, typename Policy::memory>> {
  using type = Policy;
};
template <class Policy>
using choices_of = typename choices<Policy>::type;
template <class Policy>
using chosen_convergence = typename choices_of<Policy>::convergence;
template <class Policy>
using chosen_placement = typename choices_of<Policy>::placement;
template <class Policy>
using chosen_participants = typename choices_of<Policy>::participants;
template <class Policy>
using chosen_method = typename choices_of<Policy>::method;
template <class Policy>
using chosen_direction = typename choices_of<Policy>::direction;
template <class Policy>
using chosen_extra = typename choices_of<Policy>::extra;
template <class Policy>
using chosen_order = typename choices_of<Policy>::order;
template <class Policy>
using chosen_memory = typename choices_of<Policy>::memory;

/// True if the lane of this rank contributes.
template <class Policy>
TESSERA_FN bool participates([[maybe_unused]] Policy const& policy, [[maybe_unused]] unsigned rank) {
  using participants = chosen_participants<Policy>;
  if constexpr (stl::is_same_v<participants, choice::first>) {
    return rank < policy.n;
  } else if constexpr (stl::is_same_v<participants, choice::where>) {
    return policy.pred;
  } else {
    return true;
  }
}

template <class Policy>
inline constexpr bool is_striped = stl::is_same_v<chosen_order<Policy>, choice::striped>;

template <class Policy>
inline constexpr bool everyone_participates = stl::is_same_v<chosen_participants<Policy>, choice::everyone>;

}  // namespace detail

TESSERA_NAMESPACE_END
