// Reductions, scans, histograms, selections, sorts and the k first of an array of which each of several GPUs holds a
// part: for nvcc.
//
//   tessera::grid::communicator ranks(comm);                 // see sharded.hpp
//   auto const part = ranks.shard_of(total);                 // or another cut: see shard.hpp
//   error = tessera::grid::reduce(ranks, in, part, sum);     // every rank gets the sum of all elements
//   error = tessera::grid::reduce(ranks, in, part, sum, tessera::plus{}, tessera::grid::order::any_device);
//   error = tessera::grid::argmax(ranks, in, part, best);    // best->index is one of the whole array
//   error = tessera::grid::inclusive_scan(ranks, in, part, out);
//   error = tessera::grid::select(ranks, in, part, out, selected, is_even{});
//   error = tessera::grid::top_k(ranks, in, part, 100, values, indices);
//   error = tessera::grid::sort(ranks, in, part, out);       // this rank's places of the sorted array
//
// All of them
//   take      what the calls on one array take, but for `ranks` first, and a shard in place of n: `in` points to this
//             rank's part.count elements. `part` says where they are in the whole array, and how long that is. All
//             ranks give the same total, operator and options.
//   give      the results of the calls on the whole array, on every rank. Partial results are combined in the order of
//             the ranks by each rank: all have the same bits, in every run with these shards.
//   order     order::this_device: the bits of float sums depend on the shards and GPUs. order::any_device: the array is
//             cut into the same chunks wherever it lies, so that a sum has the same bits on 1, 2, 4, 8 or more ranks,
//             on any GPUs. Shards must then be those of shard_of. (They aren't the bits of the call without ranks.)
//   return    as all calls on arrays (docs/reference/arrays.md), and the errors of sharded.hpp.
//   memory    `memory` of the execution serves the local step. What is exchanged is in the communicator's memory, or if
//             that is more than 64 KiB, in memory of the library's pool.
//   cost      that of the local call, an exchange of a few bytes by NCCL, and a kernel of one warp. A scan reads its
//             elements twice.
//
// Source: docs/how-to/several-gpus.md has costs and a model of more GPUs.
#pragma once

#include <cooperative_groups.h>

#include <tessera/grid/histogram.cuh>
#include <tessera/grid/merge.cuh>
#include <tessera/grid/reduce.cuh>
#include <tessera/grid/rows.cuh>
#include <tessera/grid/scan.cuh>
#include <tessera/grid/select.cuh>
#include <tessera/grid/sharded.hpp>
#include <tessera/grid/sharded/combine_shards.hpp>
#include <tessera/grid/sharded/sort_shards.hpp>
#include <tessera/grid/sort.cuh>
#include <tessera/grid/top_k.cuh>

#include <new>
#include <vector>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

/// What calls use of a communicator.
struct communicator_access {
  static cudaError_t gather(communicator& ranks, void* all, std::size_t bytes, cudaStream_t stream) noexcept {
    return ranks.gather(all, bytes, stream);
  }
  static cudaError_t add_counts(communicator& ranks, std::uint64_t* counts, std::int64_t n,
                                cudaStream_t stream) noexcept {
    return ranks.add_counts(counts, n, stream);
  }
  static cudaError_t swap(communicator& ranks, void const* const* from, std::size_t const* sizes, void* const* to,
                          std::size_t const* got, cudaStream_t stream) noexcept {
    return ranks.swap(from, sizes, to, got, stream);
  }
  static push_links links(communicator const& ranks) noexcept { return ranks.links(); }
  static workspace& scratch(communicator& ranks) noexcept { return ranks.scratch(); }
  static kept_memory& kept(communicator& ranks) noexcept { return ranks.kept(); }
};

