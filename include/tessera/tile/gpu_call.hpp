// Checks that a function which a collective calls on the GPU is callable there.
//
// If a `__host__ __device__` function, as all of this library's are, calls a host function, nvcc only warns, and leaves
// the call out of the kernel. In system headers, such as a dependency's, it doesn't even warn. In a `__device__`
// function the same call is always an error. So this header contains such a call, which is compiled and never executed.
#pragma once

#include <tessera/core/tile.hpp>
#include <tessera/operators/zip.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

#if TESSERA_CUDA

template <class F, class... X>
struct called_in_a_kernel {
  /// FOrConst is F or F const, whichever the collective calls.
  template <class FOrConst>
  __device__ static void so_mark_it_device(FOrConst* f, X const*... x) {
    (void)(*f)(*x...);
  }
};

// Function objects of the library that call the user's function: the latter is checked.
template <class F, class Identity, bool Commutative, class T>
struct called_in_a_kernel<custom_operator<F, Identity, Commutative>, T, T> {
  template <class... X>
  __device__ static void so_mark_it_device(X...) {
    called_in_a_kernel<normalized_t<F, T>, T, T>::so_mark_it_device(static_cast<normalized_t<F, T> const*>(nullptr),
                                                                    nullptr, nullptr);
  }
};
template <class... Ops, class... T>
struct called_in_a_kernel<zip_operator<Ops...>, zipped<T...>, zipped<T...>> {
  template <class... X>
  __device__ static void so_mark_it_device(X...) {
    (called_in_a_kernel<normalized_t<Ops, T>, T, T>::so_mark_it_device(
         static_cast<normalized_t<Ops, T> const*>(nullptr), nullptr, nullptr),
     ...);
  }
};

#endif

/// Checks that the lanes of Group can call f(x…), if they are GPU lanes.
template <class Group, class F, class... X>
TESSERA_FN auto require_call() {
#if TESSERA_ARCH
  if constexpr (!on_host<Group>) {
    if (false)
      called_in_a_kernel<stl::remove_const_t<F>, X...>::so_mark_it_device(static_cast<F*>(nullptr),
                                                                          static_cast<X const*>(nullptr)...);
  }
#endif
}

}  // namespace detail
TESSERA_NAMESPACE_END
