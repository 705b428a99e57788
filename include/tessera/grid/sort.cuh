// Whole arrays of any type in any order, by CUB's sorts, for nvcc.
//
//   error = tessera::grid::sort(points, n, sorted, nearer{}, {stream, memory});      // your own type and order
//   error = tessera::grid::argsort(points, n, indices, nearer{}, {stream, memory});
//
// Elements, keys and values are of any trivially copyable type, with or without a default constructor. All sorts are
// stable. Numbers of up to 64 bits by less and greater go through CUB's radix sort, everything else through its merge
// sort: log2(n / 2048) passes over keys and values, more or less, according to their size. Everything else is as in
// sort.hpp.
#pragma once

#include <tessera/grid/parts/arguments.hpp>
#include <tessera/grid/parts/launch.cuh>
#include <tessera/grid/parts/pooled_workspace.hpp>
#include <tessera/grid/sort.hpp>
#include <tessera/grid/sort/cub_sort.cuh>
#include <tessera/grid/sort/iota_agent.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

inline namespace TESSERA_ARCHS {

/// The arrays of a sort. Without values, V is cub::NullType, and their pointers are null.
template <class K, class V>
struct sort_arrays {
  K const* keys;
  V const* values;
  std::int64_t n;
  K* keys_out;
  V* values_out;

  static constexpr bool has_values = !stl::is_same_v<V, cub::NullType>;
  static constexpr std::int64_t value_bytes = has_values ? sizeof(V) : 0;

  bool any_in_place() const { return keys == keys_out || (has_values && values == values_out); }
};

/// True if `out` is `in`, or has no byte in common with it.
template <class T>
bool is_same_or_apart(T const* in, T const* out, std::int64_t n) noexcept {
  return in == out || !detail::overlap(in, n, out, n);
}
template <class K, class V>
bool are_sortable(sort_arrays<K, V> const& a) noexcept {
  bool fine = detail::is_array(a.keys, a.n) && detail::is_array(a.keys_out, a.n) &&
              detail::is_same_or_apart(a.keys, a.keys_out, a.n);
  if constexpr (sort_arrays<K, V>::has_values) {
    fine = fine && detail::is_array(a.values, a.n) && detail::is_array(a.values_out, a.n) &&
           detail::is_same_or_apart(a.values, a.values_out, a.n) && !detail::overlap(a.keys, a.n, a.values_out, a.n) &&
           !detail::overlap(a.values, a.n, a.keys_out, a.n) && !detail::overlap(a.keys_out, a.n, a.values_out, a.n);
  }
  return fine;
}

/// The form in which CUB reads keys. In another form than in order there are floats alone.
template <class Bits, key_form Form>
struct keys_as {
  using key = radix_key<Bits, Form>;
  using decomposer = radix_decomposer<Bits, Form>;
};
template <class Bits, key_form Own, key_form Form>
using keys_in_form = keys_as<Bits, stl::is_same_v<Bits, std::uint32_t> && Own == key_form::in_order ? Form : Own>;

/// Calls CUB by the kernels that are fastest: call(keys_as, number of elements). A number of 32 bits means kernels
/// with larger tiles, which few elements don't fill; of keys of 64 bits it means the same tiles, and so these have
/// one kernel. Many floats without values are sorted in order: CUB's kernels have 56 registers then and 79 else, so
/// that a multiprocessor has three blocks instead of two. See benchmark/tuning.md.
template <class Bits, key_form Form, class V, class Call>
cudaError_t call_fastest_kernels(std::int64_t n, Call const& call) noexcept {
  constexpr bool has_values = !stl::is_same_v<V, cub::NullType>;
  auto const short_n = static_cast<std::int32_t>(n);
  keys_as<Bits, Form> const own;
  keys_in_form<Bits, Form, key_form::reversed> const reversed;
  if constexpr (sizeof(Bits) == 8) {
    return call(own, n);
  } else {
    if (n < (has_values ? std::int64_t{1} << 19 : std::int64_t{1} << 20)) return call(reversed, n);
    if (n < std::int64_t{1} << 23 || (has_values && n <= INT32_MAX)) return call(reversed, short_n);
    if constexpr (has_values) {
      return call(reversed, n);
    } else {
      return n <= INT32_MAX ? call(own, short_n) : call(own, n);
    }
  }
}

/// CUB's radix sort from the input arrays to the output arrays, which are apart.
template <class Bits, key_form Form, class V>
struct radix_sort_apart {
  sort_arrays<radix_key<Bits, Form>, V> const& a;
  key_coding<Bits> const& coding;
  cudaStream_t stream;

  static constexpr std::size_t spare_bytes(std::int64_t) { return 0; }
  cudaError_t operator()(void* temporary, std::size_t& bytes, void*) const noexcept {
    return detail::call_fastest_kernels<Bits, Form, V>(a.n, [&](auto as, auto count) {
      using key = typename decltype(as)::key;
      typename decltype(as)::decomposer const decomposer{decltype(decomposer.coding)(coding)};
      constexpr int bits = 8 * sizeof(key);
      auto const* const in = reinterpret_cast<key const*>(a.keys);
      auto* const out = reinterpret_cast<key*>(a.keys_out);
      if constexpr (sort_arrays<key, V>::has_values) {
        return cub::DeviceRadixSort::SortPairs(temporary, bytes, in, out, a.values, a.values_out, count, decomposer, 0,
                                               bits, stream);
      } else {
        return cub::DeviceRadixSort::SortKeys(temporary, bytes, in, out, count, decomposer, 0, bits, stream);
      }
    });
  }
};

/// Sorts within the output arrays and spare ones of their size. What isn't sorted in place is copied there first.
template <class Bits, key_form Form, class V>
struct radix_sort_in_place {
  using K = radix_key<Bits, Form>;
  sort_arrays<K, V> const& a;
  key_coding<Bits> const& coding;
  cudaStream_t stream;

  static constexpr std::size_t spare_bytes(std::int64_t n) {
    auto const count = static_cast<std::size_t>(n);
    return detail::on_lines(count * sizeof(K)) +
           detail::on_lines(count * static_cast<std::size_t>(sort_arrays<K, V>::value_bytes));
  }
  cudaError_t operator()(void* temporary, std::size_t& bytes, void* spare) const noexcept {
    if (temporary != nullptr) {
      cudaError_t const error = copy_both(a.keys, a.values);
      if (error != cudaSuccess) return error;
    }
    return detail::call_fastest_kernels<Bits, Form, V>(a.n, [&](auto as, auto count) {
      using key = typename decltype(as)::key;
      typename decltype(as)::decomposer const decomposer{decltype(decomposer.coding)(coding)};
      constexpr int bits = 8 * sizeof(key);
      auto const n = static_cast<std::size_t>(a.n);
      cub::DoubleBuffer<key> keys(reinterpret_cast<key*>(a.keys_out), static_cast<key*>(spare));
      cub::DoubleBuffer<V> values(a.values_out,
                                  reinterpret_cast<V*>(static_cast<char*>(spare) + detail::on_lines(n * sizeof(K))));
      cudaError_t error = cudaSuccess;
      if constexpr (sort_arrays<K, V>::has_values) {
        error = cub::DeviceRadixSort::SortPairs(temporary, bytes, keys, values, count, decomposer, 0, bits, stream);
      } else {
        error = cub::DeviceRadixSort::SortKeys(temporary, bytes, keys, count, decomposer, 0, bits, stream);
      }
      if (error != cudaSuccess || temporary == nullptr) return error;
      return copy_both(reinterpret_cast<K const*>(keys.Current()), values.Current());
    });
  }

 private:
  /// Copies to the output arrays what isn't there.
  cudaError_t copy_both(K const* keys, V const* values) const noexcept {
    cudaError_t const error = copy(a.keys_out, keys, sizeof(K));
    return error != cudaSuccess ? error : copy(a.values_out, values, sort_arrays<K, V>::value_bytes);
  }
  cudaError_t copy(void* to, void const* from, std::size_t size) const noexcept {
    if (to == from || size == 0) return cudaSuccess;
    return detail::own_status(
        cudaMemcpyAsync(to, from, static_cast<std::size_t>(a.n) * size, cudaMemcpyDeviceToDevice, stream));
  }
};

/// CUB's merge sort, from the input arrays to the output arrays or in place.
template <class K, class V, class Before>
struct merge_sort_anywhere {
  sort_arrays<K, V> const& a;
  Before const& before;
  cudaStream_t stream;

  static constexpr std::size_t spare_bytes(std::int64_t) { return 0; }
  cudaError_t operator()(void* temporary, std::size_t& bytes, void*) const noexcept {
    // Both ways, and stable or not, it is one kernel if the iterators are of one type: StableSortPairs calls what
    // SortPairsCopy calls, though CUB promises no order of equal keys of the latter. The tests hold it to that.
    K* const keys = const_cast<K*>(a.keys);
    if constexpr (sort_arrays<K, V>::has_values) {
      return cub::DeviceMergeSort::SortPairsCopy(temporary, bytes, keys, const_cast<V*>(a.values), a.keys_out,
                                                 a.values_out, a.n, before, stream);
    } else {
      return cub::DeviceMergeSort::StableSortKeysCopy(temporary, bytes, keys, a.keys_out, a.n, before, stream);
    }
  }
};

template <class Index>
__global__ void __launch_bounds__(iota_tuning::threads) iota_kernel(Index* out, std::int64_t n) {
  wait_for_stream();
  detail::run_iota_agent(threadIdx.x, blockIdx.x, out, n);
}

/// The indices of elements in order: the values that are sorted are the numbers from 0 on. They and the sorted keys
/// are in spare memory. `make_sort` makes the sort of arrays that are apart.
template <class K, class Index, class MakeSort>
struct argsort_by {
  sort_arrays<K, Index> const& a;  // without values and keys_out
  MakeSort const& make_sort;
  cudaStream_t stream;

  static constexpr std::size_t spare_bytes(std::int64_t n) {
    auto const count = static_cast<std::size_t>(n);
    return detail::on_lines(count * sizeof(K)) + detail::on_lines(count * sizeof(Index));
  }
  cudaError_t operator()(void* temporary, std::size_t& bytes, void* spare) const noexcept {
    auto* const numbers = reinterpret_cast<Index*>(static_cast<char*>(spare) +
                                                   detail::on_lines(static_cast<std::size_t>(a.n) * sizeof(K)));
    cudaError_t error = cudaSuccess;
    if (temporary != nullptr) {
      std::int64_t const blocks = detail::ceiling_divide(a.n, iota_tuning::threads * iota_tuning::items);
      error = detail::launch<iota_kernel<Index>>({blocks, iota_tuning::threads}, stream, numbers, a.n);
    }
    if (error != cudaSuccess) return error;
    sort_arrays<K, Index> const whole{a.keys, numbers, a.n, static_cast<K*>(spare), a.values_out};
    return make_sort(whole)(temporary, bytes, nullptr);
  }
};

/// Sorts with temporary storage from the workspace: `sorted` is one of the above.
template <class Sorted>
cudaError_t sort_with_workspace(Sorted const& sorted, std::int64_t n, execution on) noexcept {
  std::size_t bytes = 0;
  cudaError_t const error = detail::call_cub([&] { return sorted(nullptr, bytes, nullptr); });
  if (error != cudaSuccess) return error;
  std::size_t const temporary = detail::on_lines(bytes > 0 ? bytes : 1);
  pooled_workspace const scratch(on, temporary + Sorted::spare_bytes(n), 0, false);
  if (scratch.error() != cudaSuccess) return scratch.error();
  return detail::call_cub(
      [&] { return sorted(scratch.data(), bytes, static_cast<char*>(scratch.data()) + temporary); });
}

/// CUB's radix sort of numbers of these bits: integers, or floats. As `key` the keys are there for it; `make` makes the
/// sort of arrays that are apart.
template <class Bits, key_form Form>
struct cub_radix_sort {
  using key = radix_key<Bits, Form>;

  template <class V>
  auto make(sort_arrays<key, V> const& a) const {
    return radix_sort_apart<Bits, Form, V>{a, coding, stream};
  }
  template <class V>
  auto make_in_place(sort_arrays<key, V> const& a) const {
    return radix_sort_in_place<Bits, Form, V>{a, coding, stream};
  }
  key_coding<Bits> coding;
  cudaStream_t stream;
};
/// CUB's merge sort of keys of T by Before, likewise.
template <class T, class Before>
struct cub_merge_sort {
  using key = opaque_t<T>;

  template <class V>
  auto make(sort_arrays<key, V> const& a) const {
    return merge_sort_anywhere<key, V, opaque_before<T, Before>>{a, before, stream};
  }
  template <class V>
  auto make_in_place(sort_arrays<key, V> const& a) const {
    return make(a);
  }
  opaque_before<T, Before> before;
  cudaStream_t stream;
};
template <class T, class Before>
auto cub_sort(Before const& before, cudaStream_t stream) {
  using comparator = tessera::detail::canonical_comparator_t<Before, T>;
  if constexpr (tessera::detail::has_sort_key<T, comparator>) {
    using bits = typename unsigned_of<sizeof(T)>::type;
    constexpr key_form form = tessera::detail::is_any_float<T> ? key_form::in_order : key_form::flipped;
    return cub_radix_sort<bits, form>{key_coding<bits>::template of<T, stl::is_same_v<comparator, greater>>(), stream};
  } else {
    return cub_merge_sort<T, comparator>{{tessera::detail::canonical_comparator<T>(before)}, stream};
  }
}

/// Sorts by one of these two, in place or not.
template <class Sort, class V>
cudaError_t sort_arrays_by(Sort const& sort, sort_arrays<typename Sort::key, V> const& a, execution on) noexcept {
  if (!detail::are_sortable(a)) return cudaErrorInvalidValue;
  if (a.n == 0) return cudaSuccess;
  return a.any_in_place() ? detail::sort_with_workspace(sort.make_in_place(a), a.n, on)
                          : detail::sort_with_workspace(sort.make(a), a.n, on);
}
/// The indices of sorted elements.
template <class Sort, class Index>
cudaError_t argsort_by_cub(Sort const& sort, sort_arrays<typename Sort::key, Index> const& a, execution on) noexcept {
  if (a.n == 0) return cudaSuccess;
  auto const make = [&](auto const& whole) { return sort.make(whole); };
  return detail::sort_with_workspace(argsort_by<typename Sort::key, Index, decltype(make)>{a, make, on.stream}, a.n,
                                     on);
}

/// Sorts keys of T with values of V, which CUB may make and assign.
template <class T, class V, class Before>
cudaError_t sort_arrays_of(T const* keys, V const* values, std::int64_t n, T* keys_out, V* values_out,
                           Before const& before, execution on) noexcept {
  auto const sort = detail::cub_sort<T>(before, on.stream);
  using key = typename decltype(sort)::key;
  sort_arrays<key, V> const a{reinterpret_cast<key const*>(keys), values, n, reinterpret_cast<key*>(keys_out),
                              values_out};
  return detail::sort_arrays_by(sort, a, on);
}

template <class T>
struct sort_launcher<T, void> {
  template <class Before>
  static cudaError_t launch(T const* in, std::int64_t n, T* out, Before const& before, execution on) noexcept {
    static_assert(is_exchangeable_v<T>, "grid::sort: elements are trivially copyable.");
    cub::NullType* const none = nullptr;
    return detail::sort_arrays_of(in, none, n, out, none, before, on);
  }
};

template <class Key>
struct sort_by_key_launcher<Key, void> {
  template <class Value, class Before>
  static cudaError_t launch(Key const* keys, Value const* values, std::int64_t n, Key* keys_out, Value* values_out,
                            Before const& before, execution on) noexcept {
    static_assert(is_exchangeable_v<Key> && is_exchangeable_v<Value>,
                  "grid::sort_by_key: keys and values are trivially copyable.");
    using moved = stl::conditional_t<is_one_of<Value, std::uint32_t, std::uint64_t>, Value, opaque_t<Value>>;
    return detail::sort_arrays_of(keys, reinterpret_cast<moved const*>(values), n, keys_out,
                                  reinterpret_cast<moved*>(values_out), before, on);
  }
};

template <class T>
struct argsort_launcher<T, void> {
  template <class Index, class Before>
  static cudaError_t launch(T const* in, std::int64_t n, Index* indices, Before const& before, execution on) noexcept {
    static_assert(is_exchangeable_v<T>, "grid::argsort: elements are trivially copyable.");
    if (!detail::is_array(in, n) || !detail::is_array(indices, n) || detail::overlap(in, n, indices, n) ||
        !detail::fits_index<Index>(n - 1))
      return cudaErrorInvalidValue;
    auto const sort = detail::cub_sort<T>(before, on.stream);
    using key = typename decltype(sort)::key;
    return detail::argsort_by_cub(
        sort, sort_arrays<key, Index>{reinterpret_cast<key const*>(in), nullptr, n, nullptr, indices}, on);
  }
};

}  // namespace TESSERA_ARCHS

}  // namespace grid::detail
TESSERA_NAMESPACE_END
