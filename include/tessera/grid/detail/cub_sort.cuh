// CUB's device sorts, as grid/sort.cuh calls them: with keys in this library's order, and without a trace in CUDA's last error.
//
// CUB's own radix sort of floats puts NaNs with a sign before −infinity. radix_key is a key type with digits of its own, which
// CUB's kernels take in registers where they take theirs: no pass over memory is added. CUB changes bits when it loads a key, back
// when it stores it, and once more for each digit. Keys of `KeepsBits`, floats, are never changed, and have digits of three
// instructions: fewer in all, and slower in some of CUB's kernels (sort.cuh).
#pragma once

#include <tessera/detail/canonical_key.hpp>
#include <tessera/grid/detail/cuda_status.hpp>
#include <tessera/grid/detail/opaque_bytes.hpp>
#include <tessera/grid/detail/radix_key.hpp>

#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>

#include <cstdint>
#include <exception>
#include <thread>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// What CUB does with the bits of a key: `load` and `store`, and `digits` of what is loaded.
template <class T, bool Falling, bool KeepsBits>
struct radix_steps {
  using order = radix_order<T, Falling>;
  using bits = typename order::bits;

  TESSERA_FN static constexpr bits load(bits raw) { return KeepsBits ? raw : order::key_of(raw); }
  TESSERA_FN static constexpr bits store(bits key) { return KeepsBits ? key : order::bits_of(key); }
  TESSERA_FN static bits digits(bits key) {
    if constexpr (KeepsBits) {
      static_assert(stl::is_same_v<T, float>);
      return tessera::detail::canonical_key<Falling>::of(tessera::detail::from_bits<float>(key));
    } else {
      return order::key_of_equal(key);
    }
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END

/// What CUB's radix sorts ask about a key type.
template <class T, bool Falling, bool KeepsBits>
struct cub::NumericTraits<tessera::grid::detail::radix_key<T, Falling, KeepsBits>> {
  using steps = tessera::grid::detail::radix_steps<T, Falling, KeepsBits>;
  using UnsignedBits = typename steps::bits;
  static constexpr cub::Category CATEGORY = cub::UNSIGNED_INTEGER;
  static constexpr bool PRIMITIVE = true, NULL_TYPE = false, is_primitive = true;
  static constexpr UnsignedBits LOWEST_KEY = steps::order::bits_of(0);
  static constexpr UnsignedBits MAX_KEY = steps::order::bits_of(static_cast<UnsignedBits>(~UnsignedBits{0}));

  TESSERA_FN static UnsignedBits TwiddleIn(UnsignedBits raw) { return steps::load(raw); }
  TESSERA_FN static UnsignedBits TwiddleOut(UnsignedBits key) { return steps::store(key); }
};

/// From which bits CUB takes digits: for its own floats it makes one of −0 and +0 here, for ours also one of all NaNs. Those of MAX_KEY,
/// with which CUB fills up its last tile, are all the greatest.
template <class T, bool Falling, bool KeepsBits>
struct cub::BaseDigitExtractor<tessera::grid::detail::radix_key<T, Falling, KeepsBits>, false> {
  using TraitsT = cub::Traits<tessera::grid::detail::radix_key<T, Falling, KeepsBits>>;
  using UnsignedBits = typename TraitsT::UnsignedBits;

  TESSERA_FN static UnsignedBits ProcessFloatMinusZero(UnsignedBits key) {
    return tessera::grid::detail::radix_steps<T, Falling, KeepsBits>::digits(key);
  }
};

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

using any_key = radix_key<float, false, true>;
static_assert(stl::is_base_of_v<cub::BaseDigitExtractor<any_key, false>, cub::ShiftDigitExtractor<any_key>> &&
                  stl::is_base_of_v<cub::BaseDigitExtractor<any_key, false>, cub::BFEDigitExtractor<any_key>>,
              "This CUB takes digits from keys in another way than cub_sort.cuh knows of.");

inline namespace TESSERA_ARCHS {

/// Whether `stream` means another stream in another thread.
inline bool is_stream_of_thread(cudaStream_t stream) noexcept {
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
  if (stream == nullptr) return true;
#endif
  return stream == cudaStreamPerThread;
}

/// Calls a function in a thread of its own, on the current device. False if there can be no such thread.
template <class Call>
bool call_in_own_thread(Call const& call, cudaError_t& status) noexcept {
  int device = 0;
  status = own_status(cudaGetDevice(&device));
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

/// Calls CUB, and returns the status of that. CUB takes the last error of its thread for one of its own launches, and clears
/// it. So while the caller has one pending, CUB is called in another thread, which has none. Where that can't be, the pending
/// error is lost.
template <class Call>
cudaError_t call_cub(cudaStream_t stream, Call const& call) noexcept {
  if (cudaPeekAtLastError() != cudaSuccess) {
    cudaError_t status = cudaSuccess;
    if (!is_stream_of_thread(stream) && call_in_own_thread(call, status)) return status;
    (void)cudaGetLastError();
  }
  return own_status(call());
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
