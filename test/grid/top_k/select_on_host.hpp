// The kernels of top_k, nth_element and quantiles on host tiles: blocks take turns, and are told to do only a few items
// each.
#pragma once

#include <gtest/gtest.h>

#include <tessera/grid/parts/counted.hpp>
#include <tessera/grid/top_k/bucket_agent.hpp>
#include <tessera/grid/top_k/digit_agent.hpp>
#include <tessera/grid/top_k/sort_entries.hpp>
#include <tessera/host/launch.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "top_k_reference.hpp"

namespace test {

namespace detail = tessera::grid::detail;

/// Small blocks, so that few elements need all of the kernel: 256 packed entries in their storage, digits of 4 bits.
using small_shape = detail::top_k_shape<128, 2048, 4>;

struct as_it_is {
  template <class T>
  T operator()(T const& x) const {
    return x;
  }
};

/// The elements of typed tests.
using selected_types = testing::Types<
#if TEST_HAS_HALVES
    __half,
#endif
    float, double, std::int32_t, std::uint64_t, std::int8_t>;

template <class T>
using packed = detail::packed_entry<detail::rank_keys<T>>;
template <class T>
using wide = detail::indexed_key_entry<detail::rank_keys<T>>;
template <class T>
using fitting = std::conditional_t<sizeof(T) == 8, wide<T>, packed<T>>;

template <class T>
struct selected {
  std::vector<T> values;
  std::vector<std::int64_t> indices;
  bool misled = false;  // whether digits of the array were counted, since samples misled
};

/// How a case differs from what the launcher does.
struct setup {
  unsigned blocks = 5;
  std::int64_t shared_samples_from = std::int64_t{1} << 21;
  std::function<void(detail::select_plan&)> change = [](auto&) {};
};

/// What is changed in a plan, and whether the samples mislead then.
enum class misleads { always, sometimes, never };
struct change {
  std::string name;
  std::function<void(detail::select_plan&)> of;
  misleads when;
};

template <class Shape, class Entry>
struct host_memory {
  detail::bucket_state buckets{};
  detail::digit_state<Entry> digits{};
  std::vector<std::uint64_t> counts = std::vector<std::uint64_t>(Shape::digits);
  std::uint64_t left = 0;
  std::vector<Entry> lists;

  detail::top_k_memory<Entry> parts() { return {&buckets, &digits, counts.data(), &left, lists.data()}; }
  bool is_zero() const {
    bool const is_counted = std::any_of(counts.begin(), counts.end(), [](auto c) { return c != 0; });
    detail::bucket_state const none{};
    unsigned char zero[sizeof(digits)] = {};
    return !is_counted && std::memcmp(buckets.counts, none.counts, sizeof(none.counts)) == 0 &&
           std::memcmp(buckets.samples, none.samples, sizeof(none.samples)) == 0 && buckets.before == 0 &&
           buckets.drawn == 0 && buckets.filtered == 0 && buckets.left == 0 &&
           std::memcmp(&digits, zero, offsetof(detail::digit_state<Entry>, phase)) == 0 && digits.listed == 0;
  }
};

/// The bits by which words are sorted, in the order of numbers.
inline std::array<std::uint64_t, 2> bits_of(detail::entry_word_pair const& x, detail::sorted_bits by) {
  auto const below = [](int end) {
    return end <= 0 ? 0 : end >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << end) - 1;
  };
  return {x.high & below(by.end - 64) & ~below(by.begin - 64), x.low & below(by.end) & ~below(by.begin)};
}
inline std::array<std::uint64_t, 2> bits_of(std::uint64_t x, detail::sorted_bits by) {
  return bits_of(detail::entry_word_pair{0, x}, by);
}

