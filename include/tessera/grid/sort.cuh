// Whole arrays of any type in any order, for nvcc.
//
//   error = tessera::grid::sort(points, n, sorted, nearer{}, {stream, memory});      // your own type and order
//   error = tessera::grid::argsort(points, n, indices, nearer{}, {stream, memory});
//
// Elements, keys and values are of any trivially copyable type, with or without a default constructor. All sorts are
// stable. Numbers of up to 64 bits by less and greater are sorted by their digits, everything else by CUB's merge sort:
// log2(n / 2048) passes over keys and values, more or less, according to their size. Everything else is as in sort.hpp.
//
// Keys and values may be read by any random-access iterators (core/iterators.hpp): they are copied to the outputs, in
// one launch, and sorted there. Outputs are pointers or contiguous iterators.
//
// n may be a number on the device (count_on_device.hpp). Then calls
//   write     outputs that have room for at_most elements. If keys are numbers by less or greater, elements after the
//             first *count stay as they are. Otherwise they are unspecified.
//   cost      for such keys, the time for *count elements: a launch that counts digits, and one for each byte of a
//             key, whose blocks without elements end at once. For others, the time for at_most elements, however few
//             there are, after a launch that copies what isn't in place and fills the rest. By an order of your own,
//             keys are sorted with a bool each, in the workspace, and copied once more.
#pragma once

#include <tessera/grid/parts/arguments.hpp>
#include <tessera/grid/parts/call_cub.hpp>
#include <tessera/grid/parts/counted.hpp>
#include <tessera/grid/parts/launch.cuh>
#include <tessera/grid/parts/opaque_bytes.hpp>
#include <tessera/grid/parts/pooled_workspace.hpp>
#include <tessera/grid/sort.hpp>
#include <tessera/grid/sort/iota_agent.hpp>
#include <tessera/grid/sort/number_sort.cuh>
#include <tessera/grid/sort/sort_input_agent.hpp>

#include <cub/device/device_merge_sort.cuh>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