inline namespace TESSERA_ARCHS {

template <class Agent>
__global__ void __launch_bounds__(32) one_warp_kernel(aligned<Agent> agent) {
  wait_for_stream();
  agent.value(cooperative_groups::this_thread_block());
}
template <class Agent>
__global__ void __launch_bounds__(256) each_thread_kernel(aligned<Agent> agent) {
  wait_for_stream();
  agent.value(static_cast<std::int64_t>(blockIdx.x) * 256 + threadIdx.x, static_cast<std::int64_t>(gridDim.x) * 256);
}

/// Memory for one exchange: the communicator's, or else some that is freed in the stream's order.
class exchange_memory {
 public:
  exchange_memory(communicator& ranks, std::size_t bytes, cudaStream_t stream) noexcept
      : kept_(communicator_access::kept(ranks), bytes),
        error_(kept_.data() ? cudaSuccess : workspace_memory::allocate(memory_, bytes, stream, 0, false)) {}
  cudaError_t error() const noexcept { return error_; }
  void* data() const noexcept { return kept_.data() ? kept_.data() : memory_.data(); }

 private:
  workspace memory_;
  kept_memory::piece kept_;
  cudaError_t error_;
};

/// A rank as combine_shards.hpp takes it: a communicator on a stream.
class rank_on_gpu {
 public:
  rank_on_gpu(communicator& ranks, cudaStream_t stream) noexcept : ranks_(ranks), stream_(detail::named(stream)) {}

  int index() const noexcept { return ranks_.index(); }
  int count() const noexcept { return ranks_.count(); }
  exchange_memory exchange(std::size_t bytes) const noexcept { return {ranks_, bytes, stream_}; }
  cudaError_t gather(void* all, std::size_t bytes) const noexcept {
    return communicator_access::gather(ranks_, all, bytes, stream_);
  }
  template <class Agent>
  cudaError_t run(Agent const& agent) const noexcept {
    return detail::launch<one_warp_kernel<Agent>>({1, 32}, stream_, agent);
  }
  template <class Agent>
  cudaError_t gather_and_run(void* all, std::size_t bytes, Agent const& agent) const noexcept {
    push_links const links = communicator_access::links(ranks_);
    if (links.window == nullptr || bytes > push_layout::most_bytes) {
      cudaError_t const error = gather(all, bytes);
      return error == cudaSuccess ? run(agent) : error;
    }
    return run(push_agent<system_memory, Agent>{links, static_cast<unsigned char*>(all),
                                                static_cast<std::uint32_t>(bytes), agent});
  }
  /// Memory that the communicator keeps for the next call.
  class scratch_memory {
   public:
    scratch_memory(workspace& kept, std::size_t bytes, cudaStream_t stream) noexcept
        : kept_(kept), error_(kept.reserve(bytes, stream)) {}
    cudaError_t error() const noexcept { return error_; }
    void* data() const noexcept { return kept_.data(); }

   private:
    workspace& kept_;
    cudaError_t error_;
  };
  scratch_memory scratch(std::size_t bytes) const noexcept {
    return {communicator_access::scratch(ranks_), bytes, stream_};
  }
  template <class T>
  cudaError_t write(T* to, T const& value) const noexcept {
    return run(store_agent<T>{to, value});
  }
  cudaError_t read(void* to, void const* from, std::size_t bytes) const noexcept {
    cudaError_t const error = detail::own_status(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_));
    return error == cudaSuccess ? detail::own_status(cudaStreamSynchronize(stream_)) : error;
  }
  template <class Cut>
  cudaError_t swap(void const* from, void* to, std::size_t size, Cut const& cut,
                   std::vector<std::int64_t> const& ends) const {
    auto const all = static_cast<std::size_t>(count());
    std::vector<void const*> sources(all);
    std::vector<void*> targets(all);
    std::vector<std::size_t> sizes(all), got(all);
    for (int r = 0; r < count(); ++r) {
      auto const at = static_cast<std::size_t>(r);
      sources[at] = static_cast<char const*>(from) + static_cast<std::size_t>(cut(r)) * size;
      sizes[at] = static_cast<std::size_t>(cut(r + 1) - cut(r)) * size;
      targets[at] = static_cast<char*>(to) + static_cast<std::size_t>(ends[at]) * size;
      got[at] = static_cast<std::size_t>(ends[at + 1] - ends[at]) * size;
    }
    return communicator_access::swap(ranks_, sources.data(), sizes.data(), targets.data(), got.data(), stream_);
  }
  template <class Agent>
  cudaError_t run_on_all(Agent const& agent, std::int64_t n) const noexcept {
    std::int64_t const blocks = detail::ceiling_divide(n, 256);
    return detail::launch<each_thread_kernel<Agent>>({blocks < 1024 ? blocks : 1024, 256}, stream_, agent);
  }

 private:
  communicator& ranks_;
  cudaStream_t stream_;
};

