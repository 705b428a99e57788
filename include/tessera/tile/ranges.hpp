// A range in memory as a tile traverses it: vectors of 16 bytes, and single elements at both ends.
//
//   every 16 bytes  |         |         |         |         |
//   elements              0 1 2 3 4 5 6 7 8 9 10            of 4 bytes, for example
//   front                 0 1                               up to the first boundary, within the range
//   vectors                   [2 3 4 5] [6 7 8 9]           vector k is loaded by lane k % N, in one load
//   back                                          10
//
// If the size of a type doesn't divide 16, its vectors are one element, and there are no ends; so are those of an
// iterator, which computes its elements. Elements that aren't aligned to their size, as structs may be, never reach a
// boundary: their vectors begin with the range, and are loaded element by element. Nothing outside the range is read.
//
// A vector of zipped arrays (core/zipped_memory.hpp) is one of each array, if they have as long fronts. If not, the
// vectors begin with the range, and are loaded element by element.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/core/count.hpp>
#include <tessera/core/items.hpp>
#include <tessera/core/iterators.hpp>
#include <tessera/core/range_uniform.hpp>
#include <tessera/core/words.hpp>
#include <tessera/core/zipped_memory.hpp>
#include <tessera/group/tuning.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

template <class T>
inline constexpr unsigned vector_length = 16 % sizeof(T) == 0 ? static_cast<unsigned>(16 / sizeof(T)) : 1u;
template <class T>
using vector = items<T, vector_length<T>>;

/// The elements of a range that It reads at once.
template <class T, class It>
inline constexpr unsigned read_length = reads_elements<It> ? 1u : vector_length<T>;
template <class T, class... A>
inline constexpr unsigned read_length<T, zipped_memory<A...>> = zipped_memory<A...>::length;
template <class T, class It>
using read_vector = items<T, read_length<T, It>>;

/// The number of vector loads that a lane has in flight at a time.
template <class T, class It = T const*>
inline constexpr unsigned vectors_in_flight = sizeof(read_vector<T, It>) >= bytes_in_flight ? 1u
                                              : reads_elements<It> && sizeof(read_vector<T, It>) < 4
                                                  ? static_cast<unsigned>(bytes_in_flight / 4)
                                                  : static_cast<unsigned>(bytes_in_flight / sizeof(read_vector<T, It>));

struct alignas(16) sixteen_bytes {
  stl::uint32_t word[4];
};

/// The size of a cache line in bytes.
inline constexpr unsigned line_bytes = 128;

/// A load's use of the caches: `streaming` lets the second-level cache evict the line first, which keeps stored and
/// older lines. It pays off for whole lines that no other load reads.
enum class load_modifier { standard, streaming };

/// A store's use of the caches: `streaming` is for lines that aren't read soon: it leaves the second-level cache to
/// loads.
enum class store_modifier { standard, streaming };

template <load_modifier Modifier = load_modifier::standard>
TESSERA_FN sixteen_bytes load_sixteen_bytes(void const* from) {
  sixteen_bytes loaded{};
#if TESSERA_ARCH
  if constexpr (Modifier == load_modifier::streaming) {
    asm volatile("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];"  // __ldcs, which clang lacks
                 : "=r"(loaded.word[0]), "=r"(loaded.word[1]), "=r"(loaded.word[2]), "=r"(loaded.word[3])
                 : "l"(from));
  } else {
    loaded = *static_cast<sixteen_bytes const*>(from);
  }
#else
  detail::copy_bytes(TESSERA_ADDRESS_OF(loaded), from, 16);
#endif
  return loaded;
}

/// Bytes that one instruction loads: 2, 4, 8 or 16.
template <unsigned Bytes>
struct alignas(Bytes) loaded_bytes {
  using part = stl::conditional_t<Bytes % 4 == 0, stl::uint32_t, stl::uint16_t>;
  part value[Bytes / sizeof(part)];
};
/// K elements by one load, from a multiple of their size.
template <unsigned K, class T>
TESSERA_FN items<T, K> load_aligned(T const* from) {
  words<items<T, K>> w{};
  loaded_bytes<K * sizeof(T)> loaded;
#if TESSERA_ARCH
  loaded = *reinterpret_cast<loaded_bytes<K * sizeof(T)> const*>(from);
#else
  detail::copy_bytes(TESSERA_ADDRESS_OF(loaded), from, sizeof(loaded));
#endif
  detail::copy_bytes(w.word, loaded.value, sizeof(loaded));
  return detail::from_words<items<T, K>>(w);
}

