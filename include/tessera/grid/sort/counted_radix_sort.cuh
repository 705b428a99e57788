// A radix sort with n on the device: CUB's agents, in kernels that read n.
//
//   keys → spare → keys_out → spare → keys_out        keys of 4 bytes: 4 passes, each by one byte
//
// CUB's own launches take n from the CPU, but its agents take n from their kernels. The agents have had the same
// parameters from CUB 2.3 (CUDA 12.4) to 3.5 (CUDA 13.5), in one namespace or another. Blocks without elements end once
// they have drawn their number.
//
// Source: A. Adinets, D. Merrill, "Onesweep: a faster least significant digit radix sort for GPUs", 2022.
#pragma once

#include <tessera/grid/parts/call_cub.hpp>
#include <tessera/grid/parts/counted.hpp>
#include <tessera/grid/parts/launch.cuh>
#include <tessera/grid/parts/pooled_workspace.hpp>
#include <tessera/grid/sort/cub_bytes.hpp>
#include <tessera/grid/sort/cub_sort.cuh>

#include <cub/agent/agent_radix_sort_histogram.cuh>
#include <cub/agent/agent_radix_sort_onesweep.cuh>
#include <cub/block/block_scan.cuh>

#include <cstdint>

// CUB's agents, with the parameters that all these versions have. They are in this namespace, in cub, or in both.
CUB_NAMESPACE_BEGIN
namespace detail {
namespace radix_sort {
template <class Policy, class Key, class Offset, class Decomposer>
using tessera_histogram_agent = AgentRadixSortHistogram<Policy, false, Key, Offset, Decomposer>;
template <class Policy, class Key, class Value, class Offset, class Decomposer>
using tessera_onesweep_agent = AgentRadixSortOnesweep<Policy, false, Key, Value, Offset, int, Decomposer>;
}  // namespace radix_sort
}  // namespace detail
CUB_NAMESPACE_END

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The policy of CUB's agents. Bytes is the size of a key or a value, whichever is longer.
template <unsigned Bytes, bool HasValues>
struct onesweep_policy {
  static constexpr onesweep_tile shape{Bytes, HasValues};
  static constexpr int RADIX_BITS = 8, RANK_NUM_PARTS = 1;
  static constexpr int ITEMS_PER_THREAD = shape.items, BLOCK_THREADS = shape.threads;
  static constexpr auto RANK_ALGORITHM = ::cub::RADIX_RANK_MATCH_EARLY_COUNTS_ANY;
  static constexpr auto SCAN_ALGORITHM = ::cub::BLOCK_SCAN_RAKING_MEMOIZE;
  static constexpr auto STORE_ALGORITHM = ::cub::RADIX_SORT_STORE_DIRECT;

  static constexpr int tile = shape.elements(), portion = shape.portion();
  static constexpr int digits = counted_radix_bytes::digits;
};
inline constexpr unsigned most_counted_bytes = 256;  // of a value, so that a block's values fit into shared memory
struct digit_count_policy {
  static constexpr int RADIX_BITS = 8, NUM_PARTS = 1, BLOCK_THREADS = 128, ITEMS_PER_THREAD = 16;
  static constexpr int blocks_per_multiprocessor = 8;
};