inline namespace TESSERA_ARCHS {

/// The arrays of a sort. Without values, V is keys_alone, and their pointers are null.
template <class K, class V>
struct sort_arrays {
  K const* keys;
  V const* values;
  std::int64_t n;
  K* keys_out;
  V* values_out;

  static constexpr bool has_values = !stl::is_same_v<V, keys_alone>;
};

// ---- Any keys, by comparisons.

/// `before` of two values that are there as bytes.
template <class T, class Before>
struct opaque_before {
  Before before;

  TESSERA_FN bool operator()(opaque_t<T> const& a, opaque_t<T> const& b) const {
    return static_cast<bool>(before(reinterpret_cast<T const&>(a), reinterpret_cast<T const&>(b)));
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

/// Sorts indices by their keys: the values that are sorted are the numbers from 0 on. They and the sorted keys are in
/// spare memory.
template <class K, class Index, class Before>
struct merge_argsort {
  sort_arrays<K, Index> const& a;  // without values and keys_out
  Before const& before;
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
    return merge_sort_anywhere<K, Index, Before>{whole, before, stream}(temporary, bytes, nullptr);
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

/// The order of keys that are there as bytes.
template <class T, class Before>
auto order_of_bytes(Before const& before) {
  using comparator = tessera::detail::canonical_comparator_t<Before, T>;
  return opaque_before<T, comparator>{tessera::detail::canonical_comparator<T>(before)};
}

// ---- Either.

/// The type as which CUB moves values, which it can default-construct and assign.
template <class Value>
using moved_by_cub = stl::conditional_t<is_one_of<Value, std::uint32_t, std::uint64_t>, Value, opaque_t<Value>>;

/// Sorts keys of T with values of V, which CUB can default-construct and assign.
template <class T, class V, class Before>
cudaError_t sort_arrays_of(T const* keys, V const* values, std::int64_t n, T* keys_out, V* values_out,
                           Before const& before, execution on) noexcept {
  if constexpr (sorts_by_digits<T, Before>) {
    return detail::sort_number_arrays<Before>(keys, values, n, keys_out, values_out, on);
  } else {
    if (!detail::are_sortable(keys, keys_out, values, values_out, n)) return cudaErrorInvalidValue;
    if (n == 0) return cudaSuccess;
    using key = opaque_t<T>;
    auto const order = detail::order_of_bytes<T>(before);
    sort_arrays<key, V> const a{reinterpret_cast<key const*>(keys), values, n, reinterpret_cast<key*>(keys_out),
                                values_out};
    return detail::sort_with_workspace(
        merge_sort_anywhere<key, V, stl::remove_const_t<decltype(order)>>{a, order, on.stream}, n, on);
  }
}

template <class K, class Keys, class V, class Values, class N>
__global__ void __launch_bounds__(sort_input_tuning::threads)
    sort_input_kernel(aligned<sort_input_task<K, Keys, V, Values, N>> task, std::int64_t at_most) {
  wait_for_stream();
  detail::run_sort_input_agent(threadIdx.x, blockIdx.x, task.value, at_most);
}
template <class T>
__global__ void __launch_bounds__(sort_input_tuning::threads)
    sort_output_kernel(optional_key<T> const* sorted, opaque_t<T>* out, device_count n) {
  wait_for_stream();
  detail::run_sort_output_agent(threadIdx.x, blockIdx.x, sorted, out, n);
}

/// Copies sorted keys to their array, if they aren't there.
template <class K, class N>
cudaError_t store_sorted(K const*, void*, N const&, launch_shape const&, cudaStream_t) noexcept {
  return cudaSuccess;
}
template <class T>
cudaError_t store_sorted(optional_key<T> const* sorted, void* out, device_count const& n, launch_shape const& shape,
                         cudaStream_t stream) noexcept {
  if (out == nullptr) return cudaSuccess;
  return detail::launch<sort_output_kernel<T>>(shape, stream, sorted, static_cast<opaque_t<T>*>(out), n);
}

/// Copies the inputs to the outputs, and merge sorts them there. If KeysAreSpare, keys are copied to spare memory.
template <bool KeysAreSpare, class K, class Before, class Keys, class V, class Values, class N>
struct merge_sort_of_copies {
  sort_input_task<K, Keys, V, Values, N> const& input;
  void* keys_out;  // may be null if keys are in spare memory
  Before const& before;
  cudaStream_t stream;

  static constexpr std::size_t spare_bytes(std::int64_t n) {
    return KeysAreSpare ? detail::on_lines(static_cast<std::size_t>(n) * sizeof(K)) : 0;
  }
  cudaError_t operator()(void* temporary, std::size_t& bytes, void* spare) const noexcept {
    std::int64_t const n = detail::most_of(input.n);
    launch_shape const shape{detail::ceiling_divide(n, sort_input_tuning::of_block), sort_input_tuning::threads};
    auto task = input;
    task.keys_out = static_cast<K*>(KeysAreSpare ? spare : keys_out);
    sort_arrays<K, V> const a{task.keys_out, task.values_out, n, task.keys_out, task.values_out};
    merge_sort_anywhere<K, V, Before> const sorted{a, before, stream};
    if (temporary == nullptr) return sorted(temporary, bytes, nullptr);
    cudaError_t error = detail::launch<sort_input_kernel<K, Keys, V, Values, N>>(shape, stream, task, n);
    if (error == cudaSuccess) error = sorted(temporary, bytes, nullptr);
    return error == cudaSuccess ? detail::store_sorted(task.keys_out, keys_out, input.n, shape, stream) : error;
  }
};

/// True if an array is written where it is read.
template <class In>
bool is_at(In const& in, void const* out) noexcept {
  if constexpr (stl::is_pointer_v<In>) {
    return static_cast<void const*>(in) == out;
  } else {
    return false;
  }
}

template <class Keys, class V, class Values, class N, class Before>
cudaError_t merge_sort_copies(Keys const& keys, void* keys_out, Values const& values, V* values_out, N const& n,
                              Before const& before, execution on) noexcept {
  using T = value_of<Keys>;
  using K = stl::conditional_t<is_on_device<N>, optional_key<T>, opaque_t<T>>;
  using comparator = tessera::detail::canonical_comparator_t<Before, T>;
  using order = stl::conditional_t<is_on_device<N>, optional_before<T, comparator>, opaque_before<T, comparator>>;
  constexpr bool are_spare = is_on_device<N> || stl::is_same_v<Values, index_reader<V>>;
  bool const copies_keys = are_spare || !detail::is_at(keys, keys_out);
  sort_input_task<K, Keys, V, Values, N> const input{keys, nullptr, values,      values_out,
                                                     n,    K{},     copies_keys, !detail::is_at(values, values_out)};
  order const by{tessera::detail::canonical_comparator<T>(before)};
  return detail::sort_with_workspace(
      merge_sort_of_copies<are_spare, K, order, Keys, V, Values, N>{input, keys_out, by, on.stream}, detail::most_of(n),
      on);
}

/// Copies numbers and values that aren't given by pointers to the outputs, and sorts them there.
template <class Before, class Keys, class V, class Values, class N>
cudaError_t sort_number_copies(Keys const& keys, value_of<Keys>* keys_out, Values const& values, V* values_out,
                               N const& n, execution on) noexcept {
  using T = value_of<Keys>;
  using K = typename unsigned_of<sizeof(T)>::type;
  constexpr bool copies_keys = !stl::is_pointer_v<Keys>;
  constexpr bool copies_values = !stl::is_pointer_v<Values> && !is_one_of<Values, keys_alone, index_reader<V>>;
  if constexpr (copies_keys || copies_values) {
    launch_shape const shape{detail::ceiling_divide(detail::most_of(n), sort_input_tuning::of_block),
                             sort_input_tuning::threads};
    sort_input_task<K, Keys, V, Values, N> const input{
        keys, reinterpret_cast<K*>(keys_out), values, values_out, n, K{}, copies_keys, copies_values};
    cudaError_t const error =
        detail::launch<sort_input_kernel<K, Keys, V, Values, N>>(shape, on.stream, input, std::int64_t{0});
    if (error != cudaSuccess) return error;
  }
  T const* in = keys_out;
  if constexpr (!copies_keys) in = keys;
  if constexpr (stl::is_same_v<Values, index_reader<V>>) {
    return detail::sort_numbers<T, Before>(in, keys_out, values, values_out, n, on);
  } else {
    V const* values_in = values_out;
    if constexpr (stl::is_pointer_v<Values>) values_in = reinterpret_cast<V const*>(values);
    return detail::sort_numbers<T, Before>(in, keys_out, values_in, values_out, n, on);
  }
}

/// Sorts n keys that are numbers, and their values. keys_out may be null if values are indices.
template <class Before, class Keys, class V, class Values, class N>
cudaError_t sort_read_numbers(Keys const& keys, value_of<Keys>* keys_out, Values const& values, V* values_out,
                              N const& n, execution on) noexcept {
  using T = value_of<Keys>;
  if constexpr (stl::is_same_v<Values, index_reader<V>> && !stl::is_pointer_v<Keys>) {
    std::int64_t const most = detail::most_of(n);
    std::size_t const inside = detail::radix_sort_bytes(most, sizeof(T), sizeof(V), true);
    pooled_workspace const scratch(on, inside + detail::on_lines(static_cast<std::size_t>(most) * sizeof(T)), 0, false);
    if (scratch.error() != cudaSuccess) return scratch.error();
    return detail::sort_number_copies<Before>(keys, scratch.template array_after<T>(inside), values, values_out, n,
                                              scratch.inside());
  } else {
    return detail::sort_number_copies<Before>(keys, keys_out, values, values_out, n, on);
  }
}

/// Sorts n keys and their values, of which some are read by iterators, or n is on the device. The arguments are right;
/// keys_out may be null if values are indices.
template <class Keys, class V, class Values, class N, class Before>
cudaError_t sort_copies(Keys const& keys, value_of<Keys>* keys_out, Values const& values, V* values_out, N const& n,
                        Before const& before, execution on) noexcept {
  if (detail::most_of(n) == 0) return cudaSuccess;
  if constexpr (sorts_by_digits<value_of<Keys>, Before>) {
    return detail::sort_read_numbers<Before>(keys, keys_out, values, values_out, n, on);
  } else {
    return detail::merge_sort_copies(keys, keys_out, values, values_out, n, before, on);
  }
}

template <class T>
struct sort_launcher<T, void> {
  template <class Before>
  static cudaError_t launch(T const* in, std::int64_t n, T* out, Before const& before, execution on) noexcept {
    static_assert(is_exchangeable_v<T>, "grid::sort: elements are trivially copyable.");
    keys_alone* const none = nullptr;
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
    using moved = moved_by_cub<Value>;
    return detail::sort_arrays_of(keys, reinterpret_cast<moved const*>(values), n, keys_out,
                                  reinterpret_cast<moved*>(values_out), before, on);
  }
};

template <class T>
struct argsort_launcher<T, void> {
  template <class Index, class Before>
  static cudaError_t launch(T const* in, std::int64_t n, Index* indices, Before const& before, execution on) noexcept {
    static_assert(is_exchangeable_v<T>, "grid::argsort: elements are trivially copyable.");
    if constexpr (sorts_by_digits<T, Before>) {
      return detail::argsort_numbers<Before>(in, n, indices, on);
    } else {
      if (!detail::are_argsorted(in, n, indices)) return cudaErrorInvalidValue;
      if (n == 0) return cudaSuccess;
      using key = opaque_t<T>;
      auto const order = detail::order_of_bytes<T>(before);
      sort_arrays<key, Index> const a{reinterpret_cast<key const*>(in), nullptr, n, nullptr, indices};
      return detail::sort_with_workspace(
          merge_argsort<key, Index, stl::remove_const_t<decltype(order)>>{a, order, on.stream}, n, on);
    }
  }
};

/// True if elements of a reader may be sorted into an array of T. If not, a static assertion says what to write.
template <class In, class T>
constexpr bool sorts_into() {
  constexpr bool is_same = stl::is_same_v<value_of<In>, T>;
  static_assert(is_same, "grid::sort, sort_by_key: an output has the type of the elements that are sorted into it.");
  static_assert(is_exchangeable_v<T>, "grid::sort, sort_by_key, argsort: keys and values are trivially copyable.");
  return is_same;
}
template <class T, class Before>
constexpr bool orders() {
  return can_sort<tessera::detail::canonical_comparator_t<Before, T>, T>();
}

// Calls by iterators, or with n on the device.

template <class In, class N, class T, class Before>
cudaError_t sort_read(In const& in, N const& n, T* out, Before const& before, execution on) noexcept {
  if constexpr (!sorts_into<In, T>() || !orders<T, Before>()) {
    return cudaErrorNotSupported;
  } else if constexpr (stl::is_pointer_v<In> && !is_on_device<N>) {
    return grid::sort(in, n, out, before, on);
  } else {
    std::int64_t const at_most = detail::most_of(n);
    keys_alone* const none = nullptr;
    if (!detail::are_sortable(in, out, none, none, at_most) || !detail::is_count(n, out, at_most))
      return cudaErrorInvalidValue;
    return detail::sort_copies(in, out, keys_alone{}, none, n, before, on);
  }
}

template <class Keys, class Values, class N, class Key, class Value, class Before>
cudaError_t sort_read_by_key(Keys const& keys, Values const& values, N const& n, Key* keys_out, Value* values_out,
                             Before const& before, execution on) noexcept {
  if constexpr (!sorts_into<Keys, Key>() || !sorts_into<Values, Value>() || !orders<Key, Before>()) {
    return cudaErrorNotSupported;
  } else if constexpr (stl::is_pointer_v<Keys> && stl::is_pointer_v<Values> && !is_on_device<N>) {
    return grid::sort_by_key(keys, values, n, keys_out, values_out, before, on);
  } else {
    std::int64_t const at_most = detail::most_of(n);
    if (!detail::are_sortable(keys, keys_out, values, values_out, at_most) || !detail::is_count(n, keys_out, at_most) ||
        !detail::is_count(n, values_out, at_most))
      return cudaErrorInvalidValue;
    using moved = stl::conditional_t<has_value_instantiation<Value>, moved_as_t<Value>, opaque_t<Value>>;
    return detail::sort_copies(keys, keys_out, values, reinterpret_cast<moved*>(values_out), n, before, on);
  }
}

template <class In, class N, class Index, class Before>
cudaError_t argsort_read(In const& in, N const& n, Index* indices, Before const& before, execution on) noexcept {
  static_assert(tessera::detail::is_integer<Index> && (sizeof(Index) == 4 || sizeof(Index) == 8),
                "grid::argsort: indices are integers of 32 or 64 bits.");
  std::int64_t const at_most = detail::most_of(n);
  if constexpr (!sorts_into<In, value_of<In>>() || !orders<value_of<In>, Before>()) {
    return cudaErrorNotSupported;
  } else if constexpr (stl::is_pointer_v<In> && !is_on_device<N>) {
    return grid::argsort(in, n, indices, before, on);
  } else {
    using index = moved_as_t<Index>;
    if (!detail::are_argsorted(in, at_most, indices) || !detail::is_count(n, indices, at_most))
      return cudaErrorInvalidValue;
    return detail::sort_copies(in, nullptr, index_reader<index>{0}, reinterpret_cast<index*>(indices), n, before, on);
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

// ---- By iterators

/// sort of sort.hpp, by an iterator.
template <class In, class T, class Before = less, detail::if_iterator<In> = true>
[[nodiscard]] cudaError_t sort(In in, std::int64_t n, T* out, Before before = {}, execution on = {}) noexcept {
  return detail::sort_read(tessera::detail::reader_of(in), n, out, before, on);
}
/// As sort, which is stable.
template <class In, class T, class Before = less, detail::if_iterator<In> = true>
[[nodiscard]] cudaError_t stable_sort(In in, std::int64_t n, T* out, Before before = {}, execution on = {}) noexcept {
  return grid::sort(in, n, out, before, on);
}
/// sort_by_key of sort.hpp, with keys, values or both by an iterator.
template <class Keys, class Values, class Key, class Value, class Before = less,
          detail::if_any_iterator<Keys, Values> = true>
[[nodiscard]] cudaError_t sort_by_key(Keys keys, Values values, std::int64_t n, Key* keys_out, Value* values_out,
                                      Before before = {}, execution on = {}) noexcept {
  return detail::sort_read_by_key(tessera::detail::reader_of(keys), tessera::detail::reader_of(values), n, keys_out,
                                  values_out, before, on);
}
/// As sort_by_key, which is stable.
template <class Keys, class Values, class Key, class Value, class Before = less,
          detail::if_any_iterator<Keys, Values> = true>
[[nodiscard]] cudaError_t stable_sort_by_key(Keys keys, Values values, std::int64_t n, Key* keys_out, Value* values_out,
                                             Before before = {}, execution on = {}) noexcept {
  return grid::sort_by_key(keys, values, n, keys_out, values_out, before, on);
}
/// argsort of sort.hpp, by an iterator.
template <class In, class Index, class Before = less, detail::if_iterator<In> = true>
[[nodiscard]] cudaError_t argsort(In in, std::int64_t n, Index* indices, Before before = {},
                                  execution on = {}) noexcept {
  return detail::argsort_read(tessera::detail::reader_of(in), n, indices, before, on);
}

// ---- With n on the device (count_on_device.hpp)

template <class In, class T, class Before = less>
[[nodiscard]] cudaError_t sort(In in, device_count n, T* out, Before before = {}, execution on = {}) noexcept {
  return detail::sort_read(tessera::detail::reader_of(in), n, out, before, on);
}
template <class In, class T, class Before = less>
[[nodiscard]] cudaError_t stable_sort(In in, device_count n, T* out, Before before = {}, execution on = {}) noexcept {
  return grid::sort(in, n, out, before, on);
}
template <class Keys, class Values, class Key, class Value, class Before = less>
[[nodiscard]] cudaError_t sort_by_key(Keys keys, Values values, device_count n, Key* keys_out, Value* values_out,
                                      Before before = {}, execution on = {}) noexcept {
  return detail::sort_read_by_key(tessera::detail::reader_of(keys), tessera::detail::reader_of(values), n, keys_out,
                                  values_out, before, on);
}
template <class Keys, class Values, class Key, class Value, class Before = less>
[[nodiscard]] cudaError_t stable_sort_by_key(Keys keys, Values values, device_count n, Key* keys_out, Value* values_out,
                                             Before before = {}, execution on = {}) noexcept {
  return grid::sort_by_key(keys, values, n, keys_out, values_out, before, on);
}
template <class In, class Index, class Before = less>
[[nodiscard]] cudaError_t argsort(In in, device_count n, Index* indices, Before before = {},
                                  execution on = {}) noexcept {
  return detail::argsort_read(tessera::detail::reader_of(in), n, indices, before, on);
}

// ---- Into contiguous iterators (core/iterators.hpp), as into their memory; n may be on the device

template <class In, class N, class Out, class Before = less, detail::if_any_writer<Out> = true>
[[nodiscard]] cudaError_t sort(In in, N n, Out out, Before before = {}, execution on = {}) noexcept {
  if constexpr (detail::are_sorted_in<Out>()) {
    return grid::sort(in, detail::count_as_given(n), tessera::detail::address_of(out), before, on);
  } else {
    return cudaErrorNotSupported;
  }
}
template <class In, class N, class Out, class Before = less, detail::if_any_writer<Out> = true>
[[nodiscard]] cudaError_t stable_sort(In in, N n, Out out, Before before = {}, execution on = {}) noexcept {
  return grid::sort(in, n, out, before, on);
}
template <class Keys, class Values, class N, class KeysOut, class ValuesOut, class Before = less,
          detail::if_any_writer<KeysOut, ValuesOut> = true>
[[nodiscard]] cudaError_t sort_by_key(Keys keys, Values values, N n, KeysOut keys_out, ValuesOut values_out,
                                      Before before = {}, execution on = {}) noexcept {
  if constexpr (detail::are_sorted_in<KeysOut, ValuesOut>()) {
    return grid::sort_by_key(keys, values, detail::count_as_given(n), tessera::detail::address_of(keys_out),
                             tessera::detail::address_of(values_out), before, on);
  } else {
    return cudaErrorNotSupported;
  }
}
template <class Keys, class Values, class N, class KeysOut, class ValuesOut, class Before = less,
          detail::if_any_writer<KeysOut, ValuesOut> = true>
[[nodiscard]] cudaError_t stable_sort_by_key(Keys keys, Values values, N n, KeysOut keys_out, ValuesOut values_out,
                                             Before before = {}, execution on = {}) noexcept {
  return grid::sort_by_key(keys, values, n, keys_out, values_out, before, on);
}
template <class In, class N, class Out, class Before = less, detail::if_any_writer<Out> = true>
[[nodiscard]] cudaError_t argsort(In in, N n, Out indices, Before before = {}, execution on = {}) noexcept {
  if constexpr (detail::are_sorted_in<Out>()) {
    return grid::argsort(in, detail::count_as_given(n), tessera::detail::address_of(indices), before, on);
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
