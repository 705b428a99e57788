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
#pragma once

#include <cstddef>
#include <string>
#include <tessera/config.hpp>
#include <tessera/detail/number.hpp>
#include <tessera/detail/rounded.hpp>
#include <tessera/detail/words.hpp>
#include <tessera/host/block.hpp>
#include <tessera/host/touch.hpp>
#include <type_traits>

TESSERA_NAMESPACE_BEGIN
namespace host {

/// An array in the shared memory of a block, whose accesses are checked.
template <class T>
class shared {
  static_assert(std::is_trivially_copyable_v<T>,
                "host::shared<T>: shared memory holds trivially copyable types only.");

 public:
  /// A reference to one element, also of an object that is gone: the array is the block's. Reads and writes through it are checked.
  class reference {
   public:
    operator T() const { return get(); }
    reference& operator=(T x) {
      put(x);
      return *this;
    }
    reference& operator=(const reference& from) { return *this = from.get(); }
    reference(const reference&) = default;

    /// The compound assignments aren't atomic: each is a read and then a write.
    template <class U>
    reference& operator+=(U x) {
      return *this = static_cast<T>(get() + x);
    }
    template <class U>
    reference& operator-=(U x) {
      return *this = static_cast<T>(get() - x);
    }
    template <class U>
    reference& operator*=(U x) {
      return *this = static_cast<T>(get() * x);
    }
    template <class U>
    reference& operator/=(U x) {
      return *this = static_cast<T>(get() / x);
    }
    template <class U>
    reference& operator&=(U x) {
      return *this = static_cast<T>(get() & x);
    }
    template <class U>
    reference& operator|=(U x) {
      return *this = static_cast<T>(get() | x);
    }
    template <class U>
    reference& operator^=(U x) {
      return *this = static_cast<T>(get() ^ x);
    }
    reference& operator++() { return *this += 1; }
    reference& operator--() { return *this -= 1; }

    /// These are atomic. Each returns the previous value. Sums and differences of integers wrap, as on the GPU.
    T fetch_add(T x) {
      return update([x](T old) { return sum(old, x); });
    }
    T fetch_sub(T x) {
      return update([x](T old) { return difference(old, x); });
    }
    T fetch_and(T x) {
      return update([x](T old) { return static_cast<T>(old & x); });
    }
    T fetch_or(T x) {
      return update([x](T old) { return static_cast<T>(old | x); });
    }
    T fetch_xor(T x) {
      return update([x](T old) { return static_cast<T>(old ^ x); });
    }
    T fetch_min(T x) {
      return update([x](T old) { return x < old ? x : old; });
    }
    T fetch_max(T x) {
      return update([x](T old) { return old < x ? x : old; });
    }
    T exchange(T x) {
      return update([x](T) { return x; });
    }
    /// Puts x where the element has the bits of `expected`: a NaN is equal to itself, −0 and +0 differ.
    T compare_exchange(T expected, T x) {
      return update([=](T old) { return tessera::detail::same_bits(old, expected) ? x : old; });
    }
    T atomic_load() const { return *address(detail::access_kind::atomic, true); }
    void atomic_store(T x) { *address(detail::access_kind::atomic, false) = x; }

   private:
    friend class shared;
    reference(const shared& of, index_at at) : id_(of.id_), array_(of.array_), at_(at) {}

    T* address(detail::access_kind kind, bool reads) const {
      return static_cast<T*>(detail::touch(id_, *array_, at_, kind, reads, detail::type_tag<T>()));
    }
    /// An integer as one that wraps; what isn't one as it is.
    static auto wide(T x) {
      if constexpr (tessera::detail::is_integer<T>) {
        return static_cast<tessera::detail::wrapping_t<T>>(x);
      } else {
        return x;
      }
    }
    static T sum(T a, T b) {
      if constexpr (tessera::detail::is_float<T>) {
        return tessera::detail::rounded_add(a, b);
      } else {
        return static_cast<T>(wide(a) + wide(b));
      }
    }
    static T difference(T a, T b) {
      if constexpr (tessera::detail::is_float<T>) {
        return tessera::detail::rounded_subtract(a, b);
      } else {
        return static_cast<T>(wide(a) - wide(b));
      }
    }
    T get() const { return *address(detail::access_kind::read, true); }
    void put(T x) { *address(detail::access_kind::write, false) = x; }
    template <class F>
    T update(F f) const {
      T* const at = address(detail::access_kind::atomic, true);
      T const old = *at;
      *at = f(old);
      return old;
    }

    detail::lane_id id_;
    detail::shared_array* array_;
    index_at at_;
  };

  /// Declares an array. The k-th array that a lane declares is the k-th of the block, so all lanes must
  /// declare the same ones in the same order. The declaration is not a barrier.
  shared(const block& where, std::size_t count, call_site site = call_site::here())
      : id_(where.id()),
        array_(&detail::engine_of(id_, "the declaration of a shared array", site)
                    .declare_shared({detail::type_tag<T>(), sizeof(T), alignof(T), count, site})) {}

  std::size_t size() const { return array_->signature().count; }
  reference operator[](index_at i) const { return {*this, i}; }
  T read(index_at i) const { return (*this)[i]; }
  void write(index_at i, T x) const { (*this)[i] = x; }
  /// A pointer to the elements, for code that takes one. Accesses through it aren't checked, and an element
  /// that was written only through it counts as uninitialized for checked reads.
  T* data() const { return static_cast<T*>(array_->data()); }

 private:
  detail::lane_id id_;
  detail::shared_array* array_;
};

}  // namespace host
TESSERA_NAMESPACE_END
