// The kernels of top_k, nth_element and quantiles on host tiles: blocks take turns, and are told to do only a few items each.
#pragma once

#include <gtest/gtest.h>

#include <tessera/grid/top_k/bucket_agent.hpp>
#include <tessera/grid/top_k/sort_entries.hpp>
#include <tessera/grid/top_k/top_k_agent.hpp>
#include <tessera/host/launch.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "top_k_reference.hpp"

namespace test {

namespace detail = tessera::grid::detail;

/// Small blocks, so that few elements need all phases: 128 packed entries in their storage, 128 coarse samples, digits of 4 bits.
using small_shape = detail::top_k_shape<64, 1024, 4, 2>;

struct as_it_is {
  template <class T>
  T operator()(T const& x) const {
    return x;
  }
};

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
  bool counted_array =
      false;  // whether samples misled; of one that isn't made in buckets only if its setup says watch
};

/// How a case differs from what the launcher does.
struct setup {
  unsigned blocks = 5;
  std::int64_t shared_samples_from = std::int64_t{1} << 21;
  std::function<void(detail::bucket_plan&)> change_buckets = [](auto&) {};
  std::int64_t fine_sample_from = std::int64_t{1} << 22;
  std::function<void(detail::select_plan&)> change = [](auto&) {};
  bool watch =
      false;  // Blocks do one item each, so that it is known whether digits of the array are counted.
};

template <class Shape, class Entry>
struct host_memory {
  detail::select_state<Entry> state{};
  std::vector<std::uint64_t> counts = std::vector<std::uint64_t>(Shape::digits);
  detail::select_result result{};
  std::vector<Entry> lists[2];

  detail::top_k_memory<Entry> parts() {
    return {&state, counts.data(), &result, lists[0].data(), lists[1].data()};
  }
  bool is_zero() const {
    for (std::uint64_t c : counts) {
      if (c != 0) return false;
    }
    unsigned char none[sizeof(state)] = {};
    return std::memcmp(&state, none, offsetof(detail::select_state<Entry>, phase)) == 0 &&
           state.appended == 0 && state.before == 0 && state.greatest_left == 0;
  }
};

template <class Shape, class Entry>
void sort_left(host_memory<Shape, Entry>& memory, std::uint64_t most, unsigned seed) {
  constexpr unsigned threads = 64;
  constexpr std::uint64_t chunk = 256;
  detail::entries_left<Entry> const left{&memory.result, memory.lists[0].data(), memory.lists[1].data()};
  tessera::host::options how;
  how.seed = seed;
  auto const chunks = static_cast<unsigned>((most + chunk - 1) / chunk);
  tessera::host::launch_grid(chunks, threads, how, [&](tessera::host::block const& block) {
    detail::sort_chunk<threads>(block, left, chunk, block.group_index().x);
  });
  unsigned const passes = detail::merge_passes(most, chunk);
  for (unsigned pass = 0; pass < passes; ++pass) {
    tessera::host::launch_grid(chunks, threads, how, [&](tessera::host::block const& block) {
      detail::merge_chunk<threads>(block, left, chunk, pass, block.group_index().x);
    });
  }
  if (passes % 2 != 0) memory.result.list ^= 1;
}

inline bool is_zero(detail::bucket_state const& state) {
  detail::bucket_state const zero{};
  return std::memcmp(state.counts, zero.counts, sizeof(zero.counts)) == 0 &&
         std::memcmp(state.samples, zero.samples, sizeof(zero.samples)) == 0 && state.tickets == 0 &&
         state.filtered == 0 && state.left == 0;
}

/// What the kernel of buckets gives of ranks 0 … target.
template <class Entry, class Shape, class T, class Key>
void select_in_buckets(detail::top_k_task<T, Key> const& task, std::int64_t target, unsigned seed,
                       setup const& with, selected<T>& out) {
  detail::even_share const share{with.blocks + 2, with.blocks + 2, Shape::threads, 0,
                                 task.n,          task.n,          seed % 2 == 0};
  auto plan = detail::plan_buckets<Shape>(task.n, target, share, with.blocks, with.shared_samples_from);
  with.change_buckets(plan);
  auto const digits = detail::plan_digits<Shape, Entry>(task.n, target, share, with.blocks);
  host_memory<Shape, Entry> memory;
  memory.lists[0].resize(static_cast<std::size_t>(std::max(plan.buckets * plan.capacity, digits.capacity)));
  memory.lists[1].resize(static_cast<std::size_t>(digits.most_kept));
  auto const parts = memory.parts();
  detail::bucket_state state{};
  auto const storage = std::make_unique<detail::bucket_storage<Shape, Entry>>();  // blocks take turns
  auto const digit_storage = std::make_unique<detail::top_k_storage<Shape, Entry>>();
  tessera::host::options how;
  how.seed = seed;
  auto const run = [&](unsigned blocks, unsigned most_tickets) {
    tessera::host::launch_grid(blocks, Shape::threads, how, [&](tessera::host::block const& block) {
      if (detail::run_bucket_agent<Shape>(block, plan, task, &state, memory.lists[0].data(), *storage,
                                          most_tickets))
        return;
      if (block.thread_rank() == 0) out.counted_array = true;
      detail::run_top_k_agent<Shape>(block, digits, task, parts, *digit_storage);
    });
  };
  // Several blocks do a few items each, before as many begin as in a launch.
  unsigned const items = plan.sample_sets + share.blocks;
  for (unsigned turn = 0; turn < seed % 40 && state.tickets + 3 < items; ++turn)
    run(1, 1 + (seed + turn) % 3);
  run(plan.blocks, ~0u);
  EXPECT_TRUE(memory.is_zero());
  EXPECT_TRUE(is_zero(state));
}