template <class T>
TESSERA_FN bool at_sixteen_bytes(T const* p) {
  return reinterpret_cast<stl::uintptr_t>(p) % 16 == 0;
}

template <class T, class Count, class It = T const*>
struct range {
  static constexpr unsigned length = read_length<T, It>;  // of a vector
  using vector_type = items<T, length>;

  It first;
  Count vectors;
  unsigned front, back;
  bool aligned;  // true if vectors begin at multiples of 16 bytes; a constant if T ensures it

  TESSERA_FN bool empty() const { return vectors == 0 && front == 0 && back == 0; }
  /// The index at which the back begins.
  TESSERA_FN Count back_index() const { return front + vectors * length; }

  TESSERA_FN words<T> load(Count index) const {
    T const x = detail::read_element(first, index);  // aligned as T, unlike a copy of its bytes
    return detail::to_words(x);
  }
  /// The vector that begins at `from`.
  template <load_modifier Modifier = load_modifier::standard>
  TESSERA_FN words<vector_type> load_vector(It const& from) const {
    if constexpr (is_zipped_memory<It>) {
      if (aligned) return load_zipped(from, typename It::indices{});
      return load_elements(from);
    } else if constexpr (reads_elements<It> || 16 % sizeof(T) != 0) {
      return load_elements(from);
    } else if constexpr (alignof(T) == sizeof(T)) {
      return load_at_once<Modifier>(from);
    } else {
      if (aligned) return load_at_once<Modifier>(from);
      return load_elements(from);
    }
  }

 private:
  template <load_modifier Modifier>
  TESSERA_FN static words<vector<T>> load_at_once(T const* from) {
    words<vector<T>> out;
    sixteen_bytes const loaded = detail::load_sixteen_bytes<Modifier>(from);
    detail::copy_bytes(out.word, loaded.word, 16);
    return out;
  }
  TESSERA_FN static words<vector_type> load_elements(It const& from) {
    words<vector_type> out{};
    TESSERA_UNROLL
    for (unsigned j = 0; j < length; ++j) {
      T const element = detail::read_element(from, j);
      detail::copy_bytes(reinterpret_cast<unsigned char*>(out.word) + j * sizeof(T), TESSERA_ADDRESS_OF(element),
                         sizeof(T));
    }
    return out;
  }
  /// Loads a vector of each array, and then zips their elements.
  template <stl::size_t... Index>
  TESSERA_FN static words<vector_type> load_zipped(It const& from, stl::index_sequence<Index...>) {
    auto const loaded = detail::zip_elements(detail::load_aligned<length>(detail::member_of<Index>(from.first))...);
    words<vector_type> out{};
    TESSERA_UNROLL
    for (unsigned j = 0; j < length; ++j) {
      T const element{{{detail::member_of<Index>(loaded)[j]}...}};
      detail::copy_bytes(reinterpret_cast<unsigned char*>(out.word) + j * sizeof(T), TESSERA_ADDRESS_OF(element),
                         sizeof(T));
    }
    return out;
  }
};

template <class T, class Count>
TESSERA_FN range<T, Count> range_of(T const* first, Count n) {
  constexpr unsigned V = vector_length<T>;
  unsigned const misaligned = static_cast<unsigned>(reinterpret_cast<stl::uintptr_t>(first) % 16);
  bool const aligned = alignof(T) == sizeof(T) || misaligned % sizeof(T) == 0;
  if constexpr (V == 1) {
    return {first, n, 0, 0, aligned};
  } else {
    unsigned front = aligned ? (16 - misaligned) % 16 / static_cast<unsigned>(sizeof(T)) : 0u;
    if (front > n) front = static_cast<unsigned>(n);
    Count const rest = n - front;
    return {first, rest / V, front, static_cast<unsigned>(rest % V), aligned};
  }
}
template <class It, class Count, stl::enable_if_t<reads_elements<It>, bool> = true>
TESSERA_FN range<value_of<It>, Count, It> range_of(It const& first, Count n) {
  return {first, n, 0, 0, false};
}
template <class... A, class Count>
TESSERA_FN range<zipped_element<A...>, Count, zipped_memory<A...>> range_of(zipped_memory<A...> const& first, Count n) {
  constexpr unsigned V = zipped_memory<A...>::length;
  bool const aligned = first.is_aligned();
  unsigned front = aligned ? first.front() : 0u;
  if (front > n) front = static_cast<unsigned>(n);
  Count const rest = n - front;
  return {first, rest / V, front, static_cast<unsigned>(rest % V), aligned};
}