/// The first check of every call.
template <class In>
cudaError_t check_shard(communicator& ranks, In const& in, shard const& part) noexcept {
  cudaError_t const error = ranks.async_error();
  if (error != cudaSuccess) return error;
  return detail::is_shard(part) && detail::is_array(in, part.count) ? cudaSuccess : cudaErrorInvalidValue;
}
template <class In, class Out>
cudaError_t check_shard(communicator& ranks, In const& in, shard const& part, Out* out) noexcept {
  cudaError_t const error = detail::check_shard(ranks, in, part);
  return error == cudaSuccess && !detail::are_apart(in, part.count, out) ? cudaErrorInvalidValue : error;
}

/// True if Start is a value that a scan begins with, or start_on_device(value).
template <class Start>
using if_start_of_shards = stl::enable_if_t<!stl::is_pointer_v<Start> && !is_execution<Start>, bool>;

/// f with the index of the whole array, if it takes one.
template <class F>
struct function_of_shard {
  F f;
  std::int64_t begin;

  template <class T>
  TESSERA_FN auto operator()(T const& x, std::int64_t index) const {
    return tessera::detail::apply<std::int64_t>(f, x, begin + index);
  }
};

struct as_moments_of_double {
  template <class A>
  TESSERA_FN tessera::moments<double> operator()(A const& x) const {
    return tessera::as_moments(static_cast<double>(x));
  }
};

/// Reduces f(x, index) of all elements.
template <class In, class Out, class Op, class F>
cudaError_t transform_shards(communicator& ranks, In const& in, shard const& part, Out* out, Op const& op, F const& f,
                             execution on) noexcept {
  using T = value_of<In>;
  using term = typename reduced_term<T, Op, F>::type;
  using R = tessera::detail::range_result_t<Op, term, std::int64_t>;
  using combine = tessera::detail::normalized_t<Op, R>;
  if constexpr (can_reduce<combine, R>()) {
    cudaError_t const error = detail::check_shard(ranks, in, part, out);
    if (error != cudaSuccess) return error;
    return detail::combine_shards<R>(
        rank_on_gpu(ranks, on.stream), part, out, tessera::detail::normalize<R>(op), [&](R* own) {
          return grid::transform_reduce(in, part.count, own, op, function_of_shard<F>{f, part.begin}, on);
        });
  } else {
    return cudaErrorNotSupported;
  }
}

/// The same in chunks, by f(x).
template <class R, class T, class Out, class Op, class F>
cudaError_t transform_chunks(communicator& ranks, T const* in, shard const& part, Out* out, Op const& op, F const& f,
                             execution on) noexcept {
  cudaError_t const error = detail::check_shard(ranks, in, part, out);
  if (error != cudaSuccess) return error;
  return detail::combine_chunks<R>(rank_on_gpu(ranks, on.stream), part, out, tessera::detail::normalize<R>(op),
                                   [&](std::int64_t first, int count, std::int64_t length, R* own) {
                                     return grid::transform_reduce_rows(matrix<T const>(in + first, count, length), own,
                                                                        op, f, on);
                                   });
}

template <class R, class Op, class In, class Out>
cudaError_t arg_of_shards(communicator& ranks, In const& in, shard const& part, Out* out, bool greatest,
                          execution on) noexcept {
  cudaError_t const error = detail::check_shard(ranks, in, part, out);
  if (error != cudaSuccess) return error;
  rank_on_gpu const rank(ranks, on.stream);
  return detail::combine_shards<R>(rank, part, out, Op{}, [&](R* own) {
    cudaError_t const found = greatest ? grid::argmax(in, part.count, own, on) : grid::argmin(in, part.count, own, on);
    return found == cudaSuccess ? rank.run(shift_index_agent<value_of<In>>{own, part.begin}) : found;
  });
}

