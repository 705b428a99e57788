// CUB's device sorts, as grid/sort.cuh calls them: with keys in this library's order.
//
// A decomposer, which CUB takes publicly, names members of a key that are numbers of CUB's own, in CUB's order: it puts
// NaNs with a sign before −infinity, and tells NaNs from each other. Numbers in any other order would be transformed by
// a pass over memory before the sort, and one after it; and −0, which equals 0 and keeps its bits, by none. So what CUB
// asks about a key type is specialized here: traits_t, which has had the same form from CUB 2.3 (CUDA 12.4) to 3.5
// (CUDA 13.5). test/checks/callables/versions.py compiles it with the oldest and the newest. By it radix_key has digits
// of its own, which CUB's kernels take in registers where they take theirs. What numbers the keys are, and whether they
// fall, CUB hands on from the call to its kernels as the decomposer.
#pragma once

#include <tessera/grid/parts/call_cub.hpp>
#include <tessera/grid/parts/opaque_bytes.hpp>
#include <tessera/grid/sort/radix_key.hpp>

#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cuda/std/tuple>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// A digit of keys: `width` bits from bit `start` on. The bits are those of integers with a sign, if the coding
/// has_sign. So the highest of them is inverted, here where it takes no instruction: those before are bitwise, too,
/// and three operands are one.
template <class Bits, key_form Form>
class digit_of_keys {
 public:
  using coding = digit_coding<Bits, Form>;

  TESSERA_FN digit_of_keys(coding const& c, std::uint32_t start, std::uint32_t width)
      : coding_(c),
        start_(start),
        mask_((std::uint32_t{1} << width) - 1),
        sign_(coding::has_sign && start + width == 8 * sizeof(Bits) ? std::uint32_t{1} << (width - 1) : 0) {}

  TESSERA_FN std::uint32_t Digit(Bits key) const {
    return (static_cast<std::uint32_t>(coding_.digits_of(key) >> start_) & mask_) ^ sign_;
  }

 private:
  coding coding_;
  std::uint32_t start_, mask_, sign_;
};

/// The coding of keys, as CUB takes it.
template <class Bits, key_form Form>
struct radix_decomposer {
  digit_coding<Bits, Form> coding;

  /// CUB checks that a decomposer has this, and never calls it.
  TESSERA_FN ::cuda::std::tuple<Bits&> operator()(radix_key<Bits, Form>& key) const { return {key.bits}; }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END

/// The traits of a key type that CUB's radix sorts ask for. They fill up their last tile with max_raw_binary_key: all
/// its digits are the greatest.
template <class Bits, tessera::grid::detail::key_form Form>
struct cub::detail::radix::traits_t<tessera::grid::detail::radix_key<Bits, Form>, false> {
  using decomposer = tessera::grid::detail::radix_decomposer<Bits, Form>;
  using bit_ordered_type = Bits;

  struct bit_ordered_conversion_policy {
    TESSERA_FN static Bits to_bit_ordered(decomposer const& d, Bits raw) { return d.coding.key_of(raw); }
    TESSERA_FN static Bits from_bit_ordered(decomposer const& d, Bits key) { return d.coding.bits_of(key); }
  };
  struct bit_ordered_inversion_policy {
    TESSERA_FN static Bits inverse(decomposer const&, Bits key) { return static_cast<Bits>(~key); }
  };
  template <class, class>
  using digit_extractor_t = tessera::grid::detail::digit_of_keys<Bits, Form>;

  TESSERA_FN static Bits min_raw_binary_key(decomposer const& d) { return d.coding.least(); }
  TESSERA_FN static Bits max_raw_binary_key(decomposer const& d) { return d.coding.greatest(); }
  TESSERA_FN static int default_end_bit(decomposer const&) { return 8 * sizeof(Bits); }
  template <class>
  TESSERA_FN static auto digit_extractor(int begin, int width, decomposer const& d) {
    return tessera::grid::detail::digit_of_keys<Bits, Form>(d.coding, static_cast<std::uint32_t>(begin),
                                                            static_cast<std::uint32_t>(width));
  }
};

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

inline namespace TESSERA_ARCHS {

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