/// Stores a lane's items: by 16 bytes if `wide`, that is if `to` is a multiple of 16 bytes.
template <class T, unsigned K>
TESSERA_FN void store_items(T* to, items<T, K> const& x, [[maybe_unused]] bool wide) {
  if constexpr (TESSERA_ARCH != 0 && sizeof(x) % 16 == 0) {
    if (wide) {
      words<items<T, K>> const w = detail::to_words(x);
      TESSERA_UNROLL
      for (unsigned i = 0; i < sizeof(x) / 16; ++i) {
        sixteen_bytes stored;
        detail::copy_bytes(stored.word, w.word + 4 * i, 16);
        reinterpret_cast<sixteen_bytes*>(to)[i] = stored;
      }
      return;
    }
  }
  TESSERA_UNROLL
  for (unsigned j = 0; j < K; ++j) to[j] = x[j];
}

/// A lane's traversal of the vectors of a range, for algorithms that take elements in any order. All loads of a step
/// are in flight at once.
///
///   for (vector_walk walk(group, r); walk.more();) walk.step([](T x, Count index, unsigned slot) { … });
template <class Group, class T, class Count, class It = T const*>
class vector_walk {
  static constexpr unsigned N = Group::size;
  static constexpr unsigned V = read_length<T, It>;
  static constexpr unsigned depth = vectors_in_flight<T, It>;
  using vector_t = items<T, V>;

 public:
  TESSERA_FN vector_walk(Group group, range<T, Count, It> const& r)
      : range_(r), rank_(group.rank()), left_(r.vectors), index_(r.front + rank_ * V) {}

  /// True if any lane has a vector left.
  TESSERA_FN bool more() const { return left_ > 0; }
  TESSERA_FN void stop() { left_ = 0; }

  /// Calls visit(x, index, slot) for each element of this lane's next vectors; slot is its place in its vector.
  template <class Visit>
  TESSERA_FN void step(Visit visit) {
    unsigned const here = left_ < depth * N ? static_cast<unsigned>(left_) : depth * N;
    It const at = detail::advanced(range_.first, index_);
    words<vector_t> loaded[depth];  // on the GPU all loads are issued before the first is used
    if constexpr (TESSERA_ARCH != 0) {
      TESSERA_UNROLL
      for (unsigned u = 0; u < depth; ++u) {
        if (rank_ + u * N < here) loaded[u] = range_.load_vector(detail::advanced(at, u * N * V));
      }
    }
    TESSERA_UNROLL
    for (unsigned u = 0; u < depth; ++u) {
      if (rank_ + u * N < here) {
        if constexpr (TESSERA_ARCH == 0) loaded[u] = range_.load_vector(detail::advanced(at, u * N * V));
        vector_t const x = detail::from_words<vector_t>(loaded[u]);
        TESSERA_UNROLL
        for (unsigned j = 0; j < V; ++j) visit(x[j], index_ + (u * N * V + j), j);
      }
    }
    left_ -= here;
    index_ += depth * N * V;
  }

 private:
  range<T, Count, It> range_;
  unsigned rank_;
  Count left_;   // remaining vectors of all lanes
  Count index_;  // the index of the first element of this lane's next vector
};

/// A lane's share of the elements before and after the vectors: lane i % N takes the i-th of both ends together.
template <class Group, class T, class Count, class It = T const*>
class range_ends {
  static constexpr unsigned N = Group::size;
  static constexpr unsigned most = 2 * (read_length<T, It> - 1);

 public:
  /// Issues the load of the lane's first element, which for most N is its only one.
  TESSERA_FN range_ends(Group group, range<T, Count, It> const& r)
      : range_(r), rank_(group.rank()), count_(r.front + r.back) {
    if constexpr (most > 0) {
      if (rank_ < count_) loaded_ = r.load(index(rank_));
    }
  }

  /// Calls visit(x, index) for each of the lane's elements.
  template <class Visit>
  TESSERA_FN void each(Visit visit) const {
    if constexpr (most > 0) {
      if (rank_ < count_) visit(detail::from_words<T>(loaded_), index(rank_));
    }
    if constexpr (most > N) {
      for (unsigned i = rank_ + N; i < count_; i += N) visit(detail::from_words<T>(range_.load(index(i))), index(i));
    }
  }

 private:
  TESSERA_FN Count index(unsigned i) const { return i < range_.front ? i : i + range_.vectors * read_length<T, It>; }

  range<T, Count, It> range_;
  unsigned rank_;
  unsigned count_;
  words<T> loaded_{};
};

/// True if this tile, or another that exchanges together with it, has `more`, which is uniform over a tile. So loops
/// with exchanges end together. Costs a vote for tiles that may share a warp.
template <class Group>
TESSERA_FN bool any_tile([[maybe_unused]] Group group, bool more) {
  if constexpr (Group::size >= 32) {
    return more;
  } else {
    return !group.all_agree(!more);
  }
}

