// Shared memory of a block. Each access is checked for races, for reads of uninitialized elements and for
// indices out of range.
//
//   host::shared<int> scratch(block, 32);  // in every lane of the block, like `__shared__ int scratch[32]`
//   scratch[rank] = x;                     // a write
//   block.sync();
//   int const y = scratch[rank ^ 1];       // a read (`auto` would make y a reference, and read nothing)
//   scratch[0].fetch_add(1);               // atomics don't race with each other
//
// The checks are exact under every schedule: two accesses are ordered if a sync that both lanes joined
// comes between them, and race otherwise. `block.sync()`, `tile.sync()` and a group's `sync()` order
// memory; shuffles and votes don't.
//
// Code that is compiled for both sides may name it in a branch of `if constexpr` for host blocks: a kernel that uses it
// doesn't link.
#pragma once

#include <cstddef>
#include <string>
#include <tessera/core/config.hpp>
#include <tessera/core/number.hpp>
#include <tessera/core/rounded.hpp>
#include <tessera/core/words.hpp>
#include <tessera/host/block.hpp>
#include <tessera/host/touch.hpp>
#include <type_traits>

TESSERA_NAMESPACE_BEGIN
namespace host {

/// An array in the shared memory of a block, whose accesses are checked.
template <class T>
class shared {
  static_assert(std::is_trivially_copyable_v<T>, "host::shared<T>: shared memory holds trivially copyable types only.");

 public:
  /// A reference to one element. It remains valid after its object is gone, since the array is the block's. Reads and
  /// writes through it are checked.
  class reference {
   public:
    TESSERA_FN operator T() const { return get(); }
    TESSERA_FN reference& operator=(T x) {
      put(x);
      return *this;
    }
    TESSERA_FN reference& operator=(const reference& from) { return *this = from.get(); }
    reference(const reference&) = default;

    /// The compound assignments aren't atomic: each is a read and then a write.
    template <class U>
    TESSERA_FN reference& operator+=(U x) {
      return *this = static_cast<T>(get() + x);
    }
    template <class U>
    TESSERA_FN reference& operator-=(U x) {
      return *this = static_cast<T>(get() - x);
    }
    template <class U>
    TESSERA_FN reference& operator*=(U x) {
      return *this = static_cast<T>(get() * x);
    }
    template <class U>
    TESSERA_FN reference& operator/=(U x) {
      return *this = static_cast<T>(get() / x);
    }
    template <class U>
    TESSERA_FN reference& operator&=(U x) {
      return *this = static_cast<T>(get() & x);
    }
    template <class U>
    TESSERA_FN reference& operator|=(U x) {
      return *this = static_cast<T>(get() | x);
    }
    template <class U>
    TESSERA_FN reference& operator^=(U x) {
      return *this = static_cast<T>(get() ^ x);
    }
    TESSERA_FN reference& operator++() { return *this += 1; }
    TESSERA_FN reference& operator--() { return *this -= 1; }

    /// These are atomic. Each returns the previous value. Sums and differences of integers wrap, as on the GPU.
    TESSERA_FN T fetch_add(T x) {
      return update([x](T old) { return sum(old, x); });
    }
    TESSERA_FN T fetch_sub(T x) {
      return update([x](T old) { return difference(old, x); });
    }
    TESSERA_FN T fetch_and(T x) {
      return update([x](T old) { return static_cast<T>(old & x); });
    }
    TESSERA_FN T fetch_or(T x) {
      return update([x](T old) { return static_cast<T>(old | x); });
    }
    TESSERA_FN T fetch_xor(T x) {
      return update([x](T old) { return static_cast<T>(old ^ x); });
    }
    TESSERA_FN T fetch_min(T x) {
      return update([x](T old) { return x < old ? x : old; });
    }
    TESSERA_FN T fetch_max(T x) {
      return update([x](T old) { return old < x ? x : old; });
    }
    TESSERA_FN T exchange(T x) {
      return update([x](T) { return x; });
    }
    /// Stores x if the element has the bits of `expected`: a NaN equals itself, −0 and +0 differ.
    TESSERA_FN T compare_exchange(T expected, T x) {
      return update([=](T old) { return tessera::detail::same_bits(old, expected) ? x : old; });
    }
    TESSERA_FN T atomic_load() const { return *address(detail::access_kind::atomic, true); }
    TESSERA_FN void atomic_store(T x) { *address(detail::access_kind::atomic, false) = x; }

   private:
    friend class shared;
    TESSERA_FN reference(const shared& of, detail::index_at at) : id_(of.id_), array_(of.array_), at_(at) {}

    TESSERA_FN T* address(detail::access_kind kind, bool reads) const {
      return static_cast<T*>(detail::touch(id_, array_, at_, kind, reads, detail::type_tag<T>()));
    }
    /// An integer as an unsigned one, which wraps; other types unchanged.
    TESSERA_FN static auto wide(T x) {
      if constexpr (tessera::detail::is_integer<T>) {
        return static_cast<tessera::detail::wrapping_t<T>>(x);
      } else {
        return x;
      }
    }
    TESSERA_FN static T sum(T a, T b) {
      if constexpr (tessera::detail::is_float<T>) {
        return tessera::detail::rounded_add(a, b);
      } else {
        return static_cast<T>(wide(a) + wide(b));
      }
    }
    TESSERA_FN static T difference(T a, T b) {
      if constexpr (tessera::detail::is_float<T>) {
        return tessera::detail::rounded_subtract(a, b);
      } else {
        return static_cast<T>(wide(a) - wide(b));
      }
    }
    TESSERA_FN T get() const { return *address(detail::access_kind::read, true); }
    TESSERA_FN void put(T x) { *address(detail::access_kind::write, false) = x; }
    template <class F>
    TESSERA_FN T update(F f) const {
      T* const at = address(detail::access_kind::atomic, true);
      T const old = *at;
      *at = f(old);
      return old;
    }

    detail::lane_id id_;
    detail::shared_array* array_;
    detail::index_at at_;
  };

  /// Declares an array. The k-th array that a lane declares is the k-th of the block, so all lanes must
  /// declare the same ones in the same order. The declaration is not a barrier.
  TESSERA_FN shared(const block& where, std::size_t count, call_site site = call_site::here())
      : id_(where.id()),
        array_(detail::declare_array(id_, {detail::type_tag<T>(), sizeof(T), alignof(T), count, site})) {}

  TESSERA_FN std::size_t size() const { return detail::length_of(array_); }
  TESSERA_FN reference operator[](detail::index_at i) const { return {*this, i}; }
  TESSERA_FN T read(detail::index_at i) const { return (*this)[i]; }
  TESSERA_FN void write(detail::index_at i, T x) const { (*this)[i] = x; }
  /// A pointer to the elements, for code that takes one. Accesses through it aren't checked, and an element
  /// that was written only through it counts as uninitialized for checked reads.
  TESSERA_FN T* data() const { return static_cast<T*>(detail::bytes_of(array_)); }

 private:
  detail::lane_id id_;
  detail::shared_array* array_;
};

}  // namespace host
TESSERA_NAMESPACE_END
