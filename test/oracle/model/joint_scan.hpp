// Scans of a range in memory by one tile. `address` is the address of the first element, modulo 16.
#pragma once

#include <algorithm>
#include <utility>

#include "joint_reduce.hpp"
#include "scan.hpp"

namespace oracle::model {

/// The output of a joint scan, and the total, which every lane gets with `with_total`.
template <class R>
struct joint_scanned {
  list<R> out;
  maybe<R> total;
};

/// The vectors of a range. The elements before the first multiple of 16 bytes, and those after the last
/// vector, are vectors of one element. A chunk is what the tile scans in one round: up to N vectors of the
/// same length. With `suffix` elements count from the end of the range, whose last elements are its front then.
struct vector_of_range {
  std::size_t first, length;
};
template <class T>
list<list<vector_of_range>> chunks_of(unsigned n, std::size_t count, std::size_t address, bool suffix = false) {
  range_layout range = layout_of<T>(count, address);
  if (suffix) std::swap(range.front, range.back);
  list<vector_of_range> front, middle, back;
  for (std::size_t i = 0; i < range.front; ++i) front.push_back({i, 1});
  for (std::size_t v = 0; v < range.vectors; ++v) middle.push_back({range.front + v * range.length, range.length});
  for (std::size_t i = count - range.back; i < count; ++i) back.push_back({i, 1});

  list<list<vector_of_range>> chunks;
  for (auto const& part : {front, middle, back})
    for (std::size_t i = 0; i < part.size(); i += n) chunks.push_back(part_of(part, i, i + n));
  return chunks;
}

/// In a chunk each lane scans its vector from left to right, and the tile scans the vectors as in
/// `inclusive_scan`. The result of an element is (previous chunks op previous vectors) op its own vector up
/// to the element; an initial value comes before the chunks. If a chunk has fewer than N vectors, its total
/// is combined by the steps of the scan.
template <class T, class R>
joint_scanned<R> joint_scan_in_order(unsigned n, list<T> const& x, list<list<vector_of_range>> const& chunks,
                                     algebra<R> const& op, maybe<R> const& start, bool inclusive) {
  joint_scanned<R> result;
  maybe<R> chunks_before;
  for (auto const& chunk : chunks) {
    list<maybe<R>> of_vectors(chunk.size());
    for (std::size_t v = 0; v < chunk.size(); ++v)
      for (std::size_t j = 0; j < chunk[v].length; ++j)
        of_vectors[v] = join<R>(of_vectors[v], static_cast<R>(x[chunk[v].first + j]), op);
    scan_of_lanes<R> const vectors = scan_values<R>(n, of_vectors, op, how{});

    for (std::size_t v = 0; v < chunk.size(); ++v) {
      maybe<R> const before_vector = join<R>(join<R>(start, chunks_before, op), vectors.without_own[v], op);
      maybe<R> own;
      for (std::size_t j = 0; j < chunk[v].length; ++j) {
        maybe<R> const up_to_own = join<R>(own, static_cast<R>(x[chunk[v].first + j]), op);
        maybe<R> const value = join<R>(before_vector, inclusive ? up_to_own : own, op);
        result.out.push_back(value ? *value : op.identity.value());
        own = up_to_own;
      }
    }
    chunks_before = join<R>(chunks_before, vectors.total, op);
  }
  result.total = chunks_before ? chunks_before : op.identity;
  return result;
}

/// A scan with `suffix` is the mirror image: the scan of the range from its end on, by the operator with swapped
/// operands.
template <class T, class R>
joint_scanned<R> joint_scan(unsigned n, list<T> x, std::size_t address, algebra<R> op, maybe<R> const& start,
                            bool inclusive, how const& who) {
  auto const chunks = chunks_of<T>(n, x.size(), address, who.suffix);
  if (!who.suffix) return joint_scan_in_order<T, R>(n, x, chunks, op, start, inclusive);
  std::reverse(x.begin(), x.end());
  op.combine = op.combine.swapped();
  joint_scanned<R> out = joint_scan_in_order<T, R>(n, x, chunks, op, start, inclusive);
  std::reverse(out.out.begin(), out.out.end());
  return out;
}

/// joint_scan.hpp: out[i] = first[0] op … op first[i].
template <class T, class R>
joint_scanned<R> joint_inclusive_scan(unsigned n, list<T> const& x, std::size_t address, algebra<R> const& op,
                                      how const& who = {}) {
  return joint_scan<T, R>(n, x, address, op, std::nullopt, true, who);
}

/// joint_scan.hpp: the same with an initial value.
template <class T, class R>
joint_scanned<R> joint_inclusive_scan(unsigned n, list<T> const& x, std::size_t address, algebra<R> const& op,
                                      R const& init, how const& who = {}) {
  return joint_scan<T, R>(n, x, address, op, maybe<R>(init), true, who);
}

/// joint_scan.hpp: out[i] = first[0] op … op first[i − 1]; out[0] is the identity.
template <class T, class R>
joint_scanned<R> joint_exclusive_scan(unsigned n, list<T> const& x, std::size_t address, algebra<R> const& op,
                                      how const& who = {}) {
  return joint_scan<T, R>(n, x, address, op, std::nullopt, false, who);
}

/// joint_scan.hpp: out[i] = init op first[0] op … op first[i − 1]. The total doesn't include init.
template <class T, class R>
joint_scanned<R> joint_exclusive_scan(unsigned n, list<T> const& x, std::size_t address, algebra<R> const& op,
                                      R const& init, how const& who = {}) {
  return joint_scan<T, R>(n, x, address, op, maybe<R>(init), false, who);
}

}  // namespace oracle::model