/// Sorts the entries that are left, as the kernels and CUB do.
template <class Shape, class Entry>
void sort_left(host_memory<Shape, Entry>& memory, detail::select_plan const& plan) {
  using words = detail::entry_words<Entry>;
  std::vector<words> list(static_cast<std::size_t>(plan.capacity));
  std::memcpy(list.data(), memory.lists.data(), list.size() * sizeof(Entry));
  if (!plan.lists_array)
    std::fill(list.begin() + static_cast<std::ptrdiff_t>(memory.left), list.end(), detail::greatest_words<words>());
  auto const sorts = detail::plan_sorts<Entry>(plan);
  for (detail::sorted_bits const by : {sorts.first, sorts.last})
    std::stable_sort(list.begin(), list.end(),
                     [&](words const& a, words const& b) { return bits_of(a, by) < bits_of(b, by); });
  std::memcpy(memory.lists.data(), list.data(), list.size() * sizeof(Entry));
}

/// Runs the kernels' work on a task of ranks 0 … target, or of `target` alone. Returns whether the samples misled.
template <class Entry, class Shape, class T, class Key>
bool run_selection(detail::top_k_task<T, Key> const& task, std::int64_t target, bool single, unsigned seed,
                   setup const& with = {}) {
  using keys = detail::rank_keys_of<T, Key>;
  detail::even_share const share{with.blocks + 2, Shape::threads, task.n, seed % 2 == 0};
  auto plan = detail::plan_selection<Shape, Entry>(task.n, target, single, share,
                                                   Shape::threads * detail::read_length<T, decltype(task.in)>,
                                                   with.blocks, with.shared_samples_from);
  with.change(plan);
  host_memory<Shape, Entry> memory;
  memory.lists.resize(static_cast<std::size_t>(plan.entries()));
  auto const parts = memory.parts();
  bool misled = false;
  if (plan.lists_array) {
    memory.left = static_cast<std::uint64_t>(task.n);
    for (std::int64_t i = 0; i < task.n; ++i)
      memory.lists[static_cast<std::size_t>(i)] = Entry::of(
          keys::of(task.key(tessera::detail::read_element(task.in, i)), task.order), static_cast<std::uint64_t>(i));
  } else {
    auto const storage = std::make_unique<detail::top_k_storage<Shape, Entry>>();  // blocks take turns
    tessera::host::options how;
    how.seed = seed;
    auto const run = [&](unsigned blocks, unsigned most_tickets, unsigned most_items) {
      tessera::host::launch_grid(blocks, Shape::threads, how, [&](tessera::host::block const& block) {
        auto const& now = detail::task_now(task);
        if (detail::run_bucket_agent<Shape>(block, plan, now, parts, *storage, most_tickets)) return;
        if (block.thread_rank() == 0) misled = true;
        detail::run_digit_agent<Shape>(block, plan, now, parts, *storage, most_items);
      });
    };
    // Several blocks do a few items each, before as many begin as in a launch. Of a block that does no more items of
    // the digits' phases the others do them.
    unsigned const items = plan.sample_sets + share.blocks;
    for (unsigned turn = 0; !plan.ranks_array && turn < seed % 40 && memory.buckets.drawn + 3 < items; ++turn)
      run(1, 1 + (seed + turn) % 3, 0);
    run(plan.blocks, ~0u, ~0u);
    EXPECT_TRUE(memory.is_zero());
  }
  if (plan.wanted == detail::wanted_ranks::unsorted) {
    auto const results = static_cast<std::size_t>(target) + 1;
    EXPECT_GE(memory.left, results);
    EXPECT_LE(memory.left, plan.capacity);
    sort_left(memory, plan);
    for (std::size_t i = 0; i < results; ++i) {
      auto const index = static_cast<std::int64_t>(memory.lists[i].index());
      tessera::detail::store_at(task.indices, i, index);
      tessera::detail::store_at(task.values, i, tessera::detail::read_element(task.in, index));
    }
  }
  return misled;
}