/// Scans; Start is a value, or a device_start.
template <class In, class Out, class Op, class Start, class R>
cudaError_t scan_of_shards(communicator& ranks, In const& in, shard const& part, Out const& out, Op const& op,
                           bool exclusive, Start const& start, bool has_start, scan_options<R> const& options,
                           execution on) noexcept {
  using combine = tessera::detail::normalized_t<Op, R>;
  static_assert(operator_traits<combine, R>::has_identity,
                "A scan over several GPUs takes an operator with an identity: a rank may have no elements. Write "
                "make_operator(f, identity).");
  if constexpr (operator_traits<combine, R>::has_identity) {
    cudaError_t const error = detail::check_shard(ranks, in, part);
    if (error != cudaSuccess) return error;
    combine const normal_op = tessera::detail::normalize<R>(op);
    scan_options<R> const local{options.suffix, nullptr};
    return detail::scan_shards<R>(
        rank_on_gpu(ranks, on.stream), part, normal_op, detail::start_in<R>(start), has_start, options.suffix,
        options.total, [&](R* own) { return grid::transform_reduce(in, part.count, own, op, as_result<R>{}, on); },
        [&](R* carry) {
          return exclusive ? grid::exclusive_scan(in, part.count, out, op, grid::start_on_device(carry), local, on)
                           : grid::inclusive_scan(in, part.count, out, op, grid::start_on_device(carry), local, on);
        });
  } else {
    return cudaErrorNotSupported;
  }
}

/// An exclusive scan then begins with the operator's identity, an inclusive one with the first element.
template <class In, class Out, class Op, class R>
cudaError_t scan_without_start(communicator& ranks, In const& in, shard const& part, Out const& out, Op const& op,
                               bool exclusive, scan_options<R> const& options, execution on) noexcept {
  using traits = operator_traits<tessera::detail::normalized_t<Op, R>, R>;
  R const identity = static_cast<R>(traits::identity(tessera::detail::normalize<R>(op)));
  return detail::scan_of_shards(ranks, in, part, out, op, exclusive, identity, exclusive, options, on);
}

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// *out = f(x[0]) op f(x[1]) op … of the whole array; the identity of `op` if it is empty.
///
/// op   any operator with an identity. It need not commute.
/// f    f(x), or f(x, index) with the index of the whole array.
/// out  as in transform_reduce of reduce.cuh
template <class In, class Out, class Op, class F>
[[nodiscard]] cudaError_t transform_reduce(communicator& ranks, In in, shard part, Out* out, Op op, F f,
                                           execution on = {}) noexcept {
  return detail::transform_shards(ranks, tessera::detail::reader_of(in), part, out, op, f, on);
}

/// *out = x[0] op x[1] op … of the whole array; the identity of `op` if it is empty. Any operator with an identity and
/// trivially copyable type.
///
/// in   a pointer, or with order::this_device any iterator
/// how  see above. Of 2^26 and 2^28 floats a rank on H100s, order::any_device has 0.93 of the speed of
///      order::this_device.
template <class In, class Op>
[[nodiscard]] cudaError_t reduce(communicator& ranks, In in, shard part, reduced_t<detail::value_of<In>, Op>* out,
                                 Op op, order how, execution on = {}) noexcept {
  using T = detail::value_of<In>;
  using R = reduced_t<T, Op>;
  auto const reader = tessera::detail::reader_of(in);
  if (how == order::any_device) {
    if constexpr (stl::is_pointer_v<stl::remove_const_t<decltype(reader)>>) {
      return detail::transform_chunks<R>(ranks, reader, part, out, op, detail::as_result<R>{}, on);
    } else {
      return cudaErrorInvalidValue;
    }
  }
  cudaError_t const error = detail::check_shard(ranks, reader, part, out);
  if (error != cudaSuccess) return error;
  return detail::combine_shards<R>(detail::rank_on_gpu(ranks, on.stream), part, out, tessera::detail::normalize<R>(op),
                                   [&](R* own) { return grid::reduce(reader, part.count, own, op, on); });
}
template <class In, class Op = plus>
[[nodiscard]] cudaError_t reduce(communicator& ranks, In in, shard part, reduced_t<detail::value_of<In>, Op>* out,
                                 Op op = {}, execution on = {}) noexcept {
  return grid::reduce(ranks, in, part, out, op, order::this_device, on);
}

