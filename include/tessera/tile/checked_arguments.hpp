// Checks of a call's ranges on host tiles: they report ranges that are null, misaligned or overlap. The GPU checks
// nothing.
#pragma once

#include <tessera/core/iterators.hpp>
#include <tessera/tile/collective.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

template <class Group>
TESSERA_FN constexpr bool is_of_host() {
  if constexpr (is_multi_warp<Group>) {
    return !is_warp<decltype(stl::declval<Group const&>().in_warp())>;
  } else {
    return !is_warp<Group>;
  }
}
/// True if the lanes of this group report wrong arguments.
template <class Group>
inline constexpr bool checks_arguments = is_of_host<Group>();

/// The group of a host tile that a check reduces with. It uses the library's memory, since the caller's scratch may be
/// too small for the check's values or allow only one exchange.
template <class Group>
TESSERA_FN auto group_of_checks(Group group) {
  if constexpr (is_multi_warp<Group>) {
    auto const backend = group.backend().with_library_memory();
    return multi_warp_group<stl::remove_const_t<decltype(backend)>>(backend);
  } else {
    return group;
  }
}

/// Reports the calling lane's `fault` unless it `holds`.
template <class Group>
TESSERA_FN void require_argument([[maybe_unused]] Group group, [[maybe_unused]] bool holds,
                                 [[maybe_unused]] const char* fault) {
  if constexpr (checks_arguments<Group> && is_multi_warp<Group>) {
    group.in_warp().require_argument(holds, fault);
  } else if constexpr (checks_arguments<Group>) {
    group.require_argument(holds, fault);
  }
}

/// Reports a range of n elements that can't be in memory: it is null or misaligned.
template <class Group, class T, class Count>
TESSERA_FN void require_elements([[maybe_unused]] Group group, [[maybe_unused]] T const* first,
                                 [[maybe_unused]] Count n) {
  if constexpr (checks_arguments<Group>) {
    detail::require_argument(group, n == 0 || first != nullptr, "a null pointer where there are elements");
    bool const aligned = reinterpret_cast<stl::uintptr_t>(first) % alignof(T) == 0;
    detail::require_argument(group, n == 0 || aligned, "a range that isn't aligned to its elements");
  }
}

template <class Group, class It, class Count, stl::enable_if_t<reads_elements<It>, bool> = true>
TESSERA_FN void require_elements(Group, It const&, Count) {}

/// Reports two ranges that overlap.
template <class Group, class A, class B, class Count,
          stl::enable_if_t<reads_elements<A> || reads_elements<B>, bool> = true>
TESSERA_FN void require_apart(Group, A const&, Count, B const&, Count, const char*) {}
template <class Group, class T, class Count>
TESSERA_FN void require_apart([[maybe_unused]] Group group, [[maybe_unused]] T const* a, [[maybe_unused]] Count of_a,
                              [[maybe_unused]] T const* b, [[maybe_unused]] Count of_b,
                              [[maybe_unused]] const char* fault) {
  if constexpr (checks_arguments<Group>) {
    auto const address = [](T const* p) { return reinterpret_cast<stl::uintptr_t>(p); };
    bool const overlap = address(a) < address(b + of_b) && address(b) < address(a + of_a);
    detail::require_argument(group, of_a == 0 || of_b == 0 || !overlap, fault);
  }
}

}  // namespace detail
TESSERA_NAMESPACE_END
