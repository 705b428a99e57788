// Shared memory of a block, each access checked: for races, for reads of what was never written, for bad
// indices.
//
//   host::shared<int> scratch(block, 32);  // in every lane of the block, like `__shared__ int scratch[32]`
//   scratch[rank] = x;                     // a write
//   block.sync();
//   int const y = scratch[rank ^ 1];       // a read (not `auto`: that is still a reference)
//   scratch[0].fetch_add(1);               // atomics don't race with each other
//
// Checks are exact, whatever the schedule: two accesses are in order if a sync that both lanes joined lies
// between, else they race. `block.sync()`, `tile.sync()` and `lanes.sync()` order memory; shuffles and votes
// don't.
#pragma once

#include <cstddef>
#include <string>
#include <tessera/config.hpp>
#include <tessera/host/block.hpp>
#include <tessera/host/touch.hpp>
#include <type_traits>

namespace tessera::host {

template <class T>
class shared {
  static_assert(std::is_trivially_copyable_v<T>,
                "host::shared<T>: shared memory holds trivially copyable types only.");

 public:
  /// One element, about to be accessed.
  class reference {
   public:
    operator T() const { return get(); }
    reference& operator=(T x) {
      put(x);
      return *this;
    }
    reference& operator=(const reference& from) { return *this = from.get(); }
    reference(const reference&) = default;

    /// Not atomic: a read, then a write.
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

    /// Atomic; each returns the value before.
    T fetch_add(T x) {
      return update([x](T old) { return static_cast<T>(old + x); });
    }
    T fetch_sub(T x) {
      return update([x](T old) { return static_cast<T>(old - x); });
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
    T compare_exchange(T expected, T x) {
      return update([=](T old) { return old == expected ? x : old; });
    }
    T atomic_load() const { return *address(detail::access_kind::atomic, true); }
    void atomic_store(T x) { *address(detail::access_kind::atomic, false) = x; }

   private:
    friend class shared;
    reference(const shared& array, index_at at) : array_(&array), at_(at) {}

    T* address(detail::access_kind kind, bool reads) const {
      return static_cast<T*>(detail::touch(array_->who_, *array_->array_, at_, kind, reads));
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

    const shared* array_;
    index_at at_;
  };

  /// The k-th array that a lane declares is the k-th of the block: all lanes declare the same ones, in the
  /// same order. Not a barrier.
  shared(const block& where, std::size_t count, call_site site = call_site::here())
      : who_(where.who()),
        array_(&detail::engine_of(who_, "the declaration of a shared array", site)
                    .declare_shared({detail::type_tag<T>(), sizeof(T), alignof(T), count, site})) {}

  std::size_t size() const { return array_->form().count; }
  reference operator[](index_at i) const { return {*this, i}; }
  T read(index_at i) const { return (*this)[i]; }
  void write(index_at i, T x) const { (*this)[i] = x; }
  /// The elements themselves, unchecked: for code that takes a pointer. What is written through it doesn't count as
  /// written for the checked accesses.
  T* data() const { return static_cast<T*>(array_->data()); }

 private:
  detail::identity who_;
  detail::shared_array* array_;
};

}  // namespace tessera::host
