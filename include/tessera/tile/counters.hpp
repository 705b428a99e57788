// Counters in memory that lanes add to: by pointer, or on host tiles a host::shared<T>, whose accesses are checked.
#pragma once

#include <tessera/tile/atomic.hpp>

TESSERA_NAMESPACE_BEGIN

namespace host {
template <class T>
class shared;
}

namespace detail {

/// The cell `counters[key]`: an address that is computed before any branch, or on host tiles an element of a
/// host::shared<T>, whose accesses are checked.
template <class T, class Key>
TESSERA_FN T* cell_of(T* counters, Key key) {
  return counters + key;
}
template <class T, class Key>
TESSERA_FN auto cell_of(host::shared<T> const& counters, Key key) {
  return counters[key];
}

/// Adds x. Returns the previous value.
template <class T>
TESSERA_FN T add_to(T* cell, T x) {
  return detail::atomic_update(cell, x, plus{});
}
template <class Element, class T>
TESSERA_FN T add_to([[maybe_unused]] Element cell, T x) {
#if TESSERA_ARCH
  return x;
#else
  return cell.fetch_add(x);
#endif
}

/// The counter's address, which must be uniform over the tile.
template <class T>
TESSERA_FN stl::uint64_t uniform_of_cell(T* counter) {
  return static_cast<stl::uint64_t>(reinterpret_cast<stl::uintptr_t>(counter));
}
template <class T>
TESSERA_FN stl::uint64_t uniform_of_cell(host::shared<T> const& counter) {
  return detail::uniform_of_cell(counter.data());
}

/// The counters' type. For anything else it is a type that no counter has, so that the collective can report the error.
template <class Counters>
struct counter_of {
  using type = char;
};
template <class T>
struct counter_of<T*> {
  using type = T;
};
template <class T>
struct counter_of<host::shared<T>> {
  using type = T;
};
template <class Counters>
using counter_t = typename counter_of<Counters>::type;

}  // namespace detail

TESSERA_NAMESPACE_END
