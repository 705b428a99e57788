// What a call by pointers gets of the views that stand in its arguments. The build also compiles this file as C++20, with std::span.
#include <gtest/gtest.h>

#include <tessera/grid/parts/views.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <tuple>
#include <type_traits>
#include <vector>

#if __cplusplus >= 202002L
#include <span>
#endif

#include "views.hpp"

namespace {

namespace detail = tessera::grid::detail;
using tessera::grid::matrix;

template <char... Kinds, class... Arguments>
auto by_pointers(detail::call_shape<Kinds...>, Arguments&&... arguments) {
  return detail::without_views<detail::call_shape<Kinds...>, 0>(arguments...);
}
template <char... Kinds, class... Arguments>
constexpr bool has_view(detail::call_shape<Kinds...>, Arguments const&...) {
  return detail::has_view<detail::call_shape<Kinds...>, 0, Arguments const...>();
}

struct plus {};
/// A start that has data() and size(), too.
using start = std::array<float, 3>;

constexpr detail::call_shape<'a', 'n', 'a'> one_array{};
constexpr detail::call_shape<'a', 'a', 'n', 'a'> two_arrays{};
constexpr detail::call_shape<'a', 'n', 'a', 'n', 'a'> two_numbers{};
constexpr detail::call_shape<'a', 'n', '-', 'a', 'a'> with_another{};
constexpr detail::call_shape<'a', 'n', 'a', 's', 'a'> segments{};
constexpr detail::call_shape<'a', 'a', 's', 'a'> of_segments{};
constexpr detail::call_shape<'a', 'a', 'a'> matrices{};

float x[12] = {}, y[12] = {};
int offsets[4] = {};
test::span<float const> const in{x, 10};
test::span<float> const out{y, 12};
test::span<int const> const ends{offsets, 4};
std::int64_t const n = 10;
float const* const x_const = x;
int const* const offsets_const = offsets;

TEST(GridViews, StandForPointersAndNumbers) {
  EXPECT_EQ(by_pointers(one_array, in, out), std::make_tuple(x_const, n, y));
  EXPECT_EQ(by_pointers(one_array, in, y), std::make_tuple(x_const, n, y));
  EXPECT_EQ(by_pointers(one_array, x, 7, out), std::make_tuple(x, 7, y));
  // The number is that of the array before it.
  EXPECT_EQ(by_pointers(two_arrays, out, in, y), std::make_tuple(y, x_const, n, y));
  EXPECT_EQ(by_pointers(two_arrays, offsets, in, y), std::make_tuple(offsets, x_const, n, y));
  EXPECT_EQ(by_pointers(two_numbers, in, out, x), std::make_tuple(x_const, n, y, std::int64_t{12}, x));
  EXPECT_EQ(by_pointers(two_numbers, in, y, 5, x), std::make_tuple(x_const, n, y, 5, x));
  EXPECT_EQ(by_pointers(two_numbers, x, 7, in, y), std::make_tuple(x, 7, x_const, n, y));
  EXPECT_EQ(by_pointers(with_another, in, 3, out, nullptr), std::make_tuple(x_const, n, 3, y, nullptr));
}

TEST(GridViews, OfOffsetsHaveOneMore) {
  std::int64_t const three = 3;
  EXPECT_EQ(by_pointers(segments, in, ends, out), std::make_tuple(x_const, n, offsets_const, three, y));
  EXPECT_EQ(by_pointers(segments, in, offsets, 2, out), std::make_tuple(x_const, n, offsets, 2, y));
  EXPECT_EQ(by_pointers(of_segments, in, ends, out), std::make_tuple(x_const, offsets_const, three, y));
}

TEST(GridViews, OnlyWhereTheCallHasArrays) {
  start zeros{};
  static_assert(has_view(one_array, test::span<float>{nullptr, 0}, 0, plus{}));
  EXPECT_FALSE(has_view(one_array, x, n, y, plus{}, zeros));
  EXPECT_TRUE(has_view(one_array, x, n, out, plus{}, zeros));
  auto const arguments = by_pointers(one_array, in, y, plus{}, zeros);
  static_assert(std::is_same_v<std::tuple_element_t<4, std::remove_const_t<decltype(arguments)>>, start&>);
  EXPECT_EQ(std::addressof(std::get<4>(arguments)), std::addressof(zeros));
  // The memory of a workspace has no elements.
  struct bytes {
    void* data() const { return nullptr; }
    std::size_t size() const { return 0; }
  };
  static_assert(!detail::is_view<bytes>);
  static_assert(!detail::is_view<float*> && !detail::is_view<matrix<float>>);
}

TEST(GridViews, ArePassedAsTheyAre) {
  auto const counted = std::make_unique<int>(3);  // what can't be copied
  auto const arguments = by_pointers(one_array, in, out, counted);
  EXPECT_EQ(std::addressof(std::get<3>(arguments)), std::addressof(counted));
}

TEST(GridViews, Mdspans) {
  EXPECT_EQ(by_pointers(one_array, test::mdspan<float, 1>{x, {10}, {1}}, y), std::make_tuple(x, n, y));
  // Of a column of several elements nothing can be read.
  EXPECT_EQ(by_pointers(one_array, test::mdspan<float, 1>{x, {2}, {6}}, y), std::make_tuple(x, std::int64_t{-1}, y));
  EXPECT_EQ(by_pointers(one_array, test::mdspan<float, 1>{x, {1}, {6}}, y), std::make_tuple(x, std::int64_t{1}, y));
}

void expect_matrix(matrix<float const> const& m, std::int64_t rows, std::int64_t columns, std::int64_t stride) {
  EXPECT_EQ(m.data, x);
  EXPECT_EQ(m.row_count, rows);
  EXPECT_EQ(m.column_count, columns);
  EXPECT_EQ(m.stride, stride);
}

TEST(GridViews, Matrices) {
  using table = test::mdspan<float, 2>;
  expect_matrix(table{x, {3, 4}, {4, 1}}, 3, 4, 4);
  expect_matrix(table{x, {3, 2}, {4, 1}}, 3, 2, 4);
  expect_matrix(table{x, {1, 12}, {0, 1}}, 1, 12, 12);
  expect_matrix(table{x, {3, 1}, {4, 7}}, 3, 1, 4);
  expect_matrix(table{x, {3, 4}, {1, 3}}, -1, 4, 1);  // columns
  auto const m = matrix(table{x, {3, 4}, {4, 1}});
  static_assert(std::is_same_v<decltype(m), matrix<float> const>);
  static_assert(std::is_convertible_v<test::mdspan<float const, 2>, matrix<float const>>);
  static_assert(!std::is_convertible_v<test::mdspan<float const, 2>, matrix<float>>);
  static_assert(!std::is_convertible_v<test::mdspan<float, 1>, matrix<float>>);
  auto const [from, to, lengths] = by_pointers(matrices, table{x, {3, 4}, {4, 1}}, m, ends);
  expect_matrix(from, 3, 4, 4);
  expect_matrix(to, 3, 4, 4);
  EXPECT_EQ(lengths, offsets);
}

#if __cplusplus >= 202002L
TEST(GridViews, Spans) {
  std::vector<float> memory(7);
  EXPECT_EQ(by_pointers(one_array, std::span<float const>(memory), y), std::make_tuple(&memory.front() + 0, 7, y));
  EXPECT_EQ(by_pointers(one_array, std::span<float, 3>(memory.data(), 3), y), std::make_tuple(memory.data(), 3, y));
  EXPECT_EQ(by_pointers(one_array, memory, std::span(y)), std::make_tuple(memory.data(), 7, y));
}
#endif

}  // namespace