inline namespace TESSERA_ARCHS {

using digit_bin = unsigned long long;

/// A sort of at_most elements. values are null if V is cub::NullType.
template <class Bits, key_form Form, class V>
struct counted_radix_task {
  using key = radix_key<Bits, Form>;
  using decomposer_t = radix_decomposer<Bits, Form>;
  static constexpr bool has_values = !stl::is_same_v<V, cub::NullType>;
  static constexpr int passes = sizeof(Bits);
  using policy = onesweep_policy<(has_values && sizeof(V) > sizeof(Bits) ? sizeof(V) : sizeof(Bits)), has_values>;

  key const* keys;
  key* keys_out;
  V const* values;
  V* values_out;
  device_count n;
  decomposer_t decomposer;
};
/// A pass of the sort, over one portion of the elements.
struct onesweep_pass {
  digit_bin* bins;
  digit_bin* next_bins;  // of the next portion; null after the last
  int *look_back, *counter;
  std::int64_t begin;
  int start_bit;
};

template <class Task>
__global__ void __launch_bounds__(digit_count_policy::BLOCK_THREADS)
    digit_count_kernel(aligned<Task> given, digit_bin* bins) {
  wait_for_stream();
  Task const& task = given.value;
  using agent_t = ::cub::detail::radix_sort::tessera_histogram_agent<digit_count_policy, typename Task::key, digit_bin,
                                                                     typename Task::decomposer_t>;
  __shared__ typename agent_t::TempStorage storage;
  auto const n = static_cast<digit_bin>(detail::count_now(task.n));
  agent_t agent(storage, bins, task.keys, n, 0, 8 * Task::passes, task.decomposer);
  agent.Process();
}

/// Makes places of counts by exclusive sums. Each block has the counts of a pass.
template <int Digits>
__global__ void __launch_bounds__(Digits) digit_places_kernel(digit_bin* bins) {
  wait_for_stream();
  using scan_t = cub::BlockScan<digit_bin, Digits>;
  __shared__ typename scan_t::TempStorage storage;
  digit_bin& bin = bins[blockIdx.x * Digits + threadIdx.x];
  digit_bin place = bin;
  scan_t(storage).ExclusiveSum(place, place);
  bin = place;
}

template <class Task>
__global__ void __launch_bounds__(Task::policy::BLOCK_THREADS)
    onesweep_kernel(aligned<Task> given, onesweep_pass pass) {
  wait_for_stream();
  Task const& task = given.value;
  using policy = typename Task::policy;
  using V = stl::remove_pointer_t<decltype(task.values_out)>;
  using agent_t = ::cub::detail::radix_sort::tessera_onesweep_agent<policy, typename Task::key, V, digit_bin,
                                                                    typename Task::decomposer_t>;
  __shared__ typename agent_t::TempStorage storage;
  std::int64_t const left = detail::count_now(task.n) - pass.begin;
  int const n = left < 0 ? 0 : left < policy::portion ? static_cast<int>(left) : policy::portion;
  V const* values = task.values;
  if constexpr (Task::has_values) values += pass.begin;
  agent_t agent(storage, pass.look_back, pass.counter, pass.next_bins, pass.bins, task.keys_out, task.keys + pass.begin,
                task.values_out, values, n, pass.start_bit, 8, task.decomposer);
  if (agent.block_idx * policy::tile < n) agent.Process();
}

/// The sizes of a call's spare arrays.
template <class Task, bool KeysAreSpare>
struct spare_arrays {
  using key = typename Task::key;
  using V = stl::remove_pointer_t<decltype(Task::values_out)>;
  std::size_t key_bytes, value_bytes;

  explicit spare_arrays(std::int64_t n)
      : key_bytes(detail::on_lines(static_cast<std::size_t>(n) * sizeof(key))),
        value_bytes(Task::has_values ? detail::on_lines(static_cast<std::size_t>(n) * sizeof(V)) : 0) {}
  std::size_t total() const { return (KeysAreSpare ? 2 : 1) * key_bytes + value_bytes; }
};

/// Sorts by passes back and forth between the outputs and spare arrays. Before them, prepare(task) may copy the inputs
/// to the outputs. The outputs may be the inputs. If KeysAreSpare, keys_out is spare memory, too.
template <bool KeysAreSpare, class Task, class Prepare>
cudaError_t sort_by_passes(Task task, Prepare const& prepare, execution on) noexcept {
  using spare_t = spare_arrays<Task, KeysAreSpare>;
  using policy = typename Task::policy;
  using key = typename Task::key;
  using V = typename spare_t::V;
  static_assert(Task::passes % 2 == 0, "Every second pass writes to keys_out, and so must the last one.");
  constexpr int digits = policy::digits;
  std::int64_t const at_most = task.n.at_most, portions = detail::ceiling_divide(at_most, policy::portion);
  spare_t const spare(at_most);
  counted_radix_bytes const zeros(at_most, sizeof(key), Task::has_values ? sizeof(V) : 0);
  pooled_workspace const scratch(on, spare.total() + zeros.total(), 0, false);
  if (scratch.error() != cudaSuccess) return scratch.error();
  auto* const memory = static_cast<char*>(scratch.data());
  auto* const spare_keys = reinterpret_cast<key*>(memory);
  auto* const spare_values = reinterpret_cast<V*>(memory + spare.key_bytes);
  if (KeysAreSpare) task.keys_out = reinterpret_cast<key*>(memory + spare.key_bytes + spare.value_bytes);
  auto* const zero = memory + spare.total();
  auto* const bins = reinterpret_cast<digit_bin*>(zero);
  auto* const counters = reinterpret_cast<int*>(zero + zeros.bins);
  auto* look_back = reinterpret_cast<int*>(zero + zeros.bins + zeros.counters);

  int multiprocessors = 0;
  cudaError_t error = detail::query_device(cudaDevAttrMultiProcessorCount, multiprocessors);
  if (error == cudaSuccess) error = prepare(task);
  if (error == cudaSuccess) error = detail::own_status(cudaMemsetAsync(zero, 0, zeros.total(), on.stream));
  if (error == cudaSuccess) {
    constexpr unsigned threads = digit_count_policy::BLOCK_THREADS;
    std::int64_t const needed = detail::ceiling_divide(at_most, threads * digit_count_policy::ITEMS_PER_THREAD);
    std::int64_t const resident = multiprocessors * std::int64_t{digit_count_policy::blocks_per_multiprocessor};
    error = detail::launch<digit_count_kernel<Task>>({needed < resident ? needed : resident, threads}, on.stream, task,
                                                     bins);
  }
  if (error == cudaSuccess)
    error = detail::launch<digit_places_kernel<digits>>({Task::passes, digits}, on.stream, bins);
  auto* const keys_out = task.keys_out;
  auto* const values_out = task.values_out;
  for (int pass = 0; pass < Task::passes; ++pass) {
    bool const is_last = pass % 2 != 0;  // of two
    task.keys_out = is_last ? keys_out : spare_keys;
    task.values_out = is_last ? values_out : spare_values;
    for (std::int64_t portion = 0; portion < portions && error == cudaSuccess; ++portion) {
      std::int64_t const begin = portion * policy::portion, left = at_most - begin;
      std::int64_t const blocks = detail::ceiling_divide(left < policy::portion ? left : policy::portion, policy::tile);
      auto* const own = bins + (portion * Task::passes + pass) * digits;
      onesweep_pass const what{own,       portion + 1 < portions ? own + Task::passes * digits : nullptr,
                               look_back, counters + portion * Task::passes + pass,
                               begin,     8 * pass};
      error = detail::launch<onesweep_kernel<Task>>({blocks, policy::BLOCK_THREADS}, on.stream, task, what);
      look_back += blocks * digits;
    }
    task.keys = task.keys_out;
    task.values = task.values_out;
  }
  return error;
}

}  // namespace TESSERA_ARCHS

}  // namespace grid::detail
TESSERA_NAMESPACE_END