/// What the kernels give of ranks 0 … target, or of `target` alone.
template <class Entry, class Shape = small_shape, class T, class Key = as_it_is>
selected<T> select(T const* in, std::int64_t n, std::int64_t target, bool single, bool falling, unsigned seed,
                   setup const& with = {}, Key key = {}) {
  using number = std::decay_t<std::invoke_result_t<Key const&, T const&>>;
  std::size_t const results = single ? 1 : static_cast<std::size_t>(target) + 1;
  selected<T> out{std::vector<T>(results, in[0]), std::vector<std::int64_t>(results, -1)};
  detail::top_k_task<T, Key> const task{detail::selection_reader_t<T, Key>{in},
                                        n,
                                        detail::selection_values_t<T, Key>{out.values.data()},
                                        detail::selection_indices_t<T, Key>{out.indices.data()},
                                        key,
                                        detail::rank_keys_of<T, Key>::template order_of<number>(falling)};
  out.misled = run_selection<Entry, Shape>(task, target, single, seed, with);
  return out;
}

/// The same by digits alone, where blocks do a few items each.
template <class Entry, class Shape = small_shape, class T>
selected<T> select_by_digits(std::vector<T> const& x, std::int64_t target, bool single, bool falling, unsigned seed) {
  auto const n = static_cast<std::int64_t>(x.size());
  std::size_t const results = single ? 1 : static_cast<std::size_t>(target) + 1;
  selected<T> out{std::vector<T>(results, x[0]), std::vector<std::int64_t>(results, -1)};
  detail::top_k_task<T, as_it_is> const task{
      x.data(), n, out.values.data(), out.indices.data(), {}, detail::rank_keys<T>::template order_of<T>(falling)};
  unsigned const blocks = 1 + seed % 9;
  detail::even_share const share{blocks + 2, Shape::threads, n, seed % 2 == 0};
  auto const plan = detail::plan_selection<Shape, Entry>(n, target, single, share, Shape::threads * 4, blocks);
  host_memory<Shape, Entry> memory;
  memory.lists.resize(static_cast<std::size_t>(plan.entries()));
  auto const parts = memory.parts();
  auto const storage = std::make_unique<detail::top_k_storage<Shape, Entry>>();
  tessera::host::options how;
  how.seed = seed;
  auto const run = [&](unsigned count, unsigned most_items) {
    tessera::host::launch_grid(count, Shape::threads, how, [&](tessera::host::block const& block) {
      detail::run_digit_agent<Shape>(block, plan, task, parts, *storage, most_items);
    });
  };
  auto const& queue = memory.digits.queue;
  while (queue.end != detail::phase_queue::no_more) run(1, 1 + seed % 3);
  run(plan.blocks - queue.left, ~0u);
  EXPECT_TRUE(memory.is_zero());
  return out;
}

template <class T>
void expect_first(std::vector<T> const& x, selected<T> const& got, bool falling, unsigned seed) {
  auto const expected = sorted_indices(x, falling);
  for (std::size_t i = 0; i < got.indices.size(); ++i) {
    ASSERT_EQ(got.indices[i], expected[i])
        << i << " of the first " << got.indices.size() << " of " << x.size() << ", seed " << seed;
    ASSERT_EQ(std::memcmp(&got.values[i], &x[static_cast<std::size_t>(expected[i])], sizeof(T)), 0) << i;
  }
}
template <class Entry, class Shape = small_shape, class T>
selected<T> expect_top(std::vector<T> const& x, std::int64_t k, bool falling, unsigned seed, setup const& with = {}) {
  auto const n = static_cast<std::int64_t>(x.size());
  auto const got = select<Entry, Shape>(x.data(), n, k - 1, false, falling, seed, with);
  expect_first(x, got, falling, seed);
  return got;
}
template <class Entry, class Shape = small_shape, class T>
selected<T> expect_rank(std::vector<T> const& x, std::int64_t rank, bool falling, unsigned seed,
                        setup const& with = {}) {
  auto const n = static_cast<std::int64_t>(x.size());
  auto const expected = sorted_indices(x, falling)[static_cast<std::size_t>(rank)];
  auto const got = select<Entry, Shape>(x.data(), n, rank, true, falling, seed, with);
  EXPECT_EQ(got.indices[0], expected) << "rank " << rank << " of " << n << ", seed " << seed;
  EXPECT_EQ(std::memcmp(&got.values[0], &x[static_cast<std::size_t>(expected)], sizeof(T)), 0);
  return got;
}

}  // namespace test
