// The number of elements of a call, on the host or on the device: how launchers check it, and how kernels read it.
#pragma once

#include <tessera/grid/count_on_device.hpp>
#include <tessera/grid/parts/arguments.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The most elements that a call may have.
inline std::int64_t most_of(std::int64_t n) noexcept {
  return n;
}
inline std::int64_t most_of(device_count const& n) noexcept {
  return n.at_most;
}

/// True if n is valid: on the device, it is none of the `length` elements that the call writes at `out`.
template <class Out>
bool is_count(std::int64_t, Out const&, std::int64_t) noexcept {
  return true;
}
template <class Out>
bool is_count(device_count const& n, Out const& out, std::int64_t length) noexcept {
  return n.count != nullptr && detail::is_array(n.count, 1) && !detail::overlap(n.count, 1, out, length);
}

/// True if n is valid for a call that counts its results, of which only the first is surely one.
template <class N, class Out>
bool is_count_beside(N const& n, Out const& out, std::int64_t const* count) noexcept {
  return detail::is_count(n, out, detail::sure_results(detail::most_of(n))) && detail::is_count(n, count, 1);
}

template <class N>
inline constexpr bool is_on_device = stl::is_same_v<N, device_count>;

/// Converts integers to std::int64_t. A device_count stays as it is.
template <class N>
auto count_as_given(N const& n) noexcept {
  constexpr bool is_number = stl::is_convertible_v<N, std::int64_t> && !stl::is_pointer_v<N>;
  static_assert(is_on_device<N> || is_number,
                "A number of elements is an integer, or count_on_device(count, at_most); it follows its array.");
  if constexpr (is_on_device<N>) {
    return n;
  } else if constexpr (is_number) {
    return static_cast<std::int64_t>(n);
  } else {
    return std::int64_t{0};
  }
}

/// The number of elements, as a kernel reads it.
TESSERA_FN std::int64_t count_now(std::int64_t n) {
  return n;
}
TESSERA_FN std::int64_t count_now(device_count const& n) {
  std::int64_t const count = *n.count;
  return count < 0 ? 0 : count < n.at_most ? count : n.at_most;
}

/// A kernel's task for at_most elements, and where their number is.
template <class Task>
struct counted_task {
  Task task;
  device_count n;
};

/// The argument of a kernel: the task, or a counted_task if n is on the device.
template <class Task>
TESSERA_FN Task const& with_count(Task const& task, std::int64_t) noexcept {
  return task;
}
template <class Task>
TESSERA_FN counted_task<Task> with_count(Task const& task, device_count const& n) noexcept {
  return {task, n};
}

template <class Task, class N>
using given_task = stl::conditional_t<is_on_device<N>, counted_task<Task>, Task>;

/// The task of a kernel, with the number of elements that it has read.
template <class Task>
TESSERA_FN Task const& task_now(Task const& task) {
  return task;
}
template <class Task>
TESSERA_FN Task task_now(counted_task<Task> const& counted) {
  Task task = counted.task;
  task.n = detail::count_now(counted.n);
  return task;
}

/// A kernel's task on two arrays, and their numbers, of which one at least is on the device.
template <class Task, class First, class Second>
struct counted_pair_task {
  Task task;
  First first;
  Second second;
};
template <class Task, class First, class Second>
TESSERA_FN Task task_now(counted_pair_task<Task, First, Second> const& counted) {
  Task task = counted.task;
  task.set_numbers(detail::count_now(counted.first), detail::count_now(counted.second));
  return task;
}
/// The argument of a kernel: the task, or a counted_pair_task.
template <class Task, class First, class Second>
TESSERA_FN auto with_counts(Task const& task, First const& first, Second const& second) noexcept {
  if constexpr (is_on_device<First> || is_on_device<Second>) {
    return counted_pair_task<Task, First, Second>{task, first, second};
  } else {
    return task;
  }
}
/// Enables a call if one of two numbers is on the device.
template <class First, class Second>
using if_any_on_device =
    stl::enable_if_t<(is_on_device<First> || is_on_device<Second>)&&(
                         is_on_device<First> ||
                         stl::is_convertible_v<First, std::int64_t>)&&(is_on_device<Second> ||
                                                                       stl::is_convertible_v<Second, std::int64_t>),
                     bool>;

template <class Task>
inline constexpr bool is_counted = false;
template <class Task>
inline constexpr bool is_counted<counted_task<Task>> = true;
template <class Task, class First, class Second>
inline constexpr bool is_counted<counted_pair_task<Task, First, Second>> = true;

template <class Given>
struct task_given {
  using type = Given;
};
template <class Task>
struct task_given<counted_task<Task>> {
  using type = Task;
};
template <class Task, class First, class Second>
struct task_given<counted_pair_task<Task, First, Second>> {
  using type = Task;
};
/// The type of the task, without a number on the device.
template <class Given>
using task_of = typename task_given<Given>::type;

}  // namespace grid::detail
TESSERA_NAMESPACE_END