/// What the kernels give of ranks 0 … target, or of `target` alone.
template <class Entry, class Shape = small_shape, class T, class Key = as_it_is>
selected<T> select(T const* in, std::int64_t n, std::int64_t target, bool single, bool falling, unsigned seed,
                   setup const& with = {}, Key key = {}) {
  using keys = detail::rank_keys_of<T, Key>;
  std::size_t const results = single ? 1 : static_cast<std::size_t>(target) + 1;
  selected<T> out{std::vector<T>(results, in[0]), std::vector<std::int64_t>(results, -1)};
  detail::top_k_task<T, Key> const task{
      in, n, out.values.data(), out.indices.data(), key, keys::flip_of(falling)};
  if constexpr (sizeof(Entry) <= 8) {
    if (!single && detail::has_buckets<Shape, Entry>(n, target)) {
      select_in_buckets<Entry, Shape>(task, target, seed, with, out);
      return out;
    }
  }
  detail::even_share const share{with.blocks + 2, with.blocks + 2, Shape::threads, 0, n, n, seed % 2 == 0};
  auto plan =
      detail::plan_selection<Shape, Entry>(n, target, single, share, with.blocks, with.fine_sample_from);
  with.change(plan);
  host_memory<Shape, Entry> memory;
  memory.lists[0].resize(static_cast<std::size_t>(plan.capacity));
  memory.lists[1].resize(static_cast<std::size_t>(plan.most_kept));
  auto const parts = memory.parts();
  auto const storage = std::make_unique<detail::top_k_storage<Shape, Entry>>();  // blocks take turns
  tessera::host::options how;
  how.seed = seed;
  auto const run = [&](unsigned blocks, unsigned most_items) {
    tessera::host::launch_grid(blocks, Shape::threads, how, [&](tessera::host::block const& block) {
      detail::run_top_k_agent<Shape>(block, plan, task, parts, *storage, most_items);
    });
  };
  while (with.watch && memory.state.queue.end != detail::phase_queue::no_more) {
    run(1, 1);
    out.counted_array = out.counted_array || memory.state.phase.work == detail::select_work::count_array;
  }
  // Several blocks do a few items each; then as many begin as in a launch, the first of which does the rest.
  for (unsigned turn = 0; !with.watch && turn < seed % 40 && memory.state.queue.left + 1 < plan.blocks;
       ++turn)
    run(1, 1 + (seed + turn) % 3);
  run(plan.blocks - memory.state.queue.left, ~0u);
  EXPECT_TRUE(memory.is_zero());
  if (!plan.ranked) {
    EXPECT_GE(memory.result.listed, results);
    EXPECT_LE(memory.result.listed, plan.most_kept);
    sort_left(memory, plan.most_kept, seed);
    for (std::size_t i = 0; i < results; ++i) {
      out.indices[i] = static_cast<std::int64_t>(memory.lists[memory.result.list][i].index());
      out.values[i] = in[out.indices[i]];
    }
  }
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
selected<T> expect_top(std::vector<T> const& x, std::int64_t k, bool falling, unsigned seed,
                       setup const& with = {}) {
  auto const n = static_cast<std::int64_t>(x.size());
  auto const got = select<Entry, Shape>(x.data(), n, k - 1, false, falling, seed, with);
  expect_first(x, got, falling, seed);
  return got;
}
template <class Entry, class Shape = small_shape, class T>
void expect_rank(std::vector<T> const& x, std::int64_t rank, bool falling, unsigned seed,
                 setup const& with = {}) {
  auto const n = static_cast<std::int64_t>(x.size());
  auto const expected = sorted_indices(x, falling)[static_cast<std::size_t>(rank)];
  auto const got = select<Entry, Shape>(x.data(), n, rank, true, falling, seed, with);
  ASSERT_EQ(got.indices[0], expected) << "rank " << rank << " of " << n << ", seed " << seed;
  ASSERT_EQ(std::memcmp(&got.values[0], &x[static_cast<std::size_t>(expected)], sizeof(T)), 0);
}

}  // namespace test
