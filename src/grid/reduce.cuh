// The library's definitions for reduce.hpp, of the types in instantiations.py. Operators share kernels: see
// shared_operators.hpp.
#pragma once

#include <tessera/grid/parts/shared_operators.hpp>
#include <tessera/grid/reduce.cuh>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class T, class Op, class R>
cudaError_t reduce_instantiation(T const* in, std::int64_t n, R* out, order how, execution on) noexcept {
  using shared = shared_kernel<T, Op>;
  using element = typename shared::type;
  using result = stl::conditional_t<stl::is_same_v<element, T>, R, element>;
  return reduce_launcher<element>::launch(reinterpret_cast<element const*>(in), n, reinterpret_cast<result*>(out),
                                          shared::of(), how, on);
}

inline namespace TESSERA_ARCHS {

template <class T>
cudaError_t arg_of_array(T const* in, std::int64_t n, indexed<T, std::int64_t>* out, bool greatest,
                         execution on) noexcept {
  using element = typename shared_kernel<T, tessera::argmin>::type;
  return arg_array(reinterpret_cast<element const*>(in), n, reinterpret_cast<indexed<element, std::int64_t>*>(out),
                   flipped_bits<element>::template of<T>(greatest), on);
}

}  // namespace TESSERA_ARCHS

template <class T>
cudaError_t argmin_instantiation(T const* in, std::int64_t n, indexed<T, std::int64_t>* out, execution on) noexcept {
  return detail::arg_of_array(in, n, out, false, on);
}

template <class T>
cudaError_t argmax_instantiation(T const* in, std::int64_t n, indexed<T, std::int64_t>* out, execution on) noexcept {
  return detail::arg_of_array(in, n, out, true, on);
}

template <class T>
cudaError_t arg_into_instantiation(T const* in, std::int64_t n, T* value, std::int64_t* index, bool greatest,
                                   ties which, execution on) noexcept {
  using element = typename shared_kernel<T, tessera::argmin>::type;
  return arg_array_into(reinterpret_cast<element const*>(in), n, reinterpret_cast<element*>(value), index, which,
                        flipped_bits<element>::template of<T>(greatest), on);
}

template <class T>
cudaError_t minmax_instantiation(T const* in, std::int64_t n, min_max<T>* out, execution on) noexcept {
  using shared = shared_kernel<T, tessera::minmax>;
  using element = typename shared::type;
  return transform_array(reinterpret_cast<element const*>(in), n, reinterpret_cast<min_max<element>*>(out),
                         shared::of(), as_both{}, order::this_device, on);
}

template <class T>
cudaError_t moments_instantiation(T const* in, std::int64_t n, tessera::moments<double>* out, order how,
                                  execution on) noexcept {
  using element = typename shared_kernel<T, welford>::type;
  return reduce_array<tessera::moments<double>>(reinterpret_cast<element const*>(in), n, out,
                                                moments_agent{tessera::detail::is_signed_integer<T>}, welford{}, how,
                                                on);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
