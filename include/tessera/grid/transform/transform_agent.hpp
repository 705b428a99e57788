// The agent that calls a function of the elements of some arrays: what a block of the kernels of transform.cuh does
// with its tile.
//
//   load      All of a thread's rows, of all arrays, before the first call.
//   call      f(a, b, …) of each index, or f(a, b, …, index).
//   store     Row by row, if there are results.
//
// The floor is one read of each input and one write of each result, at the bandwidth of the memory.
#pragma once

#include <tessera/core/iterators.hpp>
#include <tessera/core/sort_entry.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/grid/parts/counted.hpp>
#include <tessera/grid/parts/tile_loop.hpp>
#include <tessera/grid/transform/transform_tuning.hpp>
#include <tessera/tile/gpu_call.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The inputs of a call: some arrays, by pointers or iterators.
template <class... In>
struct input_arrays;
template <>
struct input_arrays<> {};
template <class In, class... More>
struct input_arrays<In, More...> {
  In first;
  input_arrays<More...> more;
};
inline input_arrays<> arrays_of() noexcept {
  return {};
}
template <class In, class... More>
auto arrays_of(In const& first, More const&... more) noexcept {
  return input_arrays<tessera::detail::reader_t<In>, tessera::detail::reader_t<More>...>{
      tessera::detail::reader_of(first), detail::arrays_of(more...)};
}

/// True if f takes an element of each type, or also their index.
template <class F, class... T>
inline constexpr bool takes_index = stl::is_invocable_v<F const&, T..., std::int64_t>;
template <class F, class... T>
inline constexpr bool takes_elements = stl::is_invocable_v<F const&, T...> || takes_index<F, T...>;

/// The type of f's result.
template <class F, bool WithIndex, class... T>
struct result_of_call {
  using type = stl::invoke_result_t<F const&, T..., std::int64_t>;
};
template <class F, class... T>
struct result_of_call<F, false, T...> {
  using type = stl::invoke_result_t<F const&, T...>;
};

/// f(x…, index), or f(x…) if f doesn't take the index.
template <class F, class... T>
TESSERA_FN typename result_of_call<F, takes_index<F, T&...>, T&...>::type call_at([[maybe_unused]] std::int64_t index,
                                                                                  F const& f, T&... x) {
  if constexpr (takes_index<F, T&...>) {
    return f(x..., index);
  } else {
    return f(x...);
  }
}
template <class Block, class F, class... T>
TESSERA_FN auto require_call_at() {
  if constexpr (takes_index<F, T const&...>) {
    tessera::detail::require_call<Block, F const, T..., std::int64_t>();
  } else {
    tessera::detail::require_call<Block, F const, T...>();
  }
}

/// The type of the results of f that are stored.
template <class Out, class F, class... T>
using transformed_t = tessera::detail::written_t<
    Out, stl::decay_t<typename result_of_call<F, takes_index<F, T const&...>, T const&...>::type>>;

/// out[i] = f(a[i], b[i], …).
template <class Out, class F, class... In>
struct transform_task {
  input_arrays<In...> in;
  std::int64_t n;
  Out out;
  F f;

  using result = transformed_t<Out, F, value_of<In>...>;
  static constexpr unsigned loaded_bytes = (0u + ... + static_cast<unsigned>(sizeof(value_of<In>)));
  using longest = typename longest_type<result, value_of<In>...>::type;
  using shape = transform_shape<elements_of_row<longest>(), loaded_bytes, sizeof(result)>;
};

/// The elements of some arrays that a thread has loaded: a row of K of each.
template <unsigned K, class... In>
class input_rows;
template <unsigned K>
class input_rows<K> {
 public:
  TESSERA_FN void load(input_arrays<> const&, std::int64_t, std::int64_t) {}