/// The least value and its index in the whole array: the lowest index of equal values, or the first NaN.
template <class In>
[[nodiscard]] cudaError_t argmin(communicator& ranks, In in, shard part,
                                 indexed<detail::value_of<In>, std::int64_t>* out, execution on = {}) noexcept {
  return detail::arg_of_shards<indexed<detail::value_of<In>, std::int64_t>, tessera::argmin>(
      ranks, tessera::detail::reader_of(in), part, out, false, on);
}
/// The greatest value and its index in the whole array: the lowest index of equal values, or the first NaN.
template <class In>
[[nodiscard]] cudaError_t argmax(communicator& ranks, In in, shard part,
                                 indexed<detail::value_of<In>, std::int64_t>* out, execution on = {}) noexcept {
  return detail::arg_of_shards<indexed<detail::value_of<In>, std::int64_t>, tessera::argmax>(
      ranks, tessera::detail::reader_of(in), part, out, true, on);
}

/// The least and the greatest value of the whole array.
template <class In>
[[nodiscard]] cudaError_t minmax(communicator& ranks, In in, shard part, min_max<detail::value_of<In>>* out,
                                 execution on = {}) noexcept {
  using R = min_max<detail::value_of<In>>;
  auto const reader = tessera::detail::reader_of(in);
  cudaError_t const error = detail::check_shard(ranks, reader, part, out);
  if (error != cudaSuccess) return error;
  return detail::combine_shards<R>(detail::rank_on_gpu(ranks, on.stream), part, out, detail::minmax_operator{},
                                   [&](R* own) { return grid::minmax(reader, part.count, own, on); });
}

/// Count, mean and the sum of squared distances from the mean of the whole array.
///
/// how  order::any_device takes a pointer.
template <class In>
[[nodiscard]] cudaError_t moments(communicator& ranks, In in, shard part, tessera::moments<double>* out, order how,
                                  execution on = {}) noexcept {
  using R = tessera::moments<double>;
  auto const reader = tessera::detail::reader_of(in);
  if (how == order::any_device) {
    if constexpr (stl::is_pointer_v<stl::remove_const_t<decltype(reader)>>) {
      return detail::transform_chunks<R>(ranks, reader, part, out, welford{}, detail::as_moments_of_double{}, on);
    } else {
      return cudaErrorInvalidValue;
    }
  }
  cudaError_t const error = detail::check_shard(ranks, reader, part, out);
  if (error != cudaSuccess) return error;
  return detail::combine_shards<R>(detail::rank_on_gpu(ranks, on.stream), part, out, welford{},
                                   [&](R* own) { return grid::moments(reader, part.count, own, on); });
}
template <class In>
[[nodiscard]] cudaError_t moments(communicator& ranks, In in, shard part, tessera::moments<double>* out,
                                  execution on = {}) noexcept {
  return grid::moments(ranks, in, part, out, order::this_device, on);
}

/// out[i] = x[0] op … op x[i] of the whole array, for this rank's elements.
///
/// out      as in inclusive_scan of scan.cuh; may be `in`
/// options  with `suffix` from the end of the whole array; `total` is that of the whole array
template <class In, class Out, class Op>
[[nodiscard]] cudaError_t inclusive_scan(communicator& ranks, In in, shard part, Out out, Op op,
                                         scan_options<detail::scanned_of<In, Op>> options, execution on = {}) noexcept {
  return detail::scan_without_start(ranks, tessera::detail::reader_of(in), part, out, op, false, options, on);
}
template <class In, class Out, class Op = plus>
[[nodiscard]] cudaError_t inclusive_scan(communicator& ranks, In in, shard part, Out out, Op op = {},
                                         execution on = {}) noexcept {
  return grid::inclusive_scan(ranks, in, part, out, op, scan_options<detail::scanned_of<In, Op>>{}, on);
}
/// out[i] = start op x[0] op … op x[i]. The start is the same on all ranks: a value, or start_on_device(value).
template <class In, class Out, class Op, class Start, detail::if_start_of_shards<Start> = true>
[[nodiscard]] cudaError_t inclusive_scan(communicator& ranks, In in, shard part, Out out, Op op, Start const& start,
                                         scan_options<detail::scanned_of<In, Op>> options, execution on = {}) noexcept {
  return detail::scan_of_shards(ranks, tessera::detail::reader_of(in), part, out, op, false, start, true, options, on);
}

