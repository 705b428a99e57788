// The launches of the library's radix sort: one block sorts few elements; of more, digits are counted once, and a pass
// for each digit moves keys and values.
//
//   keys → spare → keys_out → spare → keys_out        keys of 4 bytes: 4 passes, each by one byte
//
// Outputs may be the inputs. n may be on the device: blocks without elements end at once.
#pragma once

#include <tessera/grid/parts/counted.hpp>
#include <tessera/grid/parts/launch.cuh>
#include <tessera/grid/parts/pooled_workspace.hpp>
#include <tessera/grid/sort/block_sort_agent.hpp>
#include <tessera/grid/sort/digit_counts_agent.hpp>
#include <tessera/grid/sort/onesweep_agent.hpp>

#include <cooperative_groups.h>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The shapes of a sort's kernels.
template <unsigned KeyBytes, unsigned ValueBytes>
struct onesweep_shapes {
  using pass = onesweep_shape<KeyBytes, ValueBytes>;
  using short_pass = short_onesweep_shape;
  using small_block = small_sort_shape;
  using block = block_sort_shape;
};

inline namespace TESSERA_ARCHS {

template <class Bits, key_form Form, class N, class Count>
__global__ void __launch_bounds__(digit_counts_tuning::threads)
    digit_counts_kernel(aligned<digit_coding<Bits, Form>> coding, Bits const* keys, N n,
                        digit_counts_memory<Count> memory) {
  wait_for_stream();
  __shared__ digit_counts_storage<sizeof(Bits)> storage;
  auto const block = cooperative_groups::this_thread_block();
  digit_counts_agent<Bits, Form, Count, cooperative_groups::thread_block> const agent(
      block, coding.value, keys, detail::count_now(n), memory, storage);
  agent.run(blockIdx.x, gridDim.x);
}

template <class Shape, class Task, class N, class Word>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    onesweep_kernel(aligned<Task> task, N n, onesweep_memory<Word> memory, unsigned place) {
  wait_for_stream();
  using agent_t = onesweep_agent<Shape, Task, Word, cooperative_groups::thread_block>;
  __shared__ typename agent_t::storage_t storage;
  auto const block = cooperative_groups::this_thread_block();
  agent_t(block, task.value, memory, place, storage).run(detail::count_now(n));
}

template <class Shape, class Task, class N>
__global__ void __launch_bounds__(Shape::threads) block_sort_kernel(aligned<Task> task, N n) {
  wait_for_stream();
  using agent_t = block_sort_agent<Shape, Task, cooperative_groups::thread_block>;
  __shared__ typename agent_t::storage_t storage;
  auto const block = cooperative_groups::this_thread_block();
  agent_t(block, task.value, storage).run(static_cast<unsigned>(detail::count_now(n)));
}

/// A sort by passes. Bits, V: of keys and values. N: std::int64_t or device_count.
template <class Shape, class Bits, key_form Form, class V, class N, class Word>
class onesweep_launcher {
  static constexpr unsigned places = sizeof(Bits), digits = radix_digits::count;

 public:
  /// `memory` has layout.total() bytes.
  onesweep_launcher(N const& n, onesweep_layout const& layout, char* memory, cudaStream_t stream)
      : n_(n), most_(detail::most_of(n)), layout_(layout), memory_(memory), stream_(stream) {}

  /// Sorts by passes between `out` and `spare`, the last of which is to the task's arrays. `out` has the task's, or
  /// spare ones if sorted keys aren't stored.
  template <class Values>
  cudaError_t sort(onesweep_task<Bits, Form, V, Values> const& task, Bits* keys_out, Bits* spare_keys,
                   V* spare_values) const noexcept {
    cudaError_t error = count(task);
    onesweep_task<Bits, Form, V> next{nullptr, nullptr, nullptr, nullptr, task.coding};
    for (unsigned place = 0; place < places && error == cudaSuccess; ++place) {
      bool const to_output = (places - 1 - place) % 2 == 0;
      Bits* const to = place == places - 1 ? task.keys_out : to_output ? keys_out : spare_keys;
      V* const values_to = to_output ? task.values_out : spare_values;
      if (place == 0) {
        error = pass(onesweep_task<Bits, Form, V, Values>{task.keys, to, task.values, values_to, task.coding}, place);
      } else {
        error = pass(onesweep_task<Bits, Form, V>{next.keys, to, next.values, values_to, task.coding}, place);
      }
      next.keys = to;
      next.values = values_to;
    }
    return error;
  }

 private:
  Word* counts() const { return reinterpret_cast<Word*>(memory_); }
  unsigned* numbers() const { return reinterpret_cast<unsigned*>(memory_ + layout_.counts); }
  Word* begins() const { return reinterpret_cast<Word*>(memory_ + layout_.cleared()); }
  Word* words(unsigned place) const {
    return reinterpret_cast<Word*>(memory_ + layout_.cleared() + layout_.begins + place % 2 * layout_.words);
  }

  template <class Task>
  cudaError_t count(Task const& task) const noexcept {
    int multiprocessors = 0;
    cudaError_t error = detail::query_device(cudaDevAttrMultiProcessorCount, multiprocessors);
    if (error == cudaSuccess) error = detail::own_status(cudaMemsetAsync(memory_, 0, layout_.cleared(), stream_));
    if (error != cudaSuccess) return error;
    std::int64_t const needed = detail::ceiling_divide(most_, digit_counts_tuning::of_block);
    std::int64_t const resident = multiprocessors * std::int64_t{digit_counts_tuning::blocks_per_multiprocessor};
    digit_counts_memory<Word> const memory{counts(), begins(), numbers() + places, words(0), Shape::elements};
    return detail::launch<digit_counts_kernel<Bits, Form, N, Word>>(
        {needed < resident ? needed : resident, digit_counts_tuning::threads}, stream_, task.coding, task.keys, n_,
        memory);
  }
  template <class Task>
  cudaError_t pass(Task const& task, unsigned place) const noexcept {
    onesweep_memory<Word> const memory{begins() + place * digits, words(place),
                                       place + 1 < places ? words(place + 1) : nullptr, numbers() + place};
    return detail::launch<onesweep_kernel<Shape, Task, N, Word>>(
        {detail::ceiling_divide(most_, Shape::elements), Shape::threads}, stream_, task, n_, memory, place);
  }

  N n_;
  std::int64_t most_;
  onesweep_layout const& layout_;
  char* memory_;
  cudaStream_t stream_;
};

/// Copies an input to spare memory if it is where the output is: a single pass would read it after it is written.
template <class T>
cudaError_t copy_apart(T const*& in, T const* out, T* spare, std::size_t n, cudaStream_t stream) noexcept {
  if (in != out) return cudaSuccess;
  in = spare;
  return detail::own_status(cudaMemcpyAsync(spare, out, n * sizeof(T), cudaMemcpyDeviceToDevice, stream));
}

/// Sorts by passes of a shape, with temporary memory from the workspace. Tile: of the shape for many elements.
template <class Shape, unsigned Tile, class Word, class Bits, key_form Form, class V, class Values, class N>
cudaError_t sort_by_passes(onesweep_task<Bits, Form, V, Values> task, N const& n, execution on) noexcept {
  using task_t = onesweep_task<Bits, Form, V, Values>;
  std::int64_t const most = detail::most_of(n);
  auto const count = static_cast<std::size_t>(most);
  onesweep_layout const layout(most, sizeof(Bits), sizeof(Word), Tile);
  std::size_t const keys = detail::on_lines(count * sizeof(Bits)), total = layout.total();
  std::size_t const values = task_t::has_values ? detail::on_lines(count * sizeof(V)) : 0;
  bool const stores_keys = task.keys_out != nullptr;
  pooled_workspace const scratch(on, total + values + (stores_keys ? 1 : 2) * keys, 0, false);
  if (scratch.error() != cudaSuccess) return scratch.error();
  auto* const memory = static_cast<char*>(scratch.data());
  auto* const spare_keys = reinterpret_cast<Bits*>(memory + total);
  auto* const spare_values = reinterpret_cast<V*>(memory + total + keys);
  auto* const keys_out = stores_keys ? task.keys_out : reinterpret_cast<Bits*>(memory + total + keys + values);
  cudaError_t error = cudaSuccess;
  if constexpr (sizeof(Bits) % 2 != 0) {
    error = detail::copy_apart<Bits>(task.keys, task.keys_out, spare_keys, count, on.stream);
    if constexpr (task_t::has_values && stl::is_pointer_v<Values>) {
      if (error == cudaSuccess)
        error = detail::copy_apart<V>(task.values, task.values_out, spare_values, count, on.stream);
    }
  }
  if (error != cudaSuccess) return error;
  return onesweep_launcher<Shape, Bits, Form, V, N, Word>(n, layout, memory, on.stream)
      .sort(task, keys_out, spare_keys, spare_values);
}

/// True if one block may sort values: long ones aren't sorted in place.
template <class Bits, key_form Form, class V, class Values>
bool is_for_block(onesweep_task<Bits, Form, V, Values> const& task) noexcept {
  using task_t = onesweep_task<Bits, Form, V, Values>;
  if constexpr (task_t::has_values && !task_t::sorts_values && stl::is_pointer_v<Values>) {
    return task.values != task.values_out;
  } else {
    return true;
  }
}

/// Sorts n elements, stably, by the coding's digits. n > 0.
template <class Shapes, class Bits, key_form Form, class V, class Values, class N>
cudaError_t sort_by_digits(onesweep_task<Bits, Form, V, Values> const& task, N const& n, execution on) noexcept {
  using task_t = onesweep_task<Bits, Form, V, Values>;
  using few = typename Shapes::small_block;
  using more = typename Shapes::block;
  std::int64_t const most = detail::most_of(n);
  if (most <= more::elements && detail::is_for_block(task)) {
    return most <= few::elements
               ? detail::launch<block_sort_kernel<few, task_t, N>>({1, few::threads}, on.stream, task, n)
               : detail::launch<block_sort_kernel<more, task_t, N>>({1, more::threads}, on.stream, task, n);
  }
  using pass = typename Shapes::pass;
  constexpr unsigned tile = pass::elements;
  constexpr std::int64_t most_short = detail::short_onesweep_most(tile);
  if constexpr (most_short > 0) {
    if (most <= most_short)
      return detail::sort_by_passes<typename Shapes::short_pass, tile, std::uint32_t>(task, n, on);
  }
  return detail::onesweep_word(most) == 4 ? detail::sort_by_passes<pass, tile, std::uint32_t>(task, n, on)
                                          : detail::sort_by_passes<pass, tile, std::uint64_t>(task, n, on);
}

}  // namespace TESSERA_ARCHS

}  // namespace grid::detail
TESSERA_NAMESPACE_END
