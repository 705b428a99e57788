// That what a collective on the GPU calls can be called there.
//
// A function for host and GPU, as all of this library's are, that calls one for the host alone is worth a warning to nvcc,
// but none in headers of the system, which a dependency's are; and the kernel leaves the call out. In a function for the
// GPU alone it is an error everywhere. So here is such a call, which is compiled and never made.
#pragma once

#include <tessera/operators.hpp>
#include <tessera/tile.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

#if TESSERA_CUDA

template <class F, class... X>
struct called_in_a_kernel {
  /// FOrConst: F, or F const, as it is called.
  template <class FOrConst>
  __device__ static void so_mark_it_device(FOrConst* f, X const*... x) {
    (void)(*f)(*x...);
  }
};

// What calls other functions: those are asked.
template <class F, class Identity, bool Commutative, class T>
struct called_in_a_kernel<custom_operator<F, Identity, Commutative>, T, T> {
  template <class... X>
  __device__ static void so_mark_it_device(X...) {
    called_in_a_kernel<normalized_t<F, T>, T, T>::so_mark_it_device(
        static_cast<normalized_t<F, T> const*>(nullptr), nullptr, nullptr);
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

/// That f(x…) can be called by the lanes of Group, if they are the GPU's.
template <class Group, class F, class... X>
TESSERA_FN void require_call() {
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