/// out[i] = start op x[0] op … op x[i − 1] of the whole array; without a start from the operator's identity.
template <class In, class Out, class Op, class Start, detail::if_start_of_shards<Start> = true>
[[nodiscard]] cudaError_t exclusive_scan(communicator& ranks, In in, shard part, Out out, Op op, Start const& start,
                                         scan_options<detail::scanned_of<In, Op>> options, execution on = {}) noexcept {
  return detail::scan_of_shards(ranks, tessera::detail::reader_of(in), part, out, op, true, start, true, options, on);
}
template <class In, class Out, class Op>
[[nodiscard]] cudaError_t exclusive_scan(communicator& ranks, In in, shard part, Out out, Op op,
                                         scan_options<detail::scanned_of<In, Op>> options, execution on = {}) noexcept {
  return detail::scan_without_start(ranks, tessera::detail::reader_of(in), part, out, op, true, options, on);
}
template <class In, class Out, class Op = plus>
[[nodiscard]] cudaError_t exclusive_scan(communicator& ranks, In in, shard part, Out out, Op op = {},
                                         execution on = {}) noexcept {
  return grid::exclusive_scan(ranks, in, part, out, op, scan_options<detail::scanned_of<In, Op>>{}, on);
}

/// The counts of the whole array in bins, on every rank: of equal width, or between edges. If the options ask for the
/// numbers of elements in no bin, these are the rank's own. Otherwise as histogram() of histogram.cuh.
template <class In>
[[nodiscard]] cudaError_t histogram(communicator& ranks, In in, shard part, std::uint64_t* counts, std::int64_t bins,
                                    detail::bound_t<detail::counted_t<detail::value_of<In>>> lower,
                                    detail::bound_t<detail::counted_t<detail::value_of<In>>> upper,
                                    histogram_options options = {}, execution on = {}) noexcept {
  cudaError_t error = detail::check_shard(ranks, tessera::detail::reader_of(in), part);
  if (error == cudaSuccess) error = grid::histogram(in, part.count, counts, bins, lower, upper, options, on);
  if (error != cudaSuccess) return error;
  return detail::communicator_access::add_counts(ranks, counts, bins, detail::named(on.stream));
}
template <class In, class Edges, stl::enable_if_t<tessera::detail::is_reader<Edges>, bool> = true>
[[nodiscard]] cudaError_t histogram(communicator& ranks, In in, shard part, std::uint64_t* counts, std::int64_t bins,
                                    Edges edges, histogram_options options = {}, execution on = {}) noexcept {
  cudaError_t error = detail::check_shard(ranks, tessera::detail::reader_of(in), part);
  if (error == cudaSuccess) error = grid::histogram(in, part.count, counts, bins, edges, options, on);
  if (error != cudaSuccess) return error;
  return detail::communicator_access::add_counts(ranks, counts, bins, detail::named(on.stream));
}

/// out[0], out[1] …: this rank's elements for which pred holds, in order. *selected says where they are in the array of
/// all that are selected, and how long that is: a shard for the next call, once the CPU has read it.
///
/// selected  on the device
template <class In, class Out, class Pred>
[[nodiscard]] cudaError_t select(communicator& ranks, In in, shard part, Out out, shard* selected, Pred pred,
                                 execution on = {}) noexcept {
  cudaError_t const error = detail::check_shard(ranks, tessera::detail::reader_of(in), part, selected);
  if (error != cudaSuccess) return error;
  return detail::select_shards(detail::rank_on_gpu(ranks, on.stream), selected,
                               [&](std::int64_t* count) { return grid::select(in, part.count, out, count, pred, on); });
}

