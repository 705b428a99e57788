// The pointers, numbers of elements and matrices that views (grid/views.hpp) stand for.
#pragma once

#include <tessera/core/iterators.hpp>
#include <tessera/grid/matrix.hpp>

#include <cstdint>
#include <tuple>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class P>
inline constexpr bool is_address = tessera::detail::has_address<P>&& tessera::detail::is_reader<P>;

/// True of types with data() and size(): spans, and containers of GPU memory.
template <class View, class = void>
inline constexpr bool is_span = false;
template <class View>
inline constexpr bool
    is_span<View, stl::void_t<decltype(stl::declval<View&>().data()), decltype(stl::declval<View&>().size())>> =
        is_address<decltype(stl::declval<View&>().data())>;

/// True of a view of one array: it stands for a pointer, and for the number after that.
template <class View>
inline constexpr bool is_array_view = is_span<View> || is_mdspan<View, 1>;
/// True of a view of an array or a matrix.
template <class View>
inline constexpr bool is_view = is_array_view<View> || is_mdspan<View, 2>;

/// The pointer or matrix that a view stands for.
template <class View>
auto array_of(View& view) noexcept {
  if constexpr (is_span<View>) {
    return tessera::detail::address_of(view.data());
  } else if constexpr (is_mdspan<View, 1>) {
    return tessera::detail::address_of(view.data_handle());
  } else {
    return matrix(view);
  }
}

/// The number of elements of a view; −1, which every call refuses, if they don't lie side by side.
template <class View>
std::int64_t size_of(View& view) noexcept {
  if constexpr (is_span<View>) {
    return static_cast<std::int64_t>(view.size());
  } else {
    auto const n = static_cast<std::int64_t>(view.extent(0));
    return n < 2 || view.stride(0) == 1 ? n : -1;
  }
}

/// The kinds of a call's arguments by pointers, in order: 'a' is an array or a matrix, 'n' the number of elements of
/// the array before it, 's' the number of segments between the offsets before it, and '-' anything else. Arguments
/// after the last kind are '-'.
template <char... Kinds>
struct call_shape {
  static constexpr char at(unsigned argument) {
    constexpr char all[] = {Kinds...};
    return argument < sizeof...(Kinds) ? all[argument] : '-';
  }
};

/// True if one of these arguments is a view where the call has an array.
template <class Shape, unsigned At>
constexpr bool has_view() {
  return false;
}
template <class Shape, unsigned At, class First, class... More>
constexpr bool has_view() {
  return (Shape::at(At) == 'a' && is_view<First>) || detail::has_view<Shape, At + 1, More...>();
}

/// The arguments of the call by pointers from argument At on: a pointer in place of each view, and after it the view's
/// number of elements if that comes next.
template <class Shape, unsigned At>
std::tuple<> without_views() noexcept {
  return {};
}
template <class Shape, unsigned At, class First, class... More>
auto without_views(First& first, More&... more) noexcept {
  constexpr unsigned next = At + 1;
  if constexpr (Shape::at(At) != 'a' || !is_view<First>) {
    return std::tuple_cat(std::tuple<First&>(first), detail::without_views<Shape, next>(more...));
  } else if constexpr (is_array_view<First> && (Shape::at(next) == 'n' || Shape::at(next) == 's')) {
    std::int64_t const n = detail::size_of(first) - (Shape::at(next) == 's' ? 1 : 0);
    return std::tuple_cat(std::make_tuple(detail::array_of(first), n), detail::without_views<Shape, next + 1>(more...));
  } else {
    return std::tuple_cat(std::make_tuple(detail::array_of(first)), detail::without_views<Shape, next>(more...));
  }
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
