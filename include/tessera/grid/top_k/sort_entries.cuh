// The kernels that sort the entries that a selection has left, and store the first of them: CUB's radix sort of words,
// as sort_entries.hpp plans it.
//
// Floors on an H100, for 65536 of n floats: a sort by CUB has 3 launches, and one for each 8 bits, of 5 to 8 µs each up
// to 2^17 entries; a pass over more of them reads and writes 8 bytes an entry. Of 2^20 floats: 3 µs to list all, 75 to
// sort them by 32 bits (what a sort of pairs takes), 4 to store results, 82; or 15 to select entries, 75 to sort those
// by 64 bits, and 4. CUB's selection takes 70, and its sort of the result 45. Of 2^24 floats 30 µs to select, of 2^28
// 390, and 80 for all that follows, where a sort of the array takes 590 and 8230.
#pragma once

#include <tessera/grid/parts/call_cub.hpp>
#include <tessera/grid/parts/launch.cuh>
#include <tessera/grid/top_k/sort_entries.hpp>
#include <tessera/grid/top_k/top_k_state.hpp>

#include <cub/device/device_radix_sort.cuh>
#include <cuda/std/tuple>

#include <cstddef>
#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The digits of two words, as CUB asks for them: the first of a tuple has the higher ones.
struct decomposed_word_pair {
  TESSERA_FN ::cuda::std::tuple<std::uint64_t&, std::uint64_t&> operator()(entry_word_pair& pair) const {
    return {pair.high, pair.low};
  }
};

inline namespace TESSERA_ARCHS {

constexpr unsigned entry_threads = 256;

/// Lists all elements.
template <class Entry, class T, class Key>
__global__ void __launch_bounds__(entry_threads) list_array_kernel(top_k_task<T, Key> task, Entry* list) {
  wait_for_stream();
  using keys = rank_keys_of<T, Key>;
  std::int64_t const i = std::int64_t{blockIdx.x} * entry_threads + threadIdx.x;
  if (i < task.n)
    list[i] = Entry::of(keys::of(task.key(tessera::detail::read_element(task.in, i)), task.order),
                        static_cast<std::uint64_t>(i));
}

/// Fills a list of *left entries that has room for more.
template <class Words>
__global__ void __launch_bounds__(entry_threads)
    fill_list_kernel(std::uint64_t const* left, Words* list, std::uint64_t capacity) {
  wait_for_stream();
  std::uint64_t const i = *left + std::uint64_t{blockIdx.x} * entry_threads + threadIdx.x;
  if (i < capacity) list[i] = detail::greatest_words<Words>();
}

/// Stores the first k elements of the sorted entries.
template <class Entry, class In, class Values, class Indices>
__global__ void __launch_bounds__(entry_threads)
    store_sorted_kernel(Entry const* sorted, reader_parameter<In> in, std::int64_t k, Values values, Indices indices) {
  wait_for_stream();
  std::int64_t const i = std::int64_t{blockIdx.x} * entry_threads + threadIdx.x;
  if (i >= k) return;
  auto const index = static_cast<std::int64_t>(sorted[i].index());
  if (detail::is_given(values))
    tessera::detail::store_at(values, i, tessera::detail::read_element(detail::reader_in(in), index));
  if (detail::is_given(indices)) tessera::detail::store_at(indices, i, index);
}

/// Sorts n words by some of their bits. Without temporary storage, says how many bytes of it that takes.
template <class Words>
cudaError_t sort_words(void* temporary, std::size_t& bytes, cub::DoubleBuffer<Words>& lists, std::uint64_t n,
                       sorted_bits by, cudaStream_t stream) noexcept {
  return detail::call_cub([&] {
    auto const count = static_cast<std::int64_t>(n);
    if constexpr (stl::is_same_v<Words, std::uint64_t>) {
      return cub::DeviceRadixSort::SortKeys(temporary, bytes, lists, count, by.begin, by.end, stream);
    } else {
      return cub::DeviceRadixSort::SortKeys(temporary, bytes, lists, count, decomposed_word_pair{}, by.begin, by.end,
                                            stream);
    }
  });
}

/// Says how many bytes of temporary storage the sorts of a selection's entries take.
template <class Entry>
cudaError_t query_sort(select_plan const& plan, std::size_t& bytes) noexcept {
  cub::DoubleBuffer<entry_words<Entry>> none;
  return detail::sort_words(nullptr, bytes, none, plan.capacity, {0, 64 * Entry::words}, nullptr);
}

/// Sorts the entries that a selection has left, and stores the first of them.
template <class Entry, class T, class Key>
cudaError_t launch_sort(select_plan const& plan, top_k_memory<Entry> const& memory, top_k_task<T, Key> const& task,
                        void* temporary, std::size_t bytes, cudaStream_t stream) noexcept {
  using words = entry_words<Entry>;
  static_assert(sizeof(words) == sizeof(Entry) && alignof(words) == alignof(Entry));
  auto const k = static_cast<std::int64_t>(plan.target) + 1, capacity = static_cast<std::int64_t>(plan.capacity);
  auto const shape_of = [](std::int64_t threads) {
    return launch_shape{detail::ceiling_divide(threads, entry_threads), entry_threads};
  };
  auto* const list = reinterpret_cast<words*>(memory.lists);
  cub::DoubleBuffer<words> lists(list, list + capacity);
  entry_sorts const sorts = detail::plan_sorts<Entry>(plan);
  cudaError_t error = cudaSuccess;
  if (!plan.lists_array)  // at least k are left
    error = detail::launch<fill_list_kernel<words>>(shape_of(capacity - k), stream, memory.left, list, plan.capacity);
  for (sorted_bits const by : {sorts.first, sorts.last}) {
    if (error == cudaSuccess && by.begin != by.end)
      error = detail::sort_words(temporary, bytes, lists, plan.capacity, by, stream);
  }
  if (error != cudaSuccess) return error;
  using In = selection_reader_t<T, Key>;
  return detail::launch<store_sorted_kernel<Entry, In, selection_values_t<T, Key>, selection_indices_t<T, Key>>>(
      shape_of(k), stream, reinterpret_cast<Entry const*>(lists.Current()), reader_parameter<In>(task.in), k,
      task.values, task.indices);
}

}  // namespace TESSERA_ARCHS

}  // namespace grid::detail
TESSERA_NAMESPACE_END
