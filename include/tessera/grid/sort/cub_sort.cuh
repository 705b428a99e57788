// CUB's device sorts, as grid/sort.cuh calls them: with keys in this library's order, and without a trace in CUDA's
// last error.
//
// CUB's own radix sort of floats puts NaNs with a sign before −infinity. radix_key is a key type with digits of its
// own, which CUB's kernels take in registers where they take theirs: no pass over memory is added. CUB's decomposers
// can't say that: they name members that are numbers of CUB's own. So what CUB asks about a key type is specialized
// here: the traits, and both of its extractors of digits, which have had the same form from CUB 2.2 (CUDA 12.3) to
// 3.5 (CUDA 13.5).
#pragma once

#include <tessera/grid/parts/cuda_status.hpp>
#include <tessera/grid/parts/default_stream.hpp>
#include <tessera/grid/parts/opaque_bytes.hpp>
#include <tessera/grid/sort/radix_key.hpp>

#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>

#include <cstdint>
#include <exception>
#include <thread>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// A digit of keys: `width` bits from bit `start` on. The bits are those of integers with a sign, if order::has_sign.
/// So the highest of them is inverted, here where it takes no instruction: those before are bitwise, too, and three
/// operands are one.
template <class T, bool Falling, key_form Form>
struct digit_of_keys {
  using order = digit_order<T, Falling, Form>;
  using UnsignedBits = typename order::bits;

  TESSERA_FN explicit digit_of_keys(std::uint32_t start = 0, std::uint32_t width = 0)
      : start_(start),
        mask_((std::uint32_t{1} << width) - 1),
        sign_(order::has_sign && start + width == 8 * sizeof(UnsignedBits) ? std::uint32_t{1} << (width - 1)
                                                                           : 0) {}

  TESSERA_FN std::uint32_t Digit(UnsignedBits key) const {
    return (static_cast<std::uint32_t>(order::digits_of(key) >> start_) & mask_) ^ sign_;
  }

 private:
  std::uint32_t start_, mask_, sign_;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END

/// What CUB's radix sorts ask about a key type. With MAX_KEY CUB fills up its last tile: all its digits are the
/// greatest.
template <class T, bool Falling, tessera::grid::detail::key_form Form>
struct cub::NumericTraits<tessera::grid::detail::radix_key<T, Falling, Form>> {
  using order = tessera::grid::detail::digit_order<T, Falling, Form>;
  using UnsignedBits = typename order::bits;
  static constexpr cub::Category CATEGORY = cub::UNSIGNED_INTEGER;
  static constexpr bool PRIMITIVE = true, NULL_TYPE = false, is_primitive = true;
  static constexpr UnsignedBits LOWEST_KEY = order::least;
  static constexpr UnsignedBits MAX_KEY = order::greatest;

  TESSERA_FN static UnsignedBits TwiddleIn(UnsignedBits raw) { return order::key_of(raw); }
  TESSERA_FN static UnsignedBits TwiddleOut(UnsignedBits key) { return order::bits_of(key); }
};

template <class T, bool Falling, tessera::grid::detail::key_form Form>
struct cub::ShiftDigitExtractor<tessera::grid::detail::radix_key<T, Falling, Form>>
    : tessera::grid::detail::digit_of_keys<T, Falling, Form> {
  using tessera::grid::detail::digit_of_keys<T, Falling, Form>::digit_of_keys;
};
template <class T, bool Falling, tessera::grid::detail::key_form Form>
struct cub::BFEDigitExtractor<tessera::grid::detail::radix_key<T, Falling, Form>>
    : tessera::grid::detail::digit_of_keys<T, Falling, Form> {
  using tessera::grid::detail::digit_of_keys<T, Falling, Form>::digit_of_keys;
};

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

inline namespace TESSERA_ARCHS {

/// A call of CUB, whatever its types are: each would have a thread's code of its own.
struct any_cub_call {
  cudaError_t (*function)(void const* call);
  void const* call;

  cudaError_t operator()() const { return function(call); }
};

/// Calls CUB in a thread of its own, on the current device. False if there can be no such thread.
inline bool call_in_own_thread(any_cub_call const& call, cudaError_t& status) noexcept {
  int device = 0;
  status = detail::own_status(cudaGetDevice(&device));
  if (status != cudaSuccess) return true;
  try {
    std::thread([&] {
      status = cudaSetDevice(device);
      if (status == cudaSuccess) status = call();
    }).join();
    return true;
  } catch (std::exception const&) {
    return false;
  }
}

/// Calls CUB, and returns the status of that. CUB takes the last error of its thread for one of its own launches, and
/// clears it. So while the caller has one pending, CUB is called in another thread, which has none. Where that can't
/// be, the pending error is lost.
inline cudaError_t call_any_cub(cudaStream_t stream, any_cub_call const& call) noexcept {
  if (cudaPeekAtLastError() != cudaSuccess) {
    cudaError_t status = cudaSuccess;
    bool const is_of_thread = detail::named(stream) == cudaStreamPerThread;  // which is another one there
    if (!is_of_thread && detail::call_in_own_thread(call, status)) return status;
    (void)cudaGetLastError();
  }
  return detail::own_status(call());
}
template <class Call>
cudaError_t call_cub(cudaStream_t stream, Call const& call) noexcept {
  auto const function = [](void const* x) { return (*static_cast<Call const*>(x))(); };
  return detail::call_any_cub(stream, {function, &call});
}

/// `before` of two values that are there as bytes.
template <class T, class Before>
struct opaque_before {
  Before before;

  TESSERA_FN bool operator()(opaque_t<T> const& a, opaque_t<T> const& b) const {
    return static_cast<bool>(before(reinterpret_cast<T const&>(a), reinterpret_cast<T const&>(b)));
  }
};

}  // namespace TESSERA_ARCHS

}  // namespace grid::detail
TESSERA_NAMESPACE_END
