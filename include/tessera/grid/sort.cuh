// Whole arrays of any type in any order, by CUB's sorts, for nvcc.
//
//   error = tessera::grid::sort(points, n, sorted, nearer{}, {stream, memory});      // your own type and order
//   error = tessera::grid::argsort(points, n, indices, nearer{}, {stream, memory});
//
// Elements, keys and values are of any trivially copyable type, with or without a default constructor. All sorts are
// stable. Numbers of up to 64 bits by less and greater go through CUB's radix sort, everything else through its merge
// sort: log2(n / 2048) passes over keys and values, more or less, according to their size. Everything else is as in
// sort.hpp.
//
// Keys and values may be read by any random-access iterators (core/iterators.hpp): they are copied to the outputs, in
// one launch, and sorted there. Outputs are pointers or contiguous iterators.
//
// n may be a number on the device (count_on_device.hpp). Then calls
//   write     outputs that have room for at_most elements. If keys are numbers of 2, 4 or 8 bytes by less or greater,
//             and values have up to 256 bytes, elements after the first *count stay as they are. Otherwise they are
//             unspecified.
//   cost      for such keys and values, the time for *count elements: a histogram, and a launch for each byte of a key,
//             whose blocks without elements end at once. Before that, a memset of the look-back's words for at_most
//             elements, which for floats have a seventh of the elements' bytes. For others, the time for at_most
//             elements, however few there are, after a launch that copies what isn't in place and fills the rest. By
//             an order of your own, keys are sorted with a bool each, in the workspace, and copied once more.
#pragma once

#include <tessera/grid/parts/arguments.hpp>
#include <tessera/grid/parts/counted.hpp>
#include <tessera/grid/parts/launch.cuh>
#include <tessera/grid/parts/pooled_workspace.hpp>
#include <tessera/grid/sort.hpp>
#include <tessera/grid/sort/counted_radix_sort.cuh>
#include <tessera/grid/sort/cub_sort.cuh>
#include <tessera/grid/sort/iota_agent.hpp>
#include <tessera/grid/sort/sort_input_agent.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

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
template <class In, class T>
bool is_same_or_apart(In const& in, T const* out, std::int64_t n) noexcept {
  if constexpr (stl::is_pointer_v<In>) {
    if (static_cast<void const*>(in) == static_cast<void const*>(out)) return true;
  }
  return !detail::overlap(in, n, out, n);
}
template <class Keys, class K, class Values, class V>
bool are_sortable(Keys const& keys, K* keys_out, [[maybe_unused]] Values const& values, [[maybe_unused]] V* values_out,
                  std::int64_t n) noexcept {
  bool fine = detail::is_array(keys, n) && detail::is_array(keys_out, n) && detail::is_same_or_apart(keys, keys_out, n);
  if constexpr (!stl::is_same_v<V, cub::NullType>) {
    fine = fine && detail::is_array(values, n) && detail::is_array(values_out, n) &&
           detail::is_same_or_apart(values, values_out, n) && !detail::overlap(keys, n, values_out, n) &&
           !detail::overlap(values, n, keys_out, n) && !detail::overlap(keys_out, n, values_out, n);
  }
  return fine;
}

/// The form in which CUB reads keys. Only 32-bit floats have another form than their own.
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

/// Sorts indices by their keys: the values that are sorted are the numbers from 0 on. They and the sorted keys are in
/// spare memory. `make_sort` makes the sort of arrays that are apart.
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

/// CUB's radix sort of numbers of these bits, integers or floats, which it reads as `key`. `make` makes the sort of
/// arrays that are apart.
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
  /// Comes after every key, or is equal to the last one.
  key last() const { return {digit_coding<Bits, Form>(coding).greatest()}; }

  key_coding<Bits> coding;
  cudaStream_t stream;
};
/// CUB's merge sort of keys of K by Before, with the same members.
template <class K, class Before>
struct cub_merge_sort {
  using key = K;

  template <class V>
  auto make(sort_arrays<key, V> const& a) const {
    return merge_sort_anywhere<key, V, Before>{a, before, stream};
  }
  template <class V>
  auto make_in_place(sort_arrays<key, V> const& a) const {
    return make(a);
  }
  key last() const { return {}; }

  Before before;
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
    return cub_merge_sort<opaque_t<T>, opaque_before<T, comparator>>{{tessera::detail::canonical_comparator<T>(before)},
                                                                     stream};
  }
}

