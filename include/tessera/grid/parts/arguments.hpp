// Checks of a launcher's arguments.
#pragma once

#include <tessera/core/iterators.hpp>

#include <cstddef>
#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

using tessera::detail::value_of;

/// The rule for pointers of all calls: one may be null where the call reads and writes nothing through it.
///
/// The most of n elements that a call with `results` results to write reads: none if it has no results.
inline std::int64_t read_for(std::int64_t results, std::int64_t n) noexcept {
  return results == 0 && n > 0 ? 0 : n;
}

/// For calls by iterators beside those by pointers.
template <class It>
using if_iterator = stl::enable_if_t<tessera::detail::is_reader<It> && !stl::is_pointer_v<It>, bool>;

/// For calls that store a result by a pointer or an iterator.
template <class Out>
using if_result = stl::enable_if_t<tessera::detail::is_reader<Out>, bool>;

/// For calls that write by iterators beside those by pointers: one output at least isn't a pointer.
template <class... Out>
using if_any_writer =
    stl::enable_if_t<(... && tessera::detail::is_reader<Out>)&&(... || !stl::is_pointer_v<Out>), bool>;

template <class... It>
using if_any_iterator =
    stl::enable_if_t<(... || !stl::is_pointer_v<It>)&&(... && !stl::is_convertible_v<It, std::int64_t>), bool>;

/// True of an argument that is neither a pointer nor nullptr nor a number.
template <class It>
inline constexpr bool is_iterator =
    !stl::is_pointer_v<It> && !stl::is_same_v<It, std::nullptr_t> && !stl::is_convertible_v<It, std::int64_t>;

/// A call's writer of elements of T as its kernel takes it: a pointer in place of a contiguous iterator.
template <class T, class Out>
auto writer_of(Out const& out) {
  static_assert(!stl::is_pointer_v<Out> || stl::is_same_v<Out, T*>,
                "Results have the type of the elements, and aren't const: write T* out, or an iterator that converts "
                "what it gets.");
  constexpr bool is_number = stl::is_convertible_v<Out, std::int64_t>;
  static_assert(!is_number, "A number where an output belongs: write nullptr where there is none.");
  if constexpr (is_number || stl::is_same_v<Out, std::nullptr_t> ||
                (stl::is_pointer_v<Out> && !stl::is_same_v<Out, T*>)) {
    return static_cast<T*>(nullptr);
  } else if constexpr (tessera::detail::is_contiguous_writer<T, Out>) {
    return tessera::detail::address_of(out);
  } else {
    return out;
  }
}
template <class T, class Out>
using writer_t = decltype(detail::writer_of<T>(stl::declval<Out const&>()));

/// True if outputs are memory, in which a sort works. If not, a static assertion says what to write.
template <class... Out>
constexpr bool are_sorted_in() {
  constexpr bool possible = (... && tessera::detail::has_address<Out>);
  static_assert(possible,
                "A sort works in the memory of its output: write a pointer or a contiguous iterator. Other iterators "
                "get the sorted elements from grid::transform(sorted, n, out, f), after the sort.");
  return possible;
}

/// True if a reader or writer of n elements may be one: a pointer to elements that are aligned as their type is, which
/// may be null if n is 0. Of another iterator nothing is known.
template <class It>
inline bool is_array(It const& it, std::int64_t n) noexcept {
  if constexpr (stl::is_pointer_v<It>) {
    using T = stl::remove_pointer_t<It>;
    if (n < 0 || n > INT64_MAX / static_cast<std::int64_t>(sizeof(T))) return false;
    return (it != nullptr || n == 0) && reinterpret_cast<std::uintptr_t>(it) % alignof(T) == 0;
  } else {
    return n >= 0;
  }
}

/// True if n elements at p and m at q have a byte in common, as far as it is known where they are.
template <class P, class Q>
inline bool overlap(P const& p, std::int64_t n, Q const& q, std::int64_t m) noexcept {
  if constexpr (stl::is_pointer_v<P> && stl::is_pointer_v<Q>) {
    auto const p0 = reinterpret_cast<std::uintptr_t>(p), q0 = reinterpret_cast<std::uintptr_t>(q);
    auto const p1 = p0 + static_cast<std::uintptr_t>(n) * sizeof(*p);
    auto const q1 = q0 + static_cast<std::uintptr_t>(m) * sizeof(*q);
    return n > 0 && m > 0 && p0 < q1 && q0 < p1;
  } else {
    return false;
  }
}

/// True if `out` begins within the n elements at p. It isn't known how much is written to it.
template <class Out, class P>
inline bool begins_within(Out const& out, P const& p, std::int64_t n) noexcept {
  if constexpr (stl::is_pointer_v<P> && stl::is_pointer_v<Out>) {
    auto const at = reinterpret_cast<std::uintptr_t>(out), begin = reinterpret_cast<std::uintptr_t>(p);
    return at >= begin && at < begin + static_cast<std::uintptr_t>(n) * sizeof(*p);
  } else {
    return false;
  }
}

/// True if elements are stored where they are read.
template <class In, class Out>
bool is_in_place([[maybe_unused]] In const& in, [[maybe_unused]] Out const& out) noexcept {
  if constexpr (stl::is_pointer_v<In> && stl::is_pointer_v<Out>) {
    return in == out;
  } else {
    return false;
  }
}

/// The number of results, of up to `most`, that surely are the call's own. How many it writes isn't known, so what lies
/// after the first may be another array.
constexpr std::int64_t sure_results(std::int64_t most) noexcept {
  return most > 0 ? 1 : 0;
}

/// True if results of n elements at `in` can be stored side by side at `out`, which may be `in`, and counted.
template <class In, class Out>
inline bool are_countable(In const& in, std::int64_t n, Out const& out, std::int64_t const* count) noexcept {
  return detail::is_array(in, n) && detail::is_array(out, n) && count != nullptr && detail::is_array(count, 1) &&
         !detail::overlap(in, n, count, 1) && !detail::overlap(out, detail::sure_results(n), count, 1);
}

/// True if `in` can be an array, and `out` a result that has no byte in common with it.
template <class In, class Out>
inline bool are_apart(In const& in, std::int64_t n, Out const& out) noexcept {
  return detail::is_array(in, n) && detail::is_array(out, 1) && !detail::overlap(in, n, out, 1);
}

/// True if integers of this type can be all indices from 0 to `last`.
template <class Index>
bool fits_index(std::int64_t last) noexcept {
  return last <= 0 ||
         static_cast<std::uint64_t>(last) <= static_cast<std::uint64_t>((stl::numeric_limits<Index>::max)());
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
