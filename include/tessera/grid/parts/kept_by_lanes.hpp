// Elements that are too long for shared memory: each lane keeps its own until it stores them. The compiler has them
// in local memory, since they fill more registers than a thread has. The classes here have the functions of those
// that use shared memory.
#pragma once

#include <tessera/core/words.hpp>
#include <tessera/tile/load_store.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Takes the place of the class that isn't used.
struct nothing {};

/// `a` if First, else b.
template <bool First, class A, class B>
TESSERA_FN auto& choose_object([[maybe_unused]] A& a, [[maybe_unused]] B& b) {
  if constexpr (First) {
    return a;
  } else {
    return b;
  }
}

/// A lane's rows: see buffered_rows.hpp.
template <class X, unsigned Rows>
class kept_rows {
 public:
  TESSERA_FN void put(unsigned row, unsigned, X const& x) { word_[row] = tessera::detail::to_words(x); }
  TESSERA_FN X get(unsigned row, unsigned) const { return tessera::detail::from_words<X>(word_[row]); }

 private:
  tessera::detail::words<X> word_[Rows];
};

/// A lane's only element of a tile and its rank, or none: see staged_elements in compaction.hpp.
template <class T>
class kept_element {
 public:
  TESSERA_FN void clear() { rank_ = none; }
  TESSERA_FN void put(unsigned rank, T const& x, bool is_kept = true) {
    if (!is_kept) return;
    word_ = tessera::detail::to_words(x);
    rank_ = rank;
  }
  /// Stores the element if it is one of `first` … first + count − 1, which become out[0] …
  template <class Out>
  TESSERA_FN void store(Out const& out, unsigned first, unsigned count, unsigned) const {
    if (rank_ - first < count) tessera::detail::store_at(out, rank_ - first, tessera::detail::from_words<T>(word_));
  }

 private:
  static constexpr unsigned none = ~0u;
  tessera::detail::words<T> word_;
  unsigned rank_ = none;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
