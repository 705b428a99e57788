// The kernels of transform, tabulate and for_each on host tiles: blocks in any order, a few threads each.
#include <gtest/gtest.h>

#include <tessera/grid/transform/transform_agent.hpp>
#include <tessera/host/launch.hpp>

#include <cstdint>
#include <cstring>
#include <tuple>
#include <vector>

#include "iterators.hpp"
#include "samples.hpp"

namespace {

using namespace test;
namespace detail = tessera::grid::detail;
constexpr unsigned threads = 64;

template <class Shape, class Run>
void launch(std::int64_t n, unsigned seed, Run run) {
  tessera::host::options how;
  how.seed = seed;
  tessera::host::launch_grid(static_cast<unsigned>(Shape::tile_count(n, threads)), threads, how,
                             [&](tessera::host::block block) {
                               std::int64_t const which = block.group_index().x;
                               run(block, which);
                             });
}

/// An array that begins at any multiple of its elements' alignment.
template <class T>
struct shifted {
  std::vector<T> all;
  std::size_t offset;
  shifted(std::int64_t n, unsigned seed) : offset(seed % 5) {
    random_engine random(seed);
    for (std::size_t i = 0; i < static_cast<std::size_t>(n) + offset; ++i) all.push_back(sample<T>(random));
  }
  T* data() { return all.data() + offset; }
};

/// The bytes of all arguments in turn, as an Out.
template <class Out>
struct mixes {
  template <class... T>
  Out operator()(T const&... x) const {
    unsigned char bytes[sizeof(Out)] = {};
    unsigned at = 0;
    auto const add = [&](auto const& value) {
      for (std::size_t i = 0; i < sizeof(value); ++i) {
        at = (at + 1) % sizeof(Out);
        bytes[at] = static_cast<unsigned char>(bytes[at] * 3 + reinterpret_cast<unsigned char const*>(&value)[i]);
      }
    };
    (add(x), ...);
    Out out;
    std::memcpy(&out, bytes, sizeof(Out));
    return out;
  }
};

template <class Out, class... T>
void check_transform(std::int64_t n, unsigned seed) {
  using task_t = detail::transform_task<Out*, mixes<Out>, T const*...>;
  unsigned number = seed;
  [[maybe_unused]] auto const next = [&] { return ++number; };
  std::tuple<shifted<T>...> in{shifted<T>(n, next())...};
  shifted<Out> out(n + 2, 99 + seed);
  auto const before = out.all;
  std::apply(
      [&](auto&... x) {
        task_t const task{detail::arrays_of(static_cast<T const*>(x.data())...), n, out.data() + 1, {}};
        launch<typename task_t::shape>(n, seed, [&](tessera::host::block block, std::int64_t tile) {
          detail::run_transform_agent(block, task, threads, tile);
        });
        for (std::int64_t i = -1; i <= n; ++i) {
          auto const at = static_cast<std::size_t>(i + 1) + out.offset;
          Out const expected = i < 0 || i == n ? before[at] : mixes<Out>{}(x.data()[i]..., i);
          ASSERT_TRUE(same_bits(out.all[at], expected)) << i << " of " << n << ", " << sizeof(Out) << " bytes";
        }
      },
      in);
}

TEST(GridTransformOnHost, AllSizes) {
  for (std::int64_t n : {1, 2, 63, 1023, 1024, 1025, 5000})
    for (unsigned seed = 0; seed < 4; ++seed) {
      check_transform<float, float>(n, seed);
      check_transform<double, char>(n, seed);
      check_transform<char, double, char>(n, seed);
      check_transform<float, float, float>(n, seed);
      check_transform<row<6>, short, row<12>, int>(n, seed);
      check_transform<row<64>, row<17>>(n, seed);
      check_transform<int>(n, seed);  // tabulate
      check_transform<row<3>>(n, seed);
    }
}

/// As many elements as the device knows: blocks after them do nothing.
TEST(GridTransformOnHost, CountsOnTheDevice) {
  auto const twice = [](int x) { return 2 * x; };
  for (std::int64_t count : {-3, 0, 1, 1024, 1025, 5000, 9000}) {
    std::vector<int> const x(5000, 3);
    std::vector<int> out(5000, -1);
    using task_t = detail::transform_task<int*, decltype(twice), int const*>;
    task_t const most{detail::arrays_of(x.data()), 5000, out.data(), twice};
    detail::counted_task<task_t> const counted{most, {&count, 5000}};
    launch<task_t::shape>(5000, 1, [&](tessera::host::block block, std::int64_t tile) {
      auto const task = detail::task_now(counted);
      if (detail::has_elements(task, threads, tile)) detail::run_transform_agent(block, task, threads, tile);
    });
    for (std::int64_t i = 0; i < 5000; ++i) ASSERT_EQ(out[static_cast<std::size_t>(i)], i < count ? 6 : -1) << i;
  }
}

TEST(GridTransformOnHost, InPlace) {
  auto const twice = [](int x) { return 2 * x; };
  for (unsigned offset = 0; offset < 5; ++offset) {
    shifted<int> x(3000, offset);
    auto const before = x.all;
    using task_t = detail::transform_task<int*, decltype(twice), int const*>;
    task_t const task{detail::arrays_of(static_cast<int const*>(x.data())), 3000, x.data(), twice};
    launch<task_t::shape>(3000, offset, [&](tessera::host::block block, std::int64_t tile) {
      detail::run_transform_agent(block, task, threads, tile);
    });
    for (std::size_t i = 0; i < before.size(); ++i)
      ASSERT_EQ(x.all[i], i < offset ? before[i] : twice(before[i])) << offset;
  }
}

/// Each element once, none beyond the array; functions of references change elements.
template <class T>
void check_for_each(std::int64_t n, unsigned seed) {
  shifted<T> x(n, seed);
  std::vector<int> calls(static_cast<std::size_t>(n));
  bool as_they_are = true;
  auto const visit = [&](T const& value, std::int64_t index) {
    ++calls.at(static_cast<std::size_t>(index));
    as_they_are = as_they_are && same_bits(value, x.data()[index]);
  };
  using reading = detail::for_each_task<T const*, decltype(visit)>;
  launch<typename reading::shape>(n, seed, [&](tessera::host::block block, std::int64_t tile) {
    detail::run_for_each_agent(block, reading{x.data(), n, visit}, threads, tile);
  });
  EXPECT_EQ(calls, std::vector<int>(static_cast<std::size_t>(n), 1));
  EXPECT_TRUE(as_they_are);
  auto const before = x.all;
  auto const change = [](T& value) { reinterpret_cast<unsigned char&>(value) ^= 0x5a; };
  using changing = detail::for_each_task<T*, decltype(change)>;
  launch<typename changing::shape>(n, seed, [&](tessera::host::block block, std::int64_t tile) {
    detail::run_for_each_agent(block, changing{x.data(), n, change}, threads, tile);
  });
  for (std::size_t i = 0; i < before.size(); ++i) {
    T expected = before[i];
    if (i >= x.offset) change(expected);
    ASSERT_TRUE(same_bits(x.all[i], expected)) << i << " of " << n;
  }
}

/// Iterators that compute what they read, and write by proxies.
TEST(GridTransformOnHost, Iterators) {
  auto const thirds = [](std::int64_t i) { return static_cast<int>(i / 3); };
  auto const sum = [](int a, int b) { return a + b; };
  std::vector<int> b(3000), out(6000, -1);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<int>(i * i);
  using task_t = detail::transform_task<strided<int, 2>, decltype(sum), computed<decltype(thirds)>, int const*>;
  int const* const second = b.data();
  task_t const task{detail::arrays_of(computed<decltype(thirds)>{thirds}, second), 3000, {out.data()}, sum};
  launch<task_t::shape>(3000, 1, [&](tessera::host::block block, std::int64_t tile) {
    detail::run_transform_agent(block, task, threads, tile);
  });
  for (std::size_t i = 0; i < b.size(); ++i) {
    ASSERT_EQ(out[2 * i], thirds(static_cast<std::int64_t>(i)) + b[i]) << i;
    ASSERT_EQ(out[2 * i + 1], -1);
  }
}

TEST(GridForEachOnHost, AllSizes) {
  for (std::int64_t n : {1, 63, 1023, 1025, 5000})
    for (unsigned seed = 0; seed < 4; ++seed) {
      check_for_each<float>(n, seed);
      check_for_each<char>(n, seed);
      check_for_each<row<12>>(n, seed);
      check_for_each<row<64>>(n, seed);
    }
}

TEST(GridForEachOnHost, Indices) {
  for (std::int64_t n : {1, 255, 256, 257, 5000}) {
    std::vector<int> calls(static_cast<std::size_t>(n));
    auto const visit = [&](std::int64_t index) { ++calls.at(static_cast<std::size_t>(index)); };
    tessera::host::launch_grid(
        static_cast<unsigned>((n - 1) / (4 * threads) + 1), threads, {}, [&](tessera::host::block block) {
          std::int64_t const which = block.group_index().x;
          detail::run_index_agent(block, detail::index_task<decltype(visit)>{n, visit}, threads, which);
        });
    EXPECT_EQ(calls, std::vector<int>(static_cast<std::size_t>(n), 1));
  }
}

}  // namespace
