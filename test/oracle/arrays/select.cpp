// Selections, partitions, and runs of equal neighbors. nvcc compiles this, too (any_select.cu): of structs, by predicates and relations.
#include "arrays.hpp"

#if TESSERA_CUDA
#include <tessera/grid/copy_batches.cuh>
#include <tessera/grid/runs.cuh>
#include <tessera/grid/search.cuh>
#include <tessera/grid/select.cuh>
#include <tessera/grid/transform.cuh>
#else
#include <tessera/grid/runs.hpp>
#include <tessera/grid/select.hpp>
#endif

namespace oracle::arrays {
namespace {

/// A predicate, and the relation of having the same answer.
struct high {
  template <class T>
  TESSERA_FN bool operator()(T const& x) const {
    return is_high(x);
  }
};
struct both_high {
  template <class T>
  TESSERA_FN bool operator()(T const& a, T const& b) const {
    return is_high(a) == is_high(b);
  }
};

enum class kept { some, partitioned, apart };

template <kept How, class Flag, class T>
void select_of(call& c) {
  auto const x = elements<T>(c, c.n);
  std::vector<char> chosen;
  std::vector<Flag> flags;
  for (index i = 0; i < c.n; ++i) {
    u64 const h = mixed(c.seed, 71, static_cast<u64>(i));
    bool is_chosen = c.what.is("spread", "some") ? h % 2 == 0 : c.what.is("spread", "few") ? h % 97 == 0 : h % 97 != 0;
    if constexpr (TESSERA_CUDA) is_chosen = high{}(x[static_cast<std::size_t>(i)]);
    chosen.push_back(is_chosen);
    flags.push_back(is_chosen ? static_cast<Flag>(1 + (h >> 32) % 100) : Flag(0));
  }
  index found = 0;
  auto const all = model::partition(x, chosen, found);
  auto const first = model::slice(all, 0, found);
  auto const [in, out] = c.in_and_out(x, How == kept::partitioned ? all : first);
  auto const others = How == kept::apart ? c.out(model::slice(all, found, c.n)) : array<T>();
  auto const count = c.out(std::vector<std::int64_t>{found});
#if TESSERA_CUDA
  c.launch = [=, in = in, out = out, n = c.n](grid::execution on) {
    if constexpr (How == kept::some) return grid::select(in(), n, out(), count(), high{}, on);
    if constexpr (How == kept::partitioned) return grid::partition(in(), n, out(), count(), high{}, on);
    return grid::partition_copy(in(), n, out(), others(), count(), high{}, on);
  };
#else
  auto const by = c.in(flags);
  c.launch = [=, in = in, out = out, n = c.n](grid::execution on) {
    if constexpr (How == kept::some) return grid::select(in(), by(), n, out(), count(), on);
    if constexpr (How == kept::partitioned) return grid::partition(in(), by(), n, out(), count(), on);
    return grid::partition_copy(in(), by(), n, out(), others(), count(), on);
  };
#endif
}
template <kept How>
void select(call& c) {
  with_type(c, numbers{}, [&](auto t) {
    if (c.what.is("index", "wide")) return select_of<How, std::int32_t, decltype(t)>(c);
    select_of<How, unsigned char, decltype(t)>(c);
  });
}

/// Keys of which neighbors are equal: numbers in runs, or any values.
template <class T>
std::vector<T> keys_of(call const& c) {
  if constexpr (oracle::model::is_number<T>) {
    if (!c.what.is("values", "special")) return keys_in_runs<T>(c, c.n);
  }
  return elements<T>(c, c.n);
}
using equality = std::conditional_t<TESSERA_CUDA, both_high, tessera::equal_to>;
using model_equality = std::conditional_t<TESSERA_CUDA, both_high, model::equal>;

/// Where runs begin, and those elements.
template <class T>
struct heads {
  std::vector<index> begins, ends;
  std::vector<T> keys;