/// The k elements of the whole array that come first, in order, and their indices in it, on every rank. The order and
/// types are those of top_k.hpp.
///
/// k        0 … part.total
/// values   k elements, or null; indices: k of them, or null
/// Cost     that of the local top_k, and an exchange of k elements and indices of each rank
template <class T, class Before = greater>
[[nodiscard]] cudaError_t top_k(communicator& ranks, T const* in, shard part, std::int64_t k,
                                tessera::detail::same_t<T>* values, std::int64_t* indices, Before before = {},
                                execution on = {}) noexcept {
  if constexpr (!detail::can_select<T, Before>()) {
    return cudaErrorNotSupported;
  } else {
    using order = tessera::detail::canonical_comparator_t<Before, T>;
    cudaError_t const error = detail::check_shard(ranks, in, part);
    if (error != cudaSuccess) return error;
    bool const is_wanted = values != nullptr || indices != nullptr;
    if (k < 0 || k > part.total || k > INT64_MAX / 64 / static_cast<std::int64_t>(sizeof(T) + 8) / ranks.count() ||
        (k > 0 && !is_wanted) || !detail::is_array(values, values ? k : 0) ||
        !detail::is_array(indices, indices ? k : 0) || detail::overlap(in, part.count, values, values ? k : 0) ||
        detail::overlap(in, part.count, indices, indices ? k : 0) ||
        detail::overlap(values, values ? k : 0, indices, indices ? k : 0))
      return cudaErrorInvalidValue;
    if (k == 0) return cudaSuccess;
    return detail::top_k_shards<T>(detail::rank_on_gpu(ranks, on.stream), part, k, values, indices, order{},
                                   [&](std::int64_t count, T* own, std::int64_t* places) {
                                     return grid::top_k(in, part.count, count, own, places, before, on);
                                   });
  }
}

/// out: the elements part.begin … part.begin + part.count − 1 of the sorted array. Equal elements stay in their order.
///
/// in, out  numbers; `out` is `in`, or apart from it
/// before   less{} or greater{}, or an alias: NaNs come last, and −0 equals 0
/// Waits    once for the stream, in the middle: NCCL must know how much each rank gets. So it can't be captured.
/// Memory   an array as long as the shard, two for 3, 4 and 9 to 16 ranks, which the communicator keeps
/// Cost     a sort of the shard, up to 2 · sizeof(T) + 1 exchanges of some hundred bytes, one of the elements that
///          belong to other ranks, and a merge of the shard for each doubling of the ranks
template <class T, class Before = less>
[[nodiscard]] cudaError_t sort(communicator& ranks, T const* in, shard part, T* out, Before before = {},
                               execution on = {}) noexcept {
  using order = tessera::detail::canonical_comparator_t<Before, T>;
  constexpr bool is_known = tessera::detail::has_sort_key<T, order>;
  static_assert(
      is_known,
      "grid::sort over several GPUs sorts numbers of up to 8 bytes by tessera::less{} or tessera::greater{}.");
  if constexpr (is_known) {
    cudaError_t const error = detail::check_shard(ranks, in, part);
    if (error != cudaSuccess) return error;
    bool const is_in_place = static_cast<T const*>(out) == in;
    if (!detail::is_array(out, part.count) || (!is_in_place && detail::overlap(in, part.count, out, part.count)))
      return cudaErrorInvalidValue;
    cudaStreamCaptureStatus captured = cudaStreamCaptureStatusNone;
    cudaError_t const known = detail::own_status(cudaStreamIsCapturing(detail::named(on.stream), &captured));
    if (known != cudaSuccess) return known;
    if (captured != cudaStreamCaptureStatusNone) return cudaErrorStreamCaptureUnsupported;
    try {
      return detail::sort_shards<stl::is_same_v<order, greater>>(
          detail::rank_on_gpu(ranks, on.stream), part, out,
          [&](T* to) { return grid::sort(in, part.count, to, before, on); },
          [&](T const* a, std::int64_t na, T const* b, std::int64_t nb, T* to) {
            return grid::merge(a, na, b, nb, to, before, on);
          });
    } catch (std::bad_alloc const&) {
      return cudaErrorMemoryAllocation;
    }
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