  /// Stores f of a row of each array; the row's first element is number `own` of n.
  template <class Task, class... Row>
  TESSERA_FN void transform_row(Task const& task, std::int64_t own, Row const&... row) const {
    using result = typename Task::result;
    auto out = tessera::detail::from_words<items<result, K>>({});
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i)
      tessera::detail::assign(out[i], tessera::detail::convert<result>(
                                          detail::call_at(detail::nearest_index(own + i, task.n), task.f, row[i]...)));
    if constexpr (stl::is_pointer_v<decltype(task.out)>) {
      detail::store_row(task.out, task.n, own, out);
    } else {
      TESSERA_UNROLL
      for (unsigned i = 0; i < K; ++i) {
        if (own + i < task.n) tessera::detail::write_element(task.out, own + i, out[i]);
      }
    }
  }
};
template <unsigned K, class In, class... More>
class input_rows<K, In, More...> {
 public:
  TESSERA_FN void load(input_arrays<In, More...> const& in, std::int64_t n, std::int64_t first) {
    loaded_.load(in.first, n, first);
    more_.load(in.more, n, first);
  }
  template <class Task, class... Row>
  TESSERA_FN void transform_row(Task const& task, std::int64_t own, Row const&... row) const {
    more_.transform_row(task, own, row..., loaded_.row(0));
  }

 private:
  tile_rows<value_of<In>, K, 1> loaded_;
  input_rows<K, More...> more_;
};

/// Called by  all threads of a block of `threads`, a multiple of 32, which has tile `tile`. n > 0.
template <class Block, class Out, class F, class... In>
TESSERA_FN void run_transform_agent(Block const& block, transform_task<Out, F, In...> const& task, unsigned threads,
                                    std::int64_t tile) {
  using shape = typename transform_task<Out, F, In...>::shape;
  constexpr unsigned K = shape::count_of_row;
  detail::require_call_at<Block, F, value_of<In>...>();
  std::int64_t const own = shape::first_index(tile, threads, block.thread_rank());
  input_rows<K, In...> inputs;
  inputs.load(task.in, task.n, own);
  if (own < task.n) inputs.transform_row(task, own);
}

/// f(x) of each element, which it changes if In is a pointer to elements that aren't const.
template <class In, class F>
struct for_each_task {
  In in;
  std::int64_t n;
  F f;

  using element = value_of<In>;
  static constexpr bool changes = !stl::is_const_v<stl::remove_pointer_t<In>> && stl::is_pointer_v<In>;
  using shape = transform_shape<elements_of_row<element>(), sizeof(element), changes ? sizeof(element) : 0>;
};

/// Called as run_transform_agent.
template <class Block, class In, class F>
TESSERA_FN void run_for_each_agent(Block const& block, for_each_task<In, F> const& task, unsigned threads,
                                   std::int64_t tile) {
  using task_t = for_each_task<In, F>;
  using shape = typename task_t::shape;
  using element = typename task_t::element;
  constexpr unsigned K = shape::count_of_row;
  if constexpr (!task_t::changes) detail::require_call_at<Block, F, element>();
  std::int64_t const own = shape::first_index(tile, threads, block.thread_rank());
  tile_rows<element, K, shape::row_count> inputs;
  inputs.load(tessera::detail::reader_of(task.in), task.n, own);
  TESSERA_UNROLL
  for (unsigned r = 0; r < shape::row_count; ++r) {
    std::int64_t const first = own + r * std::int64_t{32 * K};
    auto row = inputs.row(r);
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      stl::conditional_t<task_t::changes, element, element const>& x = row[i];
      if (first + i < task.n) (void)detail::call_at(first + i, task.f, x);
    }
    if constexpr (task_t::changes) detail::store_row(task.in, task.n, first, row);
  }
}

/// f(index) of each index below n.
template <class F>
struct index_task {
  std::int64_t n;
  F f;
};

/// Called as run_transform_agent.
template <class Block, class F>
TESSERA_FN void run_index_agent(Block const& block, index_task<F> const& task, unsigned threads, std::int64_t tile) {
  tessera::detail::require_call<Block, F const, std::int64_t>();
  std::int64_t const first = tile * (transform_tuning::indices * std::int64_t{threads}) + block.thread_rank();
  TESSERA_UNROLL
  for (unsigned j = 0; j < transform_tuning::indices; ++j) {
    std::int64_t const index = first + j * std::int64_t{threads};
    if (index < task.n) (void)task.f(index);
  }
}

/// True if block `tile` has elements.
template <class Task>
TESSERA_FN bool has_elements(Task const& task, unsigned threads, std::int64_t tile) {
  return tile * Task::shape::tile_elements(threads) < task.n;
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
