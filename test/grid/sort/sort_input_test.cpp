// What a sort copies to where it is sorted, on the CPU: a stable sort of at_most elements begins with the sorted n.
#include <gtest/gtest.h>

#include <tessera/grid/sort/radix_key.hpp>
#include <tessera/grid/sort/sort_input_agent.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "samples.hpp"

namespace {

using namespace test;
namespace detail = tessera::grid::detail;

template <class Task>
void copy(Task const& task, std::int64_t at_most) {
  for (std::int64_t block = 0; block * detail::sort_input_tuning::of_block < at_most; ++block) {
    for (unsigned rank = 0; rank < detail::sort_input_tuning::threads; ++rank)
      detail::run_sort_input_agent(rank, block, task, at_most);
  }
}

template <class T>
std::vector<T> drawn(std::size_t n) {
  random_engine random(n);
  std::vector<T> x(n);
  for (T& value : x) {
    value = sample_special<T>(random);
    if (random() % 4 == 0) value = std::numeric_limits<T>::max();
    if (random() % 4 == 0) value = std::numeric_limits<T>::lowest();
  }
  return x;
}

std::vector<std::int64_t> stably_sorted(std::size_t n, std::function<bool(std::size_t, std::size_t)> const& before) {
  std::vector<std::int64_t> places(n);
  std::iota(places.begin(), places.end(), std::int64_t{0});
  std::stable_sort(places.begin(), places.end(), [&](std::int64_t i, std::int64_t j) {
    return before(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
  });
  return places;
}

constexpr std::int64_t counts[] = {0, 1, 255, 4096, 4097, 5000, 6000, -1};

/// Keys by digits, with the indices as values.
template <class T, bool Falling, detail::key_form Form>
void check_digits(std::int64_t at_most) {
  using bits = typename detail::unsigned_of<sizeof(T)>::type;
  using key = bits;
  using values = detail::index_reader<std::uint32_t>;
  using task_t = detail::sort_input_task<key, T const*, std::uint32_t, values, tessera::grid::device_count>;
  using comparator = std::conditional_t<Falling, tessera::greater, tessera::less>;
  detail::digit_coding<bits, Form> const coding(detail::key_coding<bits>::template of<T, Falling>());
  auto const x = drawn<T>(static_cast<std::size_t>(at_most));
  for (std::int64_t count : counts) {
    auto const n = static_cast<std::size_t>(std::clamp(count, std::int64_t{0}, at_most));
    std::vector<key> keys(x.size() + 1, key{7});
    std::vector<std::uint32_t> numbers(x.size(), 7u);
    copy(task_t{x.data(), keys.data(), {0}, numbers.data(), {&count, at_most}, key{coding.greatest()}, true, true},
         at_most);
    EXPECT_EQ(keys.back(), bits{7});
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(numbers[i], i);
    for (std::size_t i = n; i < numbers.size(); ++i) ASSERT_EQ(numbers[i], 7u);
    auto const digits = [&](std::size_t i) { return coding.digits_of(coding.key_of(keys[i])); };
    auto const places = stably_sorted(x.size(), [&](std::size_t i, std::size_t j) { return digits(i) < digits(j); });
    auto const expected = stably_sorted(n, [&](std::size_t i, std::size_t j) { return comparator{}(x[i], x[j]); });
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_EQ(places[i], expected[i]) << i << " of " << count << ", at most " << at_most;
  }
}

TEST(GridSortInput, Digits) {
  using detail::key_form;
  for (std::int64_t at_most : {1, 300, 5000}) {
    check_digits<float, false, key_form::in_order>(at_most);
    check_digits<float, true, key_form::in_order>(at_most);
    check_digits<double, false, key_form::in_order>(at_most);
    check_digits<std::int32_t, false, key_form::flipped>(at_most);
    check_digits<std::int32_t, true, key_form::flipped>(at_most);
    check_digits<std::uint64_t, true, key_form::flipped>(at_most);
  }
}

/// A type without default constructor, in an order that has no greatest element.
struct point {
  point(int a, int b) : x(a), y(b) {}
  int x, y;
};
struct less_x {
  bool operator()(point const& a, point const& b) const { return a.x < b.x; }
};

TEST(GridSortInput, Comparisons) {
  constexpr std::int64_t at_most = 5000;
  using key = detail::optional_key<point>;
  using task_t =
      detail::sort_input_task<key, point const*, detail::opaque_t<int>, int const*, tessera::grid::device_count>;
  random_engine random(1);
  std::vector<point> x;
  for (int i = 0; i < at_most; ++i) x.emplace_back(static_cast<int>(random() % 50), i);
  std::vector<int> values(x.size());
  std::iota(values.begin(), values.end(), 3);
  for (std::int64_t count : counts) {
    auto const n = static_cast<std::size_t>(std::clamp(count, std::int64_t{0}, at_most));
    std::vector<key> keys(x.size());
    std::vector<detail::opaque_t<int>> values_out(x.size(), detail::opaque_t<int>{});
    tessera::grid::device_count const some{&count, at_most};
    copy(task_t{x.data(), keys.data(), values.data(), values_out.data(), some, key{}, true, true}, at_most);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(reinterpret_cast<int const&>(values_out[i]), values[i]);
    std::stable_sort(keys.begin(), keys.end(), detail::optional_before<point, less_x>{});
    std::vector<detail::opaque_t<point>> out(x.size() + 1, detail::opaque_t<point>{});
    for (std::int64_t block = 0; block * detail::sort_input_tuning::of_block < at_most; ++block) {
      for (unsigned rank = 0; rank < detail::sort_input_tuning::threads; ++rank)
        detail::run_sort_output_agent(rank, block, keys.data(), out.data(), some);
    }
    std::vector<point> expected(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n));
    std::stable_sort(expected.begin(), expected.end(), less_x{});
    for (std::size_t i = 0; i < n; ++i) {
      auto const& sorted = reinterpret_cast<point const&>(out[i]);
      ASSERT_EQ(sorted.x, expected[i].x) << i << " of " << count;
      ASSERT_EQ(sorted.y, expected[i].y) << i << " of " << count;
    }
    EXPECT_EQ(reinterpret_cast<point const&>(out[n]).y, 0);
  }
}

/// In place, only what follows the keys is written.
TEST(GridSortInput, InPlace) {
  using key = std::uint32_t;
  using task_t = detail::sort_input_task<key, std::uint32_t const*, unsigned, detail::keys_alone, std::int64_t>;
  std::vector<key> keys(9, key{5});
  copy(task_t{nullptr, keys.data(), {}, nullptr, 3, key{9}, false, false}, 8);
  for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(keys[i], i >= 3 && i < 8 ? 9u : 5u) << i;
}

}  // namespace