  explicit heads(std::vector<T> const& x) : ends(model::runs_of(x, model_equality{})) {
    begins = model::slice(ends, 0, size(ends) - 1);
    keys = model::gather(x, begins);
  }
  std::vector<std::int64_t> count() const { return {size(begins)}; }
};

void unique(call& c) {
  with_type(c, elements_32_64{}, [&](auto t) {
    auto const x = keys_of<decltype(t)>(c);
    heads const runs(x);
    auto const [in, out] = c.in_and_out(x, runs.keys);
    auto const count = c.out(runs.count());
    c.launch = [=, in = in, out = out, n = c.n](grid::execution on) {
      return grid::unique(in(), n, out(), count(), equality{}, on);
    };
  });
}

template <class Value, class T>
void unique_by_key_of(call& c) {
  auto const x = keys_of<T>(c);
  auto const values = elements<Value>(c, c.n, 3);
  heads const runs(x);
  auto const [in, out] = c.in_and_out(x, runs.keys);
  auto const [values_in, values_out] = c.in_and_out(values, model::gather(values, runs.begins));
  auto const count = c.out(runs.count());
  c.launch = [=, in = in, out = out, values_in = values_in, values_out = values_out, n = c.n](grid::execution on) {
    return grid::unique_by_key(in(), values_in(), n, out(), values_out(), count(), equality{}, on);
  };
}
void unique_by_key(call& c) {
  with_type(c, elements_32_64{}, [&](auto t) {
    if (c.what.is("index", "wide")) return unique_by_key_of<std::uint64_t, decltype(t)>(c);
    unique_by_key_of<std::int32_t, decltype(t)>(c);
  });
}

template <class Length, class T>
void run_length_encode_of(call& c) {
  auto const x = keys_of<T>(c);
  heads const runs(x);
  std::vector<Length> lengths_of_runs;
  for (std::size_t i = 0; i < runs.begins.size(); ++i)
    lengths_of_runs.push_back(static_cast<Length>(runs.ends[i + 1] - runs.ends[i]));
  auto const in = c.in(x);
  auto const keys = c.out(runs.keys);
  auto const lengths_out = c.out(lengths_of_runs);
  auto const count = c.out(runs.count());
  c.launch = [=, n = c.n](grid::execution on) {
    return grid::run_length_encode(in(), n, keys(), lengths_out(), count(), equality{}, on);
  };
}
void run_length_encode(call& c) {
  with_type(c, elements_32_64{}, [&](auto t) {
    if (c.what.is("index", "wide")) return run_length_encode_of<std::int64_t, decltype(t)>(c);
    run_length_encode_of<std::int32_t, decltype(t)>(c);
  });
}

/// Values of T, by integer keys.
template <class Key, class T, class Op>
void reduce_by_key_of(call& c, Op op) {
  auto const keys = keys_in_runs<Key>(c, c.n);
  auto const values = elements<Op, T>(c, c.n, 3);
  auto const begins = model::runs_of(keys, model::equal{});
  auto const in = c.in(keys);
  auto const values_in = c.in(values);
  auto const keys_out = c.out(model::gather(keys, model::slice(begins, 0, size(begins) - 1)));
  auto const values_out = c.out(model::reduce_segments(values, begins, op));
  auto const count = c.out(std::vector<std::int64_t>{size(begins) - 1});
  c.launch = [=, n = c.n](grid::execution on) {
    return grid::reduce_by_key(in(), values_in(), n, keys_out(), values_out(), count(), op, tessera::equal_to{}, on);
  };
}
void reduce_by_key(call& c) {
  with_type(c, elements_32_64{}, [&](auto t) {
    using T = decltype(t);
#if TESSERA_CUDA
    reduce_by_key_of<std::uint32_t, T>(c, joining<T>());
#else
    if (c.what.is("index", "wide")) return reduce_by_key_of<std::int64_t, T>(c, tessera::plus{});
    reduce_by_key_of<std::uint32_t, T>(c, tessera::plus{});
#endif
  });
}

#if TESSERA_CUDA
struct rare {
  template <class T>
  TESSERA_FN bool operator()(T const& x) const {
    return is_rare(x);
  }
};
template <bool Counts>
void search_by_predicate(call& c) {
  with_type(c, numbers{}, [&](auto t) {
    auto const x = elements<decltype(t)>(c, c.n);
    std::int64_t const found =
        Counts ? std::count_if(x.begin(), x.end(), rare{}) : std::find_if(x.begin(), x.end(), rare{}) - x.begin();
    auto const in = c.in(x);
    auto const out = c.out(std::vector<std::int64_t>{found});
    c.launch = [=, n = c.n](grid::execution on) {
      return Counts ? grid::count_if(in(), n, rare{}, out(), on) : grid::find_if(in(), n, rare{}, out(), on);
    };
  });
}
registered<> const searches{{"find_if", search_by_predicate<false>}, {"count_if", search_by_predicate<true>}};

/// Joins all elements of an index, and that of a value that is made of it.
template <class T>
struct joins_all {
  template <class... More>
  TESSERA_FN T operator()(T const& x, More const&... more) const {
    return joined(x, (*this)(more...));
  }
  TESSERA_FN T operator()(std::int64_t at) const {
    auto w = tessera::detail::words<T>{};
    w.word[0] = 1;
    w.word[1] = static_cast<std::uint32_t>(at);
    return tessera::detail::from_words<T>(w);
  }
};
/// Of one array, of two, and of three.
void transform(call& c) {
  with_type(c, numbers{}, [&](auto t) {
    using T = decltype(t);
    joins_all<T> const f{};
    auto const x = elements<T>(c, c.n), y = elements<T>(c, c.n, 3), z = elements<T>(c, c.n, 4);
    std::vector<T> want;
    bool const has_two = c.what.is("form", "two"), has_three = c.what.is("form", "three");
    for (index i = 0; i < c.n; ++i) {
      auto const at = static_cast<std::size_t>(i);
      want.push_back(has_three ? f(x[at], y[at], z[at], i) : has_two ? f(x[at], y[at], i) : f(x[at], i));
    }
    auto const [in, out] = c.in_and_out(x, want);
    auto const more = c.in(y), last = c.in(z);
    c.launch = [=, in = in, out = out, n = c.n](grid::execution on) {
      if (has_three) return grid::transform(grid::inputs(in(), more(), last()), n, out(), f, on);
      if (has_two) return grid::transform(in(), more(), n, out(), f, on);
      return grid::transform(in(), n, out(), f, on);
    };
  });
}
void tabulate(call& c) {
  with_type(c, numbers{}, [&](auto t) {
    joins_all<decltype(t)> const f{};
    std::vector<decltype(t)> want;
    for (index i = 0; i < c.n; ++i) want.push_back(f(i));
    auto const out = c.out(want);
    c.launch = [=, n = c.n](grid::execution on) { return grid::tabulate(out(), n, f, on); };
  });
}

/// What is called for each element: changes it, or stores what it finds.
template <class T>
struct changes {
  TESSERA_FN void operator()(T& x, std::int64_t at) const { x = joins_all<T>()(x, at); }
};
template <class T>
struct stores {
  T const* from;
  T* to;
  TESSERA_FN void operator()(T const& x, std::int64_t at) const { to[at] = joins_all<T>()(x, at); }
  TESSERA_FN void operator()(std::int64_t at) const { (*this)(from[at], at); }
};
void for_each(call& c) {
  with_type(c, numbers{}, [&](auto t) {
    using T = decltype(t);
    auto const x = elements<T>(c, c.n);
    auto want = x;
    for (index i = 0; i < c.n; ++i) changes<T>()(want[static_cast<std::size_t>(i)], i);
    if (c.what.is("form", "changes")) {
      auto const both = c.over(x, want);
      c.launch = [=, n = c.n](grid::execution on) { return grid::for_each(both(), n, changes<T>(), on); };
      return;
    }
    auto const in = c.in(x);
    auto const out = c.out(want);
    bool const by_index = c.what.is("form", "index");
    c.launch = [=, n = c.n](grid::execution on) {
      stores<T> const f{in(), out()};
      return by_index ? grid::for_each(n, f, on) : grid::for_each(in(), n, f, on);
    };
  });
}

/// Both predicates, and the parts of elements with each.
void three_way_partition(call& c) {
  with_type(c, numbers{}, [&](auto t) {
    using T = decltype(t);
    auto const x = elements<T>(c, c.n);
    std::vector<T> parts[3];
    for (T const& y : x) parts[rare{}(y) ? 0 : high{}(y) ? 1 : 2].push_back(y);
    auto const in = c.in(x);
    auto const first = c.out(parts[0]), second = c.out(parts[1]), others = c.out(parts[2]);
    auto const counts = c.out(std::vector<std::int64_t>{size(parts[0]), size(parts[1])});
    c.launch = [=, n = c.n](grid::execution on) {
      return grid::three_way_partition(in(), n, first(), second(), others(), counts(), rare{}, high{}, on);
    };
  });
}
struct same_words {
  template <class T>
  TESSERA_FN bool operator()(T const& a, T const& b) const {
    auto const x = tessera::detail::to_words(a), y = tessera::detail::to_words(b);
    bool are_same = true;
    for (unsigned i = 0; i < sizeof(x.word) / 4; ++i) are_same = are_same && x.word[i] == y.word[i];
    return are_same;
  }
};
/// Of two arrays that differ in a few places.
template <bool IsEqual>
void compare_arrays(call& c) {
  with_type(c, numbers{}, [&](auto t) {
    auto const x = elements<decltype(t)>(c, c.n);
    auto y = x;
    bool const differ = c.what.is("form", "differ") && c.n > 0;
    for (u64 k = 0; differ && k < 3; ++k) {
      auto& changed = y[static_cast<std::size_t>(c.drawn(60 + k, c.n))];
      auto w = tessera::detail::to_words(changed);
      w.word[0] ^= 1;
      changed = tessera::detail::from_words<decltype(t)>(w);
    }
    index at = 0;
    while (at < c.n && oracle::same(x[static_cast<std::size_t>(at)], y[static_cast<std::size_t>(at)])) ++at;
    auto const a = c.in(x), b = c.in(y);
    if constexpr (IsEqual) {
      auto const out = c.out(std::vector<std::uint8_t>{static_cast<std::uint8_t>(at == c.n)});
      c.launch = [=, n = c.n](grid::execution on) {
        return grid::equal(a(), b(), n, reinterpret_cast<bool*>(out()), same_words{}, on);
      };
    } else {
      auto const out = c.out(std::vector<std::int64_t>{at});
      c.launch = [=, n = c.n](grid::execution on) { return grid::mismatch(a(), b(), n, out(), same_words{}, on); };
    }
  });
}
registered<> const comparisons{{"mismatch", compare_arrays<false>}, {"equal", compare_arrays<true>}};

void non_trivial_runs(call& c) {
  with_type(c, numbers{}, [&](auto t) {
    auto const x = elements<decltype(t)>(c, c.n);
    auto const ends = model::runs_of(x, model_equality{});  // and 0 before them
    std::vector<std::int64_t> offsets;
    std::vector<std::int32_t> lengths;
    for (index r = 0; r + 1 < size(ends); ++r) {
      auto const at = static_cast<std::size_t>(r);
      if (ends[at + 1] - ends[at] > 1) offsets.push_back(ends[at]);
      if (ends[at + 1] - ends[at] > 1) lengths.push_back(static_cast<std::int32_t>(ends[at + 1] - ends[at]));
    }
    auto const in = c.in(x);
    auto const begins = c.out(offsets);
    auto const sizes = c.out(lengths);
    auto const count = c.out(std::vector<std::int64_t>{size(offsets)});
    c.launch = [=, n = c.n](grid::execution on) {
      return grid::non_trivial_runs(in(), n, begins(), sizes(), count(), equality{}, on);
    };
  });
}
/// The addresses of buffers, which are known only once a call is launched.
template <class T>
struct at_offset {
  T* first;
  std::int64_t const* offsets;
  TESSERA_FN T* operator()(std::int64_t i) const { return first + offsets[i]; }
};
void copy_batches(call& c) {
  with_type(c, numbers{}, [&](auto t) {
    using T = decltype(t);
    auto const x = elements<T>(c, c.n);
    auto const sizes = lengths(c, c.n, true);
    std::vector<std::int64_t> from, to;
    std::vector<T> want;
    index at = 0;
    for (index const length : sizes) {
      from.push_back(at);
      to.push_back(size(want));
      want.insert(want.end(), x.begin() + at, x.begin() + at + length);
      for (auto const& gap : poisoned<T>(1)) want.push_back(gap);
      at += length;
    }
    auto const any = [](std::vector<std::uint64_t> const&) { return true; };
    std::vector<std::uint64_t> const nowhere(sizes.size());
    auto const in = c.in(x);
    auto const out = c.out(want);
    auto const from_offsets = c.in(from), to_offsets = c.in(to), all_sizes = c.in(std::vector<std::int64_t>(sizes));
    auto const sources = c.judged(nowhere, nowhere, std::function<bool(std::vector<std::uint64_t> const&)>(any));
    auto const destinations = c.judged(nowhere, nowhere, std::function<bool(std::vector<std::uint64_t> const&)>(any));
    c.launch = [=, count = size(sizes)](grid::execution on) {
      auto const p = reinterpret_cast<T const**>(sources());
      auto const q = reinterpret_cast<T**>(destinations());
      auto error = grid::tabulate(p, count, at_offset<T const>{in(), from_offsets()}, on);
      if (error == cudaSuccess) error = grid::tabulate(q, count, at_offset<T>{out(), to_offsets()}, on);
      return error == cudaSuccess ? grid::copy_batches(p, q, all_sizes(), count, on) : error;
    };
  });
}
registered<> const copies{{"copy_batches", copy_batches}};

registered<> const in_three{{"non_trivial_runs", non_trivial_runs}, {"three_way_partition", three_way_partition}};
registered<> const transforms{{"transform", transform}, {"tabulate", tabulate}, {"for_each", for_each}};
#endif

registered<> const of_select{{"select", select<kept::some>},          {"partition", select<kept::partitioned>},
                             {"partition_copy", select<kept::apart>}, {"unique", unique},
                             {"unique_by_key", unique_by_key},        {"run_length_encode", run_length_encode},
                             {"reduce_by_key", reduce_by_key}};

}  // namespace
}  // namespace oracle::arrays
