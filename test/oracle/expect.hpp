// The model's results of a call, in the layout in which the call stores its results.
#pragma once

#include <algorithm>

#include "harness.hpp"
#include "model.hpp"
#include "model/halves.hpp"

namespace oracle {

namespace model_of {

/// Converts the policies of a call for the model.
inline model::how with(model::how who, bool suffix, model::placement to) {
  who.suffix = suffix;
  who.to = to;
  return who;
}

}  // namespace model_of

/// Converts sets of lanes to the library's type.
template <unsigned N>
tessera::lane_mask<N> as_mask(model::lane_set const& set) {
  tessera::lane_mask<N> mask{};
  for (unsigned r = 0; r < N; ++r)
    if (set[r]) mask.set(r);
  return mask;
}
template <unsigned N>
model::lanes<tessera::lane_mask<N>> as_masks(model::lanes<model::lane_set> const& sets) {
  model::lanes<tessera::lane_mask<N>> masks;
  for (auto const& set : sets) {
    if (set)
      masks.push_back(as_mask<N>(*set));
    else
      masks.push_back(std::nullopt);
  }
  return masks;
}
template <unsigned N>
model::lanes<tessera::peer_group<N>> as_groups(model::lanes<model::peer_group> const& groups) {
  model::lanes<tessera::peer_group<N>> all;
  for (auto const& group : groups)
    all.push_back(tessera::peer_group<N>{as_mask<N>(group->mask), group->rank, group->leader});
  return all;
}

/// Combines the values and the total of a scan, as `with_total` returns them.
template <class X, class R>
model::lanes<tessera::scanned<X, R>> with_totals(model::scanned<X, R> const& of) {
  model::lanes<tessera::scanned<X, R>> all;
  for (std::size_t r = 0; r < of.value.size(); ++r) {
    if (of.value[r] && of.total[r])
      all.push_back(tessera::scanned<X, R>{*of.value[r], *of.total[r]});
    else
      all.push_back(std::nullopt);
  }
  return all;
}

/// Elements of memory, all of which are specified.
template <class T>
model::lanes<T> all_of_them(model::list<T> const& x) {
  return model::lanes<T>(x.begin(), x.end());
}

/// The elements of a range in a tile's memory.
template <class T>
model::list<T> range_of(draws const& at, unsigned count, values which) {
  model::list<T> x;
  for (unsigned i = 0; i < count; ++i) x.push_back(at.value<T>(i, which));
  return x;
}
/// Stores `count` elements of T at `memory` before the launch.
template <class T>
void fill_range(draws const& at, unsigned char* memory, unsigned count, values which) {
  for (unsigned i = 0; i < count; ++i) {
    T const x = at.value<T>(i, which);
    std::memcpy(memory + i * sizeof(T), &x, sizeof(T));
  }
}

/// The same, sorted by `less` as the model has it.
template <class T>
void fill_sorted_range(draws const& at, unsigned char* memory, unsigned count, values which) {
  model::list<T> const all = model::joint_sort(range_of<T>(at, count, which), model::rising{});
  for (unsigned i = 0; i < count; ++i) std::memcpy(memory + i * sizeof(T), &all[i], sizeof(T));
}

/// Two sorted parts of `count` elements each.
template <class T>
struct two_parts {
  model::list<T> a, b;
};
template <class T, class Before>
two_parts<T> parts_of(draws const& at, unsigned count, values which, Before const& before) {
  two_parts<T> out;
  for (unsigned i = 0; i < count; ++i) {
    out.a.push_back(at.value<T>(i, which));
    out.b.push_back(at.value<T>(i, which, 0, 5));
  }
  return {model::joint_sort(out.a, before), model::joint_sort(out.b, before)};
}
/// Stores them in the halves of the tile's memory.
template <class T, class Before>
void fill_parts(draws const& at, unsigned char* memory, unsigned count, values which, Before const& before) {
  auto const parts = parts_of<T>(at, count, which, before);
  for (unsigned i = 0; i < count; ++i) {
    T const a = parts.a[i], b = parts.b[i];
    std::memcpy(memory + i * sizeof(T), &a, sizeof(T));
    std::memcpy(memory + at.half() + i * sizeof(T), &b, sizeof(T));
  }
}
/// Stores `count` elements of T, both halves of which are sorted.
template <class T, class Before>
void fill_halves(draws const& at, unsigned char* memory, unsigned count, values which, Before const& before) {
  auto all = range_of<T>(at, count, which);
  model::sort_halves(all, before);
  for (unsigned i = 0; i < count; ++i) {
    T const x = all[i];
    std::memcpy(memory + i * sizeof(T), &x, sizeof(T));
  }
}

}  // namespace oracle