/// The sort of n keys that are copied first. With n on the device, a merge sort has optional keys.
template <class T, class N, class Before>
auto cub_sort_of_copies(Before const& before, cudaStream_t stream) {
  using comparator = tessera::detail::canonical_comparator_t<Before, T>;
  if constexpr (!is_on_device<N> || tessera::detail::has_sort_key<T, comparator>) {
    return detail::cub_sort<T>(before, stream);
  } else {
    return cub_merge_sort<optional_key<T>, optional_before<T, comparator>>{
        {tessera::detail::canonical_comparator<T>(before)}, stream};
  }
}

/// Sorts by a cub_radix_sort or a cub_merge_sort, in place or not.
template <class Sort, class V>
cudaError_t sort_arrays_by(Sort const& sort, sort_arrays<typename Sort::key, V> const& a, execution on) noexcept {
  if (!detail::are_sortable(a.keys, a.keys_out, a.values, a.values_out, a.n)) return cudaErrorInvalidValue;
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

/// The type as which CUB moves values, which it can default-construct and assign.
template <class Value>
using moved_by_cub = stl::conditional_t<is_one_of<Value, std::uint32_t, std::uint64_t>, Value, opaque_t<Value>>;

/// Sorts keys of T with values of V, which CUB can default-construct and assign.
template <class T, class V, class Before>
cudaError_t sort_arrays_of(T const* keys, V const* values, std::int64_t n, T* keys_out, V* values_out,
                           Before const& before, execution on) noexcept {
  auto const sort = detail::cub_sort<T>(before, on.stream);
  using key = typename decltype(sort)::key;
  sort_arrays<key, V> const a{reinterpret_cast<key const*>(keys), values, n, reinterpret_cast<key*>(keys_out),
                              values_out};
  return detail::sort_arrays_by(sort, a, on);
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

/// Copies the inputs to the outputs, and sorts them there. If KeysAreSpare, keys are copied to spare memory instead.
template <bool KeysAreSpare, class Sort, class Keys, class V, class Values, class N>
struct sort_of_copies {
  using K = typename Sort::key;
  using in_place = decltype(stl::declval<Sort const&>().make_in_place(stl::declval<sort_arrays<K, V> const&>()));
  Sort const& sort;
  sort_input_task<K, Keys, V, Values, N> input;
  void* keys_out;  // may be null if keys are in spare memory
  cudaStream_t stream;

  static constexpr std::size_t spare_bytes(std::int64_t n) { return key_bytes(n) + in_place::spare_bytes(n); }

  cudaError_t operator()(void* temporary, std::size_t& bytes, void* spare) const noexcept {
    std::int64_t const n = detail::most_of(input.n);
    launch_shape const shape{detail::ceiling_divide(n, sort_input_tuning::of_block), sort_input_tuning::threads};
    auto task = input;
    task.keys_out = static_cast<K*>(KeysAreSpare ? spare : keys_out);
    sort_arrays<K, V> const a{task.keys_out, task.values_out, n, task.keys_out, task.values_out};
    auto const sorted = sort.make_in_place(a);
    void* const rest = static_cast<char*>(spare) + key_bytes(n);
    if (temporary == nullptr) return sorted(temporary, bytes, rest);
    cudaError_t error = detail::launch<sort_input_kernel<K, Keys, V, Values, N>>(shape, stream, task, n);
    if (error == cudaSuccess) error = sorted(temporary, bytes, rest);
    return error == cudaSuccess ? detail::store_sorted(task.keys_out, keys_out, input.n, shape, stream) : error;
  }

 private:
  static constexpr std::size_t key_bytes(std::int64_t n) {
    return KeysAreSpare ? detail::on_lines(static_cast<std::size_t>(n) * sizeof(K)) : 0;
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

/// True if a sort with n on the device reads n; else it sorts at_most elements. Keys of one byte would have one pass,
/// which ends in spare memory.
template <class Sort, class V>
inline constexpr bool reads_number = false;
template <class Bits, key_form Form, class V>
inline constexpr bool reads_number<cub_radix_sort<Bits, Form>, V> = sizeof(Bits) >= 2 &&
                                                                    sizeof(V) <= most_counted_bytes;

/// The form in which those keys are sorted, which call_fastest_kernels takes for many of them.
template <class Bits, key_form Form, class V>
inline constexpr key_form counted_form =
    stl::is_same_v<Bits, std::uint32_t>&& Form == key_form::in_order && !stl::is_same_v<V, cub::NullType>
        ? key_form::reversed
        : Form;

/// Sorts with n on the device, without copies of arrays that are given by pointers.
template <class Bits, key_form Form, class Keys, class V, class Values>
cudaError_t sort_counted(cub_radix_sort<Bits, Form> const& sort, Keys const& keys, void* keys_out, Values const& values,
                         V* values_out, device_count const& n, execution on) noexcept {
  using task_t = counted_radix_task<Bits, counted_form<Bits, Form, V>, V>;
  using key = typename task_t::key;
  constexpr bool copies_keys = !stl::is_pointer_v<Keys>;
  constexpr bool copies_values = task_t::has_values && !stl::is_pointer_v<Values>;
  task_t task{nullptr, static_cast<key*>(keys_out), nullptr, values_out, n, {}};
  task.decomposer.coding = decltype(task.decomposer.coding)(sort.coding);
  if constexpr (!copies_keys) task.keys = reinterpret_cast<key const*>(keys);
  if constexpr (task_t::has_values && !copies_values) task.values = reinterpret_cast<V const*>(values);
  auto const prepare = [&](task_t& all) -> cudaError_t {
    if (copies_keys) all.keys = all.keys_out;
    if (copies_values) all.values = all.values_out;
    if constexpr (copies_keys || copies_values) {
      launch_shape const shape{detail::ceiling_divide(n.at_most, sort_input_tuning::of_block),
                               sort_input_tuning::threads};
      sort_input_task<key, Keys, V, Values, device_count> const input{keys, all.keys_out, values,      all.values_out,
                                                                      n,    {},           copies_keys, copies_values};
      return detail::launch<sort_input_kernel<key, Keys, V, Values, device_count>>(shape, on.stream, input,
                                                                                   std::int64_t{0});
    } else {
      return cudaSuccess;
    }
  };
  return detail::sort_by_passes<stl::is_same_v<Values, index_reader<V>>>(task, prepare, on);
}

/// Sorts copies of n keys and their values. The arguments are right; keys_out may be null if values are indices.
template <class Keys, class V, class Values, class N, class Before>
cudaError_t sort_copies(Keys const& keys, void* keys_out, Values const& values, V* values_out, N const& n,
                        Before const& before, execution on) noexcept {
  using T = value_of<Keys>;
  std::int64_t const at_most = detail::most_of(n);
  if (at_most == 0) return cudaSuccess;
  auto const sort = detail::cub_sort_of_copies<T, N>(before, on.stream);
  using K = typename decltype(sort)::key;
  if constexpr (is_on_device<N> && reads_number<stl::remove_const_t<decltype(sort)>, V>) {
    return detail::sort_counted(sort, keys, keys_out, values, values_out, n, on);
  } else {
    constexpr bool are_spare = stl::is_same_v<K, optional_key<T>> || stl::is_same_v<Values, index_reader<V>>;
    bool const copies_keys = are_spare || !detail::is_at(keys, keys_out);
    sort_input_task<K, Keys, V, Values, N> const input{
        keys, nullptr, values, values_out, n, sort.last(), copies_keys, !detail::is_at(values, values_out)};
    return detail::sort_with_workspace(
        sort_of_copies<are_spare, stl::remove_const_t<decltype(sort)>, Keys, V, Values, N>{sort, input, keys_out,
                                                                                           on.stream},
        at_most, on);
  }
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
    if (!detail::is_array(in, n) || !detail::is_array(indices, n) || detail::overlap(in, n, indices, n) ||
        !detail::fits_index<Index>(n - 1))
      return cudaErrorInvalidValue;
    auto const sort = detail::cub_sort<T>(before, on.stream);
    using key = typename decltype(sort)::key;
    return detail::argsort_by_cub(
        sort, sort_arrays<key, Index>{reinterpret_cast<key const*>(in), nullptr, n, nullptr, indices}, on);
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
    cub::NullType* const none = nullptr;
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
    if (!detail::is_array(in, at_most) || !detail::is_array(indices, at_most) ||
        detail::overlap(in, at_most, indices, at_most) || !detail::fits_index<Index>(at_most - 1) ||
        !detail::is_count(n, indices, at_most))
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