/// An index or a reader, advanced by so many elements in the direction of the traversal.
template <bool Suffix, class Position>
TESSERA_FN Position ahead(Position const& from, unsigned elements) {
  if constexpr (stl::is_integral_v<Position> || stl::is_pointer_v<Position>) {
    return Suffix ? from - elements : from + elements;
  } else {
    return detail::advanced(from, Suffix ? -static_cast<stl::int64_t>(elements) : static_cast<stl::int64_t>(elements));
  }
}

/// Traverses a range in its order, in chunks of one element (at the ends) or one vector a lane:
///
///   lane     0    1    2    3    0     1     2     3
///   chunk    ab   cd   ef   gh | ij    kl    -     -        of vectors of 2: the second has 2 owners
///   Suffix   kl   ij   gh   ef | cd    ab    -     -        from the end of the range
///
/// Calls body(items<T, K>, index, owners) for each chunk: in lanes 0 … owners − 1 with their elements, the first of
/// which has number `index`; in the others with unspecified items. The body may exchange: tiles that exchange together
/// take the same number of chunks, after the end of a shorter range without owners.
template <bool Suffix = false, class Group, class T, class Count, class It, class Body>
TESSERA_FN void walk_in_order(Group group, range<T, Count, It> const& r, Body body) {
  constexpr unsigned N = Group::size;
  constexpr unsigned V = read_length<T, It>;
  constexpr unsigned depth = vectors_in_flight<T, It>;
  using vector_t = items<T, V>;
  unsigned const rank = group.rank();

  auto const walk_end = [&](Count begin, unsigned count) {
    unsigned left = count;
    for (Count index = detail::ahead<Suffix>(Suffix ? begin + count - 1 : begin, rank);
         detail::any_tile(group, left > 0); index = detail::ahead<Suffix>(index, N)) {
      unsigned const owners = left < N ? left : N;
      words<T> loaded{};
      if (rank < owners) loaded = r.load(index);
      body(items<T, 1>{{detail::from_words<T>(loaded)}}, index, owners);
      left -= owners;
    }
  };

  if constexpr (V > 1) walk_end(Suffix ? r.back_index() : 0, Suffix ? r.back : r.front);
  {
    Count left = r.vectors;
    Count index = detail::ahead<Suffix>(Suffix ? r.back_index() - V : r.front, rank * V);
    words<vector_t> next[depth] = {};  // in step u next[u] belongs to this chunk, the others to later ones
    TESSERA_UNROLL
    for (unsigned u = 0; u < depth; ++u) {
      if (rank + u * N < left)
        next[u] = r.load_vector(detail::ahead<Suffix>(detail::advanced(r.first, index), u * N * V));
    }
    bool more = detail::any_tile(group, left > 0);
    while (more) {
      TESSERA_UNROLL
      for (unsigned u = 0; u < depth; ++u) {
        if (!more) continue;
        unsigned const owners = left < N ? static_cast<unsigned>(left) : N;
        body(detail::from_words<vector_t>(next[u]), index, owners);
        // The next vector is loaded after this one's use, into the same registers: a copy would wait for loads in
        // flight.
        if (rank + depth * N < left)
          next[u] = r.load_vector(detail::ahead<Suffix>(detail::advanced(r.first, index), depth * N * V));
        left -= owners;
        index = detail::ahead<Suffix>(index, N * V);
        more = detail::any_tile(group, left > 0);
      }
    }
  }
  if constexpr (V > 1) walk_end(Suffix ? 0 : r.back_index(), Suffix ? r.front : r.back);
}

/// The uniform arguments of a call on a range, as one number.
template <class T, class Count>
TESSERA_FN stl::uint64_t uniform_of_range(T const* first, Count n) {
  return range_uniform::of(first, nullptr, n);
}
template <class It, class Count, stl::enable_if_t<reads_elements<It>, bool> = true>
TESSERA_FN stl::uint64_t uniform_of_range(It const&, Count n) {
  return range_uniform::of(nullptr, nullptr, n);
}
template <class It>
TESSERA_FN void const* address_or_null(It const& it) {
  if constexpr (stl::is_pointer_v<It>) return it;
  return nullptr;
}
template <class It, class Out, class Count>
TESSERA_FN stl::uint64_t uniform_of_ranges(It const& first, Out const& out, Count n) {
  return range_uniform::of(detail::address_or_null(first), detail::address_or_null(out), n);
}

}  // namespace detail
TESSERA_NAMESPACE_END
